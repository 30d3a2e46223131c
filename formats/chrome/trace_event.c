/*
 * trace_event.c - trace-event: the JSON traces of Chrome, and of uftrace,
 * clang -ftime-trace, PyTorch, Perfetto, Tracy and others.
 *
 * Source: "Trace Event Format" (the Catapult project). An array of events,
 * which may lack its last bracket, or an object with traceEvents; times are in
 * microseconds and may have decimals. The phases B and E, or X, are calls of a
 * thread; the keys samples and stackFrames have samples. If a trace contains a
 * CPU profile of V8 (trace_profiles.c), only the profile is converted.
 *
 * Stacks, self times, real call counts and the times of calls survive; threads
 * are parts on request (--part-by). All events that are not calls are lost
 * when reading: asynchronous and instant events, counters, flows, objects;
 * also arguments and categories.
 */
#include <string.h>

#include "trace_event.h"

#define NANO 3 /* digits from microseconds to nanoseconds */
#define FEW 4  /* threads compared before a map lookup */

/* An event as in the file. */
struct item {
	int64_t ts, duration, thread_duration, weight;
	uint64_t pid, tid;
	cg_name name, arg_name; /* its own, and args.name */
	uint32_t frame;         /* of a sample, index + 1; 0: none */
	cg_name id;             /* id of a profile, as text */
	struct chrome_profiles *profiles;
	char phase;
};

/* A stack frame, named by samples and by frames that it called. */
struct frame {
	cg_name name;
	uint32_t parent; /* index + 1; 0: none */
	cg_node node;    /* 0: not added yet */
	bool defined;
};

struct sample {
	uint32_t thread;
	uint32_t frame; /* index + 1 */
	uint64_t weight;
};

struct trace {
	struct spans calls;
	/*
	 * pid or tid -> dense number; two dense numbers -> index of thread + 1
	 */
	struct cg_map values, thread_ids;
	uint32_t value_count;
	struct cg_map frame_ids; /* see get_frame() -> index + 1 */
	CG_ARRAY(struct frame) frame;
	struct cg_map sample_ids; /* thread << 32 | frame -> index + 1 */
	CG_ARRAY(struct sample) sample;
	/* Timeline: numbers of samples, differences of times, weights. */
	cg_name sample_name; /* name of all samples; 0: they differ */
	bool sampled;
	struct cg_numbers moments;
	int64_t last_moment;
	bool asked, kept; /* kept: the target can represent times */
	CG_ARRAY(size_t) path;
	struct chrome_profiles profiles;
	uint64_t skipped;
	bool calls_seen;
};

/* ---- Values ------------------------------------------------------------- */

/*
 * Reads a number, and sets *number to it times 10^digits. A JSON number is
 * rounded. Some producers write the number in a string. Of a string, further
 * decimals are dropped, and text after the number is ignored. False: an error
 * (reported).
 */
static bool
take_number(struct cg_doc *doc, unsigned digits, int64_t *number)
{
	struct cg_slice text;
	bool negative;
	uint64_t value;

	if (cg_doc_next(doc) != CG_JSON_STRING)
		return cg_doc_number(doc, digits, number);
	if (!cg_doc_text(doc, &text))
		return false;
	negative = cg_take_char(&text, '-');
	if (!cg_take_fixed(&text, digits, &value) || value > INT64_MAX)
		return cg_doc_fail(doc, "a number");
	*number = negative ? -(int64_t)value : (int64_t)value;
	return true;
}

/*
 * Reads the id of a process or thread to *id. The id is a number, which may be
 * in a string. For any other string, *id is the id of the string among the
 * graph's names. False: an error (reported).
 */
static bool
take_id(struct cg_doc *doc, uint64_t *id)
{
	struct cg_slice text, rest;
	int64_t number;

	if (cg_doc_next(doc) != CG_JSON_STRING) {
		if (!cg_doc_number(doc, 0, &number))
			return false;
		*id = (uint64_t)number;
		return true;
	}
	if (!cg_doc_text(doc, &text))
		return false;
	rest = text;
	if (!cg_get_u64(rest, id))
		*id = cg_add_name(doc->build, text);
	return true;
}

/*
 * Reads a JSON string or number. Sets *text to the content of the string, or
 * to the decimal digits of the number. These are stored in "digits", which
 * must have room for CG_NUMBER_MAX bytes. False: an error (reported).
 */
