/*
 * marked_fns.h - functions that a marker on their first line excludes.
 */
#ifndef CG_MARKED_FNS_H
#define CG_MARKED_FNS_H

#include "graph/excluded.h"
#include "graph/graph.h"

/* The caller sets graph; the rest is zero. */
struct cg_marked_fns {
	const struct cg_graph *graph;
	struct cg_fn_span *span; /* by file, first line and column */
	size_t spans;
	bool listed;
	struct cg_excluded_range *piece; /* of the current file */
	size_t pieces, cap;
	struct cg_excluded_step *step;
	size_t steps, step_cap;
};
/*
 * Handles a marker at a line and column of the current file: excludes the
 * flags in what for the function that begins on the line, before the column,
 * if its last line is known. *found: there is such a function. Functions that
 * begin on later lines within it (lambdas) are not excluded. False: out of
 * memory.
 */
bool cg_marked_fns_add(struct cg_marked_fns *, cg_file, uint32_t line,
    uint32_t column, unsigned what, bool *found);
/*
 * Adds the lines of these functions to the ranges of the current file. False:
 * out of memory.
 */
bool cg_marked_fns_merge(struct cg_marked_fns *, struct cg_excluded *);
void cg_marked_fns_free(struct cg_marked_fns *);

#endif
