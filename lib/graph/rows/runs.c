/*
 * runs.c - runs of rows, and the blocks of memory that rows are packed into.
 */
#include <string.h>

#include "graph/rows/packed.h"

#define BLOCK_MIN 64
#define BLOCK_STEP 256              /* a block in place grows by this */
#define BLOCK_GROWN 65536           /* the blocks of a run double up to this */
#define BLOCK_MAX ((size_t)1 << 30) /* used is 32 bits */
#define ALIGNMENT ((size_t) _Alignof(max_align_t))

/* ---- Blocks ------------------------------------------------------------- */

/*
 * Returns the lowest size class whose blocks of memory have at least size
 * bytes; blocks of class c have BLOCK_MIN << c.
 */
static unsigned
class_to_fit(size_t size)
{
	unsigned class = 0;

	while (((size_t)BLOCK_MIN << class) < size)
		class ++;
	return class;
}

uint64_t
cg_packed_bytes(const struct cg_packed *packed)
{
	return (uint64_t)packed->before * CG_PACKED_UNIT + packed->used;
}

/*
 * Rounds the size of a block of memory, header included, up to the alignment,
 * so that another block can follow it.
 */
static size_t
align(size_t size)
{
	return (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static void
note_size(const struct cg_packed *packed)
{
	packed->last->used = packed->used;
	packed->last->size = (uint32_t)sizeof(*packed->last) + packed->room;
}

/*
 * Gives unused bytes of the pool's newest block back, as its function is
 * probably complete. One with several blocks keeps them: it will probably
 * grow. The block no longer grows in place. costs: which rows it has.
 */
static void
close_block(struct cg_graph *graph, struct cg_pool *pool, bool costs)
{
	struct cg_packed *packed;
	struct cg_block *last;
	size_t room;

	if (pool->open == CG_NO_RUN)
		return;
	packed = costs ? &graph->run[pool->open].costs
		       : &graph->run[pool->open].others;
	last = packed->last;
	room = align(sizeof(*last) + packed->used) - sizeof(*last);
	/* Skip runs with several blocks: they will probably grow again. */
	if (packed->room > room && last->next == last) {
		cg_arena_trim(
		    &pool->arena, last->data + packed->room, last->data + room);
		packed->room = (uint32_t)room;
	}
	pool->open = CG_NO_RUN;
}

/*
 * Returns a block of memory of at least need bytes, its header included;
 * reuses a free block of the pool if possible. Sets only the block's size.
 * NULL: out of memory.
 */
static struct cg_block *
new_block(struct cg_pool *pool, size_t need)
{
	unsigned class = class_to_fit(need);
	struct cg_block *block = pool->free[class];

	if (block) {
		pool->free[class] = block->next;
		return block;
	}
	need = align(need);
	block = cg_arena_alloc(&pool->arena, need);
	if (block)
		block->size = (uint32_t)need;
	return block;
}

/*
 * Returns the index of a run (the rows of a function) in the graph's array;
 * CG_NO_RUN for a run outside of it, the temporary copy that cg_run_merge()
 * fills.
 */
static uint32_t
run_index(const struct cg_graph *graph, const struct cg_run *run)
{
	if (run < graph->run || run >= graph->run + graph->runs)
		return CG_NO_RUN;
	return (uint32_t)(run - graph->run);
}

void
cg_blocks_close(struct cg_graph *graph)
{
	close_block(graph, &graph->costs, true);
	close_block(graph, &graph->others, false);
}

bool
cg_blocks_add(struct cg_graph *graph, struct cg_run *owner,
    struct cg_packed *packed, size_t need)
{
	const bool costs = packed == &owner->costs;
	const uint32_t run = run_index(graph, owner);
	struct cg_pool *pool = costs ? &graph->costs : &graph->others;
	size_t step = need > BLOCK_STEP ? need : BLOCK_STEP;
	uint64_t bytes = cg_packed_bytes(packed);
	struct cg_block *block;

	step = align(step);
	if (run != CG_NO_RUN && pool->open == run && packed->room < BLOCK_MAX &&
	    cg_arena_extend(
		&pool->arena, packed->last->data + packed->room, step)) {
		packed->room += (uint32_t)step;
		return true;
	}
	close_block(graph, pool, costs);
	need += sizeof(*block);
	if (run == CG_NO_RUN && need < BLOCK_STEP * 4)
		need = BLOCK_STEP * 4;
	/*
	 * A run that grows in many small visits gets blocks of doubling size.
	 */
	if (run != CG_NO_RUN && graph->run[run].visits > 1)
		need += bytes < BLOCK_GROWN ? (size_t)bytes : BLOCK_GROWN;
	block = new_block(pool, need < BLOCK_MIN ? BLOCK_MIN : need);
	if (!block)
		return false;
	block->next = block;
	if (packed->last) {
		note_size(packed);
		block->next = packed->last->next;
		packed->last->next = block;
	}
	packed->before = (uint32_t)(bytes / CG_PACKED_UNIT);
	packed->last = block;
	packed->used = 0;
	packed->room = block->size - (uint32_t)sizeof(*block);
	pool->open = run;
	return true;
}

static void
free_blocks(struct cg_pool *pool, struct cg_packed *packed)
{
	struct cg_block *block, *next;
	unsigned class;

	if (!packed->last)
		return;
	note_size(packed);
	next = packed->last->next;
	do {
		block = next;
		next = block->next;
		class = class_to_fit(block->size + 1) - 1;
		if (block->size < BLOCK_MIN)
			continue;
		block->next = pool->free[class];
		pool->free[class] = block;
	} while (block != packed->last);
}

void
cg_run_free_blocks(struct cg_graph *graph, struct cg_run *run)
{
	free_blocks(&graph->costs, &run->costs);
	free_blocks(&graph->others, &run->others);
}

/* ---- Runs --------------------------------------------------------------- */

/*
 * Makes a list of packed rows empty, without freeing its blocks. The first
 * row's position is then stored relative to line 0 of the function's file.
 */
static void
clear_packed(struct cg_packed *packed, cg_file file)
{
	*packed = (struct cg_packed){ .pos = { .file = file } };
}

void
cg_run_clear(const struct cg_graph *graph, struct cg_run *run)
{
	run->file = graph->fn[run->fn].file;
	clear_packed(&run->costs, run->file);
	clear_packed(&run->others, run->file);
	run->segment = NULL;
	run->branches_ascend = true;
	run->branches = 0;
}

/*
 * Returns the run with the rows of a function in a part, such as a thread;
 * NULL: there is none. The function's list begins with its run of the highest
 * part; a map finds the others.
 */
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

/*
 * Adds a new run (rows of a function in a part) where cg_run_find() looks. The
 * run of the highest part stays first in the function's list; others are also
 * in the map. False: out of memory.
 */
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
		if (run->visits < CG_MERGE_VISITS)
			run->visits++;
		return run;
	}
	if (graph->runs >= CG_NO_RUN - 1 ||
	    !cg_grow_raw(
		&graph->run, &graph->run_cap, graph->runs + 1, sizeof(*run)))
		return NULL;
	run = &graph->run[graph->runs++];
	*run = (struct cg_run){ .fn = fn, .part = part, .visits = 1 };
	cg_run_clear(graph, run);
	return list_run(graph, run) ? run : NULL;
}
