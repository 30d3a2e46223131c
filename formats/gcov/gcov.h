/*
 * gcov.h - what the files of the gcov reader share.
 *
 * A unit is what one run of a compiler made: its notes (.gcno: functions,
 * blocks, arcs, lines) and the data of its runs (.gcda: counters of some of
 * the arcs). The way of a unit: gcov_read_data() takes the data apart,
 * gcov_read_notes() the notes, gcov_match() joins and checks both; after that
 * nothing can fail, and for each function gcov_solve() finds all counts,
 * gcov_count_lines() the lines' counts, gcov_emit() adds them to the graph.
 *
 * All arrays of a unit are used again for the next one.
 */
#ifndef FORMATS_GCOV_GCOV_H
#define FORMATS_GCOV_GCOV_H

#include "cgconv_parse.h"

#define GCOV_NOTES 0x67636e6fu  /* "gcno" */
#define GCOV_DATA 0x67636461u   /* "gcda" */
#define GCOV_STREAM 0x6763666eu /* "gcfn" */

/* 12.2 is 1202, 4.7 is 407. */
#define GCOV_VERSION(major, minor) ((major)*100u + (minor))

#define GCOV_NONE UINT32_MAX

/* ---- Bytes -------------------------------------------------------------- */

/* A file or a record, from here on. */
struct gcov_bytes {
	const unsigned char *at, *end;
	bool big;          /* big endian */
	bool exact;        /* lengths count bytes (gcc 12 on), not words */
	const char *wrong; /* NULL, or "expected ..." */
	const char *wrong_at;
};

/* Notes what was expected here, if it is the first failure; returns false. */
static inline bool
gcov_wrong(struct gcov_bytes *bytes, const void *at, const char *expected)
{
	if (!bytes->wrong) {
		bytes->wrong = expected;
		bytes->wrong_at = at;
	}
	return false;
}

static inline uint32_t
gcov_get_u32(const unsigned char *at, bool big)
{
	uint32_t a = at[0], b = at[1], c = at[2], d = at[3];

	return big ? a << 24 | b << 16 | c << 8 | d
		   : d << 24 | c << 16 | b << 8 | a;
}

static inline bool
gcov_take_u32(struct gcov_bytes *bytes, uint32_t *value)
{
	if (bytes->end - bytes->at < 4) {
		*value = 0;
		return gcov_wrong(bytes, bytes->at, "expected 4 more bytes");
	}
	*value = gcov_get_u32(bytes->at, bytes->big);
	bytes->at += 4;
	return true;
}

/* Its bytes up to the first NUL. */
bool gcov_take_string(struct gcov_bytes *, struct cg_slice *);
/* The next record's tag and what it holds; false at the end, too. */
static inline bool
gcov_take_record(
    struct gcov_bytes *bytes, uint32_t *tag, struct gcov_bytes *record)
{
	const unsigned char *start = bytes->at;
	uint32_t length;
	uint64_t size;

	record->wrong = NULL;
	record->wrong_at = NULL;
	if (!gcov_take_u32(bytes, tag) || !gcov_take_u32(bytes, &length))
		return false;
	size = bytes->exact ? length : (uint64_t)length * 4;
	if (size > (uint64_t)(bytes->end - bytes->at))
		return gcov_wrong(bytes, start,
		    "expected a record that ends within the file");
	record->at = bytes->at;
	record->end = bytes->at += size;
	record->big = bytes->big;
	record->exact = bytes->exact;
	return true;
}
/* How 64 bits are written: the lower word first, big endian, with a sign bit. */
enum gcov_order { GCOV_LITTLE, GCOV_BIG, GCOV_BIG64, GCOV_SIGN };
int64_t gcov_get_counter(const unsigned char *at, enum gcov_order);

/* What stands at the head of a file. */
struct gcov_head {
	uint32_t magic;
	char version[5]; /* "B22*" */
	unsigned number; /* 1202 */
	unsigned layout; /* the version that the layout is really of */
	uint32_t stamp, checksum;
	uint32_t unexecuted; /* gcov's text marks lines for such blocks */
	struct cg_slice cwd;
};

