/*
 * xctrace.c - xctrace: time profiles of Apple's Instruments, as "xctrace
 * export --xpath '//table[@schema="time-profile"]'" writes them.
 *
 * Source: exports of Xcode 14 to 16, and what inferno and Perfetto read of
 * them; Apple does not document the format. A row is a sample: when, which
 * thread, how long (weight, in ns), the call stack with the leaf first. Whatever
 * has an id is referred to by it later.
 *
 * Stacks, weights, binaries, files and lines survive; threads are parts on
 * request (--part-by). When samples were taken, on which core, and addresses,
 * which are those of the process, are lost.
 */
#include <stdlib.h>

#include "cgconv.h"

enum kind {
	NONE,
	WEIGHT,
	THREAD,
	PROCESS,
	NUMBER,
	BACKTRACE,
	FRAME,
	BINARY,
	PATH
};

/* What an id stands for. */
struct item {
	enum kind kind;
	uint64_t number; /* weight, tid, pid */
	uint64_t pid;    /* of a thread */
	cg_name comm;
	cg_node node; /* of a backtrace */
	cg_fn fn;     /* of a frame */
	struct cg_pos pos;
	cg_object object; /* of a binary */
	cg_file file;     /* of a path */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_xml *xml;
	struct cg_map ids; /* -> place + 1 */
	struct item *item;
	size_t items, item_cap;
	struct item *frame; /* of one backtrace, leaf first */
	size_t frames, frame_cap;
	struct cg_columns columns;
	uint64_t tid, pid; /* of the last sample */
	cg_name comm;
	int status;
};

static bool
fail(struct reader *r, const char *expected)
{
	r->status =
	    cg_fail_at(r->job, cg_xml_at(r->xml), "expected %s", expected);
	return false;
}

static bool
nomem(struct reader *r)
{
	r->status = cg_nomem(r->job);
	return false;
}

static bool
push(struct reader *r, struct item **array, size_t *count, size_t *cap,
    const struct item *item)
{
	size_t bigger = *cap ? *cap * 2 : 64;
	struct item *more;

	if (*count == *cap) {
		more = realloc(*array, bigger * sizeof(*more));
		if (!more)
			return nomem(r);
		*array = more;
		*cap = bigger;
	}
	(*array)[(*count)++] = *item;
	return true;
}

/* A number in an attribute; false if it is not there. */
static bool
get_number(struct reader *r, const char *name, uint64_t *number)
{
	struct cg_slice text;

	return cg_xml_attribute(r->xml, name, &text) &&
	       cg_take_u64(&text, number) && text.len == 0;
}

/* <x ref="7"/>: what was called 7. *found: the element was one. */
static bool
take_ref(struct reader *r, struct item *item, bool *found)
{
	uint64_t ref;
	uint32_t place;

	*found = get_number(r, "ref", &ref);
	if (!*found)
		return true;
	place = cg_map_get(&r->ids, ref);
	if (place == 0 || r->item[place - 1].kind != item->kind)
		return fail(r, "a ref to such an element further up");
	*item = r->item[place - 1];
	return cg_xml_content(r->xml, NULL);
}

/* Remembers the item by its id, if it has one (0: none). */
static bool
keep(struct reader *r, uint64_t id, const struct item *item)
{
	uint32_t *place;

	if (id == 0)
		return true;
	place = cg_map_at(&r->ids, id);
	if (!place)
		return nomem(r);
	if (*place != 0)
		return fail(r, "an id that no other element has");
	if (!push(r, &r->item, &r->items, &r->item_cap, item))
		return false;
	*place = (uint32_t)r->items;
	return true;
}

/* ---- Elements ------------------------------------------------------------ */

static bool
take_number(struct reader *r, enum kind kind, uint64_t *number)
{
	struct item item = { .kind = kind };
	struct cg_slice text;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (!found) {
		(void)get_number(r, "id", &id);
		if (!cg_xml_content(r->xml, &text))
			return false;
		text = cg_trim(text);
		if (!cg_take_u64(&text, &item.number) || text.len > 0)
			return fail(r, "a number");
	}
	*number = item.number;
	return found || keep(r, id, &item);
}

static bool
take_path(struct reader *r, cg_file *file)
{
	struct item item = { .kind = PATH };
	struct cg_slice text;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (!found) {
		(void)get_number(r, "id", &id);
		if (!cg_xml_content(r->xml, &text))
			return false;
		item.file = cg_add_file(r->build, cg_trim(text));
	}
	*file = item.file;
	return found || keep(r, id, &item);
}

