/*
 * put.c - writes functions, prime paths and lines as JSON, with keys in the
 * order of gcc 14.
 */
#include <stdlib.h>
#include <string.h>

#include "put.h"

#define LITERAL(to, text) put_bytes(to, text, sizeof(text) - 1)
#define ITEM_ROOM 256  /* for a branch, call, or start of an expression */
#define HEAD_ROOM 512  /* for the keys and numbers between names and lists */
#define NAME_ROOM 4096 /* for a name that is copied, not escaped */

static inline char *
put_bytes(char *to, const char *text, size_t n)
{
	memcpy(to, text, n);
	return to + n;
}

static inline char *
put_bool(char *to, bool value)
{
	return value ? LITERAL(to, "true") : LITERAL(to, "false");
}

void
gcov_json_put_key(struct gcov_json_writer *w, const char *key)
{
	cg_puts(w->r.out, w->comma ? ",\"" : "\"");
	cg_puts(w->r.out, key);
	cg_puts(w->r.out, "\":");
	w->comma = true;
}

void
gcov_json_put_text(
    struct gcov_json_writer *w, const char *key, struct cg_slice text)
{
	gcov_json_put_key(w, key);
	cg_put_json(w->r.out, text);
}

/* Puts ,"key":number at to. */
#define NUMBER(to, key, number) \
	cg_format_i64(LITERAL(to, ",\"" key "\":"), number)

/*
 * Writes the member "file", a path. Writes the path as it was in the input if,
 * relative to the document's directory, it names the same file as the path in
 * the graph. Otherwise writes the path in the graph.
 */
void
gcov_json_put_path(struct gcov_json_writer *w, cg_file file)
{
	struct cg_slice path = cg_file_path(w->r.graph, file), joined;
	struct cg_slice given = cg_file_given(w->r.graph, file);
	char *room;

	if (given.len > 0 && cg_reserve(w->r.job, &w->joined,
				 w->directory.len + given.len + CG_JOIN_MORE)) {
		joined.ptr = room = w->joined.at;
		joined.len =
		    (size_t)(cg_join_path(room, w->directory, given) - room);
		if (cg_compare(joined, path) == 0)
			path = given;
	}
	gcov_json_put_text(w, "file", path);
}

/* ---- Prime paths -------------------------------------------------------- */

/*
 * Orders steps (lines of the blocks of prime paths) for qsort(): by path,
 * which is their block, then by position on the path, then by line.
 */
static int
compare_steps(const void *pa, const void *pb)
{
	const struct cg_branch *a = pa, *b = pb;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return a->pos.line < b->pos.line ? -1 : a->pos.line > b->pos.line;
}

/*
 * Lists the function's prime paths that were not taken. Appends their numbers
 * to w->path. Appends their steps (lines of their blocks) to w->step, and
 * sorts all steps there. Both lists must be empty before. If memory runs out,
 * which is reported, they are incomplete.
 */
static void
list_paths(struct gcov_json_writer *w, cg_fn fn)
{
	struct cg_branch row;

	if (!cg_rows_open(w->rows, w->r.part, fn))
		return;
	while (cg_next_branch(w->rows, &row)) {
		if (row.kind == CG_BRANCH_STEP)
			(void)cg_append(w->r.job, &w->step, row);
		else if (row.kind == CG_BRANCH_PATH && row.count <= 0)
			(void)cg_append(w->r.job, &w->path, row.index);
	}
	if (w->step.n > 1)
		qsort(w->step.at, w->step.n, sizeof(row), compare_steps);
}

/*
 * The functions below write w->step.at[*at] and the steps that follow as one
 * element, and advance *at past them.
 */

/*
 * Writes a location of a prime path's block: the file, and its line numbers.
 * *at is the first of its rows in w->step, one for each line; advances it past
 * them.
 */
static void
put_location(struct gcov_json_writer *w, size_t *at)
{
	const struct cg_branch *first = &w->step.at[*at], *step = first;

	w->comma = false;
	cg_putc(w->r.out, '{');
	gcov_json_put_path(w, first->pos.file);
	cg_puts(w->r.out, ",\"line_numbers\":[");
	for (; *at < w->step.n && step->block == first->block &&
	       step->index == first->index;
	     ++*at, step++) {
		if (step > first)
			cg_putc(w->r.out, ',');
		cg_putu(w->r.out, step->pos.line);
	}
	cg_puts(w->r.out, "]}");
}

