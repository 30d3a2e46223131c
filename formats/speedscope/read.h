/*
 * read.h - the state of the reader.
 */
#ifndef FORMATS_SPEEDSCOPE_READ_H
#define FORMATS_SPEEDSCOPE_READ_H

#include "speedscope.h"

#define NANO 1000000000u

/* A number in the unit of its profile, which may come later in the file. */
struct decimal {
	uint64_t whole;
	uint32_t nano; /* less than NANO */
};

/*
 * A frame, by number, on top of its parent; node 0 is the root. When the
 * frames are known, the builder's node replaces the number.
 */
struct node {
	uint32_t parent, frame;
	uint32_t last : 31;  /* child looked up last, likely the next */
	uint32_t listed : 1; /* in node_ids */
};
#define NODES_MAX 0x7fffffffu

/* The cost of a stack in a profile. */
struct cost {
	uint32_t node;
	bool counted; /* the file states numbers of samples */
	struct decimal value;
	uint64_t samples;
};

struct profile {
	size_t first, end; /* range of its costs */
	cg_name name, unit;
	/* From the key "cgconv", which only cgconv writes: */
	bool ours;
	bool counted; /* weights are numbers of samples */
	cg_name event, event_long, event_unit, cmd;
	uint64_t part, pid, tid, number;
	size_t first_desc, end_desc;
	/* The timeline: */
	size_t first_moment, end_moment; /* range in reader.moments */
	struct decimal start;
	bool evented;
	bool tracked; /* by cgconv; without it, order is arbitrary */
	bool
	    again; /* samples are counted in the profile of another event */
	bool gaps; /* samples without frames are gaps */
	uint64_t track_pid, track_tid;
	cg_name track, process;
};

struct desc {
	cg_name key, value;
};

struct frame {
	cg_fn fn;
	cg_file file;
	uint32_t line;
	bool inlined;
	cg_frame_id id; /* 0: in no stack yet */
};

/* An open frame, in events. */
struct step {
	uint32_t node, frame;
};

struct reader {
	struct cg_job *job;
	struct cg_build *build;
	struct cg_json json;
	enum cg_json_type type; /* of the next token */
	CG_ARRAY(char) text;    /* buffer of an unescaped string */
	struct cg_slice string; /* the last string, in text or in the input */

	/*
	 * The frames came before the first profile: stacks are nodes of the
	 * builder only.
	 */
	bool direct;
	bool built;          /* some profiles are in the builder */
	struct cg_map parts; /* number -> part of the builder, + 1 */
	uint32_t last_root;  /* like node.last, for roots */
	CG_ARRAY(struct node) nodes;
	struct cg_map node_ids; /* parent << 32 | frame -> node, if listed */
	CG_ARRAY(struct cost) costs;
	CG_ARRAY(struct profile) profiles;
	CG_ARRAY(struct frame) frames;
	CG_ARRAY(struct desc) descs;
	struct frame frame; /* the current one */
	cg_name frame_name;
	cg_object frame_object;
	uint32_t frame_column;

	struct profile profile;     /* the current one */
	CG_ARRAY(uint32_t) cost_of; /* by node: its cost's number, from 1 */
	CG_ARRAY(uint32_t) samples; /* nodes */
	CG_ARRAY(struct decimal) weights; /* weights that come before samples */
	/* Samples that are not in samples yet: */
	CG_ARRAY(uint32_t) stacks;  /* the numbers of their frames */
	CG_ARRAY(size_t) ends;      /* by sample: end of its frames in stacks */
	CG_ARRAY(struct step) open; /* open frames */
	bool weighted, sampled;     /* weights, samples were read already */
	size_t counts;              /* number of counts that were read */
	bool stored;                /* weights are stored, before samples */
	/*
	 * Moments of all profiles, compact: a node and a weight or time.
	 * Frames, and with them the builder's nodes, may come later.
	 */
	struct cg_numbers moments;
	bool timed;                    /* there are moments */
	bool untimed;                  /* the target cannot represent them */
	CG_ARRAY(struct decimal) sums; /* of one profile */
	struct cg_map sum_ids;         /* node -> index in sums, from 1 */
	struct decimal now;
	bool began; /* now is set */
	/* The current event. */
	char event_type;
	uint32_t event_frame;
	struct decimal event_at;
};

/* ---- json.c: values ----------------------------------------------------- */

/*
 * Functions that return false or NULL have failed, and reported it as
 * cg_reject() does. Functions that take a value move to the token after it.
 */

/* Reports what was expected instead of the next token. */
bool speedscope_reject(struct reader *, const char *expected);
bool speedscope_next(struct reader *);
bool speedscope_expect(
    struct reader *, enum cg_json_type, const char *expected);
/* Sets r->string; does not move to the next token. */
bool speedscope_string(struct reader *);
bool speedscope_take_name(struct reader *, cg_name *);
/* Gets a number; does not move to the next token. */
bool speedscope_get_number(struct reader *, uint64_t max, uint64_t *);
bool speedscope_take_number(struct reader *, uint64_t max, uint64_t *);
bool speedscope_take_decimal(struct reader *, struct decimal *);

/*
 * The keys of an object, with the functions that take their values; other keys
 * are skipped.
 */
struct key {
	const char *name;
	bool (*take)(struct reader *);
};
bool speedscope_take_object(struct reader *, const struct key *);
/* Calls take() for each element. */
bool speedscope_take_array(struct reader *, bool (*take)(struct reader *));

/* ---- timeline.c: samples in their order --------------------------------- */

/*
 * Stores a sample and its weight, or the stack from a time on. False: out of
 * memory.
 */
bool speedscope_keep_moment(
    struct reader *, uint32_t node, const struct decimal *);
/*
 * Adds the moments of a profile to the track of its thread. factor: scales the
 * unit; column: of the event; unit: of times.
 */
bool speedscope_add_moments(struct reader *, const struct profile *,
    uint64_t factor, unsigned column, const char *unit);

/* ---- exporter.c: keys that only cgconv writes --------------------------- */

/* Take "cgconv" and "counts" of a profile, "cgconv" of a frame. */
bool speedscope_take_ours(struct reader *);
bool speedscope_take_counts(struct reader *);
bool speedscope_take_our_frame(struct reader *);

/* ---- decimal.c: sums of numbers with fractions --------------------------- */

/* False: the sum overflows. */
bool speedscope_add_decimal(struct decimal *sum, const struct decimal *more);
/* Multiplies and rounds; false: the product overflows. */
bool speedscope_scale(const struct decimal *, uint64_t factor, uint64_t *);

/* ---- build.c ------------------------------------------------------------ */

/* Returns the builder's id of frame number; 0: failed. */
cg_frame_id speedscope_get_frame(struct reader *, uint32_t number);
/* Adds the last profile to the builder, if frames came before it. */
bool speedscope_build_profile(struct reader *);
/* Adds all data that is not in the builder yet. */
void speedscope_build(struct reader *);
/* Returns the builder's node, after speedscope_build() has added it. */
static inline cg_node
speedscope_stack(const struct reader *r, uint32_t node)
{
	return r->direct || node == 0 ? node : r->nodes.at[node - 1].frame;
}

#endif
