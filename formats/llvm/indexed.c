/*
 * indexed.c - .profdata, written by llvm-profdata merge: versions 4 to 13
 * (LLVM up to 22).
 *
 * Source: InstrProf.h, IndexedInstrProfReader in InstrProfReader.cpp and
 * Support/OnDiskHashTable.h of LLVM. All numbers are little-endian. A hash
 * table has the records of each function name; its buckets are read one after
 * another, and the hash in a bucket is that of the name in the executable.
 *
 * Version 14 (LLVM 23) adds bits to each record that say which counters of a
 * GPU were uniform. It is refused: where they are in a record is not
 * documented, and no file or writer of that version was at hand.
 */
#include <stdlib.h>

#include "profile.h"

#define MAGIC UINT64_C(0x8169666f72706cff) /* \xfflprofi\x81 */
#define OLDEST 4
#define NEWEST 13
#define ITEM_MIN 40 /* hash, two lengths, hash of the structure, counters */

bool
llvm_is_indexed(struct cg_slice text)
{
	return text.len >= 8 &&
	       llvm_get((const unsigned char *)text.ptr, 8, false) == MAGIC;
}

struct indexed {
	struct llvm_profile *profile;
	struct llvm_bytes all;
	uint64_t version, flags;
	uint64_t items, bytes; /* that may still be read */
};

static bool
fail(const struct indexed *indexed, const void *at, const char *expected)
{
	return cg_reject_at(indexed->profile->job, at, "expected %s", expected);
}

/*
 * Sets *bytes to the rest of the file from an offset on. False: the offset is
 * beyond the end (not reported); *bytes is then the whole file.
 */
static bool
seek(const struct indexed *indexed, uint64_t offset, struct llvm_bytes *bytes)
{
	*bytes = indexed->all;
	if (offset > llvm_left(bytes))
		return false;
	bytes->at += offset;
	return true;
}

/*
 * Takes all records of a function from "bytes", up to the end. Adds each
 * record to the profile under "name", the hash of the function's name. A
 * record has a hash (of the function's structure), counters, and from version
 * 11 of the format on a bitmap. Skips the values after them. False: malformed,
 * or out of memory (reported).
 */
static bool
take_records(struct indexed *indexed, struct llvm_bytes *bytes, uint64_t name)
{
	struct llvm_record record;
	struct llvm_bytes part;
	uint64_t n;

	while (llvm_left(bytes) > 0) {
		record = (struct llvm_record){ .name = name };
		if (!llvm_take(bytes, 8, &record.hash) ||
		    !llvm_take(bytes, 8, &n) || n > UINT32_MAX ||
		    !llvm_cut(bytes, 8 * n, &part))
			return fail(indexed, bytes->at, "counters");
		record.counter = part.at;
		record.counters = (uint32_t)n;
		if (indexed->version > 10) {
			if (!llvm_take(bytes, 8, &n) || n > UINT32_MAX ||
			    !llvm_cut(bytes, 8 * n, &part))
				return fail(indexed, bytes->at, "a bitmap");
			record.bitmap = part.at;
			record.bitmap_bytes = (uint32_t)n;
		}
		part = *bytes;
		if (!llvm_take(&part, 4, &n) || n < 8 ||
		    !llvm_cut(bytes, n, &part))
			return fail(indexed, bytes->at, "values");
		if (!llvm_add_record(indexed->profile, &record))
			return false;
	}
	return true;
}

/*
 * Takes one function of a hash bucket, and adds its records to the profile. A
 * function has the hash of its name, two sizes, a key and records. Skips the
 * key. A malformed file could refer to the same bytes many times. So
 * indexed->items and indexed->bytes limit how many functions and bytes calls
 * may still read. Reduces both. False: an error, or a limit is exceeded (both
 * reported).
 */
