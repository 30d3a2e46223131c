/* row_sums.h - sums of rows before they are added to a graph. */
#ifndef CG_ROW_SUMS_H
#define CG_ROW_SUMS_H

#include "graph/build.h"

#define CG_NO_FRAME UINT32_MAX /* the row has no position */
#define CG_NO_CALLEE UINT32_MAX

/*
 * The key of a call; without callee, of self costs; without callee and
 * position, of an inclusive cost, whose count is repeats. A frame stands for
 * its position.
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

/* A queue of rows to be looked up together. */
#define CG_ROWS_AT_ONCE 16
struct cg_row_queue {
	void *row; /* struct cg_row_sum, each as wide as in sums */
	size_t count;
	uint32_t hash[CG_ROWS_AT_ONCE];
};

struct cg_row_sums {
	void *sum; /* struct cg_row_sum, each with width columns */
	size_t count, cap, width;
	struct cg_slots slots; /* index in sum, + 1 */
	struct cg_row_queue queue;
};

/* Adds one row to the graph. False: out of memory, or a sum overflows. */
bool cg_row_put(struct cg_graph *, const struct cg_row_key *, uint64_t count,
    const uint64_t *cost, size_t n);
/*
 * Adds to the row with that key. The row exists afterwards, even if all values
 * were 0. False: out of memory, or a sum exceeds 64 bits; cg_build_nomem()
 * reports it.
 */
bool cg_row_sums_add(struct cg_row_sums *, const struct cg_graph *,
    const struct cg_row_key *, uint64_t count, const uint64_t *cost, size_t n);
/*
 * The same for many rows, and faster: rows are queued, and looked up together.
 * cg_row_sums_settle() adds the last ones. False: adding a queued row failed.
 */
bool cg_row_sums_queue(struct cg_row_sums *, const struct cg_graph *,
    const struct cg_row_key *, uint64_t count, const uint64_t *cost, size_t n);
bool cg_row_sums_settle(struct cg_row_sums *, const struct cg_graph *);
/* Returns row i. Its key may be changed once no rows are added any more. */
struct cg_row_sum *cg_row_sums_at(const struct cg_row_sums *, size_t i);
/* Adds all rows to the graph; fails as cg_row_put(). */
bool cg_row_sums_put(const struct cg_row_sums *, struct cg_graph *);
/* Removes all rows, but keeps the memory for more. */
void cg_row_sums_restart(struct cg_row_sums *);
void cg_row_sums_free(struct cg_row_sums *);

#endif
