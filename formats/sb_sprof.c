/*
 * sb_sprof.c - sb-sprof: reports of SBCL's statistical profiler, :flat or
 * :graph, of times or of allocations:
 *
 *	Number of samples:   75
 *	Sample interval:     0.005 seconds
 *	     6   8.0                   RIGHT [29]
 *	    22  29.3     61  81.3   SPIN [2]
 *	    33  44.0                   TRUNCATE [1]
 *
 * An entry of the graph has callers, the function with its own samples and
 * those in which it was on the stack, and callees with the samples of the call.
 * :graph prints the flat report, too, which has the numbers of calls that
 * SB-SPROF:PROFILE-CALL-COUNTS counted, and samples elsewhere. Functions with
 * the same name are merged; parts of cycles are listed once more before the
 * graph, and skipped there.
 *
 * Source: contrib/sb-sprof/report.lisp of SBCL 2.2.9. Costs are numbers of
 * samples, and samples times the interval: nanoseconds, or bytes of allocation
 * regions.
 */
#include "cgconv_parse.h"

#define SAMPLES "Number of samples:"
#define INTERVAL "Sample interval:"
#define ALLOC_INTERVAL "Alloc interval:"
#define GRAPH_HEAD "Count     %  Count     %      Callees"
#define FLAT_HEAD "Nr  Count "
#define ELSEWHERE "elsewhere"
#define NS_OF_S 9 /* digits */
#define BYTES_OF_KB 1024
#define OTHERS 8 /* blanks behind the numbers of callers and callees */

enum section { HEADER, GRAPH, FLAT };

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	enum section section;
	uint64_t samples;  /* of the header */
	uint64_t interval; /* nanoseconds or bytes of a sample; 0: unknown */
	bool graph, ended;
	cg_fn fn; /* of the entry, after its own line; 0: before it */
	uint64_t rows;
};

/* ---- Header -------------------------------------------------------------- */

static void
add_events(struct reader *r, bool allocations)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" };
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	static const struct cg_event bytes = { .name = "bytes",
		.long_name = "Allocated memory",
		.unit = "bytes" };

	(void)cg_add_column(r->build, &samples);
	(void)cg_add_column(r->build, allocations ? &bytes : &time);
}

/*
 * Reads the sampling interval into r->interval, and adds the events. The line
 * is "Sample interval: 0.005 seconds", stored in ns, or "Alloc interval: 1
 * regions (approximately 32 kB)", stored in bytes. False: malformed, or a
 * second interval (reported).
 */
static bool
take_interval(struct reader *r, struct cg_slice line, bool allocations)
{
	struct cg_slice before;
	bool ok;

	(void)cg_take_blanks(&line);
	if (allocations)
		ok = cg_take_until(&line, '(', &before) &&
		     cg_take_prefix(&line, "approximately ") &&
		     cg_take_u64(&line, &r->interval) &&
		     !__builtin_mul_overflow(
			 r->interval, BYTES_OF_KB, &r->interval);
	else
		ok = cg_take_fixed(&line, NS_OF_S, &r->interval);
	if (!ok || r->interval == 0 || r->interval > UINT32_MAX * 1000ULL)
		return cg_reject(
		    r->job, "expected an interval in seconds or kB");
	if (cg_columns_added(r->build) > 0)
		return cg_reject(r->job, "expected one interval");
	add_events(r, allocations);
	return true;
}

static bool
take_header(struct reader *r, struct cg_slice line)
{
	if (cg_take_prefix(&line, SAMPLES)) {
		(void)cg_take_blanks(&line);
		if (!cg_take_u64(&line, &r->samples))
			return cg_reject(
			    r->job, "expected a number of samples");
	} else if (cg_take_prefix(&line, INTERVAL)) {
		return take_interval(r, line, false);
	} else if (cg_take_prefix(&line, ALLOC_INTERVAL)) {
		return take_interval(r, line, true);
	}
	return true;
}

/* ---- Rows ---------------------------------------------------------------- */

/*
 * Takes a number of samples and their percentage, such as " 33 44.0", off the
 * begin of *line. Sets *count to the number of samples. False: malformed (not
 * reported).
 */
static bool
take_count(struct cg_slice *line, uint64_t *count)
{
	uint64_t percent;

	(void)cg_take_blanks(line);
	if (!cg_take_u64(line, count))
		return false;
	(void)cg_take_blanks(line);
	return cg_take_fixed(line, 1, &percent);
}

/*
 * Adds a function to the graph, and returns it. A number in brackets after its
 * name, "SPIN [2]", is no part of the name, and is cut off.
 */
static cg_fn
add_fn(struct reader *r, struct cg_slice name)
{
	size_t at;

	name = cg_trim(name);
	at = name.len;
	if (at > 0 && name.ptr[at - 1] == ']') {
		while (at > 0 && name.ptr[at - 1] != '[')
			at--;
		if (at > 1 && name.ptr[at - 2] == ' ')
			name.len = at - 2;
	}
	return cg_add_fn(r->build, name, 0, 0);
}

static bool
get_cost(struct reader *r, uint64_t samples, uint64_t *cost)
{
	cost[0] = samples;
	if (__builtin_mul_overflow(samples, r->interval, &cost[1]))
		return cg_reject(
		    r->job, "expected samples whose costs fit in 64 bits");
	return true;
}

static bool
add_function(struct reader *r, cg_fn fn, uint64_t self, uint64_t all)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t cost[2];

	r->rows++;
	if (!get_cost(r, all, cost))
		return false;
	cg_add_inclusive(r->build, fn, cg_columns_of(r->build, cost),
	    cg_columns_width(r->build));
	if (!get_cost(r, self, cost))
		return false;
	return cg_add_cost(r->build, fn, &nowhere,
	    cg_columns_of(r->build, cost), cg_columns_width(r->build));
}

