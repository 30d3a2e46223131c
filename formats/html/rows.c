/*
 * rows.c - functions, calls and lines as columns.
 *
 *	fn_name fn_file fn_object fn_line fn_last fn_calls fn_cycle
 *	fn_self fn_inclusive			by function; then the sum of
 *						dropped functions, then by
 *						cycle
 *	cycle_calls				by cycle, from outside
 *	call_from call_to call_file call_line call_count call_cost
 *						by caller, site and callee
 *	line_file line_number line_fn line_cost	by file, line and function
 */
#include <string.h>

#include "html.h"

struct rows {
	struct html_writer *w;
	struct cg_lines *lines;
	struct cg_rows *rows;
	struct cg_sums *sums;
	size_t cycles;                  /* cycles in the page */
	bool *dropped;                  /* by fn */
	uint64_t *cost;                 /* one for each event */
	struct html_coverage *coverage; /* NULL: no event counts lines */
};

/* ---- Functions ---------------------------------------------------------- */

enum { FILE_AT, OBJECT, LINE, LAST, CALLS, CYCLE, NUMBERS };

/*
 * Returns the total of an event, summed over all parts (threads, processes) of
 * the graph.
 */
static uint64_t
get_total(const struct html_writer *w, size_t event)
{
	uint64_t sum = 0;

	for (cg_part i = 0; i < cg_part_count(w->graph); i++)
		sum += cg_part_totals(w->graph, i)[event];
	return sum;
}

/*
 * Sets r->dropped of each function whose inclusive costs all are below
 * --html-min, and adds their number to w->dropped_fns. Function 0, the unknown
 * one, is never dropped. Drops none without that option, or if the page shows
 * coverage.
 */
static void
find_dropped(struct rows *r)
{
	const struct html_writer *w = r->w;
	size_t fns = cg_fn_count(w->graph);

	if (w->least == 0 || r->coverage)
		return;
	memset(r->dropped + 1, true, fns * sizeof(*r->dropped));
	for (size_t e = 0; e < w->events; e++) {
		const uint64_t total = get_total(w, e);

		for (cg_fn fn = 1; fn <= fns; fn++)
			r->dropped[fn] &= !html_reaches(
			    w, e, cg_sum_inclusive(r->sums, fn, e), total);
	}
	for (cg_fn fn = 1; fn <= fns; fn++)
		r->w->dropped_fns += r->dropped[fn];
}

static bool
add_fn(struct rows *r, cg_fn fn, struct html_column *name,
    struct html_column number[NUMBERS])
{
	struct html_writer *w = r->w;
	const struct cg_slice none = { "", 0 };
	struct cg_range range = { 0 };
	bool kept = !r->dropped[fn];

	if (kept)
		cg_fn_range(w->graph, fn, &range);
	return html_add_text(w, name, kept ? cg_fn_name(w->graph, fn) : none) &&
	       html_add(w, &number[FILE_AT],
		   kept ? html_file(w, cg_fn_file(w->graph, fn)) : 0) &&
	       html_add(w, &number[OBJECT],
		   kept ? html_object(w, cg_fn_object(w->graph, fn)) : 0) &&
	       html_add(w, &number[LINE], range.first) &&
	       html_add(w, &number[LAST], range.last) &&
	       html_add(w, &number[CALLS],
		   kept ? cg_sum_calls_in(r->sums, fn) : 0) &&
	       html_add(
		   w, &number[CYCLE], kept ? cg_sum_cycle(r->sums, fn) : 0);
}

static bool
put_fns(struct rows *r)
{
	struct html_column name = { .name = "fn_name", .type = HTML_TEXT };
	struct html_column number[NUMBERS] = {
		[FILE_AT] = { .name = "fn_file", .type = HTML_NUMBER },
		[OBJECT] = { .name = "fn_object", .type = HTML_NUMBER },
		[LINE] = { .name = "fn_line", .type = HTML_NUMBER },
		[LAST] = { .name = "fn_last", .type = HTML_NUMBER },
		[CALLS] = { .name = "fn_calls", .type = HTML_COST },
		[CYCLE] = { .name = "fn_cycle", .type = HTML_NUMBER },
	};
	struct html_column cycle = { .name = "cycle_calls", .type = HTML_COST };
	struct html_writer *w = r->w;
	bool ok = true;

	for (size_t i = 0; ok && i < w->fns; i++)
		ok = add_fn(r, cg_fn_ranked(w->graph, i), &name, number);
	for (size_t i = 0; ok && i < r->cycles; i++)
		ok = html_add(
		    w, &cycle, cg_cycle_calls_in(r->sums, (uint32_t)i + 1));
	html_end(w, &name);
	html_end(w, &cycle);
	html_end_columns(w, number, NUMBERS);
	return ok;
}

