/*
 * llvm.h - coverage of LLVM: what llvm-cov export writes as JSON, and profiles
 * (.profraw, .profdata) with the mapping in an executable.
 *
 *	llvm_cov.c  JSON -> segments, branches, conditions, functions
 *	lines.c     segments of a file -> lines; all -> graph
 *
 * profile.h shows the way of a profile to these.
 */
#ifndef FORMATS_LLVM_LLVM_H
#define FORMATS_LLVM_LLVM_H

#include "cgconv_parse.h"

/* A column from here on is the end of the line. */
#define LLVM_LINE_END (UINT32_MAX - 1)

#define LLVM_ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* ---- lines.c: files and functions -> graph ------------------------------ */

/* From its place on, code ran count times. Counts are at most 2^63-1. */
struct llvm_segment {
	uint32_t line;
	uint64_t count;
	bool counted, entry, gap;
};

/* A branch, or a condition of a decision: term is its number, from 1. */
struct llvm_item {
	uint32_t line, column; /* in the file: of the use of a macro */
	uint32_t id;           /* of a branch in a macro: file id + 1 */
	uint32_t inner_line, inner_column; /* ... and its place there */
	uint32_t term;
	uint64_t count[2]; /* false, true */
};

struct llvm_fn {
	cg_name name, symbol; /* symbol: its linker name, or 0 */
	cg_file file;
	uint32_t first, last; /* lines; last 0: unknown */
	uint64_t count;       /* entries */
	cg_fn fn;             /* in the graph, once llvm_add_files() ran */
	size_t regions, region_end; /* positions in llvm_report.regions */
};

/* Kinds of regions in the mapping and in the export. */
enum llvm_kind {
	LLVM_CODE,
	LLVM_EXPANSION,
	LLVM_SKIPPED,
	LLVM_GAP,
	LLVM_BRANCH,
	LLVM_DECISION,
	LLVM_CONDITION
};

struct llvm_region {
	uint32_t line, column, last, last_column;
	uint64_t count;
	unsigned char kind;
};

/*
 * Data read from one export (in), or from profiles (NULL). Initialize as
 * { job, in, build }.
 */
struct llvm_report {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	uint64_t more; /* bytes that were read from other files than in */

	CG_ARRAY(struct llvm_file) file;
	CG_ARRAY(struct llvm_fn) fn;
	size_t unlisted; /* functions whose file is not listed */
	/*
	 * Runs of n lines with one count: distance from the run before, n,
	 * count.
	 */
	struct cg_numbers lines;
	/* By function: file, line, column, lines, last column, count, kind. */
	struct cg_numbers regions;
	/* By line: distance, column, term, counts; if both are 0: its key. */
	struct cg_numbers items;
	struct cg_map listed; /* name of a file -> the file, for regions */
	uint64_t total; /* lines of all files */
	/*
	 * Keys of unfolded branches, among those that never ran. If
	 * knows_folded, other branches that never ran are dropped.
	 */
	struct cg_map known;
	bool knows_folded;

	/* Of the current file: */
	size_t line_begin, item_begin;
	struct llvm_segment last;    /* the last segment; line 0: none yet */
	struct llvm_segment wrapped; /* the last one before this line */
	bool skipped;                /* the line begins with a skipped region */
	bool entered;                /* a counted region or gap begins on it */
	bool begun;                  /* ... a region does */
	uint64_t most;               /* the highest count of these regions */
	uint32_t written;            /* the last line in lines */
	CG_ARRAY(struct llvm_item) item;

	struct cg_owners owners;
	CG_ARRAY(struct cg_fn_lines) owner_lines;
};

/* Functions that return false have reported why. */

bool llvm_add_event(struct cg_build *);
void llvm_begin_file(struct llvm_report *);
/* Adds a segment. Segments of a file must come in the order of their lines. */
bool llvm_add_segment(struct llvm_report *, const struct llvm_segment *);
/*
 * Adds a branch or condition of the current file, in any order; those at one
 * place are summed.
 */
bool llvm_add_item(struct llvm_report *, const struct llvm_item *);
bool llvm_end_file(struct llvm_report *, cg_name file);
/*
 * Adds a function with its name in the profile and the file of its body. The
 * caller sets all members of fn but file, name and symbol.
 */
bool llvm_add_fn(
    struct llvm_report *, const struct llvm_fn *, cg_name name, cg_name file);
/*
 * Adds a region of the function that was added last; regions that are no code,
 * gap or skipped code are dropped.
 */
bool llvm_add_region(
    struct llvm_report *, cg_name file, const struct llvm_region *);
/* Returns the key of a branch in llvm_report.known, a hash of its place. */
uint64_t llvm_place_key(cg_name file, uint32_t line, uint32_t column);
/* Adds the files and functions to the graph, and removes them here. */
bool llvm_add_files(struct llvm_report *);
/*
 * Ends the report: if reading has succeeded (ok), warns of dropped functions,
 * those of files that it does not list.
 */
void llvm_end_report(struct llvm_report *, bool ok);

/* ---- sort.c ------------------------------------------------------------- */

/* Like qsort(), but without a copy of large tables, and not stable. */
void llvm_sort(void *all, size_t n, size_t width,
    int (*compare)(const void *, const void *));

#endif
