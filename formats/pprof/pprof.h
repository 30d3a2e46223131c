/*
 * pprof.h - profile.proto: field numbers, and the state of its reader.
 *
 * Source: proto/profile.proto of github.com/google/pprof. A message is a
 * sequence of fields, each a tag (number << 3 | wire type, a varint) and a
 * value. All texts are indices of the string table, index 0 is "". Ids of
 * mappings, locations and functions are any numbers but 0.
 *
 * The way of the data, reading: read.c takes the fields of the message (wire.c)
 * into the lists of reader.c, samples.c those of samples; sums.c merges samples
 * by path, labels.c by set of labels. At the end of the message
 * graph.c, locations.c and descs.c resolve texts and ids and put events, stacks
 * and descriptions into the builder.
 *
 * Writing (write.h): frames.c and mappings.c number what the file lists
 * (tables.c), order.c sums costs of stacks and sorts them, comments.c collects
 * what has no field of its own; write.c writes all, with the fields and texts of
 * put.c. words.c has units and names of texts for both directions; pprof.c
 * describes the format to the library.
 *
 * OpenTelemetry's profiles have the same tables with other field numbers: files
 * otlp*.c (see otlp.h) use those of the wire, of locations and of the writer.
 */
#ifndef FORMATS_PPROF_PPROF_H
#define FORMATS_PPROF_PPROF_H

#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"

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
enum { VALUE_TYPE = 1, VALUE_UNIT, VALUE_FIELDS };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT, LABEL_FIELDS };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILENAMES,
	MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
	MAPPING_FIELDS
};
enum {
	LOCATION_ID = 1,
	LOCATION_MAPPING,
	LOCATION_ADDRESS,
	LOCATION_LINE,
	LOCATION_FOLDED,
	LOCATION_FIELDS
};
enum { LINE_FUNCTION = 1, LINE_LINE, LINE_COLUMN, LINE_FIELDS };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILENAME,
	FUNCTION_START_LINE,
	FUNCTION_FIELDS
};

/* ---- wire.c: the wire format -------------------------------------------- */

enum pprof_wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

#define VARINT_MAX 10 /* bytes */

struct pprof_field {
	uint64_t number;
	unsigned wire;
	uint64_t value;        /* of a number; of bytes, how many */
	struct cg_slice bytes; /* of WIRE_BYTES */
	const char *at;        /* its tag */
};

/* Takes a varint from the front; false: there is none, nothing is taken. */
bool pprof_take_long_varint(struct cg_slice *, uint64_t *);
static inline bool
pprof_take_varint(struct cg_slice *rest, uint64_t *value)
{
	const uint8_t *byte = (const uint8_t *)rest->ptr;
	size_t len;

	/* Most have at most three bytes. */
	if (rest->len < 3 || (byte[0] & byte[1] & byte[2] & 0x80)) {
		/* A copy, so that rest can stay in registers. */
		struct cg_slice more = *rest;
		uint64_t number;

		if (!pprof_take_long_varint(&more, &number))
			return false;
		*value = number;
		*rest = more;
		return true;
	}
	*value = byte[0] & 0x7fu;
	len = 1;
	if (byte[0] & 0x80) {
		*value |= (byte[1] & 0x7fu) << 7;
		len = 2;
		if (byte[1] & 0x80) {
			*value |= (uint64_t)byte[2] << 14;
			len = 3;
		}
	}
	rest->ptr += len;
	rest->len -= len;
	return true;
}
/* Takes a tag and its number or length, but not the bytes. */
bool pprof_take_tag(struct cg_slice *, struct pprof_field *);
/* Takes a whole field. False: there is none, nothing is taken. */
bool pprof_take_field(struct cg_slice *, struct pprof_field *);
/* How likely the text begins a profile.proto: a score for probe(). */
int pprof_probe(struct cg_slice text, bool whole);

/* ---- words.c: units and texts ------------------------------------------- */

/* From a unit of pprof to that of an event, and back. */
const char *pprof_unit_in(const char *);
const char *pprof_unit_out(const char *);
/*
 * The name of an event for the name of a type: one word, with a number unless
 * it is 0. To be freed; NULL: out of memory, reported.
 */
char *pprof_event_word(struct cg_job *, struct cg_slice type, size_t number);

/* Keys of descriptions of a part. */
#define PPROF_KEY_TIME "time_nanos"
#define PPROF_KEY_DURATION "duration_nanos"
#define PPROF_KEY_PERIOD "period"
#define PPROF_KEY_COMMENT "comment"
#define PPROF_KEY_MAPPING "mapping"
/*
 * What has no field is written as comments: descriptions of parts as "cgconv:
 * KEY: VALUE", "cgconv event: NAME: LONG NAME", and of a single part "cgconv
 * part: pid: 7" (cmd, pid, tid, part).
 */
#define PPROF_SAYS "cgconv: "
#define PPROF_SAYS_EVENT "cgconv event: "
#define PPROF_SAYS_PART "cgconv part: "
/* Descriptions that are a text field of the profile; ends with a NULL name. */
struct pprof_text_key {
	const char *name;
	enum pprof_profile field;
};
extern const struct pprof_text_key pprof_text_keys[];

