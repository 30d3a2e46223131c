/*
 * posix.c - what the C library for WASI lacks of POSIX: see posix.h; and the
 * pipes of platform.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/platform.h"

/* ---- What the host cannot do ------------------------------------------------ */

static int
lacks(void)
{
	errno = ENOSYS;
	return -1;
}

int
sigaction(int signal, const struct sigaction *new, struct sigaction *old)
{
	(void)signal, (void)new, (void)old;
	return lacks();
}

unsigned
alarm(unsigned seconds)
{
	(void)seconds;
	return 0;
}

char *
strsignal(int signal)
{
	(void)signal;
	return (char *)"a signal";
}

pid_t
fork(void)
{
	return lacks();
}

pid_t
getppid(void)
{
	return getpid();
}

pid_t
waitpid(pid_t pid, int *status, int options)
{
	(void)pid, (void)status, (void)options;
	return lacks();
}

int
kill(pid_t pid, int signal)
{
	(void)pid, (void)signal;
	return lacks();
}

int
execvp(const char *name, char *const *argv)
{
	(void)name, (void)argv;
	return lacks();
}

int
dup2(int fd, int to)
{
	(void)fd, (void)to;
	return lacks();
}

int
getrlimit(int what, struct rlimit *limit)
{
	(void)what, (void)limit;
	return lacks();
}

int
setrlimit(int what, const struct rlimit *limit)
{
	(void)what, (void)limit;
	return lacks();
}

int
socketpair(int domain, int type, int protocol, int fd[2])
{
	(void)domain, (void)type, (void)protocol, (void)fd;
	return lacks();
}

int
madvise(void *memory, size_t size, int advice)
{
	(void)memory, (void)size, (void)advice;
	return lacks();
}

void *
dlopen(const char *path, int how)
{
	(void)path, (void)how;
	return NULL;
}

void *
dlsym(void *library, const char *name)
{
	(void)library, (void)name;
	return NULL;
}

int
dlclose(void *library)
{
	(void)library;
	return 0;
}

char *
dlerror(void)
{
	return (char *)"this build has no modules";
}

/*
 * Does nothing and returns 0: WASI's files have no permissions, those of a new
 * one are the host's choice.
 */
int
fchmod(int fd, mode_t mode)
{
	(void)fd, (void)mode;
	return 0;
}

mode_t
umask(mode_t mask)
{
	(void)mask;
	return 022;
}

/* ---- Paths ------------------------------------------------------------------ */

/*
 * Runs before main(). Makes the directory in which the host runs the program
 * the working directory, if $PWD states it. Ignores errors: the host may not
 * let the program enter it.
 */
__attribute__((constructor)) static void
enter_directory(void)
{
	const char *directory = getenv("PWD");

	if (directory && directory[0] == '/')
		(void)chdir(directory);
}

#define LINKS_MAX 40

/*
 * The path so far, without links, and what is left to be resolved: both in one
 * piece of memory. The size of a path is limited, as by the system.
 */
struct walk {
	char done[PATH_MAX];
	char left[PATH_MAX];
	char link[PATH_MAX];
	size_t n; /* length of done */
	unsigned links;
};

/*
 * Inserts the text and a slash at the begin of walk->left, the part of a path
 * that is not resolved yet. If the text is absolute, clears the part that is
 * resolved. False: the result is too long (errno is ENAMETOOLONG), and nothing
 * has changed.
 */
