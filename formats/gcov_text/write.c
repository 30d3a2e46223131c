/*
 * write.c - writes annotated sources as gcov -t -b -c does: files, their lines,
 * summaries of functions before the lines where they begin, and groups of
 * functions after their last line.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/*
 * Sets the first and last line of a function; if its end is unknown, both are
 * the first.
 */
static void
get_range(
    const struct gcov_text_writer *w, cg_fn fn, uint32_t *first, uint32_t *last)
{
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	*first = range.first;
	*last = range.last > range.first ? range.last : range.first;
}

/*
 * Writes a function of a group (functions that begin on the same line), that
 * of this rank, with its lines. Advances *at, an index in w->group, past them.
 * Without a source, first and last line preserve its range. False: an error
 * (reported).
 */
static bool
put_instance(struct gcov_text_writer *w, uint32_t rank, size_t *at)
{
	cg_fn fn = w->fn[rank - 1];
	const struct gcov_text_entry *entry = w->group.at + *at;
	const struct gcov_text_entry *end = w->group.at + w->group.n;
	uint32_t first, last, number, next;

	cg_puts(w->out, GCOV_TEXT_DASHES "\n");
	(void)cg_put_inline(w->out, gcov_text_symbol(w, fn));
	cg_puts(w->out, ":\n");
	if (!gcov_text_put_function(w, fn))
		return false;
	get_range(w, fn, &first, &last);
	while (entry < end && entry->rank < rank)
		entry++;
	for (number = first;; number = next) {
		struct gcov_text_sum sum = { 0 };
		bool more = entry < end && entry->rank == rank;
		bool has_code = more && entry->line.line == number;

		if (has_code)
			gcov_text_sum_line(w, &entry->line, &sum);
		gcov_text_put_line(w, &sum, number);
		if (has_code)
			gcov_text_put_annotations(w, entry++, 1);
		if (number >= last)
			break;
		next = last;
		if (number < w->source.line.n)
			next = number + 1;
		else if (entry < end && entry->rank == rank)
			next = entry->line.line;
	}
	*at = (size_t)(entry - w->group.at);
	return true;
}

/* ---- Files -------------------------------------------------------------- */

/*
 * Orders the lines of groups (functions that begin on one line) for qsort():
 * by function, then by line.
 */
static int
compare_group(const void *pa, const void *pb)
{
	const struct gcov_text_entry *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->line.line < b->line.line ? -1 : a->line.line > b->line.line;
}

/*
 * True if the last line of the function is known. The last line of clang's
 * functions is unknown. llvm-cov makes no groups of functions, so this writer
 * makes no groups of such functions, either.
 */
static bool
has_end(const struct gcov_text_writer *w, cg_fn fn)
{
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	return range.last > 0;
}

/*
 * Orders the functions on one line for qsort(): as in their unit (object
 * file), then as in the graph.
 */
static int
compare_numbers(const void *pa, const void *pb)
{
	const struct gcov_text_entry *a = pa, *b = pb;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/*
 * Sets w->rank of each function in a group, that is, of functions that begin
 * on one line. The rank is the index in w->fn + 1, or 0 if the function's last
 * line is unknown. If "clear" is true (after the file), sets these ranks back
 * to 0.
 */
static void
rank_fns(struct gcov_text_writer *w, bool clear)
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
			w->rank[w->fn[j]] = clear || !has_end(w, w->fn[j])
						? 0
						: (uint32_t)j + 1;
	}
}

/*
 * Fills w->entry with the lines of the file that have code, once for each
 * function on a line. Fills w->group with those within groups (functions that
 * begin on the same line), by function. False: out of memory (reported).
 */
static bool
list_lines(struct gcov_text_writer *w)
{
	struct gcov_text_entry entry;
	uint32_t first, last;

	w->entry.n = w->group.n = 0;
	while (cg_next_line(w->lines, &entry.line)) {
		entry.rank = w->rank[entry.line.fn];
		entry.number = cg_fn_number(w->lines, entry.line.fn);
		entry.order = w->entry.n;
		get_range(w, entry.line.fn, &first, &last);
		if (entry.line.line < first || entry.line.line > last)
			entry.rank = 0;
		if (entry.line.line == 0 || !gcov_text_is_code(&entry.line))
			continue;
		if (!cg_append(w->job, &w->entry, entry) ||
		    !cg_reserve(w->job, &w->group, w->group.n + 1))
			return false;
		if (entry.rank > 0)
			w->group.at[w->group.n++] = entry;
	}
	if (w->group.n > 0)
		qsort(w->group.at, w->group.n, sizeof(*w->group.at),
		    compare_group);
	return true;
}

