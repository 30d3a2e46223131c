/*
 * pool.c - the worker processes, seen from the parent: starts workers, sends
 * orders, receives answers, and records failures of workers that die.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "base/platform.h"
#include "batch.h"

/* ---- One worker --------------------------------------------------------- */

static void
close_pipe(const int fd[2])
{
	(void)cg_pipe_close(fd[0]);
	(void)cg_pipe_close(fd[1]);
}

/*
 * Creates the two pipes between the parent and a worker process, for orders
 * and for answers. False: neither is open; errno says why.
 */
static bool
make_pipes(int order[2], int answer[2])
{
	if (cg_pipe(order) != 0)
		return false;
	if (cg_pipe(answer) == 0)
		return true;
	close_pipe(order);
	return false;
}

/*
 * Called in a worker process. Makes Linux send the worker SIGTERM when its
 * parent ends. Ends the worker at once if the parent has ended already. On
 * other systems, a worker only ends when it can no longer send its answer.
 */
static void
end_with(pid_t parent)
{
#ifdef __linux__
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	if (getppid() != parent)
		_exit(CG_ELIMIT);
}

/*
 * Makes the parent process the worker, for systems without processes. An order
 * then stays in its pipe until the parent waits for the answer. False: out of
 * memory; both pipes are closed, and errno is set.
 */
static bool
work_here(struct worker_pool *pool, struct worker *worker, const int order[2],
    const int answer[2])
{
	worker->here = open_worker(pool->batch, order[0], answer[1]);
	if (worker->here == NULL) {
		close_pipe(order);
		close_pipe(answer);
		errno = ENOMEM;
		return false;
	}
	worker->pid = getpid();
	worker->to = order[1];
	worker->from = answer[0];
	return true;
}

/*
 * Forks a worker, which is connected to the parent by two pipes. On systems
 * without processes (see CG_HAVE_PROCESSES), the parent itself becomes the
 * worker. False: the worker cannot be started, and errno says why.
 */
static bool
start_worker(struct worker_pool *pool, struct worker *worker)
{
	const pid_t parent = getpid();
	int order[2], answer[2], error;

	*worker = (struct worker){ .to = -1, .from = -1 };
	(void)fflush(NULL);
	if (!make_pipes(order, answer))
		return false;
	if (!CG_HAVE_PROCESSES)
		return work_here(pool, worker, order, answer);
	worker->pid = fork();
	if (worker->pid < 0) {
		error = errno;
		worker->pid = 0;
		close_pipe(order);
		close_pipe(answer);
		errno = error;
		return false;
	}
	if (worker->pid == 0) {
		end_with(parent);
		/*
		 * Close the pipes of other workers, which otherwise get no EOF
		 * when the parent ends.
		 */
		for (size_t i = 0; i < pool->batch->args->jobs; i++) {
			if (pool->worker[i].pid <= 0)
				continue;
			(void)close(pool->worker[i].to);
			(void)close(pool->worker[i].from);
		}
		(void)close(order[1]);
		(void)close(answer[0]);
		_exit(run_worker(pool->batch, order[0], answer[1]));
	}
	(void)close(order[0]);
	(void)close(answer[1]);
	worker->to = order[1];
	worker->from = answer[0];
	return true;
}

/*
 * Closes the worker's pipes and waits until it has ended; returns its wait
 * status.
 */
static int
stop_worker(struct worker *worker)
{
	int status = 0;

	(void)cg_pipe_close(worker->to);
	(void)cg_pipe_close(worker->from);
	close_worker(worker->here);
	while (worker->here == NULL && waitpid(worker->pid, &status, 0) < 0 &&
	       errno == EINTR)
		continue;
	*worker = (struct worker){ .to = -1, .from = -1 };
	return status;
}

/*
 * Sends bytes to the worker, unless an earlier call failed. On failure kills
 * the worker, as it would wait for the rest forever, and sets worker->error.
 * Reading its answer detects the death.
 */
