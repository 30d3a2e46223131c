/*
 * heap.c - allocations, by heapprofd.
 *
 * A dump has the sums of a process and stack since its profile began, so the
 * last dump counts. A profile may be split into several packets; stacks may
 * follow the samples that refer to them.
 */
#include "perfetto.h"

/* The heap of ART, whose garbage collector frees: frees are not counted. */
#define ART_HEAP "com.android.art"

/* ---- Dumps -------------------------------------------------------------- */

/*
 * Reads one stack's values of a heap profile. They are what was allocated and
 * freed or, if the sample states them, the values at the peak. "allocs" has
 * the process and the heap. Appends "allocs" with the values to
 * sequence->pending, because a later packet may define the stack. "counted"
 * tells that the number of allocations at the peak is valid; otherwise it
 * becomes 0. In the heap of Java objects (ART_HEAP), nothing counts as freed.
 * False: an error (reported).
 */
static bool
read_sample(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message, struct perfetto_allocs allocs, bool counted)
{
	uint64_t peak = 0, peak_count = 0;
	struct proto_field field;
	bool at_peak = false;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		switch (field.number) {
		case HEAP_SAMPLE_STACK: allocs.stack_iid = field.value; break;
		case HEAP_SAMPLE_ALLOCATED:
			allocs.value[HEAP_ALLOCATED] = field.value;
			break;
		case HEAP_SAMPLE_FREED:
			allocs.value[HEAP_FREED] = field.value;
			break;
		case HEAP_SAMPLE_ALLOCS:
			allocs.value[HEAP_ALLOCS] = field.value;
			break;
		case HEAP_SAMPLE_FREES:
			allocs.value[HEAP_FREES] = field.value;
			break;
		case HEAP_SAMPLE_MAX:
			peak = field.value;
			at_peak = true;
			break;
		case HEAP_SAMPLE_MAX_COUNT: peak_count = field.value;
		}
	}
	if (at_peak) {
		memset(allocs.value, 0, sizeof(allocs.value));
		allocs.value[HEAP_ALLOCATED] = peak;
		/* Producers that do not state an interval counted wrongly. */
		allocs.value[HEAP_ALLOCS] = counted ? peak_count : 0;
	}
	if (cg_equal(cg_get_name(r->build, allocs.heap), ART_HEAP))
		allocs.value[HEAP_FREES] = allocs.value[HEAP_FREED] = 0;
	return cg_append(r->job, &sequence->pending, allocs);
}

static bool
read_dump(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message)
{
	struct perfetto_allocs allocs = { 0 };
	struct cg_slice rest = message;
	struct proto_field field;
	bool counted = false;

	while (rest.len > 0) {
		if (!perfetto_take(r, &rest, &field))
			return false;
		switch (field.number) {
		case DUMP_PID: allocs.pid = (uint32_t)field.value; break;
		case DUMP_HEAP:
			if (field.wire == WIRE_BYTES)
				allocs.heap =
				    cg_add_name(r->build, field.bytes);
			break;
		case DUMP_INTERVAL: counted = field.value > 0; break;
		case DUMP_REJECTED:
		case DUMP_DISCONNECTED:
		case DUMP_OVERRAN:
		case DUMP_CORRUPTED:
			r->lost[LOST_HEAP_ERRORS] += field.value != 0;
		}
	}
	if (r->heap.dumps++ == 0)
		r->heap.name = allocs.heap;
	r->heap.heaps += allocs.heap != r->heap.name;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == DUMP_SAMPLE && field.wire == WIRE_BYTES &&
		    !read_sample(r, sequence, field.bytes, allocs, counted))
			return false;
	}
	return true;
}

/* ---- Series ------------------------------------------------------------- */

/*
 * Sets *number to the number, from 1, of the series of values of a process,
 * heap and stack. A new series gets the next number. A profile that begins
 * again gives stacks new ids (iid). So a stack with another iid has another
 * series. False: out of memory (reported).
 */
static bool
find_series(
    struct perfetto *r, const struct perfetto_allocs *allocs, uint32_t *number)
{
	struct perfetto_heap *h = &r->heap;
	uint32_t process, owner, iid;

	return perfetto_number(r, &r->sums.ids, allocs->pid, &process) &&
	       perfetto_number(r, &h->owners,
		   (uint64_t)process << 32 | allocs->heap, &owner) &&
	       perfetto_number(r, &r->sums.ids, allocs->stack_iid, &iid) &&
	       perfetto_number(
		   r, &h->iids, (uint64_t)owner << 32 | iid, &owner) &&
	       perfetto_number(r, &h->stacks,
		   (uint64_t)owner << 32 | allocs->stack, number);
}

/*
 * Stores the values of a stack in its series. They replace the values of an
 * earlier dump, as dumps have sums since the profile began. If a value is less
 * than before, keeps the old values, and adds 1 to r->lost[LOST_HEAP_ERRORS].
 * False: out of memory (reported).
 */
