/*
 * list.c - reads the intermediate text: a list of functions, line
 * counts and branches for each file.
 *
 * Counts of one line that stand there more than once add up (instances of a
 * template). A line belongs to the function that began last before it, where
 * that is one and, if its end is said, has not ended.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov_text.h"

/* So few new functions are put where they belong, more are sorted. */
#define FEW 16

struct begun {
	uint32_t first, last; /* last 0: not known */
	cg_fn fn;
};

struct reader {
	struct gcovtext *text;
	struct begun *begun; /* functions of the file, by first line: */
	size_t ordered;      /* so many of them */
	size_t count, cap;
	uint32_t line, branches; /* of that line */
	int status;
};

static int
fail(struct reader *r, struct cg_slice at, const char *expected)
{
	r->status = cg_fail_at(r->text->job, at.ptr, "expected %s", expected);
	return r->status;
}

/* A line number and the comma behind it. */
static bool
take_number(struct reader *r, struct cg_slice *rest, uint32_t *number)
{
	struct cg_slice at = *rest;
	uint64_t value;

	if (!cg_take_u64(rest, &value) || value > UINT32_MAX ||
	    !cg_take_char(rest, ',')) {
		(void)fail(r, at, "a line number and ','");
		return false;
	}
	*number = (uint32_t)value;
	return true;
}

static bool
take_count(struct reader *r, struct cg_slice *rest, int64_t *count)
{
	if (gcov_text_take_count(rest, count))
		return true;
	(void)fail(r, *rest, "a count");
	return false;
}

/* How many functions of those in order begin on that line or before. */
static size_t
count_begun(const struct reader *r, uint32_t line)
{
	size_t low = 0, high = r->ordered, middle;

	/* Mostly all: they come in order. */
	if (high > 0 && r->begun[high - 1].first <= line)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->begun[middle].first <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
compare_begun(const void *pa, const void *pb)
{
	const struct begun *a = pa, *b = pb;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* Lines may come between functions: a few new ones go where they belong. */
static void
put_in_order(struct reader *r)
{
	struct begun moved;
	size_t at;

	if (r->count - r->ordered > FEW) {
		qsort(r->begun, r->count, sizeof(*r->begun), compare_begun);
		r->ordered = r->count;
	}
	for (; r->ordered < r->count; r->ordered++) {
		moved = r->begun[r->ordered];
		at = count_begun(r, moved.first);
		memmove(r->begun + at + 1, r->begun + at,
		    (r->ordered - at) * sizeof(moved));
		r->begun[at] = moved;
	}
}

/* function:LINE,[END,]COUNT,NAME */
static void
take_function(struct reader *r, struct cg_slice rest)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_pos entry = { .file = r->text->file };
	struct begun begun = { 0 };
	struct cg_slice more;
	int64_t count, end;

	if (!take_number(r, &rest, &begun.first) ||
	    !take_count(r, &rest, &count))
		return;
	more = rest;
	/* A name does not begin with a digit. */
	if (cg_take_char(&more, ',') && gcov_text_take_count(&more, &end) &&
	    cg_starts(more, ",")) {
		if (count > 0 && count <= UINT32_MAX)
			begun.last = (uint32_t)count;
		count = end;
		rest = more;
	}
	if (!cg_take_char(&rest, ',') || rest.len == 0) {
		(void)fail(r, rest, "',' and the function's name");
		return;
	}
	begun.fn = gcov_text_fn(r->text, rest);
	cg_set_fn_range(r->text->build, begun.fn,
	    &(struct cg_range){ .first = begun.first, .last = begun.last });
	entry.line = begun.first;
	if (count >= 0)
		(void)cg_add_call(r->text->build, 0, &nowhere, begun.fn, &entry,
		    (uint64_t)count, NULL, 0);
	if (cg_grow_raw(&r->begun, &r->cap, r->count + 1, sizeof(begun)))
		r->begun[r->count++] = begun;
	else
		r->status = cg_nomem(r->text->job);
}

static cg_fn
find_fn(struct reader *r, uint32_t line)
{
	size_t low;

	put_in_order(r);
	low = count_begun(r, line);
	if (low == 0 ||
	    (low > 1 && r->begun[low - 2].first == r->begun[low - 1].first) ||
	    (r->begun[low - 1].last != 0 && r->begun[low - 1].last < line))
		return r->text->nameless;
	return r->begun[low - 1].fn;
}

/* lcount:LINE,COUNT[,UNEXECUTED] */
static void
take_lcount(struct reader *r, struct cg_slice rest)
{
	struct gcov_text_line line = { 0 };
	int64_t unexecuted = 0;

	if (!take_number(r, &rest, &line.number) ||
	    !take_count(r, &rest, &line.count))
		return;
	if (rest.len > 0 &&
	    (!cg_take_char(&rest, ',') ||
		!gcov_text_take_count(&rest, &unexecuted) || rest.len > 0)) {
		(void)fail(r, rest, "',' and 0 or 1, or the end of the line");
		return;
	}
	line.fn = find_fn(r, line.number);
	line.unexecuted = unexecuted != 0;
	gcov_text_add(r->text, &line);
	r->line = line.number;
	r->branches = 0;
}

/* branch:LINE,taken|nottaken|notexec */
static void
take_branch(struct reader *r, struct cg_slice rest)
{
	struct cg_branch row = { .pos.file = r->text->file,
		.kind = CG_BRANCH_ARC };

	if (!take_number(r, &rest, &row.pos.line))
		return;
	if (row.pos.line != r->line)
		r->branches = 0;
	r->line = row.pos.line;
	row.index = r->branches++;
	row.count = cg_equal(rest, "taken");
	if (row.count > 0 || cg_equal(rest, "nottaken"))
		row.flags = CG_BRANCH_REACHED;
	else if (!cg_equal(rest, "notexec"))
		(void)fail(r, rest, "taken, nottaken or notexec");
	(void)cg_add_branch(r->text->build, find_fn(r, r->line), &row);
}

static void
take_file(struct reader *r, struct cg_slice rest)
{
	gcov_text_open(r->text, rest);
	r->count = r->ordered = 0;
	r->line = 0;
}

/* What gcov 8 says of itself first. */
static void
take_version(struct reader *r, struct cg_slice rest)
{
	cg_add_desc(r->text->build, cg_slice("Compiler"), rest);
}

static const struct {
	const char *key;
	void (*take)(struct reader *, struct cg_slice rest);
} keys[] = {
	{ "lcount:", take_lcount },
	{ "branch:", take_branch },
	{ "function:", take_function },
	{ "file:", take_file },
	{ "version:", take_version },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

static void
take_line(struct reader *r, struct cg_slice line)
{
	size_t i = 0;

	if (line.len == 0)
		return;
	while (i < KEYS && !cg_take_prefix(&line, keys[i].key))
		i++;
	if (i == KEYS)
		(void)fail(r, line, "file:, function:, lcount: or branch:");
	else if (i < 3 && r->text->file == 0)
		(void)fail(r, line, "file: first");
	else
		keys[i].take(r, line);
}

int
gcov_text_read_list(struct gcovtext *text, struct cg_slice line)
{
	struct reader r = { .text = text };

	do {
		text->bytes += line.len + 1;
		take_line(&r, line);
	} while (r.status == CG_OK && cg_build_status(text->build) == CG_OK &&
		 cg_read_line(text->in, &line));
	if (r.status == CG_OK)
		gcov_text_end(text);
	free(r.begun);
	return r.status != CG_OK ? r.status
				 : cg_build_failed(text->build, line.ptr);
}
