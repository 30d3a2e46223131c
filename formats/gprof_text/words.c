/*
 * words.c - times, and names with their indexes.
 */
#include <string.h>

#include "gprof_text.h"

bool
gprof_text_time(struct cg_slice *text, uint64_t *ns)
{
	struct cg_slice rest = *text, whole;

	(void)cg_take_blanks(&rest);
	whole = rest;
	if (!cg_take_fixed(&rest, 9, ns) || *ns > INT64_MAX ||
	    !memchr(whole.ptr, '.', whole.len - rest.len))
		return false;
	*text = rest;
	return true;
}

struct cg_slice
gprof_text_name(struct cg_slice name)
{
	static const char cycle[] = " <cycle ";
	size_t at = name.len;

	if (at > 0 && name.ptr[at - 1] == ']') {
		while (at > 0 && name.ptr[at - 1] != '[')
			at--;
		if (at > 1 && name.ptr[at - 2] == ' ')
			name.len = at - 2;
		name = cg_trim(name);
	}
	if (name.len > 0 && name.ptr[name.len - 1] == '>') {
		for (at = name.len; at > 0; at--)
			if (name.len - at >= strlen(cycle) &&
			    memcmp(name.ptr + at, cycle, strlen(cycle)) == 0) {
				name.len = at;
				break;
			}
	}
	return cg_trim(name);
}
