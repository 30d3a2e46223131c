/*
 * stacks.c - call stacks: a tree of frames, and what stacks cost.
 *
 * Memory follows distinct frames, not samples: a stack that comes again is
 * added to the one that is there. Frozen, the tree is in canonical order, each
 * node before its children and these sorted, so that equal stacks are equal
 * ids, whoever added them in whatever order.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

/* What a node's latest child has bits for: 32 GB of nodes. */
#define NODES_MAX 0x3fffffffu

/* ---- Frames -------------------------------------------------------------- */

static uint32_t
hash_node(const struct cg_node_entry *node, uint64_t seed)
{
	uint64_t hash = (uint64_t)node->parent << 32 | node->fn;

	hash += ((uint64_t)node->pos.file << 32 | node->pos.line) *
		UINT64_C(0x9e3779b97f4a7c15);
	hash += (node->pos.addr + node->inlined) * (seed | 1);
	return (uint32_t)cg_hash_u64(hash);
}

static bool
same_node(const struct cg_node_entry *a, const struct cg_node_entry *b)
{
	return a->parent == b->parent && a->fn == b->fn &&
	       a->pos.file == b->pos.file && a->pos.line == b->pos.line &&
	       a->pos.addr == b->pos.addr && a->inlined == b->inlined;
}

static void
drop_node_slots(struct cg_graph *graph)
{
	free(graph->node_slot);
	graph->node_slot = NULL;
	graph->node_slots = 0;
}

static void
fill_slot(struct cg_graph *graph, struct cg_node_slot node)
{
	size_t mask = graph->node_slots - 1, at = node.hash & mask;

	while (graph->node_slot[at].id != 0)
		at = (at + 1) & mask;
	graph->node_slot[at] = node;
}

/* Lists a node that is not in the table; there is room. */
static void
list_node(struct cg_graph *graph, cg_node id)
{
	struct cg_node_entry *node = &graph->node[id];

	node->listed = 1;
	graph->listed++;
	fill_slot(graph,
	    (struct cg_node_slot){ id, hash_node(node, graph->node_seed) });
}

static bool
double_slots(struct cg_graph *graph)
{
	struct cg_node_slot *old = graph->node_slot;
	size_t slots = graph->node_slots;

	graph->node_slots = slots > 0 ? slots * 2 : 64;
	graph->node_slot = calloc(graph->node_slots, sizeof(*old));
	if (!graph->node_slot) {
		graph->node_slot = old;
		graph->node_slots = slots;
		return false;
	}
	if (!old)
		graph->node_seed = cg_table_seed(graph->node_slot);
	for (size_t i = 0; i < slots; i++) {
		if (old[i].id != 0)
			fill_slot(graph, old[i]);
	}
	free(old);
	return true;
}

/*
 * Room in the table for a node more. Where it was dropped it is made again,
 * with all nodes but the latest children, which are the last of each node's.
 */
static bool
grow_node_slots(struct cg_graph *graph)
{
	bool dropped = graph->node_slots == 0;

	if (!dropped && graph->listed * 4 < graph->node_slots * 3)
		return true;
	graph->listed = dropped ? 0 : graph->listed;
	if (!double_slots(graph))
		return false;
	for (cg_node id = 1; dropped && id < graph->nodes; id++) {
		cg_node parent = graph->node[id].parent;
		cg_node before = graph->node[parent].latest;

		if (graph->listed * 4 >= graph->node_slots * 3 &&
		    !double_slots(graph))
			return false;
		if (before != 0)
			list_node(graph, before);
		graph->node[parent].latest = id & NODES_MAX;
	}
	return true;
}

static cg_node
new_node(struct cg_build *build, const struct cg_node_entry *node)
{
	struct cg_graph *graph = build->graph;
	cg_node id = (cg_node)graph->nodes;

	if (id >= NODES_MAX || !cg_grow_raw(&graph->node, &graph->node_cap,
				   graph->nodes + 1, sizeof(*node))) {
		cg_build_nomem(build);
		return 0;
	}
	graph->node[id] = *node;
	graph->nodes++;
	graph->facts |= (node->pos.addr != 0 ? CG_INSTRS : 0) |
			(node->pos.line != 0 ? CG_LINES : 0);
	return id;
}

