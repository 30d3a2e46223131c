/*
 * rows.c - rows, packed.
 *
 * A row is a tag byte, differences to the row before (zigzag varints), and
 * values (varints, trailing zeros cut). Real profiles need 0.55 times their
 * text like this, where columns need 2.3 to 5.8 times; reading it back costs
 * less than the cache misses of columns. The layout is known here and in
 * view.c's decoder only:
 *
 *	tag: bits 0-1 kind, 2 file follows, 3 addr follows, 4 line follows,
 *	     bits 5-7 number of values (7: a varint follows), or the flags of a
 *	     jump, or what an "other" row is
 *	[file] [addr difference] [line difference]
 *	call:  callee, count, entry line, entry addr, then values
 *	jump:  [target fn, target file], to addr and line as differences to
 *	       the row's own, executed, [followed]
 *	branch: block, index, kind, count
 *
 * Rows of one place are merged when a run is read. A run that is taken up
 * again and again (Xdebug writes one record per call) is merged while it
 * grows, so memory follows what is different, not what is said.
 */
#include <string.h>

#include "graph.h"
#include "rows.h"

/* Merge a run when it is this much bigger than twice its merged size. */
#define MERGE_OFTEN 4096            /* ... if it was visited this often: */
#define MERGE_VISITS 32
#define MERGE_SELDOM ((uint64_t)4 << 20)

#define BLOCK_MIN 128
#define BLOCK_GROWN 65536           /* blocks of a run double up to this */
/* What a row of each kind takes at most besides its values. */
#define POS_MAX 23 /* tag, file, addr, line, number of values */
#define CALL_MAX (POS_MAX + 30)
#define JUMP_MAX (POS_MAX + 50)
#define BRANCH_MAX (POS_MAX + 30)
#define VALUE_MAX 10

