/*
 * queue.c - a queue of pieces of work, of limited length, and the threads that
 * do the work; results are taken in the order of the pieces.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

#include "work/work.h"

/*
 * Enough for a parser or a decompressor. The default, often 8 MiB, counts in
 * full where addresses are limited (ulimit -v, --max-memory).
 */
#define STACK_SIZE ((size_t)2 << 20)

struct slot {
	void *memory; /* NULL: not opened yet */
	bool done;
};

/*
 * Pieces have numbers from 0 on: those below taken have been taken, those below
 * begun are worked on or done, those below put were put.
 */
struct cg_queue {
	struct cg_queue_how how;
	pthread_mutex_t lock;
	pthread_cond_t offered; /* there is a piece to begin, or the end */
	pthread_cond_t done;    /* a piece is done */
	uint64_t taken, begun, put;
	size_t busy; /* pieces that are worked on */
	bool ended;
	size_t threads, wanted; /* that were made; that may be made */
	pthread_t *thread;
	size_t slots; /* that are used */
	struct slot slot[];
};

static struct slot *
slot_of(struct cg_queue *queue, uint64_t piece)
{
	return &queue->slot[piece % queue->slots];
}

/* ---- Working: with the lock ---------------------------------------------- */

static bool
can_begin(const struct cg_queue *queue)
{
	return queue->begun < queue->put &&
	       !(queue->how.one_by_one && queue->busy > 0);
}

/*
 * Works on the next piece of the queue, in a thread or in the caller: runs
 * how.work() on it without the queue's lock, which the caller holds before and
 * after, and marks it as done.
 */
static void
work(struct cg_queue *queue)
{
	struct slot *slot = slot_of(queue, queue->begun++);

	queue->busy++;
	(void)pthread_mutex_unlock(&queue->lock);
	queue->how.work(slot->memory);
	(void)pthread_mutex_lock(&queue->lock);
	queue->busy--;
	slot->done = true;
	(void)pthread_cond_signal(&queue->done);
	if (can_begin(queue))
		(void)pthread_cond_signal(&queue->offered);
}

static void *
run(void *arg)
{
	struct cg_queue *queue = arg;

	(void)pthread_mutex_lock(&queue->lock);
	while (!queue->ended) {
		if (can_begin(queue))
			work(queue);
		else
			(void)pthread_cond_wait(&queue->offered, &queue->lock);
	}
	(void)pthread_mutex_unlock(&queue->lock);
	return NULL;
}

/* ---- Threads ------------------------------------------------------------- */

/*
 * Starts a thread of the queue, in which all signals are blocked, as the
 * program's own thread has to handle them. False: it cannot be made.
 */
static bool
make_thread(struct cg_queue *queue)
{
	pthread_t *thread = &queue->thread[queue->threads];
	sigset_t all, before;
	pthread_attr_t attr;
	bool made;

	if (pthread_attr_init(&attr) != 0)
		return false;
	(void)pthread_attr_setstacksize(&attr, STACK_SIZE);
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	made = pthread_create(thread, &attr, run, queue) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	(void)pthread_attr_destroy(&attr);
	return made;
}

/*
 * Starts one more thread of the queue if there are fewer than wanted. If that
 * fails, no more are tried, and the queue works with those that exist.
 */
static void
add_thread(struct cg_queue *queue)
{
	if (queue->threads == queue->wanted)
		return;
	if (make_thread(queue))
		queue->threads++;
	else
		queue->wanted = queue->threads;
}

/* ---- The caller ---------------------------------------------------------- */

struct cg_queue *
cg_queue_new(const struct cg_queue_how *how)
{
	size_t slots = how->slots > 0 ? how->slots : 1;
	struct cg_queue *queue =
	    calloc(1, sizeof(*queue) + slots * sizeof(*queue->slot));

	if (!queue)
		return NULL;
	queue->how = *how;
	queue->slots = slots;
	queue->wanted = how->threads > 0 ? how->threads - 1 : 0;
	/* More could never have something to do. */
	if (queue->wanted > (how->one_by_one ? 1 : slots))
		queue->wanted = how->one_by_one ? 1 : slots;
	queue->thread = calloc(queue->wanted + 1, sizeof(*queue->thread));
	if (!queue->thread) {
		free(queue);
		return NULL;
	}
	(void)pthread_mutex_init(&queue->lock, NULL);
	(void)pthread_cond_init(&queue->offered, NULL);
	(void)pthread_cond_init(&queue->done, NULL);
	return queue;
}

static void
close_slot(struct cg_queue *queue, struct slot *slot)
{
	if (slot->memory && queue->how.close)
		queue->how.close(slot->memory);
	free(slot->memory);
	slot->memory = NULL;
}

static bool
open_slot(struct cg_queue *queue, struct slot *slot)
{
	slot->memory = calloc(1, queue->how.size);
	if (slot->memory &&
	    (!queue->how.open || queue->how.open(slot->memory, queue->how.arg)))
		return true;
	close_slot(queue, slot);
	return false;
}

/*
 * Returns memory to fill for the next piece of work; cg_queue_put() then hands
 * it to the threads. NULL: all slots are in use, or out of memory. If a later
 * slot cannot be allocated, the queue becomes shorter.
 */
void *
cg_queue_slot(struct cg_queue *queue)
{
	struct slot *slot;

	if (queue->put - queue->taken == queue->slots)
		return NULL;
	slot = slot_of(queue, queue->put);
	if (!slot->memory && !open_slot(queue, slot)) {
		if (queue->put == 0)
			return NULL;
		(void)pthread_mutex_lock(&queue->lock);
		queue->slots = (size_t)queue->put;
		(void)pthread_mutex_unlock(&queue->lock);
		return cg_queue_slot(queue);
	}
	return slot->memory;
}

void
cg_queue_put(struct cg_queue *queue)
{
	bool more;

	(void)pthread_mutex_lock(&queue->lock);
	slot_of(queue, queue->put)->done = false;
	queue->put++;
	more = queue->put - queue->begun + queue->busy > queue->threads;
	(void)pthread_cond_signal(&queue->offered);
	(void)pthread_mutex_unlock(&queue->lock);
	if (more)
		add_thread(queue);
}

void *
cg_queue_take(struct cg_queue *queue)
{
	struct slot *slot = slot_of(queue, queue->taken);

	if (queue->taken == queue->put)
		return NULL;
	(void)pthread_mutex_lock(&queue->lock);
	while (!slot->done) {
		if (can_begin(queue))
			work(queue);
		else
			(void)pthread_cond_wait(&queue->done, &queue->lock);
	}
	(void)pthread_mutex_unlock(&queue->lock);
	queue->taken++;
	return slot->memory;
}

size_t
cg_queue_threads(const struct cg_queue *queue)
{
	return queue->threads;
}

void
cg_queue_free(struct cg_queue *queue)
{
	if (!queue)
		return;
	(void)pthread_mutex_lock(&queue->lock);
	queue->ended = true;
	(void)pthread_cond_broadcast(&queue->offered);
	(void)pthread_mutex_unlock(&queue->lock);
	for (size_t i = 0; i < queue->threads; i++)
		(void)pthread_join(queue->thread[i], NULL);
	for (size_t i = 0; i < queue->slots; i++)
		close_slot(queue, &queue->slot[i]);
	(void)pthread_cond_destroy(&queue->offered);
	(void)pthread_cond_destroy(&queue->done);
	(void)pthread_mutex_destroy(&queue->lock);
	free(queue->thread);
	free(queue);
}
