/*
 * derive.c - derives facts that a target needs and the graph lacks, if that is
 * exact, and reports facts that the target cannot represent.
 */
#include <stdio.h>
#include <string.h>

#include "algo/algo.h"
#include "job/job.h"

#define FACTS_ROOM 300 /* for the names of all facts */

/*
 * Writes the names of facts (kinds of data) into text, which has size bytes,
 * such as "lines, jumps". A list that is too long is truncated. Returns text.
 */
static const char *
list_facts(cg_facts facts, char *text, size_t size)
{
	size_t len = 0;

	text[0] = '\0';
	for (unsigned bit = 0; bit < CG_FACT_COUNT && len < size; bit++) {
		if (facts & 1u << bit)
			len += (size_t)snprintf(text + len, size - len, "%s%s",
			    len ? ", " : "", cg_fact_name(bit));
	}
	return text;
}

static bool
asks_for_counts(const struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->events; i++) {
		if (graph->event[i].incl == CG_INCL_BY_COUNTS)
			return true;
	}
	return false;
}

/*
 * Computes inclusive costs of calls from call counts, for events whose inputs
 * do not state them. Then sets those of calls by the unknown caller, if
 * needed. Returns the status.
 */
static int
derive_inclusive(struct cg_job *job)
{
	struct cg_graph *graph = job->graph;
	bool split = (graph->facts & CG_CALLS) && asks_for_counts(graph);
	int status = split ? cg_propagate(graph) : CG_OK;

	if (status == CG_OK && (split || job->build.unknown_calls))
		status = cg_add_entries(graph, false);
	return status;
}

static int
derive_facts(
    struct cg_job *job, cg_facts needs, cg_facts carries, uint64_t levels)
{
	struct cg_graph *graph = job->graph;
	int status = CG_OK;

	if (!(carries & CG_STACKS))
		status = cg_drop_guess(graph);
	if (status == CG_OK && (graph->facts & CG_STACKS) &&
	    !(carries & CG_STACKS)) {
		status = cg_fold_stacks(&job->build, levels);
		if (status == CG_OK)
			status = cg_graph_seal(graph);
	}
	return status == CG_OK && (needs & CG_INCL) ? derive_inclusive(job)
						    : status;
}

/*
 * Parses the value of an option as a number of recursion levels, 1 or more,
 * into *levels. value is NULL if the option is not set, which counts as 1.
 * Returns the status; a malformed value is reported.
 */
static int
take_levels(
    struct cg_job *job, const char *option, const char *value, uint64_t *levels)
{
	struct cg_slice text = cg_slice(value ? value : "1");

	if (cg_take_u64(&text, levels) && *levels > 0)
		return CG_OK;
	return cg_usage(
	    job, "{%s}: expected 1 or more, not '%s'", option, value);
}

int
cg_job_get_levels(
    struct cg_job *job, const struct cg_module *to, uint64_t *levels)
{
	const char *option = to->levels_option;

	return take_levels(
	    job, option, option ? cg_opt(job, option) : NULL, levels);
}

/*
 * Sets *levels, the number of recursion levels to keep apart, if no output
 * format is known. It comes from the program, else from the first format's
 * option that is set, else is 1. Returns the status.
 */
static int
get_levels_set(struct cg_job *job, uint64_t *levels)
{
	const char *option = NULL, *value = NULL;

	for (size_t i = 0; i < job->modules && !value; i++) {
		option = job->module[i]->levels_option;
		value = option ? cg_job_option(job, option) : NULL;
	}
	if (!job->levels)
		return take_levels(job, option, value, levels);
	*levels = job->levels;
	return CG_OK;
}

int
cg_job_status(const struct cg_job *job)
{
	return job->errors.fault;
}

/*
 * True if the graph has self costs in rows (costs by position in a function),
 * not only as costs of stacks.
 */
static bool
has_rows(const struct cg_graph *graph)
{
	bool costs = false;

	if (!(graph->facts & CG_SELF))
		return false;
	for (size_t i = 0; !costs && i < graph->runs; i++)
		costs = graph->run[i].costs.last != NULL;
	return costs;
}

/*
 * Replaces the graph's estimated stacks by new ones. Frames get only positions
 * that the output can represent, and none in `unused`. More kinds of positions
 * would make more stacks. Returns the status.
 */
static int
guess_stacks(struct cg_job *job, cg_facts unused)
{
	const struct cg_module *to = cg_job_target(job);
	/* Filters need files, and a program may look at everything. */
	bool all = job->filters || (!job->to && !job->output);
	cg_facts carries =
	    all || !to ? ~(cg_facts)0 : cg_target_ability(job, to).carries;
	int status;

	/*
	 * Existing estimates may be for another target, with other positions.
	 */
	status = cg_drop_guess(job->graph);
	if (status == CG_OK && asks_for_counts(job->graph))
		status = cg_propagate(job->graph);
	if (status == CG_OK)
		status = cg_guess_stacks(&job->build, carries & ~unused);
	if (status != CG_OK)
		return status;
	if (job->graph->facts & CG_CALLS)
		cg_warn(job, "stacks are an estimate from calls");
	return cg_graph_seal(job->graph);
}

