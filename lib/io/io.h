/*
 * io.h - inputs, decompression, archives, outputs, and the messages that name a
 * location in an input.
 *
 * Bytes go through these files in this order:
 *
 *	stream.c    a file, a pipe or memory
 *	filter_*.c  gzip, xz, bzip2, zstd, lz4, UTF-16: filters on a stream
 *	filters.c   which filter an input needs
 *	prefetch.c  decompresses in another thread what is read next
 *	in.c        the window that readers see
 *	archive.c   members of tar and zip
 *	out.c       the output
 *	compress.c  gzip, by several threads
 *
 * message.c reports errors and warnings, memory.c has the memory of a read() or
 * write().
 */
#ifndef CG_IO_H
#define CG_IO_H

#include <stdatomic.h>
#include <string.h>

#include "base/base.h"

/* ---- stream.c: where bytes come from ------------------------------------- */

/*
 * A source of bytes, or a filter on another stream. Whoever creates a filter
 * sets read, close, filter and source; cg_filter_open() sets the rest.
 */
struct cg_stream {
	/*
	 * Reads up to size bytes. Returns how many, 0 at the end, -1 after an
	 * error that it has reported; status is CG_EINPUT or CG_ELIMIT then.
	 */
	ptrdiff_t (*read)(struct cg_stream *, char *buf, size_t size);
	void (*close)(struct cg_stream *); /* frees the stream and its source */
	const char *filter;                /* "gzip", "" for a plain source */
	struct cg_stream *source;          /* NULL: this is the lowest */
	struct cg_diag *diag;
	const char *name; /* of the input */
	uint64_t given;   /* bytes that were read from it */
	int status;
};

/* What the lowest stream reads. */
struct cg_source {
	int fd;                /* if not -1; the stream closes it */
	struct cg_slice bytes; /* else, if read is NULL; must outlive it */
	cg_read_fn *read;      /* else this callback */
	void *arg;
};
/* The lowest stream. NULL: out of memory (not reported). */
struct cg_stream *cg_stream_new(struct cg_diag *, const char *name,
    const struct cg_source *);
/*
 * Reads from a stream, as its read(). A filter that returns too many bytes for
 * what it has read itself fails with CG_ELIMIT (reported): see cg_is_bomb().
 */
ptrdiff_t cg_stream_read(struct cg_stream *, char *buf, size_t size);
/* How many bytes were read below all filters. */
uint64_t cg_stream_taken(const struct cg_stream *);
/*
 * From now on another thread may read the stream: its messages go to diag, and
 * waiting for a pipe fails when *ended is true. False, and nothing has changed,
 * if its bytes come from a callback, which is called in its job's thread only.
 */
bool cg_stream_detach(struct cg_stream *, struct cg_diag *,
    const atomic_bool *ended);

/* ---- filters.c, filter_*.c: decompression -------------------------------- */

#define CG_FILTER_LAYERS 2 /* a .gz in a .gz happens; more is an attack */
#define CG_FILTER_MAGIC 6  /* first bytes that decide, if there are so many */
/*
 * The filter for a stream that begins with head, or NULL if it needs none. head
 * was read from source already: the filter copies it, continues with source,
 * and owns source from then on. *status is CG_ELIMIT if memory ran out
 * (reported).
 */
struct cg_stream *cg_filter_open(struct cg_stream *source, struct cg_slice head,
    int *status);

/* The same for one kind each; NULL: out of memory (not reported). */
struct cg_stream *cg_gzip_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_xz_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_bzip2_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_zstd_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_lz4_open(struct cg_stream *source, struct cg_slice head);
/* UTF-16, or UTF-8 with a byte order mark. */
struct cg_stream *cg_unicode_open(struct cg_stream *source,
    struct cg_slice head);

/* ---- prefetch.c: a thread that decompresses ------------------------------ */

/*
 * Reads the stream in another thread, from where it is, before the caller asks
 * for it. Only the caller's thread reports. Nothing else may use the stream
 * until cg_prefetch_free(). NULL: the caller has to read the stream itself, because
 * there is no memory or it cannot be read in another thread.
 */
