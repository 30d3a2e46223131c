/*
 * lines.c - computes the counts of the lines of a function, as the gcov of the
 * compiler's version does.
 *
 * Until gcc 7 the count of a line is the sum of the counts of its blocks. (The
 * compiler writes a line only if it differs from the previous block's line, so
 * a block without lines belongs to the line of the previous block.)
 *
 * From gcc 8 on a block is a member of the last line that it touches. The count
 * of a line is the sum of the arcs that enter its members from other blocks,
 * and of the cycles among its members (cycles.c). The count of a line without
 * members is the sum of its blocks. Source: gcov.c.
 *
 * In clang's units a block is a member of all its lines, as in llvm-cov.
 *
 * The branches of a block are listed on the line that the block ends on, one
 * or more times, like in the tool of the compiler's version:
 *
 *	gcc until 7	once
 *	gcc 8 to 16	once for each span of the block that ends on the line,
 *			or that is empty and follows such a span: gcc -O1 writes
 *			the name of a file without lines if the line is the one
 *			before (add_line_counts() of gcov.cc)
 *	clang		once for each time that the block lists the line
 *			(annotateSource() of GCOV.cpp, LLVM 12 to 19)
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

/*
 * Returns the slot of a line in the hash table or, if absent, the free slot
 * for it. The table must have a free slot: one of another epoch. The seed is
 * an address, so that no file can cause many collisions.
 */
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

/*
 * Makes room in the hash table for one more line, in a new table if necessary.
 * The table is never cleared: slots of older epochs (functions) are free.
 * False: out of memory.
 */
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

/*
 * Returns the index of the line in scratch->line; appends the line if it is
 * new. GCOV_NONE: out of memory.
 */
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

/*
 * Appends a touch (the block has code on a line) to the line's list, and
 * returns it. "repeated": the touch before is of the same block. line
 * GCOV_NONE: the block has no lines. NULL: out of memory.
 */
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
		touch->repeated = scratch->touch[at->last].block == block;
		at->own = touch->repeated ? at->own : number;
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

/*
 * Sorts the line numbers of a span in place, as gcov does from version 8 on. A
 * span has the lines of a block in one file.
 */
static void
sort_lines(struct gcov_unit *unit, const struct gcov_span *span)
{
	uint32_t *line = unit->line + span->line;
	bool sorted = true;

	for (uint32_t i = 1; i < span->lines; i++)
		sorted &= line[i - 1] <= line[i];
	if (!sorted)
		qsort(line, span->lines, sizeof(*line), compare_lines);
}

/*
 * Adds a touch (the block has code on a line) for each line of a span. Adds
 * the block's count to their sums. In clang's units the block becomes a member
 * of the lines. Sets *last to the last line, an index in scratch->line, if
 * any. False: out of memory.
 */
static bool
touch_span(struct gcov_unit *unit, uint32_t block, const struct gcov_span *span,
    uint32_t *last)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_touch *touch;

	for (uint32_t i = 0; i < span->lines; i++) {
		*last = add_line(unit, span->file, unit->line[span->line + i]);
		if (*last == GCOV_NONE)
			return false;
		touch = add_touch(unit, block, *last);
		if (!touch)
			return false;
		touch->member = unit->llvm;
		scratch->line[*last].has_members |= unit->llvm;
		scratch->line[*last].sum = gcov_add(scratch,
		    scratch->line[*last].sum, scratch->solved[block].count);
	}
	return true;
}

/*
 * Records that the block ends on line "number" of scratch->line, which must
 * have a touch. Counts how often, as its branches are reported that often. The
 * block becomes a member of the line: arcs into the block count for the line.
 * False: out of memory.
 */
static bool
end_on(struct gcov_unit *unit, uint32_t block, uint32_t number)
{
	struct gcov_scratch *scratch = &unit->scratch;
	struct gcov_line *line = &scratch->line[number];
	struct gcov_touch *touch = &scratch->touch[line->last];

	/* The last touch may be by another block, or by another span. */
	if (touch->block != block || touch->member) {
		touch = add_touch(unit, block, number);
		if (!touch)
			return false;
		touch->repeated = true;
	}
	touch->member = line->has_members = true;
	scratch->touch[line->own].ends++;
	scratch->solved[block].line = number;
	return true;
}

/*
 * Adds the touches (code on a line) of a block of clang; one of no line if it
 * has none. Arcs into the block count for all its lines. It ends on its last
 * line, as often as listed. False: out of memory.
 */
