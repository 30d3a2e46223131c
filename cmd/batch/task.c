/*
 * task.c - begins tasks (creates output directories, checks whether outputs
 * are up to date) and ends them (records results).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

bool
may_continue(const struct batch *batch)
{
	return !batch_stopped(batch) &&
	       !(batch->args->fail_fast && batch->count[FAILED] > 0);
}

/* ---- Results ------------------------------------------------------------ */

void
end_task(struct batch *batch, size_t number, enum state state, char *log,
    const char *result)
{
	struct task *task = &batch->task[number];

	if (task->state == PENDING)
		note_progress(batch, task);
	task->state = (uint8_t)state;
	set_log(batch, number, log);
	batch->count[state]++;
	put_manifest(batch, task, result);
	print_task_logs(batch, false);
	show_progress(batch);
}

void
reopen_task(struct batch *batch, size_t number)
{
	struct task *task = &batch->task[number];

	if (task->state != SUMMED)
		return;
	task->state = PENDING;
	batch->count[SUMMED]--;
	batch->progress.done--;
	batch->progress.done_bytes -= task->size;
	/* Its messages are still to come. */
	if (number < batch->printed)
		batch->printed = number;
}

/* An error as members of a manifest line, JSON; NULL: out of memory. */
static char *
error_text(const char *error, const struct cg_message *message)
{
	struct json_object *json = json_object_new_object();

	if (add_json_text(json, "error", cg_slice(error)) &&
	    add_json_message(json, message))
		return json_text(json);
	json_object_put(json);
	return NULL;
}

void
fail_without_log(struct batch *batch, size_t number, const char *text)
{
	char *name = task_name(&batch->task[number]), *result;
	const struct cg_message message = {
		.severity = CG_ERROR, .file = name, .text = text
	};

	result = error_text(text, &message);
	end_task(batch, number, FAILED, take_log(batch, number), result);
	free(result);
	free(name);
}

void
fail_task(struct batch *batch, size_t number, const char *text)
{
	char *name = task_name(&batch->task[number]), *log = NULL;
	const struct cg_message message = {
		.severity = CG_ERROR, .file = name, .text = text
	};
	size_t size;
	FILE *to = open_memstream(&log, &size);

	if (to != NULL)
		put_message(to, &message);
	(void)close_text(to, &log);
	set_log(batch, number, log);
	fail_without_log(batch, number, text);
	free(name);
}

/* ---- Outputs ------------------------------------------------------------ */

/* Like mkdir -p for the first n bytes of the path. */
static bool
make_directories(char *path, size_t n)
{
	bool made = true;

	for (size_t i = 1; made && i < n; i++) {
		if (path[i] != '/')
			continue;
		path[i] = '\0';
		made = mkdir(path, 0777) == 0 || errno == EEXIST;
		path[i] = '/';
	}
	return made;
}

/* What is below the output directory is made with the output. */
bool
make_output_directory(const struct batch *batch)
{
	const struct args *args = batch->args;
	char *path = args->directory ? join_path(args->directory, "")
				     : strdup(args->output);
	bool made = path != NULL && make_directories(path, strlen(path));

	free(path);
	return made;
}

/* Links below the output directory are not followed. */
static bool
get_info(const struct batch *batch, const char *path, struct stat *info)
{
	return batch->args->directory != NULL ? lstat(path, info) == 0
					      : stat(path, info) == 0;
}

/* True if the existing output is newer than its input. */
static bool
is_up_to_date(
    const struct batch *batch, const struct task *task, const struct stat *info)
{
	return !batch->args->overwrite && task->group == 0 &&
	       S_ISREG(info->st_mode) && info->st_size > 0 &&
	       (int64_t)info->st_mtime > task->mtime;
}

bool
prepare_task(struct batch *batch, size_t number)
{
	const struct task *task = &batch->task[number];
	const char *fault = NULL;
	char *path = task_output_path(batch, task);
	bool there, kept = false;
	struct stat info;

	if (path == NULL)
		fault = "out of memory";
	else if (!make_output_directory(batch))
		fault = strerror(errno);
	there = fault == NULL && get_info(batch, path, &info);
	free(path);
	if (there && is_up_to_date(batch, task, &info))
		kept = true;
	else if (there && overwrites_input(batch, number, &info))
		fault = "the output would overwrite another input";
	if (kept)
		end_task(batch, number, UP_TO_DATE, NULL, NULL);
	else if (fault != NULL)
		fail_task(batch, number, fault);
	return fault == NULL && !kept;
}
