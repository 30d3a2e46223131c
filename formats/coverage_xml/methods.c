/*
 * methods.c - shared by the readers of reports that list the statements of
 * methods. Where the files come after the methods, or are known by numbers,
 * methods are collected until both are known.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "coverage_xml.h"

/*
 * A statement may have many lines, and each becomes a row. A document may
 * state one for each of its bytes, plus this number: see BRANCHES_MORE.
 */
#define LINES_MORE 65536

/* Compilers mark code that has no line by these lines. */
#define HIDDEN_LINE 0xfeefee /* .NET */
#define NO_LINE 0xf00f00     /* Visual Studio */

/* ---- Collecting --------------------------------------------------------- */

bool
coverage_xml_begin_method(
    struct coverage_xml_reader *r, struct coverage_xml_methods *m, cg_name name)
{
	struct coverage_xml_method *method = cg_push(r->job, &m->method);

	if (!method)
		return false;
	method->name = name;
	method->statement = m->statement.n;
	method->outcome = m->outcome.n;
	return true;
}

/*
 * Returns the method that was begun last. The pointer is valid until the next
 * method is begun. NULL: there is none (reported).
 */
struct coverage_xml_method *
coverage_xml_last_method(
    struct coverage_xml_reader *r, struct coverage_xml_methods *m)
{
	if (m->method.n > 0)
		return &m->method.at[m->method.n - 1];
	(void)cg_xml_reject(r->xml, "a method before its statements");
	return NULL;
}

bool
coverage_xml_add_statement(struct coverage_xml_reader *r,
    struct coverage_xml_methods *m,
    const struct coverage_xml_statement *statement)
{
	if (!coverage_xml_last_method(r, m))
		return false;
	if (statement->first == 0 || statement->first == HIDDEN_LINE ||
	    statement->first == NO_LINE)
		return true;
	if (statement->last < statement->first)
		return cg_xml_reject(
		    r->xml, "a last line that is not before the first one");
	m->lines += (uint64_t)statement->last - statement->first + 1;
	if (m->lines > cg_in_offset(r->in) + LINES_MORE)
		return cg_xml_reject(r->xml,
		    "fewer lines: at most one for each byte of the input");
	return cg_append(r->job, &m->statement, *statement);
}

bool
coverage_xml_add_outcome(struct coverage_xml_reader *r,
    struct coverage_xml_methods *m, const struct coverage_xml_outcome *outcome)
{
	struct coverage_xml_outcome *added;

	if (!coverage_xml_last_method(r, m))
		return false;
	if (outcome->line == 0 || outcome->line == HIDDEN_LINE)
		return true;
	added = cg_push(r->job, &m->outcome);
	if (!added)
		return false;
	*added = *outcome;
	added->nth = m->outcome.n;
	return true;
}

static bool
is_windows(struct cg_slice path)
{
	return cg_starts(path, "\\\\") ||
	       (path.len > 2 && isalpha((unsigned char)path.ptr[0]) &&
		   path.ptr[1] == ':' && path.ptr[2] == '\\');
}

cg_file
coverage_xml_add_path(struct coverage_xml_reader *r,
    struct coverage_xml_methods *m, struct cg_slice path)
{
	if (!is_windows(path))
		return cg_add_file(r->build, path);
	/* '/', so that every target recognises the directories. */
	if (!cg_resize(r->job, &m->text, path.len))
		return 0;
	for (size_t i = 0; i < path.len; i++)
		m->text.at[i] = path.ptr[i] == '\\' ? '/' : path.ptr[i];
	return cg_add_file(r->build, (struct cg_slice){ m->text.at, path.len });
}

bool
coverage_xml_list_file(struct coverage_xml_reader *r,
    struct coverage_xml_methods *m, uint64_t id, struct cg_slice path)
{
	uint32_t *at = cg_map_in(r->job, &m->files, id);

