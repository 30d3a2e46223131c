/*
 * read.c - reads annotated sources.
 *
 * A line belongs to the last function whose summary came before it. Lines of
 * the file are held back: if the instances of a group follow, their counts are
 * subtracted from the file's lines, which have the sums.
 */
#include <string.h>

#include "read.h"

/* Kinds of counts of a line. */
enum count_kind { NO_CODE, COUNTED, NEVER, EXCEPTIONAL };

/* ---- Lines -------------------------------------------------------------- */

/*
 * Adds the held lines of the file to the graph, and clears their list. They
 * waited for the instances (functions that begin on the same line), whose
 * counts are subtracted. Lines of instances alone are skipped.
 */
static void
release_lines(struct gcov_text_reader *r)
{
	for (size_t i = 0; i < r->held.n; i++) {
		struct gcov_text_line *line = &r->held.at[i];

		if (line->shared && line->count == 0)
			continue;
		if (line->shared)
			line->unexecuted = line->exceptional = false;
		gcov_text_add_line(&r->text, line);
	}
	r->held.n = 0;
}

static struct gcov_text_line *
find_held(struct gcov_text_reader *r, uint32_t number)
{
	size_t low = 0, high = r->held.n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->held.at[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->held.n && r->held.at[low].number == number
		   ? &r->held.at[low]
		   : NULL;
}

static bool
hold_line(struct gcov_text_reader *r, const struct gcov_text_line *line)
{
	/* find_held() needs ascending lines. */
	if (r->held.n > 0 && r->held.at[r->held.n - 1].number >= line->number)
		release_lines(r);
	return cg_append(r->text.job, &r->held, *line);
}

/*
 * Adds a line of an instance, one of several functions that begin on the same
 * line. gcov lists the sum of all instances before. So the count is subtracted
 * from the held line; the rest belongs to no function.
 */
static void
add_shared_line(struct gcov_text_reader *r, struct gcov_text_line *line)
{
	struct gcov_text_line *held = find_held(r, line->number);

	line->unmarked =
	    line->unexecuted && held && !held->unexecuted && !held->exceptional;
	gcov_text_add_line(&r->text, line);
	if (!held)
		return;
	if (!held->shared)
		held->fn = r->text.nameless;
	held->shared = true;
	if (__builtin_sub_overflow(held->count, line->count, &held->count))
		held->count = 0;
}

/*
 * Reads the text before the first ':'. Sets *kind to what it is: a count, a
 * mark such as ##### for a line that never ran, or '-' for no code. A count is
 * stored in line->count; a '*' after it sets line->unexecuted. False:
 * malformed, or out of memory.
 */
static bool
take_line_count(struct gcov_text_reader *r, struct cg_slice *text,
    enum count_kind *kind, struct gcov_text_line *line)
{
	static const struct {
		const char *word;
		enum count_kind kind;
	} words[] = {
		{ "-:", NO_CODE },
		{ "#####:", NEVER },
		{ "=====:", EXCEPTIONAL },
		{ "%%%%%:", NEVER },
		{ "$$$$$:", EXCEPTIONAL },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (cg_take_prefix(text, words[i].word)) {
			*kind = words[i].kind;
			return true;
		}
	}
	*kind = COUNTED;
	if (!gcov_text_take_number(r, text, &line->count))
		return false;
	line->unexecuted = cg_take_char(text, '*');
	return cg_take_char(text, ':');
}

static bool
add_paths(struct gcov_text_reader *r, cg_fn fn, struct gcov_text_paths *paths)
{
	const struct cg_pos *pos = &r->pos;
	struct cg_branch row = { .pos = *pos, .kind = CG_BRANCH_PATH };
	uint32_t left = paths->covered;
	size_t miss = 0;

	if (!gcov_text_check_counted(r, paths->count))
		return false;
	for (; row.index < paths->count; row.index++) {
		row.count = left > 0;
		if (miss < paths->missed.n &&
		    paths->missed.at[miss] == row.index) {
			row.count = 0;
			miss++;
		}
		left -= row.count > 0;
		(void)cg_add_branch(r->text.build, fn, &row);
	}
	paths->count = 0;
	paths->missed.n = 0;
	return true;
}

/*
 * Begins a function on the current line, the function's first line. "fn" has
 * the function's summary. Adds the first line, the number of calls, and the
 * prime paths of the function to the graph. False: an error (reported).
 */
static bool
begin_fn(struct gcov_text_reader *r, struct gcov_text_fn *fn)
{
	const struct cg_pos nowhere = { 0 };
	const struct cg_branch row = { .pos.file = r->text.file,
		.kind = CG_BRANCH_BLOCK,
		.target = ++r->fns_begun,
		.label = fn->label,
		.count = fn->entries };

	cg_set_fn_range(
	    r->text.build, fn->fn, &(struct cg_range){ .first = r->pos.line });
	(void)cg_add_branch(r->text.build, fn->fn, &row);
	if (fn->entries >= 0)
		(void)cg_add_call(r->text.build, 0, &nowhere, fn->fn, &r->pos,
		    (uint64_t)fn->entries, NULL, 0);
	return fn->paths.count == 0 || add_paths(r, fn->fn, &fn->paths);
}

/*
 * Begins the functions whose summaries preceded the current line: those in
 * r->earlier, then r->fn. False: an error (reported).
 */
static bool
begin_fns(struct gcov_text_reader *r)
{
	bool ok = true;

	for (size_t i = 0; i < r->earlier.n; i++) {
		ok = ok && begin_fn(r, &r->earlier.at[i]);
		cg_drop(r->text.job, &r->earlier.at[i].paths.missed);
	}
	r->earlier.n = 0;
	if (r->pending)
		ok = ok && begin_fn(r, &r->fn);
	r->pending = false;
	return ok;
}

/*
 * Reads the rest of COUNT:LINE-block N, which gcov -a writes before the
 * annotations of a block. With -w, gcov appends "(BB 3)". Then 3 is stored as
 * the block of the annotations that follow. Otherwise their block is unknown.
 */
static void
take_block(struct gcov_text_reader *r, struct cg_slice text)
{
	uint64_t number;

	r->block_known = false;
	(void)cg_take_blanks(&text);
	if (cg_take_u64(&text, &number) && cg_take_prefix(&text, " (BB ") &&
	    cg_take_u64(&text, &number) && number <= UINT32_MAX) {
		r->block_known = true;
		r->block = (uint32_t)number;
	}
}

/*
 * Reads a line of the file, COUNT:LINE:SOURCE, or COUNT:LINE-block N. The
 * former begins the functions whose summaries came before. Lines with code are
 * held back, except an instance's. False: malformed, or an error (reported).
 */
static bool
take_line(struct gcov_text_reader *r, struct cg_slice text)
{
	struct gcov_text_line line = { 0 };
	enum count_kind kind;
	uint64_t number;

	(void)cg_take_blanks(&text);
	if (!take_line_count(r, &text, &kind, &line))
		return false;
	(void)cg_take_blanks(&text);
	if (!cg_take_u64(&text, &number) || number > UINT32_MAX)
		return false;
	if (cg_take_prefix(&text, "-block")) {
		take_block(r, text);
		return true;
	}
	if (!cg_take_char(&text, ':'))
		return false;
	line.number = (uint32_t)number;
	line.exceptional = kind == EXCEPTIONAL;
	line.unexecuted |= kind == NEVER;
	line.fn = r->fn.fn ? r->fn.fn : r->text.nameless;
	r->pos = (struct cg_pos){ .file = r->text.file, .line = line.number };
	r->line_fn = line.fn;
	r->block_known = false;
	r->expressions = 0;
	if (r->instance && r->fn.fn != 0)
		cg_set_fn_range(r->text.build, r->fn.fn,
		    &(struct cg_range){
			.first = line.number, .last = line.number });
	if (!begin_fns(r))
		return false;
	if (kind == NO_CODE)
		return true;
	if (!r->instance)
		return hold_line(r, &line);
	add_shared_line(r, &line);
	return true;
}

/*
 * Ends a source file. Functions with a summary but no line after it begin on
 * line 0, unknown. False: an error (reported).
 */
static bool
end_source(struct gcov_text_reader *r)
{
	bool ok;

	r->pos.line = 0;
	ok = begin_fns(r);
	r->fn.fn = 0;
	r->instance = false;
	return ok;
}

/*
 * Removes " -: 0:", which begins a line of the head, from *text. False:
 * another line, and nothing changes.
 */
static bool
take_head_start(struct cg_slice *text)
{
	struct cg_slice rest = *text;

	(void)cg_take_blanks(&rest);
	if (!cg_take_prefix(&rest, "-:"))
		return false;
	(void)cg_take_blanks(&rest);
	if (!cg_take_prefix(&rest, "0:"))
		return false;
	*text = rest;
	return true;
}

/*
 * Reads the rest of a line of the head. "Source:NAME" ends the source file
 * before, and begins another one. Some other keys become descriptions of the
 * graph, unless their value is "-". Ignores all other keys. False: an error
 * (reported).
 */
static bool
take_head(struct gcov_text_reader *r, struct cg_slice text)
{
	static const struct {
		const char *key, *desc;
	} keys[] = {
		{ "Data:", "Data file" },
		{ "Runs:", "Runs" },
		{ "Working directory:", "Directory" },
	};

	if (cg_take_prefix(&text, "Source:")) {
		release_lines(r);
		if (!end_source(r))
			return false;
		gcov_text_add_file(&r->text, text);
		return true;
	}
	if (cg_take_prefix(&text, "Graph:"))
		r->graph = cg_add_name(r->text.build, text);
	else if (cg_equal(text, "Data:-")) /* never run */
		cg_add_desc(r->text.build, cg_slice("Notes file"),
		    cg_get_name(r->text.build, r->graph));
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (cg_take_prefix(&text, keys[i].key) && !cg_equal(text, "-"))
			cg_add_desc(
			    r->text.build, cg_slice(keys[i].desc), text);
	}
	return true;
}

