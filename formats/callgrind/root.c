/*
 * root.c - the calls of an added root, which keeps KCachegrind from missing
 * cycles.
 *
 * KCachegrind misses a cycle where its search begins at a member of the cycle,
 * and shows more than 100 %: that function is at the bottom of the search's
 * stack, and cycleDFS() in libcore/tracedata.cpp takes it to be finished. The
 * search begins at the function that sorts first, and again at the next that
 * it has not reached. A function whose name sorts first and that calls every
 * function without a caller prevents this. Where KCachegrind would miss a
 * cycle, the writer adds "(<spontaneous>)" as this function, unless the graph
 * itself has calls from an unknown caller, or --no-spontaneous is given.
 */
#include <string.h>

#include "root.h"

/* Cycles are computed over all parts together, as in KCachegrind. */
struct callgrind_root {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_sums *sums;
	size_t *done;        /* by cycle: 1 + the last part with a call */
	cg_fn *first, *next; /* members: by cycle, by fn */
	uint64_t *cost;
	size_t events;
};

static void
free_sums(void *sums)
{
	cg_sums_free(sums);
}

static bool
is_wanted(const struct cg_job *job, const struct cg_graph *graph)
{
	size_t i = 0;
	cg_fn fn;

	/* The unknown caller is first in canonical order. */
	return cg_opt_flag(job, "spontaneous") &&
	       (cg_graph_facts(graph) & CG_CALLS) &&
	       !(cg_next_fn(graph, CG_ALL_PARTS, &i, &fn) && fn == 0);
}

/* ---- Would KCachegrind miss a cycle? ------------------------------------ */

/* KCachegrind's sort key of a function: its name and two base names, joined. */
#define KEY_WORDS 3
struct key {
	struct cg_slice word[KEY_WORDS];
	size_t i, at; /* the next byte */
};

static struct cg_slice
base_name(struct cg_slice path)
{
	size_t at = path.len;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	return (struct cg_slice){ path.ptr + at, path.len - at };
}

static struct cg_slice
get_name(const struct cg_graph *graph, cg_fn fn)
{
	return fn ? cg_fn_name(graph, fn) : cg_slice(SPONTANEOUS);
}

static struct key
get_key(const struct cg_graph *graph, cg_fn fn)
{
	cg_object object = cg_fn_object(graph, fn);
	cg_file file = cg_fn_file(graph, fn);

	return (struct key){ .word = { get_name(graph, fn),
				 base_name(cg_file_path(graph, file)),
				 base_name(cg_object_path(graph, object)) } };
}

/*
 * Returns the next byte of a sort key, and advances. The words of the key are
 * read as if they were joined. -1: the end of the key.
 */
static int
next_byte(struct key *key)
{
	while (key->i < KEY_WORDS && key->at == key->word[key->i].len) {
		key->i++;
		key->at = 0;
	}
	if (key->i == KEY_WORDS)
		return -1;
	return (unsigned char)key->word[key->i].ptr[key->at++];
}

/*
 * True if KCachegrind tries "fn" before "other" when it searches for cycles.
 * It tries functions in the order of their names. Functions with the same name
 * are in the order of the rest of their sort keys, which are base names of
 * paths.
 */
static bool
sorts_before(const struct cg_graph *graph, cg_fn fn, cg_fn other)
{
	struct cg_slice a = get_name(graph, fn), b = get_name(graph, other);
	size_t least = a.len < b.len ? a.len : b.len;
	int differ = least ? memcmp(a.ptr, b.ptr, least) : 0, byte;
	struct key key, other_key;

	if (differ != 0)
		return differ < 0;
	key = get_key(graph, fn);
	other_key = get_key(graph, other);
	do {
		byte = next_byte(&key);
		differ = byte - next_byte(&other_key);
	} while (differ == 0 && byte >= 0);
	return differ < 0;
}

