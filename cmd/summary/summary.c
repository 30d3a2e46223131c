/*
 * summary.c - --summary: reads coverage, prints how much was covered, and
 * fails if that is below --fail-under.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "summary.h"

/* ---- Limits -------------------------------------------------------------- */

/* In units of 0.001 percent. */
#define DIGITS 3
#define WHOLE ((uint64_t)100000)

struct limits {
	struct cg_slice text[METRICS]; /* empty: no limit */
	uint64_t limit[METRICS];
};

/*
 * Parses a limit of --fail-under, "lines=80", "lines=80%" or "80", which means
 * lines, into limits, in units of 0.001 percent. False: it is none of these,
 * above 100, or the metric has a limit already.
 */
static bool
take_limit(struct cg_slice text, struct limits *limits)
{
	struct cg_slice name, number;
	size_t i = 0;

	/* A percentage alone limits lines. */
	if (!memchr(text.ptr, '=', text.len))
		name = cg_slice(metric_name[LINES]);
	else
		(void)cg_take_until(&text, '=', &name);
	if (text.len > 0 && text.ptr[text.len - 1] == '%')
		text.len--;
	while (i < METRICS && !cg_equal(name, metric_name[i]))
		i++;
	if (i == METRICS || limits->text[i].len > 0)
		return false;
	number = limits->text[i] = text;
	return cg_take_fixed(&number, DIGITS, &limits->limit[i]) &&
	       number.len == 0 && limits->limit[i] <= WHOLE;
}

static int
parse_limits(const struct args *args, struct limits *limits)
{
	struct cg_slice rest = cg_slice(args->fail_under), one;

	while (cg_take_until(&rest, ',', &one)) {
		if (take_limit(one, limits))
			continue;
		return cg_usage(args->job,
		    "--fail-under: expected percentages of lines, functions, "
		    "branches, conditions or regions, such as 80 or "
		    "lines=80,branches=70, not '%s'",
		    args->fail_under);
	}
	return CG_OK;
}

/*
 * Returns true if a metric's limit, in units of 0.001 percent, is met, also if
 * nothing was found. But without any line, no test has run: a limit of lines
 * above 0 fails, unless --patch selects lines.
 */
static bool
is_met(const struct summary *summary, size_t metric, uint64_t limit)
{
	const struct cg_hits *hits = &summary->total.hits[metric];

	if (hits->found == 0)
		return metric != LINES || limit == 0 ||
		       cg_job_option(summary->args->job, CG_PATCH_OPTION);
	return hits->hit * WHOLE >= limit * hits->found;
}

/*
 * Reports each limit of --fail-under that is not met as an error. Returns
 * EXIT_BELOW if there are any, else CG_OK.
 */
static int
check_limits(const struct summary *summary, const struct limits *limits)
{
	int status = CG_OK;

	for (size_t i = 0; i < METRICS; i++) {
		const struct cg_hits *hits = &summary->total.hits[i];
		struct cg_message message = { .severity = CG_ERROR };
		char text[256], rate[AMOUNT_ROOM];

		if (limits->text[i].len == 0 ||
		    is_met(summary, i, limits->limit[i]))
			continue;
		snprintf(text, sizeof(text),
		    "%s: %s covered (%" PRIu64 " of %" PRIu64
		    "), --fail-under wants %.*s%%",
		    metric_name[i], rate_text(rate, hits), hits->hit,
		    hits->found, (int)limits->text[i].len, limits->text[i].ptr);
		message.text = text;
		put_message(stderr, &message);
		status = EXIT_BELOW;
	}
	return status;
}

/* ---- The command --------------------------------------------------------- */

static int
find_event(const struct args *args, const struct cg_graph *graph, size_t *event)
{
	const char *name = args->event != NULL ? args->event : COVERAGE_EVENT;

	*event = cg_find_event(graph, name);
	if (is_coverage(graph, *event))
		return CG_OK;
	if (args->event != NULL)
		return cg_usage(args->job,
		    "--event: expected an event of the input (see --info), "
		    "not '%s'",
		    args->event);
	return cg_lacks(
	    args->job, "--summary needs coverage; the input has none");
}

/*
 * Returns true if a file is outside of a directory. "directory" is absolute.
 * An absolute path is outside unless it is below the directory. A relative
 * path is outside if it begins with "../". --no-external drops the same files.
 */
static bool
is_outside(struct cg_slice path, const char *directory)
{
	if (!cg_starts(path, "/"))
		return cg_starts(path, "../");
	return !cg_take_prefix(&path, directory) || !cg_starts(path, "/");
}

/*
 * Prints a note if some, but not all files are outside of the working
 * directory. System headers are easily counted by mistake. Prints none with
 * --quiet, or if options select the files.
 */
static void
note_outside(const struct summary *summary)
{
	struct cg_message note = { .severity = CG_NOTE };
	char directory[PATH_MAX], text[PATH_MAX + 100];
	size_t outside = 0;

	if (summary->args->quiet || summary->args->selects_files ||
	    getcwd(directory, sizeof(directory)) == NULL)
		return;
	for (size_t i = 0; i < summary->file.n; i++)
		outside += is_outside(summary->file.at[i].path, directory);
	if (outside == 0 || outside == summary->file.n)
		return;
	snprintf(text, sizeof(text),
	    "%zu of %zu files are outside of %s; --no-external drops them",
	    outside, summary->file.n, directory);
	note.text = text;
	put_message(stderr, &note);
}

static int
print(struct summary *summary)
{
	const struct args *args = summary->args;

	if (args->json)
		return print_json(summary) ? CG_OK : cg_nomem(args->job);
	if (args->badge)
		print_badge(summary);
	else if (args->markdown)
		print_markdown(summary);
	else
		print_text(summary);
	return CG_OK;
}

static int
summarize(struct summary *summary, const struct cg_graph *graph,
    const struct limits *limits)
{
	size_t event;
	int status = find_event(summary->args, graph, &event);
	bool ok;

	if (status == CG_OK)
		status = cg_job_exclude_marked(summary->args->job);
	if (status != CG_OK)
		return status;
	ok = count_coverage(summary, graph, event) &&
	     (!summary->args->per_test || count_tests(summary, graph, event));
	/* A sum that is too large ends the rows of its function. */
	status = cg_job_status(summary->args->job);
	if (!ok || status != CG_OK)
		return status != CG_OK ? status : cg_nomem(summary->args->job);
	note_outside(summary);
	rank_files(summary);
	if (summary->shown > summary->file.n)
		summary->shown = summary->file.n;
	status = print(summary);
	return status == CG_OK ? check_limits(summary, limits) : status;
}

static int
check_form(const struct args *args)
{
	if (args->json + args->badge + args->markdown <= 1)
		return CG_OK;
	return cg_usage(args->job,
	    "--summary prints one form only: choose one of its options");
}

int
show_coverage(struct args *args)
{
	struct summary summary = { .args = args };
	struct limits limits = { 0 };
	const struct cg_graph *graph;
	int status = check_form(args);

	if (status == CG_OK && args->fail_under != NULL)
		status = parse_limits(args, &limits);
	if (status == CG_OK)
		status = parse_top(
		    args, args->json ? SIZE_MAX : TOP_DEFAULT, &summary.shown);
	if (status == CG_OK)
		status = read_coverage(args, &graph);
	if (status == CG_OK)
		status = summarize(&summary, graph, &limits);
	return status;
}