struct cg_prefetch *cg_prefetch_new(struct cg_stream *);
/* What cg_stream_read() of the stream would return, and report, now. */
ptrdiff_t cg_prefetch_read(struct cg_prefetch *, char *buf, size_t size);
/* What the stream's status would be, and cg_stream_taken() of it. */
int cg_prefetch_status(const struct cg_prefetch *);
uint64_t cg_prefetch_taken(const struct cg_prefetch *);
/* Ends the thread; the stream cannot be read any more. */
void cg_prefetch_free(struct cg_prefetch *);

/* ---- in.c: inputs -------------------------------------------------------- */

/*
 * Opens path ("-": standard input) and the filters that it needs. NULL after a
 * reported error, with CG_EINPUT or CG_ELIMIT in *status.
 */
struct cg_in *cg_in_open(struct cg_diag *, const char *path, int *status);
/* The same for a file that may be missing: then NULL and CG_OK. */
struct cg_in *cg_in_try(struct cg_diag *, const char *path, int *status);
/* The same for another source; name is for messages. */
struct cg_in *cg_in_source(struct cg_diag *, const char *name,
    const struct cg_source *, int *status);
/* The same for bytes in memory, which must outlive the input. */
struct cg_in *cg_in_memory(struct cg_diag *, const char *name,
    struct cg_slice bytes, int *status);
void cg_in_close(struct cg_in *);
/*
 * How many threads may work for the input; 1 by default. With 2 or more a long
 * compressed input is decompressed in a thread of its own.
 */
void cg_in_set_threads(struct cg_in *, size_t threads);
/* How many bytes were read below all filters. */
uint64_t cg_in_taken(const struct cg_in *);
/* Names of its filters: "gzip", "gzip utf-16", or "". */
const char *cg_in_filters(const struct cg_in *);
/*
 * What probe() gets, of at most size bytes; consumes nothing. False after an
 * error.
 */
#define CG_HEAD_SIZE ((size_t)64 << 10)
bool cg_in_head(struct cg_in *, size_t size, struct cg_head *);
/*
 * The location of at, a pointer into what the input returned last: line and
 * column after cg_read_line() and cg_read_block(), the offset after bytes, only
 * the name before both. With NULL or any other pointer the location is the
 * start of what was returned, without a column; at the end of a text its last
 * line.
 */
void cg_in_locate(const struct cg_in *, const char *at, struct cg_location *);
/* Does at point into what the input returned last? */
bool cg_in_holds(const struct cg_in *, const char *at);
/*
 * As cg_read_block(), which reads less at once: whole lines of n bytes or a little
 * more, if the input has so many.
 */
bool cg_read_lines(struct cg_in *, size_t n, struct cg_slice *lines);
/*
 * As cg_read_lines(); but what was returned last stays valid, with its locations,
 * until the next call. Nothing is reported. False: there is no more, or something
 * to report; call cg_read_lines() when what was returned is not needed any more.
 */
bool cg_read_more_lines(struct cg_in *, size_t n, struct cg_slice *lines);
/*
 * Text without regard to lines: what was returned last, from keep on (NULL:
 * nothing of it), followed by more. False if there is no more: text is then
 * what was kept. After an error, such as more than 64 MiB to keep, text is
 * empty.
 */
bool cg_read_on(struct cg_in *, const char *keep, struct cg_slice *text);

/* ---- archive.c: archives ------------------------------------------------- */

/*
 * The archive that the input contains. Owns the input from then on, also if it
 * fails. NULL: *status tells why; CG_OK: the input is not an archive.
 */
struct cg_archive *cg_archive_new(struct cg_job *, struct cg_in *,
    int *status);

/* ---- message.c: errors of a job ------------------------------------------ */

/* An open companion of the input; see cg_open_companion(). */
struct cg_companion {
	struct cg_in *in;
	struct cg_companion *below; /* the one opened before it */
};

