/*
 * copy.h - copies graphs into others: merging, joining, differences.
 */
#ifndef CG_COPY_H
#define CG_COPY_H

#include "graph/build.h"

/* ---- copy.c ------------------------------------------------------------- */

/*
 * How the costs of an event change: they are multiplied by to / from, or
 * negated.
 */
#define CG_NO_COLUMN UINT32_MAX
struct cg_change {
	uint32_t column; /* in the other graph, or CG_NO_COLUMN */
	bool minus;
	uint64_t to, from; /* up to INT64_MAX; equal: no scaling */
	uint64_t rest;     /* carried rounding error */
};

#define CG_NO_NODE UINT32_MAX
/* Copies one graph into another; the caller maps the functions. */
struct cg_copy {
	const struct cg_graph *from;
	struct cg_build *to;
	cg_object *object; /* old id -> new; the next ones, too: */
	cg_file *file;
	cg_fn *fn;
	cg_node *node;
	cg_part *part;
	cg_labels *labels;
	struct cg_change *change; /* by event */
	uint64_t *cost;           /* scratch: one value for each event */
	bool changed;             /* false: no change applies */
	bool costs_only;          /* drop addresses, other rows, descriptions */
	bool no_counts;           /* drop counts of calls and samples */
	bool drop_zeros;          /* drop rows without costs */
	bool sumless;             /* drop rows, stacks and moments */
	bool rowless;             /* drop rows */
	bool placeless;           /* drop lines, addresses, jumps, branches */
	bool mapped;              /* node[] is set, CG_NO_NODE: dropped */
	bool no_inclusive;        /* drop stated inclusive costs */
	const bool *hidden; /* by fn: calls of it become costs of the caller */
	const bool *united; /* by fn: drop its calls of itself; or NULL */
	const bool *joined; /* by fn; NULL: see join.c */
};
/* Makes tables of ids for from, filled with 0. False: out of memory. */
bool cg_copy_open(struct cg_copy *);
void cg_copy_close(struct cg_copy *);
/* Copy all objects and files; one file; all events and formulas. */
void cg_copy_dimensions(struct cg_copy *);
void cg_copy_file(struct cg_copy *, cg_file);
void cg_copy_events(struct cg_copy *);
cg_name cg_copy_str(const struct cg_copy *, cg_str);
/* Copies a function with the identity (as) of another one of the same graph. */
void cg_copy_fn(struct cg_copy *, cg_fn, cg_fn as);
/* Copies parts, rows and stacks. Reports its failures. Returns the status. */
int cg_copy_rows(struct cg_copy *);

/* ---- join.c ------------------------------------------------------------- */

/*
 * Merges functions of unknown objects with those of known ones. If there are
 * any, replaces *graph, which is sealed, by a new graph. Reports its failures.
 * Returns the status.
 */
int cg_graph_join(struct cg_graph **graph);
/*
 * Adds everything in a sealed graph. Reports its failures. Returns the status.
 */
int cg_graph_add(struct cg_build *, const struct cg_graph *);

/* ---- match.c, diff.c ---------------------------------------------------- */

/*
 * Maps objects, files and functions to those of another graph, which was
 * copied before, or else to new ones. False: out of memory.
 */
bool cg_copy_match(struct cg_copy *, const struct cg_copy *other);
/*
 * Builds a graph with the functions of the graph known, which keep their
 * numbers, and those of more that match none. *fn gets the numbers of the
 * functions of more; the caller frees it. Reports its failures. Returns the
 * status.
 */
int cg_graph_unite(struct cg_build *, const struct cg_graph *known,
    const struct cg_graph *more, cg_fn **fn);

/*
 * Finds the functions of more in the graph of the builder, which
 * cg_graph_unite() has built, without changing it. True: all objects, files and
 * functions are there, so that cg_graph_unite() would add nothing; *fn is as
 * there. False: some are not, or out of memory (not reported).
 */
bool cg_graph_has_all(
    const struct cg_build *, const struct cg_graph *more, cg_fn **fn);

/* Two sealed graphs with costs of calls, and the graph of their difference. */
struct cg_diff {
	const struct cg_graph *profile[2]; /* before, after */
	bool side_by_side;     /* both costs instead of the difference */
	bool normalize;        /* scale costs before to the sums after */
	size_t runs[2]; /* merged in a profile, of which costs are means; or 0 */
	struct cg_build build; /* its graph is empty at first, and the result */
	cg_fn *fn[2]; /* function of a profile -> function of the result */
	cg_file *file[2];      /* the same of files */
};
/*
 * Builds the graph; does not seal it. Reports its failures. Returns the
 * status.
 */
int cg_graph_diff(struct cg_diff *);

#endif
