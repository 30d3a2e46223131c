/*
 * drafts.c - threads format ranges of an output, and the writer puts them in
 * order.
 *
 * If a draft fails, the writer writes that range itself: see crew.c.
 */
#include <stdlib.h>

#include "job/job.h"

/* Ranges with longer texts, such as those of long names, are written instead. */
#define TEXT_MOST ((size_t)4 << 20)

struct draft {
	struct cg_draft shown; /* to the format */
	const struct cg_drafts_how *how;
};

static void
close_draft(void *own)
{
	struct draft *draft = own;

	if (draft->shown.own)
		draft->how->close(draft->shown.own);
	free(draft->shown.own);
	cg_out_close(draft->shown.out);
	free(draft);
}

static void *
open_draft(void *arg, struct cg_graph_view *view)
{
	const struct cg_drafts_how *how = arg;
	struct draft *draft = calloc(1, sizeof(*draft));

	if (!draft)
		return NULL;
	draft->how = how;
	draft->shown.graph = &view->graph;
	draft->shown.out = cg_out_memory(&view->quiet, TEXT_MOST);
	draft->shown.own = calloc(1, how->own);
	if (draft->shown.out && draft->shown.own &&
	    how->begin(how->arg, &draft->shown))
		return draft;
	close_draft(draft);
	return NULL;
}

static void
clear_draft(void *arg, void *own)
{
	struct draft *draft = own;

	(void)arg;
	cg_out_clear(draft->shown.out);
}

static bool
format_draft(void *own, size_t from, size_t to)
{
	struct draft *draft = own;

	draft->shown.from = from;
	draft->shown.to = to;
	return draft->how->format(&draft->shown) &&
	       cg_out_status(draft->shown.out) == CG_OK;
}

static bool
put_draft(void *arg, void *own)
{
	const struct cg_drafts_how *how = arg;
	const struct draft *draft = own;

	return how->put(how->arg, &draft->shown);
}

static bool
write_range(void *arg, size_t from, size_t to)
{
	const struct cg_drafts_how *how = arg;

	return how->write(how->arg, from, to);
}

static size_t
next_range(void *arg, size_t from)
{
	const struct cg_drafts_how *how = arg;

	return how->next(how->arg, from);
}

static bool
is_large(const void *arg, size_t from, size_t to)
{
	const struct cg_drafts_how *how = arg;

	return how->is_large && how->is_large(how->arg, from, to);
}

bool
cg_write_drafts(const struct cg_drafts_how *how)
{
	struct cg_drafts_how arg = *how;
	struct cg_crew *crew = NULL;
	bool ok = cg_crew_do(&crew, &(struct cg_crew_how){ .graph = how->graph,
					.threads = how->job->threads,
					.arg = &arg,
					.open = open_draft,
					.close = close_draft,
					.begin = clear_draft,
					.work = format_draft,
					.take = put_draft,
					.redo = write_range,
					.next = next_range,
					.is_large = is_large });

	cg_crew_free(crew);
	return ok;
}

struct cg_slice
cg_draft_text(struct cg_out *out)
{
	return cg_out_bytes(out);
}
