/*
 * stacks.c - call stacks as columns.
 *
 * Frames of one function with the same callers are merged. They are listed
 * callers first, siblings by name, so that depths alone tell the tree:
 *
 *	node_depth node_fn node_self		by frame; the first is below all
 *	node_samples				by frame: its number of samples
 *	samples_event				1 + the event whose costs are these
 *						numbers; then node_samples is
 *						not written
 *	node_root				frames of processes or threads
 *						that are below functions
 *	part_nodes				by part, if there are several:
 *						rows of the next columns
 *	part_node part_node_cost		frame, or spot if there are any
 *						(spots.c), its self cost in the
 *						part
 *	part_node_samples			its samples, as in node_samples
 *
 * --html-min drops frames; the dropped callees of a frame become one frame of
 * no function with their inclusive cost.
 */
#include <stdlib.h>
#include <string.h>

#include "html.h"

struct sibling {
	struct cg_slice name;
	cg_fn fn;
	uint32_t frame;
};

struct stacks {
	struct html_writer *w;
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	size_t frames;
	uint64_t *self, *inclusive; /* of one event, by frame */
	bool *kept, *root;          /* by frame */
	uint32_t *rest; /* by frame: its first dropped callee, or 0 */
	uint32_t *order, *waiting; /* frames as listed; frames still to list */
	uint32_t *place;           /* by frame: its place in order */
	size_t listed;
	struct sibling *group;
	bool has_samples;         /* node_samples is written */
	struct html_spots *spots; /* NULL: there are none */
	uint32_t *node_place;     /* by node: its place */
};

static uint32_t
get_key(void *arg, cg_node node, const struct cg_stack *stack)
{
	(void)arg;
	(void)node;
	return stack->fn;
}

/* ---- Which frames are dropped ------------------------------------------- */

/*
 * Sets s->self and s->inclusive of each frame to its costs in one event,
 * whether the page drops the frame or not. False: a sum overflows (reported).
 */
static bool
sum_costs(struct stacks *s, size_t event)
{
	size_t size = s->frames * sizeof(*s->self);

	memset(s->self, 0, size);
	if (!cg_merged_costs(s->merged, event, s->self))
		return cg_reject(s->w->job,
		    "%s cannot represent costs of 2^64 and more",
		    cg_job_target(s->w->job)->name);
	memcpy(s->inclusive, s->self, size);
	for (size_t i = s->frames; i-- > 1;)
		s->inclusive[s->frame[i].parent] += s->inclusive[i];
	return true;
}

static bool
mark_kept(struct stacks *s)
{
	struct html_writer *w = s->w;

	if (w->least == 0) {
		memset(s->kept, true, s->frames * sizeof(*s->kept));
		return true;
	}
	s->kept[0] = true;
	for (size_t e = 0; e < w->events; e++) {
		if (!sum_costs(s, e))
			return false;
		for (size_t i = 1; i < s->frames; i++)
			s->kept[i] |= html_reaches(
			    w, e, s->inclusive[i], s->inclusive[0]);
	}
	/* Negative costs may make a callee cost more than its caller. */
	for (size_t i = s->frames; i-- > 1;) {
		uint32_t parent = s->frame[i].parent;

		s->kept[parent] |= s->kept[i];
		w->dropped_frames += !s->kept[i];
		if (!s->kept[i])
			s->rest[parent] = (uint32_t)i;
	}
	return true;
}

/* ---- The order of frames ------------------------------------------------ */

/*
 * Orders the callees of a frame for qsort() by name. Functions of one name are
 * ordered by their index in the page.
 */
static int
compare_siblings(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	return order ? order : (a->fn > b->fn) - (a->fn < b->fn);
}

/*
 * Appends a frame to s->order, and sets s->place[frame] to its index there.
 * Pushes the frame's callees on the stack s->waiting, which has *waiting
 * elements. The callee that sorts first is on top, so it is listed next.
 * Callees that --html-min dropped are not pushed. One frame, s->rest[frame],
 * is pushed for all of them, below the others. No callees are pushed for a
 * frame that is such a rest.
 */
