/*
 * perfetto.h - traces of Perfetto: field numbers, and the state of the reader.
 *
 * Source: protos/perfetto/trace/ of github.com/google/perfetto at commit
 * ec5d16b14b74 of 22 August 2026 (after v58.2), and src/trace_processor there
 * for what the comments leave open.
 *
 *	Trace        1 TracePacket ...
 *	TracePacket  8 timestamp, 10 sequence, 12 InternedData, 59 defaults; and
 *	             one of some hundred messages, such as 11 TrackEvent
 *
 * Packets of a sequence (a thread of the traced program, mostly) come in the
 * order in which they were written, sequences in pieces. A sequence has tables
 * of texts, frames and call stacks, to which its packets refer by numbers
 * (iid); it drops them where its incremental state is cleared.
 *
 * The way of the data, reading: packets.c takes packets and keeps the state of
 * the sequences; clocks.c converts their times. interned.c fills the tables.
 * events.c has events of tracks, which begin and end calls (spans/); samples
 * come from profilers.c (perf, Chrome, others) and heap.c. tracks.c has the
 * names of threads and processes. All of it is added to the graph at the end
 * (sums.c, stacks.c), since names and symbols may follow. report.c says what
 * was dropped; fields.c takes fields for all.
 *
 * Writing (write.h): write.c goes through tracks and stacks, put.c puts what
 * they need into tables and packets.
 */
#ifndef FORMATS_PERFETTO_PERFETTO_H
#define FORMATS_PERFETTO_PERFETTO_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "proto/proto.h"
#include "spans/spans.h"

/* ---- Fields ------------------------------------------------------------- */

enum { TRACE_PACKET = 1 };
enum perfetto_packet_field {
	PACKET_FTRACE = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_UID = 3,
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CONFIG = 33,
	PACKET_STATS = 35,
	PACKET_MARKER = 36,
	PACKET_HEAP = 37,
	PACKET_CLEARED = 41,
	PACKET_DROPPED = 42,
	PACKET_PROCESS = 43,
	PACKET_THREAD = 44,
	PACKET_SYSTEM_INFO = 45,
	PACKET_DEFLATED = 50,
	PACKET_STREAMING = 54,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_SYMBOLS = 61,
	PACKET_PERF = 66,
	PACKET_SERVICE = 69,
	PACKET_DESCRIPTOR = 72,
	PACKET_PID = 79,
	PACKET_FIRST = 87,
	PACKET_UUID = 89,
	PACKET_MACHINE = 98,
	PACKET_PROVENANCE = 124,
	PACKET_ZSTD = 133,
	PACKET_STACK_SAMPLE = 135
};
#define FLAG_CLEARED 1u /* of PACKET_FLAGS */
#define FLAG_NEEDS 2u

enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY };
enum { CLOCK_ID = 1, CLOCK_TIMESTAMP, CLOCK_INCREMENTAL, CLOCK_UNIT };
enum { CLOCK_MONOTONIC_ID = 3, CLOCK_BOOTTIME_ID = 6 };

enum { INTERNED_IID = 1, INTERNED_TEXT };
enum {
	INTERNED_EVENTS = 2,
	INTERNED_FUNCTIONS = 5,
	INTERNED_FRAMES = 6,
	INTERNED_STACKS = 7,
	INTERNED_BUILD_IDS = 16,
	INTERNED_PATHS = 17,
	INTERNED_SOURCES = 18,
	INTERNED_MAPPINGS = 19,
	INTERNED_TASKS = 48,
	INTERNED_PLACES = 49,
	INTERNED_COUNTERS = 50
};
enum {
	OUT_MAPPING_BUILD_ID = 2,
	OUT_MAPPING_BIAS = 6,
	OUT_MAPPING_PATH = 7
};
enum {
	FRAME_FUNCTION = 2,
	FRAME_MAPPING,
	FRAME_PC,
	FRAME_SOURCE,
	FRAME_LINE,
	FRAME_KIND,
	FRAME_KIND_TEXT
};
#define KIND_INLINED "inlined" /* our own word for a kind of frame */
/* The kernel's path in the mappings of a trace, and as object of the graph. */
#define KERNEL_PATH "kernel"
#define KERNEL_OBJECT "[kernel]"
enum { STACK_FRAMES = 2 };

