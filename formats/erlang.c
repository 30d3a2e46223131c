/*
 * erlang.c - texts of Erlang's profilers. fprof lists calls, by process:
 *
 *	[{ "<0.81.0>",                    338,undefined,    0.705},    %%
 *
 *	{[{{work,run,0},                    1,    1.062,    0.318},
 *	  {{work,fib,1},                  464,    0.000,    0.719}],
 *	 { {work,fib,1},                  465,    1.062,    1.037},     %
 *	 [{garbage_collect,                 3,    0.025,    0.025},
 *	  {{work,fib,1},                  464,    0.000,    0.719}]}.
 *
 * These are callers, the function, and what it calls: counts, accumulated and
 * own milliseconds. Callers are skipped, as they are what others call, once
 * more; so is the section of all processes. Suspended processes have no own
 * time in fprof: their waiting is the own cost of function suspend here, as in
 * erlgrind, so that own costs have the sum of what roots accumulate.
 *
 * eprof lists functions with their own microseconds, by process or of all:
 *
 *	****** Process <0.81.0>    -- 70.94 % of profiled time ***
 *	FUNCTION                     CALLS        %  TIME  [uS / CALLS]
 *	work:fib/1                     465    56.63    94  [      0.20]
 *	Total:                         723  100.00%   166  [      0.23]
 *
 * Processes become parts. Sources: fprof.erl and eprof.erl of OTP 25, their
 * manual, and files that they wrote.
 */
#include <string.h>

#include "cgconv_parse.h"

#define NS_OF_MS 6 /* digits */
#define NS_OF_US 3

struct row {
	struct cg_slice name;
	uint64_t count, all, own; /* of fprof: ns */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	uint64_t parts;
	bool in_process;     /* the rows belong to one process */
	struct row stated;   /* of the process, by its header or last line */
	uint64_t count, own; /* sums of its functions */
	bool seen;           /* any function */
	/* fprof */
	enum { NO_BLOCK, CALLERS, FUNCTION, CALLED } at;
	cg_fn fn;
	CG_ARRAY(char) text; /* of a name */
	/* eprof */
	bool named; /* the line with the process was read */
	bool in_table;
	bool of_all; /* tables are of all processes */
};

/* ---- Into the graph ------------------------------------------------------ */

static const struct cg_event event_time = {
	.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
};

/*
 * Begins a part (section of the graph) for a process. The part is named by the
 * pid of the process, "<0.81.0>". Resets the sums of the process's functions.
 */
static void
begin_part(struct reader *r, struct cg_slice pid)
{
	struct cg_part_info info = { .part = ++r->parts };

	info.cmd = cg_get_name(r->build, cg_add_name(r->build, pid)).ptr;
	(void)cg_add_part(r->build, &info);
	r->count = r->own = 0;
}

/*
 * Returns the function with a name such as "work:fib/1", and adds it to the
 * graph if it is new. Returns 0, the unknown caller, for "undefined".
 */
static cg_fn
add_fn(struct reader *r, struct cg_slice name)
{
	if (cg_equal(name, "undefined"))
		return 0;
	return cg_add_fn(r->build, name, 0, 0);
}

static bool
add_function(struct reader *r, const struct row *row, bool with_inclusive)
{
	const struct cg_pos nowhere = { 0 };
	const bool suspended = cg_equal(row->name, "suspend");
	const uint64_t own = suspended ? row->all : row->own;

	r->fn = add_fn(r, row->name);
	r->seen = true;
	r->count += row->count;
	r->own += row->own;
	if (own > 0)
		cg_add_cost(r->build, r->fn, &nowhere,
		    cg_columns_of(r->build, &own), cg_columns_width(r->build));
	if (with_inclusive && r->fn != 0)
		cg_add_inclusive(r->build, r->fn,
		    cg_columns_of(r->build, &row->all),
		    cg_columns_width(r->build));
	return cg_build_status(r->build) == CG_OK;
}

static bool
add_call(struct reader *r, cg_fn caller, const struct row *row, bool costs)
{
	const struct cg_pos nowhere = { 0 };

	return cg_add_call(r->build, caller, &nowhere, add_fn(r, row->name),
	    &nowhere, row->count,
	    costs ? cg_columns_of(r->build, &row->all) : NULL,
	    costs ? cg_columns_width(r->build) : 0);
}

/*
 * Adds calls of r->fn by the unknown caller, from a row of a table without
 * callers. The row has the number of calls. Does nothing if r->fn is the
 * unknown caller itself. False: the builder has failed.
 */
static bool
add_entry(struct reader *r, const struct row *row)
{
	return r->fn == 0 || add_call(r, 0, row, false);
}

