/*
 * match_times.c - compares timelines: for each event, the samples of each
 * thread in order, by time, stack and cost.
 *
 * Tracks of the same process and thread are matched, then the remaining ones
 * in order. If one side has samples that cost time and the other has calls, as
 * traces do, both are compared as spans with a stack; adjacent spans with the
 * same stack are merged. If one side has a lower resolution of times, both are
 * compared at that resolution. Samples of speedscope cannot overlap: a sample
 * begins when the cost of the one before has passed, or later.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

#define UNKNOWN "[unknown]"
#define COARSEST 1000 /* ns: no format has a resolution below microseconds */

/* A track that has costs of the event. */
struct lane {
	const struct cg_track *track;
	size_t number;
	size_t other; /* matched lane of the other side; SIZE_MAX: none */
};

/* One side of the comparison. */
struct side {
	const struct cg_graph *graph;
	uint64_t *stack; /* by node: hash of the names of its frames */
	struct lane *lane;
	size_t lanes, column;
	uint64_t resolution; /* of its times, in ns */
};

/* A sample, or a span of time with one stack. */
struct entry {
	int64_t time;
	uint64_t cost;
	cg_node node;
};

struct cursor {
	const struct side *side;
	struct cg_moments *moments;
	bool spans; /* entries are spans */
	bool ahead;
	struct cg_time_span next; /* valid if ahead */
	int64_t end; /* end of the samples so far, if they do not overlap */
};

/* ---- Stacks -------------------------------------------------------------- */

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

/*
 * Returns the hash, continued with the bytes of a text (FNV-1a). If two texts
 * are added one after the other, the result is the hash of both joined.
 */
static uint64_t
add_text(uint64_t hash, struct cg_slice text)
{
	for (size_t i = 0; i < text.len; i++)
		hash = (hash ^ (uint8_t)text.ptr[i]) * HASH_PRIME;
	return hash;
}

static uint64_t
hash_fn(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice name = cg_fn_base_name(graph, fn);
	struct cg_slice object =
	    cg_base_name(cg_object_path(graph, cg_fn_object(graph, fn)));
	uint64_t hash = HASH_BEGIN;

	if (name.len > 0 && !cg_equal(name, UNKNOWN))
		return add_text(hash, name);
	if (object.len == 0 || *object.ptr == '[')
		return add_text(hash, cg_slice(UNKNOWN));
	hash = add_text(hash, cg_slice("["));
	return add_text(add_text(hash, object), cg_slice("]"));
}

static bool
hash_stacks(struct side *side)
{
	size_t nodes = cg_node_count(side->graph) + 1;
	size_t fns = cg_fn_count(side->graph) + 1;
	uint64_t *fn = calloc(fns, sizeof(*fn));

	side->stack = calloc(nodes, sizeof(*side->stack));
	for (cg_fn i = 0; fn != NULL && i < fns; i++)
		fn[i] = hash_fn(side->graph, i);
	for (cg_node node = 1;
	     fn != NULL && side->stack != NULL && node < nodes; node++) {
		struct cg_stack at;
		uint64_t below;

		cg_get_node(side->graph, node, &at);
		below = side->stack[at.parent] * HASH_PRIME;
		side->stack[node] =
		    (below ^ below >> 32 ^ fn[at.fn]) * HASH_PRIME;
	}
	free(fn);
	return fn != NULL && side->stack != NULL;
}

/*
 * Returns the names of the functions on the stack that ends in the leaf as
 * text, "main;a", for a message; "" for node 0. The job owns it. NULL: out of
 * memory.
 */
static char *
stack_text(struct cg_job *job, const struct cg_graph *graph, cg_node leaf)
{
	struct cg_stack at = { .parent = leaf };
	size_t len = 1;
	char *text, *to;

	while (at.parent != 0) {
		cg_get_node(graph, at.parent, &at);
		len += cg_fn_name(graph, at.fn).len + 1;
	}
	text = cg_alloc(job, len);
	if (text == NULL)
		return NULL;
	to = text + len - 1;
	*to = '\0';
	/* Written backwards, from the leaf. */
	for (at.parent = leaf; at.parent != 0;) {
		struct cg_slice name;

		cg_get_node(graph, at.parent, &at);
		name = cg_fn_name(graph, at.fn);
		to -= name.len;
		if (name.len > 0)
			memcpy(to, name.ptr, name.len);
		*--to = ';';
	}
	if (leaf != 0)
		memmove(text, to + 1, len - 1);
	return text;
}

