/*
 * unit.c - memory of a unit, and the functions that build it from notes.
 *
 * The unit is state of the job (cg_job_state()): its arrays are used again for
 * the units of all inputs, so they are not memory of one read().
 */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* ---- Memory ------------------------------------------------------------- */

void
gcov_unit_free(struct gcov_unit *unit)
{
	struct gcov_scratch *scratch = &unit->scratch;

	free(unit->data.fn);
	free(unit->fn);
	free(unit->block);
	free(unit->arc);
	free(unit->span);
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
	free(unit->stream_directory);
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
		at = (size_t)unit->file[i].hash & (slots - 1);
		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
	free(unit->file_slot);
	unit->file_slot = slot;
	unit->file_slots = slots;
	return true;
}

/*
 * Returns the index of the named source file in the unit (object file).
 * Appends the file if it is new. GCOV_NONE: out of memory.
 */
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
	/* The seed is an address, so that no file can cause many collisions. */
	hash = gcov_hash((uintptr_t)unit, name);
	at = (size_t)hash & (unit->file_slots - 1);
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

/* ---- Building ----------------------------------------------------------- */

static void
clear(struct gcov_unit *unit)
{
	struct gcov_scratch *scratch = &unit->scratch;

	unit->head = (struct gcov_head){ 0 };
	unit->llvm = false;
	unit->fns = unit->blocks = unit->arcs = unit->spans = 0;
	unit->lines = unit->conditions = unit->files = 0;
	unit->paths = 0;
	unit->sites = 0;
	if (unit->file_slot)
		memset(unit->file_slot, 0,
		    unit->file_slots * sizeof(*unit->file_slot));
	unit->last_file = 0;
	unit->span_name.len = 0;
	scratch->work = 0;
	scratch->saturated = scratch->unsolved = false;
	scratch->inconsistent = scratch->work_limit_hit = false;
	unit->negative = 0;
	unit->path_work = unit->path_rows = unit->lost_paths = 0;
	unit->repeats = unit->lost_repeats = 0;
}

/*
 * Drops the notes that the unit had, and stores the range of the new ones
 * (bytes). Allocates all arrays, so that none is NULL even if it remains
 * empty. False: out of memory.
 */
bool
gcov_begin_notes(struct gcov_unit *unit, const struct gcov_bytes *bytes)
{
	clear(unit);
	unit->notes = (const char *)bytes->at;
	unit->notes_end = (const char *)bytes->end;
	unit->max_blocks = (size_t)(bytes->end - bytes->at) / 4;
	return gcov_grow(unit, &unit->block, &unit->block_cap, 1,
		   sizeof(*unit->block)) &&
	       gcov_grow(
		   unit, &unit->arc, &unit->arc_cap, 1, sizeof(*unit->arc)) &&
	       gcov_grow(unit, &unit->span, &unit->span_cap, 1,
		   sizeof(*unit->span)) &&
	       gcov_grow(unit, &unit->line, &unit->line_cap, 1,
		   sizeof(*unit->line)) &&
	       gcov_grow(unit, &unit->condition, &unit->condition_cap, 1,
		   sizeof(*unit->condition));
}

bool
gcov_add_blocks(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t n)
{
	if (!gcov_grow(unit, &unit->block, &unit->block_cap, unit->blocks + n,
		sizeof(*unit->block)))
		return false;
	for (uint32_t i = 0; i < n; i++)
		unit->block[unit->blocks + i] =
		    (struct gcov_block){ .span = GCOV_NONE,
			    .last_span = GCOV_NONE };
	unit->blocks += n;
	fn->blocks = n;
	return true;
}

bool
gcov_begin_arcs(
    struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src, uint32_t n)
{
	struct gcov_block *block = &unit->block[fn->block + src];

	if (!gcov_grow(unit, &unit->arc, &unit->arc_cap, unit->arcs + n,
		sizeof(*unit->arc)))
		return false;
	block->has_arcs = true;
	block->arc = (uint32_t)unit->arcs;
	return true;
}

