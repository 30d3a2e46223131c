/*
 * coveragepy.c - JSON of coverage.py (coverage json), of Python.
 *
 * Source: jsonreport.py, results.py and lcovreport.py of coverage.py 7.11, and
 * output of coverage.py 6.5 and 7.11. A line ran or not: the count of a line
 * that ran is 1. A branch is a pair of lines, the second one negative where
 * the code is left. From version 7.6 on, functions list their lines without
 * the line of def; from 7.13 on, functions state the line where they begin.
 *
 * Lines, functions with their lines, and branches survive, in the order of
 * coverage.py's tracefiles. Lost are excluded lines, classes, contexts, and
 * where branches lead to.
 */
#include <stdlib.h>

#include "coverage_json.h"

struct branch {
	uint32_t line;
	int64_t to;
	bool hit;
};

/* The lines of a function. */
struct region {
	uint64_t start;
	uint32_t first, last;
};

struct python {
	struct coverage_json_section section;
	CG_ARRAY(struct branch) branch;
};

/* ---- Lines and branches ------------------------------------------------- */

static bool
take_number(struct cg_doc *doc, uint32_t *line)
{
	int64_t number;

	if (!cg_doc_number(doc, 0, &number))
		return false;
	if (number < 0 || number > UINT32_MAX)
		return cg_doc_fail(doc, "a line number");
	*line = (uint32_t)number;
	return true;
}

static bool
take_lines(struct cg_doc *doc, int64_t count)
{
	struct python *python = doc->arg;
	struct coverage_json_line line = { .count = count };

	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!take_number(doc, &line.line) ||
		    (line.line > 0 &&
			!coverage_json_add_line(doc, &python->section, &line)))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_executed_lines(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_lines(doc, 1);
}

static bool
take_missing_lines(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_lines(doc, 0);
}

/*
 * Appends a branch, [from line, to line], to those of the file; hit: it was
 * taken. Drops branches from line 0 or less, and to their own line, which
 * coverage.py 6 lists. False: an error (reported).
 */
static bool
take_pair(struct cg_doc *doc, bool hit)
{
	struct python *python = doc->arg;
	int64_t pair[2] = { 0 };
	size_t n = 0;

	(void)cg_doc_array(doc);
	for (; cg_doc_item(doc); n++) {
		if (n == 2 || !cg_doc_number(doc, 0, &pair[n]))
			return cg_doc_fail(doc, "two lines of a branch");
	}
	if (n != 2 || pair[0] > UINT32_MAX)
		return cg_doc_fail(doc, "two lines of a branch");
	if (pair[0] <= 0 || pair[0] == pair[1])
		return doc->status == CG_OK;
	return cg_append(doc->job, &python->branch,
	    (struct branch){ (uint32_t)pair[0], pair[1], hit });
}

static bool
take_pairs(struct cg_doc *doc, bool hit)
{
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!take_pair(doc, hit))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_executed_branches(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_pairs(doc, true);
}

static bool
take_missing_branches(struct cg_doc *doc, void *into)
{
	(void)into;
	return take_pairs(doc, false);
}

/*
 * Orders branches for qsort(): by line, then by target. Exits of the function
 * (to < 0) come after other targets. Of equal branches, a taken branch comes
 * first, as add_branches() keeps the first one.
 */
static int
compare_branches(const void *pa, const void *pb)
{
	const struct branch *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if ((a->to < 0) != (b->to < 0))
		return a->to < 0 ? 1 : -1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (int)b->hit - (int)a->hit;
}

/*
 * Adds the branches that were read for a file to the branches collected for
 * it, sorted and each once. Empties the list python->branch. If any branch of
 * a line was taken, all branches of the line are flagged as reached. False: an
 * error (reported).
 */
