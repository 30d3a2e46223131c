/*
 * samples.c - stacks and samples.
 *
 * A block of stacks: id of the first one, number of stacks, for each its size
 * and addresses, the leaf first. Events refer to stacks since the last
 * sequence point. A sample has the state of its thread: an error, external
 * code, managed code.
 */

#include "nettrace.h"
#include "proto/wire.h"

struct stack {
	struct cg_slice addrs;
	/* Of one process, as the same addresses mean others elsewhere: */
	cg_node leaf;     /* 0: not added yet */
	uint32_t process; /* number */
};

struct samples {
	struct nettrace_methods *methods;
	struct nettrace_file *file;
	struct cg_map ids; /* of stacks -> index + 1 */
	CG_ARRAY(struct stack) stack;
	struct cg_map leaves; /* of stacks in processes but the last one */
	struct cg_map pids;   /* -> number */
	uint32_t processes;
	bool begun, timed;
	uint64_t thread, pid;
	uint32_t process; /* number of pid */
	int64_t state;    /* -1: none */
	uint64_t count, missing;
};

static bool
read_stacks(struct samples *s, struct cg_slice block)
{
	struct cg_slice rest = block, head, size, addrs;
	uint32_t first, count, *index;

	if (!nettrace_cut(&rest, 8, &head))
		return cg_reject_at(
		    s->file->job, block.ptr, "expected a block of stacks");
	first = nettrace_u32(head.ptr);
	count = nettrace_u32(head.ptr + 4);
	for (uint32_t i = 0; i < count; i++) {
		if (!nettrace_cut(&rest, 4, &size) ||
		    !nettrace_cut(&rest, nettrace_u32(size.ptr), &addrs))
			return cg_reject_at(s->file->job, rest.ptr,
			    "expected %u more stacks", count - i);
		index = cg_map_in(s->file->job, &s->ids, first + i);
		if (!index || !cg_append(s->file->job, &s->stack,
				  (struct stack){ .addrs = addrs }))
			return false;
		*index = (uint32_t)s->stack.n;
	}
	return true;
}

static uint64_t
addr_at(const struct nettrace_file *file, const char *at)
{
	return file->pointer == 8 ? nettrace_u64(at) : nettrace_u32(at);
}

/*
 * Replaces stack->leaf by the stack's leaf in the selected process,
 * s->process; 0: not added there yet. Saves the old one in s->leaves. False:
 * out of memory (reported).
 */
static bool
switch_process(struct samples *s, struct stack *stack)
{
	const uint64_t key = (uint64_t)(stack - s->stack.at) << 32;
	cg_node *leaf =
	    cg_map_in(s->file->job, &s->leaves, key | stack->process);

	if (!leaf)
		return false;
	*leaf = stack->leaf;
	stack->process = s->process;
	stack->leaf = cg_map_get(&s->leaves, key | s->process);
	return true;
}

/*
 * Sets stack->leaf to the graph's node of the stack's innermost frame; 0: the
 * stack is empty. Adds the frames, unless the selected process has them.
 * False: an error (reported).
 */
static bool
add_stack(struct samples *s, struct stack *stack)
{
	const struct cg_pos nowhere = { 0 };
	size_t n = stack->addrs.len / s->file->pointer;
	cg_fn fn;

	if (stack->leaf != 0 && stack->process != s->process &&
	    !switch_process(s, stack))
		return false;
	if (stack->leaf != 0)
		return true;
	stack->process = s->process;
	while (n-- > 0) {
		uint64_t addr =
		    addr_at(s->file, stack->addrs.ptr + n * s->file->pointer);

		/* The address of a caller follows its call. */
		if (!nettrace_find_fn(s->methods, s->pid, addr - (n > 0), &fn))
			return false;
		stack->leaf = cg_add_frame(
		    s->file->build, stack->leaf, fn, &nowhere, false);
	}
	return true;
}

/*
 * Sets process, thread and track of the samples that are added next. index:
 * number of the thread. state: that of .NET's own profiler, which becomes a
 * label; -1: no labels. False: out of memory (reported).
 */
static bool
select_thread(struct samples *s, uint64_t index, int64_t state)
{
	static const char *const states[] = { "error", "external", "managed" };
	const struct nettrace_thread thread =
	    nettrace_thread_of(s->file, index);
	struct cg_build *build = s->file->build;
	const struct cg_track track = { .pid = thread.pid,
		.tid = thread.tid,
		.name = cg_get_name(build, thread.name).ptr,
		.unit = "ns" };
	struct cg_label label[3];
	struct cg_sample_key key = { .pid = thread.pid,
		.tid = thread.tid,
		.comm = cg_get_name(build,
		    cg_map_get(&s->methods->universal.processes, thread.pid)),
		.thread = cg_get_name(build, thread.name),
		.label = label };

	s->begun = true;
	s->thread = index;
	s->state = state;
	s->pid = thread.pid;
	s->process =
	    nettrace_number(s->file->job, &s->pids, thread.pid, &s->processes);
	/* Samples of version 6 have no label of their own. */
	if (state >= 0) {
		label[key.labels++] = (struct cg_label){ .key = cg_slice("pid"),
			.number = (int64_t)thread.pid };
		if (thread.tid <= INT64_MAX)
			label[key.labels++] =
			    (struct cg_label){ .key = cg_slice("tid"),
				    .number = (int64_t)thread.tid };
		if ((size_t)state < sizeof(states) / sizeof(*states))
			label[key.labels++] =
			    (struct cg_label){ .key = cg_slice("state"),
				    .value = cg_slice(states[state]) };
	}
	cg_set_sample_part(build, &key);
	s->timed = cg_begin_timeline(build);
	if (s->timed)
		cg_set_track(build, &track);
	return s->process != 0;
}

