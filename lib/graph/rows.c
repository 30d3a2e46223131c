/*
 * rows.c - where packed rows are: runs, and the blocks that they lie in.
 *
 * Rows of one place are merged when a run is read. A run that is taken up
 * again and again (Xdebug writes one record per call) is merged while it
 * grows, so memory follows what is different, not what is said.
 */
#include <string.h>

#include "graph/graph.h"
#include "graph/view.h"

/* Merge a run when it is this much bigger than twice its merged size. */
#define MERGE_OFTEN 4096 /* ... if it was visited this often: */
#define MERGE_VISITS 32
#define MERGE_SELDOM ((uint64_t)4 << 20)

#define BLOCK_MIN 64
#define BLOCK_STEP 256              /* how a block grows in place */
#define BLOCK_GROWN 65536           /* ... and blocks of pieces */
#define BLOCK_MAX ((size_t)1 << 30) /* used is 32 bits */
#define ALIGNMENT ((size_t) _Alignof(max_align_t))

/* Free blocks of class c have at least BLOCK_MIN << c bytes. */
static unsigned
class_to_fit(size_t size)
{
	unsigned class = 0;

	while (((size_t)BLOCK_MIN << class) < size)
		class ++;
	return class;
}

static uint64_t
packed_bytes(const struct cg_packed *packed)
{
	return packed->before +
	       (packed->last ? (size_t)(packed->at - packed->last->data) : 0);
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
	packed = costs ? &graph->run[pool->open].costs
		       : &graph->run[pool->open].others;
	end = end_of_rows(packed);
	/* A run that was taken up again will be so once more. */
	if (packed->end > end && graph->run[pool->open].visits == 1) {
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
	if (block)
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
	uint64_t bytes = packed_bytes(packed);
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
	/* What comes in small pieces gets blocks that double. */
	if (run != CG_NO_RUN && graph->run[run].visits > 1)
		need += bytes < BLOCK_GROWN ? bytes : BLOCK_GROWN;
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
	packed->before = bytes;
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
	*packed = (struct cg_packed){ .pos = { .file = file } };
}

static void
clear_run(const struct cg_graph *graph, struct cg_run *run)
{
	clear_packed(&run->costs, graph->fn[run->fn].file);
	clear_packed(&run->others, graph->fn[run->fn].file);
	run->branches_ascend = true;
	run->branches = 0;
}

/* Costs as they are, or without those below zero: see clamp.c. */
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
	if (ok && cg_stated_inclusive(rows, &cost)) {
		cost.cost = copied_values(graph, to, cost.cost, cost.n, false);
		ok = cg_run_add_inclusive(graph, to, cost.cost, cost.n);
	}
	return ok;
}

bool
cg_run_merge(struct cg_graph *graph, struct cg_run *run)
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
	merged.costs.merged = packed_bytes(&merged.costs);
	merged.others.merged = packed_bytes(&merged.others);
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

bool
cg_run_make_room(struct cg_graph *graph, struct cg_run *run,
    struct cg_packed *packed, size_t need)
{
	uint64_t limit =
	    packed->merged * 2 +
	    (run->visits >= MERGE_VISITS ? MERGE_OFTEN : MERGE_SELDOM);

	if (packed_bytes(packed) > limit && !cg_run_merge(graph, run))
		return false;
	if ((size_t)(packed->end - packed->at) >= need)
		return true;
	return add_room(
	    graph, packed, packed == &run->costs, run_number(graph, run), need);
}

/* That of the last part stands first; others are found by an entry. */
const struct cg_run *
cg_run_find(const struct cg_graph *graph, cg_part part, cg_fn fn)
{
	uint32_t id = graph->fn[fn].runs;

	if (id == CG_NO_RUN || graph->run[id].part < part)
		return NULL;
	if (graph->run[id].part != part)
		id = cg_map_get(&graph->run_ids, (uint64_t)part << 32 | fn) - 1;
	return id == CG_NO_RUN ? NULL : &graph->run[id];
}

static bool
note_run(struct cg_graph *graph, const struct cg_run *run)
{
	uint32_t *id =
	    cg_map_at(&graph->run_ids, (uint64_t)run->part << 32 | run->fn);

	if (id)
		*id = (uint32_t)(run - graph->run) + 1;
	return id != NULL;
}

/* Puts a new run where cg_run_find() looks for it. */
static bool
list_run(struct cg_graph *graph, struct cg_run *run)
{
	uint32_t *first = &graph->fn[run->fn].runs;
	struct cg_run *before =
	    *first == CG_NO_RUN ? NULL : graph->run + *first;

	if (before && before->part > run->part) {
		run->next = before->next;
		before->next = (uint32_t)(run - graph->run);
		return note_run(graph, run);
	}
	run->next = *first;
	*first = (uint32_t)(run - graph->run);
	return !before || note_run(graph, before);
}

struct cg_run *
cg_run_get(struct cg_graph *graph, cg_part part, cg_fn fn)
{
	const struct cg_run *found = cg_run_find(graph, part, fn);
	struct cg_run *run;

	if (found) {
		run = &graph->run[found - graph->run];
		run->visits += run->visits < MERGE_VISITS;
		return run;
	}
	if (graph->runs >= CG_NO_RUN - 1 ||
	    !cg_grow_raw(
		&graph->run, &graph->run_cap, graph->runs + 1, sizeof(*run)))
		return NULL;
	run = &graph->run[graph->runs++];
	run->fn = fn;
	run->part = part;
	run->visits = 1;
	clear_run(graph, run);
	return list_run(graph, run) ? run : NULL;
}