static bool
list_members(struct callgrind_root *root)
{
	size_t count = cg_cycle_count(root->sums);
	size_t fns = cg_fn_count(root->graph);

	root->done = cg_alloc(root->job, (count + 1) * sizeof(*root->done));
	root->first = cg_alloc(root->job, (count + 1) * sizeof(*root->first));
	root->next = cg_alloc(root->job, (fns + 1) * sizeof(*root->next));
	root->cost =
	    cg_alloc(root->job, (root->events + 1) * sizeof(*root->cost));
	if (!root->done || !root->first || !root->next || !root->cost)
		return false;
	for (cg_fn fn = 0; fn <= fns; fn++) {
		uint32_t own = cg_sum_cycle(root->sums, fn);

		root->next[fn] = root->first[own];
		root->first[own] = fn;
	}
	return true;
}

bool
callgrind_open_root(struct cg_job *job, const struct cg_graph *graph,
    struct callgrind_root **opened)
{
	struct callgrind_root *root;
	struct cg_sums *sums;
	bool missed = false;

	*opened = NULL;
	if (!is_wanted(job, graph))
		return true;
	sums = cg_sums_new(graph, CG_ALL_PARTS, false);
	if (!sums || cg_cycle_count(sums) == 0 ||
	    !cg_search_begins_in_cycle(sums, sorts_before, &missed) ||
	    !missed) {
		cg_sums_free(sums); /* large: before any row is written */
		return cg_job_status(job) == CG_OK;
	}
	if (!cg_at_end(job, free_sums, sums))
		return false;
	*opened = root = cg_alloc(job, sizeof(*root));
	if (!root)
		return false;
	*root = (struct callgrind_root){ .job = job,
		.graph = graph,
		.sums = sums,
		.events = cg_event_count(graph) };
	return list_members(root);
}

/* ---- Costs -------------------------------------------------------------- */

static bool
add_costs(uint64_t *to, const uint64_t *cost, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(to[i], cost[i], &to[i]))
			return false;
	}
	return true;
}

/*
 * Adds to root->cost the self cost of fn and the costs of its calls. Calls of
 * fn itself and within its cycle do not count. rows must be open for fn.
 * False: a sum overflows.
 */
static bool
add_own_cost(struct cg_rows *rows, const struct callgrind_root *root, cg_fn fn)
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

/*
 * Sets root->cost to the inclusive cost of fn. If fn is in a cycle, sets it to
 * the inclusive cost of the whole cycle. That is the self costs of the cycle's
 * members, and the costs of their calls that leave the cycle. False: an error
 * (reported).
 */
static bool
sum_inclusive(
    struct callgrind_root *root, struct cg_rows *rows, cg_part part, cg_fn fn)
{
	uint32_t cycle = cg_sum_cycle(root->sums, fn);
	cg_fn member = cycle ? root->first[cycle] : fn;

	memset(root->cost, 0, root->events * sizeof(*root->cost));
	do {
		if (!cg_rows_open(rows, part, member))
			return false;
		if (!add_own_cost(rows, root, member))
			return cg_reject(
			    root->job, "the sum of costs exceeds 64 bits");
		member = cycle ? root->next[member] : 0;
	} while (member != 0);
	return true;
}

/*
 * True if the added root has to call fn in this part (section of the profile),
 * as nothing else does. In a cycle that nothing outside calls, the root calls
 * one member in each part. False if it called another one already
 * (root->done).
 */
static bool
is_uncalled(const struct callgrind_root *root, cg_part part, cg_fn fn)
{
	uint32_t cycle = cg_sum_cycle(root->sums, fn);

	if (cycle == 0)
		return cg_sum_is_root(root->sums, fn);
	return root->done[cycle] <= part &&
	       !cg_cycle_is_called(root->sums, cycle);
}

bool
callgrind_next_root_call(struct callgrind_root *root, struct cg_rows *rows,
    cg_part part, size_t *i, struct cg_call *call)
{
	cg_fn fn;

	while (cg_next_fn(root->graph, part, i, &fn)) {
		if (!is_uncalled(root, part, fn))
			continue;
		root->done[cg_sum_cycle(root->sums, fn)] = (size_t)part + 1;
		if (!sum_inclusive(root, rows, part, fn))
			return false;
		*call = (struct cg_call){ .callee = fn,
			.count = 1,
			.cost = root->cost,
			.n = root->events };
		while (call->n > 0 && call->cost[call->n - 1] == 0)
			call->n--;
		return true;
	}
	return false;
}
