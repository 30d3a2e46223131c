/*
 * patch_files.c - matches files of the graph with files of the patch.
 *
 * A file of the graph matches the file of the patch whose name is the end of
 * its path. If there is none, a relative path in the graph matches if it is
 * the end of exactly one name in the patch. If several absolute paths end with
 * the name, the one in the working directory matches, else the shortest:
 * /p/src/a.c, and not /p/old/src/a.c, for src/a.c. It is an error if there are
 * two shortest ones, or if a path of the graph is the end of several names. It
 * is also an error if no file of the patch is found: a limit of coverage would
 * otherwise be met because nothing was counted.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cgconv_parse.h"
#include "coverage/patch.h"

#define NAME_DEPTH 64 /* components of a path that are compared */
#define SHARED UINT32_MAX

/* ---- Names --------------------------------------------------------------- */

bool
cg_patch_next_end(struct cg_slice *path, int *depth)
{
	struct cg_slice first;

	if ((*depth)++ == 0)
		return path->len > 0;
	return *depth <= NAME_DEPTH && cg_take_until(path, '/', &first) &&
	       path->len > 0;
}

/*
 * Maps a file name of the patch, and each end of it that begins after a slash,
 * to value (index + 1 of the file) in patch->by_end; an end of several names
 * becomes SHARED. False: out of memory.
 */
static bool
add_ends(struct cg_patch *patch, struct cg_slice name, uint32_t value)
{
	int depth = 0;

	while (cg_patch_next_end(&name, &depth)) {
		cg_str end = cg_strs_add(&patch->names, name);
		uint32_t *at =
		    end == CG_STR_NONE ? NULL : cg_map_at(&patch->by_end, end);

		if (!at)
			return false;
		*at = *at == 0 || *at == value ? value : SHARED;
	}
	return true;
}

struct cg_patch_file *
cg_patch_add_file(struct cg_patch *patch, struct cg_slice name)
{
	cg_str id = cg_strs_add(&patch->names, name);
	uint32_t *at =
	    id == CG_STR_NONE ? NULL : cg_map_at(&patch->by_name, id);

	if (!at)
		return NULL;
	if (*at > 0)
		return &patch->file[*at - 1];
	if (!cg_grow(&patch->file, &patch->file_cap, patch->files + 1,
		sizeof(*patch->file)))
		return NULL;
	*at = (uint32_t)++patch->files;
	patch->file[*at - 1].name = id;
	return add_ends(patch, name, *at) ? &patch->file[*at - 1] : NULL;
}

/* ---- Files of the graph -------------------------------------------------- */

static int
compare_changes(const void *pa, const void *pb)
{
	const struct cg_patch_lines *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

void
cg_patch_sort(struct cg_patch *patch)
{
	size_t at = 0;

	if (patch->changes > 1)
		qsort(patch->changed, patch->changes, sizeof(*patch->changed),
		    compare_changes);
	for (size_t i = 0; i < patch->files; i++) {
		patch->file[i].begin = at;
		while (at < patch->changes && patch->changed[at].file == i + 1)
			at++;
		patch->file[i].end = at;
	}
}

/*
 * Returns the index + 1 of the patch's file that a path of the graph means.
 * This is the longest name that the path ends with. Otherwise a relative path
 * may be the end of one name. 0: none; SHARED: of several.
 */
static uint32_t
find_match(const struct cg_patch *patch, struct cg_slice path)
{
	struct cg_slice end = path;
	uint32_t file;
	cg_str id;
	int depth = 0;

	while (cg_patch_next_end(&end, &depth)) {
		id = cg_strs_find(&patch->names, end);
		file = id == 0 ? 0 : cg_map_get(&patch->by_name, id);
		if (file > 0)
			return file;
	}
	id = cg_starts(path, "/") ? 0 : cg_strs_find(&patch->names, path);
	return id == 0 ? 0 : cg_map_get(&patch->by_end, id);
}

/*
 * True if path is the absolute path of the file of that name in the working
 * directory.
 */
static bool
is_here(
    const struct cg_patch *patch, struct cg_slice path, struct cg_slice name)
{
	struct cg_slice cwd = cg_slice(patch->cwd);

	return path.len == cwd.len + 1 + name.len &&
	       cg_take_prefix(&path, patch->cwd) && cg_take_char(&path, '/') &&
	       cg_compare(path, name) == 0;
}

static void
note_match(struct cg_patch *patch, struct cg_patch_file *file, cg_file id)
{
	struct cg_slice path = cg_file_path(patch->how->graph, id);
	bool absolute = cg_starts(path, "/");
	bool here =
	    is_here(patch, path, cg_strs_get(&patch->names, file->name));

	if (file->best[absolute].here && !here)
		return;
	if (file->best[absolute].len == 0 || here ||
	    path.len < file->best[absolute].len) {
		file->best[absolute].len = path.len;
		file->best[absolute].count = 0;
		file->best[absolute].here = here;
		file->best[absolute].file = id;
	}
	file->best[absolute].count += path.len == file->best[absolute].len;
	if (path.len == file->best[absolute].len)
		file->best[absolute].other = id;
}

/*
 * True if path, which must match the file of the patch, is its single best
 * match. Only relative paths, or only absolute ones, are compared. The best is
 * one in the working directory, else the shortest.
 */
static bool
is_best(const struct cg_patch *patch, const struct cg_patch_file *file,
    struct cg_slice path)
{
	bool absolute = cg_starts(path, "/");

	return path.len == file->best[absolute].len &&
	       file->best[absolute].count == 1 &&
	       (!file->best[absolute].here ||
		   is_here(
		       patch, path, cg_strs_get(&patch->names, file->name)));
}

/*
 * Records in patch->shared a path of the graph that is the end of several
 * names of the patch, so that it may mean each of them. False: out of memory.
 */
static bool
note_shared(struct cg_patch *patch, cg_file id)
{
	struct cg_slice path = cg_file_path(patch->how->graph, id);
	uint32_t *at =
	    cg_map_at(&patch->shared, cg_strs_find(&patch->names, path));

	if (at)
		*at = id;
	return at != NULL;
}

bool
cg_patch_match(struct cg_patch *patch)
{
	const struct cg_graph *graph = patch->how->graph;
	size_t files = cg_file_count(graph) + 1;

	if (!getcwd(patch->cwd, sizeof(patch->cwd)))
		patch->cwd[0] = '\0';
	free(patch->match);
	patch->match = calloc(files, sizeof(*patch->match));
	if (!patch->match)
		return false;
	for (size_t i = 0; i < patch->files; i++)
		memset(patch->file[i].best, 0, sizeof(patch->file[i].best));
	for (cg_file i = 1; i < files; i++) {
		uint32_t match = find_match(patch, cg_file_path(graph, i));

		if (match == SHARED && !note_shared(patch, i))
			return false;
		if (match == SHARED || match == 0)
			continue;
		patch->match[i] = match;
		note_match(patch, &patch->file[match - 1], i);
	}
	for (cg_file i = 1; i < files; i++) {
		if (patch->match[i] > 0 &&
		    !is_best(patch, &patch->file[patch->match[i] - 1],
			cg_file_path(graph, i)))
			patch->match[i] = 0;
	}
	return true;
}
