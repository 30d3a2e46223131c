/*
 * text.c - slices, numbers in text, paths.
 */
#include <string.h>

#include "base/base.h"

struct cg_slice
cg_slice(const char *string)
{
	return (struct cg_slice){ string, strlen(string) };
}

/*
 * Compares two slices like strcmp(): negative, 0 or positive. The pointer of
 * an empty slice may be NULL, which memcmp() must not get.
 */
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

/* Returns the value of a hex digit; 16 for other characters. */
static unsigned
hex_digit(char c)
{
	unsigned digit = (unsigned)c - '0', letter = ((unsigned)c | 0x20) - 'a';

	if (digit <= 9)
		return digit;
	return letter <= 5 ? letter + 10 : 16;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
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
cg_take_fixed(struct cg_slice *slice, unsigned digits, uint64_t *number)
{
	struct cg_slice rest = *slice;
	uint64_t unit = cg_power_of_ten(digits), value;

	if (rest.len == 0 || !is_digit(*rest.ptr))
		return false;
	/* Hexadecimal numbers are not allowed here. */
	if (cg_starts(rest, "0x"))
		value = 0;
	else if (!cg_take_u64(&rest, &value) ||
		 __builtin_mul_overflow(value, unit, &value))
		return false;
	if (cg_starts(rest, "0x"))
		skip(&rest, 1);
	if (rest.len > 1 && rest.ptr[0] == '.' && is_digit(rest.ptr[1])) {
		uint64_t fraction = 0;

		for (skip(&rest, 1); rest.len > 0 && is_digit(*rest.ptr);
		     skip(&rest, 1)) {
			unit /= 10;
			fraction += (uint64_t)(*rest.ptr - '0') * unit;
		}
		if (__builtin_add_overflow(value, fraction, &value))
			return false;
	}
	*number = value;
	*slice = rest;
	return true;
}

const char *
cg_get_hex(const char *text, uint64_t *number)
{
	static const char digits[] = "0123456789abcdef";
	uint64_t value = 0;

	/* Whether a digit is a letter is unpredictable, so avoid a branch. */
	for (; value <= UINT64_MAX >> 4; text++) {
		unsigned c = (unsigned char)*text;
		unsigned digit = ((c & 0xf) + 9 * (c >> 6)) & 0xf;

		if (digits[digit] != *text)
			break;
		value = value << 4 | digit;
	}
	*number = value;
	return text;
}

bool
cg_get_u64(struct cg_slice text, uint64_t *number)
{
	uint64_t value = 0;
	size_t i = 0;
	unsigned digit;

	/* Fewer than 20 digits cannot overflow. */
	if (text.len < 20) {
		for (;
		     i < text.len && (digit = (unsigned)text.ptr[i] - '0') < 10;
		     i++)
			value = value * 10 + digit;
		if (i > 0 && i == text.len) {
			*number = value;
			return true;
		}
	}
	if (!cg_take_u64(&text, &value) || text.len > 0)
		return false;
	*number = value;
	return true;
}

void
cg_cut_return(struct cg_slice *line)
{
	if (line->len > 0 && line->ptr[line->len - 1] == '\r')
		line->len--;
}

bool
cg_cut_number(struct cg_slice *text, char sep, uint32_t *number)
{
	size_t at = text->len;
	struct cg_slice digits;
	uint64_t value;

	while (at > 0 && is_digit(text->ptr[at - 1]))
		at--;
	if (at == 0 || text->ptr[at - 1] != sep)
		return false;
	digits = (struct cg_slice){ text->ptr + at, text->len - at };
	if (!cg_get_u64(digits, &value) || value > UINT32_MAX)
		return false;
	*number = (uint32_t)value;
	text->len = at - 1;
	return true;
}

/* Removes one suffix of a copy of a function. False: there is none. */
static bool
cut_suffix(struct cg_slice *name)
{
	static const char *const words[] = { ".constprop", ".isra", ".part",
		".lto_priv", ".llvm", ".cold" };
	size_t end = name->len;
	bool numbered;

	while (end > 0 && is_digit(name->ptr[end - 1]))
		end--;
	numbered = end < name->len && end > 0 && name->ptr[end - 1] == '.';
	end = numbered ? end - 1 : name->len;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if (end <= len ||
		    memcmp(name->ptr + end - len, words[i], len) != 0)
			continue;
		if (numbered || strcmp(words[i], ".cold") == 0) {
			name->len = end - len;
			return true;
		}
	}
	return false;
}

