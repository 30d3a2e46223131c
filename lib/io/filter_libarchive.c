/*
 * archive_filter.c - filters that unpack xz, bzip2, zstd, lz4, by libarchive.
 *
 * One libarchive handle unpacks one layer: that others lie below or above is
 * for the chain in in.c to see, which limits them.
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"

#define BUFFER_SIZE ((size_t)64 << 10)

struct packed {
	struct cg_stream stream;
	struct archive *archive;
	bool opened; /* the header was read */
	size_t head; /* bytes of buf that were read already */
	size_t size;
	char buf[];
};

/* ---- What libarchive asks for -------------------------------------------- */

static la_ssize_t
give_packed(struct archive *archive, void *arg, const void **bytes)
{
	struct packed *packed = arg;
	struct cg_stream *source = packed->stream.source;
	ptrdiff_t got = (ptrdiff_t)packed->head;

	*bytes = packed->buf;
	packed->head = 0;
	if (got == 0)
		got = cg_stream_read(source, packed->buf, packed->size);
	if (got >= 0)
		return got;
	packed->stream.status = source->status;
	archive_set_error(archive, EIO, "source failed");
	return ARCHIVE_FATAL;
}

/* ---- Unpacking ----------------------------------------------------------- */

/* What went wrong below has been said, and is the better reason. */
static ptrdiff_t
fail(struct packed *packed)
{
	const struct cg_location location = { .file = packed->stream.name };
	const char *text = archive_error_string(packed->archive);

	if (packed->stream.status != CG_OK)
		return -1;
	if (archive_errno(packed->archive) == ENOMEM) {
		packed->stream.status = CG_ELIMIT;
		text = "out of memory";
		cg_diag_say(
		    packed->stream.diag, CG_ERROR, &location, "%s", text);
		return -1;
	}
	packed->stream.status = CG_EINPUT;
	cg_diag_say(packed->stream.diag, CG_ERROR, &location,
	    "%s data is corrupt or ends early (%s)", packed->stream.filter,
	    text ? text : "no reason given");
	return -1;
}

static ptrdiff_t
read_packed(struct cg_stream *stream, char *buf, size_t size)
{
	struct packed *packed = (struct packed *)stream;
	struct archive_entry *entry;
	la_ssize_t got;
	int result;

	if (!packed->opened) {
		packed->opened = true;
		result = archive_read_open(
		    packed->archive, packed, NULL, give_packed, NULL);
		/* What fails at once is taken for the end, but for this. */
		if (archive_errno(packed->archive) != 0)
			result = ARCHIVE_FATAL;
		if (result == ARCHIVE_OK)
			result =
			    archive_read_next_header(packed->archive, &entry);
		if (result == ARCHIVE_EOF)
			return 0;
		if (result != ARCHIVE_OK)
			return fail(packed);
	}
	got = archive_read_data(packed->archive, buf, size);
	return got >= 0 ? (ptrdiff_t)got : fail(packed);
}

static void
close_packed(struct cg_stream *stream)
{
	struct packed *packed = (struct packed *)stream;

	(void)archive_read_free(packed->archive);
	stream->source->close(stream->source);
	free(packed);
}

/* ---- Opening ------------------------------------------------------------- */

/* NULL: out of memory. */
static struct cg_stream *
open_packed(struct cg_stream *source, struct cg_slice head, const char *name,
    int filter)
{
	size_t size = head.len > BUFFER_SIZE ? head.len : BUFFER_SIZE;
	struct packed *packed = malloc(sizeof(*packed) + size);

	if (!packed)
		return NULL;
	memset(packed, 0, sizeof(*packed));
	packed->stream.read = read_packed;
	packed->stream.close = close_packed;
	packed->stream.filter = name;
	packed->stream.source = source;
	packed->size = size;
	packed->head = head.len;
	memcpy(packed->buf, head.ptr, head.len);
	packed->archive = archive_read_new();
	/* Appended, not bid for: it unpacks one layer. */
	if (packed->archive &&
	    archive_read_support_format_raw(packed->archive) == ARCHIVE_OK &&
	    archive_read_support_format_empty(packed->archive) == ARCHIVE_OK &&
	    archive_read_append_filter(packed->archive, filter) == ARCHIVE_OK)
		return &packed->stream;
	(void)archive_read_free(packed->archive);
	free(packed);
	return NULL;
}

struct cg_stream *
cg_xz_open(struct cg_stream *source, struct cg_slice head)
{
	return open_packed(source, head, "xz", ARCHIVE_FILTER_XZ);
}

struct cg_stream *
cg_bzip2_open(struct cg_stream *source, struct cg_slice head)
{
	return open_packed(source, head, "bzip2", ARCHIVE_FILTER_BZIP2);
}

struct cg_stream *
cg_zstd_open(struct cg_stream *source, struct cg_slice head)
{
	return open_packed(source, head, "zstd", ARCHIVE_FILTER_ZSTD);
}

struct cg_stream *
cg_lz4_open(struct cg_stream *source, struct cg_slice head)
{
	return open_packed(source, head, "lz4", ARCHIVE_FILTER_LZ4);
}
