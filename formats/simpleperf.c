/*
 * simpleperf.c - simpleperf: samples of Android's simpleperf, as protocol
 * buffers (simpleperf report-sample --protobuf), which Android Studio reads.
 *
 * Source: simpleperf/cmd_report_sample.proto and cmd_report_sample.cpp of
 * Android's platform/system/extras, 2024: "SIMPLEPERF", version (u16, 1), then
 * records, each with its size before it (u32); size 0 ends them. All numbers
 * are little-endian. Files with their symbols and threads come after the
 * samples that refer to them, so the records are read twice.
 *
 * Stacks, addresses, files, linker names, events, threads and times survive.
 * Context switches, execution types (interpreted, JIT) and why unwinding
 * failed are lost, which is reported.
 */
#include "cgconv_parse.h"
#include "proto/wire.h"

#define MAGIC "SIMPLEPERF"
#define VERSION 1
#define HEADER_SIZE 12
#define UNKNOWN "[unknown]" /* as in samples of perf */
#define NO_FILE "unknown"   /* the path of addresses outside of all files */

enum record_field { SAMPLE = 1, LOST, FILES, THREAD, META, SWITCH };
enum sample_field {
	SAMPLE_TIME = 1,
	SAMPLE_TID,
	SAMPLE_CALL,
	SAMPLE_COUNT,
	SAMPLE_EVENT,
	SAMPLE_UNWINDING
};
enum call_field { CALL_ADDR = 1, CALL_FILE, CALL_SYMBOL, CALL_KIND };
enum lost_field { LOST_SAMPLES = 1, LOST_LOST };
enum file_field { FILE_ID = 1, FILE_PATH, FILE_SYMBOL, FILE_MANGLED };
enum thread_field { THREAD_TID = 1, THREAD_PID, THREAD_NAME };
enum meta_field {
	META_EVENT = 1,
	META_PACKAGE,
	META_TYPE,
	META_SDK,
	META_BUILD
};

struct elf {
	cg_object object;
	size_t first, count;                 /* in names: its symbols */
	size_t first_mangled, count_mangled; /* ... and their linker names */
};

struct thread_name {
	uint32_t pid;
	cg_name name;
};

struct call {
	uint64_t addr;
	uint32_t file, symbol; /* symbol + 1; 0: unknown */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_slice records;
	CG_ARRAY(cg_name) name;
	CG_ARRAY(struct elf) file;
	struct cg_map files; /* id -> index + 1 */
	CG_ARRAY(struct thread_name) thread;
	struct cg_map threads; /* tid -> index + 1 */
	CG_ARRAY(cg_name) event;
	struct cg_map columns;   /* event -> column + 1 */
	CG_ARRAY(uint64_t) cost; /* of a sample: zeros up to its column */
	struct cg_map fns; /* index of the file << 32 | symbol + 1 -> fn */
	CG_ARRAY(struct call) call;
	bool begun, timed;
	uint32_t tid; /* of the last sample */
	uint64_t samples, stated, lost, switches, incomplete, kinds, strange;
};

/* ---- Messages ------------------------------------------------------------ */

static bool
take(struct reader *r, struct cg_slice *message, struct proto_field *field)
{
	return proto_take_field(message, field) ||
	       cg_reject_at(
		   r->job, message->ptr, "expected a field of a message");
}

/*
 * Takes the next record off *rest, together with the four bytes of its size
 * before it. Sets *record to the record without its size. False: the size is
 * 0, which ends the records, or the file is truncated (reported).
 */
static bool
take_record(struct reader *r, struct cg_slice *rest, struct cg_slice *record)
{
	const uint8_t *at = (const uint8_t *)rest->ptr;
	uint32_t size;

	if (rest->len < 4)
		return cg_reject_at(r->job, rest->ptr,
		    "expected the size of a record; the file is truncated");
	size = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
	if (size > rest->len - 4)
		return cg_reject_at(r->job, rest->ptr,
		    "expected %u bytes of a record; the file is truncated",
		    size);
	*record = (struct cg_slice){ rest->ptr + 4, size };
	rest->ptr += 4 + (size_t)size;
	rest->len -= 4 + (size_t)size;
	return size > 0;
}

/* ---- First pass: files, threads, events ---------------------------------- */

static bool
push_name(struct reader *r, const struct proto_field *field)
{
	return cg_append(r->job, &r->name, cg_add_name(r->build, field->bytes));
}

static bool
find_symbols(struct reader *r, struct cg_slice message, uint64_t number,
    size_t *first, size_t *count)
{
	struct proto_field field;

	*first = r->name.n;
	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		if (field.number == number && field.wire == WIRE_BYTES &&
		    !push_name(r, &field))
			return false;
	}
	*count = r->name.n - *first;
	return true;
}

