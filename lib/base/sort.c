/*
 * sort.c - sorts arrays of any elements.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define FEW 16       /* elements: up to this number insertion sort is faster */
#define WIDTH_MAX 64 /* maximum size of an element for it */

/*
 * Moves the element at byte offset `from` to the lower byte offset `to`; the
 * elements between them move up by one.
 */
static void
move_down(char *array, size_t from, size_t to, size_t width)
{
	char element[WIDTH_MAX];

	if (to == from)
		return;
	memcpy(element, array + from, width);
	memmove(array + to + width, array + to, from - to);
	memcpy(array + to, element, width);
}

/*
 * Inserts the element at byte offset `from` into the elements before it, which
 * are sorted: one step of an insertion sort.
 */
static void
insert(char *array, size_t from, size_t width,
    int (*compare)(const void *, const void *))
{
	size_t to = from;

	while (to > 0 && compare(array + to - width, array + from) > 0)
		to -= width;
	move_down(array, from, to, width);
}

void
cg_sort(void *array, size_t count, size_t width,
    int (*compare)(const void *, const void *))
{
	bool few = count <= FEW && width <= WIDTH_MAX;
	char *at = array;

	for (size_t i = 1; i < count; i++) {
		if (few) {
			insert(at, i * width, width, compare);
		} else if (compare(at + (i - 1) * width, at + i * width) > 0) {
			qsort(array, count, width, compare);
			return;
		}
	}
}

/* ---- By a number: radix sort --------------------------------------------- */

#define DIGIT 8
#define DIGITS (1U << DIGIT)

/* An array whose elements have a numeric key each. */
struct keyed {
	char *at;
	size_t count, width;
	size_t offset; /* of the number in an element */
};

static uint64_t
key_of(const struct keyed *array, size_t i)
{
	uint64_t key;

	memcpy(&key, array->at + i * array->width + array->offset, sizeof(key));
	return key;
}

static size_t
digit_of(const struct keyed *array, size_t i, unsigned shift)
{
	return key_of(array, i) >> shift & (DIGITS - 1);
}

/*
 * True if the elements are sorted by key. Sets *differ to the bits in which
 * any keys differ: a radix sort can skip digits without such bits.
 */
static bool
is_sorted(const struct keyed *array, uint64_t *differ)
{
	uint64_t first = array->count ? key_of(array, 0) : 0, before = first;
	bool sorted = true;

	*differ = 0;
	for (size_t i = 1; i < array->count; i++) {
		uint64_t key = key_of(array, i);

		*differ |= key ^ first;
		sorted &= before <= key;
		before = key;
	}
	return sorted;
}

static void
sort_few(const struct keyed *array)
{
	for (size_t i = 1; i < array->count; i++) {
		uint64_t key = key_of(array, i);
		size_t to = i;

		while (to > 0 && key_of(array, to - 1) > key)
			to--;
		move_down(array->at, i * array->width, to * array->width,
		    array->width);
	}
}

/*
 * Makes one pass of a radix sort: copies the elements into the array `to`,
 * stably sorted by one digit of their keys, the one at bit `shift`.
 */
static void
sort_digit(const struct keyed *from, unsigned shift, char *to)
{
	size_t at[DIGITS] = { 0 }, begin = 0, n, width = from->width;

	for (size_t i = 0; i < from->count; i++)
		at[digit_of(from, i, shift)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		n = at[i];
		at[i] = begin;
		begin += n;
	}
	for (size_t i = 0; i < from->count; i++)
		memcpy(to + at[digit_of(from, i, shift)]++ * width,
		    from->at + i * width, width);
}

bool
cg_sort_by_u64(void *array, size_t count, size_t width, size_t offset)
{
	struct keyed from = { array, count, width, offset };
	uint64_t differ;
	char *room, *to;

	if (is_sorted(&from, &differ))
		return true;
	if (count <= FEW && width <= WIDTH_MAX) {
		sort_few(&from);
		return true;
	}
	room = to = malloc(count * width);
	if (!room)
		return false;
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		if ((differ >> shift & (DIGITS - 1)) == 0)
			continue;
		sort_digit(&from, shift, to);
		to = from.at;
		from.at = to == room ? array : room;
	}
	if (from.at == room)
		memcpy(array, room, count * width);
	free(room);
	return true;
}
