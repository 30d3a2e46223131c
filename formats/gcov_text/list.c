/*
 * list.c - reads lists of gcov -i: functions, counts of lines and branches of
 * each file.
 *
 * Several counts of one line (instances of a template) are summed. A line
 * belongs to the last function that began before it, unless another function
 * began on the same line as that one, or that function has ended.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov_text.h"

/* Up to this many new functions are inserted one by one; more are sorted. */
#define INSERT_MAX 16

struct listed_fn {
	uint32_t first, last; /* last 0: unknown */
	cg_fn fn;
};

struct reader {
	struct gcov_text *text;
	CG_ARRAY(struct listed_fn) fn; /* functions of the file */
	size_t sorted;                 /* number of them sorted by first line */
	uint32_t line, branches;       /* last line, its branches so far */
};

static bool
reject(struct reader *r, struct cg_slice at, const char *expected)
{
	(void)cg_reject_at(r->text->job, at.ptr, "expected %s", expected);
	return false;
}

/*
 * Removes a line number and the comma after it from the begin of *rest, and
 * stores the number in *number. False: rejected (reported).
 */
static bool
take_number(struct reader *r, struct cg_slice *rest, uint32_t *number)
{
	struct cg_slice at = *rest;
	uint64_t value;

	if (!cg_take_u64(rest, &value) || value > UINT32_MAX ||
	    !cg_take_char(rest, ','))
		return reject(r, at, "a line number and ','");
	*number = (uint32_t)value;
	return true;
}

static bool
take_count(struct reader *r, struct cg_slice *rest, int64_t *count)
{
	return gcov_text_take_count(rest, count) || reject(r, *rest, "a count");
}

/*
 * Returns how many of the file's functions, which are sorted, begin on the
 * line or before it.
 */
static size_t
count_begun(const struct reader *r, uint32_t line)
{
	size_t low = 0, high = r->sorted, middle;

	/* Most lists have functions in order, so all of them have begun. */
	if (high > 0 && r->fn.at[high - 1].first <= line)
		return high;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->fn.at[middle].first <= line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
compare_fns(const void *pa, const void *pb)
{
	const struct listed_fn *a = pa, *b = pb;

	return a->first < b->first ? -1 : a->first > b->first;
}

/*
 * Moves the functions that were appended since the last call to their places
 * among the sorted functions. The caller does this for each line, as the list
 * may have lines before functions. So inserts a few functions one by one,
 * without qsort().
 */
static void
sort_fns(struct reader *r)
{
	struct listed_fn moved;
	size_t at;

	if (r->fn.n - r->sorted > INSERT_MAX) {
		qsort(r->fn.at, r->fn.n, sizeof(*r->fn.at), compare_fns);
		r->sorted = r->fn.n;
	}
	for (; r->sorted < r->fn.n; r->sorted++) {
		moved = r->fn.at[r->sorted];
		at = count_begun(r, moved.first);
		memmove(r->fn.at + at + 1, r->fn.at + at,
		    (r->sorted - at) * sizeof(moved));
		r->fn.at[at] = moved;
	}
}

/*
 * Reads function:LINE,[END,]COUNT,NAME. Adds the function to the graph. Unless
 * COUNT is negative, adds COUNT calls of the function by the unknown caller.
 * Appends the function to the list r->fn of the file's functions. False: an
 * error (reported).
 */
static bool
take_function(struct reader *r, struct cg_slice rest)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_pos entry = { .file = r->text->file };
	struct listed_fn fn = { 0 };
	struct cg_slice more;
	int64_t count = 0, end;

	if (!take_number(r, &rest, &fn.first) || !take_count(r, &rest, &count))
		return false;
	more = rest;
	/* A name does not begin with a digit, so a number here is the count. */
	if (cg_take_char(&more, ',') && gcov_text_take_count(&more, &end) &&
	    cg_starts(more, ",")) {
		if (count > 0 && count <= UINT32_MAX)
			fn.last = (uint32_t)count;
		count = end;
		rest = more;
	}
	if (!cg_take_char(&rest, ',') || rest.len == 0)
		return reject(r, rest, "',' and the function's name");
	fn.fn = gcov_text_add_fn(r->text, rest);
	cg_set_fn_range(r->text->build, fn.fn,
	    &(struct cg_range){ .first = fn.first, .last = fn.last });
	entry.line = fn.first;
	if (count >= 0)
		(void)cg_add_call(r->text->build, 0, &nowhere, fn.fn, &entry,
		    (uint64_t)count, NULL, 0);
	return cg_append(r->text->job, &r->fn, fn);
}

