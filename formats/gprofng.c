/*
 * gprofng.c - gprofng: tables of gprofng display text: -functions,
 * -callers-callees and -calltree, with any metrics:
 *
 *	Functions Call Tree. Metric: Attributed Total CPU Time
 *
 *	Attr. Total    Name
 *	CPU
 *	 sec.      %
 *	0.100 100.00   +-<Total>
 *	0.060  60.00     +-main
 *	0.040  40.00     |  +-left
 *
 * Heads are as wide as their columns. A column has a value, a percentage or
 * both. The values of a tree are inclusive. Among callers and callees, which
 * have times within the function in their midst, that function is marked by a
 * '*' and has its self time. -callers-callees also prints the title of
 * -functions, without a table.
 *
 * Nothing ends a tree, so that one which is truncated after a row goes
 * unnoticed.
 *
 * Source: binutils 2.40, gprofng's manual and its output. A tree has all that
 * the other tables have, which are skipped then; else both are read. Values
 * have the precision of the table; percentages, sizes and addresses are
 * dropped.
 */
#include <string.h>

#include "cgconv_parse.h"

#define FUNCTIONS "Functions sorted by metric: "
#define CALLERS "Callers and callees sorted by metric: "
#define TREE "Functions Call Tree. Metric: "
#define CURRENT "Current metrics: "
#define TOTAL "<Total>"
#define SECONDS "sec."
#define NS_OF_S 9 /* digits */
#define COLUMNS_MAX 32

enum table { NONE, FUNCTION_TABLE, CALLER_TABLE, CALL_TREE };
enum kind { OTHER, EXCLUSIVE, INCLUSIVE, ATTRIBUTED };

struct column {
	enum kind kind;
	size_t at; /* byte of the line */
	bool value, percent, seconds;
	char title[64];
	size_t len; /* of the title */
	size_t event;
};
/* Costs are numbers from first on, one of each event. */
struct row {
	enum table table;
	cg_fn fn, callee; /* callee 0: costs of fn itself */
	bool inclusive;
	size_t first;
};
struct open {
	cg_node node;
	size_t first; /* its costs, and those of its children */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	enum table table;
	bool in_head, in_rows, seen[CALL_TREE + 1], again;
	bool unfinished;      /* the last row's lines lead to later rows */
	bool cut, incomplete; /* a tree ends there; has less than its total */
	struct column column[COLUMNS_MAX];
	size_t columns, name; /* name: byte where names begin */
	size_t inclusive;     /* columns of this kind with values */
	CG_ARRAY(cg_name) event;
	CG_ARRAY(struct row) row;
	CG_ARRAY(uint64_t) number;
	CG_ARRAY(struct open) open;
	CG_ARRAY(uint64_t) cost; /* of open nodes */
	cg_fn fn; /* of the block, after its '*'; 0: before it, or <Total> */
	bool marked;
	uint64_t rows, uneven;
};

/* ---- Heads --------------------------------------------------------------- */

/*
 * Returns the kind of a column of a table. "text" is the rest of the first
 * line of the table's head. If it begins with a word that begins columns, sets
 * *is_column to true. Otherwise sets *is_column to false and returns OTHER.
 * Columns whose values are not read are also of the kind OTHER.
 */
