/*
 * put.c - writes lines, their annotations, and summaries of functions.
 */
#include <string.h>

#include "write.h"

/* ---- Branches, calls, conditions ---------------------------------------- */

/*
 * Writes the annotation for a branch or call of a line, as gcov does. It has
 * the word "branch" or "call", the number, how often the branch was taken or
 * the call returned, and the kind of the branch. A kind is, for example,
 * "(fallthrough)".
 */
static void
put_arc(
    struct gcov_text_writer *w, const struct cg_branch *row, unsigned number)
{
	bool call = row->kind == CG_BRANCH_CALL;
	bool ran = row->flags & CG_BRANCH_REACHED;

	cg_putf(w->out, call ? "call   %2u " : "branch %2u ", number);
	if (!ran)
		cg_puts(w->out, "never executed");
	else
		cg_putf(w->out, call ? "returned %lld" : "taken %lld",
		    (long long)row->count);
	/* Until gcc 12, gcov writes no kind for branches that never ran. */
	if (!call && (ran || w->version == 0 || w->version >= 1300))
		cg_puts(w->out, row->flags & CG_BRANCH_FALLTHROUGH
				    ? " (fallthrough)"
				: row->flags & CG_BRANCH_THROW ? " (throw)"
							       : "");
	cg_putc(w->out, '\n');
}

/*
 * True if gcov lists the call before the branch. gcov lists by block, then by
 * index. A call precedes the branch with the same index.
 */
static bool
comes_first(const struct cg_branch *call, const struct cg_branch *arc)
{
	return call->block != arc->block ? call->block < arc->block
					 : call->index <= arc->index;
}

/*
 * Writes the branches and calls of one function on a line, merged in gcov's
 * order. Numbers them from "number" on. Returns the number after the last one.
 */
static unsigned
put_arcs(
    struct gcov_text_writer *w, const struct cg_line *line, unsigned number)
{
	const struct cg_branch *arc_end, *call_end;
	const struct cg_branch *arc =
	    cg_line_rows(line, CG_BRANCH_ARC, &arc_end);
	const struct cg_branch *call =
	    cg_line_rows(line, CG_BRANCH_CALL, &call_end);

	while (arc < arc_end || call < call_end) {
		bool is_call = call < call_end &&
			       (arc == arc_end || comes_first(call, arc));

		put_arc(w, is_call ? call++ : arc++, number++);
	}
	return number;
}

static void
put_condition(struct gcov_text_writer *w, const struct cg_branch *row)
{
	bool no_false = row[0].count <= 0, no_true = row[1].count <= 0;

	if (!no_false && !no_true)
		return;
	cg_putf(w->out, "condition %2u not covered (%s%s%s)\n", row->index / 2,
	    no_true ? "true" : "", no_true && no_false ? " " : "",
	    no_false ? "false" : "");
}

static void
put_expressions(struct gcov_text_writer *w, const struct cg_line *line)
{
	const struct cg_branch *end, *next, *row;

	row = cg_line_rows(line, CG_BRANCH_CONDITION, &end);
	for (; row < end; row = next) {
		unsigned covered = 0, outcomes = 0;

		for (next = row; next < end && next->block == row->block;
		     next++) {
			covered += next->count > 0;
			outcomes++;
		}
		cg_putf(w->out, "condition outcomes covered %u/%u\n", covered,
		    outcomes);
		for (; row + 1 < next; row += 2)
			put_condition(w, row);
	}
}

/* ---- Lines -------------------------------------------------------------- */

bool
gcov_text_is_code(const struct cg_line *line)
{
	for (size_t i = 0; !line->has_cost && i < line->branches; i++) {
		if (line->branch[i].kind < CG_BRANCH_PATH)
			return true;
	}
	return line->has_cost;
}

void
gcov_text_sum_line(const struct gcov_text_writer *w, const struct cg_line *line,
    struct gcov_text_sum *sum)
{
	const struct cg_branch *end;
	const struct cg_branch *row = cg_line_rows(line, CG_BRANCH_BLOCK, &end);
	int64_t count =
	    line->n > w->column ? (int64_t)line->cost[w->column] : 0;

	sum->has_code = true;
	if (__builtin_add_overflow(sum->count, count, &sum->count))
		sum->count = count < 0 ? INT64_MIN : INT64_MAX;
	/* Without blocks, the line ran completely if its count is not 0. */
	sum->unexceptional |= row == end;
	sum->unexecuted |= row == end && count == 0;
	for (; row < end; row++) {
		if (row->flags & CG_BRANCH_EXCEPTIONAL)
			continue;
		sum->unexceptional = true;
		sum->unexecuted |=
		    row->count == 0 && !(row->flags & CG_BRANCH_UNMARKED);
	}
}