static bool
add_branches(struct cg_doc *doc, struct python *python)
{
	const struct branch *branch = python->branch.at;

	if (python->branch.n > 1)
		qsort(python->branch.at, python->branch.n, sizeof(*branch),
		    compare_branches);
	for (size_t i = 0, end; i < python->branch.n; i = end) {
		struct coverage_json_branch to = {
			.row = { .pos.line = branch[i].line,
			    .kind = CG_BRANCH_ARC }
		};

		for (end = i; end < python->branch.n &&
			      branch[end].line == branch[i].line;
		     end++) {
			if (branch[end].hit)
				to.row.flags = CG_BRANCH_REACHED;
		}
		for (size_t j = i; j < end; j++) {
			if (j > i && branch[j].to == branch[j - 1].to)
				continue;
			to.row.count = branch[j].hit;
			if (!coverage_json_add_branch(
				doc, &python->section, &to))
				return false;
			to.row.index++;
		}
	}
	python->branch.n = 0;
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Reads a line number of a function, and extends the function's range of lines
 * to include it. The argument points to the range, a struct region. Ignores
 * the number 0. False: an error (reported).
 */
static bool
take_region_line(struct cg_doc *doc, void *into)
{
	struct region *region = into;
	uint32_t line = 0;

	if (!take_number(doc, &line))
		return false;
	if (line > 0 && (region->first == 0 || line < region->first))
		region->first = line;
	if (line > region->last)
		region->last = line;
	return true;
}

static bool
take_fns(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "executed_lines", CG_FIELD_EACH, 0, take_region_line, 0 },
		{ "missing_lines", CG_FIELD_EACH, 0, take_region_line, 0 },
		{ "start_line", CG_FIELD_COUNT, offsetof(struct region, start),
		    NULL, 0 },
		{ 0 },
	};
	struct python *python = doc->arg;
	struct cg_slice key;
	cg_name name;

	(void)into;
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct region region = { 0 };

		name = cg_add_name(doc->build, key);
		if (!cg_doc_fields(doc, fields, &region))
			return false;
		if (region.start > 0 && region.start <= region.first)
			region.first = (uint32_t)region.start;
		/* The name "" is the module's code outside of functions. */
		if (name == 0 || region.first == 0)
			continue;
		if (!coverage_json_add_fn(doc, &python->section,
			&(struct coverage_json_fn){ .name = name,
			    .first = region.first,
			    .last = region.last }))
			return false;
	}
	return doc->status == CG_OK;
}

/* ---- The document ------------------------------------------------------- */

static bool
take_files(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ "executed_lines", CG_FIELD_CALL, 0, take_executed_lines, 0 },
		{ "missing_lines", CG_FIELD_CALL, 0, take_missing_lines, 0 },
		{ "executed_branches", CG_FIELD_CALL, 0, take_executed_branches,
		    0 },
		{ "missing_branches", CG_FIELD_CALL, 0, take_missing_branches,
		    0 },
		{ "functions", CG_FIELD_CALL, 0, take_fns, 0 },
		{ 0 },
	};
	struct python *python = doc->arg;
	struct cg_slice key;
	cg_name path;

	(void)into;
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		path = cg_add_name(doc->build, key);
		if (!cg_doc_fields(doc, fields, doc->arg) ||
		    !add_branches(doc, python) ||
		    !coverage_json_end_section(
			doc, &python->section, cg_get_name(doc->build, path)))
			return false;
	}
	return doc->status == CG_OK;
}

static int
read_python(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ "files", CG_FIELD_CALL, 0, take_files, 0 },
		{ 0 },
	};
	struct python python = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &python);
	if (coverage_json_add_event(build))
		(void)cg_doc_fields(&doc, fields, doc.arg);
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "meta.branch_coverage",
		"meta.show_contexts", "meta.simplecov_version", NULL };
	unsigned found = cg_head_keys(head, keys);

	return found & 3 && !(found & 4) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_coveragepy = {
	CG_MODULE,
	.name = "coveragepy",
	.title = "coverage of Python: JSON of coverage.py (coverage json)",
	.text = true,
	.suffixes = "coverage.json",
	.probe = probe,
	.read = read_python,
};
