/*
 * cgconv.h - convert profiles into each other through one neutral cost graph.
 *
 * The interface for programs. A job is one conversion: inputs, options, one
 * output. What it has read is a graph, which a program may look at. Three more
 * headers are for those who write a format:
 *
 * 	cgconv_format.h  reading, building a graph, writing: what each format needs
 * 	cgconv_parse.h   parsers of text, JSON and XML; maps from ids to ids
 * 	cgconv_expert.h  ELF symbols, address spaces, costs as lines of text
 *
 * Ownership, in all of them: the caller owns what a cg_*_new() returns and
 * frees it by cg_*_free(); everything else belongs to the library and lives as
 * long as the job, unless the comment of the call says less. A slice is not
 * NUL-terminated unless the call says so; strings (char *) always are.
 *
 * Threads: no globals. Two jobs may run in two threads; one job may not.
 *
 * Contents; each is a line "---- Name" below:
 * Status, Text, Facts, Modules, Messages, Jobs, Archives;
 * The graph: dimensions, rows, stacks, sums
 */
#ifndef CGCONV_H
#define CGCONV_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default) /* all else in the library is hidden */
#endif

#define CG_VERSION "0.1.0"

#if defined(__GNUC__)
#define CG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CG_PRINTF(fmt, args)
#endif

/* ---- Status ------------------------------------------------------------- */

/* The values are the program's exit statuses. */
enum cg_status {
	CG_OK = 0,
	CG_EINPUT = 1,  /* an input is malformed or cannot be read */
	CG_EUSAGE = 2,  /* an option or argument makes no sense */
	CG_ELOSS = 3,   /* --strict, and the target cannot hold everything */
	CG_EOUTPUT = 4, /* the output cannot be written */
	CG_ELIMIT = 5,  /* out of memory, or past a limit of ours */
	CG_EBUG = 6     /* our own fault */
};

/* ---- Text --------------------------------------------------------------- */

struct cg_slice {
	const char *ptr;
	size_t len;
};

/* The slice of a NUL-terminated string. */
struct cg_slice cg_slice(const char *);
/* Of a literal the compiler knows the length, and of most that tells. */
static inline bool
cg_equal(struct cg_slice slice, const char *string)
{
	size_t len = strlen(string);

	return slice.len == len &&
	       (len == 0 || memcmp(slice.ptr, string, len) == 0);
}
bool cg_starts(struct cg_slice, const char *prefix);
/* Below 0, 0, above 0: by bytes, as memcmp() does; the shorter is less. */
int cg_compare(struct cg_slice, struct cg_slice);

/* What follows the last '/' of a path; all of it if that is the end. */
struct cg_slice cg_base_name(struct cg_slice path);

/* ---- Facts -------------------------------------------------------------- */

/*
 * What a graph holds and a format carries. A writer gets what it needs
 * derived where that is exact; what it cannot carry is reported, once.
 */
typedef uint32_t cg_facts;

#define CG_SELF (1u << 0)     /* self cost by function */
#define CG_LINES (1u << 1)    /* ... by source line */
#define CG_INSTRS (1u << 2)   /* ... by instruction address */
#define CG_CALLS (1u << 3)    /* who calls whom, and how often */
#define CG_INCL (1u << 4)     /* inclusive cost of calls */
#define CG_STACKS (1u << 5)   /* self cost by call stack */
#define CG_JUMPS (1u << 6)    /* jumps within functions */
#define CG_PARTS (1u << 7)    /* more than one part */
#define CG_EVENTS (1u << 8)   /* more than one event */
#define CG_ZEROS (1u << 9)    /* places that could run but never did */
#define CG_BRANCHES (1u << 10) /* coverage of decisions */
#define CG_SIGNED (1u << 11)  /* costs below zero; a target without: error */
#define CG_BLOCKS (1u << 12)  /* coverage of blocks, calls, paths */
#define CG_CONDITIONS (1u << 13) /* coverage of conditions (MC/DC) */
#define CG_COUNTERS (1u << 14) /* raw counters of the instrumentation */
/* What is known beside rows. */
#define CG_FILES (1u << 15)   /* source files of functions */
#define CG_OBJECTS (1u << 16) /* ELF objects of functions */
#define CG_SYMBOLS (1u << 17) /* names that linkers know functions by */
#define CG_DEFINITIONS (1u << 18) /* where functions stand in their files */
#define CG_INLINING (1u << 19) /* which frames of stacks are inlined */
#define CG_SAMPLES (1u << 20) /* numbers of samples that no event tells */
#define CG_FORMULAS (1u << 21) /* inherited events */
#define CG_DESCRIPTIONS (1u << 22) /* of parts: command, process, others */
#define CG_LABELS (1u << 23)  /* of samples */
#define CG_FACT_COUNT 24

