/*
 * fold.c - converts call stacks to self costs, calls and inclusive costs.
 *
 * A function or a call that occurs twice on one stack counts once, so that the
 * inclusive cost of a recursive function is right. A call gets the call site of
 * its outermost occurrence.
 *
 * Programs that read the output sum calls themselves; for mutual recursion they
 * cannot tell what counts twice. So the second and deeper levels of a function
 * may become functions of their own, as with Callgrind's --separate-recs: then
 * no stack has two calls of the first level. If a function begins some stacks
 * and is called on others, all functions that begin stacks get calls from the
 * unknown caller, so that the calls of a function have its inclusive cost, as
 * KCachegrind expects.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"

/* A frame on the path from the root to the current leaf. */
struct open {
	cg_node node;
	cg_fn fn;                  /* of its level */
	bool first_fn, first_call; /* outermost on the path */
	uint64_t samples;
};

#define NO_CALLER UINT32_MAX /* of the frame at the root */

/* A function on the path. */
struct state {
	uint32_t open;   /* frames of the function, of any level */
	uint32_t taken;  /* frames of this level */
	cg_fn caller;    /* of the outermost of these */
	uint32_t called; /* the last part in which it is called, + 1 */
};

/* A function that begins stacks of a part. */
struct root {
	cg_part part;
	cg_fn fn;
	uint64_t samples, *cost;
};

struct fold {
	struct cg_build *build;
	struct cg_graph *graph;
	uint64_t levels;
	cg_part part;

	struct open *path;
	size_t depth, cap;
	uint64_t *sum;     /* by depth: costs of the closed frames */
	size_t sums;       /* allocated depth of sum */
	cg_node *ancestor; /* from a stack up to the path */
	size_t ancestor_cap;
	struct state *state; /* by function */
	size_t states;
	struct cg_map calls; /* open calls except the first of a callee */
	struct cg_map level; /* level << 32 | fn -> its function */
	struct root *root;
	size_t roots, root_cap;
	struct cg_map root_ids; /* part << 32 | fn -> root + 1 */
	struct cg_arena root_costs;
	bool called;  /* a root is also called in its part */
	bool sampled; /* calls are counted in samples */
};

/*
 * While stacks are folded, a node's latest child is its depth on the path + 1, or
 * 0: no frame is added, and afterwards the nodes are dropped.
 */
static void
set_depth(struct fold *fold, cg_node node, size_t depth)
{
	fold->graph->node[node].latest = depth & CG_NODES_MAX;
}

static size_t
depth_of(const struct fold *fold, cg_node node)
{
	return fold->graph->node[node].latest;
}

static void
clear_depths(struct fold *fold)
{
	for (cg_node node = 0; node < fold->graph->nodes; node++)
		set_depth(fold, node, 0);
}

static uint64_t *
sum_at(const struct fold *fold, size_t depth)
{
	return fold->sum + depth * (fold->graph->events + 1);
}

/* ---- Levels of recursion ------------------------------------------------- */

/* Adds "f'2", a function like fn with another name. */
static cg_fn
add_level(struct fold *fold, cg_fn fn, uint64_t level)
{
	struct cg_graph *graph = fold->graph;
	struct cg_slice name = cg_fn_name(graph, fn);
	char *text = malloc(name.len + CG_NUMBER_MAX + 1), *end;
	struct cg_fn_entry like = graph->fn[fn];
	cg_name full;
	cg_fn of_level;

	if (!text) {
		cg_build_nomem(fold->build);
		return 0;
	}
	if (name.len > 0)
		memcpy(text, name.ptr, name.len);
	text[name.len] = '\'';
	end = cg_format_u64(text + name.len + 1, level);
	full = cg_add_name(
	    fold->build, (struct cg_slice){ text, (size_t)(end - text) });
	free(text);
	of_level = cg_add_fn_symbol(
	    fold->build, full, like.file, like.object, like.symbol);
	cg_set_fn_range(fold->build, of_level, &like.range);
	return of_level;
}

