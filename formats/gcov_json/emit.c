/*
 * emit.c - adds the files of a document to the graph.
 *
 * JSON has less information than gcov's data files. These rows replace what is
 * missing:
 *
 *	blocks		A function states only how many blocks it has and how
 *			many of them ran. Each gets a row on line 0; as many
 *			as ran, from the first on, get count 1. Block 0 is the
 *			entry, the last block the exit.
 *	blocks of lines	(version 2) The count is that of the block's branches
 *			or calls; without any, 1 if the block must have run.
 *	unexecuted	Where unexecuted_block does not follow from the line's
 *			count, block 0 gets a row with count 0, flagged as
 *			exceptional if unexecuted_block is false.
 *	branches	Version 1 does not name their blocks: all are numbered
 *			branches of block 0.
 *
 * A line belongs to the function that it names if it lies in the function's
 * range, else to the file's function without a name.
 */
#include "gcov_json.h"

struct emit {
	struct cg_build *build;
	struct gcov_json_unit *unit;
	cg_fn nameless;    /* the file's function without a name */
	struct cg_pos pos; /* position of the line */
	cg_fn fn;          /* function of the line */
	uint32_t blocks;   /* highest possible block number */
	uint32_t number;   /* functions so far */
	unsigned column;   /* column of Exec in cost */
	uint64_t cost[CG_EVENT_MAX];
};

static bool
add_row(struct emit *e, cg_fn fn, const struct cg_branch *row)
{
	return cg_add_branch(e->build, fn, row);
}

/* ---- Functions ---------------------------------------------------------- */

static void
add_blocks(struct emit *e, cg_fn id, const struct gcov_json_fn *fn)
{
	struct cg_branch row = { .pos.file = e->pos.file,
		.kind = CG_BRANCH_BLOCK,
		.target = ++e->number,
		.count = fn->count };
	uint32_t end = fn->blocks > 0 ? fn->blocks + 2 : 1;

	for (; row.block < end; row.block++) {
		if (row.block > 0) {
			row.target = 0;
			row.count = row.block <= fn->executed &&
				    row.block <= fn->blocks;
		}
		if (!add_row(e, id, &row))
			return;
	}
}

static void
add_paths(struct emit *e, cg_fn id, const struct gcov_json_fn *fn)
{
	struct cg_branch row = { .kind = CG_BRANCH_PATH };
	size_t missed = fn->missed, end = fn->missed + fn->missed_count;
	uint32_t left = fn->covered;

	row.pos =
	    (struct cg_pos){ .file = e->pos.file, .line = fn->range.first };
	for (; row.index < fn->paths; row.index++) {
		row.count = left > 0;
		if (missed < end && e->unit->missed.at[missed] == row.index) {
			row.count = 0;
			missed++;
		}
		left -= row.count > 0;
		if (!add_row(e, id, &row))
			return;
	}
}

/*
 * Adds to the graph the steps of those prime paths of the function that were
 * not taken. Each line of a block of a path is a step. Stops if the builder
 * fails.
 */
static void
add_steps(struct emit *e, cg_fn id, const struct gcov_json_fn *fn)
{
	struct cg_slice directory = cg_get_name(e->build, e->unit->directory);
	cg_name last = 0;
	struct cg_branch row = { .kind = CG_BRANCH_STEP };
	cg_file file = e->pos.file;

	for (size_t i = fn->step; i < fn->step + fn->steps; i++) {
		const struct gcov_json_step *step = &e->unit->step.at[i];

		if (step->file != last && step->file != 0) {
			last = step->file;
			file = cg_add_file_in(
			    e->build, directory, cg_get_name(e->build, last));
		}
		row.pos =
		    (struct cg_pos){ .file = step->file ? file : e->pos.file,
			    .line = step->line };
		row.block = step->path;
		row.index = step->index;
		row.target = step->block;
		row.label = step->edge;
		row.flags = step->last ? CG_BRANCH_LAST : 0;
		if (!add_row(e, id, &row))
			return;
	}
}

static cg_fn
get_fn(struct emit *e, const struct gcov_json_fn *fn)
{
	return cg_add_fn_symbol(e->build,
	    fn->demangled ? fn->demangled : fn->name, e->pos.file, 0, fn->name);
}

