/*
 * noise.c - judges the changes between runs before and after.
 *
 * Several comparisons are made at once, so each gets an equal part of the error
 * rate (Bonferroni): the rate is then that of any false alarm at all. Unlike
 * Holm's, which finds little more, the method has intervals: a change is real
 * exactly if its interval does not contain 0. Functions that cost less than a
 * share of the total are not compared, as each would make the others harder to
 * find; the choice depends on the sum of both sides, not on the difference, so
 * that it is not biased (R. Bourgon, R. Gentleman and W. Huber, PNAS 107
 * (2010), 9546-9551).
 */
#include <math.h>
#include <stdlib.h>

#include "noise.h"

#define SHARE_MIN 0.005 /* of all costs: functions below it are not compared */

/* ---- Costs of a side ----------------------------------------------------- */

double
cost_in(const struct noise_run *run, uint32_t fn, int key)
{
	if (fn == 0)
		return run->total;
	if (key == LINE)
		return fn < run->line.n ? run->line.at[fn] : 0;
	return fn < run->fns ? run->cost[(size_t)fn * KEYS + (size_t)key] : 0;
}

/*
 * Returns the value of a function or line that is compared between runs. It is
 * the cost, or with --normalize the cost as a share of the run's total. The
 * share is 0 if the total is 0. The value of function 0 is always the run's
 * total.
 */
static double
value_in(
    const struct noise *noise, const struct noise_run *run, cg_fn fn, int key)
{
	double cost = cost_in(run, fn, key);

	if (!noise->args->normalize || fn == 0)
		return cost;
	return run->total != 0 ? cost / run->total : 0;
}

/*
 * Returns the least variance that sampling (Poisson) causes between a side's
 * runs for this mean. fn: 0 for the total. Few runs may agree by chance and
 * show less. 0: a run's number of samples is unknown.
 */
static double
least_variance(const struct noise *noise, int side, cg_fn fn, double mean)
{
	double total = 0, samples = 0;

	for (size_t i = 0; i < noise->runs; i++) {
		if (noise->run[i].side != side)
			continue;
		if (noise->run[i].samples <= 0)
			return 0;
		total += noise->run[i].total;
		samples += noise->run[i].samples;
	}
	if (noise->args->normalize && fn != 0)
		return fmax(mean * (1 - mean), 0) * (double)noise->count[side] /
		       samples;
	/* A sample costs total / samples. */
	return fmax(mean, 0) * total / samples;
}

/*
 * Returns number, mean and variance of the values of a function or line in the
 * runs of a side. One run has variance 0.
 */
static struct side
side_of(const struct noise *noise, int side, cg_fn fn, int key)
{
	struct side of = { .runs = noise->count[side] };
	double first = 0, sum = 0, squares = 0;
	bool any = false;

	for (size_t i = 0; i < noise->runs; i++) {
		double value = value_in(noise, &noise->run[i], fn, key);

		if (noise->run[i].side != side)
			continue;
		first = any ? first : value;
		any = true;
		/* Keeps the mean of equal values exact, without rounding. */
		sum += value - first;
		squares += (value - first) * (value - first);
	}
	of.mean = first + sum / (double)of.runs;
	squares = fmax(squares - sum * sum / (double)of.runs, 0);
	if (of.runs > 1)
		of.variance = squares / ((double)of.runs - 1);
	return of;
}

/* ---- Judging ------------------------------------------------------------- */

static enum method
choose_method(const struct noise *noise)
{
	if (noise->count[BEFORE] + noise->count[AFTER] > 2)
		return METHOD_MEANS;
	if (noise->common.exact)
		return METHOD_EXACT;
	return noise->run[0].samples > 0 && noise->run[1].samples > 0
		   ? METHOD_COUNTING
		   : METHOD_NONE;
}

