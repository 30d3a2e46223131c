/*
 * trace_calls.c - events that begin and end calls, in time order; the stacks
 * of the calls with their times.
 *
 * Traces list events nearly in time order, or by the end of the call (clang's
 * -ftime-trace), or thread by thread. Events are sorted in a window. An event
 * that is still too late is moved to the current time of its thread.
 */
#include <stdlib.h>
#include <string.h>

#include "trace_event.h"

/* ---- Stacks ------------------------------------------------------------- */

/* Adds the total; returns its index + 1, 0 if out of memory. */
static uint32_t
new_total(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_total *total)
{
	struct chrome_thread *thread = &calls->thread.at[total->thread];

	if (!cg_append(doc->job, &calls->total, *total))
		return 0;
	if (thread->last != 0)
		calls->total.at[thread->last - 1].next =
		    (uint32_t)calls->total.n;
	thread->last = (uint32_t)calls->total.n;
	return thread->last;
}

/*
 * Sets the total of a call by the thread's topmost call; adds it if it is new.
 */
static bool
get_total(struct cg_doc *doc, struct chrome_calls *calls, uint32_t id,
    struct chrome_open *open)
{
	struct chrome_thread *thread = &calls->thread.at[id];
	struct chrome_total total = { .thread = id };
	uint32_t *index;

	if (thread->root == 0)
		thread->root = new_total(doc, calls, &total);
	if (thread->root == 0)
		return false;
	total.name = open->name;
	total.caller = thread->open.n > 0
			   ? thread->open.at[thread->open.n - 1].total
			   : thread->root;
	index = cg_map_in(doc->job, &calls->total_ids,
	    (uint64_t)total.caller << 32 | open->name);
	if (!index)
		return false;
	if (*index == 0)
		*index = new_total(doc, calls, &total);
	open->total = *index;
	return *index != 0;
}

/* Adds a change of the thread's stack at time now to the timeline. */
static void
keep_moment(struct cg_job *job, struct chrome_calls *calls,
    struct chrome_thread *thread, int64_t now)
{
	uint32_t total =
	    thread->open.n > 0 ? thread->open.at[thread->open.n - 1].total : 0;

	if (!calls->kept)
		return;
	(void)(cg_numbers_in(job, &thread->moments, total) &&
	       cg_numbers_in_signed(job, &thread->moments,
		   (int64_t)((uint64_t)now - (uint64_t)thread->last_moment)));
	thread->last_moment = now;
}

/* Ends the topmost call. */
static void
end_call(struct cg_job *job, struct chrome_calls *calls,
    struct chrome_thread *thread, int64_t at)
{
	struct chrome_open *open = &thread->open.at[--thread->open.n];
	uint64_t time = (uint64_t)at - (uint64_t)open->begin;

	if (time > open->inner)
		calls->total.at[open->total - 1].ns += time - open->inner;
	if (thread->open.n > 0)
		thread->open.at[thread->open.n - 1].inner += time;
	keep_moment(job, calls, thread, at);
}

/* Moves a thread's clock; ends the calls with a known end before now. */
static void
pass_time(struct cg_job *job, struct chrome_calls *calls,
    struct chrome_thread *thread, int64_t now)
{
	while (thread->open.n > 0) {
		struct chrome_open *top = &thread->open.at[thread->open.n - 1];

		if (!top->ends || top->end > now)
			break;
		if (top->end < thread->now) {
			cg_warn(job, "a call ends before a call that it made: "
				     "it ends with that one");
			top->end = thread->now;
		}
		end_call(job, calls, thread, top->end);
	}
	if (now > thread->now)
		thread->now = now;
}

static bool
begin_call(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_event *event)
{
	struct chrome_thread *thread = &calls->thread.at[event->thread];
	struct chrome_open open = { .name = event->name,
		.ends = event->phase == 'X',
		.begin = thread->now,
		.end = event->ts };

	if (__builtin_add_overflow(event->ts, event->duration, &open.end))
		return cg_doc_fail(doc, "times that fit in 64 bits");
	if (thread->open.n > 0) {
		const struct chrome_open *top =
		    &thread->open.at[thread->open.n - 1];

		if (open.ends && top->ends && open.end > top->end) {
			cg_warn(doc->job, "a call lasts longer than its "
					  "caller: it ends with the caller");
			open.end = top->end;
		}
	}
	if (open.end < open.begin)
		open.end = open.begin;
	if (!get_total(doc, calls, event->thread, &open) ||
	    !cg_append(doc->job, &thread->open, open))
		return false;
	calls->total.at[open.total - 1].calls++;
	keep_moment(doc->job, calls, thread, open.begin);
	return true;
}

