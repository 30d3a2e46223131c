/*
 * order.c - sorts the stacks of a profile.proto by what is written of their
 * frames, so that reading the file and writing it again keeps the order.
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
rank_frames(struct pprof_writer *w)
{
	const struct pprof_out_function *function = w->functions.at;
	struct pprof_out_frame *frame = w->frames.at;
	size_t count = w->frames.count;
	struct ranked *list = calloc(count + 1, sizeof(*list));
	uint32_t rank = 0;

	if (!list) {
		(void)cg_reject_nomem(w->job);
		return false;
	}
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
	free(list);
	return true;
}

/* ---- Costs -------------------------------------------------------------- */

static bool
add_costs(
    struct pprof_writer *w, uint64_t *cost, const struct cg_stack_cost *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		bool is_signed = cg_get_event(w->graph, i)->is_signed;
		int64_t sum;

		if ((!is_signed && stack->cost[i] > INT64_MAX) ||
		    __builtin_add_overflow(
			(int64_t)cost[i], (int64_t)stack->cost[i], &sum)) {
			(void)cg_reject(
			    w->job, "pprof cannot hold costs of 2^63 and more");
			return false;
		}
		cost[i] = (uint64_t)sum;
	}
	return true;
}

/* The row of stacks of a node (+ 1) with those labels; 0: out of memory. */
static uint32_t
find_row(struct pprof_writer *w, uint32_t node, cg_labels labels)
{
	struct pprof_out_node *nodes = w->nodes.at;
	uint32_t *last = node ? &nodes[node - 1].row : &w->bare, *id = last;
	struct pprof_out_row *row;

	/* Without labels a node has one row. */
	if (cg_labels_count(w->graph) > 0)
		id = cg_map_at(&w->row_ids, (uint64_t)labels << 32 | node);
	if (!id) {
		(void)cg_reject_nomem(w->job);
		return 0;
	}
	if (*id != 0)
		return *id;
	row = pprof_out_append(w, &w->rows, sizeof(*row));
	if (!row)
		return 0;
	*row = (struct pprof_out_row){ node, labels, *last };
	return *last = *id = (uint32_t)w->rows.count;
}

static bool
add_rows(struct pprof_writer *w)
{
	size_t events = cg_event_count(w->graph), count = 0;
	struct cg_stack_cost stack;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);)
		count++;
	w->cost = calloc(count * events + 1, sizeof(*w->cost));
	if (!w->cost) {
		(void)cg_reject_nomem(w->job);
		return false;
	}
	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		uint32_t row = find_row(w, w->node[stack.leaf], stack.labels);

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

struct order {
	struct pprof_writer *w;
	uint32_t *begin;       /* of each node's children, one more */
	struct sibling *child; /* grouped by parent */
	uint32_t *waiting;     /* nodes + 1 to visit, the next one last */
	struct labelled *labelled;
};

static void
group_children(struct order *order)
{
	const struct pprof_out_node *node = order->w->nodes.at;
	const struct pprof_out_frame *frame = order->w->frames.at;
	size_t count = order->w->nodes.count;
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++)
		order->begin[node[i].parent]++;
	for (size_t i = 0; i <= count; i++)
		order->begin[i] = sum += order->begin[i];
	order->begin[count + 1] = sum;
	/* From the last one: each end becomes the begin of its range. */
	for (size_t i = count; i > 0; i--)
		order->child[--order->begin[node[i - 1].parent]] =
		    (struct sibling){ frame[node[i - 1].frame - 1].rank,
			    (uint32_t)i };
}

/* A row among those of its node. */
struct labelled {
	cg_labels labels;
	uint32_t row;
};

static int
compare_labelled(const void *pa, const void *pb)
{
	const struct labelled *a = pa, *b = pb;

	return compare_numbers(a->labels, b->labels);
}

/* Stores the rows of a node, given the last, in order[] from index rows on. */
static void
note_rows(struct order *order, uint32_t row, size_t *rows)
{
	const struct pprof_out_row *list = order->w->rows.at;
	size_t n = 0;

	for (; row != 0; row = list[row - 1].next)
		order->labelled[n++] =
		    (struct labelled){ list[row - 1].labels, row - 1 };
	if (n > 1)
		qsort(order->labelled, n, sizeof(*order->labelled),
		    compare_labelled);
	for (size_t i = 0; i < n; i++)
		order->w->order[(*rows)++] = order->labelled[i].row;
}

/* Visits nodes depth first and stores those with costs. */
static void
visit_nodes(struct order *order)
{
	const struct pprof_out_node *nodes = order->w->nodes.at;
	struct sibling *child = order->child;
	size_t waiting = 1, rows = 0;

	order->waiting[0] = 0;
	while (waiting > 0) {
		uint32_t node = order->waiting[--waiting];
		uint32_t begin = order->begin[node];
		uint32_t end = order->begin[node + 1];

		note_rows(
		    order, node ? nodes[node - 1].row : order->w->bare, &rows);
		if (end - begin > 1)
			qsort(&child[begin], end - begin, sizeof(*child),
			    compare_siblings);
		for (uint32_t i = end; i > begin; i--)
			order->waiting[waiting++] = child[i - 1].node;
	}
}

bool
pprof_order(struct pprof_writer *w)
{
	size_t count = w->nodes.count;
	struct order order = { .w = w };
	bool ok;

	if (!rank_frames(w) || !add_rows(w))
		return false;
	order.begin = calloc(count + 2, sizeof(*order.begin));
	order.child = calloc(count + 1, sizeof(*order.child));
	order.waiting = calloc(count + 1, sizeof(*order.waiting));
	order.labelled = calloc(w->rows.count + 1, sizeof(*order.labelled));
	w->order = calloc(w->rows.count + 1, sizeof(*w->order));
	ok = order.begin && order.child && order.waiting && order.labelled &&
	     w->order;
	if (ok) {
		group_children(&order);
		visit_nodes(&order);
	} else {
		(void)cg_reject_nomem(w->job);
	}
	free(order.begin);
	free(order.child);
	free(order.waiting);
	free(order.labelled);
	return ok;
}
