/*
 * sums.c - sums the rows of a source line over all functions.
 *
 * Instances of a template and inlined copies of a line mostly have the same
 * branches in the same order (the same shape): these are summed one by one. If
 * an instance has other branches (if constexpr, or code folded away for a
 * type), it is unknown which branches correspond: they stay separate, as in
 * geninfo since 2.0.
 */
#include <string.h>

#include "lines/lines.h"

static bool
add_cost(const struct cg_lines *lines, const struct line_row *row, size_t event,
    uint64_t *sum)
{
	uint64_t cost = event < row->n ? lines->cost[row->cost + event] : 0;
	int64_t value;

	if (!lines->graph->event[event].is_signed)
		return !__builtin_add_overflow(*sum, cost, sum);
	if (__builtin_add_overflow((int64_t)*sum, (int64_t)cost, &value))
		return false;
	*sum = (uint64_t)value;
	return true;
}

/*
 * True if two functions' rows on one line are copies of the same source code.
 * Their branches may then correspond. Instances of a template begin on the
 * same line; other copies are inlined into other files.
 */
static bool
are_alike(const struct cg_lines *lines, const struct line_row *a,
    const struct line_row *b)
{
	return cg_row_is_foreign(a) == cg_row_is_foreign(b) &&
	       (cg_row_is_foreign(a) ||
		   lines->first[a->fn] == lines->first[b->fn]);
}

/* ---- Branches ----------------------------------------------------------- */

#define SHAPE_FLAGS (CG_BRANCH_FALLTHROUGH | CG_BRANCH_THROW)

/*
 * Returns the number of the row's branches of a kind, and sets *from to the
 * first one. They are adjacent. If the row has no branches of any kind, *from
 * is not set.
 */
static size_t
find_branches(const struct cg_lines *lines, const struct line_row *row,
    enum cg_branch_kind kind, const struct cg_branch **from)
{
	size_t i = 0, end;

	if (row->branches == 0)
		return 0;
	*from = lines->branch + row->branch;
	while (i < row->branches && (*from)[i].kind < kind)
		i++;
	for (end = i; end < row->branches && (*from)[end].kind == kind;)
		end++;
	*from += i;
	return end - i;
}

/*
 * Returns the value of branch i by which sequences of branches are compared
 * (their shape): its index, the flags that tell kinds of branches apart, and
 * whether it begins a block.
 */
static uint64_t
shape_at(const struct cg_branch *branch, size_t i)
{
	bool begins = i == 0 || branch[i].block != branch[i - 1].block;

	return (uint64_t)branch[i].index << 32 |
	       (branch[i].flags & SHAPE_FLAGS) << 1 | begins;
}

static uint64_t
hash_shape(const struct cg_branch *branch, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++)
		hash = cg_hash_u64(hash ^ shape_at(branch, i));
	return hash;
}

/*
 * True if the n branches correspond one by one to those of the shape, so that
 * their counts can be summed. A shape is a sequence of branches on this line
 * that was seen before.
 */
static bool
is_shape(const struct cg_lines *lines, const struct shape *shape,
    const struct cg_branch *branch, size_t n)
{
	const struct cg_branch *sum = lines->sum + shape->base;

	if (shape->n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (shape_at(sum, i) != shape_at(branch, i))
			return false;
	}
	return true;
}

/*
 * Returns where the number of the shape of n branches is stored. If 0 is
 * stored, the caller sets it for a new shape. The caller must compare the
 * shapes, as hashes may collide. NULL: out of memory.
 */
static uint32_t *
find_shape(struct cg_lines *lines, const struct cg_branch *branch, size_t n)
{
	const struct shape *shape = lines->shape;

	if (lines->shapes > 0 &&
	    is_shape(lines, &shape[lines->last_shape - 1], branch, n))
		return &lines->last_shape;
	if (lines->shapes == 1) {
		uint32_t *slot = cg_map_at(&lines->shape_ids,
		    hash_shape(lines->sum + shape->base, shape->n));

		if (!slot)
			return NULL;
		*slot = 1;
	}
	return lines->shapes > 0
		   ? cg_map_at(&lines->shape_ids, hash_shape(branch, n))
		   : &lines->last_shape;
}

