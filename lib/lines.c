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

#include "lines.h"
#include "rows.h"

/* Costs and branches: some 30 MB, unless one file alone has more. */
#define BATCH_ROWS 400000

/* ---- The order of files ------------------------------------------------- */

struct path {
	struct cg_slice folder, path;
	cg_file file;
};

static int
compare_paths(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;
	int order = cg_compare(a->folder, b->folder);

	return order ? order : cg_compare(a->path, b->path);
}

/* As mere text, "a/b/c.c" stands between "a/a.c" and "a/d.c". */
static bool
place_files(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	size_t files = graph->files.count;
	struct path *path = calloc(files, sizeof(*path));

	lines->place = calloc(files, sizeof(*lines->place));
	lines->placed = calloc(files, sizeof(*lines->placed));
	if (!path || !lines->place || !lines->placed) {
		free(path);
		return false;
	}
	for (cg_file i = 0; i < files; i++) {
		struct cg_slice text = cg_file_path(graph, i);

		path[i] = (struct path){ text, text, i };
		while (path[i].folder.len > 0 &&
		       text.ptr[path[i].folder.len - 1] != '/')
			path[i].folder.len--;
	}
	/* The unknown file stays in front. */
	qsort(path + 1, files - 1, sizeof(*path), compare_paths);
	for (uint32_t i = 0; i < files; i++) {
		lines->placed[i] = path[i].file;
		lines->place[path[i].file] = i;
	}
	free(path);
	return true;
}

/* ---- Who is where ------------------------------------------------------- */

/* The visit of that file by the function whose visits begin at from. */
static struct visit *
get_visit(struct cg_lines *lines, uint32_t *last, uint32_t file, cg_fn fn)
{
	struct visit *visit;

	if (last[file] > 0 && lines->visit[last[file] - 1].fn == fn)
		return &lines->visit[last[file] - 1];
	if (lines->visits >= UINT32_MAX ||
	    !cg_grow_raw(&lines->visit, &lines->visit_cap, lines->visits + 1,
		sizeof(*visit)))
		return NULL;
	visit = &lines->visit[lines->visits++];
	*visit = (struct visit){ .file = file, .fn = fn };
	last[file] = (uint32_t)lines->visits;
	return visit;
}

