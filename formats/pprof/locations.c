/*
 * locations.c - mappings, and the frames of locations, for all formats of this
 * directory.
 *
 * A mapping also becomes a description of the part, which the writer turns
 * back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "pprof.h"

/* What a frame takes that is new, and what one costs that is not: about. */
#define NEW_FRAME 64
#define KNOWN_FRAME 2

/* ---- Mappings ----------------------------------------------------------- */

/* "0x400000-0x500000 0x0 0x0 - /bin/prog": offset, bias, build-id, path. */
static bool
describe_mapping(struct pprof_reader *r, const struct pprof_frames *f,
    const struct cg_mapping *mapping, uint32_t number)
{
	size_t room = mapping->path.len + mapping->build_id.len + 100;
	char *text;
	int len;

	/* A mapping with a path only becomes an object without description. */
	if (mapping->start == 0 && mapping->limit == 0 &&
	    mapping->offset == 0 && mapping->build_id.len == 0)
		return true;
	text = malloc(room);
	if (!text)
		return cg_reject_nomem(r->job);
	len = snprintf(text, room,
	    "0x%" PRIx64 "-0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %.*s %.*s",
	    mapping->start, mapping->limit, mapping->offset,
	    cg_space_bias(f->space, number),
	    mapping->build_id.len > 0 ? (int)mapping->build_id.len : 1,
	    mapping->build_id.len > 0 ? mapping->build_id.ptr : "-",
	    (int)mapping->path.len, mapping->path.ptr);
	cg_add_desc(r->build, cg_slice(PPROF_KEY_MAPPING),
	    (struct cg_slice){ text, (size_t)len });
	free(text);
	return true;
}

uint32_t
pprof_add_mapping(struct pprof_reader *r, struct pprof_frames *f,
    const struct cg_mapping *mapping)
{
	uint32_t number = cg_space_add(f->space, mapping);

	return number != 0 && describe_mapping(r, f, mapping, number) ? number
								      : 0;
}

/* ---- Locations ---------------------------------------------------------- */

static struct pprof_frame *
append_frame(struct pprof_reader *r, struct pprof_frames *f)
{
	return pprof_append(r, &f->list, sizeof(struct pprof_frame));
}

/* Makes a name from the address for a function without one. */
static cg_name
name_address(struct pprof_reader *r, uint64_t addr)
{
	char hex[CG_NUMBER_MAX];
	char *end = cg_format_hex(hex, addr);

	return cg_add_name(
	    r->build, (struct cg_slice){ hex, (size_t)(end - hex) });
}

/* Its name and its linker name. */
static bool
get_names(struct pprof_reader *r, const struct pprof_function *function,
    uint64_t addr, cg_name *name, cg_name *symbol)
{
	if (!pprof_get_name(r, function->name, name) ||
	    !pprof_get_name(r, function->system_name, symbol))
		return false;
	if (*name == 0 && *symbol != 0)
		*name = cg_add_name(
		    r->build, cg_slice(cg_demangle(
				  r->job, cg_get_name(r->build, *symbol).ptr)));
	if (*name == 0)
		*name = name_address(r, addr);
	return true;
}

bool
pprof_add_line(struct pprof_reader *r, struct pprof_frames *f,
    const struct pprof_place *place, const struct pprof_function *function,
    uint32_t line, bool inlined)
{
	struct pprof_frame *frame = append_frame(r, f);
	struct cg_range range = { .first = function->start_line };
	uint64_t addr = place->addr - cg_space_bias(f->space, place->mapping);
	cg_name name, symbol;
	struct cg_slice path;

	if (place->addr == 0)
		addr = 0;
	if (!frame || !get_names(r, function, addr, &name, &symbol) ||
	    !pprof_get_text(r, function->file, &path))
		return false;
	frame->inlined = inlined;
	frame->pos.addr = addr;
	frame->pos.line = line;
	frame->pos.file = cg_add_file(r->build, path);
	frame->fn = cg_add_fn_symbol(r->build, name, frame->pos.file,
	    cg_space_object(f->space, place->mapping), symbol);
	if (function->start_line != 0)
		cg_set_fn_range(r->build, frame->fn, &range);
	return true;
}

bool
pprof_add_address(struct pprof_reader *r, struct pprof_frames *f,
    const struct pprof_place *place)
{
	struct cg_stack frames[CG_FRAME_MAX];
	struct pprof_frame *frame;
	size_t n =
	    cg_space_frames(f->space, place->mapping, place->addr, frames);

	for (size_t i = 0; i < n; i++) {
		frame = append_frame(r, f);
		if (!frame)
			return false;
		frame->fn = frames[i].fn;
		frame->pos = frames[i].pos;
		frame->inlined = frames[i].inlined;
	}
	return true;
}

/* ---- Frames ------------------------------------------------------------- */

bool
pprof_expand(struct pprof_reader *r, uint64_t bytes)
{
	r->expanded += bytes;
	if (!cg_is_bomb(r->expanded, cg_in_offset(r->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(r->job,
	    "expected fewer inlined frames and labels: those of the samples "
	    "would take more than %d times the size of the file",
	    CG_EXPANSION_HELD);
}

static cg_frame_id
get_frame(struct pprof_reader *r, struct pprof_frame *frame)
{
	if (frame->id == 0)
		frame->id = cg_get_frame(
		    r->build, frame->fn, &frame->pos, frame->inlined);
	return frame->id;
}

/* The first frame is what the reference to the location stands for. */
bool
pprof_put_frames(struct pprof_reader *r, struct pprof_frame *frame,
    size_t count, cg_node *node)
{
	size_t made = 0;

	for (size_t i = count; i > 0; i--) {
		*node =
		    cg_add_node(r->build, *node, get_frame(r, &frame[i - 1]));
		if (*node <= r->newest)
			continue;
		r->newest = *node;
		made++;
	}
	if (count < 2)
		return true;
	made -= made == count;
	r->made += made;
	return pprof_expand(
	    r, made * NEW_FRAME + (count - 1 - made) * KNOWN_FRAME);
}

bool
pprof_free_nodes(struct pprof_reader *r)
{
	if (!cg_free_nodes(r->job))
		return false;
	r->expanded -= r->made * (NEW_FRAME - KNOWN_FRAME);
	r->made = 0;
	r->newest = 0;
	r->round++;
	return true;
}
