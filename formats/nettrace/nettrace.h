/*
 * nettrace.h - traces of .NET's EventPipe (.nettrace), of dotnet-trace.
 *
 *	nettrace.c  the module
 *	blocks.c    objects of the file, events of a block
 *	threads.c   threads and processes of version 6
 *	universal.c mappings and symbols of any process, of version 6
 *	methods.c   first pass: kinds of events, methods and their addresses
 *	samples.c   second pass: stacks and samples
 *
 * Source: NetTraceFormat_v5.md (versions 4 and 5), NetTraceFormat.md (6),
 * UniversalProviders.md, EventPipeEventSource.cs and
 * SampleProfilerTraceEventParser.cs of PerfView, July 2026; ClrEtwAll.man of
 * the .NET runtime for the fields of methods and modules; one_collect's
 * nettrace.rs, which writes version 6 for dotnet-trace collect-linux.
 */
#ifndef FORMATS_NETTRACE_NETTRACE_H
#define FORMATS_NETTRACE_NETTRACE_H

#include "cgconv_parse.h"

/* A thread of version 6, whose events have its index. */
struct nettrace_thread {
	uint64_t pid, tid;
	cg_name name;
};

struct nettrace_file {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_slice bytes;  /* the whole file: blocks are aligned in it */
	struct cg_slice blocks; /* what follows the first object or block */
	bool sixth; /* version 6 */
	CG_ARRAY(struct nettrace_thread) thread;
	struct cg_map threads; /* index in the file -> index + 1 */
	uint64_t start, frequency; /* ticks, ticks a second */
	unsigned pointer;          /* bytes of an address in stacks */
	uint32_t pid;
	uint32_t interval; /* ns between samples; 0: unknown */
};

/* ---- Blocks -------------------------------------------------------------- */

enum nettrace_block {
	NETTRACE_EVENTS,
	NETTRACE_METADATA,
	NETTRACE_STACKS,
	NETTRACE_SEQUENCE, /* later stacks have other ids */
	NETTRACE_THREADS   /* of version 6 */
};

struct nettrace_event {
	uint32_t metadata, stack; /* ids */
	uint64_t thread, time;    /* id, or index in version 6; ticks */
	struct cg_slice payload;
};

/* A block of events; starts as { .rest = block }. */
struct nettrace_events {
	struct cg_slice rest;
	bool begun, compressed;
	struct nettrace_event last;
};

/* Return little-endian numbers, which need not be aligned. */
uint16_t nettrace_u16(const char *);
uint32_t nettrace_u32(const char *);
uint64_t nettrace_u64(const char *);
/* Takes n bytes off the front; false: fewer are left. */
bool nettrace_cut(struct cg_slice *, uint64_t n, struct cg_slice *);

/* Reads the header and the first object. False: malformed (reported). */
bool nettrace_open(struct nettrace_file *);
/* Gets the next block; false: there is none, or an error (reported). */
bool nettrace_next_block(struct nettrace_file *, struct cg_slice *rest,
    enum nettrace_block *, struct cg_slice *block);
/*
 * Gets the next event of a block; false: there is none, or an error
 * (reported).
 */
bool nettrace_next_event(
    struct nettrace_file *, struct nettrace_events *, struct nettrace_event *);

/* A kind of events: the fields of its metadata that are needed. */
struct nettrace_metadata {
	uint32_t id, event;
	struct cg_slice provider, name; /* UTF-8; UTF-16 and "" before 6 */
};
/*
 * Version 6 has its metadata in rows, not in events. Gets the next row of a
 * block, which starts as { .rest = block }; false: there is none, or an error
 * (reported).
 */
bool nettrace_next_metadata(struct nettrace_file *, struct nettrace_events *,
    struct nettrace_metadata *);
/* Takes a text whose length is a varint. False: malformed (not reported). */
bool nettrace_take_text(struct cg_slice *, struct cg_slice *);

/* ---- Threads ------------------------------------------------------------- */

/* Reads a block of threads. False: malformed (reported). */
bool nettrace_read_threads(struct nettrace_file *, struct cg_slice block);
/* Forgets all threads, if the sequence point says so. */
void nettrace_end_threads(struct nettrace_file *, struct cg_slice block);
/* Returns the thread of an event; zeros: unknown. */
struct nettrace_thread nettrace_thread_of(
    const struct nettrace_file *, uint64_t index);

