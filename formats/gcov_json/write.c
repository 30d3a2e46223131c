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
 * Finds the function that the next line of the file names; 0: no function is
 * open. Call with ascending lines. False: out of memory.
 */
static bool
find_open(struct gcov_json_writer *w, uint32_t line, cg_fn *fn)
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
		if (w->opens > 0 && (w->major == 0 || w->major > 10)) {
			cg_fn_range(w->r.graph, w->open[w->opens - 1], &range);
			if (range.last >= w->line)
				end = range.last;
		}
		if (begin <= line && begin <= end) {
			if (!cg_grow_raw(&w->open, &w->open_cap, w->opens + 1,
				sizeof(*w->open)))
				return false;
			w->open[w->opens++] = w->fn[w->next++];
			w->line = begin > w->line ? begin : w->line;
		} else if (end < line) {
			/* gcov ends at most one function per line. */
			w->opens--;
			w->line = end + 1;
		} else {
			break;
		}
	}
	*fn = w->opens > 0 ? w->open[w->opens - 1] : 0;
	return true;
}

/* ---- Files -------------------------------------------------------------- */

/*
 * Lists the functions of the file, and sets the ranks of functions in groups.
 */
static void
list_fns(struct gcov_json_writer *w)
{
	size_t group = 0;

	w->fns = cg_file_fns(w->r.lines, &w->fn);
	w->next = w->opens = 0;
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

static void
clear_ranks(struct gcov_json_writer *w)
{
	for (size_t i = 0; w->groups && i < w->fns; i++)
		w->rank[w->fn[i]] = 0;
}

/* False if the line has only rows of prime paths and their steps. */
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
 * Lists all lines of the file: first the *groups lines of groups, by function,
 * then other lines by line number. False: out of memory.
 */
static bool
list_lines(struct gcov_json_writer *w, size_t *entries, size_t *groups)
{
	struct gcov_json_entry entry;
	size_t n = 0;

	*groups = 0;
	for (int pass = w->groups ? 0 : 1; pass < 2; pass++) {
		cg_first_line(w->r.lines);
		while (cg_next_line(w->r.lines, &entry.line)) {
			entry.rank = rank_of(w, &entry.line);
			entry.number = cg_fn_number(w->r.lines, entry.line.fn);
			entry.order = n;
			if (!is_line(&entry.line) || (entry.rank != 0) == pass)
				continue;
			if (!cg_grow_raw(&w->entry, &w->entry_cap, n + 1,
				sizeof(*w->entry)))
				return false;
			w->entry[n++] = entry;
		}
		if (pass == 0)
			*groups = n;
	}
	*entries = n;
	if (*groups > 0)
		qsort(w->entry, *groups, sizeof(*w->entry), compare_entries);
	return true;
}

/* Sorts the functions of one line by their order in the unit. */
static void
sort_line(struct gcov_json_entry *entry, size_t n)
{
	size_t i = 1;

	while (i < n && compare_entries(&entry[i - 1], &entry[i]) < 0)
		i++;
	if (i < n)
		qsort(entry, n, sizeof(*entry), compare_entries);
}

static bool
put_lines(struct gcov_json_writer *w)
{
	size_t entries = 0, groups = 0, group = 0, at, n;
	cg_fn fn = 0;

	if (!list_lines(w, &entries, &groups))
		return false;
	for (at = groups; at < entries; at += n) {
		uint32_t line = w->entry[at].line.line;

		for (n = 1;
		     at + n < entries && w->entry[at + n].line.line == line;)
			n++;
		sort_line(&w->entry[at], n);
		for (; group < groups; group++) {
			fn = w->entry[group].line.fn;
			if (first_line(w, fn) > line)
				break;
			gcov_json_put_line(w, &w->entry[group], 1, fn);
		}
		if (!find_open(w, line, &fn))
			return false;
		gcov_json_put_line(w, &w->entry[at], n, fn);
	}
	for (; group < groups; group++)
		gcov_json_put_line(
		    w, &w->entry[group], 1, w->entry[group].line.fn);
	return true;
}

static bool
put_file(struct gcov_json_writer *w, cg_file file)
{
	bool ok;

	cg_putc(w->r.out, '{');
	w->comma = false;
	list_fns(w);
	ok = gcov_json_put_path(w, file);
	gcov_json_put_key(w, "functions");
	cg_putc(w->r.out, '[');
	w->comma = false;
	for (size_t i = 0; ok && i < w->fns; i++)
		ok = gcov_json_put_fn(w, i);
	cg_putc(w->r.out, ']');
	w->comma = true;
	gcov_json_put_key(w, "lines");
	cg_putc(w->r.out, '[');
	w->comma = false;
	ok = ok && put_lines(w);
	cg_puts(w->r.out, "]}");
	clear_ranks(w);
	return ok;
}

/* Allocates memory for reading and writing. False: out of memory. */
static bool
open_memory(struct gcov_json_writer *w)
{
	w->rows = cg_rows_new(w->r.graph);
	w->rank = calloc(cg_fn_count(w->r.graph) + 1, sizeof(*w->rank));
	return w->rows && w->rank;
}

static void
free_memory(struct gcov_json_writer *w)
{
	cg_rows_free(w->rows);
	free(w->rank);
	free(w->entry);
	free(w->open);
	free(w->path);
	free(w->step);
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

static bool
put_document(struct gcov_json_writer *w)
{
	bool ok = true, pathless = false;
	size_t files = 0;
	cg_file file;

	if (!w->r.lines)
		w->r.lines = cg_lines_new_listed(w->r.graph, w->r.part);
	else if (!cg_lines_set_part(w->r.lines, w->r.part))
		return false;
	if (!w->r.lines)
		return false;
	put_head(w);
	/* Files without lines are written, too. */
	while (ok && cg_next_file(w->r.lines, &file)) {
		pathless |= file == 0;
		if (file == 0)
			continue;
		if (files++ > 0)
			cg_putc(w->r.out, ',');
		ok = put_file(w, file);
	}
	if (pathless)
		cg_warn(w->r.job, "dropped lines of unknown files");
	cg_puts(w->r.out, "]}\n");
	return ok;
}

int
gcov_json_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct gcov_json_writer w = {
		.r = { .job = job, .graph = graph, .out = out }
	};
	const char *version = cg_opt(job, "format-version");
	bool ok;

	if (version && strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
		return cg_usage(job,
		    "{format-version}: expected 1 or 2, not '%s'", version);
	w.column = cg_find_event(graph, "Exec");
	if (w.column == cg_event_count(graph))
		return cg_lacks(job,
		    "%s needs the event Exec of coverage; the input has none, "
		    "and its costs do not tell how often lines ran",
		    cg_job_target(job)->name);
	ok = open_memory(&w);
	for (; ok && w.r.part < cg_part_count(graph); w.r.part++)
		ok = put_document(&w);
	cg_lines_free(w.r.lines);
	free_memory(&w);
	return ok ? cg_out_status(out) : cg_nomem(job);
}
