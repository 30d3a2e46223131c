/*
 * cursor_sort.c - sorts the rows of one function other than costs.
 */
#include <string.h>

#include "graph/rows/cursor.h"

void
cg_row_target(
    const struct cg_rows *rows, const struct row *row, struct target *to)
{
	unsigned tag = row->tag;
	const uint8_t *at = row->rest;

	*to = (struct target){ .fn = rows->fn, .file = row->file };
	if ((tag & CG_TAG_KIND) == CG_ROW_CALL) {
		to->fn = (cg_fn)get_varint(&at);
		to->rest = at;
		(void)get_varint(&at); /* count */
		to->line = (uint32_t)get_varint(&at);
		to->addr = rows->no_addresses ? 0 : get_varint(&at);
		return;
	}
	to->conditional = (tag & CG_TAG_COND) != 0;
	if (tag & CG_TAG_FAR) {
		to->fn = (cg_fn)get_varint(&at);
		to->file = (cg_file)get_varint(&at);
		if (rows->file_rank)
			to->file = rows->file_rank[to->file];
	}
	to->addr = row->addr + get_signed(&at);
	if (rows->no_addresses)
		to->addr = 0;
	to->line = row->line + (uint32_t)get_signed(&at);
	to->rest = at;
}

static int
compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int
compare_targets(
    const struct cg_rows *rows, const struct row *a, const struct row *b)
{
	struct target ta, tb;
	int order;

	cg_row_target(rows, a, &ta);
	cg_row_target(rows, b, &tb);
	order = compare_u64(ta.file, tb.file);
	if (order == 0)
		order = compare_u64(ta.addr, tb.addr);
	if (order == 0)
		order = compare_u64(ta.line, tb.line);
	return order ? order : ta.conditional - tb.conditional;
}

/*
 * Compares two rows at one position that are neither calls nor jumps. Stated
 * inclusive costs come first, then branches by kind, block and index. Regions
 * are also compared by flags and last column.
 */
static int
compare_others(const struct row *a, const struct row *b)
{
	const uint8_t *pa = a->rest, *pb = b->rest;
	bool branch = a->tag & CG_TAG_BRANCH;
	int order = branch - ((b->tag & CG_TAG_BRANCH) != 0);
	int keys = branch ? 3 : 0;
	uint64_t key;

	for (int i = 0; order == 0 && i < keys; i++) {
		key = get_varint(&pa);
		order = compare_u64(key, get_varint(&pb));
		if (i == 0 && key == CG_BRANCH_REGION)
			keys = 5;
	}
	return order;
}

static inline int
compare_positions(const struct row *a, const struct row *b)
{
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return 0;
}

static inline int
compare_rows(const struct cg_rows *rows, enum cg_row_kind kind,
    const struct row *a, const struct row *b)
{
	int order = compare_positions(a, b);

	if (order != 0)
		return order;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return kind == CG_ROW_OTHER ? compare_others(a, b)
				    : compare_targets(rows, a, b);
}

bool
cg_rows_equal(const struct cg_rows *rows, enum cg_row_kind kind,
    const struct row *a, const struct row *b)
{
	return compare_rows(rows, kind, a, b) == 0;
}

/*
 * True if the rows of the list have strictly ascending positions, so that they
 * need no sorting.
 */
static bool
is_sorted(const struct list *list)
{
	for (size_t i = 1; i < list->count; i++) {
		if (compare_positions(&list->row[i - 1], &list->row[i]) >= 0)
			return false;
	}
	return true;
}

/*
 * Returns a number that orders rows as compare_others() does, without decoding
 * them each time. Different rows may have equal numbers, as large blocks and
 * indexes are capped. 0: a stated inclusive cost.
 */
static uint32_t
branch_key(const struct row *row)
{
	enum { BLOCK = 0x1ffff, INDEX = 0x7ff };
	const uint8_t *at = row->rest;
	uint64_t kind, block, index;

	_Static_assert(CG_BRANCH_KINDS <= 8, "a kind has three bits");
	if (!(row->tag & CG_TAG_BRANCH))
		return 0;
	kind = get_varint(&at);
	block = get_varint(&at);
	index = get_varint(&at);
	if (block > BLOCK)
		block = BLOCK;
	if (block == BLOCK || index > INDEX)
		index = INDEX;
	return (uint32_t)(1u << 31 | kind << 28 | block << 11 | index);
}

