/*
 * worker.c - a worker, which converts inputs in its own process, so that a
 * crash affects one input only. It is forked when all tasks (inputs) are
 * known, so an order is the number of a task. Bytes of archive members follow
 * the order, those of large members piece by piece. The answer has the task's
 * state, its messages, and a JSON object with members for its line in the
 * manifest.
 *
 * Inputs of one output are read by one job each, then merged into a sum, so a
 * bad input does not affect the others. Units (inputs of several files) of a
 * program, and all inputs that their format sums, are read together when the
 * sum is written; if that fails, each is read alone, and the good ones together
 * again. The sum of a chunk (the inputs
 * that one worker sums) is written in the lossless format; one worker merges
 * the chunks of a group (the inputs of one output).
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

#include "base/platform.h"
#include "batch.h"

/* Bytes of warnings of one input in the manifest; later ones are dropped. */
#define WARNINGS_MAX 1000000

/* The messages of a task or a sum. */
struct task_log {
	const struct args *args;
	FILE *log; /* messages as printed */
	char *log_text;
	size_t log_size;
	const struct task *task; /* NULL: of a sum, for this output */
	char *output;
	bool unread; /* inputs are being read for the sum: messages name them */
	const struct members *members; /* of the worker; or NULL */
	char *error;                   /* the first error as printed; or NULL */
	struct json_object *details;   /* members of the first error */
	struct json_object *warnings;  /* array of strings */
	size_t warning_bytes;
};

/* A large member, whose bytes the parent sends in pieces. */
struct stream {
	int from;
	size_t left; /* bytes left in the piece */
	bool ended;
};

struct worker_state {
	struct batch *batch;
	int from, to;
	struct task_log log; /* of the current order */
	struct stream stream;
	struct cg_job *sum; /* NULL: not begun */
	struct piece *unit; /* read together when the sum is written */
	size_t units, unit_cap;
	struct members *members; /* NULL: not opened */
	struct piece alone;      /* that is read alone */
	bool others;             /* the sum contains other inputs, too */
	bool unread;             /* some units were not read alone before */
};

bool
write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	ssize_t got;

	for (; n > 0; at += got, n -= (size_t)got) {
		got = cg_pipe_write(fd, at, n);
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
		got = cg_pipe_read(fd, at, n);
		if (got == 0)
			errno = 0;
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

/* ---- Streams ------------------------------------------------------------ */

/*
 * Reads bytes of an archive member that the parent sends in pieces (size,
 * bytes; size 0 at the end), as cg_job_add_input_callback() requires. Returns
 * the number of bytes, 0 at the end; negative: the parent has closed the pipe.
 */
static ptrdiff_t
read_stream(void *arg, char *buf, size_t size)
{
	struct stream *stream = arg;

	if (!stream->ended && stream->left == 0) {
		if (!read_all(
			stream->from, &stream->left, sizeof(stream->left)))
			return -EPIPE;
		stream->ended = stream->left == 0;
	}
	if (size > stream->left)
		size = stream->left;
	if (!read_all(stream->from, buf, size))
		return -EPIPE;
	stream->left -= size;
	return (ptrdiff_t)size;
}

/*
 * Reads and drops what is left of the member, as the parent sends all bytes
 * before it reads the answer. True if the member was complete, which only its
 * end shows.
 */
static bool
drain_stream(struct stream *stream)
{
	char bytes[4096];
	ptrdiff_t got;

	do
		got = read_stream(stream, bytes, sizeof(bytes));
	while (got > 0);
	return got == 0;
}

/* ---- Messages ----------------------------------------------------------- */

/*
 * Returns the message as it is printed, without the newline. The caller frees
 * the text; NULL: out of memory.
 */
static char *
message_text(const struct cg_message *message)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (to == NULL)
		return NULL;
	put_message(to, message);
	if (close_text(to, &text))
		text[size - 1] = '\0'; /* remove the newline */
	return text;
}

