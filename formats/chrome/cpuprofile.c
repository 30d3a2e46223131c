/*
 * cpuprofile.c - cpuprofile: the CPU profiles of V8, of node --cpu-prof and of
 * Chrome's developer tools.
 *
 * Source: js_protocol.pdl of V8 (Profiler.Profile). Samples are ids of nodes;
 * sample i was taken timeDeltas[i] microseconds after the one before, the first
 * after startTime, and lasts until the next, the last until endTime. A clock
 * that went back stands still until it has caught up.
 *
 * Stacks, the number of samples per function and line (positionTicks) and the
 * time per function survive; a function's time is shared among its lines by
 * their samples. When each sample was taken is lost. Frames stand at the line
 * where their function begins: V8 does not say where it was called from.
 */
#include <stdlib.h>

#include "cpuprofile.h"

#define BYTES_MAX 10 /* of a packed number */

/* ---- Samples and times --------------------------------------------------- */

static bool
pack(struct cg_doc *doc, struct pack *to, int64_t number)
{
	uint64_t step = (uint64_t)number - (uint64_t)to->last;

	if (!cg_doc_grow(doc, &to->byte, to->len + BYTES_MAX, &to->cap, 1))
		return false;
	step = step << 1 ^ (0 - (step >> 63));
	for (; step >= 0x80; step >>= 7)
		to->byte[to->len++] = (unsigned char)(step | 0x80);
	to->byte[to->len++] = (unsigned char)step;
	to->last = number;
	to->count++;
	return true;
}

/* False at the end. The first call begins anew. */
static bool
unpack(struct pack *from, int64_t *number)
{
	uint64_t step = 0;
	unsigned shift = 0;

	if (from->at == 0)
		from->last = 0;
	if (from->at == from->len)
		return false;
	for (; from->byte[from->at] & 0x80; shift += 7)
		step |= (uint64_t)(from->byte[from->at++] & 0x7f) << shift;
	step |= (uint64_t)from->byte[from->at++] << shift;
	from->last =
	    (int64_t)((uint64_t)from->last + (step >> 1 ^ (0 - (step & 1))));
	*number = from->last;
	return true;
}

/* Time goes to the sample before; the clock may not have gone back. */
static bool
pass_time(struct cg_doc *doc, struct cpu *cpu, int64_t delta)
{
	if (__builtin_add_overflow(cpu->now, delta, &cpu->now))
		return cg_doc_fail(doc, "less time");
	if (cpu->now <= cpu->latest)
		return true;
	if (cpu->running)
		cpu->running->ns += (uint64_t)(cpu->now - cpu->latest);
	cpu->latest = cpu->now;
	return true;
}

/* The sum of a node that is not near yet; NULL: out of memory. */
static struct sum *
add_sum(struct cg_doc *doc, struct cpu *cpu, uint64_t id)
{
	size_t most = 2 * cpu->tree.nodes + 1;
	uint32_t *place;

	if (id < most &&
	    cg_grow(&cpu->near, &cpu->nears, most, sizeof(*cpu->near)))
		return &cpu->near[id];
	place = cg_map_at(&cpu->far_ids, id);
	if (!place) {
		doc->status = cg_nomem(doc->job);
		return NULL;
	}
	if (*place == 0) {
		if (!cg_doc_grow(doc, &cpu->far, cpu->fars, &cpu->far_cap,
			sizeof(*cpu->far)))
			return NULL;
		cpu->far[cpu->fars] = (struct far_sum){ .id = id };
		*place = (uint32_t)++cpu->fars;
	}
	return &cpu->far[*place - 1].sum;
}

bool
chrome_add_sample(
    struct cg_doc *doc, struct cpu *cpu, int64_t id, int64_t delta)
{
	if (!pass_time(doc, cpu, delta))
		return false;
	cpu->running = (uint64_t)id < cpu->nears
			   ? &cpu->near[id]
			   : add_sum(doc, cpu, (uint64_t)id);
	if (!cpu->running)
		return false;
	cpu->running->samples++;
	return true;
}

