/*
 * crew.c - threads that work on ranges of items over one graph.
 *
 * Each thread has a view of the graph, whose cursors report nothing: if one
 * fails, the caller does that range itself, and so reports the failure where one
 * thread would.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "graph/graph.h"

/*
 * A range besides those that are worked on: so no thread waits for the caller.
 * Each has memory of its own.
 */
#define SPARE 1

struct range {
	const struct cg_crew_how *how;
	size_t from, to;
	struct cg_graph_view view;
	void *own; /* of the thread that works on it; NULL: not opened */
	bool ok;   /* the work is done */
};

struct cg_crew {
	struct cg_crew_how how;
	struct cg_pieces *pieces;
	struct range *range; /* used in turns */
	size_t count, used;  /* how many there are; ranges that were begun */
};

/* ---- In any thread ------------------------------------------------------- */

static void
work_on(void *piece)
{
	struct range *range = piece;

	range->ok = range->how->work(range->own, range->from, range->to) &&
		    range->view.fault == CG_OK;
}

/* ---- In the caller's thread ---------------------------------------------- */

static struct cg_crew *
crew_new(const struct cg_crew_how *how)
{
	struct cg_crew *crew = calloc(1, sizeof(*crew));

	if (!crew)
		return NULL;
	crew->how = *how;
	crew->count = how->threads + SPARE;
	crew->range = calloc(crew->count, sizeof(*crew->range));
	crew->pieces = cg_pieces_new(&(struct cg_pieces_how){
	    .threads = how->threads, .room = crew->count, .work = work_on });
	if (crew->range && crew->pieces)
		return crew;
	cg_crew_free(crew);
	return NULL;
}

void
cg_crew_free(struct cg_crew *crew)
{
	if (!crew)
		return;
	cg_pieces_free(crew->pieces);
	for (size_t i = 0; crew->range && i < crew->count; i++) {
		if (crew->range[i].own)
			crew->how.close(crew->range[i].own);
	}
	free(crew->range);
	free(crew);
}

/* One more range for a thread; NULL: there is no memory for it. */
static struct range *
begin_range(struct cg_crew *crew)
{
	struct range *range = &crew->range[crew->used % crew->count];

	if (!range->own) {
		range->how = &crew->how;
		cg_graph_view(&range->view, crew->how.graph);
		range->own = crew->how.open(crew->how.arg, &range->view);
	}
	if (!range->own)
		return NULL;
	range->view.fault = CG_OK;
	crew->how.begin(crew->how.arg, range->own);
	crew->used++;
	return range;
}

static bool
take(const struct cg_crew_how *how, const struct range *range)
{
	return range->ok ? how->take(how->arg, range->own)
			 : how->redo(how->arg, range->from, range->to);
}

static bool
take_pending(struct cg_crew *crew)
{
	struct range *range;
	bool ok = true;

	while (ok && (range = cg_pieces_take(crew->pieces)))
		ok = take(&crew->how, range);
	return ok;
}

/* Gives the range to a thread, or does it, after those before. */
static bool
put_range(struct cg_crew *crew, size_t from, size_t to)
{
	const struct cg_crew_how *how = &crew->how;
	bool large = how->is_large && how->is_large(how->arg, from, to);
	struct range *range = large ? NULL : begin_range(crew);

	if (!range)
		return take_pending(crew) && how->redo(how->arg, from, to);
	range->from = from;
	range->to = to;
	cg_pieces_put(crew->pieces, range);
	return true;
}

/* All ranges, of which the first ends at to. */
static bool
do_in_threads(struct cg_crew *crew, size_t to)
{
	const struct cg_crew_how *how = &crew->how;
	bool ok = true;

	for (size_t from = 0; ok && to > from;
	     from = to, to = how->next(how->arg, from)) {
		if (cg_pieces_full(crew->pieces))
			ok = take(how, cg_pieces_take(crew->pieces));
		ok = ok && !cg_graph_failed(how->graph) &&
		     put_range(crew, from, to);
	}
	return ok && take_pending(crew) && !cg_graph_failed(how->graph);
}

/* The same without threads. */
static bool
do_alone(const struct cg_crew_how *how, size_t to)
{
	bool ok = true;

	for (size_t from = 0; ok && to > from;
	     from = to, to = how->next(how->arg, from))
		ok = how->redo(how->arg, from, to) &&
		     !cg_graph_failed(how->graph);
	return ok;
}

bool
cg_crew_do(struct cg_crew **crew, const struct cg_crew_how *how)
{
	size_t to = how->next(how->arg, 0);
	bool ok;

	if (how->threads < 2 || how->next(how->arg, to) == to)
		return do_alone(how, to);
	if (!*crew)
		*crew = crew_new(how);
	if (!*crew)
		return do_alone(how, to);
	ok = do_in_threads(*crew, to);
	if (!ok) { /* Nobody wants what is not done yet. */
		cg_crew_free(*crew);
		*crew = NULL;
	}
	return ok;
}