static void
collect_message(void *arg, const struct cg_message *message)
{
	struct task_log *log = arg;
	struct cg_message named = *message;
	char *text, *name = NULL;

	/* The archive's error is the cause of one in reading a member. */
	if (message->severity == CG_ERROR && members_error(log->members))
		named.text = members_error(log->members);
	if (log->task == NULL) {
		if (!log->unread || named.file == NULL)
			named.file = log->output;
	} else if (named.file == NULL) {
		named.file = name = task_name(log->task);
	} else if (is_member(log->task)) {
		named.file = name = join_path(log->task->archive, named.file);
	}
	text = message_text(&named);
	if (text == NULL) {
		free(name);
		return;
	}
	if (message->severity == CG_WARNING &&
	    log->warning_bytes < WARNINGS_MAX) {
		(void)append_json(log->warnings, json_slice(cg_slice(text)));
		log->warning_bytes += strlen(text);
	}
	if (message->severity == CG_ERROR || !log->args->quiet)
		fprintf(log->log, "%s\n", text);
	if (message->severity == CG_ERROR && log->error == NULL) {
		log->error = text;
		log->details = json_object_new_object();
		(void)add_json_message(log->details, &named);
	} else {
		free(text);
	}
	free(name);
}

/*
 * Adds a member "totals" to "result": an object with the sum of each event
 * over all parts of the graph. Adds nothing if a sum does not fit into 64
 * bits. False: out of memory.
 */
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

static bool
open_task_log(struct task_log *log)
{
	log->log = open_memstream(&log->log_text, &log->log_size);
	log->warnings = json_object_new_array();
	return log->log != NULL && log->warnings != NULL;
}

/*
 * Completes the text of a task's log. Adds the warnings to "result", a JSON
 * object. Also adds the error and its details. The member of the error is
 * "reason" for a skipped task. False: out of memory.
 */
static bool
close_task_log(
    struct task_log *log, struct json_object *result, enum state state)
{
	struct json_object_iter at;
	bool ok = close_text(log->log, &log->log_text);

	log->log = NULL;
	if (json_object_array_length(log->warnings) > 0)
		ok = ok && add_json(result, "warnings",
			       json_object_get(log->warnings));
	if (log->error == NULL)
		return ok;
	ok = ok && add_json_text(result, state == SKIPPED ? "reason" : "error",
		       cg_slice(log->error));
	json_object_object_foreachC(log->details, at)
	{
		ok = ok && add_json(result, at.key, json_object_get(at.val));
	}
	return ok;
}

static bool
send_answer(
    int to, struct worker_answer *answer, struct task_log *log, char *result)
{
	char *all;
	size_t size;
	bool ok;

	/* Messages for inputs that are no profiles are printed only with -v. */
	answer->log = log->log_text == NULL ||
			      (answer->state == SKIPPED && !log->args->verbose)
			  ? 0
			  : log->log_size;
	answer->result = result != NULL ? strlen(result) : 0;
	/* One write wakes the parent once. */
	size = sizeof(*answer) + answer->log + answer->result;
	all = malloc(size);
	ok = all != NULL;
	if (ok) {
		memcpy(all, answer, sizeof(*answer));
		if (answer->log > 0)
			memcpy(
			    all + sizeof(*answer), log->log_text, answer->log);
		if (answer->result > 0)
			memcpy(all + size - answer->result, result,
			    answer->result);
		ok = write_all(to, all, size);
	}
	free(all);
	free(result);
	free(log->log_text);
	json_object_put(log->warnings);
	json_object_put(log->details);
	free(log->error);
	free(log->output);
	return ok;
}

/* ---- Sums --------------------------------------------------------------- */

/*
 * Returns the name of the format that can represent all facts (kinds of data),
 * in which a worker writes the sum of its inputs for another one; "": there is
 * none.
 */
static const char *
lossless(const struct cg_job *job)
{
	const struct cg_module *module;
	size_t i = 0;

	while ((module = cg_job_module(job, i)) != NULL &&
	       !(module->read && module->write &&
		   module->carries == (1u << CG_FACT_COUNT) - 1))
		i++;
	return module != NULL ? module->name : "";
}

/*
 * Sets the output format of a job that reads some inputs of a sum: it keeps
 * all data that the output can have. What depends on all inputs is computed
 * when sums are merged. Returns the status.
 */
