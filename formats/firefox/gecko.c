/*
 * gecko.c - the texts of frames in raw profiles of Firefox.
 *
 * Source: extractFuncsAndResourcesFromFrameLocations() in
 * src/profile-logic/process-profile.ts of firefox-devtools/profiler.
 */
#include <string.h>

#include "firefox.h"

/*
 * Removes the number of the source, "[3]" of "f (x.js:1:2)[3]", from the end
 * of a text. Does nothing if the text does not end so.
 */
static void
drop_source(struct cg_slice *text)
{
	size_t at = text->len;

	if (at == 0 || text->ptr[at - 1] != ']')
		return;
	for (at--;
	     at > 0 && text->ptr[at - 1] >= '0' && text->ptr[at - 1] <= '9';
	     at--)
		continue;
	if (at > 1 && text->ptr[at - 1] == '[' && text->ptr[at - 2] == ')')
		text->len = at - 1;
}

static bool
is_position(struct cg_slice inner, struct firefox_location *location)
{
	uint32_t first, second;

	if (!cg_cut_number(&inner, ':', &first))
		return false;
	location->line = first;
	location->column = 0;
	if (cg_cut_number(&inner, ':', &second)) {
		location->line = second;
		location->column = first;
	}
	location->file = inner;
	return true;
}

void
firefox_parse_location(struct cg_slice text, struct firefox_location *location)
{
	struct cg_slice name = text, inner;
	size_t at;

	*location =
	    (struct firefox_location){ .name = text, .file = { "", 0 } };
	drop_source(&text);
	/* Script code outside of functions: "http://x/a.js:12". */
	if (text.len == 0 || text.ptr[text.len - 1] != ')') {
		if (memchr(text.ptr, '/', text.len) &&
		    is_position(text, location))
			location->script = true;
		return;
	}
	at = text.len;
	while (at >= 2 && (text.ptr[at - 1] != '(' || text.ptr[at - 2] != ' '))
		at--;
	if (at < 2)
		return;
	inner = (struct cg_slice){ text.ptr + at, text.len - 1 - at };
	name.len = at - 2;
	if (is_position(inner, location))
		location->name = name;
}
