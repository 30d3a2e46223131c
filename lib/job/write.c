/*
 * write.c - writes the graph of a job: opens the output, derives what the target
 * needs, calls the writer, and replaces the output if all went well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "graph/excluded.h"
#include "job/job.h"

/* ---- Where to ----------------------------------------------------------- */

static int
append(void *arg, const char *bytes, size_t n)
{
	struct cg_buffer *to = arg;

	if (!cg_grow_raw(&to->text, &to->cap, to->len + n, 1))
		return ENOMEM;
	memcpy(to->text + to->len, bytes, n);
	to->len += n;
	return 0;
}

void
cg_job_set_output_callback(struct cg_job *job, cg_write_fn *write, void *arg)
{
	job->write = write;
	job->write_arg = arg;
}

void
cg_job_set_output_memory(struct cg_job *job)
{
	cg_job_set_output_callback(job, append, &job->written);
}

struct cg_slice
cg_job_output(const struct cg_job *job)
{
	return (struct cg_slice){ job->written.text, job->written.len };
}

struct cg_out *
cg_gzip_new(struct cg_job *job, cg_write_fn *write, void *arg)
{
	struct cg_out *out = cg_out_gzip(&job->errors.diag, write, arg);

	if (out)
		cg_out_set_threads(out, job->threads);
	else
		(void)cg_reject_nomem(job);
	return out;
}

static bool
wants_gzip(const struct cg_job *job)
{
	size_t len = job->output ? strlen(job->output) : 0;

	return job->gzip ||
	       (len > 3 && strcmp(job->output + len - 3, ".gz") == 0);
}

static struct cg_out *
open_output(struct cg_job *job, int *status)
{
	struct cg_out *out;

	*status = cg_job_check_output(job, job->output);
	if (*status != CG_OK)
		return NULL;
	job->written.len = 0;
	if (job->write)
		out = cg_out_callback(&job->errors.diag, job->write,
		    job->write_arg, job->gzip, status);
	else
		out = cg_out_open(&job->errors.diag, job->root,
		    job->output ? job->output : "-", wants_gzip(job), status);
	if (out) {
		cg_out_set_threads(out, job->threads);
		cg_out_set_fault(out, &job->errors.fault);
	}
	return out;
}

/*
 * Returns the path of a second output: path with ".SUFFIX" appended, in place
 * of its own suffix if it has one. The caller frees it; NULL: out of memory.
 */
static char *
name_output(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t stem = dot && dot > (slash ? slash + 1 : path)
			  ? (size_t)(dot - path)
			  : strlen(path);
	size_t size = stem + strlen(suffix) + 2;
	char *name = malloc(size);

	if (name)
		(void)snprintf(name, size, "%.*s.%s", (int)stem, path, suffix);
	return name;
}

struct cg_out *
cg_add_output(struct cg_job *job, const char *suffix)
{
	struct cg_out *out = NULL;
	int status;
	char *name;
	struct stat info;

	if (job->write || !job->output || strcmp(job->output, "-") == 0 ||
	    wants_gzip(job) ||
	    (stat(job->output, &info) == 0 && !S_ISREG(info.st_mode))) {
		job->errors.rejected = cg_usage(job,
		    "several outputs need a file for the first, and no "
		    "compression: use {output}");
		return NULL;
	}
	name = name_output(job->output, suffix);
	status = name ? cg_job_check_output(job, name) : cg_nomem(job);
	if (status == CG_OK && cg_grow(&job->more, &job->more_cap,
				   job->mores + 1, sizeof(*job->more)))
		out = cg_out_open(
		    &job->errors.diag, job->root, name, false, &status);
	else if (status == CG_OK)
		status = cg_nomem(job);
	free(name);
	if (out) {
		cg_out_set_fault(out, &job->errors.fault);
		job->more[job->mores++] = out;
	} else {
		job->errors.rejected = status;
	}
	return out;
}

/*
 * Flushes an output after its writer returned status; does nothing after a
 * failed writer, unless the output itself failed and has to report why.
 * Returns the new status.
 */
static int
finish(struct cg_out *out, int status)
{
	return status == CG_OK || cg_out_status(out) != CG_OK
		   ? cg_out_finish(out)
		   : status;
}

/*
 * Finishes the main output and the additional ones, then renames all to their
 * paths, and closes them. Renames none if anything failed before. If renaming
 * one fails, those renamed before it stay. `status` is the result of the
 * writer. Returns the new status.
 */
