/*
 * verify.c - --verify A B: does the second profile say what the first does?
 *
 * Both are read again and compared by what their formats can hold; what one
 * of them cannot is listed, and no difference.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "../cmd.h"

/* So many differences of a kind are shown; with -v, all of them. */
#define SHOWN 10

static const char *const kind_name[DIFFERENCES] = {
	[DIFF_TOTAL] = "total",
	[DIFF_SELF] = "self",
	[DIFF_INCLUSIVE] = "inclusive",
	[DIFF_COUNT] = "count of calls",
	[DIFF_CALL] = "cost of calls",
	[DIFF_LINE] = "line",
	[DIFF_LABEL] = "label",
};

/* ---- Reading ------------------------------------------------------------- */

/* Stacks tell calls; what is read only is as its reader leaves it. */
static cg_facts
facts_held(const struct side *side)
{
	cg_facts facts =
	    side->format->write ? side->format->carries : side->found;

	if ((facts | side->found) & CG_STACKS)
		facts |= CG_CALLS | CG_INCL;
	return facts | side->found;
}

static int
read_side(struct verify *v, int s, const char *path)
{
	struct side *side = &v->side[s];
	int status;

	if (side->job == NULL)
		return cg_nomem(v->args->job);
	status = open_side(side, path);
	if (status == CG_OK)
		side->holds = facts_held(side);
	return status;
}

/* The deepest level of recursion among names: 3 for "f'3". */
static uint64_t
deepest_level(const struct cg_graph *graph)
{
	uint64_t deepest = 1, level;

	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		struct cg_slice name = cg_fn_name(graph, fn);
		size_t at = name.len;

		while (at > 0 && name.ptr[at - 1] >= '0' &&
		       name.ptr[at - 1] <= '9')
			at--;
		if (at < 2 || name.ptr[at - 1] != '\'')
			continue;
		name.ptr += at;
		name.len -= at;
		if (cg_take_u64(&name, &level) && level > deepest)
			deepest = level;
	}
	return deepest;
}

/* Stacks become calls as those of the other profile did. */
static int
derive_side(struct verify *v, int s)
{
	struct side *side = &v->side[s];
	const struct side *other = &v->side[1 - s];
	int status;

	if ((side->found & CG_STACKS) && !(other->found & CG_STACKS))
		cg_job_set_levels(side->job, deepest_level(other->graph));
	status = cg_job_derive(side->job, CG_INCL | CG_CALLS);
	if (status != CG_OK)
		return status;
	side->sums = cg_sums_new(side->graph, CG_ALL_PARTS, true);
	side->rows = cg_rows_new(side->graph);
	return cg_job_status(side->job);
}

/* ---- What is said -------------------------------------------------------- */

static const struct cg_event *
event_of(const struct verify *v, size_t event, int s)
{
	return cg_get_event(v->side[s].graph, v->event[event].column[s]);
}

static void
print_value(const struct verify *v, size_t event, int s, uint64_t value)
{
	if (event_of(v, event, s)->is_signed)
		printf("%" PRId64, (int64_t)value);
	else
		printf("%" PRIu64, value);
}

static void
print_function(const struct verify *v, size_t group)
{
	const struct same *same = &v->same[v->first[group]];

	put_function(stdout, same->name, 0, same->file, same->object);
}

static void
print_total(struct verify *v, size_t event, const uint64_t value[2])
{
	const char *name[2] = { event_of(v, event, 0)->name,
		event_of(v, event, 1)->name };

	fputs("Total  ", stdout);
	put_safe(stdout, cg_slice(name[0]));
	if (strcmp(name[0], name[1]) != 0) {
		fputs(" (B: ", stdout);
		put_safe(stdout, cg_slice(name[1]));
		putchar(')');
	}
	fputs("  ", stdout);
	print_value(v, event, 0, value[0]);
	fputs(value[0] == value[1] ? " = " : " is not ", stdout);
	print_value(v, event, 1, value[1]);
	putchar('\n');
}