static void
list_frame(struct stacks *s, uint32_t frame, size_t *waiting)
{
	const struct html_writer *w = s->w;
	const uint32_t *child;
	size_t n = cg_merged_children(s->merged, frame, &child), kept = 0;

	s->place[frame] = (uint32_t)s->listed;
	s->order[s->listed++] = frame;
	if (!s->kept[frame])
		return;
	for (size_t i = 0; i < n; i++) {
		cg_fn fn = s->frame[child[i]].fn;

		if (s->kept[child[i]])
			s->group[kept++] =
			    (struct sibling){ cg_fn_name(w->graph, fn),
				    w->rank[fn], child[i] };
	}
	if (kept > 1)
		qsort(s->group, kept, sizeof(*s->group), compare_siblings);
	if (s->rest[frame] != 0)
		s->waiting[(*waiting)++] = s->rest[frame];
	while (kept > 0)
		s->waiting[(*waiting)++] = s->group[--kept].frame;
}

static void
list_frames(struct stacks *s)
{
	size_t waiting = 1;

	s->waiting[0] = 0;
	while (waiting > 0)
		list_frame(s, s->waiting[--waiting], &waiting);
	/*
	 * Other dropped frames get the place of the frame that represents
	 * them.
	 */
	for (size_t i = 1; i < s->frames; i++) {
		uint32_t parent = s->frame[i].parent;

		if (!s->kept[i])
			s->place[i] = s->kept[parent]
					  ? s->place[s->rest[parent]]
					  : s->place[parent];
	}
}

/* ---- Columns ------------------------------------------------------------ */

/*
 * Sets s->self and s->inclusive of each frame to its costs in one event, as
 * sum_costs() does. --html-min drops callees of a frame. The first dropped
 * callee represents all of them: its inclusive cost becomes the sum of the
 * inclusive costs of all dropped callees of the frame. False: a sum overflows
 * (reported).
 */
static bool
add_self(struct stacks *s, size_t event)
{
	bool ok = sum_costs(s, event);

	for (size_t i = 1; ok && s->w->least > 0 && i < s->frames; i++) {
		uint32_t parent = s->frame[i].parent;

		if (!s->kept[i] && s->kept[parent] && s->rest[parent] != i)
			s->inclusive[s->rest[parent]] += s->inclusive[i];
	}
	return ok;
}

static uint64_t
self_at(const struct stacks *s, uint32_t frame)
{
	return s->kept[frame] ? s->self[frame] : s->inclusive[frame];
}

static bool
put_self(struct stacks *s, size_t event)
{
	struct html_column column = { .name = "node_self",
		.type = html_cost_type(s->w, event) };
	bool ok = add_self(s, event);

	for (size_t i = 0; ok && i < s->listed; i++)
		ok = html_add(s->w, &column, self_at(s, s->order[i]));
	html_end_at(s->w, &column, event);
	return ok;
}

/*
 * Writes how many samples end in each listed frame. The page counts calls by
 * these numbers. With most readers, the numbers are equal to the costs of one
 * event. Then writes only "samples_event", the event's index + 1. Otherwise
 * writes the numbers as an array (column) of the page, sets s->has_samples,
 * and writes 0 as "samples_event". If all numbers are 0, writes only the 0.
 * False: an error (reported).
 */
static bool
put_samples(struct stacks *s)
{
	struct html_column column = { .name = "node_samples",
		.type = HTML_COST };
	struct html_writer *w = s->w;
	uint64_t *samples = cg_alloc(w->job, s->listed * sizeof(*samples));
	struct cg_stack_cost stack;
	bool ok = samples != NULL, any = false;
	size_t same = 0;

	for (size_t i = 0;
	     ok && cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		samples[s->place[cg_merged_of(s->merged, stack.leaf)]] +=
		    stack.samples;
		any |= stack.samples > 0;
	}
	for (size_t e = 0; ok && any && same == 0 && e < w->events; e++) {
		ok = add_self(s, e);
		same = e + 1;
		for (size_t i = 0; i < s->listed; i++) {
			if (self_at(s, s->order[i]) != samples[i])
				same = 0;
		}
	}
	s->has_samples = any && same == 0;
	for (size_t i = 0; ok && s->has_samples && i < s->listed; i++)
		ok = html_add(w, &column, samples[i]);
	html_end(w, &column);
	return ok && html_put_number(w, "samples_event", same);
}

