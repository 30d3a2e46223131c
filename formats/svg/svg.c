/*
 * svg.c - writes a flame graph as a self-contained SVG: frames stand on their
 * callers, as wide as their inclusive cost, the root at the bottom, siblings
 * sorted by name.
 *
 * Source: Brendan Gregg, "The Flame Graph", ACM Queue 14(2), 2016, for the
 * idea; markup and script are our own. Names of functions and one event
 * survive. Frames narrower than --min-width are dropped with those on them, and
 * the picture says how many; the default is what zooming in cannot show.
 *
 * The way of the data: stacks of equal functions are merged (library), costs
 * become inclusive (sum_costs()), frames get positions (lay_out()), each frame
 * becomes a group with a rectangle and a text; script.c follows.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

#define PAD 10   /* left and right of the frames */
#define TOP 60   /* above them: title and search */
#define LEVEL 17 /* height of a frame with the gap above it */
#define FONT 12
#define CHAR 72 /* tenths of a pixel: a monospaced letter is 0.6 em */
#define WIDTH_MIN 200
#define WIDTH_MAX 100000
#define UNIT 1000000 /* positions have six decimals of a pixel */

#define UNKNOWN "[unknown]"

/* A merged frame in the picture. */
struct box {
	uint64_t total, start; /* inclusive cost; the cost left of it */
	uint32_t depth;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	const struct cg_event *event;
	size_t column;
	uint64_t width, least; /* pixels; UNITs of a pixel */
	bool percent;          /* least was given as a share of the width */
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
	char *name; /* of the frame that is written */
	size_t name_cap;
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
	bool ok = cg_merged_costs(w->merged, w->column, w->cost);

	for (size_t i = w->frames; ok && i-- > 0;) {
		uint64_t *to = &w->box[w->frame[i].parent].total;

		w->box[i].total += w->cost[i];
		ok = w->box[i].total >= w->cost[i];
		if (i > 0 && __builtin_add_overflow(*to, w->box[i].total, to))
			ok = false;
	}
	return ok ||
	       cg_reject(w->job, "svg cannot represent costs of 2^64 and more");
}

static bool
merge_stacks(struct writer *w)
{
	w->merged = cg_merged_stacks_new(w->graph, get_key, w);
	if (!w->merged)
		return cg_reject_nomem(w->job);
	w->frame = cg_merged_frames(w->merged, &w->frames);
	w->cost = calloc(w->frames, sizeof(*w->cost));
	w->box = calloc(w->frames, sizeof(*w->box));
	if (!w->cost || !w->box)
		return cg_reject_nomem(w->job);
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
	return cg_mul_div(cost, (w->width - 2 * PAD) * UNIT, all);
}

/* Puts the callees of a drawn frame side by side; wide ones are visited. */
static void
lay_out_children(struct writer *w, uint32_t parent, size_t *waiting)
{
	const uint32_t *child;
	size_t n = cg_merged_children(w->merged, parent, &child);
	uint64_t start = w->box[parent].start;

	for (size_t i = 0; i < n; i++)
		w->group[i] = (struct sibling){
			cg_fn_name(w->graph, w->frame[child[i]].fn), child[i]
		};
	if (n > 1)
		qsort(w->group, n, sizeof(*w->group), compare_siblings);
	for (size_t i = 0; i < n; i++) {
		struct box *box = &w->box[w->group[i].frame];

		box->start = start;
		box->depth = w->box[parent].depth + 1;
		start += box->total;
		if (box->total == 0)
			continue;
		if (pixels(w, box->total) >= w->least)
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
		return cg_reject_nomem(w->job);
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
put_pixels(struct writer *w, uint64_t units)
{
	cg_putf(w->out, "%" PRIu64 ".%06" PRIu64, units / UNIT, units % UNIT);
}

/* 1234567 as 1,234,567 */
static void
put_cost(struct writer *w, uint64_t cost)
{
	char digits[CG_NUMBER_MAX];
	size_t len = (size_t)(cg_format_u64(digits, cost) - digits);

	for (size_t i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			cg_putc(w->out, ',');
		cg_putc(w->out, digits[i]);
	}
}

/* A light colour, so that black text is readable; depends on the name only. */
static void
put_colour(struct writer *w, struct cg_slice name)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (uint8_t)name.ptr[i]) * 16777619u;
	hash ^= hash >> 15;
	cg_putf(w->out, "#%02x%02x%02x", 215 + hash % 40,
	    120 + (hash >> 8) % 110, 50 + (hash >> 16) % 60);
}

