/*
 * cgconv.h - convert profiles into each other through one neutral cost graph.
 *
 * The interface for programs. A job is one conversion: inputs, options, one
 * output. What it reads becomes a graph, which a program may look at. Three
 * more headers serve the authors of formats:
 *
 * 	cgconv_format.h  errors, options, reading, building a graph, writing
 * 	cgconv_parse.h   parsers of text, JSON and XML; maps; arithmetic
 * 	cgconv_expert.h  ELF symbols, address spaces, costs as lines of text
 *
 * Ownership, in all of them: the caller owns what a cg_*_new() returns and
 * frees it with cg_*_free(). Everything else belongs to the library and is
 * valid as long as the job, unless the comment of the call says less. A slice
 * is not NUL-terminated unless the comment says so; a char * string is.
 *
 * Errors: a call that returns int returns enum cg_status, and has reported the
 * failure before it returns anything but CG_OK. The library never prints and
 * never ends the process.
 *
 * Threads: jobs share nothing that changes, so two may run in two threads; one
 * job must not be used by two threads at once. See also cg_job_set_threads().
 *
 * Compatibility: programs allocate structs that calls fill in (struct cg_stack,
 * struct cg_cost), so a struct changes only with the shared library's soname.
 * Under one soname, functions, formats, options, facts and values of enums may
 * be added: pass on what you do not know. Only functions are exported, no data,
 * whose size would be copied into programs. See also CG_MODULE_ABI.
 *
 * Contents; each is a line "---- Name" below:
 * Status, Text, Facts, Modules, Messages;
 * The graph: dimensions, rows, stacks, timelines, sums; Archives, Jobs
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

#define CG_VERSION "1.0.0"

#if defined(__GNUC__)
#define CG_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CG_PRINTF(fmt, args)
#endif

/* ---- Status ------------------------------------------------------------- */

/* The values are the exit statuses of the program. */
enum cg_status {
	CG_OK = 0,
	CG_EINPUT = 1,  /* an input is malformed or cannot be read */
	CG_EUSAGE = 2,  /* an option or argument makes no sense */
	CG_ELOSS = 3,   /* the target cannot represent the input (--strict) */
	CG_EOUTPUT = 4, /* the output cannot be written */
	CG_ELIMIT = 5,  /* out of memory, or a limit of the library */
	CG_EBUG = 6     /* internal error */
};

/* ---- Text --------------------------------------------------------------- */

struct cg_slice {
	const char *ptr;
	size_t len;
};

/* The slice of a NUL-terminated string. */
struct cg_slice cg_slice(const char *);
/* Inline: the length of a literal is then a constant. */
static inline bool
cg_equal(struct cg_slice slice, const char *string)
{
	size_t len = strlen(string);

	return slice.len == len &&
	       (len == 0 || memcmp(slice.ptr, string, len) == 0);
}
bool cg_starts(struct cg_slice, const char *prefix);
/*
 * Compares bytes as memcmp() does: negative, 0 or positive. A prefix is less
 * than what it is a prefix of.
 */
int cg_compare(struct cg_slice, struct cg_slice);

/* What follows the last '/' of a path; the whole path if nothing does. */
struct cg_slice cg_base_name(struct cg_slice path);

/* ---- Facts -------------------------------------------------------------- */

/*
 * What a graph contains and what a format can represent. If a target needs
 * facts that the graph lacks, the library derives them where that is exact;
 * facts that the target cannot represent are reported once.
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
#define CG_ZEROS (1u << 9)    /* lines that could have run but never did */
#define CG_BRANCHES (1u << 10) /* coverage of branches */
#define CG_SIGNED (1u << 11)  /* negative costs; an error if not supported */
#define CG_BLOCKS (1u << 12)  /* coverage of blocks, calls, paths */
#define CG_CONDITIONS (1u << 13) /* coverage of conditions (MC/DC) */
#define CG_COUNTERS (1u << 14) /* raw counters of the instrumentation */
/* Facts of functions, stacks, events and parts, not of rows: */
#define CG_FILES (1u << 15)   /* source files of functions */
#define CG_OBJECTS (1u << 16) /* ELF objects of functions */
#define CG_SYMBOLS (1u << 17) /* linker names of functions */
#define CG_DEFINITIONS (1u << 18) /* where functions begin in their files */
#define CG_INLINING (1u << 19) /* which frames of stacks are inlined */
#define CG_SAMPLES (1u << 20) /* numbers of samples that are not an event */
#define CG_FORMULAS (1u << 21) /* derived events */
#define CG_DESCRIPTIONS (1u << 22) /* of parts: command, process, others */
#define CG_LABELS (1u << 23)  /* of samples */
#define CG_TIMELINE (1u << 24) /* stacks with their times, in order */
/* Of rows again: */
#define CG_REGIONS (1u << 25) /* where code that ran begins and ends */
#define CG_FACT_COUNT 26

/* Name of fact number bit ("self", "lines", ...); NULL past the last one. */
const char *cg_fact_name(unsigned bit);

/* ---- Modules ------------------------------------------------------------ */

struct cg_job;
struct cg_in;
struct cg_out;
struct cg_build;
struct cg_graph;

/*
 * The input of probe(). If a JSON document is longer and no score is
 * CG_PROBE_LIKELY or more, probe() is called again with up to CG_PROBE_BYTES
 * of it; the ends of its long arrays, objects and strings are dropped.
 */
struct cg_head {
	struct cg_slice first; /* first line, without newline or CR */
	struct cg_slice text;  /* at most the first 64 KiB, decompressed */
	const char *name;      /* base name of the file, "" for a pipe */
	bool whole;            /* text is the whole input */
};

/*
 * A directory in which no format gathers files is probed as an input, too: its
 * text is this line, then the names in the directory, one per line. If a
 * format returns CG_PROBE_SURE (macOS bundles are directories), its read() is
 * called with the same text and can report what the user has to do. The
 * library opens no file in the directory.
 */
#define CG_DIRECTORY_MAGIC "//directory\n"

/*
 * Scores: 0 no, WEAK a guess from the shape, SURE a magic number; values
 * between them are possible. The highest score wins. A tie is an error that
 * names both formats; the order of the formats never decides. MORE: the file
 * may begin with these bytes, but they do not suffice: unless another format
 * scores LIKELY, probe() is called again with up to CG_PROBE_BYTES.
 */
#define CG_PROBE_BYTES (16 << 20)
enum { CG_PROBE_MORE = -1, CG_PROBE_NO = 0, CG_PROBE_WEAK = 25, CG_PROBE_LIKELY = 60,
       CG_PROBE_SURE = 100 };

enum cg_option_type { CG_FLAG, CG_NUMBER, CG_STRING };

/*
 * All formats share one vocabulary: an option name has the same meaning and
 * type in each of them. The library checks the type of the value.
 */
struct cg_option {
	const char *name;     /* as after "--" */
	enum cg_option_type type;
	const char *fallback; /* default; NULL: not set; a flag: "yes", "no" */
	const char *arg;      /* what help calls the value, NULL for a flag */
	const char *help;     /* one line */
	bool reading, writing; /* when the option applies */
	/*
	 * For a flag: facts that write() can represent, and needs, only if it
	 * is set.
	 */
	cg_facts carries, needs;
};

