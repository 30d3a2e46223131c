/*
 * curves.c - chooses what is shown of a series, and finds its changes.
 *
 * All functions whose cost is SHARE_MIN of its run's total at least once are
 * tested, and each gets an equal part of the error rate (Bonferroni). As the
 * choice does not depend on the order of the runs, and the test on nothing
 * else, it makes no false change more likely. Shown are those that changed, the
 * largest change first, then those that cost most.
 *
 * Of coverage, the shares of lines, functions and branches are tested. Files
 * are listed whose share of lines is now lower than it was.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"

#define SHARE_MIN 0.005

const struct series_run *
run_at(const struct series *series, size_t i)
{
	return &series->run.at[series->order[i]];
}

/* ---- Memory -------------------------------------------------------------- */

static bool
make_room(struct series *series)
{
	struct changes_room *room = &series->room;
	struct cg_job *job = series->args->job;
	size_t n = series->run.n;

	*room = (struct changes_room){
		.change = cg_alloc(job, n * sizeof(*room->change)),
		.place = cg_alloc(job, n * sizeof(*room->place)),
		.sorted = cg_alloc(job, n * sizeof(*room->sorted)),
		.value = cg_alloc(job, n * sizeof(*room->value)),
	};
	return room->change && room->place && room->sorted && room->value;
}

/*
 * Appends a curve to series->curve, with a value of 0 for each run. Keeps the
 * pointer to "kind". Returns the curve, which is valid until the next one is
 * added. NULL: out of memory (reported).
 */
static struct curve *
add_curve(struct series *series, const char *kind)
{
	struct curve *curve = cg_push(series->args->job, &series->curve);

	if (curve == NULL)
		return NULL;
	curve->kind = kind;
	curve->value =
	    cg_alloc(series->args->job, series->run.n * sizeof(*curve->value));
	return curve->value != NULL ? curve : NULL;
}

/* ---- Changes ------------------------------------------------------------- */

/*
 * Sets the curve's mean and, if its values change, the changes and the size of
 * the largest. If a run has no value (NAN), the mean is NAN, and there are no
 * changes. False: out of memory (reported).
 */
static bool
judge_curve(struct series *series, struct curve *curve, bool exact)
{
	size_t n = series->run.n;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += curve->value[i];
	curve->mean = sum / (double)n;
	/* A run without a value has no place among levels. */
	if (isnan(sum))
		return true;
	curve->changes = find_changes(curve->value, n,
	    series->error_rate / (double)series->comparisons, exact,
	    &series->room);
	if (curve->changes == 0)
		return true;
	curve->change = cg_alloc(
	    series->args->job, curve->changes * sizeof(*curve->change));
	for (size_t i = 0; curve->change && i < curve->changes; i++) {
		struct change *change = &curve->change[i];

		*change = series->room.change[i];
		curve->size =
		    fmax(curve->size, fabs(change->after - change->before));
	}
	return curve->change != NULL;
}

/* ---- Functions ----------------------------------------------------------- */

/*
 * A function that may be shown, or a file, which has only a size. The values of
 * all are in memory once, by column; a curve copies those that are shown.
 */
struct candidate {
	const struct column *column;
	int key;
	double size, mean;
};

static int
compare_candidates(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	if (a->mean != b->mean)
		return a->mean > b->mean ? -1 : 1;
	if (a->column->id != b->column->id)
		return a->column->id < b->column->id ? -1 : 1;
	return b->key - a->key;
}

static void
fill_values(const struct series *series, const struct column *column, int key,
    double *to)
{
	for (size_t i = 0; i < series->run.n; i++)
		to[i] = column->cost[key].at[series->order[i]];
}

static bool
judge_candidate(
    struct series *series, struct candidate *candidate, struct curve *scratch)
{
	bool ok;

	fill_values(series, candidate->column, candidate->key, scratch->value);
	scratch->size = 0;
	scratch->changes = 0;
	ok = judge_curve(series, scratch, series->common.exact);
	candidate->size = scratch->size;
	candidate->mean = scratch->mean;
	return ok;
}

/* Sets curve->rest, if there is any. False: out of memory. */
static bool
fill_rests(const struct series *series, const struct column *column, int key,
    struct curve *curve)
{
	size_t n = series->run.n;

