/*
 * lines.c - counts of the lines of a function.
 *
 * As gcov has them for data of its own version. Until 7 a line's count is the
 * sum of its blocks (and a compiler says a line only where it differs from
 * the one before, so blocks without any belong to the one before). From 8 on
 * a block belongs to the last line that it touches; what enters the line's
 * blocks from elsewhere plus what runs round among them is its count. A line
 * that no block ends on has the sum.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

static bool
grow_slots(struct gcov_scratch *scratch)
{
	size_t slots = scratch->slots ? scratch->slots * 2 : 1024;
	struct gcov_slot *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	free(scratch->slot);
	scratch->slot = slot;
	scratch->slots = slots;
	scratch->seed = (uintptr_t)slot * UINT64_C(0x9e3779b97f4a7c15);
	return true;
}

/* Where the slots lie no author of a file knows: no lines collide by intent. */
static struct gcov_slot *
find_slot(const struct gcov_scratch *scratch, uint32_t file, uint32_t line)
{
	uint64_t hash = (((uint64_t)file << 32 | line) ^ scratch->seed) *
			0x9e3779b97f4a7c15u;
	size_t at = (size_t)(hash >> 40) & (scratch->slots - 1);
	struct gcov_slot *slot;

	for (;; at = (at + 1) & (scratch->slots - 1)) {
		slot = &scratch->slot[at];
		if (slot->epoch != scratch->epoch ||
		    (scratch->line[slot->line].line == line &&
			scratch->line[slot->line].file == file))
			return slot;
	}
}

/* Slots of an epoch before are free, so nothing is cleared. */
static bool
make_room(struct gcov_scratch *scratch)
{
	if (scratch->lines * 2 < scratch->slots)
		return true;
	if (!grow_slots(scratch))
		return false;
	scratch->epoch = 1;
	for (uint32_t i = 0; i < scratch->lines; i++)
		*find_slot(scratch, scratch->line[i].file,
		    scratch->line[i].line) = (struct gcov_slot){ 1, i };
	return true;
}

/* The line's number in the function; GCOV_NONE: out of memory. */
static uint32_t
add_line(struct gcov_unit *unit, uint32_t file, uint32_t number)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_slot *slot;

	if (!make_room(scratch)) {
		unit->nomem = true;
		return GCOV_NONE;
	}
	slot = find_slot(scratch, file, number);
	if (slot->epoch == scratch->epoch)
		return slot->line;
	if (!gcov_grow(unit, &scratch->line, &scratch->line_cap,
		scratch->lines + 1, sizeof(*scratch->line)))
		return GCOV_NONE;
	*slot = (struct gcov_slot){ scratch->epoch, (uint32_t)scratch->lines };
	scratch->line[scratch->lines] = (struct gcov_line){ .file = file,
		.line = number,
		.first = GCOV_NONE,
		.last = GCOV_NONE };
	return (uint32_t)scratch->lines++;
}

/* line GCOV_NONE: the block has no line. */
static struct gcov_touch *
add_touch(struct gcov_unit *unit, uint32_t block, uint32_t line)
{
	struct gcov_scratch *scratch = &unit->scratch;
	uint32_t number = (uint32_t)scratch->touches;
	struct gcov_touch *touch;
	struct gcov_line *at;

	if (!gcov_grow(unit, &scratch->touch, &scratch->touch_cap,
		scratch->touches + 1, sizeof(*scratch->touch)))
		return NULL;
	touch = &scratch->touch[scratch->touches++];
	*touch = (struct gcov_touch){
		.block = block, .line = line, .next = GCOV_NONE
	};
	if (line == GCOV_NONE)
		return touch;
	at = &scratch->line[line];
	if (at->first == GCOV_NONE) {
		at->first = at->own = number;
	} else {
		touch->again = scratch->touch[at->last].block == block;
		at->own = touch->again ? at->own : number;
		scratch->touch[at->last].next = number;
	}
	at->last = number;
	return touch;
}

