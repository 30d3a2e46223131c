/*
 * stackprof.c - stackprof: profiles of Ruby by the stackprof gem, as JSON.
 *
 * Source: ext/stackprof/stackprof.c and lib/stackprof/report.rb of stackprof
 * 0.2. raw is a list of stacks: the number of frames, their ids from the root,
 * the number of samples. raw_timestamp_deltas has for each sample the
 * microseconds since the previous one. Without raw (raw: false) there are only
 * sums: samples and total_samples of a frame, edges to its callees, lines with
 * [total, self].
 *
 * Stacks and times survive; without raw, all sums survive. Lines are lost if
 * the profile has stacks.
 */

#include "cgconv_parse.h"

#define NATIVE "<cfunc>" /* the file of functions written in C */
#define OBJECT "(cfunc)"

struct frame {
	uint64_t id;
	cg_name name, file;
	uint64_t line, total, self;
	cg_fn fn;
	struct cg_pos pos;
};

struct edge {
	uint64_t caller, callee, samples; /* ids */
};

struct line {
	uint64_t frame; /* id */
	uint64_t number, self;
};

/* A node of the tree of raw stacks. */
struct node {
	uint32_t parent;
	uint32_t value; /* dense id */
	uint64_t samples;
	cg_node node;
};

struct prof {
	cg_name mode;
	uint64_t interval;
	CG_ARRAY(struct frame) frame;
	struct cg_map frame_ids; /* id -> index + 1 */
	CG_ARRAY(struct edge) edge;
	CG_ARRAY(struct line) line;
	struct cg_map value_ids; /* id in raw -> dense id + 1 */
	CG_ARRAY(uint64_t) value;
	struct cg_map node_ids;     /* parent << 32 | dense id -> index */
	CG_ARRAY(struct node) node; /* the first is the root */
	struct cg_numbers stacks;   /* in file order: nodes, samples */
	struct cg_numbers deltas;   /* of times, ns */
	bool asked, timed;          /* the target can represent times */
};

/*
 * Parses the key of an object as a number into *id. False: the key is no
 * number (reported).
 */
static bool
get_id(struct cg_doc *doc, struct cg_slice key, uint64_t *id)
{
	return cg_get_u64(key, id) || cg_doc_fail(doc, "a number as key");
}

/* ---- Sums ---------------------------------------------------------------- */

static bool
take_edges(struct cg_doc *doc, void *into)
{
	struct prof *prof = doc->arg;
	struct frame *frame = into;
	struct cg_slice key;
	int64_t samples;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct edge edge = { .caller = frame->id };

		if (!get_id(doc, key, &edge.callee) ||
		    !cg_doc_number(doc, 0, &samples))
			return false;
		if (samples < 0)
			return cg_doc_fail(doc, "a number of samples");
		edge.samples = (uint64_t)samples;
		if (!cg_append(doc->job, &prof->edge, edge))
			return false;
	}
	return doc->status == CG_OK;
}

/*
 * Reads the samples of a source line, an array of two numbers: those with the
 * line on their stack, and the self samples, for line->self. A plain number
 * has no self samples and leaves line->self. False: an error (reported).
 */
static bool
take_line(struct cg_doc *doc, struct line *line)
{
	int64_t number = 0;

	if (cg_doc_next(doc) != CG_JSON_ARRAY)
		return cg_doc_skip(doc);
	(void)cg_doc_array(doc);
	for (int i = 0; cg_doc_item(doc); i++) {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		if (number < 0 || i > 1)
			return cg_doc_fail(doc, "two numbers of samples");
		line->self = i == 1 ? (uint64_t)number : 0;
	}
	return doc->status == CG_OK;
}

static bool
take_lines(struct cg_doc *doc, void *into)
{
	struct prof *prof = doc->arg;
	struct frame *frame = into;
	struct cg_slice key;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct line line = { .frame = frame->id };

		if (!get_id(doc, key, &line.number) || !take_line(doc, &line))
			return false;
		if (line.number > UINT32_MAX)
			return cg_doc_fail(doc, "a line number");
		if (!cg_append(doc->job, &prof->line, line))
			return false;
	}
	return doc->status == CG_OK;
}

