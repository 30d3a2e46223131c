/*
 * bytes.c - numbers and texts as recordings store them.
 *
 * A compressed number has 7 bits in each byte, lowest first; the highest bit
 * is set if more bytes follow; the ninth byte has 8 bits. Numbers that are not
 * compressed are big-endian.
 */
#include "jfr.h"

#define NUMBER_MAX 9 /* bytes */

bool
jfr_take_fixed(struct jfr_bytes *b, unsigned width, uint64_t *value)
{
	uint64_t sum = 0;

	if ((size_t)(b->end - b->at) < width)
		return false;
	for (unsigned i = 0; i < width; i++)
		sum = sum << 8 | *b->at++;
	*value = sum;
	return true;
}

bool
jfr_take_long_number(struct jfr_bytes *b, unsigned width, uint64_t *value)
{
	const unsigned char *at = b->at;
	uint64_t sum = 0;

	if (b->plain || width == 1)
		return jfr_take_fixed(b, width, value);
	for (unsigned i = 0; i < NUMBER_MAX && at < b->end; i++) {
		uint64_t byte = *at++;
		bool last = i == NUMBER_MAX - 1 || byte < 0x80;

		sum |= (last ? byte : byte & 0x7f) << 7 * i;
		if (!last)
			continue;
		*value = sum;
		b->at = at;
		return true;
	}
	return false;
}

static bool
take_raw(struct jfr_bytes *b, struct jfr_text *text, bool chars)
{
	uint64_t count, c;

	if (!jfr_take_number(b, JFR_INT, &count) ||
	    count > (uint64_t)(b->end - b->at))
		return false;
	text->raw.ptr = (const char *)b->at;
	if (!chars)
		b->at += count;
	for (; chars && count > 0; count--)
		if (!jfr_take_number(b, sizeof(uint16_t), &c))
			return false;
	text->raw.len = (size_t)((const char *)b->at - text->raw.ptr);
	return true;
}

bool
jfr_take_text(struct jfr_bytes *b, struct jfr_text *text)
{
	uint64_t encoding;

	if (!jfr_take_fixed(b, 1, &encoding))
		return false;
	*text = (struct jfr_text){ .encoding = (unsigned)encoding };
	switch (encoding) {
	case JFR_TEXT_NULL:
	case JFR_TEXT_EMPTY: return true;
	case JFR_TEXT_CONSTANT: return jfr_take_number(b, JFR_LONG, &text->key);
	case JFR_TEXT_UTF8:
	case JFR_TEXT_LATIN1: return take_raw(b, text, false);
	case JFR_TEXT_CHARS: return take_raw(b, text, true);
	default: return false;
	}
}
