/*
 * diff.c - --diff BEFORE AFTER: shows what changed between two profiles; with
 * -o or -t also writes the difference as a profile. noise.c compares more runs.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"

static const char *const side_name[2] = { "before", "after" };

/* An event of both profiles, and its totals. */
struct shared_event {
	size_t column[2];
	struct amount sum[2];
};

/* A function whose cost changed. */
struct changed {
	cg_fn fn; /* in the difference */
	struct amount key;
};

struct diff {
	struct args *args;
	struct profile profile[2];
	const struct cg_graph *graph; /* the difference */
	struct shared_event *event;
	size_t events;
	size_t ranked;        /* the event that functions are sorted by */
	size_t first, last;   /* events in value: first to last - 1 */
	size_t fns;           /* including function 0; a target may add more */
	bool *in[2];          /* by function: that profile has it */
	struct amount *value; /* see value_at() */
	struct changed *row;
	size_t rows, top;
	int key;
	struct lost *lost; /* lost lines; NULL: no coverage */
	double samples[2]; /* numbers of samples; 0: unknown */
	struct noise noise;
	struct fail_over limit;
	bool judged;                   /* noise is to be shown */
	struct cg_judgement judgement; /* for the profile that is written */
	FILE *to;
};

/*
 * Returns the address of two costs of a function: element 0 before, element 1
 * after. "event" must be from d->first to d->last - 1. "key" selects the SELF
 * or the INCLUSIVE cost.
 */
static struct amount *
value_at(const struct diff *d, cg_fn fn, size_t event, int key)
{
	size_t at = fn * (d->last - d->first) + event - d->first;

	return &d->value[(at * KEYS + (size_t)key) * 2];
}

static struct amount
difference(const struct amount value[2])
{
	return amount_minus(value[AFTER], value[BEFORE]);
}

/* ---- Numbers ------------------------------------------------------------ */

static size_t
find_column(const struct cg_graph *graph, const char *name)
{
	size_t i = 0, count = cg_event_count(graph);

	while (i < count && strcmp(cg_get_event(graph, i)->name, name) != 0)
		i++;
	return i;
}

/*
 * Lists the events of both profiles in d->event, and sets the range to show.
 * Functions are sorted by d->ranked: the event of --event, else the main one
 * or the first. Returns the status: CG_EUSAGE (reported) if the event of
 * --event is missing.
 */
static int
find_events(struct diff *d)
{
	const struct cg_graph *graph = d->profile[AFTER].graph;
	const char *wanted = d->args->event;
	size_t main_event = cg_main_event(graph);
	bool found = wanted == NULL;

	d->event =
	    cg_alloc(d->args->job, cg_event_count(graph) * sizeof(*d->event));
	if (d->event == NULL)
		return CG_ELIMIT;
	for (size_t i = 0; i < cg_event_count(graph); i++) {
		const char *name = cg_get_event(graph, i)->name;
		size_t before = find_column(d->profile[BEFORE].graph, name);

		if (before == cg_event_count(d->profile[BEFORE].graph))
			continue;
		if (wanted != NULL ? strcmp(wanted, name) == 0
				   : i == main_event) {
			d->ranked = d->events;
			found = true;
		}
		d->event[d->events++] =
		    (struct shared_event){ { before, i }, { { 0 } } };
	}
	/* The text shows one event, JSON all. */
	d->first = d->args->json ? 0 : d->ranked;
	d->last = d->args->json ? d->events : d->ranked + 1;
	if (found)
		return CG_OK;
	return cg_usage(d->args->job,
	    "--event: expected an event of both profiles (see --info), not "
	    "'%s'",
	    wanted);
}

static int
sum_events(struct diff *d)
{
	for (int s = 0; s < 2; s++) {
		const struct cg_graph *graph = d->profile[s].graph;
		uint64_t *sum = cg_alloc(
		    d->args->job, cg_event_count(graph) * sizeof(*sum));
		bool fits = sum != NULL && sum_parts(graph, sum);

		if (sum == NULL)
			return CG_ELIMIT;
		for (size_t e = 0; fits && e < d->events; e++)
			d->event[e].sum[s] =
			    column_amount(graph, d->event[e].column[s], sum);
	}
	return CG_OK;
}

