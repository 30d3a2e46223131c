/*
 * regions.c - compares the regions of two coverage profiles, by file, as their
 * functions may be guesses. Only json can represent the regions of all formats;
 * those of other formats, such as blocks of Go and statements of JavaScript, are
 * compared only with those of the same format.
 */
#include <stdlib.h>

#include "compare.h"

/* A region of one profile or both. */
struct place {
	uint32_t path; /* its number in both */
	struct cg_slice file;
	struct cg_region region;
	bool has[2]; /* which profiles have it */
	uint64_t count[2];
};

struct places {
	CG_ARRAY(struct place) place;
};

static int
compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;
	const struct cg_region *x = &a->region, *y = &b->region;
	int order = compare_u32(a->path, b->path);

	order = order ? order : compare_u32(x->line, y->line);
	order = order ? order : compare_u32(x->column, y->column);
	order = order ? order : compare_u32(x->last, y->last);
	order = order ? order : compare_u32(x->last_column, y->last_column);
	return order ? order : compare_u32(x->flags, y->flags);
}

static bool
list_regions(struct verify *v, struct places *places, int s)
{
	struct profile *profile = &v->profile[s];
	struct cg_branch row;
	struct place *place;
	bool ok = true;
	cg_fn fn;

	for (size_t i = 0;
	     ok && cg_next_fn(profile->graph, CG_ALL_PARTS, &i, &fn);) {
		ok = cg_rows_open(profile->rows, CG_ALL_PARTS, fn);
		while (ok && cg_next_branch(profile->rows, &row)) {
			if (row.kind != CG_BRANCH_REGION)
				continue;
			place = cg_push(v->args->job, &places->place);
			ok = place != NULL;
			if (!ok)
				break;
			cg_get_region(&row, &place->region);
			place->path = v->file[s][row.pos.file];
			place->file =
			    cg_file_path(profile->graph, row.pos.file);
			place->has[s] = true;
			place->count[s] = (uint64_t)row.count;
		}
	}
	return ok && cg_job_status(profile->job) == CG_OK;
}

/* Sums regions that are equal. */
static void
merge_places(struct places *places)
{
	struct place *place = places->place.at;
	size_t to = 0;

	if (places->place.n > 1)
		qsort(place, places->place.n, sizeof(*place), compare_places);
	for (size_t i = 1; i < places->place.n; i++) {
		if (compare_places(&place[to], &place[i]) != 0) {
			place[++to] = place[i];
			continue;
		}
		for (int s = 0; s < 2; s++) {
			place[to].has[s] |= place[i].has[s];
			place[to].count[s] += place[i].count[s];
		}
	}
	places->place.n = places->place.n > 0 ? to + 1 : 0;
}

/* True if both formats represent regions of the same kind. */
static bool
are_comparable(const struct verify *v)
{
	const cg_facts all = ((cg_facts)1 << CG_FACT_COUNT) - 1;
	const struct cg_module *a = v->profile[0].format;
	const struct cg_module *b = v->profile[1].format;

	return (v->common & CG_REGIONS) &&
	       (a == b || a->carries == all || b->carries == all);
}

bool
compare_regions(struct verify *v)
{
	struct places places = { 0 };

	if (!are_comparable(v))
		return true;
	if (!list_regions(v, &places, 0) || !list_regions(v, &places, 1))
		return false;
	merge_places(&places);
	for (size_t i = 0; i < places.place.n; i++) {
		const struct place *place = &places.place.at[i];

		if (!place->has[0] || !place->has[1] ||
		    place->count[0] != place->count[1])
			report_region(v, place->file, &place->region,
			    place->has, place->count);
	}
	cg_drop(v->args->job, &places.place);
	return true;
}
