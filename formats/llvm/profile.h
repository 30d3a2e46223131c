/*
 * profile.h - profiles of clang's instrumentation. The way of the data:
 *
 *	profile.c     the module; which executables belong to a profile
 *	raw.c         .profraw  -> counters by function
 *	indexed.c     .profdata -> counters by function
 *	counts.c      counters by function, summed over runs
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
	uint64_t name, hash; /* of its name, of its structure */
	const unsigned char *counter, *bitmap;
	uint32_t counters, bitmap_bytes;
};

/* A function in all runs. */
struct llvm_sum {
	uint64_t name, hash;
	size_t counter, bitmap; /* places in the sums */
	uint32_t counters, bitmap_bytes;
};

/*
 * Counters of all inputs, which outlive the read() of one: all memory is
 * malloc()ed, and llvm_free_sums() frees it.
 */
struct llvm_sums {
	struct llvm_sum *fn;
	size_t fns, fn_cap;
	size_t next; /* function that is expected next, as in the run before */
	uint64_t *counter; /* at most INT64_MAX */
	size_t counters, counter_cap;
	unsigned char *bitmap;
	size_t bitmap_bytes, bitmap_cap;
	struct cg_map functions; /* name and structure -> function, from 1 */
	struct cg_map names;     /* those with a record: LLVM_NAMED, _FOUND */
	size_t named, found;     /* functions; those in executables */
	size_t unlike; /* records with another number of counters */
	bool by_terms; /* bitmaps have a bit for each state of the terms */
};

/* How an input states counters, and where they are added. */
struct llvm_profile {
	struct cg_job *job;
	struct llvm_sums *sums; /* by enum llvm_set */
	unsigned set;
	CG_ARRAY(struct cg_slice) id; /* build ids */
	unsigned width; /* of a counter: 8, or 1 (byte coverage) */
	unsigned step;  /* from one byte of a bitmap to the next */
	bool big;       /* big endian */
	bool by_terms;  /* any bitmaps are by terms */
};

enum { LLVM_NAMED = 1, LLVM_FOUND };

/*
 * Runs are summed apart if the bits of bitmaps mean something else, and if a
 * function has a bitmap in some runs only: compilers with and without bitmaps
 * give it the same hash.
 */
enum llvm_set { LLVM_BY_PATH = 0, LLVM_BY_TERMS = 2, LLVM_SETS = 4 };
#define LLVM_OTHERS 1 /* to the set: runs with other bitmaps */

/* Bits of the version in both kinds of files (InstrProfData.inc of LLVM). */
#define LLVM_VERSION(word) ((word)&0xffffffff)
#define LLVM_IR_PROFILE (UINT64_C(1) << 56) /* -fprofile-generate */
#define LLVM_CORRELATED (UINT64_C(1) << 59) /* counters without names */
#define LLVM_BYTE_COUNTERS (UINT64_C(1) << 60)

bool llvm_is_raw(struct cg_slice text);
bool llvm_is_indexed(struct cg_slice text);
/* Read a profile. False: malformed, or out of memory (reported). */
bool llvm_read_raw(struct llvm_profile *, struct cg_slice text);
bool llvm_read_indexed(struct llvm_profile *, struct cg_slice text);
/*
 * Rejects profiles without coverage, by the bits of their version. False:
 * rejected (reported).
 */
bool llvm_check_kind(struct cg_job *, uint64_t version);
/* Adds the record to the sums. False: out of memory (reported). */
bool llvm_add_record(struct llvm_profile *, const struct llvm_record *);
/* Adds the build ids in a list of a profile. False: malformed (reported). */
bool llvm_add_ids(struct llvm_profile *, struct llvm_bytes list);

/* ---- counts.c: the counters of one function, summed over all runs ------- */

/* Frees the sums, and leaves them empty. */
void llvm_free_sums(struct llvm_sums *);
/* Notes that an executable has a function of that name. */
void llvm_note_found(struct llvm_sums *, uint64_t name);

struct llvm_counts {
	const uint64_t *counter;
	const unsigned char *bitmap;
	uint32_t counters, bitmap_bytes;
	bool ran; /* a run has the function, maybe without counters */
	bool by_terms;
};
/* Finds counters. False: the runs have the function, but of another build. */
bool llvm_find_counts(const struct llvm_sums *, uint64_t name, uint64_t hash,
    struct llvm_counts *);
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

/* Functions of executables, by name and files. */
struct llvm_seen {
	struct cg_map functions; /* and build -> number of the build, from 1 */
	struct cg_map builds;    /* -> how many builds ran */
	uint32_t most;           /* the most builds of a function */
};

/* Data read from the executables. Initialize as { report, sums, seen }. */
struct llvm_mapping {
	struct llvm_report *report;
	struct llvm_sums *sums;
	struct llvm_seen *seen;
	uint32_t pass; /* build of functions to add, from 0 */
	struct llvm_texts texts;
	CG_ARRAY(struct llvm_source) source;
	struct cg_map by_name; /* name of a source -> its number, from 1 */
	struct cg_map names;   /* MD5 of a function's name -> the name */
	/* Branches in a macro are also on the line of the macro. */
	bool on_macro;
	size_t mismatched;            /* functions of another build */
	size_t negative;              /* regions with negative counts */
	size_t decisions_lost;        /* decisions that are too large */
	struct llvm_scratch *scratch; /* of function.c */
};
/*
 * Sets *found to whether an executable has a coverage mapping. False: an error
 * (reported).
 */
bool llvm_has_mapping(struct cg_job *, const struct cg_symbols *, bool *found);
/*
 * Adds the functions of an executable with their counts; nothing if it has no
 * coverage mapping. False: malformed, or out of memory (reported).
 */
bool llvm_add_executable(struct llvm_mapping *, const struct cg_symbols *);
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
bool llvm_find_alone(struct cg_job *, const struct llvm_counts *,
    uint64_t bitmap, const struct llvm_term *term, size_t n, uint64_t *left,
    uint64_t *alone);

/* ---- segments.c --------------------------------------------------------- */

/* Sorts the regions and adds their segments. */
bool llvm_add_segments(struct llvm_report *, struct llvm_source *);

#endif
