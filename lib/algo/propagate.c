/*
 * propagate.c - inclusive costs of calls from their counts, as in gprof.
 *
 * Source: gprof's arithmetic, as its manual and its output show it. The cost
 * of a function is its self cost plus the costs of its calls; it is split
 * among its callers by call counts. A cycle counts as one function: its cost
 * is split among the calls from outside, whichever member they enter; calls
 * within it cost nothing. There are two differences:
 *
 * - Costs are whole numbers, and the sum of the shares is exact.
 * - A call within a cycle gets a share of the part of the callee's cost that
 *   callers from outside do not account for. KCachegrind ignores such calls.
 *   Tools without cycle detection (callgrind_annotate) then show a member with
 *   its self cost and its calls out of the cycle, not with less than its self
 *   cost.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "base/wide.h"

struct arc {
	uint32_t caller, callee; /* index in prop->fn */
	uint64_t count;
	uint64_t cost;
};

struct prop {
	struct cg_graph *graph;
	struct cg_scope scope; /* has all arrays */
	struct cg_rows *rows;
	size_t event;

	uint32_t *index; /* fn -> index in prop->fn, + 1 */
	cg_fn *fn;       /* functions of the part; callers first */
	size_t fns, fn_cap, callers;
	struct arc *arc; /* by caller */
	size_t arcs, arc_cap;
	uint32_t *first, *target; /* arcs as compressed rows */
	size_t first_cap, target_cap;

	uint32_t *component;
	uint32_t *into, *by; /* arcs by component of their callee */
	size_t component_cap, into_cap, by_cap;
	uint64_t *member; /* by index: self cost and calls out of the cycle */
	uint64_t *total;  /* by component */
	size_t member_cap, total_cap;
	struct cg_share *share;
	struct cg_call *call; /* of one function */
	size_t share_cap, call_cap;
};

static int
compare_rest(const void *pa, const void *pb)
{
	const struct cg_share *a = pa, *b = pb;

	if (a->rest != b->rest)
		return a->rest > b->rest ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/*
 * Moves each share to its index, in place. Thus restores the order before
 * shares were sorted by remainder.
 */
static void
put_back(struct cg_share *share, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		while (share[i].index != i) {
			struct cg_share other = share[share[i].index];

			share[share[i].index] = share[i];
			share[i] = other;
		}
	}
}

void
cg_share_out(uint64_t total, uint64_t sum, struct cg_share *share, size_t n)
{
	uint64_t left = total;

	for (size_t i = 0; i < n; i++) {
		(void)cg_wide_scale(total, share[i].weight, 0, sum,
		    &share[i].share, &share[i].rest);
		share[i].index = (uint32_t)i;
		left -= share[i].share;
	}
	if (left == 0)
		return;
	/*
	 * The number of units left is less than that of weights with a
	 * remainder.
	 */
	cg_sort(share, n, sizeof(*share), compare_rest);
	for (size_t i = 0; i < n && left > 0; i++, left--)
		share[i].share++;
	put_back(share, n);
}

/*
 * Returns the function's index in the arrays for the current part (thread or
 * process), appended to prop->fn if it has none. If memory runs out, clears
 * *ok and returns 0; else leaves *ok as it is.
 */
static uint32_t
index_of(struct prop *prop, cg_fn fn, bool *ok)
{
	if (prop->index[fn] != 0)
		return prop->index[fn] - 1;
	if (!cg_scope_grow(&prop->scope, &prop->fn, &prop->fn_cap,
		prop->fns + 1, sizeof(*prop->fn))) {
		*ok = false;
		return 0;
	}
	prop->fn[prop->fns++] = fn;
	prop->index[fn] = (uint32_t)prop->fns;
	return (uint32_t)prop->fns - 1;
}

static bool
overflow(const struct prop *prop)
{
	cg_graph_overflow(prop->graph, "inclusive costs");
	return false;
}

/*
 * Sums the self costs of the function with index `caller` in prop->fn into
 * prop->member, and appends its calls to prop->arc. False: an error.
 */