/*
 * Returns the function that a line belongs to: the last one that begins on it
 * or before. It is the file's nameless function if there is none, if it has
 * ended, or if two begin together.
 */
static cg_fn
find_fn(struct reader *r, uint32_t line)
{
	size_t n;

	sort_fns(r);
	n = count_begun(r, line);
	if (n == 0 ||
	    (n > 1 && r->fn.at[n - 2].first == r->fn.at[n - 1].first) ||
	    (r->fn.at[n - 1].last != 0 && r->fn.at[n - 1].last < line))
		return r->text->nameless;
	return r->fn.at[n - 1].fn;
}

/*
 * Reads lcount:LINE,COUNT[,UNEXECUTED], and adds the line to the function it
 * belongs to. False: rejected (reported).
 */
static bool
take_lcount(struct reader *r, struct cg_slice rest)
{
	struct gcov_text_line line = { 0 };
	int64_t unexecuted = 0;

	if (!take_number(r, &rest, &line.number) ||
	    !take_count(r, &rest, &line.count))
		return false;
	if (rest.len > 0 &&
	    (!cg_take_char(&rest, ',') ||
		!gcov_text_take_count(&rest, &unexecuted) || rest.len > 0))
		return reject(
		    r, rest, "',' and 0 or 1, or the end of the line");
	line.fn = find_fn(r, line.number);
	line.unexecuted = unexecuted != 0;
	gcov_text_add_line(r->text, &line);
	r->line = line.number;
	r->branches = 0;
	return true;
}

/*
 * Reads branch:LINE,taken|nottaken|notexec. Adds the branch to the function
 * that its line belongs to. The index of the branch is its position among the
 * branches of the line. False: an error (reported).
 */
static bool
take_branch(struct reader *r, struct cg_slice rest)
{
	struct cg_branch row = { .pos.file = r->text->file,
		.kind = CG_BRANCH_ARC };

	if (!take_number(r, &rest, &row.pos.line))
		return false;
	if (row.pos.line != r->line)
		r->branches = 0;
	r->line = row.pos.line;
	row.index = r->branches++;
	row.count = cg_equal(rest, "taken");
	if (row.count > 0 || cg_equal(rest, "nottaken"))
		row.flags = CG_BRANCH_REACHED;
	else if (!cg_equal(rest, "notexec"))
		return reject(r, rest, "taken, nottaken or notexec");
	return cg_add_branch(r->text->build, find_fn(r, r->line), &row);
}

static bool
take_file(struct reader *r, struct cg_slice rest)
{
	gcov_text_add_file(r->text, rest);
	r->fn.n = r->sorted = 0;
	r->line = 0;
	return true;
}

/*
 * Reads the first line of a list of gcov 8, the version of gcc, and adds it as
 * a description. Returns true.
 */
static bool
take_version(struct reader *r, struct cg_slice rest)
{
	cg_add_desc(r->text->build, cg_slice("Compiler"), rest);
	return true;
}

/* Keys that become rows of a file come first. */
#define FILE_KEYS 3
static const struct {
	const char *key;
	bool (*take)(struct reader *, struct cg_slice rest);
} keys[] = {
	{ "lcount:", take_lcount },
	{ "branch:", take_branch },
	{ "function:", take_function },
	{ "file:", take_file },
	{ "version:", take_version },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

/*
 * Reads a line of the list; its key says what it is. False: an error was
 * reported, or the builder has failed.
 */
static bool
take_line(struct reader *r, struct cg_slice line)
{
	size_t i = 0;

	if (line.len == 0)
		return true;
	while (i < KEYS && !cg_take_prefix(&line, keys[i].key))
		i++;
	if (i == KEYS)
		return reject(r, line, "file:, function:, lcount: or branch:");
	if (i < FILE_KEYS && r->text->file == 0)
		return reject(r, line, "file: before this line");
	return keys[i].take(r, line) &&
	       cg_build_status(r->text->build) == CG_OK;
}

int
gcov_text_read_list(struct gcov_text *text, struct cg_slice line)
{
	struct reader r = { .text = text };
	bool ok;

	do {
		ok = take_line(&r, line);
	} while (ok && cg_read_line(text->in, &line));
	if (ok)
		gcov_text_end(text);
	if (cg_rejected(text->job) != CG_OK)
		return cg_rejected(text->job);
	return cg_build_failed(text->build, line.ptr);
}
