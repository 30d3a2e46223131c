/*
 * paths.c - finds the blocks of the prime paths that were not taken.
 *
 * Notes have the number of a function's prime paths, data has a bit for each
 * path, 1 if it was taken. The paths themselves are recomputed. A path is
 * simple if no block is on it twice, except that it may end where it begins.
 * It is prime if it is not part of another simple path. Prime paths are
 * numbered in the lexical order of their blocks. Fake arcs are ignored, and a
 * path has at least two blocks.
 *
 * From each block all simple paths are walked, successors in ascending order,
 * so prime paths are found in the order of their numbers. A path that ends
 * where it begins is prime. Any other is prime if no block can follow it and
 * no block can precede it, that is, if all predecessors of its first block are
 * on it. Such a predecessor is in the strongly connected component of the
 * first block: a path that leaves the component before it contains all
 * predecessors is abandoned.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

/*
 * Limit of steps for all functions of a unit, which take a third of a second.
 */
#define WORK_MAX ((uint64_t)1 << 25)
/* Limit of rows for a unit: about 10 MB. */
#define ROWS_MAX ((uint64_t)1 << 20)

/*
 * From gcc 15 on: flag of the arc that is followed if the condition is false.
 */
#define ARC_FALSE 16u

/* Successors or predecessors: block[head[b]] to block[head[b + 1] - 1] of b. */
struct lists {
	uint32_t *head, *block;
};

struct walk {
	struct gcov_unit *unit;
	const struct gcov_fn *fn;
	struct cg_build *build; /* NULL: only count paths */
	struct lists to, from;
	uint32_t *component; /* by block */
	uint32_t *pred_of;   /* by block: start + 1 if it precedes start */
	uint32_t *on;        /* by block: it is on the path */
	uint32_t *path;
	uint32_t *next;     /* by index on the path: a block can follow */
	uint32_t *has_next; /* by index on the path: can a block follow? */
	uint32_t depth;
	uint32_t missing;    /* predecessors of the start not on the path */
	bool has_outer_pred; /* one is outside of start's component */
	uint32_t count;
};

/* ---- The graph ---------------------------------------------------------- */

static int
compare_blocks(const void *va, const void *vb)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return (a > b) - (a < b);
}

/*
 * Lists the successors of a block in to[], in ascending order and once each,
 * without fake arcs. Returns their number. to[] has room for all arcs of the
 * block.
 */
static uint32_t
list_successors(const struct walk *walk, uint32_t block, uint32_t *to)
{
	const struct gcov_block *at =
	    &walk->unit->block[walk->fn->block + block];
	uint32_t n = 0, unique = 0;

	for (uint32_t i = 0; i < at->arcs; i++) {
		const struct gcov_arc *arc = &walk->unit->arc[at->arc + i];

		if (!(arc->flags & GCOV_FAKE))
			to[n++] = arc->dst;
	}
	if (n > 1)
		qsort(to, n, sizeof(*to), compare_blocks);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || to[i] != to[i - 1])
			to[unique++] = to[i];
	}
	return unique;
}

static void
make_lists(struct walk *walk)
{
	uint32_t n = walk->fn->blocks, *head = walk->from.head;

	walk->to.head[0] = 0;
	for (uint32_t b = 0; b < n; b++)
		walk->to.head[b + 1] =
		    walk->to.head[b] +
		    list_successors(walk, b, walk->to.block + walk->to.head[b]);
	memset(head, 0, (n + 1) * sizeof(*head));
	for (uint32_t i = 0; i < walk->to.head[n]; i++)
		head[walk->to.block[i]]++;
	for (uint32_t b = 1; b <= n; b++)
		head[b] += head[b - 1];
	for (uint32_t b = n; b-- > 0;) {
		for (uint32_t i = walk->to.head[b + 1]; i-- > walk->to.head[b];)
			walk->from.block[--head[walk->to.block[i]]] = b;
	}
}

/*
 * Sets walk->component of the blocks that root, which must be unvisited,
 * reaches and no search has visited. It is one block of their strongly
 * connected component (Tarjan's algorithm). *numbered is the number of visited
 * blocks. Overwrites the path's arrays.
 */
static void
find_components_from(struct walk *walk, uint32_t root, uint32_t *numbered)
{
	uint32_t *number = walk->pred_of, *low = walk->on, *next = walk->next;
	uint32_t *stack = walk->path, *waiting = walk->has_next;
	uint32_t depth = 0, waits = 0, block = root, to;

	for (;;) {
		if (number[block] == 0) {
			low[block] = number[block] = ++*numbered;
			next[block] = walk->to.head[block];
			stack[depth++] = waiting[waits++] = block;
		}
		if (next[block] < walk->to.head[block + 1]) {
			to = walk->to.block[next[block]++];
			if (number[to] == 0)
				block = to;
			else if (walk->component[to] == GCOV_NONE &&
				 number[to] < low[block])
				low[block] = number[to];
			continue;
		}
		if (low[block] == number[block]) {
			do {
				to = waiting[--waits];
				walk->component[to] = block;
			} while (to != block);
		}
		if (--depth == 0)
			return;
		to = block;
		block = stack[depth - 1];
		if (low[to] < low[block])
			low[block] = low[to];
	}
}

