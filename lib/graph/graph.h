/*
 * graph.h - floor 2 of the library: the cost graph.
 *
 * Dimensions are tables of ids. Facts are rows: packed in the order of
 * arrival (pack.c), one run per function and part (rows.c), merged and sorted
 * only when a cursor opens a run (costs.c, view.c). build.c, add.c and
 * stacks.c are the only code that adds.
 */
#ifndef CG_GRAPH_H
#define CG_GRAPH_H

#include "cgconv_expert.h"
#include "io/io.h"

#define CG_NO_RUN UINT32_MAX

/* Where a branch stands. */
struct cg_branch_key {
	cg_file file;
	uint32_t line;
	uint64_t kind_block;      /* kind << 32 | block */
	uint32_t index;
};

/* Rows, packed one behind the other. */
struct cg_packed {
	struct cg_block *first, *last;
	uint8_t *at, *end;        /* what is free in the last block */
	struct cg_pos pos;        /* the next row is a difference to this */
	uint64_t before, merged;  /* size without last, after the last merge */
	uint8_t *stretch;         /* the last one of costs: see rows.h */
};

/*
 * Rows of one function in one part. Costs stand apart from calls and the
 * rest, which are few: a search for cycles need not read what costs.
 */
struct cg_run {
	cg_fn fn;
	cg_part part;
	uint32_t next;            /* next run of the same fn, or CG_NO_RUN */
	uint32_t visits;          /* times taken up since the last merge */
	struct cg_packed costs, others;
	/*
	 * The others are branches, of one file, and each is behind the one
	 * before by line, kind, block, index.
	 */
	bool branches_ascend;
	uint32_t branches;        /* up to UINT32_MAX */
	struct cg_branch_key branch; /* of the last one */
};

/*
 * Where the blocks of rows are. The block that was made last grows in place
 * as long as no other is wanted; what it has too much it then gives back, so
 * rows lie without gaps. Blocks whose rows were merged wait to be used again.
 */
#define CG_BLOCK_CLASSES 26
struct cg_pool {
	struct cg_arena arena;
	uint32_t open;            /* run of the last block, or CG_NO_RUN */
	struct cg_block *free[CG_BLOCK_CLASSES]; /* by size */
};

/* A run in canonical order. */
struct cg_run_place {
	uint32_t run;
	cg_fn fn;
};

struct cg_fn_entry {
	cg_str name, symbol;      /* symbol 0: the same */
	cg_file file;
	cg_object object;
	uint32_t runs;            /* first run, or CG_NO_RUN */
	struct cg_range range;
};

/* Paths of objects or files: id -> string, string -> id. */
struct cg_paths {
	cg_str *path;
	size_t count, cap;        /* with id 0 */
	struct cg_map ids;
	struct cg_map given;      /* file -> its path in the input's words */
};

struct cg_desc {
	cg_str key, value;
};

struct cg_part_entry {
	struct cg_part_info info;
	cg_str cmd;
	bool filled;              /* cg_add_part() has taken it */
	bool pid_differs, tid_differs, part_differs, cmd_differs;
	bool sampled, described;  /* samples have made it; have told of it */
	cg_part base;             /* of a sampled one: the input's own part */
	struct cg_desc *desc;
	size_t descs, desc_cap;
	struct cg_desc label;     /* of all its samples */
	struct cg_map desc_ids;   /* where there are many */
	uint64_t *total;          /* sum of self costs by column */
	size_t totals;
	cg_file *file;            /* as its source lists them */
	size_t files, file_cap;
	size_t listed;            /* by the last input that joined it */
	bool list_ended;          /* another input has joined it */
	bool lists_differ;
};

/* Or has the last input listed some of the files only? */
static inline bool
cg_part_lists_differ(const struct cg_part_entry *part)
{
	return part->lists_differ ||
	       (part->listed > 0 && part->listed < part->files);
}

struct cg_formula {
	struct cg_event event;
	int64_t *factor;          /* by column, of all real events */
	bool resolved;
};

struct cg_node_entry {
	cg_node parent;
	cg_fn fn;
	struct cg_pos pos;
	uint32_t stack;           /* + 1: the last one that ended here */
	uint32_t inlined : 1;
	uint32_t listed : 1;      /* in the table */
	uint32_t latest : 30;     /* the child that was asked for last; or 0 */
};

