/*
 * read.h - the reader's state, shared by header.c, body.c, names.c and
 * number.h.
 */
#ifndef FORMATS_CALLGRIND_READ_H
#define FORMATS_CALLGRIND_READ_H

#include "callgrind.h"

/* What the next cost line belongs to. */
enum callgrind_expect { EXPECT_COST, EXPECT_CALL, EXPECT_JUMP };

/* Descriptions kept until their part begins; the last one begins the part. */
#define DESC_MAX 64

/* A function's name, and the function that it last resolved to. */
struct callgrind_named {
	cg_name name;
	bool bound;
	cg_file file;
	cg_object object;
	cg_fn fn;
};

/* Values of name ids: an array for low ids, a map for sparse ones. */
struct callgrind_ids {
	CG_ARRAY(uint32_t) near;
	struct cg_map far;
};

struct callgrind_reader {
	struct cg_job *job;
	struct cg_build *build;
	int status;
	const char *at; /* the current line; NULL in a cost line */
	bool has_nul;   /* the current block contains a NUL */

	/* the last line that is no cost line; or NULL */
	bool in_header;
	cg_name cmd;
	struct cg_part_info info;
	struct {
		cg_name key, value;
	} desc[DESC_MAX];
	size_t descs;
	bool skip_root; /* see ROOT_KEY */

	/* How a complete part ends; shows whether a part is truncated. */
	bool has_keys, ends_with_totals, has_end, has_totals;
	bool is_ours;   /* written by cgconv */
	bool is_xdebug; /* its summary: is of the run, not a sum of costs */
	uint64_t summary[CG_EVENT_MAX];
	size_t summaries;

	/* The columns of a cost line. */
	bool instr, bb, line;
	unsigned column[CG_EVENT_MAX]; /* by event of the part */
	size_t events;                 /* 0: no events: line yet */
	bool straight;                 /* column[i] is i */

	/* Name ids; a definition is valid until the end of the file. */
	struct callgrind_ids objects, files, names;
	struct cg_map plain; /* names without an id, by their cg_name */
	/* Indexed by the values of names and plain; 0: no name yet. */
	CG_ARRAY(struct callgrind_named) named;

	/* The function and file of the next cost line. */
	cg_object object;
	cg_file file, here; /* of fl=; of the last fl=, fi= or fe= */
	bool has_fl;        /* there was a fl= */
	bool after_fi;      /* fi= or fe= came after the last cost line */
	cg_name spontaneous, unknown;
	uint32_t name; /* index of named[] */
	cg_fn fn;
	bool has_fn;
	struct cg_pos base; /* position of the last cost line */
	uint64_t base_bb;

	enum callgrind_expect expect;
	struct { /* of cob=, cfi=, cfn= and calls= */
		cg_object object;
		cg_file file;
		uint32_t name;
		cg_fn fn;
		bool has_object, has_file, has_name, bound;
	} callee;
	struct { /* of jfi=, jfn=, jump= and jcnd= */
		cg_file file;
		uint32_t name;
		bool has_file, has_name, conditional;
		uint64_t followed;
	} jump;
	uint64_t count;   /* of calls, of executed jumps */
	struct cg_pos to; /* entry of the callee, target of the jump */
};

/* ---- body.c: kinds of lines --------------------------------------------- */

/* "(id) name" defines an id, "(id)" refers to it, all else is a name. */
struct callgrind_ref {
	struct cg_slice text, name; /* name: empty if there is only an id */
	uint64_t id;
	bool has_id;
};

/* ---- body.c: lines ------------------------------------------------------ */

/* Reads whole lines, of the header as well. */
void callgrind_read_range(
    struct callgrind_reader *, const char *at, const char *end);

/* ---- header.c ----------------------------------------------------------- */

/* Takes a header line without newline; false: not one. Sets r->status. */
bool callgrind_header(struct callgrind_reader *, struct cg_slice line);
/*
 * Adds the part whose header was read to the graph, with its descriptions;
 * called before a line of the body.
 */
void callgrind_begin_part(struct callgrind_reader *);
/* Ends a part after its last line. */
void callgrind_end_part(struct callgrind_reader *);

/* ---- number.c ----------------------------------------------------------- */

/*
 * Gets the costs up to the newline, given in the order of the events: line,
 * mapped to columns. Returns their number.
 */
size_t callgrind_costs(struct callgrind_reader *, const char *at,
    uint64_t cost[CG_EVENT_MAX]);

/* ---- names.c ------------------------------------------------------------ */

/* False: out of memory (in r->status). */
bool callgrind_begin_names(struct callgrind_reader *);

/* Parses "(id) name", "(id)" or "name" into its parts. */
struct callgrind_ref callgrind_get_ref(struct cg_slice text);

typedef uint32_t callgrind_add_path(struct cg_build *, struct cg_slice);

/*
 * Returns the object or file of a reference. A reference with id and name
 * defines the id; one without id is a name, which add() adds to the graph. 0
 * and a report if the id is not defined.
 */
uint32_t callgrind_path(struct callgrind_reader *, struct callgrind_ids *,
    const struct callgrind_ref *, callgrind_add_path *add);
/*
 * Returns the index in named[] of a reference: of its id, to which the name is
 * given if there is one, or of its name if it has no id. 0: out of memory
 * (r->status).
 */
uint32_t callgrind_name(
    struct callgrind_reader *, const struct callgrind_ref *);
/*
 * Returns the function with a name in a file and object; adds it to the graph
 * if it is new. The latest function of a name is cached.
 */
cg_fn callgrind_fn(
    struct callgrind_reader *, uint32_t name, cg_file file, cg_object object);

#endif
