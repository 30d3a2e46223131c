/*
 * rprof.c - rprof: recordings of R's Rprof(), a stack on each line:
 *
 *	memory profiling: GC profiling: line profiling: sample.interval=20000
 *	#File 1: work.R
 *	:1067:225:9104:0:1#4 "fib" 1#5 "fib" 1#22 "run"
 *
 * The leaf comes first. A number of a file and a line are in front of the
 * function that they are in. With memory profiling, four numbers of the heap
 * are in front of the stack; they are no costs of a sample, and are dropped.
 * The interval is in microseconds. Collections are frames, "<GC>".
 *
 * Source: R_ProfHandler() and lineprof() in src/main/eval.c of R 4.2, and
 * summaryRprof() of its utils, which has the same times.
 */
#include <string.h>

#include "stack_text.h"

#define NS_OF_US 1000
#define FIRST "sample.interval="

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct text_frames frames;
	uint64_t interval;   /* nanoseconds */
	struct cg_map files; /* number -> cg_file */
	uint64_t samples;
	bool begun, memory;
};

/*
 * Reads the first line, "memory profiling: GC profiling: line profiling:
 * sample.interval=5". Sets *interval, in microseconds. Sets *memory to whether
 * numbers of the heap precede each stack. False: another line.
 */
static bool
take_header(struct cg_slice line, uint64_t *interval, bool *memory)
{
	*memory = cg_take_prefix(&line, "memory profiling: ");
	(void)cg_take_prefix(&line, "GC profiling: ");
	(void)cg_take_prefix(&line, "line profiling: ");
	return cg_take_prefix(&line, FIRST) && cg_take_u64(&line, interval);
}

/*
 * Reads a line "#File 1: work.R", of which "#File " was taken. Notes the path
 * of that number in r->files, as frames refer to the number. False: an error
 * (reported).
 */
static bool
take_file(struct reader *r, struct cg_slice line)
{
	uint64_t number;
	uint32_t *file;

	if (!cg_take_u64(&line, &number) || !cg_take_prefix(&line, ": "))
		return cg_reject(r->job, "expected '#File NUMBER: PATH'");
	file = cg_map_in(r->job, &r->files, number);
	if (file)
		*file = cg_add_file(r->build, line);
	return file != NULL;
}

/*
 * Takes "1#4", the numbers of a file and a line, off *line, and sets *pos; an
 * unknown file is 0. False: there is none, and nothing is taken.
 */
static bool
take_place(struct reader *r, struct cg_slice *line, struct cg_pos *pos)
{
	struct cg_slice rest = *line;
	uint64_t file, number;

	if (!cg_take_u64(&rest, &file) || !cg_take_char(&rest, '#') ||
	    !cg_take_u64(&rest, &number))
		return false;
	pos->file = cg_map_get(&r->files, file);
	pos->line = number <= UINT32_MAX ? (uint32_t)number : 0;
	*line = rest;
	return true;
}

/*
 * Takes a name in quotes off *line; *name is without the quotes. It may
 * contain quotes, so it ends at the first one before a blank or the line's
 * end. False: there is none, and nothing is taken.
 */
static bool
take_name(struct cg_slice *line, struct cg_slice *name)
{
	struct cg_slice rest = *line;
	size_t at = 0;

	if (!cg_take_char(&rest, '"'))
		return false;
	while (at < rest.len &&
	       (rest.ptr[at] != '"' ||
		   (at + 1 < rest.len && rest.ptr[at + 1] != ' ')))
		at++;
	if (at == rest.len)
		return false;
	*name = (struct cg_slice){ rest.ptr, at };
	line->ptr = rest.ptr + at + 1;
	line->len = rest.len - at - 1;
	return true;
}

static void
add_sample(struct reader *r)
{
	const uint64_t cost[] = { 1, r->interval };

	cg_add_stack(r->build, text_take_node(&r->frames), 1,
	    cg_columns_of(r->build, cost), cg_columns_width(r->build));
	r->samples++;
}

/*
 * Reads the frames of a line, leaf first, and adds the stack as one sample,
 * unless it is empty. Drops the place of the outermost call, a file and line
 * without a function. False: an error (reported).
 */
static bool
take_stack(struct reader *r, struct cg_slice line)
{
	struct text_frame frame;
	struct cg_slice name;

	for (;;) {
		frame = (struct text_frame){ .fn = 0 };
		(void)cg_take_blanks(&line);
		(void)take_place(r, &line, &frame.pos);
		(void)cg_take_blanks(&line);
		if (line.len == 0)
			break;
		if (!take_name(&line, &name))
			return cg_reject_at(r->job, line.ptr,
			    "expected a function in quotes, or FILE#LINE");
		frame.fn = cg_add_fn(r->build, name, frame.pos.file, 0);
		if (!text_push_frame(&r->frames, &frame))
			return false;
	}
	if (r->frames.frame.n > 0)
		add_sample(r);
	return cg_build_status(r->build) == CG_OK;
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	uint64_t number;
	bool memory;

	/* A file to which a recording was appended has several headers. */
	if (take_header(line, &number, &memory)) {
		if (number == 0 || number > UINT32_MAX)
			return cg_reject(
			    r->job, "expected an interval in microseconds");
		r->interval = number * NS_OF_US;
		r->memory |= memory;
		r->begun = true;
		return true;
	}
	if (!r->begun)
		return cg_reject(
		    r->job, "expected '" FIRST "MICROSECONDS' first");
	if (cg_take_prefix(&line, "#File "))
		return take_file(r, line);
	for (int i = 0; i < 4 && cg_take_char(&line, ':'); i++)
		if (!cg_take_u64(&line, &number))
			return cg_reject_at(r->job, line.ptr,
			    "expected a number of memory profiling");
	(void)cg_take_char(&line, ':');
	return take_stack(r, line);
}

static int
read_rprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	struct reader r = { .job = job,
		.build = build,
		.frames = { .job = job, .build = build } };
	struct cg_slice line;

	(void)cg_add_column(build, &text_samples);
	(void)cg_add_column(build, &time);
	while (cg_read_line(in, &line)) {
		cg_cut_return(&line);
		if (!take_line(&r, line))
			break;
	}
	if (cg_in_status(in) == CG_OK && cg_rejected(job) == CG_OK) {
		if (cg_in_unterminated(in))
			cg_warn(job,
			    "the last line is incomplete: the file may "
			    "be truncated");
		if (r.memory)
			cg_note(
			    job, "dropped what the heap had at each sample");
		if (r.samples == 0)
			(void)cg_reject(job, "expected stacks of functions in "
					     "quotes, one on each line");
	}
	return cg_in_status(in) != CG_OK ? cg_in_status(in)
					 : text_status(job, build);
}

static int
probe(const struct cg_head *head)
{
	uint64_t interval;
	bool memory;

	return take_header(head->first, &interval, &memory) ? CG_PROBE_SURE
							    : CG_PROBE_NO;
}

const struct cg_module cg_format_rprof = {
	CG_MODULE,
	.name = "rprof",
	.title = "recordings of R's Rprof",
	.text = true,
	.suffixes = "Rprof;Rprof.out",
	.probe = probe,
	.read = read_rprof,
};