/* ---- Entries ------------------------------------------------------------- */

static bool
open_cursor(struct cursor *it, const struct side *side, size_t lane, bool spans)
{
	size_t track = side->lane[lane].number;

	*it = (struct cursor){ .side = side, .spans = spans, .end = INT64_MIN };
	it->moments = spans ? cg_spans_new(side->graph, track, side->column)
			    : cg_moments_new(side->graph, track);
	it->ahead =
	    it->moments && spans && cg_next_span(it->moments, &it->next);
	return it->moments != NULL;
}

/*
 * Sets *entry to the next span of the cursor's track: its stack, begin and, as
 * its cost, duration. Merges adjacent spans of one stack, also if rounding
 * leaves a gap of one. False: there are no more.
 */
static bool
next_span(struct cursor *it, struct entry *entry)
{
	const uint64_t *stack = it->side->stack;
	int64_t end = it->next.end;

	if (!it->ahead)
		return false;
	entry->node = it->next.node;
	entry->time = it->next.begin;
	while ((it->ahead = cg_next_span(it->moments, &it->next)) &&
	       stack[it->next.node] == stack[entry->node] &&
	       it->next.begin - 1 <= end)
		end = it->next.end;
	entry->cost = (uint64_t)end - (uint64_t)entry->time;
	return true;
}

static bool
next_entry(struct cursor *it, struct entry *entry)
{
	struct cg_moment moment;

	if (it->spans)
		return next_span(it, entry);
	while (cg_next_moment(it->moments, &moment)) {
		if (it->side->column >= moment.n ||
		    moment.cost[it->side->column] == 0)
			continue;
		*entry = (struct entry){ moment.time,
			moment.cost[it->side->column], moment.node };
		return true;
	}
	return false;
}

/* ---- Tracks -------------------------------------------------------------- */

/*
 * Sets *any to whether the track has costs of the event, or calls that took
 * time if the event is time. Divides side->resolution by 10 until all times of
 * the track are multiples of it. False: out of memory.
 */
static bool
look_at_track(struct side *side, size_t number, bool *any)
{
	const struct cg_track *track = cg_get_track(side->graph, number);
	struct cg_moments *moments = cg_moments_new(side->graph, number);
	bool calls =
	    track->spans && cg_span_event(side->graph, track) == side->column;
	struct cg_moment moment, last = { 0 };

	*any = false;
	while (moments != NULL && cg_next_moment(moments, &moment)) {
		/* Calls that took no time are not compared. */
		*any |= calls && last.node != 0 && moment.time > last.time;
		*any |=
		    side->column < moment.n && moment.cost[side->column] != 0;
		while (side->resolution > 1 &&
		       moment.time % (int64_t)side->resolution != 0)
			side->resolution /= 10;
		last = moment;
	}
	*any |= calls && last.node != 0 && track->end > last.time;
	cg_moments_free(moments);
	return moments != NULL;
}

/*
 * Fills side->lane, which has room, with the tracks that have costs of the
 * event, in order. None is paired yet. Sets the resolution of the times of all
 * tracks, at most COARSEST. False: out of memory.
 */
static bool
list_lanes(struct side *side)
{
	bool any, ok = true;

	side->lanes = 0;
	side->resolution = COARSEST;
	for (size_t i = 0; ok && i < cg_track_count(side->graph); i++) {
		ok = look_at_track(side, i, &any);
		if (ok && any)
			side->lane[side->lanes++] =
			    (struct lane){ cg_get_track(side->graph, i), i,
				    SIZE_MAX };
	}
	return ok;
}

static int
compare_threads(const struct lane *a, const struct lane *b)
{
	if (a->track->pid != b->track->pid)
		return a->track->pid < b->track->pid ? -1 : 1;
	if (a->track->tid != b->track->tid)
		return a->track->tid < b->track->tid ? -1 : 1;
	return 0;
}

static int
compare_places(const void *pa, const void *pb)
{
	const struct lane *a = *(const struct lane *const *)pa;
	const struct lane *b = *(const struct lane *const *)pb;
	int order = compare_threads(a, b);

	return order != 0 ? order : (a > b) - (a < b);
}

/*
 * Returns an array of pointers to the side's lanes (timelines to compare),
 * sorted by thread. Lanes of the same thread stay in their order. The job owns
 * the array. NULL: out of memory.
 */
