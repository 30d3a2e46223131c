/*
 * space.c - the address space of a process: turns its addresses into those in
 * object files, and into frames.
 *
 * Profiles of processes contain addresses as they were in memory. Minus the
 * bias of their mapping they are the addresses in the object file.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "symbols/elffile.h"

struct image {
	uint64_t bias;
	const struct cg_symbols *symbols; /* NULL: none were given */
	cg_name path;
	cg_object object; /* added when asked for */
	bool warned;      /* that symbols are missing */
};

struct cg_space {
	struct cg_job *job;
	struct cg_build *build;
	struct image *image;
	size_t images, cap;
	struct cg_address_map map; /* range i is image i */
	const char *unknown;       /* NULL: the address */
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
	cg_address_map_free(&space->map);
	free(space);
}

/* Is the object the one that was mapped? Warns if only its name is. */
static bool
serves(struct cg_space *space, const struct cg_elf *elf,
    const struct cg_mapping *mapping)
{
	enum cg_mapped mapped = cg_mapping_match(mapping, elf);

	if (mapped == CG_MAPPED_BUILD_ID)
		cg_warn(space->job,
		    "%s is not used: its build-id is %s, the profile has %.*s",
		    elf->path, elf->build_id, (int)mapping->build_id.len,
		    mapping->build_id.ptr);
	return mapped == CG_MAPPED;
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

/* The image is zeroed but for its path; NULL: out of memory (reported). */
static struct image *
add_image(struct cg_space *space, const struct cg_mapping *mapping)
{
	struct image *image;

	if (!cg_grow(&space->image, &space->cap, space->images + 1,
		sizeof(*image)) ||
	    !cg_address_map_add(&space->map, mapping->start, mapping->limit)) {
		space->job->errors.fault = cg_nomem(space->job);
		return NULL;
	}
	image = &space->image[space->images++];
	image->path = cg_add_name(space->build, mapping->path);
	return image;
}

uint32_t
cg_space_add(struct cg_space *space, const struct cg_mapping *mapping)
{
	struct image *image = add_image(space, mapping);

	if (!image)
		return 0;
	image->symbols = find_symbols(space, mapping);
	image->bias = cg_mapping_bias(
	    mapping, image->symbols ? cg_symbols_elf(image->symbols) : NULL);
	return (uint32_t)space->images;
}

static const struct cg_symbols *
open_paths(struct cg_space *space, const struct cg_mapping *mapping,
    const char *const *paths)
{
	struct cg_job *job = space->job;
	const struct cg_symbols *symbols;
	bool is_elf;

	for (; *paths; paths++) {
		if (cg_elffile_look(*paths, &is_elf) != CG_OK)
			job->errors.fault =
			    cg_fail(job, "cannot read %s", *paths);
		symbols = is_elf ? cg_open_symbols(job, *paths, true) : NULL;
		if (symbols && serves(space, cg_symbols_elf(symbols), mapping))
			return symbols;
	}
	return NULL;
}

uint32_t
cg_space_add_file(struct cg_space *space, struct cg_slice path,
    struct cg_slice build_id, const char *const *paths)
{
	const struct cg_mapping file = { .path = path, .build_id = build_id };
	struct image *image = add_image(space, &file);
	const struct cg_elf *elf;

	if (!image)
		return 0;
	image->symbols = find_symbols(space, &file);
	if (!image->symbols)
		image->symbols = open_paths(space, &file, paths);
	if (image->symbols) {
		elf = cg_symbols_elf(image->symbols);
		image->bias = elf->exec_offset - elf->exec_low;
	}
	return (uint32_t)space->images;
}

void
cg_space_name_unknown(struct cg_space *space, const char *name)
{
	space->unknown = name;
}

uint32_t
cg_space_find(struct cg_space *space, uint64_t addr)
{
	return cg_address_map_find(&space->map, addr);
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

/* Warns once for each mapping without symbols. */
static void
warn_missing(struct cg_space *space, uint32_t mapping)
{
	struct image *image = mapping ? &space->image[mapping - 1] : NULL;
	struct cg_slice path;

	if (!image || image->warned)
		return;
	image->warned = true;
	path = cg_get_name(space->build, image->path);
	if (path.len > 0 && *path.ptr != '[')
		cg_warn(space->job,
		    "functions of %.*s have no names; give the file with --exe",
		    (int)path.len, path.ptr);
}

/* The function at an address of which no line is known. */
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
		if (name.len == 0 && space->unknown)
			name = cg_slice(space->unknown);
		else if (name.len == 0)
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

bool
cg_space_same_function(
    struct cg_space *space, uint32_t mapping, uint64_t a, uint64_t b)
{
	const struct cg_symbols *symbols =
	    mapping ? space->image[mapping - 1].symbols : NULL;
	uint64_t bias = cg_space_bias(space, mapping);
	struct cg_function function;

	return symbols && cg_find_function(symbols, a - bias, &function) &&
	       b - bias >= function.start && b - bias < function.end;
}
