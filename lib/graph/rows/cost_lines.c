/*
 * cost_lines.c - reads costs from lines of text.
 *
 * Most bytes of most big files are parsed here: each line is read, summed and
 * packed in one pass.
 */
#include <string.h>

#include "graph/build.h"
#include "graph/rows/packed.h"

/* ---- Positions and costs ------------------------------------------------- */

static inline unsigned
digit_of(char c)
{
	return (unsigned char)c - (unsigned)'0';
}

/*
 * Appends the digits at text to *value, and returns their end. Stops early at
 * a value that one more digit might overflow. The caller then finds no blank
 * or newline, and rejects the line.
 */
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
 * Parses a callgrind position and the blank after it: "12", "0x1f", or
 * relative to *position "+2", "-17", "*". Sets *position and returns the end.
 * NULL: another text, or overflow; *position is undefined.
 */
static inline const char *
take_position(const char *text, uint64_t *position)
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
	if (sign == '0' && text[1] == 'x' && text[2] != ' ')
		text = cg_get_hex(text + 2, &number);
	else
		text = take_digits(text + 1, &number);
	if (sign == '+')
		lost = __builtin_add_overflow(*position, number, position);
	else if (sign == '-')
		lost = __builtin_sub_overflow(*position, number, position);
	else
		*position = number;
	return lost || *text != ' ' ? NULL : text + 1;
}

/*
 * Reads the first n numbers of a line again and subtracts them from sum[], to
 * which they were added before the line turned out to be invalid. Returns
 * NULL, which the caller returns.
 */
static inline const char *
undo_sums(uint64_t *sum, const char *text, size_t n)
{
	uint64_t value;

	for (size_t i = 0; i < n; i++) {
		value = digit_of(*text);
		text = take_digits(text + 1, &value) + 1;
		sum[i] -= value;
	}
	return NULL;
}

/*
 * Takes the decimal number at *text, and adds it to *sum. The caller has
 * parsed its first digit. Returns true if the sum overflowed; it wraps, so
 * that undo_sums() can restore it.
 */
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
 * Adds the costs of a line, up to `most` numbers with one blank between them,
 * to sum[]. *zero: all are 0. Returns the newline. NULL, sum[] unchanged:
 * other text or overflow, so the general parser takes the line.
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
		return undo_sums(sum, from, n);
	*zero = any == 0;
	return text;
}

/* Text is read in words of eight characters, the first in the lowest byte. */
#define WORD sizeof(uint64_t)
#define ZEROS UINT64_C(0x2030203020302030) /* "0 0 0 0 " */
#define ZEROS_IN_WORD 4

static inline uint64_t
get_word(const char *text)
{
	uint64_t word;

	/* Not NULL: text <= last is false if last is NULL. */
	/* NOLINTNEXTLINE(clang-analyzer-core.*) */
	memcpy(&word, text, WORD);
	return le64toh(word);
}

/*
 * Returns the last position at which a whole word (8 bytes) can be loaded
 * without reading beyond end; NULL: the text is shorter than a word.
 */
static inline const char *
last_word(const char *text, const char *end)
{
	return (size_t)(end - text) < WORD ? NULL : end - WORD;
}

/*
 * Returns how many costs "0 " follow at text, at most `most`; counts whole
 * words of the text only, so the result is a multiple of ZEROS_IN_WORD. last
 * is the last position at which a word may be loaded.
 */
static inline size_t
count_zeros(const char *text, const char *last, size_t most)
{
	size_t n = 0;

	while (n + ZEROS_IN_WORD <= most && text + 2 * n <= last &&
	       get_word(text + 2 * n) == ZEROS)
		n += ZEROS_IN_WORD;
	return n;
}

/*
 * Like sum_values(), and packs the costs at *to, without trailing zeros. There
 * must be room for `most` values. Sets *to to their end, and *count to the
 * number of values or runs of zeros. NULL: *to and *count are unchanged. last:
 * see last_word().
 */