static void
add_to_shape(struct cg_lines *lines, const struct shape *shape,
    const struct cg_branch *from)
{
	struct cg_branch *to = lines->sum + shape->base;

	for (size_t i = 0; i < shape->n; i++, from++, to++) {
		to->flags |= from->flags;
		if (to->label == 0)
			to->label = from->label;
		if (__builtin_add_overflow(to->count, from->count, &to->count))
			cg_graph_overflow(lines->graph, "branches");
	}
}

/*
 * Appends n > 0 branches to lines->sum, the branches of the line. *block, the
 * number of blocks so far, numbers their blocks and is updated. unlike: flags
 * the first one, as they match no other function's branches. False: out of
 * memory.
 */
static bool
append_branches(struct cg_lines *lines, const struct cg_branch *from, size_t n,
    bool unlike, uint32_t *block)
{
	struct cg_branch *to;

	if (!cg_scope_grow(&lines->scope, &lines->sum, &lines->sum_cap,
		lines->sums + n, sizeof(*lines->sum)))
		return false;
	to = lines->sum + lines->sums;
	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		*block += i == 0 || from[i].block != from[i - 1].block;
		to[i].block = *block - 1;
	}
	to->flags |= unlike ? CG_BRANCH_UNLIKE : 0;
	lines->sums += n;
	return true;
}

/*
 * Adds the counts of a function's n branches on the line to branches of equal
 * shape. Appends the branches if there are none. unlike, block: see
 * append_branches(). False: out of memory. An overflow is reported and ends
 * all cursors.
 */
static bool
add_branches(struct cg_lines *lines, const struct cg_branch *from, size_t n,
    bool unlike, uint32_t *block)
{
	uint32_t *found = find_shape(lines, from, n);
	struct shape *shape;

	if (!found)
		return false;
	shape = *found ? &lines->shape[*found - 1] : NULL;
	if (shape && is_shape(lines, shape, from, n)) {
		lines->last_shape = *found;
		add_to_shape(lines, shape, from);
		return true;
	}
	if (!cg_scope_grow(&lines->scope, &lines->shape, &lines->shape_cap,
		lines->shapes + 1, sizeof(*shape)))
		return false;
	lines->shape[lines->shapes++] = (struct shape){ lines->sums, n };
	*found = lines->last_shape = (uint32_t)lines->shapes;
	return append_branches(lines, from, n, unlike, block);
}

/*
 * Appends the branches of a kind of the rows [from, to) to lines->sum. The
 * rows are copies of the same source code, such as template instances. Sums
 * sequences of branches that are equal in indexes, flags and blocks. Flags
 * each further, different sequence as unlike. If "unlike", flags also the
 * first one, unless *block is 0. *block counts the blocks so far. False: out
 * of memory.
 */
static bool
add_alike(struct cg_lines *lines, size_t from, size_t to,
    enum cg_branch_kind kind, bool unlike, uint32_t *block)
{
	const struct cg_branch *branch;
	bool good = true;

	lines->shapes = lines->last_shape = 0;
	for (size_t i = from; good && i < to; i++) {
		size_t n = find_branches(lines, &lines->row[i], kind, &branch);

		if (n > 0)
			good = add_branches(lines, branch, n,
			    *block > 0 && (unlike || lines->shapes > 0), block);
	}
	if (lines->shapes > 1) {
		cg_map_free(&lines->shape_ids);
		lines->shape_ids = (struct cg_map){ 0 };
	}
	return good;
}

/*
 * Sets lines->sum to the branches and condition outcomes of the rows [from,
 * to), all of one line. Branches of functions that are copies of the same
 * source code are summed if they correspond. Others stay separate. False: out
 * of memory.
 */
