/*
 * read.h - sources with counts; for their reader only.
 */
#ifndef FORMATS_GCOV_TEXT_READ_H
#define FORMATS_GCOV_TEXT_READ_H

#include "gcov_text.h"

/* A decision whose conditions that were not covered may follow. */
struct decision {
	uint32_t outcomes, number;
	uint64_t missed[2]; /* false, true; by term */
};

/* Prime paths of the function that is announced. */
struct paths {
	uint32_t count, covered;
	uint32_t *missed;
	size_t misses, cap;
};

/* What is said of a function before its first line. */
struct announced {
	cg_fn fn;        /* 0: none was announced */
	int64_t entries; /* how often it was called */
	cg_name label;   /* what else is said of it */
	struct paths paths;
};

struct reader {
	struct gcovtext text;
	struct gcov_text_line *held;
	size_t lines, line_cap;
	cg_name graph;        /* the notes */
	struct announced now; /* whose lines come */
	bool announced;       /* its first line comes next */
	struct announced *before; /* others that begin on that line */
	size_t befores, before_cap;
	bool group;        /* lines of one of some functions */
	bool dashes;       /* the line before was of dashes */
	struct cg_pos pos; /* of the last line */
	cg_fn at;          /* who has it */
	bool known;        /* -a -w: what follows is of this block */
	uint32_t block;
	struct decision decision;
	uint32_t decisions;
	uint64_t counted; /* paths, conditions */
	uint32_t fns;     /* that began so far */
	bool human, percents;
	int status;
};

/* A count that may be rounded: 1.5k. */
bool gcov_text_take_number(struct reader *, struct cg_slice *, int64_t *);
/* Numbers make so many rows: not more than the input could list. */
bool gcov_text_check_counted(struct reader *, uint64_t rows);

/*
 * gcov_text_notes.c: the rest of a line behind its first word; false if it is
 * not as gcov writes it.
 */
bool gcov_text_take_function(struct reader *, struct cg_slice);
bool gcov_text_take_branch(struct reader *, struct cg_slice);
bool gcov_text_take_call(struct reader *, struct cg_slice);
bool gcov_text_take_condition(struct reader *, struct cg_slice);
bool gcov_text_take_paths(struct reader *, struct cg_slice);
bool gcov_text_take_path(struct reader *, struct cg_slice);
/* The decision and its terms have been read. */
void gcov_text_end_decision(struct reader *);

#endif
