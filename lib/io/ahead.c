/*
 * ahead.c - decompresses in a thread what its caller reads next.
 *
 * The thread calls the stream as the caller would: limits, errors and the order
 * of both are the same. A message is kept until the caller has read what came
 * before it.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "io/io.h"

/* One read, as those of in.c: limits are checked after each. */
#define READ_SIZE ((ptrdiff_t)64 << 10)
/*
 * One block is being read, one is decompressed, one waits so that neither does.
 * They stay in a cache of 1 MiB; smaller ones wake up threads more often.
 */
#define BLOCKS 3
#define BLOCK_SIZE ((size_t)4 * READ_SIZE)

struct block {
	struct cg_ahead *ahead;
	size_t at, len; /* bytes that were read from it, that it has */
	bool last;      /* the end, or a failure, comes after it */
	uint64_t taken; /* cg_stream_taken() behind it */
	char bytes[BLOCK_SIZE];
};

struct cg_ahead {
	struct cg_pieces *pieces;
	struct cg_diag *diag;
	struct block *block; /* that the caller reads; NULL: none yet */
	int status;          /* of what was read */
	atomic_bool ended;   /* the caller needs no more */

	/* In the thread, until a block that is the last one was taken. */
	struct cg_stream *stream;
	bool over;           /* the stream has ended or failed */
	struct cg_kept kept; /* where the stream reports to */

	struct block blocks[BLOCKS];
};

/* ---- In the thread -------------------------------------------------------- */

/* A short read may come before a long wait: the caller gets it at once. */
static void
read_block(void *piece)
{
	struct block *block = piece;
	struct cg_ahead *ahead = block->ahead;
	ptrdiff_t got = READ_SIZE;

	block->at = block->len = 0;
	while (!ahead->over && got == READ_SIZE && block->len < BLOCK_SIZE) {
		got = cg_stream_read(
		    ahead->stream, block->bytes + block->len, READ_SIZE);
		if (got > 0)
			block->len += (size_t)got;
		else
			ahead->over = true;
	}
	block->last = ahead->over;
	block->taken = cg_stream_taken(ahead->stream);
}

/* ---- In the caller --------------------------------------------------------- */

struct cg_ahead *
cg_ahead_new(struct cg_stream *stream)
{
	const struct cg_pieces_how how = { .threads = 2,
		.room = BLOCKS,
		.work = read_block,
		.one_by_one = true };
	struct cg_ahead *ahead = malloc(sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->pieces = cg_pieces_new(&how);
	ahead->diag = stream->diag;
	ahead->block = NULL;
	ahead->status = CG_OK;
	atomic_init(&ahead->ended, false);
	ahead->stream = stream;
	ahead->over = false;
	cg_kept_begin(&ahead->kept, stream->diag);
	if (!ahead->pieces ||
	    !cg_stream_detach(stream, &ahead->kept.diag, &ahead->ended)) {
		cg_pieces_free(ahead->pieces);
		free(ahead);
		return NULL;
	}
	for (size_t i = 0; i < BLOCKS; i++) {
		ahead->blocks[i].ahead = ahead;
		cg_pieces_put(ahead->pieces, &ahead->blocks[i]);
	}
	ahead->block = cg_pieces_take(ahead->pieces);
	return ahead;
}

/* The last block was read: tells what came after it. */
static ptrdiff_t
end(struct cg_ahead *ahead)
{
	ahead->status = ahead->stream->status;
	cg_kept_say(&ahead->kept, ahead->diag);
	return ahead->status == CG_OK ? 0 : -1;
}

ptrdiff_t
cg_ahead_read(struct cg_ahead *ahead, char *buf, size_t size)
{
	struct block *block = ahead->block;
	size_t n;

	while (block->at == block->len) {
		if (block->last)
			return end(ahead);
		cg_pieces_put(ahead->pieces, block);
		block = ahead->block = cg_pieces_take(ahead->pieces);
	}
	n = block->len - block->at < size ? block->len - block->at : size;
	memcpy(buf, block->bytes + block->at, n);
	block->at += n;
	return (ptrdiff_t)n;
}

int
cg_ahead_status(const struct cg_ahead *ahead)
{
	return ahead->status;
}

uint64_t
cg_ahead_taken(const struct cg_ahead *ahead)
{
	return ahead->block->taken;
}

void
cg_ahead_free(struct cg_ahead *ahead)
{
	if (!ahead)
		return;
	atomic_store(&ahead->ended, true);
	cg_pieces_free(ahead->pieces);
	free(ahead);
}
