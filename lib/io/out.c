/*
 * out.c - outputs: a buffer, optional gzip, and a file that appears complete or
 * not at all.
 *
 * The first failure is kept and reported at commit; from then on the buffer's
 * content is discarded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/platform.h"
#include "cgconv_expert.h"
#include "io/io.h"

#define BUFFER_SIZE ((size_t)256 << 10)
#define TRIES 100
#define TEMP_NUMBER 8 /* room for ".99" */
/* Longer texts of cg_putf() are formatted in allocated memory. */
#define PRINT_ROOM 4096
struct cg_out {
	char *buf, *at, *end;
	struct cg_diag *diag;
	char *name;    /* in messages */
	int directory; /* of target and temp; or AT_FDCWD */
	bool below;    /* the output directory: see cg_open_below() */
	char *target;  /* what temp is renamed to; NULL: written directly */
	char *temp;    /* NULL: none, or it is renamed already */
	int fd;        /* -1: memory, or closed */
	bool numbered; /* temp is not exactly cg_temp_path() */
	bool deferred; /* see cg_out_defer() */
	bool memory;
	cg_write_fn *write; /* instead of fd, if not NULL */
	void *arg;
	bool finished; /* nothing more is written */
	bool reported; /* the failure was */
	int status;
	int error;                /* the errno of the failure */
	int *fault;               /* set to the status, too; or NULL */
	struct cg_compress *gzip; /* NULL: not compressed */
	bool summing;             /* cg_out_crc32() was called */
	size_t summed;            /* bytes of the buffer that are in crc */
	uint32_t crc;
};

/* ---- Failing ------------------------------------------------------------ */

/*
 * Records the first failure of the output, an errno, as its status, and as the
 * status of the job (*out->fault) if that has none; later failures follow from
 * the first one and are ignored.
 */
static void
fail(struct cg_out *out, int error)
{
	if (out->status != CG_OK)
		return;
	out->error = error;
	out->status = error == ENOMEM ? CG_ELIMIT : CG_EOUTPUT;
	if (out->fault && *out->fault == CG_OK)
		*out->fault = out->status;
	else if (out->fault && error == EINTR)
		out->reported = true; /* a cursor was interrupted first */
}

void
cg_out_set_fault(struct cg_out *out, int *fault)
{
	out->fault = fault;
}

static const char *
reason(const struct cg_out *out)
{
	if (out->below && out->error == ELOOP)
		return "links below the output directory are not followed";
	if (out->below && out->error == EXDEV)
		return "it is not below the output directory";
	return strerror(out->error);
}

static int
report(struct cg_out *out, const char *what)
{
	const struct cg_location location = { .file = out->name };

	if (out->status == CG_OK || out->reported)
		return out->status;
	out->reported = true;
	if (out->status == CG_ELIMIT)
		cg_diag_say(out->diag, CG_ERROR, &location, "out of memory");
	else
		cg_diag_say(out->diag, CG_ERROR, &location, "cannot %s: %s",
		    what, reason(out));
	return out->status;
}

int
cg_out_status(const struct cg_out *out)
{
	return out->status;
}

/* ---- From the buffer to the file ---------------------------------------- */

static void
write_all(struct cg_out *out, const void *bytes, size_t n)
{
	const char *at = bytes;
	ptrdiff_t written;
	int error;

	if (out->write && n > 0 && out->status == CG_OK) {
		error = out->write(out->arg, at, n);
		if (error != 0)
			fail(out, error);
		return;
	}
	while (n > 0 && out->status == CG_OK) {
		written = write(out->fd, at, n);
		if (cg_diag_stopped(out->diag))
			fail(out, EINTR);
		else if (written < 0 && errno != EINTR)
			fail(out, errno);
		if (written <= 0)
			continue;
		at += written;
		n -= (size_t)written;
		cg_diag_progress(out->diag, 0, (uint64_t)written);
	}
}

static void
take_compressed(void *arg, const void *bytes, size_t n)
{
	write_all(arg, bytes, n);
}

/*
 * Updates the CRC-32 of the output: adds the bytes that came into the buffer
 * since the last call.
 */
static void
sum_up(struct cg_out *out)
{
	size_t n = (size_t)(out->at - out->buf) - out->summed;

	out->crc = (uint32_t)crc32_z(
	    out->crc, (const Bytef *)out->buf + out->summed, n);
	out->summed += n;
}

