/*
 * graph.h - the cost graph.
 *
 * Dimensions (strings, objects, files, functions, events, parts, stack nodes,
 * labels) are tables by id; id 0 means unknown and always exists. Facts are
 * rows (store.h) and stacks. A builder (build.h) fills a graph, then
 * cg_graph_seal() gives everything its canonical order, and cursors read it.
 *
 *	values.c       checked sums of costs
 *	facts.c        which facts a graph has, apart from rows
 *	formulas.c     inherited events
 *	rows/          rows: see store.h
 *	stacks/        nodes and stacks, their labels and their order; timelines
 *	order.c        canonical order of files, functions and their rows
 *	clamp.c        sets negative costs to zero
 *	graph.c        makes, seals, frees a graph; what readers ask for
 */
#ifndef CG_GRAPH_H
#define CG_GRAPH_H

#include "graph/rows/store.h"
#include "io/io.h"

/* ---- Dimensions --------------------------------------------------------- */

struct cg_fn_entry {
	cg_str name, symbol;      /* symbol 0: same as name */
	cg_file file;
	cg_object object;
	uint32_t runs;            /* first run, or CG_NO_RUN */
	uint32_t frame;           /* its frame looked up last, or 0 */
	struct cg_range range;
	bool is_root;             /* see cg_fn_is_root() */
};

/* Paths of objects or files: id -> string, string -> id. */
struct cg_paths {
	cg_str *path;
	size_t count, cap;        /* with id 0 */
	struct cg_map ids;
	struct cg_map given;      /* file -> its path as the input spells it */
};

struct cg_desc {
	cg_str key, value;
};

struct cg_part_entry {
	struct cg_part_info info;
	cg_str cmd;
	bool filled;              /* cg_add_part() has set info */
	bool merged;              /* it has several inputs or parts of one */
	/* Inputs merged into the part differ in: */
	bool pid_differs, tid_differs, part_differs, cmd_differs;
	/*
	 * cg_add_part() has stated them: samples without their own inherit
	 * them.
	 */
	bool pid_stated, tid_stated, cmd_stated;
	bool unconfirmed;         /* no sample of the last input has named it */
	bool nameless;            /* an earlier input had costs, but no names */
	bool sampled;             /* made for samples by --part-by */
	bool described;           /* sampled: its descriptions were added */
	bool guessed;             /* its last description is CG_GUESSED_KEY */
	cg_part base;             /* sampled: the input's own part */
	struct cg_desc *desc;
	size_t descs, desc_cap;
	struct cg_desc label;     /* common label of all its samples */
	struct cg_map desc_ids;   /* index of desc, if there are many */
	uint64_t *total;          /* sums of self costs by column */
	size_t totals;
	cg_file *file;            /* in the order of the source's list */
	size_t files, file_cap;
	size_t listed;            /* length of the last input's list */
	bool list_ended;          /* a second input was merged into the part */
	bool lists_differ;
};

/*
 * True if inputs list different files, or the last input lists fewer files
 * than earlier ones.
 */
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

/* ---- Stacks ------------------------------------------------------------- */

/* The data of equal frames of all stacks; frame 0 is that of node 0. */
struct cg_frame_entry {
	cg_fn fn;
	bool inlined;
	struct cg_pos pos;
};

/* The maximum of cg_node_entry.latest; that many nodes take 32 GB. */
#define CG_NODES_MAX 0x7fffffffu

/* Keep it small: there may be many times more nodes than frames. */
struct cg_node_entry {
	cg_node parent;
	uint32_t frame;
	uint32_t stack; /* index + 1 of the latest stack that ends here */
	uint32_t listed : 1;      /* is in the hash table */
	uint32_t latest : 31;     /* the child that was looked up last, or 0 */
};

/* A node of stacks while they are folded. */
struct cg_step {
	cg_node parent;
	cg_frame_id frame;
};

struct cg_stack_entry {
	cg_node leaf;
	cg_part part;
	cg_labels labels;
	uint16_t n, room;         /* columns with costs; allocated columns */
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
#define CG_LABELS_MAX 0x7fffffffu /* of a set */
struct cg_label_set {
	uint32_t first;           /* of its labels */
	uint32_t n : 31;
	uint32_t used : 1; /* used by a stack that the graph has dropped */
};

/* ---- The graph ---------------------------------------------------------- */

/* State of cg_graph_clamp(). */
struct cg_clamp {
	uint64_t *value;          /* costs of a row, none negative */
	uint64_t *lost;           /* by column: sum of the negative costs */
};

/* The frames that --root-by puts below stacks, the outermost first. */
#define CG_ROOTS_MAX 8
struct cg_roots {
	const char *key[CG_ROOTS_MAX]; /* of labels; "": the part */
	size_t count;
	bool usual; /* default of the target: uses labels only */
};

struct cg_graph {
	struct cg_diag *diag;
	int *fault;               /* set by cursors, which have a const graph */
	struct cg_strs strs;
	struct cg_paths objects, files;

