/*
 * info_json.c - --info --json: a summary of the inputs for scripts.
 *
 * One JSON object; the man page documents its members. Parts and functions are
 * written one by one, a line each: all of them may not fit into memory as
 * JSON. Arrays of costs have one number for each element of "events".
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

struct summary {
	const struct args *args;
	const struct cg_graph *graph;
	const struct cg_sums *sums;
	size_t columns; /* events, then formulas */
	size_t ranked;  /* the column that functions are sorted by */
	uint64_t *cost; /* room for a cost vector */
};

struct ranked_fn {
	cg_fn fn;
	size_t rank; /* in canonical order */
	struct amount key;
};

/*
 * Writes a member of the outermost JSON object with a comma, and frees value.
 * complete: false if memory ran out when value was made. Returns false then,
 * or if memory runs out now.
 */
static bool
write_member(const char *key, struct json_object *value, bool complete)
{
	printf("\"%s\":", key);
	complete = write_json(stdout, value) && complete;
	puts(",");
	return complete;
}

static bool
write_inputs(const struct cg_job *job)
{
	struct json_object *inputs = json_object_new_array();
	struct json_object *objects = json_object_new_array();
	struct cg_detected found;
	const char *path;
	bool ok = true;

	for (size_t i = 0; ok && (path = cg_job_source(job, i, &found)); i++) {
		struct json_object *input = json_object_new_object();

		ok = append_json(inputs, input) &&
		     add_json_text(input, "path", cg_slice(path)) &&
		     add_json_text(
			 input, "format", cg_slice(found.module->name)) &&
		     (found.filters[0] == '\0' ||
			 add_json_text(
			     input, "compression", cg_slice(found.filters)));
	}
	for (size_t i = 0; ok && (path = cg_job_object(job, i)); i++)
		ok = append_json(objects, json_slice(cg_slice(path)));
	ok = write_member("inputs", inputs, ok);
	return write_member("executables", objects, ok);
}

static bool
write_size(const struct summary *summary, cg_facts facts)
{
	const struct cg_graph *graph = summary->graph;
	struct json_object *contains = json_object_new_array();
	struct json_object *size = json_object_new_object();
	const char *name;
	bool ok = true;

	for (unsigned bit = 0; ok && (name = cg_fact_name(bit)); bit++)
		if (facts & 1u << bit)
			ok = append_json(contains, json_slice(cg_slice(name)));
	ok = write_member("contains", contains, ok);
	ok = ok && add_json_u64(size, "objects", cg_object_count(graph)) &&
	     add_json_u64(size, "files", cg_file_count(graph)) &&
	     add_json_u64(size, "functions", cg_fn_count(graph)) &&
	     add_json_u64(size, "cycles", cg_cycle_count(summary->sums)) &&
	     add_json_u64(size, "parts", cg_part_count(graph));
	return write_member("size", size, ok);
}

static bool
write_labels(const struct labels *labels)
{
	struct json_object *keys = json_object_new_array();
	struct cg_slice key;
	size_t values;
	bool ok = true;

	for (size_t i = 0; ok && next_label_key(labels, &i, &key, &values);) {
		struct json_object *label = json_object_new_object();

		ok = append_json(keys, label) &&
		     add_json_text(label, "key", key) &&
		     add_json_u64(label, "values", values);
	}
	return write_member("labels", keys, ok);
}

/*
 * Adds the begin, the end and the longest gap of a track (timeline of a
 * thread) to a JSON object, in nanoseconds. Adds nothing if the track has no
 * times in nanoseconds. False: out of memory.
 */
static bool
add_times(struct json_object *to, const struct track_times *times)
{
	const struct cg_track *track = &times->track;

	if (!is_timed(track))
		return true;
	return add_json(to, "begin", json_object_new_int64(track->begin)) &&
	       add_json(to, "end", json_object_new_int64(track->end)) &&
	       add_json_u64(to, "longest_gap", times->gap) &&
	       add_json(to, "gap_begins", json_object_new_int64(times->gap_at));
}

static bool
write_tracks(const struct tracks *tracks)
{
	struct json_object *array = json_object_new_array();
	bool ok = true;

	for (size_t i = 0; ok && i < tracks->count; i++) {
		const struct cg_track *track = &tracks->of[i].track;
		struct json_object *json = json_object_new_object();

		ok = append_json(array, json) &&
		     add_json_u64(json, "part", track->part + 1) &&
		     add_json_u64(json, "pid", track->pid) &&
		     add_json_u64(json, "tid", track->tid) &&
		     add_json_text(json, "name", cg_slice(track->name)) &&
		     add_json_u64(json,
			 track->spans ? "begins_and_ends" : "samples",
			 track->moments) &&
		     add_times(json, &tracks->of[i]);
	}
	return write_member("timeline", array, ok);
}

