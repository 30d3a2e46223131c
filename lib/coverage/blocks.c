/*
 * blocks.c - coverage of a function as a whole: blocks, entries, returns and
 * paths, from its rows.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "graph/rows/cursor.h"

/*
 * Initial size of the hash table: most functions have fewer than half as many
 * blocks.
 */
#define FIRST_SLOTS 512

/* The data of one block. */
struct cg_seen {
	uint32_t block;
	bool stated;   /* has a row of its own, not only calls */
	bool own;      /* ... on line 0, which is exact */
	bool own_call; /* has a call on line 0 */
	bool call;
	bool exit; /* marked as the exit block */
	int64_t count;
	int64_t came_back; /* how often the call returned */
};

/* ---- Blocks by number --------------------------------------------------- */

static uint32_t *
find_slot(struct cg_rows *rows, uint32_t block)
{
	size_t mask = rows->seen_slots - 1;
	uint64_t seeded = block ^ cg_hash_seed(rows->seen_slot);
	size_t at = (size_t)(seeded * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (rows->seen_slot[at] > 0 &&
	       rows->seen[rows->seen_slot[at] - 1].block != block)
		at = (at + 1) & mask;
	return &rows->seen_slot[at];
}

/*
 * Makes an empty hash table of the function's basic blocks with this number of
 * slots, and inserts the blocks known so far. False: out of memory.
 */
static bool
make_slots(struct cg_rows *rows, size_t slots)
{
	if (!cg_grow_raw(&rows->seen_slot, &rows->slot_cap, slots,
		sizeof(*rows->seen_slot)))
		return false;
	memset(rows->seen_slot, 0, slots * sizeof(*rows->seen_slot));
	rows->seen_slots = slots;
	for (size_t i = 0; i < rows->seens; i++)
		*find_slot(rows, rows->seen[i].block) = (uint32_t)i + 1;
	return true;
}

/*
 * Returns the entry for the basic block with that number, added if it is new;
 * valid until the next one is added. NULL: out of memory.
 */
static struct cg_seen *
get_block(struct cg_rows *rows, uint32_t block)
{
	uint32_t *slot = find_slot(rows, block);

	if (*slot > 0)
		return &rows->seen[*slot - 1];
	if (!cg_grow_raw(&rows->seen, &rows->seen_cap, rows->seens + 1,
		sizeof(*rows->seen)))
		return NULL;
	rows->seen[rows->seens++] = (struct cg_seen){ .block = block };
	*slot = (uint32_t)rows->seens;
	if (rows->seens * 2 > rows->seen_slots &&
	    !make_slots(rows, rows->seen_slots * 2))
		return NULL;
	return &rows->seen[rows->seens - 1];
}

/* ---- Rows --------------------------------------------------------------- */

/*
 * Sets the count of a basic block from one of its rows. The first row on line
 * 0, which only some inputs have, takes precedence. Otherwise the first count
 * that is not zero is used.
 */
static void
add_count(struct cg_seen *seen, const struct cg_branch *row)
{
	bool own = row->pos.line == 0;

	if (own ? !seen->own : !seen->own && seen->count == 0)
		seen->count = row->count;
	seen->stated = true;
	seen->own |= own;
	seen->exit |= row->flags & CG_BRANCH_EXIT;
}

/*
 * Records that a basic block ends with a call, and how often the call
 * returned. Of several rows, the last one not on line 0 counts. A row on line
 * 0 counts only if it is the first.
 */
static void
add_call(struct cg_seen *seen, const struct cg_branch *row)
{
	bool own = row->pos.line == 0;

	if (!own || !seen->call)
		seen->came_back = row->count;
	seen->call = true;
	seen->own_call |= own;
}

bool
cg_coverage_begin(struct cg_rows *rows, struct cg_coverage *sum)
{
	*sum = (struct cg_coverage){ 0 };
	rows->seens = 0;
	if (make_slots(rows, FIRST_SLOTS))
		return true;
	cg_graph_nomem(rows->graph);
	return false;
}

bool
cg_coverage_add(
    struct cg_rows *rows, struct cg_coverage *sum, const struct cg_branch *row)
{
	struct cg_seen *seen;

	if (row->kind == CG_BRANCH_PATH) {
		sum->paths++;
		sum->paths_covered += row->count > 0;
	}
	if (row->kind != CG_BRANCH_BLOCK && row->kind != CG_BRANCH_CALL)
		return true;
	seen = get_block(rows, row->block);
	if (!seen) {
		cg_graph_nomem(rows->graph);
		return false;
	}
	if (row->kind == CG_BRANCH_CALL)
		add_call(seen, row);
	else
		add_count(seen, row);
	if (row->kind == CG_BRANCH_BLOCK && row->block == 0 &&
	    row->pos.line == 0)
		sum->label = row->label;
	return true;
}

/* ---- Sums --------------------------------------------------------------- */

/*
 * Adds plus - minus to the number of times that the function returned; on
 * overflow it becomes 0, unknown.
 */
static void
add_returns(struct cg_coverage *sum, int64_t plus, int64_t minus)
{
	if (__builtin_sub_overflow(plus, minus, &plus) ||
	    __builtin_add_overflow(sum->returns, plus, &sum->returns))
		sum->returns = 0;
}

/*
 * Adds a basic block to its function's coverage: executed blocks, entries and
 * returns. Entries are known only if block 0 states its own count. Returns are
 * known only if a block states none. exit: the block from which the function
 * returns; out: a block that is not counted as executed.
 */
static void
add_block(struct cg_coverage *sum, const struct cg_seen *seen, uint32_t exit,
    uint32_t out)
{
	bool own = seen->stated ? seen->own : seen->own_call;

	if (seen->call)
		add_returns(sum, seen->came_back, seen->count);
	sum->returned |= !own;
	if (seen->block == 0 && own) {
		sum->entered = true;
		sum->entries = seen->count;
	}
	if (seen->block == exit)
		add_returns(sum, seen->count, 0);
	if (seen->block > 0 && seen->block != out)
		sum->executed += seen->count > 0;
}

void
cg_coverage_end(struct cg_rows *rows, uint32_t exit, struct cg_coverage *sum)
{
	uint32_t last = 0, marked = 0, out;

	/*
	 * Ignore blocks that only have rows of calls: these may belong to
	 * other functions on the line.
	 */
	for (size_t i = 0; i < rows->seens; i++) {
		if (rows->seen[i].stated && rows->seen[i].block > last)
			last = rows->seen[i].block;
		if (rows->seen[i].exit)
			marked = rows->seen[i].block;
	}
	out = last;
	if (exit == 0)
		exit = last;
	else if (marked > 0)
		exit = out = marked;
	sum->marked = sum->returned = marked > 0;
	sum->blocks = last > 0 ? last - 1 : 0;
	for (size_t i = 0; i < rows->seens; i++)
		add_block(sum, &rows->seen[i], exit, out);
}

bool
cg_get_coverage(struct cg_rows *rows, cg_part part, cg_fn fn, uint32_t exit,
    struct cg_coverage *sum)
{
	struct cg_branch row;

	if (!cg_rows_open(rows, part, fn) || !cg_coverage_begin(rows, sum))
		return false;
	while (cg_next_branch(rows, &row)) {
		if (!cg_coverage_add(rows, sum, &row))
			return false;
	}
	cg_coverage_end(rows, exit, sum);
	return true;
}