/* The table of nodes: most that are not meant differ in the hash. */
struct cg_node_slot {
	cg_node id;
	uint32_t hash;
};

struct cg_stack_entry {
	cg_node leaf;
	cg_part part;
	cg_labels labels;
	uint16_t n, room;         /* costs there are; columns with room */
	uint64_t samples;
	union {
		uint64_t one;     /* room is 1 */
		uint64_t *many;
	} cost;
};

static inline uint64_t *
cg_stack_cost(struct cg_stack_entry *stack)
{
	return stack->room > 1 ? stack->cost.many : &stack->cost.one;
}

_Static_assert(CG_EVENT_MAX <= UINT16_MAX, "columns fit into a stack");

struct cg_label_entry {
	int64_t number;
	cg_str key, value, unit;
};
struct cg_label_set {
	uint32_t first, n;        /* of its labels */
};

/* Costs below zero on their way to zero. */
struct cg_clamp {
	uint64_t *value;          /* a row's costs without them */
	uint64_t *lost;           /* by column: what they add up to */
};

struct cg_graph {
	struct cg_diag *diag;
	int *fault;               /* set by cursors, which hold it const */
	struct cg_strs strs;
	struct cg_paths objects, files;

	struct cg_fn_entry *fn;   /* by id */
	size_t fns, fn_cap;
	struct cg_fn_slot {
		cg_fn id;         /* 0: it is free */
		uint32_t hash;    /* so that other functions are not looked at */
	} *fn_slot;               /* open addressing */
	size_t fn_slots;
	uint64_t fn_seed;         /* see cg_table_seed() */

	struct cg_event *event;
	size_t events, event_cap;
	struct cg_formula *formula;
	size_t formulas, formula_cap;

	struct cg_part_entry *part;
	size_t parts, part_cap;

	struct cg_run *run;
	size_t runs, run_cap;
	struct cg_map run_ids;    /* part << 32 | fn -> run + 1 */
	struct cg_pool costs, others; /* of the runs' two kinds */

	struct cg_node_entry *node;
	size_t nodes, node_cap;   /* with node 0 */
	struct cg_node_slot *node_slot;
	size_t node_slots, listed;
	uint64_t node_seed;       /* see cg_table_seed() */
	struct cg_stack_entry *stack;
	size_t stacks, stack_cap;
	struct cg_map stack_ids;  /* hash of part, leaf, labels -> stack + 1 */
	struct cg_arena stack_costs; /* of more than one column */
	struct cg_label_entry *label; /* of all sets */
	size_t labels, label_cap;
	struct cg_label_set *label_set; /* by id, from 1 */
	size_t label_sets, label_set_cap;
	struct cg_map label_ids;  /* hash of a set's labels -> id */

	struct cg_clamp *clamp;   /* NULL but in cg_graph_clamp() */
	cg_facts facts;
	bool any_signed;
	unsigned grain;

	/* Canonical order, since cg_graph_seal(): */
	uint32_t *fn_rank, *fn_ranked;
	uint32_t *file_rank, *file_ranked;
	struct cg_run_place *run_order; /* by part, then rank of fn */
	size_t *part_runs;        /* run_order's beginning of each part */
	size_t *part_stacks;      /* the same of stacks, by leaf in a part */
	uint64_t *padded;         /* cg_part_totals() of all events */
	size_t padded_cap;
};

/* ---- graph.c ------------------------------------------------------------ */

struct cg_graph *cg_graph_new(struct cg_diag *, int *fault);
void cg_graph_free(struct cg_graph *);
/*
 * Orders everything canonically. Rows may still be added to runs that are
 * there; whoever adds anything else seals again.
 */
int cg_graph_seal(struct cg_graph *);

/* ---- facts.c ------------------------------------------------------------ */

/* Sets those facts that are known beside rows. */
void cg_graph_find_facts(struct cg_graph *);

/* ---- rows.c, pack.c: storage -------------------------------------------- */

/* Of rows that are no costs. */
enum cg_row_kind { CG_ROW_CALL, CG_ROW_JUMP, CG_ROW_OTHER };

/* The run of a function in a part, made if need be; NULL: out of memory. */
struct cg_run *cg_run_get(struct cg_graph *, cg_part, cg_fn);
/* Each packs one row at the end of a run; false: out of memory, overflow. */
bool cg_run_add_cost(struct cg_graph *, struct cg_run *,
    const struct cg_pos *, const uint64_t *cost, size_t n);
