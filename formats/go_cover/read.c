/*
 * read.c - reads cover profiles, also those that were merged.
 *
 * Blocks of a file may come in any order and between blocks of other files,
 * and a block may be repeated for each package whose tests ran it. So all
 * blocks are collected, at 32 bytes each, and sorted. A pass over the blocks
 * of a file keeps the blocks that contain the current line in a heap; the
 * largest count is the count of the line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "go_cover.h"

/*
 * A block covers lines without listing them. A profile may have one line for
 * each of its bytes plus this number: real blocks have a few lines in 40
 * bytes.
 */
#define LINES_MORE ((uint64_t)1 << 20)

struct block {
	cg_file file;
	uint32_t line, column, last, last_column;
	uint32_t statements;
	uint64_t count;
};

enum mode { NONE, SET, COUNT };

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	enum mode mode;
	struct cg_slice name; /* name of the last file, in the current text */
	cg_file file;
	CG_ARRAY(struct block) block;
	bool unsorted;
	CG_ARRAY(size_t) heap; /* blocks of a file, the largest count first */
	uint64_t lines;        /* added so far */
	uint32_t statements;   /* of the last region, and its label; 0: none */
	cg_name label;
};

/* ---- Lines of text ------------------------------------------------------ */

static bool
take_mode(struct reader *r, struct cg_slice text)
{
	const char *at = text.ptr;
	enum mode mode;

	(void)cg_take_prefix(&text, "mode: ");
	if (cg_equal(text, "set"))
		mode = SET;
	else if (cg_equal(text, "count") || cg_equal(text, "atomic"))
		mode = COUNT;
	else
		return cg_reject_at(r->job, at,
		    "expected 'mode: set', 'mode: count' or 'mode: atomic'");
	if (r->mode != NONE && r->mode != mode)
		return cg_reject_at(r->job, at,
		    "expected 'mode: %s' as before: profiles of other modes "
		    "cannot be merged",
		    r->mode == SET ? "set" : "count");
	r->mode = mode;
	return true;
}

static bool
take_decimal(struct cg_slice *text, uint64_t most, uint64_t *number)
{
	return !cg_starts(*text, "0x") && cg_take_u64(text, number) &&
	       *number <= most;
}

static bool
take_u32(struct cg_slice *text, uint32_t *number)
{
	uint64_t value;

	if (!take_decimal(text, UINT32_MAX, &value))
		return false;
	*number = (uint32_t)value;
	return true;
}

/*
 * Reads the numbers of a block, "12.34,56.7 2 1": first line and column, last
 * line and column, statements, count. False: malformed.
 */
static bool
take_numbers(struct cg_slice text, struct block *block)
{
	return take_u32(&text, &block->line) && cg_take_char(&text, '.') &&
	       take_u32(&text, &block->column) && cg_take_char(&text, ',') &&
	       take_u32(&text, &block->last) && cg_take_char(&text, '.') &&
	       take_u32(&text, &block->last_column) &&
	       cg_take_char(&text, ' ') &&
	       take_u32(&text, &block->statements) &&
	       cg_take_char(&text, ' ') &&
	       take_decimal(&text, INT64_MAX, &block->count) && text.len == 0;
}

/*
 * Orders blocks for qsort() by file and position; returns 0 for blocks of the
 * same position, which are merged.
 */
static int
compare_blocks(const void *pa, const void *pb)
{
	const struct block *a = pa, *b = pb;

	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	if (a->last != b->last)
		return a->last < b->last ? -1 : 1;
	return (a->last_column > b->last_column) -
	       (a->last_column < b->last_column);
}

static bool
take_block(struct reader *r, struct cg_slice text)
{
	struct cg_slice name = text, numbers;
	struct block block;

	while (name.len > 0 && name.ptr[name.len - 1] != ':')
		name.len--;
	numbers = (struct cg_slice){ text.ptr + name.len, text.len - name.len };
	if (name.len < 2 || !take_numbers(numbers, &block))
		return cg_reject_at(r->job, numbers.ptr,
		    "expected 'FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT'");
	if (block.line == 0 || block.last < block.line)
		return cg_reject_at(r->job, numbers.ptr,
		    "expected lines from 1, the last not before the first");
	name.len--;
	if (r->name.len != name.len ||
	    memcmp(r->name.ptr, name.ptr, name.len) != 0)
		r->file = cg_add_file(r->build, name);
	r->name = name;
	block.file = r->file;
	if (r->block.n > 0 &&
	    compare_blocks(&r->block.at[r->block.n - 1], &block) > 0)
		r->unsorted = true;
	return cg_append(r->job, &r->block, block);
}

static bool
take_text(struct reader *r, struct cg_slice text)
{
	struct cg_slice line;

	r->name = (struct cg_slice){ text.ptr, 0 };
	while (cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (line.len == 0)
			continue;
		if (r->mode == NONE || cg_starts(line, "mode: ")) {
			if (!take_mode(r, line))
				return false;
		} else if (!take_block(r, line)) {
			return false;
		}
	}
	return true;
}

/* ---- Blocks ------------------------------------------------------------- */

/*
 * Merges adjacent blocks with the same position: adds their counts or, in mode
 * set, combines them by "or". False: their numbers of statements differ, or a
 * sum is too great (reported).
 */
