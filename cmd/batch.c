/*
 * batch.c - cgconv -O FOLDER INPUT...: many inputs, an output each.
 *
 * The parent lists what there is to do, reads archives, hands tasks to
 * workers and keeps the books; it looks into no profile itself.
 */
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"

#define JOBS_MAX 1024
/* Seconds between two sights of the progress, on a terminal and in a log. */
#define TERMINAL_SECONDS 0.2
#define LOG_SECONDS 30.0

bool
batch_stopped(const struct batch *batch)
{
	return batch->args->stop != NULL && *batch->args->stop != 0;
}

/* ---- What is said -------------------------------------------------------- */

static double
seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void
wipe_progress(struct batch *batch)
{
	if (batch->progress)
		fputs("\r\033[K", stderr);
	batch->progress = false;
}

static size_t
count_ended(const struct batch *batch)
{
	return batch->count[DONE] + batch->count[FAILED] +
	       batch->count[SKIPPED] + batch->count[KEPT];
}

static void
show_progress(struct batch *batch)
{
	bool terminal = isatty(STDERR_FILENO);
	double now = seconds_now(), past = now - batch->began, rate, left;
	size_t ended = count_ended(batch);

	if (batch->args->quiet ||
	    now - batch->shown < (terminal ? TERMINAL_SECONDS : LOG_SECONDS))
		return;
	batch->shown = now;
	wipe_progress(batch);
	rate = past > 0 ? (double)ended / past : 0;
	left = rate > 0 ? (double)(batch->tasks - ended) / rate : 0;
	fprintf(stderr,
	    "%s%zu of %zu inputs, %zu failed, %.0f a second, %.0f s left%s",
	    terminal ? "" : "cgconv: ", ended, batch->tasks,
	    batch->count[FAILED], rate, left, terminal ? "" : "\n");
	(void)fflush(stderr);
	batch->progress = terminal;
}

static void
show_summary(struct batch *batch, size_t before)
{
	size_t left = batch->tasks - count_ended(batch);

	wipe_progress(batch);
	if (batch->args->quiet)
		return;
	fprintf(stderr,
	    "cgconv: %zu inputs: %zu converted, %zu failed, "
	    "%zu skipped, %zu kept",
	    batch->tasks, batch->count[DONE], batch->count[FAILED],
	    batch->count[SKIPPED], batch->count[KEPT]);
	if (before > 0)
		fprintf(stderr, ", %zu of them before", before);
	if (left > 0)
		fprintf(stderr, ", %zu left", left);
	fprintf(stderr, "; %.1f s\n", seconds_now() - batch->began);
}

/* ---- Tasks that end ------------------------------------------------------ */

/*
 * Logs come in the order of the inputs, whoever was faster; at the end, also
 * behind what was never begun.
 */
static void
print_logs(struct batch *batch, bool at_end)
{
	while (batch->printed < batch->tasks &&
	       (at_end || batch->task[batch->printed].state != TODO)) {
		struct task *task = &batch->task[batch->printed++];

		if (task->log != NULL && task->log[0] != '\0') {
			wipe_progress(batch);
			fputs(task->log, stderr);
		}
		free(task->log);
		task->log = NULL;
	}
}

void
end_task(struct batch *batch, size_t number, enum state state, char *log,
    const char *tail)
{
	struct task *task = &batch->task[number];

	task->state = state;
	task->log = log;
	batch->count[state]++;
	put_manifest(batch, task, tail);
	print_logs(batch, false);
	show_progress(batch);
}

void
fail_task(struct batch *batch, size_t number, const char *text)
{
	char *name = task_name(&batch->task[number]), *log = NULL, *tail = NULL;
	const struct cg_message message = {
		.severity = CG_ERROR, .file = name, .text = text
	};
	size_t size;
	FILE *to = open_memstream(&log, &size);

	if (to != NULL) {
		put_message(to, &message);
		(void)fclose(to);
	}
	to = open_memstream(&tail, &size);
	if (to != NULL) {
		fputs(",\"error\":", to);
		put_json(to, cg_slice(text));
		(void)fclose(to);
	}
	end_task(batch, number, FAILED, log, tail != NULL ? tail : "");
	free(tail);
	free(name);
}

/* ---- Outputs ------------------------------------------------------------- */

