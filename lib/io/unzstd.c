/*
 * unzstd.c - decompresses a zstd stream that arrives in pieces, by libzstd: see
 * "Compression" in cgconv_expert.h. Whole inputs are decompressed by libarchive
 * (filter_libarchive.c), which asks for bytes when it wants them; a format with
 * pieces between its own data has to say when they come.
 */
#include <zstd.h>
#include <zstd_errors.h>

#include "base/load.h"
#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define BUFFER_SIZE ((size_t)128 << 10)

#define LIBZSTD(X)               \
	X(ZSTD_createDStream)    \
	X(ZSTD_decompressStream) \
	X(ZSTD_freeDStream)      \
	X(ZSTD_getErrorCode)     \
	X(ZSTD_getErrorName)     \
	X(ZSTD_isError)

struct libzstd {
	LIBZSTD(CG_LOAD_MEMBER)
};

struct cg_unzstd {
	struct cg_job *job;
	struct libzstd lib;
	ZSTD_DStream *stream;
	bool full;             /* the buffer was full: there may be more */
	bool within;           /* the end of a frame is to come */
	uint64_t taken, given; /* bytes */
	char buf[BUFFER_SIZE];
};

static void
end(void *arg)
{
	struct cg_unzstd *zstd = arg;

	(void)zstd->lib.ZSTD_freeDStream(zstd->stream);
}

struct cg_unzstd *
cg_unzstd_new(struct cg_job *job)
{
	static const struct cg_loadable symbol[] = { LIBZSTD(CG_LOAD_NAME) };
	struct cg_unzstd *zstd = cg_alloc(job, sizeof(*zstd));
	const char *reason;

	if (!zstd)
		return NULL;
	zstd->job = job;
	reason = cg_load(CG_LIBZSTD_SONAME, symbol,
	    sizeof(symbol) / sizeof(*symbol), &zstd->lib);
	if (reason) {
		(void)cg_reject(job, "cannot load libzstd: %s", reason);
		return NULL;
	}
	zstd->stream = zstd->lib.ZSTD_createDStream();
	if (!zstd->stream) {
		(void)cg_reject_nomem(job);
		return NULL;
	}
	return cg_at_end(job, end, zstd) ? zstd : NULL;
}

static bool
fail(struct cg_unzstd *zstd, size_t result)
{
	if (zstd->lib.ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		return cg_reject_nomem(zstd->job);
	return cg_reject(zstd->job, "zstd data is corrupt (%s)",
	    zstd->lib.ZSTD_getErrorName(result));
}

bool
cg_unzstd_next(
    struct cg_unzstd *zstd, struct cg_slice *piece, struct cg_slice *bytes)
{
	ZSTD_outBuffer out = { zstd->buf, BUFFER_SIZE, 0 };
	ZSTD_inBuffer in = { piece->ptr, piece->len, 0 };
	size_t result;

	if (piece->len == 0 && !zstd->full)
		return false;
	result = zstd->lib.ZSTD_decompressStream(zstd->stream, &out, &in);
	if (zstd->lib.ZSTD_isError(result))
		return fail(zstd, result);
	piece->ptr += in.pos;
	piece->len -= in.pos;
	zstd->taken += in.pos;
	zstd->given += out.pos;
	zstd->full = out.pos == BUFFER_SIZE;
	/* A call that did nothing says what the next frame needs. */
	if (in.pos > 0 || out.pos > 0)
		zstd->within = result > 0;
	if (cg_is_bomb(zstd->given, zstd->taken, CG_EXPANSION_MAX))
		return cg_reject(zstd->job,
		    "expected compressed data that expands to at most %d times "
		    "its size",
		    CG_EXPANSION_MAX);
	*bytes = (struct cg_slice){ zstd->buf, out.pos };
	return out.pos > 0 || piece->len > 0;
}

bool
cg_unzstd_ended(const struct cg_unzstd *zstd)
{
	return !zstd->within;
}
