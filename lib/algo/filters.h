/*
 * filters.h - filters by function (--focus, --hide, --granularity and others).
 *
 *	filters.c  parses them and matches functions
 *	filter.c   applies them to a graph
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
 * expression is invalid; why is set to the reason. CHOICE: the value is not
 * one of those allowed.
 */
enum cg_filter_error {
	CG_FILTER_OK, CG_FILTER_NONE, CG_FILTER_TWICE, CG_FILTER_BAD,
	CG_FILTER_CHOICE, CG_FILTER_NOMEM
};
enum cg_filter_error cg_filters_set(struct cg_filters *, const char *name,
    const char *value, char *why, size_t size);
/* True if any filter is set. filters may be NULL. */
bool cg_filters_any(const struct cg_filters *);
/* Returns the first option that needs stacks, or NULL. */
const char *cg_filters_stacked(const struct cg_filters *);
/*
 * Returns the first option that needs stacks, ignoring those that only select
 * visible frames; or NULL.
 */
const char *cg_filters_strict(const struct cg_filters *);
/* True if a frame of a function is visible; matched: cg_filters_match(). */
bool cg_filters_show(const struct cg_filters *, unsigned matched);
/* Returns a bit for each kind whose expression matches the function. */
unsigned cg_filters_match(
    const struct cg_filters *, const struct cg_graph *, cg_fn);
/*
 * Returns the class or package of a function by its name: "ns::A" of
 * "ns::A::f(int)", "a.b.C" of "a.b.C.m"; "" if there is none.
 */
struct cg_slice cg_class_of(struct cg_slice name);

/* ---- filter.c ----------------------------------------------------------- */

/*
 * Sets *can to whether functions can be hidden in a graph without stacks: they
 * must call only hidden functions; the cost of calls of them then becomes cost
 * of the callers. Returns CG_OK, or a reported failure.
 */
int cg_can_hide(
    const struct cg_graph *, const struct cg_filters *, bool *can);
/*
 * Applies the filters: replaces *graph, which is sealed, and notes the
 * percentage of the costs that is kept. If a filter needs stacks, rows are
 * dropped, so all costs must be costs of stacks; with by_calls, cg_can_hide()
 * must have set *can, and rows are kept. Without filters, drops everything
 * from a graph without rows that no stack refers to. Reports its failures.
 * Returns the status.
 */
int cg_graph_filter(
    struct cg_graph **graph, const struct cg_filters *, bool by_calls);

#endif
