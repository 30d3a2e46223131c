/*
 * stacks.c - adds call stacks: costs by leaf node.
 *
 * Memory depends on the number of distinct stacks, not of samples: equal
 * stacks are summed.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"

/* ---- Stacks -------------------------------------------------------------- */

/*
 * Appends a stack without costs for this part (thread or process), leaf node
 * and set of labels, and makes it the latest stack of the leaf. Returns it;
 * valid until the next one is added. NULL: out of memory.
 */
static struct cg_stack_entry *
new_stack(struct cg_graph *graph, cg_part part, cg_node leaf, cg_labels labels)
{
	if (graph->stacks >= UINT32_MAX ||
	    !cg_grow_raw(&graph->stack, &graph->stack_cap, graph->stacks + 1,
		sizeof(*graph->stack)))
		return NULL;
	graph->stack[graph->stacks] = (struct cg_stack_entry){
		.leaf = leaf, .part = part, .labels = labels, .room = 1
	};
	graph->node[leaf].stack = (uint32_t)++graph->stacks;
	return &graph->stack[graph->stacks - 1];
}

static bool
is_stack(const struct cg_stack_entry *stack, cg_part part, cg_node leaf,
    cg_labels labels)
{
	return stack->part == part && stack->leaf == leaf &&
	       stack->labels == labels;
}

/*
 * Returns where the hash table stores index + 1 of the stack with this part,
 * leaf and labels. 0 is stored if there is none; the caller may set it. NULL:
 * out of memory.
 */
static uint32_t *
find_stack(struct cg_graph *graph, cg_part part, cg_node leaf, cg_labels labels)
{
	uint64_t key = ((uint64_t)part << 32 | leaf) +
		       labels * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t *id;

	do
		id = cg_map_at(&graph->stack_ids, key++);
	while (id && *id != 0 &&
	       !is_stack(&graph->stack[*id - 1], part, leaf, labels));
	return id;
}

/*
 * Inserts the latest stack of a leaf node into the table, so that another
 * stack can become the latest one. The node must have a stack. False: out of
 * memory.
 */
static bool
list_stack(struct cg_graph *graph, cg_node leaf)
{
	uint32_t last = graph->node[leaf].stack;
	const struct cg_stack_entry *stack = &graph->stack[last - 1];
	uint32_t *id = find_stack(graph, stack->part, leaf, stack->labels);

	if (id)
		*id = last;
	return id != NULL;
}

/*
 * Returns the stack with this part (thread or process), leaf node and labels.
 * Adds it without costs if it is new. The pointer is valid until the next
 * stack is added. NULL: out of memory. Each leaf caches its latest stack,
 * which saves hash look-ups.
 */
static struct cg_stack_entry *
get_stack(struct cg_graph *graph, cg_part part, cg_node leaf, cg_labels labels)
{
	uint32_t *last = &graph->node[leaf].stack, *found;

	if (*last == 0)
		return new_stack(graph, part, leaf, labels);
	if (is_stack(&graph->stack[*last - 1], part, leaf, labels))
		return &graph->stack[*last - 1];
	if (!list_stack(graph, leaf))
		return NULL;
	found = find_stack(graph, part, leaf, labels);
	if (!found || *found == 0)
		return found ? new_stack(graph, part, leaf, labels) : NULL;
	*last = *found;
	return &graph->stack[*last - 1];
}

/*
 * Makes room for n columns of costs in a stack. The first allocation is for n
 * columns, later ones are for all events. A single column is in the entry
 * itself. False: out of memory.
 */
static bool
grow_cost(struct cg_graph *graph, struct cg_stack_entry *stack, size_t n)
{
	size_t room = stack->n ? graph->events : n;
	uint64_t *many;

	if (n <= stack->room)
		return true;
	many = cg_arena_alloc(&graph->stack_costs, room * sizeof(*many));
	if (!many)
		return false;
	memset(many, 0, room * sizeof(*many));
	if (stack->n > 0)
		memcpy(many, cg_stack_cost(stack), stack->n * sizeof(*many));
	stack->cost.many = many;
	stack->room = (uint16_t)room;
	return true;
}