/* Makes the folders of a path below the folder of outputs. */
static bool
make_folders(char *path)
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

/* Is there an output that is newer than its input? */
static bool
is_kept(const struct batch *batch, const struct task *task, const char *path)
{
	struct stat info;

	return !batch->args->overwrite && stat(path, &info) == 0 &&
	       S_ISREG(info.st_mode) && info.st_size > 0 &&
	       (int64_t)info.st_mtime > task->mtime;
}

bool
prepare_task(struct batch *batch, size_t number)
{
	struct task *task = &batch->task[number];
	char *path = join_path(batch->args->folder, task->output);
	bool ok = path != NULL && make_folders(path), kept;

	if (!ok)
		fail_task(batch, number,
		    path != NULL ? strerror(errno) : "out of memory");
	kept = ok && is_kept(batch, task, path);
	if (kept)
		end_task(batch, number, KEPT, NULL, "");
	free(path);
	return ok && !kept;
}

/* ---- Handing out --------------------------------------------------------- */

/* Waits until a worker has an answer; false if none is busy. */
static bool
wait_for_answer(struct crew *crew)
{
	struct batch *batch = crew->batch;
	size_t jobs = batch->args->jobs;
	bool busy = false;

	for (size_t i = 0; i < jobs; i++) {
		crew->poll[i].fd =
		    crew->worker[i].busy ? crew->worker[i].from : -1;
		crew->poll[i].events = POLLIN;
		crew->poll[i].revents = 0;
		busy = busy || crew->worker[i].busy;
	}
	if (!busy)
		return false;
	if (poll(crew->poll, (nfds_t)jobs, 1000) <= 0) {
		show_progress(batch);
		return true;
	}
	for (size_t i = 0; i < jobs; i++)
		if (crew->poll[i].revents != 0)
			take_result(batch, &crew->worker[i]);
	return true;
}

/* NULL: cannot have one. */
static struct worker *
idle_worker(struct crew *crew)
{
	for (;;) {
		for (size_t i = 0; i < crew->batch->args->jobs; i++) {
			struct worker *worker = &crew->worker[i];

			if (worker->pid > 0 && !worker->busy)
				return worker;
			if (worker->pid <= 0)
				return start_worker(
					   crew->batch, worker, crew->worker)
					   ? worker
					   : NULL;
		}
		(void)wait_for_answer(crew);
	}
}

bool
may_go_on(const struct batch *batch)
{
	return !batch_stopped(batch) &&
	       !(batch->args->fail_fast && batch->count[FAILED] > 0);
}

int
hand_out(
    struct crew *crew, size_t number, const struct blob *blob, size_t blobs)
{
	struct worker *worker = idle_worker(crew);

	if (worker == NULL)
		return CG_ELIMIT;
	if (may_go_on(crew->batch))
		send_task(worker, number, blob, blobs);
	return CG_OK;
}

/* ---- The batch ----------------------------------------------------------- */

/* The end of the tasks that are of the same archive. */
static size_t
archive_end(const struct batch *batch, size_t first, bool *work)
{
	size_t n = first;

	*work = false;
	for (; n < batch->tasks && batch->task[n].member != NULL &&
	       strcmp(batch->task[n].path, batch->task[first].path) == 0;
	     n++)
		*work = *work || batch->task[n].state == TODO;
	return n;
}

static int
do_tasks(struct crew *crew)
{
	struct batch *batch = crew->batch;
	int status = CG_OK;
	size_t end;
	bool work;

	for (size_t i = 0; status == CG_OK && i < batch->tasks; i = end) {
		if (!may_go_on(batch))
			break;
		end = i + 1;
		if (batch->task[i].member != NULL) {
			end = archive_end(batch, i, &work);
			if (work)
				status = do_archive(crew, i, end);
		} else if (batch->task[i].state == TODO &&
			   prepare_task(batch, i)) {
			status = hand_out(crew, i, NULL, 0);
		}
	}
	while (wait_for_answer(crew))
		continue;
	return status;
}

/* What was clear when the list was made. */
static size_t
count_listed(struct batch *batch)
{
	size_t before = 0;

	for (size_t i = 0; i < batch->tasks; i++) {
		struct task *task = &batch->task[i];

		if (task->state == TODO)
			continue;
		batch->count[task->state]++;
		before += task->before;
		if (!task->before)
			put_manifest(batch, task, "");
	}
	return before;
}

