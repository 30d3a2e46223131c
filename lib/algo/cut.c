/*
 * cut.c - keeps the part of a graph between two times (--between).
 *
 * The sums are computed again from the moments in between. If costs are times,
 * a sample lasts as long as it cost, and is cut at the edges, as calls are.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/copy.h"
#include "base/wide.h"

#define NANO UINT64_C(1000000000)
#define NANO_DIGITS 9

struct cut {
	const struct cg_between *between;
	struct cg_copy copy;
	const struct cg_graph *from;
	struct cg_axis {
		int64_t begin, end;
	} * axis;
	uint32_t *axis_of;   /* by track */
	struct cg_map axes;  /* input -> its axis + 1 */
	struct cg_map first; /* part << 32 | leaf -> its first stack + 1 */
	uint64_t *cost;      /* scratch: cost of a moment after cutting */
	size_t time;         /* event whose costs are times of the track */
	cg_node *path;
	size_t path_cap;
	int64_t from_time, to_time; /* on the axis of the current track */
};

/* ---- Option --between ---------------------------------------------------- */

/*
 * Parses one time of --between from the start of text: seconds ("2", "0.5s")
 * or a percentage ("10%"). If nothing or a comma follows, edge->given becomes
 * false. False: malformed, too large, or more than 100 %.
 */
static bool
take_edge(struct cg_slice *text, struct cg_edge *edge)
{
	edge->given = text->len > 0 && *text->ptr != ',';
	if (!edge->given)
		return true;
	if (!cg_take_fixed(text, NANO_DIGITS, &edge->nano) ||
	    edge->nano > INT64_MAX / 2)
		return false;
	edge->share = cg_take_char(text, '%');
	if (!edge->share)
		(void)cg_take_char(text, 's');
	return !edge->share || edge->nano <= 100 * NANO;
}

bool
cg_between_parse(struct cg_between *between, const char *text)
{
	struct cg_slice rest = cg_slice(text);

	*between = (struct cg_between){ .given = true };
	return take_edge(&rest, &between->from) && cg_take_char(&rest, ',') &&
	       take_edge(&rest, &between->to) && rest.len == 0 &&
	       (between->from.given || between->to.given) &&
	       (!between->from.given || !between->to.given ||
		   between->from.share != between->to.share ||
		   between->from.nano < between->to.nano);
}

/* ---- Axes ---------------------------------------------------------------- */

/*
 * Sets the time axis of each track (axis_of[]), and the begin and end of each
 * axis (axis[]). Tracks of one input in ns share an axis; others have their
 * own. False: out of memory.
 */
static bool
find_axes(struct cut *cut)
{
	size_t tracks = cg_track_count(cut->from);
	uint32_t *shared;

	for (size_t i = 0; i < tracks; i++) {
		const struct cg_track *track = cg_get_track(cut->from, i);
		size_t input = cg_track_input(cut->from, i);
		struct cg_axis *axis;

		cut->axis_of[i] = (uint32_t)i;
		if (strcmp(track->unit, "ns") == 0) {
			shared = cg_map_at(&cut->axes, input);
			if (!shared)
				return false;
			if (*shared == 0)
				*shared = (uint32_t)i + 1;
			cut->axis_of[i] = *shared - 1;
		}
		axis = &cut->axis[cut->axis_of[i]];
		if (cut->axis_of[i] == i) {
			*axis = (struct cg_axis){ track->begin, track->end };
			continue;
		}
		if (track->begin < axis->begin)
			axis->begin = track->begin;
		if (track->end > axis->end)
			axis->end = track->end;
	}
	return true;
}

/*
 * Converts a time of --between, from the begin of the track's axis on, to a
 * time of the track in its unit. A percentage is of the axis. If the unit is
 * not ns, one second is one unit. Returns fallback if edge is not given,
 * INT64_MAX if too large.
 */
