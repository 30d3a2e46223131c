/*
 * write.c - writes speedscope's files. speedscope.c describes the format.
 *
 * Writes one sampled profile for each part and event with costs, or one for
 * each track (order.c). Stacks that differ only in data that is not written
 * are merged.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

/* ---- Frames ------------------------------------------------------------- */

static bool
new_frame(
    struct writer *w, const struct cg_stack *stack, cg_file file, uint32_t line)
{
	struct cg_slice name = cg_fn_name(w->graph, stack->fn);

	return cg_append(w->job, &w->frame,
	    (struct frame){ .name = name.len > 0 ? name : cg_slice("[unknown]"),
		.file = cg_file_path(w->graph, file),
		.object =
		    cg_object_path(w->graph, cg_fn_object(w->graph, stack->fn)),
		.line = line,
		.inlined = stack->inlined,
		.id = (uint32_t)w->frame.n });
}

/*
 * Sets w->frame_of[node] to the id of the node's frame, which is added to
 * w->frame if it is new. A frame has one file, the function's if known; lines
 * in another are dropped. False: out of memory (reported).
 */
static bool
find_frame(struct writer *w, cg_node node)
{
	struct cg_stack stack;
	cg_file file;
	uint32_t *id, line;

	cg_get_node(w->graph, node, &stack);
	file = cg_fn_file(w->graph, stack.fn);
	line = stack.pos.line;
	if (file != 0 && stack.pos.file != file) {
		w->elsewhere += line != 0;
		line = 0;
	}
	if (file == 0)
		file = stack.pos.file;
	id = cg_map_in(w->job, &w->files, (uint64_t)stack.fn << 32 | file);
	if (!id)
		return false;
	if (*id == 0)
		*id = ++w->file_ids;
	id = cg_map_in(w->job, &w->lines,
	    ((uint64_t)*id << 1 | stack.inlined) << 32 | line);
	if (!id || (*id == 0 && !new_frame(w, &stack, file, line)))
		return false;
	if (*id == 0)
		*id = (uint32_t)w->frame.n;
	w->frame_of[node] = *id - 1;
	return true;
}

static int
compare_frames(const void *pa, const void *pb)
{
	const struct frame *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	if (order == 0)
		order = cg_compare(a->file, b->file);
	if (order == 0)
		order = (a->line > b->line) - (a->line < b->line);
	if (order == 0)
		order = cg_compare(a->object, b->object);
	return order ? order : a->inlined - b->inlined;
}

static void
put_frame(struct writer *w, const struct frame *frame)
{
	cg_puts(w->out, "{\"name\":");
	cg_put_json(w->out, frame->name);
	if (frame->file.len > 0) {
		cg_puts(w->out, ",\"file\":");
		cg_put_json(w->out, frame->file);
	}
	if (frame->line != 0) {
		cg_puts(w->out, ",\"line\":");
		cg_putu(w->out, frame->line);
	}
	if (frame->object.len > 0) {
		cg_puts(w->out, ",\"cgconv\":{\"object\":");
		cg_put_json(w->out, frame->object);
		cg_puts(w->out, frame->inlined ? ",\"inlined\":true}" : "}");
	} else if (frame->inlined) {
		cg_puts(w->out, ",\"cgconv\":{\"inlined\":true}");
	}
	cg_putc(w->out, '}');
}

/*
 * Sets w->used for the nodes of stacks that have costs or are in timelines.
 * Sets it for their callers, too. Other nodes are not written.
 */
static void
mark_used(struct writer *w, size_t nodes)
{
	struct cg_stack_cost cost;
	struct cg_stack stack;

	for (size_t i = 0; cg_next_stack(w->graph, CG_ALL_PARTS, &i, &cost);) {
		for (size_t event = 0; event < cost.n; event++)
			w->used[cost.leaf] |= cost.cost[event] != 0;
	}
	speedscope_mark_tracks(w);
	for (cg_node node = (cg_node)nodes - 1; node > 0; node--) {
		cg_get_node(w->graph, node, &stack);
		w->used[stack.parent] |= w->used[node];
	}
}

/*
 * Writes the sorted array of frames. Only the frames of stacks that will be
 * written are in it. Of frames with equal fields, writes one. Sets
 * w->frame_of[node] to the index of the node's frame in the array. False: an
 * error (reported).
 */
