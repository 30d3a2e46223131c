/*
 * facts.c - facts about functions, frames, events and parts, which many formats
 * cannot represent.
 */
#include <string.h>

#include "graph/graph.h"

/*
 * True if the profile names an object (executable or shared library) by its
 * file. Names in brackets, such as "[kernel]", do not count, as most formats
 * can represent them.
 */
static bool
has_object(const struct cg_graph *graph)
{
	for (size_t i = 1; i < graph->objects.count; i++) {
		struct cg_slice path =
		    cg_strs_get(&graph->strs, graph->objects.path[i]);

		if (path.len > 0 && *path.ptr != '[')
			return true;
	}
	return false;
}

static cg_facts
facts_of_functions(const struct cg_graph *graph)
{
	cg_facts facts = has_object(graph) ? CG_OBJECTS : 0;

	for (size_t i = 1; i < graph->fns; i++) {
		const struct cg_fn_entry *fn = &graph->fn[i];
		const struct cg_range *range = &fn->range;

		facts |= (fn->file != 0 ? CG_FILES : 0) |
			 (fn->symbol != 0 ? CG_SYMBOLS : 0) |
			 (range->first != 0 ? CG_DEFINITIONS : 0);
	}
	return facts;
}

static cg_facts
facts_of_frames(const struct cg_graph *graph)
{
	for (cg_node i = 1; i < graph->nodes; i++) {
		if (cg_frame_of(graph, i)->inlined)
			return CG_INLINING;
	}
	return 0;
}

/*
 * Returns the index of the event named "samples", whose costs are numbers of
 * samples; the number of events if there is none.
 */
static size_t
find_counter(const struct cg_graph *graph)
{
	size_t i = 0;

	while (
	    i < graph->events && strcmp(graph->event[i].name, "samples") != 0)
		i++;
	return i;
}

/*
 * Returns CG_SAMPLES if the number of samples of a stack does not follow from
 * its costs, else 0. A stack without a number has as many samples as its cost
 * of event "samples", else one.
 */
static cg_facts
facts_of_samples(const struct cg_graph *graph)
{
	size_t counter = find_counter(graph);

	for (size_t i = 0; i < graph->stacks; i++) {
		struct cg_stack_entry *stack = &graph->stack[i];
		uint64_t usual = 1;

		if (counter < graph->events)
			usual = counter < stack->n
				    ? cg_stack_cost(stack)[counter]
				    : 0;
		if (stack->samples != usual && stack->samples != 0)
			return CG_SAMPLES;
	}
	return 0;
}

static cg_facts
facts_of_parts(const struct cg_graph *graph)
{
	for (size_t i = 0; i < graph->parts; i++) {
		const struct cg_part_entry *part = &graph->part[i];

		if (part->descs > 0 || part->cmd != 0 || part->info.pid != 0 ||
		    part->info.tid != 0)
			return CG_DESCRIPTIONS;
	}
	return 0;
}

void
cg_graph_find_facts(struct cg_graph *graph)
{
	const cg_facts found = CG_FILES | CG_OBJECTS | CG_SYMBOLS |
			       CG_DEFINITIONS | CG_INLINING | CG_SAMPLES |
			       CG_DESCRIPTIONS | CG_FORMULAS | CG_LABELS;

	graph->facts &= ~found;
	graph->facts |= facts_of_functions(graph) | facts_of_frames(graph) |
			facts_of_samples(graph) | facts_of_parts(graph) |
			(graph->formulas > 0 ? CG_FORMULAS : 0) |
			(graph->label_sets > 0 ? CG_LABELS : 0);
}
