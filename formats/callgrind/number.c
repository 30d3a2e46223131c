/*
 * number.c - the rarer forms of numbers, positions and costs.
 */
#include "number.h"

void
callgrind_fail(struct reader *r, const char *at, const char *expected)
{
	if (r->status == CG_OK)
		r->status = cg_fail_at(r->job, at, "expected %s", expected);
}

/* Takes "0x19cb", as Valgrind writes it, up to what surely fits. */
static bool
take_hex(const char **at, uint64_t *value)
{
	const char *from = *at += 2;

	*at = cg_get_hex(from, value);
	return *at > from;
}

/* The rare forms, and more digits than surely fit. */
static const char *
get_long_number(struct reader *r, const char *at, uint64_t *value)
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
callgrind_number(struct reader *r, const char *at, uint64_t *value)
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

/* "5-9", "5+4", "5:9": a range; only where it begins is kept. */
static const char *
skip_range(struct reader *r, const char *at)
{
	uint64_t end;
	const char *from = at;

	if (*at != '-' && *at != '+' && *at != ':')
		return at;
	at = callgrind_number(r, at + 1, &end);
	if (at == from + 1)
		return from;
	cg_warn_at(r->job, from, "only the beginning of a range is kept");
	return at;
}

const char *
callgrind_position(
    struct reader *r, const char *at, uint64_t base, uint64_t *position)
{
	const char *from = at;
	uint64_t number;
	char sign = *at;

	/* Where a function begins, and what is called. */
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
		cg_warn_at(r->job, from, "a position below 0 is taken as 0");
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
callgrind_no_positions(struct reader *r, const char *at)
{
	callgrind_fail(r, at, "each position to be a number, +n, -n or *");
	return NULL;
}

uint32_t
callgrind_no_line(struct reader *r, const char *at)
{
	cg_warn_at(r->job, at, "line number is too large, taken as unknown");
	return 0;
}

/* What is no plain cost: taken as well as can be, never in silence. */
static const char *
get_odd_cost(struct reader *r, const char *from, uint64_t *value)
{
	bool minus = *from == '-';
	const char *at = callgrind_number(r, from + minus, value);

	if (minus && at > from + 1) {
		cg_warn_at(r->job, from, "a cost below 0 is taken as 0");
		*value = 0;
	}
	if (*at == '.') {
		cg_warn_at(r->job, from, "the fraction of a cost is cut off");
		at++;
		while (*at >= '0' && *at <= '9')
			at++;
	}
	if (at == from + minus || (!is_blank(*at) && *at != '\n')) {
		cg_warn_at(r->job, from,
		    "expected a cost; the rest of the line is ignored");
		return NULL;
	}
	return at;
}

/* What is no short number with one blank behind it; NULL: no cost at all. */
static const char *
get_any_cost(struct reader *r, const char *from, uint64_t *value)
{
	const char *at = callgrind_number(r, from, value);

	if ((at == from || (!is_blank(*at) && *at != '\n')) &&
	    r->status == CG_OK)
		at = get_odd_cost(r, from, value);
	return at && r->status == CG_OK ? skip_blanks(at) : NULL;
}

const char *
callgrind_more_costs(
    struct reader *r, const char *at, uint64_t *cost, size_t *count)
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
callgrind_map_costs(
    struct reader *r, const uint64_t *cost, size_t n, uint64_t *to)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t *sum = &to[r->column[i]];

		for (; count <= r->column[i]; count++)
			to[count] = 0;
		/* An event that is listed twice is summed. */
		if (__builtin_add_overflow(*sum, cost[i], sum))
			r->status = cg_fail(r->job,
			    "costs of an event that "
			    "comes twice are more than 64 bits hold");
	}
	return count;
}

size_t
callgrind_costs(struct reader *r, const char *at, uint64_t cost[CG_EVENT_MAX])
{
	uint64_t raw[CG_EVENT_MAX];
	size_t n;

	(void)get_costs(r, at, raw, &n);
	return callgrind_map_costs(r, raw, n, cost);
}