static bool
read_file(struct reader *r, struct cg_slice message)
{
	struct cg_slice rest = message;
	struct proto_field field;
	struct elf elf = { 0 };
	uint64_t id = 0;
	uint32_t *index;

	while (rest.len > 0) {
		if (!take(r, &rest, &field))
			return false;
		if (field.number == FILE_ID && field.wire == WIRE_VARINT)
			id = field.value;
		else if (field.number == FILE_PATH &&
			 field.wire == WIRE_BYTES &&
			 !cg_equal(field.bytes, NO_FILE))
			elf.object = cg_add_object(r->build, field.bytes);
	}
	if (!find_symbols(r, message, FILE_SYMBOL, &elf.first, &elf.count) ||
	    !find_symbols(r, message, FILE_MANGLED, &elf.first_mangled,
		&elf.count_mangled))
		return false;
	index = cg_map_in(r->job, &r->files, id);
	if (!index)
		return false;
	if (*index != 0)
		return cg_reject_at(r->job, message.ptr,
		    "expected one file with id %llu", (unsigned long long)id);
	if (!cg_append(r->job, &r->file, elf))
		return false;
	*index = (uint32_t)r->file.n;
	return true;
}

/*
 * Reads a thread's pid, tid and name, and stores them by tid. If the file has
 * several records of a tid, the last one counts. False: an error (reported).
 */
static bool
read_thread(struct reader *r, struct cg_slice message)
{
	struct proto_field field;
	struct thread_name thread = { 0 };
	uint32_t tid = 0, *index;

	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		if (field.number == THREAD_TID && field.wire == WIRE_VARINT)
			tid = (uint32_t)field.value;
		if (field.number == THREAD_PID && field.wire == WIRE_VARINT)
			thread.pid = (uint32_t)field.value;
		if (field.number == THREAD_NAME && field.wire == WIRE_BYTES)
			thread.name = cg_add_name(r->build, field.bytes);
	}
	index = cg_map_in(r->job, &r->threads, tid);
	if (!index)
		return false;
	if (*index == 0) {
		if (!cg_push(r->job, &r->thread))
			return false;
		*index = (uint32_t)r->thread.n;
	}
	r->thread.at[*index - 1] = thread;
	return true;
}

static bool
read_meta(struct reader *r, struct cg_slice message)
{
	static const char *const keys[] = { [META_PACKAGE] = "Package",
		[META_TYPE] = "Package type",
		[META_SDK] = "Android SDK",
		[META_BUILD] = "Android build" };
	struct proto_field field;

	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		if (field.wire != WIRE_BYTES)
			continue;
		if (field.number == META_EVENT) {
			if (!cg_append(r->job, &r->event,
				cg_add_name(r->build, field.bytes)))
				return false;
		} else if (field.number <= META_BUILD) {
			cg_add_desc(r->build, cg_slice(keys[field.number]),
			    field.bytes);
		}
	}
	return true;
}

static bool
read_lost(struct reader *r, struct cg_slice message)
{
	struct proto_field field;

	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		if (field.number == LOST_SAMPLES)
			r->stated += field.value;
		if (field.number == LOST_LOST)
			r->lost += field.value;
	}
	return true;
}

static bool
read_tables(struct reader *r)
{
	struct cg_slice rest = r->records, record;
	struct proto_field field;

	while (take_record(r, &rest, &record)) {
		bool ok = true;

		if (!take(r, &record, &field))
			return false;
		if (field.wire != WIRE_BYTES)
			field.number = 0;
		switch (field.number) {
		case SAMPLE: break;
		case LOST: ok = read_lost(r, field.bytes); break;
		case FILES: ok = read_file(r, field.bytes); break;
		case THREAD: ok = read_thread(r, field.bytes); break;
		case META: ok = read_meta(r, field.bytes); break;
		case SWITCH: r->switches++; break;
		default: r->strange++; break;
		}
		if (!ok)
			return false;
	}
	if (rest.len > 0 && cg_rejected(r->job) == CG_OK)
		cg_warn_at(r->job, rest.ptr,
		    "%zu bytes after the last record are skipped", rest.len);
	return cg_rejected(r->job) == CG_OK;
}

/* ---- Second pass: samples ------------------------------------------------ */

/*
 * Adds the function of a file's symbol to the graph, and returns it. Symbols
 * count from 1; symbol 0 adds a function with an unknown name. If the file has
 * no such symbol, reports that and returns 0.
 */
