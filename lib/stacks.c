/*
 * stacks.c - call stacks, and their exact folding into costs and calls.
 *
 * A function or an arc that stands twice on one stack is counted once, so
 * that the inclusive cost of a recursive function is what it really took.
 */
#include <stdlib.h>

#include "graph.h"

/* ---- The tree of stacks -------------------------------------------------- */

static uint64_t
hash_node(const struct cg_node_entry *node)
{
	uint64_t hash = cg_hash_u64((uint64_t)node->parent << 32 | node->fn);

	hash = cg_hash_u64(
	    hash ^ ((uint64_t)node->pos.file << 32 | node->pos.line));
	return cg_hash_u64((hash + node->inlined) ^ node->pos.addr);
}

static bool
same_node(const struct cg_node_entry *a, const struct cg_node_entry *b)
{
	return a->parent == b->parent && a->fn == b->fn &&
	       a->pos.file == b->pos.file && a->pos.line == b->pos.line &&
	       a->pos.addr == b->pos.addr && a->inlined == b->inlined;
}

static bool
grow_node_slots(struct cg_graph *graph)
{
	size_t slots = graph->node_slots ? graph->node_slots * 2 : 64, at;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t id = 1; id < graph->nodes; id++) {
		at = hash_node(&graph->node[id]) & (slots - 1);
		while (slot[at] != 0)
			at = (at + 1) & (slots - 1);
		slot[at] = id;
	}
	free(graph->node_slot);
	graph->node_slot = slot;
	graph->node_slots = slots;
	return true;
}

cg_node
cg_add_frame(struct cg_build *build, cg_node parent, cg_fn fn,
    const struct cg_pos *pos, bool inlined)
{
	struct cg_graph *graph = build->graph;
	struct cg_node_entry node = {
		.parent = parent, .fn = fn, .pos = *pos, .inlined = inlined
	};
	size_t at;

	if (!cg_build_check(build, parent, graph->nodes, "stack node") ||
	    !cg_build_check(build, fn, graph->fns, "function") ||
	    !cg_build_check(build, pos->file, graph->files.count, "file"))
		return 0;
	if ((graph->nodes * 4 >= graph->node_slots * 3 &&
		!grow_node_slots(graph)) ||
	    graph->nodes >= UINT32_MAX ||
	    !cg_grow_raw(&graph->node, &graph->node_cap, graph->nodes + 1,
		sizeof(node))) {
		cg_build_nomem(build);
		return 0;
	}
	at = hash_node(&node) & (graph->node_slots - 1);
	while (graph->node_slot[at] != 0 &&
	       !same_node(&graph->node[graph->node_slot[at]], &node))
		at = (at + 1) & (graph->node_slots - 1);
	if (graph->node_slot[at] == 0) {
		graph->node[graph->nodes] = node;
		graph->node_slot[at] = (uint32_t)graph->nodes++;
	}
	return graph->node_slot[at];
}

void
cg_add_stack(struct cg_build *build, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_stack_entry *stack;
	size_t have;
	uint32_t *id;

	if (!cg_build_check(build, leaf, graph->nodes, "stack node") ||
	    cg_build_omits(build, graph->node[leaf].pos.file) ||
	    !cg_build_check(build, (uint32_t)n, graph->events + 1, "event") ||
	    !cg_build_total(build, cost, n))
		return;
	id = cg_map_at(&graph->stack_ids, (uint64_t)build->part << 32 | leaf);
	if (!id || !cg_grow(&graph->stack, &graph->stack_cap, graph->stacks + 1,
		       sizeof(*stack))) {
		cg_build_nomem(build);
		return;
	}
	if (*id == 0) {
		graph->stack[graph->stacks].leaf = leaf;
		graph->stack[graph->stacks].part = build->part;
		*id = (uint32_t)++graph->stacks;
	}
	stack = &graph->stack[*id - 1];
	have = stack->n;
	if (!cg_grow(&stack->cost, &have, n, sizeof(*cost))) {
		cg_build_nomem(build);
		return;
	}
	stack->n = (uint32_t)have;
	if (__builtin_add_overflow(stack->samples, samples, &stack->samples)) {
		cg_build_fail(
		    build, "samples add up to more than 64 bits hold");
		return;
	}
	/* cg_build_total() has checked the sum. */
	(void)cg_add_costs(graph, stack->cost, &n, cost, n);
	graph->facts |= CG_STACKS | CG_SELF;
}

void
cg_get_node(const struct cg_graph *graph, cg_node node, struct cg_stack *stack)
{
	const struct cg_node_entry *entry = &graph->node[node];

	*stack = (struct cg_stack){ .node = node,
		.parent = entry->parent,
		.fn = entry->fn,
		.pos = entry->pos,
		.inlined = entry->inlined };
}

bool
cg_next_stack(const struct cg_graph *graph, cg_part part, size_t *i,
    struct cg_stack_cost *cost)
{
	for (; *i < graph->stacks; ++*i) {
		const struct cg_stack_entry *stack = &graph->stack[*i];

		if (part != CG_ALL_PARTS && stack->part != part)
			continue;
		cost->leaf = stack->leaf;
		cost->samples = stack->samples;
		cost->cost = stack->cost;
		cost->n = stack->n;
		++*i;
		return true;
	}
	return false;
}

/* ---- Folding ------------------------------------------------------------- */

/* What is the outermost of its kind on its stack. */
#define FIRST_FN 1
#define FIRST_ARC 2

struct fold {
	struct cg_graph *graph;
	uint32_t *child, *sibling; /* the tree, downwards */
	uint8_t *first;            /* by node: FIRST_... */
	uint64_t *total;           /* by node: cost of its subtree */
	struct cg_map on_path;     /* fn or arc -> how often it is open */
};

