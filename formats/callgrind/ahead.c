/*
 * ahead.c - packs the cost lines of texts that are read next, in threads.
 *
 * What a cost line belongs to, and what it is relative to, is known only when
 * everything before it was read. So this finds just stretches of cost lines, and
 * follows positions from those that are absolute.
 */
#include <stdlib.h>
#include <string.h>

#include "number.h"

/* Where the text begins, until a line says it: far from where steps overflow. */
#define LINE_GUESS (1u << 31)
#define ADDR_GUESS (UINT64_C(1) << 62)

/* Lines before a line of numbers that are not the costs of the function. */
static bool
is_target(struct cg_slice line)
{
	return cg_starts(line, "calls=") || cg_starts(line, "jump=") ||
	       cg_starts(line, "jcnd=") || cg_starts(line, "rcalls=");
}

/* Has the line the shape of "fn=..."? A header line may change everything. */
static bool
is_spec(struct cg_slice line)
{
	size_t i = 0;

	while (i < line.len && line.ptr[i] >= 'a' && line.ptr[i] <= 'z')
		i++;
	return i > 0 && i < line.len && line.ptr[i] == '=';
}

/*
 * Passes a line that no stretch has. costs: whether the next numbers are costs of
 * the function. False: the line may change everything.
 */
static bool
pass_line(struct cg_cost_lines *lines, struct cg_slice line, bool *costs)
{
	if (callgrind_begins_number(*line.ptr)) {
		(void)cg_skip_costs(lines, line.ptr);
		*costs = true;
	} else if (is_target(line)) {
		*costs = false;
	} else {
		return line.len == 0 || *line.ptr == '#' || is_spec(line);
	}
	return true;
}

/* Finds the stretches of a text. False: out of memory. */
static bool
pack_text(struct cg_stretches *stretches, struct cg_cost_lines *lines,
    const char *at, const char *end)
{
	struct cg_slice line;
	const char *to;
	bool costs = true;

	while (at < end) {
		if (callgrind_begins_number(*at) && costs) {
			to = cg_pack_stretch(stretches, lines, at, end);
			/* Any other costs are added before those behind them. */
			if (!to || to == at)
				return to != NULL;
			at = to;
			continue;
		}
		line.ptr = at;
		at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
		line.len = (size_t)(at - line.ptr) - 1;
		if (!pass_line(lines, line, &costs))
			return true;
	}
	return true;
}

bool
callgrind_parse(const void *arg, struct cg_text *text)
{
	const struct callgrind_columns *columns = arg;
	struct callgrind_ahead *ahead = text->own;
	struct cg_slice bytes = text->text;
	struct cg_cost_lines lines = { .addrs = columns->instr,
		.lines = columns->line,
		.most = columns->events,
		.pos = { .line = columns->line ? LINE_GUESS : 0,
		    .addr = columns->instr ? ADDR_GUESS : 0 } };

	if (!ahead->stretches)
		ahead->stretches = cg_stretches_new();
	if (!ahead->stretches)
		return false;
	ahead->has_nul = memchr(bytes.ptr, '\0', bytes.len) != NULL;
	cg_stretches_clear(ahead->stretches, columns->events);
	return pack_text(
	    ahead->stretches, &lines, bytes.ptr, bytes.ptr + bytes.len);
}

void
callgrind_close(void *own)
{
	struct callgrind_ahead *ahead = own;

	cg_stretches_free(ahead->stretches);
}
