/*
 * read.c - reads speedscope's files. speedscope.c describes the format.
 *
 * One pass. Frames may come after the profiles that refer to them by number:
 * then stacks are a tree of frame numbers until the end. A sample takes four
 * bytes until its weight is read.
 */

#include "read.h"

/* ---- Costs -------------------------------------------------------------- */

/*
 * Enters a node into the table of children by parent and frame, unless it is
 * there. Each node remembers the child looked up last, so only nodes with
 * siblings need an entry. False: out of memory (reported).
 */
static bool
list_node(struct reader *r, uint32_t node)
{
	struct node *entry = &r->nodes.at[node - 1];
	uint32_t *id;

	if (entry->listed)
		return true;
	id = cg_map_in(
	    r->job, &r->node_ids, (uint64_t)entry->parent << 32 | entry->frame);
	if (!id)
		return false;
	*id = node;
	entry->listed = 1;
	return true;
}

static bool
add_node(struct reader *r, uint32_t parent, uint32_t frame, uint32_t *node)
{
	struct node *new;

	if (r->nodes.n == NODES_MAX)
		return cg_reject_nomem(r->job);
	new = cg_push(r->job, &r->nodes);
	if (!new)
		return false;
	*new = (struct node){ .parent = parent, .frame = frame };
	*node = (uint32_t)r->nodes.n;
	return true;
}

static bool
find_node(struct reader *r, uint32_t parent, uint32_t frame, uint32_t *node)
{
	struct node *nodes = r->nodes.at;
	uint32_t last = parent ? nodes[parent - 1].last : r->last_root;

	*node = last;
	if (last != 0 && nodes[last - 1].frame == frame)
		return true;
	if (last != 0 && !list_node(r, last))
		return false;
	if (last != 0)
		*node =
		    cg_map_get(&r->node_ids, (uint64_t)parent << 32 | frame);
	if (*node == 0 && !add_node(r, parent, frame, node))
		return false;
	nodes = r->nodes.at;
	if (parent)
		nodes[parent - 1].last = *node & NODES_MAX;
	else
		r->last_root = *node;
	return true;
}

static bool
add_cost(struct reader *r, uint32_t node, const struct decimal *value)
{
	struct cost *cost;
	uint32_t *id;

	/* Drop time without a frame, unless cgconv wrote it. */
	if (node == 0 && !r->profile.ours)
		return true;
	if (node >= r->cost_of.n &&
	    !cg_resize(r->job, &r->cost_of, (size_t)node + 1))
		return false;
	id = &r->cost_of.at[node];
	if (*id == 0) {
		cost = cg_push(r->job, &r->costs);
		if (!cost)
			return false;
		cost->node = node;
		*id = (uint32_t)(r->costs.n - r->profile.first);
	} else {
		cost = &r->costs.at[r->profile.first + *id - 1];
	}
	cost->samples++;
	return speedscope_add_decimal(&cost->value, value) ||
	       speedscope_reject(r, "weights whose sum is below 2^64");
}

/*
 * Adds the weight of a sample to the cost of its node, and the sample to the
 * timeline. Without frames (node 0), it is no cost in a profile with gaps.
 * False: an error (reported).
 */
static bool
add_weight(struct reader *r, uint32_t node, const struct decimal *value)
{
	if (!speedscope_keep_moment(r, node, value))
		return false;
	return (node == 0 && r->profile.gaps) || add_cost(r, node, value);
}

/* ---- Sampled profiles --------------------------------------------------- */

/* Samples looked up at once, and numbers parsed at once. */
#define SAMPLES_AT_ONCE 64
#define FRAMES_AT_ONCE 64

/*
 * Adds the stacks that were read to the builder. r->stacks has their frames,
 * and r->ends the end of each stack. Sets leaf[i] to the builder's node of
 * stack i. Overwrites r->stacks. False: an error (reported).
 */
static bool
find_leaves(struct reader *r, uint32_t *leaf)
{
	const struct frame *known = r->frames.at;
	uint32_t *frame = r->stacks.at;

	for (size_t i = 0; i < r->stacks.n; i++) {
		cg_frame_id id = known[frame[i]].id;

		frame[i] = id ? id : speedscope_get_frame(r, frame[i]);
		if (frame[i] == 0)
			return false;
	}
	return cg_add_paths(r->build, frame, r->ends.at, r->ends.n, leaf);
}

static bool
find_own_leaves(struct reader *r, uint32_t *leaf)
{
	const uint32_t *frame = r->stacks.at;
	const size_t *end = r->ends.at;

	for (size_t i = 0, at = 0; i < r->ends.n; i++) {
		leaf[i] = 0;
		for (; at < end[i]; at++) {
			if (!find_node(r, leaf[i], frame[at], &leaf[i]))
				return false;
		}
	}
	return true;
}

