/*
 * batch.c - collects the costs and branches of some files, by function and
 * line.
 */
#include <string.h>

#include "coverage/coverage.h"
#include "graph/rows/cursor.h"
#include "lines/lines.h"

/*
 * The maximum number of rows of a batch: such a batch takes about 4 MB and
 * stays in the cache. Each batch opens the functions that have rows in its
 * files. So if many functions have rows in many files, larger batches, of
 * about 30 MB, take less time. A single file may have more rows.
 */
#define BATCH_ROWS 12500
#define BATCH_ROWS_SPREAD 100000
#define BATCHES_MAX 128
/*
 * Larger batches are used if small ones would read more than this many times
 * the existing rows.
 */
#define SPREAD_MOST 8

/* ---- A batch of files --------------------------------------------------- */

/*
 * Returns the entry of lines->row for a function and a line (key). Appends one
 * unless the last entry is for both. Valid until the next one is added. NULL:
 * out of memory.
 */
static struct line_row *
get_row(struct cg_lines *lines, cg_fn fn, uint64_t key)
{
	struct line_row *row;

	if (lines->row_count > 0) {
		row = &lines->row[lines->row_count - 1];
		if (row->key == key && row->fn == fn)
			return row;
	}
	if (!cg_scope_grow(&lines->scope, &lines->row, &lines->row_cap,
		lines->row_count + 1, sizeof(*row)))
		return NULL;
	row = &lines->row[lines->row_count++];
	*row = (struct line_row){ .key = key,
		.fn = fn,
		.cost = lines->costs,
		.branch = lines->branches };
	return row;
}

static bool
add_cost(
    struct cg_lines *lines, struct line_row *row, const struct cg_cost *cost)
{
	if (!cg_scope_grow(&lines->scope, &lines->cost, &lines->cost_cap,
		lines->costs + cost->n, sizeof(*lines->cost)))
		return false;
	if (cost->n > 0)
		memcpy(lines->cost + lines->costs, cost->cost,
		    cost->n * sizeof(*cost->cost));
	lines->costs += cost->n;
	row->n = (uint32_t)cost->n;
	row->has_cost = true;
	return true;
}

/*
 * Decodes the next branch of the opened function into lines->branch, behind
 * the branches kept so far. The caller keeps it by incrementing
 * lines->branches. Adds it to sum unless that is NULL. *more: there was one.
 * False: out of memory.
 */
static bool
next_branch(struct cg_lines *lines, struct cg_coverage *sum, bool *more)
{
	struct cg_rows *rows = lines->rows;
	struct cg_branch *branch;

	if (!cg_scope_grow(&lines->scope, &lines->branch, &lines->branch_cap,
		lines->branches + 1, sizeof(*branch)))
		return false;
	branch = &lines->branch[lines->branches];
	*more = rows->in_order ? next_in_order(rows, branch)
			       : cg_next_branch(rows, branch);
	return !*more || !sum || cg_coverage_add(rows, sum, branch);
}

/*
 * Drops the branch kept last if it is the fall-through of the next branch's
 * call. Called when that branch, an exception branch, is dropped. A single
 * remaining branch is no decision. lcov 2 does this, too.
 */
static void
drop_way_on(struct cg_lines *lines, struct line_row *row)
{
	const struct cg_branch *branch = &lines->branch[lines->branches];

	if (row->branches > 0 && branch[-1].block == branch->block &&
	    branch[-1].flags & CG_BRANCH_FALLTHROUGH) {
		row->branches--;
		lines->branches--;
	}
}

/*
 * Returns the flags of a branch by which it may be excluded. A region (range
 * of source text) has none of its own; it counts as reached if it ran.
 */
static unsigned
flags_of(const struct cg_branch *branch)
{
	if (branch->kind != CG_BRANCH_REGION)
		return branch->flags;
	return branch->count > 0 ? CG_BRANCH_REACHED : 0;
}

/*
 * Takes all branches at the position of the next one. Appends them to row
 * unless the flags in excluded drop them, or drops all if row is NULL. For
 * sum, *more and the result, see next_branch().
 */
static bool
take_branches(struct cg_lines *lines, struct line_row *row, unsigned excluded,
    struct cg_coverage *sum, bool *more)
{
	const struct cg_pos pos = lines->branch[lines->branches].pos, *at;
	unsigned drops = excluded & CG_EXCLUDE_THROWS ? CG_BRANCH_THROW : 0;
	unsigned needs = excluded & CG_EXCLUDE_UNRUN ? CG_BRANCH_REACHED : 0;

