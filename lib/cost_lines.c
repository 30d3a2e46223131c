/*
 * cost_lines.c - costs as lines of text, on their way in.
 *
 * Most bytes of most big files come by here: lines are read, summed and packed
 * in one go.
 */
#include <string.h>

#include "graph.h"
#include "rows.h"

static inline unsigned
digit_of(char c)
{
	return (unsigned char)c - (unsigned)'0';
}

/* The digits behind the first one: as many as surely fit. */
static inline const char *
take_digits(const char *text, uint64_t *value)
{
	unsigned digit;

	for (; (digit = digit_of(*text)) <= 9 && *value < UINT64_MAX / 100;
	     text++)
		*value = *value * 10 + digit;
	return text;
}

/*
 * Takes "+2", "-17", "*" or "0" and a blank; NULL: it is something else, and
 * *place is lost.
 */
static inline const char *
take_place(const char *text, uint64_t *place)
{
	char sign = *text;
	uint64_t number;
	bool lost = false;

	if (sign == '*')
		return text[1] == ' ' ? text + 2 : NULL;
	text += sign == '+' || sign == '-';
	number = digit_of(*text);
	if (number > 9)
		return NULL;
	text = take_digits(text + 1, &number);
	if (sign == '+')
		lost = __builtin_add_overflow(*place, number, place);
	else if (sign == '-')
		lost = __builtin_sub_overflow(*place, number, place);
	else
		*place = number;
	return lost || *text != ' ' ? NULL : text + 1;
}

/* Takes off sums what was added of a text that turned out to be none. */
static const char *
take_back(uint64_t *sum, const char *text, size_t n)
{
	uint64_t value;

	for (size_t i = 0; i < n; i++) {
		value = digit_of(*text);
		text = take_digits(text + 1, &value) + 1;
		sum[i] -= value;
	}
	return NULL;
}

/* Takes a number; returns whether it was too much for its sum. */
static inline bool
add_number(const char **text, uint64_t first, uint64_t *sum, uint64_t *value)
{
	*value = first;
	++*text;
	if (digit_of(**text) <= 9)
		*text = take_digits(*text, value);
	*sum += *value;
	return *sum < *value;
}

/*
 * Adds the costs of a line. Returns the newline; NULL: it is no plain line, and
 * nothing was added.
 */
static inline const char *
sum_values(const char *text, uint64_t *sum, size_t most, bool *zero)
{
	const char *from = text;
	uint64_t value, any = 0;
	unsigned digit;
	bool over = false;
	size_t n = 0;

	while (n < most && (digit = digit_of(*text)) <= 9) {
		over |= add_number(&text, digit, &sum[n++], &value);
		any |= value;
		if (*text != ' ')
			break;
		text++;
	}
	if (*text != '\n' || over)
		return take_back(sum, from, n);
	*zero = any == 0;
	return text;
}

/* The same, and packs them behind their position, *to. */
static inline const char *
pack_values(const char *text, uint64_t *sum, size_t most, uint8_t **to)
{
	const char *from = text;
	uint8_t *at = *to + 1;
	unsigned digit;
	bool over = false;
	uint64_t value;
	size_t n = 0;

	while (n < most && (digit = digit_of(*text)) <= 9) {
		over |= add_number(&text, digit, &sum[n++], &value);
		at = put_varint(at, value);
		if (*text != ' ')
			break;
		text++;
	}
	if (*text != '\n' || over)
		return take_back(sum, from, n);
	while (n > 0 && at[-1] == 0)
		at--, n--;
	**to = (uint8_t)n;
	*to = at;
	return text;
}

/* What is known of lines that were taken. */
struct seen {
	uint64_t addr, line;
	bool zeros;
};

static void
note_lines(struct cg_graph *graph, struct seen seen)
{
	graph->facts |= CG_SELF | (seen.addr ? CG_INSTRS : 0) |
			(seen.line ? CG_LINES : 0) |
			(seen.zeros ? CG_ZEROS : 0);
}

/* The positions of any line. */
static inline const char *
take_pos(const char *text, bool addrs, bool lines, struct cg_pos *pos)
{
	uint64_t addr = pos->addr, line = pos->line;

	if (addrs)
		text = take_place(text, &addr);
	if (text && lines)
		text = take_place(text, &line);
	if (line > UINT32_MAX)
		return NULL;
	pos->addr = addr;
	pos->line = (uint32_t)line;
	return text;
}

