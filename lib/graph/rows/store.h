/*
 * store.h - the rows of a graph: how they are stored, added and read.
 *
 * Rows (costs, calls, jumps, branches, stated inclusive costs) are packed in
 * the order in which they arrive: one run for each function in each part. They
 * are sorted and merged only when a cursor opens the run. The data passes
 * through these files:
 *
 *	runs.c          finds and makes runs; gives their rows blocks of memory
 *	pack.c          packs a row at the end of its run; merges runs that grow
 *	tally.c         adds counts to rows that come again and again
 *	cost_lines.c    packs lines of text without building rows first
 *	scan.c          reads packed rows in the order of arrival
 *	alike.c         compares those of two graphs
 *	cursor_costs.c  merges the sorted segments of a run's costs
 *	cursor_sort.c   sorts all other rows
 *	cursor.c        cursors over sorted and merged rows
 *	cost_text.c     writes costs as text without building rows first
 *
 * packed.h has the layout of a packed row, cursor.h the state of a cursor. Only
 * the files above include these two, and for speed: coverage.c, lib/lines;
 * timeline.c packs its own data with the same varints.
 */
#ifndef CG_STORE_H
#define CG_STORE_H

#include "cgconv_expert.h"
#include "base/base.h"

struct cg_graph;

#define CG_NO_RUN UINT32_MAX
#define CG_MERGE_VISITS 32 /* more visits of a run are not counted */

/* Packed rows in a ring of blocks: the last block links to the first. */
struct cg_packed {
	struct cg_block *last;    /* NULL: there are no rows */
	uint32_t used, room;      /* bytes in last: of rows; in all */
	/*
	 * In units of CG_PACKED_UNIT bytes: size of the other blocks; size
	 * after the last merge.
	 */
	uint32_t before, merged;
	struct cg_pos pos;        /* of the last row; the next is relative */
};
#define CG_PACKED_UNIT 64

/*
 * The rows of one function in one part. Costs are stored apart from the other
 * rows, which are few, so that a search for cycles need not read costs. Keep
 * it small: there may be millions of functions with few rows each.
 */
struct cg_run {
	cg_fn fn;
	cg_part part;
	cg_file file;             /* file of fn when the first row was added */
	uint32_t next;            /* next run of the same fn, or CG_NO_RUN */
	struct cg_packed costs, others;
	uint8_t *segment;         /* row of costs that begins the last segment */
	struct cg_tally *tally;   /* of rows that are not packed; or NULL */
	uint32_t branches;        /* number of branches, at most UINT32_MAX */
	uint32_t branch_block, branch_index; /* of the last branch */
	uint32_t visits : 8; /* calls of cg_run_get() since the last merge */
	/*
	 * All rows but costs are branches of one file that arrived in order of
	 * line, kind, block, index: a cursor need not sort them.
	 */
	uint32_t branches_ascend : 1;
	uint32_t branch_kind : 8; /* of the last branch */
};

/*
 * Memory of the blocks of rows. The newest block grows in place until another
 * run needs a block; then its unused end is released, so that rows have no
 * gaps between them. Blocks of merged rows are reused.
 */
#define CG_BLOCK_CLASSES 26
struct cg_pool {
	struct cg_arena arena;
	uint32_t open;            /* run of the newest block, or CG_NO_RUN */
	struct cg_block *free[CG_BLOCK_CLASSES]; /* by size */
};

/* An entry of the canonical order of runs. */
struct cg_run_ref {
	uint32_t run;
	cg_fn fn;
};

/* ---- runs.c ------------------------------------------------------------- */

/*
 * The run of a function in a part; makes it if it does not exist. NULL: out of
 * memory.
 */
