/*
 * worker.c - a worker, which converts inputs in its own process, so that a
 * crash affects one input only. It is forked when all tasks (inputs) are
 * known, so an order is the number of a task. Bytes of archive members follow
 * the order, those of large members piece by piece. The answer has the task's
 * state, its messages, and a JSON object with members for its line in the
 * manifest.
 */
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "worker.h"

/* ---- One task ----------------------------------------------------------- */

static int
set_up_job(struct worker_state *state, struct cg_job *job,
    const struct worker_order *order, const struct blob *blob)
{
	struct batch *batch = state->batch;
	const struct task *task = &batch->task[order->task];
	size_t number = order->task;
	char *output;
	int status;

	for (size_t i = 0; i < order->blobs; i++) {
		const struct task *file = &batch->task[number];

		(void)cg_job_add_memory(job, file->path,
		    (struct cg_slice){ blob[i].bytes, blob[i].size });
		number = file->next;
	}
	if (!set_piece(state, order, &state->alone))
		return cg_nomem(job);
	if (order->streamed)
		(void)cg_job_add_input_callback(
		    job, task->path, read_stream, &state->stream);
	else if (state->alone.members != NULL)
		(void)cg_job_add_input_callback(
		    job, task->path, read_piece, &state->alone);
	else
		(void)cg_job_add_input(job, task->path);
	if (order->action == ADD)
		return target_sum(batch, job);
	/* The output's suffix may be that of the input. */
	status = cg_job_set_to(job, cg_job_target(batch->args->job)->name);
	if (status != CG_OK)
		return status;
	cg_job_set_deferred(job, batch->args->directory != NULL);
	output = task_output_path(batch, task);
	status =
	    output != NULL ? cg_job_set_output(job, output) : cg_nomem(job);
	free(output);
	return status;
}

/*
 * Returns true if the input's file was written while it was read. The result
 * may then mix old and new data. before: the file's status when reading began.
 */
static bool
has_changed(const struct task *task, const struct stat *before)
{
	struct stat now;
	struct timespec then = cg_mtime(before), time;

	if (is_member(task) || !S_ISREG(before->st_mode) ||
	    stat(task->path, &now) != 0)
		return false;
	time = cg_mtime(&now);
	return now.st_size != before->st_size || time.tv_sec != then.tv_sec ||
	       time.tv_nsec != then.tv_nsec;
}

static int
read_task(
    struct cg_job *job, const struct task *task, const struct cg_graph **graph)
{
	struct stat before = { 0 };
	int status;

	if (!is_member(task) && stat(task->path, &before) != 0)
		before.st_mode = 0;
	status = cg_job_read(job, graph);
	if (status == CG_OK && has_changed(task, &before))
		status = cg_fail(job, "the file changed while it was read");
	return status;
}

static bool
is_damaged_archive(const struct task *task)
{
	return !is_member(task) && looks_like_archive(task->path);
}

static enum state
convert_task(struct worker_state *state, struct cg_job *job,
    const struct worker_order *order, struct blob *blob,
    struct json_object *result, struct worker_answer *answer)
{
	const struct cg_graph *graph = NULL;
	struct cg_detected found;
	int status;

