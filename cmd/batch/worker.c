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
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"

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

void
hear(void *arg, const struct cg_message *message)
{
	struct talk *talk = arg;
	struct cg_message named = *message;
	char *text = NULL, *name = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return;
	if (talk->task == NULL)
		named.file = talk->output;
	else if (named.file == NULL)
		named.file = name = task_name(talk->task);
	else if (talk->task->member != NULL)
		named.file = name = join_path(talk->task->path, named.file);
	put_message(to, &named);
	free(name);
	if (fclose(to) != 0 || size == 0)
		return;
	text[--size] = '\0'; /* the newline */
	if (message->severity == CG_WARNING) {
		fputs(talk->warned ? "," : "", talk->warnings);
		put_json(talk->warnings, (struct cg_slice){ text, size });
		talk->warned = true;
	}
	if (message->severity == CG_ERROR || !talk->args->quiet)
		fprintf(talk->log, "%s\n", text);
	if (message->severity == CG_ERROR && talk->error == NULL)
		talk->error = text;
	else
		free(text);
}

static void
put_totals(FILE *to, const struct cg_graph *graph)
{
	size_t count = cg_event_count(graph);
	uint64_t *cost = calloc(count + 1, sizeof(*cost));
	const struct cg_event *event;
	const char *before = "";

	if (cost == NULL || !sum_parts(graph, cost)) {
		free(cost);
		return;
	}
	fputs(",\"totals\":{", to);
	for (size_t i = 0; i < count; i++) {
		event = cg_get_event(graph, i);
		fputs(before, to);
		put_json(to, cg_slice(event->name));
		if (event->is_signed)
			fprintf(to, ":%" PRId64, (int64_t)cost[i]);
		else
			fprintf(to, ":%" PRIu64, cost[i]);
		before = ",";
	}
	putc('}', to);
	free(cost);
}

bool
open_talk(struct talk *talk, FILE **tail, char **text, size_t *size)
{
	talk->log = open_memstream(&talk->log_text, &talk->log_size);
	talk->warnings =
	    open_memstream(&talk->warnings_text, &talk->warnings_size);
	*tail = open_memstream(text, size);
	return *tail && talk->log && talk->warnings;
}

/* Ends the talk; with its words the tail is complete. */
static void
close_talk(struct talk *talk, FILE *tail, enum state state)
{
	(void)fclose(talk->log);
	(void)fclose(talk->warnings);
	if (talk->warned)
		fprintf(tail, ",\"warnings\":[%s]", talk->warnings_text);
	if (talk->error != NULL) {
		fputs(state == SKIPPED ? ",\"reason\":" : ",\"error\":", tail);
		put_json(tail, cg_slice(talk->error));
	}
}

bool
send_answer(int to, struct answer *answer, struct talk *talk, char *tail)
{
	char *all;
	size_t size;
	bool ok;

	/* What is no profile is not worth a line each, unless asked. */
	answer->log = answer->state == SKIPPED && !talk->args->verbose
			  ? 0
			  : talk->log_size;
	/* In one piece: the parent is woken once. */
	size = sizeof(*answer) + answer->log + answer->tail;
	all = malloc(size);
	ok = all != NULL;
	if (ok) {
		memcpy(all, answer, sizeof(*answer));
		memcpy(all + sizeof(*answer), talk->log_text, answer->log);
		memcpy(all + size - answer->tail, tail, answer->tail);
		ok = write_all(to, all, size);
	}
	free(all);
	free(tail);
	free(talk->log_text);
	free(talk->warnings_text);
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
    struct blob *blob, FILE *tail, bool *last)
{
	const struct cg_graph *graph = NULL;
	struct cg_detected found;
	int status = set_up(mind->batch, job, order, blob);

	if (status == CG_OK)
		status =
		    read_task(job, &mind->batch->task[order->task], &graph);
	if (cg_job_source(job, 0, &found) != NULL) {
		fputs(",\"format\":", tail);
		put_json(tail, cg_slice(found.module->name));
	}
	if (status == CG_OK)
		put_totals(tail, graph);
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
		fprintf(tail, ",\"exit\":%d", status);
	*last = *last || status == CG_ELIMIT;
	if (status != CG_OK)
		return FAILED;
	return order->doing == ADD ? SUMMED : DONE;
}

static bool
do_task(struct mind *mind, const struct order *order, struct blob *blob)
{
	struct batch *batch = mind->batch;
	struct talk *talk = &mind->talk;
	struct answer answer = { .state = FAILED };
	struct cg_job *job = cg_job_twin(batch->args->job);
	double began = seconds_now();
	char *text = NULL;
	FILE *tail;

	*talk = (struct talk){ .args = batch->args,
		.task = &batch->task[order->task] };
	if (job == NULL || !open_talk(talk, &tail, &text, &answer.tail))
		return false; /* the parent says so */
	cg_job_set_reporter(job, hear, talk);
	answer.state = convert_task(mind, job, order, blob, tail, &answer.last);
	cg_job_free(job);
	close_talk(talk, tail, answer.state);
	fprintf(tail, ",\"seconds\":%.6f", seconds_now() - began);
	(void)fclose(tail);
	return send_answer(mind->to, &answer, talk, text);
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
