/*
 * seen_names.c - names that threads demangle before the reader adds them.
 *
 * Most templates and inline functions are in many units and sections of an
 * input: a bit for several hashes tells whether some thread has demangled a
 * name. What is not demangled here, the reader demangles.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "graph/build.h"
#include "symbols/symbols.h"

#define BITS ((uint32_t)1 << 21)
/* A name of 120 bytes may become one of 64 KiB. */
#define KEPT_MOST ((size_t)1 << 20)

struct cg_seen_names {
	_Atomic uint64_t seen[BITS / 64];
};

struct cg_seen_names *
cg_seen_names_new(const struct cg_build *build)
{
	return build->linkage ? NULL : calloc(1, sizeof(struct cg_seen_names));
}

void
cg_seen_names_free(struct cg_seen_names *names)
{
	free(names);
}

struct cg_slice
cg_demangle_once(
    struct cg_seen_names *names, struct cg_demangler *own, struct cg_slice name)
{
	static const uint64_t key[2];
	struct cg_slice plain, none = { 0 };
	uint64_t at, bit;

	if (!cg_may_be_mangled(name) || name.len > CG_DEMANGLE_MOST ||
	    cg_demangler_kept(own) > KEPT_MOST)
		return none;
	at = cg_hash_bytes(key, name.ptr, name.len) % BITS;
	bit = (uint64_t)1 << at % 64;
	if (atomic_fetch_or_explicit(
		&names->seen[at / 64], bit, memory_order_relaxed) &
	    bit)
		return none;
	plain = cg_demangle_with(own, name);
	return plain.ptr == name.ptr ? none : plain;
}
