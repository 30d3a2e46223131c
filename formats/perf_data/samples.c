/*
 * samples.c - turns samples into stacks of the graph.
 *
 * A call chain is leaf first; markers tell whether the addresses after them
 * are the kernel's or the process's. Only the frames that differ from the last
 * stack are looked up, in a cache of nodes.
 */
#include <string.h>

#include "kernel.h"
#include "perf_data.h"

/* Entries of the cache; a power of two. */
#define CACHE_SIZE ((size_t)1 << 14)
/* Bytes of a thread's name, as in perf-script's reader. */
#define COMM_MAX 255
/* Flags in versions: the kernel's mappings; addresses after calls. */
#define OF_KERNEL ((uint32_t)1 << 31)
#define OF_CALL ((uint32_t)1 << 30)
#define MARKERS ((uint64_t)PERF_CONTEXT_MAX) /* and all above */
#define USER_DEFERRED (UINT64_MAX - 639) /* PERF_CONTEXT_USER_DEFERRED, -640 */

struct perf_known_node {
	uint64_t ip;
	uint32_t version;
	cg_node parent, node; /* node 0: the entry is empty */
};

bool
perf_samples_open(struct perf_samples *s, struct perf_file *file,
    struct perf_threads *threads, struct perf_places *places)
{
	*s = (struct perf_samples){ .file = file,
		.threads = threads,
		.places = places,
		.unwinding.places = places,
		.changes = UINT64_MAX,
		.known = cg_alloc(file->job, CACHE_SIZE * sizeof(*s->known)) };
	return s->known != NULL;
}

/* ---- Stacks ------------------------------------------------------------- */

static void
set_side(struct perf_samples *s, bool kernel, uint32_t pid)
{
	struct perf_side *side = &s->side[kernel];

	*side = (struct perf_side){ .kernel = kernel };
	if (kernel || pid != PERF_KERNEL_PID)
		side->maps = perf_threads_maps(
		    s->threads, kernel ? PERF_KERNEL_PID : pid);
	if (side->maps)
		side->version = side->maps->version;
	if (kernel)
		side->version |= OF_KERNEL;
}

static void
set_sides(struct perf_samples *s, uint32_t pid)
{
	if (s->side_pid == pid && s->changes == s->threads->changes)
		return;
	set_side(s, false, pid);
	set_side(s, true, pid);
	s->side_pid = pid;
	s->changes = s->threads->changes;
}

/*
 * Adds the function at the address of a step to the graph, as a callee of
 * *node. A step is an entry of the call chain. If functions are inlined at the
 * address, adds them, too, as callees inside the function. Sets *node to the
 * node of the innermost of these functions. False: an error (reported).
 */
static bool
add_place(struct perf_samples *s, const struct perf_step *step, cg_node *node)
{
	bool kernel = step->version & OF_KERNEL;
	const struct perf_place *place = perf_places_find(s->places,
	    &(const struct perf_place_key){ .maps = s->side[kernel].maps,
		.kernel = kernel,
		.call = step->version & OF_CALL,
		.ip = step->ip });
	const struct perf_frame *frame;

	if (!place)
		return false;
	frame = &s->places->frame.at[place->first];
	for (size_t i = 0; i < place->count; i++)
		*node = cg_add_frame(s->file->build, *node, frame[i].fn,
		    &frame[i].pos, frame[i].inlined);
	return true;
}

/*
 * Sets step->node to the graph's node for this entry of a call chain; adds the
 * node if it is new. "parent" is the node of its caller. Recent results are
 * cached by address, parent and version of the mappings. False: an error
 * (reported).
 */
