/*
 * job.c - one conversion: reads the inputs and freezes the graph; symbols.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/copy.h"
#include "job/job.h"

/* ---- From begin to end ------------------------------------------------- */

struct cg_job *
cg_job_new(
    const struct cg_module *const *modules, cg_reporter *report, void *arg)
{
	struct cg_job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->errors.diag.report = report;
	job->errors.diag.arg = arg;
	if (cg_modules_add(job, modules) == CG_OK)
		return job;
	cg_job_free(job);
	return NULL;
}

/*
 * Closes the current input, and the other files (companions) that its reader
 * has opened and not closed.
 */
static void
close_input(struct cg_job *job)
{
	while (job->errors.companion)
		cg_close_companion(job, job->errors.companion->in);
	cg_in_close(job->errors.in);
	job->errors.in = job->build.in = NULL;
}

void
cg_job_free(struct cg_job *job)
{
	if (!job)
		return;
	cg_scope_end(&job->errors.scope);
	close_input(job);
	cg_job_release(job);
	cg_fold_free(job->fold);
	cg_build_free(&job->build);
	cg_graph_free(job->graph);
	for (size_t i = 0; i < job->opens; i++)
		cg_symbols_free(job->opened[i].symbols);
	for (size_t i = 0; i < job->plugins; i++)
		(void)dlclose(job->plugin[i]);
	cg_strs_free(&job->strs);
	free(job->opened);
	free(job->plugin);
	free(job->module);
	free(job->input);
	free(job->object);
	free(job->option);
	free(job->source);
	free(job->memory);
	cg_job_free_containers(job);
	free(job->callback);
	free(job->name);
	free(job->written.text);
	free(job->more);
	cg_rules_free(&job->rules);
	cg_map_free(&job->file_ids);
	cg_map_free(&job->skipped_sources);
	if (!job->owner) {
		cg_filters_free(job->filters);
		cg_label_filters_free(job->label_filters);
	}
	for (int s = 0; s < 2; s++) {
		free(job->diff_fn[s]);
		free(job->diff_file[s]);
	}
	free(job);
}

/* ---- Reading ------------------------------------------------------------ */

/*
 * True if an empty input is skipped, as others have data: a test that ran
 * nothing may leave an empty file. A partial job does not skip it: it reads for
 * a batch, which counts the inputs that it skips.
 */
static bool
skips_empty(const struct cg_job *job, const struct cg_found *found)
{
	return found->empty && job->inputs > 1 && !job->partial;
}

static int
recognise(struct cg_job *job, struct cg_in *in, struct cg_found *found)
{
	int status = cg_probe(job, in, found);

	if (status != CG_OK)
		return status;
	if (found->rival)
		return cg_fail(job, "this may be %s or %s; choose with {from}",
		    found->module->name, found->rival->name);
	if (skips_empty(job, found)) {
		cg_warn(job, "skipped: the file is empty");
		return CG_OK;
	}
	job->unclaimed = !found->module;
	if (found->empty)
		return cg_fail(job, "the file is empty");
	if (!found->module)
		return cg_fail(job,
		    "unknown input format; choose one with {from}, see "
		    "{list-formats}");
	return CG_OK;
}

static int
keep_source(struct cg_job *job, const struct cg_in *in,
    const struct cg_module *module, int score)
{
	struct cg_input_info *source;

	if (!cg_grow(&job->source, &job->source_cap, job->sources + 1,
		sizeof(*job->source)))
		return cg_nomem(job);
	source = &job->source[job->sources];
	source->path = cg_job_keep(job, cg_in_name(in));
	source->found.module = module;
	source->found.score = score;
	source->found.filters = cg_job_keep(job, cg_in_filters(in));
	if (!source->path || !source->found.filters)
		return CG_ELIMIT;
	job->sources++;
	return CG_OK;
}

int
cg_job_check_symbols(struct cg_job *job)
{
	for (const struct cg_job *it = job; it; it = it->owner) {
		for (size_t i = 0; i < it->opens; i++) {
			const struct cg_opened *opened = &it->opened[i];
			int status = opened->symbols
					 ? cg_symbols_status(opened->symbols)
					 : CG_OK;

			if (status == CG_EINPUT)
				return cg_fail(job, "cannot read %s: %s",
				    opened->path, strerror(EIO));
			if (status != CG_OK)
				return cg_nomem(job);
		}
	}
	return CG_OK;
}

/*
 * Calls the read() of a format for the input or, if in is NULL, its finish().
 * Frees the memory that the format has allocated in the call. Returns the
 * status: that of an error of the input, the builder or the job, which is the
 * cause of the format's error, before the format's own.
 */
