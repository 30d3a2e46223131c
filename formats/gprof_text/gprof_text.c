/*
 * gprof_text.c - gprof-text: the report printed by gprof: flat profile and
 * call graph, for use without the gmon.out.
 *
 * Times have the precision of the report. Self times come from the flat
 * profile, else from the call graph. Calls come from the callees of each
 * function in the call graph. Inclusive times are computed from both, as gprof
 * itself does:
 *
 *	[5]      0.2    0.00    0.00       1         left [5]
 *	                0.00    0.00       5/9           one <cycle 2> [9]
 *
 * Source: gprof's cg_print.c and hist.c, and its manual.
 */
#include <string.h>

#include "gprof_text.h"

#define FLAT "Flat profile:"
#define GRAPH "granularity: each sample hit covers "
#define RULE "-----"

enum section { NOWHERE, IN_FLAT, IN_GRAPH };

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	enum section section;
	bool in_rows; /* of the flat profile: after its head */
	bool flat;    /* the report has a flat profile with self times */
	bool seen, whole;
	cg_fn fn;           /* of the entry, after its own line; 0: before it */
	struct cg_pos site; /* position of the entry, with gprof -l */
};

/* A line's numbers, and the name after them. */
struct row {
	uint64_t
	    ns[3]; /* times, in nanoseconds; the first may be a percentage */
	size_t times;
	uint64_t calls;
	bool called;
	struct cg_slice name;
};

/* ---- Lines --------------------------------------------------------------- */

/*
 * Reads a number of calls, "5", "5/9" or "1+57312", from *text to *calls. Only
 * the first number counts: the second is the callee's total or the recursive
 * calls. False: malformed, and nothing is taken.
 */
static bool
take_calls(struct cg_slice *text, uint64_t *calls)
{
	struct cg_slice rest = *text;
	uint64_t others;

	(void)cg_take_blanks(&rest);
	if (!cg_take_u64(&rest, calls))
		return false;
	if ((cg_take_char(&rest, '/') || cg_take_char(&rest, '+')) &&
	    !cg_take_u64(&rest, &others))
		return false;
	if (!cg_take_blanks(&rest))
		return false;
	*text = rest;
	return true;
}

static void
take_row(struct cg_slice line, struct row *row)
{
	*row = (struct row){ .times = 0 };
	while (row->times < 3 && gprof_text_time(&line, &row->ns[row->times]))
		row->times++;
	row->called = take_calls(&line, &row->calls);
	row->name = gprof_text_name(cg_trim(line));
}

/*
 * Removes the position from the end of a name, and sets *pos to it. gprof -l
 * writes such names: "leaf (basic.c:5 @ 1207)". If there is no position,
 * leaves the name, and sets *pos to zero.
 */
static void
take_place(struct reader *r, struct cg_slice *name, struct cg_pos *pos)
{
	struct cg_slice inner, file;
	size_t at = name->len;
	uint64_t line;

	*pos = (struct cg_pos){ 0 };
	if (at == 0 || name->ptr[at - 1] != ')')
		return;
	while (at > 1 && (name->ptr[at - 1] != '(' || name->ptr[at - 2] != ' '))
		at--;
	if (at < 2)
		return;
	inner = (struct cg_slice){ name->ptr + at, name->len - 1 - at };
	if (!cg_take_until(&inner, ':', &file) || file.len == 0 ||
	    !cg_take_u64(&inner, &line) || line > UINT32_MAX ||
	    !cg_take_prefix(&inner, " @ "))
		return;
	name->len = at - 2;
	pos->file = cg_add_file(r->build, file);
	pos->line = (uint32_t)line;
}

static cg_fn
add_function(struct reader *r, struct cg_slice name, struct cg_pos *pos)
{
	take_place(r, &name, pos);
	return cg_add_fn(r->build, name, pos->file, 0);
}

static bool
add_self(struct reader *r, struct cg_slice name, uint64_t ns)
{
	struct cg_pos pos;
	cg_fn fn = add_function(r, name, &pos);

	return cg_add_cost(r->build, fn, &pos, cg_columns_of(r->build, &ns),
	    cg_columns_width(r->build));
}

/* ---- The flat profile ---------------------------------------------------- */

/*
 * Reads a line of the flat profile, such as " 33.34 0.02 0.02 7208 0.00 0.00
 * open", and adds the function's self time. Skips the lines of the head. An
 * empty line ends the profile. False: an error (reported).
 */
static bool
take_flat(struct reader *r, struct cg_slice line)
{
	struct cg_slice rest = line;
	uint64_t percent, so_far, self, calls, unused;

	if (!r->in_rows) {
		/* The second line of the head ends with the names' title. */
		r->in_rows = cg_starts(cg_trim(line), "time ");
		return true;
	}
	if (cg_trim(line).len == 0 || *line.ptr == '\f') {
		r->section = NOWHERE;
		return true;
	}
	if (!gprof_text_time(&rest, &percent) ||
	    !gprof_text_time(&rest, &so_far) || !gprof_text_time(&rest, &self))
		return cg_reject(
		    r->job, "expected a percentage, two times and a function");
	if (take_calls(&rest, &calls) && (!gprof_text_time(&rest, &unused) ||
					     !gprof_text_time(&rest, &unused)))
		return cg_reject(r->job, "expected times of calls");
	r->seen = r->flat = true;
	return add_self(r, gprof_text_name(cg_trim(rest)), self);
}

