/*
 * base.h - memory, strings, numbers, messages. Nothing here depends on inputs,
 * graphs or formats.
 */
#ifndef CG_BASE_H
#define CG_BASE_H

#include <stdarg.h>
#include <string.h>

#include "base/platform.h"
#include "cgconv_parse.h"

/* ---- mem.c: memory ------------------------------------------------------ */

/*
 * An arena: memory that is freed all at once. Its chunks are large and on huge
 * pages, as the first access to 4 KiB pages costs six times as much.
 */
struct cg_arena {
	struct cg_chunk *chunks; /* newest first */
	char *at, *end;          /* the unused rest of the newest chunk */
};

/* Bytes after each allocation that may be read; their values are undefined. */
#define CG_ARENA_SPARE 8

/*
 * Returns size bytes, aligned for any type, not cleared; NULL: out of memory.
 */
void *cg_arena_alloc(struct cg_arena *, size_t size);
/*
 * Copies the text and adds a NUL. The copy is not aligned: use it only in
 * arenas that contain nothing but texts.
 */
char *cg_arena_copy(struct cg_arena *, struct cg_slice text);
void cg_arena_free(struct cg_arena *);
/* Extends the allocation that ends at end, if it was the last one. */
bool cg_arena_extend(struct cg_arena *, void *end, size_t more);
/* Likewise frees the bytes from to (aligned) to end. */
void cg_arena_trim(struct cg_arena *, void *end, void *to);

/*
 * Prefetches memory at any address. A macro, as gcc drops calls of functions
 * that only prefetch.
 */
#if defined(__GNUC__)
#define CG_PREFETCH(at) __builtin_prefetch(at)
#else
#define CG_PREFETCH(at) ((void)(at))
#endif

/* ---- scope.c: memory that ends with what it was for ---------------------- */

/* A zeroed scope is empty. */
struct cg_scope {
	struct cg_scoped *newest;
};

/* Returns size bytes, zeroed; NULL: out of memory. */
void *cg_scope_alloc(struct cg_scope *, size_t size);
/* Like realloc(); ptr is memory of the scope, or NULL. */
void *cg_scope_resize(struct cg_scope *, void *ptr, size_t size);
/*
 * Like cg_grow_raw() for an array in memory of the scope, which starts as NULL
 * with *cap 0. Elements beyond the first allocation are not zeroed.
 */
bool cg_scope_grow_more(struct cg_scope *, void *array, size_t *cap, size_t need,
    size_t width);
static inline bool
cg_scope_grow(struct cg_scope *scope, void *array, size_t *cap, size_t need,
    size_t width)
{
	return need <= *cap ||
	       cg_scope_grow_more(scope, array, cap, need, width);
}
/* Frees memory early. NULL is allowed. */
void cg_scope_drop(struct cg_scope *, void *ptr);
/*
 * Calls release(what) at the end; if memory runs out, calls it now and returns
 * false.
 */
bool cg_scope_defer(struct cg_scope *, void (*release)(void *), void *what);
/* Frees and releases everything, the newest first; the scope is then empty. */
void cg_scope_end(struct cg_scope *);

/* ---- str.c: interned strings -------------------------------------------- */

typedef uint32_t cg_str;       /* 0 is "" */
#define CG_STR_NONE UINT32_MAX /* out of memory */

struct cg_strs {
	struct cg_str_entry *entry; /* by id */
	size_t count, cap;
	cg_str last;          /* the one that was added last, maybe again */
	struct cg_slots slots;
	uint64_t key[2];      /* random key of the hashes */
	struct cg_arena text;
	struct cg_map longs;  /* address of a long text -> its id */
};

/*
 * Returns the string's id; CG_STR_NONE: out of memory. May contain any bytes.
 */
cg_str cg_strs_add(struct cg_strs *, struct cg_slice);
/*
 * Returns the string's id, or 0 if it is not in the table. The slots must not
 * have been dropped.
 */
cg_str cg_strs_find(const struct cg_strs *, struct cg_slice);
/*
 * Frees the hash table, which only the two functions above need; cg_strs_add()
 * makes it again.
 */
void cg_strs_drop_slots(struct cg_strs *);
/*
 * Returns the text of a string, valid as long as the table; NUL-terminated,
 * too.
 */
struct cg_slice cg_strs_get(const struct cg_strs *, cg_str);
void cg_strs_free(struct cg_strs *);

/*
 * The finalizer of MurmurHash3: each bit of the key affects each bit of the
 * hash.
 */
static inline uint64_t
cg_hash_u64(uint64_t key)
{
	key ^= key >> 33;
	key *= 0xff51afd7ed558ccd;
	key ^= key >> 33;
	key *= 0xc4ceb9fe1a85ec53;
	return key ^ key >> 33;
}