	struct cg_fn_entry *fn;   /* by id */
	size_t fns, fn_cap;
	struct cg_slots fn_slots;

	struct cg_event *event;
	size_t events, event_cap;
	struct cg_formula *formula;
	size_t formulas, formula_cap;

	struct cg_part_entry *part;
	size_t parts, part_cap;

	struct cg_run *run;
	size_t runs, run_cap;
	struct cg_map run_ids;    /* part << 32 | fn -> run + 1 */
	struct cg_pool costs, others; /* blocks of the two kinds of rows */
	bool tallies;             /* some run has a tally */

	struct cg_frame_entry *frame;
	size_t frames, frame_cap; /* with frame 0 */
	struct cg_slots frame_slots;
	struct cg_node_entry *node;
	size_t nodes, node_cap;   /* with node 0 */
	struct cg_slots node_slots; /* of nodes that are listed */
	struct cg_step *grouped;  /* by cg_stacks_group(); else NULL */
	struct cg_stack_entry *stack;
	size_t stacks, stack_cap;
	struct cg_map stack_ids;  /* hash of part, leaf, labels -> stack + 1 */
	struct cg_arena stack_costs; /* of stacks with several columns */
	struct cg_label_entry *label; /* of all sets */
	size_t labels, label_cap;
	struct cg_label_set *label_set; /* by id, from 1 */
	size_t label_sets, label_set_cap;
	struct cg_map label_ids;  /* hash of a set's labels -> id */
	struct cg_track_entry *track;
	size_t tracks, track_cap;

	struct cg_excluded *excluded; /* from coverage; or NULL */
	struct cg_excluded *unchanged; /* not in the patch; or NULL */
	bool fns_by_name;         /* see cg_fn_key() */
	struct cg_clamp *clamp;   /* NULL outside of cg_graph_clamp() */
	cg_facts facts;
	bool guessed;             /* stacks repeat the costs of rows */
	bool any_signed;
	unsigned grain;

	/* Canonical order, set by cg_graph_seal(): */
	uint32_t *fn_rank, *fn_ranked;
	uint32_t *file_rank, *file_ranked;
	struct cg_run_ref *run_order; /* by part, then rank of fn */
	size_t *part_runs;        /* first entry of each part in run_order */
	size_t *part_stacks;      /* first stack of each part */
	uint64_t *padded;         /* cg_part_totals() with all events */
	size_t padded_cap;
};

static inline const struct cg_frame_entry *
cg_frame_of(const struct cg_graph *graph, cg_node node)
{
	return &graph->frame[graph->node[node].frame];
}

/* ---- graph.c ------------------------------------------------------------ */

/*
 * NULL: out of memory. *fault is set to the status of the first failure of a
 * cursor.
 */
struct cg_graph *cg_graph_new(struct cg_diag *, int *fault);
void cg_graph_free(struct cg_graph *);
/*
 * Puts everything in canonical order. Rows may still be added to existing
 * runs; after adding anything else, seal again. Returns CG_OK or CG_ELIMIT.
 */
int cg_graph_seal(struct cg_graph *);

/* ---- fail.c ------------------------------------------------------------- */

/*
 * Reports that memory is exhausted, unless a cursor has failed before (then
 * that was reported).
 */
void cg_graph_nomem(const struct cg_graph *);
/*
 * True if cursors must end: one has failed, an output has failed (reported at
 * commit), or the job is to stop (reported here).
 */
bool cg_graph_failed(const struct cg_graph *);
/* Reports that a sum exceeds 64 bits, unless a cursor has failed before. */
void cg_graph_overflow(const struct cg_graph *, const char *what);

/* ---- facts.c ------------------------------------------------------------ */

/* Sets the facts that do not depend on rows. */
void cg_graph_find_facts(struct cg_graph *);

/* ---- values.c ----------------------------------------------------------- */

/* Adds b[0..n) to a, which has *an values; false on overflow. */
bool cg_add_costs(const struct cg_graph *, uint64_t *a, size_t *an,
    const uint64_t *b, size_t n);
/* The part of cg_add_values() for graphs with signed events. */
bool cg_add_signed(const struct cg_graph *, uint64_t *a, const uint64_t *b,
    size_t n);
/*
 * Returns the costs of a row with negative ones set to zero; valid until the
 * next call. Adds the dropped costs to total, unless that is NULL.
 */
const uint64_t *cg_clamp_values(struct cg_graph *, const uint64_t *cost,
    size_t n, uint64_t *total);

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

/* The number of values without zeros at the end. */
static inline size_t
cg_cut_zeros(const uint64_t *cost, size_t n)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.*): costs of n values */
	while (n > 0 && cost[n - 1] == 0)
		n--;
	return n;
}