/*
 * Ends the process that is open (r->in_process). Warns if the sums of its
 * functions differ from the counts and times that the text states for the
 * process, as the file may be truncated. Does nothing if no process is open.
 */
static void
check_sums(struct reader *r)
{
	if (!r->in_process)
		return;
	r->in_process = false;
	if (r->count != r->stated.count || r->own != r->stated.own)
		cg_warn(r->job,
		    "a process has %llu calls and %llu ns, its functions have "
		    "%llu and %llu: the file may be truncated",
		    (unsigned long long)r->stated.count,
		    (unsigned long long)r->stated.own,
		    (unsigned long long)r->count, (unsigned long long)r->own);
}

static int
end(struct reader *r, struct cg_in *in, const char *expected)
{
	if (cg_in_status(in) == CG_OK && cg_rejected(r->job) == CG_OK) {
		check_sums(r);
		if (cg_in_unterminated(in))
			cg_warn(r->job, "the last line is incomplete: the file "
					"may be truncated");
		if (!r->seen)
			(void)cg_reject(r->job, "expected %s", expected);
	}
	return cg_rejected(r->job) != CG_OK ? cg_rejected(r->job)
					    : cg_build_status(r->build);
}

/* ---- Terms --------------------------------------------------------------- */

/*
 * Returns the offset after the quoted text that begins at offset at; text.len
 * if its closing quote is missing.
 */
static size_t
skip_quoted(struct cg_slice text, size_t at)
{
	const char quote = text.ptr[at++];

	while (at < text.len && text.ptr[at] != quote)
		at += text.ptr[at] == '\\' ? 2 : 1;
	return at < text.len ? at + 1 : text.len;
}

/*
 * Removes an Erlang term from the begin of *text, and returns it without
 * blanks around it. The term ends at the first comma or closing bracket that
 * does not belong to it, or at the end of *text.
 */
static struct cg_slice
take_term(struct cg_slice *text)
{
	struct cg_slice term = *text;
	size_t depth = 0, at = 0;

	while (at < text->len) {
		const char c = text->ptr[at];

		if (c == '"' || c == '\'') {
			at = skip_quoted(*text, at);
			continue;
		}
		if (c == '{' || c == '[' || c == '(')
			depth++;
		else if (depth == 0 &&
			 (c == ',' || c == '}' || c == ']' || c == ')'))
			break;
		else if (c == '}' || c == ']' || c == ')')
			depth--;
		at++;
	}
	term.len = at;
	text->ptr += at;
	text->len -= at;
	return cg_trim(term);
}

/*
 * Returns the name of a function. The term {work,fib,1} becomes "work:fib/1",
 * which r->text holds until the next call. Any other term is returned as it
 * is. So is every term if memory runs out (reported).
 */
static struct cg_slice
name_of(struct reader *r, struct cg_slice term)
{
	struct cg_slice text = term, part[3];
	char *name, *to;

	if (!cg_take_char(&text, '{'))
		return term;
	for (size_t i = 0; i < 3; i++) {
		part[i] = take_term(&text);
		if (part[i].len == 0 || !cg_take_char(&text, i < 2 ? ',' : '}'))
			return term;
	}
	if (text.len > 0)
		return term;
	/* The punctuation of the term is longer than that of the name. */
	if (!cg_reserve(r->job, &r->text, term.len))
		return term;
	name = to = r->text.at;
	for (size_t i = 0; i < 3; i++) {
		memcpy(to, part[i].ptr, part[i].len);
		to += part[i].len;
		if (i < 2)
			*to++ = ":/"[i];
	}
	return (struct cg_slice){ name, (size_t)(to - name) };
}

/* ---- fprof --------------------------------------------------------------- */

/*
 * Takes ", 1.062", a time in milliseconds, off the begin of *text. Sets *ns to
 * it in nanoseconds. "undefined" becomes 0. So does a negative time, with a
 * warning, which occurs if the clock was set back. False: malformed (not
 * reported).
 */
static bool
take_time(struct reader *r, struct cg_slice *text, uint64_t *ns)
{
	if (!cg_take_char(text, ','))
		return false;
	(void)cg_take_blanks(text);
	*ns = 0;
	if (cg_take_prefix(text, "undefined"))
		return true;
	if (!cg_take_char(text, '-'))
		return cg_take_fixed(text, NS_OF_MS, ns);
	if (!cg_take_fixed(text, NS_OF_MS, ns))
		return false;
	if (*ns > 0)
		cg_warn(r->job, "negative times are read as 0");
	*ns = 0;
	return true;
}