/*
 * Finds the stack node of each sample whose frames were read. The frames are
 * in r->stacks and r->ends, which are emptied. Appends the nodes to
 * r->samples. False: an error (reported).
 */
static bool
finish_samples(struct reader *r)
{
	uint32_t *leaf;

	if (!cg_reserve(r->job, &r->samples, r->samples.n + r->ends.n))
		return false;
	leaf = r->samples.at + r->samples.n;
	if (!(r->direct ? find_leaves(r, leaf) : find_own_leaves(r, leaf)))
		return false;
	r->samples.n += r->ends.n;
	r->ends.n = r->stacks.n = 0;
	return true;
}

/*
 * Takes the frame numbers of a sample, up to the end of its array (included),
 * and appends them to r->stacks. False: an error (reported).
 */
static bool
take_stack(struct reader *r)
{
	const size_t frames = r->frames.n;
	/* Larger numbers take the slow path, which reports them. */
	const uint32_t max = r->direct && frames <= UINT32_MAX
				 ? (uint32_t)frames - 1
				 : UINT32_MAX;
	uint32_t *frame;
	uint64_t number;

	for (;;) {
		if (!cg_reserve(
			r->job, &r->stacks, r->stacks.n + FRAMES_AT_ONCE))
			return false;
		frame = r->stacks.at;
		r->stacks.n += cg_json_numbers(
		    &r->json, max, frame + r->stacks.n, FRAMES_AT_ONCE - 1);
		if (!speedscope_next(r))
			return false;
		if (r->type == CG_JSON_ARRAY_END)
			return true;
		if (!speedscope_get_number(r, UINT32_MAX, &number) ||
		    (r->direct && !speedscope_get_frame(r, (uint32_t)number)))
			return false;
		frame[r->stacks.n++] = (uint32_t)number;
	}
}

static bool
take_sample(struct reader *r)
{
	if (!speedscope_expect(
		r, CG_JSON_ARRAY, "'[' and the frames of a sample") ||
	    !take_stack(r) || !cg_reserve(r->job, &r->ends, r->ends.n + 1))
		return false;
	r->ends.at[r->ends.n++] = r->stacks.n;
	return (r->ends.n < SAMPLES_AT_ONCE || finish_samples(r)) &&
	       speedscope_next(r);
}

static bool
take_samples(struct reader *r)
{
	r->sampled = true;
	r->ends.n = r->stacks.n = 0;
	return speedscope_take_array(r, take_sample) && finish_samples(r);
}

static bool
take_weight(struct reader *r)
{
	struct decimal value;

	if (!speedscope_take_decimal(r, &value))
		return false;
	return cg_append(r->job, &r->weights, value);
}

static bool
take_weight_of_sample(struct reader *r)
{
	const uint32_t *sample = r->samples.at;
	struct decimal value;

	if (r->weights.n == r->samples.n)
		return speedscope_reject(r, "as many weights as samples");
	return speedscope_take_decimal(r, &value) &&
	       add_weight(r, sample[r->weights.n++], &value);
}

static bool
take_weights(struct reader *r)
{
	r->weighted = true;
	r->stored = !r->sampled;
	return speedscope_take_array(
	    r, r->sampled ? take_weight_of_sample : take_weight);
}

/*
 * Adds the weight of each sample to the cost of its node. Called for a file in
 * which the weights come before the samples: r->weights has the weight of each
 * sample in r->samples. False: an error (reported).
 */
static bool
join_weights(struct reader *r)
{
	const uint32_t *sample = r->samples.at;
	const struct decimal *weight = r->weights.at;

	for (size_t i = 0; i < r->samples.n; i++) {
		if (!add_weight(r, sample[i], &weight[i]))
			return false;
	}
	return true;
}

/* ---- Evented profiles --------------------------------------------------- */

static bool
take_event_type(struct reader *r)
{
	if (!speedscope_string(r))
		return false;
	if (!cg_equal(r->string, "O") && !cg_equal(r->string, "C"))
		return speedscope_reject(r, "\"O\" or \"C\"");
	r->event_type = *r->string.ptr;
	return speedscope_next(r);
}

static bool
take_event_frame(struct reader *r)
{
	uint64_t frame;

	if (!speedscope_take_number(r, UINT32_MAX, &frame))
		return false;
	r->event_frame = (uint32_t)frame;
	return true;
}

static bool
take_event_at(struct reader *r)
{
	return speedscope_take_decimal(r, &r->event_at);
}

