/*
 * timeline.c - adds samples and events in order of time.
 *
 * A sample lasts as long as its weight; the first one begins at startValue.
 */
#include "read.h"

bool
speedscope_keep_moment(
    struct reader *r, uint32_t node, const struct decimal *value)
{
	/*
	 * Without a track, cgconv has sorted the stacks: there is no order of
	 * time.
	 */
	if (r->untimed || (r->profile.ours && !r->profile.tracked))
		return true;
	if (!r->timed) {
		r->timed = cg_begin_timeline(r->build);
		r->untimed = !r->timed;
	}
	if (r->untimed)
		return true;
	return (cg_numbers_in(r->job, &r->moments, node) &&
		cg_numbers_in(r->job, &r->moments, value->whole) &&
		cg_numbers_in(r->job, &r->moments, value->nano));
}

/*
 * Reads the stored sample at position *at. Sets *node to its node, and *value
 * to its weight or time. Sets *at to the position after it. False: the profile
 * has no more.
 */
static bool
get_moment(const struct reader *r, const struct profile *profile, size_t *at,
    uint32_t *node, struct decimal *value)
{
	uint64_t number = 0, nano = 0;

	if (*at >= profile->end_moment)
		return false;
	(void)cg_numbers_get(&r->moments, at, &number);
	(void)cg_numbers_get(&r->moments, at, &value->whole);
	(void)cg_numbers_get(&r->moments, at, &nano);
	*node = (uint32_t)number;
	value->nano = (uint32_t)nano;
	return true;
}

struct timeline {
	uint64_t factor;
	struct decimal now;
	uint64_t cost[CG_EVENT_MAX];
	unsigned column;
};

/*
 * Returns a time of the file, multiplied by factor to be in ns or another unit
 * of the graph. INT64_MAX if it overflows: the library drops such times.
 */
static int64_t
scale_time(const struct decimal *value, uint64_t factor)
{
	uint64_t scaled;

	return speedscope_scale(value, factor, &scaled) && scaled < INT64_MAX
		   ? (int64_t)scaled
		   : INT64_MAX;
}

/*
 * Returns the sum of the node's weights so far, at first 0. Costs are
 * differences of rounded sums, so that they add up to the rounded total. Valid
 * until the next call. NULL: out of memory (reported).
 */
static struct decimal *
get_sum(struct reader *r, uint32_t node)
{
	uint32_t *id = cg_map_in(r->job, &r->sum_ids, node);
	struct decimal *sum;

	if (!id)
		return NULL;
	if (*id != 0)
		return &r->sums.at[*id - 1];
	sum = cg_push(r->job, &r->sums);
	if (sum)
		*id = (uint32_t)r->sums.n;
	return sum;
}

/*
 * Adds a sample to the timeline, and moves the clock (line->now) by its
 * weight. Dropped time without a frame only moves the clock. False: out of
 * memory (reported).
 */
static bool
add_sample(struct reader *r, const struct profile *profile,
    struct timeline *line, uint32_t node, const struct decimal *weight)
{
	struct cg_moment moment = { .time =
					scale_time(&line->now, line->factor),
		.node = speedscope_stack(r, node),
		.cost = line->cost,
		.n = line->column + 1 };
	uint64_t before = 0, after = 0;
	struct decimal *sum;

	if (!speedscope_add_decimal(&line->now, weight))
		line->now.whole = UINT64_MAX;
	/* Drop time without a frame: see add_cost(). */
	if (node == 0 && (!profile->ours || profile->gaps))
		return true;
	sum = get_sum(r, node);
	if (!sum)
		return false;
	/* Nothing overflows: build.c has added the same sums. */
	(void)speedscope_scale(sum, line->factor, &before);
	(void)speedscope_add_decimal(sum, weight);
	(void)speedscope_scale(sum, line->factor, &after);
	line->cost[line->column] = after - before;
	cg_add_moment(r->build, &moment);
	return true;
}

static bool
add_moments(
    struct reader *r, const struct profile *profile, struct timeline *line)
{
	size_t at = profile->first_moment;
	struct decimal value;
	uint32_t node;
	bool ok = true;

	while (ok && get_moment(r, profile, &at, &node, &value))
		if (profile->evented)
			cg_add_moment(r->build,
			    &(const struct cg_moment){
				.time = scale_time(&value, line->factor),
				.node = speedscope_stack(r, node) });
		else
			ok = add_sample(r, profile, line, node, &value);
	/* States the end, as the last sample has a length, too. */
	if (!profile->evented)
		cg_state_times(r->build,
		    scale_time(&profile->start, line->factor),
		    scale_time(&line->now, line->factor));
	return ok;
}

bool
speedscope_add_moments(struct reader *r, const struct profile *profile,
    uint64_t factor, unsigned column, const char *unit)
{
	struct timeline line = {
		.factor = factor, .now = profile->start, .column = column
	};
	const struct cg_track track = { .pid = profile->track_pid,
		.tid = profile->track_tid,
		.name = cg_get_name(
		    r->build, profile->ours ? profile->track : profile->name)
			    .ptr,
		.process = cg_get_name(r->build, profile->process).ptr,
		.unit = unit,
		.spans = profile->evented };

	if (profile->first_moment == profile->end_moment)
		return true;
	/*
	 * A track that cgconv wrote has a profile for each event: continue it.
	 */
	if (profile->ours)
		cg_set_track(r->build, &track);
	else
		(void)cg_add_track(r->build, &track);
	if (cg_build_status(r->build) != CG_OK)
		return false;
	cg_map_clear(&r->sum_ids);
	r->sums.n = 0;
	return add_moments(r, profile, &line) &&
	       cg_build_status(r->build) == CG_OK;
}
