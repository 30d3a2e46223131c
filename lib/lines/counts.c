/*
 * counts.c - the numbers of lines, functions, branches, conditions and regions
 * of a file, and of those that were hit. The rules are lcov's: functions with
 * one linker name are one function (with option functions-by-name, functions
 * with one name, as in gcovr); conditions of a line are identified by the size
 * of their group.
 */
#include <stdlib.h>

#include "graph/excluded.h"
#include "lines/lines.h"

/* ---- Functions ---------------------------------------------------------- */

/*
 * Compares functions for qsort(): by first line, then the longer one first,
 * then by name.
 */
static int
compare_lines(const void *pa, const void *pb)
{
	const struct cg_merged_fn *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	return cg_compare(a->name, b->name);
}

/*
 * Sets *ran to whether the function has a cost of the event on any line not
 * excluded. A function with unknown number of calls then counts as called
 * once. False: the rows cannot be read.
 */
static bool
find_running(struct cg_lines *lines, cg_fn fn, size_t event, bool *ran)
{
	struct cg_cost cost;

	*ran = false;
	if (!cg_rows_open(lines->rows, lines->part, fn))
		return false;
	while (!*ran && cg_next_cost(lines->rows, &cost))
		*ran = cost.n > event && cost.cost[event] != 0 &&
		       !(cg_excluded_at(
			     lines->graph, cost.pos.file, cost.pos.line) &
			   CG_EXCLUDE_LINES);
	return true;
}

/*
 * Returns the string by which functions of a file are merged into one. It is
 * the linker name; it is the name if the function has no linker name, or with
 * option functions-by-name.
 */
static cg_str
key_of(const struct cg_graph *graph, cg_fn id)
{
	const struct cg_fn_entry *fn = &graph->fn[id];

	return fn->symbol && !graph->fns_by_name ? fn->symbol : fn->name;
}

struct cg_slice
cg_fn_key(const struct cg_graph *graph, cg_fn id)
{
	return cg_strs_get(&graph->strs, key_of(graph, id));
}

static bool
get_fn(struct cg_lines *lines, cg_fn id, size_t event, struct cg_merged_fn *fn)
{
	struct cg_range range;
	bool ran;

	cg_fn_range(lines->graph, id, &range);
	*fn = (struct cg_merged_fn){ .name = cg_fn_key(lines->graph, id),
		.first = cg_fn_line(lines, id),
		.last = range.last };
	if (cg_fn_entries(lines, id, &fn->count))
		return true;
	if (!find_running(lines, id, event, &ran))
		return false;
	fn->count = ran;
	return true;
}

/*
 * Adds a function to the list for the current file. If the list has one with
 * the same linker name (or name, if it has no linker name), merges both: sums
 * the numbers of calls, up to UINT64_MAX, and extends the range of lines to
 * include both ranges. False: an error.
 */
static bool
add_fn(struct cg_lines *lines, cg_fn id, size_t event)
{
	uint32_t *at = &lines->merged_at[key_of(lines->graph, id)];
	struct cg_merged_fn *to, fn;

	if (!get_fn(lines, id, event, &fn) ||
	    !cg_scope_grow(&lines->scope, &lines->merged_fn,
		&lines->merged_fn_cap, lines->merged_fns + 1, sizeof(fn)))
		return false;
	if (*at == 0) {
		lines->merged_fn[lines->merged_fns++] = fn;
		*at = (uint32_t)lines->merged_fns;
		return true;
	}
	to = &lines->merged_fn[*at - 1];
	if (__builtin_add_overflow(to->count, fn.count, &to->count))
		to->count = UINT64_MAX;
	if (fn.first < to->first)
		to->first = fn.first;
	if (fn.last > to->last)
		to->last = fn.last;
	return true;
}

bool
cg_merged_fns(struct cg_lines *lines, size_t event,
    const struct cg_merged_fn **list, size_t *count)
{
	bool ok;

	cg_first_line(lines);
	lines->merged_fns = 0;
	if (!lines->merged_at)
		lines->merged_at = cg_scope_alloc(&lines->scope,
		    (lines->graph->strs.count + 1) * sizeof(*lines->merged_at));
	ok = lines->merged_at != NULL;
	for (size_t i = 0; ok && i < lines->fns; i++) {
		if (cg_fn_line(lines, lines->fn[i]) > 0)
			ok = add_fn(lines, lines->fn[i], event);
	}
	for (size_t i = 0; lines->merged_at && i < lines->fns; i++)
		lines->merged_at[key_of(lines->graph, lines->fn[i])] = 0;
	if (!ok)
		cg_graph_nomem(lines->graph);
	/* The functions of a file come nearly in this order. */
	cg_sort(lines->merged_fn, lines->merged_fns, sizeof(*lines->merged_fn),
	    compare_lines);
	*list = lines->merged_fn;
	*count = ok ? lines->merged_fns : 0;
	return ok;
}

/* ---- Conditions --------------------------------------------------------- */

/*
 * Compares conditions of one line for qsort(): by the number of conditions in
 * their decision (size), then by their number in it, then by outcome, true
 * first. Conditions that compare equal are merged.
 */
