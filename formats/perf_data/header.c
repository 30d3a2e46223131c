/*
 * header.c - what a recording tells before its first record: events with the
 * layout of their samples, build-ids, descriptions.
 *
 * Source: Documentation/perf.data-file-format.txt, util/header.c and
 * util/evsel.c of perf 6.1; linux/perf_event.h. A file begins with
 *
 *	magic, size, attr_size, attrs, data, event_types, features
 *
 * where attrs, data and event_types are an offset and a size; the features are
 * bits, and their offsets and sizes follow the data. A pipe has the magic and
 * the size 16, then only records.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"
#include "perf_data.h"

#define MAGIC UINT64_C(0x32454c4946524550) /* PERFILE2 */
#define PIPE_SIZE 16
#define HEADER_SIZE 104
#define FEATURE_BITS 256
#define SECTION_SIZE 16
#define ATTR_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define EVENTS_MAX 65536
#define READ_SIZE 65536

/* The offsets of the header's and of an attr's parts. */
enum {
	H_SIZE = 8,
	H_ATTR_SIZE = 16,
	H_ATTRS = 24,
	H_DATA = 40,
	H_FEATURES = 72
};
enum {
	A_TYPE = 0,
	A_CONFIG = 8,
	A_PERIOD = 16,
	A_SAMPLE_TYPE = 24,
	A_FLAGS = 40,
	A_BRANCHES = 72,
	A_USER_REGS = 80,
	A_STACK = 88
};

/* What a stack is unwound from. */
#define UNWOUND ((uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER))
/* PERF_SAMPLE_BRANCH_HW_INDEX, _COUNTERS: old headers of Linux lack them. */
#define BRANCH_INDEX (UINT64_C(1) << 17)
#define BRANCH_COUNTERS (UINT64_C(1) << 19)

/* Bits of an attr's flags, which begin at the lowest. */
enum {
	EXCLUDE_USER = 4,
	EXCLUDE_KERNEL = 5,
	EXCLUDE_HV = 6,
	FREQ = 10,
	SAMPLE_ID_ALL = 18,
	EXCLUDE_CALLCHAIN_USER = 22
};

#define EM_OTHER UINT16_MAX /* not a machine of ELF */

enum feature {
	BUILD_ID = 2,
	ARCH = 6,
	EVENT_DESC = 12,
	CMDLINE = 11,
	AUXTRACE = 18,
	DIR_FORMAT = 24,
	COMPRESSED = 27
};

static const struct {
	uint64_t bit;
	bool at_end; /* records other than samples have it, too */
} fields[PERF_FIELDS] = {
	[PERF_IDENTIFIER] = { PERF_SAMPLE_IDENTIFIER, false },
	[PERF_IP] = { PERF_SAMPLE_IP, false },
	[PERF_TID] = { PERF_SAMPLE_TID, true },
	[PERF_TIME] = { PERF_SAMPLE_TIME, true },
	[PERF_ADDR] = { PERF_SAMPLE_ADDR, false },
	[PERF_ID] = { PERF_SAMPLE_ID, true },
	[PERF_STREAM] = { PERF_SAMPLE_STREAM_ID, true },
	[PERF_CPU] = { PERF_SAMPLE_CPU, true },
	[PERF_PERIOD] = { PERF_SAMPLE_PERIOD, false },
};

/* The text of these features is a description; keys as perf script --header. */
static const struct {
	uint64_t number;
	const char *key;
} descriptions[] = { { 3, "hostname" }, { 4, "os release" },
	{ 5, "perf version" }, { 6, "arch" }, { 8, "cpudesc" } };

bool
perf_data_refuse(struct perf_file *f, const char *what)
{
	return cg_reject(f->job,
	    "cgconv does not read %s of perf; run: perf script "
	    "-F comm,pid,tid,time,period,event,ip,sym,symoff,dso -i %s | "
	    "cgconv -",
	    what, cg_in_name(f->in));
}

bool
perf_data_is_magic(struct cg_slice head)
{
	return cg_starts(head, "PERFILE2") || cg_starts(head, "2ELIFREP");
}

