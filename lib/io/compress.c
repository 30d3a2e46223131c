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

#include "base/pieces.h"
#include "base/platform.h"
#include "cgconv_expert.h"
#include "io/io.h"

#define BLOCK_SIZE ((size_t)128 << 10)
#define DICTIONARY ((size_t)32 << 10) /* the farthest match */
/* A writer's text does not come faster than so many threads compress it. */
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
	struct cg_pieces *pieces; /* NULL: there is one block so far */
	struct block *block;      /* that is filled now */
	struct block **blocks;    /* all */
	bool small;               /* at zlib's default level */
	size_t made, most;        /* how many of them there are, may be */
	size_t threads;
	bool begun; /* the header was given */
	bool failed;
	uLong crc;
	uint32_t size; /* of the text, modulo 2^32 */
};

/* ---- In any thread -------------------------------------------------------- */

static void
compress_block(void *piece)
{
	struct block *block = piece;
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

/* ---- In the caller -------------------------------------------------------- */

static struct block *
new_block(bool small)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	memset(block, 0, offsetof(struct block, before));
	block->fast = !small;
	if (deflateInit2(&block->z, small ? Z_DEFAULT_COMPRESSION : GZIP_LEVEL,
		Z_DEFLATED, RAW_WINDOW, small ? SMALL_MEMORY : GZIP_MEMORY,
		Z_DEFAULT_STRATEGY) == Z_OK)
		return block;
	free(block);
	return NULL;
}

struct cg_compress *
cg_compress_new(cg_take_fn *take, void *arg, bool small)
{
	struct cg_compress *gzip = calloc(1, sizeof(*gzip));

	if (!gzip)
		return NULL;
	gzip->take = take;
	gzip->arg = arg;
	gzip->threads = gzip->most = 1;
	gzip->small = small;
	gzip->block = new_block(small);
	if (gzip->block)
		return gzip;
	free(gzip);
	return NULL;
}

void
cg_compress_set_threads(struct cg_compress *gzip, size_t threads)
{
	gzip->threads = threads < THREADS_MAX ? threads : THREADS_MAX;
	gzip->most = threads > 1 ? 2 * gzip->threads : 1;
}

/* Passes a block on. */
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

/* The first block is full, and there is more. */
static bool
start(struct cg_compress *gzip)
{
	gzip->blocks = calloc(gzip->most, sizeof(struct block *));
	gzip->pieces =
	    cg_pieces_new(&(struct cg_pieces_how){ .threads = gzip->threads,
		.room = gzip->most,
		.work = compress_block });
	if (gzip->blocks && gzip->pieces) {
		gzip->blocks[gzip->made++] = gzip->block;
		return true;
	}
	/* Each further call of cg_compress_put() tries again. */
	cg_pieces_free(gzip->pieces);
	free(gzip->blocks);
	gzip->pieces = NULL;
	gzip->blocks = NULL;
	return false;
}

/* A block to fill: a new one, or the oldest of those that were put. */
static struct block *
next_block(struct cg_compress *gzip)
{
	struct block *block = NULL;

	if (gzip->made < gzip->most)
		block = new_block(gzip->small);
	if (block) {
		gzip->blocks[gzip->made++] = block;
		return block;
	}
	block = cg_pieces_take(gzip->pieces);
	give(gzip, block);
	return block;
}

/* The block is full, and there is more. */
static bool
begin_block(struct cg_compress *gzip)
{
	struct block *full = gzip->block;

	if (!gzip->pieces && !start(gzip))
		return false;
	cg_pieces_put(gzip->pieces, full);
	gzip->block = next_block(gzip);
	memcpy(gzip->block->before, full->text + BLOCK_SIZE - DICTIONARY,
	    DICTIONARY);
	gzip->block->continues = true;
	gzip->block->len = 0;
	return true;
}

bool
cg_compress_put(struct cg_compress *gzip, const char *bytes, size_t n)
{
	struct block *block;
	size_t some;

	while (n > 0) {
		if (gzip->block->len == BLOCK_SIZE && !begin_block(gzip))
			return false;
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

	gzip->block->last = true;
	if (gzip->pieces) {
		cg_pieces_put(gzip->pieces, gzip->block);
		while ((block = cg_pieces_take(gzip->pieces)))
			give(gzip, block);
	} else {
		compress_block(gzip->block);
		give(gzip, gzip->block);
	}
	trailer[0] = htole32((uint32_t)gzip->crc);
	trailer[1] = htole32(gzip->size);
	gzip->take(gzip->arg, trailer, sizeof(trailer));
	return !gzip->failed;
}

static void
free_block(struct block *block)
{
	if (block)
		(void)deflateEnd(&block->z);
	free(block);
}

void
cg_compress_free(struct cg_compress *gzip)
{
	if (!gzip)
		return;
	cg_pieces_free(gzip->pieces);
	if (gzip->made == 0)
		free_block(gzip->block);
	for (size_t i = 0; i < gzip->made; i++)
		free_block(gzip->blocks[i]);
	free(gzip->blocks);
	free(gzip);
}
