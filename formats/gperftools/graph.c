/*
 * graph.c - stacks of addresses become stacks of functions: the names come
 * from the text, or from the executables (--exe) that are mapped at the
 * addresses.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gperftools.h"

#define FRAME_BYTES 64 /* approximate memory of a frame */

static bool
add_events(struct gperf_reader *r, unsigned *column)
{
	for (size_t i = 0; i < r->columns; i++)
		column[i] = cg_add_event(r->build, &r->event[i]);
	return cg_build_status(r->build) == CG_OK;
}

/*
 * Adds descriptions of the main event and of the sampling period, like the
 * reader of pprof. Periods 0 and 1 are omitted.
 */
static void
describe(struct gperf_reader *r)
{
	char text[60];

	/* The main event, as in go tool pprof: time, or bytes in use. */
	cg_add_desc(r->build, cg_slice(CG_MAIN_EVENT_KEY),
	    cg_slice(r->event[r->main_event].name));
	if (r->period <= 1)
		return;
	snprintf(
	    text, sizeof(text), "%" PRIu64 " %s", r->period, r->period_unit);
	cg_add_desc(r->build, cg_slice("period"), cg_slice(text));
}

/* ---- Frames ------------------------------------------------------------- */

/*
 * Sets frame[] to the functions at an address, innermost first, and returns
 * their number. There are several if functions are inlined. If the profile's
 * text names the functions, takes these names. Otherwise looks the address up
 * in the executable's symbols.
 */
static size_t
find_frames(
    struct gperf_reader *r, uint64_t addr, struct cg_stack frame[CG_FRAME_MAX])
{
	const struct gperf_frame *named;
	size_t n = gperf_find_names(r, addr, &named);

	if (n == 0)
		return cg_space_frames(
		    r->space, cg_space_find(r->space, addr), addr, frame);
	if (n > CG_FRAME_MAX)
		n = CG_FRAME_MAX;
	for (size_t i = 0; i < n; i++)
		frame[i] = (struct cg_stack){ .fn = named[i].fn,
			.pos = named[i].pos,
			.inlined = i + 1 < n };
	return n;
}

/*
 * Adds the frames of an address, outermost first, on top of the stack *at,
 * which becomes the new stack. False: inlined frames are too many for the size
 * of the input (reported).
 */
static bool
add_frames(struct gperf_reader *r, uint64_t addr, cg_node *at)
{
	struct cg_stack frame[CG_FRAME_MAX];
	size_t count = find_frames(r, addr, frame);

	for (size_t i = count; i > 0; i--)
		*at = cg_add_frame(r->build, *at, frame[i - 1].fn,
		    &frame[i - 1].pos, frame[i - 1].inlined);
	return count < 2 || gperf_expand(r, (count - 1) * FRAME_BYTES);
}

/*
 * True if an address is hidden, so that its frame is dropped. It has no name
 * although the text names others, and no mapping contains it. Go omits the
 * names of functions of its runtime.
 */
static bool
is_hidden(struct gperf_reader *r, uint64_t addr)
{
	const struct gperf_frame *named;

	return r->hides && gperf_find_names(r, addr, &named) == 0 &&
	       cg_space_find(r->space, addr) == 0;
}

/*
 * Adds a stack whose frames are all hidden (is_hidden()). Adds these frames
 * anyway, as the stack would be empty otherwise. *id must be 0, the root,
 * before. It becomes the node of the leaf. False: an error (reported).
 */
static bool
add_hidden(struct gperf_reader *r, uint32_t leaf, cg_node *id)
{
	const struct gperf_node *node = r->nodes.at;
	const uint64_t *addr = r->addrs.at;
	size_t depth = 0;

	for (; leaf != 0; leaf = node[leaf - 1].parent)
		r->addr[depth++] = addr[node[leaf - 1].addr - 1];
	while (depth > 0)
		if (!add_frames(r, r->addr[--depth], id))
			return false;
	return true;
}

/* ---- Samples ------------------------------------------------------------ */

static void
set_group(struct gperf_reader *r, uint32_t group)
{
	const struct gperf_group *groups = r->groups.at;
	const struct gperf_group none = { 0 };
	const struct gperf_group *at = groups ? &groups[group] : &none;
	struct cg_sample_key key = { .comm = { "", 0 } };

	key.tid = at->tid;
	key.thread = cg_get_name(r->build, at->thread);
	if (at->labels > 0)
		key.label = &r->labels.at[at->label];
	key.labels = at->labels;
	cg_set_sample_part(r->build, &key);
}

/*
 * Adds a sample's costs to the stack with this leaf, in the sample's group
 * (labels). Cost i goes to column[i] of the graph. i and column[i] may differ,
 * as other inputs may have other events.
 */
static void
add_stack(struct gperf_reader *r, const struct gperf_sample *sample,
    cg_node leaf, const unsigned *column)
{
	uint64_t row[CG_EVENT_MAX];
	size_t n = 0;

	for (size_t i = 0; i < r->columns; i++) {
		while (n <= column[i])
			row[n++] = 0;
		row[column[i]] = sample->cost[i];
	}
	set_group(r, sample->group);
	cg_add_stack(r->build, leaf, sample->samples, row, n);
}

/*
 * Adds the frames of all stacks that the reader collected as a tree. Sets id[i
 * + 1] to the graph's node of node i. id[0] must be 0, the root. Skips hidden
 * frames (is_hidden()), with a note. A hidden node gets the id of its parent.
 * False: an error (reported).
 */
static bool
add_nodes(struct gperf_reader *r, cg_node *id)
{
	const struct gperf_node *node = r->nodes.at;
	const uint64_t *addr = r->addrs.at;
	bool hidden = false;

	for (size_t i = 0; node && i < r->nodes.n; i++) {
		uint64_t at = addr[node[i].addr - 1];

		id[i + 1] = id[node[i].parent];
		if (is_hidden(r, at))
			hidden = true;
		else if (!add_frames(r, at, &id[i + 1]))
			return false;
	}
	if (hidden)
		cg_note(r->job, "addresses that the text does not name are "
				"dropped: Go's runtime; give the executable "
				"with {exe} to name them");
	return true;
}

static bool
add_samples(struct gperf_reader *r, cg_node *id, const unsigned *column)
{
	const struct gperf_sample *sample = r->samples.at;

	for (size_t i = 0; sample && i < r->samples.n; i++) {
		uint32_t leaf = sample[i].leaf;

		if (id[leaf] == 0 && leaf != 0 &&
		    !add_hidden(r, leaf, &id[leaf]))
			return false;
		add_stack(r, &sample[i], id[leaf], column);
	}
	return true;
}

bool
gperf_add_graph(struct gperf_reader *r)
{
	cg_node *id = cg_alloc(r->job, (r->nodes.n + 1) * sizeof(*id));
	unsigned column[GPERF_COLUMNS] = { 0 };

	gperf_begin_part(r, (struct cg_slice){ "", 0 });
	describe(r);
	return id && (!add_events(r, column) ||
			 (add_nodes(r, id) && add_samples(r, id, column)));
}
