/*
 * write.c - writes traces: calls as begins and ends on the tracks of their
 * threads, samples as StackSample.
 *
 * trace_processor and ui.perfetto.dev know StackSample since version 58 (August
 * 2026). PerfSample, which is older, has no weights: a sample counts as one.
 *
 * If all costs of an event have times, they are written with them, track by
 * track; readers sort packets by time. Of all other events, each stack of a
 * part is one sample without a time. All packets are of one sequence; the
 * entries of its tables are in the packets that first refer to them, and
 * numbered (iid) in that order.
 */
#include <string.h>

#include "write.h"

#define SOURCE "cgconv"

/* ---- Tracks ------------------------------------------------------------- */

/*
 * Returns a short number for a pid or tid. So two of them fit in a key of 64
 * bits. Numbers count from 1 in the order of first use. 0: out of memory
 * (reported).
 */
static uint32_t
number(struct perfetto_writer *w, uint64_t id)
{
	uint32_t *at = cg_map_in(w->p.job, &w->ids, id);

	if (!at)
		return 0;
	if (*at == 0)
		*at = ++w->id_count;
	return *at;
}

/*
 * Returns an id (pid or tid) that fits in the format's int32. Replaces a
 * larger id by a number from INT32_MAX downward. The same id always gets the
 * same number, and different ones get different numbers. 0: out of memory
 * (reported), or the id is 0.
 */
static uint64_t
fit(struct perfetto_writer *w, uint64_t id)
{
	uint32_t *at;

	if (id <= INT32_MAX)
		return id;
	at = cg_map_in(w->p.job, &w->replaced, id);
	if (!at)
		return 0;
	if (*at == 0)
		*at = ++w->replaced_count;
	return (uint64_t)INT32_MAX + 1 - *at;
}

/*
 * Begins the description of a new track in w->message: its uuid and its
 * parent's (0: none). Returns the new uuid.
 */
static uint64_t
begin_descriptor(struct perfetto_writer *w, uint64_t parent)
{
	w->message.n = 0;
	perfetto_put_value(w, &w->message, TRACK_UUID, ++w->uuid);
	proto_put_number(&w->p, &w->message, TRACK_PARENT, parent);
	return w->uuid;
}

static void
end_descriptor(struct perfetto_writer *w)
{
	perfetto_write_packet(w, NULL, 0, PACKET_TRACK, &w->message);
}

/*
 * Returns the uuid of the track of a process. The first time, writes the
 * track's description, with the name unless it is "". 0: out of memory
 * (reported).
 */
static uint64_t
find_process(struct perfetto_writer *w, uint64_t pid, const char *name)
{
	uint32_t *at = cg_map_in(w->p.job, &w->processes, number(w, pid));

	if (!at || *at != 0)
		return at ? *at : 0;
	*at = (uint32_t)begin_descriptor(w, 0);
	w->entry.n = 0;
	perfetto_put_value(w, &w->entry, PROCESS_PID, pid);
	if (*name)
		perfetto_put_text(w, &w->entry, PROCESS_NAME, cg_slice(name));
	proto_put_bytes(&w->p, &w->message, TRACK_PROCESS, &w->entry);
	end_descriptor(w);
	return w->uuid;
}

/*
 * Returns the uuid of the track of thread w->tid in process w->pid. "process"
 * is the uuid of the process's track, the parent. The first time, writes the
 * track's description, with the name unless it is "". 0: out of memory
 * (reported).
 */
static uint64_t
find_thread(struct perfetto_writer *w, uint64_t process, const char *name)
{
	uint64_t key = (uint64_t)number(w, w->pid) << 32 | number(w, w->tid);
	uint32_t *at = cg_map_in(w->p.job, &w->threads, key);

	if (!at || *at != 0)
		return at ? *at : 0;
	*at = (uint32_t)begin_descriptor(w, process);
	w->entry.n = 0;
	perfetto_put_value(w, &w->entry, THREAD_PID, w->pid);
	perfetto_put_value(w, &w->entry, THREAD_TID, w->tid);
	if (*name)
		perfetto_put_text(w, &w->entry, THREAD_NAME, cg_slice(name));
	proto_put_bytes(&w->p, &w->message, TRACK_THREAD, &w->entry);
	end_descriptor(w);
	return w->uuid;
}

/*
 * Sets w->track to the uuid of the track on which the next calls are written.
 * w->tid must be that of their thread, or 0. "parent" is the track of the
 * thread or, without a thread, of the process (0: none). The first calls of a
 * thread go on the thread's own track. For all others, writes a new track with
 * this name below "parent". The reason is that calls on one track nest, and
 * calls of two inputs must not. False: out of memory (reported).
 */
