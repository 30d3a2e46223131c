/*
 * space.c - the address space of a process: turns its addresses into those in
 * object files, and into frames.
 *
 * Profiles of processes contain addresses as they were in memory. Minus the
 * bias of their mapping they are the addresses in the object file.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "symbols/elffile.h"

/* The set of addresses without a name. */
struct nameless {
	struct cg_map addrs;
	size_t count;
};

struct image {
	struct cg_mapping mapping; /* without its texts, which are these: */
	cg_name path, build_id, copy;
	uint64_t bias;  /* bias of the addresses in the graph */
	uint64_t shift; /* bias for lookups in the file */
	const struct cg_symbols *symbols; /* NULL: none were found */
	bool looked;                      /* its own file was tried, too */
	bool confined;    /* the sandbox does not allow its files */
	cg_object object; /* added on demand */
	struct nameless nameless;
};

struct cg_space {
	struct cg_job *job;
	struct cg_build *build;
	struct image *image;
	size_t images, cap;
	struct cg_address_map map; /* range i is image i */
	struct cg_map texts;       /* path -> mapping */
	const char *unknown;       /* NULL: the address */
	bool unchecked; /* names come from a file that was found only by path */
	struct nameless nameless; /* addresses in no mapping */
};

/* ---- Mappings ----------------------------------------------------------- */

/*
 * True if the ELF file at the mapped path is the one that was mapped when the
 * profile was made. Warns if its build-id shows that it is another one.
 */
static bool
serves(struct cg_space *space, const struct cg_symbols *elf,
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
		if (symbols && serves(space, symbols, mapping))
			return symbols;
	}
	return NULL;
}

/*
 * Sets what to subtract from an address of the profile in an image (mapped
 * file). Minus shift it is the address in the ELF file, minus bias that in the
 * graph. Addresses already in the graph, or from a text that places no image,
 * keep their bias.
 */
static void
set_bias(struct image *image)
{
	const struct cg_symbols *elf = image->symbols;

	if (image->mapping.from == CG_FROM_PROCESS)
		image->shift = cg_mapping_bias(&image->mapping, elf);
	else if (elf)
		image->shift = image->mapping.from == CG_FROM_LOAD
				   ? 0 - elf->load_low
				   : elf->exec_offset - elf->exec_low;
	if (image->mapping.from == CG_FROM_UNPLACED)
		return;
	/*
	 * Addresses of a process are in the graph already, with the old bias.
	 */
	if (image->mapping.from != CG_FROM_PROCESS || !image->looked)
		image->bias = image->shift;
}

uint32_t
cg_space_add(struct cg_space *space, const struct cg_mapping *mapping)
{
	struct image *image;

	if (!cg_grow(&space->image, &space->cap, space->images + 1,
		sizeof(*image)) ||
	    !cg_address_map_add(&space->map, mapping->start, mapping->limit)) {
		space->job->errors.fault = cg_nomem(space->job);
		return 0;
	}
	image = &space->image[space->images++];
	image->mapping = (struct cg_mapping){ .start = mapping->start,
		.limit = mapping->limit,
		.offset = mapping->offset,
		.from = mapping->from };
	image->path = cg_add_name(space->build, mapping->path);
	image->build_id = cg_add_name(space->build, mapping->build_id);
	image->copy = cg_add_name(
	    space->build, cg_slice(mapping->copy ? mapping->copy : ""));
	image->symbols = find_symbols(space, mapping);
	set_bias(image);
	return (uint32_t)space->images;
}

/*
 * Sets image->symbols to the symbols of the file at path, if it is an ELF file
 * and the one that was mapped. Does nothing if the image has symbols or path
 * is not absolute. Failures are reported to the job, and image->symbols stays
 * NULL, so that the caller can try another path. Sets image->confined if the
 * sandbox forbids to read the file. Sets space->unchecked if a build-id is
 * missing.
 */
static void
open_file(struct cg_space *space, struct image *image, struct cg_slice path,
    const struct cg_mapping *mapping)
{
	struct cg_job *job = space->job;
	const struct cg_symbols *symbols = NULL;
	const char *why = NULL;
	bool is_elf;

	if (image->symbols || path.len == 0 || *path.ptr != '/')
		return;
	if (cg_elffile_look(path.ptr, &is_elf, &why) != CG_OK)
		job->errors.fault = cg_fail(job, "cannot read %s: %s", path.ptr,
		    why ? why : strerror(EIO));
	image->confined |= why == cg_confined;
	if (is_elf)
		symbols = cg_open_symbols(job, path.ptr, true);
	if (symbols && serves(space, symbols, mapping))
		image->symbols = symbols;
	space->unchecked |=
	    image->symbols &&
	    (mapping->build_id.len == 0 || *image->symbols->build_id == '\0');
}

/*
 * Returns the image (mapped file) with that number; NULL for number 0, no
 * mapping. The first call for an image looks for its ELF file, unless the
 * image has symbols, the addresses come from a text, or the inputs are in
 * memory.
 */
