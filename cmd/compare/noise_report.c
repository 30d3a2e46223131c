/*
 * noise_report.c - prints what is real and what is noise: as text, as Markdown
 * for a pull request, as JSON; and checks --fail-over.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"

static const char *const method_name[] = {
	[METHOD_EXACT] = "exact",
	[METHOD_COUNTING] = "counting",
	[METHOD_MEANS] = "means",
	[METHOD_NONE] = "none",
};
static const char *const key_name[KEYS] = { "inclusive", "self" };
static const char *const key_title[KINDS] = { "inclusive", "self", "by line" };
static const char *const side_name[2] = { "before", "after" };

/* ---- Numbers ------------------------------------------------------------- */

/*
 * Writes a mean x of the costs of a function or line to buf: a cost, rounded,
 * or, with --normalize, a share of the total in percent. Function 0, the
 * total, is always a cost.
 */
static void
put_mean(char buf[AMOUNT_ROOM], const struct noise *noise, cg_fn fn, double x)
{
	if (noise->args->normalize && fn != 0)
		snprintf(buf, AMOUNT_ROOM, "%.2f%%", 100 * x);
	else if (fabs(x) < 0x1p63)
		amount_text(buf, amount_i64((int64_t)llround(x)));
	else
		snprintf(buf, AMOUNT_ROOM, "%.6g", x);
}

/*
 * Writes a relative change to buf in percent, "+1.23%" for 0.0123; "-" if
 * there is none (NAN), "any" if it is infinite.
 */
static void
put_percent(char buf[AMOUNT_ROOM], double x)
{
	if (isnan(x))
		strcpy(buf, "-");
	else if (isinf(x))
		strcpy(buf, "any");
	else
		snprintf(buf, AMOUNT_ROOM,
		    fabs(x) < 1e4 ? "%+.2f%%" : "%+.3g%%", 100 * x);
}

/*
 * Returns the relative change of the mean of a row, from before to after: 0.5
 * is an increase by 50%. NAN: the mean before is not positive.
 */
static double
change_of(const struct noise_row *row)
{
	return row->mean[BEFORE] > 0 ? row->mean[AFTER] / row->mean[BEFORE] - 1
				     : NAN;
}

#define INTERVAL_ROOM (2 * AMOUNT_ROOM + 4)

static const char *
interval_text(char buf[INTERVAL_ROOM], const struct judged *judged)
{
	char low[AMOUNT_ROOM], high[AMOUNT_ROOM];

	put_percent(low, judged->low);
	put_percent(high, judged->high);
	if (isnan(judged->low))
		strcpy(buf, "-");
	else
		snprintf(buf, INTERVAL_ROOM, "%s to %s", low, high);
	return buf;
}

static const char *
verdict(const struct noise *noise, const struct noise_row *row)
{
	if (noise->method == METHOD_NONE ||
	    (noise->args->normalize && row->id == 0))
		return "-";
	return row->judged.real ? "real" : "noise";
}

/* ---- Tables -------------------------------------------------------------- */

#define COLUMNS 5
static const char *const head[] = { "Before", "After", "Change", "Interval",
	"Verdict", "Function (file) [object]", NULL };

static void
put_row_cell(char buf[AMOUNT_ROOM], const struct noise *noise,
    const struct noise_row *row, size_t cell)
{
	char interval[INTERVAL_ROOM];

	if (cell < 2)
		put_mean(buf, noise, row->id, row->mean[cell]);
	else if (cell == 2 && isnan(change_of(row)) && row->mean[AFTER] > 0)
		strcpy(buf, "new");
	else if (cell == 2)
		put_percent(buf, change_of(row));
	else
		snprintf(buf, AMOUNT_ROOM, "%s",
		    cell == 3 ? interval_text(interval, &row->judged)
			      : verdict(noise, row));
}

/* What put_table() shows: rows of one kind. */
struct shown {
	const struct noise *noise;
	const struct noise_row *row;
};

