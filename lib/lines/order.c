/*
 * order.c - sorts files, functions and rows for lines.c.
 *
 * All keys are small numbers: a radix sort from the lowest digit on skips the
 * digits that all keys share. It is stable, so rows that are sorted by function
 * are sorted by line alone.
 */
#include <stdlib.h>
#include <string.h>

#include "lines/lines.h"

#define NO_ORDER UINT32_MAX
#define ROWS_MOST (UINT32_MAX / 2) /* maximum count of a function's rows */

/*
 * Returns an array of at least count items to sort, with undefined contents;
 * it is reused, so only one is in use at a time. NULL: out of memory.
 */
static struct keyed *
make_room(struct cg_lines *lines, size_t count)
{
	struct sorting *sorting = &lines->sorting;

	if (count > UINT32_MAX ||
	    !cg_scope_grow(&lines->scope, &sorting->item, &sorting->cap,
		count + 1, sizeof(*sorting->item)))
		return NULL;
	return sorting->item;
}

void
cg_lines_free_sorting(struct cg_lines *lines)
{
	cg_scope_drop(&lines->scope, lines->sorting.item);
	lines->sorting = (struct sorting){ 0 };
}

/* Sorts the count items by key, stably; false: out of memory. */
static bool
sort_keys(struct keyed *item, size_t count)
{
	return cg_sort_by_u64(
	    item, count, sizeof(*item), offsetof(struct keyed, key));
}

/* ---- Files -------------------------------------------------------------- */

struct path {
	struct cg_slice directory, path;
	cg_file file;
};

static int
compare_paths(const void *pa, const void *pb)
{
	const struct path *a = pa, *b = pb;
	int order = cg_compare(a->directory, b->directory);

	return order ? order : cg_compare(a->path, b->path);
}

/*
 * Sorts files by directory first: as text, "a/b/c.c" would be between "a/a.c"
 * and "a/d.c". The unknown file is the first. Sets lines->ordered_file to the
 * sorted files, and lines->file_order to the order number of each file. False:
 * out of memory.
 */
bool
cg_lines_order_files(struct cg_lines *lines)
{
	const struct cg_graph *graph = lines->graph;
	size_t files = graph->files.count;
	struct path *path = calloc(files, sizeof(*path));

	lines->file_order =
	    cg_scope_alloc(&lines->scope, files * sizeof(*lines->file_order));
	lines->ordered_file =
	    cg_scope_alloc(&lines->scope, files * sizeof(*lines->ordered_file));
	if (!path || !lines->file_order || !lines->ordered_file) {
		free(path);
		return false;
	}
	for (cg_file i = 0; i < files; i++) {
		struct cg_slice text = cg_file_path(graph, i);

		path[i] = (struct path){ text, text, i };
		while (path[i].directory.len > 0 &&
		       text.ptr[path[i].directory.len - 1] != '/')
			path[i].directory.len--;
	}
	/* The unknown file stays first. */
	qsort(path + 1, files - 1, sizeof(*path), compare_paths);
	for (uint32_t i = 0; i < files; i++) {
		lines->ordered_file[i] = path[i].file;
		lines->file_order[path[i].file] = i;
	}
	free(path);
	return true;
}

void
cg_lines_restore_order(struct cg_lines *lines)
{
	const cg_file *file;
	size_t files = cg_part_files(lines->graph, lines->part, &file);

	for (size_t i = 0; i < files; i++) {
		lines->file_order[file[i]] = lines->directory_order[file[i]];
		lines->ordered_file[lines->directory_order[file[i]]] = file[i];
	}
}

/*
 * Gives the files that the input lists for the part the order of that list.
 * Other files keep their order numbers. A file may be listed twice, as --map
 * can cause: the first place counts. False: out of memory.
 */