static inline const char *
pack_values(const char *text, const char *last, uint64_t *sum, size_t most,
    uint8_t **to, size_t *count)
{
	const char *from = text;
	uint8_t *at = *to;
	unsigned digit;
	bool over = false;
	uint64_t value;
	size_t n = 0, items = 0, zeros;

	while (n < most && (digit = digit_of(*text)) <= 9) {
		items++;
		if (digit == 0 &&
		    (zeros = count_zeros(text, last, most - n)) > 0) {
			at = put_zeros(at, zeros);
			text += 2 * zeros;
			n += zeros;
			continue;
		}
		over |= add_number(&text, digit, &sum[n++], &value);
		at = put_varint(at, value);
		if (*text != ' ')
			break;
		text++;
	}
	if (*text != '\n' || over)
		return undo_sums(sum, from, n);
	for (; items > 0 && at[-1] == 0; items--)
		at -= at - *to > 1 && is_zeros(at - 2) ? 2 : 1;
	*count = items;
	*to = at;
	return text;
}

/* Properties of all lines that were taken. */
struct seen {
	uint64_t addr, line;
	bool zeros;
};

static inline void
note_pos(struct seen *seen, const struct cg_pos *pos)
{
	seen->addr |= pos->addr;
	seen->line |= pos->line;
}

static inline void
note_lines(struct cg_graph *graph, struct seen seen)
{
	graph->facts |= CG_SELF | (seen.addr ? CG_INSTRS : 0) |
			(seen.line ? CG_LINES : 0) |
			(seen.zeros ? CG_ZEROS : 0);
}

/*
 * Parses the address, line number or both at the start of a line, and returns
 * their end. Relative ones refer to *pos, which is updated. NULL: malformed,
 * or a line number above 32 bits; *pos is undefined.
 */
static inline const char *
take_pos(const char *text, bool addrs, bool lines, struct cg_pos *pos)
{
	uint64_t addr = pos->addr, line = pos->line;

	if (addrs)
		text = take_position(text, &addr);
	if (text && lines)
		text = take_position(text, &line);
	if (line > UINT32_MAX)
		return NULL;
	pos->addr = addr;
	pos->line = (uint32_t)line;
	return text;
}

/* Most lines begin with "+1 * " or "+1 0 ", with a step of one digit. */
#define STEP_TEXT UINT64_C(0xffffff00ff)
#define SAME_LINE UINT64_C(0x202a20002b)
#define NO_LINE UINT64_C(0x203020002b)
#define STEP_LEN 5

/*
 * Returns the likely begin of the line after one at pos: "+N * ", or "+N 0 "
 * if pos has no line number. It is a word with 0 for N; UINT64_MAX, which no
 * text equals, if lines lack a position.
 */
static inline uint64_t
likely_step(const struct cg_cost_lines *lines, const struct cg_pos *pos)
{
	if (!lines->addrs || !lines->lines)
		return UINT64_MAX;
	return pos->line ? SAME_LINE : NO_LINE;
}

/*
 * Returns the step N of the address, 1 to CG_STEP_MAX, if the line begins as
 * likely_step() says. 0: it does not, or the step does not fit, so the caller
 * parses the positions. last: see last_word().
 */
static inline uint64_t
get_step(const char *text, const char *last, uint64_t likely, uint64_t addr)
{
	uint64_t word = text <= last ? get_word(text) : 0;
	uint64_t step = (word >> 8 & 0xff) - '0';

	if ((word & STEP_TEXT) != likely || step > CG_STEP_MAX ||
	    step > UINT64_MAX - addr)
		return 0;
	return step;
}

/* The destination of packed rows. */
struct packing {
	uint8_t *at, *end;        /* free space */
	struct cg_packed *packed; /* its pos is that of the last row */
	uint8_t **segment;        /* see run->segment */
};

/*
 * Returns likely_step() for the first line to pack. Its step is relative to
 * the line before. UINT64_MAX if that is not the last packed row: the step
 * cannot be copied then.
 */
static inline uint64_t
first_step(const struct packing *packing, const struct cg_cost_lines *lines)
{
	const struct cg_pos *a = &packing->packed->pos, *b = &lines->pos;

	if (a->addr != b->addr || ((a->line ^ b->line) | (a->file ^ b->file)))
		return UINT64_MAX;
	return likely_step(lines, b);
}

/*
 * Packs lines of costs from packing->at on, until space ends or a line is
 * unusual. Adds the costs to sum[], sets *seen, and moves the positions in
 * packing and lines. Returns the first line not packed, or end.
 */
