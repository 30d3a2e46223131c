/*
 * cobertura.c - the module for Cobertura XML, which CI services read.
 *
 * Source: coverage-04.dtd of Cobertura, and the output of gcovr 5.2 and 8.7,
 * coverage.py, LLVM and istanbul. Directories are packages, files are classes,
 * functions are methods; a method's signature is its linkage name.
 *
 * Lines with their hits survive, and the number of branches of a line and of
 * those taken. Lost are which branches were taken and how often, entry counts
 * of functions, and tests. Hits of a line in excess of the methods' hits
 * belong to no function: inlined code, for example.
 */
#include "cobertura.h"

/*
 * Returns the score (CG_PROBE_*) of a document whose first element is
 * <coverage>. Other formats have an element of that name, Clover's for
 * example. So the score is CG_PROBE_SURE only with the attribute line-rate. It
 * is CG_PROBE_LIKELY with an element <packages>, else CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	if (!cg_head_root(head, &tag, &rest) || !cg_starts(tag, "coverage"))
		return CG_PROBE_NO;
	if (cg_find(tag, "line-rate="))
		return CG_PROBE_SURE;
	return cg_find(rest, "<packages") ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ .name = "package",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "write only this package and those inside it",
	    .writing = true },
	{ .name = "methods",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .help = "write methods with their lines",
	    .writing = true },
	{ .name = "timestamp",
	    .type = CG_NUMBER,
	    .fallback = "0",
	    .arg = "SECONDS",
	    .help = "when the program ran, in seconds since 1970",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_cobertura = {
	CG_MODULE,
	.name = "cobertura",
	.title = "Cobertura XML, which CI services read",
	.text = true,
	.suffixes = "cobertura;cobertura.xml;xml",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_SYMBOLS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = cobertura_read,
	.write = cobertura_write,
};
