/*
 * row_sums.c - sums rows by a hash table, for those who make the same row again
 * and again; graph/pack.c would store each and merge them later.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "algo/row_sums.h"

#define SLOTS_MIN 256

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

/* Where the key is, or belongs. */
static struct cg_id_slot *
find_slot(
    const struct cg_row_sums *sums, const struct cg_row_key *key, uint32_t hash)
{
	size_t mask = sums->slots - 1, at = hash & mask;
	struct cg_id_slot *slot = &sums->slot[at];

	while (slot->id != 0 &&
	       (slot->hash != hash ||
		   !same_key(&sums->sum[slot->id - 1].key, key))) {
		at = (at + 1) & mask;
		slot = &sums->slot[at];
	}
	return slot;
}

static bool
grow_slots(struct cg_row_sums *sums)
{
	size_t slots = sums->slots > 0 ? sums->slots * 2 : SLOTS_MIN;
	struct cg_id_slot *old = sums->slot;

	if (sums->count < sums->slots / 4 * 3)
		return true;
	sums->slot = calloc(slots, sizeof(*sums->slot));
	if (!sums->slot) {
		sums->slot = old;
		return false;
	}
	for (size_t i = 0; i < sums->slots; i++) {
		size_t at = old[i].hash & (slots - 1);

		if (old[i].id == 0)
			continue;
		while (sums->slot[at].id != 0)
			at = (at + 1) & (slots - 1);
		sums->slot[at] = old[i];
	}
	sums->slots = slots;
	free(old);
	return true;
}

/* Gives each sum as many columns as the graph has events now. */
static bool
widen(struct cg_row_sums *sums, size_t width)
{
	size_t old = sums->width;
	uint64_t *values;

	if (width <= old && sums->values)
		return true;
	values = calloc((sums->count + 1) * width + 1, sizeof(*values));
	if (!values)
		return false;
	for (size_t i = 0; i < sums->count; i++)
		memcpy(values + i * width, sums->values + i * old,
		    old * sizeof(*values));
	free(sums->values);
	sums->values = values;
	sums->values_cap = (sums->count + 1) * width;
	sums->width = width;
	return true;
}

/* The key's sum, made if need be; NULL: out of memory. */
static struct cg_row_sum *
get_sum(struct cg_row_sums *sums, const struct cg_row_key *key)
{
	uint32_t hash = hash_key(sums, key);
	size_t i = sums->count, width = sums->width;
	struct cg_id_slot *slot;

	if (!grow_slots(sums))
		return NULL;
	slot = find_slot(sums, key, hash);
	if (slot->id != 0)
		return &sums->sum[slot->id - 1];
	if (i >= UINT32_MAX - 1 ||
	    !cg_grow_raw(&sums->sum, &sums->cap, i + 1, sizeof(*sums->sum)) ||
	    !cg_grow_raw(&sums->values, &sums->values_cap, (i + 1) * width,
		sizeof(*sums->values)))
		return NULL;
	memset(sums->values + i * width, 0, width * sizeof(*sums->values));
	sums->sum[i] = (struct cg_row_sum){ .key = *key, .number = i };
	*slot = (struct cg_id_slot){ (uint32_t)++sums->count, hash };
	return &sums->sum[i];
}

bool
cg_row_sums_add(struct cg_row_sums *sums, const struct cg_graph *graph,
    const struct cg_row_key *key, uint64_t count, const uint64_t *cost,
    size_t n)
{
	struct cg_row_sum *sum =
	    widen(sums, graph->events) ? get_sum(sums, key) : NULL;

	if (!sum)
		return false;
	if (cg_add_values(
		graph, sums->values + sum->number * sums->width, cost, n) &&
	    !__builtin_add_overflow(sum->count, count, &sum->count))
		return true;
	cg_graph_overflow(graph, "costs or samples of a function");
	return false;
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
		return cg_run_add_inclusive(graph, run, cost, n);
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

/* The rows of a run follow each other, so that they are packed densely. */
bool
cg_row_sums_put(struct cg_row_sums *sums, struct cg_graph *graph)
{
	struct cg_run *run = NULL;
	bool ok = true;

	for (size_t i = 0; i < sums->count; i++)
		sums->sum[i].run =
		    (uint64_t)sums->sum[i].key.part << 32 | sums->sum[i].key.fn;
	ok = sums->count == 0 ||
	     cg_sort_by_u64(sums->sum, sums->count, sizeof(*sums->sum),
		 offsetof(struct cg_row_sum, run));
	for (size_t i = 0; ok && i < sums->count; i++) {
		const struct cg_row_sum *sum = &sums->sum[i];

		if (i == 0 || sum->run != sum[-1].run)
			run = cg_run_get(graph, sum->key.part, sum->key.fn);
		ok = run &&
		     put_row(graph, run, &sum->key, sum->count,
			 sums->values + sum->number * sums->width, sums->width);
	}
	return ok;
}

void
cg_row_sums_restart(struct cg_row_sums *sums)
{
	if (sums->slots > 0)
		memset(sums->slot, 0, sums->slots * sizeof(*sums->slot));
	sums->count = 0;
}

void
cg_row_sums_free(struct cg_row_sums *sums)
{
	free(sums->sum);
	free(sums->values);
	free(sums->slot);
	*sums = (struct cg_row_sums){ 0 };
}