/*
 * A field of a record: a word or a string, there from a version on, and where
 * it goes to in a struct.
 */
struct gcov_field {
	unsigned since;
	enum { GCOV_WORD, GCOV_STRING } type;
	size_t offset;
	const char *expected;
};
/* Takes the fields, the last of which has no expected. */
bool gcov_take_fields(
    struct gcov_bytes *, unsigned layout, const struct gcov_field *, void *to);
/*
 * Takes magic and version. layout: 0, or a version to read the rest as. False:
 * this is no such file.
 */
bool gcov_take_magic(
    struct gcov_bytes *, struct gcov_head *, unsigned layout);

/* ---- Data --------------------------------------------------------------- */

#define GCOV_TAG_FUNCTION 0x01000000u
#define GCOV_TAG_COUNTERS 0x01a10000u /* + kind << 17 */
#define GCOV_TAG_OBJECT 0xa1000000u
#define GCOV_TAG_PROGRAM 0xa3000000u
#define GCOV_KIND_MAX 15

/* Counters that mean something here. What else there is is passed over. */
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
	bool there;
};

struct gcov_data_fn {
	uint32_t ident, lineno, cfg;
	struct gcov_counters counters[GCOV_KINDS];
};

struct gcov_data {
	struct gcov_head head;
	enum gcov_order order;
	bool ended;                /* with a tag 0 */
	struct gcov_bytes records; /* behind the head; at NULL: none */
	uint32_t runs;
	struct gcov_data_fn *fn;
	size_t fns, fn_cap;
};

/* ---- Notes -------------------------------------------------------------- */

#define GCOV_ON_TREE 1u
#define GCOV_FAKE 2u
#define GCOV_FALLTHROUGH 4u
#define GCOV_THROW 256u /* ours */
#define GCOV_LISTED 512u

struct gcov_arc {
	uint32_t src, dst, flags;
	uint32_t next; /* see gcov_cycles.c */
	int64_t count;
	int64_t left; /* what cycles have not taken yet */
};

struct gcov_place {
	uint32_t file;        /* of the unit */
	uint32_t line, lines; /* in unit->line */
	uint32_t next;        /* of the same block, GCOV_NONE: none */
};

struct gcov_block {
	uint32_t arc, arcs; /* in unit->arc */
	uint32_t fakes;     /* of these */
	uint32_t place, last_place;
	bool has_arcs; /* there was a record, maybe an empty one */
};

struct gcov_condition {
	uint32_t block, terms;
};

struct gcov_fn {
	uint32_t ident, lineno, cfg;
	struct cg_slice name, source;
	uint32_t artificial, line, column, end_line, end_column;
	uint32_t file; /* source, of the unit */
	uint32_t block, blocks;
	uint32_t arc, arcs;
	uint32_t instrumented; /* arcs that have a counter */
	uint32_t condition, conditions;
	uint32_t paths;
	bool has_conditions, has_paths;
	const struct gcov_data_fn *data; /* NULL: never run */
	uint32_t known; /* from units before: number in all->known, + 1 */
	cg_fn id;
	uint64_t entries;
};

struct gcov_file {
	struct cg_slice name;
	cg_file id;
	uint64_t hash;
};

/* A block as it is solved. */
struct gcov_solved {
	int64_t count;
	int64_t in, out;          /* sums of the known arcs */
	uint32_t ins, outs;       /* unknown arcs */
	uint32_t in_xor, out_xor; /* of their numbers */
	uint32_t line;            /* the last that it touches; GCOV_NONE */
	uint32_t touch, touch_end; /* its touches */
	uint32_t member;          /* a stamp: it is of the line at hand */
	uint32_t stamp;           /* of the search for cycles */
	uint32_t list;            /* arcs, as that search needs them */
	uint32_t condition;       /* number + 1 */
	bool known, queued, exceptional, blocked, back;
};

/* The count of a line in one function. */
struct gcov_line {
	uint32_t file, line;
	int64_t sum;          /* of its blocks */
	int64_t count;        /* how often it ran */
	uint32_t first, last; /* touches, GCOV_NONE: none */
	uint32_t own;         /* the first by the block of the last */
	uint32_t from;        /* the last member that arcs leave, + 1 */
	bool has_members, cyclic;
};

