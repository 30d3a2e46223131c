/*
 * lines.c - cuts blocks of text into lines and lines into frames, in threads.
 *
 * Consecutive lines usually share their first frames, so only the frames after
 * the common ones are listed.
 */
#include <stdlib.h>
#include <string.h>

#include "folded.h"

/* Number of frames in a block of short frames. */
#define FRAMES_KEPT ((size_t)128 << 10)

/*
 * Returns the number of equal bytes at the begin of a and b. Compares 8 bytes
 * at once.
 */
static size_t
common_prefix(struct cg_slice a, struct cg_slice b)
{
	size_t n = a.len < b.len ? a.len : b.len, i = 0;
	uint64_t x, y;

	for (; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, a.ptr + i, sizeof(x));
		memcpy(&y, b.ptr + i, sizeof(y));
		if (x != y)
			break;
	}
	while (i < n && a.ptr[i] == b.ptr[i])
		i++;
	return i;
}

/*
 * Finds the frames that begin both the last stack and the stack in "text".
 * They need not be parsed again. lines->end lists where the frames of the last
 * stack end. Shortens this list to the common frames.
 */
static void
keep_common(
    struct folded_lines *lines, struct cg_slice last, struct cg_slice text)
{
	size_t same = common_prefix(last, text);

	for (; lines->ends > 0; lines->ends--) {
		size_t end = lines->end[lines->ends - 1];

		if (end < same ||
		    (end == same && (end == text.len || text.ptr[end] == ';')))
			break;
	}
}

static bool
push_frame(struct folded_lines *lines, const struct folded_input *input,
    struct cg_slice text, size_t at, size_t end)
{
	struct cg_slice name = { text.ptr + at, end - at };
	unsigned note;
	cg_fn fn = 0;

	if (!cg_grow_raw(&lines->frame, &lines->frame_cap, lines->frames + 1,
		sizeof(*lines->frame)) ||
	    !cg_grow_raw(&lines->end, &lines->end_cap, lines->ends + 1,
		sizeof(*lines->end)))
		return false;
	lines->end[lines->ends++] = (uint32_t)end;
	/* Blanks before the count are not part of the leaf. */
	name = cg_trim(name);
	note = folded_take_note(&name);
	if (input->fns)
		fn = cg_find_known_fn(
		    input->fns, name, cg_slice(folded_notes[note].object));
	lines->frame[lines->frames++] =
	    (struct folded_frame){ .begin = (uint32_t)(name.ptr - text.ptr),
		    .len = (unsigned)name.len & 0x3fffffff,
		    .note = note & 3,
		    .fn = fn };
	return true;
}

/*
 * Appends the frames of a stack to lines->frame, except those shared with the
 * last stack (line->keep). Sets line->frame and line->frames to the index and
 * number of the others. False: out of memory.
 */
static bool
take_frames(struct folded_lines *lines, const struct folded_input *input,
    struct folded_line *line, struct cg_slice last, struct cg_slice text)
{
	size_t at = 0, end;

	keep_common(lines, last, text);
	line->frame = lines->frames;
	line->keep = (uint32_t)lines->ends;
	if (lines->ends > 0)
		at = lines->end[lines->ends - 1] + (size_t)1;
	for (; at <= text.len; at = end + 1) {
		const char *sep = memchr(text.ptr + at, ';', text.len - at);

		end = sep ? (size_t)(sep - text.ptr) : text.len;
		if (!push_frame(lines, input, text, at, end))
			return false;
	}
	line->frames = (uint32_t)(lines->frames - line->frame);
	return true;
}

/*
 * Removes the counts from the end of *text, and stores them in count[]. A
 * stack has one count for each column of the input, or Austin's metrics.
 * False: the line is not a stack. *text may then have lost some counts.
 */
static bool
take_counts(struct folded_count *count, const struct folded_input *input,
    struct cg_slice *text)
{
	if (input->austin != FOLDED_PLAIN)
		return folded_take_metrics(text, input->austin, count) &&
		       folded_austin_head(*text).len > 0;
	for (size_t i = input->columns; i-- > 0;) {
		if (!folded_take_count(text, &count[i]))
			return false;
	}
	return true;
}

bool
folded_parse(const void *arg, struct cg_text *block)
{
	const struct folded_input *input = arg;
	const size_t columns = input->columns;
	struct folded_lines *lines = block->own;
	struct cg_slice rest = block->text, last = { "", 0 }, text;
	struct folded_line *line;

	lines->lines = lines->frames = lines->counts = lines->ends = 0;
	while (cg_take_line(&rest, &text)) {
		if (!cg_grow_raw(&lines->line, &lines->line_cap,
			lines->lines + 1, sizeof(*line)) ||
		    !cg_grow_raw(&lines->count, &lines->count_cap,
			lines->counts + columns, sizeof(*lines->count)))
			return false;
		line = &lines->line[lines->lines++];
		*line =
		    (struct folded_line){ folded_trim_line(text), 0, 0, 0, 0 };
		text = line->text;
		if (text.len == 0 || cg_starts(text, "# ") ||
		    !take_counts(&lines->count[lines->counts], input, &text) ||
		    text.len == 0)
			continue;
		if (!take_frames(lines, input, line, last, text))
			return false;
		line->stack = text.len;
		lines->counts += columns;
		last = text;
	}
	return true;
}

void
folded_trim(struct folded_lines *lines)
{
	if (lines->frame_cap <= FRAMES_KEPT)
		return;
	free(lines->frame);
	free(lines->end);
	lines->frame = NULL;
	lines->end = NULL;
	lines->frame_cap = lines->end_cap = 0;
}

void
folded_close(void *own)
{
	struct folded_lines *lines = own;

	free(lines->line);
	free(lines->frame);
	free(lines->count);
	free(lines->end);
}