static void
add_fn(struct emit *e, const struct gcov_json_fn *fn)
{
	const struct cg_pos nowhere = { 0 }, entry = { .file = e->pos.file,
		.line = fn->range.first };
	cg_fn id = get_fn(e, fn);

	cg_set_fn_range(e->build, id, &fn->range);
	if (fn->count >= 0)
		(void)cg_add_call(e->build, 0, &nowhere, id, &entry,
		    (uint64_t)fn->count, NULL, 0);
	add_blocks(e, id, fn);
	add_paths(e, id, fn);
	add_steps(e, id, fn);
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Returns the first of the line's items of a kind (branches, calls or blocks).
 * Items of a kind are consecutive. *n becomes their number. If it is 0, the
 * item that is returned has no meaning.
 */
static const struct gcov_json_item *
find_items(const struct emit *e, const struct gcov_json_line *line,
    enum cg_branch_kind kind, size_t *n)
{
	static const struct gcov_json_item none;
	const struct gcov_json_item *item, *end, *at;

	*n = 0;
	if (line->items == 0) /* unit->item may be NULL */
		return &none;
	item = e->unit->item.at + line->item;
	end = item + line->items;
	while (item < end && item->kind != kind)
		item++;
	for (at = item; at < end && at->kind == kind;)
		at++;
	*n = (size_t)(at - item);
	return item;
}

static bool
any_ran(const struct gcov_json_item *item, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (item[i].count != 0)
			return true;
	}
	return false;
}

/*
 * Returns how many of the n items have the same kind and block as the first
 * one. Counts only up to the first item that differs. Returns 1 if the first
 * one's block is unknown.
 */
static size_t
count_in_block(const struct gcov_json_item *item, size_t n)
{
	size_t i = 1;

	while (i < n && item[i].kind == item[0].kind &&
	       item[i].block == item[0].block &&
	       item[0].block != GCOV_JSON_UNKNOWN)
		i++;
	return i;
}

/*
 * Adds the branches or calls (kind) of a line to the graph. The index is the
 * position in the block. The position on the line makes it unique if the block
 * is unknown or another function's. All branches of a block are reached if one
 * was taken, or if the line and all its blocks ran.
 */
static void
add_arcs(
    struct emit *e, const struct gcov_json_line *line, enum cg_branch_kind kind)
{
	size_t n;
	const struct gcov_json_item *item = find_items(e, line, kind, &n);
	bool all_ran = line->count != 0 && !line->unexecuted;
	uint32_t next = 0; /* lowest block that is in order */

	for (size_t i = 0, run; i < n; i += run) {
		bool known = item[i].block != GCOV_JSON_UNKNOWN;
		/* gcov lists the blocks of a function in ascending order. */
		bool in_order = item[i].block >= next, ran;
		size_t first = !known ? i : in_order ? 0 : i + 1;

		run = count_in_block(item + i, n - i);
		ran = all_ran || any_ran(item + i, run);
		if (in_order)
			next = item[i].block + 1;
		for (size_t j = 0; j < run; j++) {
			struct cg_branch row = { .pos = e->pos,
				.kind = kind,
				.block = known ? item[i].block : 0,
				.index = (uint32_t)(first + j),
				.target = item[i + j].target,
				.flags = item[i + j].flags |
					 (ran ? CG_BRANCH_REACHED : 0),
				.count = item[i + j].count };

			if (!add_row(e, e->fn, &row))
				return;
		}
	}
}

static void
add_conditions(struct emit *e, const struct gcov_json_line *line)
{
	size_t n;
	const struct gcov_json_item *item =
	    find_items(e, line, CG_BRANCH_CONDITION, &n);

	for (size_t i = 0; i < n; i++) {
		struct cg_branch row = { .pos = e->pos,
			.kind = CG_BRANCH_CONDITION,
			.block = item[i].block,
			.index = item[i].index,
			.flags = line->count != 0 ? CG_BRANCH_REACHED : 0,
			.count = item[i].count };

		if (!add_row(e, e->fn, &row))
			return;
	}
}

/*
 * Returns the sum of the counts of the items that belong to the block, from
 * *at on. The sum is at most INT64_MAX. Advances *at to the first item of
 * another block.
 */
static int64_t
sum_block(const struct gcov_json_item **at, const struct gcov_json_item *end,
    uint32_t block)
{
	int64_t sum = 0;

	for (; *at < end && (*at)->block == block; ++*at) {
		if (__builtin_add_overflow(sum, (*at)->count, &sum))
			sum = INT64_MAX;
	}
	return sum;
}

/*
 * Adds a block to the line if readers would otherwise infer another
 * unexecuted_block, from the line's blocks or count. ids is the number of the
 * line's blocks; missed: one of them never ran.
 */
static void
add_unexecuted(
    struct emit *e, const struct gcov_json_line *line, size_t ids, bool missed)
{
	struct cg_branch row = { .pos = e->pos, .kind = CG_BRANCH_BLOCK };

	if (missed || (ids == 0 && line->unexecuted == (line->count == 0)) ||
	    (ids > 0 && !line->unexecuted))
		return;
	if (!line->unexecuted)
		row.flags = CG_BRANCH_EXCEPTIONAL;
	(void)add_row(e, e->fn, &row);
}

/*
 * Adds the blocks that end on the line to the graph. Those that the function
 * cannot have go to the nameless one. A block's count, which JSON lacks, is
 * the sum of its branches on the line, else of its calls. If that is 0 without
 * unexecuted_block, the block ran if the line did, else it is exceptional.
 */