/* ---- clamp.c ------------------------------------------------------------ */

/*
 * Sets negative costs to zero and makes all events unsigned; warns of the
 * total that was dropped. Reports its failures.
 */
int cg_graph_clamp(struct cg_graph *);

/* ---- formulas.c --------------------------------------------------------- */

/*
 * Resolves all formulas and normalises their text ("Ir + 10 L1m"). Warns about
 * and drops those that name an unknown event or depend on themselves.
 */
int cg_formulas_resolve(struct cg_graph *);
void cg_formulas_free(struct cg_graph *);

/* ---- labels.c ----------------------------------------------------------- */

/*
 * Puts sets in canonical order and drops those that no stack has; false: out of
 * memory.
 */
bool cg_labels_seal(struct cg_graph *);
void cg_labels_clear(struct cg_graph *);
/* The number in the set's first numeric label of that key; 0: none. */
int64_t cg_labels_number(const struct cg_graph *, cg_labels, const char *key);
/*
 * Formats the first keys of a list as "pid, tid" into text, which has room for
 * most keys. ", ..." follows if there are more.
 */
#define CG_KEYS_ROOM(most) ((most) * 48 + 8)
const char *cg_list_label_keys(const struct cg_graph *, const cg_str *key,
    size_t keys, size_t most, char *text);
/*
 * True if dropping the sets loses labels: ones that have not become frames and
 * do not merely identify threads. Notes their keys, unless quiet.
 */
bool cg_labels_tell_loss(
    const struct cg_graph *, const struct cg_roots *, bool quiet);

/* ---- timeline.c --------------------------------------------------------- */

/*
 * Packs the moments again, with new node numbers if nodes were renumbered (see
 * stack_order.c). In cg_graph_clamp(), sets negative costs to zero. False: out
 * of memory.
 */
bool cg_tracks_seal(struct cg_graph *, bool renumbered);
void cg_tracks_clear(struct cg_graph *);
/*
 * Replaces the nodes of a track's moments by those that move returns. False:
 * out of memory, or move failed.
 */
typedef bool cg_move_node(void *arg, cg_node old, cg_node *new);
bool cg_track_move(
    struct cg_graph *, size_t track, cg_move_node *move, void *arg);

/* ---- order.c ------------------------------------------------------------- */

/*
 * Puts files, functions and runs in canonical order: by the strings of
 * objects, then of files, names and symbols. False: out of memory.
 */
bool cg_order_rows(struct cg_graph *);
/*
 * Ranks strings by their bytes, equal ones by index; str NULL: all strings of
 * the graph. The caller frees the result. NULL: out of memory.
 */
uint32_t *cg_rank_strings(
    const struct cg_graph *, const cg_str *str, size_t count);

/* ---- nodes.c, stacks.c, stack_order.c ------------------------------------ */

/* Puts nodes and stacks in canonical order; false: out of memory. */
bool cg_stacks_seal(struct cg_graph *);
/*
 * Puts nodes and stacks in depth-first order, siblings in order of arrival,
 * which is less work than canonical order. To save memory, the nodes are then
 * in graph->grouped only. No node or stack can be added until
 * cg_stacks_restart().
 */
bool cg_stacks_group(struct cg_graph *);
/*
 * Removes all nodes and stacks, but keeps frames. Keeps the memory of nodes
 * for reuse if there were at most CG_NODES_KEPT.
 */
#define CG_NODES_KEPT ((size_t)1 << 18)
void cg_stacks_restart(struct cg_graph *);
/* Shrinks an array to its element 0; array is the address of its pointer. */
void cg_keep_first(void *array, size_t *cap, size_t width);
/* Rebuilds the index from nodes to their stacks; false: out of memory. */
bool cg_stacks_index(struct cg_graph *);
/* Frees the hash table of nodes; cg_add_frame() makes a new one. */
void cg_stacks_drop_slots(struct cg_graph *);
/* Removes all nodes and stacks. */
void cg_stacks_clear(struct cg_graph *);

#endif
