/*
 * list.c - growing arrays.
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
