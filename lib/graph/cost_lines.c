/*
 * cost_lines.c - reads costs from lines of text.
 *
 * Most bytes of most big files are parsed here: each line is read, summed and
 * packed in one pass.
 */
#include "graph/cost_lines.h"

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

/* A step is relative to the last packed row only if positions are equal. */
static uint64_t
first_step(const struct cg_packed *packed, const struct cg_cost_lines *lines)
{
	const struct cg_pos *a = &packed->pos, *b = &lines->pos;

	if (a->addr != b->addr || ((a->line ^ b->line) | (a->file ^ b->file)))
		return UINT64_MAX;
	return likely_step(lines, b);
}

/* Writes the tag with the number of values, or apart from it. */
static inline void
put_count(struct cg_packed *packed, uint8_t *to, uint64_t tag, uint8_t *apart,
    size_t n)
{
	if (apart)
		*apart = (uint8_t)n;
	*to = (uint8_t)(tag | (apart ? CG_COST_COUNT : n));
	if (begins_segment(to))
		cg_link_segment(packed, to);
}

/*
 * Packs as many lines as there is room for. State is kept in local variables:
 * the compiler must assume that bytes written may change anything else. Steps
 * keep the line and have an address above 0, so noting the last position of a
 * series of steps is enough. apart: counts may not fit into the tag and get a
 * byte of their own.
 */
static const char *
pack_some(struct cg_build *build, struct cg_cost_lines *lines, const char *text,
    const char *end, uint64_t *sum)
{
	const char *at, *from = text, *const last = last_word(text, end);
	const size_t most = lines->most;
	const bool apart = most >= CG_COST_COUNT;
	struct cg_packed *packed = &build->run->costs;
	struct cg_pos pos = lines->pos, next = pos;
	uint8_t *to = packed->at, *row, *values,
		*const full = packed->end - (POS_MAX + most * VALUE_MAX);
	uint64_t step, tag, likely = first_step(packed, lines);
	struct seen seen = { 0 };
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
			row = put_cost_pos(
			    packed, to, next, text > from ? pos : packed->pos);
			tag = *to;
		}
		values = row += apart;
		at = pack_values(at, last, sum, most, &row, &n);
		if (!at)
			break;
		put_count(packed, to, tag, apart ? values - 1 : NULL, n);
		to = row;
		seen.zeros |= n == 0;
		if (step != 0) {
			pos.addr += step;
		} else {
			if (text > from)
				note_pos(&seen, &pos);
			pos = next;
			likely = likely_step(lines, &pos);
		}
	}
	packed->at = to;
	if (text == from)
		return text;
	packed->pos = lines->pos = pos;
	note_pos(&seen, &pos);
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

	/* Leave rare cases to cg_add_cost(). */
	if (build->graph->any_signed || lines->most >= 0x80 ||
	    cg_build_excludes(build, lines->pos.file))
		return text;
	sum = cg_build_begin_lines(build, fn, lines->pos.file, lines->most);
	if (!sum)
		return text;
	return build->sums_only ? sum_lines(build, lines, text, end, sum)
				: pack_lines(build, lines, text, end, sum);
}
