/*
 * scoverage.c - the module for the XML of scoverage, coverage of Scala.
 *
 * Source: reporter/src/main/scala/scoverage/reporter/ScoverageXmlWriter.scala
 * of scalac-scoverage-plugin 2.3, the parser of ReportGenerator 5.4, and a
 * report of sbt-scoverage. A method lists statements, which are expressions
 * with the line where they begin, and how often each ran. The count of a line
 * is that of the statement that ran most often. A statement with
 * branch="true" is one way out of a branch; which ones belong together is not
 * stated, so those of a line and method are one block.
 *
 * Lines, methods and branches survive. Lost are positions of characters,
 * classes, and statements that a comment or option excludes.
 */
#include <inttypes.h>

#include "coverage_xml.h"

struct scoverage {
	struct coverage_xml_methods methods;
	uint64_t ignored;
};

static bool
open_method(struct coverage_xml_reader *r)
{
	struct scoverage *s = r->arg;
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	return coverage_xml_begin_method(
	    r, &s->methods, cg_add_name(r->build, name));
}

static bool
open_statement(struct coverage_xml_reader *r)
{
	struct scoverage *s = r->arg;
	struct coverage_xml_statement statement = { 0 };
	struct cg_slice text;
	uint64_t line;

	if (cg_xml_attribute(r->xml, "ignored", &text) &&
	    cg_equal(text, "true")) {
		s->ignored++;
		return true;
	}
	if (!cg_xml_attribute(r->xml, "source", &text) || text.len == 0)
		return cg_xml_reject(r->xml, "source=\"...\" with a file");
	statement.file = cg_add_name(r->build, text);
	if (!coverage_xml_list_file(r, &s->methods, statement.file, text) ||
	    !coverage_xml_get_number(r, "line", false, UINT32_MAX, &line) ||
	    !coverage_xml_get_number(
		r, "invocation-count", false, INT64_MAX, &statement.count))
		return false;
	statement.first = statement.last = (uint32_t)line;
	if (!coverage_xml_add_statement(r, &s->methods, &statement))
		return false;
	(void)cg_xml_attribute(r->xml, "branch", &text);
	return !cg_equal(text, "true") ||
	       coverage_xml_add_outcome(r, &s->methods,
		   &(struct coverage_xml_outcome){ .file = statement.file,
		       .line = statement.first,
		       .count = statement.count });
}

static bool
close_package(struct coverage_xml_reader *r)
{
	return coverage_xml_end_methods(
	    r, &((struct scoverage *)r->arg)->methods);
}

static const struct coverage_xml_element elements[] = {
	{ "scoverage", NULL, NULL },
	{ "statement", open_statement, NULL },
	{ "statements", NULL, NULL },
	{ "method", open_method, NULL },
	{ "methods", NULL, NULL },
	{ "class", NULL, NULL },
	{ "classes", NULL, NULL },
	{ "package", NULL, close_package },
	{ "packages", NULL, NULL },
	{ NULL, NULL, NULL },
};

static int
read_scoverage(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct scoverage s = { .methods.largest = true };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &s
	};
	int status;

	(void)cg_add_event(build, &event);
	status = coverage_xml_read_document(&r, elements);
	coverage_xml_tell_dropped(&r, &s.methods);
	if (s.ignored > 0)
		cg_note(job,
		    "dropped %" PRIu64 " statement%s with ignored=true",
		    s.ignored, s.ignored == 1 ? "" : "s");
	return status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) && cg_starts(tag, "scoverage")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_scoverage = {
	CG_MODULE,
	.name = "scoverage",
	.title = "coverage of Scala: XML of scoverage",
	.text = true,
	.suffixes = "scoverage.xml",
	.probe = probe,
	.read = read_scoverage,
};
