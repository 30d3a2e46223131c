/*
 * address_map.c - finds the object that is mapped at an address of a process,
 * and the distance from its addresses in the file.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "symbols/symbols.h"

/*
 * Limit of low addresses. Executables that are not position-independent are
 * linked to low addresses (0x400000, 0x8048000, 0x10000); position-independent
 * objects are loaded far above.
 */
#define LOW_MAX ((uint64_t)1 << 28)

/*
 * Returns the base name of a path, without the " (deleted)" that the kernel
 * adds.
 */
static struct cg_slice
base_name(struct cg_slice path)
{
	static const char deleted[] = " (deleted)";
	size_t cut = sizeof(deleted) - 1;

	if (path.len > cut &&
	    memcmp(path.ptr + path.len - cut, deleted, cut) == 0)
		path.len -= cut;
	return cg_base_name(path);
}

/*
 * True if two build-ids are equal but for case: Firefox writes them in upper
 * case.
 */
static bool
same_id(struct cg_slice a, const char *b)
{
	return a.len == strlen(b) && strncasecmp(a.ptr, b, a.len) == 0;
}

enum cg_mapped
cg_mapping_match(const struct cg_mapping *mapping, const struct cg_symbols *elf)
{
	struct cg_slice file = base_name(cg_slice(elf->path));
	struct cg_slice mapped = base_name(mapping->path);
	bool named = mapped.len == file.len &&
		     memcmp(mapped.ptr, file.ptr, file.len) == 0;

	if (mapping->build_id.len == 0 || !*elf->build_id)
		return named ? CG_MAPPED : CG_MAPPED_OTHER;
	if (same_id(mapping->build_id, elf->build_id))
		return CG_MAPPED;
	return named ? CG_MAPPED_BUILD_ID : CG_MAPPED_OTHER;
}

uint64_t
cg_mapping_bias(const struct cg_mapping *mapping, const struct cg_symbols *elf)
{
	uint64_t moved = mapping->start - mapping->offset;

	if (!elf)
		return mapping->start < LOW_MAX ? 0 : moved;
	if (elf->type == ET_EXEC)
		return 0;
	return moved + elf->exec_offset - elf->exec_low;
}

/* ---- Lookup -------------------------------------------------------------- */

uint32_t
cg_address_map_add(struct cg_address_map *map, uint64_t start, uint64_t limit)
{
	if (map->ranges >= UINT32_MAX - 1 ||
	    !cg_grow(
		&map->range, &map->cap, map->ranges + 1, sizeof(*map->range)))
		return 0;
	map->range[map->ranges] =
	    (struct cg_address_range){ start, limit, (uint32_t)map->ranges };
	return (uint32_t)++map->ranges;
}

static int
compare_ranges(const void *pa, const void *pb)
{
	const struct cg_address_range *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

uint32_t
cg_address_map_find(struct cg_address_map *map, uint64_t addr)
{
	size_t low = 0, high = map->ranges, middle;

	if (map->sorted < map->ranges)
		qsort(map->range, map->ranges, sizeof(*map->range),
		    compare_ranges);
	map->sorted = map->ranges;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (map->range[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || addr >= map->range[low - 1].limit)
		return 0;
	return map->range[low - 1].number + 1;
}

void
cg_address_map_free(struct cg_address_map *map)
{
	free(map->range);
}
