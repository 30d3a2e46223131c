/*
 * spans.c - sorts events and follows the calls that they begin and end; makes
 * stacks of the calls with their times.
 *
 * Traces list events nearly in time order, or by the end of the call (clang's
 * -ftime-trace), or thread by thread. Events are sorted in a window if those
 * of a thread are not in order. An event that is still too late is moved to
 * the current time of its thread.
 */
#include <stdlib.h>
#include <string.h>

#include "spans.h"

/* ---- Stacks ------------------------------------------------------------- */

/*
 * Appends a total (time and calls of one stack) to spans->total. Links it to
 * the end of its thread's list of totals. Returns its index + 1, and sets
 * thread->last to that. 0: out of memory (reported).
 */
static uint32_t
new_total(struct spans *spans, const struct spans_total *total)
{
	struct spans_thread *thread = &spans->thread.at[total->thread];

	if (!cg_append(spans->job, &spans->total, *total))
		return 0;
	if (thread->last != 0)
		spans->total.at[thread->last - 1].next =
		    (uint32_t)spans->total.n;
	thread->last = (uint32_t)spans->total.n;
	return thread->last;
}

/*
 * Sets open->total to the index + 1 of the total (time and calls of one stack)
 * of a call of open->name by the innermost open call of thread id. Adds a new
 * total. False: out of memory (reported).
 */
static bool
get_total(struct spans *spans, uint32_t id, struct spans_open *open)
{
	struct spans_thread *thread = &spans->thread.at[id];
	struct spans_total total = { .thread = id };
	uint32_t *index;

	if (thread->root == 0)
		thread->root = new_total(spans, &total);
	if (thread->root == 0)
		return false;
	total.name = open->name;
	total.caller = thread->open.n > 0
			   ? thread->open.at[thread->open.n - 1].total
			   : thread->root;
	index = cg_map_in(spans->job, &spans->total_ids,
	    (uint64_t)total.caller << 32 | open->name);
	if (!index)
		return false;
	if (*index == 0)
		*index = new_total(spans, &total);
	open->total = *index;
	return *index != 0;
}

/*
 * Appends a moment to thread->moments, for the timeline. The moment has the
 * total of the thread's innermost open call (0: none is open) and the time
 * "now". Does nothing if the target has no timeline. If memory runs out, the
 * job fails.
 */
static void
keep_moment(struct spans *spans, struct spans_thread *thread, int64_t now)
{
	uint32_t total =
	    thread->open.n > 0 ? thread->open.at[thread->open.n - 1].total : 0;

	if (!spans->kept)
		return;
	(void)(cg_numbers_in(spans->job, &thread->moments, total) &&
	       cg_numbers_in_signed(spans->job, &thread->moments,
		   (int64_t)((uint64_t)now - (uint64_t)thread->last_moment)));
	thread->last_moment = now;
}

/*
 * Returns a pointer to the number of open calls of the thread that have this
 * name and no known end. The number is 0 at first. The pointer is valid until
 * the next call. NULL: out of memory (reported).
 */
static uint32_t *
count_of(struct spans *spans, const struct spans_thread *thread, cg_name name)
{
	uint64_t id = (uint64_t)(thread - spans->thread.at);

	return cg_map_in(spans->job, &spans->endless, id << 32 | name);
}

/*
 * Ends the innermost open call of a thread at the time "at". Adds the call's
 * own time, without its callees, to the total of its stack. Adds the call's
 * whole time to the callees' time of its caller. If the call has no known end,
 * subtracts 1 from the numbers of such calls: of the thread, and of the thread
 * and name. Then calls keep_moment() for the timeline.
 */
static void
end_call(struct spans *spans, struct spans_thread *thread, int64_t at)
{
	struct spans_open *open = &thread->open.at[--thread->open.n];
	uint64_t time = (uint64_t)at - (uint64_t)open->begin;
	uint32_t *count;

	if (!open->ends) {
		thread->endless--;
		count =
		    spans->counted ? count_of(spans, thread, open->name) : NULL;
		if (count)
			--*count;
	}
	if (time > open->inner)
		spans->total.at[open->total - 1].ns += time - open->inner;
	if (thread->open.n > 0)
		thread->open.at[thread->open.n - 1].inner += time;
	keep_moment(spans, thread, at);
}

/*
 * Moves a thread's clock forward to the time "now"; never moves it back. First
 * ends the open calls that end up to then, the innermost first. Stops at a
 * call without a known end, or with an end after "now". If a call ends before
 * a call that it made, warns, and ends it later.
 */
