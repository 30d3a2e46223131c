/*
 * tree.c - the frames of a flame graph and their costs. The library merges
 * stacks from the root on; --reverse-order merges them from the leaf on.
 */

#include "svg.h"

/*
 * Limits of reversed stacks. They have up to as many frames as all stacks
 * together, because they share few callers. Browsers cannot open larger
 * pictures; deep recursion alone could take hours.
 */
#define REVERSED_MAX (1u << 21)
#define STEPS_MAX (1u << 28)

/* ---- Reversing ---------------------------------------------------------- */

struct reversal {
	struct svg *svg;
	struct svg_tree *tree;
	struct cg_map ids; /* parent, key -> frame */
	uint64_t steps;
};

/*
 * Appends a frame to the tree of reversed stacks, and 0 as its costs. Returns
 * it, valid until the next one is added; NULL: out of memory (reported).
 */
static struct cg_merged_frame *
add_reversed(struct reversal *r)
{
	return cg_push(r->svg->job, &r->tree->reverse_cost)
		   ? cg_push(r->svg->job, &r->tree->reverse)
		   : NULL;
}

/*
 * Finds the child of "parent" with the frame's key in the tree of reversed
 * stacks. Adds the child if there is none. Returns its number. 0: too many
 * frames, or out of memory (reported).
 */
static uint32_t
find_reversed(
    struct reversal *r, uint32_t parent, const struct cg_merged_frame *frame)
{
	uint32_t *id = cg_map_at(&r->ids, (uint64_t)parent << 32 | frame->key);
	struct cg_merged_frame *new;

	if (id && *id != 0)
		return *id;
	if (r->tree->reverse.n > REVERSED_MAX || r->steps > STEPS_MAX) {
		(void)cg_reject(r->svg->job,
		    "stacks have too many frames together to be reversed; "
		    "{focus}, {prune-from} and others select some");
		return 0;
	}
	if (!id) {
		(void)cg_reject_nomem(r->svg->job);
		return 0;
	}
	new = add_reversed(r);
	if (!new)
		return 0;
	*id = (uint32_t)r->tree->reverse.n - 1;
	*new = (struct cg_merged_frame){
		.parent = parent, .key = frame->key, .fn = frame->fn
	};
	return *id;
}

static bool
reverse_stack(struct reversal *r, uint32_t leaf)
{
	const struct cg_merged_frame *frame = r->tree->frame;
	const struct svg_cost *cost = &r->tree->cost.at[leaf];
	uint32_t at = 0;

	r->steps += frame[leaf].depth;
	for (uint32_t from = leaf; from != 0; from = frame[from].parent) {
		at = find_reversed(r, at, &frame[from]);
		if (at == 0)
			return false;
	}
	for (int side = 0; side < 2; side++)
		r->tree->reverse_cost.at[at].self[side] += cost->self[side];
	return true;
}

/*
 * Replaces the tree and its costs by the tree of reversed stacks. They begin
 * at the leaf. The new tree gets each stack that has self costs. The sums of
 * costs fit, as sum_costs() has checked the total. False: an error (reported).
 */
static bool
reverse(struct svg_tree *tree, struct svg *svg)
{
	struct reversal r = { .svg = svg, .tree = tree };
	struct cg_merged_frame *bottom = add_reversed(&r);
	bool ok = bottom != NULL;

	if (ok)
		*bottom = tree->frame[0];
	for (uint32_t i = 0; ok && i < tree->frames; i++) {
		const struct svg_cost *cost = &tree->cost.at[i];

		if (cost->self[0] != 0 || cost->self[1] != 0)
			ok = reverse_stack(&r, i);
	}
	cg_map_free(&r.ids); /* large: before the graph is drawn */
	cg_drop(svg->job, &tree->cost);
	tree->cost = tree->reverse_cost;
	tree->frame = tree->reverse.at;
	tree->frames = tree->reverse.n;
	return ok;
}

/* ---- Costs -------------------------------------------------------------- */

/*
 * Adds self costs, of both sides of a difference, to the inclusive costs of
 * all frames, which are 0 before. Goes from callees to callers: parents have
 * lower numbers than their children. False: a sum overflows (reported).
 */
static bool
sum_costs(struct svg_tree *tree, struct svg *svg)
{
	bool ok = true;

	for (size_t i = tree->frames; i-- > 0;) {
		struct svg_cost *cost = &tree->cost.at[i];
		struct svg_cost *to = &tree->cost.at[tree->frame[i].parent];

		for (int side = 0; side < 2; side++) {
			uint64_t *total = &cost->total[side];

			ok = ok && !__builtin_add_overflow(
				       *total, cost->self[side], total);
			if (i > 0 && __builtin_add_overflow(to->total[side],
					 *total, &to->total[side]))
				ok = false;
		}
	}
	return ok || cg_reject(svg->job,
			 "svg cannot represent costs of 2^64 and more");
}

static bool
add_column(struct svg_tree *tree, struct svg *svg, size_t column, int side)
{
	CG_ARRAY(uint64_t) self = { 0 };
	bool ok;

	if (!cg_resize(svg->job, &self, tree->frames))
		return false;
	ok = cg_merged_costs(tree->merged, column, self.at);
	for (size_t i = 0; ok && i < tree->frames; i++)
		tree->cost.at[i].self[side] = self.at[i];
	cg_drop(svg->job, &self);
	return ok || cg_reject(svg->job,
			 "svg cannot represent costs of 2^64 and more");
}

/* ---- Children ----------------------------------------------------------- */

/*
 * Lists frames by parent, by counting sort. The children of frame i become
 * tree->child[tree->first[i]] to tree->child[tree->first[i + 1] - 1]. False:
 * out of memory (reported).
 */
static bool
list_children(struct svg_tree *tree, struct svg *svg)
{
	uint32_t sum = 0, count;

	tree->first =
	    cg_alloc(svg->job, (tree->frames + 1) * sizeof(*tree->first));
	tree->child = cg_alloc(svg->job, tree->frames * sizeof(*tree->child));
	if (!tree->first || !tree->child)
		return false;
	for (size_t i = 1; i < tree->frames; i++)
		tree->first[tree->frame[i].parent]++;
	for (size_t i = 0; i <= tree->frames; i++) {
		count = tree->first[i];
		tree->first[i] = sum;
		sum += count;
	}
	for (size_t i = 1; i < tree->frames; i++)
		tree->child[tree->first[tree->frame[i].parent]++] = (uint32_t)i;
	/* Each element is now where the next one begins. */
	for (size_t i = tree->frames; i > 0; i--)
		tree->first[i] = tree->first[i - 1];
	tree->first[0] = 0;
	return true;
}

size_t
svg_tree_children(
    const struct svg_tree *tree, uint32_t frame, const uint32_t **child)
{
	*child = tree->child + tree->first[frame];
	return tree->first[frame + 1] - tree->first[frame];
}

/* ---- All ---------------------------------------------------------------- */

bool
svg_tree_make(struct svg_tree *tree, struct svg *svg)
{
	tree->merged = cg_merged_stacks_new(svg->graph, svg_frame_key, svg);
	if (!tree->merged)
		return false;
	tree->frame = cg_merged_frames(tree->merged, &tree->frames);
	if (!cg_resize(svg->job, &tree->cost, tree->frames) ||
	    !add_column(tree, svg, svg->column, 0) ||
	    (svg->change && !add_column(tree, svg, svg->other, 1)) ||
	    !sum_costs(tree, svg))
		return false;
	if (svg->reversed && (!reverse(tree, svg) || !sum_costs(tree, svg)))
		return false;
	return list_children(tree, svg);
}