static const struct cg_field frame_fields[] = {
	{ .name = "name",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct frame, name) },
	{ .name = "file",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct frame, file) },
	{ .name = "line",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct frame, line) },
	{ .name = "total_samples",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct frame, total) },
	{ .name = "samples",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct frame, self) },
	{ .name = "edges", .type = CG_FIELD_CALL, .take = take_edges },
	{ .name = "lines", .type = CG_FIELD_CALL, .take = take_lines },
	{ 0 },
};

static bool
take_frames(struct cg_doc *doc, void *into)
{
	struct prof *prof = into;
	struct cg_slice key;
	uint32_t *index;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct frame frame = { 0 };

		if (!get_id(doc, key, &frame.id) ||
		    !cg_doc_fields(doc, frame_fields, &frame))
			return false;
		index = cg_map_in(doc->job, &prof->frame_ids, frame.id);
		if (!index)
			return false;
		if (*index != 0)
			return cg_doc_fail(
			    doc, "a frame id that occurs only once");
		if (frame.line > UINT32_MAX)
			return cg_doc_fail(doc, "a line number");
		if (!cg_append(doc->job, &prof->frame, frame))
			return false;
		*index = (uint32_t)prof->frame.n;
	}
	return doc->status == CG_OK;
}

/* ---- Stacks -------------------------------------------------------------- */

/*
 * Moves *at, the index of a node in the tree of stacks, to its child with the
 * frame "id". Adds the child if it is new. False: out of memory (reported).
 */
static bool
step(struct cg_doc *doc, struct prof *prof, uint32_t *at, uint64_t id)
{
	uint32_t *value = cg_map_in(doc->job, &prof->value_ids, id), *index;

	if (!value)
		return false;
	if (*value == 0) {
		if (!cg_append(doc->job, &prof->value, id))
			return false;
		*value = (uint32_t)prof->value.n;
	}
	index =
	    cg_map_in(doc->job, &prof->node_ids, (uint64_t)*at << 32 | *value);
	if (!index)
		return false;
	if (*index == 0) {
		*index = (uint32_t)prof->node.n;
		if (!cg_append(doc->job, &prof->node,
			(struct node){ .parent = *at, .value = *value - 1 }))
			return false;
	}
	*at = *index;
	return true;
}

static bool
next_number(struct cg_doc *doc, uint64_t *number)
{
	int64_t value = 0;

	if (!cg_doc_item(doc))
		return cg_doc_fail(doc, "a whole stack");
	if (!cg_doc_number(doc, 0, &value))
		return false;
	*number = (uint64_t)value;
	return value >= 0 || cg_doc_fail(doc, "a non-negative number");
}

static bool
keep_stack(
    struct cg_doc *doc, struct prof *prof, uint32_t node, uint64_t samples)
{
	if (!prof->asked)
		prof->timed = cg_begin_timeline(doc->build);
	prof->asked = true;
	return !prof->timed ||
	       (cg_numbers_in(doc->job, &prof->stacks, node) &&
		   cg_numbers_in(doc->job, &prof->stacks, samples));
}

