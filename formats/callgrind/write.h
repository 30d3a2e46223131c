/*
 * write.h - the writer's state, shared by callgrind_write.c and
 * callgrind_root.c.
 */
#ifndef FORMATS_CALLGRIND_WRITE_H
#define FORMATS_CALLGRIND_WRITE_H

#include "callgrind.h"

/*
 * Ids of names, by object, file or fn. Those of a part are dense from 1: what
 * is no more than base was given out in a part before, and is forgotten.
 */
struct names {
	uint32_t *id;
	uint32_t count, base;
};

/* What a call says of its callee, in one place: they come in any order. */
struct fn {
	uint32_t id;
	cg_file file;
	cg_object object;
};

struct root;

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	bool short_names;
	struct cg_cost_lines lines; /* at the last one, as fl=, fi= said */

	bool one_command;  /* all parts have the same */
	struct root *root; /* NULL: no cycles, or none is wanted */
	struct names objects, files;
	struct fn *fn;
	uint32_t fns, fns_base; /* ids, as in names */
	bool *twin;             /* by fn: another has its name; NULL: none */

	cg_object object; /* what ob=, fl=, fi= last said */
	cg_file file;
	bool has_object, has_file;
};

/* ---- callgrind_write.c -------------------------------------------------- */

/* Rows of a function follow; calls are among them. */
void callgrind_begin_fn(struct writer *, cg_fn);
void callgrind_put_call(struct writer *, const struct cg_call *);

/* ---- callgrind_text.c --------------------------------------------------- */

void callgrind_put_text(struct writer *, struct cg_slice);
void callgrind_put_descs(struct writer *, cg_part);
bool callgrind_find_twins(struct writer *); /* false: out of memory */
/* The linkage name of a function that has a twin, else "". */
struct cg_slice callgrind_twin(const struct writer *, cg_fn);

/* ---- callgrind_root.c --------------------------------------------------- */

/* w->root is NULL if there are no cycles to care for, or after a failure. */
int callgrind_find_root(struct writer *);
/*
 * Calls from the root to all functions that nobody calls, and to the first
 * member of cycles that nobody else calls.
 */
int callgrind_put_root(struct writer *, struct cg_rows *, cg_part);
void callgrind_free_root(struct root *);

#endif