static int
target_sum(const struct batch *batch, struct cg_job *job)
{
	cg_job_set_partial(job, true);
	return cg_job_set_to(job, cg_job_target(batch->args->job)->name);
}

static int
begin_sum(struct worker_state *state)
{
	state->sum = cg_job_clone(state->batch->args->job);
	if (state->sum == NULL)
		return CG_ELIMIT;
	cg_job_set_reporter(state->sum, collect_message, &state->log);
	state->others = state->unread = false;
	return target_sum(state->batch, state->sum);
}

/*
 * Callback for messages of a job that reads units (inputs of several files) a
 * second time, for a sum. Keeps only errors, because warnings were kept when
 * each unit was read alone.
 */
static void
collect_error(void *arg, const struct cg_message *message)
{
	if (message->severity == CG_ERROR)
		collect_message(arg, message);
}

/* ---- Units of a program ------------------------------------------------- */

/*
 * Returns true if inputs of this format have to be read together: those of
 * several files, such as .gcno and .gcda, refer to each other. The same is
 * true of inputs that the format itself sums.
 */
static bool
is_unit(const struct cg_job *job)
{
	struct cg_detected found;

	return cg_job_source(job, 0, &found) != NULL &&
	       (found.module->gathers != NULL || found.module->finish != NULL);
}

/* True if the format of the job's input sums inputs while it reads them. */
static bool
is_summed(const struct cg_job *job)
{
	struct cg_detected found;

	return cg_job_source(job, 0, &found) != NULL &&
	       found.module->finish != NULL;
}

/*
 * Makes *piece the input of an order, without its bytes. Sets piece->members
 * if it is an archive member whose bytes the parent does not send. False: out
 * of memory.
 */
static bool
set_piece(struct worker_state *state, const struct worker_order *order,
    struct piece *piece)
{
	*piece = (struct piece){ .task = order->task,
		.blobs = order->blobs,
		.summed = order->together };
	if (!is_member(&state->batch->task[order->task]) || order->blobs > 0 ||
	    order->streamed)
		return true;
	if (state->members == NULL)
		state->members = open_members(state->batch);
	piece->members = state->members;
	state->log.members = state->members;
	return piece->members != NULL;
}

static int
keep_unit(struct worker_state *state, const struct worker_order *order,
    struct blob *blob)
{
	struct piece *unit;

	if (!cg_grow(&state->unit, &state->unit_cap, state->units + 1,
		sizeof(*unit)))
		return cg_nomem(state->sum);
	unit = &state->unit[state->units];
	if (!set_piece(state, order, unit))
		return cg_nomem(state->sum);
	if (order->blobs > 0) {
		unit->blob = calloc(order->blobs, sizeof(*unit->blob));
		if (unit->blob == NULL)
			return cg_nomem(state->sum);
		memcpy(unit->blob, blob, order->blobs * sizeof(*blob));
		memset(blob, 0, order->blobs * sizeof(*blob));
	}
	state->units++;
	return CG_OK;
}

/*
 * Adds a unit (files that are read as one input) as an input of the job. If
 * the files are members of an archive, also gives the job their bytes, or has
 * it call read_piece(). Each member then has the name "archive/member", which
 * is unique. Returns the status.
 */
static int
add_unit(struct worker_state *state, struct cg_job *job, struct piece *unit)
{
	const struct task *task = state->batch->task;
	size_t number = unit->task;
	char *name = task_name(&task[number]);
	int status;

	if (name == NULL)
		return cg_nomem(job);
	status = unit->members != NULL
		     ? cg_job_add_input_callback(job, name, read_piece, unit)
		     : cg_job_add_input(job, name);
	free(name);
	for (size_t i = 0; status == CG_OK && i < unit->blobs; i++) {
		name = task_name(&task[number]);
		status = name ? cg_job_add_memory(job, name,
				    (struct cg_slice){ unit->blob[i].bytes,
					unit->blob[i].size })
			      : cg_nomem(job);
		free(name);
		number = task[number].next;
	}
	return status;
}

