/*
 * log.c - what is said of the inputs, in their order. A warning that
 * many of them share is said of the first few, and counted.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define KINDS 64
#define SHOWN 5
#define WARNING ": warning: "

struct kind {
	char *text;
	size_t count;
};
struct log {
	struct kind kind[KINDS];
	size_t kinds;
};

/* Is the warning worth a line? */
static bool
count_warning(struct log *log, const char *text)
{
	size_t i = 0;

	while (i < log->kinds && strcmp(log->kind[i].text, text) != 0)
		i++;
	if (i == KINDS)
		return true; /* no room to count it: better shown than lost */
	if (i == log->kinds) {
		log->kind[i].text = strdup(text);
		if (log->kind[i].text == NULL)
			return true;
		log->kind[i].count = 0;
		log->kinds++;
	}
	return ++log->kind[i].count <= SHOWN;
}

static void
put_lines(struct batch *batch, char *lines)
{
	const char *text;
	char *end;

	for (; (end = strchr(lines, '\n')) != NULL; lines = end + 1) {
		*end = '\0';
		text = strstr(lines, WARNING);
		if (text != NULL && batch->log_book != NULL &&
		    !count_warning(batch->log_book, text + strlen(WARNING)))
			continue;
		say(batch, lines);
		say(batch, "\n");
	}
}

void
begin_log(struct batch *batch)
{
	/* Without it nothing is counted, and all is said. */
	if (!batch->args->verbose)
		batch->log_book = calloc(1, sizeof(*batch->log_book));
}

void
print_logs(struct batch *batch, bool at_end)
{
	while (batch->printed < batch->tasks &&
	       (at_end || batch->task[batch->printed].state != PENDING)) {
		struct task *task = &batch->task[batch->printed++];

		if (task->log != NULL)
			put_lines(batch, task->log);
		free(task->log);
		task->log = NULL;
	}
}

void
end_log(struct batch *batch)
{
	struct log *log = batch->log_book;

	print_logs(batch, true);
	for (size_t i = 0; log != NULL && i < log->kinds; i++) {
		struct kind *kind = &log->kind[i];

		if (kind->count > SHOWN) {
			say(batch, "cgconv: warning: ");
			fprintf(stderr, "and %zu more inputs: %s (-v)\n",
			    kind->count - SHOWN, kind->text);
		}
		free(kind->text);
	}
	free(log);
	batch->log_book = NULL;
}
