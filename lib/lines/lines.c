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

#include "graph/excluded.h"
#include "graph/packed.h"
#include "lines/lines.h"

/* ---- Which function has rows in which file ------------------------------ */

/* The entry of the last function of part_fn in a file; NULL: out of memory. */
static struct fn_in_file *
get_fn_in_file(struct cg_lines *lines, uint32_t file)
{
	uint32_t part_fn = (uint32_t)lines->part_fns - 1;
	uint32_t *last = &lines->last[file];
	struct fn_in_file *in_file;

	if (*last > 0 && lines->in_file[*last - 1].part_fn == part_fn)
		return &lines->in_file[*last - 1];
	if (lines->in_files >= UINT32_MAX ||
	    !cg_grow_raw(&lines->in_file, &lines->in_file_cap,
		lines->in_files + 1, sizeof(*in_file)))
		return NULL;
	in_file = &lines->in_file[lines->in_files++];
	*in_file = (struct fn_in_file){ .file = file, .part_fn = part_fn };
	*last = (uint32_t)lines->in_files;
	return in_file;
}

static void
clear_fns_in_files(struct cg_lines *lines)
{
	for (size_t i = 0; i < lines->in_files; i++)
		lines->last[lines->in_file[i].file] = 0;
	lines->in_files = 0;
}

/* Adds a call's count to its callee's entries, with saturation. */
static bool
count_call(struct cg_lines *lines, const uint8_t *at)
{
	cg_fn callee = (cg_fn)get_varint(&at);
	uint64_t count = get_varint(&at), *sum = &lines->entries[callee];

	if (!lines->called[callee]) {
		if (!cg_grow_raw(&lines->callee, &lines->callee_cap,
			lines->callees + 1, sizeof(*lines->callee)))
			return false;
		lines->callee[lines->callees++] = callee;
		lines->called[callee] = true;
	}
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
	return true;
}

/*
 * Takes the function's number in its unit from the row of its first block on
 * line 0, whose target it is.
 */
static void
note_number(uint32_t *number, const uint8_t *at)
{
	uint64_t kind = get_varint(&at), block = get_varint(&at), target;

	if (kind != CG_BRANCH_BLOCK || block != 0)
		return;
	at = skip_varints(at, 2); /* index, flags */
	target = get_varint(&at);
	if (target > *number)
		*number = (uint32_t)target;
}

/* Skips a row other than a cost; false: out of memory. */
static bool
take_other(struct cg_lines *lines, cg_fn fn, struct scan *scan, bool *branch)
{
	unsigned kind = scan->tag & CG_TAG_KIND;

	*branch = kind == CG_ROW_OTHER && (scan->tag & CG_TAG_BRANCH);
	if (kind == CG_ROW_CALL && !count_call(lines, scan->at))
		return false;
	if (*branch && scan->pos.line == 0)
		note_number(&lines->number[fn], scan->at);
	scan->at = skip_rest(scan->tag, scan->at);
	return true;
}

/* Counts the rows of the last function by file, and collects its calls. */
static bool
scan_packed(struct cg_lines *lines, cg_fn fn, const struct cg_packed *packed,
    bool costs)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];
	const uint32_t *order = lines->file_order;
	uint32_t *first = &lines->first[fn], own = order[entry->file];
	bool stated = entry->range.first > 0, stands = true;
	struct fn_in_file *in_file = NULL;
	struct scan scan;

	cg_scan_begin(&scan, packed, entry->file, order);
	while (costs ? scan_cost(&scan, order) : scan_row(&scan, order)) {
		if (costs)
			scan.at = skip_cost(scan.tag, scan.at);
		else if (!take_other(lines, fn, &scan, &stands))
			return false;
		if (!stands)
			continue;
		if (!in_file || in_file->file != scan.rank)
			in_file = get_fn_in_file(lines, scan.rank);
		if (!in_file)
			return false;
		in_file->rows++;
		if (!stated && scan.rank == own && scan.pos.line > 0 &&
		    (*first == 0 || scan.pos.line < *first))
			*first = scan.pos.line;
	}
	return true;
}

