/*
 * trace_profiles.c - CPU profiles of V8 that come in pieces, as events of a
 * trace.
 *
 * Source: traces of node 20 (--cpu-prof with the category v8.cpu_profiler) and
 * of Chrome's developer tools, 69 to 141. The events have the phase P; their
 * id identifies the profile in the process:
 *
 *	name Profile: args.data.startTime; tid is the thread that is sampled
 *	name ProfileChunk: args.data.cpuProfile.nodes and .samples,
 *	    args.data.timeDeltas, as in a cpuprofile; at last data.endTime
 *
 * Nodes have the id of their parent; lists of children are ignored, as they
 * refer to later pieces. The older event CpuProfile has a thread's whole
 * profile as args.data.cpuProfile.
 */
#include "trace_event.h"

/* Each page and worker has one profile, so a linear search is fast enough. */
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

/*
 * Reads an array of numbers, and appends each of them, times 10^digits, to the
 * list. Skips a value that is no array, as other events may use the same key.
 * False: an error (reported).
 */
static bool
take_numbers(struct cg_doc *doc, unsigned digits, struct chrome_list *list)
{
	int64_t number;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, digits, &number) ||
		    !cg_append(doc->job, &list->number, number))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_samples(struct cg_doc *doc, void *into)
{
	return take_numbers(doc, 0, &((struct chrome_piece *)into)->samples);
}

static bool
take_deltas(struct cg_doc *doc, void *into)
{
	return take_numbers(doc, 3, &((struct chrome_piece *)into)->deltas);
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

/* The keys of data; cpuProfile has the same keys except the first one. */
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
	piece->tree.node.n = piece->tree.child.n = piece->tree.tick.n = 0;
	cg_map_clear(&piece->tree.ids);
	piece->samples.number.n = piece->deltas.number.n = 0;
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

	for (size_t i = profiles->traced.n; i-- > 0;) {
		traced = profiles->traced.at[i];
		if (traced->pid == pid && traced->id == id &&
		    (id != 0 || traced->tid == tid))
			return traced;
	}
	if (profiles->traced.n >= PROFILES_MAX) {
		(void)cg_doc_fail(doc, "at most 1024 CPU profiles");
		return NULL;
	}
	traced = cg_alloc(doc->job, sizeof(*traced));
	if (!traced || !cg_append(doc->job, &profiles->traced, traced))
		return NULL;
	traced->pid = pid;
	traced->tid = tid;
	traced->id = id;
	traced->profile.timed = true;
	return traced;
}

static bool
add_node(struct cg_doc *doc, struct chrome_tree *tree,
    const struct chrome_node *node)
{
	uint32_t *index;

	index = cg_map_in(doc->job, &tree->ids, node->id);
	if (!index)
		return false;
	if (tree->node.n >= UINT32_MAX)
		return cg_reject_nomem(doc->job);
	if (*index != 0)
		return cg_doc_fail(doc, "an id that no other node has");
	if (!cg_append(doc->job, &tree->node, *node))
		return false;
	*index = (uint32_t)tree->node.n;
	return true;
}

/*
 * Appends the nodes of "from", the tree of one piece, to "to", the tree of the
 * whole profile. A node's parent is an index in its tree. So adds the number
 * of nodes that "to" had before to the indices of parents. False: an error
 * (reported).
 */
static bool
add_nodes(
    struct cg_doc *doc, struct chrome_tree *to, const struct chrome_tree *from)
{
	size_t base = to->node.n;

	for (size_t i = 0; i < from->node.n; i++) {
		struct chrome_node node = from->node.at[i];

		node.ticks = 0; /* traces have no positionTicks */
		if (node.parent != 0)
			node.parent += base;
		if (!add_node(doc, to, &node))
			return false;
	}
	return true;
}

/*
 * Adds a node "[unknown]" if no piece of the profile has a node with this id,
 * and increments *missing. A trace may lose pieces, so samples or other nodes
 * may refer to nodes that are not there. Does nothing if there is such a node.
 * False: an error (reported).
 */
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
	size_t missing = 0, nodes = tree->node.n, at = 0;
	struct chrome_sum sum;
	bool good = true;

	for (size_t i = 0; good && i < nodes; i++) {
		if (tree->node.at[i].parent_id != 0)
			good = add_missing(
			    doc, tree, tree->node.at[i].parent_id, &missing);
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
	size_t samples = piece->samples.number.n;
	size_t deltas = piece->deltas.number.n;
	struct chrome_traced *traced =
	    find_profile(doc, profiles, pid, tid, id);

	if (!traced || !add_nodes(doc, &traced->profile.tree, &piece->tree))
		return NULL;
	if (samples != deltas)
		cg_warn(doc->job, "there are not as many samples as times");
	for (size_t i = 0; i < samples && i < deltas; i++) {
		if (!chrome_add_sample(doc, &traced->profile,
			piece->samples.number.at[i],
			piece->deltas.number.at[i]))
			return NULL;
	}
	if (piece->start != 0)
		traced->profile.start = piece->start;
	if (piece->end != 0)
		traced->profile.end = piece->end;
	return traced;
}
