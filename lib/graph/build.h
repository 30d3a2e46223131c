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
 */
#ifndef CG_BUILD_H
#define CG_BUILD_H

#include "graph/graph.h"

enum cg_parts_mode {
	CG_PARTS_KEEP, /* as in the input */
	CG_PARTS_SUM   /* all merged into one */
};

/* What --part-by splits samples by. */
enum cg_part_by_what {
	CG_BY_NOTHING, CG_BY_PID, CG_BY_TID, CG_BY_COMM, CG_BY_LABEL
};
struct cg_part_by {
	const char *text;         /* as given */
	enum cg_part_by_what what;
	struct cg_slice label;
};

/*
 * What a reader knows of a sample without labels of its own becomes labels of
 * these keys: comm, pid, tid, thread, cpu.
 */
#define CG_WHO_KEYS 5
#define CG_WHO_CPU (1u << (CG_WHO_KEYS - 1))
/* On request only: threads move, and each stack would be there for each cpu. */
#define CG_WHO_USUAL (CG_WHO_CPU - 1)
#define CG_WHO_ALL (CG_WHO_USUAL | CG_WHO_CPU)
extern const char *const cg_who_key[CG_WHO_KEYS];

struct cg_last_sample {
	bool known, labelled;
	bool plain; /* it has no labels of its own */
	uint64_t pid, tid;
	cg_str comm, thread, label;
	cg_labels labels;
	uint32_t cpu;
	bool has_cpu;
};

/* What is known of the sign of an event's costs; see add.c. */
struct cg_sign {
	size_t input;             /* the last input that has the event */
	bool is_plain;            /* it is unsigned there */
	uint64_t bits;            /* of all its costs, or-ed */
};

/* Columns of the events of an input: see cg_add_column(). */
struct cg_columns {
	size_t events, width;
	bool moved; /* they are not 0, 1, 2 */
	unsigned column[CG_EVENT_MAX];
	uint64_t cost[CG_EVENT_MAX]; /* 0 in columns of other inputs */
};

