/*
 * graph.c - a flame graph: frames stand on their callers, as wide as their
 * inclusive cost, the root at the bottom, siblings sorted by name.
 *
 * Frames narrower than --min-width are dropped with those on them, and the
 * picture says how many; the default is what zooming in cannot show.
 *
 * The way of the data: stacks of equal functions are merged (library), costs
 * become inclusive (sum_costs()), frames get positions (lay_out()), each frame
 * becomes a group with a rectangle and a text.
 */
#include <stdlib.h>
#include <string.h>

#include "svg.h"

/* A merged frame in the picture. */
struct box {
	uint64_t total, start; /* inclusive cost; the cost left of it */
	uint32_t depth;
};

struct writer {
	struct svg *svg;
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	size_t frames;
	uint64_t *cost;            /* self cost by frame */
	struct box *box;           /* by frame */
	uint32_t *waiting, *drawn; /* frames to visit; frames that are drawn */
	size_t shown;
	size_t dropped;        /* narrow frames */
	uint64_t dropped_cost; /* of those on frames that are drawn */
	uint32_t depth;
	struct sibling *group;
};

/* ---- Costs -------------------------------------------------------------- */

static uint32_t
get_key(void *arg, cg_node node, const struct cg_stack *stack)
{
	(void)arg;
	(void)node;
	return stack->fn;
}

/* Inclusive costs; callees have higher numbers than their callers. */
static bool
sum_costs(struct writer *w)
{
	bool ok = cg_merged_costs(w->merged, w->svg->column, w->cost);

	for (size_t i = w->frames; ok && i-- > 0;) {
		uint64_t *to = &w->box[w->frame[i].parent].total;

		w->box[i].total += w->cost[i];
		ok = w->box[i].total >= w->cost[i];
		if (i > 0 && __builtin_add_overflow(*to, w->box[i].total, to))
			ok = false;
	}
	return ok || cg_reject(w->svg->job,
			 "svg cannot represent costs of 2^64 and more");
}

static bool
merge_stacks(struct writer *w)
{
	w->merged = cg_merged_stacks_new(w->svg->graph, get_key, w);
	if (!w->merged)
		return cg_reject_nomem(w->svg->job);
	w->frame = cg_merged_frames(w->merged, &w->frames);
	w->cost = calloc(w->frames, sizeof(*w->cost));
	w->box = calloc(w->frames, sizeof(*w->box));
	if (!w->cost || !w->box)
		return cg_reject_nomem(w->svg->job);
	return sum_costs(w);
}

/* ---- The layout --------------------------------------------------------- */

struct sibling {
	struct cg_slice name;
	uint32_t frame;
};

static int
compare_siblings(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	return order ? order : (a->frame > b->frame) - (a->frame < b->frame);
}

/* The width of a cost in UNITs of a pixel. */
static uint64_t
pixels(const struct writer *w, uint64_t cost)
{
	uint64_t all = w->box[0].total;

	if (all == 0)
		return 0;
	return cg_mul_div(cost, (w->svg->width - 2 * SVG_PAD) * SVG_UNIT, all);
}

/* Puts the callees of a drawn frame side by side; wide ones are visited. */
static void
lay_out_children(struct writer *w, uint32_t parent, size_t *waiting)
{
	const uint32_t *child;
	size_t n = cg_merged_children(w->merged, parent, &child);
	uint64_t start = w->box[parent].start;

	for (size_t i = 0; i < n; i++)
		w->group[i] = (struct sibling){ cg_fn_name(w->svg->graph,
						    w->frame[child[i]].fn),
			child[i] };
	if (n > 1)
		qsort(w->group, n, sizeof(*w->group), compare_siblings);
	for (size_t i = 0; i < n; i++) {
		struct box *box = &w->box[w->group[i].frame];

		box->start = start;
		box->depth = w->box[parent].depth + 1;
		start += box->total;
		if (box->total == 0)
			continue;
		if (pixels(w, box->total) >= w->svg->least)
			w->waiting[(*waiting)++] = w->group[i].frame;
		else
			w->dropped_cost += box->total;
	}
}

static bool
lay_out(struct writer *w)
{
	size_t waiting = 1;

	w->waiting = calloc(w->frames, sizeof(*w->waiting));
	w->drawn = calloc(w->frames, sizeof(*w->drawn));
	w->group = calloc(w->frames, sizeof(*w->group));
	if (!w->waiting || !w->drawn || !w->group)
		return cg_reject_nomem(w->svg->job);
	w->waiting[0] = 0;
	while (waiting > 0) {
		uint32_t frame = w->waiting[--waiting];

		w->drawn[w->shown++] = frame;
		if (w->box[frame].depth > w->depth)
			w->depth = w->box[frame].depth;
		lay_out_children(w, frame, &waiting);
	}
	for (size_t i = 0; i < w->frames; i++)
		w->dropped += w->box[i].total > 0;
	w->dropped -= w->dropped > 0 ? w->shown : 0;
	return true;
}

/* ---- Writing ------------------------------------------------------------ */

static void
put_frame(struct writer *w, uint32_t id)
{
	const struct box *box = &w->box[id];
	uint64_t inner = (w->svg->width - 2 * SVG_PAD) * SVG_UNIT;
	uint64_t all = w->box[0].total;
	const struct cg_event *event = w->svg->event;
	const struct svg_box drawn = { .name = id ? svg_fn_name(
							w->svg, w->frame[id].fn)
						  : cg_slice("all"),
		.x = SVG_PAD * SVG_UNIT + pixels(w, box->start),
		.width = id ? pixels(w, box->total) : inner,
		.y = SVG_TOP + (w->depth - box->depth) * SVG_LEVEL };

	svg_begin_box(w->svg, &drawn);
	svg_put_number(w->svg, box->total);
	cg_putc(w->svg->out, ' ');
	cg_put_xml(
	    w->svg->out, cg_slice(*event->unit ? event->unit : event->name));
	cg_putf(w->svg->out, ", %.2f%%",
	    all ? 100 * ((double)box->total / (double)all) : 100.0);
	svg_end_box(w->svg, &drawn);
}

/* Says how much of the profile the picture lacks. */
static void
put_dropped(struct writer *w)
{
	if (w->dropped == 0)
		return;
	cg_puts(w->svg->out, "; dropped ");
	svg_put_number(w->svg, w->dropped);
	cg_putf(w->svg->out, " frame%s narrower than %s%s, together %.2f%%",
	    w->dropped == 1 ? "" : "s", w->svg->least_text,
	    w->svg->percent ? "" : " px",
	    100 * ((double)w->dropped_cost / (double)w->box[0].total));
}

static void
put_graph(struct writer *w)
{
	svg_begin(
	    w->svg, SVG_TOP + (w->depth + 1) * SVG_LEVEL + 10, "Flame graph");
	svg_put_total(w->svg, w->box[0].total);
	if (cg_stacks_guessed(w->svg->graph, CG_ALL_PARTS))
		cg_puts(w->svg->out, " (stacks are estimated from calls)");
	put_dropped(w);
	svg_end_details(w->svg);
	for (size_t i = 0; i < w->shown; i++)
		put_frame(w, w->drawn[i]);
	svg_end(w->svg);
}

void
svg_write_graph(struct svg *svg)
{
	struct writer w = { .svg = svg };

	if (merge_stacks(&w) && lay_out(&w))
		put_graph(&w);
	cg_merged_stacks_free(w.merged);
	free(w.cost);
	free(w.box);
	free(w.waiting);
	free(w.drawn);
	free(w.group);
}