static bool
put_roots(struct stacks *s)
{
	struct html_column column = { .name = "node_root", .type = HTML_DELTA };
	bool ok = true;

	s->root[0] = true;
	for (size_t i = 1; ok && i < s->listed; i++) {
		uint32_t frame = s->order[i];
		const struct cg_merged_frame *at = &s->frame[frame];

		s->root[frame] =
		    s->root[at->parent] && cg_fn_is_root(s->w->graph, at->fn);
		if (s->root[frame])
			ok = html_add(s->w, &column, i);
	}
	html_end(s->w, &column);
	return ok;
}

static bool
put_frames(struct stacks *s)
{
	struct html_column depth = { .name = "node_depth", .type = HTML_DELTA };
	struct html_column fn = { .name = "node_fn", .type = HTML_NUMBER };
	struct html_writer *w = s->w;
	bool ok = true;

	for (size_t i = 0; ok && i < s->listed; i++) {
		uint32_t frame = s->order[i];
		cg_fn id = s->frame[frame].fn;

		ok = html_add(w, &depth, s->frame[frame].depth) &&
		     html_add(w, &fn, s->kept[frame] ? w->rank[id] : w->fns);
	}
	html_end(w, &depth);
	html_end(w, &fn);
	for (size_t e = 0; ok && e < w->events; e++)
		ok = put_self(s, e);
	return ok && put_samples(s) && put_roots(s);
}

/* ---- Parts -------------------------------------------------------------- */

static int
compare_places(const void *pa, const void *pb)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/*
 * Rows are spots, or frames if there are none. Returns their number, and that
 * of a row.
 */
static size_t
row_count(const struct stacks *s)
{
	return s->spots ? html_spot_count(s->spots) : s->listed;
}

static uint32_t
row_of(const struct stacks *s, cg_node leaf)
{
	return s->spots ? html_spot(s->spots, leaf) : s->node_place[leaf];
}

/* The rows of parts. */
struct part_rows {
	uint32_t *list; /* those of a part */
	bool *seen;     /* by row */
	uint64_t *sum;
};

static bool
open_part_rows(struct stacks *s, struct part_rows *rows)
{
	struct cg_job *job = s->w->job;
	const size_t n = row_count(s);

	rows->list = cg_alloc(job, n * sizeof(*rows->list));
	rows->seen = cg_alloc(job, n * sizeof(*rows->seen));
	rows->sum = cg_alloc(job, n * sizeof(*rows->sum));
	return rows->list && rows->seen && rows->sum;
}

/*
 * Finds the rows where stacks of the part end. Lists them in rows->list, sorted
 * and without duplicates, and returns how many there are. All elements of
 * rows->seen must be false, and are false again after the call.
 */
static size_t
list_rows(struct stacks *s, cg_part part, struct part_rows *rows)
{
	struct cg_stack_cost stack;
	size_t n = 0;

	for (size_t i = 0; cg_next_stack(s->w->graph, part, &i, &stack);) {
		uint32_t row = row_of(s, stack.leaf);

		if (!rows->seen[row])
			rows->list[n++] = row;
		rows->seen[row] = true;
	}
	qsort(rows->list, n, sizeof(*rows->list), compare_places);
	for (size_t i = 0; i < n; i++)
		rows->seen[rows->list[i]] = false;
	return n;
}

/*
 * Appends the part's costs in one event to a column. list_rows() has listed n
 * rows; each of them gets one element. If "event" is the number of events
 * (w->events), appends numbers of samples instead. False: out of memory
 * (reported).
 */
static bool
add_part_costs(struct stacks *s, cg_part part, size_t event,
    const struct part_rows *rows, size_t n, struct html_column *column)
{
	struct cg_stack_cost stack;
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		rows->sum[rows->list[i]] = 0;
	/* Sums of a part may wrap only if those of all parts do not fit. */
	for (size_t i = 0; cg_next_stack(s->w->graph, part, &i, &stack);) {
		uint64_t *to = &rows->sum[row_of(s, stack.leaf)];

		if (event == s->w->events)
			*to += stack.samples;
		else if (event < stack.n)
			*to += stack.cost[event];
	}
	for (size_t i = 0; ok && i < n; i++)
		ok = html_add(s->w, column, rows->sum[rows->list[i]]);
	return ok;
}

