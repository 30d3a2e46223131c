/*
 * read.h - annotated sources; for their reader only.
 */
#ifndef FORMATS_GCOV_TEXT_READ_H
#define FORMATS_GCOV_TEXT_READ_H

#include "gcov_text.h"

/* Condition coverage of an expression, collected from all its lines. */
struct gcov_text_expression {
	uint32_t outcomes, number;
	uint64_t missed[2]; /* for false, true: bit i is condition i */
};

/* Prime paths of a function. */
struct gcov_text_paths {
	uint32_t count, covered;
	CG_ARRAY(uint32_t) missed; /* numbers of paths that were not taken */
};

/* A function's summary, which precedes its first line. */
struct gcov_text_fn {
	cg_fn fn;        /* 0: none */
	int64_t entries; /* number of calls */
	cg_name label;   /* rest of the summary, or 0 */
	struct gcov_text_paths paths;
};

struct gcov_text_reader {
	struct gcov_text text;
	uint64_t bytes;              /* bytes of the lines so far */
	CG_ARRAY(struct gcov_text_line) held; /* lines of the file, ascending */
	cg_name graph;                /* name of the notes file */
	struct gcov_text_fn fn;       /* owner of the following lines */
	bool pending;                 /* fn begins on the next line */
	CG_ARRAY(struct gcov_text_fn) earlier; /* begin there as well */
	uint32_t fns_begun;
	bool instance;      /* lines belong to an instance of a group */
	bool dashes;        /* the last line was dashes */
	struct cg_pos pos;  /* of the last line */
	cg_fn line_fn;      /* function of the last line */
	bool block_known;   /* -a -w: block has the annotations */
	uint32_t block;
	struct gcov_text_expression expression;
	uint32_t expressions; /* expressions on the line so far */
	uint64_t counted;     /* paths and conditions so far */
	bool rounded, percents; /* warnings were given */
};

/*
 * These functions return false if the text is not as expected, which the
 * caller reports, or after an error that was rejected.
 */

/* Takes a count, possibly rounded: 1.5k. */
bool gcov_text_take_number(
    struct gcov_text_reader *, struct cg_slice *, int64_t *);
/*
 * True if an input of this size may add this number of further rows to the
 * graph.
 */
bool gcov_text_check_counted(struct gcov_text_reader *, uint64_t rows);
/* These functions take an annotation without its first word. */
bool gcov_text_take_function(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_branch(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_call(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_condition(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_paths(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_path(struct gcov_text_reader *, struct cg_slice);
/*
 * Adds the expression whose conditions were read to the graph, if there is
 * one.
 */
void gcov_text_end_expression(struct gcov_text_reader *);

#endif