bool
chrome_next_sum(const struct cpu *cpu, size_t *i, struct far_sum *sum)
{
	while (*i < cpu->nears && cpu->near[*i].samples == 0)
		++*i;
	if (*i < cpu->nears)
		*sum = (struct far_sum){ *i, cpu->near[*i] };
	else if (*i - cpu->nears < cpu->fars)
		*sum = cpu->far[*i - cpu->nears];
	else
		return false;
	++*i;
	return true;
}

static bool
take_samples(struct cg_doc *doc, void *into)
{
	struct cpu *cpu = into;
	int64_t id, delta;

	if (cpu->has_samples || !cg_doc_array(doc))
		return cg_doc_fail(doc, "samples only once");
	cpu->has_samples = true;
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &id))
			return false;
		if (!cpu->has_deltas) {
			if (!pack(doc, &cpu->samples, id))
				return false;
		} else if (!unpack(&cpu->deltas, &delta)) {
			return cg_doc_fail(doc, "as many samples as times");
		} else if (!chrome_add_sample(doc, cpu, id, delta)) {
			return false;
		}
	}
	return doc->status == CG_OK;
}

static bool
take_time(struct cg_doc *doc, struct cpu *cpu, int64_t delta)
{
	int64_t id;

	if (!cpu->has_samples)
		return pack(doc, &cpu->deltas, delta);
	if (unpack(&cpu->samples, &id))
		return chrome_add_sample(doc, cpu, id, delta);
	return cg_doc_fail(doc, "as many times as samples");
}

/* absolute: of Chrome before 58, and not since startTime. */
static bool
take_times(struct cg_doc *doc, struct cpu *cpu, bool absolute)
{
	int64_t time, last = 0;

	if (cpu->has_deltas || !cg_doc_array(doc))
		return cg_doc_fail(doc, "times only once");
	cpu->has_deltas = true;
	for (bool first = true; cg_doc_item(doc); first = false) {
		if (!cg_doc_number(doc, 3, &time) ||
		    !take_time(doc, cpu,
			!absolute ? time
			: first   ? 0
				  : (int64_t)((uint64_t)time - (uint64_t)last)))
			return false;
		last = time;
	}
	if (absolute)
		cpu->start = cpu->end = 0;
	return doc->status == CG_OK;
}

static bool
take_deltas(struct cg_doc *doc, void *into)
{
	return take_times(doc, into, false);
}

static bool
take_timestamps(struct cg_doc *doc, void *into)
{
	return take_times(doc, into, true);
}

static bool
take_nodes(struct cg_doc *doc, void *into)
{
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc))
		if (!chrome_take_node(doc, into))
			return false;
	return doc->status == CG_OK;
}

/* ---- Into the graph ------------------------------------------------------ */

/* The times of the samples belong to their nodes. */
static bool
add_sums(struct cg_doc *doc, struct cpu *cpu)
{
	int64_t length;
	struct far_sum of;
	struct node *node;
	size_t i = 0;

	if (!__builtin_sub_overflow(cpu->end, cpu->start, &length) &&
	    length > cpu->latest && !pass_time(doc, cpu, length - cpu->now))
		return false;
	while (chrome_next_sum(cpu, &i, &of)) {
		node = chrome_find_node(doc, &cpu->tree, of.id);
		if (!node)
			return false;
		node->ns += of.sum.ns;
		node->samples += of.sum.samples;
	}
	return true;
}

