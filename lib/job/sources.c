/*
 * sources.c - opens the source files that a graph names.
 *
 * A profile may come from a stranger, so a name in it must not reach arbitrary
 * files. A file is opened in the directory of --sources, in the working
 * directory, or by a relative name in the directory of the first input. If
 * --strip-prefix removed a directory from a name, the name is also tried with
 * it.
 *
 * Outputs show sources, and the author of a profile chooses their names. So
 * hidden files (.git/config, .env, .ssh) are not read, nor files to which a
 * link leads out of the directory, nor files that are not text.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "job/job.h"

#define SOURCE_MAX ((uint64_t)16 << 20) /* larger files are not sources */

#define HIDDEN "source skipped: it is hidden; {hidden-sources} reads it"
#define LINKED                                                         \
	"source skipped: a link leads out of the directory; name its " \
	"target's directory with {sources}"
#define TOO_LARGE "source skipped: it is larger than 16 MiB"
#define NO_TEXT "source skipped: it is not a text"

struct request {
	struct cg_job *job;
	cg_file file;
	bool optional; /* unreadable files count as missing */
	bool skipped;  /* a file was found, but must not be read */
};

/*
 * Records in the request that a source is skipped. Warns with the reason, but
 * only once per file, as several steps of a conversion may ask for the source.
 * False: out of memory (reported).
 */
static bool
skip(struct request *request, const char *path, const char *why)
{
	const struct cg_location location = { .file = path };
	struct cg_job *job = request->job;
	uint32_t *reported = cg_map_at(&job->skipped_sources, request->file);

	request->skipped = true;
	if (!reported)
		return cg_reject_nomem(job);
	if (*reported == 0 && cg_diag_count(&job->errors.diag, why))
		cg_diag_say(&job->errors.diag, CG_WARNING, &location, why);
	*reported = 1;
	return true;
}

static bool
is_hidden(const struct request *request, struct cg_slice name)
{
	struct cg_slice part;

	while (cg_take_until(&name, '/', &part)) {
		if (cg_starts(part, ".") && !cg_equal(part, ".") &&
		    !cg_equal(part, ".."))
			return !cg_opt_flag(request->job, "hidden-sources");
	}
	return false;
}

/*
 * True if path is a regular file that can be opened: the sandbox or its mode
 * may forbid that.
 */
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

/*
 * Checks where a path really leads: a link must not lead out of the directory,
 * nor to a hidden file. An empty directory is the working directory. Returns
 * why the file must not be read, also if the path cannot be resolved; NULL: it
 * may be read.
 */
static const char *
check_target(
    const struct request *request, struct cg_slice directory, const char *path)
{
	char *copy = strndup(directory.ptr, directory.len);
	char *root =
	    copy ? realpath(directory.len > 0 ? copy : ".", NULL) : NULL;
	char *target = realpath(path, NULL);
	struct cg_slice rest = cg_slice(target ? target : "");
	const char *why = NULL;

	if (!root || !target || !cg_take_prefix(&rest, root) ||
	    (root[1] != '\0' && !cg_starts(rest, "/")))
		why = LINKED;
	else if (is_hidden(request, rest))
		why = HIDDEN;
	free(copy);
	free(root);
	free(target);
	return why;
}

/*
 * Returns why an opened file must not be shown as a source: it is compressed
 * or has NUL bytes (no text), or it is too large. NULL: it may be shown.
 */
static const char *
check_text(struct cg_in *in)
{
	const char *filters = cg_in_filters(in);
	struct cg_slice bytes;

	if (filters[0] != '\0' && strncmp(filters, "utf", 3) != 0)
		return NO_TEXT;
	if (cg_look_bytes(in, SOURCE_MAX + 1, &bytes))
		return TOO_LARGE;
	return bytes.len > 0 && memchr(bytes.ptr, '\0', bytes.len) ? NO_TEXT
								   : NULL;
}

/*
 * Opens a source at path, which is directory/name, and sets *in. *in stays
 * NULL if the file does not exist, if it must not be read (reported), or if
 * the source is optional and cannot be read. False: an error (reported).
 */
static bool
open_path(struct request *request, struct cg_slice directory,
    struct cg_slice name, const char *path, struct cg_in **in)
{
	bool in_memory = cg_companion_in_memory(request->job);
	const char *why = NULL;

	if (!cg_companion_exists(request->job, path))
		return true;
	if (is_hidden(request, name))
		why = HIDDEN;
	else if (!in_memory)
		why = check_target(request, directory, path);
	if (why)
		return skip(request, path, why);
	if (request->optional && !in_memory && !is_readable(path))
		return true;
	if (!cg_open_companion(request->job, path, in))
		return false;
	why = *in ? check_text(*in) : NULL;
	if (!why)
		return true;
	cg_close_companion(request->job, *in);
	*in = NULL;
	return skip(request, path, why);
}

