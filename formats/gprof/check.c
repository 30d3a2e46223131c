/*
 * check.c - checks the records of a gmon.out of any kind, corrects rates and
 * names, sums and sorts the histograms.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gmon.h"

/*
 * Replaces characters in the unit of a histogram that are not printable ASCII
 * by '?'. Messages and names of events contain the unit.
 */
static void
make_printable(char *text)
{
	for (; *text; text++) {
		if (*text < 0x20 || *text > 0x7e)
			*text = '?';
	}
}

static int
compare_hists(const void *va, const void *vb)
{
	const struct gmon_hist *a = va, *b = vb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high == b->high ? 0 : a->high < b->high ? -1 : 1;
}

/*
 * Sets hist->ticks to the sum of the counters. Adds the number of 2-byte
 * counters that are at their maximum to *full. Such counters may have wrapped.
 * False: overflow (reported).
 */
static bool
sum_hist(struct cg_job *job, const struct gmon *gmon, struct gmon_hist *hist,
    uint64_t *full)
{
	uint64_t count;

	hist->ticks = 0;
	for (uint64_t i = 0; i < hist->have; i++) {
		count = gprof_count(gmon, hist, i);
		*full += hist->width == 2 && count == UINT16_MAX;
		if (count > UINT64_MAX - hist->ticks)
			return cg_reject_at(job, hist->counts,
			    "the sum of samples exceeds 64 bits");
		hist->ticks += count;
	}
	return true;
}

/*
 * Checks a histogram's range if it has samples, and makes its unit printable
 * ("seconds" if empty). Sets its rate to that of --rate (0: not set). Else
 * replaces an impossible rate by the usual, with a warning. False: rejected
 * (reported).
 */
static bool
check_hist(struct cg_job *job, struct gmon_hist *hist, uint64_t rate)
{
	uint64_t range;

	if (rate > 0) {
		hist->rate = (uint32_t)rate;
	} else if (hist->rate == 0 || hist->rate > GMON_RATE_MAX) {
		cg_warn(job,
		    "impossible sample rate %" PRId32 "; assuming %d Hz "
		    "(use {rate})",
		    (int32_t)hist->rate, GMON_RATE_USUAL);
		hist->rate = GMON_RATE_USUAL;
	}
	make_printable(hist->dimension);
	if (hist->abbrev < 0x21 || hist->abbrev > 0x7e)
		hist->abbrev = '?';
	if (!*hist->dimension)
		memcpy(hist->dimension, "seconds", sizeof("seconds"));
	range = hist->high - hist->low;
	if (hist->ticks > 0 &&
	    (hist->low >= hist->high || range > GMON_RANGE_MAX ||
		hist->bins > range || range > UINT64_MAX / hist->bins))
		return cg_reject_at(job, hist->counts,
		    "impossible histogram range 0x%" PRIx64 "-0x%" PRIx64,
		    hist->low, hist->high);
	return true;
}

/*
 * Checks the ranges of histograms, sorted by address: they must be equal or
 * disjoint, at most GMON_RANGES_MAX. Equal ones need the same bins and rate;
 * all need the same unit. False: rejected (reported).
 */
static bool
check_ranges(struct cg_job *job, const struct gmon *gmon)
{
	size_t ranges = 1;

	for (size_t i = 1; i < gmon->hists; i++) {
		const struct gmon_hist *a = &gmon->hist[i - 1], *b = a + 1;
		bool same = a->low == b->low && a->high == b->high;

		if (strcmp(a->dimension, b->dimension) != 0)
			return cg_reject_at(job, b->counts,
			    "histograms have different units: '%s' and '%s'",
			    a->dimension, b->dimension);
		if (same && (a->bins != b->bins || a->rate != b->rate))
			return cg_reject_at(job, b->counts,
			    "histograms of 0x%" PRIx64 "-0x%" PRIx64
			    " differ in bins or rate",
			    b->low, b->high);
		if (!same && b->low < a->high)
			return cg_reject_at(job, b->counts,
			    "overlapping histograms 0x%" PRIx64 "-0x%" PRIx64
			    " and 0x%" PRIx64 "-0x%" PRIx64,
			    a->low, a->high, b->low, b->high);
		ranges += !same;
	}
	if (ranges > GMON_RANGES_MAX)
		return cg_reject(job,
		    "expected histograms of at most %d ranges, not %zu",
		    GMON_RANGES_MAX, ranges);
	return true;
}

/*
 * Returns the usual bucket, in bytes, of the runtime that wrote the file. The
 * runtime rounds addresses of callers down to multiples of the bucket, from
 * the histogram's lowest address on. A bucket of 1 means that addresses are
 * exact.
 */
static unsigned
usual_bucket(const struct gmon *gmon)
{
	switch (gmon->kind) {
	case GMON_GNU: return 2 * gmon->word;
	case GMON_LD_PROFILE: return 1;
	case GMON_BSD44:
	case GMON_BSD_OLD: break;
	}
	return 4;
}

/*
 * Sets gmon->bucket, in bytes: the file rounds callers down to multiples of
 * it, from the histogram's low end. It is the runtime's usual one, or 1 if an
 * address other than 0 (the unknown caller) contradicts.
 */
static void
find_bucket(struct gmon *gmon)
{
	uint64_t low = gmon->hists ? gmon->hist[0].low : 0, bits = 0;
	struct gmon_iterator next = { 0 };
	struct gmon_arc arc;

	gmon->bucket = usual_bucket(gmon);
	while (gprof_next_arc(gmon, &next, &arc)) {
		if (arc.from != 0)
			bits |= arc.from - low;
	}
	if (bits & (gmon->bucket - 1))
		gmon->bucket = 1;
}

static void
drop_empty(struct gmon *gmon)
{
	size_t kept = 0;

	for (size_t i = 0; i < gmon->hists; i++) {
		if (gmon->hist[i].low < gmon->hist[i].high)
			gmon->hist[kept++] = gmon->hist[i];
	}
	gmon->hists = kept;
}

/*
 * Warns of signs that data is missing. "full" is the number of counters at
 * their maximum, which may have wrapped. "sampled" tells whether there are
 * samples. Warns of counters at their maximum, of calls without samples, and
 * of samples without calls.
 */
static void
warn_counts(
    struct cg_job *job, const struct gmon *gmon, bool sampled, uint64_t full)
{
	if (full > 0)
		cg_warn(job,
		    "histogram counters are at %d and may have wrapped: "
		    "%" PRIu64,
		    UINT16_MAX, full);
	if (!sampled && gmon->arcs > 0)
		cg_warn(job,
		    "no samples: the program ran less than a tick in its own "
		    "code; only call counts are shown");
	/* Arcs come last, so a file truncated after the samples has none. */
	if (sampled && gmon->arcs == 0)
		cg_warn(job,
		    "no calls: the program was not compiled with -pg, or the "
		    "file is truncated after the samples");
}

bool
gprof_check(struct cg_job *job, struct gmon *gmon, uint64_t rate)
{
	uint64_t full = 0;
	bool sampled = false;

	for (size_t i = 0; i < gmon->hists; i++) {
		if (!sum_hist(job, gmon, &gmon->hist[i], &full) ||
		    !check_hist(job, &gmon->hist[i], rate))
			return false;
		sampled |= gmon->hist[i].ticks > 0;
	}
	drop_empty(gmon);
	if (gmon->hists > 0)
		qsort(gmon->hist, gmon->hists, sizeof(*gmon->hist),
		    compare_hists);
	warn_counts(job, gmon, sampled, full);
	find_bucket(gmon);
	return check_ranges(job, gmon);
}
