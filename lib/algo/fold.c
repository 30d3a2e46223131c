/*
 * fold.c - converts call stacks to self costs, calls and inclusive costs.
 *
 * A function or a call that occurs twice on one stack counts once, so that the
 * inclusive cost of a recursive function is right. A call gets the call site
 * of its outermost occurrence.
 *
 * Programs that read the output sum calls themselves, and with mutual
 * recursion they cannot know which costs count twice. So the second and deeper
 * levels of a function may become functions of their own, as with Callgrind's
 * --separate-recs: then no stack has two calls of the first level. If a
 * function begins some stacks and is called on others, or if the reader added
 * calls by the unknown caller, all functions that begin stacks get calls by the
 * unknown caller, so that the calls of a function add up to its inclusive cost,
 * as KCachegrind expects.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/algo.h"
#include "algo/row_sums.h"

/*
 * Number of rows that are summed before they are added to the graph: they fit
 * into a cache.
 */
#define ROWS ((size_t)1 << 16)
/*
 * Summing must pay: if the table filled after fewer than FEW rows for each sum,
 * the next AT_ONCE times as many rows bypass it.
 */
#define FEW 3
#define AT_ONCE 16

/* A frame on the path from the root to the current leaf. */
struct open {
	cg_node node;
	cg_fn fn;                  /* function of its recursion level */
	bool first_fn, first_call; /* outermost on the path */
	bool called;               /* by another function */
	uint64_t samples;
};

#define NO_CALLER UINT32_MAX /* caller of the frame at the root */

/* A function that represents a recursion level of another. */
struct level {
	cg_fn fn, of_level;
};

/* State of a function on the path. */
struct state {
	uint32_t open;      /* frames of the function, of any level */
	uint32_t taken;     /* frames of this level */
	uint32_t called;    /* ... that another function calls */
	cg_fn caller;       /* of the outermost of these frames */
	cg_part noted;      /* the last part whose calls were noted, + 1 */
	uint32_t inclusive; /* index in inclusive_fn, + 1; 0: none */
};

struct cg_fold {
	struct cg_build *build;
	struct cg_graph *graph; /* of the builder */
	uint64_t levels;
	bool failed;
	cg_part part;

	struct open *path;
	size_t depth, cap;
	uint64_t *sum;     /* by depth: costs of the closed frames */
	size_t sums;       /* allocated depth of sum */
	size_t events;     /* number of columns of sum */
	cg_node *ancestor; /* nodes from a stack's leaf up to the path */
	size_t ancestor_cap;
	struct state *state; /* by function */
	size_t states;
	struct cg_map calls; /* open calls except the first of a callee */
	struct level *level;
	size_t level_count, level_cap;
	struct cg_map level_ids; /* level << 32 | fn -> index in level, + 1 */
	/*
	 * Inclusive costs of the part, by index: the function, and a row of
	 * costs and repeats (cg_run_add_inclusive()).
	 */
	cg_fn *inclusive_fn;
	uint64_t *inclusive;
	size_t inclusives, inclusive_fn_cap, inclusive_cap;
	struct cg_row_sums rows; /* rows that are not in the graph yet */
	size_t most;             /* maximum number of rows, besides the queue */
	size_t added;            /* number of rows summed in them */
	size_t at_once;          /* number of rows that still bypass the sums */
	struct cg_map called;    /* part << 32 | fn -> 1 if it has calls */
	bool *sampled;           /* by part: calls are counted in samples */
	size_t sampled_cap;
	struct cg_row_sums roots; /* calls by the unknown caller */
};

static uint64_t *
sum_at(const struct cg_fold *fold, size_t depth)
{
	return fold->sum + depth * (fold->graph->events + 1);
}

static struct cg_step
step_of(const struct cg_fold *fold, cg_node node)
{
	const struct cg_graph *graph = fold->graph;

	if (graph->grouped)
		return graph->grouped[node];
	return (struct cg_step){ graph->node[node].parent,
		graph->node[node].frame };
}

static cg_fn
fn_of(const struct cg_fold *fold, cg_node node)
{
	return fold->graph->frame[step_of(fold, node).frame].fn;
}

/* ---- Levels of recursion ------------------------------------------------- */

static bool
grow_states(struct cg_fold *fold)
{
	return cg_grow(&fold->state, &fold->states, fold->graph->fns,
	    sizeof(*fold->state));
}

