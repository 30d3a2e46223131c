/*
 * gcov_json.c - the module for JSON of gcov (.gcov.json.gz).
 *
 * gcov_json.h describes the format. Lines, functions, blocks, branches, calls,
 * conditions and prime paths survive; how often each block ran is lost.
 */
#include "gcov_json.h"

/*
 * Returns the score (CG_PROBE_*) of a document by its first keys. The key
 * gcc_version makes it sure, as no other format has it. Two other keys that
 * gcov writes make it likely.
 */
static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "gcc_version", "format_version",
		"current_working_directory", "data_file", "files", NULL };
	struct cg_json json;
	int known = 0;
	size_t i;

	cg_json_start(&json, head->text);
	if (cg_json_next(&json) != CG_JSON_OBJECT)
		return CG_PROBE_NO;
	while (cg_json_next(&json) == CG_JSON_KEY) {
		for (i = 0; keys[i] && !cg_equal(json.text, keys[i]);)
			i++;
		if (i == 0)
			return CG_PROBE_SURE;
		known += keys[i] != NULL;
		if (!keys[i] || !cg_json_skip(&json, cg_json_next(&json)))
			break;
	}
	return known > 1 ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "format-version",
	    .type = CG_STRING,
	    .arg = "N",
	    .help = "version to write: 1 or 2 (default: the compiler's)",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_gcov_json = {
	CG_MODULE,
	.name = "gcov-json",
	.title = "JSON of gcov (.gcov.json.gz), versions 1 and 2",
	.text = true,
	.suffixes = "gcov.json",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_SIGNED | CG_PARTS |
		   CG_BRANCHES | CG_BLOCKS | CG_CONDITIONS | CG_FILES |
		   CG_SYMBOLS | CG_DEFINITIONS | CG_DESCRIPTIONS,
	.options = options,
	.probe = probe,
	.read = gcov_json_read,
	.write = gcov_json_write,
};
