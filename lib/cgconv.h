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

#define CG_VERSION "0.1.0"

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
	CG_ELOSS = 3,   /* the target cannot represent the input; see --strict */
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
 * What a graph contains and what a format can represent. The library derives
 * facts that a target needs where that is exact, and reports once what the
 * target cannot represent.
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
/* Known of functions, stacks, events and parts, not of rows: */
#define CG_FILES (1u << 15)   /* source files of functions */
#define CG_OBJECTS (1u << 16) /* ELF objects of functions */
#define CG_SYMBOLS (1u << 17) /* linker names of functions */
#define CG_DEFINITIONS (1u << 18) /* where functions begin in their files */
#define CG_INLINING (1u << 19) /* which frames of stacks are inlined */
#define CG_SAMPLES (1u << 20) /* numbers of samples that no event tells */
#define CG_FORMULAS (1u << 21) /* derived events */
#define CG_DESCRIPTIONS (1u << 22) /* of parts: command, process, others */
#define CG_LABELS (1u << 23)  /* of samples */
#define CG_TIMELINE (1u << 24) /* when stacks were there, in their order */
#define CG_FACT_COUNT 25

/* Name of fact number bit ("self", "lines", ...), NULL past the last. */
const char *cg_fact_name(unsigned bit);

/* ---- Modules ------------------------------------------------------------ */

struct cg_job;
struct cg_in;
struct cg_out;
struct cg_build;
struct cg_graph;

/*
 * What probe() may look at. If no score of a longer JSON document is
 * CG_PROBE_LIKELY or more, probe() is called again with up to CG_PROBE_BYTES of
 * it, of which the ends of long arrays, objects and strings are dropped.
 */
struct cg_head {
	struct cg_slice first; /* first line, without newline or CR */
	struct cg_slice text;  /* at most the first 64 KiB, decompressed */
	const char *name;      /* base name of the file, "" for a pipe */
	bool whole;            /* text is the whole input */
};

/*
 * An input that is a directory, in which no format gathers files, is probed
 * too: its text is this line, then the names in the directory, one per line.
 * A format that returns CG_PROBE_SURE for it (macOS bundles are directories)
 * has its read() called with the same text, and can report what the user has to
 * do: the library opens no file in the directory.
 */
#define CG_DIRECTORY_MAGIC "//directory\n"

/*
 * Scores: 0 no, WEAK a guess from the shape, SURE a magic number; values
 * between them are possible. The highest score wins. A tie is an error that
 * names both formats, never decided by their order. MORE: these bytes may begin
 * such a file, but do not tell: probe() is called again with more of them, up to
 * CG_PROBE_BYTES, if no other format scores LIKELY.
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
	/* Of a flag: what write() can represent, and needs, only with it. */
	cg_facts carries, needs;
};

#define CG_MODULE_ABI 8

struct cg_module {
	uint16_t abi, size;   /* CG_MODULE_ABI, sizeof(struct cg_module) */
	const char *name;     /* what -f and -t take: [a-z0-9-]+ */
	const char *title;    /* one line for --list-formats */
	bool text;            /* it is text: no input contains a NUL */
	const char *suffixes; /* "cgj;cgjson": output names that select it */
	/*
	 * Suffixes of the files that it reads from directories. A file with one
	 * of the later suffixes is not read if there is a file of the same name
	 * with the first suffix: that one's reader opens it as a companion.
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
	 * Name of the option that tells how many levels of recursion become
	 * functions of their own ("f", "f'2") where stacks become calls. NULL:
	 * recursion stays one function.
	 */
	const char *levels_option;
	/*
	 * The --root-by of outputs without that option, from labels of samples:
	 * "comm" for flame graphs; NULL: none. Not if a flag needs a timeline:
	 * its tracks tell whose stacks are.
	 */
	const char *root_by;
	/*
	 * write() shows changes of pairs of events before and after, as of
	 * cg_choose_pair(). Differences are then written side by side, even
	 * without CG_EVENTS.
	 */
	bool pairs;
	/*
	 * Programs that show its outputs, "kcachegrind;qcachegrind", before the
	 * one that the system has for all files. NULL: that one only.
	 */
	const char *viewers;
};
#define CG_MODULE .abi = CG_MODULE_ABI, .size = sizeof(struct cg_module)

