/*
 * count.h - the memory in which the counts of one function are computed.
 *
 * gcov_solve() fills solved[] with the count of each block, then
 * gcov_count_lines() fills touch[] and line[]. Everything is valid until the
 * next function is solved; the arrays are reused.
 */
#ifndef FORMATS_GCOV_COUNT_H
#define FORMATS_GCOV_COUNT_H

#include "bytes.h"

/* A block while its function is solved and counted. */
struct gcov_solved {
	int64_t count;
	int64_t in, out;           /* sums of the arcs with known counts */
	uint32_t ins, outs;        /* numbers of arcs with unknown counts */
	uint32_t in_xor, out_xor;  /* exclusive or of their indices */
	uint32_t line;             /* the line that it ends on, or GCOV_NONE */
	uint32_t touch, touch_end; /* its touches */
	uint32_t member;           /* scratch->member: of the current line */
	uint32_t stamp;            /* the search for cycles that visited it */
	uint32_t list;             /* a list of arcs, or an arc, of a search */
	uint32_t condition;        /* number of its condition, + 1 */
	bool known, queued, exceptional, blocked, back;
};

/* A line of the function. */
struct gcov_line {
	uint32_t file, line;
	int64_t sum;          /* of the counts of its blocks */
	int64_t count;        /* how often it was executed */
	uint32_t first, last; /* its touches; GCOV_NONE: none */
	uint32_t own;         /* the first touch by the block of the last one */
	uint32_t last_src;    /* the last member whose arcs were seen, + 1 */
	bool has_members, cyclic;
};

/*
 * A block touches a line that it has code on. The members among the blocks of
 * a line are those whose arcs make its count.
 */
struct gcov_touch {
	uint32_t block, line; /* line GCOV_NONE: the block has no lines */
	uint32_t next;        /* touch of the same line */
	bool repeated;        /* the block is listed for this line already */
	bool member;
	uint32_t ends;        /* how often the block ends here; one touch */
};

/* A slot of the hash table of lines; slots of older epochs are free. */
struct gcov_slot {
	uint32_t epoch, line;
};

/*
 * Steps to count the lines of a unit, one or two seconds. A line with 2000
 * diamonds in a loop takes a tenth of them.
 */
#define GCOV_WORK_MAX ((uint64_t)1 << 29)

/* A line and its sort key. */
struct gcov_sorted {
	uint64_t key;
	uint32_t line;
};

/* A block on the stack of a depth-first search. */
struct gcov_frame {
	uint32_t block, arc; /* arc: the next one to follow */
	bool found;
};

struct gcov_scratch {
	struct gcov_solved *solved; /* by block */
	size_t solved_cap;
	uint32_t *queue; /* room for all blocks and arcs */
	size_t queue_cap;
	uint32_t *preds; /* the same */
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
	uint64_t seed; /* of the hashes of lines */
	uint32_t epoch, stamp, member;
	uint32_t *walk; /* of paths.c */
	size_t walk_cap;
	/* Of the whole unit. */
	uint64_t work;       /* steps to count lines */
	bool saturated;      /* a sum did not fit into 64 bits */
	bool unsolved;       /* the counters do not determine some count */
	bool inconsistent;   /* arcs into a block and out of it differ in sum */
	bool work_limit_hit; /* GCOV_WORK_MAX */
};

/* Sums that stop at the limits of 64 bits. */
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
