/*
 * desc.h - properties of a gmon.out that are recorded in its graph.
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

#define GPROF_BINS_MAX ((uint64_t)1 << 27) /* bins written: 512 MB of code */

/* ---- Descriptions ------------------------------------------------------- */

/* Adds all descriptions except the order of arcs. */
void gprof_describe(
    struct cg_build *, const struct gmon *, const struct gprof_images *);
/*
 * Sets word, big, bucket and histograms (without counters; hist has room for
 * GMON_RANGES_MAX). False: the graph does not come from a gmon.out.
 */
bool gprof_recall(const struct cg_graph *, struct gmon *);
/* Returns the order of arcs, for gprof_order_apply(). */
const char *gprof_recall_order(const struct cg_graph *);
/* Returns the base address of a library; 0: unknown object. */
uint64_t gprof_recall_base(const struct cg_graph *, struct cg_slice object);

/* ---- The order of arcs in a file ---------------------------------------- */

struct gprof_call {
	uint64_t from, self, count; /* from: as in the file */
	uint32_t offset; /* from from to the return address */
	uint32_t index;  /* position in the file, within the bucket */
};
/*
 * Collects the differences of a file's order from the rule; starts as { job }.
 */
struct gprof_order {
	struct cg_job *job;
	CG_ARRAY(struct gprof_call) call; /* of the current bucket */
	CG_ARRAY(char) text;
};
/* Adds an arc, in the order of the file. False: out of memory (reported). */
bool gprof_order_add(struct gprof_order *, const struct gprof_call *);
/*
 * Ends the last bucket; sets the text of the description. False: out of memory
 * (reported).
 */
bool gprof_order_end(struct gprof_order *, struct cg_slice *text);
/* The order of calls by the rule, for qsort(). */
int gprof_compare_calls(const void *, const void *);
/* Sorts calls from the rule's order to the order of the file. */
void gprof_order_apply(const char *text, struct gprof_call *, size_t n);

#endif
