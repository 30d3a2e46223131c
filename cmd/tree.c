/*
 * tree.c - the call tree of --info --tree. Frames of one function with the
 * same callers are one line, indented more than the caller's line. Lines below
 * a share of the costs are only counted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

#define PERCENT_DIGITS 6
#define INDENT_MAX 30 /* levels; deeper ones are numbered */

struct line {
	uint32_t frame;
	struct amount inclusive, self;
};

struct call_tree {
	const struct cg_graph *graph;
	size_t column;
	struct amount total;
	bool guessed;          /* stacks are estimated from calls */
	uint64_t share, depth; /* limits: millionths of a percent; levels */
	struct cg_merged_stacks *merged;
	const struct cg_merged_frame *frame;
	size_t frames;
	uint64_t *self, *inclusive;       /* by frame */
	CG_ARRAY(struct line) line, wait; /* to print; frames to visit */
	struct cg_job *job;
};

/*
 * Parses --tree, such as "0.5%" or "1%,10": the least share of the costs of a
 * printed line, in millionths of a percent, and the number of levels (default:
 * all). Returns a usage error, or CG_OK.
 */
static int
parse_limits(const struct args *args, struct call_tree *tree)
{
	struct cg_slice text = cg_slice(args->tree);
	bool good = cg_take_fixed(&text, PERCENT_DIGITS, &tree->share) &&
		    tree->share <= 100000000;

	(void)cg_take_char(&text, '%');
	tree->depth = UINT32_MAX;
	if (good && cg_take_char(&text, ','))
		good = cg_take_u64(&text, &tree->depth) && tree->depth > 0;
	if (good && text.len == 0)
		return CG_OK;
	return cg_usage(args->job,
	    "--tree: expected a share such as 1%%, or a share and a number of "
	    "levels such as 1%%,10, not '%s'",
	    args->tree);
}

static uint32_t
get_key(void *arg, cg_node node, const struct cg_stack *stack)
{
	(void)arg;
	(void)node;
	return stack->fn;
}

static void
release_merged(void *merged)
{
	cg_merged_stacks_free(merged);
}

/*
 * Merges frames of one function that have the same callers, and sets
 * tree->frame to the merged frames. Sets tree->self and tree->inclusive to
 * their costs in the tree's column. A caller has a lower index than its
 * callees, so a loop from the last frame to the first adds inclusive costs to
 * callers. False: out of memory.
 */
static bool
sum_frames(struct call_tree *tree)
{
	tree->merged = cg_merged_stacks_new(tree->graph, get_key, tree);
	if (tree->merged == NULL ||
	    !cg_at_end(tree->job, release_merged, tree->merged))
		return false;
	tree->frame = cg_merged_frames(tree->merged, &tree->frames);
	tree->self = cg_alloc(tree->job, tree->frames * sizeof *tree->self);
	tree->inclusive =
	    cg_alloc(tree->job, tree->frames * sizeof *tree->inclusive);
	if (tree->self == NULL || tree->inclusive == NULL ||
	    !cg_merged_costs(tree->merged, tree->column, tree->self))
		return false;
	for (size_t i = tree->frames; i-- > 0;) {
		/* The sum of all fits: see column_amount(). */
		tree->inclusive[i] += tree->self[i];
		if (i > 0)
			tree->inclusive[tree->frame[i].parent] +=
			    tree->inclusive[i];
	}
	return true;
}

static struct amount
frame_amount(const struct call_tree *tree, uint64_t cost)
{
	return cg_get_event(tree->graph, tree->column)->is_signed
		   ? amount_i64((int64_t)cost)
		   : amount_u64(cost);
}

static bool
is_listed(const struct call_tree *tree, uint32_t frame, struct amount inclusive)
{
	double share = 100e6 * (double)inclusive.size;

	return tree->frame[frame].depth <= tree->depth && inclusive.size > 0 &&
	       share >= (double)tree->share * (double)tree->total.size;
}

/*
 * Compares lines for qsort(): the largest cost last, as the last line pushed
 * is printed first; of equal costs, the lowest number of a frame last.
 */
static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->inclusive.size != y->inclusive.size)
		return x->inclusive.size < y->inclusive.size ? -1 : 1;
	return x->frame < y->frame ? 1 : -1;
}

