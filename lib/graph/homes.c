/*
 * homes.c - functions that are told apart by where they are defined.
 *
 * Methods and lambdas of a file share their names. A graph knows a function by
 * its name; so whoever comes second is called after its place.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"

/*
 * Is that where the function is defined? The first word on it is the truth.
 * The map holds column + 1 and line under two keys of a function.
 */
static bool
is_home(struct cg_build *build, cg_fn fn, uint32_t line, uint32_t column)
{
	uint64_t key = (uint64_t)fn << 1;
	uint32_t *at = cg_map_at(&build->homes, key);

	if (at && *at == 0) {
		*at = column + 1;
		at = cg_map_at(&build->homes, key | 1);
		if (at)
			*at = line;
	}
	if (!at) {
		cg_build_nomem(build);
		return true;
	}
	return cg_map_get(&build->homes, key) == column + 1 &&
	       cg_map_get(&build->homes, key | 1) == line;
}

/* "name:line" or "name:line:column"; lives until the next. */
static struct cg_slice
place_name(struct cg_build *build, struct cg_slice name, uint32_t line,
    uint32_t column)
{
	size_t most = name.len + 2 * (CG_NUMBER_MAX + 1);
	char *to;

	if (!cg_grow_raw(&build->text, &build->text_cap, most, 1)) {
		cg_build_nomem(build);
		return name;
	}
	if (name.len > 0)
		memcpy(build->text, name.ptr, name.len);
	to = build->text + name.len;
	*to++ = ':';
	to = cg_format_u64(to, line);
	if (column != 0) {
		*to++ = ':';
		to = cg_format_u64(to, column);
	}
	return (struct cg_slice){ build->text, (size_t)(to - build->text) };
}

cg_fn
cg_add_fn_at(struct cg_build *build, struct cg_slice name, cg_file file,
    cg_object object, uint32_t line, uint32_t column)
{
	const struct cg_range range = { .first = line, .first_column = column };
	cg_fn fn = cg_add_fn(build, name, file, object);

	if (fn != 0 && !is_home(build, fn, line, column))
		fn = cg_add_fn(
		    build, place_name(build, name, line, column), file, object);
	cg_set_fn_range(build, fn, &range);
	return fn;
}

#define MANY_FILES UINT32_MAX

bool
cg_place_functions(struct cg_graph *graph)
{
	cg_file *home;

	if (graph->nodes < 2)
		return true;
	home = calloc(graph->fns, sizeof(*home));
	if (!home)
		return false;
	for (size_t i = 1; i < graph->nodes; i++) {
		const struct cg_node_entry *node = &graph->node[i];
		cg_file *file = &home[node->fn];

		if (node->pos.file != 0 && *file != node->pos.file)
			*file = *file == 0 ? node->pos.file : MANY_FILES;
	}
	for (cg_fn fn = 1; fn < graph->fns; fn++) {
		if (graph->fn[fn].file == 0 && home[fn] != 0 &&
		    home[fn] != MANY_FILES)
			(void)cg_fn_set_file(graph, fn, home[fn]);
	}
	free(home);
	return true;
}
