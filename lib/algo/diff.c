/*
 * diff.c - the difference of two graphs as a graph, or both side by side, for
 * targets without negative costs.
 *
 * Costs of rows, calls and stacks are subtracted row by row. Addresses of two
 * builds cannot be compared and are dropped. Counts of calls cannot be
 * negative: the result has those of the profile after.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/copy.h"

enum { BEFORE, AFTER };
static const char *const suffix[2] = { "_before", "_after" };

#define NAME_MAX_LEN 256 /* maximum length of names of events side by side */
#define FORMULA_MAX 4096

/* ---- Events ------------------------------------------------------------- */

static size_t
find_event(const struct cg_graph *graph, const char *name)
{
	size_t i = 0;

	while (i < graph->events && strcmp(graph->event[i].name, name) != 0)
		i++;
	return i;
}

/*
 * Adds an event that both profiles have, at the columns at[]. It becomes one
 * signed column, or two side by side, recorded in copy[].change. The builder
 * fails if both have units and these differ.
 */
static void
add_event(struct cg_diff *diff, struct cg_copy copy[2], const size_t at[2])
{
	const struct cg_event *before =
	    &diff->profile[BEFORE]->event[at[BEFORE]];
	struct cg_event event = diff->profile[AFTER]->event[at[AFTER]];
	char name[NAME_MAX_LEN], long_name[NAME_MAX_LEN];
	const char *title = *event.long_name ? event.long_name : event.name;

	if (strcmp(before->unit, event.unit) != 0 && *before->unit &&
	    *event.unit) {
		cg_build_fail(&diff->build,
		    "event %s has the unit %s before and %s after", event.name,
		    before->unit, event.unit);
		return;
	}
	if (before->incl == CG_INCL_NONE)
		event.incl = CG_INCL_NONE;
	if (!diff->side_by_side) {
		event.is_signed = true;
		for (int s = 0; s < 2; s++)
			copy[s].change[at[s]].column =
			    cg_add_event(&diff->build, &event);
		copy[BEFORE].change[at[BEFORE]].minus = true;
		return;
	}
	/* Viewers show and sort by the first event, so after comes first. */
	for (int s = AFTER; s >= BEFORE; s--) {
		struct cg_event one = event;

		(void)snprintf(
		    name, sizeof(name), "%s%s", event.name, suffix[s]);
		(void)snprintf(long_name, sizeof(long_name), "%s, %s", title,
		    suffix[s] + 1);
		one.name = name;
		one.long_name = long_name;
		one.is_signed = diff->profile[s]->event[at[s]].is_signed;
		copy[s].change[at[s]].column = cg_add_event(&diff->build, &one);
	}
}

/*
 * Warns of each event that only one of the two profiles has. The graph of
 * their difference does not have that event.
 */
static void
warn_dropped(const struct cg_diff *diff, const struct cg_copy copy[2])
{
	static const char *const where[2] = { "before", "after" };

	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < diff->profile[s]->events; i++)
			if (copy[s].change[i].column == CG_NO_COLUMN)
				cg_diag_say(diff->build.graph->diag, CG_WARNING,
				    NULL,
				    "event %s is only in the profile %s: "
				    "dropped",
				    diff->profile[s]->event[i].name, where[s]);
}

static void
add_events(struct cg_diff *diff, struct cg_copy copy[2])
{
	const struct cg_graph *graph = diff->build.graph;
	size_t at[2], both = 0, width = diff->side_by_side ? 2 : 1;

	for (at[AFTER] = 0; at[AFTER] < diff->profile[AFTER]->events;
	     at[AFTER]++) {
		at[BEFORE] = find_event(diff->profile[BEFORE],
		    diff->profile[AFTER]->event[at[AFTER]].name);
		if (at[BEFORE] == diff->profile[BEFORE]->events)
			continue;
		add_event(diff, copy, at);
		both++;
	}
	if (both == 0)
		cg_build_fail(&diff->build,
		    "the profiles have no event in common: %s before, %s after",
		    diff->profile[BEFORE]->events
			? diff->profile[BEFORE]->event[0].name
			: "none",
		    diff->profile[AFTER]->events
			? diff->profile[AFTER]->event[0].name
			: "none");
	else if (graph->events != both * width)
		cg_build_fail(&diff->build,
		    "names of events already end in %s and %s", suffix[BEFORE],
		    suffix[AFTER]);
	if (diff->build.status == CG_OK)
		warn_dropped(diff, copy);
}

