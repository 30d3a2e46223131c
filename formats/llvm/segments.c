/*
 * segments.c - turns the regions of a file into segments: places where the
 * count of a line changes.
 *
 * Source: SegmentBuilder in CoverageMapping.cpp of LLVM. Regions overlap: the
 * region that began last has the count. Open regions are in a list, in the
 * order in which they began, and in a heap, by where they end.
 */
#include <stdlib.h>

#include "profile.h"

#define NONE UINT32_MAX

struct place {
	uint32_t line, column;
};

struct builder {
	struct llvm_report *report;
	const struct llvm_region *region;
	size_t regions;
	uint32_t *heap; /* of open regions: the first is the next to end */
	uint32_t open;
	struct link {
		uint32_t before, after;
	} * link;      /* by region: list of open ones, in order */
	uint32_t last; /* the open region that began last, or NONE */
	uint32_t *ended;
	struct llvm_segment written; /* the last segment */
	bool any;
};

static struct place
begin_of(const struct llvm_region *r)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.*): a region of the file */
	return (struct place){ r->line, r->column };
}

static struct place
end_of(const struct llvm_region *r)
{
	return (struct place){ r->last, r->last_column };
}

static int
compare_places(struct place a, struct place b)
{
	return a.line != b.line ? LLVM_ORDER(a.line, b.line)
				: LLVM_ORDER(a.column, b.column);
}

static bool
is_same(struct place a, struct place b)
{
	return a.line == b.line && a.column == b.column;
}

/* ---- Sorting ------------------------------------------------------------ */

/*
 * Compares regions for sorting: by begin, then the later end first, then by
 * kind. So a region comes before those that it contains.
 */
static int
compare_regions(const void *pa, const void *pb)
{
	const struct llvm_region *a = pa, *b = pb;
	int order = compare_places(begin_of(a), begin_of(b));

	if (order == 0)
		order = compare_places(end_of(b), end_of(a));
	return order != 0 ? order : LLVM_ORDER(a->kind, b->kind);
}

/*
 * Combines regions with the same begin and end into one, and adds up their
 * counts, at most to INT64_MAX. They are instances of a template, or uses of a
 * macro. The list must be sorted and not empty. A macro that expands to
 * another macro has an expansion and code at the same place. So adds up only
 * regions of the kind that the first region there has, and drops the others.
 */
static void
combine(struct llvm_source *source)
{
	struct llvm_region *region = source->region.at;
	size_t n = 0;

	for (size_t i = 1; i < source->region.n; i++) {
		struct llvm_region *to = &region[n];

		if (!is_same(begin_of(to), begin_of(&region[i])) ||
		    !is_same(end_of(to), end_of(&region[i])))
			region[++n] = region[i];
		else if (to->kind != region[i].kind)
			continue;
		else
			to->count = to->count < INT64_MAX - region[i].count
					? to->count + region[i].count
					: INT64_MAX;
	}
	source->region.n = n + 1;
}

/* ---- Open regions ------------------------------------------------------- */

/*
 * Returns true if region x ends before region y. If both end at the same
 * place, the one with the lower index, which began earlier, is first.
 */
static bool
ends_first(const struct builder *b, uint32_t x, uint32_t y)
{
	int order =
	    compare_places(end_of(&b->region[x]), end_of(&b->region[y]));

	return order != 0 ? order < 0 : x < y;
}

static void
open_region(struct builder *b, uint32_t region)
{
	uint32_t at = b->open++;

	for (; at > 0 && ends_first(b, region, b->heap[(at - 1) / 2]);
	     at = (at - 1) / 2)
		b->heap[at] = b->heap[(at - 1) / 2];
	b->heap[at] = region;
	b->link[region] = (struct link){ b->last, NONE };
	if (b->last != NONE)
		b->link[b->last].after = region;
	b->last = region;
}

/*
 * Removes the open region that ends first from the heap and from the list of
 * open regions. At least one region must be open. Returns the region's index.
 */
static uint32_t
close_region(struct builder *b)
{
	uint32_t first = b->heap[0], moved = b->heap[--b->open], at = 0, child;
	const struct link *link = &b->link[first];

	for (; (child = 2 * at + 1) < b->open; at = child) {
		if (child + 1 < b->open &&
		    ends_first(b, b->heap[child + 1], b->heap[child]))
			child++;
		if (!ends_first(b, b->heap[child], moved))
			break;
		b->heap[at] = b->heap[child];
	}
	b->heap[at] = moved;
	if (link->before != NONE)
		b->link[link->before].after = link->after;
	if (link->after != NONE)
		b->link[link->after].before = link->before;
	else
		b->last = link->before;
	return first;
}

/* ---- Segments ----------------------------------------------------------- */