/* The same for rows that are branches in order: all are in one file. */
static bool
scan_branches(struct cg_lines *lines, const struct cg_run *run)
{
	struct fn_in_file *in_file;
	struct scan scan;

	if (run->branches == 0)
		return true;
	cg_scan_begin(&scan, &run->others, run->others.pos.file, NULL);
	(void)scan_row(&scan, NULL);
	if (scan.pos.line == 0)
		note_number(&lines->number[run->fn], scan.at);
	in_file =
	    get_fn_in_file(lines, lines->file_order[run->others.pos.file]);
	if (in_file)
		in_file->rows += run->branches;
	return in_file != NULL;
}

/* Adds a function, with an entry for its own file even without rows there. */
static bool
add_part_fn(struct cg_lines *lines, cg_fn fn, uint32_t run)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];

	lines->first[fn] = entry->range.first;
	if (!cg_grow_raw(&lines->part_fn, &lines->part_fn_cap,
		lines->part_fns + 1, sizeof(*lines->part_fn)))
		return false;
	lines->part_fn[lines->part_fns++] = (struct part_fn){
		.fn = fn, .run = run, .in_file = lines->in_files
	};
	return !entry->name || !entry->file ||
	       get_fn_in_file(lines, lines->file_order[entry->file]);
}

static bool
scan_run(struct cg_lines *lines, const struct cg_run *run)
{
	bool stated = lines->graph->fn[run->fn].range.first > 0;

	if (!scan_packed(lines, run->fn, &run->costs, true))
		return false;
	return stated && run->branches_ascend
		   ? scan_branches(lines, run)
		   : scan_packed(lines, run->fn, &run->others, false);
}

static bool
scan_all(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	bool ok = true;
	uint32_t id;

	for (size_t rank = 0; ok && rank < graph->fns; rank++) {
		cg_fn fn = graph->fn_ranked[rank];

		ok = add_part_fn(lines, fn, CG_NO_RUN);
		for (id = graph->fn[fn].runs; ok && id != CG_NO_RUN;
		     id = graph->run[id].next)
			ok = scan_run(lines, &graph->run[id]);
	}
	return ok;
}

/* With many parts, each has few of the functions. */
static bool
scan_part(struct cg_lines *lines, bool *in_order)
{
	const struct cg_graph *graph = lines->graph;
	size_t at = graph->part_runs[lines->part];
	size_t end = graph->part_runs[lines->part + 1];
	bool ok = true;

	for (; ok && at < end; at++) {
		uint32_t id = graph->run_order[at].run;
		const struct cg_run *run = &graph->run[id];

		ok = add_part_fn(lines, run->fn, id) && scan_run(lines, run);
	}
	for (size_t i = 0; ok && i < lines->callees; i++) {
		if (cg_run_find(graph, lines->part, lines->callee[i]))
			continue;
		ok = add_part_fn(lines, lines->callee[i], CG_NO_RUN);
		*in_order = false;
	}
	return ok;
}

static void
free_sorting(struct cg_lines *lines)
{
	free(lines->sorting.item);
	free(lines->spare);
	lines->sorting = (struct sorting){ 0 };
	lines->spare = NULL;
	lines->spare_cap = 0;
}

static bool
scan_graph(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	const bool all = lines->part == CG_ALL_PARTS || graph->parts == 1;
	bool in_order = true;
	bool ok = all ? scan_all(lines) : scan_part(lines, &in_order);

	lines->end = lines->in_files;
	cg_lines_plan_batches(lines);
	ok = ok && cg_lines_order_fns(lines, in_order);
	/* No other part needs as much again. */
	if (all)
		free_sorting(lines);
	return ok;
}