static bool
take_text(struct cg_doc *doc, char *digits, struct cg_slice *text)
{
	int64_t number;

	if (cg_doc_next(doc) == CG_JSON_STRING)
		return cg_doc_text(doc, text);
	if (!cg_doc_number(doc, 0, &number))
		return false;
	text->ptr = digits;
	text->len = (size_t)(cg_format_i64(digits, number) - digits);
	return true;
}

static bool
take_name(struct cg_doc *doc, cg_name *id)
{
	char digits[CG_NUMBER_MAX];
	struct cg_slice text;

	if (!take_text(doc, digits, &text))
		return false;
	*id = cg_add_name(doc->build, text);
	return true;
}

static bool
take_ts(struct cg_doc *doc, void *into)
{
	return take_number(doc, NANO, &((struct item *)into)->ts);
}

static bool
take_duration(struct cg_doc *doc, void *into)
{
	return take_number(doc, NANO, &((struct item *)into)->duration);
}

static bool
take_thread_duration(struct cg_doc *doc, void *into)
{
	return take_number(doc, NANO, &((struct item *)into)->thread_duration);
}

static bool
take_weight(struct cg_doc *doc, void *into)
{
	return take_number(doc, 0, &((struct item *)into)->weight);
}

static bool
take_pid(struct cg_doc *doc, void *into)
{
	return take_id(doc, &((struct item *)into)->pid);
}

static bool
take_tid(struct cg_doc *doc, void *into)
{
	return take_id(doc, &((struct item *)into)->tid);
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

/*
 * True if the text is a number of at most 18 digits without leading zeros.
 * Then sets *number to it. Producers write ids of stack frames in this form.
 */
static bool
is_count(struct cg_slice text, uint64_t *number)
{
	return text.len > 0 && text.len <= 18 &&
	       (*text.ptr != '0' || text.len == 1) &&
	       cg_take_u64(&text, number) && text.len == 0;
}

/*
 * Sets *frame to the index + 1 of the stack frame with an id. Appends the
 * frame if the id is new. An empty id gives 0. False: an error (reported).
 */
static bool
get_frame(struct cg_doc *doc, struct cg_slice id, uint32_t *frame)
{
	struct trace *trace = doc->arg;
	uint64_t key;
	uint32_t *index;

	*frame = 0;
	if (id.len == 0)
		return true;
	/* Bit 63 keeps the numbers of texts apart from other ids. */
	if (!is_count(id, &key))
		key = (uint64_t)1 << 63 | cg_add_name(doc->build, id);
	index = cg_map_in(doc->job, &trace->frame_ids, key);
	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_append(doc->job, &trace->frame, (struct frame){ 0 }))
			return false;
		*index = (uint32_t)trace->frame.n;
	}
	*frame = *index;
	return true;
}

static bool
take_frame(struct cg_doc *doc, uint32_t *frame)
{
	char digits[CG_NUMBER_MAX];
	struct cg_slice id;

	return take_text(doc, digits, &id) && get_frame(doc, id, frame);
}

static bool
take_sample_frame(struct cg_doc *doc, void *into)
{
	return take_frame(doc, &((struct item *)into)->frame);
}

static bool
take_event_id(struct cg_doc *doc, void *into)
{
	enum cg_json_type next = cg_doc_next(doc);

	if (next != CG_JSON_STRING && next != CG_JSON_NUMBER)
		return cg_doc_skip(doc);
	return take_name(doc, &((struct item *)into)->id);
}

static bool
take_parent(struct cg_doc *doc, void *into)
{
	return take_frame(doc, &((struct frame *)into)->parent);
}

static bool
is_call(char phase)
{
	return phase == 'B' || phase == 'E' || phase == 'X';
}

/*
 * Reads the object "args" of an event into an item: the name of a thread or
 * process, or a piece of a CPU profile. Skips other arguments, and those of
 * calls. False: an error (reported).
 */
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
			(void)chrome_take_piece(doc, item->profiles);
		/* '\0': the phase is not known yet. */
		else if ((item->phase != 'M' && item->phase != '\0') ||
			 !cg_equal(key, "name") ||
			 cg_doc_next(doc) != CG_JSON_STRING)
			(void)cg_doc_skip(doc);
		else if (cg_doc_text(doc, &name))
			item->arg_name = cg_add_name(doc->build, name);
	}
	return doc->status == CG_OK;
}

/* In the order of most producers, as the search is linear. */
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