struct cg_slice
perf_data_text(struct cg_slice bytes)
{
	const char *end = bytes.len ? memchr(bytes.ptr, '\0', bytes.len) : NULL;

	if (end)
		bytes.len = (size_t)(end - bytes.ptr);
	return bytes;
}

/* Takes n bytes off the front of *from as *bytes; false: there are fewer. */
static bool
take(struct cg_slice *from, uint64_t n, struct cg_slice *bytes)
{
	if (n > from->len)
		return false;
	*bytes = (struct cg_slice){ from->ptr, (size_t)n };
	from->ptr += n;
	from->len -= (size_t)n;
	return true;
}

static bool
take_u32(const struct perf_file *f, struct cg_slice *from, uint32_t *value)
{
	struct cg_slice bytes;

	if (!take(from, sizeof(*value), &bytes))
		return false;
	*value = perf_u32(f, bytes.ptr);
	return true;
}

/*
 * Takes a text off the front of *from: its length, then that many bytes. Zeros
 * pad the text; *text is without them. False: truncated (not reported).
 */
static bool
take_text(
    const struct perf_file *f, struct cg_slice *from, struct cg_slice *text)
{
	uint32_t len;

	if (!take_u32(f, from, &len) || !take(from, len, text))
		return false;
	*text = perf_data_text(*text);
	return true;
}

/*
 * Sets *bytes to a section of the file, part of f->head or f->tail. At the
 * pointer "at", the file states the section's offset and size, 8 bytes each.
 * False: the section is not within the bytes that were read.
 */
static bool
get_section(const struct perf_file *f, const char *at, struct cg_slice *bytes)
{
	uint64_t offset = perf_u64(f, at), size = perf_u64(f, at + 8);

	*bytes = f->head;
	if (offset >= f->tail_at && f->tail_at > 0) {
		*bytes = f->tail;
		offset -= f->tail_at;
	}
	if (offset > bytes->len || size > bytes->len - offset)
		return false;
	bytes->ptr += offset;
	bytes->len = (size_t)size;
	return true;
}

/* ---- Events ------------------------------------------------------------- */

/*
 * Returns flag number "bit" of an event's attributes (struct perf_event_attr).
 * Compilers of big-endian machines number the bits of each byte from its
 * highest one.
 */
static bool
get_flag(const struct perf_file *f, struct cg_slice attr, unsigned bit)
{
	unsigned byte = (unsigned char)attr.ptr[A_FLAGS + bit / 8];

	return byte >> (f->big ? 7 - bit % 8 : bit % 8) & 1;
}

/*
 * Formats a name for an event for which the file states none. The name is that
 * of perf for the event's type and configuration, such as "cycles:u". "attr"
 * has the bytes of the event's perf_event_attr. Stores the name in buf, which
 * has "size" bytes.
 */
static void
format_name(
    const struct perf_file *f, struct cg_slice attr, char *buf, size_t size)
{
	static const char *const hardware[] = { "cycles", "instructions",
		"cache-references", "cache-misses", "branches", "branch-misses",
		"bus-cycles", "stalled-cycles-frontend",
		"stalled-cycles-backend", "ref-cycles" };
	static const char *const software[] = { "cpu-clock", "task-clock",
		"page-faults", "context-switches", "cpu-migrations",
		"minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy", "bpf-output", "cgroup-switches" };
	uint32_t type = perf_u32(f, attr.ptr + A_TYPE);
	uint64_t config = perf_u64(f, attr.ptr + A_CONFIG);
	bool user = get_flag(f, attr, EXCLUDE_USER),
	     kernel = get_flag(f, attr, EXCLUDE_KERNEL),
	     hv = get_flag(f, attr, EXCLUDE_HV);
	const char *colon = user || kernel || hv ? ":" : "";
	char number[64];
	const char *name = number;

	if (type == PERF_TYPE_HARDWARE &&
	    config < sizeof(hardware) / sizeof(*hardware))
		name = hardware[config];
	else if (type == PERF_TYPE_SOFTWARE &&
		 config < sizeof(software) / sizeof(*software))
		name = software[config];
	else if (type == PERF_TYPE_RAW)
		snprintf(number, sizeof(number), "raw 0x%" PRIx64, config);
	else
		snprintf(number, sizeof(number), "type %" PRIu32 " 0x%" PRIx64,
		    type, config);
	snprintf(buf, size, "%s%s%s%s%s", name, colon,
	    *colon && !kernel ? "k" : "", *colon && !user ? "u" : "",
	    *colon && !hv ? "h" : "");
}

