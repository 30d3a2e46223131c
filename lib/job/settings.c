/*
 * settings.c - sets up a job.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algo/algo.h"
#include "job/job.h"

void
cg_job_set_reporter(struct cg_job *job, cg_reporter *report, void *arg)
{
	job->errors.diag.report = report;
	job->errors.diag.arg = arg;
}

const char *
cg_job_keep(struct cg_job *job, const char *text)
{
	cg_str str = cg_strs_add(&job->strs, cg_slice(text));

	if (str != CG_STR_NONE)
		return cg_strs_get(&job->strs, str).ptr;
	job->status = cg_nomem(job);
	return NULL;
}

int
cg_job_add_path(struct cg_job *job, const char ***list, size_t *count,
    size_t *cap, const char *path)
{
	const char *copy = cg_job_keep(job, path);

	if (!copy)
		return CG_ELIMIT;
	if (cg_grow(list, cap, *count + 1, sizeof(**list)))
		(*list)[(*count)++] = copy;
	else
		job->status = cg_nomem(job);
	return job->status;
}

int
cg_job_add_input(struct cg_job *job, const char *path)
{
	return cg_job_add_path(
	    job, &job->input, &job->inputs, &job->input_cap, path);
}

int
cg_job_add_object(struct cg_job *job, const char *path)
{
	return cg_job_add_path(
	    job, &job->object, &job->objects, &job->object_cap, path);
}

const char *
cg_job_object(const struct cg_job *job, size_t i)
{
	return i < job->objects ? job->object[i] : NULL;
}

static int
refuse_format(struct cg_job *job, const char *name, unsigned how)
{
	char list[CG_MEANT_ROOM];
	struct cg_meant meant;

	cg_find_meant(job, cg_slice(name), how, &meant);
	if (meant.count > 0)
		return cg_usage(job,
		    "unknown format '%s': did you mean %s? See {list-formats}",
		    name, cg_list_meant(&meant, list));
	return cg_usage(job, "unknown format '%s'; see {list-formats}", name);
}

int
cg_unknown_format(struct cg_job *job, const char *name)
{
	return refuse_format(job, name, 0);
}

static int
set_module(struct cg_job *job, const struct cg_module **to, const char *name,
    bool reading)
{
	const struct cg_module *module =
	    cg_find_module(job->module, cg_slice(name));

	if (!module)
		return refuse_format(
		    job, name, reading ? CG_MEANT_READ : CG_MEANT_WRITE);
	if (reading ? !module->read : !module->write)
		return cg_usage(job, "format %s cannot be %s", name,
		    reading ? "read" : "written");
	*to = module;
	return CG_OK;
}

int
cg_job_set_from(struct cg_job *job, const char *format)
{
	return set_module(job, &job->from, format, true);
}

int
cg_job_set_to(struct cg_job *job, const char *format)
{
	return set_module(job, &job->to, format, false);
}

int
cg_job_set_output(struct cg_job *job, const char *path)
{
	job->output = cg_job_keep(job, path);
	return job->output ? cg_check_output(job, path) : CG_ELIMIT;
}

int
cg_job_set_output_root(struct cg_job *job, const char *directory)
{
	job->root = cg_job_keep(job, directory);
	return job->root ? CG_OK : CG_ELIMIT;
}

void
cg_job_set_deferred(struct cg_job *job, bool deferred)
{
	job->deferred = deferred;
}

bool
cg_job_is_deferred(const struct cg_job *job)
{
	return job->is_deferred;
}

void
cg_job_set_gzip(struct cg_job *job, bool gzip)
{
	job->gzip = gzip;
}

void
cg_job_set_strict(struct cg_job *job, bool strict)
{
	job->strict = strict;
}

void
cg_job_set_sums_only(struct cg_job *job, bool sums_only)
{
	job->sums_only = sums_only;
}

void
cg_job_set_clamp(struct cg_job *job, bool clamp)
{
	job->clamp = clamp;
}

void
cg_job_set_guess(struct cg_job *job, bool guess)
{
	job->guess = guess;
}

void
cg_job_set_levels(struct cg_job *job, uint64_t levels)
{
	job->levels = levels;
}

void
cg_job_set_verbose(struct cg_job *job, bool verbose)
{
	job->verbose = verbose;
}

bool
cg_job_verbose(const struct cg_job *job)
{
	return job->verbose;
}

int
cg_job_set_names(
    struct cg_job *job, const char *const *name, size_t n, size_t all)
{
	job->named = all;
	for (job->names = 0; job->names < n; job->names++) {
		if (!cg_grow(&job->name, &job->name_cap, n, sizeof(*name)))
			return cg_nomem(job);
		job->name[job->names] = cg_job_keep(job, name[job->names]);
		if (!job->name[job->names])
			return CG_ELIMIT;
	}
	return CG_OK;
}

void
cg_job_set_partial(struct cg_job *job, bool partial)
{
	job->partial = partial;
}

void
cg_job_set_shard(
    struct cg_job *job, uint32_t number, uint32_t count, uint64_t list)
{
	job->shard = (struct cg_shard){ number, count, list };
}

void
cg_job_set_option_prefix(struct cg_job *job, const char *prefix)
{
	job->errors.diag.option_prefix = prefix;
}

void
cg_job_set_stop(struct cg_job *job, const volatile sig_atomic_t *flag)
{
	job->errors.diag.stop = flag;
}

void
cg_job_set_progress(struct cg_job *job, cg_progress_fn *progress, void *arg)
{
	job->errors.diag.progress = progress;
	job->errors.diag.progress_arg = arg;
}

/* The limit of -j, too. */
#define THREADS_MAX 1024