static void
find_components(struct walk *walk)
{
	uint32_t n = walk->fn->blocks, numbered = 0;

	memset(walk->pred_of, 0, n * sizeof(*walk->pred_of));
	memset(walk->component, 0xff, n * sizeof(*walk->component));
	for (uint32_t b = 0; b < n; b++) {
		if (walk->pred_of[b] == 0)
			find_components_from(walk, b, &numbered);
	}
	memset(walk->pred_of, 0, n * sizeof(*walk->pred_of));
	memset(walk->on, 0, n * sizeof(*walk->on));
}

/*
 * Prepares the search for the prime paths of walk->fn. Allocates the arrays,
 * lists successors and predecessors of blocks, and finds the strongly
 * connected components. False: out of memory.
 */
static bool
begin(struct walk *walk)
{
	struct gcov_scratch *scratch = &walk->unit->scratch;
	size_t n = (size_t)walk->fn->blocks + 1, arcs = walk->fn->arcs;
	uint32_t *word;

	if (!gcov_grow(walk->unit, &scratch->walk, &scratch->walk_cap,
		8 * n + 2 * arcs, sizeof(*scratch->walk)))
		return false;
	word = scratch->walk;
	walk->to = (struct lists){ word, word + 2 * n };
	walk->from = (struct lists){ word + n, word + 2 * n + arcs };
	word += 2 * n + 2 * arcs;
	walk->component = word;
	walk->pred_of = word + n;
	walk->on = word + 2 * n;
	walk->path = word + 3 * n;
	walk->next = word + 4 * n;
	walk->has_next = word + 5 * n;
	make_lists(walk);
	find_components(walk);
	return true;
}

/* ---- Rows --------------------------------------------------------------- */

/*
 * Returns the first arc from block src to dst that is not fake; NULL: none. A
 * block's arcs must be sorted by destination, as solve.c leaves them.
 */
static const struct gcov_arc *
find_arc(const struct walk *walk, uint32_t src, uint32_t dst)
{
	const struct gcov_block *at = &walk->unit->block[walk->fn->block + src];
	const struct gcov_arc *arc = walk->unit->arc + at->arc;
	uint32_t low = 0, high = at->arcs, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (arc[middle].dst < dst)
			low = middle + 1;
		else
			high = middle;
	}
	while (
	    low < at->arcs && arc[low].dst == dst && arc[low].flags & GCOV_FAKE)
		low++;
	return low < at->arcs && arc[low].dst == dst ? &arc[low] : NULL;
}

/*
 * Returns the word that gcov prints after a block of a path, for the arc to
 * the next block. gcov 15 and 16 print "true" if the condition is false. "":
 * none, or arc is NULL.
 */
static const char *
word_for(const struct gcov_arc *arc)
{
	return !arc                            ? ""
	       : arc->flags & ARC_FALSE        ? "true"
	       : arc->flags & GCOV_FALLTHROUGH ? "fallthru"
	       : arc->flags & GCOV_THROW       ? "throw"
					       : "";
}

static bool
add_row(struct walk *walk, const struct cg_branch *row)
{
	walk->unit->path_rows++;
	return cg_add_branch(walk->build, walk->fn->id, row);
}

/*
 * Adds block row->target of a path to the graph: a row for each of its lines.
 * Without lines, adds one row with line 0. Increments row->index for each span
 * (lines of one file) with lines, or for that row. The last span's rows have
 * CG_BRANCH_LAST. False: the builder has failed.
 */
static bool
add_block(struct walk *walk, struct cg_branch *row)
{
	const struct gcov_unit *unit = walk->unit;
	uint32_t p = unit->block[walk->fn->block + row->target].span, last;
	const struct gcov_span *span;

	for (last = GCOV_NONE; p != GCOV_NONE; p = unit->span[p].next)
		last = unit->span[p].lines > 0 ? p : last;
	row->flags = CG_BRANCH_LAST;
	row->pos = (struct cg_pos){ .file = unit->file[walk->fn->file].id };
	if (last == GCOV_NONE) {
		row->index++;
		return add_row(walk, row);
	}
	p = unit->block[walk->fn->block + row->target].span;
	for (; p != GCOV_NONE; p = span->next) {
		span = &unit->span[p];
		row->index += span->lines > 0;
		row->flags = p == last ? CG_BRANCH_LAST : 0;
		row->pos.file = unit->file[span->file].id;
		for (uint32_t i = 0; i < span->lines; i++) {
			row->pos.line = unit->line[span->line + i];
			if (!add_row(walk, row))
				return false;
		}
	}
	return true;
}