/* Name of fact number bit ("self", "lines", ...), NULL past the last. */
const char *cg_fact_name(unsigned bit);

/* ---- Modules ------------------------------------------------------------ */

struct cg_job;
struct cg_in;
struct cg_out;
struct cg_build;
struct cg_graph;

/* What probe() may look at. */
struct cg_head {
	struct cg_slice first; /* first line, without newline or CR */
	struct cg_slice text;  /* first 64 KiB at most, unpacked */
	const char *name;      /* file name without folder, "" for a pipe */
	bool whole;            /* text is the whole input */
};

/*
 * A folder in which no format gathers files: text is this line and the names in
 * it, one a line. Who is SURE of it is asked to read that, and can only say
 * what it is.
 */
#define CG_DIRECTORY_MAGIC "//folder\n"

/*
 * Scores: 0 no, WEAK a guess from the shape, SURE a magic. Between them,
 * more is surer. The best wins; a tie is reported, never decided.
 */
enum { CG_PROBE_NO = 0, CG_PROBE_WEAK = 25, CG_PROBE_LIKELY = 60,
       CG_PROBE_SURE = 100 };

enum cg_option_type { CG_FLAG, CG_NUMBER, CG_STRING };

/*
 * One vocabulary for all formats: a name means the same thing, of the same
 * type, wherever it stands; the library checks the type.
 */
struct cg_option {
	const char *name;     /* as after "--" */
	enum cg_option_type type;
	const char *fallback; /* NULL: not set; a flag: "yes" or "no" */
	const char *arg;      /* what help calls the value, NULL for a flag */
	const char *help;     /* one line */
	bool reading, writing; /* which side it belongs to */
};

#define CG_MODULE_ABI 1

struct cg_module {
	uint16_t abi, size;   /* CG_MODULE_ABI, sizeof(struct cg_module) */
	const char *name;     /* what -f and -t take: [a-z0-9-]+ */
	const char *title;    /* one line for --list-formats */
	const char *suffixes; /* "cgj;cgjson"; for -t by output name */
	/*
	 * Suffixes of what it reads from folders. A file of the first suffix
	 * takes in those of the same name with the others.
	 */
	const char *gathers;
	/* What many outputs are called: "x.{stem}"; NULL: "{stem}.SUFFIX". */
	const char *naming;
	cg_facts carries;     /* what write() can write */
	cg_facts needs;       /* what write() cannot do without */
	const struct cg_option *options; /* ends with a NULL name; or NULL */
	int (*probe)(const struct cg_head *);
	int (*read)(struct cg_job *, struct cg_in *, struct cg_build *);
	int (*write)(struct cg_job *, const struct cg_graph *,
	    struct cg_out *);
	/*
	 * write() calls functions by the names that linkers know them by: of
	 * C++ and the like no others are found for it.
	 */
	bool linkage;
	/*
	 * True if the data of an empty input at path is in the file other, so
	 * that the empty input is skipped with a note. NULL: never.
	 */
	bool (*is_split)(const char *path, const char *other);
	/*
	 * Its option that tells how many levels of recursion become functions
	 * of their own ("f", "f'2") where stacks become calls; NULL: it has
	 * none, and recursion stays one function.
	 */
	const char *levels_option;
};
#define CG_MODULE .abi = CG_MODULE_ABI, .size = sizeof(struct cg_module)

/* The formats of this library, NULL-terminated. */
extern const struct cg_module *const cg_formats[];

/* ---- Messages ----------------------------------------------------------- */

enum cg_severity { CG_NOTE, CG_WARNING, CG_ERROR };

