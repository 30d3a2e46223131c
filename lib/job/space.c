/*
 * space.c - the address space of a process: which object lies where, and what
 * its addresses mean.
 *
 * Profiles of processes hold addresses as they were in memory. Take off the
 * bias of the mapping, and they are those of the object file.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

/*
 * Executables that are not position-independent are linked to low addresses
 * (0x400000, 0x8048000, 0x10000); what has to be moved is put far above.
 */
#define LOW_MAX ((uint64_t)1 << 28)

struct image {
	uint64_t start, limit, bias;
	const struct cg_symbols *symbols; /* NULL: none were given */
	cg_name path;
	cg_object object; /* added when asked for */
	bool missed;      /* it was said that symbols are missing */
};

struct cg_space {
	struct cg_job *job;
	struct cg_build *build;
	struct image *image;
	size_t images, cap;
	uint32_t *by_start; /* numbers of images, sorted when asked for */
	size_t sorted, sorted_cap;
};

/* ---- Mappings ----------------------------------------------------------- */

struct cg_space *
cg_space_new(struct cg_job *job, struct cg_build *build)
{
	struct cg_space *space = calloc(1, sizeof(*space));

	if (!space) {
		job->errors.fault = cg_nomem(job);
		return NULL;
	}
	space->job = job;
	space->build = build;
	return space;
}

void
cg_space_free(struct cg_space *space)
{
	if (!space)
		return;
	free(space->image);
	free(space->by_start);
	free(space);
}

/* What follows the last slash, without the kernel's " (deleted)". */
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

/* Is the object the one that was mapped? */
static bool
serves(struct cg_space *space, const struct cg_elf *elf,
    const struct cg_mapping *mapping)
{
	struct cg_slice file = base_name(cg_slice(elf->path));
	struct cg_slice mapped = base_name(mapping->path);
	bool named = mapped.len == file.len &&
		     memcmp(mapped.ptr, file.ptr, file.len) == 0;

	if (mapping->build_id.len == 0 || !*elf->build_id)
		return named;
	if (cg_equal(mapping->build_id, elf->build_id))
		return true;
	if (named)
		cg_warn(space->job,
		    "%s is not used: its build-id is %s, the profile wants "
		    "%.*s",
		    elf->path, elf->build_id, (int)mapping->build_id.len,
		    mapping->build_id.ptr);
	return false;
}

static const struct cg_symbols *
find_symbols(struct cg_space *space, const struct cg_mapping *mapping)
{
	const struct cg_symbols *symbols;
	const char *path;

	for (size_t i = 0; (path = cg_job_object(space->job, i)); i++) {
		symbols = cg_open_symbols(space->job, path, false);
		if (symbols && serves(space, cg_symbols_elf(symbols), mapping))
			return symbols;
	}
	return NULL;
}

static uint64_t
find_bias(const struct cg_mapping *mapping, const struct cg_symbols *symbols)
{
	uint64_t moved = mapping->start - mapping->offset;
	const struct cg_elf *elf;

	if (!symbols)
		return mapping->start < LOW_MAX ? 0 : moved;
	elf = cg_symbols_elf(symbols);
	if (elf->type == ET_EXEC)
		return 0;
	return moved + elf->exec_offset - elf->exec_low;
}

uint32_t
cg_space_add(struct cg_space *space, const struct cg_mapping *mapping)
{
	struct image *image;

	if (space->images >= UINT32_MAX - 1 ||
	    !cg_grow(&space->image, &space->cap, space->images + 1,
		sizeof(*image))) {
		space->job->errors.fault = cg_nomem(space->job);
		return 0;
	}
	image = &space->image[space->images];
	image->start = mapping->start;
	image->limit = mapping->limit;
	image->symbols = find_symbols(space, mapping);
	image->bias = find_bias(mapping, image->symbols);
	image->path = cg_add_name(space->build, mapping->path);
	return (uint32_t)++space->images;
}