/*
 * Returns a cost of profile s for the comparison. With --normalize, a cost of
 * BEFORE is scaled by the ratio of both totals, unless that of BEFORE is 0.
 * The result is unknown if it exceeds 64 bits.
 */
static struct amount
scale(const struct diff *d, size_t event, int s, struct amount amount)
{
	const struct amount *sum = d->event[event].sum;
	long double scaled;

	if (!d->args->normalize || s == AFTER || sum[BEFORE].size == 0)
		return amount;
	scaled = (long double)amount.size * (long double)sum[AFTER].size /
		     (long double)sum[BEFORE].size +
		 0.5L;
	amount.known &= scaled < 0x1p64L;
	amount.size = amount.known ? (uint64_t)scaled : 0;
	return amount;
}

static struct amount
signed_amount(const struct cg_graph *graph, size_t column, uint64_t value)
{
	return cg_get_event(graph, column)->is_signed
		   ? amount_i64((int64_t)value)
		   : amount_u64(value);
}

static void
add_value(struct diff *d, cg_fn fn, size_t event, int key, int s, uint64_t cost)
{
	struct amount *to = value_at(d, fn, event, key) + s;
	struct amount more = scale(d, event, s,
	    signed_amount(
		d->profile[s].graph, d->event[event].column[s], cost));

	/*
	 * Several functions of a profile may be one function in the
	 * difference.
	 */
	more.minus = !more.minus;
	*to = amount_minus(*to, more);
}

/*
 * Adds the costs of profile s to the functions with which its own were
 * matched, and marks them in d->in[s]. First derives calls and inclusive
 * costs, and sets the profile's sums. Returns the status.
 */
static int
add_values_of(struct diff *d, int s)
{
	struct profile *profile = &d->profile[s];
	int status = cg_job_derive(profile->job, CG_INCL | CG_CALLS);

	if (status == CG_OK && d->args->json)
		profile->sums = cg_sums_new(profile->graph, CG_ALL_PARTS, true);
	else if (status == CG_OK)
		profile->sums = cg_sums_of(profile->graph, CG_ALL_PARTS,
		    d->event[d->ranked].column[s], 1);
	if (status != CG_OK || profile->sums == NULL)
		return status != CG_OK ? status : cg_job_status(profile->job);
	for (cg_fn fn = 1; fn <= cg_fn_count(profile->graph); fn++) {
		cg_fn to = cg_job_diff_fn(d->args->job, s, fn);

		d->in[s][to] = true;
		for (size_t e = d->first; e < d->last; e++) {
			size_t column = d->event[e].column[s];

			add_value(d, to, e, SELF, s,
			    cg_sum_self(profile->sums, fn, column));
			add_value(d, to, e, INCLUSIVE, s,
			    cg_sum_inclusive(profile->sums, fn, column));
		}
	}
	return CG_OK;
}

static int
compute_values(struct diff *d)
{
	size_t events = d->last - d->first, values;
	struct cg_job *job = d->args->job;
	int status = CG_OK;

	d->fns = cg_fn_count(d->graph) + 1;
	values = d->fns * events * KEYS * 2;
	d->value = cg_alloc(job, values * sizeof(*d->value));
	d->row = cg_alloc(job, d->fns * sizeof(*d->row));
	for (int s = 0; s < 2; s++)
		d->in[s] = cg_alloc(job, d->fns * sizeof(*d->in[s]));
	if (!d->value || !d->row || !d->in[BEFORE] || !d->in[AFTER])
		return CG_ELIMIT;
	for (size_t i = 0; i < values; i++)
		d->value[i].known = true;
	for (int s = 0; status == CG_OK && s < 2; s++)
		status = add_values_of(d, s);
	return status;
}

/* ---- Ranking ------------------------------------------------------------ */

/*
 * Compares rows for qsort(): largest absolute change first, an increase before
 * an equal decrease, unknown changes last; then in the order of functions.
 */
