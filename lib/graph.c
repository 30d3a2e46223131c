/*
 * graph.c - the frozen graph: canonical order, names, parts.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

struct cg_graph *
cg_graph_new(struct cg_diag *diag, int *fault)
{
	struct cg_graph *graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->diag = diag;
	graph->fault = fault;
	graph->grain = 1;
	graph->costs.open = graph->others.open = CG_NO_RUN;
	/* Id 0 of everything, and the one part that is there. */
	if (!cg_grow(
		&graph->objects.path, &graph->objects.cap, 1, sizeof(cg_str)) ||
	    !cg_grow(
		&graph->files.path, &graph->files.cap, 1, sizeof(cg_str)) ||
	    !cg_grow(&graph->fn, &graph->fn_cap, 1, sizeof(*graph->fn)) ||
	    !cg_grow(&graph->node, &graph->node_cap, 1, sizeof(*graph->node)) ||
	    !cg_grow(&graph->part, &graph->part_cap, 1, sizeof(*graph->part))) {
		cg_graph_free(graph);
		return NULL;
	}
	graph->objects.count = graph->files.count = 1;
	graph->fns = graph->nodes = graph->parts = 1;
	graph->fn[0].runs = CG_NO_RUN;
	graph->part[0].info.cmd = "";
	return graph;
}

/* Forgets the canonical order. */
static void
unseal(struct cg_graph *graph)
{
	free(graph->fn_rank);
	free(graph->fn_ranked);
	free(graph->file_rank);
	free(graph->file_ranked);
	free(graph->run_order);
	free(graph->part_runs);
	graph->fn_rank = graph->fn_ranked = NULL;
	graph->file_rank = graph->file_ranked = NULL;
	graph->run_order = NULL;
	graph->part_runs = NULL;
}

void
cg_graph_free(struct cg_graph *graph)
{
	if (!graph)
		return;
	for (size_t i = 0; i < graph->parts; i++) {
		free(graph->part[i].desc);
		free(graph->part[i].total);
	}
	for (size_t i = 0; i < graph->stacks; i++)
		free(graph->stack[i].cost);
	cg_formulas_free(graph);
	cg_strs_free(&graph->strs);
	cg_map_free(&graph->objects.ids);
	cg_map_free(&graph->files.ids);
	cg_map_free(&graph->run_ids);
	cg_map_free(&graph->stack_ids);
	cg_arena_free(&graph->costs.arena);
	cg_arena_free(&graph->others.arena);
	free(graph->objects.path);
	free(graph->files.path);
	free(graph->fn);
	free(graph->fn_slot);
	free(graph->event);
	free(graph->part);
	free(graph->run);
	free(graph->node);
	free(graph->node_slot);
	free(graph->stack);
	unseal(graph);
	free(graph);
}

/* ---- Canonical order ---------------------------------------------------- */

/* What is sorted: by first, text, last; and the thing they belong to. */
struct ranked {
	uint64_t first;
	struct cg_slice text;
	uint32_t last;
	uint32_t id;
};

/* The first bytes as a number that compares as they do. */
static uint64_t
first_bytes(struct cg_slice text)
{
	uint64_t first = 0;

	for (size_t i = 0; i < sizeof(first); i++)
		first = first << 8 |
			(i < text.len ? (unsigned char)text.ptr[i] : 0);
	return first;
}

static int
compare_text(struct cg_slice a, struct cg_slice b)
{
	size_t len = a.len < b.len ? a.len : b.len;
	int order = len ? memcmp(a.ptr, b.ptr, len) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int
compare_ranked(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int order;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	order = compare_text(a->text, b->text);
	return order ? order : (a->last > b->last) - (a->last < b->last);
}

/* Sorts; *rank gets id -> place, *ranked (if wanted) place -> id. */
static bool
rank(struct ranked *list, size_t count, uint32_t **rank_of, uint32_t **ranked)
{
	uint32_t *places = malloc((count + 1) * sizeof(*places));
	uint32_t *ids = ranked ? malloc((count + 1) * sizeof(*ids)) : NULL;

	if (!places || (ranked && !ids)) {
		free(places);
		free(ids);
		return false;
	}
	qsort(list, count, sizeof(*list), compare_ranked);
	for (uint32_t i = 0; i < count; i++) {
		places[list[i].id] = i;
		if (ids)
			ids[i] = list[i].id;
	}
	*rank_of = places;
	if (ranked)
		*ranked = ids;
	return true;
}

static bool
rank_strings(const struct cg_graph *graph, uint32_t **rank_of)
{
	size_t count = graph->strs.count ? graph->strs.count : 1;
	struct ranked *list = calloc(count, sizeof(*list));
	bool ok = list != NULL;

	for (uint32_t i = 0; ok && i < count; i++) {
		list[i].id = i;
		list[i].text = cg_strs_get(&graph->strs, i);
		list[i].first = first_bytes(list[i].text);
	}
	ok = ok && rank(list, count, rank_of, NULL);
	free(list);
	return ok;
}

static bool
rank_files(struct cg_graph *graph, const uint32_t *strings)
{
	struct ranked *list = calloc(graph->files.count, sizeof(*list));
	bool ok = list != NULL;

	for (uint32_t i = 0; ok && i < graph->files.count; i++) {
		list[i].id = i;
		list[i].first = strings[graph->files.path[i]];
	}
	ok = ok && rank(list, graph->files.count, &graph->file_rank,
		       &graph->file_ranked);
	free(list);
	return ok;
}

static bool
rank_fns(struct cg_graph *graph, const uint32_t *strings)
{
	struct ranked *list = calloc(graph->fns, sizeof(*list));
	bool ok = list != NULL;

	for (uint32_t i = 0; ok && i < graph->fns; i++) {
		const struct cg_fn_entry *fn = &graph->fn[i];

		list[i].id = i;
		list[i].first =
		    (uint64_t)strings[graph->objects.path[fn->object]] << 32 |
		    strings[graph->files.path[fn->file]];
		list[i].last = strings[fn->name];
	}
	ok = ok && rank(list, graph->fns, &graph->fn_rank, &graph->fn_ranked);
	free(list);
	return ok;
}

/* Runs by part (counted out), within a part by their function's rank. */
static bool
order_runs(struct cg_graph *graph)
{
	size_t *begin = calloc(graph->parts + 2, sizeof(*begin));
	uint32_t *order = malloc((graph->runs + 1) * sizeof(*order));

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
	/* Functions in order, so each part's list comes out in order. */
	for (size_t i = 0; i < graph->fns; i++) {
		uint32_t id = graph->fn[graph->fn_ranked[i]].runs;

		for (; id != CG_NO_RUN; id = graph->run[id].next)
			order[begin[graph->run[id].part + 1]++] = id;
	}
	return true;
}

/* Events may have come after a part's last row, or a part without rows. */
static bool
grow_totals(struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->parts; i++) {
		struct cg_part_entry *part = &graph->part[i];

		if (!cg_grow(&part->total, &part->totals, graph->events + 1,
			sizeof(*part->total)))
			return false;
	}
	return true;
}

