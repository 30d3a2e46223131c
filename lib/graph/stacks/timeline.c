/*
 * timeline.c - the stacks of threads in the order of time, stored in addition
 * to their sums.
 *
 * A moment is packed as differences to the one before, in varints:
 *
 *	time << 1 | costs follow	zigzag
 *	node				zigzag
 *	[number of costs, costs]	only if they differ from those before
 *
 * A sample of a thread needs 4 to 6 bytes. Sealing the graph renumbers its
 * nodes, and the moments are packed again.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/build.h"
#include "graph/rows/packed.h"

/*
 * Limit of times: 73 years in ns. With it, a difference of two takes 62 bits,
 * and 64 with sign and flag.
 */
#define TIME_MAX ((int64_t)1 << 61)
/* The number of bytes that get_varint() may read beyond the end. */
#define SPARE 16

/* ---- Packing ------------------------------------------------------------- */

struct cg_track_entry {
	struct cg_track info;
	cg_str name, process, unit;
	size_t input;  /* the input of the track */
	size_t number; /* in the order of arrival */
	bool stated;   /* info.begin and info.end are the source's */
	bool unsorted;
	uint8_t *bytes;
	size_t size, cap;
	/* Of the last moment: */
	int64_t time;
	cg_node node;
	uint64_t *cost;
	size_t n, cost_cap;
};

static bool
pack(struct cg_track_entry *track, const struct cg_moment *moment)
{
	size_t n = cg_cut_zeros(moment->cost, moment->n);
	bool same =
	    n == track->n && (n == 0 || memcmp(moment->cost, track->cost,
					    n * sizeof(*moment->cost)) == 0);
	size_t room = track->size + (3 + n) * VALUE_MAX + SPARE;
	uint8_t *to;

	if (!cg_grow_raw(&track->bytes, &track->cap, room, 1))
		return false;
	if (!same && !cg_grow_raw(&track->cost, &track->cost_cap, n + 1,
			 sizeof(*track->cost)))
		return false;
	to = track->bytes + track->size;
	to = put_varint(
	    to, zigzag((uint64_t)moment->time - (uint64_t)track->time) << 1 |
		    !same);
	to = put_signed(to, (uint64_t)moment->node - track->node);
	if (!same) {
		to = put_varint(to, n);
		for (size_t i = 0; i < n; i++)
			to = put_varint(to, moment->cost[i]);
		if (n > 0)
			memcpy(track->cost, moment->cost,
			    n * sizeof(*track->cost));
		track->n = n;
	}
	track->size = (size_t)(to - track->bytes);
	track->time = moment->time;
	track->node = moment->node;
	return true;
}

/* ---- Building ------------------------------------------------------------ */

bool
cg_begin_timeline(struct cg_build *build)
{
	if (build->sets_labels) {
		build->untimed_labels = !(build->unwanted & CG_TIMELINE);
		return false;
	}
	build->graph->facts |= CG_TIMELINE;
	return build->status == CG_OK && !(build->unwanted & CG_TIMELINE);
}

/*
 * Limit of the length of names, as they are compared at each change of the
 * thread; longer ones are ignored.
 */
#define TRACK_NAME_MAX 4096

static cg_str
add_text(struct cg_build *build, const char *text)
{
	struct cg_slice name = { text, 0 };

	if (!text)
		return 0;
	name.len = strnlen(text, TRACK_NAME_MAX);
	return cg_add_name(build, name);
}

static bool
is_track(const struct cg_track_entry *track, const struct cg_build *build,
    const struct cg_track *key)
{
	const struct cg_track *info = &track->info;

	return track->input == build->inputs && info->part == build->part &&
	       info->pid == key->pid && info->tid == key->tid &&
	       info->spans == key->spans &&
	       (!key->unit ||
		   strcmp(cg_strs_get(&build->graph->strs, track->unit).ptr,
		       key->unit) == 0);
}

/*
 * Returns where the hash table stores the index + 1 of a thread's track
 * (timeline). If that is 0, the caller must set it. Tracks differ by input and
 * part. NULL: out of memory.
 */
