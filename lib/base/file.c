/*
 * file.c - reads whole files, without messages. Inputs are read by lib/io.
 */
#include <errno.h>
#include <time.h>

#include "base/base.h"
#include "cgconv_expert.h"

ptrdiff_t
cg_read_at(int fd, void *to, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	do {
		got =
		    pread(fd, (char *)to + done, n - done, (off_t)(at + done));
		done += got > 0 ? (size_t)got : 0;
	} while (done < n && (got > 0 || (got < 0 && errno == EINTR)));
	return got < 0 ? -1 : (ptrdiff_t)done;
}

/* Clocks of file systems may tick every two seconds only. */
#define SETTLED 3

bool
cg_get_stamp(int fd, struct cg_stamp *stamp)
{
	struct timespec now, modified;
	struct stat info;

	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
	    clock_gettime(CLOCK_REALTIME, &now) != 0)
		return false;
	modified = cg_mtime(&info);
	*stamp = (struct cg_stamp){ .device = (uint64_t)info.st_dev,
		.inode = (uint64_t)info.st_ino,
		.size = (uint64_t)info.st_size,
		.seconds = modified.tv_sec,
		.nanoseconds = modified.tv_nsec,
		.changed = info.st_ctime,
		.settled = now.tv_sec - modified.tv_sec > SETTLED &&
			   now.tv_sec - info.st_ctime > SETTLED };
	return true;
}

bool
cg_same_stamp(const struct cg_stamp *a, const struct cg_stamp *b)
{
	return a->settled && b->settled && a->device == b->device &&
	       a->inode == b->inode && a->size == b->size &&
	       a->seconds == b->seconds && a->nanoseconds == b->nanoseconds &&
	       a->changed == b->changed;
}

bool
cg_read_small_file(const char *path, size_t most, char **bytes, size_t *cap,
    size_t *size, struct cg_stamp *stamp)
{
	struct stat info;
	ptrdiff_t got = -1;
	int fd = -1;

	*size = 0;
	/* To open a FIFO would wake its writer. */
	if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
		fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	/* One more byte, to see the end. */
	if (cg_get_stamp(fd, stamp) && stamp->size <= most &&
	    cg_grow_raw(bytes, cap, (size_t)stamp->size + 1, 1))
		got = cg_read_at(fd, *bytes, (size_t)stamp->size + 1, 0);
	(void)close(fd);
	*size = got > 0 ? (size_t)got : 0;
	return got >= 0 && (uint64_t)got == stamp->size;
}