bool
gcov_add_arc(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src,
    uint32_t dst, uint32_t flags)
{
	if (dst >= fn->blocks)
		return false;
	unit->arc[unit->arcs++] =
	    (struct gcov_arc){ .src = src, .dst = dst, .flags = flags };
	fn->instrumented += !(flags & GCOV_ON_TREE);
	fn->arcs++;
	return true;
}

/*
 * Marks which of a block's n arcs lead to exception handlers. The block must
 * have a fake arc: it ends with a call that may not return. Then arcs neither
 * fake nor a fall through lead to handlers.
 */
static void
mark_throws(struct gcov_arc *arc, uint32_t n)
{
	const uint32_t passes = GCOV_FAKE | GCOV_FALLTHROUGH;

	for (uint32_t i = 0; i < n; i++) {
		if ((arc[i].flags & passes) == 0)
			arc[i].flags |= GCOV_THROW;
	}
}

void
gcov_end_arcs(struct gcov_unit *unit, struct gcov_fn *fn, uint32_t src)
{
	struct gcov_block *block = &unit->block[fn->block + src];

	block->arcs = (uint32_t)unit->arcs - block->arc;
	for (uint32_t i = 0; i < block->arcs; i++)
		block->fakes +=
		    (unit->arc[block->arc + i].flags & GCOV_FAKE) != 0;
	if (block->fakes > 0 && src != 0)
		mark_throws(unit->arc + block->arc, block->arcs);
}

bool
gcov_take_arcs(struct gcov_unit *unit, struct gcov_bytes *record,
    struct gcov_fn *fn, uint32_t src, uint32_t flags)
{
	const unsigned char *at = record->at;
	uint32_t n = (uint32_t)((record->end - at) / 8);

	if (unit->block[fn->block + src].has_arcs)
		return gcov_error(record, record->at - 4,
		    "expected the arcs of a block only once");
	if (!gcov_begin_arcs(unit, fn, src, n))
		return false;
	for (; n > 0; n--, at += 8) {
		if (!gcov_add_arc(unit, fn, src, gcov_get_u32(at, record->big),
			gcov_get_u32(at + 4, record->big) & flags))
			return gcov_error(record, at,
			    "expected an arc to a block of the function");
	}
	gcov_end_arcs(unit, fn, src);
	return true;
}

struct gcov_span *
gcov_add_span(struct gcov_unit *unit, struct gcov_block *block, uint32_t file)
{
	uint32_t number = (uint32_t)unit->spans;

	if (file == GCOV_NONE || !gcov_grow(unit, &unit->span, &unit->span_cap,
				     unit->spans + 1, sizeof(*unit->span)))
		return NULL;
	if (block->span == GCOV_NONE)
		block->span = number;
	else
		unit->span[block->last_span].next = number;
	block->last_span = number;
	unit->span[number] = (struct gcov_span){
		.file = file, .line = (uint32_t)unit->lines, .next = GCOV_NONE
	};
	unit->spans++;
	return &unit->span[number];
}

bool
gcov_add_line(struct gcov_unit *unit, struct gcov_block *block, bool new_span,
    uint32_t file, uint32_t line)
{
	if (new_span && !gcov_add_span(unit, block, file))
		return false;
	if (!gcov_grow(unit, &unit->line, &unit->line_cap, unit->lines + 1,
		sizeof(*unit->line)))
		return false;
	unit->line[unit->lines++] = line;
	unit->span[block->last_span].lines++;
	return true;
}

/* ---- Queries ------------------------------------------------------------ */

uint32_t
gcov_exit(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	if (unit->head.layout >= GCOV_VERSION(4, 8))
		return fn->blocks > 1 ? 1 : 0;
	return fn->blocks > 0 ? fn->blocks - 1 : 0;
}

/*
 * Returns the flags of the block's rows. CG_BRANCH_UNMARKED: its lines get no
 * mark (such as $$$$$) if it never ran. Notes of version 8 or later say so for
 * Ada and clang. CG_BRANCH_EXIT: the exit block of clang.
 */
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

bool
gcov_is_reported(const struct gcov_unit *unit, const struct gcov_fn *fn)
{
	return (!fn->artificial || unit->llvm) && fn->blocks > 0 &&
	       (!unit->has_data || fn->instrumented > 0);
}
