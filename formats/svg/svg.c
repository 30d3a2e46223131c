/*
 * svg.c - a flame graph that stands alone: frames on what called them, as wide
 * as their inclusive cost, the root at the bottom, siblings by name.
 *
 * Source: Brendan Gregg, "The Flame Graph", ACM Queue 14(2), 2016, for the
 * idea; markup and script are our own. Names of functions and one event
 * survive; frames narrower than --min-width are left out with what is on them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"

#define PAD 10   /* beside the frames */
#define TOP 60   /* above them: title and search */
#define LEVEL 17 /* height of a frame with the gap above it */
#define FONT 12
#define CHAR 72 /* tenths of a pixel: a monospaced letter is 0.6 em */
#define WIDTH_MIN 200
#define WIDTH_MAX 100000
#define UNIT 10000 /* positions have four decimals of a pixel */

struct node {
	uint32_t parent; /* node; 0 is the root of all */
	cg_fn fn;
	uint64_t total, start;
	uint32_t depth;
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	const struct cg_event *event;
	size_t column;
	uint64_t width, least; /* pixels; UNITs of a pixel */
	struct node *node;
	size_t nodes, cap;
	uint32_t *begin, *child, *waiting, *drawn;
	size_t shown;
	uint32_t depth;
	struct sibling *group;
	int status; /* why it went no further */
};

/* ---- The tree ----------------------------------------------------------- */

static bool
nomem(struct writer *w)
{
	w->status = cg_nomem(w->job);
	return false;
}

static bool
add_node(struct writer *w, uint32_t parent, cg_fn fn)
{
	if (w->nodes == UINT32_MAX ||
	    !cg_grow_raw(&w->node, &w->cap, w->nodes + 1, sizeof(*w->node)))
		return nomem(w);
	w->node[w->nodes++] = (struct node){ .parent = parent, .fn = fn };
	return true;
}

/* Stacks by function alone: of[i] is the node of the graph's node i. */
static bool
merge_nodes(struct writer *w, uint32_t *of)
{
	struct cg_map children = { 0 };
	struct cg_stack frame;
	uint32_t *child;
	bool ok = add_node(w, 0, 0);

	for (cg_node i = 1; ok && i <= cg_node_count(w->graph); i++) {
		cg_get_node(w->graph, i, &frame);
		child = cg_map_at(
		    &children, (uint64_t)of[frame.parent] << 32 | frame.fn);
		if (!child) {
			ok = nomem(w);
			break;
		}
		if (*child == 0) {
			*child = (uint32_t)w->nodes;
			ok = add_node(w, of[frame.parent], frame.fn);
		}
		of[i] = *child;
	}
	cg_map_free(&children);
	return ok;
}

static bool
build_tree(struct writer *w)
{
	uint32_t *of = calloc(cg_node_count(w->graph) + 1, sizeof(*of));
	struct cg_stack_cost stack;
	bool ok = of ? merge_nodes(w, of) : nomem(w);

	for (size_t i = 0;
	     ok && cg_next_stack(w->graph, CG_ALL_PARTS, &i, &stack);) {
		if (w->column < stack.n &&
		    __builtin_add_overflow(w->node[of[stack.leaf]].total,
			stack.cost[w->column],
			&w->node[of[stack.leaf]].total)) {
			w->status = cg_fail(
			    w->job, "svg cannot hold costs of 2^64 and more");
			ok = false;
		}
	}
	free(of);
	for (size_t i = w->nodes; ok && i > 1; i--) {
		struct node *parent = &w->node[w->node[i - 1].parent];

		if (__builtin_add_overflow(
			parent->total, w->node[i - 1].total, &parent->total)) {
			w->status = cg_fail(
			    w->job, "svg cannot hold costs of 2^64 and more");
			ok = false;
		}
	}
	return ok;
}

/* ---- The layout --------------------------------------------------------- */

struct sibling {
	struct cg_slice name;
	uint32_t node;
};

static int
compare_siblings(const void *pa, const void *pb)
{
	const struct sibling *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	return order ? order : (a->node > b->node) - (a->node < b->node);
}

static void
group_children(struct writer *w)
{
	uint32_t sum = 0;

	for (size_t i = 1; i < w->nodes; i++)
		w->begin[w->node[i].parent]++;
	for (size_t i = 0; i < w->nodes; i++)
		w->begin[i] = sum += w->begin[i];
	w->begin[w->nodes] = sum;
	for (size_t i = w->nodes - 1; i > 0; i--)
		w->child[--w->begin[w->node[i].parent]] = (uint32_t)i;
}

/* The width of a cost in UNITs of a pixel. */
static uint64_t
pixels(const struct writer *w, uint64_t cost)
{
	uint64_t all = w->node[0].total;

	if (all == 0)
		return 0;
	return cg_mul_div(cost, (w->width - 2 * PAD) * UNIT, all);
}

/* Places the children of a node, which is drawn, and has them visited. */
static void
place_children(struct writer *w, uint32_t parent, size_t *waiting)
{
	uint32_t begin = w->begin[parent], end = w->begin[parent + 1];
	uint64_t start = w->node[parent].start;
	size_t n = end - begin;

	for (size_t i = 0; i < n; i++) {
		uint32_t node = w->child[begin + i];

		w->group[i] =
		    (struct sibling){ cg_fn_name(w->graph, w->node[node].fn),
			    node };
	}
	if (n > 1)
		qsort(w->group, n, sizeof(*w->group), compare_siblings);
	for (size_t i = 0; i < n; i++) {
		struct node *node = &w->node[w->group[i].node];

		node->start = start;
		node->depth = w->node[parent].depth + 1;
		start += node->total;
		if (pixels(w, node->total) >= w->least && node->total > 0)
			w->waiting[(*waiting)++] = w->group[i].node;
	}
}

