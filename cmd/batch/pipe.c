/*
 * pipe.c - what the parent and a worker send each other: texts and structs, and
 * the bytes of large archive members in pieces.
 */
#include <errno.h>

#include "base/platform.h"
#include "worker.h"

bool
write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;
	ssize_t got;

	for (; n > 0; at += got, n -= (size_t)got) {
		got = cg_pipe_write(fd, at, n);
		if (got < 0 && errno != EINTR)
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

bool
read_all(int fd, void *bytes, size_t n)
{
	char *at = bytes;
	ssize_t got;

	for (; n > 0; at += got, n -= (size_t)got) {
		got = cg_pipe_read(fd, at, n);
		if (got == 0)
			errno = 0;
		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		got = got < 0 ? 0 : got;
	}
	return true;
}

/* ---- Streams ------------------------------------------------------------ */

/*
 * Reads bytes of an archive member that the parent sends in pieces (size,
 * bytes; size 0 at the end), as cg_job_add_input_callback() requires. Returns
 * the number of bytes, 0 at the end; negative: the parent has closed the pipe.
 */
ptrdiff_t
read_stream(void *arg, char *buf, size_t size)
{
	struct stream *stream = arg;

	if (!stream->ended && stream->left == 0) {
		if (!read_all(
			stream->from, &stream->left, sizeof(stream->left)))
			return -EPIPE;
		stream->ended = stream->left == 0;
	}
	if (size > stream->left)
		size = stream->left;
	if (!read_all(stream->from, buf, size))
		return -EPIPE;
	stream->left -= size;
	return (ptrdiff_t)size;
}

/*
 * Reads and drops what is left of the member, as the parent sends all bytes
 * before it reads the answer. True if the member was complete, which only its
 * end shows.
 */
bool
drain_stream(struct stream *stream)
{
	char bytes[4096];
	ptrdiff_t got;

	do
		got = read_stream(stream, bytes, sizeof(bytes));
	while (got > 0);
	return got == 0;
}