static void
set_name(struct perf_file *f, struct perf_event *event, struct cg_slice name)
{
	event->name = cg_add_name(f->build, name);
	event->is_clock =
	    cg_starts(name, "cpu-clock") || cg_starts(name, "task-clock");
}

/*
 * Computes at which offsets an event's samples have their fields. sample_type
 * has a bit for each field that they have. Sets event->at to the offsets, and
 * event->fixed to the size up to the first address of the call chain. Sets
 * event->has_raw if samples have raw data, and event->unwinds if they have a
 * call chain and a stack to unwind.
 *
 * The caller sets event->ids_at_end if records other than samples repeat some
 * of these fields at their end. Then sets event->from_end to the distances of
 * these fields from the end of such a record.
 */
static void
lay_out(struct perf_event *event, uint64_t sample_type)
{
	uint32_t at = 8, end = 0;

	for (size_t i = 0; i < PERF_FIELDS; i++) {
		if (!(sample_type & fields[i].bit))
			continue;
		event->at[i] = at;
		at += 8;
	}
	event->fixed = at;
	if (sample_type & PERF_SAMPLE_CALLCHAIN) {
		event->chain = at;
		event->fixed += 8;
		event->unwinds = (sample_type & UNWOUND) == UNWOUND;
	}
	event->has_raw = sample_type & PERF_SAMPLE_RAW;
	if (!event->ids_at_end)
		return;
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		event->from_end[PERF_IDENTIFIER] = end += 8;
	for (size_t i = PERF_FIELDS; i-- > 0;) {
		if (fields[i].at_end && sample_type & fields[i].bit)
			event->from_end[i] = end += 8;
	}
}

/*
 * Sets the sizes of head and entries of an event's branch stacks, and the
 * registers that its samples have. "attr" are the event's attributes, "type"
 * is its sample_type. Attributes of old versions are shorter and state no
 * registers. Then stacks of the event are not unwound.
 */
static void
lay_out_rest(const struct perf_file *f, struct cg_slice attr, uint64_t type,
    struct perf_event *event)
{
	uint64_t branches =
	    attr.len < A_BRANCHES + 8 ? 0 : perf_u64(f, attr.ptr + A_BRANCHES);

	if (type & PERF_SAMPLE_BRANCH_STACK) {
		event->branch_head = branches & BRANCH_INDEX ? 8 : 0;
		event->branch_size = branches & BRANCH_COUNTERS ? 32 : 24;
	}
	if (attr.len >= A_STACK)
		event->user_regs = perf_u64(f, attr.ptr + A_USER_REGS);
	else
		event->unwinds = false;
}

static bool
check_sample_type(struct perf_file *f, struct cg_slice attr, uint64_t type)
{
	const uint64_t partial =
	    type & (UNWOUND | (uint64_t)PERF_SAMPLE_BRANCH_STACK);

	if (partial != 0 && (type & UNWOUND) != UNWOUND &&
	    get_flag(f, attr, EXCLUDE_CALLCHAIN_USER))
		return perf_data_refuse(
		    f, "stacks of branches (--call-graph lbr)");
	if (type & PERF_SAMPLE_READ)
		return perf_data_refuse(f, "samples of groups of counters");
	return true;
}

/*
 * Maps ids, 8 bytes each, to the number of the event that was added last. An
 * id that already has an event keeps it. False: too many ids, or out of memory
 * (reported).
 */
