/*
 * number.c - the rare forms of numbers, positions and costs.
 */
#include "number.h"

void
callgrind_fail(struct callgrind_reader *r, const char *at, const char *expected)
{
	if (r->status == CG_OK)
		r->status = cg_fail_at(r->job, at, "expected %s", expected);
}

/*
 * Reads a hexadecimal number to *value. On entry, *at points to its prefix
 * "0x"; on return, to the first character that was not read. Stops before a
 * digit with which the number might not fit into 64 bits. False: no digit
 * follows the prefix.
 */
static bool
take_hex(const char **at, uint64_t *value)
{
	const char *from = *at += 2;

	*at = cg_get_hex(from, value);
	return *at > from;
}

/*
 * Reads a number to *value, in any form that cg_take_u64() reads. The number
 * ends before the next blank or newline. Returns its end. If it is malformed
 * or above 64 bits, reports that and returns "at".
 */
static const char *
get_long_number(struct callgrind_reader *r, const char *at, uint64_t *value)
{
	struct cg_slice text = { at, 0 };

	while (text.ptr[text.len] != '\n' && !is_blank(text.ptr[text.len]))
		text.len++;
	if (cg_take_u64(&text, value))
		return text.ptr;
	callgrind_fail(r, at, "a number of at most 64 bits");
	return at;
}

const char *
callgrind_number(struct callgrind_reader *r, const char *at, uint64_t *value)
{
	const char *from = at;

	*value = 0;
	if (at[0] == '0' && at[1] == 'x' && take_hex(&at, value) &&
	    (is_blank(*at) || *at == '\n'))
		return at;
	at = from;
	if (take_digits(&at, value) &&
	    ((*at >= '0' && *at <= '9') || *at == 'x' || *at == 'X'))
		return get_long_number(r, from, value);
	return at;
}

/*
 * Skips the rest of a range after its start, such as "-9", "+4" or ":9". Warns
 * that only the start is used. Returns the end of the range, or "at" if there
 * is no range.
 */
static const char *
skip_range(struct callgrind_reader *r, const char *at)
{
	uint64_t end;
	const char *from = at;

	if (*at != '-' && *at != '+' && *at != ':')
		return at;
	at = callgrind_number(r, at + 1, &end);
	if (at == from + 1)
		return from;
	cg_warn_at(r->job, from, "using only the start of a range");
	return at;
}

const char *
callgrind_position(struct callgrind_reader *r, const char *at, uint64_t base,
    uint64_t *position)
{
	const char *from = at;
	uint64_t number;
	char sign = *at;

	/* The form of the first position of a function, and of a callee. */
	if (sign == '0' && at[1] == 'x' && take_hex(&from, position) &&
	    *from == ' ')
		return skip_blanks(from);
	if (sign == '*') {
		*position = base;
		return skip_blanks(at + 1);
	}
	at += sign == '+' || sign == '-';
	from = at;
	at = callgrind_number(r, at, &number);
	if (at == from)
		return NULL;
	if (sign == '-' && number > base) {
		cg_warn_at(r->job, from, "negative position; using 0");
		number = base;
	}
	if (sign == '+' && number > UINT64_MAX - base) {
		callgrind_fail(r, from, "a position of at most 64 bits");
		number = 0;
	}
	*position = sign == '+'   ? base + number
		    : sign == '-' ? base - number
				  : number;
	if (!is_blank(*at) && *at != '\n')
		at = skip_range(r, at);
	return skip_blanks(at);
}

const char *
callgrind_no_positions(struct callgrind_reader *r, const char *at)
{
	callgrind_fail(r, at, "each position to be a number, +n, -n or *");
	return NULL;
}

uint32_t
callgrind_no_line(struct callgrind_reader *r, const char *at)
{
	cg_warn_at(r->job, at, "line number too large; using 0 (unknown)");
	return 0;
}

/*
 * Reads a negative or fractional cost to *value, with a warning. A negative
 * cost becomes 0. Of a fractional cost, only the integer part is used. Returns
 * the end of the cost in the text. NULL: the text is not a cost, and a warning
 * says so.
 */
static const char *
get_odd_cost(struct callgrind_reader *r, const char *from, uint64_t *value)
{
	bool minus = *from == '-';
	const char *at = callgrind_number(r, from + minus, value);

	if (minus && at > from + 1) {
		cg_warn_at(r->job, from, "negative cost; using 0");
		*value = 0;
	}
	if (*at == '.') {
		cg_warn_at(r->job, from, "dropped the fraction of a cost");
		at++;
		while (*at >= '0' && *at <= '9')
			at++;
	}
	if (at == from + minus || (!is_blank(*at) && *at != '\n')) {
		cg_warn_at(r->job, from,
		    "expected a cost; ignored the rest of the line");
		return NULL;
	}
	return at;
}

/*
 * Reads a cost in any form to *value. The caller has already tried the common
 * form, a short number that one blank follows. Returns the begin of the next
 * cost on the line. NULL: not a cost, with a warning, or an error (r->status).
 */
static const char *
get_any_cost(struct callgrind_reader *r, const char *from, uint64_t *value)
{
	const char *at = callgrind_number(r, from, value);

	if ((at == from || (!is_blank(*at) && *at != '\n')) &&
	    r->status == CG_OK)
		at = get_odd_cost(r, from, value);
	return at && r->status == CG_OK ? skip_blanks(at) : NULL;
}

const char *
callgrind_more_costs(
    struct callgrind_reader *r, const char *at, uint64_t *cost, size_t *count)
{
	const char *from = skip_blanks(at);
	uint64_t value;

	while (*from != '\n') {
		at = get_any_cost(r, from, &value);
		if (!at)
			return from;
		if (*count < r->events)
			cost[(*count)++] = value;
		else
			cg_warn_at(r->job, from, "expected at most %zu costs",
			    r->events);
		from = at;
	}
	return from;
}

size_t
callgrind_map_costs(struct callgrind_reader *r, const char *at,
    const uint64_t *cost, size_t n, uint64_t *to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *sum = &to[r->column[i]];

		for (; count <= r->column[i]; count++)
			to[count] = 0;
		/* Costs of an event that is listed twice are summed. */
		if (__builtin_add_overflow(*sum, cost[i], sum))
			r->status = cg_fail_at(r->job, at,
			    "the sum of costs of a repeated event exceeds 64 "
			    "bits");
	}
	return count;
}

size_t
callgrind_costs(
    struct callgrind_reader *r, const char *at, uint64_t cost[CG_EVENT_MAX])
{
	uint64_t raw[CG_EVENT_MAX];
	size_t n;

	(void)get_costs(r, at, raw, &n);
	return callgrind_map_costs(r, at, raw, n, cost);
}
