/*
 * rows.h - the packed layout, shared by the packer (rows.c) and the decoder
 * (view.c) and by nobody else.
 */
#ifndef CG_ROWS_H
#define CG_ROWS_H

#include "graph.h"

#define CG_TAG_KIND 3u
#define CG_TAG_FILE 4u
#define CG_TAG_ADDR 8u
#define CG_TAG_LINE 16u
#define CG_TAG_SHIFT 5       /* the number of values stands from here on */
#define CG_TAG_MANY 7u       /* ... this many or more: in a varint */
#define CG_TAG_COND 32u      /* of a jump */
#define CG_TAG_FAR 64u       /* ... to another function or file */
#define CG_TAG_BRANCH 32u    /* of other rows */
#define CG_TAG_INCLUSIVE 64u

/* A piece of a run; rows never straddle two. */
struct cg_block {
	struct cg_block *next;
	uint32_t used;           /* bytes; of the last block: see packed->at */
	uint32_t size;           /* bytes, of a free block */
	uint8_t data[];
};

/* Opens one run merged, sorted by ids (ranks may not exist yet). */
bool cg_rows_open_merged(struct cg_rows *, const struct cg_run *);

#endif
