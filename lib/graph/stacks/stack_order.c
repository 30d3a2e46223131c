/*
 * stack_order.c - canonical order of call stacks: depth first, siblings
 * sorted, so that ids do not depend on the order in which stacks were added.
 *
 * A graph of many stacks needs most memory here. So its nodes are not copied,
 * and the new number of a node is stored in its field for the latest child.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* A node among its siblings. */
struct sibling {
	uint32_t rank, file, line; /* of function and file */
	bool inlined;
	uint64_t addr;
	cg_node node;
};

struct order {
	struct cg_graph *graph;
	bool sorted; /* siblings are sorted; else in the order of arrival */
	/* If sorted: */
	uint32_t *begin; /* by node: index of its first child; and the end */
	cg_node *child;  /* grouped by parent */
	struct sibling *group;
	size_t group_cap;
	cg_node *waiting; /* stack of nodes to visit */
	size_t waits, waiting_cap;
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
	/* Filling backwards turns the ends into beginnings. */
	for (size_t i = graph->nodes - 1; i > 0; i--)
		order->child[--begin[graph->node[i].parent]] = (cg_node)i;
}

/*
 * Sorts the children of a node in order->child: by rank of function, then by
 * address, rank of file, line, and inlined ones last. Most nodes have one
 * child and need nothing. False: out of memory.
 */
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
		const struct cg_frame_entry *frame =
		    cg_frame_of(graph, child[i]);

		order->group[i] =
		    (struct sibling){ .rank = graph->fn_rank[frame->fn],
			    .file = graph->file_rank[frame->pos.file],
			    .line = frame->pos.line,
			    .addr = frame->pos.addr,
			    .inlined = frame->inlined,
			    .node = child[i] };
	}
	qsort(order->group, n, sizeof(*order->group), compare_siblings);
	for (size_t i = 0; i < n; i++)
		child[i] = order->group[i].node;
	return true;
}

/*
 * Pushes the nodes order->child[begin, end) on the stack of nodes to visit, in
 * reverse, so that the first one is visited next. False: out of memory.
 */
static bool
push_children(struct order *order, uint32_t begin, uint32_t end)
{
	if (!cg_grow_raw(&order->waiting, &order->waiting_cap,
		order->waits + end - begin, sizeof(*order->waiting)))
		return false;
	while (end > begin)
		order->waiting[order->waits++] = order->child[--end];
	return true;
}

/*
 * Numbers the nodes of the tree of stacks depth first, siblings in sorted
 * order; the new number of a node replaces its field latest. False: out of
 * memory.
 */
static bool
number_sorted(struct order *order)
{
	const uint32_t *begin = order->begin;
	cg_node at = 0, next = 0;

	for (;;) {
		order->graph->node[at].latest = next++ & CG_NODES_MAX;
		if (begin[at + 1] - begin[at] == 1) { /* most nodes */
			at = order->child[begin[at]];
			continue;
		}
		if (!sort_children(order, at) ||
		    !push_children(order, begin[at], begin[at + 1]))
			return false;
		if (order->waits == 0)
			return true;
		at = order->waiting[--order->waits];
	}
}

static bool
number_by_name(struct order *order)
{
	const size_t nodes = order->graph->nodes;
	bool ok;

	order->begin = calloc(nodes + 1, sizeof(*order->begin));
	order->child = malloc(nodes * sizeof(*order->child));
	ok = order->begin && order->child;
	if (ok) {
		group_children(order);
		ok = number_sorted(order);
	}
	free(order->begin);
	free(order->child);
	free(order->waiting);
	return ok;
}

/*
 * Numbers the nodes of the tree of stacks depth first, siblings in order of
 * arrival. The new number replaces a node's field latest. The field stack is
 * used as scratch space.
 */
static void
number_as_arrived(struct cg_graph *graph)
{
	struct cg_node_entry *node = graph->node;

	for (size_t i = 0; i < graph->nodes; i++)
		node[i].stack = 0;
	/* Children have higher ids: this sums the sizes of subtrees. */
	for (size_t i = graph->nodes - 1; i > 0; i--)
		node[node[i].parent].stack += ++node[i].stack;
	/* From here on it is the number of the next child. */
	node[0].latest = 0;
	node[0].stack = 1;
	for (size_t i = 1; i < graph->nodes; i++) {
		uint32_t *next = &node[node[i].parent].stack, number = *next;

		*next += node[i].stack;
		node[i].latest = number & CG_NODES_MAX;
		node[i].stack = number + 1;
	}
}

/*
 * Returns a new array of all nodes (parent, frame), ordered by their new
 * numbers, which the field latest has; parents are the new numbers, too. The
 * caller frees it. NULL: out of memory.
 */
static struct cg_step *
move_nodes(const struct cg_graph *graph)
{
	struct cg_step *moved = malloc(graph->nodes * sizeof(*moved));

	for (size_t i = 0; moved && i < graph->nodes; i++) {
		const struct cg_node_entry *node = &graph->node[i];

		moved[node->latest] =
		    (struct cg_step){ graph->node[node->parent].latest,
			    node->frame };
	}
	return moved;
}

