/*
 * tree.c - trees of call frames of V8: read from JSON, added as stacks.
 *
 * Source: js_protocol.pdl of V8 (Profiler.ProfileNode, Runtime.CallFrame,
 * HeapProfiler.SamplingHeapProfileNode). Lines and columns of a frame count
 * from 0 and are those of the function's definition; lines of positionTicks
 * count from 1. A node has the ids of its children, or the id of its parent.
 * In heap profiles and in CPU profiles of Chrome before 58 a node contains its
 * children. CPU profiles of Chrome before 58 have no callFrame, and count
 * lines from 1.
 */
#include "chrome.h"

#define ROOT "(root)" /* V8's name for the bottom of all stacks */

/* ---- From JSON ---------------------------------------------------------- */

static bool
take_ticks(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "line",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct chrome_tick, line) },
		{ .name = "ticks",
		    .type = CG_FIELD_COUNT,
		    .offset = offsetof(struct chrome_tick, count) },
		{ 0 },
	};
	struct chrome_tree *tree = doc->arg;
	struct chrome_node *node = into;

	node->tick = (uint32_t)tree->tick.n;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		struct chrome_tick tick = { 0 };

		if (!cg_doc_fields(doc, fields, &tick))
			return false;
		if (tick.line > UINT32_MAX || tree->tick.n == UINT32_MAX)
			return cg_doc_fail(doc, "a line number");
		if (!cg_append(doc->job, &tree->tick, tick))
			return false;
	}
	node->ticks = (uint32_t)tree->tick.n - node->tick;
	return true;
}

/*
 * Reads the id of a script: a string, or a number in old profiles. The id 0
 * means that the function is built into V8. Sets node->builtin to whether the
 * id is 0. Always returns true; after an error, doc->status is set.
 */
static bool
take_script(struct cg_doc *doc, void *into)
{
	struct chrome_node *node = into;
	struct cg_slice id;
	int64_t number;

	if (cg_doc_next(doc) == CG_JSON_NUMBER) {
		node->builtin = cg_doc_number(doc, 0, &number) && number == 0;
		return true;
	}
	node->builtin = cg_doc_text(doc, &id) && cg_equal(id, "0");
	return true;
}

#define FRAME_FIELDS                                                           \
	{ .name = "functionName",                                              \
		.type = CG_FIELD_NAME,                                         \
		.offset = offsetof(struct chrome_node, name) },                \
	    { .name = "url",                                                   \
		    .type = CG_FIELD_NAME,                                     \
		    .offset = offsetof(struct chrome_node, url) },             \
	    { .name = "lineNumber",                                            \
		    .type = CG_FIELD_INT,                                      \
		    .offset = offsetof(struct chrome_node, line) },            \
	    { .name = "columnNumber",                                          \
		    .type = CG_FIELD_INT,                                      \
		    .offset = offsetof(struct chrome_node, column) },          \
	{                                                                      \
		.name = "scriptId", .type = CG_FIELD_CALL, .take = take_script \
	}

static bool
take_call_frame(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = { FRAME_FIELDS, { 0 } };
	struct chrome_node *node = into;

	node->old = false;
	return cg_doc_fields(doc, fields, into);
}

/* hitCount is in CPU profiles, selfSize in heap profiles. */
static const struct cg_field node_fields[] = {
	{ .name = "id",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chrome_node, id) },
	{ .name = "callFrame", .type = CG_FIELD_CALL, .take = take_call_frame },
	{ .name = "hitCount",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chrome_node, cost) },
	{ .name = "selfSize",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chrome_node, cost) },
	{ .name = "parent",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct chrome_node, parent_id) },
	{ .name = "positionTicks", .type = CG_FIELD_CALL, .take = take_ticks },
	FRAME_FIELDS,
	{ 0 },
};

static bool
open_node(struct cg_doc *doc, struct chrome_tree *tree, uint64_t parent)
{
	const struct chrome_node node = {
		.parent = parent, .line = -1, .column = -1, .old = true
	};

	if (!cg_doc_object(doc))
		return false;
	if (tree->node.n == UINT32_MAX)
		return cg_doc_fail(doc, "fewer than 2^32 nodes");
	return cg_append(doc->job, &tree->node, node);
}

static bool
close_node(struct cg_doc *doc, struct chrome_tree *tree, size_t at)
{
	struct chrome_node *node = &tree->node.at[at];
	uint32_t *index;

	if (node->old) {
		node->line -= node->line >= 0;
		node->column -= node->column >= 0;
	}
	if (node->id == 0)
		return true;
	index = cg_map_in(doc->job, &tree->ids, node->id);
	if (!index)
		return false;
	if (*index != 0)
		return cg_doc_fail(doc, "an id that no other node has");
	*index = (uint32_t)at + 1;
	return true;
}

/*
 * Reads an array of the ids of a node's children, and appends them to
 * tree->child. If it contains nodes instead, sets *nested and stops before the
 * first node, for the caller to read. False: an error (reported).
 */
static bool
take_children(
    struct cg_doc *doc, struct chrome_tree *tree, size_t parent, bool *nested)
{
	struct chrome_child child = { .parent = parent };
	int64_t id;

