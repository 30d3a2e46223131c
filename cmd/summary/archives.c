/*
 * archives.c - reads coverage in archives, as a batch does: members of known
 * formats, and the files that belong to them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "summary.h"

#define PIECE 65536 /* bytes read at once, at least */
/* All members of an archive are kept in memory, as each may need others. */
#define MEMBERS_MAX ((uint64_t)1 << 30)

struct members {
	struct cg_job *job; /* reads the members, and has their memory */
	CG_ARRAY(char *) path;
	uint64_t size; /* bytes of all members */
};

static int
read_bytes(
    struct members *all, struct cg_archive *archive, struct cg_slice *bytes)
{
	CG_ARRAY(char) to = { 0 };
	ptrdiff_t got;

	do {
		if (!cg_reserve(all->job, &to, to.n + PIECE))
			return CG_ELIMIT;
		got = cg_archive_read(archive, to.at + to.n, to.cap - to.n);
		to.n += got > 0 ? (size_t)got : 0;
	} while (got > 0 && all->size + to.n <= MEMBERS_MAX);
	all->size += to.n;
	*bytes = (struct cg_slice){ to.at, to.n };
	if (got < 0)
		return cg_archive_status(archive);
	if (got == 0)
		return CG_OK;
	(void)cg_fail(all->job,
	    "the archive has over 1 GiB: convert it with -o, then use "
	    "--summary on the output");
	return CG_ELIMIT;
}

static int
add_member(struct members *all, struct cg_archive *archive, const char *path,
    const char *name)
{
	size_t room = strlen(path) + strlen(name) + 2;
	char *member = cg_alloc(all->job, room);
	struct cg_slice bytes;
	int status;

	if (member == NULL || !cg_append(all->job, &all->path, member))
		return CG_ELIMIT;
	snprintf(member, room, "%s/%s", path, name);
	status = read_bytes(all, archive, &bytes);
	return status == CG_OK ? cg_job_add_memory(all->job, member, bytes)
			       : status;
}

/*
 * Makes the members of the archive at path inputs of all->job, which has them
 * in memory. Without --from, skips members of unknown formats. Returns the
 * status: CG_EINPUT (reported) if none is left.
 */
static int
choose_inputs(const struct args *args, struct members *all, const char *path)
{
	int status = CG_OK;
	size_t inputs = 0;

	for (size_t i = 0; i < all->path.n; i++) {
		struct cg_detected found = { .score = 1 };

		if (args->from == NULL)
			status =
			    cg_job_detect(all->job, all->path.at[i], &found);
		if (status != CG_OK)
			return status;
		if (found.score == 0)
			continue;
		inputs++;
		(void)cg_job_add_input(all->job, all->path.at[i]);
	}
	if (inputs > 0)
		return CG_OK;
	return cg_fail(args->job, "%s: no member is in a known format", path);
}

static int
read_members(struct args *args, struct members *all, const char *path,
    struct cg_archive *archive)
{
	struct cg_member member;
	int status;

	while (cg_archive_next(archive, &member)) {
		if (!member.file)
			continue;
		status = add_member(all, archive, path, member.name);
		if (status != CG_OK)
			return status;
	}
	status = cg_archive_status(archive);
	return status == CG_OK ? choose_inputs(args, all, path) : status;
}

static int
merge(struct args *args, struct members *all)
{
	(void)cg_job_read(all->job, NULL);
	/* Keep the tests of a single tracefile apart. */
	if (args->inputs == 1)
		cg_job_set_parts(args->job, true);
	return cg_job_merge(args->job, all->job);
}

/*
 * Reads the members of the archive at "path" with all->job, and merges them
 * into the graph of all inputs. If the file is no archive, but only has the
 * suffix of one, reads it as a profile. Returns the status.
 */
static int
merge_archive(struct args *args, struct members *all, const char *path)
{
	struct cg_archive *archive;
	int status = cg_archive_open(all->job, path, &archive);

	if (status == CG_OK)
		status = archive != NULL
			     ? read_members(args, all, path, archive)
			     : cg_job_add_input(all->job, path);
	cg_archive_close(archive);
	return status == CG_OK ? merge(args, all) : status;
}

/*
 * Reads all inputs that are neither archives (by their names) nor executables
 * with all->job. Reads them together, as they may need each other, and merges
 * them into the graph of all inputs. Returns the status. It is CG_OK if there
 * are no such inputs.
 */
static int
merge_files(struct args *args, struct members *all)
{
	size_t inputs = 0;

	for (size_t i = 0; i < args->inputs; i++) {
		if (looks_like_archive(args->input[i]) ||
		    cg_is_elf(args->input[i]))
			continue;
		inputs++;
		(void)cg_job_add_input(all->job, args->input[i]);
	}
	return inputs > 0 ? merge(args, all) : CG_OK;
}

/*
 * Reads the archive at "path" with a job of its own, and merges it into the
 * graph of all inputs. If "path" is NULL, reads all inputs that are neither
 * archives nor executables instead. Returns the status.
 */
static int
merge_input(struct args *args, const char *path)
{
	struct members all = { .job = cg_job_clone(args->job) };
	int status = all.job == NULL ? cg_nomem(args->job)
		     : path == NULL  ? merge_files(args, &all)
				     : merge_archive(args, &all, path);

	cg_job_free(all.job);
	return status;
}

static int
merge_all(struct args *args)
{
	int status;

	for (size_t i = 0; i < args->inputs; i++) {
		if (cg_is_elf(args->input[i]))
			(void)cg_job_add_object(args->job, args->input[i]);
	}
	status = merge_input(args, NULL);
	for (size_t i = 0; status == CG_OK && i < args->inputs; i++) {
		if (looks_like_archive(args->input[i]))
			status = merge_input(args, args->input[i]);
	}
	return status;
}

int
read_coverage(struct args *args, const struct cg_graph **graph)
{
	bool archives = false;
	int status;

	for (size_t i = 0; i < args->inputs; i++)
		archives |= looks_like_archive(args->input[i]);
	status = archives ? merge_all(args) : add_inputs(args);
	return status == CG_OK ? cg_job_read(args->job, graph) : status;
}
