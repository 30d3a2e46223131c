/*
 * dot.c - dot: a call graph for Graphviz, coloured and pruned.
 *
 * Source: the DOT language (graphviz.org/doc/info/lang.html). The graph looks
 * like those of gprof2dot 2025.4 and pprof: a box for each function with its
 * object, name, inclusive and self cost and calls, an arrow for each pair of
 * functions. As in gprof2dot, nothing below 0.5 % (functions) or 0.1 % (calls)
 * is drawn; as in pprof's graph, no more than 80 functions are. The legend
 * says what is not shown. Colours are those of html, from grey (cold) to red
 * (hot), with black letters. Unlike in gprof2dot, shares are of the total cost
 * of the run, the inclusive cost of a recursive function counts once, and the
 * frame around the members of a cycle shows the cost of the cycle.
 *
 * For a difference (an event before and after, or negative costs) the graph
 * shows changes: functions and calls are red where they grew, blue where they
 * shrank, grey where they are unchanged. As with pprof's -diff_base, shares
 * are of the total before or, if that is unknown, of all changes together.
 *
 * One event is written, summed over lines, addresses and parts.
 */
#include <math.h>
#include <string.h>

#include "dot.h"

#define NODES_MAX "80" /* functions that one can still look through */
#define COMMAND_MAX 80 /* bytes */

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
get_count(struct dot *dot)
{
	const char *text = cg_opt(dot->job, "node-count");
	struct cg_slice rest = cg_slice(text);

	if (cg_take_u64(&rest, &dot->most) && rest.len == 0)
		return CG_OK;
	return cg_usage(dot->job,
	    "{node-count}: expected a number, or 0 for all, not '%s'", text);
}

static int
choose_events(struct dot *dot)
{
	size_t column[2];
	const struct cg_event *event;
	int status = CG_OK;

	dot->events = cg_choose_pair(dot->job, dot->graph, column) ? 2 : 1;
	if (dot->events == 1)
		status =
		    cg_choose_event(dot->job, dot->graph, NULL, &column[1]);
	if (status != CG_OK)
		return status;
	dot->event[0] = column[1];
	dot->event[1] = column[dot->events == 2 ? 0 : 1];
	event = cg_get_event(dot->graph, dot->event[0]);
	dot->unit = event->unit;
	dot->inclusive = event->incl != CG_INCL_NONE;
	dot->sampled = cg_calls_sampled(dot->graph);
	dot->is_signed =
	    event->is_signed && (cg_graph_facts(dot->graph) & CG_SIGNED);
	dot->change = dot->events == 2 || dot->is_signed;
	return CG_OK;
}

static double
sum_parts(const struct dot *dot, size_t event)
{
	double sum = 0;

	for (cg_part part = 0; part < cg_part_count(dot->graph); part++)
		sum += dot_number(dot, cg_part_totals(dot->graph, part)[event]);
	return sum;
}

/*
 * Sets dot->total, the cost that shares are relative to. It is the sum of the
 * last written event: the costs after, if the graph compares two events. If
 * this sum is 0, it is the sum of the costs before. If costs may be negative
 * (dot->is_signed), such sums are of no use. Then dot->total is the sum of the
 * absolute changes of the functions' self costs.
 *
 * If the graph shows changes, also sets dot->largest, the largest absolute
 * change of a function. Colours of changes are relative to it.
 */
static void
measure(struct dot *dot)
{
	struct dot_sides cost;

	if (!dot->is_signed)
		dot->total = sum_parts(dot, dot->event[dot->events - 1]);
	if (!dot->is_signed && dot->total <= 0 && dot->events == 2)
		dot->total = sum_parts(dot, dot->event[0]);
	for (cg_fn fn = 1; dot->change && fn <= cg_fn_count(dot->graph); fn++) {
		cost = dot_fn_cost(dot, fn, dot->inclusive);
		dot->largest =
		    fmax(dot->largest, fabs(cost.after - cost.before));
		cost = dot_fn_cost(dot, fn, false);
		if (dot->is_signed)
			dot->total += fabs(cost.after - cost.before);
	}
}

/* ---- The legend --------------------------------------------------------- */

/* Ends a line of text that is aligned with the left side. */
#define END_LINE "\\l"

static void
put_total(const struct dot *dot, size_t event)
{
	double total = sum_parts(dot, event);

	(void)picture_put_amount(dot->out, total, dot->unit);
}

/* Writes the command, if the profile is of one. */
static void
put_command(struct dot *dot)
{
	const char *cmd = cg_part_count(dot->graph) == 1
			      ? cg_get_part(dot->graph, 0)->cmd
			      : "";
	struct cg_slice text = cg_slice(cmd);

	if (text.len == 0)
		return;
	if (text.len > COMMAND_MAX) {
		text.len = COMMAND_MAX;
		while (text.len > 0 &&
		       ((unsigned char)cmd[text.len] & 0xc0) == 0x80)
			text.len--;
	}
	dot_put_text(dot->out, text);
	cg_puts(dot->out, cmd[text.len] ? "\xe2\x80\xa6" END_LINE : END_LINE);
}

/* Writes the event and its total: "cpu: 1.55 s". */
static void
put_title(struct dot *dot)
{
	const struct cg_event *event = cg_get_event(dot->graph, dot->event[0]);
	bool named;

	/* "ns: 3 ns" says nothing. */
	named = strcmp(event->name, event->unit) == 0 && *event->long_name;
	dot_put_text(
	    dot->out, cg_slice(named ? event->long_name : event->name));
	cg_puts(dot->out, ": ");
	put_total(dot, dot->event[0]);
	if (dot->events == 2) {
		cg_puts(dot->out, "; before: ");
		put_total(dot, dot->event[1]);
	}
	cg_puts(dot->out, END_LINE);
}

