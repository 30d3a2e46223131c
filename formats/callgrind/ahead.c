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

bool
callgrind_parse(const void *arg, struct cg_text *text)
{
	const struct callgrind_columns *columns = arg;
	struct callgrind_ahead *ahead = text->own;
	struct cg_cost_lines lines = { .addrs = columns->instr,
		.lines = columns->line,
		.most = columns->events,
		.pos = { .line = columns->line ? LINE_GUESS : 0,
		    .addr = columns->instr ? ADDR_GUESS : 0 } };
	const char *at = text->text.ptr, *end = at + text->text.len, *to;
	struct cg_slice line;
	bool costs = true;

	if (!ahead->stretches)
		ahead->stretches = cg_stretches_new();
	if (!ahead->stretches)
		return false;
	ahead->has_nul = memchr(at, '\0', text->text.len) != NULL;
	cg_stretches_clear(ahead->stretches, columns->events);
	while (at < end) {
		if (callgrind_begins_number(*at) && costs) {
			to = cg_pack_stretch(ahead->stretches, &lines, at, end);
			if (!to)
				return false;
			/* Any other costs are added before those behind them. */
			if (to == at)
				break;
			at = to;
			continue;
		}
		line.ptr = at;
		at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
		line.len = (size_t)(at - line.ptr) - 1;
		if (callgrind_begins_number(*line.ptr)) {
			(void)cg_skip_costs(&lines, line.ptr);
			costs = true;
		} else if (is_target(line)) {
			costs = false;
		} else if (line.len > 0 && *line.ptr != '#' && !is_spec(line)) {
			break;
		}
	}
	return true;
}

void
callgrind_close(void *own)
{
	struct callgrind_ahead *ahead = own;

	cg_stretches_free(ahead->stretches);
}