static void
put_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct shown *shown = arg;

	put_row_cell(buf, shown->noise, &shown->row[i], cell);
}

/* Writes "path:line" of a row about a source line; put() writes the path. */
static void
put_line(FILE *to, const struct noise *noise, const struct noise_row *row,
    void (*put)(FILE *, struct cg_slice))
{
	const struct noise_line *line = &noise->line.at[row->id - 1];

	put(to, line->path);
	fprintf(to, ":%" PRIu32, line->line);
}

static void
put_name(FILE *to, const void *arg, size_t i)
{
	const struct shown *shown = arg;
	const struct cg_graph *graph = shown->noise->graph;
	const struct noise_row *row = &shown->row[i];
	cg_fn fn = row->id;

	if (fn == 0)
		put_safe(to, cg_slice(shown->noise->common.name));
	else if (row->key == LINE)
		put_line(to, shown->noise, row, put_safe);
	else
		put_function(to, cg_fn_name(graph, fn), 0,
		    cg_file_path(graph, cg_fn_file(graph, fn)),
		    cg_object_path(graph, cg_fn_object(graph, fn)));
}

/* ---- Text ---------------------------------------------------------------- */

#define PATHS_SHOWN 3

static void
print_side(FILE *to, const struct noise *noise, int side)
{
	size_t shown = 0, count = noise->count[side];

	fprintf(to, "%s%zu run%s", side == BEFORE ? "Before  " : "After   ",
	    count, count == 1 ? "" : "s");
	for (size_t i = 0; i < noise->runs && shown < PATHS_SHOWN; i++) {
		if (noise->run[i].side != side)
			continue;
		fputs(shown++ == 0 ? ": " : ", ", to);
		put_safe(to, cg_slice(noise->run[i].path));
	}
	if (shown < count)
		fprintf(to, " and %zu more", count - shown);
	putc('\n', to);
}

/*
 * Writes how changes were judged, in one line without a newline: the
 * statistical test, the rate of false alarms and the number of comparisons. If
 * no test was used, writes only why: costs are exact, or numbers of samples
 * are unknown.
 */
static void
put_method(FILE *to, const struct noise *noise)
{
	char rate[AMOUNT_ROOM];

	snprintf(rate, sizeof(rate), "%g%%", 100 * noise->error_rate);
	switch (noise->method) {
	case METHOD_EXACT:
		put_safe(to, cg_slice(noise->common.name));
		fputs(" is counted exactly: every change is real", to);
		return;
	case METHOD_NONE:
		fputs("none: the numbers of samples are unknown; give several "
		      "runs",
		    to);
		return;
	case METHOD_COUNTING:
		fputs("counting statistics of the samples of one run each", to);
		break;
	case METHOD_MEANS:
		fprintf(to, "%s t-test of the means",
		    noise->count[BEFORE] > 1 && noise->count[AFTER] > 1
			? "Welch's"
			: "Student's");
		break;
	}
	fprintf(to, "; %s false alarms in %zu comparison%s", rate,
	    noise->judgements, noise->judgements == 1 ? "" : "s");
}

const char *
copy_method(const struct noise *noise)
{
	char *text = NULL, *copy = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to != NULL)
		put_method(to, noise);
	if (close_text(to, &text))
		copy = copy_text(noise->args->job, cg_slice(text));
	else
		(void)cg_nomem(noise->args->job);
	free(text);
	return copy;
}

static void
print_rows(FILE *to, const struct noise *noise, int key, size_t top)
{
	const struct shown shown = { noise, noise->row[key].at };
	const char *heads[COLUMNS + 2];
	size_t n = noise->row[key].n;

	fprintf(to, "\nReal changes first, %s: ", key_title[key]);
	put_safe(to, cg_slice(noise->common.name));
	putc('\n', to);
	memcpy(heads, head, sizeof(heads));
	if (key == LINE)
		heads[COLUMNS] = "Source line";
	put_table(to, heads, n < top ? n : top, put_cell, put_name, &shown);
	if (n > top)
		fprintf(
		    to, "  and %zu more; use --top to list them\n", n - top);
	if (noise->small[key] > 0)
		fprintf(to, "  %zu %s%s below 0.5%% %s not compared\n",
		    noise->small[key], key == LINE ? "line" : "function",
		    noise->small[key] == 1 ? "" : "s",
		    noise->small[key] == 1 ? "is" : "are");
}