static enum kind
get_kind(struct cg_slice text, bool *is_column)
{
	static const struct {
		const char *word;
		enum kind kind;
	} words[] = {
		{ "Excl.", EXCLUSIVE },
		{ "Incl.", INCLUSIVE },
		{ "Attr.", ATTRIBUTED },
		{ "Size", OTHER },
		{ "PC", OTHER },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (cg_starts(text, words[i].word)) {
			*is_column = true;
			return words[i].kind;
		}
	*is_column = false;
	return OTHER;
}

/*
 * Appends the words of a column's head to column->title, joined by '_'. The
 * title names the event, and is cut if it is too long. The word "%" is not
 * appended; it sets column->percent, as the column has percentages. Any other
 * word sets column->value, as the column has values. "sec." is not appended
 * either; it sets column->seconds, the unit of the values.
 */
static void
add_title(struct column *column, struct cg_slice text)
{
	struct cg_slice word;

	while (cg_take_blanks(&text), cg_take_word(&text, &word)) {
		if (cg_equal(word, "%")) {
			column->percent = true;
			continue;
		}
		column->value = true;
		if (cg_equal(word, SECONDS)) {
			column->seconds = true;
			continue;
		}
		if (column->len > 0 && column->len < sizeof(column->title))
			column->title[column->len++] = '_';
		for (size_t i = 0;
		     i < word.len && column->len < sizeof(column->title); i++)
			column->title[column->len++] = word.ptr[i];
	}
}

static bool
begin_head(struct reader *r, struct cg_slice line)
{
	bool is_column;

	r->in_head = true;
	r->columns = r->name = 0;
	for (size_t at = 0; at < line.len; at++) {
		struct cg_slice rest = { line.ptr + at, line.len - at };
		enum kind kind = get_kind(rest, &is_column);

		if (at > 0 && line.ptr[at - 1] != ' ')
			continue;
		if (cg_equal(rest, "Name")) {
			r->name = at;
			break;
		}
		if (!is_column)
			continue;
		if (r->columns == COLUMNS_MAX)
			return cg_reject(
			    r->job, "expected at most %d columns", COLUMNS_MAX);
		r->column[r->columns++] =
		    (struct column){ .kind = kind, .at = at };
	}
	if (r->columns == 0 || r->name == 0)
		return cg_reject_at(r->job, line.ptr,
		    "expected heads of metrics, then 'Name' (-metrics "
		    "...:name)");
	return true;
}

static bool
take_head(struct reader *r, struct cg_slice line)
{
	bool begins;

	for (size_t i = 0; i < r->columns; i++) {
		struct column *column = &r->column[i];
		size_t end = i + 1 < r->columns ? r->column[i + 1].at : r->name;
		size_t at = column->at < line.len ? column->at : line.len;
		struct cg_slice text = { line.ptr + at, 0 };

		end = end < line.len ? end : line.len;
		text.len = end > at ? end - at : 0;
		if (get_kind(text, &begins) != OTHER) {
			text.ptr += strlen("Excl.");
			text.len -= strlen("Excl.");
		}
		add_title(column, text);
	}
	return true;
}

/*
 * Sets column->event to the index of the event that is named by the column's
 * title. Adds the event to the graph if it is new. A new event in a later
 * table, after rows were read, is an error. False: an error (reported).
 */
static bool
add_event(struct reader *r, struct column *column)
{
	const struct cg_slice title = { column->title, column->len };
	cg_name name = cg_add_name(r->build, title);
	struct cg_event event = { .name = cg_get_name(r->build, name).ptr };

	for (size_t i = 0; i < r->event.n; i++)
		if (r->event.at[i] == name) {
			column->event = i;
			return true;
		}
	if (r->rows > 0)
		return cg_reject(r->job, "expected the metrics of the first "
					 "table, with their values");
	if (cg_equal(title, "Total_CPU")) {
		event.name = CG_TIME_EVENT;
		event.long_name = "Total CPU Time";
	}
	if (column->seconds)
		event.unit = "ns";
	else if (cg_starts(title, "Bytes"))
		event.unit = "bytes";
	column->event = r->event.n;
	return cg_append(r->job, &r->event, name) &&
	       cg_add_column(r->build, &event);
}

static bool
end_head(struct reader *r)
{
	r->inclusive = 0;
	for (size_t i = 0; i < r->columns; i++) {
		struct column *column = &r->column[i];

		/* "CPU %" has a percentage only. */
		if (column->kind == OTHER || !column->value)
			continue;
		if (!add_event(r, column))
			return false;
		r->inclusive += column->kind == INCLUSIVE;
	}
	if (r->event.n == 0)
		return cg_reject(r->job, "expected values of a metric");
	r->in_head = false;
	r->in_rows = true;
	return true;
}

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Takes a number, such as "12", "0.100" or "0.", and blanks before it off the
 * begin of *text. Sets *number to it times 10^digits. The number must end at a
 * blank or at the end of the text. False: malformed (not reported).
 */
static bool
take_number(struct cg_slice *text, unsigned digits, uint64_t *number)
{
	(void)cg_take_blanks(text);
	return cg_take_fixed(text, digits, number) &&
	       (cg_take_char(text, '.') || true) &&
	       (text->len == 0 || *text->ptr == ' ') && *number <= INT64_MAX;
}

/*
 * Reads the values of a row. Stores those in columns of this kind in cost[],
 * by event. Sets *any if one is not 0. False: malformed (not reported).
 */
static bool
take_values(struct reader *r, struct cg_slice line, enum kind kind,
    uint64_t *cost, bool *any)
{
	struct cg_slice text = { line.ptr,
		line.len < r->name ? line.len : r->name };
	struct cg_slice word;
	uint64_t number;

	for (size_t i = 0; i < r->columns; i++) {
		const struct column *column = &r->column[i];

		if (column->kind == OTHER) {
			(void)cg_take_blanks(&text);
			(void)cg_take_word(&text, &word);
			continue;
		}
		if (column->value) {
			if (!take_number(
				&text, column->seconds ? NS_OF_S : 0, &number))
				return false;
			if (column->kind == kind) {
				cost[column->event] = number;
				*any |= number > 0;
			}
		}
		if (column->percent && !take_number(&text, 0, &number))
			return false;
	}
	return true;
}

static bool
bad_row(struct reader *r)
{
	return cg_reject(
	    r->job, "expected a value of each column, and a function");
}

static cg_fn
add_fn(struct reader *r, struct cg_slice name)
{
	return cg_add_fn_named(r->build,
	    cg_add_demangled(r->build, cg_add_name(r->build, name)), 0, 0);
}

/*
 * Appends a row to r->row, with its values in columns of this kind. Rows are
 * added to the graph at the end, unless a call tree has all their costs.
 * False: an error (reported).
 */
static bool
keep_row(struct reader *r, struct cg_slice line, enum kind kind, struct row row)
{
	bool any = false;

	row.table = r->table;
	row.first = r->number.n;
	row.inclusive = kind == INCLUSIVE;
	if (!cg_resize(r->job, &r->number, r->number.n + r->event.n))
		return false;
	if (!take_values(r, line, kind, r->number.at + row.first, &any))
		return bad_row(r);
	return cg_append(r->job, &r->row, row);
}

static bool
take_function(struct reader *r, struct cg_slice line, struct cg_slice name)
{
	const struct row row = { .fn = add_fn(r, name) };

	return keep_row(r, line, EXCLUSIVE, row) &&
	       (r->inclusive < r->event.n || keep_row(r, line, INCLUSIVE, row));
}

static bool
take_caller(struct reader *r, struct cg_slice line, struct cg_slice name)
{
	struct row row = { .fn = r->fn };

	if (line.ptr[r->name - 1] == '*') {
		r->marked = true;
		r->fn = cg_equal(name, TOTAL) ? 0 : add_fn(r, name);
		row.fn = r->fn;
		return r->fn == 0 || keep_row(r, line, ATTRIBUTED, row);
	}
	/* Callers list the same calls in their own blocks. */
	if (!r->marked || r->fn == 0)
		return true;
	row.callee = add_fn(r, name);
	return keep_row(r, line, ATTRIBUTED, row);
}

/* ---- The call tree ------------------------------------------------------- */

/*
 * Ends the innermost open node, and adds its self costs to its stack: its
 * costs less the children's. If these have more, by rounding, the self cost is
 * 0, and r->uneven grows. Self costs of a node without a stack are lost, and
 * set r->incomplete. False: the builder has failed.
 */
static bool
close_node(struct reader *r)
{
	const struct open *open = &r->open.at[--r->open.n];
	const size_t n = r->event.n;
	uint64_t *all = r->cost.at + open->first, *children = all + n;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (all[i] < children[i])
			r->uneven++;
		all[i] = all[i] < children[i] ? 0 : all[i] - children[i];
		any |= all[i] > 0;
	}
	r->incomplete |= any && open->node == 0;
	if (any && open->node != 0)
		cg_add_stack(r->build, open->node, 0,
		    cg_columns_of(r->build, all), cg_columns_width(r->build));
	r->cost.n = open->first;
	return cg_build_status(r->build) == CG_OK;
}

