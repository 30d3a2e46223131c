/*
 * job.h - one conversion, and the formats that it knows.
 *
 *	settings.c  sets up a job          options.c  options of formats
 *	module.c    formats: the target, plug-ins
 *	probe.c     formats: detects the format of an input
 *	meant.c     formats: suggestions for a misspelt name
 *	inputs.c    files, directories, companions
 *	containers.c  companions below directories, and in archives
 *	state.c     state that formats keep between inputs
 *	derive.c    facts that the target needs and cannot represent
 *	sources.c   opens sources
 *	exclude.c   lines that coverage does not count: options and sources
 *	report.c    files and lines of a coverage report; dropped data
 *	nodes.c     folds stacks while they are read
 *	texts.c     parsing in threads
 *	job.c       reading, symbols       write.c    writing
 *	clone.c     copies, differences
 *	doc.c, space.c  parsers' documents and address spaces with a builder
 */
#ifndef CG_JOB_H
#define CG_JOB_H

#include "algo/algo.h"
#include "algo/filters.h"
#include "graph/rules.h"
#include "symbols/symbols.h"

struct cg_option_value {
	const struct cg_option *option;
	const char *value;
	bool usual; /* set by cg_job_set_default() */
};

struct cg_opened {
	const char *path;
	struct cg_symbols *symbols; /* NULL: could not be opened */
};

struct cg_input_info {
	const char *path;
	struct cg_detected found;
};

struct cg_job {
	struct cg_errors errors; /* first: see cg_job_errors() */

	const struct cg_module **module;
	size_t modules, module_cap;
	void **plugin; /* dlopen() handles */
	size_t plugins, plugin_cap;

	struct cg_strs strs; /* paths, option values, demangled names */
	const char **input, **object;
	struct cg_input_callback {
		const char *path;
		cg_read_fn *read;
		void *arg;
	} *callback; /* inputs that callbacks deliver */
	size_t callbacks, callback_cap;
	size_t inputs, input_cap, objects, object_cap;
	size_t current;          /* number of the input that is read */
	struct cg_option_value *option;
	size_t options, option_cap;
	const struct cg_module *from, *to;
	const struct cg_module *sum_for; /* if partial: target when it read */
	const char *output;      /* path; NULL: standard output */
	const char *root;        /* see cg_job_set_output_root(); or NULL */
	cg_write_fn *write;      /* instead of a path, if not NULL */
	void *write_arg;
	struct cg_out **more;    /* of cg_add_output() */
	size_t mores, more_cap;
	struct cg_buffer {
		char *text;
		size_t len, cap;
	} written;               /* of cg_job_set_output_memory() */
	struct cg_part_by part_by;
	struct cg_between between; /* of --between */
	struct cg_filters *filters; /* by function; NULL: none */
	struct cg_label_filters *label_filters; /* NULL: none */
	struct cg_roots roots;   /* of --root-by */
	bool rooted;             /* --root-by was given, maybe as "none" */
	enum cg_identity identity;
	uint64_t levels;         /* of recursion; 0: the value of the option */
	const char *emptied; /* options that have dropped all costs; or NULL */
	bool deferred;           /* see cg_job_set_deferred() */
	bool is_deferred;        /* the output that was written is */
	bool gzip, strict, clamp, guess, verbose, parts, no_demangle;
	bool adds;               /* it merges graphs of other jobs */
	size_t merged;           /* number of inputs of those jobs */
	const char **name;       /* of their inputs: see cg_job_set_names() */
	size_t names, name_cap, named; /* all: named */
	bool began, ready; /* it has begun to read; its graph is complete */
	int status;              /* of adding inputs, then of reading them */
	bool seen;               /* the program will look at the graph */
	bool sums_only;          /* see cg_job_set_sums_only() */
	bool partial;            /* see cg_job_set_partial() */
	size_t threads;          /* see cg_job_set_threads(); 0 is 1 */
	struct cg_shard shard; /* the shard that the output is, if count > 0 */
	struct cg_job *owner;    /* job with the symbols, containers; or NULL */
	struct cg_rules rules;
	struct cg_map file_ids;  /* of files that are read: see inputs.c */
	struct cg_map skipped_sources; /* by file: reported; see sources.c */
	bool unclaimed;          /* no format claims an input */
	bool one_failed;         /* see cg_job_one_failed() */
	struct cg_memory_file {
		const char *path;
		struct cg_slice bytes;
	} *memory;
	size_t memories, memory_cap;
	struct cg_container *container; /* see cg_open_companion_below() */
	size_t containers, container_cap;