static inline const char *
pack_rows(struct packing *packing, struct cg_cost_lines *lines,
    const char *text, const char *end, uint64_t *sum, struct seen *seen)
{
	const char *at, *from = text, *const last = last_word(text, end);
	const size_t most = lines->most;
	/* The number of values does not fit into the tag, and gets a byte. */
	const bool apart = most >= CG_COST_COUNT;
	/* In local variables, as bytes written might change anything else. */
	struct cg_pos pos = lines->pos, next = pos;
	uint8_t *to = packing->at, *row, *values,
		*const full = packing->end - (POS_MAX + most * VALUE_MAX);
	uint64_t step, tag, likely = first_step(packing, lines);
	size_t n = 0;

	for (; text < end && to <= full; text = at + 1) {
		step = get_step(text, last, likely, pos.addr);
		if (step != 0) {
			at = text + STEP_LEN;
			row = to + 1;
			tag = step << CG_COST_SHIFT;
		} else {
			next = pos;
			at = take_pos(text, lines->addrs, lines->lines, &next);
			if (!at)
				break;
			row = put_cost_pos(packing->packed, to, next,
			    text > from ? pos : packing->packed->pos);
			tag = *to;
		}
		values = row += apart;
		at = pack_values(at, last, sum, most, &row, &n);
		if (!at)
			break;
		if (apart)
			values[-1] = (uint8_t)n;
		/* NOLINTNEXTLINE(clang-analyzer-core.*): there is room */
		*to = (uint8_t)(tag | (apart ? CG_COST_COUNT : n));
		if (begins_segment(to))
			cg_link_segment(packing->segment, to);
		to = row;
		seen->zeros |= n == 0;
		if (step != 0) {
			pos.addr += step;
		} else {
			if (text > from)
				note_pos(seen, &pos);
			pos = next;
			likely = likely_step(lines, &pos);
		}
	}
	packing->at = to;
	if (text == from)
		return text;
	packing->packed->pos = lines->pos = pos;
	note_pos(seen, &pos);
	return text;
}

/* ---- Lines --------------------------------------------------------------- */

static const char *
sum_lines(struct cg_build *build, struct cg_cost_lines *lines, const char *text,
    const char *end, uint64_t *sum)
{
	const char *at, *from = text, *const last = last_word(text, end);
	struct cg_pos next = lines->pos;
	uint64_t step, likely = likely_step(lines, &next);
	struct seen seen = { 0 };
	bool zero = false;

	for (; text < end; text = at + 1) {
		step = get_step(text, last, likely, next.addr);
		next.addr += step;
		at = text + STEP_LEN;
		if (step == 0)
			at = take_pos(text, lines->addrs, lines->lines, &next);
		if (at)
			at = sum_values(at, sum, lines->most, &zero);
		if (!at)
			break;
		if (step == 0)
			likely = likely_step(lines, &next);
		lines->pos = next;
		note_pos(&seen, &next);
		seen.zeros |= zero;
	}
	if (text > from)
		note_lines(build->graph, seen);
	return text;
}

/*
 * Packs lines of costs into the current block of the function's rows. Stops
 * when it is full or a line is unusual. Adds the costs to sum[], and sets the
 * graph's facts. Returns the first line not packed, or end.
 */
static const char *
pack_some(struct cg_build *build, struct cg_cost_lines *lines, const char *text,
    const char *end, uint64_t *sum)
{
	struct cg_packed *packed = &build->run->costs;
	uint8_t *rows = packed->last->data;
	struct packing packing = { .at = rows + packed->used,
		.end = rows + packed->room,
		.packed = packed,
		.segment = &build->run->segment };
	struct seen seen = { 0 };
	const char *at = pack_rows(&packing, lines, text, end, sum, &seen);

	packed->used = (uint32_t)(packing.at - rows);
	if (at > text)
		note_lines(build->graph, seen);
	return at;
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
	} while (text < end && packed->room - packed->used < need);
	return text;
}

const char *
cg_add_cost_lines(struct cg_build *build, cg_fn fn, struct cg_cost_lines *lines,
    const char *text, const char *end)
{
	uint64_t *sum;

	/* Leave rare cases to cg_add_cost(). */
	if (build->graph->any_signed || lines->most >= 0x80 ||
	    cg_build_drops(build, lines->pos.file))
		return text;
	sum = cg_build_begin_lines(build, fn, lines->pos.file, lines->most);
	if (!sum)
		return text;
	return build->sums_only ? sum_lines(build, lines, text, end, sum)
				: pack_lines(build, lines, text, end, sum);
}
