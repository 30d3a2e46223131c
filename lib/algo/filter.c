/*
 * filter.c - applies filters by function: makes a new graph.
 *
 * Some filters keep or drop single frames. Others keep or drop all frames
 * above or below the outermost or innermost frame that matches. The new leaf
 * of a stack thus follows from its nodes from the root up, and is computed
 * once for each node. The order is pprof's: --focus and --ignore see all
 * frames, then --hide and --show drop some, then --show-from and --prune-from
 * cut the rest.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/copy.h"
#include "algo/filters.h"

#define UNKNOWN "[unknown]"
#define BIT(kind) (1u << (kind))

/*
 * The state of filtering after the frames from the root to a node; by old
 * node.
 */
struct path {
	cg_node last;  /* the innermost visible frame, or 0 */
	cg_node below; /* the visible frame below the node, or 0 */
	cg_node end;   /* the node where --prune-from ends the stack, or 0 */
	cg_node new;   /* new node of a visible frame, added on demand; or 0 */
	unsigned seen : 30;   /* kinds that frames have matched */
	unsigned based : 1;   /* its physical frame has a visible frame */
	unsigned inlined : 1; /* inlined into a visible frame */
};

struct filtering {
	const struct cg_filters *filters;
	struct cg_copy copy;
	unsigned *matched; /* by fn: see cg_filters_match() */
	bool *united;      /* by fn: calls of itself are dropped */
	bool *hidden;      /* by fn: hidden, for calls without stacks */
	struct path *path; /* by old node */
	cg_node *rise;     /* frames to be added, the outermost last */
	size_t rises, rise_cap;
	char *text; /* scratch for a new name */
	size_t text_cap;
};

/* ---- Functions ----------------------------------------------------------- */

static cg_fn
add_named(
    struct filtering *f, struct cg_slice name, cg_file file, cg_object object)
{
	if (name.len == 0)
		name = cg_slice(UNKNOWN);
	return cg_add_fn(f->copy.to, name, file, object);
}

/*
 * Adds the new function for an old one, and stores it in f->copy.fn. It is a
 * copy. If the filters merge functions, it may stand for a whole file, object
 * or class.
 */
static void
map_fn(struct filtering *f, cg_fn fn)
{
	const struct cg_graph *from = f->copy.from;
	struct cg_slice class = cg_class_of(cg_fn_name(from, fn));
	cg_file file = f->copy.file[cg_fn_file(from, fn)];
	cg_object object = f->copy.object[cg_fn_object(from, fn)];
	cg_fn *new = &f->copy.fn[fn];

	if (f->matched[fn] & BIT(CG_COLLAPSE_OBJECT)) {
		*new = add_named(
		    f, cg_object_path(from, cg_fn_object(from, fn)), 0, object);
		return;
	}
	switch (f->filters->granularity) {
	case CG_PER_FILE:
		*new = add_named(
		    f, cg_file_path(from, cg_fn_file(from, fn)), file, 0);
		return;
	case CG_PER_OBJECT:
		*new = add_named(
		    f, cg_object_path(from, cg_fn_object(from, fn)), 0, object);
		return;
	case CG_PER_CLASS:
		if (class.len > 0) {
			*new = add_named(f, class, 0, object);
			return;
		}
		break;
	case CG_AS_IT_IS:
	case CG_PER_FUNCTION:
	case CG_PER_LINE:
	case CG_GRANULARITIES: break;
	}
	cg_copy_fn(&f->copy, fn, fn);
}

/*
 * Returns the function that stands for a single line with --granularity line,
 * such as "parse parse.c:12", added if it is new; 0: out of memory.
 */
static cg_fn
add_line_fn(struct filtering *f, cg_fn fn, const struct cg_pos *pos)
{
	const struct cg_graph *from = f->copy.from;
	cg_file old = pos->file ? pos->file : cg_fn_file(from, fn);
	struct cg_slice name = cg_fn_name(from, fn);
	struct cg_slice file = cg_file_path(from, old);
	size_t size = name.len + file.len + CG_NUMBER_MAX + 3;
	int len;

	if (!cg_grow_raw(&f->text, &f->text_cap, size, 1)) {
		cg_build_nomem(f->copy.to);
		return 0;
	}
	len = snprintf(f->text, size, "%.*s %.*s:%" PRIu32, (int)name.len,
	    name.ptr, (int)file.len, file.ptr, pos->line);
	return add_named(f, (struct cg_slice){ f->text, (size_t)len },
	    f->copy.file[old], f->copy.object[cg_fn_object(from, fn)]);
}

static void
map_fns(struct filtering *f)
{
	const struct cg_graph *from = f->copy.from;

	for (cg_fn fn = 1; fn < from->fns; fn++) {
		f->matched[fn] = cg_filters_match(f->filters, from, fn);
		f->hidden[fn] = !cg_filters_show(f->filters, f->matched[fn]);
		f->united[fn] = f->filters->trim ||
				(f->matched[fn] & BIT(CG_COLLAPSE_OBJECT));
		if (!f->copy.rowless && !(f->copy.hidden && f->hidden[fn]))
			map_fn(f, fn);
	}
}

