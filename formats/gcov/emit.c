/*
 * emit.c - a unit into the graph.
 *
 * Of each function: its range, entries as calls from nobody known, and
 *	Exec, Blk	of each line, zeros kept
 *	BLOCK		every block, the entry's and the exit's too, on each
 *			line that it touches, or on line 0 of the function's
 *			file; LAST on the line that it ends on, if it counts
 *			there (in gcc's data entry and exit do not)
 *	ARC		arcs of blocks that more than one leaves, fake ones
 *			aside; index counts them
 *	CALL		fake arcs: calls that may not come back; on line 0 if
 *			the block ends on none
 *	CONDITION, PATH	what gcc 14 and 15 added
 *	jumps		from the line a block ends on to the line where the
 *			next begins; falling through is none
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

struct emit {
	struct gcov_unit *unit;
	struct cg_build *build;
	const struct gcov_fn *gcov;
	uint32_t number; /* of the function in its unit, from 1 */
	cg_fn fn;
	cg_name symbol;
	unsigned exec, blk; /* columns */
	size_t columns;
	bool raw;   /* counts below zero are kept */
	bool paths; /* the target carries blocks of paths */
	/* Rows that are still to be added. */
	bool blocks, arcs, jumps;
	uint64_t *cost; /* of all columns: 0 but for these */
};

/* Where there is no place for what is below zero, that is 0. */
static int64_t
clamp(struct emit *emit, int64_t count)
{
	if (count >= 0 || emit->raw)
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
emit_block(struct emit *emit, const struct gcov_touch *touch, struct cg_pos pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[touch->block];
	const struct cg_branch row = { .pos = pos,
		.kind = CG_BRANCH_BLOCK,
		.block = touch->block,
		.target = touch->block == 0 && pos.line == 0 ? emit->number : 0,
		.flags = (touch->ends ? CG_BRANCH_LAST : 0) |
			 (solved->exceptional ? CG_BRANCH_EXCEPTIONAL : 0) |
			 gcov_block_flags(unit, emit->gcov, touch->block),
		.count = clamp(emit, solved->count) };

	(void)cg_add_branch(emit->build, emit->fn, &row);
}

/* The first line of a block, or of those that must follow it. */
static bool
find_begin(const struct emit *emit, uint32_t block, struct cg_pos *pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_block *at;
	const struct gcov_place *place;

	/* So many empty blocks in a row are a loop. */
	for (int i = 0; i < 16; i++) {
		at = &unit->block[emit->gcov->block + block];
		for (uint32_t p = at->place; p != GCOV_NONE; p = place->next) {
			place = &unit->place[p];
			if (place->lines == 0)
				continue;
			*pos =
			    pos_of(unit, place->file, unit->line[place->line]);
			return true;
		}
		if (at->arcs != 1)
			return false;
		block = unit->arc[at->arc].dst;
	}
	return false;
}

static void
emit_jump(struct emit *emit, const struct gcov_arc *arc,
    const struct cg_pos *from, bool conditional, int64_t executed)
{
	uint64_t followed = unsigned_count(arc->count);
	struct cg_pos to;

	if (arc->flags & (GCOV_FAKE | GCOV_FALLTHROUGH) || executed <= 0 ||
	    !find_begin(emit, arc->dst, &to))
		return;
	if (!conditional && to.file == from->file && to.line == from->line)
		return;
	if (followed > (uint64_t)executed) /* threads raced */
		followed = (uint64_t)executed;
	cg_add_jump(emit->build, emit->fn, from, emit->fn, &to, conditional,
	    conditional ? (uint64_t)executed : followed, followed);
}

static bool
add_site(struct emit *emit, const struct gcov_solved *solved)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_line *line = &unit->scratch.line[solved->line];

	if (!gcov_grow(unit, &unit->site, &unit->site_cap, unit->sites + 1,
		sizeof(*unit->site)))
		return false;
	unit->site[unit->sites++] = (struct gcov_site){ .fn = emit->fn,
		.symbol = emit->symbol,
		.file = line->file,
		.line = line->line,
		.count = unsigned_count(solved->count) };
	return true;
}

