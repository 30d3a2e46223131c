/*
 * files.c - paths of notes and data, and the directory of sources.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calls.h"
#include "gcov.h"

/* ---- Notes and data ----------------------------------------------------- */

bool
gcov_set_name(struct gcov_unit *unit, struct cg_slice name)
{
	if (!gcov_grow(unit, &unit->name, &unit->name_cap, name.len + 1, 1))
		return false;
	memcpy(unit->name, name.ptr, name.len);
	unit->name[name.len] = '\0';
	return true;
}

/*
 * Returns directory/path, or just path if directory is "", with the suffix
 * "new". First drops ".gz" and then "old" from the end, if path has them. The
 * text is in unit->path, and valid until that changes. NULL: out of memory.
 */
static const char *
swap_suffix(struct gcov_unit *unit, const char *directory, const char *path,
    const char *old, const char *new)
{
	size_t n = strlen(path), len = strlen(directory);

	if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
		n -= 3;
	if (n > strlen(old) &&
	    memcmp(path + n - strlen(old), old, strlen(old)) == 0)
		n -= strlen(old);
	if (!gcov_grow(unit, &unit->path, &unit->path_cap,
		len + n + strlen(new) + 2, 1))
		return NULL;
	memcpy(unit->path, directory, len);
	if (len > 0)
		unit->path[len++] = '/';
	memcpy(unit->path + len, path, n);
	memcpy(unit->path + len + n, new, strlen(new) + 1);
	return unit->path;
}

const char *
gcov_swap_suffix(
    struct gcov_unit *unit, const char *path, const char *old, const char *new)
{
	return swap_suffix(unit, "", path, old, new);
}

bool
gcov_set_stream_directory(struct gcov_unit *unit, const char *stream)
{
	const char *slash = strrchr(stream, '/');
	size_t n = slash ? (size_t)(slash - stream) + 1 : 2;

	if (!gcov_grow(unit, &unit->stream_directory,
		&unit->stream_directory_cap, n + 1, 1))
		return false;
	memcpy(unit->stream_directory, slash ? stream : "./", n);
	unit->stream_directory[n == 1 ? 1 : n - 1] = '\0'; /* "/" of "/x" */
	return true;
}

/*
 * Returns the path without its first directory; NULL: the path has no
 * directory.
 */
static const char *
skip_directory(const char *path)
{
	path = strchr(path, '/');
	while (path && *path == '/')
		path++;
	return path;
}

/*
 * Opens the notes (.gcno) of the data in --object-directory. Tries the data's
 * path without 0, 1, ... leading directories, as the data may come from
 * another machine. *in must be NULL before, and stays so if not found or
 * without the option. False: an error, or out of memory.
 */
static bool
open_below(struct gcov_unit *unit, const char *data, struct cg_in **in)
{
	const char *directory = cg_opt(unit->job, "object-directory");
	const char *path;

	while (*data == '/')
		data++;
	for (; directory && data && !*in; data = skip_directory(data)) {
		path = swap_suffix(unit, "", data, ".gcda", ".gcno");
		if (!path ||
		    !cg_open_companion_below(unit->job, directory, path, in))
			return false;
	}
	return true;
}

static bool
open_notes(struct gcov_unit *unit, const char *directory, const char *data,
    struct cg_in **in)
{
	const char *path = swap_suffix(unit, directory, data, ".gcda", ".gcno");

	return path && cg_open_companion(unit->job, path, in);
}

bool
gcov_open_notes(struct gcov_unit *unit, const char *data, struct cg_in **in)
{
	const char *slash = strrchr(data, '/');
	bool ok;

	*in = NULL;
	ok = open_below(unit, data, in);
	if (ok && !*in)
		ok = open_notes(unit, "", data, in);
	if (ok && !*in && unit->in_stream)
		ok = open_notes(
		    unit, unit->stream_directory, slash ? slash + 1 : data, in);
	return ok;
}

