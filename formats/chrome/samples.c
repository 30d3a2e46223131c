/*
 * samples.c - the samples of a CPU profile of V8: sums the samples of each
 * node, adds the node's stack with the sums to the graph, and adds the samples
 * in order of time.
 *
 * A sample lasts until the next one, the last one for the average interval:
 * normalizeTimestamps() in CPUProfileDataModel.ts of Chrome's developer tools.
 * endTime may be much later, when recording was stopped. Old profiles may have
 * one more time than samples: the end of the last sample. While the clock is
 * set back, no time passes until it has caught up.
 */
#include "chrome.h"

/* ---- Sums --------------------------------------------------------------- */

/*
 * Advances profile->now, the time in the profile, by "delta" ns, which may be
 * negative. If it passes profile->latest, the latest time so far, sets that,
 * too. Adds the time by which profile->latest grows to the sum of the sample
 * that is running. False: overflow (reported).
 */
static bool
pass_time(struct cg_doc *doc, struct chrome_profile *profile, int64_t delta)
{
	if (__builtin_add_overflow(profile->now, delta, &profile->now))
		return cg_doc_fail(doc, "times that fit in 64 bits");
	if (profile->now <= profile->latest)
		return true;
	if (profile->running)
		profile->running->ns +=
		    (uint64_t)(profile->now - profile->latest);
	profile->latest = profile->now;
	return true;
}

/*
 * Returns the sum for a node's id that the array profile->dense does not have.
 * A low id extends the array; others are in a map. The sum is valid until the
 * next call. NULL: out of memory (reported).
 */
static struct chrome_sum *
find_sum(struct cg_doc *doc, struct chrome_profile *profile, uint64_t id)
{
	size_t limit = 2 * profile->tree.node.n + 1;
	uint32_t *index;

	if (id < limit && cg_reserve(doc->job, &profile->dense, limit) &&
	    cg_resize(doc->job, &profile->dense, profile->dense.cap))
		return &profile->dense.at[id];
	index = cg_map_in(doc->job, &profile->sparse_ids, id);
	if (!index)
		return NULL;
	if (*index == 0) {
		if (!cg_append(doc->job, &profile->sparse,
			(struct chrome_sum){ .id = id }))
			return NULL;
		*index = (uint32_t)profile->sparse.n;
	}
	return &profile->sparse.at[*index - 1];
}

/*
 * Stores the id of the sample that begins now, and its time, profile->latest,
 * for the timeline. Stores nothing if the output format cannot represent a
 * timeline. False: out of memory (reported).
 */
static bool
keep_moment(struct cg_doc *doc, struct chrome_profile *profile, int64_t id)
{
	uint64_t step = (uint64_t)id - (uint64_t)profile->last_id;

	if (!profile->asked)
		profile->kept = cg_begin_timeline(doc->build);
	profile->asked = true;
	if (!profile->kept)
		return true;
	if (!cg_numbers_in_signed(doc->job, &profile->moments, (int64_t)step) ||
	    !cg_numbers_in(doc->job, &profile->moments,
		(uint64_t)(profile->latest - profile->last_time)))
		return false;
	profile->last_id = id;
	profile->last_time = profile->latest;
	return true;
}

bool
chrome_add_sample(struct cg_doc *doc, struct chrome_profile *profile,
    int64_t id, int64_t delta)
{
	if (!pass_time(doc, profile, delta))
		return false;
	profile->running = (uint64_t)id < profile->dense.n
			       ? &profile->dense.at[id]
			       : find_sum(doc, profile, (uint64_t)id);
	if (!profile->running)
		return false;
	profile->running->samples++;
	if (profile->samples++ == 0)
		profile->first = profile->latest;
	return keep_moment(doc, profile, id);
}

bool
chrome_end_samples(
    struct cg_doc *doc, struct chrome_profile *profile, int64_t delta)
{
	profile->ended = true;
	return pass_time(doc, profile, delta);
}

