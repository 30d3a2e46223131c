/*
 * wire.c - takes numbers and fields from messages.
 */
#include "wire.h"

size_t
proto_get_any_varint(const char *at, size_t len, uint64_t *value)
{
	size_t max = len < VARINT_MAX ? len : VARINT_MAX;
	uint64_t sum = 0;

	for (size_t i = 0; i < max; i++) {
		uint8_t byte = (uint8_t)at[i];

		sum |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte & 0x80)
			continue;
		if (i == VARINT_MAX - 1 && byte > 1)
			return 0; /* more than 64 bits */
		*value = sum;
		return i + 1;
	}
	return 0;
}

/*
 * Takes a little-endian number of "size" bytes, at most 8, off *rest. False:
 * truncated, and nothing is taken.
 */
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
proto_take_tag(struct cg_slice *from, struct proto_field *field)
{
	struct cg_slice rest = *from;
	uint64_t tag;
	bool ok = false;

	field->at = from->ptr;
	if (!proto_take_varint(&rest, &tag) || tag >> 3 == 0 ||
	    tag > UINT32_MAX)
		return false;
	field->number = tag >> 3;
	field->wire = tag & 7;
	if (field->wire == WIRE_VARINT || field->wire == WIRE_BYTES)
		ok = proto_take_varint(&rest, &field->value);
	else if (field->wire == WIRE_64)
		ok = take_fixed(&rest, 8, &field->value);
	else if (field->wire == WIRE_32)
		ok = take_fixed(&rest, 4, &field->value);
	if (ok)
		*from = rest;
	return ok;
}

bool
proto_take_any_field(struct cg_slice *from, struct proto_field *field)
{
	struct cg_slice rest = *from;

	if (!proto_take_tag(&rest, field))
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
