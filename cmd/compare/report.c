/*
 * report.c - prints the result of --verify, as text or as JSON.
 *
 * Differences are printed as they are found, as there may be many.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* Differences of a kind that are printed without -v. */
#define SHOWN 10

static const char *const kind_name[DIFFERENCES] = {
	[DIFF_TOTAL] = "total",
	[DIFF_SELF] = "self",
	[DIFF_INCLUSIVE] = "inclusive",
	[DIFF_COUNT] = "count of calls",
	[DIFF_CALL] = "cost of calls",
	[DIFF_LINE] = "line",
	[DIFF_LABEL] = "label",
	[DIFF_TIME] = "timeline",
	[DIFF_REGION] = "region",
};

static const struct cg_event *
event_of(const struct verify *v, size_t event, int s)
{
	return cg_get_event(v->profile[s].graph, v->event[event].column[s]);
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
	const struct matched_fn *same = &v->fns[v->first[group]];

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

static bool
add_function_json(
    struct verify *v, struct json_object *to, const char *key, size_t group)
{
	const struct matched_fn *same = &v->fns[v->first[group]];
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

/*
 * Writes an object to standard output as the next element of the array
 * "numbers", and releases it. "ok" is false if memory ran out while the caller
 * made the object. In this case, and if memory runs out here, sets
 * v->no_memory.
 */
static void
write_number(struct verify *v, struct json_object *json, bool ok)
{
	fputs(v->elements++ ? ",\n" : "\n", stdout);
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
	/*
	 * If lines are compared by file, a total is no difference: its lines
	 * are.
	 */
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

/* ---- Regions ------------------------------------------------------------- */

static void
print_region(struct cg_slice file, const struct cg_region *region,
    const bool has[2], const uint64_t count[2])
{
	printf("  %s: ", kind_name[DIFF_REGION]);
	put_safe(stdout, file);
	printf(":%" PRIu32 ":%" PRIu32 " to %" PRIu32 ":%" PRIu32 ", ",
	    region->line, region->column, region->last, region->last_column);
	if (has[0] && has[1])
		printf("count: %" PRId64 " is not %" PRId64 "\n",
		    (int64_t)count[0], (int64_t)count[1]);
	else
		printf("count %" PRId64 ": only in %s\n",
		    (int64_t)count[has[1]], has[0] ? "A" : "B");
}

/*
 * Writes a region (range of source text) as JSON, with its count in each
 * profile. Called if the counts differ. If a profile does not have the region,
 * has[] is false for that profile, and null is written for its count.
 */
static void
put_region_json(struct verify *v, struct cg_slice file,
    const struct cg_region *region, const bool has[2], const uint64_t count[2])
{
	static const char *const key[2] = { "a", "b" };
	struct json_object *json = json_object_new_object();
	bool ok =
	    add_json_text(json, "kind", cg_slice(kind_name[DIFF_REGION])) &&
	    add_json_text(json, "path", file) &&
	    add_json_u64(json, "line", region->line) &&
	    add_json_u64(json, "column", region->column) &&
	    add_json_u64(json, "last_line", region->last) &&
	    add_json_u64(json, "last_column", region->last_column);

	for (int s = 0; ok && s < 2; s++) {
		if (has[s])
			ok = add_json_amount(
			    json, key[s], amount_i64((int64_t)count[s]));
		else
			ok = json_object_object_add(json, key[s], NULL) == 0;
	}
	write_number(v, json, ok);
}

void
report_region(struct verify *v, struct cg_slice file,
    const struct cg_region *region, const bool has[2], const uint64_t count[2])
{
	v->count[DIFF_REGION]++;
	if (v->args->json)
		put_region_json(v, file, region, has, count);
	else if (v->args->verbose || v->count[DIFF_REGION] <= SHOWN)
		print_region(file, region, has, count);
}

/* ---- Timelines ----------------------------------------------------------- */

static const char *const time_what[] = {
	[TIME_TRACKS] = "threads",
	[TIME_COUNT] = "is there",
	[TIME_STACK] = "stack",
	[TIME_BEGIN] = "time",
	[TIME_COST] = "cost",
};

static void
print_side(const struct time_difference *difference, int s)
{
	switch (difference->what) {
	case TIME_COUNT:
		fputs(difference->value[s] ? "a sample" : "no more", stdout);
		break;
	case TIME_STACK:
		put_safe(stdout, cg_slice(difference->stack[s]));
		break;
	case TIME_BEGIN:
		printf("%" PRId64, (int64_t)difference->value[s]);
		break;
	case TIME_COST:
	case TIME_TRACKS: printf("%" PRIu64, difference->value[s]); break;
	}
}

static void
print_time(const struct verify *v, const struct time_difference *difference)
{
	const struct cg_track *track = &difference->track;

	fputs("  timeline: ", stdout);
	if (difference->what != TIME_TRACKS) {
		printf(
		    "pid %" PRIu64 " tid %" PRIu64 " ", track->pid, track->tid);
		put_safe(stdout, cg_slice(track->name));
		printf(", sample %" PRIu64, difference->number);
		fputs(", ", stdout);
	}
	put_safe(stdout, cg_slice(event_of(v, difference->event, 0)->name));
	printf(", %s: ", time_what[difference->what]);
	print_side(difference, 0);
	fputs(" is not ", stdout);
	print_side(difference, 1);
	putchar('\n');
}

static void
put_time_json(struct verify *v, const struct time_difference *difference)
{
	static const char *const key[2] = { "a", "b" };
	struct json_object *json = json_object_new_object();
	const struct cg_track *track = &difference->track;
	bool ok = add_json_text(json, "kind", cg_slice("timeline")) &&
		  add_json_text(
		      json, "what", cg_slice(time_what[difference->what])) &&
		  add_json_text(json, "event",
		      cg_slice(event_of(v, difference->event, 0)->name));

	if (difference->what != TIME_TRACKS)
		ok = ok && add_json_u64(json, "pid", track->pid) &&
		     add_json_u64(json, "tid", track->tid) &&
		     add_json_u64(json, "sample", difference->number);
	for (int s = 0; s < 2; s++)
		if (difference->what == TIME_STACK)
			ok = ok && add_json_text(json, key[s],
				       cg_slice(difference->stack[s]));
		else
			ok = ok &&
			     add_json_u64(json, key[s], difference->value[s]);
	write_number(v, json, ok);
}

void
report_time(struct verify *v, const struct time_difference *difference)
{
	v->count[DIFF_TIME]++;
	if (v->args->json)
		put_time_json(v, difference);
	else if (v->args->verbose || v->count[DIFF_TIME] <= SHOWN)
		print_time(v, difference);
}

void
report_unlocated(struct verify *v, const struct where *where, size_t event,
    const uint64_t value[2])
{
	if (v->args->json) {
		put_difference_json(v, DIFF_LINE, where, event, value);
		return;
	}
	fputs("Lost   costs of no file or line, ", stdout);
	print_pair(v, event, value);
}

/*
 * Returns the facts (kinds of data) of profile "from" (0 or 1) that the format
 * of the other profile cannot represent. They are not compared.
 */
static cg_facts
facts_lost(const struct verify *v, int from)
{
	return v->profile[from].found & ~v->profile[1 - from].can_represent;
}

static void
print_head(struct verify *v)
{
	char text[FACTS_ROOM];

	for (int s = 0; s < 2; s++) {
		printf("%c      ", 'A' + s);
		put_safe(stdout, cg_slice(v->profile[s].path));
		printf(": %s\n", v->profile[s].format->name);
	}
	for (int s = 0; s < 2; s++) {
		if (facts_lost(v, s) != 0)
			printf("Lost   %c (%s) cannot represent: %s\n", 'B' - s,
			    v->profile[1 - s].format->name,
			    facts_text(text, facts_lost(v, s)));
	}
	if (v->by_file)
		puts("Lost   which function a line is of: "
		     "lines are compared by file");
}

static void
put_profile_json(struct verify *v, int s)
{
	struct json_object *json = json_object_new_object();
	struct json_object *facts = json_object_new_array();
	cg_facts lost = facts_lost(v, 1 - s);
	const char *name;
	bool ok = add_json_text(json, "path", cg_slice(v->profile[s].path)) &&
		  add_json_text(
		      json, "format", cg_slice(v->profile[s].format->name)) &&
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
	const char profile[] = { (char)('a' + s), '\0' };

	write_number(v, json,
	    add_json_text(json, "kind", cg_slice("event")) &&
		add_json_text(json, "event", name) &&
		add_json_text(json, "only_in", cg_slice(profile)) &&
		add_json(json, "could", json_object_new_boolean(could)));
}

void
report_event(struct verify *v, int s, size_t i, bool could)
{
	struct cg_slice name =
	    cg_slice(cg_get_event(v->profile[s].graph, i)->name);

	v->missing += could;
	if (v->args->json) {
		put_event_json(v, s, name, could);
		return;
	}
	printf("%s event ", could ? "Miss  " : "Lost  ");
	put_safe(stdout, name);
	printf(" is in %c only\n", 'A' + s);
}

static void
put_unit_json(struct verify *v, struct cg_slice name, const char *const unit[2],
    bool could)
{
	struct json_object *json = json_object_new_object();

	write_number(v, json,
	    add_json_text(json, "kind", cg_slice("unit")) &&
		add_json_text(json, "event", name) &&
		add_json_text(json, "a", cg_slice(unit[0])) &&
		add_json_text(json, "b", cg_slice(unit[1])) &&
		add_json(json, "could", json_object_new_boolean(could)));
}

void
report_unit(
    struct verify *v, size_t event, const char *const unit[2], bool could)
{
	struct cg_slice name = cg_slice(
	    cg_get_event(v->profile[0].graph, v->event[event].column[0])->name);

	v->missing += could;
	if (v->args->json) {
		put_unit_json(v, name, unit, could);
		return;
	}
	printf("%s unit of event ", could ? "Differ" : "Lost  ");
	put_safe(stdout, name);
	fputs(": ", stdout);
	put_safe(stdout, cg_slice(*unit[0] ? unit[0] : "none"));
	fputs(" in A, ", stdout);
	put_safe(stdout, cg_slice(*unit[1] ? unit[1] : "none"));
	puts(" in B");
}

uint64_t
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
		printf("Unsure %zu inclusive cost%s not determined by calls\n",
		    v->unsure, v->unsure == 1 ? "" : "s");
	if (sum_differences(v) == 0)
		puts("Same   in all that both can represent");
	else
		printf("Differ in %" PRIu64 " number%s\n", sum_differences(v),
		    sum_differences(v) == 1 ? "" : "s");
}

void
report_head(struct verify *v)
{
	if (!v->args->json) {
		print_head(v);
		return;
	}
	fputs("{\"verify\":1,\n", stdout);
	put_profile_json(v, 0);
	put_profile_json(v, 1);
	printf("\"by_file\":%s,\n\"numbers\":[", v->by_file ? "true" : "false");
}

void
report_end(const struct verify *v, bool complete)
{
	if (v->args->json)
		printf("],\n\"differences\":%" PRIu64 ",\"unsure\":%zu}\n",
		    sum_differences(v), v->unsure);
	else if (complete)
		print_end(v);
}