/*
 * Writes a block of a prime path. Writes its number, its locations and the
 * kind of the arc to the next block. They come from the steps (one for each
 * line of a block) from index *at on. Advances *at past the steps of the
 * block.
 */
static void
put_step(struct gcov_json_writer *w, size_t *at)
{
	const struct cg_branch *first = &w->step.at[*at];
	bool last = false, comma = false;

	cg_puts(w->r.out, "{\"block_id\":");
	cg_putu(w->r.out, first->target);
	cg_puts(w->r.out, ",\"locations\":[");
	for (;
	     *at < w->step.n && !last && w->step.at[*at].block == first->block;
	     comma = true) {
		last = w->step.at[*at].flags & CG_BRANCH_LAST;
		if (w->step.at[*at].pos.line == 0) {
			++*at;
			continue;
		}
		if (comma)
			cg_putc(w->r.out, ',');
		put_location(w, at);
	}
	cg_puts(w->r.out, "],\"edge_kind\":");
	cg_put_json(w->r.out, cg_branch_label(w->r.graph, first));
	cg_putc(w->r.out, '}');
}

/*
 * Writes the blocks of a prime path, separated by commas. w->step has a row
 * for each line of each block, ordered by path. Advances *at, an index in it,
 * past the path and those with lower numbers.
 */
static void
put_sequence(struct gcov_json_writer *w, uint32_t path, size_t *at)
{
	bool comma = false;

	while (*at < w->step.n && w->step.at[*at].block < path)
		++*at;
	for (; *at < w->step.n && w->step.at[*at].block == path; comma = true) {
		if (comma)
			cg_putc(w->r.out, ',');
		put_step(w, at);
	}
}

static void
put_paths(struct gcov_json_writer *w, cg_fn fn, const struct cg_coverage *sum)
{
	size_t at = 0;

	w->comma = true;
	gcov_json_put_key(w, "total_prime_paths");
	cg_putu(w->r.out, sum->paths);
	gcov_json_put_key(w, "covered_prime_paths");
	cg_putu(w->r.out, sum->paths_covered);
	gcov_json_put_key(w, "prime_path_coverage");
	cg_putc(w->r.out, '[');
	w->path.n = w->step.n = 0;
	if (sum->paths > 0)
		list_paths(w, fn);
	for (size_t i = 0; i < w->path.n; i++) {
		cg_puts(w->r.out, i > 0 ? ",{\"id\":" : "{\"id\":");
		cg_putu(w->r.out, w->path.at[i]);
		cg_puts(w->r.out, ",\"sequence\":[");
		put_sequence(w, w->path.at[i], &at);
		cg_puts(w->r.out, "]}");
	}
	cg_putc(w->r.out, ']');
}

/* ---- Functions ---------------------------------------------------------- */

static struct cg_slice
symbol_of(const struct gcov_json_writer *w, cg_fn fn)
{
	struct cg_slice symbol = cg_fn_symbol(w->r.graph, fn);

	return symbol.len > 0 ? symbol : cg_fn_name(w->r.graph, fn);
}