static const struct key event_keys[] = {
	{ "type", take_event_type },
	{ "frame", take_event_frame },
	{ "at", take_event_at },
	{ NULL, NULL },
};

static uint32_t
top(const struct reader *r)
{
	return r->open.n ? r->open.at[r->open.n - 1].node : 0;
}

/*
 * Sets r->now to the time of an event. Adds the time since the last event to
 * the innermost open frame; without one, to node 0 or, in a profile with gaps,
 * to nothing. False: an error (reported).
 */
static bool
advance_time(struct reader *r, const struct decimal *at)
{
	struct decimal now = r->now, elapsed = *at;

	if (!r->began)
		now = *at;
	r->now = *at;
	r->began = true;
	if (elapsed.whole < now.whole ||
	    (elapsed.whole == now.whole && elapsed.nano < now.nano))
		return speedscope_reject(r, "times in their order");
	if (elapsed.nano < now.nano) {
		elapsed.whole--;
		elapsed.nano += NANO;
	}
	elapsed.whole -= now.whole;
	elapsed.nano -= now.nano;
	return (elapsed.whole == 0 && elapsed.nano == 0) ||
	       (r->open.n == 0 && r->profile.gaps) ||
	       add_cost(r, top(r), &elapsed);
}

/*
 * Closes the innermost open frame that has the number of the event's frame,
 * and the frames inside it. Warns if there are frames inside it, or if no such
 * frame is open. Both occur in files of PerfView.
 */
static void
close_frame(struct reader *r)
{
	const struct step *open = r->open.at;
	size_t depth = r->open.n;

	while (depth > 0 && open[depth - 1].frame != r->event_frame)
		depth--;
	if (depth == 0 || depth != r->open.n)
		cg_warn_at(r->job, r->json.at,
		    "expected the end of the frame that began last");
	if (depth > 0)
		r->open.n = depth - 1;
}

/*
 * Sets *node to the node of a frame that the innermost open frame calls. Adds
 * the node if there is none. False: an error (reported).
 */
static bool
find_next_node(struct reader *r, uint32_t frame, uint32_t *node)
{
	cg_frame_id id;

	if (!r->direct)
		return find_node(r, top(r), frame, node);
	id = speedscope_get_frame(r, frame);
	*node = id ? cg_add_node(r->build, top(r), id) : 0;
	return *node != 0;
}

/*
 * Handles an event that opens a frame. The innermost open frame calls this
 * one, which becomes the innermost. False: an error (reported).
 */
static bool
open_frame(struct reader *r, uint32_t frame)
{
	struct step step = { .frame = frame };

	if (!find_next_node(r, frame, &step.node))
		return false;
	return cg_append(r->job, &r->open, step);
}

static bool
take_event(struct reader *r)
{
	r->event_type = 0;
	if (!speedscope_take_object(r, event_keys))
		return false;
	if (r->event_type == 0)
		return speedscope_reject(r, "a \"type\" of each event");
	if (!advance_time(r, &r->event_at))
		return false;
	if (r->event_type == 'C') {
		close_frame(r);
		return speedscope_keep_moment(r, top(r), &r->event_at);
	}
	return open_frame(r, r->event_frame) &&
	       speedscope_keep_moment(r, top(r), &r->event_at);
}

static bool
take_events(struct reader *r)
{
	r->open.n = 0;
	r->began = false;
	r->profile.evented = true;
	if (!speedscope_take_array(r, take_event))
		return false;
	if (r->open.n > 0)
		cg_warn(r->job, "expected the ends of all frames: the profile "
				"may be truncated");
	return true;
}

/* ---- Profiles ----------------------------------------------------------- */

static bool
take_profile_name(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.name);
}

static bool
take_unit(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.unit);
}

/*
 * Reads startValue into the profile. Skips a negative one: the schema allows
 * it, but no known producer writes it. False: an error (reported).
 */
static bool
take_start(struct reader *r)
{
	if (r->type == CG_JSON_NUMBER && *r->json.text.ptr != '-')
		return speedscope_take_decimal(r, &r->profile.start);
	return cg_json_skip(&r->json, r->type) ? speedscope_next(r)
					       : speedscope_reject(r, "JSON");
}

static const struct key profile_keys[] = {
	{ "name", take_profile_name }, { "unit", take_unit },
	{ "startValue", take_start }, { "samples", take_samples },
	{ "weights", take_weights }, { "events", take_events },
	{ "cgconv", speedscope_take_ours },
	{ "counts", speedscope_take_counts },
	{ NULL, NULL }, /* "type" and "endValue" are not used */
};

/*
 * Clears r->cost_of, the costs by node, for the next profile. Clears only the
 * elements of this profile's costs, as there may be many nodes.
 */
