/*
 * fault.c - runs a conversion in which one call fails: the first allocation,
 * the second, ... until none fails, then each write, sync, rename and read.
 *
 * After each failure, the status and a message report it, no partial output
 * remains, an older output is unchanged, and no memory or descriptor leaks.
 * A conversion may also succeed if its output is correct (qsort() works
 * without memory).
 *
 * The functions of the C library that can fail are replaced in this file.
 */
#define _GNU_SOURCE /* dladdr() */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/platform.h"
#include "unit.h"

#if CG_SANITIZED
int
main(void)
{
	puts("not with sanitizers: they have an allocator of their own");
	return 77;
}
#else

/* ---- What fails, and when ----------------------------------------------- */

enum kind { ALLOC, WRITE, FSYNC, CLOSE, RENAME, READ, OPEN, KINDS };

static const struct {
	const char *name;
	int error, status, other; /* the statuses that it may end with */
} kinds[KINDS] = {
	[ALLOC] = { "allocation", ENOMEM, CG_ELIMIT, CG_ELIMIT },
	[WRITE] = { "write", ENOSPC, CG_EOUTPUT, CG_EOUTPUT },
	[FSYNC] = { "fsync", EIO, CG_EOUTPUT, CG_EOUTPUT },
	[CLOSE] = { "close", EDQUOT, CG_EOUTPUT, CG_EOUTPUT },
	[RENAME] = { "rename", EACCES, CG_EOUTPUT, CG_EOUTPUT },
	[READ] = { "read", EIO, CG_EINPUT, CG_EINPUT },
	[OPEN] = { "open", EMFILE, CG_EINPUT, CG_EOUTPUT },
};

static bool counting; /* a conversion is running */
static enum kind failing;
static unsigned long fail_at; /* which one fails, from 1; 0: none */
static bool no_ci;            /* files that end in .ci are not there */
static unsigned long calls[KINDS];
static long live; /* allocations that are not freed */

/*
 * libdw 0.188 crashes when its hash tables of abbreviations cannot grow, and
 * loses memory when its trees cannot; libxml2 2.9 loses some when a parser
 * cannot be created, and prints to standard error: their calls do not fail
 * here.
 */
static bool
is_spared(const void *caller)
{
	Dl_info info;

	if (dladdr(caller, &info) == 0)
		return false;
	return strstr(info.dli_fname, "libdw") != NULL ||
	       strstr(info.dli_fname, "libxml2") != NULL ||
	       (info.dli_sname != NULL && strstr(info.dli_sname, "tsearch"));
}

static bool
fails(enum kind kind)
{
	if (!counting)
		return false;
	calls[kind]++;
	if (kind != failing || calls[kind] != fail_at)
		return false;
	errno = kinds[kind].error;
	return true;
}

#define ALLOC_FAILS() \
	(counting && !is_spared(__builtin_return_address(0)) && fails(ALLOC))

/* ---- The functions that fail -------------------------------------------- */

/* Exported: shared libraries call these as well. */
#pragma GCC visibility push(default)

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
int open64(const char *, int, ...);
int openat64(int, const char *, int, ...);

static void *
count_live(void *ptr)
{
	live += ptr != NULL;
	return ptr;
}

void *
malloc(size_t size)
{
	return ALLOC_FAILS() ? NULL : count_live(__libc_malloc(size));
}

void *
calloc(size_t n, size_t size)
{
	return ALLOC_FAILS() ? NULL : count_live(__libc_calloc(n, size));
}

void *
realloc(void *ptr, size_t size)
{
	void *moved;

	if (ALLOC_FAILS())
		return NULL;
	moved = __libc_realloc(ptr, size);
	live += ptr == NULL && moved != NULL;
	return moved;
}

int
posix_memalign(void **ptr, size_t alignment, size_t size)
{
	if (ALLOC_FAILS())
		return ENOMEM;
	*ptr = count_live(__libc_memalign(alignment, size));
	return *ptr != NULL ? 0 : ENOMEM;
}

