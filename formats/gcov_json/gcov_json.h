/*
 * gcov_json.h - the way of the data through formats/gcov_json/:
 *
 *	gcov_json.c  recognises the format, lists its options
 *	version.c    versions of gcc, in words and in digits
 *	fields.c     JSON tokens -> members of objects
 *	read.c       objects -> struct gcov_json_unit
 *	emit.c       unit -> graph
 *	put.c        a function, path or line of the graph -> JSON
 *	write.c      graph -> documents: the order of files and lines
 *
 * Source: "Invoking gcov" of the GCC manual, which describes the keys; output
 * of gcov of gcc 9 to 16. A document is one unit (object file):
 *
 *	{ format_version, gcc_version, current_working_directory, data_file,
 *	  files: [{ file,
 *	    functions: [{ name, demangled_name, start_line, start_column,
 *	      end_line, end_column, blocks, blocks_executed, execution_count,
 *	      total_prime_paths, covered_prime_paths, prime_path_coverage }],
 *	    lines: [{ line_number, function_name, count, unexecuted_block,
 *	      block_ids, branches, calls, conditions }] }] }
 *
 * gcc 9 to 13 write format version 1. gcc 14 and later write version 2, which
 * adds block_ids, calls, conditions and the blocks of branches. Until gcc 13
 * keys come in any order.
 *
 * Functions that begin on the same line (instances of a template) have their
 * own entries of lines. All other lines are lines of the file: gcov guesses
 * their function_name, the last function that began before the line.
 */
#ifndef FORMATS_GCOV_JSON_GCOV_JSON_H
#define FORMATS_GCOV_JSON_GCOV_JSON_H

#include "cgconv_parse.h"

#define GCOV_JSON_UNKNOWN UINT32_MAX

/* A branch, call, block or condition of a line. */
struct gcov_json_item {
	int64_t count;
	enum cg_branch_kind kind;
	uint32_t block; /* GCOV_JSON_UNKNOWN in format version 1 */
	uint32_t target;
	uint32_t index; /* of a condition */
	unsigned flags;
};

/* A line of a block on a path that was not taken. */
struct gcov_json_step {
	uint32_t path, index, block;
	uint32_t line; /* 0: the block has none */
	cg_name file;
	cg_name edge; /* edge_kind of the arc to the next block */
	bool last;    /* the block's last location */
};

struct gcov_json_line {
	int64_t count;
	uint32_t number;
	cg_name fn;         /* function_name, or 0 */
	bool unexecuted;    /* some block of it never ran */
	size_t item, items; /* range in unit.item */
};

struct gcov_json_fn {
	cg_name name, demangled;
	struct cg_range range;
	uint32_t blocks, executed;
	int64_t count;
	uint32_t paths, covered;
	size_t missed, missed_count; /* paths not taken, in unit.missed */
	size_t step, steps;          /* range in unit.step */
};

struct gcov_json_file {
	cg_name name;
	size_t fn, fns, line, lines; /* in the unit's arrays */
};

/* A document, or its files that have not been moved to the graph. */
struct gcov_json_unit {
	cg_name version, compiler, directory, data_file;
	CG_ARRAY(struct gcov_json_file) file;
	CG_ARRAY(struct gcov_json_fn) fn;
	CG_ARRAY(struct gcov_json_line) line;
	CG_ARRAY(struct gcov_json_item) item;
	CG_ARRAY(uint32_t) missed; /* ids of paths not taken */
	CG_ARRAY(struct gcov_json_step) step;
	/* For the file that is being moved: linkage name -> index in fn + 1. */
	struct cg_map fn_ids;
};

/*
 * Moves the unit's files to the graph. False: the builder has failed, or out
 * of memory (reported).
 */
bool gcov_json_emit(
    struct cg_job *, struct cg_build *, struct gcov_json_unit *);

int gcov_json_read(struct cg_job *, struct cg_in *, struct cg_build *);
int gcov_json_write(
    struct cg_job *, const struct cg_graph *, struct cg_out *);

/*
 * Convert a version between the word in gcov's data files ("B22*") and JSON
 * ("12.2.0"). Return text in room, or the argument if it has neither form.
 */
#define GCOV_JSON_VERSION_MAX 32
struct cg_slice gcov_json_word(struct cg_slice version, char *room);
struct cg_slice gcov_json_version(struct cg_slice word, char *room);
/* Returns the major version, 12 for both forms; 0 for other text. */
unsigned gcov_json_major(struct cg_slice word);

#endif
