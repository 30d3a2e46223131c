/*
 * dot.c - dot: a call graph for Graphviz, coloured and pruned.
 *
 * Source: the DOT language (graphviz.org/doc/info/lang.html). The graph looks
 * like that of gprof2dot 2024.6: a box for each function with its object, name,
 * inclusive and self share and calls, an arrow for each pair of functions, from
 * blue (cold) to red (hot), and nothing below 0.5 % (functions) or 0.1 %
 * (calls). Unlike there, shares are of the total cost of the run, and the
 * inclusive cost of a recursive function counts once.
 *
 * One event is written, summed over lines, addresses and parts.
 */
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"

#define NAME_MAX_SHOWN 80 /* bytes of a name in a box; tooltips have all */
#define FONT_MIN 8.0
#define FONT_MAX 10.0
#define PEN_MIN 0.5
#define PEN_MAX 4.0

/* Calls of one function by another, from all call sites. */
struct call {
	cg_fn callee;
	uint32_t id; /* of the callee */
	uint64_t count, cost;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	size_t event;
	const struct cg_sums *sums; /* of that event alone */
	bool inclusive;             /* the event has inclusive costs */
	double total;
	double node_threshold, call_threshold; /* shares */
	uint32_t *id;      /* by fn: its number in the output, 0: not there */
	struct call *call; /* of the current caller */
	size_t calls, call_cap;
	struct cg_map call_ids; /* callee -> index in call + 1 */
};

/* ---- Text --------------------------------------------------------------- */

/* Escapes text for a string in quotes; control characters become blanks. */
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

