/*
 * ghc.c - ghc: profiles of Haskell programs built with ghc -prof: the table of
 * +RTS -p, -P or -pa, or the JSON of -pj.
 *
 * Source: GHC's user guide (Profiling), rts/ProfilerReport.c and
 * rts/ProfilerReportJson.c, and the files of inferno and speedscope. Cost
 * centres are functions, MODULE.NAME. Stacks of cost centres survive with their
 * times, allocated bytes and numbers of entries; the table of -p has times and
 * bytes in tenths of a percent only.
 */

#include "ghc.h"

static void
add_events(struct cg_build *build)
{
	static const struct cg_event events[] = {
		{ .name = "ns", .long_name = "Time", .unit = "ns" },
		{ .name = "bytes",
		    .long_name = "Allocated memory",
		    .unit = "bytes" },
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		(void)cg_add_column(build, &events[i]);
}

static int
read_ghc(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct ghc ghc = { .job = job, .in = in, .build = build };
	struct cg_slice first;

	add_events(build);
	if (cg_look_bytes(in, 1, &first) && *first.ptr == '{')
		return ghc_read_json(&ghc);
	return ghc_read_text(&ghc);
}

static int
probe(const struct cg_head *head)
{
	static const char *const keys[] = { "cost_centres", "total_alloc",
		NULL };
	struct cg_slice text = head->text, line;

	if (cg_starts(head->text, "{"))
		return cg_head_keys(head, keys) == 3 ? CG_PROBE_SURE
						     : CG_PROBE_NO;
	/* GHC's title, or a report without it. */
	line = cg_trim(cg_head_line(head));
	if (cg_find(line, "Time and Allocation Profiling Report"))
		return CG_PROBE_SURE;
	if (!cg_starts(line, "total time"))
		return CG_PROBE_NO;
	while (cg_take_line(&text, &line))
		if (ghc_is_head(line))
			return CG_PROBE_SURE;
	return CG_PROBE_NO;
}

const struct cg_module cg_format_ghc = {
	CG_MODULE,
	.name = "ghc",
	.title = "profiles of Haskell programs by GHC, text or JSON",
	.text = true,
	.suffixes = "ghc.prof",
	.probe = probe,
	.read = read_ghc,
};
