/*
 * files.c - identifies files by device and inode: a batch does not read its
 * own outputs, and does not overwrite its inputs.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "batch.h"

/* ---- Outputs ------------------------------------------------------------ */

bool
is_output_file(const struct batch *batch, const struct stat *info)
{
	const struct args *args = batch->args;
	const char *const path[] = { args->directory, args->output,
		args->manifest };
	struct stat target;

	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
		if (path[i] != NULL && stat(path[i], &target) == 0 &&
		    target.st_dev == info->st_dev &&
		    target.st_ino == info->st_ino)
			return true;
	return false;
}

/* ---- Inputs ------------------------------------------------------------- */

struct file {
	dev_t device;
	ino_t number;
	size_t task;
};

static int
compare_files(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;

	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return (a->task > b->task) - (a->task < b->task);
}

bool
record_file(struct batch *batch, size_t task, const struct stat *info)
{
	/* stat() failed: there is no file. */
	if (info->st_ino == 0)
		return true;
	if (!cg_grow(&batch->file, &batch->file_cap, batch->files + 1,
		sizeof(*batch->file)))
		return false;
	batch->file[batch->files++] =
	    (struct file){ info->st_dev, info->st_ino, task };
	return true;
}

void
sort_files(struct batch *batch)
{
	if (batch->files > 1)
		qsort(batch->file, batch->files, sizeof(*batch->file),
		    compare_files);
}

/* A task may overwrite its own inputs: they have been read by then. */
static bool
may_replace(const struct batch *batch, size_t task, size_t input)
{
	size_t group = batch->task[task].group;

	return input == task ||
	       (group > 0 && batch->task[input].group == group);
}

bool
overwrites_input(
    const struct batch *batch, size_t task, const struct stat *info)
{
	const struct file key = { info->st_dev, info->st_ino, 0 };
	size_t low = 0, high = batch->files;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_files(&batch->file[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < batch->files; low++) {
		const struct file *file = &batch->file[low];

		if (file->device != key.device || file->number != key.number)
			return false;
		if (!may_replace(batch, task, file->task))
			return true;
	}
	return false;
}
