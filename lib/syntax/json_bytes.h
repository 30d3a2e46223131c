/*
 * json_bytes.h - the bytes that a JSON string cannot hold as they are.
 */
#ifndef JSON_BYTES_H
#define JSON_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#define CG_ONES UINT64_C(0x0101010101010101)
#define CG_HIGH_BITS (0x80 * CG_ONES)

/*
 * Not 0 if one of the eight bytes is a control character, a quote or a
 * backslash: subtracting borrows from the top bit of a byte that is too small.
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