static int
compare_lines(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

/* From 8 on gcov sorts the lines of a place. */
static void
sort_lines(struct gcov_unit *unit, const struct gcov_place *place)
{
	uint32_t *line = unit->line + place->line;
	bool sorted = true;

	for (uint32_t i = 1; i < place->lines; i++)
		sorted &= line[i - 1] <= line[i];
	if (!sorted)
		qsort(line, place->lines, sizeof(*line), compare_lines);
}

/* The lines of a place; *last becomes the last of it. */
static bool
touch_place(struct gcov_unit *unit, uint32_t block,
    const struct gcov_place *place, uint32_t *last)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_touch *touch;

	for (uint32_t i = 0; i < place->lines; i++) {
		*last =
		    add_line(unit, place->file, unit->line[place->line + i]);
		if (*last == GCOV_NONE)
			return false;
		touch = add_touch(unit, block, *last);
		if (!touch)
			return false;
		touch->member = unit->llvm;
		scratch->line[*last].has_members |= unit->llvm;
		scratch->line[*last].sum = gcov_add(unit,
		    scratch->line[*last].sum, scratch->solved[block].count);
	}
	return true;
}

/* The block ends on the line: so do its decisions. */
static bool
end_on(struct gcov_unit *unit, uint32_t block, uint32_t number)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_line *line = &scratch->line[number];
	struct gcov_touch *touch = &scratch->touch[line->last];

	/* It may have come from a block or a place before. */
	if (touch->block != block || touch->member) {
		touch = add_touch(unit, block, number);
		if (!touch)
			return false;
		touch->again = true;
	}
	touch->member = line->has_members = true;
	scratch->touch[line->own].ends = true;
	scratch->solved[block].line = number;
	return true;
}

/* clang's blocks end on the last line, all lines of theirs have them. */
static bool
touch_llvm(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	uint32_t last = GCOV_NONE, p;

	for (p = at->place; p != GCOV_NONE; p = unit->place[p].next) {
		if (!touch_place(unit, block, &unit->place[p], &last))
			return false;
	}
	unit->scratch.solved[block].line = last;
	if (last == GCOV_NONE)
		return add_touch(unit, block, GCOV_NONE) != NULL;
	unit->scratch.touch[unit->scratch.line[last].own].ends = true;
	return true;
}

/*
 * From gcc 8 on a block ends on the last line of each of its places; one
 * without lines stands for the place before. Entry and what stands where the
 * exit once was end nowhere.
 */
static bool
touch_gcc(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	bool inner = block > 0 && block + 1 < fn->blocks;
	uint32_t last = GCOV_NONE, p;

	for (p = at->place; p != GCOV_NONE; p = unit->place[p].next) {
		sort_lines(unit, &unit->place[p]);
		if (!touch_place(unit, block, &unit->place[p], &last) ||
		    (inner && last != GCOV_NONE && !end_on(unit, block, last)))
			return false;
	}
	return last != GCOV_NONE || add_touch(unit, block, GCOV_NONE);
}

/*
 * Until gcc 7 a line was not said again where it was that of the block before,
 * so a block without lines ends on that.
 */
static bool
touch_old(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block,
    uint32_t *last)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	size_t before = unit->scratch.touches;
	uint32_t p;

	for (p = at->place; p != GCOV_NONE; p = unit->place[p].next) {
		if (!touch_place(unit, block, &unit->place[p], last))
			return false;
	}
	if (unit->scratch.touches == before &&
	    !add_touch(unit, block, GCOV_NONE))
		return false;
	return *last == GCOV_NONE || block == 0 || block + 1 == fn->blocks ||
	       end_on(unit, block, *last);
}

/* ---- Counts ------------------------------------------------------------- */

/*
 * What comes into the members of a line from blocks that are none is its count;
 * what comes back to one of them from another, or from itself, is a loop.
 */
