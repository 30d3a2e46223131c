/*
 * paths.c - source files as compilers name them: relative to the folder that
 * they ran in.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* Takes the last part off what is written; false if there is none to take. */
static bool
take_back(const char *start, char **to)
{
	char *at = *to;

	while (at > start && at[-1] != '/')
		at--;
	if (at == *to || (*to - at == 2 && memcmp(at, "..", 2) == 0))
		return false;
	*to = at > start + 1 ? at - 1 : at;
	return true;
}

/* Appends the parts of path that mean something. */
static char *
put_parts(const char *start, char *to, struct cg_slice path)
{
	struct cg_slice part;

	while (path.len > 0) {
		(void)cg_take_until(&path, '/', &part);
		if (part.len == 0 || cg_equal(part, "."))
			continue;
		if (cg_equal(part, "..") &&
		    (take_back(start, &to) || *start == '/'))
			continue;
		if (to > start && to[-1] != '/')
			*to++ = '/';
		memcpy(to, part.ptr, part.len);
		to += part.len;
	}
	return to;
}

char *
cg_join_path(char *to, struct cg_slice folder, struct cg_slice name)
{
	char *start = to;

	*start = '\0';
	if (cg_starts(name, "/"))
		folder.len = 0;
	if (cg_starts(folder.len > 0 ? folder : name, "/"))
		*to++ = '/';
	to = put_parts(start, put_parts(start, to, folder), name);
	if (to == start)
		*to++ = '.';
	return to;
}

cg_file
cg_add_file_in(
    struct cg_build *build, struct cg_slice folder, struct cg_slice name)
{
	struct cg_slice path;
	cg_file file;
	char *room;

	if (name.len == 0)
		return 0;
	room = malloc(folder.len + name.len + CG_JOIN_MORE);
	if (!room) {
		cg_build_nomem(build);
		return 0;
	}
	path.ptr = room;
	path.len = (size_t)(cg_join_path(room, folder, name) - room);
	file = cg_add_file(build, path);
	if (cg_compare(path, name) != 0)
		cg_set_file_given(build, file, name);
	free(room);
	return file;
}
