/*
 * lines.c - cursors over source files, their functions and their lines.
 *
 * The graph stores rows by function, and inlined code puts rows of many
 * functions into one header. So a first pass, which decodes only positions,
 * counts the rows of each function in each file. Then the files are processed
 * in batches of a bounded number of rows; each batch opens every function that
 * has rows in its files once.
 */
#include <stdlib.h>
#include <string.h>

#include "coverage/coverage.h"
#include "lines/lines.h"

/*
 * Orders files as the input has listed them for the part (a thread, process or
 * test). Saves the order by directory in lines->directory_order, so that it
 * can be restored for another part. False: out of memory.
 */
static bool
list_files(struct cg_lines *lines)
{
	size_t size =
	    lines->graph->files.count * sizeof(*lines->directory_order);

	lines->directory_order = cg_scope_alloc(&lines->scope, size);
	if (!lines->directory_order)
		return false;
	memcpy(lines->directory_order, lines->file_order, size);
	return cg_lines_order_listed(lines);
}

void
cg_lines_free(struct cg_lines *lines)
{
	if (!lines)
		return;
	cg_rows_free(lines->rows);
	cg_map_free(&lines->shape_ids);
	cg_scope_end(&lines->scope);
	free(lines);
}

static struct cg_lines *
lines_new(const struct cg_graph *graph, cg_part part, bool listed, bool by_name)
{
	struct cg_lines *lines = calloc(1, sizeof(*lines));
	size_t fns = graph->fns;

	if (lines) {
		lines->graph = graph;
		lines->part = part;
		lines->by_name = by_name;
		lines->last = cg_scope_alloc(&lines->scope,
		    (graph->files.count + 1) * sizeof(*lines->last));
		lines->first =
		    cg_scope_alloc(&lines->scope, fns * sizeof(*lines->first));
		lines->entries = cg_scope_alloc(
		    &lines->scope, fns * sizeof(*lines->entries));
		lines->called =
		    cg_scope_alloc(&lines->scope, fns * sizeof(*lines->called));
		lines->number =
		    cg_scope_alloc(&lines->scope, fns * sizeof(*lines->number));
		lines->rows = cg_rows_new(graph);
	}
	if (!lines || !lines->last || !lines->first || !lines->entries ||
	    !lines->called || !lines->number || !lines->rows ||
	    !cg_lines_order_files(lines) || (listed && !list_files(lines)) ||
	    !cg_lines_scan(lines)) {
		cg_lines_free(lines);
		cg_graph_nomem(graph);
		return NULL;
	}
	cg_rows_drop_addresses(lines->rows);
	return lines;
}

struct cg_lines *
cg_lines_new(const struct cg_graph *graph, cg_part part)
{
	return lines_new(graph, part, false, false);
}

struct cg_lines *
cg_lines_new_by_name(const struct cg_graph *graph, cg_part part)
{
	return lines_new(graph, part, false, true);
}

struct cg_lines *
cg_lines_new_listed(const struct cg_graph *graph, cg_part part)
{
	return lines_new(graph, part, true, false);
}

bool
cg_lines_set_part(struct cg_lines *lines, cg_part part)
{
	for (size_t i = 0; i < lines->part_fns; i++) {
		lines->first[lines->part_fn[i].fn] = 0;
		lines->number[lines->part_fn[i].fn] = 0;
	}
	lines->part_fns = 0;
	cg_lines_clear_counts(lines);
	if (lines->directory_order)
		cg_lines_restore_order(lines);
	lines->part = part;
	cg_first_file(lines);
	lines->batch_end = 0;
	if ((!lines->directory_order || cg_lines_order_listed(lines)) &&
	    cg_lines_scan(lines))
		return true;
	cg_graph_nomem(lines->graph);
	cg_lines_clear_counts(lines);
	return false;
}

/* ---- Cursors ------------------------------------------------------------ */

/*
 * Removes functions that coverage does not count: excluded ones, and those
 * made by the compiler. lines->fn must be sorted by first line, as a function
 * with unknown last line ends before the next one.
 */
static void
drop_excluded(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	uint32_t next = 0, begin = 0; /* first lines of later functions */
	size_t to = lines->fns;

	for (size_t i = lines->fns; i-- > 0;) {
		cg_fn fn = lines->fn[i];
		uint32_t first = cg_fn_line(lines, fn);
		uint32_t last = graph->fn[fn].range.last;

		if (first != begin) {
			next = begin;
			begin = first;
		}
		if (last == 0)
			last = next > first ? next - 1 : UINT32_MAX;
		if (cg_fn_excluded(graph, graph->fn[fn].file, first, last) ||
		    cg_drops_internal(graph, fn))
			continue;
		lines->fn[--to] = fn;
		lines->fn_index[to] = lines->fn_index[i];
	}
	lines->fns -= to;
	memmove(lines->fn, lines->fn + to, lines->fns * sizeof(*lines->fn));
	memmove(lines->fn_index, lines->fn_index + to,
	    lines->fns * sizeof(*lines->fn_index));
}

