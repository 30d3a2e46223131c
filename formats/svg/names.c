/*
 * names.c - names of functions in little room: without parameters, then
 * without what they are in, from the left. The rules are those of the page
 * (formats/html/names.js), which the script of the picture has, too.
 */
#include <string.h>

#include "svg.h"

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t
svg_count_chars(struct cg_slice text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++)
		n += (text.ptr[i] & 0xc0) != 0x80;
	return n;
}

/*
 * Returns the name without what compilers append to names of copies of
 * functions. First cuts each " [clone .cold]" off the end, then suffixes such
 * as ".constprop.0".
 */
static struct cg_slice
cut_clone(struct cg_slice name)
{
	struct cg_slice rest;
	size_t at;

	while (name.len > 0 && name.ptr[name.len - 1] == ']') {
		for (at = name.len - 1; at > 0 && name.ptr[at] != '['; at--)
			continue;
		rest = (struct cg_slice){ name.ptr + at, name.len - at };
		if (at == 0 || name.ptr[at - 1] != ' ' ||
		    !cg_take_prefix(&rest, "[clone "))
			break;
		name.len = at - 1;
	}
	cg_cut_clone(&name);
	return name;
}

/*
 * Returns true if only words that may follow the parameters of a function are
 * in the text, as in " const &". Brackets [...] may follow, too.
 */
static bool
may_follow(struct cg_slice text)
{
	static const char *const words[] = { "const", "volatile", "noexcept",
		"&" };
	struct cg_slice inner;
	size_t k;

	while (text.len > 0) {
		(void)cg_take_blanks(&text);
		for (k = 0; k < sizeof(words) / sizeof(*words); k++) {
			if (cg_take_prefix(&text, words[k]))
				break;
		}
		if (k == sizeof(words) / sizeof(*words) &&
		    !(cg_take_char(&text, '[') &&
			memchr(text.ptr, ']', text.len) &&
			cg_take_until(&text, ']', &inner)))
			return false;
	}
	return true;
}

/*
 * Returns true if the bracket that follows "name" may begin parameters. "name"
 * is the text before the bracket. In "pkg.(*T)" and "operator()", the bracket
 * does not begin parameters.
 */
static bool
may_have_parameters(struct cg_slice name)
{
	static const char word[] = "operator";
	const size_t len = sizeof(word) - 1;
	char last = name.len > 0 ? name.ptr[name.len - 1] : '.';

	if (name.len >= len &&
	    memcmp(name.ptr + name.len - len, word, len) == 0)
		return name.len > len && is_word(name.ptr[name.len - len - 1]);
	return is_word(last) || strchr(">])}$+*/%^&|~!=<,-", last) != NULL;
}

/*
 * Returns the name without its parameters: "ns::f" of "ns::f(int) const". Also
 * cuts off the suffix of a clone. Some brackets are no parameters, as in Go's
 * "pkg.(*T).f" and C++'s "(anonymous namespace)". They stay.
 */
static struct cg_slice
bare_name(struct cg_slice name)
{
	struct cg_slice plain = cut_clone(name), bare;
	size_t end = plain.len, depth = 0;

	while (end > 0 && plain.ptr[end - 1] != ')')
		end--;
	if (end < 2 ||
	    !may_follow((struct cg_slice){ plain.ptr + end, plain.len - end }))
		return plain;
	for (size_t at = end; at-- > 0;) {
		depth += plain.ptr[at] == ')';
		depth -= plain.ptr[at] == '(';
		if (depth > 0)
			continue;
		bare = (struct cg_slice){ plain.ptr, at };
		return may_have_parameters(bare) ? bare : plain;
	}
	return plain;
}

/*
 * Finds where to cut the beginning off a name of more than "room" characters.
 * Returns the offset of the first part from which on the name has at most
 * "room" characters. If there is none, returns the offset of the last part. A
 * part begins after "::", "." or "/" outside of brackets, or at 0 if no other
 * part does. No part begins with a number or a closure of Go ("func1"), which
 * say nothing alone.
 */
static size_t
find_part(struct cg_slice name, size_t room)
{
	size_t part = 0, depth = 0, left = svg_count_chars(name);

	for (size_t i = 0; i + 1 < name.len; i++) {
		char c = name.ptr[i], next = name.ptr[i + 1];
		struct cg_slice rest = { name.ptr + i + 1, name.len - i - 1 };

		left -= (c & 0xc0) != 0x80;
		if (strchr("([{<", c))
			depth++;
		else if (strchr(")]}>", c))
			depth -= depth > 0;
		if (depth > 0 ||
		    (c != '.' && c != '/' &&
			!(c == ':' && i > 0 && name.ptr[i - 1] == ':')))
			continue;
		if ((!is_word(next) && !strchr("~$({<@", next)) ||
		    is_digit(next) ||
		    (cg_take_prefix(&rest, "func") && rest.len > 0 &&
			is_digit(*rest.ptr)))
			continue;
		part = i + 1;
		if (left <= room)
			break;
	}
	return part;
}

struct cg_slice
svg_qualifier(struct cg_slice name)
{
	struct cg_slice bare = bare_name(name);

	bare.len = find_part(bare, 0);
	if (bare.len > 0)
		bare.len -= bare.ptr[bare.len - 1] == ':' ? 2 : 1;
	return bare;
}

struct cg_slice
svg_short_name(struct cg_slice name, size_t room, bool *cut)
{
	struct cg_slice bare;
	size_t part, end = 0;

	*cut = false;
	if (svg_count_chars(name) <= room)
		return name;
	bare = bare_name(name);
	if (svg_count_chars(bare) <= room)
		return bare;
	part = find_part(bare, room);
	bare = (struct cg_slice){ bare.ptr + part, bare.len - part };
	*cut = svg_count_chars(bare) > room;
	for (size_t n = 0; *cut && n < (room > 1 ? room - 1 : 1); n++) {
		end++;
		while (end < bare.len && (bare.ptr[end] & 0xc0) == 0x80)
			end++;
	}
	if (*cut)
		bare.len = end;
	return bare;
}
