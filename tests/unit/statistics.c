/*
 * statistics.c - the statistics of --diff: distributions compared with
 * published tables, and how often synthetic runs raise a false alarm or hide a
 * change.
 */
#include <math.h>

#include "../../cmd/compare/statistics.c"
#include "unit.h"

static bool
is_near(double a, double b, double error)
{
	return fabs(a - b) <= error;
}

/* ---- Tables -------------------------------------------------------------- */

static void
check_beta(void)
{
	/* Closed forms: x^a; 1 - (1 - x)^b; arcsine; a sum of binomials. */
	CHECK(is_near(incomplete_beta(3, 1, 0.3), 0.027, 1e-14));
	CHECK(is_near(incomplete_beta(1, 4, 0.3), 1 - 0.2401, 1e-14));
	CHECK(is_near(incomplete_beta(0.5, 0.5, 0.25), 1.0 / 3, 1e-14));
	CHECK(is_near(incomplete_beta(3, 8, 0.4), 0.8327102464, 1e-12));
	CHECK(is_near(incomplete_beta(5e6, 5e6, 0.5), 0.5, 1e-7));
	CHECK(incomplete_beta(2, 3, 0) == 0 && incomplete_beta(2, 3, 1) == 1);
	for (double p = 1e-12; p < 1; p = p * 3 + 1e-3)
		CHECK(is_near(
		    incomplete_beta(7.5, 2.5, beta_quantile(p, 7.5, 2.5)), p,
		    1e-9 * p + 1e-14));
}

/*
 * Percentage points of Student's t: NIST/SEMATECH e-Handbook of Statistical
 * Methods, 1.3.6.7.2, one-sided there.
 */
static void
check_t(void)
{
	static const struct {
		double freedom, one_sided, t;
	} points[] = {
		{ 1, 0.05, 6.314 },
		{ 1, 0.01, 31.821 },
		{ 2, 0.025, 4.303 },
		{ 4, 0.01, 3.747 },
		{ 9, 0.005, 3.250 },
		{ 10, 0.001, 4.143 },
		{ 18, 0.025, 2.101 },
		{ 30, 0.05, 1.697 },
		{ 100, 0.001, 3.174 },
	};

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		double p = 2 * points[i].one_sided, f = points[i].freedom;

		CHECK(is_near(t_quantile(p, f), points[i].t, 1e-3));
		CHECK(is_near(t_probability(points[i].t, f), p, p * 3e-3));
	}
}

/*
 * Limits of Clopper and Pearson at 95 %: 0 of 10 and 3 of 10 in the tables of
 * their article, and the closed form 1 - (level / 2)^(1 / n) for 0 of n.
 */
static void
check_counts(void)
{
	static const double same[2] = { 1, 1 };
	struct judged judged =
	    judge_counts((const double[2]){ 7, 3 }, same, 0.05);
	double low = 0.06674, high = 0.65245, limit = 1 - pow(0.025, 0.1);

	CHECK(is_near(judged.low, low / (1 - low) - 1, 1e-4));
	CHECK(is_near(judged.high, high / (1 - high) - 1, 1e-4));
	CHECK(is_near(judged.p, 2 * 176.0 / 1024, 1e-12));
	CHECK(!judged.real);
	judged = judge_counts((const double[2]){ 10, 0 }, same, 0.05);
	CHECK(judged.low == -1 && judged.real);
	CHECK(is_near(judged.high, limit / (1 - limit) - 1, 1e-9));
	CHECK(is_near(judged.p, 2.0 / 1024, 1e-12));
	/* Nothing before: the change has no percentage. */
	judged = judge_counts((const double[2]){ 0, 10 }, same, 0.05);
	CHECK(isnan(judged.low) && isnan(judged.high) && judged.real);
	judged = judge_counts((const double[2]){ 0, 0 }, same, 0.05);
	CHECK(!judged.real && judged.p == 1);
	/* Twice as much of twice as much is no change. */
	judged = judge_counts((const double[2]){ 1000, 2000 },
	    (const double[2]){ 5000, 10000 }, 0.01);
	CHECK(!judged.real && judged.low < 0 && judged.high > 0);
	judged = judge_counts((const double[2]){ 1e18, 1.01e18 }, same, 1e-6);
	CHECK(judged.real && is_near(judged.low, 0.01, 0.005));
}

