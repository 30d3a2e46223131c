/*
 * blocks.c - objects of a .nettrace file, and events of its blocks.
 *
 * "Nettrace", a string "!FastSerialization.1", then objects. An object: tag 5,
 * its type (tag 5, tag 1, version, oldest version of a reader, name, tag 6),
 * its data, tag 6. Tag 1 instead of an object ends the file. Data of the first
 * object, Trace, has a fixed size; of the others: its size, zeros up to a
 * multiple of 4 in the file, a block. All numbers are little-endian.
 *
 * Version 6: "Nettrace", 0, 6, a minor version, then blocks: size (24 bits) and
 * kind in 4 bytes, data. The first one is Trace, with keys and values at its
 * end; kind 0 ends the file.
 */
#include "nettrace.h"
#include "proto/wire.h"

#define MAGIC "Nettrace"
#define SERIALIZER "!FastSerialization.1"
#define OLDEST 4
#define NEWEST 5
#define SIXTH 6

enum tag { TAG_NULL = 1, TAG_BEGIN = 5, TAG_END = 6 };
/* Offsets in the data of Trace; it begins with a date. */
enum trace {
	TRACE_START = 16,
	TRACE_FREQUENCY = 24,
	TRACE_POINTER = 32,
	TRACE_PID = 36,
	TRACE_INTERVAL = 44,
	TRACE_SIZE = 48,
	SIXTH_SIZE = 40 /* then keys and values */
};
/* Kinds of blocks of version 6. */
enum sixth { SIXTH_END = 0, SIXTH_TRACE = 1, SIXTH_EVENTS = 2 };
/* Offsets in an event that is not compressed; its payload follows its size. */
enum plain {
	PLAIN_METADATA = 0,
	PLAIN_THREAD = 8,
	PLAIN_STACK = 28,
	PLAIN_TIME = 32,
	PLAIN_SIZE = 72,
	PLAIN_SIZE_SIXTH = 44 /* in version 6 */
};
/* Bits of the first byte of a compressed event: which fields it has. */
enum flag {
	HAS_METADATA = 1,
	HAS_CAPTURE = 2, /* number in sequence, thread, processor */
	HAS_THREAD = 4,
	HAS_STACK = 8,
	HAS_ACTIVITY = 16,
	HAS_RELATED = 32,
	HAS_LABELS = 16, /* in version 6, in place of activities */
	HAS_SIZE = 128
};
#define METADATA_MASK 0x7fffffff /* the bit above: events are sorted */
#define GUID_SIZE 16

/* ---- Numbers ------------------------------------------------------------- */

uint32_t
nettrace_u32(const char *at)
{
	const uint8_t *byte = (const uint8_t *)at;

	return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 |
	       (uint32_t)byte[3] << 24;
}

uint16_t
nettrace_u16(const char *at)
{
	const uint8_t *byte = (const uint8_t *)at;

	return (uint16_t)(byte[0] | (unsigned)byte[1] << 8);
}

uint64_t
nettrace_u64(const char *at)
{
	return nettrace_u32(at) | (uint64_t)nettrace_u32(at + 4) << 32;
}

bool
nettrace_cut(struct cg_slice *rest, uint64_t n, struct cg_slice *part)
{
	if (n > rest->len)
		return false;
	*part = (struct cg_slice){ rest->ptr, (size_t)n };
	rest->ptr += n;
	rest->len -= (size_t)n;
	return true;
}

static bool
take_u32(struct cg_slice *rest, uint32_t *number)
{
	struct cg_slice bytes;

	if (!nettrace_cut(rest, 4, &bytes))
		return false;
	*number = nettrace_u32(bytes.ptr);
	return true;
}

static bool
take_string(struct cg_slice *rest, struct cg_slice *text)
{
	uint32_t len;

	return take_u32(rest, &len) && nettrace_cut(rest, len, text);
}

/* ---- Objects ------------------------------------------------------------- */

static bool
reject(const struct nettrace_file *file, const struct cg_slice *rest,
    const char *expected)
{
	return cg_reject_at(file->job, rest->ptr,
	    "expected %s; the file may be truncated", expected);
}

/*
 * Takes the tags that begin an object, and its type, off *rest. Sets *name to
 * the type's name, and *oldest to the least version that a reader must have.
 * False: malformed (reported).
 */
