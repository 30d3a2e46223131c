/*
 * chunk.c - CPU profiles of V8 that come in pieces, as events of a trace.
 *
 * Source: traces of node 20 (--cpu-prof with the category v8.cpu_profiler) and
 * of Chrome's developer tools, 69 to 141. All have ph P and an id, which is the
 * profile's within its process:
 *
 *	name Profile: args.data.startTime; tid is the thread that is sampled
 *	name ProfileChunk: args.data.cpuProfile.nodes and .samples,
 *	    args.data.timeDeltas, as in a cpuprofile; at last data.endTime
 *
 * Nodes name their parents; what they say of children is of pieces to come. The
 * old event CpuProfile holds a thread's whole profile as args.data.cpuProfile.
 */
#include <stdlib.h>

#include "cpuprofile.h"

/* Each page and worker has one; all of them are looked through. */
#define PROFILES_MAX 1024

bool
chrome_is_profile(struct cg_slice event)
{
	return cg_equal(event, "ProfileChunk") || cg_equal(event, "Profile") ||
	       cg_equal(event, "CpuProfile");
}

/* ---- A piece ------------------------------------------------------------- */

static bool
take_nodes(struct cg_doc *doc, void *into)
{
	void *arg = doc->arg;
	bool good = true;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	doc->arg = into;
	while (good && cg_doc_item(doc))
		good = chrome_take_node(doc, into);
	doc->arg = arg;
	return good && doc->status == CG_OK;
}

/* Numbers of all kinds of events are in the way: no array is no fault. */
static bool
take_numbers(struct cg_doc *doc, unsigned digits, int64_t **list, size_t *count,
    size_t *cap)
{
	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_grow(doc, list, *count, cap, sizeof(**list)) ||
		    !cg_doc_number(doc, digits, *list + *count))
			return false;
		++*count;
	}
	return doc->status == CG_OK;
}

static bool
take_samples(struct cg_doc *doc, void *into)
{
	struct chunk *chunk = into;

	return take_numbers(
	    doc, 0, &chunk->sample, &chunk->samples, &chunk->sample_cap);
}

static bool
take_deltas(struct cg_doc *doc, void *into)
{
	struct chunk *chunk = into;

	return take_numbers(
	    doc, 3, &chunk->delta, &chunk->deltas, &chunk->delta_cap);
}

static bool
take_time(struct cg_doc *doc, int64_t *time)
{
	return cg_doc_next(doc) == CG_JSON_NUMBER ? cg_doc_number(doc, 3, time)
						  : cg_doc_skip(doc);
}

static bool
take_start(struct cg_doc *doc, void *into)
{
	return take_time(doc, &((struct chunk *)into)->start);
}

static bool
take_end(struct cg_doc *doc, void *into)
{
	return take_time(doc, &((struct chunk *)into)->end);
}

static bool take_inner(struct cg_doc *, void *into);

/* The first is the outer object's alone. */
static const struct cg_field fields[] = {
	{ .name = "cpuProfile", .type = CG_FIELD_CALL, .take = take_inner },
	{ .name = "nodes", .type = CG_FIELD_CALL, .take = take_nodes },
	{ .name = "samples", .type = CG_FIELD_CALL, .take = take_samples },
	{ .name = "timeDeltas", .type = CG_FIELD_CALL, .take = take_deltas },
	{ .name = "startTime", .type = CG_FIELD_CALL, .take = take_start },
	{ .name = "endTime", .type = CG_FIELD_CALL, .take = take_end },
	{ 0 },
};

static bool
take_inner(struct cg_doc *doc, void *into)
{
	if (cg_doc_next(doc) != CG_JSON_OBJECT)
		return cg_doc_skip(doc);
	return cg_doc_fields(doc, fields + 1, into);
}

bool
chrome_take_chunk(struct cg_doc *doc, struct profiles *profiles)
{
	struct chunk *chunk = &profiles->chunk;

	if (cg_doc_next(doc) != CG_JSON_OBJECT)
		return cg_doc_skip(doc);
	chunk->tree.nodes = chunk->tree.children = chunk->tree.ticks = 0;
	cg_map_free(&chunk->tree.ids);
	chunk->samples = chunk->deltas = 0;
	chunk->start = chunk->end = 0;
	chunk->found = true;
	return cg_doc_fields(doc, fields, chunk);
}

/* ---- A profile ----------------------------------------------------------- */