static bool
touch_llvm(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	struct gcov_touch *touch;
	uint32_t last = GCOV_NONE, p, t;

	for (p = at->span; p != GCOV_NONE; p = unit->span[p].next) {
		if (!touch_span(unit, block, &unit->span[p], &last))
			return false;
	}
	unit->scratch.solved[block].line = last;
	if (last == GCOV_NONE)
		return add_touch(unit, block, GCOV_NONE) != NULL;
	touch = unit->scratch.touch;
	p = unit->scratch.line[last].own;
	for (t = p; t != GCOV_NONE; t = touch[t].next)
		touch[p].ends++;
	return true;
}

/*
 * Adds the touches (code on a line) of a block of gcc 8 and later; without
 * lines, one of no line. An inner block ends on the last line of each span
 * (lines of one file). A span without lines repeats the line before. False:
 * out of memory.
 */
static bool
touch_gcc(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	bool inner = block > 0 && block + 1 < fn->blocks;
	uint32_t last = GCOV_NONE, p;

	for (p = at->span; p != GCOV_NONE; p = unit->span[p].next) {
		sort_lines(unit, &unit->span[p]);
		if (!touch_span(unit, block, &unit->span[p], &last) ||
		    (inner && last != GCOV_NONE && !end_on(unit, block, last)))
			return false;
	}
	return last != GCOV_NONE || add_touch(unit, block, GCOV_NONE);
}

/*
 * Adds the touches (code on a line) of a block of gcc until 7; one of no line
 * if it has none. An inner block ends on *last, the last line so far, as gcc
 * omits repeated lines. False: out of memory.
 */
static bool
touch_old(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block,
    uint32_t *last)
{
	const struct gcov_block *at = &unit->block[fn->block + block];
	size_t before = unit->scratch.touches;
	uint32_t p;

	for (p = at->span; p != GCOV_NONE; p = unit->span[p].next) {
		if (!touch_span(unit, block, &unit->span[p], last))
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
 * Sets last_src to number (index of src + 1) in the lines of which block src
 * is a member. count_entering() then sees arcs that stay within a line. Call
 * this before counting the arcs out of src.
 */
static void
mark_lines(struct gcov_scratch *scratch, const struct gcov_solved *src,
    uint32_t number)
{
	const struct gcov_touch *touch = scratch->touch;

	for (uint32_t t = src->touch; t < src->touch_end; t++) {
		if (touch[t].member)
			scratch->line[touch[t].line].last_src = number;
	}
}

/*
 * Adds the sum of the arcs out of the entry block to the count of each line of
 * this block. count_entering() ignores arcs into the entry block, so these
 * lines would have count 0. llvm-cov does the same.
 */
static void
count_entry_llvm(struct gcov_scratch *scratch)
{
	const struct gcov_touch *touch = scratch->touch;
	const struct gcov_solved *entry = &scratch->solved[0];
	struct gcov_line *line;

	for (uint32_t t = 0; t < entry->touch_end; t++) {
		if (!touch[t].member)
			continue;
		line = &scratch->line[touch[t].line];
		line->count = gcov_add(scratch, line->count, entry->out);
	}
}

/*
 * Adds each arc's count to its destination's lines, unless they are its
 * source's, too. An arc back within a line makes it cyclic: its cycles are
 * counted later. In clang's units, arcs out of the entry count for its lines
 * instead. At the limit of work (scratch->work_limit_hit), counts stay too
 * low.
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

		/* The arcs of a block are consecutive. */
		if (from != arc->src + 1) {
			from = arc->src + 1;
			mark_lines(scratch, src, from);
		}
		if (unit->llvm && arc->dst == 0)
			continue;
		scratch->work += dst->touch_end - dst->touch;
		if (scratch->work >= GCOV_WORK_MAX) {
			scratch->work_limit_hit = true;
			return;
		}
		for (uint32_t t = dst->touch; t < dst->touch_end; t++) {
			if (!touch[t].member)
				continue;
			line = &scratch->line[touch[t].line];
			if (line->last_src != from)
				line->count =
				    gcov_add(scratch, line->count, arc->count);
			else if (arc->src >= arc->dst)
				line->cyclic = dst->back = true;
		}
	}
	if (unit->llvm)
		count_entry_llvm(scratch);
}

/*
 * Adds how often control cycled among the line's members (the blocks that
 * count for the line) to the line's count.
 */