struct cg_message {
	enum cg_severity severity;
	const char *file;  /* NULL: belongs to no file */
	uint64_t line;     /* from 1; 0: no line */
	uint64_t column;   /* from 1; 0: no column */
	uint64_t offset;   /* of a binary input, if has_offset */
	bool has_offset;
	const char *text;  /* no newline; control characters are escaped */
};
typedef void cg_reporter(void *arg, const struct cg_message *);


/* ---- The graph: dimensions ---------------------------------------------- */

/*
 * Dimensions are ids: 0 is "unknown" and always valid. Adding what is there
 * already returns its id. Parts, events, rows are summed on what they mean,
 * never kept twice.
 */
typedef uint32_t cg_name;   /* a string */
typedef uint32_t cg_object; /* ELF object, by path */
typedef uint32_t cg_file;   /* source file, by path */
typedef uint32_t cg_fn;     /* function: (object, file, name, symbol) */
typedef uint32_t cg_part;
typedef uint32_t cg_node;   /* call stack: frame on top of a parent node */
typedef uint32_t cg_labels; /* set of labels that samples have */

/* Where a function stands in its source, begins in its object; 0: unknown */
struct cg_range {
	uint32_t first, first_column; /* line and column, from 1 */
	uint32_t last, last_column;
	uint64_t addr;
};

/* A place in a function. The file may differ from the fn's (inlined code). */
struct cg_pos {
	cg_file file;
	uint32_t line; /* 0: unknown */
	uint64_t addr; /* as in the object file (load bias removed); 0: none */
};

/* How the inclusive cost of calls comes to be, for one event. */
enum cg_incl {
	CG_INCL_STATED,    /* rows say it; no word means 0 */
	CG_INCL_BY_COUNTS, /* nobody knows: split by call counts, as gprof */
	CG_INCL_NONE       /* has no meaning (coverage) */
};

struct cg_event {
	const char *name;      /* a word without blanks: "Ir" */
	const char *long_name; /* "" if there is none */
	const char *unit;      /* "ns", "bytes", ...; "" is a plain count */
	const char *formula;   /* inherited event: "Ir + 10 L1m"; else "" */
	bool is_signed;        /* costs are two's complement in their uint64_t */
	enum cg_incl incl;
};

struct cg_part_info {
	uint64_t pid, tid, part; /* 0: not known */
	const char *cmd;         /* "" if not known */
};

/*
 * Labels that whoever made a profile gave to samples (pprof's): stacks of one
 * place that have different ones are kept apart. Several of a key may be in a
 * set; their order is kept, that of keys is not. n = 0 is set 0, no label.
 */
struct cg_label {
	struct cg_slice key;
	struct cg_slice value;  /* ""; then it is a number */
	int64_t number;
	struct cg_slice unit;   /* of the number; "": none */
};

/*
 * Everything comes in canonical order (parts as they came, functions by
 * object, file, name, rows by address, file, line), so that two graphs that
 * mean the same are written the same.
 */
cg_facts cg_graph_facts(const struct cg_graph *);
unsigned cg_graph_grain(const struct cg_graph *);
/* Real events; column i is event i. Then the inherited ones. */
size_t cg_event_count(const struct cg_graph *);
const struct cg_event *cg_get_event(const struct cg_graph *, size_t i);
/* The real event of that name; cg_event_count() if there is none. */
size_t cg_find_event(const struct cg_graph *, const char *name);
size_t cg_formula_count(const struct cg_graph *);
const struct cg_event *cg_get_formula(const struct cg_graph *, size_t i);
/* The cost of inherited event i for a cost vector (of all real events). */
bool cg_eval_formula(const struct cg_graph *, size_t i, const uint64_t *cost,
    int64_t *value);

/* Parts are 0 to count - 1; there is at least one. */
size_t cg_part_count(const struct cg_graph *);
const struct cg_part_info *cg_get_part(const struct cg_graph *, cg_part);
/* Description i of a part in the order of adding; false past the last. */
bool cg_part_desc(const struct cg_graph *, cg_part, size_t i,
    const char **key, const char **value);
/*
 * How many files the part's source lists, and in which order; one, and that is
 * file 0, where sources contradict each other.
 */
