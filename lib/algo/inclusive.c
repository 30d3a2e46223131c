/*
 * inclusive.c - sums per function: self, inclusive, calls, cycles.
 *
 * The cost of a cycle is the sum of its members' self costs and of the calls
 * that leave it. The inclusive cost of a member is the cost of calls of it by
 * other functions, as in callgrind_annotate and in KCachegrind without its
 * detection of cycles. If the member began the run, or its callers are
 * unknown, its self cost plus its calls of others is greater, and is used.
 * Both count recursion several times, so they are limited to the cycle's cost.
 * If calls have costs by their counts only, see flow.c. With negative costs
 * (changes) there is no such limit: the cost of a member is then its self cost
 * and its calls that leave the cycle.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

/* Sums of functions in cycles, if there are any. */
struct cycle_sums {
	uint64_t *in;  /* [fn * events + event]: calls by others, */
	uint64_t *out; /* ... self cost and calls of others */
	uint64_t *self, *inclusive; /* [cycle * events + event] */
	uint64_t *calls;            /* by cycle, from outside */
	uint64_t *entered;          /* by fn: calls from outside */
	uint8_t *stated;            /* by fn: a run states its inclusive cost */
	/* If an event's costs of calls were split by counts: */
	uint64_t *count;  /* by call, as target */
	uint32_t *next;   /* by fn: its next call in count */
	uint64_t *passed; /* as in: cost passed to callers in the cycle */
	struct cg_edges edges;
	struct cg_flow *flow;
};

struct cg_sums {
	const struct cg_graph *graph;
	struct cg_scope scope;      /* has all arrays */
	size_t event, events;       /* range of events that are summed */
	uint64_t *self, *inclusive; /* [fn * events + event] */
	uint64_t *run;              /* one run's inclusive costs */
	uint64_t *calls_in;
	uint64_t *repeats;     /* repeats of inclusive costs; NULL: none */
	uint32_t *component;   /* by fn; callees have lower ones */
	uint32_t *cycle;       /* by fn; 0: none */
	uint8_t *called;       /* by fn */
	uint8_t *cycle_called; /* by cycle, from outside */
	size_t cycles;
	uint32_t *first, *target; /* calls as compressed rows */
	struct cycle_sums of;     /* cycles */
};

/*
 * Returns an array of n zeroed elements of width bytes, which is freed with
 * sums; NULL: out of memory.
 */
static void *
new_array(struct cg_sums *sums, size_t n, size_t width)
{
	return cg_scope_alloc(&sums->scope, n * width);
}

void
cg_sums_free(struct cg_sums *sums)
{
	if (!sums)
		return;
	cg_flow_free(sums->of.flow);
	cg_scope_end(&sums->scope);
	free(sums);
}

/*
 * Returns the next run (rows of a function in a part), in canonical order. For
 * CG_ALL_PARTS, goes through the graph in order of arrival. *i is 0 at the
 * start, and advanced by each call. NULL: the end.
 */
static const struct cg_run *
next_run(const struct cg_graph *graph, cg_part part, size_t *i)
{
	size_t at;

	if (part == CG_ALL_PARTS)
		return *i < graph->runs ? &graph->run[(*i)++] : NULL;
	at = graph->part_runs[part] + *i;
	if (at >= graph->part_runs[part + 1])
		return NULL;
	++*i;
	return &graph->run[graph->run_order[at].run];
}

static bool
overflow(const struct cg_sums *sums)
{
	cg_graph_overflow(sums->graph, "costs or calls of a function");
	return false;
}

/* All calls in the order of runs. */
struct calls {
	cg_fn *callee;
	size_t count, callee_cap;
	uint32_t *end; /* by run: where its calls end */
	size_t runs, end_cap;
};

static bool
note_repeats(struct cg_sums *sums, cg_fn fn, uint64_t count)
{
	if (count > 0 && !sums->repeats)
		sums->repeats =
		    new_array(sums, sums->graph->fns, sizeof(*sums->repeats));
	if (count > 0 && sums->repeats)
		sums->repeats[fn] += count; /* at most as many as calls */
	return count == 0 || sums->repeats;
}

/*
 * Appends a call to the list of calls, and counts it in its caller's number in
 * sums->first. Unless it is direct recursion, adds its count to the callee's
 * number of calls. A known caller then marks the callee as called. False: out
 * of memory, too many calls, or overflow (reported).
 */
