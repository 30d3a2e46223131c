/*
 * profilers.c - samples of stacks: of perf, of Chrome's sampling profiler, and
 * StackSample, which any profiler can write.
 */
#include "perfetto.h"

/* ---- Names of perf's events --------------------------------------------- */

/* Where a message has the description of an event. */
struct event_fields {
	uint64_t counter, tracepoint, raw, modifiers, name;
};
static const struct event_fields timebase_fields = { 4, 3, 5, 12, 10 };
static const struct event_fields follower_fields = { 1, 2, 3, 5, 4 };
enum { TRACEPOINT_NAME = 1 };

/* PerfEvents.Counter, by perf's names. */
static const char *const counters[] = { [1] = "cpu-clock",
	[2] = "page-faults",
	[3] = "task-clock",
	[4] = "context-switches",
	[5] = "cpu-migrations",
	[6] = "minor-faults",
	[7] = "major-faults",
	[8] = "alignment-faults",
	[9] = "emulation-faults",
	[10] = "cpu-cycles",
	[11] = "instructions",
	[12] = "cache-references",
	[13] = "cache-misses",
	[14] = "branch-instructions",
	[15] = "branch-misses",
	[16] = "bus-cycles",
	[17] = "stalled-cycles-frontend",
	[18] = "stalled-cycles-backend",
	[19] = "ref-cycles",
	[20] = "dummy" };

/* Returns true for an event of perf that counts time in ns. */
static bool
is_clock(struct cg_slice name)
{
	return cg_starts(name, "cpu-clock") || cg_starts(name, "task-clock");
}

static bool
read_tracepoint(
    struct perfetto *r, struct cg_slice message, struct cg_slice *name)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == TRACEPOINT_NAME && field.wire == WIRE_BYTES)
			*name = field.bytes;
	}
	return true;
}

/*
 * Returns the event's name with letters for the modes in which it counts,
 * "cycles:uk". set[1] is user, set[2] kernel, set[3] hypervisor. Returns the
 * name alone if none is set. 0: out of memory (reported).
 */
static cg_name
add_modifiers(struct perfetto *r, struct cg_slice name, const bool set[4])
{
	static const char letters[] = " ukh";
	size_t n = name.len;
	char *text = cg_alloc(r->job, n + 5);

	if (!text)
		return 0;
	memcpy(text, name.ptr, n);
	for (size_t i = 1; i < 4; i++) {
		if (!set[i])
			continue;
		if (n == name.len)
			text[n++] = ':';
		text[n++] = letters[i];
	}
	return cg_add_name(r->build, (struct cg_slice){ text, n });
}

/*
 * Reads the description of an event of perf. Makes the event a column of costs
 * if it is new. Appends the column's index to sequence->perf, because samples
 * of the sequence list their counts in this order. False: an error (reported).
 */
static bool
read_perf_event(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message, const struct event_fields *fields)
{
	struct cg_slice event = cg_slice("unknown"), name = { "", 0 };
	bool modified[4] = { false };
	struct perfetto_column column = { 0 };
	struct proto_field field;
	uint32_t index;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == fields->counter && field.value > 0 &&
		    field.value < sizeof(counters) / sizeof(*counters))
			event = cg_slice(counters[field.value]);
		else if (field.number == fields->modifiers && field.value < 4)
			modified[field.value] = true;
		else if (field.wire != WIRE_BYTES)
			continue;
		else if (field.number == fields->name)
			name = field.bytes;
		else if (field.number == fields->raw)
			event = cg_slice("raw");
		else if (field.number == fields->tracepoint &&
			 !read_tracepoint(r, field.bytes, &event))
			return false;
	}
	column.name = add_modifiers(r, name.len > 0 ? name : event, modified);
	column.unit =
	    cg_add_name(r->build, cg_slice(is_clock(event) ? "ns" : ""));
	return perfetto_add_column(r, &column, &index) &&
	       cg_append(r->job, &sequence->perf, index);
}

