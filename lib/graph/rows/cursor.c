/*
 * cursor.c - cursors over the rows of one function.
 *
 * Costs are decoded on demand (cursor_costs.c). All other rows, which are few,
 * are listed by position and sorted when a run is opened; then cursors decode
 * them and sum equal ones.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/rows/cursor.h"

struct cg_rows *
cg_rows_new(const struct cg_graph *graph)
{
	struct cg_rows *rows = calloc(1, sizeof(*rows));
	size_t events = graph->events ? graph->events : 1;

	if (rows) {
		rows->graph = graph;
		rows->fn_rank = graph->fn_rank;
		rows->file_rank = graph->file_rank;
		rows->file_ranked = graph->file_ranked;
	}
	if (!rows ||
	    !cg_grow(
		&rows->cost, &rows->cost_cap, events, sizeof(*rows->cost)) ||
	    !cg_grow(&rows->sum, &rows->sum_cap, events, sizeof(*rows->sum))) {
		cg_rows_free(rows);
		cg_graph_nomem(graph);
		return NULL;
	}
	return rows;
}

void
cg_rows_free(struct cg_rows *rows)
{
	if (!rows)
		return;
	for (size_t kind = 0; kind <= CG_ROW_OTHER; kind++)
		free(rows->list[kind].row);
	free(rows->head);
	free(rows->room);
	free(rows->segment_end);
	free(rows->cost);
	free(rows->sum);
	free(rows->seen);
	free(rows->seen_slot);
	free(rows);
}

void
cg_rows_drop_addresses(struct cg_rows *rows)
{
	rows->no_addresses = true;
}

/*
 * Appends a run's rows other than costs to the lists of their kinds, to be
 * sorted. Costs are read from the packed rows directly. False: out of memory.
 */
static bool
list_rows(struct cg_rows *rows, const struct cg_run *run)
{
	struct scan scan;

	cg_scan_begin(&scan, &run->others, run->file, rows->file_rank);
	while (scan_row(&scan, rows->file_rank)) {
		unsigned kind = scan.tag & CG_TAG_KIND;
		struct list *list = &rows->list[kind];
		const uint8_t *rest = scan.at;
		struct row *row;

		scan.at = skip_rest(scan.tag, rest);
		if (list->count == list->cap &&
		    !cg_grow_raw(
			&list->row, &list->cap, list->count + 1, sizeof(*row)))
			return false;
		row = &list->row[list->count++];
		row->addr = rows->no_addresses ? 0 : scan.pos.addr;
		row->line = scan.pos.line;
		row->file = scan.rank;
		row->tag = scan.tag;
		row->rest = rest;
	}
	return true;
}

static void
reset(struct cg_rows *rows, cg_fn fn, bool merged)
{
	for (size_t kind = 0; kind <= CG_ROW_OTHER; kind++)
		rows->list[kind].count = rows->list[kind].next = 0;
	rows->in_order = false;
	rows->heads = 0;
	rows->has_cost = false;
	rows->fn = fn;
	rows->merge = merged;
}

/*
 * Finishes opening a function in a cursor: sorts the rows of each kind, and
 * makes the cursor begin at the first row of costs. Called once, after
 * open_run() of the last run. False: out of memory.
 */
static bool
begin_all(struct cg_rows *rows)
{
	cg_costs_begin(rows);
	for (unsigned kind = CG_ROW_CALL; kind <= CG_ROW_OTHER; kind++) {
		if (!cg_rows_sort(rows, (enum cg_row_kind)kind))
			return false;
	}
	return true;
}

/*
 * Adds a run, the rows of a function in a part, to those that the cursor
 * returns. If it is the only one (alone), branches that arrived in order are
 * read without a list. False: out of memory.
 */
static bool
open_run(struct cg_rows *rows, const struct cg_run *run, bool alone)
{
	if (!cg_costs_add(rows, run, true))
		return false;
	rows->in_order = alone && run->branches_ascend;
	if (!rows->in_order)
		return list_rows(rows, run);
	cg_scan_begin(&rows->branch, &run->others, run->file, rows->file_rank);
	return true;
}

/*
 * Prefetches the first two cache lines of a block of memory; NULL is allowed.
 */
static void
fetch_block(const struct cg_block *block)
{
	if (!block)
		return;
	CG_PREFETCH(block);
	CG_PREFETCH((const char *)block + 64);
}

#define FETCH_STEP 4

/*
 * Returns the run (rows of a function in a part) at rows->ahead, and advances
 * rows->ahead. Prefetches data of later runs, as opening a function is a chain
 * of cache misses. `end`: after the part's last run.
 */