struct cg_slice
cg_fn_base_name(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(graph, fn);
	size_t len = name.len;

	while (len > 0 && name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9')
		len--;
	if (len > 1 && len < name.len && name.ptr[len - 1] == '\'')
		name.len = len - 1;
	return name;
}

static bool
grow_states(struct fold *fold)
{
	return cg_grow(&fold->state, &fold->states, fold->graph->fns,
	    sizeof(*fold->state));
}

/* The function that represents frame number count of fn on the path. */
static cg_fn
fn_of_level(struct fold *fold, cg_fn fn, uint64_t count)
{
	uint64_t level = count < fold->levels ? count : fold->levels;
	uint32_t *at;
	cg_fn of_level;

	if (level < 2 || fn == 0)
		return fn;
	at = cg_map_at(&fold->level, level << 32 | fn);
	if (at && *at != 0)
		return *at;
	of_level = add_level(fold, fn, level);
	if (!at || !grow_states(fold)) {
		cg_build_nomem(fold->build);
		return 0;
	}
	*at = of_level;
	return of_level;
}

/* ---- The path ------------------------------------------------------------ */

static uint64_t
call_key(cg_fn caller, cg_fn callee)
{
	return (uint64_t)caller << 32 | callee;
}

/*
 * True if no outer frame on the path has the same call. The first call of each
 * callee is in its state; the map has all others.
 */
static bool
is_first_call(struct fold *fold, cg_fn caller, cg_fn callee)
{
	struct state *state = &fold->state[callee];
	uint32_t *open;

	if (state->taken == 1) {
		state->caller = caller;
		return true;
	}
	if (state->caller == caller)
		return false;
	open = cg_map_at(&fold->calls, call_key(caller, callee));
	if (!open) {
		cg_build_nomem(fold->build);
		return false;
	}
	if (*open != 0)
		return false;
	*open = 1;
	return true;
}

static bool
open_frame(struct fold *fold, cg_node node)
{
	const struct cg_graph *graph = fold->graph;
	cg_fn fn = cg_frame_of(graph, node)->fn, of_level;
	size_t depth = fold->depth;
	struct open *frame;

	of_level = fn_of_level(fold, fn, ++fold->state[fn].open);
	if (!cg_grow_raw(
		&fold->path, &fold->cap, depth + 1, sizeof(*fold->path)) ||
	    !cg_grow_raw(&fold->sum, &fold->sums, depth + 1,
		(graph->events + 1) * sizeof(*fold->sum))) {
		cg_build_nomem(fold->build);
		return false;
	}
	memset(sum_at(fold, depth), 0, graph->events * sizeof(*fold->sum));
	frame = &fold->path[depth];
	*frame = (struct open){ .node = node, .fn = of_level };
	frame->first_fn = ++fold->state[of_level].taken == 1;
	frame->first_call =
	    is_first_call(fold, depth ? frame[-1].fn : NO_CALLER, of_level) &&
	    depth > 0;
	set_depth(fold, node, ++fold->depth);
	return fold->build->status == CG_OK;
}

static bool
put_call(struct fold *fold, const struct open *frame, const uint64_t *sum)
{
	struct cg_graph *graph = fold->graph;
	const struct cg_call call = {
		.site = cg_frame_of(graph, frame[-1].node)->pos,
		.callee = frame->fn,
		.count = frame->samples,
		.cost = sum,
		.n = graph->events
	};
	struct cg_run *run = cg_run_get(graph, fold->part, frame[-1].fn);

	graph->facts |= CG_CALLS;
	fold->state[frame->fn].called = fold->part + 1;
	fold->sampled |= frame->samples != 0;
	return run && cg_run_add_call(graph, run, &call);
}

static bool
put_inclusive(struct fold *fold, const struct open *frame, const uint64_t *sum)
{
	struct cg_graph *graph = fold->graph;
	struct cg_run *run;
	size_t n = graph->events;

	/* Without costs there is no row: such a function cannot be written. */
	while (n > 0 && sum[n - 1] == 0)
		n--;
	if (n == 0)
		return true;
	run = cg_run_get(graph, fold->part, frame->fn);
	return run && cg_run_add_inclusive(graph, run, sum, n);
}

/* Only signed costs and samples can overflow here. */
static bool
add_to_top(struct fold *fold, uint64_t samples, const uint64_t *cost, size_t n)
{
	struct open *top = &fold->path[fold->depth - 1];

	if (cg_add_values(
		fold->graph, sum_at(fold, fold->depth - 1), cost, n) &&
	    !__builtin_add_overflow(top->samples, samples, &top->samples))
		return true;
	cg_graph_overflow(fold->graph, "costs or samples below a function");
	return false;
}

/* The root of fn in the part; NULL: out of memory. */
static struct root *
get_root(struct fold *fold, cg_fn fn)
{
	size_t size = (fold->graph->events + 1) * sizeof(uint64_t);
	uint32_t *id =
	    cg_map_at(&fold->root_ids, (uint64_t)fold->part << 32 | fn);
	struct root *root;

	if (!id || (*id == 0 && !cg_grow_raw(&fold->root, &fold->root_cap,
				    fold->roots + 1, sizeof(*fold->root))))
		return NULL;
	if (*id != 0)
		return &fold->root[*id - 1];
	root = &fold->root[fold->roots];
	*root = (struct root){ .part = fold->part, .fn = fn };
	root->cost = cg_arena_alloc(&fold->root_costs, size);
	if (!root->cost)
		return NULL;
	memset(root->cost, 0, size);
	*id = (uint32_t)++fold->roots;
	return root;
}

static bool
add_to_root(struct fold *fold, const struct open *frame, const uint64_t *cost)
{
	struct root *root = get_root(fold, frame->fn);

	if (!root) {
		cg_build_nomem(fold->build);
		return false;
	}
	if (cg_add_values(fold->graph, root->cost, cost, fold->graph->events) &&
	    !__builtin_add_overflow(
		root->samples, frame->samples, &root->samples))
		return true;
	cg_graph_overflow(fold->graph, "costs or samples below a function");
	return false;
}

/* Ends the innermost frame, whose costs are complete. */
static bool
close_frame(struct fold *fold)
{
	struct cg_graph *graph = fold->graph;
	struct open *frame = &fold->path[--fold->depth];
	struct state *state = &fold->state[frame->fn];
	const uint64_t *sum = sum_at(fold, fold->depth);
	bool ok = true;

	set_depth(fold, frame->node, 0);
	fold->state[cg_frame_of(graph, frame->node)->fn].open--;
	if (frame->first_fn)
		ok = put_inclusive(fold, frame, sum);
	state->taken--;
	if (frame->first_call && state->taken > 0)
		*cg_map_at(&fold->calls, call_key(frame[-1].fn, frame->fn)) = 0;
	if (ok && frame->first_call)
		ok = put_call(fold, frame, sum);
	if (!ok)
		cg_build_nomem(fold->build);
	if (!ok)
		return false;
	return fold->depth == 0
		   ? add_to_root(fold, frame, sum)
		   : add_to_top(fold, frame->samples, sum, graph->events);
}

/* Changes the path to lead to a leaf. */
static bool
go_to(struct fold *fold, cg_node leaf)
{
	size_t steps = 0;
	bool ok = true;

	for (; leaf != 0 && depth_of(fold, leaf) == 0; steps++) {
		if (!cg_grow_raw(&fold->ancestor, &fold->ancestor_cap,
			steps + 1, sizeof(*fold->ancestor))) {
			cg_build_nomem(fold->build);
			return false;
		}
		fold->ancestor[steps] = leaf;
		leaf = fold->graph->node[leaf].parent;
	}
	while (ok && fold->depth > depth_of(fold, leaf))
		ok = close_frame(fold);
	while (ok && steps > 0)
		ok = open_frame(fold, fold->ancestor[--steps]);
	return ok;
}

/* ---- All stacks ---------------------------------------------------------- */

static bool
fold_stack(struct fold *fold, struct cg_stack_entry *stack)
{
	struct cg_graph *graph = fold->graph;
	const uint64_t *cost = cg_stack_cost(stack);
	struct cg_run *run;
	cg_fn fn;

	if (!go_to(fold, stack->leaf))
		return false;
	/* A row without costs would mean code that never ran. */
	if (stack->n > 0) {
		fn = fold->depth ? fold->path[fold->depth - 1].fn : 0;
		run = cg_run_get(graph, fold->part, fn);
		if (!run || !cg_run_add_cost(graph, run,
				&cg_frame_of(graph, stack->leaf)->pos, cost,
				stack->n)) {
			cg_build_nomem(fold->build);
			return false;
		}
	}
	return fold->depth == 0 ||
	       add_to_top(fold, stack->samples, cost, stack->n);
}

static bool
fold_part(struct fold *fold, cg_part part)
{
	const struct cg_graph *graph = fold->graph;
	size_t end = graph->part_stacks[part + 1];
	bool ok = true;

	size_t root = fold->roots;

	fold->part = part;
	fold->sampled = false;
	for (size_t i = graph->part_stacks[part]; ok && i < end; i++)
		ok = fold_stack(fold, &graph->stack[i]);
	ok = ok && go_to(fold, 0);
	for (; ok && root < fold->roots; root++)
		fold->called |=
		    fold->state[fold->root[root].fn].called == part + 1;
	if (ok && fold->sampled) {
		cg_set_part(fold->build, part);
		cg_set_calls_sampled(fold->build);
	}
	return ok;
}

/* Adds calls from the unknown caller; false: out of memory. */
static bool
put_roots(struct fold *fold)
{
	struct cg_graph *graph = fold->graph;
	bool ok = true;

	for (size_t i = 0; ok && i < fold->roots; i++) {
		const struct root *root = &fold->root[i];
		const struct cg_call call = { .callee = root->fn,
			.count = root->samples,
			.cost = root->cost,
			.n = graph->events };
		struct cg_run *run = cg_run_get(graph, root->part, 0);

		ok = run && cg_run_add_call(graph, run, &call);
	}
	return ok;
}

static int
end_fold(struct fold *fold, bool ok)
{
	struct cg_graph *graph = fold->graph;

	free(fold->path);
	free(fold->sum);
	free(fold->ancestor);
	free(fold->state);
	cg_map_free(&fold->calls);
	cg_map_free(&fold->level);
	free(fold->root);
	cg_map_free(&fold->root_ids);
	cg_arena_free(&fold->root_costs);
	if (ok && fold->build->status == CG_OK) {
		cg_stacks_clear(graph);
		graph->facts &= ~CG_STACKS;
		graph->facts |= CG_INCL;
		return CG_OK;
	}
	clear_depths(fold);
	cg_build_nomem(fold->build);
	return *graph->fault != CG_OK ? *graph->fault : fold->build->status;
}

int
cg_fold_stacks(struct cg_build *build, uint64_t levels)
{
	struct cg_graph *graph = build->graph;
	/* Map keys have 32 bits for the level; no path is that deep. */
	struct fold fold = { .build = build,
		.graph = graph,
		.levels = levels < UINT32_MAX ? levels : UINT32_MAX };
	bool ok = grow_states(&fold);

	clear_depths(&fold);
	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = fold_part(&fold, part);
	ok = ok && (!fold.called || put_roots(&fold));
	return end_fold(&fold, ok);
}
