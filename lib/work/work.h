/*
 * work.h - the one way to work in threads: a queue of numbered pieces.
 *
 *	      fill            work              take
 *	caller ---> slot 0  <--- thread 1
 *	            slot 1  <--- thread 2
 *	            slot 2  <--- caller, while it waits
 *	            slot 3                      ---> caller, in order
 *
 * Piece n is in slot n % slots. The caller fills slots and puts them; threads
 * work on them; the caller takes them in the order in which it has put them. So
 * the result never depends on how many threads there are. The caller is one of
 * them: it works while it waits. With one thread, or if no more can be made, it
 * does all the work itself, in cg_queue_take().
 *
 *	queue = cg_queue_new(&how);
 *	for each piece:
 *		while (!(slot = cg_queue_slot(queue)))
 *			use(cg_queue_take(queue));
 *		fill(slot);
 *		cg_queue_put(queue);
 *	while ((slot = cg_queue_take(queue)))
 *		use(slot);
 *	cg_queue_free(queue);
 *
 * A slot has memory of its own, such as buffers that pieces use in turns.
 *
 * Its users: io/prefetch.c decompresses what is read next, one piece after the
 * other; io/compress.c compresses blocks; job/texts.c parses blocks of lines;
 * job/ranges.c formats ranges of an output, each in a piece with an output in
 * memory. Nothing else makes a thread.
 *
 * All calls on one queue come from one thread.
 */
#ifndef CG_WORK_H
#define CG_WORK_H

#include <stdbool.h>
#include <stddef.h>

struct cg_queue;

struct cg_queue_how {
	size_t threads; /* that work, with the caller; 0 is 1 */
	size_t slots;   /* pieces at once, with one that is taken; 0 is 1 */
	size_t size;    /* bytes of a slot, zeros before open() */
	void *arg;
	/*
	 * Sets up a slot before its first piece, in the caller. False: out of
	 * memory. Or NULL.
	 */
	bool (*open)(void *slot, void *arg);
	/*
	 * Works on a piece, in any thread, with signals blocked unless it is
	 * the caller's. Keeps failures in the slot: the caller reports them
	 * when it takes the slot, so that the first in order is the first
	 * reported.
	 */
	void (*work)(void *slot);
	/* Frees what a slot has, also after open() has failed. Or NULL. */
	void (*close)(void *slot);
	/* Each piece is begun after the one before has been done. */
	bool one_by_one;
};

/*
 * Returns a new queue; NULL: out of memory (not reported). No thread is made
 * before it is needed.
 */
struct cg_queue *cg_queue_new(const struct cg_queue_how *);
/*
 * Returns the slot of the next piece; a slot that was taken is not valid any
 * more. NULL: the caller must take a piece first or, if there is none to take,
 * memory ran out.
 */
void *cg_queue_slot(struct cg_queue *);
/* Hands over the piece in the slot that cg_queue_slot() has returned. */
void cg_queue_put(struct cg_queue *);
/*
 * Returns the oldest piece that was not taken, when its work is done; valid
 * until the next cg_queue_slot(). NULL: there is none.
 */
void *cg_queue_take(struct cg_queue *);
/* Returns how many threads were made so far, besides the caller. */
size_t cg_queue_threads(const struct cg_queue *);
/*
 * Waits for the pieces that are being worked on, ends the threads and closes
 * the slots. Pieces that nobody has begun are left as they are. NULL is
 * allowed.
 */
void cg_queue_free(struct cg_queue *);

#endif
