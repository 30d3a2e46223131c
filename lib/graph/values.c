/*
 * values.c - checked sums of cost vectors, and negative costs set to zero.
 */
#include "graph/graph.h"

bool
cg_add_signed(
    const struct cg_graph *graph, uint64_t *a, const uint64_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!cg_add_value(graph, i, &a[i], b[i]))
			return false;
	}
	return true;
}

bool
cg_add_costs(const struct cg_graph *graph, uint64_t *a, size_t *an,
    const uint64_t *b, size_t n)
{
	for (; *an < n; ++*an)
		a[*an] = 0;
	return cg_add_values(graph, a, b, n);
}

const uint64_t *
cg_clamp_values(
    struct cg_graph *graph, const uint64_t *cost, size_t n, uint64_t *total)
{
	struct cg_clamp *clamp = graph->clamp;

	for (size_t i = 0; i < n; i++) {
		uint64_t below = 0 - cost[i];

		clamp->value[i] = cost[i];
		if (!graph->event[i].is_signed || (int64_t)cost[i] >= 0)
			continue;
		clamp->value[i] = 0;
		if (total == NULL)
			continue;
		/* Correct for both signs of the total: two's complement. */
		total[i] += below;
		if (__builtin_add_overflow(
			clamp->lost[i], below, &clamp->lost[i]))
			clamp->lost[i] = UINT64_MAX;
	}
	return clamp->value;
}