/*
 * Returns the seed of hashes of numbers: the address of the table's slots.
 * Authors of input files cannot know it, so they cannot construct keys that
 * collide. A table that allocates new slots rehashes its keys; their order is
 * never visible.
 */
static inline uint64_t
cg_hash_seed(const void *slots)
{
	return (uintptr_t)slots * UINT64_C(0x9e3779b97f4a7c15);
}

/* ---- slots.c: hash tables of what has an id ------------------------------ */

/* Makes room and adds an item; false: out of memory (not reported). */
bool cg_slots_add(struct cg_slots *, struct cg_id_slot);
/* Removes all items, but keeps the memory for more. */
void cg_slots_clear(struct cg_slots *);

/* ---- numbers.c ---------------------------------------------------------- */

#define CG_NUMBER_BYTES 10 /* maximum size of a number in a struct cg_numbers */
/* False: out of memory (not reported). */
/* Appends a number, for which there is room. */
void cg_numbers_put(struct cg_numbers *, uint64_t);

/* ---- str.c: maps --------------------------------------------------------- */

/* The table of a struct cg_map. */
struct cg_map_slot {
	uint64_t key;
	uint32_t value;
	uint32_t used;
};

struct cg_map_table {
	struct cg_map_slot *slot;
	size_t slots, count;
	uint32_t *dense; /* values of keys below limit, most of which exist */
	size_t limit;
};

/* ---- text.c ------------------------------------------------------------- */

/* Formats a number as cg_put_fixed() does. */
char *cg_format_fixed(char *to, int64_t, unsigned digits);

/*
 * Eight digits as bytes of a word, the first digit in the lowest byte:
 * computed at once, without a branch on the number of digits.
 */
#define CG_EIGHT_DIGITS 100000000 /* the first number with more digits */
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
 * Writes such digits without leading zeros and returns the end. Always stores
 * eight bytes.
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

/* ---- file.c: files ------------------------------------------------------ */

/* Reads n bytes, or fewer at the end of the file. -1: failed, with errno. */
ptrdiff_t cg_read_at(int fd, void *to, size_t n, uint64_t at);

/* ---- diag.c: messages --------------------------------------------------- */

struct cg_location {
	const char *file;
	uint64_t line, column, offset;
	bool has_offset;
};

#define CG_DIAG_KINDS 64 /* distinct warnings that are counted */
#define CG_DIAG_SHOWN 5  /* number of each kind that are reported */
/* Longer texts are truncated: names in them may be megabytes long. */
#define CG_DIAG_TEXT 1000

struct cg_diag {
	cg_reporter *report;
	void *arg;
	const volatile sig_atomic_t *stop; /* not 0: stop; may be NULL */
	cg_progress_fn *progress;          /* may be NULL */
	void *progress_arg;
	const char *option_prefix; /* "--"; NULL: options are words */
	size_t kinds;
	struct {
		const char *fmt;
		uint64_t count;
	} kind[CG_DIAG_KINDS];
};

bool cg_diag_stopped(const struct cg_diag *);
/* Calls the function of cg_job_set_progress(), if there is one. */
void cg_diag_progress(const struct cg_diag *, uint64_t read, uint64_t written);
/*
 * Reports a message; location may be NULL. Escapes control characters in the
 * text. {name} and {%s} in fmt are options: "--name" in a program with that
 * prefix, else "option 'name'".
 */
void cg_diag_put(struct cg_diag *, enum cg_severity, const struct cg_location *,
    const char *fmt, va_list) CG_PRINTF(4, 0);
/*
 * Returns the reason why open() of a path has just failed: errno's text, or
 * cg_confined if a sandbox forbids what the file's mode allows. Keeps errno.
 */
const char *cg_open_error(const char *path);
extern const char cg_confined[];
void cg_diag_say(struct cg_diag *, enum cg_severity, const struct cg_location *,
    const char *fmt, ...) CG_PRINTF(4, 5);
/* A diag that keeps one message, to be reported later. */
struct cg_kept {
	struct cg_diag diag;
	enum cg_severity severity;
	struct cg_location location;
	char text[CG_DIAG_TEXT]; /* "": none */
};
/* Begins to keep the last message; uses the stop flag of the diag `of`. */
void cg_kept_begin(struct cg_kept *, const struct cg_diag *of);
/* Reports the kept message to another diag, once. */
void cg_kept_say(struct cg_kept *, struct cg_diag *);
/* Counts a warning; true if this one is to be reported. */
bool cg_diag_count(struct cg_diag *, const char *fmt);
/* Reports "and N more like it" for the others, and resets the counts. */
void cg_diag_flush(struct cg_diag *, const char *file);

#endif
