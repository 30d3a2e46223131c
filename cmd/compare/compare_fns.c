/*
 * compare_fns.c - compares two profiles function by function: self and
 * inclusive costs, calls, costs of lines.
 */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* A call or a line of one function, of one profile or both. */
struct item {
	uint32_t key; /* a group of callees, or a file */
	uint32_t line;
	uint64_t count[2]; /* of calls */
	size_t value;      /* index of its costs: 2 * events */
	struct cg_slice path;
};

struct items {
	CG_ARRAY(struct item) item;
	CG_ARRAY(uint64_t) value;
};

/*
 * Appends an item (a call or a line to compare) to "items". Its costs are 0
 * for each event in both profiles. The caller must set the rest. Returns the
 * item, which is valid until the next one is added. NULL: out of memory.
 */
static struct item *
add_item(const struct verify *v, struct items *items)
{
	size_t begin = items->value.n;
	struct item *item = cg_push(v->args->job, &items->item);

	if (item == NULL ||
	    !cg_resize(v->args->job, &items->value, begin + 2 * v->events))
		return NULL;
	item->value = begin;
	return item;
}

static void
set_values(const struct verify *v, struct items *items, const struct item *item,
    int s, const uint64_t *cost, size_t n)
{
	for (size_t e = 0; e < v->events; e++) {
		size_t column = v->event[e].column[s];

		items->value.at[item->value + 2 * e + (size_t)s] =
		    column < n ? cost[column] : 0;
	}
}

static bool
add_call(
    struct verify *v, struct items *items, int s, const struct cg_call *call)
{
	struct item *item = add_item(v, items);

	if (item == NULL)
		return false;
	item->key = v->group[s][call->callee];
	item->count[s] = call->count;
	set_values(v, items, item, s, call->cost, call->n);
	return true;
}

static bool
add_line(
    struct verify *v, struct items *items, int s, const struct cg_cost *cost)
{
	struct item *item = add_item(v, items);

	if (item == NULL)
		return false;
	item->key = v->file[s][cost->pos.file];
	item->line = cost->pos.line;
	if (item->key != 0)
		item->path = cg_file_path(v->profile[s].graph, cost->pos.file);
	set_values(v, items, item, s, cost->cost, cost->n);
	return true;
}

/*
 * Replaces the items by the calls or lines of all functions in the groups from
 * `group` to end - 1. calls: take calls, not lines. Adds one item for each
 * row, not sorted. False: out of memory.
 */
static bool
list_items(
    struct verify *v, struct items *items, size_t group, size_t end, bool calls)
{
	struct cg_call call;
	struct cg_cost cost;
	bool ok = true;

	items->item.n = items->value.n = 0;
	for (size_t i = v->first[group]; ok && i < v->first[end]; i++) {
		int s = (int)v->fns[i].profile;
		struct cg_rows *rows = v->profile[s].rows;

		ok = cg_rows_open(rows, CG_ALL_PARTS, v->fns[i].fn);
		while (ok && calls && cg_next_call(rows, &call))
			ok = add_call(v, items, s, &call);
		while (ok && !calls && cg_next_cost(rows, &cost))
			ok = add_line(v, items, s, &cost);
	}
	return ok;
}

