/*
 * solve.c - computes the counts of all arcs and blocks of a function.
 *
 * The arcs into a block and the arcs out of it have the same sum of counts,
 * except at entry and exit. So the counters, which exist for all arcs that are
 * not on a spanning tree, determine all other counts.
 *
 * Counts may be negative where threads raced for a counter; they are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

/* Up to this many arcs are sorted by insertion; only a switch has more. */
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

/* ---- As gcov solves ----------------------------------------------------- */

/*
 * Sets the count of an unknown arc, and adds it to the sums of the blocks at
 * both ends. Removes the arc from the blocks' unknown ones. An exclusive or of
 * indices finds the last of them.
 */
static void
set_arc_count(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t number,
    int64_t count)
{
	struct gcov_arc *arc = &unit->arc[fn->arc + number];
	struct gcov_solved *src = &unit->scratch.solved[arc->src];
	struct gcov_solved *dst = &unit->scratch.solved[arc->dst];

	arc->count = count;
	src->out = gcov_add(&unit->scratch, src->out, count);
	src->outs--;
	src->out_xor ^= number;
	dst->in = gcov_add(&unit->scratch, dst->in, count);
	dst->ins--;
	dst->in_xor ^= number;
}

/*
 * Adds the counts of arcs with a counter to the sums of the blocks at both
 * ends. Adds other arcs to these blocks' numbers and exclusive ors of unknown
 * arcs. Without arcs, the sum into the entry, or out of the exit, stays
 * unknown: 0 would be wrong.
 */
static void
sum_counters(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved, *src, *dst;
	const struct gcov_arc *arc = unit->arc + fn->arc;
	uint32_t exit = gcov_exit(unit, fn);
	bool has_in = false, has_out = false;

	for (uint32_t i = 0; i < fn->arcs; i++) {
		src = &solved[arc[i].src];
		dst = &solved[arc[i].dst];
		has_in |= arc[i].dst == 0;
		has_out |= arc[i].src == exit;
		if (!(arc[i].flags & GCOV_ON_TREE)) {
			src->out =
			    gcov_add(&unit->scratch, src->out, arc[i].count);
			dst->in =
			    gcov_add(&unit->scratch, dst->in, arc[i].count);
			continue;
		}
		src->outs++;
		src->out_xor ^= i;
		dst->ins++;
		dst->in_xor ^= i;
	}
	/*
	 * No arc enters the entry or leaves the exit: these sums are unknown.
	 */
	if (!has_in)
		solved[0].ins = GCOV_NONE;
	if (!has_out)
		solved[exit].outs = GCOV_NONE;
}

/*
 * Sets the counts of a function's arcs from its data. The counters are in the
 * order of blocks and their arcs. Arcs on the spanning tree have none. Without
 * data nothing changes.
 */
static void
load_fn(struct gcov_unit *unit, const struct gcov_fn *fn)
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