int
cg_job_derive(struct cg_job *job, cg_facts needs)
{
	uint64_t levels;
	int status = cg_job_check_ready(job, job);

	if (status == CG_OK)
		status = get_levels_set(job, &levels);
	if (status == CG_OK)
		status = derive_facts(job, needs,
		    needs & CG_CALLS ? ~CG_STACKS : ~(cg_facts)0, levels);
	if (status == CG_OK && (needs & CG_STACKS) && job->guess &&
	    has_rows(job->graph))
		/* A writer has the addresses of the rows, which stay. */
		status =
		    guess_stacks(job, job->to || job->output ? CG_INSTRS : 0);
	return status;
}

/*
 * Handles negative costs, which the output format cannot represent: sets them
 * to 0 with --clamp (but not with --strict), else reports an error, as written
 * as unsigned numbers they would be huge. Returns the status.
 */
static int
clamp_or_refuse(struct cg_job *job, const struct cg_module *to)
{
	if (job->clamp && !job->strict) {
		/* Count each dropped cost only once. */
		cg_keep_guess(job->graph);
		return cg_graph_clamp(job->graph);
	}
	return cg_lacks(job,
	    job->clamp
		? "%s cannot represent negative costs, and the input has some"
		: "%s cannot represent negative costs, and the input has some "
		  "({clamp} writes them as 0)",
	    to->name);
}

int
cg_need_stacks(struct cg_job *job, const char *what)
{
	if (!has_rows(job->graph))
		return CG_OK;
	if (job->guess)
		return guess_stacks(job, 0);
	return cg_lacks(job,
	    "%s needs stacks; %s ({guess-stacks} estimates them)", what,
	    job->graph->facts & CG_STACKS ? "some costs of the input have none"
					  : "the input has none");
}

/*
 * Reports the facts in lost, which the output format cannot represent.
 * Negative costs are an error or clamped, merged threads a warning except in
 * coverage. Others are a note with --verbose. With --strict all are errors.
 * Returns the status.
 */
static int
report_loss(struct cg_job *job, const struct cg_module *to, cg_facts lost)
{
	cg_facts missed = to->needs & CG_LINES ? 0 : lost & CG_PARTS;
	int status = CG_OK;
	char text[FACTS_ROOM];

	if (lost & CG_SIGNED)
		status = clamp_or_refuse(job, to);
	lost &= ~CG_SIGNED;
	if (status != CG_OK || !lost)
		return status;
	if (job->strict)
		return cg_lacks(job, "%s cannot represent: %s", to->name,
		    list_facts(lost, text, sizeof(text)));
	if (missed)
		cg_warn(job, "%s cannot represent: %s", to->name,
		    list_facts(missed, text, sizeof(text)));
	/*
	 * Reported already: labels by cg_job_convert_labels(), the event by the
	 * writer.
	 */
	lost &= ~(missed | CG_LABELS);
	if (cg_module_option(to, CG_EVENT_OPTION))
		lost &= ~CG_EVENTS;
	if (lost && job->verbose)
		cg_note(job, "%s cannot represent: %s", to->name,
		    list_facts(lost, text, sizeof(text)));
	return CG_OK;
}

/*
 * Reports the kinds of data that the inputs have, but a difference of two
 * profiles cannot have. Only kinds that the output format could represent are
 * reported: as a warning, with --strict as an error. Returns the status.
 */
static int
report_dropped(struct cg_job *job, const struct cg_module *to)
{
	cg_facts lost = job->diff_lost & to->carries;
	char text[FACTS_ROOM];

	/* Targets of pairs have those of both sides. */
	if (to->pairs)
		lost &= ~(CG_BRANCHES | CG_CONDITIONS | CG_REGIONS);
	if (!lost)
		return CG_OK;
	list_facts(lost, text, sizeof(text));
	if (job->strict)
		return cg_lacks(job, "a difference cannot represent: %s", text);
	cg_warn(job, "a difference cannot represent: %s", text);
	return CG_OK;
}

struct cg_roots
cg_job_roots(const struct cg_job *job, const struct cg_module *to)
{
	struct cg_roots roots = job->roots;

	/* If the output is a timeline, its tracks identify the threads. */
	if (!job->rooted && to && to->root_by &&
	    !(cg_target_ability(job, to).needs & CG_TIMELINE))
		roots.usual = cg_roots_add(&roots, to->root_by);
	return roots;
}

/*
 * Adds the frames of --root-by as the outermost frames of all stacks, and
 * seals the graph again. For unlabel, *joined and the case without such
 * frames, see cg_root_stacks(). Returns the status.
 */
static int
root_stacks(struct cg_job *job, const struct cg_roots *roots, bool unlabel,
    bool *joined)
{
	int status = cg_root_stacks(&job->build, roots, unlabel, joined);

	return status == CG_OK && roots->count > 0 ? cg_graph_seal(job->graph)
						   : status;
}

