/*
 * nettrace.c - nettrace: traces of .NET that dotnet-trace collects. Source: see
 * nettrace.h.
 *
 * Samples of Microsoft-DotNETCore-SampleProfiler survive with stacks, times,
 * threads and whether a thread ran managed code, as a label. It takes a sample
 * of each managed thread, also of those that wait. Functions are named as in
 * dotnet-trace convert: Namespace.Class.Method(arguments). Stacks have managed
 * frames only. All other events are lost, which is reported.
 *
 * Version 6, of dotnet-trace collect-linux, has samples of all processes: those
 * of event cpu of Universal.Events, by their weight, with native frames and the
 * names of threads and processes. Symbols are those of Universal.System;
 * functions without one have only their file.
 */
#include "nettrace.h"

static int
read_nettrace(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct nettrace_file file = { .job = job, .build = build };
	struct nettrace_methods methods = { .file = &file };

	if (!cg_read_all(in, &file.bytes))
		return cg_in_status(in);
	if (!nettrace_open(&file) || !nettrace_read_methods(&methods) ||
	    !nettrace_read_samples(&methods))
		return cg_rejected(job) != CG_OK ? cg_rejected(job)
						 : cg_build_status(build);
	return cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->text, "Nettrace") ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_nettrace = {
	CG_MODULE,
	.name = "nettrace",
	.title = "traces of .NET by dotnet-trace (.nettrace)",
	.suffixes = "nettrace",
	.probe = probe,
	.read = read_nettrace,
};
