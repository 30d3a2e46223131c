/*
 * build.h - the builder: the only way to add to a graph.
 *
 * It checks every id and sums every cost with overflow checks, so that writers
 * can rely on what a graph contains. Errors are sticky: after the first one
 * nothing is added. Lower files come first:
 *
 *	fail.c     errors of graphs and builders
 *	rules.c    --map, --include, --exclude
 *	add.c      rows; signed and unsigned events
 *	build.c    objects, files, functions, events
 *	known_fns.c functions of frames, that other threads look up
 *	labels.c   sets of labels
 *	label_filters.c --label, --no-label
 *	nodes.c    frames, the tree of nodes
 *	stacks.c   stacks
 *	parts.c    parts and their descriptions
 *	descs.c    descriptions that are numbers of one input
 *	samples.c  parts made of samples (--part-by)
 *	timeline.c stacks of threads in the order of time
 *	shards.c   inputs that are shards of a batch
 *	complete.c what is done with a graph to which everything was added
 */
#ifndef CG_BUILD_H
#define CG_BUILD_H

#include "graph/graph.h"

enum cg_parts_mode {
	CG_PARTS_KEEP, /* as in the input */
	CG_PARTS_SUM   /* all merged into one */
};

/* The criterion by which --part-by splits samples. */
enum cg_part_by_what {
	CG_BY_NOTHING, CG_BY_PID, CG_BY_TID, CG_BY_COMM, CG_BY_LABEL
};
struct cg_part_by {
	const char *text;         /* as given */
	enum cg_part_by_what what;
	struct cg_slice label;
};

/*
 * Samples of formats without labels get labels of these keys: comm, pid, tid,
 * thread, cpu.
 */
#define CG_WHO_KEYS 5
#define CG_WHO_CPU (1u << (CG_WHO_KEYS - 1))
/*
 * cpu only on request: threads move between CPUs, so each stack would be
 * stored once per CPU.
 */
#define CG_WHO_USUAL (CG_WHO_CPU - 1)
#define CG_WHO_ALL (CG_WHO_USUAL | CG_WHO_CPU)
extern const char *const cg_who_key[CG_WHO_KEYS];

struct cg_last_sample {
	bool known, labelled;
	bool plain; /* the sample has no labels of its own */
	uint64_t pid, tid;
	cg_str comm, thread, label;
	cg_labels labels;
	uint32_t cpu;
	bool has_cpu;
};

/* The known sign of an event's costs; see add.c. */
struct cg_sign {
	size_t input;             /* the last input that has the event */
	bool is_plain;            /* the event is unsigned there */
	uint64_t bits;            /* bitwise OR of all its costs */
};

/* Columns of the events of an input: see cg_add_column(). */
struct cg_columns {
	size_t events, width;
	bool moved; /* the columns are not 0, 1, 2, ... */
	unsigned column[CG_EVENT_MAX];
	uint64_t cost[CG_EVENT_MAX]; /* by column; 0: of other inputs */
};

#define CG_RECENT_SETS 64 /* a power of two */

struct cg_build {
	struct cg_graph *graph;
	struct cg_in *in;         /* for the location of messages, or NULL */
	enum cg_parts_mode mode;
	cg_part part; /* the current part, to which rows are added */
	cg_part base;             /* the current part, ignoring --part-by */
	cg_labels labels;         /* labels of stacks that are added */
	cg_labels recent[CG_RECENT_SETS]; /* sets that were added, see labels.c */
	bool begun;               /* cg_build_next() was called */
	bool unknown_calls;       /* calls by the unknown caller were added */
	struct cg_run *run;       /* of the last row */
	cg_fn last_fn;            /* the one that was added last, maybe again */
	const struct cg_rules *rules; /* NULL: none */
	cg_facts unwanted;        /* facts that are set, but not stored */
	cg_facts wanted;          /* facts that readers add on demand */
	bool linkage;             /* do not demangle names of functions */
	/*
	 * For cg_job_set_sums_only(): the costs of a function are summed as
	 * they arrive, and packed as one row when costs of another function
	 * follow.
	 */
	bool sums_only, summed;
	uint64_t *sum;            /* of the costs of run, if summed */
	size_t sums;
	struct cg_map demangled;  /* symbol -> name */
	struct cg_map excluded_files; /* files that rules exclude */
	uint64_t *mark; /* total of the part when the input began it */
	size_t marks;
	struct cg_map definitions; /* see cg_add_fn_at() */
	char *text;               /* scratch */
	size_t text_cap;
	const struct cg_part_by *by; /* NULL: nothing */
	unsigned who; /* bits: indexes of cg_who_key that become labels */
	struct cg_last_sample last;
	struct cg_strs sample_keys;
	struct cg_map sample_parts; /* number of a key -> part + 1 */
	uint32_t track; /* track + 1 of moments that are added; 0: none */
	struct cg_map track_ids;  /* hash of a track's key -> track + 1 */
	uint64_t untimed;         /* moments whose times are out of range */
	uint64_t backward;        /* regions that end before they begin */
	bool found; /* a sample has the key that --part-by asks for */
	bool joined;              /* samples of several threads share a part */
	struct cg_label *kept;    /* scratch: labels of a sample */
	size_t kept_cap;
	const struct cg_label_filters *label_filters; /* NULL: none */
	bool drops;               /* filters drop what is added now */
	bool drops_costs;         /* costs were dropped */
	double *dropped;          /* sums of dropped costs, by event */
	size_t dropped_cap;
	struct cg_map label_keys; /* name -> 1: keys of the samples' labels */
	bool sets_labels;         /* cg_set_labels() was called for this input */
	bool untimed_labels;      /* labels: its timeline was dropped */
	size_t inputs;            /* calls of cg_build_next() */
	struct cg_columns columns; /* of the current input */
	struct cg_sign *sign;     /* by event */
	size_t signs;
	size_t scanned;           /* sign[].bits are valid for this input */
	struct cg_shards *shards; /* NULL: no input is a shard */
	int status;
	char failure[512];        /* not reported yet; "" if there is none */
};

