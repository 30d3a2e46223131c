/*
 * dot.c - dot: a call graph for Graphviz, coloured and pruned.
 *
 * Source: the DOT language (graphviz.org/doc/info/lang.html). The graph looks
 * like that of gprof2dot 2024.6: a box for each function with its object,
 * name, inclusive and self share and calls, an arrow for each pair of
 * functions, and nothing below 0.5 % (functions) or 0.1 % (calls). Colours are
 * those of html, from grey (cold) to red (hot), with black letters. As in
 * pprof's graph, names grow with self cost. Unlike in gprof2dot, shares are of
 * the total cost of the run, the inclusive cost of a recursive function counts
 * once, and the frame around the members of a cycle shows the cost of the
 * cycle.
 *
 * For a difference (an event before and after, or negative costs) the graph
 * shows changes: functions and calls are red where they grew, blue where they
 * shrank, grey where they are unchanged. As with pprof's -diff_base, shares
 * are of the total before or, if that is unknown, of all changes together.
 *
 * One event is written, summed over lines, addresses and parts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"

#define NAME_MAX_SHOWN 80 /* bytes of a name in a box; tooltips have all */
#define FONT_MIN 10.0
#define FONT_MAX 20.0 /* of a function that has all self cost */
#define PEN_MIN 0.5
#define PEN_MAX 4.0

/* Calls of one function by another, from all call sites. */
struct call {
	cg_fn callee;
	uint32_t id; /* of the callee */
	uint64_t count, cost[2];
};

/* A cost before and after; before is 0 if costs are not compared. */
struct sides {
	double before, after;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	/* [0] is the event, or the event after; [1] is the event before. */
	size_t event[2], events;
	const struct cg_sums *sums[2]; /* of each event alone */
	bool inclusive;                /* the event has inclusive costs */
	bool sampled;                  /* calls are counted in samples */
	bool is_signed, change;        /* the graph shows changes */
	bool objects;                  /* functions of several are drawn */
	double total, largest;         /* largest change of a function */
	const char *cluster;           /* "file", "object" or NULL */
	double node_threshold, call_threshold; /* shares */
	uint32_t *id; /* by fn: its number in the output; 0: not drawn */
	CG_ARRAY(struct call) call; /* of the current caller */
	struct cg_map call_ids;     /* callee -> index in call + 1 */
};

/* ---- Text --------------------------------------------------------------- */

/*
 * Writes text for use inside a quoted string, without the quotes around it.
 * Escapes quotes and backslashes. Control characters become blanks. Each byte
 * that is not valid UTF-8 becomes U+FFFD.
 */
static void
put_text(struct cg_out *out, struct cg_slice text)
{
	const char *at = text.ptr, *end = at + text.len;

	while (at < end) {
		unsigned char c = (unsigned char)*at;
		size_t len = c < 0x80 ? 1 : cg_utf8_length(at, end);

		if (c == '"' || c == '\\')
			cg_putc(out, '\\');
		if (c < ' ' || c == 0x7f)
			cg_putc(out, ' ');
		else if (len == 0)
			cg_puts(out, "\xef\xbf\xbd"); /* U+FFFD: not UTF-8 */
		else
			cg_put(out, (struct cg_slice){ at, len });
		at += len > 0 ? len : 1;
	}
}

/*
 * Returns the index of the first byte of the UTF-8 character that contains
 * byte number "at".
 */