static bool
find_node(struct perf_samples *s, cg_node parent, struct perf_step *step)
{
	uint64_t hash = (step->ip ^ (uint64_t)parent << 40 ^ parent) +
			step->version * UINT64_C(0x9e3779b97f4a7c15);
	struct perf_known_node *known;

	hash = (hash ^ hash >> 32) * UINT64_C(0xff51afd7ed558ccd);
	known = &s->known[hash >> 40 & (CACHE_SIZE - 1)];
	if (known->node == 0 || known->ip != step->ip ||
	    known->parent != parent || known->version != step->version) {
		step->node = parent;
		if (!add_place(s, step, &step->node))
			return false;
		*known = (struct perf_known_node){ step->ip, step->version,
			parent, step->node };
	}
	step->node = known->node;
	return true;
}

/*
 * Compares the current stack with the last sample's stack, from the outermost
 * call on. A step is an entry of the call chain. Copies the nodes of equal
 * steps up to the first difference. Sets *left to the number of steps of
 * s->now that remain. They come first in s->now, because the leaf comes first.
 * Returns the node of the innermost equal step; 0: no step is equal.
 */
static cg_node
share(struct perf_samples *s, size_t *left)
{
	const struct perf_step *last = s->last.step.at;
	struct perf_step *now = s->now.step.at;
	size_t i = s->now.step.n, j = s->last.step.n;
	cg_node node = 0;

	while (i > 0 && j > 0 && now[i - 1].ip == last[j - 1].ip &&
	       now[i - 1].version == last[j - 1].version) {
		node = last[--j].node;
		now[--i].node = node;
	}
	*left = i;
	return node;
}

/*
 * Adds the current stack (s->now) to the graph, and sets *leaf to its
 * innermost node (0: the stack is empty). Swaps it with s->last, so it becomes
 * the last stack. False: an error (reported).
 */
static bool
add_stack(struct perf_samples *s, cg_node *leaf)
{
	struct perf_stack swap = s->last;
	struct perf_step *step = s->now.step.at;
	size_t i;

	*leaf = share(s, &i);
	while (i-- > 0) {
		if (!find_node(s, *leaf, &step[i]))
			return false;
		*leaf = step[i].node;
	}
	s->last = s->now;
	s->now = swap;
	return true;
}

/* ---- One sample --------------------------------------------------------- */

static bool
make_room(struct perf_samples *s, size_t count)
{
	s->now.step.n = 0;
	return cg_reserve(s->file->job, &s->now.step, count);
}

static void
push(struct perf_samples *s, uint64_t ip, uint32_t version)
{
	s->now.step.at[s->now.step.n++] = (struct perf_step){ ip, version, 0 };
}

/*
 * Returns true if the marker in a call chain says that the addresses after it
 * are the kernel's. Adds 1 to s->contexts for an unknown marker, and stores
 * the first of them in s->context.
 */
static bool
is_kernel(struct perf_samples *s, uint64_t mark)
{
	static const uint64_t known[] = { (uint64_t)PERF_CONTEXT_HV,
		(uint64_t)PERF_CONTEXT_USER, USER_DEFERRED,
		(uint64_t)PERF_CONTEXT_GUEST,
		(uint64_t)PERF_CONTEXT_GUEST_KERNEL,
		(uint64_t)PERF_CONTEXT_GUEST_USER };

	if (mark == (uint64_t)PERF_CONTEXT_KERNEL)
		return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (mark == known[i])
			return false;
	}
	if (s->contexts++ == 0)
		s->context = mark;
	return false;
}

/*
 * Appends the entries of a call chain to the current stack, which must have
 * room for them. There are "count" entries of 8 bytes, from "at" on. An entry
 * may be a marker. It tells whether the addresses after it are the kernel's or
 * the process's. "kernel" tells whether the addresses before the first marker
 * are the kernel's. Addresses of guests and hypervisors count as the
 * process's.
 */
static void
push_chain(struct perf_samples *s, const char *at, uint64_t count, bool kernel)
{
	uint32_t call = 0;
	uint64_t ip;

	for (; count > 0; count--, at += 8) {
		ip = perf_u64(s->file, at);
		if (ip >= MARKERS) {
			kernel = is_kernel(s, ip);
			call = 0;
			continue;
		}
		push(s, ip, s->side[kernel].version | call);
		call = kernel ? 0 : OF_CALL;
	}
}