struct start {
	uint64_t start;
	uint32_t number;
};

static int
compare_starts(const void *pa, const void *pb)
{
	const struct start *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static bool
sort_images(struct cg_space *space)
{
	struct start *start = calloc(space->images, sizeof(*start));

	if (!start || !cg_grow(&space->by_start, &space->sorted_cap,
			  space->images, sizeof(*space->by_start))) {
		free(start);
		space->job->errors.fault = cg_nomem(space->job);
		return false;
	}
	for (uint32_t i = 0; i < space->images; i++)
		start[i] = (struct start){ space->image[i].start, i };
	qsort(start, space->images, sizeof(*start), compare_starts);
	for (size_t i = 0; i < space->images; i++)
		space->by_start[i] = start[i].number;
	space->sorted = space->images;
	free(start);
	return true;
}

uint32_t
cg_space_find(struct cg_space *space, uint64_t addr)
{
	size_t low = 0, high = space->images, middle;
	uint32_t found;

	if (space->sorted < space->images && !sort_images(space))
		return 0;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (space->image[space->by_start[middle]].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return 0;
	found = space->by_start[low - 1];
	return addr < space->image[found].limit ? found + 1 : 0;
}

cg_object
cg_space_object(struct cg_space *space, uint32_t mapping)
{
	struct image *image;

	if (mapping == 0)
		return 0;
	image = &space->image[mapping - 1];
	if (image->object == 0)
		image->object = cg_add_object(
		    space->build, cg_get_name(space->build, image->path));
	return image->object;
}

uint64_t
cg_space_bias(const struct cg_space *space, uint32_t mapping)
{
	return mapping ? space->image[mapping - 1].bias : 0;
}

/* ---- Frames ------------------------------------------------------------- */

/* Says once for each object whose symbols are missing. */
static void
warn_missing(struct cg_space *space, uint32_t mapping)
{
	struct image *image = mapping ? &space->image[mapping - 1] : NULL;
	struct cg_slice path;

	if (!image || image->missed)
		return;
	image->missed = true;
	path = cg_get_name(space->build, image->path);
	if (path.len > 0 && *path.ptr != '[')
		cg_warn(space->job,
		    "functions of %.*s have no names: give it with --exe",
		    (int)path.len, path.ptr);
}

/* The function at an address, where there is nothing to say of its lines. */
static size_t
find_function(
    const struct cg_symbols *symbols, uint64_t addr, struct cg_frame *frame)
{
	struct cg_function function;

	if (!symbols || !cg_find_function(symbols, addr, &function))
		return 0;
	*frame =
	    (struct cg_frame){ .name = function.name, .file = function.file };
	return 1;
}

size_t
cg_space_frames(struct cg_space *space, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX])
{
	const struct cg_symbols *symbols =
	    mapping ? space->image[mapping - 1].symbols : NULL;
	cg_object object = cg_space_object(space, mapping);
	struct cg_frame found[CG_FRAME_MAX];
	char hex[CG_NUMBER_MAX];
	struct cg_slice name;
	size_t n = 0;

	addr -= cg_space_bias(space, mapping);
	if (symbols)
		n = cg_find_frames(symbols, addr, found);
	else
		warn_missing(space, mapping);
	if (n == 0)
		n = find_function(symbols, addr, found);
	if (n == 0)
		found[n++] = (struct cg_frame){ .name = "", .file = "" };
	for (size_t i = 0; i < n; i++) {
		cg_file file =
		    cg_add_file(space->build, cg_slice(found[i].file));

		name = cg_slice(found[i].name);
		if (name.len == 0)
			name = (struct cg_slice){ hex,
				(size_t)(cg_format_hex(hex, addr) - hex) };
		frames[i] = (struct cg_stack){
			.fn = cg_add_fn(space->build, name, file, object),
			.pos = { .file = file,
			    .line = found[i].line,
			    .addr = addr },
			.inlined = i + 1 < n,
		};
	}
	return n;
}
