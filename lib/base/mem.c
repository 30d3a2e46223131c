/*
 * mem.c - arenas and growable arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define CHUNK_MIN ((size_t)64 << 10)
#define CHUNK_MAX ((size_t)8 << 20)
#define HUGE_PAGE ((size_t)2 << 20)
#define ALIGNMENT _Alignof(max_align_t)

struct cg_chunk {
	struct cg_chunk *next;
	size_t size;
	max_align_t data[];
};

/*
 * Allocates a chunk of memory with room for need bytes, from which the arena
 * then gives out memory. Chunks double up to CHUNK_MAX, so that small graphs
 * stay small. False: out of memory.
 */
static bool
add_chunk(struct cg_arena *arena, size_t need)
{
	size_t size = CHUNK_MIN;
	struct cg_chunk *chunk;
	void *ptr = NULL;

	if (arena->chunks && arena->chunks->size < CHUNK_MAX)
		size = arena->chunks->size * 2;
	else if (arena->chunks)
		size = CHUNK_MAX;
	if (need > SIZE_MAX - sizeof(*chunk) - CG_ARENA_SPARE - HUGE_PAGE)
		return false;
	if (size < need + sizeof(*chunk) + CG_ARENA_SPARE)
		size = need + sizeof(*chunk) + CG_ARENA_SPARE;
	if (posix_memalign(&ptr, size < HUGE_PAGE ? 64 : HUGE_PAGE, size) != 0)
		return false;
	chunk = ptr;
	if (size >= HUGE_PAGE)
		cg_advise_huge(ptr, size & ~(HUGE_PAGE - 1));
	chunk->next = arena->chunks;
	chunk->size = size;
	arena->chunks = chunk;
	arena->at = (char *)chunk->data;
	arena->end = (char *)ptr + size - CG_ARENA_SPARE;
	return true;
}

static char *
take(struct cg_arena *arena, size_t size)
{
	char *ptr;

	if ((!arena->at || (size_t)(arena->end - arena->at) < size) &&
	    !add_chunk(arena, size))
		return NULL;
	ptr = arena->at;
	arena->at += size;
	return ptr;
}

void *
cg_arena_alloc(struct cg_arena *arena, size_t size)
{
	if (size > SIZE_MAX - ALIGNMENT)
		return NULL;
	return take(arena, (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
}

char *
cg_arena_copy(struct cg_arena *arena, struct cg_slice text)
{
	char *copy = text.len < SIZE_MAX ? take(arena, text.len + 1) : NULL;

	if (copy) {
		memcpy(copy, text.ptr, text.len);
		copy[text.len] = '\0';
	}
	return copy;
}

void
cg_arena_free(struct cg_arena *arena)
{
	struct cg_chunk *chunk, *next;

	for (chunk = arena->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct cg_arena){ 0 };
}

bool
cg_arena_extend(struct cg_arena *arena, void *end, size_t more)
{
	if (end != arena->at || (size_t)(arena->end - arena->at) < more)
		return false;
	arena->at += more;
	return true;
}

void
cg_arena_trim(struct cg_arena *arena, void *end, void *to)
{
	if (end == arena->at)
		arena->at = to;
}

bool
cg_grow_more(void *array, size_t *cap, size_t need, size_t width)
{
	size_t want = *cap < 8 ? 8 : *cap;
	void *old, *ptr;

	while (want < need) {
		if (want > SIZE_MAX / 2)
			return false;
		want *= 2;
	}
	if (want > SIZE_MAX / width)
		return false;
	memcpy(&old, array, sizeof(old));
	ptr = realloc(old, want * width);
	if (!ptr)
		return false;
	memcpy(array, &ptr, sizeof(ptr));
	*cap = want;
	return true;
}

bool
cg_grow(void *array, size_t *cap, size_t need, size_t width)
{
	size_t had = *cap;
	void *ptr;

	if (!cg_grow_raw(array, cap, need, width))
		return false;
	if (had < *cap) {
		memcpy(&ptr, array, sizeof(ptr));
		memset((char *)ptr + had * width, 0, (*cap - had) * width);
	}
	return true;
}
