/*
 * folded.c - folded stacks: one call stack a line, "main;parse;getc 42".
 *
 * Source: there is no specification; flamegraph.pl, difffolded.pl and the
 * stackcollapse-*.pl of FlameGraph (2024) define what is read and written;
 * inferno 0.11 and pprofutils extend it. Frames go from root to leaf; the
 * count is the last word, so a frame may contain blanks. Producers also write:
 *
 *	fractions ("6.25"), which become millionths;
 *	two counts, before and after, in every line (difffolded.pl), or as
 *	many as a first line "samples/count cpu/nanoseconds" names (pprofutils);
 *	negative counts (differences);
 *	annotations at the end of a frame: _[k] kernel, _[j] compiled at run
 *	time, _[i] inlined;
 *	comments ("# ", austin, Perfetto), blank lines, lines that end in CR
 *	LF; lines without a count, which flamegraph.pl skips;
 *	of Austin, "P42;T0x7f;file:function:line 100": process, thread,
 *	microseconds of a sample, or bytes, or both: "100,0,-4096" (--full).
 *
 * Names of functions, stacks, one event (without its name) and annotations
 * survive. Mangled names, also of the JVM, are demangled. Lines, addresses,
 * objects and parts are lost; lines and parts of Austin are read. With
 * --frames=line, or if all frames of the first 64 KiB have this form, frames
 * are read as "name (file:line)", as py-spy writes them.
 */
#include "folded.h"

#define PROBE_LINES 200 /* lines of the head that probe() rates */
#define FLAT_LINES 3    /* stacks of one frame each that make a profile */

/*
 * Rates a line for the probe, which recognises the format. 1: a stack and its
 * count, or a stack of Austin with its metrics. 0: undecided, as the line is
 * empty, a comment or a header. -1: not of this format, such as a line that
 * begins with a blank.
 */
static int
rate_line(struct cg_slice line)
{
	struct folded_count count, metrics[4];

	line = folded_trim_line(line);
	if (line.len == 0 || cg_starts(line, "# "))
		return 0;
	/* A frame of perf script, which may end in a number like a count. */
	if (*line.ptr == '\t' || *line.ptr == ' ')
		return -1;
	if (folded_take_count(&line, &count) && line.len > 0)
		return 1;
	if (folded_austin_head(line).len > 0 &&
	    folded_take_metrics(&line, FOLDED_FULL, metrics))
		return 1;
	/* "#header", but not "#!". */
	return cg_starts(line, "#") && !cg_starts(line, "#!") ? 0 : -1;
}

static bool
is_header(struct cg_slice line)
{
	struct cg_slice name[FOLDED_COLUMNS], unit[FOLDED_COLUMNS];

	return folded_get_header(line, name, unit) > 0;
}

static bool
has_name(const char *name, const char *suffix)
{
	struct cg_slice text = cg_slice(name);
	size_t len = cg_slice(suffix).len;

	if (text.len <= len)
		return false;
	text.ptr += text.len - len;
	text.len = len;
	return cg_equal(text, suffix);
}

/*
 * True if a stack has several frames, that is, if it has a ';' without blanks
 * around it. A sentence has no such ';'.
 */
static bool
is_deep(struct cg_slice line)
{
	for (size_t i = 1; i + 1 < line.len; i++) {
		if (line.ptr[i] == ';' && line.ptr[i - 1] != ' ' &&
		    line.ptr[i + 1] != ' ')
			return true;
	}
	return false;
}

/*
 * True for lines of other files that look like a stack of one frame and a
 * count: rows of numbers, "NAME = 5", "#define NAME 5", "NAME 0", columns
 * between tabs. rate_line() must have taken the line for a stack.
 */
static bool
is_other_text(struct cg_slice line)
{
	if (memcmp(line.ptr + line.len - 2, " 0", 2) == 0 ||
	    memchr(line.ptr, '\t', line.len))
		return true;
	if (memchr("0123456789+-.", *line.ptr, 13))
		return !cg_starts(line, "0x");
	for (size_t i = 0; i + 2 < line.len; i++) {
		if (memcmp(line.ptr + i, " = ", 3) == 0)
			return true;
	}
	return *line.ptr == '#';
}

/*
 * Returns the score (CG_PROBE_*) of a text, below more specific formats. Two
 * thirds of its first lines must be stacks, half under a name such as .folded.
 * Without name or header, single frames need FLAT_LINES lines and no others.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	bool named = has_name(head->name, ".folded") ||
		     has_name(head->name, ".collapsed");
	bool deep = named, header = false;
	int good = 0, bad = 0, verdict;

	for (int n = 0; n < PROBE_LINES && cg_take_line(&text, &line); n++) {
		if (text.len == 0 && !head->whole)
			break; /* the head ends within the line */
		header |= n == 0 && is_header(line);
		verdict = n == 0 && header ? 0 : rate_line(line);
		if (verdict > 0 && is_deep(line))
			deep = true;
		else if (verdict > 0 && !named &&
			 is_other_text(folded_trim_line(line)))
			verdict = -1;
		good += verdict > 0;
		bad += verdict < 0;
	}
	if (named && good == 0 && bad == 0 && head->text.len > 0)
		return CG_PROBE_WEAK; /* the head ends in the first line */
	if (good == 0 || bad * (named ? 1 : 2) > good)
		return CG_PROBE_NO;
	if (!deep && !header && (bad > 0 || good < FLAT_LINES))
		return CG_PROBE_NO;
	return deep ? CG_PROBE_WEAK : CG_PROBE_WEAK / 2;
}

static const struct cg_option options[] = {
	{ .name = "event",
	    .type = CG_STRING,
	    .arg = "NAME",
	    .help =
		"reading: name of the counts (samples); writing: which event",
	    .reading = true,
	    .writing = true },
	{ .name = "counts",
	    .type = CG_NUMBER,
	    .arg = "N",
	    .help = "how many counts end a line (1; 2 if all lines have two)",
	    .reading = true },
	{ .name = "frames",
	    .type = CG_STRING,
	    .arg = "name|line",
	    .help = "line: a frame is \"name (file:line)\" (if all are)",
	    .reading = true },
	{ .name = "annotate",
	    .type = CG_FLAG,
	    .fallback = "yes",
	    .help = "mark frames: _[k] kernel, _[j] jit, _[i] inlined",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_folded = {
	CG_MODULE,
	.name = "folded",
	.title = "folded stacks of flamegraph.pl, one a line",
	.text = true,
	.suffixes = "folded;collapsed",
	.root_by = "comm",
	.carries = CG_SELF | CG_STACKS | CG_SIGNED | CG_INLINING,
	.needs = CG_STACKS,
	.options = options,
	.probe = probe,
	.read = folded_read,
	.write = folded_write,
};
