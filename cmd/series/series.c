/*
 * series.c - --series: reads many runs, and writes what changed, and where.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "series.h"

/* What -o writes, by the end of its name. */
#define PAGE_SUFFIX ".html"
#define CSV_SUFFIX ".csv"
#define JSON_SUFFIX ".json"

/* ---- Output -------------------------------------------------------------- */

static bool
ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), m = strlen(suffix);

	return n > m && strcmp(path + n - m, suffix) == 0;
}

static bool
write_form(FILE *to, const struct series *series)
{
	const char *path = series->path != NULL ? series->path : "";

	if (ends_with(path, PAGE_SUFFIX))
		write_series_page(to, series);
	else if (ends_with(path, CSV_SUFFIX))
		write_series_csv(to, series);
	else if (series->args->json || ends_with(path, JSON_SUFFIX))
		return write_series_json(to, series);
	else
		return print_series(to, series);
	return true;
}

static int
cannot_write(const struct series *series)
{
	(void)cg_usage(series->args->job, "cannot write %s: %s", series->path,
	    strerror(errno));
	return CG_EOUTPUT;
}

/*
 * Writes the series to an open file, and closes the file in any case. "to" is
 * NULL if the file could not be opened; errno then says why. Returns the
 * status. It is CG_EOUTPUT (reported) if the file could not be opened or
 * written.
 */
static int
write_to(FILE *to, const struct series *series)
{
	int status = CG_OK;
	bool written;

	if (to == NULL)
		return cannot_write(series);
	if (!write_form(to, series))
		status = cg_nomem(series->args->job);
	/* A pipe has no disk: EINVAL. */
	written = !ferror(to) && fflush(to) == 0 &&
		  (fsync(fileno(to)) == 0 || errno == EINVAL);
	written = fclose(to) == 0 && written;
	return status == CG_OK && !written ? cannot_write(series) : status;
}

/*
 * Replaces the target by a file that is written next to it and renamed. old:
 * the target's status, for its permissions, or NULL. Returns the status;
 * unless CG_OK, the target is unchanged.
 */
static int
replace_file(
    const struct series *series, const char *target, const struct stat *old)
{
	mode_t mode = old != NULL ? old->st_mode & 0777 : 0666;
	char *temp = cg_temp_path(target, (long)getpid());
	int fd, status;

	if (temp == NULL)
		return cg_nomem(series->args->job);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd >= 0 && old != NULL)
		(void)fchmod(fd, mode); /* whatever the umask is */
	status = write_to(fd >= 0 ? fdopen(fd, "w") : NULL, series);
	if (status == CG_OK && rename(temp, target) != 0)
		status = cannot_write(series);
	if (status != CG_OK && fd >= 0)
		(void)unlink(temp);
	free(temp);
	return status;
}

/*
 * Writes the file of -o. An older file is replaced when the new one is
 * complete; a link to it stays. A pipe or a device is written to. Returns the
 * status.
 */
static int
write_file(const struct series *series)
{
	struct stat info;
	char *target;
	int status;

	if (stat(series->path, &info) != 0)
		return replace_file(series, series->path, NULL);
	/* A pipe or a device is written as it is. */
	if (!S_ISREG(info.st_mode))
		return write_to(fopen(series->path, "we"), series);
	target = realpath(series->path, NULL); /* not a link to it */
	if (target == NULL)
		return cannot_write(series);
	status = replace_file(series, target, &info);
	free(target);
	return status;
}

static int
write_series(const struct series *series)
{
	if (series->path != NULL)
		return write_file(series);
	return write_form(stdout, series) ? CG_OK : cg_nomem(series->args->job);
}

/* ---- The command --------------------------------------------------------- */

static bool
is_known_form(const char *path)
{
	return ends_with(path, PAGE_SUFFIX) || ends_with(path, CSV_SUFFIX) ||
	       ends_with(path, JSON_SUFFIX);
}

/* Returns true if the name is "-", which is standard input; NULL is not. */
static bool
is_standard(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

static bool
reads_stdin_twice(const struct args *args)
{
	size_t reads =
	    (size_t)is_standard(args->list) + is_standard(args->manifest);

	for (size_t i = 0; i < args->inputs; i++)
		reads += is_standard(args->input[i]);
	return reads > 1;
}

/*
 * Checks the options before a run is read, and sets series->top, the error
 * rate and a default for --order. Returns the status: CG_EUSAGE (reported) for
 * the first fault.
 */
static int
check_args(struct series *series)
{
	struct args *args = series->args;
	struct cg_job *job = args->job;
	int status = parse_top(args, TOP_DEFAULT, &series->top);

	if (status == CG_OK)
		status = parse_error_rate(args, &series->error_rate);
	if (status != CG_OK)
		return status;
	if (args->order == NULL)
		args->order = args->list || args->manifest ? "given" : "name";
	if (strcmp(args->order, "name") != 0 &&
	    strcmp(args->order, "time") != 0 &&
	    strcmp(args->order, "given") != 0)
		return cg_usage(job,
		    "--order: expected name, time or given, not '%s'",
		    args->order);
	if (series->path != NULL && !is_known_form(series->path))
		return cg_usage(job,
		    "--series writes " PAGE_SUFFIX ", " CSV_SUFFIX
		    " or " JSON_SUFFIX ", not '%s'",
		    series->path);
	if (series->path != NULL && args->json &&
	    !ends_with(series->path, JSON_SUFFIX))
		return cg_usage(job, "--json and -o %s cannot be used together",
		    series->path);
	if (args->gzip)
		return cg_usage(
		    job, "--gzip and --series cannot be used together");
	if (args->inputs == 0)
		return cg_usage(job, "--series needs runs");
	if (reads_stdin_twice(args))
		return cg_usage(
		    job, "--series can read standard input only once");
	return CG_OK;
}

int
show_series(struct args *args)
{
	struct series series = {
		.args = args,
		.path = is_standard(args->output) ? NULL : args->output,
		.costs.job = args->job,
	};
	int status = check_args(&series);

	if (status != CG_OK)
		return status;
	/* Numbers of processes and threads differ between runs. */
	cg_job_set_identity(args->job, CG_IDENTITY_ROOTS);
	status = read_series(&series);
	if (status == CG_OK && !make_curves(&series))
		status = cg_nomem(args->job);
	if (status == CG_OK)
		status = write_series(&series);
	return status == CG_OK && series.skipped > 0 ? CG_EINPUT : status;
}
