/*
 * merge_manifests.c - --merge-manifests FILE...: closes the books of a batch that
 * many have shared: is every share there, each input once, and what did all
 * of it come to?
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define COMPLAINTS 10 /* of a kind that are shown */
#define FAILURES_SHOWN 20

struct sums {
	size_t inputs, merged, state[STATES];
	uint64_t micros;
};

struct entry {
	char *name, *error, *totals;
	size_t line; /* in the order of reading: the last one counts */
	size_t book;
	uint64_t micros;
	enum state state;
};

struct book {
	const char *path;
	struct line header;
	uint64_t number, count; /* the share */
	bool refused;           /* it does not belong to the others */
	struct sums sums;
};

struct event_total {
	char *name;
	int64_t low; /* where there are costs below 0 */
	uint64_t sum;
	bool overflow, minus;
};

struct books {
	struct cg_job *job;
	struct book *book;
	size_t books;
	struct entry *entry;
	size_t entries, cap;
	struct event_total *event;
	size_t events, event_cap;
	size_t faults; /* in the books themselves */
};

static void CG_PRINTF(3, 4)
    complain(struct books *books, const char *path, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_safe(stderr, cg_slice(path != NULL ? path : "cgconv"));
	fputs(": error: ", stderr);
	vfprintf(stderr, fmt, args);
	putc('\n', stderr);
	va_end(args);
	books->faults++;
}

/* ---- Reading ------------------------------------------------------------- */

static void
free_entry(struct entry *entry)
{
	free(entry->name);
	free(entry->error);
	free(entry->totals);
}

static bool
add_entry(struct books *books, const struct line *line, size_t book)
{
	struct entry *entry;

	if (!cg_grow(
		&books->entry, &books->cap, books->entries + 1, sizeof(*entry)))
		return false;
	entry = &books->entry[books->entries];
	*entry =
	    (struct entry){ .name = line->member != NULL
					? join_path(line->input, line->member)
					: strdup(line->input),
		    .line = books->entries,
		    .book = book,
		    .micros = line->micros };
	for (int s = 0; s < STATES; s++)
		if (strcmp(line->status, state_name[s]) == 0)
			entry->state = (enum state)s;
	books->entries++;
	if (line->error != NULL)
		entry->error = strdup(line->error);
	if (line->totals != NULL)
		entry->totals = json_text(json_object_get(line->totals));
	return entry->name && (!line->error || entry->error) &&
	       (!line->totals || entry->totals);
}

static bool
take_header(struct book *book, struct line *line)
{
	struct cg_slice text = cg_slice(line->shard != NULL ? line->shard : "");
	uint64_t number, count;

	if (!line->options || !line->list || !cg_take_u64(&text, &number) ||
	    !cg_take_char(&text, '/') || !cg_take_u64(&text, &count) ||
	    text.len != 0 || number == 0 || number > count ||
	    count > CG_SHARD_MAX)
		return false;
	free_line(&book->header);
	book->header = *line;
	book->number = number;
	book->count = count;
	*line = (struct line){ 0 };
	return true;
}

static int
read_book(struct books *books, size_t number)
{
	struct book *book = &books->book[number];
	FILE *file = fopen(book->path, "re");
	char *text = NULL;
	size_t size = 0, lines = 0;
	bool ok = true;
	ssize_t n;

	if (file == NULL) {
		complain(books, book->path, "cannot open: %s", strerror(errno));
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
		    (line.version && !take_header(book, &line)))
			complain(books, book->path,
			    "line %zu: not a line of a manifest", lines);
		else if (line.input != NULL)
			ok = add_entry(books, &line, number);
		free_line(&line);
	}
	free(text);
	if (lines == 0)
		complain(books, book->path, "the manifest is empty");
	(void)fclose(file);
	return ok ? CG_OK : cg_nomem(books->job);
}

/* ---- Do they belong together? -------------------------------------------- */

/* What is wrong with a book; NULL: nothing. */
static const char *
why_refused(const struct book *book, const struct book *first, bool *seen)
{
	const struct line *a = &book->header, *b = &first->header;

	if (book->count == 0)
		return ""; /* said */
	if (book->count != first->count || strcmp(a->list, b->list) != 0 ||
	    a->of != b->of)
		return "it belongs to a different batch than the first";
	if (!json_object_equal(a->options, b->options) ||
	    strcmp(a->version, b->version) != 0)
		return "its options differ from those of the first";
	if (seen[book->number])
		return "this shard is given twice";
	seen[book->number] = true;
	return NULL;
}

static void
check_books(struct books *books)
{
	const struct book *first = &books->book[0];
	bool *seen = NULL;
	uint64_t missing = 0;

	if (first->count > 0)
		seen = calloc((size_t)first->count + 1, sizeof(*seen));
	for (size_t i = 0; seen != NULL && i < books->books; i++) {
		struct book *book = &books->book[i];
		const char *why = why_refused(book, first, seen);

		book->refused = why != NULL;
		if (why != NULL && *why != '\0')
			complain(books, book->path, "%s", why);
	}
	for (uint64_t i = 1; seen != NULL && i <= first->count; i++) {
		missing += !seen[i];
		if (!seen[i] && missing <= COMPLAINTS)
			complain(books, NULL,
			    "shard %" PRIu64 "/%" PRIu64 " is missing", i,
			    first->count);
	}
	if (missing > COMPLAINTS)
		complain(books, NULL, "and %" PRIu64 " more shards",
		    missing - COMPLAINTS);
	free(seen);
}

static int
compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* ---- Adding up ----------------------------------------------------------- */

