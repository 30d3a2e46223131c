/*
 * lines.c - what the writers of coverage share: the lines of a file with their
 * hits, its functions, what is reported at the end.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "coverage.h"

int
coverage_open(struct coverage_writer *w, struct cg_job *job,
    const struct cg_graph *graph, struct cg_out *out)
{
	int status;

	*w = (struct coverage_writer){ .job = job, .graph = graph, .out = out };
	status = cg_choose_event(job, graph, "Exec", &w->event);
	if (status != CG_OK)
		return status;
	w->lines = cg_lines_new_by_name(graph, CG_ALL_PARTS);
	return w->lines ? CG_OK : cg_nomem(job);
}

bool
coverage_next_file(struct coverage_writer *w, cg_file *file)
{
	struct cg_line_sum line;

	while (cg_next_file(w->lines, file)) {
		if (cg_file_path(w->graph, *file).len > 0)
			return true;
		while (cg_next_line_sum(w->lines, w->event, &line))
			w->lost += line.hits;
	}
	return false;
}

bool
coverage_next_line(struct coverage_writer *w, struct cg_line_sum *line)
{
	while (cg_next_line_sum(w->lines, w->event, line)) {
		w->has_negative |= line->hits != line->cost;
		w->has_counts |= line->hits > 1;
		if (line->line == 0)
			w->lost += line->hits;
		else if (line->has_cost)
			return true;
		else
			w->bare += line->branches > 0;
	}
	return false;
}

/* ---- Functions ---------------------------------------------------------- */

static int
compare_keys(const void *pa, const void *pb)
{
	const struct coverage_fn *a = pa, *b = pb;

	return cg_compare(a->key, b->key);
}

struct coverage_fn *
coverage_find_fn(const struct coverage_writer *w, cg_fn fn)
{
	struct coverage_fn wanted = { .key = cg_fn_symbol(w->graph, fn) };

	if (wanted.key.len == 0)
		wanted.key = cg_fn_name(w->graph, fn);
	if (w->fns == 0)
		return NULL;
	return bsearch(&wanted, w->fn, w->fns, sizeof(wanted), compare_keys);
}

bool
coverage_list_fns(struct coverage_writer *w)
{
	const struct cg_merged_fn *merged;
	struct coverage_fn *found;
	const cg_fn *fn;
	size_t n;

	w->fns = 0;
	if (!cg_merged_fns(w->lines, w->event, &merged, &n) ||
	    !cg_grow_raw(&w->fn, &w->fn_cap, n, sizeof(*w->fn)))
		return false;
	for (size_t i = 0; i < n; i++)
		w->fn[w->fns++] = (struct coverage_fn){ .key = merged[i].name,
			.first = merged[i].first,
			.count = merged[i].count };
	if (w->fns > 1)
		qsort(w->fn, w->fns, sizeof(*w->fn), compare_keys);
	n = cg_file_fns(w->lines, &fn);
	for (size_t i = n; i-- > 0;) {
		found = coverage_find_fn(w, fn[i]);
		if (found)
			found->name = cg_fn_name(w->graph, fn[i]);
	}
	return true;
}

/* ---- The end ------------------------------------------------------------ */

void
coverage_report_counts(const struct coverage_writer *w)
{
	if (w->has_counts && cg_job_verbose(w->job))
		cg_note(w->job, "how often lines ran is dropped: only whether "
				"they did is written");
}

int
coverage_close(struct coverage_writer *w, bool ok)
{
	cg_lines_free(w->lines);
	free(w->fn);
	if (!ok)
		return cg_nomem(w->job);
	if (w->lost > 0)
		cg_warn(w->job,
		    "dropped %" PRIu64 " %s without a source file or line",
		    w->lost, cg_get_event(w->graph, w->event)->name);
	if (w->bare > 0)
		cg_warn(w->job,
		    "dropped branches of %" PRIu64 " line%s without a count",
		    w->bare, w->bare == 1 ? "" : "s");
	if (w->has_negative)
		cg_warn(w->job, "negative hits are written as 0");
	if (!w->any)
		return cg_fail(w->job, "expected costs of source lines");
	return cg_out_status(w->out);
}

/* ---- XML ---------------------------------------------------------------- */

void
coverage_put_text(struct cg_out *out, const char *name, struct cg_slice value)
{
	cg_putc(out, ' ');
	cg_puts(out, name);
	cg_puts(out, "=\"");
	cg_put_xml(out, value);
	cg_putc(out, '"');
}

void
coverage_put_number(struct cg_out *out, const char *name, uint64_t value)
{
	cg_putc(out, ' ');
	cg_puts(out, name);
	cg_puts(out, "=\"");
	cg_putu(out, value);
	cg_putc(out, '"');
}