	*nested = false;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		*nested = cg_doc_next(doc) == CG_JSON_OBJECT;
		if (*nested)
			return true;
		if (!cg_doc_number(doc, 0, &id))
			return false;
		child.id = (uint64_t)id;
		if (!cg_append(doc->job, &tree->child, child))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Reads a node of doc->arg's tree and the nodes inside it. Uses a loop, as
 * nodes nest as deep as JSON may, too deep for recursion. Has the parameters
 * of a cg_field's take(); "into" is not used. False: an error (reported).
 */
bool
chrome_take_node(struct cg_doc *doc, void *into)
{
	struct chrome_tree *tree = doc->arg;
	size_t path[CG_JSON_DEPTH], depth = 1, at;
	struct cg_slice key;
	bool down;

	(void)into;
	path[0] = tree->node.n;
	if (!open_node(doc, tree, 0))
		return false;
	while (depth > 0) {
		at = path[depth - 1];
		if (!cg_doc_key(doc, &key)) {
			if (doc->status != CG_OK || !close_node(doc, tree, at))
				return false;
			down = --depth > 0 && cg_doc_item(doc);
		} else if (cg_equal(key, "children")) {
			if (!take_children(doc, tree, at, &down))
				return false;
		} else {
			down = false;
			if (!cg_doc_field(
				doc, node_fields, key, &tree->node.at[at]))
				return false;
		}
		if (!down)
			continue;
		at = path[depth - 1] + 1;
		path[depth++] = tree->node.n;
		if (!open_node(doc, tree, at))
			return false;
	}
	return true;
}

/* ---- Into stacks -------------------------------------------------------- */

struct chrome_node *
chrome_find_node(struct cg_doc *doc, struct chrome_tree *tree, uint64_t id)
{
	uint32_t index = cg_map_get(&tree->ids, id);

	if (index != 0)
		return &tree->node.at[index - 1];
	(void)cg_doc_fail(doc, "nodes with all ids that are referred to");
	return NULL;
}

static bool
set_parent(struct cg_doc *doc, struct chrome_node *node, uint64_t parent)
{
	if (node->parent != 0 && node->parent != parent)
		return cg_doc_fail(doc, "nodes with one parent");
	node->parent = parent;
	return true;
}

bool
chrome_link_tree(struct cg_doc *doc, struct chrome_tree *tree)
{
	struct chrome_node *node, *parent;

	for (size_t i = 0; i < tree->child.n; i++) {
		const struct chrome_child *child = &tree->child.at[i];

		node = chrome_find_node(doc, tree, child->id);
		if (!node || !set_parent(doc, node, child->parent + 1))
			return false;
	}
	for (size_t i = 0; i < tree->node.n; i++) {
		node = &tree->node.at[i];
		if (node->parent_id == 0)
			continue;
		parent = chrome_find_node(doc, tree, node->parent_id);
		if (!parent || !set_parent(doc, node,
				   (uint64_t)(parent - tree->node.at) + 1))
			return false;
	}
	return true;
}

static uint32_t
from_one(int64_t number)
{
	return number >= 0 && number < UINT32_MAX ? (uint32_t)number + 1 : 0;
}

static void
add_function(struct cg_build *build, struct chrome_node *node)
{
	struct cg_slice name = cg_get_name(build, node->name);
	struct cg_slice url = cg_get_name(build, node->url);
	cg_object object = 0;

	(void)cg_take_prefix(&url, "file://");
	if (node->builtin && url.len == 0)
		object = cg_add_object(build, cg_slice(CHROME_BUILTIN));
	if (name.len == 0)
		name = cg_slice(CHROME_ANONYMOUS);
	node->pos.file = cg_add_file(build, url);
	node->pos.line = from_one(node->line);
	node->fn = cg_add_fn_at(build, name, node->pos.file, object,
	    node->pos.line, from_one(node->column));
}

/*
 * True if the node is V8's root "(root)", which is not a function. It is
 * dropped, as no other format has one.
 */
static bool
is_root(const struct cg_doc *doc, const struct chrome_node *node)
{
	return node->parent == 0 &&
	       cg_equal(cg_get_name(doc->build, node->name), ROOT);
}

static void
add_frame(
    struct cg_doc *doc, struct chrome_tree *tree, struct chrome_node *node)
{
	const struct chrome_node *parent;

	if (node->parent != 0) {
		parent = &tree->node.at[node->parent - 1];
		node->below = is_root(doc, parent) ? 0 : parent->frame;
	}
	node->framed = true;
	if (is_root(doc, node))
		return; /* its own costs have no stack */
	add_function(doc->build, node);
	node->frame =
	    cg_add_frame(doc->build, node->below, node->fn, &node->pos, false);
}

cg_node
chrome_add_frames(
    struct cg_doc *doc, struct chrome_tree *tree, struct chrome_node *node)
{
	size_t at = (size_t)(node - tree->node.at) + 1;

	tree->path.n = 0;
	for (; at != 0 && !tree->node.at[at - 1].framed;
	     at = (size_t)tree->node.at[at - 1].parent) {
		if (tree->path.n == tree->node.n) {
			(void)cg_doc_fail(doc, "parents without a cycle");
			return 0;
		}
		if (!cg_append(doc->job, &tree->path, at - 1))
			return 0;
	}
	while (tree->path.n > 0)
		add_frame(
		    doc, tree, &tree->node.at[tree->path.at[--tree->path.n]]);
	return node->frame;
}