/* ---- The call graph ------------------------------------------------------ */

/*
 * Reads an entry's own line in the call graph, "[5] 0.2 0.00 0.00 1 left [5]".
 * Begins the entry; r->fn is 0 for a whole cycle. Adds the self time unless a
 * flat profile has it. False: an error (reported).
 */
static bool
begin_entry(struct reader *r, struct cg_slice line)
{
	struct cg_slice index;
	struct row row;

	(void)cg_take_until(&line, ']', &index);
	take_row(line, &row);
	if (row.times < 3 || row.name.len == 0)
		return cg_reject(
		    r->job, "expected a percentage, two times and a function");
	r->seen = true;
	/* The members of a cycle have their own entries. */
	r->whole = row.name.len > 0 && *row.name.ptr == '<';
	r->fn = r->whole ? 0 : add_function(r, row.name, &r->site);
	return r->whole || r->flat || add_self(r, row.name, row.ns[1]);
}

/*
 * Adds the call of a callee, from a line after the entry's own. Lines before
 * are callers, whose entries have the calls, too. They and members of a whole
 * cycle (r->fn is 0) are skipped. False: an error (reported).
 */
static bool
take_callee(struct reader *r, struct cg_slice line)
{
	struct cg_pos entry;
	struct row row;
	cg_fn callee;

	if (r->fn == 0)
		return true;
	take_row(line, &row);
	if (!row.called || row.name.len == 0)
		return cg_reject(
		    r->job, "expected a number of calls and a function");
	callee = add_function(r, row.name, &entry);
	return cg_add_call(
	    r->build, r->fn, &r->site, callee, &entry, row.calls, NULL, 0);
}

static bool
take_graph(struct reader *r, struct cg_slice line)
{
	if (cg_starts(line, RULE)) {
		r->fn = 0;
		return true;
	}
	if (line.len > 0 && *line.ptr == '[')
		return begin_entry(r, line);
	if (line.len > 0 && *line.ptr == '\f') {
		r->section = NOWHERE;
		return true;
	}
	/* The head, an explanation or the index. */
	if (line.len == 0 || *line.ptr != ' ' || cg_trim(line).len == 0)
		return true;
	return take_callee(r, line);
}

/* ---- The report ---------------------------------------------------------- */

static bool
take_line(struct reader *r, struct cg_slice line)
{
	cg_cut_return(&line);
	if (cg_equal(cg_trim(line), FLAT)) {
		r->section = IN_FLAT;
		r->in_rows = false;
		return true;
	}
	if (cg_starts(line, GRAPH)) {
		r->section = IN_GRAPH;
		r->fn = 0;
		return true;
	}
	switch (r->section) {
	case IN_FLAT: return take_flat(r, line);
	case IN_GRAPH: return take_graph(r, line);
	case NOWHERE: break;
	}
	return true;
}

static int
read_report(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event time = { .name = "ns",
		.long_name = "Time",
		.unit = "ns",
		.incl = CG_INCL_BY_COUNTS };
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok = true;

	(void)cg_add_column(build, &time);
	while (ok && cg_read_line(in, &line))
		ok = take_line(&r, line);
	if (ok && cg_in_status(in) == CG_OK) {
		if (!r.seen)
			(void)cg_reject(
			    job, "expected a flat profile or a call graph");
		else if (r.section == IN_GRAPH && r.fn != 0)
			cg_warn(job, "expected a line of dashes after the last "
				     "entry: the file may be truncated");
		else if (cg_in_unterminated(in))
			cg_warn(job, "expected a newline at the end: the file "
				     "may be truncated");
		if (r.seen)
			cg_note(job,
			    "times are as gprof has rounded them; gmon.out has "
			    "them exactly");
	}
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

static bool
has_line(struct cg_slice text, const char *start)
{
	struct cg_slice line;

	while (cg_take_line(&text, &line))
		if (cg_starts(line, start))
			return true;
	return false;
}

static int
probe(const struct cg_head *head)
{
	static const char *const firsts[] = { FLAT, GRAPH, "Call graph",
		"call graph profile" };
	const struct cg_slice first = cg_head_line(head);
	bool ours = false;

	for (size_t i = 0; i < sizeof(firsts) / sizeof(*firsts); i++)
		ours |= cg_starts(first, firsts[i]);
	return cg_equal(first, FLAT) || (ours && has_line(head->text, GRAPH))
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_gprof_text = {
	CG_MODULE,
	.name = "gprof-text",
	.title = "the report that gprof prints",
	.text = true,
	.suffixes = "gprof.txt",
	.probe = probe,
	.read = read_report,
};
