/*
 * calls.c - whom functions called, where the data says so.
 *
 * Programs built with -fprofile-generate or -fprofile-values count the targets
 * of indirect calls: from gcc 11 on, for each call, all calls (below zero if
 * targets were dropped), the number of targets, and their idents with counts.
 * An ident is that of the notes, so a callee may be in a unit that comes
 * later. The line of the call is not stored.
 */
#include "gcov.h"

/* A call whose callee has not come yet. */
struct gcov_call {
	cg_part part;
	cg_fn caller;
	struct cg_pos site;
	uint64_t count;
	uint32_t next; /* with the same callee, number + 1 */
};

static void
add_call(struct cg_build *build, const struct gcov_known *callee,
    const struct gcov_call *call)
{
	const struct cg_pos entry = { .line = callee->line };

	/* Of two functions with one ident nobody knows which was called. */
	if (callee->fn != 0)
		(void)cg_add_call(build, call->caller, &call->site, callee->fn,
		    &entry, call->count, NULL, 0);
}

/* Those who wait for the ident. */
static bool
add_waiting(struct gcov_fns *fns, struct cg_build *build, uint32_t ident,
    const struct gcov_known *callee)
{
	uint32_t *first, i;

	if (fns->calls == 0)
		return true;
	first = cg_map_at(&fns->waiting, ident);
	if (!first)
		return false;
	for (i = *first; i != 0; i = fns->call[i - 1].next) {
		cg_set_part(build, fns->call[i - 1].part);
		add_call(build, callee, &fns->call[i - 1]);
	}
	if (*first != 0)
		cg_set_part(build, fns->part);
	*first = 0;
	return true;
}

/* Before 6.2 they were numbers within a unit, as they are in clang's. */
bool
gcov_has_idents(const struct gcov_unit *unit)
{
	return unit->head.layout >= GCOV_VERSION(7, 0) && !unit->llvm;
}

bool
gcov_know_fn(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_fn *fn, cg_fn id, cg_name symbol)
{
	struct gcov_fns *fns = unit->all;
	uint32_t *number;

	if (!gcov_has_idents(unit))
		return true;
	number = cg_map_at(&fns->idents, fn->ident);
	if (!number)
		return false;
	if (*number != 0) {
		if (fns->known[*number - 1].fn != id)
			fns->known[*number - 1].fn = 0;
		return true;
	}
	if (!gcov_grow(unit, &fns->known, &fns->known_cap, fns->knows + 1,
		sizeof(*fns->known)))
		return false;
	fns->known[fns->knows++] = (struct gcov_known){ .fn = id,
		.symbol = symbol,
		.name = cg_get_name(build, symbol),
		.file = unit->file[fn->file].id,
		.line = fn->line };
	*number = (uint32_t)fns->knows;
	return add_waiting(fns, build, fn->ident, &fns->known[fns->knows - 1]);
}

static bool
is_known(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	const struct gcov_known *known = &unit->all->known[fn->known - 1];

	return known->fn != 0 && known->file == unit->file[fn->file].id &&
	       cg_compare(known->name, fn->name) == 0;
}

/*
 * Templates and what is inline come in many units. All are looked for before
 * one is worked at: it is memory that is waited for, here many times at once.
 */
void
gcov_find_known(struct gcov_unit *unit)
{
	bool has_idents = gcov_has_idents(unit);
	struct gcov_fn *fn = unit->fn;

	for (size_t i = 0; i < unit->fns; i++)
		fn[i].known = has_idents
				  ? cg_map_get(&unit->all->idents, fn[i].ident)
				  : 0;
	for (size_t i = 0; i < unit->fns; i++) {
		if (fn[i].known != 0 && !is_known(unit, &fn[i]))
			fn[i].known = 0;
	}
}

static bool
wait(struct gcov_unit *unit, uint32_t ident, const struct gcov_call *call)
{
	struct gcov_fns *fns = unit->all;
	uint32_t *first;

	if (!gcov_grow(unit, &fns->call, &fns->call_cap, fns->calls + 1,
		sizeof(*call)))
		return false;
	first = cg_map_at(&fns->waiting, ident);
	if (!first)
		return false;
	fns->call[fns->calls] = *call;
	fns->call[fns->calls].next = *first;
	*first = (uint32_t)++fns->calls;
	return true;
}

bool
gcov_add_target(struct gcov_unit *unit, struct cg_build *build, cg_fn caller,
    const struct cg_pos *site, uint32_t ident, uint64_t count)
{
	struct gcov_fns *fns = unit->all;
	uint32_t number = cg_map_get(&fns->idents, ident);
	const struct gcov_call call = { .part = fns->part,
		.caller = caller,
		.site = *site,
		.count = count };

	if (number == 0)
		return wait(unit, ident, &call);
	add_call(build, &fns->known[number - 1], &call);
	return true;
}

bool
gcov_add_targets(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_fn *fn, cg_fn caller, const struct cg_pos *site)
{
	const struct gcov_counters *counters;
	const unsigned char *at, *end;
	enum gcov_order order = unit->data.order;
	int64_t n, ident, count;

	if (!fn->data || !fn->data->counters[GCOV_TARGETS].at)
		return true;
	counters = &fn->data->counters[GCOV_TARGETS];
	end = counters->at + counters->n * 8;
	for (at = counters->at; end - at >= 16;) {
		n = gcov_get_counter(at + 8, order);
		at += 16;
		for (; n > 0 && end - at >= 16; n--, at += 16) {
			ident = gcov_get_counter(at, order);
			count = gcov_get_counter(at + 8, order);
			if (ident > 0 && ident <= INT32_MAX && count > 0 &&
			    !gcov_add_target(unit, build, caller, site,
				(uint32_t)ident, (uint64_t)count))
				return false;
		}
	}
	return true;
}