/* Where a block leads to; first: what is said once. Is there a call, too? */
static bool
emit_arcs(struct emit *emit, uint32_t number, struct cg_pos pos, bool first)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[number];
	const struct gcov_block *block =
	    &unit->block[emit->gcov->block + number];
	struct cg_branch row = {
		.pos = pos, .kind = CG_BRANCH_ARC, .block = number
	};
	const uint32_t real = block->arcs - block->fakes;
	const bool jumps = emit->jumps && first, arcs = emit->arcs && real > 1;

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
		(void)cg_add_branch(emit->build, emit->fn, &row);
		row.index++;
	}
	return block->fakes > 0;
}

/* Calls that the block ends with; site: where they are looked for. */
static bool
emit_calls(struct emit *emit, uint32_t number, struct cg_pos pos, bool site)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_solved *solved = &unit->scratch.solved[number];
	const struct gcov_block *block =
	    &unit->block[emit->gcov->block + number];
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
		row.index = real < 2 || pos.line == 0 ? 0 : index;
		row.target = arc->dst;
		row.count = (int64_t)unsigned_count(
		    gcov_sub(unit, solved->count, arc->count));
		if (emit->blocks)
			(void)cg_add_branch(emit->build, emit->fn, &row);
		if (site && !add_site(emit, solved))
			return false;
	}
	return true;
}

/* Two words of bits for each decision: outcomes true, then false. */
static void
emit_condition(struct emit *emit, uint32_t block, struct cg_pos pos)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_fn *fn = emit->gcov;
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
	for (size_t b = 0; at && b < 2; b++)
		bits[1 - b] = (uint64_t)gcov_get_counter(
		    at + (number - 1) * 16 + b * 8, unit->data.order);
	for (; row.index < 2 * terms; row.index++) {
		row.count = bits[row.index & 1] >> (row.index / 2) & 1;
		(void)cg_add_branch(emit->build, emit->fn, &row);
	}
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * What stands on no line, so on line 0 of the function's file: blocks without
 * any, and calls of those that end on none. Block 0 has none: what leaves it so
 * is a second return of a callee.
 */
static bool
emit_line_0(struct emit *emit)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct cg_pos pos = pos_of(emit->unit, emit->gcov->file, 0);
	bool fine = true;

	if (!emit->blocks)
		return true;
	for (size_t i = 0; i < scratch->touches; i++) {
		const struct gcov_touch *touch = &scratch->touch[i];

		if (touch->line == GCOV_NONE && !touch->again)
			emit_block(emit, touch, pos);
	}
	for (uint32_t i = 1; i < emit->gcov->blocks && fine; i++) {
		if (scratch->solved[i].line == GCOV_NONE)
			fine = emit_calls(emit, i, pos, false);
	}
	return fine;
}

/* What is decided where blocks end. */
static bool
emit_ends(struct emit *emit, uint32_t number, struct cg_pos pos)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct gcov_touch *touch = scratch->touch;
	const uint32_t first = scratch->line[number].first;
	bool calls = false, site;
	uint32_t t, block;

	for (t = first; t != GCOV_NONE; t = touch[t].next) {
		block = touch[t].block;
		site = scratch->solved[block].line == number;
		if (touch[t].ends)
			calls |= emit_arcs(emit, block, pos, site);
	}
	for (t = calls ? first : GCOV_NONE; t != GCOV_NONE; t = touch[t].next) {
		block = touch[t].block;
		site = scratch->solved[block].line == number;
		if (touch[t].ends && !emit_calls(emit, block, pos, site))
			return false;
	}
	t = emit->gcov->conditions > 0 ? first : GCOV_NONE;
	for (; t != GCOV_NONE; t = touch[t].next) {
		if (touch[t].ends)
			emit_condition(emit, touch[t].block, pos);
	}
	return true;
}