static void
send_bytes(struct worker *worker, const void *bytes, size_t n)
{
	/* After EPIPE the worker has ended: its wait status tells why. */
	if (worker->error != 0 || write_all(worker->to, bytes, n) ||
	    errno == EPIPE)
		return;
	worker->error = errno;
	(void)kill(worker->pid, SIGKILL);
}

static void
send_order(struct worker *worker, struct worker_order order)
{
	worker->order = order;
	worker->busy = true;
	send_bytes(worker, &order, sizeof(order));
}

/*
 * Orders the worker to convert an input or to add it to the sum. Sends the
 * bytes of archive members, too. unread: the worker reads the input only when
 * it writes the sum.
 */
static void
send_piece(struct worker *worker, enum action action, const struct piece *piece,
    bool unread)
{
	send_order(worker,
	    (struct worker_order){ .action = action,
		.task = piece->task,
		.blobs = piece->blobs,
		.streamed = piece->streamed,
		.first = worker->chunk != NULL && worker->chunk->summed == 0,
		.unread = unread,
		.known = piece->known,
		.together = worker->chunk != NULL && worker->chunk->together });
	for (size_t i = 0; i < piece->blobs; i++) {
		const struct blob *blob = &piece->blob[i];

		send_bytes(worker, &blob->size, sizeof(blob->size));
		send_bytes(worker, blob->bytes, blob->size);
	}
}

/* Sends the inputs of the output that the worker is to write. */
static void
send_summed(
    struct batch *batch, struct worker *worker, const struct group *group)
{
	struct summed summed;

	find_summed(batch, group, &summed);
	send_bytes(worker, &summed, sizeof(summed));
}

/* ---- Streams ------------------------------------------------------------ */

/*
 * Bytes sent in one write. A signal is not handled until the worker has read
 * them.
 */
#define STREAM_PIECE ((size_t)64 << 10)

/*
 * Returns the worker that waits for bytes of a large archive member, which are
 * sent piece by piece; at most one does. NULL: none.
 */
static struct worker *
streaming_worker(struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->batch->args->jobs; i++)
		if (pool->worker[i].busy && pool->worker[i].order.streamed)
			return &pool->worker[i];
	return NULL;
}

/*
 * Sends bytes of an archive member to the worker that waits for them. It
 * answers only after the last byte, so full pipes cannot block both sides.
 * False: no worker waits, sending failed, or the batch was stopped.
 */
bool
send_stream(struct worker_pool *pool, const char *bytes, size_t n)
{
	struct worker *worker = streaming_worker(pool);

	while (worker != NULL && n > 0 && !batch_stopped(pool->batch)) {
		size_t piece = n < STREAM_PIECE ? n : STREAM_PIECE;

		send_bytes(worker, &piece, sizeof(piece));
		send_bytes(worker, bytes, piece);
		show_progress(pool->batch);
		bytes += piece;
		n -= piece;
	}
	return worker != NULL && n == 0 && worker->error == 0;
}

void
end_stream(struct worker_pool *pool, const char *fault)
{
	struct worker *worker = streaming_worker(pool);
	const size_t end = 0;

	if (worker == NULL)
		return;
	worker->order.streamed = false;
	if (fault == NULL && !batch_stopped(pool->batch)) {
		send_bytes(worker, &end, sizeof(end));
		return;
	}
	/* The bytes that the worker has read may look complete: kill it. */
	worker->fault = fault != NULL ? strdup(fault) : NULL;
	(void)kill(worker->pid, SIGKILL);
}

/* ---- Chunks ------------------------------------------------------------- */

/*
 * Fails the pending tasks of the rest of a chunk (the inputs that one worker
 * sums), from chunk->at on, as their group (the inputs of one output) gets no
 * output. "error" is the reason. Moves chunk->at to the end.
 */