/* ---- Stacks -------------------------------------------------------------- */

static void
extend_path(struct filtering *f, cg_node node)
{
	const struct cg_frame_entry *old = cg_frame_of(f->copy.from, node);
	struct path *path = &f->path[node];
	unsigned matched = f->matched[old->fn];

	*path = f->path[f->copy.from->node[node].parent];
	path->new = 0;
	path->inlined = old->inlined && path->based;
	path->based = path->inlined;
	path->below = path->last;
	path->seen |= matched & (BIT(CG_FOCUS) | BIT(CG_IGNORE));
	if (!cg_filters_show(f->filters, matched))
		return;
	path->seen |= matched & BIT(CG_SHOW_FROM);
	if (f->filters->given[CG_SHOW_FROM] &&
	    !(path->seen & BIT(CG_SHOW_FROM)))
		return;
	path->based = true;
	path->last = node;
	if (matched & BIT(CG_PRUNE_FROM))
		path->end = node;
}

/*
 * Returns the innermost frame that the filters leave of the stack that ends in
 * node. The result is a node of the old graph. 0: the filters leave no frame,
 * or drop the whole stack.
 */
static cg_node
end_of(const struct filtering *f, cg_node node)
{
	const struct path *path = &f->path[node];

	if ((path->seen & BIT(CG_IGNORE)) ||
	    (f->filters->given[CG_FOCUS] && !(path->seen & BIT(CG_FOCUS))))
		return 0;
	return path->end ? path->end : path->last;
}

static cg_fn
find_fn(struct filtering *f, const struct cg_frame_entry *old)
{
	if (f->filters->granularity == CG_PER_LINE && old->pos.line != 0)
		return add_line_fn(f, old->fn, &old->pos);
	if (f->copy.fn[old->fn] == 0)
		map_fn(f, old->fn);
	return f->copy.fn[old->fn];
}

static cg_node
add_frame(struct filtering *f, cg_node parent, cg_node node)
{
	const struct cg_frame_entry *old = cg_frame_of(f->copy.from, node);
	struct cg_build *to = f->copy.to;
	struct cg_pos pos = { 0 };
	cg_fn fn = find_fn(f, old);

	if (!f->copy.placeless || f->filters->granularity == CG_PER_LINE) {
		pos = old->pos;
		pos.file = f->copy.file[pos.file];
	}
	/* Of several recursive calls the innermost one has the position. */
	if (parent != 0 && f->united[old->fn] &&
	    cg_frame_of(to->graph, parent)->fn == fn)
		parent = to->graph->node[parent].parent;
	return cg_add_frame(to, parent, fn, &pos, f->path[node].inlined);
}

/*
 * Returns the new node for an old node that the filters keep. Adds it and the
 * kept frames outside of it where they are missing. Not recursive, as stacks
 * may be deep. 0: out of memory.
 */
static cg_node
add_path(struct filtering *f, cg_node node)
{
	cg_node new = 0;

	f->rises = 0;
	for (; node != 0 && f->path[node].new == 0;
	     node = f->path[node].below) {
		if (!cg_grow_raw(&f->rise, &f->rise_cap, f->rises + 1,
			sizeof(*f->rise))) {
			cg_build_nomem(f->copy.to);
			return 0;
		}
		f->rise[f->rises++] = node;
	}
	if (node != 0)
		new = f->path[node].new;
	while (f->rises > 0) {
		node = f->rise[--f->rises];
		new = f->path[node].new = add_frame(f, new, node);
	}
	return new;
}

static void
map_node(struct filtering *f, cg_node node)
{
	cg_node end = end_of(f, node);

	f->copy.node[node] = end ? add_path(f, end) : CG_NO_NODE;
}

/*
 * Maps the nodes of a track, the timeline of a thread, to new nodes. The nodes
 * of a timeline of calls are not only leaves of stacks, as calls begin and end
 * in any frame.
 */
static void
map_moments(struct filtering *f, size_t track)
{
	struct cg_moments *moments = cg_moments_new(f->copy.from, track);
	struct cg_moment moment;

	while (moments && cg_next_moment(moments, &moment))
		map_node(f, moment.node);
	cg_moments_free(moments);
}

/*
 * Sets f->copy.node, the map from old to new nodes, for leaves of stacks and
 * for moments. CG_NO_NODE: the filters drop the stack. Nodes are visited in
 * order, so that parents come first.
 */
static void
map_nodes(struct filtering *f)
{
	const struct cg_graph *from = f->copy.from;

	for (cg_node node = 1; node < from->nodes; node++)
		extend_path(f, node);
	for (size_t i = 0; i < from->stacks; i++)
		map_node(f, from->stack[i].leaf);
	for (size_t i = 0; i < from->tracks; i++)
		map_moments(f, i);
	/* Samples without a stack do not match any filter. */
	f->copy.node[0] = cg_filters_stacked(f->filters) ? CG_NO_NODE : 0;
	f->copy.mapped = true;
}

/* ---- Kept costs ---------------------------------------------------------- */

