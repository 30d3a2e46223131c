/*
 * merge_manifests.c - --merge-manifests FILE...: merges the manifests of all
 * shards of a batch (parts of its inputs, each converted by another run),
 * checks that no shard is missing and that no input is in two of them, and
 * prints the totals.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define ERRORS_SHOWN 10 /* printed of each kind */
#define FAILURES_SHOWN 20

struct sums {
	size_t inputs, merged, state[STATES];
	uint64_t micros;
};

struct entry {
	char *name, *error, *totals;
	size_t line; /* its number; the last line of an input counts */
	size_t manifest;
	uint64_t micros;
	enum state state;
};

struct manifest {
	const char *path;
	struct line header;
	uint64_t number, count; /* number and count of shards */
	bool refused;           /* excluded from the totals, and reported */
	struct sums sums;
};

struct event_total {
	char *name;
	int64_t low; /* sum of negative costs */
	uint64_t sum;
	bool overflow, minus;
};

struct manifests {
	struct cg_job *job;
	struct manifest *manifest;
	size_t manifests;
	struct entry *entry;
	size_t entries, cap;
	struct event_total *event;
	size_t events, event_cap;
	size_t faults; /* errors in the manifests themselves */
};

static void CG_PRINTF(3, 4) report_error(
    struct manifests *manifests, const char *path, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_safe(stderr, cg_slice(path != NULL ? path : "cgconv"));
	fputs(": error: ", stderr);
	vfprintf(stderr, fmt, args);
	putc('\n', stderr);
	va_end(args);
	manifests->faults++;
}

/* ---- Reading ------------------------------------------------------------ */

static void
free_entry(struct entry *entry)
{
	free(entry->name);
	free(entry->error);
	free(entry->totals);
}

static bool
add_entry(struct manifests *manifests, const struct line *line, size_t manifest)
{
	struct entry *entry;

	if (!cg_grow(&manifests->entry, &manifests->cap, manifests->entries + 1,
		sizeof(*entry)))
		return false;
	entry = &manifests->entry[manifests->entries];
	*entry =
	    (struct entry){ .name = line->member != NULL
					? join_path(line->input, line->member)
					: strdup(line->input),
		    .line = manifests->entries,
		    .manifest = manifest,
		    .micros = line->micros };
	for (int s = 0; s < STATES; s++)
		if (strcmp(line->status, state_name[s]) == 0)
			entry->state = (enum state)s;
	manifests->entries++;
	if (line->error != NULL)
		entry->error = strdup(line->error);
	if (line->totals != NULL)
		entry->totals = json_text(json_object_get(line->totals));
	return entry->name && (!line->error || entry->error) &&
	       (!line->totals || entry->totals);
}

static bool
take_header(struct manifest *manifest, struct line *line)
{
	struct cg_slice text = cg_slice(line->shard != NULL ? line->shard : "");
	uint64_t number, count;

	if (!line->options || !line->list || !cg_take_u64(&text, &number) ||
	    !cg_take_char(&text, '/') || !cg_take_u64(&text, &count) ||
	    text.len != 0 || number == 0 || number > count ||
	    count > CG_SHARD_MAX)
		return false;
	free_line(&manifest->header);
	manifest->header = *line;
	manifest->number = number;
	manifest->count = count;
	*line = (struct line){ 0 };
	return true;
}

static int
read_manifest(struct manifests *manifests, size_t number)
{
	struct manifest *manifest = &manifests->manifest[number];
	FILE *file = fopen(manifest->path, "re");
	char *text = NULL;
	size_t size = 0, lines = 0;
	bool ok = true;
	ssize_t n;

	if (file == NULL) {
		report_error(manifests, manifest->path, "cannot open: %s",
		    strerror(errno));
		return CG_OK;
	}
	while (ok && (n = getline(&text, &size, file)) > 0) {
		struct line line = { 0 };
		bool whole =
		    text[n - 1] == '\n' &&
		    parse_line((struct cg_slice){ text, (size_t)n }, &line);

		lines++;
		if (line.totals != NULL &&
		    !json_object_is_type(line.totals, json_type_object))
			line.totals = NULL;
		if (!whole || (lines == 1 && !line.version) ||
		    (line.version && !take_header(manifest, &line)))
			report_error(manifests, manifest->path,
			    "line %zu: not a line of a manifest", lines);
		else if (line.input != NULL)
			ok = add_entry(manifests, &line, number);
		free_line(&line);
	}
	free(text);
	if (lines == 0)
		report_error(
		    manifests, manifest->path, "the manifest is empty");
	(void)fclose(file);
	return ok ? CG_OK : cg_nomem(manifests->job);
}

/* ---- Checking ----------------------------------------------------------- */

/*
 * Returns why a manifest cannot be merged with the first one, "" if that was
 * reported before. NULL: it can be merged; its shard is marked in seen[], and
 * refused from then on.
 */