bool
chrome_next_sum(
    const struct chrome_profile *profile, size_t *i, struct chrome_sum *sum)
{
	size_t dense = profile->dense.n;

	while (*i < dense && profile->dense.at[*i].samples == 0)
		++*i;
	if (*i < dense) {
		*sum = profile->dense.at[*i];
		sum->id = *i;
	} else if (*i - dense < profile->sparse.n) {
		*sum = profile->sparse.at[*i - dense];
	} else {
		return false;
	}
	++*i;
	return true;
}

/* ---- Into the graph ----------------------------------------------------- */

/*
 * Advances the time of the profile to the end of the last sample. Does nothing
 * if the profile states that end. Several samples: the last one lasts as long
 * as the others on average. One sample: it lasts until the end of the profile,
 * if the profile states its end. False: an error (reported).
 */
static bool
end_last_sample(struct cg_doc *doc, struct chrome_profile *profile)
{
	int64_t length = profile->latest - profile->first;

	if (profile->ended)
		return true;
	if (profile->samples > 1)
		length /= (int64_t)profile->samples - 1;
	else if (__builtin_sub_overflow(
		     profile->end, profile->start, &length) ||
		 length <= profile->latest)
		return true;
	else
		length -= profile->latest;
	profile->now = profile->latest;
	return pass_time(doc, profile, length);
}

/*
 * Ends the last sample, and adds the time and number of samples of each id to
 * the node with this id. False: an id has no node, or another error
 * (reported).
 */
static bool
add_sums(struct cg_doc *doc, struct chrome_profile *profile)
{
	struct chrome_node *node;
	struct chrome_sum sum;
	size_t i = 0;

	if (!end_last_sample(doc, profile))
		return false;
	while (chrome_next_sum(profile, &i, &sum)) {
		node = chrome_find_node(doc, &profile->tree, sum.id);
		if (!node)
			return false;
		node->ns += sum.ns;
		node->samples += sum.samples;
	}
	return true;
}

/*
 * Adds the costs of a node's stack to the graph, divided among lines by ticks
 * (samples). Sets node->sampled to the stack for the timeline. It has a line
 * if all samples have the same.
 */
static void
add_node(struct cg_doc *doc, struct chrome_profile *profile,
    struct chrome_node *node)
{
	uint64_t ticks = 0, seen = 0, given = 0, upto, all, cost[2];
	struct chrome_tree *tree = &profile->tree;
	cg_node leaf = chrome_add_frames(doc, tree, node);
	struct cg_pos pos = node->pos;

