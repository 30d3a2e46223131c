/*
 * log.c - what a batch prints: messages in the order of inputs, progress
 * and a summary.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/* Seconds between progress updates in a log. */
#define LOG_SECONDS 30.0
#define TEXT_ROOM 256

#define KINDS 64
#define SHOWN 5

/* ---- Progress ----------------------------------------------------------- */

void
print_lines(struct batch *batch, const char *lines)
{
	wipe_progress(&batch->progress.line);
	fputs(lines, stderr);
}

static size_t
count_inputs(const struct batch *batch)
{
	return batch->tasks - batch->count[OTHER_SHARD];
}

static size_t
count_finished(const struct batch *batch)
{
	return batch->count[DONE] + batch->count[FAILED] +
	       batch->count[SKIPPED] + batch->count[UP_TO_DATE];
}

void
begin_progress(struct batch *batch)
{
	struct progress *progress = &batch->progress;

	progress->terminal = isatty(STDERR_FILENO) == 1;
	progress->began = progress->shown = seconds_now();
}

void
count_work(struct batch *batch)
{
	struct progress *progress = &batch->progress;

	for (size_t i = 0; i < batch->tasks; i++) {
		if (batch->task[i].state != PENDING)
			continue;
		progress->work++;
		progress->work_bytes += batch->task[i].size;
	}
}

void
note_progress(struct batch *batch, const struct task *task)
{
	batch->progress.done++;
	batch->progress.done_bytes += task->size;
}

/*
 * Returns the fraction of the work that is done, from 0 to 1. It is the
 * fraction of bytes if their sum is known, else that of tasks. If there is no
 * work, it is 1.
 */
static double
fraction(const struct progress *progress)
{
	double done = (double)progress->done, all = (double)progress->work;

	if (progress->work_bytes > 0) {
		done = (double)progress->done_bytes;
		all = (double)progress->work_bytes;
	}
	return all > 0 && done < all ? done / all : 1;
}

static void
put_text(const struct batch *batch, char *text, double past)
{
	const struct progress *progress = &batch->progress;
	double part = fraction(progress);
	char done[32], rate[32], left[32];
	int n;

	n = snprintf(text, TEXT_ROOM,
	    "%zu of %zu input%s, %s, %.0f inputs/s, %s/s",
	    count_finished(batch) + batch->count[SUMMED], count_inputs(batch),
	    count_inputs(batch) == 1 ? "" : "s",
	    bytes_text(done, (double)progress->done_bytes),
	    (double)progress->done / past,
	    bytes_text(rate, (double)progress->done_bytes / past));
	if (batch->count[FAILED] > 0)
		n += snprintf(text + n, TEXT_ROOM - (size_t)n, ", %zu failed",
		    batch->count[FAILED]);
	if (progress->done >= progress->work)
		snprintf(text + n, TEXT_ROOM - (size_t)n, ", merging");
	else if (part > 0)
		snprintf(text + n, TEXT_ROOM - (size_t)n, ", %s left",
		    time_text(left, past / part - past));
}

void
show_progress(struct batch *batch)
{
	struct progress *progress = &batch->progress;
	double now = seconds_now(), past = now - progress->began;
	char text[TEXT_ROOM];

	if (batch->args->quiet ||
	    now - progress->shown <
		(progress->terminal ? PROGRESS_SECONDS : LOG_SECONDS))
		return;
	progress->shown = now;
	put_text(batch, text, past);
	if (progress->terminal) {
		draw_progress(&progress->line, fraction(progress), text);
	} else {
		fprintf(stderr, "cgconv: %s\n", text);
		(void)fflush(stderr);
	}
}

void
show_summary(struct batch *batch, size_t before)
{
	size_t inputs = count_inputs(batch);
	size_t left = inputs - count_finished(batch);

	wipe_progress(&batch->progress.line);
	if (batch->args->quiet)
		return;
	fprintf(stderr,
	    "cgconv: %zu input%s: %zu converted, %zu failed, "
	    "%zu skipped, %zu kept",
	    inputs, inputs == 1 ? "" : "s", batch->count[DONE],
	    batch->count[FAILED], batch->count[SKIPPED],
	    batch->count[UP_TO_DATE]);
	if (before > 0)
		fprintf(stderr, ", %zu of them in earlier runs", before);
	if (left > 0)
		fprintf(stderr, ", %zu left", left);
	fprintf(stderr, "; %.1f s\n", seconds_now() - batch->progress.began);
}