/* The node's place by the table; 0: it is not there. */
static cg_node
find_node(const struct cg_graph *graph, const struct cg_node_entry *node)
{
	uint32_t hash = hash_node(node, graph->node_seed);
	size_t mask = graph->node_slots - 1;
	const struct cg_node_slot *slot;

	for (size_t at = hash & mask;; at = (at + 1) & mask) {
		slot = &graph->node_slot[at];
		if (slot->id == 0 ||
		    (slot->hash == hash &&
			same_node(&graph->node[slot->id], node)))
			return slot->id;
	}
}

/* A child that is not the latest: from now on it is. */
static cg_node
change_latest(struct cg_build *build, const struct cg_node_entry *node)
{
	struct cg_graph *graph = build->graph;
	cg_node latest, id = 0;

	if (!grow_node_slots(graph)) {
		cg_build_nomem(build);
		return 0;
	}
	latest = graph->node[node->parent].latest;
	if (latest != 0) {
		if (!graph->node[latest].listed)
			list_node(graph, latest);
		id = find_node(graph, node);
	}
	if (id == 0)
		id = new_node(build, node);
	graph->node[node->parent].latest = id & NODES_MAX;
	return id;
}

/*
 * Most stacks begin as the one before: there each node's latest child is it.
 * The table has only children that have been the latest one and are no more:
 * below a node that is new nothing is looked up.
 */
cg_node
cg_add_frame(struct cg_build *build, cg_node parent, cg_fn fn,
    const struct cg_pos *pos, bool inlined)
{
	struct cg_graph *graph = build->graph;
	const struct cg_node_entry node = {
		.parent = parent, .fn = fn, .pos = *pos, .inlined = inlined
	};
	cg_node latest;

	if (!cg_build_check(build, parent, graph->nodes, "stack node") ||
	    !cg_build_check(build, fn, graph->fns, "function") ||
	    !cg_build_check(build, pos->file, graph->files.count, "file"))
		return 0;
	latest = graph->node[parent].latest;
	if (latest != 0 && same_node(&graph->node[latest], &node))
		return latest;
	return change_latest(build, &node);
}

/* ---- What stacks cost ---------------------------------------------------- */

/* A new stack of the part, found by its leaf from now on. */
static struct cg_stack_entry *
new_stack(struct cg_graph *graph, cg_part part, cg_node leaf)
{
	if (graph->stacks >= UINT32_MAX ||
	    !cg_grow_raw(&graph->stack, &graph->stack_cap, graph->stacks + 1,
		sizeof(*graph->stack)))
		return NULL;
	graph->stack[graph->stacks] =
	    (struct cg_stack_entry){ .leaf = leaf, .part = part, .room = 1 };
	graph->node[leaf].stack = (uint32_t)++graph->stacks;
	return &graph->stack[graph->stacks - 1];
}

static uint64_t
stack_key(cg_part part, cg_node leaf)
{
	return (uint64_t)part << 32 | leaf;
}

/* The node's last stack goes into the table; false: out of memory. */
static bool
list_stack(struct cg_graph *graph, cg_node leaf)
{
	uint32_t last = graph->node[leaf].stack;
	cg_part part = graph->stack[last - 1].part;
	uint32_t *id = cg_map_at(&graph->stack_ids, stack_key(part, leaf));

	if (id)
		*id = last;
	return id != NULL;
}

/*
 * The part's stack with that leaf; NULL: out of memory. A node knows its last
 * stack; the others are in the table, which so has few if there are few parts.
 */
static struct cg_stack_entry *
get_stack(struct cg_graph *graph, cg_part part, cg_node leaf)
{
	uint32_t *last = &graph->node[leaf].stack, found;

	if (*last == 0)
		return new_stack(graph, part, leaf);
	if (graph->stack[*last - 1].part == part)
		return &graph->stack[*last - 1];
	if (!list_stack(graph, leaf))
		return NULL;
	found = cg_map_get(&graph->stack_ids, stack_key(part, leaf));
	if (found == 0)
		return new_stack(graph, part, leaf);
	*last = found;
	return &graph->stack[found - 1];
}