	for (uint32_t i = 0; i < node->ticks; i++)
		ticks += tree->tick.at[node->tick + i].count;
	all = ticks > node->cost ? ticks : node->cost;
	for (uint32_t i = 0; leaf != 0 && i < node->ticks; i++) {
		const struct chrome_tick *tick = &tree->tick.at[node->tick + i];

		seen += tick->count;
		upto = seen == all ? node->ns
				   : (uint64_t)((double)node->ns *
						(double)seen / (double)all);
		cost[0] = tick->count;
		cost[1] = upto - given;
		given = upto;
		pos.line = (uint32_t)tick->line;
		node->sampled = cg_add_frame(
		    doc->build, node->below, node->fn, &pos, false);
		cg_add_stack(doc->build, node->sampled, cost[0],
		    cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
	}
	/* With several lines, the line of each sample is unknown. */
	if (node->ticks != 1 || seen != all)
		node->sampled = leaf;
	cost[0] = all - seen;
	cost[1] = node->ns - given;
	if (leaf != 0 && (cost[0] > 0 || cost[1] > 0))
		cg_add_stack(doc->build, leaf, cost[0],
		    cg_columns_of(doc->build, cost),
		    cg_columns_width(doc->build));
}

static void
add_columns(struct cg_doc *doc, struct chrome_profile *profile)
{
	static const struct cg_event samples = { .name = "samples",
		.long_name = "Samples" },
				     time = { .name = "ns",
					     .long_name = "Time",
					     .unit = "ns" };

	if (cg_columns_added(doc->build) > 0)
		return;
	(void)cg_add_column(doc->build, &samples);
	if (profile->timed)
		(void)cg_add_column(doc->build, &time);
}

/* Returns a + b; INT64_MAX on overflow: the library drops such times. */
static int64_t
add_times(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/*
 * Returns the stack in the graph for samples of the node with this id. If the
 * node has none yet, adds the frames of the node to the graph. 0: there is no
 * such node, or another error (reported).
 */
static cg_node
find_stack(struct cg_doc *doc, struct chrome_tree *tree, uint64_t id)
{
	struct chrome_node *node = chrome_find_node(doc, tree, id);

	if (node && node->sampled)
		return node->sampled;
	return node ? chrome_add_frames(doc, tree, node) : 0;
}

/*
 * Adds a sample of the node with an id to the timeline; "time" and "length"
 * are in ns. stack[] caches stacks of dense ids, 0 if unknown: finding a node
 * is a cache miss. False: an error (reported).
 */
static bool
add_moment(struct cg_doc *doc, struct chrome_profile *profile, cg_node *stack,
    int64_t id, int64_t time, int64_t length)
{
	const uint64_t cost[2] = { 1, (uint64_t)length };
	struct cg_moment moment = { .time = add_times(profile->base, time),
		.n = cg_columns_width(doc->build) };
	const bool dense = (uint64_t)id < profile->dense.n;

	moment.node = dense ? stack[id] : 0;
	if (moment.node == 0)
		moment.node = find_stack(doc, &profile->tree, (uint64_t)id);
	if (dense)
		stack[id] = moment.node;
	moment.cost = cg_columns_of(doc->build, cost);
	if (moment.node != 0)
		cg_add_moment(doc->build, &moment);
	return moment.node != 0;
}

/*
 * Adds all samples that keep_moment() has stored to the timeline. There must
 * be at least one. A sample lasts until the next one begins, the last sample
 * until profile->latest. "stack" is an array in which add_moment() caches
 * stacks. False: an error (reported).
 */
static bool
add_samples(struct cg_doc *doc, struct chrome_profile *profile, cg_node *stack)
{
	size_t at = 0;
	int64_t id, step, last_id = 0, now = 0, last = 0;
	uint64_t delta;
	bool first = true, good = true;

	while (good && cg_numbers_get_signed(&profile->moments, &at, &step) &&
	       cg_numbers_get(&profile->moments, &at, &delta)) {
		id = (int64_t)((uint64_t)last_id + (uint64_t)step);
		now += (int64_t)delta;
		if (!first)
			good = add_moment(
			    doc, profile, stack, last_id, last, now - last);
		first = false;
		last_id = id;
		last = now;
	}
	return good && add_moment(doc, profile, stack, last_id, last,
			   profile->latest - last);
}

static void
add_moments(struct cg_doc *doc, struct chrome_profile *profile)
{
	CG_ARRAY(cg_node) stack = { 0 }; /* by id, as in dense */
	int64_t end;

	if (profile->moments.bytes == 0 ||
	    !cg_resize(doc->job, &stack, profile->dense.n))
		return;
	if (profile->base == 0)
		profile->base = profile->start;
	profile->track.unit = "ns";
	(void)cg_add_track(doc->build, &profile->track);
	end = add_times(profile->base, profile->latest);
	if (add_samples(doc, profile, stack.at))
		cg_state_times(doc->build, profile->base,
		    profile->end > end ? profile->end : end);
	cg_drop(doc->job, &stack); /* a trace may have many profiles */
}

void
chrome_add_profile(struct cg_doc *doc, struct chrome_profile *profile)
{
	struct chrome_tree *tree = &profile->tree;
	bool hits = false;

	add_columns(doc, profile);
	if (!chrome_link_tree(doc, tree) || !add_sums(doc, profile))
		return;
	for (size_t i = 0; i < tree->node.n; i++)
		hits |= tree->node.at[i].cost > 0;
	for (size_t i = 0; i < tree->node.n && doc->status == CG_OK; i++) {
		struct chrome_node *node = &tree->node.at[i];

		if (!hits)
			node->cost = node->samples;
		if (node->cost > 0 || node->ns > 0 || node->ticks > 0)
			add_node(doc, profile, node);
	}
	if (doc->status == CG_OK)
		add_moments(doc, profile);
}