/* ---- Sources ------------------------------------------------------------ */

bool
gcov_ends_with(struct cg_slice text, struct cg_slice end)
{
	return end.len <= text.len &&
	       memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/*
 * Returns the directory of the path, without a '/' at its end, except "/"
 * itself. Returns "" if the path has no directory.
 */
static struct cg_slice
directory_of(struct cg_slice path)
{
	path.len -= cg_base_name(path).len;
	path.len -= path.len > 1;
	return path;
}

static struct cg_slice
without_suffix(struct cg_slice base)
{
	size_t len = base.len;

	while (len > 0 && base.ptr[len - 1] != '.')
		len--;
	return (struct cg_slice){ base.ptr, len > 1 ? len - 1 : base.len };
}

/*
 * Sets *name to the main source of the unit (object file), as its notes' name
 * tells: a.gcno, a.c.gcno or prog-a.gcno for a.c. False: none of the unit's
 * files fits (*name is undefined).
 */
static bool
find_source(
    const struct gcov_unit *unit, struct cg_slice notes, struct cg_slice *name)
{
	struct cg_slice stem = without_suffix(cg_base_name(notes)), base;

	for (size_t i = 0; i < unit->files; i++) {
		*name = unit->file[i].name;
		base = cg_base_name(*name);
		if (base.len > 0 &&
		    (gcov_ends_with(stem, base) ||
			gcov_ends_with(stem, without_suffix(base))))
			return true;
	}
	return false;
}

/*
 * Returns the directory that relative names of sources refer to. It is that of
 * the notes (.gcno), without the end that the source's path repeats: "top" for
 * top/src and src/a.c.
 */
static struct cg_slice
without_source_directory(struct cg_slice notes, struct cg_slice source)
{
	struct cg_slice directory = directory_of(notes), own;

	while (cg_take_prefix(&source, "./"))
		continue;
	own = directory_of(source);
	while (own.len > 0 &&
	       !(gcov_ends_with(directory, own) &&
		   (own.len == directory.len ||
		       directory.ptr[directory.len - own.len - 1] == '/')))
		own = directory_of(own);
	directory.len -= own.len;
	directory.len -= own.len > 0 && directory.len > 1;
	return directory;
}

/*
 * True if directory/name exists. Leaves this path in unit->path, also if it
 * does not. False also if out of memory (unit->nomem).
 */
static bool
is_there(
    struct gcov_unit *unit, struct cg_slice directory, struct cg_slice name)
{
	char *end;

	if (!gcov_grow(unit, &unit->path, &unit->path_cap,
		directory.len + name.len + CG_JOIN_MORE + 1, 1))
		return false;
	end = cg_join_path(unit->path, directory, name);
	*end = '\0';
	return cg_companion_exists(unit->job, unit->path);
}

/*
 * Searches *directory, then its parents, for the named file. Sets *directory
 * to the first one that contains it. False: none does, or out of memory
 * (unit->nomem). *directory is then the last one that was searched.
 */
static bool
search_upwards(
    struct gcov_unit *unit, struct cg_slice *directory, struct cg_slice name)
{
	size_t len;

	do {
		if (is_there(unit, *directory, name))
			return true;
		len = directory->len;
		*directory = directory_of(*directory);
	} while (directory->len < len);
	return false;
}

/*
 * Sets *directory to the one that the compiler ran in. It is the nearest one,
 * from the notes (.gcno) upwards, that contains the file "name". False: not
 * found, or out of memory (unit->nomem); *directory is undefined.
 */
static bool
search_directory(struct gcov_unit *unit, struct cg_build *build,
    const char *notes, struct cg_slice name, struct cg_slice *directory)
{
	char path[PATH_MAX];

	*directory = directory_of(cg_slice(notes));
	if (search_upwards(unit, directory, name))
		return true;
	if (*notes == '/' || !getcwd(path, sizeof(path)))
		return false;
	*directory = directory_of(cg_slice(path));
	if (!search_upwards(unit, directory, name))
		return false;
	*directory = cg_get_name(build, cg_add_name(build, *directory));
	return true;
}

/*
 * Warns if notes (.gcno) of another directory have a source of the same name:
 * the two would become one file. Copies of the same notes are not reported.
 * Stores each new name. False: out of memory.
 */
static bool
check_source(struct gcov_unit *unit, struct cg_build *build,
    struct cg_slice name, struct cg_slice directory)
{
	struct gcov_program *program = unit->program;
	const struct gcov_source new = {
		.directory = cg_add_name(build, directory),
		.hash =
		    gcov_hash(0, (struct cg_slice){ unit->notes,
				     (size_t)(unit->notes_end - unit->notes) }),
	};
	uint32_t *slot = cg_map_at(&program->sources, cg_add_name(build, name));
	const struct gcov_source *old;
	struct cg_slice other;

	if (!slot || !gcov_grow(unit, &program->source, &program->source_cap,
			 program->source_count + 1, sizeof(*program->source)))
		return false;
	if (*slot == 0) {
		program->source[program->source_count++] = new;
		*slot = (uint32_t)program->source_count;
		return true;
	}
	old = &program->source[*slot - 1];
	if (old->directory == new.directory || old->hash == new.hash)
		return true;
	other = cg_get_name(build, old->directory);
	cg_warn(unit->job,
	    "%.*s is taken for the file of that name in %.*s: notes of clang, "
	    "and of gcc before 9, do not contain the compiler's directory; "
	    "{relative-to-notes} keeps such files apart",
	    name.len > 99 ? 99 : (int)name.len, name.ptr,
	    other.len > 99 ? 99 : (int)other.len,
	    other.len > 0 ? other.ptr : ".");
	return true;
}

/*
 * Sets *name to the source file by which the compiler's directory is found. It
 * is the unit's main source if that is relative, else the first relative one.
 * Names such as "<built-in>" do not count there. False: none (*name is "").
 */
static bool
find_relative(
    const struct gcov_unit *unit, const char *notes, struct cg_slice *name)
{
	if (find_source(unit, cg_slice(notes), name) && *name->ptr != '/')
		return true;
	for (size_t i = 0; i < unit->files; i++) {
		*name = unit->file[i].name;
		if (name->len > 0 && *name->ptr != '/' && *name->ptr != '<')
			return true;
	}
	*name = (struct cg_slice){ "", 0 };
	return false;
}

/*
 * Sets *directory to the directory of the unit's relative names of sources. It
 * is the compiler's, if the notes (.gcno) state it. Else it is "" without such
 * names, or if the directory is unknown (a warning). False: out of memory.
 *
 * Notes of gcc 9 and later state the directory that the compiler ran in. Older
 * ones and clang's do not, or state "." (clang 21). gcov uses their names as
 * they are. Here the directory is searched: the nearest one with the source,
 * from the notes upwards. With --relative-to-notes it is that of the notes, as
 * in lcov, less the end that the source's name repeats.
 */
bool
gcov_find_directory(struct gcov_unit *unit, struct cg_build *build,
    const char *notes, struct cg_slice *directory)
{
	struct cg_slice source;

	*directory = unit->head.cwd;
	if (directory->len > 0 && !cg_equal(*directory, "."))
		return true;
	*directory = (struct cg_slice){ "", 0 };
	if (!find_relative(unit, notes, &source))
		return true;
	if (cg_opt_flag(unit->job, "relative-to-notes")) {
		*directory = without_source_directory(cg_slice(notes), source);
		return true;
	}
	if (search_directory(unit, build, notes, source, directory))
		return true;
	*directory = (struct cg_slice){ "", 0 };
	if (unit->nomem)
		return false;
	cg_warn(unit->job,
	    "%.*s is in no directory from that of the notes upwards: its name "
	    "stays relative; see {relative-to-notes}",
	    source.len > 99 ? 99 : (int)source.len, source.ptr);
	return check_source(unit, build, source, directory_of(cg_slice(notes)));
}

/* ---- Checks of the build ------------------------------------------------ */

static bool
has_text(struct cg_slice text, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= text.len; i++) {
		if (memcmp(text.ptr + i, part, len) == 0)
			return true;
	}
	return false;
}

