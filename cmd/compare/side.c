/*
 * side.c - one of two profiles that are compared.
 */
#include "../cmd.h"

int
open_side(struct side *side, const char *path)
{
	struct cg_detected found;
	int status = cg_job_add_input(side->job, path);

	if (status == CG_OK)
		status = cg_job_read(side->job, &side->graph);
	if (status != CG_OK)
		return status;
	side->path = cg_job_source(side->job, 0, &found);
	side->format = found.module;
	side->found = cg_graph_facts(side->graph);
	return CG_OK;
}

void
close_side(struct side *side)
{
	cg_sums_free(side->sums);
	cg_rows_free(side->rows);
}
