/*
 * walk.c - walks over the moments of a track, whose ranges threads format.
 *
 * What is written of a moment depends on those before it. So the writer goes over
 * the track first without writing, which takes a tenth of the time, and it is
 * kept where ranges begin: the cursor, and the state of the writer.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "job/job.h"

struct cg_walk {
	struct cg_walk_how how;
	struct cg_moments **place; /* where ranges begin */
	size_t places, cap;
	char *state; /* there, and at the end */
	size_t state_cap;
};

/* A draft's own: a copy of the writer. */
struct copy {
	const struct cg_walk *walk; /* NULL: nothing to close */
	_Alignas(max_align_t) char writer[];
};

/* ---- Places -------------------------------------------------------------- */

static void
load_state(const struct cg_walk *walk, size_t place, void *writer)
{
	memcpy((char *)writer + walk->how.state,
	    walk->state + place * walk->how.state_size, walk->how.state_size);
}

/* Keeps the state of the writer as that of the place. */
static bool
keep_state(struct cg_walk *walk, size_t place)
{
	const size_t size = walk->how.state_size;

	if (!cg_grow_raw(&walk->state, &walk->state_cap, (place + 1) * size, 1))
		return false;
	memcpy(walk->state + place * size,
	    (const char *)walk->how.writer + walk->how.state, size);
	return true;
}

static bool
add_place(struct cg_walk *walk, const struct cg_moments *moments)
{
	struct cg_moments **at;

	if (!keep_state(walk, walk->places) ||
	    !cg_grow_raw(&walk->place, &walk->cap, walk->places + 1,
		sizeof(*walk->place)))
		return false;
	at = &walk->place[walk->places];
	*at = cg_moments_copy(walk->how.graph, moments);
	walk->places += *at != NULL;
	return *at != NULL;
}

/* Goes over all that is left, in steps: the output may fail. */
static bool
go_to_end(const struct cg_walk *walk, struct cg_moments *moments, void *writer,
    bool dry)
{
	const struct cg_walk_how *how = &walk->how;
	bool ok;

	do
		ok = how->walk(writer, moments, how->range, dry) &&
		     !cg_graph_failed(how->graph);
	while (ok && !cg_moments_ended(moments));
	return ok;
}

/* Goes over the track, and keeps where ranges begin. */
static bool
find_places(struct cg_walk *walk, struct cg_moments *moments)
{
	const struct cg_walk_how *how = &walk->how;
	const bool ranges = how->job->threads > 1;
	bool ok = add_place(walk, moments);

	while (ok && ranges && !cg_moments_ended(moments)) {
		ok = how->walk(how->writer, moments, how->range, true);
		/* Most tracks are short: nothing is left for another range. */
		if (ok && !cg_moments_ended(moments))
			ok = add_place(walk, moments);
	}
	if (!ok || (!ranges && !how->measures))
		return ok;
	return go_to_end(walk, moments, how->writer, true) &&
	       keep_state(walk, walk->places);
}

struct cg_walk *
cg_walk_new(const struct cg_walk_how *how, struct cg_moments *moments)
{
	struct cg_walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return NULL;
	walk->how = *how;
	if (find_places(walk, moments))
		return walk;
	cg_walk_free(walk);
	return NULL;
}

void
cg_walk_free(struct cg_walk *walk)
{
	if (!walk)
		return;
	for (size_t i = 0; i < walk->places; i++)
		cg_moments_free(walk->place[i]);
	free(walk->place);
	free(walk->state);
	free(walk);
}

/* ---- Drafts -------------------------------------------------------------- */

/* Moments that are written before a draft is found to be too long. */
#define STEP 16

/* A draft that has become too long is given up. */
static bool
write_steps(const struct cg_walk *walk, struct cg_moments *moments,
    void *writer, struct cg_out *out, size_t n)
{
	bool ok = true;

	for (; ok && n > STEP && !cg_moments_ended(moments); n -= STEP)
		ok = walk->how.walk(writer, moments, STEP, false) &&
		     cg_out_status(out) == CG_OK;
	return ok && walk->how.walk(writer, moments, n, false);
}

/* Writes the range that begins at a place; the last one goes to the end. */
static bool
write_from(const struct cg_walk *walk, const struct cg_graph *graph,
    size_t place, void *writer, struct cg_out *out)
{
	struct cg_moments *moments = cg_moments_copy(graph, walk->place[place]);
	size_t n = place + 1 < walk->places ? walk->how.range : SIZE_MAX;
	bool ok = false;

	load_state(walk, place, writer);
	if (moments && out)
		ok = write_steps(walk, moments, writer, out, n);
	else if (moments && n == SIZE_MAX)
		ok = go_to_end(walk, moments, writer, false);
	else if (moments)
		ok = walk->how.walk(writer, moments, n, false);
	cg_moments_free(moments);
	return ok;
}

static size_t
next_range(void *arg, size_t from)
{
	const struct cg_walk *walk = arg;

	return from + (from < walk->places);
}

static bool
begin_copy(void *arg, struct cg_draft *draft)
{
	const struct cg_walk *walk = arg;
	struct copy *copy = draft->own;

	memcpy(copy->writer, walk->how.writer, walk->how.size);
	if (!walk->how.begin(copy->writer, draft))
		return false;
	copy->walk = walk;
	return true;
}

static bool
format_range(struct cg_draft *draft)
{
	struct copy *copy = draft->own;

	return write_from(
	    copy->walk, draft->graph, draft->from, copy->writer, draft->out);
}

static bool
put_range(void *arg, const struct cg_draft *draft)
{
	const struct cg_walk *walk = arg;

	cg_put(walk->how.out, cg_draft_text(draft->out));
	return true;
}

static bool
write_range(void *arg, size_t from, size_t to)
{
	const struct cg_walk *walk = arg;

	(void)to;
	return write_from(walk, walk->how.graph, from, walk->how.writer, NULL);
}

static void
close_copy(void *own)
{
	const struct copy *copy = own;

	if (copy->walk && copy->walk->how.close)
		copy->walk->how.close((void *)copy->writer);
}

bool
cg_write_walk(struct cg_walk *walk)
{
	const struct cg_drafts_how drafts = { .job = walk->how.job,
		.graph = walk->how.graph,
		.arg = walk,
		.own = sizeof(struct copy) + walk->how.size,
		.next = next_range,
		.begin = begin_copy,
		.format = format_range,
		.put = put_range,
		.write = write_range,
		.close = close_copy };
	bool ok;

	if (walk->places == 1)
		return write_from(
		    walk, walk->how.graph, 0, walk->how.writer, NULL);
	ok = cg_write_drafts(&drafts);
	load_state(walk, walk->places, walk->how.writer);
	return ok;
}
