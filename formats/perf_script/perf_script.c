/*
 * perf_script.c - perf-script: the text of "perf script", samples of Linux's
 * perf.
 *
 * Source: perf-script(1) and the output of perf 6.1 with every choice of -F,
 * older outputs (3.2 to 5.4) and simpleperf's:
 *
 *	comm pid/tid [cpu] time: period event: tracepoint's text
 *	<tab>ip name+0xoffset (object)          one line a frame, leaf first
 *	  file:line                             after each with -F srcline
 *	<empty line>
 *
 * -F chooses the fields; without call chains the only frame follows the event
 * or the tracepoint's text; a branch (--itrace=b) is "kind frame => frame". The
 * state of interrupts may follow the processor: "[001] d..1.". An inlined frame
 * has "(inlined)" instead of its object, or after its file and line.
 *
 * Each event is a column, the sum of its periods; without -F period it is
 * named samples:EVENT and counts samples. Names, objects, files and lines,
 * inlining, events, the lines of --header and times survive; so do processes,
 * threads and processors, if options ask for them. Mangled names are
 * demangled. Addresses survive with --addresses; since perf 5.17 they are
 * offsets in the object file, and become addresses with --exe. Symbols (--exe)
 * give names to addresses that perf has not named. Arguments of tracepoints,
 * targets of branches and offsets in functions are lost.
 */
#include "perf_script.h"

#define PROBE_LINES 200 /* lines of the head that are examined */

/* perf right-aligns addresses to a column of 16. */
#define IP_WIDTH 16

/*
 * Returns true if a frame cannot be other text: it is inlined, or its object
 * is a path or in brackets. Without an object, its address must be
 * right-aligned. "add more" parses as a frame, too. from: end of the text
 * before the frame.
 */
static bool
is_sure_frame(
    const char *from, struct cg_slice line, const struct perf_frame *frame)
{
	struct cg_slice ip;

	if (frame->inlined)
		return true;
	if (frame->object.len > 0)
		return *frame->object.ptr == '/' || *frame->object.ptr == '[';
	(void)cg_take_blanks(&line);
	return cg_take_word(&line, &ip) && ip.ptr + ip.len - from >= IP_WIDTH;
}

/*
 * Returns true if the line is a frame with a name or an object. "sure" tells
 * that earlier lines have shown that the input is perf's. Otherwise the frame
 * must also pass is_sure_frame(). "from" is the end of the text before the
 * frame.
 */
static bool
is_frame(const char *from, struct cg_slice line, bool sure)
{
	struct perf_frame frame;

	return perf_script_take_frame(line, &frame) &&
	       (frame.name.len > 0 || frame.object.len > 0) &&
	       (sure || is_sure_frame(from, line, &frame));
}

/*
 * Returns CG_PROBE_LIKELY if the first sample has a frame in or below its
 * first line. A header is enough if no sample or frame follows. CG_PROBE_WEAK:
 * a frame after a tab (-F ip,sym). Without time and header, the frame must not
 * look like other text.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	struct perf_head sample;
	const char *from;
	bool header = false, begun = false, sure = false, what;

	for (int n = 0; n < PROBE_LINES && cg_take_line(&text, &line); n++) {
		if (line.len == 0 || *line.ptr == '\r')
			continue;
		if (*line.ptr == '#') {
			header |= cg_starts(line, "# perf version");
			continue;
		}
		if (*line.ptr == '\t' || begun)
			return !is_frame(line.ptr, line, sure) ? CG_PROBE_NO
			       : begun                         ? CG_PROBE_LIKELY
							       : CG_PROBE_WEAK;
		if (!perf_script_take_head(line, &sample))
			break;
		if (sample.has_time && perf_script_is_record(&sample)) {
			header = true; /* of --show-task-events */
			continue;
		}
		/* The "418790:" of a disassembly is no event. */
		if (!sample.has_time && sample.event.len > 0 &&
		    *sample.event.ptr >= '0' && *sample.event.ptr <= '9')
			break;
		what = sample.event.len > 0 || sample.has_time;
		sure = sample.has_time || header;
		from = sample.event.len > 0
			   ? sample.event.ptr + sample.event.len
			   : sample.rest.ptr;
		if (what && is_frame(from, sample.rest, sure))
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
	.title = "samples of Linux's perf, as text of perf script",
	.text = true,
	.suffixes = "perf",
	.options = options,
	.probe = probe,
	.read = perf_script_read,
};
