/*
 * tau.c - tau: profiles that TAU writes for each thread, profile.0.0.0:
 *
 *	3 templated_functions_MULTI_TIME
 *	# Name Calls Subrs Excl Incl ProfileCalls # <metadata>...</metadata>
 *	"main() C [{a.c} {12,1}-{29,1}]" 1 7 449 51781 0 GROUP="TAU_USER"
 *	"f()" 2 0 332 332 0 GROUP="TAU_USER"
 *	"main() => f()" 2 0 332 332 0 GROUP="TAU_CALLPATH|TAU_USER"
 *	0 aggregates
 *
 * Times are in microseconds. Rows with "=>" divide the costs of the last
 * function by its callers, as many as TAU_CALLPATH_DEPTH - 1. If they begin at
 * functions without callers, they are stacks; else they give calls, and rows of
 * functions the costs. Samples are skipped: the functions that were
 * interrupted have their time, too. Metadata and user events are dropped.
 *
 * Source: TAU's documentation and files of TAU 2.29 (tests of Hatchet), whose
 * readers split names in the same way; APEX writes the same format.
 */
#include <string.h>

#include "tables.h"

#define FUNCTIONS "templated_functions"
#define CALLER "=>"
#define NS_OF_US 3 /* digits */
#define SAMPLE_GROUP "TAU_SAMPLE"

struct row {
	size_t first, n; /* functions, the outermost one first */
	uint64_t calls, self, all;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	bool begun, ended;
	unsigned digits; /* of values */
	uint64_t rows, stated, samples, events;
	CG_ARRAY(struct row) row;
	CG_ARRAY(cg_fn) fn;
	struct cg_map called; /* functions with callers */
};

/*
 * Takes the next word off the text, and reads it as a number. Sets *number to
 * it, times 10 to the power of "digits". False: malformed (not reported).
 */
static bool
take_number(struct cg_slice *text, unsigned digits, uint64_t *number)
{
	struct cg_slice word;

	(void)cg_take_blanks(text);
	return cg_take_word(text, &word) &&
	       table_get_number(word, digits, number);
}

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Adds a function to the graph, and returns it. "main() C [{a.c}
 * {12,1}-{29,1}]" states its file and first line; other names have no place.
 */
static cg_fn
add_fn(struct reader *r, struct cg_slice name)
{
	const char *at = cg_find(name, " [{");
	struct cg_slice place, file;
	cg_file id = 0;
	uint64_t line = 0;
	cg_fn fn;

	if (at) {
		place = (struct cg_slice){ at + 3,
			name.len - (size_t)(at + 3 - name.ptr) };
		if (cg_take_until(&place, '}', &file) &&
		    (cg_take_prefix(&place, " {"),
			cg_take_u64(&place, &line)) &&
		    line <= INT32_MAX) {
			name.len = (size_t)(at - name.ptr);
			if (name.len > 2 &&
			    memcmp(at - 2, " C", 2) == 0) /* the language */
				name.len -= 2;
			id = cg_add_file(r->build, file);
		} else {
			line = 0;
		}
	}
	fn = cg_add_fn(r->build, cg_trim(name), id, 0);
	if (line > 0)
		cg_set_fn_range(r->build, fn,
		    &(struct cg_range){ .first = (uint32_t)line });
	return fn;
}

/*
 * Appends the functions of a path, "main() => f()", to r->fn, callers first.
 * Sets row->first to the index of the first function, and row->n to their
 * number. False: an error (reported).
 */
static bool
add_path(struct reader *r, struct row *row, struct cg_slice path)
{
	const char *at;

	row->first = r->fn.n;
	while ((at = cg_find(path, CALLER)) != NULL) {
		const struct cg_slice name = { path.ptr,
			(size_t)(at - path.ptr) };

		if (!cg_append(r->job, &r->fn, add_fn(r, cg_trim(name))))
			return false;
		at += strlen(CALLER);
		path.len -= (size_t)(at - path.ptr);
		path.ptr = at;
	}
	if (!cg_append(r->job, &r->fn, add_fn(r, cg_trim(path))))
		return false;
	row->n = r->fn.n - row->first;
	return true;
}

