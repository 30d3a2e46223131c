/*
 * guess.c - estimates call stacks from calls (--guess-stacks).
 *
 * Calls do not show who called the caller. The estimate assumes that the cost
 * of a function splits among its callers as the cost of its calls does: each
 * call path from a root gets the portion of a function's cost that the calls
 * on the path have in all calls of the function. The heaviest paths are
 * followed first, within bounds; a path does not enter a function twice. The
 * self cost of a function is then distributed among its paths in whole
 * numbers, so that sums stay exact.
 *
 * Positions that the target cannot represent are dropped: then all rows of a
 * function are one. Otherwise there are many rows, so a row goes to at most
 * one path for each ROW_MIN of the total that it has, the heaviest paths
 * first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

/*
 * Bounds of depth, number of paths, and a path's share of the total. Each
 * candidate may become a path, so at most PATHS_MAX candidates are kept.
 */
#define DEPTH_MAX 128
#define PATHS_MAX 200000
#define SHARE_MIN 1e-6
#define ROW_MIN 1e-5
/* Bound of the rows of a function times its paths. */
#define SPREAD_MAX 65536

#define NO_PATH UINT32_MAX

/* A call; its costs are in guess.flow. */
struct arc {
	cg_fn caller, callee;
	struct cg_pos site;
};

/* A function on a path from a root; its portions are in guess.portion. */
struct call_path {
	cg_fn fn;
	cg_node below; /* node of the caller at the call site */
	uint32_t up;   /* the caller's path, or NO_PATH */
	uint32_t next; /* next path of the function */
	uint32_t depth;
};

/* A path that may be extended by a call. */
struct candidate {
	double share; /* of the total, the largest of any event */
	uint32_t path, arc;
};

struct guess {
	struct cg_build *build;
	struct cg_graph *graph;
	struct cg_rows *rows;
	cg_part part;
	size_t columns;  /* events, and one for counts */
	cg_facts places; /* kept positions: CG_LINES, CG_INSTRS */

	struct arc *arc; /* by caller */
	size_t arcs, arc_cap;
	uint64_t *flow; /* arc * columns + column */
	size_t flow_cap;
	uint32_t *first; /* by fn: its arcs end where the next ones begin */
	uint32_t *last;  /* by fn: the last arc to it, or 0 */
	double *into;    /* fn * columns + column: sum of calls */
	double *total;   /* by event */

	struct call_path *path;
	size_t paths, path_cap;
	double *portion; /* path * columns + column */
	size_t portion_cap;
	uint32_t *first_path;        /* by fn: its first path, or NO_PATH */
	uint32_t *last_path;         /* ... and its last */
	struct candidate *candidate; /* a heap, the best first */
	size_t candidates, candidate_cap;
	struct candidate least; /* worse ones are dropped; share 0: none yet */

