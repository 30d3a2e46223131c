/*
 * filter_gzip.c - decompresses gzip with zlib.
 *
 * Source: RFC 1952. There may be several members; zeros may follow the last
 * one (tapes are padded with them), anything else after it is an error.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "io/io.h"

#define BUFFER_SIZE ((size_t)64 << 10)
/* zlib's code for any window size, with gzip header and trailer. */
#define GZIP_WINDOW (15 + 16)
#define GZIP_FIRST 0x1f /* the first byte of a member */

/* z.next_in is the unread part of buf. */
struct gzip {
	struct cg_stream stream;
	uint64_t taken; /* bytes from the source so far */
	bool within;    /* a member has begun and not ended */
	bool padding;   /* zeros follow the last member */
	int failed;     /* zlib's error, to be reported; or Z_OK */
	z_stream z;
	size_t size; /* of buf */
	unsigned char buf[];
};

static int fail(struct gzip *, int status, const char *fmt, ...)
    CG_PRINTF(3, 4);

static int
fail(struct gzip *gzip, int status, const char *fmt, ...)
{
	struct cg_location location = { .file = gzip->stream.name };
	va_list args;

	if (status == CG_EINPUT) {
		location.offset = gzip->taken - gzip->z.avail_in;
		location.has_offset = true;
	}
	va_start(args, fmt);
	cg_diag_put(gzip->stream.diag, CG_ERROR, &location, fmt, args);
	va_end(args);
	gzip->stream.status = status;
	return -1;
}

/*
 * Reads compressed bytes into gzip->buf if none are left there. Returns 1 if
 * there are some; 0: the end; -1: an error (reported), also if the data ends
 * within a member.
 */
static int
refill(struct gzip *gzip)
{
	ptrdiff_t got;

	if (gzip->z.avail_in > 0)
		return 1;
	got =
	    cg_stream_read(gzip->stream.source, (char *)gzip->buf, gzip->size);
	if (got < 0) {
		gzip->stream.status = gzip->stream.source->status;
		return -1;
	}
	if (got == 0 && gzip->within)
		return fail(gzip, CG_EINPUT, "gzip data ends early");
	gzip->taken += (uint64_t)got;
	gzip->z.next_in = gzip->buf;
	gzip->z.avail_in = (uInt)got;
	return got > 0;
}

/*
 * Like refill(), but moves from the end of a gzip member to the next one.
 * Skips zeros after the last member, and returns 0 at their end. Other bytes
 * there are an error (-1, reported).
 */
static int
find_member(struct gzip *gzip)
{
	int got = refill(gzip);

	while (got > 0 && !gzip->within) {
		if (*gzip->z.next_in == GZIP_FIRST && !gzip->padding) {
			(void)inflateReset(&gzip->z);
			gzip->within = true;
		} else if (*gzip->z.next_in == 0) {
			gzip->padding = true;
			gzip->z.next_in++;
			gzip->z.avail_in--;
			got = refill(gzip);
		} else {
			return fail(gzip, CG_EINPUT,
			    "expected nothing after the gzip data");
		}
	}
	return got;
}

/* Reports the error of inflate() in gzip->failed. Returns -1. */
static int
fail_to_inflate(struct gzip *gzip)
{
	if (gzip->failed == Z_MEM_ERROR)
		return fail(gzip, CG_ELIMIT, "out of memory");
	return fail(gzip, CG_EINPUT, "gzip data is corrupt (%s)",
	    gzip->z.msg ? gzip->z.msg : zError(gzip->failed));
}

/*
 * Decompresses up to size bytes into buf. Returns their number; 0: the end;
 * -1: an error (reported). If the data is cut off or corrupt, the bytes before
 * that are returned first, and the next call reports the error.
 */
static ptrdiff_t
gzip_read(struct cg_stream *stream, char *buf, size_t size)
{
	struct gzip *gzip = (struct gzip *)stream;
	uInt room = size < UINT_MAX / 2 ? (uInt)size : UINT_MAX / 2;
	int got, result;

	gzip->z.next_out = (Bytef *)buf;
	gzip->z.avail_out = room;
	while (gzip->z.avail_out == room) {
		if (gzip->failed != Z_OK)
			return fail_to_inflate(gzip);
		got = find_member(gzip);
		if (got <= 0)
			return got;
		result = inflate(&gzip->z, Z_NO_FLUSH);
		if (result == Z_STREAM_END)
			gzip->within = false;
		else
			gzip->failed = result;
	}
	return (ptrdiff_t)(room - gzip->z.avail_out);
}

static void
gzip_close(struct cg_stream *stream)
{
	struct gzip *gzip = (struct gzip *)stream;

	stream->source->close(stream->source);
	(void)inflateEnd(&gzip->z);
	free(gzip);
}

struct cg_stream *
cg_gzip_open(struct cg_stream *source, struct cg_slice head)
{
	size_t size = head.len > BUFFER_SIZE ? head.len : BUFFER_SIZE;
	struct gzip *gzip = malloc(sizeof(*gzip) + size);

	if (!gzip)
		return NULL;
	memset(gzip, 0, sizeof(*gzip));
	gzip->stream.read = gzip_read;
	gzip->stream.close = gzip_close;
	gzip->stream.filter = "gzip";
	gzip->stream.source = source;
	gzip->size = size;
	gzip->taken = head.len;
	gzip->within = true;
	if (inflateInit2(&gzip->z, GZIP_WINDOW) != Z_OK) {
		free(gzip);
		return NULL;
	}
	memcpy(gzip->buf, head.ptr, head.len);
	gzip->z.next_in = gzip->buf;
	gzip->z.avail_in = (uInt)head.len;
	return &gzip->stream;
}