	if (column->rest[key].n == 0)
		return true;
	curve->rest = cg_alloc(series->args->job, n * sizeof(*curve->rest));
	for (size_t i = 0; curve->rest != NULL && i < n; i++)
		curve->rest[i] = column->rest[key].at[series->order[i]];
	return curve->rest != NULL;
}

static bool
show_candidate(struct series *series, const struct candidate *candidate)
{
	static const char *const kind[KEYS] = { "inclusive", "self" };
	const struct cg_graph *graph = series->functions;
	struct curve *curve = add_curve(series, kind[candidate->key]);
	cg_fn fn = candidate->column->id;

	if (curve == NULL)
		return false;
	curve->name = cg_fn_name(graph, fn);
	curve->file = cg_file_path(graph, cg_fn_file(graph, fn));
	curve->object = cg_object_path(graph, cg_fn_object(graph, fn));
	curve->unknown = candidate->column->unknown;
	fill_values(series, candidate->column, candidate->key, curve->value);
	if (!fill_rests(series, candidate->column, candidate->key, curve))
		return false;
	return judge_curve(series, curve, series->common.exact);
}

/*
 * Returns true if a function's inclusive costs say nothing new: they are equal
 * to its self cost in each run, or to the run's total in each run.
 */
static bool
is_repeated(const struct series *series, const struct column *column)
{
	bool self = true, total = true;

	for (size_t i = 0; i < series->run.n && (self || total); i++) {
		double cost = column->cost[INCLUSIVE].at[i];

		self &= cost == column->cost[SELF].at[i];
		total &= cost == series->run.at[i].total;
	}
	return self || total;
}

/*
 * Tests costs of functions, except small ones, for changes. Appends the curves
 * to be shown: at most series->top by self and by inclusive cost. Counts
 * changes not shown in series->unlisted, tests in series->comparisons. False:
 * out of memory (reported).
 */
static bool
show_functions(struct series *series)
{
	CG_ARRAY(struct candidate) all = { 0 };
	struct curve scratch = { .value = cg_alloc(series->args->job,
				     series->run.n * sizeof(double)) };
	struct cg_job *job = series->args->job;
	size_t shown[KEYS] = { 0, 0 };
	bool ok = scratch.value != NULL;

	for (size_t i = 0; ok && i < series->costs.column.n; i++) {
		const struct column *column = &series->costs.column.at[i];

		for (int key = series->has_calls ? INCLUSIVE : SELF;
		     ok && key < KEYS; key++) {
			if (column->peak[key] >= SHARE_MIN &&
			    (key == SELF || !is_repeated(series, column)))
				ok = cg_append(job, &all,
				    (struct candidate){ column, key, 0, 0 });
		}
	}
	series->comparisons += all.n;
	for (size_t i = 0; ok && i < all.n; i++)
		ok = judge_candidate(series, &all.at[i], &scratch);
	if (ok && all.n > 1)
		qsort(all.at, all.n, sizeof(*all.at), compare_candidates);
	for (size_t i = 0; ok && i < all.n; i++) {
		if (shown[all.at[i].key]++ < series->top)
			ok = show_candidate(series, &all.at[i]);
		else
			series->unlisted += all.at[i].size > 0;
	}
	return ok;
}

static bool
make_cost_curves(struct series *series)
{
	struct curve *total = add_curve(series, "total");
	size_t n = series->run.n;
	bool ok = total != NULL;

	if (ok)
		total->rest =
		    cg_alloc(series->args->job, n * sizeof(*total->rest));
	ok = ok && total->rest != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		total->value[i] = run_at(series, i)->total;
		total->rest[i] = (int16_t)run_at(series, i)->rest;
	}
	series->totals = 1;
	series->comparisons = 1;
	/* The number of comparisons is known after all are listed. */
	ok = ok && show_functions(series);
	return ok &&
	       judge_curve(series, &series->curve.at[0], series->common.exact);
}

/* ---- Coverage ------------------------------------------------------------ */

static double
percent_of(double hit, double found)
{
	return found > 0 ? 100 * hit / found : NAN;
}

