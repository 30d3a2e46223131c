/*
 * places.c - maps an address of a process to functions: its mapping leads to
 * an object file, whose symbols lead to functions. Each address is looked up
 * once.
 *
 * Source: util/map.c and util/event.c of perf 6.1. As in perf, the function of
 * an address is looked up by that address, even if it is a return address. But
 * its line, and the functions inlined there, are those of the call.
 */
#include <stdio.h>
#include <string.h>

#include "perf_data.h"

#define PATH_ROOM 4096

uint32_t
perf_places_object(
    struct perf_places *places, struct cg_slice path, cg_name build_id)
{
	cg_name name = cg_add_name(places->file->build, path);
	uint32_t *id =
	    cg_map_at(&places->by_name, (uint64_t)build_id << 32 | name);
	struct perf_object *object;

	if (!id) {
		(void)cg_reject_nomem(places->file->job);
		return 0;
	}
	if (*id == 0) {
		object = cg_push(places->file->job, &places->object);
		if (!object)
			return 0;
		object->path = name;
		object->build_id = build_id;
		*id = (uint32_t)places->object.n;
	}
	return *id;
}

/* ---- Files -------------------------------------------------------------- */

/*
 * Formats a path in perf's cache into buf, and returns it. perf record keeps a
 * directory for each build-id there, see perf-buildid-cache(1). "file" is a
 * name in this directory, such as "elf" for the copy of the executable. The
 * file may not exist. NULL: no --buildid-dir, no build-id, or the path is too
 * long.
 */
static const char *
cached(struct perf_places *places, cg_name build_id, const char *file,
    char buf[PATH_ROOM])
{
	const char *dir = cg_opt(places->file->job, "buildid-dir");
	struct cg_slice id = cg_get_name(places->file->build, build_id);

	if (!dir || id.len < 3 || strlen(dir) + id.len + 32 > PATH_ROOM)
		return NULL;
	snprintf(buf, PATH_ROOM, "%s/.build-id/%.2s/%.*s/%s", dir, id.ptr,
	    (int)id.len - 2, id.ptr + 2, file);
	return buf;
}

/*
 * Adds the object to the address space, and sets object->mapping to its number
 * there. The number is 0 if memory runs out (reported). The address space
 * opens the object's file, or the copy in perf's cache, only when a symbol of
 * it is needed.
 */
static void
open_object(struct perf_places *places, struct perf_object *object)
{
	struct cg_build *build = places->file->build;
	struct cg_slice id = cg_get_name(build, object->build_id);
	struct cg_slice path = cg_get_name(build, object->path);
	struct cg_mapping mapping = {
		.path = path, .build_id = id, .from = CG_FROM_FILE
	};
	char buf[PATH_ROOM];

	if (path.len > 0 && *path.ptr == '/')
		mapping.copy = cached(places, object->build_id, "elf", buf);
	else if (cg_equal(path, "[vdso]"))
		mapping.copy = cached(places, object->build_id, "vdso", buf);
	object->mapping = cg_space_add(places->space, &mapping);
}

/* ---- Places ------------------------------------------------------------- */

/*
 * Appends the frames at an address of a mapping to places->frame, the
 * outermost first. There are several if functions are inlined there. "call"
 * tells that the address is a return address. Then the byte before it, in the
 * call, decides on lines and inlined functions. That byte is not used if it is
 * in another function. The frames get addresses only if places->addresses is
 * set. False: out of memory (reported).
 */
static bool
add_user(struct perf_places *places, uint32_t mapping, uint64_t addr, bool call)
{
	struct cg_stack stack[CG_FRAME_MAX];
	struct perf_frame *frame;
	size_t n;

	call = call &&
	       cg_space_same_function(places->space, mapping, addr, addr - 1);
	n = cg_space_frames(places->space, mapping, addr - call, stack);
	while (n-- > 0) {
		frame = cg_push(places->file->job, &places->frame);
		if (!frame)
			return false;
		*frame = (struct perf_frame){ stack[n].fn, stack[n].pos,
			stack[n].inlined };
		frame->pos.addr =
		    places->addresses ? frame->pos.addr + call : 0;
	}
	return true;
}

/*
 * Reads the symbols of an object that is memory with code compiled at run
 * time. Reads them from a file into object->jit, at the first call only. Does
 * nothing for other objects. False: out of memory (reported).
 */