enum {
	DEFAULTS_EVENT = 11,
	DEFAULTS_PERF = 12,
	DEFAULTS_CLOCK = 58,
	DEFAULTS_STACK_SAMPLE = 100
};
enum {
	EVENT_LEGACY = 6,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
	EVENT_STACK = 55,
	EVENT_STACK_IID = 56,
	EVENT_DELTA = 1,
	EVENT_ABSOLUTE = 16
};
enum { TYPE_BEGIN = 1, TYPE_END, TYPE_INSTANT, TYPE_COUNTER, TYPE_STATE };
enum {
	LEGACY_NAME_IID = 1,
	LEGACY_PHASE = 2,
	LEGACY_DURATION = 3,
	LEGACY_PID = 18,
	LEGACY_TID = 19
};
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_STATIC_NAME = 10,
	TRACK_ATRACE_NAME = 13
};
enum { PROCESS_PID = 1, PROCESS_CMDLINE = 2, PROCESS_NAME = 6 };
enum {
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	THREAD_REFERENCE = 6
};
enum { TREE_PROCESS = 1, TREE_THREAD };
enum { TREE_PID = 1, TREE_CMDLINE = 3 };
enum { TREE_TID = 1, TREE_THREAD_NAME, TREE_TGID };

enum {
	PERF_CPU = 1,
	PERF_PID,
	PERF_TID,
	PERF_STACK,
	PERF_MODE,
	PERF_COUNT,
	PERF_FOLLOWERS,
	PERF_LOST = 17,
	PERF_SKIPPED = 18,
	PERF_PRODUCER = 19
};
enum { PERF_DEFAULTS_TIMEBASE = 1, PERF_DEFAULTS_FOLLOWER = 4 };
enum { STREAMING_STACK = 1, STREAMING_DELTA, STREAMING_PRIORITY };
enum {
	SAMPLE_TASK = 1,
	SAMPLE_TASK_IID,
	SAMPLE_PLACE,
	SAMPLE_PLACE_IID,
	SAMPLE_INLINE_STACK,
	SAMPLE_STACK_IID,
	SAMPLE_PRIMARY = 9,
	SAMPLE_PRIMARY_IID,
	SAMPLE_WEIGHT,
	SAMPLE_FOLLOWER,
	SAMPLE_FOLLOWER_IIDS,
	SAMPLE_FOLLOWER_WEIGHTS
};
enum { SAMPLE_DEFAULTS_SOURCE = 1, SAMPLE_DEFAULTS_PRIMARY,
	SAMPLE_DEFAULTS_FOLLOWER };
enum { TASK_PID = 2, TASK_TID, TASK_ASYNC };
enum { PLACE_CPU = 2, PLACE_MODE };
enum {
	COUNTER_NAME = 2,
	COUNTER_UNIT,
	COUNTER_UNIT_TEXT,
	COUNTER_MULTIPLIER,
	COUNTER_DESCRIPTION
};
enum { INLINE_FRAME = 1 };
enum { INLINE_FUNCTION = 1, INLINE_FILE, INLINE_LINE };