static bool
collect_fn(struct prop *prop, cg_part part, uint32_t caller)
{
	struct cg_cost cost;
	struct cg_call call;
	bool ok = cg_rows_open(prop->rows, part, prop->fn[caller]);

	/* Cannot overflow: the part's total was checked. */
	while (ok && cg_next_cost(prop->rows, &cost)) {
		if (prop->event < cost.n)
			prop->member[caller] += cost.cost[prop->event];
	}
	while (ok && cg_next_call(prop->rows, &call)) {
		ok = prop->arcs < UINT32_MAX - 1 &&
		     cg_scope_grow(&prop->scope, &prop->arc, &prop->arc_cap,
			 prop->arcs + 1, sizeof(*prop->arc));
		if (ok)
			prop->arc[prop->arcs++] =
			    (struct arc){ .caller = caller,
				    .callee = index_of(prop, call.callee, &ok),
				    .count = call.count };
	}
	return ok;
}

/*
 * Reads the self costs and calls of the functions of a part (thread or
 * process) that have rows. These functions get indexes from 0, in the order of
 * their ranks. Functions that are only called get the indexes after them.
 * False: an error.
 */
static bool
collect(struct prop *prop, cg_part part)
{
	const struct cg_graph *graph = prop->graph;
	bool ok = true;
	cg_fn fn;

	prop->fns = prop->arcs = 0;
	for (size_t i = 0; ok && cg_next_fn(graph, part, &i, &fn);)
		(void)index_of(prop, fn, &ok);
	prop->callers = prop->fns;
	ok = ok && cg_scope_grow(&prop->scope, &prop->member, &prop->member_cap,
		       prop->fns + 1, sizeof(*prop->member));
	if (ok)
		memset(prop->member, 0, prop->fns * sizeof(*prop->member));
	for (uint32_t i = 0; ok && i < prop->callers; i++)
		ok = collect_fn(prop, part, i);
	for (size_t i = 0; i < prop->fns; i++)
		prop->index[prop->fn[i]] = 0;
	return ok && *graph->fault == CG_OK;
}

static bool
make_room(struct prop *prop)
{
	size_t fns = prop->fns + 1, arcs = prop->arcs + 1;

	return cg_scope_grow(&prop->scope, &prop->first, &prop->first_cap,
		   fns + 1, sizeof(*prop->first)) &&
	       cg_scope_grow(&prop->scope, &prop->target, &prop->target_cap,
		   arcs, sizeof(*prop->target)) &&
	       cg_scope_grow(&prop->scope, &prop->component,
		   &prop->component_cap, fns, sizeof(*prop->component)) &&
	       cg_scope_grow(&prop->scope, &prop->into, &prop->into_cap,
		   fns + 2, sizeof(*prop->into)) &&
	       cg_scope_grow(&prop->scope, &prop->by, &prop->by_cap, arcs,
		   sizeof(*prop->by)) &&
	       cg_scope_grow(&prop->scope, &prop->member, &prop->member_cap,
		   fns, sizeof(*prop->member)) &&
	       cg_scope_grow(&prop->scope, &prop->total, &prop->total_cap, fns,
		   sizeof(*prop->total)) &&
	       cg_scope_grow(&prop->scope, &prop->share, &prop->share_cap, arcs,
		   sizeof(*prop->share));
}

/*
 * Finds the components of the calls: recursive cycles, or single functions.
 * Sorts the calls by component of the callee. Those of c are by[into[c]] to
 * by[into[c + 1] - 1]. False: out of memory.
 */