static int64_t
entries_of(const struct gcov_json_writer *w, cg_fn fn)
{
	uint64_t count;

	if (!cg_fn_entries(w->r.lines, fn, &count))
		return 0;
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

void
gcov_json_put_fn(struct gcov_json_writer *w, size_t i)
{
	const cg_fn fn = w->fn[i];
	struct cg_range range;
	struct cg_coverage sum;
	char *to;

	if (!cg_file_coverage(w->r.lines, i, &sum))
		return;
	cg_fn_range(w->r.graph, fn, &range);
	cg_puts(w->r.out, w->comma ? ",{\"name\":" : "{\"name\":");
	cg_put_json(w->r.out, symbol_of(w, fn));
	cg_puts(w->r.out, ",\"demangled_name\":");
	cg_put_json(w->r.out, cg_fn_name(w->r.graph, fn));
	to = cg_out_reserve(w->r.out, HEAD_ROOM);
	to = NUMBER(to, "start_line", range.first);
	to = NUMBER(to, "start_column", range.first_column);
	to = NUMBER(to, "end_line", range.last);
	to = NUMBER(to, "end_column", range.last_column);
	to = NUMBER(to, "blocks", (int64_t)sum.blocks);
	to = NUMBER(to, "blocks_executed", (int64_t)sum.executed);
	to = NUMBER(to, "execution_count",
	    sum.entered ? sum.entries : entries_of(w, fn));
	cg_out_advance(w->r.out, to);
	if (w->major >= 15 || sum.paths > 0)
		put_paths(w, fn, &sum);
	cg_putc(w->r.out, '}');
	w->comma = true;
}

/* ---- Lines -------------------------------------------------------------- */

static int64_t
count_of(const struct gcov_json_writer *w, const struct cg_line *line)
{
	return line->n > w->column ? (int64_t)line->cost[w->column] : 0;
}

/*
 * True if the line gets the flag unexecuted_block, as one of its blocks never
 * ran. Blocks that are reached only by exceptions do not count. A line without
 * blocks gets the flag if its count is 0.
 */
static bool
is_unexecuted(const struct gcov_json_writer *w, const struct cg_line *line)
{
	const struct cg_branch *end;
	const struct cg_branch *row = cg_line_rows(line, CG_BRANCH_BLOCK, &end);

	if (row == end)
		return count_of(w, line) == 0;
	for (; row < end; row++) {
		if (row->count == 0 && !(row->flags & CG_BRANCH_EXCEPTIONAL))
			return true;
	}
	return false;
}

static char *
put_block_id(char *to, const struct cg_branch *row)
{
	return cg_format_u64(to, row->block);
}

static char *
put_branch(char *to, const struct cg_branch *row)
{
	to = LITERAL(to, "{\"count\":");
	to = cg_format_i64(to, row->count);
	to = LITERAL(to, ",\"throw\":");
	to = put_bool(to, row->flags & CG_BRANCH_THROW);
	to = LITERAL(to, ",\"fallthrough\":");
	to = put_bool(to, row->flags & CG_BRANCH_FALLTHROUGH);
	return LITERAL(to, "}");
}

static char *
put_branch_blocks(char *to, const struct cg_branch *row)
{
	to = put_branch(to, row) - 1;
	to = LITERAL(to, ",\"source_block_id\":");
	to = cg_format_u64(to, row->block);
	to = LITERAL(to, ",\"destination_block_id\":");
	to = cg_format_u64(to, row->target);
	return LITERAL(to, "}");
}

static char *
put_call(char *to, const struct cg_branch *row)
{
	to = LITERAL(to, "{\"source_block_id\":");
	to = cg_format_u64(to, row->block);
	to = LITERAL(to, ",\"destination_block_id\":");
	to = cg_format_u64(to, row->target);
	to = LITERAL(to, ",\"returned\":");
	to = cg_format_i64(to, row->count);
	return LITERAL(to, "}");
}

/*
 * Writes a JSON array of a line's branches, calls or blocks (kind) that have
 * all flags. put() writes an element. entry has the line's n functions. "to"
 * needs HEAD_ROOM reserved bytes, which are reserved again after elements.
 * Returns the end of the text.
 */
static char *
put_rows(struct gcov_json_writer *w, char *to,
    const struct gcov_json_entry *entry, size_t n, enum cg_branch_kind kind,
    unsigned flags, char *(*put)(char *, const struct cg_branch *))
{
	bool comma = false;

	*to++ = '[';
	for (size_t i = 0; i < n; i++) {
		const struct cg_branch *end, *row;

		row = cg_line_rows(&entry[i].line, kind, &end);
		for (; row < end; row++) {
			if ((row->flags & flags) != flags)
				continue;
			cg_out_advance(w->r.out, to);
			to = cg_out_reserve(w->r.out, ITEM_ROOM);
			*to = ',';
			to = put(to + comma, row);
			comma = true;
		}
	}
	if (comma) {
		cg_out_advance(w->r.out, to);
		to = cg_out_reserve(w->r.out, HEAD_ROOM);
	}
	*to++ = ']';
	return to;
}

/*
 * Writes the numbers, separated by commas, of the conditions for which the
 * outcome (1: true, 0: false) did not occur. The array from "row" up to "end",
 * excluded, has two outcomes for each condition.
 */
static void
put_not_covered(struct gcov_json_writer *w, const struct cg_branch *row,
    const struct cg_branch *end, unsigned outcome)
{
	bool comma = false;

	for (; row < end; row++) {
		if ((row->index & 1) != outcome || row->count > 0)
			continue;
		if (comma)
			cg_putc(w->r.out, ',');
		cg_putu(w->r.out, row->index / 2);
		comma = true;
	}
}

/*
 * Writes an expression of conditions as a JSON object. The array from "row" up
 * to "end", excluded, has two outcomes for each condition: false and true.
 */
static void
put_expression(struct gcov_json_writer *w, const struct cg_branch *row,
    const struct cg_branch *end)
{
	char *to = cg_out_reserve(w->r.out, ITEM_ROOM);
	int64_t covered = 0;

	for (const struct cg_branch *at = row; at < end; at++)
		covered += at->count > 0;
	to = cg_format_i64(LITERAL(to, "{\"count\":"), end - row);
	to = NUMBER(to, "covered", covered);
	cg_out_advance(w->r.out, LITERAL(to, ",\"not_covered_true\":["));
	put_not_covered(w, row, end, 1);
	cg_puts(w->r.out, "],\"not_covered_false\":[");
	put_not_covered(w, row, end, 0);
	cg_puts(w->r.out, "]}");
}

static void
put_expressions(
    struct gcov_json_writer *w, const struct gcov_json_entry *entry, size_t n)
{
	bool comma = false;

	for (size_t i = 0; i < n; i++) {
		const struct cg_branch *end, *row, *next;

		row = cg_line_rows(&entry[i].line, CG_BRANCH_CONDITION, &end);
		for (; row < end; row = next) {
			for (next = row;
			     next < end && next->block == row->block;)
				next++;
			if (comma)
				cg_putc(w->r.out, ',');
			put_expression(w, row, next);
			comma = true;
		}
	}
}

/*
 * True if the text has only printable ASCII characters, and no quote and no
 * backslash. A JSON string can then contain the text as it is.
 */
static bool
is_plain(struct cg_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c < ' ' || c > '~' || c == '"' || c == '\\')
			return false;
	}
	return true;
}