void
cg_job_set_threads(struct cg_job *job, size_t threads)
{
	job->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
}

void
cg_job_set_demangle(struct cg_job *job, bool demangle)
{
	job->no_demangle = !demangle;
}

void
cg_job_set_parts(struct cg_job *job, bool parts)
{
	job->parts = parts;
}

int
cg_job_set_part_by(struct cg_job *job, const char *by)
{
	const char *text = cg_job_keep(job, by);

	if (!text)
		return CG_ELIMIT;
	if (cg_part_by_parse(&job->part_by, text))
		return CG_OK;
	return cg_usage(job,
	    "{part-by}: expected none, pid, tid, comm, cpu or label:KEY, not "
	    "'%s'",
	    by);
}

int
cg_job_add_root_by(struct cg_job *job, const char *by)
{
	const char *text = cg_job_keep(job, by);

	if (!text)
		return CG_ELIMIT;
	job->rooted = true;
	if (strcmp(text, "none") == 0) {
		job->roots.count = 0;
		return CG_OK;
	}
	if (job->roots.count == CG_ROOTS_MAX)
		return cg_usage(
		    job, "{root-by}: at most %d are possible", CG_ROOTS_MAX);
	if (cg_roots_add(&job->roots, text))
		return CG_OK;
	return cg_usage(job,
	    "{root-by}: expected comm, pid, tid, cpu, part or label:KEY, not "
	    "'%s'",
	    by);
}

int
cg_job_set_between(struct cg_job *job, const char *text)
{
	if (cg_between_parse(&job->between, text))
		return CG_OK;
	return cg_usage(job,
	    "{between}: expected two times, such as 1.5,3 or 10%%,20%%, not "
	    "'%s'",
	    text);
}

static int
refuse_expression(struct cg_job *job, const char *name, const char *why)
{
	return cg_usage(job, "{%s}: invalid regular expression: %s", name, why);
}

static int
add_label_filter(
    struct cg_job *job, const char *name, const char *value, bool keeps)
{
	const char *text = cg_job_keep(job, value);
	char why[128] = "";

	if (!text)
		return CG_ELIMIT;
	switch (cg_label_filters_add(
	    &job->label_filters, text, keeps, why, sizeof(why))) {
	case CG_LABEL_FILTER_OK: return CG_OK;
	case CG_LABEL_FILTER_FORM:
		return cg_usage(
		    job, "{%s}: expected KEY=REGEX, not '%s'", name, value);
	case CG_LABEL_FILTER_BAD: return refuse_expression(job, name, why);
	case CG_LABEL_FILTER_NOMEM: break;
	}
	return cg_nomem(job);
}

