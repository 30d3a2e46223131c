/*
 * build.c - adds the data of a speedscope file to the builder.
 */
#include <inttypes.h>

#include "read.h"

/* A unit of weights, and the event that it becomes. */
struct unit {
	const char *name;  /* in the file */
	const char *event; /* its event */
	const char *unit;
	uint64_t scale; /* in ours, one unit of the file */
};
/* The first one is for profiles without a unit. */
static const struct unit units[] = {
	{ "none", "samples", "", 1 },
	{ "nanoseconds", "time", "ns", 1 },
	{ "microseconds", "time", "ns", 1000 },
	{ "milliseconds", "time", "ns", 1000000 },
	{ "seconds", "time", "ns", 1000000000 },
	{ "bytes", "bytes", "bytes", 1 },
	{ 0 },
};

cg_frame_id
speedscope_get_frame(struct reader *r, uint32_t number)
{
	struct frame *frame;

	if (number >= r->frames.n) {
		(void)cg_reject_at(r->job, r->direct ? r->json.at : NULL,
		    "expected frames below %zu in samples and events, there is "
		    "%" PRIu32,
		    r->frames.n, number);
		return 0;
	}
	frame = &r->frames.at[number];
	if (frame->id == 0)
		frame->id = cg_get_frame(r->build, frame->fn,
		    &(const struct cg_pos){
			.file = frame->file, .line = frame->line },
		    frame->inlined);
	return frame->id;
}

/*
 * Adds the stacks of the file to the builder. They are a tree in r->nodes, in
 * which parents precede children. Replaces the member "frame" of each node, a
 * frame's number, by the builder's node. False: an error (reported).
 */
static bool
build_stacks(struct reader *r)
{
	struct node *nodes = r->nodes.at;
	bool ok = true;

	for (size_t i = 0; ok && i < r->nodes.n; i++) {
		cg_frame_id id = speedscope_get_frame(r, nodes[i].frame);

		nodes[i].frame =
		    id == 0 ? 0
			    : cg_add_node(r->build,
				  speedscope_stack(r, nodes[i].parent), id);
		ok = nodes[i].frame != 0;
	}
	return ok;
}

static const struct unit *
find_unit(struct reader *r, const struct profile *profile)
{
	const struct unit *unit = units;
	struct cg_slice name = cg_get_name(r->build, profile->unit);

	while (unit->name && !cg_equal(name, unit->name))
		unit++;
	if (unit->name)
		return unit;
	if (name.len > 0)
		cg_warn(r->job, "unknown unit \"%.40s\" is ignored", name.ptr);
	return units;
}

/*
 * Makes the part (process or thread) of a profile the current one; adds it if
 * new. cgconv writes a profile for each event of a part. Other tools' profiles
 * are parts of their own. *first: the part's first profile. False: out of
 * memory (reported).
 */
static bool
begin_part(struct reader *r, const struct profile *profile, bool *first)
{
	const struct desc *desc = r->descs.at;
	const struct cg_part_info ours = { .pid = profile->pid,
		.tid = profile->tid,
		.part = profile->number,
		.cmd = cg_get_name(r->build, profile->cmd).ptr };
	const struct cg_part_info theirs = {
		.cmd = cg_get_name(r->build, profile->name).ptr
	};
	uint32_t *part;

	*first = true;
	if (!profile->ours) {
		(void)cg_add_part(r->build, &theirs);
		return true;
	}
	part = cg_map_in(r->job, &r->parts, profile->part);
	if (!part)
		return false;
	*first = *part == 0;
	if (*part != 0)
		cg_set_part(r->build, *part - 1);
	else
		*part = cg_add_part(r->build, &ours) + 1;
	for (size_t i = profile->first_desc; *first && i < profile->end_desc;
	     i++)
		cg_add_desc(r->build, cg_get_name(r->build, desc[i].key),
		    cg_get_name(r->build, desc[i].value));
	return true;
}

static unsigned
add_event(
    struct reader *r, const struct profile *profile, const struct unit *unit)
{
	struct cg_event event = { .name = unit->event, .unit = unit->unit };

	if (profile->ours && profile->event != 0)
		event = (struct cg_event){
			.name = cg_get_name(r->build, profile->event).ptr,
			.long_name =
			    cg_get_name(r->build, profile->event_long).ptr,
			.unit = cg_get_name(r->build, profile->event_unit).ptr
		};
	return cg_add_event(r->build, &event);
}

/*
 * Sets *cost to a weight times "factor", rounded. Warns if this loses a
 * fraction of the weight: the factor is 1, and the weight is not whole. False:
 * it overflows (not reported).
 */
static bool
scale(struct reader *r, const struct decimal *value, uint64_t factor,
    uint64_t *cost)
{
	if (factor == 1 && value->nano != 0)
		cg_warn(r->job, "fractions of weights are rounded");
	return speedscope_scale(value, factor, cost);
}

static uint64_t
count_samples(const struct profile *profile, const struct unit *unit,
    const struct cost *cost, uint64_t weight, bool first)
{
	if (cost->counted)
		return cost->samples;
	/* Weights without a unit are counts. */
	if (profile->ours ? profile->counted : *unit->unit == '\0')
		return weight;
	if (!profile->ours)
		return cost->samples;
	return (profile->tracked ? !profile->again : first) ? cost->samples : 0;
}

static bool
add_profile(struct reader *r, const struct profile *profile)
{
	const struct unit *unit = find_unit(r, profile);
	uint64_t factor = profile->ours ? 1 : unit->scale;
	const struct cost *costs = r->costs.at;
	uint64_t cost[CG_EVENT_MAX] = { 0 };
	unsigned column;
	bool first;

	if (!begin_part(r, profile, &first))
		return false;
	column = add_event(r, profile, unit);
	for (size_t i = profile->first; i < profile->end; i++) {
		if (!scale(r, &costs[i].value, factor, &cost[column])) {
			return cg_reject(
			    r->job, "expected weights whose sum is below 2^64");
		}
		cg_add_stack(r->build, speedscope_stack(r, costs[i].node),
		    count_samples(
			profile, unit, &costs[i], cost[column], first),
		    cost, column + 1);
	}
	return speedscope_add_moments(r, profile, factor, column, unit->unit) &&
	       cg_build_status(r->build) == CG_OK;
}

bool
speedscope_build_profile(struct reader *r)
{
	if (!add_profile(r, r->profiles.at))
		return false;
	r->built = true;
	r->profiles.n = r->descs.n = 0;
	r->costs.n = 0;
	(void)cg_free_nodes(r->job);
	return true;
}

void
speedscope_build(struct reader *r)
{
	const struct profile *profile = r->profiles.at;
	bool ok = r->direct || build_stacks(r);

	for (size_t i = 0; ok && i < r->profiles.n; i++)
		ok = add_profile(r, &profile[i]);
}
