/*
 * top.c - the top functions, by inclusive and by self cost.
 *
 * Numbers are printed first, as names may be long.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

enum { INCLUSIVE, SELF, KEYS };

struct row {
	uint32_t cycle; /* the row is the whole cycle; 0: a function */
	cg_fn fn;
	size_t rank;
	struct amount key, cost[KEYS];
};

/*
 * Selects the top rows: has room for twice as many, sorts when full, and drops
 * the lower half.
 */
struct ranking {
	const struct cg_graph *graph;
	const struct cg_sums *sums;
	size_t column;
	uint64_t *cost; /* scratch: one value per event */
	struct amount total;
	struct row *row;
	size_t rows, top;
};

const struct cg_event *
column_event(const struct cg_graph *graph, size_t column)
{
	size_t events = cg_event_count(graph);

	return column < events ? cg_get_event(graph, column)
			       : cg_get_formula(graph, column - events);
}

struct amount
column_amount(const struct cg_graph *graph, size_t column, const uint64_t *cost)
{
	size_t events = cg_event_count(graph);
	struct amount unknown = { 0 };
	int64_t value;

	if (column >= events) {
		if (!cg_eval_formula(graph, column - events, cost, &value))
			return unknown;
		return amount_i64(value);
	}
	if (cg_get_event(graph, column)->is_signed)
		return amount_i64((int64_t)cost[column]);
	return amount_u64(cost[column]);
}

bool
sum_parts(const struct cg_graph *graph, uint64_t *cost)
{
	size_t events = cg_event_count(graph);

	for (cg_part part = 0; part < cg_part_count(graph); part++) {
		const uint64_t *total = cg_part_totals(graph, part);

		for (size_t i = 0; i < events; i++) {
			uint64_t sum = cost[i] + total[i];
			bool is_signed = cg_get_event(graph, i)->is_signed;
			uint64_t flips = (cost[i] ^ sum) & (total[i] ^ sum);

			if (is_signed ? flips >> 63 != 0 : sum < total[i])
				return false;
			cost[i] = sum;
		}
	}
	return true;
}

int
parse_top(const struct args *args, size_t fallback, size_t *count)
{
	uint64_t number = fallback;

	if (args->top != NULL && !cg_get_u64(cg_slice(args->top), &number))
		return cg_usage(
		    args->job, "--top: expected a number, not '%s'", args->top);
	*count = number < SIZE_MAX ? (size_t)number : SIZE_MAX;
	return CG_OK;
}

static uint64_t
row_cost(const struct cg_sums *sums, const struct row *row, int key, size_t i)
{
	if (row->cycle != 0)
		return key == SELF ? cg_cycle_self(sums, row->cycle, i)
				   : cg_cycle_inclusive(sums, row->cycle, i);
	return key == SELF ? cg_sum_self(sums, row->fn, i)
			   : cg_sum_inclusive(sums, row->fn, i);
}

static struct amount
row_amount(const struct ranking *ranking, const struct row *row, int key)
{
	size_t events = cg_event_count(ranking->graph);
	size_t from = 0, to = events;

	if (ranking->column < events) {
		from = ranking->column;
		to = from + 1;
	}
	for (size_t i = from; i < to; i++)
		ranking->cost[i] = row_cost(ranking->sums, row, key, i);
	return column_amount(ranking->graph, ranking->column, ranking->cost);
}

/*
 * Compares rows for qsort(): highest cost first; equal ones by their rank,
 * which is the same in each run.
 */
static int
compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = compare_amounts(y->key, x->key);

	return order != 0 ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

static void
sort_and_cut(struct ranking *ranking)
{
	qsort(ranking->row, ranking->rows, sizeof *ranking->row, compare_rows);
	if (ranking->rows > ranking->top)
		ranking->rows = ranking->top;
}

/*
 * Adds a function or cycle to the ranking by its cost `key` (self or
 * inclusive), unless that is 0. At twice as many rows as wanted, drops the
 * lowest ones.
 */
static void
add_row(struct ranking *ranking, struct row *row, int key)
{
	row->key = row_amount(ranking, row, key);
	if (row->key.size == 0)
		return;
	row->cost[key] = row->key;
	row->cost[!key] = row_amount(ranking, row, !key);
	ranking->row[ranking->rows++] = *row;
	if (ranking->rows == 2 * ranking->top)
		sort_and_cut(ranking);
}

