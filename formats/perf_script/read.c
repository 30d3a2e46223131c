/*
 * read.c - reads the text of perf script, which perf_script.c describes, in
 * one pass over the lines that lines.c has parsed.
 *
 * A sample is its first line and its frames, leaf first; an empty line ends
 * it. Only the frames of a stack that differ from the last stack are looked
 * up.
 */
#include <inttypes.h>
#include <string.h>

#include "perf_script.h"

struct event {
	struct cg_slice name; /* as printed; in the graph */
	bool period;
	unsigned column;
};

/* The kernel's thread names have 15 bytes; perf may know longer ones. */
#define COMM_ROOM 256

enum state {
	BETWEEN,  /* the next line begins a sample */
	IN_STACK, /* frames of a sample */
	ONE_LINE  /* the sample's only frame was on its first line */
};

struct frame {
	cg_fn fn;
	cg_node node; /* 0 until it is added */
	struct cg_pos pos;
	uint64_t ip;
	bool marked;  /* printed as inlined */
	bool inlined; /* into the next frame */
};

/* Leaf first. */
struct stack {
	CG_ARRAY(struct frame) frame;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	bool addresses; /* --addresses */
	enum state state;
	bool tabs;   /* the sample's frames begin with a tab */
	bool marked; /* some frames are printed as inlined */
	bool stacks; /* the input has frames on lines of their own */
	bool begun;  /* the part */
	struct stack now, last;
	struct cg_known_fns *fns;
	struct cg_space *space; /* finds functions of addresses without names */
	struct perf_frame only; /* on the sample's first line */
	CG_ARRAY(char) kept; /* texts of only, copied when their block ends */
	bool timed;    /* heads have times, and the target can represent them */
	bool timeless; /* the target cannot represent times */
	int64_t time;
	unsigned column;
	uint64_t period;
	CG_ARRAY(struct event) event;
	struct event *latest; /* of the last sample */
	uint64_t samples;
	uint64_t branches; /* number of samples */
};

/* ---- Samples ------------------------------------------------------------ */

/* Returns true if the event counts time, so that its periods are in ns. */
static bool
is_clock(struct cg_slice event)
{
	return cg_starts(event, "cpu-clock") || cg_starts(event, "task-clock");
}

static struct cg_slice
keep(struct reader *r, struct cg_slice text)
{
	return cg_get_name(r->build, cg_add_name(r->build, text));
}

/*
 * Returns the name of the event that counts samples. It is used if samples
 * have no periods. Samples of cycles get "samples:cycles"; an unknown event
 * ("") gets "samples". NULL: out of memory (reported).
 */
static const char *
sample_name(struct reader *r, struct cg_slice event)
{
	static const char prefix[] = "samples:";
	size_t len = sizeof(prefix) - 1;
	char *text;

	if (event.len == 0)
		return "samples";
	text = cg_alloc(r->job, len + event.len);
	if (!text)
		return NULL;
	memcpy(text, prefix, len);
	memcpy(text + len, event.ptr, event.len);
	return keep(r, (struct cg_slice){ text, len + event.len }).ptr;
}

static bool
add_event(struct reader *r, const struct perf_head *head)
{
	struct cg_event event = { .unit = "" };
	struct event *new = cg_push(r->job, &r->event);

	if (!new)
		return false;
	new->name = keep(r, head->event);
	new->period = head->has_period;
	if (!head->has_period)
		event.name = sample_name(r, head->event);
	else if (head->event.len == 0)
		event.name = "period";
	else
		event.name = new->name.ptr;
	if (!event.name)
		return false;
	if (head->has_period && is_clock(head->event))
		event.unit = "ns";
	new->column = cg_add_event(r->build, &event);
	r->latest = new;
	return true;
}

static bool
is_event(const struct event *event, const struct perf_head *head)
{
	return event->period == head->has_period &&
	       cg_compare(event->name, head->event) == 0;
}

static bool
find_event(struct reader *r, const struct perf_head *head)
{
	if (r->latest && is_event(r->latest, head))
		return true;
	for (size_t i = 0; i < r->event.n; i++) {
		if (is_event(&r->event.at[i], head)) {
			r->latest = &r->event.at[i];
			return true;
		}
	}
	return add_event(r, head);
}

