/*
 * pprof.h - profile.proto: field numbers, and the state of its reader.
 *
 * Source: proto/profile.proto of github.com/google/pprof. A message is a
 * sequence of fields, each a tag (number << 3 | wire type, a varint) and a
 * value. All texts are indices of the string table, index 0 is "". Ids of
 * mappings, locations and functions are any numbers but 0.
 *
 * The way of the data, reading: read.c takes the fields of the message, or those
 * that raw.c makes of a text, into the lists of reader.c, samples.c those of
 * samples; sums.c merges samples by path, labels.c by set of labels. At the end
 * of the message graph.c and descs.c resolve texts and ids and put events,
 * stacks and descriptions into the builder.
 *
 * Writing: comments.c collects what has no field of its own, write.c writes the
 * tables that proto/ makes. pprof.c describes the format to the library.
 */
#ifndef FORMATS_PPROF_PPROF_H
#define FORMATS_PPROF_PPROF_H

#include "proto/proto.h"
#include "proto/write.h"

/* ---- Fields ------------------------------------------------------------- */

enum pprof_profile {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_DROP_FRAMES,
	PPROF_KEEP_FRAMES,
	PPROF_TIME_NANOS,
	PPROF_DURATION_NANOS,
	PPROF_PERIOD_TYPE,
	PPROF_PERIOD,
	PPROF_COMMENT,
	PPROF_DEFAULT_TYPE,
	PPROF_DOC_URL,
	PPROF_FIELDS
};
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT, LABEL_FIELDS };

/*
 * Data without a field is written as comments: descriptions of parts as
 * "cgconv: KEY: VALUE", "cgconv event: NAME: LONG NAME", and of a single part
 * "cgconv part: pid: 7" (cmd, pid, tid, part).
 */
#define PPROF_SAYS "cgconv: "
#define PPROF_SAYS_EVENT "cgconv event: "
#define PPROF_SAYS_PART "cgconv part: "
/* Descriptions that are text fields of the profile; ends with a NULL name. */
struct pprof_text_key {
	const char *name;
	enum pprof_profile field;
};
extern const struct pprof_text_key pprof_text_keys[];

/* ---- reader.c: the reader's state --------------------------------------- */

struct pprof_type {
	uint64_t type, unit; /* strings */
};
struct pprof_mapping {
	uint64_t value[MAPPING_FIELDS];
	uint32_t number; /* in the address space, set by pprof_finish() */
};
/* Locations and functions get an index when first referred to or defined. */
struct pprof_location {
	uint64_t mapping, addr;
	uint32_t first, count; /* in the list of lines; finally of frames */
	bool defined;
};
struct pprof_line {
	uint32_t function; /* index + 1; 0: none */
	uint32_t line;
};
/*
 * The locations of a sample, as bytes, leaf first. They wait, as texts may
 * come at the end of a message. Path 0 is empty.
 */
struct pprof_path {
	size_t at; /* in the list of bytes; the next path begins at its end */
	union {
		uint32_t sample; /* + 1: last sample of this path; 0: none */
		cg_node node;    /* set after pprof_end_sums() */
	};
	uint32_t round; /* of the node: see proto_free_nodes() */
};
/* The sum of the samples of one path and set of labels. */
struct pprof_sample {
	uint32_t path, labels; /* path, set of labels + 1 */
	uint64_t count;
	int64_t cost[]; /* by column */
};

/* A set of labels: its fields as they were read. */
struct pprof_labels {
	size_t at, len; /* in the list of label bytes */
};

/* Paths and samples. */
struct pprof_sums {
	struct cg_job *job;
	CG_ARRAY(void) samples; /* struct pprof_sample: see pprof_sample() */
	CG_ARRAY(struct pprof_path) paths;
	struct proto_bytes path_bytes;
	CG_ARRAY(struct pprof_location) locations;
	struct cg_map location_ids; /* index + 1 */
	CG_ARRAY(uint32_t) near;    /* small id -> index + 1 */
	struct cg_slots path_ids;   /* by the bytes of paths */
	struct cg_slots by_labels_and_path; /* samples: see get_sample() */
	CG_ARRAY(uint32_t) steps; /* of a path: index + 1 of each location */
	size_t columns;          /* number of values of a sample */
	uint64_t key[2];         /* random, for the hashes of paths */
	bool overflow;           /* a sum does not fit */
};

/* Samples are added to the sums in batches: see sums.c. */
#define PPROF_BATCH 64
struct pprof_waiting {
	size_t path, value; /* its first byte, its first value */
	uint32_t len;       /* bytes of the path */
	uint32_t labels;
	uint32_t hash;   /* of its path */
	uint32_t likely; /* the path that it probably has, or 0 */
};
struct pprof_batch {
	struct pprof_waiting sample[PPROF_BATCH];
	size_t count;
	struct proto_bytes path;
	CG_ARRAY(int64_t) values;
};

