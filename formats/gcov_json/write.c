/*
 * write.c - writes gcov's JSON: a document for each part, in its
 * order of lines.
 *
 * Lines come as gcov has them: where functions begin on the same line, first
 * each of them with its own lines, then the line of the file, which has what
 * all other functions did there. Its function_name is the last function that
 * began and, from gcc 11 on, has not ended.
 */
#include <stdlib.h>
#include <string.h>

#include "put.h"

static bool
nomem(struct writer *w)
{
	(void)cg_nomem(w->job);
	return false;
}

/* ---- Which functions begin and end -------------------------------------- */

static uint32_t
first_line(const struct writer *w, cg_fn fn)
{
	struct cg_range range;

	cg_fn_range(w->graph, fn, &range);
	return range.first;
}

/* The file's line is about to be written: which function does it name? */
static bool
find_open(struct writer *w, uint32_t line, cg_fn *fn)
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
			cg_fn_range(w->graph, w->open[w->opens - 1], &range);
			if (range.last >= w->line)
				end = range.last;
		}
		if (begin <= line && begin <= end) {
			if (!cg_grow_raw(&w->open, &w->open_cap, w->opens + 1,
				sizeof(*w->open)))
				return nomem(w);
			w->open[w->opens++] = w->fn[w->next++];
			w->line = begin > w->line ? begin : w->line;
		} else if (end < line) {
			/* One at most ends on a line, to gcov. */
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

/* Functions of the file; groups begin on one line. */
static void
list_fns(struct writer *w)
{
	size_t group = 0;

	w->fns = cg_file_fns(w->lines, &w->fn);
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
forget_fns(struct writer *w)
{
	for (size_t i = 0; w->groups && i < w->fns; i++)
		w->rank[w->fn[i]] = 0;
}

/* A function's first prime path is noted on its line; that is none. */
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
rank_of(const struct writer *w, const struct cg_line *line)
{
	uint32_t rank = w->rank[line->fn];
	struct cg_range range;

	if (rank == 0)
		return 0;
	cg_fn_range(w->graph, line->fn, &range);
	return line->line >= range.first && line->line <= range.last ? rank : 0;
}

static int
compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->line.line != b->line.line)
		return a->line.line < b->line.line ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

/*
 * All lines of the file: those of group functions by function, in *groups, then
 * the others by line.
 */
static bool
list_lines(struct writer *w, size_t *entries, size_t *groups)
{
	struct entry entry;
	size_t n = 0;

	*groups = 0;
	for (int pass = w->groups ? 0 : 1; pass < 2; pass++) {
		cg_first_line(w->lines);
		while (cg_next_line(w->lines, &entry.line)) {
			entry.rank = rank_of(w, &entry.line);
			entry.number = cg_fn_number(w->lines, entry.line.fn);
			entry.place = n;
			if (!is_line(&entry.line) || (entry.rank != 0) == pass)
				continue;
			if (!cg_grow_raw(&w->entry, &w->entry_cap, n + 1,
				sizeof(*w->entry)))
				return nomem(w);
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

/* What functions did on one line: in the order of the unit. */
static void
sort_line(struct entry *entry, size_t n)
{
	size_t i = 1;

	while (i < n && compare_entries(&entry[i - 1], &entry[i]) < 0)
		i++;
	if (i < n)
		qsort(entry, n, sizeof(*entry), compare_entries);
}

static bool
put_lines(struct writer *w)
{
	size_t entries, groups, group = 0, at, n;
	cg_fn fn;

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

/* The path as it was given, if that says the same from the folder. */
bool
gcov_json_put_path(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->graph, file), joined;
	struct cg_slice given = cg_file_given(w->graph, file);
	char *room;

	if (given.len > 0) {
		room = malloc(w->folder.len + given.len + CG_JOIN_MORE);
		if (!room)
			return nomem(w);
		joined.ptr = room;
		joined.len =
		    (size_t)(cg_join_path(room, w->folder, given) - room);
		if (cg_compare(joined, path) == 0)
			path = given;
		free(room);
	}
	gcov_json_put_text(w, "file", path);
	return true;
}

static bool
put_file(struct writer *w, cg_file file)
{
	bool good;

	cg_puts(w->out, w->comma ? ",{" : "{");
	w->comma = false;
	list_fns(w);
	good = gcov_json_put_path(w, file);
	gcov_json_put_key(w, "functions");
	cg_putc(w->out, '[');
	w->comma = false;
	for (size_t i = 0; good && i < w->fns; i++)
		good = gcov_json_put_fn(w, i);
	cg_putc(w->out, ']');
	w->comma = true;
	gcov_json_put_key(w, "lines");
	cg_putc(w->out, '[');
	w->comma = false;
	good = good && put_lines(w);
	cg_puts(w->out, "]}");
	w->comma = true;
	forget_fns(w);
	return good;
}

/* ---- Documents ---------------------------------------------------------- */

static struct cg_slice
find_desc(const struct writer *w, const char *name)
{
	const char *key, *value;

	for (size_t i = 0; cg_part_desc(w->graph, w->part, i, &key, &value);
	     i++) {
		if (strcmp(key, name) == 0)
			return cg_slice(value);
	}
	return cg_slice("");
}

static void
put_head(struct writer *w)
{
	struct cg_slice compiler = find_desc(w, "Compiler"), data;
	const char *version = cg_opt(w->job, "format-version");
	char room[GCOVJSON_VERSION_MAX];

	w->major = gcov_json_major(compiler);
	w->blocks = version ? strcmp(version, "2") == 0
			    : w->major == 0 || w->major > 13;
	w->folder = find_desc(w, "Folder");
	w->comma = false;
	cg_putc(w->out, '{');
	gcov_json_put_text(
	    w, "format_version", cg_slice(w->blocks ? "2" : "1"));
	if (compiler.len > 0)
		gcov_json_put_text(
		    w, "gcc_version", gcov_json_version(compiler, room));
	if (w->folder.len > 0)
		gcov_json_put_text(w, "current_working_directory", w->folder);
	data = find_desc(w, "Data file");
	if (data.len == 0) /* gcov says what it was given */
		data = find_desc(w, "Notes file");
	if (data.len > 0)
		gcov_json_put_text(w, "data_file", data);
	gcov_json_put_key(w, "files");
	cg_putc(w->out, '[');
	w->comma = false;
}

static bool
put_document(struct writer *w)
{
	bool good = true;
	cg_file file;

	if (!w->lines)
		w->lines = cg_lines_new_listed(w->graph, w->part);
	else if (!cg_lines_turn(w->lines, w->part))
		return false;
	if (!w->lines)
		return false;
	put_head(w);
	while (good && cg_next_file(w->lines, &file)) {
		if (file != 0)
			good = put_file(w, file);
		else
			cg_warn(w->job, "lines of no known file are left out");
	}
	cg_puts(w->out, "]}\n");
	return good;
}

int
gcov_json_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	const char *version = cg_opt(job, "format-version");
	bool good;

	if (version && strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
		return cg_usage(
		    job, "expected --format-version 1 or 2, not %s", version);
	w.column = cg_find_event(graph, "Exec");
	if (w.column == cg_event_count(graph))
		return cg_fail(job,
		    "expected coverage: there is no event Exec, and a "
		    "profile's costs do not say how often lines ran");
	w.rows = cg_rows_new(graph);
	w.rank = calloc(cg_fn_count(graph) + 1, sizeof(*w.rank));
	good = w.rows && w.rank;
	if (!w.rank)
		(void)cg_nomem(job);
	for (; good && w.part < cg_part_count(graph); w.part++)
		good = put_document(&w);
	cg_lines_free(w.lines);
	cg_rows_free(w.rows);
	free(w.rank);
	free(w.entry);
	free(w.open);
	free(w.path);
	free(w.step);
	return good ? cg_out_status(out) : CG_ELIMIT;
}