static bool
note_call(struct cg_sums *sums, struct calls *calls, cg_fn caller,
    const struct cg_call *call)
{
	uint64_t *calls_in = &sums->calls_in[call->callee];

	if (!cg_grow_raw(&calls->callee, &calls->callee_cap, calls->count + 1,
		sizeof(*calls->callee)) ||
	    calls->count >= UINT32_MAX - 1)
		return false;
	calls->callee[calls->count++] = call->callee;
	sums->first[caller + 2]++;
	if (call->callee == caller)
		return true;
	sums->called[call->callee] |= caller != 0;
	return !__builtin_add_overflow(call->count, *calls_in, calls_in) ||
	       overflow(sums);
}

/*
 * Lists all calls of a part in the order of runs. Sets calls->end[] to where
 * the calls of each run end. Sums the numbers of calls and repeats of
 * functions. False: out of memory or overflow.
 */
static bool
note_calls(struct cg_sums *sums, struct cg_rows *rows, cg_part part,
    struct calls *calls)
{
	const struct cg_run *run;
	struct cg_call call;
	bool stated;

	for (size_t i = 0; (run = next_run(sums->graph, part, &i)) != NULL;) {
		cg_calls_begin(rows, run, false);
		while (cg_calls_next(rows, &call, &stated)) {
			if (stated ? !note_repeats(sums, run->fn, call.count)
				   : !note_call(sums, calls, run->fn, &call))
				return false;
		}
		if (!cg_grow_raw(&calls->end, &calls->end_cap, calls->runs + 1,
			sizeof(*calls->end)))
			return false;
		calls->end[calls->runs++] = (uint32_t)calls->count;
	}
	return true;
}

/*
 * Sorts the callees of all calls by caller into sums->target. Those of
 * function i begin at first[i] and end before first[i + 1]. first[i + 2] must
 * have their number, see note_call(). False: out of memory.
 */
static bool
sort_calls(struct cg_sums *sums, cg_part part, const struct calls *calls)
{
	uint32_t *first = sums->first;
	const struct cg_run *run;
	size_t at = 0;

	sums->target = new_array(sums, calls->count, sizeof(*sums->target));
	if (!sums->target)
		return false;
	for (size_t i = 2; i < sums->graph->fns + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; (run = next_run(sums->graph, part, &i)) != NULL;) {
		for (; at < calls->end[i - 1]; at++)
			sums->target[first[run->fn + 1]++] = calls->callee[at];
	}
	return true;
}

static bool
list_calls(struct cg_sums *sums, struct cg_rows *rows, cg_part part)
{
	struct calls calls = { 0 };
	bool ok = note_calls(sums, rows, part, &calls) &&
		  sort_calls(sums, part, &calls);

	free(calls.callee);
	free(calls.end);
	return ok;
}

/*
 * Sets sums->cycle of each function to the number of its recursive cycle, from
 * 1 on; 0 if it is in none. A cycle is a strongly connected component of more
 * than one function. sort_calls() must have sorted the calls. False: out of
 * memory.
 */
static bool
number_cycles(struct cg_sums *sums)
{
	const struct cg_graph *graph = sums->graph;
	uint32_t count = cg_components(
	    (uint32_t)graph->fns, sums->first, sums->target, sums->component);
	uint32_t *number;

	if (count == UINT32_MAX)
		return false;
	number = calloc((size_t)count + 1, sizeof(*number));
	if (!number)
		return false;
	for (size_t i = 0; i < graph->fns; i++)
		number[sums->component[i]]++;
	for (size_t i = 0; i < count; i++)
		number[i] = number[i] > 1 ? UINT32_MAX : 0;
	/* Number cycles in canonical order of their first members. */
	for (size_t i = 0; i < graph->fns; i++) {
		uint32_t *to = &number[sums->component[graph->fn_ranked[i]]];

		if (*to == UINT32_MAX)
			*to = (uint32_t)++sums->cycles;
	}
	for (size_t i = 0; i < graph->fns; i++)
		sums->cycle[i] = number[sums->component[i]];
	free(number);
	return true;
}