#define CG_MODULE_ABI 10

struct cg_module {
	uint16_t abi, size;   /* CG_MODULE_ABI, sizeof(struct cg_module) */
	const char *name;     /* what -f and -t take: [a-z0-9-]+ */
	const char *title;    /* one line for --list-formats */
	bool text;            /* text format: inputs contain no NUL */
	const char *suffixes; /* "cgj;cgjson": output names that select it */
	/*
	 * Suffixes of the files that the format reads from directories. A file
	 * with one of the later suffixes is not an input if there is a file of
	 * the same name with the first suffix: the reader of the latter opens
	 * it as a companion.
	 */
	const char *gathers;
	/* Name of an output in a batch: "x.{stem}"; NULL: "{stem}.SUFFIX". */
	const char *naming;
	cg_facts carries;     /* what write() can represent */
	cg_facts needs;       /* what write() requires */
	const struct cg_option *options; /* ends with a NULL name; or NULL */
	int (*probe)(const struct cg_head *);
	int (*read)(struct cg_job *, struct cg_in *, struct cg_build *);
	int (*write)(struct cg_job *, const struct cg_graph *,
	    struct cg_out *);
	/* write() uses linker names: readers then demangle no names. */
	bool linkage;
	/*
	 * True if the data of an empty input at path is in the file other, so
	 * that the empty input is skipped with a note. NULL: never.
	 */
	bool (*is_split)(const char *path, const char *other);
	/*
	 * Name of the option with the number of recursion levels that become
	 * functions of their own ("f", "f'2") when stacks become calls. NULL:
	 * recursion stays one function.
	 */
	const char *levels_option;
	/*
	 * Default of --root-by for outputs, from labels of samples: "comm" for
	 * flame graphs; NULL: none. Does not apply if a flag needs a timeline:
	 * its tracks then identify the threads.
	 */
	const char *root_by;
	/*
	 * write() shows changes of pairs of events before and after: see
	 * cg_choose_pair(). Differences are then written side by side, even
	 * without CG_EVENTS.
	 */
	bool pairs;
	/*
	 * Programs that show outputs of the format, "kcachegrind;qcachegrind";
	 * they are tried before the system's default viewer. NULL: only the
	 * default viewer.
	 */
	const char *viewers;
	/*
	 * Adds to the graph what read() has kept of all inputs with
	 * cg_job_state(), after the last one; returns the status. A job with
	 * parts calls it after each input: begin anew then. A batch has the
	 * inputs of one output, by their suffixes, read by one job, as far as
	 * possible. NULL: read() keeps nothing.
	 */
	int (*finish)(struct cg_job *, struct cg_build *);
};
#define CG_MODULE .abi = CG_MODULE_ABI, .size = sizeof(struct cg_module)

/*
 * The formats of this library, NULL-terminated. This is a function and not a
 * table, as the size of a table would be compiled into each program that is
 * linked with it.
 */
const struct cg_module *const *cg_formats(void);
/* CG_VERSION of the library, which may be newer than this header. Static. */
const char *cg_version(void);

/* ---- Messages ----------------------------------------------------------- */

enum cg_severity { CG_NOTE, CG_WARNING, CG_ERROR };

struct cg_message {
	enum cg_severity severity;
	const char *file;  /* NULL: concerns no file */
	uint64_t line;     /* from 1; 0: no line */
	uint64_t column;   /* from 1; 0: no column */
	uint64_t offset;   /* in a binary input, if has_offset */
	bool has_offset;
	/*
	 * No newline; control characters are escaped. The spelling of options
	 * depends on cg_job_set_option_prefix().
	 */
	const char *text;
};
/* The message is valid during the call. */
typedef void cg_reporter(void *arg, const struct cg_message *);

/* ---- The graph: dimensions ---------------------------------------------- */

/*
 * Dimensions are ids; 0 is "unknown" and always valid. Adding something twice
 * returns the same id. Costs of the same part, function, location and event are
 * summed.
 */
typedef uint32_t cg_name;   /* a string */
typedef uint32_t cg_object; /* ELF object, by path */
typedef uint32_t cg_file;   /* source file, by path */
typedef uint32_t cg_fn;     /* function: (object, file, name, symbol) */
typedef uint32_t cg_part;   /* a thread, a process, or a dump of one */
typedef uint32_t cg_node;   /* call stack: frame on top of a parent node */
typedef uint32_t cg_labels; /* set of labels of samples */

/* Where a function is defined in its source and object; 0: unknown. */
struct cg_range {
	uint32_t first, first_column; /* line and column, from 1 */
	uint32_t last, last_column;
	uint64_t addr;
};

/* A location in a function. In inlined code the file differs from the fn's. */
struct cg_pos {
	cg_file file;
	uint32_t line; /* 0: unknown */
	uint64_t addr; /* as in the object file (load bias removed); 0: none */
};

/* Where the inclusive cost of calls comes from, by event. */
enum cg_incl {
	CG_INCL_STATED,    /* from the rows; a call without it has 0 */
	CG_INCL_BY_COUNTS, /* unknown: split by call counts, as gprof does */
	CG_INCL_NONE,      /* has no meaning (coverage) */
	CG_INCL_SPLIT      /* was CG_INCL_BY_COUNTS; cg_job_derive() split it */
};

struct cg_event {
	const char *name;      /* a word without blanks: "Ir" */
	const char *long_name; /* "" if there is none */
	const char *unit;      /* "ns", "bytes", ...; "": a plain count */
	const char *formula;   /* derived event: "Ir + 10 L1m"; else "" */
	bool is_signed;        /* costs are two's complement in a uint64_t */
	enum cg_incl incl;
};

struct cg_part_info {
	uint64_t pid, tid, part; /* 0: unknown */
	const char *cmd;         /* "" if unknown */
};

/*
 * A label of samples, as in pprof. Stacks with different sets of labels are
 * kept apart. A set may have several labels of one key; their order is kept,
 * the order of keys is not. Set 0 has no labels.
 */
struct cg_label {
	struct cg_slice key;
	struct cg_slice value;  /* "": the label is a number */
	int64_t number;
	struct cg_slice unit;   /* of the number; "": none */
};

/*
 * Everything is in canonical order: parts as they were read, functions by
 * object, file and name, rows by address, file and line. So equal graphs give
 * equal outputs.
 */
cg_facts cg_graph_facts(const struct cg_graph *);
/* Bytes that an address of a row stands for; see cg_set_grain(). */
unsigned cg_graph_grain(const struct cg_graph *);
/* Events with costs: event i is column i. Derived events have no column. */
size_t cg_event_count(const struct cg_graph *);
const struct cg_event *cg_get_event(const struct cg_graph *, size_t i);
/* The column of the event with that name; cg_event_count() if there is none. */
size_t cg_find_event(const struct cg_graph *, const char *name);
/* Derived events. */
size_t cg_formula_count(const struct cg_graph *);
const struct cg_event *cg_get_formula(const struct cg_graph *, size_t i);
/*
 * Sets *value to the cost of derived event i, computed from the costs of all
 * columns. False if it does not fit.
 */
