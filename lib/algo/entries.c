/*
 * entries.c - adds the inclusive cost of calls by the unknown caller.
 *
 * KCachegrind and gprof2dot compute the inclusive cost of a function that is
 * called from its calls, and that of other functions from their self cost and
 * callees. A function may be called in one input and begin another, as clone()
 * does in the files of Callgrind's --separate-threads. In the sum its calls
 * lack the cost of the second input. A call by the unknown caller adds this
 * cost, with count 0, as no input has counted the call.
 *
 * In one input the calls of a function may have counts and no cost: the calls
 * by the unknown caller in Erlang's eprof, or the calls of a recursive main()
 * by itself in gmon.out. They get a call by the unknown caller, too. Other
 * calls stay as the input states them, as costs of callees may overlap
 * (pstats).
 *
 * Members of cycles need no such call: their inclusive cost is that of the
 * cycle, which no tool computes from calls.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

struct entries {
	struct cg_graph *graph;
	struct cg_rows *rows;
	struct cg_sums *sums; /* used for cycles */
	size_t events;
	bool many;       /* inputs were summed */
	uint64_t *own;   /* [fn * events + event]: self cost and callees, */
	uint64_t *in;    /* ... calls from others; UINT64_MAX: too large */
	uint8_t *called; /* by fn */
	uint64_t *run;   /* own costs of one run */
};

static void
add_capped(uint64_t *to, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(to[i], cost[i], &to[i]))
			to[i] = UINT64_MAX;
	}
}

/*
 * Adds the inclusive cost of a function in a part to entries->own: the stated
 * cost, else self costs plus calls. Adds the costs of its calls to entries->in
 * by callee, without direct recursion. Sets entries->called of all callees.
 * Sums are capped at UINT64_MAX. False: self costs overflow.
 */
static bool
note_run(struct entries *entries, const struct cg_run *run)
{
	size_t events = entries->events, width = events * sizeof(uint64_t);
	uint64_t *own = entries->run;
	struct cg_call call;
	bool stated, states = false;

	memset(own, 0, width);
	if (!cg_rows_sum_costs(entries->rows, run, own, 0, events))
		return false;
	cg_calls_begin(entries->rows, run, true);
	while (cg_calls_next(entries->rows, &call, &stated)) {
		if (stated && !states)
			memset(own, 0, width);
		states |= stated;
		if (!stated)
			entries->called[call.callee] = 1;
		if (!stated && call.callee != run->fn)
			add_capped(&entries->in[call.callee * events],
			    call.cost, call.n);
		if (stated || (!states && call.callee != run->fn))
			add_capped(own, call.cost, call.n);
	}
	add_capped(&entries->own[run->fn * events], own, events);
	return true;
}

static bool
has_inclusive(const struct cg_event *event)
{
	return event->incl == CG_INCL_STATED || event->incl == CG_INCL_SPLIT;
}

/*
 * Sets cost[] to fn's inclusive costs minus those of all calls to it. A cost
 * is 0 if unknown or not positive, or if the only input states costs of calls.
 * Returns the number of columns used. 0: none; cost[] is undefined if fn is
 * not called, in a cycle or the unknown function.
 */
static size_t
find_lack(const struct entries *entries, cg_fn fn, uint64_t *cost)
{
	const struct cg_graph *graph = entries->graph;
	const uint64_t *own = &entries->own[fn * entries->events];
	const uint64_t *in = &entries->in[fn * entries->events];
	size_t n = 0;

	if (fn == 0 || !entries->called[fn] || cg_sum_cycle(entries->sums, fn))
		return 0;
	for (size_t i = 0; i < entries->events; i++) {
		bool known = has_inclusive(&graph->event[i]) &&
			     !graph->event[i].is_signed &&
			     (in[i] == 0 || entries->many) &&
			     own[i] < UINT64_MAX && own[i] > in[i];

		cost[i] = known ? own[i] - in[i] : 0;
		if (cost[i] > 0)
			n = i + 1;
	}
	return n;
}

static bool
add_entry(struct entries *entries, cg_part part, cg_fn fn)
{
	const struct cg_call call = { .callee = fn,
		.cost = entries->run,
		.n = find_lack(entries, fn, entries->run) };
	struct cg_run *run;

	if (call.n == 0)
		return true;
	run = cg_run_get(entries->graph, part, 0);
	return run && cg_run_add_call(entries->graph, run, &call);
}

/*
 * Adds calls by the unknown caller to a part's functions. They cost what other
 * calls lack of the inclusive cost, see find_lack(). False: an error.
 */
static bool
add_part(struct entries *entries, cg_part part)
{
	struct cg_graph *graph = entries->graph;
	size_t begin = graph->part_runs[part], end = graph->part_runs[part + 1];
	size_t events = entries->events, width = events * sizeof(uint64_t);
	bool ok = true;

	/* Only functions with a run are looked at. */
	for (size_t i = begin; i < end; i++) {
		cg_fn fn = graph->run[graph->run_order[i].run].fn;

		memset(&entries->own[fn * events], 0, width);
		memset(&entries->in[fn * events], 0, width);
		entries->called[fn] = 0;
	}
	for (size_t i = begin; ok && i < end; i++)
		ok = note_run(entries, &graph->run[graph->run_order[i].run]);
	for (size_t i = begin; ok && i < end; i++)
		ok = add_entry(
		    entries, part, graph->run[graph->run_order[i].run].fn);
	return ok;
}

static bool
open_entries(struct entries *entries)
{
	const struct cg_graph *graph = entries->graph;
	size_t width = entries->events * sizeof(uint64_t);

	entries->rows = cg_rows_new(graph);
	entries->sums = cg_sums_new(graph, CG_ALL_PARTS, false);
	entries->own = calloc(graph->fns, width);
	entries->in = calloc(graph->fns, width);
	entries->called = calloc(graph->fns, 1);
	entries->run = calloc(1, width);
	return entries->rows && entries->sums && entries->own && entries->in &&
	       entries->called && entries->run;
}

int
cg_add_entries(struct cg_graph *graph, bool many)
{
	struct entries entries = {
		.graph = graph, .events = graph->events, .many = many
	};
	size_t runs = graph->runs;
	bool ok = false;

	for (size_t i = 0; !ok && i < graph->events; i++)
		ok = has_inclusive(&graph->event[i]);
	if (!ok)
		return CG_OK;
	ok = open_entries(&entries);
	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = add_part(&entries, part);
	cg_rows_free(entries.rows);
	cg_sums_free(entries.sums);
	free(entries.own);
	free(entries.in);
	free(entries.called);
	free(entries.run);
	if (!ok) {
		cg_graph_nomem(graph);
		return *graph->fault;
	}
	return graph->runs > runs ? cg_graph_seal(graph) : CG_OK;
}
