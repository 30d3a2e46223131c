/*
 * trace_event.c - trace-event: the JSON traces of Chrome, and of uftrace,
 * clang -ftime-trace, PyTorch, Perfetto, Tracy and others.
 *
 * Source: "Trace Event Format" (the Catapult project). An array of events, which
 * may lack its last bracket, or an object with traceEvents; times are in
 * microseconds and may have decimals. Calls are what begins and ends (B and E,
 * X) in a thread; samples are those of samples and stackFrames. Where a CPU
 * profile of V8 is in the trace (chrome_chunk.c), that alone is converted.
 *
 * Stacks, self times and real call counts survive; threads are parts on request
 * (--part-by). What is no call is lost: asynchronous and instant events,
 * counters, flows, objects, arguments, categories, and when things happened.
 */
#include <stdlib.h>

#include "cpuprofile.h"
#include "trace_event.h"

#define NANO 3 /* digits from microseconds to nanoseconds */
#define FEW 4  /* threads that are found without a map */

/* An event as it stands in the file. */
struct item {
	int64_t ts, duration, thread_duration, weight;
	uint64_t pid, tid;
	cg_name name, named; /* its own, and what it gives as argument */
	cg_name frame;       /* of a sample; 0: none */
	cg_name id;          /* of a profile, as text */
	struct profiles *profiles;
	char phase;
};

/* A stack frame that samples refer to, by the text of its id. */
struct frame {
	cg_name name, parent;
	cg_node node;
	bool known;
};

struct sample {
	uint32_t thread;
	cg_name frame;
	uint64_t weight;
};

struct trace {
	struct calls calls;
	struct cg_map thread_ids, values; /* pid and tid, each made dense */
	uint32_t value_count;
	struct cg_map frame_ids; /* cg_name -> place + 1 */
	struct frame *frame;
	size_t frames, frame_cap;
	struct cg_map sample_ids; /* thread << 32 | frame -> ... */
	struct sample *sample;
	size_t samples, sample_cap;
	size_t *path;
	size_t path_cap;
	struct profiles profiles;
	uint64_t skipped;
	bool calls_seen;
};

/* ---- Values -------------------------------------------------------------- */

static bool
take_ts(struct cg_doc *doc, void *into)
{
	return chrome_take_number(doc, NANO, &((struct item *)into)->ts);
}

static bool
take_duration(struct cg_doc *doc, void *into)
{
	return chrome_take_number(doc, NANO, &((struct item *)into)->duration);
}

static bool
take_thread_duration(struct cg_doc *doc, void *into)
{
	return chrome_take_number(
	    doc, NANO, &((struct item *)into)->thread_duration);
}

static bool
take_weight(struct cg_doc *doc, void *into)
{
	return chrome_take_number(doc, 0, &((struct item *)into)->weight);
}

static bool
take_pid(struct cg_doc *doc, void *into)
{
	return chrome_take_id(doc, &((struct item *)into)->pid);
}

static bool
take_tid(struct cg_doc *doc, void *into)
{
	return chrome_take_id(doc, &((struct item *)into)->tid);
}

static bool
take_phase(struct cg_doc *doc, void *into)
{
	struct cg_slice text;

	if (!cg_doc_text(doc, &text))
		return false;
	if (text.len > 0)
		((struct item *)into)->phase = text.ptr[0];
	return true;
}

static bool
take_sample_frame(struct cg_doc *doc, void *into)
{
	return chrome_take_name(doc, &((struct item *)into)->frame);
}

static bool
take_event_id(struct cg_doc *doc, void *into)
{
	enum cg_json_type next = cg_doc_next(doc);

	if (next != CG_JSON_STRING && next != CG_JSON_NUMBER)
		return cg_doc_skip(doc);
	return chrome_take_name(doc, &((struct item *)into)->id);
}

static bool
take_parent(struct cg_doc *doc, void *into)
{
	return chrome_take_name(doc, &((struct frame *)into)->parent);
}

static bool
is_call(char phase)
{
	return phase == 'B' || phase == 'E' || phase == 'X';
}