static bool
find_called_cycles(struct cg_sums *sums)
{
	const struct cg_graph *graph = sums->graph;
	const uint32_t *cycle = sums->cycle;

	sums->cycle_called = new_array(sums, sums->cycles + 1, 1);
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

/*
 * Adds costs to the array `to`, which has only the columns of the events that
 * are summed: sums->events columns from sums->event on. cost[] has n columns,
 * of all events. False: a sum overflows.
 */
static bool
add_columns(
    const struct cg_sums *sums, uint64_t *to, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < sums->events && sums->event + i < n; i++) {
		if (!cg_add_value(sums->graph, sums->event + i, &to[i],
			cost[sums->event + i]))
			return false;
	}
	return true;
}

/*
 * True if a call adds to the inclusive cost of its caller's cycle or, outside
 * of cycles, of its caller: it is neither recursive nor within a cycle.
 */
static bool
leaves(const struct cg_sums *sums, cg_fn caller, cg_fn callee)
{
	const uint32_t *cycle = sums->cycle;

	return callee != caller &&
	       (cycle[caller] == 0 || cycle[caller] != cycle[callee]);
}

/* ---- Cycles ------------------------------------------------------------- */

/*
 * True if the costs of calls of this event were computed from counts of calls,
 * as gprof does it (CG_INCL_SPLIT), not stated by the input: calls within a
 * cycle then have no exact cost.
 */
static bool
is_split(const struct cg_sums *sums, size_t event)
{
	return sums->graph->event[sums->event + event].incl == CG_INCL_SPLIT;
}

static bool
any_split(const struct cg_sums *sums)
{
	bool any = false;

	for (size_t i = 0; i < sums->events; i++)
		any |= is_split(sums, i);
	return any;
}

static bool
begin_cycles(struct cg_sums *sums)
{
	struct cycle_sums *of = &sums->of;
	size_t fns = sums->graph->fns, cycles = sums->cycles + 1;
	size_t width = sums->events * sizeof(uint64_t);

	of->in = new_array(sums, fns, width);
	of->out = new_array(sums, fns, width);
	of->self = new_array(sums, cycles, width);
	of->inclusive = new_array(sums, cycles, width);
	of->calls = new_array(sums, cycles, sizeof(*of->calls));
	of->entered = new_array(sums, fns, sizeof(*of->entered));
	of->stated = new_array(sums, fns, sizeof(*of->stated));
	if (any_split(sums)) {
		of->count =
		    new_array(sums, sums->first[fns] + 1, sizeof(*of->count));
		of->next = new_array(sums, fns, sizeof(*of->next));
		of->passed = new_array(sums, fns, width);
		if (!of->count || !of->next || !of->passed)
			return false;
		memcpy(of->next, sums->first, fns * sizeof(*of->next));
	}
	return of->in && of->out && of->self && of->inclusive && of->calls &&
	       of->entered && of->stated;
}

/*
 * Adds a cost to *sum, limited to the maximum: recursive calls count their
 * costs several times, so the sum may not fit.
 */
static inline void
add_capped(
    const struct cg_graph *graph, size_t column, uint64_t *sum, uint64_t cost)
{
	if (!cg_add_value(graph, column, sum, cost))
		*sum = graph->event[column].is_signed ? (uint64_t)INT64_MAX
						      : UINT64_MAX;
}

static void
add_member_call(struct cg_sums *sums, cg_fn caller, const struct cg_call *call)
{
	struct cycle_sums *of = &sums->of;
	const struct cg_graph *graph = sums->graph;
	uint32_t from = sums->cycle[caller], to = sums->cycle[call->callee];
	size_t event = sums->event, events = sums->events;
	uint64_t *in = to ? &of->in[call->callee * events] : NULL;
	uint64_t *out = from ? &of->out[caller * events] : NULL;

	if (of->count)
		of->count[of->next[caller]++] = call->count;
	if (call->callee == caller)
		return;
	if (to != 0 && from != to) {
		/*
		 * The first sum cannot overflow: the calls of a function were
		 * summed before.
		 */
		of->entered[call->callee] += call->count;
		/* As for roots, the unknown caller does not count. */
		if (caller != 0 && __builtin_add_overflow(of->calls[to],
				       call->count, &of->calls[to]))
			of->calls[to] = UINT64_MAX;
	}
	for (size_t i = 0; i < events && event + i < call->n; i++) {
		uint64_t cost = call->cost[event + i];

		if (cost == 0 || (of->count && from == to && is_split(sums, i)))
			continue;
		if (in)
			add_capped(graph, event + i, &in[i], cost);
		if (out)
			add_capped(graph, event + i, &out[i], cost);
		if (out && from != to)
			add_capped(graph, event + i,
			    &of->inclusive[from * events + i], cost);
	}
}