/*
 * Sets row->target, a sort key, of all rows in a list. It is the rank of the
 * function called or jumped to, else branch_key(). Done in one pass, so that
 * cache misses overlap.
 */
static void
rank_targets(const struct cg_rows *rows, struct list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct row *row = &list->row[i];
		const uint8_t *rest = row->rest;
		unsigned kind = row->tag & CG_TAG_KIND;
		cg_fn fn = rows->fn;

		if (kind == CG_ROW_OTHER) {
			row->target = branch_key(row);
			continue;
		}
		if (kind == CG_ROW_CALL || row->tag & CG_TAG_FAR)
			fn = (cg_fn)get_varint(&rest);
		row->target = rows->fn_rank ? rows->fn_rank[fn] : fn;
	}
}

/*
 * Returns the index after the last row of the ascending segment that begins at
 * index `from` of row[], which has count rows.
 */
static size_t
ascending(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t from, size_t count)
{
	size_t at = from + 1;

	while (
	    at < count && compare_rows(rows, kind, &row[at - 1], &row[at]) <= 0)
		at++;
	return at < count ? at : count;
}

/*
 * Merges two adjacent ascending segments, rows [0, middle) and [middle, end),
 * in place; room is scratch space for the first one. Does nothing if they are
 * in order already.
 */
static void
merge(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t middle, size_t end, struct row *room)
{
	size_t left = 0, right = middle, to = 0;

	if (compare_rows(rows, kind, &row[middle - 1], &row[middle]) <= 0)
		return;
	memcpy(room, row, middle * sizeof(*row));
	while (left < middle && right < end) {
		if (compare_rows(rows, kind, &room[left], &row[right]) <= 0)
			row[to++] = room[left++];
		else
			row[to++] = row[right++];
	}
	memcpy(&row[to], &room[left], (middle - left) * sizeof(*row));
}

/*
 * Sorts rows in place by insertion, which is the fastest way for a few rows.
 */
static void
sort_few(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct row moved = row[i];
		size_t to = i;

		for (; to > 0 &&
		       compare_rows(rows, kind, &moved, &row[to - 1]) < 0;
		     to--)
			row[to] = row[to - 1];
		row[to] = moved;
	}
}

#define FEW 12 /* insertion sort is faster up to this number */

/*
 * Returns the end of the ascending segment that begins at index `from`.
 * Extends segments shorter than FEW rows by sorting, so that random input has
 * no short segments. row[] has count rows.
 */
static size_t
take_segment(const struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t from, size_t count)
{
	size_t end = ascending(rows, kind, row, from, count);

	if (end - from >= FEW || end == count)
		return end;
	end = count - from < FEW ? count : from + FEW;
	sort_few(rows, kind, row + from, end - from);
	return end;
}

/*
 * Does one pass of the merge sort: merges segments 0 and 1, 2 and 3 and so on.
 * rows->segment_end has their ends, and gets those of the merged ones. Returns
 * their number.
 */
static size_t
merge_pairs(struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t segments)
{
	size_t *end = rows->segment_end, from = 0, to = 0;

	for (size_t i = 0; i < segments; i += 2) {
		size_t last = i + 1 < segments ? i + 1 : i;

		if (last > i)
			merge(rows, kind, row + from, end[i] - from,
			    end[last] - from, rows->room);
		from = end[to++] = end[last];
	}
	return to;
}

/*
 * Sorts rows in place by a natural merge sort: finds the ascending segments,
 * in which rows often arrive, and merges adjacent ones until one is left. It
 * takes O(n log n) for any input. False: out of memory.
 */
static bool
sort_by_merging(
    struct cg_rows *rows, enum cg_row_kind kind, struct row *row, size_t count)
{
	size_t segments = 0, end = take_segment(rows, kind, row, 0, count);

	if (end == count)
		return true;
	if (!cg_grow_raw(&rows->room, &rows->room_cap, count, sizeof(*row)) ||
	    !cg_grow_raw(&rows->segment_end, &rows->segment_cap,
		count / FEW + 1, sizeof(*rows->segment_end)))
		return false;
	rows->segment_end[segments++] = end;
	while (end < count) {
		end = take_segment(rows, kind, row, end, count);
		rows->segment_end[segments++] = end;
	}
	while (segments > 1)
		segments = merge_pairs(rows, kind, row, segments);
	return true;
}

