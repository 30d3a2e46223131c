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

/* Packs as many lines as there is room for. */
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
	const char *at =
	    pack_rows(&packing, true, lines, text, end, sum, &seen);

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
