/*
 * lines.c - the graph by source file: functions that stand in it, and its
 * lines, with what each function did there.
 *
 * The graph keeps rows by function, and inlined code puts rows of many
 * functions into one header. So a first pass, which looks at places only,
 * notes which function has how many rows in which file; then the files come
 * in batches of a bounded number of rows, for which the functions that have
 * rows in them are opened, each once a batch.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/packed.h"
#include "lines/lines.h"

/* ---- Who is where ------------------------------------------------------- */

/* The visit of that file by the last member. */
static struct visit *
get_visit(struct cg_lines *lines, uint32_t file)
{
	uint32_t member = (uint32_t)lines->members - 1;
	uint32_t *last = &lines->last[file];
	struct visit *visit;

	if (*last > 0 && lines->visit[*last - 1].member == member)
		return &lines->visit[*last - 1];
	if (lines->visits >= UINT32_MAX ||
	    !cg_grow_raw(&lines->visit, &lines->visit_cap, lines->visits + 1,
		sizeof(*visit)))
		return NULL;
	visit = &lines->visit[lines->visits++];
	*visit = (struct visit){ .file = file, .member = member };
	*last = (uint32_t)lines->visits;
	return visit;
}

static void
forget_visits(struct cg_lines *lines)
{
	for (size_t i = 0; i < lines->visits; i++)
		lines->last[lines->visit[i].file] = 0;
	lines->visits = 0;
}

/* Adds a call's count to its callee's; saturated, as it says nothing more. */
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

/* What the row of a function's first block, on no line, says of its place. */
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

/* Goes behind a row that is no cost; false: out of memory. */
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

/* Notes where the rows of the last member are, and what calls there are. */
static bool
scan_packed(struct cg_lines *lines, cg_fn fn, const struct cg_packed *packed,
    bool costs)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];
	const uint32_t *place = lines->place;
	uint32_t *first = &lines->first[fn], own = place[entry->file];
	bool stated = entry->range.first > 0, stands = true;
	struct visit *visit = NULL;
	struct scan scan;

	cg_scan_begin(&scan, packed, entry->file, place);
	while (costs ? scan_cost(&scan, place) : scan_row(&scan, place)) {
		if (costs)
			scan.at = skip_cost(scan.tag, scan.at);
		else if (!take_other(lines, fn, &scan, &stands))
			return false;
		if (!stands)
			continue;
		if (!visit || visit->file != scan.rank)
			visit = get_visit(lines, scan.rank);
		if (!visit)
			return false;
		visit->rows++;
		if (!stated && scan.rank == own && scan.pos.line > 0 &&
		    (*first == 0 || scan.pos.line < *first))
			*first = scan.pos.line;
	}
	return true;
}

/* The branches of the last member, which are in order: they have one file. */
static bool
scan_branches(struct cg_lines *lines, const struct cg_run *run)
{
	struct visit *visit;
	struct scan scan;

	if (run->branches == 0)
		return true;
	cg_scan_begin(&scan, &run->others, run->branch.file, NULL);
	(void)scan_row(&scan, NULL);
	if (scan.pos.line == 0)
		note_number(&lines->number[run->fn], scan.at);
	visit = get_visit(lines, lines->place[run->branch.file]);
	if (visit)
		visit->rows += run->branches;
	return visit != NULL;
}

/* Its own file is one that it visits, whether it has rows there or not. */
static bool
add_member(struct cg_lines *lines, cg_fn fn, uint32_t run)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];

	lines->first[fn] = entry->range.first;
	if (!cg_grow_raw(&lines->member, &lines->member_cap, lines->members + 1,
		sizeof(*lines->member)))
		return false;
	lines->member[lines->members++] =
	    (struct member){ .fn = fn, .run = run, .visit = lines->visits };
	return !entry->name || !entry->file ||
	       get_visit(lines, lines->place[entry->file]);
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

		ok = add_member(lines, fn, CG_NO_RUN);
		for (id = graph->fn[fn].runs; ok && id != CG_NO_RUN;
		     id = graph->run[id].next)
			ok = scan_run(lines, &graph->run[id]);
	}
	return ok;
}

/* Of many parts, each has few of the functions. */
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

		ok = add_member(lines, run->fn, id) && scan_run(lines, run);
	}
	for (size_t i = 0; ok && i < lines->callees; i++) {
		if (cg_run_find(graph, lines->part, lines->callee[i]))
			continue;
		ok = add_member(lines, lines->callee[i], CG_NO_RUN);
		*in_order = false;
	}
	return ok;
}

