/*
 * series.c - the changes of --series: how often series without a change have
 * one, and which changes are found where; and the memory for costs by run.
 */
#include <math.h>

#define COSTS_MAX ((size_t)6000)
#include "../../cmd/series/changes.c"
#include "../../cmd/series/costs.c"
#include "unit.h"

#define RUNS 100

/* ---- Random numbers ------------------------------------------------------ */

static uint64_t seed = 47;

/* Returns a number between 0 and 1. */
static double
uniform(void)
{
	return ((double)(unit_random(&seed) >> 11) + 0.5) / 0x1p53;
}

/* Returns a number of the standard normal distribution. */
static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- Series -------------------------------------------------------------- */

static double value[RUNS], numbers[RUNS];
static struct change change[RUNS];
static struct place place[RUNS], sorted[RUNS];
static const struct changes_room room = { change, place, sorted, numbers };

/* Makes a series of noise; spread: its standard deviation. */
static void
make(double level, double spread)
{
	for (size_t i = 0; i < RUNS; i++)
		value[i] = level + spread * normal();
}

static size_t
find(double rate)
{
	return find_changes(value, RUNS, rate, false, &room);
}

static bool
is_in(const struct change *found, size_t at)
{
	return !found->drift && found->low <= at && at <= found->high;
}

/* ---- Without a change ---------------------------------------------------- */

static void
check_false_changes(void)
{
	size_t noise = 0, ties = 0, outlier = 0, fat = 0;

	for (int i = 0; i < 200; i++) {
		make(1000, 20);
		noise += find(0.01) > 0;
		/* One run far off, anywhere. */
		value[(size_t)(uniform() * RUNS)] *= 10;
		outlier += find(0.01) > 0;
		/* The last run. */
		make(1000, 20);
		value[RUNS - 1] = 5000;
		outlier += find(0.01) > 0;
		/* Few samples: 0, 1, 2. */
		for (size_t k = 0; k < RUNS; k++)
			value[k] = floor(uniform() * 3);
		ties += find(0.01) > 0;
		/* Noise with large values. */
		for (size_t k = 0; k < RUNS; k++)
			value[k] = exp(2 * normal());
		fat += find(0.01) > 0;
	}
	CHECK(noise <= 2);
	CHECK(outlier <= 4);
	CHECK(ties <= 2);
	CHECK(fat <= 2);
	/* The test fails if the rate is not kept: a high one is seen. */
	noise = 0;
	for (int i = 0; i < 200; i++) {
		make(1000, 20);
		noise += find(1) > 0;
	}
	CHECK(noise > 20);
	for (size_t n = 0; n < 6; n++)
		CHECK(find_changes(value, n, 0.01, false, &room) == 0);
}

/* ---- Changes ------------------------------------------------------------- */

/* +5 % at run 40 with a noise of 2 %, in the interval of 99 %. */
static void
check_shift(void)
{
	size_t found = 0, in = 0, others = 0, width = 0;

	for (int i = 0; i < 200; i++) {
		size_t n;

		make(1000, 20);
		for (size_t k = 40; k < RUNS; k++)
			value[k] += 50;
		n = find(0.01);
		others += n != 1;
		for (size_t k = 0; k < n; k++) {
			found += change[k].at > 30 && change[k].at < 50;
			in += is_in(&change[k], 40);
			width += change[k].high - change[k].low;
		}
	}
	CHECK(found >= 199);
	CHECK(in >= 196);
	CHECK(others <= 4);
	CHECK(width < 200 * 5);
}

/* A level that is left again, and the newest runs. */
static void
check_short_levels(void)
{
	size_t both = 0, newest = 0;

	for (int i = 0; i < 100; i++) {
		make(1000, 20);
		for (size_t k = 40; k < 60; k++)
			value[k] += 100;
		both += find(0.01) == 2 && is_in(&change[0], 40) &&
			is_in(&change[1], 60);
		make(1000, 20);
		for (size_t k = RUNS - 6; k < RUNS; k++)
			value[k] += 100;
		newest += find(0.01) == 1 && is_in(&change[0], RUNS - 6);
	}
	CHECK(both >= 95);
	CHECK(newest >= 95);
}

