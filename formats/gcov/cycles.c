/*
 * cycles.c - computes how often the loops within a line were executed.
 *
 * gcov from version 8 on, and llvm-cov, search the members of a line for
 * cycles. The count of a cycle is the smallest count of its arcs; it is
 * subtracted from all of them (arc->remaining) before the search goes on. So
 * each cycle reduces an arc to 0, and the number of cycles is at most the
 * number of arcs.
 *
 * The sum of the counts depends on the order in which cycles are found, so
 * blocks and arcs are searched in the order of the respective tool.
 */
#include "gcov.h"

/* ---- As gcov finds them ------------------------------------------------- */

/*
 * The circuits of Hawick and James, "Enumerating circuits and loops in graphs
 * with self-arcs and multiple-arcs". Source: gcov.c of gcc 8 to 16.
 */
struct search {
	struct gcov_scratch *scratch;
	const struct gcov_block *block; /* of the function */
	struct gcov_solved *solved;
	struct gcov_arc *arc; /* of the function */
	const struct gcov_fn *fn;
	uint32_t start, member;
	size_t frames, empty; /* empty: arcs on the path, remaining 0 */
	int64_t count;
};

/*
 * Returns the state of the block in this search: whether the block is blocked,
 * and the list of arcs that wait for it. If the state is left from an earlier
 * search (another stamp), resets it first: not blocked, empty list.
 */
static struct gcov_solved *
visit(struct search *search, uint32_t block)
{
	struct gcov_solved *solved = &search->solved[block];
	uint32_t a;

	if (solved->stamp == search->scratch->stamp)
		return solved;
	for (a = solved->list; a != GCOV_NONE; a = search->arc[a].next)
		search->arc[a].flags &= ~GCOV_LISTED;
	solved->stamp = search->scratch->stamp;
	solved->blocked = false;
	solved->list = GCOV_NONE;
	return solved;
}

/*
 * Lets the search visit the block again, and empties its list. Blocks in the
 * list waited for this one: they are unblocked in the same way. (Johnson's
 * algorithm, as in gcov.)
 */
static void
unblock(struct search *search, uint32_t block)
{
	uint32_t *stack = search->scratch->queue, next;
	size_t n = 0;

	stack[n++] = block;
	while (n > 0) {
		struct gcov_solved *solved = visit(search, stack[--n]);

		if (!solved->blocked)
			continue;
		solved->blocked = false;
		for (uint32_t a = solved->list; a != GCOV_NONE; a = next) {
			next = search->arc[a].next;
			search->arc[a].flags &= ~GCOV_LISTED;
			stack[n++] = search->arc[a].src;
			search->scratch->work++;
		}
		solved->list = GCOV_NONE;
	}
}

/*
 * Adds the block to the lists of the successors that the search may follow. No
 * circuit through it was found; unblock() of a successor unblocks it. A list
 * has arcs, each once, whose source is the waiting block.
 */
static void
add_to_lists(struct search *search, const struct gcov_block *block)
{
	for (uint32_t i = 0; i < block->arcs; i++) {
		uint32_t number = block->arc + i - search->fn->arc;
		struct gcov_arc *arc = &search->arc[number];
		struct gcov_solved *to;

		if (arc->dst < search->start || arc->remaining <= 0 ||
		    search->solved[arc->dst].member != search->member)
			continue;
		to = visit(search, arc->dst);
		if (arc->flags & GCOV_LISTED)
			continue;
		arc->flags |= GCOV_LISTED;
		arc->next = to->list;
		to->list = number;
	}
}

/*
 * Counts the circuit on the path: subtracts the smallest remaining count of
 * its arcs from each, and adds it to search->count. Recomputes search->empty,
 * the number of arcs with nothing remaining.
 */
static void
take_circuit(struct search *search)
{
	const uint32_t *path = search->scratch->path;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < search->frames; i++) {
		if (search->arc[path[i]].remaining < least)
			least = search->arc[path[i]].remaining;
	}
	search->count = gcov_add(search->scratch, search->count, least);
	search->empty = 0;
	for (size_t i = 0; i < search->frames; i++) {
		search->arc[path[i]].remaining -= least;
		search->empty += search->arc[path[i]].remaining <= 0;
	}
	search->scratch->work += search->frames;
}

static void
enter(struct search *search, uint32_t block)
{
	visit(search, block)->blocked = true;
	search->scratch->frame[search->frames++] = (struct gcov_frame){
		.block = block,
	};
}

/*
 * Tries an arc out of the path's last block. True: the search goes on at the
 * arc's destination, which the caller must enter. False: the arc cannot be
 * followed, or leads to the path's start. That completes a circuit, which is
 * counted.
 */
static bool
follow(struct search *search, struct gcov_frame *frame, uint32_t number)
{
	struct gcov_arc *arc = &search->arc[number];

	search->scratch->work++;
	if (arc->dst < search->start || arc->remaining <= 0 ||
	    search->solved[arc->dst].member != search->member)
		return false;
	search->scratch->path[search->frames - 1] = number;
	if (arc->dst == search->start) {
		take_circuit(search);
		frame->found = true;
		/* The arc itself is no longer on the path. */
		search->empty -= arc->remaining <= 0;
		return false;
	}
	return search->empty == 0 && !visit(search, arc->dst)->blocked;
}

/*
 * Removes the path's last block, and the arc to it. A block on a circuit can
 * be visited again. Any other stays blocked until one of its successors is
 * unblocked.
 */
