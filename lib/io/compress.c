/*
 * compress.c - compresses to gzip, in blocks that threads work on.
 *
 * Source: RFC 1951 and 1952; pigz does the same. A block is compressed by
 * itself, with the 32 KiB before it as dictionary. It ends with an empty stored
 * block (zlib's Z_SYNC_FLUSH), hence at a byte: so the blocks together are one
 * stream. Where they begin depends on the data alone, not on the threads.
 */
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/platform.h"
#include "cgconv_expert.h"
#include "io/io.h"
#include "work/work.h"

#define BLOCK_SIZE ((size_t)128 << 10)
#define DICTIONARY ((size_t)32 << 10) /* the farthest match */
/* A writer's text does not come faster than 16 threads compress it. */
#define THREADS_MAX 16
/* zlib: the largest window, without header and trailer. */
#define RAW_WINDOW (-15)
/* More than deflateBound(), and the empty block at the end. */
#define OUT_SIZE (BLOCK_SIZE + BLOCK_SIZE / 4)
/*
 * Profiles as text are repetitive, and compressing them is half of a job, so
 * speed counts. Level 3 takes a match without trying the next one; tuned to the
 * longest of 12 candidates (default: up to 32 bytes, of 32 candidates), without
 * inserting positions inside of matches longer than 40 bytes. It needs a
 * quarter to half of the time of level 6, for 11 to 19 % more bytes. A hash
 * table of 16 K entries stays in the cache.
 */
#define GZIP_LEVEL 3
#define GZIP_MEMORY 7
#define GZIP_GOOD 8 /* has no effect at this level */
#define GZIP_INSERT 40
#define GZIP_LONGEST 258
#define GZIP_CHAIN 12
#define SMALL_MEMORY 8 /* zlib's default */

struct block {
	z_stream z;
	bool opened;    /* z is */
	bool fast;      /* at GZIP_LEVEL */
	bool continues; /* a block came before it */
	bool last;
	bool failed;
	size_t len;                       /* of text */
	size_t compressed;                /* bytes of out */
	uLong crc;                        /* of text */
	unsigned char before[DICTIONARY]; /* the end of the block before it */
	unsigned char text[BLOCK_SIZE], out[OUT_SIZE];
};

struct cg_compress {
	cg_take_fn *take;
	void *arg;
	struct cg_queue *queue; /* of blocks; NULL: nothing was put */
	struct block *block;    /* that is filled now */
	bool small;             /* at zlib's default level */
	size_t threads;
	bool begun; /* the header was given */
	bool failed;
	uLong crc;
	uint32_t size; /* of the text, modulo 2^32 */
};

/* ---- In any thread ------------------------------------------------------- */

static void
compress_block(void *slot)
{
	struct block *block = slot;
	z_stream *z = &block->z;

	if (z->total_in > 0) /* it was used */
		(void)deflateReset(z);
	if (block->fast)
		(void)deflateTune(
		    z, GZIP_GOOD, GZIP_INSERT, GZIP_LONGEST, GZIP_CHAIN);
	if (block->continues)
		(void)deflateSetDictionary(z, block->before, DICTIONARY);
	z->next_in = block->text;
	z->avail_in = (uInt)block->len;
	z->next_out = block->out;
	z->avail_out = OUT_SIZE;
	(void)deflate(z, block->last ? Z_FINISH : Z_SYNC_FLUSH);
	block->failed = z->avail_in > 0 || z->avail_out == 0;
	block->compressed = OUT_SIZE - z->avail_out;
	block->crc = crc32_z(0, block->text, block->len);
}

/* ---- In the caller ------------------------------------------------------- */

static bool
open_block(void *slot, void *arg)
{
	const struct cg_compress *gzip = arg;
	struct block *block = slot;

	block->fast = !gzip->small;
	block->opened =
	    deflateInit2(&block->z,
		gzip->small ? Z_DEFAULT_COMPRESSION : GZIP_LEVEL, Z_DEFLATED,
		RAW_WINDOW, gzip->small ? SMALL_MEMORY : GZIP_MEMORY,
		Z_DEFAULT_STRATEGY) == Z_OK;
	return block->opened;
}

