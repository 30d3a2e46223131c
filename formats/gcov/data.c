/*
 * data.c - reads .gcda files: the counters of each function.
 *
 * Sources: gcov-io.h and libgcov-driver.c of gcc 3.4 to 16, GCDAProfiling.c of
 * LLVM 9 to 23. libgcov does not truncate a file that it overwrites, so stale
 * bytes of a longer file may follow the end mark.
 */
#include "gcov.h"

#define HEAD(name) offsetof(struct gcov_head, name)
static const struct gcov_field head_fields[] = {
	{ 0, GCOV_WORD, HEAD(stamp), "expected a stamp" },
	{ GCOV_VERSION(12, 0), GCOV_WORD, HEAD(checksum),
	    "expected a checksum" },
	{ 0 },
};

#define FN(name) offsetof(struct gcov_data_fn, name)
static const struct gcov_field fn_fields[] = {
	{ 0, GCOV_WORD, FN(ident), "expected the ident of a function" },
	{ 0, GCOV_WORD, FN(lineno), "expected the checksum of a function" },
	{ GCOV_VERSION(4, 7), GCOV_WORD, FN(cfg),
	    "expected the checksum of a function's graph" },
	{ 0 },
};

/* The use of a kind of counters, from a version on. */
static const struct {
	uint32_t kind;
	enum gcov_kind means;
	unsigned since;
} kinds[] = {
	{ 0, GCOV_ARCS, 0 },
	{ 4, GCOV_TARGETS, GCOV_VERSION(11, 0) }, /* exact since gcc 11 */
	{ 8, GCOV_CONDITIONS, GCOV_VERSION(14, 0) },
	{ 9, GCOV_PATHS, GCOV_VERSION(15, 0) },
};

static bool
take_function(struct gcov_unit *unit, struct gcov_bytes *record)
{
	struct gcov_data *data = &unit->data;
	struct gcov_data_fn *fn;

	if (!gcov_grow(
		unit, &data->fn, &data->fn_cap, data->fns + 1, sizeof(*fn)))
		return false;
	fn = &data->fn[data->fns++];
	*fn = (struct gcov_data_fn){ 0 };
	return gcov_take_fields(record, data->head.layout, fn_fields, fn);
}

/*
 * Reads a record of counters, after its tag. Stores their place in the last
 * function, if has_fn and the kind is coverage. From gcc 11 on, a negative
 * length means zeros without bytes. False: malformed (see bytes->error).
 */
static bool
take_counters(struct gcov_unit *unit, struct gcov_bytes *bytes, uint32_t kind,
    bool has_fn)
{
	struct gcov_data *data = &unit->data;
	const unsigned char *start = bytes->at - 4;
	struct gcov_counters counters = { .present = true };
	uint32_t length;
	uint64_t size;
	bool zero;

	if (!gcov_take_u32(bytes, &length))
		return false;
	zero = data->head.layout >= GCOV_VERSION(11, 0) && length >> 31;
	length = zero ? 0 - length : length;
	size = bytes->byte_lengths ? length : (uint64_t)length * 4;
	if (size % 8 != 0)
		return gcov_error(bytes, start,
		    "expected a length that is a multiple of 8 bytes");
	if (!zero && size > (uint64_t)(bytes->end - bytes->at))
		return gcov_error(
		    bytes, start, "expected counters that end within the file");
	counters.n = size / 8;
	if (!zero) {
		counters.at = bytes->at;
		bytes->at += size;
	}
	for (size_t i = 0; has_fn && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].kind == kind &&
		    data->head.layout >= kinds[i].since)
			data->fn[data->fns - 1].counters[kinds[i].means] =
			    counters;
	}
	return true;
}

/*
 * Reads the number of the program's runs from a summary record. It is word 0
 * from gcc 9 on, word 2 before. data->runs becomes the greatest number of all
 * summaries. A record that is too short is ignored.
 */
static void
take_summary(struct gcov_data *data, struct gcov_bytes *record)
{
	unsigned at = data->head.layout >= GCOV_VERSION(9, 0) ? 0 : 2;
	uint32_t word;

	for (unsigned i = 0; i <= at; i++) {
		if (!gcov_take_u32(record, &word))
			return;
	}
	if (word > data->runs)
		data->runs = word;
}

/*
 * Reads a record of the data: a function, its counters, or a summary; skips
 * others. *has_fn says if the last function has data here. False: end mark
 * (data.ended), malformed (bytes->error), or out of memory (unit->nomem).
 */
static bool
take_record(struct gcov_unit *unit, struct gcov_bytes *bytes, bool *has_fn)
{
	struct gcov_bytes record, whole = *bytes;
	uint32_t tag, kind;
	bool taken = true;

	if (!gcov_take_u32(bytes, &tag))
		return false;
	if (tag == 0) {
		unit->data.ended = true;
		return false;
	}
	if (gcov_is_counters(tag, &kind))
		return take_counters(unit, bytes, kind, *has_fn);
	*bytes = whole;
	if (!gcov_take_record(bytes, &tag, &record))
		return false;
	if (tag == GCOV_TAG_FUNCTION) {
		/* An empty record: the function's data is in another unit. */
		*has_fn = record.at < record.end;
		taken = !*has_fn || take_function(unit, &record);
	} else if (tag == GCOV_TAG_OBJECT || tag == GCOV_TAG_PROGRAM) {
		take_summary(&unit->data, &record);
	}
	return taken || gcov_error(bytes, record.error_at, record.error);
}

bool
gcov_read_data(
    struct gcov_unit *unit, struct gcov_bytes *bytes, unsigned layout)
{
	struct gcov_data *data = &unit->data;
	bool has_fn = false;

	data->fns = 0;
	data->runs = 0;
	data->ended = false;
	if (!gcov_take_magic(bytes, &data->head, layout))
		return false;
	if (data->head.magic != GCOV_DATA)
		return gcov_error(
		    bytes, bytes->at - 8, "expected a .gcda file");
	data->order = bytes->big ? GCOV_BIG : GCOV_LITTLE;
	if (!gcov_take_fields(
		bytes, data->head.layout, head_fields, &data->head))
		return false;
	data->records = *bytes;
	while (bytes->at < bytes->end && take_record(unit, bytes, &has_fn))
		;
	return !bytes->error && !unit->nomem;
}
