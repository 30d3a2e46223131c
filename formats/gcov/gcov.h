/*
 * gcov.h - the stages that a unit passes, in order of the data.
 *
 *	files.c         paths of the notes and of the data
 *	either.c        calls one of the next two, for any version
 *	data.c          .gcda: bytes.h -> struct gcov_data
 *	notes.c, old.c  .gcno, and the files before gcc 3.4: bytes.h -> unit.h
 *	match.c         joins the functions of both, reports mismatches
 *	solve.c         counters -> counts of all arcs and blocks (count.h)
 *	lines.c         counts of blocks -> counts of lines; cycles.c: of loops
 *	calls.c         callees, from counters of targets and .ci files
 *	emit.c          a solved function -> rows; paths.c: its prime paths
 *	raw.c, write.c  raw counters -> rows; rows -> .gcda
 *	gcov.c          the module: reads inputs, calls the stages
 */
#ifndef FORMATS_GCOV_GCOV_H
#define FORMATS_GCOV_GCOV_H

#include "cgconv_format.h"
#include "unit.h"

/* ---- files.c ------------------------------------------------------------ */

/*
 * Returns path with the suffix new in place of old; valid until the next call.
 * NULL: out of memory.
 */
const char *gcov_swap_suffix(
    struct gcov_unit *, const char *path, const char *old, const char *new);
/*
 * Opens the notes for data; *in is NULL if they are not found. False: they
 * cannot be read, which was reported, or out of memory.
 */
bool gcov_open_notes(struct gcov_unit *, const char *data, struct cg_in **in);
bool gcov_ends_with(struct cg_slice text, struct cg_slice end);
/* Sets unit->stream_directory. False: out of memory. */
bool gcov_set_stream_directory(struct gcov_unit *, const char *stream);
/* Sets unit->name. False: out of memory. */
bool gcov_set_name(struct gcov_unit *, struct cg_slice);
/*
 * Finds the directory that relative names of sources are in; "" if unknown.
 * Warns of names that may mean two files. False: out of memory.
 */
bool gcov_find_directory(struct gcov_unit *, struct cg_build *,
    const char *notes, struct cg_slice *directory);
/*
 * True for notes without data that are not part of the project: their source
 * (*source) is a check of configure, CMake or meson, or has been removed.
 */
bool gcov_is_check(
    struct gcov_unit *, const char *notes, struct cg_slice *source);

/*
 * Counts sources that are newer than the notes, as their lines may have moved.
 * Call after the files have ids. False: out of memory.
 */
bool gcov_compare_times(
    struct gcov_unit *, struct cg_slice directory, const char *notes);

/* ---- data.c, notes.c, old.c --------------------------------------------- */

/*
 * Read a file. layout: the version to read it as; 0: its own. False:
 * bytes->error or unit->nomem is set. gcov_read_data() stops at the end mark.
 */
bool gcov_read_data(struct gcov_unit *, struct gcov_bytes *, unsigned layout);
bool gcov_read_notes(struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/*
 * Reads notes; lines: NULL if the graph file consists of records. False:
 * malformed, or out of memory.
 */
bool gcov_read_old_notes(
    struct gcov_unit *, struct gcov_bytes *graph, struct gcov_bytes *lines);
/*
 * Reads data; call after gcov_read_old_notes(). False: malformed, or out of
 * memory.
 */
bool gcov_read_old_data(struct gcov_unit *, struct gcov_bytes *);
int gcov_probe_old(const struct cg_head *);
/* True if the suffix is .da or .bbg. */
bool gcov_is_old(const char *path);

/* ---- match.c, solve.c, lines.c, cycles.c -------------------------------- */

/*
 * Joins the functions of the notes with their data; data is the path for
 * messages. Returns a status like cg_skip_at().
 */
int gcov_match(struct gcov_unit *, const char *data);
/*
 * Sets the counts of the arcs that have counters, for all functions of the
 * unit.
 */
void gcov_load_counters(struct gcov_unit *);
/* Computes the counts of all arcs and blocks. False: out of memory. */
bool gcov_solve(struct gcov_unit *, const struct gcov_fn *);
/*
 * Computes the counts of all lines of a solved function. False: out of memory.
 */
bool gcov_count_lines(struct gcov_unit *, const struct gcov_fn *);
/* Returns how often control cycled among the members of the line. */
int64_t gcov_count_cycles(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
int64_t gcov_count_cycles_llvm(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
/*
 * For gcov_is_dropped(): finds lines where gcov drops the counts of some
 * functions. gcov_is_dropped() is true if it drops the count of this function.
 * Both are unused with --exact-lines. False: out of memory.
 */
bool gcov_find_shared_lines(struct gcov_unit *);
bool gcov_is_dropped(
    const struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);

/* ---- either.c ----------------------------------------------------------- */

typedef bool gcov_read_fn(
    struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/*
 * Calls the function to read notes or data; also reads files of clang 12 and
 * later, which have the layout of another version than they state. False: as
 * the function returns it.
 */
bool gcov_read_either(struct gcov_unit *, struct gcov_bytes *, gcov_read_fn *);
/* True if the program ended while writing the data. gcc 3.4 has no end mark. */
bool gcov_is_cut(const struct gcov_data *);

/* ---- emit.c, paths.c ---------------------------------------------------- */

struct gcov_emit {
	struct gcov_unit *unit;
	struct cg_build *build;
	const struct gcov_fn *fn;
	uint32_t number; /* the function's number in the unit, from 1 */
	cg_name symbol;  /* its linkage name */
	unsigned exec, blk; /* columns */
	size_t columns;
	/* Rows that are to be added: */
	bool blocks, arcs, jumps;
	uint64_t cost[CG_EVENT_MAX]; /* 0 except for exec and blk */
};

/* Adds events, files, and a part with descriptions. False: out of memory. */
bool gcov_begin_emit(struct gcov_emit *, const char *notes, const char *data);
/* Adds the function without rows, sets fn->id. False: out of memory. */
bool gcov_add_fn(struct gcov_emit *, struct gcov_fn *);
/*
 * Adds the rows of the function added last, which must be solved and counted.
 * False: out of memory.
 */
bool gcov_emit_fn(struct gcov_emit *, struct gcov_fn *);
/* Adds how often each function was entered, as calls by the unknown caller. */
void gcov_emit_entries(const struct gcov_emit *);
/*
 * Adds the blocks of prime paths that were not taken. Functions with too many
 * paths are counted in unit->lost_paths. False: out of memory.
 */
bool gcov_add_paths(
    struct gcov_unit *, struct cg_build *, const struct gcov_fn *);

#endif
