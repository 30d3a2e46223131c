/*
 * safari.c - safari: timeline recordings that Safari's Web Inspector exports:
 *
 *	{"version": 1, "recording": {"displayName": ..., "records": [...],
 *	  "sampleStackTraces": [{"timestamp": 4.47, "stackFrames": [{"name": "f",
 *	    "line": 20, "column": 15, "url": "file:///a.js",
 *	    "expressionLocation": {"line": 22, "column": 19}}, ...]}, ...],
 *	  "sampleDurations": [0.001, ...]}}
 *
 * The leaf comes first; a frame has the place where its function begins, and
 * that of the expression which ran. Durations are seconds, one of each sample.
 *
 * Source: safari.ts of speedscope 1.22 and the recording of Safari 13.1 in its
 * samples, which has the same stacks and times. Samples, times and lines
 * survive; records of the timeline (network, layout, memory) are dropped.
 */
#include "cgconv_parse.h"

#define VERSION 1
#define NS_OF_S 9 /* digits */

struct place {
	int64_t line, column; /* -1: unknown */
};
struct frame {
	cg_name name, url;
	struct place begin, at;
};
struct sample {
	CG_ARRAY(struct frame) frame; /* the leaf first */
};

struct reader {
	struct sample sample;
	CG_ARRAY(cg_node) leaf;
	size_t durations;
	uint64_t records; /* of the timeline */
	int64_t version;
};

static struct reader *
reader_of(struct cg_doc *doc)
{
	return doc->arg;
}

static bool
take_place(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "line",
		    .type = CG_FIELD_INT,
		    .offset = offsetof(struct place, line) },
		{ .name = "column",
		    .type = CG_FIELD_INT,
		    .offset = offsetof(struct place, column) },
		{ 0 },
	};

	if (cg_doc_next(doc) == CG_JSON_NULL)
		return cg_doc_skip(doc);
	return cg_doc_fields(doc, fields, into);
}

static bool
take_frame(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "name",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct frame, name) },
		{ .name = "url",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct frame, url) },
		{ .name = "line",
		    .type = CG_FIELD_INT,
		    .offset = offsetof(struct frame, begin.line) },
		{ .name = "column",
		    .type = CG_FIELD_INT,
		    .offset = offsetof(struct frame, begin.column) },
		{ .name = "expressionLocation",
		    .type = CG_FIELD_CALL,
		    .offset = offsetof(struct frame, at),
		    .take = take_place },
		{ 0 },
	};
	struct sample *sample = into;
	struct frame *frame = cg_push(doc->job, &sample->frame);

	return frame && cg_doc_fields(doc, fields, frame);
}

/* Returns a line or column; 0 if the number cannot be one. */
static uint32_t
get_place(int64_t number)
{
	return number > 0 && number <= INT32_MAX ? (uint32_t)number : 0;
}

static cg_node
add_frame(struct cg_doc *doc, const struct frame *frame, cg_node parent)
{
	struct cg_build *build = doc->build;
	struct cg_slice name = cg_get_name(build, frame->name);
	struct cg_pos pos = { .line = get_place(frame->at.line) };

	if (name.len == 0)
		name = cg_slice("(anonymous)");
	pos.file = cg_add_file(build, cg_get_name(build, frame->url));
	return cg_add_frame(build, parent,
	    cg_add_fn_at(build, name, pos.file, 0, get_place(frame->begin.line),
		get_place(frame->begin.column)),
	    &pos, false);
}

static bool
take_sample(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "stackFrames",
		    .type = CG_FIELD_EACH,
		    .take = take_frame },
		{ 0 },
	};
	struct reader *r = reader_of(doc);
	cg_node node = 0;

	(void)into;
	r->sample.frame.n = 0;
	if (!cg_doc_fields(doc, fields, &r->sample))
		return false;
	for (size_t i = r->sample.frame.n; i-- > 0;)
		node = add_frame(doc, &r->sample.frame.at[i], node);
	return cg_append(doc->job, &r->leaf, node);
}

static bool
take_duration(struct cg_doc *doc, void *into)
{
	struct reader *r = reader_of(doc);
	uint64_t cost[] = { 1, 0 };
	int64_t ns;

	(void)into;
	if (!cg_doc_number(doc, NS_OF_S, &ns))
		return false;
	if (ns < 0)
		return cg_doc_fail(doc, "a duration that is not negative");
	if (r->durations == r->leaf.n)
		return cg_doc_fail(
		    doc, "as many durations as sampleStackTraces before them");
	cost[1] = (uint64_t)ns;
	cg_add_stack(doc->build, r->leaf.at[r->durations++], 1,
	    cg_columns_of(doc->build, cost), cg_columns_width(doc->build));
	return cg_build_status(doc->build) == CG_OK;
}

static bool
take_timeline(struct cg_doc *doc, void *into)
{
	(void)into;
	reader_of(doc)->records++;
	return cg_doc_skip(doc);
}

static bool
take_recording(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "sampleStackTraces",
		    .type = CG_FIELD_EACH,
		    .take = take_sample },
		{ .name = "sampleDurations",
		    .type = CG_FIELD_EACH,
		    .take = take_duration },
		{ .name = "records",
		    .type = CG_FIELD_EACH,
		    .take = take_timeline },
		{ 0 },
	};
	struct reader *r = reader_of(doc);

	(void)into;
	return cg_doc_fields(doc, fields, r);
}

static int
read_safari(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_field fields[] = {
		{ .name = "version",
		    .type = CG_FIELD_INT,
		    .offset = offsetof(struct reader, version) },
		{ .name = "recording",
		    .type = CG_FIELD_CALL,
		    .take = take_recording },
		{ 0 },
	};
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" };
	static const struct cg_event time = {
		.name = CG_TIME_EVENT, .long_name = "Time", .unit = "ns"
	};
	struct reader r = { .version = 0 };
	struct cg_doc doc;

	(void)cg_add_column(build, &samples);
	(void)cg_add_column(build, &time);
	cg_doc_open(&doc, job, in, build, &r);
	if (cg_doc_fields(&doc, fields, &r)) {
		if (r.version != VERSION)
			cg_warn(job, "expected version %d, not %lld", VERSION,
			    (long long)r.version);
		if (r.leaf.n == 0)
			(void)cg_doc_fail(&doc,
			    "a recording with sampleStackTraces (JavaScript "
			    "& Events)");
		else if (r.durations < r.leaf.n)
			(void)cg_doc_fail(
			    &doc, "as many sampleDurations as samples");
		if (r.records > 0)
			cg_note(job,
			    "records of the timeline are dropped: %llu",
			    (unsigned long long)r.records);
	}
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "recording.instrumentTypes",
		"recording.discontinuities", NULL };

	return cg_head_keys(head, keys) == 3 ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_safari = {
	CG_MODULE,
	.name = "safari",
	.title = "timeline recordings of Safari's Web Inspector",
	.text = true,
	.suffixes = "recording.json",
	.probe = probe,
	.read = read_safari,
};