static bool
take_item(struct indexed *indexed, struct llvm_bytes *bytes)
{
	const unsigned char *at = bytes->at;
	struct llvm_bytes key, data;
	uint64_t name, key_size, data_size;

	if (!llvm_take(bytes, 8, &name) || !llvm_take(bytes, 8, &key_size) ||
	    !llvm_take(bytes, 8, &data_size) ||
	    !llvm_cut(bytes, key_size, &key) ||
	    !llvm_cut(bytes, data_size, &data) || indexed->items == 0 ||
	    (uint64_t)(bytes->at - at) > indexed->bytes)
		return fail(indexed, at, "a function in the hash table");
	indexed->items--;
	indexed->bytes -= (uint64_t)(bytes->at - at);
	return take_records(indexed, &data, name);
}

static bool
take_table(struct indexed *indexed, uint64_t offset)
{
	struct llvm_bytes table, bucket;
	uint64_t buckets, at, n;

	if (!seek(indexed, offset, &table) || !llvm_take(&table, 8, &buckets) ||
	    !llvm_take(&table, 8, &indexed->items) ||
	    buckets > llvm_left(&table) / 8 ||
	    indexed->items > indexed->bytes / ITEM_MIN)
		return fail(indexed, indexed->all.at + 32, "a hash table");
	for (uint64_t i = 0; i < buckets; i++) {
		(void)llvm_take(&table, 8, &at);
		if (at == 0)
			continue;
		if (!seek(indexed, at, &bucket) || !llvm_take(&bucket, 2, &n))
			return fail(indexed, table.at - 8, "a bucket");
		for (uint64_t j = 0; j < n; j++) {
			if (!take_item(indexed, &bucket))
				return false;
		}
	}
	return indexed->items == 0 ||
	       fail(indexed, indexed->all.at, "all functions");
}

static bool
take_version(struct indexed *indexed, struct llvm_bytes *bytes)
{
	struct cg_job *job = indexed->profile->job;
	const char *at = (const char *)bytes->at;

	if (!llvm_take(bytes, 8, &indexed->flags))
		return fail(indexed, at, "a version");
	indexed->version = LLVM_VERSION(indexed->flags);
	if (indexed->version < OLDEST || indexed->version > NEWEST)
		return cg_reject_at(job, at,
		    "version %llu of .profdata is not known (%d to %d are); "
		    "run, of the same LLVM: llvm-cov export -format=lcov "
		    "-instr-profile=FILE PROGRAM >out.info && cgconv out.info",
		    (unsigned long long)indexed->version, OLDEST, NEWEST);
	return llvm_check_kind(job, indexed->flags);
}

bool
llvm_read_indexed(struct llvm_profile *profile, struct cg_slice text)
{
	struct indexed indexed = { .profile = profile,
		.all = llvm_bytes_of(text, false),
		.bytes = text.len };
	struct llvm_bytes bytes = indexed.all, ids;
	uint64_t unused, type, table, offset, size;

	profile->width = profile->step = 8;
	bytes.at += 8; /* the magic number */
	if (!take_version(&indexed, &bytes))
		return false;
	profile->set = indexed.version == 11 ? LLVM_BY_TERMS : LLVM_BY_PATH;
	if (!llvm_take(&bytes, 8, &unused) || !llvm_take(&bytes, 8, &type) ||
	    !llvm_take(&bytes, 8, &table))
		return fail(&indexed, bytes.at, "a header");
	if (type != 0)
		return fail(&indexed, bytes.at - 16, "hashes by MD5");
	if (indexed.version >= 9) {
		/* The first offset is that of the profile of memory. */
		if (!llvm_take(&bytes, 8, &unused) ||
		    !llvm_take(&bytes, 8, &offset) ||
		    !seek(&indexed, offset, &bytes) ||
		    !llvm_take(&bytes, 8, &size) ||
		    !llvm_cut(&bytes, size, &ids))
			return fail(&indexed, indexed.all.at + 48, "build ids");
		if (!llvm_add_ids(profile, ids))
			return false;
	}
	return take_table(&indexed, table);
}
