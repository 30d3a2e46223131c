/*
 * join.c - adds a graph to another; merges functions of unknown and known
 * objects.
 *
 * Coverage data has no objects, but a profile of the same program has. A
 * function of an unknown object is merged with the function of the same file
 * and name in a known object, if there is exactly one. Its calls from the
 * unknown caller (all that coverage has) are dropped in favour of those from
 * known callers.
 */
#include <stdlib.h>
#include <string.h>

#include "algo/copy.h"

struct join {
	const struct cg_graph *from;
	struct cg_map known; /* file << 32 | name -> a function's id + 1 */
};

#define SEVERAL UINT32_MAX

static uint64_t
key_of(const struct cg_fn_entry *fn)
{
	return (uint64_t)fn->file << 32 | fn->name;
}

/*
 * Indexes the functions that have an object (executable or library): maps file
 * and name to the function, or to SEVERAL if more than one has them. False:
 * out of memory.
 */
static bool
note_known(struct join *join)
{
	const struct cg_graph *graph = join->from;

	for (cg_fn fn = 1; fn < graph->fns; fn++) {
		uint32_t *id;

		if (graph->fn[fn].object == 0)
			continue;
		id = cg_map_at(&join->known, key_of(&graph->fn[fn]));
		if (!id)
			return false;
		*id = *id == 0 ? fn + 1 : SEVERAL;
	}
	return true;
}

/*
 * Returns the function to merge fn with, if fn has no object (executable or
 * library): the one with an object and the same file and name, if it is the
 * only one. Returns fn if there is none.
 */
static cg_fn
find_partner(const struct join *join, cg_fn fn)
{
	const struct cg_fn_entry *entry = &join->from->fn[fn];
	uint32_t id;

	if (entry->object != 0 || entry->file == 0 || entry->name == 0)
		return fn;
	id = cg_map_get(&join->known, key_of(entry));
	return id == 0 || id == SEVERAL ? fn : id - 1;
}

static bool
has_partners(const struct join *join)
{
	for (cg_fn fn = 1; join->known.table && fn < join->from->fns; fn++) {
		if (find_partner(join, fn) != fn)
			return true;
	}
	return false;
}

/*
 * Copies the graph to another one. A function without an object (executable or
 * library) is merged with the only function that has an object and the same
 * file and name, if there is one. Returns the status.
 */
static int
add_joined(const struct join *join, struct cg_build *to)
{
	const struct cg_graph *from = join->from;
	bool *joined = calloc(from->fns, sizeof(*joined));
	struct cg_copy copy = { .from = from, .to = to, .joined = joined };
	int status = CG_ELIMIT;

	if (joined && cg_copy_open(&copy)) {
		cg_copy_events(&copy);
		cg_copy_dimensions(&copy);
		for (cg_fn fn = 1; fn < from->fns; fn++) {
			cg_fn partner = find_partner(join, fn);

			joined[fn] = partner != fn;
			cg_copy_fn(&copy, fn, partner);
		}
		status = cg_copy_rows(&copy);
	} else {
		cg_graph_nomem(from);
	}
	cg_copy_close(&copy);
	free(joined);
	return status;
}

int
cg_graph_add(struct cg_build *to, const struct cg_graph *from)
{
	const struct join nothing = { .from = from };

	return add_joined(&nothing, to);
}

/*
 * Sets *graph to a copy of join->from. Functions without an object are merged
 * with those that have one. The caller frees it, also if copying failed.
 * *graph is NULL if it cannot be created. Returns the status.
 */
static int
unite(const struct join *join, struct cg_graph **graph)
{
	struct cg_build build;
	int status;

	*graph = cg_graph_new(join->from->diag, join->from->fault);
	if (!*graph) {
		cg_graph_nomem(join->from);
		return CG_ELIMIT;
	}
	cg_build_init(&build, *graph, CG_PARTS_KEEP);
	status = add_joined(join, &build);
	cg_build_free(&build);
	return status;
}

int
cg_graph_join(struct cg_graph **graph)
{
	struct join join = { .from = *graph };
	struct cg_graph *united = NULL;
	int status = CG_OK;

	if (!note_known(&join)) {
		cg_graph_nomem(*graph);
		status = CG_ELIMIT;
	} else if (has_partners(&join)) {
		status = unite(&join, &united);
	}
	cg_map_free(&join.known);
	if (status != CG_OK || !united) {
		cg_graph_free(united);
		return status;
	}
	cg_graph_free(*graph);
	*graph = united;
	return cg_graph_complete(*graph);
}
