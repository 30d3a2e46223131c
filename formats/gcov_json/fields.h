/*
 * fields.h - reads JSON objects by tables of keys; for the reader only.
 */
#ifndef FORMATS_GCOV_JSON_FIELDS_H
#define FORMATS_GCOV_JSON_FIELDS_H

#include "gcov_json.h"

struct gcov_json_reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_json json;
	enum cg_json_type type; /* the next token */
	struct gcov_json_unit unit;
	struct gcov_json_item item; /* the item being read */
	uint32_t expressions;       /* expressions on the line so far */
	uint64_t mask[2];           /* conditions not covered: false, true */
	uint64_t counted;           /* blocks, paths and conditions so far */
	uint32_t path_index;        /* index of the next location on the path */
	cg_name last;               /* the last string, and its text */
	struct cg_slice last_text;
	CG_ARRAY(char) text; /* scratch for strings with escapes */
	bool rounded; /* a warning was given */
};

/* A key, and the function that takes its value into to + offset. */
struct gcov_json_field {
	const char *key;
	bool (*take)(struct gcov_json_reader *, void *to);
	size_t offset;
	bool (*each)(struct gcov_json_reader *); /* takes an array element */
};

static inline void
gcov_json_advance(struct gcov_json_reader *r)
{
	r->type = cg_json_next(&r->json);
}

/* Reports that the next token is not what is expected; returns false. */
bool gcov_json_reject(struct gcov_json_reader *, const char *expected);
/*
 * These functions take the next token into *to: an int64_t, a uint32_t, a
 * uint32_t (0 if the number is negative: an unknown line or column), a bool, a
 * cg_name. False: an error was reported.
 */
bool gcov_json_take_count(struct gcov_json_reader *, void *to);
bool gcov_json_take_u32(struct gcov_json_reader *, void *to);
bool gcov_json_take_position(struct gcov_json_reader *, void *to);
bool gcov_json_take_bool(struct gcov_json_reader *, void *to);
bool gcov_json_take_name(struct gcov_json_reader *, void *to);
/*
 * Takes an object with fields into *to; skips keys that are not in fields.
 * False: an error (reported).
 */
bool gcov_json_take_object(
    struct gcov_json_reader *, const struct gcov_json_field *fields, void *to);

#endif
