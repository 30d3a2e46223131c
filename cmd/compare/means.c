/*
 * means.c - writes the difference of several runs as a profile: of the means of
 * the runs on each side, with the verdicts for a target that shows them.
 *
 * The runs of a side are read once more, and merged.
 */
#include "noise.h"

bool
writes_profile(const struct args *args)
{
	return args->output != NULL || args->to != NULL;
}

int
write_difference(const struct args *args)
{
	int status = CG_OK;

	if (args->event != NULL && cg_job_writes_one_event(args->job))
		status = cg_job_set_event(args->job, args->event);
	return status == CG_OK ? cg_job_write(args->job) : status;
}

/*
 * Reads all runs of a side (BEFORE or AFTER) into one job, which merges them.
 * Returns the status.
 */
static int
merge_side(const struct noise *noise, int side, struct cg_job *job)
{
	const struct cg_graph *graph;
	int status = CG_OK;

	cg_job_set_partial(job, false);
	for (size_t i = 0; status == CG_OK && i < noise->runs; i++) {
		if (noise->run[i].side == side)
			status = cg_job_add_input(job, noise->run[i].path);
	}
	return status == CG_OK ? cg_job_read(job, &graph) : status;
}

/*
 * Gives the job that writes the difference the verdicts (which changes are
 * real), and stores them in *judgement. Before that, gives the functions of
 * the difference the numbers that they have in the runs. *judgement must stay
 * valid until the job has written. Returns the status.
 */
static int
hand_over(const struct args *args, struct noise *noise,
    const struct cg_graph *graph, struct cg_judgement *judgement)
{
	int status = cg_job_unite(noise->args->job, args->job, &noise->graph);

	if (status == CG_OK && !tell_runs(noise, graph, judgement))
		status = cg_nomem(args->job);
	if (status == CG_OK)
		cg_job_set_judgement(args->job, judgement);
	return status;
}

int
write_means(const struct args *args, struct noise *noise)
{
	const unsigned how = CG_DIFF_MEANS |
			     (args->side_by_side ? CG_DIFF_SIDE_BY_SIDE : 0) |
			     (args->normalize ? CG_DIFF_NORMALIZE : 0);
	struct cg_job *side[2] = { cg_job_clone(args->job),
		cg_job_clone(args->job) };
	struct cg_judgement judgement;
	const struct cg_graph *graph;
	int status = side[BEFORE] && side[AFTER] ? CG_OK : cg_nomem(args->job);

	for (int s = 0; status == CG_OK && s < 2; s++)
		status = merge_side(noise, s, side[s]);
	if (status == CG_OK)
		status = cg_job_diff(
		    args->job, side[BEFORE], side[AFTER], how, &graph);
	if (status == CG_OK)
		status = hand_over(args, noise, graph, &judgement);
	if (status == CG_OK)
		status = write_difference(args);
	cg_job_set_judgement(args->job, NULL);
	for (int s = 0; s < 2; s++)
		cg_job_free(side[s]);
	return status;
}
