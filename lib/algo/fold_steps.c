/*
 * fold_steps.c - folds stacks while more are added.
 *
 * With threads, one folds the stacks of a step in a twin of the graph while the
 * next ones are added. It never has to report more than that memory is
 * exhausted: steps in which a sum may exceed 64 bits are waited for, so that
 * messages have the same order with any number of threads.
 */
#include <stdlib.h>

#include "algo/algo.h"
#include "base/pieces.h"

struct cg_fold_steps {
	struct cg_build *build;
	struct cg_fold *fold;
	struct cg_pieces *pieces; /* NULL: in this thread only */
	struct cg_twin twin;      /* of the graph, if there are pieces */
	uint64_t samples;         /* of all stacks so far */
	bool may_overflow;
	bool failed; /* what the thread does now */
};

static void
work(void *piece)
{
	struct cg_fold_steps *steps = piece;

	steps->failed = !cg_fold_some(steps->fold);
}

struct cg_fold_steps *
cg_fold_steps_new(
    struct cg_build *build, uint64_t levels, size_t rows, size_t threads)
{
	const struct cg_pieces_how how = {
		.threads = 2, .room = 1, .work = work
	};
	struct cg_fold_steps *steps = calloc(1, sizeof(*steps));
	bool ok = steps != NULL;

	if (ok) {
		steps->build = build;
		steps->fold = cg_fold_new(build, levels, rows);
		ok = steps->fold != NULL;
	}
	if (ok && threads > 1) {
		steps->pieces = cg_pieces_new(&how);
		ok = steps->pieces && cg_twin_open(&steps->twin);
	}
	if (ok)
		return steps;
	cg_fold_steps_free(steps);
	return NULL;
}

void
cg_fold_steps_free(struct cg_fold_steps *steps)
{
	if (!steps)
		return;
	cg_pieces_free(steps->pieces);
	cg_twin_close(&steps->twin);
	cg_fold_free(steps->fold);
	free(steps);
}

/* Costs without a sign were added up to a total before. */
static bool
may_overflow(struct cg_fold_steps *steps)
{
	const struct cg_graph *graph = steps->build->graph;

	for (size_t i = 0; i < graph->stacks; i++)
		steps->may_overflow |= __builtin_add_overflow(
		    steps->samples, graph->stack[i].samples, &steps->samples);
	return steps->may_overflow || graph->any_signed;
}

/* Waits for the last step. False: it failed. */
static bool
wait_for_step(struct cg_fold_steps *steps)
{
	if (steps->pieces)
		(void)cg_pieces_take(steps->pieces);
	return !steps->failed && cg_fold_settle(steps->fold);
}

static void
report_as(struct cg_graph *graph, struct cg_diag *diag, int *fault)
{
	graph->diag = diag;
	graph->fault = fault;
}

/* Folds the twin's stacks here; failures are those of the graph. */
static void
fold_now(struct cg_fold_steps *steps)
{
	const struct cg_graph *graph = steps->build->graph;
	struct cg_twin *twin = &steps->twin;

	report_as(twin->graph, graph->diag, graph->fault);
	work(steps);
	report_as(twin->graph, &twin->quiet, &twin->fault);
}

static bool
fold_apart(struct cg_fold_steps *steps)
{
	bool waits = may_overflow(steps);

	if (!cg_twin_take_stacks(&steps->twin, steps->build->graph) ||
	    !cg_fold_in(steps->fold, steps->twin.graph))
		return false;
	if (waits)
		fold_now(steps);
	else
		cg_pieces_put(steps->pieces, steps);
	return !steps->failed;
}

/* The steps do not overlap: so little more memory is used than by one thread. */
bool
cg_fold_step(struct cg_fold_steps *steps)
{
	bool ok = wait_for_step(steps) && cg_stacks_group(steps->build->graph);

	if (ok)
		ok = steps->pieces ? fold_apart(steps)
				   : cg_fold_some(steps->fold);
	/* Otherwise no node can be added any more. */
	if (!ok)
		cg_build_nomem(steps->build);
	return ok;
}

int
cg_fold_steps_end(struct cg_fold_steps *steps)
{
	struct cg_graph *graph = steps->build->graph;
	bool ok = wait_for_step(steps);

	if (ok && steps->pieces) {
		report_as(steps->twin.graph, graph->diag, graph->fault);
		ok = cg_twin_give_rows(&steps->twin, graph) &&
		     cg_fold_in(steps->fold, graph);
	}
	if (ok)
		return cg_fold_end(steps->fold);
	cg_build_nomem(steps->build);
	return steps->build->status;
}