/* Adds a call's count to its callee's; saturated, as it says nothing more. */
static void
count_call(struct cg_lines *lines, const uint8_t *at)
{
	cg_fn callee = (cg_fn)get_varint(&at);
	uint64_t count = get_varint(&at), *sum = &lines->entries[callee];

	lines->called[callee] = true;
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
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

/* Notes where the rows are, and what calls there are. */
static bool
scan_packed(struct cg_lines *lines, uint32_t *last, cg_fn fn,
    const struct cg_packed *packed)
{
	const struct cg_fn_entry *entry = &lines->graph->fn[fn];
	const uint32_t *place = lines->place;
	uint32_t stated = entry->range.first, *first = &lines->first[fn];
	uint32_t own = place[entry->file];
	struct visit *visit = NULL;
	struct scan scan;

	cg_scan_begin(&scan, packed, entry->file, place);
	while (scan_row(&scan, place)) {
		unsigned kind = scan.tag & CG_TAG_KIND;

		if (kind == CG_ROW_CALL)
			count_call(lines, scan.at);
		else if (kind == CG_ROW_OTHER && scan.pos.line == 0 &&
			 scan.tag & CG_TAG_BRANCH)
			note_number(&lines->number[fn], scan.at);
		scan.at = skip_rest(scan.tag, scan.at);
		if (kind != CG_ROW_COST &&
		    (kind != CG_ROW_OTHER || !(scan.tag & CG_TAG_BRANCH)))
			continue;
		if (!visit || visit->file != scan.rank)
			visit = get_visit(lines, last, scan.rank, fn);
		if (!visit)
			return false;
		visit->rows++;
		if (stated == 0 && scan.rank == own && scan.pos.line > 0 &&
		    (*first == 0 || scan.pos.line < *first))
			*first = scan.pos.line;
	}
	return true;
}

static bool
scan_fn(struct cg_lines *lines, uint32_t *last, cg_fn fn)
{
	const struct cg_graph *graph = lines->graph;
	const struct cg_fn_entry *entry = &graph->fn[fn];
	uint32_t id = entry->runs;

	lines->first[fn] = entry->range.first;
	if (entry->name && entry->file &&
	    !get_visit(lines, last, lines->place[entry->file], fn))
		return false;
	for (; id != CG_NO_RUN; id = graph->run[id].next) {
		const struct cg_run *run = &graph->run[id];

		if (lines->part != CG_ALL_PARTS && run->part != lines->part)
			continue;
		if (!scan_packed(lines, last, fn, &run->costs) ||
		    !scan_packed(lines, last, fn, &run->others))
			return false;
	}
	return true;
}

/* Visits came by function; a counting sort makes them come by file. */
static bool
sort_visits(struct cg_lines *lines)
{
	size_t files = lines->graph->files.count, sum = 0;
	size_t *place = calloc(files + 1, sizeof(*place));
	struct visit *sorted = malloc((lines->visits + 1) * sizeof(*sorted));
	bool ok = place && sorted;

	for (size_t i = 0; ok && i < lines->visits; i++)
		place[lines->visit[i].file + 1]++;
	for (size_t i = 0; ok && i <= files; i++)
		sum = place[i] += sum;
	for (size_t i = 0; ok && i < lines->visits; i++)
		sorted[place[lines->visit[i].file]++] = lines->visit[i];
	free(place);
	if (!ok) {
		free(sorted);
		return false;
	}
	free(lines->visit);
	lines->visit = sorted;
	return true;
}

static bool
scan_graph(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	uint32_t *last = calloc(graph->files.count + 1, sizeof(*last));
	bool ok = last != NULL && place_files(lines);

	for (size_t rank = 0; ok && rank < graph->fns; rank++)
		ok = scan_fn(lines, last, graph->fn_ranked[rank]);
	free(last);
	return ok && sort_visits(lines);
}

struct cg_lines *
cg_lines_new(const struct cg_graph *graph, cg_part part)
{
	struct cg_lines *lines = calloc(1, sizeof(*lines));
	size_t fns = graph->fns;

	if (lines) {
		lines->graph = graph;
		lines->part = part;
		lines->first = calloc(fns, sizeof(*lines->first));
		lines->entries = calloc(fns, sizeof(*lines->entries));
		lines->called = calloc(fns, sizeof(*lines->called));
		lines->number = calloc(fns, sizeof(*lines->number));
		lines->opened = calloc(fns, sizeof(*lines->opened));
		lines->rows = cg_rows_new(graph);
	}
	if (!lines || !lines->first || !lines->entries || !lines->called ||
	    !lines->number || !lines->opened || !lines->rows ||
	    !scan_graph(lines)) {
		cg_lines_free(lines);
		cg_graph_nomem(graph);
		return NULL;
	}
	cg_rows_drop_addresses(lines->rows);
	return lines;
}

void
cg_lines_free(struct cg_lines *lines)
{
	if (!lines)
		return;
	cg_rows_free(lines->rows);
	free(lines->place);
	free(lines->placed);
	free(lines->visit);
	free(lines->first);
	free(lines->entries);
	free(lines->called);
	free(lines->number);
	free(lines->opened);
	free(lines->row);
	free(lines->cost);
	free(lines->branch);
	free(lines->key);
	free(lines->fn);
	free(lines->sum);
	free(lines);
}

/* ---- A batch of files --------------------------------------------------- */

static int
compare_u32(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int
compare_keys(const void *pa, const void *pb)
{
	const struct fn_key *a = pa, *b = pb;
	int order = compare_u32(a->foreign, b->foreign);

	if (order == 0)
		order = compare_u32(a->first, b->first);
	if (order == 0)
		order = compare_u32(a->column, b->column);
	if (order == 0)
		order = compare_u32(a->number, b->number);
	return order ? order : compare_u32(a->rank, b->rank);
}

static int
compare_rows(const void *pa, const void *pb)
{
	const struct line_row *a = pa, *b = pb;
	int order = compare_u32(a->file, b->file);

	if (order == 0)
		order = compare_u32(a->line, b->line);
	return order ? order : compare_keys(&a->key, &b->key);
}

static struct fn_key
key_of(const struct cg_lines *lines, uint32_t file, cg_fn fn)
{
	const struct cg_graph *graph = lines->graph;
	const struct cg_fn_entry *entry = &graph->fn[fn];

	return (struct fn_key){
		.foreign = lines->place[entry->file] != file,
		.first = lines->first[fn],
		.column = entry->range.first_column,
		.number = lines->number[fn],
		.rank = graph->fn_rank[fn],
		.fn = fn,
	};
}

/* The row of that place: the last one, or a new one; NULL: out of memory. */
static struct line_row *
get_row(struct cg_lines *lines, cg_fn fn, const struct cg_pos *pos)
{
	uint32_t file = lines->place[pos->file];
	struct line_row *row;

	if (lines->row_count > 0) {
		row = &lines->row[lines->row_count - 1];
		if (row->key.fn == fn && row->file == file &&
		    row->line == pos->line)
			return row;
	}
	if (!cg_grow_raw(&lines->row, &lines->row_cap, lines->row_count + 1,
		sizeof(*row)))
		return NULL;
	row = &lines->row[lines->row_count++];
	*row = (struct line_row){ .file = file,
		.line = pos->line,
		.key = key_of(lines, file, fn),
		.cost = lines->costs,
		.branch = lines->branches };
	return row;
}

static bool
add_cost(struct cg_lines *lines, cg_fn fn, const struct cg_cost *cost)
{
	struct line_row *row = get_row(lines, fn, &cost->pos);

	if (!row || !cg_grow_raw(&lines->cost, &lines->cost_cap,
			lines->costs + cost->n, sizeof(*lines->cost)))
		return false;
	if (cost->n > 0)
		memcpy(lines->cost + lines->costs, cost->cost,
		    cost->n * sizeof(*cost->cost));
	lines->costs += cost->n;
	row->n = (uint32_t)cost->n;
	row->has_cost = true;
	return true;
}

static bool
add_branch(struct cg_lines *lines, cg_fn fn, const struct cg_branch *branch)
{
	struct line_row *row = get_row(lines, fn, &branch->pos);

	if (!row || !cg_grow_raw(&lines->branch, &lines->branch_cap,
			lines->branches + 1, sizeof(*branch)))
		return false;
	lines->branch[lines->branches++] = *branch;
	row->branches++;
	return true;
}

/* Is a place not behind another, in the order of rows? */
static bool
comes_first(const struct cg_lines *lines, const struct cg_pos *a,
    const struct cg_pos *b)
{
	const uint32_t *rank = lines->graph->file_rank;

	if (rank[a->file] != rank[b->file])
		return rank[a->file] < rank[b->file];
	return a->line <= b->line;
}

/* Takes the function's rows in files at [low, high]: both kinds come in order. */
static bool
visit_fn(struct cg_lines *lines, cg_fn fn, uint32_t low, uint32_t high)
{
	struct cg_rows *rows = lines->rows;
	struct cg_branch branch;
	struct cg_cost cost;
	bool costs, branches;

	if (!cg_rows_open(rows, lines->part, fn))
		return false;
	costs = cg_next_cost(rows, &cost);
	branches = cg_next_branch(rows, &branch);
	while (costs || branches) {
		bool is_cost =
		    costs &&
		    (!branches || comes_first(lines, &cost.pos, &branch.pos));
		uint32_t file =
		    lines->place[(is_cost ? &cost.pos : &branch.pos)->file];

		if (file >= low && file <= high &&
		    !(is_cost ? add_cost(lines, fn, &cost)
			      : add_branch(lines, fn, &branch)))
			return false;
		if (is_cost)
			costs = cg_next_cost(rows, &cost);
		else
			branches = cg_next_branch(rows, &branch);
	}
	return true;
}

/* The end of the file's visits that begin at from. */
static size_t
file_end(const struct cg_lines *lines, size_t from, uint64_t *rows)
{
	size_t to = from;

	*rows = 0;
	for (; to < lines->visits &&
	       lines->visit[to].file == lines->visit[from].file;
	     to++)
		*rows += lines->visit[to].rows;
	return to;
}

/* Collects the rows of the next files; there is one at least. */
static bool
open_batch(struct cg_lines *lines)
{
	size_t from = lines->batch_end, to = from, next;
	uint64_t sum = 0, rows;

	while (to < lines->visits) {
		next = file_end(lines, to, &rows);
		if (to > from && rows > BATCH_ROWS - sum)
			break;
		sum += rows;
		to = next;
		if (sum >= BATCH_ROWS)
			break;
	}
	lines->batch_end = to;
	lines->batches++;
	lines->row_count = lines->costs = lines->branches = 0;
	lines->row_to = 0;
	for (size_t i = from; i < to; i++) {
		cg_fn fn = lines->visit[i].fn;

		if (lines->visit[i].rows == 0 ||
		    lines->opened[fn] == lines->batches)
			continue;
		lines->opened[fn] = lines->batches;
		if (!visit_fn(lines, fn, lines->visit[from].file,
			lines->visit[to - 1].file))
			return false;
	}
	if (lines->row_count > 1)
		qsort(lines->row, lines->row_count, sizeof(*lines->row),
		    compare_rows);
	return true;
}

/* ---- Cursors ------------------------------------------------------------ */

/* Functions whose own file it is, in order. */
static bool
list_fns(struct cg_lines *lines)
{
	uint32_t file = lines->visit[lines->from].file;
	size_t n = 0;

	if (!cg_grow_raw(&lines->key, &lines->key_cap, lines->to - lines->from,
		sizeof(*lines->key)) ||
	    !cg_grow_raw(&lines->fn, &lines->fn_cap, lines->to - lines->from,
		sizeof(*lines->fn)))
		return false;
	for (size_t i = lines->from; i < lines->to; i++) {
		cg_fn fn = lines->visit[i].fn;

		lines->key[n] = key_of(lines, file, fn);
		n += !lines->key[n].foreign && lines->graph->fn[fn].name;
	}
	if (n > 1)
		qsort(lines->key, n, sizeof(*lines->key), compare_keys);
	for (size_t i = 0; i < n; i++)
		lines->fn[i] = lines->key[i].fn;
	lines->fns = n;
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
	lines->to = file_end(lines, lines->from, &rows);
	if ((lines->from == lines->batch_end && !open_batch(lines)) ||
	    !list_fns(lines)) {
		cg_graph_nomem(lines->graph);
		lines->to = lines->visits;
		lines->fns = lines->row_next = lines->row_to = 0;
		return false;
	}
	place = lines->visit[lines->from].file;
	lines->row_from = lines->row_next = lines->row_to;
	while (lines->row_to < lines->row_count &&
	       lines->row[lines->row_to].file == place)
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
	*line = (struct cg_line){ .line = row->line,
		.fn = row->key.fn,
		.n = row->n,
		.has_cost = row->has_cost,
		.branches = row->branches };
	if (row->n > 0)
		line->cost = lines->cost + row->cost;
	if (row->branches > 0)
		line->branch = lines->branch + row->branch;
	return true;
}

void
cg_first_line(struct cg_lines *lines)
{
	lines->row_next = lines->row_from;
}

void
cg_first_file(struct cg_lines *lines)
{
	lines->from = lines->to = lines->batch_end = 0;
	lines->fns = lines->row_next = lines->row_to = 0;
}

uint32_t
cg_fn_line(const struct cg_lines *lines, cg_fn fn)
{
	return lines->first[fn];
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
