/*
 * write.h - the state of the writer of OpenTelemetry's profiles.
 */
#ifndef FORMATS_OTLP_WRITE_H
#define FORMATS_OTLP_WRITE_H

#include "otlp.h"
#include "proto/write.h"

/* ---- times.c -------------------------------------------------------- */

/* The samples of rows with their times, for one event at a time. */
struct otlp_times {
	const struct proto_writer *w;
	struct cg_map rows;  /* hash of track and node -> row + 1 */
	bool *timed;         /* event: all of its costs have times */
	uint64_t begin, end; /* of all samples with times */
	/*
	 * Of the event: samples of row i are from first[i] to first[i + 1] -
	 * 1.
	 */
	CG_ARRAY(size_t) first;
	CG_ARRAY(uint64_t) time;
	CG_ARRAY(int64_t) cost;
};

/* Finds the events whose costs have times. False: out of memory (reported). */
bool otlp_find_times(struct otlp_times *, const struct proto_writer *);
/*
 * Sorts the samples of an event by row, if it has times. False: out of memory
 * (reported).
 */
bool otlp_sort_times(struct otlp_times *, size_t event);

/* ---- put.c ---------------------------------------------------------- */

/* A description, in the order of keys. */
struct otlp_desc {
	struct cg_slice key, value;
	size_t seq;
};

struct otlp_writer {
	struct proto_writer w;
	struct otlp_times times;
	struct proto_bytes stacks, attributes; /* entries of the two tables */
	struct proto_bytes sample, profile, info, message, any; /* buffers */
	struct cg_map attribute_ids; /* hash of an entry -> index */
	uint32_t attribute_count, stack_count;
	uint32_t *stack;         /* by node + 1: index of its stack */
	CG_ARRAY(struct otlp_desc) descs; /* sorted */
	struct cg_map desc_ids;
	struct proto_labels labels; /* of one key */
};

/* Puts a text as valid UTF-8. */
void otlp_put_text(
    struct otlp_writer *, struct proto_bytes *, unsigned field, struct cg_slice);
/*
 * Lists the descriptions that become attributes, by key. False: out of memory
 * (reported).
 */
bool otlp_list_descs(struct otlp_writer *);
/* Adds the texts that attributes refer to. */
void otlp_add_strings(struct otlp_writer *);
/* Makes attributes of all sets of labels. False: out of memory (reported). */
bool otlp_list_labels(struct otlp_writer *);
/* Puts the indices of a label set as a field. */
void otlp_put_labels(
    struct otlp_writer *, struct proto_bytes *, unsigned field, cg_labels);
/* Returns the index of an attribute with a text value; 0: failed. */
uint32_t otlp_text_attribute(
    struct otlp_writer *, const char *key, struct cg_slice value);
/* Puts the indices of attributes of a profile, without a tag. */
void otlp_put_profile_attributes(
    struct otlp_writer *, struct proto_bytes *, const char *long_name);
/* Puts the fields of a Resource. */
void otlp_put_resource(struct otlp_writer *, struct proto_bytes *);
/* Puts a KeyValue; several values are a list. */
void otlp_put_key_value(struct otlp_writer *, struct proto_bytes *,
    unsigned field, struct cg_slice key, const struct cg_label *value,
    size_t n);

#endif
