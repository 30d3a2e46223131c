/*
 * flame_json.c - flame-json: flame graphs as JSON, in the forms of
 *
 * - d3-flame-graph: {"name": "main", "value": 9, "children": [...]}, also with
 *   the short names n, v, c; values include those of children, unless some
 *   are less than their children's sum: then all are self values
 * - pyinstrument -r json: {"root_frame": {"function": "f", "file_path":
 *   "/a.py", "line_no": 1, "time": 0.5, "children": [...]}}, seconds, and its
 *   sessions: {"frame_records": [[["f\0/a.py\0" "1", ...], 0.01], ...]}
 * - Pyroscope: {"flamebearer": {"names": ["total", "f"], "levels": [[0, 9, 0,
 *   0], [0, 9, 2, 1]]}, "metadata": {"units": "samples", "format": "single"}}.
 *   A level has four numbers for each bar: the gap to the bar on its left, its
 *   total, its self value, the index of its name; of two profiles
 *   ("double"), seven: the first three of each one, and the name
 *
 * Sources: README.md and src/flamegraph.js of d3-flame-graph 4.1, session.py
 * and renderers/jsonrenderer.py of pyinstrument 5.1, pkg/og/structs/flamebearer
 * of Pyroscope. A root that is no function ("root", "all", "total") is dropped.
 * Lines of pyinstrument are those where functions begin; its sessions also have
 * the line that was executed, and the thread.
 */
#include <string.h>

#include "cgconv_parse.h"

#define NS_OF_S 9  /* digits */
#define BAR 4      /* numbers of a bar */
#define BAR_DIFF 7 /* ... of two profiles */

enum form { TREE, SECONDS, BARS };

/* A node of a tree. Parents precede their children. */
struct node {
	uint32_t parent; /* index + 1; 0: none */
	cg_fn fn;
	struct cg_pos pos; /* where the function begins */
	cg_node at;
	bool own; /* pyinstrument's [self]: the value is the parent's */
	uint64_t value, children;
};
struct bar {
	uint64_t start, end;
	cg_node at;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	enum form form;
	CG_ARRAY(struct node) node;
	uint64_t rounded;    /* values with a fraction */
	bool seen;           /* samples of a session */
	CG_ARRAY(char) text; /* of a method's name */
	/* Pyroscope */
	CG_ARRAY(cg_name) name;
	CG_ARRAY(uint64_t) number;
	CG_ARRAY(size_t) end; /* of each level, in numbers */
	CG_ARRAY(struct bar) above;
	CG_ARRAY(struct bar) bars;
	bool twice;  /* two profiles */
	bool counts; /* values are numbers of samples */
	cg_name units;
	uint64_t rate;
};

static struct reader *
reader_of(struct cg_doc *doc)
{
	return doc->arg;
}

static bool
is_root(struct cg_slice name)
{
	return name.len == 0 || cg_equal(name, "root") ||
	       cg_equal(name, "all") || cg_equal(name, "total");
}

/* ---- Trees --------------------------------------------------------------- */

/* What a node says of its function. */
struct said {
	cg_name name, class, file;
	uint64_t line;
};

