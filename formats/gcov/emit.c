/*
 * emit.c - adds the counts of a unit to the graph.
 *
 * For each function, adds its range, its entries as calls from an unknown
 * caller, and these rows:
 *	Exec, Blk	for each line, also if they are 0
 *	BLOCK		every block, also entry and exit, on each line that it
 *			touches, or on line 0 of the function's file; flag LAST
 *			on the line that it ends on (in gcc's units entry and
 *			exit end on no line)
 *	ARC		the arcs of a block with more than one arc that is not
 *			fake; index counts them
 *	CALL		fake arcs, that is, calls that may not return; on line 0
 *			if the block ends on no line
 *	CONDITION, PATH	since gcc 14 and 15
 *	jumps		from the line that a block ends on to the first line of
 *			the next block, unless control falls through
 */
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "gcov.h"

/*
 * Returns the count. If the count is negative, and the target cannot represent
 * negative counts, returns 0 and increments unit->negative, for a warning.
 */
static int64_t
clamp(struct gcov_emit *emit, int64_t count)
{
	if (count >= 0 || emit->unit->wants_negative)
		return count;
	emit->unit->negative++;
	return 0;
}

static uint64_t
unsigned_count(int64_t count)
{
	return count > 0 ? (uint64_t)count : 0;
}

static struct cg_pos
pos_of(const struct gcov_unit *unit, uint32_t file, uint32_t line)
{
	return (struct cg_pos){ .file = unit->file[file].id, .line = line };
}

/* ---- Blocks and branches ------------------------------------------------ */

static void
emit_block(
    struct gcov_emit *emit, const struct gcov_touch *touch, struct cg_pos pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[touch->block];
	const struct cg_branch row = { .pos = pos,
		.kind = CG_BRANCH_BLOCK,
		.block = touch->block,
		.target = touch->block == 0 && pos.line == 0 ? emit->number : 0,
		.flags = (touch->ends > 0 ? CG_BRANCH_LAST : 0) |
			 (solved->exceptional ? CG_BRANCH_EXCEPTIONAL : 0) |
			 gcov_block_flags(unit, emit->fn, touch->block),
		.count = clamp(emit, solved->count) };

	(void)cg_add_branch(emit->build, emit->fn->id, &row);
}

/*
 * Sets *pos to the first line of the block. A block without lines takes its
 * only successor's, over at most 15 such steps. False: no line was found; *pos
 * is unchanged.
 */
static bool
find_begin(const struct gcov_emit *emit, uint32_t block, struct cg_pos *pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_block *at;
	const struct gcov_span *span;

	/* A longer sequence of empty blocks is a loop. */
	for (int i = 0; i < 16; i++) {
		at = &unit->block[emit->fn->block + block];
		for (uint32_t p = at->span; p != GCOV_NONE; p = span->next) {
			span = &unit->span[p];
			if (span->lines == 0)
				continue;
			*pos = pos_of(unit, span->file, unit->line[span->line]);
			return true;
		}
		if (at->arcs != 1)
			return false;
		block = unit->arc[at->arc].dst;
	}
	return false;
}

static void
emit_jump(struct gcov_emit *emit, const struct gcov_arc *arc,
    const struct cg_pos *from, bool conditional, int64_t executed)
{
	uint64_t followed = unsigned_count(arc->count);
	struct cg_pos to;

	if (arc->flags & (GCOV_FAKE | GCOV_FALLTHROUGH) || executed <= 0 ||
	    !find_begin(emit, arc->dst, &to))
		return;
	if (!conditional && to.file == from->file && to.line == from->line)
		return;
	if (followed > (uint64_t)executed) /* counters raced between threads */
		followed = (uint64_t)executed;
	cg_add_jump(emit->build, emit->fn->id, from, emit->fn->id, &to,
	    conditional, conditional ? (uint64_t)executed : followed, followed);
}

static bool
add_site(struct gcov_emit *emit, const struct gcov_solved *solved)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_line *line = &unit->scratch.line[solved->line];

	if (!gcov_grow(unit, &unit->site, &unit->site_cap, unit->sites + 1,
		sizeof(*unit->site)))
		return false;
	unit->site[unit->sites++] = (struct gcov_site){ .fn = emit->fn->id,
		.symbol = emit->symbol,
		.file = line->file,
		.line = line->line,
		.count = unsigned_count(solved->count) };
	return true;
}

