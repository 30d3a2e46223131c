/*
 * ctc.c - the module for the XML of Testwell CTC++, coverage of C and C++.
 *
 * Source: the parser of ReportGenerator 5.4, for whose template ctcreport
 * writes it, and reports of ctcreport 10.2. A file has functions, and these
 * lines, of which the executable ones state whether they ran. The first probe
 * of a line may be a decision, with counts of true and false; a probe that has
 * only the count of true, "FUNCTION ...", is the entry of the function.
 *
 * As in ReportGenerator, lines of code between functions are dropped. A line
 * with a probe has its count, others that ran have 1. Lines, functions and
 * decisions survive. Lost are combinations of conditions, MC/DC, and what was
 * justified.
 */
#include "coverage_xml.h"

struct ctc {
	struct coverage_xml_methods methods;
	uint64_t file; /* number of files so far */
	uint64_t line; /* of the open line; 0: none, or no code */
	bool ran;
	bool outside; /* between functions */
	bool probed;  /* the line's first probe was read */
	uint64_t count;
	bool entry; /* of the open probe */
	uint64_t yes;
};

static bool
open_file(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;
	struct cg_slice path;

	if (!cg_xml_attribute(r->xml, "location", &path) || path.len == 0)
		return cg_xml_reject(r->xml, "location=\"...\" with a path");
	return coverage_xml_list_file(r, &c->methods, ++c->file, path);
}

static bool
close_file(struct coverage_xml_reader *r)
{
	return coverage_xml_end_methods(r, &((struct ctc *)r->arg)->methods);
}

static bool
open_function(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	c->outside = name.len == 0;
	return c->outside || coverage_xml_begin_method(
				 r, &c->methods, cg_add_name(r->build, name));
}

static bool
open_rest(struct coverage_xml_reader *r)
{
	((struct ctc *)r->arg)->outside = true;
	return true;
}

static bool
open_line(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;
	struct cg_slice type, ran;

	c->line = 0;
	c->probed = false;
	(void)cg_xml_attribute(r->xml, "codeType", &type);
	(void)cg_xml_attribute(r->xml, "isExecuted", &ran);
	if (c->outside || !cg_equal(type, "Executable"))
		return true;
	c->ran = cg_equal(ran, "Executed");
	if (!c->ran && ran.len > 0 && !cg_equal(ran, "NotExecuted"))
		return cg_xml_reject(
		    r->xml, "isExecuted=\"...\" with Executed or NotExecuted");
	c->count = c->ran;
	return coverage_xml_get_number(
	    r, "number", false, UINT32_MAX, &c->line);
}

/*
 * Reads the first probe of a line with code; skips others. Counts of true and
 * false are the outcomes of a branch; true alone is a function's entries. A
 * positive sum is the count of a line that ran. False: an error (reported).
 */
static bool
open_probe(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;
	struct coverage_xml_outcome outcome = { .file = c->file,
		.line = (uint32_t)c->line };
	struct cg_slice yes, no;
	uint64_t not_taken = 0;

	c->entry = false;
	if (c->line == 0 || c->probed)
		return true;
	c->probed = true;
	(void)cg_xml_attribute(r->xml, "trueCount", &yes);
	(void)cg_xml_attribute(r->xml, "falseCount", &no);
	if (yes.len == 0)
		return true;
	if (!coverage_xml_get_number(
		r, "trueCount", false, INT64_MAX / 2, &c->yes))
		return false;
	c->entry = no.len == 0;
	if (!c->entry) {
		outcome.count = c->yes;
		if (!coverage_xml_get_number(
			r, "falseCount", false, INT64_MAX / 2, &not_taken) ||
		    !coverage_xml_add_outcome(r, &c->methods, &outcome))
			return false;
		outcome.count = not_taken;
		if (!coverage_xml_add_outcome(r, &c->methods, &outcome))
			return false;
	}
	if (c->ran && c->yes + not_taken > 0)
		c->count = c->yes + not_taken;
	return true;
}

static bool
open_description(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;
	struct coverage_xml_method *method;
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text) || !c->entry ||
	    !cg_starts(cg_trim(text), "FUNCTION "))
		return true;
	method = coverage_xml_last_method(r, &c->methods);
	if (!method)
		return false;
	method->counted = true;
	method->entries = c->yes;
	c->entry = false;
	return true;
}

static bool
close_line(struct coverage_xml_reader *r)
{
	struct ctc *c = r->arg;

	return c->line == 0 ||
	       coverage_xml_add_statement(r, &c->methods,
		   &(struct coverage_xml_statement){ .file = c->file,
		       .first = (uint32_t)c->line,
		       .last = (uint32_t)c->line,
		       .count = c->count });
}

static const struct coverage_xml_element elements[] = {
	{ "coverage", NULL, NULL },
	{ "line", open_line, close_line },
	{ "probe", open_probe, NULL },
	{ "description", open_description, NULL },
	{ "justification", coverage_xml_skip, NULL },
	{ "tfcombination", coverage_xml_skip, NULL },
	{ "mcdc", coverage_xml_skip, NULL },
	{ "measure", coverage_xml_skip, NULL },
	{ "function", open_function, NULL },
	{ "functionRemainingCode", open_rest, NULL },
	{ "file", open_file, close_file },
	{ "ctcreportOptions", coverage_xml_skip, NULL },
	{ NULL, NULL, NULL },
};

static int
read_ctc(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct ctc c = { .methods.largest = true };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &c
	};
	int status;

	(void)cg_add_event(build, &event);
	status = coverage_xml_read_document(&r, elements);
	coverage_xml_tell_dropped(&r, &c.methods);
	return status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) && cg_starts(tag, "coverage") &&
		       cg_find(tag, " ctcreportVersion=")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_ctc = {
	CG_MODULE,
	.name = "ctc",
	.title = "coverage of C and C++: XML of Testwell CTC++",
	.text = true,
	.suffixes = "ctc.xml",
	.probe = probe,
	.read = read_ctc,
};