/*
 * Computes the block's count once all arcs in, or all arcs out, are known. A
 * single unknown arc on a side then gets the rest. Its other block is queued;
 * *queued is the number of queued blocks.
 */
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
		set_arc_count(unit, fn, number,
		    gcov_sub(&unit->scratch, solved->count, solved->out));
		queue(unit, unit->arc[fn->arc + number].dst, queued);
	}
	if (solved->ins == 1) {
		number = solved->in_xor;
		set_arc_count(unit, fn, number,
		    gcov_sub(&unit->scratch, solved->count, solved->in));
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

/*
 * Sorts the arcs of a block by destination, in place. Arcs with the same
 * destination keep their order. gcov numbers branches in this order.
 */
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
 * Marks as exceptional the blocks that the entry reaches only by arcs to
 * handlers or fake arcs. Blocks that it does not reach are marked, too. Marks
 * none in a function without handlers.
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
gcov_load_counters(struct gcov_unit *unit)
{
	for (size_t i = 0; i < unit->fns; i++)
		load_fn(unit, &unit->fn[i]);
}

static void
solve_blocks(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved;
	size_t queued = 0;

	sum_counters(unit, fn);
	for (uint32_t i = fn->blocks; i-- > 0;)
		queue(unit, i, &queued);
	while (queued > 0) {
		uint32_t block = unit->scratch.queue[--queued];

		solved[block].queued = false;
		solve_block(unit, fn, block, &queued);
	}
	for (uint32_t i = 0; i < fn->blocks; i++) {
		if (!solved[i].known)
			unit->scratch.unsolved = true;
	}
}

/* ---- As llvm-cov solves ------------------------------------------------- */

/*
 * Source: the behaviour of GCOV.cpp, LLVM 11 to 23.
 *
 * If clang splits an arc to count it (LLVM 14: from a block with several
 * successors to one with several predecessors), the arc has no counter. So the
 * sums of a block's arcs may differ, and the order in which counts are
 * computed matters. llvm-cov visits the spanning tree depth first from the
 * entry, including an arc from the exit to the entry. The count of an arc of
 * the tree is the absolute difference of the sums of the block at its far end.
 */
#define RETURN_ARC (GCOV_NONE - 1)

/* The arcs into block b: arc[head[b]] to arc[head[b + 1] - 1]. */
struct preds {
	uint32_t *head, *arc; /* arc: indices in the function */
};

static struct preds
find_preds(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_arc *arc = unit->arc + fn->arc;
	struct preds preds = { unit->scratch.preds,
		unit->scratch.preds + fn->blocks + 1 };

	memset(preds.head, 0, (fn->blocks + 1) * sizeof(*preds.head));
	for (uint32_t i = 0; i < fn->arcs; i++)
		preds.head[arc[i].dst]++;
	for (uint32_t b = 1; b <= fn->blocks; b++)
		preds.head[b] += preds.head[b - 1];
	for (uint32_t i = fn->arcs; i-- > 0;)
		preds.arc[--preds.head[arc[i].dst]] = i;
	return preds;
}

struct block_arcs {
	uint32_t ins, outs;
	const uint32_t *in; /* indices of the arcs into the block */
	uint32_t out;       /* index of the first arc out of it */
};

static struct block_arcs
find_block_arcs(const struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct preds *preds, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];

	return (struct block_arcs){
		.ins = preds->head[block + 1] - preds->head[block],
		.outs = at->arcs,
		.in = preds->arc + preds->head[block],
		.out = at->arc - fn->arc,
	};
}

/*
 * Pushes a block on the depth-first stack (*frames blocks), unless it was
 * visited. Stores how it was reached: by the arc with index "by", in the arc's
 * direction if "out".
 */
static void
visit(struct gcov_unit *unit, uint32_t block, uint32_t by, bool out,
    size_t *frames)
{
	struct gcov_solved *solved = &unit->scratch.solved[block];

	if (solved->known)
		return;
	solved->known = true;
	solved->list = by;
	solved->back = out;
	unit->scratch.frame[(*frames)++] =
	    (struct gcov_frame){ .block = block };
}

/*
 * Pops a block off the depth-first stack. The arc that reached it gets the
 * absolute value of its excess, counts in less counts out. The next block's
 * excess changes by this count, as in llvm-cov.
 */
static void
leave(struct gcov_unit *unit, const struct gcov_fn *fn, size_t *frames)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_solved *solved =
	    &scratch->solved[scratch->frame[--*frames].block];
	struct gcov_solved *from;
	int64_t excess = solved->in;

	if (excess < 0)
		excess = gcov_sub(&unit->scratch, 0, excess);
	if (solved->list < RETURN_ARC)
		unit->arc[fn->arc + solved->list].count = excess;
	if (*frames == 0)
		return;
	from = &scratch->solved[scratch->frame[*frames - 1].block];
	from->in = solved->back ? gcov_sub(&unit->scratch, from->in, excess)
				: gcov_add(&unit->scratch, from->in, excess);
}

/*
 * Follows the next arc, in or out, of the top block of the stack. A counted
 * arc changes the block's excess (arcs in less out); another one leads to the
 * next block. Entry and exit have one more arc, from exit to entry. Pops the
 * block after the last arc.
 */