/* ---- reader.c: the reader's state --------------------------------------- */

/* A growing list; new elements are zero. */
struct pprof_list {
	void *at;
	size_t count, cap;
};

struct pprof_type {
	uint64_t type, unit; /* strings */
};
struct pprof_mapping {
	uint64_t value[MAPPING_FIELDS];
};
/* Locations and functions are listed when first referred to or defined. */
struct pprof_location {
	uint64_t mapping, addr;
	uint32_t first, lines; /* in the list of lines */
	bool defined;
};
struct pprof_line {
	uint32_t function; /* index + 1; 0: none */
	uint32_t line;
};
struct pprof_function {
	uint64_t name, system_name, file;
	uint32_t start_line;
	bool defined;
};
/*
 * The locations of a sample, as bytes, leaf first: they wait, as texts come at
 * the end of a message only. Path 0 has none.
 */
struct pprof_path {
	size_t at; /* in the list of bytes: up to where the next one begins */
	union {
		uint32_t sample; /* + 1: the last one of this path; 0: none */
		cg_node node;    /* from pprof_end_sums() on */
	};
	uint32_t round; /* of the node: see pprof_free_nodes() */
};
/* The sum of the samples of one path and set of labels. */
struct pprof_sample {
	uint32_t path, labels; /* path, set of labels + 1 */
	uint64_t count;
	int64_t cost[]; /* by column */
};

/* A set of labels: its fields as read. */
struct pprof_labels {
	size_t at, len; /* in the list of label bytes */
};

/* Paths and samples. Calls on it report nothing. */
struct pprof_sums {
	struct pprof_list samples, paths, path_bytes, locations;
	struct cg_map location_ids;   /* index + 1 */
	struct pprof_list near;       /* small id -> index + 1 of the location */
	struct cg_slots path_ids;     /* by the bytes of paths */
	struct cg_slots by_labels_and_path; /* samples: see get_sample() */
	struct pprof_list steps;      /* of a path: index + 1 of a location */
	size_t columns;               /* values of a sample */
	uint64_t key[2];              /* of the hashes of paths */
	bool overflow;                /* a sum is too large */
};

/* Samples are added to the sums in batches: see sums.c. */
#define PPROF_BATCH 64
struct pprof_waiting {
	size_t path, value; /* the first of its ... */
	uint32_t len;       /* bytes of the path */
	uint32_t labels;
	uint32_t hash;   /* of its path */
	uint32_t likely; /* the path that it has, if that is known */
};
struct pprof_batch {
	struct pprof_waiting sample[PPROF_BATCH];
	size_t count;
	struct pprof_list path, values; /* bytes; uint64_t */
};

struct pprof_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	bool in_part;

	/* Of the current message: */
	uint32_t seen;          /* bit f: it has field f */
	size_t strings_at_type; /* strings before the last sample type */
	struct pprof_list types, mappings, functions, lines;
	struct pprof_list strings, comments; /* cg_name; uint64_t */
	struct cg_map mapping_ids, function_ids; /* index + 1 */
	uint64_t scalar[PPROF_FIELDS];
	struct pprof_type period_type;
	struct pprof_list labels, label_bytes; /* distinct sets */
	struct pprof_list label; /* of one of them: struct cg_label */
	struct cg_map by_labels; /* hash of the bytes -> set + 1 */
	struct cg_map long_names; /* of events: name -> long name */
	size_t columns_lost;     /* lines with a column, which is dropped */
	size_t folded_lost;      /* locations with is_folded, the same */
	uint64_t expanded;       /* see pprof_expand() */
	uint64_t made;           /* frames of it that nodes hold */
	cg_node newest;          /* of all that locations made */
	uint32_t round;          /* of nodes: how often these became invalid */
	/* Of the current sample: first value in the batch; label fields. */
	size_t value;
	struct pprof_list labelled;

	struct pprof_batch batch;
	struct pprof_sums sums; /* path 0 is there: the message has samples */
};

/*
 * What returns bool below, or NULL or 0 for a failure, has reported the failure
 * as cg_reject() does.
 */

/* Calls add() for each number of a field that may be packed. */
bool pprof_take_packed(struct pprof_reader *, const struct pprof_field *,
    bool (*add)(struct pprof_reader *, uint64_t, const char *));
/* Warns about a field with an unknown number. */
void pprof_skip_field(struct pprof_reader *, const struct pprof_field *);
/* Makes room for one more element; false: out of memory, not reported. */
bool pprof_lengthen(struct pprof_list *, size_t width);
/* Adds an element; NULL: out of memory, not reported. */
static inline void *
pprof_extend(struct pprof_list *list, size_t width)
{
	if (list->count == list->cap && !pprof_lengthen(list, width))
		return NULL;
	return memset((char *)list->at + list->count++ * width, 0, width);
}
/* The same; NULL: reported. */
static inline void *
pprof_append(struct pprof_reader *r, struct pprof_list *list, size_t width)
{
	void *at = pprof_extend(list, width);

	if (!at)
		(void)cg_reject_nomem(r->job);
	return at;
}
/*
 * Index + 1 of the element with an id, added if it is new; 0: out of memory, not
 * reported.
 */
