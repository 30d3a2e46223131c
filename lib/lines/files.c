/*
 * files.c - finds the functions that have rows in each file.
 *
 * A pass that decodes only positions counts the rows of each function in each
 * file.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/rows/packed.h"
#include "lines/lines.h"

/* ---- Functions ----------------------------------------------------------- */

/*
 * Returns the entry of lines->in_file that counts the last added function's
 * rows in a file. Appends it if needed; valid until the next one is added.
 * file: an order number. NULL: out of memory.
 */
static struct fn_in_file *
get_fn_in_file(struct cg_lines *lines, uint32_t file)
{
	const uint64_t key =
	    cg_in_file_key(file, (uint32_t)lines->part_fns - 1);
	uint32_t *last = &lines->last[file];
	struct fn_in_file *in_file;

	if (*last > 0 && lines->in_file[*last - 1].key == key)
		return &lines->in_file[*last - 1];
	if (lines->in_files >= UINT32_MAX ||
	    !cg_scope_grow(&lines->scope, &lines->in_file, &lines->in_file_cap,
		lines->in_files + 1, sizeof(*in_file)))
		return NULL;
	in_file = &lines->in_file[lines->in_files++];
	*in_file = (struct fn_in_file){ .key = key };
	*last = (uint32_t)lines->in_files;
	return in_file;
}

static void
clear_fns_in_files(struct cg_lines *lines)
{
	for (size_t i = 0; i < lines->in_files; i++)
		lines->last[cg_in_file_file(&lines->in_file[i])] = 0;
	lines->in_files = 0;
}

/*
 * Adds count calls of the callee to lines->entries, limited to UINT64_MAX; the
 * first time also lists it as called. False: out of memory.
 */
static bool
add_entries(struct cg_lines *lines, cg_fn callee, uint64_t count)
{
	uint64_t *sum = &lines->entries[callee];

	if (!lines->called[callee]) {
		if (!cg_scope_grow(&lines->scope, &lines->callee,
			&lines->callee_cap, lines->callees + 1,
			sizeof(*lines->callee)))
			return false;
		lines->callee[lines->callees++] = callee;
		lines->called[callee] = true;
	}
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
	return true;
}

static bool
count_call(struct cg_lines *lines, const uint8_t *at)
{
	cg_fn callee = (cg_fn)get_varint(&at);

	return add_entries(lines, callee, get_varint(&at));
}

/*
 * Raises *number to the function's number in its compilation unit, if the
 * packed branch at `at` states a greater one. The row of block 0 on line 0
 * stores that number as its target. The caller passes only rows on line 0;
 * `at` is the end of their position.
 */
static void
note_number(uint32_t *number, const uint8_t *at)
{
	uint64_t kind = get_varint(&at), block = get_varint(&at), target;

	if (kind != CG_BRANCH_BLOCK || block != 0)
		return;
	at = skip_varints(at, 2); /* index, flags */
	target = get_varint(&at);
	if (target > *number)
		*number = (uint32_t)target;
}

/*
 * Skips a packed row that is not a cost, and sets *branch to whether it is a
 * branch. If the row is a call, adds its count to the entries of the callee.
 * If it states the number of function fn in its compilation unit, stores that
 * in lines->number. False: out of memory.
 */
static bool
take_other(struct cg_lines *lines, cg_fn fn, struct scan *scan, bool *branch)
{
	unsigned kind = scan->tag & CG_TAG_KIND;

	*branch = kind == CG_ROW_OTHER && (scan->tag & CG_TAG_BRANCH);
	if (kind == CG_ROW_CALL && !count_call(lines, scan->at))
		return false;
	if (*branch && scan->pos.line == 0)
		note_number(&lines->number[fn], scan->at);
	scan->at = skip_rest(scan->tag, scan->at);
	return true;
}

/*
 * Counts the rows of a run in each file: costs or, if not `costs`, branches.
 * With the branches, sums calls. Lowers lines->first to the lowest line in the
 * function's own file unless it is stated. False: out of memory.
 */
static bool
scan_packed(struct cg_lines *lines, const struct cg_run *run, bool costs)
{
	const cg_fn fn = run->fn;
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];
	const uint32_t *order = lines->file_order;
	uint32_t *first = &lines->first[fn], own = order[entry->file];
	bool stated = entry->range.first > 0, stands = true;
	struct fn_in_file *in_file = NULL;
	struct scan scan;

	cg_scan_begin(
	    &scan, costs ? &run->costs : &run->others, run->file, order);
	while (costs ? scan_cost(&scan, order) : scan_row(&scan, order)) {
		if (costs)
			scan.at = skip_cost(scan.tag, scan.at);
		else if (!take_other(lines, fn, &scan, &stands))
			return false;
		if (!stands)
			continue;
		if (!in_file || cg_in_file_file(in_file) != scan.rank)
			in_file = get_fn_in_file(lines, scan.rank);
		if (!in_file)
			return false;
		in_file->rows++;
		if (!stated && scan.rank == own && scan.pos.line > 0 &&
		    (*first == 0 || scan.pos.line < *first))
			*first = scan.pos.line;
	}
	return true;
}

/*
 * Like scan_packed() for branches, but decodes only the first one. The rows
 * other than costs must be branches in ascending order. The function's first
 * line must be stated. False: out of memory.
 */