/* ---- Inherited events ---------------------------------------------------- */

/*
 * Writes the formula of an inherited event to text, such as "+1 Ir+10 L1m".
 * Each event name gets the suffix `end`. False: it uses a dropped event, is
 * too long, or has only factors of 0.
 */
static bool
put_formula(const struct cg_graph *graph, const struct cg_copy *copy,
    const struct cg_formula *formula, const char *end, char *text, size_t size)
{
	size_t len = 0;

	for (size_t i = 0; i < graph->events && len < size; i++) {
		int64_t factor = formula->factor[i];

		if (factor == 0)
			continue;
		if (copy->change[i].column == CG_NO_COLUMN)
			return false;
		len += (size_t)snprintf(text + len, size - len,
		    "%c%" PRIu64 " %s%s", factor < 0 ? '-' : '+',
		    factor < 0 ? 0 - (uint64_t)factor : (uint64_t)factor,
		    graph->event[i].name, end);
	}
	return len > 0 && len < size;
}

/*
 * Adds the inherited events of a profile to the difference. Formulas are
 * linear, so they apply to differences. Names get the suffix `end`. Formulas
 * that put_formula() cannot write are skipped.
 */
static void
add_formulas(struct cg_diff *diff, const struct cg_copy *copy, const char *end)
{
	char name[NAME_MAX_LEN], text[FORMULA_MAX];

	for (size_t i = 0; i < copy->from->formulas; i++) {
		const struct cg_formula *formula = &copy->from->formula[i];
		struct cg_event event = formula->event;

		if (!put_formula(
			copy->from, copy, formula, end, text, sizeof(text)))
			continue;
		(void)snprintf(name, sizeof(name), "%s%s", event.name, end);
		event.name = name;
		event.formula = text;
		cg_add_formula(&diff->build, &event);
	}
}

/* ---- Sums --------------------------------------------------------------- */

/*
 * Sets *sum to the sum of an event's self costs over all parts (threads,
 * processes). False: the sum overflows, is not positive or exceeds INT64_MAX,
 * so costs cannot be scaled by it.
 */
static bool
sum_event(const struct cg_graph *graph, size_t event, uint64_t *sum)
{
	*sum = 0;
	for (cg_part part = 0; part < graph->parts; part++) {
		if (!cg_add_value(
			graph, event, sum, cg_part_totals(graph, part)[event]))
			return false;
	}
	return *sum > 0 && *sum <= INT64_MAX;
}

/* Makes a factor n times smaller: exactly, unless costs are near INT64_MAX. */
static void
divide(struct cg_change *change, uint64_t n)
{
	uint64_t from;

	if (!__builtin_mul_overflow(change->from, n, &from) &&
	    from <= INT64_MAX)
		change->from = from;
	else
		change->to /= n;
}

/*
 * Sets the factor of each event by which costs of the profile before are
 * multiplied (--normalize). Their sum then equals that of the profile after.
 * If that merges several runs, it equals the mean of a run. The builder fails
 * if a sum is not from 1 to INT64_MAX.
 */
static void
set_scales(struct cg_diff *diff, struct cg_copy copy[2])
{
	for (size_t i = 0; i < diff->profile[BEFORE]->events; i++) {
		struct cg_change *change = &copy[BEFORE].change[i];
		const char *name = diff->profile[BEFORE]->event[i].name;

		if (change->column == CG_NO_COLUMN)
			continue;
		if (sum_event(diff->profile[BEFORE], i, &change->from) &&
		    sum_event(diff->profile[AFTER],
			find_event(diff->profile[AFTER], name), &change->to)) {
			if (diff->runs[AFTER] > 1)
				divide(change, diff->runs[AFTER]);
			continue;
		}
		cg_build_fail(&diff->build,
		    "event %s cannot be scaled: its sums must be from 1 to "
		    "%" PRId64,
		    name, INT64_MAX);
	}
}

/*
 * Sets the factors by which the costs of profile s become means, if the
 * profile merges several runs of the program. Costs of coverage get no factor:
 * a line that ran in any of these runs counts as covered.
 */