/*
 * Adds the function that stands for a deeper level of recursion of fn: the
 * same file, object (executable or library) and symbol, and the name with the
 * level, such as "f'2". Returns it; 0: an error.
 */
static cg_fn
add_fn_of_level(struct cg_fold *fold, cg_fn fn, uint64_t level)
{
	struct cg_build *build = fold->build;
	struct cg_slice name = cg_fn_name(build->graph, fn);
	char *text = malloc(name.len + CG_NUMBER_MAX + 1), *end;
	struct cg_fn_entry like = build->graph->fn[fn];
	cg_name full;
	cg_fn of_level;

	if (!text)
		return 0;
	if (name.len > 0)
		memcpy(text, name.ptr, name.len);
	text[name.len] = '\'';
	end = cg_format_u64(text + name.len + 1, level);
	full =
	    cg_add_name(build, (struct cg_slice){ text, (size_t)(end - text) });
	free(text);
	of_level =
	    cg_add_fn_symbol(build, full, like.file, like.object, like.symbol);
	return build->status == CG_OK ? of_level : 0;
}

static bool
add_level(struct cg_fold *fold, cg_fn fn, uint64_t number)
{
	cg_fn of_level;

	if (!cg_grow_raw(&fold->level, &fold->level_cap, fold->level_count + 1,
		sizeof(*fold->level)))
		return false;
	of_level = add_fn_of_level(fold, fn, number);
	fold->level[fold->level_count++] = (struct level){ fn, of_level };
	return of_level != 0 && grow_states(fold);
}

/*
 * Copies source file and line range of each function to the functions of its
 * deeper levels of recursion ("f'2"). A reader may have set them after the
 * levels were added.
 */
static void
complete_levels(struct cg_fold *fold)
{
	for (size_t i = 0; i < fold->level_count; i++) {
		const struct level *level = &fold->level[i];
		const struct cg_fn_entry *fn = fold->graph->fn;
		cg_file file = fn[level->fn].file;

		if (file != fn[level->of_level].file)
			(void)cg_set_fn_file(
			    fold->graph, level->of_level, file);
		cg_set_fn_range(
		    fold->build, level->of_level, &fn[level->fn].range);
	}
}

struct cg_slice
cg_fn_base_name(const struct cg_graph *graph, cg_fn fn)
{
	struct cg_slice name = cg_fn_name(graph, fn);
	size_t len = name.len;

	while (len > 0 && name.ptr[len - 1] >= '0' && name.ptr[len - 1] <= '9')
		len--;
	if (len > 1 && len < name.len && name.ptr[len - 1] == '\'')
		name.len = len - 1;
	return name;
}

/*
 * Returns the function for the count-th frame of fn on the stack. With
 * --separate-recs it is "f'2" and so on from the second on, up to the greatest
 * level. 0: fn is 0, or an error (fold->failed).
 */
static cg_fn
fn_of_level(struct cg_fold *fold, cg_fn fn, uint64_t count)
{
	uint64_t level = count < fold->levels ? count : fold->levels;
	uint32_t *at;

	if (level < 2 || fn == 0)
		return fn;
	at = cg_map_at(&fold->level_ids, level << 32 | fn);
	if (!at) {
		fold->failed = true;
		return 0;
	}
	if (*at == 0) {
		if (!add_level(fold, fn, level)) {
			fold->failed = true;
			return 0;
		}
		*at = (uint32_t)fold->level_count;
	}
	return fold->level[*at - 1].of_level;
}

/* ---- The path ------------------------------------------------------------ */

static uint64_t
call_key(cg_fn caller, cg_fn callee)
{
	return (uint64_t)caller << 32 | callee;
}

/*
 * True if no outer frame on the stack has the same call, which is then marked
 * as open. The callee's frame must be counted already. Out of memory: sets
 * fold->failed and returns false.
 */
static bool
is_first_call(struct cg_fold *fold, cg_fn caller, cg_fn callee)
{
	struct state *state = &fold->state[callee];
	uint32_t *open;

	if (state->taken == 1) {
		state->caller = caller;
		return true;
	}
	if (state->caller == caller)
		return false;
	open = cg_map_at(&fold->calls, call_key(caller, callee));
	if (!open) {
		fold->failed = true;
		return false;
	}
	if (*open != 0)
		return false;
	*open = 1;
	return true;
}