static void
fail_pending(struct batch *batch, struct chunk *chunk, const char *error)
{
	for (; chunk->at < chunk->count; chunk->at++) {
		size_t number = chunk->piece[chunk->at].task;

		if (batch->task[number].state == PENDING)
			fail_without_log(batch, number, error);
	}
}

/*
 * Returns true if the input is read only with others, when the sum is written:
 * it has several files, or its format sums. Reading it alone before would
 * double the work. False if its own result is needed earlier, or it is sent in
 * pieces.
 */
static bool
reads_together(const struct batch *batch, const struct piece *piece)
{
	const struct task *task = &batch->task[piece->task];

	return batch->manifest == NULL && batch->args->timeout == 0 &&
	       !batch->args->fail_fast && !piece->streamed &&
	       (is_gathered(batch, task) || is_summed_by_format(batch, task));
}

/*
 * Orders the worker to add the next input of its chunk to the sum. After the
 * last one, orders it to write the sum; ends a chunk without a sum. If the
 * group has failed, the chunk's remaining inputs fail, and no sum is written.
 */
static void
continue_chunk(struct batch *batch, struct worker *worker)
{
	struct chunk *chunk = worker->chunk;
	const char *error = chunk->group->error;

	if (error != NULL) {
		chunk->summed = 0;
		fail_pending(batch, chunk, error);
	}
	if (chunk->at < chunk->count) {
		const struct piece *piece = &chunk->piece[chunk->at];
		bool unread = !chunk->alone && !piece->known &&
			      reads_together(batch, piece);

		chunk->unread |= unread;
		send_piece(worker, ADD, piece, unread || piece->known);
	} else if (chunk->summed > 0) {
		send_order(
		    worker, (struct worker_order){ .action = WRITE,
				.group = (size_t)(chunk->group - batch->group),
				.chunk = chunk->number,
				.whole = chunk->whole });
		if (chunk->whole)
			send_summed(batch, worker, chunk->group);
	} else {
		worker->chunk = NULL;
		end_chunk(batch, chunk);
	}
}

static void
take_piece_out(struct chunk *chunk)
{
	free_piece(&chunk->piece[chunk->at]);
	chunk->count--;
	memmove(&chunk->piece[chunk->at], &chunk->piece[chunk->at + 1],
	    (chunk->count - chunk->at) * sizeof(*chunk->piece));
}

/*
 * Marks a task as SUMMED, as its input is in a sum; it is DONE only when the
 * output is written. Takes over log and result (allocated). After a restart of
 * the sum only replaces the result.
 */
static void
note_summed(struct batch *batch, size_t number, char *log, char *result)
{
	set_result(batch, number, result);
	if (batch->task[number].state == PENDING)
		end_task(batch, number, SUMMED, log, NULL);
	else
		free(log);
}

/*
 * Fails the group (the inputs of one output) because an input's event has
 * another unit, and reports that once. Leaving such inputs out instead is no
 * choice: which ones fit would depend on order, shards and chunks.
 */
static void
refuse_sum(struct batch *batch, struct group *group)
{
	const char *error = "an input cannot be added to the others";
	const struct cg_message message = {
		.severity = CG_ERROR, .file = group->output, .text = error
	};

	if (group->error == NULL) {
		print_lines(batch, ""); /* remove the progress line */
		put_message(stderr, &message);
	}
	fail_group(batch, group, error);
}

static void
end_piece(struct batch *batch, struct worker *worker,
    const struct worker_answer *answer, char *log, char *result)
{
	struct chunk *chunk = worker->chunk;

	if (answer->state == SUMMED && worker->order.known) {
		free(log);
		free(result);
	} else if (answer->state == SUMMED) {
		note_summed(batch, worker->order.task, log, result);
	}
	if (answer->state == SUMMED && !answer->together) {
		chunk->at++;
		chunk->summed++;
		return;
	}
	if (answer->state == SUMMED) {
		if (!defer_piece(chunk))
			fail_group(batch, chunk->group, "out of memory");
		take_piece_out(chunk);
		return;
	}
	/* An input that was read alone before is SUMMED. */
	reopen_task(batch, worker->order.task);
	end_task(batch, worker->order.task, answer->state, log, result);
	free(result);
	take_piece_out(chunk);
	if (answer->misfit)
		refuse_sum(batch, chunk->group);
}