/* Handles an event E: ends the topmost call of its name and the calls above. */
static void
find_end(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_event *event)
{
	struct chrome_thread *thread = &calls->thread.at[event->thread];
	size_t to = thread->open.n;

	while (to > 0 && (thread->open.at[to - 1].ends ||
			     (event->name != 0 &&
				 thread->open.at[to - 1].name != event->name)))
		to--;
	if (to == 0) {
		cg_warn(doc->job, "the end of a call that did not begin is "
				  "skipped");
		return;
	}
	if (to < thread->open.n &&
	    thread->open.at[thread->open.n - 1].begin < thread->now)
		cg_warn(doc->job, "a call without an end ends with its caller");
	while (thread->open.n >= to)
		end_call(doc->job, calls, thread, thread->now);
}

static bool
run_event(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_event *event)
{
	struct chrome_thread *thread = &calls->thread.at[event->thread];

	if (!calls->asked)
		calls->kept = cg_begin_timeline(doc->build);
	calls->asked = true;
	if (event->ts < thread->now)
		cg_warn(doc->job, "an event is out of order by more than the "
				  "sorting window: it is moved to the time of "
				  "the last one");
	pass_time(doc->job, calls, thread, event->ts);
	if (event->phase != 'E')
		return begin_call(doc, calls, event);
	find_end(doc, calls, event);
	return true;
}

/* ---- Order -------------------------------------------------------------- */

static int
compare_times(const void *a, const void *b)
{
	const struct chrome_event *one = a, *two = b;

	if (one->ts != two->ts)
		return one->ts < two->ts ? -1 : 1;
	if (one->thread != two->thread)
		return one->thread < two->thread ? -1 : 1;
	return one->seq < two->seq ? -1 : one->seq > two->seq;
}

/*
 * Orders by duration: of calls that begin together, the longest is the caller.
 */
static int
compare_durations(const void *a, const void *b)
{
	const struct chrome_event *one = a, *two = b;

	if (one->duration != two->duration)
		return one->duration > two->duration ? -1 : 1;
	return one->seq < two->seq ? -1 : one->seq > two->seq;
}

static bool
is_sorted(const struct chrome_event *event, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (event[i - 1].ts > event[i].ts ||
		    (event[i - 1].ts == event[i].ts &&
			(event[i - 1].phase == 'X' || event[i].phase == 'X')))
			return false;
	}
	return true;
}

