/*
 * message.c - errors, warnings and notes of formats and of the library below
 * them, with their location in the input.
 *
 * The public functions get a job, whose first member is its struct cg_errors:
 * the job itself belongs to an upper layer and is not known here.
 */
#include "io/io.h"

static void report(struct cg_errors *errors, enum cg_severity severity,
    const char *at, const char *fmt, va_list args) CG_PRINTF(4, 0);

static void
report(struct cg_errors *errors, enum cg_severity severity, const char *at,
    const char *fmt, va_list args)
{
	const struct cg_companion *companion = errors->companion;
	const struct cg_in *in = companion ? companion->in : errors->in;
	struct cg_location location = { 0 };

	/*
	 * If several inputs are open, choose the one whose window contains at.
	 */
	while (companion && at && !cg_in_holds(companion->in, at)) {
		companion = companion->below;
		in = companion ? companion->in : errors->in;
	}
	if (in)
		cg_in_locate(in, at, &location);
	cg_diag_put(&errors->diag, severity, &location, fmt, args);
}

static int fail(struct cg_errors *errors, const char *at, const char *fmt,
    va_list args) CG_PRINTF(3, 0);

/*
 * Reports an error and returns CG_EINPUT. If an error was reported earlier, it
 * is the cause: nothing is reported, and its status is returned.
 */
static int
fail(struct cg_errors *errors, const char *at, const char *fmt, va_list args)
{
	if (errors->fault != CG_OK)
		return errors->fault;
	report(errors, CG_ERROR, at, fmt, args);
	return CG_EINPUT;
}

int
cg_fail(struct cg_job *job, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(cg_job_errors(job), NULL, fmt, args);
	va_end(args);
	return status;
}

int
cg_lacks(struct cg_job *job, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(cg_job_errors(job), NULL, fmt, args);
	va_end(args);
	/* A skipped input may be the cause; then it is no loss. */
	return status == CG_EINPUT && cg_job_errors(job)->skips == 0 ? CG_ELOSS
								     : status;
}

int
cg_fail_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(cg_job_errors(job), at, fmt, args);
	va_end(args);
	return status;
}

/*
 * Records the status of a rejected input, unless an earlier one was recorded;
 * returns false, for callers to return.
 */
static bool
reject(struct cg_errors *errors, int status)
{
	if (errors->rejected == CG_OK)
		errors->rejected = status;
	return false;
}

bool
cg_reject(struct cg_job *job, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(errors, NULL, fmt, args);
	va_end(args);
	return reject(errors, status);
}

bool
cg_reject_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(errors, at, fmt, args);
	va_end(args);
	return reject(errors, status);
}

bool
cg_reject_nomem(struct cg_job *job)
{
	return reject(cg_job_errors(job), cg_nomem(job));
}

int
cg_rejected(const struct cg_job *job)
{
	return ((const struct cg_errors *)job)->rejected;
}

int
cg_skip_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(errors, at, fmt, args);
	va_end(args);
	errors->skips++;
	return status == CG_EINPUT ? CG_OK : status;
}

void
cg_warn(struct cg_job *job, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	va_list args;

	if (!cg_diag_count(&errors->diag, fmt))
		return;
	va_start(args, fmt);
	report(errors, CG_WARNING, NULL, fmt, args);
	va_end(args);
}

void
cg_warn_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	va_list args;

	if (!cg_diag_count(&errors->diag, fmt))
		return;
	va_start(args, fmt);
	report(errors, CG_WARNING, at, fmt, args);
	va_end(args);
}

void
cg_note(struct cg_job *job, const char *fmt, ...)
{
	struct cg_errors *errors = cg_job_errors(job);
	const struct cg_location location = {
		.file = errors->in ? cg_in_name(errors->in) : NULL,
	};
	va_list args;

	va_start(args, fmt);
	cg_diag_put(&errors->diag, CG_NOTE, &location, fmt, args);
	va_end(args);
}

int
cg_usage(struct cg_job *job, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	cg_diag_put(&cg_job_errors(job)->diag, CG_ERROR, NULL, fmt, args);
	va_end(args);
	return CG_EUSAGE;
}

int
cg_nomem(struct cg_job *job)
{
	struct cg_errors *errors = cg_job_errors(job);

	if (errors->fault != CG_OK)
		return errors->fault; /* reported already */
	if (errors->rejected == CG_ELIMIT)
		return CG_ELIMIT; /* reported by cg_reject_nomem() */
	cg_diag_say(&errors->diag, CG_ERROR, NULL, "out of memory");
	return CG_ELIMIT;
}
