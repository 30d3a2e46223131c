/*
 * unit.h - a compilation unit in memory: its notes (.gcno: functions, blocks,
 * arcs, lines) and the data of its runs (.gcda: counters of some arcs).
 *
 * Names and counters are not copied: they point into the files' bytes. The
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

/* Is it a tag of counters? kind: of these. */
static inline bool
gcov_is_counters(uint32_t tag, uint32_t *kind)
{
	*kind = (tag - GCOV_TAG_COUNTERS) >> 17;
	return (tag - GCOV_TAG_COUNTERS) % (1u << 17) == 0 &&
	       *kind <= GCOV_KIND_MAX;
}

/* The counters that are coverage; those of other kinds are skipped. */
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

/* Flags of arcs; the upper ones are not in the file. */
#define GCOV_ON_TREE 1u      /* on the spanning tree: it has no counter */
#define GCOV_FAKE 2u         /* of a call that may not return */
#define GCOV_FALLTHROUGH 4u
#define GCOV_THROW 256u      /* leads to an exception handler */
#define GCOV_LISTED 512u     /* in a list of the search for cycles */

struct gcov_arc {
	uint32_t src, dst, flags; /* src, dst: blocks of the function */
	uint32_t next;            /* in a list of the search for cycles */
	int64_t count;
	int64_t remaining; /* the count, less that of the cycles found */
};

/* Consecutive lines of a block that are in one file. */
struct gcov_span {
	uint32_t file;        /* of the unit */
	uint32_t line, lines; /* in unit->line */
	uint32_t next;        /* span of the block; GCOV_NONE: none */
};

struct gcov_block {
	uint32_t arc, arcs; /* those that leave it, in unit->arc */
	uint32_t fakes;     /* how many of these are fake */
	uint32_t span, last_span;
	bool has_arcs;      /* there was a record, perhaps without arcs */
};

struct gcov_condition {
	uint32_t block, terms;
};

struct gcov_fn {
	uint32_t ident, lineno, cfg; /* lineno, cfg: checksums */
	struct cg_slice name, source;
	uint32_t artificial, line, column, end_line, end_column;
	uint32_t file; /* source, of the unit */
	uint32_t block, blocks;
	uint32_t arc, arcs;
	uint32_t instrumented; /* number of arcs that have a counter */
	uint32_t condition, conditions;
	uint32_t paths; /* number of prime paths */
	bool has_conditions, has_paths;
	const struct gcov_data_fn *data; /* NULL: never run */
	uint32_t known; /* in program->known, + 1; 0: the function is new */
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
	bool compat; /* lines are counted as gcov does */
	/*
	 * The target can represent rows of raw counters (and nothing else),
	 * of the blocks of paths; negative counts.
	 */
	bool wants_counters, counters_only, wants_paths, wants_negative;
	struct gcov_fn *fn;
	size_t fns, fn_cap;
	struct gcov_block *block;
	size_t blocks, block_cap;
	size_t max_blocks; /* for which the notes have room */
	struct gcov_arc *arc;
	size_t arcs, arc_cap;
	struct gcov_span *span;
	size_t spans, span_cap;
	uint32_t *line;
	size_t lines, line_cap;
	struct gcov_condition *condition;
	size_t conditions, condition_cap;
	uint32_t paths; /* of all functions */
	struct gcov_file *file;
	size_t files, file_cap;
	uint32_t *file_slot; /* hash table: number + 1 */
	size_t file_slots;
	uint32_t last_file;
	/* The last name of a span's file, as stored, and the file. */
	struct cg_slice span_name;
	uint32_t span_file;
	struct gcov_site *site; /* calls.c */
	size_t sites, site_cap;
	struct gcov_edge *edge; /* calls.c */
	size_t edges, edge_cap;
	struct cg_map locals; /* idents by cg_name */
	struct cg_map idents; /* of data; number + 1 */
	struct cg_map begins; /* number of functions that begin on a line */
	struct cg_map shared; /* lines that blocks of any function end on */
	struct gcov_scratch scratch;
	/*
	 * files.c: path of a companion; name of data in a stream, and the
	 * directory of the stream.
	 */
	char *path, *name, *stream_directory;
	size_t path_cap, name_cap, stream_directory_cap;
	bool in_stream;    /* the data is in a stream */
	uint64_t negative; /* number of negative counts that became 0 */
	uint64_t path_work, path_rows, lost_paths; /* paths.c */
	uint64_t repeats, lost_repeats; /* rows that repeat others: emit.c */
	bool nomem;
};

/* ---- Memory ------------------------------------------------------------- */

void gcov_unit_free(struct gcov_unit *);
/* Makes room for need elements of width bytes; sets nomem if it cannot. */
bool gcov_grow_more(
    struct gcov_unit *, void *array, size_t *cap, size_t need, size_t width);
static inline bool
gcov_grow(struct gcov_unit *unit, void *array, size_t *cap, size_t need,
    size_t width)
{
	return need <= *cap || gcov_grow_more(unit, array, cap, need, width);
}

/* ---- Building, for notes.c and old.c ------------------------------------ */

/* Forgets the last unit's notes but keeps their memory; takes these bytes. */
bool gcov_begin_notes(struct gcov_unit *, const struct gcov_bytes *);
bool gcov_add_blocks(struct gcov_unit *, struct gcov_fn *, uint32_t n);
/* Adds the arcs of a block: gcov_begin_arcs(), n times gcov_add_arc(). */
bool gcov_begin_arcs(
    struct gcov_unit *, struct gcov_fn *, uint32_t src, uint32_t n);
/* False: the function has no block dst. */
bool gcov_add_arc(struct gcov_unit *, struct gcov_fn *, uint32_t src,
    uint32_t dst, uint32_t flags);
void gcov_end_arcs(struct gcov_unit *, struct gcov_fn *, uint32_t src);
/* Adds all arcs of a block from pairs of words: destination, flags. */
bool gcov_take_arcs(struct gcov_unit *, struct gcov_bytes *record,
    struct gcov_fn *, uint32_t src, uint32_t flags);
/* Begins a span of the block. NULL: out of memory. */
struct gcov_span *gcov_add_span(
    struct gcov_unit *, struct gcov_block *, uint32_t file);
/* Adds a line to the block's last span; new_span: to a new one in file. */
bool gcov_add_line(struct gcov_unit *, struct gcov_block *, bool new_span,
    uint32_t file, uint32_t line);
/* The unit's number of a file; GCOV_NONE: out of memory. */
uint32_t gcov_file(struct gcov_unit *, struct cg_slice name);

/* ---- Looking ------------------------------------------------------------ */

uint64_t gcov_hash(uint64_t seed, struct cg_slice);
/* The exit block of the function. */
uint32_t gcov_exit(const struct gcov_unit *, const struct gcov_fn *);
/* Flags of all rows of the block (CG_BRANCH_UNMARKED, CG_BRANCH_EXIT). */
unsigned gcov_block_flags(
    const struct gcov_unit *, const struct gcov_fn *, uint32_t block);
/* False: all counts of the function are 0. */
static inline bool
gcov_has_counters(const struct gcov_fn *fn)
{
	return fn->data && fn->data->counters[GCOV_ARCS].at;
}
/* Does gcov report the function? */
bool gcov_is_reported(const struct gcov_unit *, const struct gcov_fn *);

#endif