bool
perfetto_read_perf_defaults(struct perfetto *r,
    struct perfetto_sequence *sequence, struct cg_slice message)
{
	struct cg_slice rest = message;
	struct proto_field field;

	while (rest.len > 0) {
		if (!perfetto_take(r, &rest, &field))
			return false;
		if (field.number == PERF_DEFAULTS_TIMEBASE &&
		    field.wire == WIRE_BYTES && sequence->perf.n == 0 &&
		    !read_perf_event(
			r, sequence, field.bytes, &timebase_fields))
			return false;
	}
	while (sequence->perf.n > 0 && message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == PERF_DEFAULTS_FOLLOWER &&
		    field.wire == WIRE_BYTES &&
		    !read_perf_event(
			r, sequence, field.bytes, &follower_fields))
			return false;
	}
	return true;
}

/* ---- perf --------------------------------------------------------------- */

struct perf {
	uint64_t cpu, pid, tid, stack, count, lost;
	bool has_cpu, has_count, producer;
};

/*
 * Reads a sample of perf into *perf. Followers are the further events of a
 * group. Stores their counts in r->number. False: an error (reported).
 */
static bool
take_perf(struct perfetto *r, struct cg_slice message, struct perf *perf)
{
	struct proto_field field;

	r->number.n = 0;
	*perf = (struct perf){ 0 };
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		switch (field.number) {
		case PERF_CPU:
			perf->cpu = (uint32_t)field.value;
			perf->has_cpu = perf->cpu < UINT32_MAX;
			break;
		case PERF_PID: perf->pid = (uint32_t)field.value; break;
		case PERF_TID: perf->tid = (uint32_t)field.value; break;
		case PERF_STACK: perf->stack = field.value; break;
		case PERF_COUNT:
			perf->count = field.value;
			perf->has_count = true;
			break;
		case PERF_FOLLOWERS:
			if (!perfetto_take_numbers(r, &field))
				return false;
			break;
		case PERF_LOST: perf->lost = field.value; break;
		case PERF_PRODUCER: perf->producer = true;
		}
	}
	return true;
}

/*
 * Appends a column (of one event) and its cost to the current sample. "value"
 * is a counter's value since the recording began. So the cost is the
 * difference to the last value of the same owner and column. If the value is
 * less than the last one, a second recording has begun, as in concatenated
 * files. Then the cost is the value. False: out of memory (reported).
 */
static bool
add_count(struct perfetto *r, uint32_t owner, uint32_t column, uint64_t value)
{
	uint64_t last = 0;
	uint32_t number;

	if (!perfetto_number(
		r, &r->counters, (uint64_t)owner << 32 | column, &number))
		return false;
	if (number > r->count.n) {
		if (!cg_append(r->job, &r->count, value))
			return false;
	} else {
		last = r->count.at[number - 1];
		r->count.at[number - 1] = value;
	}
	if (value < last)
		last = 0;
	return cg_append(r->job, &r->column, column) &&
	       cg_append(r->job, &r->weight, value - last);
}

/*
 * Empties the lists of columns and costs of a sample, and adds the first cost:
 * 1 in the column that counts samples. False: out of memory (reported).
 */
static bool
begin_costs(struct perfetto *r)
{
	uint32_t column;

	r->column.n = r->weight.n = 0;
	return perfetto_find_samples(r, &column) &&
	       cg_append(r->job, &r->column, column) &&
	       cg_append(r->job, &r->weight, 1);
}

static bool
add_counts(struct perfetto *r, struct perfetto_sequence *sequence,
    const struct perf *perf)
{
	uint32_t owner, column;

	/* Android 11 wrote no defaults: its timebase was the clock. */
	if (sequence->perf.n == 0 && perf->has_count &&
	    (!perfetto_find_column(r, "cpu-clock", "ns", &column) ||
		!cg_append(r->job, &sequence->perf, column)))
		return false;
	if (!perfetto_number(r, &r->counter_owners,
		(uint64_t)sequence->id << 32 | perf->cpu, &owner) ||
	    !begin_costs(r))
		return false;
	if (perf->has_count &&
	    !add_count(r, owner, sequence->perf.at[0], perf->count))
		return false;
	for (size_t i = 0; i < r->number.n && i + 1 < sequence->perf.n; i++)
		if (!add_count(
			r, owner, sequence->perf.at[i + 1], r->number.at[i]))
			return false;
	return true;
}

