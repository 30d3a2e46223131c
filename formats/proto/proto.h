/*
 * proto.h - the common part of profile.proto (pprof/) and OpenTelemetry's
 * profiles (otlp/). The latter began as profile.proto, and have the same
 * tables of texts, mappings, locations and functions with other field numbers.
 *
 * Reading: wire.h takes fields of messages; tables.c has texts and lists,
 * locations.c makes frames of locations. words.c has units and names of events
 * for both directions. Writing: see write.h.
 */
#ifndef FORMATS_PROTO_PROTO_H
#define FORMATS_PROTO_PROTO_H

#include <string.h>

#include "cgconv_expert.h"
#include "cgconv_parse.h"
#include "wire.h"

/* ---- Fields ------------------------------------------------------------- */

/*
 * Field numbers of profile.proto. Messages with an id lack it in
 * OpenTelemetry.
 */
enum { VALUE_TYPE = 1, VALUE_UNIT, VALUE_FIELDS };
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

/* ---- words.c: units and names ------------------------------------------- */

/* Converts a unit of pprof to that of an event, and back. */
const char *proto_unit_in(const char *);
const char *proto_unit_out(const char *);
/*
 * Makes the name of an event from the name of a type: one word, with the
 * number appended unless it is 0. NULL: out of memory.
 */
const char *proto_event_word(
    struct cg_job *, struct cg_slice type, size_t number);

/* Formats "10000000 cpu nanoseconds"; NULL: out of memory. */
const char *proto_period_text(
    struct cg_job *, int64_t, struct cg_slice type, struct cg_slice unit);

/* Keys of descriptions of a part. */
#define PROTO_KEY_TIME "time_nanos"
#define PROTO_KEY_DURATION "duration_nanos"
#define PROTO_KEY_PERIOD "period"
#define PROTO_KEY_COMMENT "comment"
#define PROTO_KEY_MAPPING "mapping"
/* True if a profile has a field for descriptions with that key. */
bool proto_has_field(const char *key);

/* ---- tables.c: lists and texts ------------------------------------------ */

/*
 * Functions that return bool, and NULL or 0 for a failure, have reported the
 * failure as cg_reject() does.
 */

/* Arrays as CG_ARRAY(), with a name: they are passed to functions. */
struct proto_bytes {
	char *at;
	size_t n, cap;
};
struct proto_labels {
	struct cg_label *at;
	size_t n, cap;
};
/*
 * As cg_push(), for lists whose indices + 1 are 32-bit numbers: a longer list
 * is an error.
 */
#define proto_push(job, list) \
	((list)->n < UINT32_MAX - 1 ? cg_push((job), (list)) \
				    : (void *)proto_too_long(job))
/* Reports that as out of memory; returns NULL. */
void *proto_too_long(struct cg_job *);
/*
 * Appends bytes; afterwards the list is not NULL, even without bytes. False:
 * out of memory (reported).
 */
bool proto_append_bytes(struct cg_job *, struct proto_bytes *, struct cg_slice);
/* Hashes bytes of a file. A file cannot provoke collisions. */
uint64_t proto_hash(uint64_t seed, struct cg_slice);

/*
 * A frame of a location; frames of one location are adjacent, innermost first.
 */
struct proto_frame {
	cg_fn fn;
	cg_frame_id id; /* 0: not in a stack yet */
	struct cg_pos pos;
	bool inlined;
};
struct proto_tables {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	CG_ARRAY(cg_name) strings;
	struct cg_space *space; /* NULL until mappings are added */
	CG_ARRAY(struct proto_frame) frames;
	uint64_t expanded; /* see proto_expand() */
	uint64_t made;     /* part of it: frames that nodes hold */
	cg_node newest;    /* node made from a location */
	uint32_t round;    /* counts how often nodes became invalid */
};

/*
 * Gets the text with an index of the string table. False: an error (reported).
 */
bool proto_get_name(struct proto_tables *, uint64_t index, cg_name *);
bool proto_get_text(struct proto_tables *, uint64_t, struct cg_slice *);
/* Empties the tables, but keeps the count of expanded bytes. */
void proto_drop_tables(struct proto_tables *);
/*
 * Returns a source line from the number of 64 bits in a message; 0 if that is
 * out of range.
 */
static inline uint32_t
proto_line(uint64_t line)
{
	return line <= UINT32_MAX ? (uint32_t)line : 0;
}
/* Warns about a field with an unknown number. */
void proto_skip_field(struct cg_job *, const struct proto_field *);

/* ---- locations.c: their frames ------------------------------------------ */

struct proto_function {
	uint64_t name, system_name, file;
	uint32_t start_line;
	bool defined;
};
struct proto_place {
	uint32_t mapping; /* number in the address space; 0: unknown */
	uint64_t addr;    /* in the process */
};
/*
 * Adds and describes a mapping; returns its number in the address space, 0:
 * failed.
 */
uint32_t proto_add_mapping(struct proto_tables *, const struct cg_mapping *);
/* Adds a frame for a line of a location. False: an error (reported). */
bool proto_add_line(struct proto_tables *, const struct proto_place *,
    const struct proto_function *, uint32_t line, bool inlined);
/* Adds the frames of a location without lines. False: an error (reported). */
bool proto_add_address(struct proto_tables *, const struct proto_place *);
/*
 * Adds count frames, from first on, on top of *node, which becomes their leaf.
 * False: an error (reported).
 */
bool proto_put_frames(
    struct proto_tables *, uint32_t first, size_t count, cg_node *node);
/* Like cg_free_nodes(): true if all nodes became invalid. */
bool proto_free_nodes(struct proto_tables *);
/*
 * Counts bytes for entries that a table lists once and samples use many times.
 * More than the size of the file allows is an error. False: an error
 * (reported).
 */
bool proto_expand(struct proto_tables *, uint64_t bytes);

#endif
