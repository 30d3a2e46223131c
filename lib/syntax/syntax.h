/*
 * syntax.h - internal declarations of JSON's reader and writer, and of its
 * numbers. The rest of this directory (JSON, XML, escapes) is public: see
 * cgconv_parse.h.
 */
#ifndef CG_SYNTAX_H
#define CG_SYNTAX_H

#include "cgconv_parse.h"

/*
 * The value of the current token, a number, times 10 to the power of digits,
 * rounded half away from zero. False if it does not fit.
 */
bool cg_json_scale(const struct cg_json *, unsigned digits, int64_t *);
/*
 * Shortens a document, which may be truncated, to at most size bytes (more
 * than 1 KiB): keeps only the beginning of long arrays, objects and strings,
 * so that the keys after them are included. Returns its length; 0: the text is
 * neither an object nor an array.
 */
size_t cg_json_outline(struct cg_slice, char *buf, size_t size);
/* Returns the text of the current token. */
struct cg_slice cg_xml_text(const struct cg_xml *);

#define CG_ONES UINT64_C(0x0101010101010101)
#define CG_HIGH_BITS (0x80 * CG_ONES)

/*
 * Returns 0 if none of the eight bytes is a control character, a quote or a
 * backslash, which JSON strings have to escape. Subtracting borrows from the
 * top bit of each byte that is too small.
 */
static inline uint64_t
cg_json_special_bytes(uint64_t word)
{
	uint64_t quote = word ^ '"' * CG_ONES, slash = word ^ '\\' * CG_ONES;

	return (((word - 0x20 * CG_ONES) & ~word) |
		   ((quote - CG_ONES) & ~quote) |
		   ((slash - CG_ONES) & ~slash)) &
	       CG_HIGH_BITS;
}

static inline bool
cg_json_is_special(char c)
{
	return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

#endif
