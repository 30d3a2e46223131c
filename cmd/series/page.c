/*
 * page.c - a series as a page with charts: one file without a script, which
 * loads nothing. Charts are SVG; what they show is in the tables, too.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "series.h"

static const char style[] = {
#include <cmd/series/page.css.inc>
};
static const unsigned char style_hash[] = {
#include <cmd/series/page.css.sha256>
};

static void
put_base64(FILE *to, const unsigned char *bytes, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned group = (unsigned)bytes[i] << 16;

		group |= i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0;
		group |= i + 2 < n ? bytes[i + 2] : 0;
		putc(digit[group >> 18], to);
		putc(digit[group >> 12 & 63], to);
		putc(i + 1 < n ? digit[group >> 6 & 63] : '=', to);
		putc(i + 2 < n ? digit[group & 63] : '=', to);
	}
}

/*
 * Writes the begin of the HTML page, up to the <h1> inside of <header>. The
 * caller must close <header> and <body>. The page's content security policy
 * allows only the style sheet that is written here.
 */
static void
put_head(FILE *to, const char *event)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	      "<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\""
	      "default-src 'none'; style-src 'sha256-",
	    to);
	put_base64(to, style_hash, sizeof(style_hash));
	fputs("'; base-uri 'none'; form-action 'none'\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n"
	      "<meta name=\"generator\" content=\"cgconv " CG_VERSION "\">\n"
	      "<title>Trend of ",
	    to);
	put_html(to, cg_slice(event));
	fputs("</title>\n<style>", to);
	fwrite(style, 1, sizeof(style), to);
	fputs("</style>\n</head>\n<body>\n<header>\n<h1>Trend of ", to);
	put_html(to, cg_slice(event));
	fputs("</h1>\n", to);
}

static void
put_about(FILE *to, const struct series *series)
{
	size_t n = series->run.n;

	fprintf(to, "<p>%zu run%s: ", n, n == 1 ? "" : "s");
	put_html(to, cg_slice(run_at(series, 0)->name));
	if (n > 1) {
		fputs(" to ", to);
		put_html(to, cg_slice(run_at(series, n - 1)->name));
	}
	if (series->skipped > 0)
		fprintf(to, "; %zu could not be read", series->skipped);
	fputs(".</p>\n<p>Changes: ", to);
	put_series_method(to, series);
	fputs(".</p>\n</header>\n<main>\n", to);
}

static void
put_name(FILE *to, const struct curve *curve)
{
	if (curve->name.len > 0)
		put_html(to, curve->name);
	else
		fputs(curve->kind, to);
	if (strcmp(curve->kind, "inclusive") == 0)
		fputs(", inclusive", to);
}

/* ---- Changes ------------------------------------------------------------- */

static void
put_change(FILE *to, const struct series *series, size_t number,
    const struct change *change, bool cause)
{
	const struct curve *curve = &series->curve.at[number];
	char buf[AMOUNT_ROOM];

	fprintf(to, "<tr%s><td class=\"name\"><a href=\"#c%zu\">",
	    cause ? " class=\"cause\"" : "", number);
	put_name(to, curve);
	fprintf(
	    to, "</a></td><td>%s</td>", value_text(buf, curve, change->before));
	fprintf(to, "<td>%s</td>", value_text(buf, curve, change->after));
	fprintf(to, "<td>%s</td>", change_text(buf, curve, change));
	if (change->low == change->high)
		fprintf(to, "<td>%zu</td>", change->at + 1);
	else
		fprintf(to, "<td>%zu to %zu</td>", change->low + 1,
		    change->high + 1);
	fputs("<td class=\"name\">", to);
	put_html(to,
	    cg_slice(run_at(series, change->drift ? change->low : change->at)
			 ->name));
	fputs(change->drift ? " on, a drift</td></tr>\n" : "</td></tr>\n", to);
}

static void
begin_table(FILE *to, const char *title)
{
	fprintf(to,
	    "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	    "aria-label=\"%s\">\n<table><thead><tr>",
	    title);
}

static void
put_changes(FILE *to, const struct series *series, const char *title,
    size_t from, size_t end, bool causes)
{
	const struct change *cause;
	size_t rows = 0;

	fprintf(to, "<h2>%s</h2>\n", title);
	for (size_t i = from; i < end; i++)
		rows += series->curve.at[i].changes;
	if (rows == 0) {
		fputs("<p>None.</p>\n", to);
		return;
	}
	begin_table(to, title);
	fputs("<th class=\"name\">Of</th><th>Before</th><th>After</th>"
	      "<th>Change</th><th>Run</th><th class=\"name\">Since</th></tr>"
	      "</thead>\n<tbody>\n",
	    to);
	for (size_t i = from; i < end; i++) {
		const struct curve *curve = &series->curve.at[i];

		for (size_t k = 0; k < curve->changes; k++) {
			size_t at = 0;

			put_change(to, series, i, &curve->change[k], false);
			while (causes && next_cause(series, &curve->change[k],
					     &at, &cause))
				put_change(to, series, at - 1, cause, true);
		}
	}
	fputs("</tbody></table>\n</div>\n", to);
}

