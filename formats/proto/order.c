/*
 * order.c - sorts stacks by the written fields of their frames, so that
 * reading the file and writing it again keeps the order.
 *
 * This is the graph's order of functions and positions, except that the graph
 * may distinguish frames that are equal in the file.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Frames ------------------------------------------------------------- */

/* The sort key of a frame. */
struct ranked {
	struct cg_slice object, file;
	uint32_t name, line;
	uint64_t addr;
	bool inlined;
	uint32_t frame;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_frames(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int order = cg_compare(a->object, b->object);

	if (order == 0)
		order = cg_compare(a->file, b->file);
	if (order == 0)
		order = compare_numbers(a->name, b->name);
	if (order == 0)
		order = compare_numbers(a->addr, b->addr);
	if (order == 0)
		order = compare_numbers(a->line, b->line);
	return order ? order : a->inlined - b->inlined;
}

static bool
rank_frames(struct proto_writer *w)
{
	const struct proto_out_function *function = w->functions.at;
	struct proto_out_frame *frame = w->frames.at;
	size_t count = w->frames.n;
	CG_ARRAY(struct ranked) ranked = { 0 };
	struct ranked *list;
	uint32_t rank = 0;

	if (!cg_resize(w->job, &ranked, count + 1))
		return false;
	list = ranked.at;
	for (uint32_t i = 0; i < count; i++) {
		list[i] = (struct ranked){ .frame = i,
			.object = cg_object_path(w->graph, frame[i].object),
			.line = frame[i].line,
			.addr = frame[i].addr,
			.inlined = frame[i].below != 0 };
		if (frame[i].function == 0)
			continue;
		list[i].name = function[frame[i].function - 1].name;
		list[i].file = cg_file_path(
		    w->graph, function[frame[i].function - 1].file);
	}
	qsort(list, count, sizeof(*list), compare_frames);
	for (size_t i = 0; i < count; i++) {
		rank += i > 0 && compare_frames(&list[i - 1], &list[i]) != 0;
		frame[list[i].frame].rank = rank;
	}
	cg_drop(w->job, &ranked);
	return true;
}

/* ---- Costs -------------------------------------------------------------- */

static bool
add_costs(
    struct proto_writer *w, uint64_t *cost, const struct cg_stack_cost *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		bool is_signed = cg_get_event(w->graph, i)->is_signed;
		int64_t sum;

		if ((!is_signed && stack->cost[i] > INT64_MAX) ||
		    __builtin_add_overflow(
			(int64_t)cost[i], (int64_t)stack->cost[i], &sum))
			return cg_reject(
			    w->job, "pprof cannot hold costs of 2^63 and more");
		cost[i] = (uint64_t)sum;
	}
	return true;
}

/*
 * Finds the row (a sample as written) of a node and a set of labels; adds it
 * if it is new. Returns its index + 1. 0: out of memory (reported).
 */
static uint32_t
find_row(struct proto_writer *w, uint32_t node, cg_labels labels)
{
	uint32_t *last = &w->last_row[node], *id = last;
	struct proto_out_row *row;

	/* Without labels a node has one row. */
	if (cg_labels_count(w->graph) > 0)
		id = cg_map_in(
		    w->job, &w->row_ids, (uint64_t)labels << 32 | node);
	if (!id)
		return 0;
	if (*id != 0)
		return *id;
	row = proto_push(w->job, &w->rows);
	if (!row)
		return 0;
	*row = (struct proto_out_row){ node, labels, *last };
	return *last = *id = (uint32_t)w->rows.n;
}

static bool
add_rows(struct proto_writer *w)
{
	size_t events = cg_event_count(w->graph), count = 0;
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);)
		count++;
	w->cost = cg_alloc(w->job, (count * events + 1) * sizeof(*w->cost));
	w->last_row = cg_alloc(w->job, w->nodes * sizeof(*w->last_row));
	if (!w->cost || !w->last_row)
		return false;
	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		uint32_t row = find_row(
		    w, cg_merged_of(w->merged, stack.leaf), stack.labels);

		if (row == 0 ||
		    !add_costs(w, &w->cost[(row - 1) * events], &stack))
			return false;
	}
	return true;
}

/* ---- Nodes -------------------------------------------------------------- */

/* A node among its siblings. */
struct sibling {
	uint32_t rank, node;
};

static int
compare_siblings(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;

	return compare_numbers(a->rank, b->rank);
}

/* A row among the rows of its node. */
struct labelled {
	cg_labels labels;
	uint32_t row;
};

struct order {
	struct proto_writer *w;
	CG_ARRAY(struct sibling) child; /* of one node, to be sorted */
	CG_ARRAY(uint32_t) waiting;     /* nodes to visit, the next one last */
	CG_ARRAY(struct labelled) labelled;
};

static int
compare_labelled(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;

	return compare_numbers(a->labels, b->labels);
}

/*
 * Sorts a node's rows by labels, and stores their indices in w->order from
 * *rows on. Adds their number to *rows. row: index + 1 of the first in a
 * linked list; 0: no rows. w->order and order->labelled must have room.
 */
static void
note_rows(struct order *order, uint32_t row, size_t *rows)
{
	const struct proto_out_row *list = order->w->rows.at;
	struct labelled *labelled = order->labelled.at;
	size_t n = 0;

	for (; row != 0; row = list[row - 1].next)
		labelled[n++] =
		    (struct labelled){ list[row - 1].labels, row - 1 };
	if (n > 1)
		qsort(labelled, n, sizeof(*labelled), compare_labelled);
	for (size_t i = 0; i < n; i++)
		order->w->order[(*rows)++] = labelled[i].row;
}

/*
 * Pushes the children of a node on order->waiting, the stack of nodes to
 * visit, so that visit_nodes() visits them in sorted order. "waiting" is the
 * number of nodes on the stack; returns the new number. order->child and
 * order->waiting must have room for all nodes.
 */
static size_t
push_children(struct order *order, uint32_t node, size_t waiting)
{
	const struct proto_writer *w = order->w;
	const struct proto_out_frame *frame = w->frames.at;
	struct sibling *child = order->child.at;
	const uint32_t *list;
	size_t n = cg_merged_children(w->merged, node, &list);

	for (size_t i = 0; i < n; i++)
		child[i] =
		    (struct sibling){ frame[w->node[list[i]].key - 1].rank,
			    list[i] };
	if (n > 1)
		qsort(child, n, sizeof(*child), compare_siblings);
	while (n > 0)
		order->waiting.at[waiting++] = child[--n].node;
	return waiting;
}

/*
 * Visits all nodes depth first, in sorted order, and lists their rows in
 * w->order.
 */
static void
visit_nodes(struct order *order)
{
	size_t waiting = 1, rows = 0;

	order->waiting.at[0] = 0;
	while (waiting > 0) {
		uint32_t node = order->waiting.at[--waiting];

		note_rows(order, order->w->last_row[node], &rows);
		waiting = push_children(order, node, waiting);
	}
}

bool
proto_order(struct proto_writer *w)
{
	struct order order = { .w = w };

	if (!rank_frames(w) || !add_rows(w))
		return false;
	w->order = cg_alloc(w->job, (w->rows.n + 1) * sizeof(*w->order));
	if (!w->order || !cg_reserve(w->job, &order.child, w->nodes) ||
	    !cg_reserve(w->job, &order.waiting, w->nodes) ||
	    !cg_reserve(w->job, &order.labelled, w->rows.n))
		return false;
	visit_nodes(&order);
	cg_drop(w->job, &order.child);
	cg_drop(w->job, &order.waiting);
	cg_drop(w->job, &order.labelled);
	return true;
}
