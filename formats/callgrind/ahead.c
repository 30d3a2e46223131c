/*
 * ahead.c - parses texts that are read next, in threads, as far as that can be
 * without what stands before them: packs cost lines, and takes lines with ids,
 * calls and jumps apart.
 *
 * What a line belongs to, and what it is relative to, is known only when everything
 * before it was read. So this follows positions from those that are absolute, and
 * the reader checks them.
 */
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* Where the text begins, until a line says it: far from where steps overflow. */
#define LINE_GUESS (1u << 31)
#define ADDR_GUESS (UINT64_C(1) << 62)

/* A text that is parsed. */
struct parser {
	struct callgrind_ahead *ahead;
	struct cg_cost_lines lines;
	const char *text, *end;
	bool costs; /* the next numbers are costs of the function */
};

/* Has the line the shape of "fn=..."? A header line may change everything. */
static bool
is_spec(struct cg_slice line)
{
	size_t i = 0;

	while (i < line.len && line.ptr[i] >= 'a' && line.ptr[i] <= 'z')
		i++;
	return i > 0 && i < line.len && line.ptr[i] == '=';
}

static struct cg_slice
line_at(const struct parser *p, const char *at)
{
	const char *newline = memchr(at, '\n', (size_t)(p->end - at));

	return (struct cg_slice){ at, (size_t)(newline - at) };
}

/* ---- Items --------------------------------------------------------------- */

/* Begins an item; false: out of memory. */
static bool
add_item(
    struct parser *p, const char *at, enum callgrind_kind kind, uint32_t value)
{
	struct callgrind_ahead *ahead = p->ahead;

	if (!cg_grow_raw(&ahead->item, &ahead->item_cap, ahead->items + 1,
		sizeof(*ahead->item)))
		return false;
	ahead->item[ahead->items++] = (struct callgrind_item){
		.kind = kind, .at = (uint32_t)(at - p->text), .value = value
	};
	return true;
}

/* Lines to be read; consecutive ones are one item. */
static bool
add_lines(struct parser *p, const char *at)
{
	const struct callgrind_ahead *ahead = p->ahead;

	return (ahead->items > 0 &&
		   ahead->item[ahead->items - 1].kind == CALLGRIND_LINES) ||
	       add_item(p, at, CALLGRIND_LINES, 0);
}

/* "fn=(7)" or "fn=(7) name". *done: it is one. False: out of memory. */
static bool
take_ref(struct parser *p, struct cg_slice line, struct cg_slice rest,
    const struct callgrind_spec_line *spec, bool *done)
{
	const struct callgrind_ref ref = callgrind_get_ref(rest);
	const size_t name = (size_t)(ref.name.ptr - line.ptr);
	struct callgrind_item *item;

	*done = ref.has_id && ref.id <= UINT32_MAX && name <= UINT16_MAX &&
		!p->ahead->has_nul && line.ptr[line.len - 1] != '\r';
	if (!*done)
		return true;
	if (!add_item(p, line.ptr, CALLGRIND_REF, (uint32_t)ref.id))
		return false;
	item = &p->ahead->item[p->ahead->items - 1];
	item->spec = callgrind_spec_index(spec) & 0xff;
	item->name = ref.name.len > 0 ? name & UINT16_MAX : 0;
	return true;
}

/* ---- Calls and jumps ------------------------------------------------------ */

/* Takes "+2", "-17", "*", "5" or "0x1f"; NULL: something else. */
static const char *
take_position(const char *at, uint64_t *position)
{
	const char sign = *at;
	uint64_t number;

	if (sign == '*')
		return at + 1;
	at += sign == '+' || sign == '-';
	if (at[0] == '0' && at[1] == 'x') {
		const char *from = at + 2;

		at = cg_get_hex(from, &number);
		if (at == from || sign != '0')
			return NULL;
	} else if (!take_digits(&at, &number)) {
		return NULL;
	}
	if (sign == '+')
		return __builtin_add_overflow(*position, number, position)
			   ? NULL
			   : at;
	if (sign == '-')
		return __builtin_sub_overflow(*position, number, position)
			   ? NULL
			   : at;
	*position = number;
	return at;
}

/* Takes the positions of a line that end with a blank or the line. */
static const char *
take_positions(
    const struct cg_cost_lines *lines, const char *at, struct cg_pos *pos)
{
	uint64_t line = lines->pos.line;

	*pos = lines->pos;
	if (lines->addrs) {
		at = take_position(at, &pos->addr);
		if (!at)
			return NULL;
	}
	if (lines->addrs && lines->lines) {
		if (!is_blank(*at))
			return NULL;
		at = skip_blanks(at);
	}
	if (lines->lines) {
		at = take_position(at, &line);
		if (!at || line > UINT32_MAX)
			return NULL;
		pos->line = (uint32_t)line;
	}
	return is_blank(*at) ? skip_blanks(at) : *at == '\n' ? at : NULL;
}

/* "7 target" or, of jcnd=, "3/7 target"; NULL: something else. */
static const char *
take_count(const char *at, bool slash, struct callgrind_target *target)
{
	if (!take_digits(&at, &target->followed))
		return NULL;
	target->count = target->followed;
	if (slash) {
		if (*at++ != '/' || !take_digits(&at, &target->count))
			return NULL;
	}
	return is_blank(*at) ? skip_blanks(at) : NULL;
}

