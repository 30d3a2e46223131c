/*
 * sort.c - sorts random elements of several widths: keys ascend, equal ones keep
 * their order if they have to, no byte is lost.
 */
#include "unit.h"

#define MOST 3000
#define WIDTH_MAX 72

struct element {
	uint64_t key, index;
};

static unsigned char array[MOST * WIDTH_MAX];

static struct element
element_at(size_t i, size_t width, size_t offset)
{
	struct element element;

	memcpy(&element, array + i * width + offset, sizeof(element));
	return element;
}

static int
compare_keys(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Keys of up to so many bits, in elements whose other bytes are the key's. */
static void
fill(uint64_t *seed, size_t count, size_t width, size_t offset, unsigned bits)
{
	for (size_t i = 0; i < count; i++) {
		struct element element = { unit_random(seed), i };
		unsigned char *at = array + i * width;

		element.key = bits ? element.key >> (64 - bits) : 7;
		memset(at, (int)element.key, width);
		memcpy(at + offset, &element, sizeof(element));
	}
}

/* Keys ascend; all bytes have moved. stable: equal keys keep their order. */
static void
check_order(size_t count, size_t width, size_t offset, bool stable)
{
	static bool seen[MOST];

	memset(seen, 0, sizeof(seen));
	for (size_t i = 0; i < count; i++) {
		struct element element = element_at(i, width, offset), before;
		unsigned char other = (unsigned char)element.key;

		CHECK(element.index < count && !seen[element.index]);
		seen[element.index] = true;
		for (size_t byte = 0; byte < width; byte++)
			CHECK((byte >= offset &&
				  byte < offset + sizeof(element)) ||
			      array[i * width + byte] == other);
		if (i == 0)
			continue;
		before = element_at(i - 1, width, offset);
		CHECK(before.key < element.key ||
		      (before.key == element.key &&
			  (!stable || before.index < element.index)));
	}
}

int
main(void)
{
	static const size_t counts[] = { 0, 1, 2, 3, 15, 16, 17, 100, MOST };
	uint64_t seed = 1;

	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		for (size_t width = 16; width <= WIDTH_MAX; width += 8) {
			for (unsigned bits = 0; bits <= 64; bits += 8) {
				fill(&seed, counts[c], width, width - 16, bits);
				CHECK(cg_sort_by_u64(
				    array, counts[c], width, width - 16));
				check_order(counts[c], width, width - 16, true);
				fill(&seed, counts[c], width, 0, bits);
				cg_sort(array, counts[c], width, compare_keys);
				check_order(counts[c], width, 0, false);
				/* Again, in order. */
				cg_sort(array, counts[c], width, compare_keys);
				check_order(counts[c], width, 0, false);
			}
		}
	}
	return unit_end();
}