static bool
find_components(struct prop *prop)
{
	uint32_t *component, count;
	size_t arc = 0;

	if (!make_room(prop))
		return false;
	component = prop->component;
	for (size_t i = 0; i < prop->fns; i++) {
		prop->first[i] = (uint32_t)arc;
		for (; arc < prop->arcs && prop->arc[arc].caller == i; arc++)
			prop->target[arc] = prop->arc[arc].callee;
	}
	prop->first[prop->fns] = (uint32_t)arc;
	count = cg_components(
	    (uint32_t)prop->fns, prop->first, prop->target, component);
	if (count == UINT32_MAX)
		return false;
	memset(prop->into, 0, (prop->fns + 2) * sizeof(*prop->into));
	for (size_t i = 0; i < prop->arcs; i++)
		prop->into[component[prop->arc[i].callee] + 2]++;
	for (size_t i = 2; i < prop->fns + 2; i++)
		prop->into[i] += prop->into[i - 1];
	for (uint32_t i = 0; i < prop->arcs; i++)
		prop->by[prop->into[component[prop->arc[i].callee] + 1]++] = i;
	return true;
}

/*
 * Sets the total of each component (cycle or single function) to the self
 * costs of its members; functions that are only called have none.
 */
static void
begin_totals(struct prop *prop)
{
	memset(prop->member + prop->callers, 0,
	    (prop->fns - prop->callers) * sizeof(*prop->member));
	memset(prop->total, 0, prop->fns * sizeof(*prop->total));
	for (size_t i = 0; i < prop->callers; i++)
		prop->total[prop->component[i]] += prop->member[i];
}

/*
 * Splits the complete cost of a component among the calls from outside, by
 * their counts. Adds each share to the caller and its component. Calls within
 * it get 0, as do all if none has a count. False: overflow (reported).
 */
static bool
share_component(struct prop *prop, uint32_t component)
{
	uint32_t begin = prop->into[component], end = prop->into[component + 1];
	uint64_t sum = 0;
	size_t n = 0;

	for (uint32_t i = begin; i < end; i++) {
		struct arc *arc = &prop->arc[prop->by[i]];

		arc->cost = 0;
		if (prop->component[arc->caller] == component)
			continue;
		prop->share[n++].weight = arc->count;
		if (__builtin_add_overflow(sum, arc->count, &sum))
			return overflow(prop);
	}
	if (sum == 0)
		return true;
	cg_share_out(prop->total[component], sum, prop->share, n);
	n = 0;
	for (uint32_t i = begin; i < end; i++) {
		struct arc *arc = &prop->arc[prop->by[i]];
		uint32_t caller = prop->component[arc->caller];

		if (caller == component)
			continue;
		arc->cost = prop->share[n++].share;
		/* Cannot overflow: the total was checked. */
		prop->total[caller] += arc->cost;
		prop->member[arc->caller] += arc->cost;
	}
	return true;
}

/*
 * Splits the cost of a function in a cycle among the calls from within, by
 * counts. Calls from outside are subtracted first, and direct recursion gets
 * nothing. by[] lists the n calls to it. False: overflow (reported).
 */
static bool
share_member(struct prop *prop, const uint32_t *by, size_t n)
{
	uint32_t callee = prop->arc[by[0]].callee;
	uint64_t sum = 0, outside = 0, left;
	size_t inside = 0;

	for (size_t i = 0; i < n; i++) {
		const struct arc *arc = &prop->arc[by[i]];

		if (prop->component[arc->caller] != prop->component[callee]) {
			outside += arc->cost;
			continue;
		}
		if (arc->caller == callee)
			continue;
		prop->share[inside++].weight = arc->count;
		if (__builtin_add_overflow(sum, arc->count, &sum))
			return overflow(prop);
	}
	if (sum == 0 || prop->member[callee] <= outside)
		return true;
	left = prop->member[callee] - outside;
	cg_share_out(left, sum, prop->share, inside);
	inside = 0;
	for (size_t i = 0; i < n; i++) {
		struct arc *arc = &prop->arc[by[i]];

		if (prop->component[arc->caller] == prop->component[callee] &&
		    arc->caller != callee)
			arc->cost = prop->share[inside++].share;
	}
	return true;
}

/*
 * Splits the cost of each function in a recursive cycle among the calls to it
 * from within the cycle. For that, prop->by gets the numbers of all calls,
 * sorted by callee (counting sort). Other functions are not changed. False:
 * overflow (reported).
 */