/*
 * Returns the number of the stack with an id (iid) in the sequence's table. 0:
 * the stack is not defined or has no frames, and is counted as lost.
 */
static uint32_t
find_stack(
    struct perfetto *r, const struct perfetto_sequence *sequence, uint64_t iid)
{
	uint32_t stack =
	    perfetto_lookup(r, sequence->interned, IDS_STACKS, iid);

	r->lost[LOST_NO_STACK] += stack < 2; /* not defined, or empty */
	return stack ? stack - 1 : 0;
}

static bool
add_sample(struct perfetto *r, const struct perfetto_packet *packet,
    struct perfetto_sample *sample)
{
	sample->timed = packet->timed;
	sample->time = packet->time;
	sample->samples = 1;
	sample->n = r->column.n;
	sample->column = r->column.at;
	sample->cost = r->weight.at;
	return perfetto_add_sample(r, sample);
}

bool
perfetto_read_perf(struct perfetto *r, const struct perfetto_packet *packet)
{
	struct perfetto_sequence *sequence = packet->sequence;
	struct perfetto_sample sample = { 0 };
	struct perf perf;

	if (!take_perf(r, packet->data, &perf))
		return false;
	r->lost[LOST_KERNEL] += perf.lost;
	if (perf.lost > 0 || perf.producer)
		return true;
	sample.cpu = perf.has_cpu ? (uint32_t)perf.cpu + 1 : 0;
	sample.stack = find_stack(r, sequence, perf.stack);
	return add_counts(r, sequence, &perf) &&
	       perfetto_find_thread(r, perf.pid, perf.tid, &sample.thread) &&
	       add_sample(r, packet, &sample);
}

/* ---- StreamingProfilePacket --------------------------------------------- */

/*
 * Appends the numbers in a field to r->stack, and leaves r->number as it is.
 * False: malformed, or out of memory (reported).
 */
static bool
take_stacks(struct perfetto *r, const struct proto_field *field)
{
	size_t from = r->number.n;

	if (!perfetto_take_numbers(r, field))
		return false;
	for (size_t i = from; i < r->number.n; i++)
		if (!cg_append(r->job, &r->stack, r->number.at[i]))
			return false;
	r->number.n = from;
	return true;
}

bool
perfetto_read_streaming(
    struct perfetto *r, const struct perfetto_packet *packet)
{
	struct perfetto_sequence *sequence = packet->sequence;
	struct perfetto_packet one = *packet;
	struct cg_slice message = packet->data;
	struct perfetto_sample sample = { 0 };
	struct proto_field field;

	r->stack.n = r->number.n = 0;
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == STREAMING_STACK
			? !take_stacks(r, &field)
			: field.number == STREAMING_DELTA &&
			      !perfetto_take_numbers(r, &field))
			return false;
	}
	if (!begin_costs(r) || !perfetto_find_thread(r, sequence->pid,
				   sequence->tid, &sample.thread))
		return false;
	one.timed = sequence->timed && r->number.n >= r->stack.n;
	for (size_t i = 0; i < r->stack.n; i++) {
		if (one.timed)
			sequence->now = (int64_t)((uint64_t)sequence->now +
						  r->number.at[i] * 1000);
		one.time = perfetto_monotonic(r, sequence, sequence->now);
		sample.stack = find_stack(r, sequence, r->stack.at[i]);
		if (!add_sample(r, &one, &sample))
			return false;
	}
	return true;
}

/* ---- StackSample -------------------------------------------------------- */

