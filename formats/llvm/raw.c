/*
 * raw.c - .profraw, what an instrumented program writes: versions 8 to 11 (LLVM
 * 14 to 23), of any pointer size and byte order.
 *
 * Source: InstrProfData.inc and RawInstrProfReader in InstrProfReader.cpp of
 * LLVM; lib/profile of compiler-rt (InstrProfilingWriter.c). A file may have
 * several profiles, one after another, with zeros between them.
 *
 *	header, build ids, records of functions, counters, bitmaps, uniform
 *	counters (of GPUs), names, tables of C++ classes and their names, values
 *
 * Counters are found by addresses: a record has the distance from itself to its
 * counters, the header that between the two sections.
 */
#include <stdlib.h>

#include "profile.h"

#define MAGIC_64 UINT64_C(0xff6c70726f667281) /* \xfflprofr\x81 */
#define MAGIC_32 UINT64_C(0xff6c70726f665281) /* \xfflprofR\x81 */
#define OLDEST 8
#define NEWEST 11

/* The words of a header, each with the version that introduced it. */
enum word {
	VERSION,
	IDS,
	RECORDS,
	BEFORE_COUNTERS,
	COUNTERS,
	AFTER_COUNTERS,
	BITMAPS,
	AFTER_BITMAPS,
	UNIFORM,
	AFTER_UNIFORM,
	UNIFORM_DELTA,
	NAMES,
	COUNTERS_DELTA,
	BITMAPS_DELTA,
	NAMES_DELTA,
	TABLES,
	TABLE_NAMES,
	LAST_KIND,
	WORDS
};
static const unsigned char since[WORDS] = { [BITMAPS] = 9,
	[AFTER_BITMAPS] = 9,
	[UNIFORM] = 11,
	[AFTER_UNIFORM] = 11,
	[UNIFORM_DELTA] = 11,
	[BITMAPS_DELTA] = 9,
	[TABLES] = 10,
	[TABLE_NAMES] = 10 };

struct raw {
	struct llvm_profile *profile;
	uint64_t word[WORDS];
	unsigned version, pointer; /* bytes of a pointer */
	unsigned size;             /* of a record */
	struct llvm_bytes records, counters, bitmaps;
};

/*
 * Takes the magic number of a profile, if the bytes begin with one. It tells
 * the size of pointers and the byte order. Sets *pointer to that size in
 * bytes, 4 or 8, and sets bytes->big if the order is big-endian. False: no
 * magic number; nothing is taken, and *pointer has no meaning.
 */
static bool
take_magic(struct llvm_bytes *bytes, unsigned *pointer)
{
	uint64_t word;

	for (int big = 0; big < 2 && llvm_left(bytes) >= 8; big++) {
		word = llvm_get(bytes->at, 8, big);
		*pointer = word == MAGIC_64 ? 8 : 4;
		if (word == MAGIC_64 || word == MAGIC_32) {
			bytes->at += 8;
			bytes->big = big;
			return true;
		}
	}
	return false;
}

bool
llvm_is_raw(struct cg_slice text)
{
	struct llvm_bytes bytes = llvm_bytes_of(text, false);
	unsigned pointer;

	return take_magic(&bytes, &pointer);
}

/* ---- Records ------------------------------------------------------------ */

struct fields {
	uint64_t counter, bitmap, sites, bitmap_bytes, count;
	struct llvm_record record;
};

/*
 * Takes the record of a function off "bytes" into *f. Sets f->sites to the
 * number of kinds of values that the function has. If it is not 0, values of
 * the function follow later in the file. False: fewer bytes are left than a
 * record has.
 */
static bool
take_fields(const struct raw *raw, struct llvm_bytes *bytes, struct fields *f)
{
	const unsigned kinds = raw->version >= 10 ? 3 : 2;
	const unsigned char *begin = bytes->at;
	uint64_t word;

	*f = (struct fields){ 0 };
	if (llvm_left(bytes) < raw->size)
		return false;
	(void)llvm_take(bytes, 8, &f->record.name);
	(void)llvm_take(bytes, 8, &f->record.hash);
	(void)llvm_take(bytes, raw->pointer, &f->counter);
	if (raw->version >= 11)
		bytes->at += raw->pointer; /* uniform counters */
	if (raw->version >= 9)
		(void)llvm_take(bytes, raw->pointer, &f->bitmap);
	bytes->at += 2 * (size_t)raw->pointer; /* function, values */
	(void)llvm_take(bytes, 4, &f->count);
	for (unsigned i = 0; i < kinds; i++) {
		(void)llvm_take(bytes, 2, &word);
		f->sites += word != 0;
	}
	/* To a multiple of 4; from version 11 on, size of a GPU's waves. */
	bytes->at += kinds % 2 * (size_t)2;
	if (raw->version >= 9)
		(void)llvm_take(bytes, 4, &f->bitmap_bytes);
	bytes->at = begin + raw->size;
	return true;
}