	if (!at)
		return false;
	*at = coverage_xml_add_path(r, m, path);
	return true;
}

/* ---- Adding to the graph ------------------------------------------------ */

struct row {
	cg_file file;
	uint32_t line;
	uint64_t count;
};

static int
compare_rows(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->count < b->count) - (a->count > b->count);
}

static int
compare_outcomes(const void *pa, const void *pb)
{
	const struct coverage_xml_outcome *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

struct adder {
	struct coverage_xml_reader *r;
	struct coverage_xml_methods *m;
	const struct coverage_xml_statement *statement;
	struct coverage_xml_outcome *outcome;
	size_t statements, outcomes;
	cg_fn fn;
	CG_ARRAY(struct row) row;
};

static bool
add_row(struct adder *a, cg_file file, uint32_t line, uint64_t count)
{
	const struct cg_pos pos = { .file = file, .line = line };

	return cg_add_cost(a->r->build, a->fn, &pos, &count, 1);
}

/*
 * Adds a statement of the method as a region, if its file and columns are
 * known. False: the builder has failed.
 */
static bool
add_region(struct adder *a, const struct coverage_xml_statement *s)
{
	const cg_file file = cg_map_get(&a->m->files, s->file);

	return file == 0 || s->column == 0 || s->last_column == 0 ||
	       cg_add_region(a->r->build, a->fn,
		   &(struct cg_region){ .file = file,
		       .line = s->first,
		       .column = s->column,
		       .last = s->last,
		       .last_column = s->last_column,
		       .flags = CG_REGION_UTF16,
		       .count = (int64_t)s->count });
}

static bool
collect_rows(struct adder *a)
{
	a->row.n = 0;
	for (size_t i = 0; i < a->statements; i++) {
		const struct coverage_xml_statement *s = &a->statement[i];
		const cg_file file = cg_map_get(&a->m->files, s->file);

		if (file == 0) {
			a->m->unlisted++;
			continue;
		}
		for (uint64_t line = s->first; line <= s->last; line++) {
			if (!cg_append(a->r->job, &a->row,
				(struct row){ file, (uint32_t)line, s->count }))
				return false;
		}
	}
	return true;
}

static bool
add_lines(struct adder *a)
{
	const struct row *row = a->row.at;

	if (a->m->largest && a->row.n > 1)
		qsort(a->row.at, a->row.n, sizeof(*row), compare_rows);
	for (size_t i = 0; i < a->row.n; i++) {
		if (a->m->largest && i > 0 && row[i].line == row[i - 1].line &&
		    row[i].file == row[i - 1].file)
			continue;
		if (!add_row(a, row[i].file, row[i].line, row[i].count))
			return false;
	}
	return true;
}

/*
 * Adds the n outcomes of one branch to the graph as a block (group of
 * branches) with the number "block". If the count of one outcome is not 0,
 * flags all outcomes as reached. False: the builder has failed.
 */
static bool
add_branch(struct adder *a, const struct coverage_xml_outcome *outcome,
    size_t n, uint32_t block)
{
	struct cg_branch branch = {
		.pos = { .file = (cg_file)outcome->file,
		    .line = outcome->line },
		.kind = CG_BRANCH_ARC,
		.block = block,
	};

	for (size_t i = 0; i < n; i++) {
		if (outcome[i].count > 0)
			branch.flags = CG_BRANCH_REACHED;
	}
	for (size_t i = 0; i < n; i++) {
		branch.count = (int64_t)outcome[i].count;
		if (!cg_add_branch(a->r->build, a->fn, &branch))
			return false;
		branch.index++;
	}
	return true;
}

/*
 * Adds the n outcomes of one line to the graph. Consecutive outcomes with the
 * same group are those of one branch instruction. They become one block (group
 * of branches). The blocks of the line are numbered from 0. False: the builder
 * has failed.
 */
static bool
add_line_branches(
    struct adder *a, const struct coverage_xml_outcome *outcome, size_t n)
{
	uint32_t block = 0;

	for (size_t i = 0, end; i < n; i = end, block++) {
		for (end = i + 1;
		     end < n && outcome[end].group == outcome[i].group;)
			end++;
		if (!add_branch(a, outcome + i, end - i, block))
			return false;
	}
	return true;
}

static bool
add_branches(struct adder *a)
{
	size_t n = a->outcomes, end;

	for (size_t i = 0; i < n; i++)
		a->outcome[i].file =
		    cg_map_get(&a->m->files, a->outcome[i].file);
	if (n > 1)
		qsort(a->outcome, n, sizeof(*a->outcome), compare_outcomes);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n &&
				  a->outcome[end].line == a->outcome[i].line &&
				  a->outcome[end].file == a->outcome[i].file;)
			end++;
		if (a->outcome[i].file == 0)
			a->m->unlisted += end - i;
		else if (!add_line_branches(a, a->outcome + i, end - i))
			return false;
	}
	return true;
}