static bool
open_jit(struct perf_places *places, struct perf_object *object)
{
	struct perf_file *f = places->file;
	struct cg_slice path = cg_get_name(f->build, object->path);

	if (object->jit || !perf_jit_is_map(path))
		return true;
	object->jit = cg_alloc(f->job, sizeof(*object->jit));
	return object->jit && perf_jit_open(object->jit, f, path);
}

/*
 * Appends a frame for an address of code compiled at run time to
 * places->frame. The frame has the function of the symbol at that address.
 * Sets *known to false and appends nothing if there is no symbol, else sets it
 * to true. False: out of memory (reported).
 */
static bool
add_jit(struct perf_places *places, struct perf_object *object, uint64_t addr,
    bool *known)
{
	struct cg_build *build = places->file->build;
	const struct perf_jit_symbol *symbol =
	    object->jit ? perf_jit_find(object->jit, addr) : NULL;

	*known = symbol != NULL;
	return !symbol || cg_append(places->file->job, &places->frame,
			      (struct perf_frame){
				  .fn = cg_add_fn(build, symbol->name, 0,
				      cg_add_object(build,
					  cg_get_name(build, object->path))),
				  .pos.addr = places->addresses ? addr : 0 });
}

static bool
begins_at(const struct perf_kallsyms *kallsyms, uint64_t addr)
{
	const struct perf_kallsym *symbol = perf_kallsyms_find(kallsyms, addr);

	return symbol && symbol->addr == addr;
}

/*
 * Reads symbols of the kernel with the build-id places->kernel_id into
 * places->kallsyms. Reads them from perf's cache. Each boot may load the
 * kernel to another address. So they are used only if a symbol begins at the
 * recorded address (places->kernel_addr). If not, reads the symbols of the
 * running kernel, if it has that build-id. If no symbol of it begins at the
 * recorded address either, there are no symbols. Clears places->kernel_id, so
 * that no later call tries again. False: an error (reported).
 */
static bool
load_kernel(struct perf_places *places)
{
	struct perf_kallsyms *kallsyms = &places->kallsyms;
	struct cg_job *job = places->file->job;
	const cg_name id = places->kernel_id;
	char buf[PATH_ROOM];
	const char *path = cached(places, id, "kallsyms", buf);

	places->kernel_id = 0;
	places->kernel_asked = true;
	if (path && cg_companion_exists(job, path) &&
	    !perf_kallsyms_open(kallsyms, job, path, false))
		return false;
	/* Each boot may load the kernel to another address. */
	if (begins_at(kallsyms, places->kernel_addr))
		return true;
	kallsyms->symbol.n = 0;
	if (!perf_kallsyms_open_own(kallsyms, places->file, id))
		return false;
	if (!begins_at(kallsyms, places->kernel_addr))
		kallsyms->symbol.n = 0;
	return true;
}

static bool
add_kernel(struct perf_places *places, uint64_t addr)
{
	const struct perf_kallsym *symbol =
	    perf_kallsyms_find(&places->kallsyms, addr);
	struct cg_build *build = places->file->build;
	struct perf_frame *frame = cg_push(places->file->job, &places->frame);
	struct cg_slice object = cg_slice(PERF_KERNEL);

	if (!frame)
		return false;
	places->nameless += !symbol;
	if (symbol && symbol->module.len > 0)
		object = symbol->module;
	*frame = (struct perf_frame){ .fn = cg_add_fn(build,
					  symbol ? symbol->name
						 : cg_slice(PERF_UNKNOWN),
					  0, cg_add_object(build, object)),
		.pos.addr = places->addresses ? addr : 0 };
	return true;
}

/*
 * Appends a frame for an address in a module of the kernel to places->frame.
 * The kernel's symbols, which include those of modules, name its function. If
 * none were read, appends an unknown function of the module, and counts it in
 * places->nameless. False: out of memory (reported).
 */
static bool
add_module(
    struct perf_places *places, struct perf_object *object, uint64_t addr)
{
	struct cg_build *build = places->file->build;
	struct perf_frame *frame;

	if (places->kallsyms.symbol.n > 0)
		return add_kernel(places, addr);
	frame = cg_push(places->file->job, &places->frame);
	if (!frame)
		return false;
	places->nameless++;
	*frame = (struct perf_frame){
		.fn = cg_add_fn(build, cg_slice(PERF_UNKNOWN), 0,
		    cg_add_object(build, cg_get_name(build, object->path))),
		.pos.addr = places->addresses ? addr : 0
	};
	return true;
}

/*
 * Returns the number of the object's mapping in the address space; adds the
 * mapping the first time. 0: out of memory (reported).
 */