static struct image *
get_image(struct cg_space *space, uint32_t number)
{
	struct image *image = number ? &space->image[number - 1] : NULL;
	struct cg_mapping mapping;

	if (!image || image->looked)
		return image;
	image->looked = true;
	/*
	 * Do not search files for addresses of texts: these often come from
	 * other machines, and have no build-ids.
	 */
	if (image->symbols || image->mapping.from == CG_FROM_UNPLACED ||
	    cg_companion_in_memory(space->job))
		return image;
	mapping = image->mapping;
	mapping.path = cg_get_name(space->build, image->path);
	mapping.build_id = cg_get_name(space->build, image->build_id);
	open_file(space, image, mapping.path, &mapping);
	open_file(
	    space, image, cg_get_name(space->build, image->copy), &mapping);
	set_bias(image);
	return image;
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

/*
 * Counts an address for which no name was found, for the final warning. Counts
 * each address once for each image (mapped file), and once where no file was
 * mapped (`image` is NULL).
 */
static void
note_nameless(struct cg_space *space, struct image *image, uint64_t addr)
{
	struct nameless *nameless = image ? &image->nameless : &space->nameless;
	uint32_t *known = cg_map_at(&nameless->addrs, addr);

	if (known && *known == 0) {
		*known = 1;
		nameless->count++;
	}
}

/*
 * Sets *frame to the function of the ELF symbol at an address, without a line.
 * Returns the number of frames: 1, or 0 if there is none.
 */
static size_t
find_function(
    const struct cg_symbols *symbols, uint64_t addr, struct cg_frame *frame)
{
	struct cg_function function;

	if (!cg_find_function(symbols, addr, &function))
		return 0;
	*frame =
	    (struct cg_frame){ .name = function.name, .file = function.file };
	return 1;
}

/*
 * Converts n frames found at an address, innermost first, to frames[] of the
 * graph, and adds their functions and files. All but the outermost are
 * inlined. A frame without a name is named space->unknown or, if that is NULL,
 * by its address. Returns n.
 */
static size_t
add_frames(struct cg_space *space, uint32_t mapping, uint64_t addr,
    const struct cg_frame *found, size_t n, struct cg_stack *frames)
{
	cg_object object = cg_space_object(space, mapping);
	char hex[CG_NUMBER_MAX];

	addr -= cg_space_bias(space, mapping);
	for (size_t i = 0; i < n; i++) {
		cg_file file =
		    cg_add_file(space->build, cg_slice(found[i].file));
		struct cg_slice name = cg_slice(found[i].name);

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

/*
 * Sets *in_file to the address in the ELF file for an address that a text
 * states. In executables that are not relocated, it may be an offset in the
 * file instead. False: both readings have a symbol, so neither is certain.
 */
static bool
find_in_file(const struct image *image, uint64_t addr, uint64_t *in_file)
{
	struct cg_function function;

	*in_file = addr - image->shift;
	if (image->mapping.from != CG_FROM_UNPLACED ||
	    image->symbols->type != ET_EXEC ||
	    !cg_find_function(image->symbols, addr, &function))
		return true;
	if (cg_find_function(image->symbols, *in_file, &function))
		return false;
	*in_file = addr;
	return true;
}

size_t
cg_space_symbols(struct cg_space *space, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX])
{
	struct image *image = space ? get_image(space, mapping) : NULL;
	const struct cg_symbols *symbols = image ? image->symbols : NULL;
	struct cg_frame found[CG_FRAME_MAX];
	uint64_t in_file;
	size_t n = 0;

	if (!space)
		return 0;
	if (symbols && find_in_file(image, addr, &in_file)) {
		n = cg_find_frames(symbols, in_file, found);
		if (n == 0)
			n = find_function(symbols, in_file, found);
	}
	if (n == 0 || *found[n - 1].name == '\0')
		note_nameless(space, image, addr);
	return add_frames(space, mapping, addr, found, n, frames);
}

size_t
cg_space_frames(struct cg_space *space, uint32_t mapping, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX])
{
	static const struct cg_frame none = { .name = "", .file = "" };
	size_t n = cg_space_symbols(space, mapping, addr, frames);

	return n > 0 ? n : add_frames(space, mapping, addr, &none, 1, frames);
}

/*
 * Returns the number of the mapping that stands for a file named in a text
 * profile, added if it is new; 0: out of memory (reported).
 */
static uint32_t
find_text(struct cg_space *space, struct cg_slice path)
{
	const struct cg_mapping mapping = { .path = path,
		.from = CG_FROM_UNPLACED };
	uint32_t *known =
	    cg_map_at(&space->texts, cg_add_name(space->build, path));

	if (!known) {
		space->job->errors.fault = cg_nomem(space->job);
		return 0;
	}
	if (*known == 0)
		*known = cg_space_add(space, &mapping);
	return *known;
}

size_t
cg_space_text(struct cg_space *space, struct cg_slice path, uint64_t addr,
    struct cg_stack frames[CG_FRAME_MAX])
{
	uint32_t mapping = path.len > 0 ? find_text(space, path) : 0;

	return cg_space_symbols(space, mapping, addr, frames);
}

uint64_t
cg_space_text_addr(struct cg_space *space, struct cg_slice path, uint64_t addr)
{
	uint32_t mapping = space && path.len > 0 ? find_text(space, path) : 0;
	const struct image *image = space ? get_image(space, mapping) : NULL;
	uint64_t in_file;

	return image && image->symbols && find_in_file(image, addr, &in_file)
		   ? in_file
		   : addr;
}

bool
cg_space_same_function(
    struct cg_space *space, uint32_t mapping, uint64_t a, uint64_t b)
{
	const struct image *image = get_image(space, mapping);
	struct cg_function function;

	if (!image || !image->symbols)
		return false;
	a -= image->shift;
	b -= image->shift;
	return cg_find_function(image->symbols, a, &function) &&
	       b >= function.start && b < function.end;
}

const struct cg_frame_rules *
cg_space_rules(struct cg_space *space, uint32_t mapping, uint64_t addr)
{
	const struct image *image = get_image(space, mapping);

	if (!image || !image->symbols)
		return cg_rules_by_fp();
	return cg_symbols_rules(image->symbols, addr - image->shift);
}

/* ---- Addresses without names -------------------------------------------- */

/*
 * True if the mapping has addresses without names, and its ELF file, which was
 * not found, would have the names. False for "[kernel]", "//anon" and the
 * like, which are no files.
 */
static bool
lacks_file(const struct cg_space *space, const struct image *image)
{
	struct cg_slice path = cg_get_name(space->build, image->path);

	return image->nameless.count > 0 && !image->symbols && path.len > 0 &&
	       *path.ptr != '[' && !cg_starts(path, "//");
}

/*
 * Writes which ELF files are missing into text, for a warning: "/bin/prog and
 * 2 other files". Returns their number; 0: text is unchanged. Sets *confined
 * if a sandbox forbids to open one, else leaves it.
 */
static size_t
list_files(
    const struct cg_space *space, char *text, size_t size, bool *confined)
{
	struct cg_map known = { 0 };
	struct cg_slice path = { "", 0 };
	size_t files = 0;

	for (size_t i = 0; i < space->images; i++) {
		const struct image *image = &space->image[i];
		uint32_t *seen;

		if (!lacks_file(space, image))
			continue;
		*confined |= image->confined;
		seen = cg_map_at(&known, image->path);
		if (!seen || *seen != 0)
			continue;
		*seen = 1;
		if (files++ == 0)
			path = cg_get_name(space->build, image->path);
	}
	cg_map_free(&known);
	if (files == 0)
		return 0;
	snprintf(text, size, files == 1 ? "%.*s" : "%.*s and %zu other files",
	    (int)path.len, path.ptr, files - 1);
	return files;
}

/*
 * Warns once about all addresses without names, with their number and the
 * files that would have the names; also notes if names come from files that no
 * build-id confirms.
 */
static void
report(const struct cg_space *space)
{
	size_t count = space->nameless.count, files;
	bool confined = false;
	char text[1024];

	if (space->unchecked)
		cg_note(space->job,
		    "names come from files that are now at the mapped paths: "
		    "there are no build-ids to check them by");
	for (size_t i = 0; i < space->images; i++)
		count += space->image[i].nameless.count;
	if (count == 0 || cg_rejected(space->job) != CG_OK)
		return;
	files = list_files(space, text, sizeof(text), &confined);
	if (files == 0)
		cg_warn(space->job,
		    "addresses without a name: %zu; no symbols are known there",
		    count);
	else
		cg_warn(space->job,
		    confined
			? "addresses without a name: %zu; the sandbox does not "
			  "allow their files ({no-sandbox}): give %s with {exe}"
			: "addresses without a name: %zu; give %s with {exe}",
		    count, text);
}

void
cg_space_free(struct cg_space *space)
{
	struct cg_job *job;

	if (!space)
		return;
	job = space->job;
	report(space);
	for (size_t i = 0; i < space->images; i++)
		cg_map_free(&space->image[i].nameless.addrs);
	cg_map_free(&space->nameless.addrs);
	cg_map_free(&space->texts);
	free(space->image);
	cg_address_map_free(&space->map);
	*space = (struct cg_space){ .job = job };
}

static void
end(void *space)
{
	cg_space_free(space);
}

struct cg_space *
cg_space_new(struct cg_job *job, struct cg_build *build)
{
	struct cg_space *space = cg_alloc(job, sizeof(*space));

	if (!space)
		return NULL;
	*space = (struct cg_space){ .job = job, .build = build };
	return cg_at_end(job, end, space) ? space : NULL;
}
