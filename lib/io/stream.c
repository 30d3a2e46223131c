/*
 * stream.c - reads the bytes of an input from a file, a pipe, memory or a
 * callback, and limits the expansion by the filters above.
 *
 * read() into one buffer is as fast here as mmap(), works on pipes, and a file
 * that shrinks during reading does not kill the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"
#include "cgconv_expert.h"
#include "io/io.h"

/*
 * Interval in milliseconds after which a waiting thread checks if it has to
 * end.
 */
#define PATIENCE 100

struct lowest {
	struct cg_stream stream;
	struct cg_source source;
	bool read_ahead;          /* the kernel was told to read ahead */
	const atomic_bool *ended; /* see cg_stream_detach(); or NULL */
};

static ptrdiff_t
fail(struct cg_stream *stream, int error)
{
	const struct cg_location location = { .file = stream->name };

	if (error == EISDIR)
		cg_diag_say(
		    stream->diag, CG_ERROR, &location, "is a directory");
	else
		cg_diag_say(stream->diag, CG_ERROR, &location,
		    "cannot read: %s", strerror(error));
	stream->status = CG_EINPUT;
	return -1;
}

/*
 * Waits until read() would not block. Polls with a timeout, as no signal
 * interrupts this thread. False: meanwhile the program was stopped, or the
 * bytes are no longer needed.
 */
static bool
wait_for_bytes(struct lowest *lowest)
{
	struct pollfd file = { .fd = lowest->source.fd, .events = POLLIN };
	int ready;

	while ((ready = poll(&file, 1, PATIENCE)) <= 0) {
		if (cg_diag_stopped(lowest->stream.diag) ||
		    atomic_load(lowest->ended))
			return false;
		if (ready < 0 && errno != EINTR)
			return true; /* read() will return the error */
	}
	return true;
}

static ptrdiff_t
read_file(struct cg_stream *stream, char *buf, size_t size)
{
	struct lowest *lowest = (struct lowest *)stream;
	ptrdiff_t got;

	if (lowest->ended && !wait_for_bytes(lowest))
		return fail(stream, EINTR);
	do
		got = read(lowest->source.fd, buf, size);
	while (got < 0 && errno == EINTR && !cg_diag_stopped(stream->diag));
	if (cg_diag_stopped(stream->diag))
		return fail(stream, EINTR);
	/* Skip this system call for small files. */
	if ((size_t)got == size && !lowest->read_ahead) {
		lowest->read_ahead = true;
		cg_advise_sequential(lowest->source.fd);
	}
	return got >= 0 ? got : fail(stream, errno);
}

static ptrdiff_t
read_memory(struct cg_stream *stream, char *buf, size_t size)
{
	struct cg_slice *left = &((struct lowest *)stream)->source.bytes;
	size_t n = size < left->len ? size : left->len;

	if (n == 0)
		return 0;
	memcpy(buf, left->ptr, n);
	left->ptr += n;
	left->len -= n;
	return (ptrdiff_t)n;
}

static ptrdiff_t
read_callback(struct cg_stream *stream, char *buf, size_t size)
{
	const struct cg_source *source = &((struct lowest *)stream)->source;
	ptrdiff_t got = source->read(source->arg, buf, size);

	if (cg_diag_stopped(stream->diag))
		return fail(stream, EINTR);
	if (got > (ptrdiff_t)size)
		return fail(stream, EOVERFLOW);
	return got >= 0 ? got : fail(stream, (int)-got);
}

static void
close_lowest(struct cg_stream *stream)
{
	struct lowest *lowest = (struct lowest *)stream;

	if (lowest->source.fd >= 0)
		(void)cg_close(lowest->source.fd);
	free(lowest);
}

struct cg_stream *
cg_stream_new(
    struct cg_diag *diag, const char *name, const struct cg_source *source)
{
	struct lowest *lowest = calloc(1, sizeof(*lowest));

	if (!lowest)
		return NULL;
	if (source->fd >= 0)
		lowest->stream.read = read_file;
	else
		lowest->stream.read =
		    source->read ? read_callback : read_memory;
	lowest->stream.close = close_lowest;
	lowest->stream.filter = "";
	lowest->stream.diag = diag;
	lowest->stream.name = name;
	lowest->source = *source;
	return &lowest->stream;
}

bool
cg_stream_skip(struct cg_stream *stream, uint64_t n)
{
	const struct lowest *lowest = (const struct lowest *)stream;
	struct stat info;
	off_t at;

	if (stream->source || stream->read != read_file ||
	    fstat(lowest->source.fd, &info) != 0 || !S_ISREG(info.st_mode))
		return false;
	at = lseek(lowest->source.fd, 0, SEEK_CUR);
	if (at < 0 || at > info.st_size || n >= (uint64_t)(info.st_size - at) ||
	    lseek(lowest->source.fd, (off_t)n, SEEK_CUR) < 0)
		return false;
	stream->given += n;
	return true;
}

uint64_t
cg_stream_taken(const struct cg_stream *stream)
{
	while (stream->source)
		stream = stream->source;
	return stream->given;
}

bool
cg_stream_detach(
    struct cg_stream *stream, struct cg_diag *diag, const atomic_bool *ended)
{
	struct cg_stream *lowest = stream;

	while (lowest->source)
		lowest = lowest->source;
	if (lowest->read == read_callback)
		return false;
	((struct lowest *)lowest)->ended = ended;
	for (; stream; stream = stream->source)
		stream->diag = diag;
	return true;
}

ptrdiff_t
cg_stream_read(struct cg_stream *stream, char *buf, size_t size)
{
	const struct cg_location location = { .file = stream->name };
	ptrdiff_t got = stream->read(stream, buf, size);

	if (got <= 0)
		return got;
	stream->given += (uint64_t)got;
	if (!stream->source || !cg_is_bomb(stream->given,
				   cg_stream_taken(stream), CG_EXPANSION_MAX))
		return got;
	cg_diag_say(stream->diag, CG_ERROR, &location,
	    "expected compressed data that expands to at most %d times its "
	    "size",
	    CG_EXPANSION_MAX);
	stream->status = CG_ELIMIT;
	return -1;
}
