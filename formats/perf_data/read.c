/*
 * read.c - reads recordings of perf: sorts records by time, then handles them.
 *
 * Source: linux/perf_event.h for the kernel's records, lib/perf/include/perf/
 * event.h and util/session.c of perf 6.1 for perf's own, whose types begin at
 * 64. Records without a time are handled at once, as in perf.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "perf_data.h"

#define NO_TIME UINT64_MAX
/* PERF_RECORD_CALLCHAIN_DEFERRED, which this machine's header may lack. */
#define RECORD_DEFERRED 22
#define SKIP_SIZE 65536

enum own_record { /* perf's own */
	HEADER_ATTR = 64,
	HEADER_TRACING_DATA = 66,
	HEADER_BUILD_ID = 67,
	FINISHED_ROUND = 68,
	AUXTRACE_INFO = 70,
	AUXTRACE = 71,
	EVENT_UPDATE = 78,
	HEADER_FEATURE = 80,
	COMPRESSED = 81,
	COMPRESSED2 = 83,
	LAST_OWN = 86 /* of perf 6.19 */
};

struct reader {
	struct perf_file file;
	struct perf_queue queue;
	struct perf_threads threads;
	struct perf_places places;
	struct perf_samples samples;
	struct perf_deferred deferred;
	struct cg_unzstd *zstd; /* NULL: no compressed record came yet */
	CG_ARRAY(char) inner;   /* decompressed records that are not read yet */
	uint64_t last_id;       /* id that was looked up last, */
	uint32_t last;          /* number of its event; 0: none */
	uint64_t lost, lost_samples, throttled, strangers;
	uint64_t skipped;      /* number of records of unknown types, */
	uint32_t skipped_type; /* and the type of the first */
};

static uint32_t
get_type(const struct reader *r, struct cg_slice record)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.*): a record has a head */
	return perf_u32(&r->file, record.ptr);
}

/* ---- Which event, and when ---------------------------------------------- */

/*
 * Returns the event with an id, or NULL if there is none. If the id is 0, or
 * there is only one event, returns the first event, or NULL if there are no
 * events. The pointer is valid until an event is added.
 */
static struct perf_event *
find_event(struct reader *r, uint64_t id)
{
	uint32_t number;

	if (id == 0 || r->file.event.n == 1)
		return r->file.event.at;
	number = r->last != 0 && r->last_id == id
		     ? r->last
		     : cg_map_get(&r->file.ids, id);
	if (number == 0)
		return NULL;
	r->last_id = id;
	r->last = number;
	return &r->file.event.at[number - 1];
}

/*
 * Returns the word of 8 bytes that begins "offset" bytes before the end of a
 * record. 0: the record is shorter, or "offset" is 0.
 */
static uint64_t
word_from_end(const struct reader *r, struct cg_slice record, uint32_t offset)
{
	if (offset == 0 || offset + PERF_RECORD_HEADER > record.len)
		return 0;
	return perf_u64(&r->file, record.ptr + record.len - offset);
}

static uint64_t
word_at(const struct reader *r, struct cg_slice record, uint32_t offset)
{
	if (offset == 0 || offset + 8 > record.len)
		return 0;
	return perf_u64(&r->file, record.ptr + offset);
}

/*
 * Returns the event to which a record belongs. If there is only one event,
 * returns that. Otherwise the record has the event's id. In samples the id has
 * the same offset for all events. In other records it has the same distance
 * from the end. NULL: no event has the id, or there is no event yet.
 */
static struct perf_event *
event_of(struct reader *r, struct cg_slice record)
{
	const struct perf_event *first = r->file.event.at;
	bool sample = get_type(r, record) == PERF_RECORD_SAMPLE;
	const uint32_t *at;
	uint32_t offset;

	if (r->file.event.n <= 1)
		return r->file.event.at;
	at = sample ? first->at : first->from_end;
	offset = at[PERF_IDENTIFIER] ? at[PERF_IDENTIFIER] : at[PERF_ID];
	return find_event(r, sample ? word_at(r, record, offset)
				    : word_from_end(r, record, offset));
}

