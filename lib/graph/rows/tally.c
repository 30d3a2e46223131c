/*
 * tally.c - counts of lines, calls and branches to which many inputs add.
 *
 * Packed rows do not change, so the sum of many inputs has the rows of all of
 * them until its runs are merged. The coverage of many tests has the same rows
 * again and again. A run that is visited often gets a tally there: its distinct
 * rows as sorted arrays, with counts that are added to in place. So neither
 * memory nor the time to merge grows with the number of inputs.
 *
 * Rows that a tally lacks, or cannot hold, are packed as without one; when they
 * have become many, the tally takes them over. Before the graph is sealed, the
 * rows of all tallies are packed.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/rows/cursor.h"

/* A line, or a call from an unknown place; see key_of_call(). */
struct count {
	uint64_t key, value;
};

struct counts {
	struct count *at; /* by key */
	size_t n, cap;
	size_t next; /* the one after that which was found last */
};

struct branches {
	struct cg_branch *at; /* in the order of cursors */
	size_t n, cap, next;
};

struct cg_tally {
	struct counts lines, calls;
	struct branches branches;
};

/* ---- Finding rows ------------------------------------------------------- */

/*
 * Returns the key of a call in a tally (a function's counts, added in place):
 * by callee, then by the line of its entry, as cursors order calls.
 */
static uint64_t
key_of_call(const struct cg_call *call)
{
	return (uint64_t)call->callee << 32 | call->entry.line;
}

/*
 * Returns the count with that key in the sorted array; NULL: there is none.
 * Mostly they are looked up in the order of keys, so the count after the one
 * found last is tried first.
 */
static struct count *
find_count(struct counts *counts, uint64_t key)
{
	size_t from = 0, to = counts->n, middle;

	if (counts->next < to && counts->at[counts->next].key == key)
		return &counts->at[counts->next++];
	if (to == 0 || counts->at[to - 1].key < key)
		return NULL;
	while (from < to) {
		middle = from + (to - from) / 2;
		if (counts->at[middle].key < key)
			from = middle + 1;
		else
			to = middle;
	}
	if (counts->at[from].key != key)
		return NULL;
	counts->next = from + 1;
	return &counts->at[from];
}

/*
 * Compares branches in the order in which cursors return them, but ignores
 * files and addresses. Returns a negative number, 0 or a positive one.
 */