	if (order->unread) {
		status = add_unread(state, order, blob);
		answer->last = status != CG_OK;
		if (status == CG_OK)
			return SUMMED;
		return batch_stopped(state->batch) ? STOPPED : FAILED;
	}
	status = set_up_job(state, job, order, blob);
	if (status == CG_OK)
		status =
		    read_task(job, &state->batch->task[order->task], &graph);
	if (order->streamed && !drain_stream(&state->stream))
		status = CG_ELIMIT;
	if (cg_job_source(job, 0, &found) != NULL &&
	    !add_json_text(result, "format", cg_slice(found.module->name)))
		status = cg_nomem(job);
	if (status == CG_OK && !add_totals(result, graph))
		status = cg_nomem(job);
	if (status == CG_OK && order->action == CONVERT)
		status = cg_job_write(job);
	if (batch_stopped(state->batch))
		return STOPPED;
	if (status == CG_OK && cg_job_skipped(job))
		status = CG_EINPUT;
	answer->together = status == CG_OK && order->action == ADD &&
			   !order->together && is_summed(job);
	if (status == CG_OK && order->action == ADD && !answer->together) {
		status = add_to_sum(state, job, order, blob);
		/* A sum with part of an input is useless. */
		answer->last = status != CG_OK;
		answer->misfit = status == CG_EINPUT;
		if (status != CG_OK && batch_stopped(state->batch))
			return STOPPED;
	}
	/*
	 * A directory that cannot be read, or an archive whose first bytes are
	 * damaged, is a failure, too.
	 */
	if (status != CG_OK && cg_job_unclaimed(job) && !cg_job_skipped(job) &&
	    !is_damaged_archive(&state->batch->task[order->task]))
		return SKIPPED;
	if (status != CG_OK)
		(void)add_json_u64(result, "exit", (uint64_t)status);
	answer->last = answer->last || status == CG_ELIMIT;
	if (status != CG_OK)
		return FAILED;
	return order->action == ADD ? SUMMED : DONE;
}

static bool
add_seconds(struct json_object *result, double seconds)
{
	char text[32];

	/* On a virtual machine, even a monotonic clock may go backwards. */
	snprintf(text, sizeof(text), "%.6f", seconds > 0 ? seconds : 0.0);
	return add_json(
	    result, "seconds", json_object_new_double_s(seconds, text));
}

static bool
run_task(struct worker_state *state, const struct worker_order *order,
    struct blob *blob)
{
	struct batch *batch = state->batch;
	struct task_log *log = &state->log;
	struct worker_answer answer = { .state = FAILED };
	struct cg_job *job = cg_job_clone(batch->args->job);
	struct json_object *result = json_object_new_object();
	double began = seconds_now();
	bool ok;

	*log = (struct task_log){ .args = batch->args,
		.members = state->members,
		.task = &batch->task[order->task] };
	if (job == NULL || result == NULL || !open_task_log(log))
		return false; /* the parent reports the failure */
	cg_job_set_reporter(job, collect_message, log);
	answer.state = convert_task(state, job, order, blob, result, &answer);
	answer.deferred = cg_job_is_deferred(job);
	cg_job_free(job);
	ok = close_task_log(log, result, answer.state) &&
	     add_seconds(result, seconds_now() - began);
	return send_answer(state->to, &answer, log, json_text(result)) && ok;
}

/* ---- One sum ------------------------------------------------------------ */

/* Has the output list the inputs of the sum. Returns the status. */
static int
name_inputs(struct worker_state *state, const struct summed *summed)
{
	char *name[NAMED_MAX] = { NULL };
	size_t n = 0;
	int status = CG_OK;

	for (; status == CG_OK && n < summed->inputs && n < NAMED_MAX; n++) {
		name[n] = task_name(&state->batch->task[summed->task[n]]);
		if (name[n] == NULL)
			status = cg_nomem(state->sum);
	}
	if (status == CG_OK)
		status = cg_job_set_names(
		    state->sum, (const char *const *)name, n, summed->inputs);
	while (n > 0)
		free(name[--n]);
	return status;
}

