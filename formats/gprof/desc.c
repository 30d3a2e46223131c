/*
 * desc.c - descriptions of a graph that record properties of its gmon.out.
 *
 * Descriptions belong to the part. Formats with descriptions keep them, so
 * that the gmon.out can be written again unchanged:
 *
 *	program.gmon: word=8 endian=little version=1
 *	program.histogram: low=0x0 high=0x14a8 bins=1324 rate=100 abbrev=s
 *	    dimension=seconds
 *	program.histogram.2: ... of a second range, and so on
 *	gmon.bucket: 16
 *	gmon.library: base=0x7f0000001000 object=libfoo.so.1
 *	gmon.order: 0x9960:2.0.1 0xb1e0:1.0
 *
 * Inputs with different values of program.* cannot be merged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "desc.h"

#define KEY_MAX 40

/*
 * Sets "key" to the key of value number i of a description. It is "name" for i
 * = 0, "name.2" for 1, "name.3" for 2, where "name" is the argument.
 */
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

/* ---- Adding ------------------------------------------------------------- */

/*
 * Describes word size, byte order and version of the gmon.out, and its bucket
 * (unit to which callers' addresses are rounded). A writer then repeats them.
 * The first input's bucket is kept.
 */
static void
describe_target(struct cg_build *build, const struct gmon *gmon)
{
	char value[96];

	snprintf(value, sizeof(value), "word=%u endian=%s version=%" PRIu32,
	    gmon->word, gmon->big ? "big" : "little", gmon->version);
	add_desc(build, GPROF_KEY_TARGET, value);
	snprintf(value, sizeof(value), "%u", gmon->bucket);
	if (!*cg_build_desc(build, GPROF_KEY_BUCKET))
		add_desc(build, GPROF_KEY_BUCKET, value);
}

static void
describe_hist(struct cg_build *build, const struct gmon_hist *hist, size_t i)
{
	char key[KEY_MAX], value[160];

	number_key(key, GPROF_KEY_HISTOGRAM, i);
	snprintf(value, sizeof(value),
	    "low=0x%" PRIx64 " high=0x%" PRIx64 " bins=%" PRIu64
	    " rate=%" PRIu32 " abbrev=%c dimension=%s",
	    hist->low, hist->high, hist->bins, hist->rate, hist->abbrev,
	    hist->dimension);
	add_desc(build, key, value);
}

/*
 * Adds a description of the number of samples and their rate, only for people:
 * gprof_recall() does not read it.
 */
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

/*
 * Adds a description of a shared library and its load address. Does nothing if
 * an earlier input has added the library. The graph's addresses are relative
 * to the load address, so the load address in the first input suffices.
 */
static void
describe_library(struct cg_build *build, const struct gprof_image *image)
{
	char key[KEY_MAX], value[4200];
	const char *before;

	snprintf(value, sizeof(value), "base=0x%" PRIx64 " object=%s",
	    image->base, image->symbols->path);
	for (size_t i = 0;; i++) {
		number_key(key, GPROF_KEY_LIBRARY, i);
		before = cg_build_desc(build, key);
		if (!*before)
			break;
		before = strstr(before, "object=");
		if (before && strcmp(before + 7, image->symbols->path) == 0)
			return;
	}
	add_desc(build, key, value);
}

void
gprof_describe(struct cg_build *build, const struct gmon *gmon,
    const struct gprof_images *images)
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
}

/* ---- Recalling ---------------------------------------------------------- */

/*
 * Reads a name, such as "word=", and a number from the beginning of *text, and
 * the blanks after them. Stores the number in *value. False: malformed; the
 * name may have been read.
 */
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
	    rate == 0 || rate > GMON_RATE_MAX || hist->bins > GPROF_BINS_MAX ||
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

/*
 * Returns the value of a description's key, from the first part (section of
 * the graph) that has the key. NULL: no part has it.
 */
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
	const char *value = find_desc(graph, GPROF_KEY_TARGET);
	uint64_t bins = 0;
	char key[KEY_MAX];

	if (!value || !take_target(cg_slice(value), gmon))
		return false;
	gmon->bucket = take_bucket(find_desc(graph, GPROF_KEY_BUCKET));
	for (gmon->hists = 0; gmon->hists < GMON_RANGES_MAX; gmon->hists++) {
		struct gmon_hist *hist = &gmon->hist[gmon->hists];

		number_key(key, GPROF_KEY_HISTOGRAM, gmon->hists);
		value = find_desc(graph, key);
		if (!value || !take_hist(cg_slice(value), hist) ||
		    hist->bins > GPROF_BINS_MAX - bins)
			break;
		bins += hist->bins;
	}
	return true;
}

