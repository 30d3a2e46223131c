/*
 * escape.c - escapes text and attribute values of XML.
 *
 * Source: XML 1.0, fifth edition, sections 2.2, 2.4 and 3.3.3.
 */
#include <string.h>

#include "io/io.h"

/* Number of input bytes that are written at once; each may become six. */
#define PIECE 8192

#define BIT(c) (UINT64_C(1) << ((c)&63))

/* True for ASCII except control characters and ", &, <, >. */
static inline bool
is_plain(unsigned char c)
{
	static const uint64_t special[4] = { UINT32_MAX | BIT('"') | BIT('&') |
						 BIT('<') | BIT('>'),
		BIT(127), UINT64_MAX, UINT64_MAX };

	return !(special[c >> 6] >> (c & 63) & 1);
}

/*
 * Writes the character at *at as XML text or attribute value at `to`, and
 * moves *at past the character. Returns the end of what was written. Of ASCII,
 * the caller passes only what must be escaped. U+FFFD replaces what XML cannot
 * represent: most control characters, bytes that are not UTF-8, U+FFFE,
 * U+FFFF.
 */
static char *
put_special(char *to, const char **at, const char *end)
{
	static const struct {
		char c;
		const char *text;
	} escapes[] = { { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" },
		{ '"', "&quot;" }, { '\t', "&#9;" }, { '\n', "&#10;" },
		{ '\r', "&#13;" }, { '\177', "\177" } };
	size_t len = 0;

	if ((unsigned char)**at >= 0x80)
		len = cg_utf8_length(*at, end);
	if (len > 0 && !(len == 3 && memcmp(*at, "\xef\xbf", 2) == 0 &&
			   (unsigned char)(*at)[2] >= 0xbe)) {
		memcpy(to, *at, len);
		*at += len;
		return to + len;
	}
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (**at == escapes[i].c) {
			++*at;
			return stpcpy(to, escapes[i].text);
		}
	}
	*at += len ? len : 1;
	return stpcpy(to, "\xef\xbf\xbd");
}

void
cg_put_xml(struct cg_out *out, struct cg_slice text)
{
	const char *at = text.len ? text.ptr : "", *end = at + text.len, *stop;
	char *to;

	while (at < end) {
		stop = end - at > PIECE ? at + PIECE : end;
		to = cg_out_reserve(out, 6 * PIECE + 8);
		while (at < stop) {
			if (is_plain((unsigned char)*at))
				*to++ = *at++;
			else
				to = put_special(to, &at, end);
		}
		cg_out_advance(out, to);
	}
}

void
cg_put_xml_attribute(
    struct cg_out *out, const char *name, struct cg_slice value)
{
	cg_putc(out, ' ');
	cg_puts(out, name);
	cg_puts(out, "=\"");
	cg_put_xml(out, value);
	cg_putc(out, '"');
}
