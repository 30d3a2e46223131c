/*
 * number.c - counts of tracefiles.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lcov.h"

const char *
lcov_skip_number(const char *at, uint64_t *number, int most)
{
	const char *from = at;
	uint64_t value = 0;

	for (; (unsigned)*at - '0' <= 9; at++)
		value = value * 10 + ((unsigned)*at - '0');
	*number = value;
	return at > from && at - from <= most ? at : NULL;
}

#define TWO_TO_63 9223372036854775808.0

/* Perl has written big ones as 1.8446744073709552e+19. */
static bool
take_float(struct cg_slice *text, double *value)
{
	char number[64], *end;
	size_t n = text->len < sizeof(number) ? text->len : sizeof(number) - 1;

	memcpy(number, text->ptr, n);
	number[n] = '\0';
	n = strspn(number, "0123456789.eE+-");
	number[n] = '\0';
	*value = strtod(number, &end);
	if (n == 0 || *end != '\0')
		return false;
	text->ptr += n;
	text->len -= n;
	return true;
}

/* From 2^63 on, something has counted below zero. */
static int64_t
unwrap(struct cg_job *job, const char *at, bool negative, uint64_t count)
{
	int64_t value = (int64_t)(negative ? 0 - count : count);

	if (!negative && value < 0)
		cg_warn_at(job, at, "count %" PRIu64 " is taken as %" PRId64,
		    count, value);
	return value;
}

bool
lcov_take_count(struct cg_job *job, struct cg_slice *text, int64_t *count)
{
	struct cg_slice rest = *text;
	bool negative = cg_take_char(&rest, '-');
	uint64_t value;
	double real;

	if (!cg_take_u64(&rest, &value))
		return false;
	if (rest.len > 0 && (*rest.ptr == '.' || (*rest.ptr | 0x20) == 'e')) {
		rest = *text;
		if (!take_float(&rest, &real) ||
		    !(real > -TWO_TO_63 && real < 2 * TWO_TO_63))
			return false;
		negative = real < 0;
		value = (uint64_t)(negative ? -real : real);
		cg_warn_at(job, text->ptr, "a count with a fraction is cut");
	}
	if (negative && value > (uint64_t)INT64_MAX)
		return false;
	*count = unwrap(job, text->ptr, negative, value);
	*text = rest;
	return true;
}
