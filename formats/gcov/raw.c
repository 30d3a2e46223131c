/*
 * raw.c - adds the raw counters of a unit's data to the graph, as rows that can
 * be merged.
 *
 * Sources: the sources of data.c, which has checked the records; for merging
 * of counters, the merge functions of libgcov (gcov-counter.def of gcc 3.4 to
 * 16).
 */
#include "raw.h"

#define SUMMARIES_MAX (GCOV_RAW_AFTER - GCOV_RAW_BEFORE)

struct raw {
	struct gcov_unit *unit;
	struct cg_build *build;
	struct cg_map idents;
	uint32_t ident; /* of the function */
	uint32_t kinds; /* bit set of the kinds seen so far */
	uint32_t fns, summaries;
	bool has_fn;
};

/* How kinds are merged. For gcc 7 and 8 only the first kinds are known. */
static const struct {
	uint32_t kind, since, before; /* layouts */
	enum gcov_merge merge;
} merges[] = {
	{ 0, 0, UINT32_MAX, GCOV_MERGE_ADD }, /* arcs */
	{ 1, 0, UINT32_MAX, GCOV_MERGE_ADD }, /* interval */
	{ 2, 0, UINT32_MAX, GCOV_MERGE_ADD }, /* pow2 */
	{ 3, GCOV_VERSION(11, 0), UINT32_MAX, GCOV_MERGE_VALUES },
	{ 4, GCOV_VERSION(11, 0), UINT32_MAX, GCOV_MERGE_VALUES }, /* targets */
	{ 6, GCOV_VERSION(4, 4), GCOV_VERSION(7, 0), GCOV_MERGE_ADD },
	{ 5, GCOV_VERSION(9, 0), UINT32_MAX, GCOV_MERGE_ADD }, /* average */
	{ 7, GCOV_VERSION(4, 4), GCOV_VERSION(7, 0), GCOV_MERGE_OR },
	{ 6, GCOV_VERSION(9, 0), UINT32_MAX, GCOV_MERGE_OR }, /* ior */
	{ 8, GCOV_VERSION(4, 9), GCOV_VERSION(7, 0), GCOV_MERGE_FIRST },
	{ 7, GCOV_VERSION(9, 0), UINT32_MAX, GCOV_MERGE_FIRST }, /* time */
	{ 8, GCOV_VERSION(14, 0), UINT32_MAX, GCOV_MERGE_OR }, /* conditions */
	{ 9, GCOV_VERSION(15, 0), UINT32_MAX, GCOV_MERGE_OR }, /* paths */
};

enum gcov_merge
gcov_merge_of(uint32_t kind, uint32_t layout)
{
	for (size_t i = 0; i < sizeof(merges) / sizeof(*merges); i++) {
		if (merges[i].kind == kind && layout >= merges[i].since &&
		    layout < merges[i].before)
			return merges[i].merge;
	}
	return GCOV_MERGE_NOT;
}

static void
add(const struct raw *raw, uint32_t line, uint32_t block, uint32_t index,
    uint32_t target, int64_t count)
{
	const struct cg_branch row = { .pos = { .line = line },
		.kind = CG_BRANCH_COUNTER,
		.block = block,
		.index = index,
		.target = target,
		.count = count };

	(void)cg_add_branch(raw->build, 0, &row);
}

/*
 * Adds a word of the data to the graph, and its complement. The word must be
 * equal in all inputs. Merging keeps the greater of each, so the two reveal
 * inputs that differ (see raw.h).
 */
static void
add_word(const struct raw *raw, uint32_t line, uint32_t block, uint32_t number,
    uint32_t word)
{
	add(raw, line, block, 2 * number, word, 1);
	add(raw, line, block, 2 * number + 1, ~word, 1);
}

static void
add_head(const struct raw *raw)
{
	const struct gcov_head *head = &raw->unit->data.head;
	uint32_t word[GCOV_RAW_HEADS] = {
		[GCOV_RAW_LAYOUT] = head->layout,
		[GCOV_RAW_BYTE_ORDER] = raw->unit->data.order == GCOV_BIG,
		[GCOV_RAW_STAMP] = head->stamp,
		[GCOV_RAW_CHECKSUM] = head->checksum,
	};

	for (size_t i = 0; i < 4; i++)
		word[GCOV_RAW_VERSION] = word[GCOV_RAW_VERSION] << 8 |
					 (unsigned char)head->version[i];
	for (uint32_t i = 0; i < GCOV_RAW_HEADS; i++)
		add_word(raw, 0, GCOV_RAW_HEAD, i, word[i]);
}

