/*
 * prepare.c - reads, solves and counts a unit before it is its turn.
 *
 * A thread reads the notes, and the data next to them, computes all counts and
 * keeps them, with names that it has demangled. Then gcov.c opens the files as
 * ever, and if they are the same it emits what is kept. Whatever is unusual is
 * not prepared: notes elsewhere, archives, compressed files, files that do not
 * match or cannot be read.
 */
#include <stdlib.h>
#include <sys/stat.h>

#include "cgconv_expert.h"
#include "gcov.h"

/* Larger files are read in their turn: several are prepared at a time. */
#define SIZE_MOST ((size_t)8 << 20)
/* So are units of more blocks, arcs and lines: each may need 200 bytes. */
#define ITEMS_MOST 500000u

/* ---- In any thread ------------------------------------------------------- */

static bool
count_all(struct gcov_unit *unit)
{
	gcov_load_counters(unit);
	if ((unit->compat && !gcov_find_shared_lines(unit)) ||
	    !gcov_grow(unit, &unit->kept.solved, &unit->kept.solved_cap,
		unit->blocks + 1, sizeof(*unit->kept.solved)))
		return false;
	for (size_t i = 0; i < unit->fns; i++) {
		struct gcov_fn *fn = &unit->fn[i];

		if (gcov_is_reported(unit, fn) &&
		    (!gcov_count(unit, fn) || !gcov_keep(unit, fn)))
			return false;
	}
	return true;
}

static void
demangle_names(struct gcov_prepared *prepared, struct cg_seen_names *names)
{
	struct gcov_unit *unit = &prepared->unit;

	if (!cg_demangler_begin(&prepared->names))
		return;
	for (size_t i = 0; i < unit->fns; i++) {
		struct gcov_fn *fn = &unit->fn[i];

		if (gcov_is_reported(unit, fn))
			fn->plain =
			    cg_demangle_once(names, prepared->names, fn->name);
	}
}

/* Reads a whole file that is one of the kind, with nothing to tell. */
static bool
read_file(struct gcov_unit *unit, const char *path, gcov_read_fn *read,
    char **text, size_t *cap, size_t *size, struct cg_stamp *stamp)
{
	struct gcov_bytes bytes;

	if (!path ||
	    !cg_read_small_file(path, SIZE_MOST, text, cap, size, stamp))
		return false;
	bytes = gcov_bytes_of((struct cg_slice){ *text, *size });
	return gcov_read_either(unit, &bytes, read);
}

/* Is there data of the notes? They are read with it, or with another input. */
static bool
data_exists(struct gcov_unit *unit, const char *notes)
{
	const char *path = gcov_swap_suffix(unit, notes, ".gcno", ".gcda");
	struct stat info;

	return !path || stat(path, &info) == 0;
}

void
gcov_prepare(const void *arg, const char *path, void *own)
{
	const struct gcov_preparing *preparing = arg;
	struct gcov_prepared *prepared = own;
	struct gcov_unit *unit = &prepared->unit;
	const struct cg_slice name = cg_slice(path);
	const bool data = gcov_ends_with(name, cg_slice(".gcda"));

	unit->prepared = unit->nomem = false;
	if (!data && !gcov_ends_with(name, cg_slice(".gcno")))
		return;
	if (data &&
	    (!read_file(unit, path, gcov_read_data, &prepared->data,
		 &prepared->data_cap, &prepared->data_size, &prepared->stamp) ||
		gcov_is_cut(&unit->data)))
		return;
	if (!data && data_exists(unit, path))
		return;
	if (data)
		path = gcov_swap_suffix(unit, path, ".gcda", ".gcno");
	if (!read_file(unit, path, gcov_read_notes, &prepared->notes,
		&prepared->notes_cap, &prepared->notes_size, &prepared->stamp))
		return;
	unit->has_data = data;
	if (unit->blocks + unit->arcs + unit->lines > ITEMS_MOST ||
	    (data && gcov_match(unit, NULL) != CG_OK))
		return;
	unit->compat = gcov_is_compat(unit, preparing->exact);
	unit->prepared = count_all(unit);
	if (unit->prepared && preparing->names)
		demangle_names(prepared, preparing->names);
}

void
gcov_prepared_free(void *own)
{
	struct gcov_prepared *prepared = own;

	gcov_unit_free(&prepared->unit);
	free(prepared->notes);
	free(prepared->data);
	cg_demangler_free(prepared->names);
}
