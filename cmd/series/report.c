/*
 * report.c - a series as text, JSON and CSV.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "series.h"

/* ---- Numbers ------------------------------------------------------------- */

const char *
value_text(char buf[AMOUNT_ROOM], const struct curve *curve, double value)
{
	if (isnan(value))
		return strcpy(buf, "-");
	if (curve->percent)
		snprintf(buf, AMOUNT_ROOM, "%.2f%%", value);
	else if (fabs(value) < 0x1p63)
		amount_text(buf, amount_i64((int64_t)llround(value)));
	else
		snprintf(buf, AMOUNT_ROOM, "%.6g", value);
	return buf;
}

/*
 * Returns the exact value of run i; unknown if it is no integer of 64 bits,
 * such as a percentage or a mean.
 */
static struct amount
point_of(const struct curve *curve, size_t i)
{
	return exact_amount(
	    curve->value[i], curve->rest != NULL ? curve->rest[i] : 0);
}

const char *
point_text(char buf[AMOUNT_ROOM], const struct curve *curve, size_t i)
{
	struct amount exact = point_of(curve, i);

	return exact.known && !curve->percent
		   ? amount_text(buf, exact)
		   : value_text(buf, curve, curve->value[i]);
}

const char *
change_text(char buf[AMOUNT_ROOM], const struct curve *curve,
    const struct change *change)
{
	double percent = 100 * (change->after / change->before - 1);

	if (curve->percent)
		snprintf(
		    buf, AMOUNT_ROOM, "%+.2f", change->after - change->before);
	else if (change->before == 0)
		strcpy(buf, "new");
	else if (change->before < 0)
		strcpy(buf, "-"); /* no share of it */
	else
		snprintf(buf, AMOUNT_ROOM,
		    fabs(percent) < 1e6 ? "%+.2f%%" : "%+.3g%%", percent);
	return buf;
}

/*
 * Writes the interval of runs in which a change may have happened to buf, such
 * as "39-41". If it is one run, writes its number, "40". Runs are counted from
 * 1. Returns buf.
 */
static const char *
interval_text(char buf[AMOUNT_ROOM], const struct change *change)
{
	if (change->low == change->high)
		snprintf(buf, AMOUNT_ROOM, "%zu", change->at + 1);
	else
		snprintf(buf, AMOUNT_ROOM, "%zu-%zu", change->low + 1,
		    change->high + 1);
	return buf;
}

void
put_series_method(FILE *to, const struct series *series)
{
	if (series->coverage || series->common.exact)
		fputs(
		    "levels of equal numbers, which have no noise, else ", to);
	fprintf(to,
	    "ranks (Mann and Whitney), binary segmentation; %g%% false changes "
	    "in %zu series",
	    100 * series->error_rate, series->comparisons);
}

/* ---- Text: changes ------------------------------------------------------- */

/* A change, and the curve it is of. */
struct row {
	const struct curve *curve;
	const struct change *change;
	bool cause; /* of the row before */
};
struct rows {
	const struct series *series;
	CG_ARRAY(struct row) row;
};

static const char *const change_head[] = { "Before", "After", "Change", "Run",
	"Since", NULL };

static void
put_change_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct rows *rows = arg;
	const struct row *row = &rows->row.at[i];

	if (cell < 2)
		value_text(buf, row->curve,
		    cell == 0 ? row->change->before : row->change->after);
	else if (cell == 2)
		change_text(buf, row->curve, row->change);
	else
		interval_text(buf, row->change);
}

static void
put_curve_name(FILE *to, const struct curve *curve)
{
	if (curve->name.len == 0)
		fputs(curve->kind, to);
	else
		put_function(to, curve->name, 0, curve->file, curve->object);
	if (strcmp(curve->kind, "inclusive") == 0)
		fputs(", inclusive", to);
}

/*
 * Writes the first cell of row i of the table of changes: what changed, and
 * since which run. For a row that is the cause of a change, writes only the
 * function. Else writes the curve's name, unless it is the total of a profile,
 * and the first run of the new level. For a drift, that run is the one in
 * which the slope begins.
 */
