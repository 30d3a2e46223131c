/*
 * istanbul.c - the module for JSON of Istanbul and nyc (coverage-final.json),
 * which Jest, Vitest and c8 also write.
 *
 * Source: file-coverage.js of istanbul-lib-coverage 3, lcovonly of
 * istanbul-reports 3, and output of nyc 18. An object of files by their paths;
 * statementMap, fnMap and branchMap have the positions of the statements,
 * functions and branches that s, f and b count.
 *
 * A line has the highest count of the statements that begin on it, as in
 * getLineCoverage(). Statements survive as regions, lines, functions with their
 * lines and counts, and branches. Columns of functions' ends and of branches
 * are lost. For data of formats without statements, or if lines of a file were
 * dropped, the writer writes a statement for each line.
 */
#include "coverage_json.h"

static int
probe(const struct cg_head *head)
{
	struct cg_json json;

	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT ||
	    cg_json_next(&json) != CG_JSON_KEY ||
	    cg_json_next(&json) != CG_JSON_OBJECT)
		return CG_PROBE_NO;
	if (!cg_find(head->text, "\"statementMap\""))
		return CG_PROBE_NO;
	return cg_find(head->text, "\"path\"") ? CG_PROBE_SURE
					       : CG_PROBE_LIKELY;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_istanbul = {
	CG_MODULE,
	.name = "istanbul",
	.title = "coverage of JavaScript: coverage-final.json of nyc, Jest, c8",
	.text = true,
	.suffixes = "coverage-final.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_DEFINITIONS | CG_REGIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = coverage_json_read_istanbul,
	.write = coverage_json_write_istanbul,
};
