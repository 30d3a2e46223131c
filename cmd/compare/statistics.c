/*
 * statistics.c - is the change between two sides real, or noise?
 *
 * Several runs: Welch's t-test. The difference of the means is divided by its
 * standard error, which each side's own spread gives; the degrees of freedom
 * are those of Welch and Satterthwaite (B. L. Welch, Biometrika 34 (1947),
 * 28-35). The interval is that of the difference, as a share of the mean
 * before. If one side has a single run, the spread of the other is taken for
 * both, which is Student's test.
 *
 * One run on each side: numbers of samples follow a Poisson distribution. Given
 * their sum, the number after is binomial, whatever the rates are
 * (J. Przyborowski and H. Wilenski, Biometrika 31 (1940), 313-323), and its
 * share has the exact interval of Clopper and Pearson (Biometrika 26 (1934),
 * 404-413). The ratio of the rates follows from the share.
 *
 * Both distributions are incomplete beta functions: DLMF 8.17.22, a continued
 * fraction, evaluated as in DLMF 3.10(iii) from its front (Lentz, Thompson and
 * Barnett). An interval contains 0 exactly if its test finds no change.
 */
#include "statistics.h"

#include <math.h>

enum { BEFORE, AFTER };

/*
 * Numbers of samples above this one are scaled down to it: the interval is
 * wider then than it could be, by less than 0.3 % of the cost, and a damaged
 * input costs no hours. The fraction needs about the root of it in terms.
 */
#define COUNT_MAX 1e7
#define TERMS_MAX 100000
#define STEPS 200 /* of a bisection; it ends when the interval is one number */

/* ---- The incomplete beta function ---------------------------------------- */

/*
 * Returns coefficient d_n, n from 1 on, of the continued fraction 1 + d_1 / (1
 * + d_2 / (1 + ...)) for the incomplete beta function (DLMF 8.17.22).
 */
static double
coefficient(unsigned n, double a, double b, double x)
{
	double m = n / 2;

	if (n % 2 == 0)
		return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
	return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
}

static double
away_from_zero(double x)
{
	return fabs(x) < 1e-300 ? 1e-300 : x;
}

/*
 * Returns the value of the continued fraction 1 + d_1 / (1 + d_2 / (1 + ...))
 * of the incomplete beta function I_x(a, b), by Lentz's method; NAN: it does
 * not converge within TERMS_MAX terms.
 */
static double
continued_fraction(double a, double b, double x)
{
	double value = 1, c = 1, d = 0;

	for (unsigned n = 1; n < TERMS_MAX; n++) {
		double term = coefficient(n, a, b, x);

		d = 1 / away_from_zero(1 + term * d);
		c = away_from_zero(1 + term / c);
		value *= c * d;
		if (fabs(c * d - 1) < 1e-15)
			return value;
	}
	return NAN;
}

double
incomplete_beta(double a, double b, double x)
{
	double factor;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	/* The fraction converges fast below the mean. */
	if (x > (a + 1) / (a + b + 2))
		return 1 - incomplete_beta(b, a, 1 - x);
	factor = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) -
		     lgamma(b)) /
		 a;
	return factor / continued_fraction(a, b, x);
}

double
beta_quantile(double p, double a, double b)
{
	double low = 0, high = 1, middle = 0.5;

	for (int i = 0; i < STEPS && middle > low && middle < high; i++) {
		if (incomplete_beta(a, b, middle) < p)
			low = middle;
		else
			high = middle;
		middle = low + (high - low) / 2;
	}
	return middle;
}

/* ---- Means --------------------------------------------------------------- */

double
t_probability(double t, double freedom)
{
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double
t_quantile(double p, double freedom)
{
	double x = beta_quantile(p, freedom / 2, 0.5);

	return sqrt(freedom * (1 - x) / x);
}

/*
 * Returns the variance of the mean of side s: that of its runs, at least
 * least[s], divided by their number. A single run has no spread, so that of
 * the other side is taken.
 */
static double
variance_of_mean(const struct side side[2], const double least[2], int s)
{
	const struct side *from = side[s].runs > 1 ? &side[s] : &side[1 - s];

	return fmax(from->variance, least[s]) / (double)side[s].runs;
}

static double
degrees_of_freedom(const struct side side[2], const double variance[2])
{
	double sum = variance[BEFORE] + variance[AFTER], parts = 0;

	for (int s = 0; s < 2; s++) {
		if (side[s].runs == 1)
			return fmax((double)side[1 - s].runs - 1, 1);
		parts += variance[s] * variance[s] / ((double)side[s].runs - 1);
	}
	return parts > 0 ? sum * sum / parts : 1;
}

struct judged
judge_means(const struct side side[2], const double least[2], double level)
{
	const double variance[2] = { variance_of_mean(side, least, BEFORE),
		variance_of_mean(side, least, AFTER) };
	double freedom = degrees_of_freedom(side, variance);
	double change = side[AFTER].mean - side[BEFORE].mean, width = 0;
	double error = sqrt(variance[BEFORE] + variance[AFTER]);
	struct judged judged = { .low = NAN, .high = NAN };

	if (error > 0) {
		judged.p = t_probability(change / error, freedom);
		width = error * t_quantile(level, freedom);
	} else {
		/* All runs of a side are equal. */
		judged.p = change == 0;
	}
	judged.real = judged.p < level;
	if (side[BEFORE].mean > 0) {
		judged.low = fmax((change - width) / side[BEFORE].mean,
		    side[AFTER].mean < 0 ? -INFINITY : -1);
		judged.high = (change + width) / side[BEFORE].mean;
	}
	return judged;
}

/* ---- Counts -------------------------------------------------------------- */

struct judged
judge_counts(const double count[2], const double size[2], double level)
{
	double sum = count[BEFORE] + count[AFTER];
	double scale = sum > COUNT_MAX ? COUNT_MAX / sum : 1;
	double before = count[BEFORE] * scale, after = count[AFTER] * scale;
	double share = size[AFTER] / (size[BEFORE] + size[AFTER]);
	double ratio = size[BEFORE] / size[AFTER];
	double low = 0, high = 1, more = 1, less = 1;
	struct judged judged = { .low = NAN, .high = NAN };

	if (after > 0) {
		more = incomplete_beta(after, before + 1, share);
		low = beta_quantile(level / 2, after, before + 1);
	}
	if (before > 0) {
		less = incomplete_beta(before, after + 1, 1 - share);
		high = 1 - beta_quantile(level / 2, before, after + 1);
	}
	judged.p = fmin(1, 2 * fmin(more, less));
	judged.real = judged.p < level;
	if (before > 0) {
		judged.low = low / (1 - low) * ratio - 1;
		judged.high = high / (1 - high) * ratio - 1;
	}
	return judged;
}