static bool
add_ids(struct perf_file *f, struct cg_slice ids)
{
	struct cg_slice id;
	uint32_t *event;

	/*
	 * Events of a file may share a table of ids; events of a pipe have
	 * their own.
	 */
	f->id_count += ids.len / 8;
	if (!f->pipe && f->id_count > f->head.len / 8)
		return cg_reject(f->job, "expected fewer ids of events");
	while (take(&ids, 8, &id)) {
		event = cg_map_at(&f->ids, perf_u64(f, id.ptr));
		if (!event)
			return cg_reject_nomem(f->job);
		if (*event == 0)
			*event = (uint32_t)f->event.n;
	}
	return true;
}

bool
perf_data_add_attr(
    struct perf_file *f, struct cg_slice attr, struct cg_slice ids)
{
	struct perf_event *event;
	uint64_t type;
	char name[128];

	if (attr.len < ATTR_MIN || f->event.n == EVENTS_MAX)
		return cg_reject(
		    f->job, "expected events of %d bytes or more", ATTR_MIN);
	type = perf_u64(f, attr.ptr + A_SAMPLE_TYPE);
	if (!check_sample_type(f, attr, type))
		return false;
	event = cg_push(f->job, &f->event);
	if (!event)
		return false;
	event->ids_at_end = get_flag(f, attr, SAMPLE_ID_ALL);
	event->period =
	    get_flag(f, attr, FREQ) ? 1 : perf_u64(f, attr.ptr + A_PERIOD);
	lay_out(event, type);
	lay_out_rest(f, attr, type, event);
	format_name(f, attr, name, sizeof(name));
	set_name(f, event, cg_slice(name));
	return add_ids(f, ids);
}

/*
 * Reads a section of the header that names the events in f->event. It lists
 * the events in the same order. Each event has its attributes, its number of
 * ids, its name and its ids. Sets the event's name, unless the name is empty.
 * Ignores events that f->event does not have. False: malformed (the caller
 * warns).
 */
static bool
add_event_names(struct perf_file *f, struct cg_slice bytes)
{
	uint32_t count, attr_size, ids;
	struct cg_slice skipped, name;

	if (!take_u32(f, &bytes, &count) || !take_u32(f, &bytes, &attr_size))
		return false;
	for (size_t i = 0; i < count && i < f->event.n; i++) {
		if (!take(&bytes, attr_size, &skipped) ||
		    !take_u32(f, &bytes, &ids) ||
		    !take_text(f, &bytes, &name) ||
		    !take(&bytes, (uint64_t)ids * 8, &skipped))
			return false;
		if (name.len > 0)
			set_name(f, &f->event.at[i], name);
	}
	return true;
}

/* ---- Features ----------------------------------------------------------- */

cg_name
perf_data_hex(struct perf_file *f, const char *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	char hex[64];
	size_t used = 0;
	bool any = false;

	for (size_t i = 0; i < n && used < sizeof(hex); i++) {
		unsigned byte = (unsigned char)bytes[i];

		any |= byte != 0;
		hex[used++] = digits[byte >> 4];
		hex[used++] = digits[byte & 15];
	}
	return any ? cg_add_name(f->build, (struct cg_slice){ hex, used }) : 0;
}

/*
 * Reads a record with the build-id of a path, and stores it in f->build_ids.
 * It replaces an earlier build-id of that path. A build-id has 20 bytes. But
 * if a flag in the record's header is set, the record states the build-id's
 * size. Ignores a malformed record. Out of memory is reported.
 */
void
perf_data_add_build_id(struct perf_file *f, struct cg_slice record)
{
	enum { ID = 12, ID_SIZE = 32, PATH = 36, ID_BYTES = 20 };
	enum { HAS_SIZE = 1 << 15 };
	size_t size = ID_BYTES;
	struct cg_slice path;
	uint32_t *known;

	if (record.len < PATH)
		return;
	if (perf_u16(f, record.ptr + 4) & HAS_SIZE)
		size = (unsigned char)record.ptr[ID_SIZE];
	if (size > ID_BYTES)
		return;
	path = perf_data_text(
	    (struct cg_slice){ record.ptr + PATH, record.len - PATH });
	known = cg_map_at(&f->build_ids, cg_add_name(f->build, path));
	if (known)
		*known = perf_data_hex(f, record.ptr + ID, size);
	else
		(void)cg_reject_nomem(f->job);
}