static void
put_change_name(FILE *to, const void *arg, size_t i)
{
	const struct rows *rows = arg;
	const struct row *row = &rows->row.at[i];
	const struct curve *curve = row->curve;
	const struct change *change = row->change;
	size_t since = change->drift ? change->low : change->at;

	if (row->cause)
		fputs("  by ", to);
	if (curve->name.len > 0 || curve->percent)
		put_curve_name(to, curve);
	if (row->cause)
		return;
	if (curve->name.len > 0 || curve->percent)
		fputs(": ", to);
	if (change->drift)
		fputs("a drift, from ", to);
	put_safe(to, cg_slice(run_at(rows->series, since)->name));
}

static bool
list_changes(struct rows *rows, size_t from, size_t to, bool causes)
{
	const struct series *series = rows->series;
	struct cg_job *job = series->args->job;
	const struct change *cause;
	bool ok = true;

	rows->row.n = 0;
	for (size_t i = from; ok && i < to; i++) {
		const struct curve *curve = &series->curve.at[i];

		for (size_t k = 0; ok && k < curve->changes; k++) {
			const struct change *change = &curve->change[k];
			size_t at = 0;

			ok = cg_append(job, &rows->row,
			    (struct row){ curve, change, false });
			while (ok && causes &&
			       next_cause(series, change, &at, &cause))
				ok = cg_append(job, &rows->row,
				    (struct row){ &series->curve.at[at - 1],
					cause, true });
		}
	}
	return ok;
}

/*
 * Prints a table of the changes of curves first to last - 1. If "causes",
 * prints after each change the functions that caused it. False: out of memory.
 */
static bool
print_changes(FILE *to, const struct series *series, const char *title,
    size_t first, size_t last, bool causes)
{
	struct rows rows = { .series = series };

	fprintf(to, "\n%s\n", title);
	if (!list_changes(&rows, first, last, causes))
		return false;
	if (rows.row.n == 0)
		fputs("  none\n", to);
	else
		put_table(to, change_head, rows.row.n, put_change_cell,
		    put_change_name, &rows);
	return true;
}

static bool
print_all_changes(FILE *to, const struct series *series)
{
	bool coverage = series->coverage;
	bool ok =
	    print_changes(to, series,
		coverage ? "Changes of coverage" : "Changes of the total", 0,
		series->totals, !coverage) &&
	    print_changes(to, series,
		coverage ? "Files that lost coverage" : "Changes of functions",
		series->totals, series->curve.n, false);

	if (series->unlisted > 0)
		fprintf(to, "  and %zu more; use --top to list them\n",
		    series->unlisted);
	return ok;
}

/* ---- Text: costs by run -------------------------------------------------- */

/* What a terminal shows; a file has all. */
#define RUNS_SHOWN 60
#define COLUMNS_SHOWN (CELLS_MAX - 2)

struct by_run {
	const struct series *series;
	size_t first, columns;
};

static void
put_run_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct by_run *by_run = arg;
	const struct curve *curve = &by_run->series->curve.at[cell];

	point_text(buf, curve, by_run->first + i);
}

static void
put_run_name(FILE *to, const void *arg, size_t i)
{
	const struct by_run *by_run = arg;
	size_t at = by_run->first + i;

	fprintf(to, "%zu ", at + 1);
	put_safe(to, cg_slice(run_at(by_run->series, at)->name));
}

static void
print_runs(FILE *to, const struct series *series)
{
	struct by_run by_run = { .series = series };
	const char *head[CELLS_MAX + 1] = { NULL };
	char number[COLUMNS_SHOWN][AMOUNT_ROOM];
	size_t n = series->run.n, columns = series->curve.n, i = 0;

	if (columns > series->totals + COLUMNS_SHOWN - METRICS)
		columns = series->totals + COLUMNS_SHOWN - METRICS;
	fprintf(to, "\nBy run\n");
	for (; i < columns; i++) {
		const struct curve *curve = &series->curve.at[i];

		snprintf(
		    number[i], AMOUNT_ROOM, "[%zu]", i + 1 - series->totals);
		head[i] = i < series->totals ? curve->kind : number[i];
		if (i < series->totals)
			continue;
		fprintf(to, "  %s ", number[i]);
		put_curve_name(to, curve);
		if (curve->unknown > 0)
			fprintf(to, " (before run %zu: the mean)",
			    curve->unknown + 1);
		putc('\n', to);
	}
	head[i] = "Run";
	by_run.first = n > RUNS_SHOWN ? n - RUNS_SHOWN : 0;
	put_table(
	    to, head, n - by_run.first, put_run_cell, put_run_name, &by_run);
	if (by_run.first > 0)
		fprintf(to, "  and %zu earlier; a file (-o) has all\n",
		    by_run.first);
}

