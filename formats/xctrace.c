/*
 * xctrace.c - xctrace: time profiles of Apple's Instruments, as "xctrace
 * export --xpath '//table[@schema="time-profile"]'" writes them.
 *
 * Source: exports of Xcode 14 to 16, and what inferno and Perfetto read of
 * them; Apple does not document the format. A row is a sample: time, thread,
 * weight (in ns), and the call stack, leaf first. An element with an id is
 * written once; later elements refer to it.
 *
 * Stacks, weights, times, binaries, files and lines survive; threads are parts
 * on request (--part-by). Lost are the cores of samples and the addresses,
 * which are valid only in the process.
 */

#include "cgconv_expert.h"
#include "cgconv_parse.h"

enum kind {
	WEIGHT,
	TIME,
	THREAD,
	PROCESS,
	NUMBER,
	BACKTRACE,
	FRAME,
	BINARY,
	PATH,
	KINDS
};

/* An element with an id. Kept small: an input has many elements. */
struct item {
	union {
		cg_name comm;     /* of a thread, a process */
		cg_node node;     /* of a backtrace */
		cg_fn fn;         /* of a frame */
		cg_object object; /* of a binary */
	};
	union {
		uint32_t line; /* of a frame */
		uint32_t pid;  /* of a thread */
	};
	union {
		uint64_t number; /* weight, time, tid, pid */
		cg_file file;    /* of a frame, a path */
	};
};

/*
 * The elements of one kind. Each kind has its own table, so that the frames,
 * which are looked up most, are close to each other in memory.
 */
struct table {
	struct cg_map ids; /* id -> index + 1 */
	CG_ARRAY(struct item) item;
};

struct frame {
	uint64_t ref; /* its id, then index + 1; 0: use item */
	struct item item;
};

/* A frame of the latest backtrace that was not a reference. */
struct step {
	cg_fn fn;
	struct cg_pos pos;
	cg_node node;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_xml *xml;
	struct cg_space *space; /* counts addresses without names */
	struct table table[KINDS];
	CG_ARRAY(struct frame) frame; /* of one backtrace, leaf first */
	CG_ARRAY(struct step) step;   /* root first */
	uint64_t tid, pid;            /* of the last sample */
	cg_name comm;
	bool timed; /* the target can represent times */
};

/*
 * Stores an item in the table under its id, to which later elements refer.
 * Does nothing if the id is 0, as the element has none. False: another item
 * has the id, or out of memory (reported).
 */
static bool
keep(
    struct reader *r, struct table *table, uint64_t id, const struct item *item)
{
	uint32_t *index;

	if (id == 0)
		return true;
	index = cg_map_in(r->job, &table->ids, id);
	if (!index)
		return false;
	if (*index != 0)
		return cg_xml_reject(
		    r->xml, "an id that no other such element has");
	if (!cg_append(r->job, &table->item, *item))
		return false;
	*index = (uint32_t)table->item.n;
	return true;
}

/*
 * Reads an element into *item. An element <x ref="7"/> gets a copy of the item
 * that was stored under this id. Any other element has content, which take()
 * reads. If it has an id, as in <x id="7">, it is stored under the id. False:
 * an error (reported).
 */
static bool
take_item(struct reader *r, enum kind kind, struct item *item,
    bool (*take)(struct reader *, struct item *))
{
	struct table *table = &r->table[kind];
	uint64_t id;
	uint32_t index;

	*item = (struct item){ 0 };
	if (!cg_xml_number(r->xml, "ref", &id)) {
		(void)cg_xml_number(r->xml, "id", &id);
		return take(r, item) && keep(r, table, id, item);
	}
	index = cg_map_get(&table->ids, id);
	if (index == 0)
		return cg_xml_reject(
		    r->xml, "a ref to an earlier element of that name");
	*item = table->item.at[index - 1];
	return cg_xml_content(r->xml, NULL);
}

/* ---- Elements: each function reads an element to its end ---------------- */

