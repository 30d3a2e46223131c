/*
 * read.h - what the parts of the reader share.
 */
#ifndef FORMATS_SPEEDSCOPE_READ_H
#define FORMATS_SPEEDSCOPE_READ_H

#include "speedscope.h"

#define NANO 1000000000u

/* A number as it stands there: the unit may come later. */
struct decimal {
	uint64_t whole;
	uint32_t nano; /* below NANO */
};

/* A frame, by number, on top of another; 0 is below all. */
struct node {
	uint32_t parent, frame;
	uint32_t last; /* the child that was wanted last, as likely next */
};

/* What a stack costs in a profile. */
struct cost {
	uint32_t node;
	struct decimal value;
	uint64_t samples;
	bool counted; /* the file says how many */
};

struct profile {
	size_t first, end; /* its costs */
	cg_name name, unit;
	/* What is in "cgconv", if we have written it ourselves. */
	bool ours;
	bool counted; /* weights are numbers of samples */
	cg_name event, event_long, event_unit, cmd;
	uint64_t part, pid, tid, number;
	size_t first_desc, end_desc;
};

struct desc {
	cg_name key, value;
};

struct frame {
	cg_fn fn;
	cg_file file;
	uint32_t line;
	bool inlined;
};

/* Arrays: cap is in elements. */
struct list {
	void *at;
	size_t count, cap;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_json json;
	enum cg_json_type type; /* of the token that is next */
	char *text;             /* room for a string without escapes */
	size_t text_cap;
	struct cg_slice string; /* the last one, in text or in the input */

	uint32_t last_root;     /* the same below all nodes */
	struct list nodes;      /* struct node */
	struct cg_map node_ids; /* parent << 32 | frame -> node */
	struct list costs;      /* struct cost */
	struct list profiles;   /* struct profile */
	struct list frames;     /* struct frame */
	struct list descs;      /* struct desc */
	struct frame frame;     /* the current one */
	cg_name frame_name;
	cg_object frame_object;
	uint32_t frame_column;

	struct profile profile; /* the current one */
	struct cg_map cost_ids; /* its nodes -> their costs, from 1 */
	struct list samples;    /* nodes: uint32_t */
	struct list weights;    /* struct decimal, if they come first */
	struct list path;       /* nodes of the last sample or open frames */
	bool weighted, sampled; /* there was such a list */
	size_t counts;          /* of samples, how many were taken */
	bool stored;            /* the weights came first */
	struct decimal now;
	bool began; /* now is set */
	/* The current event. */
	char event_type;
	uint32_t event_frame;
	struct decimal event_at;
	int status;
};

/* ---- speedscope_json.c: values ------------------------------------------ */

/*
 * Everything below returns false after a failure, which is reported and in
 * status. What takes a value leaves the token behind it as the next.
 */
bool speedscope_nomem(struct reader *);
/* The next token is not what was expected. */
bool speedscope_refuse(struct reader *, const char *expected);
/* One more element of that size at the end, cleared; NULL: no memory. */
void *speedscope_add(struct reader *, struct list *, size_t size);
bool speedscope_next(struct reader *);
bool speedscope_expect(
    struct reader *, enum cg_json_type, const char *expected);
/* Into string; the token stays the next. */
bool speedscope_string(struct reader *);
bool speedscope_take_name(struct reader *, cg_name *);
bool speedscope_take_number(struct reader *, uint64_t max, uint64_t *);
bool speedscope_take_decimal(struct reader *, struct decimal *);

/* Keys of an object and what takes their values; others are skipped. */
struct key {
	const char *name;
	bool (*take)(struct reader *);
};
bool speedscope_take_object(struct reader *, const struct key *);
/* Calls take for each element. */
bool speedscope_take_array(struct reader *, bool (*take)(struct reader *));

/* ---- speedscope_ours.c: what we write beside ----------------------------- */

/* "cgconv" and "counts" of a profile, "cgconv" of a frame. */
bool speedscope_take_ours(struct reader *);
bool speedscope_take_counts(struct reader *);
bool speedscope_take_our_frame(struct reader *);

/* ---- speedscope_build.c ------------------------------------------------- */

/* All was read: it becomes stacks and their costs. */
void speedscope_build(struct reader *);

#endif