/* Of arguments, a piece of a profile, the name that a thread is given. */
static bool
take_arguments(struct cg_doc *doc, void *into)
{
	struct item *item = into;
	struct cg_slice key, name;

	if (cg_doc_next(doc) != CG_JSON_OBJECT || is_call(item->phase))
		return cg_doc_skip(doc);
	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		if (cg_equal(key, "data"))
			(void)chrome_take_chunk(doc, item->profiles);
		/* Which phase it is may come later. */
		else if ((item->phase != 'M' && item->phase != '\0') ||
			 !cg_equal(key, "name") ||
			 cg_doc_next(doc) != CG_JSON_STRING)
			(void)cg_doc_skip(doc);
		else if (cg_doc_text(doc, &name))
			item->named = cg_add_name(doc->build, name);
	}
	return doc->status == CG_OK;
}

/* In the order in which most write them. */
static const struct cg_field item_fields[] = {
	{ .name = "pid", .type = CG_FIELD_CALL, .take = take_pid },
	{ .name = "tid", .type = CG_FIELD_CALL, .take = take_tid },
	{ .name = "ts", .type = CG_FIELD_CALL, .take = take_ts },
	{ .name = "ph", .type = CG_FIELD_CALL, .take = take_phase },
	{ .name = "name",
	    .type = CG_FIELD_NAME,
	    .offset = offsetof(struct item, name) },
	{ .name = "args", .type = CG_FIELD_CALL, .take = take_arguments },
	{ .name = "dur", .type = CG_FIELD_CALL, .take = take_duration },
	{ .name = "tdur", .type = CG_FIELD_CALL, .take = take_thread_duration },
	{ .name = "sf", .type = CG_FIELD_CALL, .take = take_sample_frame },
	{ .name = "weight", .type = CG_FIELD_CALL, .take = take_weight },
	{ .name = "id", .type = CG_FIELD_CALL, .take = take_event_id },
	{ 0 },
};

/* ---- Events -------------------------------------------------------------- */

static bool
nomem(struct cg_doc *doc)
{
	doc->status = cg_nomem(doc->job);
	return false;
}

/* The number of a value, from 0. */
static bool
make_dense(struct cg_doc *doc, struct trace *trace, uint64_t *value)
{
	uint32_t *place = cg_map_at(&trace->values, *value);

	if (!place)
		return nomem(doc);
	if (*place == 0)
		*place = ++trace->value_count;
	*value = *place;
	return true;
}

static bool
get_thread(struct cg_doc *doc, struct trace *trace, const struct item *item,
    uint32_t *thread)
{
	struct calls *calls = &trace->calls;
	uint64_t pid = item->pid, tid = item->tid;
	uint32_t *place;

	for (*thread = 0; *thread < calls->threads && *thread < FEW; ++*thread)
		if (calls->thread[*thread].pid == pid &&
		    calls->thread[*thread].tid == tid)
			return true;
	if (!make_dense(doc, trace, &pid) || !make_dense(doc, trace, &tid))
		return false;
	place = cg_map_at(&trace->thread_ids, pid << 32 | tid);
	if (!place)
		return nomem(doc);
	if (*place == 0) {
		if (!cg_doc_grow(doc, &calls->thread, calls->threads,
			&calls->thread_cap, sizeof(*calls->thread)))
			return false;
		calls->thread[calls->threads] = (struct thread){
			.pid = item->pid, .tid = item->tid, .now = INT64_MIN
		};
		*place = (uint32_t)++calls->threads;
	}
	*thread = *place - 1;
	return true;
}

static bool
add_call(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	struct event event = {
		.ts = item->ts, .name = item->name, .phase = item->phase
	};

	if (item->phase == 'X') {
		event.duration = item->duration;
		if (event.duration < 0)
			event.duration = item->thread_duration;
		if (event.duration < 0)
			event.duration = 0;
	}
	if (item->phase != 'E' && item->name == 0)
		event.name = cg_add_name(doc->build, cg_slice("(anonymous)"));
	trace->calls_seen = true;
	return get_thread(doc, trace, item, &event.thread) &&
	       chrome_add_event(doc, &trace->calls, &event);
}

static bool
add_sample(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	uint32_t thread = 0, *place;

	if (item->weight < 0)
		return cg_doc_fail(doc, "a weight not below 0");
	if (!get_thread(doc, trace, item, &thread))
		return false;
	place =
	    cg_map_at(&trace->sample_ids, (uint64_t)thread << 32 | item->frame);
	if (!place)
		return nomem(doc);
	if (*place == 0) {
		if (!cg_doc_grow(doc, &trace->sample, trace->samples,
			&trace->sample_cap, sizeof(*trace->sample)))
			return false;
		trace->sample[trace->samples] =
		    (struct sample){ .thread = thread, .frame = item->frame };
		*place = (uint32_t)++trace->samples;
	}
	if (__builtin_add_overflow(trace->sample[*place - 1].weight,
		(uint64_t)item->weight, &trace->sample[*place - 1].weight))
		return cg_doc_fail(doc, "less weight");
	return true;
}

