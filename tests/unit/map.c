/*
 * map.c - compares maps of numbers with a plain list, with dense and sparse
 * keys; and checks the memory that keys from a file can make them allocate.
 */
#include "unit.h"

#define KEYS 3000

struct pair {
	uint64_t key;
	uint32_t value;
};

static struct pair pair[KEYS];
static size_t pairs;

static uint32_t *
list_at(uint64_t key)
{
	size_t i = 0;

	while (i < pairs && pair[i].key != key)
		i++;
	if (i == pairs)
		pair[pairs++] = (struct pair){ .key = key };
	return &pair[i].value;
}

static void
check_same(const struct cg_map *map)
{
	for (size_t i = 0; i < pairs; i++) {
		cg_map_prefetch(map, pair[i].key);
		CHECK(cg_map_get(map, pair[i].key) == pair[i].value);
	}
	CHECK(cg_map_get(map, UINT64_C(0x123456789abcdef)) == 0);
}

/* Keys increase by up to step; sparse percent of them have any width. */
static void
test_keys(uint64_t *seed, size_t step, size_t sparse)
{
	struct cg_map map = { 0 };
	uint64_t low = 0;

	pairs = 0;
	for (size_t i = 0; i < KEYS; i++) {
		uint64_t key = unit_below(seed, 100) < sparse
				   ? unit_number(seed)
				   : (low += 1 + unit_below(seed, step));
		uint32_t value = (uint32_t)unit_number(seed), *at;

		if (unit_below(seed, 4) == 0 && pairs > 0)
			key = pair[unit_below(seed, pairs)].key;
		at = cg_map_at(&map, key);
		CHECK(at && *at == *list_at(key));
		if (at)
			*at = *list_at(key) = value;
	}
	check_same(&map);
	if (sparse == 0 && (step <= 8 || step >= 64))
		CHECK(step <= 8 ? map.table->limit > KEYS
				: map.table->limit == 0);
	cg_map_free(&map);
	CHECK(!map.table && cg_map_get(&map, 1) == 0);
}

/* An array takes no more memory than a table of its keys. */
static void
test_memory(uint64_t *seed)
{
	struct cg_map map = { 0 };
	uint64_t key = 0;

	for (size_t i = 1; i <= 20000; i++) {
		uint32_t *at;

		key += 1 + unit_below(seed, 1 + i / 1000 * 2);
		at = cg_map_at(&map, key);
		CHECK(at && *at == 0);
		CHECK(map.table->limit <= 16 * i &&
		      map.table->slots <= 4 * i + 64);
	}
	cg_map_free(&map);
}

int
main(void)
{
	uint64_t seed = 1;

	for (size_t step = 1; step <= 64; step *= 2)
		for (size_t sparse = 0; sparse <= 100; sparse += 25)
			test_keys(&seed, step, sparse);
	test_memory(&seed);
	return unit_end();
}