const char *
gprof_recall_order(const struct cg_graph *graph)
{
	const char *value = find_desc(graph, GPROF_KEY_ORDER);

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
		number_key(key, GPROF_KEY_LIBRARY, i);
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

/* ---- The order of arcs --------------------------------------------------- */

/*
 * GNU gprof prints callers and callees of equal time and count in the order of
 * the file, so the same data in another order is printed differently. A graph
 * has no such order. But glibc writes the arcs of a bucket with the latest
 * call first, so that addresses imply most of the order: buckets ascend, and
 * call sites in a bucket descend, after unknown call sites (mostly jumps at
 * the end of a function that was called there). gmon.order states the
 * differences of a file from this rule:
 *
 *	0x9960:2.0.1 0xb1e0:1.0
 *
 * In bucket 0x9960, the file has the arcs in this order: third, first and
 * second by the rule.
 */
#define BUCKET_MAX 1000 /* arcs of a bucket; the order of more is lost */
#define TEXT_MAX 65536  /* bytes of text; further order is lost */
#define NUMBER_MAX 8    /* of ".999", with room to spare */

int
gprof_compare_calls(const void *va, const void *vb)
{
	const struct gprof_call *a = va, *b = vb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->offset != b->offset) {
		if (a->offset == 0 || b->offset == 0)
			return a->offset == 0 ? -1 : 1;
		return a->offset > b->offset ? -1 : 1;
	}
	if (a->self != b->self)
		return a->self < b->self ? -1 : 1;
	return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

/*
 * True if the order of a bucket's arcs in the file needs no description, as it
 * is the writer's. True also if the order cannot be described, as two arcs are
 * equal or there are too many. A bucket has the callers at one rounded
 * address.
 */
static bool
is_regular(const struct gprof_order *order)
{
	bool regular = true;

	for (size_t i = 1; i < order->call.n; i++) {
		regular &=
		    order->call.at[i - 1].index < order->call.at[i].index;
		if (order->call.at[i - 1].self == order->call.at[i].self)
			return true;
	}
	return regular || order->call.n > BUCKET_MAX;
}

/*
 * Ends a bucket (callers at one rounded address): sorts its arcs as the writer
 * does. If the file's order differs, appends it to the text of a description,
 * up to TEXT_MAX bytes. False: out of memory (reported).
 */
static bool
end_bucket(struct gprof_order *order)
{
	size_t need = CG_NUMBER_MAX + NUMBER_MAX * (order->call.n + 1);
	char separator = ':';
	char *to;

	cg_sort(order->call.at, order->call.n, sizeof(struct gprof_call),
	    gprof_compare_calls);
	if (is_regular(order) || order->text.n + need > TEXT_MAX)
		return true;
	if (!cg_reserve(order->job, &order->text, order->text.n + need))
		return false;
	to = order->text.at + order->text.n;
	if (order->text.n > 0)
		*to++ = ' ';
	to = cg_format_hex(to, order->call.at[0].from);
	/* index is the position in the file; the text has its inverse. */
	for (uint32_t i = 0; i < order->call.n; i++) {
		for (uint32_t j = 0; j < order->call.n; j++) {
			if (order->call.at[j].index != i)
				continue;
			*to++ = separator;
			to = cg_format_u64(to, j);
		}
		separator = '.';
	}
	order->text.n = (size_t)(to - order->text.at);
	return true;
}

bool
gprof_order_add(struct gprof_order *order, const struct gprof_call *call)
{
	if (order->call.n > 0 && order->call.at[0].from != call->from) {
		if (!end_bucket(order))
			return false;
		order->call.n = 0;
	}
	if (!cg_reserve(order->job, &order->call, order->call.n + 1))
		return false;
	order->call.at[order->call.n] = *call;
	order->call.at[order->call.n].index = (uint32_t)order->call.n;
	order->call.n++;
	return true;
}

bool
gprof_order_end(struct gprof_order *order, struct cg_slice *text)
{
	bool ok = order->call.n == 0 || end_bucket(order);

	*text = (struct cg_slice){ order->text.at, order->text.n };
	return ok;
}

/*
 * Sets the index of each of n calls of a bucket (callers at one rounded
 * address) to its input position. A text such as "2.0.1" has their numbers in
 * the input's order. False: not a permutation; some indices are set.
 */
static bool
take_positions(struct cg_slice text, struct gprof_call *call, size_t n)
{
	uint32_t position = 0;
	uint64_t which;

	for (size_t i = 0; i < n; i++)
		call[i].index = UINT32_MAX;
	do {
		if (!cg_take_u64(&text, &which) || which >= n ||
		    call[which].index != UINT32_MAX)
			return false;
		call[which].index = position++;
	} while (cg_take_char(&text, '.'));
	return position == n && text.len == 0;
}

static int
compare_positions(const void *va, const void *vb)
{
	const struct gprof_call *a = va, *b = vb;

	return a->index == b->index ? 0 : a->index < b->index ? -1 : 1;
}

void
gprof_order_apply(const char *order, struct gprof_call *call, size_t n)
{
	struct cg_slice text = cg_slice(order), word;
	uint64_t from;
	size_t i = 0, end;

	while (cg_take_until(&text, ' ', &word)) {
		if (!cg_take_u64(&word, &from) || !cg_take_char(&word, ':'))
			return;
		while (i < n && call[i].from < from)
			i++;
		for (end = i; end < n && call[end].from == from;)
			end++;
		if (end > i && take_positions(word, call + i, end - i))
			qsort(call + i, end - i, sizeof(*call),
			    compare_positions);
		i = end;
	}
}
