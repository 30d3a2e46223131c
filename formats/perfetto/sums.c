/*
 * sums.c - sums the costs of samples by thread, CPU and stack, and keeps their
 * times; adds all of it to the graph.
 */
#include "perfetto.h"

#define UNKNOWN "[unknown]"

/* ---- Columns and threads ------------------------------------------------ */

static uint64_t
join(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

bool
perfetto_add_column(
    struct perfetto *r, const struct perfetto_column *column, uint32_t *index)
{
	struct perfetto_sums *s = &r->sums;
	struct perfetto_column *new;
	uint32_t number;

	if (!perfetto_number(
		r, &s->columns, join(column->name, column->unit), &number))
		return false;
	*index = number - 1;
	if (number > s->column.n) {
		if (number > CG_EVENT_MAX)
			return cg_reject(r->job, "expected at most %d counters",
			    CG_EVENT_MAX);
		new = cg_push(r->job, &s->column);
		if (!new)
			return false;
		*new = *column;
		for (uint32_t i = 0; i < *index; i++)
			new->same |= s->column.at[i].name == new->name;
	}
	new = &s->column.at[*index];
	new->used = true;
	if (new->description == 0)
		new->description = column->description;
	return true;
}

bool
perfetto_find_column(
    struct perfetto *r, const char *name, const char *unit, uint32_t *index)
{
	const struct perfetto_column column = { .name = cg_add_name(
						    r->build, cg_slice(name)),
		.unit = cg_add_name(r->build, cg_slice(unit)) };

	return perfetto_add_column(r, &column, index);
}

bool
perfetto_find_samples(struct perfetto *r, uint32_t *index)
{
	struct perfetto_sums *s = &r->sums;

	if (s->samples == 0) {
		if (!perfetto_find_column(r, "samples", "", index))
			return false;
		s->samples = *index + 1;
	}
	*index = s->samples - 1;
	return true;
}

static size_t
recent(uint64_t a, uint64_t b)
{
	return (size_t)((a * 31 + b) % RECENT);
}

bool
perfetto_find_thread(
    struct perfetto *r, uint64_t pid, uint64_t tid, uint32_t *index)
{
	struct perfetto_sums *s = &r->sums;
	const struct perfetto_thread new = { .pid = pid, .tid = tid };
	uint32_t *last = &s->recent_thread[recent(pid, tid)], process, thread;

	if (*last != 0 && s->thread.at[*last - 1].pid == pid &&
	    s->thread.at[*last - 1].tid == tid) {
		*index = *last - 1;
		return true;
	}
	if (!perfetto_number(r, &s->ids, pid, &process) ||
	    !perfetto_number(r, &s->ids, tid, &thread) ||
	    !perfetto_number(r, &s->threads, join(process, thread), last) ||
	    (*last > s->thread.n && !cg_append(r->job, &s->thread, new))) {
		*last = 0;
		return false;
	}
	*index = *last - 1;
	return true;
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Finds the element of s->place for a thread on a CPU, and appends it if it is
 * new. Sets *index to its index. "cpu" is the number of the CPU + 1, or 0 if
 * unknown. A small cache of recent elements avoids most lookups. False: out of
 * memory (reported).
 */
static bool
find_place(struct perfetto *r, uint32_t thread, uint32_t cpu, uint32_t *index)
{
	struct perfetto_sums *s = &r->sums;
	const struct perfetto_place new = { thread, cpu };
	uint32_t *last = &s->recent_place[recent(thread, cpu)];

	if (*last == 0 || s->place.at[*last - 1].thread != thread ||
	    s->place.at[*last - 1].cpu != cpu) {
		if (!perfetto_number(r, &s->places, join(thread, cpu), last) ||
		    (*last > s->place.n &&
			!cg_append(r->job, &s->place, new))) {
			*last = 0;
			return false;
		}
	}
	*index = *last - 1;
	return true;
}

/*
 * Finds the element of s->pair with the sums of costs for the thread, CPU and
 * stack of a sample. If there is none, appends one without costs. Sets *index
 * to the element's index. False: out of memory (reported).
 */
static bool
find_pair(
    struct perfetto *r, const struct perfetto_sample *sample, uint32_t *index)
{
	struct perfetto_sums *s = &r->sums;
	struct perfetto_pair pair = { .stack = sample->stack };
	uint32_t number;

	if (!find_place(r, sample->thread, sample->cpu, &pair.place) ||
	    !perfetto_number(
		r, &s->pairs, join(pair.place, pair.stack), &number) ||
	    (number > s->pair.n && !cg_append(r->job, &s->pair, pair)))
		return false;
	*index = number - 1;
	return true;
}

/*
 * Returns the sum of a column (costs of one event) for the pair with index
 * "index". A pair is a thread on a CPU with a stack. A new sum is 0. The pair
 * has room for the first PAIR_COSTS columns; a list has the others. Valid
 * until the next call. NULL: out of memory (reported).
 */
static struct perfetto_cost *
find_cost(struct perfetto *r, uint32_t index, uint32_t column)
{
	struct perfetto_sums *s = &r->sums;
	struct perfetto_pair *pair = &s->pair.at[index];
	const struct perfetto_cost new = { .column = column + 1,
		.next = pair->rest };
	uint32_t number;

	for (size_t i = 0; i < PAIR_COSTS; i++) {
		struct perfetto_cost *cost = &pair->first[i];

		if (cost->column == 0)
			cost->column = column + 1;
		if (cost->column == column + 1)
			return cost;
	}
	if (!perfetto_number(r, &s->costs, join(index, column), &number))
		return NULL;
	if (number > s->cost.n) {
		pair->rest = number;
		if (!cg_append(r->job, &s->cost, new))
			return NULL;
	}
	return &s->cost.at[number - 1];
}

static bool
add_cost(struct perfetto *r, uint32_t pair, uint32_t column, uint64_t more)
{
	struct perfetto_cost *cost = find_cost(r, pair, column);

	if (cost && __builtin_add_overflow(cost->cost, more, &cost->cost))
		return cg_reject(
		    r->job, "expected costs whose sum fits into 64 bits");
	return cost != NULL;
}

static bool
keep_moment(
    struct perfetto *r, const struct perfetto_sample *sample, uint32_t pair)
{
	struct perfetto_thread *thread = &r->sums.thread.at[sample->thread];
	struct cg_numbers *to = &thread->moments;
	uint64_t step = (uint64_t)sample->time - (uint64_t)thread->last_moment;
	bool ok;

	if (!r->sums.asked)
		r->sums.kept = cg_begin_timeline(r->build);
	r->sums.asked = true;
	if (!r->sums.kept)
		return true;
	thread->last_moment = sample->time;
	ok = cg_numbers_in(r->job, to, pair) &&
	     cg_numbers_in_signed(r->job, to, (int64_t)step) &&
	     cg_numbers_in(r->job, to, sample->n);
	for (size_t i = 0; ok && i < sample->n; i++)
		ok = cg_numbers_in(r->job, to, sample->column[i]) &&
		     cg_numbers_in(r->job, to, sample->cost[i]);
	return ok;
}

bool
perfetto_add_sample(struct perfetto *r, const struct perfetto_sample *sample)
{
	uint32_t pair;

	if (!find_pair(r, sample, &pair))
		return false;
	r->sums.pair.at[pair].samples += sample->samples;
	for (size_t i = 0; i < sample->n; i++)
		if (!add_cost(r, pair, sample->column[i], sample->cost[i]))
			return false;
	return !sample->timed || keep_moment(r, sample, pair);
}

/* ---- The graph ---------------------------------------------------------- */

/*
 * Adds an event to the graph for each column of costs. Column 0 is the time of
 * calls. It gets no event if there are no calls, no counter uses it and there
 * are other columns. Sets s->skipped to the number of columns without an
 * event, 0 or 1. False: an error (reported).
 */
static bool
add_events(struct perfetto *r)
{
	struct perfetto_sums *s = &r->sums;

	s->skipped = !r->calls && !s->column.at[0].used && s->column.n > 1;
	for (size_t i = s->skipped; i < s->column.n; i++) {
		const struct perfetto_column *column = &s->column.at[i];
		struct cg_event event = { .name = proto_event_word(r->job,
					      cg_get_name(
						  r->build, column->name),
					      column->same ? i : 0),
			.long_name =
			    cg_get_name(r->build, column->description).ptr,
			.unit = cg_get_name(r->build, column->unit).ptr };

		if (!event.name || !cg_add_column(r->build, &event))
			return false;
	}
	return true;
}

static void
set_place(struct perfetto *r, const struct perfetto_place *place)
{
	const struct perfetto_thread *thread =
	    &r->sums.thread.at[place->thread];
	const struct cg_sample_key key = { .pid = thread->pid,
		.tid = thread->tid,
		.comm = cg_get_name(
		    r->build, perfetto_process_name(r, thread->pid)),
		.thread =
		    cg_get_name(r->build, perfetto_thread_name(r, thread->tid)),
		.cpu = place->cpu - 1,
		.has_cpu = place->cpu > 0 };

	cg_set_sample_part(r->build, &key);
}

/*
 * Returns the graph's node for the stack of a pair (thread on a CPU, stack);
 * samples without a stack get one of the function "[unknown]".
 */
static cg_node
node_of(struct perfetto *r, const struct perfetto_pair *pair)
{
	const struct cg_pos nowhere = { 0 };

	if (pair->stack != 0)
		return r->stacks.stack.at[pair->stack - 1].node;
	return cg_add_frame(r->build, 0,
	    cg_add_fn(r->build, cg_slice(UNKNOWN), 0, 0), &nowhere, false);
}

static void
put_cost(struct perfetto *r, const struct perfetto_cost *cost, bool clear)
{
	if (cost->column != 0)
		r->spans.row[cost->column - 1 - r->sums.skipped] =
		    clear ? 0 : cost->cost;
}

/*
 * Copies the costs of a pair (thread on a CPU, stack) into r->spans.row, one
 * value for each event. If "clear" is set, sets these values to 0 instead, so
 * that the row need not be cleared as a whole.
 */
static void
put_costs(struct perfetto *r, const struct perfetto_pair *pair, bool clear)
{
	const struct perfetto_cost *rest = r->sums.cost.at;

	for (size_t i = 0; i < PAIR_COSTS; i++)
		put_cost(r, &pair->first[i], clear);
	for (uint32_t n = pair->rest; n != 0; n = rest[n - 1].next)
		put_cost(r, &rest[n - 1], clear);
}

static void
add_stacks(struct perfetto *r)
{
	struct perfetto_sums *s = &r->sums;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < s->pair.n; i++) {
		const struct perfetto_pair *pair = &s->pair.at[i];

		if (pair->place != last)
			set_place(r, &s->place.at[pair->place]);
		last = pair->place;
		put_costs(r, pair, false);
		cg_add_stack(r->build, node_of(r, pair), pair->samples,
		    cg_columns_of(r->build, r->spans.row),
		    cg_columns_width(r->build));
		put_costs(r, pair, true);
	}
}

static void
set_track(struct perfetto *r, const struct perfetto_thread *thread)
{
	const struct cg_track track = { .pid = thread->pid,
		.tid = thread->tid,
		.name =
		    cg_get_name(r->build, perfetto_thread_name(r, thread->tid))
			.ptr,
		.process =
		    cg_get_name(r->build, perfetto_process_name(r, thread->pid))
			.ptr,
		.unit = "ns" };

	cg_set_track(r->build, &track);
}

/*
 * Reads the costs of a moment (sample with a time) at position *at, and moves
 * *at behind them. If "take" is set, adds them to r->spans.row, one value for
 * each event. Otherwise sets the row's values for the same events to 0. False:
 * no moment is left.
 */
static bool
take_costs(
    struct perfetto *r, const struct cg_numbers *from, size_t *at, bool take)
{
	uint64_t n, column, cost;

	if (!cg_numbers_get(from, at, &n))
		return false;
	for (; n > 0; n--) {
		if (!cg_numbers_get(from, at, &column) ||
		    !cg_numbers_get(from, at, &cost))
			return false;
		if (take)
			r->spans.row[column - r->sums.skipped] += cost;
		else
			r->spans.row[column - r->sums.skipped] = 0;
	}
	return true;
}

static void
add_moments(struct perfetto *r, const struct perfetto_thread *thread)
{
	const struct cg_numbers *from = &thread->moments;
	struct cg_moment moment = { .n = cg_columns_width(r->build) };
	uint32_t last = UINT32_MAX;
	uint64_t pair;
	size_t at = 0, costs;
	int64_t step;

	while (cg_numbers_get(from, &at, &pair) &&
	       cg_numbers_get_signed(from, &at, &step)) {
		const struct perfetto_pair *of = &r->sums.pair.at[pair];

		if (of->place != last) {
			set_place(r, &r->sums.place.at[of->place]);
			set_track(r, thread);
		}
		last = of->place;
		costs = at;
		(void)take_costs(r, from, &at, true);
		moment.time = (int64_t)((uint64_t)moment.time + (uint64_t)step);
		moment.node = node_of(r, of);
		moment.cost = cg_columns_of(r->build, r->spans.row);
		cg_add_moment(r->build, &moment);
		(void)take_costs(r, from, &costs, false);
	}
}

bool
perfetto_end(struct perfetto *r)
{
	struct perfetto_sums *s = &r->sums;

	perfetto_name_tracks(r);
	if (!add_events(r) || (r->calls && !spans_end(&r->spans)) ||
	    !perfetto_add_nodes(r))
		return false;
	r->spans.row[0] = 0;
	add_stacks(r);
	for (size_t i = 0; i < s->thread.n; i++)
		add_moments(r, &s->thread.at[i]);
	return cg_rejected(r->job) == CG_OK;
}
