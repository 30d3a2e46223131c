/*
 * perf_script.c - the text of "perf script", samples of Linux's perf.
 *
 * Source: perf-script(1) and the output of perf 6.1 with every choice of -F,
 * older outputs (3.2 to 5.4) and simpleperf's:
 *
 *	comm pid/tid [cpu] time: period event: tracepoint's text
 *	<tab>ip name+0xoffset (object)          one line a frame, leaf first
 *	  file:line                             after each with -F srcline
 *	<empty line>
 *
 * -F leaves out any of it; without call chains the frame stands behind the
 * event. A frame that was inlined says "(inlined)" in place of its object,
 * or behind its file and line.
 *
 * Each event is a column, the sum of its periods; without -F period it is
 * called samples:EVENT and counts samples. Names, objects, files and lines,
 * inlining, events, what --header says and, by --part-by, processes and
 * threads survive. Times, processors, tracepoints' arguments, and offsets into
 * functions do not; addresses do with --addresses. Since perf 5.17 those are
 * offsets in the object's file.
 */
#include "perf_script.h"

#define PROBE_LINES 200 /* of the head are looked at */

static bool
is_frame(struct cg_slice line)
{
	struct perf_frame frame;

	return cg_take_perf_frame(line, &frame) &&
	       (frame.name.len > 0 || frame.object.len > 0);
}

/*
 * A sample's first line with a frame behind it or below it. Frames alone,
 * each begun by a tab, are what -F ip,sym leaves.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	struct perf_head sample;
	bool header = false, begun = false, what;

	for (int n = 0; n < PROBE_LINES && cg_take_line(&text, &line); n++) {
		if (line.len == 0 || *line.ptr == '\r')
			continue;
		if (*line.ptr == '#') {
			header |= cg_starts(line, "# perf version");
			continue;
		}
		if (*line.ptr == '\t' || begun)
			return !is_frame(line) ? CG_PROBE_NO
			       : begun         ? CG_PROBE_LIKELY
					       : CG_PROBE_WEAK;
		if (!cg_take_perf_head(line, &sample))
			break;
		what = sample.event.len > 0 || sample.has_time;
		if (what && is_frame(sample.rest))
			return CG_PROBE_LIKELY;
		begun = what;
	}
	return header ? CG_PROBE_LIKELY : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "addresses",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "keep the addresses of frames",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_perf_script = {
	CG_MODULE,
	.name = "perf-script",
	.title = "what perf script prints, for Linux's perf",
	.suffixes = "perf",
	.options = options,
	.probe = probe,
	.read = cg_read_perf_script,
};
