/*
 * heap.c - memory in use and allocated, as gperftools, tcmalloc and Go sample
 * it, and growth of the heap:
 *
 *	heap profile:      3:      300 [     8:      800] @ heap_v2/1000
 *	     3:      300 [     8:      800] @ 0x1001 0x2001
 *
 * A line has objects and bytes in use, then of all allocations. The number at
 * the end of the header is the average number of bytes allocated between two
 * samples; Go and old tcmalloc state twice this number. Sources: also
 * src/heap-profile-table.cc of gperftools 2.10.
 */
#include <math.h>

#include "gperftools.h"

void
gperf_unsample(uint64_t rate, uint64_t *objects, uint64_t *bytes)
{
	double size, scale;

	if (*objects == 0 || *bytes == 0)
		*objects = *bytes = 0;
	if (*objects == 0 || rate <= 1)
		return;
	size = (double)*bytes / (double)*objects;
	scale = 1 / (1 - exp(-size / (double)rate));
	if ((double)*bytes * scale < 9e18 && (double)*objects * scale < 9e18) {
		*objects = (uint64_t)((double)*objects * scale);
		*bytes = (uint64_t)((double)*bytes * scale);
	}
}

bool
gperf_take_memory(struct cg_slice *text, uint64_t count[4])
{
	bool ok = gperf_take_number(text, &count[0], ':') &&
		  gperf_take_number(text, &count[1], ' ');

	(void)cg_take_blanks(text);
	ok = ok && cg_take_char(text, '[') &&
	     gperf_take_number(text, &count[2], ':') &&
	     gperf_take_number(text, &count[3], ']');
	(void)cg_take_blanks(text);
	return ok;
}

/*
 * Reads "1: 300 [ 1: 300] @", which begins a sample. count[] becomes objects
 * and bytes in use, then objects and bytes allocated. False: malformed.
 */
static bool
take_counts(struct cg_slice *text, uint64_t count[4])
{
	if (!gperf_take_memory(text, count) || !cg_take_char(text, '@'))
		return false;
	(void)cg_take_blanks(text);
	return true;
}

void
gperf_set_heap_events(struct gperf_reader *r, bool allocs)
{
	static const struct cg_event event[] = { { .name = "inuse_objects" },
		{ .name = "inuse_space", .unit = "bytes" },
		{ .name = "alloc_objects" },
		{ .name = "alloc_space", .unit = "bytes" } };

	r->columns = allocs ? 4 : 2;
	for (size_t i = 0; i < r->columns; i++)
		r->event[i] = event[i];
	r->main_event = 1;
	r->period_unit = "space bytes";
}

/*
 * Sets the events of the profile. "objects" is false for profiles of growth
 * and fragmentation, whose numbers are spans and bytes. The numbers of
 * allocations in the header become events only if they are not 0, and differ
 * from those in use.
 */
static void
set_events(struct gperf_reader *r, bool objects)
{
	static const struct cg_event span[] = { { .name = "objects" },
		{ .name = "space", .unit = "bytes" } };
	const uint64_t *count = r->stated;
	bool allocs = (count[2] != count[0] && count[2] != 0) ||
		      (count[3] != count[1] && count[3] != 0);

	gperf_set_heap_events(r, objects && allocs);
	for (size_t i = 0; i < 2 && !objects; i++)
		r->event[i] = span[i];
}

bool
gperf_begin_heap(struct gperf_reader *r, struct cg_slice line)
{
	static const struct {
		const char *name;
		uint64_t divide; /* divides the rate; 0: no sampling */
		bool objects, go;
	} kinds[] = { { "heapz_v2", 1, true, false },
		{ "heap_v2", 1, true, false },
		{ "heapprofile", 0, true, false }, { "heap", 2, true, true },
		{ "growthz", 0, false, false }, { "growth", 0, false, false },
		{ "fragmentationz", 0, false, false },
		{ "fragmentation", 0, false, false } };
	struct cg_slice word;
	uint64_t rate = 0;

	if (!cg_take_prefix(&line, "heap profile:") ||
	    !take_counts(&line, r->stated) || !cg_take_until(&line, '/', &word))
		return false;
	(void)cg_take_u64(&line, &rate);
	word = cg_trim(word);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!cg_equal(word, kinds[i].name))
			continue;
		r->rate = kinds[i].divide ? rate / kinds[i].divide : 0;
		r->period = r->rate;
		r->needs_maps = !kinds[i].go;
		set_events(r, kinds[i].objects);
		return true;
	}
	return false;
}

/*
 * Sets the costs of the current sample, and count[], to the counts scaled by
 * the sampling rate. Sets its objects' size. Adds the unscaled counts to
 * r->sum, which is compared with the header's. False: an error (reported).
 */
static bool
hold_sample(struct gperf_reader *r, uint64_t count[4])
{
	uint64_t size = 0;

	for (size_t i = 0; i < 4; i++)
		r->sum[i] += count[i];
	for (size_t i = 4; i > 0; i -= 2)
		if (count[i - 2] != 0)
			size = count[i - 1] / count[i - 2];
	for (size_t i = 0; i < 4; i += 2) {
		if (r->rate > 0)
			gperf_unsample(r->rate, &count[i], &count[i + 1]);
		r->sample.cost[i] = count[i];
		r->sample.cost[i + 1] = count[i + 1];
	}
	return gperf_set_size(r, size);
}

bool
gperf_take_heap(struct gperf_reader *r, struct cg_slice line)
{
	const char *at = line.ptr;
	uint64_t count[4];

	if (!gperf_end_sample(r))
		return false;
	if (!take_counts(&line, count))
		return cg_reject_at(r->job, line.len ? line.ptr : at,
		    "expected 'OBJECTS: BYTES [OBJECTS: BYTES] @ ADDRESS...'");
	gperf_begin_sample(r);
	return gperf_take_stack(r, line) && hold_sample(r, count);
}