/*
 * Adds n columns of costs to those of a stack. Sums are not checked again:
 * cg_build_total() has checked the totals of the part (thread or process),
 * which bound them. False: out of memory.
 */
static bool
add_costs(struct cg_graph *graph, struct cg_stack_entry *stack,
    const uint64_t *cost, size_t n)
{
	if (!grow_cost(graph, stack, n))
		return false;
	if (stack->n < n)
		stack->n = (uint16_t)n;
	/* cg_build_total() has checked the sum of costs. */
	(void)cg_add_values(graph, cg_stack_cost(stack), cost, n);
	return true;
}

static bool
add_samples(
    struct cg_build *build, struct cg_stack_entry *stack, uint64_t samples)
{
	if (!__builtin_add_overflow(stack->samples, samples, &stack->samples))
		return true;
	cg_build_fail(build, "the sum of samples exceeds 64 bits");
	return false;
}

void
cg_add_stack(struct cg_build *build, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_stack_entry *stack;

	while (n > 0 && cost[n - 1] == 0)
		n--;
	if (build->drops) {
		cg_build_drop(build, cost, n);
		return;
	}
	if (!cg_build_check(build, leaf, graph->nodes, "stack node") ||
	    cg_build_excludes(build, cg_frame_of(graph, leaf)->pos.file) ||
	    !cg_build_check(build, (uint32_t)n, graph->events + 1, "event") ||
	    !cg_build_total(build, cost, n))
		return;
	stack = get_stack(graph, build->part, leaf, build->labels);
	if (!stack || !add_costs(graph, stack, cost, n)) {
		cg_build_nomem(build);
		return;
	}
	graph->facts |= CG_STACKS | CG_SELF;
	(void)add_samples(build, stack, samples);
}

bool
cg_stacks_put(struct cg_build *build, const struct cg_stack_entry *from)
{
	struct cg_graph *graph = build->graph;
	struct cg_stack_entry stack = *from, *to;

	to = get_stack(graph, stack.part, stack.leaf, stack.labels);
	if (to && to->n == 0 && to->samples == 0) {
		*to = stack;
		return true;
	}
	if (!to || !add_costs(graph, to, cg_stack_cost(&stack), stack.n)) {
		cg_build_nomem(build);
		return false;
	}
	return add_samples(build, to, stack.samples);
}

bool
cg_stacks_index(struct cg_graph *graph)
{
	bool ok = true;

	cg_map_free(&graph->stack_ids);
	for (uint32_t i = 0; ok && i < graph->stacks; i++) {
		cg_node leaf = graph->stack[i].leaf;

		ok = graph->node[leaf].stack == 0 || list_stack(graph, leaf);
		graph->node[leaf].stack = i + 1;
	}
	return ok;
}

/* ---- Dropping labels ----------------------------------------------------- */

/*
 * Removes the labels of the sorted stacks, and merges those that differed only
 * in labels. Nodes forget their stacks, so the caller must index them again.
 * False: samples overflow (the builder has failed), or out of memory (it has
 * not).
 */
static bool
merge_stacks(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	struct cg_stack_entry *to = NULL;
	size_t count = graph->stacks;

	graph->stacks = 0;
	for (size_t i = 0; i < count; i++) {
		struct cg_stack_entry *stack = &graph->stack[i];

		stack->labels = 0;
		graph->node[stack->leaf].stack = 0;
		if (!to || !is_stack(to, stack->part, stack->leaf, 0)) {
			to = &graph->stack[graph->stacks++];
			*to = *stack;
		} else if (!add_costs(
			       graph, to, cg_stack_cost(stack), stack->n) ||
			   !add_samples(build, to, stack->samples)) {
			return false;
		}
	}
	return true;
}