static void
grow_memory(struct cg_out *out)
{
	size_t used = (size_t)(out->at - out->buf);
	size_t size = (size_t)(out->end - out->buf);

	if (!cg_grow(&out->buf, &size, size * 2, 1)) {
		fail(out, ENOMEM);
		used = out->summed = 0;
	}
	out->at = out->buf + used;
	out->end = out->buf + size;
}

/*
 * Empties the buffer: passes its bytes to the file or the compressor. An
 * output in memory grows the buffer instead. After a failure bytes are
 * dropped.
 */
static void
flush(struct cg_out *out)
{
	size_t n = (size_t)(out->at - out->buf);

	if (out->summing)
		sum_up(out);
	if (out->memory && out->status == CG_OK) {
		grow_memory(out);
		return;
	}
	if (!out->gzip)
		write_all(out, out->buf, n);
	else if (out->status == CG_OK &&
		 !cg_compress_put(out->gzip, out->buf, n))
		fail(out, ENOMEM);
	out->at = out->buf;
	out->summed = 0;
}

char *
cg_out_reserve(struct cg_out *out, size_t n)
{
	if (n > (size_t)(out->end - out->at))
		flush(out);
	return out->at;
}

void
cg_out_advance(struct cg_out *out, const char *end)
{
	out->at += end - out->at;
}

uint32_t
cg_out_crc32(struct cg_out *out)
{
	if (out->summing) {
		sum_up(out);
	} else {
		out->summing = true;
		out->summed = (size_t)(out->at - out->buf);
	}
	return out->crc;
}

/* ---- Putting ------------------------------------------------------------ */

void
cg_putc(struct cg_out *out, char c)
{
	*cg_out_reserve(out, 1) = c;
	out->at++;
}

void
cg_put(struct cg_out *out, struct cg_slice text)
{
	size_t n;

	while (text.len > 0) {
		n = text.len < CG_RESERVE_MAX ? text.len : CG_RESERVE_MAX;
		memcpy(cg_out_reserve(out, n), text.ptr, n);
		out->at += n;
		text.ptr += n;
		text.len -= n;
	}
}

void
cg_puts(struct cg_out *out, const char *string)
{
	cg_put(out, cg_slice(string));
}

/*
 * Returns the length of a start of text that has only bytes greater than '\r'.
 * Checks eight bytes at a time, so the result is a multiple of eight, and such
 * bytes may follow.
 */
static size_t
plain_length(struct cg_slice text)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t word;
	size_t i = 0;

	for (; i + sizeof(word) <= text.len; i += sizeof(word)) {
		memcpy(&word, text.ptr + i, sizeof(word));
		/* Stop at a byte up to CR: borrowing sets its highest bit. */
		if ((word - each * ('\r' + 1)) & ~word & each << 7)
			break;
	}
	return i;
}