static uint64_t
time_of(struct reader *r, struct cg_slice record)
{
	const struct perf_event *event = event_of(r, record);
	uint64_t time;

	if (!event)
		return NO_TIME;
	time = get_type(r, record) == PERF_RECORD_SAMPLE
		   ? word_at(r, record, event->at[PERF_TIME])
		   : word_from_end(r, record, event->from_end[PERF_TIME]);
	return time == 0 ? NO_TIME : time;
}

/* ---- The kernel's records ----------------------------------------------- */

/*
 * Returns true if a mapping with this path is memory without a file behind it.
 * A just-in-time compiler may have put code there. Then its symbols may be in
 * /tmp/perf-PID.map. So add_map() takes that name as the path, as perf does
 * (util/map.c).
 */
static bool
is_memory(struct cg_slice path)
{
	return cg_equal(path, "//anon") || cg_starts(path, "/dev/zero") ||
	       cg_starts(path, "/anon_hugepage");
}

static bool
add_map(struct reader *r, uint32_t pid, struct perf_map map,
    struct cg_slice path, cg_name build_id)
{
	char name[32];

	if (is_memory(path) || cg_starts(path, "[stack") ||
	    cg_starts(path, "/SYSV") || cg_equal(path, "[heap]"))
		map.offset = map.start;
	if (is_memory(path)) {
		snprintf(name, sizeof(name), "/tmp/perf-%" PRIu32 ".map", pid);
		path = cg_slice(name);
	}
	if (build_id == 0)
		build_id = cg_map_get(
		    &r->file.build_ids, cg_add_name(r->file.build, path));
	map.object = perf_places_object(&r->places, path, build_id);
	return map.object != 0 && perf_threads_map(&r->threads, pid, &map);
}

/*
 * Handles a mapping of the kernel. If the path begins with "[kernel.kallsyms]"
 * or "[guest.kernel", the mapping is that of the kernel itself, and its offset
 * is the address of the kernel's first symbol. Then checks the kernel's
 * symbols by this address, and adds no mapping. Any other mapping is that of a
 * module. Adds it unless it is empty. The path of a module's file becomes the
 * module's name: "/lib/modules/x/kernel/fs/xfs/xfs.ko" becomes "[xfs]". False:
 * an error (reported).
 */
static bool
add_kernel_map(struct reader *r, struct perf_map map, struct cg_slice path,
    cg_name build_id)
{
	struct cg_slice name = cg_base_name(path), stem;
	char text[80] = "[";
	size_t i = 1;

	if (cg_starts(path, PERF_KERNEL) || cg_starts(path, "[guest.kernel")) {
		if (build_id == 0)
			build_id = cg_map_get(&r->file.build_ids,
			    cg_add_name(r->file.build, cg_slice(PERF_KERNEL)));
		perf_places_check_kernel(&r->places, map.offset, build_id);
		return true;
	}
	if (path.len > 0 && *path.ptr == '/' &&
	    cg_take_until(&name, '.', &stem) && stem.len < sizeof(text) - 2) {
		for (; i <= stem.len; i++)
			text[i] =
			    stem.ptr[i - 1] == '-' ? '_' : stem.ptr[i - 1];
		text[i++] = ']';
		path = (struct cg_slice){ text, i };
	}
	return map.end <= map.start ||
	       add_map(r, PERF_KERNEL_PID, map, path, 0);
}

