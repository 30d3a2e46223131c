/*
 * filter_unicode.c - converts texts with a byte order mark to UTF-8: shells of
 * Windows write redirected text as UTF-16.
 */
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

#define BUFFER_SIZE ((size_t)64 << 10)
/* Maximum number of bytes for one unit of 16 bits. */
#define UTF8_MAX 3
#define REPLACEMENT 0xfffdu

struct unicode {
	struct cg_stream stream;
	bool wide, big_endian; /* the text is UTF-16; its byte order */
	bool ended;
	uint32_t high;  /* a high surrogate whose low one is not read yet */
	size_t at, end; /* range of buf that is not converted yet */
	size_t size;
	unsigned char buf[];
};

static char *
put_char(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		if (c >= 0x10000) {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		} else {
			*to++ = (char)(0xe0 | c >> 12);
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/*
 * Writes a 16-bit unit of UTF-16 as UTF-8 at `to`, and returns the end. The
 * first half of a surrogate pair is kept in u->high until the second comes,
 * and nothing is written; lone surrogates become U+FFFD.
 */
static char *
put_unit(struct unicode *u, char *to, uint32_t unit)
{
	uint32_t high = u->high;

	u->high = 0;
	if (high && unit >= 0xdc00 && unit < 0xe000)
		return put_char(
		    to, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
	if (high)
		to = put_char(to, REPLACEMENT);
	if (unit >= 0xd800 && unit < 0xdc00) {
		u->high = unit;
		return to;
	}
	return put_char(
	    to, unit >= 0xdc00 && unit < 0xe000 ? REPLACEMENT : unit);
}

/*
 * Moves the unread bytes, at most one, to the start of u->buf, and reads more
 * behind them; sets u->ended at the end of the source. False: an error.
 */
static bool
refill(struct unicode *u)
{
	ptrdiff_t got;

	memmove(u->buf, u->buf + u->at, u->end - u->at);
	u->end -= u->at;
	u->at = 0;
	got = cg_stream_read(
	    u->stream.source, (char *)u->buf + u->end, u->size - u->end);
	if (got < 0) {
		u->stream.status = u->stream.source->status;
		return false;
	}
	u->ended = got == 0;
	u->end += (size_t)got;
	return true;
}

static ptrdiff_t
fail_cut(struct unicode *u)
{
	const struct cg_location location = { .file = u->stream.name };

	cg_diag_say(u->stream.diag, CG_ERROR, &location,
	    "UTF-16 text ends within a character");
	u->stream.status = CG_EINPUT;
	return -1;
}

static char *
convert(struct unicode *u, char *to, const char *limit)
{
	/* A unit may become two characters: a lone surrogate and another. */
	while (u->end - u->at >= 2 && limit - to >= 2 * UTF8_MAX) {
		uint32_t a = u->buf[u->at], b = u->buf[u->at + 1];

		to = put_unit(u, to, u->big_endian ? a << 8 | b : b << 8 | a);
		u->at += 2;
	}
	return to;
}

static ptrdiff_t
read_wide(struct cg_stream *stream, char *buf, size_t size)
{
	struct unicode *u = (struct unicode *)stream;
	char *to = buf;

	while (to == buf) {
		to = convert(u, to, buf + size);
		if (to > buf || u->ended)
			break;
		if (u->end - u->at < 2 && !refill(u))
			return -1;
	}
	if (to == buf && u->at < u->end)
		return fail_cut(u);
	if (to == buf && u->high) {
		u->high = 0;
		to = put_char(to, REPLACEMENT);
	}
	return to - buf;
}

/*
 * Reads text that is UTF-8 already, after its byte order mark was skipped:
 * first the bytes in u->buf, then the source's. Returns the number of bytes;
 * 0: the end; negative: an error.
 */
static ptrdiff_t
read_plain(struct cg_stream *stream, char *buf, size_t size)
{
	struct unicode *u = (struct unicode *)stream;
	size_t n = u->end - u->at;
	ptrdiff_t got;

	if (n > 0) {
		n = n < size ? n : size;
		memcpy(buf, u->buf + u->at, n);
		u->at += n;
		return (ptrdiff_t)n;
	}
	got = cg_stream_read(u->stream.source, buf, size);
	if (got < 0)
		u->stream.status = u->stream.source->status;
	return got;
}

static void
close_unicode(struct cg_stream *stream)
{
	struct unicode *u = (struct unicode *)stream;

	stream->source->close(stream->source);
	free(u);
}

struct cg_stream *
cg_unicode_open(struct cg_stream *source, struct cg_slice head)
{
	size_t size = head.len > BUFFER_SIZE ? head.len : BUFFER_SIZE;
	struct unicode *u = malloc(sizeof(*u) + size);

	if (!u)
		return NULL;
	memset(u, 0, sizeof(*u));
	u->wide = *head.ptr != '\xef';
	u->big_endian = *head.ptr == '\xfe';
	u->stream.read = u->wide ? read_wide : read_plain;
	u->stream.close = close_unicode;
	u->stream.filter = u->wide ? "utf-16" : "utf-8-bom";
	u->stream.source = source;
	u->size = size;
	memcpy(u->buf, head.ptr, head.len);
	u->at = u->wide ? 2 : 3;
	u->end = head.len;
	return &u->stream;
}
