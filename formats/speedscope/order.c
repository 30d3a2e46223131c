/*
 * order.c - writes a profile for each track: samples in the order of time, or
 * the begin and end of calls.
 *
 * speedscope's axis is the sum of weights. If costs and times have one unit, it
 * is time: samples without frames are gaps. Otherwise only the order of samples
 * is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

bool
speedscope_put_path(struct writer *w, uint32_t leaf)
{
	size_t depth = w->stack[leaf].depth, n = 0;

	if (!cg_grow_raw(&w->path, &w->path_cap, depth + 1, sizeof(*w->path)))
		return false;
	for (uint32_t at = leaf; at != 0; at = w->stack[at].parent)
		w->path[n++] = w->stack[at].key;
	cg_puts(w->out, n > 0 ? "[" : "[]");
	while (n > 0) {
		char *to = cg_out_reserve(w->out, CG_NUMBER_MAX + 1);

		to = cg_format_u64(to, w->path[--n]);
		*to++ = n > 0 ? ',' : ']';
		cg_out_advance(w->out, to);
	}
	return true;
}

/* ---- Which costs the tracks of a part have -------------------------------- */

static bool
has_cost(const struct cg_moment *moment)
{
	for (size_t i = 0; i < moment->n; i++)
		if (moment->cost[i] != 0)
			return true;
	return false;
}

bool
speedscope_mark_tracks(struct writer *w)
{
	for (size_t i = 0; i < cg_track_count(w->graph); i++) {
		struct cg_moments *moments = cg_moments_new(w->graph, i);
		struct cg_moment moment;

		if (!moments)
			return false;
		while (cg_next_moment(moments, &moment))
			w->used[moment.node] |=
			    cg_get_track(w->graph, i)->spans ||
			    has_cost(&moment);
		cg_moments_free(moments);
	}
	return true;
}

static bool
is_of_part(const struct writer *w, size_t track, cg_part part)
{
	return track < cg_track_count(w->graph) &&
	       cg_get_track(w->graph, track)->part == part;
}

/* The samples of the part's stacks. */
static uint64_t
count_samples(const struct writer *w, cg_part part)
{
	struct cg_stack_cost stack;
	uint64_t samples = 0;

	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &stack);)
		samples += stack.samples;
	return samples;
}

/* Sums the costs of the part's tracks. Parts come in their order. */
static bool
cover_part(struct writer *w, cg_part part)
{
	size_t events = cg_event_count(w->graph);

	if (w->has_covered && w->covered_part == part)
		return true;
	if (!w->covered)
		w->covered = calloc(events + 1, sizeof(*w->covered));
	if (!w->covered)
		return false;
	memset(w->covered, 0, (events + 1) * sizeof(*w->covered));
	while (w->first_track < cg_track_count(w->graph) &&
	       cg_get_track(w->graph, w->first_track)->part < part)
		w->first_track++;
	if (!cg_timed_costs(w->graph, part, w->covered))
		return false;
	w->samples = count_samples(w, part);
	w->entries = 0;
	w->has_covered = true;
	w->covered_part = part;
	return true;
}

bool
speedscope_has_order(struct writer *w, cg_part part, size_t event)
{
	if (cg_track_count(w->graph) == 0)
		return false;
	w->failed |= !cover_part(w, part);
	return !w->failed && is_of_part(w, w->first_track, part) &&
	       w->covered[event] == cg_part_totals(w->graph, part)[event];
}

/* ---- Samples ------------------------------------------------------------- */

struct profile {
	struct profile_head head;
	size_t track;
	bool is_time;     /* the axis */
	int64_t at;       /* on it */
	bool first;       /* no sample was written */
	uint64_t entries; /* gaps and samples */
	bool optional;
};

/* A moment's cost of the event; false: it has none, and is not written. */
static bool
get_cost(
    const struct profile *it, const struct cg_moment *moment, uint64_t *cost)
{
	size_t event = it->head.event;

	*cost = event < moment->n ? moment->cost[event] : 0;
	return *cost != 0;
}

/* The idle time before a sample, and where the sample ends. */
static uint64_t
advance(struct profile *it, const struct cg_moment *moment, uint64_t cost)
{
	uint64_t gap = 0;

	if (it->head.gaps && moment->time > it->at) {
		gap = (uint64_t)(moment->time - it->at);
		it->at = moment->time;
	}
	it->at = (int64_t)((uint64_t)it->at + cost);
	return gap;
}

static void
put_separator(struct writer *w, struct profile *it, const char *separator)
{
	if (!it->first)
		cg_puts(w->out, separator);
	it->first = false;
}

/* Calls put() for each gap and sample. */
static bool
walk_track(struct writer *w, struct profile *it,
    bool (*put)(struct writer *, struct profile *, uint32_t stack, uint64_t))
{
	struct cg_moments *moments = cg_moments_new(w->graph, it->track);
	struct cg_moment moment;
	uint64_t cost, gap;
	bool ok = moments != NULL;

	it->at = it->head.begin;
	it->first = true;
	while (ok && cg_next_moment(moments, &moment)) {
		if (!get_cost(it, &moment, &cost))
			continue;
		gap = advance(it, &moment, cost);
		ok = (gap == 0 || put(w, it, 0, gap)) &&
		     put(w, it, cg_merged_of(w->merged, moment.node), cost);
	}
	cg_moments_free(moments);
	return ok;
}

