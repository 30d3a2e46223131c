/*
 * order.c - canonical order of files, functions and runs, so that outputs do
 * not depend on the order in which they were added.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/* ---- Strings ------------------------------------------------------------- */

/* A string to sort. */
struct ranked {
	uint64_t first; /* first eight bytes, as a number in the same order */
	const char *ptr;
	uint32_t len, id;
};

static struct ranked
ranked(const struct cg_graph *graph, cg_str str, uint32_t id)
{
	const struct cg_slice text = cg_strs_get(&graph->strs, str);
	uint64_t first = 0;

	for (size_t i = 0; i < sizeof(first); i++)
		first = first << 8 |
			(i < text.len ? (unsigned char)text.ptr[i] : 0);
	return (struct ranked){ .first = first,
		.ptr = text.ptr,
		.len = (uint32_t)text.len,
		.id = id };
}

/*
 * Compares strings for qsort(): by bytes, equal ones by id. a->first has the
 * first bytes of the string as a number, which decides most comparisons
 * without a cache miss.
 */
static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int order;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	order = memcmp(a->ptr, b->ptr, a->len < b->len ? a->len : b->len);
	if (order == 0)
		order = (a->len > b->len) - (a->len < b->len);
	return order ? order : (a->id > b->id) - (a->id < b->id);
}

uint32_t *
cg_rank_strings(const struct cg_graph *graph, const cg_str *str, size_t count)
{
	struct ranked *list = malloc((count + 1) * sizeof(*list));
	uint32_t *ranks = malloc((count + 1) * sizeof(*ranks));

	for (uint32_t i = 0; list && i < count; i++)
		list[i] = ranked(graph, str ? str[i] : i, i);
	if (list && ranks) {
		qsort(list, count, sizeof(*list), compare_ranked);
		for (uint32_t i = 0; i < count; i++)
			ranks[list[i].id] = i;
	} else {
		free(ranks);
		ranks = NULL;
	}
	free(list);
	return ranks;
}

/* ---- Files and functions ------------------------------------------------- */

static bool
rank_files(struct cg_graph *graph)
{
	size_t count = graph->files.count;
	uint32_t *rank = cg_rank_strings(graph, graph->files.path, count);
	cg_file *ranked = malloc((count + 1) * sizeof(*ranked));

	graph->file_rank = rank;
	graph->file_ranked = ranked;
	for (cg_file i = 0; rank && ranked && i < count; i++)
		ranked[rank[i]] = i;
	return rank && ranked;
}

/*
 * A counting sort of functions by file, then by object (the most significant
 * key last). Keys are ranks, which are small numbers.
 */
struct sorter {
	const struct cg_fn_entry *fn;
	size_t count, keys; /* every key is less than keys */
	cg_fn *sorted, *room;
	uint32_t *key;   /* by function */
	uint32_t *begin; /* by key: index of its first function */
	struct ranked *list;
};

static bool
open_sorter(struct sorter *sorter, const struct cg_graph *graph)
{
	size_t count = graph->fns, keys = graph->files.count;

	if (keys < graph->objects.count)
		keys = graph->objects.count;
	*sorter =
	    (struct sorter){ .fn = graph->fn, .count = count, .keys = keys };
	sorter->sorted = malloc(count * sizeof(*sorter->sorted));
	sorter->room = malloc(count * sizeof(*sorter->room));
	sorter->key = malloc(count * sizeof(*sorter->key));
	sorter->begin = malloc((keys + 1) * sizeof(*sorter->begin));
	sorter->list = malloc(count * sizeof(*sorter->list));
	for (cg_fn i = 0; sorter->sorted && i < count; i++)
		sorter->sorted[i] = i;
	return sorter->sorted && sorter->room && sorter->key && sorter->begin &&
	       sorter->list;
}

/*
 * Sorts the functions in sorter->sorted by sorter->key[fn]. The array must
 * have each function once; keys must be less than sorter->keys. The sort is
 * stable. To sort by several keys, call it for the least significant key
 * first. Swaps the arrays "sorted" and "room".
 */
static void
sort_by_key(struct sorter *sorter)
{
	uint32_t *begin = sorter->begin;
	cg_fn *sorted = sorter->room;

	memset(begin, 0, (sorter->keys + 1) * sizeof(*begin));
	for (size_t i = 0; i < sorter->count; i++)
		begin[sorter->key[i] + 1]++;
	for (size_t i = 1; i <= sorter->keys; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < sorter->count; i++) {
		cg_fn fn = sorter->sorted[i];

		sorted[begin[sorter->key[fn]]++] = fn;
	}
	sorter->room = sorter->sorted;
	sorter->sorted = sorted;
}