void cg_build_init(struct cg_build *, struct cg_graph *, enum cg_parts_mode);
void cg_build_free(struct cg_build *);

/* ---- fail.c ------------------------------------------------------------- */

/* Fails because of the input: keeps the message until cg_build_failed(). */
void cg_build_fail(struct cg_build *, const char *fmt, ...) CG_PRINTF(2, 3);
/*
 * Fails because memory ran out or a cursor failed: takes over the graph's
 * fault.
 */
void cg_build_nomem(struct cg_build *);
/* Fails with CG_EBUG unless it has failed before; returns false. */
bool cg_build_refuse(struct cg_build *, uint32_t id, const char *what);
/* Fails for an id that no add call returned: a bug of the reader. */
static inline bool
cg_build_check(struct cg_build *build, uint32_t id, size_t count,
    const char *what)
{
	return (id < count && build->status == CG_OK) ||
	       cg_build_refuse(build, id, what);
}

/* ---- add.c -------------------------------------------------------------- */

/* True if the rules exclude the file. */
static inline bool
cg_build_excludes(const struct cg_build *build, cg_file file)
{
	return build->excluded_files.table &&
	       cg_map_get(&build->excluded_files, file) != 0;
}

/*
 * True for rows, stacks and moments that are dropped: their file is excluded,
 * or a label filter drops them.
 */
static inline bool
cg_build_drops(const struct cg_build *build, cg_file file)
{
	return build->drops || cg_build_excludes(build, file);
}

/* Counts self costs that are dropped because build->drops is set. */
void cg_build_drop(struct cg_build *, const uint64_t *cost, size_t n);
/*
 * Adds self costs to the part's totals, which bound the sum of any of these
 * costs. False: the build has failed.
 */
bool cg_build_total(struct cg_build *, const uint64_t *cost, size_t n);
/*
 * Prepares build->run for rows of one function and file with at most n
 * columns, which the caller packs itself. Returns the totals to which the
 * caller must add their costs; NULL: the build has failed.
 */
uint64_t *cg_build_begin_lines(struct cg_build *, cg_fn, cg_file, size_t n);
/* Packs the summed costs of the current run. False: the build has failed. */
bool cg_build_end_run(struct cg_build *);
/*
 * Records that the current input has event i. Fails if it is unsigned in one
 * place of the input and signed in another, or if inputs differ and costs are
 * above 2^63.
 */
void cg_sign_event(struct cg_build *, size_t i, bool is_signed);

/* ---- build.c ------------------------------------------------------------ */

/*
 * The function that cg_add_fn_symbol() would return; 0 if it does not exist
 * yet. The tables must not have been dropped.
 */
