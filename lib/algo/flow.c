/*
 * flow.c - the cost that passes through members of a cycle, by counts.
 *
 * gprof knows the cost of a cycle and the calls that enter it, but not the
 * cost of calls between its members. As in gprof2dot, the cost follows the
 * calls that lead away from the member where the cycle is entered: each member
 * has its self cost, its calls out of the cycle, and a share, by counts, of
 * the members one call farther away. Calls that lead back have no cost. Cost
 * that enters a member from outside is not passed to its callers in the cycle.
 *
 * gprof2dot does this once for each member that is entered, which takes too
 * long in large cycles. Here the cost follows the calls from one member only:
 * the one that is entered most often.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "base/wide.h"

struct cg_flow {
	const struct cg_edges *edges;
	uint32_t *rank;  /* by fn: 1 + distance from entry; 0: none */
	uint32_t *order; /* functions with a rank, by rank */
	size_t ranked;
	uint64_t *into; /* by fn: calls from members of the rank before */
};

void
cg_flow_free(struct cg_flow *flow)
{
	if (!flow)
		return;
	free(flow->rank);
	free(flow->order);
	free(flow->into);
	free(flow);
}

static bool
is_within(const struct cg_edges *edges, uint32_t from, uint32_t to)
{
	return edges->cycle[from] != 0 &&
	       edges->cycle[from] == edges->cycle[to];
}

/*
 * Ranks the members of cycles by their distance from the members where cycles
 * are entered. The caller has given those rank 1, and listed them in
 * flow->order. Others are appended there. Sums in flow->into the counts of
 * calls from members one step nearer. Calls with count 0 are not followed.
 */
static void
follow(struct cg_flow *flow)
{
	const struct cg_edges *edges = flow->edges;

	for (size_t i = 0; i < flow->ranked; i++) {
		uint32_t from = flow->order[i];

		for (uint32_t e = edges->first[from];
		     e < edges->first[from + 1]; e++) {
			uint32_t to = edges->target[e];

			if (edges->count[e] == 0 || !is_within(edges, from, to))
				continue;
			if (flow->rank[to] == 0) {
				flow->rank[to] = flow->rank[from] + 1;
				flow->order[flow->ranked++] = to;
			}
			/*
			 * No overflow: the calls of a function were summed
			 * before.
			 */
			if (flow->rank[to] == flow->rank[from] + 1)
				flow->into[to] += edges->count[e];
		}
	}
}

struct cg_flow *
cg_flow_new(const struct cg_edges *edges, size_t fns, const uint32_t *entry,
    size_t entries)
{
	struct cg_flow *flow = calloc(1, sizeof(*flow));

	if (!flow)
		return NULL;
	flow->edges = edges;
	flow->rank = calloc(fns + 1, sizeof(*flow->rank));
	flow->order = malloc((fns + 1) * sizeof(*flow->order));
	flow->into = calloc(fns + 1, sizeof(*flow->into));
	if (!flow->rank || !flow->order || !flow->into) {
		cg_flow_free(flow);
		return NULL;
	}
	for (size_t i = 0; i < entries; i++) {
		if (edges->cycle[entry[i]] == 0)
			continue;
		flow->rank[entry[i]] = 1;
		flow->order[flow->ranked++] = entry[i];
	}
	follow(flow);
	return flow;
}

uint64_t
cg_flow_share(const struct cg_flow *flow, uint32_t from, uint32_t to,
    uint64_t count, uint64_t passed)
{
	uint64_t share = 0, rest;

	if (flow->rank[from] != 0 && flow->rank[to] == flow->rank[from] + 1 &&
	    is_within(flow->edges, from, to))
		(void)cg_wide_scale(
		    passed, count, 0, flow->into[to], &share, &rest);
	return share;
}

void
cg_flow_add(
    const struct cg_flow *flow, uint64_t *cost, uint64_t *passed, size_t stride)
{
	const struct cg_edges *edges = flow->edges;

	for (size_t i = flow->ranked; i-- > 0;) {
		uint32_t fn = flow->order[i];
		uint64_t *sum = &cost[fn * stride];
		uint64_t *pass = &passed[fn * stride];

		for (uint32_t e = edges->first[fn]; e < edges->first[fn + 1];
		     e++) {
			uint32_t to = edges->target[e];

			*sum += cg_flow_share(
			    flow, fn, to, edges->count[e], passed[to * stride]);
		}
		*pass = *sum > *pass ? *sum - *pass : 0;
	}
}
