/*
 * source.c - where the bytes of an input come from: a file, a pipe, memory.
 *
 * read() into one buffer is as fast as mmap() here, works on pipes, and a
 * file that shrinks meanwhile cannot kill the program.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/io.h"

struct source {
	struct cg_stream stream;
	int fd;               /* -1: memory */
	bool big;             /* the kernel was told to read ahead */
	struct cg_slice left; /* of memory */
};

static ptrdiff_t
read_file(struct cg_stream *stream, char *buf, size_t size)
{
	struct source *source = (struct source *)stream;
	const struct cg_place place = { .file = stream->name };
	ptrdiff_t got;

	do
		got = read(source->fd, buf, size);
	while (got < 0 && errno == EINTR && !cg_diag_stopped(stream->diag));
	if (cg_diag_stopped(stream->diag)) {
		got = -1;
		errno = EINTR;
	}
	if ((size_t)got == size && !source->big) {
		source->big = true;
		(void)posix_fadvise(source->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	}
	if (got >= 0)
		return got;
	if (errno == EISDIR)
		cg_diag_say(stream->diag, CG_ERROR, &place, "is a directory");
	else
		cg_diag_say(stream->diag, CG_ERROR, &place, "cannot read: %s",
		    strerror(errno));
	stream->status = CG_EINPUT;
	return -1;
}

static ptrdiff_t
read_memory(struct cg_stream *stream, char *buf, size_t size)
{
	struct source *source = (struct source *)stream;
	size_t n = size < source->left.len ? size : source->left.len;

	if (n == 0)
		return 0;
	memcpy(buf, source->left.ptr, n);
	source->left.ptr += n;
	source->left.len -= n;
	return (ptrdiff_t)n;
}

static void
close_source(struct cg_stream *stream)
{
	struct source *source = (struct source *)stream;

	if (source->fd >= 0)
		(void)close(source->fd);
	free(source);
}

struct cg_stream *
cg_source(struct cg_diag *diag, const char *name, int fd, struct cg_slice bytes)
{
	struct source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->stream.read = fd >= 0 ? read_file : read_memory;
	source->stream.close = close_source;
	source->stream.packed = "";
	source->stream.diag = diag;
	source->stream.name = name;
	source->fd = fd;
	source->left = bytes;
	return &source->stream;
}