static bool
open_frame(struct cg_fold *fold, cg_node node)
{
	const struct cg_graph *graph = fold->graph;
	cg_fn fn = fn_of(fold, node), of_level;
	size_t depth = fold->depth;
	struct open *frame;

	of_level = fn_of_level(fold, fn, ++fold->state[fn].open);
	if (!cg_grow_raw(
		&fold->path, &fold->cap, depth + 1, sizeof(*fold->path)) ||
	    !cg_grow_raw(&fold->sum, &fold->sums, depth + 1,
		(graph->events + 1) * sizeof(*fold->sum))) {
		fold->failed = true;
		return false;
	}
	memset(sum_at(fold, depth), 0, graph->events * sizeof(*fold->sum));
	frame = &fold->path[depth];
	*frame = (struct open){ .node = node, .fn = of_level };
	frame->first_fn = ++fold->state[of_level].taken == 1;
	frame->called = depth > 0 && frame[-1].fn != of_level;
	fold->state[of_level].called += frame->called;
	frame->first_call =
	    is_first_call(fold, depth ? frame[-1].fn : NO_CALLER, of_level) &&
	    depth > 0;
	fold->depth++;
	return !fold->failed;
}

static uint64_t
part_fn(cg_part part, cg_fn fn)
{
	return (uint64_t)part << 32 | fn;
}

/*
 * Records for later that the callee is called in this part (thread or
 * process). A count that is not 0 shows that the part's calls are counted in
 * samples. False: out of memory.
 */
static bool
note_call(struct cg_fold *fold, const struct cg_row_key *key, uint64_t count)
{
	struct state *state = &fold->state[key->callee];
	uint32_t *called;

	fold->sampled[key->part] |= count > 0;
	if (state->noted == key->part + 1)
		return true;
	called = cg_map_at(&fold->called, part_fn(key->part, key->callee));
	if (!called)
		return false;
	*called = 1;
	state->noted = key->part + 1;
	return true;
}

/*
 * Adds the rows summed so far to the graph, and empties the table of sums. If
 * summing has merged few rows, the next rows bypass the table (fold->at_once).
 * False: an error.
 */
static bool
put_rows(struct cg_fold *fold)
{
	bool ok = cg_row_sums_settle(&fold->rows, fold->graph);

	for (size_t i = 0; ok && i < fold->rows.count; i++) {
		const struct cg_row_sum *row = cg_row_sums_at(&fold->rows, i);

		ok = row->key.callee == CG_NO_CALLEE ||
		     note_call(fold, &row->key, row->count);
	}
	ok = ok && cg_row_sums_put(&fold->rows, fold->graph);
	cg_row_sums_restart(&fold->rows);
	fold->at_once =
	    fold->added < FEW * fold->most ? AT_ONCE * fold->most : 0;
	fold->added = 0;
	return ok;
}

static bool
put_at_once(struct cg_fold *fold, const struct cg_row_key *key, uint64_t count,
    const uint64_t *cost, size_t n)
{
	fold->at_once--;
	return (key->callee == CG_NO_CALLEE || note_call(fold, key, count)) &&
	       cg_row_put(fold->graph, key, count, cost, n);
}

static bool
add_row(struct cg_fold *fold, const struct cg_row_key *key, uint64_t count,
    const uint64_t *cost, size_t n)
{
	bool ok;

	if (fold->at_once > 0)
		ok = put_at_once(fold, key, count, cost, n);
	else
		ok = cg_row_sums_queue(
			 &fold->rows, fold->graph, key, count, cost, n) &&
		     (++fold->added,
			 fold->rows.count < fold->most || put_rows(fold));
	if (!ok)
		fold->failed = true;
	return ok;
}

static bool
put_call(struct cg_fold *fold, const struct open *frame, const uint64_t *sum)
{
	const struct cg_row_key key = { .part = fold->part,
		.fn = frame[-1].fn,
		.frame = step_of(fold, frame[-1].node).frame,
		.callee = frame->fn };

	return add_row(fold, &key, frame->samples, sum, fold->graph->events);
}

/*
 * Returns the inclusive sums of a function in the current part, to be added
 * to. They begin as 0, and the column after the events is for repeats. Valid
 * until the next call. NULL: out of memory.
 */