static void
leave(struct search *search)
{
	struct gcov_frame *frame = &search->scratch->frame[--search->frames];
	uint32_t number;

	if (frame->found)
		unblock(search, frame->block);
	else
		add_to_lists(search, &search->block[frame->block]);
	if (search->frames == 0)
		return;
	frame[-1].found |= frame->found;
	number = search->scratch->path[search->frames - 1];
	search->empty -= search->arc[number].remaining <= 0;
}

static void
search_from(struct search *search)
{
	search->scratch->stamp++;
	search->frames = search->empty = 0;
	enter(search, search->start);
	while (search->frames > 0 && search->scratch->work < GCOV_WORK_MAX) {
		struct gcov_frame *frame =
		    &search->scratch->frame[search->frames - 1];
		const struct gcov_block *at = &search->block[frame->block];
		uint32_t number = at->arc + frame->arc - search->fn->arc;

		if (frame->arc == at->arcs) {
			leave(search);
			continue;
		}
		frame->arc++;
		if (follow(search, frame, number))
			enter(search, search->arc[number].dst);
	}
}

int64_t
gcov_count_cycles(struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	const struct gcov_touch *touch = unit->scratch.touch;
	struct search search = { .scratch = &unit->scratch,
		.block = unit->block + fn->block,
		.solved = unit->scratch.solved,
		.arc = unit->arc + fn->arc,
		.fn = fn,
		.member = unit->scratch.member };

	for (uint32_t t = line->first; t != GCOV_NONE; t = touch[t].next) {
		search.start = touch[t].block;
		/* A circuit begins only at the target of a back arc. */
		if (touch[t].member && search.solved[search.start].back)
			search_from(&search);
	}
	unit->scratch.work_limit_hit |= unit->scratch.work >= GCOV_WORK_MAX;
	return search.count;
}

/* ---- As llvm-cov finds them --------------------------------------------- */

/*
 * A depth-first search; solved[].list is the arc to a block, or GCOV_NONE.
 * Source: the behaviour of GCOV.cpp, LLVM 11 to 23.
 */

/*
 * Pushes a block on the stack of a depth-first search, and increments *frames,
 * the size of the stack. "by" is the index of the arc by which the block was
 * reached; it is stored for the block.
 */
static void
push(struct gcov_unit *unit, uint32_t block, uint32_t by, size_t *frames)
{
	unit->scratch.solved[block].list = by;
	unit->scratch.frame[(*frames)++] =
	    (struct gcov_frame){ .block = block };
}

/*
 * Subtracts a cycle from the remaining counts of its arcs. Returns the cycle's
 * count, the smallest of them. The arc "closing" closes the cycle with the
 * path of the search.
 */
static int64_t
take_cycle(
    struct gcov_unit *unit, const struct gcov_fn *fn, struct gcov_arc *closing)
{
	struct gcov_solved *solved = unit->scratch.solved;
	struct gcov_arc *arc = unit->arc + fn->arc, *by;
	int64_t least = closing->remaining;
	uint32_t b;

	for (b = closing->src; b != closing->dst; b = by->src) {
		by = &arc[solved[b].list];
		if (by->remaining < least)
			least = by->remaining;
	}
	closing->remaining -= least;
	for (b = closing->src; b != closing->dst; b = by->src) {
		by = &arc[solved[b].list];
		by->remaining -= least;
		unit->scratch.work++;
	}
	return least;
}

/*
 * Searches for a cycle of arcs with a remaining count, depth first from a
 * block of the current line. Ignores arcs from a block to itself. Subtracts
 * the cycle's count from its arcs and returns it; 0: none. Sets "blocked" of
 * blocks on no cycle.
 */
static int64_t
find_cycle(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t start)
{
	struct gcov_solved *solved = unit->scratch.solved;
	size_t frames = 0;

	push(unit, start, GCOV_NONE - 1, &frames);
	while (frames > 0) {
		struct gcov_frame *frame = &unit->scratch.frame[frames - 1];
		const struct gcov_block *at =
		    &unit->block[fn->block + frame->block];
		struct gcov_arc *arc;

		unit->scratch.work++;
		if (frame->arc == at->arcs) {
			solved[frame->block].blocked = true;
			frames--;
			continue;
		}
		arc = &unit->arc[at->arc + frame->arc++];
		if (arc->remaining <= 0 || arc->dst == arc->src ||
		    solved[arc->dst].member != unit->scratch.member ||
		    solved[arc->dst].blocked)
			continue;
		if (solved[arc->dst].list != GCOV_NONE)
			return take_cycle(unit, fn, arc);
		push(unit, arc->dst, (uint32_t)(arc - unit->arc) - fn->arc,
		    &frames);
	}
	return 0;
}

int64_t
gcov_count_cycles_llvm(struct gcov_unit *unit, const struct gcov_fn *fn,
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
			unit->scratch.work++;
		}
		found = 0;
		for (t = line->first; t != GCOV_NONE && found == 0;
		     t = touch[t].next) {
			if (!solved[touch[t].block].blocked)
				found = find_cycle(unit, fn, touch[t].block);
		}
		count = gcov_add(&unit->scratch, count, found);
	} while (found > 0 && unit->scratch.work < GCOV_WORK_MAX);
	unit->scratch.work_limit_hit |= found > 0;
	return count;
}