/*
 * A block touches a line; line GCOV_NONE: it has none. Members make the line's
 * count.
 */
struct gcov_touch {
	uint32_t block, line;
	uint32_t next; /* of the same line */
	bool again;    /* the block touched it before, or hardly did */
	bool member;
	bool ends; /* the block ends on it; said once */
};

struct gcov_slot {
	uint32_t epoch, line;
};

/*
 * Steps to count the lines of a unit: a second or two. A line of 2000 diamonds
 * in a loop takes a tenth of it.
 */
#define GCOV_WORK_MAX ((uint64_t)1 << 29)

/* A line, and what it is sorted by. */
struct gcov_sorted {
	uint64_t key;
	uint32_t line;
};

struct gcov_frame {
	uint32_t block, arc;
	bool found;
};

/* What is used for one function, then for the next. */
struct gcov_scratch {
	struct gcov_solved *solved;
	size_t solved_cap;
	uint32_t *queue; /* blocks + arcs of them */
	size_t queue_cap;
	uint32_t *preds; /* as many */
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
	uint64_t seed; /* of their hashes */
	uint32_t epoch, stamp, member;
	uint32_t *walk; /* see gcov_paths.c */
	size_t walk_cap;
};

/* A block that ends with a call, and how often it ran. */
struct gcov_site {
	cg_fn fn;
	cg_name symbol; /* of that */
	uint32_t file, line;
	uint64_t count;
};

struct gcov_known {
	cg_fn fn; /* 0: two functions have the ident */
	cg_name symbol;
	struct cg_slice name; /* the same as text */
	cg_file file;
	uint32_t line;
};

/* Where the notes of a source lie, and what they are. */
struct gcov_source_place {
	cg_name folder;
	uint64_t hash;
};

/* All units' functions, for calls between them; kept by the job. */
struct gcov_fns {
	struct cg_map idents; /* number in known, + 1 */
	struct gcov_known *known;
	size_t knows, known_cap;
	struct cg_map waiting; /* calls by the ident of the callee, + 1 */
	struct gcov_call *call;
	size_t calls, call_cap;
	cg_part part; /* that rows go to */
	struct cg_map sources; /* by name: number in place, + 1 */
	struct gcov_source_place *place;
	size_t places, place_cap;
};

struct gcov_unit {
	struct cg_job *job;
	struct gcov_fns *all;
	const char *notes, *notes_end;
	struct gcov_head head;
	struct gcov_data data;
	bool has_data;
	bool raw;      /* the target carries counters as they are */
	bool raw_only; /* it needs nothing else */
	bool llvm;     /* clang made it */
	struct gcov_fn *fn;
	size_t fns, fn_cap;
	struct gcov_block *block;
	size_t blocks, block_cap;
	struct gcov_arc *arc;
	size_t arcs, arc_cap;
	struct gcov_place *place;
	size_t places, place_cap;
	uint32_t *line;
	size_t lines, line_cap;
	struct gcov_condition *condition;
	size_t conditions, condition_cap;
	struct gcov_file *file;
	size_t files, file_cap;
	uint32_t *file_slot; /* number + 1 */
	size_t file_slots;
	uint32_t last_file;
	/* Of the last place that has a name: its string as it is, and file. */
	struct cg_slice place_name;
	uint32_t place_file;
	struct gcov_site *site;
	size_t sites, site_cap;
	struct gcov_edge *edge; /* see gcov_ci.c */
	size_t edges, edge_cap;
	struct cg_map locals; /* idents by cg_name */
	struct cg_map idents; /* of data, number + 1 */
	struct cg_map begins; /* functions that begin on a line: how many */
	struct cg_map shared; /* lines where blocks end */
	bool compat;
	struct gcov_scratch scratch;
	char *path, *name; /* of a companion, in a stream */
	char *folder;      /* of the stream */
	size_t path_cap, name_cap, folder_cap;
	bool in_stream;    /* the data is */
	uint64_t negative; /* counts that became 0 */
	size_t room;       /* blocks that the file can hold */
	uint32_t paths;
	uint64_t work; /* steps to count lines */
	uint64_t path_work, path_rows, lost_paths; /* see gcov_paths.c */
	bool nomem;
	bool saturated; /* a sum went past 64 bits */
	bool unsolved;  /* an arc's count does not follow from others */
	bool contrary;  /* what comes into a block does not leave it */
	bool tired;     /* counting was given up: GCOV_WORK_MAX */
};

