/*
 * fields.h - takes JSON apart by tables of keys; for the reader only.
 */
#ifndef FORMATS_GCOV_JSON_FIELDS_H
#define FORMATS_GCOV_JSON_FIELDS_H

#include "gcov_json.h"

struct reader {
	struct cg_job *job;
	struct cg_in *in;
	struct cg_build *build;
	struct cg_json json;
	enum cg_json_type type; /* the token that is next to be taken */
	int status;
	struct gcov_json_unit unit;
	struct gcov_json_item item; /* which is being read */
	uint32_t decisions;        /* of the line so far */
	uint64_t mask[2];          /* terms not shown to matter: false, true */
	uint64_t counted;          /* blocks, paths, conditions */
	uint32_t place;            /* on the path so far */
	cg_name last;              /* the string before */
	struct cg_slice last_text;
	char *text;
	size_t text_cap;
	bool rounded;
};

/* A key, who takes its value, or each one of its array, and where it goes. */
struct field {
	const char *key;
	bool (*take)(struct reader *, void *to);
	size_t offset;
	bool (*each)(struct reader *);
};

/*
 * All return false after a failure that is reported and kept in r->status.
 * Each takes the token that is next, r->type and r->json, and moves on.
 */

static inline void
gcov_json_advance(struct reader *r)
{
	r->type = cg_json_next(&r->json);
}

/* The next token is not what is expected: reports that. */
bool gcov_json_refuse(struct reader *, const char *expected);
/* Out of memory: reports that. */
bool gcov_json_nomem(struct reader *);
/* An int64_t, a uint32_t, a uint32_t that may not be known, a cg_name. */
bool gcov_json_take_count(struct reader *, void *to);
bool gcov_json_take_u32(struct reader *, void *to);
bool gcov_json_take_place(struct reader *, void *to);
bool gcov_json_take_bool(struct reader *, void *to);
bool gcov_json_take_name(struct reader *, void *to);
/* An object whose keys go into to; what else it has is stepped over. */
bool gcov_json_take_object(
    struct reader *, const struct field *fields, void *to);

#endif
