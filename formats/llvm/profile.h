/*
 * profile.h - profiles of clang's instrumentation. The way of the data:
 *
 *	profile.c     the module; which executables belong to a profile
 *	raw.c         .profraw  -> counters by function
 *	indexed.c     .profdata -> counters by function
 *	counts.c      the counters of one function, summed over runs
 *	unpack.c      compressed names -> text
 *	mapping.c     sections of an executable -> functions, their files
 *	function.c    mapping of a function, its counters -> regions, branches;
 *	              see function.h
 *	sources.c     regions and branches by file
 *	conditions.c  bitmap of a decision -> conditions
 *	segments.c    regions of a file -> segments of lines.c
 *	sort.c        sorts without a copy
 */
#ifndef FORMATS_LLVM_PROFILE_H
#define FORMATS_LLVM_PROFILE_H

#include "cgconv_expert.h"
#include "llvm.h"

/* ---- Bytes -------------------------------------------------------------- */

struct llvm_bytes {
	const unsigned char *at, *end;
	bool big; /* big endian */
};

static inline struct llvm_bytes
llvm_bytes_of(struct cg_slice text, bool big)
{
	const unsigned char *at = (const unsigned char *)text.ptr;

	return (struct llvm_bytes){ at, at + text.len, big };
}

static inline size_t
llvm_left(const struct llvm_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

/* Returns the number in n bytes, at most 8. */
static inline uint64_t
llvm_get(const unsigned char *at, unsigned n, bool big)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < n; i++)
		value |= (uint64_t)at[i] << 8 * (big ? n - 1 - i : i);
	return value;
}

/*
 * Takes a number of n bytes, at most 8. False: fewer bytes are left, and
 * *value is 0.
 */
static inline bool
llvm_take(struct llvm_bytes *bytes, unsigned n, uint64_t *value)
{
	*value = 0;
	if (llvm_left(bytes) < n)
		return false;
	*value = llvm_get(bytes->at, n, bytes->big);
	bytes->at += n;
	return true;
}

/* Takes n bytes as *part; false: fewer bytes are left. */
static inline bool
llvm_cut(struct llvm_bytes *bytes, uint64_t n, struct llvm_bytes *part)
{
	if (n > llvm_left(bytes))
		return false;
	*part = (struct llvm_bytes){ bytes->at, bytes->at + n, bytes->big };
	bytes->at += n;
	return true;
}

