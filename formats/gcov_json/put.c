/*
 * put.c - writes functions and lines, with the keys in the order of
 * gcc 14.
 */
#include <stdlib.h>
#include <string.h>

#include "put.h"

#define LITERAL(to, text) put_bytes(to, text, sizeof(text) - 1)
#define ITEM_ROOM 256  /* of one branch, call or condition but its terms */
#define HEAD_ROOM 512  /* of what is between names and lists */
#define NAME_ROOM 4096 /* of a name that is put with what is around it */

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
gcov_json_put_key(struct writer *w, const char *key)
{
	cg_puts(w->out, w->comma ? ",\"" : "\"");
	cg_puts(w->out, key);
	cg_puts(w->out, "\":");
	w->comma = true;
}

void
gcov_json_put_text(struct writer *w, const char *key, struct cg_slice text)
{
	gcov_json_put_key(w, key);
	cg_put_json(w->out, text);
}

/* A key with its comma and colon, then a number. */
#define NUMBER(to, key, number) \
	cg_format_i64(LITERAL(to, ",\"" key "\":"), number)

/* ---- Functions ---------------------------------------------------------- */

static struct cg_slice
symbol_of(const struct writer *w, cg_fn fn)
{
	struct cg_slice symbol = cg_fn_symbol(w->graph, fn);

	return symbol.len > 0 ? symbol : cg_fn_name(w->graph, fn);
}

static int64_t
entries_of(const struct writer *w, cg_fn fn)
{
	uint64_t count;

	if (!cg_fn_entries(w->lines, fn, &count))
		return 0;
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

bool
gcov_json_put_fn(struct writer *w, size_t i)
{
	const cg_fn fn = w->fn[i];
	struct cg_range range;
	struct cg_coverage sum;
	char *to;

	if (!cg_file_coverage(w->lines, i, &sum))
		return false;
	cg_fn_range(w->graph, fn, &range);
	cg_puts(w->out, w->comma ? ",{\"name\":" : "{\"name\":");
	cg_put_json(w->out, symbol_of(w, fn));
	cg_puts(w->out, ",\"demangled_name\":");
	cg_put_json(w->out, cg_fn_name(w->graph, fn));
	to = cg_out_reserve(w->out, HEAD_ROOM);
	to = NUMBER(to, "start_line", range.first);
	to = NUMBER(to, "start_column", range.first_column);
	to = NUMBER(to, "end_line", range.last);
	to = NUMBER(to, "end_column", range.last_column);
	to = NUMBER(to, "blocks", (int64_t)sum.blocks);
	to = NUMBER(to, "blocks_executed", (int64_t)sum.executed);
	to = NUMBER(to, "execution_count",
	    sum.entered ? sum.entries : entries_of(w, fn));
	cg_out_advance(w->out, to);
	if ((w->major >= 15 || sum.paths > 0) &&
	    !gcov_json_put_paths(w, fn, &sum))
		return false;
	cg_putc(w->out, '}');
	w->comma = true;
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

static int64_t
count_of(const struct writer *w, const struct cg_line *line)
{
	return line->n > w->column ? (int64_t)line->cost[w->column] : 0;
}

/* Is there a block that never ran? Without blocks, the count has to tell. */
static bool
is_unexecuted(const struct writer *w, const struct cg_line *line)
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

/* A list of the rows of one kind that have all of these flags. */
static char *
put_rows(struct writer *w, char *to, const struct entry *entry, size_t n,
    enum cg_branch_kind kind, unsigned flags,
    char *(*put)(char *, const struct cg_branch *))
{
	bool comma = false;

	*to++ = '[';
	for (size_t i = 0; i < n; i++) {
		const struct cg_branch *end, *row;

		row = cg_line_rows(&entry[i].line, kind, &end);
		for (; row < end; row++) {
			if ((row->flags & flags) != flags)
				continue;
			cg_out_advance(w->out, to);
			to = cg_out_reserve(w->out, ITEM_ROOM);
			*to = ',';
			to = put(to + comma, row);
			comma = true;
		}
	}
	if (comma) {
		cg_out_advance(w->out, to);
		to = cg_out_reserve(w->out, HEAD_ROOM);
	}
	*to++ = ']';
	return to;
}

/* The terms of a decision whose outcome that was not shown to matter. */
static void
put_terms(struct writer *w, const struct cg_branch *row,
    const struct cg_branch *end, unsigned outcome)
{
	bool comma = false;

	for (; row < end; row++) {
		if ((row->index & 1) != outcome || row->count > 0)
			continue;
		if (comma)
			cg_putc(w->out, ',');
		cg_putu(w->out, row->index / 2);
		comma = true;
	}
}

static void
put_condition(
    struct writer *w, const struct cg_branch *row, const struct cg_branch *end)
{
	char *to = cg_out_reserve(w->out, ITEM_ROOM);
	int64_t covered = 0;

	for (const struct cg_branch *at = row; at < end; at++)
		covered += at->count > 0;
	to = cg_format_i64(LITERAL(to, "{\"count\":"), end - row);
	to = NUMBER(to, "covered", covered);
	cg_out_advance(w->out, LITERAL(to, ",\"not_covered_true\":["));
	put_terms(w, row, end, 1);
	cg_puts(w->out, "],\"not_covered_false\":[");
	put_terms(w, row, end, 0);
	cg_puts(w->out, "]}");
}

static void
put_conditions(struct writer *w, const struct entry *entry, size_t n)
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
				cg_putc(w->out, ',');
			put_condition(w, row, next);
			comma = true;
		}
	}
}

/* Do its bytes stand for themselves in a string of JSON? */
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

/* Lines in a row mostly name the same function: it is looked at once. */
static char *
put_fn_name(struct writer *w, char *to, cg_fn fn)
{
	if (fn != w->named) {
		w->name = symbol_of(w, fn);
		w->named = fn;
		if (!is_plain(w->name) || w->name.len > NAME_ROOM)
			w->named = 0;
	}
	if (w->named == 0) {
		cg_out_advance(w->out, LITERAL(to, ",\"function_name\":"));
		cg_put_json(w->out, w->name);
		return cg_out_reserve(w->out, HEAD_ROOM);
	}
	to = LITERAL(to, ",\"function_name\":\"");
	to = put_bytes(to, w->name.ptr, w->name.len);
	return LITERAL(to, "\"");
}

void
gcov_json_put_line(
    struct writer *w, const struct entry *entry, size_t n, cg_fn fn)
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
	to = cg_out_reserve(w->out, HEAD_ROOM + NAME_ROOM);
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
		cg_out_advance(w->out, LITERAL(to, ",\"conditions\":["));
		put_conditions(w, entry, n);
		to = LITERAL(cg_out_reserve(w->out, HEAD_ROOM), "]");
	}
	cg_out_advance(w->out, LITERAL(to, "}"));
	w->comma = true;
}
