/*
 * chrome_calls.c - events of a trace: what began, what ended, on which stack.
 *
 * Events come nearly in order of time, or each when it ended (clang's
 * -ftime-trace), or thread by thread. A window of them is sorted; what is still
 * late after that is taken for now.
 */
#include <stdlib.h>
#include <string.h>

#include "chrome_trace.h"

void
chrome_free_calls(struct calls *calls)
{
	for (size_t i = 0; i < calls->threads; i++)
		free(calls->thread[i].open);
	free(calls->thread);
	free(calls->event);
	free(calls->total);
	cg_map_free(&calls->total_ids);
}

struct total *
chrome_get_total(
    struct cg_doc *doc, struct calls *calls, uint32_t thread, cg_node node)
{
	uint32_t *place =
	    cg_map_at(&calls->total_ids, (uint64_t)thread << 32 | node);

	if (!place) {
		doc->status = cg_nomem(doc->job);
		return NULL;
	}
	if (*place == 0) {
		if (!cg_doc_grow(doc, &calls->total, calls->totals,
			&calls->total_cap, sizeof(*calls->total)))
			return NULL;
		calls->total[calls->totals] =
		    (struct total){ .thread = thread, .node = node };
		*place = (uint32_t)++calls->totals;
	}
	return &calls->total[*place - 1];
}

/* ---- Stacks -------------------------------------------------------------- */

/* The topmost call ends. */
static bool
end_call(struct cg_doc *doc, struct calls *calls, uint32_t id, int64_t at)
{
	struct thread *thread = &calls->thread[id];
	struct open *open = &thread->open[--thread->depth];
	uint64_t time = (uint64_t)at - (uint64_t)open->begin;
	struct total *total = chrome_get_total(doc, calls, id, open->node);

	if (!total)
		return false;
	if (time > open->inner)
		total->ns += time - open->inner;
	if (thread->depth > 0)
		thread->open[thread->depth - 1].inner += time;
	return true;
}

/* Calls that have ended by then, as they had said. */
static bool
pass_time(struct cg_doc *doc, struct calls *calls, uint32_t id, int64_t now)
{
	struct thread *thread = &calls->thread[id];

	while (thread->depth > 0) {
		struct open *top = &thread->open[thread->depth - 1];

		if (!top->ends || top->end > now)
			break;
		if (!end_call(doc, calls, id, top->end))
			return false;
	}
	if (now > thread->now)
		thread->now = now;
	return true;
}

static bool
begin_call(struct cg_doc *doc, struct calls *calls, const struct event *event)
{
	const struct cg_pos nowhere = { 0 };
	struct thread *thread = &calls->thread[event->thread];
	struct open open = { .name = event->name,
		.ends = event->phase == 'X',
		.begin = thread->now,
		.end = event->ts };
	cg_node below = 0;
	struct total *total;
	cg_fn caller = 0;

	if (__builtin_add_overflow(event->ts, event->duration, &open.end))
		return cg_doc_fail(doc, "less time");
	if (thread->depth > 0) {
		const struct open *top = &thread->open[thread->depth - 1];

		below = top->node;
		caller = top->fn;
		if (open.ends && top->ends && open.end > top->end) {
			cg_warn(doc->job, "a call that lasts longer than its "
					  "caller is cut where that ends");
			open.end = top->end;
		}
	}
	if (open.end < open.begin)
		open.end = open.begin;
	open.fn = cg_add_fn_named(doc->build, event->name, 0, 0);
	open.node = cg_add_frame(doc->build, below, open.fn, &nowhere, false);
	total = chrome_get_total(doc, calls, event->thread, open.node);
	if (!total || !cg_doc_grow(doc, &thread->open, thread->depth,
			  &thread->cap, sizeof(open)))
		return false;
	total->caller = caller;
	total->fn = open.fn;
	total->calls++;
	thread->open[thread->depth++] = open;
	return true;
}

/* The topmost call of that name ends, and what it has called and not ended. */
static bool
find_end(struct cg_doc *doc, struct calls *calls, const struct event *event)
{
	struct thread *thread = &calls->thread[event->thread];
	size_t to = thread->depth;

	while (to > 0 && (thread->open[to - 1].ends ||
			     (event->name != 0 &&
				 thread->open[to - 1].name != event->name)))
		to--;
	if (to == 0) {
		cg_warn(doc->job, "the end of what has not begun is skipped");
		return true;
	}
	if (to < thread->depth &&
	    thread->open[thread->depth - 1].begin < thread->now)
		cg_warn(doc->job, "calls end as their caller does");
	while (thread->depth >= to)
		if (!end_call(doc, calls, event->thread, thread->now))
			return false;
	return true;
}

static bool
run_event(struct cg_doc *doc, struct calls *calls, const struct event *event)
{
	if (event->ts < calls->thread[event->thread].now)
		cg_warn(doc->job, "an event comes too late and is moved");
	if (!pass_time(doc, calls, event->thread, event->ts))
		return false;
	if (event->phase == 'E')
		return find_end(doc, calls, event);
	return begin_call(doc, calls, event);
}

/* ---- Order --------------------------------------------------------------- */

static int
compare_times(const void *a, const void *b)
{
	const struct event *one = a, *two = b;

	if (one->ts != two->ts)
		return one->ts < two->ts ? -1 : 1;
	if (one->thread != two->thread)
		return one->thread < two->thread ? -1 : 1;
	return one->turn < two->turn ? -1 : one->turn > two->turn;
}

/* Of calls that begin at once, the longest is the caller. */
static int
compare_durations(const void *a, const void *b)
{
	const struct event *one = a, *two = b;

	if (one->duration != two->duration)
		return one->duration > two->duration ? -1 : 1;
	return one->turn < two->turn ? -1 : one->turn > two->turn;
}

static bool
is_sorted(const struct event *event, size_t n)
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
sort_events(struct event *event, size_t n)
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

/* The first n of those that wait, when they are sorted. */
static bool
run_events(struct cg_doc *doc, struct calls *calls, size_t n)
{
	sort_events(calls->event, calls->events);
	for (size_t i = 0; i < n; i++)
		if (!run_event(doc, calls, &calls->event[i]))
			return false;
	calls->events -= n;
	memmove(calls->event, calls->event + n,
	    calls->events * sizeof(*calls->event));
	return true;
}

bool
chrome_add_event(
    struct cg_doc *doc, struct calls *calls, const struct event *event)
{
	if (calls->events == WINDOW && !run_events(doc, calls, WINDOW / 2))
		return false;
	if (!cg_doc_grow(doc, &calls->event, calls->events, &calls->event_cap,
		sizeof(*event)))
		return false;
	calls->event[calls->events] = *event;
	calls->event[calls->events++].turn = calls->turn++;
	return true;
}

bool
chrome_end_events(struct cg_doc *doc, struct calls *calls)
{
	if (calls->events > 0 && !run_events(doc, calls, calls->events))
		return false;
	for (uint32_t id = 0; id < calls->threads; id++) {
		struct thread *thread = &calls->thread[id];

		while (thread->depth > 0) {
			struct open *top = &thread->open[thread->depth - 1];

			if (top->ends && !pass_time(doc, calls, id, top->end))
				return false;
			if (top->ends)
				continue;
			cg_warn(doc->job, "a call does not end: it is taken to "
					  "end with the last event of its "
					  "thread");
			if (!end_call(doc, calls, id, thread->now))
				return false;
		}
	}
	return true;
}