/*
 * Writes an array (column) of the page with the functions' self or inclusive
 * costs in an event. Dropped functions get 0. One element after the functions
 * has the sum of the dropped functions' self costs, or 0 among inclusive
 * costs. The costs of the cycles come last. False: out of memory (reported).
 */
static bool
put_fn_cost(struct rows *r, size_t event, bool inclusive)
{
	struct html_writer *w = r->w;
	struct html_column column = { .name = inclusive ? "fn_inclusive"
							: "fn_self",
		.type = html_cost_type(w, event) };
	uint64_t rest = 0, cost;
	bool ok = true;

	for (size_t i = 0; ok && i < w->fns; i++) {
		cg_fn fn = cg_fn_ranked(w->graph, i);

		cost = inclusive ? cg_sum_inclusive(r->sums, fn, event)
				 : cg_sum_self(r->sums, fn, event);
		if (r->dropped[fn] && !inclusive)
			rest += cost;
		ok = html_add(w, &column, r->dropped[fn] ? 0 : cost);
	}
	ok = ok && html_add(w, &column, rest);
	for (uint32_t i = 1; ok && i <= r->cycles; i++)
		ok = html_add(w, &column,
		    inclusive ? cg_cycle_inclusive(r->sums, i, event)
			      : cg_cycle_self(r->sums, i, event));
	html_end_at(w, &column, event);
	return ok;
}

/* ---- Calls -------------------------------------------------------------- */

enum { FROM, TO, SITE_FILE, SITE_LINE, COUNT, CALL_NUMBERS };

static bool
add_call(struct rows *r, cg_fn caller, const struct cg_call *call,
    struct html_column number[CALL_NUMBERS], struct html_column *cost)
{
	struct html_writer *w = r->w;
	const struct html_key key = html_key_of_call(call);

	for (size_t i = 0; i < w->events; i++)
		r->cost[i] = cg_sum_call(r->sums, caller, call, i);
	return html_note(w, HTML_CALLS, caller, &key) &&
	       html_add(w, &number[FROM], w->rank[caller]) &&
	       html_add(w, &number[TO],
		   r->dropped[call->callee] ? w->fns : w->rank[call->callee]) &&
	       html_add(w, &number[SITE_FILE], html_file(w, call->site.file)) &&
	       html_add(w, &number[SITE_LINE], call->site.line) &&
	       html_add(w, &number[COUNT], call->count) &&
	       html_add_costs(w, cost, r->cost, w->events);
}

static bool
put_calls(struct rows *r)
{
	struct html_column number[CALL_NUMBERS] = {
		[FROM] = { .name = "call_from", .type = HTML_DELTA },
		[TO] = { .name = "call_to", .type = HTML_NUMBER },
		[SITE_FILE] = { .name = "call_file", .type = HTML_NUMBER },
		[SITE_LINE] = { .name = "call_line", .type = HTML_DELTA },
		[COUNT] = { .name = "call_count", .type = HTML_COST },
	};
	struct html_writer *w = r->w;
	struct html_column *cost = html_new_costs(w, "call_cost");
	struct cg_call call;
	uint64_t calls;
	bool ok = cost != NULL && html_begin_data(w, "calls");
	cg_fn fn;

	for (size_t i = 0; ok && cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);) {
		if (r->dropped[fn])
			continue;
		ok = cg_rows_open(r->rows, CG_ALL_PARTS, fn);
		while (ok && cg_next_call(r->rows, &call))
			ok = add_call(r, fn, &call, number, cost);
	}
	calls = number[FROM].count;
	html_end_columns(w, number, CALL_NUMBERS);
	html_end_costs(w, cost);
	return ok && html_end_data(w) && html_put_number(w, "calls", calls);
}