static int
compare_items(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/*
 * Sorts items (calls or lines to compare) by key and line. Merges items with
 * the same key and line into one. Its counts and costs are the sums of theirs,
 * by profile. Its path is that of the first of them that has one.
 */
static void
merge_items(const struct verify *v, struct items *items)
{
	size_t kept = 0, width = 2 * v->events;

	if (items->item.n > 1)
		qsort(items->item.at, items->item.n, sizeof(*items->item.at),
		    compare_items);
	for (size_t i = 0; i < items->item.n; i++) {
		const struct item *item = &items->item.at[i];
		struct item *to = kept > 0 ? &items->item.at[kept - 1] : NULL;

		if (to == NULL || compare_items(to, item) != 0) {
			items->item.at[kept++] = *item;
			continue;
		}
		to->count[0] += item->count[0];
		to->count[1] += item->count[1];
		for (size_t k = 0; k < width; k++)
			items->value.at[to->value + k] +=
			    items->value.at[item->value + k];
		if (to->path.len == 0)
			to->path = item->path;
	}
	items->item.n = kept;
}

/*
 * Tolerance for costs that are derived from counts, as each profile rounds in
 * its own order.
 */
#define ROUNDING 2

/*
 * Returns true if two inclusive costs of the event count as equal: exactly, up
 * to ROUNDING, or always, as the event requires.
 */
static bool
is_inclusive_equal(
    const struct verify *v, size_t event, const uint64_t value[2])
{
	/* One of the differences wraps around. */
	uint64_t more = value[0] - value[1], less = value[1] - value[0];

	if (v->event[event].inclusive == INCLUSIVE_NONE)
		return true;
	if (v->event[event].inclusive == INCLUSIVE_EXACT)
		return more == 0;
	return more <= ROUNDING || less <= ROUNDING;
}

/*
 * Reports the inclusive costs of an event in both profiles, unless they count
 * as equal. "certain": calls determine the function's inclusive cost. If not,
 * or if only one profile states such costs, only counts the difference in
 * v->unsure.
 */
static void
compare_inclusive(struct verify *v, enum difference kind,
    const struct where *where, size_t event, const uint64_t value[2],
    bool certain)
{
	if (is_inclusive_equal(v, event, value))
		return;
	if (certain && v->event[event].inclusive != INCLUSIVE_UNSURE)
		report_difference(v, kind, where, event, value);
	else
		v->unsure++;
}

static void
compare_values(struct verify *v, enum difference kind,
    const struct where *where, const uint64_t *value)
{
	for (size_t e = 0; e < v->events; e++, value += 2) {
		if (value[0] != value[1])
			report_difference(v, kind, where, e, value);
	}
}

/*
 * Returns true if a group (matched functions) has several functions of one
 * profile. Calls between them may count twice in their sum, so it need not be
 * the inclusive cost of one merged function.
 */
static bool
is_several(const struct verify *v, size_t group)
{
	bool seen[2] = { false, false };

	for (size_t i = v->first[group]; i < v->first[group + 1]; i++) {
		if (seen[v->fns[i].profile])
			return true;
		seen[v->fns[i].profile] = true;
	}
	return false;
}

static void
compare_call(struct verify *v, const struct items *items,
    const struct item *item, const struct where *where)
{
	const uint64_t *value = items->value.at + item->value;
	bool certain =
	    !is_several(v, where->group) && !is_several(v, where->callee);

	if (certain && v->counts && item->count[0] != item->count[1])
		report_difference(v, DIFF_COUNT, where, 0, item->count);
	for (size_t e = 0; e < v->events; e++, value += 2)
		compare_inclusive(v, DIFF_CALL, where, e, value, certain);
}

/*
 * Returns true if the group (matched functions) has function 0, the unknown
 * caller, of one of the profiles.
 */
static bool
has_unknown_caller(const struct verify *v, size_t group)
{
	for (size_t i = v->first[group]; i < v->first[group + 1]; i++) {
		if (v->fns[i].fn == 0)
			return true;
	}
	return false;
}

static bool
compare_calls(struct verify *v, struct items *items, size_t group)
{
	struct where where = { .group = group };

	/* Formats count calls from an unknown caller differently. */
	if (has_unknown_caller(v, group))
		return true;
	if (!list_items(v, items, group, group + 1, true))
		return false;
	merge_items(v, items);
	for (size_t i = 0; i < items->item.n; i++) {
		where.callee = items->item.at[i].key - 1;
		compare_call(v, items, &items->item.at[i], &where);
	}
	return true;
}

/*
 * Reports costs without file or line that differ. value: both costs of each
 * event. A format of source lines loses such costs, so 0 on its side is
 * reported as a note.
 */
static void
compare_unlocated(
    struct verify *v, const struct where *where, const uint64_t *value)
{
	for (size_t e = 0; e < v->events; e++, value += 2) {
		if (value[0] == value[1])
			continue;
		if ((v->of_files[0] && value[0] == 0) ||
		    (v->of_files[1] && value[1] == 0))
			report_unlocated(v, where, e, value);
		else
			report_difference(v, DIFF_LINE, where, e, value);
	}
}

/*
 * Compares costs by line for a group of matched functions, and reports
 * differences. SIZE_MAX: for all groups together, as some formats do not know
 * the functions of lines. Overwrites items. False: out of memory.
 */
static bool
compare_lines(struct verify *v, struct items *items, size_t group)
{
	struct where where = { .group = group };
	bool all = group == SIZE_MAX;

	if (!list_items(
		v, items, all ? 0 : group, all ? v->groups : group + 1, false))
		return false;
	merge_items(v, items);
	for (size_t i = 0; i < items->item.n; i++) {
		const struct item *item = &items->item.at[i];
		const uint64_t *value = items->value.at + item->value;

		where.file = item->path;
		where.line = item->line;
		if (all && (item->key == 0 || item->line == 0))
			compare_unlocated(v, &where, value);
		else
			compare_values(v, DIFF_LINE, &where, value);
	}
	return true;
}

/* ---- Sums --------------------------------------------------------------- */

/*
 * Returns true if the profile itself states the function's inclusive cost.
 * Else the cost has to be computed from calls. False also if the function's
 * rows cannot be read.
 */
static bool
is_stated(const struct profile *profile, cg_fn fn)
{
	struct cg_cost cost;

	return cg_rows_open(profile->rows, CG_ALL_PARTS, fn) &&
	       cg_stated_inclusive(profile->rows, &cost);
}

/*
 * Returns true if calls determine the inclusive cost of the group's function,
 * so that both profiles must have the same. False for several functions of one
 * profile, for cycles, and if only one profile states the cost.
 */
static bool
is_certain(const struct verify *v, size_t group)
{
	bool stated[2] = { false, false };

	if (is_several(v, group))
		return false;
	for (size_t i = v->first[group]; i < v->first[group + 1]; i++) {
		const struct matched_fn *same = &v->fns[i];
		const struct profile *profile = &v->profile[same->profile];

		if (cg_sum_cycle(profile->sums, same->fn) != 0)
			return false;
		stated[same->profile] = is_stated(profile, same->fn);
	}
	/* A stated cost is compared only with a stated one. */
	return stated[0] == stated[1];
}

static void
compare_sums(struct verify *v, size_t group)
{
	const struct where where = { .group = group };
	bool inclusive = (v->common & CG_INCL) && !has_unknown_caller(v, group);

	for (size_t e = 0; e < v->events; e++) {
		uint64_t self[2] = { 0, 0 }, sum[2] = { 0, 0 };

		for (size_t i = v->first[group]; i < v->first[group + 1]; i++) {
			const struct matched_fn *same = &v->fns[i];
			const struct cg_sums *sums =
			    v->profile[same->profile].sums;
			size_t column = v->event[e].column[same->profile];

			self[same->profile] +=
			    cg_sum_self(sums, same->fn, column);
			sum[same->profile] +=
			    cg_sum_inclusive(sums, same->fn, column);
		}
		if (self[0] != self[1])
			report_difference(v, DIFF_SELF, &where, e, self);
		if (inclusive && sum[0] != sum[1])
			compare_inclusive(v, DIFF_INCLUSIVE, &where, e, sum,
			    is_certain(v, group));
	}
}

static int
compare_totals(struct verify *v)
{
	const struct where nowhere = { .group = SIZE_MAX };
	uint64_t *sum[2];
	bool ok;

	for (int s = 0; s < 2; s++)
		sum[s] = cg_alloc(v->args->job,
		    cg_event_count(v->profile[s].graph) * sizeof(*sum[s]));
	ok = sum[0] != NULL && sum[1] != NULL &&
	     sum_parts(v->profile[0].graph, sum[0]) &&
	     sum_parts(v->profile[1].graph, sum[1]);
	for (size_t e = 0; ok && e < v->events; e++) {
		const uint64_t value[2] = {
			sum[0][v->event[e].column[0]],
			sum[1][v->event[e].column[1]],
		};

		/* Equal totals are reported, too. */
		report_difference(v, DIFF_TOTAL, &nowhere, e, value);
	}
	return ok ? CG_OK : cg_nomem(v->args->job);
}

static int
sum_profiles(struct verify *v)
{
	int status = CG_OK;

	for (int s = 0; s < 2 && status == CG_OK; s++) {
		struct profile *profile = &v->profile[s];

		profile->sums = cg_sums_new(profile->graph, CG_ALL_PARTS, true);
		status = cg_job_status(profile->job);
	}
	return status;
}

/*
 * Compares the sums of a group of matched functions and, if both formats have
 * them, calls and lines. Reports differences. items is working memory. False:
 * out of memory.
 */
static bool
compare_group(struct verify *v, struct items *items, size_t group)
{
	compare_sums(v, group);
	/* The rows are equal; only inclusive sums can differ. */
	if (v->alike[group])
		return true;
	return (!(v->common & CG_CALLS) || compare_calls(v, items, group)) &&
	       (!(v->common & CG_LINES) || compare_lines(v, items, group));
}

int
compare_all(struct verify *v)
{
	struct items items = { 0 };
	int status = compare_totals(v);
	bool ok = status != CG_OK || find_alike(v);

	/* Equal rows have equal sums. */
	if (status != CG_OK || !ok || v->all_alike)
		return ok ? status : cg_nomem(v->args->job);
	if (v->by_file)
		ok = compare_lines(v, &items, SIZE_MAX);
	else
		status = sum_profiles(v);
	for (size_t group = 0;
	     ok && status == CG_OK && !v->by_file && group < v->groups; group++)
		ok = compare_group(v, &items, group);
	if (status == CG_OK && !ok)
		status = cg_nomem(v->args->job);
	return status;
}
