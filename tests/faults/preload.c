/*
 * preload.c - a library for LD_PRELOAD in which one call fails, or that call and
 * all later ones of its kind:
 *
 *	CG_FAIL='alloc 12'         the 12th allocation of each process
 *	CG_FAIL='write 3 sticky'   the third write() and all later ones
 *	CG_FAIL='slow 1'           no failure, but each second read or write is
 *	                           interrupted, the others get one byte to seven
 *	CG_FAIL='race 1'           the file that open() does not find the first
 *	                           time is there afterwards
 *	CG_FAIL='mode 1'           prints with what mode files are created
 *	CG_FAIL_HIT=FILE           is created when a call fails
 *
 * Calls on standard error do not fail: it shows what the program says.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

/* ---- What fails, and when ------------------------------------------------ */

enum kind {
	ALLOC,
	READ,
	WRITE,
	OPEN,
	FSYNC,
	RENAME,
	FORK,
	PIPE,
	THREAD,
	SLOW,
	RACE,
	MODE,
	KINDS
};

static const struct {
	const char *name;
	int error;
} kinds[KINDS] = {
	[ALLOC] = { "alloc", ENOMEM },
	[READ] = { "read", EIO },
	[WRITE] = { "write", ENOSPC },
	[OPEN] = { "open", EMFILE },
	[FSYNC] = { "fsync", EIO },
	[RENAME] = { "rename", EACCES },
	[FORK] = { "fork", EAGAIN },
	[PIPE] = { "pipe", EMFILE },
	[THREAD] = { "thread", EAGAIN },
	[SLOW] = { "slow", EINTR },
	[RACE] = { "race", ENOENT },
	[MODE] = { "mode", 0 },
};

static enum kind failing = KINDS;
static unsigned long fail_at, calls;
static bool sticky;

__attribute__((constructor)) static void
begin(void)
{
	const char *text = getenv("CG_FAIL");
	char *end;

	for (int kind = 0; text != NULL && kind < KINDS; kind++) {
		size_t n = strlen(kinds[kind].name);

		if (strncmp(text, kinds[kind].name, n) != 0 || text[n] != ' ')
			continue;
		fail_at = strtoul(text + n + 1, &end, 10);
		sticky = strcmp(end, " sticky") == 0;
		failing = (enum kind)kind;
	}
}

static void
note_hit(void)
{
	const char *path = getenv("CG_FAIL_HIT");
	long fd = path == NULL ? -1
			       : syscall(SYS_openat, AT_FDCWD, path,
				     O_WRONLY | O_CREAT, 0666);

	if (fd >= 0)
		(void)syscall(SYS_close, fd);
}

static bool
fails(enum kind kind)
{
	if (kind != failing)
		return false;
	calls++;
	if (calls != fail_at && !(sticky && calls > fail_at))
		return false;
	if (calls == fail_at)
		note_hit();
	errno = kinds[kind].error;
	return true;
}

/*
 * The dynamic linker ends the program without memory; libarchive 3.6 crashes,
 * libdw 0.188 when its hash tables cannot grow, libxml2 2.9 when a parser cannot
 * be made, and json-c 0.16 when its parser cannot copy a key. These allocations
 * do not fail.
 */
static bool
is_spared(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 &&
	       (strstr(info.dli_fname, "/ld-linux") != NULL ||
		   strstr(info.dli_fname, "libarchive") != NULL ||
		   strstr(info.dli_fname, "libdw") != NULL ||
		   strstr(info.dli_fname, "libxml2") != NULL ||
		   (info.dli_sname != NULL &&
		       strstr(info.dli_sname, "tsearch") != NULL));
}

static bool
is_json_c(const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) != 0 &&
	       strstr(info.dli_fname, "libjson-c") != NULL;
}

#define ALLOC_FAILS()                                                   \
	(failing == ALLOC && !is_spared(__builtin_return_address(0)) && \
	    fails(ALLOC))

/* How much of n bytes a slow call transfers; 0: it is interrupted. */
static size_t
slow(size_t n)
{
	if (failing != SLOW || n == 0)
		return n;
	calls++;
	return calls % 2 == 1 ? 0 : n < 7 ? 1 : calls / 2 % 7 + 1;
}

/* ---- Allocations --------------------------------------------------------- */

void *
malloc(size_t size)
{
	return ALLOC_FAILS() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return ALLOC_FAILS() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *ptr, size_t size)
{
	return ALLOC_FAILS() ? NULL : __libc_realloc(ptr, size);
}

