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

#include "cgconv.h"

enum proto_wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

#define VARINT_MAX 10 /* bytes */

struct proto_field {
	uint64_t number;
	unsigned wire;
	uint64_t value;        /* the number; of bytes, their number */
	struct cg_slice bytes; /* of WIRE_BYTES */
	const char *at;        /* its tag */
};

/*
 * Gets the varint at the start of len bytes; returns the number of its bytes,
 * 0: there is none.
 */
size_t proto_get_varint(const char *at, size_t len, uint64_t *);
/* Takes a varint; false: there is none, and nothing is taken. */
static inline bool
proto_take_varint(struct cg_slice *rest, uint64_t *value)
{
	const uint8_t *byte = (const uint8_t *)rest->ptr;
	size_t len;

	/* Most varints have at most three bytes. */
	if (rest->len < 3 || (byte[0] & byte[1] & byte[2] & 0x80)) {
		uint64_t number;

		len = proto_get_varint(rest->ptr, rest->len, &number);
		if (len == 0)
			return false;
		*value = number;
		rest->ptr += len;
		rest->len -= len;
		return true;
	}
	*value = byte[0] & 0x7fu;
	len = 1;
	if (byte[0] & 0x80) {
		*value |= (byte[1] & 0x7fu) << 7;
		len = 2;
		if (byte[1] & 0x80) {
			*value |= (uint64_t)byte[2] << 14;
			len = 3;
		}
	}
	rest->ptr += len;
	rest->len -= len;
	return true;
}
/* Takes a tag and the number or length after it, but not the bytes. */
bool proto_take_tag(struct cg_slice *, struct proto_field *);
/* Takes a whole field. False: there is none, and nothing is taken. */
bool proto_take_field(struct cg_slice *, struct proto_field *);
static inline char *
proto_format_varint(char *to, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

#endif