static void
pass_time(struct spans *spans, struct spans_thread *thread, int64_t now)
{
	while (thread->open.n > 0) {
		struct spans_open *top = &thread->open.at[thread->open.n - 1];

		if (!top->ends || top->end > now)
			break;
		if (top->end < thread->now) {
			cg_warn(spans->job,
			    "a call ends before a call that it made: "
			    "it ends with that one");
			top->end = thread->now;
		}
		end_call(spans, thread, top->end);
	}
	if (now > thread->now)
		thread->now = now;
}

static bool
begin_call(struct spans *spans, const struct spans_event *event)
{
	struct spans_thread *thread = &spans->thread.at[event->thread];
	struct spans_open open = { .name = event->name,
		.ends = event->phase == 'X',
		.begin = thread->now,
		.end = event->ts };
	uint32_t *count;

	if (__builtin_add_overflow(event->ts, event->duration, &open.end))
		return cg_reject(
		    spans->job, "expected times that fit in 64 bits");
	if (thread->open.n > 0) {
		const struct spans_open *top =
		    &thread->open.at[thread->open.n - 1];

		if (open.ends && top->ends && open.end > top->end) {
			cg_warn(spans->job, "a call lasts longer than its "
					    "caller: it ends with the caller");
			open.end = top->end;
		}
	}
	if (open.end < open.begin)
		open.end = open.begin;
	if (!get_total(spans, event->thread, &open))
		return false;
	if (!open.ends) {
		count =
		    spans->counted ? count_of(spans, thread, open.name) : NULL;
		if (count)
			++*count;
		else if (spans->counted)
			return false;
		thread->endless++;
	}
	if (!cg_append(spans->job, &thread->open, open))
		return false;
	spans->total.at[open.total - 1].calls++;
	keep_moment(spans, thread, open.begin);
	return true;
}

/*
 * Counts the open calls without a known end, for each thread and name. Called
 * when the first event E (end of a call) with a name comes. Many traces have
 * none, and need no counts. False: out of memory (reported).
 */
static bool
count_open(struct spans *spans)
{
	for (size_t i = 0; i < spans->thread.n; i++) {
		const struct spans_thread *thread = &spans->thread.at[i];

		for (size_t j = 0; j < thread->open.n; j++) {
			const struct spans_open *open = &thread->open.at[j];
			uint32_t *count =
			    open->ends ? NULL
				       : count_of(spans, thread, open->name);

			if (count)
				++*count;
			else if (!open->ends)
				return false;
		}
	}
	spans->counted = true;
	return true;
}

/*
 * Returns true if an event E (end of a call) can end an open call. The open
 * call must have no known end. It must have the event's name, if the event has
 * one.
 */
static bool
has_begin(const struct spans *spans, const struct spans_event *event)
{
	if (event->name == 0)
		return spans->thread.at[event->thread].endless > 0;
	return cg_map_get(&spans->endless,
		   (uint64_t)event->thread << 32 | event->name) > 0;
}

/*
 * Ends the innermost open call of the event's name without a known end, and
 * calls inside it. An event without a name ends any call. Warns if there is no
 * such call, or if a call inside it took time.
 */
static void
find_end(struct spans *spans, const struct spans_event *event)
{
	struct spans_thread *thread = &spans->thread.at[event->thread];
	/* Without a search, so that many such ends take linear time. */
	size_t to = has_begin(spans, event) ? thread->open.n : 0;

	while (to > 0 && (thread->open.at[to - 1].ends ||
			     (event->name != 0 &&
				 thread->open.at[to - 1].name != event->name)))
		to--;
	if (to == 0) {
		cg_warn(spans->job, "the end of a call that did not begin is "
				    "skipped");
		return;
	}
	if (to < thread->open.n &&
	    thread->open.at[thread->open.n - 1].begin < thread->now)
		cg_warn(
		    spans->job, "a call without an end ends with its caller");
	while (thread->open.n >= to)
		end_call(spans, thread, thread->now);
}

static bool
run_event(struct spans *spans, const struct spans_event *event)
{
	struct spans_thread *thread = &spans->thread.at[event->thread];

	if (!spans->asked)
		spans->kept = cg_begin_timeline(spans->build);
	spans->asked = true;
	if (event->ts < thread->now)
		cg_warn(spans->job,
		    "an event is out of order by more than the "
		    "sorting window: it is moved to the time of "
		    "the last one");
	pass_time(spans, thread, event->ts);
	if (event->phase != 'E')
		return begin_call(spans, event);
	if (event->name != 0 && !spans->counted && !count_open(spans))
		return false;
	find_end(spans, event);
	return true;
}