/*
 * The formats of this library, NULL-terminated. It is a function because the
 * size of a table would become part of each program that is linked with it.
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
	 * No newline; control characters are escaped. What can be set is
	 * called an option: see cg_job_set_option_prefix().
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
typedef uint32_t cg_labels; /* set of labels that samples have */

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

/* Where the inclusive cost of calls comes from, for one event. */
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
	bool is_signed;        /* costs are two's complement in their uint64_t */
	enum cg_incl incl;
};

struct cg_part_info {
	uint64_t pid, tid, part; /* 0: unknown */
	const char *cmd;         /* "" if unknown */
};

/*
 * A label of samples, as pprof has them. Stacks with different sets of labels
 * are kept apart. A set may have several labels of one key, whose order is
 * kept; the order of keys is not. Set 0 has no labels.
 */
struct cg_label {
	struct cg_slice key;
	struct cg_slice value;  /* "": the label is a number */
	int64_t number;
	struct cg_slice unit;   /* of the number; "": none */
};

/*
 * Everything is in canonical order: parts as they were read, functions by
 * object, file and name, rows by address, file and line. So two graphs with the
 * same content are written the same.
 */
cg_facts cg_graph_facts(const struct cg_graph *);
/* Bytes that an address of a row stands for; see cg_set_grain(). */
unsigned cg_graph_grain(const struct cg_graph *);
/* Events with costs: event i is column i. Derived events have no column. */
size_t cg_event_count(const struct cg_graph *);
const struct cg_event *cg_get_event(const struct cg_graph *, size_t i);
/* The column of that name; cg_event_count() if there is none. */
size_t cg_find_event(const struct cg_graph *, const char *name);
/* Derived events. */
size_t cg_formula_count(const struct cg_graph *);
const struct cg_event *cg_get_formula(const struct cg_graph *, size_t i);
/*
 * The cost of derived event i for the costs of all columns. False if it does
 * not fit.
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
 * The files that the part's source lists, in its order; returns how many. If
 * several inputs contradict each other, the only one is file 0.
 */
size_t cg_part_files(const struct cg_graph *, cg_part, const cg_file **);
/* Are calls counted in samples in any of the parts? */
bool cg_calls_sampled(const struct cg_graph *);
/* Sums of the part's self costs, one per event; valid until the next call. */
const uint64_t *cg_part_totals(const struct cg_graph *, cg_part);
/* Is the event's total other than 0 in any of the parts? */
bool cg_event_has_costs(const struct cg_graph *, size_t event);
/*
 * The event to show by default: the one that a part's description with this key
 * (which readers add where their format has another rule) names, if it has
 * costs; else the time in ns, which readers add beside numbers of samples; else
 * the first with costs; else event 0, even if there is none.
 */
#define CG_MAIN_EVENT_KEY "default_sample_type"
#define CG_TIME_EVENT "ns"
size_t cg_main_event(const struct cg_graph *);
/* The part to show first: its total of an event is the highest; or part 0. */
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
 * The name without a level of recursion: "f" of "f'2", as Callgrind and
 * --separate-recs name the second level of f.
 */
struct cg_slice cg_fn_base_name(const struct cg_graph *, cg_fn);
/* Its linker name; "": the same. */
struct cg_slice cg_fn_symbol(const struct cg_graph *, cg_fn);
cg_file cg_fn_file(const struct cg_graph *, cg_fn);
cg_object cg_fn_object(const struct cg_graph *, cg_fn);
void cg_fn_range(const struct cg_graph *, cg_fn, struct cg_range *);
/* The function of that rank in canonical order: 0 to count, with fn 0. */
cg_fn cg_fn_ranked(const struct cg_graph *, size_t rank);

/* ---- The graph: rows ---------------------------------------------------- */

