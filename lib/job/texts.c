/*
 * texts.c - threads parse the text that a reader takes next, in its order.
 *
 * Blocks lie in windows of the input. While those of one are taken, the next one
 * is read and its blocks are parsed: so threads do not wait for the reader. The
 * input knows locations in both.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pieces.h"
#include "job/job.h"

/* What a thread parses at once: it stays in the cache with what comes of it. */
#define TEXT_SIZE ((size_t)128 << 10)
/* It takes about 1 ms to parse so much, and 0.1 ms to make a thread. */
#define THREADS_FROM ((size_t)256 << 10)
/* Blocks in a window, besides those that are worked on. */
#define SPARE 2
/* The reader does not take texts faster than so many threads parse them. */
#define THREADS_MOST 8

struct block {
	struct cg_text shown; /* to the format */
	const struct cg_texts *texts;
	bool ok; /* it was parsed */
};

struct cg_texts {
	struct cg_texts_how how;
	struct cg_pieces *pieces;
	bool alone;           /* the window is too small for threads */
	bool more;            /* another window may be read beside this one */
	struct cg_slice rest; /* of the window, not given to threads yet */
	size_t window;        /* its size, in bytes */
	size_t used, taken;   /* blocks so far, and those that were taken */
	size_t from;          /* blocks before this window */
	size_t room;          /* how many there are */
	struct block block[];
};

/* ---- In any thread ------------------------------------------------------- */

static void
parse_block(void *piece)
{
	struct block *block = piece;

	block->ok =
	    block->texts->how.parse(block->texts->how.arg, &block->shown);
}

/* ---- In the reader's thread ---------------------------------------------- */

size_t
cg_texts_threads(const struct cg_job *job, const struct cg_in *in)
{
	size_t threads = job->threads;

	if (threads > 1 && cg_in_filters(in)[0] != '\0')
		threads--;
	if (threads > THREADS_MOST)
		threads = THREADS_MOST;
	return threads > 0 ? threads : 1;
}

struct cg_texts *
cg_texts_new(const struct cg_texts_how *how)
{
	const size_t threads = cg_texts_threads(how->job, how->in);
	const struct cg_pieces_how work = { .threads = threads,
		.room = threads > 1 ? 2 * (threads + SPARE) : 1,
		.work = parse_block };
	struct cg_texts *texts =
	    calloc(1, sizeof(*texts) + work.room * sizeof(*texts->block));
	bool ok;

	if (texts == NULL)
		return NULL;
	texts->how = *how;
	texts->room = work.room;
	texts->window = TEXT_SIZE * (work.room > 1 ? work.room / 2 : 1);
	texts->pieces = cg_pieces_new(&work);
	ok = texts->pieces != NULL;
	for (size_t i = 0; ok && i < texts->room; i++) {
		texts->block[i].texts = texts;
		texts->block[i].shown.own = calloc(1, how->own);
		ok = texts->block[i].shown.own != NULL;
	}
	if (ok)
		return texts;
	cg_texts_free(texts);
	return NULL;
}

void
cg_texts_free(struct cg_texts *texts)
{
	if (!texts)
		return;
	cg_pieces_free(texts->pieces);
	for (size_t i = 0; i < texts->room; i++) {
		if (texts->block[i].shown.own)
			texts->how.close(texts->block[i].shown.own);
		free(texts->block[i].shown.own);
	}
	free(texts);
}

/* Takes whole lines off the text: as many as fit, at least one. */
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

static struct block *
next_block(struct cg_texts *texts)
{
	struct block *block = &texts->block[texts->used++ % texts->room];

	block->shown.text = take_lines(&texts->rest);
	return block;
}

/*
 * Reads a window beside the current one, which must be the only one in use.
 * False: there is none now.
 */
static bool
read_beside(struct cg_texts *texts)
{
	if (!texts->more || texts->taken < texts->from)
		return false;
	texts->more =
	    cg_read_more_lines(texts->how.in, texts->window, &texts->rest);
	texts->from = texts->used;
	return texts->more;
}

/* The next block, parsed; NULL: there is none before a window is read. */
static struct block *
take_block(struct cg_texts *texts)
{
	struct block *block;

	if (texts->alone) {
		block = texts->rest.len > 0 ? next_block(texts) : NULL;
		if (block)
			parse_block(block);
		return block;
	}
	while (!cg_pieces_full(texts->pieces) &&
	       (texts->rest.len > 0 || read_beside(texts)))
		cg_pieces_put(texts->pieces, next_block(texts));
	block = cg_pieces_take(texts->pieces);
	texts->taken += block != NULL;
	return block;
}

/* Reads a window when no block is in use; false as cg_read_block(). */
static bool
read_window(struct cg_texts *texts)
{
	if (!cg_read_lines(texts->how.in, texts->window, &texts->rest))
		return false;
	texts->alone = texts->room == 1 || texts->rest.len < THREADS_FROM;
	texts->more = !texts->alone;
	texts->from = texts->taken = texts->used;
	return true;
}

bool
cg_next_text(struct cg_texts *texts, struct cg_text **text)
{
	struct block *block = take_block(texts);

	if (!block) {
		if (!read_window(texts))
			return false;
		block = take_block(texts);
	}
	if (!block->ok)
		return cg_reject_nomem(texts->how.job);
	*text = &block->shown;
	return true;
}