uint32_t pprof_find_id(
    struct cg_map *ids, struct pprof_list *, size_t width, uint64_t id);
/* The same, of locations. */
uint32_t pprof_add_location(struct pprof_sums *, uint64_t id);
static inline uint32_t
pprof_find_location(struct pprof_sums *sums, uint64_t id)
{
	const uint32_t *near = sums->near.at;

	return id < sums->near.cap && near[id] != 0
		   ? near[id]
		   : pprof_add_location(sums, id);
}
/* Drops all of the current message. */
void pprof_free(struct pprof_reader *);
/* The text with an index of the string table. */
bool pprof_get_name(struct pprof_reader *, uint64_t index, cg_name *);
bool pprof_get_text(struct pprof_reader *, uint64_t, struct cg_slice *);
/* Of bytes of a file, which cannot provoke collisions. */
uint64_t pprof_hash(uint64_t seed, struct cg_slice);
/* A seed that a file cannot know. */
static inline uint64_t
pprof_seed(const struct pprof_reader *r)
{
	return (uintptr_t)r;
}
/* Makes room for count elements. */
bool pprof_reserve(
    struct pprof_reader *, struct pprof_list *, size_t count, size_t width);

/* ---- samples.c, sums.c, labels.c: samples ------------------------------- */

/*
 * Adds a sample to the batch, and a full batch to the sums. pprof_end_samples()
 * adds the rest, and tells about sums that are too large.
 */
bool pprof_take_sample(struct pprof_reader *, const struct pprof_field *);
bool pprof_end_samples(struct pprof_reader *);

/* These return false if they are out of memory, which is not reported. */
bool pprof_add_bytes(struct pprof_list *, struct cg_slice);
/* The first sample has so many values. */
bool pprof_begin_sums(struct pprof_sums *, size_t columns);
/* Empties the batch. */
bool pprof_add_batch(struct pprof_sums *, struct pprof_batch *);
/* Frees what is needed only to add samples. */
void pprof_end_sums(struct pprof_sums *);
struct pprof_sample *pprof_sample(const struct pprof_sums *, size_t i);
static inline struct pprof_path *
pprof_path(const struct pprof_sums *sums, uint32_t id)
{
	return (struct pprof_path *)sums->paths.at + id;
}
/* Its locations, as varints. */
struct cg_slice pprof_path_bytes(const struct pprof_sums *, uint32_t id);
/* Lists the steps of a path, leaf first; false: out of memory. */
bool pprof_take_steps(struct pprof_sums *, uint32_t id);
/* *set becomes the set of the current sample's labels; 0: it has none. */
bool pprof_find_labels(struct pprof_reader *, uint32_t *set);
/* Stacks that are added from here on have these labels. */
bool pprof_set_labels(struct pprof_reader *, uint32_t set);

/* ---- locations.c: their frames ------------------------------------------ */

struct pprof_frame {
	cg_fn fn;
	cg_frame_id id; /* 0: on no stack yet */
	struct cg_pos pos;
	bool inlined;
};
struct pprof_frames {
	struct cg_space *space;
	struct pprof_list list; /* struct pprof_frame, innermost first */
};
struct pprof_place {
	uint32_t mapping; /* number in the space; 0: unknown */
	uint64_t addr;    /* in the process */
};
/* Adds and describes a mapping; its number in the space, 0: failed. */
uint32_t pprof_add_mapping(struct pprof_reader *, struct pprof_frames *,
    const struct cg_mapping *);
/* Adds a frame for a line of a location. */
bool pprof_add_line(struct pprof_reader *, struct pprof_frames *,
    const struct pprof_place *, const struct pprof_function *, uint32_t line,
    bool inlined);
/* Adds the frames of a location without lines. */
bool pprof_add_address(struct pprof_reader *, struct pprof_frames *,
    const struct pprof_place *);
/* Puts a location's frames on top of a node, which becomes their leaf. */
bool pprof_put_frames(struct pprof_reader *, struct pprof_frame *,
    size_t count, cg_node *node);
/* As cg_free_nodes(): true if no node is valid any more. */
bool pprof_free_nodes(struct pprof_reader *);
/*
 * Counts bytes for what a table lists once and samples use many times: too many
 * for the size of the file are an error.
 */
bool pprof_expand(struct pprof_reader *, uint64_t bytes);

/* ---- descs.c, graph.c: the end of the message --------------------------- */

/* Begins the input's part, if it has not begun, and adds descriptions. */
bool pprof_begin_part(struct pprof_reader *);
/*
 * Describes the event to show by default: without default_sample_type, the last
 * sample type is it (profile.proto).
 */
bool pprof_describe_main(struct pprof_reader *, const char *last);
/* An event's long name, from our comments; "" if there is none. */
const char *pprof_long_name(const struct pprof_reader *, struct cg_slice);
/* Puts the message into the builder and drops it. */
bool pprof_finish(struct pprof_reader *);

int pprof_read(struct cg_job *, struct cg_in *, struct cg_build *);
int pprof_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
