/*
 * annotations.c - reads what gcov writes before and below a line of source:
 * functions, branches, calls, conditions, paths.
 */
#include <string.h>

#include "read.h"

#define CONDITIONS_MAX 64 /* gcc's limit for an expression */

/*
 * An input states numbers of paths and conditions without listing them, and
 * each of them becomes a row. One row for each byte of the input plus this
 * number is accepted, so that a large number in a small file does not exhaust
 * memory.
 */
#define COUNTED_MAX ((uint64_t)1 << 20)

/* ---- Numbers ------------------------------------------------------------ */

/*
 * Reads a count as gcov -H writes it, 1.5k, from *text, and warns once that
 * such counts are inexact. False: another form, and nothing changes.
 */
static bool
take_rounded(struct gcov_text_reader *r, struct cg_slice *text, int64_t *count)
{
	static const char units[] = "kMGTPE";
	struct cg_slice rest = *text;
	uint64_t whole, tenth = 0, factor = 100;
	const char *unit;

	if (!cg_take_u64(&rest, &whole) || whole > 1000 ||
	    (cg_take_char(&rest, '.') &&
		(!cg_take_u64(&rest, &tenth) || tenth > 9)) ||
	    rest.len == 0)
		return false;
	unit = strchr(units, *rest.ptr);
	if (!*rest.ptr || !unit)
		return false;
	for (const char *at = units; at < unit; at++)
		factor *= 1000;
	whole = whole * 10 + tenth;
	*count =
	    whole > INT64_MAX / factor ? INT64_MAX : (int64_t)(whole * factor);
	(void)cg_take_char(&rest, *rest.ptr);
	if (!r->rounded)
		cg_warn_at(r->text.job, text->ptr,
		    "counts are inexact: gcov -H has rounded them");
	r->rounded = true;
	*text = rest;
	return true;
}

bool
gcov_text_take_number(
    struct gcov_text_reader *r, struct cg_slice *text, int64_t *count)
{
	struct cg_slice rest = *text;

	if (take_rounded(r, text, count))
		return true;
	if (!gcov_text_take_count(&rest, count))
		return false;
	*text = rest;
	return true;
}

bool
gcov_text_check_counted(struct gcov_text_reader *r, uint64_t rows)
{
	r->counted += rows;
	if (r->counted <= COUNTED_MAX + r->bytes)
		return true;
	return cg_reject(r->text.job,
	    "expected fewer paths and conditions in an input of this size");
}

/* ---- Annotations -------------------------------------------------------- */

/*
 * Makes a function the owner of the following lines. If no line followed the
 * previous function's summary, both functions begin on the next line. Then
 * moves the previous function to r->earlier. False: out of memory (reported).
 */
static bool
set_fn(struct gcov_text_reader *r, cg_fn fn)
{
	if (r->pending) {
		if (!cg_append(r->text.job, &r->earlier, r->fn))
			return false;
		r->fn = (struct gcov_text_fn){ 0 };
	}
	r->fn.fn = fn;
	r->fn.paths.count = 0;
	r->fn.paths.missed.n = 0;
	r->pending = true;
	return true;
}

/*
 * Reads the summary of a function, such as "f called 2 returned 50% blocks
 * executed 75%". Makes the function the owner of the following lines. False:
 * malformed, or out of memory.
 */
bool
gcov_text_take_function(struct gcov_text_reader *r, struct cg_slice text)
{
	static const char called[] = " called ";
	const size_t len = sizeof(called) - 1;
	struct cg_slice name = text, rest;
	int64_t entries;

	/* Searched from the end, as the name may contain the word, too. */
	do {
		if (name.len < len)
			return false;
		name.len--;
	} while (memcmp(name.ptr + name.len - len + 1, called, len) != 0);
	name.len -= len - 1;
	rest.ptr = name.ptr + name.len + len;
	rest.len = text.len - name.len - len;
	if (name.len == 0 || !gcov_text_take_number(r, &rest, &entries))
		return false;
	if (!set_fn(r, gcov_text_add_fn(&r->text, name)))
		return false;
	r->fn.entries = entries;
	r->fn.label = cg_starts(rest, " returned ") ||
			      cg_starts(rest, " blocks executed ")
			  ? cg_add_name(r->text.build, rest)
			  : 0;
	return true;
}

/*
 * Reads "taken 5" or "taken 40%" into row->count, and sets CG_BRANCH_REACHED.
 * word is "taken " or "returned ". "never executed" leaves *row unchanged. A
 * percentage above 0 counts as 1, with a warning. False: malformed.
 */
static bool
take_taken(struct gcov_text_reader *r, struct cg_slice *text, const char *word,
    struct cg_branch *row)
{
	struct cg_slice start = *text;

	if (cg_take_prefix(text, "never executed"))
		return true;
	if (!cg_take_prefix(text, word) ||
	    !gcov_text_take_number(r, text, &row->count))
		return false;
	row->flags |= CG_BRANCH_REACHED;
	if (!cg_take_char(text, '%'))
		return true;
	row->count = row->count > 0;
	if (!r->percents)
		cg_warn_at(r->text.job, start.ptr,
		    "percentages do not tell how often a branch was taken: use "
		    "gcov -c");
	r->percents = true;
	return true;
}

