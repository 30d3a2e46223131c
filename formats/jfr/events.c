/*
 * events.c - turns the events of a chunk into samples.
 *
 * Events are read twice: first to find the columns and the recorded program,
 * then to add samples.
 */
#include "jfr.h"

#define NS_PER_S 1000000000

/*
 * Converts a duration from ticks of the chunk's clock to nanoseconds. Returns
 * UINT64_MAX if the result does not fit.
 */
static uint64_t
ticks_to_ns(const struct jfr_chunk *chunk, uint64_t ticks)
{
	return chunk->frequency == NS_PER_S
		   ? ticks
		   : cg_mul_div(ticks, NS_PER_S, chunk->frequency);
}

/*
 * Converts a time from ticks of the chunk's clock to ns since 1970. Returns
 * INT64_MAX if the result may overflow. The library drops and reports such
 * times.
 */
static int64_t
time_of(const struct jfr_chunk *chunk, uint64_t ticks)
{
	bool before = ticks < chunk->ticks;
	uint64_t ns = ticks_to_ns(
	    chunk, before ? chunk->ticks - ticks : ticks - chunk->ticks);

	if (ns > INT64_MAX / 2 || chunk->start > INT64_MAX / 2)
		return INT64_MAX; /* the library reports it */
	return before ? (int64_t)chunk->start - (int64_t)ns
		      : (int64_t)(chunk->start + ns);
}

/*
 * Takes the next event off *events. Sets *class to the event's class, or NULL
 * if the class is unknown. Sets *fields to the event's bytes after size and
 * class. False: malformed, or longer than *events (reported).
 */
static bool
take_event(struct jfr_chunk *chunk, struct jfr_bytes *events,
    const struct jfr_class **class, struct jfr_bytes *fields)
{
	uint64_t size, type;

	*fields = *events;
	if (!jfr_take_number(fields, JFR_INT, &size) ||
	    !jfr_take_number(fields, JFR_LONG, &type) ||
	    size > (uint64_t)(events->end - events->at) ||
	    size < (uint64_t)(fields->at - events->at))
		return jfr_expected(chunk, events, "the size of an event");
	events->at += size;
	fields->end = events->at;
	*class = jfr_find_class(chunk, type);
	return true;
}

/* ---- First pass: columns and program ------------------------------------- */

static bool
describe(struct jfr_chunk *chunk, const char *key, uint64_t text)
{
	struct cg_slice value;

	if (!jfr_get_text(chunk, text, &value))
		return false;
	if (value.len > 0)
		cg_add_desc(chunk->build, cg_slice(key), value);
	return true;
}

/*
 * Begins the graph's only part, for the recorded process, and describes the
 * JVM. jvm: fields of an event in this chunk; texts are offsets. Once the part
 * has begun, only sets the samples' pid. False: an error (reported).
 */
static bool
begin_part(struct jfr_chunk *chunk, const uint64_t jvm[JFR_SLOTS])
{
	struct cg_part_info info = { .pid = jvm[JVM_PID], .cmd = "" };
	struct cg_slice command;

	/* Recordings of several programs may be joined. */
	if (jvm[JVM_PID] != 0)
		chunk->samples->pid = jvm[JVM_PID];
	if (chunk->samples->begun)
		return true;
	if (!jfr_get_text(chunk, jvm[JVM_COMMAND], &command))
		return false;
	info.cmd =
	    cg_get_name(chunk->build, cg_add_name(chunk->build, command)).ptr;
	chunk->samples->begun = true;
	(void)cg_add_part(chunk->build, &info);
	return describe(chunk, "JVM", jvm[JVM_NAME]) &&
	       describe(chunk, "JVM version", jvm[JVM_VERSION]) &&
	       describe(chunk, "JVM arguments", jvm[JVM_ARGUMENTS]);
}

static bool
add_columns(struct jfr_chunk *chunk, const bool found[JFR_ROWS])
{
	struct jfr_samples *samples = chunk->samples;

	for (size_t i = 0; i < JFR_ROWS; i++) {
		const struct jfr_event_row *row = &jfr_event_rows[i];
		const struct cg_event event = { .name = row->column,
			.long_name = row->long_name,
			.unit = row->unit };

		if (!found[i] || !row->column || samples->column[i] != 0)
			continue;
		samples->column[i] = cg_add_event(chunk->build, &event) + 1;
	}
	return cg_build_status(chunk->build) == CG_OK;
}