/*
 * Sets the current stack of a sample whose user part has to be unwound. Pushes
 * the "count" entries of the call chain. Then pushes the frames unwound from
 * the sample's registers and stack copy. Without any, pushes the sample's
 * address. "kernel": the sample is from the kernel. False: malformed, or out
 * of memory (reported).
 */
static bool
take_unwound(struct perf_samples *s, const struct perf_event *event,
    struct cg_slice record, size_t count, bool kernel)
{
	const struct perf_unwinding *u = &s->unwinding;
	const size_t end = event->chain + 8 + 8 * count;

	if (!perf_unwind(&s->unwinding, s->side[false].maps, event,
		(struct cg_slice){ record.ptr + end, record.len - end }) ||
	    !make_room(s, count + u->ip.n + 1))
		return false;
	push_chain(s, record.ptr + event->chain + 8, count, kernel);
	for (size_t i = 0; i < u->ip.n; i++)
		push(s, u->ip.at[i], s->side[false].version);
	if (s->now.step.n == 0 && event->at[PERF_IP])
		push(s, perf_u64(s->file, record.ptr + event->at[PERF_IP]),
		    s->side[kernel].version);
	return true;
}

static bool
take_chain(struct perf_samples *s, const struct perf_event *event,
    struct cg_slice record, bool kernel, const struct cg_slice *stack)
{
	const char *at = record.ptr + event->chain;
	uint64_t count = perf_u64(s->file, at), cookie;

	if (count > (record.len - event->chain - 8) / 8)
		return cg_reject(s->file->job,
		    "expected a call chain that fits into its sample");
	if (event->unwinds)
		return take_unwound(s, event, record, (size_t)count, kernel);
	if (!make_room(s, (size_t)count + (stack ? stack->len / 8 : 0)))
		return false;
	if (!perf_samples_cookie(s, event, record, &cookie)) {
		push_chain(s, at + 8, count, kernel);
		return true;
	}
	push_chain(s, at + 8, count - 2, kernel);
	if (stack)
		push_chain(s, stack->ptr, stack->len / 8, false);
	else if (s->now.step.n == 0 && event->at[PERF_IP])
		push(s, perf_u64(s->file, record.ptr + event->at[PERF_IP]),
		    s->side[kernel].version);
	return true;
}

bool
perf_samples_cookie(const struct perf_samples *s,
    const struct perf_event *event, struct cg_slice record, uint64_t *cookie)
{
	uint64_t count;
	const char *end;

	if (event->chain == 0 || record.len < event->fixed)
		return false;
	count = perf_u64(s->file, record.ptr + event->chain);
	if (count < 2 || count > (record.len - event->chain - 8) / 8)
		return false;
	end = record.ptr + event->chain + 8 + 8 * count;
	*cookie = perf_u64(s->file, end - 8);
	return perf_u64(s->file, end - 16) == USER_DEFERRED;
}

uint32_t
perf_samples_tid(const struct perf_samples *s, const struct perf_event *event,
    struct cg_slice record)
{
	uint32_t at = event->at[PERF_TID];

	return at && at + 8 <= record.len
		   ? perf_u32(s->file, record.ptr + at + 4)
		   : 0;
}

/*
 * Makes the samples that are added from now on belong to a thread. Sets their
 * labels and their track in the timeline. Does nothing if the last sample had
 * the same thread, with the same name. Begins the graph's part the first time.
 * False: out of memory (reported).
 */
