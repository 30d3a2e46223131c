/*
 * istanbul_write.c - writes Istanbul's JSON: a statement for each line, which
 * begins in column 0. A function whose end is unknown ends where it begins.
 */
#include <inttypes.h>

#include "coverage_json.h"

struct writer {
	struct cg_report r;
	struct coverage_json_fns list; /* the functions of the file */
	struct cg_numbers statements;  /* counts of the file's statements */
	struct cg_numbers fns;         /* counts of its functions */
	struct cg_numbers branches;    /* line, number of outcomes, counts */
};

/* Puts the begin of a member of a map: ,"12": */
static void
put_id(struct writer *w, size_t id)
{
	cg_putf(w->r.out, "%s\"%zu\":", id > 0 ? "," : "", id);
}

static void
put_range(struct writer *w, const char *key, uint32_t first, uint32_t last,
    unsigned column)
{
	cg_putf(w->r.out,
	    "%s{\"start\":{\"line\":%" PRIu32
	    ",\"column\":0},\"end\":{\"line\":%" PRIu32 ",\"column\":%u}}",
	    key, first, last, column);
}

/* ---- Places ------------------------------------------------------------- */

static bool
put_fns(struct writer *w)
{
	if (!coverage_json_list_fns(&w->list, &w->r))
		return false;
	for (size_t i = 0; i < w->list.n; i++) {
		const struct coverage_json_merged *fn = &w->list.at[i];
		uint32_t first = fn->fn->first, last = fn->fn->last;

		put_id(w, i);
		cg_puts(w->r.out, "{\"name\":");
		cg_put_json(w->r.out, cg_slice(fn->name));
		put_range(w, ",\"decl\":", first, first, 0);
		put_range(
		    w, ",\"loc\":", first, last > 0 ? last : first, last > 0);
		cg_putf(w->r.out, ",\"line\":%" PRIu32 "}", first);
		if (!cg_numbers_in(w->r.job, &w->fns, fn->count))
			return false;
	}
	return true;
}

/* Keeps the branches of a line by block, except impossible branches. */
static bool
keep_branches(struct writer *w, const struct cg_line_sum *line)
{
	const struct cg_branch *branch = line->branch;
	size_t arcs = cg_line_arcs(line), n;

	for (size_t i = 0, end; i < arcs; i = end) {
		n = 0;
		for (end = i;
		     end < arcs && branch[end].block == branch[i].block; end++)
			n += !(branch[end].flags & CG_BRANCH_UNREACHABLE);
		if (n == 0)
			continue;
		if (!cg_numbers_in(w->r.job, &w->branches, line->line) ||
		    !cg_numbers_in(w->r.job, &w->branches, n))
			return false;
		for (size_t j = i; j < end; j++) {
			if (!(branch[j].flags & CG_BRANCH_UNREACHABLE) &&
			    !cg_numbers_in(w->r.job, &w->branches,
				cg_report_count(&w->r, branch[j].count)))
				return false;
		}
	}
	return true;
}

static bool
put_statements(struct writer *w)
{
	struct cg_line_sum line;
	size_t id = 0;

	while (cg_report_line(&w->r, &line)) {
		if (line.has_cost) {
			put_id(w, id++);
			put_range(w, "", line.line, line.line, 0);
			if (!cg_numbers_in(w->r.job, &w->statements, line.hits))
				return false;
		}
		if (!keep_branches(w, &line))
			return false;
	}
	return true;
}

static void
put_branches(struct writer *w)
{
	uint64_t line, n, count;
	size_t at = 0, id = 0;

	while (cg_numbers_get(&w->branches, &at, &line) &&
	       cg_numbers_get(&w->branches, &at, &n)) {
		put_id(w, id++);
		put_range(w, "{\"loc\":", (uint32_t)line, (uint32_t)line, 0);
		cg_puts(w->r.out, ",\"type\":\"branch\",\"locations\":[");
		for (uint64_t i = 0; i < n; i++) {
			put_range(w, i > 0 ? "," : "", (uint32_t)line,
			    (uint32_t)line, 0);
			(void)cg_numbers_get(&w->branches, &at, &count);
		}
		cg_putf(w->r.out, "],\"line\":%" PRIu64 "}", line);
	}
}

/* ---- Counts ------------------------------------------------------------- */

static void
put_counts(struct writer *w, const struct cg_numbers *counts)
{
	uint64_t count;

	for (size_t at = 0, id = 0; cg_numbers_get(counts, &at, &count); id++) {
		put_id(w, id);
		cg_putu(w->r.out, count);
	}
}

static void
put_outcomes(struct writer *w)
{
	uint64_t line, n, count;
	size_t at = 0, id = 0;

	while (cg_numbers_get(&w->branches, &at, &line) &&
	       cg_numbers_get(&w->branches, &at, &n)) {
		put_id(w, id++);
		for (uint64_t i = 0; i < n; i++) {
			(void)cg_numbers_get(&w->branches, &at, &count);
			cg_putc(w->r.out, i > 0 ? ',' : '[');
			cg_putu(w->r.out, count);
		}
		cg_putc(w->r.out, ']');
	}
}

/* ---- Files -------------------------------------------------------------- */

static bool
put_file(struct writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->r.graph, file);
	struct cg_out *out = w->r.out;

	w->statements.bytes = w->fns.bytes = w->branches.bytes = 0;
	cg_put_json(out, path);
	cg_puts(out, ":{\"path\":");
	cg_put_json(out, path);
	cg_puts(out, ",\n\"fnMap\":{");
	if (!put_fns(w))
		return false;
	cg_puts(out, "},\n\"statementMap\":{");
	if (!put_statements(w))
		return false;
	cg_puts(out, "},\n\"branchMap\":{");
	put_branches(w);
	cg_puts(out, "},\n\"s\":{");
	put_counts(w, &w->statements);
	cg_puts(out, "},\n\"f\":{");
	put_counts(w, &w->fns);
	cg_puts(out, "},\n\"b\":{");
	put_outcomes(w);
	cg_puts(out, "}}");
	return true;
}

int
coverage_json_write_istanbul(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .r = { .job = job,
				.graph = graph,
				.out = out,
				.part = CG_ALL_PARTS,
				.bare_lines = true } };
	int status = cg_report_open(&w.r);
	bool ok = true;
	cg_file file;

	if (status != CG_OK)
		return status;
	cg_puts(out, "{\n");
	while (ok && cg_report_file(&w.r, &file)) {
		if (w.r.files > 1)
			cg_puts(out, ",\n");
		ok = put_file(&w, file);
	}
	cg_puts(out, "\n}\n");
	coverage_json_free_fns(&w.list);
	return cg_report_close(&w.r, ok);
}