void
free(void *ptr)
{
	live -= ptr != NULL;
	__libc_free(ptr);
}

ssize_t
write(int fd, const void *bytes, size_t n)
{
	return fails(WRITE) ? -1 : syscall(SYS_write, fd, bytes, n);
}

ssize_t
read(int fd, void *to, size_t n)
{
	return fails(READ) ? -1 : syscall(SYS_read, fd, to, n);
}

static int
open_or_fail(int at, const char *path, int flags, mode_t mode)
{
	/* Profiles name the machine's libraries: these would only take time. */
	if (strncmp(path, "/usr/lib/", 9) == 0 ||
	    strncmp(path, "/lib/", 5) == 0) {
		errno = ENOENT;
		return -1;
	}
	if (fails(OPEN))
		return -1;
	if (no_ci && strstr(path, ".ci") != NULL) {
		errno = ENOENT;
		return -1;
	}
	return (int)syscall(SYS_openat, at, path, flags, mode);
}

/* The library is compiled for large files: its open() is this one. */
int
open64(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_or_fail(AT_FDCWD, path, flags, mode);
}

int
openat64(int at, const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_or_fail(at, path, flags, mode);
}

/* A close() that fails has closed the descriptor. */
int
close(int fd)
{
	int result = (int)syscall(SYS_close, fd);

	return fails(CLOSE) ? -1 : result;
}

/* Skips the real fsync(): it is slow and makes no difference here. */
int
fsync(int fd)
{
	(void)fd;
	return fails(FSYNC) ? -1 : 0;
}

int
renameat(int from_at, const char *from, int to_at, const char *to)
{
	if (fails(RENAME))
		return -1;
	return (int)syscall(SYS_renameat2, from_at, from, to_at, to, 0);
}

#pragma GCC visibility pop

/* ---- One conversion ----------------------------------------------------- */

#define OLD "an older output\n"

static char directory[] = "/tmp/cgconv-fault.XXXXXX";
static char output[sizeof(directory) + 8];

struct conversion {
	const char *input, *program; /* program: NULL if there is none */
	const char *before; /* not NULL: write the difference from it */
	size_t again;       /* how often the input is read, besides once */
	const struct cg_module *to;
	bool gzip;
	char *right; /* the expected output */
	size_t length;
	char *rest; /* the expected output without .ci files */
	size_t rest_length;
	char said[4096]; /* all messages, for the report */
	bool told;       /* one of them names the failure */
};

static void
hear(void *arg, const struct cg_message *message)
{
	struct conversion *it = arg;
	size_t used = strlen(it->said);
	bool was = counting;

	/* Recording a message must not fail. */
	counting = false;
	(void)snprintf(it->said + used, sizeof(it->said) - used, "    %s\n",
	    message->text);
	if (strstr(message->text, strerror(kinds[failing].error)) != NULL ||
	    (failing == ALLOC && strstr(message->text, "out of memory")))
		it->told = true;
	counting = was;
}

static int
subtract(struct conversion *it, struct cg_job *job)
{
	const char *const path[2] = { it->before, it->input };
	struct cg_job *side[2], *united = cg_job_clone(job);
	const struct cg_graph *graph;
	int status = united != NULL ? CG_OK : cg_nomem(job);

	for (int s = 0; s < 2; s++) {
		side[s] = cg_job_clone(job);
		if (side[s] == NULL)
			status = cg_nomem(job);
	}
	for (int s = 0; s < 2 && status == CG_OK; s++) {
		status = cg_job_add_input(side[s], path[s]);
		if (status == CG_OK)
			status = cg_job_read(side[s], &graph);
	}
	for (int s = 0; s < 2 && status == CG_OK; s++)
		status = cg_job_unite(united, side[s], &graph);
	if (status == CG_OK)
		status = cg_job_diff(job, side[0], side[1],
		    it->gzip ? CG_DIFF_SIDE_BY_SIDE : CG_DIFF_NORMALIZE,
		    &graph);
	if (status == CG_OK)
		status = cg_job_write(job);
	cg_job_free(side[0]);
	cg_job_free(side[1]);
	cg_job_free(united);
	return status;
}