/* Orders files as the part lists them; keeps the order by directory. */
static bool
list_files(struct cg_lines *lines)
{
	size_t size =
	    lines->graph->files.count * sizeof(*lines->directory_order);

	lines->directory_order = malloc(size);
	if (!lines->directory_order)
		return false;
	memcpy(lines->directory_order, lines->file_order, size);
	return cg_lines_order_listed(lines);
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
		lines->last =
		    calloc(graph->files.count + 1, sizeof(*lines->last));
		lines->first = calloc(fns, sizeof(*lines->first));
		lines->entries = calloc(fns, sizeof(*lines->entries));
		lines->called = calloc(fns, sizeof(*lines->called));
		lines->number = calloc(fns, sizeof(*lines->number));
		lines->rows = cg_rows_new(graph);
	}
	if (!lines || !lines->last || !lines->first || !lines->entries ||
	    !lines->called || !lines->number || !lines->rows ||
	    !cg_lines_order_files(lines) || (listed && !list_files(lines)) ||
	    !scan_graph(lines)) {
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
	for (size_t i = 0; i < lines->callees; i++) {
		lines->entries[lines->callee[i]] = 0;
		lines->called[lines->callee[i]] = false;
	}
	lines->part_fns = lines->callees = 0;
	clear_fns_in_files(lines);
	if (lines->directory_order)
		cg_lines_restore_order(lines);
	lines->part = part;
	cg_first_file(lines);
	lines->batch_end = 0;
	if ((!lines->directory_order || cg_lines_order_listed(lines)) &&
	    scan_graph(lines))
		return true;
	cg_graph_nomem(lines->graph);
	clear_fns_in_files(lines);
	return false;
}

struct cg_lines *
cg_lines_view(const struct cg_lines *lines, const struct cg_graph *graph)
{
	struct cg_lines *view = calloc(1, sizeof(*view));

	if (!view) {
		cg_graph_nomem(graph);
		return NULL;
	}
	*view = (struct cg_lines){ .graph = graph,
		.is_view = true,
		.part = lines->part,
		.rows = cg_rows_new(graph),
		.file_order = lines->file_order,
		.ordered_file = lines->ordered_file,
		.directory_order = lines->directory_order,
		.by_name = lines->by_name,
		.part_fn = lines->part_fn,
		.part_fns = lines->part_fns,
		.in_file = lines->in_file,
		.in_files = lines->in_files,
		.batch_rows = lines->batch_rows,
		.first = lines->first,
		.entries = lines->entries,
		.called = lines->called,
		.number = lines->number };
	if (!view->rows) {
		cg_lines_free(view);
		return NULL;
	}
	cg_rows_drop_addresses(view->rows);
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
	free_sorting(lines);
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

/* ---- Cursors ------------------------------------------------------------ */

/*
 * Drops functions that are excluded. One whose last line is unknown ends where
 * the next one begins.
 */
static void
drop_excluded(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	uint32_t next = 0, begin = 0; /* first lines of functions behind it */
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

/* Lists the functions whose own file is the current one. */
static bool
list_fns(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	cg_file file = lines->ordered_file[lines->in_file[lines->from].file];

	lines->fns = 0;
	if (!cg_grow_raw(&lines->fn, &lines->fn_cap, lines->to - lines->from,
		sizeof(*lines->fn)) ||
	    !cg_grow_raw(&lines->fn_index, &lines->fn_index_cap,
		lines->to - lines->from, sizeof(*lines->fn_index)))
		return false;
	for (size_t i = lines->from; i < lines->to; i++) {
		uint32_t part_fn = lines->in_file[i].part_fn;
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
	if (lines->from == lines->end)
		return false;
	lines->to = cg_lines_file_end(lines, lines->from, &rows);
	if ((lines->from == lines->batch_end && !cg_lines_open_batch(lines)) ||
	    !list_fns(lines)) {
		cg_graph_nomem(lines->graph);
		lines->to = lines->end;
		lines->fns = lines->row_next = lines->row_to = 0;
		return false;
	}
	order = lines->in_file[lines->from].file;
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
	lines->end = lines->in_files;
	lines->from = lines->to = 0;
	lines->fns = lines->row_next = lines->row_to = 0;
}

void
cg_lines_limit(struct cg_lines *lines, size_t from, size_t to)
{
	/* Keep a batch that has all of them. */
	if (lines->batch != from || lines->batch_end != to)
		lines->batch_end = from;
	lines->from = lines->to = from;
	lines->end = to;
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
