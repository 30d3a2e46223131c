/*
 * count.h - the memory in which the counts of one function are computed.
 *
 * gcov_solve() fills solved[] with the count of each block, then
 * gcov_count_lines() fills touch[] and line[]. Results are valid until the
 * next function is solved, as the arrays are reused.
 */
#ifndef FORMATS_GCOV_COUNT_H
#define FORMATS_GCOV_COUNT_H

#include "bytes.h"

/* The state of a block while its function is solved and counted. */
struct gcov_solved {
	int64_t count;
	int64_t in, out;           /* sums of arcs with known counts */
	uint32_t ins, outs;        /* numbers of arcs with unknown counts */
	uint32_t in_xor, out_xor;  /* exclusive or of indices of unknown arcs */
	uint32_t line;             /* line that the block ends on; GCOV_NONE */
	uint32_t touch, touch_end; /* range of the block's touches */
	uint32_t member;           /* scratch->member: is of the current line */
	uint32_t stamp;            /* last search for cycles that visited it */
	uint32_t list;             /* list of arcs, or an arc, of a search */
	uint32_t condition;        /* number of its condition + 1 */
	bool known, queued, exceptional, blocked, back;
};

/* A line of the function. */
struct gcov_line {
	uint32_t file, line;
	int64_t sum;          /* sum of the counts of its blocks */
	int64_t count;        /* how often it was executed */
	uint32_t first, last; /* its touches; GCOV_NONE: none */
	uint32_t own;         /* first touch by the block of touch last */
	uint32_t last_src;    /* last member whose arcs were seen, + 1 */
	bool has_members, cyclic;
};

/*
 * A touch means that a block has code on a line. The members of a line are the
 * blocks whose arcs determine the line's count.
 */
struct gcov_touch {
	uint32_t block, line; /* line GCOV_NONE: the block has no lines */
	uint32_t next;        /* next touch of the line */
	bool repeated;        /* the block is listed for this line already */
	bool member;
	uint32_t ends;        /* times that the block ends here; in line->own */
};

/* A slot of the hash table of lines; slots of older epochs are free. */
struct gcov_slot {
	uint32_t epoch, line;
};

/*
 * Limit of steps to count the lines of a unit, which take one or two seconds.
 * A line with 2000 diamonds in a loop needs a tenth of the limit.
 */
#define GCOV_WORK_MAX ((uint64_t)1 << 29)

/* A line and its sort key. */
struct gcov_sorted {
	uint64_t key;
	uint32_t line;
};

/* A block on the stack of a depth-first search. */
struct gcov_frame {
	uint32_t block, arc; /* arc: the next arc to follow */
	bool found;
};

struct gcov_scratch {
	struct gcov_solved *solved; /* by block */
	size_t solved_cap;
	uint32_t *queue; /* room for all blocks and arcs */
	size_t queue_cap;
	uint32_t *preds; /* room for all blocks and arcs */
	size_t preds_cap;
	struct gcov_frame *frame;
	size_t frame_cap;
	uint32_t *path;
	size_t path_cap;
	struct gcov_line *line;
	size_t lines, line_cap;
	struct gcov_touch *touch;
	size_t touches, touch_cap;
	struct gcov_sorted *order;
	size_t order_cap;
	struct gcov_slot *slot;
	size_t slots;
	uint64_t seed; /* seed of hashes of lines */
	uint32_t epoch, stamp, member;
	uint32_t *walk; /* memory of paths.c */
	size_t walk_cap;
	/* State of the whole unit: */
	uint64_t work;       /* steps to count lines */
	bool saturated;      /* a sum did not fit into 64 bits */
	bool unsolved;       /* some counts are not determined */
	bool inconsistent;   /* sums into and out of a block differ */
	bool work_limit_hit; /* GCOV_WORK_MAX was reached */
};

/* Returns the sum, limited to 64 bits; sets saturated at a limit. */
static inline int64_t
gcov_add(struct gcov_scratch *scratch, int64_t a, int64_t b)
{
	int64_t sum = (int64_t)((uint64_t)a + (uint64_t)b);

	if (((a ^ sum) & (b ^ sum)) >= 0)
		return sum;
	scratch->saturated = true;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t
gcov_sub(struct gcov_scratch *scratch, int64_t a, int64_t b)
{
	int64_t difference = (int64_t)((uint64_t)a - (uint64_t)b);

	if (((a ^ b) & (a ^ difference)) >= 0)
		return difference;
	scratch->saturated = true;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
