/*
 * conditions.c - finds the conditions that were shown to decide alone (MC/DC),
 * by the bitmap of a decision.
 *
 * Source: TVIdxBuilder, MCDCRecordProcessor and findIndependencePairs() in
 * CoverageMapping.cpp of LLVM.
 *
 * A test is a path through the conditions, which are nodes with one successor
 * for false and one for true. Each path has a bit in the bitmap, set if a run
 * has taken it. Two paths that differ in one condition and in the outcome show
 * that the condition decides alone.
 */
#include <stdlib.h>
#include <string.h>

#include "profile.h"

/* Limit of tests that ran, of one decision: all pairs of them are compared. */
#define TESTS_MAX 1024

struct node {
	int next[2];
	unsigned ways_in; /* conditions that lead to it */
	uint64_t width;   /* paths that lead to it */
	uint64_t index[2];
};

struct test {
	uint64_t value, known; /* bits by id of a condition */
};

struct decision {
	const struct llvm_counts *counts;
	struct node node[LLVM_TERMS_MAX];
	size_t nodes;
	uint64_t bitmap; /* its place */
	uint64_t tests;  /* possible tests */
	size_t ran[2];
	bool too_many;
	struct test test[2][TESTS_MAX]; /* that ran, by outcome; not cleared */
};

static bool
set_nodes(struct decision *d, const struct llvm_term *term, size_t n)
{
	d->nodes = n;
	for (size_t i = 0; i < n; i++) {
		struct node *node = &d->node[term[i].id];

		for (int outcome = 0; outcome < 2; outcome++) {
			int next = term[i].next[outcome];

			if (next == 0 || next >= (int)n)
				return false;
			node->next[outcome] = next;
			if (next > 0)
				d->node[next].ways_in++;
		}
	}
	return d->node[0].ways_in == 0;
}

/*
 * An outcome of the decision, with the number of paths to its last condition.
 */
struct end {
	uint64_t width;
	unsigned order;
	int node, outcome;
};

/*
 * Compares exits of a decision for qsort(). An exit's last condition is
 * reached by a number of paths (width); the larger number comes first. Of
 * equal ones, the exit that was found first comes first. LLVM numbers paths in
 * this order.
 */
static int
compare_ends(const void *pa, const void *pb)
{
	const struct end *a = pa, *b = pb;

	return a->width != b->width ? LLVM_ORDER(b->width, a->width)
				    : LLVM_ORDER(a->order, b->order);
}

/*
 * Sets the width of each condition of a decision to the number of paths from
 * the decision's begin to the condition. All widths must be 0 before. Each
 * node's ways_in must be the number of outcomes that lead to the condition.
 * The function counts ways_in down to 0, so that it visits a condition after
 * all that lead to it.
 *
 * A path's number is the sum of the indexes of its outcomes. Sets the index of
 * each outcome so that no two paths to a condition have the same number. An
 * exit is an outcome that ends the decision. Appends each exit with its
 * condition to end[], which needs room for two exits of each condition. Adds
 * the number of exits to *ends, which must be 0 before. False: too many paths,
 * a cycle, or a condition that no path reaches.
 */
static bool
count_ways(struct decision *d, struct end *end, unsigned *ends)
{
	int queue[LLVM_TERMS_MAX];
	size_t first = 0, count = 0;

	queue[count++] = 0;
	d->node[0].width = 1;
	for (; first < count; first++) {
		struct node *node = &d->node[queue[first]];

		for (int outcome = 0; outcome < 2; outcome++) {
			int next = node->next[outcome];

			if (next < 0) {
				end[*ends] = (struct end){ node->width, *ends,
					queue[first], outcome };
				++*ends;
				continue;
			}
			node->index[outcome] = d->node[next].width;
			d->node[next].width += node->width;
			if (d->node[next].width > INT32_MAX)
				return false;
			if (--d->node[next].ways_in == 0)
				queue[count++] = next;
		}
	}
	return count == d->nodes;
}

static bool
number_tests(struct decision *d)
{
	struct end end[2 * LLVM_TERMS_MAX];
	unsigned ends = 0;

	if (!count_ways(d, end, &ends))
		return false;
	qsort(end, ends, sizeof(*end), compare_ends);
	for (unsigned i = 0; i < ends; i++) {
		d->node[end[i].node].index[end[i].outcome] = d->tests;
		d->tests += end[i].width;
	}
	return true;
}

static void
add_test(
    struct decision *d, const struct test *test, uint64_t number, int outcome)
{
	uint64_t bit = d->counts->by_terms ? d->bitmap * 8 + test->value
					   : d->bitmap - d->tests + number;

	if (!llvm_bit(d->counts, bit))
		return;
	if (d->ran[outcome] == TESTS_MAX)
		d->too_many = true;
	else
		d->test[outcome][d->ran[outcome]++] = *test;
}

/*
 * Adds a test for each path from the condition "node" to the end of the
 * decision. Only adds paths that a run took. The path's number is the sum of
 * the indexes of its outcomes. A run took the path if the bit with that number
 * is set in the bitmap. "test" has the conditions and outcomes before the
 * node, and "number" is the sum of their indexes. The depth of recursion is at
 * most the number of conditions.
 */
static void
find_tests(struct decision *d, struct test test, int node, uint64_t number)
{
	test.known |= UINT64_C(1) << node;
	for (int outcome = 0; outcome < 2; outcome++) {
		int next = d->node[node].next[outcome];
		uint64_t index = number + d->node[node].index[outcome];

		if (outcome)
			test.value |= UINT64_C(1) << node;
		if (next >= 0)
			find_tests(d, test, next, index);
		else
			add_test(d, &test, index, outcome);
	}
}

/*
 * Returns a bit for the id of each condition that alone changes the decision's
 * outcome. For such a condition, there are two tests with different outcomes
 * of the decision, in which it has different values. No other condition that
 * both tests evaluate has different values in them. Compares each test with
 * outcome true to each with outcome false.
 */
static uint64_t
compare_tests(const struct decision *d)
{
	uint64_t alone = 0;

	for (size_t i = 0; i < d->ran[1]; i++) {
		const struct test *a = &d->test[1][i];

		for (size_t j = 0; j < d->ran[0]; j++) {
			const struct test *b = &d->test[0][j];
			uint64_t differ =
			    (a->value ^ b->value) & a->known & b->known;

			if ((differ & (differ - 1)) == 0)
				alone |= differ;
		}
	}
	return alone;
}

bool
llvm_find_alone(struct cg_job *job, const struct llvm_counts *counts,
    uint64_t bitmap, const struct llvm_term *term, size_t n, uint64_t *left,
    uint64_t *alone)
{
	/* Large, for one decision; not zeroed, as most have few tests. */
	struct decision *d = malloc(sizeof(*d));
	bool ok = false;
	uint64_t ids;

	if (!d)
		return cg_reject_nomem(job);
	memset(d, 0, offsetof(struct decision, test));
	d->counts = counts;
	d->bitmap = bitmap;
	if (set_nodes(d, term, n) && number_tests(d) && d->tests <= *left) {
		*left -= d->tests;
		find_tests(d, (struct test){ 0 }, 0, 0);
		ok = !d->too_many;
	}
	ids = compare_tests(d);
	for (size_t i = 0; i < n; i++)
		*alone |= (ids >> term[i].id & 1) << i;
	free(d);
	return ok;
}