struct pprof_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	bool in_part;

	/* Of the current message: */
	uint32_t seen;          /* bit f is set if it has field f */
	size_t strings_at_type; /* strings before the last sample type */
	CG_ARRAY(struct pprof_type) types;
	CG_ARRAY(struct pprof_mapping) mappings;
	CG_ARRAY(struct proto_function) functions;
	CG_ARRAY(struct pprof_line) lines;
	CG_ARRAY(uint64_t) comments;
	struct proto_tables tables;
	struct cg_map mapping_ids, function_ids; /* index + 1 */
	uint64_t scalar[PPROF_FIELDS];
	struct pprof_type period_type;
	CG_ARRAY(struct pprof_labels) labels; /* distinct sets */
	struct proto_bytes label_bytes;
	CG_ARRAY(struct cg_label) label; /* of one of the sets */
	struct cg_map by_labels;  /* hash of the bytes -> set + 1 */
	struct cg_map long_names; /* of events: name -> long name */
	size_t columns_lost;      /* lines with a column, which is dropped */
	size_t folded_lost;       /* locations with is_folded, dropped too */
	/* Of the current sample: first value in the batch; label fields. */
	size_t value;
	struct proto_bytes labelled;

	struct pprof_batch batch;
	struct pprof_sums sums; /* has path 0 once the message has samples */
};

/*
 * Functions that return false or 0 have failed, and reported it as cg_reject()
 * does.
 */

/* Calls add() for each number of a field, packed or not. */
bool pprof_take_packed(struct pprof_reader *, const struct proto_field *,
    bool (*add)(struct pprof_reader *, uint64_t, const char *));
/*
 * Returns the number of the element with an id; a new id gets the number next,
 * and the caller appends the element. 0: failed.
 */
uint32_t pprof_find_id(
    struct cg_job *, struct cg_map *ids, size_t next, uint64_t id);
/*
 * Returns the index + 1 of the location with an id, which is added if new; 0:
 * failed.
 */
uint32_t pprof_add_location(struct pprof_sums *, uint64_t id);
static inline uint32_t
pprof_find_location(struct pprof_sums *sums, uint64_t id)
{
	const uint32_t *near = sums->near.at;

	return id < sums->near.n && near[id] != 0
		   ? near[id]
		   : pprof_add_location(sums, id);
}
/* Drops all of the current message. */
void pprof_free(struct pprof_reader *);

/* ---- samples.c, sums.c, labels.c: samples ------------------------------- */

/*
 * Adds a sample to the batch, and a full batch to the sums.
 * pprof_end_samples() adds the rest, and reports sums that do not fit.
 */
bool pprof_take_sample(struct pprof_reader *, const struct proto_field *);
bool pprof_end_samples(struct pprof_reader *);

/* columns: number of values of the first sample. */
bool pprof_begin_sums(struct pprof_sums *, size_t columns);
/* Adds the samples of the batch to the sums, and empties the batch. */
bool pprof_add_batch(struct pprof_sums *, struct pprof_batch *);
/* Frees what is needed only while samples are added. */
void pprof_end_sums(struct pprof_sums *);
struct pprof_sample *pprof_sample(const struct pprof_sums *, size_t i);
static inline struct pprof_path *
pprof_path(const struct pprof_sums *sums, uint32_t id)
{
	return &sums->paths.at[id];
}
/* Returns the locations of a path, as varints. */
struct cg_slice pprof_path_bytes(const struct pprof_sums *, uint32_t id);
/* Lists the steps of a path, leaf first. */
bool pprof_take_steps(struct pprof_sums *, uint32_t id);
/* *set becomes the set of the current sample's labels; 0: no labels. */
bool pprof_find_labels(struct pprof_reader *, uint32_t *set);
/* Gives the following stacks the labels of a set. */
bool pprof_set_labels(struct pprof_reader *, uint32_t set);

/* ---- descs.c, graph.c: the end of the message --------------------------- */

/* Begins the input's part, if it has not begun, and adds descriptions. */
bool pprof_begin_part(struct pprof_reader *);
/*
 * Adds a description of the default event: without default_sample_type, it is
 * the last sample type (profile.proto).
 */
bool pprof_describe_main(struct pprof_reader *, const char *last);
/* Returns the long name of an event, from cgconv's comments; "": none. */
const char *pprof_long_name(const struct pprof_reader *, struct cg_slice);
/* Adds the message to the builder and drops it. */
bool pprof_finish(struct pprof_reader *);

/* ---- comments.c: data without a field ------------------------------------ */

/* An array as CG_ARRAY(). */
struct pprof_texts {
	struct cg_slice *at;
	size_t n, cap;
};
/* Lists the comments to write. False: out of memory (reported). */
bool pprof_list_comments(struct proto_writer *, struct pprof_texts *);

/* Adds a field of the message, which must stay valid during the call only. */
bool pprof_add_field(struct pprof_reader *, const struct proto_field *);
int pprof_read_raw(struct cg_job *, struct cg_in *, struct cg_build *);
int pprof_read(struct cg_job *, struct cg_in *, struct cg_build *);
int pprof_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