static int
compare_rows(const void *pa, const void *pb)
{
	const struct changed *a = pa, *b = pb;

	if (a->key.known != b->key.known)
		return a->key.known ? -1 : 1;
	if (a->key.size != b->key.size)
		return a->key.size > b->key.size ? -1 : 1;
	if (a->key.minus != b->key.minus)
		return a->key.minus ? 1 : -1;
	return (a->fn > b->fn) - (a->fn < b->fn);
}

static bool
has_changed(const struct diff *d, cg_fn fn, int key)
{
	struct amount change;

	for (size_t e = d->first; e < d->last; e++)
		for (int k = 0; k < KEYS; k++) {
			change = difference(value_at(d, fn, e, k));
			/* A table is sorted by one key, JSON has both. */
			if ((d->args->json || k == key) &&
			    (change.size != 0 || !change.known))
				return true;
		}
	return false;
}

static void
rank_functions(struct diff *d, int key)
{
	d->key = key;
	d->rows = 0;
	for (cg_fn fn = 1; fn < d->fns; fn++) {
		if (has_changed(d, fn, key))
			d->row[d->rows++] = (struct changed){ fn,
				difference(value_at(d, fn, d->ranked, key)) };
	}
	qsort(d->row, d->rows, sizeof(*d->row), compare_rows);
	if (d->rows > d->top)
		d->rows = d->top;
}

/* ---- Text --------------------------------------------------------------- */

static const char *const head[] = { "Before", "After", "Difference", "Change",
	NULL, NULL };

static void
put_change(char buf[AMOUNT_ROOM], const struct amount value[2], size_t cell)
{
	struct amount change = difference(value);
	char *to = buf;

	/* The sign of the difference, also for negative costs. */
	if (cell >= 2 && change.known && !change.minus && change.size > 0)
		*to++ = '+';
	if (cell < 2)
		amount_text(buf, value[cell]);
	else if (cell == 2)
		amount_text(to, change);
	else if (value[BEFORE].size == 0 || value[BEFORE].minus)
		(void)strcpy(buf, "-");
	else
		percent_text(to, change, value[BEFORE]);
}

static void
put_total_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct diff *d = arg;
	struct amount value[2];

	for (int s = 0; s < 2; s++)
		value[s] = scale(d, i, s, d->event[i].sum[s]);
	put_change(buf, value, cell);
}

static void
put_event_name(FILE *to, const void *arg, size_t i)
{
	const struct diff *d = arg;
	const struct cg_event *event =
	    cg_get_event(d->profile[AFTER].graph, d->event[i].column[AFTER]);

	put_safe(to, cg_slice(event->name));
	if (*event->long_name == '\0')
		return;
	fputs(": ", to);
	put_safe(to, cg_slice(event->long_name));
}

static void
put_function_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct diff *d = arg;
	cg_fn fn = d->row[i].fn;

	for (int s = 0; s < 2; s++) {
		if (d->in[s][fn])
			continue;
		if (cell == (size_t)s || cell == 3) {
			(void)strcpy(buf, cell != 3     ? "-"
					  : s == BEFORE ? "new"
							: "gone");
			return;
		}
	}
	put_change(buf, value_at(d, fn, d->ranked, d->key), cell);
}

static void
put_function_name(FILE *to, const void *arg, size_t i)
{
	const struct diff *d = arg;
	cg_fn fn = d->row[i].fn;

	put_function(to, cg_fn_name(d->graph, fn), 0,
	    cg_file_path(d->graph, cg_fn_file(d->graph, fn)),
	    cg_object_path(d->graph, cg_fn_object(d->graph, fn)));
}

static void
print_ranking(struct diff *d, int key, const char *title)
{
	const char *heads[6];

	rank_functions(d, key);
	fprintf(d->to, "\nLargest changes, %s: ", title);
	put_safe(d->to, cg_slice(cg_get_event(d->profile[AFTER].graph,
			    d->event[d->ranked].column[AFTER])
				     ->name));
	putc('\n', d->to);
	memcpy(heads, head, sizeof(heads));
	heads[4] = "Function (file) [object]";
	put_table(
	    d->to, heads, d->rows, put_function_cell, put_function_name, d);
}

