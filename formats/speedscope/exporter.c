/*
 * exporter.c - reads the keys that cgconv adds to speedscope's files: see
 * speedscope.c.
 */
#include "read.h"

/* ---- In a profile -------------------------------------------------------- */

static bool
take_our_event(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.event);
}

static bool
take_our_long(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.event_long);
}

static bool
take_our_unit(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.event_unit);
}

static bool
take_our_cmd(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.cmd);
}

static bool
take_our_part(struct reader *r)
{
	return speedscope_take_number(r, UINT32_MAX, &r->profile.part);
}

static bool
take_our_pid(struct reader *r)
{
	return speedscope_take_number(r, UINT64_MAX, &r->profile.pid);
}

static bool
take_our_tid(struct reader *r)
{
	return speedscope_take_number(r, UINT64_MAX, &r->profile.tid);
}

static bool
take_our_number(struct reader *r)
{
	return speedscope_take_number(r, UINT64_MAX, &r->profile.number);
}

static bool
take_flag(struct reader *r, bool *flag)
{
	if (r->type != CG_JSON_TRUE && r->type != CG_JSON_FALSE)
		return speedscope_reject(r, "true or false");
	*flag = r->type == CG_JSON_TRUE;
	return speedscope_next(r);
}

static bool
take_counted(struct reader *r)
{
	return take_flag(r, &r->profile.counted);
}

static bool
take_gaps(struct reader *r)
{
	return take_flag(r, &r->profile.gaps);
}

static bool
take_again(struct reader *r)
{
	return take_flag(r, &r->profile.again);
}

static bool
take_track_name(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.track);
}

static bool
take_track_process(struct reader *r)
{
	return speedscope_take_name(r, &r->profile.process);
}

static bool
take_track_pid(struct reader *r)
{
	return speedscope_take_number(r, UINT64_MAX, &r->profile.track_pid);
}

static bool
take_track_tid(struct reader *r)
{
	return speedscope_take_number(r, UINT64_MAX, &r->profile.track_tid);
}

static bool
take_track(struct reader *r)
{
	static const struct key keys[] = {
		{ "name", take_track_name },
		{ "process", take_track_process },
		{ "pid", take_track_pid },
		{ "tid", take_track_tid },
		{ "gaps", take_gaps },
		{ "again", take_again },
		{ NULL, NULL },
	};

	r->profile.tracked = true;
	return speedscope_take_object(r, keys);
}

/*
 * Reads a description, [ key, value ], of a process or thread, and appends it
 * to those of the current profile. False: an error (reported).
 */
static bool
take_desc(struct reader *r)
{
	struct desc *desc = cg_push(r->job, &r->descs);

	if (!desc)
		return false;
	if (!speedscope_expect(r, CG_JSON_ARRAY, "'[' and a description") ||
	    !speedscope_next(r) || !speedscope_take_name(r, &desc->key) ||
	    !speedscope_take_name(r, &desc->value) ||
	    !speedscope_expect(r, CG_JSON_ARRAY_END, "']'"))
		return false;
	r->profile.end_desc = r->descs.n;
	return speedscope_next(r);
}

static bool
take_descs(struct reader *r)
{
	return speedscope_take_array(r, take_desc);
}

static const struct key our_keys[] = {
	{ "event", take_our_event },
	{ "long", take_our_long },
	{ "unit", take_our_unit },
	{ "part", take_our_part },
	{ "pid", take_our_pid },
	{ "tid", take_our_tid },
	{ "number", take_our_number },
	{ "cmd", take_our_cmd },
	{ "counted", take_counted },
	{ "desc", take_descs },
	{ "track", take_track },
	{ NULL, NULL },
};

bool
speedscope_take_ours(struct reader *r)
{
	r->profile.ours = true;
	r->profile.first_desc = r->profile.end_desc = r->descs.n;
	return speedscope_take_object(r, our_keys);
}

/*
 * Reads a number of the array "counts", and adds it to the samples of the next
 * stack's cost. The first number of a cost replaces them. A stack without a
 * cost is ignored. False: an error (reported).
 */
static bool
take_count(struct reader *r)
{
	const uint32_t *sample = r->samples.at;
	struct cost *cost = r->costs.at;
	const uint32_t *of = r->cost_of.at;
	uint64_t count;
	uint32_t node, id;

	if (r->counts == r->samples.n || r->stored || !r->weighted)
		return speedscope_reject(r, "counts of samples above");
	node = sample[r->counts++];
	id = node < r->cost_of.n ? of[node] : 0;
	if (!speedscope_take_number(r, UINT64_MAX, &count))
		return false;
	if (id == 0)
		return true;
	cost += r->profile.first + id - 1;
	if (!cost->counted)
		cost->samples = 0;
	cost->counted = true;
	return !__builtin_add_overflow(cost->samples, count, &cost->samples) ||
	       speedscope_reject(r, "counts whose sum is below 2^64");
}

bool
speedscope_take_counts(struct reader *r)
{
	return speedscope_take_array(r, take_count);
}

/* ---- In a frame ---------------------------------------------------------- */

static bool
take_object(struct reader *r)
{
	if (!speedscope_string(r))
		return false;
	r->frame_object = cg_add_object(r->build, r->string);
	return speedscope_next(r);
}

static bool
take_inlined(struct reader *r)
{
	return take_flag(r, &r->frame.inlined);
}

bool
speedscope_take_our_frame(struct reader *r)
{
	static const struct key keys[] = {
		{ "object", take_object },
		{ "inlined", take_inlined },
		{ NULL, NULL },
	};

	return speedscope_take_object(r, keys);
}
