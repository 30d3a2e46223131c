/*
 * file.c - reads files without messages. Inputs are read by lib/io.
 */
#include <errno.h>
#include <unistd.h>

#include "base/base.h"

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
