/*
 * prepare.c - reads, solves and counts a unit before it is its turn.
 *
 * A thread reads the notes, and data next to them, computes all counts and keeps
 * them. Then gcov.c reads the files as ever, and if they are the same bytes it
 * emits what is kept. Whatever is unusual is not prepared: notes elsewhere,
 * archives, compressed files, files that do not match or cannot be read.
 */
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "gcov.h"

/* Larger files are read in their turn, so that few are in memory. */
#define SIZE_MOST ((size_t)16 << 20)

/* ---- Steps of all units -------------------------------------------------- */

/*
 * clang asked for version 12 or later writes that version, but the layout of
 * 11. So a file that cannot be read as the one is read as the other, and must
 * then have functions: a truncated file of version 12 may be just a header.
 */
bool
gcov_read_either(
    struct gcov_unit *unit, struct gcov_bytes *bytes, gcov_read_fn *read)
{
	const unsigned old = GCOV_VERSION(11, 0);
	struct gcov_bytes first = *bytes, again = *bytes;

	if (read(unit, &first, 0)) {
		*bytes = first;
		return true;
	}
	if (!unit->nomem && first.byte_lengths && read(unit, &again, old) &&
	    (read == gcov_read_notes ? unit->fns : unit->data.fns) > 0) {
		*bytes = again;
		return true;
	}
	*bytes = first;
	return false;
}

bool
gcov_is_cut(const struct gcov_data *data)
{
	return !data->ended && data->head.layout >= GCOV_VERSION(4, 0);
}

/* Without data there are no counts to drop. */
bool
gcov_is_compat(const struct gcov_unit *unit, bool exact)
{
	return unit->has_data && !unit->llvm && !exact &&
	       unit->head.layout >= GCOV_VERSION(8, 0);
}

static struct gcov_counted
kept_counts(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_kept *kept = &unit->kept;

	return (struct gcov_counted){ .solved = kept->solved + fn->block,
		.line = kept->line + fn->kept_line,
		.lines = fn->kept_lines,
		.touch = kept->touch + fn->kept_touch,
		.touches = fn->kept_touches };
}

bool
gcov_count(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_scratch *scratch = &unit->scratch;

	if (unit->prepared) {
		unit->counted = kept_counts(unit, fn);
		return true;
	}
	if (!gcov_solve(unit, fn) || !gcov_count_lines(unit, fn))
		return false;
	unit->counted = (struct gcov_counted){ .solved = scratch->solved,
		.line = scratch->line,
		.lines = scratch->lines,
		.touch = scratch->touch,
		.touches = scratch->touches };
	return true;
}

/* ---- In any thread ------------------------------------------------------- */

/* Keeps what gcov_count() has computed. */
static bool
keep(struct gcov_unit *unit, struct gcov_fn *fn)
{
	const struct gcov_counted *counted = &unit->counted;
	struct gcov_kept *kept = &unit->kept;

	/* One more: an array is never NULL. */
	if (!gcov_grow(unit, &kept->line, &kept->line_cap,
		kept->lines + counted->lines + 1, sizeof(*kept->line)) ||
	    !gcov_grow(unit, &kept->touch, &kept->touch_cap,
		kept->touches + counted->touches + 1, sizeof(*kept->touch)))
		return false;
	fn->kept_line = kept->lines;
	fn->kept_lines = counted->lines;
	fn->kept_touch = kept->touches;
	fn->kept_touches = counted->touches;
	memcpy(kept->solved + fn->block, counted->solved,
	    fn->blocks * sizeof(*kept->solved));
	if (counted->lines > 0)
		memcpy(kept->line + kept->lines, counted->line,
		    counted->lines * sizeof(*kept->line));
	memcpy(kept->touch + kept->touches, counted->touch,
	    counted->touches * sizeof(*kept->touch));
	kept->lines += counted->lines;
	kept->touches += counted->touches;
	return true;
}

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
		    (!gcov_count(unit, fn) || !keep(unit, fn)))
			return false;
	}
	return true;
}

/* Reads a whole file that is one of the kind, with nothing to tell. */
static bool
read_file(struct gcov_unit *unit, const char *path, gcov_read_fn *read,
    char **text, size_t *cap, size_t *size)
{
	struct gcov_bytes bytes;

	if (!path || !cg_read_small_file(path, SIZE_MOST, text, cap, size))
		return false;
	bytes = gcov_bytes_of((struct cg_slice){ *text, *size });
	return gcov_read_either(unit, &bytes, read);
}

static bool
ends_with(const char *path, const char *suffix)
{
	size_t n = strlen(path), len = strlen(suffix);

	return n >= len && memcmp(path + n - len, suffix, len) == 0;
}

void
gcov_prepare(const void *exact, const char *path, void *own)
{
	struct gcov_prepared *prepared = own;
	struct gcov_unit *unit = &prepared->unit;
	bool data = ends_with(path, ".gcda");

	unit->prepared = unit->nomem = false;
	if (!data && !ends_with(path, ".gcno"))
		return;
	if (data && (!read_file(unit, path, gcov_read_data, &prepared->data,
			 &prepared->data_cap, &prepared->data_size) ||
			gcov_is_cut(&unit->data)))
		return;
	if (data)
		path = gcov_swap_suffix(unit, path, ".gcda", ".gcno");
	if (!read_file(unit, path, gcov_read_notes, &prepared->notes,
		&prepared->notes_cap, &prepared->notes_size))
		return;
	unit->has_data = data;
	if (data && gcov_match(unit, NULL) != CG_OK)
		return;
	unit->compat = gcov_is_compat(unit, *(const bool *)exact);
	unit->prepared = count_all(unit);
}

void
gcov_prepared_free(void *own)
{
	struct gcov_prepared *prepared = own;

	gcov_unit_free(&prepared->unit);
	free(prepared->notes);
	free(prepared->data);
}