/*
 * Writes the member "function_name" of a line to the reserved room at "to",
 * and returns the end. Caches whether the name needs escapes, as consecutive
 * lines often name one function.
 */
static char *
put_fn_name(struct gcov_json_writer *w, char *to, cg_fn fn)
{
	if (fn != w->named) {
		w->name = symbol_of(w, fn);
		w->named = fn;
		if (!is_plain(w->name) || w->name.len > NAME_ROOM)
			w->named = 0;
	}
	if (w->named == 0) {
		cg_out_advance(w->r.out, LITERAL(to, ",\"function_name\":"));
		cg_put_json(w->r.out, w->name);
		return cg_out_reserve(w->r.out, HEAD_ROOM);
	}
	to = LITERAL(to, ",\"function_name\":\"");
	to = put_bytes(to, w->name.ptr, w->name.len);
	return LITERAL(to, "\"");
}

void
gcov_json_put_line(struct gcov_json_writer *w,
    const struct gcov_json_entry *entry, size_t n, cg_fn fn)
{
	bool unexecuted = false;
	int64_t count = 0, more;
	char *to;

	for (size_t i = 0; i < n; i++) {
		more = count_of(w, &entry[i].line);
		if (__builtin_add_overflow(count, more, &count))
			count = more < 0 ? INT64_MIN : INT64_MAX;
		unexecuted |= is_unexecuted(w, &entry[i].line);
	}
	to = cg_out_reserve(w->r.out, HEAD_ROOM + NAME_ROOM);
	*to = ',';
	to = LITERAL(to + w->comma, "{\"line_number\":");
	to = cg_format_u64(to, entry->line.line);
	if (fn != 0)
		to = put_fn_name(w, to, fn);
	to = NUMBER(to, "count", count);
	to = put_bool(LITERAL(to, ",\"unexecuted_block\":"), unexecuted);
	if (w->blocks)
		to = put_rows(w, LITERAL(to, ",\"block_ids\":"), entry, n,
		    CG_BRANCH_BLOCK, CG_BRANCH_LAST, put_block_id);
	to = put_rows(w, LITERAL(to, ",\"branches\":"), entry, n, CG_BRANCH_ARC,
	    0, w->blocks ? put_branch_blocks : put_branch);
	if (w->blocks) {
		to = put_rows(w, LITERAL(to, ",\"calls\":"), entry, n,
		    CG_BRANCH_CALL, 0, put_call);
		cg_out_advance(w->r.out, LITERAL(to, ",\"conditions\":["));
		put_expressions(w, entry, n);
		to = LITERAL(cg_out_reserve(w->r.out, HEAD_ROOM), "]");
	}
	cg_out_advance(w->r.out, LITERAL(to, "}"));
	w->comma = true;
}
