/*
 * nodes.c - adds frames of call stacks, and nodes to their tree.
 *
 * Consecutive stacks usually share a prefix, so every node caches its latest
 * child. The hash table has only children evicted from that cache: most nodes
 * have one child, which is in no table.
 */
#include "graph/build.h"

void
cg_stacks_drop_slots(struct cg_graph *graph)
{
	cg_slots_free(&graph->frame_slots);
	cg_slots_free(&graph->node_slots);
}

/* ---- Frames -------------------------------------------------------------- */

static bool
same_frame(const struct cg_frame_entry *a, const struct cg_frame_entry *b)
{
	return a->fn == b->fn && a->pos.addr == b->pos.addr &&
	       a->pos.line == b->pos.line && a->pos.file == b->pos.file &&
	       a->inlined == b->inlined;
}

static uint32_t
hash_frame(const struct cg_graph *graph, const struct cg_frame_entry *frame)
{
	uint64_t hash = (uint64_t)frame->fn << 32 | frame->pos.file;

	hash = cg_hash_u64(hash ^ cg_hash_seed(graph));
	hash = cg_hash_u64(
	    hash ^ ((uint64_t)frame->pos.line << 1 | frame->inlined));
	return (uint32_t)cg_hash_u64(hash ^ frame->pos.addr);
}

/*
 * Adds all frames to their hash table, which is empty: it is dropped before an
 * output is written, to save memory. False: out of memory; the table is empty
 * then.
 */
static bool
list_frames(struct cg_graph *graph)
{
	bool ok = true;

	for (uint32_t id = 1; ok && id < graph->frames; id++)
		ok = cg_slots_add(&graph->frame_slots,
		    (struct cg_id_slot){
			id, hash_frame(graph, &graph->frame[id]) });
	if (!ok)
		cg_slots_free(&graph->frame_slots);
	return ok;
}

/*
 * Returns the id of the frame that equals *frame, looked up by its hash; 0: it
 * is not in the table.
 */
static uint32_t
find_frame(const struct cg_graph *graph, const struct cg_frame_entry *frame,
    uint32_t hash)
{
	size_t at = hash;
	uint32_t id;

	do
		id = cg_slots_next(&graph->frame_slots, hash, &at);
	while (id != 0 && !same_frame(&graph->frame[id], frame));
	return id;
}

/*
 * Appends a frame to the array, inserts it into the hash table and returns its
 * id; records in the graph's facts that there are addresses or lines. 0: out
 * of memory, or too many frames.
 */
static uint32_t
add_frame(
    struct cg_graph *graph, const struct cg_frame_entry *frame, uint32_t hash)
{
	uint32_t id = (uint32_t)graph->frames;

	if (graph->frames == UINT32_MAX ||
	    !cg_grow_raw(&graph->frame, &graph->frame_cap, graph->frames + 1,
		sizeof(*graph->frame)) ||
	    !cg_slots_add(&graph->frame_slots, (struct cg_id_slot){ id, hash }))
		return 0;
	graph->frame[graph->frames++] = *frame;
	graph->facts |= (frame->pos.addr != 0 ? CG_INSTRS : 0) |
			(frame->pos.line != 0 ? CG_LINES : 0);
	return id;
}

/*
 * Returns the id of the frame that equals *frame, added if there is none; 0:
 * out of memory, or too many frames. The frame looked up last for each
 * function is tried first, as many functions have only one.
 */
static uint32_t
get_frame(struct cg_graph *graph, const struct cg_frame_entry *frame)
{
	uint32_t *latest = &graph->fn[frame->fn].frame, hash;

	if (*latest != 0 && *latest < graph->frames &&
	    same_frame(&graph->frame[*latest], frame))
		return *latest;
	if (graph->frame_slots.count == 0 && !list_frames(graph))
		return 0;
	hash = hash_frame(graph, frame);
	*latest = find_frame(graph, frame, hash);
	if (*latest == 0)
		*latest = add_frame(graph, frame, hash);
	return *latest;
}

/* ---- Nodes --------------------------------------------------------------- */

static uint32_t
hash_node(const struct cg_graph *graph, const struct cg_node_entry *node)
{
	uint64_t hash = (uint64_t)node->parent << 32 | node->frame;

	return (uint32_t)cg_hash_u64(hash ^ cg_hash_seed(graph));
}

static bool
same_node(const struct cg_node_entry *a, const struct cg_node_entry *b)
{
	return a->parent == b->parent && a->frame == b->frame;
}

/*
 * Inserts a node of the stack tree into the hash table of nodes; the caller
 * has made room. A node is found there by its parent and frame.
 */
static void
list_node(struct cg_graph *graph, cg_node id)
{
	struct cg_node_entry *node = &graph->node[id];

	node->listed = 1;
	cg_slots_fill(&graph->node_slots,
	    (struct cg_id_slot){ id, hash_node(graph, node) });
}

