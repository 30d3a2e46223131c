/*
 * pack.c - bytes -> deflate with zlib's header -> base64 in the page.
 */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "html.h"

/* A multiple of 3, so that only the last piece of base64 is padded. */
#define PIECE 49152
#define LEVEL 6

struct html_pack {
	struct cg_out *out;
	z_stream z;
	uint32_t crc; /* of what was compressed */
	unsigned char piece[PIECE];
};

static void
put_triple(char *to, const unsigned char *byte, size_t n)
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)byte[0] << 16;

	if (n > 1)
		bits |= (uint32_t)byte[1] << 8;
	if (n > 2)
		bits |= byte[2];
	to[0] = digit[bits >> 18];
	to[1] = digit[bits >> 12 & 63];
	to[2] = n > 1 ? digit[bits >> 6 & 63] : '=';
	to[3] = n > 2 ? digit[bits & 63] : '=';
}

void
html_put_base64(struct cg_out *out, struct cg_slice bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.ptr;
	size_t left = bytes.len, n;
	char *to;

	while (left > 0) {
		n = left < PIECE / 4 ? left : PIECE / 4;
		to = cg_out_reserve(out, n / 3 * 4 + 4);
		left -= n;
		for (size_t i = 0; i < n; i += 3, to += 4)
			put_triple(to, at + i, n - i);
		at += n;
		cg_out_advance(out, to);
	}
}

struct html_pack *
html_pack_new(struct cg_job *job, struct cg_out *out)
{
	struct html_pack *pack = calloc(1, sizeof(*pack));

	if (pack && deflateInit(&pack->z, LEVEL) == Z_OK) {
		pack->out = out;
		pack->z.next_out = pack->piece;
		pack->z.avail_out = PIECE;
		return pack;
	}
	free(pack);
	(void)cg_reject_nomem(job);
	return NULL;
}

static void
put_piece(struct html_pack *pack)
{
	size_t n = PIECE - pack->z.avail_out;

	pack->crc = (uint32_t)crc32_z(pack->crc, pack->piece, n);
	html_put_base64(
	    pack->out, (struct cg_slice){ (const char *)pack->piece, n });
	pack->z.next_out = pack->piece;
	pack->z.avail_out = PIECE;
}

/* zlib's counts have 32 bits. */
#define MOST ((size_t)1 << 30)

void
html_pack(struct html_pack *pack, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t some; n > 0; n -= some, at += some) {
		some = n < MOST ? n : MOST;
		pack->z.next_in = at;
		pack->z.avail_in = (uInt)some;
		while (pack->z.avail_in > 0) {
			(void)deflate(&pack->z, Z_NO_FLUSH);
			if (pack->z.avail_out == 0)
				put_piece(pack);
		}
	}
}

uint32_t
html_pack_end(struct html_pack *pack)
{
	while (deflate(&pack->z, Z_FINISH) == Z_OK)
		put_piece(pack);
	put_piece(pack);
	return pack->crc;
}

void
html_pack_free(struct html_pack *pack)
{
	if (!pack)
		return;
	(void)deflateEnd(&pack->z);
	free(pack);
}