static bool
add_metadata(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	uint32_t thread = 0;

	if (!cg_equal(cg_get_name(doc->build, item->name), "thread_name"))
		return true;
	if (!get_thread(doc, trace, item, &thread))
		return false;
	trace->calls.thread[thread].comm = item->named;
	return true;
}

/* The thread that is sampled is that of the event Profile; others write. */
static bool
add_chunk(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	struct profile *profile = chrome_add_chunk(
	    doc, &trace->profiles, item->pid, item->tid, item->id);
	uint32_t thread;

	if (!profile)
		return false;
	if (profile->thread == 0 || trace->profiles.chunk.start != 0) {
		if (!get_thread(doc, trace, item, &thread))
			return false;
		profile->thread = thread + 1;
	}
	return true;
}

static bool
take_item(struct cg_doc *doc, struct trace *trace)
{
	struct item item = { .duration = -1,
		.thread_duration = -1,
		.weight = 1,
		.profiles = &trace->profiles };

	trace->profiles.chunk.found = false;
	if (!cg_doc_fields(doc, item_fields, &item))
		return false;
	if (trace->profiles.chunk.found &&
	    chrome_is_profile(cg_get_name(doc->build, item.name)))
		return add_chunk(doc, trace, &item);
	switch (item.phase) {
	case 'B':
	case 'E':
	case 'X': return add_call(doc, trace, &item);
	case 'M': return add_metadata(doc, trace, &item);
	case '\0':
	case 'P':
		if (item.frame != 0)
			return add_sample(doc, trace, &item);
	}
	trace->skipped++;
	return true;
}

static bool
take_items(struct cg_doc *doc, void *into)
{
	struct trace *trace = into;

	if (!cg_doc_array(doc))
		return false;
	while (!cg_doc_stops(doc) && cg_doc_item(doc))
		if (!take_item(doc, trace))
			return false;
	if (doc->stopped)
		cg_warn(doc->job, "the trace was not ended: its last ']' is "
				  "missing");
	return doc->status == CG_OK;
}

/* ---- Samples ------------------------------------------------------------- */

static bool
take_frames(struct cg_doc *doc, void *into)
{
	static const struct cg_field fields[] = {
		{ .name = "name",
		    .type = CG_FIELD_NAME,
		    .offset = offsetof(struct frame, name) },
		{ .name = "parent",
		    .type = CG_FIELD_CALL,
		    .take = take_parent },
		{ 0 },
	};
	struct trace *trace = into;
	struct cg_slice key;
	uint32_t *place;

	if (!cg_doc_object(doc))
		return false;
	while (cg_doc_key(doc, &key)) {
		cg_name id = cg_add_name(doc->build, key);
		struct frame frame = { 0 };

		if (!cg_doc_fields(doc, fields, &frame) ||
		    !cg_doc_grow(doc, &trace->frame, trace->frames,
			&trace->frame_cap, sizeof(frame)))
			return false;
		place = cg_map_at(&trace->frame_ids, id);
		if (!place)
			return nomem(doc);
		if (*place != 0)
			return cg_doc_fail(doc, "another id of a frame");
		trace->frame[trace->frames] = frame;
		*place = (uint32_t)++trace->frames;
	}
	return doc->status == CG_OK;
}

/* The call stack of a frame. */
static cg_node
add_frames(struct cg_doc *doc, struct trace *trace, cg_name id)
{
	const struct cg_pos nowhere = { 0 };
	cg_node below = 0;
	size_t depth = 0;

	while (id != 0) {
		uint32_t place = cg_map_get(&trace->frame_ids, id);

		if (place == 0 || depth == trace->frames) {
			(void)cg_doc_fail(doc,
			    place == 0 ? "stackFrames with all ids that are "
					 "referred to"
				       : "parents not in a circle");
			return 0;
		}
		below = trace->frame[place - 1].node;
		if (below != 0)
			break;
		if (!cg_doc_grow(doc, &trace->path, depth, &trace->path_cap,
			sizeof(*trace->path)))
			return 0;
		trace->path[depth++] = place - 1;
		id = trace->frame[place - 1].parent;
	}
	while (depth > 0) {
		struct frame *frame = &trace->frame[trace->path[--depth]];

		below = frame->node = cg_add_frame(doc->build, below,
		    cg_add_fn_named(doc->build, frame->name, 0, 0), &nowhere,
		    false);
	}
	return below;
}

