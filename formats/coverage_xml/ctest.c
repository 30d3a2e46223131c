/*
 * ctest.c - the module for CoverageLog-N.xml, which ctest -T Coverage writes
 * for CDash.
 *
 * Source: Source/CTest/cmCTestCoverageHandler.cxx of CMake 3.25, and its
 * output. A file has all of its lines, numbered from 0, with the source as
 * text; count -1 means that a line has no code. Coverage.xml next to it has
 * only totals of files.
 *
 * Lines and their counts survive. Lost are the source, the site and times.
 */
#include "coverage_xml.h"

struct ctest {
	cg_file file; /* the open file; 0: none */
	cg_fn unknown;
};

static bool
open_file(struct coverage_xml_reader *r)
{
	struct ctest *c = r->arg;
	struct cg_slice path;

	if (!cg_xml_attribute(r->xml, "FullPath", &path) || path.len == 0)
		return cg_xml_reject(r->xml, "FullPath=\"...\" with a path");
	c->file = cg_add_file_in(r->build, cg_slice(""), path);
	c->unknown = cg_add_fn(r->build, cg_slice(""), c->file, 0);
	return true;
}

static bool
open_line(struct coverage_xml_reader *r)
{
	struct ctest *c = r->arg;
	struct cg_pos pos = { .file = c->file };
	struct cg_slice count;
	uint64_t number, hits;

	if (c->file == 0)
		return cg_xml_reject(r->xml, "<File> before <Line>");
	if (!coverage_xml_get_number(
		r, "Number", false, UINT32_MAX - 1, &number))
		return false;
	pos.line = (uint32_t)number + 1;
	if (!cg_xml_attribute(r->xml, "Count", &count) ||
	    !cg_equal(count, "-1")) {
		if (!coverage_xml_get_number(
			r, "Count", false, INT64_MAX, &hits) ||
		    !cg_add_cost(r->build, c->unknown, &pos, &hits, 1))
			return false;
	}
	return true;
}

static const struct coverage_xml_element elements[] = {
	{ "Site", NULL, NULL },
	{ "Line", open_line, NULL },
	{ "Report", NULL, NULL },
	{ "File", open_file, NULL },
	{ "CoverageLog", NULL, NULL },
	{ "StartDateTime", NULL, NULL },
	{ "StartTime", NULL, NULL },
	{ "EndDateTime", NULL, NULL },
	{ "EndTime", NULL, NULL },
	{ "Labels", NULL, NULL },
	{ "Label", NULL, NULL },
	{ NULL, NULL, NULL },
};

static int
read_ctest(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct ctest c = { 0 };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &c
	};

	(void)cg_add_event(build, &event);
	return coverage_xml_read_document(&r, elements);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) && cg_starts(tag, "Site") &&
		       cg_find(rest, "<CoverageLog>")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_ctest = {
	CG_MODULE,
	.name = "ctest",
	.title = "coverage of CTest: CoverageLog-N.xml, for CDash",
	.text = true,
	.suffixes = "coveragelog.xml",
	.probe = probe,
	.read = read_ctest,
};