static void
print_pair(const struct verify *v, size_t event, const uint64_t value[2])
{
	put_safe(stdout, cg_slice(event_of(v, event, 0)->name));
	fputs(": ", stdout);
	print_value(v, event, 0, value[0]);
	fputs(" is not ", stdout);
	print_value(v, event, 1, value[1]);
	putchar('\n');
}

static void
print_difference(struct verify *v, enum difference kind,
    const struct where *where, size_t event, const uint64_t value[2])
{
	printf("  %s: ", kind_name[kind]);
	if (kind == DIFF_LABEL)
		put_label(stdout, where->label);
	else if (where->group != SIZE_MAX)
		print_function(v, where->group);
	if (kind == DIFF_COUNT || kind == DIFF_CALL) {
		fputs(" -> ", stdout);
		print_function(v, where->callee);
	}
	if (kind == DIFF_LINE) {
		fputs(where->group != SIZE_MAX ? ", " : "", stdout);
		put_safe(stdout, where->file);
		printf(":%" PRIu32, where->line);
	}
	if (kind == DIFF_COUNT) {
		printf(
		    ": %" PRIu64 " is not %" PRIu64 "\n", value[0], value[1]);
		return;
	}
	fputs(", ", stdout);
	print_pair(v, event, value);
}

/* ---- The same as JSON ---------------------------------------------------- */

static bool
add_function_json(
    struct verify *v, struct json_object *to, const char *key, size_t group)
{
	const struct same *same = &v->same[v->first[group]];
	struct json_object *json = json_object_new_object();

	return add_json(to, key, json) &&
	       add_json_text(json, "name", same->name) &&
	       add_json_text(json, "file", same->file) &&
	       add_json_text(json, "object", same->object);
}

static bool
add_label_json(struct json_object *json, const struct cg_label *label)
{
	bool ok = add_json_text(json, "key", label->key);

	if (label->value.len > 0)
		ok = ok && add_json_text(json, "value", label->value);
	else
		ok = ok && add_json(json, "number",
			       json_object_new_int64(label->number));
	return ok && (label->unit.len == 0 ||
			 add_json_text(json, "unit", label->unit));
}

/* Writes one element of "numbers" and frees it. */
static void
write_number(struct verify *v, struct json_object *json, bool ok)
{
	fputs(v->said++ ? ",\n" : "\n", stdout);
	ok = write_json(stdout, json) && ok;
	v->no_memory |= !ok;
}

static void
put_difference_json(struct verify *v, enum difference kind,
    const struct where *where, size_t event, const uint64_t value[2])
{
	static const char *const key[2] = { "a", "b" };
	struct json_object *json = json_object_new_object();
	bool ok = add_json_text(json, "kind", cg_slice(kind_name[kind]));

	if (where->group != SIZE_MAX)
		ok = ok && add_function_json(v, json, "function", where->group);
	if (kind == DIFF_COUNT || kind == DIFF_CALL)
		ok = ok && add_function_json(v, json, "callee", where->callee);
	if (kind == DIFF_LINE)
		ok = ok && add_json_text(json, "path", where->file) &&
		     add_json_u64(json, "line", where->line);
	if (kind == DIFF_LABEL)
		ok = ok && add_label_json(json, where->label);
	if (kind != DIFF_COUNT)
		ok = ok && add_json_text(json, "event",
			       cg_slice(event_of(v, event, 0)->name));
	for (int s = 0; s < 2; s++) {
		bool is_signed =
		    kind != DIFF_COUNT && event_of(v, event, s)->is_signed;

		ok = ok && add_json_amount(json, key[s],
			       is_signed ? amount_i64((int64_t)value[s])
					 : amount_u64(value[s]));
	}
	write_number(v, json, ok);
}

