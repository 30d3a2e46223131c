/*
 * gcov_text.c - the module for gcov's annotated sources and lists, described
 * in gcov_text.h.
 */
#include "gcov_text.h"

static int
probe(const struct cg_head *head)
{
	struct cg_slice first = head->first, text = head->text, line;

	(void)cg_take_blanks(&first);
	if (cg_take_char(&first, '-') && cg_take_char(&first, ':')) {
		(void)cg_take_blanks(&first);
		return cg_starts(first, GCOV_TEXT_HEAD) ? CG_PROBE_SURE
							: CG_PROBE_NO;
	}
	if (cg_starts(text, "version:"))
		(void)cg_take_line(&text, &line);
	if (!cg_starts(text, "file:") || !cg_take_line(&text, &line))
		return CG_PROBE_NO;
	return cg_starts(text, "function:") || cg_starts(text, "lcount:")
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_SOURCES,
	{ 0 },
};

const struct cg_module cg_format_gcov_text = {
	CG_MODULE,
	.name = "gcov-text",
	.title = "annotated sources (.gcov) and lists of gcov",
	.text = true,
	.suffixes = "gcov",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_BLOCKS |
		   CG_CONDITIONS | CG_FILES | CG_SYMBOLS | CG_DEFINITIONS |
		   CG_DESCRIPTIONS,
	.options = options,
	.probe = probe,
	.read = gcov_text_read,
	.write = gcov_text_write,
};