int
cg_job_set_filter(struct cg_job *job, const char *name, const char *value)
{
	bool keeps = strcmp(name, "label") == 0;
	char why[128] = "";

	if (keeps || strcmp(name, "no-label") == 0)
		return add_label_filter(job, name, value, keeps);
	if (!job->filters)
		job->filters = calloc(1, sizeof(*job->filters));
	if (!job->filters)
		return cg_nomem(job);
	switch (cg_filters_set(job->filters, name, value, why, sizeof(why))) {
	case CG_FILTER_OK: return CG_OK;
	case CG_FILTER_NONE:
		return cg_usage(job, "there is no filter '%s'", name);
	case CG_FILTER_TWICE:
		return cg_usage(job,
		    "{%s} is given twice; one expression may have several "
		    "alternatives: a|b",
		    name);
	case CG_FILTER_BAD: return refuse_expression(job, name, why);
	case CG_FILTER_CHOICE:
		return cg_usage(job,
		    "{%s}: expected function, file, object, line or class, not "
		    "'%s'",
		    name, value);
	case CG_FILTER_NOMEM: break;
	}
	return cg_nomem(job);
}

void
cg_job_set_identity(struct cg_job *job, enum cg_identity identity)
{
	job->identity = identity;
}

int
cg_job_map_path(struct cg_job *job, const char *old, const char *new)
{
	const char *from = cg_job_keep(job, old), *to = cg_job_keep(job, new);

	if (!from || !to)
		return CG_ELIMIT;
	if (*from == '\0')
		return cg_usage(job, "expected a directory to map to %s", new);
	return cg_rules_map(&job->rules, cg_slice(from), cg_slice(to))
		   ? CG_OK
		   : cg_nomem(job);
}

static int
add_pattern(struct cg_job *job, const char *pattern, bool keeps)
{
	const char *text = cg_job_keep(job, pattern);

	if (!text)
		return CG_ELIMIT;
	return cg_rules_add(&job->rules, text, keeps) ? CG_OK : cg_nomem(job);
}

int
cg_job_include(struct cg_job *job, const char *pattern)
{
	return add_pattern(job, pattern, true);
}

int
cg_job_exclude(struct cg_job *job, const char *pattern)
{
	return add_pattern(job, pattern, false);
}

static int
add_root(struct cg_job *job, const char *directory)
{
	const char *kept = cg_job_keep(job, directory);

	if (!kept)
		return CG_ELIMIT;
	return cg_rules_add_root(&job->rules, kept) ? CG_OK : cg_nomem(job);
}

/*
 * Adds a directory to those whose files are kept (--root). Adds both its
 * absolute and its real path, as compilers record either. It need not exist:
 * the profile may be of another machine. Returns the status.
 */
int
cg_job_include_directory(struct cg_job *job, const char *directory)
{
	char *real = realpath(directory, NULL), *path, *end;
	char cwd[PATH_MAX] = "";
	int status;

	if (!real && errno == ENOMEM)
		return cg_nomem(job);
	if (*directory != '/' && !getcwd(cwd, sizeof(cwd)))
		cwd[0] = '\0';
	path = malloc(strlen(cwd) + strlen(directory) + CG_JOIN_MORE + 1);
	if (!path) {
		free(real);
		return cg_nomem(job);
	}
	end = cg_join_path(path, cg_slice(cwd), cg_slice(directory));
	*end = '\0';
	status = add_root(job, path);
	if (status == CG_OK && real && strcmp(real, path) != 0)
		status = add_root(job, real);
	free(path);
	free(real);
	return status;
}

void
cg_job_drop_branches(struct cg_job *job, bool throws_only)
{
	if (throws_only)
		job->rules.no_throws = true;
	else
		job->rules.no_branches = true;
}
