/*
 * csv.c - csv and tsv: tables for scripts and spreadsheets.
 *
 * Source: RFC 4180 for CSV; IANA's text/tab-separated-values for TSV, which has
 * no quotes: tabs and line breaks in names become blanks.
 *
 * --table=flat has a line for each function with its self and inclusive costs
 * and the number of calls by other functions, --table=calls one for each call
 * site and callee, also of a function by itself, --table=lines one for each
 * function and line. The costs of all events
 * are whole numbers in the event's unit, summed over all parts; addresses,
 * jumps and stacks are lost.
 *
 * If there are cycles, --table=flat has a column with the number of the
 * function's cycle, and a line for each cycle with its inclusive cost. That
 * line has no self cost: sums of the column count the members only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_rows *rows;
	bool tabs;
	bool safe;  /* names like formulas get a quote */
	bool begun; /* the line has a field already */
	size_t events;
};

/* ---- Fields ------------------------------------------------------------- */

static void
begin_field(struct writer *w)
{
	if (w->begun)
		cg_putc(w->out, w->tabs ? '\t' : ',');
	w->begun = true;
}

static void
end_line(struct writer *w)
{
	cg_puts(w->out, w->tabs ? "\n" : "\r\n");
	w->begun = false;
}

static bool
needs_quotes(struct cg_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr(",\"\r\n", text.ptr[i]))
			return true;
	}
	return text.len > 0 &&
	       (*text.ptr == ' ' || text.ptr[text.len - 1] == ' ');
}

/*
 * True if spreadsheets take the cell for a formula, by its first character,
 * with or without quotes (OWASP, "CSV Injection").
 */
static bool
is_formula(struct cg_slice text)
{
	return text.len > 0 && strchr("=+-@\t\r\n", *text.ptr) != NULL;
}

/*
 * Writes a cell: text and suffix, quoted if needed. Blanks replace NUL and, in
 * a table with tabs, line breaks and tabs. If w->safe, a text like a formula
 * gets an apostrophe, against spreadsheets that would compute it.
 */
static void
put_cell(struct writer *w, struct cg_slice text, const char *suffix)
{
	bool quotes = !w->tabs && needs_quotes(text);

	begin_field(w);
	if (quotes)
		cg_putc(w->out, '"');
	if (w->safe && is_formula(text))
		cg_putc(w->out, '\'');
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (quotes && c == '"')
			cg_putc(w->out, '"');
		if (c == '\0' ||
		    (w->tabs && (c == '\t' || c == '\n' || c == '\r')))
			c = ' ';
		cg_putc(w->out, c);
	}
	cg_puts(w->out, suffix);
	if (quotes)
		cg_putc(w->out, '"');
}

static void
put_text(struct writer *w, struct cg_slice text)
{
	put_cell(w, text, "");
}

static void
put_number(struct writer *w, uint64_t number)
{
	begin_field(w);
	cg_putu(w->out, number);
}

static void
put_cost(struct writer *w, size_t event, uint64_t cost)
{
	char *to;

	begin_field(w);
	to = cg_out_reserve(w->out, CG_NUMBER_MAX);
	if (cg_get_event(w->graph, event)->is_signed)
		to = cg_format_i64(to, (int64_t)cost);
	else
		to = cg_format_u64(to, cost);
	cg_out_advance(w->out, to);
}

static void
put_costs(struct writer *w, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < w->events; i++)
		put_cost(w, i, i < n ? cost[i] : 0);
}

/*
 * Writes a column title for each event. The title is the event's name and then
 * the suffix, such as "Ir inclusive" for " inclusive".
 */
static void
put_event_names(struct writer *w, const char *suffix)
{
	for (size_t i = 0; i < w->events; i++)
		put_cell(w, cg_slice(cg_get_event(w->graph, i)->name), suffix);
}

static void
put_titles(struct writer *w, const char *titles)
{
	struct cg_slice rest = cg_slice(titles), title;

	while (cg_take_until(&rest, ';', &title))
		put_text(w, title);
}

/*
 * Writes the title of a column of calls. It is "calls", then "whose", which
 * tells which calls are counted, then " (samples)" if the graph counts calls
 * in samples.
 */
static void
put_title_of_calls(struct writer *w, const char *whose)
{
	put_cell(w, cg_slice("calls"), whose);
	if (cg_calls_sampled(w->graph))
		cg_puts(w->out, " (samples)");
}

