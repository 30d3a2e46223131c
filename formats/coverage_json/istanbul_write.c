/*
 * istanbul_write.c - writes Istanbul's JSON: the statements, else a statement
 * for each line, which begins in column 0. A function whose end is unknown ends
 * where it begins.
 */
#include <inttypes.h>

#include "coverage_json.h"

/* A statement, or a line: column 0. Columns are those of struct cg_region. */
struct statement {
	uint32_t line, column, last, last_column;
	uint64_t count;
};

struct writer {
	struct cg_report r;
	CG_ARRAY(struct statement) line, statement; /* of the file */
	bool other;  /* a region of the file is no statement */
	bool stated; /* statements are written, not lines */
	size_t lost; /* files whose regions are not written */
	struct coverage_json_fns list; /* the functions of the file */
	struct cg_numbers fns;         /* counts of its functions */
	struct cg_numbers branches;    /* line, number of outcomes, counts */
};

/*
 * Writes the key of a map's next member: the id in quotes, and a colon. Writes
 * a comma first unless the id is 0.
 */
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

/*
 * Appends the branches of a line to w->branches, as numbers. Appends for each
 * block (group of branches) the line, the number of branches, and their
 * counts. Skips impossible branches. False: out of memory (reported).
 */
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

/*
 * Appends the statements (regions) that begin on the current line of the
 * report to w->statement. Sets w->other if one has no column, or a column in
 * other units than Istanbul's (UTF-16). False: an error (reported).
 */
static bool
keep_statements(struct writer *w)
{
	const struct cg_branch *row;
	struct cg_region region;
	size_t n;

	if (!cg_line_regions(w->r.lines, &row, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		cg_get_region(&row[i], &region);
		w->other |=
		    region.flags != CG_REGION_UTF16 || region.column == 0;
		if (!cg_append(w->r.job, &w->statement,
			(struct statement){ region.line, region.column,
			    region.last, region.last_column,
			    cg_report_count(&w->r, region.count) }))
			return false;
	}
	return true;
}

static bool
collect(struct writer *w)
{
	struct cg_line_sum line;

	w->line.n = w->statement.n = 0;
	w->other = false;
	while (cg_report_line(&w->r, &line)) {
		if (line.has_cost && !cg_append(w->r.job, &w->line,
					 (struct statement){ line.line, 0,
					     line.line, 0, line.hits }))
			return false;
		if (!keep_statements(w) || !keep_branches(w, &line))
			return false;
	}
	return true;
}

/*
 * True if the file's lines follow from its statements, which are then written
 * instead. Readers give a line the highest count of the statements that begin
 * on it. False also for a line where none begins, without statements, and if
 * w->other is set.
 */
static bool
give_lines(const struct writer *w)
{
	size_t at = 0;
	uint64_t most;

	if (w->other || w->statement.n == 0)
		return false;
	for (size_t i = 0; i < w->line.n; i++) {
		const struct statement *s = w->statement.at;

		most = 0;
		if (at == w->statement.n || s[at].line != w->line.at[i].line)
			return false;
		for (; at < w->statement.n && s[at].line == w->line.at[i].line;
		     at++)
			most = s[at].count > most ? s[at].count : most;
		if (most != w->line.at[i].count)
			return false;
	}
	return at == w->statement.n;
}

static void
put_statement(struct writer *w, const struct statement *s)
{
	if (s->column == 0) {
		put_range(w, "", s->line, s->last, 0);
		return;
	}
	cg_putf(w->r.out,
	    "{\"start\":{\"line\":%" PRIu32 ",\"column\":%" PRIu32
	    "},\"end\":{\"line\":%" PRIu32 ",\"column\":",
	    s->line, s->column - 1, s->last);
	if (s->last_column > 0)
		cg_putu(w->r.out, s->last_column - 1);
	else
		cg_puts(w->r.out, "null");
	cg_puts(w->r.out, "}}");
}

/*
 * Returns the statements to write, and sets *n to their number. If the file's
 * lines follow from the statements of the input, returns these. Otherwise
 * returns one statement for each line.
 */
static const struct statement *
get_statements(const struct writer *w, size_t *n)
{
	*n = w->stated ? w->statement.n : w->line.n;
	return w->stated ? w->statement.at : w->line.at;
}

static bool
put_statements(struct writer *w)
{
	const struct statement *s;
	size_t n;

	if (!collect(w))
		return false;
	w->stated = give_lines(w);
	w->lost += !w->stated && w->statement.n > 0;
	s = get_statements(w, &n);
	for (size_t i = 0; i < n; i++) {
		put_id(w, i);
		put_statement(w, &s[i]);
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
put_statement_counts(struct writer *w)
{
	size_t n;
	const struct statement *s = get_statements(w, &n);

	for (size_t i = 0; i < n; i++) {
		put_id(w, i);
		cg_putu(w->r.out, s[i].count);
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

	w->fns.bytes = w->branches.bytes = 0;
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
	put_statement_counts(w);
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
	if (w.lost > 0 && cg_job_verbose(job))
		cg_note(job,
		    "wrote a statement for each line of %zu file%s, as "
		    "regions do not give the counts of the lines",
		    w.lost, w.lost == 1 ? "" : "s");
	coverage_json_free_fns(&w.list);
	return cg_report_close(&w.r, ok);
}