static void
sort_by_string(struct sorter *sorter, const struct cg_graph *graph,
    bool symbols, cg_fn *fn, size_t n)
{
	struct ranked *list = sorter->list + (fn - sorter->sorted);

	for (size_t i = 0; i < n; i++)
		list[i] = ranked(graph,
		    symbols ? sorter->fn[fn[i]].symbol : sorter->fn[fn[i]].name,
		    fn[i]);
	qsort(list, n, sizeof(*list), compare_ranked);
	for (size_t i = 0; i < n; i++)
		fn[i] = list[i].id;
}

/*
 * Returns how many of the n functions at fn, which are sorted by object
 * (executable or library) and file, have the object and file of the first one;
 * at least 1.
 */
static size_t
count_same_file(const struct cg_fn_entry *entry, const cg_fn *fn, size_t n)
{
	size_t same = 1;

	while (same < n && entry[fn[same]].file == entry[*fn].file &&
	       entry[fn[same]].object == entry[*fn].object)
		same++;
	return same;
}

static size_t
count_same_name(const struct cg_fn_entry *entry, const cg_fn *fn, size_t n)
{
	size_t same = 1;

	while (same < n && entry[fn[same]].name == entry[*fn].name)
		same++;
	return same;
}

/*
 * Sorts the n functions at fn, all of one object (executable or library) and
 * file, by name and, where names are equal, by symbol.
 */
static void
sort_names(
    struct sorter *sorter, const struct cg_graph *graph, cg_fn *fn, size_t n)
{
	size_t same;

	sort_by_string(sorter, graph, false, fn, n);
	for (; n > 0; fn += same, n -= same) {
		same = count_same_name(sorter->fn, fn, n);
		if (same > 1)
			sort_by_string(sorter, graph, true, fn, same);
	}
}

/*
 * Sorts all functions by name and symbol within each object (executable or
 * library) and file; they are sorted by object and file already.
 */
static void
sort_all_names(struct sorter *sorter, const struct cg_graph *graph)
{
	size_t same;

	for (size_t i = 0; i < sorter->count; i += same) {
		same = count_same_file(
		    sorter->fn, &sorter->sorted[i], sorter->count - i);
		if (same > 1)
			sort_names(sorter, graph, &sorter->sorted[i], same);
	}
}

static void
sort_fns(struct sorter *sorter, const struct cg_graph *graph,
    const uint32_t *object_rank)
{
	for (size_t i = 0; i < sorter->count; i++)
		sorter->key[i] = graph->file_rank[sorter->fn[i].file];
	sort_by_key(sorter);
	for (size_t i = 0; i < sorter->count; i++)
		sorter->key[i] = object_rank[sorter->fn[i].object];
	sort_by_key(sorter);
	sort_all_names(sorter, graph);
	for (uint32_t i = 0; i < sorter->count; i++)
		sorter->key[sorter->sorted[i]] = i;
}

/*
 * Ranks functions by object (executable or library), file, name and symbol.
 * Sets graph->fn_rank (rank by function) and fn_ranked (function by rank).
 * False: out of memory.
 */
static bool
rank_fns(struct cg_graph *graph)
{
	uint32_t *object_rank =
	    cg_rank_strings(graph, graph->objects.path, graph->objects.count);
	struct sorter sorter;
	bool ok = open_sorter(&sorter, graph) && object_rank;

	if (ok)
		sort_fns(&sorter, graph, object_rank);
	free(object_rank);
	free(sorter.room);
	free(sorter.begin);
	free(sorter.list);
	graph->fn_rank = sorter.key;
	graph->fn_ranked = sorter.sorted;
	return ok;
}

/* ---- Runs ---------------------------------------------------------------- */

/*
 * Sorts the runs (rows of a function in a part) by part, then by the
 * function's rank, into graph->run_order. graph->part_runs gets the index of
 * each part's first run, and the number of runs as last entry. False: out of
 * memory.
 */
static bool
order_runs(struct cg_graph *graph)
{
	size_t *begin = calloc(graph->parts + 2, sizeof(*begin));
	struct cg_run_ref *order = malloc((graph->runs + 1) * sizeof(*order));

	if (!begin || !order) {
		free(begin);
		free(order);
		return false;
	}
	graph->run_order = order;
	graph->part_runs = begin;
	for (size_t i = 0; i < graph->runs; i++)
		begin[graph->run[i].part + 2]++;
	for (size_t i = 2; i < graph->parts + 2; i++)
		begin[i] += begin[i - 1];
	/*
	 * Functions are visited by rank, so the runs of each part are sorted,
	 * too.
	 */
	for (size_t i = 0; i < graph->fns; i++) {
		cg_fn fn = graph->fn_ranked[i];
		uint32_t id = graph->fn[fn].runs;

		for (; id != CG_NO_RUN; id = graph->run[id].next)
			order[begin[graph->run[id].part + 1]++] =
			    (struct cg_run_ref){ .run = id, .fn = fn };
	}
	return true;
}

bool
cg_order_rows(struct cg_graph *graph)
{
	return rank_files(graph) && rank_fns(graph) && order_runs(graph);
}