static void
put_fn(struct writer *w, cg_fn fn)
{
	put_text(w, cg_object_path(w->graph, cg_fn_object(w->graph, fn)));
	put_text(w, cg_file_path(w->graph, cg_fn_file(w->graph, fn)));
	put_text(w, cg_fn_name(w->graph, fn));
}

/* ---- Tables ------------------------------------------------------------- */

/* Sorted by self cost of the first event, then in canonical order. */
struct ranked {
	cg_fn fn;
	size_t rank;
	uint64_t cost;
	bool negative;
};

static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;

	if (a->negative != b->negative)
		return a->negative ? 1 : -1;
	if (a->cost != b->cost)
		return a->cost > b->cost ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/*
 * Writes a cell with the number of a function's cycle; an empty cell if it is
 * in none.
 */
static void
put_cycle_number(struct writer *w, uint32_t cycle)
{
	begin_field(w);
	if (cycle != 0)
		cg_putu(w->out, cycle);
}

static void
put_flat_line(struct writer *w, const struct cg_sums *sums, cg_fn fn)
{
	put_fn(w, fn);
	put_number(w, cg_sum_calls_in(sums, fn));
	for (size_t i = 0; i < w->events; i++)
		put_cost(w, i, cg_sum_self(sums, fn, i));
	for (size_t i = 0; i < w->events; i++)
		put_cost(w, i, cg_sum_inclusive(sums, fn, i));
	if (cg_cycle_count(sums) > 0)
		put_cycle_number(w, cg_sum_cycle(sums, fn));
	end_line(w);
}

static void
put_cycles(struct writer *w, const struct cg_sums *sums)
{
	char name[sizeof("<cycle 4294967295>")];

	for (uint32_t cycle = 1; cycle <= cg_cycle_count(sums); cycle++) {
		(void)snprintf(
		    name, sizeof(name), "<cycle %" PRIu32 ">", cycle);
		put_text(w, cg_slice("")); /* object */
		put_text(w, cg_slice("")); /* file */
		put_text(w, cg_slice(name));
		put_number(w, cg_cycle_calls_in(sums, cycle));
		put_costs(w, NULL, 0);
		for (size_t i = 0; i < w->events; i++)
			put_cost(w, i, cg_cycle_inclusive(sums, cycle, i));
		put_cycle_number(w, cycle);
		end_line(w);
	}
}

static void
put_flat(struct writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1;
	struct cg_sums *sums = cg_sums_new(w->graph, CG_ALL_PARTS, true);
	struct ranked *ranked = cg_alloc(w->job, count * sizeof(*ranked));
	bool is_signed = w->events > 0 && cg_get_event(w->graph, 0)->is_signed;

	if (!sums || !ranked) {
		cg_sums_free(sums);
		return;
	}
	for (size_t rank = 0; rank < count; rank++) {
		cg_fn fn = cg_fn_ranked(w->graph, rank);
		uint64_t cost = w->events > 0 ? cg_sum_self(sums, fn, 0) : 0;

		ranked[rank] = (struct ranked){ fn, rank, cost,
			is_signed && (int64_t)cost < 0 };
	}
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	put_titles(w, "object;file;function");
	put_title_of_calls(w, " by others");
	put_event_names(w, "");
	put_event_names(w, " inclusive");
	if (cg_cycle_count(sums) > 0)
		put_text(w, cg_slice("cycle"));
	end_line(w);
	for (size_t i = 0; i < count; i++) {
		/* The unknown caller has a line only if it has costs. */
		if (ranked[i].fn != 0 || ranked[i].cost != 0)
			put_flat_line(w, sums, ranked[i].fn);
	}
	put_cycles(w, sums);
	cg_sums_free(sums);
}

/*
 * Returns sums with the costs of calls inside of cycles (functions that call
 * each other), if an event needs them. Calls of the graph do not state these
 * costs for events with CG_INCL_SPLIT. The caller frees the sums. NULL: no
 * event needs them, or out of memory (reported).
 */
static struct cg_sums *
sum_split(const struct writer *w)
{
	for (size_t i = 0; i < w->events; i++)
		if (cg_get_event(w->graph, i)->incl == CG_INCL_SPLIT)
			return cg_sums_new(w->graph, CG_ALL_PARTS, true);
	return NULL;
}

