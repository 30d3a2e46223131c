/*
 * phpspy.c - phpspy: samples of PHP by phpspy, a frame on each line:
 *
 *	0 usleep <internal>:-1
 *	1 Pool::wait /srv/pool.php:9
 *	2 <main> /srv/index.php:3
 *	# uri = /index.php
 *
 * The leaf has depth 0, which begins a sample; an empty line, or "# - - -" of
 * old versions, is between samples. With -1, tabs are between frames, and a
 * sample is one line. Comments are what phpspy saw of a request, of memory or
 * of variables, and are dropped. phpspy truncates a sample that is larger than
 * its buffer.
 *
 * Source: event_fout.c and stackcollapse-phpspy.pl of phpspy 0.7, which has the
 * same stacks.
 */
#include <string.h>

#include "stack_text.h"

#define INTERNAL "<internal>"
#define RULE "# - - -"

struct reader {
	struct text_frames frames;
	uint64_t samples, comments;
};

/*
 * Reads a frame, "1 Pool::wait /srv/pool.php:9", and appends it to the stack.
 * Depth 0 begins a sample, and adds the stack before it to the graph. File or
 * line may be missing. False: an error (reported).
 */
static bool
take_frame(struct reader *r, struct cg_slice line)
{
	struct cg_build *build = r->frames.build;
	struct text_frame frame = { .fn = 0 };
	struct cg_slice name;
	uint64_t depth;

	if (!cg_take_u64(&line, &depth) || !cg_take_char(&line, ' ') ||
	    !cg_take_word(&line, &name))
		return cg_reject(r->frames.job,
		    "expected a depth, a function and FILE:LINE");
	if (depth == 0 && r->frames.frame.n > 0) {
		r->samples++;
		if (!text_end_stack(&r->frames, 1, ""))
			return false;
	}
	if (depth != r->frames.frame.n)
		return cg_reject(r->frames.job, "expected a frame of depth %zu",
		    r->frames.frame.n);
	(void)cg_take_char(&line, ' ');
	(void)cg_cut_number(&line, ':', &frame.pos.line);
	if (!cg_starts(line, INTERNAL))
		frame.pos.file = cg_add_file(build, line);
	frame.fn = cg_add_fn(build, name, frame.pos.file, 0);
	return text_push_frame(&r->frames, &frame);
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;
	struct cg_slice part;

	while (cg_take_until(&line, '\t', &part)) {
		if (part.len == 0 || cg_starts(part, RULE))
			continue;
		if (*part.ptr == '#')
			r->comments++;
		else if (!take_frame(r, part))
			return false;
	}
	return true;
}

static int
read_phpspy(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .frames = { .job = job, .build = build } };

	if (text_read(job, in, build, &text_samples, take_line, &r)) {
		if (r.frames.frame.n > 0) {
			r.samples++;
			(void)text_end_stack(&r.frames, 1, "");
		}
		if (cg_in_unterminated(in))
			cg_warn(job, "expected a newline at the end: the file "
				     "may be truncated");
		if (r.comments > 0)
			cg_note(job, "%llu comments are dropped",
			    (unsigned long long)r.comments);
		if (r.samples == 0)
			(void)cg_reject(job, "expected samples");
	}
	return cg_in_status(in) != CG_OK ? cg_in_status(in)
					 : text_status(job, build);
}

/*
 * Returns true if the text, up to the first tab, is a frame, "DEPTH FUNCTION
 * FILE:LINE", and its depth is "want".
 */
static bool
is_frame(struct cg_slice text, uint64_t want)
{
	struct cg_slice line, name;
	uint64_t depth;
	uint32_t number;

	if (!cg_take_until(&text, '\t', &line))
		return false;
	cg_cut_return(&line);
	return cg_take_u64(&line, &depth) && depth == want &&
	       cg_take_char(&line, ' ') && cg_take_word(&line, &name) &&
	       cg_take_char(&line, ' ') &&
	       (cg_equal(line, INTERNAL ":-1") ||
		   (cg_cut_number(&line, ':', &number) && line.len > 0));
}

/*
 * Detects the format by its first two lines. The first must be a frame of
 * depth 0. The second must be a frame of depth 0 or 1, or have a tab. If the
 * first has a tab, or the text has only one line, this line is enough. Empty
 * lines and comments do not count. Returns CG_PROBE_LIKELY or CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	bool seen = false;

	while (cg_take_line(&text, &line)) {
		if (cg_trim(line).len == 0 || *line.ptr == '#')
			continue;
		if (!seen && !is_frame(line, 0))
			return CG_PROBE_NO;
		if (memchr(line.ptr, '\t', line.len))
			return CG_PROBE_LIKELY;
		if (seen)
			return is_frame(line, 0) || is_frame(line, 1)
				   ? CG_PROBE_LIKELY
				   : CG_PROBE_NO;
		seen = true;
	}
	return seen ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

const struct cg_module cg_format_phpspy = {
	CG_MODULE,
	.name = "phpspy",
	.title = "samples of PHP by phpspy",
	.text = true,
	.suffixes = "phpspy",
	.probe = probe,
	.read = read_phpspy,
};
