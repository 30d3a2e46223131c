/*
 * statistics.h - is the change between two sides real, or noise?
 */
#ifndef STATISTICS_H
#define STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* The runs of one side. */
struct side {
	size_t runs;
	double mean;
	double variance; /* of a run; undefined if there is only one */
};

/* What the runs say about a change. */
struct judged {
	/*
	 * The interval of the change, as a share of the cost before: 0.1 is
	 * 10 % more, -1 is nothing left. An end may be infinite; both are NaN
	 * if nothing cost before.
	 */
	double low, high;
	double p; /* probability that noise makes a change at least as large */
	bool real;
};

/*
 * Returns the regularized incomplete beta function I_x(a, b); a and b are
 * positive. NAN: it does not converge, which takes numbers above 1e9.
 */
double incomplete_beta(double a, double b, double x);
/* Returns x of p = I_x(a, b). */
double beta_quantile(double p, double a, double b);
/*
 * Returns the probability of |t| at least this large, with this many degrees of
 * freedom.
 */
double t_probability(double t, double freedom);
/* Returns t of p = t_probability(t). */
double t_quantile(double p, double freedom);

/*
 * Compares means of several runs, on one side at least. least: the smallest
 * variances that are possible, such as those of counts. level: how often the
 * interval may miss the change.
 */
struct judged judge_means(
    const struct side[2], const double least[2], double level);
/*
 * Compares numbers of samples of two runs. size: what they are parts of, such
 * as the numbers of all samples; equal sizes compare the numbers themselves.
 */
struct judged judge_counts(
    const double count[2], const double size[2], double level);

#endif
