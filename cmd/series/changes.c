/*
 * changes.c - where does the level of a series of numbers change?
 *
 * A series is split in two at the place where both sides differ most, if they
 * differ for certain, and each side again (binary segmentation: L. Vostrikova,
 * Soviet Mathematics Doklady 24 (1981), 55-59). As a level that is left again
 * may not show in the whole, parts of it are tried, too, each half as long as
 * those before (S. Kovacs, H. Li, P. Buehlmann and A. Munk, Seeded binary
 * segmentation, Biometrika 110 (2023), 249-256).
 *
 * Each split is a test of Mann and Whitney (Annals of Mathematical Statistics
 * 18 (1947), 50-60), which compares ranks only: it presumes nothing about the
 * noise but that runs do not depend on each other, and a single run, however
 * far off, moves it by one rank. All splits get an equal part of the error rate
 * (Bonferroni), and a side gets its share of the error rate by its length, so
 * that the rate is that of any false change in the whole series.
 *
 * The interval: if the level began elsewhere, the numbers between there and the
 * split belong to the other level. The ratio of both likelihoods, of normal
 * distributions with the medians and the spread of the two levels, is a
 * martingale with mean 1: on either side it exceeds 2 / INTERVAL_RATE with a
 * probability of INTERVAL_RATE / 2 at most (J. Ville, Etude critique de la
 * notion de collectif, 1939). A number counts for RATIO_MAX at most, so that an
 * outlier decides nothing.
 *
 * Changes in one direction may be steps of a slope: if a line fits the ranks
 * better, by the criterion of G. Schwarz (Annals of Statistics 6 (1978),
 * 461-464), they are a drift.
 *
 * Numbers without noise need no test: levels are ranges of equal numbers,
 * and one number alone between two levels is an outlier. If most numbers differ
 * from their neighbours, there is noise after all.
 */
#include "changes.h"

#include <math.h>
#include <stdlib.h>

#define INTERVAL_RATE 0.01
#define RATIO_MAX 6.0    /* of logarithms */
#define DRIFT_MARGIN 6.0 /* of the criterion: strong evidence */
#define Z_MIN 2.5 /* a split below it is not certain at any useful rate */
/* Above, the normal distribution is close enough. */
#define EXACT_SIDE 50
#define EXACT_PAIRS 1024
#define PART_MIN 12 /* fewer numbers have no certain split */

/* ---- Medians and ranks --------------------------------------------------- */