static bool
add_build_ids(struct perf_file *f, struct cg_slice bytes)
{
	struct cg_slice record;

	while (bytes.len >= 8) {
		uint16_t size = perf_u16(f, bytes.ptr + 6);

		if (size < 8 || !take(&bytes, size, &record))
			return false;
		perf_data_add_build_id(f, record);
	}
	return bytes.len == 0;
}

/*
 * Adds a description of the command line: its words, with blanks between them,
 * as many as are complete. False: malformed (the caller warns), or out of
 * memory (reported).
 */
static bool
add_cmdline(struct perf_file *f, struct cg_slice bytes)
{
	struct cg_slice word;
	uint32_t count;
	CG_ARRAY(char) text = { 0 };

	if (!take_u32(f, &bytes, &count) ||
	    !cg_reserve(f->job, &text, bytes.len + 1))
		return false;
	/* Each word has 4 bytes before it, so there is room for blanks. */
	while (count-- > 0 && take_text(f, &bytes, &word)) {
		memcpy(text.at + text.n, word.ptr, word.len);
		text.n += word.len;
		text.at[text.n++] = ' ';
	}
	cg_add_desc(f->build, cg_slice("cmdline"),
	    cg_trim((struct cg_slice){ text.at, text.n }));
	cg_drop(f->job, &text);
	return true;
}

static bool
add_description(struct perf_file *f, uint64_t number, struct cg_slice bytes)
{
	struct cg_slice text;

	for (size_t i = 0; i < sizeof(descriptions) / sizeof(*descriptions);
	     i++) {
		if (descriptions[i].number != number)
			continue;
		if (!take_text(f, &bytes, &text))
			return false;
		if (text.len > 0)
			cg_add_desc(
			    f->build, cg_slice(descriptions[i].key), text);
		if (number == ARCH)
			f->machine = cg_equal(text, "x86_64")    ? EM_X86_64
				     : cg_equal(text, "aarch64") ? EM_AARCH64
								 : EM_OTHER;
	}
	return true;
}

/*
 * Reads the feature that states the compression of records: version, kind,
 * level, ratio, size of buffers. A feature that is too short is ignored.
 * False: another kind than zstd (reported).
 */
static bool
check_compression(struct perf_file *f, struct cg_slice bytes)
{
	enum { KIND = 4, ZSTD = 1 };

	if (bytes.len < KIND + 4 || perf_u32(f, bytes.ptr + KIND) == ZSTD)
		return true;
	return perf_data_refuse(f, "compression other than zstd");
}

bool
perf_data_add_feature(
    struct perf_file *f, uint64_t number, struct cg_slice bytes)
{
	bool good;

	switch (number) {
	case COMPRESSED: return check_compression(f, bytes);
	case AUXTRACE:
		return perf_data_refuse(f, "traces of processors (AUX area)");
	case DIR_FORMAT:
		return perf_data_refuse(f, "recordings in directories");
	case BUILD_ID: good = add_build_ids(f, bytes); break;
	case EVENT_DESC: good = add_event_names(f, bytes); break;
	case CMDLINE: good = add_cmdline(f, bytes); break;
	default: good = add_description(f, number, bytes);
	}
	if (!good)
		cg_warn(f->job,
		    "feature %" PRIu64 " of the header is malformed", number);
	return cg_rejected(f->job) == CG_OK;
}

/* ---- The header --------------------------------------------------------- */

static bool
read_attrs(struct perf_file *f)
{
	uint64_t size = perf_u64(f, f->head.ptr + H_ATTR_SIZE);
	struct cg_slice attrs, attr, ids;

	if (!get_section(f, f->head.ptr + H_ATTRS, &attrs) ||
	    size < ATTR_MIN + SECTION_SIZE)
		return cg_reject(f->job, "expected a table of events");
	while (take(&attrs, size, &attr)) {
		attr.len -= SECTION_SIZE;
		if (!get_section(f, attr.ptr + attr.len, &ids))
			return cg_reject(f->job, "expected ids of an event");
		if (!perf_data_add_attr(f, attr, ids))
			return false;
	}
	return f->event.n > 0 || cg_reject(f->job, "expected an event");
}

