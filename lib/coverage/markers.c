/*
 * markers.c - finds source lines that coverage does not count: lines excluded
 * by markers such as LCOV_EXCL_LINE, and lines that match --exclude-lines or
 * --exclude-branches.
 *
 * Source: geninfo(1) of lcov 1.16 and 2.x, "EXCLUSION MARKERS"; gcovr 5.2,
 * "Exclusion Markers", and 8.6 for FUNCTION. Prefixes LCOV, GCOV and GCOVR
 * mean the same. A line with START belongs to the section, one with STOP does
 * not; if a line has both, STOP takes precedence. A section without STOP ends
 * at the end of the file, as in geninfo.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_parse.h"
#include "coverage/coverage.h"

#define ON_LINE 1u
#define START 2u
#define STOP 4u
#define FUNCTION 8u
#define SECTION (ON_LINE | START | STOP)

enum { EXCL, EXCL_BR, EXCL_EXCEPTION_BR, UNREACHABLE };
static const struct {
	const char *name;
	unsigned what;
	unsigned actions; /* actions that exist for it */
} kinds[CG_MARKER_KINDS] = {
	[EXCL] = { "EXCL_", CG_EXCLUDE_LINES, SECTION | FUNCTION },
	[EXCL_BR] = { "EXCL_BR_", CG_EXCLUDE_BRANCHES, SECTION | FUNCTION },
	[EXCL_EXCEPTION_BR] = { "EXCL_EXCEPTION_BR_", CG_EXCLUDE_THROWS,
	    SECTION },
	[UNREACHABLE] = { "UNREACHABLE_", CG_EXCLUDE_LINES, SECTION },
};

static const struct {
	const char *name;
	unsigned action;
} actions[] = { { "LINE", ON_LINE }, { "START", START }, { "STOP", STOP },
	{ "FUNCTION", FUNCTION } };

static const char *const words[CG_MARKER_WORDS] = { "LCOV", "GCOV", "GCOVR" };

/* ---- Lines --------------------------------------------------------------- */

static void
warn(struct cg_markers *scan, uint32_t line, int kind, const char *fmt)
{
	char path[1024];
	struct cg_location location = { .file = path, .line = line };

	(void)snprintf(
	    path, sizeof(path), "%.*s", (int)scan->path.len, scan->path.ptr);
	if (cg_diag_count(&cg_job_errors(scan->job)->diag, fmt))
		cg_diag_say(&cg_job_errors(scan->job)->diag, CG_WARNING,
		    &location, fmt, kinds[kind].name);
}

/*
 * Sets the flags of what is excluded from this line on; 0: nothing. If they
 * change, ends the current range at the line before and adds it to
 * scan->excluded. False: out of memory.
 */
static bool
change(struct cg_markers *scan, uint32_t line, unsigned what)
{
	struct cg_excluded_range *range = &scan->range;

	if (range->what == what)
		return true;
	range->last = line - 1;
	if (range->what != 0 && range->first <= range->last &&
	    !cg_excluded_add(scan->excluded, range))
		return false;
	*range = (struct cg_excluded_range){ .first = line, .what = what };
	return true;
}

/*
 * Parses a marker at the start of text, such as "EXCL_LINE" after "LCOV_".
 * Adds its action to seen[] of its kind of marker. Other text is ignored.
 * Keeps column, the marker's column from 1 on, for FUNCTION.
 */
static void
take_marker(struct cg_markers *scan, struct cg_slice text, uint32_t column,
    unsigned seen[CG_MARKER_KINDS])
{
	for (int kind = 0; kind < CG_MARKER_KINDS; kind++) {
		struct cg_slice rest = text;

		if (!cg_take_prefix(&rest, kinds[kind].name))
			continue;
		for (size_t i = 0; i < sizeof(actions) / sizeof(*actions);
		     i++) {
			if (!(kinds[kind].actions & actions[i].action) ||
			    !cg_starts(rest, actions[i].name))
				continue;
			seen[kind] |= actions[i].action;
			if (actions[i].action == FUNCTION)
				scan->column = column;
		}
	}
}

