/*
 * wide.c - products and sums of 128 bits, with and without __int128.
 */
#include "base/wide.h"

/* ---- Multiplying and dividing ------------------------------------------- */

struct cg_wide
cg_wide_multiply_portable(uint64_t a, uint64_t b)
{
	const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
	const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
	uint64_t low = a_low * b_low;
	uint64_t middle = a_high * b_low + (low >> 32);
	uint64_t other = a_low * b_high + (uint32_t)middle;

	return (struct cg_wide){
		.high = a_high * b_high + (middle >> 32) + (other >> 32),
		.low = other << 32 | (uint32_t)low,
	};
}

/*
 * Divides a 128-bit number by divisor, returns the quotient, and sets *rest to
 * the remainder. The quotient must fit into 64 bits. Long division in base 2,
 * for compilers without 128-bit integers.
 */
uint64_t
cg_wide_divide_portable(struct cg_wide a, uint64_t divisor, uint64_t *rest)
{
	uint64_t high = a.high, quotient = 0;

	for (int bit = 63; bit >= 0; bit--) {
		bool carry = high >> 63;

		high = high << 1 | (a.low >> bit & 1);
		quotient <<= 1;
		if (carry || high >= divisor) {
			high -= divisor;
			quotient |= 1;
		}
	}
	*rest = high;
	return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 native;

struct cg_wide
cg_wide_multiply(uint64_t a, uint64_t b)
{
	native product = (native)a * b;

	return (struct cg_wide){
		.high = (uint64_t)(product >> 64),
		.low = (uint64_t)product,
	};
}

uint64_t
cg_wide_divide(struct cg_wide a, uint64_t divisor, uint64_t *rest)
{
	native dividend = (native)a.high << 64 | a.low;

	*rest = (uint64_t)(dividend % divisor);
	return (uint64_t)(dividend / divisor);
}
#else
struct cg_wide
cg_wide_multiply(uint64_t a, uint64_t b)
{
	return cg_wide_multiply_portable(a, b);
}

uint64_t
cg_wide_divide(struct cg_wide a, uint64_t divisor, uint64_t *rest)
{
	return cg_wide_divide_portable(a, divisor, rest);
}
#endif

/* ---- Scaling ------------------------------------------------------------ */

bool
cg_wide_scale(uint64_t a, uint64_t b, uint64_t plus, uint64_t divisor,
    uint64_t *quotient, uint64_t *rest)
{
	struct cg_wide sum = cg_wide_multiply(a, b);

	/* A product is at most 2^128 - 2^65 + 1: the carry fits. */
	sum.high += __builtin_add_overflow(sum.low, plus, &sum.low);
	if (sum.high >= divisor)
		return false;
	*quotient = cg_wide_divide(sum, divisor, rest);
	return true;
}

uint64_t
cg_mul_div(uint64_t a, uint64_t b, uint64_t divisor)
{
	uint64_t quotient, rest;

	return cg_wide_scale(a, b, 0, divisor, &quotient, &rest) ? quotient
								 : UINT64_MAX;
}

/* ---- Signed sums -------------------------------------------------------- */

static struct cg_wide
negate(struct cg_wide a)
{
	return (struct cg_wide){
		.high = ~a.high + (a.low == 0),
		.low = -a.low,
	};
}

/* Returns the magnitude of a number of 64 bits. */
static uint64_t
magnitude(uint64_t value, bool is_negative)
{
	return is_negative ? -value : value;
}

bool
cg_wide_add_product(
    struct cg_wide *sum, uint64_t value, bool is_signed, int64_t factor)
{
	bool value_negative = is_signed && (int64_t)value < 0;
	bool factor_negative = factor < 0;
	struct cg_wide term = cg_wide_multiply(magnitude(value, value_negative),
	    magnitude((uint64_t)factor, factor_negative));
	struct cg_wide total;

	/* The magnitude is at most 2^127 - 2^63, so the sign is right. */
	if (value_negative != factor_negative)
		term = negate(term);
	total.high = sum->high + term.high +
		     __builtin_add_overflow(sum->low, term.low, &total.low);
	/*
	 * Overflow: both terms have the same sign, and the sum has the other
	 * one.
	 */
	if (((sum->high ^ total.high) & (term.high ^ total.high)) >> 63)
		return false;
	*sum = total;
	return true;
}

bool
cg_wide_get_i64(struct cg_wide a, int64_t *value)
{
	*value = (int64_t)a.low;
	return a.high == (*value < 0 ? UINT64_MAX : 0);
}