static int64_t
place_edge(const struct cut *cut, size_t track, const struct cg_edge *edge,
    int64_t fallback)
{
	const struct cg_axis *axis = &cut->axis[cut->axis_of[track]];
	const char *unit = cg_get_track(cut->from, track)->unit;
	uint64_t length = (uint64_t)axis->end - (uint64_t)axis->begin;
	uint64_t at = edge->nano, rest = 0;
	int64_t place;

	if (!edge->given)
		return fallback;
	if (edge->share)
		(void)cg_wide_scale(
		    length, edge->nano, 0, 100 * NANO, &at, &rest);
	else if (strcmp(unit, "ns") != 0)
		at = edge->nano / NANO;
	if (at > INT64_MAX ||
	    __builtin_add_overflow(axis->begin, (int64_t)at, &place))
		return INT64_MAX;
	return place;
}

/* ---- Labels -------------------------------------------------------------- */

static bool
index_stacks(struct cut *cut)
{
	const struct cg_graph *from = cut->from;

	for (size_t i = 0; i < from->stacks; i++) {
		const struct cg_stack_entry *stack = &from->stack[i];
		uint32_t *first = cg_map_at(
		    &cut->first, (uint64_t)stack->part << 32 | stack->leaf);

		if (!first)
			return false;
		if (*first == 0)
			*first = (uint32_t)i + 1;
	}
	return true;
}

/*
 * Returns the labels for a sample of a timeline, which has none of its own.
 * They come from a stack with the same frames and part, preferably of the
 * track's thread. 0: no such stack, or no labels.
 */
static cg_labels
find_labels(const struct cut *cut, const struct cg_track *track, cg_node node)
{
	const struct cg_graph *from = cut->from;
	uint32_t first =
	    cg_map_get(&cut->first, (uint64_t)track->part << 32 | node);

	if (first == 0)
		return 0;
	for (size_t i = first - 1;
	     i < from->stacks && from->stack[i].leaf == node &&
	     from->stack[i].part == track->part;
	     i++) {
		cg_labels labels = from->stack[i].labels;

		if (cg_labels_number(from, labels, "tid") ==
			(int64_t)track->tid &&
		    cg_labels_number(from, labels, "pid") ==
			(int64_t)track->pid)
			return labels;
	}
	return from->stack[first - 1].labels;
}

/* ---- Samples ------------------------------------------------------------- */

/*
 * Returns the duration of a sample, in the unit of its track (timeline of a
 * thread): its cost of the event that measures time. 0: the track has no unit,
 * there is no such event, or the cost is too large.
 */
static uint64_t
length_of(const struct cut *cut, const struct cg_track *track,
    const struct cg_moment *moment)
{
	if (*track->unit == '\0' || cut->time >= moment->n)
		return 0;
	return moment->cost[cut->time] <= INT64_MAX / 2
		   ? moment->cost[cut->time]
		   : 0;
}

/*
 * Adds the part of a sample between the times of --between as a stack and a
 * moment. A sample that began before the first time counts as 0 samples. Only
 * the rest of its duration is added.
 */
static void
cut_sample(struct cut *cut, const struct cg_track *track,
    const struct cg_moment *moment)
{
	struct cg_build *to = cut->copy.to;
	uint64_t length = length_of(cut, track, moment);
	int64_t end = moment->time + (int64_t)length;
	bool began = moment->time >= cut->from_time;
	struct cg_moment new = *moment;

	if (moment->time >= cut->to_time || (!began && end <= cut->from_time))
		return;
	memset(cut->cost, 0, (cut->from->events + 1) * sizeof(*cut->cost));
	if (began && moment->n > 0)
		memcpy(cut->cost, moment->cost, moment->n * sizeof(*cut->cost));
	if (!began)
		new.time = cut->from_time;
	if (length > 0) {
		if (end > cut->to_time)
			end = cut->to_time;
		cut->cost[cut->time] = (uint64_t)end - (uint64_t) new.time;
	}
	new.cost = cut->cost;
	new.node = cut->copy.node[moment->node];
	cg_set_labels(
	    to, cut->copy.labels[find_labels(cut, track, moment->node)]);
	cg_add_stack(to, new.node, began, new.cost, new.n);
	cg_add_moment(to, &new);
}

/* ---- Calls --------------------------------------------------------------- */

/*
 * Adds a call of node's function by its parent's function, with count 1 and no
 * costs. Readers of timelines of calls do the same. Does nothing for an
 * outermost frame.
 */