size_t cg_part_files(const struct cg_graph *, cg_part, const cg_file **);
/* Are calls counted in samples in any of the parts? */
bool cg_calls_sampled(const struct cg_graph *);
/* Sum of the part's self costs, of event_count values; till the next call. */
const uint64_t *cg_part_totals(const struct cg_graph *, cg_part);
/* Is the event's total other than 0 in any of the parts? */
bool cg_event_has_costs(const struct cg_graph *, size_t event);
/*
 * The event to show where none was asked for: if it has costs, that which a
 * description of a part with this key names; else the first with costs, else
 * the first (0, even if there is none).
 */
#define CG_MAIN_EVENT_KEY "default_sample_type"
size_t cg_main_event(const struct cg_graph *);

/* Ids are 1 to count; names of id 0 are "". */
size_t cg_object_count(const struct cg_graph *);
size_t cg_file_count(const struct cg_graph *);
size_t cg_fn_count(const struct cg_graph *);
size_t cg_node_count(const struct cg_graph *);
struct cg_slice cg_object_path(const struct cg_graph *, cg_object);
struct cg_slice cg_file_path(const struct cg_graph *, cg_file);
/* How its input wrote the path; "": as it is. */
struct cg_slice cg_file_given(const struct cg_graph *, cg_file);
struct cg_slice cg_fn_name(const struct cg_graph *, cg_fn);
/*
 * The name without a level of recursion: "f" of "f'2", as Callgrind and
 * --separate-recs name the second level of f.
 */
struct cg_slice cg_fn_base_name(const struct cg_graph *, cg_fn);
/* What linkers call it; "": the same. */
struct cg_slice cg_fn_symbol(const struct cg_graph *, cg_fn);
cg_file cg_fn_file(const struct cg_graph *, cg_fn);
cg_object cg_fn_object(const struct cg_graph *, cg_fn);
void cg_fn_range(const struct cg_graph *, cg_fn, struct cg_range *);
/* Function at place rank (0 to count, fn 0 among them) of canonical order. */
cg_fn cg_fn_ranked(const struct cg_graph *, size_t rank);

/* ---- The graph: rows ---------------------------------------------------- */

/* Coverage of what a function's basic blocks and decisions did. */
enum cg_branch_kind {
	/*
	 * The block itself, once for each line that it stands on (line 0: it
	 * has none): count is how often it ran.
	 */
	CG_BRANCH_BLOCK,
	/* Outcome number index of the decision at the end of the block. */
	CG_BRANCH_ARC,
	/* A call that ends the block: count is how often it returned. */
	CG_BRANCH_CALL,
	/*
	 * MC/DC of the decision that begins in the block: index is 2 * term,
	 * + 1 for the outcome true; count > 0: shown to decide alone.
	 */
	CG_BRANCH_CONDITION,
	/* Prime path number index of the function; count > 0: was gone. */
	CG_BRANCH_PATH,
	/* Counter number index of kind block, as the program counted. */
	CG_BRANCH_COUNTER,
	/*
	 * What prime path number block, which was not gone, leads through:
	 * block target, whose place number index on the path this line is
	 * (line 0: it has none). The label is the source's word for the arc to
	 * the next block, whose first place is behind the last one (flag).
	 */
	CG_BRANCH_STEP
};
#define CG_BRANCH_KINDS 7

/* Flags; where rows are summed, all of them are kept. */
#define CG_BRANCH_FALLTHROUGH 1u /* arc: to the next block in memory */
#define CG_BRANCH_THROW 2u       /* arc: the way of an exception */
#define CG_BRANCH_REACHED 4u     /* arc, call, condition: its block ran */
#define CG_BRANCH_UNREACHABLE 8u /* arc, condition: said to be impossible */
#define CG_BRANCH_EXCEPTIONAL 16u /* block: only an exception leads there */
#define CG_BRANCH_LAST 32u       /* block: it ends there; step: in that file */
#define CG_BRANCH_UNMARKED 64u   /* block: gcov has no * where it never ran */
#define CG_BRANCH_EXIT 128u      /* block: the exit, where clang says so */
#define CG_BRANCH_FLAGS 8
/* Only in sums of a line: no instance of the function before, or unlike it. */
#define CG_BRANCH_UNLIKE 256u

struct cg_branch {
	struct cg_pos pos;
	enum cg_branch_kind kind;
	uint32_t block, index; /* with place and kind: which one it is */
	/*
	 * Arc, call: the block that it leads to. Block 0 on line 0: which of
	 * its unit's functions it is, from 1; 0: not known.
	 */
	uint32_t target;
	unsigned flags;
	cg_name label;         /* the source's word for it; 0: none */
	int64_t count;         /* below 0 where threads raced */
};