/* ---- Messages ----------------------------------------------------------- */

struct kind {
	const char *severity; /* with the trailing blank */
	char *text;
	size_t count;
};
struct log {
	struct kind kind[KINDS];
	size_t kinds;
};

/*
 * Returns "warning: " or "note: " if a line of a message contains this
 * directly after ": ", the end of the location. Sets *text to the text after
 * it. NULL: the line has neither, and *text is unchanged.
 */
static const char *
find_severity(const char *line, const char **text)
{
	static const char *const severities[] = { "warning: ", "note: " };
	const char *at;

	for (size_t i = 0; i < 2; i++) {
		at = strstr(line, severities[i]);
		if (at == NULL || at - line < 2 ||
		    strncmp(at - 2, ": ", 2) != 0)
			continue;
		*text = at + strlen(severities[i]);
		return severities[i];
	}
	return NULL;
}

/*
 * Adds one to the count of messages with this severity and text. Returns true
 * if the message is to be printed. That is so for the first SHOWN equal
 * messages. It is also so if the message cannot be counted, because the table
 * is full or memory runs out.
 */
static bool
count_message(struct log *log, const char *severity, const char *text)
{
	size_t i = 0;

	while (i < log->kinds && (log->kind[i].severity != severity ||
				     strcmp(log->kind[i].text, text) != 0))
		i++;
	if (i == KINDS)
		return true; /* the table is full: print it */
	if (i == log->kinds) {
		log->kind[i].text = strdup(text);
		if (log->kind[i].text == NULL)
			return true;
		log->kind[i].severity = severity;
		log->kind[i].count = 0;
		log->kinds++;
	}
	return ++log->kind[i].count <= SHOWN;
}

void
print_log(struct batch *batch, char *lines)
{
	const char *text, *severity;
	char *end;

	for (; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
		*end = '\0';
		severity = find_severity(lines, &text);
		if (severity != NULL && batch->log != NULL &&
		    !count_message(batch->log, severity, text))
			continue;
		print_lines(batch, lines);
		print_lines(batch, "\n");
	}
}

/*
 * Allocates the arrays that keep messages and results of tasks until they are
 * printed. False: out of memory (not reported).
 */
bool
begin_log(struct batch *batch)
{
	/* Most pages are never written, so they take no memory. */
	batch->logs = calloc(batch->tasks + 1, sizeof(*batch->logs));
	batch->result = calloc(batch->tasks + 1, sizeof(*batch->result));
	/* Without a log, all warnings are printed. */
	if (!batch->args->verbose)
		batch->log = calloc(1, sizeof(*batch->log));
	return batch->logs != NULL && batch->result != NULL;
}

static void
set_text(char **at, char *text)
{
	if (*at == NULL && (text == NULL || text[0] == '\0')) {
		free(text);
		return;
	}
	free(*at);
	*at = text;
}

void
set_log(struct batch *batch, size_t number, char *text)
{
	set_text(&batch->logs[number], text);
}

void
set_result(struct batch *batch, size_t number, char *text)
{
	if (batch->manifest != NULL) {
		set_text(&batch->result[number], text);
		return;
	}
	free(text);
}

char *
take_log(struct batch *batch, size_t number)
{
	char *text = batch->logs[number];

	if (text != NULL)
		batch->logs[number] = NULL;
	return text;
}

void
print_task_logs(struct batch *batch, bool at_end)
{
	while (batch->logs != NULL && batch->printed < batch->tasks &&
	       (at_end || batch->task[batch->printed].state != PENDING)) {
		char *lines = take_log(batch, batch->printed++);

		if (lines != NULL)
			print_log(batch, lines);
		free(lines);
	}
}

void
end_log(struct batch *batch)
{
	struct log *log = batch->log;

	print_task_logs(batch, true);
	for (size_t i = 0; log != NULL && i < log->kinds; i++) {
		struct kind *kind = &log->kind[i];

		if (kind->count > SHOWN) {
			print_lines(batch, "cgconv: ");
			print_lines(batch, kind->severity);
			fprintf(stderr, "and %zu more input%s: %s (-v)\n",
			    kind->count - SHOWN,
			    kind->count - SHOWN == 1 ? "" : "s", kind->text);
		}
		free(kind->text);
	}
	free(log);
	batch->log = NULL;
}

void
free_logs(struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		if (batch->logs != NULL)
			free(batch->logs[i]);
		if (batch->result != NULL)
			free(batch->result[i]);
	}
	free(batch->logs);
	free(batch->result);
}
