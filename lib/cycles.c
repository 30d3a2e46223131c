/*
 * cycles.c - strongly connected components, by Tarjan's algorithm with a
 * stack of its own: a chain of a million calls must not end ours.
 */
#include <stdlib.h>

#include "graph.h"

struct tarjan {
	uint32_t *index;  /* order of discovery, 0: not yet */
	uint32_t *low;
	uint32_t *stack;  /* vertices whose component is open */
	uint32_t *path;   /* the search's own path ... */
	uint32_t *edge;   /* ... and how far each on it has come */
	uint32_t depth, open, found, count;
};

#define OPEN UINT32_MAX

static void
discover(struct tarjan *t, uint32_t vertex, const uint32_t *first,
    uint32_t *component)
{
	t->index[vertex] = t->low[vertex] = ++t->found;
	t->edge[vertex] = first[vertex];
	t->stack[t->open++] = vertex;
	t->path[t->depth++] = vertex;
	component[vertex] = OPEN;
}

/* All edges of the vertex were followed: it may close a component. */
static void
leave(struct tarjan *t, uint32_t vertex, uint32_t *component)
{
	uint32_t member, parent;

	t->depth--;
	if (t->low[vertex] == t->index[vertex]) {
		do {
			member = t->stack[--t->open];
			component[member] = t->count;
		} while (member != vertex);
		t->count++;
	}
	if (t->depth > 0) {
		parent = t->path[t->depth - 1];
		if (t->low[vertex] < t->low[parent])
			t->low[parent] = t->low[vertex];
	}
}

static void
search(struct tarjan *t, uint32_t root, const uint32_t *first,
    const uint32_t *target, uint32_t *component)
{
	discover(t, root, first, component);
	while (t->depth > 0) {
		uint32_t vertex = t->path[t->depth - 1], to;

		if (t->edge[vertex] == first[vertex + 1]) {
			leave(t, vertex, component);
			continue;
		}
		to = target[t->edge[vertex]++];
		if (t->index[to] == 0)
			discover(t, to, first, component);
		else if (component[to] == OPEN &&
		    t->index[to] < t->low[vertex])
			t->low[vertex] = t->index[to];
	}
}

uint32_t
cg_components(uint32_t count, const uint32_t *first, const uint32_t *target,
    uint32_t *component)
{
	uint32_t *room = calloc((size_t)count + 1, 5 * sizeof(*room));
	struct tarjan t = { 0 };

	if (!room)
		return UINT32_MAX;
	t.index = room;
	t.low = room + count;
	t.stack = t.low + count;
	t.path = t.stack + count;
	t.edge = t.path + count;
	for (uint32_t i = 0; i < count; i++) {
		if (t.index[i] == 0)
			search(&t, i, first, target, component);
	}
	free(room);
	return t.count;
}
