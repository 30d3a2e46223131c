/*
 * owners.c - adds the functions of a file to the graph and finds the innermost
 * function of each line. A function whose last line is unknown ends where the
 * next one begins, or with the function that contains it.
 */
#include <stdlib.h>

#include "covjson.h"

bool
covjson_add_event(struct cg_build *build)
{
	return cg_add_column(build, &(struct cg_event){ .name = "Exec",
					.long_name = "Line executions",
					.is_signed = true,
					.incl = CG_INCL_NONE });
}

/*
 * By first line, then the longer function, which contains the other. Of several
 * functions of the same lines (instances of a template), the one with the
 * highest count comes first: it gets the lines.
 */
static int
compare_fns(const void *pa, const void *pb)
{
	const struct covjson_fn *a = pa, *b = pb;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->last != b->last)
		return a->last > b->last ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (a->symbol > b->symbol) - (a->symbol < b->symbol);
}

static cg_fn
add_fn(struct cg_build *build, cg_file file, const struct covjson_fn *fn)
{
	if (fn->column > 0)
		return cg_add_fn_at(build, cg_get_name(build, fn->name), file,
		    0, fn->first, fn->column);
	return cg_add_fn_symbol(build, fn->name, file, 0, fn->symbol);
}

static void
add_fns(struct cg_build *build, cg_file file, struct covjson_fn *fn, size_t n)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct cg_range range = { .first = fn[i].first,
			.last = fn[i].last };
		const struct cg_pos entry = { .line = fn[i].first };

		fn[i].fn = add_fn(build, file, &fn[i]);
		cg_set_fn_range(build, fn[i].fn, &range);
		if (fn[i].counted)
			(void)cg_add_call(build, 0, &nowhere, fn[i].fn, &entry,
			    fn[i].count, NULL, 0);
	}
}

/* Makes fn the owner from line on; false: out of memory. */
static bool
add_owner(struct covjson_owners *owners, uint32_t line, cg_fn fn)
{
	struct covjson_owner *last;

	if (owners->owners > 0) {
		last = &owners->owner[owners->owners - 1];
		/* What begins here replaces what would continue. */
		if (last->line == line) {
			last->fn = fn;
			return true;
		}
	}
	if (!cg_grow_raw(&owners->owner, &owners->cap, owners->owners + 1,
		sizeof(*owners->owner)))
		return false;
	owners->owner[owners->owners++] = (struct covjson_owner){ line, fn };
	return true;
}

/* Closes the functions that end before line; false: out of memory. */
static bool
leave_fns(struct covjson_owners *owners, const struct covjson_fn *fn,
    size_t *depth, uint32_t line)
{
	while (*depth > 0) {
		uint32_t last = fn[owners->nested[*depth - 1]].last;

		if (last >= line)
			break;
		--*depth;
		/* Functions that overlap end with the one that began later. */
		while (*depth > 0 && last > 0 &&
		       fn[owners->nested[*depth - 1]].last <= last)
			--*depth;
		if (last > 0 &&
		    !add_owner(owners, last + 1,
			*depth > 0 ? fn[owners->nested[*depth - 1]].fn
				   : owners->outside))
			return false;
	}
	return true;
}

static bool
find_owners(
    struct covjson_owners *owners, const struct covjson_fn *fn, size_t n)
{
	const struct covjson_fn *inner;
	size_t depth = 0;

	for (size_t i = 0; i < n; i++) {
		if (fn[i].first == 0)
			continue;
		if (!leave_fns(owners, fn, &depth, fn[i].first))
			return false;
		if (depth > 0) {
			inner = &fn[owners->nested[depth - 1]];
			if (inner->first == fn[i].first &&
			    inner->last == fn[i].last)
				continue;
		}
		if (!cg_grow_raw(&owners->nested, &owners->nested_cap,
			depth + 1, sizeof(*owners->nested)))
			return false;
		owners->nested[depth++] = i;
		if (!add_owner(owners, fn[i].first, fn[i].fn))
			return false;
	}
	return leave_fns(owners, fn, &depth, UINT32_MAX);
}

bool
covjson_open_file(struct cg_build *build, struct covjson_owners *owners,
    cg_file file, struct covjson_fn *fn, size_t n)
{
	owners->owners = owners->hint = 0;
	owners->outside = cg_add_fn(build, cg_slice(""), file, 0);
	if (n > 1)
		qsort(fn, n, sizeof(*fn), compare_fns);
	add_fns(build, file, fn, n);
	return find_owners(owners, fn, n);
}

/* Most lines come in order: hint is the position of the last owner. */
cg_fn
covjson_owner(struct covjson_owners *owners, uint32_t line)
{
	const struct covjson_owner *owner = owners->owner;
	size_t low = owners->hint, high = owners->owners, middle;

	if (low >= high || owner[low].line > line)
		low = 0;
	else if (low + 1 >= high || owner[low + 1].line > line)
		return owner[low].fn;
	if (high == 0 || owner[low].line > line)
		return owners->outside;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (owner[middle].line <= line)
			low = middle;
		else
			high = middle;
	}
	owners->hint = low;
	return owner[low].fn;
}

void
covjson_free_owners(struct covjson_owners *owners)
{
	free(owners->owner);
	free(owners->nested);
}
