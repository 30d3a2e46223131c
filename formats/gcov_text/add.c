/*
 * add.c - adds files, functions and lines to the graph, for the readers of
 * annotated sources and of lists.
 */
#include "gcov_text.h"

bool
gcov_text_take_count(struct cg_slice *text, int64_t *count)
{
	struct cg_slice rest = *text;
	bool negative = cg_take_char(&rest, '-');
	uint64_t number;

	if (rest.len == 0 || *rest.ptr < '0' || *rest.ptr > '9' ||
	    !cg_take_u64(&rest, &number) || number > INT64_MAX)
		return false;
	*count = negative ? -(int64_t)number : (int64_t)number;
	*text = rest;
	return true;
}

void
gcov_text_begin(struct gcov_text *r)
{
	static const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };

	r->column = cg_add_event(r->build, &event);
	(void)cg_add_part(r->build, &(struct cg_part_info){ .cmd = "" });
}

void
gcov_text_end(struct gcov_text *r)
{
	if (cg_in_status(r->in) == CG_OK && cg_in_unterminated(r->in))
		cg_warn(r->job,
		    "the last line has no newline: the file may be truncated");
}

void
gcov_text_add_file(struct gcov_text *r, struct cg_slice path)
{
	const char *directory = cg_build_desc(r->build, "Directory");

	r->file = cg_add_file_in(r->build, cg_slice(directory), path);
	r->nameless = cg_add_fn_named(r->build, 0, r->file, 0);
}

cg_fn
gcov_text_add_fn(struct gcov_text *r, struct cg_slice name)
{
	cg_name symbol = cg_add_name(r->build, name);

	return cg_add_fn_symbol(
	    r->build, cg_add_demangled(r->build, symbol), r->file, 0, symbol);
}

void
gcov_text_add_line(struct gcov_text *r, const struct gcov_text_line *line)
{
	const struct cg_pos pos = { .file = r->file, .line = line->number };
	struct cg_branch row = { .pos = pos, .kind = CG_BRANCH_BLOCK };

	r->cost[r->column] = (uint64_t)line->count;
	(void)cg_add_cost(
	    r->build, line->fn, &pos, r->cost, line->count ? r->column + 1 : 0);
	/* A block row is needed only if the count does not imply the mark. */
	if (line->exceptional)
		row.flags = CG_BRANCH_EXCEPTIONAL;
	else if (line->unmarked)
		row.flags = CG_BRANCH_UNMARKED;
	if (row.flags != 0 || (line->unexecuted && line->count != 0))
		(void)cg_add_branch(r->build, line->fn, &row);
}
