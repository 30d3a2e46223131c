/*
 * frames.c - keeps frames until the count of their stack is known.
 */
#include <string.h>

#include "stack_text.h"

bool
text_push_frame(struct text_frames *frames, const struct text_frame *frame)
{
	struct text_frame *new = cg_push(frames->job, &frames->frame);

	if (!new)
		return false;
	*new = *frame;
	return cg_build_status(frames->build) == CG_OK;
}

bool
text_add_frame(struct text_frames *frames, struct cg_slice name,
    struct cg_slice object, uint64_t addr)
{
	struct text_frame frame = { .pos = { .addr = addr } };

	cg_name symbol = cg_add_name(frames->build, name);

	frame.fn = cg_add_fn_named(frames->build,
	    cg_add_demangled(frames->build, symbol), 0,
	    cg_add_object(frames->build, object));
	return text_push_frame(frames, &frame);
}

bool
text_is_unnamed(struct cg_slice name)
{
	return cg_starts(name, "0x") || cg_equal(name, "[unknown]") ||
	       cg_equal(name, "???");
}

bool
text_add_unnamed(struct text_frames *frames, struct cg_slice name,
    struct cg_slice object, uint64_t addr)
{
	struct cg_stack found[CG_FRAME_MAX];
	size_t n;

	if (!frames->space)
		frames->space = cg_space_new(frames->job, frames->build);
	if (!frames->space)
		return false;
	n = cg_space_text(frames->space, object, addr, found);
	for (size_t i = 0; i < n; i++) {
		const struct text_frame frame = { found[i].fn, found[i].pos,
			found[i].inlined };

		if (!text_push_frame(frames, &frame))
			return false;
	}
	return n > 0 || text_add_frame(frames, name, object, addr);
}

cg_node
text_take_node(struct text_frames *frames)
{
	cg_node node = 0;

	while (frames->frame.n > 0) {
		const struct text_frame *frame =
		    &frames->frame.at[--frames->frame.n];

		node = cg_add_frame(frames->build, node, frame->fn, &frame->pos,
		    frame->inlined);
	}
	return node;
}

bool
text_end_stack(struct text_frames *frames, uint64_t cost, const char *none)
{
	const struct cg_slice nowhere = { "", 0 };
	cg_node node;

	if (frames->frame.n == 0 &&
	    !text_add_frame(frames, cg_slice(none), nowhere, 0))
		return false;
	node = text_take_node(frames);
	cg_add_stack(frames->build, node, cost,
	    cg_columns_of(frames->build, &cost),
	    cg_columns_width(frames->build));
	return cg_build_status(frames->build) == CG_OK;
}

const struct cg_event text_samples = { .name = "samples",
	.long_name = "Samples" };

bool
text_read(struct cg_job *job, struct cg_in *in, struct cg_build *build,
    const struct cg_event *event,
    bool (*take)(void *reader, struct cg_slice line), void *reader)
{
	struct cg_slice line;

	(void)cg_add_column(build, event);
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take(reader, line))
			return false;
	}
	return cg_in_status(in) == CG_OK && cg_rejected(job) == CG_OK;
}

int
text_status(struct cg_job *job, struct cg_build *build)
{
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

bool
text_cut_offset(struct cg_slice *text)
{
	struct cg_slice digits = *text;
	size_t at = text->len;
	uint64_t offset;

	while (at > 0 && text->ptr[at - 1] != '+')
		at--;
	if (at < 2)
		return false;
	digits.ptr += at;
	digits.len -= at;
	if (!cg_get_u64(digits, &offset))
		return false;
	text->len = at - 1;
	return true;
}
