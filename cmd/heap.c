/*
 * heap.c - tunes glibc's malloc().
 *
 * Page faults of 4 KiB pages take a tenth of the run time of a small job. So
 * the first HEAP_SIZE bytes of the heap use huge pages if the system has them.
 * Growing arrays stay in the heap up to MMAP_SIZE; larger ones are mapped, so
 * that realloc() moves them by mremap() instead of copying.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/platform.h"
#include "cmd.h"

#ifdef CG_HAVE_MALLOPT
#include <malloc.h>

/* 128 MiB were not faster and used more memory. */
#define HEAP_SIZE ((size_t)48 << 20)
#define HUGE_PAGE_SIZE ((uintptr_t)2 << 20)
#define MMAP_SIZE (8 << 20)   /* arrays from this size on are mapped */
#define TRIM_SIZE (64 << 20)  /* free memory kept at the heap's end */
#define GROWTH_SIZE (1 << 20) /* the heap grows by this */

void
prepare_heap(void)
{
	uintptr_t at, end;
	void *first;

	/* glibc stops adjusting all of them once one is set: set all. */
	(void)mallopt(M_MMAP_THRESHOLD, MMAP_SIZE);
	(void)mallopt(M_TRIM_THRESHOLD, TRIM_SIZE);
	(void)mallopt(M_TOP_PAD, (int)HEAP_SIZE);
	first = malloc(GROWTH_SIZE);
	(void)mallopt(M_TOP_PAD, GROWTH_SIZE);
	at = ((uintptr_t)first + HUGE_PAGE_SIZE - 1) & ~(HUGE_PAGE_SIZE - 1);
	end = (uintptr_t)sbrk(0) & ~(HUGE_PAGE_SIZE - 1);
	/* A replaced malloc() may not use the program break. */
	if (first && end > at && end - at <= HEAP_SIZE)
		cg_advise_huge((void *)at, end - at);
	free(first);
}
#else
void
prepare_heap(void)
{
}
#endif
