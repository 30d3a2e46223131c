/*
 * arrows.c - the arrows of calls.
 */
#include <math.h>
#include <stdlib.h>

#include "dot.h"

#define PEN_MIN 0.6
#define PEN_MAX 5.0
#define WEIGHT_MAX 100 /* Graphviz keeps heavy arrows short and straight */

static bool
add_call(struct dot *dot, cg_fn caller, const struct cg_call *call)
{
	uint32_t *id = cg_map_in(dot->job, &dot->call_ids, call->callee);
	struct dot_call *sum;
	const struct dot_call new = { .callee = call->callee,
		.id = dot->id[call->callee] };

	if (!id || (*id == 0 && !cg_append(dot->job, &dot->call, new)))
		return false;
	if (*id == 0)
		*id = (uint32_t)dot->call.n;
	sum = &dot->call.at[*id - 1];
	/* No overflow: cg_sums_of() has checked the sums by function. */
	sum->count += call->count;
	for (size_t i = 0; i < dot->events; i++)
		sum->cost[i] +=
		    cg_sum_call(dot->sums[i], caller, call, dot->event[i]);
	return true;
}

/* Writes a tooltip: the whole names, and the numbers with all digits. */
static void
put_tooltip(struct dot *dot, cg_fn caller, const struct dot_call *call)
{
	dot_put_text(dot->out, dot_fn_name(dot, caller));
	cg_puts(dot->out, " \xe2\x86\x92 "); /* U+2192, an arrow */
	dot_put_text(dot->out, dot_fn_name(dot, call->callee));
	if (dot->inclusive) {
		cg_puts(dot->out, "\\ninclusive ");
		dot_put_full_cost(dot, dot_call_cost(dot, call));
	}
	if (call->count > 0 && !dot->sampled) {
		cg_puts(dot->out, "\\ncalls ");
		picture_put_number(dot->out, call->count);
	}
}

static void
put_call(struct dot *dot, cg_fn caller, const struct dot_call *call)
{
	/* An arrow without a cost has the colour of the callee. */
	struct dot_sides cost = dot->inclusive
				    ? dot_call_cost(dot, call)
				    : dot_fn_cost(dot, call->callee, false);
	double share = dot_share(dot, cost);
	bool costs = dot->inclusive && (cost.before != 0 || cost.after != 0);

	cg_putf(dot->out, "\tn%u -> n%u [color=", (unsigned)dot->id[caller],
	    (unsigned)call->id);
	dot_put_colour(dot, cost, false);
	cg_puts(dot->out, ", penwidth=\"");
	dot_put_hundredths(dot->out, fmax(PEN_MIN, share * PEN_MAX));
	cg_putf(dot->out, "\", weight=%u, label=\"",
	    1 + (unsigned)(share * WEIGHT_MAX));
	/* The blanks keep the text off the line. */
	if (costs) {
		cg_puts(dot->out, "  ");
		dot_put_amount(dot, cost);
	}
	if (call->count > 0 && !dot->sampled) {
		cg_puts(dot->out, costs ? "\\n  " : "  ");
		dot_put_count(dot->out, call->count);
	}
	cg_puts(dot->out, "\", tooltip=\"");
	put_tooltip(dot, caller, call);
	cg_puts(dot->out, "\"];\n");
	if (call->callee != caller)
		dot->called[call->id] = true;
}

/* Orders calls for qsort() by the number of the callee's box in the output. */
static int
compare_calls(const void *pa, const void *pb)
{
	const struct dot_call *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

/*
 * Returns true if calls have too little cost to be drawn. Counted calls of a
 * function by itself are drawn even if, as in profiles of gprof, they have no
 * cost.
 */
static bool
is_small(const struct dot *dot, cg_fn caller, const struct dot_call *call)
{
	return dot->inclusive && (call->callee != caller || dot->sampled) &&
	       dot_share(dot, dot_call_cost(dot, call)) < dot->call_threshold;
}

/*
 * Notes that calls are not shown, as the caller or the arrow is not. Calls
 * without a cost in the event may be of samples of another event.
 */
static void
miss_call(struct dot *dot, const struct dot_call *call)
{
	const struct dot_sides cost = dot_call_cost(dot, call);

	if (!dot->inclusive || cost.before != 0 || cost.after != 0)
		dot->missed[call->id] = true;
}

/* Writes the arrows of a caller, or notes them if it is not drawn. */
static bool
put_calls_of(struct dot *dot, struct cg_rows *rows, cg_fn fn)
{
	struct cg_call call;

	dot->call.n = 0;
	cg_map_clear(&dot->call_ids);
	while (cg_next_call(rows, &call)) {
		if (dot->id[call.callee] != 0 && !add_call(dot, fn, &call))
			return false;
	}
	if (dot->call.n > 0)
		qsort(dot->call.at, dot->call.n, sizeof(*dot->call.at),
		    compare_calls);
	for (size_t i = 0; i < dot->call.n; i++) {
		const struct dot_call *sum = &dot->call.at[i];
		bool small = dot->id[fn] != 0 && is_small(dot, fn, sum);

		if (dot->id[fn] == 0 || small) {
			dot->small_calls += small;
			miss_call(dot, sum);
			continue;
		}
		dot->calls++;
		put_call(dot, fn, sum);
	}
	return true;
}

/* Without a mark, such a function would look like one that starts the run. */
static void
put_torn(struct dot *dot)
{
	for (uint32_t id = 1; id <= dot->fns; id++) {
		if (dot->called[id] || !dot->missed[id])
			continue;
		cg_putf(dot->out, "\tn%u [style=\"dashed,filled\"];\n",
		    (unsigned)id);
		dot->torn++;
	}
}

void
dot_put_calls(struct dot *dot)
{
	struct cg_rows *rows = cg_rows_new(dot->graph);
	bool ok;
	cg_fn fn;

	dot->called = cg_alloc(dot->job, dot->fns + 1);
	dot->missed = cg_alloc(dot->job, dot->fns + 1);
	ok = rows && dot->called && dot->missed;
	for (size_t i = 0;
	     ok && cg_next_fn(dot->graph, CG_ALL_PARTS, &i, &fn);) {
		/* Function 0 calls what nothing calls. */
		if (fn == 0)
			continue;
		ok = cg_rows_open(rows, CG_ALL_PARTS, fn) &&
		     put_calls_of(dot, rows, fn);
	}
	cg_rows_free(rows);
	if (ok)
		put_torn(dot);
}
