/*
 * commit.c - commits many outputs at once: syncs their file system, then
 * renames each. A program that syncs each of thousands of small outputs waits
 * for the disk most of the time.
 *
 * An output must be on the disk before it gets its name, so that its name never
 * has a part of it after the system stops. Linux syncs a file system by
 * syncfs(2); elsewhere each file is synced.
 */
#define _GNU_SOURCE /* syncfs() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgconv.h"
#include "io/io.h"

/* The file system that was synced for files of this group, if any. */
struct synced {
	dev_t device;
	bool known; /* device is set */
	bool each;  /* the system cannot, or it failed: sync each file */
};

/* Syncs the file system that has the open file. False: see errno. */
static bool
sync_file_system(int fd)
{
#ifdef __linux__
	return syncfs(fd) == 0;
#else
	(void)fd;
	errno = ENOSYS;
	return false;
#endif
}

/*
 * Syncs a file, by its file system if that was not synced before. The error of
 * a file system does not say which file it is of, so then each file is synced
 * by itself. Returns 0 or an errno.
 */
static int
sync_file(int directory, const char *name, struct synced *synced)
{
	int fd = openat(directory, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat info;
	int error = 0;

	if (fd < 0 || fstat(fd, &info) != 0) {
		error = errno;
	} else if (!synced->each &&
		   !(synced->known && synced->device == info.st_dev)) {
		synced->known = sync_file_system(fd);
		synced->each = !synced->known;
		synced->device = info.st_dev;
	}
	if (error == 0 && synced->each && fsync(fd) != 0 &&
	    cg_is_sync_error(errno))
		error = errno;
	if (fd >= 0)
		(void)close(fd);
	return error;
}

/*
 * Removes a file whose directory could not be opened, for want of descriptors,
 * say. If that is a link now (ELOOP), the file is elsewhere.
 */
static void
remove_by_path(const struct cg_deferred *file, int error)
{
	char *temp = cg_temp_path(file->path, file->pid);

	if (temp && error != ELOOP)
		(void)unlink(temp);
	free(temp);
}

/* Syncs and renames a file, or removes it. Returns 0 or an errno. */
static int
commit(const char *root, const struct cg_deferred *file, struct synced *synced)
{
	const char *name;
	int directory = cg_open_below(root, file->path, &name), error = errno;
	char *temp;

	if (directory < 0) {
		remove_by_path(file, error);
		return error;
	}
	temp = cg_temp_path(name, file->pid);
	error = temp ? sync_file(directory, temp, synced) : ENOMEM;
	if (error == 0 && renameat(directory, temp, directory, name) != 0)
		error = errno;
	if (error != 0 && temp)
		(void)unlinkat(directory, temp, 0);
	free(temp);
	(void)close(directory);
	return error;
}

void
cg_commit_deferred(const char *root, struct cg_deferred *file, size_t n)
{
	struct synced synced = { 0 };

	for (size_t i = 0; i < n; i++)
		file[i].error = commit(root, &file[i], &synced);
}

int
cg_sync_root(const char *root)
{
	int fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return 0; /* a directory may be writable but not readable */
	if (!sync_file_system(fd) && (errno != ENOSYS || fsync(fd) != 0) &&
	    cg_is_sync_error(errno))
		error = errno;
	(void)close(fd);
	return error;
}
