/*
 * callgrind_root.c - the root against KCachegrind's missed cycles.
 *
 * KCachegrind misses a cycle whose entry is the root of its search, and shows
 * more than 100 %. It visits functions by name; a function whose name sorts
 * first and that calls every function without a caller cures it. So where
 * there are cycles, "(<spontaneous>)" is that function, unless the graph has
 * calls from an unknown caller itself or --no-root is given.
 */
#include <stdlib.h>
#include <string.h>

#include "callgrind_write.h"

/* What is known of the cycles of a part. */
struct root {
	struct cg_sums *sums;
	bool *done;          /* by cycle: the root calls it */
	cg_fn *first, *next; /* members: by cycle, by fn */
	uint64_t *cost;
};

void
cg_callgrind_free_root(struct root *root)
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
wants_root(const struct writer *w, cg_part part)
{
	size_t i = 0;
	cg_fn fn;

	/* Functions come in order: the unknown caller first. */
	return cg_opt_flag(w->job, "root") &&
	       (cg_graph_facts(w->graph) & CG_CALLS) &&
	       !(cg_next_fn(w->graph, part, &i, &fn) && fn == 0);
}

/* Lists the members of cycles. */
static bool
list_members(struct writer *w, cg_part part, struct root *root)
{
	size_t count = cg_cycle_count(root->sums);
	cg_fn fn;

	root->done = calloc(count + 1, sizeof(*root->done));
	root->first = calloc(count + 1, sizeof(*root->first));
	root->next = calloc(cg_fn_count(w->graph) + 1, sizeof(*root->next));
	root->cost = calloc(w->events + 1, sizeof(*root->cost));
	if (!root->done || !root->first || !root->next || !root->cost)
		return false;
	for (size_t i = 0; cg_next_fn(w->graph, part, &i, &fn);) {
		uint32_t own = cg_sum_cycle(root->sums, fn);

		root->next[fn] = root->first[own];
		root->first[own] = fn;
	}
	return true;
}

int
cg_callgrind_find_root(struct writer *w, cg_part part, struct root **found)
{
	struct root *root;
	bool ok;

	*found = NULL;
	if (!wants_root(w, part))
		return CG_OK;
	root = calloc(1, sizeof(*root));
	if (!root)
		return cg_nomem(w->job);
	root->sums = cg_sums_new(w->graph, part, false);
	ok = root->sums != NULL;
	if (ok && cg_cycle_count(root->sums) > 0) {
		ok = list_members(w, part, root);
		*found = ok ? root : NULL;
	}
	if (!*found)
		cg_callgrind_free_root(root);
	return ok ? CG_OK : cg_nomem(w->job);
}

/* Adds what fn costs with all that it calls outside its cycle. */
static void
add_own_cost(struct cg_rows *rows, const struct root *root, cg_fn fn)
{
	uint32_t cycle = cg_sum_cycle(root->sums, fn);
	struct cg_cost cost;
	struct cg_call call;

	/* Self costs are bounded by the total, and calls are what is in it. */
	while (cg_next_cost(rows, &cost)) {
		for (size_t i = 0; i < cost.n; i++)
			root->cost[i] += cost.cost[i];
	}
	while (cg_next_call(rows, &call)) {
		uint32_t to = cg_sum_cycle(root->sums, call.callee);

		for (size_t i = 0; call.callee != fn &&
				   (cycle == 0 || to != cycle) && i < call.n;
		     i++)
			root->cost[i] += call.cost[i];
	}
}

static bool
put_root_call(struct writer *w, struct cg_rows *rows, cg_part part,
    const struct root *root, cg_fn fn)
{
	uint32_t cycle = cg_sum_cycle(root->sums, fn);
	cg_fn member = cycle ? root->first[cycle] : fn;
	struct cg_call call = { .callee = fn, .count = 1 };

	memset(root->cost, 0, w->events * sizeof(*root->cost));
	do {
		if (!cg_rows_open(rows, part, member))
			return false;
		add_own_cost(rows, root, member);
		member = cycle ? root->next[member] : 0;
	} while (member != 0);
	call.cost = root->cost;
	call.n = w->events;
	while (call.n > 0 && call.cost[call.n - 1] == 0)
		call.n--;
	cg_callgrind_put_call(w, &call);
	return true;
}

int
cg_callgrind_put_root(struct writer *w, struct cg_rows *rows, cg_part part,
    const struct root *root)
{
	cg_fn fn;

	cg_callgrind_begin_fn(w, 0);
	for (size_t i = 0; cg_next_fn(w->graph, part, &i, &fn);) {
		uint32_t cycle = cg_sum_cycle(root->sums, fn);

		if (cycle ? root->done[cycle] ||
				cg_cycle_is_called(root->sums, cycle)
			  : !cg_sum_is_root(root->sums, fn))
			continue;
		if (!put_root_call(w, rows, part, root, fn))
			return CG_ELIMIT;
		root->done[cycle] = cycle != 0;
	}
	cg_putc(w->out, '\n');
	return CG_OK;
}
