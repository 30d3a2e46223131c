/*
 * line_order.c - the order of files, functions and rows that lines.c has.
 *
 * All keys are small numbers: they are sorted digit by digit, from the lowest
 * on, and digits that all share take no time. What has the same key keeps its
 * order, so rows that came by function are sorted by line alone.
 */
#include <stdlib.h>
#include <string.h>

#include "lines.h"

#define DIGIT 8
#define DIGITS (1u << DIGIT)
#define PASSES (64 / DIGIT)
/* So few are sorted faster by moving each to its place. */
#define FEW 48
#define NO_PLACE UINT32_MAX

/* Room for twice so many; NULL: out of memory. */
static struct keyed *
make_room(struct cg_lines *lines, size_t count)
{
	struct sorting *sorting = &lines->sorting;

	if (count > UINT32_MAX || !cg_grow_raw(&sorting->item, &sorting->cap,
				      2 * count + 1, sizeof(*sorting->item)))
		return NULL;
	return sorting->item;
}

static void
sort_few(struct keyed *item, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct keyed moved = item[i];
		size_t at = i;

		for (; at > 0 && item[at - 1].key > moved.key; at--)
			item[at] = item[at - 1];
		item[at] = moved;
	}
}

/* One pass: by the digit of which there are so many. */
static void
sort_digit(const struct keyed *item, struct keyed *to, size_t count,
    uint32_t *digits, unsigned shift)
{
	uint32_t begin = 0, n;

	for (size_t i = 0; i < DIGITS; i++) {
		n = digits[i];
		digits[i] = begin;
		begin += n;
	}
	for (size_t i = 0; i < count; i++)
		to[digits[item[i].key >> shift & (DIGITS - 1)]++] = item[i];
}

/*
 * By key. Items are in one half of what make_room() gave, and may end in the
 * other: returns where they are.
 */
static struct keyed *
sort_keys(struct keyed *item, struct keyed *halves, size_t count)
{
	uint32_t digits[PASSES][DIGITS];
	struct keyed *room = item == halves ? item + count : halves, *sorted;
	bool in_order = true;

	for (size_t i = 1; i < count && in_order; i++)
		in_order = item[i - 1].key <= item[i].key;
	if (in_order)
		return item;
	if (count < FEW) {
		sort_few(item, count);
		return item;
	}
	memset(digits, 0, sizeof(digits));
	for (size_t i = 0; i < count; i++) {
		for (unsigned pass = 0; pass < PASSES; pass++)
			digits[pass]
			      [item[i].key >> pass * DIGIT & (DIGITS - 1)]++;
	}
	for (unsigned pass = 0; pass < PASSES; pass++) {
		unsigned shift = pass * DIGIT;

		if (digits[pass][item->key >> shift & (DIGITS - 1)] == count)
			continue;
		sort_digit(item, room, count, digits[pass], shift);
		sorted = room;
		room = item;
		item = sorted;
	}
	return item;
}

/* ---- Files -------------------------------------------------------------- */

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
bool
cg_lines_place_files(struct cg_lines *lines)
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

void
cg_lines_unplace_listed(struct cg_lines *lines)
{
	const cg_file *file;
	size_t files = cg_part_files(lines->graph, lines->part, &file);

	for (size_t i = 0; i < files; i++) {
		lines->place[file[i]] = lines->folder[file[i]];
		lines->placed[lines->folder[file[i]]] = file[i];
	}
}

/*
 * The places that they have folder by folder are shared out anew. A file may be
 * listed again, as paths can become one: NO_PLACE is the last, and is left.
 */
bool
cg_lines_place_listed(struct cg_lines *lines)
{
	const cg_file *file;
	size_t files = cg_part_files(lines->graph, lines->part, &file);
	struct keyed *item = make_room(lines, files);
	uint32_t place;

	if (!item)
		return false;
	for (size_t i = 0; i < files; i++) {
		item[i].key = lines->place[file[i]];
		lines->place[file[i]] = NO_PLACE;
	}
	item = sort_keys(item, item, files);
	for (size_t i = 0; i < files; i++) {
		if (lines->place[file[i]] != NO_PLACE)
			continue;
		place = (uint32_t)(item++)->key;
		lines->place[file[i]] = place;
		lines->placed[place] = file[i];
	}
	return true;
}

/* ---- Functions ---------------------------------------------------------- */