static bool
survey(struct jfr_chunk *chunk, struct jfr_bytes events)
{
	uint64_t jvm[JFR_SLOTS] = { 0 };
	bool found[JFR_ROWS] = { false };
	const struct jfr_class *class = NULL;
	struct jfr_bytes fields;

	while (events.at < events.end) {
		if (!take_event(chunk, &events, &class, &fields))
			return false;
		if (!class || class->record == JFR_OTHER)
			continue;
		if (class->record >= JFR_EVENT)
			found[class->record - JFR_EVENT] = true;
		else if (class->record == JFR_JVM &&
			 !jfr_take_record(chunk, class, &fields, jvm))
			return false;
	}
	return begin_part(chunk, jvm) && add_columns(chunk, found);
}

/* ---- Second pass: samples ------------------------------------------------ */

static bool
same_who(const struct jfr_who *a, const struct jfr_who *b)
{
	return a->thread == b->thread && a->state == b->state &&
	       a->class == b->class;
}

static uint64_t
weight_of(const struct jfr_chunk *chunk, const struct jfr_event_row *row,
    const uint64_t slot[JFR_SLOTS])
{
	if (!row->weight)
		return 1;
	if (slot[EVENT_WEIGHT] > INT64_MAX) {
		cg_warn(chunk->job,
		    "expected numbers that are not negative in events "
		    "%s: they are counted as 0",
		    row->type);
		return 0;
	}
	return row->ticks ? ticks_to_ns(chunk, slot[EVENT_WEIGHT])
			  : slot[EVENT_WEIGHT];
}

static bool
add_sample(struct jfr_chunk *chunk, size_t row, const uint64_t slot[JFR_SLOTS])
{
	struct jfr_samples *samples = chunk->samples;
	unsigned column = samples->column[row] - 1;
	uint64_t cost[CG_EVENT_MAX];
	const char *unit = jfr_event_rows[row].unit;
	struct cg_moment moment = { .cost = cost, .n = column + 1 };
	bool truncated;

	memset(cost, 0, column * sizeof(*cost));
	cost[column] = weight_of(chunk, &jfr_event_rows[row], slot);
	moment.node = jfr_get_stack(chunk, slot[EVENT_STACK], &truncated);
	if (moment.node == 0)
		return false;
	cg_add_stack(chunk->build, moment.node,
	    *unit == '\0' ? cost[column] : 1, cost, column + 1);
	if (samples->timed) {
		moment.time = time_of(chunk, slot[EVENT_TIME]);
		cg_add_moment(chunk->build, &moment);
	}
	samples->count++;
	samples->truncated += truncated;
	return cg_build_status(chunk->build) == CG_OK;
}

bool
jfr_read_events(struct jfr_chunk *chunk)
{
	struct jfr_samples *samples = chunk->samples;
	struct jfr_bytes events = jfr_bytes_at(chunk, JFR_HEADER), fields;
	struct jfr_who last = { .thread = UINT64_MAX };
	const struct jfr_class *class = NULL;
	uint64_t slot[JFR_SLOTS];

	if (!survey(chunk, events))
		return false;
	samples->timed = cg_begin_timeline(chunk->build);
	while (events.at < events.end) {
		struct jfr_who who = { .pid = samples->pid };

		if (!take_event(chunk, &events, &class, &fields))
			return false;
		if (!class || class->record < JFR_EVENT ||
		    class->record == JFR_OTHER)
			continue;
		if (samples->column[class->record - JFR_EVENT] == 0) {
			samples->dropped++;
			continue;
		}
		if (!jfr_take_record(chunk, class, &fields, slot))
			return false;
		who.thread = slot[EVENT_THREAD];
		who.state = slot[EVENT_STATE];
		who.class = slot[EVENT_CLASS];
		if (!same_who(&who, &last) &&
		    !jfr_set_who(chunk, &who, samples->timed))
			return false;
		last = who;
		if (!add_sample(
			chunk, (size_t) class->record - JFR_EVENT, slot))
			return false;
	}
	return true;
}