static int
convert(struct conversion *it)
{
	struct cg_job *job = cg_job_new(cg_formats(), hear, it);
	int status = CG_ELIMIT;

	if (job == NULL) {
		it->told = true; /* there was nobody to tell */
		return status;
	}
	status = cg_job_set_to(job, it->to->name);
	if (status == CG_OK)
		status = cg_job_set_output(job, output);
	cg_job_set_gzip(job, it->gzip);
	/* So that fewer targets refuse. */
	cg_job_set_guess(job, true);
	cg_job_set_clamp(job, true);
	if (status == CG_OK && it->program != NULL)
		status = cg_job_add_object(job, it->program);
	for (size_t i = 0;
	     status == CG_OK && it->before == NULL && i <= it->again; i++)
		status = cg_job_add_input(job, it->input);
	if (status == CG_OK)
		status =
		    it->before == NULL ? cg_job_run(job) : subtract(it, job);
	cg_job_free(job);
	return status;
}

static int
run(struct conversion *it, enum kind kind, unsigned long at)
{
	int status;

	memset(calls, 0, sizeof(calls));
	it->said[0] = '\0';
	it->told = false;
	failing = kind;
	fail_at = at;
	counting = true;
	status = convert(it);
	counting = false;
	return status;
}

/* ---- Files -------------------------------------------------------------- */

static char *
slurp(const char *path, size_t *length)
{
	FILE *file = fopen(path, "rb");
	size_t size = 0;
	char *text = NULL;

	*length = 0;
	if (file == NULL)
		return NULL;
	do {
		size += 1 << 16;
		text = realloc(text, size);
		if (text == NULL)
			abort();
		*length += fread(text + *length, 1, size - *length, file);
	} while (*length == size);
	(void)fclose(file);
	return text;
}

static bool
holds(const char *path, const char *want, size_t length)
{
	size_t got;
	char *text = slurp(path, &got);
	bool same =
	    text != NULL && got == length && memcmp(text, want, got) == 0;

	free(text);
	return same;
}

static void
put_old_output(void)
{
	FILE *file = fopen(output, "wb");

	if (file == NULL || fputs(OLD, file) < 0 || fclose(file) != 0)
		abort();
}

static size_t
files_in(const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0;

	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		(void)closedir(dir);
	return count - 2; /* . and .. */
}

/* The lowest free descriptor: higher if one was not closed. */
static int
next_descriptor(void)
{
	int fd = dup(0);

	(void)syscall(SYS_close, fd);
	return fd;
}

/* ---- Failing in turn ---------------------------------------------------- */

static bool
ended_well(const struct conversion *it, int status)
{
	bool right = holds(output, it->right, it->length);
	bool old = holds(output, OLD, strlen(OLD));

	if (!CHECK(files_in(directory) == 1))
		return false;
	if (status == CG_OK)
		return CHECK(right);
	/* A .ci file that cannot be read is skipped. */
	if (status == CG_EINPUT && it->rest != NULL &&
	    holds(output, it->rest, it->rest_length))
		return CHECK(failing >= READ && it->told);
	/* The last fsync() is of the directory, after the rename. */
	return CHECK(old || (failing == FSYNC && right)) && CHECK(it->told) &&
	       CHECK(status == kinds[failing].status ||
		     status == kinds[failing].other);
}

/* Fails call number at of a kind; false if there are fewer calls. */
static bool
fail_once(struct conversion *it, enum kind kind, unsigned long at)
{
	long live_before = live;
	int fd_before = next_descriptor(), status;
	bool good;

	status = run(it, kind, at);
	if (calls[kind] < at) {
		put_old_output();
		return false;
	}
	good = CHECK(live == live_before);
	good = CHECK(next_descriptor() == fd_before) && good;
	good = ended_well(it, status) && good;
	if (!good)
		fprintf(stderr, "  %s to %s, %s %lu failed, status %d:\n%s",
		    it->input, it->to->name, kinds[kind].name, at, status,
		    it->said);
	if (!holds(output, OLD, strlen(OLD)))
		put_old_output();
	return true;
}