bool cg_eval_formula(const struct cg_graph *, size_t i, const uint64_t *cost,
    int64_t *value);

/* Parts are 0 to count - 1; there is at least one. */
size_t cg_part_count(const struct cg_graph *);
const struct cg_part_info *cg_get_part(const struct cg_graph *, cg_part);
/* Description i of a part in the order of adding; false past the last. */
bool cg_part_desc(const struct cg_graph *, cg_part, size_t i,
    const char **key, const char **value);
/*
 * The files that the part's source lists, in the order of that list; returns
 * their number. If the lists of several inputs contradict each other, the only
 * file is file 0.
 */
size_t cg_part_files(const struct cg_graph *, cg_part, const cg_file **);
/* True if any part counts calls in samples. */
bool cg_calls_sampled(const struct cg_graph *);
/* Sums of the part's self costs, one per event; valid until the next call. */
const uint64_t *cg_part_totals(const struct cg_graph *, cg_part);
/* True if the event's total is not 0 in some part. */
bool cg_event_has_costs(const struct cg_graph *, size_t event);
/*
 * The event to show by default. A reader whose format has a rule for it names
 * the event in a part's description with the key CG_MAIN_EVENT_KEY; that event
 * is returned if it has costs. Otherwise the time in ns, which readers add
 * next to numbers of samples; otherwise the first event with costs; otherwise
 * event 0, even if the graph has no event.
 */
#define CG_MAIN_EVENT_KEY "default_sample_type"
#define CG_TIME_EVENT "ns"
size_t cg_main_event(const struct cg_graph *);
/*
 * The part to show first: the one with the highest total of the event, or part
 * 0.
 */
cg_part cg_main_part(const struct cg_graph *, size_t event);

/* Ids are 1 to count; names of id 0 are "". */
size_t cg_object_count(const struct cg_graph *);
size_t cg_file_count(const struct cg_graph *);
size_t cg_fn_count(const struct cg_graph *);
size_t cg_node_count(const struct cg_graph *);
struct cg_slice cg_object_path(const struct cg_graph *, cg_object);
struct cg_slice cg_file_path(const struct cg_graph *, cg_file);
/* The path as the input has it; "": the same. */
struct cg_slice cg_file_given(const struct cg_graph *, cg_file);
struct cg_slice cg_fn_name(const struct cg_graph *, cg_fn);
/*
 * The name without the level of recursion: "f" for "f'2", which is what
 * Callgrind and --separate-recs name the second level of f.
 */
struct cg_slice cg_fn_base_name(const struct cg_graph *, cg_fn);
/* Its linker name; "": the same. */
struct cg_slice cg_fn_symbol(const struct cg_graph *, cg_fn);
cg_file cg_fn_file(const struct cg_graph *, cg_fn);
cg_object cg_fn_object(const struct cg_graph *, cg_fn);
void cg_fn_range(const struct cg_graph *, cg_fn, struct cg_range *);
/*
 * The function at a rank in canonical order; ranks are 0 to count, fn 0
 * included.
 */
cg_fn cg_fn_ranked(const struct cg_graph *, size_t rank);

/* ---- The graph: rows ---------------------------------------------------- */

/* Coverage of basic blocks, and of the branches between them. */
enum cg_branch_kind {
	/*
	 * A block, once for each line that it is on (line 0: it is on none);
	 * count is how often it ran.
	 */
	CG_BRANCH_BLOCK,
	/* Branch number index at the end of the block. */
	CG_BRANCH_ARC,
	/* A call that ends the block; count is how often it returned. */
	CG_BRANCH_CALL,
	/*
	 * MC/DC of a condition that begins in the block: index is 2 * term,
	 * plus 1 for the outcome true; count > 0: the outcome was shown to
	 * decide alone.
	 */
	CG_BRANCH_CONDITION,
	/* Prime path number index of the function; count > 0: taken. */
	CG_BRANCH_PATH,
	/* Raw counter number index of kind block. */
	CG_BRANCH_COUNTER,
	/*
	 * A step of prime path number block, which was not taken: the path
	 * goes through block target, and index numbers the places on the path;
	 * all lines of one place have the same (line 0: the block has none). The label is the source's word for the
	 * arc to the next block on the path; that block's first line follows
	 * the row with CG_BRANCH_LAST.
	 */
	CG_BRANCH_STEP,
	/*
	 * A region, which begins on the line: see struct cg_region. block is
	 * its column, index the number of lines to its last one, target its
	 * last column. These and the flags identify it. Last of all kinds.
	 */
	CG_BRANCH_REGION
};
#define CG_BRANCH_KINDS 8

/* Flags; a sum of rows has the flags of all its rows. */
#define CG_BRANCH_FALLTHROUGH 1u /* arc: to the next block in memory */
#define CG_BRANCH_THROW 2u       /* arc: exception branch */
#define CG_BRANCH_REACHED 4u     /* arc, call, condition: its block ran */
#define CG_BRANCH_UNREACHABLE 8u /* arc, condition: stated to be impossible */
#define CG_BRANCH_EXCEPTIONAL 16u /* block: only exceptions lead there */
#define CG_BRANCH_LAST 32u /* block: ends on the line; step: in the file */
#define CG_BRANCH_UNMARKED 64u   /* block: gcov writes no * if it never ran */
#define CG_BRANCH_EXIT 128u      /* block: the exit, if clang states it */
#define CG_BRANCH_FLAGS 8
/* Only in sums of a line: instances of the template differ in branches. */
#define CG_BRANCH_UNLIKE 256u

