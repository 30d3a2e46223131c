/*
 * pieces.c - tests work in numbered pieces: order, each once, any number of
 * threads. Without data races, too: make B=build/tsan CC=clang
 * CFLAGS="-O1 -g -fsanitize=thread" build/tsan/tests/unit/pieces
 */
#include <pthread.h>
#include <stdatomic.h>

#include "base/pieces.h"
#include "unit.h"

#define PIECES 300
#define ROOM_MAX 5

struct piece {
	uint64_t number, result;
	unsigned works; /* how often it was worked on */
	struct shared *shared;
};

struct shared {
	atomic_uint busy, most; /* pieces at once */
	uint64_t last;          /* one by one: without a lock */
	bool one_by_one, ordered;
	pthread_t caller;
	atomic_bool elsewhere; /* a thread that is not the caller worked */
};

/* Takes a while, which differs. */
static uint64_t
solve(uint64_t number)
{
	uint64_t state = number + 1;

	for (uint64_t i = 0; i < number * 7919 % 3000; i++)
		(void)unit_random(&state);
	return state;
}

static void
work(void *arg)
{
	struct piece *piece = arg;
	struct shared *shared = piece->shared;
	unsigned busy = atomic_fetch_add(&shared->busy, 1) + 1;
	unsigned most = atomic_load(&shared->most);

	while (busy > most &&
	       !atomic_compare_exchange_weak(&shared->most, &most, busy))
		;
	if (!pthread_equal(pthread_self(), shared->caller))
		atomic_store(&shared->elsewhere, true);
	if (shared->one_by_one) {
		shared->ordered &= piece->number == shared->last + 1;
		shared->last = piece->number;
	}
	piece->works++;
	piece->result = solve(piece->number);
	(void)atomic_fetch_sub(&shared->busy, 1);
}

static bool
is_right(const struct piece *piece, uint64_t number)
{
	return piece && piece->number == number && piece->works == 1 &&
	       piece->result == solve(number);
}

/* Puts numbers from 1 on, takes them in order. */
static void
try(size_t threads, size_t room, bool one_by_one)
{
	struct shared shared = { .one_by_one = one_by_one,
		.ordered = true,
		.caller = pthread_self() };
	struct cg_pieces *pieces =
	    cg_pieces_new(&(struct cg_pieces_how){ .threads = threads,
		.room = room,
		.work = work,
		.one_by_one = one_by_one });
	struct piece piece[ROOM_MAX];
	uint64_t taken = 0;
	bool right = true;

	if (!CHECK(pieces))
		return;
	CHECK(!cg_pieces_take(pieces));
	for (uint64_t n = 1; n <= PIECES; n++) {
		if (cg_pieces_full(pieces))
			right &= is_right(cg_pieces_take(pieces), ++taken);
		piece[n % room] =
		    (struct piece){ .number = n, .shared = &shared };
		cg_pieces_put(pieces, &piece[n % room]);
	}
	while (taken < PIECES)
		right &= is_right(cg_pieces_take(pieces), ++taken);
	CHECK(right && shared.ordered);
	CHECK(!cg_pieces_take(pieces));
	CHECK(atomic_load(&shared.most) <=
	      (one_by_one || threads == 0 ? 1 : threads));
	CHECK(cg_pieces_threads(pieces) < threads || threads == 0);
	CHECK(cg_pieces_threads(pieces) > 0 || threads < 2);
	CHECK(threads > 1 || !atomic_load(&shared.elsewhere));
	cg_pieces_free(pieces);
}

/* Pieces that nobody takes: none is worked on after the end. */
static void
abandon(size_t threads)
{
	struct shared shared = { .caller = pthread_self() };
	struct cg_pieces *pieces = cg_pieces_new(&(struct cg_pieces_how){
	    .threads = threads, .room = ROOM_MAX, .work = work });
	struct piece piece[ROOM_MAX];
	size_t works = 0;

	for (uint64_t n = 0; n < ROOM_MAX; n++) {
		piece[n] = (struct piece){ .number = n, .shared = &shared };
		cg_pieces_put(pieces, &piece[n]);
	}
	CHECK(cg_pieces_full(pieces));
	cg_pieces_free(pieces);
	for (size_t n = 0; n < ROOM_MAX; n++)
		works += piece[n].works;
	CHECK(atomic_load(&shared.busy) == 0);
	CHECK(threads > 1 ? works <= ROOM_MAX : works == 0);
}

int
main(void)
{
	static const size_t threads[] = { 0, 1, 2, 3, 8 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		for (size_t room = 1; room <= ROOM_MAX; room++) {
			try(threads[i], room, false);
			try(threads[i], room, true);
		}
		abandon(threads[i]);
	}
	cg_pieces_free(NULL);
	return unit_end();
}