/*
 * Fills the ranking by self or inclusive cost, highest first, with at most
 * ranking->top functions and cycles. By self cost ranks only functions, as a
 * cycle's self cost is that of its members.
 */
static void
rank_functions(struct ranking *ranking, int key)
{
	size_t cycles = cg_cycle_count(ranking->sums);
	size_t count = cg_fn_count(ranking->graph);
	struct row row = { 0 };

	ranking->rows = 0;
	for (size_t i = 0; key == INCLUSIVE && i < cycles; i++) {
		row.cycle = (uint32_t)++row.rank;
		add_row(ranking, &row, key);
	}
	row.cycle = 0;
	for (size_t i = 0; i <= count; i++) {
		row.rank++;
		row.fn = cg_fn_ranked(ranking->graph, i);
		/* The inclusive cost of the unknown caller is the total. */
		if (row.fn != 0 || key != INCLUSIVE)
			add_row(ranking, &row, key);
	}
	sort_and_cut(ranking);
}

static uint64_t
calls_in(const struct cg_sums *sums, const struct row *row)
{
	return row->cycle != 0 ? cg_cycle_calls_in(sums, row->cycle)
			       : cg_sum_calls_in(sums, row->fn);
}

static void
put_cell(char buf[AMOUNT_ROOM], const void *arg, size_t i, size_t cell)
{
	const struct ranking *ranking = arg;
	const struct row *row = &ranking->row[i];

	if (cell == 2 * KEYS)
		amount_text(buf, amount_u64(calls_in(ranking->sums, row)));
	else if (cell % 2 == 0)
		amount_text(buf, row->cost[cell / 2]);
	else
		percent_text(buf, row->cost[cell / 2], ranking->total);
}

static void
put_name(FILE *to, const void *arg, size_t i)
{
	const struct ranking *ranking = arg;
	const struct cg_graph *graph = ranking->graph;
	cg_fn fn = ranking->row[i].fn;

	if (ranking->row[i].cycle != 0) {
		fprintf(to, "<cycle %" PRIu32 ">", ranking->row[i].cycle);
		return;
	}
	put_function(to, cg_fn_name(graph, fn), cg_sum_cycle(ranking->sums, fn),
	    cg_file_path(graph, cg_fn_file(graph, fn)),
	    cg_object_path(graph, cg_fn_object(graph, fn)));
}

static void
print_ranking(const struct ranking *ranking, const char *title)
{
	static const char *const head[] = { "Inclusive", "", "Self", "",
		"Calls", "Function (file) [object]", NULL };

	printf("\nTop functions by %s ", title);
	put_safe(stdout,
	    cg_slice(column_event(ranking->graph, ranking->column)->name));
	putchar('\n');
	put_table(stdout, head, ranking->rows, put_cell, put_name, ranking);
}

static void
print_rankings(struct ranking *ranking)
{
	if (sum_parts(ranking->graph, ranking->cost))
		ranking->total = column_amount(
		    ranking->graph, ranking->column, ranking->cost);
	if (cg_graph_facts(ranking->graph) & (CG_CALLS | CG_STACKS | CG_INCL)) {
		rank_functions(ranking, INCLUSIVE);
		print_ranking(ranking, "inclusive");
	}
	rank_functions(ranking, SELF);
	print_ranking(ranking, "self");
}

int
show_top(const struct args *args, const struct cg_graph *graph,
    const struct cg_sums *sums, size_t column, size_t count)
{
	size_t most = cg_fn_count(graph) + 1 + cg_cycle_count(sums);
	struct ranking ranking = { .graph = graph,
		.sums = sums,
		.column = column,
		.top = count < most ? count : most };

	if (ranking.top == 0 || cg_event_count(graph) == 0)
		return CG_OK;
	ranking.cost =
	    cg_alloc(args->job, cg_event_count(graph) * sizeof(uint64_t));
	ranking.row =
	    cg_alloc(args->job, 2 * ranking.top * sizeof *ranking.row);
	if (ranking.cost == NULL || ranking.row == NULL)
		return CG_ELIMIT;
	print_rankings(&ranking);
	return CG_OK;
}
