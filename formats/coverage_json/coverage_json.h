/*
 * coverage_json.h - reports of coverage as JSON, each of one tool, that list
 * lines and functions by file:
 *
 *	coveragepy.c  coverage.py: lines and branches of a file ->
 *	              struct coverage_json_section
 *	gcovr_read.c  gcovr: files -> the same
 *	codecov.c     Codecov: values by line -> the same; graph -> JSON
 *	coveralls.c   Coveralls: arrays by line -> the same; graph -> JSON
 *	istanbul_read.c  Istanbul: maps and counts of a file -> the same
 *	section.c     complete file -> graph
 *	owners.c      functions of a file -> graph, and which has a line
 *	put.c         graph -> functions as reports list them
 *	gcovr_write.c, istanbul_write.c  graph -> JSON
 *	gcovr.c, istanbul.c  recognise these two, list their options
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
	cg_fn fn;             /* in the graph, once the file is open */
};

struct coverage_json_line {
	uint32_t line;
	cg_name fn; /* the function that it names, or 0 */
	int64_t count;
};

struct coverage_json_branch {
	cg_name fn;
	struct cg_branch row; /* its file is set later */
};

/*
 * A file of a report. It is collected until its end, for functions may come
 * after the lines that they contain. Starts as { 0 }.
 */
struct coverage_json_section {
	CG_ARRAY(struct coverage_json_fn) fn;
	CG_ARRAY(struct coverage_json_line) line;
	CG_ARRAY(struct coverage_json_branch) branch;
	CG_ARRAY(struct cg_fn_lines) lines; /* by function, once it is open */
	struct cg_owners owners;            /* of lines */
	/* Name -> position in fn + 1; may have those of earlier files. */
	struct cg_map by_name;
};

/* Adds the event of coverage. */
bool coverage_json_add_event(struct cg_build *);
/*
 * Sorts the functions of a complete file, adds them with their entries, and
 * finds who owns which line. False: rejected.
 */
bool coverage_json_open_file(
    struct cg_doc *, struct coverage_json_section *, cg_file);

/* ---- section.c: false: rejected ----------------------------------------- */

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
 * Adds the counts of an array by line number, whose first item is that of line
 * first; null has no code, and neither has a negative number.
 */
bool coverage_json_take_counts(
    struct cg_doc *, struct coverage_json_section *, uint32_t first);
/*
 * Branches were reached if their line ran; lines must be in order. Call it
 * before coverage_json_end_section().
 */
void coverage_json_mark_reached(struct coverage_json_section *);
/* Moves a complete file to the graph. */
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

/* ---- put.c: what writers share ------------------------------------------ */

/* Functions of one demangled name and line: the constructors of C++, say. */
struct coverage_json_merged {
	char *name;                    /* demangled */
	const struct cg_merged_fn *fn; /* the first of them */
	uint64_t count;                /* the sum */
};
/* Those of a file. Starts as { 0 }. */
struct coverage_json_fns {
	struct coverage_json_merged *fn;
	size_t fns, cap;
};
void coverage_json_free_fns(struct coverage_json_fns *);
/* Lists those of the current file. False: out of memory, or a cursor failed. */
bool coverage_json_list_fns(struct coverage_json_fns *, struct cg_report *);
/* Of arrays by line number: what stands for lines without code. */
struct coverage_json_gaps {
	uint32_t next; /* line of the file's next item; starts as 1 */
	uint64_t gaps, lines;
};
/*
 * Puts the comma before the item of a line, and item for each line before it
 * that has none: "null,". False: rejected, for a few lines with large numbers
 * would make an output of any size.
 */
bool coverage_json_put_gap(
    struct cg_report *, struct coverage_json_gaps *, uint32_t line,
    const char *item);

#endif
