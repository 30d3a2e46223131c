/*
 * count.c - the counts of a function: computed now, or kept from before.
 */
#include <string.h>

#include "gcov.h"

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

bool
gcov_keep(struct gcov_unit *unit, struct gcov_fn *fn)
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