static bool
take_raw(struct cg_doc *doc, void *into)
{
	struct prof *prof = into;
	uint64_t frames, samples = 0, id = 0;
	int64_t first;

	if (!cg_doc_array(doc) ||
	    (prof->node.n == 0 && !cg_push(doc->job, &prof->node)))
		return false;
	while (cg_doc_item(doc)) {
		uint32_t at = 0;

		if (!cg_doc_number(doc, 0, &first))
			return false;
		if (first <= 0)
			return cg_doc_fail(doc, "a number of frames");
		for (frames = (uint64_t)first; frames > 0; frames--)
			if (!next_number(doc, &id) || !step(doc, prof, &at, id))
				return false;
		if (!next_number(doc, &samples))
			return false;
		if (__builtin_add_overflow(prof->node.at[at].samples, samples,
			&prof->node.at[at].samples))
			return cg_doc_fail(
			    doc, "samples whose sum fits in 64 bits");
		if (!keep_stack(doc, prof, at, samples))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_delta(struct cg_doc *doc, void *into)
{
	struct prof *prof = into;
	int64_t delta;

	return cg_doc_number(doc, 3, &delta) &&
	       cg_numbers_in_signed(doc->job, &prof->deltas, delta);
}

/* ---- Into the graph ------------------------------------------------------ */

static struct frame *
find_frame(struct cg_doc *doc, struct prof *prof, uint64_t id)
{
	uint32_t index = cg_map_get(&prof->frame_ids, id);

	if (index != 0)
		return &prof->frame.at[index - 1];
	(void)cg_doc_fail(doc, "frames for all ids in stacks and edges");
	return NULL;
}

static void
add_functions(struct cg_build *build, struct prof *prof)
{
	for (size_t i = 0; i < prof->frame.n; i++) {
		struct frame *frame = &prof->frame.at[i];
		struct cg_slice file = cg_get_name(build, frame->file);
		struct cg_slice name = cg_get_name(build, frame->name);
		cg_object object = 0;

		if (cg_equal(file, NATIVE))
			object = cg_add_object(build, cg_slice(OBJECT));
		else
			frame->pos.file = cg_add_file(build, file);
		frame->pos.line = (uint32_t)frame->line;
		frame->fn = cg_add_fn_at(build,
		    name.len ? name : cg_slice("(anonymous)"), frame->pos.file,
		    object, frame->pos.line, 0);
	}
}

/*
 * Adds the stacks of all nodes to the graph, with the samples of each node. A
 * parent has a lower index than its children. Returns early if a frame is not
 * defined (reported).
 */
static void
add_stacks(struct cg_doc *doc, struct prof *prof)
{
	for (size_t i = 1; i < prof->node.n; i++) {
		struct node *node = &prof->node.at[i];
		const struct frame *frame =
		    find_frame(doc, prof, prof->value.at[node->value]);

		if (!frame)
			return;
		node->node =
		    cg_add_frame(doc->build, prof->node.at[node->parent].node,
			frame->fn, &frame->pos, false);
		if (node->samples > 0)
			cg_add_stack(doc->build, node->node, node->samples,
			    cg_columns_of(doc->build, &node->samples),
			    cg_columns_width(doc->build));
	}
}

/*
 * Adds "samples" samples of the stack "node" to the timeline, each with cost
 * 1. For each sample, reads one difference of time from prof->deltas at offset
 * *at, and advances *at. Adds the difference to *now, which is the time of the
 * sample; it stays at INT64_MAX if the sum overflows. False: there are fewer
 * differences than samples.
 */
static bool
add_samples(struct cg_doc *doc, struct prof *prof, cg_node node,
    uint64_t samples, size_t *at, int64_t *now)
{
	const uint64_t one = 1;
	const struct cg_moment moment = { .node = node,
		.cost = cg_columns_of(doc->build, &one),
		.n = cg_columns_width(doc->build) };

	for (; samples > 0; samples--) {
		struct cg_moment next = moment;
		int64_t delta;

		if (!cg_numbers_get_signed(&prof->deltas, at, &delta))
			return false;
		if (__builtin_add_overflow(*now, delta, now))
			*now = INT64_MAX;
		next.time = *now;
		cg_add_moment(doc->build, &next);
	}
	return true;
}

/*
 * Adds consecutive samples of one stack to a timeline, as one moment. The
 * profile has no times of samples, so the time of a moment is the number of
 * samples before it, *now. Adds the number of these samples to *now.
 */
static void
add_untimed(struct cg_doc *doc, cg_node node, uint64_t samples, int64_t *now)
{
	const struct cg_moment moment = { .time = *now,
		.node = node,
		.cost = cg_columns_of(doc->build, &samples),
		.n = cg_columns_width(doc->build) };

	cg_add_moment(doc->build, &moment);
	*now = (int64_t)((uint64_t)*now + samples);
}

static void
add_moments(struct cg_doc *doc, struct prof *prof)
{
	bool timed = prof->deltas.bytes > 0;
	const struct cg_track track = { .name = "", .unit = timed ? "ns" : "" };
	size_t at = 0, delta = 0;
	uint64_t node, samples;
	int64_t now = 0;

	if (prof->stacks.bytes == 0 || !cg_add_track(doc->build, &track))
		return;
	while (cg_numbers_get(&prof->stacks, &at, &node) &&
	       cg_numbers_get(&prof->stacks, &at, &samples)) {
		cg_node leaf = prof->node.at[node].node;

		if (!timed) {
			add_untimed(doc, leaf, samples, &now);
		} else if (!add_samples(
			       doc, prof, leaf, samples, &delta, &now)) {
			cg_warn(
			    doc->job, "there are not as many samples as times");
			return;
		}
	}
}

static void
add_sums(struct cg_doc *doc, struct prof *prof)
{
	const struct cg_pos nowhere = { 0 };
	struct frame *frame, *callee;

	for (size_t i = 0; i < prof->line.n; i++) {
		struct line *line = &prof->line.at[i];
		struct cg_pos pos;

		frame = find_frame(doc, prof, line->frame);
		if (!frame)
			return;
		if (line->self > frame->self)
			line->self = frame->self;
		frame->self -= line->self;
		pos = (struct cg_pos){ .file = frame->pos.file,
			.line = (uint32_t)line->number };
		if (line->self > 0)
			cg_add_cost(doc->build, frame->fn, &pos,
			    cg_columns_of(doc->build, &line->self),
			    cg_columns_width(doc->build));
	}
	for (size_t i = 0; i < prof->frame.n; i++) {
		frame = &prof->frame.at[i];
		if (frame->self > 0)
			cg_add_cost(doc->build, frame->fn, &frame->pos,
			    cg_columns_of(doc->build, &frame->self),
			    cg_columns_width(doc->build));
		if (frame->total > 0)
			cg_add_inclusive(doc->build, frame->fn,
			    cg_columns_of(doc->build, &frame->total),
			    cg_columns_width(doc->build));
	}
	if (prof->edge.n > 0)
		cg_set_calls_sampled(doc->build);
	for (size_t i = 0; i < prof->edge.n; i++) {
		const struct edge *edge = &prof->edge.at[i];

		frame = find_frame(doc, prof, edge->caller);
		callee = frame ? find_frame(doc, prof, edge->callee) : NULL;
		if (!callee)
			return;
		cg_add_call(doc->build, frame->fn, &frame->pos, callee->fn,
		    &nowhere, edge->samples,
		    cg_columns_of(doc->build, &edge->samples),
		    cg_columns_width(doc->build));
	}
}

/*
 * Adds the event "samples". In modes wall and cpu, also adds the event "ns", a
 * formula: samples times the interval. The profile's interval is in
 * microseconds there. In other modes, and if the interval is above UINT32_MAX,
 * there is no "ns". In mode object, for example, the interval is a number of
 * objects.
 */
static void
add_events(struct cg_build *build, struct prof *prof)
{
	struct cg_slice mode = cg_get_name(build, prof->mode);
	const bool timed = (cg_equal(mode, "wall") || cg_equal(mode, "cpu")) &&
			   prof->interval <= UINT32_MAX;

	(void)cg_add_samples(build, timed ? prof->interval * 1000 : 0);
}

static const struct cg_field fields[] = {
	{ .name = "mode",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct prof, mode) },
	{ .name = "interval",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct prof, interval) },
	{ .name = "frames", .type = CG_FIELD_CALL, .take = take_frames },
	{ .name = "raw", .type = CG_FIELD_CALL, .take = take_raw },
	{ .name = "raw_timestamp_deltas",
	    .type = CG_FIELD_EACH,
	    .take = take_delta },
	{ 0 },
};

static int
read_stackprof(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct prof prof = { 0 };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &prof);
	if (cg_doc_fields(&doc, fields, &prof)) {
		add_events(build, &prof);
		add_functions(build, &prof);
		if (prof.node.n > 0) {
			add_stacks(&doc, &prof);
			if (doc.status == CG_OK)
				add_moments(&doc, &prof);
		} else {
			add_sums(&doc, &prof);
		}
	}
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "mode", "interval", "frames",
		"gc_samples", "missed_samples", NULL };
	unsigned found = cg_head_keys(head, keys);

	return (found & 11) == 11 || (found & 7) == 7 ? CG_PROBE_SURE
						      : CG_PROBE_NO;
}

const struct cg_module cg_format_stackprof = {
	CG_MODULE,
	.name = "stackprof",
	.title = "profiles of Ruby by stackprof, as JSON",
	.text = true,
	.suffixes = "stackprof.json",
	.probe = probe,
	.read = read_stackprof,
};
