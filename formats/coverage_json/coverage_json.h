/*
 * coverage_json.h - reports of coverage as JSON, each of one tool, that list
 * lines and functions by file:
 *
 *	coveragepy.c  coverage.py: lines and branches of a file ->
 *	              struct coverage_json_section
 *	gcovr_read.c  gcovr: files -> section
 *	codecov.c     Codecov: values by line -> section; graph -> JSON
 *	coveralls.c   Coveralls: arrays by line -> section; graph -> JSON
 *	coverlet.c    coverlet: lines and branches of methods -> section
 *	xccov.c       Xcode's xccov: lines or functions of a file -> section
 *	v8.c          V8: ranges of a script, lines of its source -> section
 *	simplecov.c   SimpleCov: files of runs -> section, lines of tests
 *	istanbul_read.c  Istanbul: maps and counts of a file -> section
 *	section.c     complete file -> graph
 *	owners.c      functions of a file -> graph; owners of its lines
 *	put.c         graph -> functions as reports list them
 *	gcovr_write.c, istanbul_write.c  graph -> JSON
 *	gcovr.c, istanbul.c  recognise the two formats, list their options
 *
 * The library reads the JSON (cg_doc_*()).
 */
#ifndef FORMATS_COVERAGE_JSON_H
#define FORMATS_COVERAGE_JSON_H

#include "cgconv_parse.h"

struct coverage_json_fn {
	cg_name name, symbol; /* symbol: its linker name, or 0 */
	cg_file file;
	uint32_t first, last; /* lines, 0: unknown */
	uint32_t column;      /* 0: the name alone identifies it */
	uint64_t count;       /* entries */
	bool counted;         /* count is known */
	cg_fn fn;             /* set by coverage_json_open_file() */
};

struct coverage_json_line {
	uint32_t line;
	cg_name fn; /* function stated for the line, or 0 */
	int64_t count;
};

struct coverage_json_branch {
	cg_name fn;
	struct cg_branch row; /* pos.file is set later */
};

/*
 * A file of a report, collected until its end, as functions may come after the
 * lines that they contain. Starts as { 0 }.
 */
struct coverage_json_section {
	CG_ARRAY(struct coverage_json_fn) fn;
	CG_ARRAY(struct coverage_json_line) line;
	CG_ARRAY(struct coverage_json_branch) branch;
	CG_ARRAY(struct cg_region) region; /* files are set later */
	CG_ARRAY(struct cg_fn_lines) lines; /* by function, set at its end */
	struct cg_owners owners;            /* owners of lines */
	/* Name -> position in fn + 1; may contain names of earlier files. */
	struct cg_map by_name;
};

/* Adds the event of coverage. False: the builder has failed. */
bool coverage_json_add_event(struct cg_build *);
/*
 * Sorts the functions of a complete file, adds them with their entry counts,
 * and finds the owner of each line. False: rejected.
 */
bool coverage_json_open_file(
    struct cg_doc *, struct coverage_json_section *, cg_file);

/* ---- section.c: all return false if rejected ---------------------------- */

bool coverage_json_add_fn(
    struct cg_doc *, struct coverage_json_section *,
    const struct coverage_json_fn *);
bool coverage_json_add_line(
    struct cg_doc *, struct coverage_json_section *,
    const struct coverage_json_line *);
bool coverage_json_add_branch(
    struct cg_doc *, struct coverage_json_section *,
    const struct coverage_json_branch *);
/*
 * Adds the counts of an array by line number; its first item belongs to line
 * first. A line has no code if its item is null or negative. False: an error
 * (reported).
 */
bool coverage_json_take_counts(
    struct cg_doc *, struct coverage_json_section *, uint32_t first);
/*
 * Marks branches as reached if their line ran; lines must be in order. Call
 * before coverage_json_end_section().
 */
void coverage_json_mark_reached(struct coverage_json_section *);
/*
 * Adds a complete file to the graph, and clears the section. False: an error
 * (reported).
 */
bool coverage_json_end_section(
    struct cg_doc *, struct coverage_json_section *, struct cg_slice path);

/* ---- gcovr -------------------------------------------------------------- */

int coverage_json_read_gcovr(
    struct cg_job *, struct cg_in *, struct cg_build *);
int coverage_json_write_gcovr(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

/* ---- Istanbul ----------------------------------------------------------- */

int coverage_json_read_istanbul(
    struct cg_job *, struct cg_in *, struct cg_build *);
int coverage_json_write_istanbul(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

/* ---- put.c: shared by writers ------------------------------------------- */

/*
 * Functions with the same demangled name and line, such as the variants of a
 * C++ constructor.
 */
struct coverage_json_merged {
	char *name;                    /* demangled */
	const struct cg_merged_fn *fn; /* the first of them */
	uint64_t count;                /* sum of their counts */
};
/* The merged functions of a file: as CG_ARRAY(). Starts as { 0 }. */
struct coverage_json_fns {
	struct coverage_json_merged *at;
	size_t n, cap;
};
/*
 * Frees the names in the list, which are those of one file, and empties it.
 * The list is not part of the memory of write().
 */
void coverage_json_free_fns(struct coverage_json_fns *);
/* Lists the current file's functions. False: no memory, or a cursor failed. */
bool coverage_json_list_fns(struct coverage_json_fns *, struct cg_report *);
/* State of an array by line number, which has items for lines without code. */
struct coverage_json_gaps {
	uint32_t next; /* line of the next item; starts as 1 */
	uint64_t gaps, lines;
};
/*
 * Puts the comma before the item of a line, and before it an item such as
 * "null," for each preceding line without one. False: rejected, as a few large
 * line numbers would make the output arbitrarily large.
 */
bool coverage_json_put_gap(
    struct cg_report *, struct coverage_json_gaps *, uint32_t line,
    const char *item);

#endif
