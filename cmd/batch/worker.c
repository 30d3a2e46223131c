/*
 * worker.c - in the processes that convert: what kills one costs the
 * input that it was at, no more.
 *
 * A worker is forked when all tasks are known, so it is told a number, with
 * the bytes of what is no file of its own. It answers with what became of it.
 * Inputs with one output are read each by a job of its own, then added to a
 * sum; the sums of chunks are written in the format that loses nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"

#define WARNINGS_MAX 1000000 /* bytes of an input's in the manifest */

bool
write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	ssize_t got;

	for (; n > 0; at += got, n -= (size_t)got) {
		got = write(fd, at, n);
		if (got < 0 && errno != EINTR)
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

bool
read_all(int fd, void *bytes, size_t n)
{
	char *at = bytes;
	ssize_t got;

	for (; n > 0; at += got, n -= (size_t)got) {
		got = read(fd, at, n);
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

/* ---- What it says --------------------------------------------------------- */

/* The text of a message as it is shown; NULL: out of memory. */
static char *
message_text(const struct cg_message *message)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return NULL;
	put_message(to, message);
	if (fclose(to) == 0 && size > 0) {
		text[size - 1] = '\0'; /* the newline */
		return text;
	}
	free(text);
	return NULL;
}

void
hear(void *arg, const struct cg_message *message)
{
	struct talk *talk = arg;
	struct cg_message named = *message;
	char *text, *name = NULL;

	if (talk->task == NULL)
		named.file = talk->output;
	else if (named.file == NULL)
		named.file = name = task_name(talk->task);
	else if (talk->task->member != NULL)
		named.file = name = join_path(talk->task->path, named.file);
	text = message_text(&named);
	if (text == NULL) {
		free(name);
		return;
	}
	if (message->severity == CG_WARNING &&
	    talk->warning_bytes < WARNINGS_MAX) {
		(void)append_json(talk->warnings, json_slice(cg_slice(text)));
		talk->warning_bytes += strlen(text);
	}
	if (message->severity == CG_ERROR || !talk->args->quiet)
		fprintf(talk->log, "%s\n", text);
	if (message->severity == CG_ERROR && talk->error == NULL) {
		talk->error = text;
		talk->details = json_object_new_object();
		(void)add_json_message(talk->details, &named);
	} else {
		free(text);
	}
	free(name);
}

/* Sums that do not fit are left out. */
static bool
add_totals(struct json_object *result, const struct cg_graph *graph)
{
	size_t count = cg_event_count(graph);
	uint64_t *cost = calloc(count + 1, sizeof(*cost));
	struct json_object *totals = NULL;
	bool ok = cost != NULL;

	if (ok && sum_parts(graph, cost)) {
		totals = json_object_new_object();
		for (size_t i = 0; ok && i < count; i++)
			ok = add_json_amount(totals,
			    cg_get_event(graph, i)->name,
			    column_amount(graph, i, cost));
		ok = ok && add_json(result, "totals", totals);
	}
	free(cost);
	return ok;
}

bool
open_talk(struct talk *talk)
{
	talk->log = open_memstream(&talk->log_text, &talk->log_size);
	talk->warnings = json_object_new_array();
	return talk->log != NULL && talk->warnings != NULL;
}

/* Ends the talk; adds its words to the result. */
static bool
close_talk(struct talk *talk, struct json_object *result, enum state state)
{
	struct json_object_iter at;
	bool ok = fclose(talk->log) == 0;

	talk->log = NULL;
	if (json_object_array_length(talk->warnings) > 0)
		ok = ok && add_json(result, "warnings",
			       json_object_get(talk->warnings));
	if (talk->error == NULL)
		return ok;
	ok = ok && add_json_text(result, state == SKIPPED ? "reason" : "error",
		       cg_slice(talk->error));
	json_object_object_foreachC(talk->details, at)
	{
		ok = ok && add_json(result, at.key, json_object_get(at.val));
	}
	return ok;
}

bool
send_answer(int to, struct answer *answer, struct talk *talk, char *result)
{
	char *all;
	size_t size;
	bool ok;

	/* Inputs that are no profiles get no line each, unless asked for. */
	answer->log = answer->state == SKIPPED && !talk->args->verbose
			  ? 0
			  : talk->log_size;
	answer->result = result != NULL ? strlen(result) : 0;
	/* In one piece: the parent is woken once. */
	size = sizeof(*answer) + answer->log + answer->result;
	all = malloc(size);
	ok = all != NULL;
	if (ok) {
		memcpy(all, answer, sizeof(*answer));
		if (answer->log > 0)
			memcpy(
			    all + sizeof(*answer), talk->log_text, answer->log);
		if (answer->result > 0)
			memcpy(all + size - answer->result, result,
			    answer->result);
		ok = write_all(to, all, size);
	}
	free(all);
	free(result);
	free(talk->log_text);
	json_object_put(talk->warnings);
	json_object_put(talk->details);
	free(talk->error);
	free(talk->output);
	return ok;
}

/* ---- One task ------------------------------------------------------------ */

/* Sets the job up for the task; its status. */
static int
set_up(struct batch *batch, struct cg_job *job, const struct order *order,
    const struct blob *blob)
{
	const struct task *task = &batch->task[order->task];
	size_t number = order->task;
	char *output;
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && i < order->blobs; i++) {
		const struct task *file = &batch->task[number];

		status = cg_job_add_memory(job, file->member,
		    (struct cg_slice){ blob[i].bytes, blob[i].size });
		number = file->next;
	}
	if (status == CG_OK)
		status = cg_job_add_input(
		    job, task->member != NULL ? task->member : task->path);
	if (status != CG_OK || order->doing == ADD)
		return status == CG_OK ? aim_at_sum(job) : status;
	/* Not by the name, which may end as the input's does. */
	status = cg_job_set_to(job, cg_job_target(batch->args->job)->name);
	if (status != CG_OK)
		return status;
	output = place_output(batch, task_output(batch, task));
	status =
	    output != NULL ? cg_job_set_output(job, output) : cg_nomem(job);
	free(output);
	return status;
}

/*
 * A file that is written while it is read gives what it never was. Where it
 * stood when the batch was listed does not matter: days may have passed.
 */
static bool
has_changed(const struct task *task, const struct stat *before)
{
	struct stat now;

	return task->member == NULL && S_ISREG(before->st_mode) &&
	       stat(task->path, &now) == 0 &&
	       (now.st_size != before->st_size ||
		   now.st_mtim.tv_sec != before->st_mtim.tv_sec ||
		   now.st_mtim.tv_nsec != before->st_mtim.tv_nsec);
}

static int
read_task(
    struct cg_job *job, const struct task *task, const struct cg_graph **graph)
{
	struct stat before = { 0 };
	int status;

	if (task->member == NULL && stat(task->path, &before) != 0)
		before.st_mode = 0;
	status = cg_job_read(job, graph);
	if (status == CG_OK && has_changed(task, &before))
		status = cg_fail(job, "it was changed while it was read");
	return status;
}

static enum state
convert_task(struct mind *mind, struct cg_job *job, const struct order *order,
    struct blob *blob, struct json_object *result, bool *last)
{
	const struct cg_graph *graph = NULL;
	struct cg_detected found;
	int status = set_up(mind->batch, job, order, blob);

	if (status == CG_OK)
		status =
		    read_task(job, &mind->batch->task[order->task], &graph);
	if (cg_job_source(job, 0, &found) != NULL &&
	    !add_json_text(result, "format", cg_slice(found.module->name)))
		status = cg_nomem(job);
	if (status == CG_OK && !add_totals(result, graph))
		status = cg_nomem(job);
	if (status == CG_OK && order->doing == CONVERT)
		status = cg_job_write(job);
	if (batch_stopped(mind->batch))
		return STOPPED;
	if (status == CG_OK && cg_job_skipped(job))
		status = CG_EINPUT;
	if (status == CG_OK && order->doing == ADD) {
		status = add_to_sum(mind, job, order, blob);
		/* What was added by half is of no use. */
		*last = status != CG_OK;
	}
	/* A folder that cannot be read is not one without profiles. */
	if (status != CG_OK && cg_job_unclaimed(job) && !cg_job_skipped(job))
		return SKIPPED;
	if (status != CG_OK)
		(void)add_json_u64(result, "exit", (uint64_t)status);
	*last = *last || status == CG_ELIMIT;
	if (status != CG_OK)
		return FAILED;
	return order->doing == ADD ? SUMMED : DONE;
}

static bool
add_seconds(struct json_object *result, double seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6f", seconds);
	return add_json(
	    result, "seconds", json_object_new_double_s(seconds, text));
}

static bool
do_task(struct mind *mind, const struct order *order, struct blob *blob)
{
	struct batch *batch = mind->batch;
	struct talk *talk = &mind->talk;
	struct answer answer = { .state = FAILED };
	struct cg_job *job = cg_job_clone(batch->args->job);
	struct json_object *result = json_object_new_object();
	double began = seconds_now();
	bool ok;

	*talk = (struct talk){ .args = batch->args,
		.task = &batch->task[order->task] };
	if (job == NULL || result == NULL || !open_talk(talk))
		return false; /* the parent says so */
	cg_job_set_reporter(job, hear, talk);
	answer.state =
	    convert_task(mind, job, order, blob, result, &answer.last);
	cg_job_free(job);
	ok = close_talk(talk, result, answer.state) &&
	     add_seconds(result, seconds_now() - began);
	return send_answer(mind->to, &answer, talk, json_text(result)) && ok;
}

/* ---- Its life ------------------------------------------------------------ */

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
take_task(struct mind *mind, const struct order *order)
{
	struct blob *blob = calloc(order->blobs + 1, sizeof(*blob));
	bool ok = blob != NULL;

	(void)alarm(mind->batch->args->timeout);
	for (size_t i = 0; ok && i < order->blobs; i++)
		ok = take_blob(mind->from, &blob[i]);
	ok = ok && do_task(mind, order, blob);
	for (size_t i = 0; blob != NULL && i < order->blobs; i++)
		free(blob[i].bytes);
	free(blob);
	(void)alarm(0);
	return ok;
}

static void
limit_memory(const struct args *args)
{
	struct rlimit limit = { args->max_memory, args->max_memory };

	if (args->max_memory > 0)
		(void)setrlimit(RLIMIT_AS, &limit);
}

int
work(struct batch *batch, int from, int to)
{
	struct mind mind = { .batch = batch, .from = from, .to = to };
	struct order order;
	bool ok = true;

	limit_memory(batch->args);
	(void)signal(SIGALRM, SIG_DFL);
	while (ok && read_all(from, &order, sizeof(order)))
		ok = order.doing == CONVERT || order.doing == ADD
			 ? take_task(&mind, &order)
			 : do_sum(&mind, &order);
	return ok ? CG_OK : CG_ELIMIT;
}