	const struct cg_module *reading; /* format of the current input */
	struct cg_input_info *source;    /* the inputs that were read */
	size_t sources, source_cap;
	struct cg_build build;
	struct cg_graph *graph;
	bool folds;                      /* see cg_job_begin_fold() */
	uint64_t fold_levels;            /* of recursion */
	size_t fold_nodes; /* nodes to fold at once; 0: the default */
	struct cg_fold *fold;            /* NULL: no stack was folded yet */
	struct cg_job *diff_side[2];     /* of cg_job_diff(); or NULL */
	cg_fn *diff_fn[2];
	size_t diff_fns[2];
	cg_file *diff_file[2];
	size_t diff_files[2];
	const struct cg_judgement *judgement; /* or NULL */
	bool marked; /* cg_job_exclude_marked() was called */
	bool told;   /* sources that were not found were reported */
	cg_facts diff_lost;              /* facts that the difference lacks */
	struct cg_state *state;          /* of formats, while inputs are read */
	struct cg_opened *opened;        /* symbols, by path */
	size_t opens, open_cap;
};

/* ---- module.c ----------------------------------------------------------- */

/*
 * Adds a table of modules; CG_EUSAGE if one does not fit this library. Returns
 * the status.
 */
int cg_modules_add(struct cg_job *, const struct cg_module *const *);
/* Returns the format to write by default: the first that can write. */
const struct cg_module *cg_default_target(const struct cg_job *);
/*
 * Returns CG_EUSAGE if the output's name does not identify its format. Adds a
 * note if the name is ambiguous.
 */
int cg_check_output(struct cg_job *, const char *path);
/* Returns the module selected by the suffix of an output's name, or NULL. */
const struct cg_module *cg_module_by_name(const struct cg_job *,
    const char *path);
/* True if path ends in "." and one of the suffixes "a;b" (may be NULL). */
bool cg_has_suffix(struct cg_slice path, const char *suffixes);
/* Returns the option's description in any module, or NULL. */
const struct cg_option *cg_find_option(const struct cg_job *,
    const char *name);
/* Returns the option's description in this module (may be NULL), or NULL. */
const struct cg_option *cg_module_option(const struct cg_module *,
    const char *name);

/* ---- meant.c ------------------------------------------------------------ */

#define CG_MEANT_MAX 5
struct cg_meant {
	const struct cg_module *module[CG_MEANT_MAX];
	size_t count;
};
#define CG_MEANT_READ 1u
#define CG_MEANT_WRITE 2u
/*
 * Finds formats that the word may mean: by name, suffix, a word of the title,
 * or the nearest name; none if there are more than CG_MEANT_MAX. how: whether
 * they must read or write.
 */
void cg_find_meant(const struct cg_job *, struct cg_slice word, unsigned how,
    struct cg_meant *);
#define CG_MEANT_ROOM 200
/* Formats the list as "a, b or c"; returns list. */
const char *cg_list_meant(const struct cg_meant *, char list[CG_MEANT_ROOM]);

/* ---- probe.c ------------------------------------------------------------ */

/*
 * Finds the format with the highest score for an input; consumes nothing of
 * the input. Any status but CG_OK is an error, which is reported.
 */
struct cg_found {
	const struct cg_module *module; /* NULL: none */
	const struct cg_module *rival;  /* another one with the same score */
	int score;
	bool empty; /* the input is empty */
};
int cg_probe(struct cg_job *, struct cg_in *, struct cg_found *);

/* ---- options.c ---------------------------------------------------------- */

/*
 * Returns CG_EUSAGE if an option that was set does not apply to the
 * conversion.
 */
int cg_check_options(struct cg_job *, const struct cg_module *to);
/*
 * The facts that the target can represent and needs, with the flags that are
 * set.
 */
struct cg_ability {
	cg_facts carries, needs;
	const char *flag; /* a flag that adds to them; or NULL */
};
struct cg_ability cg_target_ability(const struct cg_job *,
    const struct cg_module *to);

/* ---- state.c ------------------------------------------------------------- */

