/*
 * twin.c - a second graph of the same functions and frames, which a thread works
 * on while readers add to the first.
 */
#include <string.h>

#include "graph/graph.h"

bool
cg_twin_open(struct cg_twin *twin)
{
	*twin = (struct cg_twin){ .quiet = { .report = cg_keep_quiet } };
	twin->graph = cg_graph_new(&twin->quiet, &twin->fault);
	return twin->graph != NULL;
}

void
cg_twin_close(struct cg_twin *twin)
{
	cg_graph_free(twin->graph);
	twin->graph = NULL;
}

/* Copies the elements from the first one on; array: of a pointer. */
static bool
copy_from(void *array, size_t *cap, size_t first, const void *from,
    size_t count, size_t width)
{
	char *to;

	if (!cg_grow_raw(array, cap, count, width))
		return false;
	memcpy(&to, array, sizeof(to));
	if (count > first)
		memcpy(to + first * width, (const char *)from + first * width,
		    (count - first) * width);
	return true;
}

static bool
copy_dimensions(struct cg_graph *to, const struct cg_graph *from)
{
	if (!copy_from(&to->fn, &to->fn_cap, to->fns, from->fn, from->fns,
		sizeof(*to->fn)) ||
	    !copy_from(&to->frame, &to->frame_cap, to->frames, from->frame,
		from->frames, sizeof(*to->frame)) ||
	    !copy_from(&to->event, &to->event_cap, 0, from->event, from->events,
		sizeof(*to->event)) ||
	    !cg_grow(&to->part, &to->part_cap, from->parts, sizeof(*to->part)))
		return false;
	for (; to->fns < from->fns; to->fns++)
		to->fn[to->fns].runs = CG_NO_RUN;
	to->frames = from->frames;
	to->events = from->events;
	to->any_signed = from->any_signed;
	to->parts = from->parts;
	return true;
}

bool
cg_twin_take_stacks(struct cg_twin *twin, struct cg_graph *from)
{
	if (!copy_dimensions(twin->graph, from))
		return false;
	cg_stacks_move(from, twin->graph);
	return true;
}

bool
cg_twin_give_rows(struct cg_twin *twin, struct cg_graph *to)
{
	to->facts |= twin->graph->facts;
	return cg_runs_move(twin->graph, to);
}
