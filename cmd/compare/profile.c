/*
 * profile.c - reads one of the two profiles that are compared.
 */
#include "compare.h"

int
open_profile(struct profile *profile, const char *path)
{
	struct cg_detected found;
	int status;

	(void)cg_job_add_input(profile->job, path);
	status = cg_job_read(profile->job, &profile->graph);
	if (status != CG_OK)
		return status;
	profile->path = cg_job_source(profile->job, 0, &found);
	profile->format = found.module;
	profile->found = cg_graph_facts(profile->graph);
	return CG_OK;
}

void
close_profile(struct profile *profile)
{
	cg_sums_free(profile->sums);
	cg_rows_free(profile->rows);
}
