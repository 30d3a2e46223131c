/*
 * io.h - inputs, decompression, archives, outputs, and messages with a
 * location in an input.
 *
 * Bytes go through these files in this order:
 *
 *	stream.c    a file, a pipe or memory
 *	filter_*.c  gzip, xz, bzip2, zstd, lz4, UTF-16: filters on a stream
 *	filters.c   chooses the filter that an input needs
 *	prefetch.c  decompresses ahead in another thread
 *	in.c        the window that readers see
 *	archive.c   members of tar and zip
 *	out.c       the output
 *	commit.c    the names of many outputs
 *	compress.c  gzip, by several threads
 *	unzstd.c    zstd in pieces between other data of a format
 *
 * message.c reports errors and warnings, memory.c has the memory of a read()
 * or write().
 */
#ifndef CG_IO_H
#define CG_IO_H

#include <errno.h>
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
	 * Reads up to size bytes. Returns their number, 0 at the end, -1 after
	 * an error that it has reported; status is then CG_EINPUT or
	 * CG_ELIMIT.
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

/* The source of the lowest stream: one of three. */
struct cg_source {
	int fd;                /* a file, if not -1; the stream closes it */
	struct cg_slice bytes; /* memory, if read is NULL; must outlive it */
	cg_read_fn *read;      /* else this callback */
	void *arg;
};
/* Returns the lowest stream. NULL: out of memory (not reported). */
struct cg_stream *cg_stream_new(struct cg_diag *, const char *name,
    const struct cg_source *);
/*
 * Reads from a stream, as its read() does. If a filter returns too many bytes
 * for the number it has read, this fails with CG_ELIMIT (reported): see
 * cg_is_bomb().
 */
ptrdiff_t cg_stream_read(struct cg_stream *, char *buf, size_t size);
/* Returns the number of bytes that the lowest stream has read. */
uint64_t cg_stream_taken(const struct cg_stream *);
/*
 * Skips n bytes of a regular file. False: it is none, or has no more than n
 * left.
 */
bool cg_stream_skip(struct cg_stream *, uint64_t n);
/*
 * Lets another thread read the stream from now on: its messages go to diag,
 * and waiting for a pipe fails once *ended is true. False, and nothing has
 * changed, if its bytes come from a callback, which must be called in the
 * job's thread.
 */
bool cg_stream_detach(struct cg_stream *, struct cg_diag *,
    const atomic_bool *ended);

/* ---- filters.c, filter_*.c: decompression -------------------------------- */

#define CG_FILTER_LAYERS 2 /* a .gz in a .gz happens; more is an attack */
#define CG_FILTER_MAGIC 6  /* number of first bytes that decide; fewer may do */
/*
 * Returns the filter for a stream that begins with head, or NULL if it needs
 * none. head was read from source already: the filter copies it, continues
 * with source, and owns source from then on. *status is CG_ELIMIT if memory
 * ran out (reported).
 */
struct cg_stream *cg_filter_open(struct cg_stream *source, struct cg_slice head,
    int *status);

/* One kind of filter each; NULL: out of memory (not reported). */
struct cg_stream *cg_gzip_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_xz_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_bzip2_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_zstd_open(struct cg_stream *source, struct cg_slice head);
struct cg_stream *cg_lz4_open(struct cg_stream *source, struct cg_slice head);
/* Filters UTF-16, and UTF-8 with a byte order mark. */
struct cg_stream *cg_unicode_open(struct cg_stream *source,
    struct cg_slice head);

/* ---- prefetch.c: a thread that decompresses ------------------------------ */

/*
 * Reads ahead in another thread, from the stream's current position on. Only
 * the caller's thread reports. Nothing else may use the stream until
 * cg_prefetch_free(). NULL: out of memory, or the stream cannot be read in
 * another thread; the caller then has to read it itself.
 */
struct cg_prefetch *cg_prefetch_new(struct cg_stream *);
/* Returns and reports the same as cg_stream_read() of the stream. */
ptrdiff_t cg_prefetch_read(struct cg_prefetch *, char *buf, size_t size);
/*
 * Return the stream's status, and its cg_stream_taken(), as of what the caller
 * has read: the thread may be further.
 */
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
 * Sets how many threads may work for the input; the default is 1. With 2 or
 * more, a long compressed input is decompressed in a thread of its own.
 */
void cg_in_set_threads(struct cg_in *, size_t threads);
/* Returns the number of bytes that the lowest stream has read. */
uint64_t cg_in_taken(const struct cg_in *);
/* Returns the names of the input's filters: "gzip", "gzip utf-16", or "". */
const char *cg_in_filters(const struct cg_in *);
/*
 * Sets the argument of probe(), with up to size bytes; consumes nothing. False
 * after an error.
 */
#define CG_HEAD_SIZE ((size_t)64 << 10)
bool cg_in_head(struct cg_in *, size_t size, struct cg_head *);
/*
 * The location of at, a pointer into the bytes that the input returned last:
 * line and column after cg_read_line() and cg_read_block(), the offset after
 * calls for bytes, only the name before the first call. With NULL or any other
 * pointer the location is the start of the bytes returned last, without a
 * column; at the end of a text it is the last line.
 */
void cg_in_locate(const struct cg_in *, const char *at, struct cg_location *);
/* True if at points into the bytes that the input returned last. */
bool cg_in_holds(const struct cg_in *, const char *at);
/*
 * Like cg_read_block(), but returns fewer bytes at once: whole lines of n
 * bytes or a little more, or the rest of the input.
 */
