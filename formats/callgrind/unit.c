/*
 * unit.c - units of events.
 *
 * The format has no place for a unit, but producers name it in parentheses at
 * the end of an event's name (Xdebug: "Time_(10ns)", "Memory_(bytes)") or long
 * name (Valgrind: "sysTime (elapsed ns)"), or an event is called by its unit.
 * KCachegrind shows both names, so the writer does the same.
 */
#include "callgrind.h"

/*
 * True if the unit is one that producers of callgrind files use. Ignores a
 * number before the unit, as in "10ns".
 */
static bool
is_known(struct cg_slice unit)
{
	static const char *const known[] = { "s", "ms", "us", "ns", "sec",
		"msec", "usec", "nsec", "bytes", "kB", "KiB", "MB", "MiB" };
	uint64_t number;

	(void)cg_take_u64(&unit, &number);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (cg_equal(unit, known[i]))
			return true;
	}
	return false;
}

bool
callgrind_take_unit(
    struct cg_slice *text, bool any, const char *name, struct cg_slice *unit)
{
	struct cg_slice rest = *text, inner;
	size_t open, word;

	if (is_known(rest)) { /* an event named "ns" */
		*unit = rest;
		return true;
	}
	if (rest.len < 3 || rest.ptr[rest.len - 1] != ')')
		return false;
	for (open = rest.len - 1; open > 0 && rest.ptr[open] != '(';)
		open--;
	if (rest.ptr[open] != '(')
		return false;
	inner = (struct cg_slice){ rest.ptr + open + 1, rest.len - open - 2 };
	for (word = inner.len; word > 0 && inner.ptr[word - 1] != ' ';)
		word--;
	*unit = (struct cg_slice){ inner.ptr + word, inner.len - word };
	/* Xdebug 2 writes a micro sign in UTF-8 or, with older PHP, Latin 1. */
	if (cg_equal(*unit, "\xc2\xb5s") || cg_equal(*unit, "\xb5s"))
		*unit = cg_slice("us");
	else if (unit->len == 0 || !(is_known(*unit) || (any && word == 0)))
		return false;
	if (word > 0) /* "(elapsed ns)" is more specific */
		return true;
	rest = cg_trim((struct cg_slice){ rest.ptr, open });
	*text = name && cg_equal(rest, name) ? cg_slice("") : rest;
	return true;
}
