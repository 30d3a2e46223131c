/*
 * marked_fns.c - functions that GCOVR_EXCL_FUNCTION or GCOVR_EXCL_BR_FUNCTION
 * excludes.
 *
 * Source: gcovr 8.6, "Exclusion Markers" and get_function_exclude_ranges() in
 * src/gcovr/exclusions/utils.py. Here functions at one position are treated as
 * one function; gcovr excludes nothing of a template that has several
 * instances.
 */
#include <stdlib.h>

#include "coverage/marked_fns.h"

struct cg_fn_span {
	cg_file file;
	struct cg_range range;
};

/*
 * From this line on, one range more, or one less, excludes the flags in what.
 */
struct cg_excluded_step {
	uint64_t line; /* may be UINT32_MAX + 1 */
	unsigned what;
	int more; /* 1 or -1 */
};

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

/* ---- Functions ----------------------------------------------------------- */

static int
compare_spans(const void *pa, const void *pb)
{
	const struct cg_fn_span *a = pa, *b = pb;

	if (a->file != b->file)
		return ORDER(a->file, b->file);
	if (a->range.first != b->range.first)
		return ORDER(a->range.first, b->range.first);
	if (a->range.first_column != b->range.first_column)
		return ORDER(a->range.first_column, b->range.first_column);
	return ORDER(b->range.last, a->range.last);
}

static bool
list_spans(struct cg_marked_fns *marked)
{
	size_t fns = cg_fn_count(marked->graph);

	marked->listed = true;
	marked->span = calloc(fns + 1, sizeof(*marked->span));
	if (!marked->span)
		return false;
	for (cg_fn fn = 1; fn <= fns; fn++) {
		struct cg_fn_span *span = &marked->span[marked->spans];

		span->file = cg_fn_file(marked->graph, fn);
		cg_fn_range(marked->graph, fn, &span->range);
		marked->spans += span->file > 0 && span->range.first > 0 &&
				 span->range.last >= span->range.first;
	}
	if (marked->spans > 1)
		qsort(marked->span, marked->spans, sizeof(*marked->span),
		    compare_spans);
	return true;
}

/*
 * Returns the index of the first function of the file that begins on the line
 * or later, by binary search; if there is none, the index after the file's
 * functions.
 */
