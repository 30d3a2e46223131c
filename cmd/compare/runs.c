/*
 * runs.c - reads runs before and after a change, each with a job of its own,
 * which is freed before the next one is read. What stays is a vector of costs:
 * memory grows with functions times runs, not with stacks.
 *
 * Functions match as in --diff of two profiles. The runs after are read first,
 * as their names are shown.
 */
#include <stdlib.h>
#include <string.h>

#include "noise.h"

/* ---- The event ----------------------------------------------------------- */

bool
is_exact_event(const struct cg_graph *graph, size_t event)
{
	/*
	 * Callgrind and Cachegrind count what a simulated CPU executes; see
	 * their manuals, "--cache-sim" and "--branch-sim".
	 */
	static const char *const exact[] = { "Ir", "Dr", "Dw", "I1mr", "D1mr",
		"D1mw", "ILmr", "DLmr", "DLmw", "Bc", "Bcm", "Bi", "Bim" };
	const struct cg_event *wanted = cg_get_event(graph, event);

	if (wanted->incl == CG_INCL_NONE)
		return true; /* coverage */
	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++) {
		if (strcmp(wanted->name, exact[i]) == 0)
			return true;
	}
	return false;
}

static double
cost_of(const struct cg_graph *graph, size_t event, uint64_t cost)
{
	return cg_get_event(graph, event)->is_signed ? (double)(int64_t)cost
						     : (double)cost;
}

/*
 * Returns the event's total over all parts of the profile (threads,
 * processes).
 */
static double
total_of(const struct cg_graph *graph, size_t event)
{
	double total = 0;

	for (cg_part part = 0; part < cg_part_count(graph); part++)
		total +=
		    cost_of(graph, event, cg_part_totals(graph, part)[event]);
	return total;
}

double
count_samples(const struct cg_graph *graph, size_t event)
{
	const char *name = cg_get_event(graph, event)->name;
	size_t counter = cg_find_event(graph, "samples"), i = 0;
	struct cg_stack_cost stack;
	double samples = 0;

	if (is_exact_event(graph, event))
		return 0;
	/* perf script without periods has events such as samples:cycles. */
	if (strcmp(name, "samples") == 0 || strncmp(name, "samples:", 8) == 0)
		return total_of(graph, event);
	if (counter < cg_event_count(graph))
		return total_of(graph, counter);
	if (!(cg_graph_facts(graph) & CG_SAMPLES))
		return 0;
	while (cg_next_stack(graph, CG_ALL_PARTS, &i, &stack)) {
		if (event < stack.n && stack.cost[event] != 0)
			samples += (double)stack.samples;
	}
	return samples;
}

/* ---- Runs that belong together ------------------------------------------- */

/*
 * Returns the base name of the program that all parts of the profile (threads,
 * processes) ran, in memory of the job; NULL: unknown, or several programs.
 */
static const char *
program_of(const struct noise *noise, const struct cg_graph *graph)
{
	struct cg_slice first = { "", 0 };
	char *name;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		struct cg_slice word = cg_slice(cg_get_part(graph, part)->cmd);

		word.len = strcspn(word.ptr, " ");
		word = cg_base_name(word);
		if (part > 0 && cg_compare(first, word) != 0)
			return NULL;
		first = word;
	}
	name = first.len > 0 ? cg_alloc(noise->args->job, first.len + 1) : NULL;
	if (name != NULL)
		memcpy(name, first.ptr, first.len);
	return name;
}