char *
strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy;

	if (!is_json_c(__builtin_return_address(0)) && ALLOC_FAILS())
		return NULL;
	copy = __libc_malloc(size);
	return copy != NULL ? memcpy(copy, text, size) : NULL;
}

int
posix_memalign(void **ptr, size_t alignment, size_t size)
{
	if (ALLOC_FAILS())
		return ENOMEM;
	*ptr = __libc_memalign(alignment, size);
	return *ptr != NULL ? 0 : ENOMEM;
}

/* ---- Reading and writing ------------------------------------------------- */

ssize_t
read(int fd, void *to, size_t n)
{
	size_t some = slow(n);

	if (some == 0 && n > 0)
		errno = EINTR;
	if ((some == 0 && n > 0) || fails(READ))
		return -1;
	return syscall(SYS_read, fd, to, some);
}

ssize_t
pread64(int fd, void *to, size_t n, off64_t at)
{
	size_t some = slow(n);

	if (some == 0 && n > 0)
		errno = EINTR;
	if ((some == 0 && n > 0) || fails(READ))
		return -1;
	return syscall(SYS_pread64, fd, to, some, at);
}

ssize_t
pread(int fd, void *to, size_t n, off_t at)
{
	return pread64(fd, to, n, at);
}

ssize_t
write(int fd, const void *bytes, size_t n)
{
	size_t some = fd == STDERR_FILENO ? n : slow(n);

	if (some == 0 && n > 0)
		errno = EINTR;
	if ((some == 0 && n > 0) || (fd != STDERR_FILENO && fails(WRITE)))
		return -1;
	return syscall(SYS_write, fd, bytes, some);
}

/* ---- Files ---------------------------------------------------------------- */

/* Another process makes the file just after it was missed. */
static void
make_missed(int at, const char *path)
{
	long fd =
	    syscall(SYS_openat, at, path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd >= 0)
		(void)syscall(SYS_close, fd);
	failing = KINDS;
	errno = ENOENT;
}

static int
open_or_fail(int at, const char *path, int flags, mode_t mode)
{
	long fd;

	if (fails(OPEN))
		return -1;
	if (failing == MODE && (flags & O_CREAT) != 0)
		fprintf(stderr, "%s: mode %03o\n", path, (unsigned)mode);
	fd = syscall(SYS_openat, at, path, flags, mode);
	if (fd < 0 && errno == ENOENT && failing == RACE &&
	    (flags & O_ACCMODE) == O_WRONLY)
		make_missed(at, path);
	return (int)fd;
}

#define MODE_ARGUMENT()                                           \
	va_list args;                                             \
	mode_t mode;                                              \
	va_start(args, flags);                                    \
	mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0; \
	va_end(args)

int
open(const char *path, int flags, ...)
{
	MODE_ARGUMENT();
	return open_or_fail(AT_FDCWD, path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	MODE_ARGUMENT();
	return open_or_fail(AT_FDCWD, path, flags, mode);
}

int
openat(int at, const char *path, int flags, ...)
{
	MODE_ARGUMENT();
	return open_or_fail(at, path, flags, mode);
}

int
openat64(int at, const char *path, int flags, ...)
{
	MODE_ARGUMENT();
	return open_or_fail(at, path, flags, mode);
}

int
fsync(int fd)
{
	(void)fd;
	return fails(FSYNC) ? -1 : 0;
}

int
syncfs(int fd)
{
	return fsync(fd);
}

int
renameat(int from_at, const char *from, int to_at, const char *to)
{
	if (fails(RENAME))
		return -1;
	return (int)syscall(SYS_renameat2, from_at, from, to_at, to, 0);
}

int
rename(const char *from, const char *to)
{
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* ---- Processes ------------------------------------------------------------ */

pid_t
fork(void)
{
	pid_t (*real)(void);

	if (fails(FORK))
		return -1;
	*(void **)&real = dlsym(RTLD_NEXT, "fork");
	return real();
}

int
pipe(int fds[2])
{
	return fails(PIPE) ? -1 : (int)syscall(SYS_pipe2, fds, 0);
}

int
pipe2(int fds[2], int flags)
{
	return fails(PIPE) ? -1 : (int)syscall(SYS_pipe2, fds, flags);
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
    void *(*run)(void *), void *arg)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
	    void *);

	if (fails(THREAD))
		return kinds[THREAD].error;
	*(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
	return real(thread, attr, run, arg);
}