int
cg_graph_seal(struct cg_graph *graph)
{
	uint32_t *strings = NULL;
	bool ok;

	unseal(graph);
	ok = rank_strings(graph, &strings) && rank_files(graph, strings) &&
	     rank_fns(graph, strings) && order_runs(graph) &&
	     grow_totals(graph);

	free(strings);
	if (!ok) {
		cg_graph_nomem(graph);
		return CG_ELIMIT;
	}
	return CG_OK;
}

/* ---- Accessors ---------------------------------------------------------- */

cg_facts
cg_graph_facts(const struct cg_graph *graph)
{
	cg_facts facts = graph->facts;

	if (graph->parts > 1)
		facts |= CG_PARTS;
	if (graph->events > 1)
		facts |= CG_EVENTS;
	return facts;
}

unsigned
cg_graph_grain(const struct cg_graph *graph)
{
	return graph->grain;
}

size_t
cg_event_count(const struct cg_graph *graph)
{
	return graph->events;
}

const struct cg_event *
cg_get_event(const struct cg_graph *graph, size_t i)
{
	return i < graph->events ? &graph->event[i] : NULL;
}

size_t
cg_part_count(const struct cg_graph *graph)
{
	return graph->parts;
}

const struct cg_part_info *
cg_get_part(const struct cg_graph *graph, cg_part part)
{
	return part < graph->parts ? &graph->part[part].info : NULL;
}

bool
cg_part_desc(const struct cg_graph *graph, cg_part part, size_t i,
    const char **key, const char **value)
{
	if (part >= graph->parts || i >= graph->part[part].descs)
		return false;
	*key = cg_strs_get(&graph->strs, graph->part[part].desc[i].key).ptr;
	*value = cg_strs_get(&graph->strs, graph->part[part].desc[i].value).ptr;
	return true;
}

const uint64_t *
cg_part_totals(const struct cg_graph *graph, cg_part part)
{
	return part < graph->parts ? graph->part[part].total : NULL;
}

size_t
cg_object_count(const struct cg_graph *graph)
{
	return graph->objects.count - 1;
}

size_t
cg_file_count(const struct cg_graph *graph)
{
	return graph->files.count - 1;
}

size_t
cg_fn_count(const struct cg_graph *graph)
{
	return graph->fns - 1;
}

size_t
cg_node_count(const struct cg_graph *graph)
{
	return graph->nodes - 1;
}

struct cg_slice
cg_object_path(const struct cg_graph *graph, cg_object object)
{
	return cg_strs_get(&graph->strs, graph->objects.path[object]);
}

struct cg_slice
cg_file_path(const struct cg_graph *graph, cg_file file)
{
	return cg_strs_get(&graph->strs, graph->files.path[file]);
}

struct cg_slice
cg_fn_name(const struct cg_graph *graph, cg_fn fn)
{
	return cg_strs_get(&graph->strs, graph->fn[fn].name);
}

cg_file
cg_fn_file(const struct cg_graph *graph, cg_fn fn)
{
	return graph->fn[fn].file;
}

cg_object
cg_fn_object(const struct cg_graph *graph, cg_fn fn)
{
	return graph->fn[fn].object;
}

void
cg_fn_range(const struct cg_graph *graph, cg_fn fn, uint32_t *first,
    uint32_t *last, uint64_t *addr)
{
	*first = graph->fn[fn].first;
	*last = graph->fn[fn].last;
	*addr = graph->fn[fn].addr;
}

cg_fn
cg_fn_ranked(const struct cg_graph *graph, size_t place)
{
	return place < graph->fns ? graph->fn_ranked[place] : 0;
}

bool
cg_next_fn(const struct cg_graph *graph, cg_part part, size_t *i, cg_fn *fn)
{
	if (part != CG_ALL_PARTS) {
		size_t at = graph->part_runs[part] + *i;

		if (at >= graph->part_runs[part + 1])
			return false;
		*fn = graph->run[graph->run_order[at]].fn;
		++*i;
		return true;
	}
	while (*i < graph->fns) {
		*fn = graph->fn_ranked[(*i)++];
		if (graph->fn[*fn].runs != CG_NO_RUN)
			return true;
	}
	return false;
}
