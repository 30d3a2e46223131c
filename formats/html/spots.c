/*
 * spots.c - the positions of frames as columns, if stacks have lines or
 * addresses: from them the page counts lines, calls and instructions again when
 * filters keep some stacks. The positions of each function that its frames have
 * (places) follow each other, and so do the positions of each frame (spots):
 *
 *	place_count				by function
 *	place_file place_line place_high place_low	by place; high, low: the
 *						halves of its address, if any
 *						stack has some: estimated ones
 *						have none
 *	spot_count				by frame (stacks.c)
 *	spot_place spot_up			by spot: its place, counted from
 *						0 in its function; the spot of
 *						its caller, counted from 0 in
 *						the caller's frame
 *	spot_self spot_samples			by spot but the first of each
 *						frame: what it has of node_self
 *						and node_samples
 *
 * Only spots on stacks with costs and on those of moments are listed.
 */
#include <string.h>

#include "cgconv_parse.h"
#include "html.h"

enum { COUNT, FILE_AT, LINE, HIGH, LOW, PLACE };
enum { SPOTS, PLACE_AT, UP, SPOT };

struct html_spots {
	struct html_writer *w;
	const uint32_t *place; /* by node: its frame as listed by stacks.c */
	size_t frames;
	bool lines, addresses; /* in the page */
	struct cg_map lines_of, files_of, addresses_of, positions;
	struct cg_merged_stacks *merged; /* by position */
	size_t spots;                    /* merged ones */
	bool *used;                      /* by spot: on a stack that counts */
	uint32_t *frame;                 /* by spot: its frame, as place */
	uint32_t *count;                 /* by frame: its spots */
	uint32_t *at;                    /* by spot: number in its frame */
	cg_node *node;   /* by spot: a node that it stands for */
	uint32_t *begin; /* by frame: its first spot, as listed; one more */
};

/* ---- Which there are ----------------------------------------------------- */

/*
 * Returns the map's number for a key. A new key gets the number "new", which
 * must not be 0. 0: out of memory (reported).
 */
static uint32_t
number(struct html_spots *s, struct cg_map *map, uint64_t key, uint32_t new)
{
	uint32_t *id = cg_map_in(s->w->job, map, key);

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
	struct html_spots *s = arg;
	const struct cg_pos *pos = &stack->pos;
	uint32_t id = stack->fn;

	if (s->lines) {
		id = number(
		    s, &s->lines_of, (uint64_t)id << 32 | pos->line, node);
		id = number(
		    s, &s->files_of, (uint64_t)id << 32 | pos->file, node);
	}
	if (s->addresses)
		id = number(s, &s->positions,
		    (uint64_t)id << 32 |
			number(s, &s->addresses_of, pos->addr, node),
		    node);
	return id;
}

static bool
mark_moments(struct html_spots *s, size_t track)
{
	struct cg_moments *moments = cg_moments_new(s->w->graph, track);
	struct cg_moment moment;

	while (moments && cg_next_moment(moments, &moment))
		s->used[cg_merged_of(s->merged, moment.node)] = true;
	cg_moments_free(moments);
	return moments != NULL;
}

/*
 * Allocates the arrays by spot or frame, all 0. A spot is a frame with a
 * position. Sets s->used for each spot on the stack of a cost or moment. For
 * each spot but the first, sets s->frame to the frame in the page, and s->node
 * to a node of the graph, that the spot stands for. False: out of memory
 * (reported).
 */
static bool
find_used(struct html_spots *s)
{
	const struct cg_graph *graph = s->w->graph;
	const struct cg_merged_frame *spot =
	    cg_merged_frames(s->merged, &s->spots);
	struct cg_stack_cost stack;
	bool ok;

	s->used = cg_alloc(s->w->job, s->spots * sizeof(*s->used));
	s->frame = cg_alloc(s->w->job, s->spots * sizeof(*s->frame));
	s->at = cg_alloc(s->w->job, s->spots * sizeof(*s->at));
	s->node = cg_alloc(s->w->job, s->spots * sizeof(*s->node));
	s->count = cg_alloc(s->w->job, s->frames * sizeof(*s->count));
	s->begin = cg_alloc(s->w->job, (s->frames + 1) * sizeof(*s->begin));
	ok = s->used && s->frame && s->at && s->node && s->count && s->begin;
	for (size_t i = 0;
	     ok && cg_next_stack(graph, CG_ALL_PARTS, &i, &stack);)
		s->used[cg_merged_of(s->merged, stack.leaf)] = true;
	for (size_t i = 0; ok && i < cg_track_count(graph); i++)
		ok = mark_moments(s, i);
	for (size_t i = s->spots; ok && i-- > 1;)
		s->used[spot[i].parent] |= s->used[i];
	for (cg_node node = 1; ok && node <= cg_node_count(graph); node++) {
		uint32_t i = cg_merged_of(s->merged, node);

		s->node[i] = node;
		s->frame[i] = s->place[node];
	}
	return ok;
}

