/*
 * io.h - floor 1 of the library: inputs, unpacking, outputs, text.
 */
#ifndef CG_IO_H
#define CG_IO_H

#include <endian.h>
#include <string.h>

#include "base/base.h"

/* ---- in.c, source.c, unpack.c: inputs ----------------------------------- */

/*
 * An input is a source of bytes (a file, a pipe), filters above it that
 * unpack (found by their magic, stacked until none bids), and a window over
 * the unpacked bytes that grows only as bytes arrive.
 */

/*
 * Where unpacked bytes come from: a file descriptor or a filter on another.
 * Whoever makes one sets the first three and source; cg_unpack() the rest.
 */
struct cg_stream {
	/*
	 * Reads up to size bytes. Returns how many, 0 at the end, -1 on an
	 * error that it has reported; status is CG_EINPUT or CG_ELIMIT then.
	 */
	ptrdiff_t (*read)(struct cg_stream *, char *buf, size_t size);
	void (*close)(struct cg_stream *); /* frees the stream and its source */
	const char *packed;                /* "gzip", "" for a plain source */
	struct cg_stream *source;          /* NULL: the lowest */
	struct cg_diag *diag;
	const char *name; /* of the input */
	uint64_t given;   /* bytes that were read from it */
	int status;
};
/*
 * The lowest stream: of a file descriptor, which it owns from then on, or (fd
 * below 0) of bytes, which must outlive it. NULL: out of memory.
 */
struct cg_stream *cg_source(struct cg_diag *, const char *name, int fd,
    struct cg_slice bytes);
/*
 * Reads from a stream. Of a filter it is an error (CG_ELIMIT, reported) to
 * give much more than the lowest source was asked for: only attacks do.
 */
ptrdiff_t cg_stream_read(struct cg_stream *, char *buf, size_t size);

/*
 * Opens path, "-" for standard input, and looks at its head. NULL after a
 * reported error; *status says which (CG_EINPUT, CG_ELIMIT).
 */
struct cg_in *cg_in_open(struct cg_diag *, const char *path, int *status);
/* The same of a file that may be missing: then NULL and CG_OK. */
struct cg_in *cg_in_try(struct cg_diag *, const char *path, int *status);
/* The same over memory, which must outlive it (tests, fuzzing). */
struct cg_in *cg_in_memory(struct cg_diag *, const char *name,
    struct cg_slice bytes, int *status);
void cg_in_close(struct cg_in *);
/* Bytes that were read of what is packed. */
uint64_t cg_in_taken(const struct cg_in *);
/* "gzip", "gzip utf-16", or "". */
const char *cg_in_packed(const struct cg_in *);
/* What probe() gets; the input is not consumed. */
bool cg_in_head(struct cg_in *, struct cg_head *);
/*
 * The place of at, which points into what the input gave out last. After
 * cg_read_line or cg_read_block that is line and column, after bytes the
 * offset, before both nothing but the name. NULL or elsewhere: the start of
 * what was given out, without a column; at the end of a text its last line.
 */
void cg_in_place(const struct cg_in *, const char *at, struct cg_place *);
/*
 * Text without regard to lines: what was given out last from keep on (NULL:
 * nothing of it), and more behind it. False if there is no more: the text is
 * then what was kept. Nothing at all after an error, such as 64 MiB to keep.
 */
bool cg_read_on(struct cg_in *, const char *keep, struct cg_slice *text);

/* Does at point into what the input gave out last? */
bool cg_in_holds(const struct cg_in *, const char *at);

/*
 * unpack.c: the filter whose magic head shows, or NULL if none bids. head was
 * read from source already: the filter copies it, goes on with source, and
 * owns that from then on. *status is CG_ELIMIT if it could not be made
 * (reported).
 */
#define CG_UNPACK_LAYERS 2 /* a .gz in a .gz happens, deeper is an attack */
#define CG_UNPACK_MAGIC 6  /* bytes that head must have, if there are so many */
struct cg_stream *cg_unpack(struct cg_stream *source, struct cg_slice head,
    int *status);
/*
 * Profiles of long runs repeat themselves, and histograms are mostly zeros:
 * what is unpacked may be so many times what was packed, and in any case so
 * much. gzip packs up to 1032:1, lz4 255:1; the others a million to one.
 */
#define CG_UNPACK_RATIO 1000
#define CG_UNPACK_FREE ((uint64_t)64 << 20)
/* unicode.c: the filter for a text with a byte order mark; NULL: no memory. */
struct cg_stream *cg_unicode_open(struct cg_stream *source, struct cg_slice);
/* archive_filter.c: likewise. */
struct cg_stream *cg_xz_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_bzip2_open(struct cg_stream *source, struct cg_slice);
struct cg_stream *cg_zstd_open(struct cg_stream *source, struct cg_slice);
struct cg_stream *cg_lz4_open(struct cg_stream *source, struct cg_slice);

/* ---- out.c: outputs ----------------------------------------------------- */

/*
 * path "-" is standard output. Else a temporary file beside the target,
 * which takes its place at commit and vanishes otherwise; a target that is no
 * regular file (a pipe, /dev/null) is written directly. NULL after a reported
 * error.
 */
struct cg_out *cg_out_open(struct cg_diag *, const char *path, bool gzip,
    int *status);
/* The same into memory, for tests and fuzzing; NULL: out of memory. */
struct cg_out *cg_out_memory(struct cg_diag *);
/* What a memory output holds; lives until the next call on it. */
struct cg_slice cg_out_bytes(struct cg_out *);
/*
 * Flush, sync, rename. If anything has failed since the output was opened,
 * reports it (once), changes no file and returns CG_EOUTPUT or CG_ELIMIT: so
 * a job commits also after a writer that failed because cg_out_status() did.
 */
int cg_out_commit(struct cg_out *);
/* Frees; without a commit before, nothing of the output is left. */
void cg_out_close(struct cg_out *);

#endif
