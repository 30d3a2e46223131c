/*
 * row_sums.c - sums rows in a hash table, for code that makes the same rows
 * repeatedly: graph/rows/pack.c would store each row and merge them later.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "algo/row_sums.h"

static size_t
size_of_sum(size_t width)
{
	return sizeof(struct cg_row_sum) + width * sizeof(uint64_t);
}

struct cg_row_sum *
cg_row_sums_at(const struct cg_row_sums *sums, size_t i)
{
	return (void *)((char *)sums->sum + i * size_of_sum(sums->width));
}

/* ---- The table ----------------------------------------------------------- */

static uint32_t
hash_key(const struct cg_row_sums *sums, const struct cg_row_key *key)
{
	uint64_t hash = (uint64_t)key->fn << 32 | key->callee;

	hash = cg_hash_u64(hash ^ cg_hash_seed(sums));
	return (uint32_t)cg_hash_u64(
	    hash ^ ((uint64_t)key->part << 32 | key->frame));
}

static bool
same_key(const struct cg_row_key *a, const struct cg_row_key *b)
{
	return a->fn == b->fn && a->callee == b->callee &&
	       a->frame == b->frame && a->part == b->part;
}

/*
 * Returns the index + 1 of the sum with this key, looked up by its hash; 0:
 * there is none.
 */
static uint32_t
find_sum(
    const struct cg_row_sums *sums, const struct cg_row_key *key, uint32_t hash)
{
	size_t at = hash;
	uint32_t id;

	do
		id = cg_slots_next(&sums->slots, hash, &at);
	while (id != 0 && !same_key(&cg_row_sums_at(sums, id - 1)->key, key));
	return id;
}

/*
 * Gives each sum `width` columns of costs, as many as the graph has events
 * now; new columns are 0. False: out of memory.
 */
static bool
widen(struct cg_row_sums *sums, size_t width)
{
	struct cg_row_sums wide = *sums;

	wide.width = width;
	wide.cap = sums->count + 1;
	wide.sum = calloc(wide.cap, size_of_sum(width));
	if (!wide.sum)
		return false;
	for (size_t i = 0; i < sums->count; i++)
		memcpy(cg_row_sums_at(&wide, i), cg_row_sums_at(sums, i),
		    size_of_sum(sums->width));
	free(sums->sum);
	*sums = wide;
	return true;
}

/*
 * Returns the sum of rows with this key, added with all values 0 if it is new;
 * valid until the next one is added. NULL: out of memory.
 */
static struct cg_row_sum *
get_sum(struct cg_row_sums *sums, const struct cg_row_key *key, uint32_t hash)
{
	size_t size = size_of_sum(sums->width);
	uint32_t id = find_sum(sums, key, hash);
	struct cg_row_sum *sum;

	if (id != 0)
		return cg_row_sums_at(sums, id - 1);
	if (sums->count >= UINT32_MAX - 1 || !cg_slots_grow(&sums->slots) ||
	    !cg_grow_raw(&sums->sum, &sums->cap, sums->count + 1, size))
		return NULL;
	sum = cg_row_sums_at(sums, sums->count);
	memset(sum, 0, size);
	sum->key = *key;
	sums->count++;
	cg_slots_fill(
	    &sums->slots, (struct cg_id_slot){ (uint32_t)sums->count, hash });
	return sum;
}

static bool
add_to(struct cg_row_sum *sum, const struct cg_graph *graph, uint64_t count,
    const uint64_t *cost, size_t n)
{
	if (!sum)
		return false;
	if (cg_add_values(graph, sum->cost, cost, n) &&
	    !__builtin_add_overflow(sum->count, count, &sum->count))
		return true;
	cg_graph_overflow(graph, "costs or samples of a function");
	return false;
}

bool
cg_row_sums_add(struct cg_row_sums *sums, const struct cg_graph *graph,
    const struct cg_row_key *key, uint64_t count, const uint64_t *cost,
    size_t n)
{
	if (sums->width < graph->events && !widen(sums, graph->events))
		return false;
	return add_to(
	    get_sum(sums, key, hash_key(sums, key)), graph, count, cost, n);
}

/* ---- The queue ----------------------------------------------------------- */

static struct cg_row_sum *
queued(const struct cg_row_sums *sums, size_t i)
{
	return (void *)((char *)sums->queue.row + i * size_of_sum(sums->width));
}

bool
cg_row_sums_settle(struct cg_row_sums *sums, const struct cg_graph *graph)
{
	struct cg_row_queue *queue = &sums->queue;
	bool ok = true;

	/* Prefetch the sums: most keys exist already. */
	for (size_t i = 0; i < queue->count; i++) {
		size_t at = queue->hash[i];
		uint32_t id = cg_slots_next(&sums->slots, queue->hash[i], &at);

		if (id != 0)
			CG_PREFETCH(cg_row_sums_at(sums, id - 1));
	}
	for (size_t i = 0; ok && i < queue->count; i++) {
		const struct cg_row_sum *row = queued(sums, i);

		ok = add_to(get_sum(sums, &row->key, queue->hash[i]), graph,
		    row->count, row->cost, sums->width);
	}
	queue->count = 0;
	return ok;
}

