/*
 * filter_libarchive.c - filters that decompress xz, bzip2, zstd and lz4, by
 * libarchive. Each handle decompresses one layer; in.c chains and limits them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "io/libarchive.h"

#define BUFFER_SIZE ((size_t)64 << 10)

struct packed {
	struct cg_stream stream;
	struct cg_libarchive lib;
	struct archive *archive; /* NULL before the first read */
	int id;                  /* libarchive's number of the filter */
	size_t head;             /* bytes of buf that were read already */
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
	packed->lib.archive_set_error(archive, EIO, "source failed");
	return ARCHIVE_FATAL;
}

/* ---- Decompressing ----------------------------------------------------------- */

static ptrdiff_t
fail_for_memory(struct packed *packed)
{
	const struct cg_location location = { .file = packed->stream.name };

	packed->stream.status = CG_ELIMIT;
	cg_diag_say(packed->stream.diag, CG_ERROR, &location, "out of memory");
	return -1;
}

/* An error of the layer below was reported already and is the cause. */
static ptrdiff_t
fail(struct packed *packed)
{
	const struct cg_location location = { .file = packed->stream.name };
	const char *text = packed->lib.archive_error_string(packed->archive);

	if (packed->stream.status != CG_OK)
		return -1;
	if (packed->lib.archive_errno(packed->archive) == ENOMEM)
		return fail_for_memory(packed);
	packed->stream.status = CG_EINPUT;
	cg_diag_say(packed->stream.diag, CG_ERROR, &location,
	    "%s data is corrupt or ends early (%s)", packed->stream.filter,
	    text ? text : "no reason given");
	return -1;
}

static ptrdiff_t
fail_to_load(struct packed *packed, const char *reason)
{
	const struct cg_location location = { .file = packed->stream.name };

	packed->stream.status = CG_EINPUT;
	cg_diag_say(packed->stream.diag, CG_ERROR, &location,
	    "cannot load libarchive: %s", reason);
	return -1;
}

/* Reads the header. Returns 1, 0 at the end of the input, or -1. */
static ptrdiff_t
start(struct packed *packed)
{
	struct cg_libarchive *lib = &packed->lib;
	const char *reason = cg_libarchive_load(lib);
	struct archive_entry *entry;
	struct archive *archive;
	int result;

	if (reason)
		return fail_to_load(packed, reason);
	archive = lib->archive_read_new();
	packed->archive = archive;
	/* Appended, so that libarchive does not try others. */
	if (!archive ||
	    lib->archive_read_support_format_raw(archive) != ARCHIVE_OK ||
	    lib->archive_read_support_format_empty(archive) != ARCHIVE_OK ||
	    lib->archive_read_append_filter(archive, packed->id) != ARCHIVE_OK)
		return fail_for_memory(packed);
	result =
	    lib->archive_read_open(archive, packed, NULL, give_packed, NULL);
	/* libarchive takes data that fails at once for an empty input. */
	if (lib->archive_errno(archive) != 0)
		result = ARCHIVE_FATAL;
	if (result == ARCHIVE_OK)
		result = lib->archive_read_next_header(archive, &entry);
	if (result == ARCHIVE_EOF)
		return 0;
	return result == ARCHIVE_OK ? 1 : fail(packed);
}

static ptrdiff_t
read_packed(struct cg_stream *stream, char *buf, size_t size)
{
	struct packed *packed = (struct packed *)stream;
	ptrdiff_t got = packed->archive ? 1 : start(packed);

	if (got <= 0)
		return got;
	got = packed->lib.archive_read_data(packed->archive, buf, size);
	return got >= 0 ? got : fail(packed);
}

static void
close_packed(struct cg_stream *stream)
{
	struct packed *packed = (struct packed *)stream;

	if (packed->archive)
		(void)packed->lib.archive_read_free(packed->archive);
	stream->source->close(stream->source);
	free(packed);
}

/* ---- Opening ------------------------------------------------------------- */

/* NULL: out of memory. */
static struct cg_stream *
open_packed(
    struct cg_stream *source, struct cg_slice head, const char *name, int id)
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
	packed->id = id;
	return &packed->stream;
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