static bool
put_segment(struct builder *b, const struct llvm_region *r, struct place at,
    bool entry, bool skipped)
{
	bool counted = !skipped && r->kind != LLVM_SKIPPED;
	struct llvm_segment segment = { .line = at.line,
		.count = counted ? r->count : 0,
		.counted = counted,
		.entry = entry,
		.gap = counted && r->kind == LLVM_GAP };

	/* A segment that changes nothing is dropped. */
	if (b->any && !entry && !skipped && b->written.counted == counted &&
	    b->written.count == r->count && !b->written.entry)
		return true;
	b->any = true;
	b->written = segment;
	return llvm_add_segment(b->report, &segment);
}

/*
 * Adds segments for the ends of closed regions. A segment is a place where the
 * count changes. ended[] has the n closed regions, sorted by their ends; n is
 * not 0. At each end but the last, the new count is that of the region that
 * ends next. At the last end, it is that of the innermost open region. If no
 * region is open, the segment tells that no code follows.
 *
 * "next" is the place where the next region begins (NULL: none). Adds no
 * segment there, as the caller adds one for the region. False: an error
 * (reported).
 */
static bool
put_ends(struct builder *b, const uint32_t *ended, size_t n,
    const struct place *next)
{
	const struct llvm_region *region = b->region;
	struct place end;
	size_t to;

	for (size_t i = 1; i < n; i = to) {
		end = end_of(&region[ended[i - 1]]);
		to = i + 1;
		if (next && is_same(end, *next))
			break;
		if (is_same(end, end_of(&region[ended[i]])))
			continue;
		/*
		 * Of regions that end at one place, the one that began last
		 * counts.
		 */
		while (to < n && is_same(end_of(&region[ended[to]]),
				     end_of(&region[ended[i]])))
			to++;
		if (!put_segment(b, &region[ended[to - 1]], end, false, false))
			return false;
	}
	end = end_of(&region[ended[n - 1]]);
	if (next && is_same(end, *next))
		return true;
	if (b->last != NONE)
		return put_segment(b, &region[b->last], end, false, false);
	return put_segment(b, &region[ended[n - 1]], end, false, true);
}

/*
 * Closes the open regions that end at or before the place "next". Adds
 * segments for their ends, as put_ends() does. The next region begins at
 * "next"; NULL closes all regions. False: an error (reported).
 */
static bool
end_regions(struct builder *b, const struct place *next)
{
	size_t n = 0;

	while (b->open > 0 &&
	       (!next ||
		   compare_places(end_of(&b->region[b->heap[0]]), *next) <= 0))
		b->ended[n++] = close_region(b);
	return n == 0 || put_ends(b, b->ended, n, next);
}

/*
 * Adds the segment of region i, which is empty: it begins where it ends. A
 * segment is a place where the count changes. The region does not become open,
 * as it contains no code. So the segment gets the count of the innermost open
 * region or, without one, that of region i.
 *
 * If region i is skipped code or the last region, the segment has no count. A
 * second segment then has the count of the open region, if there is one.
 * False: an error (reported).
 */
static bool
put_empty(struct builder *b, size_t i)
{
	const struct llvm_region *r = &b->region[i];
	const struct llvm_region *around =
	    b->last != NONE ? &b->region[b->last] : NULL;
	bool skipped = i + 1 == b->regions || r->kind == LLVM_SKIPPED;

	return put_segment(b, around ? around : r, begin_of(r),
		   r->kind != LLVM_GAP, skipped) &&
	       (!skipped || !around ||
		   put_segment(b, around, begin_of(r), false, false));
}

static bool
put_segments(struct builder *b)
{
	for (size_t i = 0; i < b->regions; i++) {
		const struct llvm_region *r = &b->region[i];
		const struct place begin = begin_of(r);

		if (!end_regions(b, &begin))
			return false;
		if (is_same(begin, end_of(r))) {
			if (!put_empty(b, i))
				return false;
			continue;
		}
		if ((i + 1 == b->regions ||
			!is_same(begin, begin_of(&b->region[i + 1]))) &&
		    !put_segment(b, r, begin, r->kind != LLVM_GAP, false))
			return false;
		open_region(b, (uint32_t)i);
	}
	return end_regions(b, NULL);
}

bool
llvm_add_segments(struct llvm_report *report, struct llvm_source *source)
{
	struct builder b = { .report = report, .last = NONE };
	bool ok;

	if (source->region.n == 0)
		return true;
	if (source->region.n >= NONE)
		return cg_reject(report->job, "expected fewer regions");
	llvm_sort(source->region.at, source->region.n,
	    sizeof(struct llvm_region), compare_regions);
	combine(source);
	b.region = source->region.at;
	b.regions = source->region.n;
	/* Freed here: a report has many files. */
	b.heap = malloc(b.regions * sizeof(*b.heap));
	b.link = malloc(b.regions * sizeof(*b.link));
	b.ended = malloc(b.regions * sizeof(*b.ended));
	ok = b.heap && b.link && b.ended ? put_segments(&b)
					 : cg_reject_nomem(report->job);
	free(b.heap);
	free(b.link);
	free(b.ended);
	return ok;
}