/*
 * Adds the arcs out of block "number", except fake ones, to line pos, where it
 * ends. They are branches, if two or more, and jumps, if last. Skips what the
 * graph does not want. time is the number of earlier calls for block and line;
 * it makes indices unique.
 */
static void
emit_arcs(struct gcov_emit *emit, uint32_t number, struct cg_pos pos, bool last,
    uint32_t time)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[number];
	const struct gcov_block *block = &unit->block[emit->fn->block + number];
	const uint32_t real = block->arcs - block->fakes;
	struct cg_branch row = { .pos = pos,
		.kind = CG_BRANCH_ARC,
		.block = number,
		.index = time * real };
	const bool jumps = emit->jumps && last, arcs = emit->arcs && real > 1;

	for (uint32_t i = 0; i < block->arcs && (jumps || arcs); i++) {
		const struct gcov_arc *arc = &unit->arc[block->arc + i];

		if (arc->flags & GCOV_FAKE)
			continue;
		if (jumps)
			emit_jump(emit, arc, &pos, real > 1, solved->count);
		if (!arcs)
			continue;
		row.target = arc->dst;
		row.flags =
		    (arc->flags & GCOV_FALLTHROUGH ? CG_BRANCH_FALLTHROUGH
						   : 0) |
		    (arc->flags & GCOV_THROW ? CG_BRANCH_THROW : 0) |
		    (solved->count != 0 ? CG_BRANCH_REACHED : 0);
		row.count = clamp(emit, arc->count);
		(void)cg_add_branch(emit->build, emit->fn->id, &row);
		row.index++;
	}
}

/*
 * Adds the calls at the end of block "number" (fake arcs), counted by their
 * returns. Adds no rows unless the graph wants blocks. time is the number of
 * earlier calls for block and line; it makes indices unique. last: also add
 * call sites for .ci files. False: out of memory.
 */
static bool
emit_calls(struct gcov_emit *emit, uint32_t number, struct cg_pos pos,
    bool last, uint32_t time)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[number];
	const struct gcov_block *block = &unit->block[emit->fn->block + number];
	const uint32_t real = block->arcs - block->fakes;
	uint32_t index = 0;
	struct cg_branch row = { .pos = pos,
		.kind = CG_BRANCH_CALL,
		.block = number,
		.flags = solved->count != 0 ? CG_BRANCH_REACHED : 0 };

	if (block->fakes == 0)
		return true;
	for (uint32_t i = 0; i < block->arcs; i++) {
		const struct gcov_arc *arc = &unit->arc[block->arc + i];

		if (!(arc->flags & GCOV_FAKE)) {
			index++;
			continue;
		}
		/* The real arcs before it; unique with time. */
		row.index = pos.line == 0 ? 0
			    : real < 2    ? time
					  : time * real + index;
		row.target = arc->dst;
		row.count = (int64_t)unsigned_count(
		    gcov_sub(&unit->scratch, solved->count, arc->count));
		if (emit->blocks)
			(void)cg_add_branch(emit->build, emit->fn->id, &row);
		if (last && !add_site(emit, solved))
			return false;
	}
	return true;
}

/*
 * Adds the outcomes of the block's condition to the graph, if it has one. The
 * count is 1 if the outcome occurred, else 0, also without data. Term t has
 * indices 2 * t for false, 2 * t + 1 for true.
 */