static void
print_text(struct diff *d)
{
	const char *heads[6];

	for (int s = 0; s < 2; s++) {
		fputs(s == BEFORE ? "Before  " : "After   ", d->to);
		put_safe(d->to, cg_slice(d->profile[s].path));
		fprintf(d->to, ": %s\n", d->profile[s].format->name);
	}
	if (d->args->normalize)
		fputs("Scaled  before, to the totals after\n", d->to);
	putc('\n', d->to);
	memcpy(heads, head, sizeof(heads));
	heads[4] = "Event";
	put_table(d->to, heads, d->events, put_total_cell, put_event_name, d);
	if (d->lost != NULL)
		print_lost(d->to, d->lost, d->top);
	if (d->top == 0)
		return;
	if ((d->profile[BEFORE].found | d->profile[AFTER].found) &
	    (CG_CALLS | CG_STACKS | CG_INCL))
		print_ranking(d, INCLUSIVE, "inclusive");
	print_ranking(d, SELF, "self");
}

/*
 * Prints how the two profiles differ as text to d->to. If changes were judged,
 * also prints which are real and which are noise.
 */
static void
print_all(struct diff *d)
{
	print_text(d);
	if (!d->judged)
		return;
	putc('\n', d->to);
	print_noise(d->to, &d->noise, d->top);
}

/* ---- JSON --------------------------------------------------------------- */

/*
 * Returns a JSON array of a cost before and after, which the caller releases.
 * NULL: out of memory.
 */
static struct json_object *
new_pair(const struct amount value[2])
{
	struct json_object *pair = json_object_new_array_ext(2);

	if (append_json_amount(pair, value[BEFORE]) &&
	    append_json_amount(pair, value[AFTER]))
		return pair;
	json_object_put(pair);
	return NULL;
}

static bool
write_side_json(const struct diff *d, int s)
{
	struct json_object *json = json_object_new_object();
	bool ok =
	    add_json_text(json, "path", cg_slice(d->profile[s].path)) &&
	    add_json_text(json, "format", cg_slice(d->profile[s].format->name));

	fprintf(d->to, "\"%s\":", side_name[s]);
	ok = write_json(d->to, json) && ok;
	fputs(",\n", d->to);
	return ok;
}

static bool
write_event_json(const struct diff *d, size_t e)
{
	const struct cg_event *event =
	    cg_get_event(d->profile[AFTER].graph, d->event[e].column[AFTER]);
	struct json_object *json = json_object_new_object();
	struct amount value[2];
	bool ok;

	for (int s = 0; s < 2; s++)
		value[s] = scale(d, e, s, d->event[e].sum[s]);
	ok = add_json_text(json, "name", cg_slice(event->name)) &&
	     add_json_text(json, "unit", cg_slice(event->unit)) &&
	     add_json(json, "total", new_pair(value));
	return write_json(d->to, json) && ok;
}

static bool
add_values(const struct diff *d, cg_fn fn, int key, struct json_object *json)
{
	static const char *const keys[KEYS] = { "inclusive", "self" };
	struct json_object *values = json_object_new_array();
	bool ok = add_json(json, keys[key], values);

	for (size_t e = 0; ok && e < d->events; e++)
		ok = append_json(values, new_pair(value_at(d, fn, e, key)));
	return ok;
}

static bool
write_function_json(const struct diff *d, cg_fn fn)
{
	struct json_object *json = json_object_new_object();
	const struct cg_graph *graph = d->graph;
	bool ok = add_json_text(json, "name", cg_fn_name(graph, fn)) &&
		  add_json_text(json, "file",
		      cg_file_path(graph, cg_fn_file(graph, fn))) &&
		  add_json_text(json, "object",
		      cg_object_path(graph, cg_fn_object(graph, fn)));

	for (int s = 0; s < 2; s++)
		if (!d->in[1 - s][fn])
			ok = ok && add_json_text(
				       json, "only", cg_slice(side_name[s]));
	for (int key = 0; key < KEYS; key++)
		ok = ok && add_values(d, fn, key, json);
	return write_json(d->to, json) && ok;
}

