/*
 * scope.c - drops what --include, --exclude and --root leave of a coverage run
 * outside of its scope.
 *
 * The builder has dropped the rows in files that are excluded, and keeps the
 * functions of these files, without a file, as they may have rows in others.
 * Most have none: of a C++ program, those of std. What is left of them says
 * that they exist and how often they were called.
 */
#include <stdlib.h>

#include "algo/algo.h"
#include "algo/copy.h"

struct scope {
	struct cg_copy copy;
	struct cg_rows *rows;
	bool *out; /* by fn: out of scope */
};

static bool
is_coverage(const struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->events; i++) {
		if (graph->event[i].incl == CG_INCL_NONE)
			return true;
	}
	return false;
}

/*
 * True if the opened function of the cursor has a cost, call, jump or branch.
 * Raw counters, which have no file, do not count. Moves the cursor: the caller
 * opens the function again to read its rows.
 */
static bool
has_rows(struct cg_rows *rows)
{
	struct cg_branch branch;
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;

	if (cg_next_cost(rows, &cost) || cg_next_call(rows, &call) ||
	    cg_next_jump(rows, &jump))
		return true;
	/* Raw counters have no file. */
	while (cg_next_branch(rows, &branch)) {
		if (branch.kind != CG_BRANCH_COUNTER)
			return true;
	}
	return false;
}

/*
 * Clears s->out for the functions that the opened function calls, so that they
 * are kept. Not to be used for function 0, the unknown caller, whose calls
 * only count entries.
 */
static void
keep_callees(struct scope *s)
{
	struct cg_call call;

	while (cg_next_call(s->rows, &call))
		s->out[call.callee] = false;
}

/*
 * Sets s->out for the functions to drop: those without a file that have no
 * rows, are on no stack, and are called by no known function. False: out of
 * memory, or the rows could not be read (reported).
 */
static bool
find_out(struct scope *s)
{
	const struct cg_graph *from = s->copy.from;
	cg_fn fn;

	for (cg_fn i = 1; i < from->fns; i++)
		s->out[i] = from->fn[i].file == 0;
	for (size_t i = 1; i < from->frames; i++)
		s->out[from->frame[i].fn] = false;
	for (cg_part part = 0; part < from->parts; part++)
		for (size_t i = 0; cg_next_fn(from, part, &i, &fn);) {
			if (fn == 0)
				continue;
			if (!cg_rows_open(s->rows, part, fn))
				return false;
			if (s->out[fn] && has_rows(s->rows))
				s->out[fn] = false;
			if (!cg_rows_open(s->rows, part, fn))
				return false;
			keep_callees(s);
		}
	return *from->fault == CG_OK;
}

static int
fill(struct scope *s, const struct cg_map *excluded)
{
	struct cg_copy *copy = &s->copy;
	const struct cg_graph *from = copy->from;

	cg_copy_events(copy);
	for (uint32_t i = 1; i < from->objects.count; i++)
		copy->object[i] =
		    cg_add_object(copy->to, cg_object_path(from, i));
	for (cg_file i = 1; i < from->files.count; i++) {
		if (cg_map_get(excluded, i) == 0)
			cg_copy_file(copy, i);
	}
	for (cg_fn i = 1; i < from->fns; i++) {
		if (!s->out[i])
			cg_copy_fn(copy, i, i);
	}
	copy->hidden = s->out;
	return cg_copy_rows(copy);
}

int
cg_graph_keep_scope(struct cg_graph **graph, const struct cg_map *excluded)
{
	struct cg_build to;
	struct scope s = { .copy = { .from = *graph, .to = &to } };
	int status = CG_ELIMIT;

	if (!is_coverage(*graph))
		return CG_OK;
	cg_build_init(
	    &to, cg_graph_new((*graph)->diag, (*graph)->fault), CG_PARTS_KEEP);
	s.rows = cg_rows_new(*graph);
	s.out = calloc((*graph)->fns, sizeof(*s.out));
	if (to.graph && s.rows && s.out && cg_copy_open(&s.copy) &&
	    find_out(&s))
		status = fill(&s, excluded);
	else
		cg_graph_nomem(*graph);
	cg_copy_close(&s.copy);
	cg_rows_free(s.rows);
	free(s.out);
	if (status == CG_OK)
		status = cg_graph_complete(to.graph);
	cg_build_free(&to);
	if (status != CG_OK) {
		cg_graph_free(to.graph);
		return status;
	}
	cg_graph_free(*graph);
	*graph = to.graph;
	return CG_OK;
}
