/*
 * unit.h - a compilation unit in memory: its notes (.gcno: functions, blocks,
 * arcs, lines) and the data of its runs (.gcda: counters of some arcs).
 *
 * Names and counters are not copied: they point into the files' bytes. All
 * arrays are reused for the next unit.
 */
#ifndef FORMATS_GCOV_UNIT_H
#define FORMATS_GCOV_UNIT_H

#include "count.h"

/* ---- Data --------------------------------------------------------------- */

#define GCOV_TAG_FUNCTION 0x01000000u
#define GCOV_TAG_COUNTERS 0x01a10000u /* + kind << 17 */
#define GCOV_TAG_OBJECT 0xa1000000u
#define GCOV_TAG_PROGRAM 0xa3000000u
#define GCOV_KIND_MAX 15

/* True for a tag of counters; *kind becomes their kind. */
static inline bool
gcov_is_counters(uint32_t tag, uint32_t *kind)
{
	*kind = (tag - GCOV_TAG_COUNTERS) >> 17;
	return (tag - GCOV_TAG_COUNTERS) % (1u << 17) == 0 &&
	       *kind <= GCOV_KIND_MAX;
}

/* The kinds of counters that are coverage; other kinds are skipped. */
enum gcov_kind {
	GCOV_ARCS,
	GCOV_TARGETS,
	GCOV_CONDITIONS,
	GCOV_PATHS,
	GCOV_KINDS
};

struct gcov_counters {
	const unsigned char *at; /* NULL: all of them are zero */
	uint64_t n;
	bool present;
};

struct gcov_data_fn {
	uint32_t ident, lineno, cfg; /* as in struct gcov_fn */
	struct gcov_counters counters[GCOV_KINDS];
};

struct gcov_data {
	struct gcov_head head;
	enum gcov_order order;
	bool ended;                /* with a tag 0 */
	struct gcov_bytes records; /* after the header; at NULL: none */
	uint32_t runs;
	struct gcov_data_fn *fn;
	size_t fns, fn_cap;
};

/* ---- Notes -------------------------------------------------------------- */

/* Flags of arcs; flags from GCOV_THROW on are not in the file. */
#define GCOV_ON_TREE 1u      /* on the spanning tree: it has no counter */
#define GCOV_FAKE 2u         /* for a call that may not return */
#define GCOV_FALLTHROUGH 4u
#define GCOV_THROW 256u      /* leads to an exception handler */
#define GCOV_LISTED 512u     /* in a list of the search for cycles */

struct gcov_arc {
	uint32_t src, dst, flags; /* src, dst: blocks of the function */
	uint32_t next;            /* in a list of the search for cycles */
	int64_t count;
	int64_t remaining; /* count without the cycles found */
};

/* Consecutive lines of a block in one file. */
struct gcov_span {
	uint32_t file;        /* index in unit->file */
	uint32_t line, lines; /* range in unit->line */
	uint32_t next;        /* next span of the block; GCOV_NONE: none */
};

struct gcov_block {
	uint32_t arc, arcs; /* arcs out of the block, in unit->arc */
	uint32_t fakes;     /* number of fake arcs */
	uint32_t span, last_span;
	bool has_arcs;      /* has a record, perhaps without arcs */
};

struct gcov_condition {
	uint32_t block, terms;
};

struct gcov_fn {
	uint32_t ident, lineno, cfg; /* lineno, cfg: checksums */
	struct cg_slice name, source;
	uint32_t artificial, line, column, end_line, end_column;
	uint32_t file; /* index of the source in unit->file */
	uint32_t block, blocks;
	uint32_t arc, arcs;
	uint32_t instrumented; /* number of arcs that have a counter */
	uint32_t condition, conditions;
	uint32_t paths; /* number of prime paths */
	bool has_conditions, has_paths;
	const struct gcov_data_fn *data; /* NULL: never run */
	uint32_t known; /* in program->known + 1; 0: a new function */
	cg_fn id;
	uint64_t entries;
};

struct gcov_file {
	struct cg_slice name;
	cg_file id;
	uint64_t hash;
};

struct gcov_program; /* calls.h */

