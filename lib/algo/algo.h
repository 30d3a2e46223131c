/*
 * algo.h - algorithms that derive facts of a graph, or make a new graph of it.
 */
#ifndef CG_ALGO_H
#define CG_ALGO_H

#include "graph/build.h"

/* ---- fold.c ------------------------------------------------------------- */

/*
 * Turns stacks into costs, calls and inclusive costs, exactly; removes the
 * stacks. The caller has to seal the graph again. With levels > 1, the levels
 * of recursion of a function become functions of their own, "f'2" and so on;
 * the last of them includes all deeper levels. Returns the status.
 */
int cg_fold_stacks(struct cg_build *, uint64_t levels);
/*
 * The same in steps, while stacks are added. At most rows rows are summed
 * before they are added to the graph. NULL: out of memory.
 */
struct cg_fold;
struct cg_fold *cg_fold_new(struct cg_build *, uint64_t levels, size_t rows);
/*
 * Folds and removes the stacks of the graph, which is not sealed and has no
 * timelines. False: the build has failed.
 */
bool cg_fold_some(struct cg_fold *);
/*
 * Folds the remaining stacks of the graph, which is sealed, and adds all rows.
 * Returns the status.
 */
int cg_fold_end(struct cg_fold *);
void cg_fold_free(struct cg_fold *);

/* ---- roots.c ------------------------------------------------------------ */

/*
 * Adds a value of --root-by, which must outlive roots; false: it is not a
 * valid one.
 */
bool cg_roots_add(struct cg_roots *, const char *by);
/* Returns the bits of the cg_who_key that the roots use. */
unsigned cg_roots_who(const struct cg_roots *);
/*
 * Puts the frames of roots below all stacks. Timelines are then dropped,
 * unless the roots are those of the target, and so are labels if unlabel. The
 * caller has to seal the graph again. *joined: stacks of several threads of a
 * part cannot be told apart without labels; without roots only *joined is set.
 * Reports its failures. Returns the status.
 */
int cg_root_stacks(
    struct cg_build *, const struct cg_roots *, bool unlabel, bool *joined);

/* ---- cut.c -------------------------------------------------------------- */

/*
 * An edge of --between: seconds after the beginning, or a percentage of the
 * whole time (share).
 */
struct cg_edge {
	bool given, share;
	uint64_t nano;            /* 1e9 is a second, or a percent */
};
struct cg_between {
	bool given;
	struct cg_edge from, to;
};
/* Parses "2,3.5", "10%,20%", "5,"; false if text has another form. */
bool cg_between_parse(struct cg_between *, const char *text);
/*
 * Replaces *graph, which is sealed, by the part of it between the two times
 * after the beginning of each input. Warns of costs without a time. Reports
 * its failures. Returns the status.
 */
int cg_graph_cut(struct cg_graph **graph, const struct cg_between *);

/* ---- scope.c ------------------------------------------------------------- */

/*
 * Drops from a coverage run, which is sealed, the files that are excluded, and
 * the functions without a file that have no rows and that no other one calls.
 * Replaces *graph. Reports its failures. Returns the status.
 */
int cg_graph_keep_scope(struct cg_graph **graph, const struct cg_map *excluded);

/* ---- entries.c ---------------------------------------------------------- */

/*
 * Adds calls by the unknown caller to a sealed graph, so that the calls of each
 * function add up to its inclusive cost. many: the graph is the sum of several
 * inputs; else only functions whose calls have no cost get one. Reports its
 * failures. Returns the status.
 */
int cg_add_entries(struct cg_graph *, bool many);

/* ---- guess.c ------------------------------------------------------------ */

/*
 * Adds stacks that are likely, given the calls; their costs are those of the
 * rows. If there were no stacks, the rows stay, and the stacks repeat them:
 * see cg_drop_guess(). Otherwise the rows are removed, as the stacks have all
 * costs. Frames have the kinds of positions that carries allows (CG_LINES,
 * CG_INSTRS). The caller has to seal the graph again. Reports its failures.
 * Returns the status.
 */
int cg_guess_stacks(struct cg_build *, cg_facts carries);
/*
 * Removes the stacks that repeat rows, if there are any, and their
 * description; seals the graph. Returns the status.
 */
int cg_drop_guess(struct cg_graph *);
/* Removes the rows that estimated stacks repeat, and keeps the stacks. */
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

/* Calls in compressed rows, as for cg_components(), and their counts. */
struct cg_edges {
	const uint32_t *first, *target;
	const uint64_t *count;
	const uint32_t *cycle; /* by function; 0: in none */
};
/*
 * How cost passes through cycles, from an entry of each; entries outside of
 * cycles are ignored. The edges must outlive it. NULL: out of memory.
 */
struct cg_flow;
struct cg_flow *cg_flow_new(const struct cg_edges *, size_t fns,
    const uint32_t *entry, size_t entries);
void cg_flow_free(struct cg_flow *);
/*
 * Adds to the cost of each member the cost that passes through it. passed is
 * the cost that enters the member from outside; it becomes the cost that the
 * member passes to callers in the cycle. Function i has cost[i * stride] and
 * passed[i * stride].
 */
void cg_flow_add(const struct cg_flow *, uint64_t *cost, uint64_t *passed,
    size_t stride);
/*
 * Returns the part of passed, the cost that function to passes to its callers
 * in the cycle, for count calls of it by function from; 0 if the calls lead
 * back.
 */
uint64_t cg_flow_share(const struct cg_flow *, uint32_t from, uint32_t to,
    uint64_t count, uint64_t passed);

/* ---- propagate.c -------------------------------------------------------- */

/*
 * Splits inclusive costs by call counts, for events with CG_INCL_BY_COUNTS.
 * Returns the status.
 */
int cg_propagate(struct cg_graph *);

/*
 * Distributes total among n weights, whose sum is sum > 0, in whole numbers:
 * the largest remainders are rounded up, the first of equal ones. Sets share;
 * rest and index are scratch.
 */
struct cg_share {
	uint64_t weight, share, rest;
	uint32_t index;
};
void cg_share_out(uint64_t total, uint64_t sum, struct cg_share *, size_t n);

#endif