/*
 * Returns a time in ticks as ns since the start of the recording; 0 for
 * earlier times, at most INT64_MAX.
 */
static int64_t
time_of(const struct nettrace_file *file, uint64_t ticks)
{
	uint64_t ns = cg_mul_div(ticks > file->start ? ticks - file->start : 0,
	    1000000000, file->frequency);

	return ns > INT64_MAX ? INT64_MAX : (int64_t)ns;
}

/*
 * Adds the sample in an event, with its time if the target can represent it.
 * Without a known stack, it is of "[unknown]". cpu: a sample of version 6,
 * with a weight; others are of .NET's profiler and weigh 1. False: an error
 * (reported).
 */
static bool
add_sample(struct samples *s, const struct nettrace_event *event, bool cpu)
{
	struct cg_build *build = s->file->build;
	const uint32_t index = cg_map_get(&s->ids, event->stack);
	struct cg_slice payload = event->payload;
	uint64_t weight = 1;
	int64_t state = -1;
	cg_node leaf = 0;

	if (cpu ? !proto_take_varint(&payload, &weight) : payload.len < 4)
		return cg_reject_at(s->file->job, payload.ptr,
		    "expected a sample with a %s", cpu ? "value" : "state");
	if (!cpu)
		state = nettrace_u32(payload.ptr);
	if ((!s->begun || s->thread != event->thread || s->state != state) &&
	    !select_thread(s, event->thread, state))
		return false;
	if (index == 0)
		s->missing += event->stack != 0;
	else if (!add_stack(s, &s->stack.at[index - 1]))
		return false;
	else
		leaf = s->stack.at[index - 1].leaf;
	if (leaf == 0)
		leaf = cg_add_frame(build, 0,
		    cg_add_fn(build, cg_slice(NETTRACE_UNKNOWN), 0, 0),
		    &(const struct cg_pos){ 0 }, false);
	cg_add_stack(build, leaf, weight, cg_columns_of(build, &weight),
	    cg_columns_width(build));
	if (s->timed)
		cg_add_moment(build, &(const struct cg_moment){
					 .time = time_of(s->file, event->time),
					 .node = leaf,
					 .cost = cg_columns_of(build, &weight),
					 .n = cg_columns_width(build) });
	s->count++;
	return cg_build_status(build) == CG_OK;
}

static bool
read_events(struct samples *s, struct cg_slice block)
{
	struct nettrace_events events = { .rest = block };
	struct nettrace_event event;

	while (nettrace_next_event(s->file, &events, &event)) {
		enum nettrace_kind kind =
		    nettrace_kind_of(s->methods, event.metadata);

		if ((kind == NETTRACE_SAMPLE || kind == NETTRACE_CPU) &&
		    !add_sample(s, &event, kind == NETTRACE_CPU))
			return false;
	}
	return cg_rejected(s->file->job) == CG_OK;
}

static bool
report(const struct samples *s)
{
	struct cg_job *job = s->file->job;

	if (s->count == 0)
		return cg_reject(job, "the trace has no samples of provider "
				      "Microsoft-DotNETCore-SampleProfiler or "
				      "Universal.Events");
	if (s->methods->method.n == 0 && s->methods->universal.symbol.n == 0)
		cg_warn(job,
		    "the trace has no methods (no rundown): functions have no "
		    "names");
	if (s->missing > 0)
		cg_warn(job, "samples whose stacks are missing: %llu",
		    (unsigned long long)s->missing);
	if (s->methods->others > 0)
		cg_note(job, "events that are no samples are dropped: %llu",
		    (unsigned long long)s->methods->others);
	return true;
}

bool
nettrace_read_samples(struct nettrace_methods *methods)
{
	struct samples s = { .methods = methods, .file = methods->file };
	struct cg_slice rest = s.file->blocks, block;
	enum nettrace_block kind;

	cg_map_clear(&s.file->threads);
	s.file->thread.n = 0;
	(void)cg_add_samples(s.file->build, s.file->interval);
	while (nettrace_next_block(s.file, &rest, &kind, &block)) {
		bool ok = true;

		switch (kind) {
		case NETTRACE_EVENTS: ok = read_events(&s, block); break;
		case NETTRACE_STACKS: ok = read_stacks(&s, block); break;
		case NETTRACE_SEQUENCE:
			cg_map_clear(&s.ids);
			cg_map_clear(&s.leaves);
			s.stack.n = 0;
			/* No later sample uses the nodes. */
			(void)cg_free_nodes(s.file->job);
			nettrace_end_threads(s.file, block);
			s.begun = false;
			break;
		case NETTRACE_THREADS:
			ok = nettrace_read_threads(s.file, block);
			s.begun = false; /* an index may be used again */
			break;
		case NETTRACE_METADATA:
			ok = !s.file->sixth ||
			     nettrace_read_kinds(methods, block);
			break;
		}
		if (!ok)
			return false;
	}
	return cg_rejected(s.file->job) == CG_OK && report(&s);
}