/* The start of the UTF-8 character that contains the byte at. */
static size_t
char_start(struct cg_slice text, size_t at)
{
	while (at > 0 && ((unsigned char)text.ptr[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Shortens a long name in its middle: templates differ at both ends. */
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
share(const struct writer *w, uint64_t cost)
{
	double value = w->total > 0 ? (double)cost / w->total : 0;

	return value < 1 ? value : 1;
}

static double
fn_share(const struct writer *w, cg_fn fn)
{
	return share(w, w->inclusive ? cg_sum_inclusive(w->sums, fn, w->event)
				     : cg_sum_self(w->sums, fn, w->event));
}

/* HSL to RGB: one component; the hue is shifted by -1/3 to 1/3 for it. */
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

/* The colour of a share: from dark blue over green and yellow to red. */
static void
put_colour(struct cg_out *out, double value)
{
	double hue = (1 - value) * 2 / 3, saturation = 0.8 + 0.2 * value;
	double light = 0.25 + 0.25 * value;
	double high = light * (1 + saturation), low = 2 * light - high;

	cg_putf(out, "\"#%02x%02x%02x\"",
	    (unsigned)(255 * hue_part(low, high, hue + 1.0 / 3) + 0.5),
	    (unsigned)(255 * hue_part(low, high, hue) + 0.5),
	    (unsigned)(255 * hue_part(low, high, hue - 1.0 / 3) + 0.5));
}

/* "12.34", in any locale. */
static void
put_hundredths(struct cg_out *out, double value)
{
	unsigned n = (unsigned)(100 * value + 0.5);

	cg_putf(out, "%u.%02u", n / 100, n % 100);
}

static void
put_percent(struct cg_out *out, double value)
{
	put_hundredths(out, 100 * value);
	cg_putc(out, '%');
}

static double
between(double low, double high, double value)
{
	return value > low ? (value < high ? value : high) : low;
}

static double
font_size(double value)
{
	return between(FONT_MIN, FONT_MAX, value * value * FONT_MAX);
}

/* ---- Functions ---------------------------------------------------------- */

static void
put_label(struct writer *w, cg_fn fn, double value)
{
	struct cg_slice object =
	    cg_base_name(cg_object_path(w->graph, cg_fn_object(w->graph, fn)));
	uint32_t cycle = cg_sum_cycle(w->sums, fn);
	uint64_t calls = cg_sum_calls_in(w->sums, fn);

	if (object.len > 0) {
		put_text(w->out, object);
		cg_puts(w->out, "\\n");
	}
	put_name(w->out, fn_name(w, fn));
	if (cycle != 0)
		cg_putf(w->out, " <cycle %u>", (unsigned)cycle);
	cg_puts(w->out, "\\n");
	if (w->inclusive) {
		put_percent(w->out, value);
		cg_puts(w->out, "\\n");
	}
	cg_putc(w->out, '(');
	put_percent(w->out, share(w, cg_sum_self(w->sums, fn, w->event)));
	cg_putc(w->out, ')');
	if (calls > 0) {
		cg_puts(w->out, "\\n");
		cg_putu(w->out, calls);
		cg_puts(w->out, "\xc3\x97"); /* a multiplication sign */
	}
}

static void
put_function(struct writer *w, cg_fn fn)
{
	double value = fn_share(w, fn);
	struct cg_slice file = cg_file_path(w->graph, cg_fn_file(w->graph, fn));

	cg_putf(w->out, "\tn%u [color=", (unsigned)w->id[fn]);
	put_colour(w->out, value);
	cg_puts(w->out, ", fontsize=\"");
	put_hundredths(w->out, font_size(value));
	cg_puts(w->out, "\", label=\"");
	put_label(w, fn, value);
	cg_puts(w->out, "\", tooltip=\"");
	put_text(w->out, fn_name(w, fn));
	if (file.len > 0) {
		cg_puts(w->out, " (");
		put_text(w->out, file);
		cg_puts(w->out, ")");
	}
	cg_puts(w->out, "\"];\n");
}

static void
put_functions(struct writer *w)
{
	uint32_t id = 0;

	for (size_t rank = 0; rank <= cg_fn_count(w->graph); rank++) {
		cg_fn fn = cg_fn_ranked(w->graph, rank);

		if (fn == 0 || fn_share(w, fn) < w->node_threshold)
			continue;
		w->id[fn] = ++id;
		put_function(w, fn);
	}
}

/* ---- Calls -------------------------------------------------------------- */

static bool
add_call(struct writer *w, const struct cg_call *call)
{
	uint64_t cost = w->event < call->n ? call->cost[w->event] : 0;
	uint32_t *id = cg_map_at(&w->call_ids, call->callee);
	struct call *sum;

	if (!id || (*id == 0 && !cg_grow_raw(&w->call, &w->call_cap,
				    w->calls + 1, sizeof(*sum))))
		return false;
	if (*id == 0) {
		w->call[w->calls] = (struct call){ .callee = call->callee,
			.id = w->id[call->callee] };
		*id = (uint32_t)++w->calls;
	}
	sum = &w->call[*id - 1];
	/* No overflow: cg_sums_of() has checked the sums by function. */
	sum->count += call->count;
	sum->cost += cost;
	return true;
}

static void
put_call(struct writer *w, cg_fn caller, const struct call *call)
{
	/* An arrow without a cost has the colour of the callee. */
	double value =
	    w->inclusive ? share(w, call->cost) : fn_share(w, call->callee);

	cg_putf(w->out, "\tn%u -> n%u [color=", (unsigned)w->id[caller],
	    (unsigned)call->id);
	put_colour(w->out, value);
	cg_puts(w->out, ", fontcolor=");
	put_colour(w->out, value);
	cg_puts(w->out, ", fontsize=\"");
	put_hundredths(w->out, font_size(value));
	cg_puts(w->out, "\", penwidth=\"");
	put_hundredths(w->out, between(PEN_MIN, PEN_MAX, value * PEN_MAX));
	cg_puts(w->out, "\", label=\"");
	if (w->inclusive)
		put_percent(w->out, value);
	if (w->inclusive && call->count > 0)
		cg_puts(w->out, "\\n");
	if (call->count > 0) {
		cg_putu(w->out, call->count);
		cg_puts(w->out, "\xc3\x97");
	}
	cg_puts(w->out, "\"];\n");
}

/* In the order of the functions in the output. */
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

	w->calls = 0;
	cg_map_free(&w->call_ids);
	while (cg_next_call(rows, &call)) {
		if (w->id[call.callee] != 0 && !add_call(w, &call))
			return false;
	}
	if (w->calls > 0)
		qsort(w->call, w->calls, sizeof(*w->call), compare_calls);
	for (size_t i = 0; i < w->calls; i++) {
		if (w->inclusive &&
		    share(w, w->call[i].cost) < w->call_threshold)
			continue;
		put_call(w, fn, &w->call[i]);
	}
	return true;
}

static bool
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
	return ok;
}

/* ---- The file ----------------------------------------------------------- */

/*
 * Parses "0.5" percent into a share; false unless it is from 0 to 100. The
 * result is a little smaller, so that rounding does not drop an equal share.
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
	    "--%s: expected a percentage from 0 to 100, "
	    "not '%s'",
	    name, text);
	return false;
}

static int
choose_event(struct writer *w)
{
	int status = cg_choose_event(w->job, w->graph, NULL, &w->event);

	if (status != CG_OK)
		return status;
	w->inclusive = cg_get_event(w->graph, w->event)->incl != CG_INCL_NONE;
	for (cg_part part = 0; part < cg_part_count(w->graph); part++)
		w->total += (double)cg_part_totals(w->graph, part)[w->event];
	return CG_OK;
}

static bool
put_graph(struct writer *w)
{
	const char *unit = cg_get_event(w->graph, w->event)->unit;

	cg_puts(w->out, "digraph {\n"
			"\tgraph [fontname=Arial, nodesep=0.125, "
			"ranksep=0.25, label=\"");
	put_text(w->out, cg_slice(cg_get_event(w->graph, w->event)->name));
	cg_putf(w->out, ": %.0f", w->total);
	if (*unit)
		cg_putc(w->out, ' ');
	put_text(w->out, cg_slice(unit));
	cg_puts(w->out, cg_calls_sampled(w->graph)
			    ? "; calls are numbers of samples\"];\n"
			    : "\"];\n");
	cg_puts(w->out, "\tnode [fontcolor=white, fontname=Arial, height=0, "
			"shape=box, style=filled, width=0];\n"
			"\tedge [fontname=Arial];\n");
	put_functions(w);
	if (!put_calls(w))
		return false;
	cg_puts(w->out, "}\n");
	return true;
}

static int
write_dot(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	struct cg_sums *sums = NULL;
	bool ok;
	int status;

	if (!get_percent(job, "node-threshold", &w.node_threshold) ||
	    !get_percent(job, "edge-threshold", &w.call_threshold))
		return CG_EUSAGE;
	status = choose_event(&w);
	if (status != CG_OK)
		return status;
	w.sums = sums = cg_sums_of(graph, CG_ALL_PARTS, w.event, 1);
	w.id = calloc(cg_fn_count(graph) + 1, sizeof(*w.id));
	ok = sums && w.id && put_graph(&w);
	cg_sums_free(sums);
	free(w.id);
	free(w.call);
	cg_map_free(&w.call_ids);
	return ok ? cg_out_status(out) : cg_nomem(job);
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
	{ 0 },
};

const struct cg_module cg_format_dot = {
	CG_MODULE,
	.name = "dot",
	.title = "call graph for Graphviz's dot, coloured and pruned",
	.text = true,
	.suffixes = "dot;gv",
	.carries = CG_SELF | CG_CALLS | CG_INCL | CG_OBJECTS | CG_SAMPLES,
	.needs = CG_CALLS | CG_INCL,
	.options = options,
	.write = write_dot,
};
