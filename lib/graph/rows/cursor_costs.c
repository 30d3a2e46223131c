/*
 * cursor_costs.c - cursors over the costs of one function.
 *
 * Most rows are costs. They arrive in a few ascending segments, mostly in one.
 * A cursor decodes rows on demand and merges the segments with a heap.
 */
#include "graph/rows/cursor.h"

/* ---- Segments ----------------------------------------------------------- */

static inline bool
is_before(const struct cg_rows *rows, const struct scan *scan, uint64_t addr,
    uint32_t rank, uint32_t line)
{
	if (scan->pos.addr != addr && !rows->no_addresses)
		return scan->pos.addr < addr;
	if (scan->rank != rank)
		return scan->rank < rank;
	return scan->pos.line < line;
}

static inline bool
comes_before(
    const struct cg_rows *rows, const struct scan *a, const struct scan *b)
{
	return is_before(rows, a, b->pos.addr, b->rank, b->pos.line);
}

static bool
add_head(struct cg_rows *rows, const struct scan *scan)
{
	if (!cg_grow_raw(
		&rows->head, &rows->head_cap, rows->heads + 1, sizeof(*scan)))
		return false;
	rows->head[rows->heads++] = *scan;
	return true;
}

/*
 * Makes a scan (a decoder of packed rows) end before the row whose tag byte
 * has the address `stop`, where the next ascending segment begins. That row
 * may be in a later block of memory.
 */
static void
stop_before(struct scan *scan, const uint8_t *stop)
{
	scan->stop = stop;
	if (stop >= scan->at && stop < scan->end)
		scan->end = stop;
}

/*
 * Moves a scan from the end of a row to the next row; *tag is its first byte.
 * *ascends: it is not before the last row in order. False: there is no next
 * row.
 */
static bool
step(
    struct cg_rows *rows, struct scan *scan, const uint8_t **tag, bool *ascends)
{
	uint64_t addr = scan->pos.addr;
	uint32_t rank = scan->rank, line = scan->pos.line;

	if (scan->at == scan->end && !cg_scan_block(scan))
		return false;
	*tag = scan->at;
	(void)scan_cost(scan, rows->file_rank);
	*ascends = !is_before(rows, scan, addr, rank, line);
	return true;
}

/*
 * Splits the packed rows from scan on into ascending segments. Appends a scan
 * at the first row of each segment to rows->head, by which the cursor merges
 * the segments. False: out of memory.
 */
static bool
add_segments(struct cg_rows *rows, struct scan *scan)
{
	const uint8_t *tag;
	bool ascends, ok = add_head(rows, scan);

	while (ok) {
		scan->at = skip_cost(scan->tag, scan->at);
		if (!step(rows, scan, &tag, &ascends))
			break;
		if (ascends)
			continue;
		stop_before(&rows->head[rows->heads - 1], tag);
		ok = add_head(rows, scan);
	}
	return ok;
}

/*
 * Like add_segments(), but follows the links between segments instead of
 * decoding all rows. last: the first row's tag in the last segment, NULL if
 * there is only one. False: out of memory.
 */
static bool
add_known(struct cg_rows *rows, struct scan *scan, const uint8_t *last)
{
	const uint8_t *tag = last;
	bool ok = add_head(rows, scan);

	while (ok && last) {
		tag = next_segment(tag);
		stop_before(&rows->head[rows->heads - 1], tag);
		cg_scan_seek(scan, tag);
		(void)scan_cost(scan, rows->file_rank);
		ok = add_head(rows, scan);
		if (tag == last)
			break;
	}
	return ok;
}

bool
cg_costs_add(struct cg_rows *rows, const struct cg_run *run, bool in_order)
{
	struct scan scan;

	cg_scan_begin(&scan, &run->costs, run->file, rows->file_rank);
	if (!scan_cost(&scan, rows->file_rank))
		return true;
	/*
	 * The linked segments are sorted by address first: do not use them if
	 * addresses are ignored.
	 */
	if (in_order && rows->no_addresses && rows->graph->facts & CG_INSTRS)
		return add_segments(rows, &scan);
	return add_known(rows, &scan, in_order ? run->segment : NULL);
}

