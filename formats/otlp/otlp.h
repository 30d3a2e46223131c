/*
 * otlp.h - OpenTelemetry's profiles: field numbers, and the state of the
 * reader.
 *
 * Source: opentelemetry/proto/profiles/v1development/profiles.proto of
 * github.com/open-telemetry/opentelemetry-proto, tag v1.11.0 (21 July 2026),
 * status alpha: fields still change. What it has of profile.proto is in proto/.
 *
 *	ProfilesData      1 ResourceProfiles ..., 2 ProfilesDictionary
 *	ResourceProfiles  1 Resource, 2 ScopeProfiles ...
 *	ScopeProfiles     1 InstrumentationScope, 2 Profile ...
 *	Profile           1 its one type of values, 2 Sample ...
 *
 * ExportProfilesServiceRequest, which agents send, has the same fields. Indices
 * refer to tables of the dictionary, which usually follows the profiles; entry
 * 0 of each table means none.
 *
 * The way of the data, reading: file.c finds the messages of the file, json.c
 * converts JSON to them, layout.c finds their version.
 * read.c goes through resources, scopes and profiles, samples.c adds
 * their samples; tables.c makes stacks of the dictionary's entries when a
 * sample first refers to them, attributes.c makes labels of attributes,
 * fields.c takes fields of messages for all.
 *
 * Writing (write.h): times.c gives samples their times, put.c makes attributes,
 * write.c writes all.
 */
#ifndef FORMATS_OTLP_OTLP_H
#define FORMATS_OTLP_OTLP_H

#include "proto/proto.h"

/* ---- Fields ------------------------------------------------------------- */

enum { OTLP_RESOURCES = 1, OTLP_DICTIONARY };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPES, RESOURCE_SCHEMA };
enum { ATTRIBUTES_ATTRIBUTE = 1, ATTRIBUTES_DROPPED };
enum { SCOPE_SCOPE = 1, SCOPE_PROFILES, SCOPE_SCHEMA };
enum { INFO_NAME = 1, INFO_VERSION, INFO_ATTRIBUTE, INFO_DROPPED };
enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_TIME,
	PROFILE_DURATION,
	PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD,
	PROFILE_ID,
	PROFILE_DROPPED,
	PROFILE_PAYLOAD_FORMAT,
	PROFILE_PAYLOAD,
	PROFILE_ATTRIBUTES,
	PROFILE_FIELDS
};
enum {
	OTLP_STACK = 1,
	OTLP_ATTRIBUTES,
	OTLP_LINK,
	OTLP_VALUES,
	OTLP_TIMES,
	OTLP_SAMPLE_FIELDS
};
/* Tables of the dictionary, as field numbers of ProfilesDictionary. */
enum otlp_table {
	TABLE_MAPPING = 1,
	TABLE_LOCATION,
	TABLE_FUNCTION,
	TABLE_LINK,
	TABLE_STRING,
	TABLE_ATTRIBUTE,
	TABLE_STACK,
	TABLES
};
/*
 * Messages that profile.proto also has lack the id here: numbers are one less.
 */
enum { OTLP_MAPPING_ATTRIBUTES = 5, OTLP_LOCATION_ATTRIBUTES = 4 };
enum { LINK_TRACE = 1, LINK_SPAN };
/* A KeyValue has a key, or key_strindex with the number of the unit. */
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE, ATTRIBUTE_UNIT };
enum {
	VALUE_STRING = 1,
	VALUE_BOOL,
	VALUE_INT,
	VALUE_DOUBLE,
	VALUE_ARRAY,
	VALUE_MAP,
	VALUE_BYTES,
	VALUE_STRINDEX
};

/* ---- layout.c: versions -------------------------------------------- */

struct otlp_layout {
	const char *versions;
	const char *profile, *sample; /* their fields: see layout.c */
	bool readable;
	/* Maps the version's field numbers of a sample to the enum above. */
	unsigned char field[OTLP_SAMPLE_FIELDS];
	unsigned comments; /* field of a profile: those after it are one more */
};
/*
 * Finds the newest layout that fits all profiles of the file, or of its
 * beginning if the text is truncated (cut). NULL: no layout fits, or no
 * profile was found. *more: no profile was found, but the missing text may
 * have one; more may be NULL.
 */