void
print_noise(FILE *to, const struct noise *noise, size_t top)
{
	const struct shown total = { noise, &noise->total };
	const char *heads[COLUMNS + 2];

	print_side(to, noise, BEFORE);
	print_side(to, noise, AFTER);
	if (noise->skipped > 0)
		fprintf(to, "Skipped %zu run%s\n", noise->skipped,
		    noise->skipped == 1 ? "" : "s");
	fputs("Method  ", to);
	put_method(to, noise);
	putc('\n', to);
	if (noise->args->normalize)
		fputs("Shares  of the total are compared\n", to);
	putc('\n', to);
	memcpy(heads, head, sizeof(heads));
	heads[COLUMNS] = "Event";
	put_table(to, heads, 1, put_cell, put_name, &total);
	for (int key = 0; top > 0 && key < KINDS; key++)
		if (key == SELF || noise->row[key].n > 0)
			print_rows(to, noise, key, top);
}

/* ---- Markdown ------------------------------------------------------------ */

static void
put_row_markdown(
    FILE *to, const struct noise *noise, const struct noise_row *row)
{
	if (row->key == LINE)
		put_line(to, noise, row, put_markdown);
	else
		put_markdown(to, cg_fn_name(noise->graph, row->id));
}

static void
print_markdown_rows(FILE *to, const struct noise *noise,
    const struct noise_row *row, size_t rows)
{
	char cell[AMOUNT_ROOM];

	fputs("| | Before | After | Change | Interval | |\n"
	      "|---|---:|---:|---:|---:|---|\n",
	    to);
	for (size_t i = 0; i < rows; i++) {
		fputs("| ", to);
		if (row[i].id == 0)
			fputs("**total**", to);
		else
			put_row_markdown(to, noise, &row[i]);
		for (size_t k = 0; k < COLUMNS; k++) {
			put_row_cell(cell, noise, &row[i], k);
			fprintf(to,
			    k == COLUMNS - 1 && row[i].judged.real ? " | **%s**"
								   : " | %s",
			    cell);
		}
		fputs(" |\n", to);
	}
}

void
print_noise_markdown(FILE *to, const struct noise *noise, size_t top)
{
	fputs("### Changes of ", to);
	put_markdown(to, cg_slice(noise->common.name));
	fprintf(to,
	    "\n\n%zu run%s before, %zu after. Method: ", noise->count[BEFORE],
	    noise->count[BEFORE] == 1 ? "" : "s", noise->count[AFTER]);
	put_method(to, noise);
	fputs(".\n\n", to);
	print_markdown_rows(to, noise, &noise->total, 1);
	for (int key = 0; key < KINDS; key++) {
		static const char *const title[KINDS] = { "Inclusive cost",
			"Self cost", "Source lines" };
		size_t n = noise->row[key].n, real = 0;

		n = n < top ? n : top;
		while (real < n && noise->row[key].at[real].judged.real)
			real++;
		if (n == 0)
			continue;
		fprintf(to,
		    "\n<details%s><summary>%s: %zu %s%s "
		    "changed</summary>\n\n",
		    real > 0 ? " open" : "", title[key], real,
		    key == LINE ? "line" : "function", real == 1 ? "" : "s");
		print_markdown_rows(to, noise, noise->row[key].at, n);
		fputs("\n</details>\n", to);
	}
}

/* ---- JSON ---------------------------------------------------------------- */

/*
 * Adds a member "costs_before" or "costs_after" to json: an array of the row's
 * costs in the runs of that side, in their order. False: out of memory.
 */
