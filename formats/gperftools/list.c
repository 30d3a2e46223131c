/*
 * list.c - growing arrays, and a limit on what may grow.
 */
#include "gperftools.h"

void *
gperf_append(struct gperf_reader *r, struct gperf_list *list, size_t width)
{
	if (list->count == UINT32_MAX ||
	    !cg_grow_raw(&list->at, &list->cap, list->count + 1, width)) {
		(void)cg_reject_nomem(r->job);
		return NULL;
	}
	return (char *)list->at + list->count++ * width;
}

bool
gperf_expand(struct gperf_reader *r, uint64_t bytes)
{
	r->expanded += bytes;
	if (!cg_is_bomb(r->expanded, cg_in_offset(r->in), CG_EXPANSION_HELD))
		return true;
	return cg_reject(r->job,
	    "expected fewer inlined frames and shorter paths: they would take "
	    "more than %d times the size of the file",
	    CG_EXPANSION_HELD);
}