static bool
scan_graph(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	bool in_order = true;
	bool ok = lines->part == CG_ALL_PARTS || graph->parts == 1
		      ? scan_all(lines)
		      : scan_part(lines, &in_order);

	return ok && cg_lines_order_members(lines, in_order) &&
	       cg_grow(&lines->opened, &lines->opened_cap, lines->members + 1,
		   sizeof(*lines->opened));
}

/* Files come as the part lists them; how they came before is remembered. */
static bool
list_files(struct cg_lines *lines)
{
	size_t size = lines->graph->files.count * sizeof(*lines->folder);

	lines->folder = malloc(size);
	if (!lines->folder)
		return false;
	memcpy(lines->folder, lines->place, size);
	return cg_lines_place_listed(lines);
}

static struct cg_lines *
lines_new(const struct cg_graph *graph, cg_part part, bool listed)
{
	struct cg_lines *lines = calloc(1, sizeof(*lines));
	size_t fns = graph->fns;

	if (lines) {
		lines->graph = graph;
		lines->part = part;
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
	    !cg_lines_place_files(lines) || (listed && !list_files(lines)) ||
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
	return lines_new(graph, part, false);
}

struct cg_lines *
cg_lines_new_listed(const struct cg_graph *graph, cg_part part)
{
	return lines_new(graph, part, true);
}

bool
cg_lines_turn(struct cg_lines *lines, cg_part part)
{
	for (size_t i = 0; i < lines->members; i++) {
		lines->first[lines->member[i].fn] = 0;
		lines->number[lines->member[i].fn] = 0;
	}
	for (size_t i = 0; i < lines->callees; i++) {
		lines->entries[lines->callee[i]] = 0;
		lines->called[lines->callee[i]] = false;
	}
	lines->members = lines->callees = 0;
	forget_visits(lines);
	if (lines->folder)
		cg_lines_unplace_listed(lines);
	lines->part = part;
	cg_first_file(lines);
	lines->batch_end = 0;
	if ((!lines->folder || cg_lines_place_listed(lines)) &&
	    scan_graph(lines))
		return true;
	cg_graph_nomem(lines->graph);
	forget_visits(lines);
	return false;
}

void
cg_lines_free(struct cg_lines *lines)
{
	if (!lines)
		return;
	cg_rows_free(lines->rows);
	free(lines->sorting.item);
	free(lines->place);
	free(lines->placed);
	free(lines->folder);
	free(lines->member);
	free(lines->visit);
	free(lines->spare);
	free(lines->last);
	free(lines->first);
	free(lines->entries);
	free(lines->called);
	free(lines->number);
	free(lines->callee);
	free(lines->opened);
	free(lines->row);
	free(lines->row_spare);
	free(lines->cost);
	free(lines->branch);
	free(lines->covered);
	free(lines->fn);
	free(lines->fn_member);
	free(lines->sum);
	free(lines->shape);
	cg_map_free(&lines->shape_ids);
	free(lines);
}

/* ---- Cursors ------------------------------------------------------------ */

/* Functions whose own file it is, in order. */
static bool
list_fns(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	cg_file file = lines->placed[lines->visit[lines->from].file];

	lines->fns = 0;
	if (!cg_grow_raw(&lines->fn, &lines->fn_cap, lines->to - lines->from,
		sizeof(*lines->fn)) ||
	    !cg_grow_raw(&lines->fn_member, &lines->fn_member_cap,
		lines->to - lines->from, sizeof(*lines->fn_member)))
		return false;
	for (size_t i = lines->from; i < lines->to; i++) {
		uint32_t member = lines->visit[i].member;
		cg_fn fn = lines->member[member].fn;

		if (graph->fn[fn].file != file || !graph->fn[fn].name)
			continue;
		lines->fn_member[lines->fns] = member;
		lines->fn[lines->fns++] = fn;
	}
	return true;
}

bool
cg_next_file(struct cg_lines *lines, cg_file *file)
{
	uint64_t rows;
	uint32_t place;

	lines->from = lines->to;
	if (lines->from == lines->visits)
		return false;
	lines->to = cg_lines_file_end(lines, lines->from, &rows);
	if ((lines->from == lines->batch_end && !cg_lines_open_batch(lines)) ||
	    !list_fns(lines)) {
		cg_graph_nomem(lines->graph);
		lines->to = lines->visits;
		lines->fns = lines->row_next = lines->row_to = 0;
		return false;
	}
	place = lines->visit[lines->from].file;
	lines->row_from = lines->row_next = lines->row_to;
	while (lines->row_to < lines->row_count &&
	       cg_row_file(&lines->row[lines->row_to]) == place)
		lines->row_to++;
	*file = lines->placed[place];
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
	/* One batch may have all: it stays. */
	if (lines->batch > 0 || lines->batch_end < lines->visits)
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
