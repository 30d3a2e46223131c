/*
 * d_trace.c - d-trace: trace.log, which D programs write that are built with
 * "dmd -profile" or "ldc2 -fdmd-trace-functions":
 *
 *	------------------
 *		   15	_D4work__T4WorkTiZQi3runMFiZv
 *		 3162	_D4work3fibFiZi
 *	_D4work3fibFiZi	3177	170201	170201
 *		 3162	_D4work3fibFiZi
 *
 *	======== Timer Is 3579545 Ticks/Sec, Times are in Microsecs ========
 *
 * A function has its calls, the ticks with and without its callees; in front
 * of it are its callers, behind it its callees, with counts. Callers are
 * skipped, as they are what others call, once more; so is the table at the end,
 * which has the times in microseconds. Times of calls are split by counts, as
 * gprof does: the log does not have them. Without a frequency times stay ticks.
 *
 * Source: src/rt/trace.d of druntime 2.100, and a log of LDC 1.30.
 */
#include <string.h>

#include "cgconv_parse.h"

#define RULE "------------------"
#define TIMER "======== Timer "

struct function {
	cg_fn fn;
	uint64_t ticks;
};
struct call {
	cg_fn caller, callee;
	uint64_t count;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	CG_ARRAY(struct function) function;
	CG_ARRAY(struct call) call;
	cg_fn fn; /* of the block; 0: callers come */
	bool ended;
	uint64_t frequency; /* ticks a second; 0: unknown */
};

static cg_fn
add_fn(struct reader *r, struct cg_slice name)
{
	const cg_name symbol = cg_add_name(r->build, name);

	return cg_add_fn_symbol(
	    r->build, cg_add_demangled(r->build, symbol), 0, 0, symbol);
}

/*
 * Reads the line of a function, "name<tab>calls<tab>ticks<tab>own ticks".
 * Appends the function with its own ticks to r->function, and sets r->fn to
 * it. Negative own ticks become 0, with a warning. Does not store the number
 * of calls, which other lines state by caller, nor the ticks that include
 * callees. False: an error (reported).
 */
static bool
take_function(struct reader *r, struct cg_slice line)
{
	struct cg_slice name, calls, all, own;
	uint64_t number, ticks = 0;

	if (!cg_take_until(&line, '\t', &name) ||
	    !cg_take_until(&line, '\t', &calls) ||
	    !cg_take_until(&line, '\t', &all) ||
	    !cg_take_until(&line, '\t', &own) || name.len == 0 ||
	    !cg_get_u64(calls, &number))
		return cg_reject(r->job,
		    "expected 'FUNCTION CALLS TICKS TICKS' "
		    "with tabs");
	/* What the profiler takes is subtracted, and may be more. */
	if (cg_starts(own, "-"))
		cg_warn(r->job, "negative times are read as 0");
	else if (!cg_get_u64(own, &ticks))
		return cg_reject_at(r->job, own.ptr, "expected ticks");
	r->fn = add_fn(r, name);
	return cg_append(
	    r->job, &r->function, (struct function){ r->fn, ticks });
}

/*
 * Reads a line of calls in a function's block. After the function's line
 * (r->fn is set), appends the callee to r->call. Lines before name callers,
 * whose blocks repeat the calls: they are skipped. False: an error (reported).
 */
static bool
take_call(struct reader *r, struct cg_slice line)
{
	uint64_t count;

	(void)cg_take_blanks(&line);
	if (!cg_take_u64(&line, &count) || !cg_take_char(&line, '\t') ||
	    line.len == 0)
		return cg_reject(
		    r->job, "expected a number of calls and a function");
	return r->fn == 0 ||
	       cg_append(r->job, &r->call,
		   (struct call){ r->fn, add_fn(r, line), count });
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	if (line.len == 0)
		return true;
	if (cg_take_prefix(&line, TIMER)) {
		r->ended = true;
		if (cg_take_prefix(&line, "Is "))
			(void)cg_take_u64(&line, &r->frequency);
	} else if (cg_equal(line, RULE)) {
		r->fn = 0;
	} else if (*line.ptr == '\t') {
		return take_call(r, line);
	} else {
		return take_function(r, line);
	}
	return true;
}

/*
 * Adds the event, the own times of all functions and all calls to the graph.
 * Called at the end of the log, where the timer's frequency is known if the
 * log states it. With a frequency, times are in nanoseconds. Without one, they
 * are in ticks. A function with time 0 gets no cost.
 */
static void
add_graph(struct reader *r)
{
	const struct cg_event event = { .name = r->frequency > 0 ? CG_TIME_EVENT
								 : "ticks",
		.long_name = "Time",
		.unit = r->frequency > 0 ? "ns" : "",
		.incl = CG_INCL_BY_COUNTS };
	const struct cg_pos nowhere = { 0 };
	uint64_t cost;

	if (!cg_add_column(r->build, &event))
		return;
	for (size_t i = 0; i < r->function.n; i++) {
		cost = r->function.at[i].ticks;
		if (r->frequency > 0)
			cost = cg_mul_div(cost, 1000000000, r->frequency);
		if (cost > 0)
			cg_add_cost(r->build, r->function.at[i].fn, &nowhere,
			    cg_columns_of(r->build, &cost),
			    cg_columns_width(r->build));
	}
	for (size_t i = 0; i < r->call.n; i++)
		cg_add_call(r->build, r->call.at[i].caller, &nowhere,
		    r->call.at[i].callee, &nowhere, r->call.at[i].count, NULL,
		    0);
}

static int
read_trace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;

	while (!r.ended && cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_line(&r, line))
			return cg_rejected(job);
	}
	/* The table that follows has the same functions. */
	while (r.ended && cg_read_line(in, &line))
		continue;
	if (cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	if (!r.ended)
		cg_warn(job,
		    "expected '" TIMER "...' behind the functions: the "
		    "file may be truncated");
	if (r.function.n == 0)
		return cg_fail(job, "expected functions with their calls and "
				    "ticks");
	add_graph(&r);
	return cg_build_status(build);
}

/*
 * Returns CG_PROBE_SURE for a log of this format, else CG_PROBE_NO. The first
 * line of such a log is a rule ("----"). The second line is that of a caller,
 * which begins with a tab, or that of a function with its numbers.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line, name;
	uint64_t number;

	if (!cg_equal(head->first, RULE))
		return CG_PROBE_NO;
	(void)cg_take_line(&text, &line);
	if (!cg_take_line(&text, &line))
		return CG_PROBE_NO;
	if (cg_starts(line, "\t"))
		return cg_take_blanks(&line) && cg_take_u64(&line, &number) &&
			       cg_starts(line, "\t")
			   ? CG_PROBE_SURE
			   : CG_PROBE_NO;
	return cg_take_until(&line, '\t', &name) &&
		       cg_take_u64(&line, &number) && cg_starts(line, "\t")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_d_trace = {
	CG_MODULE,
	.name = "d-trace",
	.title = "trace.log of programs in D (dmd -profile)",
	.text = true,
	.suffixes = "trace.log",
	.probe = probe,
	.read = read_trace,
};
