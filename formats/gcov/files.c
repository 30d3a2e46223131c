/*
 * path.c - where notes and data are.
 */
#include <string.h>

#include "gcov.h"

bool
gcov_keep_name(struct gcov_unit *unit, struct cg_slice name)
{
	if (!gcov_grow(unit, &unit->name, &unit->name_cap, name.len + 1, 1))
		return false;
	memcpy(unit->name, name.ptr, name.len);
	unit->name[name.len] = '\0';
	return true;
}

/* The path with its suffix exchanged, after folder if there is one. */
static const char *
swap_suffix(struct gcov_unit *unit, const char *folder, const char *path,
    const char *old, const char *new)
{
	size_t n = strlen(path), len = strlen(folder);

	if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
		n -= 3;
	if (n > strlen(old) &&
	    memcmp(path + n - strlen(old), old, strlen(old)) == 0)
		n -= strlen(old);
	if (!gcov_grow(unit, &unit->path, &unit->path_cap,
		len + n + strlen(new) + 2, 1))
		return NULL;
	memcpy(unit->path, folder, len);
	if (len > 0)
		unit->path[len++] = '/';
	memcpy(unit->path + len, path, n);
	memcpy(unit->path + len + n, new, strlen(new) + 1);
	return unit->path;
}

const char *
gcov_swap(
    struct gcov_unit *unit, const char *path, const char *old, const char *new)
{
	return swap_suffix(unit, "", path, old, new);
}

const char *
gcov_data_path(struct gcov_unit *unit, const char *notes)
{
	return swap_suffix(unit, "", notes, ".gcno", ".gcda");
}

const char *
gcov_ci_path(struct gcov_unit *unit, const char *notes)
{
	return swap_suffix(unit, "", notes, ".gcno", ".ci");
}

bool
gcov_keep_folder(struct gcov_unit *unit, const char *stream)
{
	const char *slash = strrchr(stream, '/');
	size_t n = slash ? (size_t)(slash - stream) + 1 : 2;

	if (!gcov_grow(unit, &unit->folder, &unit->folder_cap, n + 1, 1))
		return false;
	memcpy(unit->folder, slash ? stream : "./", n);
	unit->folder[n == 1 ? 1 : n - 1] = '\0'; /* of "/x" it is "/" */
	return true;
}

/* Behind the first folder of a path; NULL: there is none. */
static const char *
skip_folder(const char *path)
{
	path = strchr(path, '/');
	while (path && *path == '/')
		path++;
	return path;
}

/*
 * Where the notes of data may be: in the object directory, under as much of
 * the data's path as is there (data may come from another machine), then
 * beside the data, then beside the stream that it is in. NULL: nowhere else.
 */
const char *
gcov_notes_path(struct gcov_unit *unit, const char *data, size_t i)
{
	const char *folder = cg_opt(unit->job, "object-directory");
	const char *rest = data, *slash;

	while (*rest == '/')
		rest++;
	for (; folder && rest; rest = skip_folder(rest), i--) {
		if (i == 0)
			return swap_suffix(
			    unit, folder, rest, ".gcda", ".gcno");
	}
	if (i == 0)
		return swap_suffix(unit, "", data, ".gcda", ".gcno");
	if (i > 1 || !unit->in_stream)
		return NULL;
	slash = strrchr(data, '/');
	return swap_suffix(
	    unit, unit->folder, slash ? slash + 1 : data, ".gcda", ".gcno");
}