static struct lane **
sort_lanes(struct cg_job *job, const struct side *side)
{
	struct lane **sorted =
	    cg_alloc(job, side->lanes * sizeof(struct lane *));

	for (size_t i = 0; sorted != NULL && i < side->lanes; i++)
		sorted[i] = &side->lane[i];
	if (sorted != NULL)
		qsort(
		    sorted, side->lanes, sizeof(struct lane *), compare_places);
	return sorted;
}

static void
pair(struct side side[2], struct lane *a, struct lane *b)
{
	a->other = (size_t)(b - side[1].lane);
	b->other = (size_t)(a - side[0].lane);
}

/*
 * Pairs the lanes of both profiles that are of the same process and thread; if
 * a thread has several, in order. Others stay single. False: out of memory.
 */
static bool
pair_threads(struct cg_job *job, struct side side[2])
{
	struct lane **a = sort_lanes(job, &side[0]);
	struct lane **b = sort_lanes(job, &side[1]);
	bool ok = a != NULL && b != NULL;

	for (size_t i = 0, j = 0;
	     ok && i < side[0].lanes && j < side[1].lanes;) {
		int order = compare_threads(a[i], b[j]);

		if (order == 0)
			pair(side, a[i], b[j]);
		i += order <= 0;
		j += order >= 0;
	}
	return ok;
}

/*
 * Pairs the lanes (timelines to compare) that pair_threads() left single, in
 * their order. If one profile has more of them, its last ones stay single.
 */
static void
pair_others(struct side side[2])
{
	size_t j = 0;

	for (size_t i = 0; i < side[0].lanes; i++) {
		if (side[0].lane[i].other != SIZE_MAX)
			continue;
		while (j < side[1].lanes && side[1].lane[j].other != SIZE_MAX)
			j++;
		if (j == side[1].lanes)
			return;
		pair(side, &side[0].lane[i], &side[1].lane[j]);
	}
}

/* ---- Differences --------------------------------------------------------- */

/*
 * Returns true if two times, or two costs, differ by less than the resolution,
 * as times may be rounded or truncated.
 */
static bool
is_near(uint64_t a, uint64_t b, uint64_t resolution)
{
	return (a > b ? a - b : b - a) < resolution;
}

/*
 * Returns true if the later of two samples, one of each profile, begins where
 * the sample before it ended in the other profile. A writer may have delayed
 * it to avoid overlapping samples. False for spans.
 */
static bool
has_waited(const struct cursor it[2], const struct entry at[2])
{
	int later = at[1].time > at[0].time;

	return !it[0].spans && at[later].time == it[1 - later].end;
}

/*
 * Sets it->end to the time when a sample ends, its begin plus its cost. On
 * entry, it->end is the end of the previous sample. A sample that begins
 * before it counts as if it began there.
 */
static void
wait_for(struct cursor *it, const struct entry *at)
{
	int64_t begin = at->time > it->end ? at->time : it->end;

	it->end = (int64_t)((uint64_t)begin + at->cost);
}

/*
 * Compares two entries (samples or spans), one of each profile. Returns true
 * if their stacks, costs and, if "timed", begins match. If "timed", tolerates
 * rounding, and delays as in has_waited(). On false, *difference tells what
 * differs first. *difference is overwritten in any case.
 */
static bool
compare_entries(const struct cursor it[2], const struct entry at[2], bool timed,
    uint64_t resolution, struct time_difference *difference)
{
	uint64_t near = it[0].spans ? 2 * resolution : 1;

	for (int s = 0; s < 2; s++) {
		difference->value[s] = (uint64_t)at[s].time;
	}
	difference->what = TIME_STACK;
	if (it[0].side->stack[at[0].node] != it[1].side->stack[at[1].node])
		return false;
	difference->what = TIME_BEGIN;
	if (timed &&
	    !is_near((uint64_t)at[0].time, (uint64_t)at[1].time, resolution) &&
	    !has_waited(it, at))
		return false;
	for (int s = 0; s < 2; s++)
		difference->value[s] = at[s].cost;
	difference->what = TIME_COST;
	return is_near(at[0].cost, at[1].cost,
	    timed && resolution > near ? 2 * resolution : near);
}

/*
 * Compares two lanes, timelines of one thread in each profile, entry by entry.
 * Appends their first difference to v->time. Skips calls if the units of the
 * times differ. False: out of memory.
 */
