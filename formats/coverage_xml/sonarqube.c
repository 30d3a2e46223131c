/*
 * sonarqube.c - the module for SonarQube's generic coverage, which is imported
 * with sonar.coverageReportPaths.
 *
 * Source: "Generic test data" of the documentation of SonarQube 9.9, with
 * sonar-generic-coverage.xsd. It survives whether a line ran, the number of
 * its branches, and how many were taken. Counts and functions are lost.
 */
#include "coverage_xml.h"

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
	.write = write_sonarqube,
};