/* Coverage of basic blocks, and of the branches between them. */
enum cg_branch_kind {
	/*
	 * A block, once for each line that it is on (line 0: on none); count is
	 * how often it ran.
	 */
	CG_BRANCH_BLOCK,
	/* Branch number index at the end of the block. */
	CG_BRANCH_ARC,
	/* A call that ends the block; count is how often it returned. */
	CG_BRANCH_CALL,
	/*
	 * MC/DC of the condition that begins in the block: index is 2 * term,
	 * plus 1 for the outcome true; count > 0: shown to decide alone.
	 */
	CG_BRANCH_CONDITION,
	/* Prime path number index of the function; count > 0: taken. */
	CG_BRANCH_PATH,
	/* Raw counter number index of kind block. */
	CG_BRANCH_COUNTER,
	/*
	 * A step of prime path number block, which was not taken: it goes
	 * through block target, and this line is number index on the path (line
	 * 0: the block has none). The label is the source's word for the arc to
	 * the next block; the first line of that one follows the row with
	 * CG_BRANCH_LAST.
	 */
	CG_BRANCH_STEP
};
#define CG_BRANCH_KINDS 7

/* Flags; a sum of rows has the flags of all of them. */
#define CG_BRANCH_FALLTHROUGH 1u /* arc: to the next block in memory */
#define CG_BRANCH_THROW 2u       /* arc: exception branch */
#define CG_BRANCH_REACHED 4u     /* arc, call, condition: its block ran */
#define CG_BRANCH_UNREACHABLE 8u /* arc, condition: stated to be impossible */
#define CG_BRANCH_EXCEPTIONAL 16u /* block: only exceptions lead there */
#define CG_BRANCH_LAST 32u       /* block: ends there; step: in that file */
#define CG_BRANCH_UNMARKED 64u   /* block: gcov writes no * if it never ran */
#define CG_BRANCH_EXIT 128u      /* block: the exit, where clang states it */
#define CG_BRANCH_FLAGS 8
/* Only in sums of a line: instances of a template have other branches. */
#define CG_BRANCH_UNLIKE 256u

