/*
 * inclusive.c - sums per function: self, inclusive, calls, cycles.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct cg_sums {
	const struct cg_graph *graph;
	size_t events;
	uint64_t *self, *inclusive; /* [fn * events + event] */
	uint64_t *calls_in;
	uint32_t *cycle;       /* first component, then cycle number */
	uint8_t *called;       /* by fn */
	uint8_t *cycle_called; /* by cycle, from outside */
	size_t cycles;
	/* calls, callers in order of id */
	uint32_t *first, *target;
	size_t targets, target_cap;
	/* one run's self cost, while its rows are looked at */
	struct cg_rows *run_rows;
	uint64_t *run_self;
};

void
cg_sums_free(struct cg_sums *sums)
{
	if (!sums)
		return;
	free(sums->self);
	free(sums->inclusive);
	free(sums->calls_in);
	free(sums->cycle);
	free(sums->called);
	free(sums->cycle_called);
	free(sums->first);
	free(sums->target);
	cg_rows_free(sums->run_rows);
	free(sums->run_self);
	free(sums);
}

/* The run of fn in part, or all its runs one after the other; then NULL. */
static const struct cg_run *
next_run(const struct cg_graph *graph, cg_part part, cg_fn fn,
    const struct cg_run *run)
{
	uint32_t id = run ? run->next : graph->fn[fn].runs;

	if (part != CG_ALL_PARTS)
		return run ? NULL : cg_run_find(graph, part, fn);
	return id == CG_NO_RUN ? NULL : &graph->run[id];
}

static bool
overflow(const struct cg_sums *sums)
{
	cg_graph_overflow(sums->graph, "costs or calls of a function");
	return false;
}

static bool
sum_call(struct cg_sums *sums, cg_fn caller, const struct cg_call *call)
{
	uint64_t *calls_in = &sums->calls_in[call->callee];

	if (!cg_grow_raw(&sums->target, &sums->target_cap, sums->targets + 1,
		sizeof(*sums->target)) ||
	    sums->targets >= UINT32_MAX - 1)
		return false;
	sums->target[sums->targets++] = call->callee;
	if (call->callee == caller)
		return true;
	sums->called[call->callee] |= caller != 0;
	return !__builtin_add_overflow(call->count, *calls_in, calls_in) ||
	       overflow(sums);
}

/* First pass: who calls whom, how often; self costs. */
static bool
sum_self(struct cg_sums *sums, struct cg_rows *rows, cg_part part, cg_fn fn,
    bool costs)
{
	const struct cg_graph *graph = sums->graph;
	const struct cg_run *run = NULL;
	struct cg_call call;

	while ((run = next_run(graph, part, fn, run)) != NULL) {
		if (!cg_rows_open_calls(rows, run))
			return false;
		while (cg_next_call(rows, &call)) {
			if (!sum_call(sums, fn, &call))
				return false;
		}
		if (costs && !cg_rows_sum_costs(
				 rows, run, &sums->self[fn * sums->events]))
			return overflow(sums);
	}
	return true;
}

/* Numbers the components of more than one function from 1, others get 0. */
static bool
number_cycles(struct cg_sums *sums)
{
	const struct cg_graph *graph = sums->graph;
	uint32_t count = cg_components(
	    (uint32_t)graph->fns, sums->first, sums->target, sums->cycle);
	uint32_t *number;

	if (count == UINT32_MAX)
		return false;
	number = calloc((size_t)count + 1, sizeof(*number));
	if (!number)
		return false;
	for (size_t i = 0; i < graph->fns; i++)
		number[sums->cycle[i]]++;
	for (size_t i = 0; i < count; i++)
		number[i] = number[i] > 1 ? UINT32_MAX : 0;
	/* By canonical order of their first member. */
	for (size_t i = 0; i < graph->fns; i++) {
		uint32_t *to = &number[sums->cycle[graph->fn_ranked[i]]];

		if (*to == UINT32_MAX)
			*to = (uint32_t)++sums->cycles;
	}
	for (size_t i = 0; i < graph->fns; i++)
		sums->cycle[i] = number[sums->cycle[i]];
	free(number);
	return true;
}

static bool
find_called_cycles(struct cg_sums *sums)
{
	const struct cg_graph *graph = sums->graph;
	const uint32_t *cycle = sums->cycle;

	sums->cycle_called = calloc(sums->cycles + 1, 1);
	if (!sums->cycle_called)
		return false;
	for (cg_fn fn = 1; fn < graph->fns; fn++) {
		for (uint32_t i = sums->first[fn]; i < sums->first[fn + 1];
		     i++) {
			uint32_t to = cycle[sums->target[i]];

			sums->cycle_called[to] |= to != cycle[fn];
		}
	}
	return true;
}

