/*
 * changes.h - where does the level of a series of numbers change?
 */
#ifndef CHANGES_H
#define CHANGES_H

#include <stdbool.h>
#include <stddef.h>

/* Positions are indexes of the series, from 0. */
struct change {
	size_t at;        /* the first number of the new level */
	size_t low, high; /* the interval of at */
	bool drift;       /* no step, but a slope: from low to high */
	double before, after; /* medians of both levels; of a drift: of its ends */
};

/* A number of the series, and what its rank is made of. */
struct place {
	double value;
	size_t at;
	double rank;   /* minus the mean */
	size_t group;  /* of equal numbers: the first place */
	size_t equal;  /* by group: how many there are, */
	size_t before; /* and how many of them the split has on its left */
};

/* The memory of find_changes(): arrays of n elements. */
struct changes_room {
	struct change *change; /* what was found */
	struct place *place, *sorted;
	double *value;
};

/*
 * Finds the changes in n numbers, in their order. error_rate: how often a
 * series without any change may have one. exact: the numbers have no noise.
 * Returns how many elements of room->change were set.
 */
size_t find_changes(const double *value, size_t n, double error_rate,
    bool exact, const struct changes_room *room);
/* Returns the median of n numbers, which it sorts; NAN: n is 0. */
double median_of(double *value, size_t n);
/*
 * Returns the probability that chance puts m numbers on one side of n others,
 * but for u of the pairs, on either side. If numbers are equal, count their
 * pairs as exceptions: then the probability is not too small.
 */
double separation_probability(size_t m, size_t n, double u);

#endif
