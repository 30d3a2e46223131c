/*
 * lines.c - parses blocks of lines, in threads.
 *
 * Nearly all lines are frames that begin with a tab. What other lines are depends
 * on those before them: read.c decides, and parses the rare ones.
 */
#include <stdlib.h>

#include "perf_script.h"

static bool
grow(struct perf_lines *lines)
{
	return cg_grow_raw(&lines->line, &lines->line_cap, lines->lines + 1,
		   sizeof(*lines->line)) &&
	       cg_grow_raw(&lines->frame, &lines->frame_cap, lines->frames + 1,
		   sizeof(*lines->frame)) &&
	       cg_grow_raw(&lines->head, &lines->head_cap, lines->heads + 1,
		   sizeof(*lines->head));
}

/* There is room for one of each kind. */
static void
parse_line(struct perf_lines *lines, struct cg_slice text)
{
	struct perf_line *line = &lines->line[lines->lines++];
	struct perf_frame *frame = &lines->frame[lines->frames];
	struct perf_head *head = &lines->head[lines->heads];

	while (text.len > 0 && (text.ptr[text.len - 1] == '\r' ||
				   text.ptr[text.len - 1] == ' '))
		text.len--;
	line->text = text;
	line->kind = PERF_OTHER;
	if (text.len == 0)
		return;
	if (*text.ptr == '\t') {
		if (!perf_script_take_frame(text, frame))
			return;
		frame->hash = cg_hash_ends(frame->name);
		line->kind = PERF_FRAME;
		line->i = (uint32_t)lines->frames++;
	} else if (perf_script_take_head(text, head)) {
		line->kind = PERF_HEAD;
		line->i = (uint32_t)lines->heads++;
	}
}

bool
perf_script_parse(const void *arg, struct cg_text *text)
{
	struct perf_lines *lines = text->own;
	struct cg_slice rest = text->text, line;

	(void)arg;
	lines->lines = lines->frames = lines->heads = 0;
	while (cg_take_line(&rest, &line)) {
		if (!grow(lines))
			return false;
		parse_line(lines, line);
	}
	return true;
}

void
perf_script_close(void *own)
{
	struct perf_lines *lines = own;

	free(lines->line);
	free(lines->frame);
	free(lines->head);
}