static bool
select_thread(struct perf_samples *s, uint32_t pid, uint32_t tid)
{
	const struct perf_thread *thread =
	    perf_threads_get(s->threads, pid, tid);
	const struct cg_part_info info = { .cmd = "" };
	struct cg_build *build = s->file->build;
	struct cg_track track = { .name = "", .unit = "ns" };
	struct cg_slice comm;

	if (!thread)
		return false;
	if (s->begun && s->pid == pid && s->tid == tid &&
	    s->comm == thread->comm)
		return true;
	if (!s->begun)
		(void)cg_add_part(build, &info);
	s->begun = true;
	s->pid = pid;
	s->tid = tid;
	s->comm = thread->comm;
	comm = cg_get_name(build, thread->comm);
	/* -1: a thread that has ended. */
	track.pid = pid == UINT32_MAX ? 0 : pid;
	track.tid = tid == UINT32_MAX ? 0 : tid;
	if (comm.len > 0 && comm.len <= COMM_MAX)
		track.name = comm.ptr;
	cg_set_sample_part(
	    build, &(const struct cg_sample_key){
		       .pid = track.pid, .tid = track.tid, .comm = comm });
	s->timed = cg_begin_timeline(build);
	if (s->timed)
		cg_set_track(build, &track);
	return true;
}

/*
 * Adds an event to the graph, and stores the column of its costs in
 * event->column. Name and unit are the same as in the reader of perf-script.
 */
static void
add_event(struct perf_samples *s, struct perf_event *event)
{
	const struct cg_event new = {
		.name = cg_get_name(s->file->build, event->name).ptr,
		.unit = event->is_clock ? "ns" : ""
	};

	event->column = cg_add_event(s->file->build, &new);
	event->added = true;
}

static void
add_costs(struct perf_samples *s, const struct perf_event *event,
    const char *at, cg_node leaf)
{
	const uint32_t *offset = event->at;
	unsigned column = event->column;

	s->cost[column] = offset[PERF_PERIOD]
			      ? perf_u64(s->file, at + offset[PERF_PERIOD])
			      : event->period;
	cg_add_stack(s->file->build, leaf, 1, s->cost, column + 1);
	if (s->timed && offset[PERF_TIME])
		cg_add_moment(s->file->build,
		    &(const struct cg_moment){
			.time =
			    (int64_t)perf_u64(s->file, at + offset[PERF_TIME]),
			.node = leaf,
			.cost = s->cost,
			.n = column + 1 });
	s->cost[column] = 0;
	s->count++;
}

bool
perf_samples_add(struct perf_samples *s, struct perf_event *event,
    struct cg_slice record, const struct cg_slice *stack)
{
	const uint32_t *offset = event->at;
	uint32_t pid = 0, tid = 0;
	uint16_t misc = perf_u16(s->file, record.ptr + 4);
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL;
	cg_node leaf;

	if (record.len < event->fixed)
		return cg_reject(s->file->job, "expected a longer sample");
	if (offset[PERF_TID]) {
		pid = perf_u32(s->file, record.ptr + offset[PERF_TID]);
		tid = perf_u32(s->file, record.ptr + offset[PERF_TID] + 4);
	}
	if (!select_thread(s, pid, tid))
		return false;
	if (!event->added)
		add_event(s, event);
	set_sides(s, pid);
	if (event->chain) {
		if (!take_chain(s, event, record, kernel, stack))
			return false;
	} else if (offset[PERF_IP]) {
		if (!make_room(s, 1))
			return false;
		push(s, perf_u64(s->file, record.ptr + offset[PERF_IP]),
		    s->side[kernel].version);
	} else {
		s->now.step.n = 0;
	}
	if (!add_stack(s, &leaf))
		return false;
	if (leaf == 0)
		leaf = cg_add_frame(s->file->build, 0,
		    cg_add_fn(s->file->build, cg_slice(PERF_UNKNOWN), 0, 0),
		    &(const struct cg_pos){ 0 }, false);
	add_costs(s, event, record.ptr, leaf);
	if (cg_free_nodes(s->file->job)) {
		s->last.step.n = 0;
		memset(s->known, 0, CACHE_SIZE * sizeof(*s->known));
	}
	return cg_build_status(s->file->build) == CG_OK;
}
