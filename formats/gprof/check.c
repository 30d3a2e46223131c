/*
 * check.c - what must hold of a gmon.out of any kind, and what is put
 * right: rates, names, ranges.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

/* What is no printable text becomes '?': it ends up in messages and names. */
static void
sanitize(char *text)
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

/* Counts the ticks, and the counters that stand at their maximum. */
static int
sum_hist(struct cg_job *job, const struct gmon *gmon, struct gmon_hist *hist,
    uint64_t *full)
{
	uint64_t count;

	hist->ticks = 0;
	for (uint64_t i = 0; i < hist->have; i++) {
		count = gprof_count(gmon, hist, i);
		*full += hist->width == 2 && count == UINT16_MAX;
		if (count > UINT64_MAX - hist->ticks)
			return cg_fail_at(job, hist->counts,
			    "samples add up to more than 64 bits hold");
		hist->ticks += count;
	}
	return CG_OK;
}

/* Checks one header, its rate put right, its text made printable. */
static int
settle_hist(struct cg_job *job, struct gmon_hist *hist, uint64_t rate)
{
	uint64_t range;

	if (rate > 0) {
		hist->rate = (uint32_t)rate;
	} else if (hist->rate == 0 || hist->rate > GMON_RATE_MAX) {
		cg_warn(job,
		    "sample rate %" PRId32 " in header; assuming %d Hz "
		    "(use --rate)",
		    (int32_t)hist->rate, GMON_RATE_USUAL);
		hist->rate = GMON_RATE_USUAL;
	}
	sanitize(hist->dimension);
	if (hist->abbrev < 0x21 || hist->abbrev > 0x7e)
		hist->abbrev = '?';
	if (!*hist->dimension)
		memcpy(hist->dimension, "seconds", sizeof("seconds"));
	range = hist->high - hist->low;
	if (hist->ticks > 0 &&
	    (hist->low >= hist->high || range > GMON_RANGE_MAX ||
		hist->bins > range || range > UINT64_MAX / hist->bins))
		return cg_fail_at(job, hist->counts,
		    "histogram range 0x%" PRIx64 "-0x%" PRIx64 " is impossible",
		    hist->low, hist->high);
	return CG_OK;
}

/* Ranges are equal, or apart, and count one and the same thing. */
static int
compare_ranges(struct cg_job *job, const struct gmon *gmon)
{
	size_t ranges = 1;

	for (size_t i = 1; i < gmon->hists; i++) {
		const struct gmon_hist *a = &gmon->hist[i - 1], *b = a + 1;
		bool same = a->low == b->low && a->high == b->high;

		if (strcmp(a->dimension, b->dimension) != 0)
			return cg_fail_at(job, b->counts,
			    "one histogram counts '%s', another '%s'",
			    a->dimension, b->dimension);
		if (same && (a->bins != b->bins || a->rate != b->rate))
			return cg_fail_at(job, b->counts,
			    "two histograms 0x%" PRIx64 "-0x%" PRIx64
			    " differ in scale",
			    b->low, b->high);
		if (!same && b->low < a->high)
			return cg_fail_at(job, b->counts,
			    "overlapping histograms 0x%" PRIx64 "-0x%" PRIx64
			    " and 0x%" PRIx64 "-0x%" PRIx64,
			    a->low, a->high, b->low, b->high);
		ranges += !same;
	}
	if (ranges > GMON_RANGES_MAX)
		return cg_fail(
		    job, "histograms of more than %d ranges", GMON_RANGES_MAX);
	return CG_OK;
}

/* What runtimes round the addresses of callers down to. */
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

/* The usual bucket, if no address contradicts. */
static void
find_bucket(struct gmon *gmon)
{
	uint64_t low = gmon->hists ? gmon->hist[0].low : 0, bits = 0;
	struct gmon_place place = { 0 };
	struct gmon_arc arc;

	gmon->bucket = usual_bucket(gmon);
	while (gprof_next_arc(gmon, &place, &arc)) {
		if (arc.from != 0)
			bits |= arc.from - low;
	}
	if (bits & (gmon->bucket - 1))
		gmon->bucket = 1;
}

/* Histograms that cover nothing say nothing. */
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

int
gprof_check(struct cg_job *job, struct gmon *gmon)
{
	uint64_t ticks = 0, full = 0, rate;
	int status = gprof_rate(job, &rate);

	for (size_t i = 0; i < gmon->hists && status == CG_OK; i++) {
		status = sum_hist(job, gmon, &gmon->hist[i], &full);
		if (status == CG_OK)
			status = settle_hist(job, &gmon->hist[i], rate);
		ticks |= gmon->hist[i].ticks;
	}
	if (status != CG_OK)
		return status;
	drop_empty(gmon);
	if (gmon->hists > 0)
		qsort(gmon->hist, gmon->hists, sizeof(*gmon->hist),
		    compare_hists);
	if (full > 0)
		cg_warn(job,
		    "%" PRIu64 " histogram bins are at %d and may have "
		    "wrapped",
		    full, UINT16_MAX);
	if (ticks == 0 && gmon->arcs > 0)
		cg_warn(job,
		    "no samples: the program ran less than a tick in its own "
		    "code; only call counts are shown");
	/* Arcs come last: this is how the start of a cut file looks. */
	if (ticks > 0 && gmon->arcs == 0)
		cg_warn(job,
		    "no calls: the program's code was not compiled with -pg, "
		    "or the file is cut behind the samples");
	find_bucket(gmon);
	return compare_ranges(job, gmon);
}