static const char *
why_refused(
    const struct manifest *manifest, const struct manifest *first, bool *seen)
{
	const struct line *a = &manifest->header, *b = &first->header;

	if (manifest->count == 0)
		return ""; /* already reported */
	if (manifest->count != first->count || strcmp(a->list, b->list) != 0 ||
	    a->of != b->of)
		return "it belongs to a different batch than the first";
	if (!json_object_equal(a->options, b->options) ||
	    strcmp(a->version, b->version) != 0)
		return "its options differ from those of the first";
	if (seen[manifest->number])
		return "this shard is given twice";
	seen[manifest->number] = true;
	return NULL;
}

static void
check_manifests(struct manifests *manifests)
{
	const struct manifest *first = &manifests->manifest[0];
	bool *seen = NULL;
	uint64_t missing = 0;

	if (first->count > 0)
		seen = calloc((size_t)first->count + 1, sizeof(*seen));
	for (size_t i = 0; seen != NULL && i < manifests->manifests; i++) {
		struct manifest *manifest = &manifests->manifest[i];
		const char *why = why_refused(manifest, first, seen);

		manifest->refused = why != NULL;
		if (why != NULL && *why != '\0')
			report_error(manifests, manifest->path, "%s", why);
	}
	for (uint64_t i = 1; seen != NULL && i <= first->count; i++) {
		missing += !seen[i];
		if (!seen[i] && missing <= ERRORS_SHOWN)
			report_error(manifests, NULL,
			    "shard %" PRIu64 "/%" PRIu64 " is missing", i,
			    first->count);
	}
	if (missing > ERRORS_SHOWN)
		report_error(manifests, NULL, "and %" PRIu64 " more shards",
		    missing - ERRORS_SHOWN);
	free(seen);
}

static int
compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* ---- Totals ------------------------------------------------------------- */

static bool
add_total(
    struct manifests *manifests, const char *name, uint64_t size, bool minus)
{
	struct event_total *event;
	size_t i = 0;

	while (i < manifests->events &&
	       strcmp(manifests->event[i].name, name) != 0)
		i++;
	if (i == CG_EVENT_MAX ||
	    !cg_grow(&manifests->event, &manifests->event_cap, i + 1,
		sizeof(*event)))
		return false;
	event = &manifests->event[i];
	if (i == manifests->events) {
		event->name = strdup(name);
		if (event->name == NULL)
			return false;
		manifests->events++;
	}
	event->minus |= minus;
	if (minus ? __builtin_sub_overflow(event->low, size, &event->low)
		  : __builtin_add_overflow(event->sum, size, &event->sum))
		event->overflow = true;
	return true;
}

static bool
add_totals(struct manifests *manifests, const char *text)
{
	struct json_object *totals = parse_json(cg_slice(text));
	struct json_object_iter at;
	bool ok = true;

	if (totals == NULL)
		return false;
	json_object_object_foreachC(totals, at)
	{
		int64_t value = json_object_get_int64(at.val);

		/* Totals that are not integers were not written by cgconv. */
		if (ok && json_object_is_type(at.val, json_type_int))
			ok = add_total(manifests, at.key,
			    value < 0 ? 0 - (uint64_t)value
				      : json_object_get_uint64(at.val),
			    value < 0);
	}
	json_object_put(totals);
	return ok;
}

/*
 * Frees the entries (lines of inputs) of manifests that were refused, and
 * closes the gaps.
 */
static void
drop_refused(struct manifests *manifests)
{
	struct entry *entry = manifests->entry;
	size_t count = 0;

	for (size_t i = 0; i < manifests->entries; i++) {
		if (manifests->manifest[entry[i].manifest].refused)
			free_entry(&entry[i]);
		else
			entry[count++] = entry[i];
	}
	manifests->entries = count;
}

/*
 * Counts the finished inputs by shard and state, and sums their costs, without
 * refused manifests. An input counts by its last line in a manifest. An input
 * in two shards is reported, and counts in both. False: out of memory, or too
 * many events.
 */
static bool
sum_entries(struct manifests *manifests)
{
	struct entry *entry = manifests->entry;
	size_t twice = 0;
	bool ok = true;

	drop_refused(manifests);
	if (manifests->entries > 0)
		qsort(
		    entry, manifests->entries, sizeof(*entry), compare_entries);
	for (size_t i = 0; ok && i < manifests->entries; i++) {
		struct sums *sums =
		    &manifests->manifest[entry[i].manifest].sums;
		bool restarted = i + 1 < manifests->entries &&
				 strcmp(entry[i].name, entry[i + 1].name) == 0;

		if (restarted && entry[i].manifest == entry[i + 1].manifest)
			continue; /* a later line replaces it */
		if (restarted && ++twice <= ERRORS_SHOWN)
			report_error(manifests, entry[i].name,
			    "it is listed in two shards");
		sums->merged++;
		sums->state[entry[i].state]++;
		sums->micros += entry[i].micros;
		if (entry[i].state == DONE && entry[i].totals != NULL)
			ok = add_totals(manifests, entry[i].totals);
	}
	if (twice > ERRORS_SHOWN)
		report_error(manifests, NULL, "and %zu more inputs",
		    twice - ERRORS_SHOWN);
	for (size_t i = 0; i < manifests->manifests; i++)
		if (!manifests->manifest[i].refused)
			manifests->manifest[i].sums.inputs =
			    (size_t)manifests->manifest[i].header.inputs;
	return ok;
}

