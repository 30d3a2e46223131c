/*
 * progress.c - a line on the terminal about work that takes long: a conversion,
 * or a batch (batch/log.c).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"

/* A conversion shows no progress in its first second. */
#define FIRST_SECONDS 1.0
#define BAR_MAX 30
#define TEXT_ROOM 128

double
seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

const char *
bytes_text(char text[32], double bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB" };
	size_t i = 0;

	for (; bytes >= 1000 && i < 4; i++)
		bytes /= 1000;
	snprintf(text, 32, "%.*f %s", i > 0 && bytes < 100, bytes, unit[i]);
	return text;
}

const char *
time_text(char text[32], double seconds)
{
	unsigned long s = seconds < 1e8 ? (unsigned long)seconds : 99999999;

	if (s >= 3600)
		snprintf(
		    text, 32, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
	else
		snprintf(text, 32, "%lu:%02lu", s / 60, s % 60);
	return text;
}

/* ---- The line ----------------------------------------------------------- */

void
wipe_progress(struct progress_line *line)
{
	if (line->drawn)
		fputs("\r\033[K", stderr);
	line->drawn = false;
}

void
draw_progress(struct progress_line *line, double part, const char *text)
{
	struct winsize size = { .ws_col = 0 };
	int width, bar, full;

	wipe_progress(line);
	(void)ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
	width = size.ws_col > 0 ? size.ws_col - 1 : 79;
	bar = width - (int)strlen(text) - 8;
	bar = bar < BAR_MAX ? bar : BAR_MAX;
	if (part >= 0 && bar >= 5) {
		full = (int)(part * bar);
		putc('[', stderr);
		for (int i = 0; i < bar; i++)
			putc(i < full ? '#' : '-', stderr);
		fprintf(stderr, "] %3.0f%% ", part * 100);
		width -= bar + 8;
	}
	fprintf(stderr, "%.*s", width, text);
	line->drawn = true;
	(void)fflush(stderr);
}

/* ---- A conversion ------------------------------------------------------- */

struct conversion {
	struct progress_line line;
	double began, shown; /* seconds_now() */
	uint64_t size;       /* of the inputs; 0: unknown */
	uint64_t read, written;
};

/*
 * Returns the size of the inputs in bytes; 0 if one of them is no regular
 * file, such as standard input.
 */
static uint64_t
sum_sizes(const struct args *args)
{
	uint64_t sum = 0;
	struct stat info;

	for (size_t i = 0; i < args->inputs; i++) {
		if (stat(args->input[i], &info) != 0 || !S_ISREG(info.st_mode))
			return 0;
		sum += (uint64_t)info.st_size;
	}
	return sum;
}

/*
 * Draws the progress line of a conversion: the share of the input read and the
 * time left. Draws only the number of bytes if the size is unknown, or an
 * output is written. past: seconds since the start.
 */
static void
draw_conversion(struct conversion *work, double past)
{
	char text[TEXT_ROOM], bytes[32], all[32], left[32];
	double part = -1;

	if (work->written > 0) {
		snprintf(text, sizeof(text), "writing: %s",
		    bytes_text(bytes, (double)work->written));
	} else if (work->size > 0) {
		part = work->read < work->size
			   ? (double)work->read / (double)work->size
			   : 1;
		snprintf(text, sizeof(text), "reading: %s of %s, %s left",
		    bytes_text(bytes, (double)work->read),
		    bytes_text(all, (double)work->size),
		    time_text(left, past / part - past));
	} else {
		snprintf(text, sizeof(text), "reading: %s",
		    bytes_text(bytes, (double)work->read));
	}
	draw_progress(&work->line, part, text);
}

static void
note_bytes(void *arg, uint64_t read, uint64_t written)
{
	struct conversion *work = arg;
	double now = seconds_now();

	work->read += read;
	work->written += written;
	if (now - work->began < FIRST_SECONDS ||
	    now - work->shown < PROGRESS_SECONDS)
		return;
	work->shown = now;
	draw_conversion(work, now - work->began);
}

void
begin_conversion(struct args *args)
{
	struct conversion *work;

	/* Text on a terminal and the line would disturb each other. */
	if (args->quiet || isatty(STDERR_FILENO) != 1 ||
	    ((args->output == NULL || strcmp(args->output, "-") == 0) &&
		isatty(STDOUT_FILENO) == 1))
		return;
	work = calloc(1, sizeof(*work));
	if (work == NULL)
		return; /* the conversion can do without it */
	work->began = seconds_now();
	work->size = sum_sizes(args);
	args->conversion = work;
	cg_job_set_progress(args->job, note_bytes, work);
}

void
wipe_conversion(const struct args *args)
{
	if (args->conversion != NULL)
		wipe_progress(&args->conversion->line);
}

void
end_conversion(struct args *args)
{
	wipe_conversion(args);
	cg_job_set_progress(args->job, NULL, NULL);
	free(args->conversion);
	args->conversion = NULL;
}
