/*
 * windows.c - names of source files in documents written on Windows: by
 * coverlet, OpenCppCoverage, coverage.py and others.
 *
 * Roots are "C:\", "C:" or directories, with or without a separator at the
 * end. A name is relative to the root, or to the root's drive if it begins
 * with a separator, or absolute and then on any drive. Paths get '/' here, so
 * that every target recognises their directories.
 */
#include <ctype.h>
#include <string.h>

#include "cobertura.h"

#define DRIVE ((size_t)2) /* letters of "C:" */

static bool
has_drive(struct cg_slice path)
{
	return path.len >= DRIVE && isalpha((unsigned char)path.ptr[0]) &&
	       path.ptr[1] == ':' &&
	       (path.len == DRIVE || path.ptr[2] == '\\' || path.ptr[2] == '/');
}

bool
cobertura_is_windows(struct cg_slice path)
{
	return cg_starts(path, "\\\\") || has_drive(path);
}

static struct cg_slice
put_path(char *to, struct cg_slice path)
{
	for (size_t i = 0; i < path.len; i++)
		to[i] = path.ptr[i] == '\\' ? '/' : path.ptr[i];
	return (struct cg_slice){ to, path.len };
}

cg_file
cobertura_windows_file(struct cg_job *job, struct cg_build *build,
    const char *root, struct cg_slice name)
{
	struct cg_slice directory = cg_slice(root ? root : "");
	bool absolute = cobertura_is_windows(name);
	CG_ARRAY(char) room = { 0 };
	cg_file file;

	if (!cg_reserve(job, &room, directory.len + name.len + 1))
		return 0;
	directory = put_path(room.at, directory);
	name = put_path(room.at + directory.len, name);
	if (cg_starts(name, "/") && has_drive(directory)) {
		/* Moves the drive of the root to before the name. */
		memmove(room.at + directory.len - DRIVE, room.at, DRIVE);
		name.ptr -= DRIVE;
		name.len += DRIVE;
		absolute = true;
	}
	file = absolute || !root ? cg_add_file(build, name)
				 : cg_add_file_in(build, directory, name);
	cg_drop(job, &room);
	return file;
}