static bool
add_costs(const struct noise *noise, const struct noise_row *row, int side,
    struct json_object *json)
{
	struct json_object *costs = json_object_new_array();
	bool ok = add_json(
	    json, side == BEFORE ? "costs_before" : "costs_after", costs);

	for (size_t i = 0; ok && i < noise->runs; i++) {
		const struct noise_run *run = &noise->run[i];

		if (run->side == side)
			ok = add_json_number(
			    costs, NULL, cost_in(run, row->id, row->key));
	}
	return ok;
}

static bool
add_judged(const struct noise *noise, const struct noise_row *row,
    struct json_object *json)
{
	struct json_object *interval = json_object_new_array_ext(2);
	bool ok = add_json(json, "interval", interval) &&
		  add_json_number(json, side_name[BEFORE], row->mean[BEFORE]) &&
		  add_json_number(json, side_name[AFTER], row->mean[AFTER]) &&
		  add_json_number(json, "change", change_of(row)) &&
		  add_json_number(interval, NULL, row->judged.low) &&
		  add_json_number(interval, NULL, row->judged.high) &&
		  add_json_number(json, "p", row->judged.p) &&
		  add_json_text(json, "verdict", cg_slice(verdict(noise, row)));

	for (int s = 0; ok && s < 2; s++)
		ok = add_costs(noise, row, s, json);
	return ok;
}

static bool
write_row(FILE *to, const struct noise *noise, const struct noise_row *row)
{
	struct json_object *json = json_object_new_object();
	const struct cg_graph *graph = noise->graph;
	const struct noise_line *line;
	bool ok = true;

	if (row->id != 0 && row->key == LINE) {
		line = &noise->line.at[row->id - 1];
		ok = add_json_text(json, "file", line->path) &&
		     add_json_u64(json, "line", line->line);
	} else if (row->id != 0) {
		ok = add_json_text(json, "name", cg_fn_name(graph, row->id)) &&
		     add_json_text(json, "file",
			 cg_file_path(graph, cg_fn_file(graph, row->id))) &&
		     add_json_text(json, "object",
			 cg_object_path(graph, cg_fn_object(graph, row->id))) &&
		     add_json_text(json, "cost", cg_slice(key_name[row->key]));
	}
	ok = ok && add_judged(noise, row, json);
	return write_json(to, json) && ok;
}

static bool
write_runs(FILE *to, const struct noise *noise, int side)
{
	const char *separator = "";
	bool ok = true;

	fprintf(to, "\"%s\":[", side_name[side]);
	for (size_t i = 0; ok && i < noise->runs; i++) {
		const struct noise_run *run = &noise->run[i];
		struct json_object *json;

		if (run->side != side)
			continue;
		json = json_object_new_object();
		fputs(separator, to);
		separator = ",\n";
		ok = add_json_text(json, "path", cg_slice(run->path)) &&
		     add_json_text(json, "format", cg_slice(run->format)) &&
		     add_json_number(json, "total", run->total) &&
		     add_json_number(json, "samples",
			 run->samples > 0 ? run->samples : NAN);
		ok = write_json(to, json) && ok;
	}
	fputs("],\n", to);
	return ok;
}

/*
 * Writes rows as elements of a JSON array, with a comma between two of them.
 * Writes the rows of the keys "first" to last - 1, of INCLUSIVE, SELF and
 * LINE. False: out of memory.
 */
static bool
write_rows(FILE *to, const struct noise *noise, int first, int last)
{
	const char *separator = "\n";
	bool ok = true;

	for (int key = first; key < last; key++)
		for (size_t i = 0; ok && i < noise->row[key].n; i++) {
			fputs(separator, to);
			separator = ",\n";
			ok = write_row(to, noise, &noise->row[key].at[i]);
		}
	return ok;
}