static bool
put_frames(struct writer *w)
{
	size_t nodes = cg_node_count(w->graph) + 1;
	uint32_t *number, count = 0;
	struct frame *frame;

	w->frame_of = cg_alloc(w->job, nodes * sizeof(*w->frame_of));
	w->used = cg_alloc(w->job, nodes * sizeof(*w->used));
	if (!w->frame_of || !w->used)
		return false;
	mark_used(w, nodes);
	for (cg_node node = 1; node < nodes; node++) {
		if (w->used[node] && !find_frame(w, node))
			return false;
	}
	frame = w->frame.at;
	number = cg_alloc(w->job, (w->frame.n + 1) * sizeof(*number));
	if (!number)
		return false;
	if (w->frame.n > 0)
		qsort(frame, w->frame.n, sizeof(*frame), compare_frames);
	for (size_t i = 0; i < w->frame.n; i++) {
		if (i == 0 || compare_frames(&frame[i - 1], &frame[i]) != 0) {
			cg_puts(w->out, count++ ? ",\n" : "\n");
			put_frame(w, &frame[i]);
		}
		number[frame[i].id] = count - 1;
	}
	for (cg_node node = 1; node < nodes; node++)
		w->frame_of[node] = number[w->frame_of[node]];
	return true;
}

/* ---- The tree ----------------------------------------------------------- */

static uint32_t
get_frame(void *arg, cg_node node, const struct cg_stack *stack)
{
	const struct writer *w = arg;

	(void)stack;
	return w->frame_of[node];
}

static bool
merge_stacks(struct writer *w)
{
	size_t count, n = 1;

	w->merged = cg_merged_stacks_new(w->graph, get_frame, w);
	if (!w->merged)
		return false;
	w->stack = cg_merged_frames(w->merged, &count);
	w->order = cg_alloc(w->job, count * sizeof(*w->order));
	w->rank_of = cg_alloc(w->job, count * sizeof(*w->rank_of));
	w->cost = cg_alloc(w->job, count * sizeof(*w->cost));
	w->count = cg_alloc(w->job, count * sizeof(*w->count));
	w->rank = cg_alloc(w->job, count * sizeof(*w->rank));
	if (!w->order || !w->rank_of || !w->cost || !w->count || !w->rank)
		return false;
	/* Level by level: callees come after all stacks of the level above. */
	for (uint32_t rank = 0; rank < n; rank++) {
		const uint32_t *child;
		size_t called =
		    cg_merged_children(w->merged, w->order[rank], &child);

		for (size_t i = 0; i < called; i++) {
			w->rank_of[child[i]] = (uint32_t)n;
			w->order[n++] = child[i];
		}
	}
	/* The last stack is of the deepest level. */
	w->path = cg_alloc(
	    w->job, (w->stack[w->order[n - 1]].depth + 1) * sizeof(*w->path));
	w->covered = cg_alloc(
	    w->job, (cg_event_count(w->graph) + 1) * sizeof(*w->covered));
	return w->path && w->covered;
}

/* ---- Profiles ----------------------------------------------------------- */

/* How a profile states the numbers of samples of its stacks. */
enum counts { COUNTS_USUAL, COUNTS_ARE_WEIGHTS, COUNTS_LISTED };

static enum counts
how_counted(const struct writer *w, bool first)
{
	bool usual = true, weights = true;

	for (size_t i = 0; i < w->ranks; i++) {
		uint32_t at = w->order[w->rank[i]];

		usual &= w->count[at] == first;
		weights &= w->count[at] == w->cost[at];
	}
	return usual     ? COUNTS_USUAL
	       : weights ? COUNTS_ARE_WEIGHTS
			 : COUNTS_LISTED;
}

static int
compare_ranks(const void *pa, const void *pb)
{
	const uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return (a > b) - (a < b);
}

/*
 * Returns true if the stack has no cost of an event before this one. Samples
 * are counted only in the profile of a stack's first event.
 */
static bool
is_first_cost(const struct cg_stack_cost *stack, size_t event)
{
	for (size_t i = 0; i < event; i++) {
		if (stack->cost[i] != 0)
			return false;
	}
	return true;
}

/*
 * Adds the event's costs, and the samples, of a part to w->cost and w->count
 * by merged stack. Both must be 0. Omits samples of stacks with a cost in an
 * earlier event. Lists the stacks' ranks, sorted, in w->rank.
 */
static void
sum_costs(struct writer *w, cg_part part, size_t event)
{
	struct cg_stack_cost stack;

	w->ranks = 0;
	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &stack);) {
		uint32_t at = cg_merged_of(w->merged, stack.leaf);

		if (event >= stack.n || stack.cost[event] == 0)
			continue;
		if (w->cost[at] == 0)
			w->rank[w->ranks++] = w->rank_of[at];
		/* Cannot overflow, as the part's total fits. */
		w->cost[at] += stack.cost[event];
		if (is_first_cost(&stack, event) &&
		    __builtin_add_overflow(
			w->count[at], stack.samples, &w->count[at]))
			w->count[at] = UINT64_MAX;
	}
	qsort(w->rank, w->ranks, sizeof(*w->rank), compare_ranks);
}