static bool
begin_calls(struct perfetto_writer *w, uint64_t parent, const char *name)
{
	uint32_t *used = NULL;

	w->track = parent;
	if (w->tid != 0) {
		used = cg_map_in(w->p.job, &w->used, parent);
		if (!used)
			return false;
	}
	if (!used || *used != 0) {
		w->track = begin_descriptor(w, parent);
		if (*name)
			perfetto_put_text(
			    w, &w->message, TRACK_NAME, cg_slice(name));
		end_descriptor(w);
	} else
		*used = 1;
	return true;
}

/*
 * Selects the thread of the next samples. "thread" is the uuid of the thread's
 * track, and w->pid and w->tid are its ids. Sets w->task to "thread". The
 * first time, defines the thread in the table of tasks. False: out of memory
 * (reported).
 */
static bool
begin_samples(struct perfetto_writer *w, uint64_t thread)
{
	struct proto_bytes *entry = &w->entry;
	uint32_t *known = cg_map_in(w->p.job, &w->tasks, thread);

	if (!known)
		return false;
	w->task = (uint32_t)thread;
	if (*known != 0)
		return true;
	*known = 1;
	entry->n = 0;
	perfetto_put_value(w, entry, INTERNED_IID, thread);
	perfetto_put_value(w, entry, TASK_PID, w->pid);
	proto_put_number(&w->p, entry, TASK_TID, w->tid);
	proto_put_bytes(&w->p, &w->interned, INTERNED_TASKS, entry);
	return true;
}

/*
 * Prepares for writing the calls or samples of a track. Writes the
 * descriptions of its process and thread, unless they were written before.
 * Sets w->pid, w->tid, and for calls w->track, for samples w->task. Samples
 * must belong to a process. If samples have no pid, their tid is written as
 * pid. If they have no tid either, the pid is a new number if the track has
 * moments, else its part's number + 1. False: out of memory (reported).
 */
static bool
begin_track(struct perfetto_writer *w, const struct cg_track *track)
{
	const struct cg_part_info *part = cg_get_part(w->graph, track->part);
	const char *process = *track->process ? track->process : part->cmd;
	uint64_t parent = 0;

	w->pid = fit(w, track->pid ? track->pid : part->pid);
	w->tid = fit(w, track->tid ? track->tid : part->tid);
	if (!track->spans && w->pid == 0)
		w->pid = w->tid               ? w->tid
			 : track->moments > 0 ? ++w->nameless
					      : (uint64_t)track->part + 1;
	if (w->pid != 0)
		parent = find_process(w, w->pid, process);
	if (w->tid != 0)
		parent = find_thread(w, parent, track->name);
	if (cg_rejected(w->p.job) != CG_OK)
		return false;
	return track->spans ? begin_calls(w, parent, track->name)
			    : begin_samples(w, parent);
}

/* ---- Calls -------------------------------------------------------------- */

/*
 * Returns true if the innermost function of a stack has an object, address,
 * line or file. Calls of a timeline only have names, so these are lost there.
 */
static bool
has_place(const struct perfetto_writer *w, uint32_t stack)
{
	const struct proto_out_frame *frame =
	    (const struct proto_out_frame *)w->p.frames.at +
	    w->p.node[stack].key - 1;

	return frame->object != 0 || frame->addr != 0 || frame->line != 0 ||
	       cg_fn_file(w->graph, w->p.node[stack].fn) != 0;
}

static void
put_begin(struct perfetto_writer *w, uint32_t stack, int64_t time)
{
	uint32_t known = w->names;
	uint32_t name =
	    perfetto_intern_name(w, INTERNED_EVENTS, w->p.node[stack].fn);

	w->places += w->names > known && has_place(w, stack);
	w->message.n = 0;
	perfetto_put_value(w, &w->message, EVENT_TYPE, TYPE_BEGIN);
	perfetto_put_value(w, &w->message, EVENT_NAME_IID, name);
	perfetto_put_value(w, &w->message, EVENT_TRACK, w->track);
	perfetto_write_packet(w, &time, FLAG_NEEDS, PACKET_EVENT, &w->message);
}

static void
put_end(struct perfetto_writer *w, int64_t time)
{
	w->message.n = 0;
	perfetto_put_value(w, &w->message, EVENT_TYPE, TYPE_END);
	perfetto_put_value(w, &w->message, EVENT_TRACK, w->track);
	perfetto_write_packet(w, &time, FLAG_NEEDS, PACKET_EVENT, &w->message);
}

