/*
 * jemalloc.c - memory in use and allocated, as jemalloc samples it:
 *
 *	heap_v2/524288
 *	  t*: 28106: 56637512 [0: 0]
 *	  t3: 352: 16777344 [0: 0] worker
 *	@ 0x7f5a 0x5581 0x5590
 *	  t*: 213: 6979584 [0: 0]
 *	  t3: 213: 6979584 [0: 0]
 *
 * The first lines have sums, and the names of threads; below each stack are
 * objects and bytes in use, then all allocated ones (0 without prof_accum), of
 * all threads and of each one. Counts are estimated as jeprof does, by the
 * average size of all objects of a stack, so the threads' counts are those of
 * all threads: jeprof --thread estimates each one by itself.
 *
 * The sums of the first lines are no sums of the stacks since jemalloc 5.3.
 * Source: src/prof_data.c of jemalloc 5.3, and jeprof.
 */
#include <math.h>

#include "gperftools.h"

#define COST_MAX 9e18 /* of an estimate, below 2^63 */

/* ---- Threads ------------------------------------------------------------- */

/*
 * Puts the current sample into the group of its thread (all samples of the
 * thread). A new group has this name or, if that is "", a name such as "t3".
 * False: out of memory (reported).
 */
static bool
set_thread(struct gperf_reader *r, uint64_t thread, struct cg_slice name)
{
	struct gperf_group *added;
	char text[CG_NUMBER_MAX + 1] = "t";

	if (!gperf_find_group(r, &r->jemalloc.threads, thread, &added))
		return false;
	if (!added)
		return true;
	if (name.len == 0)
		name = (struct cg_slice){ text,
			(size_t)(cg_format_u64(text + 1, thread) - text) };
	added->thread = cg_add_name(r->build, name);
	return true;
}

/* ---- Counts -------------------------------------------------------------- */

/*
 * Begins the counts of a stack, with those of all threads. The average size of
 * their objects gives the factor from sampled counts to estimates. Counts of
 * all allocations, if any, add their events.
 */
static void
begin_counts(struct gperf_reader *r, const uint64_t count[4])
{
	struct gperf_jemalloc *j = &r->jemalloc;

	for (size_t i = 0; i < 4; i++) {
		j->all[i] = count[i];
		j->seen[i] = j->added[i] = 0;
	}
	for (size_t i = 0; i < 4; i += 2) {
		const double size =
		    count[i] ? (double)count[i + 1] / (double)count[i] : 0;

		j->scale[i / 2] = r->rate > 1 && size > 0
				      ? 1 / (1 - exp(-size / (double)r->rate))
				      : 1;
	}
	if (count[2] > 0 || count[3] > 0)
		gperf_set_heap_events(r, true);
}

/*
 * Adds a sample to the current stack, unless it is empty, with the counts of a
 * thread, or with the rest. The sum so far is scaled, not each count, so that
 * costs add up. False: an error (reported).
 */
static bool
add_counts(struct gperf_reader *r, const uint64_t count[4])
{
	struct gperf_jemalloc *j = &r->jemalloc;
	bool any = false;
	double scaled;

	for (size_t i = 0; i < 4; i++) {
		if (__builtin_add_overflow(j->seen[i], count[i], &j->seen[i]))
			return cg_reject(r->job,
			    "expected counts whose sum fits in 64 bits");
		r->sample.cost[i] = count[i];
		if (j->scale[i / 2] > 1) {
			scaled = (double)j->seen[i] * j->scale[i / 2];
			if (scaled >= COST_MAX)
				return cg_reject(r->job,
				    "expected counts whose "
				    "estimate fits in 64 bits");
			r->sample.cost[i] = (uint64_t)scaled - j->added[i];
		}
		j->added[i] += r->sample.cost[i];
		any |= r->sample.cost[i] > 0;
	}
	r->held = any;
	return gperf_end_sample(r);
}

/*
 * Ends the counts of a stack, if any were begun. If all threads together have
 * more than the listed threads, adds the difference as another sample. It
 * belongs to threads that jemalloc omits. If the listed threads have more,
 * warns and adds nothing. False: an error (reported).
 */
static bool
end_stack(struct gperf_reader *r)
{
	struct gperf_jemalloc *j = &r->jemalloc;
	uint64_t rest[4];

	if (!j->counted)
		return true;
	j->counted = false;
	for (size_t i = 0; i < 4; i++) {
		if (j->seen[i] > j->all[i]) {
			cg_warn(r->job, "threads have more memory than their "
					"sum of the same stack");
			return true;
		}
		rest[i] = j->all[i] - j->seen[i];
	}
	gperf_repeat_sample(r);
	return add_counts(r, rest);
}

/* ---- The kind ----------------------------------------------------------- */

bool
gperf_begin_jemalloc(struct gperf_reader *r, struct cg_slice line)
{
	uint64_t rate;

	if (!cg_take_prefix(&line, "heap_v2/") || !cg_get_u64(line, &rate))
		return false;
	r->rate = r->period = rate;
	r->needs_maps = true;
	r->end = end_stack;
	gperf_set_heap_events(r, false);
	return true;
}

/* ---- Lines --------------------------------------------------------------- */

/*
 * Reads counts after the letter t. "*: 1: 300 [2: 600]", of all threads,
 * begins a stack's counts. "3: 1: 300 [2: 600] name", of a thread, is added;
 * in the header it only names the thread. False: an error (reported).
 */
static bool
take_counts(struct gperf_reader *r, struct cg_slice line)
{
	const bool all = cg_take_char(&line, '*');
	uint64_t thread = 0, count[4];

	if ((!all && !cg_take_u64(&line, &thread)) ||
	    !cg_take_char(&line, ':') || !gperf_take_memory(&line, count))
		return cg_reject_at(r->job, line.len ? line.ptr : NULL,
		    "expected 't*: OBJECTS: BYTES [OBJECTS: BYTES]'");
	if (!r->jemalloc.in_stack) {
		line = cg_trim(line);
		return all || line.len == 0 || set_thread(r, thread, line);
	}
	if (all) {
		begin_counts(r, count);
		r->jemalloc.counted = true;
		return true;
	}
	if (!r->jemalloc.counted)
		return cg_reject(r->job,
		    "expected counts of all threads, 't*:', "
		    "before those of a thread");
	gperf_repeat_sample(r);
	return set_thread(r, thread, (struct cg_slice){ "", 0 }) &&
	       add_counts(r, count);
}

bool
gperf_take_jemalloc(struct gperf_reader *r, struct cg_slice line)
{
	const char *at = line.ptr;

	if (cg_take_char(&line, 't'))
		return take_counts(r, line);
	if (!cg_take_char(&line, '@'))
		return cg_reject_at(r->job, at,
		    "expected '@ ADDRESS...' or 't*: OBJECTS: BYTES [OBJECTS: "
		    "BYTES]'");
	r->jemalloc.in_stack = true;
	if (!end_stack(r))
		return false;
	gperf_begin_sample(r);
	return gperf_take_stack(r, line) && gperf_hold_stack(r);
}