static bool
ignore(struct gcov_text_reader *r, struct cg_slice text)
{
	(void)r;
	(void)text;
	return true;
}

/* ---- The text ----------------------------------------------------------- */

/*
 * Reads the name of an instance, which follows a line of dashes. An instance
 * is one of several functions that begin on one line. Makes it the owner of
 * the following lines. False: another line.
 */
static bool
take_instance(struct gcov_text_reader *r, struct cg_slice text)
{
	struct cg_slice rest = text, count;
	uint64_t number;

	if (text.len < 2 || text.ptr[text.len - 1] != ':')
		return false;
	/* An annotated empty source line ends with ':', too. */
	(void)cg_take_until(&rest, ':', &count);
	(void)cg_take_blanks(&rest);
	if (cg_take_u64(&rest, &number) && cg_equal(rest, ":"))
		return false;
	text.len--;
	r->fn.fn = gcov_text_add_fn(&r->text, text);
	r->instance = true;
	return true;
}

/*
 * Reads a line of dashes, which stands before and after each instance. An
 * instance is one of several functions that begin on one line. The name of an
 * instance follows, or further lines of the file. Returns true.
 */
static bool
take_dashes(struct gcov_text_reader *r, struct cg_slice text)
{
	(void)text;
	r->dashes = true;
	r->instance = false;
	r->fn.fn = 0;
	return true;
}