enum {
	HEAP_STRING = 1,
	HEAP_FRAME,
	HEAP_STACK,
	HEAP_MAPPING,
	HEAP_DUMP,
	HEAP_CONTINUED
};
enum {
	DUMP_PID = 1,
	DUMP_SAMPLE = 2,
	DUMP_REJECTED = 4,
	DUMP_DISCONNECTED = 6,
	DUMP_OVERRAN = 7,
	DUMP_CORRUPTED = 8,
	DUMP_HEAP = 11,
	DUMP_INTERVAL = 13
};
enum {
	HEAP_SAMPLE_STACK = 1,
	HEAP_SAMPLE_ALLOCATED,
	HEAP_SAMPLE_FREED,
	HEAP_SAMPLE_ALLOCS = 5,
	HEAP_SAMPLE_FREES,
	HEAP_SAMPLE_MAX = 8,
	HEAP_SAMPLE_MAX_COUNT
};
enum { SYMBOLS_PATH = 1, SYMBOLS_BUILD_ID, SYMBOLS_ADDRESS };
enum { SYMBOLS_AT = 1, SYMBOLS_LINE };

/* ---- report.c: what is dropped ------------------------------------------ */

enum perfetto_lost {
	LOST_INSTANTS,
	LOST_COUNTERS,
	LOST_STATES,
	LOST_ASYNC,
	LOST_PHASES,
	LOST_EVENT_STACKS,
	LOST_UNTIMED,
	LOST_NO_STACK,
	LOST_NO_TABLES,
	LOST_UNDEFINED,
	LOST_KERNEL,
	LOST_PACKETS,
	LOST_HEAP_ERRORS,
	LOST_CLOCKS,
	LOST_ASYNC_IDS,
	PERFETTO_LOSTS
};
/* Fields of a packet are counted up to this number, others together. */
#define PACKET_FIELDS 200

/* ---- stacks.c: frames and stacks of all sequences ----------------------- */

/* Numbers of keys, from 1: the order in which they came. */
struct perfetto_numbers {
	struct cg_map ids;
	uint32_t count;
};
/* The number of an element is its index + 1; 0 is none. */
struct perfetto_mapping {
	cg_name path, build_id; /* the latter in hex */
	uint64_t bias;
	uint32_t number; /* in the address space, once it is there */
};
struct perfetto_frame {
	cg_name name, source;
	uint32_t line;
	uint32_t mapping; /* its number */
	uint64_t addr;    /* as in the mapping's file */
	bool inlined;
};
struct perfetto_stack {
	uint32_t parent, frame; /* numbers */
	cg_node node;           /* at the end */
	bool used;
};
/* Lines of code at an address; lines of one address are adjacent. */
struct perfetto_symbol {
	cg_name name, source;
	uint32_t line;
	bool last; /* of its address */
};
struct perfetto_stacks {
	CG_ARRAY(struct perfetto_mapping) mapping;
	CG_ARRAY(struct perfetto_frame) frame;
	CG_ARRAY(struct perfetto_stack) stack;
	CG_ARRAY(struct perfetto_symbol) symbol;
	struct perfetto_numbers files, mappings, names, places, named, frames,
	    stacks, wide; /* wide: of 64 bits */
	struct cg_map symbol_ids; /* file << 32 | address -> index + 1 */
	uint64_t expanded; /* bytes of the nodes of inlined frames */
	struct cg_space *space;
};

/* ---- sums.c: costs of stacks by thread ---------------------------------- */

/* A counter: an event of the graph. */
struct perfetto_column {
	cg_name name, unit, description;
	bool same; /* an earlier one has the name, with another unit */
	bool used;
};
struct perfetto_thread {
	uint64_t pid, tid;
	struct cg_numbers moments; /* pair, step, n, n times column and cost */
	int64_t last_moment;
};
/* A thread on a CPU, which samples are kept apart by. */
struct perfetto_place {
	uint32_t thread; /* index */
	uint32_t cpu;    /* + 1; 0: unknown */
};
struct perfetto_cost {
	uint32_t column; /* index + 1; 0: none */
	uint32_t next;   /* number of the pair's next one */
	uint64_t cost;
};
#define PAIR_COSTS 2 /* few samples have more counters */
struct perfetto_pair {
	uint32_t place; /* index */
	uint32_t stack; /* number; 0: none */
	uint32_t rest;  /* number of the first cost that is not in first */
	uint64_t samples;
	struct perfetto_cost first[PAIR_COSTS];
};
#define RECENT 256
struct perfetto_sums {
	CG_ARRAY(struct perfetto_column) column;
	CG_ARRAY(struct perfetto_thread) thread;
	CG_ARRAY(struct perfetto_place) place;
	CG_ARRAY(struct perfetto_pair) pair;
	CG_ARRAY(struct perfetto_cost) cost; /* those in no pair */
	/* Numbers by hash, of threads and places that were looked up. */
	uint32_t recent_thread[RECENT], recent_place[RECENT];
	uint32_t samples; /* the column of numbers of samples + 1 */
	struct perfetto_numbers columns, ids, threads, places, pairs, costs;
	size_t skipped;   /* columns that are not added: 0, or the first */
	bool asked, kept; /* kept: the target has a timeline */
};

