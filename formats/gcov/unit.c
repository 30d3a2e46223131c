/*
 * unit.c - the memory of a unit.
 */
#include <stdlib.h>
#include <string.h>

#include "gcov.h"

void
gcov_unit_free(struct gcov_unit *unit)
{
	struct gcov_scratch *scratch = &unit->scratch;

	free(unit->data.fn);
	free(unit->fn);
	free(unit->block);
	free(unit->arc);
	free(unit->place);
	free(unit->line);
	free(unit->condition);
	free(unit->file);
	free(unit->file_slot);
	free(unit->site);
	free(unit->edge);
	cg_map_free(&unit->locals);
	cg_map_free(&unit->idents);
	cg_map_free(&unit->begins);
	cg_map_free(&unit->shared);
	free(scratch->solved);
	free(scratch->queue);
	free(scratch->frame);
	free(scratch->path);
	free(scratch->line);
	free(scratch->touch);
	free(scratch->order);
	free(scratch->preds);
	free(scratch->slot);
	free(scratch->walk);
	free(unit->path);
	free(unit->name);
	free(unit->folder);
}

void
gcov_unit_clear(struct gcov_unit *unit)
{
	unit->head = (struct gcov_head){ 0 };
	unit->llvm = false;
	unit->fns = unit->blocks = unit->arcs = unit->places = 0;
	unit->lines = unit->conditions = unit->files = 0;
	unit->paths = 0;
	unit->sites = 0;
	if (unit->file_slot)
		memset(unit->file_slot, 0,
		    unit->file_slots * sizeof(*unit->file_slot));
	unit->last_file = 0;
	unit->place_name.len = 0;
	unit->work = unit->path_work = unit->path_rows = unit->lost_paths = 0;
}

bool
gcov_grow_more(
    struct gcov_unit *unit, void *array, size_t *cap, size_t need, size_t width)
{
	if (cg_grow_raw(array, cap, need, width))
		return true;
	unit->nomem = true;
	return false;
}

uint32_t
gcov_exit(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	if (unit->head.layout >= GCOV_VERSION(4, 8))
		return fn->blocks > 1 ? 1 : 0;
	return fn->blocks > 0 ? fn->blocks - 1 : 0;
}

/* There are no marks in Ada (gcc), none in clang. */
unsigned
gcov_block_flags(
    const struct gcov_unit *unit, const struct gcov_fn *fn, uint32_t block)
{
	unsigned flags = 0;

	if (unit->head.layout >= GCOV_VERSION(8, 0) && !unit->head.unexecuted)
		flags |= CG_BRANCH_UNMARKED;
	if (unit->llvm && block == gcov_exit(unit, fn))
		flags |= CG_BRANCH_EXIT;
	return flags;
}

/* ---- Files -------------------------------------------------------------- */

uint64_t
gcov_hash(uint64_t seed, struct cg_slice text)
{
	uint64_t hash = seed + text.len, word;
	size_t i = 0;

	for (; i + 8 <= text.len; i += 8) {
		memcpy(&word, text.ptr + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	for (; i < text.len; i++)
		hash = (hash ^ (unsigned char)text.ptr[i]) * 0x100000001b3u;
	return hash ^ hash >> 29;
}

static bool
is_file(const struct gcov_file *file, struct cg_slice name)
{
	return file->name.len == name.len &&
	       memcmp(file->name.ptr, name.ptr, name.len) == 0;
}

static bool
grow_slots(struct gcov_unit *unit)
{
	size_t slots = unit->file_slots ? unit->file_slots * 2 : 256, at;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot) {
		unit->nomem = true;
		return false;
	}
	for (uint32_t i = 0; i < unit->files; i++) {
		at = unit->file[i].hash & (slots - 1);
		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
	free(unit->file_slot);
	unit->file_slot = slot;
	unit->file_slots = slots;
	return true;
}

/* Nearly always the file is the same as that of the record before. */
uint32_t
gcov_file(struct gcov_unit *unit, struct cg_slice name)
{
	uint32_t *slot;
	uint64_t hash;
	size_t at;

	if (unit->last_file < unit->files &&
	    is_file(&unit->file[unit->last_file], name))
		return unit->last_file;
	if (unit->files * 2 >= unit->file_slots && !grow_slots(unit))
		return GCOV_NONE;
	/* Nobody who writes names knows where a unit will lie. */
	hash = gcov_hash((uintptr_t)unit, name);
	at = hash & (unit->file_slots - 1);
	for (; unit->file_slot[at]; at = (at + 1) & (unit->file_slots - 1)) {
		unit->last_file = unit->file_slot[at] - 1;
		if (unit->file[unit->last_file].hash == hash &&
		    is_file(&unit->file[unit->last_file], name))
			return unit->last_file;
	}
	slot = &unit->file_slot[at];
	if (!gcov_grow(unit, &unit->file, &unit->file_cap, unit->files + 1,
		sizeof(*unit->file)))
		return GCOV_NONE;
	unit->file[unit->files] =
	    (struct gcov_file){ .name = name, .hash = hash };
	unit->last_file = (uint32_t)unit->files;
	*slot = (uint32_t)++unit->files;
	return unit->last_file;
}