static bool
close_nodes(struct reader *r, size_t depth)
{
	r->cut |= depth == 0 && r->open.n > 0 && r->unfinished;
	while (r->open.n > depth)
		if (!close_node(r))
			return false;
	return true;
}

/*
 * Removes the lines of the tree, such as "|  +-", from a name. Sets *depth to
 * the number of levels before "+-", and *unfinished if the tree goes on in one
 * of them ("|  "). False: malformed.
 */
static bool
cut_depth(struct cg_slice *name, size_t *depth, bool *unfinished)
{
	*unfinished = false;
	for (*depth = 0; name->len > 0; (*depth)++) {
		if (cg_take_prefix(name, "+-"))
			return name->len > 0;
		if (cg_take_prefix(name, "|  "))
			*unfinished = true;
		else if (!cg_take_prefix(name, "  "))
			return false;
	}
	return false;
}

static bool
take_node(struct reader *r, struct cg_slice line, struct cg_slice name)
{
	const struct cg_pos nowhere = { 0 };
	const size_t n = r->event.n;
	struct open *open, *above;
	bool any = false;
	bool unfinished;
	size_t depth;

	if (!cut_depth(&name, &depth, &unfinished) || depth > r->open.n)
		return cg_reject_at(r->job, name.ptr,
		    "expected '+-', and a function at most one level below "
		    "the last one");
	if (!close_nodes(r, depth))
		return false;
	r->unfinished = unfinished;
	open = cg_push(r->job, &r->open);
	if (!open)
		return false;
	open->first = r->cost.n;
	if (!cg_resize(r->job, &r->cost, open->first + 2 * n))
		return false;
	memset(r->cost.at + open->first, 0, 2 * n * sizeof(*r->cost.at));
	if (!take_values(r, line, ATTRIBUTED, r->cost.at + open->first, &any))
		return bad_row(r);
	above = depth > 0 ? open - 1 : NULL;
	for (size_t i = 0; above && i < n; i++)
		if (__builtin_add_overflow(r->cost.at[above->first + n + i],
			r->cost.at[open->first + i],
			&r->cost.at[above->first + n + i]))
			return cg_reject(r->job,
			    "expected values whose sum fits in 64 bits");
	if (depth > 0 || !cg_equal(name, TOTAL))
		open->node = cg_add_frame(r->build, above ? above->node : 0,
		    add_fn(r, name), &nowhere, false);
	return true;
}