static bool
read_features(struct perf_file *f, struct cg_slice table)
{
	struct cg_slice entry, bytes;
	bool whole = true;

	for (unsigned i = 0; i < FEATURE_BITS; i++) {
		if (!(f->feature[i / 64] >> i % 64 & 1))
			continue;
		if (take(&table, SECTION_SIZE, &entry) &&
		    get_section(f, entry.ptr, &bytes)) {
			if (!perf_data_add_feature(f, i, bytes))
				return false;
		} else {
			whole = false;
		}
	}
	if (!whole)
		cg_warn(f->job, "parts of the header are missing: the file is "
				"truncated");
	return true;
}

/*
 * Reads n bytes of an input and ignores them. False: the input has fewer than
 * n.
 */
static bool
pass_bytes(struct cg_in *in, uint64_t n)
{
	struct cg_slice bytes;
	uint64_t step;

	for (; n > 0; n -= step) {
		step = n < READ_SIZE ? n : READ_SIZE;
		if (!cg_read_bytes(in, step, &bytes))
			return false;
	}
	return true;
}

/*
 * Skips n bytes of records, or up to the end of the file. "in" is the file of
 * the recording, opened a second time to read the tables behind the records.
 * Returns true also if the file ends early. False: a malformed record, at
 * which reading stops.
 */
static bool
pass_records(const struct perf_file *f, struct cg_in *in, uint64_t n)
{
	struct cg_slice bytes;
	uint64_t size = 0;

	for (; n >= PERF_RECORD_HEADER; n -= size) {
		if (!cg_look_bytes(in, PERF_RECORD_HEADER, &bytes))
			return true;
		size = perf_record_size(f, bytes.ptr);
		if (size < PERF_RECORD_HEADER)
			return false;
		if (size > n || !cg_read_bytes(in, size, &bytes))
			break;
	}
	(void)pass_bytes(in, n);
	return true;
}

/*
 * Checks the records between the offsets "at" and "end" (excluded), like
 * pass_records(), but for an input that cannot be opened twice. Reads the
 * whole input into f->head without consuming it. False: a record is malformed;
 * f->head then need not be whole.
 */
static bool
look_at_records(struct perf_file *f, uint64_t at, uint64_t end)
{
	uint64_t size;

	for (; at < end && end - at >= PERF_RECORD_HEADER; at += size) {
		if (f->head.len < at + PERF_RECORD_HEADER &&
		    !cg_look_bytes(f->in, at + READ_SIZE, &f->head) &&
		    f->head.len < at + PERF_RECORD_HEADER)
			return true;
		size = perf_record_size(f, f->head.ptr + at);
		if (size < PERF_RECORD_HEADER)
			return false;
	}
	(void)cg_look_bytes(f->in, UINT64_MAX, &f->head);
	return true;
}

/*
 * Reads the tables after the records into f->tail. "in" is at the tables'
 * offset, f->tail_at. Reads up to the end of the last feature, as data after
 * it may be large.
 */
static void
look_at_tail(struct perf_file *f, struct cg_in *in)
{
	uint64_t entries = 0, most, end;

	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		entries += (uint64_t)__builtin_popcountll(f->feature[i]);
	(void)cg_look_bytes(in, entries * SECTION_SIZE, &f->tail);
	most = f->tail.len;
	for (size_t at = 0; at + SECTION_SIZE <= f->tail.len;
	     at += SECTION_SIZE) {
		end = perf_u64(f, f->tail.ptr + at);
		end -= end < f->tail_at ? end : f->tail_at;
		end += perf_u64(f, f->tail.ptr + at + 8);
		most = most > end ? most : end;
	}
	(void)cg_look_bytes(in, most, &f->tail);
}

