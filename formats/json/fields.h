/*
 * fields.h - a line of our JSON, field by field; for the reader only.
 */
#ifndef FORMATS_JSON_FIELDS_H
#define FORMATS_JSON_FIELDS_H

#include "json.h"

#define JSON_FIELD_MAX 10 /* of a line: a function has so many */

struct field {
	const char *at;       /* its place, for messages */
	uint64_t number;      /* number, the builder's id, index of a word */
	struct cg_slice text; /* with a NUL behind it */
};

struct list {
	uint32_t *at;
	size_t cap;
};

/* One kind of thing that lines define. */
struct ids {
	const char *what;
	size_t count;       /* defined so far */
	struct list id;     /* id in the file -> the builder's */
	struct list number; /* the builder's -> id in the file, or 0 */
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	int status;
	struct cg_json json;
	enum cg_json_type type; /* the token that is next to be taken */
	struct cg_slice block, line;
	uint64_t version; /* as the first line says */
	uint64_t lines;   /* before this one */
	uint32_t crc;     /* of the blocks before this one */
	bool ended, in_part, in_rows;
	cg_fn fn; /* whose rows they are */
	struct ids objects, files, fns, nodes, labels;
	struct cg_label *label; /* of this line */
	size_t label_count, label_cap;
	struct field field[JSON_FIELD_MAX];
	size_t given; /* fields that the line has */
	char *text;   /* the strings of this line */
	size_t text_len, text_cap;
	size_t events, columns; /* in the file; of the builder, in use */
	bool moved;             /* some event has another column */
	bool is_signed[CG_EVENT_MAX];
	unsigned column[CG_EVENT_MAX]; /* event of the file -> column */
	uint64_t cost[CG_EVENT_MAX];   /* of this line, by column */
	size_t costs;
};

/* Where a line may stand. */
enum json_place { JSON_ANYWHERE, JSON_IN_PART, JSON_IN_ROWS };

/* A line by its tag; for the kinds of fields see json_take_fields(). */
struct json_tag {
	const char *name, *kinds;
	enum json_place place;
	bool (*add)(struct reader *); /* what r->field says, to the builder */
};
extern const struct json_tag json_tags[]; /* ends with name NULL */

/*
 * All return false after a failure that is reported and kept in r->status.
 * Each takes the token that is next, r->type and r->json, and moves on.
 */

/* Begins a line. */
void json_line(struct reader *);
bool json_take(struct reader *, enum cg_json_type, const char *expected);
/* The next token is not what is expected: reports that. */
bool json_refuse(struct reader *, const char *expected);
bool json_take_number(struct reader *, uint64_t max, uint64_t *);
/* Steps over a value of any shape. */
bool json_step_over(struct reader *);
/*
 * Takes fields of these kinds into r->field, and the end of the line:
 *
 *	n number        u number of 32 bits   b true or false
 *	d signed number                       l letters of json_flags
 *	t text          z text without NUL    c costs, into r->cost
 *	i word of json_incl                k word of json_kind
 *	O object id     F file id             f function id    s frame id
 *	S set of labels                       L labels, into r->label
 *
 * Those after '?' may be left out and are then 0, "".
 */
bool json_take_fields(struct reader *, const char *kinds);
/*
 * The same from behind the tag of a line, if that holds whole numbers of few
 * digits and no blanks. False: it does not, or something is wrong with it; then
 * the line is to be taken token by token.
 */
bool json_take_plain(struct reader *, const char *at, const char *kinds);
/* Fields are over, and the line is. */
bool json_take_end(struct reader *);

#endif