static bool
add_path(struct walk *walk, uint32_t blocks)
{
	struct cg_branch row = { .kind = CG_BRANCH_STEP,
		.block = walk->count,
		.index = UINT32_MAX };
	uint32_t exit = gcov_exit(walk->unit, walk->fn);

	/* gcov prints neither entry nor exit. */
	blocks -= walk->path[blocks - 1] == exit;
	for (uint32_t i = walk->path[0] == 0; i < blocks; i++) {
		row.target = walk->path[i];
		row.label = 0;
		if (i + 1 < blocks)
			row.label = cg_add_name(walk->build,
			    cg_slice(word_for(find_arc(
				walk, walk->path[i], walk->path[i + 1]))));
		if (!add_block(walk, &row))
			return false;
	}
	return true;
}

static bool
was_taken(const struct walk *walk)
{
	const struct gcov_data_fn *data = walk->fn->data;
	const unsigned char *at = data ? data->counters[GCOV_PATHS].at : NULL;
	uint64_t bits;

	if (!at)
		return false;
	bits = (uint64_t)gcov_get_counter(
	    at + walk->count / 64 * 8, walk->unit->data.order);
	return bits >> walk->count % 64 & 1;
}

/*
 * Counts a prime path, the first "blocks" blocks of walk->path, unless it is a
 * single block. In the second pass (walk->build), also adds it to the graph if
 * it was never taken. False: too many paths or rows, or the builder has
 * failed.
 */
static bool
take_path(struct walk *walk, uint32_t blocks)
{
	if (blocks < 2)
		return true;
	if (walk->count >= walk->fn->paths ||
	    walk->unit->path_rows > ROWS_MAX ||
	    (walk->build && !was_taken(walk) && !add_path(walk, blocks)))
		return false;
	walk->count++;
	return true;
}

/* ---- The walk ----------------------------------------------------------- */

static void
push(struct walk *walk, uint32_t block, uint32_t start)
{
	uint32_t depth = walk->depth++;

	walk->path[depth] = block;
	walk->next[depth] = walk->to.head[block];
	walk->has_next[depth] = false;
	walk->on[block] = true;
	walk->missing -= walk->pred_of[block] == start + 1;
}

static void
pop(struct walk *walk, uint32_t start)
{
	uint32_t block = walk->path[--walk->depth];

	walk->on[block] = false;
	walk->missing += walk->pred_of[block] == start + 1;
}

/*
 * Starts the paths from the block "start". Marks the predecessors of this
 * block in walk->pred_of. Sets walk->missing to their number, as none is on
 * the path yet. Sets walk->has_outer_pred if one of them is in another
 * component. Pushes the block on the path.
 */
static void
begin_at(struct walk *walk, uint32_t start)
{
	walk->has_outer_pred = false;
	walk->missing = walk->depth = 0;
	for (uint32_t i = walk->from.head[start];
	     i < walk->from.head[start + 1]; i++) {
		uint32_t block = walk->from.block[i];

		walk->pred_of[block] = start + 1;
		walk->missing++;
		walk->has_outer_pred |=
		    walk->component[block] != walk->component[start];
	}
	push(walk, start, start);
}

/*
 * True if no block can precede the path, as all predecessors of its first
 * block are on it. Then no longer path contains it. Stays true as the path
 * grows.
 */
static bool
is_begin(const struct walk *walk)
{
	return !walk->has_outer_pred && walk->missing == 0;
}

/*
 * Passes the prime paths from block start to take_path(): simple paths that
 * are not part of a longer one. A path may return to start. False: too many
 * paths, too much work, or the builder has failed.
 */
static bool
walk_from(struct walk *walk, uint32_t start)
{
	begin_at(walk, start);
	while (walk->depth > 0) {
		uint32_t top = walk->depth - 1, block = walk->path[top], to;

		if (++walk->unit->path_work > WORK_MAX)
			return false;
		if (walk->next[top] == walk->to.head[block + 1]) {
			if (!walk->has_next[top] && is_begin(walk) &&
			    !take_path(walk, walk->depth))
				return false;
			pop(walk, start);
			continue;
		}
		to = walk->to.block[walk->next[top]++];
		if (walk->on[to] && to != start)
			continue;
		walk->has_next[top] = true;
		if (to == start) {
			walk->path[walk->depth] = start;
			if (!take_path(walk, walk->depth + 1))
				return false;
		} else if (walk->component[to] == walk->component[start] ||
			   is_begin(walk)) {
			push(walk, to, start);
		}
	}
	return true;
}

static bool
walk_all(struct walk *walk)
{
	walk->count = 0;
	for (uint32_t b = 0; b < walk->fn->blocks; b++) {
		if (!walk_from(walk, b))
			return false;
	}
	return walk->count == walk->fn->paths;
}

bool
gcov_add_paths(
    struct gcov_unit *unit, struct cg_build *build, const struct gcov_fn *fn)
{
	struct walk walk = { .unit = unit, .fn = fn };

	if (fn->paths == 0)
		return true;
	if (!begin(&walk))
		return false;
	if (walk_all(&walk)) {
		walk.build = build;
		(void)walk_all(&walk);
	} else {
		unit->lost_paths++;
	}
	return true;
}
