/*
 * server.c - a library for LD_PRELOAD that runs a program many times, but starts
 * it once: the start takes longer than most tests. With
 *
 *	CG_SERVER='4 5'
 *
 * it reads lines from file descriptor 4 before main() begins. A line is a value
 * for CG_FAIL (see preload.c) or empty. The program then runs in a child, as if
 * it had just been started. Its standard output and error, which are files, are
 * emptied before. Its status, as waitpid() tells it, is written to descriptor 5
 * as a line.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A program that takes longer is stopped. */
enum { SECONDS = 30 };

static bool
read_line(int fd, char *line, size_t size)
{
	size_t n = 0;

	while (n < size && syscall(SYS_read, fd, line + n, 1) == 1) {
		if (line[n] == '\n') {
			line[n] = '\0';
			return true;
		}
		n++;
	}
	return false;
}

static void
become_program(const char *fail, int from, int to)
{
	(void)syscall(SYS_close, from);
	(void)syscall(SYS_close, to);
	if (fail[0] != '\0')
		setenv("CG_FAIL", fail, 1);
	alarm(SECONDS);
}

static void
answer(int to, pid_t pid)
{
	char line[16];
	int status = -1;

	if (pid > 0)
		(void)waitpid(pid, &status, 0);
	(void)syscall(
	    SYS_write, to, line, snprintf(line, sizeof(line), "%d\n", status));
}

/* Before the constructor of preload.c, which reads CG_FAIL. */
__attribute__((constructor(101))) static void
serve(void)
{
	const char *fds = getenv("CG_SERVER");
	char line[64];
	int from, to;

	if (fds == NULL || sscanf(fds, "%d %d", &from, &to) != 2)
		return;
	unsetenv("CG_SERVER");
	while (read_line(from, line, sizeof(line))) {
		pid_t pid;

		(void)ftruncate(STDOUT_FILENO, 0);
		(void)ftruncate(STDERR_FILENO, 0);
		pid = fork();
		if (pid == 0) {
			become_program(line, from, to);
			return;
		}
		answer(to, pid);
	}
	_exit(0);
}