static void
set_means(const struct cg_diff *diff, struct cg_copy copy[2], int s)
{
	for (size_t i = 0; i < diff->profile[s]->events; i++) {
		if (copy[s].change[i].column == CG_NO_COLUMN ||
		    diff->profile[s]->event[i].incl == CG_INCL_NONE)
			continue;
		copy[s].change[i].from = diff->runs[s];
		copy[s].change[i].to = 1;
	}
}

/* ---- Both --------------------------------------------------------------- */

static bool
open_copy(struct cg_copy *copy, struct cg_diff *diff, int s)
{
	*copy = (struct cg_copy){ .from = diff->profile[s],
		.to = &diff->build,
		.changed = true,
		.costs_only = true,
		.no_counts = s == BEFORE || diff->runs[s] > 0 };
	return cg_copy_open(copy);
}

static int
subtract(struct cg_diff *diff, struct cg_copy copy[2])
{
	int status;

	add_events(diff, copy);
	if (diff->side_by_side)
		for (int s = AFTER; s >= BEFORE; s--)
			add_formulas(diff, &copy[s], suffix[s]);
	else
		add_formulas(diff, &copy[AFTER], "");
	for (int s = 0; s < 2; s++) {
		if (diff->runs[s] > 0)
			set_means(diff, copy, s);
	}
	if (diff->normalize)
		set_scales(diff, copy);
	cg_copy_dimensions(&copy[AFTER]);
	for (cg_fn fn = 1; fn < copy[AFTER].from->fns; fn++)
		cg_copy_fn(&copy[AFTER], fn, fn);
	if (!cg_copy_match(&copy[BEFORE], &copy[AFTER]))
		cg_build_nomem(&diff->build);
	status = cg_build_failed(&diff->build, NULL);
	for (int s = AFTER; status == CG_OK && s >= BEFORE; s--)
		status = cg_copy_rows(&copy[s]);
	return status;
}

/*
 * Updates the maps from functions and files of profile s to those of the
 * difference between the profiles. Its graph was replaced by a copy, so each
 * old id is replaced by the id in the copy.
 */
static void
map_again(struct cg_diff *diff, int s, const struct cg_copy *copy)
{
	const struct cg_graph *profile = diff->profile[s];

	for (cg_fn fn = 1; fn < profile->fns; fn++)
		diff->fn[s][fn] = copy->fn[diff->fn[s][fn]];
	for (cg_file file = 1; file < profile->files.count; file++)
		diff->file[s][file] = copy->file[diff->file[s][file]];
}

/*
 * Replaces the graph of the difference by a copy without rows that show no
 * difference. Frees the old graph, unless it cannot be sealed. Also updates
 * the maps from the profiles. Returns the status.
 */
static int
drop_zeros(struct cg_diff *diff)
{
	struct cg_graph *graph = diff->build.graph;
	struct cg_copy copy = { .from = graph, .drop_zeros = true };
	int status = cg_graph_seal(graph);

	if (status != CG_OK)
		return status;
	cg_build_free(&diff->build);
	cg_build_init(&diff->build, cg_graph_new(graph->diag, graph->fault),
	    CG_PARTS_SUM);
	copy.to = &diff->build;
	if (!diff->build.graph || !cg_copy_open(&copy)) {
		cg_graph_nomem(graph);
		status = CG_ELIMIT;
	} else {
		cg_copy_events(&copy);
		cg_copy_dimensions(&copy);
		for (cg_fn fn = 1; fn < graph->fns; fn++)
			cg_copy_fn(&copy, fn, fn);
		status = cg_copy_rows(&copy);
		for (int s = 0; s < 2; s++)
			map_again(diff, s, &copy);
	}
	cg_copy_close(&copy);
	cg_graph_free(graph);
	return status;
}

int
cg_graph_diff(struct cg_diff *diff)
{
	struct cg_copy copy[2] = { { 0 }, { 0 } };
	bool ok = true;
	int status = CG_ELIMIT;

	for (int s = 0; s < 2; s++)
		ok = open_copy(&copy[s], diff, s) && ok;
	if (ok)
		status = subtract(diff, copy);
	else
		cg_graph_nomem(diff->build.graph);
	for (int s = 0; s < 2; s++) {
		diff->fn[s] = copy[s].fn;
		copy[s].fn = NULL;
		diff->file[s] = copy[s].file;
		copy[s].file = NULL;
		cg_copy_close(&copy[s]);
	}
	return status == CG_OK && !diff->side_by_side ? drop_zeros(diff)
						      : status;
}
