/*
 * scan.c - ways through packed rows as they came: neither sorted nor merged.
 */
#include "graph.h"
#include "rows.h"

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
	scan->end = block == scan->packed->last ? scan->packed->at
						: block->data + block->used;
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
	if (packed->first)
		enter_block(scan, packed->first);
}

bool
cg_scan_block(struct scan *scan)
{
	while (scan->at == scan->end) {
		if (scan->at == scan->stop || !scan->block->next)
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

const uint8_t *
cg_scan_place(struct scan *scan, unsigned tag, const uint8_t *at,
    const uint32_t *file_rank)
{
	if (begins_stretch(tag)) {
		at += sizeof(void *);
		scan->pos.addr = 0;
		scan->pos.line = 0;
	}
	if (tag & CG_TAG_FILE) {
		scan->pos.file = (cg_file)get_varint(&at);
		scan->rank =
		    file_rank ? file_rank[scan->pos.file] : scan->pos.file;
	}
	if (tag & CG_TAG_ADDR)
		scan->pos.addr += get_signed(&at);
	if (tag & CG_TAG_LINE)
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
		    skip_varints(scan->at + 1, count_places(tag));

		switch ((enum cg_row_kind)(tag & CG_TAG_KIND)) {
		case CG_ROW_CALL:
			*stated = false;
			call->callee = (cg_fn)get_varint(&at);
			call->count = get_varint(&at);
			at = skip_varints(at, 2); /* the callee's entry */
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
			call->n = get_values(&at, rows->sum);
			call->cost = rows->sum;
			scan->at = at;
			return true;
		case CG_ROW_COST:
		case CG_ROW_JUMP: break;
		}
		scan->at = skip_rest(tag, at);
	}
	return false;
}

/* Adds what a row has of so many events, from event on. */
static bool
sum_row(const struct cg_graph *graph, const uint8_t **row, uint64_t *sum,
    size_t event, size_t events)
{
	const uint8_t *at = *row;
	unsigned tag = *at++;
	size_t n, i, end;

	if (begins_stretch(tag))
		at += sizeof(void *);
	at = skip_varints(at, count_places(tag));
	n = get_varint(&at);
	i = event < n ? event : n;
	end = events < n - i ? i + events : n;
	at = skip_varints(at, i);
	for (; i < end; i++) {
		if (!cg_add_value(graph, i, &sum[i - event], get_varint(&at)))
			return false;
	}
	*row = skip_varints(at, n - i);
	return true;
}

bool
cg_rows_sum_costs(struct cg_rows *rows, const struct cg_run *run, uint64_t *sum,
    size_t event, size_t events)
{
	struct scan scan;
	bool ok = true;

	cg_scan_begin(&scan, &run->costs, 0, NULL);
	while (ok && (scan.at != scan.end || cg_scan_block(&scan)))
		ok = sum_row(rows->graph, &scan.at, sum, event, events);
	return ok;
}