/* Units that one job reads. */
enum kind {
	FILES,
	MEMBERS, /* companions of members are members, too */
	INPUTS,  /* of a format that sums inputs: of both kinds */
	KINDS
};

static enum kind
kind_of(const struct worker_state *state, const struct piece *unit)
{
	if (unit->summed)
		return INPUTS;
	return is_member(&state->batch->task[unit->task]) ? MEMBERS : FILES;
}

static size_t
count_units(const struct worker_state *state, enum kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < state->units; i++)
		count += kind_of(state, &state->unit[i]) == kind;
	return count;
}

/*
 * Reads the inputs of one kind that were kept for the sum into job. If they
 * were not read before (state->unread), a skipped part is an error. Returns the
 * status.
 */
static int
read_units(struct worker_state *state, struct cg_job *job, enum kind kind)
{
	int status = CG_OK;

	state->log.unread = state->unread;
	cg_job_set_reporter(
	    job, state->unread ? collect_message : collect_error, &state->log);
	for (size_t i = 0; status == CG_OK && i < state->units; i++)
		if (kind_of(state, &state->unit[i]) == kind)
			status = add_unit(state, job, &state->unit[i]);
	if (status == CG_OK)
		status = cg_job_read(job, NULL);
	if (status == CG_OK && state->unread && cg_job_skipped(job))
		status = CG_EINPUT;
	cg_job_set_reporter(job, collect_message, &state->log);
	state->log.unread = false;
	return status;
}

/*
 * Reads units (inputs of several files) of one kind into a job of their own,
 * and merges that job into the worker's sum. The worker has kept these units
 * until it writes its sum. Does nothing if there are none. Returns the status.
 */
static int
merge_units(struct worker_state *state, enum kind kind)
{
	struct cg_job *job;
	int status;

	if (count_units(state, kind) == 0)
		return CG_OK;
	job = cg_job_clone(state->batch->args->job);
	status = job ? target_sum(state->batch, job) : CG_ELIMIT;
	if (status == CG_OK)
		status = read_units(state, job, kind);
	if (status == CG_OK)
		status = cg_job_merge(state->sum, job);
	cg_job_free(job);
	return status;
}

/*
 * Completes the sum: reads the inputs that were kept for it together, and
 * merges them into it. Returns the status.
 */
static int
read_sum(struct worker_state *state)
{
	enum kind kind = state->units > 0 ? kind_of(state, state->unit) : FILES;
	int status = CG_OK;

	/* Without other inputs, the kept ones need no second graph. */
	if (!state->others && state->units > 0 &&
	    count_units(state, kind) == state->units)
		return read_units(state, state->sum, kind);
	for (kind = FILES; status == CG_OK && kind < KINDS; kind++)
		status = merge_units(state, kind);
	return status == CG_OK ? cg_job_read(state->sum, NULL) : status;
}

static void
forget_units(struct worker_state *state)
{
	while (state->units > 0)
		free_piece(&state->unit[--state->units]);
}

/*
 * Frees a sum that will not be written, as its group (the inputs of one
 * output) has failed, and the units (inputs of several files) that were kept
 * for it.
 */
static void
forget_sum(struct worker_state *state)
{
	cg_job_free(state->sum);
	state->sum = NULL;
	forget_units(state);
}

/*
 * Adds an input to the sum without reading it. Keeps its name and its bytes
 * (blob); it is read with others when the sum is written. Does not check
 * whether its file changes until then. If CG_OK is returned, the bytes belong
 * to the worker. Returns the status.
 */
static int
add_unread(struct worker_state *state, const struct worker_order *order,
    struct blob *blob)
{
	int status = state->sum != NULL ? CG_OK : begin_sum(state);

	state->unread |= !order->known;
	return status == CG_OK ? keep_unit(state, order, blob) : status;
}

static int
add_to_sum(struct worker_state *state, const struct cg_job *job,
    const struct worker_order *order, struct blob *blob)
{
	int status = state->sum != NULL ? CG_OK : begin_sum(state);

	if (status != CG_OK)
		return status;
	if (is_unit(job) && !order->streamed)
		return keep_unit(state, order, blob);
	state->others = true;
	return cg_job_merge(state->sum, job);
}