	do {
		unsigned flags =
		    excluded ? flags_of(&lines->branch[lines->branches]) : 0;

		if (row && !(flags & drops) && (flags & needs) == needs) {
			row->branches++;
			lines->branches++;
		} else if (row && flags & drops) {
			drop_way_on(lines, row);
		}
		if (!next_branch(lines, sum, more))
			return false;
		at = &lines->branch[lines->branches].pos;
	} while (*more && at->line == pos.line && at->file == pos.file);
	return true;
}

/*
 * Skips excluded branches at the position of the next one, up to the first
 * region. Regions are not excluded, and are sorted last. *any: the next branch
 * is a region. For sum, *more and the result, see next_branch().
 */
static bool
skip_to_regions(
    struct cg_lines *lines, struct cg_coverage *sum, bool *more, bool *any)
{
	const struct cg_pos pos = lines->branch[lines->branches].pos;
	const struct cg_branch *next = &lines->branch[lines->branches];

	do {
		*any = next->kind == CG_BRANCH_REGION;
		if (*any)
			return true;
		if (!next_branch(lines, sum, more))
			return false;
		next = &lines->branch[lines->branches];
	} while (
	    *more && next->pos.line == pos.line && next->pos.file == pos.file);
	return true;
}

/*
 * True if position a is not after b in the order of rows: by file, then by
 * line.
 */
static bool
comes_first(const struct cg_lines *lines, const struct cg_pos *a,
    const struct cg_pos *b)
{
	const uint32_t *rank = lines->graph->file_rank;

	if (rank[a->file] != rank[b->file])
		return rank[a->file] < rank[b->file];
	return a->line <= b->line;
}

static bool
is_zero(const struct cg_cost *cost)
{
	size_t i = 0;

	while (i < cost->n && cost->cost[i] == 0)
		i++;
	return i == cost->n;
}

/*
 * Appends an empty entry for the coverage (blocks, entries) of the function
 * that was opened, to which next_branch() adds, and returns it; NULL: out of
 * memory.
 */
static struct cg_coverage *
add_covered(struct cg_lines *lines, uint32_t part_fn)
{
	struct covered *covered;

	if (!cg_scope_grow(&lines->scope, &lines->covered, &lines->covered_cap,
		lines->covers + 1, sizeof(*covered)))
		return NULL;
	covered = &lines->covered[lines->covers++];
	covered->part_fn = part_fn;
	return cg_coverage_begin(lines->rows, &covered->sum) ? &covered->sum
							     : NULL;
}

/*
 * True if a row at pos is to be collected. Its file must have an order number
 * from low to high. Its line must not be excluded by the flags in excluded.
 * cost: the row's cost, NULL for a branch.
 */
static bool
is_wanted(const struct cg_lines *lines, const struct cg_pos *pos,
    const struct cg_cost *cost, unsigned excluded, uint32_t low, uint32_t high)
{
	uint32_t file = lines->file_order[pos->file];

	if (cost != NULL && excluded & CG_EXCLUDE_UNRUN && is_zero(cost))
		return false;
	return file >= low && file <= high &&
	       (pos->line > 0 || !lines->directory_order) &&
	       !(excluded & CG_EXCLUDE_LINES);
}

/*
 * Adds the costs and branches of one function to lines->row, by line. Only
 * files with order numbers [low, high] are collected, and no excluded lines.
 * False: an error.
 */
static bool
collect_fn(struct cg_lines *lines, uint32_t number, uint32_t low, uint32_t high)
{
	const struct part_fn *part_fn = &lines->part_fn[number];
	const uint32_t own =
	    lines->file_order[lines->graph->fn[part_fn->fn].file];
	struct cg_rows *rows = lines->rows;
	struct cg_coverage *sum = NULL;
	struct cg_cost cost;
	bool costs, branches;

	if (cg_drops_internal(lines->graph, part_fn->fn))
		return true;
	if (part_fn->run != CG_NO_RUN
		? !cg_rows_open_run(rows, &lines->graph->run[part_fn->run])
		: !cg_rows_open(rows, lines->part, part_fn->fn))
		return false;
	if (lines->directory_order && !(sum = add_covered(lines, number)))
		return false;
	costs = cg_next_cost(rows, &cost);
	if (!next_branch(lines, sum, &branches))
		return false;
	while (costs || branches) {
		const struct cg_pos *at = &lines->branch[lines->branches].pos;
		bool is_cost =
		    costs && (!branches || comes_first(lines, &cost.pos, at));
		const struct cg_pos *pos = is_cost ? &cost.pos : at;
		uint32_t file = lines->file_order[pos->file];
		uint64_t key = cg_row_key(file, pos->line, file != own);
		unsigned excluded =
		    cg_excluded_at(lines->graph, pos->file, pos->line);
		bool wanted = is_wanted(
		    lines, pos, is_cost ? &cost : NULL, excluded, low, high);
		struct line_row *row = NULL;

		if (!is_cost && wanted && excluded & CG_EXCLUDE_BRANCHES) {
			if (!skip_to_regions(lines, sum, &branches, &wanted))
				return false;
			if (!wanted)
				continue;
		}
		if (wanted && !(row = get_row(lines, part_fn->fn, key)))
			return false;
		if (!is_cost &&
		    !take_branches(lines, row, excluded, sum, &branches))
			return false;
		if (is_cost && row && !add_cost(lines, row, &cost))
			return false;
		if (is_cost)
			costs = cg_next_cost(rows, &cost);
	}
	if (sum)
		cg_coverage_end(rows, 0, sum);
	return true;
}