static bool
put_sample(
    struct writer *w, struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)weight;
	put_separator(w, it, ",\n");
	return speedscope_put_path(w, stack);
}

static bool
put_weight(
    struct writer *w, struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)stack;
	put_separator(w, it, ",");
	cg_putu(w->out, weight);
	return true;
}

/* Where the axis ends, and whether there are costs without a frame. */
static bool
measure(struct writer *w, struct profile *it, uint32_t stack, uint64_t weight)
{
	(void)w;
	(void)weight;
	it->first = it->first && stack != 0;
	it->entries += stack != 0;
	return true;
}

static bool
put_samples(struct writer *w, struct profile *it)
{
	/* Costs without a frame could not be told from gaps. */
	it->head.gaps = false;
	if (!walk_track(w, it, measure))
		return false;
	w->entries += it->entries;
	it->head.gaps = it->is_time && it->first;
	if (it->head.gaps && !walk_track(w, it, measure))
		return false;
	/* Without any, samples of bytes are no times when they are read. */
	it->head.gaps = it->head.gaps && !it->first;
	it->head.end = it->at;
	/* Other events may have all samples of the track. */
	if (it->entries == 0 && it->optional)
		return true;
	cg_puts(w->out, w->profiles++ ? ",\n" : "");
	if (!speedscope_put_head(w->graph, w->out, &it->head))
		return false;
	cg_puts(w->out, "\"samples\":[\n");
	if (!walk_track(w, it, put_sample))
		return false;
	cg_puts(w->out, "],\n\"weights\":[");
	if (!walk_track(w, it, put_weight))
		return false;
	cg_puts(w->out, "]}");
	return true;
}

/* ---- Spans --------------------------------------------------------------- */

static void
put_event(
    struct writer *w, struct profile *it, char type, uint32_t stack, int64_t at)
{
	char *to;

	put_separator(w, it, ",\n");
	cg_puts(w->out, type == 'O' ? "{\"type\":\"O\",\"frame\":"
				    : "{\"type\":\"C\",\"frame\":");
	cg_putu(w->out, w->stack[stack].key);
	cg_puts(w->out, ",\"at\":");
	to = cg_format_i64(cg_out_reserve(w->out, CG_NUMBER_MAX + 1), at);
	*to++ = '}';
	cg_out_advance(w->out, to);
}

/* Ends and begins calls until the stack is the other one. */
static bool
change_stack(struct writer *w, struct profile *it, uint32_t from, uint32_t to,
    int64_t at)
{
	size_t depth = w->stack[to].depth, n = 0;

	if (!cg_grow_raw(&w->path, &w->path_cap, depth + 1, sizeof(*w->path)))
		return false;
	while (from != to) {
		if (w->stack[from].depth >= w->stack[to].depth) {
			put_event(w, it, 'C', from, at);
			from = w->stack[from].parent;
		} else {
			w->path[n++] = to;
			to = w->stack[to].parent;
		}
	}
	while (n > 0)
		put_event(w, it, 'O', w->path[--n], at);
	return true;
}

static bool
put_spans(struct writer *w, struct profile *it)
{
	struct cg_moments *moments;
	struct cg_moment moment;
	uint32_t stack = 0;
	bool ok;

	cg_puts(w->out, w->profiles++ ? ",\n" : "");
	ok = speedscope_put_head(w->graph, w->out, &it->head);
	if (!ok || !(moments = cg_moments_new(w->graph, it->track)))
		return false;
	cg_puts(w->out, "\"events\":[\n");
	while (ok && cg_next_moment(moments, &moment)) {
		ok = change_stack(w, it, stack,
		    cg_merged_of(w->merged, moment.node), moment.time);
		stack = cg_merged_of(w->merged, moment.node);
	}
	cg_moments_free(moments);
	ok = ok && change_stack(w, it, stack, 0, it->head.end);
	cg_puts(w->out, "]}");
	return ok;
}

/* ---- Profiles ------------------------------------------------------------ */

/* How many moments of the part's tracks have costs of the event. */
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

/* True if the part's samples are as many as its costs, and not its moments. */
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

bool
speedscope_put_tracks(struct writer *w, cg_part part, size_t event, bool first)
{
	const char *unit = cg_get_event(w->graph, event)->unit;
	uint64_t total = cg_part_totals(w->graph, part)[event];
	/* Profiles of earlier events have counted them. */
	bool again = !first && w->entries >= w->samples;
	bool named = has_threads(w->graph);
	bool counted = first && are_weights_counts(w, part, event);

	for (size_t i = w->first_track; is_of_part(w, i, part); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);
		bool is_time = strcmp(unit, track->unit) == 0;
		struct profile it = { .head = { .part = part,
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
			.optional = i > w->first_track || total != 0,
			.first = true };

		if (track->spans && event != cg_span_event(w->graph, track))
			continue;
		if (w->in_order == 0 && it.is_time)
			w->in_order = w->profiles + 1;
		if (track->spans ? !put_spans(w, &it) : !put_samples(w, &it))
			return false;
	}
	return true;
}
