/*
 * callgrind_write.h - the writer's state, shared by callgrind_write.c and
 * callgrind_root.c.
 */
#ifndef CG_CALLGRIND_WRITE_H
#define CG_CALLGRIND_WRITE_H

#include "callgrind.h"

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	bool instr, line; /* position columns */
	bool short_names, short_positions;
	size_t events;

	/* Name ids of this part, 0: not defined yet. */
	uint32_t *object_id, *file_id, *fn_id;
	uint32_t objects, files, fns;

	cg_object object; /* what ob=, fl=, fi= last said */
	cg_file file, here;
	bool has_object, has_file;
	struct cg_pos base; /* of the last cost line */
	bool has_base;      /* steps from it may be written */
};

/* ---- callgrind_write.c -------------------------------------------------- */

/* Rows of a function follow; calls are among them. */
void cg_callgrind_begin_fn(struct writer *, cg_fn);
void cg_callgrind_put_call(struct writer *, const struct cg_call *);

/* ---- callgrind_root.c --------------------------------------------------- */

/* What the root of a part calls. */
struct root;
/* *root is NULL if there are no cycles to care for, or after a failure. */
int cg_callgrind_find_root(struct writer *, cg_part, struct root **root);
/*
 * Calls from the root to all functions that nobody calls, and to the first
 * member of cycles that nobody else calls.
 */
int cg_callgrind_put_root(
    struct writer *, struct cg_rows *, cg_part, const struct root *);
void cg_callgrind_free_root(struct root *);

#endif