static bool
emit_line(struct emit *emit, uint32_t number)
{
	const struct gcov_scratch *scratch = &emit->unit->scratch;
	const struct gcov_touch *touch = scratch->touch;
	const struct gcov_line *line = &scratch->line[number];
	struct cg_pos pos = pos_of(emit->unit, line->file, line->line);
	int64_t count = line->count;
	bool ends = false;

	if (emit->unit->compat && gcov_is_lost(emit->unit, emit->gcov, line))
		count = 0;
	emit->cost[emit->exec] = (uint64_t)clamp(emit, count);
	emit->cost[emit->blk] = (uint64_t)clamp(emit, line->sum);
	(void)cg_add_cost(emit->build, emit->fn, &pos, emit->cost,
	    count == 0 && line->sum == 0 ? 0 : emit->columns);
	for (uint32_t t = line->first; t != GCOV_NONE; t = touch[t].next) {
		if (emit->blocks && !touch[t].again)
			emit_block(emit, &touch[t], pos);
		ends |= touch[t].ends;
	}
	return !ends || emit_ends(emit, number, pos);
}

static int
compare_sorted(const void *va, const void *vb)
{
	const struct gcov_sorted *a = va, *b = vb;

	return a->key < b->key ? -1 : a->key > b->key;
}

/* Rows come in the order that cursors want: they need not sort them. */
static bool
emit_lines(struct emit *emit)
{
	struct gcov_scratch *scratch = &emit->unit->scratch;
	bool sorted = true, fine;

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
	fine = emit_line_0(emit);
	for (size_t i = 0; i < scratch->lines && fine; i++)
		fine = emit_line(emit, scratch->order[i].line);
	return fine;
}

/* Decisions by block. */
static void
find_conditions(const struct emit *emit)
{
	const struct gcov_unit *unit = emit->unit;
	const struct gcov_fn *fn = emit->gcov;

	for (uint32_t i = 0; i < fn->conditions; i++)
		unit->scratch.solved[unit->condition[fn->condition + i].block]
		    .condition = i + 1;
}

static void
emit_paths(struct emit *emit)
{
	const struct gcov_fn *fn = emit->gcov;
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
		(void)cg_add_branch(emit->build, emit->fn, &row);
	}
}

/* ---- Functions ---------------------------------------------------------- */

/* Templates and what is inline mostly are known from a unit before. */
static bool
add_fn(struct emit *emit)
{
	struct gcov_unit *unit = emit->unit;
	const struct gcov_fn *fn = emit->gcov;
	const struct gcov_known *known =
	    fn->known != 0 ? &unit->all->known[fn->known - 1] : NULL;
	/* Another one of this unit may have the ident, too. */
	bool is_known = known && known->fn != 0;

	if (is_known) {
		emit->symbol = known->symbol;
		emit->fn = known->fn;
	} else {
		emit->symbol = cg_add_name(emit->build, fn->name);
		emit->fn = cg_add_fn_symbol(emit->build,
		    cg_add_demangled(emit->build, emit->symbol),
		    unit->file[fn->file].id, 0, emit->symbol);
	}
	cg_set_fn_range(emit->build, emit->fn,
	    &(struct cg_range){ .first = fn->line,
		.first_column = fn->column,
		.last = fn->end_line,
		.last_column = fn->end_column });
	return is_known ||
	       gcov_know_fn(unit, emit->build, fn, emit->fn, emit->symbol);
}

static bool
emit_fn(struct emit *emit, struct gcov_fn *fn)
{
	struct gcov_unit *unit = emit->unit;
	struct cg_pos nowhere;
	int64_t entries;

	emit->blocks = cg_wants_rows(emit->build, CG_BLOCKS);
	emit->arcs = cg_wants_rows(emit->build, CG_BRANCHES);
	emit->jumps = cg_wants_rows(emit->build, CG_JUMPS);
	if (!gcov_solve(unit, fn) || !gcov_count_lines(unit, fn) ||
	    !add_fn(emit))
		return false;
	fn->id = emit->fn;
	entries = unit->scratch.solved[0].count;
	/* Else the row of block 0 tells, or keeps it. */
	if (entries < 0 && !emit->blocks)
		unit->negative++;
	fn->entries = unsigned_count(entries);
	nowhere = pos_of(unit, fn->file, 0);
	if (!gcov_add_targets(unit, emit->build, fn, emit->fn, &nowhere))
		return false;
	find_conditions(emit);
	if (!emit_lines(emit))
		return false;
	emit_paths(emit);
	if (emit->paths && !gcov_add_paths(unit, emit->build, fn, emit->fn))
		return false;
	return true;
}