static void
check_means(void)
{
	static const double none[2] = { 0, 0 };
	/* Variances of the means: 1 and 2. */
	struct side side[2] = { { 4, 100, 4 }, { 6, 110, 12 } };
	struct judged judged = judge_means(side, none, 0.05);
	double freedom = 9 / (1.0 / 3 + 4.0 / 5);
	double width = sqrt(3) * t_quantile(0.05, freedom) / 100;

	CHECK(is_near(judged.p, t_probability(10 / sqrt(3), freedom), 1e-15));
	CHECK(is_near(judged.low, 0.1 - width, 1e-12));
	CHECK(is_near(judged.high, 0.1 + width, 1e-12));
	/* A least variance is none too small. */
	judged = judge_means(side, (const double[2]){ 100, 110 }, 0.05);
	CHECK(!judged.real && judged.low < 0);
	/* Equal runs are exact. */
	side[0].variance = side[1].variance = 0;
	judged = judge_means(side, none, 1e-9);
	CHECK(judged.real && judged.low == 0.1 && judged.high == 0.1);
	side[1].mean = 100;
	CHECK(!judge_means(side, none, 0.5).real);
	/* One run gets the spread of the other side, with n - 1 = 3 degrees. */
	side[0].variance = 4;
	side[1] = (struct side){ 1, 110, 0 };
	judged = judge_means(side, none, 0.05);
	CHECK(is_near(judged.p, t_probability(10 / sqrt(5), 3), 1e-15));
}

/* ---- Synthetic runs ------------------------------------------------------ */

/*
 * Runs of 20,000 samples in 40 functions; the first has 5 %. All functions and
 * the total are compared, at an error rate of 1 % together.
 */
#define SAMPLES 20000
#define FUNCTIONS 40
#define COMPARED (FUNCTIONS + 1)
#define RUNS 10
#define PAIRS 200
/* Inclusive and self costs of each function, and the total. */
#define LEVEL (0.01 / (2 * FUNCTIONS + 1))

/* Returns a number with a Poisson distribution: Knuth's method, in steps. */
static double
poisson(uint64_t *random, double mean)
{
	double count = 0;

	while (mean > 0) {
		double step = mean > 500 ? 500 : mean, product = 1;
		double limit = exp(-step);

		mean -= step;
		while ((product *= (double)(unit_random(random) >> 11) *
				   0x1p-53) > limit)
			count++;
	}
	return count;
}

/* Makes a run: costs of all functions, then the total. */
static void
make_run(uint64_t *random, double all, double first, double run[COMPARED])
{
	run[FUNCTIONS] = 0;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		double share = i == 0 ? 0.05 * first : 0.95 / (FUNCTIONS - 1);

		run[i] = poisson(random, SAMPLES * share * all);
		run[FUNCTIONS] += run[i];
	}
}

static struct side
make_side(double (*run)[COMPARED], size_t runs, size_t of)
{
	struct side side = { .runs = runs };

	for (size_t i = 0; i < runs; i++)
		side.mean += run[i][of] / (double)runs;
	for (size_t i = 0; i < runs && runs > 1; i++)
		side.variance += (run[i][of] - side.mean) *
				 (run[i][of] - side.mean) / (double)(runs - 1);
	return side;
}

/* What was found in all pairs. */
struct found {
	unsigned alarms; /* pairs with any real change */
	unsigned first, total;
};

/* Judges pairs of sides whose second has more of all, and of the first. */
static struct found
judge_pairs(size_t runs, double all, double first)
{
	static double run[2][RUNS][COMPARED];
	uint64_t random = 20261129;
	struct found found = { 0 };

	for (unsigned pair = 0; pair < PAIRS; pair++) {
		bool any = false;

		for (size_t i = 0; i < runs; i++) {
			make_run(&random, 1, 1, run[0][i]);
			make_run(&random, all, first, run[1][i]);
		}
		for (size_t of = 0; of < COMPARED; of++) {
			const struct side side[2] = { make_side(
							  run[0], runs, of),
				make_side(run[1], runs, of) };
			const double mean[2] = { side[0].mean, side[1].mean };
			const double same[2] = { 1, 1 };
			bool real = runs > 1
					? judge_means(side, mean, LEVEL).real
					: judge_counts(mean, same, LEVEL).real;

			any |= real;
			found.first += real && of == 0;
			found.total += real && of == FUNCTIONS;
		}
		found.alarms += any;
	}
	return found;
}

static void
check_pairs(void)
{
	struct found same = judge_pairs(RUNS, 1, 1);
	struct found three = judge_pairs(3, 1, 1), one = judge_pairs(1, 1, 1);
	struct found more = judge_pairs(RUNS, 1, 1.1);
	struct found all = judge_pairs(RUNS, 1.03, 1);

	printf("false alarms of %d pairs: %u of 10 runs, %u of 3, %u of 1; "
	       "found: %u of +10 %% in a function of 5 %%, %u of +3 %% in the "
	       "total\n",
	    PAIRS, same.alarms, three.alarms, one.alarms, more.first,
	    all.total);
	CHECK(same.alarms <= PAIRS / 100);
	CHECK(three.alarms <= PAIRS / 100);
	CHECK(one.alarms <= PAIRS / 100);
	CHECK(more.first >= PAIRS * 9 / 10);
	CHECK(all.total >= PAIRS * 9 / 10);
}

int
main(void)
{
	check_beta();
	check_t();
	check_counts();
	check_means();
	check_pairs();
	return unit_end();
}