/*
 * Starts the chunk (the inputs that one worker sums) again after reading its
 * units (inputs of several files) together has failed: now each unit is read
 * alone, which shows the bad ones; the others are summed.
 */
static void
read_alone(struct batch *batch, struct chunk *chunk)
{
	/* Messages of the other inputs are printed already. */
	for (size_t i = 0; i < chunk->count; i++)
		if (reads_together(batch, &chunk->piece[i]))
			reopen_task(batch, chunk->piece[i].task);
	chunk->alone = true;
	chunk->unread = false;
	restart_chunk(batch, chunk);
}

/*
 * Handles a worker's answer after writing a sum of inputs, or merging a
 * group's sums. Fails the group for the reason `error` if state is FAILED.
 * Prints log, which it modifies, unless state is STOPPED.
 */
static void
end_sum(struct batch *batch, struct worker *worker, enum state state, char *log,
    const char *error)
{
	struct group *group = &batch->group[worker->order.group];

	if (state != STOPPED)
		print_log(batch, log);
	if (worker->order.action == WRITE) {
		if (state == FAILED)
			fail_group(batch, group, error);
		worker->chunk->summed = state == DONE;
		end_chunk(batch, worker->chunk);
		worker->chunk = NULL;
	} else {
		remove_chunks(batch, group);
		if (state == DONE)
			end_group(batch, group);
		else if (state == FAILED)
			fail_group(batch, group, error);
	}
}

/* ---- Answers ------------------------------------------------------------ */

/*
 * Writes to "text" why a worker died. "text" has room for "size" bytes.
 * "status" is the worker's status from waitpid(). "error" is the errno of an
 * order that could not be sent to the worker, or 0.
 */
static void
describe_death(
    const struct batch *batch, int status, int error, char *text, size_t size)
{
	if (error != 0 && error != ENOMEM)
		snprintf(text, size, "cannot talk to the worker: %s",
		    strerror(error));
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		snprintf(text, size, "took more than %u second%s (--timeout)",
		    batch->args->timeout, batch->args->timeout == 1 ? "" : "s");
	else if (WIFSIGNALED(status))
		snprintf(text, size, "the worker was killed: %s",
		    strsignal(WTERMSIG(status)));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == CG_EINPUT)
		snprintf(text, size, "the worker cannot read its pipe: %s",
		    strerror(EIO));
	else
		snprintf(text, size, "out of memory");
}

/*
 * Removes the temporary file that a dead worker has left. It is that of the
 * output, or of the sum of a chunk (some inputs), that the worker was writing.
 * Does nothing if the worker was only adding an input to a sum.
 */
static void
remove_temp(const struct batch *batch, const struct worker *dead)
{
	const struct worker_order *order = &dead->order;
	char *path = NULL, *temp;

	if (order->action == CONVERT)
		path = task_output_path(batch, &batch->task[order->task]);
	else if (order->action != ADD && order->whole)
		path = output_path(batch, batch->group[order->group].output);
	else if (order->action == WRITE)
		path = chunk_path(
		    batch, &batch->group[order->group], order->chunk, getpid());
	temp = path != NULL ? cg_temp_path(path, (long)dead->pid) : NULL;
	if (temp != NULL)
		(void)unlink(temp);
	free(temp);
	free(path);
}

/*
 * Waits for a worker that has died. Its task or group fails with the reason of
 * the death, unless the batch was stopped. Starts the worker's sum again if a
 * bad input can be left out.
 */
