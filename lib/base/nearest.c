/* nearest.c - finds the word that a misspelt one means. */
#include <string.h>

#include "base/base.h"

#define WORD_MAX 40 /* longer words have no nearest one */

/* Returns the least of three numbers. */
static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/*
 * Returns the edit distance of two words of at most WORD_MAX bytes: the number
 * of letters that are added, missing, replaced or swapped with the next one
 * (optimal string alignment).
 */
static size_t
distance(struct cg_slice a, struct cg_slice b)
{
	size_t row[3][WORD_MAX + 1];
	size_t *before = row[0], *last = row[1], *now = row[2], *spare;

	for (size_t j = 0; j <= b.len; j++)
		last[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		now[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			bool differ = a.ptr[i - 1] != b.ptr[j - 1];

			now[j] = least(
			    last[j] + 1, now[j - 1] + 1, last[j - 1] + differ);
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[b.len];
}

void
cg_nearest_offer(struct cg_nearest *nearest, const char *word)
{
	struct cg_slice other = cg_slice(word);
	size_t apart;

	if (nearest->to.len > WORD_MAX || other.len > WORD_MAX)
		return;
	apart = distance(nearest->to, other);
	/* Most letters of both words must agree. */
	if (apart > CG_NEAREST_MAX || apart * 2 >= nearest->to.len ||
	    apart * 2 >= other.len ||
	    (nearest->word && apart >= nearest->apart))
		return;
	nearest->word = word;
	nearest->apart = apart;
}
