/*
 * desc.c - what a graph remembers of the gmon.out that it came from.
 *
 * It stands in descriptions of the part, which every rich format keeps, so
 * that a gmon.out can be written again as it was:
 *
 *	program.gmon: word=8 endian=little version=1
 *	program.histogram: low=0x0 high=0x14a8 bins=1324 rate=100 abbrev=s
 *	    dimension=seconds
 *	program.histogram.2: ... of a second range, and so on
 *	gmon.bucket: 16
 *	gmon.library: base=0x7f0000001000 object=libfoo.so.1
 *	gmon.order: see gprof_order.c
 *
 * Several inputs are summed only if the program's agree, as of all formats.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gprof.h"

#define KEY_MAX 40

/* gmon.histogram, gmon.histogram.2, ... */
static void
number_key(char key[KEY_MAX], const char *name, size_t i)
{
	if (i == 0)
		snprintf(key, KEY_MAX, "%s", name);
	else
		snprintf(key, KEY_MAX, "%s.%zu", name, i + 1);
}

static void
add_desc(struct cg_build *build, const char *key, const char *value)
{
	cg_add_desc(build, cg_slice(key), cg_slice(value));
}

/* ---- Reading a gmon.out ------------------------------------------------- */

/* The bucket is a guess from what was called: it may differ. */
static void
describe_target(struct cg_build *build, const struct gmon *gmon)
{
	char value[96];

	snprintf(value, sizeof(value), "word=%u endian=%s version=%" PRIu32,
	    gmon->word, gmon->big ? "big" : "little", gmon->version);
	add_desc(build, GMON_KEY_TARGET, value);
	snprintf(value, sizeof(value), "%u", gmon->bucket);
	if (!*cg_get_desc(build, GMON_KEY_BUCKET))
		add_desc(build, GMON_KEY_BUCKET, value);
}

static void
describe_hist(struct cg_build *build, const struct gmon_hist *hist, size_t i)
{
	char key[KEY_MAX], value[160];

	number_key(key, GMON_KEY_HISTOGRAM, i);
	snprintf(value, sizeof(value),
	    "low=0x%" PRIx64 " high=0x%" PRIx64 " bins=%" PRIu64
	    " rate=%" PRIu32 " abbrev=%c dimension=%s",
	    hist->low, hist->high, hist->bins, hist->rate, hist->abbrev,
	    hist->dimension);
	add_desc(build, key, value);
}

/* For people. */
static void
describe_samples(struct cg_build *build, const struct gmon *gmon)
{
	const struct gmon_hist *hist = gmon->hist;
	uint64_t ticks = 0;
	char value[96];

	for (size_t i = 0; i < gmon->hists; i++)
		ticks += gmon->hist[i].ticks;
	if (strcmp(hist->dimension, "seconds") == 0)
		snprintf(value, sizeof(value), "%" PRIu64 " at %" PRIu32 " Hz",
		    ticks, hist->rate);
	else
		snprintf(value, sizeof(value),
		    "%" PRIu64 ", %" PRIu32 " in one of %s", ticks, hist->rate,
		    hist->dimension);
	add_desc(build, "Samples", value);
}

/* Of several runs, the first one's base: addresses in the graph have none. */
static void
describe_library(struct cg_build *build, const struct gmon_image *image)
{
	char key[KEY_MAX], value[4200];
	const char *before;

	snprintf(value, sizeof(value), "base=0x%" PRIx64 " object=%s",
	    image->base, image->elf->path);
	for (size_t i = 0;; i++) {
		number_key(key, GMON_KEY_LIBRARY, i);
		before = cg_get_desc(build, key);
		if (!*before)
			break;
		before = strstr(before, "object=");
		if (before && strcmp(before + 7, image->elf->path) == 0)
			return;
	}
	add_desc(build, key, value);
}

int
gprof_describe(struct cg_build *build, const struct gmon *gmon,
    const struct gmon_images *images)
{
	const struct gmon_hist *last = NULL;
	size_t ranges = 0;

	describe_target(build, gmon);
	for (size_t i = 0; i < gmon->hists; i++) {
		const struct gmon_hist *hist = &gmon->hist[i];

		if (!last || last->low != hist->low)
			describe_hist(build, hist, ranges++);
		last = hist;
	}
	if (gmon->hists > 0)
		describe_samples(build, gmon);
	for (size_t i = 1; i < images->count; i++)
		describe_library(build, &images->image[i]);
	return cg_build_status(build);
}

