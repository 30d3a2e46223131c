/*
 * known_fns.c - functions by the texts of frames: one thread adds them, others
 * look them up meanwhile.
 *
 * An entry is complete before its slot tells of it, and never changes. So a
 * thread sees a function or does not yet, and what comes of it is the same.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "graph/build.h"

/* A power of two, a quarter of it used: 0.5 MiB and as much for the entries. */
#define SLOTS ((size_t)1 << 17)
#define FNS_MAX (SLOTS / 4)
/* Names with one hash are easy to find: later ones of them are not kept. */
#define STEPS 8

struct known {
	struct cg_slice name, object; /* in the graph */
	cg_fn fn;
};

struct cg_known_fns {
	struct cg_build *build;
	size_t count;
	struct known *known;
	/* Hash, and index + 1 in known; 0: free. */
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
	free(fns);
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
		if (same_text(known->name, name) &&
		    same_text(known->object, object))
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

/* The first free one for that hash; NULL: the function is not kept. */
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

cg_fn
cg_add_known_fn(
    struct cg_known_fns *fns, struct cg_slice name, struct cg_slice object)
{
	struct cg_build *build = fns->build;
	uint32_t hash = hash_frame(name, object);
	cg_fn fn = find_known(fns, hash, name, object);
	_Atomic uint64_t *slot;
	cg_name name_id;

	if (fn != 0)
		return fn;
	name_id = cg_add_name(build, name);
	fn = cg_add_fn_named(build, name_id, 0, cg_add_object(build, object));
	slot = fn != 0 ? free_slot(fns, hash) : NULL;
	if (!slot)
		return fn;
	/* The object's path may be another text. */
	fns->known[fns->count++] =
	    (struct known){ .name = cg_get_name(build, name_id),
		    .object = cg_get_name(build, cg_add_name(build, object)),
		    .fn = fn };
	atomic_store_explicit(
	    slot, (uint64_t)hash << 32 | fns->count, memory_order_release);
	return fn;
}