static bool
take_type(struct nettrace_file *file, struct cg_slice *rest,
    struct cg_slice *name, uint32_t *oldest)
{
	uint32_t version;

	if (rest->len < 3 || rest->ptr[0] != TAG_BEGIN ||
	    rest->ptr[1] != TAG_BEGIN || rest->ptr[2] != TAG_NULL)
		return reject(file, rest, "an object with its type");
	rest->ptr += 3;
	rest->len -= 3;
	if (!take_u32(rest, &version) || !take_u32(rest, oldest) ||
	    !take_string(rest, name) || !cg_take_char(rest, TAG_END))
		return reject(file, rest, "the type of an object");
	return true;
}

/*
 * Reads start time, clock frequency and pointer size into *file. "data" is the
 * content of the object Trace. All versions of it begin with these fields. The
 * caller has checked that they are there. False: pointers have neither 4 nor 8
 * bytes (reported).
 */
static bool
take_trace(struct nettrace_file *file, struct cg_slice data)
{
	file->start = nettrace_u64(data.ptr + TRACE_START);
	file->frequency = nettrace_u64(data.ptr + TRACE_FREQUENCY);
	file->pointer = nettrace_u32(data.ptr + TRACE_POINTER);
	return file->pointer == 4 || file->pointer == 8 ||
	       cg_reject_at(file->job, data.ptr + TRACE_POINTER,
		   "expected pointers of 4 or 8 bytes, not %u", file->pointer);
}

/* ---- Version 6 ----------------------------------------------------------- */

bool
nettrace_take_text(struct cg_slice *rest, struct cg_slice *text)
{
	uint64_t len;

	return proto_take_varint(rest, &len) && nettrace_cut(rest, len, text);
}

/*
 * Takes the next block of a file of version 6 off *rest. Sets *kind to the
 * number of the block's kind, and *block to its content. False: truncated
 * (reported).
 */
static bool
take_block(struct nettrace_file *file, struct cg_slice *rest, uint32_t *kind,
    struct cg_slice *block)
{
	uint32_t head;

	if (!take_u32(rest, &head) ||
	    !nettrace_cut(rest, head & 0xffffff, block))
		return reject(file, rest, "a whole block");
	*kind = head >> 24;
	return true;
}

static bool
open_sixth(struct nettrace_file *file, struct cg_slice rest)
{
	struct cg_slice data = { NULL, 0 }, key, value;
	uint64_t pid;
	uint32_t kind = 0, count;

	file->sixth = true;
	if (!take_block(file, &rest, &kind, &data))
		return false;
	if (kind != SIXTH_TRACE || data.len < SIXTH_SIZE)
		return reject(file, &data, "the block of Trace");
	if (!take_trace(file, data))
		return false;
	count = nettrace_u32(data.ptr + TRACE_PID);
	data.ptr += SIXTH_SIZE;
	data.len -= SIXTH_SIZE;
	for (uint32_t i = 0; i < count; i++) {
		if (!nettrace_take_text(&data, &key) ||
		    !nettrace_take_text(&data, &value))
			return reject(file, &data, "keys and values of Trace");
		if (cg_equal(key, "ProcessId") && cg_get_u64(value, &pid) &&
		    pid <= UINT32_MAX)
			file->pid = (uint32_t)pid;
	}
	file->blocks = rest;
	return true;
}

/*
 * Takes the next block of a known kind off *rest, in a file of version 6, and
 * sets *kind and *block, its content. False: the block that ends the file, or
 * an error (reported).
 */
static bool
next_sixth(struct nettrace_file *file, struct cg_slice *rest,
    enum nettrace_block *kind, struct cg_slice *block)
{
	static const enum nettrace_block kinds[] = { NETTRACE_EVENTS,
		NETTRACE_METADATA, NETTRACE_SEQUENCE, NETTRACE_STACKS,
		NETTRACE_THREADS };
	uint32_t number = SIXTH_END;

	do {
		if (!take_block(file, rest, &number, block) ||
		    number == SIXTH_END)
			return false;
	} while (number < SIXTH_EVENTS ||
		 number - SIXTH_EVENTS >= sizeof(kinds) / sizeof(*kinds));
	*kind = kinds[number - SIXTH_EVENTS];
	return true;
}

