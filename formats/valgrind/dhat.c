/*
 * dhat.c - dhat: allocation profiles of Valgrind's DHAT, in the form that its
 * viewer reads.
 *
 * Source: dhat/dh_main.c and docs/dh-manual.xml of Valgrind 3.19, file version
 * 2. Program points (stacks that allocate) refer to a table of frames, leaf
 * first; the table follows them. A function with its caller's address was
 * inlined.
 *
 * All sums of a program point survive, as one event each. The access counts of
 * the bytes of its blocks ("acc") are lost.
 */

#include "valgrind.h"

#define VERSION 2
#define EVENTS 11

struct point {
	uint64_t cost[EVENTS];
	uint32_t first, count; /* range of its frames */
};

struct dhat {
	struct cg_space *space; /* counts addresses without names */
	uint64_t version, pid;
	cg_name cmd, unit, verb;
	bool lifetimes, accesses;
	CG_ARRAY(struct point) point;
	CG_ARRAY(uint32_t) index; /* of frames, of all points, leaf first */
	CG_ARRAY(struct valgrind_frame) frame;
};

/* The sums of a point, in the order of the file; some depend on DHAT's mode. */
static const struct kind {
	const char *name, *long_name, *unit;
	bool lifetimes, accesses; /* only in a mode with lifetimes, accesses */
	bool in_time;             /* the unit is the file's time unit */
} kinds[EVENTS] = {
	{ .name = "tb", .long_name = "Total bytes", .unit = "bytes" },
	{ .name = "tbk", .long_name = "Total blocks", .unit = "" },
	{ .name = "tl",
	    .long_name = "Total lifetimes",
	    .unit = "",
	    .lifetimes = true,
	    .in_time = true },
	{ .name = "mb",
	    .long_name = "Maximum bytes",
	    .unit = "bytes",
	    .lifetimes = true },
	{ .name = "mbk",
	    .long_name = "Maximum blocks",
	    .unit = "",
	    .lifetimes = true },
	{ .name = "gb",
	    .long_name = "Bytes at t-gmax",
	    .unit = "bytes",
	    .lifetimes = true },
	{ .name = "gbk",
	    .long_name = "Blocks at t-gmax",
	    .unit = "",
	    .lifetimes = true },
	{ .name = "eb",
	    .long_name = "Bytes at t-end",
	    .unit = "bytes",
	    .lifetimes = true },
	{ .name = "ebk",
	    .long_name = "Blocks at t-end",
	    .unit = "",
	    .lifetimes = true },
	{ .name = "rb",
	    .long_name = "Bytes read",
	    .unit = "bytes",
	    .accesses = true },
	{ .name = "wb",
	    .long_name = "Bytes written",
	    .unit = "bytes",
	    .accesses = true },
};

static bool
take_flag(struct cg_doc *doc, bool *flag)
{
	*flag = cg_doc_next(doc) == CG_JSON_TRUE;
	return cg_doc_skip(doc);
}

static bool
take_lifetimes(struct cg_doc *doc, void *into)
{
	return take_flag(doc, &((struct dhat *)into)->lifetimes);
}

static bool
take_accesses(struct cg_doc *doc, void *into)
{
	return take_flag(doc, &((struct dhat *)into)->accesses);
}

static bool
take_indexes(struct cg_doc *doc, void *into)
{
	struct dhat *dhat = doc->arg;
	struct point *point = into;
	int64_t index;

	point->first = (uint32_t)dhat->index.n;
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		if (!cg_doc_number(doc, 0, &index))
			return false;
		if (index < 0 || index > UINT32_MAX ||
		    dhat->index.n == UINT32_MAX)
			return cg_doc_fail(doc, "the index of a frame");
		if (!cg_append(doc->job, &dhat->index, (uint32_t)index))
			return false;
	}
	point->count = (uint32_t)dhat->index.n - point->first;
	return true;
}

static bool
take_points(struct cg_doc *doc, void *into)
{
	struct cg_field fields[EVENTS + 2] = { 0 };
	struct dhat *dhat = into;

	for (size_t i = 0; i < EVENTS; i++)
		fields[i] = (struct cg_field){ .name = kinds[i].name,
			.type = CG_FIELD_COUNT,
			.offset = offsetof(struct point, cost) +
				  i * sizeof(uint64_t) };
	fields[EVENTS] = (struct cg_field){
		.name = "fs", .type = CG_FIELD_CALL, .take = take_indexes
	};
	(void)cg_doc_array(doc);
	while (cg_doc_item(doc)) {
		struct point *point = cg_push(doc->job, &dhat->point);

		if (!point || !cg_doc_fields(doc, fields, point))
			return false;
	}
	return doc->status == CG_OK;
}