static bool
add_metric(struct series *series, int metric)
{
	static const char *const kind[METRICS] = { "lines", "functions",
		"branches" };
	struct curve *curve = add_curve(series, kind[metric]);
	bool any = false;

	for (size_t i = 0; curve != NULL && i < series->run.n; i++) {
		const struct cg_hits *hits = &run_at(series, i)->hits[metric];

		curve->value[i] =
		    percent_of((double)hits->hit, (double)hits->found);
		any |= hits->found > 0;
	}
	if (curve == NULL)
		return false;
	curve->percent = true;
	if (any || metric == LINES)
		series->totals++;
	else
		series->curve.n--;
	return true;
}

/*
 * Returns true if the file's last share of covered lines is below its highest.
 * Then *loss is the change between both, in percent, at the first run after
 * the highest, and *lost the lines lost.
 */
static bool
find_loss(const struct series *series, const struct column *column,
    struct change *loss, double *lost)
{
	double best = -1, last = NAN, found = 0;

	for (size_t i = 0; i < series->run.n; i++) {
		size_t at = series->order[i];
		double share = percent_of(
		    column->cost[HIT].at[at], column->cost[FOUND].at[at]);

		if (isnan(share))
			continue;
		if (share >= best) {
			best = share;
			loss->low = i;
			loss->at = loss->high = SIZE_MAX;
		} else if (loss->at == SIZE_MAX) {
			loss->at = loss->high = i;
			loss->low = i;
		}
		last = share;
		found = column->cost[FOUND].at[at];
	}
	loss->before = best;
	loss->after = last;
	*lost = (best - last) / 100 * found;
	return last < best;
}

static bool
show_file(struct series *series, const struct column *column)
{
	struct curve *curve = add_curve(series, "file");

	if (curve == NULL)
		return false;
	curve->name = series->files.path.at[column->id - 1];
	curve->percent = true;
	for (size_t i = 0; i < series->run.n; i++) {
		size_t at = series->order[i];

		curve->value[i] = percent_of(
		    column->cost[HIT].at[at], column->cost[FOUND].at[at]);
	}
	curve->change = cg_alloc(series->args->job, sizeof(*curve->change));
	if (curve->change == NULL)
		return false;
	curve->changes = 1;
	return find_loss(series, column, curve->change, &curve->size);
}

static bool
show_lost_files(struct series *series)
{
	CG_ARRAY(struct candidate) all = { 0 };
	struct change loss = { .at = SIZE_MAX };
	bool ok = true;

	for (size_t i = 0; ok && i < series->costs.column.n; i++) {
		struct candidate file = { .column =
					      &series->costs.column.at[i] };

		if (find_loss(series, file.column, &loss, &file.size))
			ok = cg_append(series->args->job, &all, file);
	}
	if (ok && all.n > 1)
		qsort(all.at, all.n, sizeof(*all.at), compare_candidates);
	for (size_t i = 0; ok && i < all.n && i < series->top; i++)
		ok = show_file(series, all.at[i].column);
	series->unlisted = all.n > series->top ? all.n - series->top : 0;
	return ok;
}

static bool
make_coverage_curves(struct series *series)
{
	bool ok = true;

	for (int i = 0; ok && i < METRICS; i++)
		ok = add_metric(series, i);
	series->comparisons = series->totals;
	for (size_t i = 0; ok && i < series->totals; i++)
		ok = judge_curve(series, &series->curve.at[i], true);
	return ok && show_lost_files(series);
}

bool
make_curves(struct series *series)
{
	return make_room(series) &&
	       (series->coverage ? make_coverage_curves(series)
				 : make_cost_curves(series));
}

/* ---- Causes -------------------------------------------------------------- */

bool
next_cause(const struct series *series, const struct change *change, size_t *i,
    const struct change **cause)
{
	if (*i < series->totals)
		*i = series->totals;
	for (; *i < series->curve.n; ++*i) {
		const struct curve *curve = &series->curve.at[*i];

		for (size_t k = 0; k < curve->changes; k++) {
			*cause = &curve->change[k];
			if (strcmp(curve->kind, "self") == 0 &&
			    (*cause)->low <= change->high &&
			    (*cause)->high >= change->low) {
				++*i;
				return true;
			}
		}
	}
	return false;
}
