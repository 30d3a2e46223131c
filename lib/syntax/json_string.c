/*
 * json_string.c - removes and adds the escapes of JSON strings.
 *
 * Source: RFC 8259. Bytes that are not UTF-8 become lone low surrogates \udc80
 * to \udcff, as with Python's "surrogateescape" (PEP 383).
 */
#include <string.h>

#include "io/io.h"
#include "syntax/syntax.h"

/* ---- Reading ------------------------------------------------------------ */

static unsigned
hex4(const char *at)
{
	unsigned value = 0;

	for (int i = 0; i < 4; i++)
		value = value << 4 |
			(at[i] <= '9' ? (unsigned)at[i] - '0'
				      : ((unsigned)at[i] | 0x20) - 'a' + 10);
	return value;
}

static char *
put_utf8(char *to, unsigned code)
{
	static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
	int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;

	*to++ = (char)(lead[more] | code >> 6 * more);
	while (more-- > 0)
		*to++ = (char)(0x80 | (code >> 6 * more & 0x3f));
	return to;
}

/*
 * Writes the character of the escape \uXXXX at *at, or of a surrogate pair, as
 * UTF-8 at `to`. Moves *at past it, and returns the end. Lone surrogates
 * \udc80 to \udcff become single bytes, other ones U+FFFD.
 */
static char *
put_unicode(char *to, const char **at, const char *end)
{
	unsigned code = hex4(*at + 2), low;

	*at += 6;
	if (code >= 0xdc80 && code <= 0xdcff) {
		*to = (char)(code & 0xff);
		return to + 1;
	}
	if (code < 0xd800 || code > 0xdfff)
		return put_utf8(to, code);
	if (code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' &&
	    (*at)[1] == 'u') {
		low = hex4(*at + 2);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*at += 6;
			return put_utf8(to,
			    0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
		}
	}
	return put_utf8(to, 0xfffd);
}

/* Letters of the short escapes, and their meanings. */
static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";

struct cg_slice
cg_json_string(const struct cg_json *json, char *buf)
{
	const char *at = json->text.ptr, *end = at + json->text.len, *letter;
	char *to = buf;

	if (!json->escaped)
		return json->text;
	while (at < end) {
		if (*at != '\\') {
			*to++ = *at++;
		} else if (at[1] == 'u') {
			to = put_unicode(to, &at, end);
		} else {
			letter = strchr(letters, at[1]);
			if (letter)
				*to++ = meanings[letter - letters];
			else
				*to++ = at[1];
			at += 2;
		}
	}
	return (struct cg_slice){ buf, (size_t)(to - buf) };
}

/* ---- Writing ------------------------------------------------------------ */

/* Number of input bytes that are written at once; each may become six. */
#define PIECE 8192

/*
 * Returns the letter of the short JSON escape of a byte ('n' for a newline);
 * 0: there is none.
 */
static char
short_escape(unsigned char byte)
{
	const char *meaning = strchr(meanings, byte); /* byte 0 finds the end */

	if (byte == '"' || byte == '\\')
		return (char)byte;
	if (!meaning)
		return '\0';
	return letters[meaning - meanings];
}

/*
 * Writes the special or non-ASCII character at *at as text of a JSON string.
 * Moves *at past it, and returns the end. UTF-8 is copied; a byte that is not
 * UTF-8 becomes \udc80 to \udcff.
 */
static char *
put_special(char *to, const char **at, const char *end)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *from = (const unsigned char *)*at;
	size_t len = 0;
	char letter;

	if (*from >= 0x80)
		len = cg_utf8_length(*at, end);
	if (len > 0) {
		memcpy(to, from, len);
		*at += len;
		return to + len;
	}
	++*at;
	*to++ = '\\';
	letter = short_escape(*from);
	if (letter) {
		*to++ = letter;
		return to;
	}
	*to++ = 'u';
	*to++ = *from >= 0x80 ? 'd' : '0';
	*to++ = *from >= 0x80 ? 'c' : '0';
	*to++ = hex[*from >> 4];
	*to++ = hex[*from & 15];
	return to;
}

/*
 * Writes the text from *from to stop with JSON escapes. Moves *from, and
 * returns the end of the result. May take a few bytes beyond stop to complete
 * a character or word, but none beyond end.
 */
static char *
put_piece(char *to, const char **from, const char *stop, const char *end)
{
	const char *at = *from;
	uint64_t word;

	while (at < stop) {
		if (end - at >= 8) {
			memcpy(&word, at, sizeof(word));
			if (!(cg_json_special_bytes(word) |
				(word & CG_HIGH_BITS))) {
				memcpy(to, &word, sizeof(word));
				at += 8;
				to += 8;
				continue;
			}
		}
		if (cg_json_is_special(*at) || (unsigned char)*at >= 0x80)
			to = put_special(to, &at, end);
		else
			*to++ = *at++;
	}
	*from = at;
	return to;
}

void
cg_put_json(struct cg_out *out, struct cg_slice text)
{
	const char *at = text.len ? text.ptr : "", *end = at + text.len;
	size_t n;
	char *to;

	cg_putc(out, '"');
	while (at < end) {
		n = (size_t)(end - at) < PIECE ? (size_t)(end - at) : PIECE;
		to = cg_out_reserve(out, 6 * n + 8);
		cg_out_advance(out, put_piece(to, &at, at + n, end));
	}
	cg_putc(out, '"');
}
