/*
 * raw.h - data as it is, for who writes .gcda files again: gcov_raw.c puts
 * it into the graph, gcov_write.c takes it out.
 */
#ifndef FORMATS_GCOV_RAW_H
#define FORMATS_GCOV_RAW_H

#include "gcov.h"

/*
 * Where the target carries counters, the data of a unit is in rows of fn 0 and
 * file 0, one for each word and counter. Their line is the function's ident, or
 * 0 for what is said once; their block is one of these, and the numbers of
 * kinds below them. A word is the row's target, of which adding up keeps the
 * greatest; with its complement in the row of the next index that shows
 * whether all inputs have it.
 */
enum gcov_raw {
	GCOV_RAW_SIZE = 16, /* index: 2 * kind; counters of it */
	GCOV_RAW_WORD,      /* index: 2 * number; of the function's record */
	GCOV_RAW_ORDER,     /* which function; count: how many inputs have it */
	GCOV_RAW_BITS = 32, /* + kind; index: of the bit */
	GCOV_RAW_VALUES = 48, /* + kind; index: of the counter; see below */
	GCOV_RAW_HEAD = 64, /* index: 2 * enum gcov_raw_head */
	GCOV_RAW_ENDS,      /* words that are 0 behind the records */
	GCOV_RAW_LEFT,      /* there were counters that do not add up */
	GCOV_RAW_TWICE,     /* there were two functions of one ident */
	GCOV_RAW_BEFORE = 1024, /* + number of the summary; index 0: its tag, */
	GCOV_RAW_AFTER = 2048   /* else the word; count: sum. After functions */
};
enum gcov_raw_head {
	GCOV_RAW_VERSION,
	GCOV_RAW_LAYOUT,
	GCOV_RAW_ORDER_OF_BYTES,
	GCOV_RAW_STAMP,
	GCOV_RAW_CHECKSUM,
	GCOV_RAW_HEADS
};
/*
 * What the counters of a kind are: to be added, bits, when something was first
 * done (the least but 0 is the sum; a row's target is its complement), values
 * with a count each (a row each, whose address is the value, and target the
 * complement of its place; one for all of them has their total, and target 1 if
 * values were dropped), or nothing of the kind.
 */
enum gcov_sum {
	GCOV_SUM_NOT,
	GCOV_SUM_ADD,
	GCOV_SUM_OR,
	GCOV_SUM_FIRST,
	GCOV_SUM_VALUES
};
enum gcov_sum gcov_sum_of(uint32_t kind, uint32_t layout);
/* gcov_raw.c */
int gcov_add_raw(struct gcov_unit *, struct cg_build *);
/* gcov_write.c */
int gcov_write(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
