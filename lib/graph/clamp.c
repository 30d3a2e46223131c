/*
 * clamp.c - sets negative costs to zero, for targets without them (--clamp).
 *
 * Equal rows, calls and stacks are merged first: rows with -2 and 5 become 3,
 * and nothing is lost.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/graph.h"

static void
clamp_stacks(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->stacks; i++) {
		struct cg_stack_entry *stack = &graph->stack[i];
		uint64_t *cost = cg_stack_cost(stack);

		(void)cg_clamp_values(
		    graph, cost, stack->n, graph->part[stack->part].total);
		for (size_t k = 0; k < stack->n; k++)
			cost[k] = graph->clamp->value[k];
	}
}

/*
 * Warns that negative costs were set to zero. The warning says by how much the
 * self costs of each event have grown, such as "120 of samples, 5 of time";
 * "inclusive costs only" if no self cost was negative.
 */
static void
say_lost(const struct cg_graph *graph)
{
	char text[256] = "";
	size_t len = 0;

	for (size_t i = 0; i < graph->events && len < sizeof(text); i++) {
		if (graph->clamp->lost[i] == 0)
			continue;
		len += (size_t)snprintf(text + len, sizeof(text) - len,
		    "%s%" PRIu64 " of %s", len ? ", " : "",
		    graph->clamp->lost[i], graph->event[i].name);
	}
	cg_diag_say(graph->diag, CG_WARNING, NULL,
	    "negative costs are written as 0; lost: %s",
	    len ? text : "inclusive costs only");
}

/*
 * Declares all events unsigned, after negative costs were set to zero. False:
 * more than INT64_MAX was added to the costs of an event, so that later sums
 * may overflow.
 */
static bool
end_signs(struct cg_graph *graph)
{
	bool fit = true;

	for (size_t i = 0; i < graph->events; i++) {
		graph->event[i].is_signed = false;
		fit &= graph->clamp->lost[i] <= INT64_MAX;
	}
	graph->any_signed = false;
	graph->facts &= ~CG_SIGNED;
	return fit;
}

int
cg_graph_clamp(struct cg_graph *graph)
{
	struct cg_clamp clamp = { 0 };
	bool ok;

	clamp.value = calloc(graph->events + 1, sizeof(*clamp.value));
	clamp.lost = calloc(graph->events + 1, sizeof(*clamp.lost));
	graph->clamp = &clamp;
	ok = clamp.value && clamp.lost;
	for (size_t i = 0; ok && i < graph->runs; i++)
		ok = cg_run_merge(graph, &graph->run[i]);
	ok = ok && cg_tracks_seal(graph, false);
	if (ok) {
		clamp_stacks(graph);
		say_lost(graph);
		if (!end_signs(graph))
			cg_graph_overflow(graph, "negative costs");
	} else {
		cg_graph_nomem(graph);
	}
	graph->clamp = NULL;
	free(clamp.value);
	free(clamp.lost);
	return *graph->fault;
}