static int
call_reader(
    struct cg_job *job, const struct cg_module *module, struct cg_in *in)
{
	struct cg_scope outer = job->errors.scope;
	int status;

	job->reading = module;
	job->errors.rejected = CG_OK;
	job->errors.scope = (struct cg_scope){ 0 };
	status = in ? module->read(job, in, &job->build)
		    : module->finish(job, &job->build);
	cg_scope_end(&job->errors.scope);
	job->errors.scope = outer;
	if (job->errors.rejected != CG_OK)
		status = job->errors.rejected;
	(void)cg_build_end_run(&job->build);
	/*
	 * Errors of the input or the builder are the cause of the format's
	 * error.
	 */
	if (in && cg_in_status(in) != CG_OK)
		status = cg_in_status(in);
	if (cg_build_failed(&job->build, NULL) != CG_OK)
		status = cg_build_status(&job->build);
	if (job->errors.fault != CG_OK)
		status = job->errors.fault;
	return status == CG_OK ? cg_job_check_symbols(job) : status;
}

/*
 * True if each input is finished alone: module->finish() is called after each
 * one, not once after all. That is so for a single input, and if inputs become
 * parts.
 */
static bool
finishes_each(const struct cg_job *job)
{
	return job->parts || job->inputs <= 1;
}

/* Reads an input, or skips it if it is empty. Returns the status. */
static int
read_input(struct cg_job *job, struct cg_in *in)
{
	struct cg_found found = { .module = job->from, .score = CG_PROBE_SURE };
	const struct cg_module *module;
	int status = CG_OK;

	job->errors.in = in;
	if (!job->from)
		status = recognise(job, in, &found);
	if (status != CG_OK)
		return status;
	module = found.module;
	if (!module) {
		cg_diag_flush(&job->errors.diag, cg_in_name(in));
		return CG_OK;
	}
	if (job->verbose)
		cg_note(job, "reading as %s", module->name);
	job->reading = module;
	status = keep_source(job, in, module, found.score);
	if (status != CG_OK)
		return status;
	cg_build_next(&job->build, in);
	status = call_reader(job, module, in);
	if (status == CG_OK && module->finish && finishes_each(job))
		status = call_reader(job, module, NULL);
	cg_diag_flush(&job->errors.diag, cg_in_name(in));
	return status;
}

/*
 * Calls finish() of each format that was read, so that it adds what it has
 * kept of all inputs. Does nothing if each input was finished alone. Returns
 * the status.
 */
static int
finish_inputs(struct cg_job *job)
{
	const struct cg_module *module;
	int status = CG_OK;

	if (finishes_each(job))
		return CG_OK;
	for (size_t m = 0; status == CG_OK && m < job->modules; m++) {
		bool was_read = false;

		module = job->module[m];
		for (size_t i = 0; module->finish && i < job->sources; i++)
			was_read |= job->source[i].found.module == module;
		if (was_read)
			status = call_reader(job, module, NULL);
	}
	cg_diag_flush(&job->errors.diag, NULL);
	return status;
}

/*
 * Returns the facts (kinds of data) that readers need not store. The output
 * format cannot represent these, and nothing is derived from them. None if a
 * program may look at the graph, unless it needs only sums.
 */
static cg_facts
find_unwanted(const struct cg_job *job)
{
	const cg_facts rows = CG_JUMPS | CG_BRANCHES | CG_BLOCKS |
			      CG_CONDITIONS | CG_COUNTERS | CG_TIMELINE |
			      CG_REGIONS;
	const cg_facts used = job->between.given ? CG_TIMELINE : 0;
	struct cg_ability can;

	/* Sums need no such rows, but losses of timelines are reported. */
	if (job->sums_only)
		return rows & ~CG_TIMELINE;
	/* A program may want to look at the graph, unless an output is set. */
	if (!job->to && !job->output)
		return 0;
	can = cg_target_ability(job, cg_job_target(job));
	return rows & ~(can.carries | can.needs | used);
}

/*
 * Returns the facts (kinds of data) that are worth computing for the output
 * format, see cg_wants_fact(). These are the facts that the format can
 * represent. A format that needs raw counters derives the rest from them, so
 * only its needs count. 0: no output format.
 */
static cg_facts
find_wanted(const struct cg_job *job)
{
	const struct cg_module *to = cg_job_target(job);
	struct cg_ability can;

	if (!to)
		return 0;
	can = cg_target_ability(job, to);
	return can.needs & CG_COUNTERS ? can.needs : can.carries;
}