static bool
read_inline_frame(
    struct perfetto *r, struct cg_slice message, struct perfetto_frame *frame)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == INLINE_FUNCTION && field.wire == WIRE_BYTES)
			frame->name = cg_add_name(r->build, field.bytes);
		else if (field.number == INLINE_FILE &&
			 field.wire == WIRE_BYTES)
			frame->source = cg_add_name(r->build, field.bytes);
		else if (field.number == INLINE_LINE)
			frame->line = proto_line(field.value);
	}
	return true;
}

static bool
read_inline_stack(struct perfetto *r, struct cg_slice message, uint32_t *stack)
{
	struct proto_field field;
	uint32_t number;

	*stack = 0;
	while (message.len > 0) {
		struct perfetto_frame frame = { 0 };

		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number != INLINE_FRAME || field.wire != WIRE_BYTES)
			continue;
		if (!read_inline_frame(r, field.bytes, &frame) ||
		    !perfetto_add_frame(r, &frame, &number) ||
		    !perfetto_add_stack(r, number, stack))
			return false;
	}
	return true;
}

bool
perfetto_read_sample_defaults(struct perfetto *r,
    struct perfetto_sequence *sequence, struct cg_slice message)
{
	struct proto_field field;
	uint32_t column;

	if (!cg_append(r->job, &sequence->counters, 0))
		return false;
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.wire != WIRE_BYTES ||
		    (field.number != SAMPLE_DEFAULTS_PRIMARY &&
			field.number != SAMPLE_DEFAULTS_FOLLOWER))
			continue;
		if (!perfetto_read_counter(r, field.bytes, &column))
			return false;
		if (field.number == SAMPLE_DEFAULTS_PRIMARY)
			sequence->counters.at[0] = column + 1;
		else if (!cg_append(r->job, &sequence->counters, column + 1))
			return false;
	}
	return true;
}

/* A sample; columns are + 1, 0 is none. */
struct stack_sample {
	struct perfetto_sample sample;
	bool threaded, stacked, weighed, listed;
	uint32_t primary;
	uint64_t weight;
};

/*
 * Appends a column, as its index + 1 (0: unknown), to r->column, the columns
 * of the current sample. A follower is a further event that is counted
 * together with the primary one. False: out of memory (reported).
 */
static bool
add_follower(struct perfetto *r, uint32_t column)
{
	return cg_append(r->job, &r->column, column);
}

/*
 * Returns false if the field, by its number, must be a message but has another
 * wire type. The caller then skips it like a field of an unknown number.
 */
static bool
has_wire(const struct proto_field *field)
{
	switch (field->number) {
	case SAMPLE_TASK:
	case SAMPLE_PLACE:
	case SAMPLE_INLINE_STACK:
	case SAMPLE_PRIMARY:
	case SAMPLE_FOLLOWER: return field->wire == WIRE_BYTES;
	default: return true;
	}
}

static bool
take_task(struct perfetto *r, struct perfetto_sequence *sequence,
    const struct proto_field *field, struct stack_sample *s)
{
	uint32_t value;

	switch (field->number) {
	case SAMPLE_TASK:
		s->threaded = true;
		return perfetto_read_task(r, field->bytes, &s->sample.thread);
	case SAMPLE_TASK_IID:
		value = perfetto_lookup(
		    r, sequence->interned, IDS_TASKS, field->value);
		s->threaded = value != 0;
		s->sample.thread = value - s->threaded;
		return true;
	case SAMPLE_PLACE:
		return perfetto_read_place(r, field->bytes, &s->sample.cpu);
	case SAMPLE_PLACE_IID:
		value = perfetto_lookup(
		    r, sequence->interned, IDS_PLACES, field->value);
		s->sample.cpu = value ? value - 1 : 0;
		return true;
	case SAMPLE_INLINE_STACK:
		s->stacked = true;
		return read_inline_stack(r, field->bytes, &s->sample.stack);
	default:
		s->stacked = true;
		s->sample.stack = find_stack(r, sequence, field->value);
		return true;
	}
}

