/*
 * guess.c - call stacks out of calls (--guess-stacks): an estimate.
 *
 * Who called a function's caller does not show in calls. It is taken to be as
 * likely as what all calls of that caller cost: each way down from a root
 * gets the portion of a function that its calls' costs are of all calls of
 * that function. The heaviest ways are followed first, within bounds; a
 * function that stands on the way already is not called again. What a
 * function costs itself is then shared out among its ways in whole numbers
 * that add up exactly, so nothing is lost but what was never known.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

/* What is followed: so deep, so many ways, each of so much of the total. */
#define DEPTH_MAX 128
#define WAYS_MAX 200000
#define SHARE_MIN 1e-6
/* A function's lines times the ways that they are shared among. */
#define SPREAD_MAX 65536

#define NO_WAY UINT32_MAX

/* A call site and whom it calls; costs are in guess.flow. */
struct arc {
	cg_fn caller, callee;
	struct cg_pos site;
};

/* A function on one way from a root; portions are in guess.portion. */
struct way {
	cg_fn fn;
	cg_node below; /* the caller at its call site */
	uint32_t up;   /* the caller's way, or NO_WAY */
	uint32_t next; /* the next one of the function */
	uint32_t depth;
};

/* A way that may be followed. */
struct offer {
	double share; /* of the total, by the event where it is most */
	uint32_t way, arc;
};

struct guess {
	struct cg_build *build;
	struct cg_graph *graph;
	struct cg_rows *rows;
	cg_part part;
	size_t columns; /* events, and counts behind them */

	struct arc *arc; /* by caller */
	size_t arcs, arc_cap;
	uint64_t *flow; /* arc * columns + column */
	size_t flow_cap;
	uint32_t *first; /* by fn: its arcs, up to the next one's */
	double *into;    /* fn * columns + column: sum of calls */
	double *total;   /* by event */

	struct way *way;
	size_t ways, way_cap;
	double *portion; /* way * columns + column */
	size_t portion_cap;
	uint32_t *of;        /* by fn: its first way, NO_WAY: none */
	uint32_t *last;      /* ... and its last */
	struct offer *offer; /* a heap, the best first */
	size_t offers, offer_cap;

	struct cg_share *share;
	size_t share_cap;
	uint64_t *spread; /* way of a function * events + event */
	size_t spread_cap;
};

/* ---- Calls --------------------------------------------------------------- */

static uint64_t
weight_of(const struct cg_graph *graph, const struct cg_call *call, size_t i)
{
	if (i == graph->events)
		return call->count > 0 ? call->count : 1;
	if (i >= call->n ||
	    (graph->event[i].is_signed && (int64_t)call->cost[i] < 0))
		return 0;
	return call->cost[i];
}

static bool
add_arc(struct guess *guess, cg_fn caller, const struct cg_call *call)
{
	size_t at = guess->arcs * guess->columns;

	/* Recursion adds nothing to what a function's ways are. */
	if (call->callee == caller)
		return true;
	if (guess->arcs >= UINT32_MAX - 1 ||
	    !cg_grow_raw(&guess->arc, &guess->arc_cap, guess->arcs + 1,
		sizeof(*guess->arc)) ||
	    !cg_grow_raw(&guess->flow, &guess->flow_cap, at + guess->columns,
		sizeof(*guess->flow)))
		return false;
	guess->arc[guess->arcs++] =
	    (struct arc){ caller, call->callee, call->site };
	for (size_t i = 0; i < guess->columns; i++) {
		guess->flow[at + i] = weight_of(guess->graph, call, i);
		guess->into[call->callee * guess->columns + i] +=
		    (double)guess->flow[at + i];
	}
	return true;
}

static bool
load_arcs(struct guess *guess)
{
	struct cg_graph *graph = guess->graph;
	struct cg_call call;

	guess->arcs = 0;
	memset(
	    guess->into, 0, graph->fns * guess->columns * sizeof(*guess->into));
	for (cg_fn fn = 0; fn < graph->fns; fn++) {
		guess->first[fn] = (uint32_t)guess->arcs;
		if (!cg_run_find(graph, guess->part, fn))
			continue;
		if (!cg_rows_open(guess->rows, guess->part, fn))
			return false;
		while (cg_next_call(guess->rows, &call)) {
			if (!add_arc(guess, fn, &call))
				return false;
		}
	}
	guess->first[graph->fns] = (uint32_t)guess->arcs;
	return true;
}

/* ---- Ways ---------------------------------------------------------------- */

static double *
portion_of(const struct guess *guess, uint32_t way)
{
	return guess->portion + way * guess->columns;
}

