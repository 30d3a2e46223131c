/*
 * excluded.h - source lines that coverage does not count: excluded by markers
 * in the sources, by patterns, or by a patch that does not change them.
 */
#ifndef CG_EXCLUDED_H
#define CG_EXCLUDED_H

#include "base/base.h"
#include "graph/graph.h"

#define CG_EXCLUDE_LINES 1u    /* everything on the line */
#define CG_EXCLUDE_BRANCHES 2u /* branches and conditions of the line */
#define CG_EXCLUDE_THROWS 4u   /* exception branches of the line */
#define CG_EXCLUDE_UNRUN 8u    /* everything on the line that never ran */

struct cg_excluded_range {
	uint32_t first, last; /* lines */
	unsigned what;
};

struct cg_excluded {
	size_t *begin;        /* by file: its first range; then the end */
	size_t files;
	size_t done;          /* files that were begun */
	struct cg_excluded_range *range; /* of a file: ascending */
	bool internal_fns;    /* state of cg_drops_internal() */
	size_t ranges, cap;
};

/* NULL: out of memory. Files are added by number, from 0. */
struct cg_excluded *cg_excluded_new(size_t files);
void cg_excluded_free(struct cg_excluded *);
/* Begins the next file, to which later ranges belong. */
void cg_excluded_begin(struct cg_excluded *);
/*
 * Adds a range; the ranges of a file must ascend and not overlap. False: out
 * of memory.
 */
bool cg_excluded_add(struct cg_excluded *, const struct cg_excluded_range *);
/* The range of a line, or NULL. */
const struct cg_excluded_range *cg_excluded_find(
    const struct cg_excluded *, cg_file, uint32_t line);

/* The CG_EXCLUDE_* flags of a line. */
static inline unsigned
cg_excluded_at(const struct cg_graph *graph, cg_file file, uint32_t line)
{
	const struct cg_excluded_range *marked =
	    graph->excluded ? cg_excluded_find(graph->excluded, file, line)
			    : NULL;
	const struct cg_excluded_range *unchanged =
	    graph->unchanged ? cg_excluded_find(graph->unchanged, file, line)
			     : NULL;

	return (marked ? marked->what : 0) | (unchanged ? unchanged->what : 0);
}
/*
 * True if the function on these lines is excluded: its first line is excluded
 * (geninfo's rule), or the patch changes none of its lines.
 */
bool cg_fn_excluded(
    const struct cg_graph *, cg_file, uint32_t first, uint32_t last);

#endif