void
gcov_text_put_line(struct gcov_text_writer *w, const struct gcov_text_sum *sum,
    uint32_t number)
{
	bool mark = sum->unexecuted && (w->version == 0 || w->version >= 800);
	char text[CG_NUMBER_MAX + 1], *end = text;

	if (!sum->has_code)
		*end++ = '-';
	else if (sum->count > 0)
		end = cg_format_i64(end, sum->count);
	if (sum->has_code && sum->count > 0 && mark)
		*end++ = '*';
	*end = '\0';
	if (sum->has_code && sum->count <= 0)
		strcpy(text, sum->unexceptional ? "#####" : "=====");
	cg_putf(w->out, "%9s:%5u:", text, number);
	gcov_text_put_source(w, number);
}

void
gcov_text_put_annotations(
    struct gcov_text_writer *w, const struct gcov_text_entry *entry, size_t n)
{
	unsigned number = 0;

	for (size_t i = 0; i < n; i++)
		number = put_arcs(w, &entry[i].line, number);
	for (size_t i = 0; i < n; i++)
		put_expressions(w, &entry[i].line);
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Writes a percentage as gcov does: computed in float, without decimals; 0%
 * only if part or whole is 0.
 */
static void
put_percent(struct gcov_text_writer *w, int64_t part, int64_t whole)
{
	float ratio = 0;

	if (whole != 0)
		ratio = 100.0f * (float)part / (float)whole;
	if (ratio > 0.0f && ratio < 0.5f)
		ratio = 1.0f;
	cg_putf(w->out, "%.0f%%", (double)ratio);
}

/*
 * Writes a percentage as llvm-cov does: an integer, rounded down; 0% only if
 * part or whole is 0.
 */
static void
put_whole_percent(struct gcov_text_writer *w, int64_t part, int64_t whole)
{
	uint64_t percent = 0;

	if (whole != 0)
		percent = (uint64_t)part * 100 / (uint64_t)whole;
	if (percent == 0 && part != 0 && whole != 0)
		percent = 1;
	cg_putu(w->out, percent);
	cg_putc(w->out, '%');
}

struct cg_slice
gcov_text_symbol(const struct gcov_text_writer *w, cg_fn fn)
{
	struct cg_slice symbol = cg_fn_symbol(w->graph, fn);

	return symbol.len > 0 ? symbol : cg_fn_name(w->graph, fn);
}

/*
 * Writes a function's summary, "function f called ...". Functions of clang on
 * line 0, or after the last line with code, get none, as in llvm-cov
 * (annotateSource() of GCOV.cpp). False: an error (reported).
 */
bool
gcov_text_put_function(struct gcov_text_writer *w, cg_fn fn)
{
	uint32_t exit = w->version == 0 || w->version >= 408 ? 1 : 0;
	void (*put)(struct gcov_text_writer *, int64_t part, int64_t whole);
	struct cg_coverage sum;
	struct cg_range range;
	uint64_t entries = 0;

	if (!cg_get_coverage(w->rows, CG_ALL_PARTS, fn, exit, &sum))
		return false;
	cg_fn_range(w->graph, fn, &range);
	if (sum.marked && (range.first == 0 || range.first > w->last))
		return true;
	put = sum.marked ? put_whole_percent : put_percent;
	(void)cg_fn_entries(w->lines, fn, &entries);
	cg_puts(w->out, "function ");
	(void)cg_put_inline(w->out, gcov_text_symbol(w, fn));
	cg_puts(w->out, " called ");
	if (sum.entered)
		cg_putf(w->out, "%lld", (long long)sum.entries);
	else
		cg_putu(w->out, entries);
	if (sum.entered && sum.blocks > 0) {
		if (sum.returned) {
			cg_puts(w->out, " returned ");
			put(w, sum.returns, sum.entries);
		}
		cg_puts(w->out, " blocks executed ");
		put(w, (int64_t)sum.executed, (int64_t)sum.blocks);
	} else {
		/* Without blocks: the percentages from the input, if any. */
		(void)cg_put_inline(
		    w->out, cg_branch_label(w->graph,
				&(struct cg_branch){ .label = sum.label }));
	}
	cg_putc(w->out, '\n');
	if (sum.paths > 0)
		cg_putf(w->out, "paths covered %llu of %llu\n",
		    (unsigned long long)sum.paths_covered,
		    (unsigned long long)sum.paths);
	return true;
}
