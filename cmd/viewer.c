/*
 * viewer.c - --open: shows the output in a viewer for its kind.
 *
 * A process in the sandbox cannot start programs. So a child is forked before:
 * it waits for one byte, which means that the output is complete, and then
 * executes a viewer for a file whose name it got before any input was read. A
 * malicious profile can at most open the output too early.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd.h"

#ifdef __APPLE__
#define SYSTEM_VIEWER "open"
#else
#define SYSTEM_VIEWER "xdg-open"
#endif

#define VIEWERS_MAX 8
#define NAME_ROOM 64

struct viewers {
	char name[VIEWERS_MAX][NAME_ROOM];
	unsigned char count;
};

/*
 * Sets viewers to the names of the programs to try for opening the output, at
 * most VIEWERS_MAX. First come the viewers of the output's format; the pages
 * of --series have none. The last one is the program that opens any file on
 * the system.
 */
static void
list_viewers(const struct args *args, struct viewers *viewers)
{
	/* --series writes forms of its own. */
	const struct cg_module *to =
	    args->command != CMD_SERIES ? cg_job_target(args->job) : NULL;
	struct cg_slice list = cg_slice(to && to->viewers ? to->viewers : "");
	struct cg_slice name;

	viewers->count = 0;
	while (viewers->count < VIEWERS_MAX - 1 &&
	       cg_take_until(&list, ';', &name))
		(void)snprintf(viewers->name[viewers->count++], NAME_ROOM,
		    "%.*s", (int)name.len, name.ptr);
	(void)snprintf(
	    viewers->name[viewers->count++], NAME_ROOM, SYSTEM_VIEWER);
}

/*
 * Replaces this process by the first viewer that can be executed, for the file
 * at path. Writes each viewer's number to link before trying it. If none can
 * be run, writes viewers->count, and returns.
 */
static void
try_viewers(const struct viewers *viewers, char *path, int link)
{
	for (unsigned char i = 0; i <= viewers->count; i++) {
		char name[NAME_ROOM];
		char *argv[] = { name, path, NULL };

		if (write(link, &i, 1) != 1 || i == viewers->count)
			return;
		memcpy(name, viewers->name[i], NAME_ROOM);
		(void)execvp(name, argv);
	}
}

/*
 * Runs in the child process, and does not return. Waits for a byte from the
 * pipe "link", which says that the output is complete. Then shows the output
 * in the first viewer that works. Ends the process if no byte comes, or if
 * memory runs out.
 */
static void
wait_and_view(const struct viewers *viewers, const char *output, int link)
{
	size_t size = strlen(output) + 3;
	char *path = malloc(size), byte;

	if (path == NULL || read(link, &byte, 1) != 1)
		_exit(0);
	/* A name that begins with '-' would be an option. */
	(void)snprintf(
	    path, size, "%s%s", output[0] == '-' ? "./" : "", output);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	/* Readers of this program's output must not wait for the viewer. */
	(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	try_viewers(viewers, path, link);
	_exit(0);
}

int
prepare_viewer(const struct args *args)
{
	struct viewers viewers;
	int link[2];
	pid_t child;

	list_viewers(args, &viewers);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, link) != 0)
		return -1;
	for (int i = 0; i < 2; i++)
		(void)fcntl(link[i], F_SETFD, FD_CLOEXEC);
	child = fork();
	if (child == 0) {
		(void)close(link[0]);
		wait_and_view(&viewers, args->output, link[1]);
	}
	(void)close(link[1]);
	if (child > 0)
		return link[0];
	(void)close(link[0]);
	return -1;
}

/*
 * Tells the child to start a viewer, and waits until one runs. Returns the
 * number of the last viewer tried, from 0, or the number of viewers if none
 * could be run; -1: the child has ended.
 */
static int
start(int link)
{
	unsigned char byte = 0;
	int tried = -1;
	ssize_t n;

	if (link < 0 || write(link, &byte, 1) != 1)
		return -1;
	/* exec closes the other end of link. */
	while ((n = read(link, &byte, 1)) > 0 || (n < 0 && errno == EINTR)) {
		if (n > 0)
			tried = byte;
	}
	return tried;
}

void
start_viewer(const struct args *args, int link)
{
	struct cg_message message = { .severity = CG_NOTE };
	struct viewers viewers;
	char text[VIEWERS_MAX * NAME_ROOM + 32];
	size_t len = 0;
	int tried = start(link);

	list_viewers(args, &viewers);
	message.file = args->output;
	if (tried >= 0 && tried < viewers.count) {
		(void)snprintf(
		    text, sizeof(text), "opened by %s", viewers.name[tried]);
	} else {
		message.severity = CG_WARNING;
		for (size_t i = 0; i < viewers.count; i++)
			len += (size_t)snprintf(text + len, sizeof(text) - len,
			    "%s%s",
			    i > 0 ? ", " : "written, but not opened: no ",
			    viewers.name[i]);
	}
	message.text = text;
	if (!args->quiet)
		put_message(stderr, &message);
}

void
drop_viewer(int link)
{
	if (link >= 0)
		(void)close(link);
}
