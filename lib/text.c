/*
 * text.c - slices, and numbers in and out.
 */
#include <string.h>

#include "io.h"

struct cg_slice
cg_slice(const char *string)
{
	return (struct cg_slice){ string, strlen(string) };
}

/* memcmp() and memchr() must not be given NULL, which an empty slice may be. */
int
cg_compare(struct cg_slice a, struct cg_slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n > 0 ? memcmp(a.ptr, b.ptr, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool
cg_starts(struct cg_slice slice, const char *prefix)
{
	size_t len = strlen(prefix);

	return len == 0 ||
	       (slice.len >= len && memcmp(slice.ptr, prefix, len) == 0);
}

static void
skip(struct cg_slice *slice, size_t n)
{
	slice->ptr += n;
	slice->len -= n;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

bool
cg_take_char(struct cg_slice *slice, char c)
{
	if (slice->len == 0 || *slice->ptr != c)
		return false;
	skip(slice, 1);
	return true;
}

bool
cg_take_prefix(struct cg_slice *slice, const char *prefix)
{
	if (!cg_starts(*slice, prefix))
		return false;
	if (*prefix)
		skip(slice, strlen(prefix));
	return true;
}

bool
cg_take_blanks(struct cg_slice *slice)
{
	size_t n = 0;

	while (n < slice->len && is_blank(slice->ptr[n]))
		n++;
	if (n > 0)
		skip(slice, n);
	return n > 0;
}

bool
cg_take_word(struct cg_slice *slice, struct cg_slice *word)
{
	size_t n = 0;

	while (n < slice->len && !is_blank(slice->ptr[n]))
		n++;
	if (n == 0)
		return false;
	*word = (struct cg_slice){ slice->ptr, n };
	skip(slice, n);
	return true;
}

bool
cg_take_until(struct cg_slice *slice, char sep, struct cg_slice *word)
{
	const char *at;

	if (slice->len == 0)
		return false;
	*word = *slice;
	at = memchr(slice->ptr, sep, slice->len);
	if (at)
		word->len = (size_t)(at - slice->ptr);
	skip(slice, word->len + (at ? 1 : 0));
	return true;
}

bool
cg_take_line(struct cg_slice *slice, struct cg_slice *line)
{
	return cg_take_until(slice, '\n', line);
}

struct cg_slice
cg_trim(struct cg_slice slice)
{
	cg_take_blanks(&slice);
	while (slice.len > 0 && is_blank(slice.ptr[slice.len - 1]))
		slice.len--;
	return slice;
}

struct cg_slice
cg_base_name(struct cg_slice path)
{
	for (size_t i = path.len; i-- > 0;) {
		if (path.ptr[i] == '/' && i + 1 < path.len)
			return (struct cg_slice){ path.ptr + i + 1,
				path.len - i - 1 };
	}
	return path;
}

size_t
cg_utf8_length(const char *text, const char *end)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t len = at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
	unsigned char low = 0x80, high = 0xbf;

	if (at[0] < 0xc2 || at[0] > 0xf4 || (size_t)(end - text) < len)
		return 0;
	if (at[0] == 0xe0)
		low = 0xa0;
	else if (at[0] == 0xed)
		high = 0x9f;
	else if (at[0] == 0xf0)
		low = 0x90;
	else if (at[0] == 0xf4)
		high = 0x8f;
	if (at[1] < low || at[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++) {
		if (at[i] < 0x80 || at[i] > 0xbf)
			return 0;
	}
	return len;
}

/* ---- Numbers ------------------------------------------------------------ */

/* The value of a hex digit, 16 if it is none. */
static unsigned
hex_digit(char c)
{
	unsigned digit = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';

	if (digit <= 9)
		return digit;
	return letter <= 5 ? letter + 10 : 16;
}

static bool
take_hex(struct cg_slice *slice, uint64_t *number)
{
	const char *at = slice->ptr + 2, *end = slice->ptr + slice->len;
	uint64_t value = 0;
	unsigned digit;

	for (; at < end && (digit = hex_digit(*at)) < 16; at++) {
		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	if (at == slice->ptr + 2)
		return false;
	*number = value;
	skip(slice, (size_t)(at - slice->ptr));
	return true;
}

bool
cg_take_u64(struct cg_slice *slice, uint64_t *number)
{
	const char *at = slice->ptr, *end;
	uint64_t value = 0;
	unsigned digit;

	if (slice->len == 0)
		return false;
	end = at + slice->len;
	if (slice->len >= 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		return take_hex(slice, number);
	for (; at < end && (digit = (unsigned)*at - '0') <= 9; at++) {
		if (value >= UINT64_MAX / 10 &&
		    (value > UINT64_MAX / 10 || digit > UINT64_MAX % 10))
			return false;
		value = value * 10 + digit;
	}
	if (at == slice->ptr)
		return false;
	*number = value;
	skip(slice, (size_t)(at - slice->ptr));
	return true;
}

bool
cg_get_u64(struct cg_slice text, uint64_t *number)
{
	uint64_t value;

	if (!cg_take_u64(&text, &value) || text.len > 0)
		return false;
	*number = value;
	return true;
}

static size_t
count_digits(uint64_t value)
{
	for (size_t n = 1;; n += 4) {
		if (value < 10)
			return n;
		if (value < 100)
			return n + 1;
		if (value < 1000)
			return n + 2;
		if (value < 10000)
			return n + 3;
		value /= 10000;
	}
}

/* Two digits a division: a writer of big files does little else. */
char *
cg_format_u64(char *to, uint64_t value)
{
	static const char pairs[] = "00010203040506070809"
				    "10111213141516171819"
				    "20212223242526272829"
				    "30313233343536373839"
				    "40414243444546474849"
				    "50515253545556575859"
				    "60616263646566676869"
				    "70717273747576777879"
				    "80818283848586878889"
				    "90919293949596979899";
	char *end = to + count_digits(value), *at = end;

	while (value >= 100) {
		at -= 2;
		memcpy(at, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value >= 10)
		memcpy(to, pairs + value * 2, 2);
	else
		*to = (char)('0' + value);
	return end;
}

char *
cg_format_i64(char *to, int64_t value)
{
	if (value >= 0)
		return cg_format_u64(to, (uint64_t)value);
	*to = '-';
	return cg_format_u64(to + 1, 0 - (uint64_t)value);
}

char *
cg_format_hex(char *to, uint64_t value)
{
	unsigned shift = 0;

	while (shift < 60 && value >> shift > 15)
		shift += 4;
	*to++ = '0';
	*to++ = 'x';
	for (;; shift -= 4) {
		*to++ = "0123456789abcdef"[value >> shift & 15];
		if (shift == 0)
			return to;
	}
}
