/*
 * functions.c - which function, and which line, an address is in.
 *
 * Three sources: the symbols of the program and of libraries; GNU gprof's
 * idea of them (--gprof-compat); and without symbols the addresses where
 * functions were entered, of which each is taken to reach to the next.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gprof.h"

#define NONE SIZE_MAX

/* A function before it has been added to the graph. */
struct found {
	uint64_t start, end;
	const struct gmon_image *image;
	const char *name, *file;
	uint32_t line;
};

/* Where functions were entered: what is known of them without symbols. */
static bool
list_entries(struct gmon_funcs *funcs, const struct gmon *gmon)
{
	struct gmon_place place = { 0 };
	struct gmon_arc arc;
	size_t n = 0;

	funcs->entry = calloc(gmon->arcs + 1, sizeof(*funcs->entry));
	if (!funcs->entry)
		return false;
	while (gprof_next_arc(gmon, &place, &arc))
		funcs->entry[n++] = arc.self;
	funcs->entries = gprof_make_distinct(funcs->entry, n);
	return true;
}

int
gprof_funcs_open(struct gmon_funcs *funcs, struct cg_job *job,
    struct cg_build *build, const struct gmon *gmon,
    const struct gmon_images *images)
{
	*funcs = (struct gmon_funcs){ .job = job,
		.build = build,
		.images = images,
		.last = { NONE, NONE } };
	if (images->count == 0 || images->image[0].elf->symbol_count == 0)
		return list_entries(funcs, gmon) ? CG_OK : cg_nomem(job);
	if (!cg_opt_flag(job, "gprof-compat"))
		return CG_OK;
	funcs->compat = true;
	return gprof_gnu_symbols(job, images->image[0].symbols, &funcs->gnu);
}

void
gprof_funcs_close(struct gmon_funcs *funcs)
{
	free(funcs->gnu.at);
	free(funcs->entry);
	free(funcs->func);
	cg_map_free(&funcs->by_start);
	cg_map_free(&funcs->by_entry);
}

/* ---- Functions that are in the graph ------------------------------------ */

/*
 * A function's place in the table is looked up by an address: cg_map keeps
 * neighbours together that differ in the lowest bits, and in addresses of
 * functions those are mostly 0.
 */
static uint64_t
key_of(uint64_t addr)
{
	return addr >> 4 | addr << 60;
}

static void
remember(struct gmon_funcs *funcs, size_t i)
{
	if (funcs->last[0] == i)
		return;
	funcs->last[1] = funcs->last[0];
	funcs->last[0] = i;
}

static const struct gmon_func *
add_func(struct gmon_funcs *funcs, const struct found *found)
{
	struct cg_build *build = funcs->build;
	struct gmon_func *func;
	struct cg_range range = { 0 };
	cg_object object = 0;
	uint64_t base = 0;
	uint32_t *index;

	index = cg_map_at(&funcs->by_start, key_of(found->start));
	if (!index || funcs->count == UINT32_MAX / 2 ||
	    !cg_grow_raw(&funcs->func, &funcs->cap, funcs->count + 1,
		sizeof(*funcs->func))) {
		funcs->status = cg_nomem(funcs->job);
		return NULL;
	}
	*index = (uint32_t)funcs->count + 1;
	func = &funcs->func[funcs->count];
	remember(funcs, funcs->count++);
	*func = (struct gmon_func){ .start = found->start,
		.end = found->end,
		.image = found->image,
		.line = found->line,
		.overhead = gprof_is_overhead(found->name) };
	if (found->image) {
		object =
		    cg_add_object(build, cg_slice(found->image->elf->path));
		base = found->image->base;
	}
	func->file = cg_add_file(build, cg_slice(found->file));
	func->fn = cg_add_fn(build, cg_slice(found->name), func->file, object);
	range.first = found->line;
	range.addr = found->start - base;
	cg_set_fn_range(build, func->fn, &range);
	return func;
}

/* The function that begins there, NULL if it has not been added. */
static const struct gmon_func *
get_known(struct gmon_funcs *funcs, uint64_t start)
{
	uint32_t i = cg_map_get(&funcs->by_start, key_of(start));

	if (i == 0)
		return NULL;
	remember(funcs, i - 1);
	return &funcs->func[i - 1];
}

/* The function that was found, added if it is new. */
static const struct gmon_func *
get_func(struct gmon_funcs *funcs, const struct found *found)
{
	const struct gmon_func *func = get_known(funcs, found->start);

	return func ? func : add_func(funcs, found);
}

/* ---- Functions at addresses --------------------------------------------- */

const struct gmon_image *
gprof_image_at(const struct gmon_images *images, uint64_t addr)
{
	for (size_t i = 0; i < images->count; i++) {
		const struct gmon_image *image = &images->image[i];

		if (addr >= image->low && addr < image->high)
			return image;
	}
	return NULL;
}