	uint64_t *row; /* sums of the rows with one position, by event */
	struct cg_share *share;
	size_t share_cap;
	uint64_t *spread; /* path of a function * events + event */
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

/*
 * Returns the position reduced to what the output format can represent: line,
 * address, both or nothing. Rows that become equal are then distributed as
 * one.
 */
static struct cg_pos
place_of(const struct guess *guess, const struct cg_pos *pos)
{
	struct cg_pos place = { 0 };

	if (guess->places & CG_LINES) {
		place.file = pos->file;
		place.line = pos->line;
	}
	if (guess->places & CG_INSTRS)
		place.addr = pos->addr;
	return place;
}

static bool
is_same_place(const struct cg_pos *a, const struct cg_pos *b)
{
	return a->file == b->file && a->line == b->line && a->addr == b->addr;
}

/*
 * Appends an arc (calls of a callee from one call site) with costs of 0; the
 * caller sets its members. Returns it, valid until the next one is added;
 * NULL: out of memory.
 */
static struct arc *
new_arc(struct guess *guess)
{
	size_t at = guess->arcs * guess->columns;

	if (guess->arcs >= UINT32_MAX - 1 ||
	    !cg_grow_raw(&guess->arc, &guess->arc_cap, guess->arcs + 1,
		sizeof(*guess->arc)) ||
	    !cg_grow_raw(&guess->flow, &guess->flow_cap, at + guess->columns,
		sizeof(*guess->flow)))
		return NULL;
	memset(guess->flow + at, 0, guess->columns * sizeof(*guess->flow));
	return &guess->arc[guess->arcs++];
}

/*
 * Returns the sum of two weights, limited to UINT64_MAX: an estimate needs no
 * exact sum.
 */
static uint64_t
add_weights(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static bool
add_arc(struct guess *guess, cg_fn caller, const struct cg_call *call)
{
	const struct cg_pos site = place_of(guess, &call->site);
	size_t at = guess->last[call->callee];
	struct arc *arc;

	/* Direct recursion makes no new path. */
	if (call->callee == caller)
		return true;
	if (at >= guess->arcs || at < guess->first[caller] ||
	    guess->arc[at].callee != call->callee ||
	    !is_same_place(&guess->arc[at].site, &site)) {
		at = guess->arcs;
		arc = new_arc(guess);
		if (!arc)
			return false;
		*arc = (struct arc){ caller, call->callee, site };
		guess->last[call->callee] = (uint32_t)at;
	}
	at *= guess->columns;
	for (size_t i = 0; i < guess->columns; i++) {
		uint64_t weight = weight_of(guess->graph, call, i);

		guess->flow[at + i] = add_weights(guess->flow[at + i], weight);
		guess->into[call->callee * guess->columns + i] +=
		    (double)weight;
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

/* ---- Paths --------------------------------------------------------------- */

static double *
portion_of(const struct guess *guess, uint32_t path)
{
	return guess->portion + path * guess->columns;
}

static bool
is_better(const struct candidate *a, const struct candidate *b)
{
	if (a->share < b->share || a->share > b->share)
		return a->share > b->share;
	if (a->path != b->path)
		return a->path < b->path;
	return a->arc < b->arc;
}

static int
compare_candidates(const void *one, const void *two)
{
	const struct candidate *a = one, *b = two;

	return is_better(b, a) - is_better(a, b);
}

/*
 * Keeps only the best PATHS_MAX candidates (calls that may extend a path), as
 * no more paths can be added. There must be at least that many. Sets
 * guess->least to the worst one kept. The array is then sorted, and thus a
 * heap, too.
 */
static void
drop_candidates(struct guess *guess)
{
	cg_sort(guess->candidate, guess->candidates, sizeof(*guess->candidate),
	    compare_candidates);
	guess->candidates = PATHS_MAX;
	guess->least = guess->candidate[PATHS_MAX - 1];
}

static bool
push_candidate(struct guess *guess, struct candidate candidate)
{
	struct candidate *heap;
	size_t at;

	if (guess->candidates == 2 * PATHS_MAX)
		drop_candidates(guess);
	at = guess->candidates;
	if (!cg_grow_raw(&guess->candidate, &guess->candidate_cap, at + 1,
		sizeof(candidate)))
		return false;
	heap = guess->candidate;
	guess->candidates++;
	for (; at > 0 && is_better(&candidate, &heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = candidate;
	return true;
}

static struct candidate
pop_candidate(struct guess *guess)
{
	struct candidate *heap = guess->candidate, best = heap[0];
	struct candidate moved = heap[--guess->candidates];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < guess->candidates) {
		if (child + 1 < guess->candidates &&
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

/*
 * Returns the fraction of the callee's cost (column i) that an arc has on the
 * path. An arc is all calls from one call site to one callee.
 */
static double
portion_by(const struct guess *guess, uint32_t path, uint32_t arc, size_t i)
{
	double into = guess->into[guess->arc[arc].callee * guess->columns + i];
	double flow = (double)guess->flow[arc * guess->columns + i];

	return into > 0 ? portion_of(guess, path)[i] * flow / into : 0;
}

/*
 * Returns the weight of extending a call path by an arc. It is the arc's
 * fraction on this path of the part's total cost, for the event where that is
 * largest. Without costs, counts are used.
 */
static double
share_by(const struct guess *guess, uint32_t path, uint32_t arc)
{
	const uint64_t *flow = guess->flow + arc * guess->columns;
	const double *portion = portion_of(guess, path);
	double best = 0, share;
	bool costs = false;

	for (size_t i = 0; i + 1 < guess->columns; i++) {
		if (flow[i] == 0 || guess->total[i] <= 0)
			continue;
		costs = true;
		share = portion[i] * (double)flow[i] / guess->total[i];
		best = share > best ? share : best;
	}
	return costs ? best : portion_by(guess, path, arc, guess->columns - 1);
}

static bool
is_on_path(const struct guess *guess, uint32_t path, cg_fn fn)
{
	while (path != NO_PATH && guess->path[path].fn != fn)
		path = guess->path[path].up;
	return path != NO_PATH;
}

/*
 * Adds the calls by the path's function that may extend the path as
 * candidates. Skips light and recursive calls, and those worse than
 * guess->least. Adds none if the path is too long. False: out of memory.
 */
static bool
add_candidates(struct guess *guess, uint32_t path)
{
	cg_fn fn = guess->path[path].fn;

	if (guess->path[path].depth >= DEPTH_MAX)
		return true;
	for (uint32_t i = guess->first[fn]; i < guess->first[fn + 1]; i++) {
		struct candidate candidate = { share_by(guess, path, i), path,
			i };

		if (candidate.share >= SHARE_MIN &&
		    !is_better(&guess->least, &candidate) &&
		    !is_on_path(guess, path, guess->arc[i].callee) &&
		    !push_candidate(guess, candidate))
			return false;
	}
	return true;
}

/*
 * Appends a call path to the paths of fn, which path `up` calls through `arc`.
 * NO_PATH for up: fn is the root. fn's own frame is added later, for each row.
 * False: out of memory.
 */
static bool
add_path(struct guess *guess, cg_fn fn, uint32_t up, uint32_t arc)
{
	size_t columns = guess->columns;
	uint32_t id = (uint32_t)guess->paths;
	struct call_path path = {
		.fn = fn, .up = up, .next = NO_PATH, .depth = 1
	};

	if (!cg_grow_raw(&guess->path, &guess->path_cap, guess->paths + 1,
		sizeof(path)) ||
	    !cg_grow_raw(&guess->portion, &guess->portion_cap,
		(guess->paths + 1) * columns, sizeof(*guess->portion)))
		return false;
	for (size_t i = 0; i < columns; i++)
		portion_of(guess, id)[i] =
		    up == NO_PATH ? 1 : portion_by(guess, up, arc, i);
	if (up != NO_PATH) {
		const struct call_path *caller = &guess->path[up];

		path.depth = caller->depth + 1;
		/* The unknown caller gets no frame. */
		if (caller->fn != 0 || caller->up != NO_PATH)
			path.below = cg_add_frame(guess->build, caller->below,
			    caller->fn, &guess->arc[arc].site, false);
	}
	guess->path[id] = path;
	if (guess->first_path[fn] == NO_PATH)
		guess->first_path[fn] = id;
	else
		guess->path[guess->last_path[fn]].next = id;
	guess->last_path[fn] = id;
	guess->paths++;
	return true;
}

/*
 * Adds a path for each function with rows and without callers. Then extends
 * paths, each time by the heaviest call that is left. Ends when there are
 * PATHS_MAX paths, or no call is heavy enough. Then drops the calls that are
 * left. False: out of memory.
 */
static bool
follow_paths(struct guess *guess)
{
	const struct cg_graph *graph = guess->graph;
	bool ok = true;

	for (size_t rank = 0; ok && rank < graph->fns; rank++) {
		cg_fn fn = graph->fn_ranked[rank];

		/* The last column is counts: at least 1 for each call. */
		if (cg_run_find(graph, guess->part, fn) &&
		    guess->into[(fn + 1) * guess->columns - 1] <= 0)
			ok = add_path(guess, fn, NO_PATH, 0) &&
			     add_candidates(guess, (uint32_t)guess->paths - 1);
	}
	while (ok && guess->candidates > 0 && guess->paths < PATHS_MAX) {
		struct candidate candidate = pop_candidate(guess);

		ok = add_path(guess, guess->arc[candidate.arc].callee,
			 candidate.path, candidate.arc) &&
		     add_candidates(guess, (uint32_t)guess->paths - 1);
	}
	guess->candidates = 0;
	guess->least.share = 0;
	return ok;
}

/*
 * Adds a path through a caller to each callee that has none. Starts at path
 * number `begin`, breadth first. Paths of DEPTH_MAX frames are not extended.
 * done[] marks visited functions. False: out of memory.
 */
static bool
reach_callees(struct guess *guess, uint32_t begin, uint8_t *done)
{
	bool ok = true;

	for (uint32_t path = begin; ok && path < guess->paths; path++) {
		cg_fn fn = guess->path[path].fn;

		if (done[fn] || guess->path[path].depth >= DEPTH_MAX)
			continue;
		done[fn] = 1;
		for (uint32_t i = guess->first[fn];
		     ok && i < guess->first[fn + 1]; i++) {
			cg_fn callee = guess->arc[i].callee;

			if (guess->first_path[callee] == NO_PATH)
				ok = add_path(guess, callee, path, i);
		}
	}
	return ok;
}

/*
 * Adds a path to each function that has rows but no path. Such functions are
 * too light, or only called in cycles. The path goes through a caller if
 * possible. Then every row has a stack. False: out of memory.
 */
static bool
reach_all(struct guess *guess)
{
	const struct cg_graph *graph = guess->graph;
	uint8_t *done = calloc(graph->fns, 1);
	bool ok = done && reach_callees(guess, 0, done);

	for (size_t rank = 0; ok && rank < graph->fns; rank++) {
		cg_fn fn = graph->fn_ranked[rank];
		uint32_t begin = (uint32_t)guess->paths;

		if (guess->first_path[fn] == NO_PATH &&
		    cg_run_find(graph, guess->part, fn))
			ok = add_path(guess, fn, NO_PATH, 0) &&
			     reach_callees(guess, begin, done);
	}
	free(done);
	return ok;
}

/* ---- Costs --------------------------------------------------------------- */

/*
 * Sets the weights in guess->share for distributing a cost among the first n
 * paths of fn. A weight is the path's fraction of the cost of all calls to fn,
 * else of their count. Returns their sum, at least 1.
 */
static uint64_t
weigh_paths(struct guess *guess, cg_fn fn, size_t event, size_t n)
{
	size_t columns = guess->columns;
	/* If calls have no cost of the event, use counts. */
	size_t i = guess->into[fn * columns + event] > 0 ? event : columns - 1;
	uint32_t path = guess->first_path[fn];
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++, path = guess->path[path].next) {
		double portion = portion_of(guess, path)[i];

		guess->share[k].weight = (uint64_t)(portion * (1u << 30));
		sum += guess->share[k].weight;
	}
	if (sum == 0)
		sum = guess->share[0].weight = 1;
	return sum;
}

/*
 * Distributes one value of a row among the first n call paths of its function,
 * in whole numbers whose sum is the value. Stores these numbers in column
 * `event` of guess->spread.
 */
static void
spread_value(
    struct guess *guess, cg_fn fn, size_t event, uint64_t value, size_t n)
{
	const struct cg_graph *graph = guess->graph;
	bool minus = graph->event[event].is_signed && (int64_t)value < 0;
	uint64_t sum = weigh_paths(guess, fn, event, n);

	cg_share_out(minus ? 0 - value : value, sum, guess->share, n);
	for (size_t k = 0; k < n; k++) {
		uint64_t part = guess->share[k].share;

		guess->spread[k * graph->events + event] =
		    minus ? 0 - part : part;
	}
}

/*
 * Returns the cost of a row as a fraction of the total of the current part
 * (thread or process), for the event where it is largest. A cost of an event
 * whose total is not positive counts as 1.
 */
static double
share_of_row(const struct guess *guess, const uint64_t *cost, size_t events)
{
	const struct cg_graph *graph = guess->graph;
	double best = 0;

	for (size_t i = 0; i < events; i++) {
		double value = (double)cost[i];

		if (graph->event[i].is_signed && (int64_t)cost[i] < 0)
			value = -(double)(int64_t)cost[i];
		if (value > best * guess->total[i])
			best =
			    guess->total[i] > 0 ? value / guess->total[i] : 1;
	}
	return best;
}

/*
 * Adds stacks with the costs of a row of fn, distributed among fn's first n
 * call paths. Fewer paths are used for small costs if rows have positions, to
 * limit the stacks. False: the builder has failed.
 */
static bool
spread_row(struct guess *guess, cg_fn fn, const struct cg_pos *pos,
    const uint64_t *cost, size_t n)
{
	size_t events = guess->graph->events;
	double most = share_of_row(guess, cost, events) / ROW_MIN;
	uint32_t path = guess->first_path[fn];

	if (guess->places && most < (double)n)
		n = most > 1 ? (size_t)most : 1;
	memset(guess->spread, 0, n * events * sizeof(*guess->spread));
	for (size_t i = 0; i < events; i++) {
		if (cost[i] != 0)
			spread_value(guess, fn, i, cost[i], n);
	}
	for (size_t k = 0; k < n; k++, path = guess->path[path].next) {
		const uint64_t *part = guess->spread + k * events;
		size_t i = 0;

		while (i < events && part[i] == 0)
			i++;
		if (i == events)
			continue;
		cg_add_stack(guess->build,
		    cg_add_frame(
			guess->build, guess->path[path].below, fn, pos, false),
		    0, part, events);
	}
	return guess->build->status == CG_OK;
}

/*
 * Returns the number of paths among which each of a function's rows is
 * distributed: all its paths, or fewer if rows times paths exceeds SPREAD_MAX.
 */
static size_t
count_paths(const struct guess *guess, cg_fn fn, size_t rows)
{
	size_t n = 0, most = rows < SPREAD_MAX ? SPREAD_MAX / rows : 1;

	for (uint32_t path = guess->first_path[fn];
	     path < guess->paths && n < most; path = guess->path[path].next)
		n++;
	return n;
}

/*
 * Sums the next rows with one position, as place_of() reduces it, into
 * guess->row, and sets *pos. *next keeps the row read ahead; its n is 0 at
 * first. False: the end, or overflow (the builder fails).
 */
static bool
next_place(struct guess *guess, struct cg_cost *next, struct cg_pos *pos)
{
	const struct cg_graph *graph = guess->graph;
	bool more = next->n > 0 || cg_next_cost(guess->rows, next);

	if (!more)
		return false;
	*pos = place_of(guess, &next->pos);
	memset(guess->row, 0, graph->events * sizeof(*guess->row));
	do {
		struct cg_pos place = place_of(guess, &next->pos);

		if (!is_same_place(&place, pos))
			return true;
		if (!cg_add_values(graph, guess->row, next->cost, next->n)) {
			cg_build_fail(guess->build, "a sum of costs overflows");
			return false;
		}
	} while (cg_next_cost(guess->rows, next));
	next->n = 0;
	return true;
}

static bool
spread_fn(struct guess *guess, cg_fn fn)
{
	size_t rows = 1, n, events = guess->graph->events;
	struct cg_cost cost = { 0 };
	struct cg_pos pos;

	if (!cg_rows_open(guess->rows, guess->part, fn))
		return false;
	while (next_place(guess, &cost, &pos))
		rows++;
	n = count_paths(guess, fn, rows);
	if (!cg_grow(
		&guess->share, &guess->share_cap, n, sizeof(*guess->share)) ||
	    !cg_grow(&guess->spread, &guess->spread_cap, n * events + 1,
		sizeof(*guess->spread)) ||
	    !cg_rows_open(guess->rows, guess->part, fn))
		return false;
	cost.n = 0;
	while (next_place(guess, &cost, &pos)) {
		if (!spread_row(guess, fn, &pos, guess->row, n))
			return false;
	}
	return guess->build->status == CG_OK;
}

/* ---- All ----------------------------------------------------------------- */

/*
 * Saves the totals of the part (thread or process) in was[] and guess->total,
 * and sets the part's totals to the sums of its existing stacks. Adding the
 * estimated stacks must then lead to the saved totals again.
 */
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

/*
 * Adds the description that marks the stacks of the part (thread or process)
 * as an estimate, and notes whether it is new: the input may have it already.
 */
static void
describe(struct guess *guess)
{
	struct cg_part_entry *part = &guess->graph->part[guess->part];
	size_t descs = part->descs;

	cg_add_desc(
	    guess->build, cg_slice(CG_GUESSED_KEY), cg_slice(CG_GUESSED_VALUE));
	part->guessed = part->descs > descs;
}

/*
 * Adds estimated stacks with the costs of the rows of a part (thread or
 * process); the rows stay. Checks that the part's totals are the same as
 * before, else fails with an internal error. False: an error.
 */
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
	guess->paths = 0;
	if (ok)
		begin_totals(guess, was, events);
	memset(
	    guess->first_path, 0xff, graph->fns * sizeof(*guess->first_path));
	cg_set_part(guess->build, part);
	ok = ok && load_arcs(guess) && follow_paths(guess) && reach_all(guess);
	for (size_t i = 0; ok && cg_next_fn(graph, part, &i, &fn);)
		ok = spread_fn(guess, fn);
	if (ok && width > 0 && memcmp(was, entry->total, width) != 0) {
		cg_build_fail(guess->build,
		    "internal error: the sum of guessed stacks is wrong");
		guess->build->status = CG_EBUG;
	}
	free(was);
	describe(guess);
	return ok && guess->build->status == CG_OK;
}

static void
close_guess(struct guess *guess)
{
	cg_rows_free(guess->rows);
	free(guess->arc);
	free(guess->flow);
	free(guess->first);
	free(guess->last);
	free(guess->row);
	free(guess->into);
	free(guess->total);
	free(guess->path);
	free(guess->portion);
	free(guess->first_path);
	free(guess->last_path);
	free(guess->candidate);
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
	guess->last = calloc(fns, sizeof(*guess->last));
	guess->row = calloc(columns, sizeof(*guess->row));
	guess->into = calloc(fns, columns * sizeof(*guess->into));
	guess->total = calloc(columns, sizeof(*guess->total));
	guess->first_path = calloc(fns, sizeof(*guess->first_path));
	guess->last_path = calloc(fns, sizeof(*guess->last_path));
	return guess->rows && guess->first && guess->last && guess->row &&
	       guess->into && guess->total && guess->first_path &&
	       guess->last_path;
}

/*
 * Removes all rows (costs and calls) of the graph. Called after their costs
 * were copied to estimated stacks. The stacks are then the only data, and no
 * longer marked as repeating the rows.
 */
static void
drop_rows(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->runs; i++) {
		cg_run_free_blocks(graph, &graph->run[i]);
		cg_run_clear(graph, &graph->run[i]);
	}
	for (size_t i = 0; i < graph->parts; i++)
		graph->part[i].guessed = false;
	graph->guessed = false;
}

void
cg_keep_guess(struct cg_graph *graph)
{
	if (graph->guessed)
		drop_rows(graph);
}

int
cg_drop_guess(struct cg_graph *graph)
{
	if (!graph->guessed)
		return CG_OK;
	for (size_t i = 0; i < graph->parts; i++) {
		if (graph->part[i].guessed)
			cg_part_desc_drop(&graph->part[i]);
		graph->part[i].guessed = false;
	}
	cg_stacks_clear(graph);
	graph->facts &= ~CG_STACKS;
	return cg_graph_seal(graph);
}

int
cg_guess_stacks(struct cg_build *build, cg_facts carries)
{
	struct cg_graph *graph = build->graph;
	struct guess guess = { .build = build,
		.graph = graph,
		.columns = graph->events + 1,
		.places = carries & (CG_LINES | CG_INSTRS) };
	bool ok = open_guess(&guess);

	graph->guessed = graph->stacks == 0;
	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = guess_part(&guess, part);
	close_guess(&guess);
	if (!graph->guessed)
		drop_rows(graph);
	if (!ok)
		cg_build_nomem(build);
	return cg_build_failed(build, NULL);
}

bool
cg_stacks_guessed(const struct cg_graph *graph, cg_part part)
{
	return cg_part_says(graph, part, CG_GUESSED_KEY, CG_GUESSED_VALUE);
}
