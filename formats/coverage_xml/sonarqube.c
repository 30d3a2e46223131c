/*
 * sonarqube.c - the module for SonarQube's generic coverage, which is imported
 * with sonar.coverageReportPaths.
 *
 * Source: "Generic test data" of the documentation of SonarQube 9.9, with
 * sonar-generic-coverage.xsd. It survives whether a line ran, the number of
 * its branches, and how many were taken. Counts and functions are lost. When
 * reading, a line that ran has count 1.
 */
#include "coverage_xml.h"

/* ---- Reading ------------------------------------------------------------ */

struct sonarqube {
	cg_file file; /* the open file; 0: none */
	cg_fn unknown;
};

static bool
open_coverage(struct coverage_xml_reader *r)
{
	struct cg_slice version;

	if (!cg_xml_attribute(r->xml, "version", &version) ||
	    cg_equal(version, "1"))
		return true;
	return cg_xml_reject(r->xml, "version=\"1\" of the coverage");
}

static bool
open_file(struct coverage_xml_reader *r)
{
	struct sonarqube *s = r->arg;
	struct cg_slice path;

	if (!cg_xml_attribute(r->xml, "path", &path) || path.len == 0)
		return cg_xml_reject(r->xml, "path=\"...\"");
	s->file = cg_add_file(r->build, path);
	s->unknown = cg_add_fn(r->build, cg_slice(""), s->file, 0);
	return true;
}

static bool
open_line(struct coverage_xml_reader *r)
{
	struct sonarqube *s = r->arg;
	struct cg_branch branch = { .pos = { .file = s->file },
		.kind = CG_BRANCH_ARC };
	uint64_t line, all, hit, count;
	struct cg_slice covered;

	if (s->file == 0)
		return cg_xml_reject(r->xml, "<file> before <lineToCover>");
	(void)cg_xml_attribute(r->xml, "covered", &covered);
	count = cg_equal(covered, "true") || cg_equal(covered, "1");
	if (!count && !cg_equal(covered, "false") && !cg_equal(covered, "0"))
		return cg_xml_reject(
		    r->xml, "covered=\"...\" with true or false");
	if (!coverage_xml_get_number(
		r, "lineNumber", false, UINT32_MAX, &line) ||
	    !coverage_xml_get_number(
		r, "branchesToCover", true, UINT32_MAX, &all) ||
	    !coverage_xml_get_number(r, "coveredBranches", true, all, &hit) ||
	    !coverage_xml_allow_branches(r, all))
		return false;
	branch.pos.line = (uint32_t)line;
	branch.flags = count ? CG_BRANCH_REACHED : 0;
	return cg_add_cost(r->build, s->unknown, &branch.pos, &count, 1) &&
	       coverage_xml_add_outcomes(
		   r, s->unknown, &branch, hit, all - hit);
}

static const struct coverage_xml_element elements[] = {
	{ "coverage", open_coverage, NULL },
	{ "lineToCover", open_line, NULL },
	{ "file", open_file, NULL },
	{ NULL, NULL, NULL },
};

static int
read_sonarqube(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = COVERAGE_XML_EVENT;
	struct sonarqube s = { 0 };
	struct coverage_xml_reader r = {
		.job = job, .in = in, .build = build, .arg = &s
	};

	(void)cg_add_event(build, &event);
	return coverage_xml_read_document(&r, elements);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	if (!cg_head_root(head, &tag, &rest) || !cg_starts(tag, "coverage") ||
	    !cg_find(tag, " version="))
		return CG_PROBE_NO;
	return cg_find(rest, "<lineToCover ") ? CG_PROBE_SURE : CG_PROBE_NO;
}

/* ---- Writing ------------------------------------------------------------ */

static void
put_line(struct cg_out *out, const struct cg_line_sum *line)
{
	struct cg_hits branches = { 0 };

	cg_puts(out, "<lineToCover");
	coverage_xml_put_number(out, "lineNumber", line->line);
	cg_put_xml_attribute(
	    out, "covered", cg_slice(line->hits > 0 ? "true" : "false"));
	cg_count_arcs(line->branch, line->branches, &branches);
	if (branches.found > 0) {
		coverage_xml_put_number(out, "branchesToCover", branches.found);
		coverage_xml_put_number(out, "coveredBranches", branches.hit);
	}
	cg_puts(out, "/>\n");
}

static void
put_file(struct cg_report *r, cg_file file)
{
	struct cg_line_sum line;

	cg_puts(r->out, "<file");
	cg_put_xml_attribute(r->out, "path", cg_file_path(r->graph, file));
	cg_puts(r->out, ">\n");
	while (cg_report_line(r, &line))
		put_line(r->out, &line);
	cg_puts(r->out, "</file>\n");
}

static int
write_sonarqube(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct cg_report r = { .job = job,
		.graph = graph,
		.out = out,
		.part = CG_ALL_PARTS,
		.only_whether = true };
	int status = cg_report_open(&r);
	cg_file file;

	if (status != CG_OK)
		return status;
	cg_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<coverage version=\"1\">\n");
	while (cg_report_file(&r, &file))
		put_file(&r, file);
	cg_puts(out, "</coverage>\n");
	return cg_report_close(&r, true);
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_sonarqube = {
	CG_MODULE,
	.name = "sonarqube",
	.title = "SonarQube's generic coverage, as XML",
	.text = true,
	.suffixes = "sonarqube.xml;sonar.xml",
	.carries =
	    CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED | CG_FILES,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = read_sonarqube,
	.write = write_sonarqube,
};
