/*
 * merged_stacks.c - merges call stacks by the part of their frames that a
 * format writes.
 *
 * A table maps each pair of parent and key to a frame. Children are kept as
 * one array, grouped by parent, each group sorted by key.
 */
#include <stdlib.h>

#include "algo/algo.h"

struct cg_merged_stacks {
	const struct cg_graph *graph;
	struct cg_merged_frame *frame;
	size_t frames;      /* with frame 0 */
	uint32_t *frame_of; /* by node */
	uint32_t *begin;    /* by frame: its first child; one more at the end */
	uint32_t *child;
};

/* The children of a frame, while frames are merged. */
struct children {
	uint32_t latest : 31; /* found by the last look-up; 0: there are none */
	uint32_t many : 1;    /* all of them are in the table */
};

/*
 * Returns the address of the table's entry for the child of a frame (parent)
 * with that key: the child's number, or 0 if it has none yet, which the caller
 * then sets. NULL: out of memory.
 */
static uint32_t *
child_at(struct cg_map *known, uint32_t parent, uint32_t key)
{
	return cg_map_at(known, (uint64_t)parent << 32 | key);
}

/*
 * Returns the number of the parent's child with this key, which must differ
 * from the last child's key. 0: it is new, and the caller must add it with the
 * next number. SIZE_MAX: out of memory.
 */
static size_t
change_latest(const struct cg_merged_stacks *merged, struct cg_map *known,
    struct children *of, uint32_t parent, uint32_t key)
{
	uint32_t *id, found;

	if (of->latest == 0)
		return 0;
	if (!of->many) {
		id = child_at(known, parent, merged->frame[of->latest].key);
		if (!id)
			return SIZE_MAX;
		*id = of->latest;
		of->many = true;
	}
	id = child_at(known, parent, key);
	if (!id)
		return SIZE_MAX;
	found = *id;
	if (found == 0)
		*id = (uint32_t)merged->frames;
	return found;
}

/*
 * Maps each node of stacks to a merged frame, adding frames. Siblings with
 * equal keys become one. Only children with siblings are in the table, as most
 * frames have one child. False: out of memory.
 */
static bool
merge_frames(struct cg_merged_stacks *merged, cg_merge_key *get_key, void *arg)
{
	size_t nodes = cg_node_count(merged->graph) + 1, id = 0;
	struct children *children = calloc(nodes, sizeof(*children));
	struct cg_map known = { 0 };

	for (cg_node node = 1; children && node < nodes; node++) {
		struct cg_stack stack;
		struct children *of;
		uint32_t parent, key;

		cg_get_node(merged->graph, node, &stack);
		parent = merged->frame_of[stack.parent];
		key = get_key(arg, node, &stack);
		of = &children[parent];
		id = of->latest;
		if (id == 0 || merged->frame[id].key != key)
			id = change_latest(merged, &known, of, parent, key);
		if (id == SIZE_MAX)
			break;
		if (id == 0) {
			id = merged->frames++;
			merged->frame[id] =
			    (struct cg_merged_frame){ .parent = parent,
				    .depth = (merged->frame[parent].depth + 1) &
					     CG_NODES_MAX,
				    .key = key,
				    .fn = stack.fn };
		}
		merged->frame_of[node] = (uint32_t)id;
		of->latest = id & CG_NODES_MAX;
	}
	cg_map_free(&known);
	free(children);
	return children && id != SIZE_MAX;
}

static void
mark_ends(struct cg_merged_stacks *merged)
{
	struct cg_stack_cost stack;

	for (size_t i = 0;
	     cg_next_stack(merged->graph, CG_ALL_PARTS, &i, &stack);)
		merged->frame[merged->frame_of[stack.leaf]].ends_stack = true;
}

static int
compare_u64(const void *pa, const void *pb)
{
	const uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return (a > b) - (a < b);
}

/*
 * Sorts the n children of a merged frame by key; room is scratch space for n
 * numbers.
 */
static void
sort_children(
    struct cg_merged_stacks *merged, uint32_t *child, size_t n, uint64_t *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] =
		    (uint64_t)merged->frame[child[i]].key << 32 | child[i];
	qsort(room, n, sizeof(*room), compare_u64);
	for (size_t i = 0; i < n; i++)
		child[i] = (uint32_t)room[i];
}

static bool
group_children(struct cg_merged_stacks *merged)
{
	size_t frames = merged->frames;
	uint64_t *room = calloc(frames, sizeof(*room));
	uint32_t sum = 0;

	merged->begin = calloc(frames + 1, sizeof(*merged->begin));
	merged->child = calloc(frames, sizeof(*merged->child));
	if (!room || !merged->begin || !merged->child) {
		free(room);
		return false;
	}
	for (size_t i = 1; i < frames; i++)
		merged->begin[merged->frame[i].parent]++;
	for (size_t i = 0; i < frames; i++)
		merged->begin[i] = sum += merged->begin[i];
	merged->begin[frames] = sum;
	/*
	 * From the last one on: this turns each group's end into its
	 * beginning.
	 */
	for (size_t i = frames - 1; i > 0; i--)
		merged->child[--merged->begin[merged->frame[i].parent]] =
		    (uint32_t)i;
	for (size_t i = 0; i < frames; i++) {
		uint32_t begin = merged->begin[i];
		size_t n = merged->begin[i + 1] - begin;

		if (n > 1)
			sort_children(merged, &merged->child[begin], n, room);
	}
	free(room);
	return true;
}

