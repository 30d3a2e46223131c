/*
 * write.h - annotated sources; for the writer only.
 */
#ifndef FORMATS_GCOV_TEXT_WRITE_H
#define FORMATS_GCOV_TEXT_WRITE_H

#include "gcov_text.h"

/* Data of one function on a line. */
struct gcov_text_entry {
	struct cg_line line;
	uint32_t rank;   /* as in the writer's rank */
	uint32_t number; /* of the function in its unit */
	size_t order;    /* of the line in the graph */
};

struct gcov_text_source {
	struct cg_in *in;
	struct cg_slice text;
	CG_ARRAY(const char *) line; /* starts of lines; the end of the text */
};

struct gcov_text_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_lines *lines;
	CG_ARRAY(char) path; /* a path that is joined */
	struct cg_rows *rows;
	size_t column;    /* column of Exec */
	unsigned version; /* version of gcc: 1202 is 12.2; 0: unknown */
	struct gcov_text_source source;
	CG_ARRAY(struct gcov_text_entry) entry; /* lines of the file, by line */
	CG_ARRAY(struct gcov_text_entry) group; /* of groups, by function */
	uint32_t *rank;  /* by fn: its index in fn + 1; 0: not in a group */
	const cg_fn *fn; /* the file's functions */
	size_t fns;
	uint32_t end;    /* functions are written up to this line */
	uint32_t last;   /* the last line with code */
};

/* The sum of functions on a line. */
struct gcov_text_sum {
	int64_t count;
	bool has_code;
	bool unexecuted;    /* a block never ran */
	bool unexceptional; /* a block runs without an exception */
};

/* ---- source.c ----------------------------------------------------------- */

/* Reads the file's source if there is one. False: the job cannot go on. */
bool gcov_text_read_source(struct gcov_text_writer *, cg_file);
void gcov_text_close_source(struct gcov_text_writer *);
/* Puts a line of the source with its newline. */
void gcov_text_put_source(struct gcov_text_writer *, uint32_t number);

/* ---- put.c -------------------------------------------------------------- */

/* True if the line has data other than prime-path rows. */
bool gcov_text_is_code(const struct cg_line *);
/* Adds the data of the line to the sum. */
void gcov_text_sum_line(const struct gcov_text_writer *,
    const struct cg_line *, struct gcov_text_sum *);
void gcov_text_put_line(struct gcov_text_writer *,
    const struct gcov_text_sum *, uint32_t number);
/* Puts branches, calls and conditions of n functions on the line. */
void gcov_text_put_annotations(
    struct gcov_text_writer *, const struct gcov_text_entry *, size_t n);
/* Returns the linkage name of a function. */
struct cg_slice gcov_text_symbol(const struct gcov_text_writer *, cg_fn);
/* Puts "function f called ..."; false: a cursor has failed. */
bool gcov_text_put_function(struct gcov_text_writer *, cg_fn);

#endif
