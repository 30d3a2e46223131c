/*
 * shares.c - threads do shares of a work on lines, and the lines take in order
 * what was done.
 *
 * Each thread has its own lines, whose cursors report nothing: if one fails, the
 * lines themselves do that share, and so report the failure where one thread
 * would.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "lines/lines.h"

/* Shares besides those that are worked on. */
#define SPARE 2

struct share {
	const struct cg_share_how *how;
	const void *arg;
	size_t from, to;
	struct cg_graph_view view;
	struct cg_lines *own; /* NULL: not used yet, or out of memory */
	bool ok;
};

struct cg_shares {
	struct cg_pieces *pieces;
	struct share *share; /* used in turns */
	size_t count, used;
};

static void
do_share(void *piece)
{
	struct share *share = piece;

	share->how->clear(share->own);
	share->ok =
	    share->how->work(share->own, share->arg, share->from, share->to) &&
	    share->view.fault == CG_OK;
}

void
cg_lines_shares_free(struct cg_shares *shares)
{
	if (!shares)
		return;
	cg_pieces_free(shares->pieces);
	for (size_t i = 0; shares->share && i < shares->count; i++) {
		if (shares->share[i].own)
			shares->share[i].how->close(shares->share[i].own);
	}
	free(shares->share);
	free(shares);
}

static struct cg_shares *
shares_new(size_t threads)
{
	struct cg_shares *shares = calloc(1, sizeof(*shares));

	if (!shares)
		return NULL;
	shares->count = threads + SPARE;
	shares->share = calloc(shares->count, sizeof(*shares->share));
	shares->pieces = cg_pieces_new(&(struct cg_pieces_how){
	    .threads = threads, .room = shares->count, .work = do_share });
	if (shares->share && shares->pieces)
		return shares;
	cg_lines_shares_free(shares);
	return NULL;
}

/* The share to be used next, with lines of its own; NULL: out of memory. */
static struct share *
next_share(struct cg_shares *shares, const struct cg_lines *lines,
    const struct cg_share_how *how)
{
	struct share *share = &shares->share[shares->used % shares->count];

	if (!share->own) {
		share->how = how;
		cg_graph_view(&share->view, lines->graph);
		share->own = how->open(lines, &share->view.graph);
	}
	if (!share->own)
		return NULL;
	share->view.fault = CG_OK;
	shares->used++;
	return share;
}

static bool
join(struct cg_lines *lines, const struct share *share)
{
	const struct cg_share_how *how = share->how;

	return share->ok ? how->join(lines, share->own, share->from, share->to)
			 : how->work(lines, share->arg, share->from, share->to);
}

bool
cg_lines_share(struct cg_lines *lines, struct cg_shares **shares,
    const struct cg_share_how *how, const void *arg, size_t count)
{
	const size_t threads = lines->graph->threads;
	struct share *share;
	bool ok = true;

	if (threads > 1 && count > how->share && !*shares)
		*shares = shares_new(threads);
	if (threads < 2 || count <= how->share || !*shares)
		return how->work(lines, arg, 0, count);
	for (size_t from = 0, to; ok && from < count; from = to) {
		to = count - from < how->share ? count : from + how->share;
		if (cg_pieces_full((*shares)->pieces))
			ok = join(lines, cg_pieces_take((*shares)->pieces));
		share = ok ? next_share(*shares, lines, how) : NULL;
		if (share) {
			share->arg = arg;
			share->from = from;
			share->to = to;
			cg_pieces_put((*shares)->pieces, share);
			continue;
		}
		while (ok && (share = cg_pieces_take((*shares)->pieces)))
			ok = join(lines, share);
		ok = ok && how->work(lines, arg, from, to);
	}
	while ((share = cg_pieces_take((*shares)->pieces)))
		ok = ok && join(lines, share);
	return ok;
}
