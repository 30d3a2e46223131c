/*
 * sum.c - in the workers: many inputs are added up in one output.
 *
 * Each is read by a job of its own, then added to the sum. The sum of a chunk
 * is written in the format that loses nothing, for one of the workers to add
 * up the chunks of a group.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"

/* The format that loses nothing. */
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

/* All that its inputs know, and nothing yet that only the sum can tell. */
int
aim_at_sum(struct cg_job *job)
{
	cg_job_set_partial(job, true);
	return cg_job_set_to(job, lossless(job));
}

/* A sum keeps all that its inputs know until it is written. */
static int
begin_sum(struct mind *mind)
{
	mind->sum = cg_job_clone(mind->batch->args->job);
	if (mind->sum == NULL)
		return CG_ELIMIT;
	cg_job_set_reporter(mind->sum, hear, &mind->talk);
	return aim_at_sum(mind->sum);
}

/* What is said of units has been said when each was read. */
static void
hear_errors(void *arg, const struct cg_message *message)
{
	if (message->severity == CG_ERROR)
		hear(arg, message);
}

/* ---- Units: what is read with others --------------------------------------- */

/*
 * Does its format read whole folders? Then inputs know of each other (a call
 * into another unit of the program), so they are read together once more.
 */
static bool
is_unit(const struct cg_job *job)
{
	struct cg_detected found;

	return cg_job_source(job, 0, &found) != NULL &&
	       found.module->gathers != NULL;
}

static int
keep_unit(struct mind *mind, const struct order *order, struct blob *blob)
{
	struct piece *unit;

	if (!cg_grow(
		&mind->unit, &mind->unit_cap, mind->units + 1, sizeof(*unit)))
		return cg_nomem(mind->sum);
	unit = &mind->unit[mind->units];
	*unit = (struct piece){ .task = order->task, .blobs = order->blobs };
	if (order->blobs > 0) {
		unit->blob = calloc(order->blobs, sizeof(*unit->blob));
		if (unit->blob == NULL)
			return cg_nomem(mind->sum);
		memcpy(unit->blob, blob, order->blobs * sizeof(*blob));
		memset(blob, 0, order->blobs * sizeof(*blob));
	}
	mind->units++;
	return CG_OK;
}