static char *
copy_text(const struct noise *noise, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = cg_alloc(noise->args->job, size);

	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

/*
 * Sets the event that is compared in all runs, from the first run: --event, or
 * its main event; also its unit and the program. Returns the status.
 */
static int
choose_event(struct noise *noise, const struct cg_graph *graph)
{
	const char *wanted = noise->args->event;
	size_t event = wanted != NULL ? cg_find_event(graph, wanted)
				      : cg_main_event(graph);

	if (event >= cg_event_count(graph))
		return cg_usage(noise->args->job,
		    "--event: expected an event of all runs (see --info), not "
		    "'%s'",
		    wanted != NULL ? wanted : "");
	noise->event = copy_text(noise, cg_get_event(graph, event)->name);
	noise->unit = copy_text(noise, cg_get_event(graph, event)->unit);
	noise->program = program_of(noise, graph);
	noise->exact = is_exact_event(graph, event);
	return noise->event && noise->unit ? CG_OK : cg_nomem(noise->args->job);
}

/*
 * Sets *event to the event's index in a run, and checks that the run can be
 * compared with the first one: same unit, same program. Returns the status.
 */
static int
check_run(const struct noise *noise, const struct run *run,
    const struct cg_graph *graph, size_t *event)
{
	const char *first = noise->run[0].path;
	const char *program = program_of(noise, graph), *unit;

	*event = cg_find_event(graph, noise->event);
	if (*event == cg_event_count(graph))
		return cg_fail(noise->args->job,
		    "%s has no event %s, which %s has (--event names another)",
		    run->path, noise->event, first);
	unit = cg_get_event(graph, *event)->unit;
	if (strcmp(unit, noise->unit) != 0)
		return cg_fail(noise->args->job,
		    "event %s has the unit '%s' in %s, '%s' in %s",
		    noise->event, unit, run->path, noise->unit, first);
	if (program && noise->program && strcmp(program, noise->program) != 0)
		return cg_fail(noise->args->job,
		    "%s is a run of %s, %s is a run of %s", run->path, program,
		    first, noise->program);
	return CG_OK;
}

/* ---- Costs --------------------------------------------------------------- */

/*
 * Sets run->cost to the self and inclusive costs in the run (one of several
 * profiles), by the functions of noise->graph, which unites those of all runs.
 * Returns the status.
 */
static int
sum_run(struct noise *noise, struct run *run, const struct profile *profile,
    size_t event)
{
	const struct cg_graph *graph = profile->graph;
	struct cg_job *job = noise->args->job;

	run->fns = cg_fn_count(noise->graph) + 1;
	run->cost = cg_alloc(job, run->fns * KEYS * sizeof(*run->cost));
	if (run->cost == NULL)
		return cg_nomem(job);
	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		double *to =
		    &run->cost[(size_t)cg_job_diff_fn(job, 0, fn) * KEYS];

		to[SELF] += cost_of(
		    graph, event, cg_sum_self(profile->sums, fn, event));
		to[INCLUSIVE] += cost_of(
		    graph, event, cg_sum_inclusive(profile->sums, fn, event));
	}
	return CG_OK;
}

/*
 * Takes what is needed of a profile that was read into run: total, number of
 * samples and costs of functions. The profile can be freed then. Returns the
 * status.
 */
static int
take_run(struct noise *noise, struct run *run, struct profile *profile)
{
	size_t event = 0;
	int status =
	    noise->event != NULL ? CG_OK : choose_event(noise, profile->graph);

	if (status == CG_OK)
		status = check_run(noise, run, profile->graph, &event);
	if (status != CG_OK)
		return status;
	run->format = profile->format->name;
	run->total = total_of(profile->graph, event);
	run->samples = count_samples(profile->graph, event);
	noise->inclusive |=
	    (profile->found & (CG_CALLS | CG_STACKS | CG_INCL)) != 0;
	status = cg_job_derive(profile->job, CG_INCL | CG_CALLS);
	if (status == CG_OK)
		status =
		    cg_job_unite(noise->args->job, profile->job, &noise->graph);
	if (status != CG_OK)
		return status;
	profile->sums = cg_sums_of(profile->graph, CG_ALL_PARTS, event, 1);
	if (profile->sums == NULL)
		return cg_job_status(profile->job);
	return sum_run(noise, run, profile, event);
}

/*
 * Reads the profile at path as the next run, noise->run[noise->runs], and
 * counts it if it could be read. side: BEFORE or AFTER. Returns the status;
 * with --partial, CG_OK for a run that was skipped.
 */
static int
read_run(struct noise *noise, const char *path, int side)
{
	struct profile profile = { .job = cg_job_clone(noise->args->job) };
	struct run *run = &noise->run[noise->runs];
	int status = CG_ELIMIT;

	*run = (struct run){ .path = path, .side = side };
	if (profile.job == NULL)
		return cg_nomem(noise->args->job);
	/* --partial is about runs here: each is complete. */
	cg_job_set_partial(profile.job, false);
	cg_job_set_sums_only(profile.job, true);
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

	noise->run =
	    cg_alloc(args->job, (args->inputs + 1) * sizeof(*noise->run));
	if (noise->run == NULL)
		return cg_nomem(args->job);
	for (size_t i = split; status == CG_OK && i < args->inputs; i++)
		status = read_run(noise, args->input[i], AFTER);
	for (size_t i = 0; status == CG_OK && i < split; i++)
		status = read_run(noise, args->input[i], BEFORE);
	for (int s = BEFORE; status == CG_OK && s <= AFTER; s++) {
		if (noise->count[s] == 0)
			status = cg_fail(args->job, "no run %s could be read",
			    s == BEFORE ? "before" : "after");
	}
	return status;
}