bool cg_run_add_call(struct cg_graph *, struct cg_run *,
    const struct cg_call *);
bool cg_run_add_jump(struct cg_graph *, struct cg_run *,
    const struct cg_jump *);
bool cg_run_add_branch(struct cg_graph *, struct cg_run *,
    const struct cg_branch *);
bool cg_run_add_inclusive(struct cg_graph *, struct cg_run *,
    const uint64_t *cost, size_t n);

/* Rewrites a run with rows of one place summed; false: see above. */
bool cg_run_merge(struct cg_graph *, struct cg_run *);

/* ---- view.c, scan.c: cursors -------------------------------------------- */

/*
 * The calls and stated inclusive costs of one run as they came: neither sorted
 * nor merged, without places, and without costs if these are not wanted. What
 * is stated has no callee and no count.
 */
void cg_calls_begin(struct cg_rows *, const struct cg_run *, bool costs);
bool cg_calls_next(struct cg_rows *, struct cg_call *, bool *stated);
/*
 * Adds its costs of so many events, from event on, to sum, which has a column
 * for each of these; false on overflow.
 */
bool cg_rows_sum_costs(struct cg_rows *, const struct cg_run *, uint64_t *sum,
    size_t event, size_t events);
/* The run of a function in a part, or NULL. */
const struct cg_run *cg_run_find(const struct cg_graph *, cg_part, cg_fn);
/* Adds b[0..n) to a, of *an values; false on overflow. */
bool cg_add_costs(const struct cg_graph *, uint64_t *a, size_t *an,
    const uint64_t *b, size_t n);
/* The same where some events are signed and a has n values. */
bool cg_add_signed(const struct cg_graph *, uint64_t *a, const uint64_t *b,
    size_t n);

/* Adds a value of an event to *sum; false on overflow. */
static inline bool
cg_add_value(const struct cg_graph *graph, size_t event, uint64_t *sum,
    uint64_t value)
{
	int64_t total;

	if (!graph->any_signed || !graph->event[event].is_signed)
		return !__builtin_add_overflow(*sum, value, sum);
	if (__builtin_add_overflow((int64_t)*sum, (int64_t)value, &total))
		return false;
	*sum = (uint64_t)total;
	return true;
}

/* Adds b[0..n) to a[0..n); false on overflow. */
static inline bool
cg_add_values(const struct cg_graph *graph, uint64_t *a, const uint64_t *b,
    size_t n)
{
	if (graph->any_signed)
		return cg_add_signed(graph, a, b, n);
	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(a[i], b[i], &a[i]))
			return false;
	}
	return true;
}

/* Says once that a sum does not fit. */
void cg_graph_overflow(const struct cg_graph *, const char *what);
void cg_graph_nomem(const struct cg_graph *);

/* ---- homes.c ------------------------------------------------------------ */

/*
 * A function of no file whose frames all stand in one is that file's, unless
 * there is one of that name already. False: out of memory.
 */
bool cg_place_functions(struct cg_graph *);

/* ---- build.c ------------------------------------------------------------ */

enum cg_parts_mode {
	CG_PARTS_KEEP, /* as the input says */
	CG_PARTS_SUM   /* all into one */
};

/* What samples become parts by. */
enum cg_part_by_what {
	CG_BY_NOTHING, CG_BY_PID, CG_BY_TID, CG_BY_COMM, CG_BY_LABEL
};
struct cg_part_by {
	const char *text;         /* as given */
	enum cg_part_by_what what;
	struct cg_slice label;
};

struct cg_last_sample {
	bool known, labelled;
	uint64_t pid, tid;
	cg_str comm, label;
};