static bool
take_binary(struct reader *r, cg_object *object)
{
	struct item item = { .kind = BINARY };
	struct cg_slice text;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (!found) {
		(void)get_number(r, "id", &id);
		if (cg_xml_attribute(r->xml, "path", &text) ||
		    cg_xml_attribute(r->xml, "name", &text))
			item.object = cg_add_object(r->build, text);
		if (!cg_xml_content(r->xml, NULL))
			return false;
	}
	*object = item.object;
	return found || keep(r, id, &item);
}

/* <source line="7"><path>: up to its end. */
static bool
take_source(struct reader *r, struct cg_pos *pos)
{
	enum cg_xml_type type;
	uint64_t line;

	if (get_number(r, "line", &line) && line <= UINT32_MAX)
		pos->line = (uint32_t)line;
	while ((type = cg_xml_next(r->xml)) == CG_XML_OPEN ||
	       type == CG_XML_TEXT) {
		if (type == CG_XML_TEXT)
			continue;
		if (!(cg_equal(cg_xml_name(r->xml), "path")
			    ? take_path(r, &pos->file)
			    : cg_xml_content(r->xml, NULL)))
			return false;
	}
	return type == CG_XML_CLOSE;
}

/* A frame without a name is called by its address. */
static bool
take_frame(struct reader *r)
{
	struct item item = { .kind = FRAME };
	struct cg_slice text, addr;
	cg_object object = 0;
	enum cg_xml_type type;
	cg_name name = 0;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (found)
		return push(r, &r->frame, &r->frames, &r->frame_cap, &item);
	(void)get_number(r, "id", &id);
	if (!cg_xml_attribute(r->xml, "name", &text) || text.len == 0)
		text = cg_xml_attribute(r->xml, "addr", &addr)
			   ? addr
			   : cg_slice("(unknown)");
	name = cg_add_name(r->build, text);
	while ((type = cg_xml_next(r->xml)) == CG_XML_OPEN ||
	       type == CG_XML_TEXT) {
		bool good = true;

		if (type == CG_XML_TEXT)
			continue;
		if (cg_equal(cg_xml_name(r->xml), "binary"))
			good = take_binary(r, &object);
		else if (cg_equal(cg_xml_name(r->xml), "source"))
			good = take_source(r, &item.pos);
		else
			good = cg_xml_content(r->xml, NULL);
		if (!good)
			return false;
	}
	item.fn = cg_add_fn_named(r->build, name, item.pos.file, object);
	return type == CG_XML_CLOSE && keep(r, id, &item) &&
	       push(r, &r->frame, &r->frames, &r->frame_cap, &item);
}

static bool
take_backtrace(struct reader *r, cg_node *node)
{
	struct item item = { .kind = BACKTRACE };
	enum cg_xml_type type;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (!found) {
		(void)get_number(r, "id", &id);
		r->frames = 0;
		while ((type = cg_xml_next(r->xml)) == CG_XML_OPEN ||
		       type == CG_XML_TEXT) {
			if (type == CG_XML_TEXT)
				continue;
			if (!(cg_equal(cg_xml_name(r->xml), "frame")
				    ? take_frame(r)
				    : cg_xml_content(r->xml, NULL)))
				return false;
		}
		if (type != CG_XML_CLOSE)
			return false;
		for (size_t i = r->frames; i > 0; i--)
			item.node = cg_add_frame(r->build, item.node,
			    r->frame[i - 1].fn, &r->frame[i - 1].pos, false);
	}
	*node = item.node;
	return found || keep(r, id, &item);
}

/* A thread with its tid and process, or a process with its pid. */
static bool
take_owner(struct reader *r, enum kind kind, struct item *owner)
{
	struct item item = { .kind = kind }, process = { 0 };
	enum cg_xml_type type;
	struct cg_slice text;
	uint64_t id = 0;
	bool found;

	if (!take_ref(r, &item, &found))
		return false;
	if (!found) {
		(void)get_number(r, "id", &id);
		if (cg_xml_attribute(r->xml, "fmt", &text))
			item.comm = cg_add_name(r->build, text);
		while ((type = cg_xml_next(r->xml)) == CG_XML_OPEN ||
		       type == CG_XML_TEXT) {
			struct cg_slice name = cg_xml_name(r->xml);
			bool good;

			if (type == CG_XML_TEXT)
				continue;
			if (cg_equal(name, "tid") || cg_equal(name, "pid"))
				good = take_number(r, NUMBER, &item.number);
			else if (kind == THREAD && cg_equal(name, "process"))
				good = take_owner(r, PROCESS, &process);
			else
				good = cg_xml_content(r->xml, NULL);
			if (!good)
				return false;
		}
		item.pid = process.number;
		if (type != CG_XML_CLOSE)
			return false;
	}
	*owner = item;
	return found || keep(r, id, &item);
}

