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

/* ---- Results ---------------------------------------------------------------- */

void
end_task(struct batch *batch, size_t number, enum state state, char *log,
    const char *result)
{
	struct task *task = &batch->task[number];

	if (task->state == PENDING)
		note_progress(batch, task);
	task->state = state;
	task->log = log;
	batch->count[state]++;
	put_manifest(batch, task, result);
	print_task_logs(batch, false);
	show_progress(batch);
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
	struct task *task = &batch->task[number];
	char *name = task_name(task), *result;
	const struct cg_message message = {
		.severity = CG_ERROR, .file = name, .text = text
	};

	result = error_text(text, &message);
	end_task(batch, number, FAILED, task->log, result);
	free(result);
	free(name);
}

void
fail_task(struct batch *batch, size_t number, const char *text)
{
	struct task *task = &batch->task[number];
	char *name = task_name(task);
	const struct cg_message message = {
		.severity = CG_ERROR, .file = name, .text = text
	};
	size_t size;
	FILE *to = open_memstream(&task->log, &size);

	if (to != NULL) {
		put_message(to, &message);
		(void)fclose(to);
	}
	fail_without_log(batch, number, text);
	free(name);
}

/* ---- Outputs ---------------------------------------------------------------- */

/* Like mkdir -p for all components of the path but the last. */
static bool
make_directories(char *path)
{
	for (char *at = path + 1; *at != '\0'; at++) {
		bool made;

		if (*at != '/')
			continue;
		*at = '\0';
		made = mkdir(path, 0777) == 0 || errno == EEXIST;
		*at = '/';
		if (!made)
			return false;
	}
	return true;
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

/* Most outputs go to the directory of the previous one: saves a mkdir(). */
static bool
has_directory(const struct batch *batch, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash != NULL ? (size_t)(slash - path) : 0;

	return batch->made != NULL && strlen(batch->made) == n &&
	       memcmp(batch->made, path, n) == 0;
}

static bool
make_directory_of(struct batch *batch, char *path)
{
	const char *slash = strrchr(path, '/');

	if (has_directory(batch, path))
		return true;
	if (!make_directories(path))
		return false;
	free(batch->made);
	batch->made = strndup(path, slash ? (size_t)(slash - path) : 0);
	return true;
}

bool
prepare_task(struct batch *batch, size_t number)
{
	const struct task *task = &batch->task[number];
	char *path = output_path(batch, task_output(batch, task));
	const char *fault = NULL;
	bool there, kept = false;
	struct stat info;

	if (path == NULL)
		fault = "out of memory";
	else if (!make_directory_of(batch, path))
		fault = strerror(errno);
	there = fault == NULL && stat(path, &info) == 0;
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