/* ---- Lines -------------------------------------------------------------- */

enum { LINE_FILE, NUMBER, LINE_FN, LINE_NUMBERS };

static bool
add_lines(struct rows *r, cg_file file, struct html_column number[LINE_NUMBERS],
    struct html_column *cost)
{
	struct html_writer *w = r->w;
	struct cg_line line;
	struct html_key key = { .file = file };
	bool ok = true;

	while (ok && cg_next_line(r->lines, &line)) {
		w->has_lines[file] = w->has_lines[file] || line.line > 0;
		if (line.line == 0 || !line.has_cost || r->dropped[line.fn])
			continue;
		key.line = line.line;
		ok = html_note(w, HTML_LINES, line.fn, &key) &&
		     html_add(w, &number[LINE_FILE], html_file(w, file)) &&
		     html_add(w, &number[NUMBER], line.line) &&
		     html_add(w, &number[LINE_FN], w->rank[line.fn]) &&
		     html_add_costs(w, cost, line.cost, line.n);
	}
	cg_first_line(r->lines);
	return ok;
}

/* ---- Files --------------------------------------------------------------- */

/*
 * Writes the page's arrays (columns) of lines, and of coverage if there is
 * one. Opening the lines of a file takes long, so each is opened once for all
 * arrays. False: an error (reported).
 */
static bool
put_files(struct rows *r)
{
	struct html_column number[LINE_NUMBERS] = {
		[LINE_FILE] = { .name = "line_file", .type = HTML_DELTA },
		[NUMBER] = { .name = "line_number", .type = HTML_DELTA },
		[LINE_FN] = { .name = "line_fn", .type = HTML_DELTA },
	};
	struct html_writer *w = r->w;
	struct html_column *cost = html_new_costs(w, "line_cost");
	cg_file file;
	uint64_t lines;
	bool ok = cost != NULL && html_begin_data(w, "lines");

	while (ok && cg_next_file(r->lines, &file))
		ok = add_lines(r, file, number, cost) &&
		     (!r->coverage ||
			 html_cover_file(r->coverage, r->lines, file));
	lines = number[NUMBER].count;
	html_end_columns(w, number, LINE_NUMBERS);
	html_end_costs(w, cost);
	ok = ok && (!r->coverage || html_cover_lines(r->coverage)) &&
	     html_end_data(w) && html_put_number(w, "lines", lines);
	return ok && (!r->coverage || html_cover_totals(r->coverage));
}

/* ---- All ---------------------------------------------------------------- */

static bool
open_rows(struct rows *r)
{
	const struct cg_graph *graph = r->w->graph;
	struct cg_job *job = r->w->job;
	size_t fns = r->w->fns + 1;

	r->rows = cg_rows_new(graph);
	r->lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	r->sums = cg_sums_new(graph, CG_ALL_PARTS, true);
	r->cycles = r->sums ? cg_cycle_count(r->sums) : 0;
	r->dropped = cg_alloc(job, fns * sizeof(*r->dropped));
	r->cost = cg_alloc(job, r->w->events * sizeof(*r->cost));
	if (!r->dropped || !r->cost || !html_coverage_new(r->w, &r->coverage))
		return false;
	if (r->rows)
		cg_rows_drop_addresses(r->rows);
	return r->rows && r->lines && r->sums;
}

bool
html_put_rows(struct html_writer *w)
{
	struct rows r = { .w = w };
	bool ok = open_rows(&r);

	if (ok)
		find_dropped(&r);
	ok = ok && put_files(&r) && put_fns(&r) && put_calls(&r) &&
	     html_put_instrs(w, r.sums, r.dropped) &&
	     html_put_shares(w, r.dropped);
	for (size_t e = 0; ok && e < w->events; e++)
		ok = put_fn_cost(&r, e, false) && put_fn_cost(&r, e, true);
	if (ok)
		ok = html_put_number(w, "cycles", r.cycles);
	cg_rows_free(r.rows);
	cg_lines_free(r.lines);
	cg_sums_free(r.sums);
	return ok;
}