static size_t
find_span(const struct cg_marked_fns *marked, cg_file file, uint64_t line)
{
	size_t low = 0, high = marked->spans, middle;

	while (low < high) {
		const struct cg_fn_span *span;

		middle = low + (high - low) / 2;
		span = &marked->span[middle];
		if (span->file < file ||
		    (span->file == file && span->range.first < line))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * True if there is a function with index i that is in the file and begins on
 * the line or before it; used to loop over functions from find_span() on.
 */
static bool
begins_by(
    const struct cg_marked_fns *marked, size_t i, cg_file file, uint32_t line)
{
	return i < marked->spans && marked->span[i].file == file &&
	       marked->span[i].range.first <= line;
}

/* ---- Ranges -------------------------------------------------------------- */

static bool
add_piece(
    struct cg_marked_fns *marked, uint64_t first, uint64_t last, unsigned what)
{
	if (first > last)
		return true;
	if (!cg_grow_raw(&marked->piece, &marked->cap, marked->pieces + 1,
		sizeof(*marked->piece)))
		return false;
	marked->piece[marked->pieces++] =
	    (struct cg_excluded_range){ (uint32_t)first, (uint32_t)last, what };
	return true;
}

/*
 * Returns the first line of a function that its marker excludes. As in gcovr,
 * other functions beginning on that line are skipped, with the line after
 * each. The result may be after the function's end: nothing is excluded.
 */
static uint64_t
first_excluded(const struct cg_marked_fns *marked, size_t fn)
{
	const struct cg_fn_span *span = &marked->span[fn];
	uint64_t first = span->range.first;

	for (size_t i = fn + 1;
	     begins_by(marked, i, span->file, span->range.first); i++) {
		const struct cg_range *other = &marked->span[i].range;

		if (other->first_column != span->range.first_column &&
		    first < (uint64_t)other->last + 2)
			first = (uint64_t)other->last + 2;
	}
	return first;
}

/*
 * Adds the lines of function number fn, with the flags `what`, to the excluded
 * ranges; skips the lines of functions inside of it that begin on later lines,
 * such as lambdas. False: out of memory.
 */
static bool
add_function(struct cg_marked_fns *marked, size_t fn, unsigned what)
{
	const struct cg_fn_span *span = &marked->span[fn];
	uint64_t from = first_excluded(marked, fn);
	size_t i =
	    find_span(marked, span->file, (uint64_t)span->range.first + 1);

	while (begins_by(marked, i, span->file, span->range.last)) {
		const struct cg_range *inner = &marked->span[i].range;

		if (!add_piece(marked, from, (uint64_t)inner->first - 1, what))
			return false;
		if (from < (uint64_t)inner->last + 1)
			from = (uint64_t)inner->last + 1;
		i = find_span(marked, span->file, (uint64_t)inner->last + 1);
	}
	return add_piece(marked, from, span->range.last, what);
}

bool
cg_marked_fns_add(struct cg_marked_fns *marked, cg_file file, uint32_t line,
    uint32_t column, unsigned what, bool *found)
{
	*found = false;
	if (!marked->listed && !list_spans(marked))
		return false;
	for (size_t i = find_span(marked, file, line);
	     begins_by(marked, i, file, line); i++) {
		const struct cg_range *range = &marked->span[i].range;

		if (column <= range->first_column ||
		    (range->last == line && range->last_column > 0 &&
			column >= range->last_column))
			continue;
		*found = true;
		return add_function(marked, i, what);
	}
	return true;
}

static int
compare_steps(const void *pa, const void *pb)
{
	const struct cg_excluded_step *a = pa, *b = pb;

	return ORDER(a->line, b->line);
}

static bool
add_steps(struct cg_marked_fns *marked, const struct cg_excluded_range *range,
    size_t n)
{
	if (!cg_grow_raw(&marked->step, &marked->step_cap,
		marked->steps + 2 * n, sizeof(*marked->step)))
		return false;
	for (size_t i = 0; i < n; i++) {
		marked->step[marked->steps++] =
		    (struct cg_excluded_step){ range[i].first, range[i].what,
			    1 };
		marked->step[marked->steps++] =
		    (struct cg_excluded_step){ (uint64_t)range[i].last + 1,
			    range[i].what, -1 };
	}
	return true;
}

#define BITS 4 /* number of flags CG_EXCLUDE_* */

/*
 * Adds the ranges that markers of functions exclude to *excluded, without
 * overlaps. The sorted begins and ends of the ranges divide the lines; flags
 * of overlapping ranges are combined. False: out of memory.
 */
static bool
add_ranges(struct cg_marked_fns *marked, struct cg_excluded *excluded)
{
	size_t open[BITS] = { 0 };
	const struct cg_excluded_step *step = marked->step;

	for (size_t i = 0; i + 1 < marked->steps; i++) {
		struct cg_excluded_range range = { 0 };

		for (unsigned bit = 0; bit < BITS; bit++) {
			if (step[i].what & 1u << bit)
				open[bit] += (size_t)step[i].more;
			range.what |= open[bit] > 0 ? 1u << bit : 0;
		}
		range.first = (uint32_t)step[i].line;
		range.last = (uint32_t)(step[i + 1].line - 1);
		if (range.what != 0 && step[i].line < step[i + 1].line &&
		    !cg_excluded_add(excluded, &range))
			return false;
	}
	return true;
}

bool
cg_marked_fns_merge(struct cg_marked_fns *marked, struct cg_excluded *excluded)
{
	size_t begin = excluded->begin[excluded->done - 1];
	bool ok;

	if (marked->pieces == 0)
		return true;
	marked->steps = 0;
	ok = add_steps(
		 marked, excluded->range + begin, excluded->ranges - begin) &&
	     add_steps(marked, marked->piece, marked->pieces);
	marked->pieces = 0;
	if (!ok)
		return false;
	qsort(
	    marked->step, marked->steps, sizeof(*marked->step), compare_steps);
	excluded->ranges = begin;
	return add_ranges(marked, excluded);
}

void
cg_marked_fns_free(struct cg_marked_fns *marked)
{
	free(marked->span);
	free(marked->piece);
	free(marked->step);
}
