/*
 * patch.c - reads a unified diff: the lines that it adds or changes.
 *
 * Source: "Detailed Description of Unified Format" of GNU diffutils;
 * git-diff(1), "Generating patch text with -p": prefixes of names, C-quoted
 * names, no hunks for renames and binary files.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "coverage/patch.h"

/* ---- Names --------------------------------------------------------------- */

/*
 * Returns the character that a letter after a backslash means in C ('\n' for
 * 'n'); 0: the letter has no such meaning.
 */
static char
plain_char(char letter)
{
	static const char letters[] = "abtnvfr\"\\",
			  plain[] = "\a\b\t\n\v\f\r\"\\";
	const char *at = letter ? strchr(letters, letter) : NULL;

	return at ? plain[at - letters] : '\0';
}

/*
 * Takes the rest of an escape of C off *text, which begins behind the
 * backslash. The rest is one character, such as n or a quote, or three octal
 * digits. Returns the character that the escape means. 0: no such escape, or
 * the digits mean 0 or more than 255.
 */
static char
take_escape(struct cg_slice *text)
{
	unsigned value = 0;
	size_t n = 0;
	char c;

	while (n < 3 && n < text->len && text->ptr[n] >= '0' &&
	       text->ptr[n] <= '7')
		value = value * 8 + (unsigned)(text->ptr[n++] - '0');
	if (n == 3 && value < 256) {
		text->ptr += n;
		text->len -= n;
		return (char)value;
	}
	c = text->len > 0 ? plain_char(*text->ptr) : '\0';
	if (c != '\0')
		(void)cg_take_char(text, *text->ptr);
	return c;
}

/*
 * Sets *name to the text up to the closing quote, or up to its end if there is
 * none. Replaces C escapes, as git quotes file names. The name is valid until
 * the next call. False: an escape is malformed or means NUL, or out of memory
 * (reported).
 */
static bool
unquote(struct cg_patch *patch, struct cg_slice quoted, struct cg_slice *name)
{
	char *to, c;

	if (!cg_grow_raw(&patch->room, &patch->room_cap, quoted.len + 1, 1)) {
		(void)cg_nomem(patch->how->job);
		return false;
	}
	to = patch->room;
	while (quoted.len > 0 && *quoted.ptr != '"') {
		c = *quoted.ptr;
		(void)cg_take_char(&quoted, c);
		if (c == '\\')
			c = take_escape(&quoted);
		if (c == '\0')
			return cg_reject(patch->how->job,
			    "expected a file name in quotes, with "
			    "escapes of C");
		*to++ = c;
	}
	*name = (struct cg_slice){ patch->room, (size_t)(to - patch->room) };
	return true;
}

/*
 * Sets *name to the file name in text, which follows "--- " or "+++ ". Names
 * without quotes end at a tab and point into text; for others see unquote().
 * False: malformed, or out of memory (reported).
 */
static bool
take_name(struct cg_patch *patch, struct cg_slice text, struct cg_slice *name)
{
	if (cg_take_char(&text, '"'))
		return unquote(patch, text, name);
	if (!cg_take_until(&text, '\t', name))
		*name = (struct cg_slice){ "", 0 };
	if (name->len > 0 && name->ptr[name->len - 1] == '\r')
		name->len--;
	return true;
}

/*
 * Returns a file's new name without its first directory, if the old name
 * differs only there. Git writes a/ and b/ there. For a new file, whose old
 * name is /dev/null, git's prefixes are removed.
 */
static struct cg_slice
without_prefix(struct cg_slice name, struct cg_slice old)
{
	struct cg_slice rest = name, before = old, prefix, other;

	if (!cg_take_until(&rest, '/', &prefix) || rest.len == 0)
		return name;
	if (cg_equal(old, "/dev/null"))
		return prefix.len == 1 && strchr("bciow", *prefix.ptr) ? rest
								       : name;
	if (cg_take_until(&before, '/', &other) &&
	    cg_compare(rest, before) == 0 && cg_compare(prefix, other) != 0)
		return rest;
	return name;
}

/* ---- Lines --------------------------------------------------------------- */

/*
 * Sets *line to its text without the sequences ESC [ ... m by which git
 * colours it; valid until the next call. False: out of memory (reported).
 */
static bool
drop_colours(struct cg_patch *patch, struct cg_slice *line)
{
	char *to;

	if (!cg_grow_raw(&patch->plain, &patch->plain_cap, line->len, 1))
		return cg_reject_nomem(patch->how->job);
	to = patch->plain;
	while (line->len > 0) {
		if (!cg_take_prefix(line, "\x1b[")) {
			*to++ = *line->ptr;
			(void)cg_take_char(line, *line->ptr);
			continue;
		}
		while (line->len > 0 && *line->ptr >= ' ' && *line->ptr < '@')
			(void)cg_take_char(line, *line->ptr);
		if (line->len > 0)
			(void)cg_take_char(line, *line->ptr);
	}
	*line = (struct cg_slice){ patch->plain, (size_t)(to - patch->plain) };
	return true;
}

/*
 * Reads the next line of the patch, without colours; false: the end, or an
 * error (reported).
 */
static bool
next_line(struct cg_patch *patch, struct cg_slice *line)
{
	return cg_read_line(patch->in, line) &&
	       (!cg_starts(*line, "\x1b[") || drop_colours(patch, line));
}

/*
 * Records a line that the patch adds to the current file. blank: the line has
 * no text. Lines of removed files, or with numbers above 32 bits, are ignored.
 * False: out of memory.
 */
