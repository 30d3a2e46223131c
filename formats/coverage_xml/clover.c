/*
 * clover.c - the module for Clover XML, which PHPUnit and istanbul write, too.
 *
 * Source: clover-core/src/main/resources/clover.xsd and XMLReporter.java of
 * OpenClover; istanbul-reports 3.1 (lib/clover/index.js); PHPUnit's reports. A
 * file lists lines: a method that begins there, a statement with its count, a
 * branch with the counts of both outcomes. istanbul states one branch per
 * line, with a count of the line; "truecount" is then the number of outcomes
 * that ran, "falsecount" the number of other outcomes.
 *
 * Lines with their counts survive, methods with their counts, and branches of
 * two outcomes with the outcomes' counts. For other lines with branches only
 * the numbers of outcomes and of those that ran survive. The format does not
 * state the method of a line, and istanbul writes only the number of methods.
 * Lost are classes, complexity, the sizes of files, and, when reading, the
 * project of tests.
 */
#include "coverage_xml.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	if (!cg_head_root(head, &tag, &rest) || !cg_starts(tag, "coverage") ||
	    cg_find(tag, "line-rate="))
		return CG_PROBE_NO;
	if (cg_find(tag, " clover="))
		return CG_PROBE_SURE;
	return cg_find(tag, " generated=") && cg_find(rest, "<project")
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ .name = "timestamp",
	    .type = CG_NUMBER,
	    .fallback = "0",
	    .arg = "SECONDS",
	    .help = "when the program ran, in seconds since 1970",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_clover = {
	CG_MODULE,
	.name = "clover",
	.title = "Clover XML, of PHPUnit and istanbul",
	.text = true,
	.suffixes = "clover;clover.xml",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_DEFINITIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = clover_read,
	.write = clover_write,
};