/* Visits came member by member; they are wanted by file, members in order. */
static bool
order_visits(struct cg_lines *lines, const struct keyed *item)
{
	size_t files = lines->graph->files.count, sum = 0;
	size_t *begin = calloc(files + 1, sizeof(*begin));
	struct visit *visit;

	if (!begin || !cg_grow_raw(&lines->spare, &lines->spare_cap,
			  lines->visits + 1, sizeof(*visit))) {
		free(begin);
		return false;
	}
	for (size_t i = 0; i < lines->visits; i++)
		begin[lines->visit[i].file + 1]++;
	for (size_t i = 0; i <= files; i++)
		sum = begin[i] += sum;
	for (uint32_t number = 0; number < lines->members; number++) {
		uint32_t from = item[number].index;

		for (size_t i = lines->member[from].visit;
		     i < lines->visits && lines->visit[i].member == from; i++) {
			visit = &lines->spare[begin[lines->visit[i].file]++];
			*visit = lines->visit[i];
			visit->member = number;
		}
	}
	free(begin);
	visit = lines->visit;
	lines->visit = lines->spare;
	lines->spare = visit;
	sum = lines->visit_cap;
	lines->visit_cap = lines->spare_cap;
	lines->spare_cap = sum;
	return true;
}

bool
cg_lines_order_members(struct cg_lines *lines, bool in_order)
{
	const struct cg_graph *graph = lines->graph;
	size_t count = lines->members;
	struct keyed *item = make_room(lines, count);
	bool ok;

	if (!item)
		return false;
	for (uint32_t i = 0; i < count; i++)
		item[i] =
		    (struct keyed){ graph->fn_rank[lines->member[i].fn], i };
	if (!in_order)
		item = sort_keys(item, lines->sorting.item, count);
	for (size_t i = 0; i < count; i++)
		item[i].key = lines->number[lines->member[item[i].index].fn];
	item = sort_keys(item, lines->sorting.item, count);
	for (size_t i = 0; i < count; i++) {
		cg_fn fn = lines->member[item[i].index].fn;

		item[i].key = (uint64_t)lines->first[fn] << 32 |
			      graph->fn[fn].range.first_column;
	}
	item = sort_keys(item, lines->sorting.item, count);
	ok = order_visits(lines, item);
	/* The keys are not needed any more: let them hold what is moved. */
	for (size_t i = 0; i < count; i++)
		item[i].key = (uint64_t)lines->member[item[i].index].run << 32 |
			      lines->member[item[i].index].fn;
	for (size_t i = 0; i < count; i++) {
		lines->member[i].fn = (cg_fn)item[i].key;
		lines->member[i].run = (uint32_t)(item[i].key >> 32);
	}
	return ok;
}

/* ---- Batches ------------------------------------------------------------ */

struct keyed *
cg_lines_order_batch(
    struct cg_lines *lines, size_t from, size_t to, size_t *count)
{
	struct keyed *item = make_room(lines, to - from);
	size_t n = 0;

	if (!item)
		return NULL;
	for (size_t i = from; i < to; i++) {
		uint32_t member = lines->visit[i].member;

		if (lines->visit[i].rows == 0 ||
		    lines->opened[member] == lines->batches)
			continue;
		lines->opened[member] = lines->batches;
		item[n++] = (struct keyed){ member, member };
	}
	*count = n;
	return sort_keys(item, item, n);
}

bool
cg_lines_order_rows(struct cg_lines *lines)
{
	size_t count = lines->row_count, cap;
	const struct keyed *sorted;
	struct line_row *row;
	struct keyed *item;

	for (size_t i = 1;; i++) {
		if (i >= count)
			return true;
		if (lines->row[i - 1].key > lines->row[i].key)
			break;
	}
	item = make_room(lines, count);
	if (!item || !cg_grow_raw(&lines->row_spare, &lines->row_spare_cap,
			 count, sizeof(*row)))
		return false;
	for (uint32_t i = 0; i < count; i++)
		item[i] = (struct keyed){ lines->row[i].key, i };
	sorted = sort_keys(item, item, count);
	for (size_t i = 0; i < count; i++)
		lines->row_spare[i] = lines->row[sorted[i].index];
	row = lines->row;
	lines->row = lines->row_spare;
	lines->row_spare = row;
	cap = lines->row_cap;
	lines->row_cap = lines->row_spare_cap;
	lines->row_spare_cap = cap;
	return true;
}