static uint64_t
total_of(const struct cg_graph *graph, size_t event)
{
	uint64_t sum = 0;

	for (cg_part part = 0; part < graph->parts; part++)
		if (event < graph->part[part].totals)
			(void)cg_add_value(
			    graph, event, &sum, graph->part[part].total[event]);
	return sum;
}

/*
 * Reports for each event which percentage of its total the filters keep,
 * unless that is everything. Signed events are skipped: a percentage of a sum
 * with negative costs would mean nothing.
 */
static void
tell_share(const struct cg_graph *from, const struct cg_graph *to)
{
	for (size_t i = 0; i < from->events; i++) {
		uint64_t all = total_of(from, i), kept = total_of(to, i);

		if (from->event[i].is_signed || all == kept)
			continue;
		cg_diag_say(from->diag, CG_NOTE, NULL,
		    "the filters keep %.2f %% of %s",
		    100.0 * (double)kept / (double)all, from->event[i].name);
	}
}

/* ---- The graph ----------------------------------------------------------- */

/*
 * True if the filters merge functions. The inclusive costs that an input
 * states for the merged functions are then dropped: calls between them would
 * count twice in the sum.
 */
static bool
unites(const struct cg_filters *filters)
{
	return filters->given[CG_COLLAPSE_OBJECT] ||
	       filters->granularity == CG_PER_FILE ||
	       filters->granularity == CG_PER_OBJECT ||
	       filters->granularity == CG_PER_CLASS;
}

static bool
open_filtering(struct filtering *f)
{
	const struct cg_graph *from = f->copy.from;

	f->matched = calloc(from->fns, sizeof(*f->matched));
	f->united = calloc(from->fns, sizeof(*f->united));
	f->hidden = calloc(from->fns, sizeof(*f->hidden));
	f->path = calloc(from->nodes, sizeof(*f->path));
	return f->copy.to->graph && f->matched && f->united && f->hidden &&
	       f->path && cg_copy_open(&f->copy);
}

static void
close_filtering(struct filtering *f)
{
	free(f->matched);
	free(f->united);
	free(f->hidden);
	free(f->path);
	free(f->rise);
	free(f->text);
	cg_copy_close(&f->copy);
}

static int
fill(struct filtering *f)
{
	cg_copy_events(&f->copy);
	cg_copy_dimensions(&f->copy);
	map_fns(f);
	map_nodes(f);
	return cg_copy_rows(&f->copy);
}

/*
 * True if, in this part (thread or process), a hidden function calls one that
 * is not hidden. Without stacks, such functions cannot be hidden: their cost
 * could not go to their callers as a whole.
 */
static bool
calls_visible(const struct cg_graph *graph, const bool *hidden,
    struct cg_rows *rows, cg_part part)
{
	struct cg_call call;
	bool found = false;
	cg_fn fn;

	for (size_t i = 0; !found && cg_next_fn(graph, part, &i, &fn);) {
		if (!hidden[fn] || !cg_rows_open(rows, part, fn))
			continue;
		while (!found && cg_next_call(rows, &call))
			found = !hidden[call.callee];
	}
	return found;
}

int
cg_can_hide(
    const struct cg_graph *graph, const struct cg_filters *filters, bool *can)
{
	struct cg_rows *rows;
	bool *hidden;

	*can = !(graph->facts & CG_STACKS) && !cg_filters_strict(filters);
	if (!*can)
		return CG_OK;
	rows = cg_rows_new(graph);
	hidden = calloc(graph->fns, sizeof(*hidden));
	if (!hidden)
		cg_graph_nomem(graph);
	for (cg_fn fn = 1; hidden && fn < graph->fns; fn++)
		hidden[fn] = !cg_filters_show(
		    filters, cg_filters_match(filters, graph, fn));
	for (cg_part part = 0; rows && hidden && *can && part < graph->parts;
	     part++)
		*can = !calls_visible(graph, hidden, rows, part);
	cg_rows_free(rows);
	free(hidden);
	return *graph->fault;
}

int
cg_graph_filter(
    struct cg_graph **graph, const struct cg_filters *filters, bool by_calls)
{
	struct cg_build to;
	struct filtering f = { .filters = filters };
	int status = CG_ELIMIT;

	cg_build_init(
	    &to, cg_graph_new((*graph)->diag, (*graph)->fault), CG_PARTS_KEEP);
	f.copy = (struct cg_copy){ .from = *graph,
		.to = &to,
		.rowless = (*graph)->runs == 0 ||
			   (!by_calls && cg_filters_stacked(filters) != NULL),
		.placeless = filters->granularity != CG_AS_IT_IS,
		.no_inclusive = unites(filters) };
	if (open_filtering(&f)) {
		f.copy.united = f.united;
		f.copy.hidden = by_calls ? f.hidden : NULL;
		status = fill(&f);
	} else {
		cg_graph_nomem(*graph);
	}
	close_filtering(&f);
	if (status == CG_OK)
		status = cg_graph_complete(to.graph);
	cg_build_free(&to);
	if (status != CG_OK) {
		cg_graph_free(to.graph);
		return status;
	}
	tell_share(*graph, to.graph);
	cg_graph_free(*graph);
	*graph = to.graph;
	return CG_OK;
}