/*
 * Overwrites the graph's nodes with the renumbered ones of move_nodes(), and
 * frees those. The nodes then have neither a latest child nor a latest stack.
 */
static void
replace_nodes(struct cg_graph *graph, struct cg_step *moved)
{
	for (size_t i = 0; i < graph->nodes; i++)
		graph->node[i] =
		    (struct cg_node_entry){ .parent = moved[i].parent,
			    .frame = moved[i].frame };
	free(moved);
}

/*
 * Keeps the renumbered nodes of move_nodes() as graph->grouped. They are read
 * when stacks are folded, that is converted to calls. If the array graph->node
 * is very large, frees all of it but node 0.
 */
static void
keep_moved(struct cg_graph *graph, struct cg_step *moved)
{
	graph->grouped = moved;
	if (graph->nodes > CG_NODES_KEPT)
		cg_keep_first(
		    &graph->node, &graph->node_cap, sizeof(*graph->node));
}

/*
 * Sorts graph->stack by set of labels (a counting sort). The set is the least
 * significant key: order_stacks() then sorts by the other keys, stably. False:
 * out of memory.
 */
static bool
sort_by_labels(struct order *order)
{
	const struct cg_graph *graph = order->graph;
	size_t *begin = calloc(graph->label_sets + 2, sizeof(*begin));

	if (!begin)
		return false;
	for (size_t i = 0; i < graph->stacks; i++)
		begin[graph->stack[i].labels + 1]++;
	for (size_t i = 1; i <= graph->label_sets; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < graph->stacks; i++)
		order->stack[begin[graph->stack[i].labels]++] = graph->stack[i];
	memcpy(
	    graph->stack, order->stack, graph->stacks * sizeof(*graph->stack));
	free(begin);
	return true;
}

/*
 * Sorts stacks by part, then by leaf, and replaces their leaves by the new
 * numbers in "latest". order->count and part_stacks[] must be all 0. The
 * latter has two entries more than parts. It gets the index of each part's
 * first stack, then the number of stacks.
 */
static void
order_stacks(struct order *order, size_t *part_stacks)
{
	const struct cg_graph *graph = order->graph;
	uint32_t *count = order->count;
	struct cg_stack_entry *by_leaf = order->stack;
	uint32_t sum = 0;

	for (size_t i = 0; i < graph->stacks; i++) {
		graph->stack[i].leaf = graph->node[graph->stack[i].leaf].latest;
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
		/*
		 * The analyzer does not see that all of by_leaf is
		 * initialised.
		 */
		/* NOLINTNEXTLINE(clang-analyzer-core.*) */
		graph->stack[part_stacks[by_leaf[i].part + 1]++] = by_leaf[i];
}

static bool
open_order(struct order *order, struct cg_graph *graph, bool sorted)
{
	*order = (struct order){ .graph = graph, .sorted = sorted };
	free(graph->part_stacks);
	graph->part_stacks =
	    calloc(graph->parts + 2, sizeof(*graph->part_stacks));
	return graph->part_stacks != NULL;
}

static bool
number_nodes(struct order *order)
{
	if (order->sorted)
		return number_by_name(order);
	number_as_arrived(order->graph);
	return true;
}

static bool
sort_stacks(struct order *order)
{
	struct cg_graph *graph = order->graph;

	order->stack = malloc((graph->stacks + 1) * sizeof(*order->stack));
	order->count = calloc(graph->nodes + 1, sizeof(*order->count));
	if (!order->stack || !order->count ||
	    (order->sorted && graph->stacks > 0 && graph->label_sets > 0 &&
		!sort_by_labels(order)) ||
	    !cg_tracks_seal(graph, true))
		return false;
	order_stacks(order, graph->part_stacks);
	free(order->stack);
	free(order->count);
	order->stack = NULL;
	order->count = NULL;
	return true;
}

static bool
order_nodes(struct order *order)
{
	struct cg_step *moved = move_nodes(order->graph);

	if (moved && order->sorted)
		replace_nodes(order->graph, moved);
	else if (moved)
		keep_moved(order->graph, moved);
	return moved != NULL;
}

static bool
order_all(struct cg_graph *graph, bool sorted)
{
	struct order order;
	bool ok;

	ok = open_order(&order, graph, sorted) && number_nodes(&order) &&
	     sort_stacks(&order) && order_nodes(&order);
	free(order.group);
	free(order.stack);
	free(order.count);
	return ok;
}

bool
cg_stacks_seal(struct cg_graph *graph)
{
	/* The table is obsolete: cg_add_frame() makes a new one. */
	cg_stacks_drop_slots(graph);
	return order_all(graph, true) && cg_stacks_index(graph);
}

bool
cg_stacks_group(struct cg_graph *graph)
{
	/* cg_stacks_restart() would not keep such a large table. */
	if (graph->nodes > CG_NODES_KEPT)
		cg_slots_free(&graph->node_slots);
	return order_all(graph, false);
}
