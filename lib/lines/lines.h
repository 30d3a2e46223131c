/*
 * lines.h - the graph by source file and line.
 *
 *	lines.c  cursors
 *	files.c  finds the functions that have rows in each file
 *	order.c  sorts files, functions and rows
 *	batch.c  collects the rows of some files
 *	sums.c   sums the rows of a line over all functions
 *	counts.c coverage counts of a file
 *	owners.c for readers: the function of a line
 *
 * Files have an order number: their position in the order in which
 * cg_next_file() returns them. files.c and batch.c decode packed rows
 * themselves, for speed.
 */
#ifndef CG_LINES_H
#define CG_LINES_H

#include "graph/graph.h"

/* A function of the part. */
struct part_fn {
	cg_fn fn;
	uint32_t run;            /* its only run, or CG_NO_RUN */
	uint32_t number;         /* its index when functions are sorted */
};

/* A pair of a function and a file in which it has rows, or which is its own. */
struct fn_in_file {
	uint64_t key;            /* the file's order number, index in part_fn */
	uint64_t rows;
};

static inline uint64_t
cg_in_file_key(uint32_t file, uint32_t part_fn)
{
	return (uint64_t)file << 32 | part_fn;
}

static inline uint32_t
cg_in_file_file(const struct fn_in_file *in_file)
{
	return (uint32_t)(in_file->key >> 32);
}

static inline uint32_t
cg_in_file_fn(const struct fn_in_file *in_file)
{
	return (uint32_t)in_file->key;
}

/* The rows of a function on a line. */
struct line_row {
	uint64_t key;            /* file's order number, line, foreign */
	cg_fn fn;
	uint32_t n, branches;
	bool has_cost;
	size_t cost, branch;     /* index of the first */
};

/* Lines have 32 bits, files less than 31. */
static inline uint64_t
cg_row_key(uint32_t file, uint32_t line, bool foreign)
{
	return (uint64_t)file << 33 | (uint64_t)line << 1 | foreign;
}

static inline uint32_t
cg_row_file(const struct line_row *row)
{
	return (uint32_t)(row->key >> 33);
}

static inline uint32_t
cg_row_line(const struct line_row *row)
{
	return (uint32_t)(row->key >> 1);
}

/* True if the file is not the function's own. */
static inline bool
cg_row_is_foreign(const struct line_row *row)
{
	return row->key & 1;
}

/* An item to sort, with its old index or its number of rows. */
struct keyed {
	uint64_t key;
	union {
		uint32_t index, rows;
	};
};

/* Memory for sorting. */
struct sorting {
	struct keyed *item;
	size_t cap;
};

/* cg_get_coverage() of a function. */
struct covered {
	uint32_t part_fn;
	struct cg_coverage sum;
};

/*
 * Functions with the same branches on a line, and the position of their sums.
 */
struct shape {
	size_t base, n;
};

struct cg_lines {
	const struct cg_graph *graph;
	struct cg_scope scope; /* has all arrays */
	cg_part part;
	struct cg_rows *rows;
	struct sorting sorting;

	uint32_t *file_order;    /* file -> order number */
	cg_file *ordered_file;   /* order number -> file */
	/*
	 * file_order before cg_lines_order_listed(); NULL: that was not
	 * called.
	 */
	uint32_t *directory_order;
	bool by_name; /* see cg_lines_new_by_name() */
	/* Sorted by first line, first column, number unless by_name, rank. */
	struct part_fn *part_fn;
	size_t part_fns, part_fn_cap;
	struct fn_in_file *in_file; /* sorted by key */
	size_t in_files, in_file_cap;
	uint64_t batch_rows;     /* maximum of a batch of several files */
	uint32_t *last;          /* by order number: last in_file + 1 */
	uint32_t *first;         /* by fn: first line; 0: unknown */
	uint64_t *entries;       /* by fn: sum of the counts of its calls */
	bool *called;            /* by fn: calls of it are known */
	uint32_t *number;        /* by fn: position in its unit, or 0 */
	cg_fn *callee;           /* functions that are called */
	size_t callees, callee_cap;

	/* The cursor. */
	size_t batch, batch_end; /* range of in_file in the batch */
	struct line_row *row;
	size_t row_count, row_cap;
	struct line_row *row_spare;
	size_t row_spare_cap;
	uint64_t *cost;
	size_t costs, cost_cap;
	struct cg_branch *branch;
	size_t branches, branch_cap;
	struct covered *covered; /* by function of the batch; or empty */
	size_t covers, covered_cap;

	size_t from, to;         /* range of in_file of the current file */
	size_t row_from, row_to, row_next;
	cg_fn *fn;               /* functions whose own file it is */
	uint32_t *fn_index;      /* ... and their index in part_fn */
	size_t fns, fn_cap, fn_index_cap;

	struct cg_branch *sum;   /* branches of a line, of all functions */
	size_t sums, sum_cap;
	struct shape *shape;
	size_t shapes, shape_cap;
	uint32_t last_shape;     /* index + 1 */
	struct cg_map shape_ids; /* hash -> index + 1; unused for one shape */
	struct cg_branch *region; /* of a line, of several functions */
	size_t region_cap;

	uint32_t *merged_at;     /* by name: index + 1; 0 between files */
	struct cg_merged_fn *merged_fn;
	size_t merged_fns, merged_fn_cap;
	struct cg_merged_condition *condition;
	size_t condition_cap;
};

/* ---- order.c: false if out of memory ------------------------------------ */

/* Orders files by directory, then by name. False: out of memory. */
bool cg_lines_order_files(struct cg_lines *);
/*
 * Puts the files that the part's source lists in the order of that list.
 * False: out of memory.
 */
bool cg_lines_order_listed(struct cg_lines *);
/* Undoes cg_lines_order_listed(). */
void cg_lines_restore_order(struct cg_lines *);
/*
 * Sorts part_fn, which may be in_order of ranks already; then sorts in_file.
 * False: out of memory.
 */
bool cg_lines_order_fns(struct cg_lines *, bool in_order);
/*
 * Returns the functions that have rows in the files in_file[from, to): key is
 * their index in part_fn; their number of rows saturates. NULL: out of memory.
 */
struct keyed *cg_lines_order_batch(
    struct cg_lines *, size_t from, size_t to, size_t *count);
/*
 * Sorts the batch's rows, which are sorted by function before. False: out of
 * memory.
 */
bool cg_lines_order_rows(struct cg_lines *);
void cg_lines_free_sorting(struct cg_lines *);

/* ---- files.c ------------------------------------------------------------ */

/* Sets part_fn and in_file of the part; false: out of memory. */
bool cg_lines_scan(struct cg_lines *);
/* Clears the counts of calls and rows. */
void cg_lines_clear_counts(struct cg_lines *);

/* ---- batch.c ------------------------------------------------------------ */

/* Sets batch_rows; call it while in_file is sorted by function. */
void cg_lines_plan_batches(struct cg_lines *);
/* Collects the rows of the next files, at least one; false: out of memory. */
bool cg_lines_open_batch(struct cg_lines *);
/*
 * Returns the end of the entries of in_file of one file, which begin at from;
 * *rows: the number of its rows, plus one for each function.
 */
size_t cg_lines_file_end(const struct cg_lines *, size_t from, uint64_t *rows);

#endif
