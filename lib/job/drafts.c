/*
 * drafts.c - threads format ranges of an output, and the writer puts them in
 * order.
 *
 * A draft has its own view of the graph, whose cursors report nothing: if one
 * fails, the writer writes that range itself, and so reports the failure where
 * one thread would.
 */
#include <stdlib.h>

#include "base/pieces.h"
#include "job/job.h"

/* Drafts besides those that are worked on: so no thread waits for the writer. */
#define SPARE 2
/* Ranges with longer texts, such as those of long names, are written instead. */
#define TEXT_MOST ((size_t)4 << 20)

struct draft {
	struct cg_draft shown;           /* to the format */
	const struct cg_drafts_how *how; /* NULL: not used yet */
	struct cg_graph_view view;
	bool usable; /* it was begun */
	bool ok;     /* its text is complete */
};

struct drafts {
	const struct cg_drafts_how *how;
	struct cg_pieces *pieces;
	struct draft *draft; /* used in turns */
	size_t room, used;   /* how many there are; were begun */
};

/* ---- In any thread ------------------------------------------------------- */

static void
format_draft(void *piece)
{
	struct draft *draft = piece;
	const struct cg_drafts_how *how = draft->how;

	draft->ok = how->format(&draft->shown) && draft->view.fault == CG_OK &&
		    cg_out_status(draft->shown.out) == CG_OK;
}

/* ---- In the writer's thread ---------------------------------------------- */

/* False: it cannot be used. */
static bool
begin_draft(const struct cg_drafts_how *how, struct draft *draft)
{
	draft->how = how;
	cg_graph_view(&draft->view, how->graph);
	draft->shown.graph = &draft->view.graph;
	draft->shown.out = cg_out_memory(&draft->view.quiet, TEXT_MOST);
	draft->shown.own = calloc(1, how->own);
	return draft->shown.out && draft->shown.own &&
	       how->begin(how->arg, &draft->shown);
}

/* A draft for one more range; NULL: there is none. */
static struct draft *
next_draft(struct drafts *drafts)
{
	struct draft *draft = &drafts->draft[drafts->used % drafts->room];

	if (!draft->how)
		draft->usable = begin_draft(drafts->how, draft);
	if (!draft->usable)
		return NULL;
	drafts->used++;
	cg_out_clear(draft->shown.out);
	draft->view.fault = CG_OK;
	return draft;
}

static void
close_draft(struct draft *draft)
{
	if (draft->shown.own)
		draft->how->close(draft->shown.own);
	free(draft->shown.own);
	cg_out_close(draft->shown.out);
}

/* Puts the text of a range, or writes the range if its draft failed. */
static bool
put_draft(const struct cg_drafts_how *how, const struct draft *draft)
{
	return draft->ok
		   ? how->put(how->arg, &draft->shown)
		   : how->write(how->arg, draft->shown.from, draft->shown.to);
}

static bool
put_pending(struct drafts *drafts)
{
	struct draft *draft;
	bool ok = true;

	while (ok && (draft = cg_pieces_take(drafts->pieces)))
		ok = put_draft(drafts->how, draft);
	return ok;
}

/* All ranges from the one on that begins at from and ends at to. */
static bool
put_ranges(struct drafts *drafts, size_t from, size_t to)
{
	const struct cg_drafts_how *how = drafts->how;
	struct draft *draft;
	bool ok = true, large;

	for (; ok && to > from; from = to, to = how->next(how->arg, from)) {
		if (cg_graph_failed(how->graph))
			return false;
		if (cg_pieces_full(drafts->pieces))
			ok = put_draft(how, cg_pieces_take(drafts->pieces));
		large = how->is_large && how->is_large(how->arg, from, to);
		draft = ok && !large ? next_draft(drafts) : NULL;
		if (draft) {
			draft->shown.from = from;
			draft->shown.to = to;
			cg_pieces_put(drafts->pieces, draft);
		} else {
			ok = ok && put_pending(drafts) &&
			     how->write(how->arg, from, to);
		}
	}
	return ok && put_pending(drafts);
}

/* One range after the other. */
static bool
write_ranges(const struct cg_drafts_how *how, size_t from, size_t to)
{
	bool ok = true;

	for (; ok && to > from; from = to, to = how->next(how->arg, from))
		ok = how->write(how->arg, from, to) &&
		     !cg_graph_failed(how->graph);
	return ok;
}

bool
cg_write_drafts(const struct cg_drafts_how *how)
{
	const size_t threads = how->job->threads;
	const struct cg_pieces_how work = { .threads = threads,
		.room = threads + SPARE,
		.work = format_draft };
	struct drafts drafts = { .how = how, .room = work.room };
	size_t to = how->next(how->arg, 0);
	bool ok;

	if (threads < 2 || how->next(how->arg, to) == to)
		return write_ranges(how, 0, to);
	drafts.pieces = cg_pieces_new(&work);
	drafts.draft = calloc(drafts.room, sizeof(*drafts.draft));
	ok = drafts.pieces && drafts.draft ? put_ranges(&drafts, 0, to)
					   : write_ranges(how, 0, to);
	cg_pieces_free(drafts.pieces);
	for (size_t i = 0; drafts.draft && i < drafts.room; i++)
		close_draft(&drafts.draft[i]);
	free(drafts.draft);
	return ok;
}

struct cg_slice
cg_draft_text(struct cg_out *out)
{
	return cg_out_bytes(out);
}
