/*
 * message.c - what formats say: errors and warnings with their place.
 */
#include "job/job.h"

static void say(struct cg_job *job, enum cg_severity severity, const char *at,
    const char *fmt, va_list args) CG_PRINTF(4, 0);

static void
say(struct cg_job *job, enum cg_severity severity, const char *at,
    const char *fmt, va_list args)
{
	const struct cg_companion *companion = job->companion;
	const struct cg_in *in = companion ? companion->in : job->in;
	struct cg_place place = { 0 };

	/* Of several that are open, the one that at points into. */
	while (companion && at && !cg_in_holds(companion->in, at)) {
		companion = companion->below;
		in = companion ? companion->in : job->in;
	}
	if (in)
		cg_in_place(in, at, &place);
	cg_diag_put(&job->diag, severity, &place, fmt, args);
}

static int fail(struct cg_job *job, const char *at, const char *fmt,
    va_list args) CG_PRINTF(3, 0);

/* Memory that ran out has been said, and is the better reason. */
static int
fail(struct cg_job *job, const char *at, const char *fmt, va_list args)
{
	if (job->fault != CG_OK)
		return job->fault;
	say(job, CG_ERROR, at, fmt, args);
	return CG_EINPUT;
}

int
cg_fail(struct cg_job *job, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(job, NULL, fmt, args);
	va_end(args);
	return status;
}

int
cg_fail_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(job, at, fmt, args);
	va_end(args);
	return status;
}

/* The first status counts. */
static bool
keep(struct cg_job *job, int status)
{
	if (job->rejected == CG_OK)
		job->rejected = status;
	return false;
}

bool
cg_reject(struct cg_job *job, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(job, NULL, fmt, args);
	va_end(args);
	return keep(job, status);
}

bool
cg_reject_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(job, at, fmt, args);
	va_end(args);
	return keep(job, status);
}

bool
cg_reject_nomem(struct cg_job *job)
{
	return keep(job, cg_nomem(job));
}

int
cg_rejected(const struct cg_job *job)
{
	return job->rejected;
}

/* What an input has said of itself is the better reason. */
int
cg_json_fail(
    struct cg_job *job, const struct cg_json *tokens, const char *expected)
{
	if (tokens->in && cg_in_status(tokens->in) != CG_OK)
		return cg_in_status(tokens->in);
	if (tokens->error)
		return cg_fail_at(job, tokens->at, "%s", tokens->error);
	return cg_fail_at(job, tokens->at, "expected %s", expected);
}

int
cg_skip_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	va_list args;
	int status;

	va_start(args, fmt);
	status = fail(job, at, fmt, args);
	va_end(args);
	job->skips++;
	return status == CG_EINPUT ? CG_OK : status;
}

void
cg_warn(struct cg_job *job, const char *fmt, ...)
{
	va_list args;

	if (!cg_diag_count(&job->diag, fmt))
		return;
	va_start(args, fmt);
	say(job, CG_WARNING, NULL, fmt, args);
	va_end(args);
}

void
cg_warn_at(struct cg_job *job, const char *at, const char *fmt, ...)
{
	va_list args;

	if (!cg_diag_count(&job->diag, fmt))
		return;
	va_start(args, fmt);
	say(job, CG_WARNING, at, fmt, args);
	va_end(args);
}

void
cg_note(struct cg_job *job, const char *fmt, ...)
{
	const struct cg_place place = { .file = job->in ? cg_in_name(job->in)
							: NULL };
	va_list args;

	va_start(args, fmt);
	cg_diag_put(&job->diag, CG_NOTE, &place, fmt, args);
	va_end(args);
}

int
cg_usage(struct cg_job *job, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	cg_diag_put(&job->diag, CG_ERROR, NULL, fmt, args);
	va_end(args);
	return CG_EUSAGE;
}

int
cg_nomem(struct cg_job *job)
{
	if (job->fault != CG_OK)
		return job->fault; /* a cursor's, which has been told */
	cg_diag_say(&job->diag, CG_ERROR, NULL, "out of memory");
	return CG_ELIMIT;
}
