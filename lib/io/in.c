/* in.c - inputs: a stream with its filters, and a window of its bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/platform.h"
#include "cgconv_expert.h"
#include "io/io.h"

/*
 * Size of one read(): fast enough, and leaves the cache to the tables of
 * readers.
 */
#define READ_SIZE ((size_t)64 << 10)
/* One read and the rest of a line. */
#define WINDOW_MIN (2 * READ_SIZE)
/*
 * Number of compressed bytes after which a thread decompresses. Decompressing
 * this many takes about 2 ms, making a thread 0.1 ms.
 */
#define PREFETCH_FROM ((uint64_t)256 << 10)
/*
 * Maximum length of a line. Real lines have some KiB; the limit stops at
 * binary data.
 */
#define LINE_LIMIT ((size_t)64 << 20)
/* Size of the names of all layers' filters. */
#define FILTER_NAMES 32

/* What the last call returned; it determines the form of locations. */
enum given { NOTHING, TEXT, BYTES };

/* Text that was returned and is still valid, in another buffer: [given, at). */
struct before {
	char *buf;
	size_t size, given, at; /* at is 0: there is none */
	uint64_t lines, columns;
};

/*
 * The window: [0, given) is consumed, [given, at) was returned last, [at, end)
 * has arrived. One byte is always free for a last newline.
 */
struct cg_in {
	struct cg_diag *diag;
	char *name;
	struct cg_stream *stream;     /* the topmost */
	struct cg_prefetch *prefetch; /* from PREFETCH_FROM on; or NULL */
	size_t threads;               /* see cg_in_set_threads() */
	char filters[FILTER_NAMES];
	char *buf;
	size_t size, given, at, end;
	uint64_t base;    /* decompressed bytes before the window */
	uint64_t lines;   /* ... and newlines */
	uint64_t columns; /* ... and bytes of the line it begins in */
	uint64_t counted; /* bytes that cg_diag_progress() knows */
	struct before before;
	enum given kind;
	bool is_stdin;
	bool ended;   /* the stream has ended */
	bool newline; /* a newline was added as the last byte of the window */
	bool gives;   /* lines before an error are returned first */
	bool silent;  /* an error is kept until the next read */
	int late;     /* the status of that error */
	struct cg_kept kept; /* streams report to it; keeps one error */
	int status;
};

/* ---- The window --------------------------------------------------------- */

/*
 * Returns the number of newlines in n bytes. 64 comparisons are summed in one
 * byte, which compilers can vectorize.
 */
static uint64_t
count_newlines(const char *at, size_t n)
{
	uint64_t count = 0;

	for (; n >= 64; n -= 64, at += 64) {
		uint8_t run = 0;

		for (int i = 0; i < 64; i++)
			run = (uint8_t)(run + (at[i] == '\n'));
		count += run;
	}
	for (; n > 0; n--)
		count += *at++ == '\n';
	return count;
}

/*
 * Ends the input after an error: reports messages that were held back, sets
 * its status, and drops all unread bytes.
 */
static void
fail(struct cg_in *in, int status)
{
	cg_kept_say(&in->kept, in->diag);
	in->late = CG_OK;
	in->status = status;
	in->ended = true;
	in->given = in->at = in->end = in->before.at = 0;
}

static void
report_nomem(struct cg_diag *diag, const char *name)
{
	const struct cg_location location = { .file = name };

	cg_diag_say(diag, CG_ERROR, &location, "out of memory");
}

/*
 * Returns the offset in a buffer at which the line that contains the offset
 * `at` begins; 0 also if that line begins before the buffer.
 */
static size_t
line_start(const char *buf, size_t at)
{
	while (at >= 64 && count_newlines(buf + at - 64, 64) == 0)
		at -= 64;
	while (at > 0 && buf[at - 1] != '\n')
		at--;
	return at;
}

/*
 * Makes the first byte that is not consumed the start of the window (the bytes
 * in memory): advances the counts of bytes, lines and columns to it. Counts no
 * lines in an input that is read as bytes, as its locations are offsets. The
 * caller moves the bytes.
 */
static void
pass(struct cg_in *in)
{
	size_t at;

	if (in->kind != BYTES) {
		at = line_start(in->buf, in->at);
		in->columns = in->at - at + (at > 0 ? 0 : in->columns);
		in->lines += count_newlines(in->buf, at);
	}
	in->base += in->at;
	in->end -= in->at;
	in->given = in->at = 0;
}

