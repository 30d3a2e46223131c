/*
 * native_frame.c - frames of gdb and of eu-stack, with the lines that continue
 * them:
 *
 *	#3  0x00005604c52b53b7 in box<int>::operator() (this=0x7f) at a.cc:20
 *	#4  0x00007fe8234ed545 in ?? () from /lib/x86_64-linux-gnu/libc.so.6
 *	#5  run (arg=0x0) at a.cc:48
 *	#6  <signal handler called>
 *
 *	#3  0x00005604c52b53b7 - 1 box<int>::operator()() - /tmp/waits
 *	    [2ce00346273e80d6b9328fb3c99e3d4bbfd00eba]@0x5604c52b4000+0x13b6
 *	    /tmp/waits.cc:20:8
 *
 * gdb omits the address of a frame if the frame inside it is inlined code
 * (frame_show_address() in gdb/stack.c), eu-stack repeats it (print_frame() in
 * elfutils' src/stack.c).
 */
#include <string.h>

#include "stack_text.h"

static bool
is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/*
 * Skips the signs of an operator's name, such as "()" or "<<", because they
 * are no brackets. Returns the offset after the signs if the word "operator"
 * ends at the offset "at". Else returns "at".
 */
static size_t
skip_operator(struct cg_slice text, size_t at)
{
	const size_t word = strlen("operator");

	if (at < word || memcmp(text.ptr + at - word, "operator", word) != 0 ||
	    (at > word && is_word(text.ptr[at - word - 1])))
		return at;
	if (text.len - at >= 2 && memcmp(text.ptr + at, "()", 2) == 0)
		return at + 2;
	while (at < text.len && memchr("<>=-", text.ptr[at], 4))
		at++;
	return at;
}

/*
 * Returns the offset of the blank in " (" before a function's arguments. Names
 * of C++ have types in brackets. So this is the first such blank outside of
 * all brackets. Returns text.len if there is none.
 */
static size_t
find_arguments(struct cg_slice text)
{
	size_t depth = 0, at = 0, behind;

	while (at < text.len) {
		behind = skip_operator(text, at);
		if (behind > at) {
			at = behind;
			continue;
		}
		if (depth == 0 && text.ptr[at] == ' ' && at + 1 < text.len &&
		    text.ptr[at + 1] == '(')
			return at;
		if (text.ptr[at] == '(' || text.ptr[at] == '<')
			depth++;
		else if (text.ptr[at] == ')' ||
			 (text.ptr[at] == '>' && at > 0 &&
			     text.ptr[at - 1] != '-'))
			depth -= depth > 0;
		at++;
	}
	return text.len;
}

/*
 * Returns the offset after a quoted text. Its first quote is at the offset
 * "at". Returns text.len if the last quote is missing.
 */
