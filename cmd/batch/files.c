/*
 * files.c - identifies files by device and inode: a batch does not read its
 * own outputs, and does not overwrite its inputs.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "batch.h"

/* ---- Outputs ------------------------------------------------------------ */

void
find_own_files(struct batch *batch)
{
	const struct args *args = batch->args;
	const char *const path[OWN_FILES] = { args->directory, args->output,
		args->manifest };
	struct stat info;

	for (size_t i = 0; i < OWN_FILES; i++)
		if (path[i] != NULL && stat(path[i], &info) == 0)
			batch->own[i] =
			    (struct own_file){ info.st_dev, info.st_ino };
}

static bool
is_own(const struct batch *batch, size_t i, const struct stat *info)
{
	return info->st_ino != 0 && batch->own[i].number == info->st_ino &&
	       batch->own[i].device == info->st_dev;
}

bool
is_output_file(const struct batch *batch, const struct stat *info)
{
	for (size_t i = 0; i < OWN_FILES; i++)
		if (is_own(batch, i, info))
			return true;
	return false;
}

bool
is_manifest(const struct batch *batch, const struct stat *info)
{
	return is_own(batch, OWN_FILES - 1, info);
}

/* ---- Inputs ------------------------------------------------------------- */

/* An input that was replaced later is another file. */
struct file {
	uint32_t key; /* a hash of device and inode */
	uint32_t task;
};

static int
compare_files(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->task > b->task) - (a->task < b->task);
}

static uint32_t
file_key(const struct batch *batch, const struct stat *info)
{
	const uint64_t file[2] = { info->st_dev, info->st_ino };

	return (uint32_t)cg_hash_bytes(
	    batch->key, (const char *)file, sizeof(file));
}

bool
record_file(struct batch *batch, size_t task, const struct stat *info)
{
	/* stat() failed: there is no file. */
	if (info->st_ino == 0)
		return true;
	if (!cg_grow_raw(&batch->file, &batch->file_cap, batch->files + 1,
		sizeof(*batch->file)))
		return false;
	batch->file[batch->files++] =
	    (struct file){ file_key(batch, info), (uint32_t)task };
	return true;
}

void
sort_files(struct batch *batch)
{
	if (batch->files > 1)
		qsort(batch->file, batch->files, sizeof(*batch->file),
		    compare_files);
}

static bool
is_same_file(const struct task *task, const struct stat *info)
{
	struct stat now;

	if (stat(task_file(task), &now) != 0)
		return errno != ENOENT && errno != ENOTDIR; /* may exist */
	return now.st_dev == info->st_dev && now.st_ino == info->st_ino;
}

const struct task *
find_input(const struct batch *batch, const struct stat *info)
{
	const struct file key = { file_key(batch, info), 0 };
	size_t low = 0, high = batch->files;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_files(&batch->file[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < batch->files && batch->file[low].key == key.key; low++) {
		const struct task *task = &batch->task[batch->file[low].task];

		if (is_same_file(task, info))
			return task;
	}
	return NULL;
}