/* All of them are rows of function 0, which so is taken up once. */
static void
emit_entries(const struct emit *emit)
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

/* Files that lines or functions name, in the order in which gcov meets them. */
static bool
add_files(struct emit *emit, const char *notes)
{
	struct gcov_unit *unit = emit->unit;
	struct cg_slice folder;

	if (!gcov_find_folder(unit, emit->build, notes, &folder))
		return false;
	for (size_t i = 0; i < unit->files; i++) {
		unit->file[i].id =
		    cg_add_file_in(emit->build, folder, unit->file[i].name);
		if (unit->file[i].id != 0) /* as of Ada's binder */
			cg_list_file(emit->build, unit->file[i].id);
	}
	return true;
}

static void
add_descs(const struct emit *emit, const char *notes, const char *data)
{
	struct gcov_unit *unit = emit->unit;
	char runs[CG_NUMBER_MAX];

	unit->all->part =
	    cg_add_part(emit->build, &(struct cg_part_info){ .cmd = "" });
	cg_add_desc(
	    emit->build, cg_slice("Compiler"), cg_slice(unit->head.version));
	if (unit->head.cwd.len > 0)
		cg_add_desc(emit->build, cg_slice("Folder"), unit->head.cwd);
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
add_event(struct emit *emit, const char *name, const char *long_name)
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

/* What may be wrong with the counts. */
static void
report(const struct emit *emit)
{
	const struct gcov_unit *unit = emit->unit;

	if (unit->negative > 0)
		cg_warn(unit->job,
		    "%llu counts below zero became 0: threads raced for the "
		    "counters (-fprofile-update=atomic)",
		    (unsigned long long)unit->negative);
	if (unit->unsolved)
		cg_warn(unit->job,
		    "some counts do not follow from the counters; they are 0");
	if (unit->contrary)
		cg_warn(unit->job,
		    "some counts contradict others: clang did not count all "
		    "arcs; they are as llvm-cov has them");
	if (unit->saturated)
		cg_warn(
		    unit->job, "some counts are greater than 64 bits can hold");
	if (unit->tired)
		cg_warn(unit->job, "some lines have too many blocks and ways "
				   "between them: counted too low");
	if (unit->lost_paths > 0)
		cg_warn(unit->job,
		    "the blocks of paths of %llu function%s are left out: "
		    "there "
		    "are too many, or not as many as the notes say",
		    (unsigned long long)unit->lost_paths,
		    unit->lost_paths > 1 ? "s" : "");
}

int
gcov_emit_unit(struct gcov_unit *unit, struct cg_build *build,
    const char *notes, const char *data)
{
	const struct cg_module *target = cg_job_target(unit->job);
	uint64_t cost[CG_EVENT_MAX];
	struct emit emit = { .unit = unit,
		.build = build,
		.cost = cost,
		.raw = target && target->carries & CG_SIGNED,
		.paths = target && target->carries & CG_BLOCKS };

	emit.exec = add_event(&emit, "Exec", "Line executions");
	emit.blk = add_event(&emit, "Blk", "Block executions");
	memset(cost, 0, emit.columns * sizeof(*cost));
	unit->negative = 0;
	unit->saturated = unit->unsolved = unit->tired = false;
	unit->contrary = false;
	add_descs(&emit, notes, data);
	gcov_load(unit);
	unit->compat = cg_opt_flag(unit->job, "gcov-compat") && !unit->llvm &&
		       unit->head.layout >= GCOV_VERSION(8, 0);
	if (!add_files(&emit, notes) ||
	    (unit->compat && !gcov_find_shared(unit)))
		return cg_nomem(unit->job);
	gcov_find_known(unit);
	for (size_t i = 0; i < unit->fns; i++) {
		emit.gcov = &unit->fn[i];
		emit.number = (uint32_t)i + 1;
		if (gcov_counts(unit, emit.gcov) &&
		    !emit_fn(&emit, &unit->fn[i]))
			return cg_nomem(unit->job);
	}
	emit_entries(&emit);
	report(&emit);
	return cg_build_status(build);
}