/*
 * Moves head i of the heap down until no child precedes it. The heap has one
 * scan for each ascending segment, the one with the lowest row first.
 */
static void
sift(struct cg_rows *rows, size_t i)
{
	struct scan *head = rows->head, moved = head[i];
	size_t child;

	while ((child = 2 * i + 1) < rows->heads) {
		if (child + 1 < rows->heads &&
		    comes_before(rows, &head[child + 1], &head[child]))
			child++;
		if (!comes_before(rows, &head[child], &moved))
			break;
		head[i] = head[child];
		i = child;
	}
	head[i] = moved;
}

/*
 * Takes the scan with the lowest row off the heap, which has one scan for each
 * ascending segment of rows, and makes it the current scan. Clears
 * rows->has_cost if the heap is empty.
 */
static void
take_head(struct cg_rows *rows)
{
	rows->has_cost = rows->heads > 0;
	if (rows->heads == 0)
		return;
	rows->scan = rows->head[0];
	rows->head[0] = rows->head[--rows->heads];
	if (rows->heads > 1)
		sift(rows, 0);
}

void
cg_costs_begin(struct cg_rows *rows)
{
	for (size_t i = rows->heads / 2; i-- > 0;)
		sift(rows, i);
	take_head(rows);
}

/*
 * Makes the scan with the lowest row the current one: if the lowest head of
 * the heap precedes the current scan's row, swaps the two. True: they were
 * swapped.
 */
static inline bool
settle(struct cg_rows *rows)
{
	struct scan scan = rows->scan;

	if (rows->heads == 0 ||
	    !comes_before(rows, &rows->head[0], &rows->scan))
		return false;
	rows->scan = rows->head[0];
	rows->head[0] = scan;
	sift(rows, 0);
	return true;
}

bool
cg_costs_settle(struct cg_rows *rows)
{
	return settle(rows);
}

/*
 * Decodes the values of the scan's current row into the array `to`, and moves
 * the scan past them; returns their number.
 */
static inline size_t
take_values(struct scan *scan, uint64_t *to)
{
	size_t n = get_count(scan->tag, &scan->at);

	return unpack_values(&scan->at, n, to);
}

/*
 * Moves from the end of a row to the row that comes next in the order of
 * positions. Stored rows are several ascending sequences; the next row may be
 * in another one. After the last row, rows->has_cost is false.
 */
static inline void
next_row(struct cg_rows *rows)
{
	if (!scan_cost(&rows->scan, rows->file_rank))
		take_head(rows);
	else
		(void)settle(rows);
}

static inline bool
is_at(const struct cg_rows *rows, const struct cg_pos *pos)
{
	const struct cg_pos *at = &rows->scan.pos;

	return at->line == pos->line && at->file == pos->file &&
	       (at->addr == pos->addr || rows->no_addresses);
}

bool
cg_next_cost(struct cg_rows *rows, struct cg_cost *cost)
{
	struct scan *scan = &rows->scan;
	size_t n;

	if (!rows->has_cost)
		return false;
	cost->pos = scan->pos;
	cost->n = take_values(scan, rows->sum);
	cost->cost = rows->sum;
	for (;;) {
		next_row(rows);
		if (!rows->merge || !rows->has_cost || !is_at(rows, &cost->pos))
			break;
		n = take_values(scan, rows->cost);
		if (!cg_add_costs(
			rows->graph, rows->sum, &cost->n, rows->cost, n)) {
			cg_graph_overflow(rows->graph, "costs of a position");
			return false;
		}
	}
	if (rows->no_addresses)
		cost->pos.addr = 0;
	return true;
}