static void
check_drift(void)
{
	size_t drifts = 0, steps = 0;

	for (int i = 0; i < 100; i++) {
		make(1000, 20);
		for (size_t k = 0; k < RUNS; k++)
			value[k] += 2.0 * (double)k;
		drifts += find(0.01) == 1 && change[0].drift &&
			  change[0].low == 0 && change[0].high == RUNS - 1 &&
			  change[0].after > change[0].before + 100;
		/* Two steps up are no slope. */
		make(1000, 20);
		for (size_t k = 34; k < RUNS; k++)
			value[k] += k < 67 ? 100 : 200;
		steps += find(0.01) == 2 && is_in(&change[0], 34) &&
			 is_in(&change[1], 67);
	}
	CHECK(drifts >= 98);
	CHECK(steps >= 95);
}

static void
check_exact(void)
{
	static const double levels[] = { 5, 5, 5, 9, 5, 5, 7, 7, 3, 8 };
	static const double jumps[] = { 5, 6, 5, 8, 4, 7, 5, 6 };

	/* 9 and 3 are outliers, the last number is a new level. */
	CHECK(find_changes(levels, 10, 0.01, true, &room) == 2);
	CHECK(change[0].at == 6 && change[0].low == 6 && change[0].high == 6);
	CHECK(change[0].before == 5 && change[0].after == 7);
	CHECK(change[1].at == 9 && change[1].low == 8 && change[1].high == 9);
	CHECK(find_changes(jumps, 8, 0.01, true, &room) == 0);
	CHECK(find_changes(levels, 10, 0.01, false, &room) == 0);
	CHECK(find_changes(levels, 1, 0.01, true, &room) == 0);
}

/*
 * Mann and Whitney (1947), table I: probabilities of U, one-sided; and all ways
 * to draw 2 of 4, by hand.
 */
static void
check_probabilities(void)
{
	CHECK(fabs(separation_probability(3, 3, 0) - 2 * 0.050) < 1e-3);
	CHECK(fabs(separation_probability(4, 5, 3) - 2 * 0.056) < 1e-3);
	CHECK(fabs(separation_probability(8, 8, 13) - 2 * 0.025) < 1e-3);
	CHECK(fabs(separation_probability(2, 2, 0) - 2.0 / 6) < 1e-12);
	CHECK(fabs(separation_probability(2, 2, 1) - 4.0 / 6) < 1e-12);
	CHECK(separation_probability(2, 2, 2) == 1);
	CHECK(separation_probability(7, 93, 4) ==
	      separation_probability(93, 7, 4));
	/* The normal distribution gives no smaller ones where it counts. */
	for (double u = 0; u < 300; u++) {
		double exact = separation_probability(12, 80, u);

		if (exact < 1e-3)
			CHECK(normal_probability(12, 80, u) > exact);
	}
}

/* ---- Costs --------------------------------------------------------------- */

/*
 * 200 functions in 100 runs are more than COSTS_MAX: those with large shares
 * are exact, the rest is bounded, and sums are kept.
 */