static void
emit_condition(struct gcov_emit *emit, uint32_t block, struct cg_pos pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_fn *fn = emit->fn;
	uint32_t number = unit->scratch.solved[block].condition;
	const unsigned char *at =
	    fn->data ? fn->data->counters[GCOV_CONDITIONS].at : NULL;
	struct cg_branch row = { .pos = pos,
		.kind = CG_BRANCH_CONDITION,
		.block = block,
		.flags = unit->scratch.solved[block].count != 0
			     ? CG_BRANCH_REACHED
			     : 0 };
	uint64_t bits[2] = { 0, 0 };
	uint32_t terms;

	if (number == 0)
		return;
	terms = unit->condition[fn->condition + number - 1].terms;
	/* The data has two words of bits: outcomes true, outcomes false. */
	for (size_t b = 0; at && b < 2; b++)
		bits[1 - b] = (uint64_t)gcov_get_counter(
		    at + (number - 1) * 16 + b * 8, unit->data.order);
	for (; row.index < 2 * terms; row.index++) {
		row.count = bits[row.index & 1] >> (row.index / 2) & 1;
		(void)cg_add_branch(emit->build, emit->fn->id, &row);
	}
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Adds blocks without lines, and calls of blocks that end on no line, to line
 * 0, if the graph wants blocks. Block 0's fake arcs are no calls, but stand
 * for functions that return twice. False: out of memory.
 */
static bool
emit_line_0(struct gcov_emit *emit)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct cg_pos pos = pos_of(emit->unit, emit->fn->file, 0);
	bool success = true;

	if (!emit->blocks)
		return true;
	for (size_t i = 0; i < scratch->touches; i++) {
		const struct gcov_touch *touch = &scratch->touch[i];

		if (touch->line == GCOV_NONE && !touch->repeated)
			emit_block(emit, touch, pos);
	}
	for (uint32_t i = 1; i < emit->fn->blocks && success; i++) {
		if (scratch->solved[i].line == GCOV_NONE)
			success = emit_calls(emit, i, pos, false, 0);
	}
	return success;
}

/*
 * Limits how often a block's branches are added for a line (touch->ends).
 * Small notes could otherwise ask for very many rows. Each 4 bytes of notes
 * allow one repeated arc. Beyond that, touch->ends becomes 1, and
 * unit->lost_repeats counts the arcs.
 */
static void
limit_ends(struct gcov_emit *emit, struct gcov_touch *touch)
{
	struct gcov_unit *unit = emit->unit;
	uint64_t arcs = unit->block[emit->fn->block + touch->block].arcs;
	uint64_t more = touch->ends > 1 ? (touch->ends - 1) * arcs : 0;

	if (more > unit->max_blocks - unit->repeats) {
		unit->lost_repeats += more;
		touch->ends = 1;
		return;
	}
	unit->repeats += more;
}

/*
 * Adds branches, calls and conditions of the blocks that end on line "number"
 * (in scratch->line). A block can end on several lines; jumps and call sites
 * are added on the last one only. False: out of memory.
 */
static bool
emit_ends(struct gcov_emit *emit, uint32_t number, struct cg_pos pos)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct gcov_block *blocks = emit->unit->block + emit->fn->block;
	struct gcov_touch *touch = scratch->touch;
	const uint32_t first = scratch->line[number].first;
	bool calls = false, last;
	uint32_t t, block, time;

	for (t = first; t != GCOV_NONE; t = touch[t].next) {
		block = touch[t].block;
		last = scratch->solved[block].line == number;
		limit_ends(emit, &touch[t]);
		for (time = 0; time < touch[t].ends; time++)
			emit_arcs(emit, block, pos, last && time == 0, time);
		calls |= touch[t].ends > 0 && blocks[block].fakes > 0;
	}
	for (t = calls ? first : GCOV_NONE; t != GCOV_NONE; t = touch[t].next) {
		block = touch[t].block;
		last = scratch->solved[block].line == number;
		for (time = 0; time < touch[t].ends; time++) {
			if (!emit_calls(
				emit, block, pos, last && time == 0, time))
				return false;
		}
	}
	t = emit->fn->conditions > 0 ? first : GCOV_NONE;
	for (; t != GCOV_NONE; t = touch[t].next) {
		if (touch[t].ends > 0)
			emit_condition(emit, touch[t].block, pos);
	}
	return true;
}