/*
 * Opens the source directory/name and sets *in; *in stays NULL if name leads
 * out of the directory, or if the file does not exist or must not be read.
 * False: an error (reported).
 */
static bool
open_at(struct request *request, struct cg_slice directory,
    struct cg_slice name, struct cg_in **in)
{
	const struct cg_slice none = { "", 0 };
	char *room, *path;
	bool ok = true;

	room = malloc(name.len + CG_JOIN_MORE + 1);
	path = malloc(directory.len + name.len + 2 * CG_JOIN_MORE + 1);
	if (!room || !path) {
		free(room);
		free(path);
		return cg_reject_nomem(request->job);
	}
	name.len = (size_t)(cg_join_path(room, none, name) - room);
	name.ptr = room;
	while (cg_take_char(&name, '/'))
		continue;
	*cg_join_path(path, directory, name) = '\0';
	if (name.len > 0 && !cg_equal(name, "..") && !cg_starts(name, "../"))
		ok = open_path(request, directory, name, path, in);
	free(room);
	free(path);
	return ok;
}

/*
 * Opens a source by a path below the working directory, absolute or resolved
 * by the reader (`resolved`). *in stays NULL for other paths and missing
 * files, or if the inputs are in memory. False: an error (reported).
 */
static bool
open_in_cwd(struct request *request, struct cg_slice path, bool resolved,
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

/*
 * Opens a source with an absolute path: directory/path or, if directory is
 * NULL, the path itself if it is below the working directory. *in stays NULL
 * if there is no such file. False: an error (reported).
 */
static bool
open_absolute(struct request *request, const char *directory,
    struct cg_slice path, struct cg_in **in)
{
	return directory ? open_at(request, cg_slice(directory), path, in)
			 : open_in_cwd(request, path, false, in);
}

/*
 * Tries to open a source with each prefix put before path that --strip-prefix
 * has removed. Looks below directory; NULL: the working directory. *in becomes
 * the first one found, and stays NULL if there is none or path is absolute.
 * False: an error (reported).
 */
static bool
open_stripped(struct request *request, const char *directory,
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

/*
 * True if a source that was not found exists, but outside of the directories
 * that are searched. The message then suggests --sources. The file is not
 * opened. False if --sources is given already, or the inputs are in memory.
 */
static bool
is_outside(const struct request *request, struct cg_slice path)
{
	char room[PATH_MAX];

	if (cg_companion_in_memory(request->job) || path.len >= sizeof(room) ||
	    cg_opt(request->job, CG_SOURCES_OPTION))
		return false;
	*stpncpy(room, path.ptr, path.len) = '\0';
	return access(room, F_OK) == 0;
}

/*
 * Opens the source of request->file, in the directory of --sources. Without
 * the option, tries the working directory and, for a relative path, that of
 * the first input. Also tries prefixes, see open_stripped(). *in stays NULL if
 * it is missing, without a report. False: an error (reported).
 */
static bool
find(struct request *request, const struct cg_graph *graph, struct cg_in **in)
{
	struct cg_job *job = request->job;
	struct cg_slice path = cg_file_path(graph, request->file);
	struct cg_slice given = cg_file_given(graph, request->file);
	struct cg_slice directory = { "", 0 };
	const char *sources = cg_opt(job, CG_SOURCES_OPTION);
	bool absolute, resolved = given.len > 0, ok = true;

	if (!resolved)
		given = path;
	absolute = cg_starts(given, "/");
	if (sources) {
		directory = cg_slice(sources);
		if (!absolute)
			ok = open_at(request, directory, given, in);
		if (!*in && ok)
			ok = open_at(request, directory, path, in);
		return *in || !ok || open_stripped(request, sources, path, in);
	}
	ok = open_in_cwd(request, path, resolved, in);
	if (!*in && ok)
		ok = open_stripped(request, NULL, path, in);
	if (*in || !ok || job->sources == 0 || absolute)
		return ok;
	directory = cg_slice(job->source[0].path);
	directory.len -= cg_base_name(directory).len;
	return open_at(request, directory, given, in);
}

bool
cg_open_source(struct cg_job *job, const struct cg_graph *graph, cg_file file,
    bool optional, struct cg_in **in)
{
	struct request request = { job, file, optional, false };
	struct cg_slice path = cg_file_path(graph, file);

	*in = NULL;
	if (cg_opt_flag(job, "no-sources"))
		return true;
	if (!find(&request, graph, in))
		return false;
	if (!*in && !optional && !request.skipped)
		cg_warn(job,
		    is_outside(&request, path)
			? "source %.*s is outside of the working directory: "
			  "name its directory with {sources}"
			: "source %.*s not found: name its directory with "
			  "{sources}, or map its path with {map}",
		    (int)path.len, path.ptr);
	return true;
}
