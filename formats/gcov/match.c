/*
 * match.c - gives the functions of a unit's notes their data, and says
 * what does not belong together. Such counts are left out, as gcov does it:
 * the lines are there all the same, and were never run.
 */
#include <string.h>

#include "gcov.h"

/*
 * libgcov writes a function once. Of two records the last one counts: llvm-cov
 * does not add them up either, gcov does.
 */
static bool
add_idents(struct gcov_unit *unit)
{
	const struct gcov_data *data = &unit->data;
	uint32_t *slot;

	cg_map_free(&unit->idents);
	unit->idents = (struct cg_map){ 0 };
	for (size_t i = 0; i < data->fns; i++) {
		slot = cg_map_at(&unit->idents, data->fn[i].ident);
		if (!slot)
			return false;
		if (*slot != 0)
			cg_warn(unit->job, "a function's data is there twice: "
					   "the last counts");
		*slot = (uint32_t)i + 1;
	}
	return true;
}

/* What of the data is not that of the function; NULL: it fits. */
static const char *
find_misfit(const struct gcov_fn *fn, const struct gcov_data_fn *data)
{
	const struct gcov_counters *counters = data->counters;

	if (data->lineno != fn->lineno || data->cfg != fn->cfg)
		return "checksum";
	if (counters[GCOV_ARCS].there &&
	    counters[GCOV_ARCS].n != fn->instrumented)
		return "number of counters";
	if (counters[GCOV_CONDITIONS].there && fn->has_conditions &&
	    counters[GCOV_CONDITIONS].n != (uint64_t)fn->conditions * 2)
		return "number of conditions";
	if (counters[GCOV_PATHS].there && fn->has_paths &&
	    counters[GCOV_PATHS].n != ((uint64_t)fn->paths + 63) / 64)
		return "number of paths";
	return NULL;
}

static int
match_fns(struct gcov_unit *unit, const char *data)
{
	const char *misfit = NULL, *first = NULL;
	struct cg_slice name = { "", 0 };
	size_t misfits = 0;

	for (size_t i = 0; i < unit->fns; i++) {
		struct gcov_fn *fn = &unit->fn[i];
		uint32_t at = cg_map_get(&unit->idents, fn->ident);

		if (at == 0)
			continue;
		misfit = find_misfit(fn, &unit->data.fn[at - 1]);
		if (!misfit)
			fn->data = &unit->data.fn[at - 1];
		else if (misfits++ == 0) {
			first = misfit;
			name = fn->name;
		}
	}
	if (misfits == 0)
		return CG_OK;
	return cg_skip_at(unit->job, NULL,
	    "%s is of another compile: another %s of %.*s%s; the counts are "
	    "left out",
	    data, first, name.len > 99 ? 99 : (int)name.len, name.ptr,
	    misfits > 1 ? " and of others" : "");
}

int
gcov_match(struct gcov_unit *unit, const char *data)
{
	const struct gcov_head *notes = &unit->head, *head = &unit->data.head;

	if (!add_idents(unit))
		return cg_nomem(unit->job);
	/* The last letter says who released a compiler. */
	if (memcmp(notes->version, head->version, 3) != 0)
		return cg_skip_at(unit->job, unit->notes + 4,
		    "%s is of another compiler: version %s there, %s here; "
		    "the counts are left out",
		    data, head->version, notes->version);
	if (notes->stamp != head->stamp)
		return cg_skip_at(unit->job, unit->notes + 8,
		    "%s is of another compile: stamp 0x%08lx there, 0x%08lx "
		    "here; the counts are left out",
		    data, (unsigned long)head->stamp,
		    (unsigned long)notes->stamp);
	return match_fns(unit, data);
}