bool
cg_put_inline(struct cg_out *out, struct cg_slice text)
{
	size_t from = 0;

	for (size_t i = plain_length(text); i < text.len; i++) {
		char c = text.ptr[i];

		if (c != '\n' && c != '\r' && c != '\0')
			continue;
		cg_put(out, (struct cg_slice){ text.ptr + from, i - from });
		cg_puts(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\0");
		from = i + 1;
	}
	cg_put(out, (struct cg_slice){ text.ptr + from, text.len - from });
	return from > 0;
}

void
cg_putu(struct cg_out *out, uint64_t value)
{
	out->at = cg_format_u64(cg_out_reserve(out, CG_NUMBER_MAX), value);
}

void
cg_put_fixed(struct cg_out *out, int64_t value, unsigned digits)
{
	char *to = cg_out_reserve(out, CG_NUMBER_MAX);

	cg_out_advance(out, cg_format_fixed(to, value, digits));
}

static void
put_signed(struct cg_out *out, int64_t value)
{
	if (value < 0)
		cg_putc(out, '-');
	cg_putu(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/*
 * Writes one conversion of a format if it is %s, %c, or a number without
 * flags, as most conversions are. Moves *fmt from the '%' to the end of the
 * conversion. False: it is another conversion, and nothing is written.
 */
static bool
put_plain(struct cg_out *out, const char **fmt, va_list *args)
{
	const char *at = *fmt + 1;
	bool size = *at == 'z', is_long = *at == 'l', both;

	at += size || is_long;
	both = is_long && *at == 'l';
	at += both;
	if (*at == 'u') {
		cg_putu(out, both      ? va_arg(*args, unsigned long long)
			     : is_long ? va_arg(*args, unsigned long)
			     : size    ? va_arg(*args, size_t)
				       : va_arg(*args, unsigned));
	} else if (*at == 'd' && !size) {
		put_signed(out, both      ? va_arg(*args, long long)
				: is_long ? va_arg(*args, long)
					  : va_arg(*args, int));
	} else if (*at == 's' && at == *fmt + 1) {
		cg_puts(out, va_arg(*args, const char *));
	} else if (*at == 'c' && at == *fmt + 1) {
		cg_putc(out, (char)va_arg(*args, int));
	} else {
		return false;
	}
	*fmt = at + 1;
	return true;
}

static void put_printed(struct cg_out *out, const char *fmt, va_list args)
    CG_PRINTF(2, 0);

/*
 * Writes args as the format fmt says, by vsnprintf(), which knows all
 * conversions. If memory runs out, or vsnprintf() fails, the output fails.
 */
static void
put_printed(struct cg_out *out, const char *fmt, va_list args)
{
	char *to = cg_out_reserve(out, PRINT_ROOM), *text;
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(to, PRINT_ROOM, fmt, args);
	if (n < 0) {
		fail(out, errno);
	} else if (n < PRINT_ROOM) {
		out->at += n;
	} else if ((text = malloc((size_t)n + 1))) {
		(void)vsnprintf(text, (size_t)n + 1, fmt, again);
		cg_put(out, (struct cg_slice){ text, (size_t)n });
		free(text);
	} else {
		fail(out, ENOMEM);
	}
	va_end(again);
}

/*
 * Writes formatted text. Avoids vsnprintf() for plain conversions: it would
 * take most of the time of a writer that prints rows with cg_putf().
 */
void
cg_putf(struct cg_out *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	do {
		size_t n = strcspn(fmt, "%");

		cg_put(out, (struct cg_slice){ fmt, n });
		fmt += n;
	} while (*fmt != '\0' && put_plain(out, &fmt, &args));
	if (*fmt != '\0')
		put_printed(out, fmt, args);
	va_end(args);
}

/* ---- Opening ------------------------------------------------------------ */

/* Returns the directory of a path, with its last slash; "" if it has none. */
static struct cg_slice
directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return (
	    struct cg_slice){ path, slash ? (size_t)(slash - path) + 1 : 0 };
}

char *
cg_temp_path(const char *path, long pid)
{
	struct cg_slice directory = directory_of(path);
	size_t size = directory.len + CG_TEMP_NAME + 64;
	char *temp = malloc(size);

	if (temp)
		(void)snprintf(temp, size, "%.*s.%.*s.cgconv.%ld",
		    (int)directory.len, directory.ptr, CG_TEMP_NAME,
		    path + directory.len, pid);
	return temp;
}

/*
 * Creates the temporary file ".NAME.cgconv.PID" next to the target, with this
 * mode, and stores its descriptor and path in out->fd and out->temp; at the
 * end it is renamed to the target. If it cannot be created, the output fails.
 */
static void
open_temp(struct cg_out *out, mode_t mode)
{
	char *end;

	out->temp = cg_temp_path(out->target, (long)getpid());
	if (!out->temp) {
		fail(out, ENOMEM);
		return;
	}
	end = out->temp + strlen(out->temp);
	for (int i = 0; i < TRIES; i++) {
		out->numbered = i > 0; /* the name is in use */
		if (out->numbered)
			(void)snprintf(end, TEMP_NUMBER, ".%d", i);
		out->fd = openat(out->directory, out->temp,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (out->fd >= 0)
			return;
		if (errno != EEXIST)
			break;
	}
	fail(out, errno);
	free(out->temp);
	out->temp = NULL;
}

/*
 * Opens an existing file for writing, without truncating it, through links if
 * follow is set. Returns its descriptor, or -1 with errno. *absent: nothing is
 * at path, not even a link. Retries, as other processes may create or remove
 * the file.
 */
static int
open_existing(struct cg_out *out, const char *path, bool follow, bool *absent)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (follow ? 0 : O_NOFOLLOW);
	struct stat st;
	int fd = -1;

	*absent = false;
	for (int i = 0; i < TRIES; i++) {
		fd = openat(out->directory, path, flags);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		*absent = fstatat(out->directory, path, &st,
			      AT_SYMLINK_NOFOLLOW) != 0;
		errno = ENOENT;
		if (*absent || S_ISLNK(st.st_mode))
			return fd;
	}
	return fd;
}

/*
 * Opens the output at path, through links if follow is set. Errors are kept by
 * fail(). An existing file must be writable, although a new file replaces it.
 * A file that is not regular is written directly.
 */
static void
open_file(struct cg_out *out, const char *path, bool follow)
{
	bool absent;
	int fd = open_existing(out, path, follow, &absent);
	struct stat st = { 0 };

	if (fd < 0 && !absent) {
		fail(out, errno);
		return;
	}
	if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
		out->fd = fd;
		return;
	}
	if (fd >= 0)
		(void)close(fd);
	if (fd >= 0 && follow)
		out->target = realpath(path, NULL);
	/* ENOENT: the file was removed in the meantime. */
	if (!out->target && (fd < 0 || !follow || errno == ENOENT))
		out->target = strdup(path);
	if (!out->target) {
		fail(out, errno);
		return;
	}
	/* Never more accessible than the file that it replaces. */
	open_temp(out, fd >= 0 ? st.st_mode & 0777 : 0666);
	if (fd >= 0 && out->fd >= 0 && fchmod(out->fd, st.st_mode & 0777) != 0)
		fail(out, errno);
}

static void
open_file_below(struct cg_out *out, const char *root, const char *path)
{
	const char *name;
	int directory = cg_open_below(root, path, &name);

	out->below = true;
	if (directory < 0) {
		fail(out, errno);
		return;
	}
	out->directory = directory;
	open_file(out, name, false);
}

static void
start_gzip(struct cg_out *out, bool small)
{
	out->gzip = cg_compress_new(take_compressed, out, small);
	if (!out->gzip)
		fail(out, ENOMEM);
}

static struct cg_out *
new_out(struct cg_diag *diag, const char *name)
{
	struct cg_out *out = calloc(1, sizeof(*out));

	if (!out)
		return NULL;
	out->fd = -1;
	out->directory = AT_FDCWD;
	out->diag = diag;
	out->name = strdup(name);
	out->buf = malloc(BUFFER_SIZE);
	if (!out->name || !out->buf) {
		cg_out_close(out);
		return NULL;
	}
	out->at = out->buf;
	out->end = out->buf + BUFFER_SIZE;
	return out;
}

struct cg_out *
cg_out_open(struct cg_diag *diag, const char *root, const char *path, bool gzip,
    int *status)
{
	bool is_stdout = strcmp(path, "-") == 0;
	const struct cg_location location = { .file = is_stdout ? "<stdout>"
								: path };
	struct cg_out *out = new_out(diag, location.file);

	*status = CG_ELIMIT;
	if (!out) {
		cg_diag_say(diag, CG_ERROR, &location, "out of memory");
		return NULL;
	}
	/* Use a duplicate, as close() reports late errors. */
	if (is_stdout)
		out->fd = cg_dup(STDOUT_FILENO);
	else if (root)
		open_file_below(out, root, path);
	else
		open_file(out, path, true);
	if (out->fd < 0)
		fail(out, errno);
	if (gzip && out->status == CG_OK)
		start_gzip(out, false);
	*status = report(out, "open for writing");
	if (*status == CG_OK)
		return out;
	cg_out_close(out);
	return NULL;
}

struct cg_out *
cg_out_callback(
    struct cg_diag *diag, cg_write_fn *write, void *arg, bool gzip, int *status)
{
	struct cg_out *out = new_out(diag, "<output>");

	*status = CG_ELIMIT;
	if (!out) {
		cg_diag_say(diag, CG_ERROR, NULL, "out of memory");
		return NULL;
	}
	out->write = write;
	out->arg = arg;
	if (gzip)
		start_gzip(out, false);
	*status = report(out, "open");
	if (*status == CG_OK)
		return out;
	cg_out_close(out);
	return NULL;
}

struct cg_out *
cg_out_gzip(struct cg_diag *diag, cg_write_fn *write, void *arg)
{
	struct cg_out *out = new_out(diag, "<memory>");

	if (!out)
		return NULL;
	out->write = write;
	out->arg = arg;
	start_gzip(out, true);
	if (out->status == CG_OK)
		return out;
	cg_out_close(out);
	return NULL;
}

struct cg_out *
cg_out_memory(struct cg_diag *diag)
{
	struct cg_out *out = new_out(diag, "<memory>");

	if (!out)
		return NULL;
	out->memory = true;
	return out;
}

void
cg_out_set_threads(struct cg_out *out, size_t threads)
{
	if (out->gzip)
		cg_compress_set_threads(out->gzip, threads);
}

struct cg_slice
cg_out_bytes(struct cg_out *out)
{
	return (struct cg_slice){ out->buf, (size_t)(out->at - out->buf) };
}

/* ---- Closing ------------------------------------------------------------ */

static void
sync_file(struct cg_out *out, int fd)
{
	if (fsync(fd) != 0 && cg_is_sync_error(errno))
		fail(out, errno);
}

/*
 * Syncs the target's directory, so that the rename survives a crash. A failure
 * is only a warning, as the output is complete. Truncates out->target after
 * the directory.
 */
static void
sync_directory(struct cg_out *out)
{
	const struct cg_location location = { .file = out->name };
	struct cg_slice directory = directory_of(out->target);
	int fd;

	out->target[directory.len] = '\0';
	fd = openat(out->directory, directory.len ? out->target : ".",
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return; /* a directory may be writable but not readable */
	if (fsync(fd) != 0 && cg_is_sync_error(errno))
		cg_diag_say(out->diag, CG_WARNING, &location,
		    "written, but its directory cannot be synced: %s; the file "
		    "may be lost if the system stops now",
		    strerror(errno));
	(void)close(fd);
}

/*
 * Renames the temporary file to the target, and syncs the directory; the
 * output fails if the rename does.
 */
static void
replace_target(struct cg_out *out)
{
	if (renameat(out->directory, out->temp, out->directory, out->target) !=
	    0) {
		fail(out, errno);
		return;
	}
	free(out->temp);
	out->temp = NULL;
	sync_directory(out);
}

static void
close_file(struct cg_out *out)
{
	if (out->fd >= 0 && cg_close(out->fd) != 0 && errno != EINTR)
		fail(out, errno);
	out->fd = -1;
}

int
cg_out_finish(struct cg_out *out)
{
	if (out->memory || out->finished)
		return report(out, "write");
	out->finished = true;
	flush(out);
	if (out->gzip && out->status == CG_OK && !cg_compress_finish(out->gzip))
		fail(out, ENOMEM);
	if (out->temp && out->status == CG_OK && !out->deferred)
		sync_file(out, out->fd);
	close_file(out);
	return report(out, "write");
}

void
cg_out_defer(struct cg_out *out)
{
	struct stat st;

	/* The process that commits it has to open it again. */
	out->deferred = out->temp && !out->numbered &&
			fstat(out->fd, &st) == 0 && (st.st_mode & S_IWUSR);
}

bool
cg_out_is_deferred(const struct cg_out *out)
{
	return out->deferred && !out->temp;
}

int
cg_out_commit(struct cg_out *out)
{
	if (cg_out_finish(out) == CG_OK && out->temp && !out->deferred)
		replace_target(out);
	if (out->status == CG_OK && out->deferred) {
		free(out->temp);
		out->temp = NULL; /* it stays */
	}
	return report(out, "write");
}

void
cg_out_close(struct cg_out *out)
{
	if (!out)
		return;
	close_file(out);
	if (out->temp)
		(void)unlinkat(out->directory, out->temp, 0);
	if (out->directory >= 0)
		(void)close(out->directory);
	cg_compress_free(out->gzip);
	free(out->temp);
	free(out->target);
	free(out->name);
	free(out->buf);
	free(out);
}

bool
cg_gzip_end(struct cg_out *out)
{
	bool ok;

	flush(out);
	ok = out->status == CG_OK && cg_compress_finish(out->gzip);
	cg_out_close(out);
	return ok;
}