/* ---- Batches ------------------------------------------------------------- */

size_t
cg_lines_file_end(const struct cg_lines *lines, size_t from, uint64_t *rows)
{
	const uint32_t file = cg_in_file_file(&lines->in_file[from]);
	size_t to = from;

	*rows = 0;
	while (to < lines->in_files &&
	       cg_in_file_file(&lines->in_file[to]) == file)
		*rows += lines->in_file[to++].rows + 1;
	return to;
}

void
cg_lines_plan_batches(struct cg_lines *lines)
{
	uint64_t all = 0, opened = 0, rows;
	uint32_t fn;

	for (size_t i = 0, end; i < lines->in_files; i = end) {
		rows = 0;
		fn = cg_in_file_fn(&lines->in_file[i]);
		for (end = i; end < lines->in_files &&
			      cg_in_file_fn(&lines->in_file[end]) == fn;
		     end++)
			rows += lines->in_file[end].rows + 1;
		all += rows;
		opened +=
		    rows * (end - i < BATCHES_MAX ? end - i : BATCHES_MAX);
	}
	lines->batch_rows = all / BATCHES_MAX;
	rows = opened / SPREAD_MOST > all ? BATCH_ROWS_SPREAD : BATCH_ROWS;
	if (lines->batch_rows < rows)
		lines->batch_rows = rows;
}

/*
 * Returns the end of the batch that begins at entry `from` of in_file. A batch
 * has at least one whole file, and more files up to lines->batch_rows rows.
 */
static size_t
batch_end(const struct cg_lines *lines, size_t from)
{
	const uint64_t most = lines->batch_rows;
	uint64_t sum = 0, rows;
	size_t to = from, next;

	while (to < lines->in_files && sum < most) {
		next = cg_lines_file_end(lines, to, &rows);
		if (to > from && rows > most - sum)
			break;
		sum += rows;
		to = next;
	}
	return to;
}

bool
cg_lines_open_batch(struct cg_lines *lines)
{
	size_t from = lines->batch_end, fns;
	size_t to = batch_end(lines, from);
	const struct keyed *fn;
	uint32_t low, high;

	lines->batch = from;
	lines->batch_end = to;
	lines->row_to = 0;
	lines->row_count = lines->costs = lines->branches = lines->covers = 0;
	fn = cg_lines_order_batch(lines, from, to, &fns);
	low = cg_in_file_file(&lines->in_file[from]);
	high = cg_in_file_file(&lines->in_file[to - 1]);
	for (size_t i = 0; fn && i < fns; i++) {
		if (!collect_fn(lines, (uint32_t)fn[i].key, low, high))
			return false;
	}
	/*
	 * Check for a failed cursor, which has returned only some of the rows.
	 */
	return fn && !cg_graph_failed(lines->graph) &&
	       cg_lines_order_rows(lines);
}

/* ---- Coverage of the functions of a file -------------------------------- */

/*
 * Returns the coverage of a function in the current batch, by binary search;
 * NULL: it was not collected.
 */
static const struct covered *
find_covered(const struct cg_lines *lines, uint32_t part_fn)
{
	size_t low = 0, high = lines->covers, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (lines->covered[middle].part_fn < part_fn)
			low = middle + 1;
		else
			high = middle;
	}
	return low < lines->covers && lines->covered[low].part_fn == part_fn
		   ? &lines->covered[low]
		   : NULL;
}

bool
cg_file_coverage(struct cg_lines *lines, size_t i, struct cg_coverage *sum)
{
	const struct covered *covered = find_covered(lines, lines->fn_index[i]);

	/*
	 * The batch does not open a function whose rows are all in other
	 * files.
	 */
	if (!covered)
		return cg_get_coverage(
		    lines->rows, lines->part, lines->fn[i], 0, sum);
	*sum = covered->sum;
	return true;
}
