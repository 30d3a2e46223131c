/*
 * pack.c - rows are packed.
 *
 * A row is a tag byte, differences to the row before (zigzag varints), and
 * values (varints, trailing zeros cut). Real profiles need 0.55 times their
 * text like this, where columns need 2.3 to 5.8 times; reading it back costs
 * less than the cache misses of columns. The layout is known to who includes
 * rows.h only:
 *
 *	costs, which stand apart:
 *	tag: bits 0-3 number of values, 4-6 addr is so much more than before,
 *	     7 place follows
 *	[place: below 128 the line's difference, else flags of what follows]
 *	[link from one that begins a stretch to the next such row]
 *	[file] [addr difference] [line difference] [number of values, from 15]
 *	values; a byte of 128 + n and an empty one stand for n zeros
 *
 *	all others:
 *	tag: bits 0-1 kind, 2 file follows, 3 addr follows, 4 line follows,
 *	     bits 5-7 of calls: addr is so much more than before; or the flags
 *	     of a jump, or what an "other" row is
 *	[file] [addr difference] [line difference]
 *	call:  callee, count, entry line, entry addr, number of values, values
 *	jump:  [target fn, target file], to addr and line as differences to
 *	       the row's own, executed, [followed]
 *	branch: kind, block, index, flags, target, label, count
 */
#include "graph/graph.h"
#include "graph/rows.h"

/* What a row of each kind takes at most besides its values. */
#define CALL_MAX (POS_MAX + 30)
#define JUMP_MAX (POS_MAX + 50)
#define BRANCH_MAX (POS_MAX + 45)

void
cg_link_stretch(struct cg_packed *packed, uint8_t *row)
{
	uint8_t *first = row;

	if (packed->stretch) {
		first = next_stretch(packed->stretch);
		memcpy(packed->stretch + 2, &row, sizeof(row));
	}
	memcpy(row + 2, &first, sizeof(first));
	packed->stretch = row;
}

bool
cg_run_add_cost(struct cg_graph *graph, struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->costs;
	uint8_t *row, *to;

	n = cut_zeros(cost, n);
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
	if (begins_stretch(row))
		cg_link_stretch(packed, row);
	return true;
}

bool
cg_run_add_call(
    struct cg_graph *graph, struct cg_run *run, const struct cg_call *call)
{
	struct cg_packed *packed = &run->others;
	size_t n = cut_zeros(call->cost, call->n);
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

/* Is a branch behind the one before, which is of the same file? */
static bool
is_later(const struct cg_branch_key *key, const struct cg_branch_key *before)
{
	if (key->file != before->file)
		return false;
	if (key->line != before->line)
		return key->line > before->line;
	if (key->kind_block != before->kind_block)
		return key->kind_block > before->kind_block;
	return key->index > before->index;
}

static void
note_branch(struct cg_run *run, const struct cg_branch *row)
{
	const struct cg_branch_key key = { .file = row->pos.file,
		.line = row->pos.line,
		.kind_block = (uint64_t)row->kind << 32 | row->block,
		.index = row->index };

	if (row->pos.addr != 0 ||
	    (run->branches > 0 && !is_later(&key, &run->branch)))
		run->branches_ascend = false;
	run->branches += run->branches < UINT32_MAX;
	run->branch = key;
}

/* What get_branch() takes, but the count. */
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
cg_run_add_inclusive(
    struct cg_graph *graph, struct cg_run *run, const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_pack(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	run->branches_ascend = false;
	*to++ = CG_ROW_OTHER | CG_TAG_INCLUSIVE;
	packed->at = put_values(to, cost, n);
	return true;
}
