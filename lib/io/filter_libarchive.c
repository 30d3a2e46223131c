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

struct filter {
	struct cg_stream stream;
	struct cg_libarchive lib;
	struct archive *archive; /* NULL before the first read */
	int id;                  /* libarchive's number of the filter */
	size_t head;             /* bytes of buf that were read already */
	size_t size;
	char buf[];
};

/* ---- Callbacks of libarchive --------------------------------------------- */

static la_ssize_t
give_compressed(struct archive *archive, void *arg, const void **bytes)
{
	struct filter *filter = arg;
	struct cg_stream *source = filter->stream.source;
	ptrdiff_t got = (ptrdiff_t)filter->head;

	*bytes = filter->buf;
	filter->head = 0;
	if (got == 0)
		got = cg_stream_read(source, filter->buf, filter->size);
	if (got >= 0)
		return got;
	filter->stream.status = source->status;
	filter->lib.archive_set_error(archive, EIO, "source failed");
	return ARCHIVE_FATAL;
}

/* ---- Decompressing ------------------------------------------------------- */

static ptrdiff_t
fail_for_memory(struct filter *filter)
{
	const struct cg_location location = { .file = filter->stream.name };

	filter->stream.status = CG_ELIMIT;
	cg_diag_say(filter->stream.diag, CG_ERROR, &location, "out of memory");
	return -1;
}

/*
 * Reports an error of libarchive and sets the stream's status; does nothing if
 * the layer below has reported one, which is then the cause. Returns -1.
 */
static ptrdiff_t
fail(struct filter *filter)
{
	const struct cg_location location = { .file = filter->stream.name };
	const char *text = filter->lib.archive_error_string(filter->archive);

	if (filter->stream.status != CG_OK)
		return -1;
	if (filter->lib.archive_errno(filter->archive) == ENOMEM)
		return fail_for_memory(filter);
	filter->stream.status = CG_EINPUT;
	cg_diag_say(filter->stream.diag, CG_ERROR, &location,
	    "%s data is corrupt or ends early (%s)", filter->stream.filter,
	    text ? text : "no reason given");
	return -1;
}

static ptrdiff_t
fail_to_load(struct filter *filter, const char *reason)
{
	const struct cg_location location = { .file = filter->stream.name };

	filter->stream.status = CG_EINPUT;
	cg_diag_say(filter->stream.diag, CG_ERROR, &location,
	    "cannot load libarchive: %s", reason);
	return -1;
}

/*
 * Loads libarchive, and opens the compressed data as a "raw" archive with one
 * entry. Returns 1; 0: the input is empty; -1: an error (reported).
 */
static ptrdiff_t
start(struct filter *filter)
{
	struct cg_libarchive *lib = &filter->lib;
	const char *reason = cg_libarchive_load(lib);
	struct archive_entry *entry;
	struct archive *archive;
	int result;

	if (reason)
		return fail_to_load(filter, reason);
	archive = lib->archive_read_new();
	filter->archive = archive;
	/* Append the filter, so that libarchive does not try others. */
	if (!archive ||
	    lib->archive_read_support_format_raw(archive) != ARCHIVE_OK ||
	    lib->archive_read_support_format_empty(archive) != ARCHIVE_OK ||
	    lib->archive_read_append_filter(archive, filter->id) != ARCHIVE_OK)
		return fail_for_memory(filter);
	result = lib->archive_read_open(
	    archive, filter, NULL, give_compressed, NULL);
	/*
	 * libarchive takes invalid data for an empty input if it fails at
	 * once.
	 */
	if (lib->archive_errno(archive) != 0)
		result = ARCHIVE_FATAL;
	if (result == ARCHIVE_OK)
		result = lib->archive_read_next_header(archive, &entry);
	if (result == ARCHIVE_EOF)
		return 0;
	return result == ARCHIVE_OK ? 1 : fail(filter);
}

static ptrdiff_t
read_filter(struct cg_stream *stream, char *buf, size_t size)
{
	struct filter *filter = (struct filter *)stream;
	ptrdiff_t got = filter->archive ? 1 : start(filter);

	if (got <= 0)
		return got;
	got = filter->lib.archive_read_data(filter->archive, buf, size);
	return got >= 0 ? got : fail(filter);
}

static void
close_filter(struct cg_stream *stream)
{
	struct filter *filter = (struct filter *)stream;

	if (filter->archive)
		(void)filter->lib.archive_read_free(filter->archive);
	stream->source->close(stream->source);
	free(filter);
}

/* ---- Opening ------------------------------------------------------------- */

/*
 * Returns a stream that decompresses `source` by the libarchive filter number
 * `id`. head is what was read of source already, and name is for messages.
 * NULL: out of memory.
 */
static struct cg_stream *
open_filter(
    struct cg_stream *source, struct cg_slice head, const char *name, int id)
{
	size_t size = head.len > BUFFER_SIZE ? head.len : BUFFER_SIZE;
	struct filter *filter = malloc(sizeof(*filter) + size);

	if (!filter)
		return NULL;
	memset(filter, 0, sizeof(*filter));
	filter->stream.read = read_filter;
	filter->stream.close = close_filter;
	filter->stream.filter = name;
	filter->stream.source = source;
	filter->size = size;
	filter->head = head.len;
	memcpy(filter->buf, head.ptr, head.len);
	filter->id = id;
	return &filter->stream;
}

struct cg_stream *
cg_xz_open(struct cg_stream *source, struct cg_slice head)
{
	return open_filter(source, head, "xz", ARCHIVE_FILTER_XZ);
}

struct cg_stream *
cg_bzip2_open(struct cg_stream *source, struct cg_slice head)
{
	return open_filter(source, head, "bzip2", ARCHIVE_FILTER_BZIP2);
}

struct cg_stream *
cg_zstd_open(struct cg_stream *source, struct cg_slice head)
{
	return open_filter(source, head, "zstd", ARCHIVE_FILTER_ZSTD);
}

struct cg_stream *
cg_lz4_open(struct cg_stream *source, struct cg_slice head)
{
	return open_filter(source, head, "lz4", ARCHIVE_FILTER_LZ4);
}