/* The characters of a name that fit. *cut: not all of them do. */
static struct cg_slice
fit(struct cg_slice name, uint64_t units, bool *cut)
{
	uint64_t room = units / (UNIT / 10), chars = 0;
	size_t end = 0, last = 0;

	*cut = false;
	chars = room > 60 ? (room - 60) / CHAR : 0;
	if (chars < 3)
		return (struct cg_slice){ name.ptr, 0 };
	for (uint64_t n = 0; end < name.len; n++) {
		if (n == chars - 2)
			last = end;
		if (n == chars) {
			*cut = true;
			return (struct cg_slice){ name.ptr, last };
		}
		end++;
		while (end < name.len && (name.ptr[end] & 0xc0) == 0x80)
			end++;
	}
	return name;
}

/* A function without a name is shown as [base name of its object]. */
static struct cg_slice
frame_name(struct writer *w, uint32_t frame)
{
	cg_fn fn = w->frame[frame].fn;
	struct cg_slice name = cg_fn_name(w->graph, fn), object;

	if (frame == 0)
		return cg_slice("all");
	object =
	    cg_base_name(cg_object_path(w->graph, cg_fn_object(w->graph, fn)));
	if (name.len > 0 && !cg_equal(name, UNKNOWN))
		return name;
	if (object.len == 0 || *object.ptr == '[')
		return cg_slice(UNKNOWN);
	if (!cg_grow_raw(&w->name, &w->name_cap, object.len + 2, 1)) {
		(void)cg_reject_nomem(w->job);
		return cg_slice(UNKNOWN);
	}
	w->name[0] = '[';
	memcpy(w->name + 1, object.ptr, object.len);
	w->name[object.len + 1] = ']';
	return (struct cg_slice){ w->name, object.len + 2 };
}

static void
put_frame(struct writer *w, uint32_t id)
{
	const struct box *box = &w->box[id];
	uint64_t x = PAD * UNIT + pixels(w, box->start);
	uint64_t width =
	    id ? pixels(w, box->total) : (w->width - 2 * PAD) * UNIT;
	uint32_t y = TOP + (w->depth - box->depth) * LEVEL;
	uint64_t all = w->box[0].total;
	struct cg_slice name = frame_name(w, id), label;
	bool cut;

	cg_puts(w->out, "<g class=\"f\"><title>");
	cg_put_xml(w->out, name);
	cg_putc(w->out, '\n');
	put_cost(w, box->total);
	cg_putc(w->out, ' ');
	cg_put_xml(w->out,
	    cg_slice(*w->event->unit ? w->event->unit : w->event->name));
	cg_putf(w->out, ", %.2f%%</title><rect x=\"",
	    all ? 100 * ((double)box->total / (double)all) : 100.0);
	put_pixels(w, x);
	cg_putf(w->out, "\" y=\"%" PRIu32 "\" width=\"", y);
	put_pixels(w, width);
	cg_putf(w->out, "\" height=\"%d\" fill=\"", LEVEL - 1);
	put_colour(w, name);
	cg_puts(w->out, "\"/><text x=\"");
	put_pixels(w, x + 3 * UNIT);
	cg_putf(w->out, "\" y=\"%" PRIu32 "\">", y + FONT);
	label = fit(name, width, &cut);
	cg_put_xml(w->out, label);
	cg_puts(w->out, cut ? "..</text></g>\n" : "</text></g>\n");
}

/* Says how much of the profile the picture lacks. */
static void
put_dropped(struct writer *w)
{
	if (w->dropped == 0)
		return;
	cg_puts(w->out, "; dropped ");
	put_cost(w, w->dropped);
	cg_putf(w->out, " frame%s narrower than %s%s, together %.2f%%",
	    w->dropped == 1 ? "" : "s", cg_opt(w->job, "min-width"),
	    w->percent ? "" : " px",
	    100 * ((double)w->dropped_cost / (double)w->box[0].total));
}