static int
compare_numbers(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

double
median_of(double *value, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(value, n, sizeof(*value), compare_numbers);
	return n % 2 ? value[n / 2] : value[n / 2 - 1] / 2 + value[n / 2] / 2;
}

static double
median_between(const struct changes_room *room, const double *value,
    size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		room->value[i - begin] = value[i];
	return median_of(room->value, end - begin);
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	return (a->value > b->value) - (a->value < b->value);
}

/*
 * Sets room->place: the ranks of n numbers minus their mean, and the groups of
 * equal numbers, which share a rank. Overwrites room->sorted. Returns the sum
 * of the squares of the ranks; 0: all numbers are equal.
 */
static double
rank_numbers(const struct changes_room *room, const double *value, size_t n)
{
	const struct place *sorted = room->sorted;
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		room->sorted[i] = (struct place){ .value = value[i], .at = i };
	qsort(room->sorted, n, sizeof(*room->sorted), compare_places);
	for (size_t i = 0, end; i < n; i = end) {
		double rank;

		for (end = i + 1; end < n; end++) {
			if (sorted[end].value != sorted[i].value)
				break;
		}
		rank = ((double)i + (double)end - (double)n) / 2;
		for (size_t k = i; k < end; k++) {
			room->place[sorted[k].at].rank = rank;
			room->place[sorted[k].at].group = i;
		}
		room->place[i].equal = end - i;
		room->place[i].before = 0;
		squares += rank * rank * (double)(end - i);
	}
	return squares;
}

/* ---- The test of a split ------------------------------------------------- */

static double
normal_probability(size_t m, size_t n, double u)
{
	double mean = (double)m * (double)n / 2;

	return erfc((mean - u) / sqrt(mean * (double)(m + n + 1) / 3));
}

/*
 * Is exact if the smaller side has at most EXACT_SIDE numbers, and u is below
 * EXACT_PAIRS. Else takes the normal distribution, whose thicker tail only
 * misses changes of few runs.
 */
double
separation_probability(size_t m, size_t n, double u)
{
	double way[EXACT_PAIRS] = { 1 }, sum = 0, all = 1;
	size_t pairs = (size_t)fmin(u, EXACT_PAIRS) + 1;

	if (m > n)
		return separation_probability(n, m, u);
	if (m > EXACT_SIDE || pairs > EXACT_PAIRS)
		return normal_probability(m, n, u);
	/*
	 * The number of ways in which m numbers have j exceptions among n
	 * others is the coefficient of q^j in the product of (1 - q^(n + i)) /
	 * (1 - q^i), i from 1 to m (Mann and Whitney give the recurrence).
	 */
	for (size_t i = 1; i <= m; i++) {
		for (size_t j = pairs; j-- > n + i;)
			way[j] -= way[j - n - i];
		for (size_t j = i; j < pairs; j++)
			way[j] += way[j - i];
		all *= (double)(n + i) / (double)i;
	}
	for (size_t j = 0; j < pairs; j++)
		sum += way[j];
	return fmin(2 * sum / all, 1);
}

/*
 * Finds the split of n numbers that separates them best: by at least Z_MIN and
 * more than *best standard deviations. It must be chance with a probability of
 * at most limit. Returns the index right of it, and sets *best; 0: none.
 * Overwrites ranks.
 */
static size_t
find_split(const struct changes_room *room, const double *value, size_t n,
    double limit, double *best)
{
	double squares = rank_numbers(room, value, n), sum = 0;
	double pairs_equal = 0;
	size_t split = 0;

	for (size_t k = 1; squares > 0 && k < n; k++) {
		struct place *last = &room->place[k - 1];
		struct place *group = &room->place[last->group];
		double sides = (double)k * (double)(n - k), z, u;

		sum += last->rank;
		pairs_equal +=
		    (double)group->equal - 2 * (double)group->before - 1;
		group->before++;
		z = fabs(sum) /
		    sqrt(sides * squares / ((double)n * (double)(n - 1)));
		if (z < Z_MIN || z <= *best)
			continue;
		u = sides / 2 - fabs(sum) + pairs_equal / 2;
		if (normal_probability(k, n - k, u) > limit &&
		    separation_probability(k, n - k, u) > limit)
			continue;
		*best = z;
		split = k;
	}
	return split;
}

/* ---- Segmentation -------------------------------------------------------- */

struct segmentation {
	const struct changes_room *room;
	const double *value;
	size_t n, count; /* changes */
	double error_rate;
};

/* A part of a range of numbers that is searched for a split. */
struct part {
	size_t begin, end;
	size_t length; /* of parts that do not end with the range */
};

/*
 * Sets *part, all zeros at first, to the next part of n numbers: all of them,
 * then overlapping parts of half the length, then of half that, and so on.
 * False: parts would be shorter than PART_MIN.
 */
static bool
next_part(struct part *part, size_t n)
{
	if (part->length == 0) {
		part->length = n;
	} else if (part->end < n) {
		part->begin += part->length / 2;
	} else {
		part->length = (part->length + 1) / 2;
		part->begin = 0;
		if (part->length < PART_MIN)
			return false;
	}
	part->end = part->begin + part->length;
	if (part->end > n)
		part->end = n;
	return true;
}

/*
 * Finds the best certain split of the numbers from begin to end - 1, also
 * within parts of them if `parts` is set. Returns the index of the first
 * number on its right; 0: there is none.
 */
static size_t
split_of(const struct segmentation *s, size_t begin, size_t end, bool parts)
{
	size_t n = end - begin, splits = 0, found = 0, at;
	/* Numbers get a share of the error rate by their count. */
	double limit = s->error_rate * (double)n / (double)s->n, best = 0;

	for (struct part part = { 0 }; next_part(&part, n) && n > 1;) {
		splits += part.end - part.begin - 1;
		if (!parts)
			break;
	}
	for (struct part part = { 0 }; next_part(&part, n) && n > 1;) {
		at = find_split(s->room, s->value + begin + part.begin,
		    part.end - part.begin, limit / (double)splits, &best);
		if (at > 0)
			found = begin + part.begin + at;
		if (!parts)
			break;
	}
	return found;
}

/*
 * Appends all certain splits of the numbers from begin to end - 1 to
 * room->change, in no order: splits them in two, and then each side again.
 */
static void
split_all(struct segmentation *s, size_t begin, size_t end)
{
	size_t at;

	while (end - begin > 1 && (at = split_of(s, begin, end, true)) > 0) {
		s->room->change[s->count++].at = at;
		/* Recursing into the shorter side limits the depth. */
		if (at - begin < end - at) {
			split_all(s, begin, at);
			begin = at;
		} else {
			split_all(s, at, end);
			end = at;
		}
	}
}

static int
compare_changes(const void *pa, const void *pb)
{
	const struct change *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

static size_t
begin_before(const struct segmentation *s, size_t i)
{
	return i > 0 ? s->room->change[i - 1].at : 0;
}

static size_t
end_after(const struct segmentation *s, size_t i)
{
	return i + 1 < s->count ? s->room->change[i + 1].at : s->n;
}

/*
 * Tests each change again, between its neighbours, which were not known when
 * it was found: moves it to the best split there, or removes it if there is
 * none. The changes are sorted.
 */
static void
refine(struct segmentation *s)
{
	struct change *change = s->room->change;

	for (size_t i = 0; i < s->count;) {
		size_t at =
		    split_of(s, begin_before(s, i), end_after(s, i), false);

		if (at > 0) {
			change[i++].at = at;
			continue;
		}
		s->count--;
		for (size_t k = i; k < s->count; k++)
			change[k] = change[k + 1];
	}
}

/* ---- Levels and intervals ------------------------------------------------ */

static void
find_levels(struct segmentation *s)
{
	struct change *change = s->room->change;

	for (size_t i = 0; i < s->count; i++) {
		change[i].before = median_between(
		    s->room, s->value, begin_before(s, i), change[i].at);
		change[i].after = median_between(
		    s->room, s->value, change[i].at, end_after(s, i));
		change[i].low = change[i].high = change[i].at;
		change[i].drift = false;
	}
}

/*
 * Returns twice the variance of the numbers from begin to end - 1 around the
 * two levels of a change. It is estimated from their mean deviation, as a
 * square would count outliers for more.
 */
static double
spread_of(const struct segmentation *s, const struct change *change,
    size_t begin, size_t end)
{
	double sum = 0, n = (double)(end - begin), mean;

	for (size_t i = begin; i < end; i++)
		sum += fabs(s->value[i] -
			    (i < change->at ? change->before : change->after));
	mean = sum / n;
	/* The mean deviation of a normal distribution: sqrt(2 / pi). */
	return mean * mean * 3.14159265358979 * n / fmax(n - 2, 1);
}

/*
 * Returns how much more likely the number belongs to the right level of a
 * change than to the left one: a logarithm, limited to RATIO_MAX either way.
 * spread: twice the variance; 0 gives one of the limits.
 */
static double
ratio_of(const struct change *change, double value, double spread)
{
	double left = value - change->before, right = value - change->after;
	double ratio = left * left - right * right;

	if (spread <= 0)
		return ratio > 0 ? RATIO_MAX : -RATIO_MAX;
	return fmin(fmax(ratio / spread, -RATIO_MAX), RATIO_MAX);
}

/*
 * Moves the change to the most likely place, which ranks find only nearly.
 * Both levels are the numbers from begin to end - 1. spread: twice the
 * variance around the levels. The interval becomes this place.
 */
static void
move_change(struct change *change, const struct segmentation *s, size_t begin,
    size_t end, double spread)
{
	double sum = 0, least = INFINITY;
	size_t at = change->at;

	for (size_t i = begin; i + 1 < end; i++) {
		sum += ratio_of(change, s->value[i], spread);
		if (sum < least) {
			least = sum;
			at = i + 1;
		}
	}
	change->at = change->low = change->high = at;
}

static void
find_interval(const struct segmentation *s, size_t number)
{
	struct change *change = &s->room->change[number];
	size_t begin = begin_before(s, number), end = end_after(s, number);
	double spread = spread_of(s, change, begin, end);
	double limit = log(2 / INTERVAL_RATE), sum = 0;

	move_change(change, s, begin, end, spread);

	for (size_t i = change->at; i + 1 < end; i++) {
		sum += ratio_of(change, s->value[i], spread);
		if (sum < limit)
			change->high = i + 1;
	}
	sum = 0;
	for (size_t i = change->at; i-- > begin + 1;) {
		sum -= ratio_of(change, s->value[i], spread);
		if (sum < limit)
			change->low = i;
	}
}

/* ---- Drifts -------------------------------------------------------------- */

/*
 * Returns the sum of squares of ranks around the means of their levels: those
 * before, between and after the changes first to last. squares: the sum around
 * 0. begin: index of the number with the first rank.
 */
static double
squares_around_levels(const struct segmentation *s, size_t first, size_t last,
    size_t begin, double squares)
{
	for (size_t i = first; i <= last + 1; i++) {
		size_t from = begin_before(s, i);
		size_t to =
		    i <= last ? s->room->change[i].at : end_after(s, last);
		double sum = 0;

		for (size_t k = from; k < to; k++)
			sum += s->room->place[k - begin].rank;
		squares -= sum * sum / (double)(to - from);
	}
	return squares;
}

/*
 * Returns the sum of the squared distances of n ranks from the line that fits
 * them best. The ranks in s->room->place must have mean 0, as those of
 * rank_numbers(). "squares" is the sum of their squares.
 */
static double
squares_around_line(const struct segmentation *s, size_t n, double squares)
{
	double sum = 0, middle = ((double)n - 1) / 2;

	for (size_t i = 0; i < n; i++)
		sum += ((double)i - middle) * s->room->place[i].rank;
	return squares -
	       sum * sum * 12 / ((double)n * ((double)n * (double)n - 1));
}

/*
 * Returns true if the changes "first" to "last" (included) are one slope
 * rather than steps. Compares how a line and constant levels fit the ranks of
 * the numbers around these changes. Schwarz's criterion penalizes levels, as
 * they have more parameters. Overwrites s->room->place.
 */
static bool
is_drift(const struct segmentation *s, size_t first, size_t last)
{
	size_t begin = begin_before(s, first), n = end_after(s, last) - begin;
	double squares = rank_numbers(s->room, s->value + begin, n);
	double levels = squares_around_levels(s, first, last, begin, squares);
	double line = squares_around_line(s, n, squares);
	/* A level and its place are two parameters, a line has two. */
	double more = 2 * (double)(last - first + 1) + 1 - 2;

	return (double)n * log(line / levels) + DRIFT_MARGIN <
	       more * log((double)n);
}

/*
 * Joins adjacent changes that form a slope into the first of them, and marks
 * it as a drift. Its interval then covers the levels before and after. A
 * single change may be a drift, too.
 */
static void
join_drifts(struct segmentation *s)
{
	struct change *change = s->room->change;
	size_t kept = 0;

	for (size_t i = 0, last; i < s->count; i = last + 1) {
		bool up = change[i].after > change[i].before;

		for (last = i; last + 1 < s->count; last++) {
			const struct change *next = &change[last + 1];

			if ((next->after > next->before) != up)
				break;
		}
		if (!is_drift(s, i, last))
			continue;
		change[i].drift = true;
		change[i].after = change[last].after;
		change[i].low = begin_before(s, i);
		change[i].high = end_after(s, last) - 1;
		/* Removed below: until then their places end levels. */
		for (size_t k = i + 1; k <= last; k++)
			change[k].low = change[k].high + 1;
	}
	for (size_t i = 0; i < s->count; i++) {
		if (change[i].low <= change[i].high)
			change[kept++] = change[i];
	}
	s->count = kept;
}

/* ---- Numbers without noise ----------------------------------------------- */

/*
 * Returns the index after the last of the equal numbers that begin at `begin`.
 */
static size_t
stretch_end(const struct segmentation *s, size_t begin)
{
	size_t end = begin + 1;

	while (end < s->n && s->value[end] == s->value[begin])
		end++;
	return end;
}

/*
 * Returns true if at least half of the numbers are equal to a neighbour. The
 * first and the last number count as equal to one, as they may end or begin a
 * level.
 */
static bool
has_levels(const struct segmentation *s)
{
	size_t alone = 0;

	for (size_t i = 0, end; i < s->n; i = end) {
		end = stretch_end(s, i);
		alone += end - i == 1 && i > 0 && end < s->n;
	}
	return 2 * alone <= s->n;
}

/*
 * Appends to room->change, in order, where one level ends and another begins.
 * A single number between others, unless at the level before, is an outlier;
 * the next change's interval has it. s has at least one number.
 */
static void
list_levels(struct segmentation *s)
{
	double before = s->value[0];
	size_t ended = 0;

	for (size_t i = 0, end; i < s->n; i = end) {
		end = stretch_end(s, i);
		if (end - i == 1 && i > 0 && end < s->n &&
		    s->value[i] != before)
			continue;
		if (s->value[i] != before)
			s->room->change[s->count++] = (struct change){ .at = i,
				.low = ended,
				.high = i,
				.before = before,
				.after = s->value[i] };
		before = s->value[i];
		ended = end;
	}
}

size_t
find_changes(const double *value, size_t n, double error_rate, bool exact,
    const struct changes_room *room)
{
	struct segmentation s = {
		.room = room, .value = value, .n = n, .error_rate = error_rate
	};

	if (n == 0)
		return 0;
	if (exact && has_levels(&s)) {
		list_levels(&s);
		return s.count;
	}
	split_all(&s, 0, n);
	if (s.count > 1)
		qsort(room->change, s.count, sizeof(*room->change),
		    compare_changes);
	refine(&s);
	find_levels(&s);
	for (size_t i = 0; i < s.count; i++)
		find_interval(&s, i);
	join_drifts(&s);
	return s.count;
}
