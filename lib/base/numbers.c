/*
 * numbers.c - a list of numbers in few bytes: each byte has seven bits, so
 * small numbers take one byte.
 */
#include "base/base.h"

void
cg_numbers_put(struct cg_numbers *list, uint64_t number)
{
	unsigned char *to = list->byte + list->bytes;

	for (; number >= 0x80; number >>= 7)
		*to++ = (unsigned char)(number | 0x80);
	*to++ = (unsigned char)number;
	list->bytes = (size_t)(to - list->byte);
}

bool
cg_numbers_get(const struct cg_numbers *list, size_t *at, uint64_t *number)
{
	unsigned shift = 0;

	if (*at == list->bytes)
		return false;
	*number = 0;
	for (; list->byte[*at] & 0x80; shift += 7)
		*number |= (uint64_t)(list->byte[(*at)++] & 0x7f) << shift;
	*number |= (uint64_t)list->byte[(*at)++] << shift;
	return true;
}

bool
cg_numbers_get_signed(
    const struct cg_numbers *list, size_t *at, int64_t *number)
{
	uint64_t bits;

	if (!cg_numbers_get(list, at, &bits))
		return false;
	*number = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
	return true;
}
