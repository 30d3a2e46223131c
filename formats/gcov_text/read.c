/*
 * read.c - reads sources with counts.
 *
 * A line belongs to the function that was announced last. Lines of a file are
 * held back: where functions that begin together follow with lines of their
 * own, those come off the sum that was given first.
 */
#include <stdlib.h>
#include <string.h>

#include "read.h"

/* What a count field says. */
enum seen { NO_CODE, COUNTED, NEVER, EXCEPTIONAL };

/* ---- Lines that are counted --------------------------------------------- */

/* Those of the file that are known to be whole. */
static void
release_lines(struct reader *r)
{
	for (size_t i = 0; i < r->lines; i++) {
		struct gcov_text_line *line = &r->held[i];

		if (line->shared && line->count == 0)
			continue;
		if (line->shared)
			line->unexecuted = line->exceptional = false;
		gcov_text_add(&r->text, line);
	}
	r->lines = 0;
}

static struct gcov_text_line *
find_held(struct reader *r, uint32_t number)
{
	size_t low = 0, high = r->lines, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->held[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < r->lines && r->held[low].number == number ? &r->held[low]
							       : NULL;
}

static bool
hold_line(struct reader *r, const struct gcov_text_line *line)
{
	/* In order, else it cannot be found. */
	if (r->lines > 0 && r->held[r->lines - 1].number >= line->number)
		release_lines(r);
	if (!cg_grow_raw(
		&r->held, &r->line_cap, r->lines + 1, sizeof(*r->held))) {
		r->status = cg_nomem(r->text.job);
		return false;
	}
	r->held[r->lines++] = *line;
	return true;
}

static void
share_line(struct reader *r, struct gcov_text_line *line)
{
	struct gcov_text_line *held = find_held(r, line->number);

	line->unmarked =
	    line->unexecuted && held && !held->unexecuted && !held->exceptional;
	gcov_text_add(&r->text, line);
	if (!held)
		return;
	if (!held->shared)
		held->fn = r->text.nameless;
	held->shared = true;
	if (__builtin_sub_overflow(held->count, line->count, &held->count))
		held->count = 0;
}

/* 1.5k: gcov -H. */
static bool
take_human(struct reader *r, struct cg_slice *text, int64_t *count)
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
	if (!r->human)
		cg_warn_at(r->text.job, text->ptr,
		    "counts are rounded, as gcov -H writes them");
	r->human = true;
	*text = rest;
	return true;
}

/* A count that may be rounded. */
bool
gcov_text_take_number(struct reader *r, struct cg_slice *text, int64_t *count)
{
	struct cg_slice rest = *text;

	if (take_human(r, text, count))
		return true;
	if (!gcov_text_take_count(&rest, count))
		return false;
	*text = rest;
	return true;
}

static bool
take_seen(struct reader *r, struct cg_slice *text, enum seen *seen,
    struct gcov_text_line *line)
{
	static const struct {
		const char *word;
		enum seen seen;
	} words[] = {
		{ "-:", NO_CODE },
		{ "#####:", NEVER },
		{ "=====:", EXCEPTIONAL },
		{ "%%%%%:", NEVER },
		{ "$$$$$:", EXCEPTIONAL },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (cg_take_prefix(text, words[i].word)) {
			*seen = words[i].seen;
			return true;
		}
	}
	*seen = COUNTED;
	if (!gcov_text_take_number(r, text, &line->count))
		return false;
	line->unexecuted = cg_take_char(text, '*');
	return cg_take_char(text, ':');
}

bool
gcov_text_check_counted(struct reader *r, uint64_t rows)
{
	r->counted += rows;
	if (r->counted <= GCOVTEXT_COUNTED_MAX + r->text.bytes)
		return true;
	r->status = cg_fail(r->text.job,
	    "expected no more paths and conditions than an input of this "
	    "size has");
	return false;
}

