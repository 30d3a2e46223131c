/*
 * costs.c - keeps costs by run and function, in bounded memory.
 *
 * All costs are kept up to COSTS_MAX. Then the functions whose largest share of
 * a run's total is in the lower half are dropped, all but the sum of their
 * costs. A function comes back when its share exceeds all that was ever dropped
 * (floor); runs before that have the mean of its costs, each of which was at
 * most floor of its total. So the rule is exact for functions whose share is
 * never in the lower half, such as those that are shown, and the memory is
 * COSTS_MAX plus a few numbers for each function, however many runs there are;
 * above 65,536 runs it is that of COLUMNS_MIN functions.
 */
#include <math.h>
#include <stdlib.h>

#include "series.h"

/* 64 MiB */
#ifndef COSTS_MAX /* a test has less */
#define COSTS_MAX ((size_t)8 << 20)
#endif
#define COLUMNS_MIN 64

bool
add_costs(struct costs *costs, uint32_t id, const uint64_t cost[KEYS])
{
	uint64_t *now;
	bool is_new;

	if (id >= costs->known.n &&
	    (!cg_resize(costs->job, &costs->known, (size_t)id + 1) ||
		!cg_resize(costs->job, &costs->now, costs->known.n * KEYS)))
		return false;
	now = &costs->now.at[(size_t)id * KEYS];
	is_new = now[INCLUSIVE] == 0 && now[SELF] == 0;
	for (int key = 0; key < KEYS; key++)
		now[key] += cost[key];
	return !is_new || cg_append(costs->job, &costs->touched, id);
}

/*
 * Begins to store the costs of a function for each run from the current one
 * on, in a new column. For earlier runs only the sum of the costs is known. So
 * each of them gets the mean of these costs. If the sum is not 0,
 * column->unknown becomes the number of these runs. False: out of memory.
 */
static bool
begin_column(struct costs *costs, uint32_t id)
{
	struct known *known = &costs->known.at[id];
	struct column *column = cg_push(costs->job, &costs->column);
	bool ok = column != NULL;

	if (!ok)
		return false;
	column->id = id;
	known->column = costs->column.n;
	for (int key = 0; ok && key < KEYS; key++) {
		ok = cg_resize(costs->job, &column->cost[key], costs->runs);
		for (size_t i = 0; ok && i < costs->runs; i++)
			column->cost[key].at[i] =
			    known->sum[key] / (double)costs->runs;
		if (known->sum[key] != 0)
			column->unknown = costs->runs;
	}
	return ok;
}

/*
 * Appends a cost of the current run to a column. Its rest is only stored once
 * a rest is not 0. False: out of memory.
 */
static bool
append_cost(
    struct costs *costs, struct column *column, int key, double cost, int rest)
{
	if (!cg_resize(costs->job, &column->cost[key], costs->runs) ||
	    !cg_append(costs->job, &column->cost[key], cost))
		return false;
	if (rest == 0 && column->rest[key].n == 0)
		return true;
	return cg_resize(costs->job, &column->rest[key], costs->runs) &&
	       cg_append(costs->job, &column->rest[key], (int16_t)rest);
}

static bool
end_cost(struct costs *costs, uint32_t id, double total)
{
	struct known *known = &costs->known.at[id];
	uint64_t *now = &costs->now.at[(size_t)id * KEYS];
	double cost[KEYS], share[KEYS];
	bool ok = true;

	/* Ended already, or costs with both signs. */
	if (now[INCLUSIVE] == 0 && now[SELF] == 0)
		return true;
	for (int key = 0; key < KEYS; key++) {
		cost[key] = costs->is_signed ? (double)(int64_t)now[key]
					     : (double)now[key];
		share[key] = total != 0 ? fabs(cost[key] / total) : 1;
	}
	if (known->column == 0 &&
	    fmax(share[INCLUSIVE], share[SELF]) > costs->floor)
		ok = begin_column(costs, id);
	for (int key = 0; ok && key < KEYS; key++) {
		struct column *column;

		if (known->column == 0) {
			known->sum[key] += cost[key];
		} else {
			column = &costs->column.at[known->column - 1];
			column->peak[key] = fmax(column->peak[key], share[key]);
			ok = append_cost(costs, column, key, cost[key],
			    cost_rest(now[key], costs->is_signed));
		}
		now[key] = 0;
	}
	return ok;
}

static double
peak_of(const struct column *column)
{
	return fmax(column->peak[INCLUSIVE], column->peak[SELF]);
}

static int
compare_peaks(const void *pa, const void *pb)
{
	const struct column *a = pa, *b = pb;
	double left = peak_of(a), right = peak_of(b);

	if (left != right)
		return left > right ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/*
 * Drops half of the columns (rounded up), those with the lower peaks, but
 * keeps the sums of their costs. Raises the floor to the largest of their
 * peaks. Sorts the columns, so indexes change.
 */
static void
drop_half(struct costs *costs)
{
	size_t keep = costs->column.n / 2;

	qsort(costs->column.at, costs->column.n, sizeof(*costs->column.at),
	    compare_peaks);
	for (size_t i = 0; i < costs->column.n; i++)
		costs->known.at[costs->column.at[i].id].column = i + 1;
	for (; costs->column.n > keep; costs->column.n--, costs->dropped++) {
		struct column *column = &costs->column.at[costs->column.n - 1];
		struct known *known = &costs->known.at[column->id];

		costs->floor = fmax(costs->floor, peak_of(column));
		known->column = 0;
		for (int key = 0; key < KEYS; key++) {
			known->sum[key] = 0;
			for (size_t i = 0; i < column->cost[key].n; i++)
				known->sum[key] += column->cost[key].at[i];
			cg_drop(costs->job, &column->cost[key]);
			cg_drop(costs->job, &column->rest[key]);
		}
	}
}

static bool
is_full(const struct costs *costs)
{
	return costs->column.n >= 2 * COLUMNS_MIN &&
	       costs->column.n * KEYS > COSTS_MAX / (costs->runs + 1);
}

bool
end_costs(struct costs *costs, double total)
{
	bool ok = true;

	/* The peaks of columns are known before new ones need their room. */
	for (size_t i = 0; ok && i < costs->touched.n; i++) {
		if (costs->known.at[costs->touched.at[i]].column != 0)
			ok = end_cost(costs, costs->touched.at[i], total);
	}
	for (size_t i = 0; ok && i < costs->touched.n; i++) {
		ok = end_cost(costs, costs->touched.at[i], total);
		if (ok && total != 0 && is_full(costs))
			drop_half(costs);
	}
	costs->touched.n = 0;
	costs->runs++;
	return ok;
}

bool
complete_costs(struct costs *costs)
{
	bool ok = true;

	for (size_t i = 0; ok && i < costs->column.n; i++) {
		struct column *column = &costs->column.at[i];

		for (int key = 0; ok && key < KEYS; key++)
			ok = cg_resize(
				 costs->job, &column->cost[key], costs->runs) &&
			     (column->rest[key].n == 0 ||
				 cg_resize(costs->job, &column->rest[key],
				     costs->runs));
	}
	return ok;
}
