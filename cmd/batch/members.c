/*
 * members.c - members of archives that a worker reads from the archive itself,
 * as their format has to read all inputs of a sum together, and the bytes of
 * all do not fit into memory.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

struct members {
	const struct batch *batch;
	struct cg_job *job;         /* reports the archive's messages */
	struct cg_archive *archive; /* open; or NULL */
	const char *path;           /* of the archive, as in tasks */
	size_t next;                /* task of the member after the current */
	char *error;                /* of the archive; or NULL */
};

/* Callback for messages of the archive's reader: keeps the first error. */
static void
note_error(void *arg, const struct cg_message *message)
{
	struct members *members = arg;

	if (message->severity == CG_ERROR && members->error == NULL)
		members->error = strdup(message->text);
}

struct members *
open_members(const struct batch *batch)
{
	struct members *members = calloc(1, sizeof(*members));

	if (members == NULL)
		return NULL;
	members->batch = batch;
	members->job = cg_job_clone(batch->args->job);
	if (members->job == NULL) {
		free(members);
		return NULL;
	}
	cg_job_set_reporter(members->job, note_error, members);
	return members;
}

static void
close_archive(struct members *members)
{
	cg_archive_close(members->archive);
	members->archive = NULL;
	free(members->error);
	members->error = NULL;
}

void
close_members(struct members *members)
{
	if (members == NULL)
		return;
	close_archive(members);
	cg_job_free(members->job);
	free(members);
}

const char *
members_error(const struct members *members)
{
	return members != NULL ? members->error : NULL;
}

/*
 * Returns the number of the task of the first member in the archive of task n.
 */
static size_t
first_member(const struct batch *batch, size_t n)
{
	while (n > 0 && batch->task[n - 1].archive == batch->task[n].archive)
		n--;
	return n;
}

/*
 * Makes the member of task n the current one, of which nothing was read. Opens
 * its archive if another one is open, or if the member was passed. False: an
 * error (see members_error()), or the archive has changed.
 */
static bool
find_member(struct members *members, size_t n)
{
	const struct task *task = members->batch->task;
	struct cg_member member = { .name = "" };

	if (members->archive == NULL || n < members->next ||
	    task[n].archive != members->path) {
		close_archive(members);
		members->path = task[n].archive;
		members->next = first_member(members->batch, n);
		(void)cg_archive_open(
		    members->job, task[n].archive, &members->archive);
	}
	while (members->archive != NULL && members->next <= n) {
		if (!cg_archive_next(members->archive, &member))
			return false;
		members->next++;
	}
	return members->archive != NULL &&
	       strcmp(member.name, task[n].path) == 0;
}

ptrdiff_t
read_piece(void *arg, char *buf, size_t size)
{
	struct piece *piece = arg;
	struct members *members = piece->members;
	ptrdiff_t got;

	if (!piece->begun && !find_member(members, piece->task))
		return -EIO;
	piece->begun = true;
	got = cg_archive_read(members->archive, buf, size);
	return got >= 0 ? got : -EIO;
}
