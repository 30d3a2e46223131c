/*
 * compat.c - totals of lines as gcov has them, to the bit.
 *
 * gcov (8 to 16) has one table of lines for a unit's functions, another for
 * each function that begins on the line of another one ("group": instances of
 * a template, the constructors of one) and the lines within it. If blocks of
 * any function of the table end on a line, only what enters such blocks is
 * counted, and functions with no block that ends there lose what they had.
 */
#include "gcov.h"

static uint64_t
key_of(uint32_t file, uint32_t line)
{
	return (uint64_t)file << 32 | line;
}

bool
gcov_counts(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	return (!fn->artificial || unit->llvm) && fn->blocks > 0 &&
	       (!unit->has_data || fn->instrumented > 0);
}

/* Is the line in a table of the function's own? */
static bool
is_own(const struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	return line->file == fn->file && line->line >= fn->line &&
	       line->line <= fn->end_line &&
	       cg_map_get(&unit->begins, key_of(fn->file, fn->line)) > 1;
}

static bool
note_lines(struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_scratch *scratch = &unit->scratch;
	uint32_t *slot;

	if (!gcov_solve(unit, fn) || !gcov_count_lines(unit, fn))
		return false;
	for (size_t i = 0; i < scratch->lines; i++) {
		const struct gcov_line *line = &scratch->line[i];

		if (!line->has_members || is_own(unit, fn, line))
			continue;
		slot = cg_map_at(&unit->shared, key_of(line->file, line->line));
		if (!slot)
			return false;
		*slot = 1;
	}
	return true;
}

bool
gcov_find_shared(struct gcov_unit *unit)
{
	uint32_t *slot;

	cg_map_free(&unit->begins);
	cg_map_free(&unit->shared);
	unit->begins = unit->shared = (struct cg_map){ 0 };
	for (size_t i = 0; i < unit->fns; i++) {
		if (unit->fn[i].artificial)
			continue;
		slot = cg_map_at(
		    &unit->begins, key_of(unit->fn[i].file, unit->fn[i].line));
		if (!slot)
			return false;
		++*slot;
	}
	for (size_t i = 0; i < unit->fns; i++) {
		if (gcov_counts(unit, &unit->fn[i]) &&
		    !note_lines(unit, &unit->fn[i]))
			return false;
	}
	return true;
}

bool
gcov_is_lost(const struct gcov_unit *unit, const struct gcov_fn *fn,
    const struct gcov_line *line)
{
	return !line->has_members && !is_own(unit, fn, line) &&
	       cg_map_get(&unit->shared, key_of(line->file, line->line)) != 0;
}