bool
print_series(FILE *to, const struct series *series)
{
	size_t n = series->run.n;
	bool ok;

	fprintf(to, "Runs    %zu, by %s: ", n,
	    strcmp(series->args->order, "given") == 0 ? "their list"
						      : series->args->order);
	put_safe(to, cg_slice(run_at(series, 0)->name));
	if (n > 1) {
		fputs(" to ", to);
		put_safe(to, cg_slice(run_at(series, n - 1)->name));
	}
	putc('\n', to);
	if (series->skipped > 0)
		fprintf(to, "Skipped %zu run%s\n", series->skipped,
		    series->skipped == 1 ? "" : "s");
	fputs("Event   ", to);
	put_safe(
	    to, cg_slice(series->coverage ? "coverage" : series->common.name));
	if (!series->coverage && series->common.unit[0] != '\0') {
		fputs(" in ", to);
		put_safe(to, cg_slice(series->common.unit));
	}
	fputs("\nMethod  ", to);
	put_series_method(to, series);
	putc('\n', to);
	if (series->costs.dropped > 0)
		fprintf(to,
		    "Memory  costs below %.3g%% of their run were not kept\n",
		    100 * series->costs.floor);
	ok = print_all_changes(to, series);
	if (series->top > 0)
		print_runs(to, series);
	return ok;
}

/* ---- JSON ---------------------------------------------------------------- */

static bool
append_change(struct json_object *list, const struct series *series,
    const struct change *change)
{
	struct json_object *json = json_object_new_object();
	struct json_object *interval = json_object_new_array_ext(2);
	bool ok = append_json(list, json) &&
		  add_json_text(json, "kind",
		      cg_slice(change->drift ? "drift" : "level")) &&
		  add_json_u64(json, "run", change->at + 1) &&
		  add_json_text(
		      json, "path", cg_slice(run_at(series, change->at)->name));

	ok = add_json(json, "interval", interval) && ok;
	return ok && add_json_number(interval, NULL, (double)change->low + 1) &&
	       add_json_number(interval, NULL, (double)change->high + 1) &&
	       add_json_number(json, "before", change->before) &&
	       add_json_number(json, "after", change->after);
}

static bool
write_curve(FILE *to, const struct series *series, const struct curve *curve)
{
	struct json_object *json = json_object_new_object();
	struct json_object *values = json_object_new_array();
	struct json_object *changes = json_object_new_array();
	bool ok = add_json_text(json, "kind", cg_slice(curve->kind));

	if (curve->name.len > 0)
		ok = ok && add_json_text(json, "name", curve->name) &&
		     add_json_text(json, "file", curve->file) &&
		     add_json_text(json, "object", curve->object);
	ok = add_json(json, "changes", changes) && ok;
	for (size_t i = 0; ok && i < curve->changes; i++)
		ok = append_change(changes, series, &curve->change[i]);
	if (curve->unknown > 0)
		ok =
		    ok && add_json_u64(json, "mean_before", curve->unknown + 1);
	ok = add_json(json, "values", values) && ok;
	for (size_t i = 0; ok && i < series->run.n; i++) {
		struct amount exact = point_of(curve, i);

		ok = exact.known
			 ? append_json_amount(values, exact)
			 : add_json_number(values, NULL, curve->value[i]);
	}
	return write_json(to, json) && ok;
}

static bool
add_hits(struct json_object *json, const char *key, const struct cg_hits *hits)
{
	struct json_object *of = json_object_new_object();

	return add_json(json, key, of) && add_json_u64(of, "hit", hits->hit) &&
	       add_json_u64(of, "found", hits->found);
}

static bool
write_run(FILE *to, const struct series *series, const struct series_run *run)
{
	struct amount total = exact_amount(run->total, run->rest);
	struct json_object *json = json_object_new_object();
	bool ok = add_json_text(json, "path", cg_slice(run->name)) &&
		  add_json_text(json, "format", cg_slice(run->format));

	if (run->timed)
		ok = ok && add_json(json, "time_nanos",
			       json_object_new_int64(run->time));
	if (series->coverage)
		ok = ok && add_hits(json, "lines", &run->hits[LINES]) &&
		     add_hits(json, "functions", &run->hits[FUNCTIONS]) &&
		     add_hits(json, "branches", &run->hits[BRANCHES]);
	else
		ok = ok &&
		     (total.known
			     ? add_json_amount(json, "total", total)
			     : add_json_number(json, "total", run->total)) &&
		     add_json_number(json, "samples",
			 run->samples > 0 ? run->samples : NAN);
	return write_json(to, json) && ok;
}

