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
 *	raw.c, write.c  counters -> rows as they are; these rows -> .gcda
 *	gcov.c          the module: reads inputs, calls the stages
 */
#ifndef FORMATS_GCOV_GCOV_H
#define FORMATS_GCOV_GCOV_H

#include "cgconv_format.h"
#include "unit.h"

/* ---- files.c ------------------------------------------------------------ */

/* Both paths are valid until the next call. NULL: out of memory. */
const char *gcov_swap_suffix(
    struct gcov_unit *, const char *path, const char *old, const char *new);
/*
 * Opens the notes of data; *in is NULL if there are none. False: they cannot be
 * read, which was reported, or out of memory.
 */
bool gcov_open_notes(struct gcov_unit *, const char *data, struct cg_in **in);
bool gcov_ends_with(struct cg_slice text, struct cg_slice end);
/* Sets unit->stream_directory. False: out of memory. */
bool gcov_set_stream_directory(struct gcov_unit *, const char *stream);
/* Sets unit->name. False: out of memory. */
bool gcov_set_name(struct gcov_unit *, struct cg_slice);
/*
 * The directory that relative names of sources are in, "" if unknown. Warns of
 * names that may stand for two files. False: out of memory.
 */
bool gcov_find_directory(struct gcov_unit *, struct cg_build *,
    const char *notes, struct cg_slice *directory);
/*
 * True for notes without data that do not belong to the project: their source
 * (*source) is a check of configure, CMake or meson, or was removed.
 */
bool gcov_is_check(
    struct gcov_unit *, const char *notes, struct cg_slice *source);

/*
 * Counts sources that are newer than the notes: their lines may be others. To be
 * called when the files have ids. False: out of memory.
 */
bool gcov_compare_times(
    struct gcov_unit *, struct cg_slice directory, const char *notes);

/* ---- data.c, notes.c, old.c --------------------------------------------- */

/*
 * False: bytes->error or unit->nomem is set. layout: 0, or the version to read
 * the file as. gcov_read_data() leaves the bytes after the end of the data.
 */
bool gcov_read_data(struct gcov_unit *, struct gcov_bytes *, unsigned layout);
bool gcov_read_notes(struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/* lines: NULL if the graph is made of records. */
bool gcov_read_old_notes(
    struct gcov_unit *, struct gcov_bytes *graph, struct gcov_bytes *lines);
/* To be called after gcov_read_old_notes(). */
bool gcov_read_old_data(struct gcov_unit *, struct gcov_bytes *);
int gcov_probe_old(const struct cg_head *);
/* By its suffix. */
bool gcov_is_old(const char *path);

/* ---- match.c, solve.c, lines.c, cycles.c -------------------------------- */

/*
 * Gives the functions of the notes their data; data is its path for messages.
 * Returns as cg_skip_at().
 */
int gcov_match(struct gcov_unit *, const char *data);
/* Gives the arcs of all functions their counters. */
void gcov_load_counters(struct gcov_unit *);
/* Computes the counts of all arcs and blocks. False: out of memory. */
bool gcov_solve(struct gcov_unit *, const struct gcov_fn *);
/* Computes the counts of all lines. False: out of memory. */
bool gcov_count_lines(struct gcov_unit *, const struct gcov_fn *);
/* How often control went round among the line's members. */
int64_t gcov_count_cycles(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
int64_t gcov_count_cycles_llvm(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
/*
 * Without --exact-lines: finds lines where gcov drops the counts of some
 * functions; then tells if it drops that of the function. False: out of memory.
 */
bool gcov_find_shared_lines(struct gcov_unit *);
bool gcov_is_dropped(
    const struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);

/* ---- either.c ----------------------------------------------------------- */

typedef bool gcov_read_fn(
    struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/* Reads notes or data, of clang 12 and later, too. False as the function. */
bool gcov_read_either(struct gcov_unit *, struct gcov_bytes *, gcov_read_fn *);
/* Did the program end while it wrote the data? Only gcc 3.4 has no end mark. */
bool gcov_is_cut(const struct gcov_data *);

/* ---- emit.c, paths.c ---------------------------------------------------- */

struct gcov_emit {
	struct gcov_unit *unit;
	struct cg_build *build;
	const struct gcov_fn *fn;
	uint32_t number; /* of the function in its unit, from 1 */
	cg_name symbol;  /* its linkage name */
	unsigned exec, blk; /* columns */
	size_t columns;
	/* Rows that are still to be added. */
	bool blocks, arcs, jumps;
	uint64_t cost[CG_EVENT_MAX]; /* 0 but for exec and blk */
};

/* Adds events, a part with its descriptions, files. False: out of memory. */
bool gcov_begin_emit(struct gcov_emit *, const char *notes, const char *data);
/* Adds the function without rows, sets fn->id. False: out of memory. */
bool gcov_add_fn(struct gcov_emit *, struct gcov_fn *);
/* Adds the rows of the function added last, which is solved and counted. */
bool gcov_emit_fn(struct gcov_emit *, struct gcov_fn *);
/* Adds the entries of all functions. */
void gcov_emit_entries(const struct gcov_emit *);
/*
 * Adds the blocks of the prime paths that were not taken; counts functions with
 * too many in unit->lost_paths. False: out of memory.
 */
bool gcov_add_paths(
    struct gcov_unit *, struct cg_build *, const struct gcov_fn *);

#endif
