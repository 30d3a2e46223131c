/*
 * gcov_text.c - gcov's text: what it is called and how it is recognised, and
 * what the readers of both texts have in common. gcovtext.h describes them.
 */
#include <stdlib.h>
#include <string.h>

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
gcov_text_begin(struct gcovtext *r)
{
	static const struct cg_event event = { .name = "Exec",
		.long_name = "Line executions",
		.is_signed = true,
		.incl = CG_INCL_NONE };

	r->column = cg_add_event(r->build, &event);
	(void)cg_add_part(r->build, &(struct cg_part_info){ .cmd = "" });
}

void
gcov_text_end(struct gcovtext *r)
{
	if (cg_in_status(r->in) == CG_OK && cg_in_unterminated(r->in))
		cg_warn(
		    r->job, "the last line does not end: is the file whole?");
}

void
gcov_text_open(struct gcovtext *r, struct cg_slice path)
{
	const char *folder = cg_get_desc(r->build, "Folder");

	r->file = cg_add_file_in(r->build, cg_slice(folder), path);
	r->nameless = cg_add_fn_named(r->build, 0, r->file, 0);
}

cg_fn
gcov_text_fn(struct gcovtext *r, struct cg_slice name)
{
	cg_name symbol = cg_add_name(r->build, name);

	return cg_add_fn_symbol(
	    r->build, cg_add_demangled(r->build, symbol), r->file, 0, symbol);
}

void
gcov_text_add(struct gcovtext *r, const struct gcov_text_line *line)
{
	const struct cg_pos pos = { .file = r->file, .line = line->number };
	struct cg_branch row = { .pos = pos, .kind = CG_BRANCH_BLOCK };

	r->cost[r->column] = (uint64_t)line->count;
	(void)cg_add_cost(
	    r->build, line->fn, &pos, r->cost, line->count ? r->column + 1 : 0);
	/* Else the count tells. */
	if (line->exceptional)
		row.flags = CG_BRANCH_EXCEPTIONAL;
	else if (line->unmarked)
		row.flags = CG_BRANCH_UNMARKED;
	if (row.flags != 0 || (line->unexecuted && line->count != 0))
		(void)cg_add_branch(r->build, line->fn, &row);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice first = head->first, text = head->text, line;

	(void)cg_take_blanks(&first);
	if (cg_take_char(&first, '-') && cg_take_char(&first, ':')) {
		(void)cg_take_blanks(&first);
		return cg_starts(first, GCOVTEXT_HEAD) ? CG_PROBE_SURE
						       : CG_PROBE_NO;
	}
	if (cg_starts(text, "version:"))
		(void)cg_take_line(&text, &line);
	if (!cg_starts(text, "file:") || !cg_take_line(&text, &line))
		return CG_PROBE_NO;
	return cg_starts(text, "function:") || cg_starts(text, "lcount:")
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "sources",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "take sources from DIR (/: from where they say they are)",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_gcov_text = {
	CG_MODULE,
	.name = "gcov-text",
	.title = "sources with counts (.gcov), lists of gcov -i",
	.suffixes = "gcov",
	.carries = CG_SELF | CG_LINES | CG_ZEROS | CG_BRANCHES | CG_BLOCKS |
		   CG_CONDITIONS | CG_FILES | CG_SYMBOLS | CG_DEFINITIONS |
		   CG_DESCRIPTIONS,
	.options = options,
	.probe = probe,
	.read = gcov_text_read,
	.write = gcov_text_write,
};