static struct profile *
find_profile(struct cg_doc *doc, struct profiles *profiles, uint64_t pid,
    uint64_t tid, cg_name id)
{
	struct profile *profile;

	for (size_t i = profiles->count; i-- > 0;) {
		profile = profiles->profile[i];
		if (profile->pid == pid && profile->id == id &&
		    (id != 0 || profile->tid == tid))
			return profile;
	}
	if (profiles->count >= PROFILES_MAX) {
		(void)cg_doc_fail(doc, "fewer CPU profiles");
		return NULL;
	}
	if (!cg_doc_grow(doc, &profiles->profile, profiles->count,
		&profiles->cap, sizeof(profile)))
		return NULL;
	profile = calloc(1, sizeof(*profile));
	if (!profile) {
		doc->status = cg_nomem(doc->job);
		return NULL;
	}
	profile->pid = pid;
	profile->tid = tid;
	profile->id = id;
	profile->cpu.columns = &profiles->columns;
	profile->cpu.has_samples = profile->cpu.has_deltas = true;
	return profiles->profile[profiles->count++] = profile;
}

static bool
add_node(struct cg_doc *doc, struct tree *tree, const struct node *node)
{
	uint32_t *place;

	if (!cg_doc_grow(
		doc, &tree->node, tree->nodes, &tree->node_cap, sizeof(*node)))
		return false;
	place = cg_map_at(&tree->ids, node->id);
	if (!place || tree->nodes >= UINT32_MAX) {
		doc->status = cg_nomem(doc->job);
		return false;
	}
	if (*place != 0)
		return cg_doc_fail(doc, "an id that no other node has");
	tree->node[tree->nodes++] = *node;
	*place = (uint32_t)tree->nodes;
	return true;
}

/* The nodes of a piece behind those that there are. */
static bool
add_nodes(struct cg_doc *doc, struct tree *to, const struct tree *from)
{
	size_t base = to->nodes;

	for (size_t i = 0; i < from->nodes; i++) {
		struct node node = from->node[i];

		node.ticks = 0; /* lines are in cpuprofiles alone */
		if (node.parent != 0)
			node.parent += base;
		if (!add_node(doc, to, &node))
			return false;
	}
	return true;
}

/* A trace may have lost pieces: a node that was in one is not known. */
static bool
add_missing(struct cg_doc *doc, struct tree *tree, uint64_t id, size_t *missing)
{
	const struct node node = { .id = id,
		.line = -1,
		.column = -1,
		.name = cg_add_name(doc->build, cg_slice("[unknown]")) };

	if (cg_map_get(&tree->ids, id) != 0)
		return true;
	++*missing;
	return add_node(doc, tree, &node);
}

bool
chrome_end_profile(struct cg_doc *doc, struct profile *profile)
{
	struct tree *tree = &profile->cpu.tree;
	size_t missing = 0, nodes = tree->nodes, at = 0;
	struct far_sum sum;
	bool good = true;

	for (size_t i = 0; good && i < nodes; i++) {
		if (tree->node[i].parent_id != 0)
			good = add_missing(
			    doc, tree, tree->node[i].parent_id, &missing);
	}
	while (good && chrome_next_sum(&profile->cpu, &at, &sum))
		good = add_missing(doc, tree, sum.id, &missing);
	if (missing > 0)
		cg_warn(doc->job,
		    "%zu nodes are missing: the trace may have lost some",
		    missing);
	return good;
}

struct profile *
chrome_add_chunk(struct cg_doc *doc, struct profiles *profiles, uint64_t pid,
    uint64_t tid, cg_name id)
{
	struct chunk *chunk = &profiles->chunk;
	struct profile *profile = find_profile(doc, profiles, pid, tid, id);

	if (!profile || !add_nodes(doc, &profile->cpu.tree, &chunk->tree))
		return NULL;
	if (chunk->samples != chunk->deltas)
		cg_warn(doc->job, "there are not as many samples as times");
	for (size_t i = 0; i < chunk->samples && i < chunk->deltas; i++) {
		if (!chrome_add_sample(
			doc, &profile->cpu, chunk->sample[i], chunk->delta[i]))
			return NULL;
	}
	if (chunk->start != 0)
		profile->cpu.start = chunk->start;
	if (chunk->end != 0)
		profile->cpu.end = chunk->end;
	return profile;
}

void
chrome_free_profiles(struct profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		chrome_free_cpu(&profiles->profile[i]->cpu);
		free(profiles->profile[i]);
	}
	free(profiles->profile);
	chrome_free_tree(&profiles->chunk.tree);
	free(profiles->chunk.sample);
	free(profiles->chunk.delta);
}
