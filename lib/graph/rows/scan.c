/*
 * scan.c - reads packed rows in order of arrival, neither sorted nor merged.
 */
#include "graph/rows/cursor.h"

struct cg_varint
cg_get_long(const uint8_t *at)
{
	uint64_t byte = *at++, sum = byte & 0x7f;

	for (unsigned shift = 7; byte >= 0x80; shift += 7) {
		byte = *at++;
		sum |= (byte & 0x7f) << shift;
	}
	return (struct cg_varint){ sum, at };
}

static void
enter_block(struct scan *scan, const struct cg_block *block)
{
	scan->block = block;
	scan->at = block->data;
	scan->end =
	    block->data +
	    (block == scan->packed->last ? scan->packed->used : block->used);
	if (scan->stop >= scan->at && scan->stop < scan->end)
		scan->end = scan->stop;
}

void
cg_scan_begin(struct scan *scan, const struct cg_packed *packed, cg_file file,
    const uint32_t *file_rank)
{
	*scan = (struct scan){ .packed = packed,
		.pos = { .file = file },
		.rank = file_rank ? file_rank[file] : file };
	if (packed->last)
		enter_block(scan, packed->last->next);
}

bool
cg_scan_block(struct scan *scan)
{
	while (scan->at == scan->end) {
		if (scan->at == scan->stop || scan->block == scan->packed->last)
			return false;
		enter_block(scan, scan->block->next);
	}
	return true;
}

void
cg_scan_seek(struct scan *scan, const uint8_t *tag)
{
	while (tag < scan->block->data || tag >= scan->end)
		enter_block(scan, scan->block->next);
	scan->at = tag;
}

static const uint8_t *
take_file(struct scan *scan, const uint8_t *at, const uint32_t *file_rank)
{
	scan->pos.file = (cg_file)get_varint(&at);
	scan->rank = file_rank ? file_rank[scan->pos.file] : scan->pos.file;
	return at;
}

const uint8_t *
cg_scan_pos(struct scan *scan, unsigned tag, const uint8_t *at,
    const uint32_t *file_rank)
{
	if (tag & CG_TAG_FILE)
		at = take_file(scan, at, file_rank);
	if (tag & CG_TAG_ADDR)
		scan->pos.addr += get_signed(&at);
	if (tag & CG_TAG_LINE)
		scan->pos.line += (uint32_t)get_signed(&at);
	return at;
}

const uint8_t *
cg_scan_cost_pos(
    struct scan *scan, const uint8_t *at, const uint32_t *file_rank)
{
	unsigned flags = *at;

	if (flags < CG_POS_FLAGS) {
		scan->pos.line += (uint32_t)get_signed(&at);
		return at;
	}
	at++;
	if (flags & CG_POS_SEGMENT) {
		at += sizeof(void *);
		scan->pos.addr = 0;
		scan->pos.line = 0;
	}
	if (flags & CG_POS_FILE)
		at = take_file(scan, at, file_rank);
	if (flags & CG_POS_ADDR)
		scan->pos.addr += get_signed(&at);
	if (flags & CG_POS_LINE)
		scan->pos.line += (uint32_t)get_signed(&at);
	return at;
}

/* ---- For sums of functions ---------------------------------------------- */

void
cg_calls_begin(struct cg_rows *rows, const struct cg_run *run, bool costs)
{
	rows->no_costs = !costs;
	cg_scan_begin(&rows->scan, &run->others, 0, NULL);
}

bool
cg_calls_next(struct cg_rows *rows, struct cg_call *call, bool *stated)
{
	struct scan *scan = &rows->scan;

	while (scan->at != scan->end || cg_scan_block(scan)) {
		unsigned tag = *scan->at;
		const uint8_t *at =
		    skip_varints(scan->at + 1, count_pos_values(tag));

		switch ((enum cg_row_kind)(tag & CG_TAG_KIND)) {
		case CG_ROW_CALL:
			*stated = false;
			call->callee = (cg_fn)get_varint(&at);
			call->count = get_varint(&at);
			at = skip_varints(at, 2); /* entry */
			call->cost = rows->sum;
			call->n = 0;
			if (rows->no_costs)
				at = skip_values(at);
			else
				call->n = get_values(&at, rows->sum);
			scan->at = at;
			return true;
		case CG_ROW_OTHER:
			if (tag & CG_TAG_BRANCH)
				break;
			*stated = true;
			call->count = get_varint(&at);
			call->n = get_values(&at, rows->sum);
			call->cost = rows->sum;
			scan->at = at;
			return true;
		case CG_ROW_JUMP: break;
		}
		scan->at = skip_rest(tag, at);
	}
	return false;
}

/*
 * Adds the values of a packed row for events [event, end) to sum[0] and so on.
 * Moves *values past the row. n: the number of values and runs of zeros.
 * False: a sum overflows.
 */
static bool
sum_values(const struct cg_graph *graph, const uint8_t **values, size_t n,
    uint64_t *sum, size_t event, size_t end)
{
	const uint8_t *at = *values;

	for (size_t i = 0; n > 0 && i < end; n--) {
		if (is_zeros(at)) {
			i += get_zeros(at);
			at += 2;
		} else if (i++ < event) {
			at = skip_varints(at, 1);
		} else if (!cg_add_value(graph, i - 1, &sum[i - 1 - event],
			       get_varint(&at))) {
			return false;
		}
	}
	*values = skip_varints(at, n);
	return true;
}

bool
cg_rows_sum_costs(struct cg_rows *rows, const struct cg_run *run, uint64_t *sum,
    size_t event, size_t events)
{
	const size_t all = rows->graph->events;
	const size_t end = events < all - event ? event + events : all;
	struct scan scan;
	bool ok = true;

	cg_scan_begin(&scan, &run->costs, 0, NULL);
	while (ok && scan_cost(&scan, NULL))
		ok = sum_values(rows->graph, &scan.at,
		    get_count(scan.tag, &scan.at), sum, event, end);
	return ok;
}