/* ---- Events ------------------------------------------------------------- */

/*
 * Replaces *value by a number that fits into 32 bits. *value is a thread's id
 * of 64 bits, for example. The first value gets the number 1, the next new one
 * 2, and so on. Equal values get the same number. False: out of memory
 * (reported).
 */
static bool
make_dense(struct cg_doc *doc, struct trace *trace, uint64_t *value)
{
	uint32_t *index = cg_map_in(doc->job, &trace->values, *value);

	if (!index)
		return false;
	if (*index == 0)
		*index = ++trace->value_count;
	*value = *index;
	return true;
}

static bool
get_thread(struct cg_doc *doc, struct trace *trace, const struct item *item,
    uint32_t *thread)
{
	struct spans *calls = &trace->calls;
	uint64_t pid = item->pid, tid = item->tid;
	uint32_t *index;

	for (*thread = 0; *thread < calls->thread.n && *thread < FEW; ++*thread)
		if (calls->thread.at[*thread].pid == pid &&
		    calls->thread.at[*thread].tid == tid)
			return true;
	if (!make_dense(doc, trace, &pid) || !make_dense(doc, trace, &tid))
		return false;
	index = cg_map_in(doc->job, &trace->thread_ids, pid << 32 | tid);
	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_append(doc->job, &calls->thread,
			(struct spans_thread){ .pid = item->pid,
			    .tid = item->tid,
			    .now = INT64_MIN }))
			return false;
		*index = (uint32_t)calls->thread.n;
	}
	*thread = *index - 1;
	return true;
}

static bool
add_call(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	struct spans_event event = {
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
		event.name =
		    cg_add_name(doc->build, cg_slice(CHROME_ANONYMOUS));
	trace->calls_seen = true;
	return get_thread(doc, trace, item, &event.thread) &&
	       spans_add(&trace->calls, &event);
}

static bool
keep_moment(struct cg_doc *doc, struct trace *trace, uint32_t sample,
    const struct item *item)
{
	uint64_t step = (uint64_t)item->ts - (uint64_t)trace->last_moment;

	if (!trace->asked)
		trace->kept = cg_begin_timeline(doc->build);
	trace->asked = true;
	trace->last_moment = item->ts;
	return !trace->kept ||
	       (cg_numbers_in(doc->job, &trace->moments, sample) &&
		   cg_numbers_in_signed(
		       doc->job, &trace->moments, (int64_t)step) &&
		   cg_numbers_in(
		       doc->job, &trace->moments, (uint64_t)item->weight));
}

static bool
add_sample(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	uint32_t thread = 0, *index;

	if (item->weight < 0)
		return cg_doc_fail(doc, "a non-negative weight");
	if (!get_thread(doc, trace, item, &thread))
		return false;
	index = cg_map_in(
	    doc->job, &trace->sample_ids, (uint64_t)thread << 32 | item->frame);
	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_append(doc->job, &trace->sample,
			(struct sample){
			    .thread = thread, .frame = item->frame }))
			return false;
		*index = (uint32_t)trace->sample.n;
	}
	if (__builtin_add_overflow(trace->sample.at[*index - 1].weight,
		(uint64_t)item->weight, &trace->sample.at[*index - 1].weight))
		return cg_doc_fail(doc, "weights whose sum fits in 64 bits");
	if (!trace->sampled)
		trace->sample_name = item->name;
	trace->sampled = true;
	if (trace->sample_name != item->name)
		trace->sample_name = 0;
	return keep_moment(doc, trace, *index - 1, item);
}

static bool
add_metadata(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	uint32_t thread = 0;

	struct cg_slice what = cg_get_name(doc->build, item->name);
	uint32_t *process;

	if (cg_equal(what, "process_name")) {
		process =
		    cg_map_in(doc->job, &trace->calls.processes, item->pid);
		if (!process)
			return false;
		*process = item->arg_name;
		return true;
	}
	if (!cg_equal(what, "thread_name"))
		return true;
	if (!get_thread(doc, trace, item, &thread))
		return false;
	trace->calls.thread.at[thread].comm = item->arg_name;
	return true;
}

/*
 * Adds an event's piece of a CPU profile to the profile with its id. The
 * sampled thread is that of the event with a start time, else of the first
 * piece. False: an error (reported).
 */
