/*
 * locations.c - mappings, and the frames of locations.
 *
 * A mapping also becomes a description of the part, which the writer turns
 * back.
 */
#include <inttypes.h>
#include <stdio.h>

#include "proto.h"

/* Estimated bytes of a new frame, and bytes for the time of a known one. */
#define NEW_FRAME 64
#define KNOWN_FRAME 2

/* ---- Mappings ----------------------------------------------------------- */

/*
 * Adds a description of a mapping to the graph's part: "0x400000-0x500000 0x0
 * 0x0 - /bin/prog" (range, offset, bias, build-id, path). number: that of the
 * mapping in t->space. False: out of memory (reported).
 */
static bool
describe_mapping(
    struct proto_tables *t, const struct cg_mapping *mapping, uint32_t number)
{
	size_t room = mapping->path.len + mapping->build_id.len + 100;
	CG_ARRAY(char) text = { 0 };
	int len;

	/*
	 * A mapping with only a path becomes an object without a description.
	 */
	if (mapping->start == 0 && mapping->limit == 0 &&
	    mapping->offset == 0 && mapping->build_id.len == 0)
		return true;
	if (!cg_reserve(t->job, &text, room))
		return false;
	len = snprintf(text.at, room,
	    "0x%" PRIx64 "-0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %.*s %.*s",
	    mapping->start, mapping->limit, mapping->offset,
	    cg_space_bias(t->space, number),
	    mapping->build_id.len > 0 ? (int)mapping->build_id.len : 1,
	    mapping->build_id.len > 0 ? mapping->build_id.ptr : "-",
	    (int)mapping->path.len, mapping->path.ptr);
	cg_add_desc(t->build, cg_slice(PROTO_KEY_MAPPING),
	    (struct cg_slice){ text.at, (size_t)len });
	cg_drop(t->job, &text);
	return true;
}

uint32_t
proto_add_mapping(struct proto_tables *t, const struct cg_mapping *mapping)
{
	uint32_t number = cg_space_add(t->space, mapping);

	return number != 0 && describe_mapping(t, mapping, number) ? number : 0;
}

/* ---- Locations ---------------------------------------------------------- */

static struct proto_frame *
append_frame(struct proto_tables *t)
{
	return proto_push(t->job, &t->frames);
}

/* Returns a name made of the address in hex, for a function without a name. */
static cg_name
name_address(struct proto_tables *t, uint64_t addr)
{
	char hex[CG_NUMBER_MAX];
	char *end = cg_format_hex(hex, addr);

	return cg_add_name(
	    t->build, (struct cg_slice){ hex, (size_t)(end - hex) });
}

/*
 * Sets *name and *symbol, the linker name (0: none), of a function. A function
 * without a name gets its demangled linker name or, without that, its address
 * as name. False: an error (reported).
 */
static bool
get_names(struct proto_tables *t, const struct proto_function *function,
    uint64_t addr, cg_name *name, cg_name *symbol)
{
	if (!proto_get_name(t, function->name, name) ||
	    !proto_get_name(t, function->system_name, symbol))
		return false;
	if (*name == 0 && *symbol != 0)
		*name = cg_add_name(
		    t->build, cg_slice(cg_demangle(
				  t->job, cg_get_name(t->build, *symbol).ptr)));
	if (*name == 0)
		*name = name_address(t, addr);
	return true;
}

bool
proto_add_line(struct proto_tables *t, const struct proto_place *place,
    const struct proto_function *function, uint32_t line, bool inlined)
{
	struct proto_frame *frame = append_frame(t);
	struct cg_range range = { .first = function->start_line };
	uint64_t addr = place->addr - cg_space_bias(t->space, place->mapping);
	cg_name name, symbol;
	struct cg_slice path;

	if (place->addr == 0)
		addr = 0;
	if (!frame || !get_names(t, function, addr, &name, &symbol) ||
	    !proto_get_text(t, function->file, &path))
		return false;
	frame->inlined = inlined;
	frame->pos.addr = addr;
	frame->pos.line = line;
	frame->pos.file = cg_add_file(t->build, path);
	frame->fn = cg_add_fn_symbol(t->build, name, frame->pos.file,
	    cg_space_object(t->space, place->mapping), symbol);
	if (function->start_line != 0)
		cg_set_fn_range(t->build, frame->fn, &range);
	return true;
}

bool
proto_add_address(struct proto_tables *t, const struct proto_place *place)
{
	struct cg_stack frames[CG_FRAME_MAX];
	struct proto_frame *frame;
	size_t n =
	    cg_space_frames(t->space, place->mapping, place->addr, frames);

	for (size_t i = 0; i < n; i++) {
		frame = append_frame(t);
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
proto_expand(struct proto_tables *t, uint64_t bytes)
{
	t->expanded += bytes;
	if (!cg_is_bomb(t->expanded, cg_in_offset(t->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(t->job,
	    "expected fewer inlined frames and labels: those of the samples "
	    "would take more than %d times the size of the file",
	    CG_EXPANSION_HELD);
}

static cg_frame_id
get_frame(struct proto_tables *t, struct proto_frame *frame)
{
	if (frame->id == 0)
		frame->id = cg_get_frame(
		    t->build, frame->fn, &frame->pos, frame->inlined);
	return frame->id;
}

/*
 * Adds count frames of a location, innermost first, to *node as callees. *node
 * becomes the innermost. first: index of the first. All but one take no bytes
 * of the file, so their memory is limited. False: too many (reported).
 */
bool
proto_put_frames(
    struct proto_tables *t, uint32_t first, size_t count, cg_node *node)
{
	struct proto_frame *frame = &t->frames.at[first];
	size_t made = 0;

	for (size_t i = count; i > 0; i--) {
		*node =
		    cg_add_node(t->build, *node, get_frame(t, &frame[i - 1]));
		if (*node <= t->newest)
			continue;
		t->newest = *node;
		made++;
	}
	if (count < 2)
		return true;
	made -= made == count;
	t->made += made;
	return proto_expand(
	    t, made * NEW_FRAME + (count - 1 - made) * KNOWN_FRAME);
}

bool
proto_free_nodes(struct proto_tables *t)
{
	if (!cg_free_nodes(t->job))
		return false;
	t->expanded -= t->made * (NEW_FRAME - KNOWN_FRAME);
	t->made = 0;
	t->newest = 0;
	t->round++;
	return true;
}