/*
 * Reads a field with counters or weights of a sample. Stores the primary
 * counter and its weight in *s. Followers are further counters. Appends a
 * follower's column, as index + 1, to r->column, and a follower's weight to
 * r->weight. Ignores fields with other numbers. False: an error (reported).
 */
static bool
take_counter(struct perfetto *r, struct perfetto_sequence *sequence,
    const struct proto_field *field, struct stack_sample *s)
{
	uint32_t column;

	switch (field->number) {
	case SAMPLE_PRIMARY:
		if (!perfetto_read_counter(r, field->bytes, &column))
			return false;
		s->primary = column + 1;
		return true;
	case SAMPLE_PRIMARY_IID:
		s->primary = perfetto_lookup(
		    r, sequence->interned, IDS_COUNTERS, field->value);
		return true;
	case SAMPLE_WEIGHT:
		s->weight = field->value;
		s->weighed = true;
		return true;
	case SAMPLE_FOLLOWER:
		return perfetto_read_counter(r, field->bytes, &column) &&
		       add_follower(r, column + 1);
	case SAMPLE_FOLLOWER_IIDS:
		r->number.n = 0;
		if (!perfetto_take_numbers(r, field))
			return false;
		for (size_t i = 0; i < r->number.n; i++)
			if (!add_follower(
				r, perfetto_lookup(r, sequence->interned,
				       IDS_COUNTERS, r->number.at[i])))
				return false;
		return true;
	case SAMPLE_FOLLOWER_WEIGHTS:
		r->number.n = 0;
		if (!perfetto_take_numbers(r, field))
			return false;
		for (size_t i = 0; i < r->number.n; i++)
			if (!cg_append(r->job, &r->weight, r->number.at[i]))
				return false;
	}
	return true;
}

/*
 * Completes the columns and costs of a sample, after take_counter() has read
 * its fields. If the sample names no followers (further counters), adds those
 * of the sequence. Drops weights without a known counter. Appends the primary
 * counter with its weight. Changes r->column from indices + 1 to indices. If
 * no cost is left, adds a cost of 1 in the column that counts samples. False:
 * out of memory (reported).
 */
static bool
finish_costs(struct perfetto *r, const struct perfetto_sequence *sequence,
    const struct stack_sample *s)
{
	size_t n = 0;

	if (r->column.n == 0)
		for (size_t i = 1; i < sequence->counters.n; i++)
			if (!add_follower(r, sequence->counters.at[i]))
				return false;
	for (size_t i = 0; i < r->column.n && i < r->weight.n; i++) {
		if (r->column.at[i] == 0)
			continue;
		r->column.at[n] = r->column.at[i] - 1;
		r->weight.at[n++] = r->weight.at[i];
	}
	r->column.n = r->weight.n = n;
	if (s->weighed && s->primary != 0)
		return cg_append(r->job, &r->column, s->primary - 1) &&
		       cg_append(r->job, &r->weight, s->weight);
	return n > 0 || begin_costs(r);
}

bool
perfetto_read_sample(struct perfetto *r, const struct perfetto_packet *packet)
{
	struct perfetto_sequence *sequence = packet->sequence;
	struct cg_slice message = packet->data;
	struct stack_sample s = { .primary = 0 };
	struct proto_field field;

	r->column.n = r->weight.n = 0;
	if (sequence->counters.n > 0)
		s.primary = sequence->counters.at[0];
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (!has_wire(&field))
			continue;
		if (field.number <= SAMPLE_STACK_IID
			? !take_task(r, sequence, &field, &s)
			: !take_counter(r, sequence, &field, &s))
			return false;
	}
	r->lost[LOST_NO_STACK] += !s.stacked;
	return (s.threaded ||
		   perfetto_find_thread(r, 0, 0, &s.sample.thread)) &&
	       finish_costs(r, sequence, &s) &&
	       add_sample(r, packet, &s.sample);
}