static void
add_cycles(
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
			unit->arc[at->arc + i].remaining =
			    unit->arc[at->arc + i].count;
	}
	line->count = gcov_add(scratch, line->count,
	    unit->llvm ? gcov_count_cycles_llvm(unit, fn, line)
		       : gcov_count_cycles(unit, fn, line));
}

static void
begin_lines(struct gcov_scratch *scratch)
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
	bool success = true;

	begin_lines(scratch);
	for (uint32_t i = 0; i < fn->blocks && success; i++) {
		scratch->solved[i].touch = (uint32_t)scratch->touches;
		success = unit->llvm ? touch_llvm(unit, fn, i)
			  : old      ? touch_old(unit, fn, i, &last)
				     : touch_gcc(unit, fn, i);
		scratch->solved[i].touch_end = (uint32_t)scratch->touches;
	}
	if (!success || !gcov_has_counters(fn))
		return success;
	if (!old)
		count_entering(unit, fn);
	for (uint32_t i = 0; i < scratch->lines; i++) {
		struct gcov_line *line = &scratch->line[i];

		if (old || !line->has_members)
			line->count = line->sum;
		else if (line->cyclic)
			add_cycles(unit, fn, line);
	}
	return true;
}

/* ---- Lines of several functions ----------------------------------------- */

/*
 * Returns the key of a line in the tables of lines that functions share.
 *
 * gcov (8 to 16) has a table for a unit (object file), and one for each group
 * of functions that begin on the same line. If blocks of functions in a table
 * end on a line, gcov counts only arcs into those blocks. It drops the counts
 * of functions without one.
 */
static uint64_t
key_of(uint32_t file, uint32_t line)
{
	return (uint64_t)file << 32 | line;
}

/*
 * True for a line within the function, if other functions begin on the
 * function's first line. Instances of a template do so. gcov has a table of
 * lines for such a group, apart from the unit's table.
 */
static bool
is_in_group(const struct gcov_unit *unit, const struct gcov_fn *fn,
    uint32_t file, uint32_t line)
{
	return file == fn->file && line >= fn->line && line <= fn->end_line &&
	       cg_map_get(&unit->begins, key_of(fn->file, fn->line)) > 1;
}

/*
 * Records in unit->shared that a block of the function ends on a line, unless
 * that is a group's line. *last is the key of the line recorded last, to avoid
 * look-ups. False: out of memory.
 */
static bool
add_shared_line(struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t file,
    uint32_t line, uint64_t *last)
{
	uint64_t key = key_of(file, line);
	uint32_t *slot;

	if (key == *last || is_in_group(unit, fn, file, line))
		return true;
	slot = cg_map_at(&unit->shared, key);
	if (!slot)
		return false;
	*slot = 1;
	*last = key;
	return true;
}

/*
 * Records in unit->shared the lines that blocks of the function end on; entry
 * and exit do not count. There gcov drops the counts of functions without such
 * a block. False: out of memory.
 */
static bool
add_shared_lines(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_block *block = &unit->block[fn->block];
	const struct gcov_span *span;
	uint64_t last = 0;

	for (uint32_t i = 1; i + 1 < fn->blocks; i++) {
		for (uint32_t p = block[i].span; p != GCOV_NONE;
		     p = span->next) {
			span = &unit->span[p];
			sort_lines(unit, span);
			if (span->lines > 0 &&
			    !add_shared_line(unit, fn, span->file,
				unit->line[span->line + span->lines - 1],
				&last))
				return false;
		}
	}
	return true;
}

bool
gcov_find_shared_lines(struct gcov_unit *unit)
{
	uint32_t *slot;

	cg_map_free(&unit->begins);
	cg_map_free(&unit->shared);
	unit->begins = unit->shared = (struct cg_map){ 0 };
	for (size_t i = 0; i < unit->fns; i++) {
		if (unit->fn[i].artificial)
			continue;
		slot = cg_map_at(
		    &unit->begins, key_of(unit->fn[i].file, unit->fn[i].line));
		if (!slot)
			return false;
		++*slot;
	}
	for (size_t i = 0; i < unit->fns; i++) {
		if (gcov_is_reported(unit, &unit->fn[i]) &&
		    !add_shared_lines(unit, &unit->fn[i]))
			return false;
	}
	return true;
}

bool
gcov_is_dropped(const struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	return !line->has_members &&
	       !is_in_group(unit, fn, line->file, line->line) &&
	       cg_map_get(&unit->shared, key_of(line->file, line->line)) != 0;
}
