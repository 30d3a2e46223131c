/*
 * marked_fns.h - functions that a marker on their first line excludes.
 */
#ifndef CG_MARKED_FNS_H
#define CG_MARKED_FNS_H

#include "graph/excluded.h"
#include "graph/graph.h"

/* Starts as { graph }. */
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
 * A marker on that line and column of the current file. *found: a function
 * begins there, before the column, and its last line is known. Functions that
 * begin on later lines of it (lambdas) are not excluded. False: out of memory.
 */
bool cg_marked_fns_add(struct cg_marked_fns *, cg_file, uint32_t line,
    uint32_t column, unsigned what, bool *found);
/* Adds them to the ranges of the current file. False: out of memory. */
bool cg_marked_fns_merge(struct cg_marked_fns *, struct cg_excluded *);
void cg_marked_fns_free(struct cg_marked_fns *);

#endif