static bool
add_function(struct raw *raw, struct gcov_bytes *record)
{
	struct gcov_bytes look = *record;
	uint32_t word, *seen;

	raw->has_fn =
	    record->at < record->end && gcov_take_u32(&look, &raw->ident);
	if (!raw->has_fn)
		return true;
	seen = cg_map_at(&raw->idents, raw->ident);
	if (!seen)
		return false;
	if ((*seen)++)
		add(raw, 0, GCOV_RAW_DUPLICATE, 0, 1, 1);
	raw->kinds = 0;
	add(raw, raw->ident, GCOV_RAW_ORDER, 0, raw->fns++, 1);
	for (uint32_t i = 0;
	     record->at < record->end && gcov_take_u32(record, &word); i++)
		add_word(raw, raw->ident, GCOV_RAW_WORD, i, word);
	return true;
}

/*
 * Adds a summary record to the graph: its tag and words, both as constants and
 * as numbers that merging adds. write.c chooses between them. False: more than
 * 1024 summaries (an error of the record).
 */
static bool
add_summary(struct raw *raw, uint32_t tag, struct gcov_bytes *record)
{
	uint32_t block, word;

	if (raw->summaries == SUMMARIES_MAX)
		return gcov_error(
		    record, record->at - 8, "expected at most 1024 summaries");
	block = (raw->fns > 0 ? GCOV_RAW_AFTER : GCOV_RAW_BEFORE) +
		raw->summaries++;
	add(raw, 0, block, 0, tag, 0);
	for (uint32_t i = 1;
	     record->at < record->end && gcov_take_u32(record, &word); i++)
		add(raw, 0, block, i, word, word);
	return true;
}

static void
add_bits(const struct raw *raw, uint32_t kind, uint32_t number, uint64_t bits)
{
	add(raw, raw->ident, kind, number, 0, 0);
	for (uint32_t i = 0; i < 64; i++) {
		if (bits >> i & 1)
			add(raw, raw->ident, GCOV_RAW_BITS + kind,
			    number * 64 + i, 0, 1);
	}
}

/*
 * True if the n counters can be times of first calls. Such a time is a count
 * of functions called before, so it is from 0 to 2^32 - 2.
 */
static bool
are_times(const struct raw *raw, const unsigned char *at, uint32_t n)
{
	int64_t time;

	for (; n > 0; n--, at += 8) {
		time = gcov_get_counter(at, raw->unit->data.order);
		if (time < 0 || time >= UINT32_MAX)
			return false;
	}
	return true;
}

static void
add_counter(const struct raw *raw, uint32_t kind, enum gcov_merge merge,
    uint32_t number, int64_t count)
{
	switch (merge) {
	case GCOV_MERGE_NOT:
	case GCOV_MERGE_VALUES: return;
	case GCOV_MERGE_ADD:
		add(raw, raw->ident, kind, number, 0, count);
		return;
	case GCOV_MERGE_OR:
		add_bits(raw, kind, number, (uint64_t)count);
		return;
	case GCOV_MERGE_FIRST: /* merging keeps the greatest target */
		add(raw, raw->ident, kind, number,
		    count > 0 ? ~(uint32_t)count : 0, 0);
		return;
	}
}

/*
 * Sets *counters to the number of counters in n 64-bit words. Each has a
 * total, the number of frequent values of an expression, and pairs of value
 * and count. False: malformed.
 */
static bool
count_values(const struct raw *raw, const unsigned char *at, uint32_t n,
    uint32_t *counters)
{
	int64_t values;

	for (*counters = 0; n > 0; ++*counters) {
		if (n < 2)
			return false;
		values = gcov_get_counter(at + 8, raw->unit->data.order);
		n -= 2;
		if (values < 0 || values > n / 2)
			return false;
		n -= 2 * (uint32_t)values;
		at += 16 + values * 16;
	}
	return true;
}

static void
add_value(const struct raw *raw, uint32_t kind, uint32_t counter,
    uint32_t number, const unsigned char *at)
{
	enum gcov_order order = raw->unit->data.order;
	const struct cg_branch row = {
		.pos = { .line = raw->ident,
		    .addr = (uint64_t)gcov_get_counter(at, order) },
		.kind = CG_BRANCH_COUNTER,
		.block = GCOV_RAW_VALUES + kind,
		.index = counter,
		.target = ~number,
		.count = gcov_get_counter(at + 8, order),
	};

	(void)cg_add_branch(raw->build, 0, &row);
}

static void
add_values(const struct raw *raw, uint32_t kind, uint32_t counters,
    const unsigned char *at)
{
	for (uint32_t i = 0; i < counters; i++) {
		int64_t total = gcov_get_counter(at, raw->unit->data.order);
		int64_t n = gcov_get_counter(at + 8, raw->unit->data.order);

		add(raw, raw->ident, kind, i, total < 0,
		    total < 0 && total > INT64_MIN ? -total : total);
		at += 16;
		for (uint32_t k = 0; k < n; k++, at += 16)
			add_value(raw, kind, i, k, at);
	}
}