static bool
add_line(struct cg_patch *patch, uint64_t line, bool blank)
{
	struct cg_patch_lines *last =
	    patch->changes > 0 ? &patch->changed[patch->changes - 1] : NULL;

	if (line > UINT32_MAX || patch->current == 0)
		return true;
	if (last && last->file == patch->current && last->last + 1 == line &&
	    last->blank == blank) {
		last->last++;
		return true;
	}
	if (!cg_grow_raw(&patch->changed, &patch->change_cap,
		patch->changes + 1, sizeof(*last)))
		return false;
	patch->changed[patch->changes++] =
	    (struct cg_patch_lines){ patch->current, (uint32_t)line,
		    (uint32_t)line, blank };
	return true;
}

/*
 * Takes a range of a hunk's header, "12" or "12,3", off text: its first line
 * and its number of lines (1 if missing). False: malformed.
 */
static bool
take_range(struct cg_slice *text, uint64_t *line, uint64_t *count)
{
	*count = 1;
	return cg_take_u64(text, line) &&
	       (!cg_take_char(text, ',') || cg_take_u64(text, count)) &&
	       *line <= UINT32_MAX && *count <= UINT32_MAX;
}

/* True if an added line has no text. */
static bool
is_blank(struct cg_slice line)
{
	return cg_take_char(&line, '+') && cg_trim(line).len == 0;
}

/*
 * Reads a hunk (a block of changed lines) up to its end, and records the lines
 * that it adds. text is the rest of the hunk's header, after "@@ ". False: an
 * error (reported).
 */
static bool
read_hunk(struct cg_patch *patch, struct cg_slice text)
{
	uint64_t old, line, before, after;

	if (!cg_take_char(&text, '-') || !take_range(&text, &old, &before) ||
	    !cg_take_prefix(&text, " +") || !take_range(&text, &line, &after) ||
	    !cg_take_prefix(&text, " @@"))
		return cg_reject(patch->how->job,
		    "expected the lines of a hunk: @@ -1,2 +1,3 @@");
	while (before + after > 0) {
		char kind;

		if (!next_line(patch, &text))
			return cg_reject(patch->how->job,
			    "expected more lines of the hunk: the patch is "
			    "truncated");
		/*
		 * An empty line is an empty context line that some program has
		 * trimmed.
		 */
		kind = text.len == 0 || *text.ptr == '\r' ? ' ' : *text.ptr;
		if (kind == '\\')
			continue;
		if ((kind != ' ' && kind != '-' && kind != '+') ||
		    (kind != '+' && before == 0) || (kind != '-' && after == 0))
			return cg_reject(patch->how->job,
			    "expected a line of the hunk, with ' ', '-' or '+' "
			    "before it, as many as its first line says");
		if (kind == '+' && !add_line(patch, line, is_blank(text)))
			return cg_reject_nomem(patch->how->job);
		before -= kind != '+';
		after -= kind != '-';
		line += kind != '-';
	}
	return true;
}

/*
 * Keeps a file's old name, from the text after "--- ", until its new name is
 * read. False: an error (reported).
 */
static bool
keep_old(struct cg_patch *patch, struct cg_slice text)
{
	struct cg_slice name;

	patch->has_old = take_name(patch, text, &name);
	if (!patch->has_old)
		return false;
	if (!cg_grow_raw(&patch->old, &patch->old_cap, name.len + 1, 1))
		return cg_reject_nomem(patch->how->job);
	if (name.len > 0)
		memcpy(patch->old, name.ptr, name.len);
	patch->old[name.len] = '\0';
	return true;
}

/*
 * Makes the file with the new name in text (after "+++ ") the current one, to
 * which the lines of the next hunks belong; none if the file was removed.
 * False: an error (reported).
 */
static bool
begin_file(struct cg_patch *patch, struct cg_slice text)
{
	struct cg_patch_file *file;
	struct cg_slice name;

	patch->is_diff = true;
	patch->current = 0;
	if (!take_name(patch, text, &name))
		return false;
	if (cg_equal(name, "/dev/null"))
		return true;
	file = cg_patch_add_file(
	    patch, without_prefix(name, cg_slice(patch->old)));
	if (!file)
		return cg_reject_nomem(patch->how->job);
	patch->current = (uint32_t)(file - patch->file) + 1;
	return true;
}

/*
 * Reads a line of the patch that is not in a hunk. If it has the name of a
 * file, records the name. If it begins a hunk, reads the hunk to its end.
 * Ignores other lines. False: an error (reported).
 */
static bool
read_header(struct cg_patch *patch, struct cg_slice line)
{
	bool has_old = patch->has_old;

	patch->has_old = false;
	if (cg_take_prefix(&line, "--- "))
		return keep_old(patch, line);
	if (has_old && cg_take_prefix(&line, "+++ "))
		return begin_file(patch, line);
	if (cg_starts(line, "@@@"))
		return cg_reject(patch->how->job,
		    "expected a diff of two versions, not a combined one: "
		    "compare with one parent");
	/* Hunks of a removed file are read, but ignored. */
	if (patch->is_diff && cg_take_prefix(&line, "@@ "))
		return read_hunk(patch, line);
	if (cg_starts(line, "diff ")) {
		patch->is_diff = true;
		patch->current = 0;
	}
	return true;
}

bool
cg_patch_read(struct cg_patch *patch)
{
	struct cg_slice line;
	bool text = false;

	while (next_line(patch, &line)) {
		text |= line.len > 0;
		if (!read_header(patch, line))
			return false;
	}
	if (cg_in_status(patch->in) != CG_OK)
		return false;
	if (text && !patch->is_diff)
		return cg_reject(patch->how->job,
		    "expected a unified diff, as git diff and diff -u print "
		    "it");
	return true;
}
