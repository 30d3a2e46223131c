/*
 * goroutines.c - goroutines: stacks of goroutines as Go prints them, for
 * goroutine?debug=2 of net/http/pprof, runtime.Stack(), SIGQUIT and panics:
 *
 *	goroutine 18 [chan receive, 5 minutes, locked to thread]:
 *	main.(*box).wait(0x0?, 0xc00001)
 *		/tmp/main.go:10 +0x1e
 *	created by main.main in goroutine 1
 *		/tmp/main.go:18 +0x85
 *
 * Source: runtime/traceback.go and goroutineheader() of go1.19 and later.
 * State, wait and creator become labels; equal stacks are merged. Numbers of
 * goroutines, arguments, offsets, and all other text are dropped.
 */
#include <string.h>

#include "stack_text.h"

#define WORD "goroutine "
#define LABELS 8

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct text_frames frames;
	struct cg_label label[LABELS];
	size_t labels;
	bool in_goroutine, seen;
	/* A function; the next line has its file and line. */
	bool pending, creator;
	cg_name name;
	bool inlined;
};

/* ---- Goroutines --------------------------------------------------------- */

static struct cg_slice
keep(struct reader *r, struct cg_slice text)
{
	return cg_get_name(r->build, cg_add_name(r->build, text));
}

static struct cg_label *
add_label(struct reader *r, const char *key, struct cg_slice value)
{
	struct cg_label *label = &r->label[r->labels];

	if (r->labels == LABELS)
		return NULL;
	r->labels++;
	*label =
	    (struct cg_label){ .key = cg_slice(key), .value = keep(r, value) };
	return label;
}

/*
 * Adds a label "wait" to the goroutine, with the minutes that it has waited.
 * The text is "5 minutes". False: another text. Then adds nothing.
 */
static bool
add_wait(struct reader *r, struct cg_slice text)
{
	const struct cg_slice none = { "", 0 };
	struct cg_label *label;
	uint64_t minutes;

	if (!cg_take_u64(&text, &minutes) || !cg_equal(text, " minutes"))
		return false;
	label = add_label(r, "wait", none);
	if (label) {
		label->number = (int64_t)minutes;
		label->unit = cg_slice("minutes");
	}
	return true;
}

/*
 * Recognises the first line of a goroutine, "goroutine 18 gp=0xc m=3 [state, 5
 * minutes]:", and sets *state to the text in brackets. Labels in braces may
 * follow. False: another line; *state is undefined.
 */
static bool
take_header(struct cg_slice line, struct cg_slice *state)
{
	uint64_t number;

	if (!cg_take_prefix(&line, WORD) || !cg_take_u64(&line, &number) ||
	    !cg_take_blanks(&line) || line.len == 0 ||
	    line.ptr[line.len - 1] != ':' ||
	    !cg_take_until(&line, '[', state) || line.len == 0 ||
	    !cg_take_until(&line, ']', state))
		return false;
	line = cg_trim(line);
	return cg_equal(line, ":") || cg_starts(line, "{");
}

static void
begin(struct reader *r, struct cg_slice state)
{
	struct cg_slice item;

	r->in_goroutine = r->seen = true;
	r->labels = 0;
	while (cg_take_until(&state, ',', &item)) {
		item = cg_trim(item);
		if (cg_equal(item, "locked to thread"))
			(void)add_label(r, "locked", cg_slice("to thread"));
		else if (!add_wait(r, item))
			(void)add_label(r, "state", item);
	}
}

/*
 * Completes the pending function (r->name), whose file and line are pos:
 * appends its frame to the stack. If it created the goroutine, it becomes a
 * label instead. False: out of memory (reported).
 */
static bool
end_function(struct reader *r, struct cg_pos pos)
{
	struct text_frame frame = { .pos = pos, .inlined = r->inlined };

	r->pending = false;
	if (r->creator) {
		(void)add_label(
		    r, "created by", cg_get_name(r->build, r->name));
		return true;
	}
	frame.fn = cg_add_fn_named(r->build, r->name, pos.file, 0);
	return text_push_frame(&r->frames, &frame);
}

static bool
end(struct reader *r)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_sample_key key = { .comm = { "", 0 } };

	if (!r->in_goroutine)
		return true;
	if (r->pending && !end_function(r, nowhere))
		return false;
	r->in_goroutine = false;
	key.label = r->label;
	key.labels = r->labels;
	cg_set_sample_part(r->build, &key);
	return text_end_stack(&r->frames, 1, "[stack unavailable]");
}

/* ---- Lines -------------------------------------------------------------- */

