/*
 * job.h - floor 3 of the library: one conversion, and the formats it knows.
 */
#ifndef CG_JOB_H
#define CG_JOB_H

#include "graph/build.h"
#include "graph/rules.h"
#include "symbols/symbols.h"

struct cg_option_value {
	const struct cg_option *option;
	const char *value;
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
	struct cg_option_value *option;
	size_t options, option_cap;
	const struct cg_module *from, *to;
	const char *output;      /* path; NULL: standard output */
	cg_write_fn *write;      /* instead of a path, if not NULL */
	void *write_arg;
	struct cg_buffer {
		char *text;
		size_t len, cap;
	} written;               /* of cg_job_set_output_memory() */
	struct cg_part_by part_by;
	uint64_t levels;         /* of recursion; 0: as the option says */
	bool gzip, strict, clamp, guess, verbose, parts;
	bool adds;               /* what other jobs have read */
	bool sums_only;          /* nobody will ask for places */
	bool partial;            /* the output is to be added to others */
	struct cg_shard shard;   /* that the output is, if count > 0 */
	struct cg_job *symbol_owner;   /* of its objects' symbols, or NULL */
	struct cg_rules rules;
	struct cg_map input_ids; /* hashes of the inputs' device and inode */
	bool unclaimed;          /* no format claims an input */
	bool one_failed;         /* of several inputs */
	struct cg_memory_file {
		const char *path;
		struct cg_slice bytes;
	} *memory;
	size_t memories, memory_cap;

	const struct cg_module *reading; /* what the inputs were, so far */
	struct cg_input_info *source;        /* the inputs that were read */
	size_t sources, source_cap;
	struct cg_build build;
	struct cg_graph *graph;
	cg_fn *diff_fn[2];               /* of cg_job_diff() */
	size_t diff_fns[2];
	cg_facts diff_lost;              /* that differences do not hold */
	struct cg_state *state;           /* by formats, while inputs are read */
	struct cg_opened *opened;        /* symbols, by path */
	size_t opens, open_cap;
};

/* ---- module.c ----------------------------------------------------------- */

/* Adds a table of modules; CG_EUSAGE if one does not fit this library. */
int cg_modules_add(struct cg_job *, const struct cg_module *const *);
/* The module that claims the head, by a clear margin; NULL if none or two. */
const struct cg_module *cg_probe(const struct cg_job *,
    const struct cg_head *, int *score, const struct cg_module **rival);
/* What is written if nothing says otherwise: the first that can. */
const struct cg_module *cg_default_target(const struct cg_job *);
/*
 * Does the name of an output tell what to write? Else CG_EUSAGE. Tells of names
 * that may mislead.
 */
int cg_check_output(struct cg_job *, const char *path);
/* The module that writes files of that name, or NULL. */
const struct cg_module *cg_module_by_name(const struct cg_job *,
    const char *path);
/* Does path end in "." and one of the suffixes "a;b" (maybe NULL)? */
bool cg_has_suffix(struct cg_slice path, const char *suffixes);
/* The option's description in any module, or NULL. */
const struct cg_option *cg_find_option(const struct cg_job *,
    const char *name);
/* The option's description in this module (maybe NULL), or NULL. */
const struct cg_option *cg_module_option(const struct cg_module *,
    const char *name);

/* ---- options.c ---------------------------------------------------------- */

/* The option's value if it was set, else NULL. */
const char *cg_opt_given(const struct cg_job *, const char *name);
/* Every option that was set must belong to a side of the conversion. */
int cg_check_options(struct cg_job *, const struct cg_module *to);

/* ---- state.c ------------------------------------------------------------- */

/* Gives back all that formats kept. */
void cg_job_release(struct cg_job *);

/* ---- derive.c ----------------------------------------------------------- */

/*
 * Gives the target what it needs, where that is exact, and reports what it
 * cannot carry: CG_ELOSS under strict.
 */
int cg_derive(struct cg_job *, const struct cg_module *to);

/* ---- settings.c --------------------------------------------------------- */

/* The job's own copy of a string; NULL: out of memory, reported. */
const char *cg_job_keep(struct cg_job *, const char *);

/* Appends path to a list of the job's (its inputs, its objects). */
int cg_job_add_path(struct cg_job *, const char ***list, size_t *count,
    size_t *cap, const char *path);

/* ---- inputs.c ----------------------------------------------------------- */

/* Opens a file of the job's, or one on disk, as cg_in_open() does. */
struct cg_in *cg_job_open(struct cg_job *, const char *path, int *status);
/*
 * Programs among the inputs become objects, folders what the formats gather
 * from them, in the order of their paths.
 */
int cg_job_sort_inputs(struct cg_job *);

/* ---- job.c -------------------------------------------------------------- */

/* Reads one input from memory and freezes the graph (tests, fuzzing). */
int cg_job_read_memory(struct cg_job *, const char *name, struct cg_slice);

#endif