/*
 * Prints how the two profiles differ as JSON to d->to. Writes functions one by
 * one, as they may not fit into memory together. False: out of memory; then
 * the text is incomplete, but all brackets are closed.
 */
static bool
print_json(struct diff *d)
{
	bool ok;

	fputs("{\"diff\":1,\n", d->to);
	ok = write_side_json(d, BEFORE) && write_side_json(d, AFTER);
	fprintf(d->to, "\"normalized\":%s,\n\"events\":[",
	    d->args->normalize ? "true" : "false");
	for (size_t e = 0; ok && e < d->events; e++) {
		fputs(e > 0 ? ",\n" : "\n", d->to);
		ok = write_event_json(d, e);
	}
	fputs("],\n", d->to);
	if (d->lost != NULL)
		ok = write_lost(d->to, d->lost, d->top) && ok;
	if (d->judged) {
		ok = write_noise(d->to, &d->noise) && ok;
		fputs(",\n", d->to);
	}
	fputs("\"functions\":[", d->to);
	rank_functions(d, INCLUSIVE);
	for (size_t i = 0; ok && i < d->rows; i++) {
		fputs(i > 0 ? ",\n" : "\n", d->to);
		ok = write_function_json(d, d->row[i].fn);
	}
	fputs("]}\n", d->to);
	return ok;
}

/* ---- Noise --------------------------------------------------------------- */

/*
 * Returns true if the user asks which changes are real and which are noise. An
 * option such as --fail-over asks for it. So do files on both sides of an
 * argument "--".
 */
static bool
asks_for_noise(const struct args *args)
{
	return (args->split > 0 && args->split < args->inputs) ||
	       args->fail_over != NULL || args->error_rate != NULL ||
	       args->markdown;
}

/*
 * True if a profile of the difference is written, in a format that can show
 * changes.
 */
static bool
shows_changes(const struct args *args)
{
	const struct cg_module *to =
	    writes_profile(args) ? cg_job_target(args->job) : NULL;

	return to != NULL && to->pairs;
}

static double
amount_size(struct amount amount)
{
	double size = amount.known ? (double)amount.size : 0;

	return amount.minus ? -size : size;
}

/*
 * Appends profile s to the runs whose changes are judged; the array must have
 * room. The run has the costs of all functions for the event d->ranked. It is
 * the only run of its side. False: out of memory.
 */
static bool
add_run(struct diff *d, int s)
{
	struct noise_run *run = &d->noise.run[d->noise.runs++];
	size_t e = d->ranked;

	*run = (struct noise_run){ .path = d->profile[s].path,
		.format = d->profile[s].format->name,
		.side = s,
		.samples = d->samples[s],
		.fns = d->fns };
	run->total = amount_size(scale(d, e, s, d->event[e].sum[s]));
	run->cost = cg_alloc(d->args->job, d->fns * KEYS * sizeof(*run->cost));
	if (run->cost == NULL)
		return false;
	for (cg_fn fn = 1; fn < d->fns; fn++)
		for (int key = 0; key < KEYS; key++)
			run->cost[fn * KEYS + (size_t)key] =
			    amount_size(value_at(d, fn, e, key)[s]);
	d->noise.count[s] = 1;
	return true;
}

/*
 * Judges from the numbers of samples which changes of costs are real.
 * d->judged: an option asks for it; exact events are judged only for
 * --fail-over or Markdown. An output format that shows judgements gets them in
 * any case. Returns the status.
 */
