/*
 * gperftools.h - the profiles that pprof calls legacy: addresses of stacks with
 * counts, of gperftools, of Go (debug=1) and of Google's Java agent.
 *
 * The way of the data:
 *
 *	gperftools.c  which kind it is, by the first line or words
 *	cpu.c         records of words
 *	text.c        lines: comments, samples, mappings; of samples:
 *	  heap.c        memory by allocation, growth of the heap
 *	  jemalloc.c    memory by stack and thread
 *	  contention.c  waiting for locks
 *	  counts.c      goroutines, threads that were created, ...
 *	  threads.c     stacks of threads
 *	  java.c        heap and contention of Java, and its table of functions
 *	samples.c     stacks and their costs, merged, until the end of the file
 *	names.c       functions that the text itself names, by address
 *	mappings.c    what is mapped where, at the end of the file
 *	graph.c       stacks of addresses to stacks of functions
 *
 * Source: profile/legacy_profile.go and legacy_java_profile.go of google/pprof.
 * All values are those that pprof shows.
 */
#ifndef FORMATS_GPERFTOOLS_GPERFTOOLS_H
#define FORMATS_GPERFTOOLS_GPERFTOOLS_H

#include "cgconv_expert.h"
#include "cgconv_parse.h"

#define GPERF_DEPTH_MAX 4096 /* frames of a stack; the tools stop at 254 */
#define GPERF_COLUMNS 4
#define GPERF_VARIABLES 8 /* of paths; more are ignored */

struct gperf_node {
	uint32_t parent, addr; /* node + 1, address + 1 */
};
/* Other data of samples. Group 0, which is in the list, has none. */
struct gperf_group {
	uint64_t tid;
	cg_name thread;
	size_t label, labels; /* index of the first label, number */
};
struct gperf_sample {
	uint32_t leaf;  /* node + 1; 0: no frames */
	uint32_t group;
	uint64_t samples, cost[GPERF_COLUMNS];
};
/*
 * A function at an address. If functions are inlined there, several frames,
 * innermost first.
 */
struct gperf_frame {
	cg_fn fn;
	struct cg_pos pos;
};
/* A comment of the current sample. */
struct gperf_comment {
	uint64_t addr;
	struct gperf_frame frame;
};
struct gperf_names {
	size_t first, count; /* range in the list of frames */
};

struct gperf_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	/* Set by the kind of profile: */
	struct cg_event event[GPERF_COLUMNS];
	size_t columns, main_event;
	uint64_t period;         /* see gperf_describe_period() */
	const char *period_unit; /* "cpu nanoseconds" */
	bool exact_leaf;  /* the first address is not a return address */
	bool ids;         /* addresses are numbers of functions: Java */
	bool needs_maps;  /* the producer writes mappings at the end */
	bool (*end)(struct gperf_reader *); /* after the last sample, or NULL */
	/* The current sample: its costs, and its stack, leaf first. */
	bool held, repeated;
	struct gperf_sample sample;
	uint64_t addr[GPERF_DEPTH_MAX];
	size_t depth;
	/* samples.c */
	CG_ARRAY(uint64_t) addrs;
	CG_ARRAY(struct gperf_node) nodes;
	CG_ARRAY(struct gperf_sample) samples;
	CG_ARRAY(struct gperf_group) groups;
	CG_ARRAY(struct cg_label) labels;
	struct cg_map addr_ids, children, by_leaf, sizes;
	/* names.c: names of addresses, and comments of the current sample */
	CG_ARRAY(struct gperf_frame) frames;
	CG_ARRAY(struct gperf_names) names;
	CG_ARRAY(struct gperf_comment) pending;
	struct cg_map named; /* address -> index in names + 1 */
	bool hides;          /* the text omits functions */
	/* mappings.c */
	struct cg_space *space;
	bool in_part, in_maps, mapped;
	struct {
		cg_name name, value;
	} variable[GPERF_VARIABLES];
	size_t variables;
	/* Private to the kind: numbers of the header, sums of lines, ... */
	uint64_t stated[4], sum[4];
	uint64_t rate, per_second;
	bool in_samples;
	bool commented, open; /* stacks have comments; the last one is open */
	bool same; /* the stack of the previous thread */
	struct gperf_jemalloc {
		struct cg_map threads; /* number -> group */
		uint64_t all[4];       /* counts of the stack, as stated */
		uint64_t seen[4];      /* of threads so far, as stated */
		uint64_t added[4];     /* the same, scaled */
		double scale[2];       /* of memory in use, allocated */
		bool in_stack, counted;
	} jemalloc;
	uint64_t expanded; /* see gperf_expand() */
};

/* ---- samples.c ---------------------------------------------------------- */

/* Begins a sample; the caller adds addresses to its stack. */
void gperf_begin_sample(struct gperf_reader *);
bool gperf_add_address(struct gperf_reader *, uint64_t);
/* Takes "0x1000 0x2000": return addresses, except an exact leaf. */
bool gperf_take_stack(struct gperf_reader *, struct cg_slice);
/*
 * Ends the current sample, if any, and stores it. False: an error (reported).
 */