/*
 * Drops consumed bytes from the window, the part of the input in memory, by
 * moving the others to its start.
 */
static void
drop(struct cg_in *in)
{
	const char *rest = in->buf + in->at;

	pass(in);
	memmove(in->buf, rest, in->end);
	in->before.at = 0;
}

/*
 * Switches to the input's other buffer, with room for n bytes and one read.
 * Copies the unread bytes; those returned before stay valid in the old one.
 * False, unchanged: more than n bytes are unread, or out of memory.
 */
static bool
set_aside(struct cg_in *in, size_t n)
{
	const struct before old = { in->buf, in->size, in->given, in->at,
		in->lines, in->columns };
	const size_t size = n + WINDOW_MIN;
	char *buf = in->before.buf;

	if (in->end - in->at > n)
		return false;
	if (in->before.size < size) {
		buf = malloc(size);
		if (!buf)
			return false;
		free(in->before.buf);
		in->before.size = size;
	}
	in->size = in->before.size;
	in->before = old;
	pass(in);
	memcpy(buf, in->buf + old.at, in->end);
	in->buf = buf;
	return true;
}

static bool
grow(struct cg_in *in)
{
	char *buf = NULL;

	if (in->size <= SIZE_MAX / 2)
		buf = realloc(in->buf, in->size * 2);
	if (!buf) {
		report_nomem(in->diag, in->name);
		fail(in, CG_ELIMIT);
		return false;
	}
	in->buf = buf;
	in->size *= 2;
	return true;
}

/*
 * Reads up to size bytes from the stream; once the input is long enough, a
 * thread decompresses ahead. Returns the number of bytes; 0: the end;
 * negative: an error.
 */
static ptrdiff_t
read_stream(struct cg_in *in, char *buf, size_t size)
{
	if (in->threads > 1 && in->stream->source &&
	    cg_stream_taken(in->stream) >= PREFETCH_FROM) {
		in->prefetch = cg_prefetch_new(in->stream);
		in->threads = 1;
	}
	return in->prefetch ? cg_prefetch_read(in->prefetch, buf, size)
			    : cg_stream_read(in->stream, buf, size);
}

static bool
has_line(const struct cg_in *in)
{
	return memchr(in->buf + in->at, '\n', in->end - in->at) != NULL;
}

/*
 * Ends reading after an error of the stream, such as truncated gzip data, and
 * reports it. Within cg_read_more_lines(), or while cg_read_lines() has whole
 * lines to return, the next read reports it instead.
 */
static void
end_stream(struct cg_in *in, int status)
{
	in->ended = true;
	if (in->silent || (in->gives && has_line(in)))
		in->late = status;
	else
		fail(in, status);
}

/*
 * Reads once more into the window (the part of the input in memory), which may
 * move; false at the end, or on an error (reported).
 */
static bool
fill(struct cg_in *in)
{
	ptrdiff_t got;

	if (in->late != CG_OK)
		end_stream(in, in->late);
	if (in->ended)
		return false;
	if (in->at > 0)
		drop(in);
	if (in->size - in->end <= READ_SIZE && !grow(in))
		return false;
	got = read_stream(in, in->buf + in->end, READ_SIZE);
	if (got < 0)
		end_stream(in, in->prefetch ? cg_prefetch_status(in->prefetch)
					    : in->stream->status);
	if (got <= 0) {
		in->ended = true;
		return false;
	}
	in->end += (size_t)got;
	cg_diag_progress(in->diag, cg_in_taken(in) - in->counted, 0);
	in->counted = cg_in_taken(in);
	return true;
}

/* Does what want() does; apart, as want() mostly has nothing to do. */
static __attribute__((noinline)) bool
fill_to(struct cg_in *in, uint64_t n)
{
	while (in->end - in->at < n) {
		if (!fill(in))
			return false;
	}
	return true;
}

/*
 * Reads until the window, the unread part of the input in memory, has at least
 * n bytes; false: the input has fewer, or an error (reported).
 */
static inline bool
want(struct cg_in *in, uint64_t n)
{
	return in->end - in->at >= n || fill_to(in, n);
}

/* ---- Opening ------------------------------------------------------------ */

/*
 * Puts decompressors on top of the input's stream, as long as the first
 * decoded bytes have the magic number of one, and records their names in
 * in->filters. False: an error (reported), also for more than CG_FILTER_LAYERS
 * layers.
 */
