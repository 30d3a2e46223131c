/*
 * write.h - the state of the writer.
 */
#ifndef FORMATS_SPEEDSCOPE_WRITE_H
#define FORMATS_SPEEDSCOPE_WRITE_H

#include "cgconv_expert.h"
#include "speedscope.h"

/* The written fields of a frame; frames are sorted by them. */
struct frame {
	struct cg_slice name, file, object;
	uint32_t line;
	bool inlined;
	uint32_t id; /* in the order of first appearance */
};

struct writer {
	struct cg_job *job;
	const struct cg_graph *graph;
	struct cg_out *out;
	struct cg_map files; /* fn << 32 | file -> number, from 1 */
	uint32_t file_ids;
	struct cg_map lines; /* file number, inlined, line -> id + 1 */
	CG_ARRAY(struct frame) frame;
	bool *used;         /* by node: it or a node above has a cost */
	uint32_t *frame_of; /* by node: id, later the frame's number */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *stack; /* key: its frame's number */
	uint32_t *order;   /* stacks by rank: by depth, then by caller and frame */
	uint32_t *rank_of; /* by stack */
	uint64_t *cost;    /* by stack, of one profile */
	uint64_t *count;   /* by stack, of one profile: samples */
	uint32_t *rank;    /* ranks of the stacks that have costs */
	size_t ranks;
	size_t elsewhere;    /* frames in other files than their functions */
	uint32_t *path;      /* of a stack, the leaf first */
	CG_ARRAY(char) name; /* of a profile */
	size_t profiles;
	/* The costs of the tracks of this part, by event: */
	uint64_t *covered;
	cg_part covered_part;
	size_t first_track; /* the part's first track */
	bool has_covered;
	size_t main_event, main_track;
	cg_part main_part; /* the part with most cost of the main event */
	size_t active;     /* the profile to show first */
	uint64_t samples;  /* of the part's stacks */
	uint64_t entries;  /* written so far in profiles of its tracks */
};

/* ---- order.c: profiles in the order of time ------------------------------ */

/*
 * If memory runs out here, the graph has failed: its cursors end, and the job
 * reports it.
 */

/* Marks the nodes of moments in writer.used. */
void speedscope_mark_tracks(struct writer *);
/*
 * True if tracks of the part have all costs of the event. Call it for parts in
 * ascending order.
 */
bool speedscope_has_order(struct writer *, cg_part, size_t event);
/* Writes a profile for each track of the part. */
void speedscope_put_tracks(struct writer *, cg_part, size_t event, bool first);
/* Writes "[0,3,7]", the root first; "[]" for stack 0. */
void speedscope_put_path(struct writer *, uint32_t stack);

/* ---- header.c ------------------------------------------------------------ */

/* The keys before the samples of a profile. */
struct profile_head {
	cg_part part;
	size_t event;
	bool counted;                 /* weights are numbers of samples */
	int64_t begin, end;           /* of the axis */
	const struct cg_track *track; /* NULL: of the whole part */
	bool again;                   /* samples of another event's profile */
	bool named;                   /* the name includes the track's */
	bool gaps;                    /* samples without frames are gaps */
};
/* Writes these keys. */
void speedscope_put_head(struct writer *, const struct profile_head *);

#endif
