/*
 * pieces.c - a bounded queue of numbered pieces, and the threads that work on
 * them.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/pieces.h"

/*
 * Enough for a reader, and for names up to CG_DEMANGLE_MOST. The default, often
 * 8 MiB, counts in full where addresses are limited (ulimit -v, --max-memory).
 */
#define STACK_SIZE ((size_t)2 << 20)

struct slot {
	void *piece;
	bool done;
};

/*
 * Pieces have numbers from 0 on: those below taken have been taken, those below
 * begun are worked on or done, those below put were put. Piece n is in slot n %
 * room.
 */
struct cg_pieces {
	struct cg_pieces_how how;
	pthread_mutex_t lock;
	pthread_cond_t offered; /* there is a piece to begin, or the end */
	pthread_cond_t done;    /* a piece is done */
	uint64_t taken, begun, put;
	size_t busy; /* pieces that are worked on */
	bool ended;
	size_t threads, wanted; /* that were made; that may be made */
	pthread_t *thread;
	struct slot slot[];
};

/* ---- Working: with the lock ---------------------------------------------- */

static bool
can_begin(const struct cg_pieces *pieces)
{
	return pieces->begun < pieces->put &&
	       !(pieces->how.one_by_one && pieces->busy > 0);
}

/* Works on the next piece; releases the lock meanwhile. */
static void
work(struct cg_pieces *pieces)
{
	struct slot *slot = &pieces->slot[pieces->begun++ % pieces->how.room];

	pieces->busy++;
	(void)pthread_mutex_unlock(&pieces->lock);
	pieces->how.work(slot->piece);
	(void)pthread_mutex_lock(&pieces->lock);
	pieces->busy--;
	slot->done = true;
	(void)pthread_cond_signal(&pieces->done);
	if (can_begin(pieces))
		(void)pthread_cond_signal(&pieces->offered);
}

static void *
run(void *arg)
{
	struct cg_pieces *pieces = arg;

	(void)pthread_mutex_lock(&pieces->lock);
	while (!pieces->ended) {
		if (can_begin(pieces))
			work(pieces);
		else
			(void)pthread_cond_wait(
			    &pieces->offered, &pieces->lock);
	}
	(void)pthread_mutex_unlock(&pieces->lock);
	return NULL;
}

/* ---- Threads ------------------------------------------------------------- */

/* Signals are the program's business: they interrupt its own thread. */
static bool
make_thread(struct cg_pieces *pieces)
{
	pthread_t *thread = &pieces->thread[pieces->threads];
	sigset_t all, before;
	pthread_attr_t attr;
	bool made;

	if (pthread_attr_init(&attr) != 0)
		return false;
	(void)pthread_attr_setstacksize(&attr, STACK_SIZE);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	made = pthread_create(thread, &attr, run, pieces) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return made;
}

/* Makes one more if all are busy. If that fails, there will be no more. */
static void
add_thread(struct cg_pieces *pieces)
{
	if (pieces->threads == pieces->wanted)
		return;
	if (make_thread(pieces))
		pieces->threads++;
	else
		pieces->wanted = pieces->threads;
}

/* ---- The caller ---------------------------------------------------------- */

struct cg_pieces *
cg_pieces_new(const struct cg_pieces_how *how)
{
	size_t room = how->room > 0 ? how->room : 1;
	struct cg_pieces *pieces =
	    calloc(1, sizeof(*pieces) + room * sizeof(*pieces->slot));

	if (!pieces)
		return NULL;
	pieces->how = *how;
	pieces->how.room = room;
	pieces->wanted = how->threads > 0 ? how->threads - 1 : 0;
	/* More could never have something to do. */
	if (pieces->wanted > (how->one_by_one ? 1 : room))
		pieces->wanted = how->one_by_one ? 1 : room;
	pieces->thread = calloc(pieces->wanted + 1, sizeof(*pieces->thread));
	if (!pieces->thread) {
		free(pieces);
		return NULL;
	}
	(void)pthread_mutex_init(&pieces->lock, NULL);
	(void)pthread_cond_init(&pieces->offered, NULL);
	(void)pthread_cond_init(&pieces->done, NULL);
	return pieces;
}

bool
cg_pieces_full(const struct cg_pieces *pieces)
{
	return pieces->put - pieces->taken == pieces->how.room;
}

void
cg_pieces_put(struct cg_pieces *pieces, void *piece)
{
	bool more;

	(void)pthread_mutex_lock(&pieces->lock);
	pieces->slot[pieces->put % pieces->how.room] =
	    (struct slot){ .piece = piece };
	pieces->put++;
	more = pieces->put - pieces->begun + pieces->busy > pieces->threads;
	(void)pthread_cond_signal(&pieces->offered);
	(void)pthread_mutex_unlock(&pieces->lock);
	if (more)
		add_thread(pieces);
}

void *
cg_pieces_take(struct cg_pieces *pieces)
{
	struct slot *slot = &pieces->slot[pieces->taken % pieces->how.room];

	if (pieces->taken == pieces->put)
		return NULL;
	(void)pthread_mutex_lock(&pieces->lock);
	while (!slot->done) {
		if (can_begin(pieces))
			work(pieces);
		else
			(void)pthread_cond_wait(&pieces->done, &pieces->lock);
	}
	(void)pthread_mutex_unlock(&pieces->lock);
	pieces->taken++;
	return slot->piece;
}

size_t
cg_pieces_threads(const struct cg_pieces *pieces)
{
	return pieces->threads;
}

void
cg_pieces_free(struct cg_pieces *pieces)
{
	if (!pieces)
		return;
	(void)pthread_mutex_lock(&pieces->lock);
	pieces->ended = true;
	(void)pthread_cond_broadcast(&pieces->offered);
	(void)pthread_mutex_unlock(&pieces->lock);
	for (size_t i = 0; i < pieces->threads; i++)
		(void)pthread_join(pieces->thread[i], NULL);
	(void)pthread_cond_destroy(&pieces->offered);
	(void)pthread_cond_destroy(&pieces->done);
	(void)pthread_mutex_destroy(&pieces->lock);
	free(pieces->thread);
	free(pieces);
}
