/*
 * decimal.c - numbers with fractions, such as milliseconds.
 */
#include "read.h"

bool
speedscope_add_decimal(struct decimal *sum, const struct decimal *more)
{
	uint32_t nano = sum->nano + more->nano;
	uint64_t carry = nano >= NANO;

	sum->nano = carry ? nano - NANO : nano;
	return !__builtin_add_overflow(sum->whole, more->whole, &sum->whole) &&
	       !__builtin_add_overflow(sum->whole, carry, &sum->whole);
}

bool
speedscope_scale(const struct decimal *value, uint64_t factor, uint64_t *out)
{
	uint64_t rest = value->nano * factor + NANO / 2;

	return !__builtin_mul_overflow(value->whole, factor, out) &&
	       !__builtin_add_overflow(*out, rest / NANO, out);
}