void
report_difference(struct verify *v, enum difference kind,
    const struct where *where, size_t event, const uint64_t value[2])
{
	/* Where lines are all that is compared, they tell. */
	bool differs =
	    value[0] != value[1] && !(kind == DIFF_TOTAL && v->by_file);

	v->count[kind] += differs;
	if (v->args->json)
		put_difference_json(v, kind, where, event, value);
	else if (kind == DIFF_TOTAL)
		print_total(v, event, value);
	else if (v->args->verbose || v->count[kind] <= SHOWN)
		print_difference(v, kind, where, event, value);
}

void
report_placeless(struct verify *v, const struct where *where, size_t event,
    const uint64_t value[2])
{
	if (v->args->json) {
		put_difference_json(v, DIFF_LINE, where, event, value);
		return;
	}
	fputs("Lost   costs of no file or line, ", stdout);
	print_pair(v, event, value);
}

/* ---- Head and end -------------------------------------------------------- */

/* What is in one and has no place in the other. */
static cg_facts
facts_lost(const struct verify *v, int from)
{
	return v->side[from].found & ~v->side[1 - from].holds;
}

static void
print_head(struct verify *v)
{
	char text[FACTS_ROOM];

	for (int s = 0; s < 2; s++) {
		printf("%c      ", 'A' + s);
		put_safe(stdout, cg_slice(v->side[s].path));
		printf(": %s\n", v->side[s].format->name);
	}
	for (int s = 0; s < 2; s++) {
		if (facts_lost(v, s) != 0)
			printf("Lost   %c (%s) cannot hold: %s\n", 'B' - s,
			    v->side[1 - s].format->name,
			    facts_text(text, facts_lost(v, s)));
	}
	if (v->by_file)
		puts("Lost   which function a line is of: "
		     "lines are compared by file");
}

static void
put_side_json(struct verify *v, int s)
{
	struct json_object *json = json_object_new_object();
	struct json_object *facts = json_object_new_array();
	cg_facts lost = facts_lost(v, 1 - s);
	const char *name;
	bool ok =
	    add_json_text(json, "path", cg_slice(v->side[s].path)) &&
	    add_json_text(json, "format", cg_slice(v->side[s].format->name)) &&
	    add_json(json, "cannot_hold", facts);

	for (unsigned bit = 0; ok && (name = cg_fact_name(bit)); bit++)
		if (lost & 1u << bit)
			ok = append_json(facts, json_slice(cg_slice(name)));
	printf("\"%c\":", 'a' + s);
	ok = write_json(stdout, json) && ok;
	puts(",");
	v->no_memory |= !ok;
}

static void
put_event_json(struct verify *v, int s, struct cg_slice name, bool could)
{
	struct json_object *json = json_object_new_object();
	const char side[] = { (char)('a' + s), '\0' };

	write_number(v, json,
	    add_json_text(json, "kind", cg_slice("event")) &&
		add_json_text(json, "event", name) &&
		add_json_text(json, "only_in", cg_slice(side)) &&
		add_json(json, "could", json_object_new_boolean(could)));
}

static void
report_event(struct verify *v, int s, size_t i, bool could)
{
	struct cg_slice name =
	    cg_slice(cg_get_event(v->side[s].graph, i)->name);

	v->missing += could;
	if (v->args->json) {
		put_event_json(v, s, name, could);
		return;
	}
	printf("%s event ", could ? "Miss  " : "Lost  ");
	put_safe(stdout, name);
	printf(" is in %c only\n", 'A' + s);
}

/*
 * Events that only one has: a difference if there are costs of them and the
 * other could hold them.
 */
static void
compare_events(struct verify *v)
{
	for (int s = 0; s < 2; s++) {
		const struct cg_graph *graph = v->side[s].graph;
		const struct side *other = &v->side[1 - s];
		bool could = (other->holds & CG_EVENTS) ||
			     cg_event_count(other->graph) == 0;

		for (size_t i = 0; i < cg_event_count(graph); i++) {
			size_t e = 0;

			while (e < v->events && v->event[e].column[s] != i)
				e++;
			if (e == v->events)
				report_event(v, s, i,
				    could && cg_event_has_costs(graph, i));
		}
	}
}

