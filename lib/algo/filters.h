/*
 * filters.h - filters by function (--focus, --hide, --granularity and others).
 *
 *	filters.c  what they say, and which functions they match
 *	filter.c   the graph that they make of another
 */
#ifndef CG_FILTERS_H
#define CG_FILTERS_H

#include <regex.h>

#include "graph/build.h"

/* ---- filters.c ---------------------------------------------------------- */

enum cg_filter_kind {
	CG_FOCUS, CG_IGNORE, CG_HIDE, CG_SHOW, CG_SHOW_FROM, CG_PRUNE_FROM,
	CG_ONLY_OBJECT, CG_COLLAPSE_OBJECT,
	CG_FILTER_KINDS
};
enum cg_granularity {
	CG_AS_IT_IS, CG_PER_FUNCTION, CG_PER_FILE, CG_PER_OBJECT, CG_PER_LINE,
	CG_PER_CLASS,
	CG_GRANULARITIES
};

struct cg_filters {
	bool given[CG_FILTER_KINDS];
	regex_t re[CG_FILTER_KINDS];
	enum cg_granularity granularity;
	bool trim; /* calls of a function by itself become one */
};
void cg_filters_free(struct cg_filters *);
/*
 * Sets the option of that name ("focus"); value is NULL for a flag. BAD: the
 * expression is invalid, why gets the reason. CHOICE: the value is none of the
 * possible ones.
 */
enum cg_filter_error {
	CG_FILTER_OK, CG_FILTER_NONE, CG_FILTER_TWICE, CG_FILTER_BAD,
	CG_FILTER_CHOICE, CG_FILTER_NOMEM
};
enum cg_filter_error cg_filters_set(struct cg_filters *, const char *name,
    const char *value, char *why, size_t size);
/* Is there any? filters may be NULL. */
bool cg_filters_any(const struct cg_filters *);
/* The first option that needs stacks, or NULL. */
const char *cg_filters_stacked(const struct cg_filters *);
/* The same, but for options that only tell which frames are visible. */
const char *cg_filters_strict(const struct cg_filters *);
/* Is a frame of a function that has matched so visible? */
bool cg_filters_show(const struct cg_filters *, unsigned matched);
/* A bit for each kind whose expression matches the function. */
unsigned cg_filters_match(
    const struct cg_filters *, const struct cg_graph *, cg_fn);
/*
 * The class or package of a function by its name: "ns::A" of "ns::A::f(int)",
 * "a.b.C" of "a.b.C.m"; "" if there is none.
 */
struct cg_slice cg_class_of(struct cg_slice name);

/* ---- filter.c ----------------------------------------------------------- */

/*
 * Can functions be hidden in a graph without stacks? They have to call hidden
 * ones only: then the costs of calls to them are costs of the callers. *can:
 * the answer. Returns CG_OK, or a reported failure.
 */
int cg_can_hide(
    const struct cg_graph *, const struct cg_filters *, bool *can);
/*
 * Replaces *graph, which is sealed, by what the filters make of it, and notes
 * which share of the costs they keep. If one needs stacks, rows are dropped:
 * all costs have to be those of stacks; with by_calls, cg_can_hide() was true,
 * and rows are kept. Without filters, of a graph without rows, what no stack has
 * is dropped. Reports its failures.
 */
int cg_graph_filter(
    struct cg_graph **graph, const struct cg_filters *, bool by_calls);

#endif