const struct otlp_layout *otlp_find_layout(
    struct cg_slice file, bool cut, bool *more);

/* Returns the layout of messages that json.c makes. */
const struct otlp_layout *otlp_json_layout(void);

/* ---- json.c, file.c: files --------------------------------------------- */

/*
 * Reads the rest of an input, JSON, and converts it to messages, in memory of
 * read(). False: it is malformed (reported).
 */
bool otlp_convert_json(struct cg_job *, struct cg_in *, struct proto_bytes *);
/* How the messages of a file are stored. */
enum otlp_form {
	OTLP_OTHER,
	OTLP_PLAIN,     /* a message, or several with nothing between them */
	OTLP_SIZED,     /* each after its size, 4 bytes, big-endian */
	OTLP_DELIMITED, /* each after its size, a varint */
	OTLP_PACKED,    /* as OTLP_SIZED, each compressed by zstd */
	OTLP_JSON
};
/*
 * Finds the form of a head; *more as for otlp_find_layout(). OTLP_OTHER: it has
 * no profiles.
 */
enum otlp_form otlp_find_form(const struct cg_head *, bool *more);
/* Bytes of a file that tell JSON from messages, if not all are blanks. */
#define OTLP_HEAD 4096
/* True if all bytes are blanks, which JSON may begin with. */
bool otlp_is_blank(struct cg_slice);
/* True if a file with profiles that begins with these bytes is JSON. */
bool otlp_begins_json(struct cg_slice head);
/*
 * The form of a file that should have profiles, and is not JSON; OTLP_PLAIN if
 * in doubt.
 */
enum otlp_form otlp_get_form(struct cg_slice file);
/* Takes the next message after its size; false: the rest is not one. */
bool otlp_take_sized(
    struct cg_slice *, enum otlp_form, struct cg_slice *message);

/* ---- read.c: the reader -------------------------------------------- */

/* Data that the graph cannot represent. */
enum otlp_lost {
	LOST_COLUMNS,
	LOST_FRAMES,
	LOST_MAPPINGS,
	LOST_VALUES,
	LOST_SCOPES,
	LOST_PERIODS,
	LOST_PAYLOADS,
	LOST_SCHEMAS,
	OTLP_LOSTS
};

/* Frames of a location, in the list of frames. */
struct otlp_location {
	uint32_t first, count; /* 0: not made yet */
};
/* A type of values: an event. */
struct otlp_type {
	cg_name type, unit;
	bool same; /* an earlier one has the same name */
};

/* An array as CG_ARRAY(). */
struct otlp_numbers {
	uint64_t *at;
	size_t n, cap;
};

struct otlp_reader {
	struct cg_job *job;
	struct cg_build *build;
	bool in_part;
	const struct otlp_layout *layout;
	uint64_t lost[OTLP_LOSTS];
	bool several; /* resources: attributes become labels */

	/* Of the current dictionary: */
	struct cg_slice dictionary;
	CG_ARRAY(uint32_t) entry[TABLES]; /* where they begin in it */
	struct proto_tables tables;
	CG_ARRAY(uint32_t) mappings; /* number in the address space */
	CG_ARRAY(struct otlp_location) locations;
	CG_ARRAY(cg_node) nodes;   /* of stacks, + 1; 0: none yet */
	struct otlp_numbers path;  /* locations of a stack */

	CG_ARRAY(struct otlp_type) types;
	struct proto_labels resource;
	struct proto_labels label;   /* of the sample */
	struct otlp_numbers indices; /* of the sample's attributes */
	struct otlp_numbers last;    /* the same of the previous sample */
	struct otlp_numbers values, times;
	CG_ARRAY(char) hex; /* a text */
};

/* How often a stack with its attributes was seen; see samples.c. */
struct otlp_seen {
	uint64_t key;
	uint32_t profile;
	uint64_t now, most;
};

/* A profile that is being read. */
struct otlp_profile {
	uint32_t number; /* in its scope, from 1 */
	unsigned column;
	bool counts; /* its values are numbers of samples */
};

