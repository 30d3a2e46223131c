/*
 * confine.c - puts a command into a sandbox with the files that its command
 * line names, as profiles may come from untrusted sources.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

/*
 * Allows reading the directory at path or that of the file at path: files next
 * to an input may belong to it. Does nothing for a file in the working
 * directory, which may be read anyway.
 */
static void
allow_around(struct sandbox *box, const char *path)
{
	char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
	struct stat info;

	if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
		sandbox_read(box, path);
	} else if (slash != NULL) {
		*slash = '\0';
		sandbox_read(box, slash > copy ? copy : "/");
	}
	free(copy);
}

void
confine_allow(struct sandbox *box, const char *path)
{
	struct stat info;
	char *real;

	allow_around(box, path);
	if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode))
		return;
	real = realpath(path, NULL);
	if (real != NULL)
		allow_around(box, real);
	free(real);
}

/*
 * Lets the sandbox read the file or directory that an option's value names.
 * The value may also be a path in an archive, such as "a.zip/sub"; then lets
 * it read the archive. Does nothing if the value names none of these.
 */
static void
allow_value(struct sandbox *box, const char *value)
{
	char *path = strdup(value), *slash = path;
	struct stat info;

	while (slash != NULL && stat(path, &info) != 0) {
		slash = strrchr(path, '/');
		if (slash != NULL)
			*slash = '\0';
	}
	if (slash != NULL && (slash == path || S_ISREG(info.st_mode)))
		confine_allow(box, path);
	free(path);
}

/*
 * Lets the sandbox read the files and directories that values of options name,
 * such as directories of sources, and the executables given to the job.
 */
static void
allow_options(const struct args *args, struct sandbox *box)
{
	const char *path;

	for (size_t i = 0; i < json_object_array_length(args->options); i++) {
		path = strchr(json_object_get_string(
				  json_object_array_get_idx(args->options, i)),
		    '=');
		if (path != NULL)
			allow_value(box, path + 1);
	}
	for (size_t i = 0; (path = cg_job_object(args->job, i)) != NULL; i++)
		confine_allow(box, path);
}

/*
 * Allows reading the directories of LD_LIBRARY_PATH, as some libraries are
 * loaded only when an input needs them.
 */
static void
allow_libraries(struct sandbox *box)
{
	const char *paths = getenv("LD_LIBRARY_PATH");
	char *copy = paths != NULL ? strdup(paths) : NULL, *rest = copy, *path;

	while (rest != NULL && (path = strsep(&rest, ":;")) != NULL)
		sandbox_read(box, path[0] != '\0' ? path : ".");
	free(copy);
}

/*
 * Lets the sandbox write to the file at "path". Also lets it create files in
 * the directory of that file, where outputs are first written to a temporary
 * file, and renamed. If "path" is a symbolic link, this is the directory of
 * its target.
 */
static void
allow_write(struct sandbox *box, const char *path)
{
	char *real, *slash;

	sandbox_write(box, path); /* a pipe, /dev/null */
	real = realpath(path, NULL);
	if (real == NULL)
		real = strdup(path);
	slash = real != NULL ? strrchr(real, '/') : NULL;
	if (slash != NULL)
		slash[slash == real] = '\0';
	sandbox_write(box, slash != NULL ? real : ".");
	free(real);
}

static void
allow_output(const struct args *args, struct sandbox *box)
{
	if (args->directory != NULL)
		sandbox_write(box, args->directory);
	if (args->output != NULL)
		allow_write(box, args->output);
}

/*
 * Lets the sandbox write in the nearest existing directory above "path", or in
 * "path" itself if it exists. Missing directories of the path are created
 * there. If no directory of the path exists, lets it write in the root for an
 * absolute path, else in the working directory.
 */
static void
allow_parent(struct sandbox *box, const char *path)
{
	char *copy = strdup(path), *slash;

	if (copy == NULL)
		return;
	while (access(copy, F_OK) != 0 && (slash = strrchr(copy, '/')) != NULL)
		*slash = '\0';
	if (access(copy, F_OK) == 0)
		sandbox_write(box, copy);
	else
		sandbox_write(box, path[0] == '/' ? "/" : ".");
	free(copy);
}

bool
confine_begin(const struct args *args, struct sandbox *box)
{
	if (args->no_sandbox)
		return false;
	sandbox_begin(box);
	for (size_t i = 0; i < args->inputs; i++)
		confine_allow(box, args->input[i]);
	allow_options(args, box);
	allow_libraries(box);
	allow_output(args, box);
	return true;
}

static int
check_box(const struct args *args, const struct sandbox *box)
{
	if (box->error == 0)
		return CG_OK;
	(void)cg_usage(
	    args->job, "cannot set up the sandbox: %s", strerror(box->error));
	return CG_ELIMIT;
}

int
confine_plan(const struct args *args)
{
	struct sandbox box;

	if (args->no_sandbox)
		return CG_OK;
	sandbox_begin(&box);
	sandbox_read(&box, "/");
	allow_output(args, &box);
	if (args->directory != NULL)
		allow_parent(&box, args->directory);
	if (args->output != NULL)
		allow_parent(&box, args->output);
	if (args->manifest != NULL)
		allow_write(&box, args->manifest);
	if (check_box(args, &box) != CG_OK)
		return CG_ELIMIT;
	(void)sandbox_enter(&box);
	return CG_OK;
}

int
confine_end(const struct args *args, struct sandbox *box, bool begun)
{
	struct cg_message lack = { .severity = CG_NOTE };

	if (begun && check_box(args, box) != CG_OK)
		return CG_ELIMIT;
	if (begun)
		lack.text = sandbox_enter(box);
	if (lack.text != NULL && args->verbose)
		put_message(stderr, &lack);
	return CG_OK;
}