/*
 * Returns which facts about a sample's thread become labels, as bits by the
 * index in cg_who_key. The usual ones do if the program or the output format
 * asks for them. --root-by and --part-by add theirs.
 */
static unsigned
find_who(const struct cg_job *job)
{
	const struct cg_module *to = cg_job_target(job);
	const struct cg_roots roots = cg_job_roots(job, to);
	bool all = job->identity == CG_IDENTITY_OF_TARGET
		       ? to && (to->carries & CG_LABELS)
		       : job->identity == CG_IDENTITY_ALL;

	return (all ? CG_WHO_USUAL : 0) | cg_roots_who(&roots) |
	       cg_part_by_who(&job->part_by);
}

static bool
is_sum(const struct cg_job *job)
{
	return (job->inputs > 1 || job->adds) && !job->parts;
}

static int
begin_graph(struct cg_job *job)
{
	const struct cg_module *to = cg_job_target(job);

	if (job->graph)
		return CG_OK;
	job->sum_for = job->partial ? to : NULL;
	job->graph = cg_graph_new(&job->errors.diag, &job->errors.fault);
	if (!job->graph)
		return cg_nomem(job);
	cg_build_init(&job->build, job->graph,
	    is_sum(job) ? CG_PARTS_SUM : CG_PARTS_KEEP);
	job->build.rules = &job->rules;
	job->build.label_filters = job->label_filters;
	job->build.unwanted = find_unwanted(job);
	job->build.wanted = find_wanted(job);
	job->build.linkage =
	    job->no_demangle ||
	    (to && to->linkage && !cg_opt_flag(job, "functions-by-name"));
	job->build.sums_only = job->sums_only;
	job->build.by = &job->part_by;
	job->build.who = find_who(job);
	return cg_job_begin_fold(job);
}

/*
 * If the graph has no costs left because patterns of files or filters dropped
 * all, warns, and sets job->emptied to the name of what dropped them. Does
 * nothing for a partial job.
 */
static void
note_emptied(struct cg_job *job)
{
	bool excluded = job->build.excluded_files.table ||
			(cg_rules_exclude(&job->rules) && job->merged > 0);

	if (job->partial || !cg_is_empty(job->graph))
		return;
	if (excluded)
		job->emptied = job->rules.roots > 0
				   ? "the patterns and directories of files"
				   : "the patterns of files";
	else if (job->filters || job->label_filters)
		job->emptied = "the filters";
	if (job->emptied)
		cg_warn(job, "%s left no costs", job->emptied);
}

/*
 * Drops files and functions that have no data left in a coverage run because
 * of --exclude or --root. Does nothing if this job has excluded no file, as
 * when it merges the graphs of other jobs, which have dropped theirs. Returns
 * the status.
 */
static int
keep_scope(struct cg_job *job)
{
	if (!job->build.excluded_files.table)
		return CG_OK;
	return cg_graph_keep_scope(&job->graph, &job->build.excluded_files);
}

/*
 * Reduces the graph to the time range of --between; an error if there are no
 * times. Does nothing to a graph merged from other jobs, which have reduced
 * their graphs before. Returns the status.
 */
static int
cut(struct cg_job *job)
{
	if (!job->between.given || job->merged > 0)
		return CG_OK;
	if (job->graph->tracks > 0)
		return cg_graph_cut(&job->graph, &job->between);
	return cg_lacks(
	    job, "{between} needs samples or calls with times; there are none");
}

/*
 * Makes sure that there are stacks for filters, estimated if the user has
 * asked for that. stacked: the first filter that needs stacks, for messages.
 * Notes that call counts are lost. Returns the status.
 */
static int
need_filtered_stacks(struct cg_job *job, const char *stacked)
{
	char what[64];
	int status;

	(void)snprintf(what, sizeof(what), "the filter '%s'", stacked);
	status = cg_need_stacks(job, what);
	if (status == CG_OK && (job->graph->facts & CG_CALLS))
		cg_note(job, "counts of calls are dropped by %s", what);
	return status;
}

/*
 * Replaces the graph by a copy without what the filters by function (--focus,
 * --hide and others) drop. First provides the stacks or costs of calls that
 * the filters need. Returns the status.
 */