static bool
emit_line(struct gcov_emit *emit, uint32_t number)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct gcov_touch *touch = scratch->touch;
	const struct gcov_line *line = &scratch->line[number];
	struct cg_pos pos = pos_of(emit->unit, line->file, line->line);
	int64_t count = line->count;
	bool ends = false;

	if (emit->unit->compat && gcov_is_dropped(emit->unit, emit->fn, line))
		count = 0;
	emit->cost[emit->exec] = (uint64_t)clamp(emit, count);
	emit->cost[emit->blk] = (uint64_t)clamp(emit, line->sum);
	(void)cg_add_cost(emit->build, emit->fn->id, &pos, emit->cost,
	    count == 0 && line->sum == 0 ? 0 : emit->columns);
	for (uint32_t t = line->first; t != GCOV_NONE; t = touch[t].next) {
		if (emit->blocks && !touch[t].repeated)
			emit_block(emit, &touch[t], pos);
		ends |= touch[t].ends > 0;
	}
	return !ends || emit_ends(emit, number, pos);
}

static int
compare_sorted(const void *va, const void *vb)
{
	const struct gcov_sorted *a = va, *b = vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/*
 * Adds the counts, blocks and branches of all lines of the function to the
 * graph. The lines are sorted by file and line, so that the graph need not
 * sort them later. False: out of memory.
 */
static bool
emit_lines(struct gcov_emit *emit)
{
	struct gcov_scratch *scratch = &emit->unit->scratch;
	bool sorted = true, success;

	if (!gcov_grow(emit->unit, &scratch->order, &scratch->order_cap,
		scratch->lines, sizeof(*scratch->order)))
		return false;
	for (uint32_t i = 0; i < scratch->lines; i++) {
		const struct gcov_line *line = &scratch->line[i];

		scratch->order[i].key = (uint64_t)line->file << 32 | line->line;
		scratch->order[i].line = i;
		sorted &=
		    i == 0 || scratch->order[i - 1].key < scratch->order[i].key;
	}
	if (!sorted)
		qsort(scratch->order, scratch->lines, sizeof(*scratch->order),
		    compare_sorted);
	success = emit_line_0(emit);
	for (size_t i = 0; i < scratch->lines && success; i++)
		success = emit_line(emit, scratch->order[i].line);
	return success;
}

/*
 * Stores the index + 1 of each condition of the function in the state of its
 * block (solved[].condition).
 */
static void
find_conditions(const struct gcov_emit *emit)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_fn *fn = emit->fn;

	for (uint32_t i = 0; i < fn->conditions; i++)
		unit->scratch.solved[unit->condition[fn->condition + i].block]
		    .condition = i + 1;
}

static void
emit_paths(struct gcov_emit *emit)
{
	const struct gcov_fn *fn = emit->fn;
	const unsigned char *at =
	    fn->data ? fn->data->counters[GCOV_PATHS].at : NULL;
	struct cg_branch row = { .kind = CG_BRANCH_PATH };
	uint64_t bits = 0;

	row.pos = pos_of(emit->unit, fn->file, fn->line);
	for (; row.index < fn->paths; row.index++) {
		if (at && row.index % 64 == 0) {
			bits = (uint64_t)gcov_get_counter(
			    at, emit->unit->data.order);
			at += 8;
		}
		row.count = bits >> (row.index % 64) & 1;
		(void)cg_add_branch(emit->build, emit->fn->id, &row);
	}
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Adds the function and its range of lines to the graph, without costs. Sets
 * fn->id, emit->fn and emit->symbol. A function of an earlier unit (object
 * file, fn->known) gets the same id, unless another with its ident came
 * between. False: out of memory.
 */
bool
gcov_add_fn(struct gcov_emit *emit, struct gcov_fn *fn)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_known *known =
	    fn->known != 0 ? &unit->program->known[fn->known - 1] : NULL;
	/* fn 0: meanwhile, another function had the same ident. */
	bool is_known = known && known->fn != 0;

	emit->fn = fn;
	emit->number = (uint32_t)(fn - unit->fn) + 1;
	if (is_known) {
		emit->symbol = known->symbol;
		fn->id = known->fn;
	} else {
		emit->symbol = cg_add_name(emit->build, fn->name);
		fn->id = cg_add_fn_symbol(emit->build,
		    cg_add_demangled(emit->build, emit->symbol),
		    unit->file[fn->file].id, 0, emit->symbol);
	}
	cg_set_fn_range(emit->build, fn->id,
	    &(struct cg_range){ .first = fn->line,
		.first_column = fn->column,
		.last = fn->end_line,
		.last_column = fn->end_column });
	return is_known || gcov_add_known(unit, emit->build, fn, emit->symbol);
}