static const struct cg_run *
next_run(struct cg_rows *rows, size_t end)
{
	const struct cg_graph *graph = rows->graph;
	const struct cg_run_ref *at = graph->run_order + rows->ahead;
	size_t left = end - rows->ahead++;
	const struct cg_run *run;

	if (left > 2 * FETCH_STEP) {
		run = &graph->run[at[2 * FETCH_STEP].run];
		for (size_t i = 0; i < sizeof(*run); i += 64)
			CG_PREFETCH((const char *)run + i);
		CG_PREFETCH(&graph->fn[at[2 * FETCH_STEP].fn]);
	}
	if (left > FETCH_STEP) {
		run = &graph->run[at[FETCH_STEP].run];
		fetch_block(run->costs.last);
		fetch_block(run->others.last);
	}
	return &graph->run[at->run];
}

/*
 * Returns the rows of a function in a part (a run). Tries the run after the
 * last one first, as callers mostly open functions in canonical order. NULL:
 * the function has no rows in the part.
 */
static const struct cg_run *
find_run(struct cg_rows *rows, cg_part part, cg_fn fn)
{
	const struct cg_graph *graph = rows->graph;
	size_t begin = graph->part_runs[part], end = graph->part_runs[part + 1];

	if (rows->ahead < begin || rows->ahead >= end ||
	    graph->run_order[rows->ahead].fn != fn)
		rows->ahead = begin;
	if (begin == end || graph->run_order[rows->ahead].fn != fn)
		return cg_run_find(graph, part, fn);
	return next_run(rows, end);
}

bool
cg_rows_open(struct cg_rows *rows, cg_part part, cg_fn fn)
{
	const struct cg_graph *graph = rows->graph;
	const struct cg_run *run;
	bool ok = true;
	uint32_t id;

	reset(rows, fn, true);
	if (cg_graph_failed(graph))
		return false;
	if (part != CG_ALL_PARTS) {
		run = find_run(rows, part, fn);
		ok = !run || open_run(rows, run, true);
	} else {
		id = graph->fn[fn].runs;
		for (; ok && id != CG_NO_RUN; id = graph->run[id].next)
			ok = open_run(rows, &graph->run[id],
			    id == graph->fn[fn].runs &&
				graph->run[id].next == CG_NO_RUN);
	}
	if (ok && begin_all(rows))
		return true;
	reset(rows, fn, true);
	cg_graph_nomem(graph);
	return false;
}

bool
cg_rows_any(const struct cg_rows *rows)
{
	return rows->has_cost || rows->list[CG_ROW_CALL].count > 0 ||
	       rows->list[CG_ROW_JUMP].count > 0;
}

bool
cg_rows_open_run(struct cg_rows *rows, const struct cg_run *run)
{
	reset(rows, run->fn, true);
	if (cg_graph_failed(rows->graph))
		return false;
	if (open_run(rows, run, true) && begin_all(rows))
		return true;
	reset(rows, run->fn, true);
	cg_graph_nomem(rows->graph);
	return false;
}

bool
cg_rows_open_merged(struct cg_rows *rows, const struct cg_run *run)
{
	reset(rows, run->fn, true);
	rows->fn_rank = rows->file_rank = rows->file_ranked = NULL;
	if (open_run(rows, run, true) && begin_all(rows))
		return true;
	cg_graph_nomem(rows->graph);
	return false;
}

static struct cg_pos
pos_of(const struct cg_rows *rows, const struct row *row)
{
	return (struct cg_pos){ .line = row->line,
		.addr = row->addr,
		.file = rows->file_ranked ? rows->file_ranked[row->file]
					  : row->file };
}

/*
 * Takes the next row of a kind from its list if it has the same keys as
 * `first`. The caller sums both. NULL, nothing taken: other keys, no row, or
 * rows are not merged.
 */
static struct row *
next_same(struct cg_rows *rows, enum cg_row_kind kind, struct row *first)
{
	struct list *list = &rows->list[kind];

	if (!rows->merge || list->next == list->count ||
	    !cg_rows_equal(rows, kind, first, &list->row[list->next]))
		return NULL;
	return &list->row[list->next++];
}

static struct row *
next_row(struct cg_rows *rows, enum cg_row_kind kind)
{
	struct list *list = &rows->list[kind];

	if (list->next == list->count)
		return NULL;
	return &list->row[list->next++];
}

/*
 * Decodes a packed call, after its position, into *call, except for site, cost
 * and n; decodes its costs into cost[], which has room for all events. Returns
 * the number of costs.
 */
static size_t
get_call(const struct cg_rows *rows, const struct row *row,
    struct cg_call *call, uint64_t *cost)
{
	const uint8_t *at = row->rest;

	call->callee = (cg_fn)get_varint(&at);
	call->count = get_varint(&at);
	call->entry.file = 0; /* always the callee's */
	call->entry.line = (uint32_t)get_varint(&at);
	call->entry.addr = get_varint(&at);
	if (rows->no_addresses)
		call->entry.addr = 0;
	return get_values(&at, cost);
}