/*
 * The positions of most lines: an instruction not far behind the one before,
 * and its line again. Returns what follows; NULL: they are others.
 */
static inline const char *
take_step(const char *text, struct cg_pos *pos)
{
	unsigned step;

	if (text[0] != '+' || (step = digit_of(text[1])) == 0 ||
	    step > CG_STEP_MAX || pos->addr > UINT64_MAX - CG_STEP_MAX ||
	    text[2] != ' ' ||
	    (text[3] != '*' && (text[3] != '0' || pos->line != 0)) ||
	    text[4] != ' ')
		return NULL;
	pos->addr += step;
	return text + 5;
}

static const char *
sum_lines(struct cg_build *build, struct cg_cost_lines *lines, const char *text,
    const char *end, uint64_t *sum)
{
	const bool addrs = lines->addrs, numbers = lines->lines;
	const size_t most = lines->most;
	struct cg_pos pos = lines->pos, next = pos;
	struct seen seen = { 0 };
	const char *at, *from = text;
	bool zero = false, both = false;

	for (; text < end; text = at + 1) {
		at = both ? take_step(text, &next) : NULL;
		if (!at)
			at = take_pos(text, addrs, numbers, &next);
		if (at)
			at = sum_values(at, sum, most, &zero);
		if (!at)
			break;
		pos = next;
		both = addrs && numbers;
		seen.addr |= pos.addr;
		seen.line |= pos.line;
		seen.zeros |= zero;
	}
	lines->pos = pos;
	if (text > from)
		note_lines(build->graph, seen);
	return text;
}

/*
 * Packs as many lines as there is room for. What is at hand in all of them
 * stands in variables of its own: bytes that are written might change all else.
 */
static const char *
pack_some(struct cg_build *build, struct cg_cost_lines *lines, const char *text,
    const char *end, uint64_t *sum)
{
	const bool addrs = lines->addrs, numbers = lines->lines;
	const size_t most = lines->most;
	struct cg_packed *packed = &build->run->costs;
	struct cg_pos pos = lines->pos, next = pos, before = packed->pos;
	uint8_t *to = packed->at, *row, *values,
		*const last = packed->end - (POS_MAX + most * VALUE_MAX);
	const char *at, *from = text;
	struct seen seen = { 0 };
	bool both = false;

	while (text < end && to <= last) {
		at = both ? take_step(text, &next) : NULL;
		if (at) {
			*to = (uint8_t)((next.addr - before.addr)
					<< CG_TAG_SHIFT);
			row = to + 1;
		} else {
			at = take_pos(text, addrs, numbers, &next);
			if (!at)
				break;
			row = put_cost_pos(packed, to, next, before);
		}
		values = row;
		at = pack_values(at, sum, most, &row);
		if (!at)
			break;
		if (begins_stretch(*to))
			cg_link_stretch(packed, to);
		pos = before = next;
		both = addrs && numbers;
		to = row;
		seen.addr |= pos.addr;
		seen.line |= pos.line;
		seen.zeros |= *values == 0;
		text = at + 1;
	}
	lines->pos = pos;
	packed->pos = before;
	packed->at = to;
	if (text > from)
		note_lines(build->graph, seen);
	return text;
}

static const char *
pack_lines(struct cg_build *build, struct cg_cost_lines *lines,
    const char *text, const char *end, uint64_t *sum)
{
	const size_t need = POS_MAX + lines->most * VALUE_MAX;
	struct cg_packed *packed = &build->run->costs;

	do {
		if (!begin_pack(build->graph, build->run, packed, need))
			break;
		text = pack_some(build, lines, text, end, sum);
	} while (text < end && (size_t)(packed->end - packed->at) < need);
	return text;
}

const char *
cg_add_cost_lines(struct cg_build *build, cg_fn fn, struct cg_cost_lines *lines,
    const char *text, const char *end)
{
	uint64_t *sum;

	/* What is seldom is left to cg_add_cost(). */
	if (build->graph->any_signed || lines->most >= 0x80 ||
	    cg_build_omits(build, lines->pos.file))
		return text;
	sum = cg_build_begin_lines(build, fn, lines->pos.file, lines->most);
	if (!sum)
		return text;
	return build->sums_only ? sum_lines(build, lines, text, end, sum)
				: pack_lines(build, lines, text, end, sum);
}