/*
 * Pushes the callees of a frame onto tree->wait, the stack of lines to be
 * printed. Skips callees whose costs are too small to be printed. The callee
 * with the largest cost is pushed last, so it is printed first. False: out of
 * memory.
 */
static bool
add_calls(struct call_tree *tree, uint32_t frame)
{
	const uint32_t *child;
	size_t n = cg_merged_children(tree->merged, frame, &child);
	size_t begin = tree->wait.n;

	if (!cg_reserve(tree->job, &tree->wait, begin + n + 1))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct line line = { .frame = child[i],
			.inclusive =
			    frame_amount(tree, tree->inclusive[child[i]]),
			.self = frame_amount(tree, tree->self[child[i]]) };

		if (is_listed(tree, child[i], line.inclusive))
			tree->wait.at[tree->wait.n++] = line;
	}
	qsort(tree->wait.at + begin, tree->wait.n - begin,
	    sizeof *tree->wait.at, compare_lines);
	return true;
}

static bool
list_lines(struct call_tree *tree)
{
	bool ok = add_calls(tree, 0);

	while (ok && tree->wait.n > 0) {
		struct line line = tree->wait.at[--tree->wait.n];

		ok = cg_append(tree->job, &tree->line, line) &&
		     add_calls(tree, line.frame);
	}
	return ok;
}

int
list_tree(struct args *args, const struct cg_graph *graph, size_t column,
    struct call_tree **made)
{
	struct call_tree *tree = *made = cg_alloc(args->job, sizeof *tree);
	uint64_t *totals;
	int status = cg_job_derive(args->job, CG_STACKS);

	if (status == CG_OK)
		status = tree == NULL ? cg_nomem(args->job)
				      : parse_limits(args, tree);
	if (status != CG_OK)
		return status;
	if (!(cg_graph_facts(graph) & CG_STACKS))
		return cg_lacks(args->job,
		    "a tree of calls needs stacks; the input has none "
		    "(--guess-stacks estimates them)");
	if (column >= cg_event_count(graph))
		return cg_usage(args->job,
		    "--tree: --event has to name an event that is counted");
	tree->job = args->job;
	tree->graph = graph;
	tree->guessed = cg_stacks_guessed(graph, CG_ALL_PARTS);
	tree->column = column;
	totals = cg_alloc(args->job, cg_event_count(graph) * sizeof *totals);
	if (totals != NULL && sum_parts(graph, totals))
		tree->total = column_amount(graph, column, totals);
	return totals != NULL && sum_frames(tree) && list_lines(tree)
		   ? CG_OK
		   : cg_nomem(args->job);
}

/* ---- Printing ----------------------------------------------------------- */

static void
put_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct call_tree *tree = arg;
	const struct line *line = &tree->line.at[i];
	struct amount amount = cell < 2 ? line->inclusive : line->self;

	if (cell % 2 == 0)
		amount_text(buf, amount);
	else
		percent_text(buf, amount, tree->total);
}

static void
put_name(FILE *to, const void *arg, size_t i)
{
	const struct call_tree *tree = arg;
	const struct cg_merged_frame *frame =
	    &tree->frame[tree->line.at[i].frame];
	struct cg_slice name = cg_fn_name(tree->graph, frame->fn);

	fprintf(to, "%*s",
	    2 * (int)(frame->depth <= INDENT_MAX ? frame->depth - 1
						 : INDENT_MAX),
	    "");
	if (frame->depth > INDENT_MAX)
		fprintf(to, "[%" PRIu32 "] ", frame->depth);
	put_safe(to, name.len > 0 ? name : cg_slice("[unknown]"));
}

void
print_tree(const struct args *args, const struct call_tree *tree)
{
	static const char *const head[] = { "Inclusive", "", "Self", "",
		"Function, below its caller", NULL };

	printf("\nCall tree by ");
	put_safe(
	    stdout, cg_slice(cg_get_event(tree->graph, tree->column)->name));
	printf(" (limit: %s%s)\n", args->tree,
	    tree->guessed ? "; " CG_GUESSED_VALUE : "");
	put_table(stdout, head, tree->line.n, put_cell, put_name, tree);
	printf("  %zu of %zu frames\n", tree->line.n, tree->frames - 1);
}
