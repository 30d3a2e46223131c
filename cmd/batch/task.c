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
	/* The task's messages are printed later. */
	if (number < batch->printed)
		batch->printed = number;
}

/*
 * Returns the text of a JSON object with the error and the parts of its
 * message, whose members are added to the task's line of the manifest. The
 * caller frees it; NULL: out of memory.
 */
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

/*
 * Creates the directories of the path that end within its first n bytes, like
 * mkdir -p; the path is changed meanwhile. False: not possible; errno says
 * why.
 */
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

/*
 * Creates the output directory (of -O, or that of -o) and its parents;
 * directories below it are created with each output. False: not possible, with
 * errno, or out of memory.
 */
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

/*
 * Sets *info to the status of the output at "path". With -O, the output may be
 * a symbolic link, which is not followed. False: there is no such file.
 */
static bool
get_info(const struct batch *batch, const char *path, struct stat *info)
{
	return batch->args->directory != NULL ? lstat(path, info) == 0
					      : stat(path, info) == 0;
}

/*
 * True if the output of a task need not be written again. "info" is the status
 * of the output. It must be a file that is not empty, and newer than the
 * task's input. False with --force. False also for the output of several
 * inputs, as task->mtime is the time of one of them.
 */
static bool
is_up_to_date(
    const struct batch *batch, const struct task *task, const struct stat *info)
{
	return !batch->args->overwrite && task->group == 0 &&
	       S_ISREG(info->st_mode) && info->st_size > 0 &&
	       (int64_t)info->st_mtime > task->mtime;
}

/*
 * Returns the path of the file that the output at path would overwrite: an
 * input, the manifest or a file of an option. NULL: none. *kept: the output is
 * newer than its task's input, and stays. task: NULL for an output of several
 * inputs.
 */
static const char *
find_overwritten(const struct batch *batch, const struct task *task,
    const struct named_files *named, const char *path, bool *kept)
{
	const struct task *input;
	struct stat info;

	*kept = false;
	if (!get_info(batch, path, &info) || !S_ISREG(info.st_mode))
		return NULL;
	*kept = task != NULL && is_up_to_date(batch, task, &info);
	if (*kept)
		return NULL;
	if (is_manifest(batch, &info))
		return batch->args->manifest;
	input = find_input(batch, &info);
	return input != NULL ? task_file(input) : find_named_file(named, &info);
}

static int
check_output(const struct batch *batch, const struct task *task,
    const struct named_files *named, char *path)
{
	const char *read;
	bool kept;
	int status = CG_OK;

	if (path == NULL)
		return cg_nomem(batch->args->job);
	read = find_overwritten(batch, task, named, path, &kept);
	if (read != NULL)
		status = cg_usage(batch->args->job,
		    "the output %s would overwrite %s, which is read; use "
		    "another %s",
		    path, read,
		    batch->args->directory != NULL ? "-O or --name" : "-o");
	free(path);
	return status;
}

int
refuse_overwriting(struct batch *batch)
{
	struct named_files named;
	int status =
	    list_named_files(batch->args, false, &named) ? CG_OK : CG_ELIMIT;

	find_own_files(batch);
	for (size_t i = 0; status == CG_OK && i < batch->groups; i++)
		status = check_output(batch, NULL, &named,
		    output_path(batch, batch->group[i].output));
	for (size_t i = 0; status == CG_OK && i < batch->tasks; i++) {
		const struct task *task = &batch->task[i];

		if (task->state == PENDING && task->group == 0)
			status = check_output(
			    batch, task, &named, task_output_path(batch, task));
	}
	return status;
}

bool
prepare_task(struct batch *batch, size_t number)
{
	const struct named_files none = { 0 }; /* workers know them */
	const struct task *task = &batch->task[number];
	const char *fault = NULL;
	char *path = task_output_path(batch, task);
	bool kept = false;

	if (path == NULL)
		fault = "out of memory";
	else if (!make_output_directory(batch))
		fault = strerror(errno);
	else if (find_overwritten(batch, task, &none, path, &kept) != NULL)
		fault = "the output would overwrite a file that is read";
	free(path);
	if (kept)
		end_task(batch, number, UP_TO_DATE, NULL, NULL);
	else if (fault != NULL)
		fail_task(batch, number, fault);
	return fault == NULL && !kept;
}
