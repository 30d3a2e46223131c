/*
 * frames.c - the functions, frames, nodes and locations of a file that is
 * written.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

/*
 * Returns the number of a key in a map; a new key gets the next number,
 * ++*count. 0: out of memory (reported).
 */
static uint32_t
number(
    struct proto_writer *w, struct cg_map *ids, uint64_t key, uint32_t *count)
{
	uint32_t *id = cg_map_at(ids, key);

	if (!id) {
		(void)cg_reject_nomem(w->job);
		return 0;
	}
	if (*id == 0)
		*id = ++*count;
	return *id;
}

/* ---- Frames ------------------------------------------------------------- */

/* A function and its name. */
struct called {
	struct cg_slice name, symbol;
	cg_fn fn;
};

static int
compare_called(const void *pa, const void *pb)
{
	const struct called *a = pa, *b = pb;
	int order = cg_compare(a->name, b->name);

	return order ? order : cg_compare(a->symbol, b->symbol);
}

/*
 * Numbers functions in the order of name and linker name, from 1. Stores the
 * numbers in w->fn_name[fn]. Functions with equal names have equal numbers.
 * False: out of memory (reported).
 */
static bool
number_names(struct proto_writer *w)
{
	size_t count = cg_fn_count(w->graph) + 1;
	CG_ARRAY(struct called) called = { 0 };
	struct called *list;
	uint32_t id = 1;

	w->fn_name = cg_alloc(w->job, count * sizeof(*w->fn_name));
	if (!w->fn_name || !cg_resize(w->job, &called, count))
		return false;
	list = called.at;
	for (cg_fn fn = 0; fn < count; fn++)
		list[fn] = (struct called){ cg_fn_name(w->graph, fn),
			cg_fn_symbol(w->graph, fn), fn };
	qsort(list, count, sizeof(*list), compare_called);
	for (size_t i = 0; i < count; i++) {
		id += i > 0 && compare_called(&list[i - 1], &list[i]) != 0;
		w->fn_name[list[i].fn] = id;
	}
	cg_drop(w->job, &called);
	return true;
}

static uint32_t
find_function(struct proto_writer *w, cg_fn fn, cg_file file)
{
	uint32_t count = (uint32_t)w->functions.n, id;
	struct proto_out_function *function;

	id = number(
	    w, &w->function_ids, (uint64_t)w->fn_name[fn] << 32 | file, &count);
	if (id == 0 || id <= w->functions.n)
		return id;
	function = proto_push(w->job, &w->functions);
	if (!function)
		return 0;
	*function = (struct proto_out_function){
		.name = w->fn_name[fn], .fn = fn, .file = file
	};
	return id;
}

/*
 * Returns false if the frame can be written without its function: only the
 * address of the frame is known. Then the function's name is this address, and
 * pprof shows it for a frame without a function. Returns true if the function
 * has another name, a file or line is known, the frame is inlined, or other
 * frames are inlined into its function.
 */
static bool
is_named(const struct proto_writer *w, const struct cg_stack *node)
{
	char hex[CG_NUMBER_MAX];
	char *end = cg_format_hex(hex, node->pos.addr);
	struct cg_slice text = { hex, (size_t)(end - hex) };

	return node->inlined || w->has_inlined[node->fn] ||
	       node->pos.line != 0 || node->pos.file != 0 ||
	       cg_fn_file(w->graph, node->fn) != 0 ||
	       cg_compare(cg_fn_name(w->graph, node->fn), text) != 0;
}

/*
 * Returns the index + 1 of a frame, which is added if no equal one exists; 0:
 * out of memory (reported).
 */
static uint32_t
add_frame(struct proto_writer *w, const struct proto_out_frame *new)
{
	uint32_t count = (uint32_t)w->frames.n, place, addr, at, id;
	struct proto_out_frame *frame;

	/* A map's key has 64 bits, so two fields become a number each time. */
	place = number(w, &w->place_ids,
	    (uint64_t) new->function << 32 | new->line, &w->places);
	addr = number(w, &w->addr_ids, new->addr, &w->addrs);
	at = number(w, &w->at_ids, (uint64_t)place << 32 | addr, &w->ats);
	/*
	 * An inlined frame has the object of the frame below, so it needs none
	 * here.
	 */
	id = number(w, &w->frame_ids,
	    (uint64_t)(new->below ? UINT32_MAX - new->below : new->object)
		    << 32 |
		at,
	    &count);
	if (cg_rejected(w->job) != CG_OK || id <= w->frames.n)
		return id;
	frame = proto_push(w->job, &w->frames);
	if (frame)
		*frame = *new;
	return frame ? id : 0;
}

