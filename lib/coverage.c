/*
 * coverage.c - what the rows of a function say of it as a whole: its blocks,
 * entries, returns and paths.
 */
#include <stdlib.h>

#include "graph.h"
#include "rows.h"

/* What one row says of a block. */
struct cg_seen {
	uint32_t block;
	bool own;  /* the row on line 0, which knows best */
	bool call; /* count is how often it came back */
	int64_t count;
};

/* By block; first its own row, last a call that ends it. */
static int
compare_seen(const void *pa, const void *pb)
{
	const struct cg_seen *a = pa, *b = pb;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->call != b->call)
		return a->call - b->call;
	return b->own - a->own;
}

/*
 * All rows of blocks, by block, and the last block; calls may be those of other
 * functions that share a line. False: out of memory.
 */
static bool
collect(
    struct cg_rows *rows, struct cg_coverage *sum, size_t *n, uint32_t *last)
{
	struct cg_branch row;
	bool sorted = true;

	*n = *last = 0;
	while (cg_next_branch(rows, &row)) {
		bool call = row.kind == CG_BRANCH_CALL;

		sum->paths += row.kind == CG_BRANCH_PATH;
		sum->paths_covered +=
		    row.kind == CG_BRANCH_PATH && row.count > 0;
		if (row.kind != CG_BRANCH_BLOCK && !call)
			continue;
		if (!cg_grow_raw(&rows->seen, &rows->seen_cap, *n + 1,
			sizeof(*rows->seen)))
			return false;
		rows->seen[*n] = (struct cg_seen){ .block = row.block,
			.own = row.pos.line == 0,
			.call = call,
			.count = row.count };
		if (!call && row.block > *last)
			*last = row.block;
		if (!call && row.block == 0 && row.pos.line == 0)
			sum->label = row.label;
		sorted &= *n == 0 || compare_seen(&rows->seen[*n - 1],
					 &rows->seen[*n]) <= 0;
		++*n;
	}
	if (!sorted)
		qsort(rows->seen, *n, sizeof(*rows->seen), compare_seen);
	return true;
}

/* Adds how often the exit ran, or takes off how often a call was lost. */
static void
add_returns(struct cg_coverage *sum, int64_t plus, int64_t minus)
{
	if (__builtin_sub_overflow(plus, minus, &plus) ||
	    __builtin_add_overflow(sum->returns, plus, &sum->returns))
		sum->returns = 0;
}

/* One block's n rows. */
static void
add_block(struct cg_coverage *sum, const struct cg_seen *seen, size_t n,
    uint32_t exit, uint32_t last)
{
	int64_t count = seen->call ? 0 : seen->count;

	for (size_t i = 1; i < n && !seen->own && count == 0; i++)
		count = seen[i].call ? 0 : seen[i].count;
	/* One call may stand on many lines. */
	if (seen[n - 1].call)
		add_returns(sum, seen[n - 1].count, count);
	sum->returned |= !seen->own;
	if (seen->block == 0 && seen->own) {
		sum->entered = true;
		sum->entries = count;
	}
	if (seen->block == exit)
		add_returns(sum, count, 0);
	if (seen->block > 0 && seen->block < last)
		sum->executed += count > 0;
}

bool
cg_get_coverage(struct cg_rows *rows, cg_part part, cg_fn fn, uint32_t exit,
    struct cg_coverage *sum)
{
	const struct cg_seen *seen;
	size_t n, same;
	uint32_t last;

	*sum = (struct cg_coverage){ 0 };
	if (!cg_rows_open(rows, part, fn))
		return false;
	if (!collect(rows, sum, &n, &last)) {
		cg_graph_nomem(rows->graph);
		return false;
	}
	if (n == 0)
		return true;
	seen = rows->seen;
	sum->blocks = last > 0 ? last - 1 : 0;
	for (size_t i = 0; i < n; i += same) {
		for (same = 1;
		     i + same < n && seen[i + same].block == seen[i].block;)
			same++;
		add_block(sum, &seen[i], same, exit == 0 ? last : exit, last);
	}
	return true;
}