/*
 * Finds the n bytes of the counters or of the bitmap of record i (from 0) in
 * their section "in". Sets *at to the first of these bytes. "addr" is the
 * address that the record states, relative to the record. "delta" is the
 * distance from the first record to the section. False: the bytes are outside
 * of the section (reported).
 */
static bool
find_bytes(const struct raw *raw, const struct llvm_bytes *in, uint64_t addr,
    uint64_t delta, uint64_t i, uint64_t n, const unsigned char **at)
{
	uint64_t offset = addr - (delta - i * raw->size);

	if (raw->pointer == 4)
		offset &= UINT32_MAX;
	if (offset > llvm_left(in) || n > llvm_left(in) - offset)
		return cg_reject_at(raw->profile->job, (const char *)in->at,
		    "expected counters of function %llu in this profile",
		    (unsigned long long)i + 1);
	*at = in->at + offset;
	return true;
}

/*
 * Skips the values of one function (targets of calls, sizes), which begin with
 * their size. False: malformed (reported).
 */
static bool
skip_values(const struct raw *raw, struct llvm_bytes *bytes)
{
	struct llvm_bytes part = *bytes;
	uint64_t size;

	if (llvm_take(&part, 4, &size) && size >= 8 &&
	    llvm_cut(bytes, size, &part))
		return true;
	return cg_reject_at(raw->profile->job, (const char *)bytes->at,
	    "expected the values of a function");
}

static bool
take_records(struct raw *raw, struct llvm_bytes *values)
{
	struct llvm_profile *profile = raw->profile;
	uint64_t counters = raw->word[COUNTERS], bits = raw->word[BITMAPS];
	struct fields f;

	for (uint64_t i = 0; take_fields(raw, &raw->records, &f); i++) {
		/*
		 * Functions do not share counters: all together fit into the
		 * sections.
		 */
		if (f.count > counters || f.bitmap_bytes > bits)
			return cg_reject(profile->job,
			    "expected fewer counters of functions");
		counters -= f.count;
		bits -= f.bitmap_bytes;
		f.record.counters = (uint32_t)f.count;
		f.record.bitmap_bytes = (uint32_t)f.bitmap_bytes;
		if (!find_bytes(raw, &raw->counters, f.counter,
			raw->word[COUNTERS_DELTA], i, f.count * profile->width,
			&f.record.counter) ||
		    (f.bitmap_bytes > 0 &&
			!find_bytes(raw, &raw->bitmaps, f.bitmap,
			    raw->word[BITMAPS_DELTA], i, f.bitmap_bytes,
			    &f.record.bitmap)) ||
		    (f.sites > 0 && !skip_values(raw, values)) ||
		    !llvm_add_record(profile, &f.record))
			return false;
	}
	return true;
}

/* ---- Profiles ----------------------------------------------------------- */

/*
 * Returns the size in bytes of a function's record, which depends on the
 * version and the size of pointers; it is a multiple of 8.
 */
static unsigned
record_size(const struct raw *raw)
{
	if (raw->version == 8)
		return raw->pointer == 8 ? 48 : 40;
	if (raw->version < 11)
		return raw->pointer == 8 ? 64 : 48;
	return raw->pointer == 8 ? 72 : 56;
}

static bool
take_header(struct raw *raw, struct llvm_bytes *bytes)
{
	struct cg_job *job = raw->profile->job;
	const char *at = (const char *)bytes->at;

	if (!llvm_take(bytes, 8, &raw->word[VERSION]))
		return cg_reject_at(job, at, "expected a version");
	raw->version = (unsigned)LLVM_VERSION(raw->word[VERSION]);
	if (raw->version < OLDEST || raw->version > NEWEST)
		return cg_reject_at(job, at,
		    "version %u of .profraw is not known (%d to %d are); run, "
		    "of the same LLVM: llvm-profdata merge -o out.profdata "
		    "FILE && llvm-cov export -format=lcov "
		    "-instr-profile=out.profdata PROGRAM >out.info && cgconv "
		    "out.info",
		    raw->version, OLDEST, NEWEST);
	if (!llvm_check_kind(job, raw->word[VERSION]))
		return false;
	for (unsigned i = VERSION + 1; i < WORDS; i++) {
		raw->word[i] = 0;
		if (since[i] <= raw->version &&
		    !llvm_take(bytes, 8, &raw->word[i]))
			return cg_reject_at(job, at, "expected a header");
	}
	raw->size = record_size(raw);
	return true;
}

