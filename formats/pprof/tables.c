/*
 * tables.c - the growing arrays of the writer.
 */
#include <stdlib.h>

#include "write.h"

void *
pprof_out_append(
    struct pprof_writer *w, struct pprof_table *table, size_t width)
{
	if (table->count == UINT32_MAX ||
	    !cg_grow_raw(&table->at, &table->cap, table->count + 1, width)) {
		(void)cg_reject_nomem(w->job);
		return NULL;
	}
	return (char *)table->at + table->count++ * width;
}

void
pprof_out_free(struct pprof_writer *w)
{
	struct pprof_table *const tables[] = { &w->functions, &w->frames,
		&w->locations, &w->mappings, &w->edges, &w->strings, &w->buf[0],
		&w->buf[1], &w->buf[2], &w->comments, &w->text, &w->rows,
		&w->labels };
	struct cg_map *const maps[] = { &w->name_ids, &w->function_ids,
		&w->place_ids, &w->addr_ids, &w->at_ids, &w->frame_ids,
		&w->comment_ids, &w->row_ids };

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		free(tables[i]->at);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		cg_map_free(maps[i]);
	free(w->fn_name);
	free(w->has_inlined);
	cg_merged_stacks_free(w->merged);
	free(w->last_row);
	free(w->objects);
	free(w->order);
	free(w->labels_end);
	free(w->cost);
}
