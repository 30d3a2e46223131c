/*
 * cobertura.c - Cobertura's XML, which CI services read.
 *
 * Source: coverage-04.dtd of Cobertura, and what gcovr 5.2 and 8.7,
 * coverage.py, LLVM and istanbul write. Folders are packages, files are
 * classes, functions are methods; a method's signature is its linkage name.
 *
 * Lines and their hits survive, and how many outcomes a decision had: which
 * of them, and how often, is lost, as are entries of functions and what tests
 * there were. A line that has hits beyond those of methods was run outside of
 * any, such as inlined.
 */
#include <string.h>

#include "cobertura.h"

static bool
has(struct cg_slice text, const char *word)
{
	size_t len = strlen(word);

	for (; text.len >= len; text.ptr++, text.len--) {
		if (cg_starts(text, word))
			return true;
	}
	return false;
}

/* The first element is <coverage>; others have one, too, with other words. */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, tag;

	(void)cg_take_prefix(&text, "\xef\xbb\xbf");
	while (cg_take_until(&text, '<', &tag) && text.len > 0) {
		if (*text.ptr == '?' || *text.ptr == '!')
			continue;
		if (!cg_starts(text, "coverage"))
			return CG_PROBE_NO;
		(void)cg_take_until(&text, '>', &tag);
		if (has(tag, "line-rate="))
			return CG_PROBE_SURE;
		return has(text, "<packages") ? CG_PROBE_LIKELY : CG_PROBE_NO;
	}
	return CG_PROBE_NO;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ .name = "package",
	    .type = CG_STRING,
	    .arg = "FOLDER",
	    .help = "write this package and those in it only",
	    .writing = true },
	{ .name = "methods",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .help = "write the lines of functions, too",
	    .writing = true },
	{ .name = "timestamp",
	    .type = CG_NUMBER,
	    .fallback = "0",
	    .arg = "SECONDS",
	    .help = "when the program ran, since 1970",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_cobertura = {
	CG_MODULE,
	.name = "cobertura",
	.title = "Cobertura's XML, which CI services read",
	.suffixes = "cobertura;cobertura.xml;xml",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_SIGNED |
		   CG_FILES | CG_SYMBOLS,
	.needs = CG_LINES,
	.options = options,
	.probe = probe,
	.read = cobertura_read,
	.write = cobertura_write,
};
