/*
 * queue.c - tests work in numbered pieces: order, each once, any number of
 * threads, slots that cannot be opened. Without data races, too: make
 * B=build/tsan CC=clang CFLAGS="-O1 -g -fsanitize=thread"
 * build/tsan/tests/unit/queue
 */
#include <pthread.h>
#include <stdatomic.h>

#include "unit.h"
#include "work/work.h"

#define PIECES 300
#define SLOTS_MAX 5

struct piece {
	uint64_t number, result;
	unsigned works; /* how often it was worked on */
	struct shared *shared;
};

struct shared {
	size_t opens, closes, most_opens; /* slots: so far; that can be */
	atomic_uint busy, most;           /* pieces at once */
	uint64_t last;                    /* one by one: without a lock */
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
work(void *slot)
{
	struct piece *piece = slot;
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
open_slot(void *slot, void *arg)
{
	struct piece *piece = slot;

	piece->shared = arg;
	piece->shared->opens++;
	return piece->shared->opens <= piece->shared->most_opens;
}

static void
close_slot(void *slot)
{
	((struct piece *)slot)->shared->closes++;
}

static bool
is_right(const struct piece *piece, uint64_t number)
{
	return piece && piece->number == number && piece->works == 1 &&
	       piece->result == solve(number);
}

static struct cg_queue *
new_queue(struct shared *shared, size_t threads, size_t slots)
{
	shared->caller = pthread_self();
	shared->ordered = true;
	return cg_queue_new(&(struct cg_queue_how){ .threads = threads,
	    .slots = slots,
	    .size = sizeof(struct piece),
	    .arg = shared,
	    .open = open_slot,
	    .work = work,
	    .close = close_slot,
	    .one_by_one = shared->one_by_one });
}

/* Puts numbers from 1 on, takes them in order. So many slots can be opened. */
static void
try(size_t threads, size_t slots, size_t opens, bool one_by_one)
{
	struct shared shared = { .one_by_one = one_by_one,
		.most_opens = opens };
	struct cg_queue *queue = new_queue(&shared, threads, slots);
	struct piece *piece;
	uint64_t taken = 0;
	bool right = true;

	if (!CHECK(queue))
		return;
	CHECK(!cg_queue_take(queue));
	for (uint64_t n = 1; right && n <= PIECES; n++) {
		while (right && !(piece = cg_queue_slot(queue)))
			right = is_right(cg_queue_take(queue), ++taken);
		if (!right)
			break;
		piece->number = n;
		piece->works = 0;
		cg_queue_put(queue);
	}
	while (right && taken < PIECES)
		right = is_right(cg_queue_take(queue), ++taken);
	CHECK(right && shared.ordered);
	CHECK(!cg_queue_take(queue));
	CHECK(atomic_load(&shared.most) <=
	      (one_by_one || threads == 0 ? 1 : threads));
	CHECK(cg_queue_threads(queue) < threads || threads == 0);
	CHECK(cg_queue_threads(queue) > 0 || threads < 2);
	CHECK(threads > 1 || !atomic_load(&shared.elsewhere));
	cg_queue_free(queue);
	CHECK(shared.closes == shared.opens);
	CHECK(shared.opens == (slots > opens ? opens + 1 : slots));
}

/* Without a slot there is neither one to fill nor one to take. */
static void
try_none(void)
{
	struct shared shared = { .most_opens = 0 };
	struct cg_queue *queue = new_queue(&shared, 2, 3);

	CHECK(queue && !cg_queue_slot(queue) && !cg_queue_take(queue));
	cg_queue_free(queue);
	CHECK(shared.closes == shared.opens);
}

/* Pieces that nobody takes: none is worked on after the end. */
static void
abandon(size_t threads)
{
	struct shared shared = { .most_opens = SLOTS_MAX };
	struct cg_queue *queue = new_queue(&shared, threads, SLOTS_MAX);
	struct piece *piece;
	uint64_t n = 0;

	while ((piece = cg_queue_slot(queue))) {
		piece->number = ++n;
		cg_queue_put(queue);
	}
	CHECK(n == SLOTS_MAX);
	cg_queue_free(queue);
	CHECK(atomic_load(&shared.busy) == 0);
	CHECK(threads > 1 || atomic_load(&shared.most) == 0);
}

int
main(void)
{
	static const size_t threads[] = { 0, 1, 2, 3, 8 };

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		for (size_t slots = 1; slots <= SLOTS_MAX; slots++) {
			try(threads[i], slots, SLOTS_MAX, false);
			try(threads[i], slots, SLOTS_MAX, true);
		}
		try(threads[i], SLOTS_MAX, 2, false);
		try(threads[i], SLOTS_MAX, 1, true);
		abandon(threads[i]);
	}
	try_none();
	cg_queue_free(NULL);
	return unit_end();
}