/* ---- Rows ---------------------------------------------------------------- */

static void
add_sample(
    struct reader *r, cg_node node, const struct item *thread, uint64_t weight)
{
	const uint64_t cost[] = { 1, weight };
	const struct cg_pos nowhere = { 0 };

	if (thread->number != r->tid || thread->pid != r->pid ||
	    thread->comm != r->comm) {
		const struct cg_sample_key key = { .pid = thread->pid,
			.tid = thread->number,
			.comm = cg_get_name(r->build, thread->comm) };

		cg_set_sample_part(r->build, &key);
		r->tid = thread->number;
		r->pid = thread->pid;
		r->comm = thread->comm;
	}
	if (node == 0) /* nobody knows where */
		node = cg_add_frame(r->build, 0,
		    cg_add_fn(r->build, cg_slice("(unknown)"), 0, 0), &nowhere,
		    false);
	cg_add_stack(r->build, node, 1, cg_columns_of(&r->columns, cost),
	    r->columns.width);
}

/* <row>: up to its end. */
static bool
take_row(struct reader *r)
{
	struct item thread = { 0 }, process = { 0 };
	enum cg_xml_type type;
	uint64_t weight = 0;
	cg_node node = 0;

	while ((type = cg_xml_next(r->xml)) == CG_XML_OPEN ||
	       type == CG_XML_TEXT) {
		struct cg_slice name = cg_xml_name(r->xml);
		bool good = true;

		if (type == CG_XML_TEXT)
			continue;
		if (cg_equal(name, "backtrace"))
			good = take_backtrace(r, &node);
		else if (cg_equal(name, "weight"))
			good = take_number(r, WEIGHT, &weight);
		else if (cg_equal(name, "thread"))
			good = take_owner(r, THREAD, &thread);
		else if (cg_equal(name, "process"))
			good = take_owner(r, PROCESS, &process);
		else if (!cg_equal(name, "tagged-backtrace"))
			good = cg_xml_content(r->xml, NULL);
		else /* a backtrace and its end stand where it stands */
			good = cg_xml_next(r->xml) == CG_XML_OPEN &&
			       take_backtrace(r, &node) &&
			       cg_xml_next(r->xml) == CG_XML_CLOSE;
		if (!good)
			return false;
	}
	if (thread.pid == 0)
		thread.pid = process.number;
	if (node != 0 || weight != 0) /* else of another table */
		add_sample(r, node, &thread, weight);
	return type == CG_XML_CLOSE;
}

static int
read_xctrace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" },
				     time = { .name = "ns",
					     .long_name = "Time",
					     .unit = "ns" };
	struct reader r = { .job = job, .build = build };
	enum cg_xml_type type = CG_XML_END;
	bool good = true;

	(void)cg_add_column(&r.columns, build, &samples);
	(void)cg_add_column(&r.columns, build, &time);
	r.xml = cg_xml_new(job, in);
	while (r.xml && good && cg_build_status(build) == CG_OK &&
	       (type = cg_xml_next(r.xml)) != CG_XML_END)
		if (type == CG_XML_OPEN && cg_equal(cg_xml_name(r.xml), "row"))
			good = take_row(&r);
	if (r.status == CG_OK)
		r.status = r.xml ? cg_xml_status(r.xml) : CG_ELIMIT;
	if (r.status == CG_OK && !good)
		(void)fail(&r, "another element");
	cg_xml_free(r.xml);
	cg_map_free(&r.ids);
	free(r.item);
	free(r.frame);
	return r.status;
}

static int
probe(const struct cg_head *head)
{
	struct cg_slice text = head->text;

	if (!cg_starts(text, "<"))
		return CG_PROBE_NO;
	while (text.len > 0 && !cg_starts(text, "<trace-query-result")) {
		text.ptr++;
		text.len--;
	}
	return text.len > 0 ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_xctrace = {
	CG_MODULE,
	.name = "xctrace",
	.title = "time profiles of Apple's Instruments, by xctrace export",
	.suffixes = "xctrace.xml",
	.probe = probe,
	.read = read_xctrace,
};