bool
write_series_json(FILE *to, const struct series *series)
{
	struct json_object *json = json_object_new_object();
	const char *event = series->coverage ? "coverage" : series->common.name;
	const char *unit = series->coverage ? "%" : series->common.unit;
	bool ok = add_json_text(json, "event", cg_slice(event)) &&
		  add_json_text(json, "unit", cg_slice(unit)) &&
		  add_json_text(json, "order", cg_slice(series->args->order)) &&
		  add_json_number(json, "error_rate", series->error_rate) &&
		  add_json_u64(json, "comparisons", series->comparisons) &&
		  add_json_u64(json, "skipped", series->skipped) &&
		  add_json_number(json, "floor", series->costs.floor);

	fputs("{\"series\":1,\"about\":", to);
	ok = write_json(to, json) && ok;
	fputs(",\n\"runs\":[", to);
	for (size_t i = 0; ok && i < series->run.n; i++) {
		fputs(i > 0 ? ",\n" : "\n", to);
		ok = write_run(to, series, run_at(series, i));
	}
	fputs("],\n\"curves\":[", to);
	for (size_t i = 0; ok && i < series->curve.n; i++) {
		fputs(i > 0 ? ",\n" : "\n", to);
		ok = write_curve(to, series, &series->curve.at[i]);
	}
	fputs("]}\n", to);
	return ok;
}

/* ---- CSV ----------------------------------------------------------------- */

/*
 * Writes text in a quoted field by RFC 4180: quotes are doubled. The quotes
 * around the field are the caller's.
 */
static void
put_quoted(FILE *to, struct cg_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"')
			putc('"', to);
		putc(text.ptr[i], to);
	}
}

static bool
shares_name(const struct series *series, const struct curve *curve)
{
	for (size_t i = series->totals; i < series->curve.n; i++) {
		const struct curve *other = &series->curve.at[i];

		if (other != curve && other->kind == curve->kind &&
		    cg_compare(other->name, curve->name) == 0)
			return true;
	}
	return false;
}

/*
 * Writes the heading of a curve's column as a quoted field. It is "self f", or
 * "self f (file) [object]" if other curves have that name. For a curve of a
 * file, it is the file's path.
 */
static void
put_heading(FILE *to, const struct series *series, const struct curve *curve)
{
	bool shares = shares_name(series, curve);

	putc('"', to);
	if (strcmp(curve->kind, "file") != 0)
		fprintf(to, "%s ", curve->kind);
	put_quoted(to, curve->name);
	if (shares && curve->file.len > 0) {
		fputs(" (", to);
		put_quoted(to, curve->file);
		putc(')', to);
	}
	if (shares && curve->object.len > 0) {
		fputs(" [", to);
		put_quoted(to, curve->object);
		putc(']', to);
	}
	putc('"', to);
}

void
write_series_csv(FILE *to, const struct series *series)
{
	fputs("number,run,nanoseconds", to);
	for (size_t i = 0; i < series->curve.n; i++) {
		const struct curve *curve = &series->curve.at[i];

		putc(',', to);
		if (i < series->totals)
			fputs(curve->kind, to);
		else
			put_heading(to, series, curve);
	}
	fputs("\r\n", to);
	for (size_t k = 0; k < series->run.n; k++) {
		const struct series_run *run = run_at(series, k);

		fprintf(to, "%zu,\"", k + 1);
		put_quoted(to, cg_slice(run->name));
		fputs("\",", to);
		if (run->timed)
			fprintf(to, "%" PRId64, run->time);
		for (size_t i = 0; i < series->curve.n; i++) {
			const struct curve *curve = &series->curve.at[i];
			struct amount exact = point_of(curve, k);

			putc(',', to);
			if (exact.known)
				fprintf(to, "%s%" PRIu64,
				    exact.minus ? "-" : "", exact.size);
			else if (isfinite(curve->value[k]))
				fprintf(to, "%.17g", curve->value[k]);
		}
		fputs("\r\n", to);
	}
}