static uint32_t *
find_track(struct cg_build *build, const struct cg_track *key)
{
	const struct cg_graph *graph = build->graph;
	/* Threads without pid and tid are identified by their names. */
	cg_str name =
	    key->pid == 0 && key->tid == 0 ? add_text(build, key->name) : 0;
	const uint64_t words[] = { key->pid, key->tid, build->part, name,
		build->inputs };
	uint64_t hash =
	    cg_hash_bytes(graph->strs.key, (const char *)words, sizeof(words));
	uint32_t *id;

	do
		id = cg_map_at(&build->track_ids, hash++);
	while (id && *id != 0 &&
	       (!is_track(&graph->track[*id - 1], build, key) ||
		   (name != 0 && graph->track[*id - 1].name != name)));
	return id;
}

/*
 * Sets thread name, process name and unit of the current track (the timeline
 * of a thread), as far as key states them. If a thread changes its name, the
 * last one counts.
 */
static void
name_track(struct cg_build *build, const struct cg_track *key)
{
	struct cg_track_entry *track = &build->graph->track[build->track - 1];
	cg_str name = add_text(build, key->name);
	cg_str process = add_text(build, key->process);

	track->name = name ? name : track->name;
	track->process = process ? process : track->process;
	if (key->unit)
		track->unit = add_text(build, key->unit);
}

bool
cg_add_track(struct cg_build *build, const struct cg_track *key)
{
	struct cg_graph *graph = build->graph;
	struct cg_track_entry *track;

	if (build->drops) {
		build->track = 0;
		return true;
	}
	if (graph->tracks >= UINT32_MAX ||
	    !cg_grow(&graph->track, &graph->track_cap, graph->tracks + 1,
		sizeof(*graph->track))) {
		cg_build_nomem(build);
		return false;
	}
	track = &graph->track[graph->tracks++];
	track->info = (struct cg_track){ .part = build->part,
		.pid = key->pid,
		.tid = key->tid,
		.spans = key->spans };
	track->input = build->inputs;
	track->number = graph->tracks;
	build->track = (uint32_t)graph->tracks;
	name_track(build, key);
	return true;
}

/*
 * True if key names the thread of the current track (the timeline that samples
 * were last added to), as for most samples; no look-up is needed then. False
 * also if key has no name.
 */
static bool
is_current(const struct cg_build *build, const struct cg_track *key)
{
	const struct cg_graph *graph = build->graph;
	const struct cg_track_entry *track;

	if (build->track == 0 || !key->name)
		return false;
	track = &graph->track[build->track - 1];
	return is_track(track, build, key) &&
	       strncmp(cg_strs_get(&graph->strs, track->name).ptr, key->name,
		   TRACK_NAME_MAX) == 0;
}

void
cg_set_track(struct cg_build *build, const struct cg_track *key)
{
	uint32_t *id;

	if (build->drops)
		build->track = 0;
	if (build->drops || is_current(build, key))
		return;
	id = find_track(build, key);
	if (build->status != CG_OK)
		return;
	if (!id) {
		cg_build_nomem(build);
	} else if (*id != 0) {
		build->track = *id;
		name_track(build, key);
	} else if (cg_add_track(build, key)) {
		*id = build->track;
	}
}

static bool
is_time(int64_t time)
{
	return time < TIME_MAX && time > -TIME_MAX;
}

void
cg_add_moment(struct cg_build *build, const struct cg_moment *moment)
{
	struct cg_graph *graph = build->graph;
	struct cg_track_entry *track;

	if (build->drops)
		return;
	if (!cg_build_check(build, moment->node, graph->nodes, "stack node") ||
	    !cg_build_check(
		build, (uint32_t)moment->n, graph->events + 1, "event") ||
	    !cg_build_check(
		build, build->track - 1, (uint32_t)graph->tracks, "track"))
		return;
	if (!is_time(moment->time)) {
		build->untimed++;
		return;
	}
	track = &graph->track[build->track - 1];
	/*
	 * Check for rules first: without them the node need not be loaded into
	 * the cache.
	 */
	if (!track->info.spans && build->excluded_files.table &&
	    cg_build_excludes(
		build, cg_frame_of(graph, moment->node)->pos.file))
		return;
	track->unsorted |= !track->info.spans && track->info.moments > 0 &&
			   moment->time < track->time;
	if (!pack(track, moment)) {
		cg_build_nomem(build);
		return;
	}
	if (!track->stated &&
	    (track->info.moments == 0 || moment->time < track->info.begin))
		track->info.begin = moment->time;
	if (!track->stated &&
	    (track->info.moments == 0 || moment->time > track->info.end))
		track->info.end = moment->time;
	track->info.moments++;
}