/* ---- Showing ------------------------------------------------------------ */

static size_t
count_missing(const struct sums *sums)
{
	return sums->inputs > sums->merged ? sums->inputs - sums->merged : 0;
}

static void
show_row(const char *name, const struct sums *sums)
{
	put_safe(stdout, cg_slice(name));
	printf("%*s %9zu %9zu %7zu %8zu %6zu %8zu %11.1f\n",
	    strlen(name) < 8 ? (int)(8 - strlen(name)) : 0, "", sums->inputs,
	    sums->state[DONE], sums->state[FAILED], sums->state[SKIPPED],
	    sums->state[UP_TO_DATE], count_missing(sums),
	    (double)sums->micros / 1e6);
}

static void
show_failures(const struct manifests *manifests, size_t failed)
{
	size_t shown = 0;

	for (size_t i = 0; i < manifests->entries && shown < FAILURES_SHOWN;
	     i++) {
		const struct entry *entry = &manifests->entry[i];

		if (entry->state != FAILED ||
		    (i + 1 < manifests->entries &&
			strcmp(entry->name, entry[1].name) == 0))
			continue;
		printf(shown++ == 0 ? "\nfailed:\n  " : "  ");
		put_safe(stdout, cg_slice(entry->name));
		if (entry->error != NULL) {
			fputs("\n    ", stdout);
			put_safe(stdout, cg_slice(entry->error));
		}
		putchar('\n');
	}
	if (failed > shown)
		printf("  and %zu more\n", failed - shown);
}

static void
show_events(const struct manifests *manifests)
{
	char buf[AMOUNT_ROOM];

	for (size_t i = 0; i < manifests->events; i++) {
		const struct event_total *event = &manifests->event[i];
		struct amount amount = amount_u64(event->sum);

		if (event->minus)
			amount = amount_i64((int64_t)event->sum + event->low);
		amount.known = !event->overflow;
		printf("%s%-15s %20s\n",
		    i == 0 ? "\ntotals of converted inputs:\n" : "",
		    event->name, amount_text(buf, amount));
	}
}

/*
 * Prints a table with a row for each shard and one for all, the totals by
 * event, and the failures. Returns true if no error, failure or missing input
 * was found.
 */
static bool
show_manifests(const struct manifests *manifests)
{
	struct sums all = { 0 };

	printf("shard       inputs      done  failed  skipped   kept  missing"
	       "     seconds\n");
	for (size_t i = 0; i < manifests->manifests; i++) {
		const struct manifest *manifest = &manifests->manifest[i];

		show_row(manifest->header.shard ? manifest->header.shard : "-",
		    &manifest->sums);
		all.inputs += manifest->sums.inputs;
		all.merged += manifest->sums.merged;
		all.micros += manifest->sums.micros;
		for (int s = 0; s < STATES; s++)
			all.state[s] += manifest->sums.state[s];
	}
	/* Includes the inputs of missing shards. */
	if (manifests->manifest[0].header.of > all.inputs)
		all.inputs = (size_t)manifests->manifest[0].header.of;
	show_row("all", &all);
	show_events(manifests);
	show_failures(manifests, all.state[FAILED]);
	return manifests->faults == 0 && all.state[FAILED] == 0 &&
	       count_missing(&all) == 0;
}

int
merge_manifests(struct args *args)
{
	struct manifests manifests = { .job = args->job,
		.manifests = args->inputs };
	int status = CG_OK;

	if (args->inputs == 0)
		return cg_usage(args->job, "no manifests to merge");
	manifests.manifest = calloc(args->inputs, sizeof(*manifests.manifest));
	if (manifests.manifest == NULL)
		return cg_nomem(args->job);
	for (size_t i = 0; status == CG_OK && i < args->inputs; i++) {
		manifests.manifest[i].path = args->input[i];
		status = read_manifest(&manifests, i);
	}
	if (status == CG_OK)
		check_manifests(&manifests);
	if (status == CG_OK && !sum_entries(&manifests))
		status = cg_nomem(args->job);
	if (status == CG_OK && !show_manifests(&manifests))
		status = CG_EINPUT;
	for (size_t i = 0; i < args->inputs; i++)
		free_line(&manifests.manifest[i].header);
	for (size_t i = 0; i < manifests.entries; i++)
		free_entry(&manifests.entry[i]);
	for (size_t i = 0; i < manifests.events; i++)
		free(manifests.event[i].name);
	free(manifests.event);
	free(manifests.entry);
	free(manifests.manifest);
	return status;
}
