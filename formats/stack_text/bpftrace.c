/*
 * bpftrace.c - bpftrace: maps by kstack and ustack as bpftrace prints them:
 *
 *	@samples[
 *	    do_nanosleep+90
 *	    hrtimer_nanosleep+102
 *	,
 *	    __GI___clock_nanosleep+72
 *	, sleep, 1234]: 5
 *
 * Frames are leaf first, with an offset or an address; a line of "," ends one
 * stack of a key. Of the other parts of a key, a text becomes comm, a number
 * pid, and a second number tid. Source: bpftrace's documentation, and
 * stackcollapse-bpftrace.pl.
 */
#include <string.h>

#include "stack_text.h"

struct reader {
	struct text_frames frames;
	struct cg_sample_key key;
	bool open; /* within a map's key */
	uint64_t stacks, skipped;
};

/*
 * Reads the parts of a key on one line, "comm", "1234", into r->key. A text is
 * the command. The first number is the pid. A number after it is the tid. If
 * several texts or tids follow, keeps the last of each.
 */
static void
take_parts(struct reader *r, struct cg_slice text)
{
	struct cg_slice part;
	uint64_t number;

	while (cg_take_until(&text, ',', &part)) {
		part = cg_trim(part);
		if (part.len == 0)
			continue;
		if (!cg_get_u64(part, &number))
			r->key.comm = cg_get_name(r->frames.build,
			    cg_add_name(r->frames.build, part));
		else if (r->key.pid == 0)
			r->key.pid = number;
		else
			r->key.tid = number;
	}
}

/*
 * Splits a frame of stack mode perf, "7f3a name+12 (/lib/x.so)", into *addr, 0
 * if it has none, *name and *object. Changes nothing if no object in brackets
 * is at the end.
 */
static void
cut_mode(struct cg_slice *name, struct cg_slice *object, uint64_t *addr)
{
	size_t at = name->len;
	const char *end;

	if (at == 0 || name->ptr[at - 1] != ')')
		return;
	while (at > 0 && name->ptr[at - 1] != '(')
		at--;
	if (at < 2 || name->ptr[at - 2] != ' ')
		return;
	*object = (struct cg_slice){ name->ptr + at, name->len - 1 - at };
	name->len = at - 2;
	end = cg_get_hex(name->ptr, addr);
	if (end > name->ptr && end < name->ptr + name->len && *end == ' ') {
		name->len -= (size_t)(end + 1 - name->ptr);
		name->ptr = end + 1;
	} else {
		*addr = 0;
	}
}

static bool
take_frame(struct reader *r, struct cg_slice text)
{
	struct cg_slice name = text, object = { "", 0 };
	uint64_t addr = 0;

	cut_mode(&name, &object, &addr);
	if (cg_starts(text, "0x"))
		(void)cg_get_u64(text, &addr);
	(void)text_cut_offset(&name);
	if (text_is_unnamed(name))
		return text_add_unnamed(&r->frames, name, object, addr);
	return text_add_frame(&r->frames, name, object, addr);
}

/*
 * Cuts "]: 12", the end of a map's key and its count, off the line. *counted:
 * a number follows, and goes to *count. After "]:" alone, a histogram does.
 * False: the line ends no key, and stays.
 */
static bool
cut_count(struct cg_slice *line, bool *counted, uint64_t *count)
{
	struct cg_slice number;

	/* A histogram: its lines follow. */
	*counted = false;
	if (line->len > 1 && memcmp(line->ptr + line->len - 2, "]:", 2) == 0) {
		line->len -= 2;
		return true;
	}
	for (size_t at = line->len; at > 2; at--) {
		if (memcmp(line->ptr + at - 3, "]: ", 3) != 0)
			continue;
		number = (struct cg_slice){ line->ptr + at, line->len - at };
		*counted = cg_get_u64(number, count);
		line->len = at - 3;
		return true;
	}
	return false;
}

static bool
end_stack(struct reader *r, bool counted, uint64_t count)
{
	r->open = false;
	/* A histogram, or a sum that is no count, is skipped. */
	if (!counted) {
		r->skipped++;
		r->frames.frame.n = 0;
		return true;
	}
	cg_set_sample_part(r->frames.build, &r->key);
	r->stacks++;
	return text_end_stack(&r->frames, count, "[unknown]");
}

/*
 * Takes "@[" or "@name[" off the line, and begins a map's key. Clears the
 * reader's key and stack, and sets r->open. False: another line; nothing is
 * changed.
 */
static bool
begin_key(struct reader *r, struct cg_slice *line)
{
	const char *bracket;

	if (line->len == 0 || *line->ptr != '@')
		return false;
	bracket = memchr(line->ptr, '[', line->len);
	if (!bracket)
		return false;
	line->len -= (size_t)(bracket + 1 - line->ptr);
	line->ptr = bracket + 1;
	r->open = true;
	r->key = (struct cg_sample_key){ .pid = 0 };
	r->frames.frame.n = 0;
	return true;
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;
	bool counted = false, begins, ends;
	uint64_t count = 0;

	begins = begin_key(r, &line);
	if (!r->open)
		return true;
	ends = cut_count(&line, &counted, &count);
	if (begins || ends || (line.len > 0 && *line.ptr == ','))
		take_parts(r, line);
	else if (cg_trim(line).len > 0 && !take_frame(r, cg_trim(line)))
		return false;
	return !ends || end_stack(r, counted, count);
}

static int
read_bpftrace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .frames = { .job = job, .build = build } };

	if (text_read(job, in, build, &text_samples, take_line, &r)) {
		if (r.open || cg_in_unterminated(in))
			cg_warn(job, "expected ']: ' and a count at the end: "
				     "the file may be truncated");
		if (r.skipped > 0)
			cg_warn(
			    job, "maps whose values are no counts are skipped");
		if (r.stacks == 0)
			(void)cg_reject(job, "expected a map by kstack or "
					     "ustack, and its counts");
	}
	return text_status(job, build);
}

/*
 * Detects the format by the first line that begins a map's key. Returns
 * CG_PROBE_SURE if only empty lines precede this line, or if bpftrace's line
 * "Attaching ..." precedes it. Returns CG_PROBE_WEAK if only other lines
 * precede it, and CG_PROBE_NO if there is no such line.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line;
	bool attached = false, first = true;

	while (cg_take_line(&text, &line)) {
		if (cg_trim(line).len == 0)
			continue;
		attached |= cg_starts(line, "Attaching ");
		if (*line.ptr == '@' && memchr(line.ptr, '[', line.len) &&
		    (line.ptr[line.len - 1] == '[' ||
			line.ptr[line.len - 1] == ',' || cg_find(line, "]: ")))
			return first || attached ? CG_PROBE_SURE
						 : CG_PROBE_WEAK;
		first = false;
	}
	return CG_PROBE_NO;
}

const struct cg_module cg_format_bpftrace = {
	CG_MODULE,
	.name = "bpftrace",
	.title = "maps of bpftrace by kstack and ustack",
	.text = true,
	.suffixes = "bpftrace",
	.probe = probe,
	.read = read_bpftrace,
};
