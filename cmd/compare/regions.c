/*
 * regions.c - compares the regions of two coverage profiles, by file, as their
 * functions may be guesses.
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

/*
 * Sorts the regions (ranges of source text with a count) of both profiles in
 * place. Merges equal regions into the first of them. Its counts are the sums
 * of theirs, by profile, and has[] tells which profiles have the region.
 */
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

/*
 * Returns bits for the kind of a region (range of source text with a count) in
 * profile s, such as its unit of columns. Regions of different languages have
 * different bits. 0: the profile does not have the region.
 */
static unsigned
kind_of(const struct place *place, int s)
{
	if (!place->has[s])
		return 0;
	return 1u | (place->region.flags & CG_REGION_UTF16 ? 2u : 0) |
	       (place->region.label != 0 ? 4u : 0);
}

/*
 * Returns true if the n regions (ranges of source text) of a file can be
 * compared: both profiles have one format, or regions of the same languages.
 * Most formats drop regions of another language.
 */
static bool
are_comparable(const struct verify *v, const struct place *place, size_t n)
{
	unsigned kind[2] = { 0, 0 };

	if (v->profile[0].format == v->profile[1].format)
		return true;
	for (size_t i = 0; i < n; i++) {
		kind[0] |= kind_of(&place[i], 0);
		kind[1] |= kind_of(&place[i], 1);
	}
	return kind[0] == kind[1];
}

static void
compare_file(struct verify *v, const struct place *place, size_t n)
{
	if (!are_comparable(v, place, n))
		return;
	for (size_t i = 0; i < n; i++) {
		if (!place[i].has[0] || !place[i].has[1] ||
		    place[i].count[0] != place[i].count[1])
			report_region(v, place[i].file, &place[i].region,
			    place[i].has, place[i].count);
	}
}

bool
compare_regions(struct verify *v)
{
	struct places places = { 0 };
	const struct place *place;

	if (!(v->common & CG_REGIONS))
		return true;
	if (!list_regions(v, &places, 0) || !list_regions(v, &places, 1))
		return false;
	merge_places(&places);
	place = places.place.at;
	for (size_t i = 0, end; i < places.place.n; i = end) {
		for (end = i + 1;
		     end < places.place.n && place[end].path == place[i].path;)
			end++;
		compare_file(v, &place[i], end - i);
	}
	cg_drop(v->args->job, &places.place);
	return true;
}