int
cg_stacks_unlabel(struct cg_build *build)
{
	struct cg_graph *graph = build->graph;
	size_t part = 0;

	if (merge_stacks(build) && cg_stacks_index(graph)) {
		for (size_t i = 0; i < graph->stacks; i++)
			while (part <= graph->stack[i].part)
				graph->part_stacks[part++] = i;
		while (part <= graph->parts)
			graph->part_stacks[part++] = graph->stacks;
		cg_labels_clear(graph);
		cg_graph_find_facts(graph);
	} else {
		cg_build_nomem(build);
	}
	return cg_build_failed(build, NULL);
}

/* ---- Cursors ------------------------------------------------------------- */

size_t
cg_node_count(const struct cg_graph *graph)
{
	return graph->nodes - 1;
}

void
cg_get_node(const struct cg_graph *graph, cg_node node, struct cg_stack *stack)
{
	const struct cg_frame_entry *frame = cg_frame_of(graph, node);

	*stack = (struct cg_stack){ .node = node,
		.parent = graph->node[node].parent,
		.fn = frame->fn,
		.pos = frame->pos,
		.inlined = frame->inlined };
}

bool
cg_next_stack(const struct cg_graph *graph, cg_part part, size_t *i,
    struct cg_stack_cost *cost)
{
	bool all = part == CG_ALL_PARTS;
	size_t at = *i + (all ? 0 : graph->part_stacks[part]);
	struct cg_stack_entry *stack;

	if (at >= (all ? graph->stacks : graph->part_stacks[part + 1]) ||
	    cg_graph_failed(graph))
		return false;
	stack = &graph->stack[at];
	cost->leaf = stack->leaf;
	cost->labels = stack->labels;
	cost->samples = stack->samples;
	cost->cost = cg_stack_cost(stack);
	cost->n = stack->n;
	++*i;
	return true;
}

void
cg_keep_first(void *array, size_t *cap, size_t width)
{
	void *first;

	/* The array is empty if making the graph has failed. */
	if (*cap == 0)
		return;
	memcpy(&first, array, sizeof(first));
	first = realloc(first, width);
	if (!first)
		return;
	memcpy(array, &first, sizeof(first));
	*cap = 1;
}

/*
 * Removes all stacks, their costs and all nodes but the root (node 0), to
 * start again with an empty tree; keeps the memory of the arrays of nodes and
 * stacks.
 */
static void
remove_nodes(struct cg_graph *graph)
{
	if (graph->nodes > 0) {
		graph->nodes = 1;
		graph->node[0] = (struct cg_node_entry){ 0 };
	}
	graph->stacks = 0;
	free(graph->grouped);
	graph->grouped = NULL;
	cg_map_free(&graph->stack_ids);
	cg_arena_free(&graph->stack_costs);
}

static void
free_nodes(struct cg_graph *graph)
{
	cg_keep_first(&graph->node, &graph->node_cap, sizeof(*graph->node));
	cg_slots_free(&graph->node_slots);
	free(graph->stack);
	graph->stack = NULL;
	graph->stack_cap = 0;
}

/*
 * Marks each set of labels that a stack has as used; called before stacks are
 * removed, so that sealing the graph does not drop these sets.
 */
static void
note_labels(struct cg_graph *graph)
{
	for (size_t i = 0; graph->label_sets > 0 && i < graph->stacks; i++)
		if (graph->stack[i].labels != 0)
			graph->label_set[graph->stack[i].labels - 1].used = 1;
}

void
cg_stacks_restart(struct cg_graph *graph)
{
	note_labels(graph);
	if (graph->nodes > CG_NODES_KEPT)
		free_nodes(graph);
	cg_slots_clear(&graph->node_slots);
	remove_nodes(graph);
}

void
cg_stacks_clear(struct cg_graph *graph)
{
	free_nodes(graph);
	remove_nodes(graph);
	cg_keep_first(&graph->frame, &graph->frame_cap, sizeof(*graph->frame));
	if (graph->frames > 0)
		graph->frames = 1;
	cg_stacks_drop_slots(graph);
	graph->guessed = false;
	free(graph->part_stacks);
	graph->part_stacks = NULL;
	cg_labels_clear(graph);
	cg_tracks_clear(graph);
}