static void
forget_costs(struct reader *r)
{
	const struct cost *cost = r->costs.at;
	uint32_t *of = r->cost_of.at;

	for (size_t i = r->profile.first; i < r->profile.end; i++)
		of[cost[i].node] = 0;
}

static bool
take_profile(struct reader *r)
{
	struct profile *profile;

	r->profile = (struct profile){ .first = r->costs.n,
		.first_moment = r->moments.bytes };
	if (r->profiles.n == 0 && !r->built)
		r->direct = r->frames.n > 0;
	r->samples.n = r->weights.n = r->open.n = 0;
	r->counts = 0;
	r->sampled = r->weighted = r->stored = false;
	if (!speedscope_take_object(r, profile_keys))
		return false;
	if (r->sampled != r->weighted || r->samples.n != r->weights.n)
		return speedscope_reject(r, "as many weights as samples");
	if (r->stored && !join_weights(r))
		return false;
	r->profile.end = r->costs.n;
	forget_costs(r);
	r->profile.end_moment = r->moments.bytes;
	profile = cg_push(r->job, &r->profiles);
	if (!profile)
		return false;
	*profile = r->profile;
	return !r->direct || speedscope_build_profile(r);
}

static bool
take_profiles(struct reader *r)
{
	return speedscope_take_array(r, take_profile);
}

/* ---- Frames ------------------------------------------------------------- */

static bool
take_frame_name(struct reader *r)
{
	return speedscope_take_name(r, &r->frame_name);
}

/*
 * Reads the file of the current frame; some producers write null for an
 * unknown one. False: an error (reported).
 */
static bool
take_frame_file(struct reader *r)
{
	if (r->type == CG_JSON_NULL)
		return speedscope_next(r);
	if (!speedscope_string(r))
		return false;
	r->frame.file = cg_add_file(r->build, r->string);
	return speedscope_next(r);
}

static bool
take_position(struct reader *r, uint32_t *to)
{
	uint64_t number;

	if (r->type == CG_JSON_NULL)
		return speedscope_next(r);
	if (!speedscope_take_number(r, UINT32_MAX, &number))
		return false;
	*to = (uint32_t)number;
	return true;
}

static bool
take_frame_line(struct reader *r)
{
	return take_position(r, &r->frame.line);
}

static bool
take_frame_column(struct reader *r)
{
	return take_position(r, &r->frame_column);
}

static const struct key frame_keys[] = {
	{ "name", take_frame_name },
	{ "file", take_frame_file },
	{ "line", take_frame_line },
	{ "col", take_frame_column },
	{ "cgconv", speedscope_take_our_frame },
	{ NULL, NULL },
};

static bool
take_frame(struct reader *r)
{
	struct cg_slice name;

	r->frame = (struct frame){ 0 };
	r->frame_name = 0;
	r->frame_object = 0;
	r->frame_column = 0;
	if (!speedscope_take_object(r, frame_keys))
		return false;
	name = cg_get_name(r->build, r->frame_name);
	if (name.len == 0)
		name = cg_slice("[unknown]");
	if (r->frame_column > 0)
		r->frame.fn = cg_add_fn_at(r->build, name, r->frame.file,
		    r->frame_object, r->frame.line, r->frame_column);
	else
		r->frame.fn =
		    cg_add_fn(r->build, name, r->frame.file, r->frame_object);
	return cg_append(r->job, &r->frames, r->frame);
}

static bool
take_frames(struct reader *r)
{
	return speedscope_take_array(r, take_frame);
}

static const struct key shared_keys[] = {
	{ "frames", take_frames },
	{ NULL, NULL },
};

static bool
take_shared(struct reader *r)
{
	return speedscope_take_object(r, shared_keys);
}

static const struct key file_keys[] = {
	{ "shared", take_shared },
	{ "profiles", take_profiles },
	{ NULL, NULL },
};

/* ---- The file ----------------------------------------------------------- */

static void
read_file(struct reader *r, struct cg_in *in)
{
	cg_json_open(&r->json, in);
	if (!speedscope_next(r) || !speedscope_take_object(r, file_keys))
		return;
	if (!speedscope_expect(r, CG_JSON_END, "nothing after the last '}'"))
		return;
	if (r->profiles.n == 0 && !r->built) {
		(void)cg_reject(r->job, "expected \"profiles\"");
		return;
	}
	/* Free the tables: the graph needs the memory. */
	cg_map_clear(&r->node_ids);
	cg_drop(r->job, &r->cost_of);
	speedscope_build(r);
}

int
speedscope_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };

	read_file(&r, in);
	return cg_in_status(in);
}
