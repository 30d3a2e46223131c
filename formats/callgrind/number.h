/*
 * number.h - numbers, positions and costs of callgrind files.
 *
 * Nearly all lines consist of the forms that are parsed inline here; number.c
 * parses the rare forms. Lines end with '\n', which stops every loop. Most
 * numbers have one or two digits: a loop over digits is faster than parsing
 * eight characters at once.
 */
#ifndef FORMATS_CALLGRIND_NUMBER_H
#define FORMATS_CALLGRIND_NUMBER_H

#include "read.h"

static inline bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *
skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

static inline bool
callgrind_begins_number(char c)
{
	return (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '*';
}

/* ---- Numbers ------------------------------------------------------------ */

static inline unsigned
digit_of(char c)
{
	return (unsigned char)c - (unsigned)'0';
}

/*
 * Takes up to the number of digits that always fits. Callers check the
 * character after the number anyway, and so notice further digits. False: no
 * digit.
 */
static inline bool
take_digits(const char **at, uint64_t *value)
{
	uint64_t number = digit_of(**at);
	unsigned digit;

	if (number > 9)
		return false;
	for (++*at; (digit = digit_of(**at)) < 10 && number < UINT64_MAX / 100;
	     ++*at)
		number = number * 10 + digit;
	*value = number;
	return true;
}

/* Sets r->status and reports "expected ...", unless an error is set already. */
void callgrind_fail(
    struct callgrind_reader *, const char *at, const char *expected);
/* Takes a number; returns its end, or at if there is no number. */
const char *callgrind_number(
    struct callgrind_reader *, const char *at, uint64_t *value);

/* ---- Positions ---------------------------------------------------------- */

/*
 * Takes an absolute position, or +n, -n, * relative to base. Returns its end;
 * NULL: invalid.
 */
const char *callgrind_position(struct callgrind_reader *, const char *at,
    uint64_t base, uint64_t *position);

/*
 * Takes a position of a common form, "+2", "-17", "*" or "0", and one blank.
 * Returns its end; NULL: another form.
 */
static inline const char *
get_short_position(const char *at, uint64_t base, uint64_t *position)
{
	char sign = *at;
	uint64_t number = 0;

	if (sign == '*') {
		*position = base;
		return at[1] == ' ' ? at + 2 : NULL;
	}
	at += sign == '+' || sign == '-';
	if (!take_digits(&at, &number) || *at != ' ')
		return NULL;
	if (sign == '+' ? number > UINT64_MAX - base
			: sign == '-' && number > base)
		return NULL;
	*position = sign == '+'   ? base + number
		    : sign == '-' ? base - number
				  : number;
	return at + 1;
}

static inline const char *
get_position(struct callgrind_reader *r, const char *from, uint64_t base,
    uint64_t *position)
{
	const char *at = get_short_position(from, base, position);

	return at ? skip_blanks(at)
		  : callgrind_position(r, from, base, position);
}

/* Reports a malformed position; returns NULL. */
const char *callgrind_no_positions(struct callgrind_reader *, const char *at);
/* Warns that a line number is too large; returns 0 for it. */
uint32_t callgrind_no_line(struct callgrind_reader *, const char *at);

/*
 * Takes the positions of a line, relative to those of the last cost line.
 * Returns their end; NULL: malformed (reported).
 */
static inline const char *
get_positions(struct callgrind_reader *r, const char *at, struct cg_pos *pos,
    uint64_t *bb)
{
	const char *from = at;
	uint64_t line = 0;

	pos->addr = 0;
	*bb = 0;
	if (r->instr)
		at = get_position(r, at, r->base.addr, &pos->addr);
	if (at && r->bb)
		at = callgrind_position(r, at, r->base_bb, bb);
	if (at && r->line)
		at = get_position(r, at, r->base.line, &line);
	if (!at)
		return callgrind_no_positions(r, from);
	pos->line =
	    line <= UINT32_MAX ? (uint32_t)line : callgrind_no_line(r, from);
	return at;
}

/* Returns the end of "* * ", which repeats the last positions; else NULL. */
static inline const char *
get_same_positions(const struct callgrind_reader *r, const char *at)
{
	if (!r->instr || r->bb || !r->line || at[0] != '*' || at[1] != ' ' ||
	    (at[2] != '*' && (at[2] != '0' || r->base.line != 0)) ||
	    at[3] != ' ')
		return NULL;
	return skip_blanks(at + 4);
}

/* ---- Costs -------------------------------------------------------------- */

/*
 * Takes up to max costs of the common form: short, with one blank between
 * them. Returns the end. This loop sees most bytes of most files.
 */
static inline const char *
get_plain_costs(const char *at, uint64_t *cost, size_t max, size_t *count)
{
	const char *done = at;
	size_t n = 0;

	for (; n < max; n++) {
		/* Most have one digit. */
		unsigned digit = digit_of(at[0]);

		if (digit < 10 && at[1] == ' ') {
			cost[n] = digit;
			done = at += 2;
			continue;
		}
		if (!take_digits(&at, &cost[n]))
			break;
		if (*at == '\n') {
			*count = n + 1;
			return at;
		}
		if (*at != ' ')
			break;
		done = ++at;
	}
	*count = n;
	return done;
}

/*
 * Takes further costs of any form up to the newline; warns of too many.
 * Returns their end.
 */
const char *callgrind_more_costs(
    struct callgrind_reader *, const char *at, uint64_t *cost, size_t *count);

/*
 * Takes costs in the order of the events: line. Returns the newline, or the
 * first character that is not part of a cost.
 */
static inline const char *
get_costs(struct callgrind_reader *r, const char *at,
    uint64_t cost[CG_EVENT_MAX], size_t *count)
{
	at = get_plain_costs(at, cost, r->events, count);
	return *at == '\n' ? at : callgrind_more_costs(r, at, cost, count);
}

/*
 * Copies n costs, in the order of the line "events:", to the columns of the
 * graph. Returns the number of columns.
 */
size_t callgrind_map_costs(struct callgrind_reader *, const char *at,
    const uint64_t *cost, size_t n, uint64_t *to);

#endif
