/*
 * gperftools.c - the profiles that pprof calls legacy: of gperftools (CPU,
 * heap, growth, contention, threads), of jemalloc (heap), of Go (debug=1:
 * goroutine, threadcreate, heap, allocs, block, mutex), of Google's agent for
 * Java (CPU, heap, contention).
 *
 * Source: profile/legacy_profile.go of google/pprof; counts are estimated from
 * samples as there. Addresses are those of a process, whose mappings are at
 * the end. Names come from the executables of --exe or the mapped files, as in
 * pprof, or from the text itself for Go, Java and threads.
 *
 * Stacks are kept complete, whereas pprof drops the second frame of a CPU
 * profile if most samples share it, and frames of allocators, locks and
 * profilers by name. The comments on memory that Go writes are dropped.
 */
#include "gperftools.h"

/* Kinds of text, by their first line. */
static const struct {
	bool (*begin)(struct gperf_reader *, struct cg_slice header);
	gperf_take_line *take;
} kinds[] = {
	{ gperf_begin_heap, gperf_take_heap },
	{ gperf_begin_jemalloc, gperf_take_jemalloc },
	{ gperf_begin_contention, gperf_take_contention },
	{ gperf_begin_counts, gperf_take_counts },
	{ gperf_begin_threads, gperf_take_threads },
	{ gperf_begin_java_heap, gperf_take_java_heap },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

/*
 * Finds out the kind of profile from its header line, and begins to read this
 * kind. Returns the index of the kind, or KINDS if it is unknown.
 */
static size_t
find_kind(struct gperf_reader *r, struct cg_slice header)
{
	size_t i = 0;

	header = cg_trim(header);
	while (i < KINDS && !kinds[i].begin(r, header))
		i++;
	return i;
}

static bool
read_text(struct gperf_reader *r)
{
	struct cg_slice line;
	size_t kind;

	if (!cg_read_line(r->in, &line))
		return false;
	cg_cut_return(&line);
	kind = find_kind(r, line);
	if (kind == KINDS)
		return cg_reject_at(r->job, line.ptr,
		    "expected a header like 'heap profile: COUNTS @ "
		    "heapprofile' or 'goroutine profile: total COUNT'");
	return gperf_read_text(r, kinds[kind].take);
}

static int
probe(const struct cg_head *head)
{
	struct gperf_reader r = { .job = NULL };
	bool java;

	return gperf_is_cpu(head->text, &java) ||
		       find_kind(&r, head->first) < KINDS
		   ? CG_PROBE_SURE
		   : CG_PROBE_NO;
}

static int
read_gperftools(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct gperf_reader *r = cg_alloc(job, sizeof(*r));
	struct cg_slice head;
	bool good, java;

	if (!r)
		return CG_ELIMIT;
	*r = (struct gperf_reader){ .job = job, .in = in, .build = build };
	r->space = cg_space_new(job, build);
	(void)cg_look_bytes(in, 40, &head);
	good = r->space &&
	       (gperf_is_cpu(head, &java) ? gperf_read_cpu(r) : read_text(r));
	return good ? cg_in_status(in) : CG_ELIMIT;
}

const struct cg_module cg_format_gperftools = {
	CG_MODULE,
	.name = "gperftools",
	.title = "legacy profiles of pprof: gperftools, jemalloc, Go, Java",
	.suffixes = "heap",
	.probe = probe,
	.read = read_gperftools,
};