/* ---- gcov_unit.c -------------------------------------------------------- */

void gcov_unit_free(struct gcov_unit *);
/* Forgets the last unit, keeps its memory. */
void gcov_unit_clear(struct gcov_unit *);
/* Room for need elements of width bytes; false: unit->nomem is set. */
bool gcov_grow_more(
    struct gcov_unit *, void *array, size_t *cap, size_t need, size_t width);
static inline bool
gcov_grow(struct gcov_unit *unit, void *array, size_t *cap, size_t need,
    size_t width)
{
	return need <= *cap ||
	       gcov_grow_more(unit, array, cap, need, width);
}
/* The block that a function is left from. */
uint32_t gcov_exit(const struct gcov_unit *, const struct gcov_fn *);
/* Flags that say how a block is written of. */
unsigned gcov_block_flags(
    const struct gcov_unit *, const struct gcov_fn *, uint32_t block);
/* The unit's number of a file; GCOV_NONE: out of memory. */
uint32_t gcov_file(struct gcov_unit *, struct cg_slice name);
uint64_t gcov_hash(uint64_t seed, struct cg_slice);
/* Sum that stays at the end of what 64 bits hold. */
static inline int64_t
gcov_add(struct gcov_unit *unit, int64_t a, int64_t b)
{
	int64_t sum = (int64_t)((uint64_t)a + (uint64_t)b);

	if (((a ^ sum) & (b ^ sum)) >= 0)
		return sum;
	unit->saturated = true;
	return a < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t
gcov_sub(struct gcov_unit *unit, int64_t a, int64_t b)
{
	int64_t rest = (int64_t)((uint64_t)a - (uint64_t)b);

	if (((a ^ b) & (a ^ rest)) >= 0)
		return rest;
	unit->saturated = true;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* ---- The way of a unit -------------------------------------------------- */

/* gcov_data.c. Leaves bytes behind the data's end. */
bool gcov_read_data(
    struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/* gcov_notes.c */
bool gcov_read_notes(
    struct gcov_unit *, struct gcov_bytes *, unsigned layout);
/* What notes are made of. No more arcs of a block than said before. */
bool gcov_begin_notes(struct gcov_unit *, const struct gcov_bytes *);
bool gcov_add_blocks(struct gcov_unit *, struct gcov_fn *, uint32_t n);
/* The arcs of a block as words of a record, with those of their flags. */
bool gcov_take_arcs(struct gcov_unit *, struct gcov_bytes *record,
    struct gcov_fn *, uint32_t src, uint32_t flags);
bool gcov_begin_arcs(
    struct gcov_unit *, struct gcov_fn *, uint32_t src, uint32_t n);
bool gcov_add_arc(struct gcov_unit *, struct gcov_fn *, uint32_t src,
    uint32_t dst, uint32_t flags); /* false: there is no block dst */
void gcov_end_arcs(struct gcov_unit *, struct gcov_fn *, uint32_t src);
/* A line of a block; named: a place in that file begins with it. */
bool gcov_add_line(struct gcov_unit *, struct gcov_block *, bool named,
    uint32_t file, uint32_t line);
/* gcov_gbbg.c: the first records. */
bool gcov_is_gbbg(struct gcov_bytes);
bool gcov_read_gbbg(struct gcov_unit *, struct gcov_bytes *);
bool gcov_read_gbbg_data(struct gcov_unit *, struct gcov_bytes *);
/* gcov_old.c: what there was before 3.4; data after the notes. */
/* lines: NULL for records. */
bool gcov_read_old_notes(
    struct gcov_unit *, struct gcov_bytes *graph, struct gcov_bytes *lines);
bool gcov_read_old_data(struct gcov_unit *, struct gcov_bytes *);
int gcov_probe_old(const struct cg_head *);
bool gcov_is_old(const char *path);
/* gcc's CRC of a public name, NUL and all: the ident of its function. */
uint32_t gcov_ident(struct cg_slice name);
/* gcov_match.c: gives functions their data; reports what does not fit. */
int gcov_match(struct gcov_unit *, const char *data);
/* gcov_solve.c: first arcs get their counters; then all counts are found. */
void gcov_load(struct gcov_unit *);
static inline bool
gcov_has_counters(const struct gcov_fn *fn) /* else all counts are 0 */
{
	return fn->data && fn->data->counters[GCOV_ARCS].at;
}
bool gcov_solve(struct gcov_unit *, const struct gcov_fn *);
/* gcov_llvm.c: the same of clang's notes, for which there is room. */
void gcov_llvm_solve(struct gcov_unit *, const struct gcov_fn *);
/* gcov_lines.c: lines and what touches them. */
bool gcov_count_lines(struct gcov_unit *, const struct gcov_fn *);
/* gcov_cycles.c: what runs round among the line's members, as gcov finds it. */
int64_t gcov_cycles(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
/* gcov_llvm.c: the same as llvm-cov finds it. */
int64_t gcov_llvm_cycles(
    struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
/*
 * gcov_compat.c. gcov itself keeps one table of lines for all functions of a
 * unit: where blocks of one end, sums of others on the line are lost. Finds
 * such lines, then says whether the function's count of one is lost.
 */
bool gcov_find_shared(struct gcov_unit *);
bool gcov_is_lost(
    const struct gcov_unit *, const struct gcov_fn *, const struct gcov_line *);
/* Does anything of the function count? */
bool gcov_counts(const struct gcov_unit *, const struct gcov_fn *);
/*
 * gcov_calls.c. A function is known by its ident from here on; then the
 * targets of its indirect calls.
 */
bool gcov_know_fn(struct gcov_unit *, struct cg_build *,
    const struct gcov_fn *, cg_fn, cg_name symbol);
/* Finds the functions of the unit that are known by ident, name and file. */
void gcov_find_known(struct gcov_unit *);
bool gcov_add_targets(struct gcov_unit *, struct cg_build *,
    const struct gcov_fn *, cg_fn, const struct cg_pos *site);
bool gcov_add_target(struct gcov_unit *, struct cg_build *, cg_fn caller,
    const struct cg_pos *site, uint32_t ident, uint64_t count);
/* Do idents mean the same in all units? */
bool gcov_has_idents(const struct gcov_unit *);
/* gcov_ci.c: whom the sites call. */
int gcov_read_ci(struct gcov_unit *, struct cg_build *, const char *notes);
/* gcov_paths.c: of the prime paths that were not gone. False: no memory. */
bool gcov_add_paths(struct gcov_unit *, struct cg_build *,
    const struct gcov_fn *, cg_fn);
/* gcov_path.c */
const char *gcov_ci_path(struct gcov_unit *, const char *notes);
/* Where notes may be, first to last; NULL: nowhere else, or no memory. */
const char *gcov_notes_path(struct gcov_unit *, const char *data, size_t i);
const char *gcov_swap(
    struct gcov_unit *, const char *path, const char *old, const char *new);
const char *gcov_data_path(struct gcov_unit *, const char *notes);
/* That of a stream, in unit->folder. */
bool gcov_keep_folder(struct gcov_unit *, const char *stream);
/* As a string, in unit->name. */
bool gcov_keep_name(struct gcov_unit *, struct cg_slice);
/*
 * gcov_folder.c: the folder that relative names are in, as far as it is known;
 * reports names that may be those of two files. False: out of memory.
 */
bool gcov_find_folder(struct gcov_unit *, struct cg_build *,
    const char *notes, struct cg_slice *folder);
/* gcov_emit.c */
int gcov_emit_unit(
    struct gcov_unit *, struct cg_build *, const char *notes, const char *data);

#endif
