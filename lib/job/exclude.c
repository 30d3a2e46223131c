/*
 * exclude.c - the options that exclude lines from coverage: by markers in
 * sources, by patterns, or by a patch.
 */
#include <limits.h>
#include <unistd.h>

#include "coverage/coverage.h"
#include "job/job.h"

struct sources {
	struct cg_job *job;
	struct cg_markers markers;
	size_t found, missing; /* sources */
	size_t external; /* missing sources outside of the working directory */
};

/* ---- Sources ------------------------------------------------------------- */

/*
 * True if the file's source need not be scanned for markers, as none of its
 * lines counts in coverage: a patch (--patch) changes none, or the rules
 * (--include, --exclude, --root) do not keep it.
 */
static bool
is_out(const struct sources *scan, cg_file file)
{
	const struct cg_graph *graph = scan->job->graph;
	const struct cg_excluded_range *range =
	    graph->unchanged ? cg_excluded_find(graph->unchanged, file, 0)
			     : NULL;

	return (range && range->last == UINT32_MAX) ||
	       !cg_rules_keep(&scan->job->rules, scan->markers.path.ptr);
}

/*
 * True if the source has an absolute path outside of the working directory,
 * which is not searched unless --sources is given; the report of missing
 * sources tells how many there are.
 */
static bool
is_external(const struct sources *scan)
{
	struct cg_slice path = scan->markers.path;
	char cwd[PATH_MAX];

	if (!cg_starts(path, "/") || cg_opt(scan->job, CG_SOURCES_OPTION) ||
	    !getcwd(cwd, sizeof(cwd)))
		return false;
	return !cg_take_prefix(&path, cwd) || !cg_starts(path, "/");
}

/*
 * Finds the lines that markers and patterns in the file's source exclude from
 * coverage, and counts the source as found or missing. A missing source is no
 * error. Does not open the source if neither markers, patterns nor lines
 * without code are searched for, the file has no path, or none of its lines
 * counts. False: out of memory, or an error (reported).
 */
static bool
scan_file(struct sources *scan, cg_file file)
{
	struct cg_slice path = cg_file_path(scan->job->graph, file);
	struct cg_in *in = NULL;
	bool ok;

	cg_markers_begin(&scan->markers, file, path);
	if (!cg_markers_read(&scan->markers) || path.len == 0 ||
	    is_out(scan, file))
		return true;
	if (!cg_open_source(scan->job, scan->job->graph, file, true, &in))
		return false;
	if (!in) {
		scan->missing++;
		scan->external += is_external(scan);
		return true;
	}
	scan->found++;
	ok = cg_markers_scan(&scan->markers, in);
	cg_close_companion(scan->job, in);
	return ok;
}

static int
scan_files(struct sources *scan, bool internal_fns)
{
	size_t files = cg_file_count(scan->job->graph) + 1;
	struct cg_excluded *excluded = cg_excluded_new(files);
	bool ok = true;

	scan->markers.excluded = scan->job->graph->excluded = excluded;
	if (!excluded)
		return cg_nomem(scan->job);
	excluded->internal_fns = internal_fns;
	scan->markers.fns.graph = scan->job->graph;
	for (cg_file file = 0; ok && file < files; file++)
		ok = scan_file(scan, file);
	if (!ok)
		return cg_nomem(scan->job);
	/* If some sources are found, system headers are not expected to be. */
	if (scan->found > 0)
		scan->missing -= scan->external;
	if (scan->missing > 0 && !scan->job->told)
		cg_note(scan->job,
		    "%zu of %zu source%s not found: markers in them are "
		    "unknown; name their directory with {sources}",
		    scan->missing, scan->missing + scan->found,
		    scan->missing + scan->found == 1 ? "" : "s");
	return scan->job->errors.fault;
}

/* ---- Options ------------------------------------------------------------- */

static int
read_patterns(struct sources *scan)
{
	static const struct {
		const char *option;
		unsigned what;
	} patterns[CG_PATTERNS] = { { "exclude-lines", CG_EXCLUDE_LINES },
		{ "exclude-branches", CG_EXCLUDE_BRANCHES } };
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && i < CG_PATTERNS; i++) {
		const char *text = cg_opt(scan->job, patterns[i].option);

		if (text)
			status = cg_markers_match(&scan->markers,
			    patterns[i].option, text, patterns[i].what);
	}
	return status;
}

static int
read_options(struct sources *scan)
{
	const struct cg_job *job = scan->job;
	int status =
	    cg_markers_choose(&scan->markers, cg_opt(job, "marker-words"));

	scan->markers.markers = cg_opt_flag(job, CG_MARKERS_OPTION);
	if (cg_opt_flag(job, "exclude-noncode"))
		scan->markers.noncode |= CG_EXCLUDE_UNRUN;
	if (cg_opt_flag(job, "exclude-unreachable-branches"))
		scan->markers.noncode |= CG_EXCLUDE_BRANCHES;
	return status == CG_OK ? read_patterns(scan) : status;
}

static int
exclude_unchanged(struct cg_job *job)
{
	const char *path = cg_opt(job, CG_PATCH_OPTION);
	const struct cg_patch_how how = { .job = job,
		.graph = job->graph,
		.build = &job->build,
		.rules = &job->rules,
		.add = cg_opt_flag(job, CG_MISSING_OPTION),
		.batch = job->root != NULL };
	struct cg_in *in = NULL;
	int status;

	cg_excluded_free(job->graph->unchanged);
	job->graph->unchanged = NULL;
	if (!path && how.add)
		return cg_usage(
		    job, "{" CG_MISSING_OPTION "} applies only with {patch}");
	if (!path)
		return CG_OK;
	status = cg_job_note_file(job, path);
	if (status == CG_OK)
		in = cg_in_open(&job->errors.diag, path, &status);
	if (!in)
		return status;
	status = cg_exclude_unchanged(&how, in);
	cg_in_close(in);
	return status;
}

int
cg_job_exclude_marked(struct cg_job *job)
{
	struct sources scan = { .job = job, .markers = { .job = job } };
	bool internal_fns = cg_opt_flag(job, "exclude-internal-functions");
	int status = cg_job_check_ready(job, job);

	if (status != CG_OK)
		return status;
	job->marked = true;
	cg_excluded_free(job->graph->excluded);
	job->graph->excluded = NULL;
	job->graph->fns_by_name = cg_opt_flag(job, "functions-by-name");
	status = exclude_unchanged(job);
	if (status == CG_OK)
		status = read_options(&scan);
	if (status == CG_OK && (cg_markers_read(&scan.markers) || internal_fns))
		status = scan_files(&scan, internal_fns);
	cg_markers_free(&scan.markers);
	return status;
}