static void
count_call(struct cut *cut, cg_node node)
{
	const struct cg_pos nowhere = { 0 };
	cg_node parent = cut->from->node[node].parent;
	cg_fn callee = cg_frame_of(cut->from, node)->fn;
	cg_fn caller = cg_frame_of(cut->from, parent)->fn;

	if (parent == 0)
		return;
	(void)cg_add_call(cut->copy.to, cut->copy.fn[caller], &nowhere,
	    cut->copy.fn[callee], &nowhere, 1, NULL, 0);
}

/*
 * Begins (enter) or ends the calls of the stack in node at a time of
 * --between. Adds a moment for each, and counts calls that begin. False: out
 * of memory.
 */
static bool
cross_edge(struct cut *cut, cg_node node, int64_t time, bool enter)
{
	const struct cg_graph *from = cut->from;
	struct cg_moment moment = { .time = time };
	size_t depth = 0;

	for (; node != 0; node = from->node[node].parent) {
		if (!cg_grow_raw(&cut->path, &cut->path_cap, depth + 1,
			sizeof(*cut->path)))
			return false;
		cut->path[depth++] = node;
	}
	for (size_t i = 0; i < depth; i++) {
		node = enter ? cut->path[depth - 1 - i]
			     : from->node[cut->path[i]].parent;
		moment.node = cut->copy.node[node];
		cg_add_moment(cut->copy.to, &moment);
		if (enter)
			count_call(cut, node);
	}
	return true;
}

/*
 * Adds a stack with the time that it runs between the edges (the two times of
 * --between). The time is its cost of the event that measures time. Adds
 * nothing if the stack does not run between them, or no event measures time.
 */
static void
cut_span(
    struct cut *cut, const struct cg_track *track, struct cg_time_span span)
{
	if (span.begin < cut->from_time)
		span.begin = cut->from_time;
	if (span.end > cut->to_time)
		span.end = cut->to_time;
	if (span.end <= span.begin || cut->time >= cut->from->events)
		return;
	memset(cut->cost, 0, (cut->from->events + 1) * sizeof(*cut->cost));
	cut->cost[cut->time] = (uint64_t)span.end - (uint64_t)span.begin;
	cg_set_labels(
	    cut->copy.to, cut->copy.labels[find_labels(cut, track, span.node)]);
	cg_add_stack(cut->copy.to, cut->copy.node[span.node], 0, cut->cost,
	    cut->time + 1);
}

static bool
cut_costs(struct cut *cut, const struct cg_track *track, size_t number)
{
	struct cg_moments *moments = cg_moments_new(cut->from, number);
	struct cg_time_span span;

	while (moments && cg_next_span(moments, &span))
		cut_span(cut, track, span);
	cg_moments_free(moments);
	return moments != NULL;
}

/*
 * Copies the begins and ends of calls between the times of --between, and
 * counts the calls. Calls that are open at an edge begin or end there. end:
 * when the track ends. False: an error.
 */
static bool
cut_calls(struct cut *cut, int64_t end, struct cg_moments *moments)
{
	struct cg_moment moment;
	cg_node last = 0;
	bool ok = true, more = true, in = false;

	/* Calls that are open at the last moment end with the track. */
	while (ok && more) {
		more = cg_next_moment(moments, &moment);
		if (!more)
			moment = (struct cg_moment){ .time = end };
		if (!in && moment.time >= cut->from_time) {
			ok = cross_edge(cut, last, cut->from_time, true);
			in = true;
		}
		if (moment.time > cut->to_time)
			return ok && (!in || cross_edge(cut, last, cut->to_time,
						 false));
		if (in && moment.node != 0 &&
		    cut->from->node[moment.node].parent == last)
			count_call(cut, moment.node);
		last = moment.node;
		moment.node = cut->copy.node[last];
		if (in && more)
			cg_add_moment(cut->copy.to, &moment);
	}
	return ok;
}

/* ---- The graph ----------------------------------------------------------- */

