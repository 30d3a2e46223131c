/*
 * known_fns.c - a cache of functions by the texts of frames: one thread adds
 * functions, others look them up at the same time.
 *
 * An entry is complete before its slot is set, and never changes. A thread may
 * miss a function that was just added; the reader then adds it, with the same
 * result.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "graph/build.h"

/*
 * A power of two; at most half of the slots are used. They take 1 MiB, entries
 * up to 2.5 MiB.
 */
#define SLOTS ((size_t)1 << 17)
#define FNS_MAX (SLOTS / 2)
/*
 * The number of slots to try: names with equal hashes are easy to construct.
 * If all are taken, a function is not kept.
 */
#define STEPS 8
/*
 * Size of the reader's own cache of functions that are not kept; a power of
 * two.
 */
#define LATER 16384u

struct known {
	struct cg_slice name, object; /* in the graph */
	cg_fn fn;
};

struct cg_known_fns {
	struct cg_build *build;
	size_t count;
	struct known *known;
	struct known *later; /* by hash; NULL: none yet */
	/* hash << 32 | (index + 1 in known); 0: free. */
	_Atomic uint64_t slot[SLOTS];
};

static size_t
slot_at(uint32_t hash, size_t step)
{
	return (hash + step) & (SLOTS - 1);
}

static uint32_t
hash_frame(struct cg_slice name, struct cg_slice object)
{
	return cg_hash_ends(name) + (uint32_t)object.len * 0x9e3779b9u;
}

static bool
same_text(struct cg_slice a, struct cg_slice b)
{
	return a.len == b.len &&
	       (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

struct cg_known_fns *
cg_known_fns_new(struct cg_build *build)
{
	struct cg_known_fns *fns = calloc(1, sizeof(*fns));

	if (!fns)
		return NULL;
	fns->build = build;
	fns->known = calloc(FNS_MAX, sizeof(*fns->known));
	if (fns->known)
		return fns;
	free(fns);
	return NULL;
}

void
cg_known_fns_free(struct cg_known_fns *fns)
{
	if (!fns)
		return;
	free(fns->known);
	free(fns->later);
	free(fns);
}

static bool
is_known(
    const struct known *known, struct cg_slice name, struct cg_slice object)
{
	return same_text(known->name, name) && same_text(known->object, object);
}

static cg_fn
find_known(const struct cg_known_fns *fns, uint32_t hash, struct cg_slice name,
    struct cg_slice object)
{
	for (size_t i = 0; i < STEPS; i++) {
		const uint64_t slot = atomic_load_explicit(
		    &fns->slot[slot_at(hash, i)], memory_order_acquire);
		const struct known *known;

		if (slot == 0)
			break;
		if (slot >> 32 != hash)
			continue;
		known = &fns->known[(uint32_t)slot - 1];
		if (is_known(known, name, object))
			return known->fn;
	}
	return 0;
}

cg_fn
cg_find_known_fn(const struct cg_known_fns *fns, struct cg_slice name,
    struct cg_slice object)
{
	return find_known(fns, hash_frame(name, object), name, object);
}

/*
 * Returns the first free slot for a hash among the STEPS slots that a look-up
 * tries. NULL: all are taken, or the table is half full; then the caller does
 * not add the function to the shared cache.
 */
static _Atomic uint64_t *
free_slot(struct cg_known_fns *fns, uint32_t hash)
{
	for (size_t i = 0; fns->count < FNS_MAX && i < STEPS; i++) {
		_Atomic uint64_t *slot = &fns->slot[slot_at(hash, i)];

		if (atomic_load_explicit(slot, memory_order_relaxed) == 0)
			return slot;
	}
	return NULL;
}

/*
 * Returns the entry for a hash in the reader thread's own cache. It has
 * functions that did not fit into the shared one. The entry may be unused or
 * another function's. NULL: there is no such cache yet.
 */
static struct known *
later_of(const struct cg_known_fns *fns, uint32_t hash)
{
	return fns->later ? &fns->later[hash & (LATER - 1)] : NULL;
}

static void
keep(struct cg_known_fns *fns, uint32_t hash, const struct known *known)
{
	_Atomic uint64_t *slot = free_slot(fns, hash);
	struct known *later;

	if (slot) {
		fns->known[fns->count++] = *known;
		atomic_store_explicit(slot, (uint64_t)hash << 32 | fns->count,
		    memory_order_release);
		return;
	}
	if (!fns->later)
		fns->later = calloc(LATER, sizeof(*fns->later));
	later = later_of(fns, hash);
	if (later)
		*later = *known;
}

cg_fn
cg_add_known_fn(
    struct cg_known_fns *fns, struct cg_slice name, struct cg_slice object)
{
	struct cg_build *build = fns->build;
	const uint32_t hash = hash_frame(name, object);
	const struct known *later = later_of(fns, hash);
	struct known new = { .fn = find_known(fns, hash, name, object) };
	cg_name name_id;

	if (new.fn != 0)
		return new.fn;
	if (later && later->fn != 0 && is_known(later, name, object))
		return later->fn;
	name_id = cg_add_name(build, name);
	new.fn = cg_add_fn_named(build, cg_add_demangled(build, name_id), 0,
	    cg_add_object(build, object));
	if (new.fn == 0)
		return 0;
	/*
	 * The object's path may be spelt differently: keep the text of the
	 * frame.
	 */
	new.name = cg_get_name(build, name_id);
	new.object = cg_get_name(build, cg_add_name(build, object));
	keep(fns, hash, &new);
	return new.fn;
}