static void
sort_events(struct chrome_event *event, size_t n)
{
	size_t from, to;

	if (is_sorted(event, n))
		return;
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

/* Sorts the window, then processes its first n events. */
static bool
run_events(struct cg_doc *doc, struct chrome_calls *calls, size_t n)
{
	sort_events(calls->event.at, calls->event.n);
	for (size_t i = 0; i < n; i++)
		if (!run_event(doc, calls, &calls->event.at[i]))
			return false;
	calls->event.n -= n;
	memmove(calls->event.at, calls->event.at + n,
	    calls->event.n * sizeof(*calls->event.at));
	return true;
}

bool
chrome_add_event(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_event *event)
{
	if (calls->event.n == CHROME_WINDOW &&
	    !run_events(doc, calls, CHROME_WINDOW / 2))
		return false;
	if (!cg_append(doc->job, &calls->event, *event))
		return false;
	calls->event.at[calls->event.n - 1].seq = calls->seq++;
	return true;
}

/* ---- The end ------------------------------------------------------------ */

static void
end_thread(struct cg_doc *doc, struct chrome_calls *calls,
    struct chrome_thread *thread)
{
	while (thread->open.n > 0) {
		struct chrome_open *top = &thread->open.at[thread->open.n - 1];

		if (top->ends) {
			pass_time(doc->job, calls, thread, top->end);
			continue;
		}
		cg_warn(doc->job, "a call does not end: it ends with the last "
				  "event of its thread");
		end_call(doc->job, calls, thread, thread->now);
	}
}

/* Returns the function with a name; 0: out of memory. */
static cg_fn
get_fn(struct cg_doc *doc, struct chrome_calls *calls, cg_name name)
{
	if (name >= calls->fn.n &&
	    !cg_resize(doc->job, &calls->fn, (size_t)name + 1))
		return 0;
	if (calls->fn.at[name] == 0)
		calls->fn.at[name] = cg_add_fn_named(doc->build, name, 0, 0);
	return calls->fn.at[name];
}

/*
 * Sums calls by caller and callee. Call it thread by thread: arc_ids has only
 * the arcs of the latest thread.
 */
static bool
add_arc(struct cg_doc *doc, struct chrome_calls *calls,
    const struct chrome_total *total)
{
	const struct chrome_arc arc = { .thread = total->thread,
		.caller = calls->total.at[total->caller - 1].fn,
		.fn = total->fn };
	uint32_t *index = cg_map_in(
	    doc->job, &calls->arc_ids, (uint64_t)arc.caller << 32 | arc.fn);

	if (!index)
		return false;
	if (*index == 0 || calls->arc.at[*index - 1].thread != arc.thread) {
		if (!cg_append(doc->job, &calls->arc, arc))
			return false;
		*index = (uint32_t)calls->arc.n;
	}
	calls->arc.at[*index - 1].calls += total->calls;
	return true;
}

/* Adds the stacks of a thread, beginning with total index - 1. */
static bool
add_stacks(struct cg_doc *doc, struct chrome_calls *calls, uint32_t index)
{
	const struct cg_pos nowhere = { 0 };

	while (index != 0) {
		struct chrome_total *total = &calls->total.at[index - 1];
		const struct chrome_total *caller =
		    &calls->total.at[total->caller - 1];
		const uint64_t cost[2] = { total->ns }; /* no samples */

		total->fn = get_fn(doc, calls, total->name);
		total->node = cg_add_frame(
		    doc->build, caller->node, total->fn, &nowhere, false);
		if (total->fn == 0 || !add_arc(doc, calls, total))
			return false;
		cg_add_stack(doc->build, total->node, 0,
		    cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
		index = total->next;
	}
	return true;
}

static struct cg_slice
process_of(const struct cg_doc *doc, const struct chrome_calls *calls,
    const struct chrome_thread *thread)
{
	return cg_get_name(
	    doc->build, cg_map_get(&calls->processes, thread->pid));
}

void
chrome_set_thread(
    struct cg_doc *doc, const struct chrome_calls *calls, uint32_t id)
{
	const struct chrome_thread *thread = &calls->thread.at[id];
	const struct cg_sample_key key = { .pid = thread->pid,
		.tid = thread->tid,
		.comm = process_of(doc, calls, thread),
		.thread = cg_get_name(doc->build, thread->comm) };

	cg_set_sample_part(doc->build, &key);
}

void
chrome_set_track(struct cg_doc *doc, const struct chrome_calls *calls,
    uint32_t id, bool spans)
{
	const struct chrome_thread *thread = &calls->thread.at[id];
	const struct cg_track track = { .pid = thread->pid,
		.tid = thread->tid,
		.name = cg_get_name(doc->build, thread->comm).ptr,
		.process = process_of(doc, calls, thread).ptr,
		.unit = "ns",
		.spans = spans };

	cg_set_track(doc->build, &track);
}

static void
add_moments(struct cg_doc *doc, const struct chrome_calls *calls, uint32_t id)
{
	const struct chrome_thread *thread = &calls->thread.at[id];
	struct cg_moment moment = { 0 };
	uint64_t total;
	int64_t step;
	size_t at = 0;

	if (thread->moments.bytes == 0)
		return;
	chrome_set_thread(doc, calls, id);
	chrome_set_track(doc, calls, id, true);
	while (cg_numbers_get(&thread->moments, &at, &total) &&
	       cg_numbers_get_signed(&thread->moments, &at, &step)) {
		moment.time = (int64_t)((uint64_t)moment.time + (uint64_t)step);
		moment.node = total ? calls->total.at[total - 1].node : 0;
		cg_add_moment(doc->build, &moment);
	}
}

bool
chrome_end_events(struct cg_doc *doc, struct chrome_calls *calls)
{
	const struct cg_pos nowhere = { 0 };

	if (calls->event.n > 0 && !run_events(doc, calls, calls->event.n))
		return false;
	for (size_t i = 0; i < calls->thread.n; i++)
		end_thread(doc, calls, &calls->thread.at[i]);
	for (size_t i = 0; i < calls->total.n; i++) {
		const struct chrome_total *total = &calls->total.at[i];

		if (total->caller != 0)
			continue;
		chrome_set_thread(doc, calls, total->thread);
		if (!add_stacks(doc, calls, total->next))
			return false;
	}
	if (cg_rejected(doc->job) != CG_OK) /* out of memory */
		return false;
	for (uint32_t i = 0; i < calls->thread.n; i++)
		add_moments(doc, calls, i);
	for (size_t i = 0; i < calls->arc.n; i++) {
		const struct chrome_arc *arc = &calls->arc.at[i];

		if (i == 0 || arc->thread != arc[-1].thread)
			chrome_set_thread(doc, calls, arc->thread);
		cg_add_call(doc->build, arc->caller, &nowhere, arc->fn,
		    &nowhere, arc->calls, NULL, 0);
	}
	return true;
}
