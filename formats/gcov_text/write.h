/*
 * write.h - sources with counts; for the writer only.
 */
#ifndef FORMATS_GCOV_TEXT_WRITE_H
#define FORMATS_GCOV_TEXT_WRITE_H

#include "gcov_text.h"

/* Lines of a file that one function has. */
struct entry {
	struct cg_line line;
	uint32_t rank; /* of the function in its group, from 1; 0: in none */
	uint32_t number; /* of the function in its unit */
	size_t place;    /* in the order of the graph */
};

struct source {
	struct cg_in *in;
	struct cg_slice text;
	const char **line; /* starts, and the end of the text */
	size_t lines, cap; /* lines that there are */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_lines *lines;
	struct cg_rows *rows;
	size_t column;    /* of Exec */
	unsigned version; /* of gcc: 1202 for 12.2; 0: not known */
	struct source source;
	struct entry *entry; /* by line */
	size_t entries, entry_cap;
	struct entry *group; /* those of groups, by function */
	size_t groups, group_cap;
	uint32_t *rank;  /* by fn: 1 + its place in fn; 0: it begins alone */
	const cg_fn *fn; /* the file's */
	size_t fns;
	int status;
};

/* What n functions say of a line. */
struct sum {
	int64_t count;
	bool there, unexecuted, unexceptional;
};

/* ---- gcov_text_source.c -------------------------------------------------- */

/* Reads the file's source, if it may be and is there; false: a failure. */
bool gcov_text_read_source(struct writer *, cg_file);
void gcov_text_close_source(struct writer *);
/* The rest of a line: what the source has there. */
void gcov_text_put_source(struct writer *, uint32_t number);

/* ---- gcov_text_put.c ----------------------------------------------------- */

/* Does the line have more than a path's number? */
bool gcov_text_is_code(const struct cg_line *);
void gcov_text_sum(
    const struct writer *, const struct cg_line *, struct sum *);
void gcov_text_put_line(struct writer *, const struct sum *, uint32_t number);
/* Branches, calls, conditions of n functions on the line. */
void gcov_text_put_details(struct writer *, const struct entry *, size_t n);
struct cg_slice gcov_text_symbol(const struct writer *, cg_fn);
/* function f called ...; false: out of memory, or so. */
bool gcov_text_put_function(struct writer *, cg_fn);

#endif
