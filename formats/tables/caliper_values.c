/*
 * caliper_values.c - what is measured: sums of values by path and event, and
 * the graph of them.
 *
 * Exclusive are sums of what was measured between two events: time.duration,
 * time.duration.ns, counters; they may be summed again: sum#sum#X. Inclusive
 * are time.inclusive.duration, and inclusive#X, what inclusive_sum() computes:
 * if X has no exclusive values, they are the differences of a region and the
 * regions that it contains. Minima, maxima, averages (min#X, avg#X) and
 * percentages are dropped.
 *
 * time.duration.ns has its unit in its name. time.duration is in seconds in
 * what Caliper computes from it since 2.10, and in its time.unit before.
 */
#include <string.h>

#include "caliper.h"

#define TIME "time.duration"
#define NS_OF_SECOND 9 /* digits */
#define NS_OF_US 3
#define OUTSIDE "[unknown]" /* of what ran outside of all regions */

/* ---- Events -------------------------------------------------------------- */

/*
 * Returns the index of the event with a name, from 1. Adds the event if it is
 * new. "time" tells that the event counts time. 0: too many events, so that
 * its values are dropped, or out of memory (reported).
 */
static uint32_t
find_event(struct caliper *c, struct cg_slice name, bool time)
{
	const cg_name id = cg_add_name(c->build, name);

	for (size_t i = 1; i < c->event.n; i++)
		if (c->event.at[i].name == id)
			return (uint32_t)i;
	if (c->event.n == CG_EVENT_MAX ||
	    !cg_append(c->job, &c->event,
		(struct caliper_event){ .name = id, .time = time }))
		return 0;
	return (uint32_t)c->event.n - 1;
}

struct caliper_metric
caliper_get_metric(struct caliper *c, struct cg_slice name,
    struct cg_slice unit, bool measured)
{
	struct caliper_metric metric = { .event = 0 };
	bool time = false;

	for (;;) {
		if (cg_take_prefix(&name, "inclusive#"))
			metric.inclusive = true;
		else if (!cg_take_prefix(&name, "sum#"))
			break;
		measured = true;
	}
	if (cg_find(name, "#"))
		return metric;
	/* The name in JSON of runtime-profile. */
	if (cg_equal(name, "time") || cg_equal(name, "Time (E)") ||
	    cg_equal(name, "time (inc)")) {
		metric.inclusive |= cg_equal(name, "time (inc)");
		metric.digits = NS_OF_SECOND;
		time = measured = true;
	} else if (cg_starts(name, TIME) ||
		   cg_starts(name, "time.inclusive.duration")) {
		metric.inclusive |= !cg_starts(name, TIME);
		if (cg_find(name, ".ns") || cg_equal(unit, "nsec"))
			metric.digits = 0;
		else if (cg_equal(unit, "usec"))
			metric.digits = NS_OF_US;
		else
			metric.digits = NS_OF_SECOND;
		c->unstated |= !cg_find(name, ".ns") && unit.len == 0;
		time = measured = true;
	}
	if (measured)
		metric.event =
		    find_event(c, time ? cg_slice(CG_TIME_EVENT) : name, time);
	return metric;
}

/* ---- Sums ---------------------------------------------------------------- */

/*
 * Returns the sums of an event for a path of regions. The first time, adds
 * them as 0. The pointer is valid until the next call. NULL: out of memory
 * (reported).
 */
static struct caliper_sum *
find_sum(struct caliper *c, uint32_t path, uint32_t event)
{
	uint32_t *at =
	    cg_map_in(c->job, &c->sum_ids, (uint64_t)path << 32 | event);

	if (!at)
		return NULL;
	if (*at == 0) {
		if (!cg_append(c->job, &c->sum,
			(struct caliper_sum){ .path = path, .event = event }))
			return NULL;
		*at = (uint32_t)c->sum.n - 1;
	}
	return &c->sum.at[*at];
}

/*
 * Returns true if the number in the text has digits other than 0 after its
 * point.
 */
static bool
has_fraction(struct cg_slice text)
{
	const char *at = memchr(text.ptr, '.', text.len);

	while (at && ++at < text.ptr + text.len)
		if (*at > '0' && *at <= '9')
			return true;
	return false;
}

bool
caliper_add_value(struct caliper *c, uint32_t path,
    const struct caliper_metric *metric, struct cg_slice text)
{
	struct cg_slice name;
	struct caliper_sum *sum;
	uint64_t value;

	if (metric->event == 0)
		return true;
	text = cg_trim(text);
	if (text.len > 0 && *text.ptr == '-') {
		c->negative++;
		return true;
	}
	if (!table_get_number(text, metric->digits, &value)) {
		name = cg_get_name(c->build, c->event.at[metric->event].name);
		return c->whole ? cg_reject_at(c->job, text.ptr,
				      "expected a number for %s", name.ptr)
				: cg_reject(c->job, "expected a number for %s",
				      name.ptr);
	}
	c->cut += metric->digits == 0 && has_fraction(text);
	sum = find_sum(c, path, metric->event);
	if (!sum)
		return false;
	c->event.at[metric->event].has_self |= !metric->inclusive;
	if (metric->inclusive)
		return !__builtin_add_overflow(sum->all, value, &sum->all) ||
		       cg_reject(c->job, "a sum exceeds 64 bits");
	return !__builtin_add_overflow(sum->self, value, &sum->self) ||
	       cg_reject(c->job, "a sum exceeds 64 bits");
}