/*
 * Takes n items of "size" bytes as *part. False: fewer bytes are left, or the
 * product overflows.
 */
static bool
cut_items(struct llvm_bytes *bytes, uint64_t n, uint64_t size,
    struct llvm_bytes *part)
{
	/* The analyzer does not see that sizes come from our own tables. */
	/* NOLINTNEXTLINE(clang-analyzer-core.DivideZero) */
	return n <= UINT64_MAX / size && llvm_cut(bytes, n * size, part);
}

static uint64_t
padding(uint64_t size)
{
	return -size & 7;
}

/*
 * Takes the sections after the header. The header states their sizes
 * (raw->word). Sets *ids to the build ids. Stores records, counters and
 * bitmaps in *raw. Skips the other sections. False: the file is too short (not
 * reported).
 */
static bool
take_sections(struct raw *raw, struct llvm_bytes *bytes, struct llvm_bytes *ids)
{
	const uint64_t *word = raw->word;
	/* Size of an entry of a table: hash of its name, address, size. */
	const uint64_t table = raw->pointer == 8 ? 24 : 16;
	struct llvm_bytes part;

	return llvm_cut(bytes, word[IDS], ids) &&
	       cut_items(bytes, word[RECORDS], raw->size, &raw->records) &&
	       llvm_cut(bytes, word[BEFORE_COUNTERS], &part) &&
	       cut_items(bytes, word[COUNTERS], raw->profile->width,
		   &raw->counters) &&
	       llvm_cut(bytes, word[AFTER_COUNTERS], &part) &&
	       llvm_cut(bytes, word[BITMAPS], &raw->bitmaps) &&
	       llvm_cut(bytes, word[AFTER_BITMAPS], &part) &&
	       cut_items(bytes, word[UNIFORM], 8, &part) &&
	       llvm_cut(bytes, word[AFTER_UNIFORM], &part) &&
	       llvm_cut(bytes, word[NAMES], &part) &&
	       llvm_cut(bytes, padding(word[NAMES]), &part) &&
	       cut_items(bytes, word[TABLES], table, &part) &&
	       llvm_cut(bytes, padding(word[TABLES] * table), &part) &&
	       llvm_cut(bytes, word[TABLE_NAMES], &part) &&
	       llvm_cut(bytes, padding(word[TABLE_NAMES]), &part);
}

static bool
take_profile(struct raw *raw, struct llvm_bytes *bytes, bool first)
{
	struct llvm_profile *profile = raw->profile;
	const char *at = (const char *)bytes->at;
	struct llvm_bytes ids;
	unsigned width;

	if (!take_magic(bytes, &raw->pointer))
		return cg_reject_at(
		    profile->job, at, "expected another .profraw");
	if (!take_header(raw, bytes))
		return false;
	width = raw->word[VERSION] & LLVM_BYTE_COUNTERS ? 1 : 8;
	if (first) {
		profile->width = width;
		profile->big = bytes->big;
		profile->by_terms = raw->version < 10;
	}
	if (profile->width != width || profile->big != bytes->big ||
	    profile->by_terms != (raw->version < 10))
		return cg_reject_at(profile->job, at,
		    "expected profiles of one byte order and kind in a file");
	profile->set = profile->by_terms && raw->word[BITMAPS] > 0
			   ? LLVM_BY_TERMS
			   : LLVM_BY_PATH;
	if (!take_sections(raw, bytes, &ids))
		return cg_reject_at(profile->job, at,
		    "the file is truncated: expected all sections of a "
		    ".profraw");
	return llvm_add_ids(profile, ids) && take_records(raw, bytes);
}

bool
llvm_read_raw(struct llvm_profile *profile, struct cg_slice text)
{
	struct llvm_bytes bytes = llvm_bytes_of(text, false);
	struct raw raw = { .profile = profile };
	bool first = true;

	profile->step = 1;
	for (; llvm_left(&bytes) > 0; first = false) {
		if (!take_profile(&raw, &bytes, first))
			return false;
		while (llvm_left(&bytes) > 0 && *bytes.at == 0)
			bytes.at++;
	}
	return true;
}