static const struct {
	const char *key;
	bool (*take)(struct gcov_text_reader *, struct cg_slice rest);
} keys[] = {
	{ "branch ", gcov_text_take_branch },
	{ "call ", gcov_text_take_call },
	{ "unconditional ", ignore },
	{ "function ", gcov_text_take_function },
	{ "condition", gcov_text_take_condition },
	{ "paths covered ", gcov_text_take_paths },
	{ "path ", gcov_text_take_path },
	{ GCOV_TEXT_DASHES, take_dashes },
	/* gcov -t writes these messages for each file and function. */
	{ "Function '", ignore },
	{ "File '", ignore },
	{ "Lines executed:", ignore },
	{ "Branches executed:", ignore },
	{ "Taken at least once:", ignore },
	{ "Calls executed:", ignore },
	{ "Condition outcomes covered:", ignore },
	{ "Prime paths covered:", ignore },
	{ "No ", ignore },
	{ "Creating '", ignore },
	{ "Removing '", ignore },
};

#define KEYS (sizeof(keys) / sizeof(*keys))

static bool
take_any(struct gcov_text_reader *r, struct cg_slice text)
{
	bool dashes = r->dashes;
	size_t i = 0;

	r->dashes = false;
	if (dashes && take_instance(r, text))
		return true;
	if (text.len == 0)
		return true;
	if (*text.ptr == ' ')
		return take_head_start(&text) ? take_head(r, text)
					      : take_line(r, text);
	while (i < KEYS && !cg_take_prefix(&text, keys[i].key))
		i++;
	/* A line begins with a blank if its count has at most eight digits. */
	return i < KEYS ? keys[i].take(r, text) : take_line(r, text);
}

/* Reads a line of the text, of any kind. False: an error was reported. */
static bool
read_line(struct gcov_text_reader *r, struct cg_slice text)
{
	r->bytes += text.len + 1;
	if (r->expression.outcomes > 0 && !cg_starts(text, "condition "))
		gcov_text_end_expression(r);
	cg_cut_return(&text);
	if (take_any(r, text))
		return true;
	if (cg_rejected(r->text.job) == CG_OK)
		(void)cg_reject_at(r->text.job, text.ptr,
		    "expected COUNT:LINE:SOURCE, or a branch, call, condition, "
		    "path or function as gcov writes it");
	return false;
}

int
gcov_text_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct gcov_text_reader r = {
		.text = { .job = job, .in = in, .build = build }
	};
	struct cg_slice text = { 0 };
	bool ok = true;

	gcov_text_begin(&r.text);
	while (
	    ok && cg_build_status(build) == CG_OK && cg_read_line(in, &text)) {
		if (r.bytes == 0 &&
		    (cg_starts(text, "file:") || cg_starts(text, "version:")))
			return gcov_text_read_list(&r.text, text);
		ok = read_line(&r, text);
	}
	gcov_text_end_expression(&r);
	release_lines(&r);
	if (ok && end_source(&r))
		gcov_text_end(&r.text);
	if (cg_rejected(job) != CG_OK)
		return cg_rejected(job);
	return cg_build_failed(build, text.ptr);
}