/*
 * Writes a line of the file: the sum of its functions, and the annotations
 * (branches, calls) of those outside of groups (functions that begin on the
 * same line). Advances *at from the line's first entry to the next line's.
 */
static void
put_main_line(struct gcov_text_writer *w, uint32_t number, size_t *at)
{
	struct gcov_text_sum sum = { 0 };
	size_t first = *at, end = first;

	for (; *at < w->entry.n && w->entry.at[*at].line.line == number;
	     ++*at) {
		gcov_text_sum_line(w, &w->entry.at[*at].line, &sum);
		if (w->entry.at[*at].rank == 0)
			w->entry.at[end++] = w->entry.at[*at];
	}
	gcov_text_put_line(w, &sum, number);
	if (end > first + 1)
		qsort(w->entry.at + first, end - first, sizeof(*w->entry.at),
		    compare_numbers);
	gcov_text_put_annotations(w, &w->entry.at[first], end - first);
}

/* State while the lines of a file are written. */
struct walk {
	size_t entry, group, fn;    /* next index of each */
	size_t group_fn, group_end; /* functions of the open group */
	uint32_t last;              /* last line of the open group; 0: none */
};

/*
 * Writes the summaries of the functions that begin on this line. A group (two
 * or more) is opened instead, for put_instance(). Inside of an open group, or
 * after w->end, nothing is written. False: an error (reported).
 */
static bool
begin_fns(struct gcov_text_writer *w, struct walk *walk, uint32_t number)
{
	uint32_t first, last;
	size_t from;

	while (
	    walk->fn < w->fns && cg_fn_line(w->lines, w->fn[walk->fn]) < number)
		walk->fn++;
	if (walk->last != 0 || number > w->end)
		return true;
	for (from = walk->fn; walk->fn < w->fns; walk->fn++) {
		if (cg_fn_line(w->lines, w->fn[walk->fn]) != number)
			break;
		if (w->rank[w->fn[walk->fn]] == 0 &&
		    !gcov_text_put_function(w, w->fn[walk->fn]))
			return false;
		get_range(w, w->fn[walk->fn], &first, &last);
		if (w->rank[w->fn[walk->fn]] > 0 && last > walk->last)
			walk->last = last;
	}
	walk->group_fn = from;
	walk->group_end = walk->fn;
	return true;
}

/*
 * Writes the functions of the open group, each with its lines, and closes the
 * group. A group has functions that begin on one line. Called after the
 * group's last line. False: an error (reported).
 */
static bool
end_group(struct gcov_text_writer *w, struct walk *walk)
{
	for (size_t i = walk->group_fn; i < walk->group_end; i++) {
		if (w->rank[w->fn[i]] > 0 &&
		    !put_instance(w, (uint32_t)i + 1, &walk->group))
			return false;
	}
	cg_puts(w->out, GCOV_TEXT_DASHES "\n");
	walk->last = 0;
	return true;
}

/*
 * Returns the next line to write after number; 0: none. All lines of a source
 * are written; after its end, only lines with code, begins of functions, and
 * the end of a group.
 */
static uint32_t
next_line(
    const struct gcov_text_writer *w, const struct walk *walk, uint32_t number)
{
	uint32_t next = UINT32_MAX, line;

	if (number < w->source.line.n)
		return number + 1;
	if (number == UINT32_MAX)
		return 0;
	if (walk->entry < w->entry.n)
		next = w->entry.at[walk->entry].line.line;
	for (size_t i = walk->fn; i < w->fns; i++) {
		line = cg_fn_line(w->lines, w->fn[i]);
		if (line > number) {
			next = line < next && line <= w->end ? line : next;
			break;
		}
	}
	if (walk->last > number && walk->last < next && walk->last <= w->end)
		next = walk->last;
	return next == UINT32_MAX ? 0 : next;
}