/*
 * Rows of one function, each kind in its order:
 *
 *	struct cg_rows *rows = cg_rows_new(graph);
 *	for (size_t i = 0; cg_next_fn(graph, part, &i, &fn);) {
 *		cg_rows_open(rows, part, fn);
 *		while (cg_next_cost(rows, &cost)) ...
 *	}
 *	cg_rows_free(rows);
 *
 * What a row points to lives until the next call with these rows. NULL and
 * false also mean out of memory or an overflowing sum: the job notices and
 * fails after write() returns.
 */
#define CG_ALL_PARTS UINT32_MAX
struct cg_rows;
struct cg_rows *cg_rows_new(const struct cg_graph *);
void cg_rows_free(struct cg_rows *);
/* From the next open on, addresses are 0 and rows of one line are summed. */
void cg_rows_drop_addresses(struct cg_rows *);
/* Functions with rows in the part, in canonical order. */
bool cg_next_fn(const struct cg_graph *, cg_part, size_t *i, cg_fn *);
bool cg_rows_open(struct cg_rows *, cg_part, cg_fn);

struct cg_cost {
	struct cg_pos pos;
	const uint64_t *cost; /* n values; the columns from n on are zero */
	size_t n;             /* trailing zeros are cut */
};
struct cg_call {
	struct cg_pos site;
	cg_fn callee;
	struct cg_pos entry;  /* line and addr */
	uint64_t count;
	const uint64_t *cost;
	size_t n;
};
struct cg_jump {
	struct cg_pos from, to;
	cg_fn target;
	bool conditional;
	uint64_t executed, followed;
};
bool cg_next_cost(struct cg_rows *, struct cg_cost *);
bool cg_next_call(struct cg_rows *, struct cg_call *);
bool cg_next_jump(struct cg_rows *, struct cg_jump *);
/* Within a line by kind, block, index. */
bool cg_next_branch(struct cg_rows *, struct cg_branch *);
struct cg_slice cg_branch_label(const struct cg_graph *,
    const struct cg_branch *);
/*
 * What rows of blocks, calls and paths say of a function as a whole, with
 * gcov's rules: blocks are those between the first and the last by number.
 * exit is the number of the block that it is left from (0: the last). If it is
 * given and a row is marked as the exit's, llvm-cov's rules: that block is it,
 * and all others but the first are counted. Opens the function; false as
 * cg_rows_open().
 */
struct cg_coverage {
	uint64_t blocks, executed;
	uint64_t paths, paths_covered;
	bool entered;    /* entries are known */
	int64_t entries; /* how often the first block ran */
	bool returned;   /* returns are known: blocks stand on lines */
	int64_t returns; /* how often the exit ran, but for lost calls */
	cg_name label;   /* the first block's own */
	bool marked;     /* a row is marked as the exit's */
};
bool cg_get_coverage(struct cg_rows *, cg_part, cg_fn, uint32_t exit,
    struct cg_coverage *);
/* The inclusive cost that the source stated; false if it stated none. */
bool cg_stated_inclusive(struct cg_rows *, struct cg_cost *);

/* ---- The graph: stacks -------------------------------------------------- */

/* Call stacks: nodes are numbered with parents before children. */
struct cg_stack {
	cg_node node, parent;
	cg_fn fn;
	struct cg_pos pos;
	bool inlined; /* into the parent's function */
};
void cg_get_node(const struct cg_graph *, cg_node, struct cg_stack *);
/*
 * Stacks with a cost of their own, by node, then labels. For a format that does
 * not carry CG_LABELS there are none, and a node has one of a part.
 */
struct cg_stack_cost {
	cg_node leaf;
	cg_labels labels;
	uint64_t samples;
	const uint64_t *cost;
	size_t n;
};
bool cg_next_stack(const struct cg_graph *, cg_part, size_t *i,
    struct cg_stack_cost *);
/* Sets of labels are 1 to count. */
size_t cg_labels_count(const struct cg_graph *);
/*
 * Label i of a set, texts before numbers, each by key; false past the last.
 */