static void
find_markers(struct cg_markers *scan, struct cg_slice line,
    unsigned seen[CG_MARKER_KINDS])
{
	struct cg_slice rest = line, text;
	const char *at;

	while ((at = cg_find(rest, "COV")) != NULL) {
		rest.len -= (size_t)(at + 3 - rest.ptr);
		rest.ptr = at + 3;
		if (at == line.ptr)
			continue;
		for (size_t i = 0; i < CG_MARKER_WORDS; i++) {
			text = (struct cg_slice){ at - 1, rest.len + 4 };
			if (scan->word[i] && cg_take_prefix(&text, words[i]) &&
			    cg_take_char(&text, '_'))
				take_marker(scan, text,
				    (uint32_t)(at - line.ptr), seen);
		}
	}
}

/*
 * Handles a line's markers of one kind, whose actions are in seen: begins or
 * ends the kind's section, with warnings for unpaired markers. Returns the
 * flags that the kind excludes on this line; 0: none.
 */
static unsigned
follow(struct cg_markers *scan, int kind, unsigned seen)
{
	uint32_t *begun = &scan->begun[kind];

	if (seen & STOP) {
		if (*begun == 0 && !(seen & START))
			warn(scan, scan->number, kind,
			    "%sSTOP without a START before it");
		*begun = 0;
	} else if (seen & START) {
		if (*begun != 0)
			warn(scan, scan->number, kind,
			    "%sSTART in a section that is open: the next STOP "
			    "ends it");
		else
			*begun = scan->number;
	}
	return *begun != 0 || (seen & ON_LINE) ? kinds[kind].what : 0;
}

/*
 * Excludes the functions that begin on the current line, before a FUNCTION
 * marker on it; warns if a marker excludes nothing. seen[] has the actions of
 * the line's markers by kind. False: out of memory.
 */
static bool
note_fns(struct cg_markers *scan, const unsigned seen[CG_MARKER_KINDS])
{
	bool found = true;

	for (int kind = 0; kind < CG_MARKER_KINDS; kind++) {
		if (!(seen[kind] & FUNCTION))
			continue;
		if (!cg_marked_fns_add(&scan->fns, scan->file, scan->number,
			scan->column, kinds[kind].what, &found))
			return false;
		if (!found)
			warn(scan, scan->number, kind,
			    "%sFUNCTION excludes nothing: no function begins "
			    "before it on this line, or its last line is not "
			    "known");
	}
	return true;
}

/*
 * Compares a source line with the patterns of --exclude-lines and
 * --exclude-branches. For each that matches, adds its flag (what to exclude:
 * lines, branches) to *what. False: out of memory.
 */
static bool
match(struct cg_markers *scan, struct cg_slice line, unsigned *what)
{
	if (!cg_grow_raw(&scan->text, &scan->text_cap, line.len + 1, 1))
		return false;
	if (line.len > 0)
		memcpy(scan->text, line.ptr, line.len);
	scan->text[line.len] = '\0';
	for (size_t i = 0; i < scan->patterns; i++) {
		const struct cg_line_pattern *pattern = &scan->pattern[i];

		if (regexec(&pattern->re, scan->text, 0, NULL, 0) == 0)
			*what |= pattern->what;
	}
	return true;
}

static bool
scan_line(struct cg_markers *scan, struct cg_slice line)
{
	unsigned seen[CG_MARKER_KINDS] = { 0 }, what = 0, after = 0;

	if (scan->markers)
		find_markers(scan, line, seen);
	if (!note_fns(scan, seen))
		return false;
	for (int kind = 0; kind < CG_MARKER_KINDS; kind++) {
		what |= follow(scan, kind, seen[kind]);
		after |= scan->begun[kind] ? kinds[kind].what : 0;
	}
	if (scan->patterns > 0 && !match(scan, line, &what))
		return false;
	if (scan->noncode)
		what |= cg_noncode(line) & scan->noncode;
	return change(scan, scan->number, what) &&
	       change(scan, scan->number + 1, after);
}

