/*
 * graph.c - a flame graph: frames are on top of their callers, as wide as
 * their inclusive cost, the root at the bottom, siblings sorted by name. For a
 * difference, colours show how much each function's own cost changed.
 *
 * Frames narrower than --min-width are dropped, with the frames on top of
 * them: browsers take time for each frame. The picture and a note say how many
 * and what they cost; the script counts those of the frame that it zooms to.
 *
 * The way of the data: stacks of equal functions are merged (tree.c), frames
 * get positions (lay_out()), each becomes a group with a rectangle and a text.
 */
#include <stdlib.h>

#include "svg.h"

/* A frame in the picture. */
struct box {
	uint64_t start; /* the cost left of it */
	uint32_t depth;
	uint32_t undrawn; /* dropped frames on it, up to the next drawn one */
	bool drawn;
};

struct writer {
	struct svg *svg;
	struct svg_tree tree;
	struct box *box;           /* by frame */
	uint32_t *waiting, *drawn; /* frames to visit; frames that are drawn */
	size_t shown;
	size_t dropped;         /* narrow frames */
	uint64_t dropped_cost;  /* of dropped frames on top of drawn frames */
	uint64_t dropped_other; /* the same, on the other side */
	uint64_t absent;        /* cost of the other side in undrawn frames */
	uint64_t largest;       /* the largest change */
	uint32_t depth;
	struct sibling *group;
};

