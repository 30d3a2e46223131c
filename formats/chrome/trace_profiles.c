/*
 * trace_profiles.c - CPU profiles of V8 that come in pieces, as events of a
 * trace.
 *
 * Source: traces of node 20 (--cpu-prof with the category v8.cpu_profiler) and
 * of Chrome's developer tools, 69 to 141. Their phase is P; their id tells the
 * profiles of one process apart:
 *
 *	name Profile: args.data.startTime; tid is the thread that is sampled
 *	name ProfileChunk: args.data.cpuProfile.nodes and .samples,
 *	    args.data.timeDeltas, as in a cpuprofile; at last data.endTime
 *
 * Nodes have the id of their parent; lists of children are ignored, as they
 * refer to later pieces. The older event CpuProfile has a thread's whole
 * profile as args.data.cpuProfile.
 */
#include <stdlib.h>

#include "trace_event.h"

/* Each page and worker has one profile; the search is linear. */
#define PROFILES_MAX 1024 /* as in the error message */

bool
chrome_is_profile(struct cg_slice event)
{
	return cg_equal(event, "ProfileChunk") || cg_equal(event, "Profile") ||
	       cg_equal(event, "CpuProfile");
}

/* ---- A piece ------------------------------------------------------------ */

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

/* Other events use these keys, too: values that are no arrays are skipped. */
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
	struct chrome_piece *piece = into;

	return take_numbers(
	    doc, 0, &piece->sample, &piece->samples, &piece->sample_cap);
}

static bool
take_deltas(struct cg_doc *doc, void *into)
{
	struct chrome_piece *piece = into;

	return take_numbers(
	    doc, 3, &piece->delta, &piece->deltas, &piece->delta_cap);
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
	return take_time(doc, &((struct chrome_piece *)into)->start);
}

static bool
take_end(struct cg_doc *doc, void *into)
{
	return take_time(doc, &((struct chrome_piece *)into)->end);
}

static bool take_inner(struct cg_doc *, void *into);

/* The keys of data; those of cpuProfile are the same but for the first. */
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
chrome_take_piece(struct cg_doc *doc, struct chrome_profiles *profiles)
{
	struct chrome_piece *piece = &profiles->piece;

	if (cg_doc_next(doc) != CG_JSON_OBJECT)
		return cg_doc_skip(doc);
	piece->tree.nodes = piece->tree.children = piece->tree.ticks = 0;
	cg_map_free(&piece->tree.ids);
	piece->samples = piece->deltas = 0;
	piece->start = piece->end = 0;
	piece->found = true;
	return cg_doc_fields(doc, fields, piece);
}

/* ---- A profile ---------------------------------------------------------- */

static struct chrome_traced *
find_profile(struct cg_doc *doc, struct chrome_profiles *profiles, uint64_t pid,
    uint64_t tid, cg_name id)
{
	struct chrome_traced *traced;

	for (size_t i = profiles->count; i-- > 0;) {
		traced = profiles->traced[i];
		if (traced->pid == pid && traced->id == id &&
		    (id != 0 || traced->tid == tid))
			return traced;
	}
	if (profiles->count >= PROFILES_MAX) {
		(void)cg_doc_fail(doc, "at most 1024 CPU profiles");
		return NULL;
	}
	if (!cg_doc_grow(doc, &profiles->traced, profiles->count,
		&profiles->cap, sizeof(traced)))
		return NULL;
	traced = calloc(1, sizeof(*traced));
	if (!traced) {
		(void)cg_reject_nomem(doc->job);
		return NULL;
	}
	traced->pid = pid;
	traced->tid = tid;
	traced->id = id;
	traced->profile.timed = true;
	return profiles->traced[profiles->count++] = traced;
}

static bool
add_node(struct cg_doc *doc, struct chrome_tree *tree,
    const struct chrome_node *node)
{
	uint32_t *index;

	if (!cg_doc_grow(
		doc, &tree->node, tree->nodes, &tree->node_cap, sizeof(*node)))
		return false;
	index = cg_map_at(&tree->ids, node->id);
	if (!index || tree->nodes >= UINT32_MAX)
		return cg_reject_nomem(doc->job);
	if (*index != 0)
		return cg_doc_fail(doc, "an id that no other node has");
	tree->node[tree->nodes++] = *node;
	*index = (uint32_t)tree->nodes;
	return true;
}

/* Appends the nodes of a piece. */
static bool
add_nodes(
    struct cg_doc *doc, struct chrome_tree *to, const struct chrome_tree *from)
{
	size_t base = to->nodes;

	for (size_t i = 0; i < from->nodes; i++) {
		struct chrome_node node = from->node[i];

		node.ticks = 0; /* traces have no positionTicks */
		if (node.parent != 0)
			node.parent += base;
		if (!add_node(doc, to, &node))
			return false;
	}
	return true;
}

/* A trace may have lost pieces, and so the nodes that they defined. */
static bool
add_missing(
    struct cg_doc *doc, struct chrome_tree *tree, uint64_t id, size_t *missing)
{
	const struct chrome_node node = { .id = id,
		.line = -1,
		.column = -1,
		.name = cg_add_name(doc->build, cg_slice("[unknown]")) };

	if (cg_map_get(&tree->ids, id) != 0)
		return true;
	++*missing;
	return add_node(doc, tree, &node);
}

bool
chrome_end_profile(struct cg_doc *doc, struct chrome_profile *profile)
{
	struct chrome_tree *tree = &profile->tree;
	size_t missing = 0, nodes = tree->nodes, at = 0;
	struct chrome_sum sum;
	bool good = true;

	for (size_t i = 0; good && i < nodes; i++) {
		if (tree->node[i].parent_id != 0)
			good = add_missing(
			    doc, tree, tree->node[i].parent_id, &missing);
	}
	while (good && chrome_next_sum(profile, &at, &sum))
		good = add_missing(doc, tree, sum.id, &missing);
	if (missing > 0)
		cg_warn(doc->job,
		    "%zu node%s of the CPU profile %s missing: the trace may "
		    "have lost events",
		    missing, missing == 1 ? "" : "s",
		    missing == 1 ? "is" : "are");
	return good;
}

struct chrome_traced *
chrome_add_piece(struct cg_doc *doc, struct chrome_profiles *profiles,
    uint64_t pid, uint64_t tid, cg_name id)
{
	struct chrome_piece *piece = &profiles->piece;
	struct chrome_traced *traced =
	    find_profile(doc, profiles, pid, tid, id);

	if (!traced || !add_nodes(doc, &traced->profile.tree, &piece->tree))
		return NULL;
	if (piece->samples != piece->deltas)
		cg_warn(doc->job, "there are not as many samples as times");
	for (size_t i = 0; i < piece->samples && i < piece->deltas; i++) {
		if (!chrome_add_sample(doc, &traced->profile, piece->sample[i],
			piece->delta[i]))
			return NULL;
	}
	if (piece->start != 0)
		traced->profile.start = piece->start;
	if (piece->end != 0)
		traced->profile.end = piece->end;
	return traced;
}

void
chrome_free_profiles(struct chrome_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		chrome_free_profile(&profiles->traced[i]->profile);
		free(profiles->traced[i]);
	}
	free(profiles->traced);
	chrome_free_tree(&profiles->piece.tree);
	free(profiles->piece.sample);
	free(profiles->piece.delta);
}
