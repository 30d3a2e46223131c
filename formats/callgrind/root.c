/*
 * root.c - the root against KCachegrind's missed cycles.
 *
 * KCachegrind misses a cycle whose entry is the root of its search, and shows
 * more than 100 %. It visits functions by name; a function whose name sorts
 * first and that calls every function without a caller cures it. So where
 * there are cycles, "(<spontaneous>)" is that function, unless the graph has
 * calls from an unknown caller itself or --no-root is given.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/*
 * What is known of cycles. They are those of all parts together: as
 * KCachegrind sees them.
 */
struct root {
	struct cg_sums *sums;
	size_t *done;        /* by cycle: 1 + the last part that calls it */
	cg_fn *first, *next; /* members: by cycle, by fn */
	uint64_t *cost;
};

void
callgrind_free_root(struct root *root)
{
	if (!root)
		return;
	cg_sums_free(root->sums);
	free(root->done);
	free(root->first);
	free(root->next);
	free(root->cost);
	free(root);
}

/* Is a root wanted, and no unknown caller there that calls? */
static bool
wants_root(const struct writer *w)
{
	size_t i = 0;
	cg_fn fn;

	/* Functions come in order: the unknown caller first. */
	return cg_opt_flag(w->job, "root") &&
	       (cg_graph_facts(w->graph) & CG_CALLS) &&
	       !(cg_next_fn(w->graph, CG_ALL_PARTS, &i, &fn) && fn == 0);
}

/* Lists the members of cycles. */
static bool
list_members(struct writer *w, struct root *root)
{
	size_t count = cg_cycle_count(root->sums);
	size_t fns = cg_fn_count(w->graph);

	root->done = calloc(count + 1, sizeof(*root->done));
	root->first = calloc(count + 1, sizeof(*root->first));
	root->next = calloc(fns + 1, sizeof(*root->next));
	root->cost = calloc(w->lines.most + 1, sizeof(*root->cost));
	if (!root->done || !root->first || !root->next || !root->cost)
		return false;
	for (cg_fn fn = 0; fn <= fns; fn++) {
		uint32_t own = cg_sum_cycle(root->sums, fn);

		root->next[fn] = root->first[own];
		root->first[own] = fn;
	}
	return true;
}

int
callgrind_find_root(struct writer *w)
{
	struct root *root;

	if (!wants_root(w))
		return CG_OK;
	root = calloc(1, sizeof(*root));
	if (!root)
		return cg_nomem(w->job);
	w->root = root; /* freed with the writer */
	root->sums = cg_sums_new(w->graph, CG_ALL_PARTS, false);
	if (!root->sums)
		return CG_ELIMIT; /* and has been said */
	if (cg_cycle_count(root->sums) > 0)
		return list_members(w, root) ? CG_OK : cg_nomem(w->job);
	callgrind_free_root(root);
	w->root = NULL;
	return CG_OK;
}

static bool
add_costs(uint64_t *to, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(to[i], cost[i], &to[i]))
			return false;
	}
	return true;
}

/* Adds what fn costs with all that it calls outside its cycle. */
static bool
add_own_cost(struct cg_rows *rows, const struct root *root, cg_fn fn)
{
	uint32_t cycle = cg_sum_cycle(root->sums, fn);
	struct cg_cost cost;
	struct cg_call call;

	while (cg_next_cost(rows, &cost)) {
		if (!add_costs(root->cost, cost.cost, cost.n))
			return false;
	}
	while (cg_next_call(rows, &call)) {
		uint32_t to = cg_sum_cycle(root->sums, call.callee);

		if (call.callee != fn && (cycle == 0 || to != cycle) &&
		    !add_costs(root->cost, call.cost, call.n))
			return false;
	}
	return true;
}

static int
put_root_call(struct writer *w, struct cg_rows *rows, cg_part part, cg_fn fn)
{
	const struct root *root = w->root;
	uint32_t cycle = cg_sum_cycle(root->sums, fn);
	cg_fn member = cycle ? root->first[cycle] : fn;
	struct cg_call call = { .callee = fn, .count = 1 };

	memset(root->cost, 0, w->lines.most * sizeof(*root->cost));
	do {
		if (!cg_rows_open(rows, part, member))
			return CG_ELIMIT;
		if (!add_own_cost(rows, root, member))
			return cg_fail(w->job, "inclusive costs add up to more "
					       "than 64 bits hold");
		member = cycle ? root->next[member] : 0;
	} while (member != 0);
	call.cost = root->cost;
	call.n = w->lines.most;
	while (call.n > 0 && call.cost[call.n - 1] == 0)
		call.n--;
	callgrind_put_call(w, &call);
	return CG_OK;
}

int
callgrind_put_root(struct writer *w, struct cg_rows *rows, cg_part part)
{
	const struct root *root = w->root;
	int status = CG_OK;
	cg_fn fn;

	callgrind_begin_fn(w, 0);
	for (size_t i = 0;
	     status == CG_OK && cg_next_fn(w->graph, part, &i, &fn);) {
		uint32_t cycle = cg_sum_cycle(root->sums, fn);
		bool calls = cycle == 0
				 ? cg_sum_is_root(root->sums, fn)
				 : root->done[cycle] <= part &&
				       !cg_cycle_is_called(root->sums, cycle);

		if (!calls)
			continue;
		root->done[cycle] = (size_t)part + 1;
		status = put_root_call(w, rows, part, fn);
	}
	cg_putc(w->out, '\n');
	return status;
}