static int
compare_conditions(const void *pa, const void *pb)
{
	const struct cg_merged_condition *a = pa, *b = pb;
	uint32_t ia = a->branch->index ^ 1, ib = b->branch->index ^ 1;

	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return (ia > ib) - (ia < ib);
}

/*
 * Lists the n condition outcomes of a line in lines->condition, and sets
 * *listed to n. Each gets the size of its group, the number of conditions of
 * its decision. Conditions are identified by that size and their number in the
 * group. False: out of memory.
 */
static bool
list_conditions(struct cg_lines *lines, const struct cg_branch *branch,
    size_t n, size_t *listed)
{
	*listed = 0;
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t size = 0;

		for (end = i; end < n && branch[end].block == branch[i].block;
		     end++)
			if (branch[end].index / 2 + 1 > size)
				size = branch[end].index / 2 + 1;
		if (!cg_scope_grow(&lines->scope, &lines->condition,
			&lines->condition_cap, end, sizeof(*lines->condition)))
			return false;
		for (size_t j = i; j < end; j++)
			lines->condition[(*listed)++] =
			    (struct cg_merged_condition){ size, &branch[j],
				    branch[j].count };
	}
	return true;
}

bool
cg_merged_conditions(struct cg_lines *lines, const struct cg_line_sum *line,
    const struct cg_merged_condition **merged, size_t *count)
{
	struct cg_merged_condition *list;
	size_t arcs = cg_line_arcs(line), n, to = 0;

	*merged = NULL;
	*count = 0;
	if (arcs == line->branches)
		return true;
	if (!list_conditions(
		lines, &line->branch[arcs], line->branches - arcs, &n)) {
		cg_graph_nomem(lines->graph);
		return false;
	}
	list = lines->condition;
	if (n > 1)
		qsort(list, n, sizeof(*list), compare_conditions);
	for (size_t i = 1; i < n; i++) {
		if (compare_conditions(&list[to], &list[i]) != 0)
			list[++to] = list[i];
		else if (__builtin_add_overflow(
			     list[to].count, list[i].count, &list[to].count))
			list[to].count = INT64_MAX;
	}
	*merged = list;
	*count = to + 1;
	return true;
}

/* ---- Counts ------------------------------------------------------------- */

static void
count_one(struct cg_hits *hits, bool hit)
{
	hits->found++;
	hits->hit += hit;
}

void
cg_count_fns(const struct cg_merged_fn *fn, size_t n, struct cg_hits *hits)
{
	for (size_t i = 0; i < n; i++)
		count_one(hits, fn[i].count > 0);
}

void
cg_count_arcs(const struct cg_branch *branch, size_t n, struct cg_hits *hits)
{
	for (size_t i = 0; i < n && branch[i].kind == CG_BRANCH_ARC; i++) {
		if (!(branch[i].flags & CG_BRANCH_UNREACHABLE))
			count_one(hits, branch[i].count > 0);
	}
}

/*
 * Adds to hits how many regions begin on the line, and how many of them ran.
 * Skips fillers and regions without code. False: out of memory, or a count
 * overflows (reported).
 */
static bool
count_regions(struct cg_lines *lines, struct cg_hits *hits)
{
	const struct cg_branch *region;
	size_t n;

	if (!cg_line_regions(lines, &region, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!(region[i].flags & (CG_REGION_FILLER | CG_REGION_NO_CODE)))
			count_one(hits, region[i].count > 0);
	}
	return true;
}

bool
cg_count_line(struct cg_lines *lines, const struct cg_line_sum *line,
    struct cg_counts *counts)
{
	const struct cg_merged_condition *condition;
	size_t n;

	if (line->line == 0)
		return true;
	if (line->has_cost)
		count_one(&counts->lines, line->hits > 0);
	if ((lines->graph->facts & CG_REGIONS) &&
	    !count_regions(lines, &counts->regions))
		return false;
	if (line->branches == 0)
		return true;
	cg_count_arcs(line->branch, line->branches, &counts->branches);
	if (!cg_merged_conditions(lines, line, &condition, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!(condition[i].branch->flags & CG_BRANCH_UNREACHABLE))
			count_one(&counts->conditions, condition[i].count > 0);
	}
	return true;
}

bool
cg_count_file(struct cg_lines *lines, size_t event, struct cg_counts *counts)
{
	const struct cg_merged_fn *fn;
	struct cg_line_sum line;
	size_t fns;

	*counts = (struct cg_counts){ 0 };
	if (!cg_merged_fns(lines, event, &fn, &fns))
		return false;
	cg_count_fns(fn, fns, &counts->functions);
	while (cg_next_line_sum(lines, event, &line)) {
		if (!cg_count_line(lines, &line, counts))
			return false;
	}
	cg_first_line(lines);
	return true;
}

static void
add_hits(struct cg_hits *to, const struct cg_hits *from)
{
	to->hit += from->hit;
	to->found += from->found;
}

void
cg_add_counts(struct cg_counts *to, const struct cg_counts *from)
{
	add_hits(&to->lines, &from->lines);
	add_hits(&to->functions, &from->functions);
	add_hits(&to->branches, &from->branches);
	add_hits(&to->conditions, &from->conditions);
	add_hits(&to->regions, &from->regions);
}
