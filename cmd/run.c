/*
 * run.c - one of several runs that belong together: its event, its total, its
 * costs by function.
 *
 * Functions match as in --diff of two profiles: cg_job_unite().
 */
#include <math.h>
#include <string.h>

#include "cmd.h"

#define ERROR_RATE 0.01
#define DIGITS 6 /* of a percentage, after its point */

bool
get_percent(struct cg_slice text, double *share)
{
	uint64_t number;

	if (text.len > 0 && text.ptr[text.len - 1] == '%')
		text.len--;
	if (!cg_take_fixed(&text, DIGITS, &number) || text.len > 0)
		return false;
	*share = (double)number / 1e6 / 100;
	return true;
}

int
parse_error_rate(const struct args *args, double *rate)
{
	const char *text = args->error_rate;

	*rate = ERROR_RATE;
	if (text == NULL ||
	    (get_percent(cg_slice(text), rate) && *rate > 0 && *rate < 1))
		return CG_OK;
	return cg_usage(args->job,
	    "--error-rate: expected a percentage between 0 and 100, such as "
	    "1%%, not '%s'",
	    text);
}

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

struct amount
exact_amount(double value, int rest)
{
	if (!(value >= -0x1p63 && value <= 0x1p64) || value != floor(value))
		return (struct amount){ .known = false };
	if (value < 0)
		return amount_i64((int64_t)value + rest);
	return amount_u64(
	    (value < 0x1p64 ? (uint64_t)value : 0) + (uint64_t)(int64_t)rest);
}

/*
 * Returns the event's total over all parts of the graph. Sets *rest as
 * cost_rest() does; it is 0 if the total does not fit into 64 bits.
 */
static double
total_of(const struct cg_graph *graph, size_t event, int *rest)
{
	bool is_signed = cg_get_event(graph, event)->is_signed;
	double total = 0;
	uint64_t sum = 0;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		uint64_t cost = cg_part_totals(graph, part)[event];

		total += cost_of(graph, event, cost);
		sum += cost;
	}
	*rest = 0;
	if (fabs(total - cost_of(graph, event, sum)) > fabs(total) / 2)
		return total;
	*rest = cost_rest(sum, is_signed);
	return cost_of(graph, event, sum);
}

double
count_samples(const struct cg_graph *graph, size_t event)
{
	const char *name = cg_get_event(graph, event)->name;
	size_t counter = cg_find_event(graph, "samples"), i = 0;
	struct cg_stack_cost stack;
	double samples = 0;
	int rest;

	if (is_exact_event(graph, event))
		return 0;
	/* perf script without periods has events such as samples:cycles. */
	if (strcmp(name, "samples") == 0 || strncmp(name, "samples:", 8) == 0)
		return total_of(graph, event, &rest);
	if (counter < cg_event_count(graph))
		return total_of(graph, counter, &rest);
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
 * Returns the base name of the program that all parts ran, in memory of the
 * job; NULL: unknown, or several programs.
 */
static const char *
program_of(struct cg_job *job, const struct cg_graph *graph)
{
	struct cg_slice first = { "", 0 };

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		struct cg_slice word = cg_slice(cg_get_part(graph, part)->cmd);

		word.len = strcspn(word.ptr, " ");
		word = cg_base_name(word);
		if (part > 0 && cg_compare(first, word) != 0)
			return NULL;
		first = word;
	}
	return first.len > 0 ? copy_text(job, first) : NULL;
}

/*
 * Chooses the event to compare, in the first run, and sets *common: the
 * event's name and unit, whether it is exact, and the path and program of the
 * run. Texts are in memory of the job. Returns the status.
 */