static bool
cut_track(struct cut *cut, size_t number)
{
	struct cg_track track = *cg_get_track(cut->from, number);
	struct cg_moments *moments = cg_moments_new(cut->from, number);
	struct cg_moment moment;
	bool ok = moments != NULL;

	cut->from_time =
	    place_edge(cut, number, &cut->between->from, track.begin);
	cut->to_time = place_edge(cut, number, &cut->between->to, INT64_MAX);
	/* The whole track includes its last sample. */
	if (cut->to_time >= cut->axis[cut->axis_of[number]].end)
		cut->to_time = INT64_MAX;
	cut->time = cg_span_event(cut->from, &track);
	cg_set_part(cut->copy.to, cut->copy.part[track.part]);
	ok = ok && cg_add_track(cut->copy.to, &track);
	if (ok && track.spans)
		ok = cut_costs(cut, &track, number) &&
		     cut_calls(cut, track.end, moments);
	while (ok && !track.spans && cg_next_moment(moments, &moment))
		cut_sample(cut, &track, &moment);
	cg_moments_free(moments);
	if (track.begin < cut->from_time)
		track.begin = cut->from_time;
	if (track.end > cut->to_time)
		track.end = cut->to_time;
	if (ok && track.begin <= track.end)
		cg_state_times(cut->copy.to, track.begin, track.end);
	return ok;
}

static bool
open_cut(struct cut *cut)
{
	size_t tracks = cg_track_count(cut->from) + 1;
	size_t events = cut->from->events + 1;

	cut->axis = calloc(tracks, sizeof(*cut->axis));
	cut->axis_of = calloc(tracks, sizeof(*cut->axis_of));
	cut->cost = calloc(events, sizeof(*cut->cost));
	return cut->axis && cut->axis_of && cut->cost &&
	       cg_copy_open(&cut->copy) && find_axes(cut) && index_stacks(cut);
}

static void
close_cut(struct cut *cut)
{
	free(cut->axis);
	free(cut->axis_of);
	free(cut->cost);
	free(cut->path);
	cg_map_free(&cut->axes);
	cg_map_free(&cut->first);
	cg_copy_close(&cut->copy);
}

/*
 * Warns of each event that has costs which no moment of a timeline has:
 * --between drops them, as it cannot know their time. False: an error.
 */
static bool
tell_untimed(const struct cut *cut)
{
	const struct cg_graph *from = cut->from;

	memset(cut->cost, 0, (from->events + 1) * sizeof(*cut->cost));
	if (!cg_timed_costs(from, CG_ALL_PARTS, cut->cost))
		return false;
	for (size_t i = 0; i < from->events; i++) {
		uint64_t all = 0;

		for (cg_part part = 0; part < from->parts; part++)
			if (i < from->part[part].totals)
				all += from->part[part].total[i];
		if (all != cut->cost[i])
			cg_diag_say(from->diag, CG_WARNING, NULL,
			    "costs of event %s without a time are dropped",
			    from->event[i].name);
	}
	return true;
}

int
cg_graph_cut(struct cg_graph **graph, const struct cg_between *between)
{
	struct cg_build to;
	struct cut cut = { .between = between, .from = *graph };
	int status = CG_ELIMIT;
	bool ok;

	cg_build_init(
	    &to, cg_graph_new((*graph)->diag, (*graph)->fault), CG_PARTS_KEEP);
	cut.copy =
	    (struct cg_copy){ .from = *graph, .to = &to, .sumless = true };
	ok = to.graph && open_cut(&cut);
	if (ok) {
		cg_copy_events(&cut.copy);
		cg_copy_dimensions(&cut.copy);
		for (cg_fn fn = 1; fn < (*graph)->fns; fn++)
			cg_copy_fn(&cut.copy, fn, fn);
		ok = cg_copy_rows(&cut.copy) == CG_OK && cg_begin_timeline(&to);
	}
	for (size_t i = 0; ok && i < cg_track_count(*graph); i++)
		ok = cut_track(&cut, i);
	if (ok && tell_untimed(&cut))
		status = cg_build_failed(&to, NULL);
	else
		cg_graph_nomem(*graph);
	close_cut(&cut);
	cg_build_free(&to);
	if (status != CG_OK) {
		cg_graph_free(to.graph);
		return status;
	}
	cg_graph_free(*graph);
	*graph = to.graph;
	return cg_graph_complete(*graph);
}