static bool
decompress(struct cg_in *in)
{
	const struct cg_location location = { .file = in->name };
	struct cg_stream *filter;
	size_t used = 0;
	int status;

	for (int layer = 0; layer <= CG_FILTER_LAYERS; layer++) {
		if (!want(in, CG_FILTER_MAGIC) && in->status != CG_OK)
			return false;
		filter = cg_filter_open(
		    in->stream, (struct cg_slice){ in->buf, in->end }, &status);
		if (!filter) {
			cg_kept_say(&in->kept, in->diag);
			in->status = status;
			return status == CG_OK;
		}
		in->stream = filter;
		in->end = 0;
		in->ended = false;
		used += (size_t)snprintf(in->filters + used,
		    sizeof(in->filters) - used, "%s%s", used ? " " : "",
		    filter->filter);
	}
	cg_diag_say(in->diag, CG_ERROR, &location,
	    "expected data compressed at most %d times", CG_FILTER_LAYERS);
	in->status = CG_ELIMIT;
	return false;
}

struct cg_in *
cg_in_source(struct cg_diag *diag, const char *name,
    const struct cg_source *source, int *status)
{
	struct cg_in *in = calloc(1, sizeof(*in));

	*status = CG_ELIMIT;
	if (in) {
		in->diag = diag;
		in->name = strdup(name);
		in->size = WINDOW_MIN;
		in->buf = malloc(in->size);
		cg_kept_begin(&in->kept, diag);
		in->stream = cg_stream_new(&in->kept.diag, in->name, source);
	}
	if (!in || !in->stream || !in->name || !in->buf) {
		report_nomem(diag, name);
		if (source->fd >= 0 && !(in && in->stream))
			(void)cg_close(source->fd);
		cg_in_close(in);
		return NULL;
	}
	if (!decompress(in)) {
		*status = in->status;
		cg_in_close(in);
		return NULL;
	}
	*status = CG_OK;
	return in;
}