/*
 * Reads a line of the graph. An entry has indented callers, a function, and
 * indented callees. Adds the samples of the function, and a call with samples
 * for each callee. Skips callers, as their own entries list the same calls.
 * False: an error (reported).
 */
static bool
take_entry(struct reader *r, struct cg_slice line)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_slice rest;
	uint64_t count, all, cost[2];

	if (!take_count(&line, &count))
		return cg_reject(
		    r->job, "expected samples, a percentage and a function");
	rest = line;
	(void)cg_take_blanks(&rest);
	if (line.len - rest.len < OTHERS) {
		if (!take_count(&line, &all) || cg_trim(line).len == 0)
			return cg_reject(r->job,
			    "expected samples, a percentage and a function");
		r->fn = add_fn(r, line);
		return add_function(r, r->fn, count, all);
	}
	return r->fn == 0 ||
	       (get_cost(r, count, cost) &&
		   cg_add_call(r->build, r->fn, &nowhere, add_fn(r, rest),
		       &nowhere, 0, cg_columns_of(r->build, cost),
		       cg_columns_width(r->build)));
}

/*
 * Reads the last line of a report, " 1 1.3 elsewhere". Adds its samples to a
 * function of that name, and sets r->ended. False: an error (reported).
 */
static bool
take_elsewhere(struct reader *r, struct cg_slice line)
{
	uint64_t count;

	r->ended = true;
	if (!take_count(&line, &count))
		return cg_reject(r->job, "expected samples elsewhere");
	return count == 0 ||
	       add_function(r, cg_add_fn(r->build, cg_slice(ELSEWHERE), 0, 0),
		   count, count);
}

/*
 * Reads a row of the flat report: adds the calls, from fn 0, and, without a
 * graph, the samples. The graph has all functions; the report may not. False:
 * an error (reported).
 */
static bool
take_row(struct reader *r, struct cg_slice line)
{
	const struct cg_pos nowhere = { 0 };
	uint64_t number, self, all, sum;
	struct cg_slice calls;
	cg_fn fn;

	if (cg_find(line, ELSEWHERE) && line.ptr[line.len - 1] == 'e' &&
	    cg_starts(line, "     "))
		return take_elsewhere(r, line);
	(void)cg_take_blanks(&line);
	if (!cg_take_u64(&line, &number) || !take_count(&line, &self) ||
	    !take_count(&line, &all) || !take_count(&line, &sum) ||
	    !cg_take_blanks(&line) || !cg_take_word(&line, &calls) ||
	    cg_trim(line).len == 0)
		return cg_reject(r->job, "expected a number, three counts with "
					 "percentages, calls and a function");
	fn = cg_add_fn(r->build, cg_trim(line), 0, 0);
	if (!r->graph && !add_function(r, fn, self, all))
		return false;
	return !cg_get_u64(calls, &number) || number == 0 ||
	       cg_add_call(
		   r->build, 0, &nowhere, fn, &nowhere, number, NULL, 0);
}

/* ---- The report ---------------------------------------------------------- */

static bool
take_line(struct reader *r, struct cg_slice line)
{
	struct cg_slice text;

	cg_cut_return(&line);
	text = cg_trim(line);
	if (cg_equal(text, GRAPH_HEAD) || cg_starts(text, FLAT_HEAD)) {
		if (r->interval == 0)
			return cg_reject(r->job,
			    "expected '" INTERVAL "' before the report");
		r->section = cg_starts(text, FLAT_HEAD) ? FLAT : GRAPH;
		r->graph |= r->section == GRAPH;
		return true;
	}
	if (r->section == HEADER)
		return take_header(r, line);
	if (text.len == 0 || cg_starts(text, "-----")) {
		r->fn = 0;
		return true;
	}
	if (r->section == GRAPH)
		return cg_starts(text, "Self  ") || take_entry(r, line);
	return take_row(r, line);
}

static int
read_sb_sprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	uint64_t cost[2];
	bool ok = true;

	while (ok && cg_read_line(in, &line)) {
		/* Other output may follow, or a second report of the same. */
		if (r.ended && cg_starts(line, SAMPLES)) {
			cg_warn(job, "reports after the first one are skipped");
			break;
		}
		ok = r.ended || take_line(&r, line);
	}
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.rows == 0)
			(void)cg_reject(
			    job, "expected a :flat or :graph report");
		else if (!r.ended)
			cg_warn(job, "expected '" ELSEWHERE "' at the end: the "
				     "file may be truncated");
		else if (get_cost(&r, r.samples, cost))
			cg_state_total(build, NULL, cg_columns_of(build, cost),
			    cg_columns_width(build), false);
	}
	if (cg_in_status(in) != CG_OK)
		return cg_in_status(in);
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

/*
 * Returns CG_PROBE_SURE if the text has the line of the number of samples, and
 * the interval below it. Else returns CG_PROBE_NO. Other output may precede
 * the report.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	bool samples = false;

	while (cg_take_line(&text, &line)) {
		if (samples && (cg_starts(line, INTERVAL) ||
				   cg_starts(line, ALLOC_INTERVAL)))
			return CG_PROBE_SURE;
		samples = cg_starts(line, SAMPLES) ||
			  (samples && cg_starts(line, "Unique traces:"));
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_sb_sprof = {
	CG_MODULE,
	.name = "sb-sprof",
	.title = "reports of SBCL's statistical profiler",
	.text = true,
	.suffixes = "sb-sprof",
	.probe = probe,
	.read = read_sb_sprof,
};
