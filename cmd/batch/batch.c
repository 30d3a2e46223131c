/*
 * batch.c - converts many inputs: to one output each (-O), or merged (-o,
 * --group-by).
 *
 * The parent lists the inputs, reads archives, dispatches tasks to workers and
 * writes the manifest; it never parses a profile.
 */
#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"

#define FILES_SPARE 32 /* descriptors not used for pipes to workers */

/* ---- The batch ---------------------------------------------------------- */

/*
 * Returns the number of the task after the last member of the archive whose
 * first member is task `first`. Sets *work to whether any of these tasks is
 * still to be done.
 */
static size_t
archive_end(const struct batch *batch, size_t first, bool *work)
{
	size_t n = first;

	*work = false;
	for (; n < batch->tasks &&
	       batch->task[n].archive == batch->task[first].archive;
	     n++)
		*work = *work || batch->task[n].state == PENDING;
	return n;
}

static int
run_tasks(struct worker_pool *pool)
{
	struct batch *batch = pool->batch;
	int status = CG_OK;
	size_t end;
	bool work;

	for (size_t i = 0; status == CG_OK && i < batch->tasks; i = end) {
		if (!may_continue(batch))
			break;
		end = i + 1;
		if (is_member(&batch->task[i])) {
			end = archive_end(batch, i, &work);
			if (work)
				status = run_archive(pool, i, end);
		} else if (batch->task[i].state == PENDING &&
			   prepare_task(batch, i)) {
			status = dispatch(pool, (struct piece){ .task = i });
		}
	}
	end = (size_t)finish_tasks(pool);
	return status == CG_OK ? (int)end : status;
}

/*
 * Counts by state the tasks that ended before any work began, and writes new
 * ones to the manifest. Returns the number of those that the manifest of an
 * earlier run has.
 */
static size_t
count_listed(struct batch *batch)
{
	size_t before = 0;

	for (size_t i = 0; i < batch->tasks; i++) {
		struct task *task = &batch->task[i];

		if (task->state == PENDING)
			continue;
		batch->count[task->state]++;
		before += task->before;
		if (!task->before)
			put_manifest(batch, task, NULL);
	}
	return before;
}

static bool
show_task(const struct batch *batch, const struct task *task)
{
	const char *reason = reason_text[task->reason];
	bool pending = task->state == PENDING;
	char *name = task_name(task);
	char *output = pending ? task_output(batch, task) : NULL;
	bool ok = name != NULL && (!pending || output != NULL);

	if (ok)
		put_safe(stdout, cg_slice(name));
	if (ok && pending) {
		fputs(" -> ", stdout);
		put_safe(stdout, cg_slice(output));
		putchar('\n');
	} else if (ok) {
		printf(": %s%s%s\n", state_name[task->state],
		    reason != NULL ? ", " : "", reason != NULL ? reason : "");
	}
	free(name);
	free(output);
	return ok;
}

static int
show_plan(const struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		const struct task *task = &batch->task[i];

		if (task->state != OTHER_SHARD && !show_task(batch, task))
			return cg_nomem(batch->args->job);
	}
	return CG_OK;
}

/*
 * Cuts ".cgconv.NUMBER" or ".cgconv.NUMBER.NUMBER" off the end of a name of *n
 * bytes. False: the name does not end so.
 */
static bool
cut_mark(const char *name, size_t *n)
{
	static const char mark[] = ".cgconv";
	const size_t len = sizeof(mark) - 1;
	size_t at = *n;

	while (at > 0 && strchr("0123456789.", name[at - 1]) != NULL)
		at--;
	if (at == *n || at < len || memcmp(name + at - len, mark, len) != 0)
		return false;
	*n = at - len;
	return true;
}

/*
 * True if an output of this batch is in the directory, and its name begins
 * with n bytes of "name", or with all of them but a dot at their start, which
 * the file of a chunk has.
 */
static bool
begins_output(const struct batch *batch, const char *directory,
    const char *name, size_t n)
{
	const size_t length = strlen(directory);
	bool found = false;

	for (size_t i = 0; !found && i < batch->tasks; i++) {
		char *output = task_output(batch, &batch->task[i]);
		char *slash = output != NULL ? strrchr(output, '/') : NULL;
		const char *base = slash != NULL ? slash + 1 : output;

		if (output != NULL &&
		    (size_t)(slash != NULL ? slash - output : 0) == length &&
		    strncmp(output, directory, length) == 0)
			found = strncmp(base, name, n) == 0 ||
				(name[0] == '.' &&
				    strncmp(base, name + 1, n - 1) == 0);
		free(output);
	}
	return found;
}

/* True if n bytes of a name are that of an output in the directory. */
static bool
names_output(
    struct batch *batch, const char *directory, const char *name, size_t n)
{
	char *output = join_path(directory, name);
	bool ours = false;

	if (output != NULL) {
		output[strlen(output) - strlen(name) + n] = '\0';
		ours = has_output(
		    batch, directory[0] != '\0' ? output : output + 1);
	}
	free(output);
	return ours;
}

/*
 * True if the name is that of a temporary file for an output of this batch:
 * see cg_temp_path() and chunk_path(). A run that was killed leaves such files.
 * "directory" is the file's directory, relative to the output directory, or
 * "". If memory runs out, returns false, so that the file is kept.
 */
static bool
is_leftover(struct batch *batch, const char *directory, const char *name)
{
	size_t n;

	if (*name++ != '.')
		return false;
	n = strlen(name);
	if (!cut_mark(name, &n) || n == 0)
		return false;
	if (names_output(batch, directory, name, n))
		return true;
	if (n == CG_TEMP_NAME && begins_output(batch, directory, name, n))
		return true;
	/* The temporary file of a chunk has one more dot and mark. */
	n--;
	return *name++ == '.' && cut_mark(name, &n) &&
	       names_output(batch, directory, name, n);
}