static void
add_line_blocks(struct emit *e, const struct gcov_json_line *line)
{
	size_t ids, arcs, calls;
	const struct gcov_json_item *id =
	    find_items(e, line, CG_BRANCH_BLOCK, &ids);
	const struct gcov_json_item *arc =
	    find_items(e, line, CG_BRANCH_ARC, &arcs);
	const struct gcov_json_item *call =
	    find_items(e, line, CG_BRANCH_CALL, &calls);
	const struct gcov_json_item *arc_end = arc + arcs;
	const struct gcov_json_item *call_end = call + calls;
	struct cg_branch row = { .pos = e->pos, .kind = CG_BRANCH_BLOCK };
	uint32_t next = 0;
	bool missed = false; /* some block never ran */

	for (size_t i = 0; i < ids; i++) {
		int64_t sum = sum_block(&arc, arc_end, id[i].block);
		int64_t returned = sum_block(&call, call_end, id[i].block);

		row.block = id[i].block;
		row.index = row.block >= next ? 0 : (uint32_t)i + 1;
		row.count = sum ? sum : returned;
		row.flags = CG_BRANCH_LAST;
		if (row.count == 0 && !line->unexecuted) {
			row.count = line->count != 0;
			if (row.count == 0)
				row.flags |= CG_BRANCH_EXCEPTIONAL;
		}
		missed |= row.count == 0;
		if (row.index == 0)
			next = row.block + 1;
		if (!add_row(
			e, row.block <= e->blocks ? e->fn : e->nameless, &row))
			return;
	}
	add_unexecuted(e, line, ids, missed);
}

/*
 * Sets e->fn to the function that the line names, also if the file does not
 * list it. gcov guesses names: without one, or outside of the function's
 * range, the file's nameless function is used. Sets e->blocks to its highest
 * possible block (UINT32_MAX: unknown).
 */
static void
choose_fn(struct emit *e, const struct gcov_json_line *line)
{
	uint32_t index = line->fn ? cg_map_get(&e->unit->fn_ids, line->fn) : 0;
	const struct gcov_json_fn *fn;

	e->fn = e->nameless;
	e->blocks = UINT32_MAX;
	if (line->fn == 0)
		return;
	if (index == 0) {
		e->fn = cg_add_fn_symbol(e->build,
		    cg_add_demangled(e->build, line->fn), e->pos.file, 0,
		    line->fn);
		return;
	}
	fn = &e->unit->fn.at[index - 1];
	if (line->number < fn->range.first || line->number > fn->range.last)
		return;
	e->fn = get_fn(e, fn);
	e->blocks = fn->blocks + 1;
}

static void
add_line(struct emit *e, const struct gcov_json_line *line)
{
	e->pos.line = line->number;
	e->cost[e->column] = (uint64_t)line->count;
	(void)cg_add_cost(
	    e->build, e->fn, &e->pos, e->cost, line->count ? e->column + 1 : 0);
	add_line_blocks(e, line);
	add_arcs(e, line, CG_BRANCH_ARC);
	add_arcs(e, line, CG_BRANCH_CALL);
	add_conditions(e, line);
}

/* ---- Files -------------------------------------------------------------- */

static bool
add_file(struct cg_job *job, struct emit *e, const struct gcov_json_file *file)
{
	struct gcov_json_unit *unit = e->unit;

	e->pos = (struct cg_pos){ .file = cg_add_file_in(e->build,
				      cg_get_name(e->build, unit->directory),
				      cg_get_name(e->build, file->name)) };
	cg_list_file(e->build, e->pos.file);
	e->nameless = cg_add_fn_named(e->build, 0, e->pos.file, 0);
	cg_map_clear(&unit->fn_ids);
	for (size_t i = 0; i < file->fns; i++) {
		const struct gcov_json_fn *fn = &unit->fn.at[file->fn + i];
		uint32_t *index = cg_map_in(job, &unit->fn_ids, fn->name);

		if (!index)
			return false;
		*index = (uint32_t)(file->fn + i + 1);
		add_fn(e, fn);
	}
	for (size_t i = 0; i < file->lines; i++) {
		choose_fn(e, &unit->line.at[file->line + i]);
		add_line(e, &unit->line.at[file->line + i]);
	}
	return cg_build_status(e->build) == CG_OK;
}

bool
gcov_json_emit(
    struct cg_job *job, struct cg_build *build, struct gcov_json_unit *unit)
{
	static const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct emit e = { .build = build, .unit = unit };
	bool ok = true;

	e.column = cg_add_event(build, &event);
	for (size_t i = 0; ok && i < unit->file.n; i++)
		ok = add_file(job, &e, &unit->file.at[i]);
	unit->file.n = unit->fn.n = unit->line.n = unit->item.n = 0;
	unit->missed.n = unit->step.n = 0;
	return ok;
}