static bool
take_frame(struct cg_doc *doc, void *into)
{
	struct dhat *dhat = into;
	struct valgrind_frame *frame = cg_push(doc->job, &dhat->frame);
	struct cg_slice text;

	/* The first frame is "[root]", the caller of all. */
	return frame && cg_doc_text(doc, &text) &&
	       (valgrind_take_frame(doc->build, dhat->space, text, frame) ||
		   dhat->frame.n == 1 ||
		   cg_doc_fail(doc, "'ADDRESS: FUNCTION (FILE:LINE)'"));
}

static const struct cg_field fields[] = {
	{ .name = "dhatFileVersion",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct dhat, version) },
	{ .name = "pid",
	    .type = CG_FIELD_COUNT,
	    .offset = offsetof(struct dhat, pid) },
	{ .name = "cmd",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct dhat, cmd) },
	{ .name = "tu",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct dhat, unit) },
	{ .name = "verb",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct dhat, verb) },
	{ .name = "bklt", .type = CG_FIELD_CALL, .take = take_lifetimes },
	{ .name = "bkacc", .type = CG_FIELD_CALL, .take = take_accesses },
	{ .name = "pps", .type = CG_FIELD_CALL, .take = take_points },
	{ .name = "ftbl", .type = CG_FIELD_EACH, .take = take_frame },
	{ 0 },
};

/*
 * Adds the call stack of a program point (place that allocates) to the graph.
 * Skips frame 0, the root. If the stack has no other frame, adds the function
 * "(unknown)". A frame is inlined if it has the same address as its caller,
 * but another function. Returns the node of the innermost frame. 0: an error
 * (reported).
 */
static cg_node
add_frames(struct cg_doc *doc, struct dhat *dhat, const struct point *point)
{
	const struct cg_pos nowhere = { 0 };
	const uint32_t *index = dhat->index.at + point->first;
	cg_node node = 0;

	for (uint32_t i = point->count; i > 0; i--) {
		const struct valgrind_frame *frame, *caller = NULL;

		if (index[i - 1] >= dhat->frame.n) {
			(void)cg_doc_fail(doc, "ftbl with all frames that "
					       "program points refer to");
			return 0;
		}
		if (index[i - 1] == 0)
			continue;
		frame = &dhat->frame.at[index[i - 1]];
		if (i < point->count)
			caller = &dhat->frame.at[index[i]];
		node = cg_add_frame(doc->build, node, frame->fn, &frame->pos,
		    caller && caller->addr == frame->addr &&
			caller->fn != frame->fn);
	}
	if (node == 0)
		node = cg_add_frame(doc->build, 0,
		    cg_add_fn(doc->build, cg_slice("(unknown)"), 0, 0),
		    &nowhere, false);
	return node;
}

static void
add_points(struct cg_doc *doc, struct dhat *dhat)
{
	const struct cg_part_info info = { .pid = dhat->pid,
		.cmd = cg_get_name(doc->build, dhat->cmd).ptr };
	uint64_t cost[EVENTS];
	bool has[EVENTS];
	size_t n;

	cg_add_part(doc->build, &info);
	for (size_t i = 0; i < EVENTS; i++) {
		struct cg_event event = { .name = kinds[i].name,
			.long_name = kinds[i].long_name,
			.unit = kinds[i].unit };

		has[i] = (!kinds[i].lifetimes || dhat->lifetimes) &&
			 (!kinds[i].accesses || dhat->accesses);
		if (kinds[i].in_time)
			event.unit = cg_get_name(doc->build, dhat->unit).ptr;
		if (has[i])
			(void)cg_add_column(doc->build, &event);
	}
	for (size_t i = 0; i < dhat->point.n && doc->status == CG_OK; i++) {
		const struct point *point = &dhat->point.at[i];
		cg_node node = add_frames(doc, dhat, point);

		n = 0;
		for (size_t k = 0; k < EVENTS; k++)
			if (has[k])
				cost[n++] = point->cost[k];
		cg_add_stack(doc->build, node, point->cost[1],
		    cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
	}
}

static int
read_dhat(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct dhat dhat = { .space = cg_space_new(job, build) };
	struct cg_doc doc;

	cg_doc_open(&doc, job, in, build, &dhat);
	if (cg_doc_fields(&doc, fields, &dhat)) {
		if (dhat.version != VERSION)
			(void)cg_doc_fail(&doc, "dhatFileVersion 2");
		else
			add_points(&doc, &dhat);
	}
	cg_space_free(dhat.space); /* its warning has the document's place */
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "dhatFileVersion", NULL };

	return cg_head_keys(head, keys) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_dhat = {
	CG_MODULE,
	.name = "dhat",
	.title = "allocations, by Valgrind's DHAT",
	.text = true,
	.suffixes = "dhat",
	.probe = probe,
	.read = read_dhat,
};