static void
link_children(struct fold *fold)
{
	const struct cg_graph *graph = fold->graph;

	for (uint32_t node = (uint32_t)graph->nodes - 1; node > 0; node--) {
		cg_node parent = graph->node[node].parent;

		fold->sibling[node] = fold->child[parent];
		fold->child[parent] = node;
	}
}

/* Opens (or closes) one key on the path; true if it is the only one. */
static bool
count_on_path(struct fold *fold, uint64_t key, bool open, bool *ok)
{
	uint32_t *count = cg_map_at(&fold->on_path, key);

	if (!count) {
		*ok = false;
		return false;
	}
	if (open)
		return ++*count == 1;
	--*count;
	return false;
}

static bool
enter_or_leave(struct fold *fold, cg_node node, bool enter)
{
	const struct cg_node_entry *entry = &fold->graph->node[node];
	cg_fn caller = fold->graph->node[entry->parent].fn;
	bool ok = true;

	/* Key 0 << 32 | fn cannot be an arc: an arc has two frames. */
	if (count_on_path(fold, entry->fn, enter, &ok))
		fold->first[node] |= FIRST_FN;
	if (entry->parent != 0 && caller != 0 &&
	    count_on_path(fold, (uint64_t)caller << 32 | entry->fn, enter, &ok))
		fold->first[node] |= FIRST_ARC;
	return ok;
}

/* Walks the tree in depth without recursion: down, sideways, up. */
static bool
mark_first(struct fold *fold)
{
	cg_node node = fold->child[0];
	bool ok = true;

	while (ok && node != 0) {
		ok = enter_or_leave(fold, node, true);
		if (fold->child[node] != 0) {
			node = fold->child[node];
			continue;
		}
		while (ok && node != 0 && fold->sibling[node] == 0) {
			ok = enter_or_leave(fold, node, false);
			node = fold->graph->node[node].parent;
		}
		if (ok && node != 0) {
			ok = enter_or_leave(fold, node, false);
			node = fold->sibling[node];
		}
	}
	return ok;
}

static void
sum_subtrees(struct fold *fold, cg_part part, size_t event)
{
	const struct cg_graph *graph = fold->graph;

	for (size_t i = 0; i < graph->nodes; i++)
		fold->total[i] = 0;
	for (size_t i = 0; i < graph->stacks; i++) {
		if (graph->stack[i].part == part && event < graph->stack[i].n)
			fold->total[graph->stack[i].leaf] =
			    graph->stack[i].cost[event];
	}
	/* Part sums were checked when they were added, so these fit. */
	for (size_t i = graph->nodes - 1; i > 0; i--)
		fold->total[graph->node[i].parent] += fold->total[i];
}

static bool
add_node(
    struct fold *fold, cg_part part, cg_node node, uint64_t *cost, size_t n)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_graph *graph = fold->graph;
	const struct cg_node_entry *entry = &graph->node[node];
	const struct cg_node_entry *parent = &graph->node[entry->parent];
	struct cg_run *run;

	cost[n - 1] = fold->total[node];
	if (fold->first[node] & FIRST_FN) {
		run = cg_run_get(graph, part, entry->fn);
		if (!run || !cg_run_add_inclusive(graph, run, cost, n))
			return false;
	}
	if (fold->first[node] & FIRST_ARC) {
		const struct cg_call call = { .site = parent->pos,
			.callee = entry->fn,
			.entry = nowhere,
			.cost = cost,
			.n = n };

		run = cg_run_get(graph, part, parent->fn);
		if (!run || !cg_run_add_call(graph, run, &call))
			return false;
	}
	return true;
}

static bool
add_self(struct fold *fold)
{
	struct cg_graph *graph = fold->graph;

	for (size_t i = 0; i < graph->stacks; i++) {
		const struct cg_stack_entry *stack = &graph->stack[i];
		const struct cg_node_entry *leaf = &graph->node[stack->leaf];
		struct cg_run *run = cg_run_get(graph, stack->part, leaf->fn);

		if (!run || !cg_run_add_cost(
				graph, run, &leaf->pos, stack->cost, stack->n))
			return false;
	}
	return true;
}

static bool
fold_part(struct fold *fold, cg_part part, uint64_t *cost)
{
	struct cg_graph *graph = fold->graph;

	for (size_t event = 0; event < graph->events; event++) {
		sum_subtrees(fold, part, event);
		for (cg_node node = 1; node < graph->nodes; node++) {
			if (fold->total[node] != 0 &&
			    !add_node(fold, part, node, cost, event + 1))
				return false;
		}
		cost[event] = 0;
	}
	return true;
}

int
cg_fold_stacks(struct cg_graph *graph)
{
	struct fold fold = { .graph = graph };
	uint64_t *cost = calloc(graph->events + 1, sizeof(*cost));
	bool ok;

	fold.child = calloc(graph->nodes, sizeof(*fold.child));
	fold.sibling = calloc(graph->nodes, sizeof(*fold.sibling));
	fold.first = calloc(graph->nodes, sizeof(*fold.first));
	fold.total = calloc(graph->nodes, sizeof(*fold.total));
	ok = cost && fold.child && fold.sibling && fold.first && fold.total;
	if (ok) {
		link_children(&fold);
		ok = mark_first(&fold) && add_self(&fold);
	}
	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = fold_part(&fold, part, cost);
	free(cost);
	free(fold.child);
	free(fold.sibling);
	free(fold.first);
	free(fold.total);
	cg_map_free(&fold.on_path);
	if (!ok) {
		cg_graph_nomem(graph);
		return *graph->fault;
	}
	graph->facts |= CG_CALLS | CG_INCL;
	return CG_OK;
}