bool
cg_lines_order_listed(struct cg_lines *lines)
{
	const cg_file *file;
	size_t files = cg_part_files(lines->graph, lines->part, &file);
	struct keyed *item = make_room(lines, files);
	uint32_t order;

	if (!item)
		return false;
	for (size_t i = 0; i < files; i++) {
		item[i].key = lines->file_order[file[i]];
		lines->file_order[file[i]] = NO_ORDER;
	}
	if (!sort_keys(item, files))
		return false;
	for (size_t i = 0; i < files; i++) {
		if (lines->file_order[file[i]] != NO_ORDER)
			continue;
		order = (uint32_t)(item++)->key;
		lines->file_order[file[i]] = order;
		lines->ordered_file[order] = file[i];
	}
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

/*
 * Sorts lines->in_file (functions by file) by file, then by function, after
 * lines->part_fn was sorted. Before that, replaces each index of part_fn there
 * by the new one: item[i].index is the old index of new function i. False: out
 * of memory.
 */
static bool
order_in_files(struct cg_lines *lines, const struct keyed *item)
{
	struct part_fn *part_fn = lines->part_fn;

	for (uint32_t i = 0; i < lines->part_fns; i++)
		part_fn[item[i].index].number = i;
	for (size_t i = 0; i < lines->in_files; i++) {
		struct fn_in_file *in_file = &lines->in_file[i];

		in_file->key = cg_in_file_key(cg_in_file_file(in_file),
		    part_fn[cg_in_file_fn(in_file)].number);
	}
	return cg_sort_by_u64(lines->in_file, lines->in_files,
	    sizeof(*lines->in_file), offsetof(struct fn_in_file, key));
}

bool
cg_lines_order_fns(struct cg_lines *lines, bool in_order)
{
	const struct cg_graph *graph = lines->graph;
	size_t count = lines->part_fns;
	struct keyed *item = make_room(lines, count);

	if (!item)
		return false;
	for (uint32_t i = 0; i < count; i++)
		item[i] = (struct keyed){ graph->fn_rank[lines->part_fn[i].fn],
			{ i } };
	if (!in_order && !sort_keys(item, count))
		return false;
	if (!lines->by_name) {
		for (size_t i = 0; i < count; i++)
			item[i].key =
			    lines->number[lines->part_fn[item[i].index].fn];
		if (!sort_keys(item, count))
			return false;
	}
	for (size_t i = 0; i < count; i++) {
		cg_fn fn = lines->part_fn[item[i].index].fn;

		item[i].key = (uint64_t)lines->first[fn] << 32 |
			      graph->fn[fn].range.first_column;
	}
	if (!sort_keys(item, count) || !order_in_files(lines, item))
		return false;
	/* The keys are not needed any more: use them to permute part_fn. */
	for (size_t i = 0; i < count; i++)
		item[i].key = (uint64_t)lines->part_fn[item[i].index].run
				  << 32 |
			      lines->part_fn[item[i].index].fn;
	for (size_t i = 0; i < count; i++) {
		lines->part_fn[i].fn = (cg_fn)item[i].key;
		lines->part_fn[i].run = (uint32_t)(item[i].key >> 32);
	}
	return true;
}

/* ---- Batches ------------------------------------------------------------ */

struct keyed *
cg_lines_order_batch(
    struct cg_lines *lines, size_t from, size_t to, size_t *count)
{
	struct keyed *item = make_room(lines, to - from);
	size_t n = 0, kept = 0;

	if (!item)
		return NULL;
	for (size_t i = from; i < to; i++) {
		const struct fn_in_file *in_file = &lines->in_file[i];
		uint64_t rows = in_file->rows;

		if (rows > ROWS_MOST)
			rows = ROWS_MOST;
		if (rows > 0)
			item[n++] =
			    (struct keyed){ .key = cg_in_file_fn(in_file),
				    .rows = (uint32_t)rows };
	}
	if (!sort_keys(item, n))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct keyed *last = &item[kept - (kept > 0)];

		if (kept == 0 || item[i].key != last->key)
			item[kept++] = item[i];
		else if (last->rows < ROWS_MOST)
			last->rows += item[i].rows;
	}
	*count = kept;
	return item;
}

bool
cg_lines_order_rows(struct cg_lines *lines)
{
	size_t count = lines->row_count, cap;
	struct line_row *row;
	struct keyed *item;

	for (size_t i = 1;; i++) {
		if (i >= count)
			return true;
		if (lines->row[i - 1].key > lines->row[i].key)
			break;
	}
	item = make_room(lines, count);
	if (!item || !cg_scope_grow(&lines->scope, &lines->row_spare,
			 &lines->row_spare_cap, count, sizeof(*row)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		item[i] = (struct keyed){ lines->row[i].key, { i } };
	if (!sort_keys(item, count))
		return false;
	for (size_t i = 0; i < count; i++)
		lines->row_spare[i] = lines->row[item[i].index];
	row = lines->row;
	lines->row = lines->row_spare;
	lines->row_spare = row;
	cap = lines->row_cap;
	lines->row_cap = lines->row_spare_cap;
	lines->row_spare_cap = cap;
	return true;
}
