/*
 * xdebug.c - xdebug: function traces of PHP's Xdebug (.xt), in the
 * computerized format (xdebug.trace_format=1) or the human-readable format
 * (0):
 *
 *	2	1	0	0.001308	397560	Shape->area	1	...
 *	2	1	1	0.014067	397560
 *
 *	    0.0133     397560     -> Shape->area($n = 2000) /a/trace.php:15
 *
 * A record has a level, the call's number, 0 (it begins), 1 (it ends) or a
 * letter, the time in seconds and the memory in use. The human-readable format
 * states the end of a call only with a return value; any other call ends when
 * a call of the same or a lower level begins.
 *
 * Stacks, numbers of calls, times in their order and increases of memory
 * survive; arguments, values, lines of call sites and decreases are lost.
 * Source: Xdebug's documentation (execution trace), trace_computerized.c and
 * trace_textual.c of Xdebug 3.2, and stackcollapse-xdebug.php.
 */
#include <string.h>

#include "cgconv_parse.h"

#define START "TRACE START ["
#define END "TRACE END "
#define VERSION "Version: "
#define FILE_FORMAT "File format: "

struct open {
	uint64_t level;
	cg_node node;
	cg_fn fn;
};

struct record {
	uint64_t level, ns, bytes;
	bool begins, ends;
	struct cg_slice name, file; /* file: the included file */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	bool text; /* human-readable format */
	bool in_trace, returns;
	bool kept; /* the target can represent times */
	CG_ARRAY(struct open) open;
	uint64_t ns, bytes; /* of the last record */
	uint64_t records;
};

/* ---- Records ------------------------------------------------------------- */

static bool
get_seconds(struct cg_slice text, uint64_t *ns)
{
	return cg_take_fixed(&text, 9, ns) && text.len == 0 && *ns <= INT64_MAX;
}

/*
 * Reads a record of the computerized format into *record. Its fields are
 * separated by tabs. A record that begins a call sets record->begins, one that
 * ends a call sets record->ends. Other records leave both false. The last
 * record of a trace has neither, but a time and a number of bytes. False:
 * malformed (not reported).
 */
static bool
take_fields(struct cg_slice line, struct record *record)
{
	struct cg_slice field[8] = { { "", 0 } };
	size_t n = 0;

	while (n < 8 && cg_take_until(&line, '\t', &field[n]))
		n++;
	record->begins = cg_equal(field[2], "0");
	record->ends = cg_equal(field[2], "1");
	/* The last line of a trace has neither level nor kind. */
	if (!record->begins && !record->ends && field[0].len > 0)
		return true;
	record->name = field[5];
	record->file = field[7];
	if (field[0].len > 0 && !cg_get_u64(field[0], &record->level))
		return false;
	return get_seconds(field[3], &record->ns) &&
	       cg_get_u64(field[4], &record->bytes) &&
	       (!record->begins || record->name.len > 0);
}

/*
 * Reads a record of the human-readable format, "0.0133 397560 -> Shape->area()
 * /a/trace.php:15", into *record; the arrow's column gives the level. Records
 * other than calls set neither flag. False: malformed (not reported).
 */
static bool
take_columns(struct cg_slice line, struct record *record)
{
	const char *begin = line.ptr;
	struct cg_slice rest = line, word, name;

	(void)cg_take_blanks(&rest);
	if (!cg_take_word(&rest, &word) || !get_seconds(word, &record->ns))
		return cg_starts(word, "=>"); /* an assignment */
	(void)cg_take_blanks(&rest);
	if (!cg_take_u64(&rest, &record->bytes))
		return false;
	(void)cg_take_blanks(&rest);
	if (rest.len > 0 && (*rest.ptr == '+' || cg_starts(rest, "-0") ||
				(*rest.ptr == '-' && !cg_starts(rest, "->"))))
		(void)cg_take_word(&rest, &word); /* growth of memory */
	(void)cg_take_blanks(&rest);
	/* A level is two columns wide; returns are one column further right. */
	record->level = (uint64_t)(rest.ptr - begin - cg_starts(rest, ">")) / 2;
	record->ends = cg_take_prefix(&rest, ">=> ");
	record->begins = !record->ends && cg_take_prefix(&rest, "-> ");
	if (record->begins && cg_take_until(&rest, '(', &name)) {
		record->name = name;
		if (rest.len > 0 && *rest.ptr == '/' &&
		    cg_take_until(&rest, ')', &name))
			record->file = name;
	}
	return record->ends || record->name.len > 0 || rest.len == 0;
}

/* ---- Calls --------------------------------------------------------------- */

static void
keep_moment(struct reader *r)
{
	const struct cg_moment moment = { .time = (int64_t)r->ns,
		.node = r->open.n > 0 ? r->open.at[r->open.n - 1].node : 0 };

	if (r->kept)
		cg_add_moment(r->build, &moment);
}

/*
 * Adds the time since the last record to the innermost open call. Also adds
 * the growth of memory; a decrease counts as 0. Adds nothing if no call is
 * open. Then stores the record's time and memory in r->ns and r->bytes, for
 * the next record. False: the record's time is before the last one (reported).
 */