static bool
write_events(const struct summary *summary, const uint64_t *totals)
{
	struct json_object *events = json_object_new_array();
	const struct amount unknown = { 0 };
	const struct cg_event *event;
	bool ok = true;

	for (size_t i = 0; ok && i < summary->columns; i++) {
		struct json_object *json = json_object_new_object();

		event = column_event(summary->graph, i);
		ok = append_json(events, json) &&
		     add_json_text(json, "name", cg_slice(event->name)) &&
		     add_json_text(
			 json, "long_name", cg_slice(event->long_name)) &&
		     add_json_text(json, "unit", cg_slice(event->unit)) &&
		     (event->formula[0] == '\0' ||
			 add_json_text(
			     json, "formula", cg_slice(event->formula))) &&
		     add_json_amount(json, "total",
			 totals != NULL
			     ? column_amount(summary->graph, i, totals)
			     : unknown);
	}
	return write_member("events", events, ok);
}

/*
 * Adds a member "key" to a JSON object: an array with the cost of each event,
 * and then of each formula. cost[] has the cost of each event; the formulas
 * are computed from it. False: out of memory.
 */
static bool
add_costs(const struct summary *summary, struct json_object *to,
    const char *key, const uint64_t *cost)
{
	struct json_object *values = json_object_new_array();
	bool ok = add_json(to, key, values);

	for (size_t i = 0; ok && i < summary->columns; i++)
		ok = append_json_amount(
		    values, column_amount(summary->graph, i, cost));
	return ok;
}

static bool
add_descriptions(
    const struct cg_graph *graph, cg_part part, struct json_object *to)
{
	struct json_object *all = json_object_new_array();
	const char *key, *value;
	bool ok = add_json(to, "descriptions", all);

	for (size_t i = 0; ok && cg_part_desc(graph, part, i, &key, &value);
	     i++) {
		struct json_object *pair = json_object_new_array();

		ok = append_json(all, pair) &&
		     append_json(pair, json_slice(cg_slice(key))) &&
		     append_json(pair, json_slice(cg_slice(value)));
	}
	return ok;
}

static bool
write_part(const struct summary *summary, cg_part part)
{
	const struct cg_part_info *info = cg_get_part(summary->graph, part);
	struct json_object *json = json_object_new_object();
	bool ok = add_json_u64(json, "pid", info->pid) &&
		  add_json_u64(json, "tid", info->tid) &&
		  add_json_u64(json, "part", info->part) &&
		  add_json_text(json, "command", cg_slice(info->cmd)) &&
		  add_descriptions(summary->graph, part, json) &&
		  add_costs(summary, json, "totals",
		      cg_part_totals(summary->graph, part));

	return write_json(stdout, json) && ok;
}

static void
fill_cost(const struct summary *summary, cg_fn fn, bool inclusive)
{
	for (size_t i = 0; i < cg_event_count(summary->graph); i++)
		summary->cost[i] = inclusive
				       ? cg_sum_inclusive(summary->sums, fn, i)
				       : cg_sum_self(summary->sums, fn, i);
}

/*
 * Writes a JSON member "cycles", an array of cycles (functions that call each
 * other), in order of their numbers. Writes at most "most" cycles. Uses
 * summary->cost as working memory. False: out of memory.
 */
static bool
write_cycles(const struct summary *summary, size_t most)
{
	const struct cg_sums *sums = summary->sums;
	size_t events = cg_event_count(summary->graph);
	size_t count = cg_cycle_count(sums);
	struct json_object *cycles = json_object_new_array();
	bool ok = true;

	for (uint32_t cycle = 1; ok && cycle <= count && cycle <= most;
	     cycle++) {
		struct json_object *json = json_object_new_object();

		ok =
		    append_json(cycles, json) &&
		    add_json_u64(json, "cycle", cycle) &&
		    add_json_u64(json, "calls", cg_cycle_calls_in(sums, cycle));
		for (size_t i = 0; i < events; i++)
			summary->cost[i] = cg_cycle_inclusive(sums, cycle, i);
		ok = ok && add_costs(summary, json, "inclusive", summary->cost);
		for (size_t i = 0; i < events; i++)
			summary->cost[i] = cg_cycle_self(sums, cycle, i);
		ok = ok && add_costs(summary, json, "self", summary->cost);
	}
	return write_member("cycles", cycles, ok);
}

static bool
has_cost(const struct summary *summary)
{
	for (size_t i = 0; i < cg_event_count(summary->graph); i++)
		if (summary->cost[i] != 0)
			return true;
	return false;
}