static cg_fn
add_fn(struct reader *r, const struct elf *elf, uint32_t symbol)
{
	cg_name name = 0, mangled = 0;

	if (symbol > elf->count) {
		(void)cg_reject(r->job,
		    "expected a symbol of its file, of which there are %zu, "
		    "not symbol %u",
		    elf->count, symbol - 1);
		return 0;
	}
	if (symbol > 0)
		name = r->name.at[elf->first + symbol - 1];
	if (name == 0)
		return cg_add_fn(r->build, cg_slice(UNKNOWN), 0, elf->object);
	if (symbol <= elf->count_mangled)
		mangled = r->name.at[elf->first_mangled + symbol - 1];
	return cg_add_fn_symbol(
	    r->build, name, 0, elf->object, mangled == name ? 0 : mangled);
}

static bool
find_fn(struct reader *r, const struct call *call, cg_fn *fn)
{
	uint32_t file = cg_map_get(&r->files, call->file), *known;

	if (file == 0)
		return cg_reject(
		    r->job, "expected a file with id %u", call->file);
	known = cg_map_in(r->job, &r->fns, (uint64_t)file << 32 | call->symbol);
	if (!known)
		return false;
	if (*known == 0)
		*known = add_fn(r, &r->file.at[file - 1], call->symbol);
	*fn = *known;
	return *fn != 0;
}

static bool
push_call(struct reader *r, struct cg_slice message)
{
	struct call *call = cg_push(r->job, &r->call);
	struct proto_field field;

	if (!call)
		return false;
	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		switch (field.number) {
		case CALL_ADDR: call->addr = field.value; break;
		case CALL_FILE: call->file = (uint32_t)field.value; break;
		case CALL_SYMBOL: /* -1: unknown */
			call->symbol = (uint32_t)field.value + 1;
			break;
		case CALL_KIND: r->kinds += field.value != 0; break;
		}
	}
	return true;
}

/*
 * Adds the stack of a sample to the graph, and sets *leaf to its innermost
 * node. r->call has the calls of the stack, the innermost first. If there are
 * none, the stack becomes one unknown function. False: an error (reported).
 */
static bool
add_stack(struct reader *r, cg_node *leaf)
{
	*leaf = 0;
	for (size_t i = r->call.n; i-- > 0;) {
		const struct call *call = &r->call.at[i];
		const struct cg_pos pos = { .addr = call->addr };
		cg_fn fn = 0;

		if (!find_fn(r, call, &fn))
			return false;
		*leaf = cg_add_frame(r->build, *leaf, fn, &pos, false);
	}
	if (*leaf == 0)
		*leaf = cg_add_frame(r->build, 0,
		    cg_add_fn(r->build, cg_slice(UNKNOWN), 0, 0),
		    &(const struct cg_pos){ 0 }, false);
	return true;
}

static void
select_thread(struct reader *r, uint32_t tid)
{
	struct cg_track track = { .tid = tid, .name = "", .unit = "ns" };
	struct cg_sample_key key = { .tid = tid };
	uint32_t index = cg_map_get(&r->threads, tid);

	if (r->begun && r->tid == tid)
		return;
	r->begun = true;
	r->tid = tid;
	if (index != 0) {
		key.pid = track.pid = r->thread.at[index - 1].pid;
		key.comm = cg_get_name(r->build, r->thread.at[index - 1].name);
		track.name = key.comm.ptr;
	}
	cg_set_sample_part(r->build, &key);
	r->timed = cg_begin_timeline(r->build);
	if (r->timed)
		cg_set_track(r->build, &track);
}

/*
 * Sets *column to the column of costs of an event. If the event is new, adds
 * it to the graph. "event" is an index in the file's list of events
 * (meta_info). If the file has no list, 0 stands for an event "samples".
 * Lengthens r->cost, so that it has the column. False: there is no such event,
 * or out of memory (reported).
 */
static bool
find_column(struct reader *r, uint64_t event, size_t *column)
{
	struct cg_event new = { .name = "samples", .unit = "" };
	uint32_t *known;
	struct cg_slice name;

	if (event >= r->event.n && (event > 0 || r->event.n > 0))
		return cg_reject(r->job,
		    "expected one of %zu event types, not event type %llu",
		    r->event.n, (unsigned long long)event);
	known = cg_map_in(r->job, &r->columns, event);
	if (!known)
		return false;
	if (*known == 0) {
		if (r->event.n > 0) {
			name = cg_get_name(r->build, r->event.at[event]);
			new.name = name.ptr;
			if (cg_starts(name, "cpu-clock") ||
			    cg_starts(name, "task-clock"))
				new.unit = "ns";
		}
		*known = cg_add_event(r->build, &new) + 1;
	}
	*column = *known - 1;
	return *column < r->cost.n || cg_resize(r->job, &r->cost, *column + 1);
}