/* ---- Files --------------------------------------------------------------- */

/*
 * Takes lines from the block up to the one with the address `at`, and returns
 * that one. NULL: takes all. Counts the lines in scan->number. Without
 * patterns, `at` is the next "COV", so that other lines are only counted.
 */
static struct cg_slice
take_line_at(struct cg_markers *scan, struct cg_slice *block, const char *at)
{
	struct cg_slice line = { "", 0 };

	while (cg_take_line(block, &line)) {
		scan->number++;
		if (at && block->ptr > at)
			break;
	}
	return line;
}

/*
 * Adds the ranges of a source that markers and patterns exclude. Warns of
 * sections that are not ended. False: out of memory. A read error ends the
 * source, and shows in the input's status.
 */
static bool
scan_source(struct cg_markers *scan, struct cg_in *in)
{
	bool all = scan->patterns > 0 || scan->noncode;
	struct cg_slice block, line;
	const char *at;

	while (cg_read_block(in, &block)) {
		while (block.len > 0) {
			at = all ? block.ptr : cg_find(block, "COV");
			line = take_line_at(scan, &block, at);
			if (at && !scan_line(scan, line))
				return false;
		}
	}
	for (int kind = 0; kind < CG_MARKER_KINDS; kind++) {
		if (scan->begun[kind])
			warn(scan, scan->begun[kind], kind,
			    "%sSTART without a STOP: all lines up to the end "
			    "of the file are excluded");
	}
	return true;
}

void
cg_markers_begin(struct cg_markers *scan, cg_file file, struct cg_slice path)
{
	cg_excluded_begin(scan->excluded);
	scan->path = path;
	scan->file = file;
	scan->number = 0;
	memset(scan->begun, 0, sizeof(scan->begun));
	scan->range = (struct cg_excluded_range){ .first = 1 };
}

bool
cg_markers_scan(struct cg_markers *scan, struct cg_in *source)
{
	bool ok = scan_source(scan, source);

	/* A section extends to lines that the source does not have. */
	if (ok && scan->range.what != 0) {
		scan->range.last = UINT32_MAX;
		ok = cg_excluded_add(scan->excluded, &scan->range);
	}
	return ok && cg_marked_fns_merge(&scan->fns, scan->excluded);
}

bool
cg_markers_read(const struct cg_markers *scan)
{
	return scan->markers || scan->patterns > 0 || scan->noncode;
}

/* ---- Options ------------------------------------------------------------- */

int
cg_markers_match(struct cg_markers *scan, const char *option, const char *text,
    unsigned what)
{
	struct cg_line_pattern *pattern = &scan->pattern[scan->patterns];
	char why[128];
	int error = regcomp(&pattern->re, text, REG_EXTENDED | REG_NOSUB);

	if (error == 0) {
		pattern->what = what;
		scan->patterns++;
		return CG_OK;
	}
	(void)regerror(error, &pattern->re, why, sizeof(why));
	return cg_usage(
	    scan->job, "{%s}: invalid regular expression: %s", option, why);
}

int
cg_markers_choose(struct cg_markers *scan, const char *given)
{
	struct cg_slice text = cg_slice(given ? given : ""), word;
	size_t i;

	for (i = 0; i < CG_MARKER_WORDS && !given; i++)
		scan->word[i] = true;
	while (cg_take_until(&text, ',', &word)) {
		for (i = 0; i < CG_MARKER_WORDS && !cg_equal(word, words[i]);)
			i++;
		if (i == CG_MARKER_WORDS)
			return cg_usage(scan->job,
			    "{marker-words}: expected some of LCOV,GCOV,GCOVR, "
			    "not '%s'",
			    given);
		scan->word[i] = true;
	}
	return CG_OK;
}

void
cg_markers_free(struct cg_markers *scan)
{
	for (size_t i = 0; i < scan->patterns; i++)
		regfree(&scan->pattern[i].re);
	free(scan->text);
	cg_marked_fns_free(&scan->fns);
}