struct gcov_unit {
	struct cg_job *job;
	struct gcov_program *program;
	const char *notes, *notes_end;
	struct gcov_head head; /* of the notes */
	struct gcov_data data;
	bool has_data;
	bool llvm;   /* clang wrote the notes */
	bool compat; /* lines are counted as in gcov */
	/*
	 * Whether the target can represent raw counters, or only them; the
	 * blocks of paths; negative counts.
	 */
	bool wants_counters, counters_only, wants_paths, wants_negative;
	struct gcov_fn *fn;
	size_t fns, fn_cap;
	struct gcov_block *block;
	size_t blocks, block_cap;
	size_t max_blocks; /* limit by the size of the notes */
	struct gcov_arc *arc;
	size_t arcs, arc_cap;
	struct gcov_span *span;
	size_t spans, span_cap;
	uint32_t *line;
	size_t lines, line_cap;
	struct gcov_condition *condition;
	size_t conditions, condition_cap;
	uint32_t paths; /* sum over all functions */
	struct gcov_file *file;
	size_t files, file_cap;
	uint32_t *file_slot; /* hash table: number + 1 */
	size_t file_slots;
	uint32_t last_file;
	/* The last name of a span's file, as stored, and its file. */
	struct cg_slice span_name;
	uint32_t span_file;
	struct gcov_site *site; /* calls.c */
	size_t sites, site_cap;
	struct gcov_edge *edge; /* calls.c */
	size_t edges, edge_cap;
	struct cg_map locals; /* name -> ident */
	struct cg_map idents; /* ident -> number in the data + 1 */
	struct cg_map begins; /* line -> number of functions that begin on it */
	struct cg_map shared; /* lines that a block of a function ends on */
	struct gcov_scratch scratch;
	/*
	 * files.c: path of a companion file; name of the data in a stream;
	 * directory of the stream.
	 */
	char *path, *name, *stream_directory;
	size_t path_cap, name_cap, stream_directory_cap;
	bool in_stream;    /* the data is in a stream */
	uint64_t negative; /* negative counts that became 0 */
	uint64_t path_work, path_rows, lost_paths; /* paths.c */
	uint64_t repeats, lost_repeats; /* repeated rows: emit.c */
	bool nomem;
};

/* ---- Memory ------------------------------------------------------------- */

void gcov_unit_free(struct gcov_unit *);
/* Makes room for need elements of width bytes. False: nomem is set. */
bool gcov_grow_more(
    struct gcov_unit *, void *array, size_t *cap, size_t need, size_t width);
static inline bool
gcov_grow(struct gcov_unit *unit, void *array, size_t *cap, size_t need,
    size_t width)
{
	return need <= *cap || gcov_grow_more(unit, array, cap, need, width);
}

/* ---- Building, for notes.c and old.c ------------------------------------ */

/*
 * Drops the last unit's notes but keeps the memory; stores these bytes. False:
 * out of memory.
 */
bool gcov_begin_notes(struct gcov_unit *, const struct gcov_bytes *);
bool gcov_add_blocks(struct gcov_unit *, struct gcov_fn *, uint32_t n);
/*
 * Adds the arcs of a block: call gcov_begin_arcs(), then n times
 * gcov_add_arc().
 */
bool gcov_begin_arcs(
    struct gcov_unit *, struct gcov_fn *, uint32_t src, uint32_t n);
/* Adds an arc from src to dst. False: the function has no block dst. */
bool gcov_add_arc(struct gcov_unit *, struct gcov_fn *, uint32_t src,
    uint32_t dst, uint32_t flags);
void gcov_end_arcs(struct gcov_unit *, struct gcov_fn *, uint32_t src);
/*
 * Takes pairs of words, destination and flags, as the arcs of a block. False:
 * malformed.
 */
bool gcov_take_arcs(struct gcov_unit *, struct gcov_bytes *record,
    struct gcov_fn *, uint32_t src, uint32_t flags);
/*
 * Begins a span (lines of one file) of the block, and returns it. NULL: out of
 * memory.
 */
struct gcov_span *gcov_add_span(
    struct gcov_unit *, struct gcov_block *, uint32_t file);
/*
 * Adds a line to the block's last span; new_span: to a new span in file.
 * False: out of memory.
 */
bool gcov_add_line(struct gcov_unit *, struct gcov_block *, bool new_span,
    uint32_t file, uint32_t line);
/*
 * Returns the index of the named file in the unit, where it is added if it is
 * new; GCOV_NONE: out of memory.
 */
uint32_t gcov_file(struct gcov_unit *, struct cg_slice name);

/* ---- Queries ------------------------------------------------------------ */

uint64_t gcov_hash(uint64_t seed, struct cg_slice);
/* Returns the exit block of the function. */
uint32_t gcov_exit(const struct gcov_unit *, const struct gcov_fn *);
/*
 * Returns the flags of the block (CG_BRANCH_UNMARKED, CG_BRANCH_EXIT) for what
 * is added to the graph for it.
 */
unsigned gcov_block_flags(
    const struct gcov_unit *, const struct gcov_fn *, uint32_t block);
/* True if the data has counts of the function; false: all its counts are 0. */
static inline bool
gcov_has_counters(const struct gcov_fn *fn)
{
	return fn->data && fn->data->counters[GCOV_ARCS].at;
}
/* True if gcov reports the function. */
bool gcov_is_reported(const struct gcov_unit *, const struct gcov_fn *);

#endif
