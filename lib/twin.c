/*
 * twin.c - a second job with the settings of a first: what compares two
 * profiles reads each with a job of its own.
 */
#include <stdlib.h>
#include <string.h>

#include "job.h"

/* A copy of count elements; false: out of memory. */
static bool
copy_array(void *to, const void *from, size_t count, size_t width)
{
	void *copy = malloc((count + 1) * width);

	if (!copy)
		return false;
	memset(copy, 0, (count + 1) * width);
	if (count > 0)
		memcpy(copy, from, count * width);
	memcpy(to, &copy, sizeof(copy));
	return true;
}

static bool
copy_rules(struct cg_rules *to, const struct cg_rules *from)
{
	*to = *from;
	to->map = NULL;
	to->pattern = NULL;
	to->map_cap = from->maps;
	to->pattern_cap = from->patterns;
	return copy_array(&to->map, from->map, from->maps, sizeof(*to->map)) &&
	       copy_array(&to->pattern, from->pattern, from->patterns,
		   sizeof(*to->pattern));
}

struct cg_job *
cg_job_twin(struct cg_job *job)
{
	struct cg_job *twin = calloc(1, sizeof(*twin));
	bool ok = twin != NULL;

	if (!ok)
		return NULL;
	twin->diag.report = job->diag.report;
	twin->diag.arg = job->diag.arg;
	twin->diag.stop = job->diag.stop;
	twin->modules = twin->module_cap = job->modules;
	twin->objects = twin->object_cap = job->objects;
	twin->options = twin->option_cap = job->options;
	twin->from = job->from;
	twin->part_by = job->part_by;
	twin->verbose = job->verbose;
	twin->to = job->to;
	twin->gzip = job->gzip;
	twin->strict = job->strict;
	twin->clamp = job->clamp;
	twin->guess = job->guess;
	twin->parts = job->parts;
	twin->partial = job->partial;
	twin->lender = job->lender ? job->lender : job;
	/* Strings stay the first job's. */
	ok = copy_array(&twin->module, job->module, job->modules,
		 sizeof(*job->module)) &&
	     copy_array(&twin->object, job->object, job->objects,
		 sizeof(*job->object)) &&
	     copy_array(&twin->option, job->option, job->options,
		 sizeof(*job->option)) &&
	     copy_rules(&twin->rules, &job->rules);
	if (ok)
		return twin;
	cg_job_free(twin);
	return NULL;
}