struct otlp_walk {
	struct otlp_reader *r;
	CG_ARRAY(struct cg_slice) waiting; /* ResourceProfiles */
	bool opened;               /* the dictionary is */
	bool labelled, tracked;    /* as the last sample has it */
	uint64_t resources;        /* read so far */
	struct cg_map label_sets;  /* hash of resource and indices -> 1 */
	bool asked, timed;         /* for timelines; they are wanted */
	struct cg_sample_key key;
	bool alone;        /* the scope has one profile */
	struct cg_map ids; /* hash of stack and attributes -> seen + 1 */
	CG_ARRAY(struct otlp_seen) seen;
	size_t next; /* of seen: what the next sample probably is */
	bool dated; /* begin and end of all profiles are known */
	uint64_t begin, end;
	uint64_t missing;           /* attributes that the profiler dropped */
	struct cg_map described;    /* index of a profile's attribute -> 1 */
	uint64_t row[CG_EVENT_MAX]; /* zeros */
};

/* ---- samples.c ----------------------------------------------------- */

/*
 * Adds a sample: its stack, with labels and times. False: an error (reported).
 */
bool otlp_add_sample(
    struct otlp_walk *, const struct otlp_profile *, struct cg_slice);
/* Finds out if a profile has negative values. False: an error (reported). */
bool otlp_find_signed(struct otlp_reader *, struct cg_slice, bool *found);

/* ---- fields.c ------------------------------------------------------ */

/* Takes the next field of a message; a failure is reported. */
static inline bool
otlp_take_field(
    struct otlp_reader *r, struct cg_slice *message, struct proto_field *field)
{
	return proto_take_field(message, field) ||
	       cg_reject_at(r->job, message->ptr,
		   "expected a whole field of a message");
}
/*
 * Appends the numbers of a field to a list; fixed: of 64 bits each. False: an
 * error (reported).
 */
bool otlp_take_numbers(struct otlp_reader *, const struct proto_field *,
    struct otlp_numbers *, bool fixed);
/*
 * Gets the message of an entry of a table; entry 0 is empty. False: an error
 * (reported).
 */
bool otlp_get_entry(
    struct otlp_reader *, enum otlp_table, uint64_t index, struct cg_slice *);

/* ---- tables.c: the dictionary -------------------------------------- */

bool otlp_open_dictionary(struct otlp_reader *, struct cg_slice);
void otlp_close_dictionary(struct otlp_reader *);
/* Gets the graph's node of a stack. False: an error (reported). */
bool otlp_get_node(struct otlp_reader *, uint64_t index, cg_node *);

/* ---- attributes.c -------------------------------------------------- */

/*
 * Appends labels to a list: of an entry of the table, or of a KeyValue. False:
 * an error (reported).
 */
bool otlp_add_indexed(
    struct otlp_reader *, uint64_t index, struct proto_labels *);
bool otlp_add_attribute(
    struct otlp_reader *, struct cg_slice, bool indexed, struct proto_labels *);
/*
 * Appends a label whose value is bytes, as hex digits. False: an error
 * (reported).
 */
bool otlp_add_bytes(struct otlp_reader *, const char *key, struct cg_slice,
    struct proto_labels *);
/* Copies a text into the builder, where it stays valid. */
const char *otlp_keep_string(struct otlp_reader *, struct cg_slice);
/* Returns the value of a label as a text. */
struct cg_slice otlp_label_text(struct otlp_reader *, const struct cg_label *);

/*
 * Labels that tell the thread or process of a sample have one name in the
 * graph, and another in OpenTelemetry's semantic conventions.
 */
struct otlp_role {
	const char *attribute, *label;
	bool number;
};
extern const struct otlp_role otlp_roles[]; /* ends with NULL */
/* Descriptions that are written as attributes of a profile. */
extern const struct otlp_role otlp_profile_keys[];
/* The name of the attribute for a part, and others of cgconv. */
#define OTLP_KEY_PART "cgconv.part"
#define OTLP_KEY_LONG_NAME "cgconv.long_name"
#define OTLP_KEY_CMD "process.command_line"
#define OTLP_KEY_SCOPE "otel.scope.name"
#define OTLP_KEY_SCOPE_VERSION "otel.scope.version"
#define OTLP_KEY_MAIN "pprof.scope.default_sample_type"
#define OTLP_KEY_BUILD_ID "process.executable.build_id.gnu"

int otlp_read(struct cg_job *, struct cg_in *, struct cg_build *);
int otlp_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
