/*
 * read.c - reads callgrind files: texts that threads have parsed, blocks of lines.
 */
#include <string.h>

#include "number.h"

/* ---- Texts --------------------------------------------------------------- */

/* A part may have others than the one that threads know. */
static bool
has_columns(
    const struct callgrind_reader *r, const struct callgrind_columns *columns)
{
	return r->instr == columns->instr && r->line == columns->line &&
	       r->events == columns->events && !r->bb && r->straight;
}

static void
read_text(struct callgrind_reader *r, const struct cg_text *text,
    const struct callgrind_columns *columns)
{
	const struct callgrind_ahead *ahead = text->own;
	const struct callgrind_item *item = ahead->item;
	const char *at = text->text.ptr, *end = at + text->text.len;
	size_t left = cg_stretch_count(ahead->stretches);

	r->has_nul = ahead->has_nul;
	if (r->in_header || !has_columns(r, columns) ||
	    !cg_begin_stretches(r->build, ahead->stretches)) {
		callgrind_read_range(r, at, end);
		return;
	}
	for (size_t i = 0; i + 1 < ahead->items && r->status == CG_OK; i++) {
		const char *from = at + item[i].at, *to = at + item[i + 1].at;

		if (!callgrind_add_item(r, ahead, &item[i],
			(struct cg_slice){ from, (size_t)(to - from) - 1 }))
			callgrind_read_range(r, from, to);
		if (item[i].kind != CALLGRIND_STRETCH || --left > 0)
			continue;
		/* Before a line that may begin another part. */
		if (r->status == CG_OK)
			cg_end_stretches(r->build, ahead->stretches);
	}
}

static void
read_texts(struct callgrind_reader *r, struct cg_in *in)
{
	const struct callgrind_columns columns = { r->instr, r->line,
		r->events };
	const struct cg_texts_how how = { .job = r->job,
		.in = in,
		.own = sizeof(struct callgrind_ahead),
		.arg = &columns,
		.parse = callgrind_parse,
		.close = callgrind_close };
	struct cg_texts *texts = cg_texts_new(&how);
	struct cg_text *text;

	if (!texts)
		r->status = cg_nomem(r->job);
	while (r->status == CG_OK && cg_next_text(texts, &text)) {
		read_text(r, text, &columns);
		if (cg_build_status(r->build) != CG_OK)
			r->status = cg_build_failed(r->build, r->at);
	}
	cg_texts_free(texts);
	if (r->status == CG_OK)
		r->status = cg_rejected(r->job);
}

/* ---- The file ----------------------------------------------------------- */

static void
read_block(struct callgrind_reader *r, struct cg_slice block)
{
	r->has_nul = memchr(block.ptr, '\0', block.len) != NULL;
	callgrind_read_range(r, block.ptr, block.ptr + block.len);
	if (cg_build_status(r->build) != CG_OK)
		r->status = cg_build_failed(r->build, r->at);
}

/* Threads need to know the columns. */
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
		read_block(r, block);
		if (r->status == CG_OK && cg_texts_threads(r->job, in) > 1 &&
		    !r->in_header && r->events > 0 && !r->bb && r->straight &&
		    cg_packs_stretches(r->build, r->events))
			read_texts(r, in);
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
