/*
 * put.h - writes functions, paths and lines as JSON; for the writer only.
 */
#ifndef FORMATS_GCOV_JSON_PUT_H
#define FORMATS_GCOV_JSON_PUT_H

#include "gcov_json.h"

/* Data of one function on a line. */
struct gcov_json_entry {
	struct cg_line line;
	/*
	 * For a function of a group (see write.c): its position in the file's
	 * functions + 1. 0: the line is a line of the file.
	 */
	uint32_t rank;
	uint32_t number; /* of the function in its unit */
	size_t order;    /* of the line in the graph */
};

struct gcov_json_writer {
	struct cg_report r;
	struct cg_rows *rows;
	size_t column;  /* column of Exec */
	unsigned major; /* major version of gcc, 0: unknown */
	bool blocks;    /* format version 2 */
	struct cg_slice directory;
	CG_ARRAY(struct gcov_json_entry) entry; /* of the file; groups first */
	CG_ARRAY(char) joined; /* a path */
	const cg_fn *fn; /* the file's functions */
	size_t fns;
	bool groups;      /* some functions begin on one line */
	uint32_t *rank;   /* by fn, as in an entry */
	size_t next;      /* function that begins next */
	CG_ARRAY(cg_fn) open; /* functions that have begun */
	uint64_t line;    /* next line on which they may end */
	cg_fn named;      /* function of the last line if its name is plain */
	struct cg_slice name; /* name of named */
	bool comma;
	CG_ARRAY(uint32_t) path; /* paths of a function not taken */
	CG_ARRAY(struct cg_branch) step; /* of all these paths, sorted */
};

/* Puts "key":, after a comma if w->comma is set. */
void gcov_json_put_key(struct gcov_json_writer *, const char *key);
void gcov_json_put_text(
    struct gcov_json_writer *, const char *key, struct cg_slice);
/* Puts "file": and the file's path. */
void gcov_json_put_path(struct gcov_json_writer *, cg_file);
/* Puts function i of the file. */
void gcov_json_put_fn(struct gcov_json_writer *, size_t i);
/* Puts a line of n functions, with the name of fn (0: no name). */
void gcov_json_put_line(struct gcov_json_writer *,
    const struct gcov_json_entry *, size_t n, cg_fn fn);

#endif