static bool
sum_branches(struct cg_lines *lines, size_t from, size_t to)
{
	static const enum cg_branch_kind kinds[] = { CG_BRANCH_ARC,
		CG_BRANCH_CONDITION };
	const struct line_row *row = lines->row;

	lines->sums = 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		bool many = false, before;
		uint32_t block = 0;

		for (size_t i = from, end; i < to; i = end) {
			for (end = i + 1;
			     end < to && are_alike(lines, &row[i], &row[end]);)
				end++;
			before = many;
			many = end > i + 1;
			if (!add_alike(lines, i, end, kinds[k], before || many,
				&block))
				return false;
		}
	}
	return true;
}

bool
cg_next_line_sum(struct cg_lines *lines, size_t event, struct cg_line_sum *line)
{
	size_t from = lines->row_next, to = from;
	const struct line_row *row = lines->row;

	if (from == lines->row_to)
		return false;
	*line = (struct cg_line_sum){ .line = cg_row_line(&row[from]) };
	for (; to < lines->row_to && cg_row_line(&row[to]) == line->line;
	     to++) {
		line->has_cost |= row[to].has_cost;
		if (!add_cost(lines, &row[to], event, &line->cost)) {
			cg_graph_overflow(lines->graph, "costs of a line");
			return false;
		}
	}
	line->hits = line->cost;
	if (lines->graph->event[event].is_signed && (int64_t)line->cost < 0)
		line->hits = 0;
	lines->row_next = to;
	if (!sum_branches(lines, from, to)) {
		cg_graph_nomem(lines->graph);
		return false;
	}
	line->branch = lines->sum;
	line->branches = lines->sums;
	return true;
}

/* ---- Regions ------------------------------------------------------------- */

/*
 * Compares regions (ranges of source text with a count) for qsort(): by first
 * column (stored as block), last line (index), last column (target), then by
 * flags.
 */
static int
compare_regions(const void *pa, const void *pb)
{
	const struct cg_branch *a = pa, *b = pb;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	return (a->flags > b->flags) - (a->flags < b->flags);
}

/*
 * Copies the regions (ranges of source text with a count) of the rows [from,
 * to) to lines->region; *n becomes their number. Among the branches of a row
 * the regions are the last ones. False: out of memory.
 */
static bool
list_regions(struct cg_lines *lines, size_t from, size_t to, size_t *n)
{
	*n = 0;
	for (size_t i = from; i < to; i++) {
		const struct line_row *row = &lines->row[i];
		const struct cg_branch *end;
		size_t more = 0;

		if (row->branches == 0) /* then there may be no array */
			continue;
		end = lines->branch + row->branch + row->branches;

		/* They are the last kind. */
		while (more < row->branches &&
		       end[-1 - (ptrdiff_t)more].kind == CG_BRANCH_REGION)
			more++;
		if (more == 0)
			continue;
		if (!cg_scope_grow(&lines->scope, &lines->region,
			&lines->region_cap, *n + more, sizeof(*end)))
			return false;
		memcpy(&lines->region[*n], end - more, more * sizeof(*end));
		*n += more;
	}
	return true;
}

bool
cg_line_regions(
    struct cg_lines *lines, const struct cg_branch **list, size_t *count)
{
	size_t to = lines->row_next, from = to, n, last = 0;
	struct cg_branch *region;

	*list = NULL;
	*count = 0;
	if (!(lines->graph->facts & CG_REGIONS))
		return true;
	while (from > lines->row_from && cg_row_line(&lines->row[from - 1]) ==
					     cg_row_line(&lines->row[to - 1]))
		from--;
	if (!list_regions(lines, from, to, &n)) {
		cg_graph_nomem(lines->graph);
		return false;
	}
	region = lines->region;
	if (n > 1)
		cg_sort(region, n, sizeof(*region), compare_regions);
	for (size_t i = 1; i < n; i++) {
		if (compare_regions(&region[last], &region[i]) != 0) {
			region[++last] = region[i];
		} else if (__builtin_add_overflow(region[last].count,
			       region[i].count, &region[last].count)) {
			cg_graph_overflow(lines->graph, "regions of a line");
			return false;
		}
	}
	*list = region;
	*count = n > 0 ? last + 1 : 0;
	return true;
}
