/*
 * wide.h - arithmetic with 128 bits between numbers of 64 bits.
 *
 * Machines of 32 bits have no __int128: there the portable functions do the
 * work. They are compiled everywhere, and tests/unit/wide.c compares them with
 * the compiler's own arithmetic where it has one.
 */
#ifndef CG_WIDE_H
#define CG_WIDE_H

#include "base/base.h"

/* 128 bits, unsigned or two's complement. */
struct cg_wide {
	uint64_t high, low;
};

/* Returns a * b. */
struct cg_wide cg_wide_multiply(uint64_t a, uint64_t b);
struct cg_wide cg_wide_multiply_portable(uint64_t a, uint64_t b);

/*
 * Returns a / divisor, rounded down; *rest is the remainder. The quotient must
 * fit: a.high is less than divisor.
 */
uint64_t cg_wide_divide(struct cg_wide a, uint64_t divisor, uint64_t *rest);
uint64_t cg_wide_divide_portable(
    struct cg_wide a, uint64_t divisor, uint64_t *rest);

/*
 * (a * b + plus) / divisor, rounded down, and the remainder; false if the
 * quotient needs more than 64 bits. cg_mul_div() is the public call for plus =
 * 0.
 */
bool cg_wide_scale(uint64_t a, uint64_t b, uint64_t plus, uint64_t divisor,
    uint64_t *quotient, uint64_t *rest);

/*
 * Adds value * factor to a two's complement sum; value is an int64_t if
 * is_signed. False on overflow of 128 bits.
 */
bool cg_wide_add_product(
    struct cg_wide *sum, uint64_t value, bool is_signed, int64_t factor);
/* A two's complement number as 64 bits; false if it does not fit. */
bool cg_wide_get_i64(struct cg_wide, int64_t *);

#endif
