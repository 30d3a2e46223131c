/*
 * sonarqube.c - the module for SonarQube's generic coverage, which is imported
 * with sonar.coverageReportPaths.
 *
 * Source: "Generic test data" of the documentation of SonarQube 9.9, with
 * sonar-generic-coverage.xsd. Whether a line ran survives, and how many
 * branches it has and how many of them were taken. Lost are counts and
 * functions.
 */
#include "coverage.h"

static void
put_line(struct coverage_writer *w, const struct cg_line_sum *line)
{
	struct cg_hits branches = { 0 };

	cg_puts(w->out, "<lineToCover");
	coverage_put_number(w->out, "lineNumber", line->line);
	coverage_put_text(
	    w->out, "covered", cg_slice(line->hits > 0 ? "true" : "false"));
	cg_count_arcs(line->branch, line->branches, &branches);
	if (branches.found > 0) {
		coverage_put_number(w->out, "branchesToCover", branches.found);
		coverage_put_number(w->out, "coveredBranches", branches.hit);
	}
	cg_puts(w->out, "/>\n");
}

static void
put_file(struct coverage_writer *w, cg_file file)
{
	struct cg_line_sum line;
	bool open = false;

	while (coverage_next_line(w, &line)) {
		if (!open) {
			cg_puts(w->out, "<file");
			coverage_put_text(
			    w->out, "path", cg_file_path(w->graph, file));
			cg_puts(w->out, ">\n");
		}
		put_line(w, &line);
		open = true;
	}
	if (open)
		cg_puts(w->out, "</file>\n");
	w->any |= open;
}

static int
write_sonarqube(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct coverage_writer w;
	cg_file file;
	int status = coverage_open(&w, job, graph, out);

	if (status != CG_OK)
		return status;
	cg_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		     "<coverage version=\"1\">\n");
	while (coverage_next_file(&w, &file))
		put_file(&w, file);
	cg_puts(out, "</coverage>\n");
	coverage_report_counts(&w);
	return coverage_close(&w, true);
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