static struct judged
judge_samples(const struct noise *noise, cg_fn fn, int key, double level)
{
	double count[2], size[2] = { 1, 1 };

	for (size_t i = 0; i < 2; i++) {
		const struct noise_run *run = &noise->run[i];
		double cost = fmax(cost_in(run, fn, key), 0);

		count[run->side] =
		    run->total > 0 ? cost / run->total * run->samples : 0;
		if (noise->args->normalize && fn != 0)
			size[run->side] = run->samples;
	}
	return judge_counts(count, size, level);
}

static struct noise_row
judge(const struct noise *noise, cg_fn fn, int key, double level)
{
	struct noise_row row = { .id = fn, .key = key };
	struct side side[2];
	double least[2] = { 0, 0 };

	for (int s = 0; s < 2; s++) {
		side[s] = side_of(noise, s, fn, key);
		row.mean[s] = side[s].mean;
		least[s] = least_variance(noise, s, fn, side[s].mean);
	}
	if (noise->method == METHOD_COUNTING)
		row.judged = judge_samples(noise, fn, key, level);
	else if (noise->method == METHOD_NONE)
		row.judged = (struct judged){ NAN, NAN, 1, false };
	else
		row.judged = judge_means(side, least, level);
	return row;
}

/*
 * Returns true if a function or line has a large enough share of the costs to
 * be compared. Sums the mean costs of the runs of both sides. Sets *any to
 * whether it has costs at all.
 */
static bool
is_large(const struct noise *noise, cg_fn fn, int key, bool *any)
{
	double cost[2] = { 0, 0 }, total[2] = { 0, 0 };

	for (size_t i = 0; i < noise->runs; i++) {
		const struct noise_run *run = &noise->run[i];

		cost[run->side] += fabs(cost_in(run, fn, key));
		total[run->side] += fabs(run->total);
	}
	*any = cost[0] > 0 || cost[1] > 0;
	for (int s = 0; s < 2; s++) {
		cost[s] /= (double)noise->count[s];
		total[s] /= (double)noise->count[s];
	}
	return *any && cost[0] + cost[1] >= SHARE_MIN * (total[0] + total[1]);
}

/*
 * Compares rows for qsort(): real changes first, then the largest absolute
 * changes of the mean, then in the order of functions or lines.
 */
static int
compare_rows(const void *pa, const void *pb)
{
	const struct noise_row *a = pa, *b = pb;
	double left = fabs(a->mean[AFTER] - a->mean[BEFORE]);
	double right = fabs(b->mean[AFTER] - b->mean[BEFORE]);

	if (a->judged.real != b->judged.real)
		return a->judged.real ? -1 : 1;
	if (left != right)
		return left > right ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static bool
list_rows(struct noise *noise, int key)
{
	bool any, ok = true;
	size_t count = key == LINE ? noise->line.n : cg_fn_count(noise->graph);

	for (uint32_t fn = 1; ok && fn <= count; fn++) {
		if (is_large(noise, fn, key, &any))
			ok = cg_append(noise->args->job, &noise->row[key],
			    ((struct noise_row){ .id = fn, .key = key }));
		else
			noise->small[key] += any;
	}
	return ok;
}

bool
judge_runs(struct noise *noise)
{
	double level;

	noise->method = choose_method(noise);
	for (int key = noise->inclusive ? INCLUSIVE : SELF; key < KINDS;
	     key++) {
		if (!list_rows(noise, key))
			return false;
	}
	/* With --normalize, all that changed in the total is its length. */
	noise->judgements = noise->row[INCLUSIVE].n + noise->row[SELF].n +
			    noise->row[LINE].n + !noise->args->normalize;
	level = noise->error_rate / fmax((double)noise->judgements, 1);
	noise->total = judge(noise, 0, SELF, level);
	for (int key = 0; key < KINDS; key++) {
		for (size_t i = 0; i < noise->row[key].n; i++) {
			struct noise_row *row = &noise->row[key].at[i];

			*row = judge(noise, row->id, key, level);
		}
		if (noise->row[key].n > 0)
			qsort(noise->row[key].at, noise->row[key].n,
			    sizeof(*noise->row[key].at), compare_rows);
	}
	return true;
}
