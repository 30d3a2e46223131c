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
 * becomes execname, a number pid. SystemTap's print_backtrace() has other
 * frames, "0xffffffff81000001 : do_read+0x1/0x10 [kernel]". Source: dtrace(1),
 * and the files of FlameGraph and inferno.
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

/* True for the header, "CPU ID FUNCTION:NAME". */
static bool
is_header(struct cg_slice line)
{
	size_t len = strlen(HEADER);

	return cg_starts(line, "CPU ") && line.len > len &&
	       memcmp(line.ptr + line.len - len, HEADER, len) == 0;
}

static bool
is_frame(struct cg_slice text)
{
	return memchr(text.ptr, '`', text.len) || cg_starts(text, "0x");
}

/*
 * Splits "0x1f : name+0x1/0x10 [module]" into name and module; size and module
 * are optional. False: another form.
 */
static bool
split_systemtap(
    struct cg_slice text, struct cg_slice *name, struct cg_slice *module)
{
	const char *at;
	uint64_t addr;

	if (!cg_take_u64(&text, &addr) || !cg_take_prefix(&text, " : "))
		return false;
	*name = text;
	at = memchr(text.ptr, ' ', text.len);
	if (at && at[1] == '[' && text.ptr[text.len - 1] == ']') {
		name->len = (size_t)(at - text.ptr);
		*module = (struct cg_slice){ at + 2, text.len - name->len - 3 };
	}
	at = memchr(name->ptr, '/', name->len);
	if (at)
		name->len = (size_t)(at - name->ptr);
	(void)text_cut_offset(name);
	return name->len > 0;
}

static bool
take_frame(struct reader *r, struct cg_slice text)
{
	struct cg_slice module = { "", 0 }, rest = text;
	uint64_t addr = 0;

	if (split_systemtap(text, &rest, &module))
		return text_add_frame(&r->frames, rest, module, 0);
	if (memchr(text.ptr, '`', text.len))
		(void)cg_take_until(&rest, '`', &module);
	if (text_is_unnamed(rest) && cg_get_u64(rest, &addr))
		return text_add_unnamed(&r->frames, rest, module, addr);
	(void)text_cut_offset(&rest);
	return text_add_frame(&r->frames, rest, module, 0);
}

/* Reads a key that is printed before the stack, into r->key. */
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
 * Recognises a text by the header, or by a frame and a count that come before
 * other text.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
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
		if (!indented)
			return CG_PROBE_NO;
		if (frames > 0 && cg_get_u64(line, &number))
			return CG_PROBE_LIKELY;
		if (!is_frame(line))
			return CG_PROBE_NO;
		frames++;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_dtrace = {
	CG_MODULE,
	.name = "dtrace",
	.title = "stack() and ustack() aggregations of DTrace",
	.text = true,
	.suffixes = "dtrace",
	.probe = probe,
	.read = read_dtrace,
};
