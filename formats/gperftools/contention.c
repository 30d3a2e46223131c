/*
 * contention.c - waiting for locks, of gperftools and of Go (debug=1, block and
 * mutex):
 *
 *	--- mutex:
 *	cycles/second=2096015104
 *	sampling period=2
 *	65319828 20 @ 0x4b5a71 0x4b59f9 0x4612e1
 *
 * A stack has cycles, then a count. Both are multiplied by the sampling
 * period, and cycles are converted to nanoseconds.
 */
#include "gperftools.h"

bool
gperf_begin_contention(struct gperf_reader *r, struct cg_slice line)
{
	static const struct cg_event event[] = { { .name = "contentions" },
		{ .name = "delay", .unit = "ns" } };

	r->needs_maps = cg_starts(line, "--- contentionz ");
	if (!r->needs_maps && !cg_equal(line, "--- mutex:") &&
	    !cg_equal(line, "--- contention:"))
		return false;
	r->event[0] = event[0];
	r->event[1] = event[1];
	r->columns = 2;
	r->main_event = 1;
	r->rate = 1;
	r->period_unit = "contentions count";
	return true;
}

/*
 * Reads an attribute of the header, such as "cycles/second = 3201000000". It
 * can set the unit of costs, the sampling period or the dialect. Warns if it
 * states discarded samples. Ignores other attributes. False: rejected
 * (reported).
 */
static bool
take_attribute(
    struct gperf_reader *r, struct cg_slice key, struct cg_slice value)
{
	uint64_t number = 0;
	bool good = true;

	if (cg_equal(key, "format") && cg_equal(value, "java"))
		gperf_begin_java_contention(r);
	else if (!cg_get_u64(value, &number))
		good = cg_reject_at(r->job, value.ptr, "expected a number");
	else if (cg_equal(key, "cycles/second"))
		r->per_second = number;
	else if (cg_equal(key, "sampling period"))
		r->period = r->rate = number;
	else if (cg_equal(key, "discarded samples") && number > 0)
		cg_warn(r->job, "samples were discarded: %llu",
		    (unsigned long long)number);
	return good;
}

static bool
scale(struct gperf_reader *r, uint64_t *delay, uint64_t *count)
{
	double ns;

	if (r->rate == 0)
		return true;
	if (r->per_second > 0) {
		ns = (double)*delay * (double)r->rate /
		     ((double)r->per_second / 1e9);
		if (!(ns < 9e18))
			return false;
		*delay = (uint64_t)ns;
	}
	return !__builtin_mul_overflow(*count, r->rate, count);
}

bool
gperf_take_contention(struct gperf_reader *r, struct cg_slice line)
{
	struct cg_slice key, value = line;
	uint64_t delay, count;

	if (!gperf_end_sample(r))
		return false;
	if (r->ids)
		return gperf_take_java_contention(r, line);
	if (!r->in_samples && cg_take_until(&value, '=', &key) &&
	    key.len < line.len)
		return take_attribute(r, cg_trim(key), cg_trim(value));
	if (!gperf_take_number(&line, &delay, ' ') ||
	    !gperf_take_number(&line, &count, '@'))
		return cg_reject(
		    r->job, "expected 'CYCLES COUNT @ ADDRESS...'");
	if (!scale(r, &delay, &count))
		return cg_reject(r->job, "expected delays that fit in 64 bits");
	r->in_samples = true;
	gperf_begin_sample(r);
	r->sample.samples = r->sample.cost[0] = count;
	r->sample.cost[1] = delay;
	return gperf_take_stack(r, line);
}
