/*
 * clocks.c - converts times of packets to the trace's clock.
 *
 * A ClockSnapshot has the times of several clocks at one moment. Clocks 1 to
 * 63 are those of the machine, 64 to 127 belong to the sequence of the
 * snapshot, others to a producer. The time of an incremental clock is the sum
 * of the times of its packets since the snapshot. The trace's clock is the
 * primary one of a snapshot, or CLOCK_BOOTTIME.
 */
#include "perfetto.h"

#define OF_SEQUENCE 64 /* first and last id of clocks of a sequence */
#define OF_SEQUENCE_LAST 127

static uint64_t
key_of(const struct perfetto_sequence *sequence, uint32_t id)
{
	bool own = id >= OF_SEQUENCE && id <= OF_SEQUENCE_LAST;

	return (uint64_t)(own ? sequence->id : 0) << 32 | id;
}

static int64_t
add(int64_t a, uint64_t b)
{
	return (int64_t)((uint64_t)a + b);
}

/*
 * Converts a time of a clock to the trace's clock; both are in ns. A snapshot
 * is a moment at which both clocks were read. Chooses the last snapshot whose
 * time on the clock is not later than the time. If there is none, chooses the
 * first snapshot. Adds the time since the snapshot to the snapshot's time on
 * the trace's clock. The clock must have a snapshot.
 */
static int64_t
convert(const struct perfetto_clock *clock, int64_t own)
{
	size_t low = 0, high = clock->point.n;
	const struct perfetto_point *point = &clock->point.at[high - 1];

	if (own < point->own) {
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (clock->point.at[middle].own <= own)
				low = middle + 1;
			else
				high = middle;
		}
		point = &clock->point.at[low > 0 ? low - 1 : 0];
	}
	return add(point->trace, (uint64_t)own - (uint64_t)point->own);
}

/* A time in a snapshot. */
struct reading {
	uint64_t id;
	uint64_t time, unit;
	bool incremental;
	uint32_t clock; /* index */
	int64_t own;
};

static bool
read_clock(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message, struct reading *reading)
{
	struct perfetto_clocks *c = &r->clocks;
	struct proto_field field;
	uint32_t *index;

	*reading = (struct reading){ .unit = 1 };
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == CLOCK_ID)
			reading->id = field.value;
		else if (field.number == CLOCK_TIMESTAMP)
			reading->time = field.value;
		else if (field.number == CLOCK_INCREMENTAL)
			reading->incremental = field.value != 0;
		else if (field.number == CLOCK_UNIT && field.value != 0)
			reading->unit = field.value;
	}
	index =
	    cg_map_in(r->job, &c->ids, key_of(sequence, (uint32_t)reading->id));
	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_push(r->job, &c->clock))
			return false;
		*index = (uint32_t)c->clock.n;
	}
	reading->clock = *index - 1;
	reading->own = (int64_t)(reading->time * reading->unit);
	return true;
}

/*
 * Returns the time on the trace's clock at the moment of a snapshot. The
 * snapshot has the readings of n clocks, 1 or more. Takes the reading of the
 * trace's clock itself, if there is one. Else converts the reading of a clock
 * with earlier snapshots, unless the clock is incremental. Else takes the
 * first reading as a time on the trace's clock.
 */
static int64_t
trace_time(const struct perfetto *r, const struct reading *reading, size_t n)
{
	uint32_t primary =
	    r->clocks.primary ? r->clocks.primary : CLOCK_BOOTTIME_ID;

	for (size_t i = 0; i < n; i++)
		if (reading[i].id == primary)
			return reading[i].own;
	for (size_t i = 0; i < n; i++) {
		const struct perfetto_clock *clock =
		    &r->clocks.clock.at[reading[i].clock];

		if (clock->point.n > 0 && !clock->incremental)
			return convert(clock, reading[i].own);
	}
	return reading[0].own;
}

/*
 * Appends a point to the list of the reading's clock, and sets the clock's
 * unit and last time. A point is the reading's time with the time on the
 * trace's clock at that moment. First removes points with the same or a later
 * time, so that the list stays in ascending order. False: out of memory
 * (reported).
 */
static bool
add_point(struct perfetto *r, const struct reading *reading, int64_t trace)
{
	struct perfetto_clock *clock = &r->clocks.clock.at[reading->clock];
	const struct perfetto_point point = { reading->own, trace };

	clock->unit = reading->unit;
	clock->incremental = reading->incremental;
	clock->last = reading->own;
	while (clock->point.n > 0 &&
	       clock->point.at[clock->point.n - 1].own >= point.own)
		clock->point.n--;
	return cg_append(r->job, &clock->point, point);
}

bool
perfetto_read_clocks(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message)
{
	CG_ARRAY(struct reading) reading = { 0 };
	struct proto_field field;
	bool ok = true;
	int64_t trace;

	while (ok && message.len > 0) {
		struct reading *new;

		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == CLOCKS_PRIMARY && r->clocks.primary == 0)
			r->clocks.primary = (uint32_t)field.value;
		if (field.number != CLOCKS_CLOCK || field.wire != WIRE_BYTES)
			continue;
		new = cg_push(r->job, &reading);
		ok = new &&read_clock(r, sequence, field.bytes, new);
	}
	if (!ok || reading.n == 0)
		return ok;
	trace = trace_time(r, reading.at, reading.n);
	for (size_t i = 0; ok && i < reading.n; i++)
		ok = add_point(r, &reading.at[i], trace);
	cg_drop(r->job, &reading);
	return ok;
}

int64_t
perfetto_time(struct perfetto *r, const struct perfetto_sequence *sequence,
    uint32_t id, uint64_t time)
{
	uint32_t primary =
	    r->clocks.primary ? r->clocks.primary : CLOCK_BOOTTIME_ID;
	struct perfetto_clock *clock;
	uint32_t index;

	if (id == 0 || id == primary)
		return (int64_t)time;
	index = cg_map_get(&r->clocks.ids, key_of(sequence, id));
	if (index == 0) {
		r->lost[LOST_CLOCKS]++;
		return (int64_t)time;
	}
	clock = &r->clocks.clock.at[index - 1];
	time *= clock->unit;
	if (clock->incremental) {
		clock->last = add(clock->last, time);
		return convert(clock, clock->last);
	}
	return convert(clock, (int64_t)time);
}

int64_t
perfetto_monotonic(
    struct perfetto *r, const struct perfetto_sequence *sequence, int64_t time)
{
	uint32_t index =
	    cg_map_get(&r->clocks.ids, key_of(sequence, CLOCK_MONOTONIC_ID));

	if (index == 0)
		return time;
	return perfetto_time(r, sequence, CLOCK_MONOTONIC_ID, (uint64_t)time);
}
