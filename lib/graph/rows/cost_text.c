/*
 * cost_text.c - writes costs as lines of text.
 *
 * Most bytes of most big files are written here: rows are decoded and formatted
 * in one pass.
 */
#include <string.h>

#include "graph/graph.h"
#include "graph/rows/cursor.h"

/* ---- Numbers ------------------------------------------------------------ */

/*
 * Nearly all numbers fit into one packed byte: a table has their text, with a
 * blank before it, and its length, so that formatting has no branches.
 */
struct small {
	char text[7];
	uint8_t len;
};
#define ONE(a)                \
	{                     \
		{ ' ', a }, 2 \
	}
#define TWO(a, b)                \
	{                        \
		{ ' ', a, b }, 3 \
	}
#define THREE(a, b, c)              \
	{                           \
		{ ' ', a, b, c }, 4 \
	}
#define TEN_OF(of)                                                     \
	of('0'), of('1'), of('2'), of('3'), of('4'), of('5'), of('6'), \
	    of('7'), of('8'), of('9')
#define TENS(a)                                                          \
	TWO(a, '0'), TWO(a, '1'), TWO(a, '2'), TWO(a, '3'), TWO(a, '4'), \
	    TWO(a, '5'), TWO(a, '6'), TWO(a, '7'), TWO(a, '8'), TWO(a, '9')
#define HUNDRED(b)                                                      \
	THREE('1', b, '0'), THREE('1', b, '1'), THREE('1', b, '2'),     \
	    THREE('1', b, '3'), THREE('1', b, '4'), THREE('1', b, '5'), \
	    THREE('1', b, '6'), THREE('1', b, '7'), THREE('1', b, '8'), \
	    THREE('1', b, '9')
static const struct small small[] = { TEN_OF(ONE), TENS('1'), TENS('2'),
	TENS('3'), TENS('4'), TENS('5'), TENS('6'), TENS('7'), TENS('8'),
	TENS('9'), HUNDRED('0'), HUNDRED('1'), HUNDRED('2') };
#define SMALLS (sizeof(small) / sizeof(small[0]))

static inline char *
format_small(char *to, size_t value)
{
	memcpy(to, &small[value], sizeof(small[value]));
	return to + small[value].len;
}

/*
 * Writes the character `before`, mostly a blank or a sign, and then the number
 * in decimal; returns the end. Numbers below SMALLS are copied from a table.
 */
static inline char *
format_after(char *to, char before, uint64_t value)
{
	char *end;

	if (value < SMALLS)
		end = format_small(to, (size_t)value);
	else if (value < CG_EIGHT_DIGITS)
		end = cg_put_digits(to + 1, cg_digits_of(value));
	else
		end = cg_format_u64(to + 1, value);
	*to = before;
	return end;
}

/* ---- Lines -------------------------------------------------------------- */

/* Valgrind's limit; a larger one saves little. */
#define STEP_MAX 100

/*
 * Writes a position relative to that of the line before (base), in callgrind's
 * form "*", "+2" or "-17"; returns the end. NULL: the step is STEP_MAX or
 * more, so that an absolute number is written instead; nothing was written.
 */
static inline char *
format_step(char *to, uint64_t value, uint64_t base)
{
	uint64_t step = value - base;

	if (step == 0) {
		*to = '*';
		return to + 1;
	}
	if (value > base && step < STEP_MAX)
		return format_after(to, '+', step);
	if (value < base && -step < STEP_MAX)
		return format_after(to, '-', -step);
	return NULL;
}

static inline char *
format_addr(char *to, uint64_t addr, uint64_t base, bool steps)
{
	char *end = steps ? format_step(to, addr, base) : NULL;

	if (end)
		return end;
	return addr ? cg_format_hex(to, addr) : cg_format_u64(to, addr);
}

static inline char *
format_line(char *to, uint64_t line, uint64_t base, bool steps)
{
	char *end = steps ? format_step(to, line, base) : NULL;

	return end ? end : cg_format_u64(to, line);
}

static inline char *
format_pos(char *to, bool addrs, bool lines, const struct cg_pos *pos,
    const struct cg_pos *base, bool steps)
{
	if (addrs)
		to = format_addr(to, pos->addr, base->addr, steps);
	if (addrs && lines)
		*to++ = ' ';
	if (lines)
		to = format_line(to, pos->line, base->line, steps);
	return to;
}

char *
cg_format_pos(
    const struct cg_cost_lines *lines, char *to, const struct cg_pos *pos)
{
	return format_pos(to, lines->addrs, lines->lines, pos, &lines->pos,
	    lines->steps && lines->begun);
}

char *
cg_format_cost_line(struct cg_cost_lines *lines, char *to,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	to = cg_format_pos(lines, to, pos);
	if (n == 0)
		to = format_small(to, 0);
	for (size_t i = 0; i < n; i++)
		to = format_after(to, ' ', cost[i]);
	*to++ = '\n';
	lines->pos = *pos;
	lines->begun = true;
	return to;
}

/* ---- Packed rows -------------------------------------------------------- */

static inline char *
format_zeros(char *to, size_t n)
{
	static const char zeros[] = " 0 0 0 0 0 0 0 0";
	const size_t width = sizeof(zeros) - 1;

	for (char *at = to; at < to + 2 * n; at += width)
		memcpy(at, zeros, width);
	return to + 2 * n;
}