static bool
merge_blocks(struct reader *r)
{
	struct block *to = r->block.at;

	for (size_t i = 1; i < r->block.n; i++) {
		const struct block *from = &r->block.at[i];

		if (compare_blocks(to, from) != 0) {
			*++to = *from;
			continue;
		}
		if (to->statements != from->statements)
			return cg_reject(r->job,
			    "expected one number of statements of the block "
			    "at %" PRIu32 ".%" PRIu32 ",%" PRIu32 ".%" PRIu32
			    ", not %" PRIu32 " and %" PRIu32,
			    to->line, to->column, to->last, to->last_column,
			    to->statements, from->statements);
		if (r->mode == SET)
			to->count |= from->count;
		else
			to->count += from->count; /* fits in 64 bits */
		if (to->count > INT64_MAX)
			return cg_reject(
			    r->job, "expected counts whose sum is below 2^63");
	}
	r->block.n = r->block.n ? (size_t)(to - r->block.at) + 1 : 0;
	return true;
}

static uint64_t
count_at(const struct reader *r, size_t i)
{
	return r->block.at[r->heap.at[i]].count;
}

static void
swap(struct reader *r, size_t a, size_t b)
{
	size_t block = r->heap.at[a];

	r->heap.at[a] = r->heap.at[b];
	r->heap.at[b] = block;
}

static bool
push(struct reader *r, size_t block)
{
	size_t i = r->heap.n;

	if (!cg_append(r->job, &r->heap, block))
		return false;
	for (; i > 0 && count_at(r, i) > count_at(r, (i - 1) / 2);
	     i = (i - 1) / 2)
		swap(r, i, (i - 1) / 2);
	return true;
}

static void
pop(struct reader *r)
{
	size_t i = 0, child;

	r->heap.at[0] = r->heap.at[--r->heap.n];
	while ((child = 2 * i + 1) < r->heap.n) {
		if (child + 1 < r->heap.n &&
		    count_at(r, child + 1) > count_at(r, child))
			child++;
		if (count_at(r, i) >= count_at(r, child))
			return;
		swap(r, i, child);
		i = child;
	}
}

static bool
add_line(struct reader *r, cg_fn fn, uint64_t line)
{
	const struct block *block = &r->block.at[r->heap.at[0]];
	const struct cg_pos pos = { .file = block->file,
		.line = (uint32_t)line };

	if (++r->lines > cg_in_offset(r->in) + LINES_MORE)
		return cg_reject(r->job,
		    "expected fewer lines in all blocks: at most one for each "
		    "byte of the input");
	return cg_add_cost(r->build, fn, &pos, &block->count, 1);
}

/*
 * Adds a block as a region of the function. The region's label is the number
 * of the block's statements. By this label, the writer recognises blocks of
 * Go. False: the builder has failed.
 */
static bool
add_region(struct reader *r, cg_fn fn, const struct block *block)
{
	char number[16];

	if (block->statements != r->statements || r->label == 0) {
		snprintf(number, sizeof(number), "%" PRIu32, block->statements);
		r->label = cg_add_name(r->build, cg_slice(number));
		r->statements = block->statements;
	}
	return cg_add_region(r->build, fn,
	    &(struct cg_region){ .file = block->file,
		.line = block->line,
		.column = block->column,
		.last = block->last,
		.last_column = block->last_column,
		.label = r->label,
		.count = (int64_t)block->count });
}

/*
 * Adds the lines and regions of blocks i to end - 1 of one file, sorted by
 * position. A line has the largest count of the blocks that cover it. False:
 * an error (reported).
 */
static bool
add_file(struct reader *r, size_t i, size_t end)
{
	cg_fn fn = cg_add_fn(r->build, cg_slice(""), r->block.at[i].file, 0);
	uint64_t line = 0;

	for (size_t j = i; j < end && cg_wants_rows(r->build, CG_REGIONS);
	     j++) {
		if (!add_region(r, fn, &r->block.at[j]))
			return false;
	}
	r->heap.n = 0;
	while (i < end || r->heap.n > 0) {
		if (r->heap.n == 0)
			line = r->block.at[i].line;
		for (; i < end && r->block.at[i].line <= line; i++) {
			/* After a gap, line is the next block's first line. */
			if (r->block.at[i].last >= line && !push(r, i))
				return false;
		}
		while (r->heap.n > 0 && r->block.at[r->heap.at[0]].last < line)
			pop(r);
		if (r->heap.n > 0 && !add_line(r, fn, line++))
			return false;
	}
	return true;
}

static bool
add_files(struct reader *r)
{
	if (r->unsorted)
		qsort(r->block.at, r->block.n, sizeof(*r->block.at),
		    compare_blocks);
	if (!merge_blocks(r))
		return false;
	for (size_t i = 0, end; i < r->block.n; i = end) {
		for (end = i + 1; end < r->block.n &&
				  r->block.at[end].file == r->block.at[i].file;)
			end++;
		if (!add_file(r, i, end))
			return false;
	}
	return true;
}

int
go_cover_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };
	struct reader r = { .job = job, .in = in, .build = build };
	struct cg_slice text;
	bool ok = true;

	(void)cg_add_event(build, &event);
	while (ok && cg_read_block(in, &text))
		ok = take_text(&r, text);
	if (ok && cg_in_status(in) == CG_OK && cg_in_unterminated(in))
		cg_warn(job, "the last line has no end: the file may be "
			     "truncated");
	if (ok && cg_in_status(in) == CG_OK)
		(void)add_files(&r);
	return cg_in_status(in); /* the job has kept other errors */
}