/* ---- The whole ------------------------------------------------------------ */

static void
add_samples(struct cg_doc *doc, struct trace *trace, struct cg_columns *columns)
{
	for (size_t i = 0; i < trace->samples; i++) {
		const struct sample *sample = &trace->sample[i];
		cg_node node = add_frames(doc, trace, sample->frame);
		uint64_t cost[2] = { 0 };

		if (node == 0)
			return;
		cost[columns->events - 1] = sample->weight;
		chrome_set_thread(doc, &trace->calls, sample->thread);
		cg_add_stack(doc->build, node, sample->weight,
		    cg_columns_of(columns, cost), columns->width);
	}
}

static void
add_all(struct cg_doc *doc, struct trace *trace)
{
	static const struct cg_event time = { .name = "ns",
		.long_name = "Time",
		.unit = "ns" },
				     samples = { .name = "samples",
					     .long_name = "Samples" };
	struct cg_columns columns = { 0 };

	if (((trace->calls_seen || trace->samples == 0) &&
		!cg_add_column(&columns, doc->build, &time)) ||
	    (trace->samples > 0 &&
		!cg_add_column(&columns, doc->build, &samples)))
		return;
	if (chrome_end_events(doc, &trace->calls, &columns))
		add_samples(doc, trace, &columns);
}

/* The samples of its threads are all of a trace that holds some. */
static void
add_profiles(struct cg_doc *doc, struct trace *trace)
{
	for (size_t i = 0; i < trace->profiles.count; i++) {
		struct profile *profile = trace->profiles.profile[i];
		const struct thread *thread =
		    &trace->calls.thread[profile->thread - 1];
		const struct cg_part_info info = { .pid = thread->pid,
			.tid = thread->tid,
			.part = i + 1,
			.cmd = cg_get_name(doc->build, thread->comm).ptr };

		/* Two of one thread say the same twice: not to be added up. */
		if (trace->profiles.count > 1)
			(void)cg_add_part(doc->build, &info);
		chrome_set_thread(doc, &trace->calls, profile->thread - 1);
		if (!chrome_end_profile(doc, profile))
			return;
		chrome_add_profile(doc, &profile->cpu);
	}
	if (trace->calls_seen)
		cg_note(doc->job, "the trace holds a CPU profile: its calls "
				  "are skipped");
}

static const struct cg_field fields[] = {
	{ .name = "traceEvents", .type = CG_FIELD_CALL, .take = take_items },
	{ .name = "samples", .type = CG_FIELD_CALL, .take = take_items },
	{ .name = "stackFrames", .type = CG_FIELD_CALL, .take = take_frames },
	{ 0 },
};

static void
free_trace(struct trace *trace)
{
	chrome_free_calls(&trace->calls);
	chrome_free_profiles(&trace->profiles);
	cg_map_free(&trace->thread_ids);
	cg_map_free(&trace->values);
	cg_map_free(&trace->frame_ids);
	cg_map_free(&trace->sample_ids);
	free(trace->frame);
	free(trace->sample);
	free(trace->path);
}

static int
read_trace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct trace trace = { 0 };
	struct cg_doc doc;
	bool good;

	cg_doc_open(&doc, job, in, build, NULL);
	if (cg_doc_next(&doc) == CG_JSON_ARRAY)
		good = take_items(&doc, &trace);
	else
		good = cg_doc_fields(&doc, fields, &trace);
	if (good && trace.profiles.count > 0)
		add_profiles(&doc, &trace);
	else if (good)
		add_all(&doc, &trace);
	if (trace.skipped > 0)
		cg_note(job, "%llu events are no calls and are skipped",
		    (unsigned long long)trace.skipped);
	free_trace(&trace);
	return cg_doc_close(&doc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "traceEvents", "ph", "ts",
		"stackFrames", NULL };
	unsigned found = cg_head_keys(head, keys);

	if (found & 1)
		return CG_PROBE_SURE;
	return (found & 6) == 6 ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_trace_event = {
	CG_MODULE,
	.name = "trace-event",
	.title = "trace events: Chrome, Perfetto, uftrace, clang",
	.suffixes = "trace.json",
	.probe = probe,
	.read = read_trace,
};
