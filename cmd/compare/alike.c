/*
 * alike.c - finds the functions that have the same rows in both profiles and
 * need no comparison. Two runs of a program have many of them; in one profile
 * in two formats, all functions are alike.
 */
#include <stdlib.h>

#include "compare.h"

/*
 * Returns true if both profiles have exactly the events in v->event, and each
 * of them has the same column (index of costs) in both: rows can then be
 * compared as bytes.
 */
static bool
has_same_columns(const struct verify *v)
{
	for (size_t e = 0; e < v->events; e++) {
		if (v->event[e].column[0] != e || v->event[e].column[1] != e)
			return false;
	}
	return cg_event_count(v->profile[0].graph) == v->events &&
	       cg_event_count(v->profile[1].graph) == v->events;
}

/*
 * Returns the index in v->fns of the first function of profile B in the group
 * (the functions of both profiles that were matched), or the group's end.
 * Those of profile A come first.
 */
static size_t
find_other_side(const struct verify *v, size_t group)
{
	size_t i = v->first[group];

	while (i < v->first[group + 1] && v->fns[i].profile == 0)
		i++;
	return i;
}

/*
 * Sets number[profile][function], from 1, so that matched functions get the
 * same number. Pairs the functions of a group in order. False: a group has
 * more functions in one profile, and later groups are not numbered.
 */
static bool
number_twins(const struct verify *v, uint32_t *const number[2])
{
	uint32_t next = 1;

	for (size_t group = 0; group < v->groups; group++) {
		size_t i = v->first[group], other = find_other_side(v, group);

		if (other - i != v->first[group + 1] - other)
			return false;
		for (size_t k = other; i < other; i++, k++) {
			if (v->fns[k].profile == 0)
				return false;
			number[0][v->fns[i].fn] = number[1][v->fns[k].fn] =
			    next++;
		}
	}
	return true;
}

static bool
is_alike(struct verify *v, size_t group, const struct cg_match *match)
{
	struct cg_rows *const rows[2] = { v->profile[0].rows,
		v->profile[1].rows };
	size_t i = v->first[group], other = find_other_side(v, group);

	for (size_t k = other; i < other; i++, k++) {
		const cg_fn fn[2] = { v->fns[i].fn, v->fns[k].fn };

		if (!cg_rows_alike(rows, fn, match))
			return false;
	}
	return true;
}

bool
find_alike(struct verify *v)
{
	uint32_t *number[2];
	bool ok;

	v->alike = cg_alloc(v->args->job, v->groups * sizeof(*v->alike));
	for (int s = 0; s < 2; s++)
		number[s] = cg_alloc(
		    v->args->job, (cg_fn_count(v->profile[s].graph) + 1) *
				      sizeof(*number[s]));
	ok = v->alike && number[0] && number[1];
	if (ok && has_same_columns(v) && number_twins(v, number)) {
		const struct cg_match match = { { v->file[0], v->file[1] },
			{ number[0], number[1] } };

		v->all_alike = true;
		for (size_t group = 0; group < v->groups; group++) {
			v->alike[group] = is_alike(v, group, &match);
			v->all_alike &= v->alike[group];
		}
	}
	return ok;
}
