/*
 * clover_read.c - reads Clover XML of OpenClover, PHPUnit and istanbul.
 *
 * A line can have a method, statements and branches, each of which is an
 * element. So the elements of a file are collected and sorted by line. The
 * count of a line is the largest count of its statements or, without
 * statements, the largest sum of a branch's outcomes.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage_xml.h"

struct line {
	uint32_t line;
	bool stated; /* it has a count: statement, or istanbul */
	bool branch; /* it has two outcomes with counts */
	size_t nth;  /* position in reader.line */
	uint64_t count;
	uint64_t yes, no; /* outcomes' counts, else their numbers */
};

struct reader {
	struct coverage_xml_reader *r;
	cg_file file;               /* the open file; 0: none */
	cg_fn unknown;              /* its function without a name */
	CG_ARRAY(struct line) line; /* of the file */
	bool unsorted;
	CG_ARRAY(char) package; /* as directory, for files without path */
};

/* ---- A file ------------------------------------------------------------- */

/* Orders the elements of a file for qsort(): by line, then as in the input. */
static int
compare_lines(const void *pa, const void *pb)
{
	const struct line *a = pa, *b = pb;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->nth > b->nth) - (a->nth < b->nth);
}

/*
 * Adds the branches of one <line> element to the graph. They form one block
 * (group of branches) with the number *block, which is then incremented. Does
 * nothing if the element has no branches. False: an error (reported).
 */
static bool
add_branches(struct reader *reader, const struct line *line, uint32_t *block)
{
	struct coverage_xml_reader *r = reader->r;
	struct cg_branch branch = {
		.pos = { .file = reader->file, .line = line->line },
		.kind = CG_BRANCH_ARC,
		.block = *block,
		.flags = line->count > 0 ? CG_BRANCH_REACHED : 0,
	};

	if (!line->branch && line->yes + line->no == 0)
		return true;
	++*block;
	if (!line->branch)
		return coverage_xml_add_outcomes(
		    r, reader->unknown, &branch, line->yes, line->no);
	branch.count = (int64_t)line->yes;
	if (!cg_add_branch(r->build, reader->unknown, &branch))
		return false;
	branch.index = 1;
	branch.count = (int64_t)line->no;
	return cg_add_branch(r->build, reader->unknown, &branch);
}

/*
 * Adds a line to the graph from its n elements, with all their branches. Its
 * count is the greatest that they state, else the greatest sum of two
 * outcomes. False: an error (reported).
 */
static bool
add_line(struct reader *reader, const struct line *line, size_t n)
{
	const struct cg_pos pos = { .file = reader->file, .line = line->line };
	uint64_t count = 0;
	uint32_t block = 0;
	bool stated = false;

	for (size_t i = 0; i < n; i++)
		stated |= line[i].stated;
	for (size_t i = 0; i < n; i++) {
		if (line[i].stated == stated && line[i].count > count)
			count = line[i].count;
		if (!add_branches(reader, &line[i], &block))
			return false;
	}
	return cg_add_cost(reader->r->build, reader->unknown, &pos, &count, 1);
}

static bool
close_file(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;

	if (reader->unsorted)
		qsort(reader->line.at, reader->line.n, sizeof(*reader->line.at),
		    compare_lines);
	for (size_t i = 0, end; i < reader->line.n; i = end) {
		for (end = i + 1;
		     end < reader->line.n &&
		     reader->line.at[end].line == reader->line.at[i].line;)
			end++;
		if (!add_line(reader, &reader->line.at[i], end - i))
			return false;
	}
	reader->line.n = 0;
	reader->unsorted = false;
	reader->file = 0;
	return true;
}

/* ---- Elements ----------------------------------------------------------- */

/*
 * Begins a package. Stores its name as a directory, com/x for com.x. If a file
 * has no attribute "path", and its name has no directory, open_file() puts
 * this directory before the name. False: out of memory (reported).
 */
static bool
open_package(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	if (!cg_resize(r->job, &reader->package, name.len))
		return false;
	for (size_t i = 0; i < name.len; i++)
		reader->package.at[i] = name.ptr[i] == '.' ? '/' : name.ptr[i];
	return true;
}

static bool
close_package(struct coverage_xml_reader *r)
{
	((struct reader *)r->arg)->package.n = 0;
	return true;
}

/*
 * Begins a file: adds it and a nameless function for its lines. The path is
 * the attribute "path" or else "name". Without "path", a "name" without a
 * directory gets the package's, as it may occur in several packages. False:
 * rejected (reported).
 */
