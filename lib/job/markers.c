/*
 * markers.c - finds the lines of sources that coverage does not count: those of
 * markers such as LCOV_EXCL_LINE, and those that match --exclude-lines or
 * --exclude-branches.
 *
 * Source: geninfo(1) of lcov 1.16 and 2.x, "EXCLUSION MARKERS"; gcovr 5.2,
 * "Exclusion Markers", and 8.6 for FUNCTION. Prefixes LCOV, GCOV and GCOVR mean
 * the same. A line with START belongs to the section, one with STOP does not; if
 * a line has both, STOP counts. A section without STOP reaches to the end of the
 * file, as in geninfo.
 */
#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "graph/excluded.h"
#include "graph/graph.h"
#include "job/job.h"
#include "job/marked_fns.h"

#define ON_LINE 1u
#define START 2u
#define STOP 4u
#define FUNCTION 8u
#define SECTION (ON_LINE | START | STOP)

enum { EXCL, EXCL_BR, EXCL_EXCEPTION_BR, UNREACHABLE, KINDS };
static const struct {
	const char *name;
	unsigned what;
	unsigned actions; /* that it has */
} kinds[KINDS] = {
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

struct pattern {
	const char *option;
	unsigned what;
	regex_t re;
	bool given;
};
#define PATTERNS 2

#define WORDS 3
static const char *const words[WORDS] = { "LCOV", "GCOV", "GCOVR" };

struct scan {
	struct cg_job *job;
	struct cg_excluded *excluded;
	bool markers;
	bool word[WORDS]; /* that markers begin with */
	unsigned noncode; /* what is excluded on lines without code */
	struct pattern pattern[PATTERNS];
	char *text; /* of a line, for patterns */
	size_t text_cap;
	size_t found, missing; /* sources */
	size_t external;       /* of these: outside of the working directory */
	struct cg_marked_fns fns;

	struct cg_slice path; /* of the current file */
	cg_file file;
	uint32_t number;       /* of the line */
	uint32_t column;       /* of the last FUNCTION on it */
	uint32_t begun[KINDS]; /* line of START; 0: not in a section */
	struct cg_excluded_range
	    range; /* from its first line on; what may be 0 */
};

/* ---- Lines --------------------------------------------------------------- */

static void
warn(struct scan *scan, uint32_t line, int kind, const char *fmt)
{
	char path[1024];
	struct cg_location location = { .file = path, .line = line };

	(void)snprintf(
	    path, sizeof(path), "%.*s", (int)scan->path.len, scan->path.ptr);
	if (cg_diag_count(&scan->job->errors.diag, fmt))
		cg_diag_say(&scan->job->errors.diag, CG_WARNING, &location, fmt,
		    kinds[kind].name);
}

/* From that line on, what is excluded is this. False: out of memory. */
static bool
change(struct scan *scan, uint32_t line, unsigned what)
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
 * Takes what follows the word, which begins in that column: the actions of all
 * kinds that it is.
 */
static void
take_marker(struct scan *scan, struct cg_slice text, uint32_t column,
    unsigned seen[KINDS])
{
	for (int kind = 0; kind < KINDS; kind++) {
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
find_markers(struct scan *scan, struct cg_slice line, unsigned seen[KINDS])
{
	struct cg_slice rest = line, text;
	const char *at;

	while ((at = cg_find(rest, "COV")) != NULL) {
		rest.len -= (size_t)(at + 3 - rest.ptr);
		rest.ptr = at + 3;
		if (at == line.ptr)
			continue;
		for (size_t i = 0; i < WORDS; i++) {
			text = (struct cg_slice){ at - 1, rest.len + 4 };
			if (scan->word[i] && cg_take_prefix(&text, words[i]) &&
			    cg_take_char(&text, '_'))
				take_marker(scan, text,
				    (uint32_t)(at - line.ptr), seen);
		}
	}
}

/* Begins or ends a section; what it excludes on this line. */
static unsigned
follow(struct scan *scan, int kind, unsigned seen)
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

/* Notes the functions that the line's markers exclude. False: out of memory. */
static bool
note_fns(struct scan *scan, const unsigned seen[KINDS])
{
	bool found = true;

	for (int kind = 0; kind < KINDS; kind++) {
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

/* What patterns exclude on the line. False: out of memory. */
static bool
match(struct scan *scan, struct cg_slice line, unsigned *what)
{
	if (!cg_grow_raw(&scan->text, &scan->text_cap, line.len + 1, 1))
		return false;
	if (line.len > 0)
		memcpy(scan->text, line.ptr, line.len);
	scan->text[line.len] = '\0';
	for (size_t i = 0; i < PATTERNS; i++) {
		const struct pattern *pattern = &scan->pattern[i];

		if (pattern->given &&
		    regexec(&pattern->re, scan->text, 0, NULL, 0) == 0)
			*what |= pattern->what;
	}
	return true;
}

static bool
has_patterns(const struct scan *scan)
{
	return scan->pattern[0].given || scan->pattern[1].given;
}

static bool
scan_line(struct scan *scan, struct cg_slice line)
{
	unsigned seen[KINDS] = { 0 }, what = 0, after = 0;

	if (scan->markers)
		find_markers(scan, line, seen);
	if (!note_fns(scan, seen))
		return false;
	for (int kind = 0; kind < KINDS; kind++) {
		what |= follow(scan, kind, seen[kind]);
		after |= scan->begun[kind] ? kinds[kind].what : 0;
	}
	if (has_patterns(scan) && !match(scan, line, &what))
		return false;
	if (scan->noncode)
		what |= cg_noncode(line) & scan->noncode;
	return change(scan, scan->number, what) &&
	       change(scan, scan->number + 1, after);
}

/* ---- Files --------------------------------------------------------------- */

/*
 * Removes lines from the block up to the one that at points into, which is
 * taken; lines in between are only counted. at NULL: all of the block.
 */
static struct cg_slice
take_line_at(struct scan *scan, struct cg_slice *block, const char *at)
{
	struct cg_slice line = { "", 0 };

	while (cg_take_line(block, &line)) {
		scan->number++;
		if (at && block->ptr > at)
			break;
	}
	return line;
}

/* False: out of memory. */
static bool
scan_source(struct scan *scan, struct cg_in *in)
{
	bool all = has_patterns(scan) || scan->noncode;
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
	for (int kind = 0; kind < KINDS; kind++) {
		if (scan->begun[kind])
			warn(scan, scan->begun[kind], kind,
			    "%sSTART without a STOP: all lines up to the end "
			    "of the file are excluded");
	}
	return true;
}

static bool
reads_sources(const struct scan *scan)
{
	return scan->markers || has_patterns(scan) || scan->noncode;
}

/* Does no line of the file count, whatever its source says? */
static bool
is_out(const struct scan *scan, cg_file file)
{
	const struct cg_graph *graph = scan->job->graph;
	const struct cg_excluded_range *range =
	    graph->unchanged ? cg_excluded_find(graph->unchanged, file, 0)
			     : NULL;

	return (range && range->last == UINT32_MAX) ||
	       !cg_rules_keep(&scan->job->rules, scan->path.ptr);
}

/* Is it outside of the working directory, where sources are looked for? */
static bool
is_external(const struct scan *scan)
{
	struct cg_slice path = scan->path;
	char cwd[PATH_MAX];

	if (!cg_starts(path, "/") || cg_opt(scan->job, CG_SOURCES_OPTION) ||
	    !getcwd(cwd, sizeof(cwd)))
		return false;
	return !cg_take_prefix(&path, cwd) || !cg_starts(path, "/");
}

static bool
scan_file(struct scan *scan, cg_file file)
{
	struct cg_in *in = NULL;
	bool ok = true;

	cg_excluded_begin(scan->excluded);
	scan->path = cg_file_path(scan->job->graph, file);
	scan->file = file;
	scan->number = 0;
	memset(scan->begun, 0, sizeof(scan->begun));
	scan->range = (struct cg_excluded_range){ .first = 1 };
	if (!reads_sources(scan) || scan->path.len == 0 || is_out(scan, file))
		return true;
	if (!cg_open_source(scan->job, scan->job->graph, file, true, &in))
		return false;
	if (!in) {
		scan->missing++;
		scan->external += is_external(scan);
		return true;
	}
	scan->found++;
	ok = scan_source(scan, in);
	/* Lines that the source does not have may be in a section, too. */
	if (ok && scan->range.what != 0) {
		scan->range.last = UINT32_MAX;
		ok = cg_excluded_add(scan->excluded, &scan->range);
	}
	ok = ok && cg_marked_fns_merge(&scan->fns, scan->excluded);
	cg_close_companion(scan->job, in);
	return ok;
}

/* ---- The job -------------------------------------------------------------- */

static int
compile(struct scan *scan)
{
	scan->pattern[0].option = "exclude-lines";
	scan->pattern[0].what = CG_EXCLUDE_LINES;
	scan->pattern[1].option = "exclude-branches";
	scan->pattern[1].what = CG_EXCLUDE_BRANCHES;
	for (size_t i = 0; i < PATTERNS; i++) {
		struct pattern *pattern = &scan->pattern[i];
		const char *text = cg_opt(scan->job, pattern->option);
		char why[128];
		int error;

		if (!text)
			continue;
		error = regcomp(&pattern->re, text, REG_EXTENDED | REG_NOSUB);
		pattern->given = error == 0;
		if (error == 0)
			continue;
		(void)regerror(error, &pattern->re, why, sizeof(why));
		return cg_usage(scan->job,
		    "{%s}: invalid regular expression: %s", pattern->option,
		    why);
	}
	return CG_OK;
}

/* "LCOV,GCOVR" */
static int
choose_words(struct scan *scan)
{
	const char *given = cg_opt(scan->job, "marker-words");
	struct cg_slice text = cg_slice(given ? given : ""), word;
	size_t i;

	for (i = 0; i < WORDS && !given; i++)
		scan->word[i] = true;
	while (cg_take_until(&text, ',', &word)) {
		for (i = 0; i < WORDS && !cg_equal(word, words[i]);)
			i++;
		if (i == WORDS)
			return cg_usage(scan->job,
			    "{marker-words}: expected some of LCOV,GCOV,GCOVR, "
			    "not '%s'",
			    given);
		scan->word[i] = true;
	}
	return CG_OK;
}

static int
read_options(struct scan *scan)
{
	const struct cg_job *job = scan->job;
	int status = choose_words(scan);

	scan->markers = cg_opt_flag(job, CG_MARKERS_OPTION);
	if (cg_opt_flag(job, "exclude-noncode"))
		scan->noncode |= CG_EXCLUDE_UNRUN;
	if (cg_opt_flag(job, "exclude-unreachable-branches"))
		scan->noncode |= CG_EXCLUDE_BRANCHES;
	return status == CG_OK ? compile(scan) : status;
}

static int
scan_files(struct scan *scan, bool internal_fns)
{
	size_t files = cg_file_count(scan->job->graph) + 1;
	bool ok = true;

	scan->excluded = scan->job->graph->excluded = cg_excluded_new(files);
	if (!scan->excluded)
		return cg_nomem(scan->job);
	scan->excluded->internal_fns = internal_fns;
	scan->fns.graph = scan->job->graph;
	for (cg_file file = 0; ok && file < files; file++)
		ok = scan_file(scan, file);
	if (!ok)
		return cg_nomem(scan->job);
	/* Where some are found, those of the system are not expected. */
	if (scan->found > 0)
		scan->missing -= scan->external;
	if (scan->missing > 0)
		cg_note(scan->job,
		    "%zu of %zu source%s not found: markers in them are "
		    "unknown; name their directory with {sources}",
		    scan->missing, scan->missing + scan->found,
		    scan->missing + scan->found == 1 ? "" : "s");
	return scan->job->errors.fault;
}

int
cg_job_exclude_marked(struct cg_job *job)
{
	struct scan scan = { .job = job };
	bool internal_fns = cg_opt_flag(job, "exclude-internal-functions");
	int status = cg_job_check_ready(job, job);

	if (status != CG_OK)
		return status;
	cg_excluded_free(job->graph->excluded);
	job->graph->excluded = NULL;
	job->graph->fns_by_name = cg_opt_flag(job, "functions-by-name");
	status = cg_job_exclude_unchanged(job);
	if (status == CG_OK)
		status = read_options(&scan);
	if (status == CG_OK && (reads_sources(&scan) || internal_fns))
		status = scan_files(&scan, internal_fns);
	for (size_t i = 0; i < PATTERNS; i++) {
		if (scan.pattern[i].given)
			regfree(&scan.pattern[i].re);
	}
	free(scan.text);
	cg_marked_fns_free(&scan.fns);
	return status;
}