struct cg_branch {
	struct cg_pos pos;
	enum cg_branch_kind kind;
	uint32_t block, index; /* identify it, with pos and kind */
	/*
	 * Arc, call: the block that it leads to. In the row of block 0 on line
	 * 0: the number of the function in its unit, from 1; 0: unknown.
	 */
	uint32_t target;
	unsigned flags;
	cg_name label;         /* the source's word for the branch; 0: none */
	int64_t count;         /* may be negative after data races */
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
 * Pointers in a row are valid until the next call with the same struct
 * cg_rows. NULL and false also mean out of memory or an overflowing sum: then
 * cg_job_status() is not CG_OK, and cg_job_write() fails after write()
 * returns.
 */
#define CG_ALL_PARTS UINT32_MAX
struct cg_rows;
struct cg_rows *cg_rows_new(const struct cg_graph *);
void cg_rows_free(struct cg_rows *);
/*
 * After the next cg_rows_open(), addresses are 0 and rows of one line are
 * summed.
 */
void cg_rows_drop_addresses(struct cg_rows *);
/* The functions that have rows in the part, in canonical order; *i from 0. */
bool cg_next_fn(const struct cg_graph *, cg_part, size_t *i, cg_fn *);
bool cg_rows_open(struct cg_rows *, cg_part, cg_fn);
/*
 * True if the function has costs, calls or jumps; a stated inclusive cost does
 * not count.
 */
bool cg_rows_any(const struct cg_rows *);

struct cg_cost {
	struct cg_pos pos;
	const uint64_t *cost; /* n values; columns from n on are 0 */
	size_t n;             /* the last column that is not 0, plus 1 */
};
struct cg_call {
	struct cg_pos site;   /* in the caller */
	cg_fn callee;
	struct cg_pos entry;  /* line and addr in the callee */
	uint64_t count;
	const uint64_t *cost; /* inclusive, as in struct cg_cost */
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
/* Branches of a line are sorted by kind, block and index. */
bool cg_next_branch(struct cg_rows *, struct cg_branch *);
struct cg_slice cg_branch_label(const struct cg_graph *,
    const struct cg_branch *);

/*
 * A part of a source that ran count times, such as a statement. Regions may
 * contain others: code has the count of the innermost region around it.
 */
struct cg_region {
	cg_file file;
	uint32_t line, column;      /* its first byte, from 1 */
	uint32_t last, last_column; /* the byte after it; 0: the line's end */
	unsigned flags;
	cg_name label;              /* the source's word for it; 0: none */
	int64_t count;
};
/* Flags: bits that struct cg_branch uses for other kinds. */
#define CG_REGION_FILLER 1u  /* between statements: a way, not a statement */
#define CG_REGION_UTF16 8u   /* columns count UTF-16 units, not bytes */
#define CG_REGION_NO_CODE 64u /* skipped by the preprocessor; no count */
/* The region of a row of kind CG_BRANCH_REGION. */
void cg_get_region(const struct cg_branch *, struct cg_region *);
/*
 * Quick test whether two functions of two graphs have equal costs, calls and
 * stated inclusive costs in all columns. Compares in the order in which rows
 * were added; returns false if only that order differs. Ignores addresses,
 * call sites and entry positions. Closes both rows.
 */
struct cg_match {
	const uint32_t *file[2]; /* by file of each graph: equal if the same */
	const uint32_t *fn[2];   /* by function */
};
bool cg_rows_alike(struct cg_rows *const rows[2], const cg_fn fn[2],
    const struct cg_match *);
/*
 * Summary of a function's rows of blocks, calls and paths, by gcov's rules: it
 * counts the blocks between the first and the last by number; block exit is
 * where the function returns (0: the last block). If exit is not 0 and a row
 * has CG_BRANCH_EXIT, llvm-cov's rules apply: that row's block is the exit,
 * and all other blocks except the first are counted. Opens the function; false
 * as for cg_rows_open().
 */
struct cg_coverage {
	uint64_t blocks, executed;
	uint64_t paths, paths_covered;
	bool entered;    /* entries is known */
	int64_t entries; /* how often the first block ran */
	bool returned;   /* returns is known, as blocks are on lines */
	int64_t returns; /* how often the exit ran, minus lost calls */
	cg_name label;   /* of the first block */
	bool marked;     /* a row has CG_BRANCH_EXIT */
};
bool cg_get_coverage(struct cg_rows *, cg_part, cg_fn, uint32_t exit,
    struct cg_coverage *);
/*
 * The function's inclusive cost, if the source states one; else returns false.
 */
bool cg_stated_inclusive(struct cg_rows *, struct cg_cost *);

/* ---- The graph: stacks -------------------------------------------------- */

/* A frame of a call stack. Parents have lower numbers than their children. */
struct cg_stack {
	cg_node node, parent;
	cg_fn fn;
	struct cg_pos pos;
	bool inlined; /* into the parent's function */
};
void cg_get_node(const struct cg_graph *, cg_node, struct cg_stack *);
/*
 * The kind of code of a frame, by the letters of FlameGraph's annotations: i
 * inlined, j compiled at run time, k the kernel and its modules; 0: other
 * code.
 */
char cg_frame_kind(const struct cg_graph *, const struct cg_stack *);
/*
 * Stacks that have a self cost, by node, then by labels. If the target cannot
 * represent CG_LABELS, no stack has labels, and a part has each node at most
 * once.
 */
struct cg_stack_cost {
	cg_node leaf;
	cg_labels labels;
	uint64_t samples;
	const uint64_t *cost; /* as in struct cg_cost */
	size_t n;
};
bool cg_next_stack(const struct cg_graph *, cg_part, size_t *i,
    struct cg_stack_cost *);
/* Sets of labels are 1 to count. */
size_t cg_labels_count(const struct cg_graph *);
/* Label i of a set: texts before numbers, then by key; false past the last. */
bool cg_get_label(const struct cg_graph *, cg_labels, size_t i,
    struct cg_label *);
/* As strcmp(): compares by key, value, number, unit. */
int cg_compare_labels(const struct cg_label *, const struct cg_label *);
/*
 * Writes the value of a label as text, "a" or "64 bytes", without a NUL, to a
 * buffer of CG_LABEL_ROOM() bytes. Returns the end of the text.
 */
char *cg_format_label(char *to, const struct cg_label *);
#define CG_LABEL_ROOM(label) \
	(CG_NUMBER_MAX + 2 + (label)->value.len + (label)->unit.len)
/*
 * The description of parts whose stacks are an estimate (--guess-stacks);
 * outputs record it. The function returns true if the part, or any part for
 * CG_ALL_PARTS, has it.
 */
#define CG_GUESSED_KEY "Stacks"
#define CG_GUESSED_VALUE "estimated from calls"
bool cg_stacks_guessed(const struct cg_graph *, cg_part);
/*
 * True if it is no function but the process, the thread or what else --root-by,
 * or the target's root_by, puts below stacks.
 */
bool cg_fn_is_root(const struct cg_graph *, cg_fn);

/* ---- The graph: timelines ----------------------------------------------- */

/*
 * A track is a thread, or anything else that has one stack at a time; a part
 * may have several. Its moments are in the order of their times:
 *
 *	samples  the stack at that time, and its cost. The costs of the part's
 *	         stacks include these costs.
 *	spans    the stack from that time to the next moment; node 0: none. Each
 *	         begin and end of a call is a moment of its own; several may
 *	         have the same time. Spans have no costs.
 */
struct cg_track {
	cg_part part;
	uint64_t pid, tid;   /* 0: unknown */
	const char *name;    /* of the thread; "": unknown */
	const char *process; /* its name; "": unknown */
	const char *unit;    /* of times: "ns"; "": the costs so far */
	bool spans;
	uint64_t moments;
	int64_t begin, end;  /* stated by the source, else by the moments */
};
struct cg_moment {
	int64_t time;
	cg_node node;
	const uint64_t *cost; /* n values, as in struct cg_cost */
	size_t n;
};
/* Tracks are sorted by part. */
size_t cg_track_count(const struct cg_graph *);
const struct cg_track *cg_get_track(const struct cg_graph *, size_t i);
/* The number of the input that a track belongs to. */
size_t cg_track_input(const struct cg_graph *, size_t track);
/*
 *	struct cg_moments *moments = cg_moments_new(graph, track);
 *	while (moments && cg_next_moment(moments, &moment)) ...
 *	cg_moments_free(moments);
 *
 * NULL: out of memory, which cg_job_status() returns. A moment is valid until
 * the next call.
 */
struct cg_moments;
struct cg_moments *cg_moments_new(const struct cg_graph *, size_t track);
bool cg_next_moment(struct cg_moments *, struct cg_moment *);
void cg_moments_free(struct cg_moments *);
/*
 * A period with one stack; node is not 0. For calls: from one moment to the
 * next, or to the track's end for the last moment.
 */
struct cg_time_span {
	cg_node node;
	int64_t begin, end;
};
bool cg_next_span(struct cg_moments *, struct cg_time_span *);
/*
 * The same for samples that have a cost of the event. If the event is time, in
 * the track's unit, a sample lasts as long as it cost; the next one begins
 * when it has ended, or later. Otherwise a sample lasts until the next one,
 * but at most four times the usual interval, as a sleeping thread has no
 * samples; the last one lasts for the usual interval, and a single one for 0.
 */
struct cg_moments *cg_spans_new(
    const struct cg_graph *, size_t track, size_t event);
/* The event whose costs are the times of calls; cg_event_count(): none. */
size_t cg_span_event(const struct cg_graph *, const struct cg_track *);
/*
 * Adds the costs of all moments of a part (or of CG_ALL_PARTS) to sum, by
 * event; for calls their time. If all costs have times, the sums are the
 * part's totals. False: out of memory (reported).
 */
bool cg_timed_costs(const struct cg_graph *, cg_part, uint64_t *sum);
/*
 * True if all costs of the event have times; false also if out of memory
 * (reported).
 */
bool cg_all_timed(const struct cg_graph *, size_t event);
/*
 * The track to show first: the one whose moments cost most of the event, or
 * whose calls took longest; the first of equal ones. 0 if there is no track or
 * out of memory (reported).
 */
size_t cg_main_track(const struct cg_graph *, size_t event);

/* ---- The graph: sums ---------------------------------------------------- */

/*
 * Costs by function in a part, or in CG_ALL_PARTS. The inclusive cost is the
 * one that the source states, else the self cost plus the cost of calls of
 * other functions. In a cycle that sum would count recursion several times: a
 * member's inclusive cost is then the greater of that sum and the cost of
 * calls from other functions, but at most the cycle's cost. With negative
 * costs it is the self cost plus the cost of calls that leave the cycle.
 * Cycles are numbered from 1; a function outside of cycles has cycle 0.
 * calls_in is the number of calls from other functions, or, if stacks became
 * calls, the number of samples with such a call.
 *
 * Costs that only stacks have (CG_STACKS) are 0 here until cg_job_derive() has
 * turned the stacks into calls. That drops the stacks: to write them, call
 * cg_job_write() first.
 */
struct cg_sums;
/*
 * NULL: out of memory, or a sum does not fit. With costs false, the sums have
 * only calls, cycles and roots, and take a fraction of the time.
 */
struct cg_sums *cg_sums_new(const struct cg_graph *, cg_part, bool costs);
/*
 * Sums only the given number of events, from event on, which takes less
 * memory.
 */
struct cg_sums *cg_sums_of(
    const struct cg_graph *, cg_part, size_t event, size_t events);
void cg_sums_free(struct cg_sums *);
uint64_t cg_sum_self(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_inclusive(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_calls_in(const struct cg_sums *, cg_fn);
uint32_t cg_sum_cycle(const struct cg_sums *, cg_fn);
/*
 * The inclusive cost of a call: mostly the one that it states. Calls within a
 * cycle whose costs were split by counts state little; for them it is the
 * share of the cycle's cost that passes through the call.
 */
uint64_t cg_sum_call(const struct cg_sums *, cg_fn caller,
    const struct cg_call *, size_t event);
/* True if no other function calls it; the unknown caller does not count. */
bool cg_sum_is_root(const struct cg_sums *, cg_fn);
size_t cg_cycle_count(const struct cg_sums *);
/*
 * A cycle as one function: self is the sum of its members' self costs,
 * inclusive adds the cost of calls that leave the cycle, calls is how often
 * the cycle is entered (0 for sums without costs).
 */
uint64_t cg_cycle_self(const struct cg_sums *, uint32_t cycle, size_t event);
uint64_t cg_cycle_inclusive(const struct cg_sums *, uint32_t cycle,
    size_t event);
uint64_t cg_cycle_calls_in(const struct cg_sums *, uint32_t cycle);
/*
 * True if a function outside of the cycle calls one in it; the unknown caller
 * does not count.
 */
bool cg_cycle_is_called(const struct cg_sums *, uint32_t cycle);
/*
 * A depth-first search along calls starts at the first function in the order
 * of cg_fn_before, and starts again at the next one that was not reached. Sets
 * whether it starts at a function in a cycle: some programs then fail to find
 * the cycle. False: out of memory.
 */
typedef bool cg_fn_before(const struct cg_graph *, cg_fn, cg_fn);
bool cg_search_begins_in_cycle(const struct cg_sums *, cg_fn_before *,
    bool *found);

/* ---- Archives ----------------------------------------------------------- */

/*
 * tar and zip archives, compressed or not: their members in the order of the
 * archive. Nothing is written to disk. Messages go to the job's reporter;
 * close the archive before freeing the job.
 */
struct cg_archive;
struct cg_member {
	const char *name; /* as in the archive: do not trust it */
	int64_t mtime;    /* seconds since 1970 */
	uint64_t size;    /* as stated in the archive; 0: not stated */
	bool file;        /* a regular file: it has bytes */
	bool directory;   /* neither file nor directory: a link, a device */
};
/*
 * *archive is NULL after a failure; it is NULL with CG_OK if path is no
 * archive.
 */
int cg_archive_open(struct cg_job *, const char *path,
    struct cg_archive **archive);
/* The next member, valid until the next call; false at the end. */
bool cg_archive_next(struct cg_archive *, struct cg_member *);
/*
 * Reads bytes of the member: returns their number, 0 at its end, -1 after an
 * error.
 */
ptrdiff_t cg_archive_read(struct cg_archive *, char *buf, size_t size);
/* CG_OK, or why the archive ended early. */
int cg_archive_status(const struct cg_archive *);
void cg_archive_close(struct cg_archive *);

/* ---- Jobs --------------------------------------------------------------- */

/*
 * One conversion. Set it up, read, write, free it:
 *
 *	struct cg_job *job = cg_job_new(cg_formats(), report, arg);
 *	cg_job_add_input(job, "callgrind.out.1");
 *	status = cg_job_set_output(job, "profile.json");
 *	if (status == CG_OK)
 *		status = cg_job_run(job);
 *	cg_job_free(job);
 *
 * The job copies all strings that it gets. NULL: out of memory, or a module
 * does not fit this library (reported). The reporter may be NULL.
 */
struct cg_job *cg_job_new(const struct cg_module *const *modules,
    cg_reporter *, void *arg);
void cg_job_free(struct cg_job *);
/* From now on messages go to this reporter. */
void cg_job_set_reporter(struct cg_job *, cg_reporter *, void *arg);
/*
 * Another job with the same modules, settings and objects, without inputs and
 * output. Free it before the first. Both share the symbols of the objects, so
 * they must be used by the same thread. NULL: out of memory.
 */
struct cg_job *cg_job_clone(struct cg_job *);

/*
 * Inputs. Adding one fails only if memory runs out; cg_job_read() then does
 * nothing and returns that status, too.
 */

/*
 * Adds an input; "-" is standard input. If path is an ELF file it becomes an
 * object (see below); if it is a directory, the files in it that a format
 * gathers are read, subdirectories included.
 */
int cg_job_add_input(struct cg_job *, const char *path);
/*
 * A file that is only in memory: an input or a companion with exactly this path
 * is read from there. As soon as there is one, companions are looked for in
 * memory only. The bytes must stay until the job is freed.
 */
int cg_job_add_memory(struct cg_job *, const char *path, struct cg_slice);
/*
 * Adds an input whose bytes the callback delivers, in order and once; path is
 * its name in messages and for probe(). read() stores up to size bytes in buf
 * and returns how many, 0 at the end, or a negative errno value such as -EIO.
 * Companions are looked for in memory only.
 */
typedef ptrdiff_t cg_read_fn(void *arg, char *buf, size_t size);
int cg_job_add_input_callback(struct cg_job *, const char *path, cg_read_fn *,
    void *arg);
/* The format of all inputs, instead of probing each. */
int cg_job_set_from(struct cg_job *, const char *format);
/* Adds an object (executable, shared library) to look symbols up in. */
int cg_job_add_object(struct cg_job *, const char *path);
/*
 * True if path is a regular ELF file. cg_job_add_input() adds it as an object.
 */
bool cg_is_elf(const char *path);
/* Path of object i, NULL past the last. */
const char *cg_job_object(const struct cg_job *, size_t i);

/* The output. */

int cg_job_set_to(struct cg_job *, const char *format);
/* Suffixes of compressed files that are read; only gz is written as well. */
#define CG_COMPRESSED_SUFFIXES "xz;bz2;zst;lz4"
/*
 * "-" is standard output, the default. A name that ends in .gz is compressed.
 * Without cg_job_set_to() before, the suffix selects the format; a name without
 * a suffix, or with a number for one, the default format. CG_EUSAGE for any
 * other suffix. cg_job_read() and cg_job_write() return CG_EUSAGE if the output
 * is a file that the job reads.
 */
int cg_job_set_output(struct cg_job *, const char *path);
/*
 * The output's path must begin with this existing directory. Missing
 * directories below it are made, and symbolic links below it are not followed:
 * nothing is written outside of it, even if others can write there. Clones of
 * the job have the same root.
 */
int cg_job_set_output_root(struct cg_job *, const char *directory);
/*
 * The temporary file ".NAME.cgconv.PID" next to path, in which process pid
 * writes an output until it is complete. NAME is cut to CG_TEMP_NAME bytes.
 * After killing the process, remove the file. The result is to be freed; NULL:
 * out of memory.
 */
#define CG_TEMP_NAME 200
char *cg_temp_path(const char *path, long pid);
/*
 * If deferred, cg_job_write() leaves the complete output in its temporary file,
 * cg_temp_path(path, getpid()), which is not synced yet. Then
 * cg_job_is_deferred() returns true, and the caller, maybe another process,
 * commits the file together with others. It returns false if there is no such
 * file: nothing was written, or the output is there already, as it is no
 * regular file, the temporary name was in use, or its owner may not open it
 * for writing. Needs an output root. The default is false.
 */
void cg_job_set_deferred(struct cg_job *, bool);
bool cg_job_is_deferred(const struct cg_job *);
/* A deferred output: its path, and the process that wrote it. */
struct cg_deferred {
	const char *path;
	long pid;
	int error; /* set by cg_commit_deferred(): errno, or 0 */
};
/*
 * Syncs n deferred outputs below the root and renames them to their paths. Those
 * that fail are removed. The files are on the disk before they get their names;
 * call cg_sync_root() at the end to keep the names, too, if the system stops.
 */
void cg_commit_deferred(const char *root, struct cg_deferred *, size_t n);
/*
 * Syncs the directory's file system, but not those mounted below it. Returns 0
 * or an errno.
 */
int cg_sync_root(const char *directory);
/*
 * The output goes to memory instead: after cg_job_write() returned CG_OK,
 * cg_job_output() returns it. The bytes belong to the job and are valid until
 * it is freed or writes again.
 */
void cg_job_set_output_memory(struct cg_job *);
struct cg_slice cg_job_output(const struct cg_job *);
/*
 * The output goes to a callback instead, in order, in pieces of any size.
 * write() takes all n bytes and returns 0, or an errno value such as EIO: then
 * it is not called again and cg_job_write() returns CG_EOUTPUT. Unlike with a
 * file, what was written before a failure cannot be taken back.
 */
typedef int cg_write_fn(void *arg, const char *bytes, size_t n);
void cg_job_set_output_callback(struct cg_job *, cg_write_fn *, void *arg);
/* Compress the output, whatever its name. */
void cg_job_set_gzip(struct cg_job *, bool);

/* Settings. */

/* Loss of information is an error (CG_ELOSS) instead of a warning. */
void cg_job_set_strict(struct cg_job *, bool);
/* Write negative costs as 0 if the target cannot represent them. */
void cg_job_set_clamp(struct cg_job *, bool);
/* Estimate stacks from calls if the target needs stacks and there are none. */
void cg_job_set_guess(struct cg_job *, bool);
/* Report more notes. */
void cg_job_set_verbose(struct cg_job *, bool);
bool cg_job_verbose(const struct cg_job *);
/*
 * How messages spell options: "--exe" with prefix "--", which must outlive the
 * job; "option 'exe'" without a prefix (NULL, the default). Options are those
 * of modules (struct cg_option) and the settings of other functions: clamp,
 * diff, event, exclude, from, guess-stacks, include, map, output, part-by,
 * partial, root-by, to; exe is cg_job_add_object(); filters have their own
 * names. Some are options of a program, such as info, list-formats,
 * no-sandbox, recursive.
 */
void cg_job_set_option_prefix(struct cg_job *, const char *prefix);
/*
 * A flag for signal handlers: once *flag is not 0, reading and writing fail as
 * if interrupted, and no partial output remains. It must outlive the job.
 */
void cg_job_set_stop(struct cg_job *, const volatile sig_atomic_t *flag);
/*
 * Is called with the number of bytes that were read from inputs, as they are
 * stored (compressed), and written to outputs since its last call.
 */
typedef void cg_progress_fn(void *arg, uint64_t read, uint64_t written);
/*
 * Sets a function to be called after each block that is read or written, by
 * the thread that called the job; NULL, the default: none. arg must outlive
 * the job.
 */
void cg_job_set_progress(struct cg_job *, cg_progress_fn *, void *arg);
/*
 * How many threads may work for the job, including the caller's; the default
 * is 1, and 0 means 1. Neither output nor messages depend on the number.
 * Messages and callbacks come in the caller's thread; the other threads block
 * all signals and end before the call that made them returns. Several threads
 * decompress inputs that are files, parse long texts, count the next units of
 * a program, format long outputs, and compress outputs.
 */
void cg_job_set_threads(struct cg_job *, size_t threads);
/*
 * Source files. A mapping moves paths in directory from to directory to ("":
 * relative paths); only the first mapping that matches is applied. Patterns
 * are those of fnmatch(3); one that does not begin with '/' or '*' matches
 * below any directory. Rows are dropped if their file matches an exclude
 * pattern, or if there are include patterns and it matches none.
 */
int cg_job_map_path(struct cg_job *, const char *from, const char *to);
int cg_job_include(struct cg_job *, const char *pattern);
int cg_job_exclude(struct cg_job *, const char *pattern);
/*
 * Rows are dropped if their file is in none of the directories given by this
 * function. Relative paths are inside, unless they begin with "..".
 */
int cg_job_include_directory(struct cg_job *, const char *directory);
/* Drop coverage of branches, or of exception branches only. */
void cg_job_drop_branches(struct cg_job *, bool throws_only);
/*
 * Whether names of functions are demangled (default: true). Targets that write
 * linker names always get linker names.
 */
void cg_job_set_demangle(struct cg_job *, bool);
/* Keep the inputs apart as parts instead of summing them. */
void cg_job_set_parts(struct cg_job *, bool);
/*
 * Make parts of samples: by "pid", "tid", "comm", "cpu" or "label:KEY"; or
 * "none".
 */
int cg_job_set_part_by(struct cg_job *, const char *by);
/*
 * Put a frame below the outermost one of each stack, which names its origin:
 * by "comm", "pid", "tid", "cpu", "part" or "label:KEY". Further calls put
 * frames above it. "none": not even the frame that the target has by default
 * (root_by).
 */
int cg_job_add_root_by(struct cg_job *, const char *by);
/*
 * Keep only costs from between two times, counted from each input's begin:
 * "1.5,3" (seconds), "10%,20%", or "5," up to the end.
 */
int cg_job_set_between(struct cg_job *, const char *);
/*
 * Filters by function, with pprof's names and meanings: "focus", "ignore",
 * "hide", "show", "show-from", "prune-from", and "only-object" and
 * "collapse-object" for objects; the value is a POSIX extended regular
 * expression. "granularity": "function", "file", "object", "line" or "class".
 * "trim-recursion": no value (NULL). They are applied after the inputs were
 * read.
 *
 * Filters by label: "label" and "no-label", with the value "KEY=REGEX", keep
 * or drop costs of samples that have a label KEY whose text matches; numbers
 * are "64", or "64 bytes" if they have a unit. Each call adds a filter:
 * samples must match all "label" and no "no-label". Samples of formats without
 * labels have the labels of cg_job_set_identity(), and cpu.
 */
int cg_job_set_filter(struct cg_job *, const char *name, const char *value);
/*
 * Whether samples of formats without labels get labels comm, pid, tid and
 * thread: as the target can represent them, all, or only those of --root-by,
 * for comparisons of runs.
 */
enum cg_identity { CG_IDENTITY_OF_TARGET, CG_IDENTITY_ALL, CG_IDENTITY_ROOTS };
void cg_job_set_identity(struct cg_job *, enum cg_identity);
/*
 * Puts the frames of --root-by below the stacks that were read, or without
 * --root-by the frames that format to has by default. cg_job_write() does this
 * itself.
 */
int cg_job_root(struct cg_job *, const struct cg_module *to);
/*
 * The event to write if the target writes only one, or the event that inputs
 * count if they do not name it. Formats see it as option CG_EVENT_OPTION.
 */
#define CG_EVENT_OPTION "event"
int cg_job_set_event(struct cg_job *, const char *name);
/* True if the target writes one event only. */
bool cg_job_writes_one_event(const struct cg_job *);
/* Sets an option of a module. value NULL sets a flag. */
int cg_job_set_option(struct cg_job *, const char *name, const char *value);
/*
 * The same with lower priority: a value that cg_job_set_option() sets, before
 * or after, wins. An option that does not apply, or that no module has, is not
 * an error.
 */
int cg_job_set_default(struct cg_job *, const char *name, const char *value);
/* The value that was set, or NULL. */
const char *cg_job_option(const struct cg_job *, const char *name);
/*
 * For programs that only call cg_sums_of() after reading: rows keep no lines,
 * addresses, jumps or branches, which saves memory. The facts still include
 * them. Rows of coverage are kept, for cg_count_file().
 */
void cg_job_set_sums_only(struct cg_job *, bool);
/* Plug-ins: adds all modules of a shared library (its symbol cg_modules). */
int cg_job_load_modules(struct cg_job *, const char *path);

/* Running. */

/*
 * Reads all inputs and freezes the graph, which is valid as long as the job.
 * graph may be NULL: if the target has no stacks, they may then become calls
 * during reading, which saves memory. Inputs are summed unless
 * cg_job_set_parts() was called. If a function's object is unknown in one
 * input and other inputs have a function of the same file and name in exactly
 * one object, they are one function. A job reads once: CG_EUSAGE for a second
 * time. After a failure, calls that need the graph, such as cg_job_write() and
 * cg_job_merge(), do nothing and return the same status.
 */
int cg_job_read(struct cg_job *, const struct cg_graph **graph);
/*
 * Checks options, derives the facts that the target needs, writes and commits
 * the output. Call it after cg_job_read(). A failure leaves an existing file
 * unchanged, with one exception: if inputs, or parts of one, were skipped
 * after an error (cg_job_skipped()), the output is complete except for the
 * skipped inputs and replaces the file, an error says that it is partial, and
 * CG_EINPUT is returned.
 */
int cg_job_write(struct cg_job *);
/* cg_job_read() and cg_job_write(). */
int cg_job_run(struct cg_job *);
/*
 * Derives facts for a program that looks at the graph itself: CG_INCL for
 * inclusive costs that follow from counts of calls; CG_CALLS for calls that
 * follow from stacks, which are dropped; CG_STACKS for an estimate of stacks,
 * if the costs have none and cg_job_set_guess() allows it. Call it after
 * cg_job_read() and before reading the graph; write() may call it, too.
 *
 * Estimated stacks repeat the costs of rows, which stay. They are dropped when
 * CG_CALLS is derived or an output is written, so that no cost counts twice.
 * If an input has stacks itself, the estimate replaces the rows instead.
 */
int cg_job_derive(struct cg_job *, cg_facts needs);
/*
 * From now on "The graph: lines" skips lines that markers in the sources
 * (LCOV_EXCL_LINE and others) or the options exclude-* exclude, and lines that
 * option CG_PATCH_OPTION, a unified diff, does not change. Call it after
 * cg_job_read(); writing does this itself if the target has option
 * CG_MARKERS_OPTION. A source that is not found excludes nothing; a note has
 * the number of them. With option CG_MISSING_OPTION, lines of the diff's files
 * that are missing in the graph are added to it as lines that never ran.
 * CG_EINPUT if the graph has no file of the diff, or if it is unclear which
 * one it has.
 */
#define CG_MARKERS_OPTION "markers"
#define CG_PATCH_OPTION "patch"
#define CG_MISSING_OPTION "missing-as-uncovered"
int cg_job_exclude_marked(struct cg_job *);
/*
 * How many levels of recursion cg_job_derive() keeps apart when it turns
 * stacks into calls. The default is the value of the formats' option for it
 * (levels_option in struct cg_module), else 1.
 */
void cg_job_set_levels(struct cg_job *, uint64_t levels);
/*
 * CG_OK, or why cursors or sums returned nothing: out of memory, or a sum does
 * not fit.
 */
int cg_job_status(const struct cg_job *);
/* True if inputs, or parts of one, were skipped after an error. */
bool cg_job_skipped(const struct cg_job *);
/*
 * After a failure: true if an input was empty, or in a format that no module
 * claims.
 */
bool cg_job_unclaimed(const struct cg_job *);
/* After a failure: true if one of several inputs could not be read. */
bool cg_job_one_failed(const struct cg_job *);

/* Merging and comparing. */

/*
 * Adds the graph of another job, as an input, to a job that has no inputs:
 * cg_job_read() then merges them. A program can thus read each input with a
 * job of its own and skip bad ones. NULL adds nothing, and makes the result
 * valid even if it is empty.
 */
int cg_job_merge(struct cg_job *, const struct cg_job *);
/*
 * Names the inputs of a sum, which other jobs have read, for outputs that list
 * inputs: the first n of all. The job copies the names.
 */
int cg_job_set_names(
    struct cg_job *, const char *const *name, size_t n, size_t all);
/*
 * The output will be merged with others: steps that depend on all of the inputs
 * are left to the job that merges them.
 */
void cg_job_set_partial(struct cg_job *, bool);
/*
 * The output is shard number (from 1) of count, at most CG_SHARD_MAX, of a
 * list of inputs with hash list. Formats that keep descriptions record it.
 * Then only a partial job merges some of the shards, and no job merges one
 * shard twice, or shards of different lists.
 */
#define CG_SHARD_MAX 65536
void cg_job_set_shard(
    struct cg_job *, uint32_t number, uint32_t count, uint64_t list);
/*
 * The difference between the graphs of two other jobs becomes this job's
 * graph: costs are after minus before. The graph has both costs instead,
 * events X_before and X_after for each event X, if the target cannot represent
 * negative costs and they are not clamped, if the target shows both sides of
 * differences, or with CG_DIFF_SIDE_BY_SIDE. CG_DIFF_NORMALIZE scales the
 * costs before to the totals after. With CG_DIFF_MEANS, each input of the other
 * jobs is a run: costs but those of coverage are means of the runs, rounded so
 * that their sums are right, and counts of calls are dropped.
 *
 * Functions match by name, file and object; if paths differ, by their last
 * components; if a name is left once on each side, by weaker criteria. Counts
 * of calls are those after. Addresses, jumps and branches are dropped. The
 * other jobs must not be freed before the difference was written.
 */
enum {
	CG_DIFF_SIDE_BY_SIDE = 1,
	CG_DIFF_NORMALIZE = 2,
	CG_DIFF_MEANS = 4
};
int cg_job_diff(struct cg_job *, struct cg_job *before, struct cg_job *after,
    unsigned how, const struct cg_graph **graph);
/*
 * Adds the functions of another job's graph to those of this job, which has no
 * inputs; they match as those before match those after. This job's graph has
 * functions only, no costs. They keep their numbers in later calls, which
 * replace the graph. cg_job_diff_fn() with side 0 has the numbers of the last
 * run's functions. With it, a program compares any number of runs and keeps
 * one in memory at a time.
 */
int cg_job_unite(struct cg_job *, const struct cg_job *run,
    const struct cg_graph **graph);
/*
 * The function of the difference that corresponds to a function of side 0
 * (before) or 1 (after); 0: none.
 */
cg_fn cg_job_diff_fn(const struct cg_job *, int side, cg_fn);
/* The same for files. */
cg_file cg_job_diff_file(const struct cg_job *, int side, cg_file);
/*
 * The graph of a side, which has the branches, too, and lives as long as the
 * job that was given to cg_job_diff(); NULL: the job's graph is no difference.
 */
const struct cg_graph *cg_job_diff_graph(const struct cg_job *, int side);
/* Whether a change between two profiles is real, or noise. */
struct cg_judged {
	enum cg_verdict { CG_NOT_COMPARED, CG_NOISE, CG_REAL } verdict;
	/*
	 * The interval of the change, as a share of the cost before: 0.1 is
	 * 10 % more. An end may be infinite; both are NaN if nothing cost
	 * before.
	 */
	double low, high;
};
/* What a program found out about the changes of a difference, in one event. */
struct cg_judgement {
	const char *event;  /* X of X_before and X_after */
	const char *method; /* how changes were judged, in words */
	size_t runs[2];     /* numbers of runs before and after */
	struct cg_judged total;
	/* By function of the difference; functions from fns on: not compared. */
	const struct cg_judged *self, *inclusive;
	size_t fns;
	/* Of source lines, sorted by file and line; files of the difference. */
	const struct cg_judged_line {
		cg_file file;
		uint32_t line;
		struct cg_judged judged;
	} *line;
	size_t lines;
};
/*
 * Sets the judgement for targets that show it; it must live until the
 * difference was written.
 */
void cg_job_set_judgement(struct cg_job *, const struct cg_judgement *);
/* NULL: the changes were not judged. */
const struct cg_judgement *cg_job_judgement(const struct cg_job *);
/*
 * Excludes from the graph of a side what cg_job_write() excludes from the
 * job's. False: an error (reported).
 */
bool cg_job_exclude_side(struct cg_job *, int side);

/* Information about the job. */

struct cg_detected {
	const struct cg_module *module; /* NULL: no format claims it */
	int score;                      /* see CG_PROBE_SURE */
	const char *filters; /* compression: "", "gzip", "gzip utf-16" */
};
/*
 * Detects the format of a file, or of an input in memory
 * (cg_job_add_memory()), without reading it. No other call is needed before.
 */
int cg_job_detect(struct cg_job *, const char *path, struct cg_detected *);
/* Path and format of input i that was read; NULL past the last. */
const char *cg_job_source(const struct cg_job *, size_t i,
    struct cg_detected *);
/* Module i of the job, plug-ins last; NULL past the last. */
const struct cg_module *cg_job_module(const struct cg_job *, size_t i);
/* The format that will be written; NULL if no module can write. */
const struct cg_module *cg_job_target(const struct cg_job *);
/*
 * Reports that no format has this name, and suggests the most similar one.
 * Returns CG_EUSAGE.
 */
int cg_unknown_format(struct cg_job *, const char *name);
/* The module of that name in a NULL-terminated table; NULL if none. */
const struct cg_module *cg_find_module(const struct cg_module *const *,
    struct cg_slice name);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