static bool
open_file(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice path, name;

	if (reader->file)
		return cg_xml_reject(r->xml, "</file> before the next <file>");
	if ((!cg_xml_attribute(r->xml, "path", &path) || path.len == 0) &&
	    (!cg_xml_attribute(r->xml, "name", &path) || path.len == 0))
		return cg_xml_reject(r->xml, "path=\"...\" or name=\"...\"");
	if (cg_compare(cg_base_name(path), path) == 0 &&
	    !cg_xml_attribute(r->xml, "path", &name))
		reader->file = cg_add_file_in(r->build,
		    (struct cg_slice){ reader->package.at, reader->package.n },
		    path);
	else
		reader->file = cg_add_file(r->build, path);
	reader->unknown = cg_add_fn(r->build, cg_slice(""), reader->file, 0);
	return true;
}

/*
 * Adds a method that begins on the line, with its calls if their number is
 * stated. Its name is the signature (OpenClover) or "name" (PHPUnit); without
 * both it is skipped. False: rejected (reported).
 */
static bool
add_method(struct reader *reader, uint32_t line)
{
	const struct cg_pos nowhere = { 0 }, entry = { .line = line };
	struct coverage_xml_reader *r = reader->r;
	struct cg_slice name;
	uint64_t count;
	cg_fn fn;

	if (!coverage_xml_get_number(r, "count", true, INT64_MAX, &count))
		return false;
	if (!cg_xml_attribute(r->xml, "signature", &name) || name.len == 0)
		(void)cg_xml_attribute(r->xml, "name", &name);
	if (name.len == 0)
		return true;
	fn = cg_add_fn_at(r->build, name, reader->file, 0, line, 0);
	if (cg_xml_attribute(r->xml, "count", &name))
		cg_add_call(r->build, 0, &nowhere, fn, &entry, count, NULL, 0);
	return true;
}

/*
 * Reads the branches of a <line> element and its count to *line. Without
 * "count" (OpenClover), truecount and falsecount are counts of two outcomes,
 * and their sum is the line's. With it (istanbul), they are numbers of
 * branches taken and not taken. False: rejected (reported).
 */
static bool
get_branch(struct reader *reader, struct line *line)
{
	struct coverage_xml_reader *r = reader->r;
	struct cg_slice text;
	uint64_t most = INT64_MAX / 2;

	line->stated = cg_xml_attribute(r->xml, "count", &text);
	line->branch = !line->stated;
	if (line->stated)
		most = UINT32_MAX;
	if (!coverage_xml_get_number(r, "truecount", false, most, &line->yes) ||
	    !coverage_xml_get_number(r, "falsecount", false, most, &line->no))
		return false;
	if (line->branch) {
		line->count = line->yes + line->no;
		return true;
	}
	return coverage_xml_allow_branches(r, line->yes + line->no) &&
	       coverage_xml_get_number(
		   r, "count", false, INT64_MAX, &line->count);
}

static bool
open_line(struct coverage_xml_reader *r)
{
	struct reader *reader = r->arg;
	struct cg_slice type;
	struct line *line;
	uint64_t number;

	if (!reader->file)
		return cg_xml_reject(r->xml, "<file> before <line>");
	if (!coverage_xml_get_number(r, "num", false, UINT32_MAX, &number))
		return false;
	(void)cg_xml_attribute(r->xml, "type", &type);
	if (cg_equal(type, "method"))
		return add_method(reader, (uint32_t)number);
	line = cg_push(r->job, &reader->line);
	if (!line)
		return false;
	*line = (struct line){ .line = (uint32_t)number,
		.nth = reader->line.n - 1,
		.stated = true };
	if (cg_equal(type, "cond")) {
		if (!get_branch(reader, line))
			return false;
	} else if (!cg_equal(type, "stmt")) {
		return cg_xml_reject(
		    r->xml, "type=\"...\" with method, stmt or cond");
	} else if (!coverage_xml_get_number(
		       r, "count", false, INT64_MAX, &line->count)) {
		return false;
	}
	if (reader->line.n > 1 && line[-1].line > line->line)
		reader->unsorted = true;
	return true;
}

/* All elements of the schema. */
static const struct coverage_xml_element elements[] = {
	{ "coverage", NULL, NULL },
	{ "line", open_line, NULL },
	{ "metrics", NULL, NULL },
	{ "class", NULL, NULL },
	{ "file", open_file, close_file },
	{ "package", open_package, close_package },
	{ "project", NULL, NULL },
	{ "testproject", coverage_xml_skip, NULL },
	{ NULL, NULL, NULL },
};

int
clover_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct reader reader = { 0 };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &reader
	};

	(void)cg_add_event(build, &event);
	reader.r = &r;
	return coverage_xml_read_document(&r, elements);
}