static uint64_t *
get_inclusive(struct cg_fold *fold, cg_fn fn)
{
	size_t width = fold->graph->events + 1, count = fold->inclusives;
	uint32_t *id = &fold->state[fn].inclusive;

	if (*id == 0) {
		if (!cg_grow_raw(&fold->inclusive_fn, &fold->inclusive_fn_cap,
			count + 1, sizeof(*fold->inclusive_fn)) ||
		    !cg_grow_raw(&fold->inclusive, &fold->inclusive_cap,
			(count + 1) * width, sizeof(*fold->inclusive)))
			return NULL;
		fold->inclusive_fn[count] = fn;
		memset(fold->inclusive + count * width, 0,
		    width * sizeof(*fold->inclusive));
		*id = (uint32_t)++fold->inclusives;
	}
	return fold->inclusive + (*id - 1) * width;
}

/*
 * Adds the cost of a closed frame to its function's inclusive cost, unless an
 * outer frame counts it. Samples of a call within another call are added as
 * repeats: both calls count them. A frame without costs adds nothing. Uncounts
 * a called frame in state->called. False: an error.
 */
static bool
add_inclusive(
    struct cg_fold *fold, const struct open *frame, const uint64_t *sum)
{
	struct state *state = &fold->state[frame->fn];
	size_t events = fold->graph->events, n = cg_cut_zeros(sum, events);
	/* True if an outer frame that is called has counted the samples. */
	bool repeats =
	    frame->called && --state->called > 0 && frame->first_call;
	uint64_t *to;

	if (n == 0 || !(frame->first_fn || repeats))
		return true;
	to = get_inclusive(fold, frame->fn);
	if (!to) {
		fold->failed = true;
		return false;
	}
	if ((!frame->first_fn || cg_add_values(fold->graph, to, sum, n)) &&
	    (!repeats || !__builtin_add_overflow(
			     to[events], frame->samples, &to[events])))
		return true;
	cg_graph_overflow(fold->graph, "costs or samples of a function");
	return false;
}

/*
 * Adds the inclusive costs of all functions of the current part (thread or
 * process) as rows to the graph, and forgets them; called at the end of each
 * part. False: an error.
 */
static bool
put_inclusives(struct cg_fold *fold)
{
	size_t events = fold->graph->events;
	bool ok = true;

	for (size_t i = 0; i < fold->inclusives; i++) {
		const uint64_t *row = fold->inclusive + i * (events + 1);
		const struct cg_row_key key = { .part = fold->part,
			.fn = fold->inclusive_fn[i],
			.frame = CG_NO_FRAME,
			.callee = CG_NO_CALLEE };

		fold->state[key.fn].inclusive = 0;
		ok = ok && add_row(fold, &key, row[events], row, events);
	}
	fold->inclusives = 0;
	return ok;
}

static bool
put_root(struct cg_fold *fold, const struct open *frame, const uint64_t *sum)
{
	const struct cg_row_key key = { .part = fold->part,
		.callee = frame->fn };

	if (cg_row_sums_add(&fold->roots, fold->graph, &key, frame->samples,
		sum, fold->graph->events))
		return true;
	fold->failed = true;
	return false;
}

/*
 * Adds samples and costs to the innermost open frame, whose sums are complete
 * when it is closed. False: overflow (reported), possible only for signed
 * costs and samples.
 */
static bool
add_to_top(
    struct cg_fold *fold, uint64_t samples, const uint64_t *cost, size_t n)
{
	struct open *top = &fold->path[fold->depth - 1];

	if (cg_add_values(
		fold->graph, sum_at(fold, fold->depth - 1), cost, n) &&
	    !__builtin_add_overflow(top->samples, samples, &top->samples))
		return true;
	cg_graph_overflow(fold->graph, "costs or samples below a function");
	return false;
}

/*
 * Closes the innermost open frame, whose sums are complete. Adds them to its
 * function, its call and its caller's frame. For an outermost frame, adds them
 * to the calls by the unknown caller. A call that an outer frame also has is
 * left to that one. False: an error.
 */