cg_fn cg_build_find_fn(const struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
/*
 * Frees the tables of names and functions, as writers need the memory; adding
 * a name or function makes them again.
 */
void cg_graph_drop_tables(struct cg_graph *);
/*
 * Gives a function its file, once. False: the function would then equal
 * another one, or out of memory.
 */
bool cg_set_fn_file(struct cg_graph *, cg_fn, cg_file);
/*
 * Gives a function without file the file of its frames, if all of them are in
 * one file and no function with that file and name exists. False: out of
 * memory.
 */
bool cg_infer_fn_files(struct cg_graph *);

/* ---- stacks.c ----------------------------------------------------------- */

/* Drops labels, and merges the stacks of a sealed graph that are equal then. */
int cg_stacks_unlabel(struct cg_build *);
/*
 * Adds a stack, or adds its costs and samples to an equal one; totals do not
 * change. The graph takes ownership of its costs. False: the build has failed.
 */
bool cg_stacks_put(struct cg_build *, const struct cg_stack_entry *);

/* ---- parts.c ------------------------------------------------------------ */

/* The next input begins; it begins a new part if parts are kept. */
void cg_build_next(struct cg_build *, struct cg_in *);
/* Appends a part; false: the build has failed. */
bool cg_part_new(struct cg_build *);
void cg_part_desc_add(struct cg_build *, cg_part, struct cg_desc);
/* Removes the part's last description; it has one. */
void cg_part_desc_drop(struct cg_part_entry *);
/*
 * Call it at the end of an input: clears names of the part that no sample of
 * the input has confirmed.
 */
void cg_part_confirm(struct cg_part_entry *);
/* True if the part (CG_ALL_PARTS: any part) has the description. */
bool cg_part_says(const struct cg_graph *, cg_part, const char *key,
    const char *value);
/* Adds a description to the current part without treating any key specially. */
void cg_add_desc_plain(struct cg_build *, struct cg_slice key,
    struct cg_slice value);

/* ---- descs.c ------------------------------------------------------------ */

enum cg_desc_rule {
	CG_DESC_LIST, /* a part has all values */
	CG_DESC_ADD,  /* values are summed: "2 at 100 Hz" + "4 at 100 Hz" */
	CG_DESC_DROP  /* a part of several inputs has no such value */
};
#define CG_DESC_UNIT_MAX 80 /* maximum size of the text after a number to sum */

enum cg_desc_rule cg_desc_rule_of(const struct cg_graph *, cg_str key);
/*
 * Adds the description's number to that of the same key; false: the part has
 * no value to add to.
 */
bool cg_part_desc_sum(
    struct cg_build *, struct cg_part_entry *, struct cg_desc);
/* The part gets a second input: drops descriptions of single inputs. */
void cg_part_merged(struct cg_build *, struct cg_part_entry *);

/* ---- samples.c ---------------------------------------------------------- */

/* Parses the argument of --part-by; false if it is invalid. */
bool cg_part_by_parse(struct cg_part_by *, const char *text);
/* Bits of the cg_who_key that --part-by uses as labels. */
unsigned cg_part_by_who(const struct cg_part_by *);
/*
 * Call it after all samples were added: describes their parts, and reports
 * lost information. CG_ELOSS if information was lost and strict.
 */
int cg_samples_end(struct cg_build *, bool strict, bool verbose);
/*
 * Reports that samples of several threads are merged: only a note unless
 * strict, as most users want this. Returns strict.
 */
bool cg_tell_joined(struct cg_diag *, bool strict, bool verbose);

/* ---- labels.c ----------------------------------------------------------- */

/*
 * The value of a label as text: "a", "64 bytes"; "" on failure. Valid until the
 * next call.
 */
const char *cg_label_text(struct cg_build *, const struct cg_label *);

/* ---- label_filters.c ---------------------------------------------------- */

struct cg_label_filters;
void cg_label_filters_free(struct cg_label_filters *);
/*
 * Adds "KEY=REGEX", which must outlive the filters: keep samples with a label
 * of that key whose text matches, or drop them. FORM: the argument has another
 * form. BAD: the expression is invalid; why is set to the reason.
 */
enum cg_label_filter_error {
	CG_LABEL_FILTER_OK, CG_LABEL_FILTER_FORM, CG_LABEL_FILTER_BAD,
	CG_LABEL_FILTER_NOMEM
};
enum cg_label_filter_error cg_label_filters_add(struct cg_label_filters **to,
    const char *text, bool keeps, char *why, size_t size);
/*
 * Rows, stacks and moments that are added from now on belong to a sample with
 * these labels.
 */
void cg_filter_labels(struct cg_build *, const struct cg_label *, size_t n);
/* Rows, stacks and moments that are added from now on belong to no sample. */
void cg_filter_unlabelled(struct cg_build *);
/*
 * Call it after all samples were added: notes the percentage that was kept,
 * and warns of labels that no sample has. CG_ELOSS (reported): no sample has
 * labels, or times were dropped and strict.
 */
int cg_label_filters_end(struct cg_build *, bool strict);

/* ---- timeline.c --------------------------------------------------------- */

/* Call it after all moments were added: warns of moments that were dropped. */
void cg_tracks_end(const struct cg_build *);

/* ---- add.c ----------------------------------------------------------- */

/* Call it after all rows were added: warns of regions that were dropped. */
void cg_regions_end(const struct cg_build *);

/* ---- shards.c ----------------------------------------------------------- */

/* Shard number of count, of the list of inputs with that hash. */
struct cg_shard {
	uint32_t number, count;   /* count 0: no shard */
	uint64_t list;
};
#define CG_SHARD_KEY "Shard"
/*
 * Call it after all inputs were read. A complete set of shards of one batch
 * needs no description. An incomplete one is an error, or is described if
 * partial. own: the shard that the graph itself becomes. Returns the status.
 */
int cg_shards_end(struct cg_build *, const struct cg_shard *own, bool partial);

/* ---- complete.c --------------------------------------------------------- */

/*
 * Resolves the formulas of a graph, frees its tables (cg_graph_drop_tables()),
 * and seals it. Returns CG_OK or CG_ELIMIT.
 */
int cg_graph_complete(struct cg_graph *);

#endif