/*
 * Finds the tables behind the records, as they are needed before the records.
 * The records are at the offsets from "begin" to "end" (excluded). Opens the
 * file of the recording a second time, and sets f->tail. Returns the open
 * file; the caller closes it. If the input cannot be opened again, keeps all
 * its bytes in f->head, and returns NULL. *whole becomes false if the records
 * have to be read to find the tables, and one is malformed. The tables are
 * then not read. The reader rejects the record later.
 */
static struct cg_in *
open_tail(struct perf_file *f, uint64_t begin, uint64_t end, bool *whole)
{
	const char *path = cg_in_name(f->in);
	struct cg_in *in = NULL;

	if (!cg_companion_exists(f->job, path) ||
	    !cg_open_companion(f->job, path, &in) || !in) {
		*whole = look_at_records(f, begin, end);
		return NULL;
	}
	*whole = cg_seek_ahead(in, end) ||
		 (pass_bytes(in, begin) && pass_records(f, in, end - begin));
	f->tail_at = end;
	if (*whole)
		look_at_tail(f, in);
	return in;
}

/*
 * Reads the features: build-ids, names of events and others. The table of
 * their offsets and sizes follows the records. The records are at the offsets
 * from "begin" to "end" (excluded). Clears f->head and f->tail, which are not
 * valid after this. False: an error (reported).
 */
static bool
read_tail(struct perf_file *f, uint64_t begin, uint64_t end)
{
	bool whole, good;
	struct cg_in *in = open_tail(f, begin, end, &whole);
	struct cg_slice table = f->tail;

	if (!in) {
		table = f->head;
		table.ptr += end < table.len ? end : table.len;
		table.len -= end < table.len ? (size_t)end : table.len;
	}
	good = cg_in_status(in ? in : f->in) == CG_OK &&
	       (!whole || read_features(f, table));
	if (in)
		cg_close_companion(f->job, in);
	f->head = f->tail = (struct cg_slice){ "", 0 };
	return good && cg_in_status(f->in) == CG_OK;
}

static bool
read_tables(struct perf_file *f)
{
	uint64_t offset = perf_u64(f, f->head.ptr + H_DATA);
	uint64_t size = perf_u64(f, f->head.ptr + H_DATA + 8);
	struct cg_slice skipped;

	if (!cg_look_bytes(f->in, offset, &f->head))
		return cg_in_status(f->in) == CG_OK &&
		       cg_reject(f->job, "expected records: the file is "
					 "truncated");
	for (size_t i = 0; i < FEATURE_BITS / 64; i++)
		f->feature[i] = perf_u64(f, f->head.ptr + H_FEATURES + 8 * i);
	if (!read_attrs(f))
		return false;
	/* perf states the size when it ends. */
	f->left = size > 0 ? size : UINT64_MAX;
	if (size == 0)
		cg_warn(f->job, "perf record was killed: names of events and "
				"build-ids are missing");
	else if (offset > UINT64_MAX - size ||
		 !read_tail(f, offset, offset + size))
		return cg_reject(f->job, "expected a size of the records");
	return cg_read_bytes(f->in, offset, &skipped);
}

bool
perf_data_open(struct perf_file *f)
{
	uint64_t magic, size;

	if (!cg_look_bytes(f->in, PIPE_SIZE, &f->head) ||
	    !perf_data_is_magic(f->head))
		return cg_reject(f->job, "expected a header of perf.data");
	f->big = *f->head.ptr == '2';
	memcpy(&magic, f->head.ptr, sizeof(magic));
	f->swap = magic != MAGIC;
	size = perf_u64(f, f->head.ptr + H_SIZE);
	f->pipe = size == PIPE_SIZE;
	f->left = UINT64_MAX;
	if (f->pipe)
		return cg_read_bytes(f->in, PIPE_SIZE, &f->head);
	if (size < HEADER_SIZE || !cg_look_bytes(f->in, HEADER_SIZE, &f->head))
		return cg_reject(
		    f->job, "expected a header of %d bytes", HEADER_SIZE);
	return read_tables(f);
}

void
perf_data_close(struct perf_file *f)
{
	cg_map_free(&f->ids);
	cg_map_free(&f->build_ids);
}
