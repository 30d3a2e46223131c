/*
 * batch_worker.c - the processes that convert: what kills one costs the
 * input that it was at, no more.
 *
 * A worker is forked when all tasks are known, so it is told a number, with
 * the bytes of what is no file of its own. It answers with what became of it.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"

struct order {
	size_t task, blobs;
};

struct answer {
	size_t task;
	enum state state;
	bool last;        /* short of memory: another worker is to go on */
	size_t log, tail; /* bytes that follow */
};

static bool
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

static bool
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

/* ---- In the worker: one task --------------------------------------------- */

/* What is said of it, as lines for people and as JSON. */
struct talk {
	const struct args *args;
	FILE *log, *warnings;
	char *log_text, *warnings_text;
	size_t log_size, warnings_size;
	const struct task *task;
	char *error; /* the first one */
	bool warned;
};

static void
hear(void *arg, const struct cg_message *message)
{
	struct talk *talk = arg;
	struct cg_message named = *message;
	char *text = NULL, *name = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return;
	if (named.file == NULL)
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

/* Sets the job up for the task; its status. */
static int
set_up(struct batch *batch, struct cg_job *job, const struct task *task,
    const struct blob *blob, size_t blobs)
{
	size_t number = task->leader;
	char *output;
	int status = CG_OK;

	for (size_t i = 0; status == CG_OK && i < blobs; i++) {
		const struct task *file = &batch->task[number];

		status = cg_job_add_memory(job, file->member,
		    (struct cg_slice){ blob[i].bytes, blob[i].size });
		number = file->next;
	}
	if (status == CG_OK)
		status = cg_job_add_input(
		    job, task->member != NULL ? task->member : task->path);
	output = join_path(batch->args->folder, task->output);
	if (status == CG_OK)
		status = output != NULL ? cg_job_set_output(job, output)
					: cg_nomem(job);
	free(output);
	return status;
}

static double
seconds_now(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static enum state
convert_task(struct batch *batch, struct cg_job *job, const struct task *task,
    const struct blob *blob, size_t blobs, FILE *tail, bool *last)
{
	const struct cg_graph *graph = NULL;
	struct cg_detected found;
	int status = set_up(batch, job, task, blob, blobs);

	if (status == CG_OK)
		status = cg_job_read(job, &graph);
	if (cg_job_source(job, 0, &found) != NULL) {
		fputs(",\"format\":", tail);
		put_json(tail, cg_slice(found.module->name));
	}
	if (status == CG_OK)
		put_totals(tail, graph);
	if (status == CG_OK)
		status = cg_job_write(job);
	if (batch_stopped(batch))
		return STOPPED;
	if (status != CG_OK && cg_job_unclaimed(job))
		return SKIPPED;
	if (status != CG_OK)
		fprintf(tail, ",\"exit\":%d", status);
	*last = status == CG_ELIMIT;
	return status == CG_OK ? DONE : FAILED;
}

static bool
send_answer(int to, struct answer *answer, struct talk *talk, char *tail)
{
	bool ok;

	/* What is no profile is not worth a line each, unless asked. */
	answer->log = answer->state == SKIPPED && !talk->args->verbose
			  ? 0
			  : talk->log_size;
	ok = write_all(to, answer, sizeof(*answer)) &&
	     write_all(to, talk->log_text, answer->log) &&
	     write_all(to, tail, answer->tail);
	free(tail);
	free(talk->log_text);
	free(talk->warnings_text);
	free(talk->error);
	return ok;
}

static bool
do_task(struct batch *batch, int to, const struct order *order,
    const struct blob *blob)
{
	struct talk talk = { .args = batch->args };
	struct answer answer = { .task = order->task, .state = FAILED };
	struct cg_job *job = cg_job_twin(batch->args->job);
	double began = seconds_now();
	char *text = NULL;
	FILE *tail = open_memstream(&text, &answer.tail);

	talk.log = open_memstream(&talk.log_text, &talk.log_size);
	talk.warnings =
	    open_memstream(&talk.warnings_text, &talk.warnings_size);
	talk.task = &batch->task[order->task];
	if (job == NULL || !tail || !talk.log || !talk.warnings)
		return false; /* the parent says so */
	cg_job_set_reporter(job, hear, &talk);
	answer.state = convert_task(batch, job, &batch->task[order->task], blob,
	    order->blobs, tail, &answer.last);
	cg_job_free(job);
	(void)fclose(talk.log);
	(void)fclose(talk.warnings);
	if (talk.warned)
		fprintf(tail, ",\"warnings\":[%s]", talk.warnings_text);
	if (talk.error != NULL) {
		fputs(answer.state == SKIPPED ? ",\"reason\":" : ",\"error\":",
		    tail);
		put_json(tail, cg_slice(talk.error));
	}
	fprintf(tail, ",\"seconds\":%.6f", seconds_now() - began);
	(void)fclose(tail);
	return send_answer(to, &answer, &talk, text);
}

/* ---- In the worker: its life --------------------------------------------- */

static bool
take_blob(int from, struct blob *blob)
{
	*blob = (struct blob){ 0 };
	if (!read_all(from, &blob->size, sizeof(blob->size)))
		return false;
	blob->bytes = malloc(blob->size + 1);
	return blob->bytes != NULL && read_all(from, blob->bytes, blob->size);
}

static void
limit_memory(const struct args *args)
{
	struct rlimit limit = { args->max_memory, args->max_memory };

	if (args->max_memory > 0)
		(void)setrlimit(RLIMIT_AS, &limit);
}

static int
work(struct batch *batch, int from, int to)
{
	struct order order;
	struct blob *blob;
	bool ok = true;

	limit_memory(batch->args);
	(void)signal(SIGALRM, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_IGN);
	while (ok && read_all(from, &order, sizeof(order))) {
		(void)alarm(batch->args->timeout);
		blob = calloc(order.blobs + 1, sizeof(*blob));
		ok = blob != NULL;
		for (size_t i = 0; ok && i < order.blobs; i++)
			ok = take_blob(from, &blob[i]);
		ok = ok && do_task(batch, to, &order, blob);
		for (size_t i = 0; blob != NULL && i < order.blobs; i++)
			free(blob[i].bytes);
		free(blob);
		(void)alarm(0);
	}
	return ok ? CG_OK : CG_ELIMIT;
}

/* ---- In the parent ------------------------------------------------------- */

bool
start_worker(struct batch *batch, struct worker *worker, struct worker *all)
{
	int order[2], answer[2] = { -1, -1 };

	*worker = (struct worker){ .to = -1, .from = -1 };
	(void)fflush(NULL);
	if (pipe(order) != 0 || pipe(answer) != 0 ||
	    (worker->pid = fork()) < 0) {
		fprintf(stderr, "cgconv: error: cannot start a worker: %s\n",
		    strerror(errno));
		return false;
	}
	if (worker->pid == 0) {
		/* Others must see the end of theirs when the parent ends. */
		for (size_t i = 0; i < batch->args->jobs; i++) {
			if (all[i].pid <= 0)
				continue;
			(void)close(all[i].to);
			(void)close(all[i].from);
		}
		(void)close(order[1]);
		(void)close(answer[0]);
		_exit(work(batch, order[0], answer[1]));
	}
	(void)close(order[0]);
	(void)close(answer[1]);
	worker->to = order[1];
	worker->from = answer[0];
	return true;
}

/* A worker that died meanwhile is found out when its answer is taken. */
void
send_task(
    struct worker *worker, size_t task, const struct blob *blob, size_t blobs)
{
	struct order order = { task, blobs };
	bool ok = write_all(worker->to, &order, sizeof(order));

	for (size_t i = 0; ok && i < blobs; i++)
		ok = write_all(
			 worker->to, &blob[i].size, sizeof(blob[i].size)) &&
		     write_all(worker->to, blob[i].bytes, blob[i].size);
	worker->busy = task + 1;
}

void
stop_worker(struct worker *worker)
{
	if (worker->pid <= 0)
		return;
	(void)close(worker->to);
	(void)close(worker->from);
	while (waitpid(worker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	*worker = (struct worker){ .to = -1, .from = -1 };
}

/* It is gone: says why, as far as one can know. */
static void
bury(struct batch *batch, struct worker *worker)
{
	size_t task = worker->busy - 1;
	char text[128];
	int status = 0;

	(void)close(worker->to);
	(void)close(worker->from);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	*worker = (struct worker){ .to = -1, .from = -1 };
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(text, sizeof(text), "took more than %u seconds",
		    batch->args->timeout);
	else if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "the worker was killed: %s",
		    strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "out of memory");
	if (batch_stopped(batch))
		end_task(batch, task, STOPPED, NULL, "");
	else
		fail_task(batch, task, text);
}

void
take_result(struct batch *batch, struct worker *worker)
{
	struct answer answer;
	char *log = NULL, *tail = NULL;
	bool ok = read_all(worker->from, &answer, sizeof(answer)) &&
		  (log = malloc(answer.log + 1)) != NULL &&
		  (tail = malloc(answer.tail + 1)) != NULL &&
		  read_all(worker->from, log, answer.log) &&
		  read_all(worker->from, tail, answer.tail);

	if (!ok) {
		free(log);
		free(tail);
		bury(batch, worker);
		return;
	}
	worker->busy = 0;
	log[answer.log] = tail[answer.tail] = '\0';
	end_task(batch, answer.task, answer.state, log, tail);
	if (answer.last)
		stop_worker(worker);
	free(tail);
}