static void
reap_worker(struct batch *batch, struct worker *worker)
{
	struct worker dead = *worker;
	struct chunk *chunk = dead.chunk;
	bool stopped, again;
	char text[128];

	describe_death(
	    batch, stop_worker(worker), dead.error, text, sizeof(text));
	/* Outputs of the same worker may wait under the temporary name. */
	commit_outputs(batch);
	remove_temp(batch, &dead);
	stopped = batch_stopped(batch);
	again = !stopped && dead.order.action == WRITE && chunk->unread;
	if (dead.order.action == CONVERT || dead.order.action == ADD) {
		/* An input that was read alone is SUMMED before it is added. */
		reopen_task(batch, dead.order.task);
		if (stopped)
			end_task(batch, dead.order.task, STOPPED, NULL, NULL);
		else
			fail_task(batch, dead.order.task,
			    dead.fault != NULL ? dead.fault : text);
	} else if (!stopped && !again) {
		fail_group(batch, &batch->group[dead.order.group], text);
	}
	if (dead.order.action == ADD) {
		take_piece_out(chunk);
		restart_chunk(batch, chunk);
	} else if (again) {
		read_alone(batch, chunk);
	} else if (dead.order.action == WRITE) {
		chunk->summed = 0;
		end_chunk(batch, chunk);
	} else if (dead.order.action == MERGE) {
		remove_chunks(batch, &batch->group[dead.order.group]);
	}
	free(dead.fault);
}

static void
take_answer(struct batch *batch, struct worker *worker,
    const struct worker_answer *answer, char *log, char *result)
{
	worker->busy = false;
	switch (worker->order.action) {
	case CONVERT:
		if (answer->deferred) {
			add_to_commit(batch, worker, answer, log, result);
			break;
		}
		end_task(batch, worker->order.task, answer->state, log, result);
		free(result);
		break;
	case ADD: end_piece(batch, worker, answer, log, result); break;
	case WRITE:
	case MERGE:
		if (!answer->again) {
			end_sum(batch, worker, answer->state, log, result);
		} else {
			read_alone(batch, worker->chunk);
			worker->chunk = NULL;
		}
		free(log);
		free(result);
		break;
	}
	if (answer->last && worker->chunk != NULL) {
		restart_chunk(batch, worker->chunk);
		worker->chunk = NULL;
	}
	if (answer->last)
		(void)stop_worker(worker);
	if (worker->chunk != NULL && !may_continue(batch)) {
		free_chunk(worker->chunk);
		worker->chunk = NULL;
	}
	if (worker->chunk != NULL)
		continue_chunk(batch, worker);
}

/*
 * Reads the worker's answer, with its messages and its result, and handles it.
 * If the answer cannot be read, the worker has died, or memory has run out:
 * ends the worker, and handles its current order as failed.
 */
static void
take_result(struct batch *batch, struct worker *worker)
{
	struct worker_answer answer;
	char *log = NULL, *result = NULL;
	bool ok = worker->error == 0 &&
		  read_all(worker->from, &answer, sizeof(answer)) &&
		  (log = malloc(answer.log + 1)) != NULL &&
		  (result = malloc(answer.result + 1)) != NULL &&
		  read_all(worker->from, log, answer.log) &&
		  read_all(worker->from, result, answer.result);

	if (!ok) {
		worker->error = worker->error != 0 ? worker->error : errno;
		free(log);
		free(result);
		reap_worker(batch, worker);
		return;
	}
	/* Messages about the interruption are of no use. */
	if (answer.state == STOPPED)
		answer.log = 0;
	log[answer.log] = result[answer.result] = '\0';
	take_answer(batch, worker, &answer, log, result);
}

/* ---- The pool ----------------------------------------------------------- */

/*
 * Sends SIGTERM to the busy workers. They may wait for input forever if only
 * the parent got a signal. The caller repeats this until they have ended,
 * because the signal may arrive before a worker begins to wait.
 */
