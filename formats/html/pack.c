/*
 * pack.c - bytes -> gzip -> base64 in the page.
 */
#include <string.h>
#include <zlib.h>

#include "cgconv_expert.h"
#include "html.h"

/* A multiple of 3: only the last piece of base64 has padding. */
#define PIECE 12288

struct html_pack {
	struct cg_job *job;
	struct cg_out *out;  /* NULL: dropped */
	struct cg_out *gzip; /* NULL: ended */
	uint32_t crc;        /* of the compressed bytes */
	char rest[3];        /* bytes not yet in the page */
	size_t rests;
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
		n = left < PIECE ? left : PIECE;
		to = cg_out_reserve(out, n / 3 * 4 + 4);
		left -= n;
		for (size_t i = 0; i < n; i += 3, to += 4)
			put_triple(to, at + i, n - i);
		at += n;
		cg_out_advance(out, to);
	}
}

/*
 * Writes compressed bytes of gzip to the page as base64, and adds them to
 * pack->crc. Does nothing if pack->out is NULL. Base64 codes groups of three
 * bytes. Stores up to two bytes that remain in pack->rest, for the next call.
 * Returns 0, as it cannot fail.
 */
static int
take(void *arg, const char *bytes, size_t n)
{
	struct html_pack *pack = arg;
	struct cg_slice all = { bytes, n };

	if (!pack->out)
		return 0;
	pack->crc =
	    (uint32_t)crc32_z(pack->crc, (const unsigned char *)bytes, n);
	while (all.len > 0 && pack->rests > 0 && pack->rests < 3) {
		pack->rest[pack->rests++] = *all.ptr++;
		all.len--;
	}
	if (pack->rests == 3) {
		html_put_base64(pack->out, (struct cg_slice){ pack->rest, 3 });
		pack->rests = 0;
	}
	if (pack->rests > 0)
		return 0;
	pack->rests = all.len % 3;
	all.len -= pack->rests;
	memcpy(pack->rest, all.ptr + all.len, pack->rests);
	html_put_base64(pack->out, all);
	return 0;
}

/*
 * Frees the stream of an unfinished page without writing the rest of it, as
 * its output may be gone. Called when the job ends.
 */
static void
end(void *arg)
{
	struct html_pack *pack = arg;

	pack->out = NULL;
	if (pack->gzip)
		(void)cg_gzip_end(pack->gzip);
}

struct html_pack *
html_pack_new(struct cg_job *job, struct cg_out *out)
{
	struct html_pack *pack = cg_alloc(job, sizeof(*pack));

	if (!pack || !cg_at_end(job, end, pack))
		return NULL;
	pack->job = job;
	pack->out = out;
	pack->gzip = cg_gzip_new(job, take, pack);
	return pack->gzip ? pack : NULL;
}

void
html_pack(struct html_pack *pack, const void *bytes, size_t n)
{
	cg_put(pack->gzip, (struct cg_slice){ bytes, n });
}

uint32_t
html_pack_end(struct html_pack *pack)
{
	if (!cg_gzip_end(pack->gzip))
		(void)cg_reject_nomem(pack->job);
	pack->gzip = NULL;
	html_put_base64(
	    pack->out, (struct cg_slice){ pack->rest, pack->rests });
	return pack->crc;
}
