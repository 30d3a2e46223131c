/*
 * read.h - the reader's state, shared by the lines of the header
 * (callgrind_head.c), those of the body (callgrind_read.c), their names
 * (callgrind_names.c) and numbers (callgrind_number.h).
 */
#ifndef FORMATS_CALLGRIND_READ_H
#define FORMATS_CALLGRIND_READ_H

#include "callgrind.h"

/* What the next cost line is. */
enum expect { EXPECT_COST, EXPECT_CALL, EXPECT_JUMP };

/* Descriptions that wait until their part begins; more begin it. */
#define DESC_MAX 64

/* What an id of a function's name stands for, and where it stood last. */
struct named {
	cg_name name;
	bool bound;
	cg_file file;
	cg_object object;
	cg_fn fn;
};

/* What name ids stand for: the lower ones, and those that skip many. */
struct ids {
	uint32_t *near;
	size_t nears;
	struct cg_map far;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	int status;
	const char *at; /* the line, if it is none of numbers, or NULL */
	bool has_nul;   /* there is one in the block that is read */

	/* The header of a part ends with its first body line. */
	bool in_header;
	cg_name cmd;
	struct cg_part_info info;
	struct {
		cg_name key, value;
	} desc[DESC_MAX];
	size_t descs;
	bool skip_root; /* see ROOT_KEY */

	/* How a part that is not cut short ends. */
	bool has_keys, ends_with_totals, has_end;
	uint64_t summary[CG_EVENT_MAX];
	size_t summaries;

	/* What the numbers of a cost line are. */
	bool instr, bb, line;
	unsigned column[CG_EVENT_MAX]; /* of the part's event i */
	size_t events;                 /* 0: no events: line yet */
	bool straight;                 /* column[i] is i */

	/* Name ids; a definition lasts to the end of the file. */
	struct ids objects, files, names;
	struct cg_map plain; /* names without an id, by their cg_name */
	struct named *named; /* what values of both mean; 0: no name yet */
	size_t named_count, named_cap;

	/* Where the next cost line belongs. */
	cg_object object;
	cg_file file, here; /* by fl=; by the last of fl=, fi=, fe= */
	cg_name spontaneous, unknown;
	uint32_t name; /* index of named[] */
	cg_fn fn;
	bool has_fn;
	struct cg_pos base; /* position of the last cost line */
	uint64_t base_bb;

	enum expect expect;
	struct { /* calls= and what stands before it */
		cg_object object;
		cg_file file;
		uint32_t name;
		cg_fn fn;
		bool has_object, has_file, has_name, bound;
	} callee;
	struct { /* jump=, jcnd= and what stands before it */
		cg_file file;
		uint32_t name;
		bool has_file, has_name, conditional;
		uint64_t followed;
	} jump;
	uint64_t count;   /* of calls, of executed jumps */
	struct cg_pos to; /* entry of the callee, target of the jump */
};

/*
 * callgrind_head.c: takes a header line (without newline). False if it is
 * none; errors are in r->status.
 */
bool callgrind_header(struct reader *, struct cg_slice line);
/* A body line comes: if a header stood before it, its part begins. */
void callgrind_begin_part(struct reader *);
/* All lines of a part are read. */
void callgrind_end_part(struct reader *);

/*
 * callgrind_number.c: costs of a line that follow the current event list, from
 * at (which stops at the newline): mapped to columns. Returns their count.
 */
size_t callgrind_costs(
    struct reader *, const char *at, uint64_t cost[CG_EVENT_MAX]);

/* ---- callgrind_names.c -------------------------------------------------- */

/* False if it failed; to be freed anyway. */
bool callgrind_begin_names(struct reader *);
void callgrind_free_names(struct reader *);

typedef uint32_t callgrind_add_path(struct cg_build *, struct cg_slice);

/* The object or file of "(id) path", "(id)" or "path". */
uint32_t callgrind_path(struct reader *, struct ids *,
    struct cg_slice text, callgrind_add_path *add);
/* The index in named[] of "(id) name", "(id)" or "name". */
uint32_t callgrind_name(struct reader *, struct cg_slice text);
/* The function of that name: only the first time asks the builder. */
cg_fn callgrind_fn(
    struct reader *, uint32_t name, cg_file file, cg_object object);

#endif