/*
 * Takes the name in quotes off the line; *name is without them. A name may
 * contain quotes, so it ends at the first before a blank and a digit. False:
 * malformed (not reported), and nothing is taken.
 */
static bool
take_name(struct cg_slice *line, struct cg_slice *name)
{
	struct cg_slice rest = *line;

	if (!cg_take_char(&rest, '"'))
		return false;
	for (size_t at = 0; at + 2 < rest.len; at++) {
		if (rest.ptr[at] != '"' || rest.ptr[at + 1] != ' ' ||
		    rest.ptr[at + 2] < '0' || rest.ptr[at + 2] > '9')
			continue;
		*name = (struct cg_slice){ rest.ptr, at };
		line->ptr = rest.ptr + at + 1;
		line->len = rest.len - at - 1;
		return true;
	}
	return false;
}

static bool
take_row(struct reader *r, struct cg_slice line)
{
	struct row row = { .n = 0 };
	struct cg_slice name;
	uint64_t subroutines;
	uint32_t *called;

	if (!take_name(&line, &name) || !take_number(&line, 0, &row.calls) ||
	    !take_number(&line, 0, &subroutines) ||
	    !take_number(&line, r->digits, &row.self) ||
	    !take_number(&line, r->digits, &row.all))
		return cg_reject(r->job,
		    "expected a name in quotes and four numbers: calls, "
		    "subroutines, exclusive and inclusive value");
	r->rows++;
	if (cg_find(line, SAMPLE_GROUP)) {
		r->samples++;
		return true;
	}
	if (!add_path(r, &row, name) || !cg_append(r->job, &r->row, row))
		return false;
	if (row.n < 2)
		return cg_build_status(r->build) == CG_OK;
	called = cg_map_in(r->job, &r->called, r->fn.at[r->fn.n - 1]);
	if (called)
		*called = 1;
	return called != NULL;
}

/* ---- Costs --------------------------------------------------------------- */

static bool
is_called(const struct reader *r, cg_fn fn)
{
	return cg_map_get(&r->called, fn) != 0;
}

/*
 * Returns true if paths are whole stacks: there are paths, and all begin at
 * functions without callers. Otherwise they are only the ends of stacks.
 */
static bool
are_stacks(const struct reader *r)
{
	bool any = false;

	for (size_t i = 0; i < r->row.n; i++) {
		const struct row *row = &r->row.at[i];

		if (row->n > 1 && is_called(r, r->fn.at[row->first]))
			return false;
		any |= row->n > 1;
	}
	return any;
}

/*
 * Warns if the self costs of the stacks are less than those of the functions:
 * some paths were not recorded. Ignores less than 1 for each row, as values
 * are rounded.
 */
static void
check_stacks(const struct reader *r)
{
	uint64_t all = 0, found = 0;

	for (size_t i = 0; i < r->row.n; i++) {
		const struct row *row = &r->row.at[i];
		bool divided =
		    row->n == 1 && is_called(r, r->fn.at[row->first]);

		all += row->n == 1 ? row->self : 0;
		found += divided ? 0 : row->self;
	}
	if (all > found && all - found > r->row.n)
		cg_warn(r->job, "paths lack %llu of %llu (%s)",
		    (unsigned long long)(all - found), (unsigned long long)all,
		    r->digits > 0 ? "ns" : "of the metric");
}

static void
add_stack(struct reader *r, const struct row *row)
{
	const struct cg_pos nowhere = { 0 };
	cg_node node = 0;

	for (size_t i = 0; i < row->n; i++)
		node = cg_add_frame(
		    r->build, node, r->fn.at[row->first + i], &nowhere, false);
	table_add_stack(r->build, node, 0, &row->self);
}

