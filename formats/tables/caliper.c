/*
 * caliper.c - caliper: profiles and traces of Caliper, as .cali, as JSON of the
 * formatter json-split, and as the tree that its runtime-report prints.
 *
 * Regions survive as stacks with their exclusive values. Minima, maxima,
 * averages and percentages are dropped. Ranks, threads and times of events of
 * a trace are lost: values are summed by path.
 *
 * Source: Caliper 2.15's OutputFormats.rst, caliper-reader (Python),
 * JsonSplitFormatter.cpp, RuntimeReportController.cpp, services/timer.
 */
#include <string.h>

#include "caliper.h"

static int
read_caliper(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct caliper c = { .job = job, .in = in, .build = build };
	struct cg_slice head;
	bool ok;

	if (!cg_push(job, &c.path) || !cg_push(job, &c.event) ||
	    !cg_push(job, &c.sum))
		return cg_rejected(job);
	(void)cg_look_bytes(in, strlen(CALIPER_RECORD), &head);
	if (cg_starts(head, CALIPER_RECORD))
		ok = caliper_read_cali(&c);
	else if (cg_starts(head, "{"))
		ok = caliper_read_json(&c);
	else
		ok = caliper_read_tree(&c);
	if (ok)
		(void)caliper_add_stacks(&c);
	return table_status(job, in, build);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "data", "columns",
		"column_metadata", "nodes", NULL };

	if (cg_starts(head->text, CALIPER_RECORD) ||
	    caliper_is_tree(head->first))
		return CG_PROBE_SURE;
	return (cg_head_keys(head, keys) & 6) == 6 ? CG_PROBE_LIKELY
						   : CG_PROBE_NO;
}

const struct cg_module cg_format_caliper = {
	CG_MODULE,
	.name = "caliper",
	.title = "profiles and traces of Caliper: .cali, json-split, reports",
	.text = true,
	.suffixes = "cali",
	.probe = probe,
	.read = read_caliper,
};
