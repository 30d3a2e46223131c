/*
 * view.c - a second cursor over the same files; frees cursors.
 */
#include <stdlib.h>

#include "lines/lines.h"

struct cg_lines *
cg_lines_view(const struct cg_lines *lines, const struct cg_graph *graph)
{
	struct cg_lines *view = calloc(1, sizeof(*view));

	if (!view) {
		cg_graph_nomem(graph);
		return NULL;
	}
	view->graph = graph;
	view->is_view = true;
	view->rows = cg_rows_new(graph);
	if (!view->rows) {
		cg_lines_free(view);
		return NULL;
	}
	cg_rows_drop_addresses(view->rows);
	view->part = lines->part;
	view->file_order = lines->file_order;
	view->ordered_file = lines->ordered_file;
	view->directory_order = lines->directory_order;
	view->by_name = lines->by_name;
	view->part_fn = lines->part_fn;
	view->part_fns = lines->part_fns;
	view->in_file = lines->in_file;
	view->in_files = lines->in_files;
	view->batch_rows = lines->batch_rows;
	view->first = lines->first;
	view->entries = lines->entries;
	view->called = lines->called;
	view->number = lines->number;
	return view;
}

static void
free_tables(struct cg_lines *lines)
{
	free(lines->file_order);
	free(lines->ordered_file);
	free(lines->directory_order);
	free(lines->part_fn);
	free(lines->in_file);
	free(lines->last);
	free(lines->first);
	free(lines->entries);
	free(lines->called);
	free(lines->number);
	free(lines->callee);
}

void
cg_lines_free(struct cg_lines *lines)
{
	if (!lines)
		return;
	cg_rows_free(lines->rows);
	cg_lines_free_sorting(lines);
	if (!lines->is_view)
		free_tables(lines);
	free(lines->row);
	free(lines->row_spare);
	free(lines->cost);
	free(lines->branch);
	free(lines->covered);
	free(lines->fn);
	free(lines->fn_index);
	free(lines->sum);
	free(lines->shape);
	cg_map_free(&lines->shape_ids);
	free(lines->merged_at);
	free(lines->merged_fn);
	free(lines->condition);
	free(lines);
}