static void
signal_workers(const struct worker_pool *pool)
{
	for (size_t i = 0; i < pool->batch->args->jobs; i++)
		if (pool->worker[i].pid > 0 && pool->worker[i].busy)
			(void)kill(pool->worker[i].pid, SIGTERM);
}

/*
 * Executes the orders of all busy workers in the parent, for systems without
 * processes, and handles the answers. Returns true, as wait_for_answer() does
 * after answers.
 */
static bool
serve_here(struct batch *batch, struct worker *worker, size_t workers)
{
	for (size_t i = 0; i < workers; i++) {
		if (!worker[i].busy)
			continue;
		(void)serve_order(worker[i].here, &worker[i].error);
		take_result(batch, &worker[i]);
	}
	show_progress(batch);
	return true;
}

/*
 * Waits until a worker has answered, but at most a second. Handles all answers
 * that have arrived, or shows the progress if none has. Without processes,
 * executes the workers' orders here instead of waiting. If the batch was
 * stopped, first sends SIGTERM to the busy workers. False: no worker is busy.
 */
static bool
wait_for_answer(struct worker_pool *pool)
{
	struct batch *batch = pool->batch;
	size_t jobs = batch->args->jobs;
	bool busy = false;

	for (size_t i = 0; i < jobs; i++) {
		pool->poll[i].fd =
		    pool->worker[i].busy ? pool->worker[i].from : -1;
		pool->poll[i].events = POLLIN;
		pool->poll[i].revents = 0;
		busy = busy || pool->worker[i].busy;
	}
	if (!busy)
		return false;
	if (batch_stopped(batch))
		signal_workers(pool);
	if (!CG_HAVE_PROCESSES)
		return serve_here(batch, pool->worker, jobs);
	/* While all workers are busy for longer, nothing waits for a group. */
	if (poll(pool->poll, (nfds_t)jobs,
		batch->commits.count > 0 ? COMMIT_IDLE : 1000) <= 0) {
		commit_outputs(batch);
		show_progress(batch);
		return true;
	}
	for (size_t i = 0; i < jobs; i++)
		if (pool->poll[i].revents != 0)
			take_result(batch, &pool->worker[i]);
	return true;
}

/*
 * Returns a running worker that is idle. If there is none, returns an unused
 * slot for a new worker, whose pid is 0, and sets *alive to the number of
 * running workers. NULL: all slots have busy workers; *alive is set, too.
 */
static struct worker *
free_worker(struct worker_pool *pool, size_t *alive)
{
	struct worker *room = NULL;

	*alive = 0;
	for (size_t i = 0; i < pool->batch->args->jobs; i++) {
		struct worker *worker = &pool->worker[i];

		if (worker->pid > 0 && !worker->busy)
			return worker;
		if (worker->pid > 0)
			++*alive;
		else if (room == NULL)
			room = worker;
	}
	return room;
}

/*
 * Returns an idle worker: starts one if possible, or else handles answers
 * until one is idle. NULL: no worker runs, and none can be started (reported).
 */
static struct worker *
idle_worker(struct worker_pool *pool)
{
	struct worker *worker;
	size_t alive;

	for (;;) {
		worker = free_worker(pool, &alive);
		if (worker != NULL && worker->pid > 0)
			return worker;
		if (worker != NULL && (alive == 0 || alive < pool->most)) {
			if (start_worker(pool, worker))
				return worker;
			if (alive == 0)
				break;
			pool->most = alive;
		}
		(void)wait_for_answer(pool);
	}
	fprintf(stderr, "cgconv: error: cannot start a worker: %s\n",
	    strerror(errno));
	return NULL;
}

static int
begin_chunk(struct worker_pool *pool, struct chunk *chunk)
{
	struct worker *worker = idle_worker(pool);

	if (worker == NULL || !may_continue(pool->batch)) {
		free_chunk(chunk);
		return worker == NULL ? CG_ELIMIT : CG_OK;
	}
	worker->chunk = chunk;
	continue_chunk(pool->batch, worker);
	return CG_OK;
}