struct cg_build {
	struct cg_graph *graph;
	struct cg_in *in;         /* for the place of messages, or NULL */
	enum cg_parts_mode mode;
	cg_part part;             /* of rows from here on */
	cg_part base;             /* the same, but for what samples say */
	cg_labels labels;         /* of stacks from here on */
	bool begun;               /* an input has come */
	struct cg_run *run;       /* of the last row */
	const struct cg_rules *rules; /* NULL: none */
	cg_facts unwanted;        /* their rows are told of, not kept */
	bool linkage;             /* names of functions are not demangled */
	/*
	 * Of a function nothing but sums will be asked for: its costs are
	 * summed as they come, and packed when those of another do.
	 */
	bool sums_only, summed;
	uint64_t *sum;            /* of run's costs, if summed */
	size_t sums;
	struct cg_map demangled;  /* names by their linkage names */
	struct cg_map out;        /* files that they leave out */
	uint64_t *mark;           /* the part's sums when it was begun */
	size_t marks;
	struct cg_map homes;      /* where functions are defined */
	char *text;               /* a name that is made up */
	size_t text_cap;
	const struct cg_part_by *by; /* NULL: nothing */
	struct cg_last_sample last;
	struct cg_strs sample_keys;
	struct cg_map sample_parts; /* number of a key -> part + 1 */
	bool found;               /* a sample has what parts are made by */
	bool joined;              /* threads have come together in a part */
	struct cg_label *kept;    /* of a sample: what its part does not tell */
	size_t kept_cap;
	size_t inputs;            /* that have come */
	struct cg_sign *sign;     /* by event; see signs.c */
	size_t signs;
	size_t scanned;           /* its bits were, before that input */
	struct cg_shards *shards; /* NULL: no input is a part of a batch */
	int status;
	char failure[512];        /* not reported yet; "" if there is none */
};

/* parts.c, for samples.c: a part more; a description more. */
bool cg_part_new(struct cg_build *);
void cg_part_desc_add(struct cg_build *, cg_part, struct cg_desc);
/* Has the part (CG_ALL_PARTS: any of them) that description? */
bool cg_part_says(const struct cg_graph *, cg_part, const char *key,
    const char *value);
/* The same of the current part, whatever the key means. */
void cg_add_desc_plain(struct cg_build *, struct cg_slice key,
    struct cg_slice value);
/* samples.c: what --part-by says; false if that makes no sense. */
bool cg_part_by_parse(struct cg_part_by *, const char *text);
/* All samples have come: says what of them is not kept; CG_ELOSS if strict. */
int cg_samples_end(struct cg_build *, bool strict, bool verbose);

void cg_build_init(struct cg_build *, struct cg_graph *,
    enum cg_parts_mode);
/* The function that cg_add_fn_symbol() would give, 0: it would be new. */
cg_fn cg_build_find_fn(const struct cg_build *, cg_name, cg_file, cg_object,
    cg_name symbol);
void cg_build_free(struct cg_build *);
/* The next input begins: where parts are kept, it begins a part. */
void cg_build_next(struct cg_build *, struct cg_in *);

/* The build fails as the input is wrong; the message is its place's. */
void cg_build_fail(struct cg_build *, const char *fmt, ...) CG_PRINTF(2, 3);
/* Out of memory, unless merging rows has failed and said something else. */
void cg_build_nomem(struct cg_build *);
/* Do the rules leave rows of that file out? */
static inline bool
cg_build_omits(const struct cg_build *build, cg_file file)
{
	return build->out.slots > 0 && cg_map_get(&build->out, file) != 0;
}

/* Gives it another file; false: there is such a function already. */
bool cg_fn_set_file(struct cg_graph *, cg_fn, cg_file);

bool cg_build_refuse(struct cg_build *, uint32_t id, const char *what);
/* Fails for an id that no add gave out: the reader's own mistake. */
static inline bool
cg_build_check(struct cg_build *build, uint32_t id, size_t count,
    const char *what)
{
	return (id < count && build->status == CG_OK) ||
	       cg_build_refuse(build, id, what);
}
/*
 * add.c: adds to the part's sums, which so bound every sum of some of its
 * costs. False: the build has failed.
 */
bool cg_build_total(struct cg_build *, const uint64_t *cost, size_t n);
/*
 * Rows of a function follow, of one file and n columns at most: their run
 * becomes build->run. What they are to be added to; NULL: the build has failed.
 */
uint64_t *cg_build_begin_lines(struct cg_build *, cg_fn, cg_file, size_t n);
/* The rows of a run have come, or of an input. False: the build has failed. */
bool cg_build_end_run(struct cg_build *);

/* ---- signs.c ------------------------------------------------------------ */