static int
commit(struct cg_job *job, struct cg_out *out, int status)
{
	for (size_t i = 0; i < job->mores; i++)
		status = finish(job->more[i], status);
	status = finish(out, status);
	/* Check this now, as writers have read sources. */
	if (status == CG_OK)
		status = cg_job_check_output(job, job->output);
	for (size_t i = 0; status == CG_OK && i < job->mores; i++)
		status = cg_out_commit(job->more[i]);
	if (status == CG_OK)
		status = cg_out_commit(out);
	job->is_deferred = cg_out_is_deferred(out);
	for (size_t i = 0; i < job->mores; i++)
		cg_out_close(job->more[i]);
	job->mores = 0;
	cg_out_close(out);
	return status;
}

/*
 * True if the graph is to be written as coverage: the format has no calls, or
 * an event has no inclusive costs. Some formats show profiles as well as
 * coverage.
 */
static bool
is_coverage(const struct cg_graph *graph, const struct cg_module *to)
{
	if (!(to->carries & CG_CALLS))
		return true;
	for (size_t i = 0; i < cg_event_count(graph); i++) {
		if (cg_get_event(graph, i)->incl == CG_INCL_NONE)
			return true;
	}
	return false;
}

/*
 * Finds the lines that markers, patterns or a patch exclude from coverage, if
 * the output format supports that and the graph is coverage; otherwise forgets
 * those found for an earlier output. Returns the status.
 */
static int
exclude(struct cg_job *job, const struct cg_module *to)
{
	if (cg_module_option(to, CG_MARKERS_OPTION) &&
	    is_coverage(job->graph, to))
		return cg_job_exclude_marked(job);
	cg_excluded_free(job->graph->excluded);
	cg_excluded_free(job->graph->unchanged);
	job->graph->excluded = job->graph->unchanged = NULL;
	job->graph->fns_by_name = false;
	return CG_OK;
}

/*
 * Returns CG_OK if no input was skipped; else reports that the output is
 * partial, and returns CG_EINPUT. The output is still written then: an
 * exception to the rule that a failed job replaces no output.
 */
static int
report_partial(struct cg_job *job)
{
	size_t skips = job->errors.skips;

	return skips == 0 ? CG_OK
			  : cg_fail(job,
				"the output is partial: %zu %s skipped", skips,
				skips == 1 ? "input or part of an input was"
					   : "inputs or parts of inputs were");
}

int
cg_job_write(struct cg_job *job)
{
	const struct cg_module *to = cg_job_target(job);
	struct cg_out *out;
	static int (*const steps[])(
	    struct cg_job *, const struct cg_module *) = { cg_check_options,
		cg_derive, exclude, NULL };
	struct cg_scope outer = job->errors.scope;
	int status = cg_job_check_ready(job, job), fault;

	if (status != CG_OK)
		return status;
	if (!to)
		return cg_usage(job, "no module can write");
	for (size_t i = 0; status == CG_OK && steps[i]; i++)
		status = steps[i](job, to);
	if (status != CG_OK)
		return status;
	if (job->output &&
	    cg_has_suffix(cg_slice(job->output), CG_COMPRESSED_SUFFIXES))
		cg_warn(job, "%s is not compressed: only .gz selects that",
		    job->output);
	out = open_output(job, &status);
	if (!out)
		return status;
	if (job->deferred)
		cg_out_defer(out);
	job->errors.rejected = CG_OK;
	fault = job->errors.fault;
	job->errors.scope = (struct cg_scope){ 0 };
	status = to->write(job, job->graph, out);
	cg_scope_end(&job->errors.scope);
	job->errors.scope = outer;
	if (job->errors.rejected != CG_OK)
		status = job->errors.rejected;
	if (job->errors.fault != CG_OK)
		status = job->errors.fault;
	if (status == CG_OK)
		status = cg_job_check_symbols(job);
	status = commit(job, out, status);
	/* Allow another output to be written. */
	job->errors.fault = fault;
	if (status == CG_OK)
		status = report_partial(job);
	cg_diag_flush(&job->errors.diag, NULL);
	return status;
}

int
cg_job_run(struct cg_job *job)
{
	int status = cg_job_read(job, NULL);

	return status == CG_OK ? cg_job_write(job) : status;
}