static inline uint8_t *
put_varint(uint8_t *to, uint64_t value)
{
	while (value >= 0x80) {
		*to++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*to++ = (uint8_t)value;
	return to;
}

static inline uint8_t *
put_signed(uint8_t *to, uint64_t difference)
{
	return put_varint(to, difference << 1 ^ -(difference >> 63));
}

static unsigned
block_class(size_t size)
{
	unsigned class = 0;

	while (((size_t)BLOCK_MIN << class) < size)
		class ++;
	return class;
}

static bool
add_block(struct cg_graph *graph, struct cg_run *run, size_t need)
{
	size_t size = BLOCK_MIN;
	struct cg_block *block;
	unsigned class;

	if (run->last) {
		run->last->used = (uint32_t)(run->at - run->last->data);
		size = (size_t)(run->end - (uint8_t *)run->last);
		size = size < BLOCK_GROWN ? size * 2 : size;
	}
	if (size < need + sizeof(*block))
		size = need + sizeof(*block);
	class = block_class(size);
	block = graph->pool.free[class];
	if (block)
		graph->pool.free[class] = block->next;
	else
		block = cg_arena_alloc(&graph->pool.arena,
		    (size_t)BLOCK_MIN << class);
	if (!block)
		return false;
	block->next = NULL;
	block->used = 0;
	block->class = class;
	if (run->last)
		run->last->next = block;
	else
		run->first = block;
	run->last = block;
	run->at = block->data;
	run->end = (uint8_t *)block + ((size_t)BLOCK_MIN << class);
	return true;
}

/* A run without rows; the first row is a difference to this. */
static void
clear_run(const struct cg_graph *graph, struct cg_run *run)
{
	run->first = run->last = NULL;
	run->at = run->end = NULL;
	run->addr = 0;
	run->line = 0;
	run->file = graph->fn[run->fn].file;
	run->bytes = 0;
}

static void
free_blocks(struct cg_graph *graph, struct cg_block *block)
{
	struct cg_block *next;

	for (; block; block = next) {
		next = block->next;
		block->next = graph->pool.free[block->class];
		graph->pool.free[block->class] = block;
	}
}

static bool
copy_rows(struct cg_graph *graph, struct cg_rows *rows, struct cg_run *to)
{
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;
	struct cg_branch branch;
	bool ok = true;

	while (ok && cg_next_cost(rows, &cost))
		ok = cg_run_add_cost(graph, to, &cost.pos, cost.cost, cost.n);
	while (ok && cg_next_call(rows, &call))
		ok = cg_run_add_call(graph, to, &call);
	while (ok && cg_next_jump(rows, &jump))
		ok = cg_run_add_jump(graph, to, &jump);
	while (ok && cg_next_branch(rows, &branch))
		ok = cg_run_add_branch(graph, to, &branch);
	if (ok && cg_stated_inclusive(rows, &cost))
		ok = cg_run_add_inclusive(graph, to, cost.cost, cost.n);
	return ok;
}

/* Rewrites a run with rows of one place summed. */
static bool
merge_run(struct cg_graph *graph, struct cg_run *run)
{
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_run merged = *run;
	bool ok;

	clear_run(graph, &merged);
	merged.visits = 0;
	merged.merged = UINT64_MAX / 4; /* do not merge what is being merged */
	if (run->last)
		run->last->used = (uint32_t)(run->at - run->last->data);
	ok = rows && cg_rows_open_merged(rows, run) &&
	    copy_rows(graph, rows, &merged) && *graph->fault == CG_OK;
	cg_rows_free(rows);
	free_blocks(graph, ok ? run->first : merged.first);
	if (!ok)
		return false;
	merged.merged = merged.bytes;
	*run = merged;
	return true;
}

static bool
make_room(struct cg_graph *graph, struct cg_run *run, size_t need)
{
	uint64_t limit = run->merged * 2 +
	    (run->visits >= MERGE_VISITS ? MERGE_OFTEN : MERGE_SELDOM);

	if (run->bytes > limit && !merge_run(graph, run))
		return false;
	if ((size_t)(run->end - run->at) >= need)
		return true;
	return add_block(graph, run, need);
}

/* Where the next row goes, with room for need bytes; NULL: out of memory. */
static inline uint8_t *
begin_row(struct cg_graph *graph, struct cg_run *run, size_t need)
{
	if ((size_t)(run->end - run->at) < need &&
	    !make_room(graph, run, need))
		return NULL;
	return run->at;
}

static inline void
end_row(struct cg_run *run, uint8_t *to)
{
	run->bytes += (uint64_t)(to - run->at);
	run->at = to;
}

/* Writes what differs from the row before behind the tag at to[0]. */
static inline uint8_t *
put_pos(struct cg_run *run, uint8_t *to, unsigned tag,
    const struct cg_pos *pos)
{
	uint8_t *tag_at = to++;

	if (pos->file != run->file) {
		tag |= CG_TAG_FILE;
		to = put_varint(to, pos->file);
		run->file = pos->file;
	}
	if (pos->addr != run->addr) {
		tag |= CG_TAG_ADDR;
		to = put_signed(to, pos->addr - run->addr);
		run->addr = pos->addr;
	}
	if (pos->line != run->line) {
		tag |= CG_TAG_LINE;
		to = put_signed(to, (uint64_t)pos->line - run->line);
		run->line = pos->line;
	}
	*tag_at = (uint8_t)tag;
	return to;
}

static inline size_t
cut_zeros(const uint64_t *cost, size_t n)
{
	while (n > 0 && cost[n - 1] == 0)
		n--;
	return n;
}

static inline uint8_t *
put_values(uint8_t *to, const uint64_t *cost, size_t n)
{
	if (n >= CG_TAG_MANY)
		to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	return to;
}

static inline unsigned
tag_of(enum cg_row_kind kind, size_t n)
{
	unsigned count = n < CG_TAG_MANY ? (unsigned)n : CG_TAG_MANY;

	return (unsigned)kind | count << CG_TAG_SHIFT;
}

bool
cg_run_add_cost(struct cg_graph *graph, struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_row(graph, run, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	to = put_pos(run, to, tag_of(CG_ROW_COST, n), pos);
	end_row(run, put_values(to, cost, n));
	return true;
}

bool
cg_run_add_call(struct cg_graph *graph, struct cg_run *run,
    const struct cg_call *call)
{
	size_t n = cut_zeros(call->cost, call->n);
	uint8_t *to = begin_row(graph, run, CALL_MAX + n * VALUE_MAX);

	if (!to)
		return false;
	to = put_pos(run, to, tag_of(CG_ROW_CALL, n), &call->site);
	to = put_varint(to, call->callee);
	to = put_varint(to, call->count);
	to = put_varint(to, call->entry.line);
	to = put_varint(to, call->entry.addr);
	end_row(run, put_values(to, call->cost, n));
	return true;
}

bool
cg_run_add_jump(struct cg_graph *graph, struct cg_run *run,
    const struct cg_jump *jump)
{
	bool far = jump->target != run->fn || jump->to.file != jump->from.file;
	unsigned tag = CG_ROW_JUMP | (jump->conditional ? CG_TAG_COND : 0) |
	    (far ? CG_TAG_FAR : 0);
	uint8_t *to = begin_row(graph, run, JUMP_MAX);

	if (!to)
		return false;
	to = put_pos(run, to, tag, &jump->from);
	if (far) {
		to = put_varint(to, jump->target);
		to = put_varint(to, jump->to.file);
	}
	to = put_signed(to, jump->to.addr - jump->from.addr);
	to = put_signed(to, (uint64_t)jump->to.line - jump->from.line);
	to = put_varint(to, jump->executed);
	if (jump->conditional)
		to = put_varint(to, jump->followed);
	end_row(run, to);
	return true;
}

bool
cg_run_add_branch(struct cg_graph *graph, struct cg_run *run,
    const struct cg_branch *branch)
{
	uint8_t *to = begin_row(graph, run, BRANCH_MAX);

	if (!to)
		return false;
	to = put_pos(run, to, CG_ROW_OTHER | CG_TAG_BRANCH, &branch->pos);
	to = put_varint(to, branch->block);
	to = put_varint(to, branch->index);
	to = put_varint(to, branch->kind);
	end_row(run, put_varint(to, branch->count));
	return true;
}

bool
cg_run_add_inclusive(struct cg_graph *graph, struct cg_run *run,
    const uint64_t *cost, size_t n)
{
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_row(graph, run, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	*to++ = CG_ROW_OTHER | CG_TAG_INCLUSIVE;
	to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	end_row(run, to);
	return true;
}

struct cg_run *
cg_run_get(struct cg_graph *graph, cg_part part, cg_fn fn)
{
	uint32_t *id = cg_map_at(&graph->run_ids, (uint64_t)part << 32 | fn);
	struct cg_run *run;

	if (!id)
		return NULL;
	if (*id != 0) {
		run = &graph->run[*id - 1];
		run->visits += run->visits < MERGE_VISITS;
		return run;
	}
	if (graph->runs >= CG_NO_RUN ||
	    !cg_grow(&graph->run, &graph->run_cap, graph->runs + 1,
	    sizeof(*run)))
		return NULL;
	run = &graph->run[graph->runs];
	run->fn = fn;
	run->part = part;
	run->visits = 1;
	run->merged = 0;
	run->next = graph->fn[fn].runs;
	clear_run(graph, run);
	graph->fn[fn].runs = (uint32_t)graph->runs;
	*id = (uint32_t)++graph->runs;
	return run;
}
