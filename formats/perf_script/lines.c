/*
 * lines.c - parses blocks of lines, in threads.
 *
 * Nearly all lines are frames that begin with a tab. The kind of other lines
 * depends on earlier lines: read.c decides it, and parses these rare lines.
 */
#include <stdlib.h>

#include "perf_script.h"

static bool
grow(struct perf_lines *lines)
{
	return cg_grow_raw(&lines->line, &lines->line_cap, lines->lines + 1,
		   sizeof(*lines->line)) &&
	       cg_grow_raw(&lines->step, &lines->step_cap, lines->steps + 1,
		   sizeof(*lines->step)) &&
	       cg_grow_raw(&lines->head, &lines->head_cap, lines->heads + 1,
		   sizeof(*lines->head));
}

/*
 * Parses a line as a frame, and appends it to lines->step, which has room. Its
 * function is 0 unless an earlier block has added it. False: no frame, and
 * nothing is appended.
 */
static bool
parse_frame(struct perf_lines *lines, const struct cg_known_fns *fns,
    struct cg_slice text)
{
	struct perf_frame frame;

	if (!perf_script_take_frame(text, &frame))
		return false;
	lines->step[lines->steps++] = (struct perf_step){ .ip = frame.ip,
		.fn = perf_script_has_name(&frame)
			  ? cg_find_known_fn(fns, frame.name, frame.object)
			  : 0,
		.marked = frame.inlined };
	return true;
}

/*
 * Parses a line without knowing earlier ones, and appends it with its kind to
 * *lines, which has room. The kind is PERF_OTHER if earlier lines have to
 * decide.
 */
static void
parse_line(struct perf_lines *lines, const struct cg_known_fns *fns,
    struct cg_slice text)
{
	struct perf_line *line = &lines->line[lines->lines++];

	while (text.len > 0 && (text.ptr[text.len - 1] == '\r' ||
				   text.ptr[text.len - 1] == ' '))
		text.len--;
	*line =
	    (struct perf_line){ text.ptr, (uint32_t)text.len, PERF_OTHER, 0 };
	if (text.len == 0)
		return;
	if (*text.ptr == '\t') {
		if (!parse_frame(lines, fns, text))
			return;
		line->kind = PERF_FRAME;
		line->i = (lines->steps - 1) & 0x3fffffff;
	} else if (perf_script_take_head(text, &lines->head[lines->heads])) {
		line->kind = PERF_HEAD;
		line->i = lines->heads++ & 0x3fffffff;
	}
}

bool
perf_script_parse(const void *arg, struct cg_text *text)
{
	struct perf_lines *lines = text->own;
	struct cg_slice rest = text->text, line;

	lines->lines = lines->steps = lines->heads = 0;
	while (cg_take_line(&rest, &line)) {
		if (!grow(lines))
			return false;
		parse_line(lines, arg, line);
	}
	return true;
}

void
perf_script_close(void *own)
{
	struct perf_lines *lines = own;

	free(lines->line);
	free(lines->step);
	free(lines->head);
}
