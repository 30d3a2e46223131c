/*
 * base.h - floor 0 of the library: memory, strings, messages.
 *
 * Nothing here knows of inputs, graphs or formats.
 */
#ifndef CG_BASE_H
#define CG_BASE_H

#include <stdarg.h>
#include <string.h>

#include "base/platform.h"
#include "cgconv_parse.h"

/* ---- mem.c: memory ------------------------------------------------------ */

/*
 * An arena gives out memory that is freed all at once. Large chunks on huge
 * pages: first touch of a fresh 4 KiB page costs six times as much.
 */
struct cg_arena {
	struct cg_chunk *chunks; /* newest first */
	char *at, *end;          /* what is free in the newest */
};

/* So many bytes behind each allocation may be read, whatever they are. */
#define CG_ARENA_SPARE 8

/* size bytes, aligned for any type, not cleared; NULL: out of memory. */
void *cg_arena_alloc(struct cg_arena *, size_t size);
void cg_arena_free(struct cg_arena *);
/* Makes the allocation that ends at end longer if it was the last one. */
bool cg_arena_extend(struct cg_arena *, void *end, size_t more);
/* Gives back what lies between to (aligned) and end, likewise. */
void cg_arena_trim(struct cg_arena *, void *end, void *to);

/*
 * What lies there will be asked for soon; any address. A macro, in functions
 * that do something else, too: gcc drops calls of those that only fetch.
 */
#if defined(__GNUC__)
#define CG_PREFETCH(at) __builtin_prefetch(at)
#else
#define CG_PREFETCH(at) ((void)(at))
#endif

/* ---- str.c: interned strings -------------------------------------------- */

typedef uint32_t cg_str; /* 0 is "" */
#define CG_STR_NONE UINT32_MAX /* out of memory */

struct cg_strs {
	struct cg_str_entry *entry; /* by id */
	size_t count, cap;
	struct cg_str_slot *slot;   /* open addressing */
	size_t slots;               /* a power of two, or 0 */
	uint64_t seed;              /* see cg_hash_seed() */
	struct cg_arena text;
};

/* The string's id; CG_STR_NONE if out of memory. Bytes may be anything. */
cg_str cg_strs_add(struct cg_strs *, struct cg_slice);
/* Its id, or 0 if it is not there. */
cg_str cg_strs_find(const struct cg_strs *, struct cg_slice);
/* Lives as long as the table; also NUL-terminated. */
struct cg_slice cg_strs_get(const struct cg_strs *, cg_str);
void cg_strs_free(struct cg_strs *);

uint64_t cg_hash_u64(uint64_t);

/*
 * What goes into the hashes of a table: where its slots lie, which no author
 * of a file knows, so that nobody can make keys that collide. Who makes slots
 * anew hashes anew; their order is never seen.
 */
static inline uint64_t
cg_hash_seed(const void *slots)
{
	return (uintptr_t)slots * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- text.c ------------------------------------------------------------- */

/*
 * Digits as bytes of a word, the first in the lowest: eight of them are worked
 * on at once, and the processor need not guess how many there are.
 */
#define CG_EIGHT_DIGITS 100000000 /* what has more of them */
#define CG_DIGIT_ZEROS UINT64_C(0x3030303030303030)

static inline uint64_t
cg_digits_of(uint64_t value)
{
	uint64_t halves = value / 10000 | (value % 10000) << 32;
	uint64_t tops = (halves * 10486 >> 20) & 0x7f0000007f; /* / 100 */
	uint64_t pairs = tops | (halves - 100 * tops) << 16;
	uint64_t tens = (pairs * 103 >> 10) & 0xf000f000f000f; /* / 10 */

	return tens | (pairs - 10 * tens) << 8;
}

/*
 * Writes them without the leading zeros, and returns the end. Eight bytes are
 * written in any case.
 */
static inline char *
cg_put_digits(char *to, uint64_t digits)
{
	unsigned bits =
	    (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) & ~7u;

	digits = htole64((digits + CG_DIGIT_ZEROS) >> bits);
	memcpy(to, &digits, sizeof(digits));
	return to + sizeof(digits) - bits / 8;
}

/* ---- diag.c: messages --------------------------------------------------- */

struct cg_location {
	const char *file;
	uint64_t line, column, offset;
	bool has_offset;
};

#define CG_DIAG_KINDS 64 /* distinct warnings that are counted apart */
#define CG_DIAG_SHOWN 5  /* of each, how many are shown */

struct cg_diag {
	cg_reporter *report;
	void *arg;
	const volatile sig_atomic_t *stop; /* not 0: give up; may be NULL */
	size_t kinds;
	struct {
		const char *fmt;
		uint64_t count;
	} kind[CG_DIAG_KINDS];
};

bool cg_diag_stopped(const struct cg_diag *);
/* Reports; place may be NULL. Control characters of the text are escaped. */
void cg_diag_put(struct cg_diag *, enum cg_severity, const struct cg_location *,
    const char *fmt, va_list) CG_PRINTF(4, 0);
void cg_diag_say(struct cg_diag *, enum cg_severity, const struct cg_location *,
    const char *fmt, ...) CG_PRINTF(4, 5);
/* Counts a warning; true if this one is to be shown. */
bool cg_diag_count(struct cg_diag *, const char *fmt);
/* Says "and N more like it" for what was not shown, and forgets the counts. */
void cg_diag_flush(struct cg_diag *, const char *file);

#endif
