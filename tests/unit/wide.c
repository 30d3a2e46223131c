/*
 * wide.c - compares the portable 128-bit arithmetic with that of the compiler;
 * without one, checks the functions against each other.
 */
#include "base/wide.h"
#include "unit.h"

static uint64_t seed = 3;

static const uint64_t edges[] = { 0, 1, 2, 3, 10, INT32_MAX, UINT32_MAX - 1,
	UINT32_MAX, UINT64_C(1) << 32, INT64_MAX - 1, INT64_MAX,
	UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX - 1,
	UINT64_MAX };
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* An edge value, or a number of any width. */
static uint64_t
number(void)
{
	if (unit_below(&seed, 3) == 0)
		return edges[unit_below(&seed, EDGES)];
	return unit_number(&seed);
}

static bool
equal(struct cg_wide a, struct cg_wide b)
{
	return a.high == b.high && a.low == b.low;
}

/* Without a native type: (a * b + r) / b is a with remainder r. */
static void
test_product(uint64_t a, uint64_t b)
{
	struct cg_wide product = cg_wide_multiply_portable(a, b);
	uint64_t rest, quotient;

	CHECK(equal(product, cg_wide_multiply(a, b)));
	CHECK(equal(product, cg_wide_multiply_portable(b, a)));
	CHECK(product.low == a * b);
	if (b == 0)
		return;
	CHECK(product.high < b);
	CHECK(cg_wide_divide_portable(product, b, &rest) == a && rest == 0);
	CHECK(cg_wide_scale(a, b, b - 1, b, &quotient, &rest) &&
	      quotient == a && rest == b - 1);
	CHECK(cg_mul_div(a, b, b) == a);
}

static void
test_division(struct cg_wide a, uint64_t divisor)
{
	uint64_t rest, portable_rest, quotient;

	if (a.high >= divisor)
		return;
	quotient = cg_wide_divide(a, divisor, &rest);
	CHECK(quotient == cg_wide_divide_portable(a, divisor, &portable_rest));
	CHECK(rest == portable_rest && rest < divisor);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

static struct cg_wide
from_native(u128 value)
{
	return (struct cg_wide){ (uint64_t)(value >> 64), (uint64_t)value };
}

static void
test_native_scale(uint64_t a, uint64_t b, uint64_t plus, uint64_t divisor)
{
	uint64_t quotient, rest;
	u128 sum = (u128)a * b + plus;
	bool fits = divisor > 0 && sum / divisor <= UINT64_MAX;

	CHECK(equal(from_native((u128)a * b), cg_wide_multiply_portable(a, b)));
	CHECK(cg_wide_scale(a, b, plus, divisor, &quotient, &rest) == fits);
	if (fits)
		CHECK(quotient == sum / divisor && rest == sum % divisor);
}

/* Sums of a few products; some overflow 128 bits. */
static void
test_native_sum(void)
{
	struct cg_wide sum = { 0 };
	i128 expected = 0;

	for (size_t i = 0; i < 4; i++) {
		uint64_t value = number();
		int64_t factor = (int64_t)number(), narrow;
		bool is_signed = unit_below(&seed, 2);
		i128 term = is_signed ? (i128)(int64_t)value : (i128)value;
		bool ok =
		    !__builtin_add_overflow(expected, term * factor, &expected);

		CHECK(
		    cg_wide_add_product(&sum, value, is_signed, factor) == ok);
		if (!ok)
			return;
		CHECK(equal(sum, from_native((u128)expected)));
		CHECK(cg_wide_get_i64(sum, &narrow) ==
		      (expected == (int64_t)expected));
		CHECK(narrow == (int64_t)expected);
	}
}
#endif

static void
test_values(void)
{
	struct cg_wide sum = { 0 };
	int64_t narrow;

	CHECK(equal(cg_wide_multiply_portable(UINT64_MAX, UINT64_MAX),
	    (struct cg_wide){ UINT64_MAX - 1, 1 }));
	CHECK(cg_mul_div(UINT64_MAX, 3, 4) == UINT64_C(0xbfffffffffffffff));
	CHECK(cg_mul_div(UINT64_MAX, 2, 1) == UINT64_MAX);
	CHECK(cg_mul_div(7, 3, 0) == UINT64_MAX);
	/* -2^63 * -2^63 + (2^64 - 1) * -2^62 = 2^62 */
	CHECK(cg_wide_add_product(&sum, UINT64_C(1) << 63, true, INT64_MIN));
	CHECK(!cg_wide_get_i64(sum, &narrow));
	CHECK(
	    cg_wide_add_product(&sum, UINT64_MAX, false, -(INT64_C(1) << 62)));
	CHECK(cg_wide_get_i64(sum, &narrow) && narrow == INT64_C(1) << 62);
	CHECK(cg_wide_add_product(&sum, UINT64_MAX, true, INT64_C(1) << 62));
	CHECK(equal(sum, (struct cg_wide){ 0, 0 }));
	/* A sum above 2^127 - 1 fails and keeps the value. */
	sum = (struct cg_wide){ INT64_MAX, UINT64_MAX };
	CHECK(!cg_wide_add_product(&sum, 1, false, 1));
	CHECK(equal(sum, (struct cg_wide){ INT64_MAX, UINT64_MAX }));
}

int
main(void)
{
	for (size_t i = 0; i < EDGES * EDGES; i++)
		test_product(edges[i / EDGES], edges[i % EDGES]);
	for (int i = 0; i < 20000; i++) {
		test_product(number(), number());
		test_division((struct cg_wide){ number(), number() }, number());
#ifdef __SIZEOF_INT128__
		test_native_scale(number(), number(), number(), number());
		test_native_sum();
#endif
	}
	test_values();
	return unit_end();
}