static bool
add_piece(struct cg_doc *doc, struct trace *trace, const struct item *item)
{
	struct chrome_traced *traced = chrome_add_piece(
	    doc, &trace->profiles, item->pid, item->tid, item->id);
	uint32_t thread;

	if (!traced)
		return false;
	if (traced->thread == 0 || trace->profiles.piece.start != 0) {
		if (!get_thread(doc, trace, item, &thread))
			return false;
		traced->thread = thread + 1;
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

	trace->profiles.piece.found = false;
	if (!cg_doc_fields(doc, item_fields, &item))
		return false;
	if (trace->profiles.piece.found &&
	    chrome_is_profile(cg_get_name(doc->build, item.name)))
		return add_piece(doc, trace, &item);
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

	(void)cg_doc_array(doc);
	while (!cg_doc_stops(doc) && cg_doc_item(doc))
		if (!take_item(doc, trace))
			return false;
	if (doc->stopped)
		cg_warn(doc->job, "the last ']' is missing: the trace may be "
				  "truncated");
	return doc->status == CG_OK;
}

/* ---- Samples ------------------------------------------------------------ */

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
	uint32_t index;

	(void)cg_doc_object(doc);
	while (cg_doc_key(doc, &key)) {
		struct frame frame = { .defined = true };

		if (!get_frame(doc, key, &index) ||
		    !cg_doc_fields(doc, fields, &frame))
			return false;
		/* An empty id cannot be referred to. */
		if (index == 0)
			continue;
		if (trace->frame.at[index - 1].defined)
			return cg_doc_fail(
			    doc, "a frame id that occurs only once");
		trace->frame.at[index - 1] = frame;
	}
	return doc->status == CG_OK;
}

/*
 * Adds the trace's stack frame index - 1 and its callers to the graph, unless
 * it has them. Returns the graph's node. 0: index is 0, or an error
 * (reported), such as a cycle of callers.
 */
static cg_node
add_frames(struct cg_doc *doc, struct trace *trace, uint32_t index)
{
	const struct cg_pos nowhere = { 0 };
	cg_node below = 0;

	trace->path.n = 0;
	while (index != 0) {
		bool defined = trace->frame.at[index - 1].defined;

		if (!defined || trace->path.n == trace->frame.n) {
			(void)cg_doc_fail(
			    doc, !defined ? "stackFrames with all ids that are "
					    "referred to"
					  : "parents without a cycle");
			return 0;
		}
		below = trace->frame.at[index - 1].node;
		if (below != 0)
			break;
		if (!cg_append(doc->job, &trace->path, index - 1))
			return 0;
		index = trace->frame.at[index - 1].parent;
	}
	while (trace->path.n > 0) {
		struct frame *frame =
		    &trace->frame.at[trace->path.at[--trace->path.n]];

		below = frame->node = cg_add_frame(doc->build, below,
		    cg_add_fn_named(doc->build, frame->name, 0, 0), &nowhere,
		    false);
	}
	return below;
}

/* ---- The document ------------------------------------------------------- */