static int
open_path(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

/*
 * Returns an input that reads the file descriptor fd, which it closes later; a
 * negative fd is a failed open() with its reason in errno. NULL: failed
 * (reported), and *status is set.
 */
static struct cg_in *
new_file(struct cg_diag *diag, const char *name, int fd, int *status)
{
	const struct cg_location location = { .file = name };
	const char *why;

	if (fd >= 0)
		return cg_in_source(
		    diag, name, &(struct cg_source){ .fd = fd }, status);
	why = cg_open_error(name);
	cg_diag_say(diag, CG_ERROR, &location,
	    why == cg_confined ? "cannot open: %s ({no-sandbox})"
			       : "cannot open: %s",
	    why);
	*status = CG_EINPUT;
	return NULL;
}

struct cg_in *
cg_in_open(struct cg_diag *diag, const char *path, int *status)
{
	struct cg_in *in;

	if (strcmp(path, "-") != 0)
		return new_file(diag, path, open_path(path), status);
	in = new_file(diag, "<stdin>", cg_dup(STDIN_FILENO), status);
	if (in)
		in->is_stdin = true;
	return in;
}

struct cg_in *
cg_in_try(struct cg_diag *diag, const char *path, int *status)
{
	int fd = open_path(path), why = errno;

	*status = CG_OK;
	if (fd < 0 && (why == ENOENT || access(path, F_OK) != 0))
		return NULL;
	errno = why;
	return new_file(diag, path, fd, status);
}

struct cg_in *
cg_in_memory(
    struct cg_diag *diag, const char *name, struct cg_slice bytes, int *status)
{
	const struct cg_source source = { .fd = -1, .bytes = bytes };

	return cg_in_source(diag, name, &source, status);
}

void
cg_in_close(struct cg_in *in)
{
	if (!in)
		return;
	cg_prefetch_free(in->prefetch);
	if (in->stream)
		in->stream->close(in->stream);
	free(in->name);
	free(in->buf);
	free(in->before.buf);
	free(in);
}

void
cg_in_set_threads(struct cg_in *in, size_t threads)
{
	in->threads = threads;
}

/* ---- Properties and locations ------------------------------------------- */

uint64_t
cg_in_taken(const struct cg_in *in)
{
	return in->prefetch ? cg_prefetch_taken(in->prefetch)
			    : cg_stream_taken(in->stream);
}

const char *
cg_in_filters(const struct cg_in *in)
{
	return in->filters;
}

const char *
cg_in_name(const struct cg_in *in)
{
	return in->name;
}

int
cg_in_status(const struct cg_in *in)
{
	return in->status;
}

uint64_t
cg_in_offset(const struct cg_in *in)
{
	return in->base + in->at - cg_in_unterminated(in);
}

bool
cg_in_unterminated(const struct cg_in *in)
{
	return in->newline && in->at == in->end;
}

bool
cg_in_head(struct cg_in *in, size_t size, struct cg_head *head)
{
	const char *slash = strrchr(in->name, '/');
	bool more = want(in, size + 1);
	struct cg_slice text = { in->buf + in->at, in->end - in->at }, rest;

	if (more)
		text.len = size;
	rest = text;
	*head = (struct cg_head){ .first = { text.ptr, 0 },
		.text = text,
		.name = slash ? slash + 1 : in->name,
		.whole = !more };
	if (in->is_stdin)
		head->name = "";
	if (cg_take_line(&rest, &head->first))
		cg_cut_return(&head->first);
	return in->status == CG_OK;
}

/*
 * True if the pointer `at` points to one of the offsets from `from` to `to`
 * (inclusive) of a buffer. Compares numbers, as the pointer may point
 * anywhere.
 */
static bool
lies_in(const char *at, const char *buf, size_t from, size_t to)
{
	uintptr_t offset = (uintptr_t)at - (uintptr_t)buf;

	return offset >= from && offset <= to;
}

static bool
is_before(const struct cg_in *in, const char *at)
{
	return in->before.at > 0 &&
	       lies_in(at, in->before.buf, in->before.given, in->before.at);
}

bool
cg_in_holds(const struct cg_in *in, const char *at)
{
	return lies_in(at, in->buf, in->given, in->end) || is_before(in, at);
}

/*
 * Sets the line and column of location to the place where text ends. text
 * begins at the start of a buffer. `lines` is the number of lines before the
 * buffer, and `columns` the number of columns before it on the line that
 * continues there.
 */
static void
locate_text(struct cg_slice text, uint64_t lines, uint64_t columns,
    struct cg_location *location)
{
	size_t start = line_start(text.ptr, text.len);

	location->line = lines + count_newlines(text.ptr, start) + 1;
	location->column = text.len - start + (start > 0 ? 0 : columns) + 1;
}

void
cg_in_locate(
    const struct cg_in *in, const char *at, struct cg_location *location)
{
	const bool before = at && is_before(in, at);
	const bool inside = !before && at && cg_in_holds(in, at);
	const size_t to = inside ? (size_t)(at - in->buf) : in->given;

	*location = (struct cg_location){ .file = in->name };
	switch (in->kind) {
	case NOTHING: break;
	case TEXT:
		if (before) {
			locate_text((struct cg_slice){ in->before.buf,
					(size_t)(at - in->before.buf) },
			    in->before.lines, in->before.columns, location);
			break;
		}
		locate_text((struct cg_slice){ in->buf, to }, in->lines,
		    in->columns, location);
		/* At the end of a text, use its last line. */
		if (in->given == in->at && location->column == 1)
			location->line--;
		if (!inside)
			location->column = 0;
		break;
	case BYTES:
		location->offset = in->base + to;
		/*
		 * Otherwise nothing was returned yet: the message is about the
		 * whole input.
		 */
		location->has_offset = inside || location->offset > 0;
		break;
	}
}

/* ---- Text --------------------------------------------------------------- */

static void
refuse_long(struct cg_in *in, const char *what)
{
	struct cg_location location;

	in->kind = TEXT;
	in->given = in->at;
	in->at = in->end;
	cg_in_locate(in, NULL, &location);
	cg_diag_say(in->diag, CG_ERROR, &location, "%s is longer than %zu MiB",
	    what, LINE_LIMIT >> 20);
	fail(in, CG_ELIMIT);
}

/*
 * Appends the newline that the last line of the input lacks, and returns it,
 * so that every line ends with one; NULL: no line is left.
 */
static char *
end_line(struct cg_in *in)
{
	if (in->at == in->end)
		return NULL;
	in->newline = true;
	in->buf[in->end] = '\n';
	return in->buf + in->end++;
}

/*
 * Returns the newline of the line that begins at in->at, after reading as much
 * as needed; a last line without one gets one. NULL at the end, or on an error
 * (reported), also for a line above LINE_LIMIT.
 */
static char *
find_newline(struct cg_in *in)
{
	size_t seen = 0, left;
	char *newline;

	for (;;) {
		left = in->end - in->at - seen;
		newline = memchr(in->buf + in->at + seen, '\n', left);
		if (newline)
			seen = (size_t)(newline - in->buf) - in->at;
		else
			seen += left;
		if (seen > LINE_LIMIT) {
			refuse_long(in, "line");
			return NULL;
		}
		if (newline)
			return newline;
		if (!fill(in))
			return end_line(in);
	}
}

/*
 * Returns the last newline among the unread bytes in memory; NULL: there is
 * none.
 */
static char *
last_newline(const struct cg_in *in)
{
	size_t at = in->end;

	while (at > in->at) {
		if (in->buf[--at] == '\n')
			return in->buf + at;
	}
	return NULL;
}

/*
 * Consumes the unread bytes up to and including the newline at `last`, and
 * sets *text to them; valid until the next read. False: last is NULL, and
 * *text is empty.
 */
static bool
give_text(struct cg_in *in, const char *last, struct cg_slice *text)
{
	in->kind = TEXT;
	in->given = in->at;
	if (last)
		in->at = (size_t)(last - in->buf) + 1;
	*text = (struct cg_slice){ in->buf + in->given, in->at - in->given };
	return last != NULL;
}

bool
cg_read_line(struct cg_in *in, struct cg_slice *line)
{
	const char *newline = memchr(in->buf + in->at, '\n', in->end - in->at);

	if (!newline)
		newline = find_newline(in);
	if (!give_text(in, newline, line))
		return false;
	line->len--;
	return true;
}

bool
cg_read_lines(struct cg_in *in, size_t n, struct cg_slice *lines)
{
	const char *last;

	in->gives = true;
	(void)want(in, n);
	in->gives = false;
	last = last_newline(in);
	if (!last) /* a longer line, or the last one */
		last = find_newline(in);
	return give_text(in, last, lines);
}

bool
cg_read_more_lines(struct cg_in *in, size_t n, struct cg_slice *lines)
{
	const char *last;

	if (in->ended || !set_aside(in, n))
		return false;
	in->silent = true;
	(void)want(in, n);
	in->silent = false;
	last = last_newline(in);
	return last && give_text(in, last, lines);
}

bool
cg_read_block(struct cg_in *in, struct cg_slice *block)
{
	return cg_read_lines(in, READ_SIZE, block);
}

bool
cg_read_on(struct cg_in *in, const char *keep, struct cg_slice *text)
{
	size_t kept = keep ? (size_t)(in->buf + in->at - keep) : 0;

	in->kind = TEXT;
	in->at -= kept;
	if (kept > LINE_LIMIT) {
		refuse_long(in, "value");
		kept = 0;
	}
	(void)want(in, 2 * kept + 1);
	in->given = in->at;
	in->at = in->end;
	*text = (struct cg_slice){ in->buf + in->given, in->at - in->given };
	return text->len > kept;
}

/* ---- Bytes -------------------------------------------------------------- */

bool
cg_look_bytes(struct cg_in *in, uint64_t n, struct cg_slice *bytes)
{
	bool enough = want(in, n);

	in->kind = BYTES;
	in->given = in->at;
	*bytes = (struct cg_slice){ in->buf + in->at,
		enough ? (size_t)n : in->end - in->at };
	return enough && in->status == CG_OK;
}

bool
cg_read_bytes(struct cg_in *in, uint64_t n, struct cg_slice *bytes)
{
	bool enough = cg_look_bytes(in, n, bytes);

	in->at += bytes->len;
	return enough;
}

bool
cg_seek_ahead(struct cg_in *in, uint64_t n)
{
	const uint64_t held = in->end - in->at;

	if (in->ended || in->late != CG_OK || in->prefetch || n < held ||
	    !cg_stream_skip(in->stream, n - held))
		return false;
	in->at = in->end;
	drop(in);
	in->base += n - held;
	in->kind = NOTHING;
	return true;
}

bool
cg_read_all(struct cg_in *in, struct cg_slice *bytes)
{
	(void)cg_read_bytes(in, UINT64_MAX, bytes);
	return in->status == CG_OK;
}