static bool
close_frame(struct cg_fold *fold)
{
	struct cg_graph *graph = fold->graph;
	struct open *frame = &fold->path[--fold->depth];
	struct state *state = &fold->state[frame->fn];
	const uint64_t *sum = sum_at(fold, fold->depth);
	bool ok = add_inclusive(fold, frame, sum);

	fold->state[fn_of(fold, frame->node)].open--;
	state->taken--;
	if (frame->first_call && state->taken > 0)
		*cg_map_at(&fold->calls, call_key(frame[-1].fn, frame->fn)) = 0;
	if (ok && frame->first_call)
		ok = put_call(fold, frame, sum);
	if (!ok)
		return false;
	return fold->depth == 0
		   ? put_root(fold, frame, sum)
		   : add_to_top(fold, frame->samples, sum, graph->events);
}

static cg_node
node_at(const struct cg_fold *fold, size_t depth)
{
	return depth > 0 ? fold->path[depth - 1].node : 0;
}

/*
 * Closes and opens frames until the stack that ends in leaf is open; 0: none.
 * Frames shared with the last stack stay open. Nodes have larger ids than
 * their callers, so comparing ids finds these frames. False: an error.
 */
static bool
go_to(struct cg_fold *fold, cg_node leaf)
{
	size_t steps = 0, depth = fold->depth;
	bool ok = true;

	while (leaf != node_at(fold, depth)) {
		if (leaf < node_at(fold, depth)) {
			depth--;
			continue;
		}
		if (!cg_grow_raw(&fold->ancestor, &fold->ancestor_cap,
			steps + 1, sizeof(*fold->ancestor))) {
			fold->failed = true;
			return false;
		}
		fold->ancestor[steps++] = leaf;
		leaf = step_of(fold, leaf).parent;
	}
	while (ok && fold->depth > depth)
		ok = close_frame(fold);
	while (ok && steps > 0)
		ok = open_frame(fold, fold->ancestor[--steps]);
	return ok;
}

/* ---- All stacks ---------------------------------------------------------- */

/*
 * Adds the self costs of a stack as a row of the function of its leaf, at the
 * leaf's position. A row without costs would mean code that never ran, so none
 * is added. False: out of memory.
 */
static bool
put_self(struct cg_fold *fold, struct cg_stack_entry *stack)
{
	const struct cg_row_key key = { .part = fold->part,
		.fn = fold->depth ? fold->path[fold->depth - 1].fn : 0,
		.frame = step_of(fold, stack->leaf).frame,
		.callee = CG_NO_CALLEE };

	return stack->n == 0 ||
	       add_row(fold, &key, 0, cg_stack_cost(stack), stack->n);
}

static bool
fold_stack(struct cg_fold *fold, struct cg_stack_entry *stack)
{
	return go_to(fold, stack->leaf) && put_self(fold, stack) &&
	       (fold->depth == 0 || add_to_top(fold, stack->samples,
					cg_stack_cost(stack), stack->n));
}

static bool
fold_part(struct cg_fold *fold, cg_part part)
{
	const struct cg_graph *graph = fold->graph;
	size_t end = graph->part_stacks[part + 1];
	bool ok = true;

	fold->part = part;
	for (size_t i = graph->part_stacks[part]; ok && i < end; i++)
		ok = fold_stack(fold, &graph->stack[i]);
	return ok && go_to(fold, 0) && put_inclusives(fold);
}

/*
 * Converts the stacks that the graph has now to self costs, calls and
 * inclusive costs, part by part; the caller removes the stacks. May be called
 * again after more stacks were added. False: an error.
 */
static bool
fold_stacks(struct cg_fold *fold)
{
	const struct cg_graph *graph = fold->graph;
	bool ok =
	    grow_states(fold) && cg_grow(&fold->sampled, &fold->sampled_cap,
				     graph->parts, sizeof(*fold->sampled));

	if (graph->events != fold->events) {
		free(fold->sum);
		fold->sum = NULL;
		fold->sums = 0;
		fold->events = graph->events;
	}
	for (cg_part part = 0; ok && part < graph->parts; part++)
		ok = fold_part(fold, part);
	return ok && !fold->failed;
}

/*
 * Adds the description "calls are counted in samples" to each part (thread or
 * process) whose counts of calls are numbers of samples. Changes the current
 * part, so call it after the last sample.
 */
static void
tell_sampled(struct cg_fold *fold)
{
	for (cg_part part = 0; part < fold->graph->parts; part++) {
		if (!fold->sampled[part])
			continue;
		cg_set_part(fold->build, part);
		cg_set_calls_sampled(fold->build);
	}
}