/* Room for n columns: for one without a block, or for all there are now. */
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
	stack->room = (uint32_t)room;
	return true;
}

void
cg_add_stack(struct cg_build *build, cg_node leaf, uint64_t samples,
    const uint64_t *cost, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_stack_entry *stack;

	while (n > 0 && cost[n - 1] == 0)
		n--;
	if (!cg_build_check(build, leaf, graph->nodes, "stack node") ||
	    cg_build_omits(build, graph->node[leaf].pos.file) ||
	    !cg_build_check(build, (uint32_t)n, graph->events + 1, "event") ||
	    !cg_build_total(build, cost, n))
		return;
	stack = get_stack(graph, build->part, leaf);
	if (!stack || !grow_cost(graph, stack, n)) {
		cg_build_nomem(build);
		return;
	}
	if (stack->n < n)
		stack->n = (uint32_t)n;
	graph->facts |= CG_STACKS | CG_SELF;
	/* cg_build_total() has checked the sum of costs. */
	(void)cg_add_values(graph, cg_stack_cost(stack), cost, n);
	if (__builtin_add_overflow(stack->samples, samples, &stack->samples))
		cg_build_fail(
		    build, "samples add up to more than 64 bits hold");
}

/* ---- Canonical order ----------------------------------------------------- */

/* A node among its siblings. */
struct sibling {
	uint32_t rank, file, line; /* of function and file */
	bool inlined;
	uint64_t addr;
	cg_node node;
};

struct order {
	const struct cg_graph *graph;
	uint32_t *begin; /* of each node's children; one more */
	cg_node *child;  /* grouped by parent */
	struct sibling *group;
	size_t group_cap;
	cg_node *place;   /* old id -> new */
	cg_node *waiting; /* nodes to visit, the next one last */
	struct cg_node_entry *node;
	struct cg_stack_entry *stack;
	uint32_t *count; /* for sorting stacks */
};

static int
compare_siblings(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->inlined - b->inlined;
}

static void
group_children(struct order *order)
{
	const struct cg_graph *graph = order->graph;
	uint32_t *begin = order->begin;
	uint32_t sum = 0;

	for (size_t i = 1; i < graph->nodes; i++)
		begin[graph->node[i].parent]++;
	for (size_t i = 0; i < graph->nodes; i++)
		begin[i] = sum += begin[i];
	begin[graph->nodes] = sum;
	/* From the last: what was an end is a beginning then. */
	for (size_t i = graph->nodes - 1; i > 0; i--)
		order->child[--begin[graph->node[i].parent]] = (cg_node)i;
}

/* Sorts the children of a node; most have one. */
static bool
sort_children(struct order *order, cg_node parent)
{
	const struct cg_graph *graph = order->graph;
	cg_node *child = order->child + order->begin[parent];
	size_t n = order->begin[parent + 1] - order->begin[parent];

	if (n < 2)
		return true;
	if (!cg_grow_raw(
		&order->group, &order->group_cap, n, sizeof(*order->group)))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cg_node_entry *node = &graph->node[child[i]];

		order->group[i] =
		    (struct sibling){ .rank = graph->fn_rank[node->fn],
			    .file = graph->file_rank[node->pos.file],
			    .line = node->pos.line,
			    .addr = node->pos.addr,
			    .inlined = node->inlined,
			    .node = child[i] };
	}
	qsort(order->group, n, sizeof(*order->group), compare_siblings);
	for (size_t i = 0; i < n; i++)
		child[i] = order->group[i].node;
	return true;
}

/* Numbers nodes in depth first order and moves them to their places. */
static bool
place_nodes(struct order *order)
{
	const struct cg_graph *graph = order->graph;
	size_t waiting = 1;
	cg_node next = 0;

	order->waiting[0] = 0;
	while (waiting > 0) {
		cg_node old = order->waiting[--waiting];
		struct cg_node_entry *node = &order->node[next];
		uint32_t begin = order->begin[old];

		order->place[old] = next++;
		*node = graph->node[old];
		node->stack = node->latest = node->listed = 0;
		node->parent = order->place[node->parent];
		if (!sort_children(order, old))
			return false;
		for (uint32_t i = order->begin[old + 1]; i-- > begin;)
			order->waiting[waiting++] = order->child[i];
	}
	return true;
}

