/*
 * texts.c - threads parse the text that a reader takes next, in its order.
 *
 * Blocks lie in windows of the input. While those of one are taken, the next
 * one is read and its blocks are parsed: so threads do not wait for the
 * reader. The input knows locations in both.
 */
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
#include "work/work.h"

/* A block of text: it stays in the cache with what is made of it. */
#define TEXT_SIZE ((size_t)128 << 10)
/* It takes about 1 ms to parse 256 KiB, and 0.1 ms to make a thread. */
#define THREADS_FROM ((size_t)256 << 10)
/* Blocks in a window, in addition to one for each thread. */
#define SPARE 2
/* The reader does not take blocks faster than 8 threads parse them. */
#define THREADS_MOST 8

struct block {
	struct cg_text shown; /* to the format */
	const struct cg_texts *texts;
	bool ok; /* it was parsed */
	max_align_t own[];
};

struct cg_texts {
	struct cg_texts_how how;
	struct cg_queue *queue;
	bool threaded;        /* there are threads, and the window is large */
	bool more;            /* a second window may be read */
	struct cg_slice rest; /* of the window, not in blocks yet */
	size_t window;        /* its size, in bytes */
	size_t used, taken;   /* blocks that were put, and taken */
	size_t from;          /* blocks before this window */
};

/* ---- In any thread ------------------------------------------------------- */

static void
parse_block(void *slot)
{
	struct block *block = slot;

	block->ok =
	    block->texts->how.parse(block->texts->how.arg, &block->shown);
}

/* ---- In the reader's thread ---------------------------------------------- */

/*
 * Returns the number of threads that parse, the caller included: that of the
 * job, minus the one that decompresses the input, at most THREADS_MOST.
 */
static size_t
count_threads(const struct cg_job *job, const struct cg_in *in)
{
	size_t threads = job->threads;

	if (threads > 1 && cg_in_filters(in)[0] != '\0')
		threads--;
	if (threads > THREADS_MOST)
		threads = THREADS_MOST;
	return threads > 0 ? threads : 1;
}

static bool
open_block(void *slot, void *arg)
{
	struct block *block = slot;

	block->texts = arg;
	block->shown.own = block->own;
	return true;
}

static void
close_block(void *slot)
{
	struct block *block = slot;

	block->texts->how.close(block->own);
}

struct cg_texts *
cg_texts_new(const struct cg_texts_how *how)
{
	const size_t threads = count_threads(how->job, how->in);
	const size_t blocks = threads > 1 ? threads + SPARE : 1;
	struct cg_texts *texts = calloc(1, sizeof(*texts));

	if (!texts)
		return NULL;
	texts->how = *how;
	texts->window = TEXT_SIZE * blocks;
	texts->queue = cg_queue_new(&(struct cg_queue_how){ .threads = threads,
	    .slots = threads > 1 ? 2 * blocks : 1,
	    .size = sizeof(struct block) + how->own,
	    .arg = texts,
	    .open = open_block,
	    .work = parse_block,
	    .close = close_block });
	if (texts->queue)
		return texts;
	free(texts);
	return NULL;
}

void
cg_texts_free(struct cg_texts *texts)
{
	if (!texts)
		return;
	cg_queue_free(texts->queue);
	free(texts);
}

/*
 * Takes whole lines off the start of the text, as many as fit into TEXT_SIZE
 * bytes but at least one, and returns them. text ends with a newline.
 */
static struct cg_slice
take_lines(struct cg_slice *text)
{
	struct cg_slice lines = *text;
	size_t n = TEXT_SIZE;

	if (lines.len > n) {
		while (n > 0 && lines.ptr[n - 1] != '\n')
			n--;
		if (n == 0) /* a long line */
			n = (size_t)((const char *)memchr(
					 lines.ptr, '\n', lines.len) -
				     lines.ptr) +
			    1;
		lines.len = n;
	}
	text->ptr += lines.len;
	text->len -= lines.len;
	return lines;
}

/*
 * True if there is text for another block. At the end of the window reads the
 * next one, if texts->more. Does not while blocks of an earlier window are in
 * use, as only two windows stay valid.
 */
static bool
has_text(struct cg_texts *texts)
{
	if (texts->rest.len == 0 && texts->more &&
	    texts->taken >= texts->from) {
		texts->more = cg_read_more_lines(
		    texts->how.in, texts->window, &texts->rest);
		texts->from = texts->used;
	}
	return texts->rest.len > 0;
}

/*
 * Returns the oldest queued block of lines, parsed. Before that, queues blocks
 * for other threads as long as there is text and room. Without threads, parses
 * one block itself and returns it. NULL: no block is left until read_window()
 * reads more.
 */
static struct block *
take_block(struct cg_texts *texts)
{
	struct block *block;

	while (has_text(texts) && (block = cg_queue_slot(texts->queue))) {
		block->shown.text = take_lines(&texts->rest);
		texts->used++;
		if (!texts->threaded) {
			parse_block(block);
			return block;
		}
		cg_queue_put(texts->queue);
	}
	block = cg_queue_take(texts->queue);
	texts->taken += block != NULL;
	return block;
}

/*
 * Reads the next window of whole lines of the input, when no block of the last
 * one is in use, and decides whether it is worth threads. False: at the end,
 * or an error.
 */
static bool
read_window(struct cg_texts *texts)
{
	if (!cg_read_lines(texts->how.in, texts->window, &texts->rest))
		return false;
	texts->threaded =
	    texts->window > TEXT_SIZE && texts->rest.len >= THREADS_FROM;
	texts->more = texts->threaded;
	texts->from = texts->taken = texts->used;
	return true;
}

bool
cg_next_text(struct cg_texts *texts, struct cg_text **text)
{
	struct block *block = take_block(texts);

	if (!block) {
		if (texts->rest.len == 0 && !read_window(texts))
			return false;
		block = take_block(texts);
	}
	if (!block || !block->ok)
		return cg_reject_nomem(texts->how.job);
	*text = &block->shown;
	return true;
}
