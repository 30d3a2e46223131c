/*
 * names.c - names of functions in little room: without parameters, then
 * without the arguments of templates, then without what they are in, from the
 * left. The rules are those of the page (formats/html/names.js), which the
 * script of the picture has, too.
 */
#include <string.h>

#include "picture.h"

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
picture_count_chars(struct cg_slice text)
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
 * say nothing alone. Nor do the arguments of "fold::<T>" in Rust.
 */
static size_t
find_part(struct cg_slice name, size_t room)
{
	size_t part = 0, depth = 0, left = picture_count_chars(name);

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
		    (next == '<' && name.ptr[name.len - 1] == '>') ||
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
picture_qualifier(struct cg_slice name)
{
	struct cg_slice bare = bare_name(name);

	bare.len = find_part(bare, 0);
	if (bare.len > 0)
		bare.len -= bare.ptr[bare.len - 1] == ':' ? 2 : 1;
	return bare;
}

struct cg_slice
picture_package(struct cg_slice name)
{
	struct cg_slice package = picture_qualifier(name);
	size_t begin = 0, end = 0;

	for (; end < package.len && package.ptr[end] != '<'; end++) {
		const char *at = package.ptr + end;

		if (end + 1 < package.len &&
		    ((at[0] == ':' && at[1] == ':') ||
			(at[0] == '.' && at[1] == '(')))
			break;
		if (*at == ' ')
			begin = end + 1;
	}
	package = (struct cg_slice){ package.ptr + begin, end - begin };
	begin = 0;
	for (size_t i = 0; i < package.len; i++) {
		if (package.ptr[i] == '/')
			begin = i + 1;
	}
	/* "a/b.T": a type of the package "a/b". */
	for (size_t i = begin; begin > 0 && i < package.len; i++) {
		if (package.ptr[i] == '.')
			package.len = i;
	}
	return package;
}

/* ---- Lines -------------------------------------------------------------- */

#define ELLIPSIS "\xe2\x80\xa6" /* U+2026 */

/* Returns the length in bytes of the first `chars` characters of a text. */
static size_t
length_of(struct cg_slice text, size_t chars)
{
	size_t at = 0;

	while (chars-- > 0 && at < text.len) {
		at++;
		while (at < text.len && (text.ptr[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

static void
skip(struct cg_slice *text, size_t bytes)
{
	text->ptr += bytes;
	text->len -= bytes;
}

/*
 * Returns the length of an operator at the start of the text, as that of
 * "operator<<": its brackets enclose nothing. 0: there is none.
 */
static size_t
operator_length(struct cg_slice text)
{
	struct cg_slice rest = text;

	if (!cg_take_prefix(&rest, "operator"))
		return 0;
	while (rest.len > 0 && strchr("<>-=", *rest.ptr))
		skip(&rest, 1);
	return text.len - rest.len;
}

/*
 * Returns the name without the type in front of it that functions of C++
 * templates have: "ns::f<int>" of "void ns::f<int>". "operator new" stays.
 */
static struct cg_slice
cut_type(struct cg_slice name)
{
	size_t begin = 0, depth = 0, len;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		len = operator_length(
		    (struct cg_slice){ name.ptr + i, name.len - i });
		if (len > 0)
			break;
		if (strchr("([{<", c))
			depth++;
		else if (strchr(")]}>", c))
			depth -= depth > 0;
		else if (c == ' ' && depth == 0)
			begin = i + 1;
	}
	return (struct cg_slice){ name.ptr + begin, name.len - begin };
}

/*
 * Writes dots to `to`, which has room for the text, in place of the text. Fewer
 * bytes than the dots have stay. Returns the end of what it wrote.
 */
static char *
put_dots(char *to, struct cg_slice text)
{
	static const size_t dots = sizeof(ELLIPSIS) - 1;
	bool few = text.len < dots;

	memmove(to, few ? text.ptr : ELLIPSIS, few ? text.len : dots);
	return to + (few ? text.len : dots);
}

/*
 * Removes arguments of templates, and those of Go in brackets, from a name in
 * lines->text; dots stand for them: "map<…>::find". A bracket that begins the
 * name holds the type of a method in Rust, and stays. Inside of arguments all
 * brackets count: "Vec<[u8; 4]>" has an array.
 * Names may end before their brackets do.
 */
static void
drop_arguments(struct picture_lines *lines)
{
	const struct cg_slice name = { lines->text.at, lines->text.n };
	size_t depth = 0, begin = 0, len;
	char *to = lines->text.at;

	/* What is written is never ahead of what is read. */
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool word = i > 0 && is_word(name.ptr[i - 1]);

		len = operator_length(
		    (struct cg_slice){ name.ptr + i, name.len - i });
		if (len > 0 && depth == 0) {
			memmove(to, name.ptr + i, len);
			to += len;
			i += len - 1;
			continue;
		}
		if ((c == '>' || c == ']') && depth > 0 &&
		    name.ptr[i - 1] != '-' && --depth == 0)
			to = put_dots(to,
			    (struct cg_slice){ name.ptr + begin, i - begin });
		if (depth == 0)
			*to++ = c;
		if (i > 0 && (c == '<' || (c == '[' && (word || depth > 0))) &&
		    depth++ == 0)
			begin = i + 1;
	}
	if (depth > 0)
		to = put_dots(to,
		    (struct cg_slice){ name.ptr + begin, name.len - begin });
	lines->text.n = (size_t)(to - lines->text.at);
}

/*
 * Returns the length of the first line of a text that is longer than `room`
 * characters. It ends before a "::", "." or "/" outside of brackets. If there
 * is none, or only one near the start, returns 0 if "strict" is set; else it
 * ends before any of "<", " ", "_" and the separators, or is `room` long.
 */
static size_t
find_break(struct cg_slice text, size_t room, bool strict)
{
	size_t outside = 0, any = 0, depth = 0;
	size_t least = length_of(text, room / 3);

	for (size_t i = 0; i <= length_of(text, room) && i < text.len; i++) {
		char c = text.ptr[i];
		char next = i + 1 < text.len ? text.ptr[i + 1] : ' ';
		bool part = (c == ':' && next == ':') ||
			    ((c == '.' || c == '/') && !is_digit(next));

		if (part && depth == 0)
			outside = i;
		if (part || c == '<' || c == ' ' || c == '_')
			any = i;
		if (strchr("([{<", c))
			depth++;
		else if (strchr(")]}>", c))
			depth -= depth > 0;
	}
	if (outside > least || strict)
		return outside > least ? outside : 0;
	return any > least ? any : length_of(text, room);
}

/*
 * Breaks a text into lines. If "strict" is set, breaks it only between its
 * parts, and returns false if it does not fit. Else cuts the beginning off
 * the last line, as names differ more at their ends, and returns true.
 */
static bool
break_text(
    struct picture_lines *lines, struct cg_slice text, size_t room, bool strict)
{
	size_t chars, len;

	lines->lines = 0;
	lines->cut = false;
	while ((chars = picture_count_chars(text)) > room) {
		if (lines->lines + 1 == PICTURE_LINES) {
			if (strict)
				return false;
			lines->cut = true;
			skip(&text, length_of(text, chars - room + 1));
			break;
		}
		len = find_break(text, room, strict);
		if (len == 0)
			return false;
		lines->line[lines->lines++] =
		    (struct cg_slice){ text.ptr, len };
		skip(&text, len);
	}
	lines->line[lines->lines++] = text;
	return true;
}

/*
 * Returns the mark at the end of a function that calls itself, "'2" in
 * profiles of Callgrind; "" if there is none.
 */
static struct cg_slice
find_mark(struct cg_slice name)
{
	size_t at = name.len;

	while (at > 0 && is_digit(name.ptr[at - 1]))
		at--;
	if (at == 0 || at == name.len || name.ptr[at - 1] != '\'')
		at = name.len + 1;
	return (struct cg_slice){ name.ptr + at - 1, name.len + 1 - at };
}

static struct cg_slice
text_of(const struct picture_lines *lines)
{
	return (struct cg_slice){ lines->text.at, lines->text.n };
}

/*
 * Copies the mark to lines->text, after a name. False: out of memory
 * (reported).
 */
static bool
copy_marked(struct cg_job *job, struct picture_lines *lines,
    struct cg_slice name, struct cg_slice mark)
{
	if (!cg_resize(job, &lines->text, name.len + mark.len))
		return false;
	memcpy(lines->text.at, name.ptr, name.len);
	memcpy(lines->text.at + name.len, mark.ptr, mark.len);
	return true;
}

bool
picture_break_name(struct cg_job *job, struct picture_lines *lines,
    struct cg_slice name, size_t room)
{
	struct cg_slice mark = find_mark(name), bare;

	if (picture_count_chars(name) <= room)
		return break_text(lines, name, room, true);
	name.len -= mark.len;
	bare = bare_name(name);
	if (bare.len < name.len && !break_text(lines, bare, room, true))
		bare = cut_type(bare);
	if (!copy_marked(job, lines, bare, mark))
		return false;
	if (break_text(lines, text_of(lines), room, true))
		return true;
	drop_arguments(lines);
	return break_text(lines, text_of(lines), room, false);
}

bool
picture_short_name(struct cg_job *job, struct picture_lines *lines,
    struct cg_slice name, size_t room)
{
	struct cg_slice mark = find_mark(name), text = name;

	lines->lines = 1;
	lines->cut = false;
	if (picture_count_chars(name) > room) {
		name.len -= mark.len;
		text = bare_name(name);
		if (picture_count_chars(text) + mark.len > room)
			text = cut_type(text);
		if (!copy_marked(job, lines, text, mark))
			return false;
		if (picture_count_chars(text_of(lines)) > room)
			drop_arguments(lines);
		text = text_of(lines);
	}
	if (picture_count_chars(text) > room) {
		skip(&text, find_part(text, room));
		lines->cut = picture_count_chars(text) > room;
	}
	if (lines->cut)
		text.len = length_of(text, room > 1 ? room - 1 : 1);
	lines->line[0] = text;
	return true;
}