/*
 * Numbers the used spots of each frame from 0 (s->at), and counts them
 * (s->count). A spot is a function at a position, with its callers. A spot
 * that --html-min dropped belongs to the frame of its caller. Gives such a
 * spot the number of the caller's spot, and clears s->used, so that the spot
 * is not listed.
 */
static void
number_spots(struct html_spots *s)
{
	const struct cg_merged_frame *spot =
	    cg_merged_frames(s->merged, &s->spots);

	s->used[0] = true;
	s->count[0] = 1;
	for (size_t i = 1; i < s->spots; i++) {
		uint32_t parent = spot[i].parent;

		if (s->frame[parent] == s->frame[i]) {
			s->at[i] = s->at[parent];
			s->used[i] = false;
		} else if (s->used[i]) {
			s->at[i] = s->count[s->frame[i]]++;
		}
	}
	for (size_t i = 0; i < s->frames; i++)
		s->begin[i + 1] = s->begin[i] + s->count[i];
}

bool
html_spots_new(struct html_writer *w, const uint32_t *place, size_t frames,
    struct html_spots **to)
{
	struct html_spots *s;

	*to = NULL;
	if (!(w->facts & (CG_LINES | CG_INSTRS)))
		return true;
	s = cg_alloc(w->job, sizeof(*s));
	if (!s)
		return false;
	s->w = w;
	s->place = place;
	s->frames = frames;
	s->lines = w->facts & CG_LINES;
	s->addresses = w->facts & CG_INSTRS;
	s->merged = cg_merged_stacks_new(w->graph, get_position, s);
	*to = s;
	if (!s->merged || !find_used(s))
		return false;
	number_spots(s);
	return true;
}

void
html_spots_free(struct html_spots *s)
{
	if (s)
		cg_merged_stacks_free(s->merged);
}

uint32_t
html_spot_in_frame(const struct html_spots *s, cg_node node)
{
	return s->at[cg_merged_of(s->merged, node)];
}

uint32_t
html_spot(const struct html_spots *s, cg_node node)
{
	return s->begin[s->place[node]] + html_spot_in_frame(s, node);
}

size_t
html_spot_count(const struct html_spots *s)
{
	return s->begin[s->frames];
}

/* ---- Columns ------------------------------------------------------------- */

/* Where a node is, and the index of its function in the page. */
struct position {
	uint32_t fn;
	struct cg_pos pos;
};

/* Places by function: their columns, and what finds those that are known. */
struct places {
	struct cg_map at;              /* by position: number, plus 1 */
	uint32_t *count;               /* by function: its places */
	CG_ARRAY(struct position) all; /* as they were found */
};

/*
 * Sets *at to the number of a node's position among those of its function,
 * which is a new one if the position is not known. False: out of memory
 * (reported).
 */
static bool
find_place(
    struct html_spots *s, struct places *places, cg_node node, uint32_t *at)
{
	struct html_writer *w = s->w;
	struct cg_stack stack = { 0 };
	uint32_t *known, fn;

	*at = 0;
	if (node == 0)
		return true;
	cg_get_node(w->graph, node, &stack);
	fn = w->rank[stack.fn];
	known = cg_map_in(w->job, &places->at, get_position(s, node, &stack));
	if (!known)
		return false;
	if (*known == 0) {
		*known = ++places->count[fn];
		if (!cg_append(w->job, &places->all,
			(struct position){ fn, stack.pos }))
			return false;
	}
	*at = *known - 1;
	return true;
}

static bool
add_place(struct html_spots *s, const struct cg_pos *pos,
    struct html_column column[PLACE])
{
	struct html_writer *w = s->w;

	return html_add(w, &column[FILE_AT], html_file(w, pos->file)) &&
	       html_add(w, &column[LINE], pos->line) &&
	       (!s->addresses ||
		   (html_add(w, &column[HIGH], pos->addr >> 32) &&
		       html_add(w, &column[LOW], (uint32_t)pos->addr)));
}

