/*
 * gcov_calls.c - whom functions called, where the data says so.
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

/* Two functions with one ident: nobody knows which was called. */
#define AMBIGUOUS UINT32_MAX

static void
add_call(struct cg_build *build, const struct gcov_fns *fns, cg_fn caller,
    const struct cg_pos *site, cg_fn callee, uint64_t count)
{
	const struct cg_pos entry = { .line = cg_map_get(&fns->lines, callee) };

	(void)cg_add_call(build, caller, site, callee, &entry, count, NULL, 0);
}

/* Those who wait for the ident. */
static bool
add_waiting(
    struct gcov_fns *fns, struct cg_build *build, uint32_t ident, cg_fn fn)
{
	uint32_t *first = cg_map_at(&fns->waiting, ident), i;

	if (!first)
		return false;
	for (i = *first; i != 0; i = fns->call[i - 1].next) {
		const struct gcov_call *call = &fns->call[i - 1];

		cg_set_part(build, call->part);
		add_call(
		    build, fns, call->caller, &call->site, fn, call->count);
	}
	if (*first != 0)
		cg_set_part(build, fns->part);
	*first = 0;
	return true;
}

/* Before 6.2 they were numbers within a unit, as they are in clang's. */
bool
cg_gcov_has_idents(const struct gcov_unit *unit)
{
	return unit->head.layout >= GCOV_VERSION(7, 0) && !unit->llvm;
}

bool
cg_gcov_know_fn(struct gcov_unit *unit, struct cg_build *build,
    const struct gcov_fn *fn, cg_fn id)
{
	struct gcov_fns *fns = unit->all;
	uint32_t *known, *line;

	if (!cg_gcov_has_idents(unit))
		return true;
	known = cg_map_at(&fns->idents, fn->ident);
	if (!known)
		return false;
	if (*known == id)
		return true;
	*known = *known == 0 ? id : AMBIGUOUS;
	line = cg_map_at(&fns->lines, id);
	if (!line)
		return false;
	*line = fn->line;
	return *known == AMBIGUOUS || add_waiting(fns, build, fn->ident, id);
}

static bool
wait(struct gcov_unit *unit, uint32_t ident, const struct gcov_call *call)
{
	struct gcov_fns *fns = unit->all;
	uint32_t *first;

	if (!cg_gcov_grow(unit, &fns->call, &fns->call_cap, fns->calls + 1,
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
cg_gcov_add_target(struct gcov_unit *unit, struct cg_build *build, cg_fn caller,
    const struct cg_pos *site, uint32_t ident, uint64_t count)
{
	struct gcov_fns *fns = unit->all;
	uint32_t callee = cg_map_get(&fns->idents, ident);

	if (callee == 0)
		return wait(unit, ident,
		    &(struct gcov_call){ .part = fns->part,
			.caller = caller,
			.site = *site,
			.count = count });
	if (callee != AMBIGUOUS)
		add_call(build, fns, caller, site, callee, count);
	return true;
}

bool
cg_gcov_add_targets(struct gcov_unit *unit, struct cg_build *build,
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
		n = cg_gcov_get_counter(at + 8, order);
		at += 16;
		for (; n > 0 && end - at >= 16; n--, at += 16) {
			ident = cg_gcov_get_counter(at, order);
			count = cg_gcov_get_counter(at + 8, order);
			if (ident > 0 && ident <= INT32_MAX && count > 0 &&
			    !cg_gcov_add_target(unit, build, caller, site,
				(uint32_t)ident, (uint64_t)count))
				return false;
		}
	}
	return true;
}
