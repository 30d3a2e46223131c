/*
 * order.c - writes a profile for each track: samples in the order of time, or
 * the begin and end of calls.
 *
 * speedscope's axis is the sum of weights. If costs and times have the same
 * unit, the axis is time, and samples without frames are gaps. Otherwise only
 * the order of samples is kept.
 */
#include <string.h>

#include "write.h"

void
speedscope_put_path(struct writer *w, uint32_t leaf)
{
	size_t n = 0;

	for (uint32_t at = leaf; at != 0; at = w->stack[at].parent)
		w->path[n++] = w->stack[at].key;
	cg_puts(w->out, n > 0 ? "[" : "[]");
	while (n > 0) {
		char *to = cg_out_reserve(w->out, CG_NUMBER_MAX + 1);

		to = cg_format_u64(to, w->path[--n]);
		*to++ = n > 0 ? ',' : ']';
		cg_out_advance(w->out, to);
	}
}

/* ---- Which costs the tracks of a part have ------------------------------- */

static bool
has_cost(const struct cg_moment *moment)
{
	for (size_t i = 0; i < moment->n; i++)
		if (moment->cost[i] != 0)
			return true;
	return false;
}

void
speedscope_mark_tracks(struct writer *w)
{
	for (size_t i = 0; i < cg_track_count(w->graph); i++) {
		struct cg_moments *moments = cg_moments_new(w->graph, i);
		struct cg_moment moment;

		while (moments && cg_next_moment(moments, &moment))
			w->used[moment.node] |=
			    cg_get_track(w->graph, i)->spans ||
			    has_cost(&moment);
		cg_moments_free(moments);
	}
}

static bool
is_of_part(const struct writer *w, size_t track, cg_part part)
{
	return track < cg_track_count(w->graph) &&
	       cg_get_track(w->graph, track)->part == part;
}

/*
 * Returns the number of samples of all stacks of a part (process or thread).
 */
static uint64_t
count_samples(const struct writer *w, cg_part part)
{
	struct cg_stack_cost stack;
	uint64_t samples = 0;

	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &stack);)
		samples += stack.samples;
	return samples;
}

/*
 * Sets w->covered to the sums of costs in the part's timelines, by event. Also
 * sets w->samples, to those of its stacks, w->first_track and w->entries.
 * Parts must ascend; a repeated call does nothing.
 */
static void
cover_part(struct writer *w, cg_part part)
{
	size_t events = cg_event_count(w->graph);

	if (w->has_covered && w->covered_part == part)
		return;
	memset(w->covered, 0, (events + 1) * sizeof(*w->covered));
	while (w->first_track < cg_track_count(w->graph) &&
	       cg_get_track(w->graph, w->first_track)->part < part)
		w->first_track++;
	(void)cg_timed_costs(w->graph, part, w->covered);
	w->samples = count_samples(w, part);
	w->entries = 0;
	w->has_covered = true;
	w->covered_part = part;
}

bool
speedscope_has_order(struct writer *w, cg_part part, size_t event)
{
	if (cg_track_count(w->graph) == 0)
		return false;
	cover_part(w, part);
	return is_of_part(w, w->first_track, part) &&
	       w->covered[event] == cg_part_totals(w->graph, part)[event];
}

/* ---- A profile ----------------------------------------------------------- */

struct profile {
	struct writer *w;
	struct profile_head head;
	size_t track;
	bool is_time;     /* the axis */
	uint64_t entries; /* gaps and samples */
	bool optional;
	/* State from one moment to the next: */
	bool first;     /* nothing was written yet */
	int64_t at;     /* on the axis */
	uint32_t stack; /* the stack that is open */
};

static void
put_separator(struct profile *it, const char *separator)
{
	if (!it->first)
		cg_puts(it->w->out, separator);
	it->first = false;
}

/*
 * Starts a pass over the samples or calls of the track, in order of time.
 * Resets the pass's state in *it. Returns a cursor over the moments; the
 * caller frees it. NULL: out of memory (reported).
 */
