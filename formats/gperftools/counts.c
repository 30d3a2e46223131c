/*
 * counts.c - Go's counts of stacks (debug=1): of goroutines, of created
 * threads, and of custom profiles of a program:
 *
 *	goroutine profile: total 13
 *	5 @ 0x4375f6 0x40619b 0x4b51fe 0x4612e1
 *
 * Source: also printCountProfile() of runtime/pprof, go1.19.
 */
#include "gperftools.h"

bool
gperf_begin_counts(struct gperf_reader *r, struct cg_slice line)
{
	static const char words[] = " profile: total ";
	const char *at = cg_find(line, words);
	struct cg_slice name = line;

	if (!at || at == line.ptr)
		return false;
	name.len = (size_t)(at - line.ptr);
	line.ptr += name.len;
	line.len -= name.len;
	if (!cg_take_prefix(&line, words) || !cg_get_u64(line, &r->stated[0]))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] == ' ' || name.ptr[i] == '\t')
			return false;
	r->columns = 1;
	if (r->build)
		r->event[0].name =
		    cg_get_name(r->build, cg_add_name(r->build, name)).ptr;
	return true;
}

bool
gperf_take_counts(struct gperf_reader *r, struct cg_slice line)
{
	uint64_t count;

	if (!gperf_end_sample(r))
		return false;
	if (!gperf_take_number(&line, &count, '@'))
		return cg_reject(r->job, "expected 'COUNT @ ADDRESS...'");
	gperf_begin_sample(r);
	r->sample.samples = r->sample.cost[0] = count;
	r->sum[0] += count;
	return gperf_take_stack(r, line);
}