/* ---- Symbols ------------------------------------------------------------- */

/* Addresses of an owner: a process, or a mapping, by its id. */
struct nettrace_range {
	uint64_t owner, start, end;
};
struct nettrace_mapping {
	struct nettrace_range range; /* of a process */
	uint64_t id;
	cg_object object;
};
struct nettrace_symbol {
	struct nettrace_range range; /* of a mapping */
	struct cg_slice name;
};
/* What processes have mapped, and the symbols of that. */
struct nettrace_universal {
	CG_ARRAY(struct nettrace_mapping) mapping; /* by range */
	CG_ARRAY(struct nettrace_symbol) symbol;   /* by range */
	struct cg_map processes; /* pid -> name */
	CG_ARRAY(cg_fn) fn;      /* by index of a place + 1 */
	struct cg_map addrs, pids, places; /* -> index + 1 */
	uint32_t addr_count, pid_count;
};
/* Read the payloads of events. False: malformed (reported). */
bool nettrace_read_mapping(struct nettrace_file *, struct nettrace_universal *,
    uint64_t pid, struct cg_slice payload);
bool nettrace_read_symbol(
    struct nettrace_file *, struct nettrace_universal *, struct cg_slice);
bool nettrace_read_process(struct nettrace_file *, struct nettrace_universal *,
    uint64_t pid, struct cg_slice payload);
/*
 * Returns the number of a key in the map. A new key gets the next number,
 * ++*count, so numbers begin at 1. 0: out of memory (reported).
 */
uint32_t nettrace_number(
    struct cg_job *, struct cg_map *, uint64_t key, uint32_t *count);
/* Sorts what was read, before nettrace_find_symbol(). */
void nettrace_sort_symbols(struct nettrace_universal *);
/*
 * Sets the function at an address of a process; 0: nothing is mapped there.
 * False: out of memory (reported).
 */
bool nettrace_find_symbol(struct nettrace_file *, struct nettrace_universal *,
    uint64_t pid, uint64_t addr, cg_fn *);

/* ---- Methods ------------------------------------------------------------- */

enum nettrace_kind {
	NETTRACE_OTHER,
	NETTRACE_RUNDOWN, /* what exists at the end of the recording */
	NETTRACE_SAMPLE,
	NETTRACE_METHOD,
	NETTRACE_MODULE,
	NETTRACE_CPU, /* and the next ones: of version 6 */
	NETTRACE_PROCESS,
	NETTRACE_MAPPING,
	NETTRACE_SYMBOL
};

struct nettrace_method {
	uint64_t start, size; /* addresses of its code */
	uint64_t module;      /* id */
	struct cg_slice names; /* UTF-16: namespace, name, signature */
	cg_fn fn;              /* 0: not added yet */
};

struct nettrace_methods {
	struct nettrace_file *file;
	struct cg_map kinds; /* id of metadata -> enum nettrace_kind + 1 */
	CG_ARRAY(struct nettrace_method) method; /* by start */
	struct cg_map modules; /* id -> object */
	struct cg_map fns;     /* address -> function */
	struct nettrace_universal universal;
	CG_ARRAY(char) text;   /* of a name */
	uint64_t others;       /* events of no use here */
};

/*
 * Reads all events but samples: methods, modules and kinds of events. False:
 * an error (reported).
 */
bool nettrace_read_methods(struct nettrace_methods *);
/*
 * Reads kinds of events of version 6 again, whose ids may be used again. False:
 * an error (reported).
 */
bool nettrace_read_kinds(struct nettrace_methods *, struct cg_slice block);
enum nettrace_kind nettrace_kind_of(
    const struct nettrace_methods *, uint32_t metadata);
/*
 * Sets the function whose code has the address in a process; "[unknown]" if no
 * method has. False: out of memory (reported).
 */
bool nettrace_find_fn(
    struct nettrace_methods *, uint64_t pid, uint64_t addr, cg_fn *);
#define NETTRACE_UNKNOWN "[unknown]"

/* ---- Samples ------------------------------------------------------------- */

bool nettrace_read_samples(struct nettrace_methods *);

#endif