static uint64_t
total_of(const struct writer *w, uint32_t frame)
{
	return w->tree.cost.at[frame].total[0];
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

/*
 * Returns the width of a cost in SVG_UNITs (millionths) of a pixel; the total
 * cost has the width of the whole graph. 0 if the total is 0.
 */
static uint64_t
pixels(const struct writer *w, uint64_t cost)
{
	uint64_t all = total_of(w, 0);

	if (all == 0)
		return 0;
	return cg_mul_div(cost, (w->svg->width - 2 * SVG_PAD) * SVG_UNIT, all);
}

/*
 * Places the callees of a drawn frame side by side, sorted by name. Their
 * widths are their costs in the drawn profile. Appends wide ones to
 * w->waiting, the *waiting frames to visit. Adds the costs of narrow ones to
 * w->dropped_cost. Callees without a width may have costs in the other profile
 * of a difference: adds these to w->absent.
 */
static void
lay_out_children(struct writer *w, uint32_t parent, size_t *waiting)
{
	const uint32_t *child;
	size_t n = svg_tree_children(&w->tree, parent, &child);
	uint64_t start = w->box[parent].start;

	for (size_t i = 0; i < n; i++)
		w->group[i] = (struct sibling){ cg_fn_name(w->svg->graph,
						    w->tree.frame[child[i]].fn),
			child[i] };
	if (n > 1)
		qsort(w->group, n, sizeof(*w->group), compare_siblings);
	for (size_t i = 0; i < n; i++) {
		uint32_t frame = w->group[i].frame;
		uint64_t total = total_of(w, frame);

		w->box[frame] = (struct box){ .start = start,
			.depth = w->box[parent].depth + 1 };
		start += total;
		if (total == 0)
			w->absent += w->tree.cost.at[frame].total[1];
		else if (pixels(w, total) >= w->svg->least)
			w->waiting[(*waiting)++] = frame;
		else {
			w->dropped_cost += total;
			w->dropped_other += w->tree.cost.at[frame].total[1];
		}
	}
}

/*
 * Counts dropped frames, which have a cost but are not drawn: all in
 * w->dropped, and those on each frame in its box.undrawn. Goes from callees to
 * callers: parents have lower numbers than their children.
 */
static void
count_undrawn(struct writer *w)
{
	for (size_t i = w->tree.frames; i-- > 1;) {
		struct box *box = &w->box[i];

		if (box->drawn || total_of(w, (uint32_t)i) == 0)
			continue;
		w->dropped++;
		w->box[w->tree.frame[i].parent].undrawn += 1 + box->undrawn;
	}
}

static bool
lay_out(struct writer *w)
{
	struct cg_job *job = w->svg->job;
	size_t waiting = 1, frames = w->tree.frames;

	w->box = cg_alloc(job, frames * sizeof(*w->box));
	w->waiting = cg_alloc(job, frames * sizeof(*w->waiting));
	w->drawn = cg_alloc(job, frames * sizeof(*w->drawn));
	w->group = cg_alloc(job, frames * sizeof(*w->group));
	if (!w->box || !w->waiting || !w->drawn || !w->group)
		return false;
	w->waiting[0] = 0;
	while (waiting > 0) {
		uint32_t frame = w->waiting[--waiting];

		w->drawn[w->shown++] = frame;
		w->box[frame].drawn = true;
		if (w->box[frame].depth > w->depth)
			w->depth = w->box[frame].depth;
		lay_out_children(w, frame, &waiting);
	}
	count_undrawn(w);
	return true;
}

/* ---- Changes ------------------------------------------------------------ */

/*
 * Sets side[0] to a frame's cost before the change, and side[1] to its cost
 * after it. The difference decides the frame's colour. Takes self costs, as
 * flamegraph.pl does. For reversed stacks, takes inclusive costs, as only the
 * first frames have self costs there.
 */
static void
get_change(const struct writer *w, uint32_t frame, uint64_t side[2])
{
	const struct svg_cost *cost = &w->tree.cost.at[frame];
	const uint64_t *from = w->svg->reversed ? cost->total : cost->self;

	side[0] = from[w->svg->negate ? 0 : 1];
	side[1] = from[w->svg->negate ? 1 : 0];
}

static uint64_t
change_size(const uint64_t side[2])
{
	return side[1] > side[0] ? side[1] - side[0] : side[0] - side[1];
}

/*
 * Sets w->largest, the largest change of any frame, to which colours are
 * relative; frame 0, the whole, does not count. Leaves it 0 if the picture
 * shows no change.
 */
static void
find_largest(struct writer *w)
{
	uint64_t side[2];

	for (uint32_t i = 1; w->svg->change && i < w->tree.frames; i++) {
		get_change(w, i, side);
		if (change_size(side) > w->largest)
			w->largest = change_size(side);
	}
}

/*
 * Returns the function whose self costs decide a frame's colour. It is the
 * frame's own function. In reversed stacks it is the function of the leaf,
 * which is the outermost frame there.
 */
static cg_fn
judged_fn(const struct writer *w, uint32_t frame)
{
	const struct cg_merged_frame *frames = w->tree.frame;

	while (w->svg->reversed && frame != 0 && frames[frame].parent != 0)
		frame = frames[frame].parent;
	return frames[frame].fn;
}

/*
 * Writes the verdict on the change of a frame, "; self: real change ...". It
 * is the verdict on the self cost of the function that judged_fn() returns.
 * For the root it is that on the total. Writes nothing if there is no
 * judgement, nor for the unknown function, which is not compared.
 */
static void
put_judged(struct writer *w, uint32_t frame)
{
	cg_fn fn = frame ? judged_fn(w, frame) : 0;
	struct cg_judged judged;

	if (!w->svg->judgement)
		return;
	judged = frame ? svg_judged(w->svg, fn) : w->svg->judgement->total;
	if (fn == 0 && judged.verdict == CG_NOT_COMPARED)
		return;
	cg_puts(w->svg->out, fn ? "; self" : "; ");
	if (fn != w->tree.frame[frame].fn) {
		cg_puts(w->svg->out, " of ");
		cg_put_xml(w->svg->out, svg_fn_name(w->svg, fn));
	}
	cg_puts(w->svg->out, fn ? ": " : "");
	svg_put_judged(w->svg, &judged);
}

static enum svg_change
change_of(const struct writer *w, uint32_t frame, const uint64_t side[2])
{
	if (w->svg->judgement &&
	    svg_judged(w->svg, judged_fn(w, frame)).verdict != CG_REAL)
		return SVG_NOISE;
	return side[1] < side[0] ? SVG_SHRANK : SVG_GREW;
}

/*
 * Writes a frame's change as text for its title: "; before 20, change +15
 * (+75.00%), self +3". With svg->negate, writes the cost after the change
 * instead, as "; after 35". Omits the percentage if the cost was 0 before.
 * Omits the change of self costs for the root and in reversed stacks.
 */
static void
put_change(struct writer *w, uint32_t frame)
{
	const struct svg_cost *cost = &w->tree.cost.at[frame];
	struct svg *svg = w->svg;
	uint64_t before = cost->total[svg->negate ? 0 : 1];
	uint64_t after = cost->total[svg->negate ? 1 : 0], side[2];

	cg_puts(svg->out, svg->negate ? "; after " : "; before ");
	svg_put_cost(svg, cost->total[1]);
	cg_puts(svg->out, ", change ");
	svg_put_change(svg, before, after);
	if (before > 0)
		cg_putf(svg->out, " (%+.2f%%)",
		    100 * (((double)after - (double)before) / (double)before));
	if (frame == 0 || svg->reversed)
		return;
	get_change(w, frame, side);
	cg_puts(svg->out, ", self ");
	svg_put_change(svg, side[0], side[1]);
}

/* ---- Writing ------------------------------------------------------------ */

/*
 * Writes the cost of a frame, its share of the whole and, in a difference, its
 * change: "3.51 s, 12.34%; before 3.00 s, change +510 ms".
 */
static void
put_cost(struct writer *w, uint32_t id)
{
	uint64_t all = total_of(w, 0), total = total_of(w, id);

	svg_put_cost(w->svg, total);
	svg_put_unit(w->svg);
	cg_putf(w->svg->out, ", %.2f%%",
	    all ? 100 * ((double)total / (double)all) : 100.0);
	if (w->svg->change)
		put_change(w, id);
}

/*
 * Writes a box. Its title has the name, the cost in few digits, as the page,
 * and, if digits are missing, a line with all of them.
 */
static void
put_frame(struct writer *w, uint32_t id)
{
	struct svg *svg = w->svg;
	const struct cg_merged_frame *frame = &w->tree.frame[id];
	const struct box *box = &w->box[id];
	uint64_t inner = (svg->width - 2 * SVG_PAD) * SVG_UNIT, side[2];
	uint32_t row = svg->inverted ? box->depth : w->depth - box->depth;
	char fill[SVG_COLOUR_ROOM] = "#ffffff";
	const struct svg_box drawn = { .name = id ? svg_fn_name(svg, frame->fn)
						  : cg_slice("all"),
		.fn = frame->fn,
		.key = frame->key,
		.x = SVG_PAD * SVG_UNIT + pixels(w, box->start),
		.width = id ? pixels(w, total_of(w, id)) : inner,
		.y = SVG_TOP + row * SVG_LEVEL,
		.fill = svg->change ? fill : NULL,
		.undrawn = box->undrawn };

	svg_begin_box(svg, &drawn);
	svg->rounded = false;
	put_cost(w, id);
	put_judged(w, id);
	if (svg->rounded) {
		cg_putc(svg->out, '\n');
		svg->exact = true;
		put_cost(w, id);
		svg->exact = false;
	}
	if (svg->change) {
		get_change(w, id, side);
		if (id)
			svg_change_colour(fill, change_size(side),
			    change_of(w, id, side), w->largest);
	}
	svg_end_box(svg, &drawn);
}

/*
 * Appends to the line of details how many frames were too narrow to be drawn,
 * their share of the cost and, in a difference, their cost on the other side.
 * Reports that as a note, too. Does nothing if all frames with a cost are
 * drawn.
 */
static void
put_dropped(struct writer *w)
{
	double share;

	if (w->dropped == 0)
		return;
	share = 100 * ((double)w->dropped_cost / (double)total_of(w, 0));
	svg_next_detail(w->svg);
	cg_puts(w->svg->out, "dropped ");
	picture_put_number(w->svg->out, w->dropped);
	cg_putf(w->svg->out, " frame%s below %s%s (%.2f%%",
	    w->dropped == 1 ? "" : "s", w->svg->least_text,
	    w->svg->percent ? "" : " px", share);
	if (w->svg->change) {
		cg_puts(w->svg->out, w->svg->negate ? ", after " : ", before ");
		svg_put_cost(w->svg, w->dropped_other);
	}
	cg_putc(w->svg->out, ')');
	cg_note(w->svg->job,
	    "%zu frame%s narrower than %s%s, %.2f%% of the costs, %s not "
	    "drawn; {min-width} 0 draws all",
	    w->dropped, w->dropped == 1 ? "" : "s", w->svg->least_text,
	    w->svg->percent ? "" : " px", share,
	    w->dropped == 1 ? "is" : "are");
}

/*
 * Appends to the line of details the cost of frames that are not shown. The
 * widths show the profile before or after. A frame without a cost in that
 * profile has no width. Writes nothing if there is no such cost.
 */
static void
put_absent(struct writer *w)
{
	if (w->absent == 0)
		return;
	svg_next_detail(w->svg);
	cg_puts(w->svg->out, "not shown: ");
	svg_put_cost(w->svg, w->absent);
	cg_puts(w->svg->out, w->svg->negate
				 ? " after, in new frames"
				 : " before, in frames that are gone");
}

static const char *
default_title(const struct svg *svg)
{
	if (svg->change)
		return svg->inverted ? "Differential icicle graph"
				     : "Differential flame graph";
	return svg->inverted ? "Icicle graph" : "Flame graph";
}

static void
put_graph(struct writer *w)
{
	svg_begin(w->svg, SVG_TOP + (w->depth + 1) * SVG_LEVEL + 10,
	    default_title(w->svg));
	svg_put_total(w->svg, total_of(w, 0));
	if (w->svg->change)
		put_change(w, 0);
	put_judged(w, 0);
	svg_put_legend(w->svg);
	if (cg_stacks_guessed(w->svg->graph, CG_ALL_PARTS)) {
		svg_next_detail(w->svg);
		cg_puts(w->svg->out, "stacks are estimated from calls");
	}
	if (w->svg->reversed) {
		svg_next_detail(w->svg);
		cg_puts(w->svg->out, "stacks are reversed");
	}
	put_dropped(w);
	put_absent(w);
	svg_end_details(w->svg);
	for (size_t i = 0; i < w->shown; i++)
		put_frame(w, w->drawn[i]);
	svg_end(w->svg);
}

void
svg_write_graph(struct svg *svg)
{
	struct writer w = { .svg = svg };

	if (svg_tree_make(&w.tree, svg) && lay_out(&w)) {
		find_largest(&w);
		put_graph(&w);
	}
	cg_merged_stacks_free(w.tree.merged);
}