static const struct gmon_func *
get_gnu(struct gmon_funcs *funcs, uint64_t addr)
{
	const struct gmon_image *image = &funcs->images->image[0];
	size_t i = gprof_gnu_find(&funcs->gnu, addr);
	const struct gmon_symbol *symbol;
	const struct gmon_func *func;
	struct cg_function fn;
	struct found found;

	if (i == NONE)
		return NULL;
	symbol = &funcs->gnu.at[i];
	func = get_known(funcs, symbol->addr);
	if (func)
		return func;
	found = (struct found){ .start = symbol->addr,
		.end = symbol->end,
		.image = image,
		.name = cg_demangle(funcs->job, symbol->name),
		.file = "" };
	if (!found.name) {
		funcs->status = cg_nomem(funcs->job);
		return NULL;
	}
	if (cg_find_function(image->symbols, symbol->addr, &fn) &&
	    fn.start == symbol->addr) {
		found.file = fn.file;
		found.line = fn.line;
	}
	return add_func(funcs, &found);
}

static bool
find_symbol(struct gmon_funcs *funcs, uint64_t addr, struct found *found)
{
	const struct gmon_image *image = gprof_image_at(funcs->images, addr);
	struct cg_function fn;

	if (!image ||
	    !cg_find_function(image->symbols, addr - image->base, &fn))
		return false;
	*found = (struct found){ .start = fn.start + image->base,
		.end = fn.end + image->base,
		.image = image,
		.name = fn.name,
		.file = fn.file,
		.line = fn.line };
	return true;
}

/* The name of what has none: its address in the object. */
static void
put_address(
    const struct gmon_funcs *funcs, char name[CG_NUMBER_MAX + 1], uint64_t addr)
{
	const struct gmon_image *image = gprof_image_at(funcs->images, addr);

	*cg_format_hex(name, addr - (image ? image->base : 0)) = '\0';
}

/* The last place of an entry at addr or before. */
static bool
find_entry(struct gmon_funcs *funcs, uint64_t addr, struct found *found,
    char name[CG_NUMBER_MAX + 1])
{
	size_t low = 0, high = funcs->entries;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (funcs->entry[middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return false;
	*found = (struct found){ .start = funcs->entry[low - 1],
		.end = low < funcs->entries ? funcs->entry[low] : UINT64_MAX,
		.image = gprof_image_at(funcs->images, addr),
		.name = name,
		.file = "" };
	put_address(funcs, name, found->start);
	return true;
}

const struct gmon_func *
gprof_func_at(struct gmon_funcs *funcs, uint64_t addr)
{
	char name[CG_NUMBER_MAX + 1];
	struct found found;
	bool ok;

	for (size_t i = 0; i < 2 && funcs->last[i] != NONE; i++) {
		const struct gmon_func *func = &funcs->func[funcs->last[i]];

		if (addr >= func->start && addr < func->end) {
			remember(funcs, funcs->last[i]);
			return func;
		}
	}
	if (funcs->status != CG_OK)
		return NULL;
	if (funcs->compat)
		return get_gnu(funcs, addr);
	ok = find_symbol(funcs, addr, &found) ||
	     find_entry(funcs, addr, &found, name);
	return ok ? get_func(funcs, &found) : NULL;
}

const struct gmon_func *
gprof_any_func(struct gmon_funcs *funcs, uint64_t addr)
{
	const struct gmon_func *func = gprof_func_at(funcs, addr);
	char name[CG_NUMBER_MAX + 1];
	struct found found = {
		.start = addr, .end = addr, .name = name, .file = ""
	};

	if (func || funcs->status != CG_OK)
		return func;
	found.image = gprof_image_at(funcs->images, addr);
	put_address(funcs, name, addr);
	return get_func(funcs, &found);
}

/*
 * A program has far more calls than functions, and most calls of a function
 * enter it at one address: to find that is cheaper than to find its function.
 */
const struct gmon_func *
gprof_entered_func(struct gmon_funcs *funcs, uint64_t addr)
{
	uint32_t i = cg_map_get(&funcs->by_entry, key_of(addr));
	const struct gmon_func *func;
	uint32_t *index;

	if (i != 0) {
		remember(funcs, i - 1);
		return &funcs->func[i - 1];
	}
	func = gprof_any_func(funcs, addr);
	if (!func)
		return NULL;
	index = cg_map_at(&funcs->by_entry, key_of(addr));
	if (!index) {
		funcs->status = cg_nomem(funcs->job);
		return NULL;
	}
	*index = (uint32_t)(func - funcs->func) + 1;
	return func;
}

void
gprof_fetch_entered(const struct gmon_funcs *funcs, uint64_t addr)
{
	cg_map_fetch(&funcs->by_entry, key_of(addr));
}

/* ---- Lines -------------------------------------------------------------- */

const struct gmon_line *
gprof_line_at(struct gmon_funcs *funcs, uint64_t addr)
{
	const struct gmon_image *image;
	struct gmon_line *line = &funcs->line;
	const char *file;

	if (addr >= line->low && addr < line->high)
		return line;
	*line = (struct gmon_line){ .low = addr, .high = addr + 1 };
	image = gprof_image_at(funcs->images, addr);
	if (!image || !cg_find_line(image->symbols, addr - image->base, &file,
			  &line->line, &line->low, &line->high)) {
		line->line = 0;
		return line;
	}
	line->low += image->base;
	line->high += image->base;
	line->file = cg_add_file(funcs->build, cg_slice(file));
	return line;
}
