/*
 * sources.c - opens the source files that a graph names.
 *
 * Profiles may come from strangers, so a name in one must not lead anywhere: a
 * file is opened in the directory of --sources, in the working directory, or
 * by a relative name in the directory of the first input. A name from which
 * --strip-prefix removed a directory is looked for in that one.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "job/job.h"

/* Names with ".." are not opened: they lead out of the directory. */
static bool
leads_out(struct cg_slice name)
{
	struct cg_slice part;

	while (cg_take_until(&name, '/', &part)) {
		if (cg_equal(part, ".."))
			return true;
	}
	return false;
}

/* Can it be opened? The sandbox or its mode may forbid that. */
static bool
is_readable(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	struct stat info;
	bool good = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);

	if (fd >= 0)
		(void)close(fd);
	return good;
}

struct request {
	struct cg_job *job;
	bool optional; /* a file that cannot be opened is missing, no error */
};

/* Opens directory/name, if it is there and may be opened; false: failed. */
static bool
open_at(const struct request *request, struct cg_slice directory,
    struct cg_slice name, struct cg_in **in)
{
	char *path, *end;
	bool ok = true;

	while (cg_take_char(&name, '/'))
		continue;
	if (name.len == 0 || leads_out(name))
		return true;
	path = malloc(directory.len + name.len + CG_JOIN_MORE + 1);
	if (!path)
		return cg_reject_nomem(request->job);
	end = cg_join_path(path, directory, name);
	*end = '\0';
	if (!request->optional || cg_companion_in_memory(request->job) ||
	    is_readable(path))
		ok = cg_open_companion(request->job, path, in);
	free(path);
	return ok;
}

/*
 * A path in the working directory: an absolute one, or one that was resolved
 * from the directory of an input, such as build/../src.
 */
static bool
open_in_cwd(const struct request *request, struct cg_slice path, bool resolved,
    struct cg_in **in)
{
	char cwd[PATH_MAX], room[PATH_MAX + CG_JOIN_MORE];
	const struct cg_slice none = { "", 0 };
	bool absolute = cg_starts(path, "/");

	if (cg_companion_in_memory(request->job) || !getcwd(cwd, sizeof(cwd)) ||
	    !(absolute || resolved) || path.len >= PATH_MAX)
		return true;
	path.len = (size_t)(cg_join_path(room, none, path) - room);
	path.ptr = room;
	if (absolute && (!cg_take_prefix(&path, cwd) || !cg_starts(path, "/")))
		return true;
	return open_at(request, cg_slice(cwd), path, in);
}

/* An absolute path: in directory, or in the working directory if NULL. */
static bool
open_absolute(const struct request *request, const char *directory,
    struct cg_slice path, struct cg_in **in)
{
	return directory ? open_at(request, cg_slice(directory), path, in)
			 : open_in_cwd(request, path, false, in);
}

/* The same with what --strip-prefix removed from a path. */
static bool
open_stripped(const struct request *request, const char *directory,
    struct cg_slice path, struct cg_in **in)
{
	const struct cg_rules *rules = &request->job->rules;
	bool ok = true;

	if (cg_starts(path, "/"))
		return true;
	for (size_t i = 0; i < rules->maps && ok && !*in; i++) {
		struct cg_slice from = rules->map[i].from;
		struct cg_slice full;
		char *room, *end;

		if (rules->map[i].to.len > 0)
			continue;
		room = malloc(from.len + path.len + CG_JOIN_MORE + 1);
		if (!room)
			return cg_reject_nomem(request->job);
		end = cg_join_path(room, from, path);
		full = (struct cg_slice){ room, (size_t)(end - room) };
		ok = open_absolute(request, directory, full, in);
		free(room);
	}
	return ok;
}

bool
cg_open_source(struct cg_job *job, const struct cg_graph *graph, cg_file file,
    bool optional, struct cg_in **in)
{
	const struct request request = { job, optional };
	struct cg_slice path = cg_file_path(graph, file), directory = { "", 0 };
	struct cg_slice given = cg_file_given(graph, file);
	const char *sources = cg_opt(job, CG_SOURCES_OPTION);
	bool absolute, resolved = given.len > 0, ok = true;

	*in = NULL;
	if (!resolved)
		given = path;
	absolute = cg_starts(given, "/");
	if (sources) {
		directory = cg_slice(sources);
		if (!absolute)
			ok = open_at(&request, directory, given, in);
		if (!*in && ok)
			ok = open_at(&request, directory, path, in);
		return *in || !ok || open_stripped(&request, sources, path, in);
	}
	ok = open_in_cwd(&request, path, resolved, in);
	if (!*in && ok)
		ok = open_stripped(&request, NULL, path, in);
	if (*in || !ok || job->sources == 0 || absolute)
		return ok;
	directory = cg_slice(job->source[0].path);
	directory.len -= cg_base_name(directory).len;
	return open_at(&request, directory, given, in);
}
