/*
 * lcov.c - the module for tracefiles of lcov, which genhtml and many services
 * read.
 *
 * Source: see lcov.h. Lines, branches, conditions, and functions with their
 * lines and entry counts survive; each test becomes a part. Checksums of lines
 * are lost. When writing, the function that ran a line is lost: lcov sums per
 * source line. A profile knows only lines with cost, so lines that never ran
 * are missing from its tracefile.
 */
#include <string.h>

#include "lcov.h"

/*
 * Detects a tracefile by its first record. Looks at the first 16 lines, and
 * skips empty lines and comments. Returns CG_PROBE_NO if the first record is
 * not SF, KF or TN, or no record was found. Returns CG_PROBE_SURE if one of
 * the later lines is a known record, too, else CG_PROBE_LIKELY.
 */
static int
probe(const struct cg_head *head)
{
	static const char *const records[] = { "SF:", "KF:", "TN:", "DA:", "FN",
		"BR", "MC", "VER:", "LF:", "LH:", "end_of_record" };
	struct cg_slice text = head->text, line;
	unsigned known = 0, begun = 0;

	for (int i = 0; i < 16 && cg_take_line(&text, &line); i++) {
		size_t n = sizeof(records) / sizeof(*records), j = 0;

		if (line.len == 0 || *line.ptr == '#' || *line.ptr == '\r')
			continue;
		while (j < n && !cg_starts(line, records[j]))
			j++;
		if (begun++ == 0 && j > 2)
			return CG_PROBE_NO;
		known += j < n;
	}
	if (begun == 0)
		return CG_PROBE_NO;
	return known > 1 ? CG_PROBE_SURE : CG_PROBE_LIKELY;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ .name = "format-version",
	    .type = CG_STRING,
	    .fallback = "1",
	    .arg = "N",
	    .help = "version to write; 2 adds records that lcov 1 lacks",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_lcov = {
	CG_MODULE,
	.name = "lcov",
	.title = "tracefiles of lcov and genhtml",
	.text = true,
	.suffixes = "info;lcov",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_CONDITIONS |
		   CG_PARTS | CG_SIGNED | CG_FILES | CG_SYMBOLS |
		   CG_DEFINITIONS,
	.needs = CG_LINES,
	.linkage = true,
	.options = options,
	.probe = probe,
	.read = lcov_read,
	.write = lcov_write,
};