/*
 * Gives the sums and the queue of rows a column for each event that the graph
 * has now; queued rows are added to the sums first. False: out of memory, or a
 * sum overflows (reported).
 */
static bool
widen_queue(struct cg_row_sums *sums, const struct cg_graph *graph)
{
	if (!cg_row_sums_settle(sums, graph) || !widen(sums, graph->events))
		return false;
	free(sums->queue.row);
	sums->queue.row = calloc(CG_ROWS_AT_ONCE, size_of_sum(sums->width));
	return sums->queue.row != NULL;
}

bool
cg_row_sums_queue(struct cg_row_sums *sums, const struct cg_graph *graph,
    const struct cg_row_key *key, uint64_t count, const uint64_t *cost,
    size_t n)
{
	struct cg_row_queue *queue = &sums->queue;
	struct cg_row_sum *row;
	uint32_t hash;

	if ((sums->width < graph->events || !queue->row) &&
	    !widen_queue(sums, graph))
		return false;
	hash = hash_key(sums, key);
	cg_slots_prefetch(&sums->slots, hash);
	row = queued(sums, queue->count);
	row->key = *key;
	row->count = count;
	memcpy(row->cost, cost, n * sizeof(*cost));
	memset(row->cost + n, 0, (sums->width - n) * sizeof(*cost));
	queue->hash[queue->count++] = hash;
	return queue->count < CG_ROWS_AT_ONCE ||
	       cg_row_sums_settle(sums, graph);
}

/* ---- Rows ---------------------------------------------------------------- */

static bool
put_row(struct cg_graph *graph, struct cg_run *run,
    const struct cg_row_key *key, uint64_t count, const uint64_t *cost,
    size_t n)
{
	const struct cg_pos *pos;
	struct cg_call call;

	if (key->frame == CG_NO_FRAME)
		return cg_run_add_inclusive(graph, run, count, cost, n);
	pos = &graph->frame[key->frame].pos;
	if (key->callee == CG_NO_CALLEE)
		return cg_run_add_cost(graph, run, pos, cost, n);
	graph->facts |= CG_CALLS;
	call = (struct cg_call){ .site = *pos,
		.callee = key->callee,
		.count = count,
		.cost = cost,
		.n = n };
	return cg_run_add_call(graph, run, &call);
}

bool
cg_row_put(struct cg_graph *graph, const struct cg_row_key *key, uint64_t count,
    const uint64_t *cost, size_t n)
{
	struct cg_run *run = cg_run_get(graph, key->part, key->fn);

	return run && put_row(graph, run, key, count, cost, n);
}

/* A row to sort by run. */
struct row {
	uint64_t run; /* part << 32 | fn */
	size_t sum;
};

static bool
put_rows(
    const struct cg_row_sums *sums, struct cg_graph *graph, struct row *row)
{
	struct cg_run *run = NULL;
	bool ok = true;

	for (size_t i = 0; i < sums->count; i++) {
		const struct cg_row_key *key = &cg_row_sums_at(sums, i)->key;

		row[i] = (struct row){ (uint64_t)key->part << 32 | key->fn, i };
	}
	ok = cg_sort_by_u64(
	    row, sums->count, sizeof(*row), offsetof(struct row, run));
	for (size_t i = 0; ok && i < sums->count; i++) {
		const struct cg_row_sum *sum = cg_row_sums_at(sums, row[i].sum);

		if (i == 0 || row[i].run != row[i - 1].run)
			run = cg_run_get(graph, sum->key.part, sum->key.fn);
		ok = run && put_row(graph, run, &sum->key, sum->count,
				sum->cost, sums->width);
	}
	return ok;
}

/*
 * Adds the summed rows to the graph, by part and function, so that they are
 * packed densely. The sums are not changed. False: out of memory, or overflow
 * when merging with rows of the graph.
 */
bool
cg_row_sums_put(const struct cg_row_sums *sums, struct cg_graph *graph)
{
	struct row *row = malloc((sums->count + 1) * sizeof(*row));
	bool ok = row && put_rows(sums, graph, row);

	free(row);
	return ok;
}

void
cg_row_sums_restart(struct cg_row_sums *sums)
{
	cg_slots_clear(&sums->slots);
	sums->count = 0;
}

void
cg_row_sums_free(struct cg_row_sums *sums)
{
	free(sums->sum);
	free(sums->queue.row);
	cg_slots_free(&sums->slots);
	*sums = (struct cg_row_sums){ 0 };
}