/*
 * Adds calls by the unknown caller to each function that begins stacks. Calls
 * with costs are also added to the function's repeats, so that its number of
 * calls does not change. False: an error.
 */
static bool
put_roots(struct cg_fold *fold, struct cg_graph *graph)
{
	bool ok = true;

	for (size_t i = 0; ok && i < fold->roots.count; i++) {
		const struct cg_row_sum *root = cg_row_sums_at(&fold->roots, i);
		const struct cg_row_key key = { .part = root->key.part,
			.fn = root->key.callee,
			.frame = CG_NO_FRAME,
			.callee = CG_NO_CALLEE };

		/* Functions without costs have no row of inclusive costs. */
		if (cg_cut_zeros(root->cost, fold->roots.width) > 0)
			ok = cg_row_put(graph, &key, root->count, NULL, 0);
	}
	return ok && cg_row_sums_put(&fold->roots, graph);
}

/*
 * True if a function begins some stacks of a part (thread or process), and is
 * called on others. The cost of calls to it then lacks that of the stacks that
 * it begins.
 */
static bool
calls_root(const struct cg_fold *fold)
{
	for (size_t i = 0; i < fold->roots.count; i++) {
		const struct cg_row_key *root =
		    &cg_row_sums_at(&fold->roots, i)->key;

		if (cg_map_get(
			&fold->called, part_fn(root->part, root->callee)))
			return true;
	}
	return false;
}

/*
 * Adds calls by the unknown caller to all functions that begin stacks. Adds
 * none unless one of these is also called, or a reader has added such calls. A
 * reader's calls have counts, so only costs are added then. False: out of
 * memory, or a sum overflows.
 */
static bool
complete_roots(struct cg_fold *fold, struct cg_graph *graph)
{
	const bool counted = fold->build->unknown_calls;

	if (!counted && !calls_root(fold))
		return true;
	for (size_t i = 0; counted && i < fold->roots.count; i++)
		cg_row_sums_at(&fold->roots, i)->count = 0;
	return put_roots(fold, graph);
}

struct cg_fold *
cg_fold_new(struct cg_build *build, uint64_t levels, size_t rows)
{
	struct cg_fold *fold = calloc(1, sizeof(*fold));

	if (!fold)
		return NULL;
	fold->build = build;
	fold->graph = build->graph;
	fold->most = rows < ROWS ? rows : ROWS;
	/* Map keys have 32 bits for the level; no path is that deep. */
	fold->levels = levels < UINT32_MAX ? levels : UINT32_MAX;
	return fold;
}

void
cg_fold_free(struct cg_fold *fold)
{
	if (!fold)
		return;
	free(fold->path);
	free(fold->sum);
	free(fold->ancestor);
	free(fold->state);
	cg_map_free(&fold->calls);
	free(fold->level);
	cg_map_free(&fold->level_ids);
	cg_map_free(&fold->called);
	free(fold->sampled);
	free(fold->inclusive_fn);
	free(fold->inclusive);
	cg_row_sums_free(&fold->rows);
	cg_row_sums_free(&fold->roots);
	free(fold);
}

bool
cg_fold_some(struct cg_fold *fold)
{
	bool ok = cg_stacks_group(fold->graph) && fold_stacks(fold);

	if (ok)
		cg_stacks_restart(fold->graph);
	else /* no node may be added any more */
		cg_build_nomem(fold->build);
	return ok;
}

int
cg_fold_end(struct cg_fold *fold)
{
	struct cg_graph *graph = fold->build->graph;
	bool ok =
	    fold_stacks(fold) && put_rows(fold) && complete_roots(fold, graph);

	if (ok) {
		complete_levels(fold);
		tell_sampled(fold);
	} else {
		cg_build_nomem(fold->build);
	}
	if (ok && fold->build->status == CG_OK) {
		cg_stacks_clear(graph);
		graph->facts &= ~CG_STACKS;
		graph->facts |= CG_INCL;
		return CG_OK;
	}
	return *graph->fault != CG_OK ? *graph->fault : fold->build->status;
}

int
cg_fold_stacks(struct cg_build *build, uint64_t levels)
{
	struct cg_fold *fold = cg_fold_new(build, levels, SIZE_MAX);
	int status;

	if (!fold) {
		cg_build_nomem(build);
		return build->status;
	}
	status = cg_fold_end(fold);
	cg_fold_free(fold);
	return status;
}
