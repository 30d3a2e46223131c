/*
 * join.c - a graph is added to another, row by row, as if a reader had read
 * what is in it.
 *
 * So what one input knows without its object meets what another knows with it,
 * coverage and a profile of the same program: a function of an unknown object
 * becomes the one of the same file and name in a known object, if there is
 * just one, in a graph that is built anew. Counts of its calls by nobody known
 * (all that coverage has) give way to those by callers.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct copy {
	const struct cg_graph *from;
	struct cg_build *to;
	struct cg_map known; /* file << 32 | name -> a function's id + 1 */
	cg_object *object;   /* old id -> new */
	cg_file *file;
	cg_fn *fn;
	cg_node *node;
	struct cg_columns columns;   /* where its events are there */
	uint64_t cost[CG_EVENT_MAX]; /* of a row, with all of its columns */
};

#define SEVERAL UINT32_MAX

static uint64_t
key_of(const struct cg_fn_entry *fn)
{
	return (uint64_t)fn->file << 32 | fn->name;
}

/* Notes the functions of known objects. False: out of memory. */
static bool
note_known(struct copy *copy)
{
	const struct cg_graph *graph = copy->from;

	for (cg_fn fn = 1; fn < graph->fns; fn++) {
		uint32_t *id;

		if (graph->fn[fn].object == 0)
			continue;
		id = cg_map_at(&copy->known, key_of(&graph->fn[fn]));
		if (!id)
			return false;
		*id = *id == 0 ? fn + 1 : SEVERAL;
	}
	return true;
}

/* Whom the function joins: another, or itself. */
static cg_fn
find_partner(const struct copy *copy, cg_fn fn)
{
	const struct cg_fn_entry *entry = &copy->from->fn[fn];
	uint32_t id;

	if (entry->object != 0 || entry->file == 0 || entry->name == 0)
		return fn;
	id = cg_map_get(&copy->known, key_of(entry));
	return id == 0 || id == SEVERAL ? fn : id - 1;
}

static bool
has_partners(const struct copy *copy)
{
	for (cg_fn fn = 1; copy->known.count > 0 && fn < copy->from->fns;
	     fn++) {
		if (find_partner(copy, fn) != fn)
			return true;
	}
	return false;
}

/* ---- Dimensions --------------------------------------------------------- */

static cg_name
copy_str(struct copy *copy, cg_str str)
{
	return cg_add_name(copy->to, cg_strs_get(&copy->from->strs, str));
}

static void
copy_events(struct copy *copy)
{
	for (size_t i = 0; i < copy->from->events; i++)
		(void)cg_add_column(
		    &copy->columns, copy->to, &copy->from->event[i]);
	for (size_t i = 0; i < copy->from->formulas; i++)
		cg_add_formula(copy->to, &copy->from->formula[i].event);
	cg_set_grain(copy->to, copy->from->grain);
}

static void
copy_fns(struct copy *copy)
{
	const struct cg_graph *from = copy->from;

	for (uint32_t i = 1; i < from->objects.count; i++)
		copy->object[i] =
		    cg_add_object(copy->to, cg_object_path(from, i));
	for (uint32_t i = 1; i < from->files.count; i++) {
		copy->file[i] = cg_add_file(copy->to, cg_file_path(from, i));
		cg_set_file_given(
		    copy->to, copy->file[i], cg_file_given(from, i));
	}
	for (cg_fn i = 1; i < from->fns; i++) {
		const struct cg_fn_entry *fn = &from->fn[find_partner(copy, i)];

		copy->fn[i] = cg_add_fn_symbol(copy->to,
		    copy_str(copy, fn->name), copy->file[fn->file],
		    copy->object[fn->object], copy_str(copy, fn->symbol));
		cg_set_fn_range(copy->to, copy->fn[i], &from->fn[i].range);
	}
}

static struct cg_pos
copy_pos(const struct copy *copy, struct cg_pos pos)
{
	pos.file = copy->file[pos.file];
	return pos;
}

static void
copy_nodes(struct copy *copy)
{
	for (cg_node i = 1; i < copy->from->nodes; i++) {
		const struct cg_node_entry *node = &copy->from->node[i];
		const struct cg_pos pos = copy_pos(copy, node->pos);

		copy->node[i] = cg_add_frame(copy->to, copy->node[node->parent],
		    copy->fn[node->fn], &pos, node->inlined);
	}
}

/* A row's costs where their events are; till the next call. */
static const uint64_t *
copy_costs(struct copy *copy, const uint64_t *cost, size_t *n)
{
	if (!copy->columns.moved || *n == 0)
		return cost;
	memcpy(copy->cost, cost, *n * sizeof(*cost));
	memset(copy->cost + *n, 0,
	    (copy->from->events - *n) * sizeof(*copy->cost));
	*n = copy->columns.width;
	return cg_columns_of(&copy->columns, copy->cost);
}

/* ---- Rows --------------------------------------------------------------- */

