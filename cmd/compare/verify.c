/*
 * verify.c - --verify A B: compares two profiles and reports differences.
 *
 * Compares only what both formats can represent. What one of them cannot
 * represent is listed, but is not a difference.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* ---- Reading ------------------------------------------------------------ */

/*
 * Returns the facts (kinds of data) that the profile could have: those that
 * its format can represent, those found, and those derived from stacks. A
 * format that is only read represents what was found.
 */
static cg_facts
representable_facts(const struct profile *profile)
{
	cg_facts facts =
	    profile->format->write ? profile->format->carries : profile->found;

	if ((facts | profile->found) & CG_STACKS)
		facts |= CG_CALLS | CG_INCL;
	/*
	 * Labels of threads are made by the library, not read from the
	 * profile.
	 */
	if (profile->format->write && !(facts & CG_LABELS))
		return facts | (profile->found & ~CG_LABELS);
	return facts | profile->found;
}

static int
read_profile(struct verify *v, int s, const char *path)
{
	struct profile *profile = &v->profile[s];
	int status;

	if (profile->job == NULL)
		return cg_nomem(v->args->job);
	status = open_profile(profile, path);
	if (status == CG_OK)
		profile->can_represent = representable_facts(profile);
	return status;
}

/*
 * Returns the deepest level of recursion in the names of functions, a number
 * after the last apostrophe: 3 if one is "f'3"; 1: no name has a level.
 */
static uint64_t
deepest_level(const struct cg_graph *graph)
{
	uint64_t deepest = 1, level;

	for (cg_fn fn = 1; fn <= cg_fn_count(graph); fn++) {
		struct cg_slice name = cg_fn_name(graph, fn);
		size_t at = name.len;

		while (at > 0 && name.ptr[at - 1] >= '0' &&
		       name.ptr[at - 1] <= '9')
			at--;
		if (at < 2 || name.ptr[at - 1] != '\'')
			continue;
		name.ptr += at;
		name.len -= at;
		if (cg_take_u64(&name, &level) && level > deepest)
			deepest = level;
	}
	return deepest;
}

static enum inclusive
find_inclusive(const struct verify *v, const struct common *event)
{
	bool by_counts[2], stated = false;

	for (int s = 0; s < 2; s++) {
		const struct profile *profile = &v->profile[s];
		enum cg_incl incl =
		    cg_get_event(profile->graph, event->column[s])->incl;

		if (incl == CG_INCL_NONE)
			return INCLUSIVE_NONE;
		by_counts[s] = incl == CG_INCL_BY_COUNTS;
		stated |= !by_counts[s] &&
			  (profile->found & (CG_INCL | CG_STACKS)) != 0;
	}
	if (!by_counts[0] && !by_counts[1])
		return INCLUSIVE_EXACT;
	return stated ? INCLUSIVE_UNSURE : INCLUSIVE_ROUNDED;
}

/*
 * Sets for each event how its inclusive costs are compared: exactly, up to
 * rounding or not. Must be called before cg_job_derive(), which replaces
 * numbers of calls by costs.
 */
static void
find_inclusives(struct verify *v)
{
	for (size_t e = 0; e < v->events; e++)
		v->event[e].inclusive = find_inclusive(v, &v->event[e]);
}

/*
 * Derives calls and inclusive costs of profile s from its stacks, and sets its
 * rows. If the other profile has no stacks, recursion gets levels ("f'2") as
 * deep as in that profile's names. Returns the status.
 */
static int
derive_profile(struct verify *v, int s)
{
	struct profile *profile = &v->profile[s];
	const struct profile *other = &v->profile[1 - s];
	int status;

	if ((profile->found & CG_STACKS) && !(other->found & CG_STACKS))
		cg_job_set_levels(profile->job, deepest_level(other->graph));
	status = cg_job_derive(profile->job, CG_INCL | CG_CALLS);
	if (status != CG_OK)
		return status;
	profile->rows = cg_rows_new(profile->graph);
	return cg_job_status(profile->job);
}

/*
 * Reports each event that only one profile has. The event is a difference if
 * it has costs there, and the other profile could have it. The other profile
 * could have it if its format can represent several events, or if it has no
 * event at all.
 */
