/*
 * runs.c - reads runs before and after a change, each with a job of its own,
 * which is freed before the next one is read. What stays is a vector of costs:
 * memory grows with functions and lines times runs, not with stacks.
 *
 * Functions match as in --diff of two profiles. The runs after are read first,
 * as their names are shown.
 */
#include "noise.h"

/* ---- Costs --------------------------------------------------------------- */

/*
 * Copies from "run" to "kept" the total and the number of samples. Also
 * allocates kept->cost, and stores there the costs of the run by function of
 * noise->graph. If several functions of the run match one function of that
 * graph, sums their costs. Returns the status.
 */
static int
keep_costs(struct noise *noise, struct noise_run *kept, const struct run *run)
{
	struct cg_job *job = noise->args->job;

	kept->total = run->total;
	kept->samples = run->samples;
	kept->fns = cg_fn_count(noise->graph) + 1;
	kept->cost = cg_alloc(job, kept->fns * KEYS * sizeof(*kept->cost));
	if (kept->cost == NULL)
		return cg_nomem(job);
	for (cg_fn fn = 1; fn <= cg_fn_count(run->graph); fn++) {
		double *to =
		    &kept->cost[(size_t)cg_job_diff_fn(job, 0, fn) * KEYS];

		to[SELF] += run_cost(run, fn, false);
		to[INCLUSIVE] += run_cost(run, fn, true);
	}
	return CG_OK;
}

/*
 * Copies the data of a profile that was read to kept, and adds its functions
 * to noise->graph. The caller can then close the profile, which owns the sums
 * of its costs. Returns the status.
 */
static int
take_run(struct noise *noise, struct noise_run *kept, struct profile *profile)
{
	struct run run = {
		.path = kept->path, .job = profile->job, .graph = profile->graph
	};
	int status = sum_run(noise->args, &noise->common, &run, &noise->graph);

	profile->sums = run.sums;
	kept->format = profile->format->name;
	noise->inclusive |= run.has_calls;
	if (status == CG_OK)
		status = keep_costs(noise, kept, &run);
	return status == CG_OK ? keep_lines(noise, kept, &run) : status;
}

/*
 * Appends the profile at path to noise->run, which has room. side: BEFORE or
 * AFTER. With --partial, a run that is malformed or incomplete is only
 * counted, in noise->skipped. Returns the status, CG_OK then.
 */
static int
read_run(struct noise *noise, const char *path, int side)
{
	struct profile profile = { .job = cg_job_clone(noise->args->job) };
	struct noise_run *run = &noise->run[noise->runs];
	int status = CG_ELIMIT;

	*run = (struct noise_run){ .path = path, .side = side };
	if (profile.job == NULL)
		return cg_nomem(noise->args->job);
	/* --partial is about runs here: each is complete. */
	cg_job_set_partial(profile.job, false);
	status = open_profile(&profile, path);
	if (status == CG_OK && cg_job_skipped(profile.job))
		status = CG_EINPUT; /* a part is missing */
	if (status == CG_EINPUT && noise->args->partial) {
		noise->skipped++;
		status = CG_OK;
	} else if (status == CG_OK) {
		status = take_run(noise, run, &profile);
		noise->count[side]++;
		noise->runs++;
	}
	close_profile(&profile);
	cg_job_free(profile.job);
	return status;
}

int
read_runs(struct noise *noise)
{
	struct args *args = noise->args;
	size_t split = args->split;
	int status = CG_OK;

	cg_random_key(noise->files.key, noise);
	noise->run =
	    cg_alloc(args->job, (args->inputs + 1) * sizeof(*noise->run));
	if (noise->run == NULL)
		return cg_nomem(args->job);
	for (size_t i = split; status == CG_OK && i < args->inputs; i++)
		status = read_run(noise, args->input[i], AFTER);
	for (size_t i = 0; status == CG_OK && i < split; i++)
		status = read_run(noise, args->input[i], BEFORE);
	cg_map_free(&noise->line_ids);
	for (int s = BEFORE; status == CG_OK && s <= AFTER; s++) {
		if (noise->count[s] == 0)
			status = cg_fail(args->job, "no run %s could be read",
			    s == BEFORE ? "before" : "after");
	}
	return status;
}
