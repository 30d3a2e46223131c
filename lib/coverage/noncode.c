/*
 * noncode.c - finds source lines without code. Compilers give some of them
 * counts and branches, such as those of destructors at a brace.
 *
 * Source: gcovr 5.2 and 8, _is_non_code() for --exclude-noncode-lines and
 * _line_can_contain_branches() for --exclude-unreachable-branches. Both look
 * at single lines, so a comment of several lines counts as code.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "coverage/coverage.h"

#define CODE_MAX 4 /* length of "else" */

/*
 * Skips a comment at the start of the line: moves *line past it. False: there
 * is none, or it does not end on the line.
 */
static bool
skip_comment(struct cg_slice *line)
{
	struct cg_slice rest = *line;
	const char *end;

	if (cg_starts(rest, "//")) {
		line->len = 0;
		return true;
	}
	if (!cg_take_prefix(&rest, "/*"))
		return false;
	end = cg_find(rest, "*/");
	if (!end)
		return false;
	rest.len -= (size_t)(end + 2 - rest.ptr);
	rest.ptr = end + 2;
	*line = rest;
	return true;
}

/*
 * Copies the line without blanks and comments to code, and sets *left to the
 * copy; false: the copy is longer than CODE_MAX.
 */
static bool
strip(struct cg_slice line, char code[CODE_MAX], struct cg_slice *left)
{
	size_t n = 0;

	while (line.len > 0) {
		if (skip_comment(&line))
			continue;
		if (!strchr(" \t\r\f\v", *line.ptr)) {
			if (n == CODE_MAX)
				return false;
			code[n++] = *line.ptr;
		}
		line.ptr++;
		line.len--;
	}
	*left = (struct cg_slice){ code, n };
	return true;
}

unsigned
cg_noncode(struct cg_slice line)
{
	static const struct {
		const char *code;
		unsigned what;
	} lines[] = {
		{ "", CG_EXCLUDE_UNRUN | CG_EXCLUDE_BRANCHES },
		{ "{", CG_EXCLUDE_UNRUN | CG_EXCLUDE_BRANCHES },
		{ "}", CG_EXCLUDE_UNRUN | CG_EXCLUDE_BRANCHES },
		{ "{}", CG_EXCLUDE_BRANCHES },
		{ "else", CG_EXCLUDE_UNRUN },
	};
	char code[CODE_MAX];
	struct cg_slice left;

	if (!strip(line, code, &left))
		return 0;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (cg_equal(left, lines[i].code))
			return lines[i].what;
	}
	return 0;
}
