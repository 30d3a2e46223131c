/* head.c - the beginning of an XML document or a text, for probe(). */
#include <string.h>

#include "cgconv_parse.h"

bool
cg_head_root(
    const struct cg_head *head, struct cg_slice *tag, struct cg_slice *rest)
{
	const char *end;

	*rest = head->text;
	(void)cg_take_prefix(rest, "\xef\xbb\xbf");
	for (;;) {
		while (rest->len > 0 && strchr(" \t\r\n", *rest->ptr)) {
			rest->ptr++;
			rest->len--;
		}
		if (!cg_take_char(rest, '<') || rest->len == 0)
			return false;
		if (*rest->ptr != '?' && *rest->ptr != '!')
			return cg_take_until(rest, '>', tag);
		end = cg_find(*rest, cg_starts(*rest, "!--") ? "-->" : ">");
		if (!end)
			return false;
		rest->len -= (size_t)(end - rest->ptr);
		rest->ptr = end;
		(void)cg_take_until(rest, '>', tag);
	}
}

struct cg_slice
cg_head_line(const struct cg_head *head)
{
	struct cg_slice text = head->text, line = { "", 0 };

	(void)cg_take_prefix(&text, "\xef\xbb\xbf");
	while (line.len == 0 && cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		line = cg_trim(line);
	}
	return line;
}
