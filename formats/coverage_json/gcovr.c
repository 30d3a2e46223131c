/*
 * gcovr.c - the module for gcovr's JSON (gcovr --json), which gcovr -a reads.
 *
 * Source: doc/source/output/json.rst and data_model/coverage.py of gcovr 8.6,
 * writer/json.py of gcovr 5.2, and their output. gcovr reads only the version
 * that it writes: 0.3 in gcovr 5.2, 0.14 in gcovr 8.4 to 8.6. Up to version
 * 0.6 the names of functions are demangled; from 0.10 on functions have both
 * names.
 *
 * Lines, branches, conditions and functions survive; lines and branches that
 * gcovr excludes are dropped. Lost are calls, blocks, decisions (gcovr's guess
 * from the source) and MD5 sums of lines.
 */
#include "coverage_json.h"

static int
probe(const struct cg_head *head)
{
	/* Keys that are absent from gcov's own JSON. */
	static const char *const keys[] = { "gcovr/format_version",
		"files.lines.gcovr/noncode", "files.lines.gcovr/md5",
		"files.functions.lineno", NULL };

	return cg_head_keys(head, keys) != 0 ? CG_PROBE_SURE : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	CG_OPTIONS_EXCLUDE,
	{ .name = "format-version",
	    .type = CG_STRING,
	    .fallback = "0.14",
	    .arg = "N",
	    .help = "version to write: 0.3 for gcovr 5.2, 0.14 for 8.4 to 8.6",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_gcovr_json = {
	CG_MODULE,
	.name = "gcovr-json",
	.title = "JSON of gcovr, which gcovr -a merges",
	.text = true,
	.suffixes = "gcovr.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_CONDITIONS |
		   CG_SIGNED | CG_FILES | CG_SYMBOLS | CG_DEFINITIONS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = coverage_json_read_gcovr,
	.write = coverage_json_write_gcovr,
};
