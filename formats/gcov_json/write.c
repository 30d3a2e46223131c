/*
 * write.c - writes a document for each part, with files, functions and lines
 * in gcov's order.
 *
 * A group consists of the functions that begin on the same line. The lines of
 * each function of the group are written before this line of the file. A line
 * of the file is the sum of all functions outside of groups. Its function_name
 * is the last function that began before the line and, from gcc 11 on, has not
 * ended.
 */
#include <stdlib.h>
#include <string.h>

#include "put.h"

/* ---- Open functions ----------------------------------------------------- */

static uint32_t
first_line(const struct gcov_json_writer *w, cg_fn fn)
{
	struct cg_range range;

	cg_fn_range(w->r.graph, fn, &range);
	return range.first;
}

/*
 * Returns the function that gcov names on a line: the last one begun. From gcc
 * 11 on, or without a version, it must not have ended. Skips groups (functions
 * that begin on the same line) and unknown first lines. 0: none, or out of
 * memory (reported). Lines must ascend between calls.
 */
static cg_fn
find_open(struct gcov_json_writer *w, uint32_t line)
{
	struct cg_range range;
	uint64_t begin, end;

	for (;;) {
		while (
		    w->next < w->fns && (w->rank[w->fn[w->next]] != 0 ||
					    first_line(w, w->fn[w->next]) == 0))
			w->next++;
		begin = w->next < w->fns ? first_line(w, w->fn[w->next])
					 : UINT64_MAX;
		end = UINT64_MAX;
		if (w->open.n > 0 && (w->major == 0 || w->major > 10)) {
			cg_fn_range(
			    w->r.graph, w->open.at[w->open.n - 1], &range);
			if (range.last >= w->line)
				end = range.last;
		}
		if (begin <= line && begin <= end) {
			if (!cg_append(w->r.job, &w->open, w->fn[w->next]))
				return 0;
			w->next++;
			w->line = begin > w->line ? begin : w->line;
		} else if (end < line) {
			/* gcov ends at most one function per line. */
			w->open.n--;
			w->line = end + 1;
		} else {
			break;
		}
	}
	return w->open.n > 0 ? w->open.at[w->open.n - 1] : 0;
}

/* ---- Files -------------------------------------------------------------- */

/*
 * Sets w->fn to the file's functions, and resets find_open(). Two or more
 * functions that begin on the same known line are a group. The function
 * w->fn[i] of a group gets rank i + 1. Sets w->groups if there is a group.
 * Other ranks must be 0 already.
 */
static void
list_fns(struct gcov_json_writer *w)
{
	size_t group = 0;

	w->fns = cg_file_fns(w->r.lines, &w->fn);
	w->next = w->open.n = 0;
	w->line = 1;
	w->groups = false;
	for (size_t i = 1; i <= w->fns; i++) {
		uint32_t first = first_line(w, w->fn[group]);

		if (i < w->fns && first_line(w, w->fn[i]) == first)
			continue;
		for (size_t j = group; first > 0 && i > group + 1 && j < i;
		     j++) {
			w->rank[w->fn[j]] = (uint32_t)j + 1;
			w->groups = true;
		}
		group = i;
	}
}

/*
 * True if gcov lists the line. A listed line has a count, or rows of blocks,
 * branches, calls or conditions. Other rows, such as prime paths and the steps
 * on them, are not enough.
 */
static bool
is_line(const struct cg_line *line)
{
	for (size_t i = 0; !line->has_cost && i < line->branches; i++) {
		if (line->branch[i].kind < CG_BRANCH_PATH)
			return true;
	}
	return line->has_cost;
}

static uint32_t
rank_of(const struct gcov_json_writer *w, const struct cg_line *line)
{
	uint32_t rank = w->rank[line->fn];
	struct cg_range range;

	if (rank == 0)
		return 0;
	cg_fn_range(w->r.graph, line->fn, &range);
	return line->line >= range.first && line->line <= range.last ? rank : 0;
}

static int
compare_entries(const void *pa, const void *pb)
{
	const struct gcov_json_entry *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->line.line != b->line.line)
		return a->line.line < b->line.line ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/*
 * Fills w->entry with the lines of the file: first those in groups (functions
 * that begin on the same line), by function, then the others. Returns the
 * number of the first kind; 0 also if out of memory (reported).
 */
static size_t
list_lines(struct gcov_json_writer *w)
{
	struct gcov_json_entry entry;
	size_t groups = 0;

	w->entry.n = 0;
	for (int pass = w->groups ? 0 : 1; pass < 2; pass++) {
		cg_first_line(w->r.lines);
		while (cg_next_line(w->r.lines, &entry.line)) {
			entry.rank = rank_of(w, &entry.line);
			entry.number = cg_fn_number(w->r.lines, entry.line.fn);
			entry.order = w->entry.n;
			if (!is_line(&entry.line) || (entry.rank != 0) == pass)
				continue;
			if (!cg_append(w->r.job, &w->entry, entry))
				return 0;
		}
		if (pass == 0)
			groups = w->entry.n;
	}
	if (groups > 0)
		qsort(w->entry.at, groups, sizeof(entry), compare_entries);
	return groups;
}