void
cg_state_times(struct cg_build *build, int64_t begin, int64_t end)
{
	struct cg_graph *graph = build->graph;
	struct cg_track_entry *track;

	if (build->drops || !cg_build_check(build, build->track - 1,
				(uint32_t)graph->tracks, "track"))
		return;
	if (!is_time(begin) || !is_time(end))
		return;
	track = &graph->track[build->track - 1];
	track->stated = true;
	track->info.begin = begin;
	track->info.end = end;
}

void
cg_tracks_end(const struct cg_build *build)
{
	if (build->untimed > 0)
		cg_diag_say(build->graph->diag, CG_WARNING, NULL,
		    "times are out of range: %" PRIu64
		    " moments are in the sums only",
		    build->untimed);
}

/* ---- Reading ------------------------------------------------------------- */

struct cg_moments {
	const struct cg_graph *graph;
	uint32_t count; /* number of moments so far */
	const uint8_t *at, *end;
	struct cg_moment moment; /* the last one */
	uint64_t *cost;
	int64_t track_end;
	/* For spans of samples: */
	bool (*next)(struct cg_moments *, struct cg_time_span *);
	size_t event;
	int64_t busy;   /* the last sample ends then */
	uint64_t usual; /* time from one sample to the next */
	bool ahead;     /* the last moment is of the next span */
};

struct cg_moments *
cg_moments_new(const struct cg_graph *graph, size_t track)
{
	const struct cg_track_entry *entry = &graph->track[track];
	struct cg_moments *moments = calloc(1, sizeof(*moments));

	if (moments)
		moments->cost =
		    calloc(graph->events + 1, sizeof(*moments->cost));
	if (!moments || !moments->cost) {
		free(moments);
		cg_graph_nomem(graph);
		return NULL;
	}
	moments->graph = graph;
	moments->track_end = entry->info.end;
	/* A track may have no moments: NULL + 0 is undefined. */
	if (entry->size > 0) {
		moments->at = entry->bytes;
		moments->end = entry->bytes + entry->size;
	}
	return moments;
}

void
cg_moments_free(struct cg_moments *moments)
{
	if (moments)
		free(moments->cost);
	free(moments);
}

/* Number of moments between two checks for a failure. */
#define OFTEN 256

bool
cg_next_moment(struct cg_moments *moments, struct cg_moment *moment)
{
	struct cg_moment *last = &moments->moment;
	uint64_t head, time;

	if (moments->at == moments->end ||
	    (moments->count++ % OFTEN == 0 && cg_graph_failed(moments->graph)))
		return false;
	head = get_varint(&moments->at);
	time = head >> 1;
	time = time >> 1 ^ -(time & 1);
	last->time = (int64_t)((uint64_t)last->time + time);
	last->node += (cg_node)get_signed(&moments->at);
	if (head & 1) {
		last->n = (size_t)get_varint(&moments->at);
		for (size_t i = 0; i < last->n; i++)
			moments->cost[i] = get_varint(&moments->at);
	}
	*moment = *last;
	moment->cost = moments->cost;
	return true;
}

/* ---- Spans --------------------------------------------------------------- */

bool
cg_next_span(struct cg_moments *moments, struct cg_time_span *span)
{
	struct cg_moment next;
	bool more = true;

	if (moments->next)
		return moments->next(moments, span);
	while (more) {
		span->node = moments->moment.node;
		span->begin = moments->moment.time;
		more = cg_next_moment(moments, &next);
		span->end = more ? next.time : moments->track_end;
		if (!more)
			moments->moment.node = 0;
		if (span->node != 0 && span->end > span->begin)
			return true;
	}
	return false;
}

