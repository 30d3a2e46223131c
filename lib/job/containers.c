/*
 * containers.c - files below a directory that an option names, or in an
 * archive given for it.
 *
 * Members of an archive can only be read in order. So the first look-up reads
 * the archive and keeps all members with the suffix of the wanted file: the
 * notes, for example, but not the objects.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "job/job.h"

#define PIECE 65536 /* minimum size of a read */

struct member {
	const char *path; /* below the directory */
	char *bytes;
	size_t size;
};

struct cg_container {
	const char *directory, *suffix;
	bool is_archive;
	struct member *member; /* sorted by path */
	size_t members, cap;
};

void
cg_job_free_containers(struct cg_job *job)
{
	for (size_t i = 0; i < job->containers; i++) {
		struct cg_container *container = &job->container[i];

		for (size_t m = 0; m < container->members; m++)
			free(container->member[m].bytes);
		free(container->member);
	}
	free(job->container);
}

/* ---- Archives ----------------------------------------------------------- */

static int
compare_members(const void *pa, const void *pb)
{
	const struct member *a = pa, *b = pb;

	return strcmp(a->path, b->path);
}

/*
 * Returns the suffix of a path, from the last dot on, such as ".gcno"; "" if
 * it has none.
 */
static const char *
suffix_of(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strchr(dot, '/') ? dot : "";
}

/*
 * Reads the contents of the archive's current member into member->bytes and
 * member->size. Returns the status; errors are reported.
 */
static int
read_member(
    struct cg_job *job, struct cg_archive *archive, struct member *member)
{
	size_t cap = 0;
	ptrdiff_t got;

	do {
		if (!cg_grow_raw(&member->bytes, &cap, member->size + PIECE, 1))
			return cg_nomem(job);
		got = cg_archive_read(
		    archive, member->bytes + member->size, cap - member->size);
		member->size += got > 0 ? (size_t)got : 0;
	} while (got > 0);
	return got == 0 ? CG_OK : CG_EINPUT;
}

/*
 * Reads the archive's current member and appends it to the container as a file
 * with this path. Returns the status; errors are reported. An incomplete
 * member is not appended.
 */
static int
add_member(struct cg_job *owner, struct cg_container *container,
    struct cg_archive *archive, const char *path)
{
	struct member member = { .path = cg_job_keep(owner, path) };
	int status;

	if (!member.path || !cg_grow(&container->member, &container->cap,
				container->members + 1, sizeof(member)))
		return cg_nomem(owner);
	status = read_member(owner, archive, &member);
	if (status == CG_OK)
		container->member[container->members++] = member;
	else
		free(member.bytes);
	return status;
}

/*
 * Returns a member's path relative to a directory of the archive ("" is the
 * whole archive, "sub" comes from "a.zip/sub"), without "/" or "./" at its
 * start. NULL: the member is not below the directory.
 */
static const char *
path_below(const char *member, const char *directory)
{
	size_t len = strlen(directory);

	while (*member == '/' || (member[0] == '.' && member[1] == '/'))
		member += 1 + (*member == '.');
	while (len > 0 && directory[len - 1] == '/')
		len--;
	if (len == 0)
		return member;
	return strncmp(member, directory, len) == 0 && member[len] == '/'
		   ? member + len + 1
		   : NULL;
}

/*
 * Adds the archive's members below the directory with the container's suffix,
 * sorted by path. Stops at one that cannot be read. Returns the status; errors
 * are reported.
 */
static int
read_members(struct cg_job *owner, struct cg_container *container,
    struct cg_archive *archive, const char *directory)
{
	struct cg_member member;
	const char *path;
	int status = CG_OK;

	container->is_archive = true;
	while (status == CG_OK && cg_archive_next(archive, &member)) {
		path = path_below(member.name, directory);
		if (path && member.file &&
		    strcmp(suffix_of(path), container->suffix) == 0)
			status = add_member(owner, container, archive, path);
	}
	if (container->members > 1)
		qsort(container->member, container->members,
		    sizeof(*container->member), compare_members);
	return status != CG_OK ? status : cg_archive_status(archive);
}

/*
 * Returns the length of the longest start of a path that exists, if it is a
 * regular file, such as the archive in "a.zip/sub"; else 0. Writes to path,
 * but restores it.
 */
