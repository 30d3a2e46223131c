/*
 * samples.c - samples of the binary format, which may be a zstd stream.
 *
 * A record: thread (u64), interpreter (u32), kind (byte); then
 *	REPEAT  n, n times (us since the thread's last sample, status byte)
 *	others  us since the thread's last sample, status byte, and
 *	FULL    n, n frames: the stack
 *	SUFFIX  shared, n, n frames: keeps the shared outermost frames
 *	POP     dropped, n, n frames: drops innermost frames
 * Numbers are varints; frames are indices in the table, innermost first. The
 * first time of a thread counts from the start of the recording.
 */
#include <string.h>

#include "cgconv_expert.h"
#include "proto/wire.h"
#include "tachyon.h"

enum kind { REPEAT, FULL, SUFFIX, POP };

#define FRAMES_MAX 256 /* MAX_STACK_DEPTH of CPython; deeper ones are cut */
#define RECORD_HEAD 13
/* No record but REPEAT is longer, and no sample of REPEAT. */
#define RECORD_MAX (RECORD_HEAD + 1 + (FRAMES_MAX + 3) * VARINT_MAX)

struct step {
	uint32_t frame; /* index in the table */
	cg_node node;
};

struct thread {
	uint64_t id, time; /* us */
	uint32_t interpreter;
	size_t freed; /* samples.freed when the nodes were added */
	CG_ARRAY(struct step) stack; /* outermost first */
};

struct samples {
	struct tachyon_file *file;
	struct cg_unzstd *zstd; /* NULL: not compressed */
	struct cg_slice packed; /* what zstd has not seen yet */
	CG_ARRAY(char) text;    /* decompressed bytes, if they come in pieces */
	struct cg_slice rest;
	struct cg_map ids;     /* thread id -> number */
	struct cg_map threads; /* number << 32 | interpreter -> index + 1 */
	uint32_t numbers;
	CG_ARRAY(struct thread) thread;
	size_t freed;    /* how often cg_free_nodes() freed nodes */
	size_t selected; /* index + 1 of the thread set in the builder */
	uint8_t status;  /* ... and its status */
	bool timed;
	uint64_t count, empty;
};

/* ---- Bytes --------------------------------------------------------------- */

/*
 * Decompresses the next piece and appends it to s->rest, the bytes to read.
 * False: there is none, or an error (reported).
 */
static bool
unpack(struct samples *s)
{
	struct cg_slice piece;
	size_t at = s->text.n - s->rest.len;

	if (!cg_unzstd_next(s->zstd, &s->packed, &piece))
		return false;
	if (s->rest.len > 0)
		memmove(s->text.at, s->text.at + at, s->rest.len);
	s->text.n = s->rest.len;
	if (!cg_reserve(s->file->job, &s->text, s->text.n + piece.len))
		return false;
	memcpy(s->text.at + s->text.n, piece.ptr, piece.len);
	s->text.n += piece.len;
	s->rest = (struct cg_slice){ s->text.at, s->text.n };
	return true;
}

/*
 * Decompresses until s->rest has the bytes of a whole record, or all that is
 * left. Does nothing if the file is not compressed.
 */
static void
fill(struct samples *s)
{
	while (s->zstd && s->rest.len < RECORD_MAX)
		if (!unpack(s))
			return;
}

/*
 * Reports what was expected at the current position, and returns false.
 * Messages about decompressed bytes have no location in the file.
 */
static bool
reject(struct samples *s, const char *expected)
{
	if (s->zstd)
		return cg_reject(s->file->job, "expected %s", expected);
	return cg_reject_at(s->file->job, s->rest.ptr, "expected %s", expected);
}

static bool
take_number(struct samples *s, uint64_t *number)
{
	return proto_take_varint(&s->rest, number) ||
	       reject(s, "a number within the samples");
}

static bool
take_byte(struct samples *s, uint8_t *byte)
{
	if (s->rest.len == 0)
		return reject(s, "a byte within the samples");
	*byte = (uint8_t)*s->rest.ptr++;
	s->rest.len--;
	return true;
}

/* ---- Threads ------------------------------------------------------------- */

/*
 * Finds a thread of an interpreter in s->thread, and appends it if it is new.
 * Sets *index to its index there. False: out of memory (reported).
 */
static bool
find_thread(struct samples *s, uint64_t id, uint32_t interpreter, size_t *index)
{
	struct cg_job *job = s->file->job;
	uint32_t *number = cg_map_in(job, &s->ids, id), *at;

	if (!number)
		return false;
	if (*number == 0)
		*number = ++s->numbers;
	at = cg_map_in(job, &s->threads, (uint64_t)*number << 32 | interpreter);
	if (!at)
		return false;
	if (*at == 0) {
		if (!cg_append(job, &s->thread,
			(struct thread){ .id = id,
			    .time = s->file->start,
			    .interpreter = interpreter }))
			return false;
		*at = (uint32_t)s->thread.n;
	}
	*index = *at - 1;
	return true;
}

