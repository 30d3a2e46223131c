/*
 * axe.c - axe: the call graph that Intel's VTune prints like gprof's, but with
 * other columns and without numbers of calls (vtune -report gprof-cc):
 *
 *	                         0.0            16.348    RtlUserThreadStart [1]
 *	[0]    100.0             0.0            16.348    BaseThreadInit     [0]
 *	                         0.0            15.771    thread_video       [4]
 *
 * An entry has its callers, the function, and its callees, with self times and
 * times of callees. Source: VTune's user guide, and the test files of
 * gprof2dot, whose parser calls the format axe. Self and inclusive times
 * survive, also of calls; calls within a cycle have no times.
 */
#include <string.h>

#include "gprof_text.h"

#define HEAD "Index "
#define HEAD_TIME "CPU Time:Self"
#define SPONTANEOUS "<spontaneous>"

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	bool in_graph, ended;
	cg_fn fn; /* of the entry; 0: not a function */
	uint64_t entries;
};

struct row {
	uint64_t self, callees;
	struct cg_slice name;
};

static bool
take_row(struct cg_slice line, struct row *row)
{
	*row = (struct row){ .self = 0 };
	if (gprof_text_time(&line, &row->self) &&
	    !gprof_text_time(&line, &row->callees))
		return false;
	row->name = gprof_text_name(cg_trim(line));
	return row->name.len > 0 && row->self <= INT64_MAX - row->callees;
}

/*
 * Reads an entry's own line, "[5] 38.57 0.0 10275.8 fillUpGraph [5]":
 * percentage, self time, time of callees. Adds the costs, and begins the
 * entry; r->fn is 0 for a cycle and the unknown caller. False: an error
 * (reported).
 */
static bool
begin_entry(struct reader *r, struct cg_slice line)
{
	const struct cg_pos nowhere = { 0 };
	struct cg_slice index;
	uint64_t percent, all;
	struct row row;

	(void)cg_take_until(&line, ']', &index);
	if (!gprof_text_time(&line, &percent) || !take_row(line, &row))
		return cg_reject(
		    r->job, "expected a percentage, two times and a function");
	r->entries++;
	r->fn = 0;
	/* The members of "<cycle 1 as a whole>" have their own entries. */
	if (cg_equal(row.name, SPONTANEOUS) || cg_starts(row.name, "<cycle "))
		return true;
	r->fn = cg_add_fn(r->build, row.name, 0, 0);
	all = row.self + row.callees;
	cg_add_inclusive(r->build, r->fn, cg_columns_of(r->build, &all),
	    cg_columns_width(r->build));
	return row.self == 0 || cg_add_cost(r->build, r->fn, &nowhere,
				    cg_columns_of(r->build, &row.self),
				    cg_columns_width(r->build));
}

static bool
take_callee(struct reader *r, struct cg_slice line)
{
	const struct cg_pos nowhere = { 0 };
	struct row row;
	uint64_t all;

	if (!take_row(line, &row))
		return cg_reject(r->job, "expected two times and a function");
	all = row.self + row.callees;
	return cg_add_call(r->build, r->fn, &nowhere,
	    cg_add_fn(r->build, row.name, 0, 0), &nowhere, 0,
	    cg_columns_of(r->build, &all), cg_columns_width(r->build));
}

static bool
is_head(struct cg_slice line)
{
	return cg_starts(line, HEAD) && cg_find(line, HEAD_TIME);
}

static bool
take_line(struct reader *r, struct cg_slice line)
{
	cg_cut_return(&line);
	if (!r->in_graph) {
		r->in_graph = is_head(line);
		return true;
	}
	/* The index ends the graph. */
	r->ended |= cg_starts(line, "Index ");
	if (r->ended)
		return true;
	if (cg_trim(line).len == 0)
		r->fn = 0;
	if (line.len > 0 && *line.ptr == '[')
		return begin_entry(r, line);
	return r->fn == 0 || *line.ptr != ' ' || take_callee(r, line);
}

static int
read_axe(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	static const struct cg_event time = {
		.name = "ns", .long_name = "CPU Time", .unit = "ns"
	};
	struct reader r = { .job = job, .build = build };
	struct cg_slice line;
	bool ok = true;

	(void)cg_add_column(build, &time);
	while (ok && cg_read_line(in, &line))
		ok = take_line(&r, line);
	if (ok && cg_in_status(in) == CG_OK) {
		if (r.entries == 0)
			(void)cg_reject(job, "expected entries of functions");
		else if (!r.ended)
			cg_warn(job, "expected an index of functions at the "
				     "end: the file may be truncated");
	}
	return cg_rejected(job) != CG_OK ? cg_rejected(job)
					 : cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	return is_head(head->first) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_axe = {
	CG_MODULE,
	.name = "axe",
	.title = "call graphs of Intel's VTune (-report gprof-cc)",
	.text = true,
	.suffixes = "axe",
	.probe = probe,
	.read = read_axe,
};