static void
begin_part(struct reader *r)
{
	const struct cg_part_info info = { .cmd = "" };

	if (!r->begun)
		(void)cg_add_part(r->build, &info);
	r->begun = true;
}

/*
 * Joins the frames with indices first to last of the current stack: those
 * before last are inlined into it. perf prints an object for one of them only,
 * so those without an object get it.
 */
static void
join_group(struct reader *r, size_t first, size_t last)
{
	struct frame *frame = r->now.frame.at;
	cg_object object = 0;

	for (size_t i = first; i <= last && object == 0; i++)
		object = cg_build_fn_object(r->build, frame[i].fn);
	for (size_t i = first; i <= last; i++) {
		const cg_fn fn = frame[i].fn;

		frame[i].inlined = i < last;
		if (object != 0 && cg_build_fn_object(r->build, fn) == 0)
			frame[i].fn = cg_add_fn_named(r->build,
			    cg_build_fn_name(r->build, fn), 0, object);
	}
}

/*
 * Joins the groups of inlined frames, which have one address each. perf marks
 * all but the outermost "(inlined)"; perf 6.1 with addr2line all but the
 * innermost, which then has the outermost one's name.
 */
static void
join_inlined(struct reader *r)
{
	const struct frame *frame = r->now.frame.at;
	size_t count = r->now.frame.n, first = 0;
	bool outer_marked = false;

	for (size_t i = 0; i < count; i++) {
		bool more = i + 1 < count && frame[i + 1].ip == frame[i].ip;

		if (i == first && (i == 0 || frame[i - 1].ip != frame[i].ip))
			outer_marked = !frame[i].marked;
		if (more &&
		    (outer_marked ? frame[i + 1].marked : frame[i].marked))
			continue;
		/* A mark on a single frame only means another DWARF name. */
		join_group(r, first, i);
		first = i + 1;
	}
}

static bool
same_frame(const struct frame *a, const struct frame *b)
{
	return a->fn == b->fn && a->inlined == b->inlined &&
	       a->pos.line == b->pos.line && a->pos.file == b->pos.file &&
	       a->pos.addr == b->pos.addr;
}

/*
 * Adds the frames of the current stack to the graph, and returns the leaf's
 * node. Outermost frames that equal those of the last stack reuse its nodes.
 */
static cg_node
add_frames(struct reader *r)
{
	struct frame *now = r->now.frame.at;
	const struct frame *last = r->last.frame.at;
	/* The outermost frames are at the ends. */
	size_t i = r->now.frame.n, j = r->last.frame.n;
	cg_node node = 0;

	while (i > 0 && j > 0 && same_frame(&now[i - 1], &last[j - 1]))
		node = now[--i].node = last[--j].node;
	while (i-- > 0)
		node = now[i].node = cg_add_frame(
		    r->build, node, now[i].fn, &now[i].pos, now[i].inlined);
	return node;
}

/*
 * Returns the function of a frame; adds it if it is new. A frame without a
 * name (no -F sym) gets its address as the function's name. 0: the builder has
 * failed.
 */
static cg_fn
get_fn(struct reader *r, const struct perf_frame *frame)
{
	char hex[CG_NUMBER_MAX];
	struct cg_slice name = frame->name;

	if (name.len == 0)
		name = (struct cg_slice){ hex,
			(size_t)(cg_format_hex(hex, frame->ip) - hex) };
	return cg_add_known_fn(r->fns, name, frame->object);
}

/*
 * Returns the address of a frame's instruction in its ELF file, if addresses
 * are kept; else 0.
 */
static uint64_t
address_of(struct reader *r, const struct perf_frame *frame)
{
	return r->addresses
		   ? cg_space_text_addr(r->space, frame->object, frame->ip)
		   : 0;
}

static bool
push_frame(struct reader *r, const struct perf_step *step, uint64_t addr)
{
	if (!cg_reserve(r->job, &r->now.frame, r->now.frame.n + 1))
		return false;
	r->now.frame.at[r->now.frame.n++] = (struct frame){ .fn = step->fn,
		.pos.addr = addr,
		.ip = step->ip,
		.marked = step->marked };
	r->marked |= step->marked;
	return true;
}

/*
 * Appends a frame to the current stack. If the frame has no name, symbols may
 * give frames for its address, several if functions are inlined there. These
 * frames are then appended instead. False: out of memory (reported).
 */