bool cg_read_lines(struct cg_in *, size_t n, struct cg_slice *lines);
/*
 * Like cg_read_lines(), but the bytes returned before stay valid, with their
 * locations, until the next call. Reports nothing. False: the input has ended,
 * or has something to report; call cg_read_lines() once the bytes returned
 * before are not needed any more.
 */
bool cg_read_more_lines(struct cg_in *, size_t n, struct cg_slice *lines);
/*
 * Reads text regardless of lines: returns the bytes returned last, from keep
 * on (NULL: none), followed by more. False if there is no more: text is then
 * only the kept bytes. After an error, such as more than 64 MiB to keep, text
 * is empty.
 */
bool cg_read_on(struct cg_in *, const char *keep, struct cg_slice *text);

/* ---- archive.c: archives ------------------------------------------------- */

/*
 * Opens the archive that the input contains; takes ownership of the input,
 * even on failure. NULL: *status is the status; CG_OK: the input is not an
 * archive.
 */
struct cg_archive *cg_archive_new(struct cg_job *, struct cg_in *,
    int *status);

/* ---- message.c: errors of a job ------------------------------------------ */

/* An open companion of the input; see cg_open_companion(). */
struct cg_companion {
	struct cg_in *in;
	struct cg_companion *below; /* the companion opened before it */
};

/*
 * The reporter and the status of errors. It is the first member of struct
 * cg_job, so that code below jobs can report through a job.
 */
struct cg_errors {
	struct cg_diag diag;
	int fault;    /* of cursors, symbols, companions: ends the job */
	int rejected; /* status of read() or write(): see cg_reject() */
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
 * Opens the directory of a path below root, which exists. Makes missing
 * directories; does not follow links below root (ELOOP). *name is set to the
 * path's last component. -1 with errno; EXDEV if the path leads out of root.
 */
int cg_open_below(const char *root, const char *path, const char **name);

/* ---- out.c: outputs ------------------------------------------------------ */

/*
 * Opens an output; path "-" is standard output. Otherwise it writes a
 * temporary file next to the target, which replaces the target at commit and
 * is deleted otherwise. A target that is not a regular file (a pipe,
 * /dev/null) is written directly. root: see cg_job_set_output_root(), or NULL.
 * NULL after a reported error.
 */
struct cg_out *cg_out_open(struct cg_diag *, const char *root,
    const char *path, bool gzip, int *status);
/* The same for a callback; see cg_job_set_output_callback(). */
struct cg_out *cg_out_callback(struct cg_diag *diag, cg_write_fn *write,
    void *arg, bool gzip, int *status);
/* Returns an output that stays in memory, uncompressed. NULL: out of memory. */
struct cg_out *cg_out_memory(struct cg_diag *);
/* Returns the contents of a memory output; valid until the next call on it. */
struct cg_slice cg_out_bytes(struct cg_out *);
/*
 * When the output fails, *fault is set to its status, if it is CG_OK: cursors
 * with the same fault then end, and nothing more is formatted.
 */
void cg_out_set_fault(struct cg_out *, int *fault);
/*
 * Sets how many threads may compress, including the caller's; the default is
 * 1. The bytes of the output do not depend on it.
 */
void cg_out_set_threads(struct cg_out *, size_t threads);
/* As cg_gzip_new(), with one thread. NULL: out of memory (not reported). */
struct cg_out *cg_out_gzip(struct cg_diag *, cg_write_fn *, void *arg);
/*
 * Flushes, syncs, renames. If anything has failed since the output was opened,
 * reports that (once), leaves the target unchanged and returns CG_EOUTPUT or
 * CG_ELIMIT. So a job also commits after a writer failed because of
 * cg_out_status().
 */
int cg_out_commit(struct cg_out *);
/*
 * Writes everything, but the file appears only at the commit: so several
 * outputs can appear together, or none. Returns the status.
 */
int cg_out_finish(struct cg_out *);
/*
 * Call it before the commit, which then neither syncs nor renames: see
 * cg_job_set_deferred(). Has no effect on an output without a temporary file of
 * that name, or with one that its owner may not write, as by umask(2).
 */
void cg_out_defer(struct cg_out *);
/* True after a commit that has left the temporary file. */
bool cg_out_is_deferred(const struct cg_out *);
/*
 * True if errno after fsync() is a real error; false for file systems that
 * have no sync.
 */
static inline bool
cg_is_sync_error(int error)
{
	return error != EINVAL && error != ENOTSUP;
}

/* Frees the output; without a commit it leaves no file. */
void cg_out_close(struct cg_out *);

/* ---- compress.c --------------------------------------------------------- */

struct cg_compress;
/* Receives compressed bytes, in the caller's thread and in order. */
typedef void cg_take_fn(void *arg, const void *bytes, size_t n);
/*
 * Compresses to one gzip member, in blocks that threads compress. small: about
 * the size of zlib's default level; else larger, in a third of the time. NULL:
 * out of memory (not reported).
 */
struct cg_compress *cg_compress_new(cg_take_fn *, void *arg, bool small);
/* Call it before the first byte. The output does not depend on the number. */
void cg_compress_set_threads(struct cg_compress *, size_t threads);
/* Compresses n bytes, maybe later; false: out of memory. */
bool cg_compress_put(struct cg_compress *, const char *bytes, size_t n);
/* Ends the member and passes all compressed bytes on. False: out of memory. */
bool cg_compress_finish(struct cg_compress *);
/* Frees it; NULL is allowed. Bytes that were not passed on are dropped. */
void cg_compress_free(struct cg_compress *);

#endif
