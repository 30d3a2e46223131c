/*
 * memory.c - the memory of a read() or write(): see "Memory" in
 * cgconv_format.h.
 */
#include "io/io.h"

/* The layout of each CG_ARRAY(), and of struct cg_numbers. */
struct any_array {
	void *at;
	size_t n, cap;
};

void *
cg_alloc(struct cg_job *job, size_t size)
{
	void *memory = cg_scope_alloc(&cg_job_errors(job)->scope, size);

	if (!memory)
		(void)cg_reject_nomem(job);
	return memory;
}

bool
cg_at_end(struct cg_job *job, void (*release)(void *), void *what)
{
	return cg_scope_defer(&cg_job_errors(job)->scope, release, what) ||
	       cg_reject_nomem(job);
}

bool
cg_reserve_more(struct cg_job *job, void *array, size_t need, size_t width)
{
	struct any_array to;

	memcpy(&to, array, sizeof(to));
	if (!cg_scope_grow_more(
		&cg_job_errors(job)->scope, &to.at, &to.cap, need, width))
		return cg_reject_nomem(job);
	memcpy(array, &to, sizeof(to));
	return true;
}

bool
cg_resize_to(struct cg_job *job, void *array, size_t n, size_t width)
{
	struct any_array to;

	memcpy(&to, array, sizeof(to));
	if (n > to.cap && !cg_reserve_more(job, array, n, width))
		return false;
	memcpy(&to, array, sizeof(to));
	if (n > to.n)
		memset((char *)to.at + to.n * width, 0, (n - to.n) * width);
	to.n = n;
	memcpy(array, &to, sizeof(to));
	return true;
}

void
cg_drop_array(struct cg_job *job, void *array)
{
	struct any_array none = { 0 };
	void *at;

	memcpy(&at, array, sizeof(at));
	cg_scope_drop(&cg_job_errors(job)->scope, at);
	memcpy(array, &none, sizeof(none));
}

/* ---- Maps and lists of numbers ------------------------------------------ */

static void
free_table(void *table)
{
	struct cg_map map = { .table = table };

	cg_map_free(&map);
}

uint32_t *
cg_map_in(struct cg_job *job, struct cg_map *map, uint64_t key)
{
	bool is_new = !map->table;
	uint32_t *value = cg_map_at(map, key);

	/* Register the table, not the map, which may be a local variable. */
	if (is_new && map->table && !cg_at_end(job, free_table, map->table)) {
		map->table = NULL;
		return NULL;
	}
	if (!value)
		(void)cg_reject_nomem(job);
	return value;
}

bool
cg_numbers_in(struct cg_job *job, struct cg_numbers *list, uint64_t number)
{
	size_t need = list->bytes + CG_NUMBER_BYTES;

	if (need > list->cap && !cg_reserve_more(job, list, need, 1))
		return false;
	cg_numbers_put(list, number);
	return true;
}

bool
cg_numbers_in_signed(
    struct cg_job *job, struct cg_numbers *list, int64_t number)
{
	uint64_t bits = (uint64_t)number;

	return cg_numbers_in(job, list, bits << 1 ^ (0 - (bits >> 63)));
}
