/*
 * commit.c - commits the outputs of tasks in groups, as databases do: workers
 * leave complete outputs under temporary names; the parent syncs the disk once
 * for a group, then renames each. A task is SUMMED until its output has its
 * name, so its line in the manifest is true even if the system stops. If the
 * parent is killed, outputs that wait are leftovers: see clean_up().
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

/* The most bytes of messages and seconds that a group waits. */
#define BYTES_MAX ((size_t)1 << 20)
#define SECONDS_MAX 1.0

static void
fail_output(struct batch *batch, size_t number, const struct cg_deferred *file)
{
	size_t size = strlen(file->path) + 256;
	char *text = malloc(size);

	if (text != NULL)
		snprintf(text, size, "cannot write %s: %s", file->path,
		    strerror(file->error));
	fail_task(batch, number, text != NULL ? text : strerror(file->error));
	free(text);
}

/* Ends the task of an output that has got its name, or could not. */
static void
end_output(struct batch *batch, const struct waiting_output *output,
    const struct cg_deferred *file)
{
	size_t number = output->task;

	reopen_task(batch, number);
	if (file->error == 0)
		end_task(batch, number, output->state, take_log(batch, number),
		    batch->result != NULL ? batch->result[number] : NULL);
	else
		fail_output(batch, number, file);
	set_result(batch, number, NULL);
}

void
commit_outputs(struct batch *batch)
{
	struct commits *commits = &batch->commits;

	if (commits->count == 0)
		return;
	cg_commit_deferred(
	    batch->args->directory, commits->file, commits->count);
	for (size_t i = 0; i < commits->count; i++) {
		end_output(batch, &commits->output[i], &commits->file[i]);
		free((char *)commits->file[i].path);
	}
	*commits = (struct commits){ .any = true };
}

void
commit_due_outputs(struct batch *batch)
{
	const struct commits *commits = &batch->commits;

	if (commits->count == COMMITS_MAX || commits->bytes > BYTES_MAX ||
	    seconds_now() - commits->began >= SECONDS_MAX)
		commit_outputs(batch);
}

void
add_to_commit(struct batch *batch, const struct worker *worker,
    const struct worker_answer *answer, char *log, char *result)
{
	struct commits *commits = &batch->commits;
	size_t number = worker->order.task;
	char *path = task_output_path(batch, &batch->task[number]);

	end_task(batch, number, SUMMED, log, NULL);
	set_result(batch, number, result);
	if (path == NULL) {
		reopen_task(batch, number);
		fail_task(batch, number, "out of memory");
		return;
	}
	if (commits->count == 0)
		commits->began = seconds_now();
	commits->output[commits->count] =
	    (struct waiting_output){ .task = number, .state = answer->state };
	commits->file[commits->count] =
	    (struct cg_deferred){ .path = path, .pid = (long)worker->pid };
	commits->count++;
	commits->bytes += answer->log + answer->result;
	commit_due_outputs(batch);
}

void
end_commits(struct batch *batch)
{
	char text[256];
	const struct cg_message message = { .severity = CG_WARNING,
		.file = batch->args->directory,
		.text = text };
	int error;

	commit_outputs(batch);
	error = batch->commits.any ? cg_sync_root(message.file) : 0;
	if (error == 0)
		return;
	snprintf(text, sizeof(text),
	    "written, but cannot be synced: %s; outputs may be lost if the "
	    "system stops now",
	    strerror(error));
	print_lines(batch, ""); /* remove the progress line */
	put_message(stderr, &message);
}
