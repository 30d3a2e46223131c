/*
 * raw.h - raw counters as rows, from which a .gcda file can be written: raw.c
 * adds the rows to the graph, write.c reads them.
 */
#ifndef FORMATS_GCOV_RAW_H
#define FORMATS_GCOV_RAW_H

#include "unit.h"

/*
 * If the target can represent counters, the data of a unit is in rows of kind
 * CG_BRANCH_COUNTER of function 0 and file 0, one row for each word and
 * counter.
 *
 * The line of a row is the ident of its function, or 0 for the whole file. The
 * block of a row is an enum gcov_raw_block or, below GCOV_RAW_SIZE, the kind
 * of a counter.
 *
 * Merging rows adds their counts and keeps the greatest target. A word that
 * must be equal in all inputs is stored twice: as target w at index 2 * i and
 * as ~w at 2 * i + 1. If the two targets are not complements after merging,
 * the inputs differ.
 */
enum gcov_raw_block {
	GCOV_RAW_SIZE = 16,   /* word: number of counters; index: of the kind */
	GCOV_RAW_WORD,        /* word of the function's record */
	GCOV_RAW_ORDER,       /* target: number of the function in the file;
	                       * count: number of inputs that have it */
	GCOV_RAW_BITS = 32,   /* + kind; index: bit, 1 if count > 0 */
	GCOV_RAW_VALUES = 48, /* + kind; index: of the counter; see below */
	GCOV_RAW_HEAD = 64,   /* word of the header: enum gcov_raw_head */
	GCOV_RAW_ENDS,        /* target: number of 0 words after the records */
	GCOV_RAW_DROPPED,     /* some counters could not be merged */
	GCOV_RAW_DUPLICATE,   /* two functions have the same ident */
	/*
	 * Summaries before the functions and after them, + number. The target
	 * at index 0 is the tag. At other indexes i, the target is word i - 1,
	 * and the count is its sum.
	 */
	GCOV_RAW_BEFORE = 1024,
	GCOV_RAW_AFTER = 2048
};

enum gcov_raw_head {
	GCOV_RAW_VERSION,
	GCOV_RAW_LAYOUT,
	GCOV_RAW_BYTE_ORDER,
	GCOV_RAW_STAMP,
	GCOV_RAW_CHECKSUM,
	GCOV_RAW_HEADS
};

/* How counters of a kind are merged. */
enum gcov_merge {
	GCOV_MERGE_NOT,
	GCOV_MERGE_ADD,
	GCOV_MERGE_OR,
	/*
	 * Keeps the smallest number except 0: the time of a first call. The
	 * row's target is the complement of the number.
	 */
	GCOV_MERGE_FIRST,
	/*
	 * Adds the counts of equal values. Each value is a row: its address is
	 * the value, its target is the complement of its index. One row for
	 * all values has their total as count, and target 1 if values were
	 * dropped.
	 */
	GCOV_MERGE_VALUES
};
/* Returns how counters are merged; kind: as in the file. */
enum gcov_merge gcov_merge_of(uint32_t kind, uint32_t layout);

/* raw.c: adds the rows of the unit's data. Returns a CG_ status. */
int gcov_add_raw(struct gcov_unit *, struct cg_build *);
/* write.c: writes a .gcda file. Returns a CG_ status. */
int gcov_write_gcda(struct cg_job *, const struct cg_graph *, struct cg_out *);

#endif