/*
 * Takes a row, "{{work,fib,1}, 464, 0.000, 0.719}", off the begin of *text.
 * Stores its name, number of calls, accumulated time and own time in *row. The
 * row states times in milliseconds; they are stored in ns. False: malformed
 * (not reported).
 */
static bool
take_row(struct reader *r, struct cg_slice *text, struct row *row)
{
	(void)cg_take_blanks(text);
	if (!cg_take_char(text, '{'))
		return false;
	row->name = take_term(text);
	if (row->name.len == 0 || !cg_take_char(text, ','))
		return false;
	(void)cg_take_blanks(text);
	if (!cg_take_u64(text, &row->count) || !take_time(r, text, &row->all) ||
	    !take_time(r, text, &row->own) || !cg_take_char(text, '}'))
		return false;
	row->name = name_of(r, row->name);
	return true;
}

/*
 * Reads the header of a process, such as "[{ "<0.81.0>", 338,undefined,
 * 0.705},". Begins its part (section of the graph), after checking the sums of
 * the process before. A name without quotes, such as totals, begins none: its
 * functions are skipped. False: rejected (reported).
 */
static bool
take_section(struct reader *r, struct cg_slice line)
{
	struct row row;

	(void)cg_take_char(&line, '[');
	check_sums(r);
	if (!take_row(r, &line, &row))
		return cg_reject(r->job, "expected the counts and times of a "
					 "process, or of all: '[{ NAME, COUNT, "
					 "ACC, OWN}'");
	r->stated = row;
	r->in_process = *row.name.ptr == '"' && row.name.len > 2;
	if (r->in_process)
		begin_part(
		    r, (struct cg_slice){ row.name.ptr + 1, row.name.len - 2 });
	return true;
}

static bool
use_row(struct reader *r, const struct row *row)
{
	if (!r->in_process || r->at == CALLERS)
		return true;
	if (r->at == CALLED)
		return add_call(r, r->fn, row, true);
	return add_function(r, row, true);
}

/*
 * Reads the next line of an fprof block. A block is a list of callers, a
 * function, a list of callees; r->at says which is read. Adds a function or
 * callee of a process to the graph. Other blocks have the callers' calls.
 * False: rejected (reported).
 */
static bool
take_block(struct reader *r, struct cg_slice line)
{
	struct row row;
	bool empty;

	(void)cg_take_blanks(&line);
	if (r->at != FUNCTION && cg_take_char(&line, '['))
		(void)cg_take_blanks(&line);
	empty = r->at != FUNCTION && cg_starts(line, "]");
	if (!empty && (!take_row(r, &line, &row) || !use_row(r, &row)))
		return cg_reject(r->job, "expected '{{MODULE,FUNCTION,ARITY}, "
					 "COUNT, ACC, OWN}'");
	if (r->at == FUNCTION)
		r->at = CALLED;
	else if (cg_starts(line, "]"))
		r->at = r->at == CALLERS ? FUNCTION : NO_BLOCK;
	return true;
}

/*
 * Reads a function without callers, "{ {work,fib,1}, ...}.". Adds the
 * function, and its calls as calls from an unknown caller. Adds nothing
 * outside of a process. False: rejected (reported).
 */
static bool
take_alone(struct reader *r, struct cg_slice line)
{
	struct row row;

	if (!take_row(r, &line, &row))
		return cg_reject(r->job,
		    "expected '{[', or '{ FUNCTION, COUNT, "
		    "ACC, OWN}'");
	return !r->in_process ||
	       (add_function(r, &row, true) && add_entry(r, &row));
}

static bool
take_fprof(struct reader *r, struct cg_slice line)
{
	if (line.len == 0 || *line.ptr == '%')
		return true;
	if (r->at != NO_BLOCK)
		return take_block(r, line);
	if (cg_starts(line, "[{"))
		return take_section(r, line);
	if (cg_starts(line, "{[")) {
		line.ptr++;
		line.len--;
		r->at = CALLERS;
		return take_block(r, line);
	}
	/* The options, "{  analysis_options,", and what a process ran. */
	if (*line.ptr != '{' || cg_find(line, " analysis_options,"))
		return true;
	return take_alone(r, line);
}

static int
read_fprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;

	(void)cg_add_column(build, &event_time);
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_fprof(&r, line))
			break;
	}
	if (r.at != NO_BLOCK && cg_rejected(job) == CG_OK)
		cg_warn(job, "expected ']}.' after the last function: the file "
			     "may be truncated");
	return end(&r, in,
	    "functions of processes, as fprof:analyse() with "
	    "details writes them");
}

static int
probe_fprof(const struct cg_head *head)
{
	return cg_starts(head->first, "%% Analysis results:") ? CG_PROBE_SURE
							      : CG_PROBE_NO;
}