static int
judge_pair(struct diff *d)
{
	struct noise *noise = &d->noise;
	const struct cg_graph *graph = d->profile[AFTER].graph;
	size_t column = d->event[d->ranked].column[AFTER];
	bool told = shows_changes(d->args) && d->lost == NULL;

	noise->common.exact = is_exact_event(graph, column);
	d->judged =
	    asks_for_noise(d->args) &&
	    (!noise->common.exact || d->args->fail_over || d->args->markdown);
	if (!d->judged && !told)
		return CG_OK;
	noise->graph = d->graph;
	noise->common.name = cg_get_event(graph, column)->name;
	noise->common.unit = cg_get_event(graph, column)->unit;
	noise->inclusive =
	    ((d->profile[BEFORE].found | d->profile[AFTER].found) &
		(CG_CALLS | CG_STACKS | CG_INCL)) != 0;
	noise->run = cg_alloc(d->args->job, 2 * sizeof(*noise->run));
	if (noise->run == NULL || !add_run(d, BEFORE) || !add_run(d, AFTER) ||
	    !judge_runs(noise) || (told && !tell_pair(noise, &d->judgement)))
		return cg_nomem(d->args->job);
	if (told)
		cg_job_set_judgement(d->args->job, &d->judgement);
	return CG_OK;
}

/*
 * Returns the stream for text: standard output, or standard error if a profile
 * goes to standard output.
 */
static FILE *
text_stream(const struct args *args)
{
	bool to_stdout =
	    args->output ? strcmp(args->output, "-") == 0 : args->to != NULL;

	return to_stdout ? stderr : stdout;
}

/*
 * Prints which changes between several runs are real, as Markdown, JSON or
 * text. `top` limits the rows of each table of Markdown and text. With --quiet
 * and a profile prints no text. Returns the status.
 */
static int
print_judgement(const struct noise *noise, size_t top)
{
	const struct args *args = noise->args;
	FILE *to = text_stream(args);

	if (args->markdown) {
		print_noise_markdown(to, noise, top);
	} else if (args->json) {
		bool ok;

		fputs("{\"diff\":1,\n", to);
		ok = write_noise(to, noise);
		fputs("}\n", to);
		return ok ? CG_OK : cg_nomem(args->job);
	} else if (!args->quiet || !writes_profile(args)) {
		print_noise(to, noise, top);
	}
	return CG_OK;
}

/*
 * Compares several runs before and after a change: reads them, judges the
 * changes, writes a profile of the difference if one was asked for, prints the
 * changes, and checks the limit of --fail-over. Returns the status of the first
 * step that failed, which is EXIT_BELOW for the limit; else CG_EINPUT if runs
 * were skipped.
 */
static int
compare_runs(const struct diff *d, struct noise *noise)
{
	int status = read_runs(noise);

	if (status == CG_OK && !judge_runs(noise))
		status = cg_nomem(noise->args->job);
	if (status == CG_OK && writes_profile(d->args))
		status = write_means(d->args, noise);
	if (status == CG_OK)
		status = print_judgement(noise, d->top);
	if (status == CG_OK)
		status = check_fail_over(noise, &d->limit);
	cg_slots_free(&noise->files.ids);
	return status == CG_OK && noise->skipped > 0 ? CG_EINPUT : status;
}

/*
 * Compares several runs before and after a change: judges, writes and prints
 * the changes, and checks --fail-over. Returns the status: EXIT_BELOW if its
 * limit is exceeded, else CG_EINPUT if runs were skipped.
 */
static int
diff_runs(struct diff *d)
{
	struct args args = *d->args;
	int status;

	args.job = cg_job_clone(d->args->job);
	if (args.job == NULL)
		return cg_nomem(d->args->job);
	d->noise.args = &args;
	status = compare_runs(d, &d->noise);
	cg_job_free(args.job);
	return status;
}

/* ---- Command ------------------------------------------------------------ */

/*
 * Sets d->to: text goes to standard error if a profile goes to standard
 * output. Writes the profile of the difference if -o or -t asks for it. A
 * format with one event gets that of --event. Returns the status.
 */
static int
write_profile(struct diff *d)
{
	const struct args *args = d->args;

	d->to = text_stream(args);
	return writes_profile(args) ? write_difference(args) : CG_OK;
}