/* Writes a count of what is not shown: ", 5 below 0.5%". */
static void
put_left_out(struct dot *dot, bool *first, uint64_t count, const char *why,
    const char *limit)
{
	if (count == 0)
		return;
	cg_puts(dot->out, *first ? "; not shown: " : ", ");
	*first = false;
	picture_put_number(dot->out, count);
	cg_putf(dot->out, " %s ", why);
	dot_put_text(dot->out, cg_slice(limit));
}

/* Writes how much of the profile is in the picture. */
static void
put_shown(struct dot *dot)
{
	uint64_t all = dot->fns + dot->small_fns + dot->more_fns;
	bool first = true;

	picture_put_number(dot->out, dot->fns);
	cg_puts(dot->out, " of ");
	picture_put_number(dot->out, all);
	cg_putf(dot->out, " function%s", all == 1 ? "" : "s");
	if (!dot->change && dot->total > 0) {
		cg_puts(dot->out, " with ");
		dot_put_hundredths(
		    dot->out, 100 * fmax(0, fmin(dot->self / dot->total, 1)));
		cg_puts(dot->out, "% of the self cost");
	}
	put_left_out(dot, &first, dot->small_fns, "below",
	    cg_opt(dot->job, "node-threshold"));
	cg_puts(dot->out, dot->small_fns ? "%" : "");
	put_left_out(dot, &first, dot->more_fns, "after the first",
	    cg_opt(dot->job, "node-count"));
	cg_puts(dot->out, END_LINE);
	if (dot->small_calls == 0)
		return;
	first = true;
	picture_put_number(dot->out, dot->calls);
	cg_puts(dot->out, " of ");
	picture_put_number(dot->out, dot->calls + dot->small_calls);
	cg_puts(dot->out, " arrows");
	put_left_out(dot, &first, dot->small_calls, "below",
	    cg_opt(dot->job, "edge-threshold"));
	cg_puts(dot->out, "%" END_LINE);
}

/* Writes what the boxes show. */
static void
put_key(struct dot *dot)
{
	cg_puts(dot->out, dot->change ? "box: change of " : "box: ");
	if (dot->inclusive)
		cg_puts(dot->out, "cost with callees, ");
	cg_puts(dot->out, "self cost");
	cg_puts(dot->out, dot->sampled ? "" : ", calls");
	if (dot->change)
		cg_putf(dot->out, "; red grew, blue shrank, in %% of %s",
		    dot->is_signed ? "all changes" : "the total before");
	else
		cg_putf(dot->out,
		    "; redder: more %s cost; larger: more self cost",
		    dot->inclusive ? "inclusive" : "self");
	cg_puts(dot->out,
	    dot->torn > 0 ? "; dashed: calls to it are not shown" : "");
	cg_puts(dot->out, END_LINE);
}

static void
put_legend(struct dot *dot)
{
	cg_puts(dot->out, "\tfontsize=12;\n\tlabel=\"");
	put_command(dot);
	put_title(dot);
	put_shown(dot);
	put_key(dot);
	cg_puts(dot->out, "\";\n\tlabeljust=l;\n\tlabelloc=t;\n");
}

/*
 * Writes the graph. Its name and tooltip are what a browser shows where there
 * is nothing else. The legend is written last, so that frames do not inherit
 * how it is placed.
 */
static void
put_graph(struct dot *dot)
{
	cg_puts(dot->out,
	    "digraph \"call graph\" {\n"
	    "\tgraph [fontcolor=\"#1c1e21\", fontname=Arial, "
	    "nodesep=0.15, ranksep=0.3, tooltip=\" \"];\n"
	    "\tnode [fontcolor=\"#1c1e21\", fontname=Arial, "
	    "height=0, shape=box, style=filled, width=0];\n"
	    "\tedge [fontcolor=\"#1c1e21\", fontname=Arial, fontsize=10];\n");
	dot_put_functions(dot);
	dot_put_calls(dot);
	put_legend(dot);
	cg_puts(dot->out, "}\n");
}

/* ---- The module --------------------------------------------------------- */

static int
get_cluster(struct dot *dot)
{
	dot->cluster = cg_opt(dot->job, "cluster");
	if (!dot->cluster || cg_equal(cg_slice(dot->cluster), "file") ||
	    cg_equal(cg_slice(dot->cluster), "object"))
		return CG_OK;
	return cg_usage(dot->job,
	    "{cluster}: expected file or object, not '%s'", dot->cluster);
}

static int
write_dot(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct dot dot = { .job = job, .graph = graph, .out = out };
	struct cg_sums *sums[2] = { NULL, NULL };
	bool ok = true;
	int status = get_cluster(&dot);

	if (status == CG_OK &&
	    (!get_percent(job, "node-threshold", &dot.node_threshold) ||
		!get_percent(job, "edge-threshold", &dot.call_threshold)))
		return CG_EUSAGE;
	if (status == CG_OK)
		status = get_count(&dot);
	if (status == CG_OK)
		status = choose_events(&dot);
	if (status != CG_OK)
		return status;
	for (size_t i = 0; i < dot.events && ok; i++) {
		sums[i] = cg_sums_of(graph, CG_ALL_PARTS, dot.event[i], 1);
		dot.sums[i] = sums[i];
		ok = sums[i] != NULL;
	}
	dot.id = cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*dot.id));
	if (ok && dot.id) {
		measure(&dot);
		put_graph(&dot);
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
	{ .name = "node-count",
	    .type = CG_NUMBER,
	    .fallback = NODES_MAX,
	    .arg = "N",
	    .help = "draw only the N functions of the most cost; 0: all",
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
