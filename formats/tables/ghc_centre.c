/*
 * ghc_centre.c - a cost centre as a function, with its costs and entries.
 */
#include <string.h>

#include "ghc.h"

/* "12" or "(12,3)"; without parentheses the column follows a colon. */
static bool
take_point(struct cg_slice *text, uint32_t *line, uint32_t *column)
{
	struct cg_slice rest = *text;
	bool pair = cg_take_char(&rest, '(');
	uint64_t number[2];

	if (!cg_take_u64(&rest, &number[0]) ||
	    !cg_take_char(&rest, pair ? ',' : ':') ||
	    !cg_take_u64(&rest, &number[1]) ||
	    (pair && !cg_take_char(&rest, ')')) || number[0] > UINT32_MAX ||
	    number[1] > UINT32_MAX)
		return false;
	*line = (uint32_t)number[0];
	*column = (uint32_t)number[1];
	*text = rest;
	return true;
}

/* "src/Lib.hs:(14,1)-(15,41)", "a.hs:95:11-83", "a.hs:6:1": cuts it at ':'. */
static void
cut_place(struct cg_slice *file, struct cg_range *range)
{
	struct cg_slice rest;
	uint64_t column;

	for (size_t at = 1; at < file->len; at++) {
		rest = (struct cg_slice){ file->ptr + at, file->len - at };
		if (!cg_take_char(&rest, ':') ||
		    !take_point(&rest, &range->first, &range->first_column))
			continue;
		file->len = at;
		range->last = range->first;
		if (!cg_take_char(&rest, '-') ||
		    take_point(&rest, &range->last, &range->last_column))
			return;
		if (cg_take_u64(&rest, &column) && column <= UINT32_MAX)
			range->last_column = (uint32_t)column;
		return;
	}
}

cg_fn
ghc_add_centre(struct ghc *ghc, const struct ghc_centre *centre)
{
	size_t len = centre->module.len + 1 + centre->name.len;
	struct cg_slice file = centre->place;
	struct cg_range range = { 0 };
	cg_file source = 0;
	cg_fn fn;

	if (!cg_grow_raw(&ghc->name, &ghc->name_cap, len, 1)) {
		(void)cg_reject_nomem(ghc->job);
		return 0;
	}
	memcpy(ghc->name, centre->module.ptr, centre->module.len);
	ghc->name[centre->module.len] = '.';
	memcpy(ghc->name + centre->module.len + 1, centre->name.ptr,
	    centre->name.len);
	/* "<built-in>", "<entire-module>", "<no location info>" */
	if (file.len > 0 && *file.ptr != '<') {
		cut_place(&file, &range);
		source = cg_add_file(ghc->build, file);
	}
	fn = cg_add_fn(
	    ghc->build, (struct cg_slice){ ghc->name, len }, source, 0);
	cg_set_fn_range(ghc->build, fn, &range);
	return fn;
}

cg_node
ghc_add_frame(struct cg_build *build, cg_node parent, cg_fn fn)
{
	const struct cg_pos nowhere = { 0 };

	return cg_add_frame(build, parent, fn, &nowhere, false);
}

void
ghc_add_costs(struct cg_build *build, cg_fn caller, cg_node node, cg_fn fn,
    const struct ghc_costs *costs)
{
	const uint64_t cost[] = { costs->ns, costs->bytes };
	const struct cg_pos nowhere = { 0 };

	if (costs->ns > 0 || costs->bytes > 0)
		table_add_stack(build, node, 0, cost);
	if (costs->entries > 0)
		(void)cg_add_call(build, caller, &nowhere, fn, &nowhere,
		    costs->entries, NULL, 0);
}
