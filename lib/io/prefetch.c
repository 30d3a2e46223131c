/*
 * prefetch.c - decompresses in a thread what its caller reads next.
 *
 * The thread calls the stream as the caller would: limits, errors and the order
 * of both are the same. A message is kept until the caller has read what came
 * before it.
 */
#include <stdlib.h>

#include "io/io.h"
#include "work/work.h"

/* One read, as those of in.c: limits are checked after each. */
#define READ_SIZE ((ptrdiff_t)64 << 10)
/*
 * One block is being read, one is decompressed, one waits so that neither does.
 * They stay in a cache of 1 MiB; smaller ones wake up threads more often.
 */
#define BLOCKS 3
#define BLOCK_SIZE ((size_t)4 * READ_SIZE)

struct block {
	struct cg_prefetch *prefetch;
	size_t at, len; /* bytes that were read from it, that it has */
	bool last;      /* the end, or a failure, comes after it */
	uint64_t taken; /* cg_stream_taken() behind it */
	char bytes[BLOCK_SIZE];
};

struct cg_prefetch {
	struct cg_queue *queue;
	struct cg_diag *diag;
	struct block *block; /* that the caller reads */
	int status;          /* of what was read */
	atomic_bool ended;   /* the caller needs no more */

	/* In the thread, until a block that is the last one was taken. */
	struct cg_stream *stream;
	bool over;           /* the stream has ended or failed */
	struct cg_kept kept; /* where the stream reports to */
};

/* ---- In the thread ------------------------------------------------------- */

/*
 * Fills a block of the queue from the stream, in the thread. A short read ends
 * the block, as the next read may wait long. Sets block->last at the end of
 * the stream or on an error.
 */
static void
read_block(void *slot)
{
	struct block *block = slot;
	struct cg_prefetch *prefetch = block->prefetch;
	ptrdiff_t got = READ_SIZE;

	block->at = block->len = 0;
	while (!prefetch->over && got == READ_SIZE && block->len < BLOCK_SIZE) {
		got = cg_stream_read(
		    prefetch->stream, block->bytes + block->len, READ_SIZE);
		if (got > 0)
			block->len += (size_t)got;
		else
			prefetch->over = true;
	}
	block->last = prefetch->over;
	block->taken = cg_stream_taken(prefetch->stream);
}

/* ---- In the caller ------------------------------------------------------- */

static bool
open_block(void *slot, void *arg)
{
	struct block *block = slot;

	block->prefetch = arg;
	return true;
}

/*
 * Hands all free slots of the queue to the thread to be filled, and takes the
 * oldest filled block as the current one, waiting for it.
 */
static void
next_block(struct cg_prefetch *prefetch)
{
	while (cg_queue_slot(prefetch->queue))
		cg_queue_put(prefetch->queue);
	prefetch->block = cg_queue_take(prefetch->queue);
}

struct cg_prefetch *
cg_prefetch_new(struct cg_stream *stream)
{
	struct cg_prefetch *prefetch = calloc(1, sizeof(*prefetch));
	const struct cg_queue_how how = { .threads = 2,
		.slots = BLOCKS,
		.size = sizeof(struct block),
		.arg = prefetch,
		.open = open_block,
		.work = read_block,
		.one_by_one = true };

	if (!prefetch)
		return NULL;
	prefetch->queue = cg_queue_new(&how);
	prefetch->diag = stream->diag;
	prefetch->status = CG_OK;
	atomic_init(&prefetch->ended, false);
	prefetch->stream = stream;
	cg_kept_begin(&prefetch->kept, stream->diag);
	if (prefetch->queue && cg_queue_slot(prefetch->queue) &&
	    cg_stream_detach(stream, &prefetch->kept.diag, &prefetch->ended)) {
		next_block(prefetch);
		return prefetch;
	}
	cg_queue_free(prefetch->queue);
	free(prefetch);
	return NULL;
}

/*
 * Ends reading after the last block: takes over the stream's status, reports
 * the messages that were held back until its bytes were read, and returns 0,
 * or -1 for an error.
 */
static ptrdiff_t
end(struct cg_prefetch *prefetch)
{
	prefetch->status = prefetch->stream->status;
	cg_kept_say(&prefetch->kept, prefetch->diag);
	return prefetch->status == CG_OK ? 0 : -1;
}

ptrdiff_t
cg_prefetch_read(struct cg_prefetch *prefetch, char *buf, size_t size)
{
	struct block *block = prefetch->block;
	size_t n;

	while (block->at == block->len) {
		if (block->last)
			return end(prefetch);
		next_block(prefetch);
		block = prefetch->block;
	}
	n = block->len - block->at < size ? block->len - block->at : size;
	memcpy(buf, block->bytes + block->at, n);
	block->at += n;
	return (ptrdiff_t)n;
}

int
cg_prefetch_status(const struct cg_prefetch *prefetch)
{
	return prefetch->status;
}

uint64_t
cg_prefetch_taken(const struct cg_prefetch *prefetch)
{
	return prefetch->block->taken;
}

void
cg_prefetch_free(struct cg_prefetch *prefetch)
{
	if (!prefetch)
		return;
	atomic_store(&prefetch->ended, true);
	cg_queue_free(prefetch->queue);
	free(prefetch);
}