static void
put_head(struct writer *w)
{
	uint32_t height = TOP + (w->depth + 1) * LEVEL + 10;
	const struct cg_event *event = w->event;

	cg_putf(w->out,
	    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%" PRIu64
	    "\" height=\"%" PRIu32 "\" viewBox=\"0 0 %" PRIu64 " %" PRIu32
	    "\">\n",
	    w->width, height, w->width, height);
	cg_putf(w->out,
	    "<style>text { font: %dpx monospace; } #title { font: bold 16px "
	    "sans-serif; } .f { cursor: pointer; } .f text { pointer-events: "
	    "none; } .f:hover rect { stroke: #000; }</style>\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
	    "<text id=\"title\" x=\"%d\" y=\"24\">",
	    FONT, PAD);
	cg_put_xml(w->out, cg_slice(cg_opt(w->job, "title")));
	cg_putf(w->out, "</text>\n<text id=\"event\" x=\"%d\" y=\"44\">", PAD);
	cg_put_xml(w->out,
	    cg_slice(*event->long_name ? event->long_name : event->name));
	cg_puts(w->out, ": ");
	put_cost(w, w->box[0].total);
	if (*event->unit)
		cg_putc(w->out, ' ');
	cg_put_xml(w->out, cg_slice(event->unit));
	if (cg_stacks_guessed(w->graph, CG_ALL_PARTS))
		cg_puts(w->out, " (stacks are estimated from calls)");
	put_dropped(w);
	cg_putf(w->out,
	    "</text>\n<text id=\"info\" x=\"%" PRIu64 "\" y=\"52\" "
	    "text-anchor=\"end\"></text>\n",
	    w->width - PAD);
}

/* ---- Options ------------------------------------------------------------ */

static int
find_event(struct writer *w)
{
	int status = cg_choose_event(w->job, w->graph, NULL, &w->column);

	if (status == CG_OK)
		w->event = cg_get_event(w->graph, w->column);
	return status;
}

/* "0.3" pixels, or "0.1%" of the width. */
static bool
take_min_width(struct writer *w)
{
	struct cg_slice rest = cg_slice(cg_opt(w->job, "min-width"));

	if (!cg_take_fixed(&rest, 6, &w->least) ||
	    w->least > WIDTH_MAX * UINT64_C(1000000))
		return false;
	w->percent = cg_take_char(&rest, '%');
	if (w->percent)
		w->least = w->least * (w->width - 2 * PAD) / 100;
	return rest.len == 0;
}

static int
get_options(struct writer *w)
{
	struct cg_slice width = cg_slice(cg_opt(w->job, "width"));

	if (!cg_take_u64(&width, &w->width) || w->width < WIDTH_MIN ||
	    w->width > WIDTH_MAX)
		return cg_usage(w->job,
		    "--width: expected a number of pixels from %d to %d, not "
		    "'%s'",
		    WIDTH_MIN, WIDTH_MAX, cg_opt(w->job, "width"));
	if (!take_min_width(w))
		return cg_usage(w->job,
		    "--min-width: expected pixels or a percentage, such as "
		    "0.3 or 0.01%%, not '%s'",
		    cg_opt(w->job, "min-width"));
	return find_event(w);
}

/* ---- The format --------------------------------------------------------- */

static void
put_graph(struct writer *w)
{
	put_head(w);
	for (size_t i = 0; i < w->shown; i++)
		put_frame(w, w->drawn[i]);
	cg_puts(w->out, "<script><![CDATA[\n");
	cg_puts(w->out, svg_script);
	cg_puts(w->out, "]]></script>\n</svg>\n");
}

static int
write_svg(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	int status = get_options(&w);

	if (status != CG_OK)
		return status;
	if (merge_stacks(&w) && lay_out(&w))
		put_graph(&w);
	cg_merged_stacks_free(w.merged);
	free(w.cost);
	free(w.box);
	free(w.waiting);
	free(w.drawn);
	free(w.group);
	free(w.name);
	return cg_out_status(out);
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ .name = "title",
	    .type = CG_STRING,
	    .fallback = "Flame graph",
	    .arg = "TEXT",
	    .help = "title of the flame graph",
	    .writing = true },
	{ .name = "width",
	    .type = CG_NUMBER,
	    .fallback = "1200",
	    .arg = "PIXELS",
	    .help = "width of the flame graph",
	    .writing = true },
	{ .name = "min-width",
	    .type = CG_STRING,
	    .fallback = "0.001%",
	    .arg = "PIXELS|PERCENT%",
	    .help = "drop frames narrower than this",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_svg = {
	CG_MODULE,
	.name = "svg",
	.title = "a flame graph with search and zoom, for any browser",
	.text = true,
	.suffixes = "svg",
	.carries = CG_SELF | CG_INCL | CG_STACKS,
	.needs = CG_STACKS,
	.root_by = "comm",
	.options = options,
	.write = write_svg,
};
