/*
 * excluded.c - ranges of source lines that coverage does not count.
 */
#include <stdlib.h>

#include "graph/excluded.h"

struct cg_excluded *
cg_excluded_new(size_t files)
{
	struct cg_excluded *excluded = calloc(1, sizeof(*excluded));

	if (!excluded)
		return NULL;
	excluded->files = files;
	excluded->begin = calloc(files + 1, sizeof(*excluded->begin));
	if (excluded->begin)
		return excluded;
	free(excluded);
	return NULL;
}

void
cg_excluded_free(struct cg_excluded *excluded)
{
	if (!excluded)
		return;
	free(excluded->begin);
	free(excluded->range);
	free(excluded);
}

void
cg_excluded_begin(struct cg_excluded *excluded)
{
	excluded->begin[excluded->done++] = excluded->ranges;
	excluded->begin[excluded->done] = excluded->ranges;
}

bool
cg_excluded_add(
    struct cg_excluded *excluded, const struct cg_excluded_range *range)
{
	if (!cg_grow_raw(&excluded->range, &excluded->cap, excluded->ranges + 1,
		sizeof(*range)))
		return false;
	excluded->range[excluded->ranges++] = *range;
	excluded->begin[excluded->done] = excluded->ranges;
	return true;
}

const struct cg_excluded_range *
cg_excluded_find(
    const struct cg_excluded *excluded, cg_file file, uint32_t line)
{
	size_t low, high, middle;

	if (file >= excluded->files)
		return NULL;
	low = excluded->begin[file];
	high = excluded->begin[file + 1];
	while (low < high) {
		const struct cg_excluded_range *range;

		middle = low + (high - low) / 2;
		range = &excluded->range[middle];
		if (line < range->first)
			high = middle;
		else if (line > range->last)
			low = middle + 1;
		else
			return range;
	}
	return NULL;
}

bool
cg_fn_excluded(
    const struct cg_graph *graph, cg_file file, uint32_t first, uint32_t last)
{
	const struct cg_excluded_range *range =
	    graph->excluded ? cg_excluded_find(graph->excluded, file, first)
			    : NULL;

	if (range && (range->what & CG_EXCLUDE_LINES))
		return true;
	range = graph->unchanged
		    ? cg_excluded_find(graph->unchanged, file, first)
		    : NULL;
	return range && range->last >= last;
}