/* The maximum duration of a sample, in usual intervals. */
#define USUAL_MAX 4

/*
 * Moves to the next moment (sample) of a timeline whose cost of the event
 * moments->event is not 0. Sets *cost to that cost. False: there are no more.
 */
static bool
next_sample(struct cg_moments *moments, uint64_t *cost)
{
	struct cg_moment moment;

	*cost = 0;
	while (*cost == 0 && cg_next_moment(moments, &moment))
		if (moments->event < moment.n)
			*cost = moment.cost[moments->event];
	return *cost != 0;
}

static int64_t
add_time(int64_t time, uint64_t length)
{
	int64_t sum;

	return length > INT64_MAX ||
		       __builtin_add_overflow(time, (int64_t)length, &sum)
		   ? INT64_MAX
		   : sum;
}

/*
 * Gets the time span of the next sample with a stack, if costs are times. It
 * begins at the sample's time, or after the span before, and lasts as long as
 * its cost. False: the end.
 */
static bool
next_by_cost(struct cg_moments *moments, struct cg_time_span *span)
{
	uint64_t cost;

	while (next_sample(moments, &cost)) {
		span->node = moments->moment.node;
		span->begin = moments->moment.time;
		if (span->begin < moments->busy)
			span->begin = moments->busy;
		span->end = moments->busy = add_time(span->begin, cost);
		if (span->node != 0)
			return true;
	}
	return false;
}

static bool
next_by_time(struct cg_moments *moments, struct cg_time_span *span)
{
	uint64_t cost, length;

	while (moments->ahead) {
		span->node = moments->moment.node;
		span->begin = moments->moment.time;
		moments->ahead = next_sample(moments, &cost);
		length = moments->usual;
		if (moments->ahead)
			length = (uint64_t)moments->moment.time -
				 (uint64_t)span->begin;
		if (length / USUAL_MAX >= moments->usual)
			length = USUAL_MAX * moments->usual;
		span->end = add_time(span->begin, length);
		if (span->node != 0)
			return true;
	}
	return false;
}

/*
 * Returns the usual gap between samples with costs, for drawing a timeline
 * without durations. Averages the gaps with as many binary digits as the
 * median: pauses do not count. 0: unknown. Reads all moments, so the caller
 * must rewind.
 */
static uint64_t
find_usual(struct cg_moments *moments)
{
	struct {
		uint64_t count, sum;
	} near[64] = { 0 };
	uint64_t cost, all = 0, seen = 0;
	size_t digits = 0;

	if (!next_sample(moments, &cost))
		return 0;
	for (int64_t last = moments->moment.time; next_sample(moments, &cost);
	     last = moments->moment.time) {
		uint64_t gap = (uint64_t)moments->moment.time - (uint64_t)last;

		for (digits = 0; gap >> digits != 0;)
			digits++;
		near[digits].count++;
		near[digits].sum += gap;
		all++;
	}
	if (all == 0)
		return 0;
	for (digits = 0; 2 * (seen += near[digits].count) < all;)
		digits++;
	return near[digits].sum / near[digits].count;
}

struct cg_moments *
cg_spans_new(const struct cg_graph *graph, size_t number, size_t event)
{
	const struct cg_track *track = cg_get_track(graph, number);
	struct cg_moments *moments = cg_moments_new(graph, number);
	const uint8_t *begin;
	uint64_t cost;

	if (!moments || track->spans)
		return moments;
	moments->event = event;
	moments->busy = INT64_MIN;
	moments->next = next_by_cost;
	if (event < graph->events &&
	    strcmp(graph->event[event].unit, track->unit) == 0)
		return moments;
	begin = moments->at;
	moments->usual = find_usual(moments);
	moments->at = begin;
	moments->moment = (struct cg_moment){ 0 };
	moments->next = next_by_time;
	moments->ahead = next_sample(moments, &cost);
	return moments;
}

size_t
cg_span_event(const struct cg_graph *graph, const struct cg_track *track)
{
	size_t i = 0;

	while (
	    i < graph->events && strcmp(graph->event[i].unit, track->unit) != 0)
		i++;
	return i;
}

