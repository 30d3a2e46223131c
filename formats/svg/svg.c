/*
 * svg.c - flame graphs and flame charts as self-contained SVG.
 *
 * Source: Brendan Gregg, "The Flame Graph", ACM Queue 14(2), 2016, for the
 * idea; markup and script are our own. Names of functions and one event
 * survive; with --flame-chart also threads and times.
 */

#include "svg.h"

#define WIDTH_MIN 200
#define WIDTH_MAX 100000
#define WIDTH_DEFAULT "1200" /* without a script, which follows the window */
/*
 * Limits in pixels: below the first, which is that of flamegraph.pl and about
 * that of inferno (0.01%), frames are not seen and slow browsers down; below
 * the second nothing is seen.
 */
#define GRAPH_LEAST "0.1"
#define CHART_LEAST "0.5"

/*
 * Reads option min-width into svg->least, in millionths of a pixel. "0.3" is
 * in pixels, "0.1%" a part of the width of all frames; svg->percent tells
 * which. False: malformed, or too large (not reported).
 */
static bool
take_min_width(struct svg *svg, const char *text)
{
	struct cg_slice rest = cg_slice(text);

	if (!cg_take_fixed(&rest, 6, &svg->least) ||
	    svg->least > WIDTH_MAX * UINT64_C(1000000))
		return false;
	svg->percent = cg_take_char(&rest, '%');
	if (svg->percent)
		svg->least = svg->least * (svg->width - 2 * SVG_PAD) / 100;
	return rest.len == 0;
}

static int
get_sizes(struct svg *svg, bool chart)
{
	const char *given = cg_opt(svg->job, "width");
	struct cg_slice width = cg_slice(given ? given : WIDTH_DEFAULT);
	const char *least = cg_opt(svg->job, "min-width");

	svg->fluid = !given;
	if (!cg_take_u64(&width, &svg->width) || svg->width < WIDTH_MIN ||
	    svg->width > WIDTH_MAX)
		return cg_usage(svg->job,
		    "{width}: expected a number of pixels from %d to %d, not "
		    "'%s'",
		    WIDTH_MIN, WIDTH_MAX, given);
	if (!least)
		least = chart ? CHART_LEAST : GRAPH_LEAST;
	if (!take_min_width(svg, least))
		return cg_usage(svg->job,
		    "{min-width}: expected pixels or a percentage, such as "
		    "0.3 or 0.01%%, not '%s'",
		    least);
	svg->least_text = least;
	return CG_OK;
}

static int
check_flags(const struct svg *svg, bool chart)
{
	static const char *const of_graphs[] = { "inverted", "reverse-order",
		"negate", NULL };

	for (const char *const *name = of_graphs; chart && *name; name++) {
		if (cg_opt_flag(svg->job, *name))
			return cg_usage(svg->job,
			    "{%s} and {flame-chart} cannot be used together",
			    *name);
	}
	if (!chart && cg_opt(svg->job, "min-duration"))
		return cg_usage(
		    svg->job, "{min-duration} applies only to {flame-chart}");
	return CG_OK;
}

/*
 * Chooses the event to draw, and sets svg->column to its column of costs. If
 * the graph is a difference, svg->column is the column after the change, and
 * svg->other the one before. svg->negate exchanges the two. "chart" tells that
 * a flame chart is drawn. It shows no difference, and prefers time as event.
 * Returns the status; a failure is reported.
 */
static int
choose_columns(struct svg *svg, bool chart)
{
	size_t column[2];
	int status = CG_OK;

	svg->change = !chart && cg_choose_pair(svg->job, svg->graph, column);
	if (svg->change) {
		svg->column = column[svg->negate ? 0 : 1];
		svg->other = column[svg->negate ? 1 : 0];
	} else {
		status = cg_choose_event(svg->job, svg->graph,
		    chart ? CG_TIME_EVENT : NULL, &svg->column);
	}
	if (status == CG_OK) {
		svg->event = cg_get_event(svg->graph, svg->column);
		svg_find_judgement(svg);
	}
	return status;
}

static int
get_colours(struct svg *svg)
{
	const char *colours = cg_opt(svg->job, "colors");

	if (svg->negate && !svg->change)
		return cg_usage(svg->job,
		    "{negate} needs an event before and after; see {diff}");
	if (svg->change && colours)
		return cg_usage(svg->job,
		    "{colors} does not apply to differences, whose colours "
		    "show the change");
	svg->palette = svg_find_palette(colours ? colours : "function");
	if (svg->palette)
		return CG_OK;
	return cg_usage(svg->job,
	    "{colors}: expected function, object, kind, or one of hot, mem, "
	    "io, red, orange, yellow, green, aqua, blue, purple, not '%s'",
	    colours);
}

static int
get_options(struct svg *svg, bool chart)
{
	int status = get_sizes(svg, chart);

	svg->inverted = cg_opt_flag(svg->job, "inverted");
	svg->reversed = cg_opt_flag(svg->job, "reverse-order");
	svg->negate = cg_opt_flag(svg->job, "negate");
	if (status == CG_OK)
		status = check_flags(svg, chart);
	if (status == CG_OK)
		status = choose_columns(svg, chart);
	return status == CG_OK ? get_colours(svg) : status;
}

static int
write_svg(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct svg svg = { .job = job, .graph = graph, .out = out };
	bool chart = cg_opt_flag(job, "flame-chart");
	int status = get_options(&svg, chart);

	if (status != CG_OK)
		return status;
	if (chart)
		status = svg_write_chart(&svg);
	else
		svg_write_graph(&svg);
	return status == CG_OK ? cg_out_status(out) : status;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ .name = "title",
	    .type = CG_STRING,
	    .arg = "TEXT",
	    .help = "title of the picture",
	    .writing = true },
	{ .name = "subtitle",
	    .type = CG_STRING,
	    .arg = "TEXT",
	    .help = "small text after the title",
	    .writing = true },
	{ .name = "colors",
	    .type = CG_STRING,
	    .arg = "HOW",
	    .help = "by function, object, kind, or a palette: hot, blue, ...",
	    .writing = true },
	{ .name = "inverted",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "an icicle graph: the root is at the top",
	    .writing = true },
	{ .name = "reverse-order",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "merge stacks from the leaf: callers on their callees",
	    .writing = true },
	{ .name = "negate",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "of a difference: frames as wide as they were before",
	    .writing = true },
	{ .name = "width",
	    .type = CG_NUMBER,
	    .arg = "PIXELS",
	    .help = "width of the picture (default: that of the window)",
	    .writing = true },
	{ .name = "min-width",
	    .type = CG_STRING,
	    .arg = "PIXELS|PERCENT%",
	    .help = "drop (" GRAPH_LEAST "), in charts merge (" CHART_LEAST
		    ") narrower frames",
	    .writing = true },
	{ .name = "flame-chart",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "a chart: frames of each thread in the order of time",
	    .carries = CG_TIMELINE | CG_PARTS,
	    .needs = CG_TIMELINE,
	    .writing = true },
	{ .name = "min-duration",
	    .type = CG_STRING,
	    .arg = "TIME|SHARE%",
	    .help = "drop shorter frames of charts: 1.5ms, 20us, 0.1%",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_svg = {
	CG_MODULE,
	.name = "svg",
	.title = "a flame graph or chart with search and zoom, for any browser",
	.text = true,
	.suffixes = "svg",
	.carries = CG_SELF | CG_INCL | CG_STACKS,
	.needs = CG_STACKS,
	.root_by = "comm",
	.pairs = true,
	.options = options,
	.write = write_svg,
};