static void
compare_events(struct verify *v)
{
	for (int s = 0; s < 2; s++) {
		const struct cg_graph *graph = v->profile[s].graph;
		const struct profile *other = &v->profile[1 - s];
		bool could = (other->can_represent & CG_EVENTS) ||
			     cg_event_count(other->graph) == 0;

		for (size_t i = 0; i < cg_event_count(graph); i++) {
			size_t e = 0;

			while (e < v->events && v->event[e].column[s] != i)
				e++;
			if (e == v->events)
				report_event(v, s, i,
				    could && cg_event_has_costs(graph, i));
		}
	}
}

/*
 * Reports each event of both profiles whose units differ. A format may have no
 * units, so a missing unit is a difference only if both profiles have the same
 * format.
 */
static void
compare_units(struct verify *v)
{
	bool alike = v->profile[0].format == v->profile[1].format;

	for (size_t e = 0; e < v->events; e++) {
		const char *unit[2];

		for (int s = 0; s < 2; s++)
			unit[s] = cg_get_event(
			    v->profile[s].graph, v->event[e].column[s])
				      ->unit;
		if (strcmp(unit[0], unit[1]) != 0)
			report_unit(
			    v, e, unit, alike || (*unit[0] && *unit[1]));
	}
}

/*
 * Returns true if the profile can have lines but no calls, as in coverage
 * formats. In such formats a line belongs to a file. The reader only guesses
 * to which function the line belongs.
 */
static bool
has_lines_of_files(const struct profile *profile)
{
	return (profile->can_represent & (CG_LINES | CG_CALLS)) == CG_LINES;
}

static void
report_labels(struct verify *v)
{
	for (size_t i = 0; i < v->label.n; i++) {
		const struct label_difference *at = &v->label.at[i];
		const struct where where = { .group = SIZE_MAX,
			.label = &at->label };

		report_difference(v, DIFF_LABEL, &where, at->event, at->value);
	}
}

static int
compare(struct verify *v)
{
	int status;

	v->common = v->profile[0].can_represent & v->profile[1].can_represent;
	/* Inclusive costs follow from calls. */
	if (v->common & CG_CALLS)
		v->common |= CG_INCL;
	for (int s = 0; s < 2; s++)
		v->of_files[s] = has_lines_of_files(&v->profile[s]);
	v->by_file =
	    (v->common & CG_LINES) && (v->of_files[0] || v->of_files[1]);
	/*
	 * Calls derived from stacks count samples, whose number stack formats
	 * lack.
	 */
	v->counts = !(v->profile[0].found & v->profile[1].found & CG_STACKS);
	if (!match_functions(v))
		return cg_nomem(v->args->job);
	report_head(v);
	compare_events(v);
	compare_units(v);
	status = compare_all(v);
	if (status == CG_OK && !compare_regions(v))
		status = cg_nomem(v->args->job);
	report_labels(v);
	for (size_t i = 0; i < v->time.n; i++)
		report_time(v, &v->time.at[i]);
	report_end(v, status == CG_OK);
	if (v->no_memory)
		return cg_nomem(v->args->job);
	if (status == CG_OK && sum_differences(v) > 0)
		status = CG_EINPUT;
	return status;
}

int
verify(struct args *args)
{
	struct verify v = { .args = args };
	int status = CG_OK;

	if (args->inputs != 2)
		return cg_usage(args->job, "--verify needs two files");
	cg_job_set_identity(args->job, CG_IDENTITY_ALL);
	v.profile[0].job = args->job;
	v.profile[1].job = cg_job_clone(args->job);
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = read_profile(&v, s, args->input[s]);
	/*
	 * Adds the root frames (--root-by) that the other's format has by
	 * default.
	 */
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = cg_job_root(v.profile[s].job, v.profile[1 - s].format);
	if (status == CG_OK &&
	    (!match_events(&v) || !match_labels(&v) || !match_times(&v)))
		status = cg_nomem(args->job);
	find_inclusives(&v);
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = derive_profile(&v, s);
	if (status == CG_OK)
		status = compare(&v);
	/* Skipped inputs were not compared; main() checks only the job of A. */
	if (status == CG_OK && cg_job_skipped(v.profile[1].job))
		status = CG_EINPUT;
	for (int s = 0; s < 2; s++)
		close_profile(&v.profile[s]);
	cg_job_free(v.profile[1].job);
	return status;
}