static bool
pass_time(struct reader *r, const struct record *record)
{
	const uint64_t cost[2] = { record->ns - r->ns,
		record->bytes > r->bytes ? record->bytes - r->bytes : 0 };

	if (record->ns < r->ns)
		return cg_reject(r->job, "expected a time that is not before "
					 "the last one");
	if (r->open.n > 0)
		cg_add_stack(r->build, r->open.at[r->open.n - 1].node, 0,
		    cg_columns_of(r->build, cost), cg_columns_width(r->build));
	r->ns = record->ns;
	r->bytes = record->bytes;
	return true;
}

static void
end_calls(struct reader *r, uint64_t level)
{
	while (r->open.n > 0 && r->open.at[r->open.n - 1].level >= level) {
		r->open.n--;
		keep_moment(r);
	}
}

static bool
begin_call(struct reader *r, const struct record *record)
{
	const struct cg_pos nowhere = { 0 };
	const struct open *caller;
	struct open open = { .level = record->level };

	caller = r->open.n > 0 ? &r->open.at[r->open.n - 1] : NULL;
	open.fn = cg_add_fn(
	    r->build, record->name, cg_add_file(r->build, record->file), 0);
	open.node = cg_add_frame(
	    r->build, caller ? caller->node : 0, open.fn, &nowhere, false);
	(void)cg_add_call(r->build, caller ? caller->fn : 0, &nowhere, open.fn,
	    &nowhere, 1, NULL, 0);
	if (!cg_append(r->job, &r->open, open))
		return false;
	keep_moment(r);
	return true;
}

static bool
run_record(struct reader *r, const struct record *record)
{
	if (!pass_time(r, record))
		return false;
	r->records++;
	r->returns |= r->text && record->ends;
	end_calls(r, record->level);
	return (!record->begins || begin_call(r, record)) &&
	       cg_build_status(r->build) == CG_OK;
}

/* ---- Traces -------------------------------------------------------------- */

static void
add_events(struct reader *r)
{
	static const struct cg_event ns = {
		.name = "ns", .long_name = "Time", .unit = "ns"
	};
	static const struct cg_event bytes = { .name = "bytes",
		.long_name = "Increases of memory",
		.unit = "bytes" };

	(void)cg_add_column(r->build, &ns);
	(void)cg_add_column(r->build, &bytes);
	r->kept = cg_begin_timeline(r->build);
}

/*
 * Ends all open calls of the trace before, and begins a trace. Each trace of a
 * file has a clock of its own, which starts at 0. So if timelines are kept
 * (r->kept), each trace gets a timeline of its own.
 */
static void
begin_trace(struct reader *r)
{
	const struct cg_track track = {
		.name = "", .unit = "ns", .spans = true, .process = ""
	};

	end_calls(r, 0);
	r->ns = r->bytes = 0;
	r->in_trace = true;
	if (r->kept)
		(void)cg_add_track(r->build, &track);
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	struct record record = { .name = { "", 0 } };

	if (cg_starts(line, START)) {
		begin_trace(r);
		return true;
	}
	if (cg_starts(line, FILE_FORMAT)) {
		r->text = false;
		return true;
	}
	if (cg_starts(line, END)) {
		end_calls(r, 0);
		r->in_trace = false;
		return true;
	}
	if (!r->in_trace || cg_trim(line).len == 0)
		return true;
	if (!r->text) {
		if (!take_fields(line, &record))
			return cg_reject(r->job, "expected a level, a number, "
						 "0 or 1, a time, a size and a "
						 "function");
	} else if (!take_columns(line, &record)) {
		return cg_reject(
		    r->job, "expected a time, a size, \"->\" and a function");
	}
	return record.ns == 0 && !record.begins && !record.ends
		   ? true
		   : run_record(r, &record);
}

static int
read_xdebug(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build, .text = true };
	struct cg_slice line;
	bool ok = true;

	add_events(&r);
	while (ok && cg_read_line(in, &line)) {
		cg_cut_return(&line);
		ok = take_line(&r, line);
	}
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.records == 0)
			(void)cg_reject(
			    job, "expected \"" START "\" and calls");
		else if (r.in_trace)
			cg_warn(job, "expected \"" END "\": the file may be "
				     "truncated");
		if (r.text && r.records > 0 && !r.returns)
			cg_note(job, "calls end where the next one begins: "
				     "xdebug.trace_format=1 states their ends");
		end_calls(&r, 0);
	}
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;

	if (cg_starts(head->first, START))
		return CG_PROBE_SURE;
	return cg_starts(head->first, VERSION) && cg_take_line(&text, &line) &&
		       cg_starts(text, FILE_FORMAT)
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_xdebug = {
	CG_MODULE,
	.name = "xdebug",
	.title = "function traces of PHP's Xdebug",
	.text = true,
	.suffixes = "xt",
	.probe = probe,
	.read = read_xdebug,
};