static bool
take_number(struct reader *r, struct item *item)
{
	struct cg_slice text;

	return cg_xml_content(r->xml, &text) &&
	       (cg_get_u64(cg_trim(text), &item->number) ||
		   cg_xml_reject(r->xml, "a number"));
}

static bool
take_path(struct reader *r, struct item *item)
{
	struct cg_slice text;

	if (!cg_xml_content(r->xml, &text))
		return false;
	item->file = cg_add_file(r->build, cg_trim(text));
	return true;
}

static bool
take_binary(struct reader *r, struct item *item)
{
	struct cg_slice text;

	if (cg_xml_attribute(r->xml, "path", &text) ||
	    cg_xml_attribute(r->xml, "name", &text))
		item->object = cg_add_object(r->build, text);
	return cg_xml_content(r->xml, NULL);
}

/*
 * Reads <source line="7"><path>, and sets the frame's file and line. False: an
 * error (reported).
 */
static bool
take_source(struct reader *r, struct item *frame)
{
	struct cg_slice name;
	struct item path;
	uint64_t line;

	if (cg_xml_number(r->xml, "line", &line) && line <= UINT32_MAX)
		frame->line = (uint32_t)line;
	while (cg_xml_child(r->xml, &name)) {
		if (!cg_equal(name, "path")) {
			(void)cg_xml_content(r->xml, NULL);
			continue;
		}
		if (!take_item(r, PATH, &path, take_path))
			return false;
		frame->file = path.file;
	}
	return cg_xml_status(r->xml) == CG_OK;
}

/*
 * Reads a frame into *item. A frame without a name is named by its address, or
 * "(unknown)" without one. Executables of macOS are not ELF files, so the
 * reader has no symbols. cg_space_symbols() is called only to count such
 * frames for the warning. False: an error (reported).
 */
static bool
take_frame(struct reader *r, struct item *item)
{
	struct item binary = { 0 };
	struct cg_slice name;
	uint64_t addr;
	cg_name fn;

	if ((!cg_xml_attribute(r->xml, "name", &name) || name.len == 0) &&
	    !cg_xml_attribute(r->xml, "addr", &name))
		name = cg_slice("(unknown)");
	if (cg_starts(name, "0x") && cg_get_u64(name, &addr))
		(void)cg_space_symbols(r->space, 0, addr, NULL);
	fn = cg_add_name(r->build, name);
	while (cg_xml_child(r->xml, &name)) {
		bool good;

		if (cg_equal(name, "binary"))
			good = take_item(r, BINARY, &binary, take_binary);
		else if (cg_equal(name, "source"))
			good = take_source(r, item);
		else
			good = cg_xml_content(r->xml, NULL);
		if (!good)
			return false;
	}
	item->fn = cg_add_fn_named(r->build, fn, item->file, binary.object);
	return cg_xml_status(r->xml) == CG_OK;
}

/*
 * Reads a frame of a stack, and appends it to r->frame. Most frames are
 * references to earlier ones. For a reference, stores only the id that it
 * refers to. find_frames() then looks up the ids of a whole stack together.
 * False: an error (reported).
 */
static bool
add_frame(struct reader *r)
{
	struct frame *frame = cg_push(r->job, &r->frame);

	if (!frame)
		return false;
	if (!cg_xml_number(r->xml, "ref", &frame->ref) || frame->ref == 0)
		return take_item(r, FRAME, &frame->item, take_frame);
	cg_map_prefetch(&r->table[FRAME].ids, frame->ref);
	return cg_xml_content(r->xml, NULL);
}

static bool
find_frames(struct reader *r)
{
	const struct table *table = &r->table[FRAME];
	struct frame *frame = r->frame.at;

	for (size_t i = 0; i < r->frame.n; i++) {
		if (frame[i].ref == 0)
			continue;
		frame[i].ref = cg_map_get(&table->ids, frame[i].ref);
		if (frame[i].ref == 0)
			return cg_xml_reject(
			    r->xml, "a ref to an earlier frame");
	}
	/* A separate loop, so that its cache misses overlap. */
	for (size_t i = 0; i < r->frame.n; i++)
		if (frame[i].ref != 0)
			frame[i].item = table->item.at[frame[i].ref - 1];
	return true;
}

