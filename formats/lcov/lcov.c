/*
 * lcov.c - tracefiles of lcov, what genhtml and many services read.
 *
 * Source: see lcov.h. Lines, branches, conditions, functions with their places
 * and entry counts survive, and a test's name as a part. Checksums of lines
 * are lost; so is, on writing, which function a line was run in: lcov adds up
 * per source line. From a profile only lines with cost are known: what never
 * ran cannot be told from what is no code.
 */
#include <string.h>

#include "lcov.h"

/* "TN:" or "SF:" at the front, a section's records behind. */
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
	{ .name = "format-version",
	    .type = CG_STRING,
	    .fallback = "1",
	    .arg = "N",
	    .help = "version to write; 2: with all that lcov 1 does not read",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_lcov = {
	CG_MODULE,
	.name = "lcov",
	.title = "tracefiles of lcov, for genhtml",
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