static int
run(struct diff *d)
{
	struct args *args = d->args;
	unsigned how = (args->side_by_side ? CG_DIFF_SIDE_BY_SIDE : 0) |
		       (args->normalize ? CG_DIFF_NORMALIZE : 0);
	int status = CG_OK;

	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = open_profile(&d->profile[s], args->input[s]);
	if (status == CG_OK)
		status = find_events(d);
	for (int s = 0; s < 2 && status == CG_OK && d->events > 0; s++)
		d->samples[s] = count_samples(
		    d->profile[s].graph, d->event[d->ranked].column[s]);
	if (status == CG_OK)
		status = cg_job_diff(args->job, d->profile[BEFORE].job,
		    d->profile[AFTER].job, how, &d->graph);
	if (status == CG_OK)
		status = find_lost(args->job, d->profile, &d->lost);
	if (status == CG_OK)
		status = sum_events(d);
	if (status == CG_OK)
		status = compute_values(d);
	if (status == CG_OK)
		status = judge_pair(d);
	if (status == CG_OK)
		status = write_profile(d);
	/* Inputs that were read in part are compared, too. */
	if (status != CG_OK &&
	    !(status == CG_EINPUT && cg_job_skipped(args->job)))
		return status;
	if (args->json && !print_json(d))
		return cg_nomem(args->job);
	if (args->markdown)
		print_noise_markdown(d->to, &d->noise, d->top);
	else if (!args->json && (!args->quiet || !writes_profile(args)))
		print_all(d);
	if (status == CG_OK && d->judged)
		status = check_fail_over(&d->noise, &d->limit);
	return status;
}

static bool
reads_stdin(const struct args *args)
{
	size_t i = 0;

	while (i < args->inputs && strcmp(args->input[i], "-") != 0)
		i++;
	return i < args->inputs;
}

/*
 * Checks the options of --diff against each other and the number of files,
 * before a file is read, and sets d->top, d->limit and the error rate. Returns
 * the status: CG_EUSAGE (reported) for the first fault.
 */
static int
check_args(struct diff *d)
{
	struct args *args = d->args;
	bool many =
	    args->split > 0 && args->inputs > args->split && args->inputs > 2;
	int status =
	    parse_top(args, args->json ? SIZE_MAX : TOP_DEFAULT, &d->top);

	if (status == CG_OK && args->inputs != 2 && !many)
		status = cg_usage(args->job,
		    "--diff needs two files, or runs before and after with -- "
		    "between them");
	if (status == CG_OK && args->json && args->markdown)
		status = cg_usage(args->job,
		    "--diff prints one form only: choose one of its options");
	if (status == CG_OK && many && writes_profile(args) &&
	    reads_stdin(args))
		status = cg_usage(args->job,
		    "several runs are read twice for -o or -t: give files, "
		    "not standard input");
	if (status == CG_OK && many && args->side_by_side &&
	    !writes_profile(args))
		status = cg_usage(args->job,
		    "--side-by-side needs -o or -t where there are several "
		    "runs");
	if (status == CG_OK)
		status = parse_fail_over(args, &d->limit);
	return status == CG_OK ? parse_error_rate(args, &d->noise.error_rate)
			       : status;
}

int
diff(struct args *args)
{
	struct diff d = { .args = args, .noise.args = args };
	int status = check_args(&d);

	if (status != CG_OK)
		return status;
	/* Numbers of processes and threads differ between runs. */
	cg_job_set_identity(args->job, CG_IDENTITY_ROOTS);
	if (args->inputs > 2)
		return diff_runs(&d);
	for (int s = 0; s < 2; s++) {
		d.profile[s].job = cg_job_clone(args->job);
		/* The text shows functions only; a profile needs rows, too. */
		if (d.profile[s].job && !writes_profile(args))
			cg_job_set_sums_only(d.profile[s].job, true);
	}
	status = d.profile[BEFORE].job && d.profile[AFTER].job
		     ? run(&d)
		     : cg_nomem(args->job);
	for (int s = 0; s < 2; s++) {
		close_profile(&d.profile[s]);
		cg_job_free(d.profile[s].job);
	}
	return status;
}
