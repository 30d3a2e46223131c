/*
 * arcs.c - iterates over the arcs of a gmon.out, in file order or sorted.
 */

#include "gmon.h"

bool
gprof_set_run(
    struct cg_job *job, struct gmon *gmon, const char *at, size_t arcs)
{
	gmon->run = cg_alloc(job, sizeof(*gmon->run));
	if (!gmon->run)
		return false;
	gmon->run[0] = (struct gmon_run){ .at = at, .arcs = arcs };
	gmon->runs = 1;
	gmon->arcs = arcs;
	return true;
}

/*
 * Sets *arc to the next arc, and advances the iterator. An arc is a call:
 * address of the call, address in the callee, and a count. Skips the unused
 * records with count 0 in files of LD_PROFILE. False: no more arcs.
 */
bool
gprof_next_arc(
    const struct gmon *gmon, struct gmon_iterator *next, struct gmon_arc *arc)
{
	struct gmon_cursor cursor = { .word = gmon->word, .big = gmon->big };

	if (gmon->sorted) {
		if (next->arc == gmon->arcs)
			return false;
		*arc = gmon->sorted[next->arc++];
		return true;
	}
	while (next->run < gmon->runs) {
		const struct gmon_run *run = &gmon->run[next->run];

		if (next->arc == run->arcs) {
			next->run++;
			next->arc = 0;
			continue;
		}
		cursor.at = run->at + next->arc++ * gmon->stride + gmon->tag;
		cursor.end = cursor.at + gmon->stride - gmon->tag;
		arc->from = gprof_take(&cursor, gmon->word);
		arc->self = gprof_take(&cursor, gmon->word) + gmon->origin;
		arc->count = gprof_take(&cursor, gmon->count);
		arc->from += arc->from ? gmon->origin : 0;
		if (arc->count > 0 || gmon->kind != GMON_LD_PROFILE)
			return true;
	}
	return false;
}

/* ---- Order -------------------------------------------------------------- */

/*
 * Sets *n to the number of arcs of the file. True if the arcs are in the order
 * of their callers' addresses.
 */
static bool
is_sorted(const struct gmon *gmon, size_t *n)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc;
	uint64_t before = 0;
	bool sorted = true;

	for (*n = 0; gprof_next_arc(gmon, &next, &arc); ++*n) {
		sorted &= before <= arc.from;
		before = arc.from;
	}
	return sorted;
}

bool
gprof_sort_arcs(struct cg_job *job, struct gmon *gmon)
{
	struct gmon_iterator next = { 0 };
	struct gmon_arc *arc;
	size_t n;

	if (is_sorted(gmon, &n))
		return true;
	arc = cg_alloc(job, n * sizeof(*arc));
	if (!arc)
		return false;
	for (size_t i = 0; i < n; i++)
		(void)gprof_next_arc(gmon, &next, &arc[i]);
	if (!cg_sort_by_u64(
		arc, n, sizeof(*arc), offsetof(struct gmon_arc, from)))
		return cg_reject_nomem(job);
	gmon->sorted = arc;
	gmon->arcs = n;
	return true;
}
