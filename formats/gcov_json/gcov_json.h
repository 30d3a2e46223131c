/*
 * gcov_json.h - gcov's JSON (.gcov.json.gz): what the files of this format
 * share.
 *
 * Source: "Invoking gcov" of the GCC manual, which describes the keys; gcov of
 * gcc 9 to 16, by what they write. A document is one unit:
 *
 *	{ format_version, gcc_version, current_working_directory, data_file,
 *	  files: [{ file,
 *	    functions: [{ name, demangled_name, start_line, start_column,
 *	      end_line, end_column, blocks, blocks_executed, execution_count,
 *	      total_prime_paths, covered_prime_paths, prime_path_coverage }],
 *	    lines: [{ line_number, function_name, count, unexecuted_block,
 *	      block_ids, branches, calls, conditions }] }] }
 *
 * Format version 1 is gcc 9 to 13; 2 is gcc 14 and later, which added
 * block_ids, calls, conditions and the blocks of branches. Until gcc 13 keys
 * come in any order.
 *
 * Of functions that begin on the same line (instances of a template) each has
 * its own lines; all others are lines of the file, whose function_name is a
 * guess: the last function that began.
 */
#ifndef FORMATS_GCOV_JSON_GCOV_JSON_H
#define FORMATS_GCOV_JSON_GCOV_JSON_H

#include "cgconv_parse.h"

#define GCOVJSON_UNKNOWN UINT32_MAX

/* Something that is listed under a line. */
struct gcov_json_item {
	int64_t count;
	enum cg_branch_kind kind;
	uint32_t block; /* GCOVJSON_UNKNOWN: format version 1 */
	uint32_t target;
	uint32_t index; /* of a condition */
	unsigned flags;
};

/* A line of a block on a path that was not gone; or that has no line. */
struct gcov_json_step {
	uint32_t path, index, block, line;
	cg_name file, word; /* for the arc to the next block */
	bool last;          /* of the block's places */
};

struct gcov_json_line {
	int64_t count;
	uint32_t number;
	cg_name fn;      /* 0: none is named */
	bool unexecuted; /* it has a block that never ran */
	size_t item, items;
};

struct gcov_json_fn {
	cg_name name, shown; /* linkage name; demangled */
	struct cg_range range;
	uint32_t blocks, executed;
	int64_t count;
	uint32_t paths, covered;
	size_t id, ids; /* of paths that are not covered */
	size_t step, steps;
};

struct gcov_json_file {
	cg_name name;
	size_t fn, fns, line, lines;
};

/* A document, or as much of it as is not in the graph yet. */
struct gcov_json_unit {
	cg_name version, compiler, folder, data_file;
	struct gcov_json_file *file;
	size_t files, file_cap;
	struct gcov_json_fn *fn;
	size_t fns, fn_cap;
	struct gcov_json_line *line;
	size_t lines, line_cap;
	struct gcov_json_item *item;
	size_t items, item_cap;
	uint32_t *id;
	size_t ids, id_cap;
	struct gcov_json_step *step;
	size_t steps, step_cap;
};

/* Adds all of its files to the graph and forgets them. */
bool gcov_json_emit(struct cg_build *, struct gcov_json_unit *);

int gcov_json_read(struct cg_job *, struct cg_in *, struct cg_build *);
int gcov_json_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

/*
 * The version word of gcc's data files ("B22*") and how gcov says it
 * ("12.2.0"); what is no such word or version stays as it is.
 */
#define GCOVJSON_VERSION_MAX 32
struct cg_slice gcov_json_word(struct cg_slice version, char *room);
struct cg_slice gcov_json_version(struct cg_slice word, char *room);
/* 12 for both, 0 if neither. */
unsigned gcov_json_major(struct cg_slice word);

#endif
