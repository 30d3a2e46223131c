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

#define BLOCK_MIN 64
#define BLOCK_STEP 256              /* how a block grows in place */
#define BLOCK_MAX ((size_t)1 << 30) /* used is 32 bits */
#define ALIGNMENT ((size_t)_Alignof(max_align_t))

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

/* Free blocks of class c have at least BLOCK_MIN << c bytes. */
static unsigned
class_to_fit(size_t size)
{
	unsigned class = 0;

	while (((size_t)BLOCK_MIN << class) < size)
		class++;
	return class;
}

/* What a block behind its rows does not need. */
static uint8_t *
end_of_rows(const struct cg_packed *packed)
{
	uintptr_t at = (uintptr_t)packed->at;

	return packed->at + (-at & (ALIGNMENT - 1));
}

/* The pool's last block is finished: another takes its place. */
static void
close_block(struct cg_graph *graph, struct cg_pool *pool, bool costs)
{
	struct cg_packed *packed;
	uint8_t *end;

	if (pool->open == CG_NO_RUN)
		return;
	packed = costs ? &graph->run[pool->open].costs :
	    &graph->run[pool->open].others;
	end = end_of_rows(packed);
	if (packed->end > end) {
		cg_arena_trim(&pool->arena, packed->end, end);
		packed->end = end;
	}
	pool->open = CG_NO_RUN;
}

