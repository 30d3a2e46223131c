/*
 * columns.c - costs in the order in which an input names its events.
 *
 * Inputs that are added up share their events, so the events of the second may
 * have other columns than they have in its own file.
 */
#include <string.h>

#include "graph/graph.h"

bool
cg_add_column(struct cg_columns *columns, struct cg_build *build,
    const struct cg_event *event)
{
	unsigned column = cg_add_event(build, event);
	size_t i = columns->events;

	if (cg_build_status(build) != CG_OK || i == CG_EVENT_MAX)
		return false;
	for (size_t k = 0; k < i; k++)
		if (columns->column[k] == column)
			return false;
	columns->column[i] = column;
	columns->moved |= column != i;
	columns->events++;
	if (column >= columns->width)
		columns->width = column + 1;
	return true;
}

const uint64_t *
cg_columns_of(struct cg_columns *columns, const uint64_t *cost)
{
	if (!columns->moved)
		return cost;
	for (size_t i = 0; i < columns->events; i++)
		columns->cost[columns->column[i]] = cost[i];
	return columns->cost;
}