/*
 * Removes from a directory the temporary files that a killed run has left.
 * "below" is the directory's path relative to the output directory, or "".
 * Removes only files of this batch's outputs, as other batches may write to
 * the same directory. Files that cannot be removed stay.
 */
static void
remove_leftovers(struct batch *batch, const char *below)
{
	char *directory = output_path(batch, below[0] != '\0' ? below : "."),
	     *path;
	DIR *dir = directory != NULL ? opendir(directory) : NULL;
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (!is_leftover(batch, below, entry->d_name))
			continue;
		path = join_path(directory, entry->d_name);
		if (path != NULL)
			(void)unlink(path);
		free(path);
	}
	if (dir != NULL)
		(void)closedir(dir);
	free(directory);
}

static void
clean_up(struct batch *batch)
{
	char *last = NULL;

	for (size_t i = 0; i < batch->tasks; i++) {
		char *directory = task_output(batch, &batch->task[i]);
		char *slash = directory ? strrchr(directory, '/') : NULL;

		if (directory == NULL)
			continue;
		*(slash != NULL ? slash : directory) = '\0';
		if (last == NULL || strcmp(directory, last) != 0)
			remove_leftovers(batch, directory);
		free(last);
		last = directory;
	}
	free(last);
}

/* True if every task (input) of the batch has ended, in whatever state. */
static bool
is_complete(const struct batch *batch)
{
	return batch->count[DONE] + batch->count[FAILED] +
		   batch->count[SKIPPED] + batch->count[UP_TO_DATE] +
		   batch->count[OTHER_SHARD] ==
	       batch->tasks;
}

/*
 * Reports an error if -o was given and no input had a profile, as then no
 * output was written. Returns the status.
 */
static int
check_output(const struct batch *batch)
{
	const size_t *count = batch->count;

	if (batch->args->output == NULL ||
	    count[DONE] + count[UP_TO_DATE] + count[OTHER_SHARD] > 0)
		return CG_OK;
	return cg_fail(batch->args->job,
	    "no input contains a profile: %s was not written",
	    batch->args->output);
}

/*
 * Enters the sandbox, in which the files of all tasks may be read. All inputs
 * must have been listed before. Returns the status.
 */
static int
confine_batch(struct batch *batch)
{
	struct sandbox box;
	const char *last = "", *slash;
	size_t n = 0, length;
	bool begun =
	    make_output_directory(batch) && confine_begin(batch->args, &box);

	for (size_t i = 0; begun && i < batch->tasks; i++) {
		const char *path = task_file(&batch->task[i]);

		slash = strrchr(path, '/');
		length = slash != NULL ? (size_t)(slash - path) : 0;
		/* Most are in the directory of the input before. */
		if (length != n || strncmp(path, last, n) != 0 ||
		    batch->task[i].link)
			confine_allow(&box, path);
		last = path;
		n = length;
	}
	return confine_end(batch->args, &box, begun);
}

static int
run_workers(struct batch *batch)
{
	struct worker_pool pool;
	size_t before;
	int status, closed;

	find_own_files(batch);
	reopen_groups(batch);
	before = count_listed(batch);
	count_work(batch);
	status = confine_batch(batch);
	closed = start_pool(&pool, batch);
	if (status == CG_OK)
		status = closed;
	if (!begin_log(batch))
		status = cg_nomem(batch->args->job);
	if (status == CG_OK && batch->args->resume)
		clean_up(batch);
	if (status == CG_OK)
		status = run_tasks(&pool);
	stop_pool(&pool);
	end_commits(batch);
	end_log(batch);
	closed = close_manifest(batch);
	show_summary(batch, before);
	if (status == CG_OK)
		status = closed;
	if (status == CG_OK &&
	    (batch->count[FAILED] > 0 || batch->lost || !is_complete(batch)))
		status = CG_EINPUT;
	return status == CG_OK ? check_output(batch) : status;
}

static void
free_batch(struct batch *batch)
{
	free_logs(batch);
	free_groups(batch);
	free_texts(batch);
	free(batch->task);
	free(batch->suffix);
	free(batch->outputs.slot);
	free(batch->file);
}

/*
 * Sets the number of workers: -j, or the number of CPUs, but not more than the
 * limit of open files allows, as each worker needs two pipes.
 */
static void
limit_jobs(struct args *args)
{
	struct rlimit limit;

	args->jobs = count_jobs(args);
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_cur < 2 * args->jobs + FILES_SPARE)
		args->jobs = limit.rlim_cur > FILES_SPARE + 2
				 ? (size_t)(limit.rlim_cur - FILES_SPARE) / 2
				 : 1;
}

int
convert_batch(struct args *args)
{
	struct batch batch = { .args = args };
	int status;

	limit_jobs(args);
	begin_progress(&batch);
	status = confine_plan(args);
	if (status == CG_OK)
		status = plan_batch(&batch);
	/*
	 * Each worker has one thread, unless there is only one: see
	 * sum_threads().
	 */
	if (batch.tasks == 1)
		cg_job_set_threads(args->job, args->jobs);
	if (status == CG_OK && !args->dry_run)
		status = open_manifest(&batch);
	if (status == CG_OK)
		status =
		    args->dry_run ? show_plan(&batch) : run_workers(&batch);
	else
		(void)close_manifest(&batch);
	free_batch(&batch);
	return status;
}