/* ---- clocks.c ----------------------------------------------------------- */

/* One time of a clock and the trace's time then, both in ns. */
struct perfetto_point {
	int64_t own, trace;
};
struct perfetto_clock {
	uint64_t unit; /* ns */
	bool incremental;
	int64_t last; /* of an incremental clock: its time, in ns */
	CG_ARRAY(struct perfetto_point) point; /* in the order of own */
};
struct perfetto_clocks {
	CG_ARRAY(struct perfetto_clock) clock;
	struct cg_map ids; /* -> index + 1 */
	uint32_t primary;  /* id of the trace's clock; 0: not stated yet */
};

/* ---- heap.c ------------------------------------------------------------- */

enum { HEAP_ALLOCS, HEAP_ALLOCATED, HEAP_FREES, HEAP_FREED, HEAP_VALUES };
/* Allocations of a stack; dumps have the sums since the profile began. */
struct perfetto_allocs {
	uint64_t pid;
	cg_name heap;
	uint64_t stack_iid;
	uint32_t stack; /* number, once it is looked up */
	uint64_t value[HEAP_VALUES];
};
struct perfetto_heap {
	/* The last values of a heap's stack. */
	CG_ARRAY(struct perfetto_allocs) series;
	struct perfetto_numbers owners, iids, stacks; /* keys of series */
	cg_name name;                                 /* of the first heap */
	uint64_t dumps, heaps; /* heaps: dumps of others */
};

/* ---- packets.c: sequences ----------------------------------------------- */

/* Numbers by iid; most producers count iids from 1. */
struct perfetto_ids {
	CG_ARRAY(uint32_t) dense; /* iids 1, 2, ... */
	struct cg_map sparse;     /* all others */
};
enum perfetto_table {
	IDS_EVENTS, /* names: + 1 */
	IDS_FUNCTIONS,
	IDS_BUILD_IDS,
	IDS_PATHS,
	IDS_SOURCES,
	IDS_MAPPINGS, /* numbers */
	IDS_FRAMES,
	IDS_STACKS, /* + 1, as a stack may have no frame */
	IDS_TASKS,  /* indices of threads + 1 */
	IDS_PLACES, /* CPUs + 2 */
	IDS_COUNTERS, /* indices of columns + 1 */
	PERFETTO_TABLES
};
struct perfetto_tables {
	struct perfetto_ids ids[PERFETTO_TABLES];
	bool one_text; /* all texts are functions: of ProfilePacket */
};

struct perfetto_sequence {
	uint32_t id;
	bool seen, valid; /* valid: the tables are complete */
	/* Of ThreadDescriptor: */
	bool threaded, timed;
	uint64_t pid, tid;
	int64_t now; /* ns of CLOCK_MONOTONIC, after timed deltas */
	/* Defaults: */
	uint32_t clock;
	bool has_track;
	uint64_t track;
	CG_ARRAY(uint32_t) perf; /* columns: of the timebase, then followers */
	/* Of StackSample: columns + 1, 0 is none; primary, then followers. */
	CG_ARRAY(uint32_t) counters;
	/* Tables, NULL until needed: of InternedData, of ProfilePacket. */
	struct perfetto_tables *interned, *heap;
	/* Of ProfilePackets that continue: their stacks may follow. */
	CG_ARRAY(struct perfetto_allocs) pending;
	/* The track of its last event: index of spans + 1. */
	uint64_t last_uuid;
	uint32_t last_track;
};