bool
gcov_emit_fn(struct gcov_emit *emit, struct gcov_fn *fn)
{
	struct gcov_unit *unit = emit->unit;
	int64_t entries = unit->scratch.solved[0].count;

	emit->blocks = cg_wants_rows(emit->build, CG_BLOCKS);
	emit->arcs = cg_wants_rows(emit->build, CG_BRANCHES);
	emit->jumps = cg_wants_rows(emit->build, CG_JUMPS);
	/* If blocks are kept, the row of block 0 has the negative count. */
	if (entries < 0 && !emit->blocks)
		unit->negative++;
	fn->entries = unsigned_count(entries);
	find_conditions(emit);
	if (!emit_lines(emit))
		return false;
	emit_paths(emit);
	return true;
}

/*
 * Adds a call by function 0, the unknown caller, for the entries of each
 * function. Doing so for all functions together is faster: the graph finds the
 * calls of function 0 once.
 */
void
gcov_emit_entries(const struct gcov_emit *emit)
{
	const struct gcov_unit *unit = emit->unit;
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < unit->fns; i++) {
		const struct gcov_fn *fn = &unit->fn[i];
		const struct cg_pos entry = pos_of(unit, fn->file, fn->line);

		if (fn->entries > 0)
			(void)cg_add_call(emit->build, 0, &nowhere, fn->id,
			    &entry, fn->entries, NULL, 0);
	}
}

/* ---- Units -------------------------------------------------------------- */

/*
 * Adds the source files of the unit (object file) to the graph and sets their
 * ids. Compares their times with that of the notes (.gcno), for a warning of
 * newer sources. False: out of memory.
 */
static bool
add_files(struct gcov_emit *emit, const char *notes)
{
	struct gcov_unit *unit = emit->unit;
	struct cg_slice directory;

	if (!gcov_find_directory(unit, emit->build, notes, &directory))
		return false;
	for (size_t i = 0; i < unit->files; i++) {
		unit->file[i].id =
		    cg_add_file_in(emit->build, directory, unit->file[i].name);
		/* id 0: a file without a name, as in units of Ada's binder. */
		if (unit->file[i].id != 0)
			cg_list_file(emit->build, unit->file[i].id);
	}
	return gcov_compare_times(unit, directory, notes);
}

static void
add_descs(const struct gcov_emit *emit, const char *notes, const char *data)
{
	struct gcov_unit *unit = emit->unit;
	char runs[CG_NUMBER_MAX];

	unit->program->part =
	    cg_add_part(emit->build, &(struct cg_part_info){ .cmd = "" });
	cg_add_desc(
	    emit->build, cg_slice("Compiler"), cg_slice(unit->head.version));
	if (unit->head.cwd.len > 0)
		cg_add_desc(emit->build, cg_slice("Directory"), unit->head.cwd);
	if (!unit->has_data) {
		cg_add_desc(
		    emit->build, cg_slice("Notes file"), cg_slice(notes));
		return;
	}
	cg_add_desc(emit->build, cg_slice("Data file"), cg_slice(data));
	cg_add_desc(emit->build, cg_slice("Runs"),
	    (struct cg_slice){
		runs, (size_t)(cg_format_u64(runs, unit->data.runs) - runs) });
}

static unsigned
add_event(struct gcov_emit *emit, const char *name, const char *long_name)
{
	const struct cg_event event = { .name = name,
		.long_name = long_name,
		.is_signed = true,
		.incl = CG_INCL_NONE };
	unsigned column = cg_add_event(emit->build, &event);

	if (column >= emit->columns)
		emit->columns = column + 1;
	return column;
}

bool
gcov_begin_emit(struct gcov_emit *emit, const char *notes, const char *data)
{
	emit->exec = add_event(emit, "Exec", "Line executions");
	emit->blk = add_event(emit, "Blk", "Block executions");
	add_descs(emit, notes, data);
	return add_files(emit, notes);
}
