/*
 * dtrace.c - dtrace: stack() and ustack() aggregations, as DTrace prints them:
 *
 *	              genunix`fop_write+0x5d
 *	              unix`0xfffffffffb8001d6
 *	                1
 *
 * Frames are leaf first, "module`function+offset" or an address; an empty line
 * separates the kernel's stack from the user's, and a number alone ends an
 * entry. Other keys of the aggregation are printed before the stack: a text
 * becomes execname, a number pid.
 *
 * SystemTap has the same stacks with frames of its own, of print_backtrace(),
 * print_ubacktrace() and their brief, data and fileline variants:
 *
 *	 0xffffffff81000001 : do_read+0x1/0x10 [kernel] (inexact)
 *	 0x401136 : leaf+0x10/0x20 at /src/a.c:7 [/usr/bin/app]
 *	 0x7f0a1b2c3d4e [/usr/lib/libc.so.6+0x1234/0x2000]
 *	leaf+0x10
 *
 * Source: dtrace(1), the files of FlameGraph and inferno, runtime/sym.c of
 * SystemTap 4.8.
 */
#include <string.h>

#include "stack_text.h"

#define HEADER "FUNCTION:NAME"

struct reader {
	struct text_frames frames;
	struct cg_sample_key key;
	bool keyed;  /* a key waits for its stack */
	bool header; /* the last line was a header: its probe follows */
	uint64_t stacks;
};

/* Returns true for dtrace's head line, "CPU ID FUNCTION:NAME". */
static bool
is_header(struct cg_slice line)
{
	size_t len = strlen(HEADER);

	return cg_starts(line, "CPU ") && line.len > len &&
	       memcmp(line.ptr + line.len - len, HEADER, len) == 0;
}

/* A frame of SystemTap; addr is an offset in module if there is no name. */
struct stap_frame {
	struct cg_slice name, module, file;
	uint64_t addr;
	uint32_t line;
};

/*
 * Cuts " [/usr/bin/app]" off the end of a frame of SystemTap, and sets *module
 * to the text in brackets; "[kernel]" keeps its brackets. Changes nothing if
 * there are no brackets at the end.
 */
static void
cut_module(struct cg_slice *text, struct cg_slice *module)
{
	size_t at = text->len;

	if (at == 0 || text->ptr[at - 1] != ']')
		return;
	while (at > 1 && (text->ptr[at - 1] != '[' || text->ptr[at - 2] != ' '))
		at--;
	if (at < 2)
		return;
	*module = (struct cg_slice){ text->ptr + at, text->len - at - 1 };
	if (cg_equal(*module, "kernel")) /* "[kernel]", as others call it */
		*module = (struct cg_slice){ module->ptr - 1, module->len + 2 };
	text->len = at - 2;
}

/*
 * Cuts "+0x1/0x10" off the end, with or without the size after the slash, and
 * sets *offset to the first number. False: there is none, and *text is
 * unchanged.
 */
static bool
cut_range(struct cg_slice *text, uint64_t *offset)
{
	struct cg_slice rest;
	uint64_t size;

	for (size_t at = text->len; at > 1; at--) {
		if (text->ptr[at - 1] != '+')
			continue;
		rest = (struct cg_slice){ text->ptr + at, text->len - at };
		if (!cg_starts(rest, "0x") || !cg_take_u64(&rest, offset) ||
		    (cg_take_char(&rest, '/') && !cg_take_u64(&rest, &size)) ||
		    rest.len > 0)
			return false;
		text->len = at - 1;
		return true;
	}
	return false;
}

/*
 * Cuts " at /src/a.c:7" off the end of *text, and sets the frame's file and
 * line; changes nothing if there is none.
 */
static void
cut_place(struct cg_slice *text, struct stap_frame *frame)
{
	const char *at = cg_find(*text, " at ");

	if (!at)
		return;
	frame->file.ptr = at + 4;
	frame->file.len = text->len - (size_t)(frame->file.ptr - text->ptr);
	text->len = (size_t)(at - text->ptr);
	(void)cg_cut_number(&frame->file, ':', &frame->line);
}

/*
 * Splits a SystemTap frame into name, address, module, file and line, parts of
 * the line. Without a name, the address becomes the offset in the module.
 * False: no such frame, or only an address; *frame is undefined.
 */
static bool
split_systemtap(struct cg_slice text, struct stap_frame *frame)
{
	const struct cg_slice inexact = cg_slice(" (inexact)");
	uint64_t offset;
	bool has_addr, named;

	*frame = (struct stap_frame){ .module = { "", 0 } };
	if (text.len > inexact.len && memcmp(text.ptr + text.len - inexact.len,
					  inexact.ptr, inexact.len) == 0)
		text.len -= inexact.len;
	has_addr = cg_starts(text, "0x") && cg_take_u64(&text, &frame->addr);
	named = has_addr && cg_take_prefix(&text, " : ");
	cut_module(&text, &frame->module);
	if (has_addr && !named) {
		frame->addr = 0;
		return text.len == 0 && cut_range(&frame->module, &frame->addr);
	}
	cut_place(&text, frame);
	if (memchr(text.ptr, '`', text.len) ||
	    (!cut_range(&text, &offset) && !named))
		return false;
	frame->name = text;
	return text.len > 0;
}