static int
apply_filters(struct cg_job *job)
{
	const char *stacked = cg_filters_stacked(job->filters);
	bool by_calls = false;
	int status = CG_OK;

	job->build.graph = job->graph;
	if (stacked)
		status = cg_can_hide(job->graph, job->filters, &by_calls);
	if (status != CG_OK)
		return status;
	/* Costs of calls become self costs, so they have to be known. */
	if (by_calls)
		status = cg_propagate(job->graph);
	else if (stacked)
		status = need_filtered_stacks(job, stacked);
	if (status != CG_OK)
		return status;
	return cg_graph_filter(&job->graph, job->filters, by_calls);
}

/*
 * Applies the filters by function, unless merged jobs have done so. Otherwise,
 * if samples were dropped (--label, --no-label), removes functions and frames
 * that no stack has any more. Does not if the graph has rows, which keep all
 * functions. Returns the status.
 */
static int
filter(struct cg_job *job)
{
	static const struct cg_filters none;

	if (job->filters && job->merged == 0)
		return apply_filters(job);
	if (job->build.drops_costs && job->graph->runs == 0)
		return cg_graph_filter(&job->graph, &none, false);
	return CG_OK;
}

static int
end_building(struct cg_job *job)
{
	int status = cg_samples_end(&job->build, job->strict, job->verbose);

	cg_tracks_end(&job->build);
	cg_regions_end(&job->build);
	if (status != CG_OK)
		return status;
	return cg_shards_end(&job->build, &job->shard, job->partial);
}

static int
complete(struct cg_job *job)
{
	if (!job->partial && !cg_infer_fn_files(job->graph))
		return cg_nomem(job);
	return cg_graph_complete(job->graph);
}

/*
 * Merges functions without an object with those of equal file and name that
 * have one. If there are calls and several inputs, then adds calls by the
 * unknown caller. Only for complete sums, as later inputs may know more
 * objects. Returns the status.
 */
static int
join(struct cg_job *job)
{
	int status;

	if (!is_sum(job) || job->partial)
		return CG_OK;
	status = cg_graph_join(&job->graph);
	if (status != CG_OK || job->sources + job->merged < 2 ||
	    !(cg_graph_facts(job->graph) & CG_CALLS))
		return status;
	return cg_add_entries(job->graph, true);
}

/*
 * Completes the graph after the last input was read: seals it, then drops,
 * filters and joins what options ask for, step by step. Each step does nothing
 * if it does not apply. Returns the status.
 */
static int
freeze(struct cg_job *job)
{
	static int (*const steps[])(struct cg_job *) = { end_building, complete,
		cg_job_end_fold, keep_scope, cut, filter, join, NULL };
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && steps[i]; i++)
		status = steps[i](job);
	/* Joining makes a new graph, and the builder folds stacks later. */
	job->build.graph = job->graph;
	job->ready = status == CG_OK;
	if (job->ready) {
		/* Some of the steps make a new graph, with tables. */
		cg_graph_drop_tables(job->graph);
		note_emptied(job);
	}
	return status;
}

int
cg_job_merge(struct cg_job *job, const struct cg_job *part)
{
	int status = part ? cg_job_check_ready(job, part) : CG_OK;

	job->adds = true;
	if (status == CG_OK)
		status = begin_graph(job);
	if (status != CG_OK || !part)
		return status;
	/* Rules for paths and labels were applied when the part was read. */
	job->build.rules = NULL;
	job->build.label_filters = NULL;
	job->merged += part->sources + part->merged;
	job->errors.skips += part->errors.skips;
	cg_build_next(&job->build, NULL);
	return cg_graph_add(&job->build, part->graph);
}

/*
 * Finds the input files, opens and reads each into the graph, and closes it.
 * Returns the status; CG_EINPUT also if something was skipped and the graph
 * has neither rows nor stacks, so that there is nothing to write.
 */
static int
read_inputs(struct cg_job *job)
{
	int status = job->adds ? CG_OK : cg_job_sort_inputs(job);

	for (size_t i = 0; status == CG_OK && i < job->objects; i++)
		status = cg_job_note_file(job, job->object[i]);
	if (status == CG_OK && job->output)
		status = cg_job_check_output(job, job->output);
	if (status == CG_OK)
		status = begin_graph(job);
	for (; status == CG_OK && job->current < job->inputs; job->current++) {
		struct cg_in *in =
		    cg_job_open(job, job->input[job->current], &status);

		if (in)
			status = read_input(job, in);
		close_input(job);
	}
	job->one_failed = status == CG_EINPUT && job->inputs > 1;
	if (status == CG_OK && job->inputs > 1 && job->sources == 0)
		status = cg_fail(job, "all inputs are empty");
	if (status == CG_OK)
		status = finish_inputs(job);
	cg_job_release(job);
	if (status == CG_OK && job->errors.skips > 0 && job->graph->runs == 0 &&
	    job->graph->stacks == 0)
		return CG_EINPUT;
	return status;
}