/* Releases and frees the states of all formats. */
void cg_job_release(struct cg_job *);

/* ---- derive.c ----------------------------------------------------------- */

/*
 * Derives the facts that the target needs, if that is exact, and reports facts
 * that it cannot represent: CG_ELOSS if strict. Returns the status.
 */
int cg_derive(struct cg_job *, const struct cg_module *to);
/*
 * Estimates stacks if the user asked for it and no costs have stacks.
 * Otherwise reports an error, in which what is the name of the feature that
 * needs stacks. Returns the status.
 */
int cg_need_stacks(struct cg_job *, const char *what);
/*
 * Turns labels into frames, or drops them if the target cannot represent
 * labels. Reports lost labels: *lost is then CG_LABELS. Returns the status.
 */
int cg_job_convert_labels(struct cg_job *, const struct cg_module *to,
    cg_facts *lost);
/*
 * Returns the roots of --root-by, or those of the format by default (NULL:
 * none).
 */
struct cg_roots cg_job_roots(const struct cg_job *, const struct cg_module *);
/*
 * Sets *levels to the number of recursion levels that the target keeps apart;
 * CG_EUSAGE is reported. Returns the status.
 */
int cg_job_get_levels(
    struct cg_job *, const struct cg_module *to, uint64_t *levels);
/* True if there are events, but neither costs, calls nor lines. */
bool cg_is_empty(const struct cg_graph *);

/* ---- nodes.c ------------------------------------------------------------ */

/*
 * Call it when the job is set up: decides whether cg_free_nodes() may fold
 * stacks. CG_EUSAGE for an invalid number of levels is reported. Returns the
 * status.
 */
int cg_job_begin_fold(struct cg_job *);
/*
 * Completes the folding that cg_free_nodes() has begun: a sealed graph then
 * has no stacks. Returns the status.
 */
int cg_job_end_fold(struct cg_job *);

/* ---- settings.c --------------------------------------------------------- */

/* Returns the job's own copy of a string; NULL: out of memory, reported. */
const char *cg_job_keep(struct cg_job *, const char *);

/*
 * Appends path to a list of the job (its inputs or its objects). Returns the
 * status.
 */
int cg_job_add_path(struct cg_job *, const char ***list, size_t *count,
    size_t *cap, const char *path);

/* ---- inputs.c ----------------------------------------------------------- */

/* Opens an input: from memory, a callback or disk; as cg_in_open(). */
struct cg_in *cg_job_open(struct cg_job *, const char *path, int *status);
/*
 * Moves executables from the inputs to the objects and replaces directories by
 * the files in them that formats gather, sorted by path. Returns the status.
 */
int cg_job_sort_inputs(struct cg_job *);

/*
 * Records a file that is read: no output may overwrite it. Returns the status.
 */
int cg_job_note_file(struct cg_job *, const char *path);
/*
 * Returns CG_EUSAGE if the output (NULL, "-": standard output) is one of the
 * files that are read, by device and inode.
 */
int cg_job_check_output(struct cg_job *, const char *path);
/*
 * Records an opened companion, or handles the failure to open it (NULL,
 * status). Returns the result of cg_open_companion().
 */
bool cg_job_opened(struct cg_job *, struct cg_in **, int status);
/* Like cg_open_companion(), but on disk, even if the inputs are in memory. */
bool cg_job_open_file(struct cg_job *, const char *path, struct cg_in **);

/* ---- containers.c ------------------------------------------------------- */

void cg_job_free_containers(struct cg_job *);

/* ---- job.c -------------------------------------------------------------- */

/*
 * Returns CG_OK if the other has a graph; else the status of its reading, or
 * CG_EUSAGE (reported to job) if it has not read.
 */
static inline int
cg_job_check_ready(struct cg_job *job, const struct cg_job *other)
{
	return other->ready || other->status != CG_OK ? other->status
	    : cg_usage(job, "no profile was read: call cg_job_read()");
}
/*
 * Reports an I/O error or lack of memory in a symbol look-up: functions that
 * look up symbols return no status, but record it in the symbols. Returns the
 * status.
 */
int cg_job_check_symbols(struct cg_job *);
/*
 * Reads one input from memory and freezes the graph (tests, fuzzing). Returns
 * the status.
 */
int cg_job_read_memory(struct cg_job *, const char *name, struct cg_slice);

#endif
