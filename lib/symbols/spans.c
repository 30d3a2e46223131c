/*
 * spans.c - finds the range that contains an address.
 *
 * Functions, sections, units and inlined calls nest. The ranges are cut once
 * into pieces that do not overlap; a lookup is then one binary search.
 */
#include <stdlib.h>

#include "symbols/elffile.h"

bool
cg_spans_add(struct cg_spans *spans, uint64_t low, uint64_t high, uint32_t id)
{
	if (low >= high)
		return true;
	if (!cg_grow(&spans->span, &spans->cap, spans->count + 1,
		sizeof(*spans->span)))
		return false;
	spans->span[spans->count++] = (struct cg_span){ low, high, id };
	return true;
}

static int
compare(const void *left, const void *right)
{
	const struct cg_span *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static bool
add_piece(struct cg_spans *flat, uint64_t low, uint64_t high, uint32_t id)
{
	struct cg_span *last =
	    flat->count ? &flat->span[flat->count - 1] : NULL;

	if (last && last->id == id && last->high == low && low < high) {
		last->high = high;
		return true;
	}
	return cg_spans_add(flat, low, high, id);
}

/*
 * Adds ranges for the addresses [*at, to) to flat, each with the id of the
 * innermost open range. Removes open ranges that end by `to`, and sets *at to
 * it. False: out of memory.
 */
static bool
close_until(
    struct cg_spans *flat, struct cg_spans *open, uint64_t *at, uint64_t to)
{
	while (open->count > 0) {
		struct cg_span *top = &open->span[open->count - 1];
		uint64_t end = top->high < to ? top->high : to;

		if (end > *at) {
			if (!add_piece(flat, *at, end, top->id))
				return false;
			*at = end;
		}
		if (top->high > to)
			return true;
		open->count--;
	}
	*at = to;
	return true;
}

bool
cg_spans_flatten(struct cg_spans *spans)
{
	struct cg_spans flat = { 0 }, open = { 0 };
	uint64_t at = 0;
	bool ok = true;

	/* Compilers write most ranges in order, for which this is fast. */
	cg_sort(spans->span, spans->count, sizeof(*spans->span), compare);
	for (size_t i = 0; ok && i < spans->count; i++) {
		const struct cg_span *span = &spans->span[i];

		ok = close_until(&flat, &open, &at, span->low) &&
		     cg_spans_add(&open, span->low, span->high, span->id);
	}
	ok = ok && close_until(&flat, &open, &at, UINT64_MAX);
	free(open.span);
	free(spans->span);
	*spans = flat;
	return ok;
}

struct cg_span *
cg_spans_find(const struct cg_spans *spans, uint64_t addr)
{
	size_t first = 0, last = spans->count;

	while (first < last) {
		size_t mid = first + (last - first) / 2;

		if (spans->span[mid].high <= addr)
			first = mid + 1;
		else
			last = mid;
	}
	if (first == spans->count || spans->span[first].low > addr)
		return NULL;
	return &spans->span[first];
}

void
cg_spans_free(struct cg_spans *spans)
{
	free(spans->span);
	*spans = (struct cg_spans){ 0 };
}
