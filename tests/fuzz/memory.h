/*
 * memory.h - how much memory a fuzzed input needs. Included once by each target.
 */
#ifndef FUZZ_MEMORY_H
#define FUZZ_MEMORY_H

#include <sanitizer/allocator_interface.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The documented bound: these bytes, and so many for each byte of the input. */
#define MEMORY_FREE ((size_t)64 << 20)
#define MEMORY_PER_BYTE 8
/* A compressed input may expand: see cg_is_bomb(). */
#define MEMORY_EXPANSION 1000
/*
 * A frame of zstd may ask for a window of that size before it has any data; it
 * is allocated, but used only as far as data comes.
 */
#define MEMORY_WINDOW ((size_t)128 << 20)

static size_t memory_live, memory_peak;
static size_t memory_most, memory_most_for; /* of all inputs: peak, size */

static void
note_malloc(const volatile void *ptr, size_t size)
{
	(void)ptr;
	memory_live += size;
	if (memory_live > memory_peak)
		memory_peak = memory_live;
}

static void
note_free(const volatile void *ptr)
{
	const void *block = (const void *)(uintptr_t)ptr;
	size_t size = block ? __sanitizer_get_allocated_size(block) : 0;

	memory_live -= size < memory_live ? size : memory_live;
}

static void
print_memory(void)
{
	fprintf(stderr, "memory: at most %zu bytes, for an input of %zu\n",
	    memory_most, memory_most_for);
}

static void
memory_begin(void)
{
	static bool begun;

	if (!begun) {
		begun = true;
		(void)__sanitizer_install_malloc_and_free_hooks(
		    note_malloc, note_free);
		(void)atexit(print_memory);
	}
	memory_live = memory_peak = 0;
}

static bool
memory_is_compressed(const uint8_t *data, size_t size)
{
	static const struct {
		const char *magic;
		size_t n;
	} kinds[] = {
		{ "\x1f\x8b", 2 },         /* gzip */
		{ "BZh", 3 },              /* bzip2 */
		{ "\xfd\x37zXZ", 5 },      /* xz */
		{ "\x28\xb5\x2f\xfd", 4 }, /* zstd */
		{ "\x04\x22\x4d\x18", 4 }, /* lz4 */
		{ "PK", 2 },               /* zip */
		{ "PERFILE2", 8 },         /* records of zstd */
		{ "2ELIFREP", 8 },         /* the same, big endian */
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (size > kinds[i].n &&
		    memcmp(data, kinds[i].magic, kinds[i].n) == 0)
			return true;
	return false;
}

static bool
memory_has_window(const uint8_t *data, size_t size)
{
	static const char *const magic[] = { "\x28\xb5\x2f\xfd", "PERFILE2",
		"2ELIFREP" };

	for (size_t i = 0; i < sizeof(magic) / sizeof(*magic); i++)
		if (size > strlen(magic[i]) &&
		    memcmp(data, magic[i], strlen(magic[i])) == 0)
			return true;
	return false;
}

/* The input was read: aborts if that took more memory than it may. */
static void
memory_end(const uint8_t *data, size_t size)
{
	size_t bytes =
	    memory_is_compressed(data, size) ? size * MEMORY_EXPANSION : size;

	if (memory_has_window(data, size))
		bytes += MEMORY_WINDOW / MEMORY_PER_BYTE;
	if (memory_peak > memory_most) {
		memory_most = memory_peak;
		memory_most_for = size;
	}
	if (memory_peak > MEMORY_FREE + bytes * MEMORY_PER_BYTE) {
		fprintf(stderr, "fuzz: %zu bytes of memory for %zu\n",
		    memory_peak, size);
		abort();
	}
}

#endif
