/*
 * put.h - functions and lines as objects; for the writer only.
 */
#ifndef FORMATS_GCOV_JSON_PUT_H
#define FORMATS_GCOV_JSON_PUT_H

#include "gcov_json.h"

/* A line of a function, and which of the file's functions that is. */
struct entry {
	struct cg_line line;
	uint32_t rank;   /* from 1; 0: the line is the file's */
	uint32_t number; /* of the function in its unit */
	size_t place;    /* in the order of the graph */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_rows *rows;
	struct cg_lines *lines;
	cg_part part;
	size_t column;  /* of Exec */
	unsigned major; /* version of gcc, 0: not known */
	bool blocks;    /* format version 2 */
	struct cg_slice folder;
	struct entry *entry; /* of the file; groups first */
	size_t entry_cap;
	const cg_fn *fn; /* the file's */
	size_t fns;
	bool groups;    /* some of them begin on one line */
	uint32_t *rank; /* by fn: 1 + place in fn if it is in a group */
	size_t next;    /* function that begins next */
	cg_fn *open;    /* functions that have begun */
	size_t opens, open_cap;
	uint64_t line; /* the next one where they may end */
	cg_fn named;   /* the last one that a line names, if it is plain */
	struct cg_slice name; /* ... and its name */
	bool comma;
	uint32_t *path; /* of a function: those that were not gone */
	size_t paths, path_cap;
	struct cg_branch *step;
	size_t steps, step_cap;
	bool failed; /* out of memory */
};

/* "key":, with a comma if w->comma says so. */
void gcov_json_put_key(struct writer *, const char *key);
void gcov_json_put_text(struct writer *, const char *key, struct cg_slice);
/* The i-th of the file's. False: out of memory. */
bool gcov_json_put_fn(struct writer *, size_t i);
/* The file's name, as "file". False: out of memory. */
bool gcov_json_put_path(struct writer *, cg_file);
/* gcov_json_paths.c: keys of prime paths. False: out of memory. */
bool gcov_json_put_paths(struct writer *, cg_fn, const struct cg_coverage *);
/* A line of n functions; fn is the one to name, 0: none. */
void gcov_json_put_line(
    struct writer *, const struct entry *, size_t n, cg_fn fn);

#endif