struct perfetto_packet {
	struct perfetto_sequence *sequence;
	bool timed;
	int64_t time; /* ns, of the trace's clock */
	struct cg_slice data;
};

/* ---- tracks.c ----------------------------------------------------------- */

struct perfetto_track {
	uint64_t uuid, parent;
	cg_name name;
	bool has_pid, has_tid;
	uint64_t pid, tid;
	uint32_t span; /* its index among threads of spans + 1; 0: no events */
};
struct perfetto_tracks {
	CG_ARRAY(struct perfetto_track) track;
	struct cg_map ids;                /* uuid -> index + 1 */
	struct cg_map threads;            /* tid -> name */
	struct cg_map owners; /* dense pid << 32 | tid -> index of spans + 1 */
};

struct perfetto {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(struct perfetto_sequence) sequence;
	struct cg_map sequence_ids; /* -> index + 1 */
	uint32_t last; /* the sequence of the last packet */
	struct perfetto_clocks clocks;
	struct perfetto_stacks stacks;
	struct perfetto_sums sums;
	struct perfetto_tracks tracks;
	struct perfetto_heap heap;
	struct spans spans;
	struct perfetto_numbers counter_owners, counters; /* see profilers.c */
	CG_ARRAY(uint64_t) count;  /* by counter's number: its last value */
	CG_ARRAY(uint64_t) number; /* scratch */
	CG_ARRAY(uint64_t) stack, weight; /* scratch: of a packet */
	CG_ARRAY(uint32_t) column;
	bool calls; /* there are events of calls */
	CG_ARRAY(char) text; /* scratch: a path */
	uint64_t joined;     /* bytes of paths that were joined */
	CG_ARRAY(char) packets; /* decompressed */
	uint64_t inflated;      /* bytes of them by deflate, in all */
	struct cg_unzstd *zstd; /* NULL: no packet needed it yet */
	uint64_t lost[PERFETTO_LOSTS];
	uint64_t skipped[PACKET_FIELDS + 1]; /* packets by field */
};

/*
 * Functions that return bool return false after a failure, which they have
 * reported as cg_reject() does.
 */

/* Takes the next field of a message. */
static inline bool
perfetto_take(
    struct perfetto *r, struct cg_slice *message, struct proto_field *field)
{
	return proto_take_field(message, field) ||
	       cg_reject(r->job, "expected a whole field of a message");
}
/* fields.c */
/* Appends the numbers of a field, packed or not, to r->number. */
bool perfetto_take_numbers(struct perfetto *, const struct proto_field *);
/* Sets the number of a key; a new key gets the next one. */
bool perfetto_number(struct perfetto *, struct perfetto_numbers *, uint64_t key,
    uint32_t *number);

/* report.c */
void perfetto_report(struct perfetto *);

/* stacks.c */
bool perfetto_add_mapping(
    struct perfetto *, const struct perfetto_mapping *, uint32_t *number);
bool perfetto_add_frame(
    struct perfetto *, const struct perfetto_frame *, uint32_t *number);
/*
 * Sets *stack to the number of the stack that has the frame on top of *stack
 * (0: none), added if new.
 */
bool perfetto_add_stack(
    struct perfetto *, uint32_t frame, uint32_t *stack);
bool perfetto_read_symbols(struct perfetto *, struct cg_slice message);
/*
 * Adds the frames of all stacks that are used to the graph, and sets their
 * nodes.
 */
bool perfetto_add_nodes(struct perfetto *);
/* Returns the name whose text is the build-id in hex digits. */
cg_name perfetto_build_id(struct perfetto *, struct cg_slice);