/* Writes the places, those of a function in the order in which they were found. */
static bool
put_places(struct html_spots *s, const struct places *places)
{
	struct html_writer *w = s->w;
	struct html_column column[PLACE] = {
		[COUNT] = { .name = "place_count", .type = HTML_NUMBER },
		[FILE_AT] = { .name = "place_file", .type = HTML_DELTA },
		[LINE] = { .name = "place_line", .type = HTML_DELTA },
		[HIGH] = { .name = "place_high", .type = HTML_NUMBER },
		[LOW] = { .name = "place_low", .type = HTML_TIME },
	};
	const size_t n = places->all.n;
	uint32_t *next = cg_alloc(w->job, (w->fns + 1) * sizeof(*next));
	uint32_t *order = cg_alloc(w->job, (n + 1) * sizeof(*order));
	bool ok = next && order, any = false;

	for (uint32_t fn = 0; ok && fn < w->fns; fn++) {
		next[fn + 1] = next[fn] + places->count[fn];
		ok = html_add(w, &column[COUNT], places->count[fn]);
	}
	for (uint32_t i = 0; ok && i < n; i++)
		order[next[places->all.at[i].fn]++] = i;
	for (size_t i = 0; ok && i < n; i++) {
		const struct cg_pos *pos = &places->all.at[order[i]].pos;

		ok = add_place(s, pos, column);
		any |= pos->addr != 0;
	}
	if (!any)
		column[HIGH].count = column[LOW].count = 0;
	html_end_columns(w, column, PLACE);
	return ok;
}

/*
 * Writes the costs of spots in an event, or their samples if that is the
 * number of events. sum has room for all spots. False: out of memory
 * (reported).
 */
static bool
put_self(struct html_spots *s, size_t event, uint64_t *sum)
{
	struct html_writer *w = s->w;
	const bool samples = event == w->events;
	struct html_column column = { .name = samples ? "spot_samples"
						      : "spot_self",
		.type = samples ? HTML_COST : html_cost_type(w, event) };
	struct cg_stack_cost stack;
	bool ok = true;

	memset(sum, 0, html_spot_count(s) * sizeof(*sum));
	/* Sums of frames, which have more, fit. */
	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);)
		sum[html_spot(s, stack.leaf)] += samples ? stack.samples
						 : event < stack.n
						     ? stack.cost[event]
						     : 0;
	for (size_t frame = 0; ok && frame < s->frames; frame++) {
		for (uint32_t i = s->begin[frame] + 1;
		     ok && i < s->begin[frame + 1]; i++)
			ok = html_add(w, &column, sum[i]);
	}
	html_end_at(w, &column, samples ? 0 : event);
	return ok;
}

static bool
put_costs(struct html_spots *s, bool samples)
{
	uint64_t *sum = cg_alloc(s->w->job, html_spot_count(s) * sizeof(*sum));
	bool ok = sum != NULL;

	for (size_t e = 0; ok && e < s->w->events + samples; e++)
		ok = put_self(s, e, sum);
	return ok;
}

bool
html_put_spots(struct html_spots *s, bool samples)
{
	struct html_writer *w = s->w;
	struct html_column column[SPOT] = {
		[SPOTS] = { .name = "spot_count", .type = HTML_NUMBER },
		[PLACE_AT] = { .name = "spot_place", .type = HTML_NUMBER },
		[UP] = { .name = "spot_up", .type = HTML_NUMBER },
	};
	const struct cg_merged_frame *spot =
	    cg_merged_frames(s->merged, &s->spots);
	const size_t listed = html_spot_count(s);
	struct places places = { 0 };
	uint32_t *order = cg_alloc(w->job, listed * sizeof(*order)), at;
	bool ok;

	places.count = cg_alloc(w->job, w->fns * sizeof(*places.count));
	ok = order && places.count;
	for (size_t i = 0; ok && i < s->frames; i++)
		ok = html_add(w, &column[SPOTS], s->count[i]);
	for (size_t i = 0; ok && i < s->spots; i++) {
		if (s->used[i])
			order[s->begin[s->frame[i]] + s->at[i]] = (uint32_t)i;
	}
	for (size_t i = 0; ok && i < listed; i++)
		ok = find_place(s, &places, s->node[order[i]], &at) &&
		     html_add(w, &column[PLACE_AT], at) &&
		     html_add(w, &column[UP], s->at[spot[order[i]].parent]);
	html_end_columns(w, column, SPOT);
	return ok && put_places(s, &places) && put_costs(s, samples);
}
