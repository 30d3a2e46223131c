/*
 * main.c - cgconv: messages, and which of its doings was asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

static void
report(void *arg, const struct cg_message *message)
{
	const struct args *args = arg;

	if (!args->quiet || message->severity == CG_ERROR)
		put_message(stderr, message);
}

/*
 * Where standard input, output or error are closed, the next file that is
 * opened would take their places, and a warning end up in an output. What is
 * there instead cannot be read or written, as if they were closed still.
 */
static bool
fill_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int how = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", how) != fd)
			return false;
	}
	return true;
}

static volatile sig_atomic_t stopped; /* by this signal */

/*
 * A signal between a look at the flag and a read() or write() does not
 * interrupt that call. So after the first one, another follows soon, and again.
 */
#if defined(_POSIX_TIMERS) && _POSIX_TIMERS > 0
static timer_t again;

static void
prepare_repetition(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGALRM };

	(void)timer_create(CLOCK_MONOTONIC, &event, &again);
}

static void
repeat(void)
{
	static const struct itimerspec often = { { .tv_nsec = 100000000 },
		{ .tv_nsec = 100000000 } };

	(void)timer_settime(again, 0, &often, NULL);
}
#else
static void
prepare_repetition(void)
{
}

static void
repeat(void)
{
	(void)alarm(1);
}
#endif

static void
stop(int signal)
{
	int error = errno;

	if (!stopped || signal != SIGALRM)
		stopped = signal;
	repeat();
	errno = error;
}

/* The job is to end by itself: it leaves no temporary file behind. */
static void
catch_signals(struct cg_job *job)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	struct sigaction action = { .sa_handler = stop };
	struct sigaction old;

	prepare_repetition();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* What nohup has switched off stays so. */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &action, NULL);
	}
	cg_job_set_stop(job, &stopped);
	/* A write to a pipe without a reader is to fail, not to kill. */
	(void)signal(SIGPIPE, SIG_IGN);
	/* So is one beyond the size that a file may have. */
	(void)signal(SIGXFSZ, SIG_IGN);
}

/* Ends as the signal would have, for the shell to see. */
static void
die_of_signal(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	(void)sigaction(stopped, &action, NULL);
	(void)raise(stopped);
}

/* What was printed on standard output has to have got there. */
static int
flush_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* A reader that had enough (head, less) wants no message. */
	if (errno != EPIPE)
		fprintf(stderr, "cgconv: error: standard output: %s\n",
		    strerror(errno));
	return status != CG_OK ? status : CG_EOUTPUT;
}

int
main(int argc, char **argv)
{
	struct args args = { 0 };
	int status;

	prepare_heap();
	if (!fill_standard_files())
		return CG_EOUTPUT;
	args.job = cg_job_new(cg_formats, report, &args);
	if (args.job == NULL) {
		fputs("cgconv: error: out of memory\n", stderr);
		return CG_ELIMIT;
	}
	catch_signals(args.job);
	args.stop = &stopped;
	status = parse_args(&args, argv + (argc > 0));
	if (status == CG_OK)
		status = args.action(&args);
	if (status == CG_OK && cg_job_skipped(args.job))
		status = CG_EINPUT;
	cg_job_free(args.job);
	json_object_put(args.options);
	if (stopped)
		die_of_signal();
	return flush_stdout(status);
}
