/*
 * put.c - what writers of reports share: files, lines, functions, losses.
 */
#include <inttypes.h>
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
	w->lines = NULL;
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

size_t
covjson_merge_fns(struct cg_job *job, const struct cg_merged_fn *fn, size_t n,
    size_t i, const char **name, uint64_t *count)
{
	size_t end = i + 1;

	*name = cg_demangle(job, fn[i].name.ptr);
	*count = fn[i].count;
	for (; end < n && fn[end].first == fn[i].first; end++) {
		if (strcmp(cg_demangle(job, fn[end].name.ptr), *name) != 0)
			break;
		if (__builtin_add_overflow(*count, fn[end].count, count))
			*count = UINT64_MAX;
	}
	return end;
}

uint64_t
covjson_count(struct covjson_writer *w, int64_t count)
{
	w->negative += count < 0;
	return count > 0 ? (uint64_t)count : 0;
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