/* ---- The report ---------------------------------------------------------- */

static bool
take_row(struct reader *r, struct cg_slice line)
{
	struct cg_slice name;

	if (line.len <= r->name)
		return bad_row(r);
	name = (struct cg_slice){ line.ptr + r->name, line.len - r->name };
	if (r->table != CALL_TREE)
		(void)cg_take_blanks(&name);
	r->rows++;
	switch (r->table) {
	case CALL_TREE: return take_node(r, line, name);
	case CALLER_TABLE:
		return cg_equal(name, TOTAL) && line.ptr[r->name - 1] != '*'
			   ? true
			   : take_caller(r, line, name);
	case FUNCTION_TABLE:
		return cg_equal(name, TOTAL) || take_function(r, line, name);
	case NONE: break;
	}
	return true;
}

/*
 * Handles a line that ends the table before it: the title of a table, or
 * another line that gprofng prints between tables. Sets r->table to the table
 * that begins. It is NONE if the table is not read, or if the line begins
 * none. Sets r->again to whether a table of that kind was read before. False:
 * any other line, and nothing changes.
 */
static bool
take_title(struct reader *r, struct cg_slice line)
{
	static const struct {
		const char *begin;
		enum table table;
	} titles[] = {
		{ FUNCTIONS, FUNCTION_TABLE },
		{ CALLERS, CALLER_TABLE },
		{ TREE, CALL_TREE },
		{ CURRENT, NONE },
		{ "Current Sort Metric: ", NONE },
		{ "Lines sorted by metric: ", NONE },
		{ "PCs sorted by metric: ", NONE },
		{ "Experiment(s):", NONE },
	};

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		if (cg_starts(line, titles[i].begin)) {
			r->table = titles[i].table;
			r->again = r->seen[r->table];
			r->in_head = r->in_rows = false;
			return true;
		}
	return false;
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	cg_cut_return(&line);
	if (take_title(r, line) || r->table == NONE)
		return close_nodes(r, 0);
	if (line.len == 0) {
		r->in_head = r->in_rows = r->marked = false;
		r->fn = 0;
		return close_nodes(r, 0);
	}
	if (cg_starts(line, "====="))
		return cg_reject(
		    r->job, "expected rows of -callers-callees, not -csingle");
	if (!r->in_rows && !r->in_head)
		return begin_head(r, line) && take_head(r, line);
	/* The first digit within the columns ends the head. */
	if (r->in_head &&
	    (*cg_trim(line).ptr < '0' || *cg_trim(line).ptr > '9'))
		return take_head(r, line);
	if (r->in_head && !end_head(r))
		return false;
	if (r->again)
		return cg_reject(r->job, "expected one table of each kind");
	r->seen[r->table] = true;
	return take_row(r, line);
}