static void
add_paths(struct reader *r, cg_fn fn, struct paths *paths)
{
	const struct cg_pos *pos = &r->pos;
	struct cg_branch row = { .pos = *pos, .kind = CG_BRANCH_PATH };
	uint32_t left = paths->covered;
	size_t miss = 0;

	if (!gcov_text_check_counted(r, paths->count))
		return;
	for (; row.index < paths->count; row.index++) {
		row.count = left > 0;
		if (miss < paths->misses && paths->missed[miss] == row.index) {
			row.count = 0;
			miss++;
		}
		left -= row.count > 0;
		(void)cg_add_branch(r->text.build, fn, &row);
	}
	paths->count = 0;
	paths->misses = 0;
}

static void
begin_fn(struct reader *r, struct announced *fn)
{
	const struct cg_pos nowhere = { 0 };
	const struct cg_branch row = { .pos.file = r->text.file,
		.kind = CG_BRANCH_BLOCK,
		.target = ++r->fns,
		.label = fn->label,
		.count = fn->entries };

	cg_set_fn_range(
	    r->text.build, fn->fn, &(struct cg_range){ .first = r->pos.line });
	(void)cg_add_branch(r->text.build, fn->fn, &row);
	if (fn->entries >= 0)
		(void)cg_add_call(r->text.build, 0, &nowhere, fn->fn, &r->pos,
		    (uint64_t)fn->entries, NULL, 0);
	if (fn->paths.count > 0)
		add_paths(r, fn->fn, &fn->paths);
}

/* The functions that were announced begin here. */
static void
begin_fns(struct reader *r)
{
	for (size_t i = 0; i < r->befores; i++) {
		begin_fn(r, &r->before[i]);
		free(r->before[i].paths.missed);
	}
	r->befores = 0;
	if (r->announced)
		begin_fn(r, &r->now);
	r->announced = false;
}

/* COUNT:LINE:SOURCE or, of -a, COUNT:LINE-block  N */
static bool
take_line(struct reader *r, struct cg_slice text)
{
	struct gcov_text_line line = { 0 };
	uint64_t number;
	enum seen seen;

	(void)cg_take_blanks(&text);
	if (!take_seen(r, &text, &seen, &line))
		return false;
	(void)cg_take_blanks(&text);
	if (!cg_take_u64(&text, &number) || number > UINT32_MAX)
		return false;
	if (cg_take_prefix(&text, "-block")) {
		r->known = false;
		(void)cg_take_blanks(&text);
		if (cg_take_u64(&text, &number) &&
		    cg_take_prefix(&text, " (BB ") &&
		    cg_take_u64(&text, &number) && number <= UINT32_MAX) {
			r->known = true;
			r->block = (uint32_t)number;
		}
		return true;
	}
	if (!cg_take_char(&text, ':'))
		return false;
	line.number = (uint32_t)number;
	line.exceptional = seen == EXCEPTIONAL;
	line.unexecuted |= seen == NEVER;
	line.fn = r->now.fn ? r->now.fn : r->text.nameless;
	r->pos = (struct cg_pos){ .file = r->text.file, .line = line.number };
	r->at = line.fn;
	r->known = false;
	r->decisions = 0;
	if (r->group && r->now.fn != 0)
		cg_set_fn_range(r->text.build, r->now.fn,
		    &(struct cg_range){
			.first = line.number, .last = line.number });
	begin_fns(r);
	if (seen == NO_CODE)
		return true;
	if (r->group)
		share_line(r, &line);
	else
		(void)hold_line(r, &line);
	return true;
}

/* What was announced and got no line begins nowhere. */
static void
end_source(struct reader *r)
{
	r->pos.line = 0;
	begin_fns(r);
	r->now.fn = 0;
	r->group = false;
}

