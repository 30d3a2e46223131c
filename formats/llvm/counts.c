/*
 * counts.c - the counters of functions, summed over all runs.
 */
#include <stdlib.h>

#include "profile.h"

bool
llvm_check_kind(struct cg_job *job, uint64_t version)
{
	if (version & LLVM_IR_PROFILE)
		return cg_reject(job,
		    "the profile has no coverage: expected one of "
		    "-fprofile-instr-generate -fcoverage-mapping, not of "
		    "-fprofile-generate");
	if (version & LLVM_CORRELATED)
		return cg_reject(job,
		    "counters without names (profile correlation) are not "
		    "read: use llvm-profdata merge --debug-info and llvm-cov "
		    "export");
	return true;
}

/*
 * Returns the key of a function in llvm_profile.functions: mixes the hash of
 * its name and that of its structure.
 */
static uint64_t
function_key(uint64_t name, uint64_t hash)
{
	return name ^ (hash << 32 | hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/*
 * Returns the function with a record's hashes of name and structure. If it is
 * new, adds it to sums->fn with counters of 0. Programs write their functions
 * in the same order each time. So the function after the last result is tried
 * first. If a new function's name is new, too, adds 1 to sums->named. The
 * result is valid until the next call. NULL: out of memory, or too many
 * functions (not reported).
 */
static struct llvm_sum *
find_sum(struct llvm_sums *sums, const struct llvm_record *record)
{
	const uint64_t key = function_key(record->name, record->hash);
	struct llvm_sum *fn;
	uint32_t *known, *at;

	if (sums->next < sums->fns &&
	    sums->fn[sums->next].name == record->name &&
	    sums->fn[sums->next].hash == record->hash)
		return &sums->fn[sums->next++];
	known = cg_map_at(&sums->names, record->name);
	at = cg_map_at(&sums->functions, key);
	if (!known || !at || sums->fns >= UINT32_MAX)
		return NULL;
	sums->named += *known == 0;
	*known = *known == 0 ? LLVM_NAMED : *known;
	if (*at == 0) {
		if (!cg_grow(&sums->fn, &sums->fn_cap, sums->fns + 1,
			sizeof(*sums->fn)) ||
		    !cg_grow(&sums->counter, &sums->counter_cap,
			sums->counters + record->counters,
			sizeof(*sums->counter)) ||
		    !cg_grow(&sums->bitmap, &sums->bitmap_cap,
			sums->bitmap_bytes + record->bitmap_bytes, 1))
			return NULL;
		fn = &sums->fn[sums->fns++];
		*fn = (struct llvm_sum){ .name = record->name,
			.hash = record->hash,
			.counter = sums->counters,
			.bitmap = sums->bitmap_bytes,
			.counters = record->counters,
			.bitmap_bytes = record->bitmap_bytes };
		sums->counters += fn->counters;
		sums->bitmap_bytes += fn->bitmap_bytes;
		*at = (uint32_t)sums->fns;
	}
	sums->next = *at;
	return &sums->fn[*at - 1];
}

/*
 * Adds the counters of a record to "to", one by one. A sum is at most
 * INT64_MAX. Skips counters of 0, as most are 0. With byte coverage, a byte of
 * 0 means that the code ran, and adds 1.
 */
static void
add_counters(const struct llvm_profile *profile, uint64_t *to,
    const struct llvm_record *record)
{
	const unsigned char *from = record->counter;
	uint64_t value;

	for (uint32_t i = 0; i < record->counters;
	     i++, from += profile->width) {
		/* Byte coverage: 0 means that the code ran. */
		value = profile->width == 1 ? *from == 0
					    : llvm_get(from, 8, profile->big);
		/* A larger sum would be read as negative. */
		if (value != 0)
			to[i] = value < INT64_MAX - to[i] ? to[i] + value
							  : INT64_MAX;
	}
}

bool
llvm_add_record(struct llvm_profile *profile, const struct llvm_record *record)
{
	struct llvm_sums *sums = &profile->sums[profile->set];
	const struct llvm_sum *fn = find_sum(sums, record);

	if (fn && fn->bitmap_bytes != record->bitmap_bytes) {
		profile->set |= LLVM_OTHERS;
		sums = &profile->sums[profile->set];
		fn = find_sum(sums, record);
	}
	if (!fn)
		return cg_reject_nomem(profile->job);
	if (fn->counters != record->counters ||
	    fn->bitmap_bytes != record->bitmap_bytes) {
		sums->unlike++;
		return true;
	}
	/* An array may be empty: NULL. */
	if (fn->counters > 0)
		add_counters(profile, &sums->counter[fn->counter], record);
	for (uint32_t i = 0; i < fn->bitmap_bytes; i++)
		sums->bitmap[fn->bitmap + i] |=
		    record->bitmap[(size_t)i * profile->step];
	return true;
}

void
llvm_note_found(struct llvm_sums *sums, uint64_t name)
{
	if (cg_map_get(&sums->names, name) != LLVM_NAMED)
		return;
	*cg_map_at(&sums->names, name) = LLVM_FOUND;
	sums->found++;
}

void
llvm_free_sums(struct llvm_sums *sums)
{
	free(sums->fn);
	free(sums->counter);
	free(sums->bitmap);
	cg_map_free(&sums->functions);
	cg_map_free(&sums->names);
	*sums = (struct llvm_sums){ 0 };
}

bool
llvm_add_ids(struct llvm_profile *profile, struct llvm_bytes list)
{
	struct cg_slice *added;
	struct llvm_bytes id;
	uint64_t size;

	while (llvm_left(&list) > 0) {
		if (!llvm_take(&list, 8, &size) || !llvm_cut(&list, size, &id))
			return cg_reject_at(profile->job, (const char *)list.at,
			    "expected a build id");
		size = -size & 7;
		list.at += size < llvm_left(&list) ? size : llvm_left(&list);
		added = cg_push(profile->job, &profile->id);
		if (!added)
			return false;
		*added =
		    (struct cg_slice){ (const char *)id.at, llvm_left(&id) };
	}
	return true;
}

bool
llvm_find_counts(const struct llvm_sums *sums, uint64_t name, uint64_t hash,
    struct llvm_counts *counts)
{
	uint32_t at = cg_map_get(&sums->functions, function_key(name, hash));
	const struct llvm_sum *fn;

	*counts = (struct llvm_counts){ .by_terms = sums->by_terms };
	if (at == 0)
		return cg_map_get(&sums->names, name) == 0;
	fn = &sums->fn[at - 1];
	counts->ran = true;
	/* An array may be empty: NULL. */
	if (fn->counters > 0)
		counts->counter = sums->counter + fn->counter;
	if (fn->bitmap_bytes > 0)
		counts->bitmap = sums->bitmap + fn->bitmap;
	counts->counters = fn->counters;
	counts->bitmap_bytes = fn->bitmap_bytes;
	return true;
}

bool
llvm_bit(const struct llvm_counts *counts, uint64_t i)
{
	return i / 8 < counts->bitmap_bytes &&
	       (counts->bitmap[i / 8] >> i % 8 & 1);
}