static bool
prepend(struct walk *walk, const char *text)
{
	size_t n = strlen(text), rest = strlen(walk->left);

	if (n + rest + 2 > sizeof(walk->left)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memmove(walk->left + n + 1, walk->left, rest + 1);
	memcpy(walk->left, text, n);
	walk->left[n] = '/';
	if (text[0] == '/')
		walk->n = 0;
	return true;
}

/*
 * Removes the last component, and the slash before it, from walk->done, the
 * part of a path that is resolved. Only changes its length, walk->n. Does
 * nothing if it is empty.
 */
static void
go_up(struct walk *walk)
{
	while (walk->n > 0 && walk->done[walk->n - 1] != '/')
		walk->n--;
	walk->n -= walk->n > 0;
}

/*
 * Replaces the symbolic link at the end of the path so far by its target,
 * which comes before the rest. False, with errno set: reading it failed, the
 * path is too long, or there were too many links.
 */
static bool
follow(struct walk *walk)
{
	ssize_t n = readlink(walk->done, walk->link, sizeof(walk->link) - 1);

	if (n < 0)
		return false;
	if (++walk->links > LINKS_MAX) {
		errno = ELOOP;
		return false;
	}
	walk->link[n] = '\0';
	go_up(walk);
	return prepend(walk, walk->link);
}

static bool
enter_component(struct walk *walk, const char *name, size_t n)
{
	struct stat info;

	if (n == 0 || (n == 1 && name[0] == '.'))
		return true;
	if (n == 2 && name[0] == '.' && name[1] == '.') {
		go_up(walk);
		return true;
	}
	if (walk->n + n + 2 > sizeof(walk->done)) {
		errno = ENAMETOOLONG;
		return false;
	}
	walk->done[walk->n++] = '/';
	memcpy(walk->done + walk->n, name, n);
	walk->n += n;
	walk->done[walk->n] = '\0';
	if (lstat(walk->done, &info) != 0)
		return false;
	return !S_ISLNK(info.st_mode) || follow(walk);
}

static bool
resolve(struct walk *walk)
{
	char name[NAME_MAX + 1];
	size_t n, skip;

	while (walk->left[0] != '\0') {
		n = strcspn(walk->left, "/");
		skip = n + (walk->left[n] == '/');
		if (n > NAME_MAX) {
			errno = ENAMETOOLONG;
			return false;
		}
		memcpy(name, walk->left, n);
		memmove(walk->left, walk->left + skip,
		    strlen(walk->left + skip) + 1);
		if (!enter_component(walk, name, n))
			return false;
	}
	return true;
}

char *
realpath(const char *path, char *buffer)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	char *result = NULL;

	(void)buffer; /* always NULL */
	if (walk && prepend(walk, path) &&
	    (path[0] == '/' || (getcwd(walk->link, sizeof(walk->link)) &&
				   prepend(walk, walk->link))) &&
	    resolve(walk)) {
		walk->done[walk->n] = '\0';
		result = strdup(walk->n > 0 ? walk->done : "/");
	}
	free(walk);
	return result;
}

/* ---- Pipes in memory -------------------------------------------------------- */

/* Descriptors begin here: WASI's are small. The write end is odd. */
#define PIPE_FIRST (1 << 20)

struct pipe {
	char *bytes;
	size_t begin, end, cap;
	unsigned ends; /* that are open; 0: unused */
};

static struct pipe *pipes;
static size_t pipe_count;

static struct pipe *
pipe_of(int fd)
{
	return &pipes[(size_t)(fd - PIPE_FIRST) / 2];
}

int
cg_pipe(int fd[2])
{
	struct pipe *more;
	size_t i = 0;

	while (i < pipe_count && pipes[i].ends > 0)
		i++;
	if (i == pipe_count) {
		more = realloc(pipes, (pipe_count + 1) * sizeof(*pipes));
		if (!more)
			return -1;
		pipes = more;
		pipe_count++;
	}
	pipes[i] = (struct pipe){ .ends = 2 };
	fd[0] = PIPE_FIRST + (int)i * 2;
	fd[1] = fd[0] + 1;
	return 0;
}

/*
 * Takes at most size bytes from a pipe in memory, and returns the number of
 * bytes taken. If the pipe has fewer bytes, takes all of them. 0: the pipe is
 * empty. It never waits, as nobody could fill the pipe meanwhile.
 */
ssize_t
cg_pipe_read(int fd, void *bytes, size_t size)
{
	struct pipe *pipe = pipe_of(fd);
	size_t left = pipe->end - pipe->begin;

	if (size > left)
		size = left;
	if (size > 0)
		memcpy(bytes, pipe->bytes + pipe->begin, size);
	pipe->begin += size;
	if (pipe->begin == pipe->end)
		pipe->begin = pipe->end = 0;
	return (ssize_t)size;
}

ssize_t
cg_pipe_write(int fd, const void *bytes, size_t size)
{
	struct pipe *pipe = pipe_of(fd);
	size_t wanted = pipe->end + size, cap = pipe->cap * 2;
	char *more;

	if (wanted > pipe->cap) {
		cap = cap > wanted ? cap : wanted;
		more = realloc(pipe->bytes, cap);
		if (!more)
			return -1;
		pipe->bytes = more;
		pipe->cap = cap;
	}
	if (size > 0)
		memcpy(pipe->bytes + pipe->end, bytes, size);
	pipe->end = wanted;
	return (ssize_t)size;
}

int
cg_pipe_close(int fd)
{
	struct pipe *pipe = pipe_of(fd);

	if (pipe->ends > 0 && --pipe->ends == 0)
		free(pipe->bytes);
	return 0;
}