struct cg_sign {
	size_t input;             /* the last that has the event */
	bool is_plain;            /* there it is not signed */
	uint64_t bits;            /* of all its costs */
};
/* An input has the event; fails if its costs and those before do not fit. */
void cg_sign_event(struct cg_build *, size_t i, bool is_signed);
/* The input has a cost of it that is below 0, or would be: fails for that. */
void cg_sign_check(struct cg_build *, size_t i);

/* ---- shards.c ----------------------------------------------------------- */

/* A share of a batch: number of count, of the list with that hash. */
struct cg_shard {
	uint32_t number, count; /* count 0: none */
	uint64_t list;
};
#define CG_SHARD_KEY "Shard"
/* A description says that the input is a share; false: that is another word. */
bool cg_shard_note(struct cg_build *, struct cg_slice value);
/*
 * All inputs have come. Where they are all shares of a batch nothing more is
 * said of that; some are an error unless partial, then the sum is described so.
 * own: what is built is a share itself. The status.
 */
int cg_shards_end(struct cg_build *, const struct cg_shard *own, bool partial);
void cg_shards_free(struct cg_build *);

/* ---- clamp.c ------------------------------------------------------------ */

/*
 * Makes costs below zero zero, and events unsigned; reports how much was lost,
 * and its failures.
 */
int cg_graph_clamp(struct cg_graph *);
/*
 * For rows.c: the costs of a row without those below zero, till the next
 * call; total (NULL: none) goes up by what is lost.
 */
const uint64_t *cg_clamp_values(struct cg_graph *, const uint64_t *cost,
    size_t n, uint64_t *total);

/* ---- events.c ----------------------------------------------------------- */

/*
 * Works out all formulas and rewrites their text in one way ("Ir + 10 L1m");
 * those that name an unknown event, or themselves, are warned about and left
 * out.
 */
int cg_formulas_resolve(struct cg_graph *);
void cg_formulas_free(struct cg_graph *);

/* ---- labels.c ----------------------------------------------------------- */

/*
 * Orders sets canonically, by ranks of strings, and forgets those that no stack
 * has; false: out of memory.
 */
bool cg_labels_seal(struct cg_graph *, const uint32_t *rank);
void cg_labels_clear(struct cg_graph *);
/* A note that labels are lost, with their keys. */
void cg_labels_tell_loss(const struct cg_graph *);

/* ---- stacks.c, stack_order.c, fold.c, cycles.c, propagate.c -------------- */

/* Orders nodes and stacks canonically; false: out of memory. */
bool cg_stacks_seal(struct cg_graph *);
/* Nodes, which know of no stacks, find them again, should more be added. */
bool cg_stacks_index(struct cg_graph *);
/* Forgets the table of nodes, which know of no latest children. */
void cg_stacks_drop_slots(struct cg_graph *);
/* Forgets labels: stacks of a sealed graph that differ in no more are one. */
int cg_stacks_unlabel(struct cg_build *);
/* Forgets all of them. */
void cg_stacks_clear(struct cg_graph *);

/*
 * Turns stacks into costs, calls and inclusive costs, exactly; the stacks are
 * gone then, and the graph is to be sealed again. Where a function stands on
 * a stack more than once, its second level becomes a function "f'2", and so
 * on up to levels, the last of which takes in all deeper ones. 1: none does.
 */
int cg_fold_stacks(struct cg_build *, uint64_t levels);

/*
 * guess.c: adds stacks that calls make likely; their costs are those of the
 * rows, which stay. The graph is to be sealed again. Reports its failures.
 */
int cg_guess_stacks(struct cg_build *);

/*
 * Strongly connected components of a graph in compressed rows: the targets
 * of i are target[first[i]] .. target[first[i + 1]). component[i] gets the
 * number of i's component, in reverse topological order: a component calls
 * only lower ones. Returns their count, or UINT32_MAX if out of memory.
 */
uint32_t cg_components(uint32_t count, const uint32_t *first,
    const uint32_t *target, uint32_t *component);

/* Splits inclusive cost by call counts for the events that ask for it. */
int cg_propagate(struct cg_graph *);

/*
 * Shares total among n weights (their sum is sum > 0) in whole numbers that
 * add up to total: largest remainders first, ties to the first. room holds n
 * values.
 */
struct cg_share {
	uint64_t weight, share, rest;
	uint32_t index;
};
void cg_share_out(uint64_t total, uint64_t sum, struct cg_share *, size_t n);

#endif