static void
step(struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct preds *preds, size_t *frames)
{
	struct gcov_frame *frame = &unit->scratch.frame[*frames - 1];
	struct gcov_solved *solved = &unit->scratch.solved[frame->block];
	struct block_arcs arcs = find_block_arcs(unit, fn, preds, frame->block);
	uint32_t exit = gcov_exit(unit, fn), i = frame->arc++, number;
	const struct gcov_arc *arc;
	bool out = i >= arcs.ins;

	/* Entry and exit have one more arc, from exit to entry. */
	if (i == arcs.ins + arcs.outs) {
		if (frame->block == exit)
			visit(unit, 0, RETURN_ARC, true, frames);
		else if (frame->block == 0)
			visit(unit, exit, RETURN_ARC, false, frames);
		return;
	}
	if (i > arcs.ins + arcs.outs) {
		leave(unit, fn, frames);
		return;
	}
	number = out ? arcs.out + (i - arcs.ins) : arcs.in[i];
	arc = &unit->arc[fn->arc + number];
	if (number == solved->list)
		return;
	if (arc->flags & GCOV_ON_TREE)
		visit(unit, out ? arc->dst : arc->src, number, out, frames);
	else if (out)
		solved->in = gcov_sub(&unit->scratch, solved->in, arc->count);
	else
		solved->in = gcov_add(&unit->scratch, solved->in, arc->count);
}

/*
 * Sets the counts of blocks as llvm-cov does: to the sum of arcs out or,
 * without any, of arcs in. Sets scratch->inconsistent if an inner block's sums
 * differ. Resets the state of the search for cycles.
 */
static void
count_blocks_llvm(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved;
	const struct gcov_arc *arc = unit->arc + fn->arc;

	for (uint32_t i = 0; i < fn->blocks; i++)
		solved[i].in = solved[i].out = 0;
	for (uint32_t i = 0; i < fn->arcs; i++) {
		struct gcov_solved *src = &solved[arc[i].src];
		struct gcov_solved *dst = &solved[arc[i].dst];

		src->out = gcov_add(&unit->scratch, src->out, arc[i].count);
		dst->in = gcov_add(&unit->scratch, dst->in, arc[i].count);
	}
	for (uint32_t i = 0; i < fn->blocks; i++) {
		bool ends = unit->block[fn->block + i].arcs == 0;

		unit->scratch.inconsistent |=
		    !ends && i != 0 && solved[i].in != solved[i].out;
		solved[i].count = ends ? solved[i].in : solved[i].out;
		solved[i].list = GCOV_NONE;
		solved[i].back = false;
	}
}

static void
solve_llvm(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_solved *solved = unit->scratch.solved;
	struct preds preds = find_preds(unit, fn);
	struct gcov_arc *arc = unit->arc + fn->arc;
	size_t frames = 0;

	for (uint32_t i = 0; i < fn->blocks; i++)
		solved[i] = (struct gcov_solved){ .line = GCOV_NONE };
	for (uint32_t i = 0; i < fn->arcs; i++) {
		if (arc[i].flags & GCOV_ON_TREE)
			arc[i].count = 0;
	}
	for (uint32_t i = 0; i < fn->blocks; i++) {
		visit(unit, i, GCOV_NONE, false, &frames);
		while (frames > 0)
			step(unit, fn, &preds, &frames);
	}
	count_blocks_llvm(unit, fn);
}

/* ---- Either solver ------------------------------------------------------ */

bool
gcov_solve(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	if (!make_room(unit, fn))
		return false;
	if (unit->llvm) {
		solve_llvm(unit, fn);
		return true;
	}
	for (uint32_t i = 0; i < fn->blocks; i++)
		unit->scratch.solved[i] =
		    (struct gcov_solved){ .line = GCOV_NONE,
			    .list = GCOV_NONE };
	/* Without counters, all counts remain 0. */
	if (gcov_has_counters(fn))
		solve_blocks(unit, fn);
	for (uint32_t i = 0; i < fn->blocks; i++)
		sort_arcs(unit, &unit->block[fn->block + i]);
	find_exceptional(unit, fn);
	return true;
}