/*
 * Compares functions for qsort(): largest cost first; equal ones by their
 * rank, which is the same in each run.
 */
static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked_fn *a = pa, *b = pb;
	int order = compare_amounts(b->key, a->key);

	return order != 0 ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/*
 * Fills ranked[] with the functions that have a self or inclusive cost of any
 * event, and returns their number. ranked[] must have room for all functions
 * and function 0. The functions are sorted by inclusive cost in the column
 * summary->ranked (an event or formula), largest first. Function 0 (unknown)
 * is listed only if it has self costs, as its inclusive cost is the total.
 */
static size_t
rank_functions(const struct summary *summary, struct ranked_fn *ranked)
{
	size_t count = cg_fn_count(summary->graph), n = 0;

	for (size_t rank = 0; rank <= count; rank++) {
		cg_fn fn = cg_fn_ranked(summary->graph, rank);
		bool has_self;

		fill_cost(summary, fn, false);
		has_self = has_cost(summary);
		fill_cost(summary, fn, true);
		/* The inclusive cost of the unknown caller is the total. */
		if (!has_self && (fn == 0 || !has_cost(summary)))
			continue;
		ranked[n++] = (struct ranked_fn){ fn, rank,
			column_amount(
			    summary->graph, summary->ranked, summary->cost) };
	}
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	return n;
}

static bool
write_function(const struct summary *summary, cg_fn fn)
{
	const struct cg_graph *graph = summary->graph;
	struct json_object *json = json_object_new_object();
	uint32_t cycle = cg_sum_cycle(summary->sums, fn);
	bool ok =
	    add_json_text(json, "name", cg_fn_name(graph, fn)) &&
	    add_json_text(
		json, "file", cg_file_path(graph, cg_fn_file(graph, fn))) &&
	    add_json_text(json, "object",
		cg_object_path(graph, cg_fn_object(graph, fn))) &&
	    (cycle == 0 || add_json_u64(json, "cycle", cycle)) &&
	    add_json_u64(json, "calls", cg_sum_calls_in(summary->sums, fn));

	fill_cost(summary, fn, true);
	ok = ok && add_costs(summary, json, "inclusive", summary->cost);
	fill_cost(summary, fn, false);
	ok = ok && add_costs(summary, json, "self", summary->cost);
	return write_json(stdout, json) && ok;
}

static bool
write_functions(const struct summary *summary, size_t most)
{
	size_t fns = cg_fn_count(summary->graph) + 1, count;
	struct ranked_fn *ranked =
	    cg_alloc(summary->args->job, fns * sizeof(*ranked));
	bool ok = true;

	if (ranked == NULL)
		return false;
	count = rank_functions(summary, ranked);
	for (size_t i = 0; ok && i < count && i < most; i++) {
		puts(i > 0 ? "," : "");
		ok = write_function(summary, ranked[i].fn);
	}
	return ok;
}

static bool
write_summary(
    const struct summary *summary, const struct contents *contents, size_t most)
{
	const struct cg_graph *graph = summary->graph;
	bool summed = sum_parts(graph, summary->cost), ok;

	puts("{\"info\":1,");
	ok = write_inputs(summary->args->job) &&
	     write_size(summary, contents->facts) &&
	     (contents->coverage == NULL ||
		 write_member("coverage", json_counts(contents->coverage, most),
		     true)) &&
	     write_labels(&contents->labels) &&
	     write_tracks(&contents->tracks) &&
	     write_events(summary, summed ? summary->cost : NULL);
	if (ok && summary->columns > 0)
		ok = write_member("sorted_by",
		    json_slice(
			cg_slice(column_event(graph, summary->ranked)->name)),
		    true);
	fputs("\"parts\":[", stdout);
	for (cg_part part = 0; ok && part < cg_part_count(graph); part++) {
		puts(part > 0 ? "," : "");
		ok = write_part(summary, part);
	}
	puts("],");
	if (ok && cg_cycle_count(summary->sums) > 0)
		ok = write_cycles(summary, most);
	fputs("\"functions\":[", stdout);
	if (ok && summary->columns > 0)
		ok = write_functions(summary, most);
	puts("]}");
	return ok;
}

int
print_info_json(const struct args *args, const struct cg_graph *graph,
    const struct cg_sums *sums, const struct contents *contents, size_t column,
    size_t count)
{
	struct summary summary = { .args = args,
		.graph = graph,
		.sums = sums,
		.columns = cg_event_count(graph) + cg_formula_count(graph),
		.ranked = column };

	summary.cost =
	    cg_alloc(args->job, cg_event_count(graph) * sizeof(*summary.cost));
	return summary.cost != NULL && write_summary(&summary, contents, count)
		   ? CG_OK
		   : cg_nomem(args->job);
}
