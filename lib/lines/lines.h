/*
 * lines.h - rows by source file: what lines.c and line_batch.c collect,
 * line_order.c puts in order, line_sums.c adds up.
 */
#ifndef CG_LINES_H
#define CG_LINES_H

#include "graph/graph.h"

/* A function that is in the part. */
struct member {
	cg_fn fn;
	uint32_t run; /* of one part, or CG_NO_RUN */
	size_t visit; /* the first, until visits are sorted */
};

/* A function has rows in a file; or it is the function's own. */
struct visit {
	uint32_t file;   /* its place */
	uint32_t member; /* number */
	uint64_t rows;
};

/* A function on a line. */
struct line_row {
	uint64_t key; /* the file's place, the line, is it foreign */
	cg_fn fn;
	uint32_t n, branches;
	bool has_cost;
	size_t cost, branch; /* the first */
};

/* Lines have 32 bits; of files there are fewer than 2^31. */
static inline uint64_t
cg_row_key(uint32_t file, uint32_t line, bool foreign)
{
	return (uint64_t)file << 33 | (uint64_t)line << 1 | foreign;
}

static inline uint32_t
cg_row_file(const struct line_row *row)
{
	return (uint32_t)(row->key >> 33);
}

static inline uint32_t
cg_row_line(const struct line_row *row)
{
	return (uint32_t)(row->key >> 1);
}

/* Is the file not the function's own? */
static inline bool
cg_row_is_foreign(const struct line_row *row)
{
	return row->key & 1;
}

/* What is sorted, and where it was. */
struct keyed {
	uint64_t key;
	uint32_t index;
};

/* The same array again and again: twice as many as are sorted. */
struct sorting {
	struct keyed *item;
	size_t cap;
};

/* What cg_get_coverage() says of a member. */
struct covered {
	uint32_t member;
	struct cg_coverage sum;
};

/* Branches that functions have in common: where their sums are. */
struct shape {
	size_t base, n;
};

struct cg_lines {
	const struct cg_graph *graph;
	cg_part part;
	struct cg_rows *rows;
	struct sorting sorting;

	uint32_t *place;  /* by file: where it comes */
	cg_file *placed;  /* ... and which file comes there */
	uint32_t *folder; /* its place folder by folder; NULL: place is that */
	/* By first line, stated or the lowest with rows, column, number, rank. */
	struct member *member;
	size_t members, member_cap;
	struct visit *visit; /* by file, then member */
	size_t visits, visit_cap;
	struct visit *spare; /* for sorting them */
	size_t spare_cap;
	uint32_t *last;    /* by place: of its file the last visit + 1 */
	uint32_t *first;   /* by fn: its line; 0: not looked at */
	uint64_t *entries; /* by fn: calls of it */
	bool *called;      /* by fn: there is one */
	uint32_t *number;  /* by fn: which of its unit's it is */
	cg_fn *callee;     /* those that are called */
	size_t callees, callee_cap;

	size_t batch, batch_end; /* visits that are in it */
	uint32_t *opened;        /* by member: number of its last batch */
	size_t opened_cap;
	uint32_t batches;
	struct line_row *row;
	size_t row_count, row_cap;
	struct line_row *row_spare;
	size_t row_spare_cap;
	uint64_t *cost;
	size_t costs, cost_cap;
	struct cg_branch *branch;
	size_t branches, branch_cap;
	struct covered *covered; /* members of the batch, if files are listed */
	size_t covers, covered_cap;

	size_t from, to; /* visits of the file */
	size_t row_from, row_to, row_next;
	cg_fn *fn;
	uint32_t *fn_member; /* their numbers */
	size_t fns, fn_cap, fn_member_cap;

	struct cg_branch *sum; /* branches of all functions of a line */
	size_t sums, sum_cap;
	struct shape *shape; /* of functions that are alike */
	size_t shapes, shape_cap;
	uint32_t last_shape;     /* number + 1 */
	struct cg_map shape_ids; /* hash -> number + 1; of one shape: none */
};

/* ---- line_order.c: false where memory is out ---------------------------- */

/* Files folder by folder. */
bool cg_lines_place_files(struct cg_lines *);
/* Those that the part's source lists as it does; and back again. */
bool cg_lines_place_listed(struct cg_lines *);
void cg_lines_unplace_listed(struct cg_lines *);
/* Members, which came in_order of their ranks or not; then visits. */
bool cg_lines_order_members(struct cg_lines *, bool in_order);
/* The members of visits [from, to) that are in no batch yet, in order. */
struct keyed *cg_lines_order_batch(
    struct cg_lines *, size_t from, size_t to, size_t *count);
/* Rows, which came in the order of members. */
bool cg_lines_order_rows(struct cg_lines *);

/* ---- line_batch.c ------------------------------------------------------- */

/* Collects the rows of the next files, one at least; false: out of memory. */
bool cg_lines_open_batch(struct cg_lines *);
/* The end of the file's visits that begin at from; *rows: how many they see. */
size_t cg_lines_file_end(const struct cg_lines *, size_t from, uint64_t *rows);

#endif
