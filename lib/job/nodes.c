/*
 * nodes.c - folds stacks while a reader adds them, if the target has none:
 * memory then does not depend on the number of distinct stacks.
 */
#include "job/job.h"

/*
 * The number of nodes to fold at once, or one for each BYTES_OF_NODE bytes of
 * the input, if that is more. Nodes then take no more memory than the input,
 * and shared callers are seldom folded again.
 */
#define NODES ((size_t)1 << 15)
#define BYTES_OF_NODE 256

/*
 * True if stacks can be converted to calls while they are added, which bounds
 * memory. The output format must have no stacks, and nothing else may need all
 * of them: a filter, an option such as --verbose, several inputs, or a program
 * that uses the library.
 */
static bool
is_foldable(const struct cg_job *job)
{
	const struct cg_module *to = cg_job_target(job);

	/* A sum of inputs first has to resolve functions of unknown objects. */
	if (!to || job->seen || job->inputs > 1 || job->adds || job->partial ||
	    job->shard.count > 0)
		return false;
	if (job->filters || job->between.given || job->guess ||
	    cg_job_roots(job, to).count > 0)
		return false;
	/* Reports of lost facts need the whole tree. */
	if (job->strict || job->verbose)
		return false;
	return !((cg_target_ability(job, to).carries | to->needs) & CG_STACKS);
}

int
cg_job_begin_fold(struct cg_job *job)
{
	job->folds = is_foldable(job);
	return job->folds ? cg_job_get_levels(
				job, cg_job_target(job), &job->fold_levels)
			  : CG_OK;
}

/*
 * True if the tree of stacks has enough nodes to be folded to calls now:
 * folding takes time for each part (thread or process) and should pay. The
 * limit is job->fold_nodes or, if that is 0, grows with the bytes read.
 */
static bool
are_enough(const struct cg_job *job)
{
	size_t nodes = job->graph->nodes;

	if (nodes < job->graph->parts)
		return false;
	return job->fold_nodes > 0
		   ? nodes >= job->fold_nodes
		   : nodes >= NODES &&
			 nodes >= cg_in_offset(job->errors.in) / BYTES_OF_NODE;
}

bool
cg_free_nodes(struct cg_job *job)
{
	struct cg_graph *graph = job->graph;

	if (!job->folds || !are_enough(job) || graph->tracks > 0 ||
	    cg_build_status(&job->build) != CG_OK)
		return false;
	if (!job->fold) {
		job->fold = cg_fold_new(&job->build, job->fold_levels,
		    job->fold_nodes > 0 ? job->fold_nodes : SIZE_MAX);
		if (!job->fold) {
			cg_build_nomem(&job->build);
			return false;
		}
	}
	return cg_fold_some(job->fold);
}

int
cg_job_end_fold(struct cg_job *job)
{
	cg_facts lost;
	int status;

	if (!job->fold)
		return CG_OK;
	status = cg_job_convert_labels(job, cg_job_target(job), &lost);
	if (status == CG_OK)
		status = cg_fold_end(job->fold);
	if (status == CG_OK)
		status = cg_graph_seal(job->graph);
	cg_fold_free(job->fold);
	job->fold = NULL;
	return status;
}