static bool
push_frames(struct reader *r, const struct perf_frame *frame)
{
	struct cg_stack found[CG_FRAME_MAX];
	struct perf_step step = { .ip = frame->ip, .marked = frame->inlined };
	const uint64_t addr = address_of(r, frame);
	size_t n = 0;

	if (!perf_script_has_name(frame))
		n = cg_space_text(r->space, frame->object, frame->ip, found);
	for (size_t i = 0; i < n; i++) {
		step.fn = found[i].fn;
		step.marked = found[i].inlined;
		if (!push_frame(r, &step, addr))
			return false;
		r->now.frame.at[r->now.frame.n - 1].pos.file =
		    found[i].pos.file;
		r->now.frame.at[r->now.frame.n - 1].pos.line =
		    found[i].pos.line;
	}
	if (n > 0)
		return true;
	step.fn = get_fn(r, frame);
	return push_frame(r, &step, addr);
}

/*
 * Completes a sample of one line. Its only frame, r->only, is the text after
 * the event. Sets function and address of this frame, which is on the stack
 * already. Replaces a frame without a name by the frames found for its
 * address. False: out of memory (reported).
 */
static bool
end_only(struct reader *r)
{
	if (!perf_script_has_name(&r->only)) {
		r->now.frame.n = 0;
		return push_frames(r, &r->only);
	}
	r->now.frame.at[0].fn = get_fn(r, &r->only);
	r->now.frame.at[0].pos.addr = address_of(r, &r->only);
	return true;
}

/*
 * Adds the current sample to the graph and, if it has a time, to the timeline.
 * A sample without frames gets a frame of an unknown function. Afterwards
 * r->last is the sample's stack, and r->now may be filled with the next one.
 * Does nothing if no sample is open. False: an error (reported).
 */