/*
 * Where errors are reported to and kept: the first member of struct cg_job, so
 * that what lies below jobs reports through a job as well.
 */
struct cg_errors {
	struct cg_diag diag;
	int fault;    /* of cursors, symbols, companions: ends the job */
	int rejected; /* of read() or write(): see cg_reject() */
	size_t skips; /* inputs, or units of one, that were skipped */
	struct cg_scope scope; /* memory of read() or write(): see cg_alloc() */
	struct cg_in *in;               /* being read; NULL between inputs */
	struct cg_companion *companion; /* the one opened last */
};

static inline struct cg_errors *
cg_job_errors(struct cg_job *job)
{
	return (struct cg_errors *)job;
}

/* ---- below.c: directories below another one ------------------------------ */

/*
 * Opens the directory of a path that is below root, which exists. Missing ones
 * are made; links below root are not followed (ELOOP). *name: the path's last
 * component. -1 with errno, EXDEV if the path leads elsewhere.
 */
int cg_open_below(const char *root, const char *path, const char **name);

/* ---- out.c: outputs ------------------------------------------------------ */

/*
 * path "-" is standard output. Else the output is a temporary file next to the
 * target, which replaces the target at commit and is deleted otherwise. A
 * target that is not a regular file (a pipe, /dev/null) is written directly.
 * root: see cg_job_set_output_root(), or NULL. NULL after a reported error.
 */
struct cg_out *cg_out_open(struct cg_diag *, const char *root,
    const char *path, bool gzip, int *status);
/* The same to a callback; see cg_job_set_output_callback(). */
struct cg_out *cg_out_callback(struct cg_diag *diag, cg_write_fn *write,
    void *arg, bool gzip, int *status);
/* An output that stays in memory, uncompressed. NULL: out of memory. */
struct cg_out *cg_out_memory(struct cg_diag *);
/* What a memory output contains; valid until the next call on it. */
struct cg_slice cg_out_bytes(struct cg_out *);
/*
 * When the output fails, *fault gets its status, if that is CG_OK: so cursors end
 * that share it, and nothing more is formatted.
 */
void cg_out_set_fault(struct cg_out *, int *fault);
/*
 * How many threads may compress, with the caller's; 1 by default. The bytes of
 * the output do not depend on it.
 */
void cg_out_set_threads(struct cg_out *, size_t threads);
/* As cg_gzip_new(), with one thread. NULL: out of memory (not reported). */
struct cg_out *cg_out_gzip(struct cg_diag *, cg_write_fn *, void *arg);
/*
 * Flushes, syncs, renames. After any failure since the output was opened it
 * reports that (once), leaves the target as it was and returns CG_EOUTPUT or
 * CG_ELIMIT. So a job also commits after a writer that failed because of
 * cg_out_status().
 */
int cg_out_commit(struct cg_out *);
/*
 * Writes everything, but a file appears only at the commit: so several outputs
 * can appear together, or none.
 */
int cg_out_finish(struct cg_out *);
/* Frees the output; without a commit nothing of it remains. */
void cg_out_close(struct cg_out *);

/* ---- compress.c --------------------------------------------------------- */

struct cg_compress;
/* Takes compressed bytes, in the caller's thread and in their order. */
typedef void cg_take_fn(void *arg, const void *bytes, size_t n);
/*
 * One member of gzip, in blocks that threads compress; small: as small as zlib's
 * default level makes it, else in a third of that time. NULL: out of memory (not
 * reported).
 */
struct cg_compress *cg_compress_new(cg_take_fn *, void *arg, bool small);
/* Before the first byte. The bytes do not depend on it. */
void cg_compress_set_threads(struct cg_compress *, size_t threads);
/* Compresses n bytes, later; false: out of memory. */
bool cg_compress_put(struct cg_compress *, const char *bytes, size_t n);
/* Ends the member: all compressed bytes are taken. False: as before. */
bool cg_compress_finish(struct cg_compress *);
/* NULL is allowed. What was not taken is dropped. */
void cg_compress_free(struct cg_compress *);

#endif
