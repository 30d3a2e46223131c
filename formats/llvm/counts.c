/*
 * counts.c - the counters of functions. Counters stay bytes of the input; a
 * function of several runs has several records, which are summed on demand.
 */
#include <string.h>

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

bool
llvm_add_record(struct llvm_profile *profile, uint64_t name,
    const struct llvm_record *record)
{
	uint32_t *known = cg_map_in(profile->job, &profile->names, name);
	uint32_t *last = cg_map_in(profile->job, &profile->functions,
	    function_key(name, record->hash));
	struct llvm_record *added;

	if (!known || !last || profile->record.n >= UINT32_MAX)
		return cg_reject_nomem(profile->job);
	profile->named += *known == 0;
	*known = *known == 0 ? LLVM_NAMED : *known;
	if (*last > 0 &&
	    (profile->record.at[*last - 1].counters != record->counters ||
		profile->record.at[*last - 1].bitmap_bytes !=
		    record->bitmap_bytes)) {
		profile->unlike++;
		return true;
	}
	added = cg_push(profile->job, &profile->record);
	if (!added)
		return false;
	*added = *record;
	added->next = *last;
	*last = (uint32_t)profile->record.n;
	return true;
}

void
llvm_note_found(struct llvm_profile *profile, uint64_t name)
{
	if (cg_map_get(&profile->names, name) != LLVM_NAMED)
		return;
	*cg_map_in(profile->job, &profile->names, name) = LLVM_FOUND;
	profile->found++;
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
llvm_find_counts(const struct llvm_profile *profile, uint64_t name,
    uint64_t hash, struct llvm_counts *counts)
{
	uint32_t first =
	    cg_map_get(&profile->functions, function_key(name, hash));

	*counts = (struct llvm_counts){ .profile = profile, .first = first };
	if (first == 0)
		return cg_map_get(&profile->names, name) == 0;
	counts->counters = profile->record.at[first - 1].counters;
	counts->bitmap_bytes = profile->record.at[first - 1].bitmap_bytes;
	return true;
}

void
llvm_load_counters(const struct llvm_counts *counts, uint64_t *to, uint32_t n)
{
	const struct llvm_profile *profile = counts->profile;
	uint64_t value;

	memset(to, 0, n * sizeof(*to));
	for (uint32_t at = counts->first; at > 0;
	     at = profile->record.at[at - 1].next) {
		const unsigned char *from = profile->record.at[at - 1].counter;

		for (uint32_t i = 0; i < n; i++, from += profile->width) {
			/* Byte coverage: 0 means that the code ran. */
			value = profile->width == 1
				    ? *from == 0
				    : llvm_get(from, 8, profile->big);
			/* A larger sum would be read as negative. */
			to[i] = value < INT64_MAX - to[i] ? to[i] + value
							  : INT64_MAX;
		}
	}
}

bool
llvm_bit(const struct llvm_counts *counts, uint64_t i)
{
	const struct llvm_profile *profile = counts->profile;

	if (i / 8 >= counts->bitmap_bytes)
		return false;
	for (uint32_t at = counts->first; at > 0;
	     at = profile->record.at[at - 1].next) {
		const unsigned char *bitmap = profile->record.at[at - 1].bitmap;

		if (bitmap[i / 8 * profile->step] >> i % 8 & 1)
			return true;
	}
	return false;
}