static struct cg_block *
new_block(struct cg_pool *pool, size_t need, uint8_t **end)
{
	unsigned class = class_to_fit(need);
	struct cg_block *block = pool->free[class];

	if (block) {
		pool->free[class] = block->next;
		*end = (uint8_t *)block + block->size;
		return block;
	}
	need = (need + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	block = cg_arena_alloc(&pool->arena, need);
	*end = (uint8_t *)block + need;
	return block;
}

/*
 * Room for need bytes more. run is CG_NO_RUN for rows that no run owns yet
 * (while merging): their blocks do not grow.
 */
static bool
add_room(struct cg_graph *graph, struct cg_packed *packed, bool costs,
    uint32_t run, size_t need)
{
	struct cg_pool *pool = costs ? &graph->costs : &graph->others;
	size_t step = need > BLOCK_STEP ? need : BLOCK_STEP;
	struct cg_block *block;
	uint8_t *end;

	step = (step + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (run != CG_NO_RUN && pool->open == run &&
	    (size_t)(packed->end - (uint8_t *)packed->last) < BLOCK_MAX &&
	    cg_arena_extend(&pool->arena, packed->end, step)) {
		packed->end += step;
		return true;
	}
	close_block(graph, pool, costs);
	need += sizeof(*block);
	if (run == CG_NO_RUN && need < BLOCK_STEP * 4)
		need = BLOCK_STEP * 4;
	block = new_block(pool, need < BLOCK_MIN ? BLOCK_MIN : need, &end);
	if (!block)
		return false;
	block->next = NULL;
	block->used = 0;
	if (packed->last) {
		packed->last->used =
		    (uint32_t)(packed->at - packed->last->data);
		packed->last->size =
		    (uint32_t)(packed->end - (uint8_t *)packed->last);
		packed->last->next = block;
	} else {
		packed->first = block;
	}
	packed->last = block;
	packed->at = block->data;
	packed->end = end;
	pool->open = run;
	return true;
}

static void
free_blocks(struct cg_pool *pool, struct cg_packed *packed)
{
	struct cg_block *block, *next;
	unsigned class;

	if (packed->last)
		packed->last->size =
		    (uint32_t)(packed->end - (uint8_t *)packed->last);
	for (block = packed->first; block; block = next) {
		next = block->next;
		class = class_to_fit(block->size + 1) - 1;
		if (block->size < BLOCK_MIN)
			continue;
		block->next = pool->free[class];
		pool->free[class] = block;
	}
}

/* No rows; the first one is a difference to this. */
static void
clear_packed(struct cg_packed *packed, cg_file file)
{
	*packed = (struct cg_packed){ .file = file, .ascending = true };
}

static void
clear_run(const struct cg_graph *graph, struct cg_run *run)
{
	clear_packed(&run->costs, graph->fn[run->fn].file);
	clear_packed(&run->others, graph->fn[run->fn].file);
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
	/* Do not merge what is being merged. */
	merged.costs.merged = merged.others.merged = UINT64_MAX / 4;
	ok = rows && cg_rows_open_merged(rows, run) &&
	    copy_rows(graph, rows, &merged) && *graph->fault == CG_OK;
	cg_rows_free(rows);
	close_block(graph, &graph->costs, true);
	close_block(graph, &graph->others, false);
	free_blocks(&graph->costs, ok ? &run->costs : &merged.costs);
	free_blocks(&graph->others, ok ? &run->others : &merged.others);
	if (!ok)
		return false;
	merged.costs.merged = merged.costs.bytes;
	merged.others.merged = merged.others.bytes;
	*run = merged;
	return true;
}

/* CG_NO_RUN while a run is merged: it then is a copy. */
static uint32_t
run_number(const struct cg_graph *graph, const struct cg_run *run)
{
	if (run < graph->run || run >= graph->run + graph->runs)
		return CG_NO_RUN;
	return (uint32_t)(run - graph->run);
}

static bool
make_room(struct cg_graph *graph, struct cg_run *run,
    struct cg_packed *packed, size_t need)
{
	uint64_t limit = packed->merged * 2 +
	    (run->visits >= MERGE_VISITS ? MERGE_OFTEN : MERGE_SELDOM);

	if (packed->bytes > limit && !merge_run(graph, run))
		return false;
	if ((size_t)(packed->end - packed->at) >= need)
		return true;
	return add_room(graph, packed, packed == &run->costs,
	    run_number(graph, run), need);
}

/* Where the next row goes, with room for need bytes; NULL: out of memory. */
static inline uint8_t *
begin_row(struct cg_graph *graph, struct cg_run *run,
    struct cg_packed *packed, size_t need)
{
	if ((size_t)(packed->end - packed->at) < need &&
	    !make_room(graph, run, packed, need))
		return NULL;
	return packed->at;
}

static inline void
end_row(struct cg_packed *packed, uint8_t *to)
{
	packed->bytes += (uint64_t)(to - packed->at);
	packed->at = to;
}

/* Is pos behind the row before, however files will be ordered? */
static inline bool
ascends(const struct cg_packed *packed, const struct cg_pos *pos)
{
	if (pos->addr != packed->addr)
		return pos->addr > packed->addr;
	if (packed->bytes == 0)
		return true;
	return pos->file == packed->file && pos->line > packed->line;
}

/* Writes what differs from the row before behind the tag at to[0]. */
static inline uint8_t *
put_pos(struct cg_packed *packed, uint8_t *to, unsigned tag,
    const struct cg_pos *pos)
{
	uint8_t *tag_at = to++;

	packed->ascending &= ascends(packed, pos);
	if (pos->file != packed->file) {
		tag |= CG_TAG_FILE;
		to = put_varint(to, pos->file);
		packed->file = pos->file;
	}
	if (pos->addr != packed->addr) {
		tag |= CG_TAG_ADDR;
		to = put_signed(to, pos->addr - packed->addr);
		packed->addr = pos->addr;
	}
	if (pos->line != packed->line) {
		tag |= CG_TAG_LINE;
		to = put_signed(to, (uint64_t)pos->line - packed->line);
		packed->line = pos->line;
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
	struct cg_packed *packed = &run->costs;
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_row(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	to = put_pos(packed, to, tag_of(CG_ROW_COST, n), pos);
	end_row(packed, put_values(to, cost, n));
	return true;
}

bool
cg_run_add_call(struct cg_graph *graph, struct cg_run *run,
    const struct cg_call *call)
{
	struct cg_packed *packed = &run->others;
	size_t n = cut_zeros(call->cost, call->n);
	uint8_t *to = begin_row(graph, run, packed, CALL_MAX + n * VALUE_MAX);

	if (!to)
		return false;
	to = put_pos(packed, to, tag_of(CG_ROW_CALL, n), &call->site);
	to = put_varint(to, call->callee);
	to = put_varint(to, call->count);
	to = put_varint(to, call->entry.line);
	to = put_varint(to, call->entry.addr);
	end_row(packed, put_values(to, call->cost, n));
	return true;
}

bool
cg_run_add_jump(struct cg_graph *graph, struct cg_run *run,
    const struct cg_jump *jump)
{
	struct cg_packed *packed = &run->others;
	bool far = jump->target != run->fn || jump->to.file != jump->from.file;
	unsigned tag = CG_ROW_JUMP | (jump->conditional ? CG_TAG_COND : 0) |
	    (far ? CG_TAG_FAR : 0);
	uint8_t *to = begin_row(graph, run, packed, JUMP_MAX);

	if (!to)
		return false;
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
	end_row(packed, to);
	return true;
}

bool
cg_run_add_branch(struct cg_graph *graph, struct cg_run *run,
    const struct cg_branch *branch)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to = begin_row(graph, run, packed, BRANCH_MAX);

	if (!to)
		return false;
	to = put_pos(packed, to, CG_ROW_OTHER | CG_TAG_BRANCH, &branch->pos);
	to = put_varint(to, branch->block);
	to = put_varint(to, branch->index);
	to = put_varint(to, branch->kind);
	end_row(packed, put_varint(to, branch->count));
	return true;
}

bool
cg_run_add_inclusive(struct cg_graph *graph, struct cg_run *run,
    const uint64_t *cost, size_t n)
{
	struct cg_packed *packed = &run->others;
	uint8_t *to;

	n = cut_zeros(cost, n);
	to = begin_row(graph, run, packed, POS_MAX + n * VALUE_MAX);
	if (!to)
		return false;
	*to++ = CG_ROW_OTHER | CG_TAG_INCLUSIVE;
	to = put_varint(to, n);
	for (size_t i = 0; i < n; i++)
		to = put_varint(to, cost[i]);
	end_row(packed, to);
	return true;
}

const struct cg_run *
cg_run_find(const struct cg_graph *graph, cg_part part, cg_fn fn)
{
	uint32_t id = graph->fn[fn].runs;

	/* Mostly there is one part, and so one run, or none. */
	if (id == CG_NO_RUN)
		return NULL;
	if (graph->run[id].part != part)
		id = cg_map_get(&graph->run_ids, (uint64_t)part << 32 | fn) -
		    1;
	return id == CG_NO_RUN ? NULL : &graph->run[id];
}

/* The latest run is found without an entry; the one before now needs its. */
static uint32_t *
note_run(struct cg_graph *graph, const struct cg_run *run)
{
	uint32_t *id = cg_map_at(&graph->run_ids,
	    (uint64_t)run->part << 32 | run->fn);

	if (id)
		*id = (uint32_t)(run - graph->run) + 1;
	return id;
}

struct cg_run *
cg_run_get(struct cg_graph *graph, cg_part part, cg_fn fn)
{
	const struct cg_run *found = cg_run_find(graph, part, fn);
	uint32_t *id = NULL;
	struct cg_run *run;

	if (found) {
		run = &graph->run[found - graph->run];
		run->visits += run->visits < MERGE_VISITS;
		return run;
	}
	if (graph->runs >= CG_NO_RUN - 1 ||
	    !cg_grow_raw(&graph->run, &graph->run_cap, graph->runs + 1,
		sizeof(*run)))
		return NULL;
	/* The function's first run needs no entry: see cg_run_find(). */
	if (graph->fn[fn].runs != CG_NO_RUN) {
		id = note_run(graph, &graph->run[graph->fn[fn].runs]);
		id = id ? cg_map_at(&graph->run_ids,
		    (uint64_t)part << 32 | fn) : NULL;
		if (!id)
			return NULL;
		*id = (uint32_t)graph->runs + 1;
	}
	run = &graph->run[graph->runs];
	run->fn = fn;
	run->part = part;
	run->visits = 1;
	run->next = graph->fn[fn].runs;
	clear_run(graph, run);
	graph->fn[fn].runs = (uint32_t)graph->runs++;
	return run;
}