static void
put_samples(struct writer *w)
{
	cg_puts(w->out, "\"samples\":[");
	for (size_t i = 0; i < w->ranks; i++) {
		cg_puts(w->out, i > 0 ? ",\n" : "\n");
		speedscope_put_path(w, w->order[w->rank[i]]);
	}
	cg_putc(w->out, ']');
}

/*
 * Writes an array under a key, with a number for each sample (stack with
 * costs) of the profile. The order is that of w->rank. number[] has the
 * numbers by merged stack.
 */
static void
put_numbers(struct writer *w, const char *key, uint64_t *number)
{
	cg_putf(w->out, ",\n\"%s\":[", key);
	for (size_t i = 0; i < w->ranks; i++) {
		uint64_t *value = &number[w->order[w->rank[i]]];

		if (i > 0)
			cg_putc(w->out, ',');
		cg_putu(w->out, *value);
	}
	cg_putc(w->out, ']');
}

static void
clear_costs(struct writer *w)
{
	for (size_t i = 0; i < w->ranks; i++) {
		uint32_t at = w->order[w->rank[i]];

		w->cost[at] = w->count[at] = 0;
	}
}

static void
put_profile(struct writer *w, cg_part part, size_t event, bool first)
{
	enum counts counts;

	sum_costs(w, part, event);
	counts = how_counted(w, first);
	if (event == w->main_event && part == w->main_part)
		w->active = w->profiles;
	cg_puts(w->out, w->profiles++ ? ",\n" : "");
	speedscope_put_head(
	    w, &(const struct profile_head){ .part = part,
		   .event = event,
		   .counted = counts == COUNTS_ARE_WEIGHTS,
		   .end = (int64_t)cg_part_totals(w->graph, part)[event] });
	put_samples(w);
	put_numbers(w, "weights", w->cost);
	if (counts == COUNTS_LISTED)
		put_numbers(w, "counts", w->count);
	cg_putc(w->out, '}');
	clear_costs(w);
	w->entries = w->samples; /* all are counted */
}

/*
 * Finds the profile that speedscope shows first: the one with the highest cost
 * of the main event. Sets w->main_event, w->main_track and w->main_part.
 * Leaves them if there are no events.
 */
static void
find_main(struct writer *w)
{
	if (cg_event_count(w->graph) == 0)
		return;
	w->main_event = cg_main_event(w->graph);
	w->main_track = cg_main_track(w->graph, w->main_event);
	w->main_part = cg_track_count(w->graph) > 0
			   ? cg_get_track(w->graph, w->main_track)->part
			   : cg_main_part(w->graph, w->main_event);
}

static void
put_profiles(struct writer *w)
{
	size_t events = cg_event_count(w->graph);
	size_t parts = cg_part_count(w->graph);

	find_main(w);
	for (cg_part part = 0; part < parts; part++) {
		bool first = true;

		for (size_t i = 0; i < events; i++) {
			uint64_t total = cg_part_totals(w->graph, part)[i];

			/* Skip empty profiles, but write at least one. */
			if (total == 0 && (parts > 1 || events > 1))
				continue;
			if (speedscope_has_order(w, part, i))
				speedscope_put_tracks(w, part, i, first);
			else
				put_profile(w, part, i, first);
			first = false;
		}
	}
}

int
speedscope_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	bool ok;

	cg_puts(out, "{\"$schema\":\"" SPEEDSCOPE_SCHEMA "\",\n"
		     "\"exporter\":\"cgconv " CG_VERSION "\",\n"
		     "\"shared\":{\"frames\":[");
	ok = put_frames(&w);
	cg_puts(out, "]},\n\"profiles\":[");
	if (ok && merge_stacks(&w))
		put_profiles(&w);
	cg_puts(out, "]");
	if (w.active > 0)
		cg_putf(out, ",\n\"activeProfileIndex\":%zu", w.active);
	cg_puts(out, "}\n");
	cg_merged_stacks_free(w.merged);
	if (w.profiles == 0)
		return cg_lacks(
		    job, "speedscope needs costs; the input has none");
	if (w.elsewhere > 0)
		cg_warn(job,
		    "lines of frames in other files than their functions are "
		    "dropped: %zu",
		    w.elsewhere);
	return cg_out_status(out);
}