static void
close_block(void *slot)
{
	struct block *block = slot;

	if (block->opened)
		(void)deflateEnd(&block->z);
}

struct cg_compress *
cg_compress_new(cg_take_fn *take, void *arg, bool small)
{
	struct cg_compress *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->take = take;
	gzip->arg = arg;
	gzip->threads = 1;
	gzip->small = small;
	return gzip;
}

void
cg_compress_set_threads(struct cg_compress *gzip, size_t threads)
{
	gzip->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
}

/*
 * Passes a compressed block to the consumer (gzip->take), after the gzip
 * header if it is the first one. Adds the block's text to the checksum and the
 * size of all text. If compressing the block has failed, sets gzip->failed.
 */
static void
give(struct cg_compress *gzip, struct block *block)
{
	/* Deflate, no flags, no time, of Unix: what zlib writes. */
	static const unsigned char header[10] = { 0x1f, 0x8b, 8, [9] = 3 };

	if (block->failed)
		gzip->failed = true;
	if (!gzip->begun)
		gzip->take(gzip->arg, header, sizeof(header));
	gzip->begun = true;
	gzip->take(gzip->arg, block->out, block->compressed);
	/* To combine sums takes as long as to sum up some KiB. */
	gzip->crc = block->continues ? crc32_combine(gzip->crc, block->crc,
					   (z_off_t)block->len)
				     : block->crc;
	gzip->size += (uint32_t)block->len;
}

/*
 * Makes the queue whose threads compress blocks, and begins the first block,
 * to which text is appended. False: out of memory.
 */
static bool
start(struct cg_compress *gzip)
{
	gzip->queue =
	    cg_queue_new(&(struct cg_queue_how){ .threads = gzip->threads,
		.slots = gzip->threads > 1 ? 2 * gzip->threads : 1,
		.size = sizeof(struct block),
		.arg = gzip,
		.open = open_block,
		.work = compress_block,
		.close = close_block });
	gzip->block = gzip->queue ? cg_queue_slot(gzip->queue) : NULL;
	gzip->failed |= !gzip->block;
	return gzip->block != NULL;
}

/*
 * Hands the current block, which is full, to the threads, and begins the next
 * one, with the end of the full block as its dictionary. While all blocks are
 * in use, passes finished ones on.
 */
static void
begin_block(struct cg_compress *gzip)
{
	const struct block *full = gzip->block;
	struct block *block;

	cg_queue_put(gzip->queue);
	while (!(block = cg_queue_slot(gzip->queue)))
		give(gzip, cg_queue_take(gzip->queue));
	memcpy(block->before, full->text + BLOCK_SIZE - DICTIONARY, DICTIONARY);
	block->continues = true;
	block->len = 0;
	gzip->block = block;
}

bool
cg_compress_put(struct cg_compress *gzip, const char *bytes, size_t n)
{
	struct block *block;
	size_t some;

	if (!gzip->block && !start(gzip))
		return false;
	while (n > 0) {
		if (gzip->block->len == BLOCK_SIZE)
			begin_block(gzip);
		block = gzip->block;
		some = BLOCK_SIZE - block->len;
		some = n < some ? n : some;
		memcpy(block->text + block->len, bytes, some);
		block->len += some;
		bytes += some;
		n -= some;
	}
	return !gzip->failed;
}

bool
cg_compress_finish(struct cg_compress *gzip)
{
	struct block *block;
	uint32_t trailer[2];

	if (!gzip->block && !start(gzip))
		return false;
	gzip->block->last = true;
	if (gzip->block->continues) {
		cg_queue_put(gzip->queue);
		while ((block = cg_queue_take(gzip->queue)))
			give(gzip, block);
	} else { /* the only one needs no thread */
		compress_block(gzip->block);
		give(gzip, gzip->block);
	}
	trailer[0] = htole32((uint32_t)gzip->crc);
	trailer[1] = htole32(gzip->size);
	gzip->take(gzip->arg, trailer, sizeof(trailer));
	return !gzip->failed;
}

void
cg_compress_free(struct cg_compress *gzip)
{
	if (!gzip)
		return;
	cg_queue_free(gzip->queue);
	free(gzip);
}