/*
 * Sets lines->fn to the named functions whose own file is the current one,
 * without those that coverage does not count. Sets lines->fn_index, in the
 * same order, to their numbers in lines->part_fn. False: out of memory.
 */
static bool
list_fns(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	cg_file file =
	    lines->ordered_file[cg_in_file_file(&lines->in_file[lines->from])];

	lines->fns = 0;
	if (!cg_scope_grow(&lines->scope, &lines->fn, &lines->fn_cap,
		lines->to - lines->from, sizeof(*lines->fn)) ||
	    !cg_scope_grow(&lines->scope, &lines->fn_index,
		&lines->fn_index_cap, lines->to - lines->from,
		sizeof(*lines->fn_index)))
		return false;
	for (size_t i = lines->from; i < lines->to; i++) {
		uint32_t part_fn = cg_in_file_fn(&lines->in_file[i]);
		cg_fn fn = lines->part_fn[part_fn].fn;

		if (graph->fn[fn].file != file || !graph->fn[fn].name)
			continue;
		lines->fn_index[lines->fns] = part_fn;
		lines->fn[lines->fns++] = fn;
	}
	if (lines->fns > 0 && (graph->excluded || graph->unchanged))
		drop_excluded(lines);
	return true;
}

bool
cg_next_file(struct cg_lines *lines, cg_file *file)
{
	uint64_t rows;
	uint32_t order;

	lines->from = lines->to;
	if (lines->from >= lines->in_files)
		return false;
	lines->to = cg_lines_file_end(lines, lines->from, &rows);
	if ((lines->from == lines->batch_end && !cg_lines_open_batch(lines)) ||
	    !list_fns(lines)) {
		cg_graph_nomem(lines->graph);
		lines->to = lines->in_files;
		lines->fns = lines->row_next = lines->row_to = 0;
		return false;
	}
	order = cg_in_file_file(&lines->in_file[lines->from]);
	lines->row_from = lines->row_next = lines->row_to;
	while (lines->row_to < lines->row_count &&
	       cg_row_file(&lines->row[lines->row_to]) == order)
		lines->row_to++;
	*file = lines->ordered_file[order];
	return true;
}

size_t
cg_file_fns(const struct cg_lines *lines, const cg_fn **fn)
{
	*fn = lines->fn;
	return lines->fns;
}

bool
cg_next_line(struct cg_lines *lines, struct cg_line *line)
{
	const struct line_row *row;

	if (lines->row_next == lines->row_to)
		return false;
	row = &lines->row[lines->row_next++];
	*line = (struct cg_line){ .line = cg_row_line(row),
		.fn = row->fn,
		.n = row->n,
		.has_cost = row->has_cost,
		.branches = row->branches };
	if (row->n > 0)
		line->cost = lines->cost + row->cost;
	if (row->branches > 0)
		line->branch = lines->branch + row->branch;
	return true;
}

const struct cg_branch *
cg_line_rows(const struct cg_line *line, enum cg_branch_kind kind,
    const struct cg_branch **end)
{
	const struct cg_branch *row = line->branch, *all = row;

	if (line->branches > 0) /* else there is no array */
		all += line->branches;
	while (row < all && row->kind < kind)
		row++;
	for (*end = row; *end < all && (*end)->kind == kind;)
		++*end;
	return row;
}

void
cg_first_line(struct cg_lines *lines)
{
	lines->row_next = lines->row_from;
}

void
cg_first_file(struct cg_lines *lines)
{
	/* Keep a batch that has all files. */
	if (lines->batch > 0 || lines->batch_end < lines->in_files)
		lines->batch_end = 0;
	lines->from = lines->to = 0;
	lines->fns = lines->row_next = lines->row_to = 0;
}

uint32_t
cg_fn_line(const struct cg_lines *lines, cg_fn fn)
{
	uint32_t first = lines->first[fn];

	return first > 0 ? first : lines->graph->fn[fn].range.first;
}

uint32_t
cg_fn_number(const struct cg_lines *lines, cg_fn fn)
{
	return lines->number[fn];
}

bool
cg_fn_entries(const struct cg_lines *lines, cg_fn fn, uint64_t *count)
{
	*count = lines->entries[fn];
	return lines->called[fn];
}