/* ---- Order -------------------------------------------------------------- */

static int
compare_times(const void *a, const void *b)
{
	const struct spans_event *one = a, *two = b;

	if (one->ts != two->ts)
		return one->ts < two->ts ? -1 : 1;
	if (one->thread != two->thread)
		return one->thread < two->thread ? -1 : 1;
	return one->seq < two->seq ? -1 : one->seq > two->seq;
}

/*
 * Compares events at one time for qsort(): by duration, the longest first,
 * then in the order of the file. The longest one is the caller of calls that
 * begin at the same time.
 */
static int
compare_durations(const void *a, const void *b)
{
	const struct spans_event *one = a, *two = b;

	if (one->duration != two->duration)
		return one->duration > two->duration ? -1 : 1;
	return one->seq < two->seq ? -1 : one->seq > two->seq;
}

static void
sort_events(struct spans_event *event, size_t n)
{
	size_t from, to;

	qsort(event, n, sizeof(*event), compare_times);
	for (from = 0; from < n; from = to) {
		for (to = from + 1; to < n && event[to].phase == 'X' &&
				    event[from].phase == 'X' &&
				    event[to].ts == event[from].ts &&
				    event[to].thread == event[from].thread;)
			to++;
		if (to - from > 1)
			qsort(event + from, to - from, sizeof(*event),
			    compare_durations);
	}
}

/*
 * Sorts the events of the window, if needed, then handles the first n and
 * removes them from the window. False: an error (reported).
 */
static bool
run_events(struct spans *spans, size_t n)
{
	if (spans->unsorted)
		sort_events(spans->event.at, spans->event.n);
	spans->unsorted = false;
	for (size_t i = 0; i < n; i++)
		if (!run_event(spans, &spans->event.at[i]))
			return false;
	spans->event.n -= n;
	memmove(spans->event.at, spans->event.at + n,
	    spans->event.n * sizeof(*spans->event.at));
	return true;
}

/*
 * Sets spans->unsorted if an event is earlier than the newest one of its
 * thread. Also does if both have the same time and one a duration, as the
 * longer must come first. Updates the newest time.
 */
static void
note_order(struct spans *spans, const struct spans_event *event)
{
	struct spans_thread *thread = &spans->thread.at[event->thread];
	bool whole = event->phase == 'X';

	if (thread->added &&
	    (event->ts < thread->newest ||
		(event->ts == thread->newest && (whole || thread->whole))))
		spans->unsorted = true;
	if (!thread->added || event->ts > thread->newest) {
		thread->newest = event->ts;
		thread->whole = whole;
	}
	thread->whole |= whole;
	thread->added = true;
}

bool
spans_add(struct spans *spans, const struct spans_event *event)
{
	if (spans->event.n == SPANS_WINDOW &&
	    !run_events(spans, SPANS_WINDOW / 2))
		return false;
	if (!cg_append(spans->job, &spans->event, *event))
		return false;
	spans->event.at[spans->event.n - 1].seq = spans->seq++;
	note_order(spans, event);
	return true;
}

/* ---- The end ------------------------------------------------------------ */

static void
end_thread(struct spans *spans, struct spans_thread *thread)
{
	while (thread->open.n > 0) {
		struct spans_open *top = &thread->open.at[thread->open.n - 1];

		if (top->ends) {
			pass_time(spans, thread, top->end);
			continue;
		}
		cg_warn(spans->job,
		    "a call does not end: it ends with the last "
		    "event of its thread");
		end_call(spans, thread, thread->now);
	}
}

/*
 * Returns the function with a name. The first time, adds it to the graph. 0:
 * out of memory (reported).
 */
static cg_fn
get_fn(struct spans *spans, cg_name name)
{
	if (name >= spans->fn.n &&
	    !cg_resize(spans->job, &spans->fn, (size_t)name + 1))
		return 0;
	if (spans->fn.at[name] == 0)
		spans->fn.at[name] = cg_add_fn_named(spans->build, name, 0, 0);
	return spans->fn.at[name];
}

/*
 * Adds the calls of a total (one stack) to the arc of its caller and callee in
 * this thread. Totals must come thread by thread, as arc_ids has the arcs of
 * one. False: out of memory (reported).
 */