static int
choose_event(
    const struct args *args, struct common_event *common, const struct run *run)
{
	size_t event = args->event != NULL
			   ? cg_find_event(run->graph, args->event)
			   : cg_main_event(run->graph);
	const struct cg_event *chosen;

	if (event >= cg_event_count(run->graph))
		return cg_usage(args->job,
		    "--event: expected an event of all runs (see --info), not "
		    "'%s'",
		    args->event != NULL ? args->event : "");
	chosen = cg_get_event(run->graph, event);
	common->name = copy_text(args->job, cg_slice(chosen->name));
	common->unit = copy_text(args->job, cg_slice(chosen->unit));
	common->first = copy_text(args->job, cg_slice(run->path));
	common->program = program_of(args->job, run->graph);
	common->exact = is_exact_event(run->graph, event);
	return common->name && common->unit && common->first
		   ? CG_OK
		   : cg_nomem(args->job);
}

/*
 * Finds the event in a run, sets run->event, and checks that the event has the
 * same unit and the run is of the same program as in the first run. Returns
 * the status.
 */
static int
check_run(struct args *args, const struct common_event *common, struct run *run)
{
	const char *program = program_of(run->job, run->graph), *unit;

	run->event = cg_find_event(run->graph, common->name);
	if (run->event == cg_event_count(run->graph))
		return cg_fail(args->job,
		    "%s has no event %s, which %s has (--event names another)",
		    run->path, common->name, common->first);
	unit = cg_get_event(run->graph, run->event)->unit;
	if (strcmp(unit, common->unit) != 0)
		return cg_fail(args->job,
		    "event %s has the unit '%s' in %s, '%s' in %s",
		    common->name, unit, run->path, common->unit, common->first);
	if (program && common->program && strcmp(program, common->program) != 0)
		return cg_fail(args->job,
		    "%s is a run of %s, %s is a run of %s", run->path, program,
		    common->first, common->program);
	return CG_OK;
}

/* ---- Paths ---------------------------------------------------------------- */

uint32_t
number_path(struct cg_job *job, struct paths *paths, struct cg_slice path)
{
	uint32_t hash = (uint32_t)cg_hash_bytes(paths->key, path.ptr, path.len);
	size_t at = hash;
	uint32_t id;
	char *copy;

	while ((id = cg_slots_next(&paths->ids, hash, &at)) != 0) {
		if (cg_compare(paths->path.at[id - 1], path) == 0)
			return id;
	}
	copy = copy_text(job, path);
	if (copy == NULL || !cg_slots_grow(&paths->ids) ||
	    !cg_append(job, &paths->path, (struct cg_slice){ copy, path.len }))
		return 0;
	id = (uint32_t)paths->path.n;
	cg_slots_fill(&paths->ids, (struct cg_id_slot){ id, hash });
	return id;
}

/* ---- Costs --------------------------------------------------------------- */

int
sum_run(struct args *args, struct common_event *common, struct run *run,
    const struct cg_graph **functions)
{
	const cg_facts calls = CG_CALLS | CG_STACKS | CG_INCL;
	int status =
	    common->name != NULL ? CG_OK : choose_event(args, common, run);

	if (status == CG_OK)
		status = check_run(args, common, run);
	if (status != CG_OK)
		return status;
	run->total = total_of(run->graph, run->event, &run->rest);
	run->samples = count_samples(run->graph, run->event);
	run->has_calls = (cg_graph_facts(run->graph) & calls) != 0;
	status = cg_job_derive(run->job, CG_INCL | CG_CALLS);
	if (status == CG_OK)
		status = cg_job_unite(args->job, run->job, functions);
	if (status != CG_OK)
		return status;
	run->sums = cg_sums_of(run->graph, CG_ALL_PARTS, run->event, 1);
	return run->sums != NULL ? CG_OK : cg_job_status(run->job);
}

uint64_t
run_cost_bits(const struct run *run, cg_fn fn, bool inclusive)
{
	return inclusive ? cg_sum_inclusive(run->sums, fn, run->event)
			 : cg_sum_self(run->sums, fn, run->event);
}

double
run_cost(const struct run *run, cg_fn fn, bool inclusive)
{
	return cost_of(
	    run->graph, run->event, run_cost_bits(run, fn, inclusive));
}

double
event_cost(const struct run *run, uint64_t cost)
{
	return cost_of(run->graph, run->event, cost);
}
