/*
 * heap.c - where the program's memory comes from.
 *
 * Memory that is taken 4 KiB at a time, a fault for each, is a tenth of the
 * time of a small job. So the first MiB of the heap are huge pages where the
 * system has some. Arrays that grow stay in the heap until they are so large
 * that they had better be moved by their pages.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/platform.h"
#include "cmd.h"

#ifdef CG_HAVE_MALLOPT
#include <malloc.h>

/* 128 MiB were no faster, and cost memory. */
#define HEAP ((size_t)48 << 20)
#define HUGE_PAGE ((uintptr_t)2 << 20)
#define MAPPED (8 << 20) /* such arrays are in memory of their own */
#define KEPT (64 << 20)  /* free memory at the heap's end */
#define STEP (1 << 20)

void
prepare_heap(void)
{
	uintptr_t at, end;
	void *first;

	/* Setting one of them ends glibc's own choice of the others. */
	(void)mallopt(M_MMAP_THRESHOLD, MAPPED);
	(void)mallopt(M_TRIM_THRESHOLD, KEPT);
	(void)mallopt(M_TOP_PAD, (int)HEAP);
	first = malloc(STEP);
	(void)mallopt(M_TOP_PAD, STEP);
	at = ((uintptr_t)first + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	end = (uintptr_t)sbrk(0) & ~(HUGE_PAGE - 1);
	/* Another malloc() is not where the break is. */
	if (first && end > at && end - at <= HEAP)
		cg_advise_huge((void *)at, end - at);
	free(first);
}
#else
void
prepare_heap(void)
{
}
#endif
