/*
 * worker_sum.c - the sum of a worker: inputs of one output, read by one job
 * each, so a bad input does not affect the others. Units (inputs of several
 * files) of a program, and all inputs that their format sums, are read together
 * when the sum is written; if that fails, each is read alone, and the good ones
 * together again. The sum of a chunk (the inputs that one worker sums) is
 * written in the lossless format; one worker merges the chunks of a group (the
 * inputs of one output).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "worker.h"

/* ---- Sums --------------------------------------------------------------- */

/*
 * Returns the name of the format that can represent all facts (kinds of data),
 * in which a worker writes the sum of its inputs for another one; "": there is
 * none.
 */
const char *
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
int
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
bool
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
bool
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
int
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
void
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
int
add_unread(struct worker_state *state, const struct worker_order *order,
    struct blob *blob)
{
	int status = state->sum != NULL ? CG_OK : begin_sum(state);

	state->unread |= !order->known;
	return status == CG_OK ? keep_unit(state, order, blob) : status;
}

int
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

int
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

int
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
