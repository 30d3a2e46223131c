/*
 * write.h - the writer's state, shared by write.c, spec.c and text.c.
 */
#ifndef FORMATS_CALLGRIND_WRITE_H
#define FORMATS_CALLGRIND_WRITE_H

#include "root.h"
#include "self.h"

/*
 * Ids of names, by object or file. The ids of a part are dense from 1: an id
 * of at most base belongs to an earlier part and is no longer valid.
 */
struct callgrind_names {
	uint32_t *id;
	uint32_t count, base;
};

/*
 * The names that a call states of its callee; calls come in any order, so they
 * are stored together.
 */
struct callgrind_callee {
	uint32_t id;
	cg_file file;
	cg_object object;
};

/* The lines that name an object, a file or a function. */
enum callgrind_spec {
	SPEC_OB, SPEC_COB,
	SPEC_FL, SPEC_FI, SPEC_FE, SPEC_CFI, SPEC_JFI, /* the files */
	SPEC_FN, SPEC_CFN, SPEC_JFN
};

struct callgrind_writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	cg_part part;
	bool short_names;
	struct cg_cost_lines lines; /* position, and file of fl=, fi=, fe= */
	size_t main;   /* event that is written first */
	struct cg_rows *rows;
	uint64_t *row; /* costs of a row in the order of writing */

	bool one_command;            /* all parts have the same command */
	struct callgrind_root *root; /* NULL: none is added */
	struct callgrind_self *self; /* NULL: no coverage */
	struct callgrind_names objects, files;
	struct callgrind_callee *fn;
	uint32_t fns, fns_base; /* ids, as in callgrind_names */
	bool *ambiguous;        /* by fn; NULL: none is ambiguous */

	cg_object object; /* of the last ob= */
	cg_file file;     /* of the last fl= */
	bool has_object, has_file;
};

/* ---- spec.c ------------------------------------------------------------- */

/* Puts "fn=(7) name" or "fn=(7)". */
void callgrind_put_spec(struct callgrind_writer *, enum callgrind_spec,
    uint32_t id);

/* ---- text.c ------------------------------------------------------------- */

void callgrind_put_text(struct callgrind_writer *, struct cg_slice);
void callgrind_put_descs(struct callgrind_writer *, cg_part);
/* Finds functions that share name, file and object. False: out of memory. */
bool callgrind_find_ambiguous(struct callgrind_writer *);
/* Returns the linkage name of an ambiguous function, else "". */
struct cg_slice callgrind_distinct_symbol(
    const struct callgrind_writer *, cg_fn);

#endif