static bool
share_cycles(struct prop *prop)
{
	uint32_t *into = prop->into;

	memset(into, 0, (prop->fns + 2) * sizeof(*into));
	for (size_t i = 0; i < prop->arcs; i++)
		into[prop->arc[i].callee + 2]++;
	for (size_t i = 2; i < prop->fns + 2; i++)
		into[i] += into[i - 1];
	for (uint32_t i = 0; i < prop->arcs; i++)
		prop->by[into[prop->arc[i].callee + 1]++] = i;
	for (size_t i = 0; i < prop->fns; i++) {
		if (into[i] < into[i + 1] &&
		    !share_member(
			prop, &prop->by[into[i]], into[i + 1] - into[i]))
			return false;
	}
	return true;
}

/*
 * Adds the computed costs of the caller's calls, as rows of the same calls
 * with count 0. A cursor merges them with the existing rows. cost: scratch
 * space by event, all 0. False: out of memory.
 */
static bool
add_costs(struct prop *prop, cg_part part, uint32_t caller, uint64_t *cost)
{
	size_t arcs = prop->first[caller + 1] - prop->first[caller], n = 0;
	const struct arc *arc;
	uint64_t any = 0;
	struct cg_run *run;
	bool ok;

	if (arcs == 0)
		return true;
	arc = &prop->arc[prop->first[caller]];
	for (size_t i = 0; i < arcs; i++)
		any |= arc[i].cost;
	if (any == 0)
		return true;
	ok = cg_scope_grow(&prop->scope, &prop->call, &prop->call_cap, arcs + 1,
		 sizeof(*prop->call)) &&
	     cg_rows_open(prop->rows, part, prop->fn[caller]);
	while (ok && n <= arcs && cg_next_call(prop->rows, &prop->call[n]))
		n++;
	run =
	    n == arcs ? cg_run_get(prop->graph, part, prop->fn[caller]) : NULL;
	ok = ok && run != NULL;
	for (size_t i = 0; ok && i < n; i++) {
		struct cg_call *call = &prop->call[i];

		if (arc[i].cost == 0)
			continue;
		cost[prop->event] = arc[i].cost;
		call->count = 0;
		call->cost = cost;
		call->n = prop->event + 1;
		ok = cg_run_add_call(prop->graph, run, call);
	}
	cost[prop->event] = 0;
	return ok;
}

static bool
propagate_part(struct prop *prop, cg_part part, uint64_t *cost)
{
	bool ok = collect(prop, part) && find_components(prop);

	if (ok)
		begin_totals(prop);
	for (uint32_t i = 0; ok && i < prop->fns; i++)
		ok = share_component(prop, i);
	ok = ok && share_cycles(prop);
	for (uint32_t i = 0; ok && i < prop->callers; i++)
		ok = add_costs(prop, part, i, cost);
	return ok;
}

int
cg_propagate(struct cg_graph *graph)
{
	struct prop prop = { .graph = graph };
	uint64_t *cost =
	    cg_scope_alloc(&prop.scope, graph->events * sizeof(*cost));
	bool ok;

	prop.rows = cg_rows_new(graph);
	prop.index =
	    cg_scope_alloc(&prop.scope, graph->fns * sizeof(*prop.index));
	ok = cost && prop.rows && prop.index;
	for (size_t i = 0; ok && i < graph->events; i++) {
		if (graph->event[i].incl != CG_INCL_BY_COUNTS)
			continue;
		prop.event = i;
		for (cg_part part = 0; ok && part < graph->parts; part++)
			ok = propagate_part(&prop, part, cost);
	}
	cg_rows_free(prop.rows);
	cg_scope_end(&prop.scope);
	if (!ok) {
		cg_graph_nomem(graph);
		return *graph->fault;
	}
	/*
	 * Mark the costs as known: a second propagation would add them again.
	 */
	for (size_t i = 0; i < graph->events; i++) {
		if (graph->event[i].incl == CG_INCL_BY_COUNTS)
			graph->event[i].incl = CG_INCL_SPLIT;
	}
	graph->facts |= CG_INCL;
	return CG_OK;
}