static int
begin_merge(struct worker_pool *pool, struct group *group)
{
	struct worker *worker = idle_worker(pool);

	if (worker == NULL)
		return CG_ELIMIT;
	if (!may_continue(pool->batch)) {
		remove_chunks(pool->batch, group);
		return CG_OK;
	}
	send_order(worker, (struct worker_order){ .action = MERGE,
			       .whole = true,
			       .group = (size_t)(group - pool->batch->group) });
	send_summed(pool->batch, worker, group);
	send_bytes(worker, &group->chunks, sizeof(group->chunks));
	send_bytes(worker, group->written, group->chunks);
	return CG_OK;
}

/*
 * Gives workers the chunks (inputs that one worker sums) that have to be
 * summed again, and the merges of groups (the inputs of one output) whose
 * chunks are all written. Returns the status.
 */
static int
continue_work(struct worker_pool *pool)
{
	struct batch *batch = pool->batch;
	struct chunk *chunk;
	struct group *group;
	int status = CG_OK;

	while (status == CG_OK && (chunk = batch->restarted) != NULL) {
		batch->restarted = chunk->next;
		status = begin_chunk(pool, chunk);
	}
	while (status == CG_OK && (group = batch->ready) != NULL) {
		batch->ready = group->next;
		status = begin_merge(pool, group);
	}
	return status;
}

int
dispatch(struct worker_pool *pool, struct piece piece)
{
	struct batch *batch = pool->batch;
	struct worker *worker;
	struct chunk *chunk;
	int status = continue_work(pool);
	size_t group = batch->task[piece.task].group;

	/* The chunks of a group are numbered in the order of inputs. */
	chunk = group != 0 && piece.streamed
		    ? take_chunk(batch, &batch->group[group - 1])
		    : NULL;
	if (chunk != NULL)
		status = begin_chunk(pool, chunk);
	if (status == CG_OK && group != 0) {
		status = fill_chunk(batch, piece, &chunk);
		return chunk != NULL ? begin_chunk(pool, chunk) : status;
	}
	worker = status == CG_OK ? idle_worker(pool) : NULL;
	if (worker != NULL && may_continue(batch))
		send_piece(worker, CONVERT, &piece, false);
	free_piece(&piece);
	return worker != NULL ? CG_OK : CG_ELIMIT;
}

int
finish_tasks(struct worker_pool *pool)
{
	struct batch *batch = pool->batch;
	struct chunk *chunk;
	int status = CG_OK;

	while (status == CG_OK && (chunk = next_chunk(batch)) != NULL)
		status = begin_chunk(pool, chunk);
	do {
		if (status == CG_OK)
			status = continue_work(pool);
	} while (wait_for_answer(pool) ||
		 (status == CG_OK &&
		     (batch->restarted != NULL || batch->ready != NULL)));
	return status;
}

int
start_pool(struct worker_pool *pool, struct batch *batch)
{
	size_t jobs = batch->args->jobs;

	*pool = (struct worker_pool){ .batch = batch,
		.most = jobs,
		.worker = calloc(jobs, sizeof(*pool->worker)),
		.poll = calloc(jobs, sizeof(*pool->poll)) };
	return pool->worker != NULL && pool->poll != NULL
		   ? CG_OK
		   : cg_nomem(batch->args->job);
}

void
stop_pool(struct worker_pool *pool)
{
	struct batch *batch = pool->batch;

	for (size_t i = 0; pool->worker && i < batch->args->jobs; i++) {
		if (pool->worker[i].pid > 0)
			(void)stop_worker(&pool->worker[i]);
	}
	/* Remove the chunks of groups that a signal kept from being merged. */
	for (size_t i = 0; i < batch->groups; i++)
		remove_chunks(batch, &batch->group[i]);
	free(pool->worker);
	free(pool->poll);
}