static bool
lay_out(struct writer *w)
{
	size_t waiting = 1;

	w->begin = calloc(w->nodes + 2, sizeof(*w->begin));
	w->child = calloc(w->nodes + 1, sizeof(*w->child));
	w->waiting = calloc(w->nodes + 1, sizeof(*w->waiting));
	w->drawn = calloc(w->nodes + 1, sizeof(*w->drawn));
	w->group = calloc(w->nodes + 1, sizeof(*w->group));
	if (!w->begin || !w->child || !w->waiting || !w->drawn || !w->group)
		return nomem(w);
	group_children(w);
	w->waiting[0] = 0;
	while (waiting > 0) {
		uint32_t node = w->waiting[--waiting];

		w->drawn[w->shown++] = node;
		if (w->node[node].depth > w->depth)
			w->depth = w->node[node].depth;
		place_children(w, node, &waiting);
	}
	return true;
}

/* ---- Writing ------------------------------------------------------------ */

static void
put_pixels(struct writer *w, uint64_t units)
{
	cg_putf(w->out, "%" PRIu64 ".%04" PRIu64, units / UNIT, units % UNIT);
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

/* A light colour, always the same for a name: black is readable on it. */
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

/* As much of a name as fits, whole characters. */
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

static struct cg_slice
node_name(const struct writer *w, uint32_t node)
{
	struct cg_slice name = cg_fn_name(w->graph, w->node[node].fn);

	if (node == 0)
		return cg_slice("all");
	return name.len > 0 ? name : cg_slice("[unknown]");
}

static void
put_frame(struct writer *w, uint32_t id)
{
	const struct node *node = &w->node[id];
	uint64_t x = PAD * UNIT + pixels(w, node->start);
	uint64_t width =
	    id ? pixels(w, node->total) : (w->width - 2 * PAD) * UNIT;
	uint32_t y = TOP + (w->depth - node->depth) * LEVEL;
	uint64_t all = w->node[0].total;
	struct cg_slice name = node_name(w, id), label;
	bool cut;

	cg_puts(w->out, "<g class=\"f\"><title>");
	cg_put_xml(w->out, name);
	cg_putc(w->out, '\n');
	put_cost(w, node->total);
	cg_putc(w->out, ' ');
	cg_put_xml(w->out,
	    cg_slice(*w->event->unit ? w->event->unit : w->event->name));
	cg_putf(w->out, ", %.2f%%</title><rect x=\"",
	    all ? 100 * ((double)node->total / (double)all) : 100.0);
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
	put_cost(w, w->node[0].total);
	cg_putc(w->out, ' ');
	cg_put_xml(w->out, cg_slice(event->unit));
	if (cg_stacks_guessed(w->graph, CG_ALL_PARTS))
		cg_puts(w->out, " (stacks are estimated from calls)");
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

/* "0.3" in UNITs of a pixel; more decimals than one are cut. */
static bool
take_pixels(const char *text, uint64_t *units)
{
	struct cg_slice rest = cg_slice(text);
	uint64_t whole, part = 0;

	if (!cg_take_u64(&rest, &whole) || whole > WIDTH_MAX)
		return false;
	if (cg_take_char(&rest, '.') && rest.len > 0) {
		if (*rest.ptr < '0' || *rest.ptr > '9')
			return false;
		part = (uint64_t)(*rest.ptr - '0');
	}
	*units = whole * UNIT + part * (UNIT / 10);
	return true;
}

static int
get_options(struct writer *w)
{
	struct cg_slice width = cg_slice(cg_opt(w->job, "width"));

	if (!cg_take_u64(&width, &w->width) || w->width < WIDTH_MIN ||
	    w->width > WIDTH_MAX)
		return cg_usage(
		    w->job, "--width is %d to %d", WIDTH_MIN, WIDTH_MAX);
	if (!take_pixels(cg_opt(w->job, "min-width"), &w->least))
		return cg_usage(
		    w->job, "--min-width is a number of pixels, such as 0.3");
	return find_event(w);
}

/* ---- The format --------------------------------------------------------- */

static int
write_svg(struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct writer w = { .job = job, .graph = graph, .out = out };
	int status = get_options(&w);

	if (status != CG_OK)
		return status;
	if (build_tree(&w) && lay_out(&w)) {
		put_head(&w);
		for (size_t i = 0; i < w.shown; i++)
			put_frame(&w, w.drawn[i]);
		cg_puts(out, "<script><![CDATA[\n");
		cg_puts(out, svg_script);
		cg_puts(out, "]]></script>\n</svg>\n");
		status = cg_out_status(out);
	} else {
		status = w.status;
	}
	free(w.node);
	free(w.begin);
	free(w.child);
	free(w.waiting);
	free(w.drawn);
	free(w.group);
	return status;
}

static const struct cg_option options[] = {
	CG_OPTION_EVENT,
	{ .name = "title",
	    .type = CG_STRING,
	    .fallback = "Flame graph",
	    .arg = "TEXT",
	    .help = "title of the picture",
	    .writing = true },
	{ .name = "width",
	    .type = CG_NUMBER,
	    .fallback = "1200",
	    .arg = "PIXELS",
	    .help = "width of the picture",
	    .writing = true },
	{ .name = "min-width",
	    .type = CG_STRING,
	    .fallback = "0.3",
	    .arg = "PIXELS",
	    .help = "leave out frames narrower than this",
	    .writing = true },
	{ 0 },
};

const struct cg_module cg_format_svg = {
	CG_MODULE,
	.name = "svg",
	.title = "a flame graph with search and zoom, for any browser",
	.suffixes = "svg",
	.carries = CG_SELF | CG_INCL | CG_STACKS,
	.needs = CG_STACKS,
	.options = options,
	.write = write_svg,
};
