/*
 * pack.c - bytes -> gzip -> base64 in the page.
 */
#include <string.h>
#include <zlib.h>

#include "cgconv_expert.h"
#include "html.h"

/* A multiple of 3: only the last piece of base64 is padded. */
#define PIECE 12288

struct html_pack {
	struct cg_job *job;
	struct cg_out *out;
	struct cg_compress *gzip;
	uint32_t crc; /* of what was compressed */
	char rest[3]; /* that is not in the page yet */
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

/* Puts compressed bytes, by threes. */
static void
take(void *arg, const void *bytes, size_t n)
{
	struct html_pack *pack = arg;
	struct cg_slice all = { bytes, n };

	pack->crc = (uint32_t)crc32_z(pack->crc, bytes, n);
	while (all.len > 0 && pack->rests > 0 && pack->rests < 3) {
		pack->rest[pack->rests++] = *all.ptr++;
		all.len--;
	}
	if (pack->rests == 3) {
		html_put_base64(pack->out, (struct cg_slice){ pack->rest, 3 });
		pack->rests = 0;
	}
	if (pack->rests > 0)
		return;
	pack->rests = all.len % 3;
	all.len -= pack->rests;
	memcpy(pack->rest, all.ptr + all.len, pack->rests);
	html_put_base64(pack->out, all);
}

static void
end(void *arg)
{
	struct html_pack *pack = arg;

	cg_compress_free(pack->gzip);
	pack->gzip = NULL;
}

struct html_pack *
html_pack_new(struct cg_job *job, struct cg_out *out)
{
	struct html_pack *pack = cg_alloc(job, sizeof(*pack));

	if (!pack || !cg_at_end(job, end, pack))
		return NULL;
	pack->gzip = cg_compress_new(take, pack, true);
	if (!pack->gzip) {
		(void)cg_reject_nomem(job);
		return NULL;
	}
	cg_compress_set_threads(pack->gzip, cg_job_threads(job));
	pack->job = job;
	pack->out = out;
	return pack;
}

void
html_pack(struct html_pack *pack, const void *bytes, size_t n)
{
	if (!cg_compress_put(pack->gzip, bytes, n))
		(void)cg_reject_nomem(pack->job);
}

uint32_t
html_pack_end(struct html_pack *pack)
{
	if (!cg_compress_finish(pack->gzip))
		(void)cg_reject_nomem(pack->job);
	html_put_base64(
	    pack->out, (struct cg_slice){ pack->rest, pack->rests });
	end(pack);
	return pack->crc;
}