/*
 * Changes the stack of open calls (w->open) to the stack with number "to".
 * Writes the ends and begins of calls, all at the given time. First ends calls
 * up to the common callers of both stacks, then begins calls. False: out of
 * memory (reported).
 */
static bool
change_stack(struct perfetto_writer *w, uint32_t to, int64_t time)
{
	const struct cg_merged_frame *node = w->p.node;
	uint32_t from = w->open;

	w->open = to;
	w->path.n = 0;
	while (from != to) {
		if (node[from].depth >= node[to].depth) {
			put_end(w, time);
			from = node[from].parent;
		} else {
			if (!cg_append(w->p.job, &w->path, to))
				return false;
			to = node[to].parent;
		}
	}
	for (size_t i = w->path.n; i > 0; i--)
		put_begin(w, w->path.at[i - 1], time);
	return cg_rejected(w->p.job) == CG_OK;
}

static bool
write_calls(struct perfetto_writer *w, size_t track)
{
	struct cg_moments *moments = cg_moments_new(w->graph, track);
	struct cg_moment moment;
	bool ok = moments;

	while (ok && cg_next_moment(moments, &moment))
		ok = change_stack(
		    w, cg_merged_of(w->p.merged, moment.node), moment.time);
	cg_moments_free(moments);
	return ok && change_stack(w, 0, cg_get_track(w->graph, track)->end);
}

/* ---- Samples ------------------------------------------------------------ */

/*
 * Writes a packet with a sample: the stack, and its costs that are not 0.
 * cost[] has the n costs by event. If "time" is NULL, writes only the costs of
 * events without times. Otherwise writes the time, and only the costs of
 * events with times. The cost of the main event is the sample's weight. Other
 * costs follow as pairs of event and cost. If no cost is written, the weight
 * is 0. False: an error (reported).
 */
static bool
write_sample(struct perfetto_writer *w, const int64_t *time, uint32_t stack,
    const uint64_t *cost, size_t n)
{
	struct proto_bytes *iids = &w->p.buf[0], *weights = &w->p.buf[1];
	struct proto_bytes *sample = &w->message;
	uint64_t weight = 0;

	if (stack != 0 && !perfetto_intern_stack(w, stack))
		return false;
	sample->n = iids->n = weights->n = 0;
	perfetto_put_value(w, sample, SAMPLE_TASK_IID, w->task);
	if (stack != 0)
		perfetto_put_value(
		    w, sample, SAMPLE_STACK_IID, w->stack[stack]);
	for (size_t i = 0; i < w->events; i++) {
		size_t event = w->order[i];

		if (event >= n || cost[event] == 0 ||
		    w->timed[event] != (time != NULL))
			continue;
		if (i == 0) {
			weight = cost[event];
			continue;
		}
		proto_put_varint(&w->p, iids, i + 1);
		proto_put_varint(&w->p, weights, cost[event]);
	}
	if (weight != 0 || iids->n == 0)
		perfetto_put_value(w, sample, SAMPLE_WEIGHT, weight);
	if (iids->n > 0) {
		proto_put_bytes(&w->p, sample, SAMPLE_FOLLOWER_IIDS, iids);
		proto_put_bytes(
		    &w->p, sample, SAMPLE_FOLLOWER_WEIGHTS, weights);
	}
	perfetto_write_packet(w, time, FLAG_NEEDS, PACKET_STACK_SAMPLE, sample);
	return cg_rejected(w->p.job) == CG_OK;
}

/*
 * Returns true if the sample must be written with its time. It must if it has
 * a cost of an event with times, or no cost at all.
 */
static bool
is_timed(const struct perfetto_writer *w, const uint64_t *cost, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (cost[i] != 0 && w->timed[i])
			return true;
		any |= cost[i] != 0;
	}
	return !any;
}

static bool
write_samples(struct perfetto_writer *w, size_t track)
{
	struct cg_moments *moments = cg_moments_new(w->graph, track);
	struct cg_moment moment;
	bool ok = moments;

	while (ok && cg_next_moment(moments, &moment))
		ok = !is_timed(w, moment.cost, moment.n) ||
		     write_sample(w, &moment.time,
			 cg_merged_of(w->p.merged, moment.node), moment.cost,
			 moment.n);
	cg_moments_free(moments);
	return ok;
}

/* ---- Sums without times ------------------------------------------------- */