static bool
add_method(struct adder *a, const struct coverage_xml_method *method)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_pos entry = { 0 };
	struct cg_range range = { 0 };

	if (!collect_rows(a))
		return false;
	if (a->row.n == 0) {
		a->m->bare++;
		a->m->stray += a->outcomes;
		return true;
	}
	range.first = range.last = a->row.at[0].line;
	for (size_t i = 0; i < a->row.n; i++) {
		if (a->row.at[i].file != a->row.at[0].file)
			continue;
		if (a->row.at[i].line < range.first)
			range.first = a->row.at[i].line;
		if (a->row.at[i].line > range.last)
			range.last = a->row.at[i].line;
	}
	a->fn =
	    cg_add_fn_at(a->r->build, cg_get_name(a->r->build, method->name),
		a->row.at[0].file, 0, range.first, 0);
	cg_set_fn_range(a->r->build, a->fn, &range);
	entry.line = range.first;
	if (method->counted)
		(void)cg_add_call(a->r->build, 0, &nowhere, a->fn, &entry,
		    method->entries, NULL, 0);
	for (size_t i = 0; i < a->statements; i++) {
		if (!add_region(a, &a->statement[i]))
			return false;
	}
	return add_lines(a) && add_branches(a);
}

bool
coverage_xml_end_methods(
    struct coverage_xml_reader *r, struct coverage_xml_methods *m)
{
	struct adder a = { .r = r, .m = m };
	bool ok = true;

	for (size_t i = 0; i < m->method.n && ok; i++) {
		const struct coverage_xml_method *method = &m->method.at[i];
		const bool last = i + 1 == m->method.n;
		const size_t statement =
		    last ? m->statement.n : method[1].statement;
		const size_t outcome = last ? m->outcome.n : method[1].outcome;

		a.statements = statement - method->statement;
		a.statement = a.statements > 0
				  ? &m->statement.at[method->statement]
				  : NULL;
		a.outcomes = outcome - method->outcome;
		a.outcome =
		    a.outcomes > 0 ? &m->outcome.at[method->outcome] : NULL;
		ok = add_method(&a, method);
	}
	cg_drop(r->job, &a.row);
	m->method.n = m->statement.n = m->outcome.n = 0;
	return ok;
}

void
coverage_xml_tell_dropped(
    struct coverage_xml_reader *r, const struct coverage_xml_methods *m)
{
	if (m->unlisted > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " statement%s of files that the report "
		    "does not list",
		    m->unlisted, m->unlisted == 1 ? "" : "s");
	if (m->stray > 0)
		cg_warn(r->job,
		    "dropped %" PRIu64 " outcome%s of branches of methods "
		    "without lines",
		    m->stray, m->stray == 1 ? "" : "s");
	if (m->bare > 0)
		cg_note(r->job, "dropped %" PRIu64 " method%s without lines",
		    m->bare, m->bare == 1 ? "" : "s");
}