bool gperf_end_sample(struct gperf_reader *);
/*
 * For a stack with several samples: drops the current one, keeps its stack.
 * False: an error (reported).
 */
bool gperf_hold_stack(struct gperf_reader *);
/* Begins another sample of that stack. */
void gperf_repeat_sample(struct gperf_reader *);
/*
 * Sets the sample's group: the one with the label bytes. False: an error
 * (reported).
 */
bool gperf_set_size(struct gperf_reader *, uint64_t bytes);
/*
 * Sets the sample's group to that of the key; *added is the group if it is
 * new, for its labels, else NULL. False: an error (reported).
 */
bool gperf_find_group(struct gperf_reader *, struct cg_map *groups,
    uint64_t key, struct gperf_group **added);
/* Makes a new group for the sample, to which labels can be added. */
struct gperf_group *gperf_set_group(struct gperf_reader *);
bool gperf_add_label(struct gperf_reader *, struct gperf_group *,
    struct cg_slice key, struct cg_slice value);

/* ---- names.c ------------------------------------------------------------ */

/*
 * Takes "# 0x4b51fd main.wait+0x1d /tmp/main.go:10", a comment of the sample.
 * False: an error (reported).
 */
bool gperf_take_comment(struct gperf_reader *, struct cg_slice);
/*
 * Names the addresses of the sample by its comments, at its end. False: an
 * error (reported).
 */
bool gperf_name_stack(struct gperf_reader *);
/*
 * Sets the only frame at an address, unless the address has names already.
 * False: an error (reported).
 */
bool gperf_name_address(
    struct gperf_reader *, uint64_t addr, const struct gperf_frame *);
/* Returns the number of frames known at the address; 0: none. */
size_t gperf_find_names(
    const struct gperf_reader *, uint64_t addr, const struct gperf_frame **);

/* ---- mappings.c --------------------------------------------------------- */

/*
 * Counts bytes of memory for data that the text states once but that is used
 * many times. Too many bytes for the size of the text are an error. False: an
 * error (reported).
 */
bool gperf_expand(struct gperf_reader *, uint64_t bytes);
bool gperf_get_hex(struct cg_slice word, uint64_t *value);
/* Begins the part unless it has begun; path: the executable, or "". */
void gperf_begin_part(struct gperf_reader *, struct cg_slice path);
/*
 * Adds a mapping. The first mapping with a path is the executable. False: an
 * error (reported).
 */
bool gperf_add_mapping(struct gperf_reader *, struct cg_slice line);
/*
 * Warns if the last mapping is incomplete; maps the executable if none is.
 * False: an error (reported).
 */
bool gperf_end_mappings(struct gperf_reader *);

/* ---- graph.c ------------------------------------------------------------ */

/*
 * Adds all data to the graph, at the end of the input. False: an error
 * (reported).
 */
bool gperf_add_graph(struct gperf_reader *);

/* ---- Kinds of profiles -------------------------------------------------- */

/* True if the head is that of a CPU profile; *java: written by Java's agent. */
bool gperf_is_cpu(struct cg_slice head, bool *java);
bool gperf_read_cpu(struct gperf_reader *);

/* Takes a line of samples, not empty, without blanks at its ends. */
typedef bool gperf_take_line(struct gperf_reader *, struct cg_slice line);
bool gperf_read_text(struct gperf_reader *, gperf_take_line *);

/* Each takes the first line; false: another kind. */
bool gperf_begin_heap(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_jemalloc(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_contention(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_counts(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_threads(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_java_heap(struct gperf_reader *, struct cg_slice header);
gperf_take_line gperf_take_heap, gperf_take_jemalloc, gperf_take_contention,
    gperf_take_counts, gperf_take_threads, gperf_take_java_heap,
    gperf_take_java_contention;
/* Sets the events of memory; allocs: also those of all allocations. */
void gperf_set_heap_events(struct gperf_reader *, bool allocs);
/* Takes "0x00000003 com.example.f (F.java:7)". False: an error (reported). */
bool gperf_take_java_function(struct gperf_reader *, struct cg_slice line);
/* Handles "format = java" of a contention profile: the kind becomes Java. */
void gperf_begin_java_contention(struct gperf_reader *);

/* ---- Numbers in texts --------------------------------------------------- */

/*
 * Takes blanks, a number, blanks and the character end (' ': only blanks).
 * False: malformed.
 */
bool gperf_take_number(struct cg_slice *, uint64_t *, char end);
/*
 * Takes "1: 300 [ 1: 300]": objects and bytes in use, then allocated. False:
 * malformed.
 */
bool gperf_take_memory(struct cg_slice *, uint64_t count[4]);
/*
 * Estimates counts of all objects from samples: small ones are seldom sampled.
 */
void gperf_unsample(uint64_t rate, uint64_t *objects, uint64_t *bytes);

#endif