static bool
add_timed_costs(const struct cg_graph *graph, size_t number, uint64_t *sum)
{
	const struct cg_track *track = cg_get_track(graph, number);
	struct cg_moments *moments = cg_moments_new(graph, number);
	size_t event = cg_span_event(graph, track);
	struct cg_moment moment;
	struct cg_time_span span;

	if (!moments)
		return false;
	/* Sums may wrap, as the totals with which they are compared do not. */
	while (track->spans && cg_next_span(moments, &span))
		if (event < graph->events)
			sum[event] += (uint64_t)span.end - (uint64_t)span.begin;
	while (!track->spans && cg_next_moment(moments, &moment))
		for (size_t i = 0; i < moment.n; i++)
			sum[i] += moment.cost[i];
	cg_moments_free(moments);
	return true;
}

/*
 * Returns the index of the first track (timeline of a thread) of the part. If
 * the part has none, returns that of the next part with tracks, or the number
 * of tracks. Tracks are sorted by part.
 */
static size_t
first_track(const struct cg_graph *graph, cg_part part)
{
	size_t low = 0, high = graph->tracks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->track[middle].info.part < part)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool
cg_timed_costs(const struct cg_graph *graph, cg_part part, uint64_t *sum)
{
	bool all = part == CG_ALL_PARTS, ok = true;

	for (size_t i = all ? 0 : first_track(graph, part);
	     ok && i < graph->tracks &&
	     (all || graph->track[i].info.part == part);
	     i++)
		ok = add_timed_costs(graph, i, sum);
	return ok;
}

bool
cg_all_timed(const struct cg_graph *graph, size_t event)
{
	uint64_t *sum = calloc(graph->events + 1, sizeof(*sum)), all = 0;
	bool equal;

	if (!sum) {
		cg_graph_nomem(graph);
		return false;
	}
	for (cg_part part = 0; part < graph->parts; part++)
		if (event < graph->part[part].totals)
			all += graph->part[part].total[event];
	equal = cg_timed_costs(graph, CG_ALL_PARTS, sum) && sum[event] == all;
	free(sum);
	return equal;
}

size_t
cg_main_track(const struct cg_graph *graph, size_t event)
{
	uint64_t *sum, most = 0;
	size_t main = 0;

	if (graph->tracks < 2)
		return 0;
	sum = calloc(graph->events + 1, sizeof(*sum));
	if (!sum)
		cg_graph_nomem(graph);
	for (size_t i = 0; sum && i < graph->tracks; i++) {
		const struct cg_track *track = cg_get_track(graph, i);
		size_t column =
		    track->spans ? cg_span_event(graph, track) : event;

		memset(sum, 0, graph->events * sizeof(*sum));
		if (!add_timed_costs(graph, i, sum))
			break;
		if (sum[column] > most) {
			most = sum[column];
			main = i;
		}
	}
	free(sum);
	return main;
}

size_t
cg_track_count(const struct cg_graph *graph)
{
	return graph->tracks;
}

const struct cg_track *
cg_get_track(const struct cg_graph *graph, size_t i)
{
	return &graph->track[i].info;
}

size_t
cg_track_input(const struct cg_graph *graph, size_t track)
{
	return graph->track[track].input;
}

/* ---- Sealing ------------------------------------------------------------- */

struct timed {
	struct cg_moment moment;
	uint64_t number; /* in the order of arrival */
	size_t cost;     /* index of its costs */
};

