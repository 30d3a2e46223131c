/*
 * clone.c - copies of a job's settings for a second job, the difference
 * between the graphs of two jobs, and the functions of several.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/copy.h"
#include "job/job.h"

/*
 * Returns a malloc()ed copy of count elements of width bytes; NULL: out of
 * memory.
 */
static void *
copy_array(const void *from, size_t count, size_t width)
{
	void *copy = calloc(count + 1, width);

	if (copy && count > 0)
		memcpy(copy, from, count * width);
	return copy;
}

static bool
copy_rules(struct cg_rules *to, const struct cg_rules *from)
{
	*to = *from;
	to->map_cap = from->maps;
	to->pattern_cap = from->patterns;
	to->root_cap = from->roots;
	to->map = copy_array(from->map, from->maps, sizeof(*to->map));
	to->pattern =
	    copy_array(from->pattern, from->patterns, sizeof(*to->pattern));
	to->root = copy_array(from->root, from->roots, sizeof(*to->root));
	return to->map && to->pattern && to->root;
}

struct cg_job *
cg_job_clone(struct cg_job *job)
{
	struct cg_job *clone = calloc(1, sizeof(*clone));

	if (!clone)
		return NULL;
	clone->errors.diag.report = job->errors.diag.report;
	clone->errors.diag.arg = job->errors.diag.arg;
	clone->errors.diag.stop = job->errors.diag.stop;
	clone->errors.diag.option_prefix = job->errors.diag.option_prefix;
	clone->modules = clone->module_cap = job->modules;
	clone->objects = clone->object_cap = job->objects;
	clone->options = clone->option_cap = job->options;
	clone->from = job->from;
	clone->part_by = job->part_by;
	clone->between = job->between;
	clone->filters = job->filters; /* owned by the first job */
	clone->label_filters = job->label_filters;
	clone->roots = job->roots;
	clone->rooted = job->rooted;
	clone->identity = job->identity;
	clone->verbose = job->verbose;
	clone->to = job->to;
	clone->root = job->root;
	clone->gzip = job->gzip;
	clone->strict = job->strict;
	clone->clamp = job->clamp;
	clone->guess = job->guess;
	clone->parts = job->parts;
	clone->no_demangle = job->no_demangle;
	clone->partial = job->partial;
	clone->threads = job->threads;
	clone->owner = job->owner ? job->owner : job;
	/* The strings belong to the first job. */
	clone->module =
	    copy_array(job->module, job->modules, sizeof(*job->module));
	clone->object =
	    copy_array(job->object, job->objects, sizeof(*job->object));
	clone->option =
	    copy_array(job->option, job->options, sizeof(*job->option));
	if (copy_rules(&clone->rules, &job->rules) && clone->module &&
	    clone->object && clone->option)
		return clone;
	cg_job_free(clone);
	return NULL;
}

/* ---- Differences -------------------------------------------------------- */

#define RUNS_ROOM 40 /* "mean of 10 runs" */

/*
 * Adds descriptions to the difference of two profiles: which profiles they
 * are, and how they were compared. If memory runs out, the job fails.
 */
static void
describe(struct cg_job *job, const struct cg_job *const side[2],
    const struct cg_diff *diff)
{
	char runs[2][RUNS_ROOM];
	const char *path[2];
	char *text;
	size_t size = 64;

	for (int s = 0; s < 2; s++) {
		path[s] = side[s]->sources ? side[s]->source[0].path : "";
		(void)snprintf(runs[s], RUNS_ROOM,
		    diff->build.graph->event[0].incl == CG_INCL_NONE
			? "%zu runs"
			: "mean of %zu runs",
		    diff->runs[s]);
		if (diff->runs[s] > 1)
			path[s] = runs[s];
		size += strlen(path[s]);
	}
	text = malloc(size);
	if (!text) {
		(void)cg_nomem(job);
		job->errors.fault = CG_ELIMIT;
		return;
	}
	(void)snprintf(text, size,
	    diff->side_by_side ? "%s (_after) next to %s (_before)"
			       : "%s minus %s",
	    path[1], path[0]);
	cg_add_desc(&job->build, cg_slice("Difference"), cg_slice(text));
	free(text);
	if (diff->normalize)
		cg_add_desc(&job->build, cg_slice("Normalized"),
		    cg_slice("costs before, to the sums after"));
}

/*
 * Sets diff->side_by_side if the output format needs it: it shows pairs, or
 * cannot represent negative costs. Not with --clamp, or if the format is
 * unknown. Returns the status; CG_EINPUT: it writes only one event (reported).
 */
static int
choose_sides(struct cg_job *job, struct cg_diff *diff)
{
	const struct cg_module *to = cg_job_target(job);

	if (diff->side_by_side || !to || job->clamp ||
	    (!to->pairs && (to->carries & CG_SIGNED)))
		return CG_OK;
	diff->side_by_side = true;
	if (to->pairs || (to->carries & CG_EVENTS))
		return CG_OK;
	return cg_fail(job,
	    "%s cannot represent negative costs or two profiles side by side "
	    "({clamp} writes increases only)",
	    to->name);
}

/*
 * Adds the inputs of the profile before or after (side) to this job, which has
 * the difference of both. Options of the formats of these inputs then apply to
 * the difference, too. Returns the status.
 */