/*
 * Adds the costs of a stack to w->sum, for the events that are written without
 * times. Appends the stack to w->list the first time. Skips a stack without
 * such costs, unless no event has times. False: overflow, or out of memory
 * (reported).
 */
static bool
add_costs(struct perfetto_writer *w, const struct cg_stack_cost *from)
{
	uint32_t stack = cg_merged_of(w->p.merged, from->leaf);
	uint64_t *sum = w->sum + stack * w->events;

	bool wanted = !w->any_timed;

	for (size_t i = 0; i < from->n; i++)
		wanted |= from->cost[i] != 0 && !w->timed[i];
	if (!wanted)
		return true;
	if (!w->touched[stack] && !cg_append(w->p.job, &w->list, stack))
		return false;
	w->touched[stack] = true;
	for (size_t i = 0; i < from->n; i++)
		if (!w->timed[i] &&
		    __builtin_add_overflow(sum[i], from->cost[i], &sum[i]))
			return cg_reject(w->p.job,
			    "costs of a stack do not fit into 64 bits");
	return true;
}

static int
compare_numbers(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, two = *(const uint64_t *)b;

	return one < two ? -1 : one > two;
}

static bool
write_part(struct perfetto_writer *w, cg_part part)
{
	const struct cg_track track = {
		.part = part, .name = "", .process = ""
	};
	struct cg_stack_cost cost;

	w->list.n = 0;
	for (size_t i = 0; cg_next_stack(w->graph, part, &i, &cost);)
		if (!add_costs(w, &cost))
			return false;
	if (w->list.n > 0 && !begin_track(w, &track))
		return false;
	cg_sort(w->list.at, w->list.n, sizeof(*w->list.at), compare_numbers);
	for (size_t i = 0; i < w->list.n; i++) {
		uint64_t *sum = w->sum + w->list.at[i] * w->events;

		if (!write_sample(
			w, NULL, (uint32_t)w->list.at[i], sum, w->events))
			return false;
		memset(sum, 0, w->events * sizeof(*sum));
		w->touched[w->list.at[i]] = false;
	}
	return true;
}

/* ---- The file ----------------------------------------------------------- */

/*
 * Appends name, unit and description of an event to a message. StackSample has
 * numbers for some units; others are texts.
 */
static void
put_counter(struct perfetto_writer *w, struct proto_bytes *to, size_t event)
{
	static const char *const units[] = {
		[1] = "ns", [2] = "cycles", [3] = "instructions", [4] = "bytes"
	};
	const struct cg_event *of = cg_get_event(w->graph, event);
	unsigned unit = *of->unit ? 0 : 9; /* a plain count */

	perfetto_put_text(w, to, COUNTER_NAME, cg_slice(of->name));
	for (unsigned i = 1; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(of->unit, units[i]) == 0)
			unit = i;
	if (unit != 0)
		perfetto_put_value(w, to, COUNTER_UNIT, unit);
	else
		perfetto_put_text(w, to, COUNTER_UNIT_TEXT, cg_slice(of->unit));
	if (*of->long_name)
		perfetto_put_text(
		    w, to, COUNTER_DESCRIPTION, cg_slice(of->long_name));
}

/*
 * Writes the first packet. It has the defaults of all samples, with the main
 * event as primary counter, and a table of all events as counters.
 */
static void
write_head(struct perfetto_writer *w)
{
	struct proto_bytes *entry = &w->entry, *defaults = &w->message;
	struct proto_bytes *samples = &w->p.buf[0];

	for (size_t i = 0; i < w->events; i++) {
		entry->n = 0;
		perfetto_put_value(w, entry, INTERNED_IID, i + 1);
		put_counter(w, entry, w->order[i]);
		proto_put_bytes(&w->p, &w->interned, INTERNED_COUNTERS, entry);
	}
	samples->n = defaults->n = 0;
	perfetto_put_text(w, samples, SAMPLE_DEFAULTS_SOURCE, cg_slice(SOURCE));
	if (w->events > 0) {
		entry->n = 0;
		put_counter(w, entry, w->order[0]);
		proto_put_bytes(&w->p, samples, SAMPLE_DEFAULTS_PRIMARY, entry);
	}
	proto_put_bytes(&w->p, defaults, DEFAULTS_STACK_SAMPLE, samples);
	perfetto_write_packet(w, NULL, FLAG_CLEARED, PACKET_DEFAULTS, defaults);
}

/*
 * Finds the events that are written with times. w->timed[event] becomes true
 * if the event has costs, all of its costs have times, and the unit of all
 * timelines is ns. If the graph has timelines, warns of each other event with
 * costs. Sets w->shift, which must be 0 before, to the number of ns by which
 * all times are shifted, so that none is negative. Warns of a shift if an
 * event has times. False: out of memory (reported).
 */