/* ---- Writing one -------------------------------------------------------- */

/* "name=NUMBER", and the blank behind it. */
static bool
take_number(struct cg_slice *text, const char *name, uint64_t *value)
{
	if (!cg_take_prefix(text, name) || !cg_take_u64(text, value))
		return false;
	(void)cg_take_blanks(text);
	return true;
}

static bool
take_target(struct cg_slice text, struct gmon *gmon)
{
	struct cg_slice endian;
	uint64_t word, version;

	if (!take_number(&text, "word=", &word) ||
	    !cg_take_prefix(&text, "endian=") ||
	    !cg_take_until(&text, ' ', &endian) ||
	    !take_number(&text, "version=", &version))
		return false;
	gmon->word = word == 4 ? 4 : 8;
	gmon->big = cg_equal(endian, "big");
	return true;
}

static unsigned
take_bucket(const char *text)
{
	uint64_t bucket;

	return text && cg_get_u64(cg_slice(text), &bucket) && bucket > 0 &&
		       bucket <= 16
		   ? (unsigned)bucket
		   : 1;
}

static bool
take_hist(struct cg_slice text, struct gmon_hist *hist)
{
	struct cg_slice abbrev;
	uint64_t rate;

	*hist = (struct gmon_hist){ 0 };
	if (!take_number(&text, "low=", &hist->low) ||
	    !take_number(&text, "high=", &hist->high) ||
	    !take_number(&text, "bins=", &hist->bins) ||
	    !take_number(&text, "rate=", &rate) ||
	    !cg_take_prefix(&text, "abbrev=") ||
	    !cg_take_until(&text, ' ', &abbrev) ||
	    !cg_take_prefix(&text, "dimension=") || text.len > GMON_DIMENSION ||
	    rate == 0 || rate > GMON_RATE_MAX || hist->bins > GMON_BINS_MAX ||
	    hist->low > hist->high || hist->high - hist->low > GMON_RANGE_MAX ||
	    hist->bins > hist->high - hist->low ||
	    (hist->bins > 0 &&
		hist->high - hist->low > UINT64_MAX / hist->bins))
		return false;
	hist->rate = (uint32_t)rate;
	hist->abbrev = *abbrev.ptr;
	memcpy(hist->dimension, text.ptr, text.len);
	return true;
}

/* What the first part with that key says, or NULL. */
static const char *
find_desc(const struct cg_graph *graph, const char *key)
{
	const char *have, *value;

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		for (size_t i = 0; cg_part_desc(graph, part, i, &have, &value);
		     i++) {
			if (strcmp(have, key) == 0)
				return value;
		}
	}
	return NULL;
}

bool
gprof_recall(const struct cg_graph *graph, struct gmon *gmon)
{
	const char *value = find_desc(graph, GMON_KEY_TARGET);
	uint64_t bins = 0;
	char key[KEY_MAX];

	if (!value || !take_target(cg_slice(value), gmon))
		return false;
	gmon->bucket = take_bucket(find_desc(graph, GMON_KEY_BUCKET));
	for (gmon->hists = 0; gmon->hists < GMON_RANGES_MAX; gmon->hists++) {
		struct gmon_hist *hist = &gmon->hist[gmon->hists];

		number_key(key, GMON_KEY_HISTOGRAM, gmon->hists);
		value = find_desc(graph, key);
		if (!value || !take_hist(cg_slice(value), hist) ||
		    hist->bins > GMON_BINS_MAX - bins)
			break;
		bins += hist->bins;
	}
	return true;
}

const char *
gprof_recall_order(const struct cg_graph *graph)
{
	const char *value = find_desc(graph, GMON_KEY_ORDER);

	return value ? value : "";
}

uint64_t
gprof_recall_base(const struct cg_graph *graph, struct cg_slice object)
{
	struct cg_slice text;
	char key[KEY_MAX];
	const char *value;
	uint64_t base;

	for (size_t i = 0; object.len > 0 && i < GMON_RANGES_MAX; i++) {
		number_key(key, GMON_KEY_LIBRARY, i);
		value = find_desc(graph, key);
		if (!value)
			break;
		text = cg_slice(value);
		if (take_number(&text, "base=", &base) &&
		    cg_take_prefix(&text, "object=") &&
		    text.len == object.len &&
		    memcmp(text.ptr, object.ptr, text.len) == 0)
			return base;
	}
	return 0;
}
