/*
 * solve.c - counts of all blocks and arcs of a function.
 *
 * What comes into a block leaves it (but for entry and exit), so counters of
 * the arcs off a spanning tree say all. Each block keeps the sum of its known
 * arcs, how many are not, and the exclusive or of their numbers: of one that
 * is left that is its number. Counts may be below zero where threads raced
 * for a counter; they are kept.
 */
#include <stdlib.h>

#include "gcov.h"

/* Up to here they are sorted one by one: only a switch has more. */
#define FEW_ARCS 16

static bool
make_room(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_scratch *scratch = &unit->scratch;
	size_t blocks = fn->blocks, arcs = fn->arcs;

	return gcov_grow(unit, &scratch->solved, &scratch->solved_cap, blocks,
		   sizeof(*scratch->solved)) &&
	       gcov_grow(unit, &scratch->queue, &scratch->queue_cap,
		   blocks + arcs + 1, sizeof(*scratch->queue)) &&
	       gcov_grow(unit, &scratch->preds, &scratch->preds_cap,
		   blocks + arcs + 1, sizeof(*scratch->preds)) &&
	       gcov_grow(unit, &scratch->frame, &scratch->frame_cap, blocks,
		   sizeof(*scratch->frame)) &&
	       gcov_grow(unit, &scratch->path, &scratch->path_cap, blocks,
		   sizeof(*scratch->path));
}

/* The arc's count is known: it leaves the sets of unknown ones. */
static void
settle(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t number,
    int64_t count)
{
	struct gcov_arc *arc = &unit->arc[fn->arc + number];
	struct gcov_solved *src = &unit->scratch.solved[arc->src];
	struct gcov_solved *dst = &unit->scratch.solved[arc->dst];

	arc->count = count;
	src->out = gcov_add(unit, src->out, count);
	src->outs--;
	src->out_xor ^= number;
	dst->in = gcov_add(unit, dst->in, count);
	dst->ins--;
	dst->in_xor ^= number;
}

/* Sums of what the counters say; the arcs without one are unknown. */
static void
begin(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved, *src, *dst;
	const struct gcov_arc *arc = unit->arc + fn->arc;
	uint32_t exit = gcov_exit(unit, fn);
	bool entered = false, left = false;

	for (uint32_t i = 0; i < fn->arcs; i++) {
		src = &solved[arc[i].src];
		dst = &solved[arc[i].dst];
		entered |= arc[i].dst == 0;
		left |= arc[i].src == exit;
		if (!(arc[i].flags & GCOV_ON_TREE)) {
			src->out = gcov_add(unit, src->out, arc[i].count);
			dst->in = gcov_add(unit, dst->in, arc[i].count);
			continue;
		}
		src->outs++;
		src->out_xor ^= i;
		dst->ins++;
		dst->in_xor ^= i;
	}
	/* What comes into the entry and out of the exit, nobody knows. */
	if (!entered)
		solved[0].ins = GCOV_NONE;
	if (!left)
		solved[exit].outs = GCOV_NONE;
}

/* Counters stand in the order of blocks, then of their arcs. */
static void
load_counters(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_block *block = unit->block + fn->block;
	const unsigned char *at =
	    fn->data ? fn->data->counters[GCOV_ARCS].at : NULL;
	struct gcov_arc *arc;

	for (uint32_t i = 0; i < fn->blocks; i++) {
		for (uint32_t a = 0; a < block[i].arcs; a++) {
			arc = &unit->arc[block[i].arc + a];
			if (!at || arc->flags & GCOV_ON_TREE)
				continue;
			arc->count = gcov_get_counter(at, unit->data.order);
			at += 8;
		}
	}
}

static void
queue(struct gcov_unit *unit, uint32_t block, size_t *queued)
{
	if (unit->scratch.solved[block].queued)
		return;
	unit->scratch.solved[block].queued = true;
	unit->scratch.queue[(*queued)++] = block;
}

