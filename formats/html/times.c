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
 * the number of its first track.
 *
 * If stacks have lines or addresses, the positions of each frame (spots) follow
 * each other, frame by frame:
 *
 *	spot_count				by frame (stacks.c)
 *	spot_up spot_file spot_line spot_high spot_low	by spot: that of its
 *						caller, counted from 0 in the
 *						caller's frame; position; the
 *						halves of its address, if the
 *						profile has any
 *
 * moment_spot counts from 0 in the frame, too. Only spots on the stacks of
 * moments are listed.
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
enum { UP, FILE_AT, LINE, HIGH, LOW, SPOT };

struct times {
	struct html_writer *w;
	const uint32_t *place; /* by node: its frame as listed by stacks.c */
	size_t frames;
	uint32_t *axis;        /* by track */
	int64_t *begin;        /* by axis */
	bool lines, addresses; /* in the page */
	struct cg_map lines_of, files_of, addresses_of, positions;
	struct cg_merged_stacks *merged; /* by position; NULL: there are none */
	size_t spots;
	bool *used;      /* by spot: on the stack of a moment */
	uint32_t *frame; /* by spot: its frame, as place */
	uint32_t *count; /* by frame: its spots */
	uint32_t *at;    /* by spot: number in its frame */
	cg_node *node;   /* by spot: a node that it stands for */
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

/* ---- Spots ---------------------------------------------------------------- */

/*
 * Returns the map's number for a key. A new key gets the number "new", which
 * must not be 0. 0: out of memory (reported).
 */
static uint32_t
number(struct times *t, struct cg_map *map, uint64_t key, uint32_t new)
{
	uint32_t *id = cg_map_in(t->w->job, map, key);

	if (id && *id == 0)
		*id = new;
	return id ? *id : 0;
}

/*
 * Returns the key by which nodes are merged to spots: the get_key() of
 * cg_merged_stacks_new(). Nodes of the same function and position have equal
 * keys, as far as the page has lines and addresses. The key is the function's
 * id or, with positions, the number of the first node with this position.
 */
static uint32_t
get_position(void *arg, cg_node node, const struct cg_stack *stack)
{
	struct times *t = arg;
	const struct cg_pos *pos = &stack->pos;
	uint32_t id = stack->fn;

	if (t->lines) {
		id = number(
		    t, &t->lines_of, (uint64_t)id << 32 | pos->line, node);
		id = number(
		    t, &t->files_of, (uint64_t)id << 32 | pos->file, node);
	}
	if (t->addresses)
		id = number(t, &t->positions,
		    (uint64_t)id << 32 |
			number(t, &t->addresses_of, pos->addr, node),
		    node);
	return id;
}

/*
 * Allocates t's arrays by spot or frame, all 0. A spot is a frame with a
 * position. Sets t->used for each spot on the stack of a moment. For each spot
 * but the first, sets t->frame to the frame in the page, and t->node to a node
 * of the graph, that the spot stands for. False: out of memory (reported).
 */
static bool
find_used(struct times *t)
{
	const struct cg_graph *graph = t->w->graph;
	const struct cg_merged_frame *spot =
	    cg_merged_frames(t->merged, &t->spots);
	struct cg_moment moment;

	t->used = cg_alloc(t->w->job, t->spots * sizeof(*t->used));
	t->frame = cg_alloc(t->w->job, t->spots * sizeof(*t->frame));
	t->at = cg_alloc(t->w->job, t->spots * sizeof(*t->at));
	t->node = cg_alloc(t->w->job, t->spots * sizeof(*t->node));
	t->count = cg_alloc(t->w->job, t->frames * sizeof(*t->count));
	if (!t->used || !t->frame || !t->at || !t->node || !t->count)
		return false;
	for (size_t i = 0; i < cg_track_count(graph); i++) {
		struct cg_moments *moments = cg_moments_new(graph, i);

		while (moments && cg_next_moment(moments, &moment))
			t->used[cg_merged_of(t->merged, moment.node)] = true;
		cg_moments_free(moments);
		if (!moments)
			return false;
	}
	for (size_t i = t->spots; i-- > 1;)
		t->used[spot[i].parent] |= t->used[i];
	for (cg_node node = 1; node <= cg_node_count(graph); node++) {
		uint32_t i = cg_merged_of(t->merged, node);

		t->node[i] = node;
		t->frame[i] = t->place[node];
	}
	return true;
}

/*
 * Numbers the used spots of each frame from 0 (t->at), and counts them
 * (t->count). A spot is a function at a position, with its callers. A spot
 * that --html-min dropped belongs to the frame of its caller. Gives such a
 * spot the number of the caller's spot, and clears t->used, so that the spot
 * is not listed.
 */
static void
number_spots(struct times *t)
{
	const struct cg_merged_frame *spot =
	    cg_merged_frames(t->merged, &t->spots);

	t->used[0] = true;
	t->count[0] = 1;
	for (size_t i = 1; i < t->spots; i++) {
		uint32_t parent = spot[i].parent;

		if (t->frame[parent] == t->frame[i]) {
			t->at[i] = t->at[parent];
			t->used[i] = false;
		} else if (t->used[i]) {
			t->at[i] = t->count[t->frame[i]]++;
		}
	}
}

static bool
add_spot(struct times *t, size_t i, struct html_column column[SPOT])
{
	struct html_writer *w = t->w;
	const struct cg_merged_frame *spot =
	    cg_merged_frames(t->merged, &t->spots);
	struct cg_stack stack = { 0 };

	if (i != 0)
		cg_get_node(w->graph, t->node[i], &stack);
	return html_add(w, &column[UP], t->at[spot[i].parent]) &&
	       html_add(w, &column[FILE_AT], html_file(w, stack.pos.file)) &&
	       html_add(w, &column[LINE], stack.pos.line) &&
	       (!t->addresses ||
		   (html_add(w, &column[HIGH], stack.pos.addr >> 32) &&
		       html_add(w, &column[LOW], (uint32_t)stack.pos.addr)));
}

static bool
put_spots(struct times *t)
{
	struct html_writer *w = t->w;
	struct html_column column[SPOT] = {
		[UP] = { .name = "spot_up", .type = HTML_NUMBER },
		[FILE_AT] = { .name = "spot_file", .type = HTML_DELTA },
		[LINE] = { .name = "spot_line", .type = HTML_DELTA },
		[HIGH] = { .name = "spot_high", .type = HTML_NUMBER },
		[LOW] = { .name = "spot_low", .type = HTML_NUMBER },
	};
	struct html_column count = { .name = "spot_count",
		.type = HTML_NUMBER };
	uint32_t *order = cg_alloc(w->job, t->spots * sizeof(*order));
	uint32_t *next = cg_alloc(w->job, (t->frames + 1) * sizeof(*next));
	uint32_t listed = 0;
	bool ok = order && next;

	for (size_t i = 0; ok && i < t->frames; i++) {
		next[i] = listed;
		listed += t->count[i];
		ok = html_add(w, &count, t->count[i]);
	}
	for (size_t i = 0; ok && i < t->spots; i++) {
		if (t->used[i])
			order[next[t->frame[i]]++] = (uint32_t)i;
	}
	for (uint32_t i = 0; ok && i < listed; i++)
		ok = add_spot(t, order[i], column);
	html_end(w, &count);
	html_end_columns(w, column, SPOT);
	return ok;
}

static bool
find_spots(struct times *t)
{
	t->lines = t->w->facts & CG_LINES;
	t->addresses = t->w->facts & CG_INSTRS;
	if (!t->lines && !t->addresses)
		return true;
	t->merged = cg_merged_stacks_new(t->w->graph, get_position, t);
	if (!t->merged || !find_used(t))
		return false;
	number_spots(t);
	return put_spots(t);
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
	    t->merged ? t->at[cg_merged_of(t->merged, moment->node)] : 0;

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
html_put_times(struct html_writer *w, const uint32_t *place, size_t frames)
{
	struct times t = { .w = w, .place = place, .frames = frames };
	bool ok;

	if (cg_track_count(w->graph) == 0)
		return true;
	ok = find_axes(&t) && find_spots(&t) && put_tracks(&t) &&
	     put_moments(&t);
	cg_merged_stacks_free(t.merged);
	return ok;
}