bool
write_noise(FILE *to, const struct noise *noise)
{
	struct json_object *json = json_object_new_object();
	bool ok = add_json_text(json, "event", cg_slice(noise->common.name)) &&
		  add_json_text(json, "unit", cg_slice(noise->common.unit)) &&
		  add_json_text(
		      json, "method", cg_slice(method_name[noise->method])) &&
		  add_json_number(json, "error_rate", noise->error_rate) &&
		  add_json_u64(json, "comparisons", noise->judgements) &&
		  add_json_u64(json, "skipped", noise->skipped);

	fputs("\"runs\":{\"about\":", to);
	ok = write_json(to, json) && ok;
	fputs(",\n", to);
	ok =
	    ok && write_runs(to, noise, BEFORE) && write_runs(to, noise, AFTER);
	fputs("\"total\":", to);
	ok = ok && write_row(to, noise, &noise->total);
	fputs(",\n\"functions\":[", to);
	ok = ok && write_rows(to, noise, 0, KEYS);
	fputs("],\n\"lines\":[", to);
	ok = ok && write_rows(to, noise, LINE, KINDS);
	fputs("]}", to);
	return ok;
}

/* ---- --fail-over --------------------------------------------------------- */

int
parse_fail_over(const struct args *args, struct fail_over *limit)
{
	struct cg_slice rest, one, name;

	*limit = (struct fail_over){ -1, -1 };
	if (args->fail_over == NULL)
		return CG_OK;
	rest = cg_slice(args->fail_over);
	while (cg_take_until(&rest, ',', &one)) {
		double *to;

		(void)cg_take_until(&one, '=', &name);
		to = cg_equal(name, "total")      ? &limit->total
		     : cg_equal(name, "function") ? &limit->function
						  : NULL;
		if (to == NULL || *to >= 0 || !get_percent(one, to))
			return cg_usage(args->job,
			    "--fail-over: expected percentages of total or "
			    "function, such as total=3%%,function=10%%, not "
			    "'%s'",
			    args->fail_over);
	}
	if (limit->total >= 0 && args->normalize)
		return cg_usage(args->job,
		    "--fail-over total and --normalize cannot be used "
		    "together");
	return CG_OK;
}

/*
 * Returns true if the row's cost really increased, beyond noise, by more than
 * the limit of --fail-over; reports this as an error. The limit is relative:
 * 0.05 is 5%. If it is negative, there is no limit, and the result is false.
 */
static bool
is_over(const struct noise *noise, const struct noise_row *row, double limit)
{
	struct cg_message message = { .severity = CG_ERROR };
	char change[AMOUNT_ROOM], interval[INTERVAL_ROOM], allowed[AMOUNT_ROOM];
	struct cg_slice name = cg_fn_name(noise->graph, row->id);
	char *text = NULL;
	size_t size;
	FILE *to;

	if (limit < 0 || !row->judged.real || !(change_of(row) > limit))
		return false;
	to = open_memstream(&text, &size);
	put_percent(change, change_of(row));
	snprintf(allowed, sizeof(allowed), "%g%%", 100 * limit);
	if (to != NULL && row->id == 0)
		fprintf(to, "total of %s", noise->common.name);
	else if (to != NULL)
		fprintf(to, "function %.*s: %s cost", (int)name.len, name.ptr,
		    key_name[row->key]);
	if (to != NULL)
		fprintf(to, ": %s (%s), --fail-over allows %s", change,
		    interval_text(interval, &row->judged), allowed);
	message.text = close_text(to, &text) ? text : "out of memory";
	put_message(stderr, &message);
	free(text);
	return true;
}

int
check_fail_over(const struct noise *noise, const struct fail_over *limit)
{
	bool over = is_over(noise, &noise->total, limit->total);

	for (int key = 0; key < KEYS; key++)
		for (size_t i = 0; i < noise->row[key].n; i++)
			over |= is_over(
			    noise, &noise->row[key].at[i], limit->function);
	return over ? EXIT_BELOW : CG_OK;
}
