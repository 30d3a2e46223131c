/*
 * perf_data.h - recordings of Linux's perf.
 *
 * The way of the data:
 *
 *	perf_data.c  the format: documentation, probe, options
 *	header.c     the header: events and their ids, build-ids, descriptions
 *	queue.c      the order of records: by time, within rounds
 *	read.c       records -> threads, mappings, samples
 *	threads.c    threads with their names, processes with their mappings
 *	kallsyms.c   symbols of the kernel, of a file
 *	jit.c        symbols of code that a process made
 *	places.c     addresses of a process -> functions of the graph
 *	unwind.c     registers and a copy of the stack -> call chains
 *	samples.c    samples -> stacks of the graph
 *	deferred.c   samples whose user stack a later record has
 */
#ifndef FORMATS_PERF_DATA_PERF_DATA_H
#define FORMATS_PERF_DATA_PERF_DATA_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

/* perf's names for an unknown function or object, and for the kernel. */
#define PERF_UNKNOWN "[unknown]"
#define PERF_KERNEL "[kernel.kallsyms]"

/* ---- header.c: what is known before the first record -------------------- */

/* Fields of 8 bytes in samples and other records, in the order of samples. */
enum perf_field {
	PERF_IDENTIFIER, PERF_IP, PERF_TID, PERF_TIME, PERF_ADDR, PERF_ID,
	PERF_STREAM, PERF_CPU, PERF_PERIOD
};
#define PERF_FIELDS 9

struct perf_event {
	cg_name name;    /* as perf prints it */
	uint64_t period; /* of samples that do not state one */
	bool is_clock;   /* periods are in ns */
	bool ids_at_end; /* records other than samples state time and id */
	/* Offsets of fields in a sample; 0: absent. */
	uint32_t at[PERF_FIELDS];
	uint32_t chain;  /* of the call chain; 0: absent */
	uint32_t fixed;  /* bytes before the first part of varying size */
	/* The same for other records, counted from their ends. */
	uint32_t from_end[PERF_FIELDS];
	/* What follows the call chain: see unwind.c. */
	bool unwinds;         /* samples have registers and the stack */
	bool has_raw;
	uint32_t branch_head; /* bytes of a stack of branches after its count, */
	uint32_t branch_size; /* and of each branch; 0: there is none */
	uint64_t user_regs;   /* bits: the registers */
	bool added;      /* the graph has it, as */
	unsigned column;
};

struct perf_file {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_slice head;  /* the bytes before the records, or all */
	struct cg_slice tail;  /* bytes after the records, which begin at */
	uint64_t tail_at;
	uint64_t feature[4];   /* bits: the features that the tail has */
	uint64_t left;         /* bytes of records that were not read yet */
	uint64_t taken;        /* bytes that were read */
	bool swap; /* its byte order is not this machine's */
	bool big;  /* its byte order is big endian */
	bool pipe; /* events and features are records */
	unsigned machine; /* EM_...; EM_NONE: unknown */
	CG_ARRAY(struct perf_event) event;
	struct cg_map ids; /* to the number of an event, from 1 */
	size_t id_count;
	struct cg_map build_ids; /* cg_name of a path to that of hex digits */
};