static bool
put_lines(struct gcov_text_writer *w)
{
	struct walk walk = { 0 };
	uint32_t number = 0;

	while ((number = next_line(w, &walk, number)) != 0) {
		if (!begin_fns(w, &walk, number))
			return false;
		put_main_line(w, number, &walk.entry);
		if (walk.last == number && number <= w->end &&
		    !end_group(w, &walk))
			return false;
	}
	return true;
}

/*
 * Returns the value of the graph's description with this key. Returns "" if
 * there is none, or several. Also returns "" if the graph has several parts
 * (units).
 */
static struct cg_slice
find_desc(const struct gcov_text_writer *w, const char *name)
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
put_tag(struct gcov_text_writer *w, const char *tag, struct cg_slice value)
{
	if (value.len == 0)
		return;
	cg_puts(w->out, "        -:    0:");
	cg_puts(w->out, tag);
	(void)cg_put_inline(w->out, value);
	cg_putc(w->out, '\n');
}

static void
put_head(struct gcov_text_writer *w, struct cg_slice name)
{
	struct cg_slice data = find_desc(w, "Data file"), graph = data;
	struct cg_slice notes = find_desc(w, "Notes file");

	put_tag(w, "Source:", name);
	if (data.len == 0 && notes.len > 0) { /* the unit never ran */
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

/*
 * Sets *name to the path as it was in the input if, relative to the unit's
 * directory, it names the same file as the path in the graph. Otherwise sets
 * *name to the path in the graph. False: out of memory (reported).
 */
static bool
get_name(struct gcov_text_writer *w, cg_file file, struct cg_slice *name)
{
	struct cg_slice path = cg_file_path(w->graph, file), joined;
	struct cg_slice given = cg_file_given(w->graph, file);
	struct cg_slice directory = find_desc(w, "Directory");
	char *room;

	*name = path;
	if (given.len == 0)
		return true;
	if (!cg_reserve(
		w->job, &w->path, directory.len + given.len + CG_JOIN_MORE))
		return false;
	joined.ptr = room = w->path.at;
	joined.len = (size_t)(cg_join_path(room, directory, given) - room);
	if (cg_compare(joined, path) == 0)
		*name = given;
	return true;
}

/*
 * Sets w->last, the last line with code, and w->end, up to which gcov writes
 * functions (UINT32_MAX: no limit). gcov 8 to 14 omits groups of functions
 * that end after w->last. gcov 15 adds last lines of functions
 * (process_all_functions() of gcov.cc).
 */
static void
find_end(struct gcov_text_writer *w)
{
	w->last = w->entry.n > 0 ? w->entry.at[w->entry.n - 1].line.line : 0;
	w->end = w->version < 800 || w->version >= 1500 ? UINT32_MAX : w->last;
}

static bool
put_file(struct gcov_text_writer *w, cg_file file)
{
	struct cg_slice name;
	bool ok;

	w->fns = cg_file_fns(w->lines, &w->fn);
	if (w->version == 0 || w->version >= 800)
		rank_fns(w, false);
	ok = list_lines(w) && get_name(w, file, &name);
	find_end(w);
	if (ok && w->entry.n > 0) {
		put_head(w, name);
		ok = gcov_text_read_source(w, file) && put_lines(w);
		gcov_text_close_source(w);
	}
	rank_fns(w, true);
	return ok;
}

/*
 * Returns the version of gcc from the word in its data files. It is 1202 for
 * "B22*", 408 for "408*". 0: malformed.
 */
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
	struct gcov_text_writer w = { .job = job, .graph = graph, .out = out };
	cg_file file;
	bool ok;

	w.column = cg_find_event(graph, "Exec");
	if (w.column == cg_event_count(graph))
		return cg_lacks(job,
		    "%s needs the event Exec of coverage; the input has none, "
		    "and its costs do not tell how often lines ran",
		    cg_job_target(job)->name);
	w.version = get_version(find_desc(&w, "Compiler"));
	w.rows = cg_rows_new(graph);
	w.lines = cg_lines_new(graph, CG_ALL_PARTS);
	w.rank = cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*w.rank));
	ok = w.rows && w.lines && w.rank;
	while (ok && cg_next_file(w.lines, &file)) {
		if (file != 0)
			ok = put_file(&w, file);
		else
			cg_warn(job, "dropped lines of unknown files");
	}
	cg_rows_free(w.rows);
	cg_lines_free(w.lines);
	return cg_out_status(out);
}
