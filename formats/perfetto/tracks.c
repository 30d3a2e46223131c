/*
 * tracks.c - tracks of events, and the names of threads and processes.
 *
 * A track belongs to a thread, to a process, or to the track that is its
 * parent. Each has calls of its own: two tracks of one thread are two tracks
 * of the graph. Events of old producers have no track but the thread that the
 * sequence describes.
 */
#include "perfetto.h"

#define ANCESTORS_MAX 32 /* of a track; trace_processor: 10 */

/* ---- Finding ------------------------------------------------------------ */

/*
 * Finds the track (row of the timeline) with a uuid, and adds it if it is new.
 * Sets *index to its index in r->tracks.track. False: out of memory
 * (reported).
 */
static bool
get_track(struct perfetto *r, uint64_t uuid, uint32_t *index)
{
	struct perfetto_tracks *t = &r->tracks;
	const struct perfetto_track new = { .uuid = uuid };
	uint32_t *at = cg_map_in(r->job, &t->ids, uuid);

	if (!at)
		return false;
	if (*at == 0) {
		if (!cg_append(r->job, &t->track, new))
			return false;
		*at = (uint32_t)t->track.n;
	}
	*index = *at - 1;
	return true;
}

static bool
add_span(struct perfetto *r, uint64_t pid, uint64_t tid, uint32_t *index)
{
	const struct spans_thread new = {
		.pid = pid, .tid = tid, .alone = true, .now = INT64_MIN
	};

	*index = (uint32_t)r->spans.thread.n;
	return cg_append(r->job, &r->spans.thread, new);
}

bool
perfetto_find_track(struct perfetto *r, uint64_t uuid, uint32_t *index)
{
	struct perfetto_track *track;
	uint32_t number;

	if (!get_track(r, uuid, &number))
		return false;
	track = &r->tracks.track.at[number];
	if (track->span == 0) {
		if (!add_span(r, 0, 0, index))
			return false;
		track->span = *index + 1;
	}
	*index = track->span - 1;
	return true;
}

bool
perfetto_find_owner(
    struct perfetto *r, uint64_t pid, uint64_t tid, uint32_t *index)
{
	uint32_t process, thread, *at;

	if (!perfetto_number(r, &r->sums.ids, pid, &process) ||
	    !perfetto_number(r, &r->sums.ids, tid, &thread))
		return false;
	at = cg_map_in(
	    r->job, &r->tracks.owners, (uint64_t)process << 32 | thread);
	if (!at)
		return false;
	if (*at == 0) {
		if (!add_span(r, pid, tid, index))
			return false;
		*at = *index + 1;
	}
	*index = *at - 1;
	return true;
}

/* ---- Names -------------------------------------------------------------- */

static bool
set_name(
    struct perfetto *r, struct cg_map *names, uint64_t id, struct cg_slice name)
{
	uint32_t *at = name.len > 0 ? cg_map_in(r->job, names, id) : NULL;

	if (at)
		*at = cg_add_name(r->build, name);
	return at != NULL || name.len == 0;
}

cg_name
perfetto_process_name(const struct perfetto *r, uint64_t pid)
{
	return cg_map_get(&r->spans.processes, pid);
}

cg_name
perfetto_thread_name(const struct perfetto *r, uint64_t tid)
{
	return cg_map_get(&r->tracks.threads, tid);
}

/* ---- Descriptors -------------------------------------------------------- */

struct process {
	uint64_t pid;
	bool has_pid;
	struct cg_slice name;
};

static bool
read_process(
    struct perfetto *r, struct cg_slice message, struct process *process)
{
	struct cg_slice command = { "", 0 };
	struct proto_field field;

	*process = (struct process){ .name = { "", 0 } };
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == PROCESS_PID) {
			process->pid = (uint32_t)field.value;
			process->has_pid = true;
		} else if (field.wire != WIRE_BYTES)
			continue;
		else if (field.number == PROCESS_NAME)
			process->name = field.bytes;
		else if (field.number == PROCESS_CMDLINE && command.len == 0)
			command = field.bytes;
	}
	if (process->name.len == 0)
		process->name = command;
	return !process->has_pid ||
	       set_name(r, &r->spans.processes, process->pid, process->name);
}

bool
perfetto_read_process(struct perfetto *r, struct cg_slice message)
{
	struct process process;

	return read_process(r, message, &process);
}

struct thread {
	uint64_t pid, tid;
	bool has_pid, has_tid;
	uint64_t reference; /* us */
};

/*
 * Reads a description of a thread into *thread, and stores the thread's name.
 * If the sequence's tables are valid, also sets defaults for the sequence's
 * events. An event that names no thread then belongs to this thread. The first
 * event whose time is a difference counts it from the description's time.
 * False: an error (reported).
 */
static bool
read_thread(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message, struct thread *thread)
{
	struct cg_slice name = { "", 0 };
	struct proto_field field;

	*thread = (struct thread){ 0 };
	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == THREAD_PID) {
			thread->pid = (uint32_t)field.value;
			thread->has_pid = true;
		} else if (field.number == THREAD_TID) {
			thread->tid = field.value;
			thread->has_tid = true;
		} else if (field.number == THREAD_REFERENCE)
			thread->reference = field.value;
		else if (field.number == THREAD_NAME &&
			 field.wire == WIRE_BYTES)
			name = field.bytes;
	}
	if (thread->has_tid &&
	    !set_name(r, &r->tracks.threads, thread->tid, name))
		return false;
	if (!sequence->valid)
		return true;
	sequence->threaded = sequence->timed = true;
	sequence->pid = thread->pid;
	sequence->tid = thread->tid;
	sequence->now = (int64_t)(thread->reference * 1000);
	return true;
}