static int
compare_branches(const struct cg_branch *a, const struct cg_branch *b)
{
	if (a->pos.line != b->pos.line)
		return a->pos.line < b->pos.line ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/*
 * Returns the branch of the sorted array that has the same line, kind, block
 * and index as `branch`; NULL: there is none. Mostly they are looked up in the
 * order of the array, so the branch after the one found last is tried first.
 */
static struct cg_branch *
find_branch(struct branches *branches, const struct cg_branch *branch)
{
	size_t from = 0, to = branches->n, middle;

	if (branches->next < to &&
	    compare_branches(&branches->at[branches->next], branch) == 0)
		return &branches->at[branches->next++];
	while (from < to) {
		middle = from + (to - from) / 2;
		if (compare_branches(&branches->at[middle], branch) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	if (from == branches->n ||
	    compare_branches(&branches->at[from], branch) != 0)
		return NULL;
	branches->next = from + 1;
	return &branches->at[from];
}

/* ---- Adding to rows ----------------------------------------------------- */

bool
cg_tally_cost(const struct cg_graph *graph, const struct cg_run *run,
    const struct cg_pos *pos, const uint64_t *cost, size_t n)
{
	struct count *line;

	if (n > 1 || pos->addr != 0 || pos->file != run->file)
		return false;
	line = find_count(&run->tally->lines, pos->line);
	return line &&
	       (n == 0 || cg_add_value(graph, 0, &line->value, cost[0]));
}

/*
 * True if a tally (a function's counts, added in place) can hold the call. The
 * call must have no costs, no call site, and no address of its entry. A tally
 * stores only its callee, the line of its entry and its count.
 */
static bool
is_plain_call(const struct cg_call *call)
{
	const struct cg_pos *site = &call->site;

	return call->n == 0 && site->addr == 0 && site->line == 0 &&
	       site->file == 0 && call->entry.addr == 0;
}

bool
cg_tally_call(const struct cg_run *run, const struct cg_call *call)
{
	struct count *same;
	uint64_t sum;

	if (!is_plain_call(call))
		return false;
	same = find_count(&run->tally->calls, key_of_call(call));
	if (!same || __builtin_add_overflow(same->value, call->count, &sum))
		return false;
	same->value = sum;
	return true;
}

/*
 * True if a tally (a function's counts, added in place) can hold the branch.
 * The branch must be in the function's own file (run->file), and have no
 * address. Regions (ranges of source text) do not fit, as cursors merge them
 * by more members than a tally compares.
 */
static bool
is_plain_branch(const struct cg_run *run, const struct cg_branch *branch)
{
	return branch->kind != CG_BRANCH_REGION && branch->pos.addr == 0 &&
	       branch->pos.file == run->file;
}

bool
cg_tally_branch(const struct cg_graph *graph, const struct cg_run *run,
    const struct cg_branch *branch)
{
	struct cg_branch *same;
	int64_t sum;

	if (!is_plain_branch(run, branch))
		return false;
	same = find_branch(&run->tally->branches, branch);
	return same &&
	       !__builtin_add_overflow(same->count, branch->count, &sum) &&
	       cg_merge_branch(graph, same, branch);
}

/* ---- From packed rows to a tally, and back ------------------------------- */

static void
free_tally(struct cg_tally *tally)
{
	if (!tally)
		return;
	free(tally->lines.at);
	free(tally->calls.at);
	free(tally->branches.at);
	free(tally);
}

static bool
add_count(struct counts *to, uint64_t key, uint64_t value)
{
	if (to->n == to->cap &&
	    !cg_grow_raw(&to->at, &to->cap, to->n + 1, sizeof(*to->at)))
		return false;
	to->at[to->n++] = (struct count){ key, value };
	return true;
}

static bool
add_branch(struct branches *to, const struct cg_branch *branch)
{
	if (to->n == to->cap &&
	    !cg_grow_raw(&to->at, &to->cap, to->n + 1, sizeof(*to->at)))
		return false;
	to->at[to->n++] = *branch;
	return true;
}

/*
 * Fills a tally (a function's counts, added in place) with the rows that an
 * open cursor returns. False: a row has something that a tally cannot hold,
 * such as an address or a cost of a call; or out of memory or overflow, which
 * is reported.
 */
static bool
take_rows(struct cg_rows *rows, const struct cg_run *run, struct cg_tally *to)
{
	struct cg_cost cost;
	struct cg_call call;
	struct cg_jump jump;
	struct cg_branch branch;
	uint64_t repeats;
	bool ok = true;

	while (ok && cg_next_cost(rows, &cost)) {
		if (cost.n > 1 || cost.pos.addr != 0 ||
		    cost.pos.file != run->file)
			return false;
		ok = add_count(
		    &to->lines, cost.pos.line, cost.n > 0 ? cost.cost[0] : 0);
	}
	while (ok && cg_next_call(rows, &call)) {
		if (!is_plain_call(&call))
			return false;
		ok = add_count(&to->calls, key_of_call(&call), call.count);
	}
	while (ok && cg_next_branch(rows, &branch)) {
		if (!is_plain_branch(run, &branch))
			return false;
		ok = add_branch(&to->branches, &branch);
	}
	if (!ok)
		cg_graph_nomem(rows->graph);
	return ok && !cg_next_jump(rows, &jump) &&
	       !cg_rows_inclusive(rows, &cost, &repeats);
}

/*
 * Packs the counts of the run's tally as rows of the run (the rows of a
 * function), and frees the tally. False: out of memory, or an overflow; the
 * tally is freed, too.
 */
static bool
pack_tally(struct cg_graph *graph, struct cg_run *run)
{
	struct cg_tally *tally = run->tally;
	struct cg_pos pos = { .file = run->file };
	bool ok = true;

	run->tally = NULL;
	for (size_t i = 0; ok && i < tally->lines.n; i++) {
		const struct count *line = &tally->lines.at[i];

		pos.line = (uint32_t)line->key;
		ok = cg_run_add_cost(graph, run, &pos, &line->value, 1);
	}
	for (size_t i = 0; ok && i < tally->calls.n; i++) {
		const struct count *at = &tally->calls.at[i];
		const struct cg_call call = { .callee = (cg_fn)(at->key >> 32),
			.entry.line = (uint32_t)at->key,
			.count = at->value };

		ok = cg_run_add_call(graph, run, &call);
	}
	for (size_t i = 0; ok && i < tally->branches.n; i++)
		ok = cg_run_add_branch(graph, run, &tally->branches.at[i]);
	free_tally(tally);
	return ok;
}

/*
 * Replaces the packed rows of a run (the rows of a function) by a tally, to
 * which counts are added in place, if a tally can hold them. Else leaves them
 * as they are. False: the graph has failed, now or before, as memory ran out
 * or a sum overflowed.
 */
static bool
begin_tally(struct cg_graph *graph, struct cg_run *run)
{
	struct cg_rows *rows = cg_rows_new(graph);
	struct cg_tally *tally = calloc(1, sizeof(*tally));
	bool fits = rows && tally && cg_rows_open_merged(rows, run) &&
		    take_rows(rows, run, tally);

	if (!tally)
		cg_graph_nomem(graph);
	cg_rows_free(rows);
	if (!fits || *graph->fault != CG_OK) {
		free_tally(tally);
		return *graph->fault == CG_OK;
	}
	cg_blocks_close(graph);
	cg_run_free_blocks(graph, run);
	cg_run_clear(graph, run);
	run->tally = tally;
	graph->tallies = true;
	return true;
}

/*
 * True if the packed rows of a run with a tally have become many: then taking
 * them over takes less time than adding them took.
 */
static bool
has_many_packed(const struct cg_run *run)
{
	const struct cg_tally *tally = run->tally;
	size_t rows = tally->lines.n + tally->calls.n + tally->branches.n;
	uint64_t bytes =
	    cg_packed_bytes(&run->costs) + cg_packed_bytes(&run->others);

	return bytes > 256 && bytes / 8 > rows;
}

bool
cg_tally_visit(struct cg_graph *graph, struct cg_run *run)
{
	if (!run->tally)
		return begin_tally(graph, run);
	return !has_many_packed(run) ||
	       (pack_tally(graph, run) && begin_tally(graph, run));
}

bool
cg_tallies_end(struct cg_graph *graph)
{
	bool ok = true;

	for (size_t i = 0; ok && graph->tallies && i < graph->runs; i++)
		ok = !graph->run[i].tally || pack_tally(graph, &graph->run[i]);
	if (ok)
		graph->tallies = false;
	return ok;
}

void
cg_tallies_free(struct cg_graph *graph)
{
	for (size_t i = 0; graph->tallies && i < graph->runs; i++)
		free_tally(graph->run[i].tally);
}
