/*
 * batch_archive.c - members of archives are read once, as they come, and
 * handed to workers with those that they belong to.
 */
#include <stdlib.h>
#include <string.h>

#include "batch.h"

#define MEMBER_PIECE 65536 /* that are read at once, at least */

/* The bytes of the member at hand; false: out of memory, or damaged. */
static bool
read_member(struct cg_archive *archive, struct blob *blob)
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
	} while (got > 0);
	return got == 0;
}

/* Members that wait for others that they are read with. */
struct waiting {
	size_t task;
	struct blob blob;
};

struct members {
	struct waiting *waiting;
	size_t count, cap;
	char *error; /* the last one */
};

static bool
keep_member(struct members *members, size_t task, struct blob blob)
{
	if (!cg_grow(&members->waiting, &members->cap, members->count + 1,
		sizeof(*members->waiting)))
		return false;
	members->waiting[members->count++] = (struct waiting){ task, blob };
	return true;
}

static struct waiting *
find_waiting(const struct members *members, size_t task)
{
	for (size_t i = 0; i < members->count; i++)
		if (members->waiting[i].task == task)
			return &members->waiting[i];
	return NULL;
}

/* All of a group have come: they go to a worker, in the group's order. */
static int
hand_out_group(struct crew *crew, struct members *members, size_t leader)
{
	const struct task *task = crew->batch->task;
	struct blob *blob;
	size_t blobs = 0, n = leader;

	do {
		blobs++;
		if (find_waiting(members, n) == NULL)
			return CG_OK;
	} while ((n = task[n].next) != 0);
	blob = calloc(blobs, sizeof(*blob));
	if (blob == NULL)
		return cg_nomem(crew->batch->args->job);
	n = leader;
	for (size_t i = 0; i < blobs; i++, n = task[n].next) {
		struct waiting *it = find_waiting(members, n);

		blob[i] = it->blob;
		*it = members->waiting[--members->count];
	}
	return hand_out(crew, (struct piece){ leader, blob, blobs });
}

/* Member number n of the archive is at hand. */
static int
do_member(struct crew *crew, struct members *members,
    struct cg_archive *archive, size_t n)
{
	struct batch *batch = crew->batch;
	size_t leader = batch->task[n].leader;
	struct blob blob;

	if (batch->task[leader].state != PENDING)
		return CG_OK;
	if (n == leader && !prepare_task(batch, n))
		return CG_OK;
	if (!read_member(archive, &blob) || !keep_member(members, n, blob)) {
		free(blob.bytes);
		if (batch->task[n].state == PENDING)
			fail_task(batch, n,
			    members->error != NULL ? members->error
						   : "out of memory");
		return CG_OK;
	}
	batch->task[n].size = blob.size;
	return hand_out_group(crew, members, leader);
}

/* What is wrong with an archive was said when it was listed: now it is why. */
static void
note_error(void *arg, const struct cg_message *message)
{
	struct members *members = arg;

	free(members->error);
	members->error = strdup(message->text);
}

int
do_archive(struct crew *crew, size_t first, size_t end)
{
	struct batch *batch = crew->batch;
	struct cg_job *job = cg_job_twin(batch->args->job);
	struct cg_archive *archive = NULL;
	struct members members = { 0 };
	struct cg_member member;
	size_t n = first;
	int status = CG_OK;

	if (job == NULL)
		return cg_nomem(batch->args->job);
	cg_job_set_reporter(job, note_error, &members);
	(void)cg_archive_open(job, batch->task[first].path, &archive);
	while (status == CG_OK && archive != NULL && n < end &&
	       may_go_on(batch) && cg_archive_next(archive, &member)) {
		if (batch->task[n].member == NULL ||
		    strcmp(batch->task[n].member, member.name) != 0)
			break;
		status = do_member(crew, &members, archive, n++);
	}
	for (; n < end && may_go_on(batch); n++)
		if (batch->task[n].state == PENDING)
			fail_task(batch, n,
			    members.error != NULL
				? members.error
				: "the archive changed meanwhile");
	while (members.count > 0)
		free(members.waiting[--members.count].blob.bytes);
	free(members.waiting);
	free(members.error);
	cg_archive_close(archive);
	cg_job_free(job);
	return status;
}