/*
 * Adds the frames of the current stack to the graph, and returns the leaf's
 * node; 0: no frames. Outer frames shared with the previous stack (r->step)
 * are not looked up. r->step must have room for all frames.
 */
static cg_node
add_frames(struct reader *r)
{
	struct step *step = r->step.at, *end;
	cg_node node = 0;

	if (r->frame.n == 0)
		return 0;
	end = step + r->step.n;
	for (size_t i = r->frame.n; i > 0; i--, step++) {
		const struct item *frame = &r->frame.at[i - 1].item;

		if (step < end && step->fn == frame->fn &&
		    step->pos.line == frame->line &&
		    step->pos.file == frame->file) {
			node = step->node;
			continue;
		}
		end = step;
		step->fn = frame->fn;
		step->pos =
		    (struct cg_pos){ .file = frame->file, .line = frame->line };
		node = step->node =
		    cg_add_frame(r->build, node, frame->fn, &step->pos, false);
	}
	r->step.n = r->frame.n;
	return node;
}

static bool
take_backtrace(struct reader *r, struct item *item)
{
	struct cg_slice name;

	r->frame.n = 0;
	while (cg_xml_child(r->xml, &name)) {
		if (!cg_equal(name, "frame"))
			(void)cg_xml_content(r->xml, NULL);
		else if (!add_frame(r))
			return false;
	}
	if (cg_xml_status(r->xml) != CG_OK || !find_frames(r) ||
	    !cg_reserve(r->job, &r->step, r->frame.n))
		return false;
	item->node = add_frames(r);
	return true;
}

/*
 * Reads the element <process>, and sets item->number to the pid in it. False:
 * an error (reported).
 */
static bool
take_process(struct reader *r, struct item *item)
{
	struct cg_slice name;

	while (cg_xml_child(r->xml, &name)) {
		if (!cg_equal(name, "pid"))
			(void)cg_xml_content(r->xml, NULL);
		else if (!take_item(r, NUMBER, item, take_number))
			return false;
		else if (item->number > UINT32_MAX)
			return cg_xml_reject(r->xml, "a pid of 32 bits");
	}
	return cg_xml_status(r->xml) == CG_OK;
}

/*
 * Reads the content of an element <thread>. Sets item->comm to the thread's
 * name, item->number to its tid, and item->pid to the pid of its process. A
 * value that the element does not state stays 0. False: an error (reported).
 */
static bool
take_thread(struct reader *r, struct item *item)
{
	struct item process = { 0 }, tid;
	struct cg_slice name;

	if (cg_xml_attribute(r->xml, "fmt", &name))
		item->comm = cg_add_name(r->build, name);
	while (cg_xml_child(r->xml, &name)) {
		bool good;

		if (cg_equal(name, "tid")) {
			good = take_item(r, NUMBER, &tid, take_number);
			item->number = tid.number;
		} else if (cg_equal(name, "process")) {
			good = take_item(r, PROCESS, &process, take_process);
		} else {
			good = cg_xml_content(r->xml, NULL);
		}
		if (!good)
			return false;
	}
	item->pid = (uint32_t)process.number;
	return cg_xml_status(r->xml) == CG_OK;
}

/* ---- Rows ---------------------------------------------------------------- */

static void
add_moment(struct reader *r, cg_node node, const struct item *thread,
    uint64_t time, const uint64_t *cost)
{
	const struct cg_track track = { .pid = thread->pid,
		.tid = thread->number,
		.name = cg_get_name(r->build, thread->comm).ptr,
		.unit = "ns" };
	const struct cg_moment moment = {
		.time = time <= INT64_MAX ? (int64_t)time : INT64_MAX,
		.node = node,
		.cost = cg_columns_of(r->build, cost),
		.n = cg_columns_width(r->build)
	};

	cg_set_track(r->build, &track);
	cg_add_moment(r->build, &moment);
}