static bool
compare_lanes(
    struct verify *v, struct side side[2], size_t event, const size_t lane[2])
{
	const struct cg_track *track[2] = { side[0].lane[lane[0]].track,
		side[1].lane[lane[1]].track };
	bool spans = track[0]->spans || track[1]->spans;
	bool timed = strcmp(track[0]->unit, track[1]->unit) == 0;
	uint64_t resolution = side[0].resolution > side[1].resolution
				  ? side[0].resolution
				  : side[1].resolution;
	struct time_difference difference = { .event = event,
		.track = *track[0] };
	struct cursor it[2] = { 0 };
	struct entry at[2];
	bool ok;

	/*
	 * Calls are compared with samples only if both tracks have times of
	 * one unit.
	 */
	if (spans && !timed)
		return true;
	ok = open_cursor(&it[0], &side[0], lane[0], spans) &&
	     open_cursor(&it[1], &side[1], lane[1], spans);

	for (uint64_t n = 1; ok; n++) {
		bool more[2] = { next_entry(&it[0], &at[0]),
			next_entry(&it[1], &at[1]) };

		difference.number = n;
		difference.what = TIME_COUNT;
		for (int s = 0; s < 2; s++)
			difference.value[s] = more[s];
		if (!more[0] && !more[1])
			break;
		if (more[0] && more[1] &&
		    compare_entries(it, at, timed, resolution, &difference)) {
			for (int s = 0; s < 2; s++)
				wait_for(&it[s], &at[s]);
			continue;
		}
		for (int s = 0; s < 2 && difference.what == TIME_STACK; s++)
			difference.stack[s] =
			    stack_text(v->args->job, side[s].graph, at[s].node);
		ok = (difference.what != TIME_STACK ||
			 (difference.stack[0] && difference.stack[1])) &&
		     cg_append(v->args->job, &v->time, difference);
		break;
	}
	for (int s = 0; s < 2; s++)
		cg_moments_free(it[s].moments);
	return ok;
}

/*
 * Pairs the timelines of both profiles: first those of the same thread, then
 * the others. Compares the pairs in this order. Appends the first difference
 * of each pair to v->time. A timeline without a partner is not compared.
 * False: out of memory.
 */
static bool
compare_tracks(struct verify *v, struct side side[2], size_t event)
{
	bool ok = pair_threads(v->args->job, side);

	if (ok)
		pair_others(side);
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; ok && i < side[0].lanes; i++) {
			const size_t lane[2] = { i, side[0].lane[i].other };
			bool same = lane[1] != SIZE_MAX &&
				    compare_threads(&side[0].lane[i],
					&side[1].lane[lane[1]]) == 0;

			if (lane[1] != SIZE_MAX && same == (pass == 0))
				ok = compare_lanes(v, side, event, lane);
		}
	return ok;
}

static bool
compare_event(struct verify *v, struct side side[2], size_t event)
{
	struct time_difference difference = { .event = event,
		.what = TIME_TRACKS };

	for (int s = 0; s < 2; s++) {
		side[s].column = v->event[event].column[s];
		if (!list_lanes(&side[s]))
			return false;
		difference.value[s] = side[s].lanes;
	}
	/*
	 * A side without a timeline of this event has sums only: lost
	 * information, not a difference.
	 */
	if (side[0].lanes == 0 || side[1].lanes == 0)
		return true;
	return (side[0].lanes == side[1].lanes ||
		   cg_append(v->args->job, &v->time, difference)) &&
	       compare_tracks(v, side, event);
}

bool
match_times(struct verify *v)
{
	struct side side[2] = { { .graph = v->profile[0].graph },
		{ .graph = v->profile[1].graph } };
	bool ok = true;

	if (cg_track_count(side[0].graph) == 0 ||
	    cg_track_count(side[1].graph) == 0)
		return true;
	for (int s = 0; ok && s < 2; s++) {
		side[s].lane = calloc(
		    cg_track_count(side[s].graph), sizeof(*side[s].lane));
		ok = side[s].lane != NULL && hash_stacks(&side[s]);
	}
	for (size_t e = 0; ok && e < v->events; e++)
		ok = compare_event(v, side, e);
	for (int s = 0; s < 2; s++) {
		free(side[s].lane);
		free(side[s].stack);
	}
	return ok;
}