static struct cg_moments *
begin_pass(struct profile *it)
{
	it->first = true;
	it->at = it->head.begin;
	it->stack = 0;
	return cg_moments_new(it->w->graph, it->track);
}

/* ---- Samples ------------------------------------------------------------- */

/*
 * Sets *cost to the cost of the profile's event in a moment (sample with a
 * time). False: it is 0, so the moment is not written.
 */
static bool
get_cost(
    const struct profile *it, const struct cg_moment *moment, uint64_t *cost)
{
	size_t event = it->head.event;

	*cost = event < moment->n ? moment->cost[event] : 0;
	return *cost != 0;
}

/*
 * Moves it->at, up to which the profile is written, to the end of a sample. A
 * sample lasts as long as its cost. Returns the idle time before the sample; 0
 * unless the profile has gaps.
 */
static uint64_t
advance(struct profile *it, const struct cg_moment *moment, uint64_t cost)
{
	int64_t *at = &it->at;
	uint64_t gap = 0;

	if (it->head.gaps && moment->time > *at) {
		gap = (uint64_t)(moment->time - *at);
		*at = moment->time;
	}
	*at = (int64_t)((uint64_t)*at + cost);
	return gap;
}

/*
 * Calls put() for each sample of the track with a cost of the profile's event,
 * in order of time. Also calls it for each gap between samples, with stack 0.
 */
static void
visit_samples(struct profile *it,
    void (*put)(struct profile *, uint32_t stack, uint64_t weight))
{
	struct cg_moments *moments = begin_pass(it);
	struct cg_moment moment;
	uint64_t cost, gap;

	while (moments && cg_next_moment(moments, &moment)) {
		if (!get_cost(it, &moment, &cost))
			continue;
		gap = advance(it, &moment, cost);
		if (gap != 0)
			put(it, 0, gap);
		put(it, cg_merged_of(it->w->merged, moment.node), cost);
	}
	cg_moments_free(moments);
}

static void
put_sample(struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)weight;
	put_separator(it, ",\n");
	speedscope_put_path(it->w, stack);
}

static void
put_weight(struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)stack;
	put_separator(it, ",");
	cg_putu(it->w->out, weight);
}

/*
 * Counts a sample in it->entries, unless it has no stack (0). A gap has no
 * stack, either. it->first is true before the pass. It stays true if there was
 * no gap and all samples had stacks. A callback of visit_samples().
 */
static void
count_entry(struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)weight;
	it->first = it->first && stack != 0;
	it->entries += stack != 0;
}

static void
put_samples(struct writer *w, struct profile *it)
{
	/*
	 * Gaps are written only if all costs have frames: both would look
	 * alike.
	 */
	it->head.gaps = false;
	visit_samples(it, count_entry);
	w->entries += it->entries;
	it->head.gaps = it->is_time && it->first;
	if (it->head.gaps)
		visit_samples(it, count_entry);
	/*
	 * Not if there is no gap: a reader would take samples of bytes for
	 * times.
	 */
	it->head.gaps = it->head.gaps && !it->first;
	it->head.end = it->at;
	/* Omit an empty optional profile: other events may have all samples. */
	if (it->entries == 0 && it->optional)
		return;
	cg_puts(w->out, w->profiles++ ? ",\n" : "");
	speedscope_put_head(w, &it->head);
	cg_puts(w->out, "\"samples\":[\n");
	visit_samples(it, put_sample);
	cg_puts(w->out, "],\n\"weights\":[");
	visit_samples(it, put_weight);
	cg_puts(w->out, "]}");
}

/* ---- Spans --------------------------------------------------------------- */

static void
put_event(struct profile *it, char type, uint32_t stack, int64_t at)
{
	struct writer *w = it->w;
	char *to;

	put_separator(it, ",\n");
	cg_puts(w->out, type == 'O' ? "{\"type\":\"O\",\"frame\":"
				    : "{\"type\":\"C\",\"frame\":");
	cg_putu(w->out, w->stack[stack].key);
	cg_puts(w->out, ",\"at\":");
	to = cg_format_i64(cg_out_reserve(w->out, CG_NUMBER_MAX + 1), at);
	*to++ = '}';
	cg_out_advance(w->out, to);
}