static bool
read_sample(struct reader *r, struct cg_slice message)
{
	struct cg_moment moment = { 0 };
	uint64_t event = 0, count = 0, tid = 0;
	struct proto_field field;
	size_t column = 0;

	r->call.n = 0;
	while (message.len > 0) {
		if (!take(r, &message, &field))
			return false;
		switch (field.number) {
		case SAMPLE_TIME: moment.time = (int64_t)field.value; break;
		case SAMPLE_TID: tid = field.value; break;
		case SAMPLE_COUNT: count = field.value; break;
		case SAMPLE_EVENT: event = field.value; break;
		case SAMPLE_UNWINDING: r->incomplete++; break;
		case SAMPLE_CALL:
			if (field.wire == WIRE_BYTES &&
			    !push_call(r, field.bytes))
				return false;
		}
	}
	select_thread(r, (uint32_t)tid);
	if (!find_column(r, event, &column) || !add_stack(r, &moment.node))
		return false;
	r->cost.at[column] = count;
	moment.cost = r->cost.at;
	moment.n = column + 1;
	cg_add_stack(r->build, moment.node, 1, moment.cost, moment.n);
	if (r->timed)
		cg_add_moment(r->build, &moment);
	r->cost.at[column] = 0;
	r->samples++;
	(void)cg_free_nodes(r->job);
	return cg_build_status(r->build) == CG_OK;
}

static bool
read_samples(struct reader *r)
{
	struct cg_slice rest = r->records, record;
	struct proto_field field;

	while (take_record(r, &rest, &record)) {
		if (!take(r, &record, &field))
			return false;
		if (field.number == SAMPLE && field.wire == WIRE_BYTES &&
		    !read_sample(r, field.bytes))
			return false;
	}
	return cg_rejected(r->job) == CG_OK;
}

/* ---- The file ------------------------------------------------------------ */

static void
report(const struct reader *r)
{
	if (r->samples != r->stated)
		cg_warn(r->job, "the file states %llu samples, but has %llu",
		    (unsigned long long)r->stated,
		    (unsigned long long)r->samples);
	if (r->lost > 0)
		cg_warn(r->job, "simpleperf lost %llu samples while recording",
		    (unsigned long long)r->lost);
	if (r->strange > 0)
		cg_warn(r->job, "records of unknown types are dropped: %llu",
		    (unsigned long long)r->strange);
	if (r->incomplete > 0)
		cg_note(r->job, "stacks whose unwinding failed: %llu",
		    (unsigned long long)r->incomplete);
	if (r->switches > 0)
		cg_note(r->job, "context switches are dropped: %llu",
		    (unsigned long long)r->switches);
	if (r->kinds > 0)
		cg_note(r->job,
		    "execution types (JIT, interpreted) of frames are "
		    "dropped: %llu",
		    (unsigned long long)r->kinds);
}

static bool
read_header(struct reader *r, struct cg_slice file)
{
	unsigned version;

	if (file.len < HEADER_SIZE || !cg_starts(file, MAGIC))
		return cg_reject(r->job, "expected " MAGIC " and a version");
	version = (uint8_t)file.ptr[10] | (unsigned)(uint8_t)file.ptr[11] << 8;
	if (version != VERSION)
		return cg_reject_at(r->job, file.ptr + 10,
		    "expected version %u of simpleperf's reports, not %u",
		    VERSION, version);
	r->records =
	    (struct cg_slice){ file.ptr + HEADER_SIZE, file.len - HEADER_SIZE };
	return true;
}

static int
read_simpleperf(struct cg_job *job, struct cg_in *in, struct cg_build *build)
{
	struct reader r = { .job = job, .build = build };
	struct cg_slice file;

	if (!cg_read_all(in, &file))
		return cg_in_status(in);
	if (!read_header(&r, file) || !read_tables(&r) || !read_samples(&r))
		return cg_rejected(job) != CG_OK ? cg_rejected(job)
						 : cg_build_status(build);
	report(&r);
	return cg_build_status(build);
}

static int
probe(const struct cg_head *head)
{
	return cg_starts(head->text, MAGIC) ? CG_PROBE_SURE : CG_PROBE_NO;
}

const struct cg_module cg_format_simpleperf = {
	CG_MODULE,
	.name = "simpleperf",
	.title = "samples of Android's simpleperf, as protocol buffers",
	.suffixes = "simpleperf.trace",
	.probe = probe,
	.read = read_simpleperf,
};