/* Finds the block's count if it can, and with it the one unknown arc. */
static void
solve_block(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block,
    size_t *queued)
{
	struct gcov_solved *solved = &unit->scratch.solved[block];
	uint32_t number;

	if (!solved->known) {
		if (solved->outs != 0 && solved->ins != 0)
			return;
		solved->known = true;
		solved->count = solved->outs == 0 ? solved->out : solved->in;
	}
	if (solved->outs == 1) {
		number = solved->out_xor;
		settle(unit, fn, number,
		    gcov_sub(unit, solved->count, solved->out));
		queue(unit, unit->arc[fn->arc + number].dst, queued);
	}
	if (solved->ins == 1) {
		number = solved->in_xor;
		settle(unit, fn, number,
		    gcov_sub(unit, solved->count, solved->in));
		queue(unit, unit->arc[fn->arc + number].src, queued);
	}
}

static int
compare_arcs(const void *va, const void *vb)
{
	const struct gcov_arc *a = va, *b = vb;

	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return a->next < b->next ? -1 : 1;
}

/* Branches are numbered in the order of where they lead to: mostly a few. */
static void
sort_arcs(struct gcov_unit *unit, const struct gcov_block *block)
{
	struct gcov_arc *arc = unit->arc + block->arc, moved;
	uint32_t i = 1, to;

	while (i < block->arcs && arc[i - 1].dst <= arc[i].dst)
		i++;
	if (block->arcs > FEW_ARCS && i < block->arcs) {
		for (i = 0; i < block->arcs; i++)
			arc[i].next = i;
		qsort(arc, block->arcs, sizeof(*arc), compare_arcs);
	}
	for (; i < block->arcs; i++) {
		moved = arc[i];
		for (to = i; to > 0 && arc[to - 1].dst > moved.dst; to--)
			arc[to] = arc[to - 1];
		arc[to] = moved;
	}
}

/*
 * Blocks that only an exception leads to. Without any handler there is none,
 * whatever cannot be reached.
 */
static void
find_exceptional(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved;
	const struct gcov_block *block = unit->block + fn->block;
	const struct gcov_arc *arc = unit->arc + fn->arc;
	uint32_t *queue_at = unit->scratch.queue, throws = 0;
	size_t queued = 1;

	for (uint32_t i = 0; i < fn->arcs; i++)
		throws |= arc[i].flags & GCOV_THROW;
	if (!throws)
		return;
	for (uint32_t i = 1; i < fn->blocks; i++)
		solved[i].exceptional = true;
	queue_at[0] = 0;
	while (queued > 0) {
		const struct gcov_block *from = &block[queue_at[--queued]];

		for (uint32_t i = 0; i < from->arcs; i++) {
			arc = &unit->arc[from->arc + i];
			if (arc->flags & (GCOV_FAKE | GCOV_THROW) ||
			    !solved[arc->dst].exceptional)
				continue;
			solved[arc->dst].exceptional = false;
			queue_at[queued++] = arc->dst;
		}
	}
}

void
gcov_load(struct gcov_unit *unit)
{
	for (size_t i = 0; i < unit->fns; i++)
		load_counters(unit, &unit->fn[i]);
}

static void
solve_blocks(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved;
	size_t queued = 0;

	begin(unit, fn);
	for (uint32_t i = fn->blocks; i-- > 0;)
		queue(unit, i, &queued);
	while (queued > 0) {
		uint32_t block = unit->scratch.queue[--queued];

		solved[block].queued = false;
		solve_block(unit, fn, block, &queued);
	}
	for (uint32_t i = 0; i < fn->blocks; i++) {
		if (!solved[i].known)
			unit->unsolved = true;
	}
}

bool
gcov_solve(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	if (!make_room(unit, fn))
		return false;
	if (unit->llvm) {
		gcov_llvm_solve(unit, fn);
		return true;
	}
	for (uint32_t i = 0; i < fn->blocks; i++)
		unit->scratch.solved[i] =
		    (struct gcov_solved){ .line = GCOV_NONE,
			    .list = GCOV_NONE };
	/* Without counters all counts are 0, as they are already. */
	if (gcov_has_counters(fn))
		solve_blocks(unit, fn);
	for (uint32_t i = 0; i < fn->blocks; i++)
		sort_arcs(unit, &unit->block[fn->block + i]);
	find_exceptional(unit, fn);
	return true;
}