/*
 * Writes the values of a packed row as text, each after a blank, and moves
 * *row to their end; a row without values is " 0". Returns the end of the
 * text.
 */
static inline char *
format_values(char *to, unsigned tag, const uint8_t **row)
{
	const uint8_t *at = *row;
	size_t n = get_count(tag, &at);

	if (n == 0)
		to = format_small(to, 0);
	for (; n > 0; n--) {
		if (*at < 0x80) {
			to = format_small(to, *at++);
		} else if (is_zeros(at)) {
			to = format_zeros(to, get_zeros(at));
			at += 2;
		} else {
			to = format_after(to, ' ', get_varint(&at));
		}
	}
	*row = at;
	return to;
}

/*
 * True if the row at pos precedes the next rows of all other segments: it
 * needs no merging. False if one has the same position. The row must be in the
 * file of the current scan.
 */
static inline bool
comes_first(const struct cg_rows *rows, const struct cg_pos *pos)
{
	const struct scan *other = rows->head;

	if (rows->heads == 0 || pos->addr < other->pos.addr)
		return true;
	return pos->addr == other->pos.addr && rows->scan.rank == other->rank &&
	       pos->line < other->pos.line;
}

/*
 * Decodes the rest of a packed position, after its tag, and moves *row past
 * it. Adds it to *pos, the position of the row before. False: the row is in
 * another file; *row is moved in part.
 */
static inline bool
take_pos(const uint8_t **row, struct cg_pos *pos)
{
	unsigned flags = **row;

	if (flags >= CG_POS_FLAGS) {
		++*row;
		if (flags & CG_POS_FILE)
			return false;
		if (flags & CG_POS_ADDR)
			pos->addr += get_signed(row);
		if (!(flags & CG_POS_LINE))
			return true;
	}
	pos->line += (uint32_t)get_signed(row);
	return true;
}

/*
 * Writes a position such as "+3 *": the row is on the line of the row before,
 * and its address is `step` bytes higher (1 to CG_STEP_MAX). Returns the end.
 */
static inline char *
put_step(char *to, unsigned step)
{
	static const char text[CG_STEP_MAX + 1][4] = { "", "+1 *", "+2 *",
		"+3 *", "+4 *", "+5 *", "+6 *", "+7 *" };

	memcpy(to, text[step], sizeof(text[step]));
	return to + sizeof(text[step]);
}

/*
 * Writes rows as lines of text at `to`, and returns the end. Stops at `end`,
 * which the last line may exceed, or at an unusual row. Rows to be merged are
 * unusual, and the last ones in a file or block.
 */
static char *
format_plain(struct cg_rows *rows, struct cg_cost_lines *lines, char *to,
    const char *end)
{
	const bool addrs = lines->addrs, numbers = lines->lines;
	struct scan *scan = &rows->scan;
	/* In local variables, as text written might change anything else. */
	struct cg_pos pos = scan->pos, base = lines->pos;
	const uint8_t *at = scan->at, *const stop = scan->end;
	const unsigned steps =
	    addrs && numbers && lines->steps ? CG_STEP_MAX : 0;
	bool begun = lines->begun;
	unsigned tag = scan->tag, step = 0;

	while (to < end && comes_first(rows, &pos)) {
		const uint8_t *next = at;
		struct cg_pos next_pos = pos;
		unsigned next_tag;
		char *line;

		line = step ? put_step(to, step)
			    : format_pos(to, addrs, numbers, &pos, &base,
				  lines->steps && begun);
		line = format_values(line, tag, &next);
		next_tag = next < stop ? *next++ : 0;
		next_pos.addr += next_tag >> CG_COST_SHIFT & CG_STEP_MAX;
		if ((next_tag & CG_COST_POS) ? !take_pos(&next, &next_pos)
					     : next_tag <= CG_COST_COUNT)
			break;
		*line++ = '\n';
		to = line;
		base = pos;
		begun = true;
		pos = next_pos;
		step = next_tag & CG_COST_POS
			   ? 0
			   : next_tag >> CG_COST_SHIFT & steps;
		tag = next_tag;
		at = next;
	}
	scan->tag = tag;
	scan->pos = pos;
	scan->at = at;
	lines->pos = base;
	lines->begun = begun;
	return to;
}

/* Room in the output is reserved for many lines at once. */
#define ROOM_FOR_LINES 4096

bool
cg_put_cost_lines(struct cg_rows *rows, struct cg_cost_lines *lines,
    struct cg_out *out, cg_file *file)
{
	const size_t most = CG_COST_LINE_MAX(lines->most);
	struct cg_cost cost;
	bool moved = false;
	char *to;

	while (rows->has_cost) {
		*file = rows->scan.pos.file;
		if (*file != lines->pos.file)
			return true;
		to = cg_out_reserve(out, ROOM_FOR_LINES + most);
		if (!rows->no_addresses) {
			to = format_plain(rows, lines, to, to + ROOM_FOR_LINES);
			moved = cg_costs_settle(rows);
		}
		if (!moved && cg_next_cost(rows, &cost))
			to = cg_format_cost_line(
			    lines, to, &cost.pos, cost.cost, cost.n);
		cg_out_advance(out, to);
	}
	return false;
}
