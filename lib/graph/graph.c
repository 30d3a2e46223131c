/* graph.c - makes, seals and frees a graph; accessors. */
#include <stdlib.h>
#include <string.h>

#include "graph/excluded.h"
#include "graph/graph.h"

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
	/* Make id 0 of every dimension, and the part that always exists. */
	if (!cg_grow(
		&graph->objects.path, &graph->objects.cap, 1, sizeof(cg_str)) ||
	    !cg_grow(
		&graph->files.path, &graph->files.cap, 1, sizeof(cg_str)) ||
	    !cg_grow(&graph->fn, &graph->fn_cap, 1, sizeof(*graph->fn)) ||
	    !cg_grow(
		&graph->frame, &graph->frame_cap, 1, sizeof(*graph->frame)) ||
	    !cg_grow(&graph->node, &graph->node_cap, 1, sizeof(*graph->node)) ||
	    !cg_grow(&graph->part, &graph->part_cap, 1, sizeof(*graph->part))) {
		cg_graph_free(graph);
		return NULL;
	}
	graph->objects.count = graph->files.count = 1;
	graph->fns = graph->frames = graph->nodes = graph->parts = 1;
	graph->fn[0].runs = CG_NO_RUN;
	graph->part[0].info.cmd = "";
	return graph;
}

/*
 * Frees the ranks of files and functions, and the order of their rows, which
 * become invalid as soon as anything is added.
 */
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
		cg_map_free(&graph->part[i].desc_ids);
		free(graph->part[i].total);
		free(graph->part[i].file);
	}
	cg_tallies_free(graph);
	free(graph->padded);
	cg_excluded_free(graph->excluded);
	cg_excluded_free(graph->unchanged);
	cg_formulas_free(graph);
	cg_strs_free(&graph->strs);
	cg_map_free(&graph->objects.ids);
	cg_map_free(&graph->files.ids);
	cg_map_free(&graph->files.given);
	cg_map_free(&graph->run_ids);
	cg_arena_free(&graph->costs.arena);
	cg_arena_free(&graph->others.arena);
	free(graph->objects.path);
	free(graph->files.path);
	free(graph->fn);
	cg_slots_free(&graph->fn_slots);
	free(graph->event);
	free(graph->part);
	free(graph->run);
	cg_stacks_clear(graph);
	free(graph->frame);
	free(graph->node);
	free(graph->grouped);
	unseal(graph);
	free(graph);
}

/* ---- Sealing ------------------------------------------------------------ */

int
cg_graph_seal(struct cg_graph *graph)
{
	bool ok;

	unseal(graph);
	ok = cg_tallies_end(graph) && cg_order_rows(graph) &&
	     cg_labels_seal(graph) && cg_stacks_seal(graph) &&
	     cg_grow(&graph->padded, &graph->padded_cap, graph->events + 1,
		 sizeof(*graph->padded));
	if (!ok) {
		cg_graph_nomem(graph);
		return CG_ELIMIT;
	}
	cg_graph_find_facts(graph);
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
cg_find_event(const struct cg_graph *graph, const char *name)
{
	size_t i = 0;

	while (i < graph->events && strcmp(graph->event[i].name, name) != 0)
		i++;
	return i;
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

size_t
cg_part_files(const struct cg_graph *graph, cg_part part, const cg_file **file)
{
	static const cg_file no_order = 0;
	const struct cg_part_entry *entry;

	*file = NULL;
	if (part >= graph->parts)
		return 0;
	entry = &graph->part[part];
	*file = entry->file;
	if (!cg_part_lists_differ(entry))
		return entry->files;
	*file = &no_order;
	return 1;
}

const uint64_t *
cg_part_totals(const struct cg_graph *graph, cg_part part)
{
	const struct cg_part_entry *entry = &graph->part[part];
	size_t width = graph->events * sizeof(*graph->padded);

	if (part >= graph->parts)
		return NULL;
	if (entry->totals >= graph->events)
		return entry->total;
	/* Events may have been added after the part's last row. */
	memset(graph->padded, 0, width);
	if (entry->totals > 0)
		memcpy(graph->padded, entry->total,
		    entry->totals * sizeof(*graph->padded));
	return graph->padded;
}

bool
cg_event_has_costs(const struct cg_graph *graph, size_t event)
{
	for (cg_part part = 0; part < graph->parts; part++) {
		if (cg_part_totals(graph, part)[event] != 0)
			return true;
	}
	return false;
}

/*
 * Returns the column of the event to show first, as named by the first
 * description with key CG_MAIN_EVENT_KEY. Returns the number of events if
 * there is no such description or event.
 */
static size_t
find_described(const struct cg_graph *graph)
{
	const char *key, *value;

	for (cg_part part = 0; part < graph->parts; part++) {
		for (size_t i = 0; cg_part_desc(graph, part, i, &key, &value);
		     i++) {
			if (strcmp(key, CG_MAIN_EVENT_KEY) == 0)
				return cg_find_event(graph, value);
		}
	}
	return graph->events;
}

size_t
cg_main_event(const struct cg_graph *graph)
{
	const size_t stated[] = { find_described(graph),
		cg_find_event(graph, CG_TIME_EVENT) };

	for (size_t i = 0; i < sizeof(stated) / sizeof(*stated); i++) {
		if (stated[i] < graph->events &&
		    cg_event_has_costs(graph, stated[i]))
			return stated[i];
	}
	for (size_t event = 0; event < graph->events; event++) {
		if (cg_event_has_costs(graph, event))
			return event;
	}
	return 0;
}

cg_part
cg_main_part(const struct cg_graph *graph, size_t event)
{
	uint64_t most = 0;
	cg_part main = 0;

	for (cg_part part = 0; part < graph->parts; part++) {
		uint64_t total = cg_part_totals(graph, part)[event];

		if (total > most) {
			most = total;
			main = part;
		}
	}
	return main;
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

struct cg_slice
cg_file_given(const struct cg_graph *graph, cg_file file)
{
	return cg_strs_get(&graph->strs, cg_map_get(&graph->files.given, file));
}

struct cg_slice
cg_fn_symbol(const struct cg_graph *graph, cg_fn fn)
{
	return cg_strs_get(&graph->strs, graph->fn[fn].symbol);
}

void
cg_fn_range(const struct cg_graph *graph, cg_fn fn, struct cg_range *range)
{
	*range = graph->fn[fn].range;
}

cg_fn
cg_fn_ranked(const struct cg_graph *graph, size_t rank)
{
	return rank < graph->fns ? graph->fn_ranked[rank] : 0;
}

bool
cg_next_fn(const struct cg_graph *graph, cg_part part, size_t *i, cg_fn *fn)
{
	if (part != CG_ALL_PARTS) {
		size_t at = graph->part_runs[part] + *i;

		if (at >= graph->part_runs[part + 1])
			return false;
		*fn = graph->run_order[at].fn;
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