static bool
is_better(const struct offer *a, const struct offer *b)
{
	if (a->share < b->share || a->share > b->share)
		return a->share > b->share;
	if (a->way != b->way)
		return a->way < b->way;
	return a->arc < b->arc;
}

static bool
push_offer(struct guess *guess, struct offer offer)
{
	struct offer *heap;
	size_t at = guess->offers;

	if (!cg_grow_raw(
		&guess->offer, &guess->offer_cap, at + 1, sizeof(offer)))
		return false;
	heap = guess->offer;
	guess->offers++;
	for (; at > 0 && is_better(&offer, &heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = offer;
	return true;
}

static struct offer
pop_offer(struct guess *guess)
{
	struct offer *heap = guess->offer, best = heap[0];
	struct offer moved = heap[--guess->offers];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < guess->offers) {
		if (child + 1 < guess->offers &&
		    is_better(&heap[child + 1], &heap[child]))
			child++;
		if (!is_better(&heap[child], &moved))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
	return best;
}

/* The portion of the callee that one way of the caller brings. */
static double
portion_by(const struct guess *guess, uint32_t way, uint32_t arc, size_t i)
{
	double into = guess->into[guess->arc[arc].callee * guess->columns + i];
	double flow = (double)guess->flow[arc * guess->columns + i];

	return into > 0 ? portion_of(guess, way)[i] * flow / into : 0;
}

/* How much of the total a call on a way is: by costs, by counts without. */
static double
share_by(const struct guess *guess, uint32_t way, uint32_t arc)
{
	const uint64_t *flow = guess->flow + arc * guess->columns;
	const double *portion = portion_of(guess, way);
	double best = 0, share;
	bool costs = false;

	for (size_t i = 0; i + 1 < guess->columns; i++) {
		if (flow[i] == 0 || guess->total[i] <= 0)
			continue;
		costs = true;
		share = portion[i] * (double)flow[i] / guess->total[i];
		best = share > best ? share : best;
	}
	return costs ? best : portion_by(guess, way, arc, guess->columns - 1);
}

static bool
is_on_way(const struct guess *guess, uint32_t way, cg_fn fn)
{
	while (way != NO_WAY && guess->way[way].fn != fn)
		way = guess->way[way].up;
	return way != NO_WAY;
}

/* Offers the calls of a way's function. */
static bool
offer_calls(struct guess *guess, uint32_t way)
{
	cg_fn fn = guess->way[way].fn;

	if (guess->way[way].depth >= DEPTH_MAX)
		return true;
	for (uint32_t i = guess->first[fn]; i < guess->first[fn + 1]; i++) {
		double share = share_by(guess, way, i);

		if (share >= SHARE_MIN &&
		    !push_offer(guess, (struct offer){ share, way, i }))
			return false;
	}
	return true;
}

/* The function's own node on a way is made where its cost is known. */
static bool
add_way(struct guess *guess, cg_fn fn, uint32_t up, uint32_t arc)
{
	size_t columns = guess->columns;
	uint32_t id = (uint32_t)guess->ways;
	struct way way = { .fn = fn, .up = up, .next = NO_WAY, .depth = 1 };

	if (!cg_grow_raw(
		&guess->way, &guess->way_cap, guess->ways + 1, sizeof(way)) ||
	    !cg_grow_raw(&guess->portion, &guess->portion_cap,
		(guess->ways + 1) * columns, sizeof(*guess->portion)))
		return false;
	for (size_t i = 0; i < columns; i++)
		portion_of(guess, id)[i] =
		    up == NO_WAY ? 1 : portion_by(guess, up, arc, i);
	if (up != NO_WAY) {
		const struct way *caller = &guess->way[up];

		way.depth = caller->depth + 1;
		/* The unknown caller is no frame. */
		if (caller->fn != 0 || caller->up != NO_WAY)
			way.below = cg_add_frame(guess->build, caller->below,
			    caller->fn, &guess->arc[arc].site, false);
	}
	guess->way[id] = way;
	if (guess->of[fn] == NO_WAY)
		guess->of[fn] = id;
	else
		guess->way[guess->last[fn]].next = id;
	guess->last[fn] = id;
	guess->ways++;
	return true;
}

/* From what nobody calls, the heaviest ways first. */
static bool
follow_ways(struct guess *guess)
{
	const struct cg_graph *graph = guess->graph;
	bool ok = true;

	for (size_t place = 0; ok && place < graph->fns; place++) {
		cg_fn fn = graph->fn_ranked[place];

		/* The last column is counts, at least 1. */
		if (cg_run_find(graph, guess->part, fn) &&
		    guess->into[(fn + 1) * guess->columns - 1] <= 0)
			ok = add_way(guess, fn, NO_WAY, 0) &&
			     offer_calls(guess, (uint32_t)guess->ways - 1);
	}
	while (ok && guess->offers > 0 && guess->ways < WAYS_MAX) {
		struct offer offer = pop_offer(guess);
		cg_fn callee = guess->arc[offer.arc].callee;

		if (is_on_way(guess, offer.way, callee))
			continue;
		ok = add_way(guess, callee, offer.way, offer.arc) &&
		     offer_calls(guess, (uint32_t)guess->ways - 1);
	}
	guess->offers = 0;
	return ok;
}

/* From ways with number begin on: callees that have no way yet get one. */
static bool
reach_callees(struct guess *guess, uint32_t begin, uint8_t *done)
{
	bool ok = true;

	for (uint32_t way = begin; ok && way < guess->ways; way++) {
		cg_fn fn = guess->way[way].fn;

		if (done[fn] || guess->way[way].depth >= DEPTH_MAX)
			continue;
		done[fn] = 1;
		for (uint32_t i = guess->first[fn];
		     ok && i < guess->first[fn + 1]; i++) {
			cg_fn callee = guess->arc[i].callee;

			if (guess->of[callee] == NO_WAY)
				ok = add_way(guess, callee, way, i);
		}
	}
	return ok;
}

/* What was too light, or is called in a circle only, gets one way. */
static bool
reach_all(struct guess *guess)
{
	const struct cg_graph *graph = guess->graph;
	uint8_t *done = calloc(graph->fns, 1);
	bool ok = done && reach_callees(guess, 0, done);

	for (size_t place = 0; ok && place < graph->fns; place++) {
		cg_fn fn = graph->fn_ranked[place];
		uint32_t begin = (uint32_t)guess->ways;

		if (guess->of[fn] == NO_WAY &&
		    cg_run_find(graph, guess->part, fn))
			ok = add_way(guess, fn, NO_WAY, 0) &&
			     reach_callees(guess, begin, done);
	}
	free(done);
	return ok;
}

/* ---- Costs --------------------------------------------------------------- */

/* Weights of a function's first n ways for an event; returns their sum. */
static uint64_t
weigh_ways(struct guess *guess, cg_fn fn, size_t event, size_t n)
{
	size_t columns = guess->columns;
	/* Where calls have no cost of the event, counts must do. */
	size_t i = guess->into[fn * columns + event] > 0 ? event : columns - 1;
	uint32_t way = guess->of[fn];
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++, way = guess->way[way].next) {
		double portion = portion_of(guess, way)[i];

		guess->share[k].weight = (uint64_t)(portion * (1u << 30));
		sum += guess->share[k].weight;
	}
	if (sum == 0)
		sum = guess->share[0].weight = 1;
	return sum;
}

/* Shares out one value of one place. */
static void
spread_value(
    struct guess *guess, cg_fn fn, size_t event, uint64_t value, size_t n)
{
	const struct cg_graph *graph = guess->graph;
	bool minus = graph->event[event].is_signed && (int64_t)value < 0;
	uint64_t sum = weigh_ways(guess, fn, event, n);

	cg_share_out(minus ? 0 - value : value, sum, guess->share, n);
	for (size_t k = 0; k < n; k++) {
		uint64_t part = guess->share[k].share;

		guess->spread[k * graph->events + event] =
		    minus ? 0 - part : part;
	}
}

static bool
spread_row(struct guess *guess, cg_fn fn, const struct cg_cost *cost, size_t n)
{
	size_t events = guess->graph->events;
	uint32_t way = guess->of[fn];

	memset(guess->spread, 0, n * events * sizeof(*guess->spread));
	for (size_t i = 0; i < cost->n; i++) {
		if (cost->cost[i] != 0)
			spread_value(guess, fn, i, cost->cost[i], n);
	}
	for (size_t k = 0; k < n; k++, way = guess->way[way].next) {
		const uint64_t *part = guess->spread + k * events;
		size_t i = 0;

		while (i < events && part[i] == 0)
			i++;
		if (i == events)
			continue;
		cg_add_stack(guess->build,
		    cg_add_frame(guess->build, guess->way[way].below, fn,
			&cost->pos, false),
		    0, part, events);
	}
	return guess->build->status == CG_OK;
}

/* How many of its ways, the heaviest of which come first, a function gets. */
static size_t
count_ways(const struct guess *guess, cg_fn fn, size_t rows)
{
	size_t n = 0, most = rows < SPREAD_MAX ? SPREAD_MAX / rows : 1;

	for (uint32_t way = guess->of[fn]; way < guess->ways && n < most;
	     way = guess->way[way].next)
		n++;
	return n;
}

static bool
spread_fn(struct guess *guess, cg_fn fn)
{
	size_t rows = 1, n, events = guess->graph->events;
	struct cg_cost cost;

	if (!cg_rows_open(guess->rows, guess->part, fn))
		return false;
	while (cg_next_cost(guess->rows, &cost))
		rows++;
	n = count_ways(guess, fn, rows);
	if (!cg_grow(
		&guess->share, &guess->share_cap, n, sizeof(*guess->share)) ||
	    !cg_grow(&guess->spread, &guess->spread_cap, n * events + 1,
		sizeof(*guess->spread)) ||
	    !cg_rows_open(guess->rows, guess->part, fn))
		return false;
	while (cg_next_cost(guess->rows, &cost)) {
		if (!spread_row(guess, fn, &cost, n))
			return false;
	}
	return true;
}

/* ---- All ----------------------------------------------------------------- */

/* Stacks that are there already count as before. */
static void
begin_totals(struct guess *guess, uint64_t *was, size_t events)
{
	const struct cg_graph *graph = guess->graph;
	uint64_t *total = graph->part[guess->part].total;
	struct cg_stack_cost stack;

	for (size_t i = 0; i < events; i++) {
		guess->total[i] = graph->event[i].is_signed
				      ? (double)(int64_t)total[i]
				      : (double)total[i];
		was[i] = total[i];
		total[i] = 0;
	}
	for (size_t i = 0; cg_next_stack(graph, guess->part, &i, &stack);) {
		for (size_t k = 0; k < stack.n; k++)
			total[k] += stack.cost[k];
	}
}

/* The part's sums are made anew by its stacks, and must be the same then. */
static bool
guess_part(struct guess *guess, cg_part part)
{
	struct cg_graph *graph = guess->graph;
	struct cg_part_entry *entry = &graph->part[part];
	size_t events =
	    entry->totals < graph->events ? entry->totals : graph->events;
	size_t width = events * sizeof(uint64_t);
	uint64_t *was = calloc(events + 1, sizeof(*was));
	bool ok = was != NULL;
	cg_fn fn;

	guess->part = part;
	guess->ways = 0;
	if (ok)
		begin_totals(guess, was, events);
	memset(guess->of, 0xff, graph->fns * sizeof(*guess->of));
	cg_set_part(guess->build, part);
	ok = ok && load_arcs(guess) && follow_ways(guess) && reach_all(guess);
	for (size_t i = 0; ok && cg_next_fn(graph, part, &i, &fn);)
		ok = spread_fn(guess, fn);
	if (ok && width > 0 && memcmp(was, entry->total, width) != 0) {
		cg_build_fail(guess->build,
		    "internal error: guessed stacks do not add up");
		guess->build->status = CG_EBUG;
	}
	free(was);
	cg_add_desc(
	    guess->build, cg_slice(CG_GUESSED_KEY), cg_slice(CG_GUESSED_VALUE));
	return ok;
}

static void
close_guess(struct guess *guess)
{
	cg_rows_free(guess->rows);
	free(guess->arc);
	free(guess->flow);
	free(guess->first);
	free(guess->into);
	free(guess->total);
	free(guess->way);
	free(guess->portion);
	free(guess->of);
	free(guess->last);
	free(guess->offer);
	free(guess->share);
	free(guess->spread);
}

static bool
open_guess(struct guess *guess)
{
	const struct cg_graph *graph = guess->graph;
	size_t columns = guess->columns, fns = graph->fns;

	guess->rows = cg_rows_new(graph);
	guess->first = calloc(fns + 1, sizeof(*guess->first));
	guess->into = calloc(fns, columns * sizeof(*guess->into));
	guess->total = calloc(columns, sizeof(*guess->total));
	guess->of = calloc(fns, sizeof(*guess->of));
	guess->last = calloc(fns, sizeof(*guess->last));
	return guess->rows && guess->first && guess->into && guess->total &&
	       guess->of && guess->last;
}

int
cg_guess_stacks(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	struct guess guess = {
		.build = build, .graph = graph, .columns = graph->events + 1
	};
	bool ok = open_guess(&guess);

	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = guess_part(&guess, part);
	close_guess(&guess);
	if (!ok)
		cg_build_nomem(build);
	return cg_build_failed(build, NULL);
}

bool
cg_stacks_guessed(const struct cg_graph *graph, cg_part part)
{
	return cg_part_says(graph, part, CG_GUESSED_KEY, CG_GUESSED_VALUE);
}
