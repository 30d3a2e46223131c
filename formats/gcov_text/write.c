/*
 * write.c - writes sources with counts, as gcov -t -b -c does: in which
 * order lines, functions and groups of them come.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

static bool
nomem(struct writer *w)
{
	w->status = cg_nomem(w->job);
	return false;
}

/* Where a function that is in a group begins and ends. */
static void
get_range(const struct writer *w, cg_fn fn, uint32_t *first, uint32_t *last)
{
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	*first = range.first;
	*last = range.last > range.first ? range.last : range.first;
}

/*
 * One function of a group, with all of its lines; *at is where its entries
 * begin among those of groups. Without a source, its first and last line are
 * written, too, by which it is known.
 */
static bool
put_instance(struct writer *w, uint32_t rank, size_t *at)
{
	cg_fn fn = w->fn[rank - 1];
	const struct entry *entry = w->group + *at;
	const struct entry *end = w->group + w->groups;
	uint32_t first, last, number, next;

	cg_puts(w->out, GCOVTEXT_DASHES "\n");
	(void)cg_put_inline(w->out, gcov_text_symbol(w, fn));
	cg_puts(w->out, ":\n");
	if (!gcov_text_put_function(w, fn))
		return false;
	get_range(w, fn, &first, &last);
	while (entry < end && entry->rank < rank)
		entry++;
	for (number = first;; number = next) {
		struct sum sum = { 0 };
		bool more = entry < end && entry->rank == rank;
		bool there = more && entry->line.line == number;

		if (there)
			gcov_text_sum(w, &entry->line, &sum);
		gcov_text_put_line(w, &sum, number);
		if (there)
			gcov_text_put_details(w, entry++, 1);
		if (number >= last)
			break;
		next = last;
		if (number < w->source.lines)
			next = number + 1;
		else if (entry < end && entry->rank == rank)
			next = entry->line.line;
	}
	*at = (size_t)(entry - w->group);
	return true;
}

/* ---- Files -------------------------------------------------------------- */

static int
compare_group(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->line.line < b->line.line ? -1 : a->line.line > b->line.line;
}

/* What is a group is told by its functions' ends, which clang does not know. */
static bool
has_end(const struct writer *w, cg_fn fn)
{
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	return range.last > 0;
}