static inline uint16_t
perf_u16(const struct perf_file *f, const char *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return f->swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t
perf_u32(const struct perf_file *f, const char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return f->swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t
perf_u64(const struct perf_file *f, const char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return f->swap ? __builtin_bswap64(value) : value;
}

#define PERF_RECORD_HEADER 8 /* type, misc, size */
static inline uint16_t
perf_record_size(const struct perf_file *f, const char *record)
{
	return perf_u16(f, record + 6);
}

bool perf_data_is_magic(struct cg_slice head);
/*
 * Reads the header, and all tables of a file; records are next. False: an
 * error (reported).
 */
bool perf_data_open(struct perf_file *);
void perf_data_close(struct perf_file *);
/*
 * For records of a pipe: adds an attr with its ids, or a feature. False: an
 * error (reported).
 */
bool perf_data_add_attr(
    struct perf_file *, struct cg_slice attr, struct cg_slice ids);
bool perf_data_add_feature(
    struct perf_file *, uint64_t number, struct cg_slice);
/* Adds build-ids by path, from the records of the feature, or of a pipe. */
void perf_data_add_build_id(struct perf_file *, struct cg_slice record);
/*
 * Reports data that this reader does not read, and the command that does.
 * Returns false.
 */
bool perf_data_refuse(struct perf_file *, const char *what);
/* Returns the text up to a NUL or the end. */
struct cg_slice perf_data_text(struct cg_slice);
/* Returns a build-id as hex digits; 0: it has only zeros. */
cg_name perf_data_hex(struct perf_file *, const char *bytes, size_t n);

/* ---- queue.c: records in the order of their times ----------------------- */

struct perf_queued {
	uint64_t time;
	size_t at;    /* offset of the record in its buffer */
	unsigned odd; /* the buffer */
};
struct perf_queue {
	struct cg_job *job;
	CG_ARRAY(struct perf_queued) item, room;
	/* Copies of the records of this round and of the one before. */
	CG_ARRAY(char) bytes[2];
	unsigned odd;    /* the buffer of this round */
	uint64_t latest; /* the latest time so far */
	uint64_t limit;  /* records up to this time are complete */
};
/* Functions of queues return false when out of memory (reported). */
bool perf_queue_add(struct perf_queue *, uint64_t time, struct cg_slice);
/* Sorts by time; records with one time stay in their order. */
bool perf_queue_sort(struct perf_queue *);
/* Returns the bytes of a queued record, which begin with its size. */
const char *perf_queue_record(
    const struct perf_queue *, const struct perf_queued *);
/* Removes the first n of the records. */
void perf_queue_drop(struct perf_queue *, size_t n);
/* Begins a round, when the records up to the limit are removed. */
void perf_queue_begin_round(struct perf_queue *);

/* ---- threads.c: threads and mappings ------------------------------------ */

struct perf_map {
	uint64_t start, end; /* [start, end) of the process */
	uint64_t offset;     /* of start in the file */
	uint32_t object;     /* of places.c */
};
/*
 * The mappings of a process; forks share them until one changes. A version
 * number is never reused; 0 is the kernel's.
 */
struct perf_maps {
	struct perf_map *map; /* by address, without overlaps */
	size_t count, cap;
	size_t users;
	uint32_t version;
};
struct perf_thread {
	uint32_t pid, tid;
	cg_name comm;
};
struct perf_threads {
	struct perf_file *file;
	CG_ARRAY(struct perf_thread) thread;
	CG_ARRAY(struct perf_maps *) process;
	struct cg_map by_tid, by_pid; /* to indexes, from 1 */
	struct perf_thread *last; /* the last one returned */
	uint32_t versions;
	uint64_t changes; /* counts changes of mappings */
	uint64_t total;   /* mappings of all processes */
};
#define PERF_KERNEL_PID UINT32_MAX
bool perf_threads_open(struct perf_threads *, struct perf_file *);
void perf_threads_close(struct perf_threads *);
/*
 * Finds or adds a thread. Valid until the next call; NULL: out of memory
 * (reported).
 */
struct perf_thread *perf_threads_get(
    struct perf_threads *, uint32_t pid, uint32_t tid);
bool perf_threads_fork(struct perf_threads *, uint32_t pid, uint32_t tid,
    uint32_t parent_pid, uint32_t parent_tid);
bool perf_threads_map(
    struct perf_threads *, uint32_t pid, const struct perf_map *);
/* Returns the mappings of a process; NULL: none. */
const struct perf_maps *perf_threads_maps(struct perf_threads *, uint32_t pid);
const struct perf_map *perf_maps_find(const struct perf_maps *, uint64_t addr);

/* ---- kallsyms.c --------------------------------------------------------- */

struct perf_kallsym {
	uint64_t addr;
	struct cg_slice name;
	struct cg_slice module; /* "[xfs]"; empty: the kernel itself */
	bool global;
};
struct perf_kallsyms {
	CG_ARRAY(struct perf_kallsym) symbol;
};
/*
 * Reads symbols of the kernel. If the user asked for them, a missing file is
 * an error, and one without addresses is warned about. False: an error
 * (reported).
 */
bool perf_kallsyms_open(struct perf_kallsyms *, struct cg_job *,
    const char *path, bool asked);
/*
 * Reads those of the running kernel if it has this build-id and they are
 * readable; else there are none. False: out of memory (reported).
 */
bool perf_kallsyms_open_own(
    struct perf_kallsyms *, struct perf_file *, cg_name build_id);
const struct perf_kallsym *perf_kallsyms_find(
    const struct perf_kallsyms *, uint64_t addr);

/* ---- jit.c --------------------------------------------------------------- */

struct perf_jit_symbol {
	uint64_t start, size;
	size_t order; /* of the file */
	struct cg_slice name;
};
struct perf_jit {
	CG_ARRAY(struct perf_jit_symbol) symbol;
	bool swap; /* of a dump: its byte order is not this machine's */
};
/* True for the name that perf gives memory without a file: perf-PID.map. */
bool perf_jit_is_map(struct cg_slice object);
/*
 * Reads the symbols of that process, if a file has them. False: out of memory
 * (reported).
 */
bool perf_jit_open(
    struct perf_jit *, struct perf_file *, struct cg_slice object);
/* Returns the symbol of the code at an address; NULL: none is known. */
const struct perf_jit_symbol *perf_jit_find(
    const struct perf_jit *, uint64_t addr);

/* ---- places.c: addresses to functions ----------------------------------- */

/* A function's frame, and those inlined into it, outermost first. */
struct perf_place {
	uint32_t first, count; /* of places->frame */
};
struct perf_frame {
	cg_fn fn;
	struct cg_pos pos;
	bool inlined;
};
struct perf_object {
	cg_name path, build_id;
	uint32_t mapping;     /* of the space; 0: not asked for yet */
	struct perf_jit *jit; /* NULL: it is a file, or not asked for yet */
	struct cg_map places; /* of addresses, from 1 */
};
struct perf_places {
	struct perf_file *file;
	struct cg_space *space;
	struct perf_kallsyms kallsyms;
	cg_name kernel_id;    /* of the recorded kernel; 0: unknown, or no more
				 symbols of this machine are to be read */
	uint64_t kernel_addr; /* of its first symbol */
	bool kernel_asked;    /* its symbols were looked for */
	bool addresses;       /* --addresses */
	uint64_t nameless; /* addresses of the kernel without names */
	CG_ARRAY(struct perf_object) object;
	struct cg_map by_name; /* path and build-id to an index, from 1 */
	CG_ARRAY(struct perf_frame) frame;
	CG_ARRAY(struct perf_place) place;
};
bool perf_places_open(struct perf_places *, struct perf_file *);
void perf_places_close(struct perf_places *);
/* Returns the number of an object; 0: out of memory (reported). */
uint32_t perf_places_object(
    struct perf_places *, struct cg_slice path, cg_name build_id);
/*
 * addr: the kernel's first symbol in the recording. If --kallsyms differs,
 * warns and drops its symbols. Without the option, those with this build-id (0:
 * unknown) in the cache of perf or of the kernel that runs are read when one is
 * needed.
 */
void perf_places_check_kernel(
    struct perf_places *, uint64_t addr, cg_name build_id);
struct perf_place_key {
	const struct perf_maps *maps; /* of the process; NULL: unknown */
	bool kernel; /* kernel's, with process PERF_KERNEL_PID */
	bool call;   /* the address is a return address */
	uint64_t ip;
};
/* Finds the functions at an address. NULL: out of memory (reported). */
const struct perf_place *perf_places_find(
    struct perf_places *, const struct perf_place_key *);

/*
 * Returns the rules by which the caller of a frame is found, from the object
 * that is mapped at its address. NULL: see cg_space_rules().
 */
const struct cg_frame_rules *perf_places_rules(
    struct perf_places *, const struct perf_maps *, uint64_t ip);

/* ---- unwind.c ----------------------------------------------------------- */

struct perf_unwinding {
	struct perf_places *places;
	struct perf_known_rules *known; /* by address; NULL: not needed yet */
	CG_ARRAY(uint64_t) ip; /* of the last sample; leaf first */
	uint64_t stacks;       /* of all samples, */
	uint64_t cut;     /* those that are longer than their copy */
	uint64_t unknown; /* those that end where a caller is not known */
	uint64_t foreign; /* those of other machines, which stay as they are */
};
/*
 * Unwinds the user stack of a sample, whose rest after the call chain is given.
 * It may be empty. False: it is malformed, or out of memory (reported).
 */
bool perf_unwind(struct perf_unwinding *, const struct perf_maps *,
    const struct perf_event *, struct cg_slice rest);

/* ---- samples.c ---------------------------------------------------------- */

struct perf_step {
	uint64_t ip;
	uint32_t version; /* of the mappings, with flags of samples.c */
	cg_node node;
};
struct perf_stack {
	CG_ARRAY(struct perf_step) step; /* leaf first */
};
/* The mappings to which an address belongs. */
struct perf_side {
	const struct perf_maps *maps; /* NULL: there are none */
	uint32_t version;
	bool kernel;
};
struct perf_samples {
	struct perf_file *file;
	struct perf_threads *threads;
	struct perf_places *places;
	struct perf_unwinding unwinding;
	struct perf_stack now, last;
	struct perf_known_node *known;
	bool begun; /* the part */
	bool timed; /* the target can represent times */
	uint32_t pid, tid; /* of the last sample, */
	cg_name comm;      /* the name of that thread */
	struct perf_side side[2]; /* of the process, of the kernel */
	uint32_t side_pid;
	uint64_t changes;         /* changes of mappings when they were set */
	uint64_t cost[CG_EVENT_MAX]; /* all 0 between samples */
	uint64_t count;
	uint64_t contexts; /* unknown markers in call chains, */
	uint64_t context;  /* and the first one */
};
bool perf_samples_open(struct perf_samples *, struct perf_file *,
    struct perf_threads *, struct perf_places *);
/*
 * Adds a sample from a whole record. stack: the addresses of the user stack in
 * a later record; or NULL. False: an error (reported).
 */
bool perf_samples_add(struct perf_samples *, struct perf_event *,
    struct cg_slice record, const struct cg_slice *stack);
/* True if a later record with this cookie has the user stack. */
bool perf_samples_cookie(const struct perf_samples *, const struct perf_event *,
    struct cg_slice record, uint64_t *cookie);
uint32_t perf_samples_tid(const struct perf_samples *,
    const struct perf_event *, struct cg_slice record);

/* ---- deferred.c --------------------------------------------------------- */

struct perf_waiting_thread {
	struct perf_waiting *first, *last;
};
struct perf_deferred {
	struct perf_samples *samples;
	CG_ARRAY(struct perf_waiting_thread) thread;
	struct cg_map by_tid; /* to an index, from 1 */
	size_t bytes;         /* of all waiting samples */
	uint64_t unmatched;   /* samples without a matching record */
};
/*
 * Adds a waiting sample. If there are too many, adds all of them to the graph
 * without their user stacks. False: an error (reported).
 */
bool perf_deferred_add(struct perf_deferred *, const struct perf_event *,
    uint64_t cookie, struct cg_slice record);
/*
 * Handles a thread's record of a deferred stack: adds its waiting samples,
 * those with the cookie with the stack. False: an error (reported).
 */
bool perf_deferred_match(struct perf_deferred *, uint32_t tid, uint64_t cookie,
    struct cg_slice stack);
/*
 * No more records follow: adds the waiting samples. False: an error
 * (reported).
 */
bool perf_deferred_end(struct perf_deferred *);
void perf_deferred_close(struct perf_deferred *);

/* ---- read.c ------------------------------------------------------------- */

int perf_data_read(struct cg_job *, struct cg_in *, struct cg_build *);

#endif
