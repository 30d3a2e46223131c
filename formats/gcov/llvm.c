/*
 * llvm.c - what is found another way in clang's notes: counts of arcs, and
 * how often a line with a loop on it ran round, as llvm-cov finds them.
 *
 * Source: the behaviour of GCOV.cpp, LLVM 11 to 23.
 */
#include <string.h>

#include "gcov.h"

/* ---- Counts ------------------------------------------------------------- */

/*
 * An arc that clang splits to count it (LLVM 14, from a block with more ways
 * out to one with more ways in) has no counter after all. So what comes into a
 * block may not leave it, and it matters who has to bear that. llvm-cov goes
 * over the tree from the entry, to which an arc from the exit belongs, and
 * gives each arc of it what is too much behind it, or too little, as a count
 * that is not below zero.
 */
#define RETURN_ARC (GCOV_NONE - 1)

/* Arcs by where they lead to: of block b [head[b], head[b + 1]). */
struct preds {
	uint32_t *head, *arc; /* arcs are numbers in the function */
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

/* The arcs around a block: those that come in, those that leave, the return. */
struct around {
	uint32_t ins, outs;
	const uint32_t *in;
	uint32_t out; /* the first one's number */
};

static struct around
look_around(const struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct preds *preds, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];

	return (struct around){
		.ins = preds->head[block + 1] - preds->head[block],
		.outs = at->arcs,
		.in = preds->arc + preds->head[block],
		.out = at->arc - fn->arc,
	};
}

/* Goes on to a block that was not visited yet. */
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

/* All behind the block was seen: what is too much goes to where it came from. */
static void
leave(struct gcov_unit *unit, const struct gcov_fn *fn, size_t *frames)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_solved *solved =
	    &scratch->solved[scratch->frame[--*frames].block];
	struct gcov_solved *from;
	int64_t excess = solved->in;

	if (excess < 0)
		excess = gcov_sub(unit, 0, excess);
	if (solved->list < RETURN_ARC)
		unit->arc[fn->arc + solved->list].count = excess;
	if (*frames == 0)
		return;
	from = &scratch->solved[scratch->frame[*frames - 1].block];
	from->in = solved->back ? gcov_sub(unit, from->in, excess)
				: gcov_add(unit, from->in, excess);
}

/* The next arc around the block of the last frame. */
static void
step(struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct preds *preds, size_t *frames)
{
	struct gcov_frame *frame = &unit->scratch.frame[*frames - 1];
	struct gcov_solved *solved = &unit->scratch.solved[frame->block];
	struct around around = look_around(unit, fn, preds, frame->block);
	uint32_t exit = gcov_exit(unit, fn), i = frame->arc++, number;
	const struct gcov_arc *arc;
	bool out = i >= around.ins;

	if (i == around.ins + around.outs) {
		if (frame->block == exit)
			visit(unit, 0, RETURN_ARC, true, frames);
		else if (frame->block == 0)
			visit(unit, exit, RETURN_ARC, false, frames);
		return;
	}
	if (i > around.ins + around.outs) {
		leave(unit, fn, frames);
		return;
	}
	number = out ? around.out + (i - around.ins) : around.in[i];
	arc = &unit->arc[fn->arc + number];
	if (number == solved->list)
		return;
	if (arc->flags & GCOV_ON_TREE)
		visit(unit, out ? arc->dst : arc->src, number, out, frames);
	else if (out)
		solved->in = gcov_sub(unit, solved->in, arc->count);
	else
		solved->in = gcov_add(unit, solved->in, arc->count);
}

void
gcov_llvm_solve(struct gcov_unit *unit, const struct gcov_fn *fn)
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
	for (uint32_t i = 0; i < fn->blocks; i++)
		solved[i].in = solved[i].out = 0;
	for (uint32_t i = 0; i < fn->arcs; i++) {
		struct gcov_solved *src = &solved[arc[i].src];
		struct gcov_solved *dst = &solved[arc[i].dst];

		src->out = gcov_add(unit, src->out, arc[i].count);
		dst->in = gcov_add(unit, dst->in, arc[i].count);
	}
	for (uint32_t i = 0; i < fn->blocks; i++) {
		bool ends = unit->block[fn->block + i].arcs == 0;

		unit->contrary |=
		    !ends && i != 0 && solved[i].in != solved[i].out;
		solved[i].count = ends ? solved[i].in : solved[i].out;
		solved[i].list = GCOV_NONE;
		solved[i].back = false;
	}
}

/* ---- Cycles ------------------------------------------------------------- */

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
gcov_llvm_cycles(struct gcov_unit *unit, const struct gcov_fn *fn,
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
		count = gcov_add(unit, count, found);
	} while (found > 0 && unit->work < GCOV_WORK_MAX);
	unit->tired |= found > 0;
	return count;
}