static bool
put_part_nodes(struct stacks *s)
{
	struct html_writer *w = s->w;
	struct html_column size = { .name = "part_nodes", .type = HTML_NUMBER };
	struct html_column node = { .name = "part_node", .type = HTML_DELTA };
	struct html_column samples = { .name = "part_node_samples",
		.type = HTML_COST };
	struct html_column *cost = html_new_costs(w, "part_node_cost");
	struct part_rows rows;
	bool ok = cost && open_part_rows(s, &rows);

	for (cg_part part = 0; ok && part < cg_part_count(w->graph); part++) {
		size_t n = list_rows(s, part, &rows);

		ok = html_add(w, &size, n);
		for (size_t i = 0; ok && i < n; i++)
			ok = html_add(w, &node, rows.list[i]);
		for (size_t e = 0; ok && e < w->events; e++)
			ok = add_part_costs(s, part, e, &rows, n, &cost[e]);
		if (ok && s->has_samples)
			ok = add_part_costs(
			    s, part, w->events, &rows, n, &samples);
	}
	html_end(w, &size);
	html_end(w, &node);
	html_end(w, &samples);
	html_end_costs(w, cost);
	return ok;
}

/* ---- Positions ----------------------------------------------------------- */

/*
 * Sets s->node_place and s->spots, and writes the columns of spots. False:
 * writing failed, and the failure was reported.
 */
static bool
put_spots(struct stacks *s)
{
	const size_t nodes = cg_node_count(s->w->graph) + 1;

	s->node_place = cg_alloc(s->w->job, nodes * sizeof(*s->node_place));
	if (!s->node_place)
		return false;
	for (cg_node node = 1; node < nodes; node++)
		s->node_place[node] = s->place[cg_merged_of(s->merged, node)];
	return html_spots_new(s->w, s->node_place, s->listed, &s->spots) &&
	       (!s->spots || html_put_spots(s->spots, s->has_samples));
}

/* ---- Labels -------------------------------------------------------------- */

static bool
put_labels(struct stacks *s)
{
	const size_t nodes = cg_node_count(s->w->graph) + 1;
	uint32_t *row;

	if (cg_labels_count(s->w->graph) == 0)
		return true;
	row = cg_alloc(s->w->job, nodes * sizeof(*row));
	for (cg_node node = 0; row && node < nodes; node++)
		row[node] = row_of(s, node);
	return row && html_put_labels(s->w, row, row_count(s), s->has_samples);
}

/* ---- All ---------------------------------------------------------------- */

static bool
open_stacks(struct stacks *s)
{
	size_t n;

	s->merged = cg_merged_stacks_new(s->w->graph, get_key, s);
	if (!s->merged)
		return false;
	s->frame = cg_merged_frames(s->merged, &s->frames);
	n = s->frames;
	s->self = cg_alloc(s->w->job, n * sizeof(*s->self));
	s->inclusive = cg_alloc(s->w->job, n * sizeof(*s->inclusive));
	s->kept = cg_alloc(s->w->job, n * sizeof(*s->kept));
	s->root = cg_alloc(s->w->job, n * sizeof(*s->root));
	s->rest = cg_alloc(s->w->job, n * sizeof(*s->rest));
	s->order = cg_alloc(s->w->job, n * sizeof(*s->order));
	s->waiting = cg_alloc(s->w->job, n * sizeof(*s->waiting));
	s->place = cg_alloc(s->w->job, n * sizeof(*s->place));
	s->group = cg_alloc(s->w->job, n * sizeof(*s->group));
	return s->self && s->inclusive && s->kept && s->root && s->rest &&
	       s->order && s->waiting && s->place && s->group;
}

bool
html_put_stacks(struct html_writer *w)
{
	struct stacks s = { .w = w };
	bool ok = open_stacks(&s) && mark_kept(&s);

	if (ok) {
		list_frames(&s);
		ok = html_begin_data(w, "stacks") && put_frames(&s) &&
		     put_spots(&s) && put_labels(&s) &&
		     (!w->parts || put_part_nodes(&s)) &&
		     (cg_track_count(w->graph) == 0 ||
			 html_put_times(w, s.node_place, s.spots)) &&
		     html_end_data(w) &&
		     html_put_number(w, "frames", s.listed) &&
		     html_put_number(w, "labels", cg_labels_count(w->graph)) &&
		     html_put_number(w, "tracks", cg_track_count(w->graph)) &&
		     html_put_number(w, "track_main",
			 cg_main_track(w->graph, cg_main_event(w->graph)));
	}
	html_spots_free(s.spots);
	cg_merged_stacks_free(s.merged);
	return ok;
}
