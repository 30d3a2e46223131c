/*
 * algo.h - what is derived from a graph.
 */
#ifndef CG_ALGO_H
#define CG_ALGO_H

#include "graph/build.h"

/* ---- fold.c ------------------------------------------------------------- */

/*
 * Turns stacks into costs, calls and inclusive costs, exactly; removes the
 * stacks. Seal the graph again. The levels of recursion of a function become
 * functions of their own, "f'2" and so on; the last of them includes all deeper
 * ones. levels 1: none does.
 */
int cg_fold_stacks(struct cg_build *, uint64_t levels);
/*
 * The same in steps, while stacks are added. No more than that many rows are
 * summed before they go into the graph. NULL: out of memory.
 */
struct cg_fold;
struct cg_fold *cg_fold_new(struct cg_build *, uint64_t levels, size_t rows);
/*
 * Folds and removes the stacks of the graph, which is not sealed and has no
 * timelines. False: the build has failed.
 */
bool cg_fold_some(struct cg_fold *);
/* Folds the stacks of the graph, which is sealed, and adds all rows. */
int cg_fold_end(struct cg_fold *);
void cg_fold_free(struct cg_fold *);

/* ---- roots.c ------------------------------------------------------------ */

/* Adds a value of --root-by, which has to live on; false: it is none. */
bool cg_roots_add(struct cg_roots *, const char *by);
/* The bits of cg_who_key that they use. */
unsigned cg_roots_who(const struct cg_roots *);
/*
 * Puts the frames of roots below all stacks; timelines are dropped then, unless
 * the roots are those of the target, and labels if unlabel. Seal the graph
 * again. *joined: stacks of several threads of a part could not be told apart
 * without labels. Without roots that is all that it finds out. Reports its
 * failures.
 */
int cg_root_stacks(
    struct cg_build *, const struct cg_roots *, bool unlabel, bool *joined);

/* ---- cut.c -------------------------------------------------------------- */

/* An edge of --between: seconds after the begin, or a share of all. */
struct cg_edge {
	bool given, share;
	uint64_t nano;            /* 1e9 are a second, or a percent */
};
struct cg_between {
	bool given;
	struct cg_edge from, to;
};
/* "2,3.5", "10%,20%", "5,"; false: it is not like that. */
bool cg_between_parse(struct cg_between *, const char *text);
/*
 * Replaces *graph, which is sealed, by what was between the two times after the
 * begin of each input. Warns of costs that have no time. Reports its failures.
 */
int cg_graph_cut(struct cg_graph **graph, const struct cg_between *);

/* ---- entries.c ---------------------------------------------------------- */

/*
 * Adds calls from the unknown caller, so that the calls of a function in a sum
 * of inputs have its inclusive cost; for sealed graphs. Reports its failures.
 */
int cg_add_entries(struct cg_graph *);

/* ---- guess.c ------------------------------------------------------------ */

/*
 * Adds stacks that are likely given the calls; their costs are those of the
 * rows. If there were none, the rows stay, and the stacks repeat them: see
 * cg_drop_guess(). Else the rows are removed, because the stacks have all costs.
 * Frames have the positions that carries has a place for (CG_LINES, CG_INSTRS).
 * Seal the graph again. Reports its failures.
 */
int cg_guess_stacks(struct cg_build *, cg_facts carries);
/*
 * Removes the stacks that repeat rows, if there are any, and their description;
 * seals the graph.
 */
int cg_drop_guess(struct cg_graph *);
/* Removes the rows instead. */
void cg_keep_guess(struct cg_graph *);

/* ---- cycles.c ----------------------------------------------------------- */

/*
 * Finds the strongly connected components of a graph in compressed rows: node i
 * has edges to target[first[i]] .. target[first[i + 1]). component[i] gets the
 * number of i's component, in reverse topological order: edges lead to
 * components with lower numbers. Returns their count, or UINT32_MAX if out of
 * memory.
 */
uint32_t cg_components(uint32_t count, const uint32_t *first,
    const uint32_t *target, uint32_t *component);

/* ---- flow.c -------------------------------------------------------------- */

/* Calls in compressed rows, as above, and their counts. */
struct cg_edges {
	const uint32_t *first, *target;
	const uint64_t *count;
	const uint32_t *cycle; /* by function; 0: in none */
};
/*
 * How cost passes through cycles from an entry of each; entries in no cycle are
 * ignored. The edges have to live on. NULL: out of memory.
 */
struct cg_flow;
struct cg_flow *cg_flow_new(const struct cg_edges *, size_t fns,
    const uint32_t *entry, size_t entries);
void cg_flow_free(struct cg_flow *);
/*
 * Adds to the cost of each member what passes through it. passed is what enters
 * it from outside, and becomes what it passes to callers in the cycle. Function
 * i has cost[i * stride] and passed[i * stride].
 */
void cg_flow_add(const struct cg_flow *, uint64_t *cost, uint64_t *passed,
    size_t stride);
/*
 * What so many calls of a function by another in the cycle get of what it
 * passes; 0 if they lead back.
 */
uint64_t cg_flow_share(const struct cg_flow *, uint32_t from, uint32_t to,
    uint64_t count, uint64_t passed);

/* ---- propagate.c -------------------------------------------------------- */

/* Splits inclusive costs by call counts, for the events that ask for it. */
int cg_propagate(struct cg_graph *);

/*
 * Distributes total among n weights, whose sum is sum > 0, in whole numbers:
 * the largest remainders are rounded up, of equal ones the first. Sets share;
 * rest and index are scratch.
 */
struct cg_share {
	uint64_t weight, share, rest;
	uint32_t index;
};
void cg_share_out(uint64_t total, uint64_t sum, struct cg_share *, size_t n);

#endif
