/*
 * pack.c - packs rows, and merges runs that grow. packed.h has the layout.
 */
#include <stdlib.h>

#include "graph/rows/cursor.h"

/* Maximum size of rows without their costs, in bytes. */
#define CALL_MAX (POS_MAX + 30)
#define JUMP_MAX (POS_MAX + 50)
#define BRANCH_MAX (POS_MAX + 45)

void
cg_link_segment(uint8_t **segment, uint8_t *row)
{
	uint8_t *first = row;

	if (*segment) {
		first = next_segment(*segment);
		memcpy(*segment + 2, &row, sizeof(row));
	}
	memcpy(row + 2, &first, sizeof(first));
	*segment = row;
}

bool
cg_run_add_cost(struct cg_graph *graph, struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->costs;
	uint8_t *row, *to;

	n = cg_cut_zeros(cost, n);
	row = begin_pack(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!row)
		return false;
	to = put_cost_pos(packed, row, *pos, packed->pos);
	if (n < CG_COST_COUNT) {
		*row |= (uint8_t)n;
	} else {
		*row |= CG_COST_COUNT;
		to = put_varint(to, n);
	}
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	end_pack(packed, to, pos);
	if (begins_segment(row))
		cg_link_segment(&run->segment, row);
	return true;
}

bool
cg_run_add_call(
    struct cg_graph *graph, struct cg_run *run, const struct cg_call *call)
{
	struct cg_packed *packed = &run->others;
	size_t n = cg_cut_zeros(call->cost, call->n);
	uint8_t *to = begin_pack(graph, run, packed, CALL_MAX + n * VALUE_MAX);

	if (!to)
		return false;
	run->branches_ascend = false;
	to = put_pos(packed, to, CG_ROW_CALL, &call->site);
	to = put_varint(to, call->callee);
	to = put_varint(to, call->count);
	to = put_varint(to, call->entry.line);
	to = put_varint(to, call->entry.addr);
	end_pack(packed, put_values(to, call->cost, n), &call->site);
	return true;
}

bool
cg_run_add_jump(
    struct cg_graph *graph, struct cg_run *run, const struct cg_jump *jump)
{
	struct cg_packed *packed = &run->others;
	bool far = jump->target != run->fn || jump->to.file != jump->from.file;
	unsigned tag = CG_ROW_JUMP | (jump->conditional ? CG_TAG_COND : 0) |
		       (far ? CG_TAG_FAR : 0);
	uint8_t *to = begin_pack(graph, run, packed, JUMP_MAX);

	if (!to)
		return false;
	run->branches_ascend = false;
	to = put_pos(packed, to, tag, &jump->from);
	if (far) {
		to = put_varint(to, jump->target);
		to = put_varint(to, jump->to.file);
	}
	to = put_signed(to, jump->to.addr - jump->from.addr);
	to = put_signed(to, (uint64_t)jump->to.line - jump->from.line);
	to = put_varint(to, jump->executed);
	if (jump->conditional)
		to = put_varint(to, jump->followed);
	end_pack(packed, to, &jump->from);
	return true;
}

/*
 * True if a branch follows the last branch that was packed into the run (the
 * rows of a function), in the order of rows and in the same file. While that
 * holds, the cursor need not sort them.
 */
static bool
is_later(const struct cg_branch *row, const struct cg_run *run)
{
	const struct cg_pos *before = &run->others.pos;

	if (row->pos.file != before->file)
		return false;
	if (row->pos.line != before->line)
		return row->pos.line > before->line;
	if (row->kind != run->branch_kind)
		return row->kind > run->branch_kind;
	if (row->block != run->branch_block)
		return row->block > run->branch_block;
	return row->index > run->branch_index;
}

static void
note_branch(struct cg_run *run, const struct cg_branch *row)
{
	if (row->pos.addr != 0 || (run->branches > 0 && !is_later(row, run)))
		run->branches_ascend = false;
	run->branches += run->branches < UINT32_MAX;
	run->branch_kind = (uint8_t)row->kind;
	run->branch_block = row->block;
	run->branch_index = row->index;
}

/*
 * Packs a branch after its position, as varints: kind, block, index, flags,
 * target and label; the caller adds the count. Returns the end. Small values,
 * the usual case, take one byte each.
 */
static uint8_t *
put_branch(uint8_t *to, const struct cg_branch *row)
{
	if ((row->block | row->index | row->flags | row->target | row->label) <
	    0x80) {
		to[0] = (uint8_t)row->kind;
		to[1] = (uint8_t)row->block;
		to[2] = (uint8_t)row->index;
		to[3] = (uint8_t)row->flags;
		to[4] = (uint8_t)row->target;
		to[5] = (uint8_t)row->label;
		return to + 6;
	}
	to = put_varint(to, row->kind);
	to = put_varint(to, row->block);
	to = put_varint(to, row->index);
	to = put_varint(to, row->flags);
	to = put_varint(to, row->target);
	return put_varint(to, row->label);
}