/* ---- Sums --------------------------------------------------------------- */

/*
 * Address space for each thread, within limit_memory(): the C library reserves
 * 64 MiB for a thread's heap; the rest is for its data.
 */
#define THREAD_ADDRESSES ((uint64_t)256 << 20)

/*
 * Returns how many threads may write or merge the order's sum. One if other
 * workers are busy, with several outputs or with inputs. Else --jobs, shared
 * by sums written at a time, as far as the address space allows.
 */
static size_t
sum_threads(const struct worker_state *state, const struct worker_order *order)
{
	const struct batch *batch = state->batch;
	size_t threads = batch->args->jobs;
	struct rlimit limit;

	if (batch->groups > 1 || (order->action == WRITE && !state->unread))
		return 1;
	if (order->action == WRITE && !order->whole)
		threads /= unit_chunks(&batch->group[order->group]);
	if (getrlimit(RLIMIT_AS, &limit) == 0 &&
	    limit.rlim_cur / THREAD_ADDRESSES < threads)
		threads = (size_t)(limit.rlim_cur / THREAD_ADDRESSES);
	return threads > 0 ? threads : 1;
}

static int
set_target(struct worker_state *state, const struct worker_order *order,
    const char *output)
{
	struct batch *batch = state->batch;
	const struct cg_module *to = cg_job_target(batch->args->job);
	char *path = NULL;
	int status = CG_OK;

	cg_job_set_threads(state->sum, sum_threads(state, order));
	cg_job_set_partial(state->sum,
	    !order->whole || batch->args->partial || batch->args->shards > 0);
	if (order->whole && batch->args->output && batch->args->shards > 0)
		cg_job_set_shard(state->sum, (uint32_t)batch->args->shard,
		    (uint32_t)batch->args->shards, batch->list);
	if (order->whole) {
		status = cg_job_set_to(state->sum, to->name);
	} else {
		cg_job_set_gzip(state->sum, false);
		cg_job_set_strict(state->sum, false);
		path = chunk_path(batch, &batch->group[order->group],
		    order->chunk, getppid());
		if (path == NULL)
			return cg_nomem(state->sum);
	}
	if (status == CG_OK)
		status = cg_job_set_output(state->sum, path ? path : output);
	free(path);
	return status;
}

/*
 * Merges the sum that another worker has written to the file at path, in the
 * lossless format, into this worker's sum. Returns the status.
 */
static int
add_chunk(struct worker_state *state, const char *path, size_t threads)
{
	struct cg_job *job =
	    cg_job_new(cg_formats(), collect_message, &state->log);
	int status;

	if (job == NULL)
		return CG_ELIMIT;
	cg_job_set_option_prefix(job, "--");
	cg_job_set_threads(job, threads);
	(void)cg_job_add_input(job, path);
	status = cg_job_set_from(job, lossless(job));
	if (status == CG_OK)
		status = target_sum(state->batch, job);
	if (status == CG_OK) {
		(void)cg_job_read(job, NULL);
		status = cg_job_merge(state->sum, job);
	}
	cg_job_free(job);
	return status;
}

static int
add_chunks(struct worker_state *state, const struct worker_order *order)
{
	const struct group *group = &state->batch->group[order->group];
	size_t count;
	bool *written;
	int status;

	if (!read_all(state->from, &count, sizeof(count)))
		return CG_ELIMIT;
	forget_sum(state);
	written = calloc(count + 1, sizeof(*written));
	status = written != NULL && read_all(state->from, written, count)
		     ? begin_sum(state)
		     : CG_ELIMIT;
	if (status == CG_OK)
		status = cg_job_merge(state->sum, NULL);
	for (size_t i = 0; status == CG_OK && i < count; i++) {
		char *path = written[i]
				 ? chunk_path(state->batch, group, i, getppid())
				 : NULL;

		if (written[i])
			status = path ? add_chunk(state, path,
					    sum_threads(state, order))
				      : CG_ELIMIT;
		free(path);
	}
	free(written);
	return status;
}

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
