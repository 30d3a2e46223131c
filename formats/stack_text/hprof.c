/*
 * hprof.c - hprof: text of HPROF, the agent that the JDK had up to version 8:
 *
 *	TRACE 300011: (thread=200001)
 *		java.io.FileInputStream.read(FileInputStream.java:177)
 *		Main.main(Main.java:Unknown line)
 *	CPU SAMPLES BEGIN (total = 3170) Mon Aug  4 22:22:24 2008
 *	rank   self  accum   count trace method
 *	   1 21.64% 21.64%     686 300011 java.io.FileInputStream.read
 *	CPU SAMPLES END
 *
 * Frames are leaf first. A dump on demand repeats a section with the costs so
 * far: the last section counts. Times are percentages with two digits; numbers
 * of calls of cpu=times are calls by the trace's second frame. For heap=sites,
 * the allocated class becomes the leaf. Heap dumps are skipped. Source:
 * hprof_io.c of JDK 8, and the files of gprof2dot.
 */
#include <string.h>

#include "stack_text.h"

#define MAGIC "JAVA PROFILE 1.0"
#define VALUES_MAX 4
#define NS_OF_MS 1000000

static const struct kind {
	const char *begin, *end;
	size_t numbers; /* numbers between the percentages and the trace */
	bool time;      /* the first event is the percentage of a total in ms */
	bool calls;     /* the number is a number of calls */
	bool sites;     /* the name is a class, not the trace's method */
	struct cg_event event[VALUES_MAX];
	size_t events;
} kinds[] = {
	{ .begin = "CPU SAMPLES BEGIN",
	    .end = "CPU SAMPLES END",
	    .numbers = 1,
	    .event = { { .name = "samples", .long_name = "Samples" } },
	    .events = 1 },
	{ .begin = "CPU TIME (ms) BEGIN",
	    .end = "CPU TIME (ms) END",
	    .numbers = 1,
	    .time = true,
	    .calls = true,
	    .event = { { .name = "ns", .long_name = "Time", .unit = "ns" } },
	    .events = 1 },
	{ .begin = "SITES BEGIN",
	    .end = "SITES END",
	    .numbers = 4,
	    .sites = true,
	    .event = { { .name = "inuse_space", .unit = "bytes" },
		{ .name = "inuse_objects" },
		{ .name = "alloc_space", .unit = "bytes" },
		{ .name = "alloc_objects" } },
	    .events = 4 },
	{ .begin = "MONITOR TIME BEGIN",
	    .end = "MONITOR TIME END",
	    .numbers = 1,
	    .time = true,
	    .event = { { .name = "delay", .unit = "ns" },
		{ .name = "contentions" } },
	    .events = 2 },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct trace {
	cg_node node;
	uint64_t thread;
	struct text_frame leaf, caller;
};

struct row {
	uint64_t value[VALUES_MAX], calls;
	uint64_t trace;
	cg_name name;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct text_frames frames;
	struct cg_map traces;  /* index + 1 by number */
	struct cg_map threads; /* name by number */
	CG_ARRAY(struct trace) trace;
	bool in_trace;
	const struct kind *kind; /* of the section that is read, or NULL */
	uint64_t total;          /* of the section, in nanoseconds */
	struct section {
		CG_ARRAY(struct row) row;
		bool seen;
	} section[KINDS];
};

/* ---- Traces and threads -------------------------------------------------- */

/*
 * Sets *pos from "main.c:12" or "Main.java:Unknown line" (line 0). Leaves it
 * as it was for other texts, such as "<Unknown Source>".
 */
static void
take_place(struct reader *r, struct cg_slice place, struct cg_pos *pos)
{
	struct cg_slice file;
	uint64_t line;

	if (!cg_take_until(&place, ':', &file) || file.len == 0 ||
	    *file.ptr == '<' || cg_equal(file, "Unknown Source") ||
	    cg_equal(file, "Native Method"))
		return;
	pos->file = cg_add_file(r->build, file);
	if (cg_get_u64(place, &line) && line <= UINT32_MAX)
		pos->line = (uint32_t)line;
}

static bool
take_frame(struct reader *r, struct cg_slice text)
{
	struct cg_slice name = text, place = { "", 0 };
	struct cg_pos pos = { 0 };
	size_t at = text.len;

	if (cg_equal(text, "<empty>"))
		return true;
	if (at > 0 && text.ptr[at - 1] == ')') {
		while (at > 0 && text.ptr[at - 1] != '(')
			at--;
		if (at > 0) {
			name.len = at - 1;
			place.ptr = text.ptr + at;
			place.len = text.len - 1 - at;
		}
	}
	take_place(r, place, &pos);
	return text_push_frame(&r->frames,
	    &(struct text_frame){
		.fn = cg_add_fn(r->build, name, pos.file, 0), .pos = pos });
}

/*
 * Begins a trace. "rest" is the line "TRACE 300011: (thread=200001)" without
 * its first word. Frames in the lines after it belong to the trace. If an
 * earlier trace has the same number, the new one replaces it. False: an error
 * (reported).
 */
static bool
begin_trace(struct reader *r, struct cg_slice rest)
{
	struct trace *trace;
	uint64_t number;
	uint32_t *index;

	if (!cg_take_u64(&rest, &number) || !cg_take_char(&rest, ':'))
		return cg_reject(r->job, "expected the number of a trace");
	index = cg_map_in(r->job, &r->traces, number);
	if (!index)
		return false;
	if (r->trace.n == UINT32_MAX)
		return cg_reject(r->job, "expected fewer than 2^32 traces");
	trace = cg_push(r->job, &r->trace);
	if (!trace)
		return false;
	*index = (uint32_t)r->trace.n;
	rest = cg_trim(rest);
	if (cg_take_prefix(&rest, "(thread="))
		(void)cg_take_u64(&rest, &trace->thread);
	r->in_trace = true;
	return true;
}

static void
end_trace(struct reader *r)
{
	struct trace *trace = &r->trace.at[r->trace.n - 1];

	r->in_trace = false;
	if (r->frames.frame.n > 0)
		trace->leaf = r->frames.frame.at[0];
	if (r->frames.frame.n > 1)
		trace->caller = r->frames.frame.at[1];
	trace->node = text_take_node(&r->frames);
}

/*
 * Stores the name of a thread by its id in r->threads. The line is "THREAD
 * START (obj=5000, id = 200001, name="main", group="main")". Ignores other
 * lines. False: out of memory (reported).
 */
static bool
take_thread(struct reader *r, struct cg_slice line)
{
	const char *id = cg_find(line, ", id = "),
		   *name = cg_find(line, ", name=\"");
	struct cg_slice rest = line, text, quoted;
	uint64_t number;
	uint32_t *at;

	if (!id || !name)
		return true;
	rest.ptr = id + strlen(", id = ");
	rest.len = line.len - (size_t)(rest.ptr - line.ptr);
	text.ptr = name + strlen(", name=\"");
	text.len = line.len - (size_t)(text.ptr - line.ptr);
	if (!cg_take_u64(&rest, &number) || !cg_take_until(&text, '"', &quoted))
		return true;
	at = cg_map_in(r->job, &r->threads, number);
	if (!at)
		return false;
	*at = cg_add_name(r->build, quoted);
	return true;
}

/* ---- Sections ------------------------------------------------------------ */

/*
 * Takes blanks and a percentage, "21.64%", off *line. Sets *hundredths to it
 * in hundredths of a percent, 2164. Some locales write a comma for the point.
 * False: malformed.
 */
static bool
take_percent(struct cg_slice *line, uint64_t *hundredths)
{
	uint64_t whole, rest;
	struct cg_slice digits;

	(void)cg_take_blanks(line);
	if (!cg_take_u64(line, &whole) || whole > 100 ||
	    (!cg_take_char(line, '.') && !cg_take_char(line, ',')))
		return false;
	digits = *line;
	if (!cg_take_u64(line, &rest) || digits.len - line->len != 2 ||
	    !cg_take_char(line, '%'))
		return false;
	*hundredths = whole * 100 + rest;
	return true;
}

static bool
take_number(struct cg_slice *line, uint64_t *number)
{
	(void)cg_take_blanks(line);
	return cg_take_u64(line, number);
}

/*
 * Reads a row of the current section, " 1 21.64% 21.64% 686 300011
 * java.io.FileInputStream.read", and appends it. In sections of times, the
 * value is the first percentage of the total, in ns. False: an error
 * (reported).
 */
static bool
take_row(struct reader *r, struct cg_slice line)
{
	const struct kind *kind = r->kind;
	struct section *section = &r->section[kind - kinds];
	struct row *row = cg_push(r->job, &section->row);
	uint64_t rank, self, so_far, *to;

	if (!row)
		return false;
	to = row->value;
	if (!take_number(&line, &rank) || !take_percent(&line, &self) ||
	    !take_percent(&line, &so_far))
		return cg_reject(r->job, "expected a rank and two percentages");
	if (kind->time)
		*to++ = cg_mul_div(self, r->total, 10000);
	if (kind->calls)
		to = &row->calls;
	for (size_t i = 0; i < kind->numbers; i++, to++)
		if (!take_number(&line, to))
			return cg_reject(r->job, "expected a number");
	if (!take_number(&line, &row->trace))
		return cg_reject(r->job, "expected the number of a trace");
	row->name = cg_add_name(r->build, cg_trim(line));
	return true;
}

/*
 * Begins the section of a line such as "CPU TIME (ms) BEGIN (total = 3170)";
 * none may be open. Sets r->kind and the total, in ns, or 0 if it is no time.
 * Drops earlier rows of that kind. Ignores other lines. False: rejected
 * (reported).
 */
static bool
begin_section(struct reader *r, struct cg_slice line)
{
	static const char total[] = " (total = ";
	const char *at = cg_find(line, total);
	struct section *section;

	for (size_t i = 0; i < KINDS && !r->kind; i++)
		if (cg_starts(line, kinds[i].begin))
			r->kind = &kinds[i];
	if (!r->kind)
		return true;
	section = &r->section[r->kind - kinds];
	section->seen = true;
	section->row.n = 0;
	r->total = 0;
	if (!r->kind->time)
		return true;
	line.len -= at ? (size_t)(at + strlen(total) - line.ptr) : line.len;
	line.ptr = at ? at + strlen(total) : line.ptr;
	if (!cg_take_u64(&line, &r->total) ||
	    __builtin_mul_overflow(r->total, NS_OF_MS, &r->total))
		return cg_reject(r->job, "expected \"(total = \" and "
					 "milliseconds");
	return true;
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	struct cg_slice rest = line, text = cg_trim(line);

	if (r->in_trace && line.len > 0 && *line.ptr == '\t')
		return take_frame(r, text);
	if (r->in_trace)
		end_trace(r);
	if (r->kind) {
		if (cg_starts(text, r->kind->end))
			r->kind = NULL;
		/*
		 * Skip the head, "rank self ...", which has a second line for
		 * sites.
		 */
		else if (text.len > 0 && *text.ptr >= '0' && *text.ptr <= '9')
			return take_row(r, text);
		return true;
	}
	/* The introduction also has such lines, but without a number. */
	if (cg_take_prefix(&rest, "TRACE ") && rest.len > 0 && *rest.ptr != ' ')
		return begin_trace(r, rest);
	if (cg_starts(line, "THREAD START ("))
		return take_thread(r, line);
	return begin_section(r, line);
}

/* ---- Into the graph ------------------------------------------------------ */

static void
set_thread(struct reader *r, uint64_t thread)
{
	const struct cg_sample_key key = { .tid = thread,
		.thread =
		    cg_get_name(r->build, cg_map_get(&r->threads, thread)) };

	cg_set_sample_part(r->build, &key);
}

static void
add_row(struct reader *r, const struct kind *kind, const struct row *row,
    size_t column)
{
	struct trace trace = { 0 };
	const struct cg_pos nowhere = { 0 };
	uint64_t cost[KINDS * VALUES_MAX] = { 0 };
	uint32_t index = cg_map_get(&r->traces, row->trace);

	if (index > 0)
		trace = r->trace.at[index - 1];
	set_thread(r, trace.thread);
	/*
	 * A trace without frames gets the row's name, which is that of its
	 * first frame.
	 */
	if (trace.node == 0 || kind->sites) {
		trace.caller = trace.leaf;
		trace.leaf.fn = cg_add_fn_named(r->build, row->name, 0, 0);
		trace.node = cg_add_frame(
		    r->build, trace.node, trace.leaf.fn, &nowhere, false);
	}
	memcpy(cost + column, row->value, kind->events * sizeof(*cost));
	cg_add_stack(r->build, trace.node,
	    kind->calls || kind->time || kind->sites ? 0 : row->value[0],
	    cg_columns_of(r->build, cost), cg_columns_width(r->build));
	if (kind->calls && row->calls > 0)
		(void)cg_add_call(r->build, trace.caller.fn, &trace.caller.pos,
		    trace.leaf.fn, &nowhere, row->calls, NULL, 0);
}

static void
add_sections(struct reader *r)
{
	size_t column = 0;
	bool any = false;

	for (size_t i = 0; i < KINDS; i++)
		for (size_t k = 0; r->section[i].seen && k < kinds[i].events;
		     k++)
			(void)cg_add_column(r->build, &kinds[i].event[k]);
	for (size_t i = 0; i < KINDS; i++) {
		const struct section *section = &r->section[i];

		if (!section->seen)
			continue;
		any = true;
		for (size_t k = 0; k < section->row.n; k++)
			add_row(r, &kinds[i], &section->row.at[k], column);
		column += kinds[i].events;
		if (kinds[i].time && section->row.n > 0)
			cg_note(r->job, "times are percentages with two digits "
					"of a total");
	}
	if (!any)
		(void)cg_reject(r->job, "expected a section CPU SAMPLES, CPU "
					"TIME, SITES or MONITOR TIME");
}

static int
read_hprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job,
		.build = build,
		.frames = { .job = job, .build = build } };
	struct cg_slice line;
	bool ok = true;

	while (ok && cg_read_line(in, &line)) {
		cg_cut_return(&line);
		ok = take_line(&r, line);
	}
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.in_trace)
			end_trace(&r);
		if (r.kind || cg_in_unterminated(in))
			cg_warn(job, "expected the end of a section: the file "
				     "may be truncated");
		add_sections(&r);
	}
	return text_status(job, build);
}

/*
 * Detects the text form of HPROF's output by its first line. Returns
 * CG_PROBE_SURE or CG_PROBE_NO. The binary form has a NUL after its version,
 * and no "created".
 */
static int
probe(const struct cg_head *head)
{
	return cg_starts(head->first, MAGIC) &&
		       cg_find(head->first, ", created ")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_hprof = {
	CG_MODULE,
	.name = "hprof",
	.title = "text of HPROF, the agent of the JDK up to 8",
	.text = true,
	.suffixes = "hprof.txt",
	.probe = probe,
	.read = read_hprof,
};