/*
 * Reads the line after a function, "/tmp/main.go:10 +0x1e fp=0xc0", and adds
 * the function with this place. An offset means that it is not inlined. Does
 * nothing if no function precedes. False: an error (reported).
 */
static bool
take_place(struct reader *r, struct cg_slice line)
{
	struct cg_pos pos = { 0 };
	const char *offset = cg_find(line, " +0x");

	if (!r->pending)
		return true;
	if (offset) {
		line.len = (size_t)(offset - line.ptr);
		r->inlined = false;
	}
	line = cg_trim(line);
	if (cg_cut_number(&line, ':', &pos.line))
		pos.file = cg_add_file(r->build, line);
	return end_function(r, pos);
}

static bool
begin_function(struct reader *r, struct cg_slice name, bool creator)
{
	const struct cg_pos nowhere = { 0 };

	if (r->pending && !end_function(r, nowhere))
		return false;
	r->pending = true;
	r->creator = creator;
	r->name = cg_add_name(r->build, name);
	return true;
}

/*
 * Reads a line with a function and its arguments, "main.(*box).wait(0x0?,
 * {0xc00001, 0x2})". Its file is on the next line. A function with "(...)" may
 * be inlined. Any other line ends the goroutine. False: an error (reported).
 */
static bool
take_function(struct reader *r, struct cg_slice line)
{
	size_t at = line.len;

	if (at == 0 || line.ptr[at - 1] != ')')
		return end(r);
	while (at > 0 && line.ptr[at - 1] != '(')
		at--;
	if (at < 2)
		return end(r);
	line.ptr += at;
	line.len -= at;
	r->inlined = cg_equal(line, "...)");
	line.ptr -= at;
	line.len = at - 1;
	return begin_function(r, line, false);
}

static bool
take_frame(struct reader *r, struct cg_slice line)
{
	const struct cg_slice nowhere = { "", 0 };
	const char *in;

	if (*line.ptr == '\t')
		return take_place(r, line);
	if (cg_take_prefix(&line, "created by ")) {
		in = cg_find(line, " in goroutine ");
		if (in)
			line.len = (size_t)(in - line.ptr);
		return begin_function(r, line, true);
	}
	if (cg_starts(line, "...") && cg_find(line, " frames elided..."))
		return text_add_frame(
		    &r->frames, cg_slice("[frames elided]"), nowhere, 0);
	return take_function(r, line);
}

static bool
take_line(void *reader, struct cg_slice line)
{
	struct reader *r = reader;
	struct cg_slice state;

	if (take_header(line, &state)) {
		if (!end(r))
			return false;
		begin(r, state);
		return true;
	}
	if (!r->in_goroutine)
		return true;
	return line.len > 0 ? take_frame(r, line) : end(r);
}

/* ---- The format --------------------------------------------------------- */

static int
read_goroutines(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event event = { .name = "goroutine",
		.long_name = "Goroutines" };
	struct reader r = { .job = job,
		.build = build,
		.frames = { .job = job, .build = build } };

	if (text_read(job, in, build, &event, take_line, &r)) {
		if (r.pending || cg_in_unterminated(in) ||
		    (r.in_goroutine && r.frames.frame.n == 0))
			cg_warn(job, "the last stack is incomplete: the file "
				     "may be truncated");
		if (!r.seen)
			(void)cg_reject(
			    job, "expected 'goroutine NUMBER [STATE]:'");
		(void)end(&r);
	}
	return text_status(job, build);
}

/*
 * Detects stacks of goroutines. Returns CG_PROBE_SURE if the first line is the
 * header of a goroutine. Returns CG_PROBE_LIKELY if headers follow other
 * lines, as at the end of a log. Then lines with places must follow the
 * headers. For each place, there may be at most two other lines, such as the
 * line of its function. A source that quotes a dump has more other lines. Else
 * returns CG_PROBE_NO.
 */
static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text, line, state;
	size_t others = 0, places = 0, headers = 0;

	if (take_header(head->first, &state))
		return CG_PROBE_SURE;
	while (cg_take_line(&text, &line)) {
		cg_cut_return(&line);
		if (take_header(line, &state))
			headers++;
		else if (headers > 0 && cg_starts(line, "\t"))
			places++;
		else if (cg_trim(line).len > 0)
			others++;
	}
	/* Each file and line follows its function. */
	return headers > 0 && places > 0 && others <= 2 * places
		   ? CG_PROBE_LIKELY
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_goroutines = {
	CG_MODULE,
	.name = "goroutines",
	.title = "stacks of Go's goroutines (debug=2, panics)",
	.text = true,
	.probe = probe,
	.read = read_goroutines,
};