static uint32_t
get_mapping(struct perf_places *places, struct perf_object *object)
{
	if (object->mapping == 0)
		open_object(places, object);
	return object->mapping;
}

static bool
add_frames(struct perf_places *places, struct perf_object *object,
    const struct perf_map *map, const struct perf_place_key *key)
{
	uint64_t ip = key->ip;
	bool known;

	if (key->kernel && places->kernel_id != 0 && !load_kernel(places))
		return false;
	if (key->kernel)
		return map ? add_module(places, object, ip)
			   : add_kernel(places, ip);
	if (!map)
		return add_user(places, 0, ip, false);
	if (!open_jit(places, object) || !add_jit(places, object, ip, &known))
		return false;
	return known || (get_mapping(places, object) != 0 &&
			    add_user(places, object->mapping,
				ip - map->start + map->offset, key->call));
}

/*
 * Returns the key by which the frames at an address of an object are cached.
 * The key is the address, shifted by 1. Its lowest bit distinguishes return
 * addresses ("call"). The address's highest bit goes there, too. Only the
 * kernel's addresses have that bit, so keys of one object differ.
 */
static uint64_t
number_of(uint64_t addr, bool call)
{
	return (addr << 1 | addr >> 63) ^ call;
}

const struct perf_place *
perf_places_find(struct perf_places *places, const struct perf_place_key *key)
{
	const struct perf_map *map =
	    key->maps ? perf_maps_find(key->maps, key->ip) : NULL;
	uint64_t addr = map ? key->ip - map->start + map->offset : key->ip;
	/* Object 1 is the kernel, 2 is unknown. */
	uint32_t number = map ? map->object : key->kernel ? 1 : 2;
	struct perf_object *object = &places->object.at[number - 1];
	struct perf_place *place;
	uint32_t *id;

	id = cg_map_at(&object->places, number_of(addr, key->call));
	if (id && *id)
		return &places->place.at[*id - 1];
	if (!id) {
		(void)cg_reject_nomem(places->file->job);
		return NULL;
	}
	place = cg_push(places->file->job, &places->place);
	if (!place)
		return NULL;
	*id = (uint32_t)places->place.n;
	place->first = (uint32_t)places->frame.n;
	if (!add_frames(places, object, map, key))
		return NULL;
	place->count = (uint32_t)places->frame.n - place->first;
	return place;
}

const struct cg_frame_rules *
perf_places_rules(
    struct perf_places *places, const struct perf_maps *maps, uint64_t ip)
{
	const struct perf_map *map = maps ? perf_maps_find(maps, ip) : NULL;
	uint32_t mapping =
	    map ? get_mapping(places, &places->object.at[map->object - 1]) : 0;

	return cg_space_rules(
	    places->space, mapping, map ? ip - map->start + map->offset : ip);
}

/* ---- All of them -------------------------------------------------------- */

void
perf_places_check_kernel(
    struct perf_places *places, uint64_t addr, cg_name build_id)
{
	struct perf_kallsyms *kallsyms = &places->kallsyms;

	const char *given = cg_opt(places->file->job, "kallsyms");

	if (begins_at(kallsyms, addr))
		return;
	if (!given && !places->kernel_asked) {
		places->kernel_id = build_id;
		places->kernel_addr = addr;
	}
	if (given && kallsyms->symbol.n > 0)
		cg_warn(places->file->job,
		    "%s is not used: the recorded kernel was loaded to another "
		    "address",
		    given);
	kallsyms->symbol.n = 0;
}

bool
perf_places_open(struct perf_places *places, struct perf_file *file)
{
	const char *kallsyms = cg_opt(file->job, "kallsyms");

	*places = (struct perf_places){ .file = file,
		.addresses = cg_opt_flag(file->job, "addresses") };
	places->space = cg_space_new(file->job, file->build);
	if (!places->space)
		return false;
	cg_space_name_unknown(places->space, PERF_UNKNOWN);
	return perf_places_object(places, cg_slice(PERF_KERNEL), 0) == 1 &&
	       perf_places_object(places, cg_slice(""), 0) == 2 &&
	       (!kallsyms || perf_kallsyms_open(
				 &places->kallsyms, file->job, kallsyms, true));
}

void
perf_places_close(struct perf_places *places)
{
	for (size_t i = 0; i < places->object.n; i++)
		cg_map_free(&places->object.at[i].places);
	cg_map_free(&places->by_name);
}
