/*
 * line_sums.c - a source line as a reader of the source sees it: what all
 * functions did there, added up.
 *
 * Branches are the source's too. The instances of a template, and the copies
 * of a line that was inlined, have the same ones in the same order: they are
 * added one by one, as geninfo does it.
 */
#include "lines.h"

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

/* Instances of one template, or one line inlined into many functions. */
static bool
are_alike(const struct cg_lines *lines, const struct line_row *a,
    const struct line_row *b)
{
	return cg_row_is_foreign(a) == cg_row_is_foreign(b) &&
	       (cg_row_is_foreign(a) ||
		   lines->first[a->fn] == lines->first[b->fn]);
}

/*
 * Adds a function's branches of a kind to those of functions like it, which
 * begin at base: they have them in the same order. *block counts blocks.
 */
static bool
add_branches(struct cg_lines *lines, const struct line_row *row,
    enum cg_branch_kind kind, size_t base, uint32_t *block)
{
	const struct cg_branch *from, *last = NULL;
	struct cg_branch *to;

	if (row->branches == 0)
		return true;
	from = lines->branch + row->branch;
	for (uint32_t i = 0; i < row->branches; i++, from++) {
		if (from->kind != kind)
			continue;
		if (!cg_grow_raw(
			&lines->sum, &lines->sum_cap, base + 1, sizeof(*to)))
			return false;
		to = &lines->sum[base++];
		if (base <= lines->sums) {
			to->flags |= from->flags;
			if (to->label == 0)
				to->label = from->label;
			if (__builtin_add_overflow(
				to->count, from->count, &to->count))
				cg_graph_overflow(lines->graph, "branches");
		} else {
			*to = *from;
			*block += !last || last->block != from->block;
			to->block = *block - 1;
			lines->sums = base;
		}
		last = from;
	}
	return true;
}

/* The branches of rows [from, to), which are one line. */
static bool
sum_branches(struct cg_lines *lines, size_t from, size_t to)
{
	static const enum cg_branch_kind kinds[] = { CG_BRANCH_ARC,
		CG_BRANCH_CONDITION };
	const struct line_row *row = lines->row;

	lines->sums = 0;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		size_t base = lines->sums;
		uint32_t block = 0;

		for (size_t i = from; i < to; i++) {
			if (i > from && !are_alike(lines, &row[i - 1], &row[i]))
				base = lines->sums;
			if (!add_branches(
				lines, &row[i], kinds[k], base, &block))
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
	lines->row_next = to;
	if (!sum_branches(lines, from, to)) {
		cg_graph_nomem(lines->graph);
		return false;
	}
	line->branch = lines->sum;
	line->branches = lines->sums;
	return true;
}