static bool
is_frame(struct cg_slice text)
{
	struct stap_frame frame;

	return memchr(text.ptr, '`', text.len) || cg_starts(text, "0x") ||
	       split_systemtap(text, &frame);
}

static bool
add_systemtap(struct reader *r, const struct stap_frame *stap)
{
	struct cg_build *build = r->frames.build;
	struct text_frame frame = { .pos = { .line = stap->line } };

	if (stap->name.len == 0 || text_is_unnamed(stap->name))
		return text_add_unnamed(&r->frames, cg_slice("[unknown]"),
		    stap->module, stap->addr);
	if (stap->file.len == 0)
		return text_add_frame(&r->frames, stap->name, stap->module, 0);
	frame.pos.file = cg_add_file(build, stap->file);
	frame.fn = cg_add_fn_named(build,
	    cg_add_demangled(build, cg_add_name(build, stap->name)),
	    frame.pos.file, cg_add_object(build, stap->module));
	return text_push_frame(&r->frames, &frame);
}

static bool
take_frame(struct reader *r, struct cg_slice text)
{
	struct cg_slice module = { "", 0 }, rest = text;
	struct stap_frame frame;
	uint64_t addr = 0;

	if (split_systemtap(text, &frame))
		return add_systemtap(r, &frame);
	if (memchr(text.ptr, '`', text.len))
		(void)cg_take_until(&rest, '`', &module);
	if (text_is_unnamed(rest) && cg_get_u64(rest, &addr))
		return text_add_unnamed(&r->frames, rest, module, addr);
	(void)text_cut_offset(&rest);
	return text_add_frame(&r->frames, rest, module, 0);
}

/*
 * Stores a key of the aggregation in r->key. dtrace prints keys before the
 * stack. A number is the pid, another text is the command. A later key
 * replaces an earlier key of the same kind.
 */
static void
take_key(struct reader *r, struct cg_slice text)
{
	uint64_t number;

	r->keyed = true;
	if (cg_get_u64(text, &number))
		r->key.pid = number;
	else
		r->key.comm = cg_get_name(
		    r->frames.build, cg_add_name(r->frames.build, text));
}

static bool
end_stack(struct reader *r, uint64_t count)
{
	cg_set_sample_part(r->frames.build, &r->key);
	r->key = (struct cg_sample_key){ .pid = 0 };
	r->keyed = false;
	r->stacks++;
	return text_end_stack(&r->frames, count, "[unknown]");
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;
	uint64_t number;

	line = cg_trim(line);
	if (line.len == 0)
		return true;
	if (r->header) { /* "  0  64091   :tick-60s" */
		r->header = false;
		return true;
	}
	if (is_header(line)) {
		r->header = true;
		return true;
	}
	if (is_frame(line))
		return take_frame(r, line);
	if (r->frames.frame.n > 0 && cg_get_u64(line, &number))
		return end_stack(r, number);
	take_key(r, line);
	return true;
}

static int
read_dtrace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .frames = { .job = job, .build = build } };

	if (text_read(job, in, build, &text_samples, take_line, &r)) {
		if (r.frames.frame.n > 0 || r.keyed || cg_in_unterminated(in))
			cg_warn(job,
			    "expected a count after the last stack: the file "
			    "may be truncated");
		if (r.stacks == 0)
			(void)cg_reject(
			    job, "expected stacks, and a count after each");
	}
	return text_status(job, build);
}

/*
 * Detects DTrace's output. Returns CG_PROBE_SURE at its head line, and
 * CG_PROBE_LIKELY at a count that follows frames. Returns CG_PROBE_NO if
 * another line comes first, or the text ends before either. Frames must be
 * indented, except those of SystemTap.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	struct stap_frame frame;
	size_t frames = 0;
	uint64_t number;

	while (cg_take_line(&text, &line)) {
		bool indented =
		    line.len > 0 && (*line.ptr == ' ' || *line.ptr == '\t');

		line = cg_trim(line);
		if (line.len == 0)
			continue;
		if (is_header(line))
			return CG_PROBE_SURE;
		if (frames > 0 && cg_get_u64(line, &number))
			return CG_PROBE_LIKELY;
		if (!indented && !split_systemtap(line, &frame))
			return CG_PROBE_NO;
		if (!is_frame(line))
			return CG_PROBE_NO;
		frames++;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_dtrace = {
	CG_MODULE,
	.name = "dtrace",
	.title = "stack() and ustack() aggregations of DTrace, SystemTap",
	.text = true,
	.suffixes = "dtrace",
	.probe = probe,
	.read = read_dtrace,
};