bool
nettrace_next_metadata(struct nettrace_file *file, struct nettrace_events *rows,
    struct nettrace_metadata *metadata)
{
	struct cg_slice *rest = &rows->rest, head, row;
	uint64_t id, event;

	if (!rows->begun) {
		rows->begun = true;
		if (!nettrace_cut(rest, 2, &head) ||
		    !nettrace_cut(rest, nettrace_u16(head.ptr), &head))
			return reject(file, rest, "the header of a block");
	}
	if (rest->len == 0)
		return false;
	if (!nettrace_cut(rest, 2, &head) ||
	    !nettrace_cut(rest, nettrace_u16(head.ptr), &row) ||
	    !proto_take_varint(&row, &id) ||
	    !nettrace_take_text(&row, &metadata->provider) ||
	    !proto_take_varint(&row, &event) ||
	    !nettrace_take_text(&row, &metadata->name))
		return reject(file, rest, "metadata of an event");
	metadata->id = (uint32_t)id;
	metadata->event = (uint32_t)event;
	return true;
}

/* ---- The file ------------------------------------------------------------ */

bool
nettrace_open(struct nettrace_file *file)
{
	struct cg_slice rest = file->bytes, name, data;
	uint32_t version;

	if (!cg_take_prefix(&rest, MAGIC))
		return cg_reject(file->job, "expected " MAGIC);
	if (rest.len >= 12 && nettrace_u32(rest.ptr) == 0) {
		version = nettrace_u32(rest.ptr + 4);
		rest.ptr += 12;
		rest.len -= 12;
		if (version == SIXTH)
			return open_sixth(file, rest);
		return cg_reject_at(file->job, rest.ptr - 8,
		    "expected a trace of version %u to %u, not %u; its tool "
		    "can export it: dotnet-trace convert --format Speedscope",
		    OLDEST, SIXTH, version);
	}
	if (!take_string(&rest, &name) || !cg_equal(name, SERIALIZER))
		return reject(file, &rest, SERIALIZER);
	if (!take_type(file, &rest, &name, &version))
		return false;
	if (!cg_equal(name, "Trace") || version > NEWEST)
		return cg_reject_at(file->job, name.ptr,
		    "expected an object Trace of version %u or %u, not %u",
		    OLDEST, NEWEST, version);
	if (!nettrace_cut(&rest, TRACE_SIZE, &data) ||
	    !cg_take_char(&rest, TAG_END))
		return reject(file, &rest, "the data of Trace");
	file->pid = nettrace_u32(data.ptr + TRACE_PID);
	file->interval = nettrace_u32(data.ptr + TRACE_INTERVAL);
	file->blocks = rest;
	return take_trace(file, data);
}

bool
nettrace_next_block(struct nettrace_file *file, struct cg_slice *rest,
    enum nettrace_block *kind, struct cg_slice *block)
{
	static const char *const names[] = { "EventBlock", "MetadataBlock",
		"StackBlock", "SPBlock" };
	const size_t kinds = sizeof(names) / sizeof(*names);
	struct cg_slice name, padding;
	uint32_t oldest, size;
	size_t i = 0;

	if (file->sixth)
		return next_sixth(file, rest, kind, block);
	if (rest->len > 0 && *rest->ptr == TAG_NULL)
		return false;
	if (!take_type(file, rest, &name, &oldest))
		return false;
	while (i < kinds && !cg_equal(name, names[i]))
		i++;
	if (i == kinds)
		return cg_reject_at(file->job, name.ptr,
		    "expected a block of events, metadata or stacks, not "
		    "'%.*s'",
		    name.len < 32 ? (int)name.len : 32, name.ptr);
	if (!take_u32(rest, &size) ||
	    !nettrace_cut(
		rest, -(uint64_t)(rest->ptr - file->bytes.ptr) & 3, &padding) ||
	    !nettrace_cut(rest, size, block) || !cg_take_char(rest, TAG_END))
		return reject(file, rest, "a whole block");
	*kind = (enum nettrace_block)i;
	return true;
}

/* ---- Events -------------------------------------------------------------- */

/*
 * Takes the header of a block of events off events->rest. Stores whether the
 * events are compressed in events->compressed. Skips the rest of the header,
 * which has times. False: malformed (reported).
 */