bool
cg_run_add_branch(
    struct cg_graph *graph, struct cg_run *run, const struct cg_branch *branch)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to = begin_pack(graph, run, packed, BRANCH_MAX);

	if (!to)
		return false;
	note_branch(run, branch);
	to = put_pos(packed, to, CG_ROW_OTHER | CG_TAG_BRANCH, &branch->pos);
	to = put_branch(to, branch);
	end_pack(packed, put_signed(to, (uint64_t)branch->count), &branch->pos);
	return true;
}

bool
cg_run_add_inclusive(struct cg_graph *graph, struct cg_run *run,
    uint64_t repeats, const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to;

	n = cg_cut_zeros(cost, n);
	to = begin_pack(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	run->branches_ascend = false;
	*to++ = CG_ROW_OTHER | CG_TAG_INCLUSIVE;
	to = put_varint(to, repeats);
	packed->used = (uint32_t)(put_values(to, cost, n) - packed->last->data);
	return true;
}

/* ---- Merging ------------------------------------------------------------ */

/*
 * Equal rows are merged when a cursor opens a run. A run that is visited often
 * (Xdebug writes one record per call) is merged while it grows, too, so that
 * memory depends on distinct rows. A run is merged when it exceeds twice its
 * size after the last merge, plus one of these:
 */
#define MERGE_OFTEN 4096 /* after CG_MERGE_VISITS visits */
#define MERGE_SELDOM ((uint64_t)4 << 20)

/*
 * Returns the costs to store for a row copied in a merge: with --clamp without
 * negative ones. They are cost itself, or a copy valid until the next call.
 * self: self costs; the part's totals are corrected, too.
 */
static const uint64_t *
copied_values(struct cg_graph *graph, const struct cg_run *run,
    const uint64_t *cost, size_t n, bool self)
{
	if (!graph->clamp)
		return cost;
	return cg_clamp_values(
	    graph, cost, n, self ? graph->part[run->part].total : NULL);
}

static bool
copy_rows(struct cg_graph *graph, struct cg_rows *rows, struct cg_run *to)
{
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;
	struct cg_branch branch;
	uint64_t repeats;
	bool ok = true;

	while (ok && cg_next_cost(rows, &cost)) {
		cost.cost = copied_values(graph, to, cost.cost, cost.n, true);
		ok = cg_run_add_cost(graph, to, &cost.pos, cost.cost, cost.n);
	}
	while (ok && cg_next_call(rows, &call)) {
		call.cost = copied_values(graph, to, call.cost, call.n, false);
		ok = cg_run_add_call(graph, to, &call);
	}
	while (ok && cg_next_jump(rows, &jump))
		ok = cg_run_add_jump(graph, to, &jump);
	while (ok && cg_next_branch(rows, &branch))
		ok = cg_run_add_branch(graph, to, &branch);
	if (ok && cg_rows_inclusive(rows, &cost, &repeats)) {
		cost.cost = copied_values(graph, to, cost.cost, cost.n, false);
		ok =
		    cg_run_add_inclusive(graph, to, repeats, cost.cost, cost.n);
	}
	return ok;
}

/*
 * Returns the size to record for packed rows after a merge, in units of
 * CG_PACKED_UNIT. At twice that size they are merged again. The result is
 * doubled if merging has saved less than a quarter.
 */
static uint32_t
merged_size(const struct cg_packed *before, const struct cg_packed *after)
{
	uint64_t bytes = cg_packed_bytes(after);
	bool few = bytes > cg_packed_bytes(before) / 4 * 3;

	return (uint32_t)(bytes * (few ? 2 : 1) / CG_PACKED_UNIT);
}

bool
cg_run_merge(struct cg_graph *graph, struct cg_run *run)
{
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_run merged = *run;
	bool ok;

	cg_run_clear(graph, &merged);
	merged.visits = 0;
	/* Prevent a merge of the copy itself. */
	merged.costs.merged = merged.others.merged = UINT32_MAX;
	ok = rows && cg_rows_open_merged(rows, run) &&
	     copy_rows(graph, rows, &merged) && *graph->fault == CG_OK;
	cg_rows_free(rows);
	cg_blocks_close(graph);
	cg_run_free_blocks(graph, ok ? run : &merged);
	if (!ok)
		return false;
	merged.costs.merged = merged_size(&run->costs, &merged.costs);
	merged.others.merged = merged_size(&run->others, &merged.others);
	*run = merged;
	return true;
}

bool
cg_run_make_room(struct cg_graph *graph, struct cg_run *run,
    struct cg_packed *packed, size_t need)
{
	uint64_t limit =
	    (uint64_t)packed->merged * 2 * CG_PACKED_UNIT +
	    (run->visits >= CG_MERGE_VISITS ? MERGE_OFTEN : MERGE_SELDOM);

	if (cg_packed_bytes(packed) > limit && !cg_run_merge(graph, run))
		return false;
	if (packed->room - packed->used >= need)
		return true;
	return cg_blocks_add(graph, run, packed, need);
}