static bool
read_mmap(struct reader *r, struct cg_slice record, bool second)
{
	enum {
		PID = 8,
		ADDR = 16,
		LEN = 24,
		OFFSET = 32,
		PATH = 40,
		ID_SIZE = 40,
		ID = 44,
		PATH2 = 72,
		HAS_ID = 1 << 14
	};
	uint32_t begin = second ? PATH2 : PATH, pid;
	uint16_t misc = perf_u16(&r->file, record.ptr + 4);
	struct perf_map map = { 0 };
	struct cg_slice path;
	cg_name build_id = 0;

	if (record.len < begin)
		return cg_reject(r->file.job,
		    "expected a mapping of %" PRIu32 " bytes or more", begin);
	map.start = perf_u64(&r->file, record.ptr + ADDR);
	map.end = map.start + perf_u64(&r->file, record.ptr + LEN);
	map.offset = perf_u64(&r->file, record.ptr + OFFSET);
	path = perf_data_text(
	    (struct cg_slice){ record.ptr + begin, record.len - begin });
	if (second && (misc & HAS_ID) &&
	    (unsigned char)record.ptr[ID_SIZE] <= 20)
		build_id = perf_data_hex(&r->file, record.ptr + ID,
		    (unsigned char)record.ptr[ID_SIZE]);
	if ((misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
		return add_kernel_map(r, map, path, build_id);
	pid = perf_u32(&r->file, record.ptr + PID);
	if (map.end <= map.start || pid == PERF_KERNEL_PID)
		return true;
	return add_map(r, pid, map, path, build_id);
}

static bool
read_mmap1(struct reader *r, struct cg_slice record)
{
	return read_mmap(r, record, false);
}

static bool
read_mmap2(struct reader *r, struct cg_slice record)
{
	return read_mmap(r, record, true);
}

static bool
read_comm(struct reader *r, struct cg_slice record)
{
	enum { PID = 8, TID = 12, COMM = 16 };
	struct perf_thread *thread;

	if (record.len < COMM)
		return cg_reject(r->file.job, "expected a longer record");
	thread =
	    perf_threads_get(&r->threads, perf_u32(&r->file, record.ptr + PID),
		perf_u32(&r->file, record.ptr + TID));
	if (!thread)
		return false;
	thread->comm = cg_add_name(r->file.build,
	    perf_data_text(
		(struct cg_slice){ record.ptr + COMM, record.len - COMM }));
	return true;
}

static bool
read_fork(struct reader *r, struct cg_slice record)
{
	enum { PID = 8, PARENT_PID = 12, TID = 16, PARENT_TID = 20, SIZE = 24 };
	const struct perf_file *f = &r->file;

	if (record.len < SIZE)
		return cg_reject(f->job, "expected a longer record");
	return perf_threads_fork(&r->threads, perf_u32(f, record.ptr + PID),
	    perf_u32(f, record.ptr + TID), perf_u32(f, record.ptr + PARENT_PID),
	    perf_u32(f, record.ptr + PARENT_TID));
}

static bool
read_lost(struct reader *r, struct cg_slice record)
{
	r->lost += word_at(r, record, PERF_RECORD_HEADER + 8);
	return true;
}

static bool
read_lost_samples(struct reader *r, struct cg_slice record)
{
	r->lost_samples += word_at(r, record, PERF_RECORD_HEADER);
	return true;
}

static bool
read_throttle(struct reader *r, struct cg_slice record)
{
	(void)record;
	r->throttled++;
	return true;
}

static bool
read_sample(struct reader *r, struct cg_slice record)
{
	struct perf_event *event = event_of(r, record);

	uint64_t cookie;

	if (!event) {
		r->strangers++;
		return true;
	}
	if (perf_samples_cookie(&r->samples, event, record, &cookie))
		return perf_deferred_add(&r->deferred, event, cookie, record);
	return perf_samples_add(&r->samples, event, record, NULL);
}

/*
 * Reads a record with a deferred user stack: cookie, number of addresses,
 * addresses. Adds all waiting samples of the record's thread to the graph.
 * Waiting samples with the record's cookie get the stack, others get none. If
 * the record states no thread, its thread is tid 0. False: an error
 * (reported).
 */
static bool
read_deferred(struct reader *r, struct cg_slice record)
{
	enum { COOKIE = 8, COUNT = 16, CHAIN = 24 };
	const struct perf_event *event = event_of(r, record);
	uint32_t tid = 0, end = event ? event->from_end[PERF_TID] : 0;
	uint64_t count;

	if (record.len < CHAIN)
		return cg_reject(r->file.job, "expected a longer record");
	count = word_at(r, record, COUNT);
	if (count > (record.len - CHAIN) / 8)
		return cg_reject(r->file.job,
		    "expected a call chain that fits into its record");
	if (end > 0 && end <= record.len - CHAIN - 8 * count)
		tid = perf_u32(&r->file, record.ptr + record.len - end + 4);
	return perf_deferred_match(&r->deferred, tid,
	    word_at(r, record, COOKIE),
	    (struct cg_slice){ record.ptr + CHAIN, 8 * (size_t)count });
}

/* Handlers of the kernel's records, called in the order of time. */
typedef bool handler(struct reader *, struct cg_slice);
static handler *const kernel_records[] = {
	[PERF_RECORD_MMAP] = read_mmap1,
	[PERF_RECORD_LOST] = read_lost,
	[PERF_RECORD_COMM] = read_comm,
	[PERF_RECORD_THROTTLE] = read_throttle,
	[PERF_RECORD_FORK] = read_fork,
	[PERF_RECORD_SAMPLE] = read_sample,
	[PERF_RECORD_MMAP2] = read_mmap2,
	[PERF_RECORD_LOST_SAMPLES] = read_lost_samples,
	[RECORD_DEFERRED] = read_deferred,
};
#define KERNEL_RECORDS (sizeof(kernel_records) / sizeof(*kernel_records))

static bool
deliver(struct reader *r, struct cg_slice record)
{
	return kernel_records[get_type(r, record)](r, record);
}

/* ---- perf's own records ------------------------------------------------- */

/*
 * Reads a record that describes an event, and adds the event. The record has
 * the attributes of the event, which begin with their type and size. The
 * event's ids follow the attributes, up to the end of the record. False: an
 * error (reported).
 */
static bool
read_attr(struct reader *r, struct cg_slice record)
{
	enum { ATTR = 8, SIZE = 12, ATTR_MIN = 64 };
	uint32_t size = record.len < ATTR + ATTR_MIN
			    ? 0
			    : perf_u32(&r->file, record.ptr + SIZE);

	if (size < ATTR_MIN || size > record.len - ATTR)
		return cg_reject(r->file.job, "expected an event and its ids");
	return perf_data_add_attr(&r->file,
	    (struct cg_slice){ record.ptr + ATTR, size },
	    (struct cg_slice){
		record.ptr + ATTR + size, record.len - ATTR - size });
}

static bool
read_feature(struct reader *r, struct cg_slice record)
{
	enum { NUMBER = 8, BYTES = 16 };

	if (!r->file.pipe || record.len < BYTES)
		return true;
	return perf_data_add_feature(&r->file, word_at(r, record, NUMBER),
	    (struct cg_slice){ record.ptr + BYTES, record.len - BYTES });
}

static bool
read_build_id(struct reader *r, struct cg_slice record)
{
	perf_data_add_build_id(&r->file, record);
	return cg_rejected(r->file.job) == CG_OK;
}

/*
 * Skips "size" bytes that are not records, or up to the end of the file's
 * data.
 */
static void
skip(struct reader *r, uint64_t size)
{
	struct cg_slice bytes;

	while (size > 0 && r->file.left > 0) {
		uint64_t n = size < SKIP_SIZE ? size : SKIP_SIZE;

		n = n < r->file.left ? n : r->file.left;
		if (!cg_read_bytes(r->file.in, n, &bytes))
			return;
		r->file.left -= n;
		size -= n;
	}
}

/*
 * Skips the text of tracepoints' formats that follows the record. The record
 * states the text's size, which is padded to a multiple of 8. Returns true, as
 * this is a handler of records.
 */
static bool
skip_tracing_data(struct reader *r, struct cg_slice record)
{
	uint64_t size =
	    record.len < 12 ? 0 : perf_u32(&r->file, record.ptr + 8);

	skip(r, (size + 7) & ~UINT64_C(7));
	return true;
}

static bool
refuse_aux(struct reader *r, struct cg_slice record)
{
	(void)record;
	return perf_data_refuse(&r->file, "traces of processors (AUX area)");
}

/*
 * Sorts the queued records by time, handles those up to the time limit
 * (included), and removes them from the queue. False: an error (reported).
 */
static bool
flush(struct reader *r, uint64_t limit)
{
	struct perf_queue *queue = &r->queue;
	size_t i = 0;

	if (!perf_queue_sort(queue))
		return false;
	for (; i < queue->item.n && queue->item.at[i].time <= limit; i++) {
		const char *at = perf_queue_record(queue, &queue->item.at[i]);

		if (!deliver(r, (struct cg_slice){
				    at, perf_record_size(&r->file, at) }))
			return false;
	}
	if (i > 0)
		perf_queue_drop(queue, i);
	return true;
}

static bool
end_round(struct reader *r, struct cg_slice record)
{
	(void)record;
	if (!flush(r, r->queue.limit))
		return false;
	perf_queue_begin_round(&r->queue);
	return true;
}

static handler read_compressed1, read_compressed2;

static const struct {
	uint32_t type;
	handler *read;
} own_records[] = {
	{ HEADER_ATTR, read_attr },
	{ HEADER_TRACING_DATA, skip_tracing_data },
	{ HEADER_BUILD_ID, read_build_id },
	{ FINISHED_ROUND, end_round },
	{ AUXTRACE_INFO, refuse_aux },
	{ AUXTRACE, refuse_aux },
	{ HEADER_FEATURE, read_feature },
	{ COMPRESSED, read_compressed1 },
	{ COMPRESSED2, read_compressed2 },
};
#define OWN_RECORDS (sizeof(own_records) / sizeof(*own_records))

/* ---- Which records are read --------------------------------------------- */

/*
 * Counts a record in r->skipped if its type is unknown, and notes the first
 * such type, for a warning. Known types without a handler have no data for
 * profiles, and are not counted.
 */
static void
note_type(struct reader *r, uint32_t type)
{
	if ((type > 0 && type < KERNEL_RECORDS) ||
	    (type >= HEADER_ATTR && type <= LAST_OWN))
		return;
	if (r->skipped++ == 0)
		r->skipped_type = type;
}

/*
 * Handles a record of the kernel. Without a time, handles it at once. With a
 * time, queues a copy, as records of several processors must be sorted. Notes
 * types without a handler. False: an error (reported).
 */
static bool
read_kernel_record(struct reader *r, struct cg_slice record)
{
	uint32_t type = get_type(r, record);
	uint64_t time;

	if (type >= KERNEL_RECORDS || !kernel_records[type]) {
		note_type(r, type);
		return true;
	}
	if (type == PERF_RECORD_SAMPLE && r->file.event.n == 0)
		return cg_reject(
		    r->file.job, "expected an event before samples");
	time = time_of(r, record);
	if (time == NO_TIME)
		return deliver(r, record);
	return perf_queue_add(&r->queue, time, record);
}

static bool
read_record(struct reader *r, struct cg_slice record)
{
	uint32_t type = get_type(r, record);

	for (size_t i = 0; type >= HEADER_ATTR && i < OWN_RECORDS; i++) {
		if (own_records[i].type == type)
			return own_records[i].read(r, record);
	}
	return read_kernel_record(r, record);
}

/* ---- Compressed records ------------------------------------------------- */

/*
 * Handles the complete records in r->inner, the decompressed bytes, and
 * removes them from it. Moves an incomplete record at the end to the front of
 * r->inner. False: an error (reported), such as a record that perf, and not
 * the kernel, writes.
 */
static bool
read_inner(struct reader *r)
{
	struct cg_slice rest = { r->inner.at, r->inner.n };

	while (rest.len >= PERF_RECORD_HEADER) {
		struct cg_slice record = rest;

		record.len = perf_record_size(&r->file, rest.ptr);
		if (record.len < PERF_RECORD_HEADER ||
		    get_type(r, record) >= HEADER_ATTR)
			return cg_reject(r->file.job,
			    "expected records of the kernel in compressed "
			    "data");
		if (record.len > rest.len)
			break;
		if (!read_kernel_record(r, record))
			return false;
		r->file.taken += record.len;
		rest.ptr += record.len;
		rest.len -= record.len;
	}
	if (rest.len > 0)
		memmove(r->inner.at, rest.ptr, rest.len);
	r->inner.n = rest.len;
	return true;
}

/*
 * Decompresses the data of a record ("piece"), and handles the decompressed
 * records that are complete. The data of all records of this type is one
 * stream. So a decompressed record may begin in the data of one of them, and
 * end in the data of the next (util/tool.c of perf 6.19). False: an error
 * (reported).
 */
static bool
read_compressed(struct reader *r, struct cg_slice piece)
{
	struct cg_job *job = r->file.job;
	struct cg_slice bytes;

	if (!r->zstd)
		r->zstd = cg_unzstd_new(job);
	while (r->zstd && cg_unzstd_next(r->zstd, &piece, &bytes)) {
		if (!cg_reserve(job, &r->inner, r->inner.n + bytes.len))
			return false;
		memcpy(r->inner.at + r->inner.n, bytes.ptr, bytes.len);
		r->inner.n += bytes.len;
		if (!read_inner(r))
			return false;
	}
	return cg_rejected(job) == CG_OK;
}

static bool
read_compressed1(struct reader *r, struct cg_slice record)
{
	return read_compressed(
	    r, (struct cg_slice){ record.ptr + PERF_RECORD_HEADER,
		   record.len - PERF_RECORD_HEADER });
}

/*
 * Handles a record of compressed data in the newer form. The record is padded,
 * so it states the size of the data. False: an error (reported).
 */
static bool
read_compressed2(struct reader *r, struct cg_slice record)
{
	enum { SIZE = 8, BYTES = 16 };
	uint64_t size = word_at(r, record, SIZE);

	if (record.len < BYTES || size > record.len - BYTES)
		return cg_reject(r->file.job,
		    "expected compressed data that fits into its record");
	return read_compressed(
	    r, (struct cg_slice){ record.ptr + BYTES, (size_t)size });
}

/* ---- All records -------------------------------------------------------- */

/*
 * Takes the next record of the input, valid until the next call. False: the
 * end, or an error (reported). *whole then tells whether the data ends where
 * the header says; for a pipe, whether it ends after a whole record. If not,
 * the file is truncated.
 */
static bool
next_record(struct reader *r, struct cg_slice *record, bool *whole)
{
	struct perf_file *f = &r->file;
	struct cg_slice head;
	size_t size;

	*whole = f->left == 0;
	if (f->left < PERF_RECORD_HEADER)
		return false;
	if (!cg_look_bytes(f->in, PERF_RECORD_HEADER, &head)) {
		/* The end of a pipe is not stated. */
		*whole = head.len == 0 && f->left > INT64_MAX;
		return false;
	}
	size = perf_record_size(f, head.ptr);
	if (size < PERF_RECORD_HEADER)
		return cg_reject(f->job,
		    "expected a record of %d bytes or more",
		    PERF_RECORD_HEADER);
	if (size > f->left || !cg_read_bytes(f->in, size, record))
		return false;
	f->left -= size;
	f->taken += size;
	return true;
}

static bool
read_records(struct reader *r)
{
	struct cg_slice record;
	bool whole;

	while (next_record(r, &record, &whole)) {
		if (!read_record(r, record))
			return false;
	}
	if (cg_in_status(r->file.in) != CG_OK ||
	    cg_rejected(r->file.job) != CG_OK)
		return false;
	if (!whole || r->inner.n > 0)
		cg_warn(r->file.job,
		    "the last record is incomplete: the file is truncated");
	return flush(r, UINT64_MAX) && perf_deferred_end(&r->deferred);
}

static void
report_unwinding(const struct reader *r)
{
	const struct perf_unwinding *u = &r->samples.unwinding;
	struct cg_job *job = r->file.job;

	if (u->cut > 0)
		cg_warn(job,
		    "%" PRIu64 " of %" PRIu64 " stacks lack their outermost "
		    "frames: the recording has too little of the stack; record "
		    "with --call-graph dwarf,65528",
		    u->cut, u->stacks);
	if (u->unknown > 0)
		cg_warn(job,
		    "%" PRIu64 " of %" PRIu64 " stacks lack their outermost "
		    "frames: the caller of a frame is not known; give the "
		    "executables and libraries with {exe}",
		    u->unknown, u->stacks);
	if (u->foreign > 0)
		cg_warn(job,
		    "%" PRIu64 " of %" PRIu64 " stacks have one frame: only "
		    "those of 64-bit x86 and ARM processors are unwound",
		    u->foreign, u->stacks);
}

static bool
report(struct reader *r)
{
	struct cg_job *job = r->file.job;

	report_unwinding(r);
	if (r->lost > 0)
		cg_warn(job, "perf lost %" PRIu64 " records while recording",
		    r->lost);
	if (r->lost_samples > 0)
		cg_warn(job, "perf lost %" PRIu64 " samples while recording",
		    r->lost_samples);
	if (r->strangers > 0)
		cg_warn(job,
		    "%" PRIu64 " samples of unknown events are dropped",
		    r->strangers);
	if (r->deferred.unmatched > 0)
		cg_warn(job,
		    "%" PRIu64 " samples lack the stack of the process: the "
		    "recording has no deferred call chain for them",
		    r->deferred.unmatched);
	if (r->places.nameless > 0)
		cg_warn(job,
		    cg_opt(job, "kallsyms")
			? "addresses of the kernel without a name: %" PRIu64
			: "addresses of the kernel without a name: %" PRIu64
			  "; give a copy of its /proc/kallsyms, as root reads "
			  "it, with {kallsyms}",
		    r->places.nameless);
	if (r->skipped > 0)
		cg_warn(job,
		    "%" PRIu64 " records of unknown types are skipped (the "
		    "first has type %" PRIu32 ")",
		    r->skipped, r->skipped_type);
	if (r->samples.contexts > 0)
		cg_warn(job,
		    "%" PRIu64 " marks in call chains are unknown (the first "
		    "is %" PRId64 "); addresses after them are taken as those "
		    "of the process",
		    r->samples.contexts, (int64_t)r->samples.context);
	if (r->throttled > 0)
		cg_note(job, "the kernel throttled sampling %" PRIu64 " times",
		    r->throttled);
	return r->samples.count > 0 ||
	       cg_reject(job, "expected samples of perf");
}

static bool
read_file(struct reader *r)
{
	struct perf_file *f = &r->file;

	return perf_places_open(&r->places, f) &&
	       perf_threads_open(&r->threads, f) &&
	       perf_samples_open(&r->samples, f, &r->threads, &r->places) &&
	       perf_data_open(f) && read_records(r) && report(r);
}

int
perf_data_read(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader *r = cg_alloc(job, sizeof(*r));

	if (!r)
		return CG_ELIMIT;
	r->file = (struct perf_file){ .job = job, .in = in, .build = build };
	r->queue.job = job;
	r->deferred.samples = &r->samples;
	(void)read_file(r);
	perf_deferred_close(&r->deferred);
	perf_places_close(&r->places);
	perf_threads_close(&r->threads);
	perf_data_close(&r->file);
	return cg_in_status(in);
}