/* sums.c */
bool perfetto_add_column(
    struct perfetto *, const struct perfetto_column *, uint32_t *index);
/* The same for an event that the reader itself names; unit may be "". */
bool perfetto_find_column(
    struct perfetto *, const char *name, const char *unit, uint32_t *index);
/* Sets *index to the column that counts samples. */
bool perfetto_find_samples(struct perfetto *, uint32_t *index);
bool perfetto_find_thread(
    struct perfetto *, uint64_t pid, uint64_t tid, uint32_t *index);
struct perfetto_sample {
	uint32_t thread, cpu, stack;
	bool timed;
	int64_t time;
	uint64_t samples;
	size_t n; /* of columns and costs */
	const uint32_t *column;
	const uint64_t *cost;
};
bool perfetto_add_sample(struct perfetto *, const struct perfetto_sample *);
/* Adds all that was read to the graph. */
bool perfetto_end(struct perfetto *);

/* clocks.c */
bool perfetto_read_clocks(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
/* Converts a time of a clock (0: the trace's) of a packet of the sequence. */
int64_t perfetto_time(struct perfetto *, const struct perfetto_sequence *,
    uint32_t clock, uint64_t time);
/* Converts a time of CLOCK_MONOTONIC, which old packets have. */
int64_t perfetto_monotonic(
    struct perfetto *, const struct perfetto_sequence *, int64_t ns);

/* interned.c */
/*
 * Returns the value of an iid; 0: it is not defined, which is counted unless
 * iid is 0.
 */
uint32_t perfetto_lookup(struct perfetto *, const struct perfetto_tables *,
    enum perfetto_table, uint64_t iid);
/* Empties the tables, which may be NULL. */
void perfetto_clear_tables(struct perfetto_tables *);
bool perfetto_read_interned(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
/* The same for the tables of ProfilePacket, in its own fields. */
bool perfetto_read_heap_tables(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
bool perfetto_read_task(
    struct perfetto *, struct cg_slice message, uint32_t *thread);
bool perfetto_read_place(
    struct perfetto *, struct cg_slice message, uint32_t *cpu);
bool perfetto_read_counter(
    struct perfetto *, struct cg_slice message, uint32_t *column);

/* tracks.c */
bool perfetto_read_track(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
bool perfetto_read_process(struct perfetto *, struct cg_slice message);
bool perfetto_read_thread(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
bool perfetto_read_tree(struct perfetto *, struct cg_slice message);
/*
 * Set *index to the list of calls, in r->spans, of a track, or of a thread
 * without one; added if new.
 */
bool perfetto_find_track(struct perfetto *, uint64_t uuid, uint32_t *index);
bool perfetto_find_owner(
    struct perfetto *, uint64_t pid, uint64_t tid, uint32_t *index);
/*
 * Sets names, processes and threads of the lists of calls in r->spans, at the
 * end, when all are known.
 */
void perfetto_name_tracks(struct perfetto *);
cg_name perfetto_process_name(const struct perfetto *, uint64_t pid);
cg_name perfetto_thread_name(const struct perfetto *, uint64_t tid);

/* events.c */
bool perfetto_read_event(struct perfetto *, const struct perfetto_packet *);

/* profilers.c */
bool perfetto_read_perf(struct perfetto *, const struct perfetto_packet *);
bool perfetto_read_streaming(
    struct perfetto *, const struct perfetto_packet *);
bool perfetto_read_sample(struct perfetto *, const struct perfetto_packet *);
bool perfetto_read_perf_defaults(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);
bool perfetto_read_sample_defaults(
    struct perfetto *, struct perfetto_sequence *, struct cg_slice message);

/* heap.c */
bool perfetto_read_heap(struct perfetto *, const struct perfetto_packet *);
/* Adds the last values of all stacks of heaps to the sums. */
bool perfetto_end_heap(struct perfetto *);

/* packets.c */
int perfetto_read(struct cg_job *, struct cg_in *, struct cg_build *);

/* write.c */
int perfetto_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