/*
 * Formats the bits of a thread's status into "text", as "has GIL, on CPU", and
 * returns the text. Returns "" without known bits. "size" is the room in
 * "text". The words are those of profiling.sampling dump.
 */
static struct cg_slice
state_of(uint8_t status, char *text, size_t size)
{
	static const struct {
		uint8_t bit;
		const char *word;
	} states[] = { { 1, "has GIL" }, { 2, "on CPU" },
		{ 8, "waiting for GIL" }, { 16, "has exception" },
		{ 4, "unknown" } };
	size_t len = 0;

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++) {
		size_t n = strlen(states[i].word);

		if (!(status & states[i].bit) || len + n + 2 > size)
			continue;
		if (len > 0) {
			memcpy(text + len, ", ", 2);
			len += 2;
		}
		memcpy(text + len, states[i].word, n);
		len += n;
	}
	return (struct cg_slice){ text, len };
}

#define MAIN_THREAD 32 /* bit of the status */
#define STATE_MAX 64   /* bytes of all states */

/*
 * Chooses the thread with this index: samples added from now on get its
 * labels, with the status, and its track. Does nothing if the last call had
 * the same thread and status.
 */
static void
select_thread(struct samples *s, size_t index, uint8_t status)
{
	const struct thread *thread = &s->thread.at[index];
	struct cg_build *build = s->file->build;
	const char *name = status & MAIN_THREAD ? "MainThread" : "";
	char state[STATE_MAX];
	struct cg_label label[4];
	struct cg_sample_key key = {
		.tid = thread->id, .thread = cg_slice(name), .label = label
	};
	const struct cg_track track = {
		.tid = thread->id, .name = name, .unit = "ns"
	};

	if (s->selected == index + 1 && s->status == status)
		return;
	s->selected = index + 1;
	s->status = status;
	/* In the order of sets: texts first, then by key. */
	label[0] = (struct cg_label){ .key = cg_slice("state"),
		.value = state_of(status, state, sizeof(state)) };
	if (label[0].value.len > 0)
		key.labels++;
	if (*name)
		label[key.labels++] =
		    (struct cg_label){ .key = cg_slice("thread"),
			    .value = key.thread };
	if (thread->interpreter != 0)
		label[key.labels++] =
		    (struct cg_label){ .key = cg_slice("interpreter"),
			    .number = thread->interpreter };
	if (thread->id <= INT64_MAX)
		label[key.labels++] = (struct cg_label){ .key = cg_slice("tid"),
			.number = (int64_t)thread->id };
	cg_set_sample_part(build, &key);
	s->timed = cg_begin_timeline(build);
	if (s->timed)
		cg_set_track(build, &track);
}

/* ---- Stacks -------------------------------------------------------------- */

static bool
add_node(struct samples *s, cg_node parent, struct step *step)
{
	struct tachyon_frame *frame = &s->file->frame.at[step->frame];
	struct cg_build *build = s->file->build;

	if (frame->id == 0) {
		const struct cg_pos pos = { .file = tachyon_add_file(
						build, frame->file),
			.line = frame->line };

		frame->id = cg_get_frame(build,
		    cg_add_fn_named(build, frame->name, pos.file, 0), &pos,
		    false);
	}
	step->node = cg_add_node(build, parent, frame->id);
	return cg_build_status(build) == CG_OK;
}

/*
 * Adds the frames of a thread's stack to the graph, and stores their nodes in
 * the stack. Begins at the frame with index "from". If the library has dropped
 * nodes after the last call for this thread, begins at index 0. False: an
 * error (reported).
 */
static bool
add_nodes(struct samples *s, struct thread *thread, size_t from)
{
	if (thread->freed != s->freed)
		from = 0;
	thread->freed = s->freed;
	for (; from < thread->stack.n; from++)
		if (!add_node(s, from > 0 ? thread->stack.at[from - 1].node : 0,
			&thread->stack.at[from]))
			return false;
	return true;
}

/*
 * Replaces the inner frames of the thread's stack. Keeps the outermost "keep"
 * frames. Reads "count" new frames, the innermost first, as callees of the
 * kept ones. Adds the new frames to the graph. False: an error (reported).
 */
static bool
take_frames(
    struct samples *s, struct thread *thread, size_t keep, uint64_t count)
{
	uint64_t index;

	if (count > FRAMES_MAX - keep)
		return reject(s, "at most 256 frames on a stack");
	if (!cg_resize(s->file->job, &thread->stack, keep + (size_t)count))
		return false;
	for (size_t i = thread->stack.n; i > keep; i--) {
		if (!take_number(s, &index))
			return false;
		if (index >= s->file->frame.n)
			return reject(s, "the number of a frame in the table");
		thread->stack.at[i - 1].frame = (uint32_t)index;
	}
	return add_nodes(s, thread, keep);
}

