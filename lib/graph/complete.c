/*
 * complete.c - what is done with a graph to which everything was added.
 */
#include "graph/build.h"

int
cg_graph_complete(struct cg_graph *graph)
{
	int status = cg_formulas_resolve(graph);

	if (status != CG_OK)
		return status;
	cg_graph_drop_tables(graph);
	return cg_graph_seal(graph);
}