struct cg_run *cg_run_get(struct cg_graph *, cg_part, cg_fn);
/* The run of a function in a part, or NULL. */
const struct cg_run *cg_run_find(const struct cg_graph *, cg_part, cg_fn);
/* Makes a run empty; does not free its blocks. */
void cg_run_clear(const struct cg_graph *, struct cg_run *);
/* Makes the blocks of a run available for other rows. */
void cg_run_free_blocks(struct cg_graph *, struct cg_run *);
/*
 * Adds room for need bytes to packed, which belongs to run; false: out of
 * memory.
 */
bool cg_blocks_add(struct cg_graph *, struct cg_run *, struct cg_packed *,
    size_t need);
/* Closes the newest blocks: the next row needs a new block. */
void cg_blocks_close(struct cg_graph *);
/* Approximate size of the rows in bytes; it may be a few rows too low. */
uint64_t cg_packed_bytes(const struct cg_packed *);

/* ---- pack.c ------------------------------------------------------------- */

/* Kinds of rows other than costs. */
enum cg_row_kind {
	CG_ROW_CALL, CG_ROW_JUMP,
	CG_ROW_OTHER /* a branch or a stated inclusive cost */
};

/* Each packs one row at the end of a run; false: out of memory or overflow. */
bool cg_run_add_cost(struct cg_graph *, struct cg_run *,
    const struct cg_pos *, const uint64_t *cost, size_t n);
bool cg_run_add_call(struct cg_graph *, struct cg_run *,
    const struct cg_call *);
bool cg_run_add_jump(struct cg_graph *, struct cg_run *,
    const struct cg_jump *);
bool cg_run_add_branch(struct cg_graph *, struct cg_run *,
    const struct cg_branch *);
/*
 * repeats: the number of calls of the function that other calls have already
 * counted for the same sample, or that the unknown caller made.
 */
bool cg_run_add_inclusive(struct cg_graph *, struct cg_run *, uint64_t repeats,
    const uint64_t *cost, size_t n);
/* Rewrites a run with equal rows summed; false: out of memory, overflow. */
bool cg_run_merge(struct cg_graph *, struct cg_run *);

/* ---- tally.c ------------------------------------------------------------ */

#define CG_TALLY_VISITS 5

/* True if cg_tally_visit() is to be called: at the begin of a visit. */
static inline bool
cg_wants_tally(const struct cg_run *run)
{
	return run->tally || run->visits == CG_TALLY_VISITS;
}

/*
 * Gives a run of coverage a tally if that can hold its rows, or lets its tally
 * take over rows that were packed since. False: out of memory or overflow.
 */
bool cg_tally_visit(struct cg_graph *, struct cg_run *);
/*
 * Each adds a row to an equal one of the run's tally, which it must have.
 * False: the row has to be packed.
 */
bool cg_tally_cost(const struct cg_graph *, const struct cg_run *,
    const struct cg_pos *, const uint64_t *cost, size_t n);
bool cg_tally_call(const struct cg_run *, const struct cg_call *);
bool cg_tally_branch(const struct cg_graph *, const struct cg_run *,
    const struct cg_branch *);
/* Packs the rows of all tallies. False: out of memory or overflow. */
bool cg_tallies_end(struct cg_graph *);
void cg_tallies_free(struct cg_graph *);

/* ---- scan.c: rows as they arrived, neither sorted nor merged ------------ */

/*
 * Iterates over calls and stated inclusive costs of one run: without
 * positions, and without costs if costs is false. cg_calls_next() sets *stated
 * for a stated inclusive cost, which has no callee; its count is the repeats
 * of cg_run_add_inclusive(). False at the end.
 */
void cg_calls_begin(struct cg_rows *, const struct cg_run *, bool costs);
bool cg_calls_next(struct cg_rows *, struct cg_call *, bool *stated);
/*
 * Adds the self costs of a run for the events [event, event + events) to
 * sum[0], sum[1], ... False on overflow.
 */
bool cg_rows_sum_costs(struct cg_rows *, const struct cg_run *, uint64_t *sum,
    size_t event, size_t events);

#endif