/* ---- Charts -------------------------------------------------------------- */

#define WIDTH 600
#define HEIGHT 130
#define LEFT 92 /* room for the labels of the axis */
#define BELOW 18
#define HITS_MAX 400 /* runs that show their value when pointed at */

struct chart {
	const struct series *series;
	const struct curve *curve;
	double low, high; /* values at the bottom and at the top */
};

static double
x_of(const struct chart *chart, double run)
{
	size_t n = chart->series->run.n;

	return LEFT + (run + 0.5) * (WIDTH - LEFT) / (double)n;
}

static double
y_of(const struct chart *chart, double value)
{
	return 6 + (HEIGHT - BELOW - 12) * (chart->high - value) /
		       (chart->high - chart->low);
}

static void
find_range(struct chart *chart)
{
	double margin;

	chart->low = INFINITY;
	chart->high = -INFINITY;
	for (size_t i = 0; i < chart->series->run.n; i++) {
		chart->low = fmin(chart->low, chart->curve->value[i]);
		chart->high = fmax(chart->high, chart->curve->value[i]);
	}
	if (!isfinite(chart->low))
		chart->low = chart->high = 0;
	margin =
	    chart->high > chart->low ? 0 : fmax(fabs(chart->low) * 0.05, 1);
	chart->low -= margin;
	chart->high += margin;
}

/*
 * Draws the values as a path, with a gap where runs have no value. If there
 * are more runs than pixels, draws one point for several runs: their first
 * value, with a line from the lowest to the highest one. So no run is hidden.
 */
static void
put_line(FILE *to, const struct chart *chart)
{
	const double *value = chart->curve->value;
	size_t n = chart->series->run.n, step = n / (WIDTH - LEFT) + 1;
	char command = 'M';

	fputs("<path class=\"run\" d=\"", to);
	for (size_t i = 0; i < n; i += step) {
		size_t end = i + step < n ? i + step : n;
		double low = INFINITY, high = -INFINITY;

		for (size_t k = i; k < end; k++) {
			low = fmin(low, value[k]);
			high = fmax(high, value[k]);
		}
		if (!isfinite(low)) {
			command = 'M';
			continue;
		}
		fprintf(to, "%c%.1f %.1f", command, x_of(chart, (double)i),
		    y_of(chart, isnan(value[i]) ? low : value[i]));
		command = 'L';
		if (high > low)
			fprintf(to, "V%.1fV%.1f", y_of(chart, low),
			    y_of(chart, high));
	}
	fputs("\"/>\n", to);
}

static void
put_levels(FILE *to, const struct chart *chart)
{
	const struct curve *curve = chart->curve;
	size_t n = chart->series->run.n, begin = 0;

	for (size_t i = 0; i < curve->changes; i++) {
		const struct change *change = &curve->change[i];
		double left = x_of(chart, (double)change->low - 0.5);
		double right = x_of(chart, (double)change->high + 0.5);

		fprintf(to,
		    "<rect class=\"band\" x=\"%.1f\" y=\"0\" width=\"%.1f\" "
		    "height=\"%d\"/>\n",
		    left, right - left, HEIGHT - BELOW);
	}
	for (size_t i = 0; i < curve->changes; i++) {
		const struct change *change = &curve->change[i];
		size_t end = i + 1 < curve->changes ? change[1].at : n;

		if (strcmp(curve->kind, "file") == 0)
			break; /* files have no levels */
		if (change->drift) {
			fprintf(to,
			    "<path class=\"level\" d=\"M%.1f %.1fL%.1f "
			    "%.1f\"/>\n",
			    x_of(chart, (double)change->low),
			    y_of(chart, change->before),
			    x_of(chart, (double)change->high),
			    y_of(chart, change->after));
			begin = change->high + 1;
			continue;
		}
		if (change->at > begin)
			fprintf(to,
			    "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
			    x_of(chart, (double)begin - 0.5),
			    y_of(chart, change->before),
			    x_of(chart, (double)change->at - 0.5));
		begin = change->at;
		if (i + 1 == curve->changes)
			fprintf(to,
			    "<path class=\"level\" d=\"M%.1f %.1fH%.1f\"/>\n",
			    x_of(chart, (double)begin - 0.5),
			    y_of(chart, change->after),
			    x_of(chart, (double)end - 0.5));
	}
}

