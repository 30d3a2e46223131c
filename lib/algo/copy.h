/*
 * copy.h - from one graph into another: sums, unions, differences.
 */
#ifndef CG_COPY_H
#define CG_COPY_H

#include "graph/build.h"

/* ---- copy.c ------------------------------------------------------------- */

/* What becomes of the costs of an event: times to, by from, maybe negative. */
#define CG_NO_COLUMN UINT32_MAX
struct cg_change {
	uint32_t column;          /* in the other graph, CG_NO_COLUMN: left out */
	bool minus;
	uint64_t to, from;        /* up to INT64_MAX; equal: as it is */
	uint64_t rest;            /* of rounding, so far */
};

/* From one graph into another; who copies says what becomes of functions. */
struct cg_copy {
	const struct cg_graph *from;
	struct cg_build *to;
	cg_object *object;        /* old id -> new, as in what follows */
	cg_file *file;
	cg_fn *fn;
	cg_node *node;
	cg_labels *labels;
	struct cg_change *change; /* by event */
	uint64_t *cost;           /* room for all of them */
	bool changed;             /* else costs stay as they are */
	bool costs_only;          /* no addresses, jumps, branches, words */
	bool no_counts;           /* of calls and samples */
	bool drop_zeros;          /* rows that cost nothing */
	const bool *joined;       /* by fn; NULL: see join.c */
};
/* Makes tables of ids, all 0, for from. False: out of memory. */
bool cg_copy_open(struct cg_copy *);
void cg_copy_close(struct cg_copy *);
/* All objects and files; one file; all events, with formulas. */
void cg_copy_dimensions(struct cg_copy *);
void cg_copy_file(struct cg_copy *, cg_file);
void cg_copy_events(struct cg_copy *);
cg_name cg_copy_str(const struct cg_copy *, cg_str);
/* The function becomes what another one of the same graph is called. */
void cg_copy_fn(struct cg_copy *, cg_fn, cg_fn as);
/* Parts, rows and stacks. CG_OK, or why not (reported). */
int cg_copy_rows(struct cg_copy *);

/* ---- join.c ------------------------------------------------------------- */

/*
 * Unites functions of unknown objects with those of known ones; *graph, which
 * is sealed, then is another one. Reports its failures.
 */
int cg_graph_join(struct cg_graph **graph);
/* Adds all of a sealed graph, as an input. Reports its failures. */
int cg_graph_add(struct cg_build *, const struct cg_graph *);

/* ---- match.c, diff.c ---------------------------------------------------- */

/*
 * Fills the tables of a graph's objects, files and functions: they become those
 * of another graph, which is in to already, or new ones. False: out of memory.
 */
bool cg_copy_match(struct cg_copy *, const struct cg_copy *other);

/* Two graphs with costs of calls, sealed, and the graph of their difference. */
struct cg_diff {
	const struct cg_graph *side[2]; /* before, after */
	bool beside;              /* not the difference: both, side by side */
	bool normalize;           /* before is scaled to the sums of after */
	struct cg_build build;    /* of an empty graph */
	cg_fn *fn[2];             /* result: by function that of build's graph */
};
/* Builds it, not sealed. CG_OK, or why not (reported). */
int cg_graph_diff(struct cg_diff *);

#endif