static bool
take_stack(struct samples *s, struct thread *thread, uint8_t kind)
{
	uint64_t number = 0, count;
	size_t depth = thread->stack.n;

	if (kind != FULL && !take_number(s, &number))
		return false;
	if (!take_number(s, &count))
		return false;
	if (kind == SUFFIX) {
		if (number > depth)
			return reject(
			    s, "no more frames than the last stack has");
		depth = (size_t)number;
	} else {
		depth =
		    kind == FULL || number > depth ? 0 : depth - (size_t)number;
	}
	return take_frames(s, thread, depth, count);
}

/* ---- Samples ------------------------------------------------------------- */

/*
 * Adds a sample of the thread s->thread.at[index], with its current stack, to
 * the graph. delta: time since the thread's last sample, in us. Without
 * frames, it is only counted, and moves the time. False: an error (reported).
 */
static bool
add_sample(struct samples *s, size_t index, uint64_t delta, uint8_t status)
{
	static const uint64_t one = 1;
	struct thread *thread = &s->thread.at[index];
	struct cg_build *build = s->file->build;
	cg_node leaf;

	thread->time += delta;
	s->count++;
	if (thread->stack.n == 0) {
		s->empty++;
		return true;
	}
	if (thread->freed != s->freed && !add_nodes(s, thread, 0))
		return false;
	leaf = thread->stack.at[thread->stack.n - 1].node;
	select_thread(s, index, status);
	cg_add_stack(build, leaf, 1, cg_columns_of(build, &one),
	    cg_columns_width(build));
	if (s->timed)
		cg_add_moment(
		    build, &(const struct cg_moment){
			       .time = thread->time > INT64_MAX / 1000
					   ? INT64_MAX
					   : (int64_t)thread->time * 1000,
			       .node = leaf,
			       .cost = cg_columns_of(build, &one),
			       .n = cg_columns_width(build) });
	if (cg_free_nodes(s->file->job))
		s->freed++;
	return cg_build_status(build) == CG_OK;
}

static bool
take_repeats(struct samples *s, size_t index)
{
	uint64_t count, delta;
	uint8_t status = 0;

	if (!take_number(s, &count))
		return false;
	for (; count > 0; count--) {
		fill(s);
		if (!take_number(s, &delta) || !take_byte(s, &status) ||
		    !add_sample(s, index, delta, status))
			return false;
	}
	return true;
}

static bool
take_record(struct samples *s)
{
	const char *at = s->rest.ptr;
	uint64_t delta;
	uint8_t kind, status = 0;
	size_t index;

	if (s->rest.len < RECORD_HEAD)
		return reject(s, "a whole sample");
	if (!find_thread(s, tachyon_u64(s->file, at),
		tachyon_u32(s->file, at + 8), &index))
		return false;
	kind = (uint8_t)at[RECORD_HEAD - 1];
	if (kind > POP)
		return reject(s, "a sample of kind 0 to 3");
	s->rest.ptr += RECORD_HEAD;
	s->rest.len -= RECORD_HEAD;
	if (kind == REPEAT)
		return take_repeats(s, index);
	return take_number(s, &delta) && take_byte(s, &status) &&
	       take_stack(s, &s->thread.at[index], kind) &&
	       add_sample(s, index, delta, status);
}

static void
report(const struct samples *s)
{
	if (s->count != s->file->samples)
		cg_warn(s->file->job,
		    "the header states %llu samples, but there are %llu",
		    (unsigned long long)s->file->samples,
		    (unsigned long long)s->count);
	if (s->empty > 0)
		cg_note(s->file->job,
		    "samples of threads without Python frames, which are "
		    "dropped: %llu",
		    (unsigned long long)s->empty);
}

bool
tachyon_read_samples(struct tachyon_file *file)
{
	struct samples s = { .file = file };
	struct cg_slice bytes = { file->bytes.ptr + TACHYON_HEADER,
		file->strings_at - TACHYON_HEADER };

	if (file->compression > 1)
		return cg_reject(file->job,
		    "expected samples that are not compressed, or by zstd "
		    "(1), not by %u",
		    file->compression);
	if (file->compression == 1) {
		s.zstd = cg_unzstd_new(file->job);
		if (!s.zstd)
			return false;
		s.packed = bytes;
	} else {
		s.rest = bytes;
	}
	for (fill(&s); s.rest.len > 0; fill(&s))
		if (!take_record(&s))
			return false;
	if (cg_rejected(file->job) != CG_OK)
		return false;
	if (s.zstd && !cg_unzstd_ended(s.zstd))
		return cg_reject(
		    file->job, "expected the end of the compressed samples");
	report(&s);
	return true;
}