struct cg_build {
	struct cg_graph *graph;
	struct cg_in *in;         /* for the location of messages, or NULL */
	enum cg_parts_mode mode;
	cg_part part;             /* that rows are added to */
	cg_part base;             /* the input's own, whatever --part-by does */
	cg_labels labels;         /* of stacks that are added */
	bool begun;               /* cg_build_next() was called */
	struct cg_run *run;       /* of the last row */
	const struct cg_rules *rules; /* NULL: none */
	cg_facts unwanted;        /* facts that are noted, but not stored */
	cg_facts wanted;          /* those that readers add on demand */
	bool linkage;             /* do not demangle names of functions */
	/*
	 * cg_job_set_sums_only(): the costs of a function are summed while they
	 * arrive and packed as one row when those of another function follow.
	 */
	bool sums_only, summed;
	uint64_t *sum;            /* of the costs of run, if summed */
	size_t sums;
	struct cg_map demangled;  /* symbol -> name */
	struct cg_map excluded_files; /* by rules */
	uint64_t *mark;           /* sums of the part when the input began it */
	size_t marks;
	struct cg_map definitions; /* of functions: see cg_add_fn_at() */
	char *text;               /* scratch */
	size_t text_cap;
	const struct cg_part_by *by; /* NULL: nothing */
	unsigned who;                /* bits of cg_who_key that become labels */
	struct cg_last_sample last;
	struct cg_strs sample_keys;
	struct cg_map sample_parts; /* number of a key -> part + 1 */
	uint32_t track;           /* of moments that are added, + 1; or 0 */
	struct cg_map track_ids;  /* hash of a track's key -> track + 1 */
	uint64_t untimed;         /* moments whose times are out of range */
	bool found;               /* a sample has what --part-by asks for */
	bool joined;              /* samples of several threads share a part */
	struct cg_label *kept;    /* labels of a sample that its part lacks */
	size_t kept_cap;
	const struct cg_label_filters *label_filters; /* NULL: none */
	bool drops;               /* what is added now: they do not keep it */
	bool drops_costs;         /* there were costs of such samples */
	double *dropped;          /* their sums, by event */
	size_t dropped_cap;
	struct cg_map label_keys; /* name -> 1: what samples are labelled by */
	bool sets_labels;         /* cg_set_labels() was called for this input */
	bool untimed_labels;      /* so its timeline was dropped */
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

/* The input is at fault: keeps the message until cg_build_failed(). */
void cg_build_fail(struct cg_build *, const char *fmt, ...) CG_PRINTF(2, 3);
/* Out of memory, or a cursor has failed: takes over the graph's fault. */
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

/* True for rows, stacks and moments that no output will have. */
static inline bool
cg_build_drops(const struct cg_build *build, cg_file file)
{
	return build->drops || cg_build_excludes(build, file);
}

/* Notes self costs that build->drops drops. */
void cg_build_drop(struct cg_build *, const uint64_t *cost, size_t n);
/*
 * Adds self costs to the sums of the part, which so bound the sum of any of
 * them. False: the build has failed.
 */
bool cg_build_total(struct cg_build *, const uint64_t *cost, size_t n);
/*
 * Prepares build->run for rows of one function and file with at most n columns,
 * which the caller packs himself. Returns the sums to add their costs to; NULL:
 * the build has failed.
 */
uint64_t *cg_build_begin_lines(struct cg_build *, cg_fn, cg_file, size_t n);
/* Packs the summed costs of the current run. False: the build has failed. */
bool cg_build_end_run(struct cg_build *);
/*
 * The current input has event i. Fails if it is unsigned in one place of the
 * input and signed in another, or if inputs differ and costs are above 2^63.
 */
void cg_sign_event(struct cg_build *, size_t i, bool is_signed);

/* ---- build.c ------------------------------------------------------------ */

/*
 * The function that cg_add_fn_symbol() would return; 0 if it would be new. The
 * tables must not have been dropped.
 */
cg_fn cg_build_find_fn(const struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
/*
 * Frees the tables of names and functions, which take memory that writers need;
 * they are made again when one is added.
 */
void cg_graph_drop_tables(struct cg_graph *);
/* Gives a function its file, once. False: another one is the same then. */
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
 * Adds a stack, or its costs and samples to those of one like it; totals do not
 * change. Its costs then belong to the graph. False: failed.
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
/* An input ends: its samples have confirmed the part's names, or it has none. */
void cg_part_confirm(struct cg_part_entry *);
/* True if the part (CG_ALL_PARTS: any part) has the description. */
bool cg_part_says(const struct cg_graph *, cg_part, const char *key,
    const char *value);
/* Describes the current part, whatever the key is. */
void cg_add_desc_plain(struct cg_build *, struct cg_slice key,
    struct cg_slice value);

/* ---- descs.c ------------------------------------------------------------ */

enum cg_desc_rule {
	CG_DESC_LIST, /* a part has all values */
	CG_DESC_ADD,  /* a part has the sum: "2 at 100 Hz", "6 at 100 Hz" */
	CG_DESC_DROP  /* a part of several inputs has none */
};
#define CG_DESC_UNIT_MAX 80 /* bytes after the number that is added */

enum cg_desc_rule cg_desc_rule_of(const struct cg_graph *, cg_str key);
/* Adds the number to that of the key; false: the part has none to add to. */
bool cg_part_desc_sum(
    struct cg_build *, struct cg_part_entry *, struct cg_desc);
/* The part gets a second input: drops descriptions of one. */
void cg_part_merged(struct cg_build *, struct cg_part_entry *);

/* ---- samples.c ---------------------------------------------------------- */

/* Parses the argument of --part-by; false if it is invalid. */
bool cg_part_by_parse(struct cg_part_by *, const char *text);
/* The bits of cg_who_key that it uses as labels. */
unsigned cg_part_by_who(const struct cg_part_by *);
/*
 * All samples were added: describes their parts, and reports what was lost.
 * CG_ELOSS if something was, and strict.
 */
int cg_samples_end(struct cg_build *, bool strict, bool verbose);
/*
 * Tells that samples of several threads are merged: only a note without strict,
 * for that is what most users want. Returns strict.
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
 * Adds "KEY=REGEX", which has to live on: to keep samples with a label of that
 * key whose text matches, or to drop them. FORM: it is not like that. BAD: the
 * expression is invalid, why gets the reason.
 */
enum cg_label_filter_error {
	CG_LABEL_FILTER_OK, CG_LABEL_FILTER_FORM, CG_LABEL_FILTER_BAD,
	CG_LABEL_FILTER_NOMEM
};
enum cg_label_filter_error cg_label_filters_add(struct cg_label_filters **to,
    const char *text, bool keeps, char *why, size_t size);
/* What is added from here on is of a sample with these labels. */
void cg_filter_labels(struct cg_build *, const struct cg_label *, size_t n);
/* The same for what is of no sample. */
void cg_filter_unlabelled(struct cg_build *);
/*
 * All samples were added: tells which share was kept, and warns of labels that
 * none has. CG_ELOSS, reported: there are no labels at all, or times were
 * dropped and strict.
 */
int cg_label_filters_end(struct cg_build *, bool strict);

/* ---- timeline.c --------------------------------------------------------- */

/* All moments were added: warns of those that could not be. */
void cg_tracks_end(const struct cg_build *);

/* ---- shards.c ----------------------------------------------------------- */

/* Shard number of count, of the list of inputs with that hash. */
struct cg_shard {
	uint32_t number, count;   /* count 0: no shard */
	uint64_t list;
};
#define CG_SHARD_KEY "Shard"
/*
 * All inputs were read. If they are shards of one batch, a complete set needs
 * no description; an incomplete one is an error, unless partial: then it is
 * described. own: what is built is a shard itself. Returns the status.
 */
int cg_shards_end(struct cg_build *, const struct cg_shard *own, bool partial);

#endif