/* ---- eprof --------------------------------------------------------------- */

#define PROCESS "****** Process "

static bool
is_header(struct cg_slice line)
{
	return cg_starts(line, "FUNCTION ") && cg_find(line, " CALLS ") &&
	       cg_find(line, " TIME ") && cg_find(line, "[uS / CALLS]");
}

/*
 * Reads a row of eprof into *row: a name, then columns such as "465 40.17 94 [
 * 0.20]". They are calls, percentage, microseconds (stored in ns) and
 * microseconds of a call. False: not a row.
 */
static bool
take_columns(struct cg_slice line, struct row *row)
{
	struct cg_slice field[3];
	size_t end = line.len, begin;

	if (end == 0 || line.ptr[end - 1] != ']')
		return false;
	while (end > 0 && line.ptr[end - 1] != '[')
		end--;
	for (size_t i = 0; i < 3; i++) {
		end -= end > 0;
		while (end > 0 && line.ptr[end - 1] == ' ')
			end--;
		for (begin = end; begin > 0 && line.ptr[begin - 1] != ' ';)
			begin--;
		field[i] = (struct cg_slice){ line.ptr + begin, end - begin };
		end = begin;
	}
	line.len = end;
	row->name = cg_trim(line);
	return row->name.len > 0 &&
	       cg_take_fixed(&field[0], NS_OF_US, &row->own) &&
	       field[0].len == 0 && cg_get_u64(field[2], &row->count);
}

static bool
take_table_row(struct reader *r, struct cg_slice line)
{
	struct row row = { .all = 0 };

	if (line.len == 0 || *line.ptr == '-')
		return true;
	if (!take_columns(line, &row))
		return cg_reject(r->job,
		    "expected 'MODULE:FUNCTION/ARITY CALLS "
		    "PERCENT TIME [TIME]'");
	if (cg_equal(row.name, "Total:")) {
		r->stated = row;
		check_sums(r);
		r->in_table = false;
		return true;
	}
	return !r->in_process ||
	       (add_function(r, &row, false) && add_entry(r, &row));
}

/*
 * Begins a table of eprof, with a part (section of the graph) named by pid.
 * After tables of single processes, warns of one for all (of_all) and skips
 * it, or the reverse: it repeats their functions.
 */
static void
begin_table(struct reader *r, bool of_all, struct cg_slice pid)
{
	if (r->parts > 0 && of_all != r->of_all) {
		cg_warn(r->job,
		    "the functions of all processes are in the file "
		    "once more: they are skipped");
		r->in_process = false;
		return;
	}
	r->of_all = of_all;
	begin_part(r, pid);
	r->in_process = true;
}

static bool
take_eprof(struct reader *r, struct cg_slice line)
{
	const struct cg_slice none = { "", 0 };
	struct cg_slice pid;

	if (r->in_table)
		return take_table_row(r, line);
	if (cg_take_prefix(&line, PROCESS) && cg_take_word(&line, &pid)) {
		begin_table(r, false, pid);
		r->named = true;
	} else if (is_header(line)) {
		if (!r->named)
			begin_table(r, true, none);
		r->named = false;
		r->in_table = true;
	}
	return true;
}

static int
read_eprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;

	(void)cg_add_column(build, &event_time);
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_eprof(&r, line))
			break;
	}
	if (r.in_table && cg_rejected(job) == CG_OK) {
		r.in_process = false;
		cg_warn(job,
		    "expected 'Total:' at the end of a table: the file "
		    "may be truncated");
	}
	return end(
	    &r, in, "'FUNCTION CALLS % TIME [uS / CALLS]' and functions");
}

/*
 * Returns CG_PROBE_SURE for a text with a header line of eprof. Returns
 * CG_PROBE_LIKELY if the first line that is not empty names a process, else
 * CG_PROBE_NO. Output of the profiled program may precede the tables.
 */
static int
probe_eprof(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	bool first = true;

	while (cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (is_header(line))
			return CG_PROBE_SURE;
		if (first && cg_starts(line, PROCESS))
			return CG_PROBE_LIKELY;
		first &= line.len == 0;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_fprof = {
	CG_MODULE,
	.name = "fprof",
	.title = "calls of Erlang programs, by fprof:analyse()",
	.text = true,
	.suffixes = "fprof;analysis",
	.probe = probe_fprof,
	.read = read_fprof,
};

const struct cg_module cg_format_eprof = {
	CG_MODULE,
	.name = "eprof",
	.title = "functions of Erlang programs, by eprof:analyze()",
	.text = true,
	.suffixes = "eprof",
	.probe = probe_eprof,
	.read = read_eprof,
};
