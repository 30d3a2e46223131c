/*
 * bullseye.c - the module for the XML of BullseyeCoverage (covxml), coverage
 * of C and C++.
 *
 * Source: "covxml - Export as XML" of the documentation of BullseyeCoverage,
 * version 6 of the format. Folders contain sources, these functions, and these
 * probes and blocks. A probe has a line, a kind and an event: a decision or
 * condition was true, false, both (full) or neither (none); other kinds were
 * reached (full) or not. A block has a line and was entered or not.
 *
 * It states whether code ran, not how often: counts are 0 and 1. Lines with
 * probes or blocks, functions, and outcomes of decisions and conditions
 * survive. Lost are columns, and constants, which need not run.
 */
#include <string.h>

#include "coverage_xml.h"

struct bullseye {
	struct coverage_xml_methods methods;
	CG_ARRAY(char) path;  /* of the open folders, each with a slash */
	CG_ARRAY(size_t) end; /* length of it before each folder */
	uint64_t file;        /* number of sources so far */
	uint64_t probes;      /* of all functions so far */
};

/*
 * Appends a name to b->path, the path of the open folders, and a slash if
 * slash is true. False: out of memory (reported).
 */
static bool
append(struct coverage_xml_reader *r, struct cg_slice name, bool slash)
{
	struct bullseye *b = r->arg;
	size_t n = b->path.n;

	if (!cg_resize(r->job, &b->path, n + name.len + slash))
		return false;
	for (size_t i = 0; i < name.len; i++)
		b->path.at[n++] = name.ptr[i];
	if (slash)
		b->path.at[n] = '/';
	return true;
}

static bool
open_root(struct coverage_xml_reader *r)
{
	struct cg_slice directory;

	(void)cg_xml_attribute(r->xml, "dir", &directory);
	while (directory.len > 0 &&
	       strchr("/\\", directory.ptr[directory.len - 1]))
		directory.len--;
	return directory.len == 0 || append(r, directory, true);
}

static bool
open_folder(struct coverage_xml_reader *r)
{
	struct bullseye *b = r->arg;
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	return cg_append(r->job, &b->end, b->path.n) && append(r, name, true);
}

static bool
close_folder(struct coverage_xml_reader *r)
{
	struct bullseye *b = r->arg;

	b->path.n = b->end.at[--b->end.n];
	return true;
}

static bool
open_source(struct coverage_xml_reader *r)
{
	struct bullseye *b = r->arg;
	const size_t n = b->path.n;
	struct cg_slice name;
	bool ok;

	if (!cg_xml_attribute(r->xml, "name", &name) || name.len == 0)
		return cg_xml_reject(r->xml, "name=\"...\" of the source");
	ok = append(r, name, false) &&
	     coverage_xml_list_file(r, &b->methods, ++b->file,
		 (struct cg_slice){ b->path.at, b->path.n });
	b->path.n = n;
	return ok;
}

static bool
close_source(struct coverage_xml_reader *r)
{
	return coverage_xml_end_methods(
	    r, &((struct bullseye *)r->arg)->methods);
}

static bool
open_fn(struct coverage_xml_reader *r)
{
	struct cg_slice name;

	(void)cg_xml_attribute(r->xml, "name", &name);
	return coverage_xml_begin_method(r,
	    &((struct bullseye *)r->arg)->methods, cg_add_name(r->build, name));
}

static bool
add_statement(struct coverage_xml_reader *r, uint64_t line, bool ran)
{
	struct bullseye *b = r->arg;

	return coverage_xml_add_statement(r, &b->methods,
	    &(struct coverage_xml_statement){ .file = b->file,
		.first = (uint32_t)line,
		.last = (uint32_t)line,
		.count = ran });
}

/*
 * Adds a decision or condition on the line as one branch of the last method.
 * The branch has the two outcomes true and false. "yes" and "no" say which
 * ones occurred. An outcome gets count 1 if it occurred, else 0. False: an
 * error (reported).
 */
static bool
add_outcomes(struct coverage_xml_reader *r, uint64_t line, bool yes, bool no)
{
	struct bullseye *b = r->arg;
	struct coverage_xml_outcome outcome = { .file = b->file,
		.line = (uint32_t)line,
		.group = b->probes,
		.count = yes };

	if (!coverage_xml_add_outcome(r, &b->methods, &outcome))
		return false;
	outcome.count = no;
	return coverage_xml_add_outcome(r, &b->methods, &outcome);
}

static bool
open_probe(struct coverage_xml_reader *r)
{
	struct bullseye *b = r->arg;
	struct cg_slice kind, event;
	bool yes, no, none;
	uint64_t line;

	b->probes++;
	(void)cg_xml_attribute(r->xml, "kind", &kind);
	(void)cg_xml_attribute(r->xml, "event", &event);
	if (cg_equal(kind, "constant"))
		return true;
	none = cg_equal(event, "none");
	yes = cg_equal(event, "true") || cg_equal(event, "full");
	no = cg_equal(event, "false") || cg_equal(event, "full");
	if (!none && !yes && !no)
		return cg_xml_reject(
		    r->xml, "event=\"...\" with none, false, true or full");
	if (!coverage_xml_get_number(r, "line", false, UINT32_MAX, &line) ||
	    !add_statement(r, line, !none))
		return false;
	return (!cg_equal(kind, "decision") && !cg_equal(kind, "condition")) ||
	       add_outcomes(r, line, yes, no);
}

static bool
open_block(struct coverage_xml_reader *r)
{
	uint64_t line, entered;

	return coverage_xml_get_number(r, "line", true, UINT32_MAX, &line) &&
	       coverage_xml_get_number(
		   r, "entered", true, INT64_MAX, &entered) &&
	       (line == 0 || add_statement(r, line, entered > 0));
}

static const struct coverage_xml_element elements[] = {
	{ "BullseyeCoverage", open_root, NULL },
	{ "probe", open_probe, NULL },
	{ "block", open_block, NULL },
	{ "fn", open_fn, NULL },
	{ "src", open_source, close_source },
	{ "folder", open_folder, close_folder },
	{ NULL, NULL, NULL },
};

static int
read_bullseye(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct bullseye b = { .methods.largest = true };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &b
	};
	int status;

	(void)cg_add_event(build, &event);
	status = coverage_xml_read_document(&r, elements);
	coverage_xml_tell_dropped(&r, &b.methods);
	return status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) &&
		       cg_starts(tag, "BullseyeCoverage")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_bullseye = {
	CG_MODULE,
	.name = "bullseye",
	.title = "coverage of C and C++: XML of BullseyeCoverage (covxml)",
	.text = true,
	.suffixes = "bullseye.xml",
	.probe = probe,
	.read = read_bullseye,
};