/*
 * Makes room in the hash table for one more node. Rebuilds a dropped table,
 * without each node's latest child, which the node itself stores. False: out
 * of memory.
 */
static bool
grow_node_slots(struct cg_graph *graph)
{
	bool dropped = graph->node_slots.count == 0;

	if (!cg_slots_grow(&graph->node_slots))
		return false;
	for (cg_node id = 1; dropped && id < graph->nodes; id++) {
		cg_node parent = graph->node[id].parent;
		cg_node before = graph->node[parent].latest;

		if (!cg_slots_grow(&graph->node_slots))
			return false;
		if (before != 0)
			list_node(graph, before);
		graph->node[parent].latest = id & CG_NODES_MAX;
	}
	return true;
}

static cg_node
new_node(struct cg_build *build, const struct cg_node_entry *node)
{
	struct cg_graph *graph = build->graph;
	cg_node id = (cg_node)graph->nodes;

	if (id >= CG_NODES_MAX || !cg_grow_raw(&graph->node, &graph->node_cap,
				      graph->nodes + 1, sizeof(*node))) {
		cg_build_nomem(build);
		return 0;
	}
	graph->node[id] = *node;
	graph->nodes++;
	return id;
}

/*
 * Returns the id of the node with the same parent and frame, looked up in the
 * hash table; 0: it is not there.
 */
static cg_node
find_node(const struct cg_graph *graph, const struct cg_node_entry *node)
{
	uint32_t hash = hash_node(graph, node);
	size_t at = hash;
	cg_node id;

	do
		id = cg_slots_next(&graph->node_slots, hash, &at);
	while (id != 0 && !same_node(&graph->node[id], node));
	return id;
}

/*
 * Returns the child of node->parent with that frame, which becomes its latest
 * child; adds it if new. The latest child before must have another frame, and
 * moves to the hash table. 0: the builder has failed.
 */
static cg_node
change_latest(struct cg_build *build, const struct cg_node_entry *node)
{
	struct cg_graph *graph = build->graph;
	cg_node latest, id = 0;

	if (!grow_node_slots(graph)) {
		cg_build_nomem(build);
		return 0;
	}
	latest = graph->node[node->parent].latest;
	if (latest != 0) {
		if (!graph->node[latest].listed)
			list_node(graph, latest);
		id = find_node(graph, node);
	}
	if (id == 0)
		id = new_node(build, node);
	graph->node[node->parent].latest = id & CG_NODES_MAX;
	return id;
}

cg_node
cg_add_node(struct cg_build *build, cg_node parent, cg_frame_id frame)
{
	const struct cg_graph *graph = build->graph;
	cg_node latest;

	if (!cg_build_check(build, parent, graph->nodes, "stack node") ||
	    !cg_build_check(build, frame, graph->frames, "frame"))
		return 0;
	latest = graph->node[parent].latest;
	if (latest != 0 && graph->node[latest].frame == frame)
		return latest;
	return change_latest(
	    build, &(struct cg_node_entry){ .parent = parent, .frame = frame });
}

static bool
check_frame(struct cg_build *build, const struct cg_frame_entry *frame)
{
	const struct cg_graph *graph = build->graph;

	return cg_build_check(build, frame->fn, graph->fns, "function") &&
	       cg_build_check(
		   build, frame->pos.file, graph->files.count, "file");
}

cg_frame_id
cg_get_frame(
    struct cg_build *build, cg_fn fn, const struct cg_pos *pos, bool inlined)
{
	struct cg_frame_entry frame = {
		.fn = fn, .inlined = inlined, .pos = *pos
	};
	cg_frame_id id;

	if (!check_frame(build, &frame))
		return 0;
	id = get_frame(build->graph, &frame);
	if (id == 0)
		cg_build_nomem(build);
	return id;
}

cg_node
cg_add_frame(struct cg_build *build, cg_node parent, cg_fn fn,
    const struct cg_pos *pos, bool inlined)
{
	struct cg_graph *graph = build->graph;
	struct cg_frame_entry frame = {
		.fn = fn, .inlined = inlined, .pos = *pos
	};
	cg_node latest;
	cg_frame_id id;

	if (!cg_build_check(build, parent, graph->nodes, "stack node") ||
	    !check_frame(build, &frame))
		return 0;
	latest = graph->node[parent].latest;
	if (latest != 0 && same_frame(cg_frame_of(graph, latest), &frame))
		return latest;
	id = get_frame(graph, &frame);
	if (id != 0)
		return change_latest(build,
		    &(struct cg_node_entry){ .parent = parent, .frame = id });
	cg_build_nomem(build);
	return 0;
}

/* ---- Paths --------------------------------------------------------------- */

/*
 * Adds a path of n new nodes below parent, one for each frame. parent must
 * have no children, so that no look-up is needed. Returns the last node;
 * parent itself if n is 0. 0: the builder has failed.
 */
