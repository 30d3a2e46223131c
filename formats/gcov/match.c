/*
 * match.c - joins the functions of a unit's notes with their data.
 *
 * Data of another compilation is reported and dropped, as in gcov: the lines
 * of its functions remain, with counts of 0.
 */
#include <string.h>

#include "gcov.h"

/*
 * Fills unit->idents anew: from the ident (gcc's number) of each function of
 * the data to its index + 1. The last of two records counts, as in llvm-cov;
 * gcov adds them. *duplicates: number of replaced ones. False: out of memory.
 */
static bool
add_idents(struct gcov_unit *unit, size_t *duplicates)
{
	const struct gcov_data *data = &unit->data;
	uint32_t *slot;

	*duplicates = 0;
	cg_map_free(&unit->idents);
	unit->idents = (struct cg_map){ 0 };
	for (size_t i = 0; i < data->fns; i++) {
		slot = cg_map_at(&unit->idents, data->fn[i].ident);
		if (!slot)
			return false;
		*duplicates += *slot != 0;
		*slot = (uint32_t)i + 1;
	}
	return true;
}

/*
 * Compares a function of the notes with its record in the data. Returns the
 * name of the first property that differs, for a message; NULL: they match.
 */
static const char *
find_difference(const struct gcov_fn *fn, const struct gcov_data_fn *data)
{
	const struct gcov_counters *counters = data->counters;

	if (data->lineno != fn->lineno || data->cfg != fn->cfg)
		return "checksum";
	if (counters[GCOV_ARCS].present &&
	    counters[GCOV_ARCS].n != fn->instrumented)
		return "number of counters";
	if (counters[GCOV_CONDITIONS].present && fn->has_conditions &&
	    counters[GCOV_CONDITIONS].n != (uint64_t)fn->conditions * 2)
		return "number of conditions";
	if (counters[GCOV_PATHS].present && fn->has_paths &&
	    counters[GCOV_PATHS].n != ((uint64_t)fn->paths + 63) / 64)
		return "number of paths";
	return NULL;
}

static int
match_fns(struct gcov_unit *unit, const char *data)
{
	const char *first = NULL;
	struct cg_slice name = { "", 0 };
	size_t mismatches = 0;

	for (size_t i = 0; i < unit->fns; i++) {
		struct gcov_fn *fn = &unit->fn[i];
		uint32_t at = cg_map_get(&unit->idents, fn->ident);
		const char *difference;

		if (at == 0)
			continue;
		difference = find_difference(fn, &unit->data.fn[at - 1]);
		if (!difference)
			fn->data = &unit->data.fn[at - 1];
		else if (mismatches++ == 0) {
			first = difference;
			name = fn->name;
		}
	}
	if (mismatches == 0)
		return CG_OK;
	return cg_skip_at(unit->job, NULL,
	    "%s is of another compilation: the %s of %.*s%s differs; these "
	    "counts are dropped",
	    data, first, name.len > 99 ? 99 : (int)name.len, name.ptr,
	    mismatches > 1 ? " and of other functions" : "");
}

int
gcov_match(struct gcov_unit *unit, const char *data)
{
	const struct gcov_head *notes = &unit->head, *head = &unit->data.head;
	bool same_version = memcmp(notes->version, head->version, 3) == 0;
	size_t duplicates;

	if (!add_idents(unit, &duplicates))
		return cg_nomem(unit->job);
	for (; duplicates > 0; duplicates--)
		cg_warn(
		    unit->job, "duplicate data of a function: using the last");
	/* The last character is only the status of the compiler's release. */
	if (!same_version)
		return cg_skip_at(unit->job, unit->notes + 4,
		    "%s is of another compiler: version %s, but the notes have "
		    "%s; its counts are dropped",
		    data, head->version, notes->version);
	if (notes->stamp != head->stamp)
		return cg_skip_at(unit->job, unit->notes + 8,
		    "%s is of another compilation: stamp 0x%08lx, but the "
		    "notes have 0x%08lx; its counts are dropped",
		    data, (unsigned long)head->stamp,
		    (unsigned long)notes->stamp);
	return match_fns(unit, data);
}