static bool
scan_branches(struct cg_lines *lines, const struct cg_run *run)
{
	struct fn_in_file *in_file;
	struct scan scan;

	if (run->branches == 0)
		return true;
	cg_scan_begin(&scan, &run->others, run->others.pos.file, NULL);
	(void)scan_row(&scan, NULL);
	if (scan.pos.line == 0)
		note_number(&lines->number[run->fn], scan.at);
	in_file =
	    get_fn_in_file(lines, lines->file_order[run->others.pos.file]);
	if (in_file)
		in_file->rows += run->branches;
	return in_file != NULL;
}

/*
 * Appends a function to lines->part_fn, and sets lines->first to its stated
 * first line, or 0. run: its only run in the part, or CG_NO_RUN if it has none
 * or several. A function with name and file gets an entry in in_file, even
 * without rows there. False: out of memory.
 */
static bool
add_part_fn(struct cg_lines *lines, cg_fn fn, uint32_t run)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];

	lines->first[fn] = entry->range.first;
	if (!cg_scope_grow(&lines->scope, &lines->part_fn, &lines->part_fn_cap,
		lines->part_fns + 1, sizeof(*lines->part_fn)))
		return false;
	lines->part_fn[lines->part_fns++] =
	    (struct part_fn){ .fn = fn, .run = run };
	return !entry->name || !entry->file ||
	       get_fn_in_file(lines, lines->file_order[entry->file]);
}

static bool
scan_run(struct cg_lines *lines, const struct cg_run *run)
{
	bool stated = lines->graph->fn[run->fn].range.first > 0;

	if (!scan_packed(lines, run, true))
		return false;
	return stated && run->branches_ascend ? scan_branches(lines, run)
					      : scan_packed(lines, run, false);
}

/*
 * Appends a function to lines->part_fn. Counts its rows (costs and branches)
 * in each file, over all threads and processes. These numbers tell which files
 * are read together, in one batch. False: out of memory.
 */
static bool
scan_fn(struct cg_lines *lines, cg_fn fn)
{
	const struct cg_graph *graph = lines->graph;
	uint32_t id = graph->fn[fn].runs;
	bool ok = add_part_fn(lines, fn, CG_NO_RUN);

	for (; ok && id != CG_NO_RUN; id = graph->run[id].next)
		ok = scan_run(lines, &graph->run[id]);
	return ok;
}

static bool
is_of_all_parts(const struct cg_lines *lines)
{
	return lines->part == CG_ALL_PARTS || lines->graph->parts == 1;
}

/*
 * Returns the number of steps of scan_all(): the number of functions if lines
 * of all parts (threads, processes) are wanted, else the number of functions
 * with rows in the part.
 */
static size_t
scan_count(const struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;

	return is_of_all_parts(lines) ? graph->fns
				      : graph->part_runs[lines->part + 1] -
					    graph->part_runs[lines->part];
}

/*
 * Appends functions to lines->part_fn, sorted by object (executable or
 * library), file and name. Counts the rows (costs and branches) of each
 * function in each file. Takes all functions or, if lines->part is one thread
 * or process, those with rows in it. False: out of memory.
 */
static bool
scan_all(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	const bool all = is_of_all_parts(lines);
	const size_t count = scan_count(lines);
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++) {
		uint32_t id;

		if (all) {
			ok = scan_fn(lines, graph->fn_ranked[i]);
			continue;
		}
		id = graph->run_order[graph->part_runs[lines->part] + i].run;
		ok = add_part_fn(lines, graph->run[id].fn, id) &&
		     scan_run(lines, &graph->run[id]);
	}
	return ok;
}

void
cg_lines_clear_counts(struct cg_lines *lines)
{
	for (size_t i = 0; i < lines->callees; i++) {
		lines->entries[lines->callee[i]] = 0;
		lines->called[lines->callee[i]] = false;
	}
	lines->callees = 0;
	clear_fns_in_files(lines);
}

/* ---- The whole ---------------------------------------------------------- */

/*
 * Adds the functions that are called in the part (thread or process) but have
 * no rows in it. Clears *in_order if there are any: functions are then not
 * sorted by rank. False: out of memory.
 */
static bool
add_callees(struct cg_lines *lines, bool *in_order)
{
	bool ok = true;

	for (size_t i = 0; ok && i < lines->callees; i++) {
		if (cg_run_find(lines->graph, lines->part, lines->callee[i]))
			continue;
		ok = add_part_fn(lines, lines->callee[i], CG_NO_RUN);
		*in_order = false;
	}
	return ok;
}

bool
cg_lines_scan(struct cg_lines *lines)
{
	const bool all = is_of_all_parts(lines);
	bool in_order = true;
	bool ok =
	    cg_scope_grow(&lines->scope, &lines->part_fn, &lines->part_fn_cap,
		scan_count(lines), sizeof(*lines->part_fn)) &&
	    scan_all(lines) && (all || add_callees(lines, &in_order));

	cg_lines_plan_batches(lines);
	ok = ok && cg_lines_order_fns(lines, in_order);
	/* Free this memory: no other part needs as much. */
	if (all)
		cg_lines_free_sorting(lines);
	return ok;
}