/* The samples of a node's lines, with their share of its time. */
static void
add_node(struct cg_doc *doc, struct cpu *cpu, struct node *node)
{
	uint64_t ticks = 0, seen = 0, given = 0, upto, all, cost[2];
	struct cg_columns *columns = cpu->columns;
	struct tree *tree = &cpu->tree;
	cg_node leaf = chrome_add_frames(doc, tree, node);
	struct cg_pos pos = node->pos;

	for (uint32_t i = 0; i < node->ticks; i++)
		ticks += tree->tick[node->tick + i].count;
	all = ticks > node->cost ? ticks : node->cost;
	for (uint32_t i = 0; leaf != 0 && i < node->ticks; i++) {
		const struct tick *tick = &tree->tick[node->tick + i];

		seen += tick->count;
		upto = seen == all ? node->ns
				   : (uint64_t)((double)node->ns *
						(double)seen / (double)all);
		cost[0] = tick->count;
		cost[1] = upto - given;
		given = upto;
		pos.line = (uint32_t)tick->line;
		cg_add_stack(doc->build,
		    cg_add_frame(
			doc->build, node->below, node->fn, &pos, false),
		    cost[0], cg_columns_of(columns, cost), columns->width);
	}
	cost[0] = all - seen;
	cost[1] = node->ns - given;
	if (leaf != 0 && (cost[0] > 0 || cost[1] > 0))
		cg_add_stack(doc->build, leaf, cost[0],
		    cg_columns_of(columns, cost), columns->width);
}

void
chrome_add_profile(struct cg_doc *doc, struct cpu *cpu)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" },
				     time = { .name = "ns",
					     .long_name = "Time",
					     .unit = "ns" };
	struct tree *tree = &cpu->tree;
	bool hits = false;

	if (cpu->columns->events == 0) {
		(void)cg_add_column(cpu->columns, doc->build, &samples);
		if (cpu->has_samples && cpu->has_deltas)
			(void)cg_add_column(cpu->columns, doc->build, &time);
	}
	if (!chrome_link_tree(doc, tree) || !add_sums(doc, cpu))
		return;
	for (size_t i = 0; i < tree->nodes; i++)
		hits |= tree->node[i].cost > 0;
	for (size_t i = 0; i < tree->nodes && doc->status == CG_OK; i++) {
		struct node *node = &tree->node[i];

		if (!hits)
			node->cost = node->samples;
		if (node->cost > 0 || node->ns > 0 || node->ticks > 0)
			add_node(doc, cpu, node);
	}
}

void
chrome_free_cpu(struct cpu *cpu)
{
	chrome_free_tree(&cpu->tree);
	cg_map_free(&cpu->far_ids);
	free(cpu->near);
	free(cpu->far);
	free(cpu->samples.byte);
	free(cpu->deltas.byte);
}

static const struct cg_field fields[] = {
	{ .name = "nodes", .type = CG_FIELD_CALL, .take = take_nodes },
	{ .name = "head", .type = CG_FIELD_CALL, .take = chrome_take_node },
	{ .name = "samples", .type = CG_FIELD_CALL, .take = take_samples },
	{ .name = "timeDeltas", .type = CG_FIELD_CALL, .take = take_deltas },
	{ .name = "timestamps",
	    .type = CG_FIELD_CALL,
	    .take = take_timestamps },
	{ .name = "startTime",
	    .type = CG_FIELD_INT,
	    .offset = offsetof(struct cpu, start),
	    .digits = 3 },
	{ .name = "endTime",
	    .type = CG_FIELD_INT,
	    .offset = offsetof(struct cpu, end),
	    .digits = 3 },
	{ 0 },
};

static int
read_cpuprofile(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct cg_columns columns = { 0 };
	struct cpu cpu = { .columns = &columns };
	struct cg_doc doc;
	int64_t number;

	cg_doc_open(&doc, job, in, build, &cpu);
	if (cg_doc_fields(&doc, fields, &cpu)) {
		if (unpack(&cpu.samples, &number) ||
		    unpack(&cpu.deltas, &number))
			cg_warn(job, "there are not as many samples as times");
		chrome_add_profile(&doc, &cpu);
	}
	chrome_free_cpu(&cpu);
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "nodes.callFrame", "nodes.hitCount",
		"timeDeltas", "head.hitCount", NULL };
	unsigned found = cg_head_keys(head, keys);

	if ((found & 1 && found & 6) || found & 8)
		return CG_PROBE_SURE;
	return found & 1 ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

const struct cg_module cg_format_cpuprofile = {
	CG_MODULE,
	.name = "cpuprofile",
	.title = "CPU profiles of V8, by node or Chrome",
	.suffixes = "cpuprofile",
	.probe = probe,
	.read = read_cpuprofile,
};