static size_t
char_start(struct cg_slice text, size_t at)
{
	while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/*
 * Writes the name of a function. A name longer than NAME_MAX_SHOWN bytes is
 * written without its middle, as names of templates differ at both ends.
 */
static void
put_name(struct cg_out *out, struct cg_slice name)
{
	size_t half = NAME_MAX_SHOWN / 2, from;

	if (name.len <= NAME_MAX_SHOWN) {
		put_text(out, name);
		return;
	}
	from = char_start(name, name.len - half);
	put_text(out, (struct cg_slice){ name.ptr, char_start(name, half) });
	cg_puts(out, "...");
	put_text(out, (struct cg_slice){ name.ptr + from, name.len - from });
}

static struct cg_slice
fn_name(const struct writer *w, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(w->graph, fn);

	return name.len > 0 ? name : cg_slice("???");
}

/* ---- Shares and colours ------------------------------------------------- */

static double
number(const struct writer *w, uint64_t cost)
{
	return w->is_signed ? (double)(int64_t)cost : (double)cost;
}

static struct sides
fn_cost(const struct writer *w, cg_fn fn, bool inclusive)
{
	double cost[2] = { 0, 0 };

	for (size_t i = 0; i < w->events; i++)
		cost[i] = number(
		    w, inclusive ? cg_sum_inclusive(w->sums[i], fn, w->event[i])
				 : cg_sum_self(w->sums[i], fn, w->event[i]));
	return (struct sides){ cost[1], cost[0] };
}

static struct sides
cycle_cost(const struct writer *w, uint32_t cycle, bool inclusive)
{
	double cost[2] = { 0, 0 };

	for (size_t i = 0; i < w->events; i++)
		cost[i] = number(
		    w, inclusive
			   ? cg_cycle_inclusive(w->sums[i], cycle, w->event[i])
			   : cg_cycle_self(w->sums[i], cycle, w->event[i]));
	return (struct sides){ cost[1], cost[0] };
}

static struct sides
call_cost(const struct writer *w, const struct call *call)
{
	return (struct sides){ w->events > 1 ? number(w, call->cost[1]) : 0,
		number(w, call->cost[0]) };
}

/*
 * Returns the cost of a function or call as a share of w->total, from 0 to 1.
 * If the graph compares two profiles, the larger one of the costs before and
 * after counts, without its sign. Otherwise cost.before is 0. Returns 0 if the
 * total is 0.
 */
static double
share(const struct writer *w, struct sides cost)
{
	double size = fmax(fabs(cost.before), fabs(cost.after));
	double value = w->total > 0 ? size / w->total : 0;

	return value < 1 ? value : 1;
}

static double
fn_share(const struct writer *w, cg_fn fn)
{
	return share(w, fn_cost(w, fn, w->inclusive));
}

/*
 * Returns the red, green or blue part of a colour, from 0 to 1. "hue" is the
 * colour's hue as a part of the full circle. The caller adds 1/3 to it for
 * red, and subtracts 1/3 for blue, so it may be from -1/3 to 4/3. "low" and
 * "high" are the least and the greatest value that a part of this colour can
 * have.
 */
static double
hue_part(double low, double high, double hue)
{
	if (hue < 0)
		hue += 1;
	if (hue > 1)
		hue -= 1;
	if (hue * 6 < 1)
		return low + (high - low) * hue * 6;
	if (hue * 2 < 1)
		return high;
	if (hue * 3 < 2)
		return low + (high - low) * (2.0 / 3 - hue) * 6;
	return low;
}

/* Writes a colour: its hue in degrees, saturation and lightness from 0 to 1. */
static void
put_hsl(struct cg_out *out, double hue, double saturation, double light)
{
	double high = light < 0.5 ? light * (1 + saturation)
				  : light + saturation - light * saturation;
	double low = 2 * light - high, turn = hue / 360;

	cg_putf(out, "\"#%02x%02x%02x\"",
	    (unsigned)(255 * hue_part(low, high, turn + 1.0 / 3) + 0.5),
	    (unsigned)(255 * hue_part(low, high, turn) + 0.5),
	    (unsigned)(255 * hue_part(low, high, turn - 1.0 / 3) + 0.5));
}

/*
 * Writes the colour of a function's change of cost, for an area if fill is
 * true, else for lines. No change is grey. An increase is red, a decrease
 * blue. The colour is stronger, the closer the change is to the largest
 * change.
 */
static void
put_change_colour(const struct writer *w, struct sides cost, bool fill)
{
	double change = cost.after - cost.before, part = 0;

	if (w->largest > 0)
		part = sqrt(fmin(fabs(change) / w->largest, 1));
	if (change == 0)
		cg_puts(w->out, fill ? "\"#f1f2f4\"" : "\"#b4b8bf\"");
	else
		put_hsl(w->out, change > 0 ? 8 : 214, 0.3 + 0.5 * part,
		    fill ? 0.95 - 0.2 * part : 0.72 - 0.24 * part);
}

/*
 * Writes the colour of a cost, for an area if fill is true, else for lines. A
 * small share of the total is grey, a large one red, as in formats/html
 * (graphdraw.js). Black letters can be read on areas. If the graph shows
 * changes, writes the colour of the change instead.
 */
static void
put_colour(const struct writer *w, struct sides cost, bool fill)
{
	double part = sqrt(fmin(fmax(share(w, cost), 0), 1));

	if (w->change)
		put_change_colour(w, cost, fill);
	else
		put_hsl(w->out, 34 - 26 * part, 0.12 + 0.68 * part,
		    fill ? 0.96 - 0.1 * part : 0.7 - 0.26 * part);
}

/*
 * Writes a number with two decimals and a point, such as "12.34", in any
 * locale. The number must not be negative, and 100 times the number must fit
 * into an unsigned int.
 */
static void
put_hundredths(struct cg_out *out, double value)
{
	unsigned n = (unsigned)(100 * value + 0.5);

	cg_putf(out, "%u.%02u", n / 100, n % 100);
}

/*
 * Writes a cost as a percentage of w->total, such as "12.34%". If the graph
 * shows changes, writes the change of the cost as a percentage of the total
 * instead, with its sign: "+12.34%".
 */
static void
put_percent(const struct writer *w, struct sides cost)
{
	double change = cost.after - cost.before;

	if (!w->change) {
		put_hundredths(w->out, 100 * share(w, cost));
	} else {
		if (change != 0)
			cg_putc(w->out, change < 0 ? '-' : '+');
		put_hundredths(w->out,
		    w->total > 0 ? 100 * fmin(fabs(change) / w->total, 1e6)
				 : 0);
	}
	cg_putc(w->out, '%');
}

static double
between(double low, double high, double value)
{
	return value > low ? (value < high ? value : high) : low;
}

/*
 * Returns the size of the letters for a cost's share of the total, from 0 to
 * 1. The size grows with the square root of the share, as one sees the area of
 * letters.
 */
static double
font_size(double value)
{
	return FONT_MIN + (FONT_MAX - FONT_MIN) * sqrt(between(0, 1, value));
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Writes the text "before", then a number of calls and a multiplication sign
 * (U+00D7).
 */
static void
put_count(struct cg_out *out, const char *before, uint64_t calls)
{
	cg_puts(out, before);
	cg_putu(out, calls);
	cg_puts(out, "\xc3\x97");
}

/*
 * Writes the numbers in a function's box, each on its own line: inclusive
 * share (if the event has one), self share, and number of calls. Omits the
 * calls if their number is 0. Also omits them if they are counted in samples,
 * as they then repeat what the shares say.
 */
static void
put_numbers(
    struct writer *w, struct sides all, struct sides self, uint64_t calls)
{
	cg_puts(w->out, "\\n");
	if (w->inclusive) {
		put_percent(w, all);
		cg_puts(w->out, "\\n");
	}
	cg_putc(w->out, '(');
	put_percent(w, self);
	cg_putc(w->out, ')');
	if (calls > 0 && !w->sampled)
		put_count(w->out, "\\n", calls);
}

static void
put_label(struct writer *w, cg_fn fn)
{
	struct cg_slice object =
	    cg_base_name(cg_object_path(w->graph, cg_fn_object(w->graph, fn)));
	uint32_t cycle = cg_sum_cycle(w->sums[0], fn);

	if (w->objects && object.len > 0) {
		put_text(w->out, object);
		cg_puts(w->out, "\\n");
	}
	put_name(w->out, fn_name(w, fn));
	if (cycle != 0)
		cg_putf(w->out, " <cycle %u>", (unsigned)cycle);
	put_numbers(w, fn_cost(w, fn, true), fn_cost(w, fn, false),
	    cg_sum_calls_in(w->sums[0], fn));
}

/*
 * Writes the costs of a function before and after, for its tooltip: "; 20
 * before, 35 after, self 5 before, 6 after". If the event has no inclusive
 * costs, the first two are the self costs, and the rest is omitted.
 */
static void
put_sides(struct writer *w, cg_fn fn)
{
	struct sides all = fn_cost(w, fn, w->inclusive);
	struct sides self = fn_cost(w, fn, false);

	cg_putf(w->out, "; %.0f before, %.0f after", all.before, all.after);
	if (w->inclusive)
		cg_putf(w->out, ", self %.0f before, %.0f after", self.before,
		    self.after);
}

static void
put_function(struct writer *w, cg_fn fn)
{
	struct cg_slice file = cg_file_path(w->graph, cg_fn_file(w->graph, fn));

	cg_putf(w->out, "\tn%u [color=", (unsigned)w->id[fn]);
	put_colour(w, fn_cost(w, fn, w->inclusive), false);
	cg_puts(w->out, ", fillcolor=");
	put_colour(w, fn_cost(w, fn, w->inclusive), true);
	cg_puts(w->out, ", fontsize=\"");
	put_hundredths(w->out, font_size(share(w, fn_cost(w, fn, false))));
	cg_puts(w->out, "\", label=\"");
	put_label(w, fn);
	cg_puts(w->out, "\", tooltip=\"");
	put_text(w->out, fn_name(w, fn));
	if (file.len > 0) {
		cg_puts(w->out, " (");
		put_text(w->out, file);
		cg_puts(w->out, ")");
	}
	if (w->events > 1)
		put_sides(w, fn);
	cg_puts(w->out, "\"];\n");
}

/*
 * Returns the number of the frame that is drawn around functions that belong
 * together. With option cluster, it is the id of the function's file or
 * object. Without the option, it is the number of the cycle (functions that
 * call each other) that the function is in. 0: no frame is drawn around the
 * function.
 */
static uint32_t
cluster_of(const struct writer *w, cg_fn fn)
{
	if (!w->cluster)
		return cg_sum_cycle(w->sums[0], fn);
	return *w->cluster == 'f' ? cg_fn_file(w->graph, fn)
				  : cg_fn_object(w->graph, fn);
}

static void
begin_cluster(struct writer *w, unsigned number, uint32_t cluster)
{
	cg_putf(w->out, "\tsubgraph cluster_%u {\n\tlabel=\"", number);
	if (!w->cluster) {
		cg_putf(w->out, "<cycle %u>", (unsigned)cluster);
		put_numbers(w, cycle_cost(w, cluster, true),
		    cycle_cost(w, cluster, false),
		    cg_cycle_calls_in(w->sums[0], cluster));
	} else {
		put_name(w->out, *w->cluster == 'f'
				     ? cg_file_path(w->graph, cluster)
				     : cg_object_path(w->graph, cluster));
	}
	cg_puts(w->out, "\";\n");
}

/* A function that is drawn. */
struct drawn {
	uint32_t cluster, rank;
	cg_fn fn;
};

static int
compare_drawn(const void *pa, const void *pb)
{
	const struct drawn *a = pa, *b = pb;

	if (a->cluster != b->cluster)
		return a->cluster < b->cluster ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static void
put_clusters(struct writer *w, struct drawn *drawn, size_t count)
{
	unsigned clusters = 0;

	if (count > 0)
		qsort(drawn, count, sizeof(*drawn), compare_drawn);
	for (size_t i = 0; i < count; i++) {
		uint32_t cluster = drawn[i].cluster;

		if (cluster != 0 && (i == 0 || drawn[i - 1].cluster != cluster))
			begin_cluster(w, clusters++, cluster);
		put_function(w, drawn[i].fn);
		if (cluster != 0 &&
		    (i + 1 == count || drawn[i + 1].cluster != cluster))
			cg_puts(w->out, "\t}\n");
	}
}

static void
put_functions(struct writer *w)
{
	size_t fns = cg_fn_count(w->graph), count = 0;
	struct drawn *drawn = cg_alloc(w->job, (fns + 1) * sizeof(*drawn));

	if (!drawn)
		return;
	for (size_t rank = 0; rank <= fns; rank++) {
		cg_fn fn = cg_fn_ranked(w->graph, rank);

		if (fn == 0 || fn_share(w, fn) < w->node_threshold)
			continue;
		if (count > 0 && cg_fn_object(w->graph, fn) !=
				     cg_fn_object(w->graph, drawn[0].fn))
			w->objects = true;
		drawn[count] =
		    (struct drawn){ cluster_of(w, fn), (uint32_t)count, fn };
		w->id[fn] = (uint32_t)++count;
	}
	put_clusters(w, drawn, count);
}

/* ---- Calls -------------------------------------------------------------- */

static bool
add_call(struct writer *w, cg_fn caller, const struct cg_call *call)
{
	uint32_t *id = cg_map_in(w->job, &w->call_ids, call->callee);
	struct call *sum;
	const struct call new = { .callee = call->callee,
		.id = w->id[call->callee] };

	if (!id || (*id == 0 && !cg_append(w->job, &w->call, new)))
		return false;
	if (*id == 0)
		*id = (uint32_t)w->call.n;
	sum = &w->call.at[*id - 1];
	/* No overflow: cg_sums_of() has checked the sums by function. */
	sum->count += call->count;
	for (size_t i = 0; i < w->events; i++)
		sum->cost[i] +=
		    cg_sum_call(w->sums[i], caller, call, w->event[i]);
	return true;
}

static void
put_call(struct writer *w, cg_fn caller, const struct call *call)
{
	/* An arrow without a cost has the colour of the callee. */
	struct sides cost =
	    w->inclusive ? call_cost(w, call) : fn_cost(w, call->callee, false);
	double value = share(w, cost);

	cg_putf(w->out, "\tn%u -> n%u [color=", (unsigned)w->id[caller],
	    (unsigned)call->id);
	put_colour(w, cost, false);
	cg_puts(w->out, ", fontsize=\"");
	put_hundredths(w->out, FONT_MIN);
	cg_puts(w->out, "\", penwidth=\"");
	put_hundredths(w->out, between(PEN_MIN, PEN_MAX, value * PEN_MAX));
	/* The blanks keep the text off the line. */
	cg_puts(w->out, "\", label=\"  ");
	if (w->inclusive)
		put_percent(w, cost);
	if (call->count > 0 && !w->sampled)
		put_count(w->out, w->inclusive ? "\\n  " : "", call->count);
	cg_puts(w->out, "\"];\n");
}

/* Orders calls for qsort() by the number of the callee's box in the output. */
static int
compare_calls(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	return (a->id > b->id) - (a->id < b->id);
}

static bool
put_calls_of(struct writer *w, struct cg_rows *rows, cg_fn fn)
{
	struct cg_call call;

	w->call.n = 0;
	cg_map_clear(&w->call_ids);
	while (cg_next_call(rows, &call)) {
		if (w->id[call.callee] != 0 && !add_call(w, fn, &call))
			return false;
	}
	if (w->call.n > 0)
		qsort(
		    w->call.at, w->call.n, sizeof(*w->call.at), compare_calls);
	for (size_t i = 0; i < w->call.n; i++) {
		if (w->inclusive &&
		    share(w, call_cost(w, &w->call.at[i])) < w->call_threshold)
			continue;
		put_call(w, fn, &w->call.at[i]);
	}
	return true;
}

static void
put_calls(struct writer *w)
{
	struct cg_rows *rows = cg_rows_new(w->graph);
	bool ok = rows != NULL;
	cg_fn fn;

	for (size_t i = 0; ok && cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);) {
		if (w->id[fn] == 0)
			continue;
		ok = cg_rows_open(rows, CG_ALL_PARTS, fn) &&
		     put_calls_of(w, rows, fn);
	}
	cg_rows_free(rows);
}

/* ---- The file ----------------------------------------------------------- */

/*
 * Parses a percentage such as "0.5" into a share (0.005) in *value. The result
 * is a little smaller, so that rounding does not drop a function with an equal
 * share. False: the text is not a decimal number from 0 to 100. *value then
 * has no meaning.
 */
static bool
parse_percent(struct cg_slice text, double *value)
{
	double unit = 0.01;
	uint64_t whole;

	if (!cg_take_u64(&text, &whole) || whole > 100)
		return false;
	*value = (double)whole * unit;
	if (text.len > 0 && !cg_take_char(&text, '.'))
		return false;
	for (; text.len > 0 && *text.ptr >= '0' && *text.ptr <= '9';
	     text.ptr++, text.len--) {
		unit /= 10;
		*value += unit * (*text.ptr - '0');
	}
	*value -= 1e-12;
	return text.len == 0 && *value < 1;
}

static bool
get_percent(struct cg_job *job, const char *name, double *value)
{
	const char *text = cg_opt(job, name);

	if (parse_percent(cg_slice(text), value))
		return true;
	(void)cg_usage(job,
	    "{%s}: expected a percentage from 0 to 100, "
	    "not '%s'",
	    name, text);
	return false;
}

static int
choose_events(struct writer *w)
{
	size_t column[2];
	const struct cg_event *event;
	int status = CG_OK;

	w->events = cg_choose_pair(w->job, w->graph, column) ? 2 : 1;
	if (w->events == 1)
		status = cg_choose_event(w->job, w->graph, NULL, &column[1]);
	if (status != CG_OK)
		return status;
	w->event[0] = column[1];
	w->event[1] = column[w->events == 2 ? 0 : 1];
	event = cg_get_event(w->graph, w->event[0]);
	w->inclusive = event->incl != CG_INCL_NONE;
	w->sampled = cg_calls_sampled(w->graph);
	w->is_signed =
	    event->is_signed && (cg_graph_facts(w->graph) & CG_SIGNED);
	w->change = w->events == 2 || w->is_signed;
	return CG_OK;
}

static double
sum_parts(const struct writer *w, size_t event)
{
	double sum = 0;

	for (cg_part part = 0; part < cg_part_count(w->graph); part++)
		sum += number(w, cg_part_totals(w->graph, part)[event]);
	return sum;
}

/*
 * Sets w->total, the cost that shares are relative to. It is the sum of the
 * last written event: the costs after, if the graph compares two events. If
 * this sum is 0, it is the sum of the costs before. If costs may be negative
 * (w->is_signed), such sums are of no use. Then w->total is the sum of the
 * absolute changes of the functions' self costs.
 *
 * If the graph shows changes, also sets w->largest, the largest absolute
 * change of a function. Colours of changes are relative to it.
 */
static void
measure(struct writer *w)
{
	struct sides cost;

	if (!w->is_signed)
		w->total = sum_parts(w, w->event[w->events - 1]);
	if (!w->is_signed && w->total <= 0 && w->events == 2)
		w->total = sum_parts(w, w->event[0]);
	for (cg_fn fn = 1; w->change && fn <= cg_fn_count(w->graph); fn++) {
		cost = fn_cost(w, fn, w->inclusive);
		w->largest = fmax(w->largest, fabs(cost.after - cost.before));
		cost = fn_cost(w, fn, false);
		if (w->is_signed)
			w->total += fabs(cost.after - cost.before);
	}
}

/*
 * Writes a cost, a blank and the unit. Nanoseconds from 1000 to less than
 * 10^15 are written as "3.42 s", "ms" or "us", in the largest unit of which
 * the cost is at least one. Other costs are rounded to an integer, and have no
 * blank if the unit is "".
 */
static void
put_cost(struct cg_out *out, double cost, const char *unit)
{
	static const struct {
		double ns;
		const char *name;
	} times[] = { { 1e9, " s" }, { 1e6, " ms" }, { 1e3, " us" } };

	for (size_t i = 0; strcmp(unit, "ns") == 0 && i < 3; i++) {
		if (cost >= times[i].ns && cost / times[i].ns < 1e6) {
			put_hundredths(out, cost / times[i].ns);
			cg_puts(out, times[i].name);
			return;
		}
	}
	cg_putf(out, "%.0f%s", cost, *unit ? " " : "");
	put_text(out, cg_slice(unit));
}

static void
put_title(struct writer *w)
{
	const struct cg_event *event = cg_get_event(w->graph, w->event[0]);
	bool named;

	/* "ns: 3 ns" says nothing. */
	named = strcmp(event->name, event->unit) == 0 && *event->long_name;
	put_text(w->out, cg_slice(named ? event->long_name : event->name));
	cg_puts(w->out, ": ");
	put_cost(w->out, sum_parts(w, w->event[0]), event->unit);
	if (w->events == 2) {
		cg_puts(w->out, "; before: ");
		put_cost(w->out, sum_parts(w, w->event[1]), event->unit);
	}
	if (w->change)
		cg_putf(w->out, "; red grew, blue shrank, in %% of %s",
		    w->is_signed ? "all changes" : "the total before");
}

static void
put_graph(struct writer *w)
{
	cg_puts(w->out, "digraph {\n"
			"\tgraph [fontname=Arial, nodesep=0.125, "
			"ranksep=0.25, label=\"");
	put_title(w);
	cg_puts(w->out, "\"];\n"
			"\tnode [fontcolor=\"#1c1e21\", fontname=Arial, "
			"height=0, shape=box, style=filled, width=0];\n"
			"\tedge [fontcolor=\"#1c1e21\", fontname=Arial];\n");
	put_functions(w);
	put_calls(w);
	cg_puts(w->out, "}\n");
}

static int
get_cluster(struct writer *w)
{
	w->cluster = cg_opt(w->job, "cluster");
	if (!w->cluster || cg_equal(cg_slice(w->cluster), "file") ||
	    cg_equal(cg_slice(w->cluster), "object"))
		return CG_OK;
	return cg_usage(
	    w->job, "{cluster}: expected file or object, not '%s'", w->cluster);
}

static int
write_dot(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	struct cg_sums *sums[2] = { NULL, NULL };
	bool ok = true;
	int status = get_cluster(&w);

	if (status == CG_OK &&
	    (!get_percent(job, "node-threshold", &w.node_threshold) ||
		!get_percent(job, "edge-threshold", &w.call_threshold)))
		return CG_EUSAGE;
	if (status == CG_OK)
		status = choose_events(&w);
	if (status != CG_OK)
		return status;
	for (size_t i = 0; i < w.events && ok; i++) {
		sums[i] = cg_sums_of(graph, CG_ALL_PARTS, w.event[i], 1);
		w.sums[i] = sums[i];
		ok = sums[i] != NULL;
	}
	w.id = cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*w.id));
	if (ok && w.id) {
		measure(&w);
		put_graph(&w);
	}
	cg_sums_free(sums[0]);
	cg_sums_free(sums[1]);
	return cg_out_status(out);
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ .name = "node-threshold",
	    .type = CG_STRING,
	    .fallback = "0.5",
	    .arg = "PERCENT",
	    .help = "drop functions with a smaller inclusive share",
	    .writing = true },
	{ .name = "edge-threshold",
	    .type = CG_STRING,
	    .fallback = "0.1",
	    .arg = "PERCENT",
	    .help = "drop calls with a smaller inclusive share",
	    .writing = true },
	{ .name = "cluster",
	    .type = CG_STRING,
	    .arg = "WHAT",
	    .help = "frame functions of one file, or of one object",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_dot = {
	CG_MODULE,
	.name = "dot",
	.title = "call graph for Graphviz's dot, coloured and pruned",
	.text = true,
	.suffixes = "dot;gv",
	.carries =
	    CG_SELF | CG_CALLS | CG_INCL | CG_SIGNED | CG_OBJECTS | CG_SAMPLES,
	.needs = CG_CALLS | CG_INCL,
	.pairs = true,
	.options = options,
	.write = write_dot,
};