/* Takes the costs of a call up to the newline; NULL: something else. */
static const char *
take_costs(struct parser *p, const char *at, struct callgrind_target *target)
{
	struct callgrind_ahead *ahead = p->ahead;
	size_t n;

	at = get_plain_costs(at, ahead->cost + ahead->costs, p->lines.most, &n);
	target->cost = (uint32_t)ahead->costs;
	target->n = (uint32_t)n;
	return *at == '\n' ? at : NULL;
}

/*
 * The line of a call or jump, whose name was taken off, and the next one. Returns
 * its newline; NULL: something else. There is room for the costs.
 */
static const char *
parse_target(
    struct parser *p, struct cg_slice rest, struct callgrind_target *target)
{
	const char *at = take_count(rest.ptr, target->conditional, target);

	at = at ? take_positions(&p->lines, at, &target->to) : NULL;
	if (!at || *at != '\n' || at + 1 == p->end)
		return NULL;
	target->at = (uint32_t)(at + 1 - p->text);
	at = take_positions(&p->lines, at + 1, &target->pos);
	if (!at || (target->jump && *at != '\n'))
		return NULL;
	if (!target->jump)
		at = take_costs(p, at, target);
	target->base = p->lines.pos;
	if (at)
		p->lines.pos = target->pos;
	return at;
}

/* *next: behind the two lines, if they are of the usual form. False: no memory. */
static bool
take_target(struct parser *p, struct cg_slice line, struct cg_slice rest,
    const char **next)
{
	struct callgrind_ahead *ahead = p->ahead;
	struct callgrind_target *target;
	const char *newline;

	*next = NULL;
	if (!cg_grow_raw(&ahead->target, &ahead->target_cap, ahead->targets + 1,
		sizeof(*target)) ||
	    !cg_grow_raw(&ahead->cost, &ahead->cost_cap,
		ahead->costs + p->lines.most, sizeof(*ahead->cost)))
		return false;
	target = &ahead->target[ahead->targets];
	*target = (struct callgrind_target){ .jump = *line.ptr == 'j',
		.conditional = cg_starts(line, "jcnd=") };
	newline = parse_target(p, rest, target);
	if (!newline)
		return true;
	*next = newline + 1;
	ahead->costs += target->n;
	return add_item(
	    p, line.ptr, CALLGRIND_TARGET, (uint32_t)ahead->targets++);
}

/* ---- Lines --------------------------------------------------------------- */

/* Takes the line at *at, and maybe the next one. *all: the rest is to be read. */
static bool
parse_line(struct parser *p, const char **at, bool *all)
{
	struct cg_slice line = line_at(p, *at), rest = line;
	const struct callgrind_spec_line *spec = NULL;
	const char *next = NULL;
	bool done = false;

	if (callgrind_begins_number(*line.ptr)) {
		(void)cg_skip_costs(&p->lines, line.ptr);
		p->costs = true;
	} else {
		spec = callgrind_take_spec(&rest);
		*all =
		    !spec && line.len > 0 && *line.ptr != '#' && !is_spec(line);
	}
	if (spec && spec->refer && !take_ref(p, line, rest, spec, &done))
		return false;
	if (spec && spec->set) {
		if (*line.ptr != 'r' && !take_target(p, line, rest, &next))
			return false;
		p->costs = next != NULL;
	}
	*at = next ? next : line.ptr + line.len + 1;
	return done || next || add_lines(p, line.ptr);
}

/* Packs costs at *at. *all: the rest is to be read. */
static bool
parse_costs(struct parser *p, const char **at, bool *all)
{
	struct cg_stretches *stretches = p->ahead->stretches;
	const char *to = cg_pack_stretch(stretches, &p->lines, *at, p->end);

	if (!to)
		return false;
	/* Any other costs are added before those behind them. */
	*all = to == *at;
	if (*all)
		return add_lines(p, *at);
	if (!add_item(p, *at, CALLGRIND_STRETCH,
		(uint32_t)cg_stretch_count(stretches) - 1))
		return false;
	*at = to;
	return true;
}

static bool
parse_text(struct parser *p)
{
	const char *at = p->text;
	bool all = false;

	while (at < p->end && !all) {
		if (!(callgrind_begins_number(*at) && p->costs
			    ? parse_costs(p, &at, &all)
			    : parse_line(p, &at, &all)))
			return false;
	}
	return add_item(p, p->end, CALLGRIND_LINES, 0);
}

bool
callgrind_parse(const void *arg, struct cg_text *text)
{
	const struct callgrind_columns *columns = arg;
	struct callgrind_ahead *ahead = text->own;
	struct parser p = { .ahead = ahead,
		.text = text->text.ptr,
		.end = text->text.ptr + text->text.len,
		.lines = { .addrs = columns->instr,
		    .lines = columns->line,
		    .most = columns->events,
		    .pos = { .line = columns->line ? LINE_GUESS : 0,
			.addr = columns->instr ? ADDR_GUESS : 0 } },
		.costs = true };

	if (!ahead->stretches)
		ahead->stretches = cg_stretches_new();
	if (!ahead->stretches)
		return false;
	ahead->has_nul = memchr(p.text, '\0', text->text.len) != NULL;
	ahead->items = ahead->targets = ahead->costs = 0;
	cg_stretches_clear(ahead->stretches, columns->events);
	return parse_text(&p);
}

void
callgrind_close(void *own)
{
	struct callgrind_ahead *ahead = own;

	cg_stretches_free(ahead->stretches);
	free(ahead->item);
	free(ahead->target);
	free(ahead->cost);
}
