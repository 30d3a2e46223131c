/*
 * read.h - annotated sources; for their reader only.
 */
#ifndef FORMATS_GCOV_TEXT_READ_H
#define FORMATS_GCOV_TEXT_READ_H

#include "gcov_text.h"

/* Condition coverage of an expression, until all its lines have been read. */
struct gcov_text_expression {
	uint32_t outcomes, number;
	uint64_t missed[2]; /* by outcome, false and true: bit i, condition i */
};

/* Prime paths of a function. */
struct gcov_text_paths {
	uint32_t count, covered;
	CG_ARRAY(uint32_t) missed; /* numbers of paths that were not taken */
};

/* A function's summary, which stands before its first line. */
struct gcov_text_fn {
	cg_fn fn;        /* 0: none */
	int64_t entries; /* calls */
	cg_name label;   /* rest of the summary, or 0 */
	struct gcov_text_paths paths;
};

struct gcov_text_reader {
	struct gcov_text text;
	uint64_t bytes;              /* of the lines so far */
	CG_ARRAY(struct gcov_text_line) held; /* lines of the file, ascending */
	cg_name graph;                /* name of the notes file */
	struct gcov_text_fn fn;       /* owner of the lines that follow */
	bool pending;                 /* its first line comes next */
	CG_ARRAY(struct gcov_text_fn) earlier; /* that begin on that line */
	uint32_t fns_begun;
	bool instance;      /* lines are those of one function of a group */
	bool dashes;        /* the line before was one of dashes */
	struct cg_pos pos;  /* of the last line */
	cg_fn line_fn;      /* its function */
	bool block_known;   /* -a -w: annotations are of this block */
	uint32_t block;
	struct gcov_text_expression expression;
	uint32_t expressions; /* of the line so far */
	uint64_t counted;     /* paths and conditions so far */
	bool rounded, percents; /* warnings were given */
};

/*
 * These return false if the text is not as expected, which the caller reports,
 * or after an error that was rejected.
 */

/* Takes a count, also a rounded one: 1.5k. */
bool gcov_text_take_number(
    struct gcov_text_reader *, struct cg_slice *, int64_t *);
/* Checks that an input of this size may state that many rows more. */
bool gcov_text_check_counted(struct gcov_text_reader *, uint64_t rows);
/* These take an annotation without its first word. */
bool gcov_text_take_function(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_branch(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_call(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_condition(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_paths(struct gcov_text_reader *, struct cg_slice);
bool gcov_text_take_path(struct gcov_text_reader *, struct cg_slice);
/* Adds the expression whose conditions have been read. */
void gcov_text_end_expression(struct gcov_text_reader *);

#endif
