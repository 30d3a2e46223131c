/*
 * signs.c - an event that one input says to be signed, and another not.
 *
 * In the sum it is signed, as long as what was and is added of the others is
 * below 2^63: more would turn into a cost below zero.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* Room for all events' signs and costs. */
static bool
grow(struct cg_build *build)
{
	if (cg_grow(&build->sign, &build->signs, build->graph->events,
		sizeof(*build->sign)))
		return true;
	cg_build_nomem(build);
	return false;
}

static void
note_costs(struct cg_build *build, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++)
		build->sign[i].bits |= cost[i];
}

/* The bits of all costs by event, once for each input. */
static bool
scan(struct cg_build *build)
{
	const struct cg_graph *graph = build->graph;
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_call call;
	bool stated;

	if (!rows || !cg_build_end_run(build)) {
		cg_rows_free(rows);
		return false;
	}
	/* These are not below any self cost. */
	for (size_t i = 0; i < graph->parts; i++)
		note_costs(build, graph->part[i].total, graph->part[i].totals);
	for (size_t i = 0; i < graph->runs; i++) {
		cg_calls_begin(rows, &graph->run[i], true);
		while (cg_calls_next(rows, &call, &stated))
			note_costs(build, call.cost, call.n);
	}
	cg_rows_free(rows);
	build->scanned = build->inputs;
	return true;
}

void
cg_sign_event(struct cg_build *build, size_t i, bool is_signed)
{
	struct cg_event *event = &build->graph->event[i];
	struct cg_sign *sign;

	if (!grow(build))
		return;
	sign = &build->sign[i];
	if (event->is_signed != is_signed && sign->input == build->inputs)
		cg_build_fail(build,
		    "event %s is signed in one place and not in another",
		    event->name);
	sign->input = build->inputs;
	sign->is_plain = !is_signed;
	if (event->is_signed || !is_signed)
		return;
	if (build->scanned != build->inputs && !scan(build))
		return;
	if (build->sign[i].bits >> 63 != 0)
		cg_build_fail(build,
		    "costs of %s are above 2^63 in one input, and may be below "
		    "0 in another",
		    event->name);
	event->is_signed = build->graph->any_signed = true;
}

void
cg_sign_check(struct cg_build *build, size_t i)
{
	if (i < build->signs && build->sign[i].is_plain &&
	    build->sign[i].input == build->inputs)
		cg_build_fail(build,
		    "a cost of %s is above 2^63, and others may be below 0",
		    build->graph->event[i].name);
}
