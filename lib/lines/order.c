/*
 * order.c - the order of files, functions and rows that lines.c has.
 *
 * All keys are small numbers: they are sorted digit by digit, from the lowest
 * on, and digits that all share take no time. What has the same key keeps its
 * order, so rows that came by function are sorted by line alone.
 */
#include <stdlib.h>
#include <string.h>

#include "lines/lines.h"

#define DIGIT 8
#define DIGITS (1u << DIGIT)
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

/* One pass: by the digit at that bit. */
static void
sort_digit(
    const struct keyed *item, struct keyed *to, size_t count, unsigned shift)
{
	uint32_t place[DIGITS] = { 0 }, begin = 0, n;

	for (size_t i = 0; i < count; i++)
		place[item[i].key >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		n = place[i];
		place[i] = begin;
		begin += n;
	}
	for (size_t i = 0; i < count; i++)
		to[place[item[i].key >> shift & (DIGITS - 1)]++] = item[i];
}

/*
 * By key. Items are in one half of what make_room() gave, and may end in the
 * other: returns where they are.
 */
static struct keyed *
sort_keys(struct keyed *item, struct keyed *halves, size_t count)
{
	struct keyed *room = item == halves ? item + count : halves, *sorted;
	uint64_t differ = 0;
	bool in_order = true;

	for (size_t i = 1; i < count; i++) {
		in_order &= item[i - 1].key <= item[i].key;
		differ |= item[i - 1].key ^ item[i].key;
	}
	if (in_order)
		return item;
	if (count < FEW) {
		sort_few(item, count);
		return item;
	}
	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		if ((differ >> shift & (DIGITS - 1)) == 0)
			continue;
		sort_digit(item, room, count, shift);
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

/* Visits came member by member: those of each follow it to its new place. */
static bool
move_visits(struct cg_lines *lines, const struct keyed *item)
{
	size_t moved = 0;

	if (!cg_grow_raw(&lines->spare, &lines->spare_cap, lines->visits + 1,
		sizeof(*lines->spare)))
		return false;
	for (uint32_t number = 0; number < lines->members; number++) {
		uint32_t from = item[number].index;

		for (size_t i = lines->member[from].visit;
		     i < lines->visits && lines->visit[i].member == from; i++) {
			lines->spare[moved] = lines->visit[i];
			lines->spare[moved++].member = number;
		}
	}
	return true;
}

/* They are wanted by file, members in order. */
static bool
order_visits(struct cg_lines *lines)
{
	struct keyed *item = make_room(lines, lines->visits);

	if (!item)
		return false;
	for (uint32_t i = 0; i < lines->visits; i++)
		item[i] = (struct keyed){ lines->spare[i].file, i };
	item = sort_keys(item, item, lines->visits);
	for (size_t i = 0; i < lines->visits; i++)
		lines->visit[i] = lines->spare[item[i].index];
	return true;
}

bool
cg_lines_order_members(struct cg_lines *lines, bool in_order)
{
	const struct cg_graph *graph = lines->graph;
	size_t count = lines->members;
	struct keyed *item = make_room(lines, count);

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
	if (!move_visits(lines, item))
		return false;
	/* The keys are not needed any more: let them hold what is moved. */
	for (size_t i = 0; i < count; i++)
		item[i].key = (uint64_t)lines->member[item[i].index].run << 32 |
			      lines->member[item[i].index].fn;
	for (size_t i = 0; i < count; i++) {
		lines->member[i].fn = (cg_fn)item[i].key;
		lines->member[i].run = (uint32_t)(item[i].key >> 32);
	}
	return order_visits(lines);
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
