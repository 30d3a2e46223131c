/*
 * coverage.h - coverage of functions, and source lines that are not counted.
 *
 *	blocks.c       blocks, entries, returns and paths of a function
 *	internal.c     functions of the compiler
 *	markers.c      lines that markers and patterns in a source exclude
 *	marked_fns.c   functions that markers exclude
 *	noncode.c      lines without code
 *	unchanged.c    lines that a patch does not change:
 *	  patch.c        reads the patch
 *	  patch_files.c  finds its files in the graph
 *	  missing.c      files of the patch that the graph lacks
 *
 * The excluded lines are kept with the graph (graph/excluded.h), where lines/
 * looks them up. job/exclude.c has the options and opens the sources.
 */
#ifndef CG_COVERAGE_H
#define CG_COVERAGE_H

#include <regex.h>

#include "coverage/marked_fns.h"
#include "graph/rules.h"
#include "io/io.h"

/* ---- blocks.c ----------------------------------------------------------- */

/*
 * The steps of cg_get_coverage(), for callers that read the function's branches
 * themselves. False: out of memory, reported.
 */
bool cg_coverage_begin(struct cg_rows *, struct cg_coverage *);
bool cg_coverage_add(
    struct cg_rows *, struct cg_coverage *, const struct cg_branch *);
void cg_coverage_end(struct cg_rows *, uint32_t exit, struct cg_coverage *);

/* ---- internal.c --------------------------------------------------------- */

/*
 * True if functions of the compiler or the implementation are excluded and
 * this is one: its name begins with "__" or "_GLOBAL__sub_I_". This is gcovr's
 * rule.
 */
bool cg_drops_internal(const struct cg_graph *, cg_fn);

/* ---- noncode.c ---------------------------------------------------------- */

/*
 * Returns the flags of what gcovr does not count on a source line without
 * code, which has only braces, else or a comment: CG_EXCLUDE_UNRUN,
 * CG_EXCLUDE_BRANCHES.
 */
unsigned cg_noncode(struct cg_slice line);

/* ---- markers.c ---------------------------------------------------------- */

#define CG_MARKER_KINDS 4
#define CG_MARKER_WORDS 3
#define CG_PATTERNS 2

/* The caller sets job, excluded and fns.graph; the rest is zero. */
struct cg_markers {
	struct cg_job *job; /* for messages */
	struct cg_excluded *excluded; /* where ranges are added */
	struct cg_marked_fns fns;
	bool markers;     /* markers exclude lines */
	bool word[CG_MARKER_WORDS]; /* words with which markers may begin */
	unsigned noncode; /* mask of cg_noncode() */
	struct cg_line_pattern {
		unsigned what; /* flags of what it excludes */
		regex_t re;
	} pattern[CG_PATTERNS];
	size_t patterns;
	char *text;       /* text of a line, for patterns */
	size_t text_cap;

	struct cg_slice path; /* of the current file */
	cg_file file;
	uint32_t number;  /* of the current line */
	uint32_t column;  /* of the last FUNCTION marker on it */
	uint32_t begun[CG_MARKER_KINDS]; /* line of START; 0: not in a section */
	struct cg_excluded_range range; /* the open range; its flags may be 0 */
};
/*
 * Sets the marker words: "LCOV,GCOVR"; NULL: all. CG_EUSAGE (reported) for an
 * unknown word. Returns the status.
 */
int cg_markers_choose(struct cg_markers *, const char *words);
/*
 * Adds a pattern: the flags in what are excluded on lines that match text.
 * CG_EUSAGE (reported) if the option's text is not a valid expression. Returns
 * the status.
 */
int cg_markers_match(struct cg_markers *, const char *option, const char *text,
    unsigned what);
/* True if the exclusions depend on sources. */
bool cg_markers_read(const struct cg_markers *);
/* Begins the next file and its ranges; see cg_excluded_begin(). */
void cg_markers_begin(struct cg_markers *, cg_file, struct cg_slice path);
/* Adds ranges of the file's source. False: out of memory. */
bool cg_markers_scan(struct cg_markers *, struct cg_in *source);
void cg_markers_free(struct cg_markers *);

/* ---- unchanged.c -------------------------------------------------------- */

struct cg_patch_how {
	struct cg_job *job; /* for messages */
	struct cg_graph *graph; /* sealed */
	struct cg_build *build; /* of the graph */
	const struct cg_rules *rules;
	bool add;   /* files that the graph lacks count as not covered */
	bool batch; /* an input may have none of the files */
};
/*
 * From now on "The graph: lines" has only lines that the unified diff adds or
 * changes. Errors are reported; it is an error if the graph has no file of the
 * patch. Returns the status.
 */
int cg_exclude_unchanged(const struct cg_patch_how *, struct cg_in *patch);

#endif