int
cg_job_root(struct cg_job *job, const struct cg_module *to)
{
	const struct cg_roots roots = cg_job_roots(job, to);
	bool joined;

	if (roots.count == 0 || job->graph->stacks == 0)
		return CG_OK;
	return root_stacks(job, &roots, false, &joined);
}

/*
 * Called if --root-by has dropped the timeline, which the output format could
 * represent. Clears the timeline's fact, and warns. It is an error with
 * --strict, or if flag (an option of that format, or NULL) needs the timeline.
 * Returns the status.
 */
static int
tell_untimed(struct cg_job *job, const char *flag)
{
	job->graph->facts &= ~CG_TIMELINE;
	if (flag)
		return cg_usage(job,
		    "{root-by} drops the order of time, which {%s} needs",
		    flag);
	if (job->strict)
		return cg_lacks(job, "{root-by} drops the order of time");
	cg_warn(job, "{root-by} drops the order of time");
	return CG_OK;
}

/*
 * Turns labels into frames (--root-by), and drops others that the output
 * format cannot represent. Their loss is noted here, and sets *lost to
 * CG_LABELS, else unchanged. With --strict the caller reports it instead.
 * Returns the status.
 */
int
cg_job_convert_labels(
    struct cg_job *job, const struct cg_module *to, cg_facts *lost)
{
	const struct cg_roots roots = cg_job_roots(job, to);
	struct cg_graph *graph = job->graph;
	bool labelled = graph->label_sets > 0;
	const struct cg_ability can = cg_target_ability(job, to);
	bool timed = graph->tracks > 0 && (can.carries & CG_TIMELINE);
	bool drop = labelled && !(can.carries & CG_LABELS), joined = false;
	bool rooted =
	    graph->stacks > 0 && roots.count > 0 && (labelled || !roots.usual);
	int status = CG_OK;

	if (drop && cg_labels_tell_loss(graph, &roots, job->strict))
		*lost = CG_LABELS;
	if (drop || rooted)
		status = root_stacks(job, &roots, drop, &joined);
	if (status == CG_OK && rooted && timed && !roots.usual)
		status = tell_untimed(job, can.flag);
	if (status == CG_OK && drop && joined &&
	    cg_tell_joined(graph->diag, job->strict, job->verbose))
		return CG_ELOSS;
	if (status == CG_OK && drop && roots.count == 0)
		status = cg_stacks_unlabel(&job->build);
	return status;
}

/*
 * Facts that an empty profile lacks, such as the profile of a lock that was
 * never contended.
 */
#define EMPTY_LACKS (CG_SELF | CG_STACKS | CG_CALLS)

bool
cg_is_empty(const struct cg_graph *graph)
{
	return graph->events > 0 &&
	       (cg_graph_facts(graph) & (EMPTY_LACKS | CG_LINES)) == 0;
}

/*
 * Fails if an option of the output format needs a timeline and the input has
 * none. Called before stacks are estimated, as those have no times. Returns
 * the status.
 */
static int
check_flag(struct cg_job *job, const struct cg_module *to,
    const struct cg_ability *can)
{
	cg_facts missing = can->needs & ~to->needs & ~job->graph->facts;

	if (!(missing & CG_TIMELINE))
		return CG_OK;
	return cg_lacks(job,
	    "{%s} needs samples or calls with times; the input has none",
	    can->flag);
}

int
cg_derive(struct cg_job *job, const struct cg_module *to)
{
	struct cg_graph *graph = job->graph;
	const struct cg_ability can = cg_target_ability(job, to);
	cg_facts missing, lost, labels = 0;
	char text[FACTS_ROOM];
	uint64_t levels;
	int status = cg_job_get_levels(job, to, &levels);

	/* Drop an estimate for another target. */
	if (status == CG_OK)
		status = cg_drop_guess(graph);
	if (status == CG_OK)
		status = report_dropped(job, to);
	if (status == CG_OK)
		status = cg_job_convert_labels(job, to, &labels);
	if (status == CG_OK)
		status = check_flag(job, to, &can);
	if (status != CG_OK)
		return status;

	/* Check this before folding, which drops the stacks. */
	lost = cg_graph_facts(graph) & ~can.carries &
	       (CG_STACKS | CG_INLINING | CG_SAMPLES);
	status = derive_facts(job, can.needs, can.carries, levels);
	if (status != CG_OK)
		return status;
	if (to->needs & CG_STACKS)
		status = cg_need_stacks(job, to->name);
	if (status != CG_OK)
		return status;
	missing = can.needs & ~cg_graph_facts(graph) & ~CG_INCL;
	if (missing && (!cg_is_empty(graph) || (missing & ~EMPTY_LACKS)))
		return cg_lacks(job, "%s needs %s; %s%s", to->name,
		    list_facts(missing, text, sizeof(text)),
		    job->emptied ? job->emptied : "the input has",
		    job->emptied ? " left none" : " none");
	if (missing && !job->emptied)
		cg_warn(job, "the input has no costs: the output is empty");
	lost |= labels | (cg_graph_facts(graph) & ~can.carries);
	return report_loss(job, to, lost);
}