static void
check_costs(void)
{
	struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
	struct costs costs = { .job = job };
	const struct column *late;

	for (size_t run = 0; run < RUNS; run++) {
		for (uint32_t id = 1; id <= 200; id++) {
			uint64_t cost = id <= 5 ? 100 * id + run : 1;
			uint64_t piece[2][KEYS];

			/* 200 wakes up in run 90. */
			if (id == 200 && run >= 90)
				cost = 900;
			for (int i = 0; i < 2; i++)
				piece[i][SELF] = piece[i][INCLUSIVE] =
				    (cost + (uint64_t)i) / 2;
			CHECK(add_costs(&costs, id, piece[0]));
			CHECK(add_costs(&costs, id, piece[1]));
		}
		CHECK(end_costs(&costs, 10000));
	}
	CHECK(complete_costs(&costs));
	CHECK(costs.runs == RUNS && costs.dropped > 0);
	CHECK(costs.column.n < 2 * COLUMNS_MIN);
	CHECK(costs.floor == 0.0001);
	for (uint32_t id = 1; id <= 5; id++) {
		const struct column *column =
		    &costs.column.at[costs.known.at[id].column - 1];

		CHECK(column->id == id && column->unknown == 0);
		CHECK(column->cost[SELF].n == RUNS);
		for (size_t run = 0; run < RUNS; run++)
			CHECK(column->cost[SELF].at[run] ==
			      100.0 * id + (double)run);
	}
	late = &costs.column.at[costs.known.at[200].column - 1];
	CHECK(late->id == 200 && late->unknown == 90);
	CHECK(late->cost[SELF].at[0] == 1 && late->cost[SELF].at[89] == 1);
	CHECK(late->cost[SELF].at[90] == 900);
	cg_job_free(job);
}

/* A run with many new functions needs no room for them in all runs before. */
static void
check_new_functions(void)
{
	struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
	struct costs costs = { .job = job };
	const uint64_t one[KEYS] = { 1, 1 };
	const uint64_t less[KEYS] = { UINT64_MAX, UINT64_MAX }; /* -1 */

	for (size_t run = 0; run < RUNS; run++) {
		for (uint32_t id = 1; id <= (run < RUNS - 1 ? 5 : 5000); id++)
			CHECK(add_costs(&costs, id, one));
		CHECK(end_costs(&costs, 5000));
	}
	CHECK(costs.column.n < 2 * COLUMNS_MIN);
	/* Costs whose sum is 0 for a while count once. */
	costs = (struct costs){ .job = job };
	CHECK(add_costs(&costs, 1, one) && add_costs(&costs, 1, less));
	CHECK(add_costs(&costs, 1, one) && end_costs(&costs, 1));
	CHECK(complete_costs(&costs) && costs.column.n == 1);
	CHECK(costs.column.at[0].cost[SELF].at[0] == 1);
	cg_job_free(job);
}

/* A cost of 64 bits is a double and its rest, also rounded to 2^63, 2^64. */
static void
check_rests(void)
{
	const uint64_t cost[] = { 0, 1, (UINT64_C(1) << 53) + 1,
		(UINT64_C(1) << 62) + 511, INT64_MAX, UINT64_C(1) << 63,
		(UINT64_C(1) << 63) + 1, UINT64_MAX };
	struct cg_job *job = cg_job_new(cg_formats(), NULL, NULL);
	struct costs costs = { .job = job };

	for (size_t i = 0; i < sizeof(cost) / sizeof(*cost); i++) {
		int rest = cost_rest(cost[i], false);
		long double sum = (long double)(double)cost[i] + rest;

		CHECK(sum == (long double)cost[i]);
		rest = cost_rest(cost[i], true);
		sum = (long double)(double)(int64_t)cost[i] + rest;
		CHECK(sum == (long double)(int64_t)cost[i]);
		CHECK(
		    add_costs(&costs, 1, (uint64_t[KEYS]){ cost[i], i == 0 }));
		CHECK(end_costs(&costs, 0));
	}
	CHECK(complete_costs(&costs) && costs.column.n == 1);
	CHECK(costs.column.at[0].rest[SELF].n == 0);
	CHECK(costs.column.at[0].rest[INCLUSIVE].n == costs.runs);
	CHECK(costs.column.at[0].rest[INCLUSIVE].at[1] == 0);
	CHECK(costs.column.at[0].rest[INCLUSIVE].at[2] == 1);
	cg_job_free(job);
}

int
main(void)
{
	check_probabilities();
	check_rests();
	check_false_changes();
	check_shift();
	check_short_levels();
	check_drift();
	check_exact();
	check_costs();
	check_new_functions();
	return unit_end();
}