static int
show_plan(const struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		const struct task *task = &batch->task[i];
		char *name = task_name(task);

		if (name == NULL)
			return cg_nomem(batch->args->job);
		put_safe(stdout, cg_slice(name));
		free(name);
		if (task->state == TODO) {
			fputs(" -> ", stdout);
			put_safe(stdout, cg_slice(task->output));
			putchar('\n');
		} else {
			printf(": %s%s%s\n", state_name[task->state],
			    task->reason ? ", " : "",
			    task->reason ? task->reason : "");
		}
	}
	return CG_OK;
}

/* Is it what a run that was killed has left of an output of ours? */
static bool
is_leftover(struct batch *batch, const char *folder, const char *name)
{
	const char *mark = strstr(name, ".cgconv.");
	char *output;
	size_t n;
	bool ours;

	if (name[0] != '.' || mark == NULL ||
	    strspn(mark + 8, "0123456789.") != strlen(mark + 8))
		return false;
	output = join_path(folder, name + 1);
	if (output == NULL)
		return false;
	n = strlen(output) - strlen(mark);
	output[n] = '\0';
	ours = has_output(batch, folder[0] != '\0' ? output : output + 1);
	free(output);
	return ours;
}

/* Others may be at work in the same folders, on outputs of their own. */
static void
remove_leftovers(struct batch *batch, const char *below)
{
	char *folder = join_path(batch->args->folder, below), *path;
	DIR *dir = folder != NULL ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		if (!is_leftover(batch, below, entry->d_name))
			continue;
		path = join_path(folder, entry->d_name);
		if (path != NULL)
			(void)unlink(path);
		free(path);
	}
	if (dir != NULL)
		(void)closedir(dir);
	free(folder);
}

static void
clean_up(struct batch *batch)
{
	char *last = NULL;

	for (size_t i = 0; i < batch->tasks; i++) {
		const char *output = batch->task[i].output;
		const char *slash =
		    output != NULL ? strrchr(output, '/') : NULL;
		char *folder;

		if (output == NULL)
			continue;
		folder = strndup(output, slash ? (size_t)(slash - output) : 0);
		if (folder != NULL &&
		    (last == NULL || strcmp(folder, last) != 0))
			remove_leftovers(batch, folder);
		free(last);
		last = folder;
	}
	free(last);
}

static int
run_workers(struct batch *batch)
{
	size_t jobs = batch->args->jobs;
	struct crew crew = { .batch = batch,
		.worker = calloc(jobs, sizeof(*crew.worker)),
		.poll = calloc(jobs, sizeof(*crew.poll)) };
	size_t before = count_listed(batch);
	int status = CG_OK, closed;

	if (crew.worker == NULL || crew.poll == NULL)
		status = cg_nomem(batch->args->job);
	if (status == CG_OK && batch->args->resume)
		clean_up(batch);
	if (status == CG_OK)
		status = do_tasks(&crew);
	for (size_t i = 0; crew.worker != NULL && i < jobs; i++)
		stop_worker(&crew.worker[i]);
	free(crew.worker);
	free(crew.poll);
	print_logs(batch, true);
	closed = close_manifest(batch);
	show_summary(batch, before);
	if (status == CG_OK)
		status = closed;
	if (status == CG_OK && batch->count[FAILED] > 0)
		status = CG_EINPUT;
	return status;
}

static void
free_batch(struct batch *batch)
{
	for (size_t i = 0; i < batch->tasks; i++) {
		free(batch->task[i].path);
		free(batch->task[i].member);
		free(batch->task[i].output);
		free(batch->task[i].log);
	}
	free(batch->task);
	free(batch->outputs.slot);
}

int
convert_batch(struct args *args)
{
	struct batch batch = { .args = args };
	int status;

	if (args->jobs == 0) {
		long cores = sysconf(_SC_NPROCESSORS_ONLN);

		args->jobs = cores > 0 && cores < JOBS_MAX ? (size_t)cores : 1;
	}
	if (args->jobs > JOBS_MAX)
		return cg_usage(args->job, "-j: no more than %d", JOBS_MAX);
	batch.began = batch.shown = seconds_now();
	status = plan_batch(&batch);
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