bool
cg_next_call(struct cg_rows *rows, struct cg_call *call)
{
	struct row *row = next_row(rows, CG_ROW_CALL), *same;
	struct cg_call more;
	size_t n;

	if (!row)
		return false;
	call->site = pos_of(rows, row);
	call->n = get_call(rows, row, call, rows->sum);
	call->cost = rows->sum;
	while ((same = next_same(rows, CG_ROW_CALL, row)) != NULL) {
		n = get_call(rows, same, &more, rows->cost);
		if (__builtin_add_overflow(
			call->count, more.count, &call->count) ||
		    !cg_add_costs(
			rows->graph, rows->sum, &call->n, rows->cost, n)) {
			cg_graph_overflow(rows->graph, "calls");
			return false;
		}
	}
	return true;
}

/*
 * Decodes the counts of a packed jump, after its target: how often it was
 * executed and how often it was followed. Only conditional jumps store both;
 * an unconditional one is always followed.
 */
static void
get_jump_counts(const struct target *to, uint64_t *executed, uint64_t *followed)
{
	const uint8_t *at = to->rest;

	*executed = get_varint(&at);
	*followed = to->conditional ? get_varint(&at) : *executed;
}

bool
cg_next_jump(struct cg_rows *rows, struct cg_jump *jump)
{
	struct row *row = next_row(rows, CG_ROW_JUMP), *same;
	struct target to;
	uint64_t executed, followed;

	if (!row)
		return false;
	cg_row_target(rows, row, &to);
	jump->from = pos_of(rows, row);
	jump->target = to.fn;
	jump->to = (struct cg_pos){ .line = to.line,
		.addr = to.addr,
		.file =
		    rows->file_ranked ? rows->file_ranked[to.file] : to.file };
	jump->conditional = to.conditional;
	get_jump_counts(&to, &jump->executed, &jump->followed);
	while ((same = next_same(rows, CG_ROW_JUMP, row)) != NULL) {
		cg_row_target(rows, same, &to);
		get_jump_counts(&to, &executed, &followed);
		if (__builtin_add_overflow(
			jump->executed, executed, &jump->executed) ||
		    __builtin_add_overflow(
			jump->followed, followed, &jump->followed)) {
			cg_graph_overflow(rows->graph, "jumps");
			return false;
		}
	}
	return true;
}

bool
cg_merge_branch(const struct cg_graph *graph, struct cg_branch *sum,
    const struct cg_branch *more)
{
	if (sum->target < more->target)
		sum->target = more->target;
	if (sum->label != more->label && cg_compare(cg_branch_label(graph, sum),
					     cg_branch_label(graph, more)) < 0)
		sum->label = more->label;
	sum->flags |= more->flags;
	return !__builtin_add_overflow(sum->count, more->count, &sum->count);
}

bool
cg_next_branch(struct cg_rows *rows, struct cg_branch *branch)
{
	struct list *list = &rows->list[CG_ROW_OTHER];
	struct row *row, *same;
	struct cg_branch more;

	if (rows->in_order)
		return next_in_order(rows, branch);
	/* Skip stated inclusive costs: see cg_stated_inclusive(). */
	do {
		row = next_row(rows, CG_ROW_OTHER);
		if (!row)
			return false;
	} while (!(row->tag & CG_TAG_BRANCH));
	branch->pos = pos_of(rows, row);
	(void)get_branch(row->rest, branch);
	while (list->next < list->count &&
	       (same = next_same(rows, CG_ROW_OTHER, row)) != NULL) {
		(void)get_branch(same->rest, &more);
		if (!cg_merge_branch(rows->graph, branch, &more)) {
			cg_graph_overflow(rows->graph, "branches");
			return false;
		}
	}
	return true;
}

struct cg_slice
cg_branch_label(const struct cg_graph *graph, const struct cg_branch *branch)
{
	return cg_strs_get(&graph->strs, branch->label);
}

bool
cg_stated_inclusive(struct cg_rows *rows, struct cg_cost *cost)
{
	uint64_t repeats;

	return cg_rows_inclusive(rows, cost, &repeats);
}

bool
cg_rows_inclusive(struct cg_rows *rows, struct cg_cost *cost, uint64_t *repeats)
{
	const struct list *list = &rows->list[CG_ROW_OTHER];
	bool found = false;

	*cost = (struct cg_cost){ .cost = rows->sum };
	*repeats = 0;
	for (size_t i = 0; i < list->count; i++) {
		const uint8_t *at = list->row[i].rest;
		uint64_t more;
		size_t n;

		if (list->row[i].tag & CG_TAG_BRANCH)
			continue;
		found = true;
		more = get_varint(&at);
		n = get_values(&at, rows->cost);
		if (__builtin_add_overflow(*repeats, more, repeats) ||
		    !cg_add_costs(
			rows->graph, rows->sum, &cost->n, rows->cost, n)) {
			cg_graph_overflow(rows->graph, "inclusive costs");
			return false;
		}
	}
	return found;
}
