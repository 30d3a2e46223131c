/*
 * directory.c - the folder that relative names of sources are in.
 *
 * Notes of gcc 9 and later say where the compiler ran. Those of older ones and
 * of clang do not (since clang 21 they say "."): gcov has such names as they
 * are, and two files of one name are one. So they are here, but that is said.
 * On demand they are taken from the folder of the notes, as lcov does it, less
 * what a unit's source has of it in its own name: with src/a.c in
 * top/src/a.gcno the compiler ran in top.
 */
#include <string.h>

#include "gcov.h"

static bool
ends_with(struct cg_slice text, struct cg_slice end)
{
	return end.len <= text.len &&
	       memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

/* Up to the last slash; without one there is none. */
static struct cg_slice
folder_of(struct cg_slice path)
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
 * The source that the unit is made of, if its name is relative: notes of a.c
 * are a.gcno, a.c.gcno or prog-a.gcno.
 */
static bool
find_source(
    const struct gcov_unit *unit, struct cg_slice notes, struct cg_slice *name)
{
	struct cg_slice stem = without_suffix(cg_base_name(notes)), base;

	for (size_t i = 0; i < unit->files; i++) {
		*name = unit->file[i].name;
		base = cg_base_name(*name);
		if (base.len > 0 && name->ptr[0] != '/' &&
		    (ends_with(stem, base) ||
			ends_with(stem, without_suffix(base))))
			return true;
	}
	return false;
}

/* The folder of the notes, less that of the source if it ends with that. */
static struct cg_slice
find_folder(struct cg_slice notes, struct cg_slice source)
{
	struct cg_slice folder = folder_of(notes), own = folder_of(source);

	if (own.len == 0 || !ends_with(folder, own))
		return folder;
	if (own.len < folder.len && folder.ptr[folder.len - own.len - 1] != '/')
		return folder;
	folder.len -= own.len;
	folder.len -= folder.len > 1;
	return folder;
}

/* The same notes, byte by byte, are copies: of the same sources. */
static bool
check_source(struct gcov_unit *unit, struct cg_build *build,
    struct cg_slice source, struct cg_slice folder)
{
	uint64_t hash =
	    gcov_hash(0, (struct cg_slice){ unit->notes,
			     (size_t)(unit->notes_end - unit->notes) });
	struct gcov_fns *all = unit->all;
	cg_name in = cg_add_name(build, folder);
	uint32_t *slot = cg_map_at(&all->sources, cg_add_name(build, source));

	if (!slot || !gcov_grow(unit, &all->place, &all->place_cap,
			 all->places + 1, sizeof(*all->place)))
		return false;
	if (*slot == 0) {
		all->place[all->places++] =
		    (struct gcov_source_place){ in, hash };
		*slot = (uint32_t)all->places;
	} else if (all->place[*slot - 1].folder != in &&
		   all->place[*slot - 1].hash != hash) {
		struct cg_slice other =
		    cg_get_name(build, all->place[*slot - 1].folder);

		cg_warn(unit->job,
		    "%.*s is taken for the file of the unit in %.*s: notes of "
		    "clang and of gcc before 9 do not say which folder names "
		    "are in (see --relative-to-notes)",
		    source.len > 99 ? 99 : (int)source.len, source.ptr,
		    other.len > 99 ? 99 : (int)other.len,
		    other.len > 0 ? other.ptr : ".");
	}
	return true;
}

bool
gcov_find_folder(struct gcov_unit *unit, struct cg_build *build,
    const char *notes, struct cg_slice *folder)
{
	struct cg_slice source = { "", 0 };
	bool found;

	*folder = unit->head.cwd;
	if (folder->len > 0 && !cg_equal(*folder, "."))
		return true;
	*folder = (struct cg_slice){ "", 0 };
	found = find_source(unit, cg_slice(notes), &source);
	if (cg_opt_flag(unit->job, "relative-to-notes")) {
		*folder =
		    find_folder(cg_slice(notes), found ? source : *folder);
		return true;
	}
	return !found ||
	       check_source(unit, build, source, folder_of(cg_slice(notes)));
}
