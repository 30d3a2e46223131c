/*
 * read.c - reads callgrind files.
 */
#include <string.h>

#include "number.h"

static void
read_blocks(struct callgrind_reader *r, struct cg_in *in)
{
	struct cg_slice block;
	bool first = true;

	while (r->status == CG_OK && cg_read_block(in, &block)) {
		/* Some editors write a byte order mark. */
		if (first)
			(void)cg_take_prefix(&block, "\xef\xbb\xbf");
		first = false;
		r->has_nul = memchr(block.ptr, '\0', block.len) != NULL;
		callgrind_read_range(r, block.ptr, block.ptr + block.len);
		if (cg_build_status(r->build) != CG_OK)
			r->status = cg_build_failed(r->build, r->at);
	}
}

static void
read_lines(struct callgrind_reader *r, struct cg_in *in)
{
	read_blocks(r, in);
	r->at = NULL;
	if (r->status != CG_OK || cg_in_status(in) != CG_OK)
		return;
	if (r->expect != EXPECT_COST)
		r->status = cg_fail(r->job,
		    "expected a cost line, but the file ends: truncated");
	else if (r->events == 0)
		r->status =
		    cg_fail(r->job, "expected 'events:', but the file ends: "
				    "truncated, or no callgrind file");
	else
		callgrind_begin_part(r);
	callgrind_end_part(r);
}

int
callgrind_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct callgrind_reader r = {
		.job = job, .build = build, .in_header = true, .line = true
	};

	if (callgrind_begin_names(&r))
		read_lines(&r, in);
	return r.status;
}
