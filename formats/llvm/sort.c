/*
 * sort.c - sorts with little memory: qsort() of glibc before 2.37 copies the
 * array, which doubles the memory of the regions of a large file.
 */
#include <stdlib.h>
#include <string.h>

#include "llvm.h"

/* Below this size, a copy does not matter. */
#define COPIED_MAX ((size_t)16 << 20)
#define WIDTH_MAX 64

struct heap {
	char *at;
	size_t width;
	int (*compare)(const void *, const void *);
};

/*
 * Inserts a copy of "item" into a heap of n elements. In the heap, no child is
 * larger than its parent. Begins at the element "root", which is free and is
 * overwritten. Moves larger children up, and stops where neither child is
 * larger than the item.
 */
static void
sift(const struct heap *h, size_t root, size_t n, const char *item)
{
	size_t child;

	for (; (child = 2 * root + 1) < n; root = child) {
		const char *at = h->at + child * h->width;

		if (child + 1 < n && h->compare(at, at + h->width) < 0) {
			at += h->width;
			child++;
		}
		if (h->compare(item, at) >= 0)
			break;
		memcpy(h->at + root * h->width, at, h->width);
	}
	memcpy(h->at + root * h->width, item, h->width);
}

/*
 * Returns true if the n elements are in ascending order. Many files have
 * sorted elements, and then llvm_sort() need not sort.
 */
static bool
is_sorted(const struct heap *h, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const char *at = h->at + i * h->width;

		if (h->compare(at - h->width, at) > 0)
			return false;
	}
	return true;
}

void
llvm_sort(void *all, size_t n, size_t width,
    int (*compare)(const void *, const void *))
{
	const struct heap h = { all, width, compare };
	char item[WIDTH_MAX];

	if (n < 2 || is_sorted(&h, n))
		return;
	if (n <= COPIED_MAX / width || width > WIDTH_MAX) {
		qsort(all, n, width, compare);
		return;
	}
	for (size_t i = n / 2; i-- > 0;) {
		memcpy(item, h.at + i * width, width);
		sift(&h, i, n, item);
	}
	for (size_t i = n; i-- > 1;) {
		memcpy(item, h.at + i * width, width);
		memcpy(h.at + i * width, h.at, width);
		sift(&h, 0, i, item);
	}
}