static bool
find_times(struct perfetto_writer *w)
{
	size_t tracks = cg_track_count(w->graph);
	bool dated = tracks > 0;

	w->timed = cg_alloc(w->p.job, w->events + 1);
	for (size_t i = 0; i < tracks; i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		dated &= strcmp(track->unit, "ns") == 0;
		if (track->moments > 0 && -track->begin > w->shift)
			w->shift = -track->begin;
	}
	for (size_t i = 0; w->timed && i < w->events; i++) {
		if (tracks == 0 || !cg_event_has_costs(w->graph, i))
			continue;
		w->timed[i] = dated && cg_all_timed(w->graph, i);
		w->any_timed |= w->timed[i];
		if (!w->timed[i])
			cg_warn(w->p.job,
			    "not all costs of %s have times in ns: it is "
			    "written without times",
			    cg_get_event(w->graph, i)->name);
	}
	if (w->any_timed && w->shift > 0)
		cg_warn(w->p.job, "times are negative: all are %lld ns later",
		    (long long)w->shift);
	return w->timed != NULL;
}

/*
 * Returns true if the track is written. All tracks of samples are. A track of
 * calls is written if its event is written with times, or if it has no event.
 * The costs of other tracks of calls are written as samples without times.
 */
static bool
is_written(const struct perfetto_writer *w, const struct cg_track *track)
{
	size_t event = cg_span_event(w->graph, track);

	return !track->spans || event >= w->events || w->timed[event];
}

static bool
write_tracks(struct perfetto_writer *w)
{
	bool ok = true;

	for (size_t i = 0; ok && i < cg_track_count(w->graph); i++) {
		const struct cg_track *track = cg_get_track(w->graph, i);

		if (is_written(w, track))
			ok = begin_track(w, track) &&
			     (track->spans ? write_calls(w, i)
					   : write_samples(w, i));
	}
	return ok;
}

static bool
write_all(struct perfetto_writer *w)
{
	bool ok = true;

	if (!find_times(w) || (w->any_timed && !write_tracks(w)))
		return false;
	w->sum =
	    cg_alloc(w->p.job, (w->p.nodes * w->events + 1) * sizeof(*w->sum));
	w->touched = cg_alloc(w->p.job, w->p.nodes * sizeof(*w->touched));
	if (!w->sum || !w->touched)
		return false;
	for (cg_part part = 0; ok && part < cg_part_count(w->graph); part++)
		ok = write_part(w, part);
	return ok;
}

/*
 * Returns an array for the ids (iid) of entries 0 to max, all 0: not written
 * yet. It is freed with the memory of write(). NULL: out of memory (reported).
 */
static uint32_t *
make_iids(struct cg_job *job, size_t max)
{
	return cg_alloc(job, (max + 1) * sizeof(uint32_t));
}

static bool
prepare(struct perfetto_writer *w)
{
	struct cg_job *job = w->p.job;

	size_t main = cg_main_event(w->graph), n = 1;

	w->events = cg_event_count(w->graph);
	w->order = cg_alloc(job, (w->events + 1) * sizeof(*w->order));
	if (!w->order || !proto_list_frames(&w->p))
		return false;
	w->order[0] = main;
	for (size_t i = 0; i < w->events; i++)
		if (i != main)
			w->order[n++] = i;
	w->file = make_iids(job, cg_file_count(w->graph));
	w->object = make_iids(job, cg_object_count(w->graph));
	w->frame = make_iids(job, w->p.frames.n);
	w->stack = make_iids(job, w->p.nodes);
	return w->file && w->object && w->frame && w->stack;
}

int
perfetto_write(
    struct cg_job *job, const struct cg_graph *graph, struct cg_out *out)
{
	struct perfetto_writer w = {
		.p = { .job = job, .graph = graph, .out = out }, .graph = graph
	};
	bool ok = prepare(&w);

	if (ok) {
		write_head(&w);
		ok = write_all(&w);
	}
	if (ok && w.places > 0)
		cg_warn(job,
		    "files, lines and objects of functions that calls have are "
		    "dropped: %zu",
		    w.places);
	if (ok && w.replaced_count > 0)
		cg_warn(job,
		    "ids of processes and threads above 2147483647 do not fit "
		    "and are replaced: %u",
		    w.replaced_count);
	proto_end_writer(&w.p);
	return ok ? cg_out_status(out) : cg_rejected(job);
}