/*
 * True if the source belongs to a test program that configure, CMake or meson
 * compile only to examine the system. The notes (.gcno) of such programs
 * remain next to those of the project.
 */
static bool
is_check(struct cg_slice source)
{
	static const char *const directories[] = { "CMakeFiles/CMakeTmp/",
		"CMakeFiles/CMakeScratch/", "/CompilerId", "meson-private/" };

	if (cg_starts(cg_base_name(source), "conftest."))
		return true;
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories);
	     i++) {
		if (has_text(source, directories[i]))
			return true;
	}
	return false;
}

/*
 * True if directory/source is an absolute path, and the file does not exist,
 * but its directory does. Then the source was deleted after compiling. False
 * also if out of memory, or if files are only in memory.
 */
static bool
was_removed(
    struct gcov_unit *unit, struct cg_slice directory, struct cg_slice source)
{
	struct stat info;
	bool there = is_there(unit, directory, source);
	char *slash;

	if (there || unit->nomem || *unit->path != '/' ||
	    cg_companion_in_memory(unit->job))
		return false;
	slash = strrchr(unit->path, '/');
	slash[slash == unit->path] = '\0';
	return stat(unit->path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool
gcov_is_check(
    struct gcov_unit *unit, const char *notes, struct cg_slice *source)
{
	char path[PATH_MAX];
	char *end;

	if (unit->has_data || !find_source(unit, cg_slice(notes), source) ||
	    unit->head.cwd.len + source->len + CG_JOIN_MORE >= sizeof(path))
		return false;
	end = cg_join_path(path, unit->head.cwd, *source);
	return is_check((struct cg_slice){ path, (size_t)(end - path) }) ||
	       was_removed(unit, unit->head.cwd, *source);
}

/* ---- Times -------------------------------------------------------------- */

#define NEWER UINT32_MAX

/*
 * Returns the time when the file was modified, in seconds since 1970, plus 1.
 * The result is less than NEWER. 0: the file does not exist, or is older than
 * 1970.
 */
static uint32_t
time_of(const char *path)
{
	struct stat info;

	if (stat(path, &info) != 0 || info.st_mtime < 0)
		return 0;
	return info.st_mtime < NEWER - 1 ? (uint32_t)info.st_mtime + 1
					 : NEWER - 1;
}

/*
 * Counts in program->newer the unit's sources that are newer than its notes
 * (.gcno), each source once. Keeps the first name for a warning. Compares
 * seconds, as gcov does. Ignores notes in memory. False: out of memory.
 */
bool
gcov_compare_times(
    struct gcov_unit *unit, struct cg_slice directory, const char *notes)
{
	struct gcov_program *program = unit->program;
	uint32_t made = cg_companion_in_memory(unit->job) ? 0 : time_of(notes);

	for (size_t i = 0; made > 0 && i < unit->files; i++) {
		struct cg_slice name = unit->file[i].name;
		uint32_t *time = cg_map_at(&program->times, unit->file[i].id);

		if (!time)
			return false;
		if (*time == 0)
			*time = is_there(unit, directory, name)
				    ? time_of(unit->path)
				    : 1;
		if (unit->nomem)
			return false;
		if (*time <= made || *time == NEWER)
			continue;
		*time = NEWER;
		if (program->newer++ == 0)
			(void)snprintf(program->first_newer, PATH_SHOWN, "%.*s",
			    (int)name.len, name.ptr);
	}
	return true;
}