static int
compare_numbers(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/* Functions that begin on the same line. */
static void
rank_fns(struct writer *w, bool forget)
{
	uint32_t first, next, last;

	for (size_t i = 0, n; i < w->fns; i += n) {
		get_range(w, w->fn[i], &first, &last);
		for (n = 1; i + n < w->fns; n++) {
			get_range(w, w->fn[i + n], &next, &last);
			if (next != first)
				break;
		}
		for (size_t j = i; n > 1 && first > 0 && j < i + n; j++)
			w->rank[w->fn[j]] = forget || !has_end(w, w->fn[j])
						? 0
						: (uint32_t)j + 1;
	}
}

static bool
list_lines(struct writer *w)
{
	struct entry entry;
	uint32_t first, last;

	w->entries = w->groups = 0;
	while (cg_next_line(w->lines, &entry.line)) {
		entry.rank = w->rank[entry.line.fn];
		entry.number = cg_fn_number(w->lines, entry.line.fn);
		entry.place = w->entries;
		get_range(w, entry.line.fn, &first, &last);
		if (entry.line.line < first || entry.line.line > last)
			entry.rank = 0;
		if (entry.line.line == 0 || !gcov_text_is_code(&entry.line))
			continue;
		if (!cg_grow_raw(&w->entry, &w->entry_cap, w->entries + 1,
			sizeof(entry)) ||
		    !cg_grow_raw(
			&w->group, &w->group_cap, w->groups + 1, sizeof(entry)))
			return nomem(w);
		w->entry[w->entries++] = entry;
		if (entry.rank > 0)
			w->group[w->groups++] = entry;
	}
	if (w->groups > 0)
		qsort(w->group, w->groups, sizeof(*w->group), compare_group);
	return true;
}

/* The line of the file itself, which has what groups did added up. */
static void
put_main_line(struct writer *w, uint32_t number, size_t *at)
{
	struct sum sum = { 0 };
	size_t from = *at, kept = from;

	for (; *at < w->entries && w->entry[*at].line.line == number; ++*at) {
		gcov_text_sum(w, &w->entry[*at].line, &sum);
		if (w->entry[*at].rank == 0)
			w->entry[kept++] = w->entry[*at];
	}
	gcov_text_put_line(w, &sum, number);
	/* What functions did on a line comes in the order of their unit. */
	if (kept > from + 1)
		qsort(w->entry + from, kept - from, sizeof(*w->entry),
		    compare_numbers);
	gcov_text_put_details(w, &w->entry[from], kept - from);
}

/* Where a walk through the file is. */
struct walk {
	size_t entry, group, fn; /* the next of each */
	size_t begun, ends;      /* functions of the open group */
	uint32_t end;            /* its last line, 0: none is open */
};

/* Functions that begin here; those within a group are not announced. */
static bool
begin_fns(struct writer *w, struct walk *walk, uint32_t number)
{
	uint32_t first, last;
	size_t from;

	while (
	    walk->fn < w->fns && cg_fn_line(w->lines, w->fn[walk->fn]) < number)
		walk->fn++;
	if (walk->end != 0)
		return true;
	for (from = walk->fn; walk->fn < w->fns; walk->fn++) {
		if (cg_fn_line(w->lines, w->fn[walk->fn]) != number)
			break;
		if (w->rank[w->fn[walk->fn]] == 0 &&
		    !gcov_text_put_function(w, w->fn[walk->fn]))
			return false;
		get_range(w, w->fn[walk->fn], &first, &last);
		if (w->rank[w->fn[walk->fn]] > 0 && last > walk->end)
			walk->end = last;
	}
	walk->begun = from;
	walk->ends = walk->fn;
	return true;
}

static bool
end_group(struct writer *w, struct walk *walk)
{
	for (size_t i = walk->begun; i < walk->ends; i++) {
		if (w->rank[w->fn[i]] > 0 &&
		    !put_instance(w, (uint32_t)i + 1, &walk->group))
			return false;
	}
	cg_puts(w->out, GCOVTEXT_DASHES "\n");
	walk->end = 0;
	return true;
}

/* The next line to write, 0: none. All of a source, or where something is. */
static uint32_t
next_line(const struct writer *w, const struct walk *walk, uint32_t number)
{
	uint32_t next = UINT32_MAX, line;

	if (number < w->source.lines)
		return number + 1;
	if (number == UINT32_MAX)
		return 0;
	if (walk->entry < w->entries)
		next = w->entry[walk->entry].line.line;
	for (size_t i = walk->fn; i < w->fns; i++) {
		line = cg_fn_line(w->lines, w->fn[i]);
		if (line > number) {
			next = line < next ? line : next;
			break;
		}
	}
	if (walk->end > number && walk->end < next)
		next = walk->end;
	return next == UINT32_MAX ? 0 : next;
}

static bool
put_lines(struct writer *w)
{
	struct walk walk = { 0 };
	uint32_t number = 0;

	while ((number = next_line(w, &walk, number)) != 0) {
		if (!begin_fns(w, &walk, number))
			return false;
		put_main_line(w, number, &walk.entry);
		if (walk.end == number && !end_group(w, &walk))
			return false;
	}
	return true;
}

/* What the one part says of itself, if it says it once. */
static struct cg_slice
find_desc(const struct writer *w, const char *name)
{
	const char *key, *value, *found = NULL;

	if (cg_part_count(w->graph) > 1)
		return cg_slice("");
	for (size_t i = 0; cg_part_desc(w->graph, 0, i, &key, &value); i++) {
		if (strcmp(key, name) != 0)
			continue;
		if (found)
			return cg_slice("");
		found = value;
	}
	return cg_slice(found ? found : "");
}

static void
put_tag(struct writer *w, const char *tag, struct cg_slice value)
{
	if (value.len == 0)
		return;
	cg_puts(w->out, "        -:    0:");
	cg_puts(w->out, tag);
	(void)cg_put_inline(w->out, value);
	cg_putc(w->out, '\n');
}

static void
put_head(struct writer *w, struct cg_slice name)
{
	struct cg_slice data = find_desc(w, "Data file"), graph = data;
	struct cg_slice notes = find_desc(w, "Notes file");

	put_tag(w, "Source:", name);
	if (data.len == 0 && notes.len > 0) { /* never run */
		put_tag(w, "Graph:", notes);
		put_tag(w, "Data:", cg_slice("-"));
		put_tag(w, "Runs:", cg_slice("0"));
		return;
	}
	if (data.len > 5 && memcmp(data.ptr + data.len - 5, ".gcda", 5) == 0) {
		graph.len -= 5;
		cg_puts(w->out, "        -:    0:Graph:");
		(void)cg_put_inline(w->out, graph);
		cg_puts(w->out, ".gcno\n");
	}
	put_tag(w, "Data:", data);
	put_tag(w, "Runs:", find_desc(w, "Runs"));
}

/* The path as it was given, if that says the same from the folder. */
static bool
get_name(struct writer *w, cg_file file, struct cg_slice *name)
{
	struct cg_slice path = cg_file_path(w->graph, file), joined;
	struct cg_slice given = cg_file_given(w->graph, file);
	struct cg_slice folder = find_desc(w, "Folder");

	*name = path;
	if (given.len == 0)
		return true;
	joined.ptr = malloc(folder.len + given.len + CG_JOIN_MORE);
	if (!joined.ptr)
		return nomem(w);
	joined.len = (size_t)(cg_join_path((char *)joined.ptr, folder, given) -
			      joined.ptr);
	if (cg_compare(joined, path) == 0)
		*name = given;
	free((char *)joined.ptr);
	return true;
}

static bool
put_file(struct writer *w, cg_file file)
{
	struct cg_slice name;
	bool good;

	w->fns = cg_file_fns(w->lines, &w->fn);
	if (w->version == 0 || w->version >= 800)
		rank_fns(w, false);
	good = list_lines(w) && get_name(w, file, &name);
	if (good && w->entries > 0) {
		put_head(w, name);
		good = gcov_text_read_source(w, file) && put_lines(w);
		gcov_text_close_source(w);
	}
	rank_fns(w, true);
	return good;
}

/* "B22*" is 1202, "408*" is 408; what is no such word is 0. */
static unsigned
get_version(struct cg_slice word)
{
	unsigned digit[3] = { 0 };

	for (size_t i = 0; i < 3; i++) {
		digit[i] = word.len == 4 ? (unsigned)word.ptr[i] - '0' : 10;
		if (digit[i] > 9 && (i > 0 || digit[i] - ('A' - '0') > 25))
			return 0;
	}
	if (digit[0] <= 9)
		return digit[0] * 100 + digit[1] * 10 + digit[2];
	return ((digit[0] - ('A' - '0')) * 10 + digit[1]) * 100 + digit[2];
}

int
gcov_text_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	bool good = true;
	cg_file file;

	w.column = cg_find_event(graph, "Exec");
	if (w.column == cg_event_count(graph))
		return cg_fail(job,
		    "expected coverage: there is no event Exec, and a "
		    "profile's costs do not say how often lines ran");
	w.version = get_version(find_desc(&w, "Compiler"));
	w.rows = cg_rows_new(graph);
	w.lines = cg_lines_new(graph, CG_ALL_PARTS);
	w.rank = calloc(cg_fn_count(graph) + 1, sizeof(*w.rank));
	if (!w.rank)
		good = nomem(&w);
	good = good && w.rows && w.lines;
	while (good && cg_next_file(w.lines, &file)) {
		if (file != 0)
			good = put_file(&w, file);
		else
			cg_warn(job, "lines of no known file are left out");
	}
	cg_rows_free(w.rows);
	cg_lines_free(w.lines);
	free(w.rank);
	free(w.entry);
	free(w.group);
	free(w.source.line);
	if (w.status != CG_OK)
		return w.status;
	return good ? cg_out_status(out) : CG_ELIMIT;
}