struct cg_branch {
	struct cg_pos pos;
	enum cg_branch_kind kind;
	uint32_t block, index; /* identify it, with pos and kind */
	/*
	 * Arc, call: the block that it leads to. Block 0 on line 0: the number
	 * of the function in its unit, from 1; 0: unknown.
	 */
	uint32_t target;
	unsigned flags;
	cg_name label;         /* the source's word for it; 0: none */
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
 * What a row points to is valid until the next call with these rows. NULL and
 * false also mean out of memory or an overflowing sum: then cg_job_status()
 * is not CG_OK, and cg_job_write() fails after write() returns.
 */
#define CG_ALL_PARTS UINT32_MAX
struct cg_rows;
struct cg_rows *cg_rows_new(const struct cg_graph *);
void cg_rows_free(struct cg_rows *);
/* From the next open on, addresses are 0 and rows of one line are summed. */
void cg_rows_drop_addresses(struct cg_rows *);
/* The functions that have rows in the part, in canonical order; *i from 0. */
bool cg_next_fn(const struct cg_graph *, cg_part, size_t *i, cg_fn *);
bool cg_rows_open(struct cg_rows *, cg_part, cg_fn);
/* Has it costs, calls or jumps? A stated inclusive cost is none of them. */
bool cg_rows_any(const struct cg_rows *);

struct cg_cost {
	struct cg_pos pos;
	const uint64_t *cost; /* n values; columns from n on are 0 */
	size_t n;             /* up to the last column that is not 0 */
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
/* Within a line by kind, block, index. */
bool cg_next_branch(struct cg_rows *, struct cg_branch *);
struct cg_slice cg_branch_label(const struct cg_graph *,
    const struct cg_branch *);
/*
 * Are the costs, calls and stated inclusive costs of a function of one graph
 * equal to those of a function of another one, in all columns? A quick test, in
 * the order in which rows were added: false if that differs, too. Addresses and
 * where calls are and lead to are not compared. It closes both rows.
 */
struct cg_match {
	const uint32_t *file[2]; /* by file of each graph: equal if the same */
	const uint32_t *fn[2];   /* by function */
};
bool cg_rows_alike(struct cg_rows *const rows[2], const cg_fn fn[2],
    const struct cg_match *);
/*
 * Summary of a function's rows of blocks, calls and paths, by gcov's rules:
 * blocks are those between the first and the last by number, and block exit is
 * where the function returns (0: the last). If exit is not 0 and a row has
 * CG_BRANCH_EXIT, llvm-cov's rules apply: that row's block is the exit, and all
 * others but the first are counted. Opens the function; false as for
 * cg_rows_open().
 */
struct cg_coverage {
	uint64_t blocks, executed;
	uint64_t paths, paths_covered;
	bool entered;    /* entries is known */
	int64_t entries; /* how often the first block ran */
	bool returned;   /* returns is known: blocks are on lines */
	int64_t returns; /* how often the exit ran, without lost calls */
	cg_name label;   /* of the first block */
	bool marked;     /* a row has CG_BRANCH_EXIT */
};
bool cg_get_coverage(struct cg_rows *, cg_part, cg_fn, uint32_t exit,
    struct cg_coverage *);
/* The function's inclusive cost, if its source states one; else false. */
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
 * What kind of code a frame is, as the letters of FlameGraph's annotations: i
 * inlined, j compiled at run time, k the kernel and its modules; 0: other code.
 */
char cg_frame_kind(const struct cg_graph *, const struct cg_stack *);
/*
 * Stacks that have a self cost, by node, then by labels. For a target that
 * cannot represent CG_LABELS there are no labels, and a node comes at most once
 * in a part.
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
/*
 * The description of parts whose stacks are an estimate (--guess-stacks), so
 * that outputs tell. Does the part, or one of CG_ALL_PARTS, have it?
 */
#define CG_GUESSED_KEY "Stacks"
#define CG_GUESSED_VALUE "estimated from calls"
bool cg_stacks_guessed(const struct cg_graph *, cg_part);

/* ---- The graph: timelines ----------------------------------------------- */

/*
 * A track is a thread, or whatever else has one stack at a time; a part may have
 * several. Its moments are in the order of their times:
 *
 *	samples  the stack at that time, and what it cost. The costs of the
 *	         part's stacks include these costs.
 *	spans    the stack from that time to the next moment; node 0: none. Each
 *	         call begins and ends in a moment of its own, at the same time as
 *	         others if need be. They state no costs.
 */
struct cg_track {
	cg_part part;
	uint64_t pid, tid;   /* 0: unknown */
	const char *name;    /* of the thread; "": unknown */
	const char *process; /* its name; "": unknown */
	const char *unit;    /* of times: "ns"; "": the costs so far */
	bool spans;
	uint64_t moments;
	int64_t begin, end;  /* as the source states them, else of moments */
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
/*
 *	struct cg_moments *moments = cg_moments_new(graph, track);
 *	while (moments && cg_next_moment(moments, &moment)) ...
 *	cg_moments_free(moments);
 *
 * NULL: out of memory; the job knows it. A moment is valid until the next call.
 */
struct cg_moments;
struct cg_moments *cg_moments_new(const struct cg_graph *, size_t track);
bool cg_next_moment(struct cg_moments *, struct cg_moment *);
void cg_moments_free(struct cg_moments *);
/*
 * From when to when there was a stack; node is not 0. Of calls: from one moment
 * to the next, the last one to the track's end.
 */
struct cg_time_span {
	cg_node node;
	int64_t begin, end;
};
bool cg_next_span(struct cg_moments *, struct cg_time_span *);
/*
 * The same of samples that have a cost of the event. If that is time, in the
 * unit of the track, a sample lasts as long as it cost; the next one begins
 * when it has ended, or later. Other samples last until the next one, but at
 * most four times as long as usual: a thread that sleeps has no samples. The
 * last one lasts as long as usual; 0 for the only one.
 */
struct cg_moments *cg_spans_new(
    const struct cg_graph *, size_t track, size_t event);
/* The event that the times of calls are costs of; cg_event_count(): none. */
size_t cg_span_event(const struct cg_graph *, const struct cg_track *);
/*
 * Adds what the moments of a part (or of CG_ALL_PARTS) cost to sum, by event;
 * calls cost their time. Where all costs have times, these are its totals.
 * False: out of memory, reported.
 */
bool cg_timed_costs(const struct cg_graph *, cg_part, uint64_t *sum);
/* Are those all costs of the event? False, too: out of memory, reported. */
bool cg_all_timed(const struct cg_graph *, size_t event);
/*
 * The track to show first: the one whose moments cost most of the event, or
 * whose calls took the longest; the first of equal ones. 0 if there is none, or
 * no memory, which is reported.
 */
size_t cg_main_track(const struct cg_graph *, size_t event);

/* ---- The graph: sums ---------------------------------------------------- */

/*
 * Costs by function in a part, or in CG_ALL_PARTS. The inclusive cost is what
 * the source states, else self cost plus the cost of calls of others. In cycles
 * that would count recursion several times: there it is the cost of calls by
 * others or that sum, whichever is more, and at most what the cycle costs. With
 * negative costs it is the self cost plus the cost of calls that leave the
 * cycle. Cycles are numbered from 1; a function in none has cycle 0. calls_in
 * is how often other functions call it: if stacks became calls, in how many
 * samples.
 *
 * Costs that only stacks have (CG_STACKS) are 0 here until cg_job_derive() has
 * made calls of the stacks. That drops the stacks: to write them, call
 * cg_job_write() first.
 */
struct cg_sums;
/*
 * NULL: out of memory, or a sum does not fit. Without costs there are only
 * calls, cycles and roots, in a fraction of the time.
 */
struct cg_sums *cg_sums_new(const struct cg_graph *, cg_part, bool costs);
/* Sums of some events only, from event on: less memory. */
struct cg_sums *cg_sums_of(
    const struct cg_graph *, cg_part, size_t event, size_t events);
void cg_sums_free(struct cg_sums *);
uint64_t cg_sum_self(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_inclusive(const struct cg_sums *, cg_fn, size_t event);
uint64_t cg_sum_calls_in(const struct cg_sums *, cg_fn);
uint32_t cg_sum_cycle(const struct cg_sums *, cg_fn);
/*
 * What the caller's calls cost, as inclusive costs show it: what they state.
 * Where costs were split by counts, calls in a cycle state little; they have
 * what passes through it.
 */
uint64_t cg_sum_call(const struct cg_sums *, cg_fn caller,
    const struct cg_call *, size_t event);
/* No other function calls it; the unknown caller does not count. */
bool cg_sum_is_root(const struct cg_sums *, cg_fn);
size_t cg_cycle_count(const struct cg_sums *);
/*
 * A cycle as one function: the self costs of its members, these and the calls
 * that leave it, the number of calls that enter it (0: sums without costs).
 */
uint64_t cg_cycle_self(const struct cg_sums *, uint32_t cycle, size_t event);
uint64_t cg_cycle_inclusive(const struct cg_sums *, uint32_t cycle,
    size_t event);
uint64_t cg_cycle_calls_in(const struct cg_sums *, uint32_t cycle);
/* A function outside of the cycle calls one in it, as for roots. */
bool cg_cycle_is_called(const struct cg_sums *, uint32_t cycle);
/*
 * A depth-first search along calls begins at the function that comes first in
 * an order, and again at the next that it has not reached. Does it begin at a
 * function in a cycle? For programs whose search for cycles then fails. False:
 * out of memory.
 */
typedef bool cg_fn_before(const struct cg_graph *, cg_fn, cg_fn);
bool cg_search_begins_in_cycle(const struct cg_sums *, cg_fn_before *,
    bool *found);

/* ---- Archives ----------------------------------------------------------- */

/*
 * tar and zip, compressed or not: their members in the order of the archive.
 * Nothing is written to disk. Messages go to the job's reporter; close the
 * archive before freeing the job.
 */
struct cg_archive;
struct cg_member {
	const char *name; /* as in the archive: do not trust it */
	int64_t mtime;    /* seconds since 1970 */
	uint64_t size;    /* as stated in the archive; 0: not stated */
	bool file;        /* a regular file: it has bytes */
	bool directory;   /* neither: a link, a device */
};
/* *archive is NULL after a failure, and with CG_OK if it is no archive. */
int cg_archive_open(struct cg_job *, const char *path,
    struct cg_archive **archive);
/* The next member, valid until the next call; false at the end. */
bool cg_archive_next(struct cg_archive *, struct cg_member *);
/* Reads its bytes: returns how many, 0 at its end, -1 after an error. */
ptrdiff_t cg_archive_read(struct cg_archive *, char *buf, size_t size);
/* CG_OK, or why the archive ended early. */
int cg_archive_status(const struct cg_archive *);
void cg_archive_close(struct cg_archive *);

/* ---- Jobs --------------------------------------------------------------- */

/*
 * One conversion. Set it up, read, write, free it:
 *
 *	struct cg_job *job = cg_job_new(cg_formats(), report, arg);
 *	status = cg_job_add_input(job, "callgrind.out.1");
 *	if (status == CG_OK)
 *		status = cg_job_set_output(job, "profile.json");
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
/* From now on messages go there. */
void cg_job_set_reporter(struct cg_job *, cg_reporter *, void *arg);
/*
 * Another job with the same modules, settings and objects, without inputs and
 * output. Free it before the first. Both share the symbols of the objects, so
 * they must be used by the same thread. NULL: out of memory.
 */
struct cg_job *cg_job_clone(struct cg_job *);

/* Inputs. */

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
/* Is it a regular ELF file? Such inputs are added as objects. */
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
 * The output's path has to begin with this directory, which exists. Missing ones
 * below it are made, and links below it are not followed: nothing is written
 * elsewhere, whatever others have put there. Clones of the job have the same
 * root.
 */
int cg_job_set_output_root(struct cg_job *, const char *directory);
/*
 * The temporary file in which a process writes an output until it is complete,
 * ".NAME.cgconv.PID" next to path: who kills a process removes it. To be freed;
 * NULL: out of memory.
 */
char *cg_temp_path(const char *path, long pid);
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
/* More notes. */
void cg_job_set_verbose(struct cg_job *, bool);
bool cg_job_verbose(const struct cg_job *);
/*
 * How messages spell options: "--exe" with prefix "--", which must outlive the
 * job, "option 'exe'" without (NULL, the default). Options are those of modules
 * (struct cg_option) and what other functions set: clamp, diff, event, exclude,
 * from, guess-stacks, include, map, output, part-by, partial, root-by, to; exe is
 * cg_job_add_object(), filters have their names. Some are a program's own, such
 * as info, list-formats, no-sandbox, recursive.
 */
void cg_job_set_option_prefix(struct cg_job *, const char *prefix);
/*
 * A flag for signal handlers: once *flag is not 0, reading and writing fail as
 * if interrupted, and no partial output remains. It must outlive the job.
 */
void cg_job_set_stop(struct cg_job *, const volatile sig_atomic_t *flag);
/*
 * How many threads may work for the job, with the caller's; the default is 1, as
 * 0. Neither output nor messages depend on it. Messages and callbacks come in
 * the caller's thread; the others block all signals and have ended when the call
 * returns that made them. Several threads decompress inputs that are files, parse
 * long texts, count the next units of a program, format long outputs, and compress
 * outputs.
 */
void cg_job_set_threads(struct cg_job *, size_t threads);
/*
 * Source files. A mapping moves paths in directory from to directory to ("":
 * relative paths); the first mapping that applies counts. Patterns are those of
 * fnmatch(3); one that does not begin with '/' or '*' matches below any
 * directory. Rows are dropped if their file matches an exclude pattern, or if
 * there are include patterns and it matches none.
 */
int cg_job_map_path(struct cg_job *, const char *from, const char *to);
int cg_job_include(struct cg_job *, const char *pattern);
int cg_job_exclude(struct cg_job *, const char *pattern);
/*
 * Rows are dropped if their file is outside of all directories that are given
 * by this function. Relative paths are inside, unless they begin with "..".
 */
int cg_job_include_directory(struct cg_job *, const char *directory);
/* Drop coverage of branches, or of exception branches only. */
void cg_job_drop_branches(struct cg_job *, bool throws_only);
/*
 * Whether names of functions are demangled (default: true). Targets that write
 * linker names have these in any case.
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
 * Put a frame below the outermost one of each stack, which tells whose it is:
 * by "comm", "pid", "tid", "cpu", "part" or "label:KEY". Further calls put frames above
 * it. "none": not even the frame that the target has by default (root_by).
 */
int cg_job_add_root_by(struct cg_job *, const char *by);
/*
 * Only what was between two times after each input's begin: "1.5,3" (seconds),
 * "10%,20%", or "5," up to the end.
 */
int cg_job_set_between(struct cg_job *, const char *);
/*
 * Filters by function, with pprof's names and meanings: "focus", "ignore",
 * "hide", "show", "show-from", "prune-from", and "only-object" and
 * "collapse-object" for objects; the value is a POSIX extended regular
 * expression. "granularity": "function", "file", "object", "line" or "class".
 * "trim-recursion": no value (NULL). They apply when the inputs were read.
 *
 * Filters by label: "label" and "no-label", with the value "KEY=REGEX", keep or
 * drop costs of samples that have a label KEY whose text matches; numbers are
 * "64", or "64 bytes" if they have a unit. Each call adds one: samples must match
 * all "label" and no "no-label". Samples whose format has no labels have those of
 * cg_job_set_identity(), and cpu.
 */
int cg_job_set_filter(struct cg_job *, const char *name, const char *value);
/*
 * Whether samples get labels comm, pid, tid and thread, if their format has no
 * labels: as the target can represent, all, or only those of --root-by, for
 * comparisons of runs.
 */
enum cg_identity { CG_IDENTITY_OF_TARGET, CG_IDENTITY_ALL, CG_IDENTITY_ROOTS };
void cg_job_set_identity(struct cg_job *, enum cg_identity);
/*
 * Puts the frames of --root-by below the stacks that were read, or those that
 * outputs of the format to have by default. Writing does this itself.
 */
int cg_job_root(struct cg_job *, const struct cg_module *to);
/*
 * The event to write, for targets that write one only, or the event that is
 * counted in inputs that do not name it: option CG_EVENT_OPTION of formats.
 */
#define CG_EVENT_OPTION "event"
int cg_job_set_event(struct cg_job *, const char *name);
/* Does the target write one event only? */
bool cg_job_writes_one_event(const struct cg_job *);
/* An option of a module. value NULL sets a flag. */
int cg_job_set_option(struct cg_job *, const char *name, const char *value);
/*
 * The same, but a value that cg_job_set_option() sets, before or after, wins,
 * and an option that does not apply, or that no module has, is no error.
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
 * Reads all inputs and freezes the graph, which is valid as long as the job;
 * graph may be NULL: then stacks that the target has not may become calls at
 * once, which saves memory. Inputs are summed unless cg_job_set_parts() was
 * called. A function of an unknown object in one input is then the function of
 * the same file and name that other inputs have, if all of these are in one
 * object.
 * A job reads once: CG_EUSAGE for a second time.
 */
int cg_job_read(struct cg_job *, const struct cg_graph **graph);
/*
 * Checks options, derives what the target needs, writes and commits the output.
 * Call it after cg_job_read(). A failure leaves an existing file unchanged, with
 * one exception: if inputs, or parts of one, were skipped after an error
 * (cg_job_skipped()), the output is complete except for these and replaces the
 * file, an error says that it is partial, and CG_EINPUT is returned.
 */
int cg_job_write(struct cg_job *);
/* cg_job_read() and cg_job_write(). */
int cg_job_run(struct cg_job *);
/*
 * Derives facts for a program that looks at the graph itself: CG_INCL for
 * inclusive costs that follow from counts of calls, CG_CALLS for calls that
 * follow from stacks, which are then gone, CG_STACKS for stacks of costs that
 * have none, if cg_job_set_guess() allows to estimate them. Call it after
 * cg_job_read() and before looking; write() may call it, too.
 *
 * Estimated stacks repeat the costs of rows, which stay. They are gone when
 * CG_CALLS is asked for or an output is written, so that nothing counts twice.
 * Only if an input has stacks itself, the estimate replaces the rows.
 */
int cg_job_derive(struct cg_job *, cg_facts needs);
/*
 * From now on "The graph: lines" leaves out what markers in the sources
 * (LCOV_EXCL_LINE and others) and the options that begin with exclude- exclude,
 * and what option CG_PATCH_OPTION, a unified diff, does not change. Call it after
 * cg_job_read(); writing does this itself if the target has option
 * CG_MARKERS_OPTION. A source that is not found excludes nothing; a note tells
 * how many. With option CG_MISSING_OPTION the graph gets the lines of files of
 * the diff that it lacks, which never ran. CG_EINPUT if the graph has no file of
 * the diff, or if it is unclear which it has.
 */
#define CG_MARKERS_OPTION "markers"
#define CG_PATCH_OPTION "patch"
#define CG_MISSING_OPTION "missing-as-uncovered"
int cg_job_exclude_marked(struct cg_job *);
/*
 * How many levels of recursion cg_job_derive() keeps apart when it makes calls
 * of stacks. The default is what the formats' option for it was set to
 * (levels_option in struct cg_module), else 1.
 */
void cg_job_set_levels(struct cg_job *, uint64_t levels);
/*
 * CG_OK, or why cursors or sums returned nothing: out of memory, or a sum does
 * not fit.
 */
int cg_job_status(const struct cg_job *);
/* Were inputs, or parts of one, skipped after an error? */
bool cg_job_skipped(const struct cg_job *);
/* After a failure: was an input empty, or in a format that no module claims? */
bool cg_job_unclaimed(const struct cg_job *);
/* After a failure: was it one of several inputs that could not be read? */
bool cg_job_one_failed(const struct cg_job *);

/* Merging and comparing. */

/*
 * Adds the graph of another job, as an input, to a job that has no inputs:
 * cg_job_read() then makes the sum. A program that reads each input with a job
 * of its own can so skip bad ones. NULL adds nothing and makes the sum valid
 * even if it is empty.
 */
int cg_job_merge(struct cg_job *, const struct cg_job *);
/*
 * The output will be merged with others: steps that depend on all of the inputs
 * are left to the job that merges them.
 */
void cg_job_set_partial(struct cg_job *, bool);
/*
 * The output is shard number (from 1) of count, at most CG_SHARD_MAX, of a list
 * of inputs with that hash. Formats that keep descriptions record it. Then only
 * a partial job merges some of the shards, and no job merges a shard twice or
 * one of another list.
 */
#define CG_SHARD_MAX 65536
void cg_job_set_shard(
    struct cg_job *, uint32_t number, uint32_t count, uint64_t list);
/*
 * The difference of what two other jobs have read becomes this job's graph:
 * costs are after minus before. If the target cannot represent negative costs
 * and they are not clamped, if it shows both sides of differences, or with
 * CG_DIFF_SIDE_BY_SIDE, the graph has both instead: of each event X the events
 * X_before and X_after. CG_DIFF_NORMALIZE scales the costs before to the totals
 * after.
 *
 * Functions match by name, file and object; if paths differ, by their last
 * components; if one function of a name is left on each side, by less. Counts
 * of calls are those after. Addresses, jumps and branches are dropped.
 */
enum { CG_DIFF_SIDE_BY_SIDE = 1, CG_DIFF_NORMALIZE = 2 };
int cg_job_diff(struct cg_job *, struct cg_job *before, struct cg_job *after,
    unsigned how, const struct cg_graph **graph);
/*
 * The function of the difference that a function of side 0 (before) or 1
 * (after) became; 0: none.
 */
cg_fn cg_job_diff_fn(const struct cg_job *, int side, cg_fn);

/* What the job knows. */

struct cg_detected {
	const struct cg_module *module; /* NULL: no format claims it */
	int score;                      /* see CG_PROBE_SURE */
	const char *filters; /* compression: "", "gzip", "gzip utf-16" */
};
/*
 * Detects the format of a file, or of one in memory (cg_job_add_memory()),
 * without reading it; needs no other call.
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
 * Reports that no format has the name, and which was likely meant. Returns
 * CG_EUSAGE.
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
