/*
 * wire.c - the wire format of protocol buffers, as far as profile.proto
 * needs it.
 *
 * Source: "Encoding" at protobuf.dev. Groups (wire types 3 and 4) are not
 * part of proto3.
 *
 * A library builds the whole message first: protobuf-c takes 817 MB to decode
 * a profile of 111 MB, in the time in which this reader makes the graph of it
 * with 114 MB.
 */
#include <string.h>

#include "pprof.h"

bool
pprof_take_long_varint(struct cg_slice *rest, uint64_t *value)
{
	size_t max = rest->len < VARINT_MAX ? rest->len : VARINT_MAX;
	uint64_t sum = 0;

	for (size_t i = 0; i < max; i++) {
		uint8_t byte = (uint8_t)rest->ptr[i];

		sum |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte & 0x80)
			continue;
		if (i == VARINT_MAX - 1 && byte > 1)
			return false; /* more than 64 bits */
		*value = sum;
		rest->ptr += i + 1;
		rest->len -= i + 1;
		return true;
	}
	return false;
}

/* Numbers of a fixed size: nothing of ours, but they can be skipped. */
static bool
take_fixed(struct cg_slice *rest, size_t size, uint64_t *value)
{
	if (rest->len < size)
		return false;
	*value = 0;
	for (size_t i = 0; i < size; i++)
		*value |= (uint64_t)(uint8_t)rest->ptr[i] << 8 * i;
	rest->ptr += size;
	rest->len -= size;
	return true;
}

bool
pprof_take_tag(struct cg_slice *from, struct pprof_field *field)
{
	struct cg_slice rest = *from;
	uint64_t tag;
	bool ok = false;

	field->at = from->ptr;
	if (!pprof_take_varint(&rest, &tag) || tag >> 3 == 0 ||
	    tag > UINT32_MAX)
		return false;
	field->number = tag >> 3;
	field->wire = tag & 7;
	if (field->wire == WIRE_VARINT || field->wire == WIRE_BYTES)
		ok = pprof_take_varint(&rest, &field->value);
	else if (field->wire == WIRE_64)
		ok = take_fixed(&rest, 8, &field->value);
	else if (field->wire == WIRE_32)
		ok = take_fixed(&rest, 4, &field->value);
	if (ok)
		*from = rest;
	return ok;
}

bool
pprof_take_field(struct cg_slice *from, struct pprof_field *field)
{
	struct cg_slice rest = *from;

	if (!pprof_take_tag(&rest, field))
		return false;
	if (field->wire == WIRE_BYTES) {
		if (field->value > rest.len)
			return false;
		field->bytes.ptr = rest.ptr;
		field->bytes.len = (size_t)field->value;
		rest.ptr += field->bytes.len;
		rest.len -= field->bytes.len;
	}
	*from = rest;
	return true;
}

/* ---- Recognising -------------------------------------------------------- */

/* There is no magic, but hardly anything else looks like this. */
#define PROBE_SHAPE (CG_PROBE_LIKELY + 20)

/*
 * What the fields of each message are: 'v' a varint, 'b' bytes, 'p' numbers
 * packed or not, or the letter of a message.
 */
struct shape {
	char name;
	const char *fields; /* from field 1 on */
};
static const struct shape shapes[] = {
	{ 'P', "TSMLFbvvvvTvpvv" },
	{ 'T', "vv" },
	{ 'S', "ppb" },
	{ 'M', "vvvvvvvvvv" },
	{ 'L', "vvvNv" },
	{ 'N', "vvv" },
	{ 'F', "vvvvv" },
};

static const struct shape *
find_shape(char name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (shapes[i].name == name)
			return &shapes[i];
	}
	return NULL;
}

static bool
fits(char kind, unsigned wire)
{
	if (kind == 'p')
		return wire == WIRE_VARINT || wire == WIRE_BYTES;
	return wire == (kind == 'v' ? WIRE_VARINT : WIRE_BYTES);
}

/* Is every field of a message of that shape? Messages in it are not seen. */
static bool
has_shape(struct cg_slice message, const struct shape *shape)
{
	struct pprof_field field;

	while (message.len > 0) {
		if (!pprof_take_field(&message, &field) ||
		    field.number > strlen(shape->fields) ||
		    !fits(shape->fields[field.number - 1], field.wire))
			return false;
	}
	return true;
}

/* Does the text end in a field that begins as one of the shape? */
static bool
is_cut(struct cg_slice text, const struct shape *shape)
{
	struct pprof_field field;

	return pprof_take_tag(&text, &field) &&
	       field.number <= strlen(shape->fields) &&
	       field.wire == WIRE_BYTES && field.value > text.len;
}

int
pprof_probe(struct cg_slice text, bool whole)
{
	const struct shape *profile = find_shape('P'), *shape;
	struct pprof_field field;
	unsigned known = 0;
	char kind;

	while (text.len > 0 && pprof_take_field(&text, &field)) {
		if (field.number > strlen(profile->fields))
			return CG_PROBE_NO;
		kind = profile->fields[field.number - 1];
		shape = find_shape(kind);
		if (!fits(shape ? 'b' : kind, field.wire) ||
		    (shape && !has_shape(field.bytes, shape)))
			return CG_PROBE_NO;
		known += shape != NULL;
	}
	/* A file that was cut is ours to refuse, if there is no doubt. */
	if (text.len > 0 && whole && known < 2)
		return CG_PROBE_NO;
	if (known == 0 && !whole && is_cut(text, profile))
		return CG_PROBE_MORE; /* so far only strings */
	return known > 0 ? PROBE_SHAPE : CG_PROBE_NO;
}