static int
compare_times(const void *pa, const void *pb)
{
	const struct timed *a = pa, *b = pb;

	if (a->moment.time != b->moment.time)
		return a->moment.time < b->moment.time ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static cg_node
number_of(const struct cg_graph *graph, bool renumbered, cg_node node)
{
	return renumbered ? graph->node[node].latest : node;
}

/*
 * Sorts the samples of a track by time. Reads them from the cursor `from`, and
 * packs them into the track, which must be empty. renumbered: nodes get their
 * new numbers. False: out of memory.
 */
static bool
sort_moments(const struct cg_graph *graph, struct cg_track_entry *track,
    struct cg_moments *from, bool renumbered)
{
	size_t count = (size_t)track->info.moments, costs = 0, cap = 0;
	struct timed *timed = calloc(count + 1, sizeof(*timed));
	uint64_t *cost = NULL;
	bool ok = timed != NULL;
	size_t i = 0;

	for (; ok && cg_next_moment(from, &timed[i].moment); i++) {
		size_t n = timed[i].moment.n;

		ok = cg_grow_raw(&cost, &cap, costs + n + 1, sizeof(*cost));
		if (ok && n > 0)
			memcpy(cost + costs, timed[i].moment.cost,
			    n * sizeof(*cost));
		timed[i].number = i;
		timed[i].cost = costs;
		costs += n;
	}
	if (ok)
		qsort(timed, count, sizeof(*timed), compare_times);
	for (i = 0; ok && i < count; i++) {
		timed[i].moment.cost = cost + timed[i].cost;
		timed[i].moment.node =
		    number_of(graph, renumbered, timed[i].moment.node);
		ok = pack(track, &timed[i].moment);
	}
	free(timed);
	free(cost);
	return ok;
}

/*
 * Empties a track (timeline of a thread), so that its moments (samples, begins
 * and ends of calls) can be packed again. Returns the old packed bytes: the
 * caller reads the moments from them, and frees them.
 */
static uint8_t *
restart(struct cg_track_entry *track)
{
	uint8_t *bytes = track->bytes;

	track->bytes = NULL;
	track->size = track->cap = track->n = 0;
	track->time = 0;
	track->node = 0;
	return bytes;
}

static bool
seal_track(struct cg_graph *graph, size_t number, bool renumbered)
{
	struct cg_track_entry *track = &graph->track[number];
	struct cg_moments *from = cg_moments_new(graph, number);
	struct cg_moment moment;
	bool ok = from != NULL;
	uint8_t *bytes;

	track->info.name = cg_strs_get(&graph->strs, track->name).ptr;
	track->info.process = cg_strs_get(&graph->strs, track->process).ptr;
	track->info.unit = cg_strs_get(&graph->strs, track->unit).ptr;
	if (!ok)
		return false;
	bytes = restart(track);
	if (track->unsorted)
		ok = sort_moments(graph, track, from, renumbered);
	track->unsorted = false;
	while (ok && cg_next_moment(from, &moment)) {
		moment.node = number_of(graph, renumbered, moment.node);
		if (graph->clamp)
			moment.cost =
			    cg_clamp_values(graph, moment.cost, moment.n, NULL);
		ok = pack(track, &moment);
	}
	cg_moments_free(from);
	free(bytes);
	return ok;
}

static int
compare_tracks(const void *pa, const void *pb)
{
	const struct cg_track_entry *a = pa, *b = pb;

	if (a->info.part != b->info.part)
		return a->info.part < b->info.part ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

bool
cg_tracks_seal(struct cg_graph *graph, bool renumbered)
{
	bool ok = true;

	if (graph->tracks > 0)
		qsort(graph->track, graph->tracks, sizeof(*graph->track),
		    compare_tracks);
	for (size_t i = 0; ok && i < graph->tracks; i++)
		ok = seal_track(graph, i, renumbered);
	return ok;
}

void
cg_tracks_clear(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->tracks; i++) {
		free(graph->track[i].bytes);
		free(graph->track[i].cost);
	}
	free(graph->track);
	graph->track = NULL;
	graph->tracks = graph->track_cap = 0;
}

bool
cg_track_move(
    struct cg_graph *graph, size_t number, cg_move_node *move, void *arg)
{
	struct cg_track_entry *track = &graph->track[number];
	struct cg_moments *from = cg_moments_new(graph, number);
	struct cg_moment moment;
	bool ok = from != NULL;
	uint8_t *bytes;

	if (!ok)
		return false;
	bytes = restart(track);
	while (ok && cg_next_moment(from, &moment))
		ok = move(arg, moment.node, &moment.node) &&
		     pack(track, &moment);
	cg_moments_free(from);
	free(bytes);
	return ok;
}
