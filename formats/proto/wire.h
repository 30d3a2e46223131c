/*
 * wire.h - the wire format of protocol buffers: a message is a sequence of
 * fields, each a tag (number << 3 | wire type, a varint) and a value.
 *
 * Source: "Encoding" at protobuf.dev. Groups (wire types 3 and 4) are not
 * part of proto3.
 *
 * A library builds the whole message first: protobuf-c takes 817 MB to decode
 * a profile of 111 MB, in the time in which pprof's reader makes the graph of
 * it with 114 MB.
 */
#ifndef FORMATS_PROTO_WIRE_H
#define FORMATS_PROTO_WIRE_H

#include <string.h>

#include "cgconv.h"

enum proto_wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

#define VARINT_MAX 10 /* bytes */

struct proto_field {
	uint64_t number;
	unsigned wire;
	uint64_t value;        /* the number; of bytes, their number */
	struct cg_slice bytes; /* of WIRE_BYTES; else empty */
	const char *at;        /* its tag */
};

/*
 * Joins the digits of a varint in eight bytes, the first one lowest. "end" has
 * the highest bit of its last byte, and may have higher ones. A digit has 7
 * bits; first pairs of digits are joined, then pairs of pairs.
 */
static inline uint64_t
proto_join_varint(uint64_t word, uint64_t end)
{
	word &= (end ^ (end - 1)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
	word = (word & UINT64_C(0x007f007f007f007f)) |
	       (word & UINT64_C(0x7f007f007f007f00)) >> 1;
	word = (word & UINT64_C(0x00003fff00003fff)) |
	       (word & UINT64_C(0x3fff00003fff0000)) >> 2;
	return (word & 0xfffffff) | (word & UINT64_C(0xfffffff00000000)) >> 4;
}
/*
 * Gets the varint at the start of len bytes. Returns the number of its bytes;
 * 0: there is none.
 */
size_t proto_get_any_varint(const char *at, size_t len, uint64_t *);
static inline size_t
proto_get_varint(const char *at, size_t len, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t word, end;

	if (len >= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		end = ~word & UINT64_C(0x8080808080808080);
		if (end != 0) {
			*value = proto_join_varint(word, end);
			return (size_t)__builtin_ctzll(end) / 8 + 1;
		}
	}
#endif
	return proto_get_any_varint(at, len, value);
}
/* Takes a varint; false: there is none, and nothing is taken. */
static inline bool
proto_take_varint(struct cg_slice *rest, uint64_t *value)
{
	const uint8_t *byte = (const uint8_t *)rest->ptr;
	uint64_t number = 0;
	size_t len;

	if (rest->len > 0 && byte[0] <= 0x7f) {
		number = byte[0];
		len = 1;
	} else if (rest->len > 1 && byte[1] <= 0x7f) {
		number = (byte[0] & 0x7fu) | (uint64_t)byte[1] << 7;
		len = 2;
	} else {
		len = proto_get_varint(rest->ptr, rest->len, &number);
	}
	if (len == 0)
		return false;
	*value = number;
	rest->ptr += len;
	rest->len -= len;
	return true;
}
/* Takes a tag and the number or length after it, but not the bytes. */
bool proto_take_tag(struct cg_slice *, struct proto_field *);
/* Takes a whole field. False: there is none, and nothing is taken. */
bool proto_take_any_field(struct cg_slice *, struct proto_field *);
static inline bool
proto_take_field(struct cg_slice *from, struct proto_field *field)
{
	struct cg_slice rest = *from;
	uint64_t tag, value;

	/* Most fields are short numbers or messages. */
	if (proto_take_varint(&rest, &tag) && tag >= 8 && tag <= UINT16_MAX &&
	    (tag & 5) == 0 && proto_take_varint(&rest, &value) &&
	    ((tag & 7) == WIRE_VARINT || value <= rest.len)) {
		field->number = tag >> 3;
		field->wire = tag & 7;
		field->value = value;
		field->bytes = (struct cg_slice){ rest.ptr, 0 };
		field->at = from->ptr;
		if (field->wire == WIRE_BYTES) {
			field->bytes.len = (size_t)value;
			rest.ptr += value;
			rest.len -= (size_t)value;
		}
	} else {
		/* Copies are passed on: the originals may be in registers. */
		struct proto_field any = { 0 };
		bool ok;

		rest = *from;
		ok = proto_take_any_field(&rest, &any);
		*field = any;
		if (!ok)
			return false;
	}
	*from = rest;
	return true;
}
static inline char *
proto_format_varint(char *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

#endif
