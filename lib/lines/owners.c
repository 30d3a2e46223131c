/*
 * owners.c - finds the function to which a line of a file belongs, for readers
 * of formats that list functions with their lines.
 */
#include "lines/lines.h"

/* The owner of this line and of all lines up to the next owner's. */
struct cg_owner {
	uint32_t line;
	cg_fn fn;
};

/*
 * Makes fn the function to which lines from `line` on belong, up to the next
 * entry. Called in ascending order of lines; a second call for a line replaces
 * the function of the first. False: out of memory.
 */
static bool
add_owner(struct cg_job *job, struct cg_owners *owners, uint32_t line, cg_fn fn)
{
	struct cg_owner *owner = owners->owner.at;
	size_t n = owners->owner.n;

	/* A function that begins here replaces the one that would continue. */
	if (n > 0 && owner[n - 1].line == line) {
		owner[n - 1].fn = fn;
		return true;
	}
	return cg_append(job, &owners->owner, (struct cg_owner){ line, fn });
}

/*
 * Closes the open (nested) functions that end before line. After each, lines
 * belong to the enclosing function, or to owners->outside. If functions
 * overlap, the outer one ends with the inner one. A function with unknown last
 * line (0) keeps the lines after it. False: out of memory.
 */
static bool
leave_fns(struct cg_job *job, struct cg_owners *owners,
    const struct cg_fn_lines *fn, uint32_t line)
{
	const size_t *nested = owners->nested.at;
	size_t *depth = &owners->nested.n;

	while (*depth > 0) {
		uint32_t last = fn[nested[*depth - 1]].last;

		if (last >= line)
			break;
		--*depth;
		while (*depth > 0 && last > 0 &&
		       fn[nested[*depth - 1]].last <= last)
			--*depth;
		if (last > 0 && !add_owner(job, owners, last + 1,
				    *depth > 0 ? fn[nested[*depth - 1]].fn
					       : owners->outside))
			return false;
	}
	return true;
}

bool
cg_owners_find(struct cg_job *job, struct cg_owners *owners,
    const struct cg_fn_lines *fn, size_t n, cg_fn outside)
{
	size_t inner;

	owners->owner.n = owners->nested.n = owners->hint = 0;
	owners->outside = outside;
	for (size_t i = 0; i < n; i++) {
		if (fn[i].first == 0)
			continue;
		if (!leave_fns(job, owners, fn, fn[i].first))
			return false;
		/* Skip further functions of the same lines. */
		inner = owners->nested.n > 0
			    ? owners->nested.at[owners->nested.n - 1]
			    : i;
		if (inner != i && fn[inner].first == fn[i].first &&
		    fn[inner].last == fn[i].last)
			continue;
		if (!cg_append(job, &owners->nested, i) ||
		    !add_owner(job, owners, fn[i].first, fn[i].fn))
			return false;
	}
	return leave_fns(job, owners, fn, UINT32_MAX);
}

/*
 * Returns the function to which a line belongs; owners->outside if it is in
 * none. Most lines come in ascending order, so the entry found last (hint) is
 * tried before a binary search.
 */
cg_fn
cg_owner_of(struct cg_owners *owners, uint32_t line)
{
	const struct cg_owner *owner = owners->owner.at;
	size_t low = owners->hint, high = owners->owner.n, middle;

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
