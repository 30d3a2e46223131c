/*
 * jacoco.c - the module for the XML of JaCoCo, coverage of Java.
 *
 * Source: report.dtd 1.1 in org.jacoco.report of JaCoCo 0.8.6, and its reports.
 * Packages are directories, with source files and their lines; classes have
 * methods, of which only the first line and counters are stated.
 *
 * A line states how many of its instructions and branches were missed and
 * covered: events CoveredInstr and MissedInstr; the event Exec is 1 where an
 * instruction was covered. A line is assigned to a method if the method's
 * counters prove it; other lines belong to no function. Groups are modules of
 * a build: if several groups have a file of one path, the group is put before
 * the path. Sessions are lost. When writing, counts, conditions, and which
 * branch of a line was taken are lost, too.
 */
#include "coverage_xml.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	if (!cg_head_root(head, &tag, &rest) || !cg_starts(tag, "report"))
		return CG_PROBE_NO;
	if (cg_find(head->text, "-//JACOCO//DTD"))
		return CG_PROBE_SURE;
	if (cg_find(tag, " name=") &&
	    (cg_find(rest, "<sessioninfo ") || cg_find(rest, "<counter ") ||
		cg_find(rest, "<sourcefile ")))
		return CG_PROBE_LIKELY;
	return CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ 0 },
};

const struct cg_module cg_format_jacoco = {
	CG_MODULE,
	.name = "jacoco",
	.title = "XML of JaCoCo, coverage of Java",
	.text = true,
	.suffixes = "jacoco;jacoco.xml",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_SYMBOLS | CG_DEFINITIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = jacoco_read,
	.write = jacoco_write,
};