static bool
take_name(struct cg_doc *doc, cg_name *name)
{
	struct cg_slice text;

	if (cg_doc_next(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	if (!cg_doc_text(doc, &text))
		return false;
	*name = cg_add_name(doc->build, text);
	return true;
}

static bool
take_count(struct cg_doc *doc, unsigned digits, uint64_t *count)
{
	int64_t number;

	if (cg_doc_next(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	if (!cg_doc_number(doc, digits, &number))
		return false;
	if (number < 0)
		return cg_doc_fail(doc, "a number that is not negative");
	if (digits == 0 && doc->json.plain && doc->json.places > 0)
		reader_of(doc)->rounded++;
	*count = (uint64_t)number;
	return true;
}

static bool take_node(struct cg_doc *, uint32_t parent);

static bool
take_children(struct cg_doc *doc, uint32_t parent)
{
	if (cg_doc_next(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!take_node(doc, parent))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_member(
    struct cg_doc *doc, struct cg_slice key, uint32_t index, struct said *said)
{
	struct reader *r = reader_of(doc);
	const bool seconds = r->form == SECONDS;
	uint64_t value = 0;

	if (cg_equal(key, seconds ? "function" : "name") ||
	    (!seconds && cg_equal(key, "n")))
		return take_name(doc, &said->name);
	if (cg_equal(key, seconds ? "time" : "value") ||
	    (!seconds && cg_equal(key, "v"))) {
		if (!take_count(doc, seconds ? NS_OF_S : 0, &value))
			return false;
		r->node.at[index].value = value;
		return true;
	}
	if (cg_equal(key, "children") || (!seconds && cg_equal(key, "c")))
		return take_children(doc, index + 1);
	if (seconds && cg_equal(key, "file_path"))
		return take_name(doc, &said->file);
	if (seconds && cg_equal(key, "class_name"))
		return take_name(doc, &said->class);
	if (seconds && cg_equal(key, "line_no"))
		return take_count(doc, 0, &said->line);
	return cg_doc_skip(doc);
}

static cg_fn
add_fn(
    struct reader *r, struct cg_slice name, struct cg_slice path, uint64_t line)
{
	const cg_file file = path.len > 0 ? cg_add_file(r->build, path) : 0;
	const cg_fn fn = cg_add_fn(r->build, name, file, 0);
	const struct cg_range range = {
		.first = line <= UINT32_MAX ? (uint32_t)line : 0
	};

	if (range.first > 0)
		cg_set_fn_range(r->build, fn, &range);
	return fn;
}

/*
 * Returns "CLASS.NAME", the name of a method, which r->text holds until the
 * next call. If class is empty, or if memory runs out (reported), returns the
 * name alone.
 */
static struct cg_slice
add_class(struct reader *r, struct cg_slice class, struct cg_slice name)
{
	if (class.len == 0 ||
	    !cg_resize(r->job, &r->text, class.len + name.len + 1))
		return name;
	memcpy(r->text.at, class.ptr, class.len);
	r->text.at[class.len] = '.';
	memcpy(r->text.at + class.len + 1, name.ptr, name.len);
	return (struct cg_slice){ r->text.at, class.len + name.len + 1 };
}

static void
set_function(struct reader *r, struct node *node, const struct said *said)
{
	const struct cg_slice file = cg_get_name(r->build, said->file);
	struct cg_slice name = add_class(r, cg_get_name(r->build, said->class),
	    cg_get_name(r->build, said->name));

	if (name.len == 0)
		name = cg_slice("[unknown]");
	node->fn = add_fn(r, name, file, said->line);
	if (file.len > 0)
		node->pos.file = cg_add_file(r->build, file);
	if (said->line <= UINT32_MAX)
		node->pos.line = (uint32_t)said->line;
}

static bool
take_node(struct cg_doc *doc, uint32_t parent)
{
	struct reader *r = reader_of(doc);
	const size_t index = r->node.n;
	struct said said = { 0 };
	struct cg_slice key, name;

	if (!cg_doc_object(doc))
		return false;
	if (index >= UINT32_MAX - 1)
		return cg_reject_nomem(r->job);
	if (!cg_append(r->job, &r->node, (struct node){ .parent = parent }))
		return false;
	while (cg_doc_key(doc, &key)) {
		if (!take_member(doc, key, (uint32_t)index, &said))
			return false;
	}
	if (doc->status != CG_OK)
		return false;
	name = cg_get_name(r->build, said.name);
	if (r->form == SECONDS && cg_equal(name, "[self]") && parent != 0)
		r->node.at[index].own = true;
	else if (r->form == SECONDS || parent != 0 || !is_root(name))
		set_function(r, &r->node.at[index], &said);
	return cg_rejected(r->job) == CG_OK;
}

/*
 * Adds each node's value to its parent's sum of children, except
 * pyinstrument's "[self]". True if no value is less than that sum, so that
 * values may include children. False also if a sum overflows.
 */
static bool
sum_children(struct reader *r)
{
	bool includes = true;

	for (size_t i = 0; i < r->node.n; i++) {
		struct node *node = &r->node.at[i];
		struct node *parent =
		    node->parent ? &r->node.at[node->parent - 1] : NULL;

		if (parent && !node->own &&
		    __builtin_add_overflow(
			parent->children, node->value, &parent->children))
			includes = false;
	}
	for (size_t i = 0; i < r->node.n; i++)
		includes &= r->node.at[i].value >= r->node.at[i].children;
	return includes;
}

/*
 * Returns a node's self value. If "includes", or in pyinstrument's form, that
 * is its value less the children's. pyinstrument rounds times, so children may
 * exceed their parent: then returns 0.
 */
static uint64_t
self_of(const struct node *node, bool includes, enum form form)
{
	if (!includes && form == TREE)
		return node->value;
	return node->value > node->children ? node->value - node->children : 0;
}

static void
add_stack(struct reader *r, cg_node at, uint64_t samples, const uint64_t *cost)
{
	cg_add_stack(r->build, at, samples, cg_columns_of(r->build, cost),
	    cg_columns_width(r->build));
}

static bool
add_tree(struct reader *r)
{
	const bool includes = sum_children(r);

	for (size_t i = 0; i < r->node.n; i++) {
		struct node *node = &r->node.at[i];
		uint64_t self = self_of(node, includes, r->form);

		node->at = node->parent ? r->node.at[node->parent - 1].at : 0;
		if (node->fn != 0)
			node->at = cg_add_frame(
			    r->build, node->at, node->fn, &node->pos, false);
		if (self > 0 && !node->own)
			add_stack(
			    r, node->at, r->form == TREE ? self : 1, &self);
	}
	if (r->rounded > 0)
		cg_warn(r->job, "values with a fraction are rounded: %llu",
		    (unsigned long long)r->rounded);
	if (!includes && r->form == TREE)
		cg_note(r->job, "values are less than those of their children: "
				"they are read as self values");
	return cg_build_status(r->build) == CG_OK;
}

/* ---- Sessions of pyinstrument -------------------------------------------- */

/*
 * Sets *class and *line from the attributes of a frame, such as "\1cWork" and
 * "\1l20". Leaves a value unchanged if no attribute states it.
 */
static void
take_attributes(struct cg_slice text, struct cg_slice *class, uint64_t *line)
{
	struct cg_slice item;

	while (cg_take_until(&text, '\1', &item)) {
		if (cg_take_char(&item, 'c'))
			*class = item;
		else if (cg_take_char(&item, 'l'))
			(void)cg_take_u64(&item, line);
	}
}

/*
 * Adds a frame of pyinstrument, "f\0/a.py\0" "12\1l20", to the top of the
 * stack *at, which becomes the new stack. The frame "<thread>" sets the
 * thread, and "[self]" adds nothing. False: an error (reported).
 */
static bool
take_identifier(struct cg_doc *doc, cg_node *at)
{
	struct cg_slice text, name = { "", 0 }, file = { "", 0 };
	struct cg_slice class = { "", 0 };
	struct cg_sample_key key = { .comm = { "", 0 } };
	struct reader *r = reader_of(doc);
	struct cg_pos pos = { 0 };
	uint64_t first = 0, line = 0;
	cg_fn fn;

	if (!cg_doc_text(doc, &text))
		return false;
	if (cg_take_until(&text, '\0', &name) &&
	    cg_take_until(&text, '\0', &file) && cg_take_u64(&text, &first))
		take_attributes(text, &class, &line);
	if (cg_equal(file, "<thread>")) {
		key.thread = name;
		cg_set_sample_part(r->build, &key);
	} else if (!cg_equal(name, "[self]")) {
		if (name.len == 0)
			name = cg_slice("[unknown]");
		fn = add_fn(r, add_class(r, class, name), file, first);
		if (line <= UINT32_MAX)
			pos.line = (uint32_t)line;
		if (file.len > 0)
			pos.file = cg_add_file(r->build, file);
		*at = cg_add_frame(r->build, *at, fn, &pos, false);
	}
	return cg_build_status(r->build) == CG_OK;
}

static bool
take_records(struct cg_doc *doc)
{
	struct reader *r = reader_of(doc);
	uint64_t ns;
	cg_node at;

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		at = 0;
		ns = 0;
		if (!cg_doc_array(doc) || !cg_doc_item(doc) ||
		    !cg_doc_array(doc))
			return cg_doc_fail(doc, "[[FRAME...], SECONDS]");
		while (cg_doc_item(doc))
			if (!take_identifier(doc, &at))
				return false;
		if (!cg_doc_item(doc) || !take_count(doc, NS_OF_S, &ns))
			return cg_doc_fail(doc, "seconds");
		while (cg_doc_item(doc))
			if (!cg_doc_skip(doc))
				return false;
		if (doc->status != CG_OK)
			return false;
		add_stack(r, at, 1, &ns);
		r->seen = true;
	}
	return doc->status == CG_OK;
}

/* ---- Pyroscope ----------------------------------------------------------- */

static bool
take_names(struct cg_doc *doc)
{
	struct reader *r = reader_of(doc);
	cg_name name;

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		name = 0;
		if (!take_name(doc, &name) ||
		    !cg_append(r->job, &r->name, name))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_levels(struct cg_doc *doc)
{
	struct reader *r = reader_of(doc);
	uint64_t number = 0;

	if (!cg_doc_array(doc))
		return false;
	while (cg_doc_item(doc)) {
		if (!cg_doc_array(doc))
			return false;
		while (cg_doc_item(doc)) {
			if (!take_count(doc, 0, &number) ||
			    !cg_append(r->job, &r->number, number))
				return false;
		}
		if (!cg_append(r->job, &r->end, r->number.n))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_flamebearer(struct cg_doc *doc)
{
	struct cg_slice key;
	bool ok = cg_doc_object(doc);

	while (ok && cg_doc_key(doc, &key)) {
		if (cg_equal(key, "names"))
			ok = take_names(doc);
		else if (cg_equal(key, "levels"))
			ok = take_levels(doc);
		else
			ok = cg_doc_skip(doc);
	}
	return ok && doc->status == CG_OK;
}

static bool
take_metadata(struct cg_doc *doc)
{
	struct reader *r = reader_of(doc);
	struct cg_slice key, text;
	bool ok = cg_doc_object(doc);

	while (ok && cg_doc_key(doc, &key)) {
		if (cg_equal(key, "units")) {
			ok = take_name(doc, &r->units);
		} else if (cg_equal(key, "sampleRate")) {
			ok = take_count(doc, 0, &r->rate);
		} else if (cg_equal(key, "format")) {
			ok = cg_doc_text(doc, &text);
			r->twice = ok && cg_equal(text, "double");
		} else {
			ok = cg_doc_skip(doc);
		}
	}
	return ok && doc->status == CG_OK;
}

/*
 * Returns the stack of a bar's caller: the bar of r->above (the level before)
 * that spans it; 0: none. The search starts at *from, which is advanced: bars
 * are sorted by position.
 */
static cg_node
find_above(const struct reader *r, size_t *from, const struct bar *bar)
{
	const struct bar *above = r->above.at;

	while (*from + 1 < r->above.n && above[*from].end <= bar->start)
		++*from;
	return *from < r->above.n && above[*from].start <= bar->start &&
		       bar->end <= above[*from].end
		   ? above[*from].at
		   : 0;
}

/*
 * Adds a bar of a flame graph as a frame, with its self values. "number" has
 * its gap, total, self value and index of the name, or seven numbers of two
 * profiles. "root": the bar is on the first level, and gets no frame if named
 * "total" or alike. *x is the end of the bar before, then of this one. *from
 * is for find_above(). False: an error (reported).
 */
static bool
add_bar(struct reader *r, const uint64_t *number, bool root, uint64_t *x,
    size_t *from)
{
	const struct cg_pos nowhere = { 0 };
	const uint64_t index = number[r->twice ? 6 : 3];
	uint64_t self[2] = { number[2], r->twice ? number[5] : 0 };
	uint64_t gap = number[0], total = number[1];
	struct bar bar = { 0 };
	struct cg_slice name;

	if (index >= r->name.n)
		return cg_reject(r->job,
		    "expected the index of a name, not %llu",
		    (unsigned long long)index);
	if ((r->twice &&
		(__builtin_add_overflow(gap, number[3], &gap) ||
		    __builtin_add_overflow(total, number[4], &total))) ||
	    __builtin_add_overflow(*x, gap, &bar.start) ||
	    __builtin_add_overflow(bar.start, total, &bar.end))
		return cg_reject(
		    r->job, "expected values whose sum fits in 64 bits");
	*x = bar.end;
	name = cg_get_name(r->build, r->name.at[index]);
	if (!root)
		bar.at = find_above(r, from, &bar);
	if (!root || !is_root(name))
		bar.at = cg_add_frame(r->build, bar.at,
		    add_fn(r, name.len > 0 ? name : cg_slice("[unknown]"),
			(struct cg_slice){ "", 0 }, 0),
		    &nowhere, false);
	if (self[0] > 0 || self[1] > 0)
		add_stack(r, bar.at, r->counts ? self[0] : 1, self);
	return cg_append(r->job, &r->bars, bar);
}

static bool
add_columns(struct reader *r)
{
	const struct cg_slice units = cg_get_name(r->build, r->units);
	struct cg_event event = { .name = units.len > 0 ? units.ptr : "samples",
		.unit = cg_equal(units, "bytes")        ? "bytes"
			: cg_find(units, "nanoseconds") ? "ns"
							: "" };
	char name[2][64];

	if (strchr(event.name, ' ') || units.len > 50)
		event.name = "samples";
	r->counts = !r->twice && strcmp(event.name, "samples") == 0;
	if (!r->twice)
		return cg_add_column(r->build, &event);
	for (size_t i = 0; i < 2; i++) {
		const char *end = i == 0 ? "_before" : "_after";

		memcpy(name[i], event.name, strlen(event.name));
		memcpy(name[i] + strlen(event.name), end, strlen(end) + 1);
	}
	for (size_t i = 0; i < 2; i++) {
		event.name = name[i];
		if (!cg_add_column(r->build, &event))
			return false;
	}
	return true;
}

static bool
add_levels(struct reader *r)
{
	const size_t width = r->twice ? BAR_DIFF : BAR;
	char text[CG_NUMBER_MAX];
	size_t at = 0, from;
	uint64_t x;

	if (!add_columns(r))
		return false;
	if (r->rate > 0)
		cg_add_desc(r->build, cg_slice("sample_rate"),
		    (struct cg_slice){
			text, (size_t)(cg_format_u64(text, r->rate) - text) });
	for (size_t level = 0; level < r->end.n; level++) {
		if ((r->end.at[level] - at) % width != 0)
			return cg_reject(r->job,
			    "expected %zu numbers for each bar of level %zu",
			    width, level);
		r->bars.n = 0;
		for (x = from = 0; at < r->end.at[level]; at += width)
			if (!add_bar(
				r, r->number.at + at, level == 0, &x, &from))
				return false;
		if (!cg_resize(r->job, &r->above, r->bars.n))
			return false;
		if (r->bars.n > 0)
			memcpy(r->above.at, r->bars.at,
			    r->bars.n * sizeof(*r->bars.at));
	}
	return cg_build_status(r->build) == CG_OK;
}

/* ---- The format ---------------------------------------------------------- */

static const char *const keys[] = { "flamebearer.levels", "root_frame.time",
	"frame_records", "children.children", "children.value", "c.v", "name",
	"n", NULL };
enum {
	KEY_LEVELS = 1,
	KEY_TIME = 2,
	KEY_RECORDS = 4,
	KEY_CHILDREN = 8 | 16 | 32,
	KEY_NAME = 64 | 128
};

/*
 * Reads the whole document. If "tree" is true, it is a node with its children.
 * Otherwise it is an object with the members of one of the other forms, in any
 * order. Other members are skipped. False: an error (reported).
 */
static bool
take_document(struct cg_doc *doc, bool tree)
{
	struct cg_slice key;

	if (tree)
		return take_node(doc, 0);
	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		const bool ok =
		    cg_equal(key, "root_frame")      ? take_node(doc, 0)
		    : cg_equal(key, "frame_records") ? take_records(doc)
		    : cg_equal(key, "flamebearer")   ? take_flamebearer(doc)
		    : cg_equal(key, "metadata")      ? take_metadata(doc)
						     : cg_doc_skip(doc);

		if (!ok)
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Returns the form of the document: bars, samples in seconds, or a tree.
 * "found" has a bit for each known key at the begin of the document.
 */
static enum form
form_of(unsigned found)
{
	return found & KEY_LEVELS                 ? BARS
	       : found & (KEY_TIME | KEY_RECORDS) ? SECONDS
						  : TREE;
}

static int
read_flame(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" };
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	struct reader r = { .job = job, .build = build };
	struct cg_head head = { .name = "" };
	struct cg_doc doc;

	(void)cg_look_bytes(in, 65536, &head.text);
	r.form = form_of(cg_head_keys(&head, keys));
	if (r.form != BARS)
		(void)cg_add_column(build, r.form == TREE ? &samples : &time);
	cg_doc_open(&doc, job, in, build, &r);
	if (take_document(&doc, r.form == TREE)) {
		if (r.node.n == 0 && !r.seen && r.end.n == 0)
			(void)cg_reject(job, "expected a flame graph of "
					     "d3-flame-graph, pyinstrument or "
					     "Pyroscope");
		else if (r.form == BARS)
			(void)add_levels(&r);
		else
			(void)add_tree(&r);
	}
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	const unsigned found = cg_head_keys(head, keys);

	if (found & (KEY_LEVELS | KEY_TIME | KEY_RECORDS))
		return CG_PROBE_SURE;
	return (found & KEY_NAME) && (found & KEY_CHILDREN) ? CG_PROBE_LIKELY
							    : CG_PROBE_NO;
}

const struct cg_module cg_format_flame_json = {
	CG_MODULE,
	.name = "flame-json",
	.title = "flame graphs of d3-flame-graph, pyinstrument, Pyroscope",
	.text = true,
	.suffixes = "flamebearer.json;pyisession",
	.probe = probe,
	.read = read_flame,
};