static bool
begin_events(struct nettrace_file *file, struct nettrace_events *events)
{
	struct cg_slice *rest = &events->rest, header;
	unsigned size;

	events->begun = true;
	if (rest->len < 4)
		return reject(file, rest, "the header of a block");
	size = nettrace_u32(rest->ptr) & 0xffff;
	events->compressed = nettrace_u32(rest->ptr) >> 16 & 1;
	return (size >= 4 && nettrace_cut(rest, size, &header)) ||
	       reject(file, rest, "the header of a block");
}

static bool
take_varint(struct cg_slice *rest, bool has, uint64_t *number)
{
	return !has || proto_take_varint(rest, number);
}

/*
 * Takes a compressed event off events->rest, which is not empty, into
 * events->last. Fields that it lacks keep the values of the event before; its
 * time is a difference. sixth: the file has version 6. False: malformed (not
 * reported).
 */
static bool
take_compressed(struct nettrace_events *events, bool sixth)
{
	struct cg_slice *rest = &events->rest, guids;
	struct nettrace_event *event = &events->last;
	uint64_t metadata = event->metadata, stack = event->stack;
	uint64_t size = event->payload.len, skipped = 0, ticks = 0;
	unsigned flags = (uint8_t)*rest->ptr++;

	rest->len--;
	if (!take_varint(rest, flags & HAS_METADATA, &metadata))
		return false;
	for (int i = 0; i < 3; i++)
		if (!take_varint(rest, flags & HAS_CAPTURE, &skipped))
			return false;
	if (!take_varint(rest, flags & HAS_THREAD, &event->thread) ||
	    !take_varint(rest, flags & HAS_STACK, &stack) ||
	    !take_varint(rest, true, &ticks) ||
	    (sixth && !take_varint(rest, flags & HAS_LABELS, &skipped)) ||
	    (!sixth && !nettrace_cut(rest,
			   (flags & HAS_ACTIVITY ? GUID_SIZE : 0) +
			       (flags & HAS_RELATED ? GUID_SIZE : 0),
			   &guids)) ||
	    !take_varint(rest, flags & HAS_SIZE, &size))
		return false;
	event->metadata = (uint32_t)metadata & METADATA_MASK;
	event->stack = (uint32_t)stack;
	event->time += ticks;
	return nettrace_cut(rest, size, &event->payload);
}

static bool
take_plain(struct nettrace_file *file, struct nettrace_events *events)
{
	const size_t size_at = file->sixth ? PLAIN_SIZE_SIXTH : PLAIN_SIZE;
	const size_t head = size_at + sizeof(uint32_t);
	struct cg_slice *rest = &events->rest, bytes, padding;
	struct nettrace_event *event = &events->last;
	uint64_t align;
	uint32_t size;

	if (!take_u32(rest, &size) || !nettrace_cut(rest, size, &bytes) ||
	    bytes.len < head)
		return false;
	event->metadata =
	    nettrace_u32(bytes.ptr + PLAIN_METADATA) & METADATA_MASK;
	event->thread = nettrace_u64(bytes.ptr + PLAIN_THREAD);
	event->stack = nettrace_u32(bytes.ptr + PLAIN_STACK);
	event->time = nettrace_u64(bytes.ptr + PLAIN_TIME);
	size = nettrace_u32(bytes.ptr + size_at);
	bytes.ptr += head;
	bytes.len -= head;
	align = file->sixth ? 0 : -(uint64_t)(rest->ptr - file->bytes.ptr) & 3;
	(void)nettrace_cut(
	    rest, align < rest->len ? align : rest->len, &padding);
	return nettrace_cut(&bytes, size, &event->payload);
}

bool
nettrace_next_event(struct nettrace_file *file, struct nettrace_events *events,
    struct nettrace_event *event)
{
	const char *at;
	bool ok;

	if (!events->begun && !begin_events(file, events))
		return false;
	at = events->rest.ptr;
	if (events->rest.len == 0)
		return false;
	ok = events->compressed ? take_compressed(events, file->sixth)
				: take_plain(file, events);
	*event = events->last;
	return ok || cg_reject_at(
			 file->job, at, "expected an event within its block");
}
