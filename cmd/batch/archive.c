/*
 * archive.c - reads archive members once, in their order, and sends them to
 * workers, together with the other files of their unit (an input of several
 * files).
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define MEMBER_PIECE 65536 /* bytes read at once, at least */

/*
 * Larger members are not kept in memory: the worker gets their bytes while
 * they are read, and no other member is read until it has all of them.
 */
#define HELD_MEMBER ((size_t)64 << 20)

/*
 * Allocates blob->bytes, and reads the archive's current member into it. Stops
 * at the end of the member, or once about HELD_MEMBER bytes are read. Sets
 * *all to whether the member ended there. False: out of memory, or the archive
 * is damaged. The caller frees blob->bytes in each case.
 */
static bool
read_member(struct cg_archive *archive, struct blob *blob, bool *all)
{
	size_t room = 0;
	ptrdiff_t got;

	*blob = (struct blob){ 0 };
	do {
		if (!cg_grow_raw(
			&blob->bytes, &room, blob->size + MEMBER_PIECE, 1))
			return false;
		got = cg_archive_read(
		    archive, blob->bytes + blob->size, room - blob->size);
		blob->size += got > 0 ? (size_t)got : 0;
	} while (got > 0 && blob->size < HELD_MEMBER);
	*all = got == 0;
	return got >= 0;
}

/*
 * Members of the tasks first to end - 1 that wait for the other files of their
 * unit.
 */
struct members {
	struct blob *blob; /* by task - first; without bytes: none */
	size_t first, end;
	char *error; /* the last error message */
};

/*
 * Sends the files of one input to a worker. Does nothing (CG_OK) unless all
 * have been read from the archive. first_file: number of the first file's
 * task. The worker pool takes over the bytes. Returns the status.
 */
static int
dispatch_unit(
    struct worker_pool *pool, struct members *members, size_t first_file)
{
	const struct task *task = pool->batch->task;
	struct blob *blob, *waiting = members->blob;
	size_t blobs = 0, n = first_file;

	do {
		blobs++;
		if (waiting[n - members->first].bytes == NULL)
			return CG_OK;
	} while ((n = task[n].next) != 0);
	blob = calloc(blobs, sizeof(*blob));
	if (blob == NULL)
		return cg_nomem(pool->batch->args->job);
	n = first_file;
	for (size_t i = 0; i < blobs; i++, n = task[n].next) {
		blob[i] = waiting[n - members->first];
		waiting[n - members->first] = (struct blob){ 0 };
	}
	return dispatch(pool,
	    (struct piece){ .task = first_file, .blob = blob, .blobs = blobs });
}

static void
drop_blob(struct blob *blob)
{
	free(blob->bytes);
	*blob = (struct blob){ 0 };
}

/*
 * Sends a member that is too large for memory to a worker, while it is read.
 * n: number of its task, which fails if the archive cannot be read. Returns
 * the status.
 */
static int
stream_member(struct worker_pool *pool, struct members *members,
    struct cg_archive *archive, size_t n)
{
	struct blob *blob = &members->blob[n - members->first];
	uint64_t size = blob->size;
	ptrdiff_t got = (ptrdiff_t)size;
	int status =
	    dispatch(pool, (struct piece){ .task = n, .streamed = true });

	while (got > 0 && send_stream(pool, blob->bytes, (size_t)got)) {
		got = cg_archive_read(archive, blob->bytes, MEMBER_PIECE);
		size += got > 0 ? (uint64_t)got : 0;
	}
	if (got == 0)
		pool->batch->task[n].size = size;
	end_stream(pool, got >= 0                 ? NULL
			 : members->error != NULL ? members->error
						  : "out of memory");
	drop_blob(blob);
	return status;
}

/*
 * Reads the archive's current member, the file of task n. Sends its input to a
 * worker once all files are there; streams a large member. Only sends the
 * number of a member whose format sums inputs, as the worker reads it. Skips an
 * input that has ended. Returns CG_OK also if the task fails; another status
 * ends the batch.
 */
static int
run_member(struct worker_pool *pool, struct members *members,
    struct cg_archive *archive, size_t n)
{
	struct batch *batch = pool->batch;
	size_t first_file = batch->task[n].first_file;
	struct blob *blob = &members->blob[n - members->first];
	const char *error = NULL;
	bool read, all;

	if (batch->task[first_file].state != PENDING)
		return CG_OK;
	if (n == first_file && !prepare_task(batch, n))
		return CG_OK;
	if (batch->task[n].group != 0 &&
	    is_summed_by_format(batch, &batch->task[n]))
		return dispatch(pool, (struct piece){ .task = n });
	read = read_member(archive, blob, &all);
	if (batch_stopped(batch)) {
		drop_blob(blob);
		return CG_OK;
	}
	if (!read)
		error =
		    members->error != NULL ? members->error : "out of memory";
	else if (!all && is_gathered(batch, &batch->task[n]))
		error = "expected at most 64 MiB";
	if (error != NULL) {
		drop_blob(blob);
		fail_task(batch, first_file, error);
		return CG_OK;
	}
	if (!all)
		return stream_member(pool, members, archive, n);
	batch->task[n].size = blob->size;
	return dispatch_unit(pool, members, first_file);
}

/*
 * Callback for messages of the archive's reader: keeps the text as the reason
 * why tasks fail. Does not print it, as it was printed when the archive was
 * listed.
 */
static void
note_error(void *arg, const struct cg_message *message)
{
	struct members *members = arg;

	free(members->error);
	members->error = strdup(message->text);
}

/*
 * Fails the pending tasks of an archive whose reading has ended early. These
 * are the tasks of members that were not read, with index n or higher. They
 * are also the tasks of members whose bytes wait for other files of their unit
 * (files that a format reads as one input).
 */
static void
fail_rest(struct batch *batch, const struct members *members, size_t n)
{
	for (size_t i = members->first; i < members->end; i++)
		if (batch->task[i].state == PENDING &&
		    (i >= n || members->blob[i - members->first].bytes))
			fail_task(batch, i,
			    members->error != NULL
				? members->error
				: "the archive changed while it was read");
}

int
run_archive(struct worker_pool *pool, size_t first, size_t end)
{
	struct batch *batch = pool->batch;
	struct cg_job *job = cg_job_clone(batch->args->job);
	struct cg_archive *archive = NULL;
	struct members members = { .first = first, .end = end };
	struct cg_member member;
	size_t n = first;
	int status = CG_OK;

	members.blob = calloc(end - first, sizeof(*members.blob));
	if (job == NULL || members.blob == NULL) {
		free(members.blob);
		cg_job_free(job);
		return cg_nomem(batch->args->job);
	}
	cg_job_set_reporter(job, note_error, &members);
	(void)cg_archive_open(job, task_file(&batch->task[first]), &archive);
	while (status == CG_OK && archive != NULL && n < end &&
	       may_continue(batch) && cg_archive_next(archive, &member)) {
		if (strcmp(batch->task[n].path, member.name) != 0)
			break;
		status = run_member(pool, &members, archive, n++);
	}
	if (may_continue(batch))
		fail_rest(batch, &members, n);
	for (size_t i = first; i < end; i++)
		drop_blob(&members.blob[i - first]);
	free(members.blob);
	free(members.error);
	cg_archive_close(archive);
	cg_job_free(job);
	return status;
}