bool
perfetto_read_thread(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message)
{
	struct thread thread;

	return read_thread(r, sequence, message, &thread);
}

bool
perfetto_read_track(struct perfetto *r, struct perfetto_sequence *sequence,
    struct cg_slice message)
{
	struct cg_slice name = { "", 0 };
	struct process process = { .name = name };
	struct thread thread = { 0 };
	uint64_t uuid = 0, parent = 0;
	struct perfetto_track *track;
	struct proto_field field;
	uint32_t index;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == TRACK_UUID)
			uuid = field.value;
		else if (field.number == TRACK_PARENT)
			parent = field.value;
		else if (field.wire != WIRE_BYTES)
			continue;
		else if (field.number == TRACK_NAME ||
			 field.number == TRACK_STATIC_NAME ||
			 field.number == TRACK_ATRACE_NAME)
			name = field.bytes;
		else if (field.number == TRACK_PROCESS &&
			 !read_process(r, field.bytes, &process))
			return false;
		else if (field.number == TRACK_THREAD &&
			 !read_thread(r, sequence, field.bytes, &thread))
			return false;
	}
	if (!get_track(r, uuid, &index))
		return false;
	track = &r->tracks.track.at[index];
	track->parent = parent;
	if (name.len > 0)
		track->name = cg_add_name(r->build, name);
	track->has_pid = process.has_pid || thread.has_pid;
	track->pid = thread.has_pid ? thread.pid : process.pid;
	track->has_tid = thread.has_tid;
	track->tid = thread.tid;
	return true;
}

/* ---- ProcessTree -------------------------------------------------------- */

/*
 * Reads a process, and sets the name of its pid to its first argument. Some
 * processes replace their arguments by one text with blanks. Then the first
 * argument is the only one, and its first word becomes the name. False: an
 * error (reported).
 */
static bool
read_tree_process(struct perfetto *r, struct cg_slice message)
{
	struct cg_slice name = { "", 0 }, words;
	uint64_t pid = 0, arguments = 0;
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == TREE_PID)
			pid = (uint32_t)field.value;
		else if (field.number == TREE_CMDLINE &&
			 field.wire == WIRE_BYTES && arguments++ == 0)
			name = field.bytes;
	}
	words = name;
	if (arguments == 1)
		(void)cg_take_until(&words, ' ', &name);
	return set_name(r, &r->spans.processes, pid, name);
}

static bool
read_tree_thread(struct perfetto *r, struct cg_slice message)
{
	struct cg_slice name = { "", 0 };
	struct proto_field field;
	uint64_t tid = 0;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.number == TREE_TID)
			tid = (uint32_t)field.value;
		else if (field.number == TREE_THREAD_NAME &&
			 field.wire == WIRE_BYTES)
			name = field.bytes;
	}
	return set_name(r, &r->tracks.threads, tid, name);
}

bool
perfetto_read_tree(struct perfetto *r, struct cg_slice message)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!perfetto_take(r, &message, &field))
			return false;
		if (field.wire != WIRE_BYTES)
			continue;
		if (field.number == TREE_PROCESS &&
		    !read_tree_process(r, field.bytes))
			return false;
		if (field.number == TREE_THREAD &&
		    !read_tree_thread(r, field.bytes))
			return false;
	}
	return true;
}

/* ---- The end ------------------------------------------------------------ */

/*
 * Returns the nearest track that has a process: the track itself or one of its
 * parents. NULL: none within ANCESTORS_MAX steps.
 */
static const struct perfetto_track *
find_process(const struct perfetto *r, const struct perfetto_track *track)
{
	for (int i = 0; i < ANCESTORS_MAX && !track->has_pid; i++) {
		uint32_t index = cg_map_get(&r->tracks.ids, track->parent);

		if (track->parent == 0 || index == 0)
			return NULL;
		track = &r->tracks.track.at[index - 1];
	}
	return track->has_pid ? track : NULL;
}

void
perfetto_name_tracks(struct perfetto *r)
{
	for (size_t i = 0; i < r->spans.thread.n; i++) {
		struct spans_thread *span = &r->spans.thread.at[i];

		span->comm = perfetto_thread_name(r, span->tid);
	}
	for (size_t i = 0; i < r->tracks.track.n; i++) {
		const struct perfetto_track *track = &r->tracks.track.at[i];
		const struct perfetto_track *process = find_process(r, track);
		struct spans_thread *span;

		if (track->span == 0)
			continue;
		span = &r->spans.thread.at[track->span - 1];
		span->comm = track->name;
		if (!process)
			continue;
		span->pid = process->pid;
		span->tid = process->has_tid ? process->tid : 0;
		if (track->has_tid && perfetto_thread_name(r, track->tid))
			span->comm = perfetto_thread_name(r, track->tid);
	}
}