/* Members are called after their archives, so that each has its own name. */
static int
add_unit(struct mind *mind, struct cg_job *job, const struct piece *unit)
{
	const struct task *task = mind->batch->task;
	size_t number = unit->task;
	char *name = task_name(&task[number]);
	int status = name ? cg_job_add_input(job, name) : cg_nomem(job);

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

/* All that are members, or all that are files. */
static int
add_units(struct mind *mind, bool members)
{
	struct cg_job *job = cg_job_clone(mind->batch->args->job);
	size_t count = 0;
	int status = job ? aim_at_sum(job) : CG_ELIMIT;

	if (job != NULL)
		cg_job_set_reporter(job, hear_errors, &mind->talk);
	for (size_t i = 0; status == CG_OK && i < mind->units; i++) {
		if ((mind->unit[i].blobs > 0) != members)
			continue;
		status = add_unit(mind, job, &mind->unit[i]);
		count++;
	}
	if (status == CG_OK && count > 0)
		status = cg_job_read(job, NULL);
	if (status == CG_OK && count > 0)
		status = cg_job_merge(mind->sum, job);
	cg_job_free(job);
	return status;
}

static void
forget_units(struct mind *mind)
{
	while (mind->units > 0)
		free_piece(&mind->unit[--mind->units]);
}

int
add_to_sum(struct mind *mind, const struct cg_job *job,
    const struct order *order, struct blob *blob)
{
	int status = CG_OK;

	if (mind->sum == NULL)
		status = begin_sum(mind);
	if (status != CG_OK)
		return status;
	return is_unit(job) ? keep_unit(mind, order, blob)
			    : cg_job_merge(mind->sum, job);
}

/* ---- Sums ---------------------------------------------------------------- */

static int
set_target(struct mind *mind, const struct order *order, const char *output)
{
	struct batch *batch = mind->batch;
	const struct cg_module *to = cg_job_target(batch->args->job);
	char *path = NULL;
	int status = CG_OK;

	cg_job_set_partial(mind->sum,
	    !order->whole || batch->args->partial || batch->args->shards > 0);
	if (order->whole && batch->args->output && batch->args->shards > 0)
		cg_job_set_shard(mind->sum, (uint32_t)batch->args->shard,
		    (uint32_t)batch->args->shards, batch->list);
	if (order->whole) {
		status = cg_job_set_to(mind->sum, to->name);
	} else {
		cg_job_set_gzip(mind->sum, false);
		cg_job_set_strict(mind->sum, false);
		path = chunk_path(batch, &batch->group[order->group],
		    order->chunk, getppid());
		if (path == NULL)
			return cg_nomem(mind->sum);
	}
	if (status == CG_OK)
		status = cg_job_set_output(mind->sum, path ? path : output);
	free(path);
	return status;
}

/* Adds what another worker has written. */
static int
add_chunk(struct mind *mind, const char *path)
{
	struct cg_job *job = cg_job_new(cg_formats, hear, &mind->talk);
	int status = job != NULL ? cg_job_add_input(job, path) : CG_ELIMIT;

	if (status == CG_OK)
		status = cg_job_set_from(job, lossless(job));
	if (status == CG_OK)
		status = aim_at_sum(job);
	if (status == CG_OK)
		status = cg_job_read(job, NULL);
	if (status == CG_OK)
		status = cg_job_merge(mind->sum, job);
	cg_job_free(job);
	return status;
}

static int
add_chunks(struct mind *mind, const struct order *order)
{
	const struct group *group = &mind->batch->group[order->group];
	size_t count;
	bool *written;
	int status = CG_OK;

	if (!read_all(mind->from, &count, sizeof(count)))
		return CG_ELIMIT;
	written = calloc(count + 1, sizeof(*written));
	if (written == NULL || !read_all(mind->from, written, count))
		status = CG_ELIMIT;
	if (status == CG_OK)
		status = begin_sum(mind);
	if (status == CG_OK)
		status = cg_job_merge(mind->sum, NULL);
	for (size_t i = 0; status == CG_OK && i < count; i++) {
		char *path = written[i]
				 ? chunk_path(mind->batch, group, i, getppid())
				 : NULL;

		if (written[i])
			status = path ? add_chunk(mind, path) : CG_ELIMIT;
		free(path);
	}
	free(written);
	return status;
}

bool
do_sum(struct mind *mind, const struct order *order)
{
	struct batch *batch = mind->batch;
	const struct group *group = &batch->group[order->group];
	struct talk *talk = &mind->talk;
	struct answer answer = { .state = FAILED };
	char *error;
	int status = CG_OK;

	*talk = (struct talk){ .args = batch->args,
		.output = place_output(batch, group->output) };
	if (!talk->output || !open_talk(talk))
		return false;
	if (order->doing == MERGE)
		status = add_chunks(mind, order);
	if (status == CG_OK && mind->units > 0)
		status = add_units(mind, true);
	if (status == CG_OK && mind->units > 0)
		status = add_units(mind, false);
	if (status == CG_OK)
		status = set_target(mind, order, talk->output);
	if (status == CG_OK)
		status = cg_job_read(mind->sum, NULL);
	if (status == CG_OK)
		status = cg_job_write(mind->sum);
	if (status == CG_OK)
		answer.state = DONE;
	if (batch_stopped(batch))
		answer.state = STOPPED;
	answer.last = status == CG_ELIMIT;
	cg_job_free(mind->sum);
	mind->sum = NULL;
	forget_units(mind);
	(void)fclose(talk->log);
	error = talk->error;
	talk->error = NULL;
	return send_answer(mind->to, &answer, talk, error);
}