static uint64_t
sum_differences(const struct verify *v)
{
	uint64_t sum = v->missing;

	for (size_t i = 0; i < DIFFERENCES; i++)
		sum += v->count[i];
	return sum;
}

static void
print_end(const struct verify *v)
{
	for (size_t i = DIFF_SELF; i < DIFFERENCES; i++) {
		if (v->count[i] > SHOWN && !v->args->verbose)
			printf("  and %" PRIu64 " more of %s, shown with -v\n",
			    v->count[i] - SHOWN, kind_name[i]);
	}
	if (v->unsure > 0)
		printf("Unsure %zu inclusive costs that calls do not tell\n",
		    v->unsure);
	if (sum_differences(v) == 0)
		puts("Same   in all that both can hold");
	else
		printf("Differ in %" PRIu64 " numbers\n", sum_differences(v));
}

/*
 * Formats that know lines and no calls are those of coverage: lines are of
 * files there, and of which function is the reader's guess.
 */
static bool
has_lines_of_files(const struct side *side)
{
	return (side->holds & (CG_LINES | CG_CALLS)) == CG_LINES;
}

static void
report_labels(struct verify *v)
{
	for (size_t i = 0; i < v->labels; i++) {
		const struct label_difference *at = &v->label[i];
		const struct where where = { .group = SIZE_MAX,
			.label = &at->label };

		report_difference(v, DIFF_LABEL, &where, at->event, at->value);
	}
}

static int
compare(struct verify *v)
{
	int status;

	v->common = v->side[0].holds & v->side[1].holds;
	for (int s = 0; s < 2; s++)
		v->of_files[s] = has_lines_of_files(&v->side[s]);
	v->by_file =
	    (v->common & CG_LINES) && (v->of_files[0] || v->of_files[1]);
	/* Formats of stacks have costs and no numbers of samples beside. */
	v->counts = !(v->side[0].found & v->side[1].found & CG_STACKS);
	if (!match_functions(v))
		return cg_nomem(v->args->job);
	if (v->args->json) {
		fputs("{\"verify\":1,\n", stdout);
		put_side_json(v, 0);
		put_side_json(v, 1);
		printf("\"by_file\":%s,\n\"numbers\":[",
		    v->by_file ? "true" : "false");
	} else {
		print_head(v);
	}
	compare_events(v);
	status = compare_all(v);
	report_labels(v);
	if (v->args->json)
		printf("],\n\"differences\":%" PRIu64 ",\"unsure\":%zu}\n",
		    sum_differences(v), v->unsure);
	else if (status == CG_OK)
		print_end(v);
	if (v->no_memory)
		return cg_nomem(v->args->job);
	if (status == CG_OK && sum_differences(v) > 0)
		status = CG_EINPUT;
	return status;
}

int
verify(struct args *args)
{
	struct verify v = { .args = args };
	int status = CG_OK;

	if (args->inputs != 2)
		return cg_usage(args->job, "--verify needs two files");
	v.side[0].job = args->job;
	v.side[1].job = cg_job_clone(args->job);
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = read_side(&v, s, args->input[s]);
	if (status == CG_OK && (!match_events(&v) || !match_labels(&v)))
		status = cg_nomem(args->job);
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = derive_side(&v, s);
	if (status == CG_OK)
		status = compare(&v);
	/* What was left out was not compared; of A, the program says so. */
	if (status == CG_OK && cg_job_skipped(v.side[1].job))
		status = CG_EINPUT;
	for (int s = 0; s < 2; s++) {
		close_side(&v.side[s]);
		free(v.group[s]);
		free(v.file[s]);
		free(v.names[s]);
	}
	free(v.event);
	free(v.label);
	free(v.same);
	free(v.first);
	cg_job_free(v.side[1].job);
	return status;
}