/* Line 0: Source:NAME and others. */
static bool
take_head(struct reader *r, struct cg_slice text)
{
	static const struct {
		const char *key, *desc;
	} keys[] = {
		{ "Data:", "Data file" },
		{ "Runs:", "Runs" },
		{ "Working directory:", "Folder" },
	};

	(void)cg_take_blanks(&text);
	if (!cg_take_prefix(&text, "-:"))
		return false;
	(void)cg_take_blanks(&text);
	if (!cg_take_prefix(&text, "0:"))
		return false;
	if (cg_take_prefix(&text, "Source:")) {
		release_lines(r);
		end_source(r);
		gcov_text_open(&r->text, text);
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
ignore(struct reader *r, struct cg_slice text)
{
	(void)r;
	(void)text;
	return true;
}

/* ---- The text ----------------------------------------------------------- */

/* The name of a function of a group, behind dashes. */
static bool
take_instance(struct reader *r, struct cg_slice text)
{
	struct cg_slice rest = text, count;
	uint64_t number;

	if (text.len < 2 || text.ptr[text.len - 1] != ':')
		return false;
	/* So does a line of source that is empty. */
	(void)cg_take_until(&rest, ':', &count);
	(void)cg_take_blanks(&rest);
	if (cg_take_u64(&rest, &number) && cg_equal(rest, ":"))
		return false;
	text.len--;
	r->now.fn = gcov_text_fn(&r->text, text);
	r->group = true;
	return true;
}

/* Behind a line of dashes a function's name follows, or the group is over. */
static bool
take_dashes(struct reader *r, struct cg_slice text)
{
	(void)text;
	r->dashes = true;
	r->group = false;
	r->now.fn = 0;
	return true;
}

static const struct {
	const char *key;
	bool (*take)(struct reader *, struct cg_slice rest);
} keys[] = {
	{ "branch ", gcov_text_take_branch },
	{ "call ", gcov_text_take_call },
	{ "unconditional ", ignore },
	{ "function ", gcov_text_take_function },
	{ "condition", gcov_text_take_condition },
	{ "paths covered ", gcov_text_take_paths },
	{ "path ", gcov_text_take_path },
	{ GCOVTEXT_DASHES, take_dashes },
	/* What gcov -t says of files and functions in between. */
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
take_any(struct reader *r, struct cg_slice text)
{
	bool dashes = r->dashes;
	size_t i = 0;

	r->dashes = false;
	if (dashes && take_instance(r, text))
		return true;
	if (cg_starts(text, " ") || text.len == 0)
		return text.len == 0 || take_head(r, text) ||
		       take_line(r, text);
	while (i < KEYS && !cg_take_prefix(&text, keys[i].key))
		i++;
	/* A count of more than eight digits begins a line. */
	return i < KEYS ? keys[i].take(r, text) : take_line(r, text);
}

static void
read_line(struct reader *r, struct cg_slice text)
{
	r->text.bytes += text.len + 1;
	if (r->decision.outcomes > 0 && !cg_starts(text, "condition "))
		gcov_text_end_decision(r);
	if (text.len > 0 && text.ptr[text.len - 1] == '\r')
		text.len--;
	if (!take_any(r, text) && r->status == CG_OK)
		r->status = cg_fail_at(r->text.job, text.ptr,
		    "expected COUNT:LINE:SOURCE, or what gcov says of a line");
}

int
gcov_text_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .text = { .job = job, .in = in, .build = build } };
	struct cg_slice text = { 0 };

	gcov_text_begin(&r.text);
	while (r.status == CG_OK && cg_build_status(build) == CG_OK &&
	       cg_read_line(in, &text)) {
		if (r.text.bytes == 0 &&
		    (cg_starts(text, "file:") || cg_starts(text, "version:")))
			return gcov_text_read_list(&r.text, text);
		read_line(&r, text);
	}
	gcov_text_end_decision(&r);
	release_lines(&r);
	if (r.status == CG_OK) {
		end_source(&r);
		gcov_text_end(&r.text);
	}
	while (r.befores > 0)
		free(r.before[--r.befores].paths.missed);
	free(r.before);
	free(r.held);
	free(r.now.paths.missed);
	return r.status != CG_OK ? r.status : cg_build_failed(build, text.ptr);
}