/* ---- Many rows in any order ---------------------------------------------- */

/* The numeric keys, in the order of compare_rows(). */
enum { KEY_ADDR, KEY_PLACE, KEY_TARGET, KEYS };

static inline uint64_t
key_of(const struct row *row, unsigned key)
{
	switch (key) {
	case KEY_ADDR: return row->addr;
	case KEY_PLACE: return (uint64_t)row->file << 32 | row->line;
	default: return row->target;
	}
}

static uint64_t
bits_that_differ(const struct row *row, size_t count, unsigned key)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= key_of(&row[i], key) ^ key_of(row, key);
	return differ;
}

#define DIGIT 8
#define DIGITS (1u << DIGIT)

static inline size_t
digit_of(const struct row *row, unsigned key, unsigned shift)
{
	return key_of(row, key) >> shift & (DIGITS - 1);
}

/*
 * Makes one pass of the radix sort: copies the rows into the array `to`,
 * stably sorted by one digit of a key, the one at bit `shift`.
 */
static void
sort_digit(const struct row *row, size_t count, unsigned key, unsigned shift,
    struct row *to)
{
	size_t at[DIGITS] = { 0 }, begin = 0, n;

	for (size_t i = 0; i < count; i++)
		at[digit_of(&row[i], key, shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		n = at[i];
		at[i] = begin;
		begin += n;
	}
	for (size_t i = 0; i < count; i++)
		to[at[digit_of(&row[i], key, shift)]++] = row[i];
}

/*
 * Sorts rows in place by one key: a stable radix sort, from the lowest digit
 * on. differ has the bits in which the keys differ; digits without such bits
 * are skipped. False: out of memory.
 */
static bool
sort_by_key(struct cg_rows *rows, struct row *row, size_t count, unsigned key,
    uint64_t differ)
{
	struct row *from = row, *to, *sorted;

	if (!cg_grow_raw(&rows->room, &rows->room_cap, count, sizeof(*row)))
		return false;
	to = rows->room;
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		if ((differ >> shift & (DIGITS - 1)) == 0)
			continue;
		sort_digit(from, count, key, shift, to);
		sorted = to;
		to = from;
		from = sorted;
	}
	if (from != row)
		memcpy(row, from, count * sizeof(*row));
	return true;
}

#define MANY_ROWS 1024
#define MANY_SEGMENTS 32

/*
 * True if the rows have at least MANY_SEGMENTS ascending segments: then a
 * radix sort is faster than merging them, which takes many passes.
 */
static bool
is_in_pieces(const struct row *row, size_t count)
{
	size_t segments = 1;
	int order;

	for (size_t i = 1; i < count && segments < MANY_SEGMENTS; i++) {
		order = compare_positions(&row[i - 1], &row[i]);
		segments += order > 0 ||
			    (order == 0 && row[i - 1].target > row[i].target);
	}
	return segments == MANY_SEGMENTS;
}

/*
 * Sorts rows in place by the keys from number `key` on; earlier keys must be
 * equal. Many unordered rows are radix sorted key by key, others merge sorted.
 * False: out of memory.
 */
static bool
sort_rows(struct cg_rows *rows, enum cg_row_kind kind, struct row *row,
    size_t count, unsigned key)
{
	uint64_t differ = 0;
	bool ok;

	if (count < MANY_ROWS || !is_in_pieces(row, count))
		return sort_by_merging(rows, kind, row, count);
	while (key < KEYS && (differ = bits_that_differ(row, count, key)) == 0)
		key++;
	if (key == KEYS)
		return sort_by_merging(rows, kind, row, count);
	ok = sort_by_key(rows, row, count, key, differ);
	for (size_t i = 0, end; ok && i < count; i = end) {
		for (end = i + 1; end < count && key_of(&row[end], key) ==
						     key_of(&row[i], key);)
			end++;
		ok = sort_rows(rows, kind, row + i, end - i, key + 1);
	}
	return ok;
}

bool
cg_rows_sort(struct cg_rows *rows, enum cg_row_kind kind)
{
	struct list *list = &rows->list[kind];

	if (is_sorted(list))
		return true;
	rank_targets(rows, list);
	return sort_rows(rows, kind, list->row, list->count, KEY_ADDR);
}