static void
try_conversion(struct conversion *it)
{
	unsigned long at;
	int status;

	/* The first run allocates what lives as long as the process. */
	(void)run(it, ALLOC, 0);
	status = run(it, ALLOC, 0);
	if (status == CG_OK)
		it->right = slurp(output, &it->length);
	no_ci = true;
	if (status == CG_OK && run(it, ALLOC, 0) == CG_OK)
		it->rest = slurp(output, &it->rest_length);
	no_ci = false;
	put_old_output();
	if (status == CG_OK)
		for (int kind = 0; kind < KINDS; kind++)
			for (at = 1; fail_once(it, (enum kind)kind, at); at++)
				if (unit_failures > 20)
					return;
	free(it->right);
	free(it->rest);
	it->right = it->rest = NULL;
}

/* Larger samples only take longer. */
#define SAMPLE_MAX 8192

static bool
is_profile(const char *path)
{
	static const char *const others[] = { "HOW", "prog", NULL };
	const char *name = strrchr(path, '/') + 1;
	struct stat info;

	for (size_t i = 0; others[i] != NULL; i++)
		if (strcmp(name, others[i]) == 0)
			return false;
	/* Archives: libarchive uses NULL when memory runs out. */
	return strstr(name, ".txt") == NULL &&
	       strstr(name, ".sleepy") == NULL &&
	       strstr(path, "samples/src/") == NULL && stat(path, &info) == 0 &&
	       S_ISREG(info.st_mode) && info.st_size <= SAMPLE_MAX;
}

static void
try_sample(const char *path)
{
	static struct conversion it;
	static char program[4096];

	(void)snprintf(program, sizeof(program), "%.*s/prog",
	    (int)(strrchr(path, '/') - path), path);
	it.input = path;
	it.program = access(program, R_OK) == 0 ? program : NULL;
	for (size_t i = 0; cg_formats()[i] != NULL; i++) {
		it.to = cg_formats()[i];
		it.gzip = i % 2 != 0;
		if (it.to->write != NULL && unit_failures <= 20)
			try_conversion(&it);
	}
}

static void
try_difference(const char *before, const char *after)
{
	static const char *const targets[] = { "json", "callgrind", "pprof",
		"folded" };
	static struct conversion it;

	it.before = before;
	it.input = after;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		it.to = cg_find_module(cg_formats(), cg_slice(targets[i]));
		it.gzip = i % 2 != 0;
		try_conversion(&it);
	}
}

/* Coverage that is read again and again is added in place. */
static void
try_again(const char *path)
{
	static const char *const targets[] = { "json", "lcov" };
	static struct conversion it;

	it.input = path;
	it.again = 3;
	for (size_t i = 0; i < sizeof(targets) / sizeof(*targets); i++) {
		it.to = cg_find_module(cg_formats(), cg_slice(targets[i]));
		try_conversion(&it);
	}
}

int
main(void)
{
	glob_t found;

	if (mkdtemp(directory) == NULL)
		return 1;
	(void)snprintf(output, sizeof(output), "%s/out", directory);
	put_old_output();
	if (glob("samples/*/*/*", 0, NULL, &found) != 0) {
		puts("no samples here");
		return 77;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (is_profile(found.gl_pathv[i]))
			try_sample(found.gl_pathv[i]);
	globfree(&found);
	try_difference("samples/callgrind/names/callgrind.out",
	    "samples/callgrind/plain/callgrind.out");
	try_difference(
	    "samples/json/stacks/stacks.cgj", "samples/json/stacks/stacks.cgj");
	try_again("samples/lcov/geninfo-1.16/coverage.info");
	(void)unlink(output);
	CHECK(rmdir(directory) == 0);
	return unit_end();
}
#endif