static int
keep_sources(struct cg_job *job, const struct cg_job *side)
{
	for (size_t i = 0; i < side->sources; i++) {
		struct cg_input_info source = side->source[i];

		source.path = cg_job_keep(job, source.path);
		source.found.filters = cg_job_keep(job, source.found.filters);
		if (!source.path || !source.found.filters)
			return CG_ELIMIT;
		if (!cg_grow(&job->source, &job->source_cap, job->sources + 1,
			sizeof(*job->source)))
			return cg_nomem(job);
		job->source[job->sources++] = source;
	}
	return CG_OK;
}

/*
 * Prepares one of two jobs (side) whose difference this job gets: the profile
 * before or after. Checks that it has been read, derives its inclusive costs,
 * and adds its inputs to this job. Returns the status.
 */
static int
prepare_side(struct cg_job *job, struct cg_job *side)
{
	int status = cg_job_check_ready(job, side);

	if (status == CG_OK)
		status = cg_job_derive(side, CG_INCL);
	return status == CG_OK ? keep_sources(job, side) : status;
}

int
cg_job_diff(struct cg_job *job, struct cg_job *before, struct cg_job *after,
    unsigned how, const struct cg_graph **graph)
{
	struct cg_job *const side[2] = { before, after };
	struct cg_diff diff = { .profile = { before->graph, after->graph },
		.side_by_side = how & CG_DIFF_SIDE_BY_SIDE,
		.normalize = how & CG_DIFF_NORMALIZE };
	int status = choose_sides(job, &diff);

	for (int s = 0; s < 2 && how & CG_DIFF_MEANS; s++)
		diff.runs[s] = side[s]->sources;
	*graph = NULL;
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = prepare_side(job, side[s]);
	if (status != CG_OK)
		return status;
	cg_build_init(&diff.build,
	    cg_graph_new(&job->errors.diag, &job->errors.fault), CG_PARTS_SUM);
	if (!diff.build.graph)
		return cg_nomem(job);
	status = cg_graph_diff(&diff);
	job->build = diff.build;
	job->graph = diff.build.graph;
	for (int s = 0; s < 2; s++) {
		job->errors.skips += side[s]->errors.skips;
		job->diff_fn[s] = diff.fn[s];
		job->diff_fns[s] = diff.profile[s]->fns;
		job->diff_file[s] = diff.file[s];
		job->diff_files[s] = diff.profile[s]->files.count;
		job->diff_side[s] = side[s];
		job->diff_lost |=
		    cg_graph_facts(diff.profile[s]) &
		    (CG_INSTRS | CG_JUMPS | CG_BRANCHES | CG_BLOCKS |
			CG_CONDITIONS | CG_COUNTERS | CG_REGIONS);
	}
	if (status == CG_OK) {
		describe(job, (const struct cg_job *const *)side, &diff);
		status = cg_graph_complete(job->graph);
	}
	job->told = before->told = true; /* as the side after says it */
	job->ready = status == CG_OK;
	*graph = job->ready ? job->graph : NULL;
	return job->errors.fault != CG_OK ? job->errors.fault : status;
}

/* ---- Functions of several runs ------------------------------------------ */

int
cg_job_unite(
    struct cg_job *job, const struct cg_job *run, const struct cg_graph **graph)
{
	struct cg_build build;
	int status = cg_job_check_ready(job, run);

	*graph = NULL;
	if (status != CG_OK)
		return status;
	free(job->diff_fn[0]);
	job->diff_fn[0] = NULL;
	job->diff_fns[0] = run->graph->fns;
	if (job->graph &&
	    cg_graph_has_all(&job->build, run->graph, &job->diff_fn[0])) {
		*graph = job->graph;
		return CG_OK;
	}
	cg_build_init(&build,
	    cg_graph_new(&job->errors.diag, &job->errors.fault), CG_PARTS_SUM);
	if (!build.graph)
		return cg_nomem(job);
	/* The first run has no functions to match: it meets itself. */
	status = cg_graph_unite(&build, job->graph ? job->graph : run->graph,
	    run->graph, &job->diff_fn[0]);
	/* Keep the tables, by which the next run is looked up. */
	if (status == CG_OK)
		status = cg_graph_seal(build.graph);
	cg_build_free(&job->build);
	cg_graph_free(job->graph);
	job->build = build;
	job->graph = build.graph;
	job->ready = status == CG_OK;
	*graph = job->ready ? job->graph : NULL;
	return job->errors.fault != CG_OK ? job->errors.fault : status;
}

cg_fn
cg_job_diff_fn(const struct cg_job *job, int side, cg_fn fn)
{
	return fn < job->diff_fns[side] ? job->diff_fn[side][fn] : 0;
}

cg_file
cg_job_diff_file(const struct cg_job *job, int side, cg_file file)
{
	return file < job->diff_files[side] ? job->diff_file[side][file] : 0;
}

const struct cg_graph *
cg_job_diff_graph(const struct cg_job *job, int side)
{
	return job->diff_side[side] ? job->diff_side[side]->graph : NULL;
}

void
cg_job_set_judgement(struct cg_job *job, const struct cg_judgement *judgement)
{
	job->judgement = judgement;
}

const struct cg_judgement *
cg_job_judgement(const struct cg_job *job)
{
	return job->judgement;
}

bool
cg_job_exclude_side(struct cg_job *job, int side)
{
	struct cg_job *of = job->diff_side[side];
	int status = of && !of->marked ? cg_job_exclude_marked(of) : CG_OK;

	if (status != CG_OK)
		job->errors.fault = status;
	return status == CG_OK;
}