void
cg_cut_clone(struct cg_slice *name)
{
	while (cut_suffix(name))
		continue;
}

const char *
cg_find(struct cg_slice text, const char *what)
{
	const char *at = text.ptr, *end;
	size_t len = strlen(what);

	if (text.len < len)
		return NULL; /* also for an empty text (NULL) */
	for (end = at + text.len; (size_t)(end - at) >= len; at++) {
		at = memchr(at, *what, (size_t)(end - at) - len + 1);
		if (!at || memcmp(at, what, len) == 0)
			return at;
	}
	return NULL;
}

/*
 * Writes eight decimal digits at `to`, leading zeros included, and returns the
 * end. digits has the value of one digit per byte, the first one lowest.
 */
static char *
put_all_digits(char *to, uint64_t digits)
{
	digits = htole64(digits + CG_DIGIT_ZEROS);
	memcpy(to, &digits, sizeof(digits));
	return to + sizeof(digits);
}

char *
cg_format_u64(char *to, uint64_t value)
{
	if (value < CG_EIGHT_DIGITS)
		return cg_put_digits(to, cg_digits_of(value));
	to = cg_format_u64(to, value / CG_EIGHT_DIGITS);
	return put_all_digits(to, cg_digits_of(value % CG_EIGHT_DIGITS));
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
cg_format_fixed(char *to, int64_t value, unsigned digits)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint64_t unit = cg_power_of_ten(digits), rest = size % unit;

	if (value < 0)
		*to++ = '-';
	to = cg_format_u64(to, size / unit);
	if (rest != 0)
		*to++ = '.';
	while (rest != 0) {
		unit /= 10;
		/* cppcheck-suppress zerodivcond ; a rest is less than unit was */
		*to++ = (char)('0' + rest / unit);
		rest %= unit;
	}
	return to;
}

/*
 * Returns the eight hex digits of a number of 32 bits, as the bytes of a word
 * in memory order.
 */
static uint64_t
hex_digits_of(uint64_t value)
{
	value = (value | value << 16) & 0xffff0000ffff;
	value = (value | value << 8) & 0xff00ff00ff00ff;
	value = (value | value << 4) & 0xf0f0f0f0f0f0f0f;
	/*
	 * Adding 6 carries into bit 4 from 10 on; then add the gap from '9' to
	 * 'a'.
	 */
	value += ((value + 0x606060606060606) >> 4 & 0x101010101010101) *
		 ('a' - '9' - 1);
	return __builtin_bswap64(value);
}

char *
cg_format_hex(char *to, uint64_t value)
{
	uint64_t high = value >> 32, low = hex_digits_of(value & UINT32_MAX);

	*to++ = '0';
	*to++ = 'x';
	if (high == 0)
		return cg_put_digits(to, low);
	to = cg_put_digits(to, hex_digits_of(high));
	return put_all_digits(to, low);
}

/* ---- Paths -------------------------------------------------------------- */

/*
 * Removes the last component, with its slash, of the path from start to *to:
 * moves *to back. False: there is none, or it is "..".
 */
static bool
take_back(const char *start, char **to)
{
	char *at = *to;

	while (at > start && at[-1] != '/')
		at--;
	if (at == *to || (*to - at == 2 && memcmp(at, "..", 2) == 0))
		return false;
	*to = at > start + 1 ? at - 1 : at;
	return true;
}

/*
 * Appends the components of path to the path from start to `to`. Returns the
 * new end, without a NUL. Resolves "." and "..". ".." at the root is dropped;
 * ".." at the start of a relative path is kept.
 */
static char *
put_parts(const char *start, char *to, struct cg_slice path)
{
	struct cg_slice part;

	while (path.len > 0) {
		(void)cg_take_until(&path, '/', &part);
		if (part.len == 0 || cg_equal(part, "."))
			continue;
		if (cg_equal(part, "..") &&
		    (take_back(start, &to) || *start == '/'))
			continue;
		if (to > start && to[-1] != '/')
			*to++ = '/';
		memcpy(to, part.ptr, part.len);
		to += part.len;
	}
	return to;
}

char *
cg_join_path(char *to, struct cg_slice directory, struct cg_slice name)
{
	char *start = to;

	*start = '\0';
	if (cg_starts(name, "/"))
		directory.len = 0;
	if (cg_starts(directory.len > 0 ? directory : name, "/"))
		*to++ = '/';
	to = put_parts(start, put_parts(start, to, directory), name);
	if (to == start)
		*to++ = '.';
	return to;
}
