/*
 * stretches.c - packs costs from lines of text in threads, without a graph.
 *
 * A stretch is packed as rows of a run are (packed.h), in ascending order and
 * without the position of its first row, which depends on the row before it. Sums
 * are those of all stretches of a text.
 */
#include <stdlib.h>

#include "graph/cost_lines.h"

/* A stretch ends when the room for it does: few have as much. */
#define ROOM 4096
#define COSTS_MAX 0x7f /* see cg_add_cost_lines() */

struct cg_stretch {
	const char *text, *end;   /* its lines */
	struct cg_pos base, last; /* before it; of its last line */
	struct cg_pos first;
	size_t at, len; /* of its packed bytes */
	struct seen seen;
};

struct cg_stretches {
	struct cg_stretch *stretch;
	size_t count, cap;
	uint8_t *bytes;
	size_t used, room;
	size_t most;
	uint64_t sum[COSTS_MAX];
};

/* ---- In any thread ------------------------------------------------------- */

struct cg_stretches *
cg_stretches_new(void)
{
	return calloc(1, sizeof(struct cg_stretches));
}

void
cg_stretches_free(struct cg_stretches *stretches)
{
	if (!stretches)
		return;
	free(stretches->stretch);
	free(stretches->bytes);
	free(stretches);
}

void
cg_stretches_clear(struct cg_stretches *stretches, size_t most)
{
	stretches->count = stretches->used = 0;
	stretches->most = most;
	memset(stretches->sum, 0, sizeof(stretches->sum));
}

const char *
cg_skip_costs(struct cg_cost_lines *lines, const char *text)
{
	return take_pos(text, lines->addrs, lines->lines, &lines->pos);
}

/* Packs the first line; false if it is not of the usual shape. */
static bool
pack_first(struct cg_stretches *all, struct cg_stretch *stretch,
    struct cg_cost_lines *lines, const char **text, const char *end)
{
	const bool apart = all->most >= CG_COST_COUNT;
	struct cg_pos pos = lines->pos;
	const char *at = take_pos(*text, lines->addrs, lines->lines, &pos);
	uint8_t *tag = all->bytes + all->used, *to = tag + 1 + apart;
	size_t n = 0;

	if (at)
		at = pack_values(
		    at, last_word(*text, end), all->sum, all->most, &to, &n);
	if (!at)
		return false;
	put_count(tag, 0, apart ? tag + 1 : NULL, n);
	*stretch = (struct cg_stretch){ .text = *text,
		.base = lines->pos,
		.first = pos,
		.at = all->used,
		.seen = { .zeros = n == 0 } };
	note_pos(&stretch->seen, &pos);
	all->used = (size_t)(to - all->bytes);
	lines->pos = pos;
	*text = at + 1;
	return true;
}

const char *
cg_pack_stretch(struct cg_stretches *all, struct cg_cost_lines *lines,
    const char *text, const char *end)
{
	struct cg_stretch *stretch;
	struct cg_packed packed = { 0 };
	struct packing packing = { .packed = &packed };

	if (!cg_grow_raw(
		&all->stretch, &all->cap, all->count + 1, sizeof(*stretch)) ||
	    !cg_grow_raw(&all->bytes, &all->room,
		all->used + ROOM + 2 * (POS_MAX + all->most * VALUE_MAX), 1))
		return NULL;
	stretch = &all->stretch[all->count];
	if (!pack_first(all, stretch, lines, &text, end))
		return text;
	packed.pos = lines->pos;
	packing.at = all->bytes + all->used;
	packing.end = all->bytes + all->room;
	stretch->end = pack_rows(
	    &packing, false, lines, text, end, all->sum, &stretch->seen);
	all->used = (size_t)(packing.at - all->bytes);
	stretch->len = all->used - stretch->at;
	stretch->last = lines->pos;
	all->count++;
	return stretch->end;
}

/* ---- In the reader's thread ---------------------------------------------- */

size_t
cg_stretch_count(const struct cg_stretches *all)
{
	return all->count;
}

struct cg_slice
cg_stretch_text(const struct cg_stretches *all, size_t i)
{
	const struct cg_stretch *stretch = &all->stretch[i];

	return (struct cg_slice){ stretch->text,
		(size_t)(stretch->end - stretch->text) };
}

bool
cg_packs_stretches(const struct cg_build *build, size_t most)
{
	return !build->sums_only && !build->graph->any_signed &&
	       most <= COSTS_MAX;
}

/* Do the sums of the part have room for those of the text? */
bool
cg_begin_stretches(struct cg_build *build, const struct cg_stretches *all)
{
	const struct cg_part_entry *part = &build->graph->part[build->part];
	uint64_t sum;

	for (size_t i = 0; i < all->most; i++) {
		if (i < part->totals &&
		    __builtin_add_overflow(part->total[i], all->sum[i], &sum))
			return false;
	}
	return cg_packs_stretches(build, all->most);
}

void
cg_drop_stretch(struct cg_stretches *all, size_t i)
{
	const struct cg_stretch *stretch = &all->stretch[i];
	const uint8_t *at = all->bytes + stretch->at, *end = at + stretch->len;
	struct scan scan = { .end = end };
	uint64_t cost[COSTS_MAX];
	size_t n;

	for (bool first = true; at < end; first = false) {
		unsigned tag = *at++;

		if (!first && (tag & CG_COST_POS))
			at = cg_scan_cost_pos(&scan, at, NULL);
		n = get_count(tag, &at);
		n = unpack_values(&at, n, cost);
		for (size_t j = 0; j < n; j++)
			all->sum[j] -= cost[j];
	}
}

static bool
put_stretch(struct cg_build *build, cg_fn fn, cg_file file,
    const struct cg_stretches *all, const struct cg_stretch *stretch)
{
	struct cg_pos first = stretch->first;
	struct cg_packed *packed;
	uint8_t *row, *to;

	if (!cg_build_begin_lines(build, fn, file, all->most))
		return false;
	packed = &build->run->costs;
	row = begin_pack(
	    build->graph, build->run, packed, POS_MAX + stretch->len);
	if (!row)
		return false;
	first.file = file;
	to = put_cost_pos(packed, row, first, packed->pos);
	*row |= all->bytes[stretch->at];
	memcpy(to, all->bytes + stretch->at + 1, stretch->len - 1);
	end_pack(packed, to + stretch->len - 1, &stretch->last);
	packed->pos.file = file;
	if (begins_segment(row))
		cg_link_segment(&build->run->segment, row);
	note_lines(build->graph, stretch->seen);
	return true;
}

bool
cg_add_stretch(struct cg_build *build, cg_fn fn, struct cg_cost_lines *lines,
    struct cg_stretches *all, size_t i)
{
	const struct cg_stretch *stretch = &all->stretch[i];
	const cg_file file = lines->pos.file;

	if (lines->pos.addr == stretch->base.addr &&
	    lines->pos.line == stretch->base.line &&
	    !cg_build_drops(build, file) &&
	    put_stretch(build, fn, file, all, stretch)) {
		lines->pos = stretch->last;
		lines->pos.file = file;
		return true;
	}
	cg_drop_stretch(all, i);
	return false;
}

void
cg_end_stretches(struct cg_build *build, struct cg_stretches *all)
{
	(void)cg_build_total(build, all->sum, all->most);
}