static bool
add_arc(struct spans *spans, const struct spans_total *total)
{
	const struct spans_arc arc = { .thread = total->thread,
		.caller = spans->total.at[total->caller - 1].fn,
		.fn = total->fn };
	uint32_t *index = cg_map_in(
	    spans->job, &spans->arc_ids, (uint64_t)arc.caller << 32 | arc.fn);

	if (!index)
		return false;
	if (*index == 0 || spans->arc.at[*index - 1].thread != arc.thread) {
		if (!cg_append(spans->job, &spans->arc, arc))
			return false;
		*index = (uint32_t)spans->arc.n;
	}
	spans->arc.at[*index - 1].calls += total->calls;
	return true;
}

/*
 * Adds the stacks of a thread with their times to the graph, and their calls
 * to arcs. index: index + 1 of the first total in a list, callers first. Sets
 * fn and node. False: an error (reported).
 */
static bool
add_stacks(struct spans *spans, uint32_t index)
{
	const struct cg_pos nowhere = { 0 };

	while (index != 0) {
		struct spans_total *total = &spans->total.at[index - 1];
		const struct spans_total *caller =
		    &spans->total.at[total->caller - 1];

		total->fn = get_fn(spans, total->name);
		total->node = cg_add_frame(
		    spans->build, caller->node, total->fn, &nowhere, false);
		if (total->fn == 0 || !add_arc(spans, total))
			return false;
		spans->row[0] = total->ns;
		cg_add_stack(spans->build, total->node, 0,
		    cg_columns_of(spans->build, spans->row),
		    cg_columns_width(spans->build));
		index = total->next;
	}
	return true;
}

static struct cg_slice
process_of(const struct spans *spans, const struct spans_thread *thread)
{
	return cg_get_name(
	    spans->build, cg_map_get(&spans->processes, thread->pid));
}

void
spans_set_thread(const struct spans *spans, uint32_t id)
{
	const struct spans_thread *thread = &spans->thread.at[id];
	const struct cg_sample_key key = { .pid = thread->pid,
		.tid = thread->tid,
		.comm = process_of(spans, thread),
		.thread = cg_get_name(spans->build, thread->comm) };

	cg_set_sample_part(spans->build, &key);
}

void
spans_set_track(const struct spans *spans, uint32_t id, bool calls)
{
	const struct spans_thread *thread = &spans->thread.at[id];
	const struct cg_track track = { .pid = thread->pid,
		.tid = thread->tid,
		.name = cg_get_name(spans->build, thread->comm).ptr,
		.process = process_of(spans, thread).ptr,
		.unit = "ns",
		.spans = calls };

	if (calls && thread->alone)
		(void)cg_add_track(spans->build, &track);
	else
		cg_set_track(spans->build, &track);
}

static void
add_moments(const struct spans *spans, uint32_t id)
{
	const struct spans_thread *thread = &spans->thread.at[id];
	struct cg_moment moment = { 0 };
	uint64_t total;
	int64_t step;
	size_t at = 0;

	if (thread->moments.bytes == 0)
		return;
	spans_set_thread(spans, id);
	spans_set_track(spans, id, true);
	while (cg_numbers_get(&thread->moments, &at, &total) &&
	       cg_numbers_get_signed(&thread->moments, &at, &step)) {
		moment.time = (int64_t)((uint64_t)moment.time + (uint64_t)step);
		moment.node = total ? spans->total.at[total - 1].node : 0;
		cg_add_moment(spans->build, &moment);
	}
}

bool
spans_end(struct spans *spans)
{
	const struct cg_pos nowhere = { 0 };

	if (spans->event.n > 0 && !run_events(spans, spans->event.n))
		return false;
	for (size_t i = 0; i < spans->thread.n; i++)
		end_thread(spans, &spans->thread.at[i]);
	for (uint32_t i = 0; i < spans->thread.n; i++) {
		uint32_t root = spans->thread.at[i].root;

		if (root == 0)
			continue;
		spans_set_thread(spans, i);
		if (!add_stacks(spans, spans->total.at[root - 1].next))
			return false;
	}
	if (cg_rejected(spans->job) != CG_OK) /* out of memory */
		return false;
	for (uint32_t i = 0; i < spans->thread.n; i++)
		add_moments(spans, i);
	for (size_t i = 0; i < spans->arc.n; i++) {
		const struct spans_arc *arc = &spans->arc.at[i];

		if (i == 0 || arc->thread != arc[-1].thread)
			spans_set_thread(spans, arc->thread);
		cg_add_call(spans->build, arc->caller, &nowhere, arc->fn,
		    &nowhere, arc->calls, NULL, 0);
	}
	return true;
}