static bool
end_sample(struct reader *r)
{
	uint64_t cost[CG_EVENT_MAX];
	struct stack swap = r->last;
	struct perf_step step = { 0 };
	unsigned column = r->column;
	cg_node leaf;

	if (r->state == BETWEEN)
		return true;
	if (r->state == ONE_LINE && !end_only(r))
		return false;
	r->state = BETWEEN;
	if (r->now.frame.n == 0) {
		/* A sample without a frame. */
		step.fn = cg_add_fn(r->build, cg_slice(PERF_UNKNOWN), 0, 0);
		if (!push_frame(r, &step, 0))
			return false;
	}
	if (r->marked)
		join_inlined(r);
	leaf = add_frames(r);
	memset(cost, 0, column * sizeof(*cost));
	cost[column] = r->period;
	cg_add_stack(r->build, leaf, 1, cost, column + 1);
	if (r->timed)
		cg_add_moment(
		    r->build, &(const struct cg_moment){ .time = r->time,
				  .node = leaf,
				  .cost = cost,
				  .n = column + 1 });
	r->samples++;
	r->last = r->now;
	r->now = swap;
	if (cg_free_nodes(r->job))
		r->last.frame.n = 0;
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Makes the track (timeline) of the sample's thread the current one. Omits the
 * thread's name if it has COMM_ROOM bytes or more.
 */
static void
set_track(struct reader *r, const struct perf_head *head)
{
	struct cg_track track = {
		.pid = head->pid, .tid = head->tid, .name = "", .unit = "ns"
	};
	char name[COMM_ROOM];

	if (head->comm.len > 0 && head->comm.len < COMM_ROOM) {
		memcpy(name, head->comm.ptr, head->comm.len);
		name[head->comm.len] = '\0';
		track.name = name;
	}
	cg_set_track(r->build, &track);
}

/*
 * Notes the time of a sample, and selects its thread's timeline. Does so only
 * if the sample has a time and the target can represent times.
 */
static void
begin_moment(struct reader *r, const struct perf_head *head)
{
	r->timed =
	    head->has_time && !r->timeless && cg_begin_timeline(r->build);
	r->timeless |= head->has_time && !r->timed;
	if (!r->timed)
		return;
	r->time = perf_script_get_time(head->time);
	set_track(r, head);
}

static bool
begin_sample(struct reader *r, const struct perf_head *head)
{
	if (!find_event(r, head))
		return false;
	begin_part(r);
	cg_set_sample_part(
	    r->build, &(const struct cg_sample_key){ .pid = head->pid,
			  .tid = head->tid,
			  .comm = head->comm,
			  .cpu = head->cpu,
			  .has_cpu = head->has_cpu });
	begin_moment(r, head);
	r->period = head->period;
	r->column = r->latest->column;
	r->now.frame.n = 0;
	r->tabs = r->marked = false;
	r->state = IN_STACK;
	return true;
}

/* ---- Frames ------------------------------------------------------------- */

/*
 * Reads a line of -F srcline, and sets file and line of the current stack's
 * last frame. If the line names no file, keeps the frame's file. If the line
 * says "inlined", marks the frame. False: another line, or there is no frame.
 */
static bool
set_srcline(struct reader *r, struct cg_slice line)
{
	struct cg_slice file;
	struct frame *frame;
	uint32_t number;
	bool inlined;

	if (r->now.frame.n == 0 ||
	    !perf_script_take_srcline(line, &file, &number, &inlined))
		return false;
	frame = &r->now.frame.at[r->now.frame.n - 1];
	if (file.len > 0)
		frame->pos.file = cg_add_file(r->build, file);
	frame->pos.line = number;
	frame->marked |= inlined;
	r->marked |= inlined;
	return true;
}

/* ---- Lines -------------------------------------------------------------- */

/* The lines of perf script --header that become descriptions. */
static const char *const header_keys[] = { "captured on", "hostname",
	"os release", "perf version", "arch", "cpudesc", "cmdline", NULL };

static void
take_header(struct reader *r, struct cg_slice line)
{
	struct cg_slice key;
	size_t i = 0;

	(void)cg_take_prefix(&line, "#");
	if (!cg_take_until(&line, ':', &key))
		return;
	key = cg_trim(key);
	line = cg_trim(line);
	while (header_keys[i] && !cg_equal(key, header_keys[i]))
		i++;
	if (header_keys[i] && line.len > 0)
		cg_add_desc(r->build, key, line);
}

static void
skip_line(struct reader *r, struct cg_slice line)
{
	cg_warn_at(r->job, line.ptr,
	    "expected a sample of perf script or a frame of its stack; the "
	    "line is skipped");
}

/*
 * Returns true if the caller must skip the line, as it is from
 * --show-task-events or a similar option. Warns if the line says that samples
 * were lost.
 */
static bool
skip_record(struct reader *r, const struct perf_head *head)
{
	struct cg_slice what = head->event.len > 0 ? head->event : head->rest;

	if (!perf_script_is_record(head))
		return false;
	if (cg_starts(what, "PERF_RECORD_LOST"))
		cg_warn_at(
		    r->job, what.ptr, "perf lost samples while recording");
	return true;
}

static bool
read_head(struct reader *r, const struct perf_head *head)
{
	struct perf_step step = { 0 };

	if (skip_record(r, head))
		return true;
	if (!end_sample(r) || !begin_sample(r, head))
		return false;
	r->branches += head->branch;
	/* Without call chains, the only frame follows the event. */
	if (head->event.len == 0 ||
	    !perf_script_take_frame(head->rest, &r->only))
		return true;
	r->state = ONE_LINE;
	step.ip = r->only.ip;
	step.marked = r->only.inlined;
	return push_frame(r, &step, 0);
}

/*
 * Prepares for a frame on its own line. Begins a sample if none is open. If a
 * sample seemed to be on one line, drops the frame found there: it was other
 * text. False: an error (reported).
 */
static bool
begin_frame(struct reader *r)
{
	static const struct perf_head nothing = { .period = 1 };

	if (r->state == BETWEEN && !begin_sample(r, &nothing))
		return false;
	/* The text after the event was no frame. */
	if (r->state == ONE_LINE)
		r->now.frame.n = 0;
	r->state = IN_STACK;
	r->stacks = true;
	return true;
}

/*
 * Reads a line that is not empty: a frame, a source line, a sample's first
 * line, or a comment. Copies of perf's output may lack the tab before frames.
 * False: an error, maybe not reported yet.
 */
static bool
read_line(struct reader *r, const struct perf_lines *lines,
    const struct perf_line *line)
{
	const struct perf_head *head =
	    line->kind == PERF_HEAD ? &lines->head[line->i] : NULL;
	struct cg_slice text = { line->text, line->len };
	struct perf_frame frame;
	bool tab = *text.ptr == '\t';

	if (line->kind == PERF_FRAME) {
		r->tabs = true;
		if (lines->step[line->i].fn != 0 && !r->addresses)
			return begin_frame(r) &&
			       push_frame(r, &lines->step[line->i], 0);
		return perf_script_take_frame(text, &frame) && begin_frame(r) &&
		       push_frames(r, &frame);
	}
	if (r->state == BETWEEN) {
		if (cg_starts(text, "# ") || cg_equal(text, "#"))
			take_header(r, text);
		else if (head)
			return read_head(r, head);
		else
			skip_line(r, text);
		return true;
	}
	if (r->state == IN_STACK && !r->tabs && !tab &&
	    perf_script_take_frame(text, &frame))
		return begin_frame(r) && push_frames(r, &frame);
	if (head && (head->has_time || head->event.len > 0) &&
	    !(r->tabs && *text.ptr == ' '))
		return read_head(r, head);
	if (!set_srcline(r, text))
		skip_line(r, text);
	return true;
}

/*
 * Ends a block of lines, whose memory is freed. Copies the name and object of
 * an open sample on one line (r->only) to r->kept. False: out of memory
 * (reported).
 */
static bool
end_block(struct reader *r)
{
	struct cg_slice name = r->only.name, object = r->only.object;

	if (r->state != ONE_LINE)
		return true;
	if (!cg_reserve(r->job, &r->kept, name.len + object.len + 1))
		return false;
	if (name.ptr == r->kept.at) /* copied at the end of an earlier block */
		return true;
	/* No function is added yet: the text may be no frame. */
	memcpy(r->kept.at, name.ptr, name.len);
	r->only.name.ptr = r->kept.at;
	if (object.len > 0)
		memcpy(r->kept.at + name.len, object.ptr, object.len);
	r->only.object.ptr = r->kept.at + name.len;
	return true;
}

static bool
read_lines(struct reader *r, const struct perf_lines *lines)
{
	const char *at = NULL;
	bool good = true;

	for (size_t i = 0; good && i < lines->lines; i++) {
		at = lines->line[i].text;
		good = lines->line[i].len > 0
			   ? read_line(r, lines, &lines->line[i])
			   : end_sample(r);
	}
	good = good && end_block(r);
	return cg_build_failed(r->build, at) == CG_OK && good;
}

/* ---- The file ----------------------------------------------------------- */

/*
 * Reads all lines, which other threads parse in blocks. False: a line was
 * rejected, or an error (reported).
 */
static bool
read_texts(struct reader *r, struct cg_in *in)
{
	const struct cg_texts_how how = { .job = r->job,
		.in = in,
		.own = sizeof(struct perf_lines),
		.arg = r->fns,
		.parse = perf_script_parse,
		.close = perf_script_close };
	struct cg_texts *texts = cg_texts_new(&how);
	struct cg_text *text;
	bool good = true;

	if (!texts)
		return cg_reject_nomem(r->job);
	while (good && cg_next_text(texts, &text))
		good = read_lines(r, text->own);
	cg_texts_free(texts);
	return good && cg_rejected(r->job) == CG_OK;
}

static void
read_file(struct reader *r, struct cg_in *in)
{
	bool truncated;

	if (!read_texts(r, in))
		return;
	truncated =
	    cg_in_unterminated(in) || (r->state == IN_STACK && r->stacks);
	if (cg_in_status(in) != CG_OK || !end_sample(r))
		return;
	if (truncated)
		cg_warn(r->job, "expected an empty line at the end: the file "
				"may be truncated");
	if (r->branches > 0)
		cg_note(r->job,
		    "%" PRIu64 " branches are samples of their sources; where "
		    "they go to is dropped",
		    r->branches);
	if (r->samples == 0)
		(void)cg_reject(r->job, "expected samples of perf script");
}

int
perf_script_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job,
		.build = build,
		.addresses = cg_opt_flag(job, "addresses") };

	r.space = cg_space_new(job, build);
	r.fns = cg_known_fns_new(build);
	if (r.fns && r.space)
		read_file(&r, in);
	else
		(void)cg_reject_nomem(job);
	cg_known_fns_free(r.fns);
	return cg_in_status(in);
}