static void
copy_calls(struct copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_call call;

	while (cg_next_call(rows, &call)) {
		const struct cg_pos site = copy_pos(copy, call.site);

		if (fn == 0 && call.n == 0 &&
		    find_partner(copy, call.callee) != call.callee)
			continue;
		call.cost = copy_costs(copy, call.cost, &call.n);
		(void)cg_add_call(copy->to, fn, &site, copy->fn[call.callee],
		    &call.entry, call.count, call.cost, call.n);
	}
}

static void
copy_rows(struct copy *copy, struct cg_rows *rows, cg_fn fn)
{
	struct cg_branch branch;
	struct cg_cost cost;
	struct cg_jump jump;

	while (cg_next_cost(rows, &cost)) {
		const struct cg_pos pos = copy_pos(copy, cost.pos);

		cost.cost = copy_costs(copy, cost.cost, &cost.n);
		(void)cg_add_cost(copy->to, fn, &pos, cost.cost, cost.n);
	}
	copy_calls(copy, rows, fn);
	while (cg_next_jump(rows, &jump)) {
		const struct cg_pos from = copy_pos(copy, jump.from);
		const struct cg_pos to = copy_pos(copy, jump.to);

		cg_add_jump(copy->to, fn, &from, copy->fn[jump.target], &to,
		    jump.conditional, jump.executed, jump.followed);
	}
	while (cg_next_branch(rows, &branch)) {
		branch.pos = copy_pos(copy, branch.pos);
		branch.label = copy_str(copy, branch.label);
		(void)cg_add_branch(copy->to, fn, &branch);
	}
	if (cg_stated_inclusive(rows, &cost)) {
		cost.cost = copy_costs(copy, cost.cost, &cost.n);
		cg_add_inclusive(copy->to, fn, cost.cost, cost.n);
	}
}

static void
copy_part(struct copy *copy, struct cg_rows *rows, cg_part part)
{
	const char *key, *value;
	struct cg_stack_cost stack;
	cg_fn fn;

	(void)cg_add_part(copy->to, cg_get_part(copy->from, part));
	for (size_t i = 0; cg_part_desc(copy->from, part, i, &key, &value); i++)
		cg_add_desc(copy->to, cg_slice(key), cg_slice(value));
	for (size_t i = 0; cg_next_fn(copy->from, part, &i, &fn);) {
		if (cg_rows_open(rows, part, fn))
			copy_rows(copy, rows, copy->fn[fn]);
	}
	for (size_t i = 0; cg_next_stack(copy->from, part, &i, &stack);) {
		stack.cost = copy_costs(copy, stack.cost, &stack.n);
		cg_add_stack(copy->to, copy->node[stack.leaf], stack.samples,
		    stack.cost, stack.n);
	}
}

static bool
open_copy(struct copy *copy)
{
	const struct cg_graph *from = copy->from;

	copy->object = calloc(from->objects.count, sizeof(*copy->object));
	copy->file = calloc(from->files.count, sizeof(*copy->file));
	copy->fn = calloc(from->fns, sizeof(*copy->fn));
	copy->node = calloc(from->nodes, sizeof(*copy->node));
	return copy->object && copy->file && copy->fn && copy->node;
}

static int
copy_graph(struct copy *copy)
{
	struct cg_rows *rows = cg_rows_new(copy->from);
	int status;

	if (!rows || !open_copy(copy)) {
		cg_graph_nomem(copy->from);
		status = CG_ELIMIT;
	} else {
		copy_events(copy);
		copy_fns(copy);
		copy_nodes(copy);
		for (cg_part i = 0; i < copy->from->parts; i++)
			copy_part(copy, rows, i);
		status = cg_build_failed(copy->to, NULL);
	}
	cg_rows_free(rows);
	free(copy->object);
	free(copy->file);
	free(copy->fn);
	free(copy->node);
	return *copy->from->fault != CG_OK ? *copy->from->fault : status;
}

int
cg_graph_add(struct cg_build *to, const struct cg_graph *from)
{
	struct copy copy = { .from = from, .to = to };

	return copy_graph(&copy);
}

/* The graph with its functions united. */
static int
unite(struct copy *copy, struct cg_graph **graph)
{
	struct cg_build build;
	int status;

	*graph = cg_graph_new(copy->from->diag, copy->from->fault);
	if (!*graph) {
		cg_graph_nomem(copy->from);
		return CG_ELIMIT;
	}
	cg_build_init(&build, *graph, CG_PARTS_KEEP);
	copy->to = &build;
	status = copy_graph(copy);
	cg_build_free(&build);
	return status;
}

int
cg_graph_join(struct cg_graph **graph)
{
	struct copy copy = { .from = *graph };
	struct cg_graph *united = NULL;
	int status = CG_OK;

	if (!note_known(&copy)) {
		cg_graph_nomem(*graph);
		status = CG_ELIMIT;
	} else if (has_partners(&copy)) {
		status = unite(&copy, &united);
	}
	cg_map_free(&copy.known);
	if (status != CG_OK || !united) {
		cg_graph_free(united);
		return status;
	}
	cg_graph_free(*graph);
	*graph = united;
	status = cg_formulas_resolve(*graph);
	return status == CG_OK ? cg_graph_seal(*graph) : status;
}