static size_t
skip_quoted(struct cg_slice text, size_t at)
{
	const char quote = text.ptr[at++];

	while (at < text.len && text.ptr[at] != quote)
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

/*
 * Finds the last bracket with " at FILE" or " from OBJECT" behind it. Returns
 * the offset after the bracket; text.len if there is none. This finds the end
 * of arguments whose quotes or brackets do not match.
 */
static size_t
find_place(struct cg_slice text)
{
	for (size_t at = text.len; at > 0; at--) {
		const struct cg_slice rest = { text.ptr + at, text.len - at };

		if (text.ptr[at - 1] == ')' &&
		    (cg_starts(rest, " at ") || cg_starts(rest, " from ")))
			return at;
	}
	return text.len;
}

/*
 * Returns the offset after arguments in brackets. Their first bracket is at
 * the offset "at". Brackets in quotes do not count. If brackets or quotes do
 * not match, returns what find_place() does: the offset after the last bracket
 * before a place.
 */
static size_t
skip_arguments(struct cg_slice text, size_t at)
{
	size_t depth = 0;

	while (at < text.len) {
		switch (text.ptr[at]) {
		case '"':
		case '\'': at = skip_quoted(text, at); continue;
		case '(': depth++; break;
		case ')':
			if (--depth == 0)
				return at + 1;
			break;
		}
		at++;
	}
	return find_place(text);
}

/*
 * Sets *pos or *object from the begin of the text: *pos from " at a.cc:20",
 * *object from " from /lib/libc.so.6". Leaves both as they were for another
 * text.
 */
static void
take_place(struct text_frames *frames, struct cg_slice text,
    struct cg_slice *object, struct cg_pos *pos)
{
	if (cg_take_prefix(&text, " from ")) {
		*object = text;
	} else if (cg_take_prefix(&text, " at ")) {
		if (cg_cut_number(&text, ':', &pos->line))
			pos->file = cg_add_file(frames->build, text);
	}
}

static bool
push(struct text_frames *frames, struct cg_slice name, struct cg_slice object,
    const struct cg_pos *pos)
{
	struct text_frame frame = { .pos = *pos };

	if (name.len == 0 || text_is_unnamed(name) || cg_equal(name, "??"))
		return text_add_unnamed(
		    frames, cg_slice("[unknown]"), object, pos->addr);
	frame.fn = cg_add_fn_named(frames->build,
	    cg_add_demangled(frames->build, cg_add_name(frames->build, name)),
	    pos->file, cg_add_object(frames->build, object));
	return text_push_frame(frames, &frame);
}

/*
 * Appends a frame of gdb to the stack. text: after its number and address. If
 * has_addr is false, the frame before is inlined into this one, which gets its
 * address. Nothing is inlined into a signal handler. False: out of memory
 * (reported).
 */
static bool
add_gdb(struct text_frames *frames, struct cg_slice text, uint64_t addr,
    bool has_addr)
{
	struct cg_slice name = text, object = { "", 0 };
	struct cg_pos pos = { .addr = addr };
	struct text_frame *last =
	    frames->frame.n > 0 ? &frames->frame.at[frames->frame.n - 1] : NULL;
	size_t place;

	if (!cg_starts(text, "<signal handler") && !has_addr && last) {
		last->inlined = true;
		pos.addr = last->pos.addr;
	}
	name.len = find_arguments(text);
	if (name.len < text.len)
		place = skip_arguments(text, name.len + 1);
	else /* some pstack omit them */
		name.len = place = find_place(text);
	text.ptr += place;
	text.len -= place;
	take_place(frames, text, &object, &pos);
	return push(frames, name, object, &pos);
}

/*
 * Sets *pos from the source line of eu-stack -s, "/tmp/waits.cc:20:8" (file,
 * line, column) or without a column. Leaves *pos as it was for other lines.
 */
static void
take_source(
    struct text_frames *frames, struct cg_slice text, struct cg_pos *pos)
{
	uint32_t line, column;

	if (text.len == 0 || *text.ptr == '[' ||
	    !cg_cut_number(&text, ':', &line))
		return;
	column = line;
	pos->line = cg_cut_number(&text, ':', &line) ? line : column;
	pos->file = cg_add_file(frames->build, text);
}

/*
 * Appends a frame of eu-stack to the stack. text: its first line after the
 * address, "- 1 main - /tmp/waits"; more: further lines. Another function
 * before it, with this address, becomes inlined. False: out of memory
 * (reported).
 */
static bool
add_elfutils(struct text_frames *frames, struct cg_slice text, uint64_t addr,
    struct cg_slice more)
{
	struct cg_slice name = cg_trim(text), object = { "", 0 }, line;
	struct cg_pos pos = { .addr = addr };
	const size_t before = frames->frame.n;
	struct text_frame *last;

	if (cg_take_prefix(&name, "- 1"))
		(void)cg_take_blanks(&name);
	for (size_t at = name.len; at >= 2; at--) {
		if (memcmp(name.ptr + at - 2, "- ", 2) != 0 ||
		    (at > 2 && name.ptr[at - 3] != ' '))
			continue;
		object.ptr = name.ptr + at;
		object.len = name.len - at;
		name.len = at - 2;
		break;
	}
	while (cg_take_line(&more, &line))
		take_source(frames, line, &pos);
	if (!push(frames, cg_trim(name), object, &pos))
		return false;
	last = before > 0 ? &frames->frame.at[before - 1] : NULL;
	if (last && last->pos.addr == addr &&
	    last->fn != frames->frame.at[before].fn)
		last->inlined = true;
	return true;
}

bool
text_add_native(struct text_frames *frames, char *text, size_t len)
{
	struct cg_slice rest = { text, len }, line;
	uint64_t addr = 0;
	bool has_addr = cg_starts(rest, "0x") && cg_take_u64(&rest, &addr);

	if (has_addr && !cg_starts(rest, " in")) {
		(void)cg_take_line(&rest, &line);
		return add_elfutils(frames, line, addr, rest);
	}
	/* gdb breaks lines where the terminal ends. */
	for (size_t at = 0; at < len; at++)
		text[at] = text[at] == '\n' ? ' ' : text[at];
	if (has_addr && cg_take_prefix(&rest, " in"))
		(void)cg_take_blanks(&rest);
	return add_gdb(frames, cg_trim(rest), addr, has_addr);
}
