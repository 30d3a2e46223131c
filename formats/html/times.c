/*
 * times.c - timelines as columns, and what a selection in time is counted from.
 * Moments of all tracks follow each other:
 *
 *	track_part track_pid track_tid track_name track_process track_unit
 *	track_axis track_event track_spans track_begin track_end track_moments
 *						by track; the event whose costs
 *						are its times, plus 1; 0: none
 *	moment_time moment_node moment_spot moment_cost	by moment
 *
 * Times are from the begin of the track's axis; the tracks of an input have one,
 * the number of its first track. moment_spot is the number of the spot (spots.c)
 * in its frame, from 0.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

enum {
	PART,
	PID,
	TID,
	NAME,
	PROCESS,
	UNIT,
	AXIS,
	EVENT,
	SPANS,
	BEGIN,
	END,
	MOMENTS,
	TRACK
};
struct times {
	struct html_writer *w;
	const uint32_t *place; /* by node: its frame as listed by stacks.c */
	const struct html_spots *spots; /* NULL: there are none */
	uint32_t *axis;                 /* by track */
	int64_t *begin;                 /* by axis */
};

/* ---- Axes ---------------------------------------------------------------- */

/*
 * Returns true if the track's unit is time, in ns. All such tracks of one
 * input share a time axis.
 */
static bool
is_time(const struct cg_graph *graph, size_t track)
{
	return strcmp(cg_get_track(graph, track)->unit, "ns") == 0;
}

static bool
find_axes(struct times *t)
{
	const struct cg_graph *graph = t->w->graph;
	const size_t tracks = cg_track_count(graph);
	struct cg_map first = { 0 };

	t->axis = cg_alloc(t->w->job, (tracks + 1) * sizeof(*t->axis));
	t->begin = cg_alloc(t->w->job, (tracks + 1) * sizeof(*t->begin));
	if (!t->axis || !t->begin)
		return false;
	for (size_t i = 0; i < tracks; i++) {
		const int64_t begin = cg_get_track(graph, i)->begin;
		uint32_t *shared =
		    cg_map_in(t->w->job, &first, cg_track_input(graph, i));

		if (!shared)
			return false;
		t->begin[i] = begin;
		t->axis[i] = (uint32_t)i;
		if (is_time(graph, i) && *shared == 0)
			*shared = (uint32_t)i + 1;
		if (is_time(graph, i))
			t->axis[i] = *shared - 1;
		if (begin < t->begin[t->axis[i]])
			t->begin[t->axis[i]] = begin;
	}
	return true;
}

/* ---- Moments -------------------------------------------------------------- */

/* Columns that all moments leave at 0 are not written. */
struct moments {
	struct html_column time, node, spot, *cost;
	bool any_spot, any_cost;
};

static bool
add_moment(struct times *t, struct moments *m, size_t track,
    const struct cg_moment *moment)
{
	struct html_writer *w = t->w;
	uint32_t spot =
	    t->spots ? html_spot_in_frame(t->spots, moment->node) : 0;

	m->any_spot |= spot != 0;
	m->any_cost |= moment->n > 0;
	return html_add_signed(
		   w, &m->time, moment->time - t->begin[t->axis[track]]) &&
	       html_add(w, &m->node, t->place[moment->node]) &&
	       html_add(w, &m->spot, spot) &&
	       html_add_costs(w, m->cost, moment->cost, moment->n);
}

static bool
put_moments(struct times *t)
{
	struct html_writer *w = t->w;
	struct moments m = {
		.time = { .name = "moment_time", .type = HTML_TIME },
		.node = { .name = "moment_node", .type = HTML_DELTA },
		.spot = { .name = "moment_spot", .type = HTML_NUMBER },
		.cost = html_new_costs(w, "moment_cost"),
	};
	struct cg_moment moment;
	bool ok = m.cost != NULL;

	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		struct cg_moments *moments = cg_moments_new(w->graph, i);

		ok = moments != NULL;
		while (ok && cg_next_moment(moments, &moment))
			ok = add_moment(t, &m, i, &moment);
		cg_moments_free(moments);
	}
	if (!m.any_spot)
		m.spot.count = 0;
	for (size_t i = 0; m.cost && !m.any_cost && i < w->events; i++)
		m.cost[i].count = 0;
	html_end(w, &m.time);
	html_end(w, &m.node);
	html_end(w, &m.spot);
	html_end_costs(w, m.cost);
	return ok;
}

/* ---- Tracks --------------------------------------------------------------- */

static bool
add_track(struct times *t, struct html_column column[TRACK], size_t i)
{
	struct html_writer *w = t->w;
	const struct cg_track *track = cg_get_track(w->graph, i);
	const int64_t begin = t->begin[t->axis[i]];
	const size_t event = cg_span_event(w->graph, track);

	return html_add(w, &column[PART], track->part) &&
	       html_add(w, &column[PID], track->pid) &&
	       html_add(w, &column[TID], track->tid) &&
	       html_add_text(w, &column[NAME], cg_slice(track->name)) &&
	       html_add_text(w, &column[PROCESS], cg_slice(track->process)) &&
	       html_add_text(w, &column[UNIT], cg_slice(track->unit)) &&
	       html_add(w, &column[AXIS], t->axis[i]) &&
	       html_add(w, &column[EVENT],
		   *track->unit && event < w->events ? event + 1 : 0) &&
	       html_add(w, &column[SPANS], track->spans) &&
	       html_add_signed(w, &column[BEGIN], track->begin - begin) &&
	       html_add_signed(w, &column[END], track->end - begin) &&
	       html_add(w, &column[MOMENTS], track->moments);
}

static bool
put_tracks(struct times *t)
{
	struct html_column column[TRACK] = {
		[PART] = { .name = "track_part", .type = HTML_NUMBER },
		[PID] = { .name = "track_pid", .type = HTML_COST },
		[TID] = { .name = "track_tid", .type = HTML_COST },
		[NAME] = { .name = "track_name", .type = HTML_TEXT },
		[PROCESS] = { .name = "track_process", .type = HTML_TEXT },
		[UNIT] = { .name = "track_unit", .type = HTML_TEXT },
		[AXIS] = { .name = "track_axis", .type = HTML_NUMBER },
		[EVENT] = { .name = "track_event", .type = HTML_NUMBER },
		[SPANS] = { .name = "track_spans", .type = HTML_NUMBER },
		[BEGIN] = { .name = "track_begin", .type = HTML_SIGNED },
		[END] = { .name = "track_end", .type = HTML_SIGNED },
		[MOMENTS] = { .name = "track_moments", .type = HTML_COST },
	};
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(t->w->graph); i++)
		ok = add_track(t, column, i);
	html_end_columns(t->w, column, TRACK);
	return ok;
}

bool
html_put_times(struct html_writer *w, const uint32_t *place,
    const struct html_spots *spots)
{
	struct times t = { .w = w, .place = place, .spots = spots };

	return find_axes(&t) && put_tracks(&t) && put_moments(&t);
}