/*
 * Sorts n entries of one line, one for each function on it. The order is that
 * of the functions in their unit (object file).
 */
static void
sort_line(struct gcov_json_entry *entry, size_t n)
{
	size_t i = 1;

	while (i < n && compare_entries(&entry[i - 1], &entry[i]) < 0)
		i++;
	if (i < n)
		qsort(entry, n, sizeof(*entry), compare_entries);
}

static void
put_lines(struct gcov_json_writer *w)
{
	size_t groups = list_lines(w), group = 0, at, n;
	struct gcov_json_entry *entry = w->entry.at;
	cg_fn fn = 0;

	for (at = groups; at < w->entry.n; at += n) {
		uint32_t line = entry[at].line.line;

		for (n = 1;
		     at + n < w->entry.n && entry[at + n].line.line == line;)
			n++;
		sort_line(&entry[at], n);
		for (; group < groups; group++) {
			fn = entry[group].line.fn;
			if (first_line(w, fn) > line)
				break;
			gcov_json_put_line(w, &entry[group], 1, fn);
		}
		fn = find_open(w, line);
		gcov_json_put_line(w, &entry[at], n, fn);
	}
	for (; group < groups; group++)
		gcov_json_put_line(w, &entry[group], 1, entry[group].line.fn);
}

static void
put_file(struct gcov_json_writer *w, cg_file file)
{
	cg_putc(w->r.out, '{');
	w->comma = false;
	list_fns(w);
	gcov_json_put_path(w, file);
	gcov_json_put_key(w, "functions");
	cg_putc(w->r.out, '[');
	w->comma = false;
	for (size_t i = 0; i < w->fns; i++)
		gcov_json_put_fn(w, i);
	cg_putc(w->r.out, ']');
	w->comma = true;
	gcov_json_put_key(w, "lines");
	cg_putc(w->r.out, '[');
	w->comma = false;
	put_lines(w);
	cg_puts(w->r.out, "]}");
	for (size_t i = 0; w->groups && i < w->fns; i++)
		w->rank[w->fn[i]] = 0;
}

/* ---- Documents ---------------------------------------------------------- */

static struct cg_slice
find_desc(const struct gcov_json_writer *w, const char *name)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->r.graph, w->r.part, i, &key, &value);
	     i++) {
		if (strcmp(key, name) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static void
put_head(struct gcov_json_writer *w)
{
	struct cg_slice compiler = find_desc(w, "Compiler"), data;
	const char *version = cg_opt(w->r.job, "format-version");
	char room[GCOV_JSON_VERSION_MAX];

	w->major = gcov_json_major(compiler);
	w->blocks = version ? strcmp(version, "2") == 0
			    : w->major == 0 || w->major > 13;
	w->directory = find_desc(w, "Directory");
	w->comma = false;
	cg_putc(w->r.out, '{');
	gcov_json_put_text(
	    w, "format_version", cg_slice(w->blocks ? "2" : "1"));
	if (compiler.len > 0)
		gcov_json_put_text(
		    w, "gcc_version", gcov_json_version(compiler, room));
	if (w->directory.len > 0)
		gcov_json_put_text(
		    w, "current_working_directory", w->directory);
	data = find_desc(w, "Data file");
	if (data.len == 0) /* gcov writes the name of its input */
		data = find_desc(w, "Notes file");
	if (data.len > 0)
		gcov_json_put_text(w, "data_file", data);
	gcov_json_put_key(w, "files");
	cg_putc(w->r.out, '[');
	w->comma = false;
}

static void
put_document(struct gcov_json_writer *w)
{
	bool pathless = false;
	size_t files = 0;
	cg_file file;

	if (!w->r.lines)
		w->r.lines = cg_lines_new_listed(w->r.graph, w->r.part);
	else if (!cg_lines_set_part(w->r.lines, w->r.part))
		return;
	if (!w->r.lines)
		return;
	put_head(w);
	/* Files without lines are written, too. */
	while (cg_next_file(w->r.lines, &file)) {
		pathless |= file == 0;
		if (file == 0)
			continue;
		if (files++ > 0)
			cg_putc(w->r.out, ',');
		put_file(w, file);
	}
	if (pathless)
		cg_warn(w->r.job, "dropped lines of unknown files");
	cg_puts(w->r.out, "]}\n");
}

int
gcov_json_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct gcov_json_writer w = {
		.r = { .job = job, .graph = graph, .out = out }
	};
	const char *version = cg_opt(job, "format-version");

	if (version && strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
		return cg_usage(job,
		    "{format-version}: expected 1 or 2, not '%s'", version);
	w.column = cg_find_event(graph, "Exec");
	if (w.column == cg_event_count(graph))
		return cg_lacks(job,
		    "%s needs the event Exec of coverage; the input has none, "
		    "and its costs do not tell how often lines ran",
		    cg_job_target(job)->name);
	w.rows = cg_rows_new(graph);
	w.rank = cg_alloc(job, (cg_fn_count(graph) + 1) * sizeof(*w.rank));
	for (; w.rows && w.rank && w.r.part < cg_part_count(graph); w.r.part++)
		put_document(&w);
	cg_lines_free(w.r.lines);
	cg_rows_free(w.rows);
	return cg_out_status(out);
}
