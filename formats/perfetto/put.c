/*
 * put.c - writes packets, and puts entries into the tables of the sequence:
 * texts, mappings, frames and stacks.
 */
#include <stdlib.h>
#include <string.h>

#include "write.h"

#define UNKNOWN "[unknown]"
#define SEQUENCE 1

/* ---- Packets ------------------------------------------------------------ */

void
perfetto_put_value(struct perfetto_writer *w, struct proto_bytes *to,
    unsigned field, uint64_t value)
{
	proto_put_varint(&w->p, to, field << 3 | WIRE_VARINT);
	proto_put_varint(&w->p, to, value);
}

void
perfetto_put_text(struct perfetto_writer *w, struct proto_bytes *to,
    unsigned field, struct cg_slice text)
{
	proto_put_varint(&w->p, to, field << 3 | WIRE_BYTES);
	proto_put_varint(&w->p, to, text.len);
	proto_put_slice(&w->p, to, text);
}

void
perfetto_write_packet(struct perfetto_writer *w, const int64_t *time,
    unsigned flags, unsigned field, const struct proto_bytes *message)
{
	struct proto_bytes *packet = &w->packet;

	packet->n = 0;
	if (time)
		perfetto_put_value(
		    w, packet, PACKET_TIMESTAMP, (uint64_t)(*time + w->shift));
	perfetto_put_value(w, packet, PACKET_SEQUENCE, SEQUENCE);
	perfetto_put_value(w, packet, PACKET_FLAGS, flags);
	if (w->interned.n > 0)
		proto_put_bytes(&w->p, packet, PACKET_INTERNED, &w->interned);
	w->interned.n = 0;
	proto_put_bytes(&w->p, packet, field, message);
	if (cg_rejected(w->p.job) == CG_OK)
		proto_write_bytes(&w->p, TRACE_PACKET,
		    (struct cg_slice){ packet->at, packet->n });
}

/* ---- Tables ------------------------------------------------------------- */

/*
 * Appends a text with the id iid to a table in w->interned, the entries that
 * the next packet will define.
 */
static void
intern_text(struct perfetto_writer *w, unsigned table, uint64_t iid,
    struct cg_slice text)
{
	struct proto_bytes *entry = &w->entry;

	entry->n = 0;
	perfetto_put_value(w, entry, INTERNED_IID, iid);
	perfetto_put_text(w, entry, INTERNED_TEXT, text);
	proto_put_bytes(&w->p, &w->interned, table, entry);
}

/*
 * Appends an object's build-id to the table of build-ids in w->interned, with
 * the id "iid". The graph has the build-id in hex digits, the table in bytes.
 * False, and nothing is appended: there is no build-id, or it is malformed or
 * longer than 64 bytes.
 */
static bool
intern_build_id(struct perfetto_writer *w, cg_object object, uint32_t iid)
{
	const struct proto_out_mapping *mapping = w->p.mappings.at;
	struct cg_slice hex = { "", 0 };
	char bytes[64];
	size_t n;

	for (size_t i = 0; i < w->p.mappings.n && hex.len == 0; i++)
		if (mapping[i].object == object)
			hex = mapping[i].build_id;
	n = hex.len / 2;
	if (n == 0 || hex.len % 2 != 0 || n > sizeof(bytes))
		return false;
	for (size_t i = 0; i < n; i++) {
		const char digits[] = { hex.ptr[2 * i], hex.ptr[2 * i + 1],
			'\0' };
		char *end;

		bytes[i] = (char)strtoul(digits, &end, 16);
		if (*end != '\0')
			return false;
	}
	intern_text(w, INTERNED_BUILD_IDS, iid, (struct cg_slice){ bytes, n });
	return true;
}

/*
 * Returns the number (iid) of the mapping of an object. The first time,
 * appends the mapping to w->interned. Appends the object's path and build-id
 * as well, each if it is known. The mapping, the path and the build-id have
 * the same number, each in its own table.
 */