static void
add_row(struct reader *r, const struct row *row, bool stacks)
{
	const struct cg_pos nowhere = { 0 };
	const cg_fn fn = r->fn.at[row->first + row->n - 1];
	const cg_fn caller = row->n > 1 ? r->fn.at[row->first + row->n - 2] : 0;
	/* Paths have the calls, and the costs of stacks. */
	const bool divided = row->n == 1 && is_called(r, fn);
	const size_t width = cg_columns_width(r->build);

	/* TAU also lists functions that never ran. */
	if (row->calls == 0 && row->all == 0)
		return;
	if (!divided)
		(void)cg_add_call(r->build, caller, &nowhere, fn, &nowhere,
		    row->calls, cg_columns_of(r->build, &row->all),
		    stacks || caller == 0 ? 0 : width);
	if (stacks) {
		if (!divided)
			add_stack(r, row);
		return;
	}
	if (row->n > 1)
		return;
	cg_add_inclusive(
	    r->build, fn, cg_columns_of(r->build, &row->all), width);
	(void)cg_add_cost(
	    r->build, fn, &nowhere, cg_columns_of(r->build, &row->self), width);
}

/* ---- The file ------------------------------------------------------------ */

/*
 * Reads the first line, "23 templated_functions_MULTI_TIME". Sets r->stated to
 * the number of rows. Adds the metric after "MULTI_" as the graph's event. If
 * the metric is time, sets r->digits, so that the reader converts times from
 * us to ns. False: an error (reported).
 */
static bool
take_first(struct reader *r, struct cg_slice line)
{
	struct cg_event event = { .unit = "" };

	if (!cg_take_u64(&line, &r->stated) ||
	    !cg_take_prefix(&line, " " FUNCTIONS))
		return cg_reject(r->job,
		    "expected a number of functions and '" FUNCTIONS "'");
	r->begun = true;
	if (!cg_take_prefix(&line, "_MULTI_"))
		(void)cg_take_char(&line, '_');
	line = cg_trim(line);
	if (line.len == 0 || cg_find(line, "TIME")) {
		event.name = CG_TIME_EVENT;
		event.long_name = "Time";
		event.unit = "ns";
		r->digits = NS_OF_US;
	} else {
		event.name =
		    cg_get_name(r->build, cg_add_name(r->build, line)).ptr;
		if (memchr(line.ptr, ' ', line.len))
			return cg_reject(
			    r->job, "expected a metric without blanks");
	}
	return cg_add_column(r->build, &event);
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	uint64_t count;

	if (!r->begun)
		return take_first(r, line);
	if (line.len == 0 || *line.ptr == '#')
		return true;
	if (*line.ptr != '"' && cg_take_u64(&line, &count)) {
		if (cg_starts(line, " " FUNCTIONS))
			return cg_reject(r->job, "expected one profile");
		r->ended |= cg_starts(line, " aggregates");
		if (cg_starts(line, " userevents"))
			r->events = count;
		return true;
	}
	/* Rows of aggregates and user events. */
	return r->ended || take_row(r, line);
}

static int
read_tau(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok = true, stacks;

	while (ok && table_line(in, &line))
		ok = take_line(&r, line);
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.row.n == 0)
			(void)cg_reject(job, "expected rows of functions");
		else if (r.rows != r.stated || cg_in_unterminated(in) ||
			 !r.ended)
			cg_warn(job,
			    "expected %llu functions, then 'aggregates': the "
			    "file may be truncated",
			    (unsigned long long)r.stated);
		if (r.samples > 0)
			cg_warn(job, "%llu rows of samples are skipped",
			    (unsigned long long)r.samples);
		if (r.events > 0)
			cg_note(job, "%llu user events are dropped",
			    (unsigned long long)r.events);
		stacks = are_stacks(&r);
		if (stacks)
			check_stacks(&r);
		for (size_t i = 0; i < r.row.n; i++)
			add_row(&r, &r.row.at[i], stacks);
	}
	return table_status(job, in, build);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice first = head->first;
	uint64_t count;

	return cg_take_u64(&first, &count) &&
		       cg_take_prefix(&first, " " FUNCTIONS)
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_tau = {
	CG_MODULE,
	.name = "tau",
	.title = "profiles of TAU (profile.0.0.0)",
	.text = true,
	.suffixes = "tau",
	.probe = probe,
	.read = read_tau,
};