static cg_node
add_chain(
    struct cg_build *build, cg_node parent, const cg_frame_id *frame, size_t n)
{
	struct cg_graph *graph = build->graph;
	struct cg_node_entry *entry;

	if (graph->nodes + n > CG_NODES_MAX ||
	    !cg_grow_raw(&graph->node, &graph->node_cap, graph->nodes + n,
		sizeof(*graph->node))) {
		cg_build_nomem(build);
		return 0;
	}
	entry = graph->node;
	for (size_t i = 0; i < n; i++) {
		cg_node id = (cg_node)graph->nodes;

		if (!cg_build_check(build, frame[i], graph->frames, "frame"))
			return 0;
		entry[parent].latest = id & CG_NODES_MAX;
		entry[id] = (struct cg_node_entry){ .parent = parent,
			.frame = frame[i] };
		graph->nodes++;
		parent = id;
	}
	return parent;
}

/*
 * A position on the way along a path: the next frame belongs on top of the
 * node.
 */
struct walk {
	const cg_frame_id *frame, *end;
	cg_node node;
	cg_node next;  /* candidate for the node of that frame */
	uint32_t hash; /* hash of that node */
};
#define WALKS 16 /* paths processed at once */

/*
 * Sets walk->next of n walks to their node's latest child, or to 0 if that has
 * another frame. Sets walk->hash for look_at_table(). Prefetches for all, so
 * that cache misses overlap.
 */
static void
look_at_latest(const struct cg_graph *graph, struct walk *const *walk, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		walk[i]->next = graph->node[walk[i]->node].latest;
		CG_PREFETCH(&graph->node[walk[i]->next]);
	}
	for (size_t i = 0; i < n; i++) {
		struct cg_node_entry node = { .parent = walk[i]->node,
			.frame = *walk[i]->frame };

		walk[i]->hash = hash_node(graph, &node);
		if (graph->node[walk[i]->next].frame != node.frame) {
			walk[i]->next = 0;
			cg_slots_prefetch(&graph->node_slots, walk[i]->hash);
		}
	}
}

/*
 * Handles the walks that look_at_latest() left without a next node. Sets
 * walk->next to the first node in the hash table with the hash of the walk, 0
 * if there is none, and prefetches it. The caller checks parent and frame.
 */
static void
look_at_table(const struct cg_graph *graph, struct walk *const *walk, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t at = walk[i]->hash;

		if (walk[i]->next != 0)
			continue;
		walk[i]->next =
		    cg_slots_next(&graph->node_slots, walk[i]->hash, &at);
		CG_PREFETCH(&graph->node[walk[i]->next]);
	}
}

/*
 * Follows n paths of frames, at most WALKS, down the tree to the last nodes
 * found. Steps along all in turn, so that cache misses overlap. Existing nodes
 * may be missed: nodes not found at the first look count as missing.
 */
static void
walk_paths(const struct cg_graph *graph, struct walk *path, size_t n)
{
	struct walk *walk[WALKS];
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (path[i].frame < path[i].end)
			walk[left++] = &path[i];
	}
	while (left > 0) {
		size_t walks = left;

		look_at_latest(graph, walk, walks);
		look_at_table(graph, walk, walks);
		left = 0;
		for (size_t i = 0; i < walks; i++) {
			struct walk *at = walk[i];
			const struct cg_node_entry *next =
			    &graph->node[at->next];

			if (next->parent != at->node ||
			    next->frame != *at->frame)
				continue;
			at->node = at->next;
			if (++at->frame < at->end)
				walk[left++] = at;
		}
	}
}

/*
 * Adds the nodes of a path that walk_paths() did not find. A node that exists
 * after all is not added again. Returns the path's last node; 0: the path is
 * empty, or the builder has failed.
 */
static cg_node
finish_walk(struct cg_build *build, const struct walk *walk)
{
	cg_node node = walk->node;

	for (const cg_frame_id *at = walk->frame; at < walk->end; at++) {
		size_t nodes = build->graph->nodes;

		node = cg_add_node(build, node, *at);
		if (node == nodes)
			return add_chain(
			    build, node, at + 1, (size_t)(walk->end - at - 1));
		if (node == 0)
			break;
	}
	return node;
}

bool
cg_add_paths(struct cg_build *build, const cg_frame_id *frame,
    const size_t *end, size_t n, cg_node *leaf)
{
	struct walk walk[WALKS];
	size_t begin = 0;

	for (size_t done = 0, walks; done < n; done += walks) {
		walks = n - done < WALKS ? n - done : WALKS;
		for (size_t i = 0; i < walks; i++) {
			walk[i] = (struct walk){ frame + begin,
				frame + end[done + i], 0, 0, 0 };
			begin = end[done + i];
		}
		walk_paths(build->graph, walk, walks);
		for (size_t i = 0; i < walks; i++) {
			leaf[done + i] = finish_walk(build, &walk[i]);
			if (build->status != CG_OK)
				return false;
		}
	}
	return true;
}
