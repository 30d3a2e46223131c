/*
 * main.c - sets up messages and signals, then runs the command.
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

	if (args->quiet && message->severity != CG_ERROR)
		return;
	wipe_conversion(args);
	put_message(stderr, message);
}

/*
 * Opens /dev/null for each standard file that is closed: otherwise an output
 * could get its number, and receive messages. Like a closed file, it cannot be
 * read (input) or written. False: not possible.
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

static volatile sig_atomic_t stopped; /* the signal; 0: none */

/*
 * A signal that arrives after the flag was read and before read() or write()
 * begins does not interrupt the call. So SIGALRM is repeated every 0.1 s.
 */
#if defined(_POSIX_TIMERS) && _POSIX_TIMERS > 0 && defined(SIGEV_SIGNAL)
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

/*
 * Makes signals that would end the program stop the job, which then removes
 * its temporary file. Makes writes to a closed pipe, or beyond the file size
 * limit, fail.
 */
static void
catch_signals(struct cg_job *job)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };
	struct sigaction action = { .sa_handler = stop };
	struct sigaction old;

	prepare_repetition();
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* Signals that were ignored stay ignored, as under nohup. */
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			(void)sigaction(signals[i], &action, NULL);
	}
	cg_job_set_stop(job, &stopped);
	/* Writes to a pipe without a reader fail instead. */
	(void)signal(SIGPIPE, SIG_IGN);
	/* So do writes beyond the file size limit. */
	(void)signal(SIGXFSZ, SIG_IGN);
}

/*
 * Ends the program by the signal that stopped it, so that the shell sees the
 * signal in the wait status.
 */
static void
die_of_signal(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	(void)sigaction(stopped, &action, NULL);
	(void)raise(stopped);
}

/*
 * Writes what is left in the buffer of standard output. "status" is the status
 * of the program so far. Returns CG_EOUTPUT if writing fails and "status" is
 * CG_OK, else "status". Reports the failure, unless a reader of a pipe stopped
 * early (EPIPE).
 */
static int
flush_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* No message for a reader that stopped early (head, less). */
	if (errno != EPIPE)
		fprintf(stderr, "cgconv: error: standard output: %s\n",
		    strerror(errno));
	return status != CG_OK ? status : CG_EOUTPUT;
}

static int (*const commands[COMMANDS])(struct args *) = {
	[CMD_CONVERT] = convert,
	[CMD_DETECT] = detect,
	[CMD_DIFF] = diff,
	[CMD_HELP] = show_help,
	[CMD_INFO] = show_info,
	[CMD_LIST_FORMATS] = list_formats,
	[CMD_MERGE_MANIFESTS] = merge_manifests,
	[CMD_SERIES] = show_series,
	[CMD_SUMMARY] = show_coverage,
	[CMD_VERIFY] = verify,
	[CMD_VERSION] = show_version,
};

static const bool reads_inputs[COMMANDS] = {
	[CMD_CONVERT] = true,
	[CMD_DETECT] = true,
	[CMD_DIFF] = true,
	[CMD_INFO] = true,
	[CMD_SERIES] = true,
	[CMD_SUMMARY] = true,
	[CMD_VERIFY] = true,
};

/*
 * Enters the sandbox, if the command reads inputs. A batch does so itself,
 * when it knows all of its inputs. Returns the status.
 */
static int
confine(const struct args *args)
{
	struct sandbox box;
	int status;

	if (!reads_inputs[args->command] || is_batch(args))
		return CG_OK;
	status = confine_end(args, &box, confine_begin(args, &box));
	sandbox_alone();
	return status;
}

static int
run(struct args *args)
{
	int viewer = args->open ? prepare_viewer(args) : -1;
	int status;

	/* A batch has workers instead of threads. */
	if (reads_inputs[args->command] && !is_batch(args))
		cg_job_set_threads(args->job, count_jobs(args));
	status = confine(args);
	if (status == CG_OK)
		status = commands[args->command](args);
	if (status == CG_OK && args->open)
		start_viewer(args, viewer);
	drop_viewer(viewer);
	if (status == CG_OK && cg_job_skipped(args->job))
		status = CG_EINPUT;
	return status;
}

int
main(int argc, char **argv)
{
	struct args args = { 0 };
	int status;

	prepare_heap();
	if (!fill_standard_files())
		return CG_EOUTPUT;
	args.job = cg_job_new(cg_formats(), report, &args);
	if (args.job == NULL) {
		fputs("cgconv: error: out of memory\n", stderr);
		return CG_ELIMIT;
	}
	cg_job_set_option_prefix(args.job, "--");
	catch_signals(args.job);
	args.stop = &stopped;
	status = parse_args(&args, argc, argv);
	if (status == CG_OK && args.command == CMD_SERIES)
		status = list_runs(&args);
	if (status == CG_OK && reads_inputs[args.command])
		status = check_overwriting(&args);
	if (status == CG_OK)
		status = run(&args);
	cg_job_free(args.job);
	json_object_put(args.options);
	if (stopped)
		die_of_signal();
	return flush_stdout(status);
}