int
cg_job_read(struct cg_job *job, const struct cg_graph **graph)
{
	if (graph)
		*graph = NULL;
	if (job->began)
		return cg_usage(job, "a job can read its inputs only once");
	job->began = true;
	job->seen = graph != NULL;
	if (job->status == CG_OK)
		job->status = read_inputs(job);
	if (job->status == CG_OK)
		job->status = freeze(job);
	if (graph && job->ready)
		*graph = job->graph;
	return job->status;
}

int
cg_job_read_memory(struct cg_job *job, const char *name, struct cg_slice bytes)
{
	int status = begin_graph(job);
	struct cg_in *in;

	if (status != CG_OK)
		return status;
	in = cg_in_memory(&job->errors.diag, name, bytes, &status);
	if (in)
		status = read_input(job, in);
	close_input(job);
	cg_job_release(job);
	return status == CG_OK ? freeze(job) : status;
}

int
cg_job_detect(
    struct cg_job *job, const char *path, struct cg_detected *detected)
{
	struct cg_found found;
	int status = CG_OK;

	*detected = (struct cg_detected){ .filters = "" };
	job->errors.in = cg_job_open(job, path, &status);
	if (!job->errors.in)
		return status;
	status = cg_probe(job, job->errors.in, &found);
	if (status == CG_OK) {
		detected->module = found.rival ? NULL : found.module;
		detected->score = found.score;
		detected->filters =
		    cg_job_keep(job, cg_in_filters(job->errors.in));
	}
	close_input(job);
	return detected->filters ? status : CG_ELIMIT;
}

const char *
cg_job_source(const struct cg_job *job, size_t i, struct cg_detected *found)
{
	if (i >= job->sources)
		return NULL;
	*found = job->source[i].found;
	return job->source[i].path;
}

const char *
cg_job_input_name(const struct cg_job *job, size_t i, size_t *all)
{
	if (job->named > 0) {
		*all = job->named;
		return i < job->names ? job->name[i] : NULL;
	}
	*all = job->sources;
	return i < job->sources ? job->source[i].path : NULL;
}

const struct cg_module *
cg_job_module(const struct cg_job *job, size_t i)
{
	return i < job->modules ? job->module[i] : NULL;
}

bool
cg_job_unclaimed(const struct cg_job *job)
{
	return job->unclaimed;
}

bool
cg_job_one_failed(const struct cg_job *job)
{
	return job->one_failed;
}

bool
cg_job_skipped(const struct cg_job *job)
{
	return job->errors.skips > 0;
}

/* ---- Symbols ------------------------------------------------------------ */

/*
 * Returns the job that keeps the symbols of the executable at path. For a
 * clone of a job that is the original, if the original has the executable, so
 * that it is loaded only once. Otherwise it is the job itself.
 */
static struct cg_job *
symbols_owner(struct cg_job *job, const char *path)
{
	for (size_t i = 0; job->owner && i < job->owner->objects; i++) {
		if (strcmp(job->owner->object[i], path) == 0)
			return job->owner;
	}
	return job;
}

const struct cg_symbols *
cg_open_symbols(struct cg_job *job, const char *path, bool quiet)
{
	struct cg_job *owner = symbols_owner(job, path);
	const char *name = cg_job_keep(owner, path);
	struct cg_opened *opened;
	int status = CG_OK;

	for (size_t i = 0; name && i < owner->opens; i++) {
		if (owner->opened[i].path == name)
			return owner->opened[i].symbols;
	}
	if (!name || !cg_grow(&owner->opened, &owner->open_cap,
			 owner->opens + 1, sizeof(*owner->opened))) {
		job->errors.fault = name ? cg_nomem(job) : CG_ELIMIT;
		return NULL;
	}
	opened = &owner->opened[owner->opens++];
	opened->path = name;
	opened->symbols =
	    cg_symbols_load(&job->errors.diag, path, quiet, &status);
	if (opened->symbols && status == CG_OK)
		status = cg_job_note_file(owner, path);
	if (status != CG_OK)
		job->errors.fault = status;
	return opened->symbols;
}

const char *
cg_demangle(struct cg_job *job, const char *name)
{
	const char *text = cg_demangle_in(&job->strs, name);

	if (!text)
		job->errors.fault = cg_nomem(job);
	return text ? text : "";
}