static uint32_t
find_frame(struct proto_writer *w, const struct cg_stack *node, uint32_t below)
{
	struct proto_out_frame new = { .below = below,
		.object = cg_fn_object(w->graph, node->fn),
		.addr = node->pos.addr,
		.line = node->pos.line };

	if (below != 0) {
		const struct proto_out_frame *frames = w->frames.at;

		new.object = frames[below - 1].object;
		new.addr = frames[below - 1].addr;
	}
	w->elsewhere += node->pos.file != 0 &&
			cg_fn_file(w->graph, node->fn) != 0 &&
			node->pos.file != cg_fn_file(w->graph, node->fn);
	if (is_named(w, node)) {
		new.function = find_function(w, node->fn,
		    node->pos.file ? node->pos.file
				   : cg_fn_file(w->graph, node->fn));
		if (new.function == 0)
			return 0;
	}
	return add_frame(w, &new);
}

/*
 * Sets w->has_inlined[fn] for functions into which others are inlined. False:
 * out of memory (reported).
 */
static bool
mark_inlined(struct proto_writer *w)
{
	struct cg_stack node, parent;

	w->has_inlined = cg_alloc(
	    w->job, (cg_fn_count(w->graph) + 1) * sizeof(*w->has_inlined));
	if (!w->has_inlined)
		return false;
	for (cg_node id = 1; id <= cg_node_count(w->graph); id++) {
		cg_get_node(w->graph, id, &node);
		cg_get_node(w->graph, node.parent, &parent);
		w->has_inlined[parent.fn] |= node.inlined;
	}
	return true;
}

struct lister {
	struct proto_writer *w;
	CG_ARRAY(uint32_t) frame; /* by the graph's node: frame + 1 */
};

/*
 * Returns the index + 1 of the frame of a node; adds the frame if it is new.
 * It is a callback of cg_merged_stacks_new(), which merges nodes with equal
 * results and callers. Also stores the result in lister->frame, where the
 * nodes of inlined frames find that of their parent. 0: out of memory
 * (reported).
 */
static uint32_t
list_frame(void *arg, cg_node id, const struct cg_stack *node)
{
	struct lister *lister = arg;

	if (cg_rejected(lister->w->job) != CG_OK)
		return 0;
	return lister->frame.at[id] = find_frame(lister->w, node,
		   node->inlined ? lister->frame.at[node->parent] : 0);
}

static bool
list_nodes(struct proto_writer *w)
{
	struct lister lister = { .w = w };

	if (!cg_reserve(
		w->job, &lister.frame, (size_t)cg_node_count(w->graph) + 1))
		return false;
	w->merged = cg_merged_stacks_new(w->graph, list_frame, &lister);
	cg_drop(w->job, &lister.frame);
	if (!w->merged)
		return false;
	w->node = cg_merged_frames(w->merged, &w->nodes);
	return cg_rejected(w->job) == CG_OK;
}

/* ---- Locations ---------------------------------------------------------- */

static void
note_mapping(struct proto_writer *w, uint32_t mapping,
    const struct proto_out_frame *frame)
{
	const struct proto_out_function *functions = w->functions.at;
	struct proto_out_mapping *at = w->mappings.at;

	if (mapping == 0)
		return;
	at += mapping - 1;
	at->used = true;
	at->nameless |= frame->function == 0;
	at->files |=
	    frame->function != 0 && functions[frame->function - 1].file != 0;
	at->lines |= frame->line != 0;
}

uint32_t
proto_out_location(struct proto_writer *w, uint32_t frame)
{
	struct proto_out_frame *at = &w->frames.at[frame - 1];
	struct proto_out_location *location;

	if (at->location != 0)
		return at->location;
	location = proto_push(w->job, &w->locations);
	if (!location)
		return 0;
	location->frame = frame - 1;
	location->mapping = proto_find_mapping(w, at->object, at->addr);
	note_mapping(w, location->mapping, at);
	at->location = (uint32_t)w->locations.n;
	return at->location;
}

void
proto_put_stack(struct proto_writer *w, struct proto_bytes *list, uint32_t node)
{
	const struct proto_out_frame *frames = w->frames.at, *frame;

	while (node != 0 && cg_rejected(w->job) == CG_OK) {
		frame = &frames[w->node[node].key - 1];
		proto_put_varint(
		    w, list, proto_out_location(w, w->node[node].key));
		for (; frame->below != 0; frame = &frames[frame->below - 1])
			node = w->node[node].parent;
		node = w->node[node].parent;
	}
}

bool
proto_list_frames(struct proto_writer *w)
{
	return number_names(w) && mark_inlined(w) && list_nodes(w) &&
	       proto_list_mappings(w);
}