/*
 * Draws an invisible rectangle for each run. While the pointer is on it,
 * browsers show the run's number, name and value. Draws nothing if there are
 * more than HITS_MAX runs.
 */
static void
put_hits(FILE *to, const struct chart *chart)
{
	size_t n = chart->series->run.n;
	char buf[AMOUNT_ROOM];

	for (size_t i = 0; n <= HITS_MAX && i < n; i++) {
		double left = x_of(chart, (double)i - 0.5);

		fprintf(to,
		    "<rect class=\"hit\" x=\"%.1f\" y=\"0\" width=\"%.1f\" "
		    "height=\"%d\"><title>%zu ",
		    left, x_of(chart, (double)i + 0.5) - left, HEIGHT - BELOW,
		    i + 1);
		put_html(to, cg_slice(run_at(chart->series, i)->name));
		fprintf(to, ": %s</title></rect>\n",
		    point_text(buf, chart->curve, i));
	}
}

static void
put_axis(FILE *to, const struct chart *chart)
{
	const double value[] = { chart->high, chart->low };
	char buf[AMOUNT_ROOM];

	for (size_t i = 0; i < 2; i++) {
		double y = y_of(chart, value[i]);

		fprintf(to, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT,
		    y, WIDTH);
		fprintf(to,
		    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		    LEFT - 6, y + 4, value_text(buf, chart->curve, value[i]));
	}
	fprintf(to, "<text x=\"%d\" y=\"%d\">1</text>\n", LEFT, HEIGHT - 4);
	fprintf(to,
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">run %zu</text>\n",
	    WIDTH, HEIGHT - 4, chart->series->run.n);
}

static void
put_chart(FILE *to, const struct series *series, size_t number)
{
	const struct curve *curve = &series->curve.at[number];
	struct chart chart = { .series = series, .curve = curve };

	find_range(&chart);
	fprintf(to, "<figure id=\"c%zu\">\n<figcaption>", number);
	put_name(to, curve);
	if (curve->file.len > 0) {
		fputs(" <small>", to);
		put_html(to, curve->file);
		fputs("</small>", to);
	}
	if (curve->unknown > 0)
		fprintf(to, " <small>before run %zu: the mean</small>",
		    curve->unknown + 1);
	fprintf(to,
	    "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" "
	    "aria-label=\"",
	    WIDTH, HEIGHT);
	put_name(to, curve);
	fprintf(to, ", by run, %zu change%s\">\n", curve->changes,
	    curve->changes == 1 ? "" : "s");
	put_levels(to, &chart);
	put_axis(to, &chart);
	put_line(to, &chart);
	put_hits(to, &chart);
	fputs("</svg>\n</figure>\n", to);
}

/* ---- The table ----------------------------------------------------------- */

static void
put_table_by_run(FILE *to, const struct series *series)
{
	char buf[AMOUNT_ROOM];

	fputs("<details><summary>All numbers by run</summary>\n", to);
	begin_table(to, "All numbers by run");
	fputs("<th>Number</th><th class=\"name\">Run</th>", to);
	for (size_t i = 0; i < series->curve.n; i++) {
		fputs("<th>", to);
		put_name(to, &series->curve.at[i]);
		fputs("</th>", to);
	}
	fputs("</tr></thead>\n<tbody>\n", to);
	for (size_t k = 0; k < series->run.n; k++) {
		fprintf(to, "<tr><td>%zu</td><td class=\"name\">", k + 1);
		put_html(to, cg_slice(run_at(series, k)->name));
		fputs("</td>", to);
		for (size_t i = 0; i < series->curve.n; i++) {
			const struct curve *curve = &series->curve.at[i];

			fprintf(to, "<td>%s</td>", point_text(buf, curve, k));
		}
		fputs("</tr>\n", to);
	}
	fputs("</tbody></table>\n</div>\n</details>\n", to);
}

void
write_series_page(FILE *to, const struct series *series)
{
	bool coverage = series->coverage;

	put_head(to, coverage ? "coverage" : series->common.name);
	put_about(to, series);
	put_changes(to, series,
	    coverage ? "Changes of coverage" : "Changes of the total", 0,
	    series->totals, !coverage);
	put_changes(to, series,
	    coverage ? "Files that lost coverage" : "Changes of functions",
	    series->totals, series->curve.n, false);
	if (series->unlisted > 0)
		fprintf(to, "<p>And %zu more; --top lists them.</p>\n",
		    series->unlisted);
	fputs("<h2>By run</h2>\n<div class=\"charts\">\n", to);
	for (size_t i = 0; i < series->curve.n; i++)
		put_chart(to, series, i);
	fputs("</div>\n", to);
	put_table_by_run(to, series);
	fputs("</main>\n</body>\n</html>\n", to);
}
