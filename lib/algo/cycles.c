/*
 * cycles.c - strongly connected components by Tarjan's algorithm. It is not
 * recursive: a chain of a million calls must not overflow the stack.
 */
#include <stdlib.h>

#include "algo/algo.h"

struct vertex {
	uint32_t index; /* order of discovery; 0: not yet; or CLOSED */
	uint32_t low;
	uint32_t edge; /* the next one to follow */
};

struct tarjan {
	struct vertex *vertex;
	uint32_t *stack; /* vertices whose component is open */
	uint32_t *path;  /* of the depth-first search */
	uint32_t depth, open, found, count;
};

/* The component is complete: its vertices are no longer considered. */
#define CLOSED UINT32_MAX

static void
discover(struct tarjan *t, uint32_t at, const uint32_t *first)
{
	uint32_t index = ++t->found;

	t->vertex[at] = (struct vertex){ index, index, first[at] };
	t->stack[t->open++] = at;
	t->path[t->depth++] = at;
}

static void
lower(struct vertex *vertex, uint32_t index)
{
	if (index < vertex->low)
		vertex->low = index;
}

/*
 * Leaves vertex `at` in Tarjan's algorithm, as all its edges were followed. If
 * it is the root of a component, sets component[] of the members. Passes its
 * low link to the vertex before on the path.
 */
static void
leave(struct tarjan *t, uint32_t at, uint32_t *component)
{
	const struct vertex *vertex = &t->vertex[at];
	uint32_t member, low = vertex->low;

	t->depth--;
	if (low == vertex->index) {
		do {
			member = t->stack[--t->open];
			t->vertex[member].index = CLOSED;
			component[member] = t->count;
		} while (member != at);
		t->count++;
	}
	if (t->depth > 0)
		lower(&t->vertex[t->path[t->depth - 1]], low);
}

static void
search(struct tarjan *t, uint32_t root, const uint32_t *first,
    const uint32_t *target, uint32_t *component)
{
	discover(t, root, first);
	while (t->depth > 0) {
		uint32_t at = t->path[t->depth - 1], to;
		struct vertex *vertex = &t->vertex[at];

		if (vertex->edge == first[at + 1]) {
			leave(t, at, component);
			continue;
		}
		to = target[vertex->edge++];
		if (t->vertex[to].index == 0)
			discover(t, to, first);
		else
			lower(vertex, t->vertex[to].index);
	}
}

uint32_t
cg_components(uint32_t count, const uint32_t *first, const uint32_t *target,
    uint32_t *component)
{
	struct tarjan t = { 0 };

	t.vertex = calloc((size_t)count + 1, sizeof(*t.vertex));
	t.stack = malloc(((size_t)count + 1) * 2 * sizeof(*t.stack));
	if (t.vertex && t.stack) {
		t.path = t.stack + count;
		for (uint32_t i = 0; i < count; i++) {
			if (t.vertex[i].index == 0)
				search(&t, i, first, target, component);
		}
	} else {
		t.count = UINT32_MAX;
	}
	free(t.vertex);
	free(t.stack);
	return t.count;
}