static bool
add_total(struct books *books, const char *name, uint64_t size, bool minus)
{
	struct event_total *event;
	size_t i = 0;

	while (i < books->events && strcmp(books->event[i].name, name) != 0)
		i++;
	if (i == CG_EVENT_MAX ||
	    !cg_grow(&books->event, &books->event_cap, i + 1, sizeof(*event)))
		return false;
	event = &books->event[i];
	if (i == books->events) {
		event->name = strdup(name);
		if (event->name == NULL)
			return false;
		books->events++;
	}
	event->minus |= minus;
	if (minus ? __builtin_sub_overflow(event->low, size, &event->low)
		  : __builtin_add_overflow(event->sum, size, &event->sum))
		event->overflow = true;
	return true;
}

static bool
add_totals(struct books *books, const char *text)
{
	struct json_object *totals = parse_json(cg_slice(text));
	struct json_object_iter at;
	bool ok = true;

	if (totals == NULL)
		return false;
	json_object_object_foreachC(totals, at)
	{
		int64_t value = json_object_get_int64(at.val);

		/* What is no integer is not ours. */
		if (ok && json_object_is_type(at.val, json_type_int))
			ok = add_total(books, at.key,
			    value < 0 ? 0 - (uint64_t)value
				      : json_object_get_uint64(at.val),
			    value < 0);
	}
	json_object_put(totals);
	return ok;
}

static bool
add_up(struct books *books)
{
	struct entry *entry = books->entry;
	size_t kept = 0, twice = 0;
	bool ok = true;

	for (size_t i = 0; i < books->entries; i++) {
		if (books->book[entry[i].book].refused)
			free_entry(&entry[i]);
		else
			entry[kept++] = entry[i];
	}
	books->entries = kept;
	if (books->entries > 0)
		qsort(entry, books->entries, sizeof(*entry), compare_entries);
	for (size_t i = 0; ok && i < books->entries; i++) {
		struct sums *sums = &books->book[entry[i].book].sums;
		bool restarted = i + 1 < books->entries &&
				 strcmp(entry[i].name, entry[i + 1].name) == 0;

		if (restarted && entry[i].book == entry[i + 1].book)
			continue; /* a later line counts more */
		if (restarted && ++twice <= COMPLAINTS)
			complain(
			    books, entry[i].name, "it is listed in two shards");
		sums->merged++;
		sums->state[entry[i].state]++;
		sums->micros += entry[i].micros;
		if (entry[i].state == DONE && entry[i].totals != NULL)
			ok = add_totals(books, entry[i].totals);
	}
	if (twice > COMPLAINTS)
		complain(
		    books, NULL, "and %zu more inputs", twice - COMPLAINTS);
	for (size_t i = 0; i < books->books; i++)
		if (!books->book[i].refused)
			books->book[i].sums.inputs =
			    (size_t)books->book[i].header.inputs;
	return ok;
}

/* ---- Showing ------------------------------------------------------------- */

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
show_failures(const struct books *books, size_t failed)
{
	size_t shown = 0;

	for (size_t i = 0; i < books->entries && shown < FAILURES_SHOWN; i++) {
		const struct entry *entry = &books->entry[i];

		if (entry->state != FAILED ||
		    (i + 1 < books->entries &&
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
show_events(const struct books *books)
{
	char buf[AMOUNT_ROOM];

	for (size_t i = 0; i < books->events; i++) {
		const struct event_total *event = &books->event[i];
		struct amount amount = amount_u64(event->sum);

		if (event->minus)
			amount = amount_i64((int64_t)event->sum + event->low);
		amount.known = !event->overflow;
		printf("%s%-15s %20s\n",
		    i == 0 ? "\ntotals of converted inputs:\n" : "",
		    event->name, amount_text(buf, amount));
	}
}

/* Whether all is well. */
static bool
show_books(const struct books *books)
{
	struct sums all = { 0 };

	printf("shard       inputs      done  failed  skipped   kept  missing"
	       "     seconds\n");
	for (size_t i = 0; i < books->books; i++) {
		const struct book *book = &books->book[i];

		show_row(
		    book->header.shard ? book->header.shard : "-", &book->sums);
		all.inputs += book->sums.inputs;
		all.merged += book->sums.merged;
		all.micros += book->sums.micros;
		for (int s = 0; s < STATES; s++)
			all.state[s] += book->sums.state[s];
	}
	/* What shares that are missing would have. */
	if (books->book[0].header.of > all.inputs)
		all.inputs = (size_t)books->book[0].header.of;
	show_row("all", &all);
	show_events(books);
	show_failures(books, all.state[FAILED]);
	return books->faults == 0 && all.state[FAILED] == 0 &&
	       count_missing(&all) == 0;
}

int
merge_manifests(struct args *args)
{
	struct books books = { .job = args->job, .books = args->inputs };
	int status = CG_OK;

	if (args->inputs == 0)
		return cg_usage(args->job, "no manifests to merge");
	books.book = calloc(args->inputs, sizeof(*books.book));
	if (books.book == NULL)
		return cg_nomem(args->job);
	for (size_t i = 0; status == CG_OK && i < args->inputs; i++) {
		books.book[i].path = args->input[i];
		status = read_book(&books, i);
	}
	if (status == CG_OK)
		check_books(&books);
	if (status == CG_OK && !add_up(&books))
		status = cg_nomem(args->job);
	if (status == CG_OK && !show_books(&books))
		status = CG_EINPUT;
	for (size_t i = 0; i < args->inputs; i++)
		free_line(&books.book[i].header);
	for (size_t i = 0; i < books.entries; i++)
		free_entry(&books.entry[i]);
	for (size_t i = 0; i < books.events; i++)
		free(books.event[i].name);
	free(books.event);
	free(books.entry);
	free(books.book);
	return status;
}
