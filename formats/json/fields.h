/*
 * fields.h - the state of the reader, and functions that take the fields of a
 * line.
 */
#ifndef FORMATS_JSON_FIELDS_H
#define FORMATS_JSON_FIELDS_H

#include "cgconv_expert.h"
#include "json.h"

#define JSON_FIELD_MAX 10 /* the most fields in a line: a function */

struct json_field {
	const char *at;       /* where it begins: see json_at() */
	uint64_t number;      /* number, builder's id, or index of a word */
	struct cg_slice text; /* followed by a NUL */
};

/* Ids that lines of one tag define: object, file, function, frame, labels. */
struct json_ids {
	const char *what;
	CG_ARRAY(uint32_t) id;     /* id in the file, less 1 -> builder's id */
	CG_ARRAY(uint32_t) number; /* builder's id -> id in the file, or 0 */
};

struct json_reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_json json;
	enum cg_json_type type; /* of the next token */
	struct cg_slice block, line;
	uint64_t version; /* from the first line */
	uint64_t lines;   /* lines before this one */
	uint32_t crc;     /* of the blocks before this one */
	bool ended, in_part, in_rows, in_track;
	bool timed;    /* the target can represent timelines */
	int64_t begin; /* of the track */
	cg_fn fn;      /* of the rows */
	struct json_ids objects, files, fns, nodes, labels;
	CG_ARRAY(struct cg_label) label; /* of this line */
	struct json_field field[JSON_FIELD_MAX];
	size_t given; /* number of fields in the line */
	bool plain;   /* taken by json_take_plain() */
	CG_ARRAY(char) text; /* the strings of this line, each with a NUL */
	size_t events, columns; /* of the file; of the builder, in use */
	bool moved; /* the column of some event differs from the file's */
	bool is_signed[CG_EVENT_MAX];
	unsigned column[CG_EVENT_MAX]; /* event of the file -> column */
	const uint64_t *cost;          /* of this line, by column */
	size_t costs;
	uint64_t own_cost[CG_EVENT_MAX]; /* costs that must be copied */
};

/*
 * All functions report a failure as cg_reject() does and return false; later
 * calls do the same. Each consumes the next token, r->type and r->json, and
 * moves on.
 */

/* Begins a line. */
void json_line(struct json_reader *);
bool json_take(struct json_reader *, enum cg_json_type, const char *expected);
/* Reports what was expected instead of the next token. */
bool json_reject(struct json_reader *, const char *expected);
bool json_take_number(struct json_reader *, uint64_t max, uint64_t *);
/* Skips a value of any type. */
bool json_skip(struct json_reader *);
/*
 * Takes fields of these kinds into r->field, and the end of the line:
 *
 *	n number        u number of 32 bits   b true or false
 *	d signed number                       l letters of json_flags
 *	t text          z text without NUL    c costs, into r->cost
 *	i word of json_incl                   k word of json_kind
 *	O object id     F file id             f function id    s frame id
 *	S id of a label set                   L labels, into r->label
 *
 * Kinds after '?' are optional: 0 or "" if absent.
 */
bool json_take_fields(struct json_reader *, const char *kinds);
/* Returns where a field of the line begins, for messages. */
const char *json_at(const struct json_reader *, size_t field);
/* Takes the end of the array, and of the line. */
bool json_take_end(struct json_reader *);

/* ---- plain.c: blocks of lines -------------------------------------------- */

/*
 * A line. A plain line has a known tag and unsigned numbers of at most 18
 * digits, without blanks; these numbers follow.
 */
struct json_plain {
	uint32_t len;    /* without the newline */
	uint16_t costs;  /* in the array */
	uint8_t tag;     /* enum json_tag_id; JSON_TAGS: not plain */
	uint8_t fields : 4, array : 4; /* their number; index of the array */
	uint64_t number[]; /* in order, with the costs */
};
#define JSON_NO_ARRAY 15
_Static_assert(JSON_FIELD_MAX < JSON_NO_ARRAY, "fields must fit");
_Static_assert(CG_EVENT_MAX <= UINT16_MAX, "costs must fit");

/* A parsed block. */
struct json_block {
	uint64_t *word; /* struct json_plain, one after the other */
	size_t cap, lines;
	uint32_t crc; /* CRC-32 of its text */
};

/* Returns the size of a line with its numbers, in words. */
static inline size_t
json_plain_words(const struct json_plain *line)
{
	return sizeof(*line) / sizeof(uint64_t) + line->costs + line->fields -
	       (line->array != JSON_NO_ARRAY);
}
/* See struct cg_texts_how. own is a struct json_block. */
bool json_parse(const void *arg, struct cg_text *);
void json_close(void *own);
/*
 * Takes the fields of a plain line as json_take_fields() does. Costs may stay
 * in the block. False: the line has an error, which json_take_fields() will
 * report.
 */
bool json_take_plain(struct json_reader *, const struct json_plain *);

#endif