static void
add_member_self(struct cg_sums *sums, cg_fn fn, const uint64_t *self)
{
	struct cycle_sums *of = &sums->of;
	size_t events = sums->events, cycle = sums->cycle[fn];

	for (size_t i = 0; cycle != 0 && i < events; i++) {
		size_t column = sums->event + i;

		add_capped(
		    sums->graph, column, &of->out[fn * events + i], self[i]);
		add_capped(sums->graph, column, &of->self[cycle * events + i],
		    self[i]);
		add_capped(sums->graph, column,
		    &of->inclusive[cycle * events + i], self[i]);
	}
}

/*
 * Prepares the distribution of cost through cycles by call counts (flow.c). In
 * each cycle it starts at the member that is called most often from outside of
 * the cycle. False: out of memory.
 */
static bool
begin_flow(struct cg_sums *sums)
{
	const struct cg_graph *graph = sums->graph;
	struct cycle_sums *of = &sums->of;
	uint32_t *entry = calloc(sums->cycles + 1, sizeof(*entry));

	if (!entry)
		return false;
	of->edges = (struct cg_edges){ .first = sums->first,
		.target = sums->target,
		.count = of->count,
		.cycle = sums->cycle };
	for (size_t i = 0; i < graph->fns; i++) {
		cg_fn fn = graph->fn_ranked[i];
		uint32_t *most = &entry[sums->cycle[fn]];

		/* Function 0 is in no cycle: nothing calls it. */
		if (sums->cycle[fn] != 0 &&
		    of->entered[fn] > (*most ? of->entered[*most] : 0))
			*most = fn;
	}
	of->flow = cg_flow_new(&of->edges, graph->fns, entry, sums->cycles + 1);
	free(entry);
	return of->flow != NULL;
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Sets the inclusive cost of a function in a cycle. It is the larger of the
 * cost of calls to it and its self cost plus calls. Recursion counts twice
 * there, so the cycle's cost limits it. The sum so far stays if larger.
 */
static void
set_member(struct cg_sums *sums, cg_fn fn, size_t event)
{
	const struct cycle_sums *of = &sums->of;
	size_t at = fn * sums->events + event;
	uint64_t most = of->inclusive[sums->cycle[fn] * sums->events + event];
	uint64_t cost = larger(of->in[at], of->out[at]);

	sums->inclusive[at] =
	    larger(sums->inclusive[at], cost < most ? cost : most);
}

static bool
end_cycles(struct cg_sums *sums)
{
	struct cycle_sums *of = &sums->of;
	const struct cg_graph *graph = sums->graph;
	bool has_negative = cg_graph_facts(graph) & CG_SIGNED;

	if (of->count && !begin_flow(sums))
		return false;
	if (of->flow)
		memcpy(of->passed, of->in,
		    graph->fns * sums->events * sizeof(*of->in));
	for (size_t i = 0; i < sums->events; i++) {
		if (has_negative && graph->event[sums->event + i].is_signed)
			continue;
		if (is_split(sums, i))
			cg_flow_add(of->flow, &of->out[i], &of->passed[i],
			    sums->events);
		for (cg_fn fn = 1; fn < graph->fns; fn++) {
			if (sums->cycle[fn] != 0 && !of->stated[fn])
				set_member(sums, fn, i);
		}
	}
	return true;
}

/* ---- Costs -------------------------------------------------------------- */

/*
 * Adds a run's costs to its function's self and inclusive sums. Inclusive
 * costs are stated, else self costs plus calls that leave the cycle. If there
 * are cycles, also sums for end_cycles(). False: overflow (not reported).
 */
static bool
sum_run(struct cg_sums *sums, struct cg_rows *rows, const struct cg_run *run)
{
	uint64_t *self = sums->run, *own = self + sums->events;
	uint64_t *inclusive = &sums->inclusive[run->fn * sums->events];
	size_t width = sums->events * sizeof(*own);
	struct cg_call call;
	bool stated, states = false;

	memset(self, 0, width);
	if (!cg_rows_sum_costs(rows, run, self, sums->event, sums->events))
		return false;
	memcpy(own, self, width);
	cg_calls_begin(rows, run, true);
	while (cg_calls_next(rows, &call, &stated)) {
		if (stated && !states)
			memset(own, 0, width);
		states |= stated;
		if ((stated ||
			(!states && leaves(sums, run->fn, call.callee))) &&
		    !add_columns(sums, own, call.cost, call.n))
			return false;
		if (!stated && sums->cycles > 0)
			add_member_call(sums, run->fn, &call);
	}
	if (sums->cycles > 0) {
		add_member_self(sums, run->fn, self);
		sums->of.stated[run->fn] |= states;
	}
	for (size_t i = 0; i < sums->events; i++) {
		if (!cg_add_value(
			sums->graph, sums->event + i, &inclusive[i], own[i]) ||
		    !cg_add_value(sums->graph, sums->event + i,
			&sums->self[run->fn * sums->events + i], self[i]))
			return false;
	}
	return true;
}

/*
 * Reads the rows of a part (thread or process) a second time, after cycles
 * were numbered. Adds the costs of all functions to the sums, then corrects
 * those of members of cycles. False: an error (reported).
 */
static bool
sum_runs(struct cg_sums *sums, struct cg_rows *rows, cg_part part)
{
	const struct cg_run *run;

	if (sums->cycles > 0 && !begin_cycles(sums))
		return false;
	for (size_t i = 0; (run = next_run(sums->graph, part, &i)) != NULL;) {
		if (!sum_run(sums, rows, run))
			return overflow(sums);
	}
	return sums->cycles == 0 || end_cycles(sums);
}

struct cg_sums *
cg_sums_new(const struct cg_graph *graph, cg_part part, bool costs)
{
	return cg_sums_of(graph, part, 0, costs ? graph->events : 0);
}

struct cg_sums *
cg_sums_of(
    const struct cg_graph *graph, cg_part part, size_t event, size_t events)
{
	struct cg_sums *sums = calloc(1, sizeof(*sums));
	struct cg_rows *rows = cg_rows_new(graph);
	size_t fns = graph->fns, width = events * sizeof(uint64_t);
	bool ok = sums && rows;

	if (ok) {
		sums->graph = graph;
		sums->event = event;
		sums->events = events;
		sums->self = new_array(sums, fns, width);
		sums->inclusive = new_array(sums, fns, width);
		sums->run = new_array(sums, 2, width);
		sums->calls_in = new_array(sums, fns, sizeof(uint64_t));
		sums->component = new_array(sums, fns, sizeof(uint32_t));
		sums->cycle = new_array(sums, fns, sizeof(uint32_t));
		sums->called = new_array(sums, fns, 1);
		sums->first = new_array(sums, fns + 2, sizeof(uint32_t));
		ok = sums->self && sums->inclusive && sums->run &&
		     sums->calls_in && sums->component && sums->cycle &&
		     sums->called && sums->first;
	}
	ok = ok && list_calls(sums, rows, part) && number_cycles(sums) &&
	     find_called_cycles(sums) &&
	     (events == 0 || sum_runs(sums, rows, part));
	cg_rows_free(rows);
	if (ok)
		return sums;
	cg_sums_free(sums);
	cg_graph_nomem(graph);
	return NULL;
}

uint64_t
cg_sum_self(const struct cg_sums *sums, cg_fn fn, size_t event)
{
	return sums->self[fn * sums->events + event - sums->event];
}

uint64_t
cg_sum_inclusive(const struct cg_sums *sums, cg_fn fn, size_t event)
{
	return sums->inclusive[fn * sums->events + event - sums->event];
}

uint64_t
cg_sum_calls_in(const struct cg_sums *sums, cg_fn fn)
{
	return sums->calls_in[fn] - (sums->repeats ? sums->repeats[fn] : 0);
}

uint32_t
cg_sum_cycle(const struct cg_sums *sums, cg_fn fn)
{
	return sums->cycle[fn];
}

uint64_t
cg_sum_call(const struct cg_sums *sums, cg_fn caller,
    const struct cg_call *call, size_t event)
{
	const struct cycle_sums *of = &sums->of;
	size_t i = event - sums->event;
	uint32_t cycle = sums->cycle[caller];

	if (of->flow && is_split(sums, i) &&
	    cycle == sums->cycle[call->callee] && of->calls[cycle] > 0)
		return cg_flow_share(of->flow, caller, call->callee,
		    call->count, of->passed[call->callee * sums->events + i]);
	return event < call->n ? call->cost[event] : 0;
}

uint64_t
cg_cycle_self(const struct cg_sums *sums, uint32_t cycle, size_t event)
{
	return sums->of.self[cycle * sums->events + event - sums->event];
}

uint64_t
cg_cycle_inclusive(const struct cg_sums *sums, uint32_t cycle, size_t event)
{
	return sums->of.inclusive[cycle * sums->events + event - sums->event];
}

uint64_t
cg_cycle_calls_in(const struct cg_sums *sums, uint32_t cycle)
{
	return sums->of.calls ? sums->of.calls[cycle] : 0;
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

/* ---- Searches ----------------------------------------------------------- */

/*
 * Finds, for each component, the first function in an order of those that
 * reach it.
 */
struct search {
	const struct cg_sums *sums;
	cg_fn_before *before;
	cg_fn *fn;       /* by component, callers first */
	cg_fn *earliest; /* by component; UINT32_MAX: none yet */
	uint8_t *leads;  /* by component: to a cycle, or is one */
};

static void
note_earliest(const struct search *search, uint32_t component, cg_fn fn)
{
	cg_fn *earliest = &search->earliest[component];

	if (!search->leads[component])
		return;
	if (*earliest == UINT32_MAX ||
	    (*earliest != fn &&
		search->before(search->sums->graph, fn, *earliest)))
		*earliest = fn;
}

/*
 * Fills search->fn with all functions, sorted by component from the highest
 * number down. A component is a recursive cycle or a single function. Callees
 * have lower numbers than callers outside of their cycle, so callers come
 * first. False: out of memory.
 */
static bool
sort_components(struct search *search)
{
	const uint32_t *component = search->sums->component;
	size_t fns = search->sums->graph->fns;
	uint32_t *end = calloc(fns + 1, sizeof(*end));

	if (!end)
		return false;
	for (size_t i = 0; i < fns; i++)
		end[component[i]]++;
	for (size_t i = fns; i-- > 0;)
		end[i] += end[i + 1];
	for (size_t i = 0; i < fns; i++)
		search->fn[--end[component[i]]] = (cg_fn)i;
	free(end);
	return true;
}

/*
 * Sets search->leads, which is all 0, to 1 for each component (recursive cycle
 * or single function) that is a cycle or leads to one by calls. Callees have
 * lower components than their callers, or the same, so one backward pass over
 * search->fn suffices.
 */
static void
find_leading(struct search *search)
{
	const struct cg_sums *sums = search->sums;

	for (size_t i = sums->graph->fns; i-- > 0;) {
		cg_fn fn = search->fn[i];
		uint8_t *leads = &search->leads[sums->component[fn]];

		*leads |= sums->cycle[fn] != 0;
		for (uint32_t k = sums->first[fn];
		     !*leads && k < sums->first[fn + 1]; k++)
			*leads =
			    search->leads[sums->component[sums->target[k]]];
	}
}

static bool
begins_in_cycle(const struct search *search)
{
	const struct cg_sums *sums = search->sums;
	const uint32_t *component = sums->component;
	size_t fns = sums->graph->fns;

	for (size_t i = 0, end; i < fns; i = end) {
		/* NOLINTNEXTLINE(clang-analyzer-core.*): fn has all functions */
		uint32_t own = component[search->fn[i]];

		for (end = i; end < fns && component[search->fn[end]] == own;)
			note_earliest(search, own, search->fn[end++]);
		if (!search->leads[own])
			continue;
		if (sums->cycle[search->fn[i]] != 0 &&
		    component[search->earliest[own]] == own)
			return true;
		for (size_t j = i; j < end; j++) {
			cg_fn fn = search->fn[j];

			for (uint32_t k = sums->first[fn];
			     k < sums->first[fn + 1]; k++)
				note_earliest(search,
				    component[sums->target[k]],
				    search->earliest[own]);
		}
	}
	return false;
}

bool
cg_search_begins_in_cycle(
    const struct cg_sums *sums, cg_fn_before *before, bool *found)
{
	size_t size = sums->graph->fns * sizeof(cg_fn);
	struct search search = { .sums = sums,
		.before = before,
		.fn = malloc(size),
		.earliest = malloc(size),
		.leads = calloc(sums->graph->fns, 1) };
	bool ok = search.fn && search.earliest && search.leads &&
		  sort_components(&search);

	if (ok) {
		memset(search.earliest, 0xff, size);
		find_leading(&search);
	}
	*found = ok && begins_in_cycle(&search);
	free(search.fn);
	free(search.earliest);
	free(search.leads);
	if (!ok)
		cg_graph_nomem(sums->graph);
	return ok;
}