/* Takes a number in groups of seven bits (ULEB128); false: truncated. */
static inline bool
llvm_take_leb(struct llvm_bytes *bytes, uint64_t *value)
{
	unsigned shift = 0;
	unsigned char byte;

	*value = 0;
	do {
		if (bytes->at == bytes->end || shift > 63)
			return false;
		byte = *bytes->at++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

/* ---- raw.c, indexed.c: counters by function ----------------------------- */

/* The counters of a function in one run: bytes of the input. */
struct llvm_record {
	uint64_t hash; /* of its structure */
	const unsigned char *counter, *bitmap;
	uint32_t counters, bitmap_bytes;
	uint32_t next; /* record of another run, from 1; 0: none */
};

struct llvm_profile {
	struct cg_job *job;
	CG_ARRAY(struct llvm_record) record;
	struct cg_map functions; /* name and structure -> last record, from 1 */
	struct cg_map names;     /* those with a record: LLVM_NAMED, _FOUND */
	size_t named, found;     /* functions; those in executables */
	size_t unlike; /* records with another number of counters */
	CG_ARRAY(struct cg_slice) id; /* build ids */
	unsigned width; /* of a counter: 8, or 1 (byte coverage) */
	unsigned step;  /* from one byte of a bitmap to the next */
	bool big;       /* big endian */
	bool by_terms;  /* bitmaps have a bit for each state of the terms */
};

enum { LLVM_NAMED = 1, LLVM_FOUND };

/* Bits of the version in both kinds of files (InstrProfData.inc of LLVM). */
#define LLVM_VERSION(word) ((word)&0xffffffff)
#define LLVM_IR_PROFILE (UINT64_C(1) << 56) /* -fprofile-generate */
#define LLVM_CORRELATED (UINT64_C(1) << 59) /* counters without names */
#define LLVM_BYTE_COUNTERS (UINT64_C(1) << 60)

bool llvm_is_raw(struct cg_slice text);
bool llvm_is_indexed(struct cg_slice text);
/*
 * Read a profile; records point into the text, which must stay. False:
 * malformed, or out of memory (reported).
 */
bool llvm_read_raw(struct llvm_profile *, struct cg_slice text);
bool llvm_read_indexed(struct llvm_profile *, struct cg_slice text);
/*
 * Rejects profiles without coverage, by the bits of their version. False:
 * rejected (reported).
 */
bool llvm_check_kind(struct cg_job *, uint64_t version);
bool llvm_add_record(
    struct llvm_profile *, uint64_t name, const struct llvm_record *);
/* Adds the build ids in a list of a profile. False: malformed (reported). */
bool llvm_add_ids(struct llvm_profile *, struct llvm_bytes list);
/* Notes that an executable has a function of that name. */
void llvm_note_found(struct llvm_profile *, uint64_t name);

/* ---- counts.c: the counters of one function, summed over all runs ------- */

struct llvm_counts {
	const struct llvm_profile *profile;
	uint32_t first; /* its first record, from 1; 0: it never ran */
	uint32_t counters, bitmap_bytes;
};
/* Finds counters. False: the profile has the function, but of another build. */
bool llvm_find_counts(const struct llvm_profile *, uint64_t name, uint64_t hash,
    struct llvm_counts *);
/*
 * Sets to[] to the first n counters, summed over all runs; n is at most
 * counters.
 */
void llvm_load_counters(const struct llvm_counts *, uint64_t *to, uint32_t n);
/*
 * Returns bit i of the bitmap, set if it is in any run; false beyond its end.
 */
bool llvm_bit(const struct llvm_counts *, uint64_t i);

/* ---- unpack.c ----------------------------------------------------------- */

/* The text that was decompressed last. Initialize as { job }. */
struct llvm_texts {
	struct cg_job *job;
	CG_ARRAY(char) text;
	uint64_t packed, unpacked; /* bytes so far, before and after */
};
/*
 * Takes a part of *from whose size is stated, decompressed by zlib; *to is
 * valid until the next call. Compressed size (packed) 0: the part is not
 * compressed, and has the stated size. False: malformed, or out of memory
 * (reported).
 */
bool llvm_unpack(struct llvm_texts *, struct llvm_bytes *from, uint64_t size,
    uint64_t packed, struct llvm_bytes *to);

/* ---- mapping.c ---------------------------------------------------------- */

struct llvm_source {
	CG_ARRAY(struct llvm_region) region;
	CG_ARRAY(struct llvm_item) item;
	cg_name name;
};

/* Data read from the executables. Initialize as { report, profile }. */
struct llvm_mapping {
	struct llvm_report *report;
	struct llvm_profile *profile;
	struct llvm_texts texts;
	CG_ARRAY(struct llvm_source) source;
	struct cg_map by_name; /* name of a source -> its number, from 1 */
	struct cg_map names;   /* MD5 of a function's name -> the name */
	struct cg_map seen;    /* functions added, by name and files */
	/* Branches in a macro are also on the line of the macro. */
	bool on_macro;
	size_t mismatched;            /* functions of another build */
	size_t negative;              /* regions with negative counts */
	size_t decisions_lost;        /* decisions that are too large */
	struct llvm_scratch *scratch; /* of function.c */
};
/*
 * Adds the functions of an executable with their counts. *found: it has a
 * coverage mapping. False: malformed, or out of memory (reported).
 */
bool llvm_add_executable(
    struct llvm_mapping *, const struct cg_symbols *, bool *found);
/*
 * Sets *bytes to a section of an executable; empty if there is none. False: an
 * error (reported).
 */
bool llvm_find_section(struct cg_job *, const struct cg_symbols *,
    const char *name, struct cg_slice *bytes);

/* ---- sources.c ---------------------------------------------------------- */

/* A file, as a function uses it: its body, an include, a macro. */
struct llvm_use {
	cg_name name;
	uint32_t source; /* number of the source, from 1; 0: not looked up */
	/* For function.c: */
	uint32_t first;   /* its first region, or LLVM_NONE */
	uint32_t parent;  /* the region that expands to it, or LLVM_NONE */
	uint32_t counter; /* of its first region */
	uint32_t root;    /* the region of the body that contains it */
	bool has_counter, has_root, visited;
	const struct llvm_mapped *decision; /* that it is part of, or NULL */
};
#define LLVM_NONE UINT32_MAX

bool llvm_add_source_item(
    struct llvm_mapping *, struct llvm_use *, const struct llvm_item *);
bool llvm_add_source_region(
    struct llvm_mapping *, struct llvm_use *, const struct llvm_region *);
/*
 * Moves the regions and branches of all sources to the report, file by file.
 */
bool llvm_move_sources(struct llvm_mapping *);

/* ---- function.c --------------------------------------------------------- */

/* A function in an executable. */
struct llvm_function {
	uint64_t name, hash;
	struct llvm_bytes mapping;
	const cg_name *file; /* those of its unit */
	size_t files;
};
/*
 * Returns true if the record only states that the function was seen but not
 * used in its unit: another unit has its regions.
 */
bool llvm_is_dummy(const struct llvm_function *);
/*
 * Adds the regions and branches of a function, with their counts, to the
 * sources.
 */
bool llvm_add_function(struct llvm_mapping *, const struct llvm_function *);

/* ---- conditions.c ------------------------------------------------------- */

#define LLVM_TERMS_MAX 64

/* A condition of a decision; next: number of the next one, or -1. */
struct llvm_term {
	int id;
	int next[2]; /* if it is false, true */
};
/*
 * Finds which of n conditions a pair of tests shows to decide alone. Bit i of
 * *alone, initially 0, is set for term[i]; ids are 0 to n - 1. bitmap is the
 * place of the decision in the bitmap. Examines at most *left possible tests.
 * False: too large, or malformed.
 */
bool llvm_find_alone(const struct llvm_counts *, uint64_t bitmap,
    const struct llvm_term *term, size_t n, uint64_t *left, uint64_t *alone);

/* ---- segments.c --------------------------------------------------------- */

/* Sorts the regions and adds their segments. */
bool llvm_add_segments(struct llvm_report *, struct llvm_source *);

#endif