static void
add_sample(struct reader *r, cg_node node, const struct item *thread,
    uint64_t weight, const struct item *time)
{
	const uint64_t cost[] = { 1, weight };
	const struct cg_pos nowhere = { 0 };

	if (thread->number != r->tid || thread->pid != r->pid ||
	    thread->comm != r->comm) {
		const struct cg_sample_key key = { .pid = thread->pid,
			.tid = thread->number,
			.thread = cg_get_name(r->build, thread->comm) };

		cg_set_sample_part(r->build, &key);
		r->tid = thread->number;
		r->pid = thread->pid;
		r->comm = thread->comm;
	}
	if (node == 0)
		node = cg_add_frame(r->build, 0,
		    cg_add_fn(r->build, cg_slice("(unknown)"), 0, 0), &nowhere,
		    false);
	cg_add_stack(r->build, node, 1, cg_columns_of(r->build, cost),
	    cg_columns_width(r->build));
	if (time && (r->timed || cg_begin_timeline(r->build))) {
		r->timed = true;
		add_moment(r, node, thread, time->number, cost);
	}
}

/*
 * Reads a <row> up to its end. Adds it to the graph as a sample, unless it has
 * neither a stack nor a weight, as it then is a row of another table. False:
 * an error (reported).
 */
static bool
take_row(struct reader *r)
{
	struct item thread = { 0 }, process = { 0 }, weight = { 0 };
	struct item stack = { 0 }, time = { 0 };
	struct cg_slice name;
	bool timed = false;

	while (cg_xml_child(r->xml, &name)) {
		bool good;

		timed |= cg_equal(name, "sample-time");
		/* The element contains a backtrace. */
		if (cg_equal(name, "tagged-backtrace"))
			good =
			    cg_xml_child(r->xml, &name) &&
			    take_item(r, BACKTRACE, &stack, take_backtrace) &&
			    !cg_xml_child(r->xml, &name);
		else if (cg_equal(name, "backtrace"))
			good = take_item(r, BACKTRACE, &stack, take_backtrace);
		else if (cg_equal(name, "weight"))
			good = take_item(r, WEIGHT, &weight, take_number);
		else if (cg_equal(name, "sample-time"))
			good = take_item(r, TIME, &time, take_number);
		else if (cg_equal(name, "thread"))
			good = take_item(r, THREAD, &thread, take_thread);
		else if (cg_equal(name, "process"))
			good = take_item(r, PROCESS, &process, take_process);
		else
			good = cg_xml_content(r->xml, NULL);
		if (!good)
			return false;
	}
	if (thread.pid == 0)
		thread.pid = (uint32_t)process.number;
	if (stack.node != 0 || weight.number != 0) /* a row of this table */
		add_sample(r, stack.node, &thread, weight.number,
		    timed ? &time : NULL);
	return cg_xml_status(r->xml) == CG_OK;
}

static int
read_xctrace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" },
				     time = { .name = "ns",
					     .long_name = "Time",
					     .unit = "ns" };
	struct reader r = {
		.job = job, .build = build, .space = cg_space_new(job, build)
	};
	enum cg_xml_type type = CG_XML_END;
	bool good = true;
	int status;

	(void)cg_add_column(build, &samples);
	(void)cg_add_column(build, &time);
	r.xml = cg_xml_new(job, in);
	while (r.xml && good && cg_build_status(build) == CG_OK &&
	       (type = cg_xml_next(r.xml)) != CG_XML_END)
		if (type == CG_XML_OPEN && cg_equal(cg_xml_name(r.xml), "row"))
			good = take_row(&r);
	status = r.xml ? cg_xml_status(r.xml) : CG_ELIMIT;
	if (status == CG_OK && !good && cg_rejected(job) == CG_OK)
		(void)cg_xml_reject(r.xml, "another element");
	return status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice tag, rest;

	return cg_head_root(head, &tag, &rest) &&
		       cg_starts(tag, "trace-query-result")
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

const struct cg_module cg_format_xctrace = {
	CG_MODULE,
	.name = "xctrace",
	.title = "time profiles of Apple's Instruments, by xctrace export",
	.text = true,
	.suffixes = "xctrace.xml",
	.probe = probe,
	.read = read_xctrace,
};
