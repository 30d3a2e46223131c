/*
 * lines.h - rows by source file: what lines.c collects, line_sums.c adds up.
 */
#ifndef CG_LINES_H
#define CG_LINES_H

#include "graph.h"

/* A function has rows in a file; or it is the function's own. */
struct visit {
	uint32_t file; /* its place */
	cg_fn fn;
	uint64_t rows;
};

/* What functions of a file are ordered by. */
struct fn_key {
	uint32_t foreign; /* the file is not its own */
	uint32_t first, column, number, rank;
	cg_fn fn;
};

/* A function on a line. */
struct line_row {
	uint32_t file, line; /* the file's place */
	struct fn_key key;
	uint32_t n, branches;
	size_t cost, branch; /* the first */
	bool has_cost;
};

struct cg_lines {
	const struct cg_graph *graph;
	cg_part part;
	struct cg_rows *rows;

	uint32_t *place; /* by file: folder by folder, where it comes */
	cg_file *placed; /* ... and which file comes there */
	struct visit *visit; /* by file, then rank of fn */
	size_t visits, visit_cap;
	uint32_t *first;   /* by fn: its line, stated or the lowest with rows */
	uint64_t *entries; /* by fn: calls of it */
	bool *called;      /* by fn: there is one */
	uint32_t *number;  /* by fn: which of its unit's it is */

	size_t batch_end; /* visits before it are in the batch */
	uint32_t *opened; /* by fn: number of its last batch */
	uint32_t batches;
	struct line_row *row;
	size_t row_count, row_cap;
	uint64_t *cost;
	size_t costs, cost_cap;
	struct cg_branch *branch;
	size_t branches, branch_cap;

	size_t from, to; /* visits of the file */
	size_t row_from, row_to, row_next;
	struct fn_key *key;
	size_t key_cap;
	cg_fn *fn;
	size_t fns, fn_cap;

	struct cg_branch *sum; /* branches of all functions of a line */
	size_t sums, sum_cap;
};

#endif