uint32_t
caliper_add_path(struct caliper *c, uint32_t parent, cg_name name)
{
	if (c->path.n > UINT32_MAX ||
	    !cg_append(c->job, &c->path,
		(struct caliper_path){ .parent = parent, .name = name }))
		return 0;
	return (uint32_t)c->path.n - 1;
}

/*
 * Computes self values of events with only inclusive ones: subtracts a path's
 * value from that of the nearest path around it that has one. A negative
 * result becomes 0, counted in c->smaller. Parents must come first in c->path.
 * False: out of memory (reported).
 */
static bool
subtract_inner(struct caliper *c)
{
	const size_t n = c->sum.n;
	CG_ARRAY(uint32_t) near = { 0 }; /* sums in or around a path */

	for (size_t i = 1; i < n; i++)
		if (!c->event.at[c->sum.at[i].event].has_self)
			c->sum.at[i].self = c->sum.at[i].all;
	if (!cg_resize(c->job, &near, c->path.n))
		return false;
	for (uint32_t e = 1; e < c->event.n; e++) {
		if (c->event.at[e].has_self)
			continue;
		near.at[0] = 0;
		/* A region without values of its own is passed over. */
		for (size_t p = 1; p < c->path.n; p++) {
			const uint32_t at =
			    cg_map_get(&c->sum_ids, (uint64_t)p << 32 | e);
			const uint32_t around = near.at[c->path.at[p].parent];
			struct caliper_sum *outer = &c->sum.at[around];
			uint64_t all;

			near.at[p] = at == 0 ? around : at;
			if (at == 0 || around == 0)
				continue;
			all = c->sum.at[at].all;
			c->smaller += outer->self < all;
			outer->self -= outer->self < all ? outer->self : all;
		}
	}
	return true;
}

static bool
add_events(struct caliper *c)
{
	for (size_t i = 1; i < c->event.n; i++) {
		struct cg_event event = { .unit = "",
			.name =
			    cg_get_name(c->build, c->event.at[i].name).ptr };

		if (c->event.at[i].time) {
			event.long_name = "Time";
			event.unit = "ns";
		}
		if (!cg_add_column(c->build, &event))
			return false;
	}
	return true;
}

static int
by_path(const void *a, const void *b)
{
	const struct caliper_sum *x = a, *y = b;

	return (x->path > y->path) - (x->path < y->path);
}

static void
report(const struct caliper *c)
{
	if (c->columns > 0)
		cg_note(c->job,
		    "%llu columns of minima, averages, percentages, ranks or "
		    "texts are dropped",
		    (unsigned long long)c->columns);
	if (c->unstated)
		cg_warn(c->job,
		    "the unit of " TIME " is not stated: times are taken as "
		    "seconds");
	if (c->negative > 0)
		cg_warn(c->job, "%llu negative values are dropped",
		    (unsigned long long)c->negative);
	if (c->cut > 0)
		cg_warn(c->job, "%llu values are cut to whole numbers",
		    (unsigned long long)c->cut);
	if (c->smaller > 0)
		cg_warn(c->job,
		    "%llu regions have a smaller inclusive value than the "
		    "regions in them: their exclusive value is 0",
		    (unsigned long long)c->smaller);
}

bool
caliper_add_stacks(struct caliper *c)
{
	const struct cg_pos nowhere = { 0 };
	CG_ARRAY(uint64_t) cost = { 0 };
	size_t i = 1;

	if (c->event.n < 2)
		return cg_reject(c->job,
		    "expected sums of exclusive or inclusive values, such as "
		    "sum#" TIME);
	if (!subtract_inner(c) || !add_events(c) ||
	    !cg_resize(c->job, &cost, c->event.n))
		return false;
	for (size_t p = 1; p < c->path.n; p++) {
		struct caliper_path *path = &c->path.at[p];

		path->node =
		    cg_add_frame(c->build, c->path.at[path->parent].node,
			cg_add_fn(
			    c->build, cg_get_name(c->build, path->name), 0, 0),
			&nowhere, false);
	}
	cg_sort(c->sum.at + 1, c->sum.n - 1, sizeof(*c->sum.at), by_path);
	/* Some targets need a frame for values outside of all regions. */
	if (c->sum.n > 1 && c->sum.at[1].path == 0)
		c->path.at[0].node = cg_add_frame(c->build, 0,
		    cg_add_fn(c->build, cg_slice(OUTSIDE), 0, 0), &nowhere,
		    false);
	while (i < c->sum.n) {
		const uint32_t path = c->sum.at[i].path;

		memset(cost.at, 0, cost.n * sizeof(*cost.at));
		for (; i < c->sum.n && c->sum.at[i].path == path; i++)
			cost.at[c->sum.at[i].event - 1] += c->sum.at[i].self;
		table_add_stack(c->build, c->path.at[path].node, 0, cost.at);
	}
	report(c);
	return true;
}