bool cg_get_label(const struct cg_graph *, cg_labels, size_t i,
    struct cg_label *);
/*
 * The description of a part whose stacks are an estimate (--guess-stacks); what
 * is written of them says so. Is it there, in any of the parts?
 */
#define CG_GUESSED_KEY "Stacks"
#define CG_GUESSED_VALUE "estimated from calls"
bool cg_stacks_guessed(const struct cg_graph *, cg_part);

/* ---- The graph: sums ---------------------------------------------------- */

/*
 * Inclusive cost per function in a part, or over CG_ALL_PARTS: what the source
 * stated, else self plus calls that leave the function's cycle. Cycles are
 * numbered from 1; a function in none has cycle 0. calls_in is the sum of the
 * counts of calls from others. NULL: out of memory, or a sum does not fit.
 *
 * What only stacks tell (CG_STACKS) is 0 here until cg_job_derive() has made
 * calls of them. Stacks are gone then: who wants them written writes first.
 */
struct cg_sums;
/* Without costs only calls, cycles and roots, in a fraction of the time. */
struct cg_sums *cg_sums_new(const struct cg_graph *, cg_part, bool costs);
/* Sums of so many events alone, from event on: a fraction of the memory. */
struct cg_sums *cg_sums_of(
    const struct cg_graph *, cg_part, size_t event, size_t events);
