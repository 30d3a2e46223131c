/*
 * view.h - what a cursor over the rows of a function knows, for the files that
 * make cursors: view.c, view_order.c, scan.c, costs.c, coverage.c and so on.
 */
#ifndef CG_VIEW_H
#define CG_VIEW_H

#include "graph/packed.h"

/* A row that is no cost: its place, and where the rest of it is packed. */
struct row {
	uint64_t addr;
	uint32_t file; /* its rank, so that order is by name */
	uint32_t line;
	unsigned tag;
	uint32_t target;     /* rank of a call's or jump's function, if sorted */
	const uint8_t *rest; /* what follows the position */
};

/* Rows of a kind. */
struct list {
	struct row *row;
	size_t count, cap, next;
};

struct cg_rows {
	const struct cg_graph *graph;
	const uint32_t *fn_rank, *file_rank, *file_ranked; /* NULL: by id */
	bool merge, no_addresses;
	bool no_costs; /* of cg_calls_next() */
	cg_fn fn;
	size_t ahead; /* of run_order: what is opened next, if in order */

	bool has_cost; /* scan is at a row of costs */
	struct scan scan;
	struct scan *head; /* other segments of costs: see costs.c */
	size_t heads, head_cap;

	struct list list[CG_ROW_OTHER + 1]; /* by kind */
	bool in_order;                      /* there are none in lists: */
	struct scan branch;                 /* ... branches came in order */
	struct row *room;                   /* for sorting */
	size_t room_cap;
	uint64_t *cost, *sum; /* one row's values; the sum of a place's */
	size_t cost_cap, sum_cap;
	struct cg_seen *seen; /* blocks: see coverage.c */
	size_t seens, seen_cap;
	uint32_t *seen_slot;
	size_t seen_slots, slot_cap;
};

/* cg_next_branch() where rows->in_order says so. */
static inline bool
next_in_order(struct cg_rows *rows, struct cg_branch *branch)
{
	struct scan *scan = &rows->branch;

	if (!scan_row(scan, rows->file_rank))
		return false;
	branch->pos = scan->pos;
	scan->at = get_branch(scan->at, branch);
	return true;
}

/* cg_rows_open() of the one run that the function has in a part. */
bool cg_rows_open_run(struct cg_rows *, const struct cg_run *);
/* Opens one run merged, sorted by ids (ranks may not exist yet). */
bool cg_rows_open_merged(struct cg_rows *, const struct cg_run *);

/* view_order.c: what of a call or jump comes after its position in the order. */
struct target {
	uint32_t fn, file, line;
	bool conditional;
	uint64_t addr;
	const uint8_t *rest; /* counts, then values */
};
void cg_row_target(
    const struct cg_rows *, const struct row *, struct target *);
/* Sorts the list of a kind; false: out of memory. */
bool cg_rows_sort(struct cg_rows *, enum cg_row_kind);
/* Are two rows of a sorted list to be summed? */
bool cg_rows_equal(const struct cg_rows *, enum cg_row_kind, const struct row *,
    const struct row *);

/*
 * coverage.c: cg_get_coverage() by who takes the function's branches himself.
 * False: out of memory, noted.
 */
bool cg_coverage_begin(struct cg_rows *, struct cg_coverage *);
bool cg_coverage_add(
    struct cg_rows *, struct cg_coverage *, const struct cg_branch *);
void cg_coverage_end(struct cg_rows *, uint32_t exit, struct cg_coverage *);

/*
 * costs.c: adds the costs of a run to what cg_next_cost() gives out; in order
 * also sorted, once cg_costs_begin() was called. False: out of memory.
 */
bool cg_costs_add(struct cg_rows *, const struct cg_run *, bool in_order);
void cg_costs_begin(struct cg_rows *);
/* The scan has moved on: true if a row of another segment comes first now. */
bool cg_costs_settle(struct cg_rows *);

#endif