static void
put_call(struct writer *w, const struct cg_sums *sums, cg_fn caller,
    const struct cg_call *call)
{
	put_fn(w, caller);
	put_number(w, call->site.line);
	put_fn(w, call->callee);
	put_number(w, call->count);
	if (!sums)
		put_costs(w, call->cost, call->n);
	for (size_t i = 0; sums && i < w->events; i++)
		put_cost(w, i, cg_sum_call(sums, caller, call, i));
	end_line(w);
}

static void
put_calls(struct writer *w)
{
	struct cg_sums *sums = sum_split(w);
	struct cg_call call;
	cg_fn fn;

	put_titles(w, "caller object;caller file;caller;caller line;"
		      "object;file;function");
	put_title_of_calls(w, "");
	put_event_names(w, " inclusive");
	end_line(w);
	for (size_t i = 0; cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn) &&
			   cg_rows_open(w->rows, CG_ALL_PARTS, fn);) {
		while (cg_next_call(w->rows, &call))
			put_call(w, sums, fn, &call);
	}
	cg_sums_free(sums);
}

static void
put_lines(struct writer *w)
{
	struct cg_cost cost;
	cg_fn fn;

	put_titles(w, "object;file;line;function");
	put_event_names(w, "");
	end_line(w);
	for (size_t i = 0; cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn);) {
		cg_object object = cg_fn_object(w->graph, fn);

		if (!cg_rows_open(w->rows, CG_ALL_PARTS, fn))
			return;
		while (cg_next_cost(w->rows, &cost)) {
			put_text(w, cg_object_path(w->graph, object));
			put_text(w, cg_file_path(w->graph, cost.pos.file));
			put_number(w, cost.pos.line);
			put_text(w, cg_fn_name(w->graph, fn));
			put_costs(w, cost.cost, cost.n);
			end_line(w);
		}
	}
}

static const struct table {
	const char *name;
	void (*put)(struct writer *);
} tables[] = {
	{ "flat", put_flat },
	{ "calls", put_calls },
	{ "lines", put_lines },
	{ NULL, NULL },
};

static int
write_table(struct cg_job *job, const struct cg_graph *graph,
    struct cg_out *out, bool tabs)
{
	struct writer w = { .job = job,
		.graph = graph,
		.out = out,
		.tabs = tabs,
		.safe = cg_opt_flag(job, "csv-safe"),
		.events = cg_event_count(graph) };
	const struct table *table = tables;

	while (table->name && strcmp(table->name, cg_opt(job, "table")) != 0)
		table++;
	if (!table->name)
		return cg_usage(job,
		    "{table}: expected flat, calls or lines, not '%s'",
		    cg_opt(job, "table"));
	w.rows = cg_rows_new(graph);
	if (w.rows) {
		cg_rows_drop_addresses(w.rows);
		table->put(&w);
	}
	cg_rows_free(w.rows);
	return cg_out_status(out);
}

static int
write_csv(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	return write_table(job, graph, out, false);
}

static int
write_tsv(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	return write_table(job, graph, out, true);
}

static const struct cg_option options[] = {
	{ .name = "table",
	    .type = CG_STRING,
	    .fallback = "flat",
	    .arg = "NAME",
	    .help = "table: flat (functions, calls by others), calls or lines",
	    .writing = true },
	{ .name = "csv-safe",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .help = "put ' before names that spreadsheets take for formulas",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_csv = {
	CG_MODULE,
	.name = "csv",
	.title = "tables of functions, calls or lines, with commas",
	.text = true,
	.suffixes = "csv",
	.carries = CG_SELF | CG_LINES | CG_CALLS | CG_INCL | CG_EVENTS |
		   CG_ZEROS | CG_SIGNED | CG_FILES | CG_OBJECTS | CG_SAMPLES,
	.needs = CG_INCL,
	.options = options,
	.write = write_csv,
};

const struct cg_module cg_format_tsv = {
	CG_MODULE,
	.name = "tsv",
	.title = "tables of functions, calls or lines, with tabs",
	.text = true,
	.suffixes = "tsv",
	.carries = CG_SELF | CG_LINES | CG_CALLS | CG_INCL | CG_EVENTS |
		   CG_ZEROS | CG_SIGNED | CG_FILES | CG_OBJECTS | CG_SAMPLES,
	.needs = CG_INCL,
	.options = options,
	.write = write_tsv,
};