static void
add_samples(struct cg_doc *doc, struct trace *trace)
{
	for (size_t i = 0; i < trace->sample.n; i++) {
		const struct sample *sample = &trace->sample.at[i];
		cg_node node = add_frames(doc, trace, sample->frame);
		uint64_t cost[2] = { 0 };

		if (node == 0)
			return;
		cost[cg_columns_added(doc->build) - 1] = sample->weight;
		spans_set_thread(&trace->calls, sample->thread);
		cg_add_stack(doc->build, node, sample->weight,
		    cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
	}
}

static void
add_moments(struct cg_doc *doc, struct trace *trace)
{
	struct cg_moment moment = { .n = cg_columns_width(doc->build) };
	uint64_t number, cost[2] = { 0 };
	uint64_t *weight = &cost[cg_columns_added(doc->build) - 1];
	int64_t step;
	size_t at = 0;

	while (cg_numbers_get(&trace->moments, &at, &number) &&
	       cg_numbers_get_signed(&trace->moments, &at, &step) &&
	       cg_numbers_get(&trace->moments, &at, weight)) {
		const struct sample *sample = &trace->sample.at[number];

		moment.time = (int64_t)((uint64_t)moment.time + (uint64_t)step);
		moment.node = add_frames(doc, trace, sample->frame);
		if (moment.node == 0)
			return;
		moment.cost = cg_columns_of(doc->build, cost);
		spans_set_thread(&trace->calls, sample->thread);
		spans_set_track(&trace->calls, sample->thread, false);
		cg_add_moment(doc->build, &moment);
	}
}

/*
 * Returns the name of the event that counts samples. If all samples of the
 * trace have one name, it is this name, unless it is "ns" or has a blank.
 * Otherwise it is "samples".
 */
static const char *
name_samples(struct cg_doc *doc, const struct trace *trace)
{
	const char *name = cg_get_name(doc->build, trace->sample_name).ptr;

	return *name && strcmp(name, "ns") != 0 && !strpbrk(name, " \t\r\n")
		   ? name
		   : "samples";
}

static void
add_all(struct cg_doc *doc, struct trace *trace)
{
	static const struct cg_event time = {
		.name = "ns", .long_name = "Time", .unit = "ns"
	};
	struct cg_event samples = { .name = name_samples(doc, trace) };

	if (strcmp(samples.name, "samples") == 0)
		samples.long_name = "Samples";
	if (((trace->calls_seen || trace->sample.n == 0) &&
		!cg_add_column(doc->build, &time)) ||
	    (trace->sample.n > 0 && !cg_add_column(doc->build, &samples)))
		return;
	if (spans_end(&trace->calls))
		add_samples(doc, trace);
	if (doc->status == CG_OK && cg_build_status(doc->build) == CG_OK)
		add_moments(doc, trace);
}

/*
 * Adds the CPU profiles of the trace to the graph. If there are several, each
 * becomes a part (section with its own pid and tid). The calls of the trace
 * are dropped. Returns early after an error (reported).
 */
static void
add_profiles(struct cg_doc *doc, struct trace *trace)
{
	for (size_t i = 0; i < trace->profiles.traced.n; i++) {
		struct chrome_traced *traced = trace->profiles.traced.at[i];
		const struct spans_thread *thread =
		    &trace->calls.thread.at[traced->thread - 1];
		const struct cg_part_info info = { .pid = thread->pid,
			.tid = thread->tid,
			.part = i + 1,
			.cmd = cg_get_name(doc->build, thread->comm).ptr };

		/*
		 * Profiles of one thread may have the same samples: each is a
		 * part.
		 */
		if (trace->profiles.traced.n > 1)
			(void)cg_add_part(doc->build, &info);
		spans_set_thread(&trace->calls, traced->thread - 1);
		if (!chrome_end_profile(doc, &traced->profile))
			return;
		traced->profile.track = (struct cg_track){ .pid = thread->pid,
			.tid = thread->tid,
			.name = info.cmd,
			.process = cg_get_name(doc->build,
			    cg_map_get(&trace->calls.processes, thread->pid))
				       .ptr };
		chrome_add_profile(doc, &traced->profile);
	}
	if (trace->calls_seen)
		cg_note(doc->job, "the trace contains a CPU profile: its calls "
				  "are dropped");
}

static const struct cg_field fields[] = {
	{ .name = "traceEvents", .type = CG_FIELD_CALL, .take = take_items },
	{ .name = "samples", .type = CG_FIELD_CALL, .take = take_items },
	{ .name = "stackFrames", .type = CG_FIELD_CALL, .take = take_frames },
	{ 0 },
};

static int
read_trace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct trace trace = { .calls = { .job = job, .build = build } };
	struct cg_doc doc;
	bool good;

	cg_doc_open(&doc, job, in, build, &trace);
	if (cg_doc_next(&doc) == CG_JSON_ARRAY)
		good = take_items(&doc, &trace);
	else
		good = cg_doc_fields(&doc, fields, &trace);
	if (good && trace.profiles.traced.n > 0)
		add_profiles(&doc, &trace);
	else if (good)
		add_all(&doc, &trace);
	if (trace.skipped > 0)
		cg_note(job, "events other than calls are dropped: %llu",
		    (unsigned long long)trace.skipped);
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

static const struct cg_option options[] = { CG_OPTION_EVENT, { 0 } };

const struct cg_module cg_format_trace_event = {
	CG_MODULE,
	.name = "trace-event",
	.title = "trace events: Chrome, Perfetto, uftrace, clang",
	.text = true,
	.suffixes = "trace.json",
	.carries = CG_SELF | CG_CALLS | CG_STACKS | CG_PARTS | CG_TIMELINE,
	.needs = CG_STACKS | CG_TIMELINE,
	.options = options,
	.probe = probe,
	.read = read_trace,
	.write = chrome_write_trace,
};
