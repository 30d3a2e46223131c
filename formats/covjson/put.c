/*
 * put.c - what writers of reports share: files, lines, functions, losses.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "covjson.h"

static bool
has_lines(struct covjson_writer *w)
{
	struct cg_line line = { 0 };

	while (line.line == 0 && cg_next_line(w->lines, &line))
		;
	cg_first_line(w->lines);
	return line.line != 0;
}

static bool
put_file(struct covjson_writer *w, cg_file file,
    bool (*put)(struct covjson_writer *, struct cg_slice path))
{
	struct cg_slice path = cg_file_path(w->graph, file);
	struct cg_line_sum line;

	if (path.len == 0 || !has_lines(w)) {
		while (cg_next_line_sum(w->lines, w->event, &line))
			w->lost += line.hits;
		return true;
	}
	if (!put(w, path))
		return false;
	w->any = true;
	return true;
}

bool
covjson_put_files(struct covjson_writer *w,
    bool (*put)(struct covjson_writer *, struct cg_slice path))
{
	cg_file file;
	bool ok;

	w->lines = cg_lines_new_by_name(w->graph, CG_ALL_PARTS);
	ok = w->lines != NULL;
	while (ok && cg_next_file(w->lines, &file))
		ok = put_file(w, file, put);
	cg_lines_free(w->lines);
	free(w->merged);
	w->lines = NULL;
	w->merged = NULL;
	return ok;
}

bool
covjson_next_line(struct covjson_writer *w, struct cg_line_sum *line)
{
	while (cg_next_line_sum(w->lines, w->event, line)) {
		if (line->line > 0) {
			w->negative += line->hits != line->cost;
			return true;
		}
		w->lost += line->hits;
	}
	return false;
}

/* By line and name; those of one name as they are listed. */
static int
compare_names(const void *pa, const void *pb)
{
	const struct covjson_merged *a = pa, *b = pb;
	int order = strcmp(a->name, b->name);

	if (a->fn->first != b->fn->first)
		return a->fn->first < b->fn->first ? -1 : 1;
	return order != 0 ? order : (a->fn > b->fn) - (a->fn < b->fn);
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct covjson_merged *a = pa, *b = pb;

	return (a->fn > b->fn) - (a->fn < b->fn);
}

/* Adds functions of one name and line to the first of them; how many are left. */
static size_t
merge_names(struct covjson_merged *list, size_t n)
{
	size_t to = 0;

	for (size_t i = 1; i < n; i++) {
		uint64_t *count = &list[to].count;

		if (list[to].fn->first != list[i].fn->first ||
		    strcmp(list[to].name, list[i].name) != 0)
			list[++to] = list[i];
		else if (__builtin_add_overflow(*count, list[i].count, count))
			*count = UINT64_MAX;
	}
	return n > 0 ? to + 1 : 0;
}

bool
covjson_list_fns(
    struct covjson_writer *w, const struct covjson_merged **list, size_t *n)
{
	const struct cg_merged_fn *fn;

	if (!cg_merged_fns(w->lines, w->event, &fn, n) ||
	    !cg_grow_raw(&w->merged, &w->merged_cap, *n, sizeof(*w->merged)))
		return false;
	for (size_t i = 0; i < *n; i++)
		w->merged[i] = (struct covjson_merged){
			cg_demangle(w->job, fn[i].name.ptr), &fn[i], fn[i].count
		};
	if (*n > 1)
		qsort(w->merged, *n, sizeof(*w->merged), compare_names);
	*n = merge_names(w->merged, *n);
	if (*n > 1)
		qsort(w->merged, *n, sizeof(*w->merged), compare_places);
	*list = w->merged;
	return true;
}

uint64_t
covjson_count(struct covjson_writer *w, int64_t count)
{
	w->negative += count < 0;
	return count > 0 ? (uint64_t)count : 0;
}

/* As many lines without code as a large project has; more with its lines. */
#define GAPS_FREE (16u << 20)
#define GAPS_PER_LINE 1000

bool
covjson_put_gap(struct covjson_writer *w, struct covjson_gaps *gaps,
    uint32_t line, const char *item)
{
	if (gaps->next > 1)
		cg_putc(w->out, ',');
	gaps->gaps += line - gaps->next;
	gaps->lines++;
	if (gaps->gaps > GAPS_FREE + gaps->lines * GAPS_PER_LINE) {
		gaps->refused = true;
		return cg_reject(w->job,
		    "expected line numbers of sources, not %" PRIu32
		    ": the target has an item for each line",
		    line);
	}
	for (; gaps->next < line; gaps->next++)
		cg_puts(w->out, item);
	gaps->next++;
	return true;
}

int
covjson_end(struct covjson_writer *w)
{
	if (w->lost > 0)
		cg_warn(w->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->negative > 0)
		cg_warn(w->job, "%" PRIu64 " negative count%s written as 0",
		    w->negative, w->negative == 1 ? " is" : "s are");
	if (!w->any)
		return cg_fail(w->job, "expected costs of source lines");
	return cg_out_status(w->out);
}