static uint32_t
intern_object(struct perfetto_writer *w, cg_object object)
{
	struct cg_slice path = cg_object_path(w->graph, object);
	struct proto_bytes *entry = &w->entry;
	uint32_t iid = w->object[object];
	bool built;

	if (iid != 0)
		return iid;
	if (cg_equal(path, KERNEL_OBJECT))
		path = cg_slice(KERNEL_PATH);
	iid = w->object[object] = ++w->objects;
	built = intern_build_id(w, object, iid);
	if (path.len > 0)
		intern_text(w, INTERNED_PATHS, iid, path);
	entry->n = 0;
	perfetto_put_value(w, entry, INTERNED_IID, iid);
	if (built)
		perfetto_put_value(w, entry, OUT_MAPPING_BUILD_ID, iid);
	if (path.len > 0)
		perfetto_put_value(w, entry, OUT_MAPPING_PATH, iid);
	proto_put_bytes(&w->p, &w->interned, INTERNED_MAPPINGS, entry);
	return iid;
}

uint32_t
perfetto_intern_name(struct perfetto_writer *w, unsigned table, cg_fn fn)
{
	bool event = table == INTERNED_EVENTS;
	struct cg_slice name = cg_fn_name(w->graph, fn);
	uint32_t *iid = cg_map_in(w->p.job, event ? &w->name : &w->function,
	    (uint64_t)(uintptr_t)name.ptr);

	if (!iid)
		return 0;
	if (*iid == 0) {
		*iid = event ? ++w->names : ++w->functions;
		intern_text(
		    w, table, *iid, name.len > 0 ? name : cg_slice(UNKNOWN));
	}
	return *iid;
}

/*
 * Returns the number (iid) of a source file. The first time, appends the file
 * to w->interned. 0: file 0, no file.
 */
static uint32_t
intern_file(struct perfetto_writer *w, cg_file file)
{
	if (file != 0 && w->file[file] == 0) {
		w->file[file] = ++w->files;
		intern_text(w, INTERNED_SOURCES, w->file[file],
		    cg_file_path(w->graph, file));
	}
	return file ? w->file[file] : 0;
}

static void
intern_frame(struct perfetto_writer *w, uint32_t number)
{
	const struct proto_out_frame *frame =
	    (const struct proto_out_frame *)w->p.frames.at + number - 1;
	const struct proto_out_function *function = w->p.functions.at;
	struct proto_bytes *entry = &w->entry;
	uint32_t name = 0, file = 0, mapping = 0;

	if (w->frame[number] != 0)
		return;
	w->frame[number] = ++w->frames;
	if (frame->function != 0) {
		function += frame->function - 1;
		name =
		    perfetto_intern_name(w, INTERNED_FUNCTIONS, function->fn);
		file = intern_file(w, function->file);
	}
	if (frame->object != 0 || frame->addr != 0)
		mapping = intern_object(w, frame->object);
	entry->n = 0;
	perfetto_put_value(w, entry, INTERNED_IID, w->frame[number]);
	proto_put_number(&w->p, entry, FRAME_FUNCTION, name);
	if (mapping != 0) {
		perfetto_put_value(w, entry, FRAME_MAPPING, mapping);
		perfetto_put_value(w, entry, FRAME_PC, frame->addr);
	}
	proto_put_number(&w->p, entry, FRAME_SOURCE, file);
	proto_put_number(&w->p, entry, FRAME_LINE, frame->line);
	if (frame->below != 0)
		perfetto_put_text(
		    w, entry, FRAME_KIND_TEXT, cg_slice(KIND_INLINED));
	proto_put_bytes(&w->p, &w->interned, INTERNED_FRAMES, entry);
}

/*
 * Lists a stack and its callers in w->path, from the innermost to the
 * outermost one. False: out of memory (reported).
 */
static bool
list_path(struct perfetto_writer *w, uint32_t stack)
{
	w->path.n = 0;
	for (; stack != 0; stack = w->p.node[stack].parent)
		if (!cg_append(w->p.job, &w->path, stack))
			return false;
	return true;
}

bool
perfetto_intern_stack(struct perfetto_writer *w, uint32_t stack)
{
	struct proto_bytes *entry = &w->entry;

	if (w->stack[stack] != 0)
		return true;
	w->stack[stack] = ++w->stacks;
	if (!list_path(w, stack))
		return false;
	for (size_t i = w->path.n; i > 0; i--)
		intern_frame(w, w->p.node[w->path.at[i - 1]].key);
	entry->n = 0;
	perfetto_put_value(w, entry, INTERNED_IID, w->stack[stack]);
	for (size_t i = w->path.n; i > 0; i--)
		perfetto_put_value(w, entry, STACK_FRAMES,
		    w->frame[w->p.node[w->path.at[i - 1]].key]);
	proto_put_bytes(&w->p, &w->interned, INTERNED_STACKS, entry);
	return true;
}
