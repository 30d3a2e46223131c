/*
 * row_sums.h - sums of rows of a graph that does not have them yet.
 */
#ifndef CG_ROW_SUMS_H
#define CG_ROW_SUMS_H

#include "graph/build.h"

#define CG_NO_FRAME UINT32_MAX /* the row has no position */
#define CG_NO_CALLEE UINT32_MAX

/*
 * A call; without callee, self costs; without position, too, inclusive costs,
 * whose count is of repeats. Frames stand for their positions.
 */
struct cg_row_key {
	cg_part part;
	cg_fn fn;
	uint32_t frame;
	cg_fn callee;
};

struct cg_row_sum {
	struct cg_row_key key;
	uint64_t count; /* of calls or repeats: see cg_run_add_inclusive() */
	uint64_t cost[];
};

/* Rows that wait to be added. */
#define CG_ROWS_AT_ONCE 16
struct cg_row_queue {
	void *row; /* struct cg_row_sum, as many columns as sums have */
	size_t count;
	uint32_t hash[CG_ROWS_AT_ONCE];
};

struct cg_row_sums {
	void *sum; /* struct cg_row_sum, width columns each */
	size_t count, cap, width;
	struct cg_slots slots; /* of index in sum, + 1 */
	struct cg_row_queue queue;
};

/* Adds one row to the graph. False: out of memory, or a sum overflows. */
bool cg_row_put(struct cg_graph *, const struct cg_row_key *, uint64_t count,
    const uint64_t *cost, size_t n);
/*
 * Adds to the row of that key. A row exists even if all that was added to it is
 * 0. False: out of memory, or a sum exceeds 64 bits; cg_build_nomem() reports.
 */
bool cg_row_sums_add(struct cg_row_sums *, const struct cg_graph *,
    const struct cg_row_key *, uint64_t count, const uint64_t *cost, size_t n);
/*
 * The same for many rows, which are faster: they wait, and are looked up side by
 * side. cg_row_sums_settle() adds the last ones. False: one of these failed.
 */
bool cg_row_sums_queue(struct cg_row_sums *, const struct cg_graph *,
    const struct cg_row_key *, uint64_t count, const uint64_t *cost, size_t n);
bool cg_row_sums_settle(struct cg_row_sums *, const struct cg_graph *);
/* A key may be changed if no row is added any more. */
struct cg_row_sum *cg_row_sums_at(const struct cg_row_sums *, size_t i);
/* Adds the rows to the graph. As cg_row_put(). */
bool cg_row_sums_put(const struct cg_row_sums *, struct cg_graph *);
/* Removes all rows, but keeps the memory for more. */
void cg_row_sums_restart(struct cg_row_sums *);
void cg_row_sums_free(struct cg_row_sums *);

#endif
