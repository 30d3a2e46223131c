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
/* What else is known of samples; group 0 is in the list, too: nothing. */
struct gperf_group {
	uint64_t tid;
	cg_name thread;
	size_t label, labels; /* the first, in the list of labels; how many */
};
struct gperf_sample {
	uint32_t leaf;  /* node + 1; 0: no frames */
	uint32_t group;
	uint64_t samples, cost[GPERF_COLUMNS];
};
/* A function at an address; several if inlined, innermost first. */
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
	size_t first, count; /* in the list of frames */
};

struct gperf_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	/* What the kind of profile says of itself. */
	struct cg_event event[GPERF_COLUMNS];
	size_t columns, main_event;
	uint64_t period;         /* see gperf_describe_period() */
	const char *period_unit; /* "cpu nanoseconds" */
	bool exact_leaf;  /* the first address is no return address */
	bool ids;         /* addresses are numbers of functions: Java */
	bool needs_maps;  /* the producer ends the file with mappings */
	/* The current sample: its costs, its stack with the leaf first. */
	bool held;
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
	/* names.c: of addresses; of the comments of the current sample */
	CG_ARRAY(struct gperf_frame) frames;
	CG_ARRAY(struct gperf_names) names;
	CG_ARRAY(struct gperf_comment) pending;
	struct cg_map named; /* address to its index in names + 1 */
	bool hides;          /* the text leaves functions out */
	/* mappings.c */
	struct cg_space *space;
	bool in_part, in_maps, mapped;
	struct {
		cg_name name, value;
	} variable[GPERF_VARIABLES];
	size_t variables;
	/* Private to the kind: counts that the header states or lines have. */
	uint64_t stated[4], sum[4];
	uint64_t rate, per_second;
	bool in_samples;
	bool commented, open; /* stacks have comments; the last has no end */
	bool same; /* the stack is that of the thread before */
	uint64_t expanded; /* see gperf_expand() */
};

/* ---- samples.c ---------------------------------------------------------- */

/* Begins a sample; the caller adds addresses to its stack. */
void gperf_begin_sample(struct gperf_reader *);
bool gperf_add_address(struct gperf_reader *, uint64_t);
/* "0x1000 0x2000": return addresses, but for an exact leaf. */
bool gperf_take_stack(struct gperf_reader *, struct cg_slice);
/* Ends the sample, if one was begun, and keeps it. */
bool gperf_end_sample(struct gperf_reader *);
/* The group of samples with that label bytes. */
bool gperf_set_size(struct gperf_reader *, uint64_t bytes);
/* The sample is of a group of its own, to which labels can be added. */
struct gperf_group *gperf_set_group(struct gperf_reader *);
bool gperf_add_label(struct gperf_reader *, struct gperf_group *,
    struct cg_slice key, struct cg_slice value);

/* ---- names.c ------------------------------------------------------------ */

/* "#	0x4b51fd	main.wait+0x1d	/tmp/main.go:10" of the sample. */
bool gperf_take_comment(struct gperf_reader *, struct cg_slice);
/* The sample ends: its comments name its addresses. */
bool gperf_name_stack(struct gperf_reader *);
/* The only function at an address, unless one is known. */
bool gperf_name_address(
    struct gperf_reader *, uint64_t addr, const struct gperf_frame *);
/* How many functions are known at the address; 0: none. */
size_t gperf_find_names(
    const struct gperf_reader *, uint64_t addr, const struct gperf_frame **);

/* ---- mappings.c --------------------------------------------------------- */

/*
 * Counts bytes for what the text has once and uses many times: too many for its
 * size are an error.
 */
bool gperf_expand(struct gperf_reader *, uint64_t bytes);
bool gperf_get_hex(struct cg_slice word, uint64_t *value);
/* Begins the part, unless it was begun; path: the executable's, or "". */
void gperf_begin_part(struct gperf_reader *, struct cg_slice path);
/* Adds a mapping. The first with a path is that of the executable. */
bool gperf_add_mapping(struct gperf_reader *, struct cg_slice line);
/* Warns if the last mapping is incomplete. Adds the executable if none is. */
bool gperf_end_mappings(struct gperf_reader *);

/* ---- graph.c ------------------------------------------------------------ */

/* Adds everything to the graph, at the end of the input. */
bool gperf_add_graph(struct gperf_reader *);

/* ---- Kinds of profiles -------------------------------------------------- */

/* Is the head that of a CPU profile? java: of Java. */
bool gperf_is_cpu(struct cg_slice head, bool *java);
bool gperf_read_cpu(struct gperf_reader *);

/* Takes a line of samples, without blanks at its ends; not an empty one. */
typedef bool gperf_take_line(struct gperf_reader *, struct cg_slice line);
bool gperf_read_text(struct gperf_reader *, gperf_take_line *);

/* Each takes the header; false: it is another kind. */
bool gperf_begin_heap(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_contention(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_counts(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_threads(struct gperf_reader *, struct cg_slice header);
bool gperf_begin_java_heap(struct gperf_reader *, struct cg_slice header);
gperf_take_line gperf_take_heap, gperf_take_contention, gperf_take_counts,
    gperf_take_threads, gperf_take_java_heap, gperf_take_java_contention;
/* "0x00000003 com.example.f (F.java:7)" */
bool gperf_take_java_function(struct gperf_reader *, struct cg_slice line);
/* "format = java" of a contention profile: it is one of Java. */
void gperf_begin_java_contention(struct gperf_reader *);

/* ---- Numbers of texts --------------------------------------------------- */

/* Blanks, a number, blanks, and end, unless that is a blank. */
bool gperf_take_number(struct cg_slice *, uint64_t *, char end);
/* Estimates counts of all objects from samples; small ones are seldom taken. */
void gperf_unsample(uint64_t rate, uint64_t *objects, uint64_t *bytes);

#endif