static bool
keep_values(struct perfetto *r, const struct perfetto_allocs *allocs)
{
	struct perfetto_allocs *series;
	uint32_t number;

	if (!find_series(r, allocs, &number))
		return false;
	if (number > r->heap.series.n)
		return cg_append(r->job, &r->heap.series, *allocs);
	series = &r->heap.series.at[number - 1];
	for (int i = 0; i < HEAP_VALUES; i++)
		if (allocs->value[i] < series->value[i]) {
			r->lost[LOST_HEAP_ERRORS]++;
			return true;
		}
	*series = *allocs;
	return true;
}

/*
 * Ends a heap profile, whose last packet was read. Looks up the stack of each
 * entry in sequence->pending, first in the profile's own tables, then in those
 * of the sequence. Stores the values with keep_values(). Counts entries
 * without a known stack in r->lost. Empties sequence->pending and the
 * profile's own tables. False: out of memory (reported).
 */
static bool
finish(struct perfetto *r, struct perfetto_sequence *sequence)
{
	for (size_t i = 0; i < sequence->pending.n; i++) {
		struct perfetto_allocs *allocs = &sequence->pending.at[i];
		uint64_t undefined = r->lost[LOST_UNDEFINED];
		uint32_t stack = perfetto_lookup(
		    r, sequence->heap, IDS_STACKS, allocs->stack_iid);

		if (stack == 0) {
			r->lost[LOST_UNDEFINED] = undefined;
			stack = perfetto_lookup(r, sequence->interned,
			    IDS_STACKS, allocs->stack_iid);
		}
		allocs->stack = stack ? stack - 1 : 0;
		r->lost[LOST_NO_STACK] += allocs->stack == 0;
		if (!keep_values(r, allocs))
			return false;
	}
	sequence->pending.n = 0;
	perfetto_clear_tables(sequence->heap);
	return true;
}

bool
perfetto_read_heap(struct perfetto *r, const struct perfetto_packet *packet)
{
	struct perfetto_sequence *sequence = packet->sequence;
	struct cg_slice message = packet->data;
	struct proto_field field;
	bool continued = false;

	if (!perfetto_read_heap_tables(r, sequence, message))
		return false;
	while (message.len > 0) {
		(void)proto_take_field(&message, &field);
		if (field.number == HEAP_CONTINUED)
			continued = field.value != 0;
		if (field.number == HEAP_DUMP && field.wire == WIRE_BYTES &&
		    !read_dump(r, sequence, field.bytes))
			return false;
	}
	return continued || finish(r, sequence);
}

/* ---- The end ------------------------------------------------------------ */

#define COLUMNS 4

static bool
add_series(struct perfetto *r, const struct perfetto_allocs *allocs,
    const uint32_t column[COLUMNS])
{
	const uint64_t *value = allocs->value;
	uint64_t cost[COLUMNS] = { 0, 0, value[HEAP_ALLOCS],
		value[HEAP_ALLOCATED] };
	/* Calls are counted in allocations. */
	struct perfetto_sample sample = { .stack = allocs->stack,
		.samples = value[HEAP_ALLOCS] ? value[HEAP_ALLOCS] : 1,
		.n = COLUMNS,
		.column = column,
		.cost = cost };

	if (value[HEAP_FREES] > value[HEAP_ALLOCS] ||
	    value[HEAP_FREED] > value[HEAP_ALLOCATED])
		r->lost[LOST_HEAP_ERRORS]++;
	if (value[HEAP_FREES] < value[HEAP_ALLOCS])
		cost[0] = value[HEAP_ALLOCS] - value[HEAP_FREES];
	if (value[HEAP_FREED] < value[HEAP_ALLOCATED])
		cost[1] = value[HEAP_ALLOCATED] - value[HEAP_FREED];
	return perfetto_find_thread(r, allocs->pid, 0, &sample.thread) &&
	       perfetto_add_sample(r, &sample);
}

bool
perfetto_end_heap(struct perfetto *r)
{
	uint32_t column[COLUMNS];

	/* A profile may lack its last packet. */
	for (size_t i = 0; i < r->sequence.n; i++)
		if (!finish(r, &r->sequence.at[i]))
			return false;
	if (r->heap.series.n == 0)
		return true;
	if (!perfetto_find_column(r, "inuse_objects", "", &column[0]) ||
	    !perfetto_find_column(r, "inuse_space", "bytes", &column[1]) ||
	    !perfetto_find_column(r, "alloc_objects", "", &column[2]) ||
	    !perfetto_find_column(r, "alloc_space", "bytes", &column[3]))
		return false;
	for (size_t i = 0; i < r->heap.series.n; i++)
		if (!add_series(r, &r->heap.series.at[i], column))
			return false;
	return true;
}
