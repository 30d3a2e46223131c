/*
 * bytes.h - words, strings, records and headers of .gcno and .gcda files.
 */
#ifndef FORMATS_GCOV_BYTES_H
#define FORMATS_GCOV_BYTES_H

#include "cgconv_parse.h"

#define GCOV_NOTES 0x67636e6fu  /* "gcno" */
#define GCOV_DATA 0x67636461u   /* "gcda" */
#define GCOV_STREAM 0x6763666eu /* "gcfn" */

/* The number of a version: 12.2 is 1202, 4.7 is 407. */
#define GCOV_VERSION(major, minor) ((major)*100u + (minor))

#define GCOV_NONE UINT32_MAX

/* The unread bytes of a file or of a record. */
struct gcov_bytes {
	const unsigned char *at, *end;
	bool big;          /* big endian */
	bool byte_lengths; /* lengths in bytes (gcc 12 and later), not words */
	const char *error; /* the first error, "expected ...", or NULL */
	const char *error_at;
};

static inline struct gcov_bytes
gcov_bytes_of(struct cg_slice text)
{
	return (struct gcov_bytes){ .at = (const unsigned char *)text.ptr,
		.end = (const unsigned char *)text.ptr + text.len };
}

/* Sets the error unless one is set already. Returns false. */
static inline bool
gcov_error(struct gcov_bytes *bytes, const void *at, const char *expected)
{
	if (!bytes->error) {
		bytes->error = expected;
		bytes->error_at = at;
	}
	return false;
}

static inline uint32_t
gcov_get_u32(const unsigned char *at, bool big)
{
	uint32_t a = at[0], b = at[1], c = at[2], d = at[3];

	return big ? a << 24 | b << 16 | c << 8 | d
		   : d << 24 | c << 16 | b << 8 | a;
}

static inline bool
gcov_take_u32(struct gcov_bytes *bytes, uint32_t *value)
{
	if (bytes->end - bytes->at < 4) {
		*value = 0;
		return gcov_error(bytes, bytes->at, "expected 4 more bytes");
	}
	*value = gcov_get_u32(bytes->at, bytes->big);
	bytes->at += 4;
	return true;
}

/*
 * Takes a string with its length; text ends before its first NUL. False:
 * malformed.
 */
bool gcov_take_string(struct gcov_bytes *, struct cg_slice *text);

/*
 * Reads the tag of a record, and sets *record to its contents; advances past
 * it. False: the end, or an error.
 */
static inline bool
gcov_take_record(
    struct gcov_bytes *bytes, uint32_t *tag, struct gcov_bytes *record)
{
	const unsigned char *start = bytes->at;
	uint32_t length;
	uint64_t size;

	record->error = NULL;
	record->error_at = NULL;
	if (!gcov_take_u32(bytes, tag) || !gcov_take_u32(bytes, &length))
		return false;
	size = bytes->byte_lengths ? length : (uint64_t)length * 4;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_error(bytes, start,
		    "expected a record that ends within the file");
	record->at = bytes->at;
	record->end = bytes->at += size;
	record->big = bytes->big;
	record->byte_lengths = bytes->byte_lengths;
	return true;
}

/* How a counter of 64 bits is stored. */
enum gcov_order {
	GCOV_LITTLE, /* two little-endian words, the lower one first */
	GCOV_BIG,    /* two big-endian words, the lower one first */
	GCOV_BIG64,  /* one big-endian number */
	GCOV_SIGN    /* little endian, sign and magnitude */
};
int64_t gcov_get_counter(const unsigned char *at, enum gcov_order);

/* The header of a file. */
struct gcov_head {
	uint32_t magic;
	char version[5];     /* "B22*" */
	unsigned number;     /* the version as a number: 1202 */
	unsigned layout;     /* the version whose layout the file has */
	uint32_t stamp, checksum;
	uint32_t unexecuted; /* gcov marks unexecuted blocks of the unit */
	struct cg_slice cwd; /* directory that the compiler ran in, or "" */
};

/*
 * Takes magic and version. layout: a version to read the rest as; 0: the
 * version of the file. False: malformed.
 */
bool gcov_take_magic(
    struct gcov_bytes *, struct gcov_head *, unsigned layout);

/*
 * A field of a record, present from a version on, and its offset in a struct.
 */
struct gcov_field {
	unsigned since;
	enum { GCOV_WORD, GCOV_STRING } type;
	size_t offset;
	const char *expected; /* error if absent; NULL ends a list */
};
bool gcov_take_fields(
    struct gcov_bytes *, unsigned layout, const struct gcov_field *, void *to);

/* Returns gcc's CRC of a public name with its NUL: the function's ident. */
uint32_t gcov_ident(struct cg_slice name);

#endif