static void
add_rows(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };

	for (size_t i = 0; i < r->row.n; i++) {
		const struct row *row = &r->row.at[i];
		const uint64_t *cost =
		    cg_columns_of(r->build, r->number.at + row->first);
		const size_t width = cg_columns_width(r->build);

		/* Blocks of callers have the self costs of all metrics. */
		if (row->table == FUNCTION_TABLE && !row->inclusive &&
		    r->seen[CALLER_TABLE])
			continue;
		if (row->callee != 0)
			(void)cg_add_call(r->build, row->fn, &nowhere,
			    row->callee, &nowhere, 0, cost, width);
		else if (row->inclusive)
			cg_add_inclusive(r->build, row->fn, cost, width);
		else
			(void)cg_add_cost(
			    r->build, row->fn, &nowhere, cost, width);
	}
}

static int
read_gprofng(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok = true;

	while (ok && cg_read_line(in, &line))
		ok = take_line(&r, line);
	ok = ok && cg_in_status(in) == CG_OK && close_nodes(&r, 0);
	if (ok) {
		if (r.rows == 0)
			(void)cg_reject(job,
			    "expected a table of -functions, -callers-callees "
			    "or -calltree");
		else if (cg_in_unterminated(in) ||
			 (r.in_rows && r.table != CALL_TREE))
			cg_warn(job, "expected an empty line at the end: the "
				     "file may be truncated");
		if (r.cut)
			cg_warn(job,
			    "the call tree ends where a '|' leads to more: the "
			    "file may be truncated, and functions have costs "
			    "of missing callees");
		if (r.incomplete)
			cg_warn(job, "functions of the call tree have less "
				     "than its " TOTAL "; the rest is dropped");
		if (r.uneven > 0)
			cg_warn(job,
			    "%llu values are less than those of their callees; "
			    "the latter are kept",
			    (unsigned long long)r.uneven);
		if (!r.seen[CALL_TREE])
			add_rows(&r);
		else if (r.row.n > 0)
			cg_note(job, "tables other than the call tree are "
				     "skipped, which has their costs");
	}
	if (cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	static const char *const titles[] = { FUNCTIONS, CALLERS, TREE,
		CURRENT };
	const struct cg_slice line = cg_head_line(head);

	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		if (cg_starts(line, titles[i]))
			return CG_PROBE_SURE;
	return CG_PROBE_NO;
}

const struct cg_module cg_format_gprofng = {
	CG_MODULE,
	.name = "gprofng",
	.title = "tables of gprofng display text",
	.text = true,
	.suffixes = "gprofng",
	.probe = probe,
	.read = read_gprofng,
};