void cg_sums_free(struct cg_sums *);
uint64_t cg_sum_self(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_inclusive(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_calls_in(const struct cg_sums *, cg_fn);
uint32_t cg_sum_cycle(const struct cg_sums *, cg_fn);
/* No other function calls it (recursion and <spontaneous> aside). */
bool cg_sum_is_root(const struct cg_sums *, cg_fn);
size_t cg_cycle_count(const struct cg_sums *);
/* A function outside the cycle calls one in it (<spontaneous> aside). */
bool cg_cycle_is_called(const struct cg_sums *, uint32_t cycle);

/* ---- Archives ----------------------------------------------------------- */

/*
 * tar and zip, packed or not: their members one after the other, as they come
 * in the archive. Nothing is written to disk. What is reported goes to the
 * job's reporter; the archive is to be closed before the job is freed.
 */
struct cg_archive;
struct cg_member {
	const char *name; /* as it is there: do not trust it */
	int64_t mtime;    /* seconds since 1970 */
	uint64_t size;    /* as the archive says; 0: it does not */
	bool file;        /* a regular file: it has bytes */
	bool directory;   /* neither: a link, a device */
};
/* NULL and CG_OK: it is no archive. */
int cg_archive_open(struct cg_job *, const char *path, struct cg_archive **);
/* The next member, which lives until the next call; false at the end. */
bool cg_archive_next(struct cg_archive *, struct cg_member *);
/* Its bytes: how many were read, 0 at its end, -1 on errors. */
ptrdiff_t cg_archive_read(struct cg_archive *, char *buf, size_t size);
/* CG_OK, or why the archive ended early (reported). */
int cg_archive_status(const struct cg_archive *);
void cg_archive_close(struct cg_archive *);

/* ---- Jobs --------------------------------------------------------------- */

/*
 * One conversion. Set it up, run it, free it. Every failure has been
 * reported when a call returns a status other than CG_OK.
 */
struct cg_job *cg_job_new(const struct cg_module *const *modules,
    cg_reporter *, void *arg);
void cg_job_free(struct cg_job *);
/* Messages go there from now on. */
void cg_job_set_reporter(struct cg_job *, cg_reporter *, void *arg);
/*
 * Another job with the same settings, formats, options and objects, without
 * inputs and output; to be freed before the first. They share what is known of
 * the objects, so both are of one thread. NULL: out of memory.
 */
struct cg_job *cg_job_clone(struct cg_job *);
/*
 * "-" is standard input. ELF files among the inputs become objects, folders
 * become the files in them that a format gathers.
 */
int cg_job_add_input(struct cg_job *, const char *path);
/* An object for symbols (--exe). */
int cg_job_add_object(struct cg_job *, const char *path);
/* Object i that was added, NULL past the last. */
const char *cg_job_object(const struct cg_job *, size_t i);
int cg_job_set_from(struct cg_job *, const char *format);
int cg_job_set_to(struct cg_job *, const char *format);
/* Of packed files that are read; only gz is written, too. */
#define CG_COMPRESSED_SUFFIXES "xz;bz2;zst;lz4"
/*
 * "-" is standard output, the default. .gz packs. Where no format was set
 * before, the suffix tells it, or the name is like those of the first format
 * (none, or a number); else CG_EUSAGE.
 */
int cg_job_set_output(struct cg_job *, const char *path);
/*
 * The output goes to memory instead: after cg_job_write() returned CG_OK,
 * cg_job_output() is what was written. The bytes belong to the job and are
 * valid until it is freed or writes again.
 */
void cg_job_set_output_memory(struct cg_job *);
struct cg_slice cg_job_output(const struct cg_job *);
/*
 * The output goes to a callback instead, in order, in pieces of any size.
 * write() takes all n bytes and returns 0, or an errno value such as EIO: then
 * it is not called again and cg_job_write() returns CG_EOUTPUT. Unlike a file,
 * what was written before a failure is not taken back.
 */
typedef int cg_write_fn(void *arg, const char *bytes, size_t n);
void cg_job_set_output_callback(struct cg_job *, cg_write_fn *, void *arg);
void cg_job_set_gzip(struct cg_job *, bool);
void cg_job_set_strict(struct cg_job *, bool);
/*
 * For who looks at the graph himself, before reading: cg_sums_of() is all that
 * will be asked of rows. Places of costs, jumps and branches are not kept then;
 * the facts tell that there were some.
 */
void cg_job_set_sums_only(struct cg_job *, bool);
/* Costs below zero become 0 where the target has no place for them. */
void cg_job_set_clamp(struct cg_job *, bool);
/* Where a target needs stacks and there are none, estimate them from calls. */
void cg_job_set_guess(struct cg_job *, bool);
void cg_job_set_verbose(struct cg_job *, bool);
bool cg_job_verbose(const struct cg_job *);
/*
 * Where a signal handler says to stop: once *flag is not 0, reading and
 * writing fail as if interrupted, so nothing partial is left.
 */
void cg_job_set_stop(struct cg_job *, const volatile sig_atomic_t *flag);
/*
 * Source files, whatever format names them. Map: paths in the folder from
 * become paths in to ("": relative); the first that fits counts. Patterns
 * are the shell's; one that does not begin with '/' or '*' fits at any folder.
 * Rows in files that no include fits, if there is one, or that an exclude
 * fits, are left out.
 */
int cg_job_map_path(struct cg_job *, const char *from, const char *to);
int cg_job_include(struct cg_job *, const char *pattern);
int cg_job_exclude(struct cg_job *, const char *pattern);
/* Leave decisions out of coverage, or only their ways of exceptions. */
void cg_job_drop_branches(struct cg_job *, bool throws_only);
/* Keep the inputs apart as parts instead of summing them. */
void cg_job_set_parts(struct cg_job *, bool);
/* Samples become parts by "pid", "tid", "comm" or "label:KEY". */
int cg_job_set_part_by(struct cg_job *, const char *by);
/*
 * The event to write, for targets that write one only, or what is counted in
 * inputs that do not tell: the option CG_EVENT_OPTION of formats.
 */
#define CG_EVENT_OPTION "event"
int cg_job_set_event(struct cg_job *, const char *name);
/* Does the target write one event only? */
bool cg_job_writes_one_event(const struct cg_job *);
/* A module's option; value NULL for a flag that is set. */
int cg_job_set_option(struct cg_job *, const char *name, const char *value);
/*
 * Reads all inputs and freezes the graph; it lives as long as the job. Where
 * inputs are summed, a function of an unknown object in one is that of the
 * same file and name in another that knows it, if there is just one.
 */
int cg_job_read(struct cg_job *, const struct cg_graph **);
/*
 * Adds what another job has read, as an input: for who reads each with a job
 * of its own, so that a bad one costs itself alone. Such a job has no inputs;
 * cg_job_read() then makes the sum. NULL adds nothing: a sum may be empty.
 */
int cg_job_merge(struct cg_job *, const struct cg_job *);
/*
 * The output is to be added to others: what depends on all of the inputs is
 * left to the job that adds them up.
 */
void cg_job_set_partial(struct cg_job *, bool);
/*
 * The output is share number (from 1) of count, up to CG_SHARD_MAX, of a list
 * of inputs with that hash. It is described so, if its format can: then only
 * a partial job adds some of them up, and none adds one twice, or one of
 * another list.
 */
#define CG_SHARD_MAX 65536
void cg_job_set_shard(
    struct cg_job *, uint32_t number, uint32_t count, uint64_t list);
/*
 * Derives facts for a program that looks at the graph itself: CG_INCL for
 * inclusive costs that follow from counts of calls, CG_CALLS for calls that
 * follow from stacks. Call it after cg_job_read() and before looking.
 */
int cg_job_derive(struct cg_job *, cg_facts needs);
/*
 * How many levels of recursion cg_job_derive() keeps apart when it makes calls
 * of stacks. The default is what the formats' option for it was set to
 * (levels_option in struct cg_module), else 1.
 */
void cg_job_set_levels(struct cg_job *, uint64_t levels);
/*
 * The difference of what two other jobs have read becomes this one's graph, as
 * if it had been read: what costs more after is above 0, what costs less below.
 * Where the target holds no costs below 0 and they are not to be clamped, or
 * where that is asked for, it has both side by side instead: of an event X,
 * X_before and X_after. Functions are the same that have the same name, file
 * and object; where paths differ, by their last components; where that leaves
 * one of a name, by less. Calls are counted as after. No addresses, jumps,
 * branches. Normalized, costs before are scaled to the sums of those after.
 */
enum { CG_DIFF_SIDE_BY_SIDE = 1, CG_DIFF_NORMALIZE = 2 };
int cg_job_diff(struct cg_job *, struct cg_job *before, struct cg_job *after,
    unsigned how, const struct cg_graph **);
/* What a function of side 0 (before) or 1 (after) is in the difference. */
cg_fn cg_job_diff_fn(const struct cg_job *, int side, cg_fn);
/*
 * CG_OK, or why sums or cursors gave nothing: memory, or a sum that does not
 * fit; it has been reported.
 */
int cg_job_status(const struct cg_job *);
/* Derives what the target needs, writes, commits. After cg_job_read(). */
int cg_job_write(struct cg_job *);
int cg_job_run(struct cg_job *); /* both */
/* Were inputs left out? Then cg_job_write() returns CG_EINPUT. */
bool cg_job_skipped(const struct cg_job *);
/*
 * A file that is in memory only: an input or a companion of that very path is
 * read from there; companions are looked for nowhere else then. The bytes must
 * stay until the job is freed.
 */
int cg_job_add_memory(struct cg_job *, const char *path, struct cg_slice);
/*
 * Adds an input whose bytes the callback delivers, in order and once; path is
 * its name in messages and for probe(). read() stores up to size bytes in buf
 * and returns how many, 0 at the end, or a negative errno value such as -EIO.
 */
typedef ptrdiff_t cg_read_fn(void *arg, char *buf, size_t size);
int cg_job_add_input_callback(struct cg_job *, const char *path, cg_read_fn *,
    void *arg);
/*
 * After a failure: was it because no format claims the input (it is empty, or
 * a program)?
 */
bool cg_job_unclaimed(const struct cg_job *);
/* After a failure: could one of several inputs not be read? */
bool cg_job_one_failed(const struct cg_job *);
/* What an input is. */
struct cg_detected {
	const struct cg_module *module; /* NULL: no format claims it */
	int score;                      /* see CG_PROBE_SURE */
	const char *filters; /* compression: "", "gzip", "gzip utf-16" */
};
int cg_job_detect(struct cg_job *, const char *path, struct cg_detected *);
/* The path of input i that was read and what it was; NULL past the last. */
const char *cg_job_source(const struct cg_job *, size_t i,
    struct cg_detected *);
/* Module i that the job knows, plug-ins last; NULL past the last. */
const struct cg_module *cg_job_module(const struct cg_job *, size_t i);

/* The format that is written, NULL if none is. */
const struct cg_module *cg_job_target(const struct cg_job *);
/* Looks a module up by name in a NULL-terminated table; NULL if none. */
const struct cg_module *cg_find_module(const struct cg_module *const *,
    struct cg_slice name);
/* Plug-ins: all of FILE's modules (its symbol cg_modules) join the job. */
int cg_job_load_modules(struct cg_job *, const char *path);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