/*
 * Changes the stack of open calls (it->stack) to the stack "to". Writes the
 * ends and begins of calls, all at the time "at". First ends calls up to the
 * common callers of both stacks, then begins calls. w->path must have room for
 * the calls of the stack "to".
 */
static void
change_stack(struct profile *it, uint32_t to, int64_t at)
{
	struct writer *w = it->w;
	size_t n = 0;
	uint32_t from = it->stack;

	it->stack = to;
	while (from != to) {
		if (w->stack[from].depth >= w->stack[to].depth) {
			put_event(it, 'C', from, at);
			from = w->stack[from].parent;
		} else {
			w->path[n++] = to;
			to = w->stack[to].parent;
		}
	}
	while (n > 0)
		put_event(it, 'O', w->path[--n], at);
}

static void
put_spans(struct writer *w, struct profile *it)
{
	struct cg_moments *moments = begin_pass(it);
	struct cg_moment moment;

	cg_puts(w->out, w->profiles++ ? ",\n" : "");
	speedscope_put_head(w, &it->head);
	cg_puts(w->out, "\"events\":[\n");
	while (moments && cg_next_moment(moments, &moment))
		change_stack(
		    it, cg_merged_of(w->merged, moment.node), moment.time);
	change_stack(it, 0, it->head.end);
	cg_puts(w->out, "]}");
	cg_moments_free(moments);
}

/* ---- Profiles ------------------------------------------------------------ */

/*
 * Returns the number of moments (samples with a time), in all tracks of the
 * part, that have costs of the event. cover_part() must have set
 * w->first_track to the part's first track.
 */
static uint64_t
count_moments(struct writer *w, cg_part part, size_t event)
{
	uint64_t count = 0;

	for (size_t i = w->first_track; is_of_part(w, i, part); i++) {
		struct cg_moments *moments = cg_moments_new(w->graph, i);
		struct cg_moment moment;

		while (moments && cg_next_moment(moments, &moment))
			count += event < moment.n && moment.cost[event] != 0;
		cg_moments_free(moments);
	}
	return count;
}

/*
 * Returns true if weights must be marked as numbers of samples ("counted").
 * They must if the part's cost of the event equals its number of samples, but
 * some moments stand for several samples.
 */
static bool
are_weights_counts(struct writer *w, cg_part part, size_t event)
{
	return w->samples == cg_part_totals(w->graph, part)[event] &&
	       w->samples != count_moments(w, part, event);
}

static bool
has_threads(const struct cg_graph *graph)
{
	const struct cg_track *first = cg_get_track(graph, 0);

	for (size_t i = 1; i < cg_track_count(graph); i++) {
		const struct cg_track *track = cg_get_track(graph, i);

		if (track->pid != first->pid || track->tid != first->tid)
			return true;
	}
	return false;
}

void
speedscope_put_tracks(struct writer *w, cg_part part, size_t event, bool first)
{
	const char *unit = cg_get_event(w->graph, event)->unit;
	uint64_t total = cg_part_totals(w->graph, part)[event];
	/* Profiles of earlier events have counted all samples. */
	bool again = !first && w->entries >= w->samples;
	bool named = has_threads(w->graph);
	bool counted = first && are_weights_counts(w, part, event);

	for (size_t i = w->first_track; is_of_part(w, i, part); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);
		bool is_time = strcmp(unit, track->unit) == 0;
		struct profile it = { .w = w,
			.head = { .part = part,
			    .event = event,
			    .track = track,
			    .counted = counted,
			    .again = again,
			    .named = named,
			    .begin = is_time ? track->begin : 0,
			    .gaps = track->spans,
			    .end = track->end },
			.track = i,
			.is_time = is_time && *unit,
			.optional = i > w->first_track || total != 0 };

		if (track->spans && event != cg_span_event(w->graph, track))
			continue;
		if (event == w->main_event && i == w->main_track)
			w->active = w->profiles;
		if (track->spans)
			put_spans(w, &it);
		else
			put_samples(w, &it);
	}
}