struct cg_merged_stacks *
cg_merged_stacks_new(
    const struct cg_graph *graph, cg_merge_key *get_key, void *arg)
{
	struct cg_merged_stacks *merged = calloc(1, sizeof(*merged));
	size_t nodes = cg_node_count(graph) + 1;

	if (merged) {
		merged->graph = graph;
		merged->frames = 1;
		merged->frame = calloc(nodes, sizeof(*merged->frame));
		merged->frame_of = calloc(nodes, sizeof(*merged->frame_of));
	}
	if (!merged || !merged->frame || !merged->frame_of ||
	    !merge_frames(merged, get_key, arg) || !group_children(merged)) {
		cg_merged_stacks_free(merged);
		cg_graph_nomem(graph);
		return NULL;
	}
	mark_ends(merged);
	return merged;
}

void
cg_merged_stacks_free(struct cg_merged_stacks *merged)
{
	if (!merged)
		return;
	free(merged->frame);
	free(merged->frame_of);
	free(merged->begin);
	free(merged->child);
	free(merged);
}

const struct cg_merged_frame *
cg_merged_frames(const struct cg_merged_stacks *merged, size_t *count)
{
	*count = merged->frames;
	return merged->frame;
}

uint32_t
cg_merged_of(const struct cg_merged_stacks *merged, cg_node node)
{
	return merged->frame_of[node];
}

size_t
cg_merged_children(const struct cg_merged_stacks *merged, uint32_t frame,
    const uint32_t **child)
{
	*child = merged->child + merged->begin[frame];
	return merged->begin[frame + 1] - merged->begin[frame];
}

static bool
add_cost(uint64_t *sum, uint64_t more, bool is_signed)
{
	int64_t value;

	if (!is_signed)
		return !__builtin_add_overflow(*sum, more, sum);
	if (__builtin_add_overflow((int64_t)*sum, (int64_t)more, &value))
		return false;
	*sum = (uint64_t)value;
	return true;
}

bool
cg_merged_costs(
    const struct cg_merged_stacks *merged, size_t event, uint64_t *sum)
{
	bool is_signed = cg_get_event(merged->graph, event)->is_signed;
	struct cg_stack_cost stack;
	bool ok = true;

	for (size_t i = 0;
	     cg_next_stack(merged->graph, CG_ALL_PARTS, &i, &stack);) {
		if (event < stack.n)
			ok &= add_cost(&sum[merged->frame_of[stack.leaf]],
			    stack.cost[event], is_signed);
	}
	return ok;
}

/* ---- Kinds of frames ---------------------------------------------------- */

static bool
ends_with(struct cg_slice text, const char *end)
{
	size_t len = strlen(end);

	return text.len >= len &&
	       memcmp(text.ptr + text.len - len, end, len) == 0;
}

/* Objects in brackets are the kernel and its modules, except these. */
static const struct {
	const char *prefix;
	char kind;
} no_kernel[] = { { "[jit]", 'j' }, { "[JIT ", 'j' }, { "[unknown]", 0 },
	{ "[vdso", 0 }, { "[vsyscall]", 0 }, { "[heap]", 0 }, { "[stack", 0 },
	{ "[anon", 0 } };

/*
 * Returns 'i' for an inlined frame, 'j' for code compiled at run time, 'k' for
 * the kernel, else 0. Judges by the object, as stackcollapse-perf.pl --all
 * does. Unlike there, "[JIT app cache]" (simpleperf) is 'j', and "[vdso]" and
 * "[anon:x]" are 0, not the kernel.
 */
char
cg_frame_kind(const struct cg_graph *graph, const struct cg_stack *stack)
{
	struct cg_slice path =
	    cg_object_path(graph, cg_fn_object(graph, stack->fn));
	struct cg_slice base = cg_base_name(path);

	if (stack->inlined)
		return 'i';
	if (cg_starts(base, "perf-") && ends_with(base, ".map"))
		return 'j';
	for (size_t i = 0; i < sizeof(no_kernel) / sizeof(*no_kernel); i++) {
		if (cg_starts(path, no_kernel[i].prefix))
			return no_kernel[i].kind;
	}
	if (path.len > 0 && *path.ptr == '[')
		return 'k';
	return cg_starts(base, "vmlinux") || ends_with(base, ".ko") ? 'k' : 0;
}
