/*
 * next.c - threads prepare the inputs that a reader reads next.
 *
 * The reader opens and reads every input itself, so messages, filters and what
 * an input is do not depend on this: what was prepared only saves it work.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "job/job.h"

/* Inputs besides those that are worked on: the reader may be slower. */
#define SPARE 1
/*
 * Adding inputs, which the reader does, takes longer than preparing them. More
 * threads would only need more memory.
 */
#define THREADS_MOST 2

struct slot {
	const struct cg_next_how *how;
	const char *path;
	size_t number; /* of the input */
	void *own;
};

struct cg_next {
	struct cg_next_how how;
	struct cg_pieces *pieces;
	size_t put, taken; /* slots; they are used in turns */
	size_t number;     /* of the input that is put next */
	size_t slots;
	struct slot slot[];
};

/* ---- In any thread ------------------------------------------------------- */

static void
prepare(void *piece)
{
	const struct slot *slot = piece;

	slot->how->prepare(slot->how->arg, slot->path, slot->own);
}

/* ---- In the reader's thread ---------------------------------------------- */

struct cg_next *
cg_next_new(const struct cg_next_how *how)
{
	const size_t all = how->job->threads;
	const size_t threads = all < THREADS_MOST ? all : THREADS_MOST;
	const size_t room = threads + SPARE;
	const struct cg_pieces_how work = {
		.threads = threads, .room = room, .work = prepare
	};
	struct cg_next *next;
	bool ok;

	if (threads < 2)
		return NULL;
	/* One more, which the reader uses. */
	next = calloc(1, sizeof(*next) + (room + 1) * sizeof(*next->slot));
	if (!next)
		return NULL;
	next->how = *how;
	next->slots = room + 1;
	next->pieces = cg_pieces_new(&work);
	ok = next->pieces != NULL;
	for (size_t i = 0; ok && i < next->slots; i++) {
		next->slot[i].how = &next->how;
		next->slot[i].own = calloc(1, how->own);
		ok = next->slot[i].own != NULL;
	}
	if (ok)
		return next;
	cg_next_free(next);
	return NULL;
}

void
cg_next_free(struct cg_next *next)
{
	if (!next)
		return;
	cg_pieces_free(next->pieces);
	for (size_t i = 0; i < next->slots; i++) {
		if (next->slot[i].own)
			next->how.close(next->slot[i].own);
		free(next->slot[i].own);
	}
	free(next);
}

/* What was prepared of the current input; drops what of those before it. */
static void *
take(struct cg_next *next)
{
	const size_t current = next->how.job->current;
	const struct slot *slot;

	while (next->taken < next->put) {
		slot = &next->slot[next->taken % next->slots];
		if (slot->number > current)
			break;
		(void)cg_pieces_take(next->pieces);
		next->taken++;
		if (slot->number == current)
			return slot->own;
	}
	return NULL;
}

void *
cg_next_take(struct cg_next *next)
{
	const struct cg_job *job = next->how.job;
	void *own = take(next);
	struct slot *slot;

	if (next->number <= job->current)
		next->number = job->current + 1;
	while (next->number < job->inputs && !cg_pieces_full(next->pieces) &&
	       !cg_companion_in_memory(job)) {
		slot = &next->slot[next->put++ % next->slots];
		slot->path = job->input[next->number];
		slot->number = next->number++;
		cg_pieces_put(next->pieces, slot);
	}
	return own;
}