static bool
write_sum(struct worker_state *state, const struct worker_order *order)
{
	struct batch *batch = state->batch;
	const struct group *group = &batch->group[order->group];
	struct task_log *log = &state->log;
	struct worker_answer answer = { .state = FAILED };
	struct summed summed;
	char *error;
	int status = CG_OK;

	if (order->whole && !read_all(state->from, &summed, sizeof(summed)))
		return false;
	*log = (struct task_log){ .args = batch->args,
		.members = state->members,
		.output = output_path(batch, group->output) };
	if (!log->output || !open_task_log(log))
		return false;
	if (order->action == MERGE)
		status = add_chunks(state, order);
	if (status == CG_OK && order->whole)
		status = name_inputs(state, &summed);
	if (status == CG_OK)
		status = set_target(state, order, log->output);
	if (status == CG_OK) {
		status = read_sum(state);
		answer.again =
		    status != CG_OK && state->unread && !batch_stopped(batch);
	}
	if (status == CG_OK && !order->whole)
		status = cg_job_set_to(state->sum, lossless(state->sum));
	if (status == CG_OK)
		status = cg_job_write(state->sum);
	if (status == CG_OK)
		answer.state = DONE;
	if (batch_stopped(batch))
		answer.state = STOPPED;
	answer.last = status == CG_ELIMIT;
	forget_sum(state);
	(void)close_text(log->log, &log->log_text);
	error = log->error;
	log->error = NULL;
	return send_answer(state->to, &answer, log, error);
}

/* ---- Orders ------------------------------------------------------------- */

static bool
take_blob(int from, struct blob *blob)
{
	*blob = (struct blob){ 0 };
	if (!read_all(from, &blob->size, sizeof(blob->size)))
		return false;
	blob->bytes = malloc(blob->size + 1);
	return blob->bytes != NULL && read_all(from, blob->bytes, blob->size);
}

static bool
take_task(struct worker_state *state, const struct worker_order *order)
{
	struct blob *blob = calloc(order->blobs + 1, sizeof(*blob));
	bool ok = blob != NULL;

	state->stream = (struct stream){ .from = state->from };
	if (order->first)
		forget_sum(state);
	(void)alarm(state->batch->args->timeout);
	for (size_t i = 0; ok && i < order->blobs; i++)
		ok = take_blob(state->from, &blob[i]);
	ok = ok && run_task(state, order, blob);
	for (size_t i = 0; blob != NULL && i < order->blobs; i++)
		free(blob[i].bytes);
	free(blob);
	(void)alarm(0);
	return ok;
}

/*
 * Limits the address space of this worker to --max-memory. Without the option,
 * limits it so that all workers together leave a quarter of the machine's
 * memory free, as a few bad inputs must not make it swap. With sanitizers,
 * there is no limit without the option. Never raises a limit that is there.
 */
static void
limit_memory(const struct args *args)
{
	uint64_t most = args->max_memory;
	struct rlimit limit;

	if (most == 0 && !CG_SANITIZED)
		most = cg_physical_memory() / 4 * 3 / args->jobs;
	if (most == 0 || getrlimit(RLIMIT_AS, &limit) != 0)
		return;
	if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > most)
		limit.rlim_cur = most < RLIM_INFINITY ? most : RLIM_INFINITY;
	(void)setrlimit(RLIMIT_AS, &limit);
}

struct worker_state *
open_worker(struct batch *batch, int from, int to)
{
	struct worker_state *state = calloc(1, sizeof(*state));

	if (state != NULL)
		*state = (struct worker_state){
			.batch = batch, .from = from, .to = to
		};
	return state;
}

bool
serve_order(struct worker_state *state, int *error)
{
	struct worker_order order;
	bool ok = read_all(state->from, &order, sizeof(order));

	*error = errno; /* 0 at the end of the orders */
	if (!ok)
		return false;
	errno = 0;
	ok = order.action == CONVERT || order.action == ADD
		 ? take_task(state, &order)
		 : write_sum(state, &order);
	*error = ok ? 0 : errno;
	return ok;
}

void
close_worker(struct worker_state *state)
{
	if (state == NULL)
		return;
	forget_sum(state);
	close_members(state->members);
	free(state->unit);
	free(state);
}

int
run_worker(struct batch *batch, int from, int to)
{
	struct worker_state *state = open_worker(batch, from, to);
	int error = ENOMEM;

	limit_memory(batch->args);
	sandbox_alone();
	(void)signal(SIGALRM, SIG_DFL);
	while (state != NULL && serve_order(state, &error))
		continue;
	if (error == EIO || error == EPIPE)
		return CG_EINPUT;
	return error == 0 ? CG_OK : CG_ELIMIT;
}
