/*
 * gcov_llvm.c - how often a line with a loop on it ran round, as llvm-cov finds
 * it: one cycle after the other is taken until there is none.
 *
 * Source: the behaviour of GCOV.cpp, LLVM 11 to 23.
 */
#include "gcov.h"

#define WORK_MAX ((uint64_t)1 << 29)

/* Begins a way with its first block. */
static void
enter(struct gcov_unit *unit, uint32_t block, uint32_t by, size_t *frames)
{
	unit->scratch.solved[block].list = by;
	unit->scratch.frame[(*frames)++] =
	    (struct gcov_frame){ .block = block };
}

/* Takes the cycle that the arc closes; list is the arc that led to a block. */
static int64_t
take_cycle(
    struct gcov_unit *unit, const struct gcov_fn *fn, struct gcov_arc *closing)
{
	struct gcov_solved *solved = unit->scratch.solved;
	struct gcov_arc *arc = unit->arc + fn->arc, *by;
	int64_t least = closing->left;
	uint32_t b;

	for (b = closing->src; b != closing->dst; b = by->src) {
		by = &arc[solved[b].list];
		if (by->left < least)
			least = by->left;
	}
	closing->left -= least;
	for (b = closing->src; b != closing->dst; b = by->src) {
		by = &arc[solved[b].list];
		by->left -= least;
		unit->work++;
	}
	return least;
}

/* Looks for a cycle from the block on; 0: there is none. */
static int64_t
find_cycle(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t start)
{
	struct gcov_solved *solved = unit->scratch.solved;
	size_t frames = 0;

	enter(unit, start, GCOV_NONE - 1, &frames);
	while (frames > 0) {
		struct gcov_frame *frame = &unit->scratch.frame[frames - 1];
		const struct gcov_block *at =
		    &unit->block[fn->block + frame->block];
		struct gcov_arc *arc;

		unit->work++;
		if (frame->arc == at->arcs) {
			solved[frame->block].blocked = true;
			frames--;
			continue;
		}
		arc = &unit->arc[at->arc + frame->arc++];
		if (arc->left <= 0 || arc->dst == arc->src ||
		    solved[arc->dst].member != unit->scratch.member ||
		    solved[arc->dst].blocked)
			continue;
		if (solved[arc->dst].list != GCOV_NONE)
			return take_cycle(unit, fn, arc);
		enter(unit, arc->dst, (uint32_t)(arc - unit->arc) - fn->arc,
		    &frames);
	}
	return 0;
}

int64_t
cg_gcov_llvm_cycles(struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	const struct gcov_touch *touch = unit->scratch.touch;
	struct gcov_solved *solved = unit->scratch.solved;
	int64_t count = 0, found;
	uint32_t t;

	do {
		for (t = line->first; t != GCOV_NONE; t = touch[t].next) {
			solved[touch[t].block].blocked = false;
			solved[touch[t].block].list = GCOV_NONE;
			unit->work++;
		}
		found = 0;
		for (t = line->first; t != GCOV_NONE && found == 0;
		     t = touch[t].next) {
			if (!solved[touch[t].block].blocked)
				found = find_cycle(unit, fn, touch[t].block);
		}
		count = cg_gcov_add(unit, count, found);
	} while (found > 0 && unit->work < WORK_MAX);
	unit->tired |= found > 0;
	return count;
}
