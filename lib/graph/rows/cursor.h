/*
 * cursor.h - the state of a cursor over the rows of a function, for the files
 * that store.h lists.
 */
#ifndef CG_CURSOR_H
#define CG_CURSOR_H

#include "graph/rows/packed.h"

/* A row other than a cost: its position, and its other bytes. */
struct row {
	uint64_t addr;
	uint32_t file; /* rank, so that files are ordered by path */
	uint32_t line;
	unsigned tag;
	/* Set to sort: rank of the target function, or see branch_key(). */
	uint32_t target;
	const uint8_t *rest; /* after the position */
};

/* The rows of a kind, and the next one to return. */
struct list {
	struct row *row;
	size_t count, cap, next;
};

struct cg_rows {
	const struct cg_graph *graph;
	const uint32_t *fn_rank, *file_rank, *file_ranked; /* NULL: by id */
	bool merge, no_addresses;
	bool no_costs; /* cg_calls_next() skips costs */
	cg_fn fn;
	size_t ahead; /* in run_order: the run after the last one opened */

	bool has_cost; /* scan is at a row of costs */
	struct scan scan;
	struct scan *head; /* heap of the other segments of costs */
	size_t heads, head_cap;

	struct list list[CG_ROW_OTHER + 1]; /* by kind */
	bool in_order;      /* all others are branches in order: */
	struct scan branch; /* ... read with this scan, not from lists */
	struct row *room;   /* for sorting */
	size_t *segment_end;
	size_t room_cap, segment_cap;
	uint64_t *cost, *sum; /* values of one row; of all equal rows */
	size_t cost_cap, sum_cap;
	struct cg_seen
	    *seen; /* blocks, and a hash table: see coverage/blocks.c */
	size_t seens, seen_cap;
	uint32_t *seen_slot;
	size_t seen_slots, slot_cap;
};

/*
 * Sets *branch to the next branch of the run, for cg_next_branch(). Only if
 * rows->in_order is set: the branches arrived in order, so they are read from
 * the packed rows. False: there are no more.
 */
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

/* cg_rows_open() by run. */
bool cg_rows_open_run(struct cg_rows *, const struct cg_run *);
/* cg_stated_inclusive(), with the repeats of cg_run_add_inclusive(). */
bool cg_rows_inclusive(struct cg_rows *, struct cg_cost *, uint64_t *repeats);
/* Opens one run, sorted by ids (ranks may not exist yet). */
bool cg_rows_open_merged(struct cg_rows *, const struct cg_run *);

/*
 * Merges a branch into *sum, which has the same keys: adds the count, unites
 * the flags, and keeps the greater target and label, so that the result does
 * not depend on the order of rows. False: the count overflows.
 */
bool cg_merge_branch(const struct cg_graph *, struct cg_branch *sum,
    const struct cg_branch *more);

/* ---- cursor_sort.c ------------------------------------------------------ */

/* The sort keys of a call or jump after its position. */
struct target {
	uint32_t fn, file, line;
	bool conditional;
	uint64_t addr;
	const uint8_t *rest; /* after the keys: counts, values */
};
void cg_row_target(const struct cg_rows *, const struct row *, struct target *);
/* Sorts the list of a kind; false: out of memory. */
bool cg_rows_sort(struct cg_rows *, enum cg_row_kind);
/* True if two rows of a sorted list are equal, so that they are summed. */
bool cg_rows_equal(const struct cg_rows *, enum cg_row_kind, const struct row *,
    const struct row *);

/*
 * Adds the costs of a run to those that cg_next_cost() returns. Call
 * cg_costs_begin() after the last run. in_order: sorted. False: out of memory.
 */
bool cg_costs_add(struct cg_rows *, const struct cg_run *, bool in_order);
void cg_costs_begin(struct cg_rows *);
/*
 * Restores the heap after the scan was moved: true if another segment comes
 * first now.
 */
bool cg_costs_settle(struct cg_rows *);

#endif