static size_t
file_part(char *path)
{
	size_t len = strlen(path);
	struct stat info;
	char end;
	int found;

	while (len > 0) {
		end = path[len];
		path[len] = '\0';
		found = stat(path, &info);
		path[len] = end;
		if (found == 0)
			return S_ISREG(info.st_mode) ? len : 0;
		while (len > 0 && path[--len] != '/')
			continue;
	}
	return 0;
}

/*
 * Warns if the path in which files are searched is not a directory: otherwise
 * all its files would merely seem to be missing.
 */
static void
check_directory(struct cg_job *job, const char *directory)
{
	struct stat info;

	if (stat(directory, &info) != 0 || !S_ISDIR(info.st_mode))
		cg_warn(job, "'%s' is neither a directory nor an archive",
		    directory);
}

/*
 * Reads the archive into the container, if the container's directory is an
 * archive or in one ("a.zip/sub"); else only checks that it is a directory.
 * Returns the status.
 */
static int
fill(struct cg_job *job, struct cg_job *owner, struct cg_container *container)
{
	char *path = strdup(container->directory);
	size_t len = path ? file_part(path) : 0;
	struct cg_archive *archive = NULL;
	const char *rest = "";
	int status = path ? CG_OK : cg_nomem(job);

	if (len > 0) {
		rest = path + len + strspn(path + len, "/");
		path[len] = '\0';
		status = cg_archive_open(job, path, &archive);
	}
	if (archive)
		status = read_members(owner, container, archive, rest);
	else if (status == CG_OK)
		check_directory(job, container->directory);
	cg_archive_close(archive);
	free(path);
	return status;
}

/* ---- Look-up ------------------------------------------------------------ */

/*
 * Returns the container for a directory or archive and a suffix, made by the
 * first call. An unreadable archive counts as a skipped input. The job owns
 * the container, which the next new one may move. NULL: out of memory.
 */
static const struct cg_container *
get_container(struct cg_job *job, const char *directory, const char *suffix)
{
	struct cg_job *owner = job->owner ? job->owner : job;
	struct cg_container *container;

	for (size_t i = 0; i < owner->containers; i++) {
		container = &owner->container[i];
		if (strcmp(container->directory, directory) == 0 &&
		    strcmp(container->suffix, suffix) == 0)
			return container;
	}
	if (!cg_grow(&owner->container, &owner->container_cap,
		owner->containers + 1, sizeof(*container)))
		return NULL;
	container = &owner->container[owner->containers];
	*container = (struct cg_container){
		.directory = cg_job_keep(owner, directory),
		.suffix = cg_job_keep(owner, suffix),
	};
	if (!container->directory || !container->suffix)
		return NULL;
	owner->containers++;
	job->errors.skips += fill(job, owner, container) != CG_OK;
	return container;
}

/* True if the path has a component "..", which may lead out of a directory. */
static bool
leads_out(const char *path)
{
	struct cg_slice rest = cg_slice(path), part;

	while (cg_take_until(&rest, '/', &part)) {
		if (cg_equal(part, ".."))
			return true;
	}
	return false;
}

static bool
open_member(struct cg_job *job, const struct cg_container *container,
    const char *path, const char *name, struct cg_in **in)
{
	const struct member wanted = { .path = path }, *found = NULL;
	int status = CG_OK;

	if (container->members > 0)
		found = bsearch(&wanted, container->member, container->members,
		    sizeof(wanted), compare_members);
	if (!found) {
		*in = NULL;
		return true;
	}
	*in = cg_in_memory(&job->errors.diag, name,
	    (struct cg_slice){ found->bytes, found->size }, &status);
	return cg_job_opened(job, in, status);
}

bool
cg_open_companion_below(struct cg_job *job, const char *directory,
    const char *path, struct cg_in **in)
{
	const struct cg_container *container =
	    get_container(job, directory, suffix_of(path));
	char *name =
	    malloc(strlen(directory) + strlen(path) + CG_JOIN_MORE + 1);
	bool ok = container && name;

	*in = NULL;
	if (!ok)
		job->errors.fault = cg_nomem(job);
	else
		*cg_join_path(name, cg_slice(directory), cg_slice(path)) = '\0';
	if (ok && container->is_archive)
		ok = open_member(job, container, path, name, in);
	else if (ok && !(cg_companion_in_memory(job) && leads_out(path)))
		ok = cg_job_open_file(job, name, in);
	free(name);
	return ok;
}