static bool
take_index(struct cg_slice *text, uint32_t *index)
{
	uint64_t number;

	(void)cg_take_blanks(text);
	if (!cg_take_u64(text, &number) || number > UINT32_MAX ||
	    !cg_take_blanks(text))
		return false;
	*index = (uint32_t)number;
	return true;
}

/*
 * Reads a branch of the last line, "0 taken 1 (fallthrough)", and adds it to
 * the graph. False: malformed.
 */
bool
gcov_text_take_branch(struct gcov_text_reader *r, struct cg_slice text)
{
	struct cg_branch row = { .pos = r->pos, .kind = CG_BRANCH_ARC };
	uint64_t number;

	if (!take_index(&text, &row.index) ||
	    !take_taken(r, &text, "taken ", &row))
		return false;
	if (cg_take_prefix(&text, " (fallthrough)"))
		row.flags |= CG_BRANCH_FALLTHROUGH;
	else if (cg_take_prefix(&text, " (throw)"))
		row.flags |= CG_BRANCH_THROW;
	if (cg_take_prefix(&text, " (BB ") && cg_take_u64(&text, &number) &&
	    number <= UINT32_MAX)
		row.target = (uint32_t)number;
	if (r->block_known)
		row.block = r->block;
	(void)cg_add_branch(r->text.build, r->line_fn, &row);
	return true;
}

/*
 * Reads a call of the last line, such as "0 returned 1", and adds it to the
 * graph. The callee is unknown, so it becomes an annotation of the line
 * (CG_BRANCH_CALL). False: malformed.
 */
bool
gcov_text_take_call(struct gcov_text_reader *r, struct cg_slice text)
{
	struct cg_branch row = { .pos = r->pos, .kind = CG_BRANCH_CALL };

	if (!take_index(&text, &row.index) ||
	    !take_taken(r, &text, "returned ", &row))
		return false;
	if (r->block_known)
		row.block = r->block;
	(void)cg_add_branch(r->text.build, r->line_fn, &row);
	return true;
}

void
gcov_text_end_expression(struct gcov_text_reader *r)
{
	const struct gcov_text_expression *e = &r->expression;
	struct cg_branch row = { .pos = r->pos,
		.kind = CG_BRANCH_CONDITION,
		.block = e->number,
		.flags = CG_BRANCH_REACHED };

	for (; row.index < e->outcomes; row.index++) {
		row.count = !(e->missed[row.index & 1] >> row.index / 2 & 1);
		(void)cg_add_branch(r->text.build, r->line_fn, &row);
	}
	r->expression.outcomes = 0;
}

/*
 * Reads the rest of a line "condition ..." of gcov. " outcomes covered 3/8"
 * adds the previous expression to the graph, and begins a new one. " 1 not
 * covered (true false)" marks outcomes of condition 1 as missed. False:
 * malformed, which the caller reports, or too many conditions (reported).
 */
bool
gcov_text_take_condition(struct gcov_text_reader *r, struct cg_slice text)
{
	uint64_t covered, outcomes;
	uint32_t condition;

	if (cg_take_prefix(&text, " outcomes covered ")) {
		gcov_text_end_expression(r);
		if (!cg_take_u64(&text, &covered) ||
		    !cg_take_char(&text, '/') ||
		    !cg_take_u64(&text, &outcomes) || covered > outcomes ||
		    outcomes > 2 * CONDITIONS_MAX)
			return false;
		r->expression = (struct gcov_text_expression){
			.outcomes = (uint32_t)outcomes,
			.number = r->expressions++,
		};
		return gcov_text_check_counted(r, outcomes);
	}
	if (!take_index(&text, &condition) || condition >= CONDITIONS_MAX ||
	    !cg_take_prefix(&text, "not covered ("))
		return false;
	if (cg_take_prefix(&text, "true")) {
		r->expression.missed[1] |= UINT64_C(1) << condition;
		(void)cg_take_blanks(&text);
	}
	if (cg_take_prefix(&text, "false"))
		r->expression.missed[0] |= UINT64_C(1) << condition;
	return cg_take_char(&text, ')');
}

/*
 * Reads the numbers of covered and of all prime paths of the last function, "2
 * of 5", into r->fn.paths. False: malformed.
 */
bool
gcov_text_take_paths(struct gcov_text_reader *r, struct cg_slice text)
{
	uint64_t covered, count;

	if (!cg_take_u64(&text, &covered) || !cg_take_prefix(&text, " of ") ||
	    !cg_take_u64(&text, &count) || covered > count ||
	    count > UINT32_MAX)
		return false;
	r->fn.paths.count = (uint32_t)count;
	r->fn.paths.covered = (uint32_t)covered;
	return true;
}

/*
 * Reads a prime path of the last function. If it was not taken, "3 not
 * covered: ...", appends its number to r->fn.paths.missed. False: malformed,
 * or out of memory.
 */
bool
gcov_text_take_path(struct gcov_text_reader *r, struct cg_slice text)
{
	struct gcov_text_paths *paths = &r->fn.paths;
	uint32_t id;

	if (!take_index(&text, &id))
		return false;
	if (!cg_starts(text, "not covered"))
		return true;
	return cg_append(r->text.job, &paths->missed, id);
}