static void
count_entering(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_scratch *scratch = &unit->scratch;
	const struct gcov_touch *touch = scratch->touch;
	const struct gcov_arc *arc = unit->arc + fn->arc;
	struct gcov_line *line;
	uint32_t from = 0;

	for (uint32_t i = 0; i < fn->arcs; i++, arc++) {
		const struct gcov_solved *src = &scratch->solved[arc->src];
		struct gcov_solved *dst = &scratch->solved[arc->dst];

		/* Arcs of a block stand together. */
		if (from != arc->src + 1) {
			from = arc->src + 1;
			for (uint32_t t = src->touch; t < src->touch_end; t++) {
				if (touch[t].member)
					scratch->line[touch[t].line].from =
					    from;
			}
		}
		/* llvm-cov: this is what leaves a function's first block. */
		if (unit->llvm && arc->dst == 0)
			continue;
		unit->work += dst->touch_end - dst->touch;
		if (unit->work >= GCOV_WORK_MAX) {
			unit->tired = true;
			return;
		}
		for (uint32_t t = dst->touch; t < dst->touch_end; t++) {
			if (!touch[t].member)
				continue;
			line = &scratch->line[touch[t].line];
			if (line->from != from)
				line->count =
				    gcov_add(unit, line->count, arc->count);
			else if (arc->src >= arc->dst)
				line->cyclic = dst->back = true;
		}
	}
	for (uint32_t t = 0; unit->llvm && t < scratch->solved[0].touch_end;
	     t++) {
		if (!touch[t].member)
			continue;
		line = &scratch->line[touch[t].line];
		line->count =
		    gcov_add(unit, line->count, scratch->solved[0].out);
	}
}

/* What runs round among the members of a line. */
static void
count_cycles(
    struct gcov_unit *unit, const struct gcov_fn *fn, struct gcov_line *line)
{
	struct gcov_scratch *scratch = &unit->scratch;
	const struct gcov_touch *touch = scratch->touch;
	const struct gcov_block *at;
	uint32_t t;

	scratch->member++;
	for (t = line->first; t != GCOV_NONE; t = touch[t].next) {
		if (touch[t].member)
			scratch->solved[touch[t].block].member =
			    scratch->member;
		at = &unit->block[fn->block + touch[t].block];
		for (uint32_t i = 0; i < at->arcs; i++)
			unit->arc[at->arc + i].left =
			    unit->arc[at->arc + i].count;
	}
	line->count = gcov_add(unit, line->count,
	    unit->llvm ? gcov_llvm_cycles(unit, fn, line)
		       : gcov_cycles(unit, fn, line));
}

static void
begin(struct gcov_scratch *scratch)
{
	scratch->lines = scratch->touches = 0;
	scratch->member = 0;
	if (++scratch->epoch > 0)
		return;
	memset(scratch->slot, 0, scratch->slots * sizeof(*scratch->slot));
	scratch->epoch = 1;
}

bool
gcov_count_lines(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	struct gcov_scratch *scratch = &unit->scratch;
	bool old = unit->head.layout < GCOV_VERSION(8, 0) && !unit->llvm;
	uint32_t last = GCOV_NONE;
	bool fine = true;

	begin(scratch);
	for (uint32_t i = 0; i < fn->blocks && fine; i++) {
		scratch->solved[i].touch = (uint32_t)scratch->touches;
		fine = unit->llvm ? touch_llvm(unit, fn, i)
		       : old      ? touch_old(unit, fn, i, &last)
				  : touch_gcc(unit, fn, i);
		scratch->solved[i].touch_end = (uint32_t)scratch->touches;
	}
	if (!fine || !gcov_has_counters(fn))
		return fine;
	if (!old)
		count_entering(unit, fn);
	for (uint32_t i = 0; i < scratch->lines; i++) {
		struct gcov_line *line = &scratch->line[i];

		if (old || !line->has_members)
			line->count = line->sum;
		else if (line->cyclic)
			count_cycles(unit, fn, line);
	}
	return true;
}
