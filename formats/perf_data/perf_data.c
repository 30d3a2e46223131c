/*
 * perf_data.c - perf-data: recordings of Linux's perf, files and pipes.
 *
 * Sources: Documentation/perf.data-file-format.txt of Linux 6.1,
 * linux/perf_event.h, perf's util/header.c, util/session.c, util/evsel.c.
 *
 * Each event is a column, the sum of its periods, named as perf script names
 * it; samples have call stacks and times. Names of functions, lines and
 * inlined frames come from the files of the mappings, or, with the same
 * build-id, from --exe and --buildid-dir; names of the kernel come from
 * --kallsyms, or from this machine, if its kernel has the recorded build-id. So
 * perf script | cgconv gives the same stacks, if perf finds the same symbols.
 * Deferred user stacks (--call-graph fp,defer) are joined with the samples they
 * belong to. Compressed records (-z) are decompressed by libzstd. Stacks of
 * x86-64 and arm64 that perf record copied (--call-graph dwarf) are unwound by
 * the call frame information of the same files.
 *
 * Names of code that processes made themselves come from the files that their
 * compilers wrote (jit.c).
 *
 * Addresses survive with --addresses. Processors, data addresses, arguments of
 * tracepoints, branches, registers, context switches and cgroups are lost.
 *
 * Some recordings are rejected with a message that names the command that
 * reads them: stacks of branches (--call-graph lbr), traces of processors,
 * groups of counters.
 */
#include "perf_data.h"

static int
probe(const struct cg_head *head)
{
	return perf_data_is_magic(head->text) ? CG_PROBE_SURE : CG_PROBE_NO;
}

static const struct cg_option options[] = {
	{ .name = "addresses",
	    .type = CG_FLAG,
	    .fallback = "no",
	    .help = "keep the addresses of frames",
	    .reading = true },
	{ .name = "buildid-dir",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "look for files in perf's cache (~/.debug)",
	    .reading = true },
	{ .name = "jit-dir",
	    .type = CG_STRING,
	    .arg = "DIR",
	    .help = "directory of perf-PID.map and jit-PID.dump",
	    .reading = true },
	{ .name = "kallsyms",
	    .type = CG_STRING,
	    .arg = "FILE",
	    .help = "symbols of the kernel (/proc/kallsyms)",
	    .reading = true },
	{ 0 },
};

const struct cg_module cg_format_perf_data = {
	CG_MODULE,
	.name = "perf-data",
	.title = "recordings of Linux's perf (perf.data)",
	.suffixes = "perf.data",
	.options = options,
	.probe = probe,
	.read = perf_data_read,
};