/*
 * Adds the counters of a record to the graph, to be merged by the rule of
 * their kind. Zeros without bytes in the file only add their number.
 * GCOV_RAW_DROPPED tells of counters that cannot be merged, GCOV_RAW_DUPLICATE
 * of a kind read twice. Skips counters without a function. False: malformed
 * (an error of bytes).
 */
static bool
add_counters(struct raw *raw, struct gcov_bytes *bytes, uint32_t kind)
{
	const struct gcov_data *data = &raw->unit->data;
	enum gcov_merge merge = gcov_merge_of(kind, data->head.layout);
	uint32_t length, n, size;
	bool zero;

	if (!gcov_take_u32(bytes, &length))
		return false;
	zero = data->head.layout >= GCOV_VERSION(11, 0) && length >> 31;
	n = (zero ? 0 - length : length) / (bytes->byte_lengths ? 8 : 2);
	if (n > UINT32_MAX / 64 / 2)
		return gcov_error(
		    bytes, bytes->at - 8, "expected fewer than 2^25 counters");
	if (!raw->has_fn ||
	    (merge == GCOV_MERGE_FIRST && !zero &&
		!are_times(raw, bytes->at, n)) ||
	    (merge == GCOV_MERGE_VALUES &&
		(zero || !count_values(raw, bytes->at, n, &size))))
		merge = GCOV_MERGE_NOT;
	if (merge != GCOV_MERGE_VALUES)
		size = n;
	if (raw->has_fn && merge == GCOV_MERGE_NOT)
		add(raw, 0, GCOV_RAW_DROPPED, 0, 1, 1);
	else if (raw->has_fn)
		add_word(raw, raw->ident, GCOV_RAW_SIZE, kind, size);
	if (raw->has_fn && raw->kinds >> kind & 1)
		add(raw, 0, GCOV_RAW_DUPLICATE, 0, 1, 1);
	raw->kinds |= 1u << kind;
	if (merge == GCOV_MERGE_VALUES)
		add_values(raw, kind, size, bytes->at);
	for (uint32_t i = 0; i < n && !zero; i++, bytes->at += 8)
		add_counter(raw, kind, merge, i,
		    gcov_get_counter(bytes->at, data->order));
	return true;
}

static bool
add_record(struct raw *raw, struct gcov_bytes *bytes)
{
	struct gcov_bytes record = *bytes;
	uint32_t tag, kind;

	if (!gcov_take_u32(&record, &tag))
		return false;
	if (gcov_is_counters(tag, &kind)) {
		*bytes = record;
		return add_counters(raw, bytes, kind);
	}
	if (!gcov_take_record(bytes, &tag, &record))
		return false;
	if (tag == GCOV_TAG_FUNCTION)
		return add_function(raw, &record);
	if (tag == GCOV_TAG_OBJECT || tag == GCOV_TAG_PROGRAM)
		return add_summary(raw, tag, &record) ||
		       gcov_error(bytes, record.error_at, record.error);
	return true;
}

/*
 * Returns the number of end marks (words 0) at the beginning of bytes: 1 for
 * gcc, 2 for clang. The second one must be the last word, as stale bytes may
 * follow gcc's mark.
 */
static uint32_t
count_ends(struct gcov_bytes bytes)
{
	uint32_t word;

	return gcov_take_u32(&bytes, &word) && gcov_take_u32(&bytes, &word) &&
		       word == 0 && bytes.at == bytes.end
		   ? 2
		   : 1;
}

int
gcov_add_raw(struct gcov_unit *unit, struct cg_build *build)
{
	struct raw raw = { .unit = unit, .build = build };
	struct gcov_bytes bytes = unit->data.records, look;
	uint32_t tag = 1;
	bool success = true;

	if (!bytes.at)
		return CG_OK;
	add_head(&raw);
	while (success && bytes.at < bytes.end) {
		look = bytes;
		if (!gcov_take_u32(&look, &tag) || tag == 0)
			break;
		success = add_record(&raw, &bytes);
	}
	add(&raw, 0, GCOV_RAW_ENDS, 0, tag == 0 ? count_ends(bytes) : 0, 0);
	cg_map_free(&raw.idents);
	if (!success && !bytes.error)
		return cg_nomem(unit->job);
	if (!success)
		return cg_fail_at(
		    unit->job, (const char *)bytes.error_at, "%s", bytes.error);
	return cg_build_status(build);
}
