/*
 * file.c - reads whole files, without messages. Inputs are read by lib/io.
 */
#include <errno.h>

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

bool
cg_read_small_file(
    const char *path, size_t most, char **bytes, size_t *cap, size_t *size)
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
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
	    (uintmax_t)info.st_size <= most &&
	    cg_grow_raw(bytes, cap, (size_t)info.st_size + 1, 1))
		got = cg_read_at(fd, *bytes, (size_t)info.st_size + 1, 0);
	(void)close(fd);
	*size = got > 0 ? (size_t)got : 0;
	return got >= 0 && got == info.st_size;
}
