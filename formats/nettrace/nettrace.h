/*
 * nettrace.h - traces of .NET's EventPipe (.nettrace), of dotnet-trace.
 *
 *	nettrace.c  the module
 *	blocks.c    objects of the file, events of a block
 *	methods.c   first pass: kinds of events, methods and their addresses
 *	samples.c   second pass: stacks and samples
 *
 * Source: NetTraceFormat_v5.md (versions 4 and 5), EventPipeEventSource.cs and
 * SampleProfilerTraceEventParser.cs of PerfView, July 2026; ClrEtwAll.man of
 * the .NET runtime for the fields of methods and modules.
 */
#ifndef FORMATS_NETTRACE_NETTRACE_H
#define FORMATS_NETTRACE_NETTRACE_H

#include "cgconv_parse.h"

struct nettrace_file {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_slice bytes;  /* the whole file: blocks are aligned in it */
	struct cg_slice blocks; /* what follows the first object */
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
	NETTRACE_SEQUENCE /* later stacks have other ids */
};

struct nettrace_event {
	uint32_t metadata, stack; /* ids */
	uint64_t thread, time;    /* time in ticks */
	struct cg_slice payload;
};

/* A block of events; starts as { .rest = block }. */
struct nettrace_events {
	struct cg_slice rest;
	bool begun, compressed;
	struct nettrace_event last;
};

/* Return little-endian numbers, which need not be aligned. */
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

/* ---- Methods ------------------------------------------------------------- */

enum nettrace_kind {
	NETTRACE_OTHER,
	NETTRACE_RUNDOWN, /* what exists at the end of the recording */
	NETTRACE_SAMPLE,
	NETTRACE_METHOD,
	NETTRACE_MODULE
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
	CG_ARRAY(char) text;   /* of a name */
	uint64_t others;       /* events of no use here */
};

/*
 * Reads all events but samples: methods, modules and kinds of events. False:
 * an error (reported).
 */
bool nettrace_read_methods(struct nettrace_methods *);
enum nettrace_kind nettrace_kind_of(
    const struct nettrace_methods *, uint32_t metadata);
/*
 * Sets the function whose code has the address; "[unknown]" if no method has.
 * False: out of memory (reported).
 */
bool nettrace_find_fn(struct nettrace_methods *, uint64_t addr, cg_fn *);
#define NETTRACE_UNKNOWN "[unknown]"

/* ---- Samples ------------------------------------------------------------- */

bool nettrace_read_samples(struct nettrace_methods *);

#endif
