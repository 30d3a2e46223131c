/*
 * cycles.c - how often a line with a loop on it ran round, as gcov from
 * version 8 on finds it.
 *
 * Among the blocks that end on the line it enumerates circuits (Hawick and
 * James, "Enumerating circuits and loops in graphs with self-arcs and
 * multiple-arcs"); each takes with it the smallest count on its way. What is
 * found depends on the order of blocks and arcs, which is gcov's here. Each
 * circuit uses up an arc, so there are at most as many as arcs.
 */
#include "gcov.h"

struct search {
	struct gcov_unit *unit;
	struct gcov_solved *solved;
	struct gcov_arc *arc; /* of the function */
	const struct gcov_fn *fn;
	uint32_t start, member;
	size_t frames, empty; /* arcs on the path with nothing left */
	int64_t count;
};

/* What of the last search is in the way is forgotten when it is met. */
static struct gcov_solved *
visit(struct search *search, uint32_t block)
{
	struct gcov_solved *solved = &search->solved[block];
	uint32_t a;

	if (solved->stamp == search->unit->scratch.stamp)
		return solved;
	for (a = solved->list; a != GCOV_NONE; a = search->arc[a].next)
		search->arc[a].flags &= ~GCOV_LISTED;
	solved->stamp = search->unit->scratch.stamp;
	solved->blocked = false;
	solved->list = GCOV_NONE;
	return solved;
}

/* Frees the block and all that waited for it. */
static void
unblock(struct search *search, uint32_t block)
{
	uint32_t *stack = search->unit->scratch.queue, next;
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
			search->unit->work++;
		}
		solved->list = GCOV_NONE;
	}
}

/* The block waits for all that it leads to. */
static void
wait_for(struct search *search, const struct gcov_block *block)
{
	for (uint32_t i = 0; i < block->arcs; i++) {
		uint32_t number = block->arc + i - search->fn->arc;
		struct gcov_arc *arc = &search->arc[number];
		struct gcov_solved *to;

		if (arc->dst < search->start || arc->left <= 0 ||
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

/* The path has come back to its start. */
static void
take_circuit(struct search *search)
{
	const uint32_t *path = search->unit->scratch.path;
	int64_t least = INT64_MAX;

	for (size_t i = 0; i < search->frames; i++) {
		if (search->arc[path[i]].left < least)
			least = search->arc[path[i]].left;
	}
	search->count = gcov_add(search->unit, search->count, least);
	search->empty = 0;
	for (size_t i = 0; i < search->frames; i++) {
		search->arc[path[i]].left -= least;
		search->empty += search->arc[path[i]].left <= 0;
	}
	search->unit->work += search->frames;
}

static void
enter(struct search *search, uint32_t block)
{
	visit(search, block)->blocked = true;
	search->unit->scratch.frame[search->frames++] = (struct gcov_frame){
		.block = block,
	};
}

/*
 * The next arc of the topmost block: true if the search goes on behind it.
 * path[i] is the arc by which frame i is left.
 */
static bool
follow(struct search *search, struct gcov_frame *frame, uint32_t number)
{
	struct gcov_arc *arc = &search->arc[number];

	search->unit->work++;
	if (arc->dst < search->start || arc->left <= 0 ||
	    search->solved[arc->dst].member != search->member)
		return false;
	search->unit->scratch.path[search->frames - 1] = number;
	if (arc->dst == search->start) {
		take_circuit(search);
		frame->found = true;
		/* The arc itself leaves the path. */
		search->empty -= arc->left <= 0;
		return false;
	}
	return search->empty == 0 && !visit(search, arc->dst)->blocked;
}

/* The topmost block is done: its caller's arc leaves the path. */
static void
leave(struct search *search, const struct gcov_block *block)
{
	struct gcov_frame *frame =
	    &search->unit->scratch.frame[--search->frames];
	uint32_t number;

	if (frame->found)
		unblock(search, frame->block);
	else
		wait_for(search, &block[frame->block]);
	if (search->frames == 0)
		return;
	frame[-1].found |= frame->found;
	number = search->unit->scratch.path[search->frames - 1];
	search->empty -= search->arc[number].left <= 0;
}

static void
search_from(struct search *search)
{
	const struct gcov_block *block =
	    search->unit->block + search->fn->block;

	search->unit->scratch.stamp++;
	search->frames = search->empty = 0;
	enter(search, search->start);
	while (search->frames > 0 && search->unit->work < GCOV_WORK_MAX) {
		struct gcov_frame *frame =
		    &search->unit->scratch.frame[search->frames - 1];
		const struct gcov_block *at = &block[frame->block];
		uint32_t number = at->arc + frame->arc - search->fn->arc;

		if (frame->arc == at->arcs) {
			leave(search, block);
			continue;
		}
		frame->arc++;
		if (follow(search, frame, number))
			enter(search, search->arc[number].dst);
	}
}

int64_t
gcov_cycles(struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	const struct gcov_touch *touch = unit->scratch.touch;
	struct search search = { .unit = unit,
		.solved = unit->scratch.solved,
		.arc = unit->arc + fn->arc,
		.fn = fn,
		.member = unit->scratch.member };

	for (uint32_t t = line->first; t != GCOV_NONE; t = touch[t].next) {
		search.start = touch[t].block;
		/* No circuit begins where no arc leads back to. */
		if (touch[t].member && search.solved[search.start].back)
			search_from(&search);
	}
	unit->tired |= unit->work >= GCOV_WORK_MAX;
	return search.count;
}
