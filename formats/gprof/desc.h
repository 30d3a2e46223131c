/*
 * desc.h - what a graph remembers of the gmon.out that it was read from.
 */
#ifndef FORMATS_GPROF_DESC_H
#define FORMATS_GPROF_DESC_H

#include "image.h"

#define GPROF_KEY_TARGET CG_PROGRAM_KEY "gmon"
#define GPROF_KEY_HISTOGRAM CG_PROGRAM_KEY "histogram"
#define GPROF_KEY_BUCKET "gmon.bucket"
#define GPROF_KEY_LIBRARY "gmon.library"
#define GPROF_KEY_ORDER "gmon.order"
#define GPROF_BLOCK_EVENT "Bb" /* counts of basic blocks */

#define GPROF_BINS_MAX ((uint64_t)1 << 27) /* are written: 512 MB of code */

/* ---- Descriptions ------------------------------------------------------- */

/* Adds all descriptions but the order of arcs. */
void gprof_describe(
    struct cg_build *, const struct gmon *, const struct gprof_images *);
/*
 * Sets word, big, bucket and histograms (without counters; hist has room for
 * GMON_RANGES_MAX). False if the graph is not of a gmon.out.
 */
bool gprof_recall(const struct cg_graph *, struct gmon *);
/* The order of arcs, for gprof_order_apply(). */
const char *gprof_recall_order(const struct cg_graph *);
/* The base address of a library; 0 if the object is none. */
uint64_t gprof_recall_base(const struct cg_graph *, struct cg_slice object);

/* ---- The order of arcs in a file ---------------------------------------- */

struct gprof_call {
	uint64_t from, self, count; /* from as in a file */
	uint32_t offset; /* from there to the call's return address */
	uint32_t index;  /* position in the file among those with that from */
};
/* Collects where a file's order differs from the rule; starts as { job }. */
struct gprof_order {
	struct cg_job *job;
	CG_ARRAY(struct gprof_call) call; /* of the current bucket */
	CG_ARRAY(char) text;
};
/* Adds an arc, in the order of the file. False: out of memory (reported). */
bool gprof_order_add(struct gprof_order *, const struct gprof_call *);
/* The text of the description. */
bool gprof_order_end(struct gprof_order *, struct cg_slice *text);
/* For qsort(): the rule's order. */
int gprof_compare_calls(const void *, const void *);
/* Sorts calls that are in the rule's order into that of the file. */
void gprof_order_apply(const char *text, struct gprof_call *, size_t n);

#endif
