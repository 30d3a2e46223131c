/*
 * pieces.h - work in numbered pieces, which threads do and one caller takes in
 * order: so what comes out never depends on how many threads there were.
 *
 *	pieces = cg_pieces_new(&(struct cg_pieces_how){ threads, room, work });
 *	for each piece:
 *		if (cg_pieces_full(pieces))
 *			use(cg_pieces_take(pieces));
 *		cg_pieces_put(pieces, piece);
 *	while ((piece = cg_pieces_take(pieces)))
 *		use(piece);
 *	cg_pieces_free(pieces);
 *
 * The caller is one of the threads: it works while it waits. With one thread,
 * or if no more can be made, it does all the work itself, in cg_pieces_take().
 *
 * All calls on one struct come from one thread. Pieces belong to the caller,
 * who leaves them alone from cg_pieces_put() until cg_pieces_take().
 */
#ifndef CG_PIECES_H
#define CG_PIECES_H

#include <stdbool.h>
#include <stddef.h>

struct cg_pieces;

struct cg_pieces_how {
	size_t threads; /* that work, with the caller; 0 is 1 */
	size_t room;    /* how many pieces may be put and not yet taken */
	/*
	 * Does the work of a piece, in any thread, with signals blocked unless
	 * it is the caller's. It keeps failures in the piece: the caller reports
	 * them when it takes it, so that the first in order is the first told.
	 */
	void (*work)(void *piece);
	/* Each piece is begun after the one before has been done. */
	bool one_by_one;
};

/* NULL: out of memory (not reported). No thread is made before it is needed. */
struct cg_pieces *cg_pieces_new(const struct cg_pieces_how *);
/* True if a piece has to be taken before the next one is put. */
bool cg_pieces_full(const struct cg_pieces *);
/* Hands over the next piece. There must be room. */
void cg_pieces_put(struct cg_pieces *, void *piece);
/*
 * The oldest piece that was not taken, when its work is done; NULL: there is
 * none.
 */
void *cg_pieces_take(struct cg_pieces *);
/* How many threads were made so far, besides the caller. */
size_t cg_pieces_threads(const struct cg_pieces *);
/*
 * Waits for the pieces that are being worked on, and ends the threads. Pieces
 * that nobody has begun are left as they are. NULL is allowed.
 */
void cg_pieces_free(struct cg_pieces *);

#endif
