/*
 * self.c - inclusive costs of coverage.
 *
 * Coverage records how often a function was called, but not by which function,
 * so its events have no inclusive cost (CG_INCL_NONE). KCachegrind takes the
 * inclusive cost of a called function from its calls
 * (TracePartFunction::update() in libcore/tracedata.cpp), so all inclusive
 * costs would be 0, less than the self costs. Calls from the unknown caller
 * therefore get the self cost.
 */
#include <string.h>

#include "self.h"

struct callgrind_self {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_rows *rows; /* of callees */
	cg_part part;         /* of the last call, and its callee */
	cg_fn callee;
	uint64_t *cost;
	size_t events;
};

static void
close_rows(void *rows)
{
	cg_rows_free(rows);
}

static bool
has_coverage(const struct cg_graph *graph)
{
	for (size_t i = 0; i < cg_event_count(graph); i++) {
		if (cg_get_event(graph, i)->incl == CG_INCL_NONE)
			return true;
	}
	return false;
}

bool
callgrind_open_self(struct cg_job *job, const struct cg_graph *graph,
    struct callgrind_self **opened)
{
	struct callgrind_self *self;

	*opened = NULL;
	if (!has_coverage(graph))
		return true;
	*opened = self = cg_alloc(job, sizeof(*self));
	if (!self)
		return false;
	self->job = job;
	self->graph = graph;
	self->events = cg_event_count(graph);
	self->cost = cg_alloc(job, self->events * sizeof(*self->cost));
	self->rows = cg_rows_new(graph);
	return self->rows && cg_at_end(job, close_rows, self->rows) &&
	       self->cost;
}

/*
 * Adds the self cost of self->callee to self->cost, summed by event. Adds only
 * costs of events of coverage (CG_INCL_NONE). They have no inclusive cost, so
 * a call from the unknown caller gets the self cost of its callee. False: an
 * error (reported).
 */
static bool
add_self(struct callgrind_self *self)
{
	struct cg_cost cost;

	if (!cg_rows_open(self->rows, self->part, self->callee))
		return false;
	while (cg_next_cost(self->rows, &cost)) {
		for (size_t i = 0; i < cost.n; i++) {
			if (cg_get_event(self->graph, i)->incl ==
				CG_INCL_NONE &&
			    __builtin_add_overflow(
				self->cost[i], cost.cost[i], &self->cost[i]))
				return cg_reject(self->job,
				    "the sum of costs exceeds 64 bits");
		}
	}
	return true;
}

bool
callgrind_add_self(
    struct callgrind_self *self, cg_part part, struct cg_call *call)
{
	bool done = self->part == part && self->callee == call->callee;

	memset(self->cost, 0, self->events * sizeof(*self->cost));
	if (call->n > 0)
		memcpy(self->cost, call->cost, call->n * sizeof(*call->cost));
	self->part = part;
	self->callee = call->callee;
	if (!done && !add_self(self))
		return false;
	call->cost = self->cost;
	call->n = self->events;
	while (call->n > 0 && call->cost[call->n - 1] == 0)
		call->n--;
	return true;
}
