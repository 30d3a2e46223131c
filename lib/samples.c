/*
 * samples.c - what samples say of themselves beside their stacks: threads,
 * processes, labels, which become parts on request (--part-by); and that calls
 * are counted in samples.
 */
#include <stdio.h>
#include <string.h>

#include "graph.h"

bool
cg_part_by_parse(struct cg_part_by *by, const char *text)
{
	static const char *const word[] = {
		[CG_BY_NOTHING] = "none",
		[CG_BY_PID] = "pid",
		[CG_BY_TID] = "tid",
		[CG_BY_COMM] = "comm",
	};
	struct cg_slice rest = cg_slice(text);

	*by = (struct cg_part_by){ .text = text };
	if (cg_take_prefix(&rest, "label:")) {
		by->what = CG_BY_LABEL;
		by->label = rest;
		return rest.len > 0;
	}
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++) {
		if (!cg_equal(rest, word[i]))
			continue;
		by->what = (enum cg_part_by_what)i;
		return true;
	}
	return false;
}

static bool
same_text(struct cg_slice a, struct cg_slice b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* The value of the label that parts are made by; false: there is none. */
static bool
find_label(const struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice *value)
{
	*value = (struct cg_slice){ "", 0 };
	if (!build->by || build->by->what != CG_BY_LABEL)
		return false;
	for (size_t i = 0; i < key->labels; i++) {
		if (!same_text(key->label[i].key, build->by->label))
			continue;
		*value = key->label[i].value;
		return true;
	}
	return false;
}

/* ---- Labels that are dropped --------------------------------------------- */

static void
drop_label(struct cg_build *build, struct cg_slice key)
{
	cg_str name;

	if (build->by && build->by->what == CG_BY_LABEL &&
	    same_text(build->by->label, key))
		return;
	name = cg_strs_find(&build->graph->strs, key);
	for (size_t i = 0; name != 0 && i < build->drops; i++) {
		if (build->dropped[i] == name)
			return;
	}
	if (build->drops == CG_LABELS_LISTED) {
		build->more_drops = true;
		return;
	}
	name = cg_add_name(build, key);
	if (name != 0)
		build->dropped[build->drops++] = name;
}

static void
tell_drops(const struct cg_build *build, enum cg_severity severity)
{
	const struct cg_graph *graph = build->graph;
	char text[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < build->drops && len < sizeof(text); i++) {
		struct cg_slice name =
		    cg_strs_get(&graph->strs, build->dropped[i]);

		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s%.40s", i ? ", " : "", name.ptr);
	}
	cg_diag_say(graph->diag, severity, NULL,
	    "labels of samples are not kept: %s%s (--part-by label:NAME "
	    "makes parts of one)",
	    text, build->more_drops ? ", ..." : "");
}

/* ---- Counts of calls ----------------------------------------------------- */

#define COUNTS_KEY "Call counts"
#define COUNTS_VALUE "numbers of samples"

void
cg_set_calls_sampled(struct cg_build *build)
{
	cg_add_desc(build, cg_slice(COUNTS_KEY), cg_slice(COUNTS_VALUE));
}

bool
cg_calls_sampled(const struct cg_graph *graph)
{
	return cg_part_says(graph, CG_ALL_PARTS, COUNTS_KEY, COUNTS_VALUE);
}

/* ---- Parts --------------------------------------------------------------- */

static enum cg_part_by_what
part_by(const struct cg_build *build)
{
	return build->by ? build->by->what : CG_BY_NOTHING;
}

/* What tells the sample's part from others, as text; "" on failure. */
static struct cg_slice
key_text(struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	enum cg_part_by_what what = part_by(build);
	size_t room;
	char *to;

	if (what == CG_BY_COMM)
		value = key->comm;
	room = 4 * CG_NUMBER_MAX + value.len;
	if (!cg_grow_raw(&build->text, &build->text_cap, room, 1)) {
		cg_build_nomem(build);
		return (struct cg_slice){ "", 0 };
	}
	to = cg_format_u64(build->text, build->base);
	*to++ = ' ';
	if (what == CG_BY_PID || what == CG_BY_TID)
		to = cg_format_u64(to, key->pid);
	*to++ = ' ';
	if (what == CG_BY_TID)
		to = cg_format_u64(to, key->tid);
	/* A label without a value is one. */
	*to++ = labelled ? '=' : ' ';
	if (value.len > 0)
		memcpy(to, value.ptr, value.len);
	to += value.len;
	return (struct cg_slice){ build->text, (size_t)(to - build->text) };
}

/* The base itself if no sample has taken it and it holds nothing. */
static cg_part
new_sample_part(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	cg_part part = build->base;

	if (graph->part[part].sampled || graph->part[part].totals > 0) {
		part = (cg_part)graph->parts;
		if (!cg_part_new(build))
			return build->base;
	}
	graph->part[part].sampled = true;
	graph->part[part].base = build->base;
	return part;
}

/* The part of the sample's key; made if need be. */
static cg_part
find_part(struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	struct cg_slice text = key_text(build, key, value, labelled);
	cg_str id = cg_strs_add(&build->sample_keys, text);
	uint32_t *slot =
	    id != CG_STR_NONE ? cg_map_at(&build->sample_parts, id) : NULL;
	struct cg_part_entry *part;

	if (!slot) {
		cg_build_nomem(build);
		return build->base;
	}
	if (*slot != 0)
		return *slot - 1;
	*slot = new_sample_part(build) + 1;
	part = &build->graph->part[*slot - 1];
	if (labelled) {
		part->label.key = cg_add_name(build, build->by->label);
		part->label.value = cg_add_name(build, value);
	}
	return *slot - 1;
}

/* A number that all samples of a part agree on is the part's. */
static void
agree(uint64_t *to, uint64_t number, bool first, bool *differs)
{
	if (first && *to == 0)
		*to = number;
	*differs |= *to != number;
	if (*differs)
		*to = 0;
}

/* The name of a process is that of its first thread, if that has samples. */
static void
describe_part(struct cg_build *build, struct cg_part_entry *part,
    const struct cg_sample_key *key)
{
	enum cg_part_by_what what = part_by(build);
	cg_str comm = cg_add_name(build, key->comm);
	bool first = !part->described;

	/* What the input says of the part is true of samples that say nothing. */
	if (!part->filled || key->pid != 0)
		agree(&part->info.pid, key->pid, first, &part->pid_differs);
	if (!part->filled || key->tid != 0)
		agree(&part->info.tid, key->tid, first, &part->tid_differs);
	part->described = true;
	/* A command that the input itself says is a better name. */
	if (part->filled && (part->cmd != 0 || part->cmd_differs))
		return;
	if (first && part->cmd == 0 && !part->cmd_differs)
		part->cmd = comm;
	if (what == CG_BY_PID || what == CG_BY_TID) {
		if (key->pid == key->tid && comm != 0)
			part->cmd = comm;
	} else {
		part->cmd_differs |= part->cmd != comm;
	}
	if (part->cmd_differs)
		part->cmd = 0;
	part->info.cmd = cg_strs_get(&build->graph->strs, part->cmd).ptr;
}

/* Nothing is to be done for a sample that is like the one before. */
static bool
is_like_last(const struct cg_build *build, const struct cg_sample_key *key,
    struct cg_slice value, bool labelled)
{
	const struct cg_graph *graph = build->graph;
	const struct cg_last_sample *last = &build->last;

	return last->known && last->pid == key->pid && last->tid == key->tid &&
	       last->labelled == labelled &&
	       same_text(cg_strs_get(&graph->strs, last->comm), key->comm) &&
	       same_text(cg_strs_get(&graph->strs, last->label), value);
}

/*
 * Whose samples these are is told by parts alone. That a thread changes its
 * name, as each new program does, is no loss.
 */
static bool
is_other_thread(const struct cg_build *build, const struct cg_sample_key *key)
{
	const struct cg_last_sample *last = &build->last;
	struct cg_slice comm = cg_strs_get(&build->graph->strs, last->comm);

	if (!last->known)
		return false;
	if (key->pid != 0 || key->tid != 0)
		return last->pid != key->pid || last->tid != key->tid;
	return !same_text(comm, key->comm);
}

bool
cg_parts_by_sample(const struct cg_build *build)
{
	return part_by(build) != CG_BY_NOTHING;
}

void
cg_set_sample_part(struct cg_build *build, const struct cg_sample_key *key)
{
	struct cg_slice value;
	bool labelled;
	cg_part part = build->base;

	if (build->status != CG_OK)
		return;
	for (size_t i = 0; i < key->labels; i++)
		drop_label(build, key->label[i].key);
	labelled = find_label(build, key, &value);
	if (is_like_last(build, key, value, labelled))
		return;
	build->found |= labelled || (key->pid && part_by(build) == CG_BY_PID) ||
			(key->tid && part_by(build) == CG_BY_TID) ||
			(key->comm.len && part_by(build) == CG_BY_COMM);
	if (part_by(build) != CG_BY_NOTHING)
		part = find_part(build, key, value, labelled);
	(void)cg_build_end_run(build);
	if (build->part == part && is_other_thread(build, key))
		build->joined = true;
	build->part = part;
	describe_part(build, &build->graph->part[part], key);
	build->last = (struct cg_last_sample){ .known = true,
		.labelled = labelled,
		.pid = key->pid,
		.tid = key->tid,
		.comm = cg_add_name(build, key->comm),
		.label = cg_add_name(build, value) };
}

/* ---- The end ------------------------------------------------------------- */

/* What is said of an input as a whole goes for all parts that it became. */
static void
share_descs(struct cg_build *build)
{
	const struct cg_graph *graph = build->graph;

	for (cg_part part = 0; part < graph->parts; part++) {
		cg_part base = graph->part[part].base;
		size_t descs = graph->part[base].descs;

		if (!graph->part[part].sampled || base == part)
			continue;
		for (size_t i = 0; i < descs; i++)
			cg_part_desc_add(
			    build, part, graph->part[base].desc[i]);
	}
	for (cg_part part = 0; part < graph->parts; part++) {
		if (graph->part[part].label.key != 0)
			cg_part_desc_add(build, part, graph->part[part].label);
	}
}

/* Labels are lost with a note; that threads come together is what most want. */
static bool
tell_loss(struct cg_build *build, bool strict, bool verbose)
{
	enum cg_severity severity = strict ? CG_ERROR : CG_NOTE;
	bool lost = build->drops > 0 || build->joined;

	if (build->drops > 0)
		tell_drops(build, severity);
	if (build->joined && (strict || verbose))
		cg_diag_say(build->graph->diag, severity, NULL,
		    "samples of different threads are added up (--part-by "
		    "keeps them apart)");
	build->drops = 0;
	build->joined = false;
	return lost;
}

int
cg_samples_end(struct cg_build *build, bool strict, bool verbose)
{
	if (part_by(build) != CG_BY_NOTHING)
		share_descs(build);
	if (tell_loss(build, strict, verbose) && strict)
		return CG_ELOSS;
	if (part_by(build) != CG_BY_NOTHING && !build->found)
		cg_diag_say(build->graph->diag, CG_WARNING, NULL,
		    "nothing in the input tells its samples apart by %s",
		    build->by->text);
	return build->status;
}