/* What leaves a function for another that is not in its cycle. */
static bool
sum_calls(struct cg_sums *sums, struct cg_rows *rows, cg_fn fn, uint64_t *to)
{
	size_t n = sums->events;
	struct cg_call call;

	while (cg_next_call(rows, &call)) {
		if (call.callee == fn ||
		    (sums->cycle[fn] != 0 &&
			sums->cycle[fn] == sums->cycle[call.callee]))
			continue;
		if (!cg_add_costs(sums->graph, to, &n, call.cost, call.n))
			return overflow(sums);
	}
	return true;
}

/* The run's self cost is part of what its source stated. */
static bool
take_self_off(struct cg_sums *sums, const struct cg_run *run, uint64_t *to)
{
	memset(sums->run_self, 0, sums->events * sizeof(*sums->run_self));
	if (!cg_rows_sum_costs(sums->run_rows, run, sums->run_self))
		return overflow(sums);
	for (size_t i = 0; i < sums->events; i++)
		to[i] -= sums->run_self[i];
	return true;
}

/* Second pass: self costs are there; a part states its sum, or calls tell. */
static bool
sum_inclusive(
    struct cg_sums *sums, struct cg_rows *rows, cg_part part, cg_fn fn)
{
	const struct cg_graph *graph = sums->graph;
	const struct cg_run *run = NULL;
	uint64_t *to = &sums->inclusive[fn * sums->events];
	size_t n = sums->events;
	struct cg_cost stated;

	while ((run = next_run(graph, part, fn, run)) != NULL) {
		if (!cg_rows_open_calls(rows, run))
			return false;
		if (!cg_stated_inclusive(rows, &stated)) {
			if (!sum_calls(sums, rows, fn, to))
				return false;
			continue;
		}
		if (!take_self_off(sums, run, to))
			return false;
		if (!cg_add_costs(graph, to, &n, stated.cost, stated.n))
			return overflow(sums);
	}
	return true;
}

static bool
sum_all(struct cg_sums *sums, struct cg_rows *rows, cg_part part, bool costs)
{
	const struct cg_graph *graph = sums->graph;
	bool ok = true;

	for (cg_fn fn = 0; ok && fn < graph->fns; fn++) {
		sums->first[fn] = (uint32_t)sums->targets;
		ok = sum_self(sums, rows, part, fn, costs);
	}
	sums->first[graph->fns] = (uint32_t)sums->targets;
	ok = ok && number_cycles(sums) && find_called_cycles(sums);
	if (ok && costs)
		memcpy(sums->inclusive, sums->self,
		    graph->fns * sums->events * sizeof(*sums->self));
	for (cg_fn fn = 0; ok && costs && fn < graph->fns; fn++)
		ok = sum_inclusive(sums, rows, part, fn);
	return ok;
}

struct cg_sums *
cg_sums_new(const struct cg_graph *graph, cg_part part, bool costs)
{
	struct cg_sums *sums = calloc(1, sizeof(*sums));
	struct cg_rows *rows = cg_rows_new(graph);
	size_t fns = graph->fns, width = 0;
	bool ok = sums && rows;

	if (ok) {
		sums->graph = graph;
		sums->events = graph->events ? graph->events : 1;
		width = costs ? sums->events * sizeof(uint64_t) : 1;
		sums->self = calloc(fns, width);
		sums->inclusive = calloc(fns, width);
		sums->calls_in = calloc(fns, sizeof(uint64_t));
		sums->cycle = calloc(fns, sizeof(uint32_t));
		sums->called = calloc(fns, 1);
		sums->first = calloc(fns + 1, sizeof(uint32_t));
		sums->run_rows = cg_rows_new(graph);
		sums->run_self = calloc(sums->events, sizeof(uint64_t));
		ok = sums->self && sums->inclusive && sums->calls_in &&
		     sums->run_rows && sums->run_self && sums->cycle &&
		     sums->called && sums->first;
	}
	ok = ok && sum_all(sums, rows, part, costs);
	cg_rows_free(rows);
	if (ok) {
		free(sums->target);
		sums->target = NULL;
		return sums;
	}
	cg_sums_free(sums);
	cg_graph_nomem(graph);
	return NULL;
}

uint64_t
cg_sum_self(const struct cg_sums *sums, cg_fn fn, size_t event)
{
	return sums->self[fn * sums->events + event];
}

uint64_t
cg_sum_inclusive(const struct cg_sums *sums, cg_fn fn, size_t event)
{
	return sums->inclusive[fn * sums->events + event];
}

uint64_t
cg_sum_calls_in(const struct cg_sums *sums, cg_fn fn)
{
	return sums->calls_in[fn];
}

uint32_t
cg_sum_cycle(const struct cg_sums *sums, cg_fn fn)
{
	return sums->cycle[fn];
}

bool
cg_sum_is_root(const struct cg_sums *sums, cg_fn fn)
{
	return !sums->called[fn];
}

size_t
cg_cycle_count(const struct cg_sums *sums)
{
	return sums->cycles;
}

bool
cg_cycle_is_called(const struct cg_sums *sums, uint32_t cycle)
{
	return sums->cycle_called[cycle];
}