/* Stacks by part, then leaf: counted out, the last key first. */
static void
place_stacks(struct order *order, size_t *part_stacks)
{
	const struct cg_graph *graph = order->graph;
	uint32_t *count = order->count;
	struct cg_stack_entry *by_leaf = order->stack;
	uint32_t sum = 0;

	for (size_t i = 0; i < graph->stacks; i++) {
		graph->stack[i].leaf = order->place[graph->stack[i].leaf];
		count[graph->stack[i].leaf + 1]++;
		part_stacks[graph->stack[i].part + 2]++;
	}
	for (size_t i = 0; i < graph->nodes; i++)
		count[i] = sum += count[i];
	for (size_t i = 0; i < graph->stacks; i++)
		by_leaf[count[graph->stack[i].leaf]++] = graph->stack[i];
	for (size_t i = 2; i < graph->parts + 2; i++)
		part_stacks[i] += part_stacks[i - 1];
	for (size_t i = 0; i < graph->stacks; i++)
		/* It does not see that the loop above sets all of them. */
		/* NOLINTNEXTLINE(clang-analyzer-core.*) */
		graph->stack[part_stacks[by_leaf[i].part + 1]++] = by_leaf[i];
}

/* Nodes find their stacks again, should more be added. */
static bool
index_stacks(struct cg_graph *graph)
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

static bool
open_order(struct order *order, struct cg_graph *graph)
{
	size_t nodes = graph->nodes;

	*order = (struct order){ .graph = graph };
	order->begin = calloc(nodes + 1, sizeof(*order->begin));
	order->child = malloc(nodes * sizeof(*order->child));
	order->place = malloc(nodes * sizeof(*order->place));
	order->waiting = malloc(nodes * sizeof(*order->waiting));
	order->node = malloc(nodes * sizeof(*order->node));
	order->stack = malloc((graph->stacks + 1) * sizeof(*order->stack));
	order->count = calloc(nodes + 1, sizeof(*order->count));
	free(graph->part_stacks);
	graph->part_stacks =
	    calloc(graph->parts + 2, sizeof(*graph->part_stacks));
	return order->begin && order->child && order->place && order->waiting &&
	       order->node && order->stack && order->count &&
	       graph->part_stacks;
}

bool
cg_stacks_seal(struct cg_graph *graph)
{
	struct order order;
	bool ok = open_order(&order, graph);

	if (ok) {
		group_children(&order);
		ok = place_nodes(&order);
	}
	if (ok) {
		free(graph->node);
		graph->node = order.node;
		graph->node_cap = graph->nodes;
		order.node = NULL;
		place_stacks(&order, graph->part_stacks);
		/* The table is made again if more is added. */
		drop_node_slots(graph);
		ok = index_stacks(graph);
	}
	free(order.begin);
	free(order.child);
	free(order.group);
	free(order.place);
	free(order.waiting);
	free(order.node);
	free(order.stack);
	free(order.count);
	return ok;
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
	bool all = part == CG_ALL_PARTS;
	size_t at = *i + (all ? 0 : graph->part_stacks[part]);
	struct cg_stack_entry *stack;

	if (at >= (all ? graph->stacks : graph->part_stacks[part + 1]))
		return false;
	stack = &graph->stack[at];
	cost->leaf = stack->leaf;
	cost->samples = stack->samples;
	cost->cost = cg_stack_cost(stack);
	cost->n = stack->n;
	++*i;
	return true;
}

void
cg_stacks_clear(struct cg_graph *graph)
{
	struct cg_node_entry *root = realloc(graph->node, sizeof(*root));

	/* Node 0 stays. */
	if (root) {
		graph->node = root;
		graph->node_cap = 1;
	}
	graph->nodes = 1;
	graph->node[0].latest = 0;
	drop_node_slots(graph);
	free(graph->stack);
	graph->stack = NULL;
	graph->stacks = graph->stack_cap = 0;
	free(graph->part_stacks);
	graph->part_stacks = NULL;
	cg_map_free(&graph->stack_ids);
	cg_arena_free(&graph->stack_costs);
}
